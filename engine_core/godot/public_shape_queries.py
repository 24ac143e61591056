"""Many questions with one shape in one call: casts, overlaps and contacts of `Scree`, and their answers. Any thread may ask."""

import numpy as np

from ..bodies.schema import BODY
from ..collision.query_schema import BODY_HIT, QUERY, QUERY_CONTACT
from ..core.many_queries import Found, ManyQueries
from .class_help import Page
from .frames import frame_of_space
from .public_class import PublicClass
from .public_queries import ASKED, ASKED_DEFAULTS
from .schema import (
    FLOAT, INT, PACKED_BYTE_ARRAY, PACKED_FLOAT32_ARRAY, PACKED_INT32_ARRAY, PACKED_INT64_ARRAY, PACKED_VECTOR3_ARRAY, RID,
)  # fmt: skip
from .typed_values import VARIANT, array_of, object_of

_IDS = "for [method @GlobalScope.rid_from_int64]"
_NODES = "for [method @GlobalScope.instance_from_id]"
_PLACES = (
    "[param places]: where the shape is, in global space: a [PackedVector3Array] of positions, an Array of [Transform3D], or a "
    "[PackedFloat32Array] with 12 numbers for each place in the order of a MultiMesh's buffer. "
)
_OTHERS = "Other parameters as in [method cast_rays]."


class ShapeHits:
    """The data of a ScreeShapeHits: rows of QUERY, ids of the bodies, and the zero of Godot's coordinates in the world [m]."""

    def __init__(self, rows: np.ndarray, bodies: np.ndarray, frame: np.ndarray):
        self.rows, self.frame = rows, frame
        self.is_hit = rows["is_hit"] != 0
        met = bodies[np.where(self.is_hit, rows["hit_body"], 0)]
        self.rids, self.nodes = np.where(self.is_hit, met["id"], 0), np.where(self.is_hit, met["user_id"], 0)


class Answers:
    """The data of a ScreeOverlaps or ScreeShapeContacts: the answers, and the zero of Godot's coordinates in the world [m]."""

    def __init__(self, found: Found, frame: np.ndarray):
        self.rows, self.firsts, self.frame = found.rows, found.firsts, frame

    def of(self, place: int) -> np.ndarray:
        """The rows of a place. Raises ValueError."""
        if not 0 <= place < len(self.firsts) - 1:
            raise ValueError(f"place must be from 0 to {len(self.firsts) - 2}, got {place}")
        return self.rows[self.firsts[place] : self.firsts[place + 1]]


def _hits_class(engine, objects) -> PublicClass:
    page = Page(
        "ScreeShapeHits", "RefCounted", "What many moving shapes hit.",
        "The answer of [method Scree.cast_shapes]: packed arrays with one element for each cast. Where [member is_hit] is 0, "
        "positions, normals and ids mean nothing.",
    )  # fmt: skip
    made = PublicClass(engine, objects, page, make=lambda: ShapeHits(np.zeros(0, QUERY), np.zeros(1, BODY), np.zeros(3)))
    made.method("size", lambda b: len(b.rows), result=INT, text="Returns the number of casts.")
    for name, type_, values, text in (
        ("is_hit", PACKED_BYTE_ARRAY, lambda b: b.is_hit, "1 for each cast that hit something."),
        ("safe_fractions", PACKED_FLOAT32_ARRAY, lambda b: b.rows["safe_fraction"],
         "The part of each motion that is free, 0 to 1."),
        ("unsafe_fractions", PACKED_FLOAT32_ARRAY, lambda b: b.rows["unsafe_fraction"],
         "The part of each motion after which the shape touches; 1 if all is free."),
        ("positions", PACKED_VECTOR3_ARRAY, lambda b: b.rows["hit"] - b.frame, "Points of contact, in global space."),
        ("normals", PACKED_VECTOR3_ARRAY, lambda b: b.rows["hit_normal"], "Unit normals, from what is hit towards the shape."),
        ("rids", PACKED_INT64_ARRAY, lambda b: b.rids, f"Ids of the bodies and areas, {_IDS}; 0 without a hit."),
        ("collider_ids", PACKED_INT64_ARRAY, lambda b: b.nodes, f"Instance ids of the nodes, {_NODES}; 0 without a hit."),
        ("shapes", PACKED_INT32_ARRAY, lambda b: b.rows["hit_instance"], "Numbers of the shapes on the bodies."),
        ("faces", PACKED_INT32_ARRAY, lambda b: b.rows["hit_face"], "Numbers of the triangles of meshes; -1 for other shapes."),
        ("is_overlapping", PACKED_BYTE_ARRAY, lambda b: b.rows["is_overlapping"] != 0,
         "1 for each cast that overlapped something at its start, which it ignores."),
    ):  # fmt: skip
        made.property(name, type_, values, text=text)
    return made


