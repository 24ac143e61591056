"""The readable twin of `bodies/mass.py` and of the local bounds in `bodies/bounds.py`: NumPy on rows of the pools."""

import numpy as np

from scree.bodies.schema import CUSTOM_CENTER_OF_MASS, RIGID, RIGID_LINEAR


def rotation_matrix(q) -> np.ndarray:
    """Rotation matrix of a unit quaternion (x, y, z, w), shape (3, 3)."""
    x, y, z, w = (float(c) for c in q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def full(symmetric) -> np.ndarray:
    """(xx, yy, zz, xy, xz, yz) as a matrix, shape (3, 3)."""
    xx, yy, zz, xy, xz, yz = (float(c) for c in symmetric)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def packed(matrix: np.ndarray) -> tuple:
    """A symmetric matrix as (xx, yy, zz, xy, xz, yz)."""
    m = matrix
    return (m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2])


def _parts(instances: np.ndarray, shapes: np.ndarray):
    """Volume, centre (from the user's origin) and inertia for 1 kg of each enabled shape that has a volume."""
    for instance in instances:
        if instance["is_disabled"] or instance["shape"] < 0:
            continue
        shape = shapes[instance["shape"]]
        turn = rotation_matrix(instance["rotation"])
        center = instance["origin_position"] + turn @ shape["center_of_mass"]
        yield float(shape["volume"]), center.astype(np.float64), turn @ full(shape["inertia"]) @ turn.T


def shape_mass(instances: np.ndarray, shapes: np.ndarray):
    """Centre of mass [m, from the origin] and inertia about it for 1 kg [m^2], of uniform density. None without a volume."""
    parts = [part for part in _parts(instances, shapes) if part[0] > 0.0]
    total = sum(part[0] for part in parts)
    if total <= 0.0:
        return None
    center = sum(volume * at for volume, at, _ in parts) / total
    inertia = np.zeros((3, 3))
    for volume, at, own in parts:
        d = at - center
        inertia += volume / total * (own + np.dot(d, d) * np.eye(3) - np.outer(d, d))
    return center, inertia


def renew_mass(body, rare, instances: np.ndarray, shapes: np.ndarray) -> None:
    """Set centre of mass, inverse mass and inverse inertia of a row of BODY, with its row of BODY_RARE; the user's origin stays
    where it is."""
    found = shape_mass(instances, shapes)
    old_center = body["center_of_mass"].astype(np.float64)
    center = old_center
    if not int(body["flags"]) & CUSTOM_CENTER_OF_MASS:
        center = found[0] if found is not None else np.zeros(3)
    inertia = float(body["mass"]) * (found[1] if found is not None else np.eye(3))
    if found is not None and int(body["flags"]) & CUSTOM_CENTER_OF_MASS:
        d = found[0] - center
        inertia = inertia + float(body["mass"]) * (np.dot(d, d) * np.eye(3) - np.outer(d, d))
    for axis in range(3):
        wanted = float(rare["inertia"][axis])
        if wanted > 0.0:
            inertia[axis, :] = inertia[:, axis] = 0.0
            inertia[axis, axis] = wanted
    _move_center(body, rare, center)
    mode = int(body["mode"])
    body["inverse_mass"] = 1.0 / float(body["mass"]) if mode >= RIGID else 0.0
    turns = mode >= RIGID and mode != RIGID_LINEAR
    local = packed(np.linalg.inv(inertia)) if turns else (0.0,) * 6
    body["inverse_inertia_local"] = local
    for instance in instances:
        instance["position"] = instance["origin_position"] - center.astype(np.float32)


def _move_center(body, rare, center: np.ndarray) -> None:
    """Change the centre of mass without moving the body's matter."""
    if (center == body["center_of_mass"]).all():
        return
    turn = rotation_matrix(body["rotation"])
    shift = turn @ (center - body["center_of_mass"])
    body["position"] += shift
    rare["target_position"] += rotation_matrix(rare["target_rotation"]) @ (center - body["center_of_mass"])
    if int(body["mode"]) >= RIGID:
        body["linear_velocity"] += np.cross(body["angular_velocity"], shift)
    body["center_of_mass"] = center


def local_bounds(instances: np.ndarray, shapes: np.ndarray):
    """Bounds of all enabled shapes (body frame, from the centre of mass), farthest corner of a shape's bounds, and the
    least inner radius."""
    low, high, extent, inner = np.full(3, np.inf), np.full(3, -np.inf), 0.0, np.inf
    for instance in instances:
        if instance["is_disabled"] or instance["shape"] < 0:
            continue
        shape = shapes[instance["shape"]]
        bounds = shape["bounds"].astype(np.float64)
        if bounds[3] - bounds[0] > 1e20:
            low, high = np.full(3, -1e30), np.full(3, 1e30)
            continue
        corners = np.array([[bounds[x], bounds[y], bounds[z]] for x in (0, 3) for y in (1, 4) for z in (2, 5)])
        corners = corners @ rotation_matrix(instance["rotation"]).T + instance["position"]
        own_low, own_high = corners.min(axis=0), corners.max(axis=0)
        extent = max(extent, float(np.linalg.norm(np.maximum(np.abs(own_low), np.abs(own_high)))))
        inner = min(inner, float(shape["inner_radius"]))
        low, high = np.minimum(low, own_low), np.maximum(high, own_high)
    if not np.isfinite(low).all():
        return np.zeros(6), 0.0, 0.0
    return np.concatenate([low, high]), extent, inner if np.isfinite(inner) else 0.0
