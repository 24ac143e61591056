"""The jobs that prepare joints for a step, and store their impulses afterwards."""

import numpy as np

from ..bodies.rare import stretched
from ..bodies.records import system_at, world_at
from ..bodies.schema import BODY, RIGID
from ..constraints.body_terms import scaled_inertia, scaled_mass, soft_parameters
from ..geometry.vector import (
    length, length_squared, multiply, normalize_quaternion, quaternion, rotate, scale, store3, store4, subtract, vector3,
)  # fmt: skip
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import view
from .curvature import keep_drifts
from .measuring import measure_joint, read_motion, row_of
from .schema import (
    AXIS_COUNT, FIRM, IS_BROKEN, JOINT, JOINT_ROW, LIMIT, LIMITS_IMPULSES, MAX_ROWS, MOTOR, SLOW, SPRING, SPRINGY, TREE,
    TREE_NODE, UNLIMITED,
)  # fmt: skip

INT32, FLOAT32, FLOAT64 = np.int32, np.float32, np.float64
FORGOTTEN_WAY = 0.5
"""A joint whose levers a script moved by this forgets its impulses [m]; by less, the part that is the square of theirs."""


@kernel
def joints_of(system):
    """The rows of all joints of all systems."""
    world = world_at(system.world)
    return view(world.joints, world.joint_capacity, JOINT)


@kernel
def rows_of(system):
    """The single rows of all joints that are solved in this step."""
    return view(system.joints.rows, system.joints.row_count, JOINT_ROW)


@kernel
def is_set(bits, axis):
    return bits >> axis & 1 != 0


@kernel
def count_rows(joint):
    """How many springs, motors and limits a joint has."""
    count = 0
    for axis in range(AXIS_COUNT):
        count += (joint.sprung >> axis & 1) + (joint.driven >> axis & 1) + (joint.limited >> axis & 1)
    return count


@kernel
def anchor_of(world_address, body, position):
    """Convert a point relative to the body's origin to one relative to its centre of mass, both in the body frame."""
    return subtract(stretched(world_address, body, position), vector3(body.center_of_mass))


@kernel
def prepare_side(world_address, joint, bodies, side):
    """Write frame, masses and solver row of one body. Return its centre of mass; for the world, the position of the joint."""
    position, rotation = vector3(joint.frame_positions[side]), quaternion(joint.frame_rotations[side])
    index = joint.bodies[side]
    joint.pushes[side] = INT32(0)
    joint.rows[side] = INT32(0)
    for k in range(3):
        joint.masses[side][k] = FLOAT32(0.0)
    for k in range(6):
        joint.inertias[side][k] = FLOAT32(0.0)
    if index < 0:
        store3(joint.start_arms[side], (0.0, 0.0, 0.0))
        store4(joint.start_rotations[side], rotation)
        return position
    body = bodies[index]
    turn = quaternion(body.rotation)
    store3(joint.start_arms[side], rotate(turn, anchor_of(world_address, body, position)))
    store4(joint.start_rotations[side], normalize_quaternion(multiply(turn, rotation)))
    joint.rows[side] = INT32(body.active_index + 1)
    if body.mode >= RIGID:
        joint.pushes[side] = INT32(1)
        store3(joint.masses[side], scaled_mass(body, 1.0))
        inertia = scaled_inertia(body, 1.0)
        for k in range(6):
            joint.inertias[side][k] = FLOAT32(inertia[k])
    return vector3(body.position)


@kernel
def open_limit(joint, row, axis, h):
    """Write how a limit holds and bounces."""
    row.restitution = joint.limit_restitution[axis]
    row.approach = FLOAT32(0.0)
    row.hold = INT32(FIRM)
    hertz = FLOAT64(joint.limit_hertz[axis])
    if hertz > 0.0:
        row.hold = INT32(SPRINGY if is_set(joint.springy, axis) else SLOW)
        rate, mass_scale, impulse_scale = soft_parameters(min(hertz, 0.25 / h), FLOAT64(joint.limit_damping[axis]), h)
        row.bias_rate, row.mass_scale, row.impulse_scale = FLOAT32(rate), FLOAT32(mass_scale), FLOAT32(impulse_scale)


@kernel
def open_row(joint, row, kind, axis, h, warm):
    """Initialise a row: its limits of impulse, and its impulse of the last step."""
    row.slot = INT32(kind * AXIS_COUNT + axis)
    row.side = FLOAT32(1.0)
    row.softness = FLOAT32(0.0)
    row.separation = FLOAT32(0.0)
    row.bias = FLOAT32(0.0)
    impulse = FLOAT64(joint.row_impulse[row.slot]) * warm
    if kind == LIMIT:
        row.side = FLOAT32(-1.0) if impulse < 0.0 else FLOAT32(1.0)
        is_bounded = joint.limit_force[axis] < FLOAT32(UNLIMITED)
        row.least, row.most = FLOAT32(0.0), FLOAT32(FLOAT64(joint.limit_force[axis]) * h if is_bounded else UNLIMITED)
        row.impulse = FLOAT32(min(abs(impulse), FLOAT64(row.most)))
        open_limit(joint, row, axis, h)
        return
    force = FLOAT64(joint.spring_force[axis]) if kind == SPRING else FLOAT64(joint.motor_force[axis])
    most = min(force * h, UNLIMITED)
    row.least, row.most = FLOAT32(-most), FLOAT32(most)
    row.impulse = FLOAT32(min(max(impulse, -most), most))


