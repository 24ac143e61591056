"""The rigid bodies near a soft body as a step begins, and the areas that its particles are in.

Areas act on each particle by itself: a flag may hang halfway into the wind. They are combined as for rigid bodies
(sensors/effects.py): in descending priority, the space last.
"""

import numpy as np

from ..bodies.parts import PARTS, begin_parts, end_parts, next_part_in_box, part_row
from ..bodies.publication import read_body
from ..bodies.records import world_at
from ..bodies.schema import INSTANCE, LAYER_SENSOR, RIGID, STATIC
from ..broad_phase.query import bounds_query_next, bounds_query_on, query_end, query_enter
from ..broad_phase.schema import CURSOR
from ..collision.filters import TREE_SIZE
from ..geometry.angles import exponential, logarithm
from ..geometry.vector import add, add_scaled, dot, length, quaternion, rotate_inverse, scale, store3, subtract, vector3
from ..runtime.call import load_int64
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_record, stack_array, view, view2
from ..runtime.pair_table import hash_of
from ..sensors.effects import ends, fold, fold_vector, gravity_of, space_gravity
from ..sensors.overlaps import has_overrides, rows_of
from ..shapes.ray import point_in_shape
from ..shapes.schema import SHAPE
from ..solver.pair_settling import sort_int32
from .schema import MOST_AREAS, MOST_CANDIDATES, WIND

INT32, INT64, FLOAT64 = np.int32, np.int64, np.float64
FARTHEST_WAY = 1.0
"""Rigid bodies that would need to move farther than this in a step to reach a soft body are not looked at [m]."""
TOUCHING = 0.1
"""Bodies nearer than this wake a soft body when they move, come or go [m]."""
NEAREST_SOURCE = 0.01
"""Wind that falls with distance is no stronger than at this distance from its source [m]."""
POSITION_WORDS = 5
"""Words of a BODY, from its id on, that tell whether it is another one or has moved: id, position, half of the rotation."""
FARTHEST_SOURCE = 1e9
"""Wind beyond this distance from its source is as strong as there [m]."""
NOTHING = (0.0, 0.0, 0.0)
WIND_SIZE = WIND.itemsize


@kernel
def measure_bounds(soft, positions, velocities):
    """Write the bounds of all particles. Return the square of the highest speed [m^2/s^2]."""
    low, high, fastest = (1e300, 1e300, 1e300), (-1e300, -1e300, -1e300), 0.0
    for i in range(soft.particle_count):
        x, y, z = positions[i, 0], positions[i, 1], positions[i, 2]
        low = (min(low[0], x), min(low[1], y), min(low[2], z))
        high = (max(high[0], x), max(high[1], y), max(high[2], z))
        v = vector3(velocities[i])
        fastest = max(fastest, dot(v, v))
    store3(soft.bounds, low)
    store3(soft.bounds[3:6], high)
    return fastest


@kernel
def query_box(cursor, tree, soft, reach):
    """Begin a search of a tree for what is within `reach` [m] of a soft body. Return the origin of the tree, world [m]."""
    origin = query_enter(cursor, tree)
    box = stack_array(6, FLOAT64)
    for k in range(3):
        slack = 1e-6 * (1.0 + abs(soft.bounds[k] - origin[k]) + abs(soft.bounds[3 + k] - origin[k]))
        box[k] = soft.bounds[k] - origin[k] - reach - slack
        box[3 + k] = soft.bounds[3 + k] - origin[k] + reach + slack
    bounds_query_on(cursor, tree, box)
    return origin


@kernel
def is_excepted(soft, identity):
    """Whether a soft body must not meet the body with this id."""
    ids = view(soft.exceptions, soft.exception_count, INT64)
    for k in range(soft.exception_count):
        if ids[k] == identity:
            return True
    return False


@kernel
def is_met(soft, body):
    """Whether a soft body and a rigid one collide: one of the two has the other in its mask."""
    if body.id == 0 or body.instance_count == 0:
        return False
    if soft.mask & body.collision_layer == 0 and body.collision_mask & soft.layer == 0:
        return False
    return soft.exception_count == 0 or not is_excepted(soft, body.id)


