"""Shapes that Godot has no calls for, and shapes with several surfaces. They are RIDs as Godot's:
`PhysicsServer3D.body_add_shape` and queries take them, `PhysicsServer3D.free_rid` frees them.

The thread of Godot's physics calls; a call waits for the end of a step that runs.
"""

import numpy as np

from ..bodies.identity import index_of
from ..shapes import schema as shapes
from .locked_calls import LockedCalls
from .public_class import PublicClass
from .public_shape_queries import places_of
from .schema import BOOL, FLOAT, INT, PACKED_FLOAT32_ARRAY, PACKED_INT32_ARRAY, PACKED_VECTOR3_ARRAY, RID, VECTOR3
from .typed_values import VARIANT, array_of

_FREED = "[method PhysicsServer3D.free_rid] frees it."
_SURFACES = (
    "[param surfaces]: friction and restitution of each surface, one after the other; [param surface_of]: the "
    "number of the surface "
)


def _make(server, kind: int, write) -> int:
    """Make a shape of a kind; `write(pool, index)` gives it its data. Raises ValueError, PoolFull; then there is no shape."""
    server.stock.restock_shapes()
    identity = server.world.shape.create(kind)
    try:
        write(server.world.shapes, index_of(identity))
    except BaseException:
        server.world.shape.destroy(identity)
        raise
    server.shapes.add(identity)
    return identity


def _tables(surfaces: np.ndarray, surface_of: np.ndarray, shape: tuple) -> tuple:
    """The core's arguments for surfaces; (None, None) without any. Raises ValueError."""
    if not surfaces.size and not surface_of.size:
        return None, None
    if surfaces.size % 2 or not surfaces.size:
        raise ValueError(f"surfaces must be two numbers for each, got {surfaces.size} numbers")
    if surface_of.size != np.prod(shape):
        raise ValueError(f"surface_of must be {int(np.prod(shape))} numbers, got {surface_of.size}")
    return surface_of.reshape(shape), surfaces.astype(np.float64).reshape(-1, 2)


class _Calls(LockedCalls):
    """The functions behind the methods."""

    def tapered_capsule_create(self, server, half_height, top, bottom):
        return _make(server, shapes.TAPERED_CAPSULE, lambda p, i: p.set_tapered_capsule(i, half_height, top, bottom))

    def tapered_cylinder_create(self, server, half_height, top, bottom):
        return _make(server, shapes.TAPERED_CYLINDER, lambda p, i: p.set_tapered_cylinder(i, half_height, top, bottom))

    def ellipsoid_create(self, server, half_axes):
        return _make(server, shapes.ELLIPSOID, lambda p, i: p.set_ellipsoid(i, half_axes))

    def compound_create(self, server, parts, places, surfaces):
        indices = [server.world.shape.index("compound_create", part) for part in parts]
        rows = places_of("compound_create", places, np.zeros(3))
        if len(rows) != len(indices) or not indices:
            raise ValueError(f"a place for each shape is wanted, got {len(indices)} shapes and {len(rows)} places")
        if surfaces.size not in (0, 2 * len(indices)):
            raise ValueError(f"surfaces must be two numbers for each of {len(indices)} shapes, got {surfaces.size} numbers")
        own = surfaces.astype(np.float64).reshape(-1, 2).tolist()
        full = rows if rows.shape[1] == 12 else np.concatenate([np.tile(np.eye(3).ravel(), (len(rows), 1)), rows], axis=1)
        given = [(index, tuple(row), number, *([tuple(own[number])] if own else ()))
                 for number, (index, row) in enumerate(zip(indices, full.tolist(), strict=True))]  # fmt: skip
        return _make(server, shapes.COMPOUND, lambda p, i: p.set_compound(i, given))

    def mesh_create(self, server, vertices, triangles, two_sided, surfaces, surface_of):
        if triangles.size % 3:
            raise ValueError(f"triangles must be three indices each, got {triangles.size}")
        front = triangles.reshape(-1, 3)[:, ::-1]  # clockwise in Godot, counter-clockwise here
        numbers, table = _tables(surfaces, surface_of, (len(front),))
        return _make(server, shapes.MESH, lambda p, i: p.set_mesh(i, vertices, front, two_sided, numbers, table))

    def heightmap_create(self, server, width, depth, heights, surfaces, surface_of):
        if width < 2 or depth < 2 or width * depth != heights.size:
            raise ValueError(f"heights must hold width x depth = {width} x {depth} numbers, got {heights.size}")
        numbers, table = _tables(surfaces, surface_of, (depth - 1, width - 1))
        return _make(server, shapes.HEIGHT_FIELD, lambda p, i: p.set_height_field(i, width, depth, heights, numbers, table))

    def heightmap_update(self, server, shape, x, z, width, heights, surface_of):
        if width < 1 or not heights.size or heights.size % width:
            raise ValueError(f"heights must be full rows of {width} numbers, got {heights.size}")
        region = heights.reshape(-1, width)
        cells = None
        if surface_of.size:
            if width < 2 or surface_of.size % (width - 1):
                raise ValueError(f"surface_of must be full rows of {width - 1} cells, got {surface_of.size}")
            cells = surface_of.reshape(-1, width - 1)
        server.shapes.row(shape)
        server.world.shape.update_height_field(shape, x, z, region, cells)


