"""Buoyancy and drag as a step listener: before each step water adds them to the forces on every awake body.

The forces of a step act for all of its sub-steps. Taken at the pose of its beginning they would feed energy into a body that
bobs; they are taken at the pose that the body will have (n - 1) / (2 n) of the step later, for n sub-steps: then a body that bobs
without drag keeps its energy (semi-implicit Euler, whose map keeps areas). Drag is implicit: it depends on the velocity that the
step would end with, so it never turns a motion round.
"""

import math

import numpy as np

from ..bodies.motion import begin_rest, bodies_of
from ..bodies.parts import JOINED, PARTS, begin_parts, next_part_in_box, part_row
from ..bodies.records import system_at, world_at
from ..bodies.schema import HAS_JOINT, INSTANCE, OMITS_FORCES, RIGID
from ..geometry.vector import (
    add, add_scaled, conjugate, cross, dot, length, matrix_rows, multiply, normalize, normalize_quaternion, quaternion, rotate,
    rotate_inverse, scale, subtract, symmetric_times, vector3,
)  # fmt: skip
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import stack_array, view
from ..shapes.schema import SHAPE
from ..shapes.traits import is_convex
from .displaced import displaced
from .schema import WATER
from .waves import highest_crest, surface_at

INT32, FLOAT32 = np.int32, np.float32
BALANCED = 0.003
"""A body that floats free may fall asleep once its weight and its buoyancy have been equal up to this part of gravity for the
time that it takes to fall asleep: what bobs is slow where it turns round. What waves reach does not fall asleep."""
CARRIED = 0.25
"""A body that goes along with more than this part of the velocity of a current does not fall asleep, however slow that is."""
DEEPEST_LIFT = 1.0
"""A body that is lifted goes no farther in a step than this many times the depth of what it displaces: light and thin bodies
would be thrown out of the water."""
ALL_BELOW = 0.999
"""A larger part of a body below the surface counts as all of it."""
PART_OF_SPIN = 1.0 / 12.0
"""The squared radius of gyration of a box about an axis, as a part of the sum of its other two squared edges."""


@kernel
def may_float(water, body, crest):
    """Whether a body is near the water."""
    at = rotate_inverse(quaternion(water.rotation), subtract(vector3(body.position), vector3(water.position)))
    reach = np.float64(body.extent)
    is_beside = abs(at[0]) > water.half_width + reach or abs(at[2]) > water.half_length + reach
    return not is_beside and -water.depth - reach <= at[1] <= crest + reach


@kernel
def pose_ahead(body, time):
    """(position, rotation) of a body if it goes on like this for `time` [s]."""
    spin = vector3(body.angular_velocity)
    rotation = quaternion(body.rotation)
    change = multiply((0.5 * time * spin[0], 0.5 * time * spin[1], 0.5 * time * spin[2], 0.0), rotation)
    turned = (rotation[0] + change[0], rotation[1] + change[1], rotation[2] + change[2], rotation[3] + change[3])
    return add_scaled(vector3(body.position), vector3(body.linear_velocity), time), normalize_quaternion(turned)


@kernel
def surface_over(water, point, time, reach):
    """The surface over or under a point: (whether the point is in the box of the water, or over it; the unit normal, world; how
    far along it the surface is from the point [m]). `reach`: see `surface_at`, along the water's axes."""
    axes = quaternion(water.rotation)
    at = rotate_inverse(axes, subtract(point, vector3(water.position)))
    is_inside = abs(at[0]) <= water.half_width and abs(at[2]) <= water.half_length and at[1] >= -water.depth
    height, along_x, along_z = surface_at(water, at[0], at[2], time, reach[0], reach[2])
    normal = normalize((-along_x, 1.0, -along_z))
    return is_inside, rotate(axes, normal), normal[1] * (height - at[1])


@kernel
def reach_of(water, shape, turn):
    """How far a shape reaches from its middle along the axes of the water [m]."""
    b = shape.bounds
    half = 0.5 * np.float64(b[3] - b[0]), 0.5 * np.float64(b[4] - b[1]), 0.5 * np.float64(b[5] - b[2])
    rows = matrix_rows(multiply(conjugate(quaternion(water.rotation)), turn))
    x, z = rows[0], rows[2]
    along_x = abs(x[0]) * half[0] + abs(x[1]) * half[1] + abs(x[2]) * half[2]
    along_z = abs(z[0]) * half[0] + abs(z[1]) * half[1] + abs(z[2]) * half[2]
    return along_x, 0.0, along_z


