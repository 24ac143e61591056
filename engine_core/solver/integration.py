"""Bodies into solver rows, rows through a sub-step, and rows back to bodies."""


import numpy as np

from ..bodies.bounds import fatten_bounds, is_inside_fat_bounds, update_bounds
from ..bodies.motion import update_world_inertia
from ..bodies.publication import begin_change, end_change
from ..bodies.rare import rare_of
from ..bodies.records import system_at, world_at
from ..bodies.schema import (
    BODY, HAS_RARE, HAS_SPEED_LIMIT, HELD_BACK_ONCE, HELD_BACK_STEPS, IN_AREAS, IS_HIT, IS_IN_MOVED_LIST, IS_LOADED, IS_PRESSED,
    KINEMATIC, OMITS_FORCES, RIGID_LINEAR, TARGET_SET,
)  # fmt: skip
from ..broad_phase.schema import TREE
from ..broad_phase.tree_edits import tree_widen
from ..constraints.body_terms import forces_of, scaled, scaled_inertia, scaled_mass
from ..constraints.pressed_bodies import relief_of, relieved_inertia, relieved_mass, settle_load
from ..constraints.schema import (
    ANGULAR_VELOCITY, CARRIES, DELTA_POSITION, DELTA_ROTATION, FORCE_FLOATS, FORCE_SIZE, HELD_BACK, INERTIA_SIZE, LIMITED,
    LINEAR_VELOCITY, LOCKED_AXES, ON_FOOT, ROW_SIZE, SPENT, SPIN_CHANGE, UNEVEN, VELOCITY_CHANGE,
)  # fmt: skip
from ..geometry.vector import (
    add, length_squared, multiply, normalize_quaternion, quaternion, scale, store3, store4, symmetric_times, vector3,
)  # fmt: skip
from ..geometry.wide_vector import is_any_above8
from ..runtime.call import load_float32, store_float32
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import view
from ..runtime.vector8 import fused_multiply_add, load8, splat8, square_root8, store8, transpose8, where_greater8
from .gyroscopic import is_uneven, turn_unevenly, turns_unevenly8
from .rest import count_rest
from .speed_limits import finish_limits, limit_row, limit_rows, prepare_limits
from .ways import leaves_bounds_soon

INT32, FLOAT32 = np.int32, np.float32
TREE_SIZE = TREE.itemsize
FASTEST = 1.0e9
"""A solver row beyond this (velocities in [m/s] and [rad/s], motion in [m]) is an overflow."""
ANGULAR_LOCKS = 0b111000
MOSTLY = np.float32(0.9)
"""A body counts as held back if more than this part of its motion is taken back."""


@kernel
def renew_surroundings(system, body):
    """Set the gravity and damping of the space for a body. A body's own damping is added to the space's, or replaces it. For
    bodies affected by areas, `sensors/effects.py` has done this already."""
    if body.flags & IN_AREAS:
        return
    gravity = system.settings.gravity
    store3(body.gravity, scale((gravity[0], gravity[1], gravity[2]), float(body.gravity_scale)))
    linear = float(body.linear_damp) + (0.0 if body.linear_damp_mode else system.settings.linear_damp)
    angular = float(body.angular_damp) + (0.0 if body.angular_damp_mode else system.settings.angular_damp)
    body.total_linear_damp, body.total_angular_damp = FLOAT32(linear), FLOAT32(angular)


