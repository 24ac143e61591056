"""Effects of areas on bodies: gravity and damping, combined from all areas around a body in descending priority, the space's own
last. Areas of the same priority are processed in the order of their rows.
"""

import numpy as np

from ..bodies.motion import system_of
from ..bodies.rare import stretched
from ..bodies.records import system_at, world_at
from ..bodies.schema import IN_AREAS, KINEMATIC
from ..collision.pairs import lists_of, pairs_of
from ..collision.schema import PAIR_IS_TOUCHING, PAIR_WAS_ON_CURVE
from ..geometry.vector import add, length, quaternion, rotate, scale, store3, subtract, vector3
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import view
from .overlaps import first_overlap, has_overrides, overlaps_of, rows_of, sensors_of
from .schema import AREA, COMBINE_REPLACE, DISABLED, IS_INSIDE, REPLACE

INT64, FLOAT32 = np.int64, np.float32
HIGHEST = 1 << 40
NOTHING = (0.0, 0.0, 0.0)


@kernel
def point_gravity(area, point, position):
    """Gravity [m/s^2] at `position` towards a point, both world [m]."""
    way = subtract(point, position)
    distance = length(way)
    if distance <= 0.0:
        return NOTHING
    strength = area.gravity
    if area.unit_distance > 0.0:
        strength *= area.unit_distance * area.unit_distance / (distance * distance)
    return scale(way, strength / distance)


@kernel
def gravity_of(world_address, area, body, position):
    """Gravity [m/s^2] of an area, whose row of BODY is `body`, at a position."""
    if area.is_point == 0:
        return scale(vector3(area.gravity_vector), area.gravity)
    v = stretched(world_address, body, vector3(area.gravity_vector))
    return point_gravity(area, add(vector3(body.position), rotate(quaternion(body.rotation), v)), position)


@kernel
def space_gravity(system, position):
    """Gravity [m/s^2] of the space itself."""
    area = view(sensors_of(system)[0].default_area, 1, AREA)[0]
    if area.is_point:
        return point_gravity(area, vector3(area.gravity_vector), position)
    return (system.settings.gravity[0], system.settings.gravity[1], system.settings.gravity[2])


@kernel
def next_area(system, world, areas, index, priority, area):
    """The next area around a body that has effects, after `area`, which has this priority; -1 if there is none."""
    sensors = sensors_of(system)[0]
    overlaps = overlaps_of(sensors)
    found, highest = INT64(-1), INT64(0)
    key = first_overlap(sensors, index, world.body_capacity)
    while key >= 0:
        overlap = overlaps[key >> 1]
        other = INT64(overlap.area)
        if key & 1 and overlap.flags & IS_INSIDE and has_overrides(areas[other]):
            own = areas[other].priority
            is_left = own < priority or (own == priority and other > area)
            if is_left and (found < 0 or own > highest or (own == highest and other < found)):
                found, highest = other, own
        key = INT64(overlap.next[key & 1])
    return found


@kernel
def ends(mode):
    """Whether areas of lower priority are ignored."""
    return mode == COMBINE_REPLACE or mode == REPLACE


@kernel
def fold(mode, present, own):
    """Combine a number from earlier areas with that of an area with this mode."""
    if mode == DISABLED:
        return present
    return own if mode >= REPLACE else present + own


@kernel
def fold_vector(mode, present, own):
    """Combine a vector from earlier areas with that of an area with this mode."""
    return fold(mode, present[0], own[0]), fold(mode, present[1], own[1]), fold(mode, present[2], own[2])


