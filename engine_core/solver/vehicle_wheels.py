"""The wheels of a vehicle: finding the ground, the suspension, and the grip of the tyres.

Each wheel is up to three rows between the vehicle and its ground: a soft one along the normal (the suspension), and in each
sub-step a few passes over the tyres, along and across. The largest force of a tyre is its friction, which depends on its slip,
times the load of the suspension.
"""

import math

import numpy as np

from ..bodies.motion import surface_velocity
from ..bodies.schema import RIGID
from ..collision.query_schema import CAST, QUERY, RAY, RAY_RESULT, WITH_BODIES
from ..collision.shape_queries import SAFE_GAP
from ..constraints.body_terms import along, scaled, scaled_inertia, scaled_mass
from ..constraints.schema import ANGULAR_VELOCITY, DELTA_POSITION, DELTA_ROTATION, LINEAR_VELOCITY, ROW_SIZE
from ..constraints.vehicle_schema import CURVE_POINTS, CYLINDER_WHEEL, RAY_WHEEL, VEHICLE
from ..geometry.angles import arctangent2, sine_cosine
from ..geometry.vector import (
    add, add_scaled, cross, dot, multiply, normalize, quaternion, rotate, scale, store3, store4, subtract, symmetric_times,
    vector3,
)  # fmt: skip
from ..runtime.call import call_2_result
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .sleeping import wake_island

INT32, INT64, FLOAT32, FLOAT64 = np.int32, np.int64, np.float32, np.float64
QUERY_OFFSET, HIT_OFFSET, ID_OFFSET = (VEHICLE.fields[name][1] for name in ("query", "hit", "body_id"))
STEEPEST = 0.1
"""Ground whose normal has less than this along the suspension does not carry a wheel."""
SLOWEST = 1.0
"""Below this speed slip is unreliable, and tyres hold without it, the more the slower [m/s]."""
LEAST_SLIP = 1.0e-3
LEAST_SIDE_GRIP = 0.1
"""Part of the grip across that a tyre keeps at its limit along."""
PUSH_OUT_PART, FASTEST_PUSH_OUT = 0.2, 3.0
"""A suspension beyond its end is pushed back by this part in a sub-step, at most this fast [m/s]."""


@kernel
def curve_at(curve, x):
    """Value of a curve: linear between its points, constant outside."""
    if curve.count == 0:
        return 1.0
    for k in range(1, min(curve.count, CURVE_POINTS)):
        if x < curve.x[k]:
            if x <= curve.x[k - 1]:
                return curve.y[k - 1]
            part = (x - curve.x[k - 1]) / (curve.x[k] - curve.x[k - 1])
            return curve.y[k - 1] + part * (curve.y[k] - curve.y[k - 1])
    return curve.y[curve.count - 1]


@kernel
def turn_about(axis, angle):
    """The quaternion of a turn about a unit axis."""
    sine, cosine = sine_cosine(0.5 * angle)
    return (axis[0] * sine, axis[1] * sine, axis[2] * sine, cosine)


@kernel
def prepare_query(vehicle, address, body, wheel, steered):
    """Prepare the query for the ground below a wheel. Return the length of the cast [m]; its hit is written to the vehicle's
    `hit` or `query`."""
    query = view(address + QUERY_OFFSET, 1, QUERY)[0]
    rotation = quaternion(body.rotation)
    arm = subtract(vector3(wheel.position), vector3(body.center_of_mass))
    query.flags = np.uint32(WITH_BODIES)
    query.collision_mask = vehicle.collision_mask
    query.excluded, query.excluded_count = address + ID_OFFSET, 1
    query.body = INT32(vehicle.body)
    store3(query.position, add(vector3(body.position), rotate(rotation, arm)))
    way = wheel.longest
    if wheel.kind != RAY_WHEEL:
        query.operation = INT32(CAST)
        query.shape = wheel.shape
        store4(query.rotation, multiply(multiply(rotation, steered), quaternion(wheel.shape_rotation)))
    else:
        query.operation = INT32(RAY)
        query.results, query.max_results = address + HIT_OFFSET, 1
        way += wheel.radius
    store3(query.motion, scale(rotate(rotation, vector3(wheel.suspension)), way))
    return way


