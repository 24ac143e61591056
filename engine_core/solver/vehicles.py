"""Vehicles as step listeners: before the step they find the ground; in each sub-step suspension, drive and tyres are solved."""

import math

import numpy as np

from ..bodies.motion import bodies_of
from ..bodies.records import system_at, world_at
from ..constraints.body_terms import scaled_inertia
from ..constraints.schema import ANGULAR_VELOCITY, DELTA_ROTATION, ROW_SIZE
from ..constraints.vehicle_schema import ANTI_ROLL_BAR, DRIVE, MOTORCYCLE, MOST_WHEELS, SHAFT, VEHICLE, WHEEL
from ..geometry.angles import sine_cosine
from ..geometry.vector import (
    add, add_scaled, cross, dot, length, multiply, normalize, quaternion, rotate, scale, store3, symmetric_times, vector3,
)  # fmt: skip
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import stack_array, view
from .drivetrain import begin_drive, prepare_drive, solve_brake, solve_drive
from .vehicle_wheels import begin_tyre, find_ground, length_now, solve_suspension, solve_tyre

INT64, FLOAT32, FLOAT64 = np.int64, np.float32, np.float64
PASSES = 4
"""Passes over drive and tyres in each sub-step."""


@kernel
def is_driven(system, bodies, vehicle):
    """Whether a vehicle takes part in the step: enabled, its body awake and in this system."""
    body = bodies[vehicle.body]
    is_own = body.id == vehicle.body_id and body.system == system.index
    return vehicle.is_enabled != 0 and is_own and body.active_index >= 0 and body.inverse_mass > 0.0


@kernel
def aim_lean(vehicle, body, wheels):
    """Where a motorcycle's up is to point to, so that gravity and the curve it drives keep it on its wheels."""
    store3(vehicle.lean_target, (0.0, 0.0, 0.0))
    gravity = vector3(body.gravity)
    weight = length(gravity)
    stands, steering, base_low, base_high = False, 0.0, 1.0e30, -1.0e30
    for k in range(vehicle.wheel_count):
        stands |= wheels[k].ground >= 0
        if abs(wheels[k].steering) > abs(steering):
            steering = wheels[k].steering
        at = dot(vector3(wheels[k].position), vector3(vehicle.forward))
        base_low, base_high = min(base_low, at), max(base_high, at)
    if not stands or weight < 1.0e-6:
        return
    up = scale(gravity, -1.0 / weight)
    forward = rotate(quaternion(body.rotation), vector3(vehicle.forward))
    speed = dot(forward, vector3(body.linear_velocity))
    sine, cosine = sine_cosine(-steering)
    pull = speed * speed * sine / cosine / max(base_high - base_low, 0.1)
    sine, cosine = sine_cosine(vehicle.most_lean)
    pull = min(max(pull, -weight * sine / cosine), weight * sine / cosine)
    right = normalize(cross(forward, up))
    store3(vehicle.lean_target, normalize(add_scaled(scale(up, weight), right, pull)))


@kernel
def solve_lean(system, vehicle, body, h):
    """Solve a soft constraint about the forward axis that turns the body's up to its target."""
    target = vector3(vehicle.lean_target)
    if length(target) == 0.0:
        return
    values = view(system.solver.rows + (INT64(body.active_index) + 1) * ROW_SIZE, 16, FLOAT32)
    rotation = multiply(quaternion(values[DELTA_ROTATION:]), quaternion(body.rotation))
    axis, up = rotate(rotation, vector3(vehicle.forward)), rotate(rotation, vector3(vehicle.up))
    error = dot(axis, cross(up, target))
    inertia = scaled_inertia(body, 1.0)
    mass = dot(axis, symmetric_times(inertia, axis))
    omega = 2.0 * math.pi * vehicle.lean_frequency
    stiffness, damping = omega * omega / mass, 2.0 * vehicle.lean_damping * omega / mass
    softness = 1.0 / (h * (damping + h * stiffness))
    spin = vector3(values[ANGULAR_VELOCITY:])
    impulse = (error * h * stiffness * softness - dot(axis, spin)) / (mass + softness)
    store3(values[ANGULAR_VELOCITY:], add(spin, symmetric_times(inertia, scale(axis, impulse))))