@kernel
def surroundings_at(system, index, position):
    """(gravity [m/s^2], linear damping, angular damping [1/s]) of all areas and the space for a body, at a position [m]; the
    body's own are not included."""
    world = world_at(system.world)
    bodies, areas = rows_of(system)
    gravity, linear, angular = NOTHING, 0.0, 0.0
    ended_gravity, ended_linear, ended_angular = False, False, False
    at, priority = INT64(-1), INT64(HIGHEST)
    while True:
        at = next_area(system, world, areas, index, priority, at)
        if at < 0:
            break
        area = areas[at]
        priority = area.priority
        if not ended_gravity:
            gravity = fold_vector(area.gravity_mode, gravity, gravity_of(system.world, area, bodies[at], position))
            ended_gravity = ends(area.gravity_mode)
        if not ended_linear:
            linear = fold(area.linear_damp_mode, linear, area.linear_damp)
            ended_linear = ends(area.linear_damp_mode)
        if not ended_angular:
            angular = fold(area.angular_damp_mode, angular, area.angular_damp)
            ended_angular = ends(area.angular_damp_mode)
    if not ended_gravity:
        gravity = add(gravity, space_gravity(system, position))
    linear = linear if ended_linear else linear + system.settings.linear_damp
    angular = angular if ended_angular else angular + system.settings.angular_damp
    return gravity, linear, angular


@kernel
def renew_surroundings(system, body, index, position):
    """Write gravity and damping to a body: those of areas and space, with its own scale and damping."""
    gravity, linear, angular = surroundings_at(system, index, position)
    store3(body.gravity, scale(gravity, float(body.gravity_scale)))
    body.total_linear_damp = FLOAT32(float(body.linear_damp) + (0.0 if body.linear_damp_mode else linear))
    body.total_angular_damp = FLOAT32(float(body.angular_damp) + (0.0 if body.angular_damp_mode else angular))


@kernel
def refresh_surroundings(world_address, index, body):
    """Call `renew_surroundings` between steps, for any mode of the body. A body in no system keeps its values."""
    if body.system >= 0:
        renew_surroundings(system_of(world_address, body.system)[0], body, index, vector3(body.position))


@kernel
def time_of_gravity(system, body):
    """The time into a step at which gravity is evaluated for a body [s]. Gravity is constant for all n sub-steps, so that a body
    moves v t + g t^2 (n + 1) / 2n. Evaluated (n - 1) / 2n of the step ahead, it preserves the energy of an orbit, as gravity at
    the beginning does for a single step.

    Gravity acts along the normal of the ground that bears a body, or it would push it forth or back: that is the normal where the
    body is, and the one half a step ahead where it rolls on along a curve (collision/rolling.py)."""
    pairs, all_lists = pairs_of(system), lists_of(system)
    key, touches = INT64(body.first_pair), False
    while key >= 0:
        flags = pairs[key >> 1].flags
        if flags & PAIR_IS_TOUCHING and flags & PAIR_WAS_ON_CURVE:
            return 0.5 * system.step.last_delta_time
        touches |= flags & PAIR_IS_TOUCHING != 0
        key = INT64(all_lists[key >> 1].next[key & 1])
    count = float(system.settings.substep_count)
    return 0.0 if touches else system.step.last_delta_time * (count - 1.0) / (2.0 * count)


@entry_point(JOB_SIGNATURE)
def apply_areas(system_address, begin, end, worker):
    """Job: gravity and damping of those of the active bodies `begin` to `end - 1` that are affected by areas."""
    system = system_at(system_address)
    world = world_at(system.world)
    bodies = rows_of(system)[0]
    is_point = view(sensors_of(system)[0].default_area, 1, AREA)[0].is_point
    active = view(system.bodies.active, world.body_capacity, np.int32)
    for slot in range(begin, end):
        index = INT64(active[slot])
        body = bodies[index]
        if body.mode != KINEMATIC and (body.flags & IN_AREAS or is_point):
            body.flags |= IN_AREAS
            ahead = scale(vector3(body.linear_velocity), time_of_gravity(system, body))
            renew_surroundings(system, body, index, add(vector3(body.position), ahead))


@kernel
def has_work(system):
    """Whether `apply_areas` has anything to do."""
    sensors = sensors_of(system)[0]
    return sensors.area_count > 0 or view(sensors.default_area, 1, AREA)[0].is_point != 0
