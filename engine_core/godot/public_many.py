"""Thousands of bodies in one call: the part of `Scree` that makes, reads, moves and frees many bodies at once, and has a
MultiMesh draw them. MultiBody3D (addons/scree/nodes/multi_body_3d.gd) is made of these calls.

Any thread may call, but for the calls of drawn sets, which are for the main thread.
"""

import numpy as np

from .locked_calls import answered_call
from .public_class import PublicClass
from .schema import (
    BOOL, FLOAT, INT, NIL, PACKED_BYTE_ARRAY, PACKED_FLOAT32_ARRAY, PACKED_INT32_ARRAY, PACKED_INT64_ARRAY,
    PACKED_VECTOR3_ARRAY, RID, TRANSFORM3D,
)  # fmt: skip
from .server_many import ManyBodies
from .typed_values import enum_of

_BODIES, _SET = {"bodies": PACKED_INT64_ARRAY}, {"drawn_set": INT}
_BUFFER = "[member MultiMesh.buffer]"
_VELOCITIES = {**_BODIES, "linear": PACKED_VECTOR3_ARRAY, "angular": PACKED_VECTOR3_ARRAY}
_ADDED = {**_SET, "bodies": PACKED_INT64_ARRAY, "capacity": INT, "extras": PACKED_FLOAT32_ARRAY}
_PLACED = {"space": RID, "shape": RID, "transforms": PACKED_FLOAT32_ARRAY}
_FOUR = {**_SET, "first": INT, "values": PACKED_FLOAT32_ARRAY}


def _add_bodies(scree: PublicClass, engine) -> None:
    def add(
        name: str, arguments: dict, result=NIL, *, text: str, defaults: dict | None = None, method: str = "", kind=()
    ) -> None:
        def call(_, *values):
            return getattr(ManyBodies(engine.running_server(name)), method)(*kind, *values)

        scree.method(name, call, arguments, result, text=text, defaults=defaults)

    add(
        "bodies_create", {**_PLACED, "mass": FLOAT, "layer": INT, "mask": INT, "object_id": INT}, PACKED_INT64_ARRAY,
        method="create", defaults={"mass": 1.0, "layer": 1, "mask": 1, "object_id": 0},
        text=f"Makes rigid bodies of one [param shape] in a [param space]. [param transforms]: 12 numbers each, as in {_BUFFER}; "
        "one with a scale scales the shape of its body. [param mass]: of each, in kg. [param object_id]: the node that queries "
        "and areas report. Returns the ids, for [method @GlobalScope.rid_from_int64].",
    )  # fmt: skip
    add("bodies_free", _BODIES, method="free", text="Frees bodies, and takes them out of the sets that draw them.")
    add("transforms_of", _BODIES, PACKED_FLOAT32_ARRAY, method="transforms",
        text=f"Returns the transforms of bodies: 12 numbers each, as in {_BUFFER}.")  # fmt: skip
    add("set_transforms_of", {**_BODIES, "transforms": PACKED_FLOAT32_ARRAY}, method="set_transforms",
        text=f"Moves bodies: 12 numbers each, as in {_BUFFER}. Their scales stay as they are.")  # fmt: skip
    add("velocities_of", _BODIES, PACKED_VECTOR3_ARRAY, method="velocities", text="Returns the velocities of bodies, in m/s.")
    add("angular_velocities_of", _BODIES, PACKED_VECTOR3_ARRAY, method="angular_velocities",
        text="Returns the angular velocities of bodies, in rad/s.")  # fmt: skip
    add("set_velocities_of", _VELOCITIES, method="set_velocities", defaults={"angular": []},
        text="Sets velocities, in m/s, and angular velocities, in rad/s: one for each body, or one for all. An empty array "
        "leaves them as they are.")  # fmt: skip
    add("apply_impulses_to", {**_BODIES, "impulses": PACKED_VECTOR3_ARRAY}, method="apply_impulses",
        text="Applies impulses at the centres of mass, in N s: one for each body, or one for all.")  # fmt: skip
    add("are_asleep", _BODIES, PACKED_BYTE_ARRAY, method="are_asleep", text="Returns 1 for each body that sleeps.")
    add("set_param_of", {**_BODIES, "param": enum_of("PhysicsServer3D", "BodyParameter"), "value": FLOAT}, method="set_param",
        text="Sets a parameter that is one number, such as [constant PhysicsServer3D.BODY_PARAM_FRICTION].")  # fmt: skip
    add("set_layers_of", {**_BODIES, "layer": INT, "mask": INT}, method="set_layers",
        text="Sets collision layer and mask of bodies.")  # fmt: skip
    for name, flag, text in (
        ("set_asleep", "asleep", "Puts bodies to sleep, or wakes them."),
        ("set_can_sleep_of", "can_sleep", "Sets whether bodies may fall asleep."),
        ("set_continuous_of", "on", "Sets whether bodies are swept at any speed (continuous collision detection)."),
    ):
        add(name, {**_BODIES, flag: BOOL}, method="set_flag", kind=(name,), text=text)


