"""Costs of structures on bodies: bodies on bricks, edits whole, rays, and a ship in flight with bodies inside. Prints a line of
JSON a measurement; times are of the processor, of the one thread that steps.

    python -m tests.structures.long_bodies [floor edits rays ship flight heap blocks]
"""

import json
import sys
import time

import numpy as np

import scree

STEP = 1.0 / 60.0
NONE = scree.Material(friction=0.0)


def new_space(gravity=(0.0, -10.0, 0.0)) -> scree.Space:
    return scree.World(threads=1, bodies=1 << 12, body_shapes=1 << 16, shapes=1 << 16).add_space(gravity=gravity)


def milliseconds(work, rounds: int = 7) -> float:
    """The least time of several rounds [ms]."""
    best = float("inf")
    for _ in range(rounds):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return 1000.0 * best


def tell(what: str, **numbers) -> None:
    print(json.dumps({"what": what} | {name: round(value, 4) for name, value in numbers.items()}), flush=True)


def floor() -> None:
    """200 boxes that lie awake, each on 4 to 9 bricks, and the same on one box."""
    at = np.stack(np.meshgrid(np.arange(100), [0], np.arange(100), indexing="ij"), axis=-1).reshape(-1, 3)
    bricks = scree.Structure(unit=0.5)
    bricks.insert(at - (50, 1, 50), at + 1 - (50, 1, 50))
    times = {}
    for name, ground in (("bricks", bricks), ("box", scree.Box(half_extents=(25.0, 0.25, 25.0)))):
        space = new_space()
        space.add_static(ground, (0.0, 0.0 if name == "bricks" else -0.25, 0.0))
        places = [(2.0 * x - 19 + 0.1, 0.401, 2.0 * z - 9 + 0.2) for x in range(20) for z in range(10)]
        space.add_rigid_many(scree.Box(half_extents=(0.4, 0.4, 0.4)), places, can_sleep=False)
        for _ in range(60):
            space.step(STEP)
        times[name] = milliseconds(lambda space=space: [space.step(STEP) for _ in range(20)]) / 20
    tell("200 boxes at rest, a step [ms]", **times, ratio=times["bricks"] / times["box"])


