"""A body after a batch of edits of its structure: its mass and bounds follow, contacts with removed bricks end, and what touched
them wakes. Its pairs stay, so all other contacts keep their impulses.

To be called by the thread that holds the gate of the body's system (edit/commands.py).
"""

from typing import NamedTuple

import numpy as np

from ..bodies.motion import bodies_of, system_of
from ..bodies.parts import PARTS, begin_parts, end_parts, next_part_in_box
from ..bodies.records import world_at
from ..bodies.schema import BOUNDS_CHANGED, INSTANCE, RIGID
from ..collision.body_sweeps import reach_in_frame
from ..collision.bounds_queries import oriented_box_touches
from ..collision.contact_points import relative_position
from ..collision.pairs import brick_of, lists_of, manifolds_of, pairs_of
from ..collision.passing import box_around
from ..collision.schema import MANIFOLD_HAS_BRICKS, MANIFOLD_IS_MERGED, SPECULATIVE_DISTANCE
from ..geometry.vector import (
    add, conjugate, matrix_rows, multiply, quaternion, rotate, rotate_inverse, scale, store3, subtract, vector3,
)  # fmt: skip
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of, stack_array, view, view2
from ..shapes.bricks import block_of, is_structure
from ..shapes.schema import SHAPE
from ..solver.sleeping import wake_island
from .body_placement import renew_body

FLOAT32, INT64 = np.float32, np.int64

BRICK_EDIT = np.dtype(
    [
        ("shape", "i8"),  # index of the user's shape
        ("removed", "i8"), ("removed_count", "i8"),  # int32: numbers of bricks, ascending
        ("bounds", "i8"),  # float32 (n, 6): their bounds [unit], ascending by their low x
        ("bounds_count", "i8"),
        ("inserted", "i8"), ("inserted_count", "i8"),
        ("new_bounds", "i8"),  # float32 (m, 6): those of the inserted ones
        ("new_bounds_count", "i8"),
        ("widest", "f8"),  # the longest side along x of all these bounds [unit]
    ],
    align=True,
)  # fmt: skip


class BrickEdit(NamedTuple):
    """A batch of edits of a structure for compiled code."""

    rows: np.ndarray
    """BRICK_EDIT, an array of one."""
    address: int
    batch: object
    """The arrays whose addresses are in `rows`."""


def _by_low_x(bounds: np.ndarray) -> np.ndarray:
    """Sort bounds (n, 6) by their low x, so that `touches_some` looks at few of them."""
    return bounds[np.argsort(bounds[:, 0])] if len(bounds) > 1 else bounds


def make_edit(shape: int, batch) -> BrickEdit:
    """Return the edit of a structure that is a user's shape (by index), from a `Batch` of it."""
    bounds, new_bounds = _by_low_x(batch.bounds), _by_low_x(batch.new_bounds)
    widest = max((float((some[:, 3] - some[:, 0]).max()) for some in (bounds, new_bounds) if len(some)), default=0.0)
    addresses = (
        value for array in (batch.removed, bounds, batch.inserted, new_bounds) for value in (address_of(array), len(array))
    )
    rows = np.array([(shape, *addresses, widest)], BRICK_EDIT)
    return BrickEdit(rows, address_of(rows), (batch.removed, bounds, batch.inserted, new_bounds))


@kernel
def holds(numbers, count, number):
    """Whether an ascending list has a number."""
    low, high = INT64(0), INT64(count)
    while low < high:
        middle = (low + high) >> 1
        if numbers[middle] < number:
            low = middle + 1
        else:
            high = middle
    return low < count and numbers[low] == number


