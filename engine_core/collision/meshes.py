"""A convex shape against a triangle mesh, in the mesh's frame.

Each triangle near the shape makes a small manifold; those with similar normals are merged and reduced to four points. To keep a
body from catching on inner edges, a contact whose normal comes from an inactive edge or corner of a triangle is made anew with
the triangle's own normal, from the part of the body above the triangle.
"""

import math

import numpy as np

from ..geometry.angles import circle_point
from ..geometry.clipping import POLYGON, add_corner
from ..geometry.gjk import CORE
from ..geometry.polytopes import (
    POLYTOPE,
    POLYTOPE_MEMORY,
    plane_distance,
    plane_normal,
    triangle_polytope,
    vertex,
)
from ..geometry.segments import between
from ..geometry.vector import (
    add_scaled,
    cross,
    dot,
    length_squared,
    negate,
    perpendicular,
    store3,
    subtract,
    vector3,
)
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array
from ..shapes.core import core_reach
from ..shapes.mesh_query import (
    MESH_QUERY_SIZE,
    mesh_active_edges,
    mesh_corners,
    mesh_face,
    mesh_of,
    mesh_query_next,
    mesh_query_start,
)
from ..shapes.schema import CYLINDER, SPHERE
from ..shapes.traits import is_round, is_support_shape
from .active_edges import ZERO, choose_across, foot_at, foot_of, judge_contact
from .convex import load_polytope
from .cylinders import PLACED_CYLINDER, collide_cylinder_polytope, cylinder_on_face, place_cylinder
from .hulls import collide_polytopes, face_contact
from .leaning import load_in_plane, pass_load
from .reduce import ALL_SIDES, open_sides, reduce_points
from .round_shapes import clip_segment_to_face, collide_segment_polytope, segment_of, write_segment_points
from .schema import CONTACT_RESULT, MAX_POINTS, MAX_RESULTS
from .support_shapes import collide_support_polytope, place_support, size_of_shape, support_on_face

LIKE_NORMALS = circle_point(math.radians(5.0))[0]
SAME_POINT = 1e-3
"""Points of neighbouring triangles closer than this are the same [m]."""
IN_PLANE = 1e-3
"""A point this near to the plane of a triangle is in it [m]."""
MUCH_DEEPER = 0.01
"""A contact that is deep, and deeper than another by more than this [m], is none where the body leaves the mesh by the other."""
MAX_CLUSTER_POINTS = 24
CLIPPED = 0x80000000
"""Bit of a feature: the point is not a corner of the body and changes with the triangle."""

CLUSTER = np.dtype(
    [
        ("seed", "f8", 3),  # normal of the first contact, compared with those of the next ones
        ("normal", "f8", 3),  # of the deepest contact
        ("is_strong", "i8"),  # at least one contact is with the inside of a triangle or an active edge
        ("plane", "f8", 4),  # of the deepest contact's triangle: its normal, and its distance from the origin [m]; 0: of a brick
        ("face", "i8"),
        ("deepest", "f8"),
        ("open_sides", "i8"),  # as in CONTACT_RESULT
        ("count", "i8"),
        ("points", "f8", (MAX_CLUSTER_POINTS, 3)),
        ("separations", "f8", MAX_CLUSTER_POINTS),
        ("features", "i8", MAX_CLUSTER_POINTS),
    ],
    align=True,
)