def _answers_class(engine, objects, page: Page, dtype, what: str, more: tuple) -> PublicClass:
    """A class with the answers of many places one after the other. `more`: its own properties."""
    made = PublicClass(engine, objects, page, make=lambda: Answers(Found(np.zeros(0, dtype), np.zeros(1, np.int64)), np.zeros(3)))
    made.method("size", lambda b: len(b.firsts) - 1, result=INT, text="Returns the number of places that were asked about.")
    made.method("count_at", lambda b, place: len(b.of(place)), {"place": INT}, INT,
                text=f"Returns the number of {what} at a place.")  # fmt: skip
    made.method("rids_at", lambda b, place: b.of(place)["body_id"].tolist(), {"place": INT}, array_of("RID"),
                text="Returns the bodies and areas at a place, one for each shape of theirs.")  # fmt: skip
    for name, type_, values, text in (
        ("firsts", PACKED_INT32_ARRAY, lambda b: b.firsts,
         "Where the elements of each place begin in the other arrays, and after the last their number: those of place i are from "
         "[code]firsts[i][/code] to before [code]firsts[i + 1][/code]."),
        ("rids", PACKED_INT64_ARRAY, lambda b: b.rows["body_id"], f"Ids of the bodies and areas, {_IDS}."),
        ("collider_ids", PACKED_INT64_ARRAY, lambda b: b.rows["user_id"], f"Instance ids of the nodes, {_NODES}."),
        ("shapes", PACKED_INT32_ARRAY, lambda b: b.rows["instance"], "Numbers of the shapes on the bodies."),
        *more,
    ):  # fmt: skip
        made.property(name, type_, values, text=text)
    return made


def _overlaps_class(engine, objects) -> PublicClass:
    page = Page(
        "ScreeOverlaps", "RefCounted", "What overlaps many spheres, boxes or shapes.",
        "The answer of [method Scree.overlap_spheres], [method Scree.overlap_boxes] and [method Scree.overlap_shapes]: packed "
        "arrays with one element for each shape of a body that overlaps, place after place.",
    )  # fmt: skip
    return _answers_class(engine, objects, page, BODY_HIT, "overlapping shapes", ())


def _contacts_class(engine, objects) -> PublicClass:
    page = Page(
        "ScreeShapeContacts", "RefCounted", "The contacts of a shape at many places.",
        "The answer of [method Scree.collide_shapes]: packed arrays with one element for each contact, place after place.",
    )  # fmt: skip
    more = (
        ("positions", PACKED_VECTOR3_ARRAY, lambda b: b.rows["position"] - b.frame, "Points on the shape, in global space."),
        ("other_positions", PACKED_VECTOR3_ARRAY, lambda b: b.rows["other_position"] - b.frame, "Points on the bodies."),
        ("normals", PACKED_VECTOR3_ARRAY, lambda b: b.rows["normal"], "Unit normals, from the bodies towards the shape."),
        ("depths", PACKED_FLOAT32_ARRAY, lambda b: b.rows["depth"], "How deep the shape is in the bodies, with the margin [m]."),
        ("velocities", PACKED_VECTOR3_ARRAY, lambda b: b.rows["velocity"], "Velocities of the bodies at the points [m/s]."),
        ("faces", PACKED_INT32_ARRAY, lambda b: b.rows["face"], "Numbers of the triangles of meshes; -1 for other shapes."),
    )
    return _answers_class(engine, objects, page, QUERY_CONTACT, "contacts", more)


def places_of(call: str, given, frame: np.ndarray) -> np.ndarray:
    """Places in the world, (n, 3) or (n, 12), from a Variant's value in Godot's coordinates. Raises ValueError."""
    if isinstance(given, list) and all(isinstance(one, tuple) and len(one) in (3, 12) for one in given):
        rows = np.asarray([one if len(one) == 12 else (1, 0, 0, 0, 1, 0, 0, 0, 1, *one) for one in given], np.float64)
        rows = rows.reshape(-1, 12)
    elif isinstance(given, np.ndarray) and given.ndim == 2:
        rows = given.astype(np.float64)
    elif isinstance(given, np.ndarray) and given.dtype == np.float32 and given.size % 12 == 0:
        buffer = given.astype(np.float64).reshape(-1, 3, 4)
        rows = np.concatenate([buffer[:, :, :3].reshape(-1, 9), buffer[:, :, 3]], axis=1)
    else:
        got = f"{given.size} numbers" if isinstance(given, np.ndarray) else repr(given)
        raise ValueError(f"{call}: places must be positions, an Array of Transform3D, or 12 numbers for each, got {got}")
    rows[:, -3:] += frame
    return rows


