"""The compiled work on many worlds: a job steps those of a range, gives actions to them and writes what came out.

Each thread steps whole worlds, one after the other, alone: nothing is shared but what no step changes (shapes, layers, rules) and
the scratch of the thread. So a world moves as if it were the only one, whichever thread steps it.
"""

import numpy as np

from ..bodies import motion
from ..bodies.motion import bodies_of, origin_of
from ..bodies.records import system_at
from ..bodies.schema import RIGID
from ..bodies.system_schema import LIMIT_KINDS
from ..collision.pairs import lists_of, manifolds_of, pairs_of
from ..constraints.schema import DELTA_ROTATION, ROW_FLOATS
from ..edit.body_placement import place
from ..edit.joint_placement import joints_of_world
from ..geometry.angles import arctangent2, wrap_angle
from ..geometry.vector import (
    add, conjugate, cross, dot, length_squared, multiply, negate, quaternion, rotate, scale, store3, store4, subtract, vector3,
)  # fmt: skip
from ..joints.schema import LINEAR_X, UNLIMITED
from ..runtime.c_memory import fill_memory
from ..runtime.call import (
    call_1, call_1_float, call_2, call_3_result, call_6_result, call_job, load_float64, load_int64, store_int64,
)  # fmt: skip
from ..runtime.job_system import JOB_SYSTEM
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import view
from ..runtime.prefetch import prefetch
from ..sensors.overlaps import sensors_of
from ..state.hashing import hash_of
from .schema import MANY_WORLDS, STATE_WIDTH

INT32, INT64, UINT32, FLOAT32, FLOAT64 = np.int32, np.int64, np.uint32, np.float32, np.float64
WILD = 1e6
"""A sum of all that the solver holds of bodies, velocities above all, that no world reaches unless it explodes [m/s], [rad/s]."""
BATCHES, MOST_WORLDS = 32, 8
"""Into how many batches each thread divides its worlds, and the most worlds of one: the last batch is waited for."""


@kernel
def many_at(address):
    """The record of many worlds at an address."""
    return view(address, 1, MANY_WORLDS)[0]


@kernel
def is_chosen(many, w):
    """Whether a call is about world `w`."""
    return many.mask == 0 or view(many.mask, many.count, np.uint8)[w] != 0


@kernel
def take_scratch(many, copy, worker):
    """Have a copy use the scratch of a thread. Its first word is 1 + the number of the thread whose scratch it has; 0: none."""
    if load_int64(copy) == worker + 1:
        return
    store_int64(copy, worker + 1)
    places = view(many.scratch_places, many.scratch_count, INT64)
    own = view(many.scratch + 8 * worker * many.scratch_count, many.scratch_count, INT64)
    for k in range(many.scratch_count):
        store_int64(copy + places[k], own[k])


@kernel
def put_copy(many, w, source):
    """Overwrite world `w` with the copy at `source`."""
    copy = many.base + w * many.stride
    if copy == source:
        return
    call_3_result(many.copy, copy, source, many.size)
    links = view(many.links, 2 * many.link_count, INT64)
    for k in range(many.link_count):
        store_int64(copy + links[2 * k], copy + links[2 * k + 1])


@kernel
def clean_scratch(many, worker):
    """Make the scratch of a thread as it was at first."""
    own = view(many.scratch + 8 * worker * many.scratch_count, many.scratch_count, INT64)
    sizes = view(many.scratch_sizes, many.scratch_count, INT64)
    for k in range(many.scratch_count):
        fill_memory(own[k], sizes[k], INT32(0))
    set_row_of_static(own[many.solver_rows])


@kernel
def set_row_of_static(rows):
    """Row 0 of the solver stands for everything static: it does not turn."""
    view(rows, ROW_FLOATS, FLOAT32)[DELTA_ROTATION + 3] = FLOAT32(1.0)


