"""From an active pair to its contact manifolds: the job `collide`.

A pair whose bodies have hardly moved against each other since its last full collision keeps its manifolds and only measures
them again (contact recycling, as in Box3D): anchors turn with the bodies and the separation follows, so that a slow creep is
seen. Otherwise its shapes are collided, and old manifolds and points hand their impulses on to the new ones that match.
"""

import numpy as np

from ..bodies.bounds import bounds_in_frame, bounds_overlap
from ..bodies.instance_tree import WALK, begin_walk, next_in_box
from ..bodies.schema import BODY, INSTANCE, SYSTEM, WORLD
from ..geometry.vector import (
    add, add_scaled, conjugate, cross, dot, length_squared, matrix_rows, multiply, negate, quaternion, rotate, rotate_inverse, scale,
    store3, store4, subtract, vector3,
)  # fmt: skip
from ..runtime.atomics import add_int64
from ..runtime.attributes import keep_as_call
from ..runtime.call import call_1_result
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import address_of_record, address_of_row, stack_array, view
from ..runtime.prefetch import prefetch
from ..shapes.schema import CAPSULE, CUSTOM, CYLINDER, ELLIPSOID, SHAPE, SPHERE, TAPERED_CAPSULE, TAPERED_CYLINDER
from .collide_function import SHAPE_PAIR
from .pairs import manifolds_of, pairs_of, take_manifold
from .query_schema import COLLIDE_FUNCTION
from .schema import (
    CONTACT_RESULT, MANIFOLD, MAX_RESULTS, PAIR, PAIR_HAS_POSE, PAIR_IS_FILTERED, PAIR_IS_TOUCHING, SPECULATIVE_DISTANCE,
)  # fmt: skip

INT32, FLOAT32, INT64 = np.int32, np.float32, np.int64

# The manifolds of a pair while it is collided.
CHAIN = np.dtype(
    [
        ("shape_pair", "i8"),  # address of SHAPE_PAIR
        ("remaining", "i8", (1,)),  # head of the list of old manifolds that are not matched yet
        ("head", "i8"), ("tail", "i8"), ("count", "i8"),  # the new list
        ("is_changed", "i8"),  # a manifold is new or goes
        ("rolls", "i8"),  # a shape is round, but no ball: where it touches wanders, which must be told in every step
    ],
    align=True,
)  # fmt: skip

PAIR_LINES, BODY_LINES, MANIFOLD_LINES = (PAIR.itemsize + 63) // 64, 6, (MANIFOLD.itemsize + 63) // 64
"""Cache lines of what is asked for ahead; of a body those that collision reads."""
CHANGED_PAIR_COUNT_OFFSET = SYSTEM.fields["changed_pair_count"][1]

RECYCLE_DISTANCE = 0.01
"""How far the surfaces of two bodies may move against each other before they are collided anew [m]; less for small bodies."""
RECYCLE_PART_OF_SIZE = 0.05
"""... and at most this part of the inner radius of the smaller one."""
RECYCLE_ROLLING = 5e-4
"""... and of what is round about its contact [m]: its anchor stays behind as it rolls, and weight ahead of it drives it on."""
UPRIGHT = 0.02
"""A normal that leans no more than this against the side of what is round is one of its side (sine)."""
FARTHEST_ROLLED = 0.1
"""A contact is moved ahead at most by this part of the radius."""
PAIRS_AHEAD, BODIES_AHEAD, MANIFOLDS_AHEAD = 12, 8, 4
"""So many pairs before its turn the memory of a pair, of its bodies and of its manifold is asked for."""
MATCH_DISTANCE = 0.02
"""Points without a common feature hand on their impulses within this distance [m]."""


@kernel
def relative_position(a, b):
    """From the centre of mass of A to that of B, world axes [m]. Differences are taken in double."""
    return (b.position[0] - a.position[0], b.position[1] - a.position[1], b.position[2] - a.position[2])


@kernel
def shapes_collide(a, b):
    """The shape filter of the simulation: a shape without layers collides with all."""
    return a.simulation_layers == 0 or b.simulation_layers == 0 or a.simulation_layers & b.simulation_layers != 0


