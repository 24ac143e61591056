"""Shapes: creating them, their data in Godot's form, and passing it to the core's shape pool."""

import math
from functools import partial

import numpy as np

from ..bodies.identity import index_of
from ..geometry.quickhull import MAX_VERTICES
from ..shapes import schema as shapes
from .creation.shapes import LEAST_SIZE, SHAPE_TYPES
from .errors import check_finite, check_number
from .virtual_table import SERVER

TYPES = tuple(SHAPE_TYPES.values())
"""The kind of each type, by its number."""
CUSTOM = 10
"""PhysicsServer3D.SHAPE_CUSTOM."""
DEFAULT_BIAS = 0.8
"""Default of physics/3d/solver/default_contact_bias."""


def _type_of(server, identity: int) -> int:
    """The number of a shape's type. A shape that holds bricks is a convex one to Godot, a kind that Godot does not know a custom
    one. Raises KeyError."""
    server.shapes.row(identity)
    kind = int(server.world.shapes.rows[index_of(identity)]["user_kind"])
    kind = shapes.HULL if kind == shapes.STRUCTURE else kind
    return TYPES.index(kind) if kind in TYPES else CUSTOM


def _create(kind: int, server) -> int:
    server.stock.restock_shapes()
    identity = server.world.shape.create(kind)
    server.shapes.add(identity)
    return identity


for _name, _kind in SHAPE_TYPES.items():
    SERVER.answer(f"_{_name}_shape_create", partial(_create, _kind))


@SERVER.cold()
def _custom_shape_create(server):
    raise ValueError("Godot has no way to describe a custom shape; no physics engine makes one")


def _number(data: dict, name: str) -> float:
    if name not in data:
        raise ValueError(f"{name} is missing in {sorted(data)}")
    return check_number(name, data[name])


def _dictionary(data) -> dict:
    if not isinstance(data, dict):
        raise ValueError(f"data must be a Dictionary, got {_brief(data)}")
    return data


def _points(name: str, points) -> np.ndarray:
    if not isinstance(points, np.ndarray) or points.ndim != 2:
        raise ValueError(f"{name} must be a PackedVector3Array, got {_brief(points)}")
    if not np.isfinite(points).all():
        raise ValueError(f"{name} must be finite, got {points[~np.isfinite(points).all(axis=1)][0].tolist()}")
    return points


def _brief(value) -> str:
    return f"an array of shape {value.shape}" if isinstance(value, np.ndarray) else repr(value)


def _set_world_boundary(pool, index: int, data) -> None:
    if not isinstance(data, tuple) or len(data) != 4:
        raise ValueError(f"data must be a Plane, got {_brief(data)}")
    check_finite("the plane", *data)
    pool.set_plane(index, data[:3], data[3])


def _with_size(size: float, least: float = LEAST_SIZE) -> float:
    """A size that the core can hold instead of one from 0 to `least` [m]. A negative one stays, and is refused by the core."""
    return least if 0.0 <= size < least else size


def _set_separation_ray(pool, index: int, data) -> None:
    data = _dictionary(data)
    pool.set_separation_ray(index, _with_size(_number(data, "length")), bool(data.get("slide_on_slope", False)))


def _set_sphere(pool, index: int, data) -> None:
    pool.set_sphere(index, _with_size(check_number("radius", data)))


def _set_box(pool, index: int, data) -> None:
    if not isinstance(data, tuple) or len(data) != 3:
        raise ValueError(f"data must be a Vector3 of half extents, got {_brief(data)}")
    check_finite("half extents", *data)
    pool.set_box(index, tuple(_with_size(half) for half in data))


def _set_capsule(pool, index: int, data) -> None:
    data = _dictionary(data)
    radius, height = _with_size(_number(data, "radius")), _number(data, "height")
    is_small = 0.0 <= height < 2.0 * LEAST_SIZE
    pool.set_capsule(index, radius, 2.0 * radius if is_small else height)  # 0: as short as its caps


def _set_cylinder(pool, index: int, data) -> None:
    data = _dictionary(data)
    pool.set_cylinder(index, _with_size(_number(data, "radius")), _with_size(_number(data, "height"), 2.0 * LEAST_SIZE))


def _set_convex_polygon(pool, index: int, data) -> str:
    left_out = pool.set_hull(index, _points("data", data))
    return f"a hull of {len(data)} points is cut to {MAX_VERTICES} vertices, by {left_out:.3g} m" if left_out > 0.0 else ""


