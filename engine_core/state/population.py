"""The population of a space: hashes of its bodies, shapes, joints and exceptions, which a restore neither makes nor frees.

They hold no address, so that the same program, run twice or on two machines, makes the same population.
"""

import numpy as np

from ..bodies.motion import bodies_of
from ..bodies.records import world_at
from ..bodies.schema import BODY, BODY_RARE, HAS_RARE, INSTANCE
from ..joints.schema import JOINT
from ..runtime.call import load_int32, load_int64
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_record, view
from ..shapes.schema import SHAPE, STRUCTURE, STRUCTURE_BLOCK
from ..structures.schema import STRUCTURE as BRICKS
from .hashing import mix
from .schema import PART_BODIES, PART_EXCEPTIONS, PART_JOINTS, PART_SETTINGS, PART_SHAPES, PART_SHAPES_ON_BODIES

INT64 = np.int64
INSTANCE_SIZE, SHAPE_SIZE, RARE_SIZE = INSTANCE.itemsize, SHAPE.itemsize, BODY_RARE.itemsize
FIRST_INSTANCE = BODY.fields["first_instance"][1]
MOST_CONTACTS = BODY_RARE.fields["max_contacts_reported"][1]
SIZES, SIZES_END = SHAPE.fields["radius"][1], SHAPE.fields["block"][1]
COOKED, COOKED_END = SHAPE.fields["bounds"][1], SHAPE.fields["has_backface_collision"][1] // 8 * 8
BATCH = BRICKS.fields["batch"][1]
JOINED = JOINT.fields["bodies"][1]
assert FIRST_INSTANCE % 8 == INSTANCE_SIZE % 8 == SIZES % 8 == COOKED % 8 == JOINED % 8 == 0


@kernel
def mix_all(chain, begin, end):
    """The chain with the words from one address to another."""
    at = begin
    while at < end:
        chain = mix(chain, load_int64(at))
        at += 8
    return chain


@kernel
def mix_shape(chain, address):
    """The chain with the sizes of a cooked shape; of a structure also with the number of its last batch of edits."""
    shape = view(address, 1, SHAPE)[0]
    chain = mix_all(mix(chain, shape.kind), address + SIZES, address + SIZES_END)
    chain = mix_all(chain, address + COOKED, address + COOKED_END)
    if shape.kind == STRUCTURE and shape.block != 0:
        block = view(shape.block, 1, STRUCTURE_BLOCK)[0]
        chain = mix(mix(mix(chain, block.stand_in), block.joined_count), load_int64(block.structure + BATCH))
    return chain


@kernel
def count_population(system, joint_count, setting_count, out):
    """Write the hashes of the parts of a system's population to `out`, int64 (KINDS_OF_PARTS). Return its number of bodies and
    areas."""
    world, bodies = world_at(system.world), bodies_of(system.world)
    count, last_shape = 0, INT64(-1)
    own, on_bodies, shapes, joined, apart = INT64(1), INT64(1), INT64(1), INT64(1), INT64(0)
    for index in range(world.body_count):
        body = bodies[index]
        if body.id == 0 or body.system != system.index:
            continue
        count += 1
        address = address_of_record(body)
        own = mix(mix(own, body.id), load_int64(address + FIRST_INSTANCE))
        if body.flags & HAS_RARE:
            most = INT64(load_int32(world.rare_bodies + index * RARE_SIZE + MOST_CONTACTS))
            own = mix(own, most) if most != 0 else own
        first = world.instances + INT64(body.first_instance) * INSTANCE_SIZE
        on_bodies = mix_all(on_bodies, first, first + INT64(body.instance_count) * INSTANCE_SIZE)
        for k in range(body.instance_count):
            shape = INT64(view(first, body.instance_count, INSTANCE)[k].shape)
            if shape != last_shape and shape >= 0:
                shapes = mix_shape(shapes, world.shapes + shape * SHAPE_SIZE)
            last_shape = shape
    joints = view(world.joints, joint_count, JOINT)
    for index in range(joint_count):
        joint = joints[index]
        if joint.id != 0:
            joined = mix(mix(joined, joint.id), load_int64(address_of_record(joint) + JOINED))
    exceptions = view(world.exceptions, world.exception_capacity, np.int64)
    for slot in range(world.exception_capacity if world.exception_count > 0 else 0):
        if exceptions[slot] >= 0:
            apart += mix(INT64(1), exceptions[slot])
    out[PART_BODIES], out[PART_SHAPES_ON_BODIES], out[PART_SHAPES] = own, on_bodies, shapes
    out[PART_JOINTS], out[PART_EXCEPTIONS], out[PART_SETTINGS] = joined, apart, setting_count
    return count
