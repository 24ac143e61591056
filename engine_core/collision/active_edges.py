"""Which contacts with a triangle of a mesh are true: those with its front, and with its active edges and corners.

An edge is active where the surface ends or bends outwards. It may push along any direction between the normals of its sides, all
at right angles to it. A corner where such an edge goes straight on is no corner of the solid: of the next triangle ahead only the
tip is near a body that slides along a border, and the nearest direction from it points back along the way. So a corner may push
only along directions beyond which no edge of the mesh reaches from there.
"""

import math

import numpy as np

from ..geometry.angles import circle_point
from ..geometry.polytopes import plane_normal, vertex
from ..geometry.vector import add_scaled, cross, dot, length_squared, scale, subtract, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array
from ..shapes.mesh_query import MESH_QUERY_SIZE, mesh_corners, mesh_query_next, mesh_query_start
from .convex import write_single_contact

ZERO = (0.0, 0.0, 0.0)
FLAT = 0.02
"""An edge is hit along its length within this of a right angle to the normal (sine)."""
WHOLE_FACE = -circle_point(math.radians(3.0))[0]
"""A triangle whose normal is within this angle of the opposite of the contact's is hit with the whole face (cosine), if two of
its edges are flat on it, too."""
NOT_PUSHED_BACK = 0.02
"""A contact may push a body towards the back of a triangle at most this much (sine of the angle)."""
LEAST_ACROSS = 0.1
"""A normal that is closer to the direction of an edge than this does not say which way across the edge is near (sine)."""
AT_CORNER = 1e-3
"""A contact this near to a corner is with the corner [m]."""
STEEP = 0.25
"""A body is at the end of an edge, not beside it, if the normal is farther from a right angle to the edge than this (sine)."""
ACROSS = 3
"""Feature of a contact that is turned across an edge."""


@kernel
def corner_against(triangle, normal):
    """The corner of a triangle farthest against `normal` (from A to the triangle), and how steeply its edges to the next and from
    the previous corner rise from there (sine of the angle)."""
    lowest, corner = math.inf, 0
    for k in range(3):
        along = dot(normal, vertex(triangle, k))
        if along < lowest:
            lowest, corner = along, k
    at = vertex(triangle, corner)
    to_next, to_previous = subtract(vertex(triangle, (corner + 1) % 3), at), subtract(vertex(triangle, (corner + 2) % 3), at)
    rise_next = dot(normal, to_next) / math.sqrt(length_squared(to_next))
    rise_previous = dot(normal, to_previous) / math.sqrt(length_squared(to_previous))
    return corner, rise_next, rise_previous


@kernel
def touches_active_edge(triangle, normal, active_edges):
    """Whether the corner, edge or face of a triangle farthest against `normal` (from A to the triangle) may make a contact with
    this normal, as far as this triangle tells."""
    keep_as_call()
    if active_edges == 7:
        return True
    corner, rise_next, rise_previous = corner_against(triangle, normal)
    on_next, on_previous = active_edges >> corner & 1, active_edges >> (corner + 2) % 3 & 1
    # Edges at right angles to the normal are hit along their length.
    if max(rise_next, rise_previous) <= FLAT and dot(normal, plane_normal(triangle, 0)) < WHOLE_FACE:
        return False  # its own normal is right
    if min(rise_next, rise_previous) > FLAT:
        return on_next != 0 or on_previous != 0
    # Of a slender triangle, a curb of ten metres, two edges are nearly at right angles to the normal: the body is on the flatter.
    return on_next != 0 if rise_next <= rise_previous else on_previous != 0


@kernel
def reach_beyond(mesh, at, normal):
    """Find the edge from a corner of a mesh that reaches farthest against `normal`: (its unit direction, the sine of the angle by
    which it does)."""
    keep_as_call()
    query, bounds = stack_array(MESH_QUERY_SIZE, np.int64), stack_array(6, np.float64)
    for k in range(3):
        bounds[k] = bounds[3 + k] = at[k]
    most, way = -2.0, ZERO
    mesh_query_start(query)
    number = mesh_query_next(mesh, query, bounds)
    while number >= 0:
        corners = mesh_corners(mesh, number)
        for k in range(3):
            if corners[k][0] == at[0] and corners[k][1] == at[1] and corners[k][2] == at[2]:
                for other in (corners[(k + 1) % 3], corners[(k + 2) % 3]):
                    edge = subtract(other, at)
                    size = math.sqrt(length_squared(edge))
                    if size > 0.0 and -dot(normal, edge) > most * size:
                        most, way = -dot(normal, edge) / size, scale(edge, 1.0 / size)
        number = mesh_query_next(mesh, query, bounds)
    return way, most


