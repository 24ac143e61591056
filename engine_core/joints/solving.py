"""The joints' part of a sub-step: warm start, the pass with bias, and the pass without. Soft constraints as in Box2D v3.

The jobs are for joints in no tree: those of one colour share no moving body, so each reads and writes only its bodies' rows.
Those of a tree are solved with it (tree_passes.py). The work is scalar, in double precision.
"""

import numpy as np

from ..bodies.records import system_at
from ..constraints.body_terms import scaled, six, soft_parameters
from ..constraints.schema import ANGULAR_VELOCITY, LINEAR_VELOCITY
from ..geometry.vector import (
    add, add_scaled, cross, dot, length, scale, store3, subtract, symmetric_times, vector3,
)  # fmt: skip
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import view
from .curvature import keep_drifts
from .measuring import measure_joint, read_motion, row_of, row_speed
from .preparation import joints_of, rows_of
from .schema import ANGULAR_AXES, AXIS_COUNT, FIRM, LIMIT, LINEAR_AXES, SPRING, SPRINGY, TWIST

INT32, FLOAT32, FLOAT64 = np.int32, np.float32, np.float64
LEAST_BOUNCE = 0.2
"""A limit that is hit more slowly does not bounce [m/s], [rad/s]."""


@kernel
def write_motion(joint, row_a, row_b, motion):
    """Write velocities to the rows of bodies that are pushed. Other rows are never written: other threads read them at the same
    time."""
    if joint.pushes[0]:
        store3(row_a[LINEAR_VELOCITY:], motion[0])
        store3(row_a[ANGULAR_VELOCITY:], motion[1])
    if joint.pushes[1]:
        store3(row_b[LINEAR_VELOCITY:], motion[2])
        store3(row_b[ANGULAR_VELOCITY:], motion[3])


@kernel
def push(joint, motion, impulse, turn_a, turn_b):
    """Velocities after an impulse on B (and back on A), with the turning impulses of both."""
    v_a, w_a, v_b, w_b = motion
    return (
        subtract(v_a, scaled(vector3(joint.masses[0]), impulse)),
        subtract(w_a, symmetric_times(six(joint.inertias[0]), turn_a)),
        add(v_b, scaled(vector3(joint.masses[1]), impulse)),
        add(w_b, symmetric_times(six(joint.inertias[1]), turn_b)),
    )


@kernel
def push_linear(joint, motion, impulse):
    """Velocities after an impulse at the joint."""
    return push(joint, motion, impulse, cross(vector3(joint.arms[0]), impulse), cross(vector3(joint.arms[1]), impulse))


@kernel
def push_row(joint, row, motion, impulse):
    """Velocities after an impulse along a row."""
    turn_a, turn_b = scale(vector3(row.angular_a), impulse), scale(vector3(row.angular_b), impulse)
    return push(joint, motion, scale(vector3(row.linear), impulse), turn_a, turn_b)


@kernel
def in_axes(axes, v):
    """Components of v along three directions."""
    return (dot(vector3(axes[0]), v), dot(vector3(axes[1]), v), dot(vector3(axes[2]), v))


@kernel
def from_axes(axes, v):
    """The vector with the components v along three directions."""
    return add_scaled(add_scaled(scale(vector3(axes[0]), v[0]), vector3(axes[1]), v[1]), vector3(axes[2]), v[2])


@kernel
def solve_linear(joint, motion, drift, bias_rate, mass_scale, impulse_scale, most):
    """Solve the locked linear axes as one block. `drift`: see curvature.py; `most`: the largest total impulse [N s]."""
    v_a, w_a, v_b, w_b = motion
    relative = subtract(
        add(v_b, cross(w_b, vector3(joint.arms[1]))), add(v_a, cross(w_a, vector3(joint.arms[0])))
    )  # fmt: skip
    wanted = add(add_scaled(in_axes(joint.axes, relative), vector3(joint.error), bias_rate), drift)
    old = vector3(joint.linear_impulse)
    change = scale(symmetric_times(six(joint.linear_mass), wanted), -mass_scale)
    renewed = add(add_scaled(old, old, -impulse_scale), change)
    size = length(renewed)
    if size > most:
        renewed = scale(renewed, most / size)
    store3(joint.linear_impulse, renewed)
    return push_linear(joint, motion, from_axes(joint.axes, subtract(renewed, old)))


@kernel
def solve_angular(joint, motion, drift, bias_rate, mass_scale, impulse_scale):
    """Solve the locked angular axes as one block."""
    relative = subtract(motion[3], motion[1])
    wanted = add(add_scaled(in_axes(joint.turns, relative), vector3(joint.error[TWIST:]), bias_rate), drift)
    old = vector3(joint.angular_impulse)
    change = scale(symmetric_times(six(joint.angular_mass), wanted), -mass_scale)
    renewed = add(add_scaled(old, old, -impulse_scale), change)
    store3(joint.angular_impulse, renewed)
    turn = from_axes(joint.turns, subtract(renewed, old))
    return push(joint, motion, (0.0, 0.0, 0.0), turn, turn)


