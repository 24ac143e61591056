"""A hash table of rows by two indices, and rows that any thread may take.

A row begins with its two indices, int32. The table holds `row + 1`, int32, 0 if empty, and its number of slots is a power of two.
Linear probing without tombstones.
"""

import numpy as np

from .atomics import add_int64, compare_exchange_int64, load_acquire_int64
from .call import load_int32
from .kernel import kernel
from .memory import view

INT32, INT64 = np.int32, np.int64


@kernel
def hash_of(first, second):
    return (((INT64(first) * 0x9E3779B1) ^ (INT64(second) * 0x85EBCA77)) >> 5) & 0x7FFFFFFF


@kernel
def find_row(table_address, slots, rows, row_size, first, second):
    """The row with these two indices, or -1."""
    table = view(table_address, slots, INT32)
    slot = hash_of(first, second) & (slots - 1)
    while table[slot] != 0:
        row = INT64(table[slot]) - 1
        if load_int32(rows + row * row_size) == first and load_int32(rows + row * row_size + 4) == second:
            return row
        slot = (slot + 1) & (slots - 1)
    return INT64(-1)


@kernel
def insert_row(table_address, slots, row, first, second):
    table = view(table_address, slots, INT32)
    slot = hash_of(first, second) & (slots - 1)
    while table[slot] != 0:
        slot = (slot + 1) & (slots - 1)
    table[slot] = INT32(row + 1)


@kernel
def grow_table(table_address, slots, rows, row_size, count):
    """Double the slots of the table, whose memory a small table never touches. Return their number. Every row in use is inserted
    again; the first index of a free row is negative."""
    table = view(table_address, slots, INT32)
    for slot in range(slots):
        table[slot] = 0
    for row in range(count):
        first = load_int32(rows + row * row_size)
        if first >= 0:
            insert_row(table_address, 2 * slots, row, first, load_int32(rows + row * row_size + 4))
    return 2 * slots


@kernel
def remove_row(table_address, slots, rows, row_size, row, first, second):
    """Remove a row; entries after the hole move up (Knuth, 6.4, algorithm R)."""
    table = view(table_address, slots, INT32)
    mask = slots - 1
    slot = hash_of(first, second) & mask
    while table[slot] != row + 1:
        slot = (slot + 1) & mask
    hole = slot
    slot = (slot + 1) & mask
    while table[slot] != 0:
        other = rows + (INT64(table[slot]) - 1) * row_size
        home = hash_of(load_int32(other), load_int32(other + 4)) & mask
        if ((slot - home) & mask) >= ((slot - hole) & mask):
            table[hole] = table[slot]
            hole = slot
        slot = (slot + 1) & mask
    table[hole] = 0


@kernel
def take_row(first_free_address, count_address, capacity, links, row_size):
    """Take a row from a list of free ones, else one never used; -1 if all are taken. Any thread may call while no thread gives
    rows back: then the list cannot return to an old head (no ABA problem). Which row it is depends on the order of threads, so
    nothing may depend on it. `*_address`: int64, head of the list and rows ever used; `links`: address of row 0's next free
    row."""
    row = load_acquire_int64(first_free_address)
    while row >= 0:
        found = compare_exchange_int64(first_free_address, row, INT64(load_int32(links + row * row_size)))
        if found == row:
            return row
        row = found
    row = add_int64(count_address, INT64(1))
    if row >= capacity:
        add_int64(count_address, INT64(-1))
        return INT64(-1)
    return row
