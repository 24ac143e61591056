"""The invariants of trees at rest, checked node by node: the naive twin of all the code that keeps them.

A rebuild may be under way between two of its slices, and a new tree may wait for its swap; then that is looked at too.
"""

from dataclasses import dataclass

import numpy as np

from scree.broad_phase.new_tree import IDLE, READY
from scree.broad_phase.schema import (
    CHANGED,
    FIRST_BODY_CHILD,
    FREE_CHILD,
    HUGE,
    LARGE,
    PENDING_CAPACITY,
    PENDING_NODES,
    UNCHANGED,
)
from scree.runtime.memory import view_rows

from .drivers import World

NOWHERE = -1
SIDES = [f"{side}_{axis}" for side in ("min", "max") for axis in "xyz"]


@dataclass
class Walk:
    """All that hangs below a root: of each node its number, the location of the slot that holds it (-1: the root) and its level
    as a rebuild counts them (an old root in a new one is on the same level); of each body its number and location."""

    nodes: np.ndarray
    locations: np.ndarray
    levels: np.ndarray
    bodies: np.ndarray
    places: np.ndarray


def walk(trees, root: int) -> Walk:
    """Every node once, every body once, parents before children."""
    level, found, count = np.array([[root, NOWHERE, 0]]), [], 0
    while len(level):
        found.append(level)
        count += len(level)
        assert count <= trees.nodes.capacity, "nodes hang in a ring"
        rows = trees.nodes.rows[level[:, 0]]
        at, slot = np.nonzero(rows["children"] >= 0)
        is_below = rows["min_x"][at, slot] != -LARGE
        level = np.stack([rows["children"][at, slot], level[at, 0] << 2 | slot, level[at, 2] + is_below], 1)
    nodes, locations, levels = np.concatenate(found).T
    children = trees.nodes.rows["children"][nodes]
    at, slot = np.nonzero(children <= FIRST_BODY_CHILD)
    bodies = (FIRST_BODY_CHILD - children[at, slot]).astype(np.int64)
    none_twice(nodes, "nodes that hang in two places")
    none_twice(bodies, "bodies that hang in two places")
    return Walk(nodes, locations, levels, bodies, nodes[at] << 2 | slot)


def none(numbers, fault: str):
    """Fails with the numbers of what is wrong."""
    assert len(numbers) == 0, f"{fault}: {np.asarray(numbers)[:8].tolist()}, {len(numbers)} in all"


def none_twice(numbers: np.ndarray, fault: str):
    """Fails with those that come twice."""
    different, counts = np.unique(numbers, return_counts=True)
    none(different[counts > 1], fault)


def slot_bounds(trees, nodes: np.ndarray) -> np.ndarray:
    """Bounds of the four slots of nodes [m], shape (n, 4, 6)."""
    rows = trees.nodes.rows[nodes]
    return np.stack([rows[side] for side in SIDES], 2)


def are_within(inner: np.ndarray, outer: np.ndarray) -> np.ndarray:
    """Whether bounds, shape (n, 6), lie in others."""
    return (inner[:, :3] >= outer[:, :3]).all(1) & (inner[:, 3:] <= outer[:, 3:]).all(1)


def cut_bounds(fat_bounds: np.ndarray) -> np.ndarray:
    """Bodies' bounds as trees take them: cut to +-HUGE, and the whole axis for what is not a number."""
    low, high = np.nan_to_num(fat_bounds[:, :3], nan=-HUGE), np.nan_to_num(fat_bounds[:, 3:], nan=HUGE)
    return np.clip(np.concatenate([low, high], 1), -HUGE, HUGE)


def check_bounds(trees, found: Walk, fat_bounds: np.ndarray):
    """Slots hold what hangs in them, and no query enters a free one."""
    below = slot_bounds(trees, found.nodes)
    union = np.concatenate([below[:, :, :3].min(1), below[:, :, 3:].max(1)], 1)[1:]
    above = found.locations[1:]
    is_held = are_within(union, slot_bounds(trees, above >> 2)[np.arange(len(above)), above & 3])
    none(found.nodes[1:][~is_held], "nodes outside of the bounds above them")
    slots = slot_bounds(trees, found.places >> 2)[np.arange(len(found.places)), found.places & 3]
    none(found.bodies[~are_within(cut_bounds(fat_bounds[found.bodies]), slots)], "bodies outside of the bounds of their slot")
    children = trees.nodes.rows["children"][found.nodes]
    is_free = (children < 0) & (children > FIRST_BODY_CHILD)
    is_open = (below[:, :, :3] <= below[:, :, 3:]).any(2)
    none(found.nodes[(is_free & is_open).any(1)], "nodes with a free slot that has bounds")