@kernel
def is_recyclable(system, pair, a, b, delta):
    """Whether the manifolds of the last full collision still serve."""
    if not pair.flags & PAIR_HAS_POSE:
        return False
    inner = 1.0e30
    if a.inner_radius > 0.0:
        inner = float(a.inner_radius)
    if b.inner_radius > 0.0:
        inner = min(inner, float(b.inner_radius))
    limit = min(RECYCLE_DISTANCE, RECYCLE_PART_OF_SIZE * inner)
    # The smaller body bounds how far a point of contact can be from either centre of the motion.
    extent_a, extent_b = float(a.extent), float(b.extent)
    reach = min(extent_a if a.inverse_mass > 0.0 else 1.0e30, extent_b if b.inverse_mass > 0.0 else 1.0e30)
    turn_a = multiply(quaternion(a.rotation), conjugate(quaternion(pair.pose_rotation_a)))
    turn_b = multiply(quaternion(b.rotation), conjugate(quaternion(pair.pose_rotation_b)))
    sine_a = 2.0 * (abs(turn_a[0]) + abs(turn_a[1]) + abs(turn_a[2]))
    sine_b = 2.0 * (abs(turn_b[0]) + abs(turn_b[1]) + abs(turn_b[2]))
    if sine_a > 0.15 or sine_b > 0.15:
        return False
    moved = subtract(delta, vector3(pair.pose_position))
    distance = abs(moved[0]) + abs(moved[1]) + abs(moved[2]) + (sine_a + sine_b) * reach
    if distance > RECYCLE_ROLLING and pair.first_manifold >= 0:
        manifold = manifolds_of(system)[pair.first_manifold]
        if manifold.rounding_a > 0.0 or manifold.rounding_b > 0.0:
            return False
    return distance < limit


@kernel
def measure_again(system, pair, a, b, delta):
    """Renew anchors and separations of the pair's manifolds for the present pose. Returns 1 if one is not in the solver."""
    changed = 0
    manifolds = manifolds_of(system)
    rows_a = matrix_rows(quaternion(a.rotation))
    # At the full collision both anchors stood for one place; B has turned since.
    turn_b = multiply(quaternion(b.rotation), conjugate(quaternion(pair.pose_rotation_b)))
    rows_b = matrix_rows(multiply(turn_b, quaternion(pair.pose_rotation_a)))
    from_b = rotate(turn_b, vector3(pair.pose_position))
    index = pair.first_manifold
    while index >= 0:
        manifold = manifolds[index]
        if manifold.colour < 0 and manifold.point_count > 0:
            changed = 1
        local = vector3(manifold.pose_normal)
        normal = (dot(rows_a[0], local), dot(rows_a[1], local), dot(rows_a[2], local))
        store3(manifold.normal, normal)
        for p in range(manifold.point_count):
            local = vector3(manifold.pose_anchor[p])
            anchor_a = (dot(rows_a[0], local), dot(rows_a[1], local), dot(rows_a[2], local))
            anchor_b = subtract((dot(rows_b[0], local), dot(rows_b[1], local), dot(rows_b[2], local)), from_b)
            store3(manifold.anchor_a[p], anchor_a)
            store3(manifold.anchor_b[p], anchor_b)
            gap = dot(normal, add(delta, subtract(anchor_b, anchor_a)))
            manifold.separation[p] = FLOAT32(manifold.base_separation[p] + gap)
        index = manifold.next
    return changed


