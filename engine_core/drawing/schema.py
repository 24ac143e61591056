"""The data of a drawing: the request, and the rows that are filled.

A row is sixteen float32, in the order of Godot's MultiMesh: the three rows of a transform (basis, then origin), then the colour.
The transform takes a unit form to its place. Unit forms reach from -1 to 1 along each axis.
"""

import numpy as np

ROW_FLOATS = 16
ROW_SIZE = 4 * ROW_FLOATS
KIND_NAMES = ("boxes", "spheres", "capsules", "cylinders", "meshes", "bounds", "lines")
KINDS = len(KIND_NAMES)
BOXES, SPHERES, CAPSULES, CYLINDERS, MESHES, BOUNDS, LINES = range(KINDS)
"""The form of a row: a cube of half extents 1; a ball of radius 1; a capsule, see below; a cylinder of radius 1 and half height 1
along Y; the mesh of a shape; a cube around bounds; the line from the origin along X to x = 1.

A capsule's basis has its radius along X and Z and half of its whole height along Y. Its form has halves whose radius along Y
depends on the ratio of the two: from y = 1 - ratio up, and the same below."""

FLAG_NAMES = ("shapes", "contacts", "joints", "areas", "centres", "velocities", "bounds", "tree", "by_island", "by_solver")
SHAPES, CONTACTS, JOINTS, AREAS, CENTRES, VELOCITIES, BODY_BOUNDS, TREE, BY_ISLAND, BY_SOLVER = (
    1 << k for k in range(len(FLAG_NAMES))
)
"""The parts of a drawing. BY_ISLAND: bodies by their islands, not by their state. BY_SOLVER: contacts by the colour in which the
solver has them."""
EVERYTHING = (1 << len(FLAG_NAMES)) - 1

DRAW_REQUEST = np.dtype(
    [
        ("what", "i8"),
        ("mask", "i8"),  # collision layers of bodies and areas that are drawn
        ("around", "f8", 3),  # world [m]
        ("distance", "f8"),  # [m]
        ("zero", "f8", 3),  # the origin of the rows, world [m]
        ("force_scale", "f8"),  # length of a line for a force [m/N]
        ("joint_count", "i8"),  # rows of WORLD.joints in use
        ("palette", "i8"),  # address of float32 (colours, 4)
        ("labels", "i8"),  # address of int32 (label_count): scratch for islands
        ("label_count", "i8"),
        ("rows", "i8", KINDS),  # addresses of float32 (capacity, 16)
        ("capacities", "i8", KINDS),
        ("counts", "i8", KINDS),  # written: how many there are; may exceed the capacity
        ("mesh_keys", "i8"),  # address of int64 (capacity of MESHES): see `mesh_key`
    ],
    align=True,
)
ROW_BITS = 28
"""A mesh key is the row of SHAPE in so many bits, and above them its sequence number."""
