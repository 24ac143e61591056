"""From an active pair to its contact manifolds: the job `collide`.

A pair whose bodies have hardly moved relative to each other since its last full collision keeps its manifolds (contact recycling,
as in Box3D). They are not read here: the solver computes where their points are now (contact_points.py). Otherwise the shapes are
collided, and the impulses of old manifolds and points are copied to the new ones that match.
"""

import numpy as np

from ..bodies.bounds import bounds_overlap
from ..bodies.overlap import is_deep
from ..bodies.parts import ALL_BRICKS, JOINED, PARTS, begin_parts, next_part_in_box, part_number, part_row
from ..bodies.rare import rare_of
from ..bodies.records import world_at
from ..bodies.schema import BODY, HAS_JOINT, INSTANCE, NO_CONTACT_EVENTS, RIGID
from ..bodies.system_schema import SYSTEM, offset_of
from ..geometry.vector import (
    add, conjugate, cross, length_squared, multiply, negate, quaternion, rotate, rotate_inverse, store3, store4,
    subtract, vector3,
)  # fmt: skip
from ..runtime.atomics import add_int64
from ..runtime.attributes import keep_as_call
from ..runtime.call import call_1_result
from ..runtime.kernel import JOB_SIGNATURE, entry_point, kernel
from ..runtime.memory import address_of_record, address_of_row, stack_array, view
from ..runtime.prefetch import prefetch
from ..shapes.compound import has_parts, surface_of_part
from ..shapes.schema import FIRST_BRICK, NO_PART, SHAPE, SPHERE
from ..shapes.traits import is_round, is_support_shape
from .body_sweeps import reach_in_frame, sweep_bodies_apart
from .collide_function import SHAPE_PAIR
from .contact_points import relative_position
from .contact_schema import CONTACT
from .crowds import separate_centers
from .brick_contacts import take_back, was_merged, write_brick_results, write_merged
from .leaning import note_load
from .merged_contacts import LEAST_MERGED, MERGING
from .meshes import CLUSTER
from .meeting import NO_MOTION, balls_meet_at, bring_back, may_meet, move_along, set_sweep_ahead
from .pair_manifolds import CHAIN, drop_unmatched, reject_pair, write_results
from .pairs import lists_of, pairs_of
from .passing import gap_between
from .part_gaps import gap_to_shapes
from .recycling import age, is_recyclable, remember_gap, remember_pose, stays_apart
from .rolling import is_round_on_mesh, turn_to_chords
from .rolling_over import may_roll_over, turn_over_edge
from .schema import (
    CONTACT_RESULT, MAX_RESULTS, PAIR_HAS_RULE, PAIR_IS_KEPT_ON_CURVE, PAIR_IS_TOUCHING, PAIR_IS_UNSOLVED,
    PAIR_SPARES_A, PAIR_SPARES_B, PAIR_WAS_ON_CURVE, SPECULATIVE_DISTANCE,
)  # fmt: skip
from .stand_ins import ways_to_meet
from .sweeps import SWEEP

INT32, FLOAT32, FLOAT64, INT64 = np.int32, np.float32, np.float64, np.int64

CHANGED_PAIR_COUNT_OFFSET = offset_of("pairs", "changed_count")

PAIRS_AHEAD, BODIES_AHEAD = 16, 8
"""Number of pairs in advance at which the cache lines of a pair, and of its bodies, are prefetched."""

MOST_SPIN = 0.25
"""The fastest spin [rad/s] of a body whose points are chosen by its slide: others have other corners ahead in each step."""


@kernel
def slide_on(body, other):
    """The velocity of a body's centre relative to the other there, world [m/s]; 0 for bodies that spin on it (`MOST_SPIN`)."""
    spin = vector3(other.angular_velocity)
    if length_squared(subtract(vector3(body.angular_velocity), spin)) > MOST_SPIN * MOST_SPIN:
        return 0.0, 0.0, 0.0
    carried = add(vector3(other.linear_velocity), cross(spin, subtract(vector3(body.position), vector3(other.position))))
    return subtract(vector3(body.linear_velocity), carried)


