"""The origins of the bounds in a tree. The origin belongs to a generation: a query keeps that of the tree it has entered.

Both generations in use have their place here, by parity. The place for the next one is free, since a new generation begins only
when the users of the one before the present have left.
"""

import numpy as np

from scree.broad_phase.schema import TREE
from scree.runtime import atomics
from scree.runtime.call import load_float64, store_float64
from scree.runtime.kernel import kernel

ORIGINS, LAST_ROOTS = TREE.fields["origins"][1], TREE.fields["last_roots"][1]


@kernel
def tree_origin(tree, generation):
    """The origin of a generation that the caller is in, world [m]."""
    place = tree + ORIGINS + 24 * (generation & 1)
    return load_float64(place), load_float64(place + 8), load_float64(place + 16)


@kernel
def set_origin(tree, generation, origin):
    """Set the origin of the next generation."""
    place = tree + ORIGINS + 24 * (generation & 1)
    for axis in range(3):
        store_float64(place + 8 * axis, np.float64(origin[axis]))


@kernel
def keep_origin(tree, generation):
    """Give the next generation the same origin, before it is published."""
    set_origin(tree, generation + 1, tree_origin(tree, generation))
    atomics.store_release_int64(tree + LAST_ROOTS + 8 * (generation & 1), np.int64(0))


@kernel
def last_root(tree, generation, root):
    """The root at which a query in `generation` begins, while `root` is that of the next one: the same, unless bounds there have
    another origin. Then it is the root with which its own generation ended."""
    last = atomics.load_acquire_int64(tree + LAST_ROOTS + 8 * (generation & 1))
    return root if last == 0 else last - 1
