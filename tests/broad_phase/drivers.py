"""Compiled loops round the queries, and a naive twin of the trees: a dict of boxes."""

import numpy as np

from scree.bodies.schema import BODY
from scree.broad_phase.add import tree_add, tree_prepare
from scree.broad_phase.tree_edits import tree_finalize
from scree.broad_phase.query import (
    bounds_query_begin,
    bounds_query_next,
    bounds_query_on,
    query_end,
    query_enter,
    ray_query_begin,
    ray_query_next,
)
from scree.broad_phase.schema import CURSOR
from scree.broad_phase.shift import begin_shift, shift_tree
from scree.broad_phase.trees import Trees
from scree.runtime.kernel import kernel
from scree.runtime.memory import Pool, address_of, stack_array


@kernel
def rest_of_box(cursor, tree, found):
    """Finish a box query that has begun: write the remaining bodies to `found` and return their number."""
    count = 0
    while True:
        body = bounds_query_next(cursor, tree)
        if body < 0:
            break
        if count < len(found):
            found[count] = body
        count += 1
    query_end(cursor, tree)
    return count


@kernel
def overlapping(tree, bounds, found):
    """Bodies whose fat bounds overlap."""
    cursor = stack_array(1, CURSOR)
    bounds_query_begin(cursor, tree, bounds)
    return rest_of_box(cursor, tree, found)


@kernel
def met_by_ray(tree, origin, direction, found):
    """Bodies whose fat bounds a whole ray meets."""
    cursor = stack_array(1, CURSOR)
    count = 0
    ray_query_begin(cursor, tree, origin, direction, 1.0)
    while True:
        body = ray_query_next(cursor, tree, 1.0)
        if body < 0:
            break
        if count < len(found):
            found[count] = body
        count += 1
    query_end(cursor, tree)
    return count


@kernel
def shift_at_once(tree, bodies, origin):
    """Both halves of a shift."""
    answer = begin_shift(tree, bodies)
    if answer == 1:
        shift_tree(tree, bodies, (origin[0], origin[1], origin[2]))
    return answer


@kernel
def begin_in_world(cursor, tree, low, high, out):
    """Begin a query in the world; its origin to `out`."""
    origin = query_enter(cursor, tree)
    box = np.empty(6, np.float32)
    for k in range(3):
        out[k] = origin[k]
        box[k], box[3 + k] = low[k] - origin[k], high[k] - origin[k]
    bounds_query_on(cursor, tree, box)


@kernel
def in_world(tree, low, high, found):
    """A whole query in the world."""
    cursor = np.empty(1, CURSOR)
    out = np.empty(3, np.float64)
    begin_in_world(cursor, tree, low, high, out)
    return rest_of_box(cursor, tree, found)


class World:
    """Bodies with nothing but bounds, their trees, and the twin that knows what must be in them."""

    def __init__(self, body_capacity: int, layer: int = 0):
        self.trees = Trees(body_capacity, setting="World(bodies=...)")
        self.layer = layer
        self.tree = self.trees.tree_address(layer)
        self.pool = Pool("bodies", BODY, body_capacity)
        self.bodies = self.pool.address
        self.boxes: dict[int, np.ndarray] = {}
        self.found = np.zeros(4 * body_capacity + 64, np.int64)

    def place(self, body: int, low, high):
        """Write a body's fat bounds."""
        self.pool.rows[body]["fat_bounds"] = [*low, *high]

    def place_all(self, boxes: np.ndarray):
        """Write the fat bounds of bodies 0, 1, 2, ...; the twin knows them too. Boxes have shape (count, 6)."""
        self.pool.rows["fat_bounds"][: len(boxes)] = boxes
        self.boxes = dict(enumerate(boxes))

    def add_each(self, ids):
        """Add bodies that have been placed, one by one."""
        for body in ids:
            assert tree_add(self.tree, self.bodies, body) == 0

    def add_batch(self, ids):
        """Add bodies that have been placed all at once."""
        ids = np.ascontiguousarray(ids, np.int32)
        root = tree_prepare(self.tree, self.bodies, address_of(ids), len(ids))
        assert tree_finalize(self.tree, root, len(ids)) == 0

    def query(self, bounds) -> list[int]:
        """The bodies that the tree finds in a box."""
        count = overlapping(self.tree, np.asarray(bounds, np.float32), self.found)
        return sorted(self.found[:count].tolist())

    def ray(self, origin, direction) -> set[int]:
        """The bodies that the tree finds on a ray."""
        count = met_by_ray(self.tree, np.asarray(origin, np.float64), np.asarray(direction, np.float64), self.found)
        return set(self.found[:count].tolist())

    def twin_query(self, bounds) -> list[int]:
        """The bodies found by testing each box."""
        b = np.asarray(bounds, np.float32)
        return sorted(i for i, box in self.boxes.items() if (box[:3] <= b[3:]).all() and (b[:3] <= box[3:]).all())

    def twin_ray(self, origin, direction) -> set[int]:
        """Bodies whose box a ray meets, computed in double precision."""
        o, d = np.asarray(origin, np.float64), np.asarray(direction, np.float64)
        met = set()
        for i, box in self.boxes.items():
            near, far = 0.0, 1.0
            for axis in range(3):
                low, high = float(box[axis]), float(box[3 + axis])
                if d[axis] == 0.0:
                    if not low <= o[axis] <= high:
                        far = -1.0
                    continue
                a, b = (low - o[axis]) / d[axis], (high - o[axis]) / d[axis]
                near, far = max(near, min(a, b)), min(far, max(a, b))
            if near <= far:
                met.add(i)
        return met


def ask(world: World, low, high) -> list[int]:
    """The bodies that the tree finds in a box of the world, wherever its origin is."""
    count = in_world(world.tree, np.asarray(low, np.float64), np.asarray(high, np.float64), world.found)
    return sorted(world.found[:count].tolist())


def random_boxes(generator, count: int, side: float, height: float = 30.0) -> np.ndarray:
    """Boxes with half extents of 0.5 to 2.5 m, spread over a square of `side` [m], shape (count, 6)."""
    centre = generator.uniform([-side / 2, 0, -side / 2], [side / 2, height, side / 2], (count, 3))
    half = generator.uniform(0.5, 2.5, (count, 3))
    return np.concatenate([centre - half, centre + half], 1).astype(np.float32)


def rays_in(generator, count: int, side: float):
    """Origins and directions of rays of 100 m all round, from 1 to 20 m up."""
    origins = generator.uniform([-side / 2, 1, -side / 2], [side / 2, 20, side / 2], (count, 3))
    directions = generator.normal(size=(count, 3))
    return origins, directions * 100 / np.linalg.norm(directions, axis=1)[:, None]