@kernel
def shapes_collide(a, b):
    """Whether the simulation layers of two shapes let them collide; a shape without layers collides with all."""
    return a.simulation_layers == 0 or b.simulation_layers == 0 or a.simulation_layers & b.simulation_layers != 0


@kernel
def speculative_distance_of(a, b, delta_time):
    """Distance below which contacts are made [m]: larger beside a kinematic body, by its motion in a step. Fast rigid bodies are
    swept instead (solver/continuous.py): a contact made far ahead would push bodies that only pass by."""
    if a.inverse_mass > 0.0 and b.inverse_mass > 0.0:
        return SPECULATIVE_DISTANCE
    velocity = vector3(b.linear_velocity) if a.inverse_mass > 0.0 else vector3(a.linear_velocity)
    motion = length_squared(velocity) * delta_time * delta_time
    thinnest = float(a.inner_radius) if a.inverse_mass > 0.0 else float(b.inner_radius)
    if motion > 0.25 * thinnest * thinnest:
        return SPECULATIVE_DISTANCE + motion**0.5
    return SPECULATIVE_DISTANCE


@kernel
def collide_instances(system, shapes, pair_index, a, b, delta, instance_a, instance_b, axis_cache, shape_pair, results, chain):
    """Collide a shape of A with one of B, whose numbers are in the chain. Returns the axis cache for the next time."""
    if instance_b.is_disabled or instance_b.shape < 0 or not shapes_collide(instance_a, instance_b) or chain.overflows != 0:
        return INT64(0)
    rotation_a, rotation_b = quaternion(a.rotation), quaternion(b.rotation)
    shape_pair.shape_a, shape_pair.shape_b = instance_a.shape, instance_b.shape
    store3(shape_pair.position_a, rotate(rotation_a, vector3(instance_a.position)))
    store4(shape_pair.rotation_a, multiply(rotation_a, quaternion(instance_a.rotation)))
    store3(shape_pair.position_b, add(delta, rotate(rotation_b, vector3(instance_b.position))))
    store4(shape_pair.rotation_b, multiply(rotation_b, quaternion(instance_b.rotation)))
    shape_pair.axis_cache = axis_cache
    shape_pair.has_load = 0
    if not is_round(shapes[instance_a.shape]) and not is_round(shapes[instance_b.shape]):
        note_load(system, a, b, delta, chain, shape_pair)
    if is_support_shape(shapes[instance_a.shape]) or is_support_shape(shapes[instance_b.shape]):
        chain.renews = 1
    found = call_1_result(system.functions.collide_shapes, chain.shape_pair)
    if found > 0 and is_round_on_mesh(shapes, shape_pair):
        found = turn_to_chords(system, shapes, pair_index, a, b, delta, shape_pair, results, found, chain)
    if found == 1 and may_roll_over(shapes, shape_pair):
        turn_over_edge(system, shapes, pair_index, a, b, delta, shape_pair, results[0], chain)
    if chain.has_bricks != 0:
        if found > 0:
            write_brick_results(system, shapes, pair_index, a, b, delta, shape_pair, results, found, chain)
    else:
        write_results(system, shapes, pair_index, a, b, shape_pair, results, found, chain)
    return INT64(shape_pair.axis_cache)