class _Rooms:
    """The calls, with the classes of their answers."""

    def __init__(self, engine, hits: PublicClass, overlaps: PublicClass, contacts: PublicClass):
        self._engine, self._hits, self._overlaps, self._contacts = engine, hits, overlaps, contacts

    def _begin(self, call: str, space: int) -> tuple:
        server = self._engine.running_server(call)
        if server.record["note_count"]:  # compiled calls have made or set shapes that Python does not know yet
            with server.lock:
                pass
        return server, ManyQueries(server.queries), frame_of_space(server, space)

    def cast_shapes(self, _, space, shape, places, motions, mask, areas, exclude, margin, threads):
        server, many, frame = self._begin("cast_shapes", space)
        rows = many.cast_shapes(space, shape, places_of("cast_shapes", places, frame), motions, margin, mask, areas=areas,
                                exclude=exclude, threads=threads)  # fmt: skip
        return self._hits.make_object(ShapeHits(rows, server.world.bodies.rows, frame))

    def overlap_shapes(self, _, space, shape, places, mask, areas, exclude, margin, most, threads):
        _, many, frame = self._begin("overlap_shapes", space)
        found = many.overlap_shapes(space, shape, places_of("overlap_shapes", places, frame), margin, mask, areas=areas,
                                    exclude=exclude, most=most, threads=threads)  # fmt: skip
        return self._overlaps.make_object(Answers(found, frame))

    def overlap_spheres(self, _, space, centers, radii, mask, areas, exclude, most, threads):
        _, many, frame = self._begin("overlap_spheres", space)
        found = many.overlap_spheres(space, centers + frame, radii, mask=mask, areas=areas, exclude=exclude, most=most,
                                     threads=threads)  # fmt: skip
        return self._overlaps.make_object(Answers(found, frame))

    def overlap_boxes(self, _, space, centers, half_extents, mask, areas, exclude, most, threads):
        _, many, frame = self._begin("overlap_boxes", space)
        found = many.overlap_boxes(space, centers + frame, half_extents, mask=mask, areas=areas, exclude=exclude, most=most,
                                   threads=threads)  # fmt: skip
        return self._overlaps.make_object(Answers(found, frame))

    def collide_shapes(self, _, space, shape, places, mask, areas, exclude, margin, most, threads):
        _, many, frame = self._begin("collide_shapes", space)
        found = many.collide_shapes(space, shape, places_of("collide_shapes", places, frame), margin, mask, areas=areas,
                                    exclude=exclude, most=most, threads=threads)  # fmt: skip
        return self._contacts.make_object(Answers(found, frame))


def add_shape_query_classes(scree: PublicClass, engine, objects) -> list[PublicClass]:
    """Add the questions with shapes to the class `Scree`. Return the classes of the answers."""
    hits, overlaps, contacts = (make(engine, objects) for make in (_hits_class, _overlaps_class, _contacts_class))
    rooms = _Rooms(engine, hits, overlaps, contacts)
    placed = {"space": RID, "shape": RID, "places": VARIANT}
    last, last_defaults = {"most": INT, "threads": INT}, {"most": 32, "threads": 1}
    grown, grown_default = {"margin": FLOAT}, {"margin": 0.0}
    scree.method(
        "cast_shapes", rooms.cast_shapes,
        {**placed, "motions": PACKED_VECTOR3_ARRAY, **ASKED, **grown, "threads": INT},
        object_of("ScreeShapeHits"), defaults={**ASKED_DEFAULTS, **grown_default, "threads": 1},
        text=f"Moves a shape from many places at once, and finds the first thing that each hits. {_PLACES}[param motions]: one "
        f"for each place [m]; [param margin]: the distance that the shape keeps [m]. {_OTHERS}",
    )  # fmt: skip
    scree.method(
        "overlap_shapes",
        rooms.overlap_shapes,
        {**placed, **ASKED, **grown, **last},
        object_of("ScreeOverlaps"),
        defaults={**ASKED_DEFAULTS, **grown_default, **last_defaults},
        text=f"Finds what overlaps a shape at many places at once. {_PLACES}[param margin]: by so much the shape is grown [m]; "
        f"[param most]: the most answers for each place. {_OTHERS}",
    )
    around = {"space": RID, "centers": PACKED_VECTOR3_ARRAY}
    scree.method(
        "overlap_spheres",
        rooms.overlap_spheres,
        {**around, "radii": PACKED_FLOAT32_ARRAY, **ASKED, **last},
        object_of("ScreeOverlaps"),
        defaults={**ASKED_DEFAULTS, **last_defaults},
        text="Finds what overlaps many spheres at once. [param radii]: one for each, or a single one for all [m]; [param most]: "
        f"the most answers for each sphere. {_OTHERS}",
    )
    scree.method(
        "overlap_boxes",
        rooms.overlap_boxes,
        {**around, "half_extents": PACKED_VECTOR3_ARRAY, **ASKED, **last},
        object_of("ScreeOverlaps"),
        defaults={**ASKED_DEFAULTS, **last_defaults},
        text="Finds what overlaps many boxes along the axes at once. [param half_extents]: one for each, or a single one for all "
        f"[m]; each size is prepared once, so few sizes are faster; [param most]: the most answers for each box. {_OTHERS}",
    )
    scree.method(
        "collide_shapes", rooms.collide_shapes, {**placed, **ASKED, **grown, **last},
        object_of("ScreeShapeContacts"), defaults={**ASKED_DEFAULTS, **grown_default, **last_defaults},
        text=f"Finds the contacts of a shape at many places at once. {_PLACES}[param margin]: by so much the shape is grown [m]; "
        f"[param most]: the deepest contacts for each place that are kept. {_OTHERS}",
    )  # fmt: skip
    return [hits, overlaps, contacts]
