"""Smooth motion over flush shapes: contacts with the inner edges of a floor made of tiles are dropped.

A body slides on one tile towards the next. Collided on its own, the next tile offers its side or its upper edge, although beside
the first tile neither is exposed. Such a contact has three properties: all its points lie in the plane of a face on which the
body already stands, the other shape has a face in the same plane or one that goes on from there at an angle of up to 60 degrees,
as a floor does at the foot of a ramp, and the normal is not that face's. A lower face is ignored as well: a step down stops no
body, even if the body is deeper in the floor than the step is high. Meshes do the same by their active edges; this is for seams
between bodies, and between the shapes of one body.
"""

import math

import numpy as np

from ..bodies.schema import INSTANCE
from ..geometry.angles import circle_point
from ..geometry.vector import (
    add, add_scaled, cross, dot, length_squared, multiply, negate, normalize, quaternion, rotate, rotate_inverse, subtract,
    vector3,
)  # fmt: skip
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array, view, view2
from ..shapes.bricks import block_of, is_structure, place_of_brick, write_box
from ..shapes.compound import compound_of, is_compound, place_part
from ..shapes.mesh_query import MESH_QUERY_SIZE, mesh_corners, mesh_of, mesh_query_next, mesh_query_start
from ..shapes.schema import BOX, CYLINDER, FIRST_BRICK, HULL, HULL_BLOCK, MESH, NO_PART, PLANE, SHAPE
from .contact_points import contact_frames, contact_normal, contact_point
from .pairs import lists_of, manifolds_of, pairs_of, part_of
from .schema import LINEAR_SLOP, MANIFOLD_HAS_BRICKS, MANIFOLD_IS_SENSOR, SPECULATIVE_DISTANCE

FLUSH = LINEAR_SLOP
"""Faces whose planes are this close count as one [m]; less for small bodies, see `flush_distance`."""
FLUSH_PART_OF_SIZE = 0.2
ALIGNED = circle_point(math.radians(6.0))[0]
"""... and whose normals differ by less than this angle (cosine)."""
WALKED_ON = 0.5
"""The next shape may go on at an angle of up to 60 degrees (cosine): a floor at the foot of a ramp."""
SAME_NORMAL = 1e-6
"""Square of the sine below which two normals count as one."""


@kernel
def flush_distance(body):
    """The flush distance of a body [m]: its contact points are no farther off the plane."""
    return min(FLUSH, FLUSH_PART_OF_SIZE * np.float64(body.inner_radius))


@kernel
def box_face(half, point, up):
    """Normal of the face of a box most turned to `up`, and the height of `point` above it."""
    k = 0
    if abs(up[1]) > abs(up[0]):
        k = 1
    if abs(up[2]) > abs(up[k]):
        k = 2
    sign = 1.0 if up[k] >= 0.0 else -1.0
    normal = (sign if k == 0 else 0.0, sign if k == 1 else 0.0, sign if k == 2 else 0.0)
    return normal, dot(normal, point) - half[k]


@kernel
def hull_face(block, point, up):
    """Normal of the face of a hull most turned to `up`, and the height of `point` above it."""
    hull = view(block, 1, HULL_BLOCK)[0]
    planes = view2(hull.planes, hull.face_count, 4, np.float32)
    best, most = 0, -2.0
    for i in range(hull.face_count):
        along = planes[i, 0] * up[0] + planes[i, 1] * up[1] + planes[i, 2] * up[2]
        if along > most:
            best, most = i, along
    normal = (np.float64(planes[best, 0]), np.float64(planes[best, 1]), np.float64(planes[best, 2]))
    return normal, dot(normal, point) - planes[best, 3]


@kernel
def mesh_face_at(shape, point, up, near, below, least):
    """Normal of the triangle at `point` most turned to `up`, and the height; a zero normal if there is none, see `face_at`."""
    keep_as_call()
    mesh = mesh_of(shape)
    state, bounds = stack_array(MESH_QUERY_SIZE, np.int64), stack_array(6, np.float64)
    for k in range(3):
        low = point[k] - below * up[k]
        bounds[k], bounds[3 + k] = min(point[k], low) - near, max(point[k], low) + near
    best, height, most = (0.0, 0.0, 0.0), 0.0, least
    mesh_query_start(state)
    triangle = mesh_query_next(mesh, state, bounds)
    while triangle >= 0:
        a, b, c = mesh_corners(mesh, triangle)
        normal = normalize(cross(subtract(b, a), subtract(c, a)))
        above = dot(normal, subtract(point, a))
        if dot(normal, up) > most and -near <= above <= near + below:
            best, height, most = normal, above, dot(normal, up)
        triangle = mesh_query_next(mesh, state, bounds)
    return best, height