@kernel
def collide_all_instances(system, world, instances, shapes, pair_index, a, b, delta, distance, shape_pair, results, chain):
    """Collide the shapes of A that are near B, each with the shapes of B that are near it.

    Contacts with covered faces of bricks count only if there are no others: a body deep among bricks is pushed by them. Too many
    contacts of bricks are merged, and all of joined ones. So a pair with bricks may be collided again in another way, up to four
    times."""
    if world.brick_function == 0:
        collide_near_instances(
            system, world, instances, shapes, pair_index, a, b, delta, distance, shape_pair, results, chain
        )  # fmt: skip
        return
    mergings, clusters = stack_array(1, MERGING), stack_array(MAX_RESULTS, CLUSTER)
    merging = mergings[0]
    merging.clusters = address_of_row(clusters, 0)
    chain.ways[0], chain.ways[1] = ways_to_meet(world, a, b, False)
    is_settled = chain.ways[0] == JOINED or chain.ways[1] == JOINED
    merges, keeps_inner = is_settled or was_merged(system, chain), INT64(0)
    while True:
        merging.count = merging.total = 0
        chain.merging = address_of_row(mergings, 0) if merges else INT64(0)
        chain.keeps_inner, chain.inner_count, chain.overflows = keeps_inner, INT64(0), INT64(0)
        collide_near_instances(
            system, world, instances, shapes, pair_index, a, b, delta, distance, shape_pair, results, chain
        )  # fmt: skip
        if chain.overflows != 0:
            merges = is_settled = True
        elif merges and merging.total < LEAST_MERGED and not is_settled:
            merges, is_settled = False, True
        elif chain.count == 0 and merging.total == 0 and chain.inner_count > 0 and keeps_inner == 0:
            keeps_inner = INT64(1)
        else:
            break
        take_back(system, chain)
    if merges:
        write_merged(system, instances, shapes, pair_index, a, b, delta, shape_pair, results, chain)
    chain.merging = INT64(0)


@kernel
def collide_near_instances(system, world, instances, shapes, pair_index, a, b, delta, distance, shape_pair, results, chain):
    """Collide the shapes of A that are near B, each with the shapes of B that are near it."""
    keep_as_call()
    walk_a, walk_b = stack_array(1, PARTS)[0], stack_array(1, PARTS)[0]
    rotation_a, rotation_b = quaternion(a.rotation), quaternion(b.rotation)
    # Where each of the two frames is in the other one.
    turn_a, turn_b = multiply(conjugate(rotation_b), rotation_a), multiply(conjugate(rotation_a), rotation_b)
    place_a, place_b = negate(rotate_inverse(rotation_b, delta)), rotate_inverse(rotation_a, delta)
    low, high = reach_in_frame(b.local_bounds, distance, place_a, turn_a)
    begin_parts(walk_a, a.first_instance, a.instance_count)
    walk_a.stands_in = chain.ways[0]
    while next_part_in_box(walk_a, world, instances, shapes, low, high) >= 0:
        instance_a = part_row(walk_a, instances)
        if instance_a.is_disabled or instance_a.shape < 0:
            continue
        low_a, high_a = reach_in_frame(instance_a.bounds, distance, place_b, turn_b)
        begin_parts(walk_b, b.first_instance, b.instance_count)
        walk_b.stands_in = chain.ways[1]
        while next_part_in_box(walk_b, world, instances, shapes, low_a, high_a) >= 0:
            name_parts(shapes, instances, walk_a, walk_b, chain)
            collide_instances(
                system, shapes, pair_index, a, b, delta, instance_a, part_row(walk_b, instances), INT64(0), shape_pair, results,
                chain,
            )  # fmt: skip


@kernel
def collide_at(
    system, world, instances, shapes, pair_index, a, b, delta, way_a, way_b, fraction, shape_pair, results, chain
):  # fmt: skip
    """Collide two bodies at a fraction of their paths (rows of SWEEP). Returns the position of B relative to A there, or `delta`,
    the present one."""
    keep_as_call()
    chain.is_ahead = 1
    copies = stack_array(2, BODY)
    copies[0], copies[1] = a, b
    move_along(way_a, fraction, copies[0])
    move_along(way_b, fraction, copies[1])
    there = relative_position(copies[0], copies[1])
    collide_all_instances(
        system, world, instances, shapes, pair_index, copies[0], copies[1], there, SPECULATIVE_DISTANCE, shape_pair, results,
        chain,
    )  # fmt: skip
    if chain.count == 0:
        return delta
    bring_back(system, chain.head, a, b, copies)
    chain.renews = 1
    return there