@kernel
def _keep_four(cluster, polygon, given):
    """Reduce the points of a cluster to four, in place. `given`: the result with the load."""
    keep_as_call()
    n = vector3(cluster.normal)
    u = perpendicular(n)
    v = cross(n, u)
    polygon.count = 0
    origin = vector3(cluster.points[0])
    for corners in (True, False):  # the body's own corners first: the first of equal points stays
        for i in range(cluster.count):
            if (cluster.features[i] < CLIPPED) == corners:
                d = subtract(vector3(cluster.points[i]), origin)
                add_corner(polygon, dot(d, u), dot(d, v), cluster.separations[i], i)
    keep = stack_array(MAX_POINTS, np.int64)
    count = reduce_points(polygon, keep, 0.0, 0.0, load_in_plane(given, origin, u, v, n))
    # The chosen points move to the front in the order found, so that none is overwritten before it is read.
    for i in range(1, count):
        for j in range(i, 0, -1):
            if polygon.edge[keep[j]] < polygon.edge[keep[j - 1]]:
                keep[j], keep[j - 1] = keep[j - 1], keep[j]
    cluster.open_sides |= open_sides(polygon, keep, count)
    for i in range(count):
        keep[i] = polygon.edge[keep[i]]
        store3(cluster.points[i], vector3(cluster.points[keep[i]]))
        cluster.separations[i] = cluster.separations[keep[i]]
        cluster.features[i] = cluster.features[keep[i]]
    cluster.count = count


@kernel
def _add_point(cluster, point, separation, feature, only_deepest, polygon, given):
    """Add a point to a cluster, or replace one at the same place."""
    same = -1
    for i in range(cluster.count):
        if only_deepest or length_squared(subtract(point, vector3(cluster.points[i]))) < SAME_POINT * SAME_POINT:
            same = i
    if same >= 0:
        higher = separation - cluster.separations[same]
        # A corner of the body wins over a cut point at the same place: its feature stays.
        is_corner_now = feature < CLIPPED <= cluster.features[same]
        if higher >= 0.0 and not (is_corner_now and higher < SAME_POINT and not only_deepest):
            return
    if same < 0:
        if cluster.count == MAX_CLUSTER_POINTS:
            _keep_four(cluster, polygon, given)
        same = cluster.count
        cluster.count = same + 1
    store3(cluster.points[same], point)
    cluster.separations[same] = separation
    cluster.features[same] = feature


@kernel
def _start_cluster(cluster, result):
    store3(cluster.seed, vector3(result.normal))
    cluster.count = cluster.open_sides = 0
    cluster.deepest = math.inf
    cluster.is_strong = 0


@kernel
def add_to_clusters(result, plane, face, is_strong, is_round, clusters, count, polygon):
    """Merge a triangle's manifold into the cluster with its normal. `plane`: (normal, distance from the origin [m]) of the
    triangle. Return the new number of clusters.

    Weak contacts (corrected ones beside their triangle) count only if there is no strong one.
    """
    keep_as_call()
    deepest = math.inf
    for i in range(result.point_count):
        deepest = min(deepest, result.separations[i])
    normal = vector3(result.normal)
    best, like = -1, LIKE_NORMALS
    for i in range(count):
        along = dot(normal, vector3(clusters[i].seed))
        if along > like:
            best, like = i, along
    if best < 0:
        if count < MAX_RESULTS:
            best = count
            count += 1
        else:
            # Full: the shallowest is replaced.
            best = 0
            for i in range(1, count):
                if clusters[i].deepest > clusters[best].deepest:
                    best = i
            if deepest >= clusters[best].deepest:
                return count
        _start_cluster(clusters[best], result)
    cluster = clusters[best]
    if is_strong != (cluster.is_strong != 0):
        if is_strong:
            _start_cluster(cluster, result)
            cluster.is_strong = 1
        elif cluster.count > 0:
            return count
    if deepest < cluster.deepest:
        cluster.deepest = deepest
        cluster.face = face
        store3(cluster.plane, plane[0])
        cluster.plane[3] = plane[1]
        store3(cluster.normal, normal)
    if result.point_count >= 3 and result.open_sides != 0:
        # Of several triangles it is not known on which side corners were left out.
        cluster.open_sides = result.open_sides if cluster.count == 0 else ALL_SIDES
    for i in range(result.point_count):
        feature = np.int64(result.features[i])
        _add_point(cluster, vector3(result.points[i]), result.separations[i], feature, is_round, polygon, result)
    return count


