"""Frames of joints between Godot's order of axes and the core's. A frame is twelve numbers: basis by rows, then origin."""

import numpy as np

from .joint_settings import HINGE, SIX_DOF, first_axis


def pivot(point: tuple) -> tuple:
    """The frame of a pin: a point, without a direction."""
    return (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, *point)


def frame_of_axis(point: tuple, axis: tuple) -> tuple:
    """A frame at a point whose z axis is `axis`. Raises ValueError for an axis without length."""
    z = np.asarray(axis, dtype=np.float64)
    size = float(np.linalg.norm(z))
    if size < 1e-9:
        raise ValueError(f"the axis of a hinge must have a direction, got {tuple(axis)}")
    z = z / size
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    return (*np.column_stack([x, np.cross(z, x), z]).ravel().tolist(), *point)


def turned(frame: tuple, joint) -> tuple:
    """A frame with its axes in the core's order: the one that turns freely comes first, the others follow in a circle, so
    that right stays right."""
    first = 2 if joint.kind == HINGE else first_axis(joint) if joint.kind == SIX_DOF else 0
    if first == 0:
        return frame
    basis = np.asarray(frame[:9]).reshape(3, 3)
    return (*np.roll(basis, -first, axis=1).ravel().tolist(), *frame[9:])
