"""Convex stand-ins: of two bodies that are large structures, the one with fewer bricks meets the other's bricks as a hull.

Full detail against full detail costs by the bricks that lie along each other. A structure with more bricks than its `detail` has
a hull made from the top of its tree, between steps (shapes/structure_settings.py), once it is wanted.
"""

import numpy as np

from ..bodies.schema import INSTANCE
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import view
from ..shapes.bricks import block_of, is_structure
from ..shapes.schema import SHAPE

INT64 = np.int64
MOST_SHAPES = 8
"""Bodies with more shapes than this keep their full detail."""
NO_SIDE = -1


@kernel
def bricks_on(instances, shapes, body):
    """Number of bricks of the structures on a body."""
    count = INT64(0)
    for k in range(body.first_instance, body.first_instance + body.instance_count):
        if is_structure(shapes, instances[k]):
            count += block_of(shapes[instances[k].shape]).brick_count
    return count


@kernel
def has_stand_ins(world, instances, shapes, body):
    """Whether all structures on a body that need a stand-in have one. Those that do not are asked for."""
    has_all, needs = True, False
    for k in range(body.first_instance, body.first_instance + body.instance_count):
        if not is_structure(shapes, instances[k]):
            continue
        block = block_of(shapes[instances[k].shape])
        if block.brick_count <= block.detail:
            continue
        needs = True
        if block.is_wanted == 0:
            block.is_wanted = world.stand_ins_wanted = 1
        has_all = has_all and block.stand_in >= 0
    return needs and has_all


@kernel
def side_stood_in(world, a, b):
    """Which of two bodies stands as convex hulls against the other: 0 for A, 1 for B, or NO_SIDE."""
    keep_as_call()
    if a.instance_count > MOST_SHAPES or b.instance_count > MOST_SHAPES:
        return INT64(NO_SIDE)
    instances = view(world.instances, world.instance_capacity, INSTANCE)
    shapes = view(world.shapes, world.shape_capacity, SHAPE)
    bricks_a, bricks_b = bricks_on(instances, shapes, a), bricks_on(instances, shapes, b)
    if bricks_a == 0 or bricks_b == 0:
        return INT64(NO_SIDE)
    side = INT64(0) if bricks_a < bricks_b or (bricks_a == bricks_b and a.id < b.id) else INT64(1)
    return side if has_stand_ins(world, instances, shapes, a if side == 0 else b) else INT64(NO_SIDE)
