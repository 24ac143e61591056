"""From an active pair to its contact manifolds: the job `collide`.

A pair whose bodies have hardly moved against each other since its last full collision keeps its manifolds and only measures
them again (contact recycling, as in Box3D): anchors turn with the bodies and the separation follows, so that a slow creep is
seen. Otherwise its shapes are collided, and old manifolds and points hand their impulses on to the new ones that match.
"""

import numpy as np

from ..bodies.bounds import bounds_overlap
from ..bodies.schema import BODY, INSTANCE, SYSTEM, WORLD
from ..geometry.vector import (
    add, conjugate, dot, length_squared, matrix_rows, multiply, quaternion, rotate, rotate_inverse,
    store3, store4, subtract, vector3,
)  # fmt: skip
from ..runtime.atomics import add_int64
from ..runtime.call import call_1_result
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import address_of_row, stack_array, view
from ..shapes.schema import CAPSULE, CYLINDER, SHAPE, SPHERE
from .collide_function import SHAPE_PAIR
from .pairs import manifolds_of, pairs_of, take_manifold
from .query_schema import COLLIDE_FUNCTION
from .schema import (
    CONTACT_RESULT, MAX_RESULTS, PAIR_HAS_POSE, PAIR_IS_FILTERED, PAIR_IS_TOUCHING, SPECULATIVE_DISTANCE,
)  # fmt: skip

INT32, FLOAT32, INT64 = np.int32, np.float32, np.int64

CHANGED_PAIR_COUNT_OFFSET = SYSTEM.fields["changed_pair_count"][1]

RECYCLE_DISTANCE = 0.01
"""How far the surfaces of two bodies may move against each other before they are collided anew [m]; less for small bodies."""
RECYCLE_PART_OF_SIZE = 0.05
"""... and at most this part of the inner radius of the smaller one."""
RECYCLE_ROLLING = 5e-4
"""... and of what is round about its contact [m]: its anchor stays behind as it rolls, and weight ahead of it drives it on."""
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
    rows_a, rows_b = matrix_rows(quaternion(a.rotation)), matrix_rows(quaternion(b.rotation))
    index = pair.first_manifold
    while index >= 0:
        manifold = manifolds[index]
        if manifold.colour < 0 and manifold.point_count > 0:
            changed = 1
        local = vector3(manifold.pose_normal)
        normal = (dot(rows_a[0], local), dot(rows_a[1], local), dot(rows_a[2], local))
        store3(manifold.normal, normal)
        for p in range(manifold.point_count):
            local_a, local_b = vector3(manifold.pose_anchor_a[p]), vector3(manifold.pose_anchor_b[p])
            anchor_a = (dot(rows_a[0], local_a), dot(rows_a[1], local_a), dot(rows_a[2], local_a))
            anchor_b = (dot(rows_b[0], local_b), dot(rows_b[1], local_b), dot(rows_b[2], local_b))
            store3(manifold.anchor_a[p], anchor_a)
            store3(manifold.anchor_b[p], anchor_b)
            gap = dot(normal, add(delta, subtract(anchor_b, anchor_a)))
            manifold.separation[p] = FLOAT32(manifold.base_separation[p] + gap)
        index = manifold.next
    return changed


@kernel
def write_manifold(manifold, result, a, b, delta):
    """Fill a manifold from a result; impulses of points that match old ones are carried over."""
    old_count = manifold.point_count
    old_impulse = stack_array(4, np.float32)
    old_feature = stack_array(4, np.uint32)
    old_anchor = stack_array(12, np.float32)
    for p in range(old_count):
        old_impulse[p] = manifold.normal_impulse[p]
        old_feature[p] = manifold.feature[p]
        for k in range(3):
            old_anchor[3 * p + k] = manifold.pose_anchor_a[p, k]
    rotation_a, rotation_b = quaternion(a.rotation), quaternion(b.rotation)
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
        store3(manifold.pose_anchor_a[p], local_a)
        store3(manifold.pose_anchor_b[p], rotate_inverse(rotation_b, anchor_b))
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
def rounding_of(shape, rotation, normal):
    """Radius of what is round about an axis that the normal of a contact meets: a sphere, a capsule, a cylinder lying on its
    side; 0 for what has corners [m]."""
    if shape.kind == SPHERE or shape.kind == CAPSULE:
        return np.float64(shape.radius)
    if shape.kind == CYLINDER and abs(rotate_inverse(rotation, normal)[1]) < 0.02:
        return np.float64(shape.radius)
    return 0.0