@kernel
def collide_ahead(system, world, instances, shapes, pair_index, a, b, delta, delta_time, shape_pair, results, chain):
    """Collide two bodies that are apart, at the place where they meet within the step, if they do. Returns the position of B
    relative to A there, or the present one."""
    keep_as_call()
    sweeps, copies = stack_array(2, SWEEP), stack_array(2, BODY)
    at = 0 if a.mode >= RIGID else 1
    set_sweep_ahead(a, NO_MOTION, delta_time, sweeps[at])
    set_sweep_ahead(b, delta, delta_time, sweeps[1 - at])
    copies[0], copies[1] = a, b
    fraction = sweep_bodies_apart(world, copies[at], copies[1 - at], sweeps, 1.0)
    if fraction >= 1.0:
        return delta
    return collide_at(
        system, world, instances, shapes, pair_index, a, b, delta, sweeps[at], sweeps[1 - at], fraction, shape_pair, results,
        chain,
    )  # fmt: skip


@kernel
def are_balls(shapes, instances, a, b):
    """Whether each of two bodies is one ball about its centre of mass."""
    if a.instance_count != 1 or b.instance_count != 1:
        return False
    for side in range(2):
        instance = instances[a.first_instance if side == 0 else b.first_instance]
        if instance.is_disabled or instance.shape < 0 or shapes[instance.shape].kind != SPHERE:
            return False
        if length_squared(vector3(instance.position)) > 0.0:
            return False
    return True


@kernel
def collide_balls_ahead(system, world, instances, shapes, pair_index, a, b, delta, delta_time, shape_pair, results, chain):
    """Collide two fast balls at the place where they meet or pass. Returns the position of B relative to A there, or `delta` and
    makes no contact, if they are to be collided where they are."""
    keep_as_call()
    fraction = balls_meet_at(a, b, delta, delta_time)
    if fraction < 0.0:
        return delta
    sweeps = stack_array(2, SWEEP)
    set_sweep_ahead(a, NO_MOTION, delta_time, sweeps[0])
    set_sweep_ahead(b, delta, delta_time, sweeps[1])
    return collide_at(
        system, world, instances, shapes, pair_index, a, b, delta, sweeps[0], sweeps[1], fraction, shape_pair, results, chain
    )  # fmt: skip


@kernel
def name_parts(shapes, instances, walk_a, walk_b, chain):
    """Store which two shapes, and which parts of them, are collided next."""
    chain.has_surface = chain.has_bricks = 0
    for side in range(2):
        walk = walk_a if side == 0 else walk_b
        part = part_number(walk)
        chain.instances[side], chain.parts[side] = INT32(walk.number), INT32(part)
        chain.has_bricks |= part >= FIRST_BRICK
        chain.walks[side] = address_of_record(walk.bricks) if part >= FIRST_BRICK else INT64(0)
        if walk.part >= 0:
            friction, _ = surface_of_part(shapes[instances[walk.outer.first + walk.number].shape], part)
            chain.has_surface |= friction >= 0.0