@kernel
def rows_that_act(joint):
    """The numbers of the rows of a joint to solve: all, or none if none acts."""
    return range(joint.first_row, joint.first_row + (joint.row_count if joint.acting > 0 else 0))


@kernel
def solve_row(joint, row, motion, inverse_h, bias_rate, mass_scale, impulse_scale):
    """Solve one spring, motor or limit. A limit that is not reached yet only brakes motion that would pass it in this
    sub-step."""
    speed = row_speed(row, motion)
    bias, memory, mass = FLOAT64(row.bias), FLOAT64(row.softness), FLOAT64(row.mass)
    old = FLOAT64(row.impulse)
    change = -mass * (speed + bias + memory * old)
    if row.slot // AXIS_COUNT == LIMIT:
        if row.hold != FIRM and bias_rate != 0.0:
            bias_rate, mass_scale = FLOAT64(row.bias_rate), FLOAT64(row.mass_scale)
            impulse_scale = FLOAT64(row.impulse_scale)
        separation = FLOAT64(row.separation)
        if separation <= 0.0:
            change = -mass * mass_scale * (speed + separation * bias_rate) - impulse_scale * old
        elif row.hold == SPRINGY:
            change = -old
        else:
            change = -mass * (speed + separation * inverse_h)
    renewed = min(max(old + change, FLOAT64(row.least)), FLOAT64(row.most))
    row.impulse = FLOAT32(renewed)
    if row.slot // AXIS_COUNT == LIMIT and renewed > 0.0:
        row.approach = FLOAT32(min(FLOAT64(row.approach), speed))
    return push_row(joint, row, motion, renewed - old) if renewed != old else motion


@kernel
def bounce(joint, row, motion):
    """Give back a part of the speed at which a limit was hit, once a step."""
    approach = FLOAT64(row.approach)
    if row.restitution <= 0.0 or approach > -LEAST_BOUNCE or row.impulse <= 0.0:
        return motion
    row.approach = FLOAT32(0.0)
    speed = row_speed(row, motion)
    old = FLOAT64(row.impulse)
    renewed = min(max(old - FLOAT64(row.mass) * (speed + FLOAT64(row.restitution) * approach), old), FLOAT64(row.most))
    row.impulse = FLOAT32(renewed)
    return push_row(joint, row, motion, renewed - old)


@kernel
def softness_of(system, h):
    """(bias rate, mass scale, impulse scale) of locked axes."""
    hertz = max(min(system.settings.joint_hertz, 0.25 / h), 1.0e-3)
    return soft_parameters(hertz, max(system.settings.joint_damping_ratio, 0.0), h)


@kernel
def warm_start_joint(system, joint, rows):
    """Apply the last impulses of a joint to the rows of its bodies."""
    row_a, row_b = row_of(system, joint, 0), row_of(system, joint, 1)
    motion = read_motion(row_a, row_b)
    if joint.locked & LINEAR_AXES:
        motion = push_linear(joint, motion, from_axes(joint.axes, vector3(joint.linear_impulse)))
    if joint.locked & ANGULAR_AXES:
        turn = from_axes(joint.turns, vector3(joint.angular_impulse))
        motion = push(joint, motion, (0.0, 0.0, 0.0), turn, turn)
    for r in rows_that_act(joint):
        row = rows[r]
        if row.impulse != 0.0:
            motion = push_row(joint, row, motion, FLOAT64(row.impulse))
    write_motion(joint, row_a, row_b, motion)


@kernel
def most_impulse(system, joint):
    """The largest impulse of the locked linear axes in one sub-step [N s]."""
    return FLOAT64(joint.max_impulse) / system.settings.substep_count


@kernel
def is_stopped(joint, rows):
    """Whether a limit pushes: it has just stopped the motion that would have drifted."""
    for r in rows_that_act(joint):
        if rows[r].slot // AXIS_COUNT == LIMIT and rows[r].impulse > 0.0:
            return True
    return False


@kernel
def solve_locks(system, joint, rows, motion, bias_rate, mass_scale, impulse_scale):
    """Solve the locked axes of a joint in no tree; a tree solves those of its own."""
    if joint.node >= 0 or joint.locked & (LINEAR_AXES | ANGULAR_AXES) == 0:
        return motion
    drifting = 1.0 if bias_rate > 0.0 and not is_stopped(joint, rows) else 0.0
    if joint.locked & ANGULAR_AXES:
        drift = scale(vector3(joint.drift[3:]), drifting)
        motion = solve_angular(joint, motion, drift, bias_rate, mass_scale, impulse_scale)
    if joint.locked & LINEAR_AXES:
        drift = scale(vector3(joint.drift), drifting)
        motion = solve_linear(joint, motion, drift, bias_rate, mass_scale, impulse_scale, most_impulse(system, joint))
    return motion


