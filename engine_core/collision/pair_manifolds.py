"""The manifolds of one pair during its collision: which of the last step's are kept, which are new, and which pass the rules."""

import numpy as np

from ..bodies.records import world_at
from ..bodies.schema import BODY
from ..geometry.vector import add_scaled, dot, length_squared, negate, quaternion, rotate_inverse, store3, subtract, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array, view
from ..shapes.mesh_query import material_of
from ..shapes.schema import CYLINDER, FIRST_BRICK
from ..shapes.traits import is_support_shape
from .contact_hooks import judge, keep_settings
from .contact_points import relative_position
from .contact_rules import rule_of
from .contact_schema import ACCEPT_CONTACT, CONTACT, REJECT_PAIR
from .pairs import lists_of, manifolds_of, pairs_of, part_of, set_bricks, take_manifold
from .rounding import lies_on_its_side, rounding_of, tapered_radius
from .schema import (
    GROWTH_A, GROWTH_B, MANIFOLD_HAD_IMPACT, MANIFOLD_HAS_MATERIAL, MANIFOLD_IS_DISC, MANIFOLD_IS_MERGED, MANIFOLD_IS_SENSOR,
    MANIFOLD_TAPERS, MANIFOLD_WANDERS_A, MANIFOLD_WANDERS_B, PAIR_HAS_RULE,
)  # fmt: skip
INT32, FLOAT32, INT64 = np.int32, np.float32, np.int64

# The manifolds of a pair during its collision.
CHAIN = np.dtype(
    [
        ("shape_pair", "i8"),  # address of SHAPE_PAIR
        ("instances", "i4", 2),  # numbers of the two shapes that are collided
        ("parts", "i4", 2),  # numbers of their parts as `pairs.part_of` returns them
        ("has_bricks", "i8"),  # one of them is a brick
        ("walks", "i8", 2),  # addresses of the BRICK_WALKs that are at them, or 0
        ("keeps_inner", "i8"), ("inner_count", "i8"),  # contacts with covered faces of bricks count; how many did not
        ("merging", "i8"),  # address of MERGING while contacts of bricks are merged, or 0
        ("overflows", "i8"),  # there are too many contacts of bricks: they must be merged
        ("merged_instances", "i4", 2),
        ("ways", "i8", 2),  # how the structures of A and B are met: see stand_ins.py
        ("has_surface", "i8"),  # one of the parts has friction and restitution of its own
        ("remaining", "i8", (1,)),  # head of the list of old manifolds that are not matched yet
        ("head", "i8"), ("tail", "i8"), ("count", "i8"),  # the new list
        ("is_changed", "i8"),  # a manifold is new or removed
        ("is_round", "i8"),  # a contact is with a round shape
        ("lowest", "f8"),  # separation of the deepest point; 0 if none is negative [m]
        # To be collided anew in every step: a shape is round, but no ball, so its contact point wanders; or a rule requires it.
        ("renews", "i8"),
        ("contact", "i8"),  # address of CONTACT, for rules
        ("is_rejected", "i8"),  # a rule rejects all contacts of this pair in this step
        ("is_ahead", "i8"),  # collided where the bodies will meet, see meeting.py
        ("curve_load", "f8"),  # impulse of the most loaded contact that goes on along a curve [N s]; 0: none
    ],
    align=True,
)  # fmt: skip

LOW_16 = 0xFFFF
OFF_CENTRE = 0.01
"""A round body rolls evenly if its centre of mass is within this of its middle, in radii."""
MATCH_DISTANCE = 0.02
"""Points without a common feature pass on their impulses within this distance [m]."""