@kernel
def face_at(shape, position, rotation, point, up, near, below, least):
    """Return whether a shape has a face at `point` turned to `up`, within `near` or at most `below` under it, and its normal:
    `(found, normal)`; world axes, any origin. `least`: cosine of the greatest angle between normal and `up`."""
    keep_as_call()
    local, turned = rotate_inverse(rotation, subtract(point, position)), rotate_inverse(rotation, up)
    normal, height = (0.0, 0.0, 0.0), 0.0
    if shape.kind == BOX:
        half = shape.half_extents
        normal, height = box_face((np.float64(half[0]), np.float64(half[1]), np.float64(half[2])), local, turned)
    elif shape.kind == HULL:
        normal, height = hull_face(shape.block, local, turned)
    elif shape.kind == CYLINDER:
        normal = (0.0, 1.0 if turned[1] >= 0.0 else -1.0, 0.0)
        height = local[1] * normal[1] - np.float64(shape.half_height)
    elif shape.kind == PLANE:
        p = shape.plane
        normal = (np.float64(p[0]), np.float64(p[1]), np.float64(p[2]))
        height = dot(normal, local) - p[3]
    elif shape.kind == MESH:
        normal, height = mesh_face_at(shape, local, turned, near, below, least)
    return dot(normal, turned) > least and -near <= height <= near + below, rotate(rotation, normal)


@kernel
def up_of(contact):
    """Normal of a contact towards the sliding body. A contact: (manifold, frames of its pair, whether that body is A, the other
    body, the part of its shape)."""
    manifold, frames, is_a, _, _ = contact
    normal = contact_normal(frames, manifold)
    return negate(normal) if is_a else normal


@kernel
def point_on_other(contact, p):
    """Point p of a contact on the surface of the other body, from the sliding one's centre of mass."""
    manifold, frames, is_a, _, _ = contact
    normal = contact_normal(frames, manifold)
    anchor_a, anchor_b, separation = contact_point(frames, manifold, normal, p)
    middle, up = (anchor_a, negate(normal)) if is_a else (anchor_b, normal)
    return add_scaled(middle, up, -0.5 * separation)


@kernel
def depth_of(contact):
    """Depth of the body in the other one at the deepest point of a contact; 0 if it does not touch [m]."""
    manifold, frames, _, _, _ = contact
    normal, depth = contact_normal(frames, manifold), 0.0
    for p in range(manifold.point_count):
        depth = max(depth, -contact_point(frames, manifold, normal, p)[2])
    return depth


@kernel
def lies_in_plane(contact, at, up, near, below):
    """Whether all points of a contact lie in the plane through `at` perpendicular to `up`, or at most `below` under it."""
    for p in range(contact[0].point_count):
        height = dot(subtract(point_on_other(contact, p), at), up)
        if height > near or height < -below - near:
            return False
    return True


@kernel
def place_of_contact(contact):
    """The shape of the other body in a contact, and its part: two numbers."""
    manifold, _, is_a, _, part = contact
    return np.int64(manifold.instance_b if is_a else manifold.instance_a), part


@kernel
def instance_of_contact(instances, shapes, contact):
    """The row of the other body's shape in a contact, or of the part of one."""
    number, part = place_of_contact(contact)
    instance = instances[contact[3].first_instance + number]
    if part < NO_PART and is_compound(shapes, instance):
        whole, instance = instance, stack_array(1, INSTANCE)[0]
        place_part(shapes, compound_of(shapes[whole.shape]), whole, part, instance)
    return instance


@kernel
def is_same_mesh(suspect, support, instances, shapes):
    """Whether two contacts are with triangles of one mesh, which handles its inner edges itself."""
    if suspect[3].id != support[3].id or place_of_contact(suspect) != place_of_contact(support):
        return False
    return shapes[instance_of_contact(instances, shapes, support).shape].kind == MESH


@kernel
def face_of_brick(instances, shapes, contact, offset, rotation, point, up, near, below, least):
    """Apply `face_at` to a brick."""
    number, part = place_of_contact(contact)
    whole = instances[contact[3].first_instance + number]
    if not is_structure(shapes, whole):
        return False, up
    block = block_of(shapes[whole.shape])
    center, half, turn = place_of_brick(block.structure, part - FIRST_BRICK, block.unit)
    box = stack_array(1, SHAPE)[0]
    write_box(box, half)
    own = quaternion(whole.rotation)
    position = add(offset, rotate(rotation, add(vector3(whole.position), rotate(own, center))))
    return face_at(box, position, multiply(rotation, multiply(own, turn)), point, up, near, below, least)


