"""Round bodies that roll over a curve of triangles: spheres and capsules on meshes and height fields.

A contact keeps its normal for a whole step. With the tangent at the step's start, a ball in a bowl ends each step inside the next
facet. Pushing it out lifts it, and the ball wins energy. So the normal is turned towards the chord: the line from the centre to
where it is at the end of the step, as far from the surface as now. The next chord has another direction. Where the surface is
smooth, the velocity is turned with it (`carry_along_curve`); otherwise the part along the new normal would be lost.

Real edges are left alone: the normals of neighbouring facets differ by at most `KINK`.
"""

import math

import numpy as np

from ..bodies.schema import HAS_JOINT, RIGID
from ..geometry.angles import circle_point
from ..geometry.segments import nearest_on_triangle
from ..geometry.vector import (
    add, add_scaled, cross, dot, length, length_squared, negate, normalize, quaternion, rotate, rotate_inverse, scale, store3,
    subtract, vector3,
)  # fmt: skip
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_record, stack_array, view
from ..shapes.mesh_query import MESH_QUERY_SIZE, mesh_active_edges, mesh_corners, mesh_of, mesh_query_next, mesh_query_start
from ..shapes.schema import MESH
from ..shapes.traits import is_round
from .meshes import triangle_of_feature
from .pairs import manifolds_of, pairs_of
from .round_shapes import half_height_of
from .schema import (
    CURVE, LINEAR_SLOP, PAIR, PAIR_HAS_RULE, PAIR_IS_KEPT_ON_CURVE, PAIR_SPARES_A, PAIR_SPARES_B,
    PAIR_WAS_ON_CURVE,
)  # fmt: skip
from .unborne_pull import unborne_pull

FLOAT32, FLOAT64, INT64 = np.float32, np.float64, np.int64
NO_MOTION = (0.0, 0.0, 0.0)
PAIR_SIZE = PAIR.itemsize
KINK = circle_point(math.radians(6.0))[0]
"""A surface is smooth where the normals of neighbouring facets differ by less than this angle (cosine); a little more than that
of inactive edges."""
FARTHEST_TURN = circle_point(math.radians(12.0))[0]
"""The normal may turn by this angle in a step (cosine)."""
LEAST_TURN = 1e-5
"""A smaller turn is none (sine): flat ground keeps its normal, and so does a contact whose last normal was rounded."""
ON_FACE = 1.0 - 1e-6
"""The foot of a centre is inside a triangle if the line to it is along its normal (cosine)."""
STEEP = 0.2
"""A body that approaches the surface more steeply (sine of the angle) lands on it: it does not roll."""
LEAST_WAY = 5e-4
"""A body that moves less than this in a step hardly turns [m]; contacts of rolling bodies are recycled up to it."""
REACH = 0.22
"""The foot of the centre is searched within this part of the radius around where it would be on flat ground: a little more than
the sine of `FARTHEST_TURN`."""
SAME_PLACE = 0.3
"""Points of contact closer than this along the axis of a capsule are at one place: a part of the radius."""
BESIDE_EDGE = 0.06
"""A ball as far from an edge as this part of its radius does not touch the facet behind it: a little more than half of `KINK`."""
TOUCHING = 1e-12
"""The load [N s] of a contact that bears nothing as the step ends."""
ALONG_WITH_BODY = 0.05
"""The velocity is carried if that of the axis at the contact differs by at most this part from that of the centre of mass."""


@kernel
def curves_of(system):
    """The rows of CURVE, by the numbers of pairs."""
    return view(system.pairs.curves, system.pairs.capacity, CURVE)


@kernel
def may_roll(pair, a, b, delta_time):
    """Whether a pair is a body that moves on ground that does not turn, so that its normals are turned if it is round."""
    if (a.inverse_mass > 0.0) == (b.inverse_mass > 0.0) or pair.flags & PAIR_HAS_RULE:
        return False
    body, ground = (a, b) if a.inverse_mass > 0.0 else (b, a)
    if body.mode < RIGID or body.active_index < 0 or length_squared(vector3(ground.angular_velocity)) > 0.0:
        return False
    motion = scale(subtract(vector3(body.linear_velocity), vector3(ground.linear_velocity)), delta_time)
    return length_squared(motion) > LEAST_WAY * LEAST_WAY


@kernel
def is_round_on_mesh(shapes, shape_pair):
    """Whether one of two shapes is round and the other a mesh."""
    a, b = shapes[shape_pair.shape_a], shapes[shape_pair.shape_b]
    return (b.kind == MESH and is_round(a)) or (a.kind == MESH and is_round(b))