@kernel
def collide_bodies(system, world, pair_index, a, b, delta, delta_time, gap, shape_pair, results, chain):
    """Collide two bodies where they are, or where they will meet within the step. `gap`: lower bound of their distance [m], 0 if
    it is not known. Returns the position of B relative to A there [m]."""
    instances = view(world.instances, world.instance_capacity, INSTANCE)
    shapes = view(world.shapes, world.shape_capacity, SHAPE)
    pair, lists = pairs_of(system)[pair_index], lists_of(system)[pair_index]
    if not pair.flags & PAIR_HAS_RULE and are_balls(shapes, instances, a, b):
        delta = collide_balls_ahead(
            system, world, instances, shapes, pair_index, a, b, delta, delta_time, shape_pair, results, chain
        )  # fmt: skip
    if chain.count > 0:
        lists.axis_cache = INT32(0)
        return delta
    apart = separate_centers(system, pair, a, b, delta)
    if gap > shape_pair.distance:
        lists.axis_cache = INT32(0)
    elif a.instance_count == 1 and b.instance_count == 1 and not are_of_parts(shapes, instances, a, b):
        instance_a, instance_b = instances[a.first_instance], instances[b.first_instance]
        if not instance_a.is_disabled and instance_a.shape >= 0:
            lists.axis_cache = INT32(collide_instances(
                system, shapes, pair_index, a, b, apart, instance_a, instance_b, INT64(lists.axis_cache), shape_pair, results,
                chain,
            ))  # fmt: skip
    else:
        collide_all_instances(
            system, world, instances, shapes, pair_index, a, b, apart, shape_pair.distance, shape_pair, results, chain
        )  # fmt: skip
    if chain.count == 0 and not pair.flags & PAIR_HAS_RULE and may_meet(a, b, delta, delta_time):
        delta = collide_ahead(
            system, world, instances, shapes, pair_index, a, b, delta, delta_time, shape_pair, results, chain
        )  # fmt: skip
    return delta


@kernel
def is_for_nobody(world, pair, a, b):
    """Whether contacts of a pair push none of its bodies, and none reports them: a character inside a ship that does not look for
    its layer."""
    if (a.mode >= RIGID and not pair.flags & PAIR_SPARES_A) or (b.mode >= RIGID and not pair.flags & PAIR_SPARES_B):
        return False
    one, other = rare_of(address_of_record(world), a), rare_of(address_of_record(world), b)
    if one.max_contacts_reported > 0 or other.max_contacts_reported > 0:
        return False
    return one.contact_events == NO_CONTACT_EVENTS and other.contact_events == NO_CONTACT_EVENTS


@kernel
def collide_pair(system, world, pair_index, delta_time):
    """Renew the manifolds of one pair. Returns whether the step has to look at the pair: contact began or ended, manifolds came
    or went, or the fat bounds have parted."""
    keep_as_call()
    bodies = view(world.bodies, world.body_capacity, BODY)
    pair, lists = pairs_of(system)[pair_index], lists_of(system)[pair_index]
    a, b = bodies[pair.body_a], bodies[pair.body_b]
    if not bounds_overlap(a.fat_bounds, b.fat_bounds):
        return True
    if lists.first_manifold < 0 and is_for_nobody(world, pair, a, b):
        return False
    delta = relative_position(a, b)
    results, chains = stack_array(MAX_RESULTS, CONTACT_RESULT), stack_array(1, CHAIN)
    shape_pairs, contacts = stack_array(1, SHAPE_PAIR), stack_array(1, CONTACT)
    shape_pair, chain = shape_pairs[0], chains[0]
    shape_pair.shapes, shape_pair.distance = world.shapes, speculative_distance_of(a, b, delta_time)
    shape_pair.results = address_of_row(results, 0)
    store3(shape_pair.slide, slide_on(a, b) if a.inverse_mass >= b.inverse_mass else slide_on(b, a))
    chain.shape_pair = address_of_row(shape_pairs, 0)
    chain.remaining[0] = lists.first_manifold
    chain.head, chain.tail, chain.count, chain.is_changed, chain.is_round, chain.renews = -1, -1, 0, 0, 0, 0
    chain.contact, chain.is_rejected, chain.lowest = address_of_row(contacts, 0), 0, 0.0
    chain.instances[0] = chain.instances[1] = 0
    chain.parts[0] = chain.parts[1] = NO_PART
    chain.has_surface, chain.has_bricks, chain.is_ahead, chain.curve_load = 0, 0, 0, 0.0
    chain.keeps_inner, chain.inner_count, chain.merging, chain.overflows = 0, 0, 0, 0
    chain.ways[0] = chain.ways[1] = ALL_BRICKS
    gap = gap_between(a, b, delta) if pair.flags & PAIR_IS_TOUCHING == 0 else 0.0
    delta = collide_bodies(system, world, pair_index, a, b, delta, delta_time, gap, shape_pair, results, chain)
    drop_unmatched(system, chain)
    if chain.is_rejected != 0:
        reject_pair(system, chain)
    lists.first_manifold = chain.head
    lists.manifold_count = chain.count
    remember_pose(pair, a, b, delta, chain.count, chain.lowest, chain.is_round != 0, chain.renews != 0)
    if chain.count == 0:
        gap = gap if gap > shape_pair.distance else gap_to_shapes(world, a, b, delta)
        remember_gap(pair, a, b, gap - shape_pair.distance)
        pair.flags &= ~np.uint32(PAIR_IS_KEPT_ON_CURVE | PAIR_WAS_ON_CURVE)
    if (chain.count > 0) != (pair.flags & PAIR_IS_TOUCHING != 0):
        chain.is_changed = 1
    if (a.flags | b.flags) & HAS_JOINT and is_deep(system, a, b, chain.lowest):
        return True  # one of them may be caught at a joint: see solver/caught_bodies.py
    if chain.curve_load > 0.0:
        return True  # the velocity is turned in order: see rolling.py
    return chain.is_changed != 0 or (chain.count > 0 and may_meet_seam(a, b, chain.count))