def _set_concave_polygon(pool, index: int, data) -> None:
    data = _dictionary(data)
    corners = _points("faces", data.get("faces"))
    if len(corners) % 3:
        raise ValueError(f"faces must hold three corners a triangle, got {len(corners)} corners")
    triangles = np.arange(len(corners)).reshape(-1, 3)[:, ::-1]  # front: clockwise in Godot, counter-clockwise here
    pool.set_mesh(index, corners, triangles, bool(data.get("backface_collision", False)))


def _set_heightmap(pool, index: int, data) -> None:
    data = _dictionary(data)
    width, depth = int(_number(data, "width")), int(_number(data, "depth"))
    heights = data.get("heights")
    if not isinstance(heights, np.ndarray) or heights.ndim != 1:
        raise ValueError(f"heights must be a PackedFloat32Array, got {_brief(heights)}")
    if width * depth != len(heights):
        raise ValueError(f"heights must hold width x depth = {width} x {depth} numbers, got {len(heights)}")
    if np.isinf(heights).any():
        raise ValueError(f"heights must be finite (or NaN for a hole), got {heights[np.isinf(heights)][0]}")
    pool.set_height_field(index, width, depth, heights.reshape(depth, width))


_SETTERS = (
    _set_world_boundary, _set_separation_ray, _set_sphere, _set_box, _set_capsule, _set_cylinder, _set_convex_polygon,
    _set_concave_polygon, _set_heightmap,
)  # fmt: skip
"""By type. Each returns nothing, or a warning about the resulting shape."""


def _is_plain(value) -> bool:
    """Whether a value is a number or numbers, which can be compared."""
    return isinstance(value, (float, tuple))


_COOKS = {shapes.HULL: "cook_hull", shapes.MESH: "cook_mesh", shapes.HEIGHT_FIELD: "cook_field"}


def _let_compiled_code_cook(server, kind: int) -> None:
    """Load the code that cooks shapes of this kind, once one exists: see creation/cooked_shapes.py."""
    if kind in _COOKS and not server.record[_COOKS[kind]]:
        server.record[_COOKS[kind]] = server.cooking.address_for(kind)


@SERVER.cold()
def _shape_set_data(server, identity, variant):
    godot_type, kept = _type_of(server, identity), server.shapes.data(identity)
    index = server.world.shape.index("shape_set_data", identity)
    value = server.variants.read(variant)
    if _is_plain(value) and value == server.variants.read(kept.address):  # nodes repeat calls
        return
    if server.world.shapes.rows[index]["user_kind"] == shapes.STRUCTURE:
        if len(_points("data", value)) == 0:  # a node repeats that its shape has no points
            return
        raise ValueError("the shape holds bricks, which have calls of their own: it has no other data")
    if godot_type == CUSTOM:
        raise ValueError("Godot has no data for a shape of this kind, which was made by Scree")
    warning = _SETTERS[godot_type](server.world.shapes, index, value)
    if warning:
        server.reporter.warn_once("shape_set_data", warning)
    kept.set(variant)
    server.world.body.shape_changed(index)
    _let_compiled_code_cook(server, TYPES[godot_type])


@SERVER.cold()
def _shape_get_data(server, identity):
    return server.shapes.data(identity)


@SERVER.cold()
def _shape_get_type(server, identity):
    return _type_of(server, identity)


@SERVER.cold(note="a hint: shapes are exact and need no margin, as in GodotPhysics3D (documentation of Shape3D.margin)")
def _shape_set_margin(server, identity, margin):
    row = server.shapes.row(identity)
    if not math.isfinite(margin) or margin < 0.0:
        raise ValueError(f"margin must be at least 0, got {margin}")
    row["margin"] = margin


@SERVER.cold()
def _shape_get_margin(server, identity):
    return float(server.shapes.row(identity)["margin"])


@SERVER.cold()
def _shape_set_custom_solver_bias(server, identity, bias):
    row = server.shapes.row(identity)
    check_finite("bias", bias)
    row["custom_solver_bias"] = bias
    index = server.world.shape.index("shape_set_custom_solver_bias", identity)
    server.world.body.set_contact_bias(index, max(bias, 0.0) / DEFAULT_BIAS)
    if bias > 0.0:
        server.record["has_contact_biases"] = 1  # from now on


@SERVER.cold()
def _shape_get_custom_solver_bias(server, identity):
    return float(server.shapes.row(identity)["custom_solver_bias"])
