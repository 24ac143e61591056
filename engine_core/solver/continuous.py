"""Continuous collision: what moved far in a step is held back where it would pass through something.

After the sub-steps, and before poses are written, every body whose motion is long for its size is swept from its old pose to
its new one, against the old and new poses of whatever is in the way. It stops where the two touch and keeps its velocity; the
contacts of the next step do the rest. All bodies are swept against the same poses, so no order and no thread matters.
"""

import numpy as np

from ..bodies.bounds import bounds_in_frame
from ..bodies.parts import PARTS, begin_parts, next_part_in_box, part_row
from ..bodies.schema import (
    BODY, CONTINUOUS, HELD_BACK_STEPS, INSTANCE, LAYER_SENSOR, RIGID, SYSTEM, WORLD,
)  # fmt: skip
from ..broad_phase.query import box_cast_begin, query_end, ray_query_next
from ..broad_phase.schema import CURSOR, TREE
from ..collision.contact_rules import lets_pass, rule_flags
from ..collision.contacts import reach_in_frame
from ..collision.pairs import may_collide
from ..collision.schema import SPECULATIVE_DISTANCE
from ..collision.sweeps import SWEEP, largest_angle, reach_of, sweep_shapes
from ..constraints.joint_preparation import joints_of
from ..constraints.schema import CARRIED, DELTA_POSITION, DELTA_ROTATION, HELD_BACK, ROW_SIZE
from ..geometry.vector import (
    add, add_scaled, conjugate, interpolate_rotation, length, multiply, negate, quaternion, rotate, rotate_inverse, scale,
    store3, store4, subtract, vector3,
)  # fmt: skip
from ..runtime.atomics import add_int64
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import stack_array, view
from ..shapes.schema import SHAPE
from .integration import forces_of

INT32, INT64, FLOAT32, FLOAT64 = np.int32, np.int64, np.float32, np.float64
FAR_FOR_CONTINUOUS, FAR = 0.25, 0.5
"""A motion of more than this part of the inner radius is swept, of bodies with continuous collision and of others."""
MOST_TURNS = 16
"""Passes over the joints in which a stop spreads from body to body."""
FARTHEST = 1.0e6
"""Longer motions are overflows [m]."""
TREE_SIZE = TREE.itemsize
HELD_BACK_COUNT = SYSTEM.fields["held_back_count"][1]


@kernel
def is_swept(body, row):
    """Whether a body moved so far in this step that contacts may have missed something."""
    x, y, z = FLOAT64(row[DELTA_POSITION]), FLOAT64(row[DELTA_POSITION + 1]), FLOAT64(row[DELTA_POSITION + 2])
    motion = x * x + y * y + z * z
    far = FAR_FOR_CONTINUOUS * FLOAT64(body.inner_radius)
    if not body.flags & CONTINUOUS:
        # Contacts reach as far as the speculative distance.
        far = FAR * FLOAT64(body.inner_radius) + SPECULATIVE_DISTANCE
    return motion > far * far and motion < FARTHEST * FARTHEST and body.mode >= RIGID


@kernel
def set_sweep(system, body, origin, sweep):
    """Write how a body moves in this step; positions from `origin`."""
    store3(sweep.position, subtract(vector3(body.position), origin))
    store4(sweep.rotation, quaternion(body.rotation))
    store4(sweep.end_rotation, quaternion(body.rotation))
    store3(sweep.motion, (0.0, 0.0, 0.0))
    sweep.angle = 0.0
    if body.active_index >= 0:
        row = view(system.solver_rows + (body.active_index + 1) * ROW_SIZE, 16, FLOAT32)
        store3(sweep.motion, vector3(row[DELTA_POSITION : DELTA_POSITION + 3]))
        turn = quaternion(row[DELTA_ROTATION : DELTA_ROTATION + 4])
        store4(sweep.end_rotation, multiply(turn, quaternion(body.rotation)))
        sweep.angle = largest_angle(quaternion(sweep.rotation), quaternion(sweep.end_rotation))


@kernel
def set_instance(sweep, instance, shape):
    """Write which shape of the body is meant."""
    store3(sweep.local_position, vector3(instance.position))
    store4(sweep.local_rotation, quaternion(instance.rotation))
    sweep.reach = reach_of(shape, vector3(instance.position))