@kernel
def write_manifold(manifold, result, a, delta):
    """Fill a manifold from a result; impulses of points that match old ones are carried over."""
    old_count = manifold.point_count
    old_impulse = stack_array(4, np.float32)
    old_feature = stack_array(4, np.uint32)
    old_anchor = stack_array(12, np.float32)
    for p in range(old_count):
        old_impulse[p] = manifold.normal_impulse[p]
        old_feature[p] = manifold.feature[p]
        for k in range(3):
            old_anchor[3 * p + k] = manifold.pose_anchor[p, k]
    rotation_a = quaternion(a.rotation)
    normal = vector3(result.normal)
    store3(manifold.normal, normal)
    store3(manifold.pose_normal, rotate_inverse(rotation_a, normal))
    manifold.face = INT32(result.face)
    count = result.point_count
    manifold.point_count = count
    for p in range(count):
        # The point lies half-way between the surfaces; both anchors stand for the same place.
        anchor_a = vector3(result.points[p])
        anchor_b = subtract(anchor_a, delta)
        store3(manifold.anchor_a[p], anchor_a)
        store3(manifold.anchor_b[p], anchor_b)
        local_a = rotate_inverse(rotation_a, anchor_a)
        store3(manifold.pose_anchor[p], local_a)
        manifold.separation[p] = FLOAT32(result.separations[p])
        manifold.base_separation[p] = FLOAT32(result.separations[p])
        manifold.feature[p] = result.features[p]
        impulse = FLOAT32(0.0)
        nearest, best = -1, MATCH_DISTANCE * MATCH_DISTANCE
        for q in range(old_count):
            if old_feature[q] == result.features[p]:
                nearest = q
                break
            d0, d1, d2 = old_anchor[3 * q] - local_a[0], old_anchor[3 * q + 1] - local_a[1], old_anchor[3 * q + 2] - local_a[2]
            distance = d0 * d0 + d1 * d1 + d2 * d2
            if distance < best:
                nearest, best = q, distance
        if nearest >= 0:
            impulse = old_impulse[nearest]
            old_impulse[nearest] = FLOAT32(0.0)
        manifold.normal_impulse[p] = impulse
        manifold.total_normal_impulse[p] = FLOAT32(0.0)


@kernel
def claim_manifold(system, old_head, result, instance_a, instance_b, remaining):
    """The old manifold between the same two shapes with the most similar normal, taken out of the chain `old_head`, or a new
    one. `remaining` is an array of one: the head of the chain that is left."""
    manifolds = manifolds_of(system)
    normal = vector3(result.normal)
    best, best_before, best_likeness = -1, -1, 0.9
    before, index = -1, old_head
    while index >= 0:
        manifold = manifolds[index]
        if manifold.instance_a == instance_a and manifold.instance_b == instance_b:
            likeness = dot(normal, vector3(manifold.normal))
            if likeness > best_likeness:
                best, best_before, best_likeness = index, before, likeness
        before = index
        index = manifold.next
    if best < 0:
        return take_manifold(system)
    if best_before >= 0:
        manifolds[best_before].next = manifolds[best].next
    else:
        remaining[0] = manifolds[best].next
    return best


@kernel
def speculative_distance_of(a, b, delta_time):
    """How far apart contacts are made: further for what a fast kinematic body could run over within one step. Fast rigid
    bodies are swept instead (solver/continuous.py): a contact made far ahead pushes at what only passes by."""
    if a.inverse_mass > 0.0 and b.inverse_mass > 0.0:
        return SPECULATIVE_DISTANCE
    velocity = vector3(b.linear_velocity) if a.inverse_mass > 0.0 else vector3(a.linear_velocity)
    motion = length_squared(velocity) * delta_time * delta_time
    thinnest = float(a.inner_radius) if a.inverse_mass > 0.0 else float(b.inner_radius)
    if motion > 0.25 * thinnest * thinnest:
        return SPECULATIVE_DISTANCE + motion**0.5
    return SPECULATIVE_DISTANCE


@kernel
def rounding_of(shape, rotation, outward):
    """Radius of what is round about an axis that the outward normal of a contact meets: a sphere, a capsule, a cylinder lying on
    its side; a mean one where the radius is not the same everywhere; 0 for what has corners [m]."""
    kind = shape.kind
    if kind == SPHERE or kind == CAPSULE:
        return np.float64(shape.radius)
    if kind != CYLINDER and kind < TAPERED_CAPSULE:
        return 0.0
    n = rotate_inverse(rotation, outward)
    if kind == CYLINDER:
        return np.float64(shape.radius) if abs(n[1]) < UPRIGHT else 0.0
    e = vector3(shape.half_extents)
    if kind == ELLIPSOID:
        # One over the root of the Gaussian curvature: the geometric mean of both radii.
        return e[0] * e[1] * e[2] / (e[0] * e[0] * n[0] * n[0] + e[1] * e[1] * n[1] * n[1] + e[2] * e[2] * n[2] * n[2])
    slope = 0.5 * (e[2] - e[1]) / e[0] if kind != CUSTOM else 0.0
    if kind == TAPERED_CAPSULE:
        return 0.5 * (e[1] + e[2]) if abs(n[1] - slope) < UPRIGHT else (e[1] if n[1] > slope else e[2])
    if kind == TAPERED_CYLINDER:
        wide = (1.0 + slope * slope) ** 0.5
        return 0.5 * (e[1] + e[2]) * wide if abs(n[1] - slope / wide) < UPRIGHT else 0.0
    return 0.0


