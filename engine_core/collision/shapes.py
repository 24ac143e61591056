"""Two shapes to contact manifolds: choosing the collision function, and transforming to its frame and back to the caller's
axes."""

import numpy as np

from ..geometry.clipping import POLYGON
from ..geometry.gjk import CORE
from ..geometry.polytopes import POLYTOPE, POLYTOPE_MEMORY, transform
from ..geometry.vector import (
    conjugate,
    matrix_rows,
    multiply,
    negate,
    rotate_inverse,
    store3,
    subtract,
    vector3,
)
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array
from ..shapes.schema import BOX, CYLINDER, EMPTY, MESH, PLANE, SEPARATION_RAY, SPHERE
from ..shapes.traits import is_convex, is_polytope, is_round, is_support_shape
from .box_box import collide_boxes
from .convex import IDENTITY, ZERO, load_polytope
from .cylinders import (
    PLACED_CYLINDER,
    collide_cylinder_plane,
    collide_cylinder_polytope,
    collide_cylinders,
    collide_segment_cylinder,
    place_cylinder,
)
from .hulls import collide_polytopes, is_above_plane, is_apart_by_cached_face
from .meshes import collide_mesh
from .planes import collide_plane
from .round_shapes import collide_segment_polytope, collide_segments, collide_sphere_box, segment_of
from .separation_rays import collide_ray
from .support_shapes import collide_support_pair


@kernel
def collide_polytope_pair(a, b, position, rows, limit, cache, result):
    """Collide a box or hull A with a box, hull or plane B, by general functions."""
    keep_as_call()
    memory = stack_array(2, POLYTOPE_MEMORY)
    polytopes = stack_array(2, POLYTOPE)
    polygons = stack_array(2, POLYGON)
    is_apart = is_above_plane(a, b, position, rows, limit) if b.kind == PLANE else (
        is_apart_by_cached_face(a, b, position, rows, limit, cache)
    )  # fmt: skip
    if is_apart:
        return np.int64(0), cache
    load_polytope(a, position, rows, memory[0], polytopes[0])
    if b.kind == PLANE:
        return collide_plane(a, b, position, rows, polytopes[0], limit, polygons[0], result), np.int64(0)
    load_polytope(b, ZERO, IDENTITY, memory[1], polytopes[1])
    return collide_polytopes(polytopes[0], polytopes[1], limit, cache, polygons, result)


@kernel
def collide_round_polytope(a, b, position, rows, limit, result):
    """Collide a sphere or capsule A with a box, hull or plane B."""
    keep_as_call()
    memory = stack_array(1, POLYTOPE_MEMORY)[0]
    polytope = stack_array(1, POLYTOPE)[0]
    if b.kind == PLANE:
        polygon = stack_array(1, POLYGON)[0]
        return collide_plane(a, b, position, rows, polytope, limit, polygon, result)
    load_polytope(b, ZERO, IDENTITY, memory, polytope)
    p, q = segment_of(a, position, rows)
    return collide_segment_polytope(np.float64(a.radius), p, q, polytope, limit, result)


@kernel
def collide_cylinder_pair(a, b, position, rows, limit, result):
    """Collide a pair with a cylinder as A or as both; B is a cylinder, box, hull or plane."""
    keep_as_call()
    placed, cores = stack_array(2, PLACED_CYLINDER), stack_array(2, CORE)
    polygons = stack_array(2, POLYGON)
    if b.kind == CYLINDER:
        place_cylinder(b, ZERO, IDENTITY, placed[1], cores[1])
        if is_round(a):
            p, q = segment_of(a, position, rows)
            return collide_segment_cylinder(np.float64(a.radius), p, q, placed[1], cores[1], limit, result)
        place_cylinder(a, position, rows, placed[0], cores[0])
        return collide_cylinders(placed[0], cores[0], placed[1], cores[1], limit, polygons, result)
    place_cylinder(a, position, rows, placed[0], cores[0])
    if b.kind == PLANE:
        return collide_cylinder_plane(placed[0], b, limit, polygons[0], result)
    memory = stack_array(1, POLYTOPE_MEMORY)[0]
    polytope = stack_array(1, POLYTOPE)[0]
    load_polytope(b, ZERO, IDENTITY, memory, polytope)
    return collide_cylinder_polytope(placed[0], cores[0], polytope, limit, polygons, result)


