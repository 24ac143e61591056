"""The data of shapes: one row a shape, and the cooked blocks that hulls and meshes point to.

A row never moves and is found by its index; `id` shows whether it still is the expected shape. Cooked blocks are immutable:
changed settings make a new block, and the old one is freed when no step and no query can still read it.
A row is written once: changed settings go to a fresh row, and `current` of the user's row points to it.
All lengths are in [m], in the shape's own frame, with scale already applied: a scaled use of a shape is a cooked shape of its
own.
"""

import math

import numpy as np

from ..geometry.angles import circle_point

# Kinds of shape. The order is the order of arguments in a collision: kind_a <= kind_b.
# Except that shapes defined by a support function alone, tapered capsules to custom shapes, come before hulls.
(
    EMPTY, SPHERE, CAPSULE, BOX, HULL, CYLINDER, TRIANGLE, PLANE, MESH, HEIGHT_FIELD, SEPARATION_RAY, COMPOUND, TAPERED_CAPSULE,
    TAPERED_CYLINDER, ELLIPSOID, CUSTOM, STRUCTURE,
) = range(17)  # fmt: skip
KIND_NAMES = (
    "empty", "sphere", "capsule", "box", "convex hull", "cylinder", "triangle", "plane", "mesh", "height field",
    "separation ray", "static compound", "tapered capsule", "tapered cylinder", "ellipsoid", "custom shape", "structure",
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
        ("block", "i8"),  # address of the HULL_BLOCK, MESH_BLOCK, CUSTOM_BLOCK, COMPOUND_BLOCK or STRUCTURE_BLOCK, 0 if none
        ("bounds", "f4", 6),  # min x, y, z, max x, y, z; infinite for a plane (+-1e30)
        ("volume", "f4"),  # [m^3]; 0 for planes and meshes
        ("center_of_mass", "f4", 3),
        ("inertia", "f4", 6),  # about the centre of mass for a mass of 1 kg: xx, yy, zz, xy, xz, yz [m^2]
        ("inner_radius", "f4"),  # of the largest inscribed sphere about the centre of mass, for continuous collision
        ("has_backface_collision", "i4"),  # mesh
        ("user_kind", "i4"),  # as created; `kind` is as cooked: EMPTY without settings; a height field is a MESH of another block
        ("length", "f4"),  # separation ray, from the origin along +Z
        ("slides_on_slope", "i4"),  # separation ray
        ("is_approximate", "i4"),  # a round shape used with a scale that would make it an ellipsoid: averaged
        ("sequence", "i4"),  # counts the uses of the row
        ("margin", "f4"),  # as the user set it; a hint without effect, since shapes are exact
        ("current", "i4"),  # of a user's shape: the row with its present settings
        ("was_shared", "i4"),  # of a user's shape: Python has handed out uses of it, which queries may still read, or other rows
    ],
    align=True,
)

# The faces of a hull are polygons, counter-clockwise seen from outside. Every edge is listed once, with its two faces.
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

# A shape that is defined by a user's support function; see custom.py.
CUSTOM_BLOCK = np.dtype(
    [
        ("function", "i8"),  # address of `int64 f(data, words)`
        ("data", "i8"),  # address of the data passed to the function
        ("stretch", "f8", (3, 3)),  # by rows
    ],
    align=True,
)

# A bounding tree of meshes has eight children a node, and up to eight triangles a leaf. An entry encodes a child: the number of a
# node, a leaf as ~(first triangle << 4 | count), or NO_CHILD.
MESH_WIDTH = 8
MAX_LEAF_TRIANGLES = 8
MAX_MESH_TRIANGLES = 1 << 27
NO_CHILD = -1
MESH_STACK_SIZE = 224
"""Stack size for a walk through the deepest tree that is built."""

# A node as it is stored, two cache lines: bounds of the children (rows min x, y, z, max x, y, z) as whole steps from `base`,
# rounded outwards (Ylitie, Karras, Laine, "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs", 2017,
# section 3). A free slot has its low bound above its high one: 255 and 0.
MESH_NODE = np.dtype(
    [("base", "f4", 3), ("step", "f4", 3), ("entries", "i4", 8), ("bounds", "u1", (6, 8)), ("unused", "u1", 24)], align=True
)
# The children of a node in the form used for reading, and made by height fields. Bounds of free slots are undefined.
MESH_CHILDREN = np.dtype([("bounds", "f4", (6, 8)), ("entries", "i8", 8)], align=True)
COS_ACTIVE = circle_point(math.radians(5.0))[0]
"""An edge between triangles whose normals are closer than this is inactive."""