@kernel
def is_beyond_edge(weak, clusters, count):
    """Whether a strong contact is deeper than a weak one, and in the plane of its triangle: the body is above the neighbour of
    that triangle or at the neighbour's active edge, a curb's, and would stop at the triangle as at a wall."""
    for c in range(count):
        if clusters[c].is_strong != 0 and clusters[c].deepest < weak.deepest:
            if abs(dot(vector3(weak.plane), foot_of(clusters[c], clusters[c].count)) - weak.plane[3]) < IN_PLANE:
                return True
    return False


@kernel
def is_left_by_another(deep, clusters, count):
    """Whether a body that leaves the mesh along the normal of a shallower contact leaves all points of a deep one, too.

    A triangle inside a surface pushes along its own normal only. A body that runs into the side of a plateau overlaps its top by
    a millimetre at the border, half of its own height deep: the side alone pushes it out, and the top does not lift it."""
    for c in range(count):
        if deep.deepest < min(clusters[c].deepest, 0.0) - MUCH_DEEPER:
            normal = vector3(clusters[c].normal)
            surface = dot(normal, foot_of(clusters[c], clusters[c].count)) - IN_PLANE
            is_left = True
            for i in range(deep.count):
                is_left = is_left and dot(normal, foot_at(deep, i)) >= surface
            if is_left:
                return True
    return False


@kernel
def drop_no_contacts(clusters, count):
    """Remove clusters that are no contacts. Return the new number of clusters."""
    kept = 0
    for c in range(count):
        is_none = clusters[c].is_strong == 0 and is_beyond_edge(clusters[c], clusters, count)
        if not is_none and not is_left_by_another(clusters[c], clusters, count):
            if kept != c:
                clusters[kept] = clusters[c]
            kept += 1
    return kept


@kernel
def write_clusters(clusters, count, results, polygon, given):
    """Write each cluster as a result of at most four points. `given`: a result with the load."""
    keep_as_call()
    for c in range(count):
        cluster, result = clusters[c], results[c]
        if cluster.count > MAX_POINTS:
            cluster.open_sides = ALL_SIDES if cluster.open_sides != 0 else 0
            _keep_four(cluster, polygon, given)
        result.open_sides = cluster.open_sides
        store3(result.normal, vector3(cluster.normal))
        result.face = cluster.face
        result.point_count = cluster.count
        for i in range(cluster.count):
            store3(result.points[i], vector3(cluster.points[i]))
            result.separations[i] = cluster.separations[i]
            result.features[i] = np.uint32(cluster.features[i])


@kernel
def name_features(result, triangle):
    """Make the features of different triangles differ; a corner of the body keeps its feature everywhere."""
    for i in range(result.point_count):
        feature = np.int64(result.features[i])
        is_corner_of_body = feature >> 16 & 1 == 1 and feature & 0x8080 == 0 and feature < 0x10000000
        if not is_corner_of_body:
            result.features[i] = np.uint32((feature ^ (triangle + 1) * 0x9E3779B1) & 0x7FFFFFFF | CLIPPED)


@kernel
def triangle_of_feature(feature):
    """The triangle of the only point of a ball's contact, by the feature from `name_features`; for other features any number."""
    return (((feature & 0x7FFFFFFF) ^ 1) * 0xE8B2F51 & 0x7FFFFFFF) - 1


@kernel
def polytope_reach(polytope, direction):
    """How far a polytope reaches along a unit vector, from the common origin [m]."""
    reach = -math.inf
    for i in range(polytope.vertex_count):
        reach = max(reach, dot(direction, vertex(polytope, i)))
    return reach + polytope.radius


@kernel
def collide_polytope_triangle(a, mesh, triangle, active_edges, limit, polygons, result):
    """Collide polytope A with the front of a triangle of a mesh. Return the number of points."""
    keep_as_call()
    at = across = ZERO
    if active_edges != 0:
        count, _ = collide_polytopes(a, triangle, limit, np.int64(0), polygons, result)
        if count == 0:
            return 0
        is_true, at, across = judge_contact(mesh, triangle, result, active_edges)
        if is_true:
            return count
    count, _, _ = face_contact(a, triangle, True, np.int64(0), limit, polygons, result)
    if across != ZERO:
        return choose_across(result, count, at, across, polytope_reach(a, across), limit)
    return count


