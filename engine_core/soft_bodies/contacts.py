"""Contacts of particles with the shapes of rigid bodies: found ahead, as planes that move with the body.

A particle near a solid shape meets the plane through the nearest point of the surface; near a mesh or a height field, the planes
of its triangles. A particle that is fast enough to pass by is tested along its way relative to the body, and meets the plane
where that way ends. So no particle of any speed passes a surface.
"""

import numpy as np

from ..bodies.bounds import bounds_in_frame
from ..bodies.parts import PARTS, begin_parts, next_part_in_box, part_row
from ..constraints.schema import DELTA_POSITION, DELTA_ROTATION, ROW_SIZE
from ..geometry.segments import nearest_on_triangle
from ..geometry.vector import (
    add, add_scaled, cross, dot, length, multiply, quaternion, rotate, rotate_inverse, scale, store3, subtract, vector3,
)  # fmt: skip
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array, view, view2
from ..shapes.mesh_query import MESH_QUERY_SIZE, mesh_corners, mesh_of, mesh_query_next, mesh_query_start
from ..shapes.ray import ray_shape
from ..shapes.schema import COMPOUND, HEIGHT_FIELD, MESH, STRUCTURE
from ..solver.vehicle_wheels import velocity_at
from .nearest import nearest_of_solid
from .schema import CONTACT, MOST_CANDIDATES, MOST_CONTACTS, POSE
from .surroundings import is_movable

INT16, INT32, INT64, FLOAT32, FLOAT64 = np.int16, np.int32, np.int64, np.float32, np.float64
NEAR = 0.02
"""Contacts are found this far ahead, and anew when a particle may have come that near to something else [m]."""
SAME_DIRECTION = 0.98
"""Cosine between normals of two contacts with one body that count as the same."""
BEHIND = 3.0
"""A particle behind a one-sided triangle is brought back to its front if it is less than this many radii deep."""
ALONG_EDGE = 1e-6
"""Part of a distance up to which the nearest point of a triangle counts as straight below the particle."""
CONTACT_SIZE = CONTACT.itemsize


@kernel
def contact_at(soft, particle, k):
    """The `k`-th contact of a particle."""
    return view(soft.contacts + (k * soft.particle_count + particle) * CONTACT_SIZE, 1, CONTACT)[0]


@kernel
def pose_now(system, body):
    """Position of the centre of mass [m] and rotation of a body in the sub-step under way."""
    position, rotation = vector3(body.position), quaternion(body.rotation)
    if body.active_index < 0:
        return position, rotation
    row = view(system.solver.rows + (INT64(body.active_index) + 1) * ROW_SIZE, 16, FLOAT32)
    return add(position, vector3(row[DELTA_POSITION:])), multiply(quaternion(row[DELTA_ROTATION:]), rotation)


@kernel
def add_plane(system, soft, particle, counts, number, body, position, rotation, point, normal, gap):
    """Add a contact with the body of a candidate's number, by a point and a normal, world axes, and the gap to the particle. A
    contact of the same body with nearly the same normal stays if it is nearer; else it is replaced. When all rows are in use,
    the one farthest away is."""
    local_normal, place, farthest, worst = rotate_inverse(rotation, normal), -1, FLOAT32(gap), -1
    for k in range(counts[particle]):
        row = contact_at(soft, particle, k)
        if row.candidate == number and dot(vector3(row.local_normal), local_normal) > SAME_DIRECTION:
            if row.gap <= gap:
                return
            place = k
        if row.gap > farthest:
            farthest, worst = row.gap, k
    if place < 0:
        if counts[particle] < MOST_CONTACTS:
            place = INT64(counts[particle])
            counts[particle] += 1
        else:
            place = worst
    if place < 0:
        return
    contact = contact_at(soft, particle, place)
    contact.candidate, contact.gap = INT32(number), FLOAT32(gap)
    contact.body = view(soft.candidates, MOST_CANDIDATES, INT32)[number]
    contact.pushes_particle = INT16(1 if soft.mask & body.collision_layer else 0)
    contact.pushes_body = INT16(1 if body.collision_mask & soft.layer and is_movable(body) else 0)
    store3(contact.local_arm, rotate_inverse(rotation, subtract(point, position)))
    store3(contact.local_normal, local_normal)


