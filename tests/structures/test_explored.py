"""The writer is parked between any two of its statements; queries before, across and after that place must be right.

A race meets few of these places. Here each can be visited.
"""

import numpy as np
import pytest

from scree.runtime.kernel import entry_point
from scree.runtime.memory import address_of, view
from scree.structures import schema
from scree.structures.queries import CURSOR, begin_query, end_query, next_in_box, set_box
from scree.structures.schema import BRICK, COMMAND, STRUCTURE
from scree.structures.structure import Structure, boxes
from tests.sizes import size

from .explored import Explored

PLACES = int(size(60, in_full=3000))
BRICKS, CHANGED = 150, 12
ROOM = 4096
FEWER = 20


@entry_point("void(int64, int64)")
def begin(structure, cursor_address):
    cursor = view(cursor_address, 1, CURSOR)[0]
    begin_query(cursor, structure, np.int64(-1))
    set_box(cursor, (-1e6, -1e6, -1e6), (1e6, 1e6, 1e6))


@entry_point("int64(int64, int64, int64, int64)")
def fetch(structure, cursor_address, rows_address, most):
    """Fetch up to `most` bricks, as copies of their rows; their count."""
    s, cursor = view(structure, 1, STRUCTURE)[0], view(cursor_address, 1, CURSOR)[0]
    rows, bricks = view(rows_address, most, BRICK), view(s.bricks.rows, s.bricks.capacity, BRICK)
    count = np.int64(0)
    while count < most:
        number = next_in_box(cursor, s, None)
        if number == 0:
            break
        rows[count] = bricks[number]
        count += 1
    return count


@entry_point("void(int64, int64)")
def end(structure, cursor_address):
    end_query(view(cursor_address, 1, CURSOR)[0], structure)


class Query:
    """A query for everything, under way."""

    def __init__(self, structure: Structure):
        self.structure, self.cursor, self.rows = structure, np.zeros(1, CURSOR), np.zeros(ROOM, BRICK)
        self.seen: list[int] = []
        begin(structure.address, address_of(self.cursor))

    def fetch(self, most: int = ROOM) -> None:
        count = fetch(self.structure.address, address_of(self.cursor), address_of(self.rows), most)
        self.seen += self.rows["user_number"][:count].tolist()

    def finish(self) -> list[int]:
        """Fetch the rest, and end; the user numbers of all bricks that were found."""
        self.fetch()
        end(self.structure.address, address_of(self.cursor))
        return sorted(self.seen)


class Scene:
    """A structure and a batch that changes some of its bricks. User numbers tell all bricks there ever are apart. In a sparse one
    bricks lie far apart in memory, among rows of bricks that were removed."""

    def __init__(self, seed: int, is_sparse: bool):
        random = np.random.default_rng(seed)
        low = random.integers(0, 40, (BRICKS + 4 * CHANGED, 3))
        side = random.choice([1, 2, 3, 8, 64], (len(low), 1)) * np.ones((1, 3), int)
        rows = boxes(low, low + side, user_number=np.arange(len(low)))
        self.structure = Structure(1024)
        numbers = self.spread(rows[:BRICKS], random) if is_sparse else self.structure.insert(rows[:BRICKS])
        chosen = random.choice(BRICKS, CHANGED, False)
        self.before = list(range(BRICKS))
        self.after = sorted({*self.before} - {*chosen.tolist()} | {*range(BRICKS, BRICKS + CHANGED)})
        self.numbers, self.new = numbers[chosen], rows[BRICKS : BRICKS + CHANGED].copy()
        self.later = rows[BRICKS + CHANGED :]
        self.command = np.zeros(1, COMMAND)
        record = self.command[0]
        record["operation"], record["count"] = schema.CHANGE, CHANGED
        record["rows"], record["numbers"] = address_of(self.new), address_of(self.numbers)

    def spread(self, rows: np.ndarray, random) -> np.ndarray:
        """Insert bricks, each in one of three times as many rows."""
        others = boxes([[900, 900, 900]], [[901, 901, 901]]).repeat(2 * len(rows))
        order = random.permutation(3 * len(rows))
        numbers = self.structure.insert(np.concatenate((rows, others))[order])[np.argsort(order)]
        self.structure.remove(numbers[len(rows) :])
        return numbers[: len(rows)]

    def writer(self, explored: Explored):
        return lambda: explored.edit(self.structure.address, address_of(self.command))

    def edit_more(self) -> None:
        """More batches, for which rows that are free are used again."""
        for k in range(3):
            self.structure.remove(self.structure.insert(self.later[k::3]))