@kernel
def reach_in_frame(bounds, by, position, rotation):
    """Bounds (min x, y, z, max x, y, z) in one frame, grown by `by`, as a box, low and high, in another: that at `position`
    turned by `rotation`."""
    low, high = vector3(bounds[0:3]), vector3(bounds[3:6])
    half = scale(subtract(high, low), 0.5)
    return bounds_in_frame(scale(add(low, high), 0.5), (half[0] + by, half[1] + by, half[2] + by), position, rotation)


@kernel
def follow_rolling(anchor, body, shape, outward, rounding, time):
    """Move the anchor of a contact along to where it will be after `time` [s] as the body rolls: with the centre of curvature. A
    contact that stays behind by half a step feeds rocking."""
    if shape.kind < TAPERED_CAPSULE or rounding <= 0.0:
        return
    way = scale(cross(vector3(body.angular_velocity), add_scaled(vector3(anchor), outward, -rounding)), time)
    way = add_scaled(way, outward, -dot(way, outward))
    size = length_squared(way) ** 0.5
    most = FARTHEST_ROLLED * rounding
    store3(anchor, add_scaled(vector3(anchor), way, 1.0 if size <= most else most / size))


@kernel
def keep_manifold(manifolds, chain, index):
    """Put a manifold at the end of the pair's new list."""
    manifolds[index].next = -1
    if chain.tail >= 0:
        manifolds[chain.tail].next = index
    else:
        chain.head = index
    chain.tail = index


@kernel
def write_results(system, shapes, pair_index, a, b, delta, shape_pair, results, found, i, j, chain):
    """Make manifolds of what shape number i of A and number j of B answered."""
    manifolds = manifolds_of(system)
    pair = pairs_of(system)[pair_index]
    remaining = chain.remaining
    for r in range(found):
        index = claim_manifold(system, remaining[0], results[r], i, j, remaining)
        if index < 0:
            break
        manifold = manifolds[index]
        if manifold.colour < 0:
            chain.is_changed = 1
        manifold.pair = INT32(pair_index)
        manifold.body_a, manifold.body_b = pair.body_a, pair.body_b
        manifold.instance_a, manifold.instance_b = INT32(i), INT32(j)
        write_manifold(manifold, results[r], a, delta)
        normal = vector3(manifold.normal)
        turn_a, turn_b = quaternion(shape_pair.rotation_a), quaternion(shape_pair.rotation_b)
        manifold.rounding_a = FLOAT32(rounding_of(shapes[shape_pair.shape_a], turn_a, normal))
        manifold.rounding_b = FLOAT32(rounding_of(shapes[shape_pair.shape_b], turn_b, negate(normal)))
        if manifold.point_count == 1:
            half = 0.5 * system.last_delta_time
            follow_rolling(manifold.anchor_a[0], a, shapes[shape_pair.shape_a], normal, float(manifold.rounding_a), half)
            follow_rolling(manifold.anchor_b[0], b, shapes[shape_pair.shape_b], negate(normal), float(manifold.rounding_b), half)
        for p in range(manifold.point_count):
            gap = dot(normal, add(delta, subtract(vector3(manifold.anchor_b[p]), vector3(manifold.anchor_a[p]))))
            manifold.base_separation[p] = FLOAT32(manifold.separation[p] - gap)
        keep_manifold(manifolds, chain, index)
        chain.count += 1


@kernel
def drop_unmatched(system, chain):
    """Old manifolds that matched nothing: no points; the step takes them away."""
    manifolds = manifolds_of(system)
    index = chain.remaining[0]
    while index >= 0:
        following = INT64(manifolds[index].next)
        manifolds[index].point_count = 0
        chain.is_changed = 1
        keep_manifold(manifolds, chain, index)
        index = following


