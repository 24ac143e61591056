"""Batches of edits: checked as a whole, carried out one by one, published at once. One thread at a time edits a structure."""

import math

import numpy as np

from ..geometry.vector import matrix_rows, normalize_quaternion, quaternion, store3, store4, vector3
from ..runtime import atomics
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import view
from .building import build_tree
from .compaction import LOOKS_AN_EDIT, MOVES_AN_EDIT, compact, is_sparse
from .mass import MOST_MASS, add_mass, is_free
from .nodes import BRICK_ROW, bricks_of, clusters_of, has_room, level_of, retire, row_of
from .pools import take_row
from .publication import begin_generation, publish
from .root import insert_element, remove_element
from .schema import (
    BOX, BRICK, CHANGE, COMMAND, FREE_BOX, FULL, INSERT, LEAF_SIZE, LEAVING, NO_FAULT, NO_SUCH_BRICK, NO_VOLUME, NOT_FINITE,
    NOT_WHOLE, PLACEMENT, PUBLISH, REACH, REMOVE, STRUCTURE, TOO_FAR, TOO_HEAVY, UNKNOWN_KIND,
)  # fmt: skip

OUTWARD = 1.0e-6
"""More than the relative error of bounds in single precision."""


# Checks, before anything is changed ---------------------------------------------------------------------------------------


@kernel
def place_freely(brick, placement):
    """Compute bounds of a freely placed box, make its rotation of unit length. Whether its half extents are positive."""
    rotation = normalize_quaternion(quaternion(placement.rotation))
    center, half = vector3(placement.center), vector3(placement.half_extents)
    store4(placement.rotation, rotation)
    rows = matrix_rows(rotation)
    reach = (
        abs(rows[0][0]) * half[0] + abs(rows[0][1]) * half[1] + abs(rows[0][2]) * half[2],
        abs(rows[1][0]) * half[0] + abs(rows[1][1]) * half[1] + abs(rows[1][2]) * half[2],
        abs(rows[2][0]) * half[0] + abs(rows[2][1]) * half[1] + abs(rows[2][2]) * half[2],
    )
    margin = (
        OUTWARD * (abs(center[0]) + reach[0]), OUTWARD * (abs(center[1]) + reach[1]), OUTWARD * (abs(center[2]) + reach[2])
    )  # fmt: skip
    store3(brick.low, (center[0] - reach[0] - margin[0], center[1] - reach[1] - margin[1], center[2] - reach[2] - margin[2]))
    store3(brick.high, (center[0] + reach[0] + margin[0], center[1] + reach[1] + margin[1], center[2] + reach[2] + margin[2]))
    return not (half[0] <= 0.0 or half[1] <= 0.0 or half[2] <= 0.0)


@kernel
def fault_of(brick):
    """Find what is wrong with a brick that is to be inserted."""
    volume = np.float64(brick.density)
    for axis in range(3):
        low, high = np.float64(brick.low[axis]), np.float64(brick.high[axis])
        if not (math.isfinite(low) and math.isfinite(high)):
            return NOT_FINITE
        if low >= high:
            return NO_VOLUME
        if low < -REACH or high > REACH:
            return TOO_FAR
        if brick.kind == BOX and (low != math.floor(low) or high != math.floor(high)):
            return NOT_WHOLE
        volume *= high - low
    return TOO_HEAVY if volume > MOST_MASS else NO_FAULT


@kernel
def check_rows(command):
    """Check the bricks of a batch, and compute their levels. Notes the first fault; whether there is none."""
    keep_as_call()
    rows = view(command.rows, command.count, BRICK)
    for i in range(command.count):
        brick = rows[i]
        fault = np.int64(NO_FAULT)
        if brick.kind == FREE_BOX and command.placements != 0:
            if not place_freely(brick, view(command.placements, command.count, PLACEMENT)[i]):
                fault = np.int64(NO_VOLUME)
        elif brick.kind != BOX:
            fault = np.int64(UNKNOWN_KIND)
        if fault == NO_FAULT:
            fault = np.int64(fault_of(brick))
        if fault != NO_FAULT:
            command.fault, command.faulty = fault, i
            return False
        brick.level = level_of(brick)
    return True


@kernel
def mark_leaving(s, command):
    """Mark the bricks of a batch as leaving, so that none is named twice. Notes the first that is not there; whether all are."""
    keep_as_call()
    bricks, numbers = bricks_of(s), view(command.numbers, command.count, np.int32)
    for i in range(command.count):
        number = np.int64(numbers[i])
        row = row_of(s, number) if 1 <= number < s.numbers.capacity else np.int64(0)
        if row == 0 or bricks[row].kind & LEAVING:
            command.fault, command.faulty = NO_SUCH_BRICK, i
            unmark(s, numbers, 0, i)
            return False
        bricks[row].kind |= np.uint8(LEAVING)
    return True


@kernel
def unmark(s, numbers, begin, end):
    """Take the mark back from bricks that stay."""
    bricks = bricks_of(s)
    for i in range(begin, end):
        bricks[row_of(s, np.int64(numbers[i]))].kind &= np.uint8(255 - LEAVING)


# The edits -----------------------------------------------------------------------------------------------------------------


