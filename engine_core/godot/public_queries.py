"""Many questions to a space in one call: the rays of `Scree`, and their answers as a ScreeRayHits. Any thread may ask."""

import numpy as np

from ..bodies.schema import KIND_AREA, KIND_BODY
from ..collision.query_schema import RAY_RESULT
from ..core.queries import ALL_LAYERS
from .class_help import Page
from .frames import frame_of_body, frame_of_space
from .public_class import PublicClass
from .schema import (
    BOOL, INT, PACKED_BYTE_ARRAY, PACKED_FLOAT32_ARRAY, PACKED_INT32_ARRAY, PACKED_INT64_ARRAY,
    PACKED_VECTOR3_ARRAY, RID, VECTOR3,
)  # fmt: skip
from .server_navigation import triangles_of
from .typed_values import array_of, object_of

ASKED = {"mask": INT, "areas": BOOL, "exclude": array_of("RID")}
"""Arguments of all questions, and their defaults."""
ASKED_DEFAULTS = {"mask": ALL_LAYERS, "areas": False, "exclude": []}
_PAGE = Page(
    "ScreeRayHits", "RefCounted", "What many rays hit.",
    "The answer of [method Scree.cast_rays]: packed arrays with one element for each ray. Where [member is_hit] is 0, the other "
    "arrays mean nothing. The answer of [method Scree.cast_ray_all]: one element for each hit of the ray, nearest first.",
)  # fmt: skip


class RayHits:
    """The data of a ScreeRayHits: rows of RAY_RESULT, and the zero of Godot's coordinates in the world [m]."""

    def __init__(self, rows: np.ndarray, frame: np.ndarray):
        self.rows, self.frame = rows, frame

    def row(self, ray: int):
        """The row of a ray. Raises ValueError."""
        if not 0 <= ray < len(self.rows):
            raise ValueError(f"ray must be from 0 to {len(self.rows) - 1}, got {ray}")
        return self.rows[ray]


def _add_hits_class(engine, objects) -> PublicClass:
    hits = PublicClass(engine, objects, _PAGE, make=lambda: RayHits(np.zeros(0, RAY_RESULT), np.zeros(3)))

    def collider(behind: RayHits, ray: int):
        row = behind.row(ray)
        return (engine.interface.object_from_id(int(row["user_id"])) or None) if row["body"] >= 0 else None

    def ids(behind: RayHits, name: str) -> np.ndarray:
        return np.where(behind.rows["body"] >= 0, behind.rows[name], 0)

    hits.method("size", lambda behind: len(behind.rows), result=INT, text="Returns the number of rays.")
    hits.method("get_collider", collider, {"ray": INT}, object_of("Object", is_counted=False),
                text="Returns the node that a ray hit, or [code]null[/code].")  # fmt: skip
    hits.method("get_rid", lambda behind, ray: int(behind.row(ray)["body_id"]) if behind.row(ray)["body"] >= 0 else 0,
                {"ray": INT}, RID, text="Returns the [RID] of the body or area that a ray hit.")  # fmt: skip
    for name, type_, values, text in (
        ("is_hit", PACKED_BYTE_ARRAY, lambda b: (b.rows["body"] >= 0).astype(np.uint8), "1 for each ray that hit something."),
        ("positions", PACKED_VECTOR3_ARRAY, lambda b: b.rows["position"] - b.frame, "Places of the hits, in global space."),
        ("normals", PACKED_VECTOR3_ARRAY, lambda b: b.rows["normal"], "Unit normals; zero if a ray began inside."),
        ("fractions", PACKED_FLOAT32_ARRAY, lambda b: np.where(b.rows["body"] >= 0, b.rows["fraction"], 1.0),
         "The part of each ray before its hit, 0 to 1; 1 without a hit."),
        ("collider_ids", PACKED_INT64_ARRAY, lambda b: ids(b, "user_id"),
         "Instance ids of the nodes, for [method @GlobalScope.instance_from_id]; 0 without a hit."),
        ("rids", PACKED_INT64_ARRAY, lambda b: ids(b, "body_id"),
         "Ids of the bodies and areas, for [method @GlobalScope.rid_from_int64]; 0 without a hit."),
        ("shapes", PACKED_INT32_ARRAY, lambda b: b.rows["instance"], "Numbers of the shapes on the bodies."),
        ("faces", PACKED_INT32_ARRAY, lambda b: b.rows["face"], "Numbers of the triangles of meshes; -1 for other shapes."),
        ("surfaces", PACKED_INT32_ARRAY, lambda b: b.rows["material"],
         "Numbers of the surfaces of meshes and height fields made with some; -1 for other shapes."),
    ):  # fmt: skip
        hits.property(name, type_, values, text=text)
    return hits