@kernel
def write_manifold(manifold, result, a):
    """Fill a manifold from a result; impulses of points that match old ones are carried over."""
    old_count = manifold.point_count
    old_impulse = stack_array(4, np.float32)
    old_feature = stack_array(4, np.uint32)
    old_anchor = stack_array(12, np.float32)
    for p in range(old_count):
        old_impulse[p] = manifold.normal_impulse[p]
        old_feature[p] = manifold.feature[p]
        for k in range(3):
            old_anchor[3 * p + k] = manifold.anchor[p, k]
    rotation_a = quaternion(a.rotation)
    store3(manifold.normal, rotate_inverse(rotation_a, vector3(result.normal)))
    manifold.face = INT32(result.face)
    count = result.point_count
    manifold.point_count = count
    manifold.open_sides = result.open_sides if count >= 3 else 0
    kept = 0
    for p in range(count):
        local_a = rotate_inverse(rotation_a, vector3(result.points[p]))
        store3(manifold.anchor[p], local_a)
        manifold.separation[p] = FLOAT32(result.separations[p])
        manifold.feature[p] = result.features[p]
        impulse = FLOAT32(0.0)
        nearest, best = -1, MATCH_DISTANCE * MATCH_DISTANCE
        for q in range(old_count):
            if old_feature[q] == result.features[p]:
                nearest, kept = q, kept + 1
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
    if kept != count or count != old_count:
        manifold.answered_sides = 0


@kernel
def is_between(system, manifold, chain):
    """Whether a manifold belongs to the two shapes that are collided."""
    return (
        manifold.instance_a == chain.instances[0] and manifold.instance_b == chain.instances[1]
        and (
            manifold.part_a == chain.parts[0] & LOW_16 and manifold.part_b == chain.parts[1] & LOW_16
            and (chain.has_bricks == 0 or is_between_bricks(system, manifold, chain)) or chain.merging != 0
        )
    )  # fmt: skip


@kernel
def is_between_bricks(system, manifold, chain):
    """Whether a manifold belongs to the two parts that are collided, of which one is a brick."""
    keep_as_call()
    return part_of(system, manifold, 0) == chain.parts[0] and part_of(system, manifold, 1) == chain.parts[1]


@kernel
def name_bricks(system, manifold, chain):
    """Store which bricks a new manifold is between."""
    keep_as_call()
    set_bricks(system, manifold, max(chain.parts[0] - FIRST_BRICK, 0), max(chain.parts[1] - FIRST_BRICK, 0))


@kernel
def find_alike(system, result, rotation_a, chain):
    """Find the manifold in the rest of the chain, between the same two shapes, with the most similar normal: (it, its
    predecessor); -1: none."""
    manifolds = manifolds_of(system)
    normal = rotate_inverse(rotation_a, vector3(result.normal))
    best, best_before, best_likeness = -1, -1, 0.9
    remaining = chain.remaining
    before, index = INT64(-1), INT64(remaining[0])
    while index >= 0:
        manifold = manifolds[index]
        if is_between(system, manifold, chain):
            likeness = dot(normal, vector3(manifold.normal))
            if likeness > best_likeness:
                best, best_before, best_likeness = index, before, likeness
        before = index
        index = INT64(manifold.next)
    return best, best_before


@kernel
def claim_manifold(system, result, rotation_a, chain):
    """Take the manifold of `find_alike` out of the rest of the chain, or a new one."""
    manifolds, remaining = manifolds_of(system), chain.remaining
    best, best_before = find_alike(system, result, rotation_a, chain)
    if best < 0:
        return take_manifold(system)
    if best_before >= 0:
        manifolds[best_before].next = manifolds[best].next
    else:
        remaining[0] = manifolds[best].next
    return best


@kernel
def is_flat_end(shape, rounding):
    """Whether a contact that is round about an axis with this radius, 0 for none, may be with a flat end of a cylinder."""
    return shape.kind == CYLINDER and rounding == FLOAT32(0.0)


@kernel
def keep_manifold(manifolds, chain, index):
    """Append a manifold to the pair's new list."""
    manifolds[index].next = -1
    if chain.tail >= 0:
        manifolds[chain.tail].next = index
    else:
        chain.head = index
    chain.tail = index