@kernel
def collide_segment_triangle(radius, p, q, mesh, triangle, active_edges, limit, result):
    """Collide sphere or capsule A with the front of a triangle of a mesh: (number of points, whether the contact is strong)."""
    keep_as_call()
    count = collide_segment_polytope(radius, p, q, triangle, limit, result)
    if count == 0:
        return 0, True
    # Across an edge that goes on at a corner, the next triangle is nearer.
    is_true, _, _ = judge_contact(mesh, triangle, result, active_edges)
    if is_true:
        return count, True
    front = plane_normal(triangle, 0)
    low, high = clip_segment_to_face(p, q, triangle, 0)
    if low <= high:
        a, b = between(p, q, low), between(p, q, high)
        d = plane_distance(triangle, 0)
        count = write_segment_points(
            result, negate(front), radius, a, dot(front, a) - d, b, dot(front, b) - d, limit
        )
        if low == high:
            result.point_count = min(count, 1)
        return result.point_count, True
    # The point goes where the body would touch along the new normal: off that line, turning would look like an approach.
    reach = radius + 0.5 * result.separations[0]
    middle = add_scaled(vector3(result.points[0]), vector3(result.normal), -reach)
    store3(result.points[0], add_scaled(middle, front, -reach))
    store3(result.normal, negate(front))
    result.point_count = 1
    return 1, False


@kernel
def collide_cylinder_triangle(cylinder, core, mesh, triangle, active_edges, limit, polygons, result):
    """Collide cylinder A with the front of a triangle of a mesh. Return the number of points."""
    keep_as_call()
    at = across = ZERO
    if active_edges != 0:
        count = collide_cylinder_polytope(cylinder, core, triangle, limit, polygons, result)
        if count == 0:
            return 0
        is_true, at, across = judge_contact(mesh, triangle, result, active_edges)
        if is_true:
            return count
    count, _ = cylinder_on_face(cylinder, triangle, np.int64(0), limit, polygons, result)
    if across != ZERO:
        return choose_across(result, count, at, across, core_reach(core, 0.0, across), limit)
    return count


@kernel
def collide_support_triangle(core, radius, size, start, mesh, triangle, active_edges, limit, polygons, result):
    """Collide core A with its radius with the front of a triangle of a mesh. Return the number of points."""
    keep_as_call()
    at = across = ZERO
    if active_edges != 0:
        count = collide_support_polytope(core, radius, size, start, triangle, limit, polygons, result)
        if count == 0:
            return 0
        is_true, at, across = judge_contact(mesh, triangle, result, active_edges)
        if is_true:
            return count
    count, _ = support_on_face(core, radius, size, triangle, np.int64(0), limit, polygons, result)
    if across != ZERO:
        return choose_across(result, count, at, across, core_reach(core, radius, across), limit)
    return count


@kernel
def start_bounds(bounds):
    for k in range(3):
        bounds[k], bounds[3 + k] = math.inf, -math.inf


@kernel
def grow_bounds(bounds, p, margin):
    for k in range(3):
        bounds[k] = min(bounds[k], p[k] - margin)
        bounds[3 + k] = max(bounds[3 + k], p[k] + margin)