@kernel
def cast_wheel(system, system_address, vehicle, address, body, wheel, steered):
    """Find the ground below a wheel: (length of the suspension, point, normal, body index); the index is -1 in the air."""
    way = prepare_query(vehicle, address, body, wheel, steered)
    query, hit = view(address + QUERY_OFFSET, 1, QUERY)[0], view(address + HIT_OFFSET, 1, RAY_RESULT)[0]
    query_address = address + QUERY_OFFSET
    if wheel.kind != RAY_WHEEL:
        call_2_result(system.functions.query_shapes, system_address, query_address)
        if query.is_hit == 0:
            return way, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), INT64(-1)
        free, point = query.safe_fraction * way + SAFE_GAP, vector3(query.hit)
        if wheel.kind == CYLINDER_WHEEL:
            # A cylinder lies on a line: use its middle.
            axle = normalize(cross(vector3(wheel.forward), vector3(wheel.steering_axis)))
            axle = rotate(quaternion(body.rotation), rotate(steered, axle))
            point = add_scaled(point, axle, -dot(axle, subtract(point, vector3(query.position))))
        return free, point, vector3(query.hit_normal), INT64(query.hit_body)
    hit.body = INT32(-1)
    call_2_result(system.functions.query_rays, system_address, query_address)
    if hit.body < 0:
        return wheel.longest, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), INT64(-1)
    return hit.fraction * way - wheel.radius, vector3(hit.position), vector3(hit.normal), INT64(hit.body)


@kernel
def set_ground(system, bodies, body, wheel, index, point):
    """Record the ground of a wheel."""
    other = bodies[index]
    wheel.ground = index
    wheel.ground_row = INT64(other.active_index) + 1
    wheel.grip = math.sqrt(abs(FLOAT64(other.friction)))
    arm = subtract(point, vector3(other.position))
    store3(wheel.arm, subtract(point, vector3(body.position)))
    store3(wheel.ground_arm, arm)
    store3(wheel.ground_speed, surface_velocity(system.world, other, arm))


@kernel
def find_ground(system, system_address, world, bodies, vehicle, address, wheel):
    """Steer a wheel, find the ground below it and the directions along it."""
    body = bodies[vehicle.body]
    wheel.steering = -vehicle.right * wheel.most_steering
    steered = turn_about(vector3(wheel.steering_axis), wheel.steering)
    wheel.ground = -1
    wheel.total_push, wheel.total_drive, wheel.total_side = 0.0, 0.0, 0.0
    free, point, normal, index = cast_wheel(system, system_address, vehicle, address, body, wheel, steered)
    wheel.length = min(free, wheel.longest)
    if index < 0:
        return
    rotation = quaternion(body.rotation)
    wheel.slope = -dot(normal, rotate(rotation, vector3(wheel.suspension)))
    if wheel.slope < STEEPEST:
        return
    if bodies[index].mode >= RIGID and bodies[index].active_index < 0:
        wake_island(system, world, bodies, index)
    set_ground(system, bodies, body, wheel, index, point)
    forward = rotate(rotation, rotate(steered, vector3(wheel.forward)))
    aside = normalize(cross(forward, normal))
    store3(wheel.normal, normal)
    store3(wheel.aside, aside)
    store3(wheel.ahead, cross(normal, aside))


@kernel
def velocity_at(system, row, arm):
    """Velocity of a point of the body of a solver row [m/s]."""
    if row == 0:
        return (0.0, 0.0, 0.0)
    values = view(system.solver.rows + row * ROW_SIZE, 16, FLOAT32)
    return add(vector3(values[LINEAR_VELOCITY:]), cross(vector3(values[ANGULAR_VELOCITY:]), arm))


@kernel
def shift_of(system, row, arm):
    """Motion of a point of the body of a solver row since the step began [m]."""
    if row == 0:
        return (0.0, 0.0, 0.0)
    values = view(system.solver.rows + row * ROW_SIZE, 16, FLOAT32)
    turned = subtract(rotate(quaternion(values[DELTA_ROTATION:]), arm), arm)
    return add(vector3(values[DELTA_POSITION:]), turned)


