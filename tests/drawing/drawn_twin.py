"""The gatherer of drawings a second time, plainly: shapes of bodies as transforms and colours, from the rows of a world."""

import numpy as np

from scree.bodies.schema import IS_AREA, KINEMATIC, RIGID
from scree.drawing.colours import NAMES, PALETTE
from scree.drawing.schema import AREAS, BOXES, CAPSULES, CYLINDERS, MESHES, SHAPES, SPHERES
from scree.shapes import schema


def matrix(q) -> np.ndarray:
    """The rotation matrix of a quaternion x, y, z, w, by the product of q, v and the inverse of q."""
    x, y, z, w = np.asarray(q, np.float64)
    turn = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2.0 * w * turn + 2.0 * turn @ turn


def colour(name: str) -> np.ndarray:
    return PALETTE[NAMES.index(name)]


def colour_of(body) -> np.ndarray:
    if body["flags"] & IS_AREA:
        return colour("area")
    if body["mode"] < RIGID:
        return colour("kinematic" if body["mode"] == KINEMATIC else "static")
    return colour("awake" if body["active_index"] >= 0 else "asleep")


def form_of(shape) -> tuple[int, tuple]:
    """The kind of form of a shape, and its size along the axes of the shape."""
    radius, half = float(shape["radius"]), float(shape["half_height"])
    return {
        schema.BOX: (BOXES, tuple(shape["half_extents"])),
        schema.SPHERE: (SPHERES, (radius, radius, radius)),
        schema.ELLIPSOID: (SPHERES, tuple(shape["half_extents"])),
        schema.CAPSULE: (CAPSULES, (radius, half + radius, radius)),
        schema.CYLINDER: (CYLINDERS, (radius, half, radius)),
    }.get(int(shape["kind"]), (MESHES, (1.0, 1.0, 1.0)))


def distance_to(bounds, point) -> float:
    return float(np.linalg.norm(np.maximum(np.maximum(bounds[:3] - point, point - bounds[3:]), 0.0)))


def drawn(core, system: int, what: int, around, distance: float, mask: int) -> dict[int, list]:
    """The rows that a drawing has of shapes: by kind, arrays of sixteen numbers. Only for shapes without parts."""
    row = core.system(system).row
    found: dict[int, list] = {kind: [] for kind in (BOXES, SPHERES, CAPSULES, CYLINDERS, MESHES)}
    for body in core.bodies.rows[: core.bodies.count]:
        is_area = bool(body["flags"] & IS_AREA)
        near = not distance or distance_to(body["bounds"], np.asarray(around) - row["place"]["origin"]) <= distance
        if not body["id"] or body["system"] != row["index"] or not int(body["collision_layer"]) & mask or not near:
            continue
        if not what & (AREAS if is_area else SHAPES):
            continue
        for k in range(body["instance_count"]):
            instance = core.instances.rows[body["first_instance"] + k]
            kind, size = form_of(core.shapes.rows[instance["shape"]])
            turn = matrix(body["rotation"])
            basis = turn @ matrix(instance["rotation"]) @ np.diag(size)
            place = body["position"] + turn @ instance["position"]
            found[kind].append(np.concatenate([np.column_stack([basis, place]).ravel(), colour_of(body)]))
    return found