@kernel
def stops(system, bodies, index, other_index):
    """Whether a body is pushed by another: layers, exceptions and joints. Who was not let go for some steps is stopped only by
    what stands: those who move may hold it for ever, and with it all that hangs on it."""
    if index == other_index:
        return False
    body, other = bodies[index], bodies[other_index]
    if other.mode >= RIGID and body.flags & HELD_BACK_STEPS == HELD_BACK_STEPS:
        return False
    if other.id == 0 or not body.collision_mask & other.collision_layer:
        return False
    low, high = min(index, other_index), max(index, other_index)
    return may_collide(system.world, bodies[low], low, bodies[high], high)


@kernel
def swept_box(body, sweep, box):
    """Bounds of all a body touches on its way, from the sweep's origin."""
    for k in range(3):
        start, motion = sweep.position[k], sweep.motion[k]
        box[k] = FLOAT32(start + min(motion, 0.0) - body.extent - 1e-3)
        box[3 + k] = FLOAT32(start + max(motion, 0.0) + body.extent + 1e-3)


@kernel
def way_of(sweep, body):
    """How far a point of a body moves at most [m]."""
    return length(vector3(sweep.motion)) + sweep.angle * FLOAT64(body.extent)


@kernel
def sweep_against(system, world, bodies, index, other_index, sweeps, box, longest):
    """How far a body, whose sweep is written, may go before it meets another one."""
    keep_as_call()
    body, other = bodies[index], bodies[other_index]
    instances = view(world.instances, world.instance_capacity, INSTANCE)
    shapes = view(world.shapes, world.shape_capacity, SHAPE)
    walk, own_walk = stack_array(1, PARTS)[0], stack_array(1, PARTS)[0]
    set_sweep(system, other, vector3(body.position), sweeps[1])
    if rule_flags(system.world, body, other) != 0:
        motion = subtract(vector3(sweeps[1].motion), vector3(sweeps[0].motion))
        if lets_pass(system.world, body, other, motion):
            return longest
    place, rotation, turn = vector3(sweeps[1].position), quaternion(sweeps[1].rotation), quaternion(body.rotation)
    moved = way_of(sweeps[1], other)
    low, high = vector3(box[0:3]), vector3(box[3:6])
    half = scale(subtract(high, low), 0.5)
    low, high = bounds_in_frame(scale(add(low, high), 0.5), (half[0] + moved, half[1] + moved, half[2] + moved), place, rotation)
    moved += way_of(sweeps[0], body)
    begin_parts(walk, other.first_instance, other.instance_count)
    while next_part_in_box(walk, world, instances, shapes, low, high) >= 0:
        instance = part_row(walk, instances)
        if instance.is_disabled or instance.shape < 0:
            continue
        set_instance(sweeps[1], instance, shapes[instance.shape])
        own_low, own_high = reach_in_frame(
            instance.bounds, moved, rotate_inverse(rotation, negate(place)), multiply(conjugate(rotation), turn)
        )  # fmt: skip
        begin_parts(own_walk, body.first_instance, body.instance_count)
        while next_part_in_box(own_walk, world, instances, shapes, own_low, own_high) >= 0:
            own = part_row(own_walk, instances)
            if not own.is_disabled and own.shape >= 0:
                set_instance(sweeps[0], own, shapes[own.shape])
                longest = min(longest, sweep_shapes(sweeps, shapes[own.shape], shapes[instance.shape], longest))
    return longest


@kernel
def is_held_too(system, other):
    """Whether a body stops by itself where another one meets it: it stands still, or is swept."""
    if other.active_index < 0:
        return True
    return is_swept(other, view(system.solver_rows + (other.active_index + 1) * ROW_SIZE, 16, FLOAT32))


@kernel
def way_carried(sweeps, fraction):
    """How far what stopped at a moving body is taken along by it in the rest of the step."""
    at = add_scaled(vector3(sweeps[0].position), vector3(sweeps[0].motion), fraction)
    start, motion = vector3(sweeps[1].position), vector3(sweeps[1].motion)
    end_rotation = quaternion(sweeps[1].end_rotation)
    rotation = interpolate_rotation(quaternion(sweeps[1].rotation), end_rotation, fraction)
    offset = subtract(at, add_scaled(start, motion, fraction))
    turned = rotate(multiply(end_rotation, conjugate(rotation)), offset)
    return subtract(add(add(start, motion), turned), at)


