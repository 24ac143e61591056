"""Finding new pairs: every body whose fat bounds are new asks the trees whom they overlap. Serial part of the step."""

import numpy as np

from ..bodies.bounds import bounds_overlap
from ..bodies.schema import (
    BODY, IS_AREA, IS_IN_MOVED_LIST, LAYER_NOT_MOVING, LAYER_SENSOR, STATIC, WORLD,
)  # fmt: skip
from ..broad_phase.query import CURSOR, bounds_query_begin, bounds_query_next, query_end
from ..broad_phase.schema import TREE
from ..runtime.call import load_int64
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array, view
from .pairs import activate_pair, create_pair, find_pair, may_collide

INT32, INT64 = np.int32, np.int64
TREE_SIZE = TREE.itemsize
LAYER_UNION, MASK_UNION = TREE.fields["layer_union"][1], TREE.fields["mask_union"][1]


@kernel
def may_meet_in(tree, body):
    """Whether some body of a tree could collide with this one, by layers and masks."""
    return (
        load_int64(tree + LAYER_UNION) & np.int64(body.collision_mask) != 0
        or load_int64(tree + MASK_UNION) & np.int64(body.collision_layer) != 0
    )


@kernel
def find_in_tree(system, world, bodies, index, tree):
    """Make the pairs of one body with what its fat bounds overlap in one tree."""
    body = bodies[index]
    cursor = stack_array(1, CURSOR)
    bounds_query_begin(cursor, tree, body.fat_bounds)
    while True:
        other_index = bounds_query_next(cursor, tree)
        if other_index < 0:
            break
        if other_index == index:
            continue
        other = bodies[other_index]
        if not bounds_overlap(body.fat_bounds, other.fat_bounds):
            continue
        low, high = min(index, other_index), max(index, other_index)
        if not may_collide(system.world, bodies[low], low, bodies[high], high):
            continue
        if find_pair(system, low, high) >= 0:
            continue
        pair = create_pair(system, bodies, low, high)
        if pair < 0:
            break
        if body.active_index >= 0 or other.active_index >= 0:
            activate_pair(system, pair)
    query_end(cursor, tree)


@kernel
def find_pairs(system):
    """Make the pairs of all bodies whose fat bounds are new, and empty their list."""
    world = view(system.world, 1, WORLD)[0]
    bodies = view(world.bodies, world.body_capacity, BODY)
    moved = view(system.moved_bodies, world.body_capacity, INT32)
    for k in range(system.moved_count):
        index = INT64(moved[k])
        body = bodies[index]
        if not body.flags & IS_IN_MOVED_LIST or body.system != system.index:
            continue
        body.flags &= ~IS_IN_MOVED_LIST
        if body.flags & IS_AREA:
            continue
        for layer in range(system.layer_count):
            tree = system.trees + layer * TREE_SIZE
            if layer == LAYER_SENSOR or (layer == LAYER_NOT_MOVING and body.mode == STATIC):
                continue
            if may_meet_in(tree, body):
                find_in_tree(system, world, bodies, index, tree)
    system.moved_count = 0