def check_parents(trees, found: Walk, parity: int, kept: np.ndarray):
    """Every node knows the slot that holds it, in the parity of its tree; and in the other one too, since a rebuild that keeps it
    whole writes that of the topmost node alone (`kept`: of those the other parity is that of the tree before or after). The
    topmost levels are opened by every rebuild: they may say there that they hang nowhere."""
    parents = trees.nodes.rows["parent"][found.nodes]
    none(found.nodes[parents[:, parity] != found.locations], "nodes with a wrong parent in the parity in force")
    other = parents[:, 1 - parity]
    is_right = (other == found.locations) | ((found.levels <= 1) & (other == NOWHERE)) | np.isin(found.nodes, kept)
    none(found.nodes[~is_right], "nodes with a wrong parent in the other parity")


def check_builders_words(trees, found: Walk, generation: int):
    """The data that rebuilds use: heights, marks on the whole path above a change, and the generation a node was born in."""
    rows, heights = trees.nodes.rows[found.nodes], trees.infos.rows["height"][found.nodes]
    order = np.argsort(found.nodes)
    above = order[np.searchsorted(found.nodes, found.locations[1:] >> 2, sorter=order)]
    expected = np.zeros(len(found.nodes), np.int64)
    np.maximum.at(expected, above, heights[1:] + 1)
    none(found.nodes[(heights != expected) & (found.levels > 0)], "nodes with a wrong height")
    none(found.nodes[(rows["is_changed"] != UNCHANGED) & (rows["is_changed"] != CHANGED)], "nodes that are being dissolved")
    is_changed = rows["is_changed"] == CHANGED
    none(found.nodes[1:][is_changed[1:] & ~is_changed[above]], "changed nodes below unchanged ones")
    none(found.nodes[rows["born"] > generation], "nodes of a later generation")


def locations_in(trees, bodies: np.ndarray, generation: int) -> tuple[np.ndarray, np.ndarray]:
    """Where the words of bodies say that they hang in the tree of a generation, and where before."""
    words = ~trees.words.rows[bodies]
    newer, older = words >> 32, words << 32 >> 32
    born = np.where(newer >= 0, trees.nodes.rows["born"][newer >> 2], 0)
    return np.where(born > generation, older, newer), older


def check_tree(world: World, layer: int, readers: int) -> tuple[np.ndarray, np.ndarray]:
    """One tree, and the one that waits to take its place. Gives its bodies and the nodes that are its own."""
    trees, tree = world.trees, world.trees.trees.rows[layer]
    generation, root = trees.root(layer)
    is_idle, fat_bounds = tree["phase"] == IDLE, world.pool.rows["fat_bounds"]
    kept = view_rows(int(tree["kept"]), int(tree["retired_kept_count"] if is_idle else tree["kept_count"]), np.int32)
    found = walk(trees, root)
    check_bounds(trees, found, fat_bounds)
    check_parents(trees, found, generation & 1, kept)
    pending, places = check_pending(trees, tree, fat_bounds)
    bodies, places = np.concatenate([found.bodies, pending]), np.concatenate([found.places, places])
    none_twice(bodies, "bodies that hang in the tree and are pending")
    current, older = locations_in(trees, bodies, generation)
    none(bodies[current != places], "bodies with a wrong place")
    before = (older >> 2) - tree["first_pending"]
    none(bodies[(before >= 0) & (before < PENDING_NODES)], "bodies that still widen the pending place they have left")
    assert tree["body_count"] == len(bodies), "bodies counted wrongly"
    assert tree["users"].sum() == readers and not tree["is_in_maintenance"] and not tree["is_flushing"], "somebody is at the tree"
    own = [found.nodes, np.arange(PENDING_NODES) + tree["first_pending"]]
    if is_idle:
        check_builders_words(trees, found, generation)
        return bodies, np.concatenate([*own, view_rows(int(tree["opened"]), int(tree["retired_count"]), np.int32)])
    return bodies, np.concatenate([*own, nodes_under_construction(world, layer, found, kept)])


