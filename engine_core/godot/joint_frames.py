"""Conversion of joint frames between Godot's order of axes and the core's. A frame is twelve numbers: basis by rows, then
origin."""

import numpy as np

from ..geometry.turning import dot, product, size_of, solved
from .joint_settings import HINGE, SIX_DOF, first_axis

NO_TURN = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def pivot(point: tuple) -> tuple:
    """The frame of a pin: a point, without a direction."""
    return (*NO_TURN, *point)


def frame_of_axis(point: tuple, axis: tuple) -> tuple:
    """A frame at a point whose z axis is `axis`. Raises ValueError for an axis without length."""
    z = np.asarray(axis, dtype=np.float64)
    size = size_of(z)
    if size < 1e-9:
        raise ValueError(f"the axis of a hinge must have a direction, got {tuple(axis)}")
    z = z / size
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= size_of(x)
    return (*np.column_stack([x, np.cross(z, x), z]).ravel().tolist(), *point)


def basis_of(rotation) -> tuple:
    """Nine numbers by rows of a unit quaternion."""
    x, y, z, w = (float(part) for part in rotation)
    return (
        1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w),
        2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w),
        2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y),
    )  # fmt: skip


def frame_like(frame: tuple, basis: tuple, other: tuple, other_basis: tuple) -> tuple:
    """Rotate a frame about its z axis, so that its x axis is as near as possible to that of another body's frame at the bodies'
    present poses: there their angle is 0. A `basis`: nine numbers by rows of a body."""
    turn, other_turn = np.asarray(basis).reshape(3, 3), np.asarray(other_basis).reshape(3, 3)
    x = solved(turn, product(other_turn, np.asarray(other[:9]).reshape(3, 3)[:, 0]))
    z = np.asarray(frame[:9]).reshape(3, 3)[:, 2]
    x -= z * dot(x, z)
    size = size_of(x)
    if size < 1e-6:  # perpendicular axes: any start is as good
        return frame
    x /= size
    return (*np.column_stack([x, np.cross(z, x), z]).ravel().tolist(), *frame[9:])


def turned(frame: tuple, joint) -> tuple:
    """Convert a frame to the core's order of axes: the one that turns freely first, the others cyclically, so that the frame
    stays right-handed."""
    first = 2 if joint.kind == HINGE else first_axis(joint) if joint.kind == SIX_DOF else 0
    if first == 0:
        return frame
    basis = np.asarray(frame[:9]).reshape(3, 3)
    return (*np.roll(basis, -first, axis=1).ravel().tolist(), *frame[9:])