@kernel
def meet_triangles(system, soft, particle, counts, number, body, position, rotation, place, turn, shape, local, reach):
    """Add the contacts of a particle with the triangles of a mesh or height field near it. `place`, `turn`: pose of the shape;
    `local`: the particle in its frame."""
    keep_as_call()
    mesh = mesh_of(shape)
    is_two_sided = shape.user_kind != HEIGHT_FIELD and shape.has_backface_collision != 0
    state, bounds = stack_array(MESH_QUERY_SIZE, INT64), stack_array(6, FLOAT64)
    wide = max(reach, BEHIND * soft.radius)
    for k in range(3):
        bounds[k], bounds[3 + k] = local[k] - wide, local[k] + wide
    mesh_query_start(state)
    triangle = mesh_query_next(mesh, state, bounds)
    while triangle >= 0:
        a, b, c = mesh_corners(mesh, triangle)
        front = cross(subtract(b, a), subtract(c, a))
        size = length(front)
        if size > 0.0:
            front = scale(front, 1.0 / size)
            nearest = nearest_on_triangle(a, b, c, local)
            way, height = subtract(local, nearest), dot(subtract(local, a), front)
            distance = length(way)
            is_below = distance - abs(height) <= ALONG_EDGE * (distance + 1e-3)
            normal, gap, is_near = front, height, False
            if is_below and (height >= 0.0 or not is_two_sided):
                is_near = height <= reach and height >= -BEHIND * soft.radius
            elif is_below:
                normal, gap, is_near = scale(front, -1.0), -height, -height <= reach
            elif (height > 0.0 or is_two_sided) and distance < soft.radius and distance > 0.0:  # beside an edge
                normal, gap, is_near = scale(way, 1.0 / distance), distance, True
            if is_near:
                point = add(place, rotate(turn, nearest))
                add_plane(
                    system, soft, particle, counts, number, body, position, rotation, point, rotate(turn, normal),
                    gap - soft.radius,
                )  # fmt: skip
        triangle = mesh_query_next(mesh, state, bounds)


@kernel
def meet_shape(system, soft, particle, counts, shapes, number, body, position, rotation, instance, motion, reach):
    """Add the contacts of a particle with one shape of a body. `motion`: of the particle relative to the body until contacts are
    found anew [m]."""
    keep_as_call()
    at = vector3(view2(soft.positions, soft.particle_count, 3, FLOAT64)[particle])
    place = add(position, rotate(rotation, vector3(instance.position)))
    turn = multiply(rotation, quaternion(instance.rotation))
    local = rotate_inverse(turn, subtract(at, place))
    shape = shapes[INT64(instance.shape)]
    is_deep = False
    if shape.kind == MESH:
        meet_triangles(system, soft, particle, counts, number, body, position, rotation, place, turn, shape, local, reach)
    else:
        distance, normal = nearest_of_solid(shape, local)
        is_deep = distance < 0.0
        if distance <= reach:
            point = add(place, rotate(turn, add_scaled(local, normal, -distance)))
            add_plane(
                system, soft, particle, counts, number, body, position, rotation, point, rotate(turn, normal),
                distance - soft.radius,
            )  # fmt: skip
    way = length(motion)
    if way <= NEAR or is_deep:
        return
    longer = scale(motion, 1.0 + soft.radius / way)
    fraction, normal, _, _ = ray_shape(
        shapes, INT64(instance.shape), local, rotate_inverse(turn, longer), 1.0, False, True
    )  # fmt: skip
    if fraction <= 1.0:
        gap = -fraction * dot(longer, rotate(turn, normal)) - soft.radius
        add_plane(
            system, soft, particle, counts, number, body, position, rotation, add_scaled(at, longer, fraction),
            rotate(turn, normal), gap,
        )  # fmt: skip


@kernel
def is_single(instance, shapes):
    """Whether a shape on a body is one solid, which needs no search for parts near a particle."""
    if instance.is_disabled or instance.shape < 0:
        return False
    kind = shapes[INT64(instance.shape)].kind
    return kind != MESH and kind != COMPOUND and kind != STRUCTURE


@kernel
def meet_body(system, world, soft, particle, counts, shapes, instances, number, body, ahead):
    """Add the contacts of a particle with the shapes of one body. `ahead` [s]: until contacts are found anew."""
    keep_as_call()
    at = vector3(view2(soft.positions, soft.particle_count, 3, FLOAT64)[particle])
    velocity = vector3(view2(soft.velocities, soft.particle_count, 3, FLOAT64)[particle])
    pose = view(soft.poses, MOST_CANDIDATES, POSE)[number]
    position, rotation = vector3(pose.position), quaternion(pose.rotation)
    row = INT64(body.active_index) + 1
    motion = scale(subtract(velocity, velocity_at(system, row, subtract(at, position))), ahead)
    reach = soft.radius + NEAR
    if body.instance_count == 1 and is_single(instances[INT64(body.first_instance)], shapes):
        instance = instances[INT64(body.first_instance)]
        meet_shape(system, soft, particle, counts, shapes, number, body, position, rotation, instance, motion, reach)
        return
    half = (
        0.5 * abs(motion[0]) + BEHIND * soft.radius + reach, 0.5 * abs(motion[1]) + BEHIND * soft.radius + reach,
        0.5 * abs(motion[2]) + BEHIND * soft.radius + reach,
    )  # fmt: skip
    low, high = bounds_in_frame(add_scaled(at, motion, 0.5), half, position, rotation)
    b = body.local_bounds
    for k in range(3):
        if low[k] > b[3 + k] or high[k] < b[k]:
            return
    walk = stack_array(1, PARTS)[0]
    begin_parts(walk, INT64(body.first_instance), INT64(body.instance_count))
    while next_part_in_box(walk, world, instances, shapes, low, high) >= 0:
        instance = part_row(walk, instances)
        if not instance.is_disabled and instance.shape >= 0:
            meet_shape(system, soft, particle, counts, shapes, number, body, position, rotation, instance, motion, reach)
