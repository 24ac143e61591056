"""Nearest points of segments, boxes and polygons."""

from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from .vector import add, add_scaled, dot, length_squared, scale, subtract


@kernel
def nearest_on_segment(p, q, point):
    """Parameter in [0, 1] along pq of the point nearest to `point`."""
    d = subtract(q, p)
    size = length_squared(d)
    if size <= 0.0:
        return 0.0
    return min(max(dot(subtract(point, p), d) / size, 0.0), 1.0)


@kernel
def nearest_of_segments(p1, q1, p2, q2):
    """Parameters in [0, 1] along p1q1 and p2q2 of their nearest points (C. Ericson, "Real-Time Collision Detection",
    5.1.9).

    For parallel segments: the middle of where they overlap.
    """
    keep_as_call()
    d1, d2, r = subtract(q1, p1), subtract(q2, p2), subtract(p1, p2)
    a, e, f = length_squared(d1), length_squared(d2), dot(d2, r)
    if a <= 1e-30 and e <= 1e-30:
        return 0.0, 0.0
    if a <= 1e-30:
        return 0.0, min(max(f / e, 0.0), 1.0)
    c = dot(d1, r)
    if e <= 1e-30:
        return min(max(-c / a, 0.0), 1.0), 0.0
    b = dot(d1, d2)
    denominator = a * e - b * b
    if denominator > 1e-12 * a * e:
        s = min(max((b * f - c * e) / denominator, 0.0), 1.0)
    else:
        first, last = -c / a, (b - c) / a  # the ends of the second segment, along the first
        low, high = max(min(first, last), 0.0), min(max(first, last), 1.0)
        s = min(max(0.5 * (low + high), 0.0), 1.0)
    t = (b * s + f) / e
    if t < 0.0:
        t = 0.0
        s = min(max(-c / a, 0.0), 1.0)
    elif t > 1.0:
        t = 1.0
        s = min(max((b - c) / a, 0.0), 1.0)
    return s, t


@kernel
def nearest_on_triangle(a, b, c, point):
    """The point of a triangle nearest to `point` (C. Ericson, "Real-Time Collision Detection", 5.1.5)."""
    ab, ac, way = subtract(b, a), subtract(c, a), subtract(point, a)
    d1, d2 = dot(ab, way), dot(ac, way)
    if d1 <= 0.0 and d2 <= 0.0:
        return a
    way = subtract(point, b)
    d3, d4 = dot(ab, way), dot(ac, way)
    if d3 >= 0.0 and d4 <= d3:
        return b
    vc = d1 * d4 - d3 * d2
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        return add_scaled(a, ab, d1 / (d1 - d3))
    way = subtract(point, c)
    d5, d6 = dot(ab, way), dot(ac, way)
    if d6 >= 0.0 and d5 <= d6:
        return c
    vb = d5 * d2 - d1 * d6
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        return add_scaled(a, ac, d2 / (d2 - d6))
    va = d3 * d6 - d5 * d4
    if va <= 0.0 and d4 >= d3 and d5 >= d6:
        return between(b, c, (d4 - d3) / ((d4 - d3) + (d5 - d6)))
    share = 1.0 / (va + vb + vc)
    return add(a, add(scale(ab, vb * share), scale(ac, vc * share)))


@kernel
def between(p, q, t):
    """The point at parameter t from p to q."""
    return add_scaled(p, subtract(q, p), t)