@kernel
def speed_bound(body):
    """A bound for the speed of all points of a body [m/s]."""
    return length(vector3(body.linear_velocity)) + length(vector3(body.angular_velocity)) * FLOAT64(body.extent)


@kernel
def distance_to_bounds(soft, body, origin):
    """Distance between the bounds of a soft body and a rigid one along the axis where they are farthest apart [m]."""
    distance = -1e300
    for k in range(3):
        distance = max(distance, FLOAT64(body.bounds[k]) + origin[k] - soft.bounds[3 + k])
        distance = max(distance, soft.bounds[k] - FLOAT64(body.bounds[3 + k]) - origin[k])
    return distance


@kernel
def hash_of_pose(body):
    """A hash of a body's id and pose."""
    address, mixed = address_of_record(body), INT64(1)
    for k in range(POSITION_WORDS):
        word = load_int64(address + 8 * k)
        mixed = hash_of(mixed, word ^ word >> 32)
    return mixed


@kernel
def find_candidates(system, soft, bodies, reach):
    """List the rigid bodies that may come within `reach` [m] of a soft body in this step. Return a hash of those that are there
    already, in no order."""
    candidates, cursor = view(soft.candidates, MOST_CANDIDATES, INT32), stack_array(1, CURSOR)
    count, mixed, soft.fastest_body = 0, INT64(0), 0.0
    for layer in range(system.trees.layer_count):
        if layer == LAYER_SENSOR:
            continue
        tree = system.trees.rows + layer * TREE_SIZE
        origin = query_box(cursor, tree, soft, reach + FARTHEST_WAY)
        index = bounds_query_next(cursor, tree)
        while index >= 0:
            body = bodies[index]
            if is_met(soft, body) and body.system == system.index:
                speed, distance = speed_bound(body), distance_to_bounds(soft, body, origin)
                is_new = distance <= reach + speed * soft.time
                for k in range(count):
                    is_new = is_new and candidates[k] != index
                if is_new and count == MOST_CANDIDATES:
                    soft.left_out += 1
                elif is_new:
                    candidates[count] = INT32(index)
                    count += 1
                    if body.mode != STATIC:
                        soft.fastest_body = max(soft.fastest_body, speed)
                    if distance <= TOUCHING:
                        mixed += hash_of_pose(body)
            index = bounds_query_next(cursor, tree)
        query_end(cursor, tree)
    soft.candidate_count = count
    sort_int32(candidates, count)  # what a tree yields first depends on how it was built
    return mixed


@kernel
def wind_of(soft, index):
    """The row of WIND of an area."""
    return view(soft.wind_areas + index * WIND_SIZE, 1, WIND)[0]


@kernel
def has_wind(soft, index):
    """Whether an area has wind."""
    return soft.wind_areas != 0 and wind_of(soft, index).magnitude != 0.0


@kernel
def find_areas(system, soft, bodies, areas, found):
    """List the areas near a soft body that may act on it, the highest priority first. Return their number."""
    cursor, count = stack_array(1, CURSOR), 0
    tree = system.trees.rows + LAYER_SENSOR * TREE_SIZE
    query_box(cursor, tree, soft, 0.0)
    index = bounds_query_next(cursor, tree)
    while index >= 0:
        is_new = bodies[index].collision_mask & soft.layer != 0 and (has_overrides(areas[index]) or has_wind(soft, index))
        for k in range(count):
            is_new = is_new and found[k] != index
        if is_new and count == MOST_AREAS:
            soft.left_out += 1
        elif is_new:
            k = count - 1
            while k >= 0 and goes_before(areas, index, found[k]):
                found[k + 1] = found[k]
                k -= 1
            found[k + 1] = index
            count += 1
        index = bounds_query_next(cursor, tree)
    query_end(cursor, tree)
    return count


@kernel
def goes_before(areas, a, b):
    """Whether area `a` acts before area `b`."""
    return areas[a].priority > areas[b].priority or (areas[a].priority == areas[b].priority and a < b)


