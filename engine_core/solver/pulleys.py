"""Pulleys: a rope from one body over two fixed points to another; its length, with a ratio, has a lower and an upper limit.

A step listener, solved in each sub-step as one soft row with warm start (soft constraints as in Box2D v3; the pulley of Catto,
"Iterative Dynamics with Temporal Coherence", and of Jolt Physics): |a - fixed a| + ratio |b - fixed b|.
"""

import numpy as np

from ..bodies.records import system_at, world_at
from ..bodies.schema import BODY, KINEMATIC, RIGID
from ..constraints.schema import DELTA_POSITION, DELTA_ROTATION, ROW_SIZE
from ..geometry.vector import (
    add, length, multiply, quaternion, rotate, scale, store3, subtract, vector3,
)  # fmt: skip
from ..joints.solving import softness_of
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import view
from .sleeping import wake_island
from .vehicle_wheels import inverse_mass_along, push_row, velocity_at

INT64, FLOAT32, FLOAT64 = np.int64, np.float32, np.float64

PULLEY = np.dtype(
    [
        ("bodies", "i8", 2),  # indices; -1: the world
        ("ids", "i8", 2),
        ("points", "f8", (2, 3)),  # ends of the rope: from the bodies' origins in their frames; of the world: world [m]
        ("fixed", "f8", (2, 3)),  # the wheels that it runs over, world [m]
        ("ratio", "f8"),
        ("shortest", "f8"), ("longest", "f8"),  # [m]
        ("is_enabled", "i8"),
        ("holds", "i8"),  # whether it held both bodies in the last step
        ("length", "f8"),  # current [m]
        ("impulse", "f8"),  # of the last sub-step; negative: it pulls [N s]
        ("total_impulse", "f8"),  # of the last step
        # Of this sub-step.
        ("arms", "f8", (2, 3)),  # from the centres of mass to the ends of the rope, world
        ("ways", "f8", (2, 3)),  # unit, along the rope away from the wheel; times the ratio for B
    ],
    align=True,
)  # fmt: skip


@kernel
def is_there(system, bodies, pulley, side):
    """Whether a side is the world, or a body that still exists in this system."""
    index = pulley.bodies[side]
    return index < 0 or (bodies[index].id == pulley.ids[side] and bodies[index].system == system.index)


@kernel
def is_pulled(bodies, pulley, side):
    """Whether a side is a body that takes part in the solver."""
    index = pulley.bodies[side]
    return index >= 0 and bodies[index].active_index >= 0 and bodies[index].mode >= RIGID


@kernel
def measure_side(system, bodies, pulley, side):
    """Compute arm and direction of one side. Return the length of its part of the rope [m]."""
    index = pulley.bodies[side]
    end = vector3(pulley.points[side])
    if index >= 0:
        body = bodies[index]
        rotation, position = quaternion(body.rotation), vector3(body.position)
        if body.active_index >= 0:
            row = view(system.solver.rows + (INT64(body.active_index) + 1) * ROW_SIZE, 16, FLOAT32)
            rotation = multiply(quaternion(row[DELTA_ROTATION:]), rotation)
            position = add(position, vector3(row[DELTA_POSITION:]))
        arm = rotate(rotation, subtract(end, vector3(body.center_of_mass)))
        store3(pulley.arms[side], arm)
        end = add(position, arm)
    way = subtract(end, vector3(pulley.fixed[side]))
    size = length(way)
    store3(pulley.ways[side], scale(way, (pulley.ratio if side == 1 else 1.0) / max(size, 1.0e-9)))
    return size


@kernel
def pull(system, bodies, pulley, impulse):
    """Apply an impulse on both sides, away from the wheels."""
    for side in range(2):
        if is_pulled(bodies, pulley, side):
            body = bodies[pulley.bodies[side]]
            way = scale(vector3(pulley.ways[side]), impulse)
            push_row(system, body, INT64(body.active_index) + 1, vector3(pulley.arms[side]), way)


