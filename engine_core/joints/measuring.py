"""The relative pose of the two frames of a joint in a sub-step, and how motion of the bodies changes it."""

import math

import numpy as np

from ..constraints.body_terms import along, scaled, six
from ..constraints.schema import ANGULAR_VELOCITY, DELTA_POSITION, DELTA_ROTATION, INERTIA_SIZE, LINEAR_VELOCITY, ROW_SIZE, UNEVEN
from ..geometry.angles import arctangent2, wrap_angle
from ..geometry.vector import (
    add, add_scaled, conjugate, cross, dot, length, length_squared, matrix_rows, multiply, perpendicular, quaternion, rotate,
    scale, store3, subtract, symmetric_times, vector3,
)  # fmt: skip
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array, view
from .curvature import has_one_swing
from .holding import HELD, LEAST_APART, UNMOVED, find_locks, has_locked_way, hold_row, least_apart
from .pinned_turns import PIN, UNKNOWN, hold_turn, is_pinned
from .schema import (
    ANGULAR_AXES, AXIS_COUNT, CONE, DISTANCE, GEAR, LIMIT, LINEAR_AXES, MOTOR, RACK, SPRING, SPRINGY, SWING_Y, SWING_Z,
    TURNING_AXES, TWIST,
)  # fmt: skip
from .springs import weigh_spring

INT32, FLOAT32, FLOAT64 = np.int32, np.float32, np.float64
SWINGS = 1 << SWING_Y | 1 << SWING_Z
GEARS = 1 << GEAR | 1 << RACK
LEAST_COSINE = 0.05
"""Near a quarter turn of the other swing an angle is undefined; divisors stay this far from zero."""
WIDEST_SWING = 0.5
"""1 + cosine of the swing (120 degrees) beyond which motion affects the twist less: it is undefined near a half turn."""
TORN = 0.1
"""A joint whose frames are farther apart is torn open, see `shorten_lever` [m]."""
NOT_NEGATIVE = 1 << CONE | 1 << DISTANCE
"""Axes whose position is never negative, so that 0 is not a limit: a joint that passes its middle comes out on the other side."""
NARROW = 1.5
"""A swing held within this [rad] is distinct from the other one at any angle of that."""
NEAR = 0.05
"""A limit no farther than this [rad], [m], or that has pushed, or may be reached soon, is weighted with the locked axes held."""
SOON = 4.0
"""The number of sub-steps ahead for that."""
FAR = 0.25
"""A limit farther than this [rad] is skipped unless it may be reached soon: passing it within a sub-step would need more than 60
rad/s more."""
STEEPEST = 1.0 / math.sqrt(LEAST_COSINE)
"""How many times as fast as its bodies an angle changes at most."""
MOST_CORRECTED = 0.15
"""The largest error of an angle beyond a limit with force that is used: near a half turn a twist jumps [rad]."""
MOST_ERROR = 0.5
"""The largest error of a locked axis, or of a length beyond a limit with force, that is used [m], [rad]. Where a lever is longer
than 1 m, the end of the lever moves by that. A body that was put metres away from its joint comes back at 16 m/s; by the whole
error it would come at hundreds and pass that on to others."""
MOST_TOGETHER = 1.0
"""The most of that for a tree: the root of the sum of squares over its joints [m]. From joint to joint speeds add up."""
MOST_BY_TURNS = 0.02
"""The largest error that is used along a world axis along which neither body may move [m]: only turns correct it."""


@kernel
def used_axes(joint):
    """Bits of the axes that the joint acts on."""
    return joint.locked | joint.limited | joint.sprung | joint.driven


@kernel
def position_near(joint, axis, middle):
    """Position along an axis; an angle is taken on the side of `middle`."""
    position = FLOAT64(joint.position[axis])
    if ANGULAR_AXES >> axis & 1:
        return middle + wrap_angle(position - middle)
    return position


@kernel
def meaning(joint, axis):
    """Weight of an error of an angle: less than 1 where the angle becomes undefined and any spin is too small for it."""
    turn = vector3(joint.turns[axis - TWIST])
    return min(1.0, dot(turn, turn))


