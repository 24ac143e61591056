"""Soft bodies in the queries of a space: what they add to the results of rigid bodies and areas."""

import numpy as np

from ..bodies.records import world_at
from ..collision.filters import is_excluded
from ..collision.query_schema import BODY_HIT, ONLY_PICKABLE, QUERY_CONTACT, WITH_BODIES
from ..collision.shape_queries import SAFE_GAP, STEEPEST
from ..geometry.vector import add_scaled, dot, length, quaternion, scale, store3, vector3
from ..runtime.attributes import keep_as_call
from ..runtime.kernel import kernel
from ..runtime.memory import view
from ..shapes.schema import SHAPE
from ..soft_bodies.overlaps import NO_FACE, cast_to_faces, encloses, nearest_face, velocity_of_face
from ..soft_bodies.rays import ray_at
from ..soft_bodies.schema import SOFT_BODY
from .schema import SPACE_BINDING

INT32, INT64, FLOAT32 = np.int32, np.int64, np.float32


@kernel
def _count(instance):
    """The number of soft bodies of a space."""
    return view(instance, 1, SPACE_BINDING)[0].soft_body_count


@kernel
def _soft(instance, number):
    """A soft body of a space."""
    space = view(instance, 1, SPACE_BINDING)[0]
    return view(view(space.soft_bodies, number + 1, INT64)[number], 1, SOFT_BODY)[0]


@kernel
def _is_asked(query, soft):
    """Whether a query looks for a soft body, but for those that Godot excludes."""
    if query.flags & WITH_BODIES == 0 or query.collision_mask & soft.layer == 0:
        return False
    return query.flags & ONLY_PICKABLE == 0 or soft.is_pickable != 0


@kernel
def _shape(instance, query):
    """The row of SHAPE of a query."""
    world = world_at(view(instance, 1, SPACE_BINDING)[0].world)
    return view(world.shapes, world.shape_capacity, SHAPE)[INT64(query.shape)]


@kernel
def ray_to_soft_bodies(instance, query, hit, is_hit):
    """Write a hit of the ray of a query with a soft body, if it is nearer than `hit`. Return whether there is a hit."""
    keep_as_call()
    for k in range(_count(instance)):
        soft = _soft(instance, k)
        if not _is_asked(query, soft):
            continue
        longest = hit.fraction if is_hit else 2.0
        fraction, normal, _ = ray_at(soft, vector3(query.position), vector3(query.motion), longest)
        if fraction < longest and fraction <= 1.0 and not is_excluded(query, soft.id):
            store3(hit.position, add_scaled(vector3(query.position), vector3(query.motion), fraction))
            store3(hit.normal, normal)
            hit.fraction, hit.body_id, hit.user_id = fraction, soft.id, soft.user_id
            hit.instance, hit.face, hit.part = INT32(0), INT32(-1), INT32(-1)
            is_hit = True
    return is_hit


@kernel
def _add_hit(query, soft, rows, count):
    """Add a soft body to the rows of BODY_HIT of a query."""
    hit = view(rows, count + 1, BODY_HIT)[count]
    hit.body, hit.instance, hit.part, hit.body_id, hit.user_id = INT32(-1), INT32(0), INT32(-1), soft.id, soft.user_id


@kernel
def add_soft_bodies_around(instance, query, rows, count, wanted):
    """Add the closed soft bodies around the point of a query to its rows of BODY_HIT. Return the number of rows."""
    keep_as_call()
    for k in range(_count(instance)):
        soft = _soft(instance, k)
        if count < wanted and _is_asked(query, soft) and encloses(soft, vector3(query.position)):
            if not is_excluded(query, soft.id):
                _add_hit(query, soft, rows, count)
                count += 1
    return count


@kernel
def _nearest(instance, query, soft, is_any):
    """`nearest_face` for the shape of a query."""
    return nearest_face(
        soft, _shape(instance, query), vector3(query.position), quaternion(query.rotation), query.margin, is_any
    )  # fmt: skip


@kernel
def add_soft_bodies_at(instance, query, rows, count, wanted):
    """Add the soft bodies that the shape of a query overlaps to its rows of BODY_HIT. Return the number of rows."""
    keep_as_call()
    for k in range(_count(instance)):
        soft = _soft(instance, k)
        if count < wanted and _is_asked(query, soft) and _nearest(instance, query, soft, True)[4] != NO_FACE:
            if not is_excluded(query, soft.id):
                _add_hit(query, soft, rows, count)
                count += 1
    return count


@kernel
def cast_to_soft_bodies(instance, query):
    """Shorten `safe_fraction` and `unsafe_fraction` of a query by the soft bodies in its way."""
    keep_as_call()
    motion = vector3(query.motion)
    if dot(motion, motion) == 0.0:
        return
    for k in range(_count(instance)):
        soft = _soft(instance, k)
        if not _is_asked(query, soft):
            continue
        fraction, normal, face = cast_to_faces(
            soft, _shape(instance, query), vector3(query.position), quaternion(query.rotation), motion, query.margin,
            min(query.unsafe_fraction, 1.0),
        )  # fmt: skip
        if face == NO_FACE or is_excluded(query, soft.id):
            continue
        step, closing = SAFE_GAP / max(length(motion), 1e-12), -dot(motion, normal)
        query.safe_fraction = min(query.safe_fraction, max(fraction - step, 0.0))
        query.unsafe_fraction = min(fraction + min(SAFE_GAP / max(closing, 1e-12), STEEPEST * step), 1.0)


@kernel
def touch_soft_bodies(instance, query, count, deepest_only):
    """Add the deepest contact of the shape of a query with each soft body to its rows of QUERY_CONTACT; or, with `deepest_only`,
    replace the single row if it is deeper. Return the number of rows."""
    keep_as_call()
    contacts = view(query.results, query.max_results, QUERY_CONTACT)
    for k in range(_count(instance)):
        soft = _soft(instance, k)
        if not _is_asked(query, soft) or (count >= query.max_results and not deepest_only):
            continue
        distance, on_shape, on_face, normal, face = _nearest(instance, query, soft, False)
        depth = query.margin - distance
        if face == NO_FACE or (deepest_only and count > 0 and contacts[0].depth >= depth) or is_excluded(query, soft.id):
            continue
        row = contacts[0 if deepest_only else count]
        store3(row.position, add_scaled(on_shape, normal, query.margin))
        store3(row.other_position, on_face)
        store3(row.normal, scale(normal, -1.0))
        store3(row.velocity, velocity_of_face(soft, face))
        row.depth, row.instance, row.body_id, row.user_id = depth, INT32(0), soft.id, soft.user_id
        count = INT64(1) if deepest_only else count + 1
    return count
