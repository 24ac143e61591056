"""Costs of a structure's tree: box tests beside a loose octree, edits, rays and memory.

    python -m scree.tools.structure_costs tests 1000000
    python -m scree.tools.structure_costs edits 100000
    python -m scree.tools.structure_costs rays 100000
    python -m scree.tools.structure_costs memory 1000000

Each prints one line of JSON.
"""

import ctypes
import json
import sys
import threading
import time

import numpy as np
from scree.tools.loose_octree import LooseOctree, cast_all, count_neighbours, insert_bricks

from scree.runtime.kernel import entry_point
from scree.runtime.memory import address_of, view
from scree.structures import schema
from scree.structures.asking import BOX_QUERY, RAY, cast_on, cast_rays, find_on
from scree.structures.edits import edit_structure
from scree.structures.schema import BRICK, COMMAND
from scree.structures.structure import ALL_LAYERS, Structure, boxes

BATCH = 1000
RAYS = 100_000
ROUNDS = 7


@entry_point("void(int64, int64, int64, int64)")
def count_rays(structure, rays_address, count, counts_address):
    """Cast rays and count the tests."""
    rays, counts = view(rays_address, count, RAY), view(counts_address, 2, np.int64)
    for i in range(count):
        cast_on(structure, rays[i], counts)


@entry_point("int64(int64, int64, int64, int64)")
def count_boxes(structure, queries_address, count, counts_address):
    """Carry out queries by box and count the tests. Returns how many bricks were found."""
    queries, counts = view(queries_address, count, BOX_QUERY), view(counts_address, 2, np.int64)
    found = np.int64(0)
    for i in range(count):
        find_on(structure, queries[i], counts)
        found += queries[i].count
    return found


# Builds -----------------------------------------------------------------------------------------------------------------


def boxes_of_sizes(count: int, generator) -> np.ndarray:
    """Boxes with longest sides from 1 to 100, evenly by their logarithm, anywhere in a cube that grows with their number."""
    side = np.exp(generator.uniform(0, np.log(100), (count, 1)))
    size = np.round(side * generator.uniform(0.5, 1, (count, 3))).clip(1)
    low = generator.integers(0, int(4000 * (count / 100_000) ** (1 / 3)), (count, 3))
    return boxes(low, low + size)


def _house(generator) -> tuple[np.ndarray, np.ndarray]:
    """A house of 48 x 48 on the ground: walls of bricks 4 x 2 x 3 with gaps, floors of plates, a pile of micro bricks."""
    storeys = int(generator.integers(1, 5))
    low, size = [], []
    for row in range(10 * storeys):
        steps = np.arange(0, 48, 4)
        for wall in range(4):
            along = steps[generator.random(12) < 0.85]
            across = np.full(len(along), 0 if wall < 2 else 46)
            height = np.full(len(along), 1 + 3 * row)
            x, z = (along, across) if wall % 2 else (across, along)
            low.append(np.stack([x, height, z], 1))
            size.append(np.tile([4, 3, 2] if wall % 2 else [2, 3, 4], (len(along), 1)))
    for storey in range(storeys + 1):
        x, z = np.meshgrid(np.arange(2, 46, 6), np.arange(2, 46, 6))
        low.append(np.stack([x.ravel(), np.full(x.size, 30 * storey), z.ravel()], 1))
        size.append(np.tile([6, 1, 6], (x.size, 1)))
    micro = generator.integers([4, 1, 4], [20, 9, 20], (int(generator.integers(50, 400)), 3))
    low.append(np.unique(micro, axis=0))
    size.append(np.ones_like(low[-1]))
    return np.concatenate(low), np.concatenate(size)