@kernel
def measure(joint, row_a, row_b, used):
    """Write arms, axes and the positions of the `used` axes (bits) from the bodies' motion since the step began, as in their
    solver rows."""
    turn_a, turn_b = quaternion(row_a[DELTA_ROTATION:]), quaternion(row_b[DELTA_ROTATION:])
    arm_a, arm_b = rotate(turn_a, vector3(joint.start_arms[0])), rotate(turn_b, vector3(joint.start_arms[1]))
    moved = subtract(vector3(row_b[DELTA_POSITION:]), vector3(row_a[DELTA_POSITION:]))
    apart = add(add(vector3(joint.between), moved), subtract(arm_b, arm_a))
    # A is pushed at B's frame, so that the impulses on both are equal and opposite.
    store3(joint.arms[0], add(arm_a, apart))
    store3(joint.arms[1], arm_b)
    frame_a = multiply(turn_a, quaternion(joint.start_rotations[0]))
    x, y, z = matrix_rows(conjugate(frame_a))
    store3(joint.axes[0], x)
    store3(joint.axes[1], y)
    store3(joint.axes[2], z)
    joint.position[0] = FLOAT32(dot(apart, x))
    joint.position[1] = FLOAT32(dot(apart, y))
    joint.position[2] = FLOAT32(dot(apart, z))
    if used >> DISTANCE & 1:
        size = length(apart)
        joint.position[DISTANCE] = FLOAT32(size)
        store3(joint.distance_axis, scale(apart, 1.0 / size) if size > 1e-9 else x)
    if used & (ANGULAR_AXES | 1 << CONE):
        measure_angles(joint, frame_a, multiply(turn_b, quaternion(joint.start_rotations[1])), x, y, z, used)
    if used & GEARS or has_one_swing(joint):
        x_b, _, _ = matrix_rows(conjugate(multiply(turn_b, quaternion(joint.start_rotations[1]))))
        store3(joint.axis_b, x_b)
    measure_errors(joint)


@kernel
def measure_errors(joint):
    """Write the errors of the locked axes, and how far the ends of the joint have to move until there are none."""
    reach, way = math.sqrt(max(length_squared(vector3(joint.arms[0])), length_squared(vector3(joint.arms[1])))), 0.0
    for axis in range(6):
        if joint.locked >> axis & 1:
            is_angle = axis >= TWIST
            target, lever = FLOAT64(joint.lower[axis]), reach if is_angle else 1.0
            error = (position_near(joint, axis, target) - target) * (meaning(joint, axis) if is_angle else 1.0)
            most = MOST_ERROR / max(lever, 1.0)
            error = min(max(error, -most), most)
            joint.error[axis] = FLOAT32(error)
            way += abs(error) * lever
    joint.way_back = FLOAT32(way)
    if has_locked_way(joint):
        for k in range(3):
            if joint.masses[0, k] + joint.masses[1, k] == FLOAT32(0.0):
                leave_to_turns(joint, k)


@kernel
def leave_to_turns(joint, k):
    """Reduce the errors of the linear axes along world axis k to `MOST_BY_TURNS`: the bodies would turn at hundreds of radians a
    second to correct more."""
    error = 0.0
    for axis in range(3):
        if joint.locked >> axis & 1:
            error += FLOAT64(joint.error[axis]) * FLOAT64(joint.axes[axis, k])
    excess = error - min(max(error, -MOST_BY_TURNS), MOST_BY_TURNS)
    for axis in range(3):
        if joint.locked >> axis & 1:
            joint.error[axis] -= FLOAT32(excess * FLOAT64(joint.axes[axis, k]))


@kernel
def is_narrow(joint, axis):
    """Whether a swing is held well within a quarter turn."""
    if joint.locked >> axis & 1:
        return abs(joint.lower[axis]) < NARROW
    return joint.limited >> axis & 1 != 0 and joint.lower[axis] > -NARROW and joint.upper[axis] < NARROW


