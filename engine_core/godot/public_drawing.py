"""Debug views of a space: `Scree.drawing`, and its answer as a ScreeDrawing. Any thread may ask; while a step
runs it waits for its end."""

import numpy as np

from ..core.drawing import USUAL_FORCE_SCALE, Drawing
from ..core.queries import ALL_LAYERS
from ..drawing.schema import FLAG_NAMES, KIND_NAMES, KINDS, ROW_FLOATS
from ..drawing.wires import UNIT_WIRES, capsule_wire
from .class_help import Page
from .frames import frame_of_space
from .locked_calls import answered_call
from .public_class import PublicClass
from .schema import (
    FLOAT, INT, PACKED_COLOR_ARRAY, PACKED_FLOAT32_ARRAY, PACKED_INT32_ARRAY, PACKED_INT64_ARRAY, PACKED_VECTOR3_ARRAY, RID,
    VECTOR3,
)  # fmt: skip
from .typed_values import enum_of, object_of

MOST_ROOM = 1 << 24
_FLAG_TEXTS = (
    "Shapes of bodies, coloured by state.",
    "A mark at each contact, and a line along its normal as long as its force.",
    "Anchors, axes and limits of joints, and the force that each bore.",
    "Shapes of areas.",
    "Centres of mass, with the axes of the body.",
    "Velocities, as the way in 0.1 s.",
    "Bounds of bodies as the broad phase has them, with a margin.",
    "Nodes of the trees of the broad phase, coloured by level.",
    "Colours bodies by the island that they sleep and wake with.",
    "Colours marks of contacts by the group that the solver handles at a time.",
)
FLAGS = {f"DRAW_{name.upper()}": (1 << bit, _FLAG_TEXTS[bit]) for bit, name in enumerate(FLAG_NAMES)}
_KIND_TEXTS = ("Boxes.", "Balls and ellipsoids.", "Capsules.", "Cylinders.", "Shapes with a mesh of their own.",
               "Boxes around bounds.", "Lines.")  # fmt: skip
NO_WIRE = np.zeros((0, 2, 3), np.float32)
_PAGE = Page(
    "ScreeDrawing", "RefCounted", "What a space looks like at one moment, for debug views.",
    "The answer of [method Scree.drawing]: for each kind of form a buffer in the order of [method "
    "RenderingServer.multimesh_set_buffer], 12 floats of transform and 4 of colour for each instance. Forms reach from -1 to 1 "
    "along each axis; [method ScreeDrawing.get_wire] has their lines. [ScreeDebugDraw3D] shows all of it.",
)  # fmt: skip


def _checked_kind(kind: int) -> int:
    if not 0 <= kind < KINDS:
        raise ValueError(f"kind must be from 0 to {KINDS - 1}, got {kind}")
    return kind


def _buffer(drawing: Drawing, kind: int, room: int) -> np.ndarray:
    if not 0 <= room <= MOST_ROOM:
        raise ValueError(f"get_buffer: room must be from 0 to {MOST_ROOM}, got {room}")
    return drawing.padded(kind, room) if room else drawing.rows(kind)


def _mesh_buffer(drawing: Drawing, number: int) -> np.ndarray:
    if not 0 <= number < len(drawing.mesh_keys):
        raise ValueError(f"get_mesh_buffer: number must be from 0 to {len(drawing.mesh_keys) - 1}, got {number}")
    return drawing.mesh_rows(number)


def _nothing() -> Drawing:
    return Drawing([np.zeros((0, ROW_FLOATS), np.float32)] * KINDS, [0] * KINDS, np.zeros(0, np.int64))