@kernel
def is_same(n, m):
    """Whether two unit vectors differ by less than `LEAST_TURN`."""
    return length_squared(cross(n, m)) < LEAST_TURN * LEAST_TURN and dot(n, m) > 0.0


@kernel
def nearer_way(shape, triangle, front, center, found, number):
    """Return `found`, (the way from `center` to the nearest point of a mesh, its square, its triangle), or that to a triangle
    with normal `front`, of any length, if it is nearer and faces the centre."""
    above = dot(front, subtract(center, triangle[0]))
    if above == 0.0 or (above < 0.0 and shape.has_backface_collision == 0):
        return found
    if above * above >= found[1] * length_squared(front):
        return found
    way = subtract(nearest_on_triangle(triangle[0], triangle[1], triangle[2], center), center)
    size = length_squared(way)
    return (way, size, INT64(number)) if size < found[1] else found


@kernel
def unit_way(mesh, found, normal, radius):
    """(Unit vector, distance [m]) of what `nearer_way` found; `normal` and infinity if it may be on a real edge, or is too
    near."""
    way, size, number = found
    if not 0.25 * radius * radius < size < math.inf:
        return normal, math.inf
    distance = math.sqrt(size)
    p, q, r = mesh_corners(mesh, number)
    front = cross(subtract(q, p), subtract(r, p))
    down = -dot(front, way)
    if abs(down) < ON_FACE * distance * length(front) and mesh_active_edges(mesh, number, down < 0.0) != 0:
        return normal, math.inf
    return scale(way, 1.0 / distance), distance


@kernel
def feet_of(shape, center, along, normal, radius):
    """Find the points of a mesh nearest to `center` and to `center` + `along`, both about `radius` [m] above it: for each the
    unit vector to it and the distance [m], mesh's frame; `normal` and infinity if there is none near the foot along `normal`, or
    it may be on a real edge."""
    keep_as_call()
    mesh = mesh_of(shape)
    query, bounds = stack_array(MESH_QUERY_SIZE, np.int64), stack_array(6, np.float64)
    below, reach, end = add_scaled(center, normal, radius), REACH * radius + LINEAR_SLOP, add(center, along)
    for k in range(3):
        bounds[k] = below[k] + min(along[k], 0.0) - reach
        bounds[3 + k] = below[k] + max(along[k], 0.0) + reach
    here, there = (normal, math.inf, INT64(-1)), (normal, math.inf, INT64(-1))
    mesh_query_start(query)
    number = mesh_query_next(mesh, query, bounds)
    while number >= 0:
        triangle = mesh_corners(mesh, number)
        front = cross(subtract(triangle[1], triangle[0]), subtract(triangle[2], triangle[0]))
        here = nearer_way(shape, triangle, front, center, here, number)
        there = nearer_way(shape, triangle, front, end, there, number)
        number = mesh_query_next(mesh, query, bounds)
    return unit_way(mesh, here, normal, radius), unit_way(mesh, there, normal, radius)


@kernel
def stays_on_triangle(shape, center, along, normal, radius, feature):
    """Whether a centre stays above one triangle of a mesh, that of its contact with `feature`, and no neighbour across a smooth
    edge comes nearer. Saves the search of `feet_of`, half of the time for balls on large triangles."""
    mesh = mesh_of(shape)
    number = triangle_of_feature(feature)
    if mesh.heights != 0 or number < 0 or number >= mesh.triangle_count:
        return False
    p, q, r = mesh_corners(mesh, number)
    front = normalize(cross(subtract(q, p), subtract(r, p)))
    if not is_same(front, negate(normal)):
        return False
    foot = add_scaled(center, normal, radius)
    for k in range(3):
        start, end = (p, q) if k == 0 else ((q, r) if k == 1 else (r, p))
        edge = subtract(end, start)
        inward, most = cross(front, edge), BESIDE_EDGE * radius * length(edge)
        inside = dot(inward, subtract(foot, start))
        if inside < most or inside + dot(inward, along) < most:
            return False
    return True