@kernel
def measure_angles(joint, frame_a, frame_b, x, y, z, used):
    """Write twist, swings and cone, each with the vector J for which its rate is J . (spin of B - spin of A)."""
    b, b_y, b_z = matrix_rows(conjugate(frame_b))
    along_x, along_y, along_z = dot(b, x), dot(b, y), dot(b, z)
    narrow_y, narrow_z = is_narrow(joint, SWING_Y), is_narrow(joint, SWING_Z)
    if narrow_y == narrow_z:
        q = multiply(conjugate(frame_a), frame_b)
        joint.position[TWIST] = FLOAT32(wrap_angle(2.0 * arctangent2(q[0], q[3])))
        store3(joint.turns[0], scale(add(x, b), 1.0 / max(1.0 + along_x, WIDEST_SWING)))
    if used & SWINGS:
        joint.position[SWING_Y] = FLOAT32(arctangent2(-along_z, along_x))
        size = max(along_x * along_x + along_z * along_z, LEAST_COSINE)
        store3(joint.turns[1], scale(cross(b, subtract(scale(x, along_z), scale(z, along_x))), 1.0 / size))
        joint.position[SWING_Z] = FLOAT32(arctangent2(along_y, along_x))
        size = max(along_x * along_x + along_y * along_y, LEAST_COSINE)
        store3(joint.turns[2], scale(cross(b, subtract(scale(y, along_x), scale(x, along_y))), 1.0 / size))
    # One swing goes all around and the other does not: the first is a longitude, the other a latitude, and the twist is the rest.
    if narrow_z and not narrow_y:
        joint.position[TWIST] = FLOAT32(arctangent2(-dot(b_z, y), dot(b_y, y)))
        joint.position[SWING_Z] = FLOAT32(arctangent2(along_y, math.sqrt(along_x * along_x + along_z * along_z)))
        measure_round(joint, b, y, along_y, 1.0, 2)
    elif narrow_y and not narrow_z:
        joint.position[TWIST] = FLOAT32(arctangent2(dot(b_y, z), dot(b_z, z)))
        joint.position[SWING_Y] = FLOAT32(arctangent2(-along_z, math.sqrt(along_x * along_x + along_y * along_y)))
        measure_round(joint, b, z, along_z, -1.0, 1)
    if used >> CONE & 1:
        normal = cross(x, b)
        sine = length(normal)
        joint.position[CONE] = FLOAT32(arctangent2(sine, along_x))
        store3(joint.cone_axis, scale(normal, 1.0 / sine) if sine > 1e-9 else perpendicular(x))


@kernel
def measure_round(joint, b, pole, sine, sign, latitude):
    """Write the vectors J of the twist and of the swing `latitude` (1: y, 2: z) if the other swing goes around the axis `pole`.
    `sine`: of the latitude."""
    size = max(1.0 - sine * sine, LEAST_COSINE)
    store3(joint.turns[0], scale(add_scaled(b, pole, -sine), 1.0 / size))
    store3(joint.turns[latitude], scale(cross(b, pole), sign / math.sqrt(size)))


@kernel
def invert_block(k00, k11, k22, k01, k02, k12, locked, apart):
    """The inverse of the symmetric matrix of the locked axes (three bits). Rows and columns of the others are zero, as are those
    of axes of which the ones before leave no more than the part `apart`. The sweep operator, starting with the most movable axis
    (Goodnight, "A Tutorial on the SWEEP Operator", 1979)."""
    matrix, first, swept = stack_array(9, np.float64), stack_array(3, np.float64), stack_array(3, np.int64)
    matrix[0], matrix[4], matrix[8] = k00, k11, k22
    matrix[1] = matrix[3] = k01
    matrix[2] = matrix[6] = k02
    matrix[5] = matrix[7] = k12
    for i in range(3):
        first[i], swept[i] = matrix[4 * i], 0
    least = UNMOVED * (k00 + k11 + k22)
    for _ in range(3):
        pivot, most = -1, 0.0
        for i in range(3):
            is_open = locked >> i & 1 != 0 and swept[i] == 0
            if is_open and matrix[4 * i] > max(most, least, apart * first[i]):
                pivot, most = i, matrix[4 * i]
        if pivot < 0:
            break
        swept[pivot] = 1
        sweep_axis(matrix, pivot)
    for i in range(3):
        for k in range(3):
            if swept[i] == 0 or swept[k] == 0:
                matrix[3 * i + k] = 0.0
    return -matrix[0], -matrix[4], -matrix[8], -matrix[1], -matrix[2], -matrix[5]