@kernel
def collide_support(a, b, position, rows, limit, result):
    """Collide a pair with a shape defined by its support function alone; B is not a mesh. The support shape may be B if A is
    round: `rank_of` puts round ones first."""
    keep_as_call()
    memory, polytope = stack_array(1, POLYTOPE_MEMORY)[0], stack_array(1, POLYTOPE)[0]
    return collide_support_pair(a, b, position, rows, limit, polytope, memory, is_polytope(b), result)


@kernel
def rank_of(shape):
    """The order of shapes in a pair: that of kinds in the schema, except that cylinders and support shapes come before boxes."""
    return 2 * BOX - 1 if shape.kind == CYLINDER or is_support_shape(shape) else 2 * shape.kind


@kernel
def collide_convex(a, b, position, rows, limit, cache, results):
    """Collide shape A with shape B, in the order of `rank_of` and in the frame of B: (number of results, axis cache)."""
    keep_as_call()
    result = results[0]
    points, next_cache = np.int64(0), np.int64(0)
    if b.kind == MESH:
        return (collide_mesh(a, b, position, rows, limit, results) if is_convex(a) else 0), next_cache
    if not is_convex(a) or not (is_convex(b) or b.kind == PLANE):
        return points, next_cache
    if is_support_shape(a) or is_support_shape(b):
        points = collide_support(a, b, position, rows, limit, result)
        return (1 if points > 0 else 0), next_cache
    if b.kind == BOX and a.kind == BOX:
        polygons = stack_array(2, POLYGON)
        points, next_cache = collide_boxes(a, b, position, rows, limit, cache, polygons, result)
    elif a.kind == CYLINDER or b.kind == CYLINDER:
        points = collide_cylinder_pair(a, b, position, rows, limit, result)
    elif is_round(b):
        points = collide_segments(a, b, position, rows, limit, result)
    elif a.kind == SPHERE and b.kind == BOX:
        points = collide_sphere_box(a, b, position, limit, result)
    elif is_round(a):
        points = collide_round_polytope(a, b, position, rows, limit, result)
    else:
        points, next_cache = collide_polytope_pair(a, b, position, rows, limit, cache, result)
    return (1 if points > 0 else 0), next_cache


@kernel
def collide_shapes(
    shapes, index_a, position_a, rotation_a, index_b, position_b, rotation_b, speculative_distance, axis_cache, results
):
    """Collide shape `index_a` with shape `index_b`: (number of results, axis cache for the next time).

    `shapes` is an array of SHAPE rows; positions are vectors in world axes from any common origin near both [m],
    rotations quaternions. `speculative_distance` [m]: surfaces up to this far apart make contacts. `axis_cache`: the result of
    the last collision of this pair, 0 for none. `results`: MAX_RESULTS rows of CONTACT_RESULT.
    """
    swap = rank_of(shapes[index_a]) > rank_of(shapes[index_b])
    # A is the shape of lower rank; the frame is that of B.
    a, b = shapes[index_b if swap else index_a], shapes[index_a if swap else index_b]
    position, origin = (position_b, position_a) if swap else (position_a, position_b)
    turn_a, turn_b = (rotation_b, rotation_a) if swap else (rotation_a, rotation_b)
    if a.kind == EMPTY:
        return np.int64(0), np.int64(0)
    if b.kind == SEPARATION_RAY:
        count = collide_ray(
            shapes, index_a if swap else index_b, origin, turn_b, index_b if swap else index_a, position, turn_a,
            np.float64(speculative_distance), not swap, results[0],
        )  # fmt: skip
        return np.int64(count), np.int64(0)
    rows = matrix_rows(multiply(conjugate(turn_b), turn_a))
    store3(results[0].slide, rotate_inverse(turn_b, vector3(results[0].slide)))
    if results[0].has_load != 0:
        store3(results[0].load, rotate_inverse(turn_b, subtract(vector3(results[0].load), origin)))
        store3(results[0].load_way, rotate_inverse(turn_b, vector3(results[0].load_way)))
    local = rotate_inverse(turn_b, subtract(position, origin))
    count, cache = collide_convex(a, b, local, rows, np.float64(speculative_distance), np.int64(axis_cache), results)
    if count > 0:
        to_world = matrix_rows(turn_b)
        for r in range(count):
            result = results[r]
            normal = transform(to_world, ZERO, vector3(result.normal))
            store3(result.normal, negate(normal) if swap else normal)
            for i in range(result.point_count):
                store3(result.points[i], transform(to_world, origin, vector3(result.points[i])))
    return np.int64(count), np.int64(cache)