@kernel
def speed_and_mass(system, bodies, pulley):
    """Speed at which the rope gets longer [m/s], and its inverse effective mass [1/kg]."""
    speed, mass = 0.0, 0.0
    for side in range(2):
        index = pulley.bodies[side]
        if index >= 0 and bodies[index].active_index >= 0:
            body, arm, way = bodies[index], vector3(pulley.arms[side]), vector3(pulley.ways[side])
            velocity = velocity_at(system, INT64(body.active_index) + 1, arm)
            speed += way[0] * velocity[0] + way[1] * velocity[1] + way[2] * velocity[2]
            mass += inverse_mass_along(body, arm, way)
    return speed, mass


@kernel
def holds(system, bodies, pulley):
    """Whether a pulley is switched on, and both of its sides are there."""
    return pulley.is_enabled != 0 and is_there(system, bodies, pulley, 0) and is_there(system, bodies, pulley, 1)


@kernel
def moves(bodies, pulley, side):
    """Whether the body of a side moves, so that the rope may wake the other one. Kinematic bodies are awake only while they
    move."""
    index = pulley.bodies[side]
    if index < 0 or bodies[index].active_index < 0:
        return False
    return bodies[index].mode == KINEMATIC or (bodies[index].mode >= RIGID and bodies[index].sleep_time == 0.0)


@kernel
def wake_side(system, world, bodies, pulley, side):
    """Wake the body of a side, if it is there and can move."""
    index = pulley.bodies[side]
    if index >= 0 and is_there(system, bodies, pulley, side) and bodies[index].mode >= RIGID:
        wake_island(system, world, bodies, index)


@entry_point("void(int64, int64, float64)")
def begin_pulley(system_address, address, delta_time):
    """Step listener, before the step: wake a body that is pulled by a moving one, or that the rope no longer holds because the
    other one was freed or left the space."""
    system, pulley = system_at(system_address), view(address, 1, PULLEY)[0]
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    pulley.total_impulse = 0.0
    has_held, pulley.holds = pulley.holds, 1 if holds(system, bodies, pulley) else 0
    pulley.impulse = pulley.impulse * system.step.warm_part if pulley.holds else 0.0
    for side in range(2):
        if has_held and not pulley.holds or pulley.holds and moves(bodies, pulley, 1 - side):
            wake_side(system, world, bodies, pulley, side)


@entry_point("void(int64, int64, float64)")
def solve_pulley(system_address, address, h):
    """Step listener, in each sub-step: keep the rope between its limits."""
    system, pulley = system_at(system_address), view(address, 1, PULLEY)[0]
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    if not pulley.holds:
        return
    first = measure_side(system, bodies, pulley, 0)
    pulley.length = first + pulley.ratio * measure_side(system, bodies, pulley, 1)
    least, most = 0.0, 0.0
    gap, is_rod = 0.0, pulley.longest - pulley.shortest < 1.0e-4
    if is_rod or pulley.length > 0.5 * (pulley.shortest + pulley.longest):
        gap = pulley.length - pulley.longest
        least, most = -1.0e30, (1.0e30 if is_rod else 0.0)
    else:
        gap = pulley.length - pulley.shortest
        most = 1.0e30
    pulley.impulse = min(max(pulley.impulse, least), most)
    pull(system, bodies, pulley, pulley.impulse)
    speed, mass = speed_and_mass(system, bodies, pulley)
    if mass > 0.0:
        bias_rate, mass_scale, impulse_scale = softness_of(system, h)
        change = -mass_scale * (speed + gap * bias_rate) / mass - impulse_scale * pulley.impulse
        if not is_rod and gap * (1.0 if most == 0.0 else -1.0) < 0.0:  # not reached: only motion beyond it is braked
            change = -(speed + gap / h) / mass
        renewed = min(max(pulley.impulse + change, least), most)
        pull(system, bodies, pulley, renewed - pulley.impulse)
        pulley.impulse = renewed
    pulley.total_impulse += pulley.impulse