@kernel
def take_forces(system, body, forces, delta_time):
    """Damp the velocities of a rigid body and write the change of velocity in each sub-step."""
    h = delta_time / system.settings.substep_count
    for k in range(FORCE_FLOATS):
        forces[k] = FLOAT32(0.0)
    if body.mode == KINEMATIC:
        return
    renew_surroundings(system, body)
    gravity = vector3(body.gravity)
    damp_linear = max(1.0 - float(body.total_linear_damp) * delta_time, 0.0)
    damp_angular = max(1.0 - float(body.total_angular_damp) * delta_time, 0.0)
    if not body.flags & OMITS_FORCES:
        force, torque = vector3(body.force), vector3(body.torque)
        if body.flags & HAS_RARE:
            rare = rare_of(system.world, body)
            force, torque = add(force, vector3(rare.constant_force)), add(torque, vector3(rare.constant_torque))
        mass, inertia = scaled_mass(body, 1.0), scaled_inertia(body, 1.0)
        if body.flags & IS_PRESSED:  # contacts that carry a load must be able to hold the force
            relief = relief_of(system.world, body)
            mass, inertia = relieved_mass(body, 1.0, relief), relieved_inertia(body, 1.0, relief)
        pushed, spin = scaled(mass, force), symmetric_times(inertia, torque)
        for k in range(3):
            body.linear_velocity[k] = FLOAT32(body.linear_velocity[k] * damp_linear)
            body.angular_velocity[k] = FLOAT32(body.angular_velocity[k] * damp_angular)
            forces[VELOCITY_CHANGE + k] = FLOAT32((gravity[k] + pushed[k]) * h)
            forces[SPIN_CHANGE + k] = FLOAT32(spin[k] * h)
    if system.step.steps_left == 0:
        store3(body.force, (0.0, 0.0, 0.0))
        store3(body.torque, (0.0, 0.0, 0.0))
    forces[LOCKED_AXES] = FLOAT32(body.axis_locks & 63 | (ANGULAR_LOCKS if body.mode == RIGID_LINEAR else 0))


@entry_point(JOB_SIGNATURE)
def prepare_bodies(system_address, begin, end, worker):
    """Job: gravity, damping and forces of the active bodies `begin` to `end - 1`, and their solver rows. Keeps the velocities for
    contact reports."""
    system = system_at(system_address)
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    active = view(system.bodies.active, world.body_capacity, INT32)
    for slot in range(begin, end):
        body = bodies[active[slot]]
        if body.flags & IS_HIT:
            body.flags &= ~np.uint32(IS_HIT)
        update_world_inertia(body)
        take_forces(system, body, forces_of(system, slot + 1), system.step.last_delta_time)
        prepare_limits(system, body, slot + 1)
        row = view(system.solver.rows + (slot + 1) * ROW_SIZE, 16, FLOAT32)
        for k in range(3):
            row[LINEAR_VELOCITY + k] = body.linear_velocity[k]
            row[ANGULAR_VELOCITY + k] = body.angular_velocity[k]
        for k in range(6, 14):
            row[k] = FLOAT32(0.0)
        row[DELTA_ROTATION + 3] = FLOAT32(1.0)
        row[HELD_BACK] = FLOAT32(0.0)
        if world.reporting_count > 0:
            store8(system.solver.start_velocities + (slot + 1) * FORCE_SIZE, load8(system.solver.rows + (slot + 1) * ROW_SIZE))
        if body.mode == KINEMATIC and length_squared(vector3(body.angular_velocity)) > 0.0:
            row[UNEVEN] = FLOAT32(CARRIES)
        if is_uneven(body):
            row[UNEVEN] = FLOAT32(1.0)
            inertia = view(system.solver.inertias + (slot + 1) * INERTIA_SIZE, 6, FLOAT32)
            for k in range(6):
                inertia[k] = body.inverse_inertia_world[k]


@kernel
def integrate_bound_row(system, slot, locked):
    """One sub-step of gravity and forces on a row with locked axes or limits; `locked`: bits of LOCKED_AXES."""
    row, forces = system.solver.rows + slot * ROW_SIZE, system.solver.forces + slot * FORCE_SIZE
    if locked & LIMITED:
        limit_row(system, slot)
    kept = load_float32(row + 4 * LOCKED_AXES)
    store8(row, load8(row) + load8(forces))
    store_float32(row + 4 * LOCKED_AXES, kept)  # not a velocity: nothing is to be added
    for k in range(6):
        if locked >> k & 1:
            store_float32(row + 4 * k, FLOAT32(0.0))


@entry_point(JOB_SIGNATURE)
def integrate_velocities(system_address, begin, end, worker):
    """Job: one sub-step of gravity and forces on the rows of active bodies `begin` to `end - 1`."""
    system = system_at(system_address)
    for slot in range(begin + 1, end + 1):
        row = system.solver.rows + slot * ROW_SIZE
        forces = system.solver.forces + slot * FORCE_SIZE
        locked = load_float32(forces + 4 * LOCKED_AXES)
        if locked != FLOAT32(0.0):
            integrate_bound_row(system, slot, INT32(locked))
        else:
            store8(row, load8(row) + load8(forces))


