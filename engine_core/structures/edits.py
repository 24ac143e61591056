"""Batches of edits: checked as a whole, carried out one by one, published at once. One thread at a time edits a structure."""

import math

import numpy as np

from ..geometry.vector import matrix_rows, normalize_quaternion, quaternion, store3, store4, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import view
from .building import build_tree
from .mass import MOST_MASS, add_mass, is_free
from .nodes import BRICK_ROW, bricks_of, clusters_of, has_room, level_of, retire
from .pools import take_row
from .publication import publish
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
        if number < 1 or number >= s.bricks.capacity or bricks[number].kind == 0 or bricks[number].kind & LEAVING:
            command.fault, command.faulty = NO_SUCH_BRICK, i
            unmark(s, numbers, 0, i)
            return False
        bricks[number].kind |= np.uint8(LEAVING)
    return True


@kernel
def unmark(s, numbers, begin, end):
    """Take the mark back from bricks that stay."""
    bricks = bricks_of(s)
    for i in range(begin, end):
        bricks[numbers[i]].kind &= np.uint8(255 - LEAVING)


# The edits -----------------------------------------------------------------------------------------------------------------


@kernel
def write_brick(s, command, i):
    """Write a new brick's rows, and add its mass. Returns its number."""
    number = take_row(s.bricks)
    brick = bricks_of(s)[number]
    bricks_of(s)[number] = view(command.rows, command.count, BRICK)[i]
    if is_free(brick):
        placements = view(s.placements, s.bricks.capacity, PLACEMENT)
        placements[number] = view(command.placements, command.count, PLACEMENT)[i]
    note_thickness(s, number, brick)
    add_mass(s, number, brick, 1)
    return number


@kernel
def note_thickness(s, number, brick):
    """Note the shortest side of a new brick if no brick was thinner."""
    half = vector3(view(s.placements, s.bricks.capacity, PLACEMENT)[number].half_extents) if is_free(brick) else (
        0.5 * (np.float64(brick.high[0]) - brick.low[0]), 0.5 * (np.float64(brick.high[1]) - brick.low[1]),
        0.5 * (np.float64(brick.high[2]) - brick.low[2]),
    )  # fmt: skip
    thickness = 2.0 * min(half[0], half[1], half[2])
    if s.thinnest == 0.0 or thickness < s.thinnest:
        s.thinnest = thickness


@kernel
def drop_brick(s, number):
    """Remove a brick from the tree and the sums, and retire its row."""
    remove_element(s, number)
    add_mass(s, number, bricks_of(s)[number], -1)
    retire(s, BRICK_ROW, number)


@kernel
def insert_batch(s, command):
    """Insert the bricks of a batch."""
    numbers, count = view(command.numbers, command.count, np.int32), command.count
    has_rows = s.clusters.used + 3 * count < s.clusters.capacity and s.leaves.used + 2 * count < s.leaves.capacity
    if clusters_of(s)[s.root].elements == 0 and count > LEAF_SIZE and has_rows:
        for i in range(count):
            numbers[i] = write_brick(s, command, i)
        order = view(command.scratch, 2 * count, np.int32)
        for i in range(count):
            order[i] = numbers[i]
        build_tree(s, order[:count], order[count:], count)
        command.done = count
        return
    for i in range(count):
        if not has_room(s):
            command.fault, command.faulty = FULL, i
            return
        numbers[i] = write_brick(s, command, i)
        insert_element(s, np.int64(numbers[i]))
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
        drop_brick(s, np.int64(numbers[i]))
        if command.operation == CHANGE:
            numbers[i] = write_brick(s, command, i)
            insert_element(s, np.int64(numbers[i]))
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
    publish(s)
