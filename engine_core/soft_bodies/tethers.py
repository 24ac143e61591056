"""Tethers: a particle may be at most a length away from a centre that moves. If it is farther, it is put on the sphere there.

A particle has up to two: one to a pin (T. Kim, N. Chentanez, M. Mueller, "Long Range Attachments", 2012), and one to its target
in a skin. They are solved once in each small step, after the edges and before contacts. A ball is convex, so a particle that is
put back on the one in which it was moves no farther than without: a centre at rest brings no energy. No particle waits for
another one, so all strips are solved at once.
"""

import math

import numpy as np

from ..geometry.vector import add_scaled, dot, length, store3, subtract, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import view, view2

INT32, INT64, FLOAT64 = np.int32, np.int64, np.float64


@kernel
def left_of_step(system, soft):
    """The time from the end of the small step before `small_step` to the end of the step [s]; exactly 0 for the last one."""
    count = INT64(soft.substep / soft.small + 0.5)
    substeps = system.settings.substep_count - 1 - system.step.substep
    return FLOAT64(substeps) * soft.substep + FLOAT64(count - soft.small_step) * soft.small


@kernel
def hold(place, centre, most):
    """Put a place that is farther than `most` [m] from a centre, world [m], on the sphere around it."""
    way = subtract(vector3(place), centre)
    squared = dot(way, way)
    if squared > most * most:
        store3(place, add_scaled(centre, way, most / math.sqrt(squared)))


@kernel
def hold_by_pins(soft, begin, end, left):
    """Hold the particles at some places by their pins, `left` [s] before the end of the step. Pins reach their targets evenly, so
    their places follow from that: those in memory may belong to another strip, which moves on meanwhile."""
    keep_as_call()
    n, order, places = soft.particle_count, view(soft.order, soft.particle_count, INT32), view2(soft.places, end, 4, FLOAT64)
    targets, velocities = view2(soft.targets, n, 3, FLOAT64), view2(soft.velocities, n, 3, FLOAT64)
    anchors, lengths = view(soft.anchors, n, INT32), view(soft.tether_lengths, n, FLOAT64)
    for place in range(begin, end):
        i = INT64(order[place])
        if lengths[i] < np.inf and places[place, 3] > 0.0:
            pin = INT64(anchors[i])
            hold(places[place], add_scaled(vector3(targets[pin]), vector3(velocities[pin]), -left), lengths[i])


@kernel
def hold_by_skin(soft, begin, end, left):
    """Hold the particles at some places near their targets, which move evenly, `left` [s] before the end of the step."""
    keep_as_call()
    n, order, places = soft.particle_count, view(soft.order, soft.particle_count, INT32), view2(soft.places, end, 4, FLOAT64)
    skins, starts = view2(soft.skins, n, 3, FLOAT64), view2(soft.skin_starts, n, 3, FLOAT64)
    reaches, part = view(soft.reaches, n, FLOAT64), left / soft.time
    for place in range(begin, end):
        i = INT64(order[place])
        if reaches[i] < np.inf and places[place, 3] > 0.0:
            target = vector3(skins[i])
            hold(places[place], add_scaled(target, subtract(vector3(starts[i]), target), part), reaches[i])


@kernel
def solve_tethers(system, soft, begin, end):
    """Solve the tethers of the particles at the places `begin` to `end - 1` in the small step before `small_step`."""
    if soft.slack >= 0.0:
        hold_by_pins(soft, begin, end, left_of_step(system, soft))
    if soft.is_skinned != 0:
        hold_by_skin(soft, begin, end, left_of_step(system, soft))


@kernel
def speed_of_skin(soft, time):
    """The speed of the fastest target of a skin in a step of `time` [s], in m/s."""
    n, fastest = soft.particle_count, 0.0
    skins, starts = view2(soft.skins, n, 3, FLOAT64), view2(soft.skin_starts, n, 3, FLOAT64)
    reaches = view(soft.reaches, n, FLOAT64)
    for i in range(n):
        if reaches[i] < np.inf:
            fastest = max(fastest, length(subtract(vector3(skins[i]), vector3(starts[i]))))
    return fastest / time


@kernel
def end_skin(soft):
    """Note where the targets of a skin are as a step ends. Unless they are renewed, they stay there."""
    n = soft.particle_count
    skins, starts = view2(soft.skins, n, 3, FLOAT64), view2(soft.skin_starts, n, 3, FLOAT64)
    for i in range(n):
        store3(starts[i], vector3(skins[i]))
