"""The memory of the quad trees of one system."""

import numpy as np

from scree.bodies.schema import BROAD_PHASE_LAYER_COUNT, LAYER_NOT_MOVING, LAYER_SENSOR
from scree.broad_phase.jobs import flush_job, prepare_job, rebuild_job, swap_job
from scree.broad_phase.schema import (
    ALLOCATOR,
    ENDLESS,
    FIRST_BODY_CHILD,
    FREE_CHILD,
    ITEM,
    KEY,
    LARGE,
    NODE,
    NODE_INFO,
    PENDING_NODES,
    RANGE,
    RANGE_CAPACITY,
    TREE,
)
from scree.runtime.memory import Pool

BUDGET = 2048
"""The budget of a call of `tree_rebuild` for sleeping or static bodies: 500 bodies, 0.1 ms. Moving ones are rebuilt at once."""
QUICK_SHARE = 1 << 31
"""Small trees may do more, this divided by their number of bodies: they are good again within some steps, 0.7 ms each."""


class Trees:
    """One quad tree per broad-phase layer over one pool of nodes, for `body_capacity` bodies.

    `address` is that of the first TREE record; the others follow at `TREE.itemsize`. Address space is reserved for the worst
    case; memory is used where it is touched. Kernels: `add`, `change`, `rebuild`, `query` of this package. `setting`: how errors
    name the limit of bodies.
    """

    def __init__(self, body_capacity: int, layer_count: int = BROAD_PHASE_LAYER_COUNT, setting: str = ""):
        node_capacity = 3 * body_capacity + 4096
        self._pools = []

        def pool(name, dtype, capacity, row_shape=()):
            made = Pool(name, dtype, capacity, row_shape, setting)
            self._pools.append(made)
            return made

        self.nodes = pool("tree nodes", NODE, node_capacity)
        self.infos = pool("tree nodes", NODE_INFO, node_capacity)
        self.allocator = pool("tree nodes", ALLOCATOR, 1)
        self.words = pool("bodies in trees", "i8", body_capacity)
        self.trees = pool("trees", TREE, layer_count)
        self.address = self.trees.address
        self.body_capacity = body_capacity
        item_capacity = 2 * body_capacity + 1024
        for layer in range(layer_count):
            tree = self.trees.rows[layer]
            tree["nodes"], tree["infos"] = self.nodes.address, self.infos.address
            tree["node_capacity"], tree["allocator"] = node_capacity, self.allocator.address
            tree["words"], tree["body_capacity"] = self.words.address, body_capacity
            tree["budget"] = BUDGET if layer in (LAYER_NOT_MOVING, LAYER_SENSOR) else ENDLESS
            tree["quick_share"] = QUICK_SHARE
            tree["opened"] = pool("tree nodes", "i4", node_capacity).address
            tree["kept"] = pool("tree nodes", "i4", node_capacity).address
            tree["queue"] = pool("tree nodes", "i4", node_capacity, (2,)).address
            tree["build"]["items"] = pool("tree items", ITEM, item_capacity).address
            tree["build"]["keys"] = pool("tree items", KEY, item_capacity).address
            tree["build"]["created"] = pool("tree nodes", "i4", node_capacity).address
            tree["build"]["ranges"] = pool("tree ranges", RANGE, RANGE_CAPACITY).address
            tree["flush_job"], tree["prepare_job"] = flush_job.address, prepare_job.address
            tree["rebuild_job"], tree["swap_job"] = rebuild_job.address, swap_job.address
            first = layer * (PENDING_NODES + 1)
            tree["first_pending"] = first
            tree["head"] = first + PENDING_NODES
        fixed = layer_count * (PENDING_NODES + 1)
        self.allocator.rows["fresh"] = fixed
        rows = self.nodes.rows[:fixed]
        for axis in "xyz":
            rows[f"min_{axis}"], rows[f"max_{axis}"] = LARGE, -LARGE
        rows["children"], rows["parent"] = FREE_CHILD, -1

    def tree_address(self, layer: int) -> int:
        """Address of the TREE record of a layer."""
        return self.address + layer * TREE.itemsize

    def full(self):
        """The error for a kernel that returned -1: no node is free."""
        return self.nodes.full()

    def body_count(self, layer: int) -> int:
        """Bodies in the tree of a layer."""
        return int(self.trees.rows["body_count"][layer])

    def node_count(self) -> int:
        """Nodes in use, retired ones included."""
        free, node = 0, int(self.allocator.rows["free_head"][0] & 0xFFFFFFFF) - 1
        while node >= 0:
            free, node = free + 1, int(self.infos.rows["next_free"][node])
        return min(int(self.allocator.rows["fresh"][0]), self.nodes.capacity) - free

    def root(self, layer: int) -> tuple[int, int]:
        """Generation and root node of a layer's tree."""
        head = int(self.trees.rows["head"][layer])
        return head >> 32, head & 0xFFFFFFFF

    def levels(self, layer: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """The tree level by level, for pictures and statistics while no thread changes it: for each level the bounds of its
        slots, shape (n, 6) [m], and their content, shape (n,): a node, or -3 - body."""
        levels, nodes = [], np.array([self.root(layer)[1]])
        while len(nodes):
            rows = self.nodes.rows[nodes]
            children = rows["children"].ravel()
            bounds = np.stack([rows[f"{side}_{axis}"].ravel() for side in ("min", "max") for axis in "xyz"], 1)
            used = (children >= 0) | (children <= FIRST_BODY_CHILD)
            levels.append((bounds[used], children[used]))
            nodes = children[children >= 0]
        return levels