@kernel
def sweep_body(system, world, bodies, index, sweeps, box, carried):
    """The part of a body's motion that is free, 0 to 1; `carried` gets the way it is taken along afterwards."""
    keep_as_call()
    body = bodies[index]
    store3(carried, (0.0, 0.0, 0.0))
    cursor = stack_array(1, CURSOR)
    set_sweep(system, body, vector3(body.position), sweeps[0])
    swept_box(body, sweeps[0], box)
    start = subtract(vector3(body.position), vector3(system.origin))
    extent = FLOAT64(body.extent)
    longest = 1.0
    for layer in range(system.layer_count):
        if layer == LAYER_SENSOR:
            continue
        tree = system.trees + layer * TREE_SIZE
        box_cast_begin(cursor, tree, start, (extent, extent, extent), vector3(sweeps[0].motion), longest)
        other = ray_query_next(cursor, tree, longest)
        while other >= 0:
            if stops(system, bodies, index, other):
                fraction = sweep_against(system, world, bodies, index, other, sweeps, box, longest)
                if fraction < longest:
                    longest = fraction
                    is_held = is_held_too(system, bodies[other])
                    store3(carried, (0.0, 0.0, 0.0) if is_held else way_carried(sweeps, fraction))
            other = ray_query_next(cursor, tree, longest)
        query_end(cursor, tree)
    return longest


@kernel
def hold_back_other(system, bodies, index, other_index):
    """Hold a body back by as much as another one on the same joint, and carry it along with that. Returns whether it is news."""
    slot, other_slot = INT64(bodies[index].active_index), INT64(bodies[other_index].active_index)
    if slot < 0 or other_slot < 0 or bodies[index].mode < RIGID:
        return False
    row = view(system.solver_rows + (slot + 1) * ROW_SIZE, 16, FLOAT32)
    other = view(system.solver_rows + (other_slot + 1) * ROW_SIZE, 16, FLOAT32)
    if other[HELD_BACK] <= row[HELD_BACK]:
        return False
    row[HELD_BACK] = other[HELD_BACK]
    forces, of_other = forces_of(system, slot + 1), forces_of(system, other_slot + 1)
    for k in range(3):
        forces[CARRIED + k] = of_other[CARRIED + k]
    return True


@kernel
def hold_back_together(system):
    """Bodies on joints are held back together, or the one that is would leave its joints. Called only when some body was held
    back. Each pass looks at all joints, there and back in turns: a stop runs along a chain in the order of its joints in one
    pass, and what it has not reached after MOST_TURNS moves on. Serial, so that the outcome is that of the order of joints."""
    world = view(system.world, 1, WORLD)[0]
    bodies = view(world.bodies, world.body_capacity, BODY)
    joints = joints_of(system)
    active = view(system.active_joints, system.joint_count, INT32)
    count = system.joint_count
    for turn in range(MOST_TURNS):
        is_news = False
        for k in range(count):
            joint = joints[active[k if turn % 2 == 0 else count - 1 - k]]
            a, b = INT64(joint.bodies[0]), INT64(joint.bodies[1])
            if a < 0 or b < 0:
                continue
            is_news = hold_back_other(system, bodies, a, b) or is_news
            is_news = hold_back_other(system, bodies, b, a) or is_news
        if not is_news:
            return


@entry_point(JOB_SIGNATURE)
def sweep_bodies(system_address, begin, end, worker):
    """Job: hold back those of the active bodies `begin` to `end - 1` that would pass through something. Reads poses and all
    rows; writes HELD_BACK of their own rows, CARRIED of their rows of forces, which no sub-step needs any more, and how
    many it held."""
    system, held_back = view(system_address, 1, SYSTEM)[0], system_address + HELD_BACK_COUNT
    world = view(system.world, 1, WORLD)[0]
    bodies = view(world.bodies, world.body_capacity, BODY)
    active = view(system.active_bodies, world.body_capacity, INT32)
    sweeps, box = stack_array(2, SWEEP), stack_array(6, FLOAT32)
    for slot in range(begin, end):
        row = view(system.solver_rows + (slot + 1) * ROW_SIZE, 16, FLOAT32)
        index = INT64(active[slot])
        if is_swept(bodies[index], row):
            carried = forces_of(system, slot + 1)[CARRIED : CARRIED + 3]
            row[HELD_BACK] = FLOAT32(1.0 - sweep_body(system, world, bodies, index, sweeps, box, carried))
            if row[HELD_BACK] > FLOAT32(0.0):
                add_int64(held_back, INT64(1))