@kernel
def write_brick(s, command, i):
    """Write a new brick, with a number of its own, which goes into the batch, and add its mass. Returns its row."""
    row, number = take_row(s.bricks), take_row(s.numbers)
    brick = bricks_of(s)[row]
    bricks_of(s)[row] = view(command.rows, command.count, BRICK)[i]
    brick.number = number
    if is_free(brick):
        placements = view(s.placements, s.bricks.capacity, PLACEMENT)
        placements[row] = view(command.placements, command.count, PLACEMENT)[i]
    atomics.store_release_int32(s.numbers.rows + 4 * number, np.int32(row))
    s.brick_end = max(s.brick_end, row + 1)
    note_thickness(s, row, brick)
    add_mass(s, row, brick, 1)
    view(command.numbers, command.count, np.int32)[i] = number
    return row


@kernel
def note_thickness(s, row, brick):
    """Note the shortest side of a new brick if no brick was thinner."""
    half = vector3(view(s.placements, s.bricks.capacity, PLACEMENT)[row].half_extents) if is_free(brick) else (
        0.5 * (np.float64(brick.high[0]) - brick.low[0]), 0.5 * (np.float64(brick.high[1]) - brick.low[1]),
        0.5 * (np.float64(brick.high[2]) - brick.low[2]),
    )  # fmt: skip
    thickness = 2.0 * min(half[0], half[1], half[2])
    if s.thinnest == 0.0 or thickness < s.thinnest:
        s.thinnest = thickness


@kernel
def drop_brick(s, row):
    """Remove a brick from the tree and the sums, and retire its row and its number."""
    remove_element(s, row)
    add_mass(s, row, bricks_of(s)[row], -1)
    retire(s, BRICK_ROW, row)


@kernel
def insert_batch(s, command):
    """Insert the bricks of a batch."""
    count = command.count
    has_rows = s.clusters.used + 3 * count < s.clusters.capacity and s.leaves.used + 2 * count < s.leaves.capacity
    if clusters_of(s)[s.root].elements == 0 and count > LEAF_SIZE and has_rows:
        order = view(command.scratch, 2 * count, np.int32)
        for i in range(count):
            order[i] = write_brick(s, command, i)
        build_tree(s, order[:count], order[count:], count)
        command.done = count
        return
    for i in range(count):
        if not has_room(s):
            command.fault, command.faulty = FULL, i
            return
        insert_element(s, write_brick(s, command, i))
        command.done = i + 1


@kernel
def remove_batch(s, command):
    """Remove the bricks of a batch; with CHANGE, insert another in the place of each."""
    numbers = view(command.numbers, command.count, np.int32)
    for i in range(command.count):
        if not has_room(s):
            command.fault, command.faulty = FULL, i
            unmark(s, numbers, i, command.count)
            return
        drop_brick(s, row_of(s, np.int64(numbers[i])))
        if command.operation == CHANGE:
            insert_element(s, write_brick(s, command, i))
        command.done = i + 1


@kernel
def is_short(s, count):
    """Whether the pools lack room for so many new bricks, or are nearly full, because of rows that queries may still read."""
    if s.retired_count[0] + s.retired_count[1] == 0:
        return False
    clusters, leaves = s.clusters, s.leaves
    is_nearly_full = 4 * clusters.used > 3 * clusters.capacity or 4 * leaves.used > 3 * leaves.capacity
    return is_nearly_full or s.bricks.used + count > s.bricks.capacity


@kernel
def waits_for_queries(s, command, inserts):
    """Give back retired rows if the pools are short of room. Whether queries under way still hold too many of them."""
    count = command.count if inserts else np.int64(0)
    if not is_short(s, count):
        return False
    publish(s)
    return is_short(s, count) and command.presses_on == 0


@kernel
def publish_compacted(s, edits):
    """Publish the batch, and move as many bricks to lower rows as so many removals may, if the structure is sparse: first to rows
    that were free before, then to those that the batch itself gave back. The number of batches does not depend on that: it
    depends on which queries are under way. Returns how many moved."""
    most = MOVES_AN_EDIT * edits
    left = compact(s, most, LOOKS_AN_EDIT * edits)
    publish(s)
    if left > 0 and is_sparse(s):
        left = compact(s, left, LOOKS_AN_EDIT * edits)
        begin_generation(s)
    return most - left


@entry_point("void(int64, int64)")
def edit_structure(structure, command_address):
    """Carry out the COMMAND at an address on a structure and publish the result. With a fault nothing was changed, except if the
    pools are full: then `done` of the edits were made."""
    s, command = view(structure, 1, STRUCTURE)[0], view(command_address, 1, COMMAND)[0]
    command.done, command.fault, command.waits = 0, NO_FAULT, 0
    inserts = command.operation == INSERT or command.operation == CHANGE
    if inserts and not check_rows(command):
        return
    if command.operation != PUBLISH and waits_for_queries(s, command, inserts):
        command.fault, command.faulty, command.waits = FULL, 0, 1
        return
    if inserts and s.bricks.used + command.count > s.bricks.capacity:
        command.fault, command.faulty = FULL, 0
        return
    if command.operation == INSERT:
        insert_batch(s, command)
    elif command.operation == REMOVE or command.operation == CHANGE:
        if not mark_leaving(s, command):
            return
        remove_batch(s, command)
    if clusters_of(s)[s.root].elements == 0:
        s.thinnest = 0.0
    if command.operation == PUBLISH:
        command.done = publish_compacted(s, command.count)
    else:
        publish_compacted(s, np.int64(0) if command.operation == INSERT else command.done)
