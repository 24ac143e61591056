"""The data of queries: one record for the query, and the rows of its results. World positions are in double precision."""

import numpy as np

from ..shapes.schema import SHAPE

# Kinds of query, QUERY.operation. Rays and points are answered by `ray_queries.query_rays`, the others by
# `shape_queries.query_shapes`, BOUNDS_... and COLLECT_SHAPES by `bounds_queries.query_bounds`.
RAY, RAYS, POINT, OVERLAP, CONTACTS, CAST, CLOSEST_POINT, BOUNDS_BOX, BOUNDS_SPHERE, BOUNDS_RAY, COLLECT_SHAPES = range(11)

# QUERY.flags
WITH_BODIES = 1
WITH_AREAS = 2
HITS_FROM_INSIDE = 4  # a ray that starts in a solid hits it at once, with a zero normal
HITS_BACK_FACES = 8  # rays: triangles from behind, where the mesh has backface collision
ONLY_PICKABLE = 16  # rays: skip bodies that are not RAY_PICKABLE
ADDS_RESULTS = 32  # CONTACTS: `first_result` rows exist and may be replaced by deeper ones
AMONG_BODIES = 64  # OVERLAP, CONTACTS, closest CAST: only a list of bodies, rows of BODY_HIT at `origins`; no tree is searched

# QUERY.collector: which hits to return. ANY stops at the first one found; the others of RAY need `max_results` rows.
CLOSEST, ANY, ALL, PER_BODY = range(4)

QUERY = np.dtype(
    [
        ("operation", "i4"),
        ("flags", "u4"),
        ("collision_mask", "u4"),
        ("layer_mask", "u4"),  # broad-phase layers to search, by bit; 0: all
        ("shape_mask", "u4"),  # shape filter, against `query_layers` of shapes; 0: all
        ("collector", "i4"),  # rays and casts: CLOSEST, ANY, ALL or PER_BODY
        ("body", "i4"),  # CLOSEST_POINT: the body; OVERLAP to CAST: the moving body, which is skipped, or -1
        # Excluded bodies, tested only for possible hits: a function `int64 f(context, body id)` or 0, a list of ids.
        ("exclusion_function", "i8"),
        ("exclusion_context", "i8"),
        ("excluded", "i8"),  # address of int64 (excluded_count)
        ("excluded_count", "i8"),
        ("shape", "i8"),  # index of the query's shape, scale cooked in
        ("position", "f8", 3),  # of the shape or the point, or the ray's start; world [m]
        ("rotation", "f8", 4),  # of the shape
        ("motion", "f8", 3),  # CAST: the motion of the shape; RAY: from begin to end [m]
        ("half_extents", "f8", 3),  # BOUNDS_...: of the box, turned by `rotation`; [0]: the sphere's radius [m]
        ("margin", "f8"),  # the shape is grown by this [m]
        ("count", "i8"),  # RAYS: how many; with AMONG_BODIES: length of the list
        ("origins", "i8"),  # RAYS: address of float64 (count, 3), world [m]; with AMONG_BODIES: of BODY_HIT (count)
        ("ends", "i8"),  # RAYS: the same
        # Address of rows: RAY_RESULT (RAY: 1, or `max_results` with ALL and PER_BODY; RAYS: count; CAST with ALL and
        # PER_BODY), BODY_HIT (POINT, OVERLAP, BOUNDS_...), QUERY_CONTACT (CONTACTS), PLACED_SHAPE (COLLECT_SHAPES)
        ("results", "i8"),
        ("max_results", "i8"),
        ("first_result", "i8"),  # with ADDS_RESULTS: the number of rows that exist; else not read
        ("own_instance", "i8"),  # CONTACTS: copied to each result
        # Results of CAST and CLOSEST_POINT
        ("safe_fraction", "f8"),  # of the motion that is free
        ("unsafe_fraction", "f8"),  # of the motion after which there is contact; 1 if all is free
        ("is_hit", "i8"),  # CAST: something is hit
        # CAST: some shape was overlapped at the start (and ignored); CLOSEST_POINT: the point is inside
        ("is_overlapping", "i8"),
        ("hit", "f8", 3),  # CAST: a point of contact on the other; CLOSEST_POINT: the point; world [m]
        ("hit_normal", "f8", 3),  # CAST: unit, from the other towards the shape
        ("hit_body", "i4"),
        ("hit_instance", "i4"),
        ("hit_part", "i4"),
        ("hit_face", "i4"),  # CAST
        ("hit_material", "i4"),  # CAST
    ],
    align=True,
)

RAY_RESULT = np.dtype(
    [
        ("position", "f8", 3),  # world [m]
        ("fraction", "f8"),  # of the ray from begin to end; 2: no hit
        ("normal", "f4", 3),  # unit, of the surface; zero if the ray began inside
        ("body", "i4"),  # index; -1: no hit
        ("instance", "i4"),  # number of the shape on the body
        ("face", "i4"),  # user's index of the mesh triangle, else -1
        ("part", "i4"),  # number of the part of a static compound, else -1
        ("material", "i4"),  # row of the table of friction and restitution of a mesh or height field, else -1
        ("body_id", "i8"),
        ("user_id", "i8"),
    ],
    align=True,
)

BODY_HIT = np.dtype([("body", "i4"), ("instance", "i4"), ("part", "i4"), ("body_id", "i8"), ("user_id", "i8")], align=True)

PLACED_SHAPE = np.dtype(
    [
        ("position", "f8", 3),  # of the shape, world [m]
        ("rotation", "f8", 4),
        ("body_id", "i8"),
        ("user_id", "i8"),
        ("instance", "i4"),  # number of the shape on the body
        ("part", "i4"),  # number of the part of a static compound, else -1
        ("shape", "i4"),  # its row when it was collected
        ("settings", SHAPE),  # a copy of that row
    ],
    align=True,
)

QUERY_CONTACT = np.dtype(
    [
        ("position", "f8", 3),  # on the query's shape, grown by the margin; world [m]
        ("other_position", "f8", 3),  # on the other
        ("normal", "f8", 3),  # unit, from the other towards the shape
        ("depth", "f8"),  # margin included [m]
        ("velocity", "f4", 3),  # of the other at the point [m/s]
        ("angular_velocity", "f4", 3),  # of the other [rad/s]
        ("body", "i4"),
        ("instance", "i4"),
        ("part", "i4"),
        ("face", "i4"),
        ("own_instance", "i4"),  # body motion: number of the shape on the moving body
        ("body_id", "i8"),
        ("user_id", "i8"),
    ],
    align=True,
)