@kernel
def instance_box(instance, rows, offset, out):
    """Bounds of a shape of a body in world axes about a common origin."""
    local = instance.bounds
    cx, cy, cz = 0.5 * (local[0] + local[3]), 0.5 * (local[1] + local[4]), 0.5 * (local[2] + local[5])
    hx, hy, hz = 0.5 * (local[3] - local[0]), 0.5 * (local[4] - local[1]), 0.5 * (local[5] - local[2])
    for k in range(3):
        row = rows[k]
        middle = offset[k] + row[0] * cx + row[1] * cy + row[2] * cz
        half = abs(row[0]) * hx + abs(row[1]) * hy + abs(row[2]) * hz
        out[k] = FLOAT32(middle - half)
        out[3 + k] = FLOAT32(middle + half)


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
    manifolds = manifolds_of(system)
    instances = view(world.instances, world.instance_capacity, INSTANCE)
    shapes = view(world.shapes, world.shape_capacity, SHAPE)
    rotation_a, rotation_b = quaternion(a.rotation), quaternion(b.rotation)
    distance = speculative_distance_of(a, b, delta_time)
    results = stack_array(MAX_RESULTS, CONTACT_RESULT)
    shape_pairs = stack_array(1, SHAPE_PAIR)
    shape_pair = shape_pairs[0]
    shape_pair.shapes, shape_pair.distance = world.shapes, distance
    shape_pair.results = address_of_row(results, 0)
    remaining = stack_array(1, np.int64)
    remaining[0] = pair.first_manifold
    head, tail, count = -1, -1, 0
    single = a.instance_count == 1 and b.instance_count == 1
    box_a, box_b = stack_array(6, np.float32), stack_array(6, np.float32)
    rows_a, rows_b = matrix_rows(rotation_a), matrix_rows(rotation_b)
    pair_cache = INT64(pair.axis_cache)
    changed = 0
    for i in range(a.instance_count):
        instance_a = instances[a.first_instance + i]
        if instance_a.is_disabled or instance_a.shape < 0:
            continue
        position_a = rotate(rotation_a, vector3(instance_a.position))
        turn_a = multiply(rotation_a, quaternion(instance_a.rotation))
        if not single:
            instance_box(instance_a, rows_a, (0.0, 0.0, 0.0), box_a)
            for k in range(3):
                box_a[k] -= FLOAT32(distance)
                box_a[3 + k] += FLOAT32(distance)
        for j in range(b.instance_count):
            instance_b = instances[b.first_instance + j]
            if instance_b.is_disabled or instance_b.shape < 0 or not shapes_collide(instance_a, instance_b):
                continue
            if not single:
                instance_box(instance_b, rows_b, delta, box_b)
                if not bounds_overlap(box_a, box_b):
                    continue
            position_b = add(delta, rotate(rotation_b, vector3(instance_b.position)))
            turn_b = multiply(rotation_b, quaternion(instance_b.rotation))
            shape_pair.shape_a, shape_pair.shape_b = instance_a.shape, instance_b.shape
            store3(shape_pair.position_a, position_a)
            store4(shape_pair.rotation_a, turn_a)
            store3(shape_pair.position_b, position_b)
            store4(shape_pair.rotation_b, turn_b)
            shape_pair.axis_cache = pair_cache if single else INT64(0)
            found = call_1_result(system.extra[COLLIDE_FUNCTION], address_of_row(shape_pairs, 0))
            if single:
                pair.axis_cache = INT32(shape_pair.axis_cache)
            for r in range(found):
                index = claim_manifold(system, remaining[0], results[r], i, j, remaining)
                if index < 0:
                    break
                manifold = manifolds[index]
                if manifold.colour < 0:
                    changed = 1
                manifold.pair = INT32(pair_index)
                manifold.body_a, manifold.body_b = pair.body_a, pair.body_b
                manifold.instance_a, manifold.instance_b = INT32(i), INT32(j)
                write_manifold(manifold, results[r], a, b, delta)
                normal = vector3(manifold.normal)
                manifold.rounding_a = FLOAT32(rounding_of(shapes[instance_a.shape], turn_a, normal))
                manifold.rounding_b = FLOAT32(rounding_of(shapes[instance_b.shape], turn_b, normal))
                for p in range(manifold.point_count):
                    gap = dot(
                        vector3(manifold.normal),
                        add(delta, subtract(vector3(manifold.anchor_b[p]), vector3(manifold.anchor_a[p]))),
                    )
                    manifold.base_separation[p] = FLOAT32(manifold.separation[p] - gap)
                manifold.next = -1
                if tail >= 0:
                    manifolds[tail].next = index
                else:
                    head = index
                tail = index
                count += 1
    # What is left matched nothing: no points; the step takes them away.
    index = remaining[0]
    while index >= 0:
        manifolds[index].point_count = 0
        changed = 1
        if tail >= 0:
            manifolds[tail].next = index
        else:
            head = index
        tail = index
        index = manifolds[index].next
    pair.first_manifold = head
    pair.manifold_count = count
    store3(pair.pose_position, delta)
    store4(pair.pose_rotation_a, rotation_a)
    store4(pair.pose_rotation_b, rotation_b)
    pair.flags |= PAIR_HAS_POSE
    if (count > 0) != (pair.flags & PAIR_IS_TOUCHING != 0):
        changed = 1
    return 1 if count > 0 and may_meet_seam(a, b, count) else changed


@kernel
def may_meet_seam(a, b, count):
    """Whether the contacts of a pair that was just collided may be with the inner edge of something put together from several
    shapes: a body that moves on one that does not, and touches more (see seams.py)."""
    if a.inverse_mass > 0.0:
        return b.inverse_mass == 0.0 and (a.pair_count > 1 or count > 1)
    return b.inverse_mass > 0.0 and (b.pair_count > 1 or count > 1)


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
    for slot in range(begin, end):
        if collide_pair(system, world, active[slot], system.last_delta_time):
            changed[add_int64(counter, INT64(1))] = active[slot]