@kernel
def is_inside(world, body, point):
    """Whether a point, world [m], is in a shape of an area."""
    instances, shapes = view(world.instances, world.instance_capacity, INSTANCE), view(world.shapes, world.shape_capacity, SHAPE)
    position, rotation, first, count = read_body(body)
    local = rotate_inverse(rotation, subtract(point, position))
    walk = stack_array(1, PARTS)[0]
    begin_parts(walk, first, count)
    while next_part_in_box(walk, world, instances, shapes, local, local) >= 0:
        instance = part_row(walk, instances)
        if instance.is_disabled or instance.shape < 0:
            continue
        own = rotate_inverse(quaternion(instance.rotation), subtract(local, vector3(instance.position)))
        if point_in_shape(shapes, INT64(instance.shape), own):
            end_parts(walk, world)
            return True
    return False


@kernel
def wind_at(wind, point):
    """The wind's pressure at a point, along its direction [N/m^2]; none behind its source."""
    way = dot(subtract(point, vector3(wind.source)), vector3(wind.direction))
    if way < 0.0:
        return NOTHING
    strength = wind.magnitude
    if wind.attenuation != 0.0:
        strength *= exponential(-wind.attenuation * logarithm(min(max(way, NEAREST_SOURCE), FARTHEST_SOURCE)))
    return scale(vector3(wind.direction), strength)


@kernel
def act_on(system, world, soft, bodies, areas, found, count, point):
    """(gravity [m/s^2], damping [1/s], wind [N/m^2]) at a point of a soft body, of areas and space."""
    gravity, damp, wind = NOTHING, 0.0, NOTHING
    ended_gravity, ended_damp = False, False
    for k in range(count):
        index = found[k]
        area = areas[index]
        if not is_inside(world, bodies[index], point):
            continue
        if has_wind(soft, index):
            wind = add(wind, wind_at(wind_of(soft, index), point))
        if not ended_gravity:
            gravity = fold_vector(area.gravity_mode, gravity, gravity_of(system.world, area, bodies[index], point))
            ended_gravity = ends(area.gravity_mode)
        if not ended_damp:
            damp = fold(area.linear_damp_mode, damp, area.linear_damp)
            ended_damp = ends(area.linear_damp_mode)
    if not ended_gravity:
        gravity = add(gravity, space_gravity(system, point))
    return gravity, damp if ended_damp else damp + system.settings.linear_damp, wind


@kernel
def apply_surroundings(system, soft, positions):
    """Write acceleration, damping and wind of each particle for this step. Return a hash of gravity and wind."""
    world = world_at(system.world)
    bodies, areas = rows_of(system)
    found = stack_array(MOST_AREAS, INT64)
    count = find_areas(system, soft, bodies, areas, found)
    n = soft.particle_count
    accelerations, forces = view2(soft.accelerations, n, 3, FLOAT64), view2(soft.forces, n, 3, FLOAT64)
    winds, damps = view2(soft.winds, n, 3, FLOAT64), view(soft.damps, n, FLOAT64)
    inverse_masses = view(soft.inverse_masses, n, FLOAT64)
    soft.has_wind, soft.is_even, total = 0, 1, NOTHING
    for i in range(n):
        gravity, damp, wind = act_on(system, world, soft, bodies, areas, found, count, vector3(positions[i]))
        force = vector3(forces[i])
        acceleration = add_scaled(scale(gravity, soft.gravity_scale), force, inverse_masses[i])
        store3(accelerations[i], acceleration)
        store3(winds[i], wind)
        damps[i] = damp + soft.damping
        store3(forces[i], NOTHING)
        if damps[i] != damps[0] or (acceleration != vector3(accelerations[0]) and inverse_masses[i] > 0.0):
            soft.is_even = 0
        if dot(wind, wind) > 0.0:
            soft.has_wind = 1
        total = add(total, add(acceleration, wind))
    return INT64(1000.0 * total[0]) + 31 * INT64(1000.0 * total[1]) + 977 * INT64(1000.0 * total[2])


@kernel
def is_movable(body):
    """Whether contacts can move a body."""
    return body.mode >= RIGID and body.inverse_mass > 0.0
