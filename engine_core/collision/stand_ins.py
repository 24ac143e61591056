"""How structures meet other bodies: with all bricks, with joined ones, or as a convex hull.

Joined bricks (structures/joining.py) are the same matter in fewer boxes; they are there as soon as a structure is not edited
for a step. Two structures meet with them; so does one that meets something so large that it would have many contacts, which
are merged anyway, and all that is swept. Of two structures the one with fewer bricks, if even joined it has more boxes than
its `detail`, meets the other as a hull made from the top of its tree (shapes/structure_settings.py), which a step asks for.
"""

import numpy as np

from ..bodies.parts import ALL_BRICKS, AS_HULL, JOINED
from ..bodies.schema import INSTANCE
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import view
from ..shapes.bricks import block_of, is_structure
from ..shapes.schema import SHAPE

INT64 = np.int64
MOST_SHAPES = 8
"""Bodies with more shapes than this keep their full detail."""
FEW_BRICKS = 3.0
"""A body that reaches out farther than so many times the thinnest brick would have many contacts with bricks."""


@kernel
def bricks_on(instances, shapes, body):
    """Number of bricks of the structures on a body."""
    count = INT64(0)
    for k in range(body.first_instance, body.first_instance + body.instance_count):
        if is_structure(shapes, instances[k]):
            count += block_of(shapes[instances[k].shape]).brick_count
    return count


@kernel
def is_joined(instances, shapes, body):
    """Whether some structure on a body has joined bricks."""
    for k in range(body.first_instance, body.first_instance + body.instance_count):
        if is_structure(shapes, instances[k]) and block_of(shapes[instances[k].shape]).joined != 0:
            return True
    return False


@kernel
def is_large_beside(instances, shapes, other, body):
    """Whether a body is several times as large as the thinnest brick of the structures on another one."""
    for k in range(body.first_instance, body.first_instance + body.instance_count):
        if is_structure(shapes, instances[k]) and other.extent > FEW_BRICKS * 2.0 * shapes[instances[k].shape].inner_radius:
            return True
    return False


@kernel
def meets_joined(instances, shapes, body, other, is_any_size):
    """Whether the structures on a body meet another body with joined bricks: if they have some, and the other one is large or, if
    `is_any_size`, in any case."""
    return is_joined(instances, shapes, body) and (is_any_size or is_large_beside(instances, shapes, other, body))


@kernel
def has_stand_ins(world, instances, shapes, body):
    """Whether all structures on a body that need a stand-in have one. Those that do not are asked for."""
    has_all, needs = True, False
    for k in range(body.first_instance, body.first_instance + body.instance_count):
        if not is_structure(shapes, instances[k]):
            continue
        block = block_of(shapes[instances[k].shape])
        if (block.joined_count if block.joined != 0 else block.brick_count) <= block.detail:
            continue
        needs = True
        if block.is_wanted == 0:
            block.is_wanted = world.stand_ins_wanted = 1
        has_all = has_all and block.stand_in >= 0
    return needs and has_all


@kernel
def ways_to_meet(world, a, b, is_swept):
    """How each of two bodies meets the other: ALL_BRICKS, JOINED or AS_HULL. Asks for a hull that they do not have."""
    keep_as_call()
    way_a = way_b = INT64(ALL_BRICKS)
    if a.instance_count > MOST_SHAPES or b.instance_count > MOST_SHAPES:
        return way_a, way_b
    instances = view(world.instances, world.instance_capacity, INSTANCE)
    shapes = view(world.shapes, world.shape_capacity, SHAPE)
    bricks_a, bricks_b = bricks_on(instances, shapes, a), bricks_on(instances, shapes, b)
    if bricks_a > 0 and meets_joined(instances, shapes, a, b, is_swept or bricks_b > 0):
        way_a = INT64(JOINED)
    if bricks_b > 0 and meets_joined(instances, shapes, b, a, is_swept or bricks_a > 0):
        way_b = INT64(JOINED)
    if bricks_a > 0 and bricks_b > 0:
        if bricks_a < bricks_b or (bricks_a == bricks_b and a.id < b.id):
            if has_stand_ins(world, instances, shapes, a):
                way_a = INT64(AS_HULL)
        elif has_stand_ins(world, instances, shapes, b):
            way_b = INT64(AS_HULL)
    return way_a, way_b
