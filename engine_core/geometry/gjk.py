"""Distance of two convex cores: the algorithm of Gilbert, Johnson and Keerthi, in double precision.

A core is a convex body without its rounding: a sphere's core is a point, a capsule's a segment. All cores of one
call stand in one common frame. The simplex sub-problem follows the Voronoi regions of C. Ericson, "Real-Time
Collision Detection" (5.1), and falls back to the best of the sides where a simplex is degenerate, so that flat and
needle-like input cannot lead astray.
"""

import math

import numpy as np

from ..runtime.attributes import keep_as_call
from ..runtime.call import call_2_result
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_row, stack_array, view
from .vector import add_scaled, cross, dot, length_squared, scale, subtract

# Kinds of core. A point and a segment along Y are boxes without extents. TWO_SPHERES: all between two spheres on Y; TWO_DISCS:
# all between two discs across it; FUNCTION: what a function tells that a user gave.
BOX_CORE, POINTS_CORE, POINTS_CORE_DOUBLE, CYLINDER_CORE = range(4)
TWO_SPHERES_CORE, TWO_DISCS_CORE, ELLIPSOID_CORE, FUNCTION_CORE = range(4, 8)

CORE = np.dtype(
    [
        ("kind", "i8"),
        ("count", "i8"),  # points; FUNCTION: address of the function's data
        ("points", "i8"),  # address of float32 or float64 (count, 3); for doubles the pose is the identity; FUNCTION: its address
        # Box: half extents [m]; cylinder: radius, half height along Y; TWO_...: half height, radius above, radius below;
        # ellipsoid: half axes.
        ("extents", "f8", 3),
        ("rotation", "f8", (3, 3)),  # rows of the matrix from the core's frame to the common one; may stretch
        ("position", "f8", 3),
    ],
    align=True,
)

SIMPLEX = np.dtype(
    [
        ("count", "i8"),
        ("w", "f8", (4, 3)),  # points of the Minkowski difference A - B
        ("a", "f8", (4, 3)),  # where they came from on A
        ("weights", "f8", 4),  # barycentric weights of the point nearest to the origin
    ],
    align=True,
)

MAX_ITERATIONS = 64


@kernel
def row3(array, i):
    """Row i of an array of shape (n, 3) as a vector."""
    return (array[i, 0], array[i, 1], array[i, 2])


@kernel
def store_row3(array, i, v):
    array[i, 0] = v[0]
    array[i, 1] = v[1]
    array[i, 2] = v[2]


@kernel
def smooth_support(core, x, y, z):
    """The `support` of a round or user-defined core, in its own frame."""
    keep_as_call()
    e = core.extents
    if core.kind == FUNCTION_CORE:
        words = stack_array(6, np.float64)
        words[0], words[1], words[2] = x, y, z
        call_2_result(core.points, core.count, address_of_row(words, 0))
        return (words[3], words[4], words[5])
    if core.kind == ELLIPSOID_CORE:
        ax, ay, az = e[0] * x, e[1] * y, e[2] * z
        size = math.sqrt(ax * ax + ay * ay + az * az)
        s = 1.0 / size if size > 1e-30 else 0.0
        return (e[0] * ax * s, e[1] * ay * s, e[2] * az * s)
    across = math.sqrt(x * x + z * z)
    size = math.sqrt(across * across + y * y) if core.kind == TWO_SPHERES_CORE else across
    is_above = y * e[0] + e[1] * size >= -y * e[0] + e[2] * size
    radius = e[1] if is_above else e[2]
    s = radius / size if size > 1e-30 else 0.0
    height = e[0] if is_above else -e[0]
    if core.kind == TWO_SPHERES_CORE:
        height += y * s
    return (x * s, height, z * s)


