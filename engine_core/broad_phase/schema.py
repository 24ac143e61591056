"""The data of the quad trees: nodes with the bounds of their four children side by side, and one TREE record a layer.

All trees of a system share one pool of nodes. Words written by several threads have their own cache lines.
"""

import numpy as np

LARGE = np.float32(1.0e30)
"""Bounds of a free slot have low above high: min = +LARGE, max = -LARGE. No query enters them."""
HUGE = np.float32(4.0e29)
"""Bounds of bodies are clamped to this, so that their sums and differences stay finite [m]."""

# child >= 0: a node; child <= -3: the body with index -3 - child.
FREE_CHILD = -1
CLOSED_CHILD = -2  # a free slot that takes nothing more: its body was removed, or the tree is about to be replaced
FIRST_BODY_CHILD = -3

NODE = np.dtype(
    [
        ("min_x", "f4", 4), ("min_y", "f4", 4), ("min_z", "f4", 4),
        ("max_x", "f4", 4), ("max_y", "f4", 4), ("max_z", "f4", 4),
        ("children", "i4", 4),
        ("parent", "i4", 2),  # node << 2 | slot of the parent, by parity of the generation; -1: the root
        ("is_changed", "i4"),
        ("born", "i4"),  # the first generation of the tree that holds it
    ]
)  # fmt: skip
assert NODE.itemsize == 128

# Values of `is_changed`.
UNCHANGED, CHANGED, DISSOLVED = 0, 1, 2

# Data of a node that only builders and the pool need.
NODE_INFO = np.dtype([("next_free", "i4"), ("height", "i4")])

ALLOCATOR = np.dtype(
    [
        ("free_head", "i8"),  # tag << 32 | first free node + 1; the tag counts changes
        ("padding_1", "i8", 7),
        ("fresh", "i8"),  # nodes from here on were never used
        ("padding_2", "i8", 7),
    ]
)

ITEM = np.dtype([("bounds", "f4", 6), ("child", "i4"), ("location", "i4")])
"""An item that a builder sorts into nodes: a body or a whole sub-tree, and its previous place (-1: none)."""
assert ITEM.itemsize == 32

KEY = np.dtype([("centre", "f4", 3), ("item", "i4")])
"""Twice the centre of an item's bounds, and its number."""

RANGE = np.dtype([("begin", "i4"), ("end", "i4"), ("location", "i4"), ("level", "i4")])
RANGE_CAPACITY = 256

BUILD = np.dtype(
    [
        ("items", "i8"), ("keys", "i8"), ("item_count", "i8"),
        ("created", "i8"), ("created_count", "i8"),  # int32: the nodes made, parents before children
        ("ranges", "i8"), ("range_count", "i8"),  # a stack of RANGE
        ("reserve", "i8"),  # a chain of nodes taken from the pool and not used yet; -1: none
        ("position", "i8"),  # progress of a loop over items or nodes
        ("root", "i8"),
        ("born", "i8"),
        ("failed", "i8"),  # 1: the pool of nodes is full
        # The range on top of the stack, while it is cut: see build.cut_range
        ("cut", "i8"), ("cuts", "i8", 5),  # which of the three cuts is made; where the four groups begin and end
        ("pass_", "i8"), ("left", "i8"), ("right", "i8"),  # its progress
        ("low", "f4", 4), ("high", "f4", 4),  # of the keys of the current range
        ("spare", "i8", 7),
    ]
)  # fmt: skip
assert BUILD.itemsize == 256

ENDLESS = 1 << 40
"""A budget without limit."""
PENDING_NODES = 16
PENDING_CAPACITY = 4 * PENDING_NODES
USER_STRIPES = 8

TREE = np.dtype(
    [
        # Written once
        ("nodes", "i8"), ("infos", "i8"), ("node_capacity", "i8"), ("allocator", "i8"),
        ("words", "i8"),  # int64 a body: where it is, see `pack_word`; 0: in no tree
        ("first_pending", "i8"),  # first of PENDING_NODES nodes that hold single bodies
        ("body_capacity", "i8"),
        ("budget", "i8"),  # items a call of `tree_rebuild` may handle
        # Rebuild: touched by the one thread that holds `is_in_maintenance`
        ("phase", "i8"), ("captured_root", "i8"), ("scanned_root", "i8"), ("new_root", "i8"), ("new_root_slot", "i8"),
        ("opened", "i8"), ("opened_count", "i8"), ("opened_position", "i8"),  # int32: nodes dissolved
        ("kept", "i8"), ("kept_count", "i8"),  # int32: roots of sub-trees kept whole
        ("queue", "i8"), ("queue_begin", "i8"), ("queue_end", "i8"),  # int32 pairs: nodes to be opened, their level
        ("retired_count", "i8"),  # nodes of the last generation that wait for its users to leave
        ("retired_kept_count", "i8"),
        ("is_full_build", "i8"),
        ("rebuild_count", "i8"), ("full_build_count", "i8"),
        ("flush_job", "i8"), ("prepare_job", "i8"), ("rebuild_job", "i8"), ("swap_job", "i8"),  # addresses, see jobs.py
        ("quick_share", "i8"),  # divided by the number of bodies: the budget of a small tree, if that is more
        ("spare", "i8"),
        ("build", BUILD),
        # Words of all threads
        ("head", "i8"),  # generation << 32 | root
        ("is_closed", "i8"),  # 1: nobody may enter, while the whole tree is put back to a saved one; see state/images.py
        ("padding_1", "i8", 6),
        ("next_generation", "i8"), ("padding_2", "i8", 7),  # = generation + 1 while a complete new tree waits
        ("published_pending", "i8"), ("claimed_pending", "i8"), ("is_flushing", "i8"), ("padding_3", "i8", 5),
        ("body_count", "i8"), ("is_dirty", "i8"), ("debt", "i8"), ("chain_length", "i8"),
        ("is_in_maintenance", "i8"), ("layer_union", "i8"), ("mask_union", "i8"),  # of all bodies that were ever in it
        ("padding_4", "i8"),
        # Origin of the bounds, world [m], by parity of the generation; written before a generation is published.
        ("origins", "f8", (2, 3)),
        ("last_roots", "i8", 2),  # root + 1 with which a generation ended whose successor has another origin; else 0
        ("padding_5", "i8", 24),
        ("users", "i8", (2, USER_STRIPES, 8)),  # users of the tree, by parity of the generation and stripe
    ]
)  # fmt: skip
assert TREE.itemsize == 2048

CURSOR_CAPACITY = 224
CURSOR = np.dtype(
    [
        ("stack", "i4", CURSOR_CAPACITY),
        ("fractions", "f4", CURSOR_CAPACITY),
        ("lanes", "f4", 4),
        ("bounds", "f4", 6),
        # Rays: of each axis the plane entered first lies `near_plane` bytes into a node; origins are moved by half
        # extents and by what rounding could hide.
        ("near_plane", "i4", 3),
        ("near_origin", "f4", 3), ("far_origin", "f4", 3), ("inverse", "f4", 3),
        ("count", "i4"),
        ("node_count", "i4"),  # nodes visited
        ("pending_count", "i4"),  # number of entries at the bottom of the stack that are pending bodies
        ("generation", "i8"),  # of the tree this query uses
        ("spare", "i4", 37),
    ]
)  # fmt: skip
assert CURSOR.itemsize == 2048, CURSOR.itemsize