@entry_point("void(int64, int64, float64)")
def begin_vehicle(system_address, address, delta_time):
    """Step listener, before the step: steer the wheels, find the ground below them, choose the gear."""
    system, vehicle = system_at(system_address), view(address, 1, VEHICLE)[0]
    world, bodies = world_at(system.world), bodies_of(system.world)
    if not is_driven(system, bodies, vehicle):
        return
    body = bodies[vehicle.body]
    wheels, shafts = view(vehicle.wheels, vehicle.wheel_count, WHEEL), view(vehicle.shafts, vehicle.shaft_count, SHAFT)
    for k in range(vehicle.shaft_count):
        shafts[k].braked *= system.step.warm_part
    for k in range(vehicle.wheel_count):
        wheels[k].drive *= system.step.warm_part
        wheels[k].side *= system.step.warm_part
        find_ground(system, system_address, world, bodies, vehicle, address, wheels[k])
        shaft = shafts[wheels[k].shaft]
        turned = wheels[k].turned + delta_time * shaft.speed * shaft.radius / wheels[k].radius
        wheels[k].turned = turned - 2.0 * math.pi * math.floor(turned / (2.0 * math.pi))
    forward = rotate(quaternion(body.rotation), vector3(vehicle.forward))
    prepare_drive(vehicle, dot(forward, vector3(body.linear_velocity)), delta_time)
    if vehicle.kind == MOTORCYCLE:
        aim_lean(vehicle, body, wheels)


@kernel
def solve_suspensions(system, bodies, vehicle, body, wheels, h):
    """Solve all suspensions, with anti-roll bars: these push where a wheel is compressed more than its neighbour."""
    sizes, forces = stack_array(MOST_WHEELS, np.float64), stack_array(MOST_WHEELS, np.float64)
    for k in range(vehicle.wheel_count):
        wheel = wheels[k]
        forces[k] = 0.0
        sizes[k] = wheel.longest if wheel.ground < 0 else min(length_now(system, body, wheel), wheel.longest)
    bars = view(vehicle.bars, vehicle.bar_count, ANTI_ROLL_BAR)
    for k in range(vehicle.bar_count):
        bar = bars[k]
        force = bar.stiffness * (sizes[bar.right] - sizes[bar.left])
        forces[bar.left] += force
        forces[bar.right] -= force
    for k in range(vehicle.wheel_count):
        if wheels[k].ground >= 0:
            solve_suspension(system, bodies, body, wheels[k], length_now(system, body, wheels[k]), forces[k], h)


@entry_point("void(int64, int64, float64)")
def solve_vehicle(system_address, address, h):
    """Step listener, in each sub-step: suspensions, then engine, brakes and tyres in some passes, then the lean."""
    system, vehicle = system_at(system_address), view(address, 1, VEHICLE)[0]
    bodies = bodies_of(system.world)
    if not is_driven(system, bodies, vehicle):
        return
    body = bodies[vehicle.body]
    wheels, shafts = view(vehicle.wheels, vehicle.wheel_count, WHEEL), view(vehicle.shafts, vehicle.shaft_count, SHAFT)
    drives = view(vehicle.drives, vehicle.drive_count, DRIVE)
    solve_suspensions(system, bodies, vehicle, body, wheels, h)
    begin_drive(vehicle, shafts, drives, h)
    for k in range(vehicle.wheel_count):
        if wheels[k].ground >= 0 and wheels[k].push > 0.0:
            begin_tyre(system, bodies, body, wheels[k], shafts[wheels[k].shaft])
        else:
            wheels[k].drive, wheels[k].side = 0.0, 0.0
    for _ in range(PASSES):
        for k in range(vehicle.drive_count):
            solve_drive(vehicle, drives[k], shafts, h)
        for k in range(vehicle.shaft_count):
            solve_brake(vehicle, shafts[k], h)
        for k in range(vehicle.wheel_count):
            if wheels[k].ground >= 0 and wheels[k].push > 0.0:
                solve_tyre(system, bodies, body, wheels[k], shafts[wheels[k].shaft])
    for k in range(vehicle.wheel_count):
        if wheels[k].ground >= 0:
            wheels[k].total_drive += wheels[k].drive
            wheels[k].total_side += wheels[k].side
    if vehicle.kind == MOTORCYCLE:
        solve_lean(system, vehicle, body, h)
