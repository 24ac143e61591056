"""Scree: a 3D physics engine in Python, NumPy and Numba.

    space = scree.World().add_space(gravity=(0, -9.81, 0))
    space.add_static(scree.Plane())
    boxes = space.add_rigid_many(scree.Box(half_extents=(0.5, 0.5, 0.5)), positions)   # (n, 3) [m]
    space.step(1 / 60)                                                                  # [s]
    boxes.positions, boxes.velocities                                                   # (n, 3) [m], [m/s]

Shapes, joints, motors, materials and rules are values; `Body`, `Area` and `Joint` are small handles with an `id`. Units are SI:
[m], [kg], [s], [rad], [N]; quaternions are x, y, z, w; axes are right-handed. `World.core` is the low-level interface for
experts.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .api import *  # noqa: F403
    from .api import __all__ as __all__


def __getattr__(name: str) -> object:
    """Import a public name on first use: the Godot server and the tools need none of them. Public names begin with a capital
    letter, packages with a small one."""
    if name[0].isupper() or name == "__all__":
        return getattr(importlib.import_module(".api", __name__), name)
    raise AttributeError(f"module 'scree' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(importlib.import_module(".api", __name__).__all__)