@kernel
def sweep_axis(matrix, pivot):
    """Do one step of the sweep operator: swept elements hold the inverse, negated."""
    d = matrix[4 * pivot]
    for i in range(3):
        for k in range(3):
            if i != pivot and k != pivot:
                matrix[3 * i + k] -= matrix[3 * i + pivot] * matrix[3 * pivot + k] / d
    for i in range(3):
        if i != pivot:
            matrix[3 * i + pivot] /= d
            matrix[3 * pivot + i] /= d
    matrix[4 * pivot] = -1.0 / d


@kernel
def store_six(array, m):
    for k in range(6):
        array[k] = FLOAT32(m[k])


@kernel
def weigh_linear(joint):
    """Effective mass of the locked linear axes."""
    n0, n1, n2 = vector3(joint.axes[0]), vector3(joint.axes[1]), vector3(joint.axes[2])
    mass = add(vector3(joint.masses[0]), vector3(joint.masses[1]))
    m0, m1, m2 = scaled(mass, n0), scaled(mass, n1), scaled(mass, n2)
    k00, k11, k22 = dot(n0, m0), dot(n1, m1), dot(n2, m2)
    k01, k02, k12 = dot(n0, m1), dot(n0, m2), dot(n1, m2)
    for side in range(2):
        arm, inertia = vector3(joint.arms[side]), six(joint.inertias[side])
        a0, a1, a2 = cross(arm, n0), cross(arm, n1), cross(arm, n2)
        i0, i1, i2 = symmetric_times(inertia, a0), symmetric_times(inertia, a1), symmetric_times(inertia, a2)
        k00, k11, k22 = k00 + dot(a0, i0), k11 + dot(a1, i1), k22 + dot(a2, i2)
        k01, k02, k12 = k01 + dot(a0, i1), k02 + dot(a0, i2), k12 + dot(a1, i2)
    store_six(joint.linear_mass, invert_block(k00, k11, k22, k01, k02, k12, joint.locked & LINEAR_AXES, LEAST_APART))


@kernel
def both_inertias(joint):
    """Sum of the inverse inertias of the two bodies."""
    a, b = six(joint.inertias[0]), six(joint.inertias[1])
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5])


@kernel
def weigh_angular(joint):
    """Effective mass of the locked angular axes."""
    inertia = both_inertias(joint)
    j0, j1, j2 = vector3(joint.turns[0]), vector3(joint.turns[1]), vector3(joint.turns[2])
    i0, i1, i2 = symmetric_times(inertia, j0), symmetric_times(inertia, j1), symmetric_times(inertia, j2)
    locked, apart = joint.locked >> TWIST & 7, least_apart(joint, LEAST_APART)
    store_six(
        joint.angular_mass,
        invert_block(dot(j0, i0), dot(j1, i1), dot(j2, i2), dot(j0, i1), dot(j0, i2), dot(j1, i2), locked, apart),
    )


@kernel
def angular_direction(joint, axis):
    """The direction of a turn of B relative to A that changes an angular axis."""
    if axis == CONE:
        return vector3(joint.cone_axis)
    return vector3(joint.turns[axis - TWIST])


