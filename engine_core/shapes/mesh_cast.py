"""Walk over the triangles of a mesh that a moving box may hit, near ones first.

    cast, scratch = stack_array(1, MESH_CAST)[0], stack_array(1, MESH_CHILDREN)
    begin_mesh_cast(cast, middle, half, motion)
    triangle = next_on_cast(mesh, cast, scratch, longest)
    while triangle >= 0:
        ...  # may make `longest` less
        triangle = next_on_cast(mesh, cast, scratch, longest)

The box is given by its middle, half of its sides and its motion, in the frame of the mesh [m].
"""

import numpy as np

from ..geometry.vector import store3
from ..runtime.kernel import kernel
from .mesh_node import leaf_of, mesh_node, push_nearest
from .mesh_query import mesh_has
from .schema import MESH_STACK_SIZE, MESH_WIDTH, NO_CHILD

MESH_CAST = np.dtype(
    [
        ("middle", "f8", 3),  # of the box at the start, frame of the mesh [m]
        ("half", "f8", 3),
        ("inverse", "f8", 3),  # 1 / motion
        ("depth", "i8"),
        ("triangle", "i8"),  # the next one of the current leaf
        ("left", "i8"),
        ("entries", "i8", MESH_STACK_SIZE),
        ("distances", "f8", MESH_STACK_SIZE),
    ],
    align=True,
)
STEEPEST = 1e12


@kernel
def begin_mesh_cast(cast, middle, half, motion):
    """Start a cast of a box, frame of the mesh, that moves by `motion` [m]."""
    store3(cast.middle, middle)
    store3(cast.half, half)
    for k in range(3):
        cast.inverse[k] = 1.0 / motion[k] if abs(motion[k]) > 1.0 / STEEPEST else STEEPEST
    cast.depth, cast.left = 1, 0
    cast.entries[0], cast.distances[0] = 0, 0.0


@kernel
def _push_met_children(cast, node, longest):
    """Push the children that the box hits before `longest`, nearest last."""
    box = node.bounds
    begin = cast.depth
    for child in range(MESH_WIDTH):
        entry = node.entries[child]
        if entry == NO_CHILD:
            continue
        enter, leave = 0.0, longest
        for k in range(3):
            a = (box[k, child] - cast.half[k] - cast.middle[k]) * cast.inverse[k]
            b = (box[3 + k, child] + cast.half[k] - cast.middle[k]) * cast.inverse[k]
            enter, leave = max(enter, min(a, b)), min(leave, max(a, b))
        if enter <= leave + 1e-9:
            push_nearest(cast.entries, cast.distances, begin, cast.depth, entry, enter)
            cast.depth += 1


@kernel
def next_on_cast(mesh, cast, scratch, longest):
    """Return the next triangle in a leaf that the box hits before the fraction `longest`, or -1. `scratch`: an array of one
    MESH_CHILDREN."""
    while True:
        while cast.left > 0:
            triangle = cast.triangle
            cast.triangle += 1
            cast.left -= 1
            if mesh_has(mesh, triangle):
                return triangle
        if cast.depth == 0:
            return np.int64(-1)
        cast.depth -= 1
        if cast.distances[cast.depth] > longest:
            continue
        entry = cast.entries[cast.depth]
        if entry < 0:
            cast.triangle, cast.left = leaf_of(entry)
        else:
            _push_met_children(cast, mesh_node(mesh, entry, scratch), longest)
