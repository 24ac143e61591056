"""The data of the quad trees: nodes with four children whose bounds lie side by side, and one TREE record a layer."""

import numpy as np

LARGE = 1.0e30
"""Bounds of a free slot are inside out: min = +LARGE, max = -LARGE. No query enters them."""

# child >= 0: a node; child == -1: free; child <= -2: the body with index -2 - child.
FREE_CHILD = -1

NODE = np.dtype(
    [
        ("min_x", "f4", 4), ("min_y", "f4", 4), ("min_z", "f4", 4),
        ("max_x", "f4", 4), ("max_y", "f4", 4), ("max_z", "f4", 4),
        ("children", "i4", 4),
        ("parent", "i4"),  # node << 2 | child slot of the parent; -1: the root
        ("is_changed", "i4"),
        ("padding", "i4", 2),
    ]
)  # fmt: skip
assert NODE.itemsize == 128

TREE = np.dtype(
    [
        ("nodes", "i8"),  # address of NODE rows, shared by all trees of a system
        ("node_capacity", "i8"),
        ("allocator", "i8"),  # address of the node pool's record
        ("root", "i8"),  # index of the published root
        ("body_count", "i8"),
        ("is_dirty", "i8"),
        ("reserved", "i8", 26),
    ]
)
assert TREE.itemsize == 256
