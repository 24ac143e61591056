"""Custom shapes: a convex shape defined by a compiled support function.

    @entry_point("int64(int64, int64)")
    def lens(data, words):
        direction, point = view(words, 3, np.float64), view(words + 24, 3, np.float64)
        ...  # write the farthest point
        return 0

    shape = world.shape.create(CUSTOM)
    world.shapes.set_custom(world.shape.index("", shape), lens, np.array([2.0, 1.5]))

`words` is the address of six doubles: first the direction in the shape's frame, of any length but zero; the function writes the
point behind it. `data` is the address of a copy of the given doubles. The origin must lie inside, the function must not wait or
fail, and the same direction must give the same point. The shape collides with every other shape and works in all casts, sweeps
and queries. Its mass and bounds are those of the hull of 258 of its points.
"""

import numpy as np

from ..geometry import mass
from ..geometry.angles import even_directions
from ..geometry.hull_building import convex_hull
from ..runtime.call import call_2_result
from ..runtime.kernel import entry_point
from ..runtime.memory import address_of
from . import schema
from .cooking import Cooked, pack_block

SAMPLES = 252
"""Number of evenly spread sample directions; the six axes come on top."""


@entry_point("void(int64, int64, int64, int64)")
def sample_support(function, data, words, count):
    """Call a support function for `count` rows of six doubles: direction, point."""
    for i in range(count):
        call_2_result(function, data, words + 48 * i)


def supports(function: int, data: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """The points `(n, 3)` that a support function returns for directions `(n, 3)`."""
    words = np.zeros((len(directions), 6))
    words[:, :3] = directions
    sample_support(function, address_of(data), address_of(words), len(words))
    return words[:, 3:]


def spread_directions(count: int) -> np.ndarray:
    """Unit vectors `(count + 6, 3)`: a spiral over the sphere, and the axes."""
    return np.concatenate((even_directions(count), np.eye(3), -np.eye(3)))


def cook_custom(function: int, data: np.ndarray, stretch: np.ndarray) -> Cooked:
    """Cook a custom shape. `stretch` (3, 3): its scale and shear."""
    directions = spread_directions(SAMPLES)
    points = supports(function, data, directions @ stretch) @ stretch.T
    hull = convex_hull(points)
    volume, center, inertia = mass.polyhedron_mass(hull.vertices, hull.face_starts, hull.face_vertices)
    block = pack_block(schema.CUSTOM_BLOCK, {"function": function, "stretch": stretch}, {"data": data})
    reach = ((points - center) * directions).sum(axis=1)
    fields = {
        "bounds": np.concatenate((points.min(axis=0), points.max(axis=0))), "volume": volume, "center_of_mass": center,
        "inertia": inertia, "inner_radius": max(float(reach.min()), 0.0),
    }  # fmt: skip
    return Cooked(schema.CUSTOM, fields, block)