@kernel
def support(core, direction):
    """The point of a core farthest along `direction`, in the common frame."""
    keep_as_call()
    if core.kind == POINTS_CORE_DOUBLE:
        points = view(core.points, core.count * 3, np.float64)
        best, best_i = -math.inf, 0
        for i in range(core.count):
            along = points[3 * i] * direction[0] + points[3 * i + 1] * direction[1] + points[3 * i + 2] * direction[2]
            if along > best:
                best, best_i = along, i
        return (points[3 * best_i], points[3 * best_i + 1], points[3 * best_i + 2])
    r = core.rotation
    x = r[0, 0] * direction[0] + r[1, 0] * direction[1] + r[2, 0] * direction[2]
    y = r[0, 1] * direction[0] + r[1, 1] * direction[1] + r[2, 1] * direction[2]
    z = r[0, 2] * direction[0] + r[1, 2] * direction[1] + r[2, 2] * direction[2]
    if core.kind == BOX_CORE:
        p = (
            core.extents[0] if x >= 0.0 else -core.extents[0],
            core.extents[1] if y >= 0.0 else -core.extents[1],
            core.extents[2] if z >= 0.0 else -core.extents[2],
        )
    elif core.kind == CYLINDER_CORE:
        across = math.sqrt(x * x + z * z)
        s = core.extents[0] / across if across > 1e-30 else 0.0
        p = (x * s, core.extents[1] if y >= 0.0 else -core.extents[1], z * s)
    elif core.kind >= TWO_SPHERES_CORE:
        p = smooth_support(core, x, y, z)
    else:
        singles = view(core.points, core.count * 3, np.float32)
        best, best_i = -math.inf, 0
        for i in range(core.count):
            along = singles[3 * i] * x + singles[3 * i + 1] * y + singles[3 * i + 2] * z
            if along > best:
                best, best_i = along, i
        p = (np.float64(singles[3 * best_i]), np.float64(singles[3 * best_i + 1]), np.float64(singles[3 * best_i + 2]))
    return (
        r[0, 0] * p[0] + r[0, 1] * p[1] + r[0, 2] * p[2] + core.position[0],
        r[1, 0] * p[0] + r[1, 1] * p[1] + r[1, 2] * p[2] + core.position[1],
        r[2, 0] * p[0] + r[2, 1] * p[1] + r[2, 2] * p[2] + core.position[2],
    )


@kernel
def weights_on_segment(a, b):
    """Barycentric weights of the point of segment ab nearest to the origin."""
    ab = subtract(b, a)
    size = length_squared(ab)
    if size <= 0.0:
        return (1.0, 0.0)
    t = min(max(-dot(a, ab) / size, 0.0), 1.0)
    return (1.0 - t, t)


@kernel
def weights_on_triangle(a, b, c):
    """Barycentric weights of the point of triangle abc nearest to the origin; exact zeros for corners not taking
    part."""
    keep_as_call()
    ab, ac = subtract(b, a), subtract(c, a)
    n = cross(ab, ac)
    area = length_squared(n)
    if area > 1e-26 * length_squared(ab) * length_squared(ac):
        d1, d2 = -dot(ab, a), -dot(ac, a)
        if d1 <= 0.0 and d2 <= 0.0:
            return (1.0, 0.0, 0.0)
        d3, d4 = -dot(ab, b), -dot(ac, b)
        if d3 >= 0.0 and d4 <= d3:
            return (0.0, 1.0, 0.0)
        d5, d6 = -dot(ab, c), -dot(ac, c)
        if d6 >= 0.0 and d5 <= d6:
            return (0.0, 0.0, 1.0)
        of_c = dot(n, cross(a, b))
        if of_c <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
            t = d1 / (d1 - d3)
            return (1.0 - t, t, 0.0)
        of_b = dot(n, cross(c, a))
        if of_b <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
            t = d2 / (d2 - d6)
            return (1.0 - t, 0.0, t)
        of_a = dot(n, cross(b, c))
        if of_a <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
            t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
            return (0.0, 1.0 - t, t)
        total = of_a + of_b + of_c
        if total > 0.0:
            return (of_a / total, of_b / total, of_c / total)
    # No area: the nearest of the three sides.
    best, weights = math.inf, (1.0, 0.0, 0.0)
    s, t = weights_on_segment(a, b)
    size = length_squared(add_scaled(scale(a, s), b, t))
    if size < best:
        best, weights = size, (s, t, 0.0)
    s, t = weights_on_segment(a, c)
    size = length_squared(add_scaled(scale(a, s), c, t))
    if size < best:
        best, weights = size, (s, 0.0, t)
    s, t = weights_on_segment(b, c)
    size = length_squared(add_scaled(scale(b, s), c, t))
    if size < best:
        weights = (0.0, s, t)
    return weights


@kernel
def _solve_tetrahedron(simplex, every_side):
    """Compute weights for four points; all four positive if the origin is inside. `every_side`: test all sides, not only those
    that see the origin, which rounding makes unreliable where the tetrahedron is nearly flat; then the origin counts as
    outside."""
    best = math.inf
    w0, w1, w2, w3 = 0.0, 0.0, 0.0, 0.0
    inside = True
    for left_out in range(4):
        i = 1 if left_out == 0 else 0
        j = 2 if left_out <= 1 else 1
        k = 2 if left_out == 3 else 3
        a, b, c = row3(simplex.w, i), row3(simplex.w, j), row3(simplex.w, k)
        n = cross(subtract(b, a), subtract(c, a))
        to_corner = subtract(row3(simplex.w, left_out), a)
        corner_side, origin_side = dot(n, to_corner), -dot(n, a)
        is_flat = corner_side * corner_side <= 1e-24 * length_squared(n) * length_squared(to_corner)
        if not every_side and not is_flat and corner_side * origin_side >= 0.0:
            continue
        inside = False
        s, t, u = weights_on_triangle(a, b, c)
        size = length_squared(add_scaled(add_scaled(scale(a, s), b, t), c, u))
        if size < best:
            best = size
            w0 = s if i == 0 else 0.0
            w1 = s if i == 1 else (t if j == 1 else 0.0)
            w2 = t if j == 2 else (u if k == 2 else 0.0)
            w3 = u if k == 3 else 0.0
    if inside:
        w0, w1, w2, w3 = 0.25, 0.25, 0.25, 0.25
    simplex.weights[0], simplex.weights[1], simplex.weights[2], simplex.weights[3] = w0, w1, w2, w3
    return inside


