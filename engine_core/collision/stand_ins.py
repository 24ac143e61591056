"""How two structures meet: with all bricks, with joined ones, or one of them as its convex hull.

Full detail against full detail costs by the bricks that lie along each other. Joined bricks (structures/joining.py) are the
same matter in fewer boxes. A structure that even so has more boxes than its `detail` meets one with more bricks as a hull made
from the top of its tree (shapes/structure_settings.py). Both are made between steps, once a step has asked for them, which
it does as soon as bodies come near each other.
"""

import numpy as np

from ..bodies.parts import ALL_BRICKS, AS_HULL, JOINED
from ..bodies.schema import INSTANCE
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import view
from ..shapes.bricks import block_of, is_structure
from ..shapes.schema import ASKED, NOT_ASKED, SHAPE, TRIED
from ..structures.joining import MOST_BRICKS

INT64 = np.int64
MOST_SHAPES = 8
"""Bodies with more shapes than this keep their full detail."""


@kernel
def bricks_on(instances, shapes, body):
    """Number of bricks of the structures on a body."""
    count = INT64(0)
    for k in range(body.first_instance, body.first_instance + body.instance_count):
        if is_structure(shapes, instances[k]):
            count += block_of(shapes[instances[k].shape]).brick_count
    return count


@kernel
def is_joined(world, instances, shapes, body):
    """Whether some structure on a body has joined bricks. Those that were not asked for them are."""
    has_some = False
    for k in range(body.first_instance, body.first_instance + body.instance_count):
        if not is_structure(shapes, instances[k]):
            continue
        block = block_of(shapes[instances[k].shape])
        if block.joining == NOT_ASKED and 1 < block.brick_count <= MOST_BRICKS:
            block.joining = ASKED
            world.stand_ins_wanted = 1
        has_some = has_some or block.joined != 0
    return has_some


@kernel
def has_stand_ins(world, instances, shapes, body):
    """Whether all structures on a body that need a stand-in have one. Those that do not are asked for."""
    has_all, needs = True, False
    for k in range(body.first_instance, body.first_instance + body.instance_count):
        if not is_structure(shapes, instances[k]):
            continue
        block = block_of(shapes[instances[k].shape])
        is_to_be_joined = block.joining != TRIED and block.brick_count <= MOST_BRICKS
        if (block.joined_count if block.joined != 0 else block.brick_count) <= block.detail or is_to_be_joined:
            continue
        needs = True
        if block.is_wanted == 0:
            block.is_wanted = world.stand_ins_wanted = 1
        has_all = has_all and block.stand_in >= 0
    return needs and has_all


@kernel
def ways_to_meet(world, a, b):
    """How each of two bodies meets the other: ALL_BRICKS, JOINED or AS_HULL. Asks for what they could use and do not have."""
    keep_as_call()
    if a.instance_count > MOST_SHAPES or b.instance_count > MOST_SHAPES:
        return INT64(ALL_BRICKS), INT64(ALL_BRICKS)
    instances = view(world.instances, world.instance_capacity, INSTANCE)
    shapes = view(world.shapes, world.shape_capacity, SHAPE)
    bricks_a, bricks_b = bricks_on(instances, shapes, a), bricks_on(instances, shapes, b)
    if bricks_a == 0 or bricks_b == 0:
        return INT64(ALL_BRICKS), INT64(ALL_BRICKS)
    way_a = INT64(JOINED if is_joined(world, instances, shapes, a) else ALL_BRICKS)
    way_b = INT64(JOINED if is_joined(world, instances, shapes, b) else ALL_BRICKS)
    if bricks_a < bricks_b or (bricks_a == bricks_b and a.id < b.id):
        if has_stand_ins(world, instances, shapes, a):
            way_a = INT64(AS_HULL)
    elif has_stand_ins(world, instances, shapes, b):
        way_b = INT64(AS_HULL)
    return way_a, way_b
