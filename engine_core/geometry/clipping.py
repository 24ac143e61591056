"""Clipping a convex polygon against half-planes, in the plane of a reference face.

Each corner has the edge that leaves it, so that a corner is identified by the two edges that meet there: it stays the same from
step to step as long as the same features touch.
"""

import numpy as np

from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel

MAX_CORNERS = 256

POLYGON = np.dtype(
    [
        ("count", "i8"),
        ("x", "f8", MAX_CORNERS),  # in the reference plane [m]
        ("y", "f8", MAX_CORNERS),
        ("z", "f8", MAX_CORNERS),  # above it [m]
        ("edge", "i8", MAX_CORNERS),  # the edge that leaves this corner
    ],
    align=True,
)


@kernel
def add_corner(polygon, x, y, z, edge):
    i = polygon.count
    if i < MAX_CORNERS:
        polygon.x[i], polygon.y[i], polygon.z[i], polygon.edge[i] = x, y, z, edge
        polygon.count = i + 1


@kernel
def clip_half_plane(source, target, nx, ny, limit, edge):
    """Cut away the part of polygon `source` where nx x + ny y > limit; `edge` is the number of the new edge.

    Writes to `target` and gives True; or gives False where nothing had to be cut (`target` is then untouched).
    """
    keep_as_call()
    count = source.count
    any_outside = False
    for i in range(count):
        any_outside |= nx * source.x[i] + ny * source.y[i] > limit
    if not any_outside:
        return False
    target.count = 0
    for i in range(count):
        j = i + 1 if i + 1 < count else 0
        di = nx * source.x[i] + ny * source.y[i] - limit
        dj = nx * source.x[j] + ny * source.y[j] - limit
        if di <= 0.0:
            add_corner(target, source.x[i], source.y[i], source.z[i], source.edge[i])
        if (di <= 0.0) != (dj <= 0.0):
            t = di / (di - dj)
            x = source.x[i] + t * (source.x[j] - source.x[i])
            y = source.y[i] + t * (source.y[j] - source.y[i])
            z = source.z[i] + t * (source.z[j] - source.z[i])
            # Going out, the boundary follows the new edge; coming in, it goes on along the old one.
            add_corner(target, x, y, z, edge if di <= 0.0 else source.edge[i])
    return True