MESH_BLOCK = np.dtype(
    [
        ("vertex_count", "i8"),
        ("triangle_count", "i8"),
        ("node_count", "i8"),
        ("vertices", "i8"),  # address of float32 (vertex_count, 3)
        ("triangles", "i8"),  # address of int32 (triangle_count, 3), in the order of the tree's leaves
        ("faces", "i8"),  # address of int32 (triangle_count): the user's index of each triangle
        # Address of uint8 (triangle_count): bit k: the edge from corner k is active; bit 3 + k: it is so from behind, if a body
        # may touch the mesh there.
        ("active_edges", "i8"),
        ("nodes", "i8"),  # address of MESH_NODE (node_count); node 0 is the root
        # Address of uint8 (face_count): by the user's index of a triangle, in a height field by cell, a row of the table; or 0
        ("materials", "i8"),
        ("face_count", "i8"),
        ("material_table", "i8"),  # address of float32 (material_count, 2): friction and restitution
        ("material_count", "i8"),
        ("reach", "f8"),  # the largest coordinate of a vertex, for rounding errors [m]
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

# A shape on a body, or a part of a static compound. Transforms are rigid: scale and shear are cooked into the shape. For a part,
# the compound's origin is both centre of mass and origin of the body.
INSTANCE = np.dtype(
    [
        ("shape", "i4"),  # index of the cooked shape that collides; -1: not cooked yet (empty settings)
        ("user_shape", "i4"),  # index of the user's shape
        ("is_disabled", "i2"),
        ("has_user_transform", "i2"),  # the user's transform is not just `rotation` and `origin_position`: see InstancePool
        ("body", "i4"),
        ("position", "f4", 3),  # from the body's centre of mass, body frame [m]
        ("rotation", "f4", 4),  # shape frame to body frame
        ("bounds", "f4", 6),  # of the shape in the body frame, from the centre of mass
        ("origin_position", "f4", 3),  # from the user's origin, body frame
        ("query_layers", "u4"),  # filter for queries; 0: found by every query
        ("simulation_layers", "u4"),  # two shapes with no bit in common make no contacts; 0: with all
    ],
    align=True,
)

# A node of the tree over the shapes of a body or compound, in the row beside that of a shape: see instance_tree.py.
INSTANCE_NODE = np.dtype(
    [
        ("bounds", "f4", (6, 4)),  # of the four children: rows min x, y, z, max x, y, z; body frame, from the centre of mass
        ("children", "i4", 4),  # a node, counted from the first row of the body's shapes; ~number of a shape; or NONE
        ("order", "i4"),  # numbers of the shapes in the order of the tree, of which this row holds one
        ("leaf", "i4"),  # of the shape in the row beside: node << 2 | child that stands for it; -1: it is in no tree
        ("parent", "i4"),  # of the node: node << 2 | child above it; -1: the root
        # In the first row, of the whole tree:
        ("covered", "i4"),  # number of shapes in it; later shapes are tested one by one
        ("node_count", "i4"),
        ("changed", "i4"),  # how many shape changes since it was built
    ],
    align=True,
)

# A static compound: its parts, all in one tree however deeply it was nested.
COMPOUND_BLOCK = np.dtype(
    [
        ("part_count", "i8"),
        ("parts", "i8"),  # address of INSTANCE (part_count): `shape` is the row of SHAPE of a part, which belongs to the compound
        ("nodes", "i8"),  # address of INSTANCE_NODE (part_count)
        ("surfaces", "i8"),  # address of float32 (part_count, 2): friction and restitution; negative: the body's
        ("user_data", "i8"),  # address of int64 (part_count): the user's number, never read by the core
    ],
    align=True,
)
MOST_PARTS = 65535
NO_PART = 65535
"""The part number in a manifold for a shape that is not a compound."""

# A structure: bricks by the thousand, edited in place. A walk over the shapes of a body writes its bricks as boxes, one at a
# time: see bricks.py.
STRUCTURE_BLOCK = np.dtype(
    [
        ("structure", "i8"),  # address of the STRUCTURE of structures/schema.py
        ("unit", "f8"),  # length of its unit [m]
        ("materials", "i8"),  # address of float32 (material_count, 2): friction and restitution of the materials 1, 2, ...
        ("material_count", "i8"),
        ("brick_count", "i8"),
        ("detail", "i8"),  # with more bricks than this it is stood in for: see collision/stand_ins.py
        ("stand_in", "i8"),  # row of SHAPE of the convex hull that stands in for it; -1: none yet
        ("is_wanted", "i8"),  # 1: a step asked for one
        ("joined", "i8"),  # address of the STRUCTURE of its joined bricks (structures/joining.py); 0: none
        ("joined_count", "i8"),  # boxes in it
    ],
    align=True,
)
FIRST_BRICK = 1 << 16
"""Part numbers from here on are bricks: FIRST_BRICK plus the brick's number. Users are told the number of the brick."""