@kernel
def are_of_parts(shapes, instances, a, b):
    """Whether one of two bodies of one shape has a compound or a structure."""
    return has_parts(shapes, instances[a.first_instance]) or has_parts(shapes, instances[b.first_instance])


@kernel
def may_meet_seam(a, b, count):
    """Whether the contacts of a pair that was just collided may be with the inner edge of something put together from several
    shapes: a body that moves on one that does not, and touches more (see seams.py)."""
    if a.inverse_mass > 0.0:
        return b.inverse_mass == 0.0 and (a.pair_count > 1 or count > 1)
    return b.inverse_mass > 0.0 and (b.pair_count > 1 or count > 1)


@kernel
def prefetch_ahead(pairs, bodies, active, slot, end):
    """Ask for what the test of pairs to come will read: in a large world every row is a miss of the caches."""
    if slot + PAIRS_AHEAD < end:
        prefetch(address_of_record(pairs[active[slot + PAIRS_AHEAD]]))
    if slot + BODIES_AHEAD < end:
        pair = pairs[active[slot + BODIES_AHEAD]]
        prefetch(address_of_record(bodies[pair.body_a]))
        prefetch(address_of_record(bodies[pair.body_b]))


@entry_point(JOB_SIGNATURE)
def collide(system_address, begin, end, worker):
    """Job: renew the manifolds of those of the active pairs `begin` to `end - 1` whose bodies have moved against each other;
    those to be looked at go to the changed pairs.

    Reads bodies, shapes and the poses of the last full collision; writes the pairs themselves and their own manifolds."""
    systems = view(system_address, 1, SYSTEM)
    system = systems[0]
    world = world_at(system.world)
    active = view(system.pairs.active, system.pairs.capacity, INT32)
    changed = view(system.pairs.changed, system.pairs.capacity, INT32)
    counter = address_of_row(systems, 0) + CHANGED_PAIR_COUNT_OFFSET
    pairs, bodies = pairs_of(system), view(world.bodies, world.body_capacity, BODY)
    for slot in range(begin, end):
        prefetch_ahead(pairs, bodies, active, slot, end)
        index = INT64(active[slot])
        pair = pairs[index]
        a, b = bodies[pair.body_a], bodies[pair.body_b]
        is_kept = is_recyclable(pair, a, b)
        if is_kept:
            age(pair)
        if is_kept or stays_apart(pair, a, b, system.step.last_delta_time):
            is_changed = pair.flags & PAIR_IS_UNSOLVED != 0
        else:
            is_changed = collide_pair(system, world, index, system.step.last_delta_time)
        if is_changed:
            changed[add_int64(counter, INT64(1))] = INT32(index)
