"""Triangles for navigation meshes: `space_triangles(space, low, high, mask)` returns a PackedVector3Array, three corners a
triangle, clockwise seen from the front as in Godot, of all bodies that touch a box at one moment.

Any thread may call, best a worker: neither the server's lock nor the GIL is held while triangles are made.
"""

import numpy as np

from ..core.snapshot import Snapshot
from .frames import frame_of_space
from .schema import INT, PACKED_VECTOR3_ARRAY, RID, VECTOR3

MOST_TRIANGLES = 1 << 24


def triangles_of(server, space: int, low, high, mask: int) -> np.ndarray:
    """Return float32 (3 n, 3), in Godot's coordinates [m]. Raises ValueError, KeyError."""
    server.space_row(space)
    zero = frame_of_space(server, space)
    with Snapshot(server.world, space, zero + low, zero + high, mask & 0xFFFFFFFF) as snapshot:
        found = snapshot.triangles(zero=zero)
    if len(found) > MOST_TRIANGLES:
        raise ValueError(f"there are {len(found)} triangles in the box, more than {MOST_TRIANGLES}: make it smaller")
    return found[:, [0, 2, 1]].reshape(-1, 3)


def add_navigation_methods(methods, engine) -> None:
    """Register the method; `engine.server` exists when it is called."""

    def triangles(space, low, high, mask):
        return triangles_of(engine.server, space, low, high, mask)

    asked = {"space": RID, "low": VECTOR3, "high": VECTOR3, "mask": INT}
    methods.cold("space_triangles", triangles, asked, PACKED_VECTOR3_ARRAY)