@kernel
def is_wild(many, worker):
    """Whether the solver had a number that is none, or a velocity at which products of two overflow. The step itself stops the
    body then, and the rows of the solver still tell."""
    own = view(many.scratch + 8 * worker * many.scratch_count, many.scratch_count, INT64)
    count, total = (many.row_count + 1) * ROW_FLOATS, FLOAT32(0.0)
    rows = view(own[many.solver_rows], count, FLOAT32)
    for k in range(count):
        total += abs(rows[k])
    return not total < FLOAT32(WILD)


@kernel
def prefetch_copy(many, w):
    """Have the processor load what the step of world `w` will use, while another world is stepped."""
    if w < many.count:
        copy, hot = many.base + w * many.stride, view(many.hot, many.hot_count, INT64)
        for k in range(many.hot_count):
            prefetch(copy + hot[k])


# What a step gives to a world.


@kernel
def numbers_of(address, row, width):
    """One row of float64 (…, width) at an address."""
    return view(address + 8 * row * width, width, FLOAT64)


@kernel
def push_bodies(many, world_address, w):
    """Give the forces and torques of this step to the bodies."""
    rows = view(many.bodies, many.body_count, INT32)
    for k in range(many.body_count):
        force, torque = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        if many.forces != 0:
            force = vector3(numbers_of(many.forces, w * many.body_count + k, 3))
        if many.torques != 0:
            torque = vector3(numbers_of(many.torques, w * many.body_count + k, 3))
        if length_squared(force) > 0.0:
            motion.apply_central_force(world_address, INT64(rows[k]), force)
        if length_squared(torque) > 0.0:
            motion.apply_torque(world_address, INT64(rows[k]), torque)


@kernel
def set_motors(many, world_address, w):
    """Set the motors of the joints, as core/joints.py does."""
    rows, axes = view(many.joints, many.joint_count, INT32), view(many.axes, many.joint_count, INT32)
    joints = joints_of_world(world_address)
    for k in range(many.joint_count):
        joint, axis, at = joints[rows[k]], axes[k], 8 * (w * many.joint_count + k)
        if many.motor_velocities != 0:
            joint.motor_velocity[axis] = FLOAT32(load_float64(many.motor_velocities + at))
        if many.motor_forces != 0:
            joint.motor_force[axis] = FLOAT32(min(load_float64(many.motor_forces + at), UNLIMITED))
        joint.driven |= UINT32(1 << axis)
        call_2(many.joint_changed, world_address, INT64(rows[k]))


@kernel
def push_joint(world_address, joint, axis, size):
    """Push or turn the bodies of a joint: body B along or about the x axis of the joint, body A the other way."""
    bodies = bodies_of(world_address)
    a, b = INT64(joint.bodies[0]), INT64(joint.bodies[1])
    direction = rotate(quaternion(joint.frame_rotations[0]), (1.0, 0.0, 0.0))
    if a >= 0:
        direction = rotate(quaternion(bodies[a].rotation), direction)
    push = scale(direction, size)
    if axis != LINEAR_X:
        if b >= 0:
            motion.apply_torque(world_address, b, push)
        if a >= 0:
            motion.apply_torque(world_address, a, negate(push))
        return
    point = vector3(joint.frame_positions[1])
    if b >= 0:
        arm = rotate(quaternion(bodies[b].rotation), point)
        motion.apply_force(world_address, b, push, arm)
        point = add(origin_of(bodies[b]), arm)
    if a >= 0:
        motion.apply_force(world_address, a, negate(push), subtract(point, origin_of(bodies[a])))


@kernel
def push_joints(many, world_address, w):
    """Give the forces of this step to the joints."""
    rows, axes = view(many.joints, many.joint_count, INT32), view(many.axes, many.joint_count, INT32)
    joints = joints_of_world(world_address)
    for k in range(many.joint_count):
        size = load_float64(many.joint_forces + 8 * (w * many.joint_count + k))
        if size != 0.0:
            push_joint(world_address, joints[rows[k]], axes[k], size)


@kernel
def act(many, world_address, w):
    """Give a world the actions of this step."""
    if many.motor_velocities != 0 or many.motor_forces != 0:
        set_motors(many, world_address, w)
    if many.forces != 0 or many.torques != 0:
        push_bodies(many, world_address, w)
    if many.joint_forces != 0:
        push_joints(many, world_address, w)