def _add_rays(scree, engine, hits: PublicClass) -> None:
    def cast_rays(_, space, origins, ends, mask, areas, exclude, threads, from_inside, any_hit):
        server = engine.running_server("cast_rays")
        frame = frame_of_space(server, space)
        begin, end = origins.astype(np.float64), ends.astype(np.float64)
        if frame.any():
            begin, end = begin + frame, end + frame
        rows = server.queries.cast_rays(
            space, begin, end, mask=mask, areas=areas, exclude=exclude, threads=threads, hit_from_inside=from_inside,
            collector="any" if any_hit else "closest",
        )  # fmt: skip
        return hits.make_object(RayHits(rows, frame))

    def cast_ray_all(_, space, origin, end, mask, areas, exclude, most, from_inside):
        server = engine.running_server("cast_ray_all")
        frame = frame_of_space(server, space)
        rows = server.queries.cast_ray_all(space, frame + origin, frame + end, mask=mask, areas=areas, exclude=exclude,
                                           max_results=most, hit_from_inside=from_inside)  # fmt: skip
        return hits.make_object(RayHits(rows, frame))

    scree.method(
        "cast_rays", cast_rays,
        {"space": RID, "from": PACKED_VECTOR3_ARRAY, "to": PACKED_VECTOR3_ARRAY, **ASKED, "threads": INT, "from_inside": BOOL,
         "any_hit": BOOL},
        object_of("ScreeRayHits"), defaults={**ASKED_DEFAULTS, "threads": 1, "from_inside": False, "any_hit": False},
        text="Finds the nearest hit of many rays at once, from [param from] to [param to] in global space. [param mask]: the "
        "collision layers that are hit; [param areas]: whether areas are hit, too; [param exclude]: bodies and areas that are "
        "not; [param threads]: how many threads share the work; [param from_inside]: whether a ray that starts in a solid hits "
        "it; [param any_hit]: take the first hit that is found instead of the nearest, which is cheaper. Any thread may call it "
        "at any time.",
    )  # fmt: skip
    scree.method(
        "cast_ray_all", cast_ray_all,
        {"space": RID, "from": VECTOR3, "to": VECTOR3, **ASKED, "most": INT, "from_inside": BOOL},
        object_of("ScreeRayHits"), defaults={**ASKED_DEFAULTS, "most": 32, "from_inside": False},
        text="Finds all that one ray hits, nearest first: one hit for each shape, at most [param most]. Each element of the "
        "answer is a hit of this ray. Other parameters as in [method cast_rays].",
    )  # fmt: skip


def _add_bounds(scree, engine) -> None:
    def near_box(_, space, center, half_extents, mask, areas):
        server = engine.running_server("near_box")
        middle = frame_of_space(server, space) + center
        return server.queries.bodies_in_box(space, middle, half_extents, mask=mask, areas=areas)

    def closest_point(_, body, point):
        server = engine.running_server("closest_point")
        index = server.world.bodies.find("closest_point", body, KIND_BODY, KIND_AREA)
        frame = frame_of_body(server, index)
        return tuple(server.queries.closest_point(body, frame + point) - frame)

    scree.method(
        "near_box", near_box, {"space": RID, "center": VECTOR3, "half_extents": VECTOR3, "mask": INT, "areas": BOOL},
        PACKED_INT64_ARRAY, defaults={"mask": ALL_LAYERS, "areas": False},
        text="Returns the ids ([method @GlobalScope.rid_from_int64]) of the bodies whose bounds touch a box along the axes, in "
        "global space: cheap, and some of them are only near.",
    )  # fmt: skip
    scree.method(
        "closest_point",
        closest_point,
        {"body": RID, "point": VECTOR3},
        VECTOR3,
        text="Returns the point of a body or area nearest to [param point], in global space; a point inside is its own answer.",
    )
    scree.method(
        "triangles", lambda _, space, low, high, mask: triangles_of(engine.running_server("triangles"), space, low, high, mask),
        {"space": RID, "low": VECTOR3, "high": VECTOR3, "mask": INT}, PACKED_VECTOR3_ARRAY, defaults={"mask": ALL_LAYERS},
        text="Returns the surfaces of all bodies that touch the box from [param low] to [param high], three corners a triangle: "
        "for navigation meshes and pictures. Any thread may call it, best a worker.",
    )  # fmt: skip


def add_query_classes(scree: PublicClass, engine, objects) -> list[PublicClass]:
    """Add the questions to the class `Scree`. Return the classes of the answers."""
    hits = _add_hits_class(engine, objects)
    _add_rays(scree, engine, hits)
    _add_bounds(scree, engine)
    return [hits]