@kernel
def turn_across(mesh, triangle, at, normal, way, active_edges):
    """Turn a normal across the edge along `way` at a corner; zero if the mesh admits no contact with the result."""
    across = add_scaled(normal, way, -dot(normal, way))
    size = math.sqrt(length_squared(across))
    if size < LEAST_ACROSS:
        return ZERO
    across = scale(across, 1.0 / size)
    if dot(across, plane_normal(triangle, 0)) >= NOT_PUSHED_BACK or not touches_active_edge(triangle, across, active_edges):
        return ZERO
    _, beyond = reach_beyond(mesh, at, across)
    return across if beyond <= FLAT else ZERO


@kernel
def foot_at(contact, i):
    """Point i of a contact or cluster of contacts, on the surface of the mesh [m]."""
    return add_scaled(vector3(contact.points[i]), vector3(contact.normal), 0.5 * contact.separations[i])


@kernel
def foot_of(contact, count):
    """The deepest of the `count` points of a contact or cluster of contacts, on the surface of the mesh [m]."""
    deepest = 0
    for i in range(1, count):
        if contact.separations[i] < contact.separations[deepest]:
            deepest = i
    return foot_at(contact, deepest)


@kernel
def is_nearer_next(triangle, corner, foot):
    """Whether a point of a triangle is nearer to the edge from a corner to the next one than to that from the previous one."""
    at = vertex(triangle, corner)
    way, to_next = subtract(foot, at), subtract(vertex(triangle, (corner + 1) % 3), at)
    to_previous = subtract(vertex(triangle, (corner + 2) % 3), at)
    off_next = length_squared(cross(way, to_next)) * length_squared(to_previous)
    return off_next <= length_squared(cross(way, to_previous)) * length_squared(to_next)


@kernel
def judge_contact(mesh, triangle, result, active_edges):
    """Judge a contact with a triangle: whether it may stay as it is; else the corner that it is with, and a normal across the
    edge that goes on there, which may be better than the triangle's own; zeros if there is none."""
    keep_as_call()
    normal = vector3(result.normal)
    facing = dot(normal, plane_normal(triangle, 0))
    if facing < -0.9999:
        return True, ZERO, ZERO
    if facing >= NOT_PUSHED_BACK or not touches_active_edge(triangle, normal, active_edges):
        return False, ZERO, ZERO
    corner, rise_next, rise_previous = corner_against(triangle, normal)
    if active_edges == 7 or min(rise_next, rise_previous) <= FLAT:
        return True, ZERO, ZERO
    at, foot = vertex(triangle, corner), foot_of(result, result.point_count)
    is_on_next = is_nearer_next(triangle, corner, foot)
    if length_squared(subtract(foot, at)) > AT_CORNER * AT_CORNER and (rise_next if is_on_next else rise_previous) < STEEP:
        # Hit along an edge, by a face of the body that is not quite at a right angle to it.
        return active_edges >> (corner if is_on_next else (corner + 2) % 3) & 1 != 0, ZERO, ZERO
    way, beyond = reach_beyond(mesh, at, normal)
    if beyond <= FLAT:
        return True, ZERO, ZERO
    return False, at, turn_across(mesh, triangle, at, normal, way, active_edges)


@kernel
def choose_across(result, count, at, across, reach, limit):
    """Replace a contact of `count` points with the triangle's own normal by one across the edge at `at`, if a body that reaches
    as far as `reach` along that is less deep in it; without points, if the body is not in it at all. Return the number of
    points."""
    deepest = math.inf if count > 0 else 0.0
    for i in range(count):
        deepest = min(deepest, result.separations[i])
    separation = dot(across, at) - reach
    if not deepest < separation <= limit:
        return count
    write_single_contact(result, across, add_scaled(at, across, -separation), at, separation, np.int64(ACROSS))
    return 1
