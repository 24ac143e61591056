"""Moving bricks to lower rows, so that a structure of which most was removed gives its pages back.

Where bricks are removed at random, some brick stays on nearly every page. While the bricks of a structure lie on far more pages
than they need, each removal moves up to two bricks from the highest rows to the lowest free ones. Their numbers stay.

A move changes nothing for queries, so the tree is not copied for it: the new row is the same as the old one, the entry in the
leaf is replaced by one store, and a query finds the one or the other. The old row is retired like that of a removed brick. A leaf
that an earlier query still reads names the old row.
"""

import numpy as np

from ..runtime import atomics
from ..runtime.attributes import keep_as_call
from ..runtime.call import load_int64
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .mass import is_free
from .nodes import MOVED_ROW, bricks_of, center_of, clusters_of, is_leafy, leaves_of, next_leaf, octant, retire, row_of
from .pools import lowest_free_row, take_row
from .schema import LEAF, LEAF_SIZE, LEAVING, PLACEMENT

MOVES_AN_EDIT = 2
"""Most bricks that move for a removed one. While bricks are removed at random it takes less than one: a row less above, and fewer
than all rows there are used."""
LOOKS_AN_EDIT = 64
"""Most rows, or words of 64 unused ones, that are looked at for a removed brick."""
SPARE_PART = 8
"""One row of so many may be unused before bricks move ..."""
SPARE_ROWS = 256
"""... and so many in a small structure: a group of pages has as many."""
SPARE_GROUPS = 3
"""Groups that may be partly used wherever the bricks lie, beside SPARE_ROWS: that of row 0, and one at either end."""
LEAF_BYTES = LEAF.itemsize


@kernel
def wanted_rows(s):
    """Compute on how many rows the bricks may lie."""
    count = np.int64(clusters_of(s)[s.root].elements)
    return count + count // SPARE_PART + SPARE_ROWS


@kernel
def is_sparse(s):
    """Whether the bricks lie on more pages than they should, and can move down from the highest ones: not if removed bricks that
    queries may still read hold too many rows."""
    rows, wanted = (s.bricks.used_groups - SPARE_GROUPS) * s.bricks.group_words * 64, wanted_rows(s)
    return s.bricks.give_back != 0 and rows > wanted and s.brick_end > wanted and s.bricks.used <= wanted


@kernel
def entry_of(s, row):
    """Address of the entry of a brick in its leaf."""
    clusters, leaves, brick = clusters_of(s), leaves_of(s), bricks_of(s)[row]
    center, own_level = center_of(brick), np.int64(brick.level)
    index, lane = np.int64(s.root), np.int64(0)
    while not is_leafy(clusters[index], lane, np.int64(clusters[index].level), own_level):
        level = np.int64(clusters[index].level)
        index, lane = np.int64(clusters[index].child[lane]), octant(center, level)
    leaf = np.int64(clusters[index].leaf[lane])
    while leaf != 0:
        for k in range(LEAF_SIZE):
            if leaves[leaf].bricks[k] == row:
                return s.leaves.rows + leaf * LEAF_BYTES + 4 * k
        leaf = next_leaf(s, leaf)
    return np.int64(0)


@kernel
def move_brick(s, row, to):
    """Move a brick to a free row that was taken for it."""
    bricks = bricks_of(s)
    entry = entry_of(s, row)
    bricks[to] = bricks[row]
    if is_free(bricks[row]):
        placements = view(s.placements, s.bricks.capacity, PLACEMENT)
        placements[to] = placements[row]
    atomics.store_release_int32(entry, np.int32(to))
    atomics.store_release_int32(s.numbers.rows + 4 * np.int64(bricks[row].number), np.int32(to))
    retire(s, MOVED_ROW, row)


@kernel
def holds_brick(s, row):
    """Whether a brick of the structure is in a row: not one that was removed, nor the old place of one that moved."""
    if load_int64(s.bricks.words[0] + 8 * (row >> 6)) >> (row & 63) & 1 == 0:
        return False
    brick = bricks_of(s)[row]
    return brick.kind & LEAVING == 0 and row_of(s, np.int64(brick.number)) == row


@kernel
def compact(s, moves, looks):
    """Move up to `moves` bricks down, looking at up to `looks` rows from the highest one on. Returns how many moves are left."""
    keep_as_call()
    if not is_sparse(s):
        return moves
    wanted = wanted_rows(s)
    while moves > 0 and looks > 0 and s.brick_end > wanted:
        looks -= 1
        row = s.brick_end - 1
        if row & 63 == 63 and load_int64(s.bricks.words[0] + 8 * (row >> 6)) == 0:
            s.brick_end -= 64
            continue
        if holds_brick(s, row):
            to = lowest_free_row(s.bricks)
            if to == 0 or to >= row:
                break
            move_brick(s, row, take_row(s.bricks))
            moves -= 1
        s.brick_end = row
    return moves
