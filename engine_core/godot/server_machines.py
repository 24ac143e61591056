"""Vehicles and pulleys of the core (core/vehicles.py, core/pulleys.py): the calls of a ScreeVehicle3D on the server, also usable
from GDScript.

`vehicle_create(body, description)` and `pulley_create(...)` return a handle, nothing after an error. A description is a
Dictionary: "wheels", "differentials", "tracks" and "anti_roll_bars" hold a Dictionary by number (0, 1, ...) of Dictionaries,
"engine" and "lean" one each; their keys are the fields of the classes in core/vehicles.py, curves a PackedFloat32Array of x, y,
x, y, ...
In Python, between steps, at most once a tick and vehicle.
"""

from dataclasses import fields

import numpy as np

from ..core.pulleys import Pulley
from ..core.vehicles import AntiRollBar, Differential, Engine, Lean, Track, Vehicle, Wheel
from .frames import frame_of_space
from .methods import locked_calls
from .schema import DICTIONARY, FLOAT, INT, PACKED_VECTOR3_ARRAY, RID, VECTOR3
from .things_by_number import ThingsByNumber

_LISTS = {"wheels": Wheel, "differentials": Differential, "tracks": Track, "anti_roll_bars": AntiRollBar}
_SINGLE = {"engine": Engine, "lean": Lean}
_CURVES = ("along", "across", "torque")


def _part(kind, values):
    """Build one part of a vehicle from a Dictionary. Raises ValueError."""
    name = kind.__name__
    if not isinstance(values, dict):
        raise ValueError(f"a {name} must be a Dictionary, got {values!r}")
    unknown = set(values) - {field.name for field in fields(kind)}
    if unknown:
        raise ValueError(f"a {name} has no {min(unknown, key=str)!r}")
    given = {key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in values.items()}
    for key in _CURVES:
        if key in given:
            given[key] = np.asarray(given[key], np.float64).reshape(-1, 2)
    if kind is Track and "wheels" in given:
        given["wheels"] = [int(number) for number in given["wheels"]]
    try:
        return kind(**given)
    except TypeError as error:  # a missing field
        raise ValueError(f"a {name} needs more: {error}") from None


def parts_of(description: dict) -> dict:
    """Build the arguments of `World.vehicle.create` from a description. Raises ValueError."""
    unknown = set(description) - set(_LISTS) - set(_SINGLE)
    if unknown:
        raise ValueError(f"a vehicle has no {min(unknown, key=str)!r}")
    parts = {name: _part(kind, description[name]) for name, kind in _SINGLE.items() if name in description}
    for name, kind in _LISTS.items():
        numbered = description.get(name, {})
        if not isinstance(numbered, dict) or sorted(numbered) != list(range(len(numbered))):
            raise ValueError(f"{name} must be a Dictionary with the keys 0, 1, ..., got {numbered!r}")
        parts[name] = [_part(kind, numbered[number]) for number in range(len(numbered))]
    return parts


class Machines(ThingsByNumber):
    """The vehicles and pulleys of a server, by handle."""

    def __init__(self, server):
        super().__init__("vehicle or pulley", lambda machine: machine.remove())
        self._server = server

    def _keep(self, body: int, thing: Vehicle | Pulley) -> int:
        return self.keep(self._server.world.body.system(body), thing)

    def _get(self, kind, handle: int):
        thing = self.get(handle)[1] if handle in self else None
        if not isinstance(thing, kind):
            raise ValueError(f"there is no {kind.__name__.lower()} {handle}")
        return thing

    def create_vehicle(self, body: int, description: dict) -> int:
        return self._keep(body, self._server.world.vehicle.create(body, **parts_of(description)))

    def drive(self, handle: int, throttle: float, right: float, brake: float, hand_brake: float) -> None:
        self._get(Vehicle, handle).drive(throttle, right, brake, hand_brake)

    def wheels(self, handle: int) -> np.ndarray:
        """float32 (n, 3): length of the suspension [m], steering to the left and rotation angle [rad]."""
        rows = self._get(Vehicle, handle).wheels
        return np.stack([rows["length"], rows["steering"], rows["turned"]], axis=1).astype(np.float32)

    def vehicle_state(self, handle: int) -> dict:
        vehicle = self._get(Vehicle, handle)
        on_ground = int((vehicle.wheels["ground"] >= 0).sum())
        return {"speed": vehicle.speed, "rpm": vehicle.engine_rpm, "gear": vehicle.gear, "wheels_on_ground": on_ground}

    def create_pulley(self, body_a: int, body_b: int, point_a, point_b, fixed_a, fixed_b, ratio: float) -> int:
        """Create a pulley: points in the frames of the bodies, the wheels in Godot's coordinates; a null RID is the world."""
        world = self._server.world
        one = body_a or body_b
        zero = frame_of_space(self._server, world.body.system(one))
        points = [point + zero if not body else point for body, point in ((body_a, point_a), (body_b, point_b))]
        fixed = [np.asarray(place) + zero for place in (fixed_a, fixed_b)]
        return self._keep(one, world.pulley.create(body_a, body_b, *points, *fixed, ratio=ratio))

    def set_length(self, handle: int, shortest: float, longest: float) -> None:
        self._get(Pulley, handle).set_length(shortest, longest)

    def pulley_state(self, handle: int) -> dict:
        pulley = self._get(Pulley, handle)
        return {"length": pulley.length, "tension": pulley.tension}


def add_machine_methods(methods, engine) -> None:
    """Register the methods; `engine.server` exists when one is called."""
    locked = locked_calls(engine, "machines")
    handle, points = {"handle": INT}, dict.fromkeys(("point_a", "point_b", "fixed_a", "fixed_b"), VECTOR3)
    methods.cold("vehicle_create", locked("create_vehicle"), {"body": RID, "description": DICTIONARY}, INT)
    driven = dict.fromkeys(("throttle", "right", "brake", "hand_brake"), FLOAT)
    methods.cold("vehicle_drive", locked("drive"), {**handle, **driven})
    methods.cold("vehicle_wheels", locked("wheels"), handle, PACKED_VECTOR3_ARRAY)
    methods.cold("vehicle_state", locked("vehicle_state"), handle, DICTIONARY)
    methods.cold("vehicle_remove", locked("remove"), handle)
    methods.cold("pulley_create", locked("create_pulley"), {"body_a": RID, "body_b": RID, **points, "ratio": FLOAT}, INT)
    methods.cold("pulley_set_length", locked("set_length"), {**handle, "shortest": FLOAT, "longest": FLOAT})
    methods.cold("pulley_state", locked("pulley_state"), handle, DICTIONARY)
    methods.cold("pulley_remove", locked("remove"), handle)