@kernel
def push_row(system, body, row, arm, impulse):
    """Change the velocities of one body by an impulse at an arm."""
    values = view(system.solver.rows + row * ROW_SIZE, 16, FLOAT32)
    spin = symmetric_times(scaled_inertia(body, 1.0), cross(arm, impulse))
    store3(values[LINEAR_VELOCITY:], add(vector3(values[LINEAR_VELOCITY:]), scaled(scaled_mass(body, 1.0), impulse)))
    store3(values[ANGULAR_VELOCITY:], add(vector3(values[ANGULAR_VELOCITY:]), spin))


@kernel
def push_both(system, bodies, body, wheel, impulse):
    """Apply an impulse to the vehicle at a wheel, and its reverse to the ground, if that can be moved."""
    push_row(system, body, INT64(body.active_index) + 1, vector3(wheel.arm), impulse)
    other = bodies[wheel.ground]
    if wheel.ground_row > 0 and other.inverse_mass > 0.0:
        push_row(system, other, wheel.ground_row, vector3(wheel.ground_arm), scale(impulse, -1.0))


@kernel
def inverse_mass_along(body, arm, direction):
    """Change of velocity along a direction at an arm, by an impulse of 1 N s there [1/kg]."""
    if body.inverse_mass == 0.0:
        return 0.0
    lever = cross(arm, direction)
    return along(scaled_mass(body, 1.0), direction) + dot(lever, symmetric_times(scaled_inertia(body, 1.0), lever))


@kernel
def inverse_mass_at(bodies, body, wheel, direction):
    """Inverse mass of the vehicle and the ground together at the contact of a wheel [1/kg]."""
    mass = inverse_mass_along(body, vector3(wheel.arm), direction)
    if wheel.ground_row > 0:
        mass += inverse_mass_along(bodies[wheel.ground], vector3(wheel.ground_arm), direction)
    return mass


@kernel
def relative_velocity(system, body, wheel):
    """Velocity of the vehicle relative to the ground at the contact of a wheel [m/s]."""
    own = velocity_at(system, INT64(body.active_index) + 1, vector3(wheel.arm))
    ground = add(velocity_at(system, wheel.ground_row, vector3(wheel.ground_arm)), vector3(wheel.ground_speed))
    return subtract(own, ground)


@kernel
def length_now(system, body, wheel):
    """Length of the suspension of a wheel on the ground, in this sub-step [m]."""
    own = shift_of(system, INT64(body.active_index) + 1, vector3(wheel.arm))
    moved = subtract(own, shift_of(system, wheel.ground_row, vector3(wheel.ground_arm)))
    return wheel.length + dot(vector3(wheel.normal), moved) / wheel.slope


@kernel
def solve_suspension(system, bodies, body, wheel, size, bar_force, h):
    """Solve spring and damper along the normal, implicit (soft constraint), and the end stop. `size`: the suspension's current
    length; `bar_force`: of an anti-roll bar [N]."""
    wheel.push = 0.0
    if size > wheel.longest:
        return
    normal = vector3(wheel.normal)
    mass = inverse_mass_at(bodies, body, wheel, normal)
    speed = dot(normal, relative_velocity(system, body, wheel))
    pressed = (wheel.longest + wheel.preload - size) * wheel.slope
    rate = h * (wheel.damping + h * wheel.stiffness)
    softness = 1.0 / rate if rate > 0.0 else 1.0e12
    impulse = (pressed * h * wheel.stiffness * softness - speed) / (mass + softness) + h * bar_force
    impulse = max(impulse, 0.0)
    if size < wheel.shortest:
        wanted = min((wheel.shortest - size) * wheel.slope * PUSH_OUT_PART / h, FASTEST_PUSH_OUT)
        impulse = max(impulse, (wanted - speed) / mass)
    wheel.push = impulse
    wheel.total_push += impulse
    push_both(system, bodies, body, wheel, scale(normal, impulse))


@kernel
def highest_from(curve, x):
    """The largest value of a curve at x and beyond."""
    most = curve_at(curve, x)
    for k in range(curve.count):
        if curve.x[k] >= x:
            most = max(most, curve.y[k])
    return most