def _add_drawn_sets(scree: PublicClass, engine) -> None:
    def add(
        name: str, arguments: dict, result=NIL, *, text: str, defaults: dict | None = None, method: str = "", kind=()
    ) -> None:
        def change(server, *values):
            return getattr(server.drawn_sets, method)(*values, *kind)

        scree.method(name, answered_call(engine, name, change), arguments, result, text=text, defaults=defaults)

    add("drawn_set_create", {"multimesh": RID, "stride": INT}, INT, method="create", defaults={"stride": 12},
        text="Makes an empty set of bodies whose transforms are written into the buffer of a [param multimesh] once a tick, and "
        "returns its number. [param stride]: numbers of a row, 12, or 16 with colours or custom data, or 20 with both. Free the "
        "set before the multimesh. For the main thread, as all calls of drawn sets.")  # fmt: skip
    add("drawn_set_free", _SET, method="free", text="Frees a set; its bodies stay.")
    add("drawn_set_add", _ADDED, method="add", defaults={"extras": np.zeros(0, np.float32)},
        text="Adds bodies behind those of a set. [param capacity]: the number of instances that the multimesh has by now. "
        "[param extras]: colours and custom data of the bodies, or nothing for white and zeros.")  # fmt: skip
    add("drawn_set_remove", {**_SET, "indices": PACKED_INT32_ARRAY}, method="remove",
        text="Takes bodies out of a set; the bodies stay, and those behind them in the set move down.")  # fmt: skip
    add("drawn_set_bodies", _SET, PACKED_INT64_ARRAY, method="bodies",
        text="Returns the bodies of a set, in the order of the instances.")  # fmt: skip
    add("drawn_set_place", {**_SET, "transform": TRANSFORM3D, "reach": FLOAT}, method="place", defaults={"reach": -1.0},
        text="Sets the global transform of the node that draws; the buffer is relative to it. [param reach]: how far the mesh "
        "reaches from its origin, in m; negative to leave the bounds of the multimesh alone.")  # fmt: skip
    add("drawn_set_interpolate", {**_SET, "on": BOOL}, method="interpolate",
        text="Sets whether the buffers of two ticks are handed over, for physics interpolation.")  # fmt: skip
    add("drawn_set_reset_interpolation", {**_SET, "indices": PACKED_INT32_ARRAY}, method="reset_interpolation",
        defaults={"indices": np.zeros(0, np.int32)},
        text="Draws bodies, without [param indices] all of them, at once where they are after the next tick.")  # fmt: skip
    add("drawn_set_colors", _FOUR, method="set_extras", kind=("drawn_set_colors", 0),
        text="Sets the first four numbers behind the transforms, such as colours, from body [param first] on.")  # fmt: skip
    add("drawn_set_custom_data", _FOUR, method="set_extras", kind=("drawn_set_custom_data", 4),
        text="Sets the custom data behind the colours, four numbers a body, from body [param first] on.")  # fmt: skip
    add("drawn_set_extras", _SET, PACKED_FLOAT32_ARRAY, method="extras",
        text="Returns the colours and custom data of the bodies of a set.")  # fmt: skip
    add("drawn_set_fell_asleep", _SET, PACKED_INT32_ARRAY, method="fell_asleep",
        text="Returns the indices of the bodies that fell asleep in the last step.")  # fmt: skip
    add("drawn_set_update", _SET, method="hand_over", text="Writes the buffer of a set now, not with the next tick.")
    add("body_index_in_set", {"body": RID}, INT, method="index",
        text="Returns the index of a body in the set that draws it, or -1.")  # fmt: skip


def add_many_methods(scree: PublicClass, engine) -> None:
    """Add the calls to the class `Scree`."""
    _add_bodies(scree, engine)
    _add_drawn_sets(scree, engine)
