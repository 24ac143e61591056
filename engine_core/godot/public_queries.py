"""Many questions to a space in one call: the rays of `Scree`, and their answers as a ScreeRayHits. Any thread may ask."""

from ctypes import c_uint64, c_void_p

import numpy as np

from ..collision.query_schema import RAY_RESULT
from ..core.queries import ALL_LAYERS, Queries
from .class_help import Page
from .frames import frame_of_space
from .public_class import PublicClass
from .schema import (
    BOOL, INT, PACKED_BYTE_ARRAY, PACKED_FLOAT32_ARRAY, PACKED_INT32_ARRAY, PACKED_INT64_ARRAY,
    PACKED_VECTOR3_ARRAY, RID,
)  # fmt: skip
from .typed_values import array_of, object_of

_PAGE = Page(
    "ScreeRayHits", "RefCounted", "What many rays hit.",
    "The answer of [method Scree.cast_rays]: packed arrays with one element for each ray. Where [member is_hit] is 0, the other "
    "arrays mean nothing.",
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
    object_from_id = engine.interface.function("object_get_instance_from_id", c_void_p, c_uint64)

    def collider(behind: RayHits, ray: int):
        row = behind.row(ray)
        return (object_from_id(int(row["user_id"]) & (1 << 64) - 1) or None) if row["body"] >= 0 else None

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
    ):  # fmt: skip
        hits.property(name, type_, values, text=text)
    return hits


def _mask_of(call: str, mask: int) -> int:
    if not 0 <= mask <= ALL_LAYERS:
        raise ValueError(f"{call}: mask must be 32 bits, got {mask}")
    return mask


def _add_rays(scree, engine, hits: PublicClass) -> None:
    def cast_rays(_, space, origins, ends, mask, areas, exclude, threads):
        server = engine.running_server("cast_rays")
        frame = frame_of_space(server, space)
        begin, end = origins.astype(np.float64), ends.astype(np.float64)
        if frame.any():
            begin, end = begin + frame, end + frame
        rows = Queries(server.world).cast_rays(space, begin, end, mask=_mask_of("cast_rays", mask), areas=areas,
                                               exclude=exclude, threads=threads)  # fmt: skip
        return hits.make_object(RayHits(rows, frame))

    scree.method(
        "cast_rays", cast_rays,
        {"space": RID, "from": PACKED_VECTOR3_ARRAY, "to": PACKED_VECTOR3_ARRAY, "mask": INT, "areas": BOOL,
         "exclude": array_of("RID"), "threads": INT},
        object_of("ScreeRayHits"), defaults={"mask": ALL_LAYERS, "areas": False, "exclude": [], "threads": 1},
        text="Finds the nearest hit of many rays at once, from [param from] to [param to] in global space. [param mask]: the "
        "collision layers that are hit; [param areas]: whether areas are hit, too; [param exclude]: bodies and areas that are "
        "not; [param threads]: how many threads share the work. Any thread may call it at any time.",
    )  # fmt: skip


def add_query_classes(scree: PublicClass, engine, objects) -> list[PublicClass]:
    """Add the questions to the class `Scree`. Return the classes of the answers."""
    hits = _add_hits_class(engine, objects)
    _add_rays(scree, engine, hits)
    return [hits]