@kernel
def was_near_removed(world, instance, body, other, edit):
    """Whether a removed brick of a structure on a body was near the box around another body."""
    keep_as_call()
    shape = view(world.shapes, world.shape_capacity, SHAPE)[instance.shape]
    unit, bounds = block_of(shape).unit, view2(edit.bounds, edit.bounds_count, 6, FLOAT32)
    box, own = stack_array(6, np.float64), multiply(quaternion(body.rotation), quaternion(instance.rotation))
    middle, half, axes = box_around(other, quaternion(other.rotation))
    # The box in the frame of the structure: `axes` are world axes by rows, so its rows there are those of the product's inverse.
    position = add(rotate(quaternion(body.rotation), vector3(instance.position)), relative_position(other, body))
    center = rotate_inverse(own, subtract(middle, position))
    rows = matrix_rows(multiply(conjugate(own), quaternion(other.rotation)))
    for k in range(edit.bounds_count):
        for axis in range(3):
            box[axis] = bounds[k, axis] * unit - SPECULATIVE_DISTANCE
            box[3 + axis] = bounds[k, 3 + axis] * unit + SPECULATIVE_DISTANCE
        if oriented_box_touches(box, center, half, rows):
            return True
    return False


@kernel
def has_lost_contact(system, world, instances, body, other, lists, side, edit):
    """Whether a contact of a pair is with a removed brick of the body that is its side `side`. Merged contacts name only one of
    their bricks: then a removed one that was near is enough."""
    manifolds = manifolds_of(system)
    removed = view(edit.removed, edit.removed_count, np.int32)
    m = INT64(lists.first_manifold)
    while m >= 0:
        manifold = manifolds[m]
        if manifold.flags & MANIFOLD_HAS_BRICKS:
            number = INT64(manifold.instance_a if side == 0 else manifold.instance_b)
            instance = instances[body.first_instance + number]
            is_own = is_structure(view(world.shapes, world.shape_capacity, SHAPE), instance) and instance.user_shape == edit.shape
            if is_own and manifold.flags & MANIFOLD_IS_MERGED:
                if was_near_removed(world, instance, body, other, edit):
                    return True
            elif is_own and holds(removed, edit.removed_count, brick_of(system, manifold, side)):
                return True
        m = INT64(manifold.next)
    return False


@kernel
def is_near_new(world, instances, body, other, edit):
    """Whether a new brick of a body is near another body."""
    keep_as_call()
    shapes = view(world.shapes, world.shape_capacity, SHAPE)
    inserted = view(edit.inserted, edit.inserted_count, np.int32)
    rotation = quaternion(body.rotation)
    low, high = reach_in_frame(
        other.local_bounds, SPECULATIVE_DISTANCE, rotate_inverse(quaternion(other.rotation), relative_position(other, body)),
        multiply(conjugate(quaternion(other.rotation)), rotation),
    )  # fmt: skip
    walk = stack_array(1, PARTS)[0]
    begin_parts(walk, body.first_instance, body.instance_count)
    while True:
        number = next_part_in_box(walk, world, instances, shapes, low, high)
        if number < 0:
            return False
        is_own = walk.bricks.shape_row >= 0 and instances[body.first_instance + number].user_shape == edit.shape
        if is_own and holds(inserted, edit.inserted_count, INT64(walk.part)):
            end_parts(walk, world)
            return True


@kernel
def touches_some(bounds_address, count, widest, low, high):
    """Whether one of `count` bounds at an address, ascending by their low x and at most `widest` wide there, touches the box from
    `low` to `high`."""
    bounds = view2(bounds_address, count, 6, FLOAT32)
    first, end = INT64(0), INT64(count)
    while first < end:
        middle = (first + end) >> 1
        if bounds[middle, 0] < low[0] - widest:
            first = middle + 1
        else:
            end = middle
    for k in range(first, count):
        if bounds[k, 0] > high[0]:
            return False
        if (
            bounds[k, 3] >= low[0] and bounds[k, 1] <= high[1] and bounds[k, 4] >= low[1]
            and bounds[k, 2] <= high[2] and bounds[k, 5] >= low[2]
        ):  # fmt: skip
            return True
    return False