@kernel
def collide_instances(system, instances, shapes, pair_index, a, b, delta, i, j, axis_cache, shape_pair, results, chain):
    """Collide shape number i of A with number j of B. Gives the axis cache for the next time."""
    instance_a, instance_b = instances[a.first_instance + i], instances[b.first_instance + j]
    if instance_b.is_disabled or instance_b.shape < 0 or not shapes_collide(instance_a, instance_b):
        return INT64(0)
    rotation_a, rotation_b = quaternion(a.rotation), quaternion(b.rotation)
    shape_pair.shape_a, shape_pair.shape_b = instance_a.shape, instance_b.shape
    store3(shape_pair.position_a, rotate(rotation_a, vector3(instance_a.position)))
    store4(shape_pair.rotation_a, multiply(rotation_a, quaternion(instance_a.rotation)))
    store3(shape_pair.position_b, add(delta, rotate(rotation_b, vector3(instance_b.position))))
    store4(shape_pair.rotation_b, multiply(rotation_b, quaternion(instance_b.rotation)))
    shape_pair.axis_cache = axis_cache
    if shapes[instance_a.shape].kind >= TAPERED_CAPSULE or shapes[instance_b.shape].kind >= TAPERED_CAPSULE:
        chain.rolls = 1
    found = call_1_result(system.extra[COLLIDE_FUNCTION], chain.shape_pair)
    write_results(system, shapes, pair_index, a, b, delta, shape_pair, results, found, i, j, chain)
    return INT64(shape_pair.axis_cache)


@kernel
def collide_all_instances(system, world, instances, shapes, pair_index, a, b, delta, distance, shape_pair, results, chain):
    """Collide what is near B of the shapes of A, each with what is near it of the shapes of B."""
    keep_as_call()
    walk_a, walk_b = stack_array(1, WALK)[0], stack_array(1, WALK)[0]
    rotation_a, rotation_b = quaternion(a.rotation), quaternion(b.rotation)
    # Where each of the two frames is in the other one.
    turn_a, turn_b = multiply(conjugate(rotation_b), rotation_a), multiply(conjugate(rotation_a), rotation_b)
    place_a, place_b = negate(rotate_inverse(rotation_b, delta)), rotate_inverse(rotation_a, delta)
    low, high = reach_in_frame(b.local_bounds, distance, place_a, turn_a)
    begin_walk(walk_a, a.first_instance, a.instance_count)
    i = next_in_box(walk_a, world, instances, low, high)
    while i >= 0:
        instance_a = instances[a.first_instance + i]
        if not instance_a.is_disabled and instance_a.shape >= 0:
            low_a, high_a = reach_in_frame(instance_a.bounds, distance, place_b, turn_b)
            begin_walk(walk_b, b.first_instance, b.instance_count)
            j = next_in_box(walk_b, world, instances, low_a, high_a)
            while j >= 0:
                collide_instances(
                    system, instances, shapes, pair_index, a, b, delta, i, j, INT64(0), shape_pair, results, chain
                )  # fmt: skip
                j = next_in_box(walk_b, world, instances, low_a, high_a)
        i = next_in_box(walk_a, world, instances, low, high)