@kernel
def face_of_contact(instances, shapes, contact, point, up, near, below, least):
    """Apply `face_at` to the other body's shape in a contact, or the part of one."""
    keep_as_call()
    _, frames, is_a, other, part = contact
    offset = frames[0] if is_a else negate(frames[0])
    rotation = quaternion(other.rotation)
    if part >= FIRST_BRICK:
        return face_of_brick(instances, shapes, contact, offset, rotation, point, up, near, below, least)
    instance = instance_of_contact(instances, shapes, contact)
    position = add(offset, rotate(rotation, vector3(instance.position)))
    turn = multiply(rotation, quaternion(instance.rotation))
    return face_at(shapes[instance.shape], position, turn, point, up, near, below, least)


@kernel
def is_seam(suspect, support, instances, shapes, near):
    """Whether one contact of a body is with an inner edge, judged by another contact."""
    up, other_up = up_of(support), up_of(suspect)
    if dot(up, other_up) < -0.1 or length_squared(cross(up, other_up)) < SAME_NORMAL:
        return False
    if is_same_mesh(suspect, support, instances, shapes):
        return False
    at = point_on_other(support, 0)
    # A body deep in one tile touches the side of the next one as deep, and comes near the edge of a lower one.
    below = depth_of(support) + SPECULATIVE_DISTANCE
    if not lies_in_plane(suspect, at, up, near, below):
        return False
    is_face, normal = face_of_contact(instances, shapes, support, at, up, near, 0.0, ALIGNED)
    if not is_face or length_squared(cross(normal, up)) > 100.0 * SAME_NORMAL:
        return False
    point = point_on_other(suspect, 0)
    above = add_scaled(point, up, dot(subtract(at, point), up))
    is_face, normal = face_of_contact(instances, shapes, suspect, above, up, near, below, WALKED_ON)
    return is_face and length_squared(cross(normal, other_up)) > SAME_NORMAL


@kernel
def are_of_one_structure(suspect, support):
    """Whether two contacts are with bricks of one shape."""
    if suspect[4] < FIRST_BRICK or support[4] < FIRST_BRICK or suspect[3].id != support[3].id:
        return False
    return place_of_contact(suspect)[0] == place_of_contact(support)[0]


@kernel
def has_support(system, world, bodies, index, suspect, near):
    """Whether another contact of a body shows that `suspect` is with an inner edge."""
    keep_as_call()
    pairs, all_lists, manifolds = pairs_of(system), lists_of(system), manifolds_of(system)
    instances = view(world.instances, world.instance_capacity, INSTANCE)
    shapes = view(world.shapes, world.shape_capacity, SHAPE)
    key = bodies[index].first_pair
    while key >= 0:
        pair, lists = pairs[key >> 1], all_lists[key >> 1]
        a, b = bodies[pair.body_a], bodies[pair.body_b]
        is_a = key & 1 == 0
        other = b if is_a else a
        m = lists.first_manifold
        if m >= 0 and other.inverse_mass == 0.0:
            frames = contact_frames(pair, a, b)
            while m >= 0:
                support = (manifolds[m], frames, is_a, other, part_of(system, manifolds[m], 1 if is_a else 0))
                is_solved = manifolds[m].point_count > 0 and not manifolds[m].flags & MANIFOLD_IS_SENSOR
                is_solved = is_solved and not are_of_one_structure(suspect, support)  # inner_faces.py has looked at these
                if is_solved and is_seam(suspect, support, instances, shapes, near):
                    return True
                m = manifolds[m].next
        key = lists.next[key & 1]
    return False


@kernel
def drop_seam_contacts(system, world, bodies, pair, lists):
    """Remove the points of manifolds with inner edges, for a pair of a moving and a static body. The pair no longer counts as
    touching by them."""
    a, b = bodies[pair.body_a], bodies[pair.body_b]
    if (a.inverse_mass > 0.0) == (b.inverse_mass > 0.0):
        return
    is_a = a.inverse_mass > 0.0
    body, other, index = (a, b, np.int64(pair.body_a)) if is_a else (b, a, np.int64(pair.body_b))
    if body.pair_count < 2 and lists.manifold_count < 2:
        return
    manifolds, frames = manifolds_of(system), contact_frames(pair, a, b)
    near = flush_distance(body)
    m = lists.first_manifold
    while m >= 0:
        manifold = manifolds[m]
        is_solved = manifold.point_count > 0 and not manifold.flags & MANIFOLD_IS_SENSOR
        is_solved = is_solved and (body.pair_count > 1 or not manifold.flags & MANIFOLD_HAS_BRICKS)
        if is_solved and has_support(
            system, world, bodies, index, (manifold, frames, is_a, other, part_of(system, manifold, 1 if is_a else 0)), near
        ):
            manifold.point_count = 0
            lists.manifold_count -= 1
        m = manifold.next