@kernel
def nearest_of_simplex(simplex, every_side):
    """Weights of the point of the simplex nearest to the origin; `every_side` as in `_solve_tetrahedron`.

    Return (True, _) if the origin is inside of a tetrahedron, else (False, the point).
    """
    keep_as_call()
    if simplex.count == 1:
        simplex.weights[0] = 1.0
    elif simplex.count == 2:
        s, t = weights_on_segment(row3(simplex.w, 0), row3(simplex.w, 1))
        simplex.weights[0], simplex.weights[1] = s, t
    elif simplex.count == 3:
        s, t, u = weights_on_triangle(row3(simplex.w, 0), row3(simplex.w, 1), row3(simplex.w, 2))
        simplex.weights[0], simplex.weights[1], simplex.weights[2] = s, t, u
    elif _solve_tetrahedron(simplex, every_side):
        return True, (0.0, 0.0, 0.0)
    v = (0.0, 0.0, 0.0)
    for i in range(simplex.count):
        v = add_scaled(v, row3(simplex.w, i), simplex.weights[i])
    return False, v


@kernel
def drop_unused(simplex):
    """Keep the corners of a simplex that have a weight."""
    kept = 0
    for i in range(simplex.count):
        if simplex.weights[i] > 0.0:
            if kept != i:
                store_row3(simplex.w, kept, row3(simplex.w, i))
                store_row3(simplex.a, kept, row3(simplex.a, i))
                simplex.weights[kept] = simplex.weights[i]
            kept += 1
    simplex.count = kept


@kernel
def gjk_distance(a, b, simplex, start):
    """Find the nearest points of two cores `a` and `b` (rows of CORE). `start` is a guess of (point of A) - (point of B).

    Return (overlap, v, point on A): v = point on A - point on B, zero if they overlap or touch (distance below 1e-10 of their
    size). `simplex` (a row of SIMPLEX) holds the last simplex; penetration starts from it.
    """
    keep_as_call()
    v = start
    if length_squared(v) < 1e-20:
        v = (1.0, 0.0, 0.0)
    simplex.count = 0
    size, best, apart = 0.0, math.inf, 0.0
    overlap = False
    for _ in range(MAX_ITERATIONS):
        on_a = support(a, (-v[0], -v[1], -v[2]))
        w = subtract(on_a, support(b, v))
        along = dot(v, w)
        if along > 0.0:  # a plane parts them: they are at least so far apart (squared)
            apart = max(apart, along * along / length_squared(v))
        if simplex.count > 0:
            if best - along <= 1e-11 * best + 1e-20 * size:
                break
            known = False
            for i in range(simplex.count):
                known |= w[0] == simplex.w[i, 0] and w[1] == simplex.w[i, 1] and w[2] == simplex.w[i, 2]
            if known:
                break
        size = max(size, length_squared(w))
        last_count = simplex.count
        store_row3(simplex.w, last_count, w)
        store_row3(simplex.a, last_count, on_a)
        simplex.count = last_count + 1
        overlap, nearer = nearest_of_simplex(simplex, False)
        if apart > 1e-16 * size if overlap else length_squared(nearer) >= best:
            # Rounding: the simplex is nearly flat.
            overlap, nearer = nearest_of_simplex(simplex, True)
            if length_squared(nearer) >= best:  # what was nearest before is
                simplex.count = last_count
                _, v = nearest_of_simplex(simplex, False)
                break
        v = nearer
        if overlap:
            break
        drop_unused(simplex)
        best = length_squared(v)
        if best <= 1e-20 * size:
            overlap = True
            break
    # Of a distance that small rounding has made a part, and maybe all: then no plane parts them along it.
    closeness = length_squared(v)
    overlap |= closeness <= 1e-12 * size and apart < 0.5 * closeness
    point = (0.0, 0.0, 0.0)
    for i in range(simplex.count):
        point = add_scaled(point, row3(simplex.a, i), simplex.weights[i])
    if overlap:
        v = (0.0, 0.0, 0.0)
    return overlap, v, point