@kernel
def aim_row(joint, row, axis):
    """Write the directions of a row along an axis. Return the inverse of its effective mass for free bodies."""
    if axis == GEAR:
        # Turn of A plus turn of B times the ratio is zero.
        direction = (0.0, 0.0, 0.0)
        angular_a = scale(vector3(joint.axes[0]), -1.0)
        angular_b = scale(vector3(joint.axis_b), FLOAT64(joint.lower[axis]))
    elif axis == RACK:
        # B's travel along its x axis is the turn of A times the ratio.
        direction = vector3(joint.axis_b)
        angular_a = scale(vector3(joint.axes[0]), FLOAT64(joint.lower[axis]))
        angular_b = (0.0, 0.0, 0.0)
    elif LINEAR_AXES >> axis & 1 or axis == DISTANCE:
        direction = vector3(joint.distance_axis) if axis == DISTANCE else vector3(joint.axes[min(axis, 2)])
        angular_a, angular_b = cross(vector3(joint.arms[0]), direction), cross(vector3(joint.arms[1]), direction)
    else:
        direction = (0.0, 0.0, 0.0)
        angular_a = angular_direction(joint, axis)
        angular_b = angular_a
    if row.side < 0.0:
        direction, angular_a, angular_b = scale(direction, -1.0), scale(angular_a, -1.0), scale(angular_b, -1.0)
    store3(row.linear, direction)
    store3(row.angular_a, angular_a)
    store3(row.angular_b, angular_b)
    store3(row.torque, angular_b if TURNING_AXES >> axis & 1 else (0.0, 0.0, 0.0))
    mass = add(vector3(joint.masses[0]), vector3(joint.masses[1]))
    k = along(mass, direction) + dot(angular_a, symmetric_times(six(joint.inertias[0]), angular_a))
    return k + dot(angular_b, symmetric_times(six(joint.inertias[1]), angular_b))


@kernel
def aim_limit(joint, row, axis):
    """Set a limit row to the nearer of the two limits; its impulse is cleared when it changes sides."""
    lower, upper = FLOAT64(joint.lower[axis]), FLOAT64(joint.upper[axis])
    position = position_near(joint, axis, 0.5 * (lower + upper))
    has_lower = not (NOT_NEGATIVE >> axis & 1 and lower <= 0.0)
    side = 1.0 if has_lower and position - lower <= upper - position else -1.0
    if side != row.side:
        row.side = FLOAT32(side)
        row.impulse = FLOAT32(0.0)
    separation = position - lower if side > 0.0 else upper - position
    if row.hold != SPRINGY:
        is_angle = (ANGULAR_AXES | 1 << CONE) >> axis & 1
        separation = max(separation, -MOST_CORRECTED if is_angle else -MOST_ERROR)
        if is_angle and axis != CONE and separation < 0.0:
            separation *= meaning(joint, axis)
    row.separation = FLOAT32(separation)


@kernel
def read_motion(row_a, row_b):
    """Velocities of both bodies, from their solver rows: (linear a, angular a, linear b, angular b)."""
    return (
        vector3(row_a[LINEAR_VELOCITY:]), vector3(row_a[ANGULAR_VELOCITY:]),
        vector3(row_b[LINEAR_VELOCITY:]), vector3(row_b[ANGULAR_VELOCITY:]),
    )  # fmt: skip


@kernel
def fastest_spin(system, joint):
    """The spin of the faster turning of a joint's bodies [rad/s]."""
    _, w_a, _, w_b = read_motion(row_of(system, joint, 0), row_of(system, joint, 1))
    return max(length(w_a), length(w_b))


@kernel
def row_speed(row, motion):
    """Speed of the bodies along a row."""
    v_a, w_a, v_b, w_b = motion
    relative = dot(vector3(row.linear), subtract(v_b, v_a))
    return relative + dot(vector3(row.angular_b), w_b) - dot(vector3(row.angular_a), w_a)


@kernel
def acts(row, kind, motion, h):
    """Whether a row is likely to push in this sub-step."""
    if kind != LIMIT or row.separation <= NEAR or row.impulse > 0.0:
        return True
    return row.separation + SOON * h * row_speed(row, motion) <= NEAR


@kernel
def is_far(row, axis, motion, h):
    """Whether a limit of an angle will not be met soon."""
    if row.separation <= FAR or row.impulse > 0.0 or (ANGULAR_AXES | 1 << CONE) >> axis & 1 == 0:
        return False
    reach = (row.separation - FAR) / (STEEPEST * SOON * h)
    return length_squared(subtract(motion[3], motion[1])) < reach * reach


