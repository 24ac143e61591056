"""Pools whose lowest free row is taken first, and which give pages without a used row back to the system.

Bitmaps over the rows: a set bit of the lowest one is a used row, a set bit of the next one a full word of the one below. So a
free row is found by reading one word a bitmap, the numbers depend on the set of used rows alone, and fresh memory (zeros) is a
pool without rows. One thread at a time takes and gives. A pool moves no rows: compaction.py moves bricks.
"""

import numpy as np

from ..runtime.attributes import keep_as_call
from ..runtime.c_memory import page_release_function
from ..runtime.call import call_3_result, load_int64, store_int64
from ..runtime.kernel import kernel
from ..runtime.memory import PAGE, address_of, reserve
from ..runtime.vector4 import count_trailing_zeros
from .schema import BITMAP_LEVELS

FULL_WORD = np.int64(-1)
DO_NOT_NEED = 4
"""MADV_DONTNEED of Linux and macOS."""


@kernel
def lowest_free_row(pool):
    """Find the lowest free row; 0: the pool is full."""
    row = np.int64(0)
    for level in range(BITMAP_LEVELS - 1, -1, -1):
        word = load_int64(pool.words[level] + 8 * row)
        if word == FULL_WORD:
            return np.int64(0)
        row = (row << 6) | count_trailing_zeros(~word)
    return row if row < pool.capacity else np.int64(0)


@kernel
def is_empty_group(pool, group):
    """Whether no row of a group of pages is used."""
    address = pool.words[0] + 8 * group * pool.group_words
    for k in range(pool.group_words):
        if load_int64(address + 8 * k) != 0:
            return False
    return True


@kernel
def take_row(pool):
    """Take the lowest free row; 0: the pool is full. What is in the row is left over from its last use, or zeros."""
    keep_as_call()
    row = lowest_free_row(pool)
    if row == 0:
        return row
    if load_int64(pool.words[0] + 8 * (row >> 6)) == 0 and is_empty_group(pool, (row >> 6) // pool.group_words):
        pool.used_groups += 1
    index = row
    for level in range(BITMAP_LEVELS):
        address = pool.words[level] + 8 * (index >> 6)
        word = load_int64(address) | (np.int64(1) << (index & 63))
        store_int64(address, word)
        if word != FULL_WORD:
            break
        index >>= 6
    pool.used += 1
    pool.most_used = max(pool.most_used, pool.used)
    return row


@kernel
def give_pages(pool, group):
    """Give the pages of a group back to the system."""
    size = pool.group_words * 64 * pool.row_size
    call_3_result(pool.give_back, pool.rows + group * size, size, np.int64(DO_NOT_NEED))
    if pool.twin != 0:
        call_3_result(pool.give_back, pool.twin + group * size, size, np.int64(DO_NOT_NEED))
    pool.pages_given += size // PAGE


@kernel
def give_row(pool, row):
    """Give a row back. Of the groups that are empty the last one keeps its pages, so that edits in turn cost no system call."""
    keep_as_call()
    index = row
    for level in range(BITMAP_LEVELS):
        address = pool.words[level] + 8 * (index >> 6)
        word = load_int64(address)
        store_int64(address, word & ~(np.int64(1) << (index & 63)))
        if word != FULL_WORD:
            break
        index >>= 6
    pool.used -= 1
    group = (row >> 6) // pool.group_words
    if load_int64(pool.words[0] + 8 * (row >> 6)) != 0 or not is_empty_group(pool, group):
        return
    pool.used_groups -= 1
    if pool.give_back == 0 or group == pool.empty_group:
        return
    if pool.empty_group >= 0 and is_empty_group(pool, pool.empty_group):
        give_pages(pool, pool.empty_group)
    pool.empty_group = group


def words_of_group(row_size: int) -> int:
    """How many words of 64 rows fill whole pages."""
    count = 1
    while count * 64 * row_size % PAGE:
        count *= 2
    return count


def set_up_pool(record, dtype, capacity: int, twin=None, taken: int = 1) -> list:
    """Reserve address space for a pool, and for `twin` rows beside it. The first `taken` rows are in use. Returns what owns the
    memory. Raises NoAddressSpace."""
    size = np.dtype(dtype).itemsize
    group_words = words_of_group(size)
    capacity = -(-capacity // (64 * group_words)) * 64 * group_words
    owners = [reserve(capacity * size) for _ in range(1 if twin is None else 2)]
    lengths = [-(-capacity // 64 ** (level + 1)) for level in range(BITMAP_LEVELS)]
    if lengths[-1] > 1:
        raise ValueError(f"a pool of {capacity} rows: it can have {64**BITMAP_LEVELS} at most")
    words = reserve(8 * sum(lengths))
    first = _address(words)
    starts = [sum(lengths[:level]) for level in range(BITMAP_LEVELS)]
    record["words"] = [first + 8 * start for start in starts]
    bits = np.frombuffer(words, np.int64)
    for level in range(1, BITMAP_LEVELS):  # words that are not there count as full
        if lengths[level - 1] % 64:
            bits[starts[level] + lengths[level] - 1] = -1 << (lengths[level - 1] % 64)
    record["rows"], record["row_size"], record["capacity"] = _address(owners[0]), size, capacity
    record["twin"] = 0 if twin is None else _address(owners[1])
    record["group_words"], record["empty_group"], record["give_back"] = group_words, -1, page_release_function()
    bits[0] |= (1 << taken) - 1
    record["used"] = record["most_used"] = taken
    record["used_groups"] = 1
    return [*owners, words]


def _address(memory) -> int:
    return address_of(np.frombuffer(memory, np.uint8))
