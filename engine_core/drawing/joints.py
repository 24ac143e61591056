"""Joints: their anchors and axes, their limits, and the force that they bore in the last step."""

import math

import numpy as np

from ..bodies.schema import BODY
from ..geometry.angles import sine_cosine
from ..geometry.vector import (
    add, add_scaled, length, matrix_rows, multiply, normalize_quaternion, quaternion, rotate, scale, subtract, vector3,
)  # fmt: skip
from ..joints.preparation import anchor_of
from ..joints.schema import CONE, DISTANCE, IS_BROKEN, IS_ENABLED, JOINT, SWING_Y, SWING_Z, TWIST
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .bodies import is_body_drawn
from .colours import BROKEN, JOINT as JOINT_COLOUR, LIMIT, LOAD, X_AXIS
from .rows import add_arrow, add_line

ARC_LINES, CONE_LINES = 12, 24
LEAST_SIZE, MOST_SIZE = 0.1, 0.5
"""Length of a joint's axes [m]."""
MOST_TRAVEL = 100.0
"""Linear limits beyond this are not drawn [m]."""
FLOAT64 = np.float64


@kernel
def side_of(world, bodies, joint, side):
    """(centre of mass or, for the world, the anchor; anchor; rotation) of the frame on one side of a joint, world [m]."""
    position, rotation = vector3(joint.frame_positions[side]), quaternion(joint.frame_rotations[side])
    if joint.bodies[side] < 0:
        return position, position, rotation
    body = bodies[joint.bodies[side]]
    turn, centre = quaternion(body.rotation), vector3(body.position)
    anchor = add(centre, rotate(turn, anchor_of(world, body, position)))
    return centre, anchor, normalize_quaternion(multiply(turn, rotation))


@kernel
def columns_of(rotation):
    """The axes of a frame."""
    rows = matrix_rows(rotation)
    return (
        (rows[0][0], rows[1][0], rows[2][0]), (rows[0][1], rows[1][1], rows[2][1]), (rows[0][2], rows[1][2], rows[2][2]),
    )  # fmt: skip


@kernel
def on_arc(middle, along, across, size, angle):
    sine, cosine = sine_cosine(angle)
    return add_scaled(add_scaled(middle, along, size * cosine), across, size * sine)


@kernel
def add_arc(request, middle, along, across, size, lower, upper, lines, colour):
    """Add an arc between two angles [rad], counted from `along` towards `across`, and its two radii."""
    lower, upper = max(lower, -math.pi), min(upper, math.pi)
    if upper < lower:
        return
    before = on_arc(middle, along, across, size, lower)
    add_line(request, middle, before, colour)
    for k in range(1, lines + 1):
        after = on_arc(middle, along, across, size, lower + (upper - lower) * k / lines)
        add_line(request, before, after, colour)
        before = after
    add_line(request, middle, before, colour)


@kernel
def add_cone(request, middle, axes, size, angle):
    """Add the circle that an axis may reach, and four lines to it."""
    sine, cosine = sine_cosine(min(angle, math.pi))
    rim = add_scaled(middle, axes[0], size * cosine)
    before = add_scaled(rim, axes[1], size * sine)
    for k in range(1, CONE_LINES + 1):
        after = on_arc(rim, axes[1], axes[2], size * sine, 2.0 * math.pi * k / CONE_LINES)
        add_line(request, before, after, LIMIT)
        if k % (CONE_LINES // 4) == 0:
            add_line(request, middle, after, LIMIT)
        before = after


@kernel
def add_limits(request, joint, anchor, axes, size):
    """Add the ranges of a joint's limited axes."""
    lower, upper = joint.lower, joint.upper
    for axis in range(3):
        if joint.limited >> axis & 1 and -MOST_TRAVEL < lower[axis] <= upper[axis] < MOST_TRAVEL:
            begin = add_scaled(anchor, axes[axis], FLOAT64(lower[axis]))
            end = add_scaled(anchor, axes[axis], FLOAT64(upper[axis]))
            add_line(request, begin, end, LIMIT)
            for k in range(2):
                at, across = begin if k == 0 else end, scale(axes[(axis + 1) % 3], 0.3 * size)
                add_line(request, subtract(at, across), add(at, across), LIMIT)
    if joint.limited >> TWIST & 1:
        add_arc(request, anchor, axes[1], axes[2], size, FLOAT64(lower[TWIST]), FLOAT64(upper[TWIST]), ARC_LINES, LIMIT)
    if joint.limited >> SWING_Y & 1:
        add_arc(request, anchor, axes[0], scale(axes[2], -1.0), size, FLOAT64(lower[SWING_Y]), FLOAT64(upper[SWING_Y]),
                ARC_LINES, LIMIT)  # fmt: skip
    if joint.limited >> SWING_Z & 1:
        add_arc(request, anchor, axes[0], axes[1], size, FLOAT64(lower[SWING_Z]), FLOAT64(upper[SWING_Z]), ARC_LINES, LIMIT)
    if joint.limited >> CONE & 1:
        add_cone(request, anchor, axes, size, FLOAT64(joint.upper[CONE]))


@kernel
def add_joint(request, world, bodies, joint):
    """Add one joint."""
    centre_a, anchor_a, turn_a = side_of(world, bodies, joint, 0)
    centre_b, anchor_b, turn_b = side_of(world, bodies, joint, 1)
    reach = max(length(subtract(anchor_a, centre_a)), length(subtract(anchor_b, centre_b)))
    size = min(max(0.5 * reach, LEAST_SIZE), MOST_SIZE)
    is_whole = joint.flags & IS_ENABLED != 0 and joint.flags & IS_BROKEN == 0
    colour = np.int64(JOINT_COLOUR if is_whole else BROKEN)
    add_line(request, centre_a, anchor_a, colour)
    add_line(request, centre_b, anchor_b, colour)
    add_line(request, anchor_a, anchor_b, np.int64(LIMIT) if joint.limited >> DISTANCE & 1 else colour)
    if not is_whole:
        return
    axes, turned = columns_of(turn_a), columns_of(turn_b)
    for k in range(3):
        add_line(request, anchor_a, add_scaled(anchor_a, axes[k], size), X_AXIS + k)
    if joint.limited >> TWIST & 1:  # the hand of B on the arc
        add_line(request, anchor_b, add_scaled(anchor_b, turned[1], size), JOINT_COLOUR)
    if joint.limited & (1 << SWING_Y | 1 << SWING_Z | 1 << CONE):
        add_line(request, anchor_b, add_scaled(anchor_b, turned[0], size), JOINT_COLOUR)
    add_limits(request, joint, anchor_a, axes, size)
    if joint.total_time > 0.0:
        force = scale(vector3(joint.total_impulse), request.force_scale / FLOAT64(joint.total_time))
        add_arrow(request, anchor_b, force, LOAD)


@kernel
def add_joints(request, system, world, world_address):
    """Add the joints of a system: those with a body that is drawn."""
    bodies = view(world.bodies, world.body_capacity, BODY)
    joints = view(world.joints, world.joint_capacity, JOINT)
    for number in range(request.joint_count):
        joint = joints[number]
        if joint.id == 0:
            continue
        is_drawn, is_elsewhere = False, False
        for side in range(2):
            index = joint.bodies[side]
            if index >= 0:
                is_elsewhere = is_elsewhere or bodies[index].system != system.index
                is_drawn = is_drawn or is_body_drawn(request, system, bodies[index])
        if is_drawn and not is_elsewhere:
            add_joint(request, world_address, bodies, joint)
