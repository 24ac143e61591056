"""Contacts of bricks during the collision of a pair: which of them count, and whether they are merged (merged_contacts.py)."""

import numpy as np

from ..bodies.parts import JOINED
from ..bodies.records import world_at
from ..geometry.vector import negate, quaternion, rotate_inverse, scale, store3, store4, subtract, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.call import call_1_result, call_3_result
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_row, stack_array, view
from ..shapes.bricks import block_of
from ..shapes.compound import surface_of_part
from ..shapes.schema import FIRST_BRICK, NO_PART, SHAPE, SPHERE
from .brick_names import BRICK_PLACE
from .inner_faces import BRICK_CONTACT, STEEP, STEEP_FOR_ROUND
from .meeting import NO_MOTION
from .merged_contacts import MERGE, MERGING, MOST_SINGLE, WRITE, bricks_of_face
from .pair_manifolds import write_results
from .pairs import manifolds_of
from .rounding import NO_SPIN, rounding_of
from .schema import CONTACT_RESULT, MANIFOLD_IS_MERGED, MAX_RESULTS, SPECULATIVE_DISTANCE

INT32, INT64 = np.int32, np.int64


@kernel
def is_round_there(shape_pair, result, side):
    """Whether A (side 0) or B (1) is round at its contact."""
    shapes = view(shape_pair.shapes, max(shape_pair.shape_a, shape_pair.shape_b) + 1, SHAPE)
    normal = vector3(result.normal)
    if side == 0:
        return rounding_of(shapes[shape_pair.shape_a], quaternion(shape_pair.rotation_a), normal, NO_SPIN) > 0.0
    return rounding_of(shapes[shape_pair.shape_b], quaternion(shape_pair.rotation_b), negate(normal), NO_SPIN) > 0.0


@kernel
def drop_inner_contacts(system, a, b, delta, shape_pair, found, chain):
    """Drop the results of a pair of shapes, of which one is a brick, that are with covered faces. Return how many stay."""
    keep_as_call()
    world = world_at(system.world)
    results, contacts = view(shape_pair.results, MAX_RESULTS, CONTACT_RESULT), stack_array(1, BRICK_CONTACT)
    contact, kept = contacts[0], INT64(0)
    for r in range(found):
        is_inner = False
        for side in range(2):
            if chain.walks[side] == 0 or is_inner:
                continue
            contact.walk, contact.number = chain.walks[side], INT64(chain.parts[side]) - FIRST_BRICK
            contact.result, contact.outward = address_of_row(results, r), 1.0 if side == 0 else -1.0
            contact.steep = STEEP_FOR_ROUND if is_round_there(shape_pair, results[r], 1 - side) else STEEP
            store3(contact.body_position, NO_MOTION if side == 0 else delta)
            store4(contact.body_rotation, quaternion(a.rotation if side == 0 else b.rotation))
            is_inner = call_1_result(world.inner_function, address_of_row(contacts, 0)) != 0
        if is_inner:
            chain.inner_count += 1
            continue
        if kept != r:
            results[kept] = results[r]
        kept += 1
    return kept


@kernel
def write_brick_results(system, shapes, pair_index, a, b, delta, shape_pair, results, found, chain):
    """Make manifolds of the results of a pair of shapes of which one is a brick, or merge them. Sets `chain.overflows` instead if
    there are more than MOST_SINGLE."""
    keep_as_call()
    if chain.keeps_inner == 0:
        found = drop_inner_contacts(system, a, b, delta, shape_pair, found, chain)
    if chain.merging == 0:
        if chain.count + found > MOST_SINGLE:
            chain.overflows = 1
        else:
            write_results(system, shapes, pair_index, a, b, shape_pair, results, found, chain)
        return
    merging = view(chain.merging, 1, MERGING)[0]
    merging.brick_a = max(INT64(chain.parts[0]) - FIRST_BRICK, 0)
    merging.brick_b = max(INT64(chain.parts[1]) - FIRST_BRICK, 0)
    merging.is_round = shapes[shape_pair.shape_a].kind == SPHERE or shapes[shape_pair.shape_b].kind == SPHERE
    world = world_at(system.world)
    for r in range(found):
        if merging.total == 0:
            chain.merged_instances[0], chain.merged_instances[1] = chain.instances[0], chain.instances[1]
        call_3_result(world.merge_function, chain.merging, address_of_row(results, r), INT64(MERGE))


@kernel
def brick_at_contact(world, instance, shape, position, rotation, result):
    """The number of the brick at the deepest point of a contact, 0 for none. `instance`, `shape`: of the structure, on a body at
    `position` (from the origin of the results [m]) with `rotation`."""
    keep_as_call()
    block, places = block_of(shape), stack_array(1, BRICK_PLACE)
    deepest = 0
    for p in range(1, result.point_count):
        if result.separations[p] < result.separations[deepest]:
            deepest = p
    at = rotate_inverse(rotation, subtract(vector3(result.points[deepest]), position))
    at = rotate_inverse(quaternion(instance.rotation), subtract(at, vector3(instance.position)))
    place = places[0]
    place.structure, place.reach = block.structure, (SPECULATIVE_DISTANCE + abs(result.separations[deepest])) / block.unit
    store3(place.point, scale(at, 1.0 / block.unit))
    return call_1_result(world.name_function, address_of_row(places, 0))


@kernel
def write_merged(system, instances, shapes, pair_index, a, b, delta, shape_pair, results, chain):
    """Make manifolds of what was merged. Each names the bricks of its deepest contact: of joined ones those that are there."""
    keep_as_call()
    world = world_at(system.world)
    count = call_3_result(world.merge_function, chain.merging, address_of_row(results, 0), INT64(WRITE))
    chain.instances[0], chain.instances[1] = chain.merged_instances[0], chain.merged_instances[1]
    for r in range(count):
        if r > 0:
            results[0] = results[r]
        bricks = bricks_of_face(results[0].face)
        results[0].face = -1
        chain.has_surface, chain.has_bricks = 0, 1
        for side in range(2):
            body, brick = a if side == 0 else b, bricks[0] if side == 0 else bricks[1]
            instance = instances[body.first_instance + chain.instances[side]]
            shape = shapes[instance.shape]
            if brick > 0 and chain.ways[side] == JOINED:
                position = NO_MOTION if side == 0 else delta
                brick = brick_at_contact(world, instance, shape, position, quaternion(body.rotation), results[0])
            chain.parts[side] = INT32(FIRST_BRICK + brick if brick > 0 else NO_PART)
            if brick > 0:
                chain.has_surface |= surface_of_part(shape, FIRST_BRICK + brick)[0] >= 0.0
        write_results(system, shapes, pair_index, a, b, shape_pair, results, 1, chain)


@kernel
def was_merged(system, chain):
    """Whether manifolds of the last step are merged ones."""
    manifolds, remaining = manifolds_of(system), chain.remaining
    index = INT64(remaining[0])
    while index >= 0:
        if manifolds[index].flags & MANIFOLD_IS_MERGED:
            return True
        index = INT64(manifolds[index].next)
    return False


@kernel
def take_back(system, chain):
    """Put the manifolds written so far back to those of the last step: the pair is collided in another way."""
    if chain.tail >= 0:
        manifolds, remaining = manifolds_of(system), chain.remaining
        manifolds[chain.tail].next = INT32(remaining[0])
        remaining[0] = chain.head
    chain.head, chain.tail, chain.count = -1, -1, 0