def add_shape_methods(scree: PublicClass, engine) -> None:
    """Add the calls to the class `Scree`."""
    method = _Calls(scree, engine).add

    tapered = {"half_height": FLOAT, "top_radius": FLOAT, "bottom_radius": FLOAT}
    surfaces = {"surfaces": PACKED_FLOAT32_ARRAY, "surface_of": PACKED_INT32_ARRAY}
    none, no_numbers = np.zeros(0, np.float32), np.zeros(0, np.int32)
    method("tapered_capsule_create", tapered, RID,
           f"Makes the hull of two balls on Y, at +half_height and -half_height [m]. {_FREED}")  # fmt: skip
    method(
        "tapered_cylinder_create", tapered, RID,
        f"Makes a frustum of a cone along Y, from -half_height to +half_height [m]; one radius may be 0. {_FREED}",
    )  # fmt: skip
    method("ellipsoid_create", {"half_axes": VECTOR3}, RID,
           f"Makes an ellipsoid; half of each axis [m]. {_FREED}")  # fmt: skip
    method("compound_create", {"parts": array_of("RID"), "places": VARIANT, "surfaces": PACKED_FLOAT32_ARRAY}, RID,
           "Makes one shape of several, which are copied; it never changes, and many bodies can share it. [param "
           "places]: a [PackedVector3Array] of positions, an Array of [Transform3D], or a [PackedFloat32Array] with "
           "12 numbers for each in the order of a MultiMesh's buffer; [param surfaces]: friction and restitution of "
           f"each part, or nothing. {_FREED}",
           surfaces=none)  # fmt: skip
    method("mesh_create", {"vertices": PACKED_VECTOR3_ARRAY, "triangles": PACKED_INT32_ARRAY, "two_sided": BOOL, **surfaces},
           RID,
           "Makes a mesh for static and kinematic bodies. [param triangles]: three indices each, clockwise seen from the front; "
           f"[param two_sided]: whether the back collides, too; {_SURFACES}of each triangle. {_FREED}",
           two_sided=False, surfaces=none, surface_of=no_numbers)  # fmt: skip
    method("heightmap_create", {"width": INT, "depth": INT, "heights": PACKED_FLOAT32_ARRAY, **surfaces}, RID,
           "Makes a height field for static bodies: one sample per metre, row by row along X, centred on the origin; NaN makes a "
           f"hole. {_SURFACES}of each cell, row by row. {_FREED}", surfaces=none, surface_of=no_numbers)  # fmt: skip
    method("heightmap_update", {"shape": RID, "x": INT, "z": INT, "width": INT, "heights": PACKED_FLOAT32_ARRAY,
                                "surface_of": PACKED_INT32_ARRAY}, None,
           "Changes samples of a height field in place, from column [param x] and row [param z] on: rows of [param "
           "width] heights [m], at a cost that grows with the region only. Bodies on it wake. Works for a "
           "[HeightMapShape3D] too, whose map_data and [method PhysicsServer3D.shape_get_data] keep the heights "
           "that were set. [param surface_of]: the surfaces of the cells from there on, rows of width - 1.",
           surface_of=no_numbers)  # fmt: skip