@kernel
def place_beside_mesh(a, position, rows, p, q, limit, cylinder, core, memory, polytope, bounds):
    """Write convex shape A in the mesh's frame in the form its kind is collided in, and the bounds in which triangles are
    searched. `p`, `q`: its segment, if it is round. Return its radius and its centre."""
    start_bounds(bounds)
    radius, center = np.float64(a.radius), position
    if is_round(a):
        grow_bounds(bounds, p, radius + limit)
        grow_bounds(bounds, q, radius + limit)
    elif is_support_shape(a):
        radius = place_support(a, position, rows, core)
        for k in range(3):
            axis = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
            bounds[k] = -core_reach(core, radius, negate(axis)) - limit
            bounds[3 + k] = core_reach(core, radius, axis) + limit
    elif a.kind == CYLINDER:
        place_cylinder(a, position, rows, cylinder, core)
        for k in range(3):
            reach = radius * math.sqrt(max(1.0 - rows[k][1] ** 2, 0.0)) + a.half_height * abs(rows[k][1]) + limit
            bounds[k], bounds[3 + k] = position[k] - reach, position[k] + reach
    else:
        load_polytope(a, position, rows, memory, polytope)
        center = vector3(polytope.center)
        for i in range(polytope.vertex_count):
            grow_bounds(bounds, vertex(polytope, i), polytope.radius + limit)
    return radius, center


@kernel
def collide_mesh(a, b, position, rows, limit, results):
    """Collide convex shape A at (`position`, `rows`) with mesh B. Return the number of results."""
    keep_as_call()
    memory = stack_array(2, POLYTOPE_MEMORY)
    polytopes = stack_array(2, POLYTOPE)
    polygons = stack_array(2, POLYGON)
    clusters = stack_array(MAX_RESULTS, CLUSTER)
    scratch = stack_array(1, CONTACT_RESULT)[0]
    store3(scratch.slide, (0.0, 0.0, 0.0))
    pass_load(results[0], scratch)
    bounds = stack_array(6, np.float64)
    cylinder, core = stack_array(1, PLACED_CYLINDER)[0], stack_array(1, CORE)[0]
    has_segment = is_round(a)
    p, q = segment_of(a, position, rows)
    polytope, triangle = polytopes[0], polytopes[1]
    radius, center = place_beside_mesh(a, position, rows, p, q, limit, cylinder, core, memory[0], polytope, bounds)
    mesh = mesh_of(b)
    query = stack_array(MESH_QUERY_SIZE, np.int64)
    mesh_query_start(query)
    count = 0
    number = mesh_query_next(mesh, query, bounds)
    while number >= 0:
        c0, c1, c2 = mesh_corners(mesh, number)
        if triangle_polytope(c0, c1, c2, memory[1], triangle):
            is_behind = dot(plane_normal(triangle, 0), center) < plane_distance(triangle, 0)
            is_wanted = not is_behind
            active_edges = mesh_active_edges(mesh, number, is_behind)
            if is_behind and b.has_backface_collision != 0:
                # Seen from behind: corners and edges in reverse order.
                triangle_polytope(c0, c2, c1, memory[1], triangle)
                active_edges = active_edges >> 2 & 1 | active_edges & 2 | (active_edges & 1) << 2
                is_wanted = True
            if is_wanted:
                is_strong = True
                if has_segment:
                    points, is_strong = collide_segment_triangle(radius, p, q, mesh, triangle, active_edges, limit, scratch)
                elif is_support_shape(a):
                    size, start = size_of_shape(a), subtract(center, c0)
                    points = collide_support_triangle(
                        core, radius, size, start, mesh, triangle, active_edges, limit, polygons, scratch
                    )
                elif a.kind == CYLINDER:
                    points = collide_cylinder_triangle(cylinder, core, mesh, triangle, active_edges, limit, polygons, scratch)
                else:
                    points = collide_polytope_triangle(polytope, mesh, triangle, active_edges, limit, polygons, scratch)
                if points > 0:
                    name_features(scratch, number)
                    only_deepest = a.kind == SPHERE
                    face = mesh_face(mesh, number)
                    plane = plane_normal(triangle, 0), plane_distance(triangle, 0)
                    count = add_to_clusters(scratch, plane, face, is_strong, only_deepest, clusters, count, polygons[0])
        number = mesh_query_next(mesh, query, bounds)
    count = drop_no_contacts(clusters, count)
    write_clusters(clusters, count, results, polygons[0], scratch)
    return count