@kernel
def displaced_by_part(water, shape, part, position, rotation, time):
    """`displaced` of one shape of a body at a pose, from the body's centre of mass, world axes."""
    turn = multiply(rotation, quaternion(part.rotation))
    origin = rotate(rotation, vector3(part.position))
    middle = add(origin, rotate(turn, vector3(shape.center_of_mass)))
    is_inside, normal, distance = surface_over(water, add(position, middle), time, reach_of(water, shape, turn))
    if not is_inside:
        return 0.0, (0.0, 0.0, 0.0)
    local = rotate_inverse(turn, normal)
    volume, moment = displaced(shape, local, dot(local, vector3(shape.center_of_mass)) + distance)
    return volume, add_scaled(rotate(turn, moment), origin, volume)


@kernel
def displaced_by_body(world, water, body, position, rotation, time):
    """(displaced volume [m^3], its centroid from the centre of mass, world axes [m], volume of all shapes [m^3]). Bricks of a
    structure count as their joined boxes."""
    instances = view(world.instances, world.instance_capacity, INSTANCE)
    shapes = view(world.shapes, world.shape_capacity, SHAPE)
    walk = stack_array(1, PARTS)[0]
    begin_parts(walk, body.first_instance, body.instance_count)
    walk.stands_in = JOINED
    b = body.local_bounds
    low, high = (np.float64(b[0]), np.float64(b[1]), np.float64(b[2])), (np.float64(b[3]), np.float64(b[4]), np.float64(b[5]))
    below, whole, moment = 0.0, 0.0, (0.0, 0.0, 0.0)
    while next_part_in_box(walk, world, instances, shapes, low, high) >= 0:
        part = part_row(walk, instances)
        if part.shape < 0 or part.is_disabled or not is_convex(shapes[part.shape]):
            continue
        volume, of_part = displaced_by_part(water, shapes[part.shape], part, position, rotation, time)
        below += volume
        moment = add(moment, of_part)
        whole += np.float64(shapes[part.shape].volume)
    return below, scale(moment, 1.0 / below) if below > 0.0 else moment, whole


@kernel
def edges_of(body):
    """The edges of the box about a body, along the axes of its frame [m]."""
    b = body.local_bounds
    return np.float64(b[3] - b[0]), np.float64(b[4] - b[1]), np.float64(b[5] - b[2])


@kernel
def drag_on(water, body, rotation, below, whole, arm, velocity, delta_time):
    """The force of drag at `arm` [N]. `velocity`: there, through the water; of a free body that which the step would end with
    without drag."""
    speed = length(velocity)
    if speed < 1e-9:
        return (0.0, 0.0, 0.0)
    way = scale(velocity, 1.0 / speed)
    local, edges = rotate_inverse(rotation, way), edges_of(body)
    area = abs(local[0]) * edges[1] * edges[2] + abs(local[1]) * edges[2] * edges[0] + abs(local[2]) * edges[0] * edges[1]
    lever = cross(arm, way)
    ease = np.float64(body.inverse_mass) + dot(lever, symmetric_times(body.inverse_inertia_world, lever))
    square = 0.5 * water.density * water.drag * area * (below / whole)
    linear = water.damping * water.density * below
    # The speed at the end of the step: end = speed - ease delta_time (square end^2 + linear end).
    slope = 1.0 + linear * ease * delta_time
    end = 2.0 * speed / (slope + math.sqrt(slope * slope + 4.0 * square * ease * delta_time * speed))
    return scale(way, -end * (square * end + linear))


@kernel
def spin_drag_on(water, body, rotation, below, spin, delta_time):
    """The torque that brakes a turning body [N m], in the body's own axes one by one."""
    local, edges = rotate_inverse(rotation, spin), edges_of(body)
    squares = (edges[0] * edges[0], edges[1] * edges[1], edges[2] * edges[2])
    across = (squares[1] + squares[2], squares[2] + squares[0], squares[0] + squares[1])
    strength = PART_OF_SPIN * water.spin_damping * water.density * below
    torque = (0.0, 0.0, 0.0)
    for k in range(3):
        axis = rotate(rotation, (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0))
        ease = dot(axis, symmetric_times(body.inverse_inertia_world, axis))
        along = strength * across[k]
        torque = add_scaled(torque, axis, -along * local[k] / (1.0 + along * ease * delta_time))
    return torque


