"""The data of a structure: bricks, the clusters and leaves of its tree (an OctoBVH), and the pools they lie in.

Lengths are in units: the structure's own grid, in the structure's own frame. Row 0 of each pool is never used: 0 means none.
"""

import numpy as np

LEAF_SIZE = 8
LANES = 8
REACH = 1 << 23
"""Bricks lie within +-REACH [unit] on each axis: whole numbers up to there and their sums are exact in single precision."""
MAX_LEVEL = 24
"""A cube of this level holds everything within REACH."""
LARGE = np.float32(1.0e30)
"""Bounds of an empty node have low above high: no box and no ray meets them."""

# Values of `count` beside 0 to 8.
CHAIN = 254  # of level 0: more than eight elements with one centre, in a chain of leaves
OVERFLOWED = 255  # more than eight large elements: they were forced down

BOX, FREE_BOX = 1, 2
"""Kinds of bricks: a box along the axes with whole-number corners, a box placed freely."""
LEAVING = 0x80
"""Flag on the kind of a brick that was removed, until its row is reused."""

BRICK = np.dtype(
    [
        ("low", "f4", 3), ("high", "f4", 3),  # bounds [unit]
        ("layers", "u4"), ("number", "i4"),  # the user's: it stays while the brick moves to another row
        ("user_number", "i8"),
        ("density", "u4"),  # whole number of the structure's unit of density
        ("material", "u2"),
        ("kind", "u1"),
        ("level", "u1"),  # the least level whose cubes are as wide as its longest side
    ]
)  # fmt: skip
assert BRICK.itemsize == 48

PLACEMENT = np.dtype([("center", "f4", 3), ("rotation", "f4", 4), ("half_extents", "f4", 3), ("spare", "f4", 2)])
"""Row of a freely placed brick, beside its BRICK; takes memory only where one is written."""
assert PLACEMENT.itemsize == BRICK.itemsize

CLUSTER = np.dtype(
    [
        # Eight sibling nodes side by side. Of each node:
        ("low", "f4", (3, LANES)), ("high", "f4", (3, LANES)),  # tight bounds of all below it [unit]
        ("child", "i4", LANES), ("leaf", "i4", LANES),
        ("bits", "u4", LANES),  # union of the layers below it
        ("count", "u1", LANES),  # elements in its own leaf, CHAIN or OVERFLOWED
        ("max_level", "u1", LANES),  # largest level of an element below it
        # Of all eight:
        ("elements", "i4"),  # number of elements below
        ("forced", "i4"),  # how many of them the parent forced down
        ("born", "u4"),  # number of the batch of edits that made this copy
        ("level", "u1"),  # a node is a cube of width 2 ** level [unit]
        ("dirty", "u1"), ("changed", "u1"), ("fresh_leaves", "u1"),  # bits of lanes, used by the batch that made this copy
    ]
)  # fmt: skip
assert CLUSTER.itemsize == 320

LEAF = np.dtype([("bricks", "i4", LEAF_SIZE)])
"""Rows of bricks, ascending by their numbers; 0 after the last."""

BITMAP_LEVELS = 5
POOL = np.dtype(
    [
        ("rows", "i8"), ("row_size", "i8"), ("capacity", "i8"),
        ("twin", "i8"),  # other rows of the same size and number, given back with these; 0: none
        ("words", "i8", BITMAP_LEVELS),  # bitmaps: used rows, full words of those, full words of those ...
        ("used", "i8"), ("most_used", "i8"),
        ("group_words", "i8"),  # words of used rows whose rows fill whole pages
        ("empty_group", "i8"),  # the last group that became empty keeps its pages; -1: none
        ("give_back", "i8"),  # address of C's madvise; 0: pages stay
        ("pages_given", "i8"),
        ("used_groups", "i8"),  # groups with a used row
    ]
)  # fmt: skip
assert POOL.itemsize == 128

WIDE = np.dtype([("low", "u8"), ("high", "i8")])
"""A 128-bit whole number."""

SUMS = np.dtype(
    [
        ("mass", WIDE),  # sum of m: density times volume, in units
        ("first", WIDE, 3),  # sum of m 2c
        ("second", WIDE, 6),  # sums of m (3 (2c)^2 + side^2) along x, y, z; of m (2c)(2c) along xy, yz, zx
        ("free", "f8", 10),  # of freely placed bricks: m, m c, second moments xx, yy, zz, xy, yz, zx
    ]
)
"""Sums about the structure's origin."""

USER_STRIPES = 4
STRUCTURE = np.dtype(
    [
        ("head", "i8"), ("padding_1", "i8", 7),  # generation << 32 | root cluster: what queries begin with
        ("users", "i8", (2, USER_STRIPES, 8)),  # queries under way, by parity of the generation and stripe
        # Of the one thread that edits:
        ("root", "i8"),  # its root cluster; only lane 0 is used
        ("batch", "i8"),  # number of this batch of edits
        ("prefix", "i8", 3),  # biased centre of any element >> level of the root
        ("level_counts", "i8", MAX_LEVEL + 1),  # elements by level
        ("retired", "i8", 2), ("retired_count", "i8", 2), ("retired_capacity", "i8"),  # int64 lists by parity, see `retire`
        ("splits", "i8"), ("undone_splits", "i8"),  # force-splits so far, and how many were undone
        ("bricks", POOL), ("clusters", POOL), ("leaves", POOL),
        ("numbers", POOL),  # int32 by number of a brick: its row; 0: there is none
        ("brick_end", "i8"),  # no brick is in this row or a higher one
        ("links", "i8"),  # int32 a leaf: the next one of a chain; 0: none
        ("placements", "i8"),
        ("sums", SUMS),
        ("thinnest", "f8"),  # no brick has been thinner than this since it was empty last [unit]; 0: it was empty since
    ]
)  # fmt: skip

SUMMARY = np.dtype(
    [
        ("mass", "f8"),  # density times volume
        ("center_of_mass", "f8", 3),  # [unit]
        ("inertia", "f8", 6),  # about the centre of mass for a mass of 1: xx, yy, zz, xy, xz, yz [unit^2]
        ("low", "f8", 3), ("high", "f8", 3),  # bounds; low above high: there are no bricks
        ("thinnest", "f8"),
    ]
)  # fmt: skip
"""A whole structure as bodies need to know it."""

INSERT, REMOVE, CHANGE, PUBLISH = range(4)
COMMAND = np.dtype(
    [
        ("operation", "i8"),
        ("count", "i8"),
        ("rows", "i8"),  # BRICK: what to insert, or to put in the place of others
        ("placements", "i8"),  # PLACEMENT beside them; 0: none is placed freely
        ("numbers", "i8"),  # int32: numbers of bricks, given or received
        ("scratch", "i8"),  # int32: room for as many, for an insertion into an empty structure
        ("done", "i8"),  # how many were carried out
        ("fault", "i8"), ("faulty", "i8"),  # one of the faults below, and the place in the batch
        ("waits", "i8"),  # 1: nothing was done, since the pools are nearly full of rows that queries may still read
        ("presses_on", "i8"),  # 1: do not wait for queries
    ]
)  # fmt: skip
NO_FAULT, NOT_FINITE, NO_VOLUME, TOO_FAR, NOT_WHOLE, TOO_HEAVY, UNKNOWN_KIND, NO_SUCH_BRICK, FULL = range(9)