@kernel
def columns8(rows, offset):
    """Load eight neighbouring half rows as columns."""
    return transpose8(
        load8(rows + offset), load8(rows + ROW_SIZE + offset), load8(rows + 2 * ROW_SIZE + offset),
        load8(rows + 3 * ROW_SIZE + offset), load8(rows + 4 * ROW_SIZE + offset), load8(rows + 5 * ROW_SIZE + offset),
        load8(rows + 6 * ROW_SIZE + offset), load8(rows + 7 * ROW_SIZE + offset),
    )  # fmt: skip


@kernel
def put_columns8(rows, offset, columns):
    """Write the columns of `columns8` back."""
    c = columns
    r = transpose8(c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7])
    store8(rows + offset, r[0])
    store8(rows + ROW_SIZE + offset, r[1])
    store8(rows + 2 * ROW_SIZE + offset, r[2])
    store8(rows + 3 * ROW_SIZE + offset, r[3])
    store8(rows + 4 * ROW_SIZE + offset, r[4])
    store8(rows + 5 * ROW_SIZE + offset, r[5])
    store8(rows + 6 * ROW_SIZE + offset, r[6])
    store8(rows + 7 * ROW_SIZE + offset, r[7])


@entry_point(JOB_SIGNATURE)
def integrate_positions(system_address, begin, end, worker):
    """Job: one sub-step of motion, eight bodies at a time, for groups of eight rows `begin` to `end - 1`."""
    system = system_at(system_address)
    h = FLOAT32(system.step.last_delta_time / system.settings.substep_count)
    time, half = splat8(h), splat8(FLOAT32(0.5 * h))
    one, zero = splat8(FLOAT32(1.0)), splat8(FLOAT32(0.0))
    nearly = splat8(FLOAT32(0.5 * ON_FOOT))
    is_last = system.step.substep == system.settings.substep_count - 1
    foot = splat8(FLOAT32(0.0 if is_last else ON_FOOT))  # the field is HELD_BACK after the last sub-step
    some_is_limited = system.solver.some_is_limited != 0
    for group in range(begin, end):
        rows = system.solver.rows + (1 + 8 * group) * ROW_SIZE
        if some_is_limited:
            limit_rows(system, 1 + 8 * group, 1 + min(8 * group + 8, system.bodies.active_count))
        v = columns8(rows, 0)
        m = columns8(rows, 32)
        spin = (v[3], v[4], v[5])
        wx, wy, wz, ww = spin[0] * half, spin[1] * half, spin[2] * half, one
        uneven = turns_unevenly8(spin, v[UNEVEN])
        if is_any_above8(uneven, splat8(FLOAT32(0.0))):
            inertias = system.solver.inertias + (1 + 8 * group) * INERTIA_SIZE
            (wx, wy, wz, ww), turned = turn_unevenly(inertias, uneven, spin, half)
            put_columns8(rows, 0, (v[0], v[1], v[2], turned[0], turned[1], turned[2], v[6], v[7]))
        x, y, z = (
            fused_multiply_add(v[0], time, m[0]), fused_multiply_add(v[1], time, m[1]), fused_multiply_add(v[2], time, m[2]),
        )  # fmt: skip
        qx, qy, qz, qw = m[3], m[4], m[5], m[6]
        ax = fused_multiply_add(ww, qx, fused_multiply_add(wx, qw, fused_multiply_add(wy, qz, -(wz * qy))))
        ay = fused_multiply_add(ww, qy, fused_multiply_add(wy, qw, fused_multiply_add(wz, qx, -(wx * qz))))
        az = fused_multiply_add(ww, qz, fused_multiply_add(wz, qw, fused_multiply_add(wx, qy, -(wy * qx))))
        aw = fused_multiply_add(ww, qw, -fused_multiply_add(wx, qx, fused_multiply_add(wy, qy, wz * qz)))
        size = fused_multiply_add(ax, ax, fused_multiply_add(ay, ay, fused_multiply_add(az, az, aw * aw)))
        inverse = one / square_root8(size)
        last = where_greater8(m[SPENT - 8], nearly, foot, zero)
        put_columns8(rows, 32, (x, y, z, ax * inverse, ay * inverse, az * inverse, aw * inverse, last))


