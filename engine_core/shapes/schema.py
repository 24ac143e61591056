"""The data of shapes: one row a shape, and the cooked blocks that hulls and meshes point to.

A row never moves and is found by its index; `id` tells whether it is still the shape one thinks of. Cooked blocks are
immutable: changed settings make a new block, and the old one is freed when no step and no query can still read it.
All lengths in [m], in the shape's own frame, scale already applied: a scaled use of a shape is a cooked shape of its
own.
"""

import numpy as np

# Kinds of shape. The order is the order of arguments in a collision: kind_a <= kind_b.
# But what is told by a support function alone, the last four, comes before hulls.
(
    EMPTY, SPHERE, CAPSULE, BOX, HULL, CYLINDER, TRIANGLE, PLANE, MESH, HEIGHT_FIELD, SEPARATION_RAY, TAPERED_CAPSULE,
    TAPERED_CYLINDER, ELLIPSOID, CUSTOM,
) = range(15)  # fmt: skip
KIND_NAMES = (
    "empty", "sphere", "capsule", "box", "convex hull", "cylinder", "triangle", "plane", "mesh", "height field",
    "separation ray", "tapered capsule", "tapered cylinder", "ellipsoid", "custom shape",
)  # fmt: skip

SHAPE = np.dtype(
    [
        ("id", "i8"),  # 0: a free row
        ("kind", "i4"),
        ("use_count", "i4"),  # shape instances that use this row
        ("radius", "f4"),  # sphere, capsule, cylinder; the convex radius of a hull (0 unless asked for)
        ("half_height", "f4"),  # capsule: half of the segment along Y, caps not counted; cylinder: half of its height
        ("half_extents", "f4", 3),  # box; ellipsoid: half axes; tapered shapes: half height, radius above, radius below
        ("plane", "f4", 4),  # plane: unit normal and distance; solid where normal . x <= distance
        ("block", "i8"),  # address of the cooked HULL or MESH_BLOCK, 0 if none
        ("bounds", "f4", 6),  # min x, y, z, max x, y, z; infinite for a plane (+-1e30)
        ("volume", "f4"),  # [m^3]; 0 for planes and meshes
        ("center_of_mass", "f4", 3),
        ("inertia", "f4", 6),  # about the centre of mass for a mass of 1 kg: xx, yy, zz, xy, xz, yz [m^2]
        ("inner_radius", "f4"),  # of the largest sphere about the centre of mass that fits, for continuous collision
        ("has_backface_collision", "i4"),  # mesh
        ("user_kind", "i4"),  # as created; `kind` is as cooked: EMPTY without settings; a height field is a MESH of another block
        ("length", "f4"),  # separation ray, from the origin along +Z
        ("slides_on_slope", "i4"),  # separation ray
        ("is_approximate", "i4"),  # a round shape used with a scale that would make it an ellipsoid: averaged
        ("sequence", "i4"),  # counts up each time the row is used anew
        ("margin", "f4"),  # as the user set it; a hint that exact shapes do not need
    ],
    align=True,
)

# The faces of a hull are polygons, counter-clockwise seen from outside. Every edge is there once, with its two faces.
HULL_BLOCK = np.dtype(
    [
        ("vertex_count", "i8"),
        ("face_count", "i8"),
        ("edge_count", "i8"),
        ("vertices", "i8"),  # address of float32 (vertex_count, 3)
        ("planes", "i8"),  # address of float32 (face_count, 4): unit outward normal, distance
        ("face_starts", "i8"),  # address of int32 (face_count + 1): into face_vertices
        ("face_vertices", "i8"),  # address of int32
        ("edges", "i8"),  # address of int32 (edge_count, 4): vertex, vertex, face to the left, face to the right
        ("center", "f4", 3),  # an inner point
    ],
    align=True,
)

# A shape that a user tells by its support function; see custom.py.
CUSTOM_BLOCK = np.dtype(
    [
        ("function", "i8"),  # address of `int64 f(data, words)`
        ("data", "i8"),  # address of what the function is given
        ("stretch", "f8", (3, 3)),  # by rows
    ],
    align=True,
)

# Nodes of a bounding tree with four children; the bounds of the children (rows min x, y, z, max x, y, z) lie side by
# side. child >= 0: a node; child < 0: the triangles from ~child on, `triangle_counts` of them. A free slot holds
# inside-out bounds (+1e30, -1e30), child -1 and count 0.
MESH_NODE = np.dtype([("bounds", "f4", (6, 4)), ("children", "i4", 4), ("triangle_counts", "i4", 4)], align=True)
MAX_LEAF_TRIANGLES = 4

MESH_BLOCK = np.dtype(
    [
        ("vertex_count", "i8"),
        ("triangle_count", "i8"),
        ("node_count", "i8"),
        ("vertices", "i8"),  # address of float32 (vertex_count, 3)
        ("triangles", "i8"),  # address of int32 (triangle_count, 3), in the order of the tree's leaves
        ("faces", "i8"),  # address of int32 (triangle_count): the user's index of each triangle
        ("active_edges", "i8"),  # address of uint8 (triangle_count): bit k: the edge from corner k is active
        ("nodes", "i8"),  # address of MESH_NODE (node_count); node 0 is the root
        ("materials", "i8"),  # address of uint8 (triangle_count), or 0
        # A height field has these in place of vertices, triangles, faces, edges and nodes; see height_field.py.
        ("heights", "i8"),  # address of float32 (depth, width); 0: a mesh
        ("ranges", "i8"),  # address of float32 (node_count, 2): lowest and highest sample, before `scale`
        ("levels", "i8"),  # address of int64 (level_count, 3): first node, width and depth of each level, root first
        ("level_count", "i8"),
        ("width", "i8"),  # samples along X
        ("depth", "i8"),  # along Z
        ("block_width", "i8"),  # blocks of cells, the leaves
        ("block_depth", "i8"),
        ("scale", "f8", 3),  # size of a cell along X and Z [m], and a factor on heights
    ],
    align=True,
)