@kernel
def chord_normal(shape, center, normal, motion, radius, separation, feature):
    """Turn the normal of a contact, from the round body to the mesh, towards the chord that its centre goes along in this step,
    mesh's frame: `(whether the ground is smooth, normal)`. `motion`: of the centre in the step [m]; `feature`: of a point of the
    contact. The normal is `normal` itself on flat ground, and where the ground is not smooth."""
    keep_as_call()
    along = add_scaled(motion, normal, -dot(motion, normal))
    if stays_on_triangle(shape, center, along, normal, radius, feature):
        return True, normal
    (_, gap), (next_normal, distance) = feet_of(shape, center, along, normal, radius)
    likeness = dot(normal, next_normal)
    if gap == math.inf or distance == math.inf or likeness < FARTHEST_TURN:
        return False, normal
    if is_same(normal, next_normal):
        return True, normal
    if likeness < KINK:
        (halfway, _), _ = feet_of(shape, add_scaled(center, along, 0.5), NO_MOTION, normal, radius)
        if dot(normal, halfway) < KINK or dot(halfway, next_normal) < KINK:
            return False, normal
    chord = add_scaled(along, next_normal, distance - radius - separation)
    mean = add(normal, next_normal)
    turned = normalize(add_scaled(mean, chord, -dot(mean, chord) / length_squared(chord)))
    # On a smooth curve it lies between the two: a step up or down is none.
    is_between = dot(turned, normal) >= likeness and dot(turned, next_normal) >= likeness
    return True, (turned if is_between else normal)


@kernel
def depth_of(result):
    """Depth of the deepest point of a result; negative if it is apart [m]."""
    depth = -math.inf
    for p in range(result.point_count):
        depth = max(depth, -result.separations[p])
    return depth


@kernel
def round_side(shapes, shape_pair):
    """Describe the round one of two shapes: (whether it is the first, its radius [m], centre, axis, half the length of its
    segment [m]), world axes."""
    is_a = is_round(shapes[shape_pair.shape_a])
    center, rotation = vector3(shape_pair.position_b), quaternion(shape_pair.rotation_b)
    if is_a:
        center, rotation = vector3(shape_pair.position_a), quaternion(shape_pair.rotation_a)
    shape = shapes[shape_pair.shape_a if is_a else shape_pair.shape_b]
    return is_a, FLOAT64(shape.radius), center, rotate(rotation, (0.0, 1.0, 0.0)), half_height_of(shape)


@kernel
def inward(result, side):
    """Normal of a result from the round shape to the mesh."""
    normal = vector3(result.normal)
    return normal if side[0] else negate(normal)


@kernel
def place_of_point(result, p, side):
    """Compute where on the axis of the round shape point p of a result belongs, from its centre [m]. A result of several facets
    has points of others beside the line of its normal through the axis."""
    _, radius, center, axis, half = side
    inside = add_scaled(vector3(result.points[p]), inward(result, side), -(radius + 0.5 * result.separations[p]))
    return min(max(dot(axis, subtract(inside, center)), -half), half)


@kernel
def points_to_keep(result, side):
    """Compute the bits of the points of a result that are the deepest at their place on the axis."""
    bits = INT64(0)
    for p in range(result.point_count):
        place, is_deepest = place_of_point(result, p, side), True
        for q in range(result.point_count):
            if q != p and abs(place_of_point(result, q, side) - place) < SAME_PLACE * side[1]:
                gap = result.separations[q] - result.separations[p]
                is_deepest &= gap > 0.0 or (gap == 0.0 and q > p)
        if is_deepest:
            bits |= INT64(1) << p
    return bits


@kernel
def keep_points(result, bits):
    """Remove the points of a result whose bits are not set."""
    count = 0
    for p in range(result.point_count):
        if bits >> p & 1:
            store3(result.points[count], vector3(result.points[p]))
            result.separations[count], result.features[count] = result.separations[p], result.features[p]
            count += 1
    result.point_count = count


@kernel
def turn_contact(result, normal, side):
    """Give a result another normal, from the round body to the mesh, about its centre or axis."""
    is_a, radius, center, axis, _ = side
    keep_points(result, points_to_keep(result, side))
    for p in range(result.point_count):
        on_axis = add_scaled(center, axis, place_of_point(result, p, side))
        store3(result.points[p], add_scaled(on_axis, normal, radius + 0.5 * result.separations[p]))
    store3(result.normal, normal if is_a else negate(normal))


@kernel
def axis_of_contact(result, side):
    """The centre or axis of the round shape at the deepest point of a result, and its separation [m]."""
    deepest = 0
    for p in range(1, result.point_count):
        if result.separations[p] < result.separations[deepest]:
            deepest = p
    return add_scaled(side[2], side[3], place_of_point(result, deepest, side)), result.separations[deepest]


@kernel
def is_at_places_of(result, p, other, side):
    """Whether point p of a result lies on the axis where a result of about the same direction has points, or between them."""
    if dot(vector3(result.normal), vector3(other.normal)) <= FARTHEST_TURN:
        return False
    low, high = math.inf, -math.inf
    for q in range(other.point_count):
        place = place_of_point(other, q, side)
        low, high = min(low, place), max(high, place)
    place, margin = place_of_point(result, p, side), SAME_PLACE * side[1]
    return low - margin < place < high + margin