def town(count: int, seed: int = 2) -> np.ndarray:
    """About `count` bricks: houses on plates of 64 x 64, and ramps 500 times as long as a micro brick, in the order of
    building."""
    generator, lows, sizes, total, number = np.random.default_rng(seed), [], [], 0, 0
    side = int(np.ceil((count / 1250) ** 0.5))
    while total < count:
        low, size = _house(generator)
        at = 64 * np.array([number % side, 0, number // side])
        lows += [[at - [8, 1, 8]], low + at]
        sizes += [[[64, 1, 64]], size]
        if number % 50 == 0:
            lows.append([at + [0, 130, -4]])
            sizes.append([[500, 8, 8]])
        total += len(low) + 1
        number += 1
    low, size = np.concatenate(lows)[:count], np.concatenate(sizes)[:count]
    return boxes(low, low + size)


# Box tests, beside a loose octree --------------------------------------------------------------------------------------------


def touching(rows: np.ndarray) -> np.ndarray:
    """Queries for the bricks that touch each of these."""
    queries = np.zeros(len(rows), BOX_QUERY)
    low, high = rows["low"].astype(float), rows["high"].astype(float)
    queries["center"], queries["half_extents"], queries["mask"] = (low + high) / 2, (high - low) / 2, ALL_LAYERS
    return queries


def rays_across(count: int, rows: np.ndarray, generator, length: float = 2000.0) -> np.ndarray:
    """Rays RAY of a length [unit] from anywhere in the bounds of bricks, in all directions."""
    rays = np.zeros(count, RAY)
    rays["origin"] = generator.uniform(rows["low"].min(0), rows["high"].max(0), (count, 3))
    way = generator.normal(size=(count, 3))
    rays["direction"] = length * way / np.linalg.norm(way, axis=1)[:, None]
    rays["max_fraction"], rays["mask"] = 1.0, ALL_LAYERS
    return rays


def compare_tests(rows: np.ndarray, report=lambda done, total, name: None) -> dict:
    """Box tests of both trees: while the rows are inserted, a thousand at a time, and the neighbours of each are looked for; then
    for rays. Raises AssertionError if they find different things."""
    tree, octree = Structure(len(rows) + BATCH), LooseOctree(rows)
    loading = {name: np.zeros(2, np.int64) for name in ("tree", "octree")}
    for begin in range(0, len(rows), BATCH):
        part = rows[begin : begin + BATCH]
        tree.insert(part)
        insert_bricks(octree.address, begin, begin + len(part))
        queries = touching(part)
        found = count_boxes(tree.address, address_of(queries), len(queries), address_of(loading["tree"]))
        other = count_neighbours(octree.address, begin, begin + len(part), address_of(loading["octree"]))
        assert found == other, (begin, found, other)
        report(begin + len(part), len(rows), "")
    rays = rays_across(RAYS, rows, np.random.default_rng(3))
    casting = {name: np.zeros(2, np.int64) for name in ("tree", "octree")}
    count_rays(tree.address, address_of(rays), RAYS, address_of(casting["tree"]))
    others = np.concatenate([rays["origin"], rays["direction"], np.ones((RAYS, 1))], 1)
    cast_all(octree.address, address_of(others), RAYS, address_of(casting["octree"]))
    assert np.allclose(rays["fraction"], others[:, 6], atol=1e-9)
    loaded = {name: int(counts.sum()) for name, counts in loading.items()}
    cast = {name: float(counts.sum() / RAYS) for name, counts in casting.items()}
    return {
        "bricks": len(rows), "loading": loaded, "loading_ratio": loaded["tree"] / loaded["octree"],
        "ray": cast, "ray_ratio": cast["tree"] / cast["octree"], "hit": float((rays["number"] > 0).mean()),
    }  # fmt: skip


# Time and memory -------------------------------------------------------------------------------------------------------------


class Editing:
    """Edits of a structure one by one, without making arrays."""

    def __init__(self, structure: Structure):
        self.structure, self.command, self.number = structure, np.zeros(1, COMMAND), np.zeros(1, np.int32)
        self.row, self.scratch = np.zeros(1, BRICK), np.zeros(2, np.int32)
        record, self.address = self.command[0], address_of(self.command)
        record["count"], record["rows"], record["numbers"] = 1, address_of(self.row), address_of(self.number)
        record["scratch"] = address_of(self.scratch)

    def time(self, operation: int) -> float:
        """Time of one edit, with its publication [us]."""
        self.command[0]["operation"] = operation
        begin = time.thread_time_ns()
        edit_structure(self.structure.address, self.address)
        return (time.thread_time_ns() - begin) / 1000.0


def edits_alone(rows: np.ndarray, count: int) -> np.ndarray:
    """Times of `count` edits, each of a brick anywhere [us], shape (count, 2): removed, and inserted again."""
    structure, generator = Structure(len(rows) + BATCH), np.random.default_rng(4)
    numbers, times = structure.insert(rows), np.zeros((count, 2))
    editing = Editing(structure)
    for i, k in enumerate(generator.integers(0, len(rows), count)):
        editing.number[0], editing.row[0] = numbers[k], rows[k]
        times[i] = editing.time(schema.REMOVE), editing.time(schema.INSERT)
        numbers[k] = editing.number[0]
    return times


def batches(rows: np.ndarray, rounds: int = 40) -> list[float]:
    """Least time of an edit in batches of a thousand: removed, inserted again [us]."""
    structure, generator = Structure(len(rows) + 2 * BATCH), np.random.default_rng(5)
    numbers, times = structure.insert(rows), []
    for _ in range(rounds):
        chosen = generator.choice(len(rows), BATCH, False)
        begin = time.thread_time()
        structure.remove(numbers[chosen])
        middle = time.thread_time()
        numbers[chosen] = structure.insert(rows[chosen])
        times.append((middle - begin, time.thread_time() - middle))
    return [float(1e6 * value / BATCH) for value in np.median(times, 0)]


def edit_costs(count: int) -> dict:
    """Edits of boxes of sizes from 1 to 100: in batches and alone. The worst is over the least times of the same edits in
    several rounds, since other programs disturb each round at other edits."""
    rows = boxes_of_sizes(count, np.random.default_rng(1))
    rounds = [edits_alone(rows, 50_000) for _ in range(ROUNDS)]
    least = np.min(rounds, 0)
    removed, inserted = batches(rows)
    return {
        "bricks": count, "batch_remove_us": removed, "batch_insert_us": inserted,
        "remove_us": float(np.median(least[:, 0])), "insert_us": float(np.median(least[:, 1])),
        "edits": least.size, "p999_us": float(np.percentile(least, 99.9)), "worst_us": float(least.max()),
        "worst_of_a_round_us": [float(times.max()) for times in rounds],
    }  # fmt: skip


def ray_times(structure: Structure, rays: np.ndarray) -> list[float]:
    """CPU times of casting all rays [s]."""
    times = []
    for _ in range(3 * ROUNDS):
        begin = time.thread_time()
        cast_rays(structure.address, address_of(rays), len(rays))
        times.append(time.thread_time() - begin)
    return times


def edit_until(structure: Structure, stop: threading.Event) -> None:
    """Remove a thousand bricks and insert them again, over and over."""
    generator = np.random.default_rng(9)
    while not stop.is_set():
        held = structure.numbers()
        chosen = generator.choice(held, min(BATCH, len(held) // 2), False)
        structure.insert(structure.take_out(chosen)[0])


def ray_costs(count: int) -> dict:
    """Rays a second on one thread among boxes of sizes from 1 to 100, with what they test."""
    generator = np.random.default_rng(1)
    rows = boxes_of_sizes(count, generator)
    structure = Structure(2 * count + 100 * BATCH)  # rows wait for queries under way
    numbers = structure.insert(rows)
    chosen = generator.choice(count, count // 10, False)
    structure.remove(numbers[chosen])
    structure.insert(rows[chosen])
    rays, counts = rays_across(RAYS, rows, generator), np.zeros(2, np.int64)
    times = ray_times(structure, rays)
    stop = threading.Event()
    editor = threading.Thread(target=edit_until, args=(structure, stop))
    editor.start()
    beside = ray_times(structure, rays)
    stop.set()
    editor.join()
    count_rays(structure.address, address_of(rays), RAYS, address_of(counts))
    return {
        "bricks": count, "million_rays_a_second": RAYS / min(times) / 1e6, "median": RAYS / float(np.median(times)) / 1e6,
        "beside_edits": RAYS / min(beside) / 1e6, "hit": float((rays["number"] > 0).mean()),
        "mean_fraction": float(rays["fraction"].mean()), "tests_a_ray": (counts / RAYS).tolist(),
    }  # fmt: skip


def resident_bytes() -> int:
    """Memory of this process that is backed, without what C's allocator keeps for later (Linux) [byte]."""
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm", encoding="ascii") as words:
        return int(words.read().split()[1]) * 4096


def memory_costs(count: int) -> dict:
    """Bytes a brick, and what is given back when nine tenths are removed, with the CPU time of a removal: in the order of
    building, at random, and at random as one batch."""
    Structure(BATCH).insert(boxes([[0, 0, 0]], [[1, 1, 1]]))  # compiled code is loaded
    found = {}
    for order in ("built", "random", "at_once"):
        rows = town(count)
        gone = np.arange(count) if order == "built" else np.random.default_rng(6).permutation(count)
        gone, batch = gone[: 9 * count // 10], count if order == "at_once" else BATCH
        before = resident_bytes()
        structure = Structure(count + BATCH)
        numbers = np.concatenate([structure.insert(rows[i : i + BATCH]) for i in range(0, count, BATCH)])
        full = resident_bytes() - before - numbers.nbytes
        parts, begin = [numbers[gone[i : i + batch]] for i in range(0, len(gone), batch)], time.thread_time()
        for part in parts:
            structure.remove(part)
        spent, resident = time.thread_time() - begin, resident_bytes()
        left = resident - before - numbers.nbytes - sum(part.nbytes for part in parts)
        found[order] = {"bytes_a_brick": full / count, "given_back": 1.0 - left / full, "remove_us": 1e6 * spent / len(gone)}
        found[order] |= {"left_a_brick": left / len(structure)}
        del structure
    return {"bricks": count} | found


PARTS = {
    "tests": lambda count: compare_tests(town(count)),
    "edits": edit_costs, "rays": ray_costs, "memory": memory_costs,
}  # fmt: skip


def main() -> None:
    part, count = sys.argv[1], int(sys.argv[2])
    print(json.dumps(PARTS[part](count)))


if __name__ == "__main__":
    main()