def sizes(random, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Corners of boxes with longest sides from 1 to 100, evenly by logarithm, in a cube with sides of 4,000."""
    side = np.exp(random.uniform(0, np.log(100), (count, 1))) * random.uniform(0.3, 1.0, (count, 3))
    low = random.integers(-2000, 2000, (count, 3))
    return low, low + np.maximum(side.astype(int), 1)


def edits() -> None:
    """A structure of 100,000 boxes on a rigid body in a space. `whole`: mass, centre and bounds of the body included, which
    otherwise follow before the next step, once for all edits."""
    random = np.random.default_rng(1)
    space, bricks = new_space((0.0, 0.0, 0.0)), scree.Structure(unit=0.1)
    numbers = bricks.insert(*sizes(random, 100_000))
    space.add_rigid(bricks, density=1.0)
    space.step(STEP)
    settle = space.world.core.shape.settle_bricks
    times = {"inserted": [], "removed": []}
    for _ in range(20):
        low, high = sizes(random, 1000)
        begin = time.process_time()
        fresh = bricks.insert(low, high)
        settle()
        times["inserted"].append(time.process_time() - begin)
        begin = time.process_time()
        bricks.remove(fresh)
        settle()
        times["removed"].append(time.process_time() - begin)
        space.step(STEP)
    tell("an edit in batches of 1,000, whole [us]", **{name: min(taken) * 1000.0 for name, taken in times.items()})
    singles = {"inserted": [], "removed": [], "whole": []}
    low, high = sizes(random, 2000)
    for k in range(2000):
        begin = time.process_time()
        fresh = bricks.insert(low[k], high[k])
        singles["inserted"].append(time.process_time() - begin)
        begin = time.process_time()
        bricks.remove(fresh)
        singles["removed"].append(time.process_time() - begin)
        settle()
        begin = time.process_time()
        fresh = bricks.insert(low[k], high[k])
        settle()
        singles["whole"].append(time.process_time() - begin)
        bricks.remove(fresh)
    for name, taken in singles.items():
        tell(f"an edit alone, {name} [us]", median=1e6 * np.median(taken), least=1e6 * min(taken), most=1e6 * max(taken))
    assert len(bricks) == len(numbers)


def rays() -> None:
    """Rays through 100,000 boxes, 2,000 units long, on a body."""
    random = np.random.default_rng(1)
    space, bricks = new_space((0.0, 0.0, 0.0)), scree.Structure(unit=0.1)
    bricks.insert(*sizes(random, 100_000))
    space.add_kinematic(bricks, (5.0, 3.0, 1.0), (0.1, 0.2, 0.3, 0.927361849549570))
    begin = random.uniform(-200, 200, (20_000, 3))
    way = random.normal(size=begin.shape)
    end = begin + 200.0 * way / np.linalg.norm(way, axis=1)[:, None]
    taken = milliseconds(lambda: space.cast_rays(begin, end))
    tell("rays a second [million]", on_a_body=len(begin) / taken / 1000.0)


def hull_of_ship(length: int, width: int, height: int) -> np.ndarray:
    """Low corners of the cells of a box's walls, floor and ceiling."""
    at = np.stack(np.meshgrid(np.arange(length), np.arange(height), np.arange(width), indexing="ij"), axis=-1).reshape(-1, 3)
    most = np.array([length, height, width]) - 1
    return at[((at == 0) | (at == most)).any(axis=1)]


def ship() -> None:
    """A ship of some 20,000 bricks that flies and turns, with 50 boxes and balls inside, and 100 edits a tick."""
    random = np.random.default_rng(1)
    cells = hull_of_ship(160, 48, 12)
    decks = np.array([(x, 6, z) for x in range(1, 80) for z in range(1, 47)])
    cells = np.concatenate((cells, decks))
    bricks = scree.Structure(unit=0.5)
    numbers = bricks.insert(cells, cells + 1)
    space = new_space((0.0, 0.0, 0.0))
    vessel = space.add_rigid(bricks, velocity=(20.0, 0.0, 0.0), angular_velocity=(0.0, 0.1, 0.0), density=500.0, can_sleep=False)
    middle = vessel.center_of_mass
    crew = []
    for k in range(50):
        place = np.array([45.0 + 3.0 * (k % 10), 0.9, 3.0 + 4.0 * (k // 10)])
        shape = scree.Box(half_extents=(0.4, 0.4, 0.4)) if k % 2 else scree.Sphere(radius=0.4)
        velocity = np.array((20.0, 0.0, 0.0)) + np.cross((0.0, 0.1, 0.0), place - middle)
        crew.append(space.add_rigid(shape, place, velocity=velocity, can_sleep=False))
    steps = []
    for _tick in range(600):
        for body in crew:
            body.apply_force(-10.0 * body.mass * up_of(vessel))
        begin = time.process_time()
        space.step(STEP)
        steps.append(time.process_time() - begin)
    inside = sum(is_inside(vessel, body) for body in crew)
    tell(
        "a ship in flight with 50 bodies inside, a step [ms]", bricks=len(bricks), median=1000.0 * np.median(steps[60:]),
        most=1000.0 * max(steps[60:]), inside=inside,
    )  # fmt: skip
    roof = numbers[cells[:, 1] == 11]
    steps, spent = [], []
    where = dict(zip(numbers.tolist(), map(tuple, cells.tolist()), strict=True))
    for _tick in range(300):
        for body in crew:
            body.apply_force(-10.0 * body.mass * up_of(vessel))
        begin = time.process_time()
        chosen = random.choice(len(roof), 100, replace=False)
        places = np.array([where[n] for n in roof[chosen].tolist()])
        roof_now = bricks.change(roof[chosen], places, places + 1)
        for old, new, place in zip(roof[chosen].tolist(), roof_now.tolist(), places.tolist(), strict=True):
            del where[old]
            where[new] = tuple(place)
        roof = roof.copy()
        roof[chosen] = roof_now
        spent.append(time.process_time() - begin)
        begin = time.process_time()
        space.step(STEP)
        steps.append(time.process_time() - begin)
    inside = sum(is_inside(vessel, body) for body in crew)
    tell(
        "the same with 100 bricks changed a tick [ms]", step=1000.0 * np.median(steps), most=1000.0 * max(steps),
        edits=1000.0 * np.median(spent), inside=inside,
    )  # fmt: skip


def flight() -> None:
    """A ship of 64,216 bricks at 20 m/s that turns, under gravity, with 300 boxes on its decks; then 1,000 edits a tick at random
    places."""
    cells = hull_of_ship(220, 64, 18)
    decks = np.array([(x, y, z) for y in (6, 12) for x in range(1, 219) for z in range(1, 63)])
    cells = np.random.default_rng(1).permutation(np.concatenate((cells, decks)) - (110, 0, 32))
    bricks, space = scree.Structure(unit=0.5), new_space()
    numbers = bricks.insert(cells, cells + 1).copy()
    spin = (0.0, 0.06, 0.0)
    vessel = space.add_rigid(
        bricks, velocity=(20, 0, 0), angular_velocity=spin, density=500.0, can_sleep=False, gravity_scale=0.0
    )  # fmt: skip
    middle, crates = vessel.center_of_mass, []
    for k in range(300):
        place = np.array((-46 + 4.2 * (k // 3 % 22), 0.91 + 3.0 * (k % 3), -12 + 5.0 * (k // 66)))
        velocity = np.array((20.0, 0.0, 0.0)) + np.cross(spin, place - middle)
        crates.append(space.add_rigid(scree.Box(half_extents=(0.4, 0.4, 0.4)), place, velocity=velocity, can_sleep=False))
    times: dict[str, list[float]] = {"step": [], "with_edits": [], "edits": []}
    out = slice(0, 0)
    for tick in range(240):
        vessel.angular_velocity = spin
        vessel.velocity = turned(vessel, (20.0, 0.0, 0.0))
        begin = time.process_time()
        if tick >= 120:
            numbers[out] = bricks.insert(cells[out], cells[out] + 1)
            out = slice(500 * (tick % 100), 500 * (tick % 100) + 500)
            bricks.remove(numbers[out])
            times["edits"].append(time.process_time() - begin)
            begin = time.process_time()
        space.step(STEP)
        times["with_edits" if tick >= 120 else "step"].append(time.process_time() - begin)
    aboard = sum(bool((np.abs(crate.position - vessel.position) < 60.0).all()) for crate in crates)
    medians = {name: 1000.0 * np.median(taken[20:]) for name, taken in times.items()}
    tell("300 boxes in a ship of 64,216 bricks in flight [ms]", **medians, aboard=aboard)


def heap() -> None:
    """50 blocks of 500 bricks that fall into a heap, and 50 boxes of the same size."""
    at = np.stack(np.meshgrid(np.arange(10), np.arange(5), np.arange(10), indexing="ij"), axis=-1).reshape(-1, 3) - (5, 2, 5)
    block = scree.Structure(unit=0.1)
    block.insert(at, at + 1)
    medians = {}
    for name, shape in (("structures", block), ("boxes", scree.Box(half_extents=(0.5, 0.25, 0.5)))):
        space = new_space()
        space.add_static(scree.Box(half_extents=(50, 1, 50)), (0.0, -1.0, 0.0))
        places = [(1.1 * (k % 3) + 0.1 * (k // 9), 0.6 + 0.6 * (k // 9), 1.1 * (k // 3 % 3)) for k in range(50)]
        bodies = space.add_rigid_many(shape, places, density=500.0, can_sleep=False)
        steps = []
        for _ in range(300):
            begin = time.process_time()
            space.step(STEP)
            steps.append(time.process_time() - begin)
        medians[name], medians[f"most, {name}"] = 1000.0 * np.median(steps[100:]), 1000.0 * max(steps)
        medians[f"lowest, {name}"] = float(bodies.positions[:, 1].min())
        medians[f"contacts, {name}"] = int(space.world.core.system(space.id).row["manifolds"]["count"])
    tell("a heap of 50, a step [ms]", ratio=medians["structures"] / medians["boxes"], **medians)


def blocks() -> None:
    """Ten blocks of 8,000 bricks that are dropped onto each other, with all of their bricks and as hulls."""
    at = np.stack(np.meshgrid(np.arange(20), np.arange(20), np.arange(20), indexing="ij"), axis=-1).reshape(-1, 3) - 10
    for name, detail in (("all bricks", 1_000_000), ("hulls", 1000)):
        block = scree.Structure(unit=0.1, detail=detail)
        block.insert(at, at + 1)
        space = new_space()
        space.add_static(scree.Box(half_extents=(50, 1, 50)), (0.0, -1.0, 0.0))
        bodies = [space.add_rigid(block, (0.9 * (k % 2), 1.1 + 2.2 * k, 0.7 * (k % 3)), density=500.0) for k in range(10)]
        steps = []
        for _ in range(240):
            begin = time.process_time()
            space.step(STEP)
            steps.append(time.process_time() - begin)
        lowest = min(body.position[1] for body in bodies)
        tell(f"ten blocks of 8,000, {name}, a step [ms]", mean=1000 * np.mean(steps), most=1000 * max(steps), lowest=lowest)


def turned(body: scree.Body, vector) -> np.ndarray:
    x, y, z, w = body.rotation
    v, u = np.asarray(vector, float), np.array([x, y, z])
    return v + 2.0 * np.cross(u, np.cross(u, v) + w * v)


def up_of(body: scree.Body) -> np.ndarray:
    return turned(body, (0.0, 1.0, 0.0))


def is_inside(vessel: scree.Body, body: scree.Body) -> bool:
    x, y, z, w = vessel.rotation
    u, d = np.array([-x, -y, -z]), body.position - vessel.position
    local = d + 2.0 * np.cross(u, np.cross(u, d) + w * d)
    return bool(((local > 0.0) & (local < np.array([160, 12, 48]) * 0.5)).all())


if __name__ == "__main__":
    known = {"floor": floor, "edits": edits, "rays": rays, "ship": ship, "flight": flight, "heap": heap, "blocks": blocks}
    for name in sys.argv[1:] or known:
        known[name]()