def explore(explored: Explored, places: int, seed: int, is_sparse: bool = False) -> int:
    """Park the writer in some of its places. Raises AssertionError if a query sees anything but the state before the batch or the
    one after it. Returns the number of all places."""
    scene = Scene(seed, is_sparse)
    end = int(scene.structure.record[0]["brick_end"])
    earlier = Query(scene.structure)  # the writer takes another way while there is one
    count = explored.count_places(scene.writer(explored))
    assert earlier.finish() == scene.before
    assert (int(scene.structure.record[0]["brick_end"]) < end - CHANGED) == is_sparse
    for place in np.unique(np.linspace(1, count, min(places, count)).astype(int)):
        scene = Scene(seed, is_sparse)
        earlier, held = Query(scene.structure), []
        earlier.fetch(20)

        def meanwhile(scene=scene, earlier=earlier, held=held):
            earlier.fetch(40)
            assert Query(scene.structure).finish() in (scene.before, scene.after)
            held.append(Query(scene.structure))
            held[0].fetch(20)

        explored.run(scene.writer(explored), int(place), meanwhile)
        assert Query(scene.structure).finish() == scene.after
        scene.edit_more()
        assert earlier.finish() == scene.before
        scene.edit_more()
        if held:
            assert held[0].finish() in (scene.before, scene.after)
        else:  # it looks for users from stripe to stripe, so it may come to its end a few statements sooner
            assert place > count - FEWER
        scene.structure.give_back()
        assert scene.structure.record[0]["retired_count"].sum() == 0
    return count


SPARE = (("compaction", "SPARE_ROWS = 256", "SPARE_ROWS = 4"), ("compaction", "SPARE_GROUPS = 3", "SPARE_GROUPS = 0"))
"""Few bricks are enough to move."""


@pytest.fixture(scope="module")
def explored(tmp_path_factory) -> Explored:
    return Explored(tmp_path_factory.mktemp("explored"), SPARE)


@pytest.mark.parametrize("seed", range(int(size(2, in_full=6))))
def test_queries_beside_a_parked_writer_see_one_state(explored, seed):
    count = explore(explored, PLACES, seed)
    print(f"seed {seed}: queries beside a writer parked in {min(PLACES, count)} of {count} places")
    assert count > 2000


@pytest.mark.parametrize("seed", range(int(size(2, in_full=6))))
def test_queries_beside_a_writer_parked_while_bricks_move_see_one_state(explored, seed):
    count = explore(explored, PLACES, seed, is_sparse=True)
    print(f"seed {seed}: queries beside a writer that moves bricks parked in {min(PLACES, count)} of {count} places")
    assert count > 2000


OWN, ROOT = "np.int64(clusters_of(s)[index].born) == s.batch & BATCH_BITS", "s.root = copy_cluster(s, s.root)"
ENTRY, RETIRED = "    entry = entry_of(s, row)", "    retire(s, MOVED_ROW, row)"
TOO_EARLY = "atomics.store_release_int32(entry, np.int32(to))\n    for _ in range(200):\n        to = to + 0"
BROKEN = {
    "clusters are changed in place": ("nodes", OWN, "True"),
    "leaves are changed in place": ("nodes", "    elif cluster.fresh_leaves >> lane & 1 == 0:", "    elif False:"),
    "nobody asks for users": ("publication", "        if atomics.load_acquire_int64(address) != 0:", "        if False:"),
    "a root is published too early": ("nodes", ROOT, f"s.head = {ROOT}"),
    "a brick is found before it has moved": ("compaction", ENTRY, f"{ENTRY}\n    {TOO_EARLY}"),
    "the old row of a brick is used again at once": ("compaction", RETIRED, "    bricks[row].user_number = -1"),
}  # fmt: skip


@pytest.mark.parametrize("name", list(BROKEN)[: int(size(1, in_full=len(BROKEN)))])
def test_what_is_broken_on_purpose_is_seen(tmp_path, name):
    broken, is_sparse = Explored(tmp_path, [*SPARE, BROKEN[name]]), BROKEN[name][0] == "compaction"
    with pytest.raises(AssertionError):
        explore(broken, int(size(200, in_full=3000)), seed=0, is_sparse=is_sparse)
