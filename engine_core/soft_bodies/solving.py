"""One soft body in a step: before it, it looks around; in each sub-step its particles move and its edges are solved.

Edges are soft constraints of positions with compliance in physical units (M. Macklin, M. Mueller, N. Chentanez, "XPBD", 2016).
Each sub-step of the rigid bodies is divided into small steps of at most 1/240 s / `precision`, with one pass over the edges each:
small steps stretch less than many passes (M. Macklin and others, "Small Steps in Physics Simulation", 2019), and since their
length hardly depends on the number of sub-steps, neither does the stretch.
"""

import math

import numpy as np

from ..bodies.records import world_at
from ..bodies.schema import BODY, RIGID
from ..geometry.vector import add_scaled, dot, scale, store3, subtract, vector3
from ..runtime.kernel import kernel
from ..runtime.memory import view, view2
from ..solver.sleeping import wake_island
from .contacts import NEAR
from .faces import has_air
from .surroundings import apply_surroundings, find_candidates, measure_bounds
from .tethers import end_skin, speed_of_skin

INT32, INT64, FLOAT64 = np.int32, np.int64, np.float64
SMALL_STEP_RATE = 240.0
"""Small steps a second for each step of `precision`."""
MOST_SMALL_STEPS = 256
FASTEST = 1000.0
"""Particles are not faster than this [m/s]."""
SLOW = 0.05
"""A soft body sleeps when all particles have been slower than this for the time that bodies need to fall asleep [m/s]."""


@kernel
def wake_pushed(system, soft):
    """Wake the sleeping body that a particle pushed in the step before."""
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    index = soft.to_wake - 1
    soft.to_wake = 0
    if index >= 0 and bodies[index].id != 0 and bodies[index].system == system.index:
        if bodies[index].mode >= RIGID and bodies[index].active_index < 0:
            wake_island(system, world, bodies, index)


@kernel
def lead_pins(soft, positions, velocities, time):
    """Give pinned particles the velocity with which they reach their targets at the end of the step. Return whether any
    moves."""
    targets, shares = (
        view2(soft.targets, soft.particle_count, 3, FLOAT64),
        view(soft.inverse_masses, soft.particle_count, FLOAT64),
    )
    moves = False
    for i in range(soft.particle_count):
        if shares[i] == 0.0:
            way = subtract(vector3(targets[i]), vector3(positions[i]))
            store3(velocities[i], scale(way, 1.0 / time))
            moves = moves or dot(way, way) > 0.0
    return moves


@kernel
def prepare_soft_body(system, soft, time):
    """Before the step: find bodies and areas around; wake, or stay asleep."""
    n, soft.time, soft.left_out = soft.particle_count, time, 0
    positions, velocities = view2(soft.positions, n, 3, FLOAT64), view2(soft.velocities, n, 3, FLOAT64)
    around = apply_surroundings(system, soft, positions)
    if lead_pins(soft, positions, velocities, time):
        soft.is_asleep = 0
    fastest = math.sqrt(measure_bounds(soft, positions, velocities))
    if soft.is_skinned != 0:
        fastest = max(fastest, speed_of_skin(soft, time))
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    falls = 0.5 * math.sqrt(dot(vector3(system.settings.gravity), vector3(system.settings.gravity))) * time * time
    reach = 4.0 * soft.radius + 2.0 * NEAR + min(fastest, FASTEST) * time + falls
    soft.reach, soft.fastest = reach, min(fastest, FASTEST)
    around += find_candidates(system, soft, bodies, reach)
    if soft.is_asleep != 0 and around != soft.surroundings:
        soft.is_asleep = 0
        soft.still_time = 0.0
    soft.surroundings = around


@kernel
def move_particles(soft, begin, end, h):
    """Move the particles at some places freely for a small step: forces, damping, motion."""
    n, order, places = soft.particle_count, view(soft.order, soft.particle_count, INT32), view2(soft.places, end, 4, FLOAT64)
    positions, velocities = view2(soft.positions, n, 3, FLOAT64), view2(soft.velocities, n, 3, FLOAT64)
    accelerations, airs, is_in_air = view2(soft.accelerations, n, 3, FLOAT64), view2(soft.airs, n, 3, FLOAT64), has_air(soft)
    shares, damps = view(soft.inverse_masses, n, FLOAT64), view(soft.damps, n, FLOAT64)
    is_even, acceleration, kept = soft.is_even != 0, vector3(accelerations[0]), 1.0 / (1.0 + damps[0] * h)
    for place in range(begin, end):
        i = INT64(order[place])
        velocity = vector3(velocities[i])
        if shares[i] > 0.0:
            if is_in_air:
                velocity = add_scaled(velocity, vector3(airs[i]), h)
            if not is_even:  # else memory and a division are saved
                acceleration, kept = vector3(accelerations[i]), 1.0 / (1.0 + damps[i] * h)
            velocity = scale(add_scaled(velocity, acceleration, h), kept)
            squared = dot(velocity, velocity)
            if squared > FASTEST * FASTEST:
                velocity = scale(velocity, FASTEST / math.sqrt(squared))
        store3(places[place], add_scaled(vector3(positions[i]), velocity, h))
        places[place, 3] = shares[i]


@kernel
def take_velocities(soft, begin, end, h):
    """Compute positions, and velocities from the motion, of the particles at some places at the end of a small step. A particle
    without a finite place stays where it was."""
    n, order, places = soft.particle_count, view(soft.order, soft.particle_count, INT32), view2(soft.places, end, 4, FLOAT64)
    positions, velocities = view2(soft.positions, n, 3, FLOAT64), view2(soft.velocities, n, 3, FLOAT64)
    rate = 1.0 / h
    for place in range(begin, end):
        i = INT64(order[place])
        at = vector3(places[place])
        way = subtract(at, vector3(positions[i]))
        if dot(way, way) < 1e12:
            store3(positions[i], at)
        else:
            way = (0.0, 0.0, 0.0)
        if places[place, 3] > 0.0:
            store3(velocities[i], scale(way, rate))


@kernel
def finish(system, soft):
    """Put pins exactly on their targets after the last sub-step, and let the soft body fall asleep if it is still."""
    n, fastest = soft.particle_count, 0.0
    positions, velocities = view2(soft.positions, n, 3, FLOAT64), view2(soft.velocities, n, 3, FLOAT64)
    targets, shares = view2(soft.targets, n, 3, FLOAT64), view(soft.inverse_masses, n, FLOAT64)
    for i in range(n):
        v = vector3(velocities[i])
        fastest = max(fastest, dot(v, v))
        if shares[i] == 0.0:
            store3(positions[i], vector3(targets[i]))
    if soft.is_skinned != 0:
        end_skin(soft)
    is_still = fastest < SLOW * SLOW and soft.fastest_body < SLOW
    soft.still_time = soft.still_time + soft.time if is_still else 0.0
    if soft.can_sleep != 0 and system.settings.is_sleeping_allowed != 0 and soft.still_time > system.settings.time_to_sleep:
        soft.is_asleep = 1
        for i in range(n):
            store3(velocities[i], (0.0, 0.0, 0.0))
    measure_bounds(soft, positions, velocities)


@kernel
def small_steps_of(soft, h):
    """The number of small steps that a soft body needs in a sub-step of `h` [s]."""
    return min(max(INT64(math.ceil(h * SMALL_STEP_RATE * soft.precision - 1e-6)), 1), MOST_SMALL_STEPS)