@kernel
def remove_points_beside(results, found, r, side):
    """Remove points of other results at the places of result `r`: facets ahead would stop what rolls along the chord."""
    for q in range(found):
        bits = INT64(0)
        for p in range(results[q].point_count):
            if q == r or not is_at_places_of(results[q], p, results[r], side):
                bits |= INT64(1) << p
        keep_points(results[q], bits)


@kernel
def next_result(results, found, done):
    """The deepest result with points whose bit in `done` is not set, or -1."""
    best, deepest = -1, -math.inf
    for r in range(found):
        depth = depth_of(results[r])
        if done >> r & 1 == 0 and depth > deepest:
            best, deepest = r, depth
    return best


@kernel
def last_normal(system, pair, chain, normal, is_a):
    """Find the most loaded contact of the two shapes in the last step whose normal differed from `normal` by less than `KINK`:
    (that normal, world axes, from the round body to the mesh; its impulse as the step ended [N s], `TOUCHING` if it bore only
    before, negative if there is none)."""
    manifolds, turn = manifolds_of(system), quaternion(pair.pose_rotation_a)
    best, most = normal, -1.0
    index = INT64(chain.remaining[0])
    while index >= 0:
        manifold = manifolds[index]
        if manifold.instance_a == chain.instances[0] and manifold.instance_b == chain.instances[1]:
            old = rotate(turn, vector3(manifold.normal))
            old = old if is_a else negate(old)
            impulse, earlier = 0.0, 0.0
            for p in range(manifold.point_count):
                impulse += manifold.normal_impulse[p]
                earlier += manifold.total_normal_impulse[p]
            if impulse == 0.0 and earlier > 0.0:
                impulse = TOUCHING
            if impulse > most and dot(old, normal) > KINK:
                best, most = old, impulse
        index = INT64(manifold.next)
    return best, most


@kernel
def note_curve(system, pair_index, body, ground, old, normal, load, chain):
    """Note that a body rolled on from a contact with normal `old` to one with `normal`, both from the body to the ground, if the
    contact bears more than those noted before."""
    if load <= chain.curve_load or (body.flags | ground.flags) & HAS_JOINT:
        return
    pair = pairs_of(system)[pair_index]
    is_on_curve = pair.flags & PAIR_WAS_ON_CURVE != 0 or not is_same(old, normal)
    if not is_on_curve or pair.flags & (PAIR_SPARES_A | PAIR_SPARES_B):
        return
    velocity = subtract(vector3(body.linear_velocity), vector3(ground.linear_velocity))
    chain.curve_load = load
    curve = curves_of(system)[pair_index]
    store3(curve.normal, normal)
    curve.speed = FLOAT32(dot(velocity, old))
    pair.flags |= np.uint32(PAIR_IS_KEPT_ON_CURVE | PAIR_WAS_ON_CURVE)


@kernel
def meets_bend(pair, velocity, old, normal, separation, time, load):
    """Whether a body that touched the ground or went on along a curve, and whose contact bore nothing as the last step ended,
    meets the curve in this step: the ground bends towards it. Where nothing presses the body on, a velocity that was turned needs
    no impulse."""
    approach = dot(velocity, normal)
    was_there = load > 0.0 or pair.flags & PAIR_WAS_ON_CURVE != 0
    return was_there and approach > dot(velocity, old) and separation < approach * time


