"""Adding joints to the lists of their bodies, removing them, and notifying them of changes: compiled, for Python.

To be called by the thread that steps the systems of the bodies, between steps.
"""

import numpy as np

from ..bodies.motion import begin_rest, bodies_of, system_of
from ..bodies.records import world_at
from ..bodies.schema import HAS_JOINT, RIGID, STATIC
from ..constraints.schema import DELTA_ROTATION
from ..geometry.vector import store3, subtract
from ..joints.colours import add_joint, forget_impulses, forget_unused_impulses, remove_joint
from ..joints.measuring import measure
from ..joints.preparation import prepare_side
from ..joints.schema import AXIS_COUNT, IS_CONNECTED, JOINT
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import stack_array, view
from ..runtime.two_lists import link, unlink
from ..solver.sleeping import wake_island

INT32, INT64, UINT32, FLOAT32 = np.int32, np.int64, np.uint32, np.float32


@kernel
def joints_of_world(world_address):
    record = world_at(world_address)
    return view(record.joints, record.joint_capacity, JOINT)


@kernel
def wake_side(world_address, joint, side):
    """Wake one body of a joint, if it can move."""
    index = INT64(joint.bodies[side])
    bodies = bodies_of(world_address)
    if index < 0 or bodies[index].system < 0 or bodies[index].mode < RIGID:
        return
    system = system_of(world_address, bodies[index].system)[0]
    wake_island(system, world_at(world_address), bodies, index)
    begin_rest(bodies[index])


@kernel
def wake_both(world_address, joint):
    wake_side(world_address, joint, 0)
    wake_side(world_address, joint, 1)


@entry_point("void(int64, int64)")
def wake_bodies(world_address, index):
    """Wake the bodies of a joint: it may break under what it bears."""
    wake_both(world_address, joints_of_world(world_address)[index])


@kernel
def system_of_joint(world_address, joint):
    """Index of the system in which the joint is or may be solved: that of its first body that has one; -1: none."""
    bodies = bodies_of(world_address)
    for side in range(2):
        index = joint.bodies[side]
        if index >= 0 and bodies[index].system >= 0 and bodies[index].mode != STATIC:
            return INT64(bodies[index].system)
    return INT64(-1)


@kernel
def take_out(world_address, index):
    """Take a joint out of the solver, if it is in it."""
    joint = joints_of_world(world_address)[index]
    system = system_of_joint(world_address, joint)
    if system >= 0:
        remove_joint(system_of(world_address, system)[0], bodies_of(world_address), index)


@kernel
def put_in(world_address, index):
    """Put a joint into the solver, if it can be solved."""
    joint = joints_of_world(world_address)[index]
    system = system_of_joint(world_address, joint)
    if system >= 0:
        add_joint(system_of(world_address, system)[0], bodies_of(world_address), index)


@entry_point("void(int64, int64)")
def connect_joint(world_address, index):
    """Put a joint into the lists of its bodies and wake them; it is solved from the next step on."""
    joints, bodies = joints_of_world(world_address), bodies_of(world_address)
    joint = joints[index]
    for side in range(2):
        body = joint.bodies[side]
        if body >= 0:
            bodies[body].first_joint = link(joints, index, side, bodies[body].first_joint)
            bodies[body].flags |= UINT32(HAS_JOINT)
    joint.flags |= UINT32(IS_CONNECTED)
    joint.colour = INT32(-1)
    wake_both(world_address, joint)
    put_in(world_address, index)


@entry_point("void(int64, int64)")
def disconnect_joint(world_address, index):
    """Wake the bodies of a joint and remove it from everything. No effect if it is in nothing."""
    joints, bodies = joints_of_world(world_address), bodies_of(world_address)
    joint = joints[index]
    if not joint.flags & IS_CONNECTED:
        return
    wake_both(world_address, joint)
    take_out(world_address, index)
    for side in range(2):
        body = joint.bodies[side]
        if body >= 0:
            bodies[body].first_joint = unlink(joints, index, side, bodies[body].first_joint)
            if bodies[body].first_joint < 0:
                bodies[body].flags &= ~UINT32(HAS_JOINT)
    joint.flags &= ~UINT32(IS_CONNECTED)
    forget_impulses(joint)


@entry_point("void(int64, int64)")
def measure_joint(world_address, index):
    """Write the current positions along all axes of the joint."""
    joint, bodies = joints_of_world(world_address)[index], bodies_of(world_address)
    here = stack_array(16, FLOAT32)
    for k in range(16):
        here[k] = FLOAT32(0.0)
    here[DELTA_ROTATION + 3] = FLOAT32(1.0)
    center_a, center_b = prepare_side(world_address, joint, bodies, 0), prepare_side(world_address, joint, bodies, 1)
    store3(joint.between, subtract(center_b, center_a))
    measure(joint, here, here, (1 << AXIS_COUNT) - 1)


@entry_point("void(int64, int64)")
def joint_changed(world_address, index):
    """Apply changed settings of a joint: wake its bodies, and put it into the solver or take it out."""
    joint = joints_of_world(world_address)[index]
    forget_unused_impulses(joint)
    wake_both(world_address, joint)
    take_out(world_address, index)
    put_in(world_address, index)
