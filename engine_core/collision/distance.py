"""Distance and depth of any two convex shapes, by GJK and EPA.

The rounding of a shape (a sphere, a capsule's caps, a hull's convex radius) is removed first and counted as a radius about the
core. So round shapes are exact, and need the costly depth search only for deep overlaps.
"""

from ..geometry.epa import epa_penetration
from ..geometry.gjk import CORE, SIMPLEX, gjk_distance
from ..geometry.vector import add, add_scaled, length, negate, rotate, scale, subtract
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array
from ..shapes.core import core_center, core_of_shape


@kernel
def distance_of_cores(core_a, core_b, start):
    """Return (distance, point on A, point on B, unit normal from A to B) of two rows of CORE; a negative distance is a depth.

    `start` is a guess of (point of A) - (point of B), usually the difference of the centres.
    """
    keep_as_call()
    simplex = stack_array(1, SIMPLEX)[0]
    overlap, v, on_a = gjk_distance(core_a, core_b, simplex, start)
    if not overlap:
        distance = length(v)
        return distance, on_a, subtract(on_a, v), scale(v, -1.0 / distance)
    depth, normal, on_a = epa_penetration(core_a, core_b, simplex, negate(start))
    return -depth, on_a, add_scaled(on_a, normal, -depth), normal


@kernel
def distance_of_convex(a, position_a, rotation_a, b, position_b, rotation_b):
    """Distance of two convex shapes given as rows of SHAPE; see `shape_distance`."""
    keep_as_call()
    cores = stack_array(2, CORE)
    # A is at the origin and the result is moved back: no precision is lost far from the common origin.
    radius_a = core_of_shape(a, (0.0, 0.0, 0.0), rotation_a, cores[0])
    radius_b = core_of_shape(b, subtract(position_b, position_a), rotation_b, cores[1])
    start = subtract(rotate(rotation_a, core_center(a)), rotate(rotation_b, core_center(b)))
    start = subtract(add(start, position_a), position_b)
    distance, on_a, on_b, normal = distance_of_cores(cores[0], cores[1], start)
    on_a = add(add_scaled(on_a, normal, radius_a), position_a)
    on_b = add(add_scaled(on_b, normal, -radius_b), position_a)
    return distance - radius_a - radius_b, on_a, on_b, normal


@kernel
def shape_distance(shapes, index_a, position_a, rotation_a, index_b, position_b, rotation_b):
    """Return the distance of two convex shapes: (distance [m], point on A, point on B, unit normal from A to B).

    `shapes` is an array of SHAPE rows; positions are vectors and rotations quaternions in one common frame, also that of the
    result. A negative distance is the depth of the overlap: moving A by distance * normal just separates them. All convex kinds.
    """
    return distance_of_convex(
        shapes[index_a], position_a, rotation_a, shapes[index_b], position_b, rotation_b
    )