@kernel
def aim_rows(joint, rows, motion, h):
    """Renew all single rows of a joint after `measure`."""
    held, lock_count = stack_array(1, HELD)[0], -1
    pin = stack_array(1, PIN)[0]
    pin.state = UNKNOWN
    joint.acting = INT32(0)
    for r in range(joint.first_row, joint.first_row + joint.row_count):
        row = rows[r]
        kind, axis = row.slot // AXIS_COUNT, row.slot % AXIS_COUNT
        if kind == LIMIT:
            aim_limit(joint, row, axis)
            if is_far(row, axis, motion, h):
                row.mass = FLOAT32(0.0)
                continue
        joint.acting += INT32(1)
        free = aim_row(joint, row, axis)
        k = free
        if joint.locked & (LINEAR_AXES | ANGULAR_AXES) and acts(row, kind, motion, h):
            if is_pinned(joint, pin, axis):
                k = hold_turn(joint, row, pin)
            else:
                lock_count = find_locks(joint, held) if lock_count < 0 else lock_count
                k = hold_row(joint, row, held, lock_count)
        if kind == SPRING:
            target = FLOAT64(joint.spring_target[axis])
            stretch = position_near(joint, axis, target) - target
            weigh_spring(joint, row, axis, stretch, row_speed(row, motion), h, free, k)
            continue
        row.mass = FLOAT32(1.0 / k) if k > 0.0 else FLOAT32(0.0)
        if kind == MOTOR:
            row.bias = FLOAT32(-FLOAT64(joint.motor_velocity[axis]))


@kernel
def row_of(system, joint, side):
    """The solver row of one body of a joint."""
    return view(system.solver.rows + joint.rows[side] * ROW_SIZE, 16, FLOAT32)


@kernel
def inertia_of(system, row, turned, as_it_was):
    """The inverse inertia of a body in world axes at its current pose. `turned`: its solver row, `row`: its number; `as_it_was`:
    the inverse inertia at the beginning of the step, six numbers."""
    if turned[UNEVEN] > 0.0:
        return six(view(system.solver.inertias + row * INERTIA_SIZE, 6, FLOAT32))
    return six(as_it_was)


@kernel
def renew_inertias(system, joint, row_a, row_b):
    """Write the inverse inertias of the bodies at their current poses."""
    store_six(joint.inertias[0], inertia_of(system, joint.rows[0], row_a, joint.inertias[0]))
    store_six(joint.inertias[1], inertia_of(system, joint.rows[1], row_b, joint.inertias[1]))


@kernel
def weigh_locked(joint):
    """Compute the effective masses of the locks, if no tree does it."""
    if joint.locked & LINEAR_AXES:
        weigh_linear(joint)
    if joint.locked & ANGULAR_AXES:
        weigh_angular(joint)


@kernel
def shorten_lever(joint):
    """Let a joint that is torn open push A near A's own frame, not at that of B: a spin of A would carry B along, and parts of a
    torn network would whirl about each other. Only joints that are closed keep angular momentum."""
    x, y, z = subtract(vector3(joint.position), vector3(joint.lower))
    apart = add_scaled(add_scaled(scale(vector3(joint.axes[0]), x), vector3(joint.axes[1]), y), vector3(joint.axes[2]), z)
    size = length(apart)
    if size > TORN:
        store3(joint.arms[0], add_scaled(vector3(joint.arms[0]), apart, TORN / size - 1.0))


@kernel
def measure_joint(system, joint, rows, h):
    """Compute everything that passes over a joint need about the poses of its bodies, valid until they move again."""
    row_a, row_b = row_of(system, joint, 0), row_of(system, joint, 1)
    measure(joint, row_a, row_b, used_axes(joint))
    if joint.is_in_network and joint.locked & LINEAR_AXES == LINEAR_AXES:
        shorten_lever(joint)
    renew_inertias(system, joint, row_a, row_b)
    aim_rows(joint, rows, read_motion(row_a, row_b), h)
    if joint.node < 0:
        weigh_locked(joint)
