"""All shapes in a box at one moment, and their triangles: for navigation meshes, on any thread but the stepping one, while the
world steps and streams.

No step and no edit is under way at that moment: the caller holds the gate of the system while poses are copied, some 0.3 ms a
thousand shapes, and waits for a running step. While the triangles are made, the caller only counts as a query, so that the memory
it reads is not reused.
"""

import time

import numpy as np

from ..bodies.records import system_at, world_at
from ..bodies.schema import MOST_BROAD_PHASE_LAYERS
from ..bodies.system_schema import offset_of
from ..broad_phase.schema import TREE
from ..broad_phase.tree_edits import enter, leave
from ..collision.bounds_queries import query_bounds
from ..collision.query_schema import COLLECT_SHAPES, PLACED_SHAPE, QUERY, WITH_AREAS, WITH_BODIES
from ..collision.triangulation import TRIANGLE_REQUEST, triangulate
from ..edit.commands import EDITING, GATE, OPEN
from ..runtime import atomics
from ..runtime.call import call_2_result, call_3_result
from ..runtime.kernel import entry_point
from ..runtime.memory import address_of, view

TREE_SIZE = TREE.itemsize
HIDES_BEGUN, HIDES_ENDED = offset_of("trees", "hides_begun"), offset_of("trees", "hides_ended")
PAUSE = 5e-5
FIRST_CAPACITY = 4096


@entry_point("void(int64, int64, int64)")
def visit_trees(address, generations, is_leaving):
    """Count the caller as a user of all trees of a system, or undo that. `generations`: address of int64, one a tree."""
    system = system_at(address)
    places = view(generations, MOST_BROAD_PHASE_LAYERS, np.int64)
    for layer in range(system.trees.layer_count):
        tree = system.trees.rows + layer * TREE_SIZE
        if is_leaving:
            leave(tree, places[layer], generations)
        else:
            places[layer] = enter(tree, generations)


@entry_point("int64(int64, int64, int64)")
def collect_behind_gate(address, query, function):
    """Answer a query while no step and no edit is under way: `function` is the address of `query_bounds`. Return its result, or
    -1 to try again: the gate is taken, or a batch (which needs no gate) was on its way out of the tree. All of it is compiled, so
    that no step ever waits for the interpreter."""
    if atomics.compare_exchange_int64(address + GATE, OPEN, EDITING) != OPEN:
        return np.int64(-1)
    world_address = system_at(address).world
    begun, ended = atomics.load_acquire_int64(address + HIDES_BEGUN), atomics.load_acquire_int64(address + HIDES_ENDED)
    count = np.int64(-1)
    if begun == ended:
        count = call_2_result(function, address, query)
        if atomics.load_acquire_int64(address + HIDES_BEGUN) != begun:
            count = np.int64(-1)
    call_3_result(world_at(world_address).edit_function, world_address, np.int64(0), address)
    return count


def collect_whole(system, query: np.ndarray) -> int:
    """Call `collect_behind_gate` for a PhysicsSystem."""
    return collect_behind_gate(system.address, address_of(query), query_bounds.address)


class Snapshot:
    """Shapes that touch a box at one moment: `rows` of PLACED_SHAPE. Use it in a `with` block: the memory of the shapes is valid
    only there.

    `low`, `high`: the box, world [m]; `mask`: collision layers. Raises ValueError, KeyError (no such system), RuntimeError
    on a thread that is in the middle of an edit."""

    def __init__(self, world, system: int, low, high, mask: int = 0xFFFFFFFF, bodies: bool = True, areas: bool = False):
        self._world, self._system = world, world.system(system)
        self.low, self.high = np.array(low, np.float64), np.array(high, np.float64)
        if self.low.shape != (3,) or self.high.shape != (3,) or not np.isfinite([self.low, self.high]).all():
            raise ValueError(f"Snapshot: the box must be two places of three finite numbers, got {low!r} and {high!r}")
        if not (self.low <= self.high).all():
            raise ValueError(f"Snapshot: the box must not be inside out, got {self.low.tolist()} to {self.high.tolist()}")
        if not 0 <= mask <= 0xFFFFFFFF:
            raise ValueError(f"Snapshot: mask must be 32 bits, got {mask!r}")
        if world.late.holds(int(self._system.row["index"])):
            raise RuntimeError("Snapshot: this thread is in the middle of an edit of the same space")
        self._query = np.zeros(1, QUERY)
        row = self._query[0]
        row["operation"], row["collision_mask"], row["body"], row["shape"] = COLLECT_SHAPES, mask, -1, -1
        row["flags"] = (WITH_BODIES if bodies else 0) | (WITH_AREAS if areas else 0)
        row["rotation"][3] = 1.0
        row["position"], row["half_extents"] = 0.5 * (self.low + self.high), 0.5 * (self.high - self.low)
        self._generations = np.zeros(MOST_BROAD_PHASE_LAYERS, np.int64)
        self.rows = np.zeros(0, PLACED_SHAPE)
        self.held_seconds = 0.0
        """The longest time the gate was held [s]."""

    def __enter__(self):
        visit_trees(self._system.address, address_of(self._generations), 0)
        try:
            self._collect()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *unused):
        visit_trees(self._system.address, address_of(self._generations), 1)

    def _collect(self) -> None:
        capacity = FIRST_CAPACITY
        while True:
            rows = np.zeros(capacity, PLACED_SHAPE)
            self._query[0]["results"], self._query[0]["max_results"] = address_of(rows), capacity
            begin = time.perf_counter()
            count = collect_whole(self._system, self._query)
            self.held_seconds = time.perf_counter() - begin
            if count < 0:
                time.sleep(PAUSE)
            elif count <= capacity:
                self.rows = rows[:count]
                return
            else:
                capacity = 2 * count

    def triangles(self, low=None, high=None, zero=(0.0, 0.0, 0.0)) -> np.ndarray:
        """Build the triangles whose bounds touch a box within that of the snapshot, by default all of it: float32 (n, 3, 3) [m],
        relative to `zero`, counter-clockwise seen from outside. They are sorted: the same world gives the same array.

        Boxes, hulls, meshes and height fields (without their holes) give their own triangles. Round shapes and custom shapes (by
        their support function) give triangles with corners on the surface. A plane gives a square that covers
        the box, a compound the triangles of its parts. Separation rays and empty shapes have no surface and give none."""
        found = self.triangles_and_owners(low, high, zero)[0]
        return found[np.lexsort(found.reshape(-1, 9).T[::-1])]

    def triangles_and_owners(self, low=None, high=None, zero=(0.0, 0.0, 0.0)) -> tuple[np.ndarray, np.ndarray]:
        """Build the triangles in any order, and the row of PLACED_SHAPE of each triangle, int32 (n,)."""
        request = np.zeros(1, TRIANGLE_REQUEST)
        row = request[0]
        row["placed"], row["placed_count"], row["zero"] = address_of(self.rows), len(self.rows), zero
        row["low"] = self.low if low is None else np.maximum(low, self.low)
        row["high"] = self.high if high is None else np.minimum(high, self.high)
        capacity = FIRST_CAPACITY
        while True:
            found, owners = np.empty((capacity, 3, 3), np.float32), np.empty(capacity, np.int32)
            row["triangles"], row["bodies"], row["capacity"] = address_of(found), address_of(owners), capacity
            count = triangulate(address_of(request))
            if count <= capacity:
                return found[:count], owners[:count]
            capacity = count
