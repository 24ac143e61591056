"""Joints entering and leaving the solver: their colours, as bodies wake, fall asleep, come and go. Serial, in the order of
events.

A joint is solved while it is intact and enabled, both its bodies are in this system, and every rigid one of them is awake. It is
in the lists of its bodies all its life.
"""

import numpy as np

from ..bodies.schema import IS_AREA, RIGID
from ..constraints.colours import choose_colour, colours_of
from ..constraints.schema import OVERFLOW
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .preparation import joints_of
from .schema import AXIS_COUNT, IS_BROKEN, IS_CONNECTED, IS_ENABLED, LIMIT, LINEAR_X, MAX_ROWS, MOTOR, SPRING, TWIST

INT32, UINT32, FLOAT32 = np.int32, np.uint32, np.float32


@kernel
def moves(bodies, index):
    """Whether a side of a joint is a rigid body; -1 is the world."""
    return index >= 0 and bodies[index].mode >= RIGID


@kernel
def may_act(system, bodies, index):
    """Whether a side of a joint can take part: it is in this system, and awake if it is rigid."""
    if index < 0:
        return True
    body = bodies[index]
    if body.system != system.index or body.flags & IS_AREA:
        return False
    return body.mode < RIGID or body.active_index >= 0


@kernel
def holds(joint):
    """Whether a joint is intact, enabled, and used for holding bodies."""
    return joint.flags & (IS_ENABLED | IS_BROKEN | IS_CONNECTED) == IS_ENABLED | IS_CONNECTED


@kernel
def is_joint_solved(system, bodies, joint):
    """Whether the solver should solve a joint."""
    a, b = joint.bodies[0], joint.bodies[1]
    if not holds(joint) or not (moves(bodies, a) or moves(bodies, b)):
        return False
    return may_act(system, bodies, a) and may_act(system, bodies, b)


@kernel
def add_joint(system, bodies, index):
    """Give a joint that should be solved a colour and a place in it. No effect if it has one."""
    joint = joints_of(system)[index]
    if joint.colour >= 0 or not is_joint_solved(system, bodies, joint):
        return
    a, b = joint.bodies[0], joint.bodies[1]
    moves_a, moves_b = moves(bodies, a), moves(bodies, b)
    mask = 0
    if moves_a:
        mask |= bodies[a].joint_colour_mask
    if moves_b:
        mask |= bodies[b].joint_colour_mask
    colour = choose_colour(mask, not (moves_a and moves_b))
    if colour != OVERFLOW:
        if moves_a:
            bodies[a].joint_colour_mask |= UINT32(1 << colour)
        if moves_b:
            bodies[b].joint_colour_mask |= UINT32(1 << colour)
    colours = colours_of(system)
    slot = colours.joint_counts[colour]
    view(colours.joint_lists[colour], slot + 1, INT32)[slot] = index
    colours.joint_counts[colour] = slot + 1
    joint.colour = INT32(colour)
    joint.colour_slot = INT32(slot)


@kernel
def remove_joint(system, bodies, index):
    """Take a joint out of the solver; the last of its colour takes its place. No effect if it has none."""
    joints = joints_of(system)
    joint = joints[index]
    colour = joint.colour
    if colour < 0:
        return
    if colour != OVERFLOW:
        for side in range(2):
            if moves(bodies, joint.bodies[side]):
                bodies[joint.bodies[side]].joint_colour_mask &= ~UINT32(1 << colour)
    colours = colours_of(system)
    last_slot = colours.joint_counts[colour] - 1
    members = view(colours.joint_lists[colour], last_slot + 1, INT32)
    last = members[last_slot]
    members[joint.colour_slot] = last
    joints[last].colour_slot = joint.colour_slot
    colours.joint_counts[colour] = last_slot
    joint.colour = INT32(-1)
    joint.colour_slot = INT32(-1)


@kernel
def add_joints_of(system, bodies, index):
    """Put the joints of a body into the solver, if everything joined by them is awake."""
    joints = joints_of(system)
    key = bodies[index].first_joint
    while key >= 0:
        add_joint(system, bodies, key >> 1)
        key = joints[key >> 1].next[key & 1]


@kernel
def remove_joints_of(system, bodies, index):
    """Take the joints of a body that fell asleep or leaves out of the solver."""
    joints = joints_of(system)
    key = bodies[index].first_joint
    while key >= 0:
        remove_joint(system, bodies, key >> 1)
        key = joints[key >> 1].next[key & 1]


@kernel
def forget_impulses(joint):
    """Clear the impulses: the next step begins without a warm start."""
    for k in range(3):
        joint.linear_impulse[k] = FLOAT32(0.0)
        joint.angular_impulse[k] = FLOAT32(0.0)
        joint.total_impulse[k] = FLOAT32(0.0)
        joint.total_twist[k] = FLOAT32(0.0)
    for k in range(MAX_ROWS):
        joint.row_impulse[k] = FLOAT32(0.0)


@kernel
def forget_unused_impulses(joint):
    """Clear the impulses of what no longer acts, after a change of settings: axes that are not locked any more, springs, motors
    and limits that were removed. They would be applied as a warm start for ever, since nothing renews them."""
    for k in range(3):
        if joint.locked >> (LINEAR_X + k) & 1 == 0:
            joint.linear_impulse[k] = FLOAT32(0.0)
        if joint.locked >> (TWIST + k) & 1 == 0:
            joint.angular_impulse[k] = FLOAT32(0.0)
    for axis in range(AXIS_COUNT):
        if joint.sprung >> axis & 1 == 0:
            joint.row_impulse[SPRING * AXIS_COUNT + axis] = FLOAT32(0.0)
        if joint.driven >> axis & 1 == 0:
            joint.row_impulse[MOTOR * AXIS_COUNT + axis] = FLOAT32(0.0)
        if joint.limited >> axis & 1 == 0:
            joint.row_impulse[LIMIT * AXIS_COUNT + axis] = FLOAT32(0.0)


@kernel
def drop_broken_joints(system, bodies):
    """Take the joints that broke in this step out of the solver."""
    joints = joints_of(system)
    active = view(system.joints.active, system.joints.count, INT32)
    for k in range(system.joints.count):
        if joints[active[k]].flags & IS_BROKEN:
            remove_joint(system, bodies, active[k])


@kernel
def has_to_move(joint):
    """Whether a motor of the joint drives on, not stopped by a limit."""
    for axis in range(AXIS_COUNT):
        velocity = joint.motor_velocity[axis]
        if joint.driven >> axis & 1 == 0 or velocity == 0.0 or joint.motor_force[axis] == 0.0:
            continue
        stopped_by = joint.row_impulse[LIMIT * AXIS_COUNT + axis]
        if stopped_by * velocity >= 0.0:
            return True
    return False