# What comes out.


@kernel
def write_states(many, world_address, w):
    """Write position and velocity of the origins of the bodies, and how they turn."""
    rows, bodies = view(many.bodies, many.body_count, INT32), bodies_of(world_address)
    for k in range(many.body_count):
        body, out = bodies[rows[k]], numbers_of(many.states, w * many.body_count + k, STATE_WIDTH)
        turn, spin = quaternion(body.rotation), vector3(body.angular_velocity)
        arm = rotate(turn, vector3(body.center_of_mass))
        store3(out[0:3], subtract(vector3(body.position), arm))
        store4(out[3:7], turn)
        store3(out[7:10], subtract(vector3(body.linear_velocity), cross(spin, arm)))
        store3(out[10:13], spin)


@kernel
def add_impulses(many, system, sums):
    """Add the normal impulses of all contacts of the last step to those of their bodies, by row."""
    pairs, all_lists, manifolds = pairs_of(system), lists_of(system), manifolds_of(system)
    active = view(system.pairs.active, system.pairs.active_count, INT32)
    for k in range(system.pairs.active_count):
        m = all_lists[active[k]].first_manifold
        while m >= 0:
            manifold = manifolds[m]
            if manifold.colour >= 0:
                for p in range(manifold.point_count):
                    sums[pairs[active[k]].body_a] += manifold.total_normal_impulse[p]
                    sums[pairs[active[k]].body_b] += manifold.total_normal_impulse[p]
            m = manifold.next


@kernel
def write_impulses(many, system, body_capacity, w):
    """Write how hard the bodies touched others in the last step. The step's scratch is free now."""
    sums, rows = view(system.step.scratch, body_capacity, FLOAT32), view(many.bodies, many.body_count, INT32)
    for k in range(body_capacity):
        sums[k] = FLOAT32(0.0)
    add_impulses(many, system, sums)
    out = view(many.impulses + 4 * w * many.body_count, many.body_count, FLOAT32)
    for k in range(many.body_count):
        out[k] = sums[rows[k]]


@kernel
def frame_of(bodies, joint, side):
    """The frame of a joint on one of its bodies: (rotation, origin, spin and velocity of the body there), world axes."""
    index, point, turn = INT64(joint.bodies[side]), vector3(joint.frame_positions[side]), quaternion(joint.frame_rotations[side])
    if index < 0:
        return turn, point, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    body = bodies[index]
    own, spin = quaternion(body.rotation), vector3(body.angular_velocity)
    arm = rotate(own, subtract(point, vector3(body.center_of_mass)))
    return multiply(own, turn), add(vector3(body.position), arm), spin, add(vector3(body.linear_velocity), cross(spin, arm))


@kernel
def write_joints(many, world_address, w):
    """Write where body B of each joint is against body A, along or about the x axis of the joint, and how fast it moves."""
    rows, axes = view(many.joints, many.joint_count, INT32), view(many.axes, many.joint_count, INT32)
    joints, bodies = joints_of_world(world_address), bodies_of(world_address)
    for k in range(many.joint_count):
        joint, out = joints[rows[k]], numbers_of(many.joint_states, w * many.joint_count + k, 2)
        turn_a, place_a, spin_a, velocity_a = frame_of(bodies, joint, 0)
        turn_b, place_b, spin_b, velocity_b = frame_of(bodies, joint, 1)
        axis = rotate(turn_a, (1.0, 0.0, 0.0))
        if axes[k] == LINEAR_X:
            way = subtract(place_b, place_a)
            out[0] = dot(axis, way)
            out[1] = dot(axis, subtract(subtract(velocity_b, velocity_a), cross(spin_a, way)))
        else:
            between = multiply(conjugate(turn_a), turn_b)
            out[0] = wrap_angle(2.0 * arctangent2(between[0], between[3]))
            out[1] = dot(axis, subtract(spin_b, spin_a))


