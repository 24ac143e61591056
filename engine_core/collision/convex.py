"""Functions shared by all collisions of two convex shapes: shapes as polytopes, and writing results.

All of it is in the frame of B; `collide_shapes` transforms the result to the caller's axes.
"""

import numpy as np

from ..geometry.polytopes import box_polytope, hull_polytope
from ..geometry.vector import store3, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import view
from ..shapes.schema import BOX, HULL_BLOCK

IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ZERO = (0.0, 0.0, 0.0)

FLAT = 0.98
"""If the cosine between two facing faces is less than this, their distance is that of the lowest point of one above the other, to
2 %."""


@kernel
def load_polytope(shape, position, rows, memory, polytope):
    """Make a polytope of a box or hull in B's frame, in `memory` (a row of POLYTOPE_MEMORY)."""
    keep_as_call()
    if shape.kind == BOX:
        box_polytope(vector3(shape.half_extents), position, rows, memory, polytope)
        return
    block = view(shape.block, 1, HULL_BLOCK)[0]
    polytope.vertex_count = block.vertex_count
    polytope.face_count = block.face_count
    polytope.edge_count = block.edge_count
    polytope.face_starts = block.face_starts
    polytope.face_vertices = block.face_vertices
    polytope.edges = block.edges
    vertices = view(block.vertices, block.vertex_count * 3, np.float32)
    planes = view(block.planes, block.face_count * 4, np.float32)
    hull_polytope(vertices, planes, vector3(block.center), position, rows, memory, polytope)
    polytope.radius = shape.radius


@kernel
def write_contact(result, k, point, separation, feature):
    """Write point k of a result; `point` is midway between the surfaces."""
    store3(result.points[k], point)
    result.separations[k] = separation
    result.features[k] = np.uint32(feature)


@kernel
def write_single_contact(result, normal, on_a, on_b, separation, feature):
    """Write a result of one point."""
    store3(result.normal, normal)
    result.point_count = 1
    result.face = -1
    middle = (0.5 * (on_a[0] + on_b[0]), 0.5 * (on_a[1] + on_b[1]), 0.5 * (on_a[2] + on_b[2]))
    write_contact(result, np.int64(0), middle, separation, feature)
