"""How much of a convex shape is below a plane: volume, and volume times centroid.

A closed surface of triangles holds the sum of the tetrahedra from its triangles to one point (the divergence theorem). That point
is on the plane here, so the cut, which is in the plane, adds nothing: the triangles are clipped at the plane and nothing is
closed. Balls have a formula. Round shapes are taken as the points of their surface in 130 directions; the volume below the plane
is then scaled by the ratio of the shape's own volume to that of these points.
"""

import math

import numpy as np

from ..geometry.angles import sine_cosine
from ..geometry.gjk import CORE, support
from ..geometry.vector import add_scaled, cross, dot, scale, subtract, vector3
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array, view
from ..shapes.core import IDENTITY_ROWS, ZERO, describe_core, set_core_pose
from ..shapes.schema import BOX, HULL, HULL_BLOCK, SPHERE

RINGS, SECTORS = 8, 16
POINT_COUNT = RINGS * SECTORS + 2
NUMBERS = 3 * POINT_COUNT
SUM = 5
"""Numbers of a sum: the volume below the plane [m^3], volume times centroid (3), and the volume of all triangles."""


@kernel
def add_tetrahedron(total, a, b, c):
    """Add the tetrahedron from a triangle to the origin, which is on the plane."""
    volume = dot(a, cross(b, c)) / 6.0
    total[0] += volume
    for k in range(3):
        total[1 + k] += 0.25 * volume * (a[k] + b[k] + c[k])


@kernel
def cut(a, b, height_a, height_b):
    """Where the edge from `a` to `b` goes through the plane."""
    return add_scaled(a, subtract(b, a), height_a / (height_a - height_b))


@kernel
def add_corner(total, a, b, c, heights):
    """Add the part below the plane of a triangle whose corner `a` alone is on its side of the plane."""
    to_b, to_c = cut(a, b, heights[0], heights[1]), cut(a, c, heights[0], heights[2])
    if heights[0] < 0.0:
        add_tetrahedron(total, a, to_b, to_c)
    else:
        add_tetrahedron(total, to_b, b, c)
        add_tetrahedron(total, to_b, c, to_c)


@kernel
def add_triangle(total, a, b, c, normal):
    """Add a triangle, counter-clockwise seen from outside. `a`, `b`, `c`: from a point of the plane."""
    total[4] += dot(a, cross(b, c)) / 6.0
    ha, hb, hc = dot(normal, a), dot(normal, b), dot(normal, c)
    below = (ha < 0.0) + (hb < 0.0) + (hc < 0.0)
    if below == 0:
        return
    if below == 3:
        add_tetrahedron(total, a, b, c)
    elif (ha < 0.0) != (hb < 0.0) and (ha < 0.0) != (hc < 0.0):
        add_corner(total, a, b, c, (ha, hb, hc))
    elif (hb < 0.0) != (hc < 0.0) and (hb < 0.0) != (ha < 0.0):
        add_corner(total, b, c, a, (hb, hc, ha))
    else:
        add_corner(total, c, a, b, (hc, ha, hb))


@kernel
def point_of(points, number, from_point):
    """One of the points, from a point of the plane."""
    return subtract((points[3 * number], points[3 * number + 1], points[3 * number + 2]), from_point)


@kernel
def add_box(total, half, normal, from_point):
    """Add the twelve triangles of a box."""
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for side in range(2):
            sign = 1.0 - 2.0 * side
            corners = stack_array(12, np.float64)
            for k in range(4):  # counter-clockwise about the axis; the other way round on the far side
                turn = k if side == 0 else 3 - k
                corners[3 * k + axis] = sign * half[axis]
                corners[3 * k + u] = half[u] if turn == 0 or turn == 3 else -half[u]
                corners[3 * k + v] = half[v] if turn < 2 else -half[v]
            a, c = point_of(corners, 0, from_point), point_of(corners, 2, from_point)
            add_triangle(total, a, point_of(corners, 1, from_point), c, normal)
            add_triangle(total, a, c, point_of(corners, 3, from_point), normal)