@kernel
def solve_joint(system, joint, rows, h, softness):
    """Solve springs, motors and limits of a joint with bias, then its locks. `softness`: the result of `softness_of`."""
    if joint.acting == 0 and joint.node >= 0:
        return
    bias_rate, mass_scale, impulse_scale = softness
    row_a, row_b = row_of(system, joint, 0), row_of(system, joint, 1)
    motion = read_motion(row_a, row_b)
    for r in rows_that_act(joint):
        motion = solve_row(joint, rows[r], motion, 1.0 / h, bias_rate, mass_scale, impulse_scale)
    motion = solve_locks(system, joint, rows, motion, bias_rate, mass_scale, impulse_scale)
    write_motion(joint, row_a, row_b, motion)


@kernel
def push_springs(system, joint, rows):
    """Apply the springs of a split tree after bodies have moved: the rest of their impulse."""
    row_a, row_b = row_of(system, joint, 0), row_of(system, joint, 1)
    motion = read_motion(row_a, row_b)
    for r in rows_that_act(joint):
        row = rows[r]
        if row.slot // AXIS_COUNT == SPRING:
            old, late = FLOAT64(row.impulse), FLOAT64(row.late)
            if late == 0.0 and (2.0 * old >= row.most or 2.0 * old <= row.least):
                late = old  # too stiff to act in halves, but not beyond its bound
            renewed = min(max(old + late, FLOAT64(row.least)), FLOAT64(row.most))
            row.impulse = FLOAT32(renewed)
            motion = push_row(joint, row, motion, renewed - old)
    write_motion(joint, row_a, row_b, motion)


@kernel
def relax_joint(system, joint, rows, h):
    """Measure a joint at the current poses of its bodies, for the next sub-step too, and solve it without bias: with axes and
    masses from before they moved, momentum would be lost and energy gained. Springs, and soft limits, were solved in the other
    pass: their bias does not correct an error."""
    measure_joint(system, joint, rows, h)
    relax_rows(system, joint, rows, h)


@kernel
def relax_rows(system, joint, rows, h):
    """Solve a measured joint without bias."""
    if joint.acting == 0 and joint.node >= 0:
        return
    row_a, row_b = row_of(system, joint, 0), row_of(system, joint, 1)
    motion = read_motion(row_a, row_b)
    for r in rows_that_act(joint):
        row = rows[r]
        is_limit = row.slot // AXIS_COUNT == LIMIT
        if row.slot // AXIS_COUNT != SPRING and not (is_limit and row.hold == SPRINGY):
            motion = solve_row(joint, row, motion, 1.0 / h, 0.0, 1.0, 0.0)
        if is_limit:
            motion = bounce(joint, row, motion)
    motion = solve_locks(system, joint, rows, motion, 0.0, 1.0, 0.0)
    write_motion(joint, row_a, row_b, motion)
    if joint.node < 0:
        keep_drifts(joint, motion, h)


@kernel
def add_to_totals(joint, rows):
    """Sum up the impulses of the joint in this sub-step, in world axes."""
    linear = from_axes(joint.axes, vector3(joint.linear_impulse)) if joint.locked & LINEAR_AXES else (0.0, 0.0, 0.0)
    angular = from_axes(joint.turns, vector3(joint.angular_impulse)) if joint.locked & ANGULAR_AXES else (0.0, 0.0, 0.0)
    for r in rows_that_act(joint):
        row = rows[r]
        impulse = FLOAT64(row.impulse)
        if impulse == 0.0:
            continue
        linear = add_scaled(linear, vector3(row.linear), impulse)
        angular = add_scaled(angular, vector3(row.torque), impulse)
    store3(joint.total_impulse, add(vector3(joint.total_impulse), linear))
    store3(joint.total_twist, add(vector3(joint.total_twist), angular))


@entry_point(JOB_SIGNATURE)
def solve_joints(system_address, begin, end, worker):
    """Job: the pass with bias over the active joints `begin` to `end - 1`."""
    system = system_at(system_address)
    joints, rows = joints_of(system), rows_of(system)
    active = view(system.joints.active, system.joints.count, INT32)
    h = system.step.last_delta_time / system.settings.substep_count
    softness = softness_of(system, h)
    for k in range(begin, end):
        solve_joint(system, joints[active[k]], rows, h, softness)


@entry_point(JOB_SIGNATURE)
def relax_joints(system_address, begin, end, worker):
    """Job: the pass without bias over the active joints `begin` to `end - 1`, which measures them too."""
    system = system_at(system_address)
    joints, rows = joints_of(system), rows_of(system)
    active = view(system.joints.active, system.joints.count, INT32)
    h = system.step.last_delta_time / system.settings.substep_count
    for k in range(begin, end):
        joint = joints[active[k]]
        relax_joint(system, joint, rows, h)
        add_to_totals(joint, rows)