def _add_drawing_class(engine, objects) -> PublicClass:
    made = PublicClass(engine, objects, _PAGE, make=_nothing)
    made.enum("Kind", {f"KIND_{name.upper()}": (k, _KIND_TEXTS[k]) for k, name in enumerate(KIND_NAMES)})
    kind = {"kind": enum_of("ScreeDrawing", "Kind")}
    made.method("get_count", lambda behind, kind: behind.count(_checked_kind(kind)), kind, INT,
                text="Returns the number of instances of a kind.")  # fmt: skip
    made.method(
        "get_buffer", lambda behind, kind, room: _buffer(behind, _checked_kind(kind), room), {**kind, "room": INT},
        PACKED_FLOAT32_ARRAY, defaults={"room": 0},
        text="Returns the instances of a kind, 16 floats each. With a [param room] above 0 the buffer has that many instances: "
        "those that are too many are cut, and zeros fill the rest, so that a MultiMesh keeps its size.",
    )  # fmt: skip
    made.method(
        "get_wire", lambda behind, kind: UNIT_WIRES.get(_checked_kind(kind), NO_WIRE).reshape(-1, 3), kind, PACKED_VECTOR3_ARRAY,
        text="Returns the lines of a unit form, two points each. Empty for capsules, whose form depends on their sizes "
        "([method get_capsule_wire]), and for meshes ([method Scree.drawing_mesh]).",
    )  # fmt: skip
    made.method(
        "get_capsule_wire", lambda behind, ratio: capsule_wire(min(max(ratio, 0.0), 1.0)).reshape(-1, 3), {"ratio": FLOAT},
        PACKED_VECTOR3_ARRAY,
        text="Returns the lines of a capsule's unit form, two points each. [param ratio]: its radius divided by half of its "
        "whole height. The basis of an instance has the radius along X and Z, and that half along Y.",
    )  # fmt: skip
    made.method(
        "get_mesh_buffer", _mesh_buffer, {"number": INT}, PACKED_FLOAT32_ARRAY,
        text="Returns the instances of the shape [code]mesh_keys[number][/code], 16 floats each.",
    )  # fmt: skip
    for name, type_, values, text in (
        ("counts", PACKED_INT32_ARRAY, lambda b: [b.count(kind) for kind in range(KINDS)],
         "The numbers of instances, by [enum Kind]."),
        ("mesh_keys", PACKED_INT64_ARRAY, lambda b: b.mesh_keys,
         "Numbers of the shapes with meshes of their own, for [method Scree.drawing_mesh]: hulls, meshes, height fields."),
        ("mesh_counts", PACKED_INT32_ARRAY, lambda b: b.mesh_counts, "How many instances each of [member mesh_keys] has."),
        ("mesh_version", INT, lambda b: b.mesh_version,
         "Where it differs from that of an earlier drawing, a height field may have changed: ask for its mesh again."),
        ("line_points", PACKED_VECTOR3_ARRAY, lambda b: b.lines()[0], "The ends of all lines, two for each, in global space."),
        ("line_colors", PACKED_COLOR_ARRAY, lambda b: b.lines()[1], "The colours of the lines, one for each."),
    ):  # fmt: skip
        made.property(name, type_, values, text=text)
    return made


def add_drawing_classes(scree: PublicClass, engine, objects) -> list[PublicClass]:
    """Add the drawings to the class `Scree`. Return the class of the answer."""
    made = _add_drawing_class(engine, objects)

    def drawing(server, space, what, around, distance, mask, force_scale):
        zero = frame_of_space(server, space)
        place = np.asarray(around, np.float64) + zero
        return made.make_object(server.world.drawing.draw(space, what, place, distance, mask, zero=zero, force_scale=force_scale))

    def drawing_mesh(_, key):
        return engine.running_server("drawing_mesh").world.drawing.mesh_lines(key).reshape(-1, 3)

    scree.enum("DrawFlags", FLAGS, is_bit_field=True)
    scree.method(
        "drawing", answered_call(engine, "drawing", drawing),
        {"space": RID, "what": INT, "around": VECTOR3, "distance": FLOAT, "mask": INT, "force_scale": FLOAT},
        object_of("ScreeDrawing"),
        defaults={"around": (0.0, 0.0, 0.0), "distance": 0.0, "mask": ALL_LAYERS, "force_scale": USUAL_FORCE_SCALE},
        text="Returns what a space looks like now. [param what]: a sum of [enum DrawFlags]. Nothing farther from [param around] "
        "than [param distance] is drawn; 0 draws everything. [param mask]: the collision layers that are drawn. [param "
        "force_scale]: length of the lines for forces, in metres a newton. While a step runs on another thread it waits for "
        "the end of the step; in [code]_physics_process[/code] none runs.",
    )  # fmt: skip
    scree.method(
        "drawing_mesh", drawing_mesh, {"key": INT}, PACKED_VECTOR3_ARRAY,
        text="Returns the lines of a shape, two points each, in the shape's own space. [param key]: one of "
        "[member ScreeDrawing.mesh_keys]. It takes time, once for each shape: keep the answer.",
    )  # fmt: skip
    return [made]