@kernel
def add_hull(total, block, normal, from_point):
    """Add the faces of a hull, as fans of triangles."""
    vertices = view(block.vertices, 3 * block.vertex_count, np.float32)
    starts = view(block.face_starts, block.face_count + 1, np.int32)
    corners = view(block.face_vertices, starts[block.face_count], np.int32)
    for face in range(block.face_count):
        a = point_of(vertices, corners[starts[face]], from_point)
        for k in range(starts[face] + 1, starts[face + 1] - 1):
            b = point_of(vertices, corners[k], from_point)
            add_triangle(total, a, b, point_of(vertices, corners[k + 1], from_point), normal)


@kernel
def write_points(shape, points):
    """Write the points of a shape's surface that are farthest in the directions of a globe: the poles, and rings about y."""
    core = stack_array(1, CORE)[0]
    set_core_pose(shape, core, ZERO, IDENTITY_ROWS)
    radius = describe_core(shape, core)
    for number in range(POINT_COUNT):
        across, up, x, z = 0.0, 1.0 if number == 0 else -1.0, 0.0, 0.0
        if 0 < number < POINT_COUNT - 1:
            across, up = sine_cosine(math.pi * ((number - 1) // SECTORS + 1) / (RINGS + 1))
            z, x = sine_cosine(2.0 * math.pi * ((number - 1) % SECTORS) / SECTORS)
        direction = (across * x, up, across * z)
        point = add_scaled(support(core, direction), direction, radius)
        for k in range(3):
            points[3 * number + k] = point[k]


@kernel
def add_round(total, shape, normal, from_point):
    """Add the triangles between the points of `write_points`."""
    points = stack_array(NUMBERS, np.float64)
    write_points(shape, points)
    top, bottom = point_of(points, 0, from_point), point_of(points, POINT_COUNT - 1, from_point)
    for sector in range(SECTORS):
        beside = (sector + 1) % SECTORS
        a, b = point_of(points, 1 + sector, from_point), point_of(points, 1 + beside, from_point)
        add_triangle(total, top, b, a, normal)
        for ring in range(1, RINGS):
            d = point_of(points, 1 + ring * SECTORS + sector, from_point)
            c = point_of(points, 1 + ring * SECTORS + beside, from_point)
            add_triangle(total, a, b, c, normal)
            add_triangle(total, a, c, d, normal)
            a, b = d, c
        add_triangle(total, a, b, bottom, normal)


@kernel
def below_in_ball(radius, normal, height):
    """`displaced` of a ball about the origin whose centre is `height` above the plane (negative: below)."""
    t = min(max(radius - height, 0.0), 2.0 * radius)  # the bounds of a turned ball reach farther than the ball
    volume = math.pi * t * t * (3.0 * radius - t) / 3.0
    middle = 0.75 * (2.0 * radius - t) * (2.0 * radius - t) / (3.0 * radius - t)
    return volume, scale(normal, -middle * volume)


@kernel
def displaced(shape, normal, distance):
    """(volume [m^3], volume times centroid [m^4]) of what is below the plane `normal . x = distance`, in the shape's frame. Zero
    for shapes without volume."""
    volume = np.float64(shape.volume)
    b = shape.bounds
    center = (0.5 * (b[0] + np.float64(b[3])), 0.5 * (b[1] + np.float64(b[4])), 0.5 * (b[2] + np.float64(b[5])))
    reach = 0.5 * (abs(normal[0]) * (b[3] - b[0]) + abs(normal[1]) * (b[4] - b[1]) + abs(normal[2]) * (b[5] - b[2]))
    height = dot(normal, center) - distance
    if volume <= 0.0 or height >= reach:
        return 0.0, ZERO
    if height <= -reach:
        return volume, scale(vector3(shape.center_of_mass), volume)
    if shape.kind == SPHERE:
        return below_in_ball(np.float64(shape.radius), normal, -distance)
    from_point = add_scaled(center, normal, -height)
    total = stack_array(SUM, np.float64)
    total[:] = 0.0
    if shape.kind == BOX:
        add_box(total, vector3(shape.half_extents), normal, from_point)
    elif shape.kind == HULL and shape.radius == 0.0:
        add_hull(total, view(shape.block, 1, HULL_BLOCK)[0], normal, from_point)
    else:
        add_round(total, shape, normal, from_point)
    if total[4] <= 0.0:
        return 0.0, ZERO
    found = total[0] * volume / total[4]
    moment = scale((total[1], total[2], total[3]), volume / total[4])
    return found, add_scaled(moment, from_point, found)