@kernel
def collide_pair(system, world, pair_index, delta_time):
    """Renew the manifolds of one pair. Returns 1 if the step has to look at the pair: contact began or ended, manifolds came
    or went, or the fat bounds have parted."""
    bodies = view(world.bodies, world.body_capacity, BODY)
    pair = pairs_of(system)[pair_index]
    if pair.flags & PAIR_IS_FILTERED:
        return 0
    a, b = bodies[pair.body_a], bodies[pair.body_b]
    delta = relative_position(a, b)
    if is_recyclable(system, pair, a, b, delta):
        return measure_again(system, pair, a, b, delta)
    if not bounds_overlap(a.fat_bounds, b.fat_bounds):
        return 1
    instances = view(world.instances, world.instance_capacity, INSTANCE)
    shapes = view(world.shapes, world.shape_capacity, SHAPE)
    distance = speculative_distance_of(a, b, delta_time)
    results, chains = stack_array(MAX_RESULTS, CONTACT_RESULT), stack_array(1, CHAIN)
    shape_pairs = stack_array(1, SHAPE_PAIR)
    shape_pair, chain = shape_pairs[0], chains[0]
    shape_pair.shapes, shape_pair.distance = world.shapes, distance
    shape_pair.results = address_of_row(results, 0)
    chain.shape_pair = address_of_row(shape_pairs, 0)
    chain.remaining[0] = pair.first_manifold
    chain.head, chain.tail, chain.count, chain.is_changed, chain.rolls = -1, -1, 0, 0, 0
    if a.instance_count == 1 and b.instance_count == 1:
        if not instances[a.first_instance].is_disabled and instances[a.first_instance].shape >= 0:
            pair.axis_cache = INT32(collide_instances(
                system, instances, shapes, pair_index, a, b, delta, INT64(0), INT64(0), INT64(pair.axis_cache), shape_pair,
                results, chain,
            ))  # fmt: skip
    else:
        collide_all_instances(
            system, world, instances, shapes, pair_index, a, b, delta, distance, shape_pair, results, chain
        )  # fmt: skip
    drop_unmatched(system, chain)
    pair.first_manifold = chain.head
    pair.manifold_count = chain.count
    store3(pair.pose_position, delta)
    store4(pair.pose_rotation_a, quaternion(a.rotation))
    store4(pair.pose_rotation_b, quaternion(b.rotation))
    # A contact that stayed behind would push ahead of where the body rolls to: it would rock more and more.
    pair.flags = pair.flags & ~PAIR_HAS_POSE if chain.rolls else pair.flags | PAIR_HAS_POSE
    if (chain.count > 0) != (pair.flags & PAIR_IS_TOUCHING != 0):
        chain.is_changed = 1
    return 1 if chain.count > 0 and may_meet_seam(a, b, chain.count) else chain.is_changed


@kernel
def may_meet_seam(a, b, count):
    """Whether the contacts of a pair that was just collided may be with the inner edge of something put together from several
    shapes: a body that moves on one that does not, and touches more (see seams.py)."""
    if a.inverse_mass > 0.0:
        return b.inverse_mass == 0.0 and (a.pair_count > 1 or count > 1)
    return b.inverse_mass > 0.0 and (b.pair_count > 1 or count > 1)


@kernel
def prefetch_row(address, lines):
    for k in range(lines):
        prefetch(address + 64 * k)


@kernel
def prefetch_ahead(pairs, bodies, manifolds, active, slot, end):
    """Ask for what pairs to come will read: in a large world every row is a miss of the caches."""
    if slot + PAIRS_AHEAD < end:
        prefetch_row(address_of_record(pairs[active[slot + PAIRS_AHEAD]]), PAIR_LINES)
    if slot + BODIES_AHEAD < end:
        pair = pairs[active[slot + BODIES_AHEAD]]
        prefetch_row(address_of_record(bodies[pair.body_a]), BODY_LINES)
        prefetch_row(address_of_record(bodies[pair.body_b]), BODY_LINES)
    if slot + MANIFOLDS_AHEAD < end:
        first = pairs[active[slot + MANIFOLDS_AHEAD]].first_manifold
        if first >= 0:
            prefetch_row(address_of_record(manifolds[first]), MANIFOLD_LINES)


@entry_point(JOB_SIGNATURE)
def collide(system_address, begin, end, worker):
    """Job: renew the manifolds of the active pairs `begin` to `end - 1`; those to be looked at go to `changed_pairs`.

    Reads bodies, shapes and the poses of the last full collision; writes the pairs' own manifolds."""
    systems = view(system_address, 1, SYSTEM)
    system = systems[0]
    world = view(system.world, 1, WORLD)[0]
    active = view(system.active_pairs, system.pair_capacity, INT32)
    changed = view(system.changed_pairs, system.pair_capacity, INT32)
    counter = address_of_row(systems, 0) + CHANGED_PAIR_COUNT_OFFSET
    pairs, bodies, manifolds = pairs_of(system), view(world.bodies, world.body_capacity, BODY), manifolds_of(system)
    for slot in range(begin, end):
        prefetch_ahead(pairs, bodies, manifolds, active, slot, end)
        if collide_pair(system, world, active[slot], system.last_delta_time):
            changed[add_int64(counter, INT64(1))] = active[slot]