@kernel
def softness_by_slip(curve, slip, scale_of_slip, wheel):
    """Slip speed that a tyre needs for each unit of impulse [m/s per N s], on the rising part of its curve; beyond its peak the
    impulse is limited, not soft. `scale_of_slip`: slip speed at slip 1 [m/s]."""
    top = 0
    for k in range(1, curve.count):
        if curve.y[k] > curve.y[top]:
            top = k
    x = max(min(slip, curve.x[top]), LEAST_SLIP)
    most = wheel.push * wheel.grip * curve_at(curve, x)
    return x * scale_of_slip / most if most > 0.0 else 1.0e12


@kernel
def begin_tyre(system, bodies, body, wheel, shaft):
    """Compute the slip of a tyre at the start of a sub-step, and its force for that. The slope of the slip curve is a soft
    constraint, so that force and slip agree at the end of the sub-step. Then the impulses of the last one are applied (warm
    start): a vehicle comes to rest even if something turns in between."""
    velocity = relative_velocity(system, body, wheel)
    ahead, aside = dot(vector3(wheel.ahead), velocity), dot(vector3(wheel.aside), velocity)
    along_scale = max(abs(ahead), 0.1 * SLOWEST)
    wheel.slip = abs(shaft.speed * shaft.radius - ahead) / along_scale
    wheel.slip_angle = arctangent2(abs(aside), abs(ahead))
    stiff = min(math.sqrt(ahead * ahead + aside * aside) / SLOWEST, 1.0)
    wheel.drive_softness = stiff * softness_by_slip(wheel.rolling_friction, wheel.slip, along_scale, wheel)
    across_scale = max(abs(ahead), abs(aside))
    wheel.side_softness = stiff * softness_by_slip(wheel.side_friction, wheel.slip_angle, across_scale, wheel)
    shaft.speed -= shaft.radius * wheel.drive / shaft.inertia
    impulse = add(scale(vector3(wheel.ahead), wheel.drive), scale(vector3(wheel.aside), wheel.side))
    push_both(system, bodies, body, wheel, impulse)


@kernel
def solve_along(system, bodies, body, wheel, shaft):
    """Solve a tyre along its direction once, against the speed of its shaft. Return the part of its friction that it used."""
    ahead = vector3(wheel.ahead)
    most = wheel.push * wheel.grip * highest_from(wheel.rolling_friction, wheel.slip)
    mass = inverse_mass_at(bodies, body, wheel, ahead) + shaft.radius * shaft.radius / shaft.inertia + wheel.drive_softness
    slip = shaft.speed * shaft.radius - dot(ahead, relative_velocity(system, body, wheel))
    renewed = min(max(wheel.drive + (slip - wheel.drive_softness * wheel.drive) / mass, -most), most)
    change = renewed - wheel.drive
    wheel.drive = renewed
    shaft.speed -= shaft.radius * change / shaft.inertia
    push_both(system, bodies, body, wheel, scale(ahead, change))
    return renewed / most if most > 0.0 else 1.0


@kernel
def solve_across(system, bodies, body, wheel, used):
    """Solve a tyre across its direction once, with the friction left over from along (the friction circle)."""
    aside = vector3(wheel.aside)
    most = wheel.push * wheel.grip * highest_from(wheel.side_friction, wheel.slip_angle)
    most *= math.sqrt(max(1.0 - used * used, LEAST_SIDE_GRIP * LEAST_SIDE_GRIP))
    mass = inverse_mass_at(bodies, body, wheel, aside) + wheel.side_softness
    slip = -dot(aside, relative_velocity(system, body, wheel))
    renewed = min(max(wheel.side + (slip - wheel.side_softness * wheel.side) / mass, -most), most)
    push_both(system, bodies, body, wheel, scale(aside, renewed - wheel.side))
    wheel.side = renewed


@kernel
def solve_tyre(system, bodies, body, wheel, shaft):
    """Solve a tyre once."""
    solve_across(system, bodies, body, wheel, solve_along(system, bodies, body, wheel, shaft))