@kernel
def is_let_in(system, pair_index, result, chain):
    """Whether the rule of a pair accepts a contact; then its settings are in the chain's CONTACT."""
    keep_as_call()
    if chain.is_rejected != 0:
        return False
    pair, lists = pairs_of(system)[pair_index], lists_of(system)[pair_index]
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    a, b = bodies[pair.body_a], bodies[pair.body_b]
    alike, _ = find_alike(system, result, quaternion(a.rotation), chain)
    contact = view(chain.contact, 1, CONTACT)[0]
    rule = rule_of(system.world, a, b)
    contact.shape_a, contact.shape_b = chain.instances[0], chain.instances[1]
    contact.part_a, contact.part_b = chain.parts[0], chain.parts[1]
    answer = judge(system, rule, a, b, lists, contact, result, alike >= 0)
    if answer != ACCEPT_CONTACT or rule.validate != 0 or rule.modify != 0:
        chain.renews = 1
    chain.is_rejected = 1 if answer == REJECT_PAIR else 0
    return answer == ACCEPT_CONTACT


@kernel
def reject_pair(system, chain):
    """Remove the points of all contacts of a pair: a rule rejects them."""
    manifolds = manifolds_of(system)
    index = chain.head
    while index >= 0:
        manifolds[index].point_count = 0
        index = INT64(manifolds[index].next)
    chain.count, chain.is_changed = 0, 1


@kernel
def wanders_over(manifold, body, other, is_oval, is_a):
    """Whether a contact moves over a moving body as the two roll on each other: the body is round and its centre of mass is not
    its middle, or the body is flat and the other one is round. `is_oval`: whether its shape is told by its support alone."""
    rounding, other_rounding = manifold.rounding_b, manifold.rounding_a
    if is_a:
        rounding, other_rounding = other_rounding, rounding
    if body.inverse_mass == 0.0:
        return False
    if rounding == 0.0:
        return other_rounding > 0.0
    if is_oval:
        return True
    middle, count = (0.0, 0.0, 0.0), manifold.point_count
    for p in range(count):
        middle = add_scaled(middle, vector3(manifold.anchor[p]), 1.0 / count)
    outward = vector3(manifold.normal)
    if not is_a:
        center = rotate_inverse(quaternion(other.rotation), relative_position(other, body))
        middle, outward = subtract(middle, center), negate(outward)
    middle = add_scaled(middle, outward, -0.5 * np.float64(manifold.separation[0]) - np.float64(rounding))
    return length_squared(middle) > (OFF_CENTRE * np.float64(rounding)) ** 2


@kernel
def rounding_along(shape, position, rotation, outward, spin, result):
    """How round a shape, in that pose from A's centre of mass, is at a contact, and how much more so at the second of two points:
    `(radius, growth)` [m]. `outward`: its normal; `spin`: that of its body [rad/s]."""
    if result.point_count > 2 or not lies_on_its_side(shape, rotate_inverse(rotation, outward)):
        return rounding_of(shape, rotation, outward, spin), 0.0
    first = subtract(vector3(result.points[0]), position)
    last = subtract(vector3(result.points[result.point_count - 1]), position)
    first_radius = tapered_radius(shape, rotate_inverse(rotation, first))
    last_radius = tapered_radius(shape, rotate_inverse(rotation, last))
    return 0.5 * (first_radius + last_radius), last_radius - first_radius