@kernel
def roll_on(system, shapes, pair_index, a, b, delta, shape_pair, side, result, chain):
    """Compute the normal of a result turned towards the chord, world axes, from the round body to the mesh: `(whether it is
    turned, normal)`. Notes a contact that goes on from one of the last step."""
    keep_as_call()
    pair = pairs_of(system)[pair_index]
    is_a = side[0]
    body, ground, middle = (a, b, (0.0, 0.0, 0.0)) if is_a else (b, a, delta)
    mesh = shape_pair.shape_b if is_a else shape_pair.shape_a
    place, rotation = vector3(shape_pair.position_b), quaternion(shape_pair.rotation_b)
    if not is_a:
        place, rotation = vector3(shape_pair.position_a), quaternion(shape_pair.rotation_a)
    velocity = subtract(vector3(body.linear_velocity), vector3(ground.linear_velocity))
    normal, spin, time = inward(result, side), vector3(body.angular_velocity), system.step.last_delta_time
    center, separation = axis_of_contact(result, side)
    turning = cross(spin, subtract(center, middle))
    motion = scale(add(velocity, add_scaled(turning, cross(spin, turning), 0.5 * time)), time)
    if separation > LINEAR_SLOP or not abs(dot(motion, normal)) < STEEP * length(motion):
        return False, normal
    old, load = last_normal(system, pair, chain, normal, is_a)
    is_smooth, turned = chord_normal(
        shapes[mesh], rotate_inverse(rotation, subtract(center, place)), rotate_inverse(rotation, normal),
        rotate_inverse(rotation, motion), side[1], separation, INT64(result.features[0]),
    )  # fmt: skip
    turned = rotate(rotation, turned)
    is_turned = is_smooth and not is_same(turned, normal)
    now = turned if is_turned else normal
    if 0.0 <= load <= TOUCHING:
        load = TOUCHING if meets_bend(pair, velocity, old, now, separation, time, load) else 0.0
    if is_smooth and load > 0.0 and length_squared(turning) < ALONG_WITH_BODY**2 * length_squared(velocity):
        note_curve(system, pair_index, body, ground, old, now, load, chain)
    return is_turned, turned


@kernel
def turn_to_chords(system, shapes, pair_index, a, b, delta, shape_pair, results, found, chain):
    """Turn the normals of a round body on a mesh towards the chords of its way in this step, deepest first, and note the most
    loaded contact that goes on from one of the last step. `delta`: the centre of mass of B from that of A [m]. Returns the number
    of results."""
    keep_as_call()
    if chain.is_ahead != 0 or not may_roll(pairs_of(system)[pair_index], a, b, system.step.last_delta_time):
        return found
    side, done = round_side(shapes, shape_pair), INT64(0)
    r = next_result(results, found, done)
    while r >= 0:
        is_first = True  # of its direction and place
        for q in range(found):
            if done >> q & 1 and is_at_places_of(results[r], 0, results[q], side):
                is_first = False
        done |= INT64(1) << r
        if is_first:
            is_turned, normal = roll_on(system, shapes, pair_index, a, b, delta, shape_pair, side, results[r], chain)
            if is_turned:
                remove_points_beside(results, found, r, side)
                turn_contact(results[r], normal, side)
        r = next_result(results, found, done)
    count = 0
    for r in range(found):
        if results[r].point_count > 0:
            if r != count:
                results[count] = results[r]
            count += 1
    return count


@kernel
def part_rolling(lists, body):
    """The acceleration of a body that rolls down a slope, as a part of that without friction; at least that, if it slides."""
    if lists.friction == 0.0 or body.inner_radius <= 0.0:
        return 1.0
    m, size = body.inverse_inertia_local, FLOAT64(body.inner_radius) ** 2
    least = min(FLOAT64(m[0]), min(FLOAT64(m[1]), FLOAT64(m[2]))) * size
    return least / (least + FLOAT64(body.inverse_mass))


@kernel
def carry_along_curve(system, pair, lists, a, b):
    """Turn the velocity of a body with the curve that it rolls along, so that it keeps its speed. Serial: a body may touch
    several grounds, and the next ones find what is left to turn. Over a hill, only if gravity and forces hold the body on it."""
    pair.flags &= ~np.uint32(PAIR_IS_KEPT_ON_CURVE)
    curve = curves_of(system)[(address_of_record(pair) - system.pairs.rows) // PAIR_SIZE]
    body, ground = (a, b) if a.inverse_mass > 0.0 else (b, a)
    normal, kept = vector3(curve.normal), FLOAT64(curve.speed)
    velocity = subtract(vector3(body.linear_velocity), vector3(ground.linear_velocity))
    size, approach = length_squared(velocity), dot(velocity, normal)
    pull = add_scaled(vector3(body.gravity), vector3(body.force), FLOAT64(body.inverse_mass))
    pressing = dot(pull, normal)
    if approach < kept and approach + pressing * system.step.last_delta_time < 0.0:
        return
    if not max(approach * approach, kept * kept) < STEEP * STEEP * size:
        return
    along = add_scaled(velocity, normal, -approach)
    pull = unborne_pull(system, body, normal)
    ahead = length_squared(add_scaled(pull, normal, -dot(pull, normal))) * part_rolling(lists, body)
    size += ahead * system.step.last_delta_time**2 / system.settings.substep_count
    part = math.sqrt((size - kept * kept) / length_squared(along))
    turned = add_scaled(scale(along, part), normal, kept)
    store3(body.linear_velocity, add(vector3(ground.linear_velocity), turned))