@kernel
def push(body, force, torque):
    """Add to the forces of the next step."""
    for k in range(3):
        body.force[k] = FLOAT32(body.force[k] + force[k])
        body.torque[k] = FLOAT32(body.torque[k] + torque[k])


@kernel
def float_body(system, world, water, body, delta_time, count):
    """Add what the water does to one body, for a time of `count` sub-steps. Return whether it is in the water."""
    ahead = delta_time * (count - 1) / (2.0 * count)
    position, rotation = pose_ahead(body, ahead)
    below, arm, whole = displaced_by_body(world, water, body, position, rotation, water.time + ahead)
    if below <= 0.0 or whole <= 0.0:
        return False
    gravity = length(vector3(system.settings.gravity)) if water.gravity < 0.0 else water.gravity
    strength = water.density * below * gravity
    _, _, depth = surface_over(water, add(position, arm), water.time + ahead, (0.0, 0.0, 0.0))
    most = length(vector3(body.gravity)) + DEEPEST_LIFT * max(depth, 0.0) / (delta_time * delta_time)
    strength = min(strength, most / max(np.float64(body.inverse_mass), 1e-30))
    lift = scale(rotate(quaternion(water.rotation), (0.0, 1.0, 0.0)), strength)
    torque, inertia = cross(arm, lift), body.inverse_inertia_world
    turning = length(symmetric_times(inertia, torque)) * np.float64(body.extent)
    torque = scale(torque, min(1.0, most / max(turning, 1e-30)))
    faster = add_scaled(vector3(body.gravity), lift, np.float64(body.inverse_mass))
    # What else is on a body takes its part of the lift: then the velocity that the step would end with is not known.
    free_time = delta_time if body.pair_count == 0 and body.flags & HAS_JOINT == 0 else 0.0
    velocity = add_scaled(vector3(body.linear_velocity), faster, free_time)
    spin = add_scaled(vector3(body.angular_velocity), symmetric_times(inertia, torque), free_time)
    through = subtract(add(velocity, cross(spin, arm)), vector3(water.flow))
    drag = drag_on(water, body, rotation, below, whole, arm, through, delta_time)
    braked = add_scaled(spin, symmetric_times(inertia, cross(arm, drag)), delta_time)
    push(
        body, add(lift, drag), add(add(torque, cross(arm, drag)), spin_drag_on(water, body, rotation, below, braked, delta_time))
    )
    is_free = body.pair_count == 0 and max(length(faster), turning) > BALANCED * gravity
    flow = vector3(water.flow)
    is_carried = dot(vector3(body.linear_velocity), flow) > CARRIED * dot(flow, flow)
    if is_free or is_carried or (water.wave_count > 0 and below < ALL_BELOW * whole):
        begin_rest(body)
    return True


@entry_point("void(int64, int64, float64)")
def float_bodies(system_address, address, delta_time):
    """Step listener, before the step: add buoyancy and drag to the forces on every awake body in the water at `address`. Forces
    last for all collision steps of an update, so they are added before the first."""
    system, water = system_at(system_address), view(address, 1, WATER)[0]
    if system.step.steps_done > 0:
        return
    parts = system.step.steps_left + 1
    delta_time, count = delta_time * parts, system.settings.substep_count * parts
    world, bodies = world_at(system.world), bodies_of(system.world)
    active = view(system.bodies.active, world.body_capacity, INT32)
    crest, floating = highest_crest(water), 0
    for k in range(system.bodies.active_count if water.is_enabled else 0):
        body = bodies[active[k]]
        if body.mode < RIGID or body.flags & OMITS_FORCES or np.int64(body.collision_layer) & water.layers == 0:
            continue
        if may_float(water, body, crest) and float_body(system, world, water, body, delta_time, count):
            floating += 1
    water.floating_count = floating
    water.time += delta_time


@entry_point("void(int64, int64, int64, int64)")
def heights_at(address, points, count, heights):
    """Write the height of the surface over each of `count` points, float64 (count, 3), world [m], along the water's up from its
    surface at rest, to float64 (count,)."""
    water = view(address, 1, WATER)[0]
    places, answers = view(points, 3 * count, np.float64), view(heights, count, np.float64)
    away = conjugate(quaternion(water.rotation))
    for k in range(count):
        at = rotate(away, subtract((places[3 * k], places[3 * k + 1], places[3 * k + 2]), vector3(water.position)))
        answers[k], _, _ = surface_at(water, at[0], at[2], water.time, 0.0, 0.0)