@kernel
def write_rounding(manifold, shapes, a, b, shape_pair, result):
    """Write how round the two shapes are at the points of a contact."""
    shape_a, shape_b, normal = shapes[shape_pair.shape_a], shapes[shape_pair.shape_b], vector3(result.normal)
    position_a, rotation_a = vector3(shape_pair.position_a), quaternion(shape_pair.rotation_a)
    position_b, rotation_b = vector3(shape_pair.position_b), quaternion(shape_pair.rotation_b)
    radius_a, growth_a = rounding_along(shape_a, position_a, rotation_a, normal, vector3(a.angular_velocity), result)
    radius_b, growth_b = rounding_along(shape_b, position_b, rotation_b, negate(normal), vector3(b.angular_velocity), result)
    manifold.rounding_a, manifold.rounding_b = FLOAT32(radius_a), FLOAT32(radius_b)
    if growth_a != 0.0 or growth_b != 0.0:
        manifold.flags |= MANIFOLD_TAPERS
        manifold.separation[GROWTH_A], manifold.separation[GROWTH_B] = FLOAT32(growth_a), FLOAT32(growth_b)


@kernel
def write_results(system, shapes, pair_index, a, b, shape_pair, results, found, chain):
    """Make manifolds of the collision results of the chain's two shapes."""
    manifolds = manifolds_of(system)
    pair = pairs_of(system)[pair_index]
    shape_a, shape_b = shapes[shape_pair.shape_a], shapes[shape_pair.shape_b]
    is_ruled = pair.flags & PAIR_HAS_RULE != 0
    for r in range(found):
        if is_ruled and not is_let_in(system, pair_index, results[r], chain):
            continue
        index = claim_manifold(system, results[r], quaternion(a.rotation), chain)
        if index < 0:
            break
        manifold = manifolds[index]
        manifold.pair = INT32(pair_index)
        manifold.body_a, manifold.body_b = pair.body_a, pair.body_b
        manifold.instance_a, manifold.instance_b = chain.instances[0], chain.instances[1]
        manifold.part_a, manifold.part_b = np.uint16(chain.parts[0] & LOW_16), np.uint16(chain.parts[1] & LOW_16)
        write_manifold(manifold, results[r], a)
        manifold.flags &= np.uint16(MANIFOLD_HAD_IMPACT)
        write_rounding(manifold, shapes, a, b, shape_pair, results[r])
        if chain.has_bricks != 0:
            name_bricks(system, manifold, chain)
            if chain.merging != 0:
                manifold.flags |= np.uint16(MANIFOLD_IS_MERGED)
        if manifold.point_count <= 2:
            if wanders_over(manifold, a, b, is_support_shape(shape_a), True):
                manifold.flags |= MANIFOLD_WANDERS_A
            if wanders_over(manifold, b, a, is_support_shape(shape_b), False):
                manifold.flags |= MANIFOLD_WANDERS_B
        elif manifold.point_count > 2 and (
            is_flat_end(shape_a, manifold.rounding_a) or is_flat_end(shape_b, manifold.rounding_b)
        ):
            manifold.flags |= MANIFOLD_IS_DISC
        if chain.has_surface or material_of(shape_a, manifold.face) >= 0 or material_of(shape_b, manifold.face) >= 0:
            manifold.flags |= MANIFOLD_HAS_MATERIAL
        if manifold.rounding_a > 0.0 or manifold.rounding_b > 0.0:
            chain.is_round = 1
        if is_ruled:
            keep_settings(system, index, manifold, view(chain.contact, 1, CONTACT)[0])
        is_sensor = manifold.flags & MANIFOLD_IS_SENSOR != 0
        if (manifold.colour < 0) != is_sensor:
            chain.is_changed = 1
        for p in range(0 if is_sensor else manifold.point_count):
            chain.lowest = min(chain.lowest, np.float64(manifold.separation[p]))
        keep_manifold(manifolds, chain, index)
        chain.count += 0 if is_sensor else 1


@kernel
def drop_unmatched(system, chain):
    """Remove the points of old manifolds that matched nothing; the step frees them."""
    manifolds = manifolds_of(system)
    index = chain.remaining[0]
    while index >= 0:
        following = INT64(manifolds[index].next)
        manifolds[index].point_count = 0
        chain.is_changed = 1
        keep_manifold(manifolds, chain, index)
        index = following
