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
from .contacts import NEAR, renew_contacts
from .faces import find_air, has_air, press_faces
from .pushes import solve_contacts
from .schema import EDGE
from .surroundings import apply_surroundings, find_candidates, measure_bounds

INT64, FLOAT64 = np.int64, np.float64
SMALL_STEP_RATE = 240.0
"""Small steps a second for each step of `precision`."""
MOST_SMALL_STEPS = 256
FASTEST = 1000.0
"""Particles are not faster than this [m/s]."""
SLOW = 0.05
"""A soft body sleeps when all particles have been slower than this for the time that bodies need to fall asleep [m/s]."""
SHORTEST = 1e-9
"""An edge shorter than this has no direction [m]."""


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
    n, soft.time = soft.particle_count, time
    positions, velocities = view2(soft.positions, n, 3, FLOAT64), view2(soft.velocities, n, 3, FLOAT64)
    around = apply_surroundings(system, soft, positions)
    if lead_pins(soft, positions, velocities, time):
        soft.is_asleep = 0
    fastest = math.sqrt(measure_bounds(soft, positions, velocities))
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    falls = 0.5 * math.sqrt(dot(vector3(system.settings.gravity), vector3(system.settings.gravity))) * time * time
    reach = 4.0 * soft.radius + 2.0 * NEAR + min(fastest, FASTEST) * time + falls
    around += find_candidates(system, soft, bodies, reach)
    if soft.is_asleep != 0 and around != soft.surroundings:
        soft.is_asleep = 0
        soft.still_time = 0.0
    soft.surroundings = around


@kernel
def move_particles(soft, positions, velocities, h):
    """Move the particles freely for a small step: forces, damping, motion."""
    n = soft.particle_count
    previous, accelerations = view2(soft.previous, n, 3, FLOAT64), view2(soft.accelerations, n, 3, FLOAT64)
    shares, damps = view(soft.inverse_masses, n, FLOAT64), view(soft.damps, n, FLOAT64)
    airs, is_in_air = view2(soft.airs, n, 3, FLOAT64), has_air(soft)
    for i in range(n):
        velocity, at = vector3(velocities[i]), vector3(positions[i])
        if shares[i] > 0.0:
            if is_in_air:
                velocity = add_scaled(velocity, vector3(airs[i]), h)
            velocity = scale(add_scaled(velocity, vector3(accelerations[i]), h), 1.0 / (1.0 + damps[i] * h))
            squared = dot(velocity, velocity)
            if squared > FASTEST * FASTEST:
                velocity = scale(velocity, FASTEST / math.sqrt(squared))
        store3(previous[i], at)
        store3(positions[i], add_scaled(at, velocity, h))


@kernel
def solve_edges(soft, positions, h):
    """Solve all edges once, in the order of their colours.

    A single pass stretches more than the compliance says: what an edge has set right, those after it move again. Where forces
    are in balance, half of the others at its ends come after it, and pull back half of what it moved. So half of the inverse
    masses is left out again."""
    edges, shares = view(soft.edges, soft.edge_count, EDGE), view(soft.inverse_masses, soft.particle_count, FLOAT64)
    softer = 1.0 / (h * h)
    for k in range(soft.edge_count):
        edge = edges[k]
        a, b = INT64(edge.a), INT64(edge.b)
        share_a, share_b = shares[a], shares[b]
        x, y, z = positions[b, 0] - positions[a, 0], positions[b, 1] - positions[a, 1], positions[b, 2] - positions[a, 2]
        size = math.sqrt(x * x + y * y + z * z)
        total = share_a + share_b
        if size < SHORTEST or total == 0.0:
            continue
        pull = (size - edge.rest) / (max(0.5 * total + edge.compliance * softer, total) * size)
        x, y, z = x * pull, y * pull, z * pull
        positions[a, 0] += share_a * x
        positions[a, 1] += share_a * y
        positions[a, 2] += share_a * z
        positions[b, 0] -= share_b * x
        positions[b, 1] -= share_b * y
        positions[b, 2] -= share_b * z


@kernel
def take_velocities(soft, positions, velocities, h):
    """Compute the velocities of a small step from its motion. A particle without a finite place goes back to where it was."""
    n = soft.particle_count
    previous, shares = view2(soft.previous, n, 3, FLOAT64), view(soft.inverse_masses, n, FLOAT64)
    rate = 1.0 / h
    for i in range(n):
        way = subtract(vector3(positions[i]), vector3(previous[i]))
        if not dot(way, way) < 1e12:
            store3(positions[i], vector3(previous[i]))
            way = (0.0, 0.0, 0.0)
        if shares[i] > 0.0:
            store3(velocities[i], scale(way, rate))


@kernel
def finish(system, soft, positions, velocities):
    """Put pins exactly on their targets after the last sub-step, and let the soft body fall asleep if it is still."""
    n, fastest = soft.particle_count, 0.0
    targets, shares = view2(soft.targets, n, 3, FLOAT64), view(soft.inverse_masses, n, FLOAT64)
    for i in range(n):
        v = vector3(velocities[i])
        fastest = max(fastest, dot(v, v))
        if shares[i] == 0.0:
            store3(positions[i], vector3(targets[i]))
    is_still = fastest < SLOW * SLOW and soft.fastest_body < SLOW
    soft.still_time = soft.still_time + soft.time if is_still else 0.0
    if soft.can_sleep != 0 and system.settings.is_sleeping_allowed != 0 and soft.still_time > system.settings.time_to_sleep:
        soft.is_asleep = 1
        for i in range(n):
            store3(velocities[i], (0.0, 0.0, 0.0))
    measure_bounds(soft, positions, velocities)


@kernel
def solve_soft_body(system, soft, h):
    """In each sub-step: move the particles for `h` [s]."""
    n = soft.particle_count
    positions, velocities = view2(soft.positions, n, 3, FLOAT64), view2(soft.velocities, n, 3, FLOAT64)
    renew_contacts(system, soft, h, system.step.substep == 0)
    count = min(max(INT64(math.ceil(h * SMALL_STEP_RATE * soft.precision - 1e-6)), 1), MOST_SMALL_STEPS)
    small = h / count
    is_in_air = has_air(soft)
    for k in range(count):
        if is_in_air and k % soft.precision == 0:
            find_air(soft, positions, velocities, min(soft.precision, count - k) * small)
        press_faces(soft, positions, velocities, small)
        move_particles(soft, positions, velocities, small)
        solve_edges(soft, positions, small)
        solve_contacts(system, soft, small, k * small)
        take_velocities(soft, positions, velocities, small)
    if system.step.substep == system.settings.substep_count - 1:
        finish(system, soft, positions, velocities)