def check_pending(trees, tree, fat_bounds: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bodies that were added one by one: those whose bit is set, with bounds that hold them. Gives them and their places."""
    bits = np.array([tree["published_pending"] >> k & 1 for k in range(PENDING_CAPACITY)])
    assert tree["published_pending"] == tree["claimed_pending"], "a pending place that nobody frees"
    nodes = np.arange(PENDING_NODES) + tree["first_pending"]
    children = trees.nodes.rows["children"][nodes].ravel()
    assert ((children <= FIRST_BODY_CHILD) == (bits == 1)).all() and (children[bits == 0] == FREE_CHILD).all(), "pending bits"
    bodies = (FIRST_BODY_CHILD - children[bits == 1]).astype(np.int64)
    slots = slot_bounds(trees, nodes).reshape(-1, 6)[bits == 1]
    none(bodies[~are_within(cut_bounds(fat_bounds[bodies]), slots)], "pending bodies outside of the bounds of their slot")
    return bodies, np.flatnonzero(bits) + (tree["first_pending"] << 2)


def nodes_under_construction(world: World, layer: int, old: Walk, kept: np.ndarray) -> np.ndarray:
    """Nodes of the next tree alone; what it keeps is in the present one as well. A whole tree that waits is checked like that."""
    trees, tree = world.trees, world.trees.trees.rows[layer]
    build, generation = tree["build"], trees.root(layer)[0] + 1
    opened = trees.nodes.rows["children"][tree["captured_root"]]
    assert (opened != FREE_CHILD).all(), "a root that is open, where more may be hung and be lost"
    if tree["phase"] != READY:
        made = view_rows(int(build["created"]), int(build["created_count"]), np.int32)
        return np.concatenate([made, chain(trees, int(build["reserve"]))])
    assert tree["next_generation"] == generation, "a tree waits that nobody changes"
    found = walk(trees, int(tree["new_root"]))
    check_bounds(trees, found, world.pool.rows["fat_bounds"])
    check_parents(trees, found, generation & 1, kept)
    check_builders_words(trees, found, generation)
    none(np.setdiff1d(found.bodies, old.bodies), "bodies in the next tree alone")
    places, _ = locations_in(trees, found.bodies, generation)
    none(found.bodies[places != found.places], "bodies with a wrong place in the next tree")
    is_new = ~np.isin(found.nodes, old.nodes)
    none(np.setdiff1d(kept, found.nodes), "kept nodes that are not in the next tree")
    return found.nodes[is_new]


def chain(trees, node: int) -> np.ndarray:
    """Nodes that are linked outside of trees."""
    nodes = []
    while node >= 0:
        nodes.append(node)
        assert len(nodes) <= trees.nodes.capacity, "free nodes in a ring"
        node = int(trees.infos.rows["next_free"][node])
    return np.array(nodes, np.int64)


def check_trees(world: World, prepared=(), readers: int = 0):
    """All trees of a world and their pool; `prepared`: roots of batches that hang nowhere yet; `readers`: how many queries are
    under way in the world's own tree."""
    trees = world.trees
    free = chain(trees, int(trees.allocator.rows["free_head"][0] & 0xFFFFFFFF) - 1)
    nodes, bodies, waiting = [free], [], []
    for layer in range(len(trees.trees.rows)):
        found_bodies, found_nodes = check_tree(world, layer, readers if layer == world.layer else 0)
        nodes.append(found_nodes)
        bodies.append(found_bodies)
    for root in prepared:
        found = walk(trees, root)
        check_bounds(trees, found, world.pool.rows["fat_bounds"])
        check_parents(trees, found, 0, np.array([root]))
        none(found.bodies[locations_in(trees, found.bodies, 0)[0] != found.places], "prepared bodies with a wrong place")
        nodes.append(found.nodes)
        waiting.append(found.bodies)
    inside = np.concatenate([*bodies, *waiting]).astype(np.int64)
    none_twice(inside, "bodies in two trees")
    outside = np.setdiff1d(np.arange(trees.body_capacity), inside)
    none(outside[trees.words.rows[outside] != 0], "bodies with a place in no tree")
    assert world.pool.rows["is_in_tree"][inside].all() and not world.pool.rows["is_in_tree"][outside].any()
    used = np.concatenate(nodes)
    none_twice(used, "nodes in two places, or in use and free")
    fresh = min(int(trees.allocator.rows["fresh"][0]), trees.nodes.capacity)
    none(np.setdiff1d(np.arange(fresh), used), "nodes that nobody has")
    none(used[used >= fresh], "nodes that were never taken")