@kernel
def open_rows(joint, rows, h, step_time, warm):
    """Initialise all rows of a joint: on each axis the spring, the motor, then the limit, which takes precedence."""
    at = joint.first_row
    motor_time = h / step_time if joint.flags & LIMITS_IMPULSES else h
    for axis in range(AXIS_COUNT):
        if is_set(joint.sprung, axis):
            open_row(joint, rows[at], SPRING, axis, h, warm)
            at += 1
    for axis in range(AXIS_COUNT):
        if is_set(joint.driven, axis):
            open_row(joint, rows[at], MOTOR, axis, motor_time, warm)
            at += 1
    for axis in range(AXIS_COUNT):
        if is_set(joint.limited, axis):
            open_row(joint, rows[at], LIMIT, axis, h, warm)
            at += 1


@kernel
def weaken(joint, rows, part):
    """Scale the impulses of a joint by a part."""
    for k in range(3):
        joint.linear_impulse[k] *= FLOAT32(part)
        joint.angular_impulse[k] *= FLOAT32(part)
    for r in range(joint.first_row, joint.first_row + joint.row_count):
        rows[r].impulse *= FLOAT32(part)


@kernel
def forget_impulses(joint):
    """Set all impulses of a joint to zero, also those that are no numbers."""
    for k in range(3):
        joint.linear_impulse[k] = joint.angular_impulse[k] = FLOAT32(0.0)
        joint.total_impulse[k] = joint.total_twist[k] = FLOAT32(0.0)
    for k in range(6):
        joint.drift[k] = 0.0
    for slot in range(MAX_ROWS):
        joint.row_impulse[slot] = FLOAT32(0.0)


@kernel
def forget_burden(nodes, trees, joint):
    """Forget the burdens of a joint's bodies if its tree has none any more (loaded_links.py)."""
    if joint.burdens[0] + joint.burdens[1] > 0.0 and (joint.node < 0 or not trees[nodes[joint.node].tree].is_weighed):
        joint.burdens[0] = joint.burdens[1] = FLOAT32(0.0)


@kernel
def part_left(joint, levers):
    """The part of its impulses that a joint keeps whose bodies were put elsewhere since the last step. `levers`: as that step
    left them, both [m]. Old impulses do not fit other levers."""
    moved = length(subtract(vector3(joint.arms[0]), levers[:3])) + length(subtract(vector3(joint.arms[1]), levers[3:]))
    return 1.0 - (moved / FORGOTTEN_WAY) ** 2 if moved < FORGOTTEN_WAY else 0.0  # none either if a lever is no number


@entry_point(JOB_SIGNATURE)
def prepare_joints(system_address, begin, end, worker):
    """Job: prepare the active joints `begin` to `end - 1` and measure them. Reads bodies; writes joints and their rows."""
    system = system_at(system_address)
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    joints, rows = joints_of(system), rows_of(system)
    active = view(system.joints.active, system.joints.count, INT32)
    h = system.step.last_delta_time / system.settings.substep_count
    warm = system.step.warm_part if system.settings.is_warm_starting else 0.0
    for k in range(begin, end):
        joint = joints[active[k]]
        center_a = prepare_side(system.world, joint, bodies, 0)
        center_b = prepare_side(system.world, joint, bodies, 1)
        store3(joint.between, subtract(center_b, center_a))
        for axis in range(3):
            joint.linear_impulse[axis] *= FLOAT32(warm)
            joint.angular_impulse[axis] *= FLOAT32(warm)
            joint.total_impulse[axis] = FLOAT32(0.0)
            joint.total_twist[axis] = FLOAT32(0.0)
        open_rows(joint, rows, h, system.step.last_delta_time, warm)
        joint.is_stiff = INT32(0)
        levers = vector3(joint.arms[0]) + vector3(joint.arms[1])
        measure_joint(system, joint, rows, h)
        weaken(joint, rows, part_left(joint, levers))
        if joint.node < 0:
            keep_drifts(joint, read_motion(row_of(system, joint, 0), row_of(system, joint, 1)), h)
        joint.total_time = FLOAT32(system.step.last_delta_time)  # still 0 for one that was made just now: see `weigh_spring`


@entry_point(JOB_SIGNATURE)
def store_joints(system_address, begin, end, worker):
    """Job: keep the impulses of the rows of the active joints `begin` to `end - 1` for the next step, and check which of them
    broke."""
    system = system_at(system_address)
    joints, rows = joints_of(system), rows_of(system)
    active = view(system.joints.active, system.joints.count, INT32)
    nodes = view(system.joints.nodes, system.joints.node_count, TREE_NODE)
    trees = view(system.joints.trees, system.joints.tree_count, TREE)
    for k in range(begin, end):
        joint = joints[active[k]]
        forget_burden(nodes, trees, joint)
        if joint.row_count > 0:
            for slot in range(MAX_ROWS):
                joint.row_impulse[slot] = FLOAT32(0.0)
            for r in range(joint.first_row, joint.first_row + joint.row_count):
                row = rows[r]
                # The tree may have left a limit pulling: the next step would use it for the other limit.
                impulse = max(row.impulse, FLOAT32(0.0)) if row.slot // AXIS_COUNT == LIMIT else row.impulse
                joint.row_impulse[row.slot] = FLOAT32(impulse * row.side)
        if not length_squared(vector3(joint.total_impulse)) + length_squared(vector3(joint.total_twist)) < np.inf:
            forget_impulses(joint)  # its bodies stop at their places, see `finish_row`, and go on in the next step
        force = scale(vector3(joint.total_impulse), 1.0 / system.step.last_delta_time)
        torque = scale(vector3(joint.total_twist), 1.0 / system.step.last_delta_time)
        if length(force) > joint.break_force or length(torque) > joint.break_torque:
            joint.flags |= IS_BROKEN
            system.joints.some_broke = 1