@kernel
def write_left_out(many, system, w):
    """Write what the limits of a world left out, and forget it."""
    if system.limits.status != 0:
        out = view(many.left_out + 8 * w * LIMIT_KINDS, LIMIT_KINDS, INT64)
        for kind in range(LIMIT_KINDS):
            out[kind] += system.limits.left_out[kind]
            system.limits.left_out[kind] = 0
        system.limits.status = 0


@kernel
def write_results(many, copy, w):
    """Write what came out of world `w`."""
    system = system_at(copy + many.system_at)
    write_states(many, copy + many.world_at, w)
    write_joints(many, copy + many.world_at, w)
    write_impulses(many, system, many.row_count, w)
    write_left_out(many, system, w)


# The jobs.


@entry_point(JOB_SIGNATURE)
def step_worlds(address, begin, end, worker):
    """Job: step the worlds `begin` to `end - 1` that are chosen, with their actions."""
    many = many_at(address)
    for w in range(begin, end):
        if not is_chosen(many, w):
            continue
        copy = many.base + w * many.stride
        system = copy + many.system_at
        prefetch_copy(many, w + 1)
        take_scratch(many, copy, worker)
        for _ in range(many.step_count):
            if sensors_of(system_at(system))[0].reported_count != 0:
                call_1(many.forget_events, system)
            act(many, copy + many.world_at, w)
            call_1_float(many.step, system, many.seconds)
        if is_wild(many, worker):
            clean_scratch(many, worker)  # lanes of the solver that are not in use keep what was there: times 0, it must be 0
        write_results(many, copy, w)


@entry_point(JOB_SIGNATURE)
def put_worlds(address, begin, end, worker):
    """Job: put the chosen worlds of a range to a copy, `many.source`, which is none of them."""
    many = many_at(address)
    for w in range(begin, end):
        if is_chosen(many, w):
            put_copy(many, w, many.source)
            take_scratch(many, many.base + w * many.stride, worker)
            write_results(many, many.base + w * many.stride, w)


@kernel
def set_state(world_address, index, wanted):
    """Move a body: its origin, how it is turned, and if it is rigid its velocities."""
    place(world_address, index, vector3(wanted[0:3]), quaternion(wanted[3:7]))
    if bodies_of(world_address)[index].mode >= RIGID:
        motion.set_angular_velocity(world_address, index, vector3(wanted[10:13]))
        motion.set_linear_velocity(world_address, index, vector3(wanted[7:10]))


@entry_point(JOB_SIGNATURE)
def set_states(address, begin, end, worker):
    """Job: move the bodies of the chosen worlds of a range to the states wanted."""
    many = many_at(address)
    rows = view(many.bodies, many.body_count, INT32)
    for w in range(begin, end):
        if is_chosen(many, w):
            copy = many.base + w * many.stride
            take_scratch(many, copy, worker)
            for k in range(many.body_count):
                wanted = numbers_of(many.wanted_states, w * many.body_count + k, STATE_WIDTH)
                set_state(copy + many.world_at, INT64(rows[k]), wanted)
            write_results(many, copy, w)


@entry_point(JOB_SIGNATURE)
def hash_worlds(address, begin, end, worker):
    """Job: write the hash of each world of a range."""
    many = many_at(address)
    hashes = view(many.hashes, many.count, INT64)
    for w in range(begin, end):
        hashes[w] = hash_of(system_at(many.base + w * many.stride + many.system_at))


@entry_point("void(int64, int64)")
def over_worlds(address, job):
    """Run a job over all worlds, on all threads of the job system. No step of a space is begun: whether threads are worth their
    cost is judged there by the wait at the end of a job, which is long here, some worlds."""
    many = many_at(address)
    jobs = view(many.job_system, 1, JOB_SYSTEM)[0]
    batch = min(max(many.count // (BATCHES * jobs.thread_count), 1), MOST_WORLDS)
    if jobs.thread_count == 1 or call_6_result(jobs.run, jobs.state, job, address, 0, many.count, batch) == 0:
        call_job(job, address, 0, many.count, 0)