@kernel
def is_near_edit(world, instances, body, other, edit):
    """Whether some brick of the edit is or was near the box around another body: with it, or with a face that it covers or
    covered, that body may have a contact."""
    keep_as_call()
    shapes, rotation, turn = (
        view(world.shapes, world.shape_capacity, SHAPE),
        quaternion(body.rotation),
        quaternion(other.rotation),
    )
    for k in range(body.first_instance, body.first_instance + body.instance_count):
        instance = instances[k]
        if instance.user_shape == edit.shape and is_structure(shapes, instance):
            place = add(relative_position(other, body), rotate(rotation, vector3(instance.position)))
            own = multiply(conjugate(turn), multiply(rotation, quaternion(instance.rotation)))
            low, high = reach_in_frame(other.local_bounds, SPECULATIVE_DISTANCE, rotate_inverse(turn, place), own)
            per_unit = 1.0 / block_of(shapes[instance.shape]).unit
            low, high = scale(low, per_unit), scale(high, per_unit)
            if touches_some(edit.bounds, edit.bounds_count, edit.widest, low, high):
                return True
            if touches_some(edit.new_bounds, edit.new_bounds_count, edit.widest, low, high):
                return True
    return False


@kernel
def follow_center(system, pair, lists, side, by):
    """Measure the contacts of a pair from the centre of mass of its body on a side, which moved by `by` on that body (body
    frame): they stay where they are."""
    position, manifolds = vector3(pair.pose_position), manifolds_of(system)
    if side != 0:
        store3(pair.pose_position, add(position, rotate(quaternion(pair.pose_rotation_b), by)))
        return
    store3(pair.pose_position, subtract(position, rotate(quaternion(pair.pose_rotation_a), by)))
    m = INT64(lists.first_manifold)
    while m >= 0:
        manifold = manifolds[m]
        for p in range(manifold.point_count):
            store3(manifold.anchor[p], subtract(vector3(manifold.anchor[p]), by))
        m = INT64(manifold.next)


@kernel
def settle_contacts(system, world, bodies, index, edit, by):
    """Have those contacts of a body collided anew that are near an edited brick; the others follow the centre of mass, which
    moved by `by` on the body. Bodies asleep that lost a contact, or are near a new brick, wake."""
    instances = view(world.instances, world.instance_capacity, INSTANCE)
    pairs, all_lists = pairs_of(system), lists_of(system)
    body = bodies[index]
    key = body.first_pair
    while key >= 0:
        pair, lists, side = pairs[key >> 1], all_lists[key >> 1], key & 1
        following = lists.next[side]
        follow_center(system, pair, lists, side, by)
        other = INT64(pair.body_b if side == 0 else pair.body_a)
        is_near = is_near_edit(world, instances, body, bodies[other], edit)
        if is_near:
            pair.limit = FLOAT32(0.0)
        if is_near and bodies[other].mode >= RIGID and bodies[other].active_index < 0:
            is_touched = edit.removed_count > 0 and has_lost_contact(
                system, world, instances, body, bodies[other], lists, side, edit
            )  # fmt: skip
            if is_touched or (edit.inserted_count > 0 and is_near_new(world, instances, body, bodies[other], edit)):
                wake_island(system, world, bodies, other)
        key = following
    if body.mode >= RIGID and body.active_index < 0:
        wake_island(system, world, bodies, index)


@entry_point("void(int64, int64, int64)")
def renew_bricks(world_address, index, edit_address):
    """Renew a body in a system after the BRICK_EDIT at an address. Between `begin_change` and `end_change`."""
    record = world_at(world_address)
    bodies = bodies_of(world_address)
    edit = view(edit_address, 1, BRICK_EDIT)[0]
    system = system_of(world_address, bodies[index].system)[0]
    before = vector3(bodies[index].center_of_mass)
    renew_body(world_address, index, BOUNDS_CHANGED)
    by = subtract(vector3(bodies[index].center_of_mass), before)
    settle_contacts(system, record, bodies, index, edit, by)
