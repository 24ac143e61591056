"""Mass, centre of mass and inertia of a body from its shapes. Runs when shapes or mass change, not in the step."""

import numpy as np

from .schema import CUSTOM_CENTER_OF_MASS, HAS_STRETCH, IS_AREA, RIGID, RIGID_LINEAR


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


def renew_mass(body, instances: np.ndarray, shapes: np.ndarray) -> None:
    """Set centre of mass, inverse mass and inverse inertia of a row of BODY; the user's origin stays where it is. Areas have
    none of it."""
    if int(body["flags"]) & IS_AREA:
        return
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
        wanted = float(body["inertia"][axis])
        if wanted > 0.0:
            inertia[axis, :] = inertia[:, axis] = 0.0
            inertia[axis, axis] = wanted
    _move_center(body, center)
    mode = int(body["mode"])
    body["inverse_mass"] = 1.0 / float(body["mass"]) if mode >= RIGID else 0.0
    turns = mode >= RIGID and mode != RIGID_LINEAR
    local = packed(np.linalg.inv(inertia)) if turns else (0.0,) * 6
    body["inverse_inertia_local"] = local
    for instance in instances:
        instance["position"] = instance["origin_position"] - center.astype(np.float32)


def _move_center(body, center: np.ndarray) -> None:
    """Change the centre of mass without moving the body's matter."""
    if (center == body["center_of_mass"]).all():
        return
    turn = rotation_matrix(body["rotation"])
    shift = turn @ (center - body["center_of_mass"])
    body["position"] += shift
    body["target_position"] += rotation_matrix(body["target_rotation"]) @ (center - body["center_of_mass"])
    if int(body["mode"]) >= RIGID:
        body["linear_velocity"] += np.cross(body["angular_velocity"], shift)
    body["center_of_mass"] = center


def has_stretch(body) -> bool:
    """Whether the user's transform of a body has scale or shear."""
    return bool(int(body["flags"]) & HAS_STRETCH)