@kernel
def finish_row(body, row):
    """Copy one row back to its body. A row that is no longer finite, because of extreme input, stops the body at its place, so
    that nothing else is affected."""
    total = 0.0
    for k in range(14):
        total += abs(row[k])
    if not total < FASTEST:
        store3(body.linear_velocity, (0.0, 0.0, 0.0))
        store3(body.angular_velocity, (0.0, 0.0, 0.0))
        return
    motion = vector3(row[DELTA_POSITION : DELTA_POSITION + 3])
    turned = multiply(quaternion(row[DELTA_ROTATION : DELTA_ROTATION + 4]), quaternion(body.rotation))
    kept = part_kept(body, row[HELD_BACK])
    store3(body.position, add(vector3(body.position), motion))
    store3(body.rest_way, add(vector3(body.rest_way), motion))
    store4(body.rotation, normalize_quaternion(turned))
    for k in range(3):
        body.linear_velocity[k] = row[LINEAR_VELOCITY + k] * kept
        body.angular_velocity[k] = row[ANGULAR_VELOCITY + k] * kept


@kernel
def part_kept(body, held_back):
    """The part of its velocity that a body keeps when a part of its motion was taken back. Usually all of it, so that contacts
    act on it. A body held back for seven steps in a row keeps only the part by which it could move: otherwise two bodies that
    spin inside each other would stay in the air and spin faster and faster."""
    if held_back <= MOSTLY:
        body.flags &= ~np.uint32(HELD_BACK_STEPS)
        return FLOAT32(1.0)
    if body.flags & HELD_BACK_STEPS == HELD_BACK_STEPS:
        return FLOAT32(1.0) - held_back
    body.flags += np.uint32(HELD_BACK_ONCE)
    return FLOAT32(1.0)


@entry_point(JOB_SIGNATURE)
def finish_bodies(system_address, begin, end, worker):
    """Job: poses, velocities, rest and bounds of active bodies `begin` to `end - 1`, each published when its tree covers it.
    Those that left their fat bounds, as noted by a byte each in `scratch`, or are about to, are marked with IS_IN_MOVED_LIST and,
    unless they are on that list already, in `scratch`; the step collects them in order."""
    system = system_at(system_address)
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    active = view(system.bodies.active, world.body_capacity, INT32)
    has_moved = view(system.step.scratch, world.body_capacity, np.uint8)
    some_is_limited = system.solver.some_is_limited != 0
    h = system.step.last_delta_time / system.settings.substep_count
    for slot in range(begin, end):
        body = bodies[active[slot]]
        row = view(system.solver.rows + (slot + 1) * ROW_SIZE, 16, FLOAT32)
        begin_change(system.world, body, worker)
        before = vector3(body.linear_velocity), vector3(body.angular_velocity)
        if body.mode == KINEMATIC and not body.flags & TARGET_SET:
            # a kinematic body is exactly at its target: no rounding of the sub-steps
            if body.flags & HAS_RARE:
                rare = rare_of(system.world, body)
                store3(body.position, vector3(rare.target_position))
                store4(body.rotation, quaternion(rare.target_rotation))
        else:
            if some_is_limited:
                limit_rows(system, slot + 1, slot + 2)
            finish_row(body, row)
        if body.flags & (IS_LOADED | IS_PRESSED):
            settle_load(system, body, slot + 1, h)
        if body.mode != KINEMATIC:
            count_rest(system, body, before, system.step.last_delta_time)
            if body.flags & HAS_SPEED_LIMIT:
                finish_limits(system, body)
        update_bounds(system.world, system.place.origin, body)
        if not is_inside_fat_bounds(body) or leaves_bounds_soon(body, system.step.last_delta_time):
            has_moved[slot] = 1
        if has_moved[slot]:
            fatten_bounds(body, system.step.last_delta_time)
            tree_widen(system.trees.rows + body.broad_phase_layer * TREE_SIZE, world.bodies, np.int64(active[slot]))
            has_moved[slot] = body.flags & IS_IN_MOVED_LIST == 0  # bodies on the list are not added twice
            body.flags |= IS_IN_MOVED_LIST
        end_change(body)
