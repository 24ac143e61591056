"""The interface for making and driving vehicles: cars, trucks, tanks, motorcycles.

    wheels = [Wheel(position=(x, 0.0, z), most_steering=0.6 if z < 0 else 0.0) for z in (-1.3, 1.3) for x in (-0.8, 0.8)]
    car = world.vehicle.create(body, wheels, engine=Engine(most_torque=500.0), differentials=[Differential(2, 3)])
    car.drive(throttle=1.0, right=0.2)
    world.step(system, 1 / 60)
    print(car.speed, car.gear, car.wheel_force(0))

The body is any rigid body; its shapes are the car's. Forward is -Z and up +Y of the body's frame unless set otherwise. A body
that falls asleep takes its vehicle with it; `drive` wakes it. Call it on the thread that steps the body's system, between steps.
Bad input raises ValueError (a value) or KeyError (an id), naming the call and the value, and changes nothing.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ..bodies.schema import RIGID
from ..constraints.vehicle_schema import (
    ANTI_ROLL_BAR, CURVE_POINTS, CYLINDER_WHEEL, DRIVE, MOST_GEARS, MOST_WHEELS, MOTORCYCLE, RAY_WHEEL, SHAFT, SPHERE_WHEEL,
    TRACKED, VEHICLE, WHEEL, WHEELED,
)  # fmt: skip
from ..geometry.turning import turn_from_y, turned
from ..edit import body_placement
from ..runtime.memory import address_of
from ..runtime.recorded_calls import recorded
from ..shapes.schema import CYLINDER, SPHERE
from ..solver.vehicles import begin_vehicle, solve_vehicle
from .listeners import ListeningConstraint
from .part import Part
from .queries import install_queries

RPM = 2.0 * math.pi / 60.0
"""One turn a minute [rad/s]."""
Curve = Sequence[tuple[float, float]]
DEGREE = math.pi / 180.0
ALONG: Curve = ((0.0, 0.0), (0.06, 1.2), (0.2, 1.0))
ACROSS: Curve = ((0.0, 0.0), (3.0 * DEGREE, 1.2), (20.0 * DEGREE, 1.0))
TORQUE: Curve = ((0.0, 0.8), (0.66, 1.0), (1.0, 0.8))


@dataclass
class Wheel:
    """A wheel and its suspension. Lengths [m], directions in the body's frame, position from the body's origin."""

    position: Sequence[float]  # where the suspension is fixed
    radius: float = 0.3
    width: float = 0.1
    shortest: float = 0.3  # length of the suspension, to the centre of the wheel
    longest: float = 0.5
    preload: float = 0.0
    stiffness: float = 40_000.0  # [N/m]
    damping: float = 3_000.0  # [N s/m]
    most_steering: float = 0.0  # [rad]
    inertia: float = 0.9  # [kg m^2]
    rolling_damping: float = 0.2  # [1/s]
    most_brake: float = 1_500.0  # torque [N m]
    most_hand_brake: float = 4_000.0
    along: Curve = ALONG  # friction by slip ratio
    across: Curve = ACROSS  # friction by slip angle [rad]
    cast: str = "ray"  # what finds the ground: "ray", "sphere" or "cylinder"
    suspension: Sequence[float] = (0.0, -1.0, 0.0)
    steering_axis: Sequence[float] = (0.0, 1.0, 0.0)
    forward: Sequence[float] | None = None  # the vehicle's by default


@dataclass
class Engine:
    """An engine with clutch and gears: torques [N m], inertia [kg m^2], rpm, times [s]. Ratios are turns of the engine per turn
    of the input of the differentials, without unit."""

    most_torque: float = 500.0  # [N m]
    least_rpm: float = 1_000.0
    most_rpm: float = 6_000.0
    torque: Curve = TORQUE  # part of the torque by part of the highest speed
    inertia: float = 0.5  # [kg m^2]
    damping: float = 0.2  # [1/s]
    gears: Sequence[float] = (2.66, 1.78, 1.3, 1.0, 0.74)
    reverse: Sequence[float] = (-2.9,)
    is_automatic: bool = True
    clutch_strength: float = 10.0  # [N m s]
    shift_up_rpm: float = 4_000.0
    shift_down_rpm: float = 2_000.0
    shift_time: float = 0.3  # how long the clutch is open [s]
    shift_pause: float = 0.5  # how long no other shift is made [s]


@dataclass
class Differential:
    """Couples one or two wheels, by their numbers, to the engine. `ratio`: turns of the engine's shaft per turn of the wheels; no
    unit."""

    left: int
    right: int = -1
    ratio: float = 3.42
    split: float = 0.5  # part of the torque for the right wheel
    slip_limit: float = 1.4  # how many times faster one may turn than the other; 0: open
    share: float = 1.0  # of the engine's torque, where there are several


@dataclass
class Track:
    """A track of a tank: wheels, by their numbers, that turn as one, driven by the engine. `radius` [m], `inertia` [kg m^2],
    `damping` [1/s], `most_brake` [N m]."""

    wheels: Sequence[int]
    radius: float | None = None  # of the driven wheel; that of the first wheel by default [m]
    ratio: float = 6.0
    inertia: float = 10.0  # [kg m^2]
    damping: float = 0.5  # [1/s]
    most_brake: float = 15_000.0  # [N m]


@dataclass
class AntiRollBar:
    """Presses a wheel down: `stiffness` [N/m] times how much farther its neighbour is compressed."""

    left: int
    right: int
    stiffness: float = 1_000.0  # [N/m]


@dataclass
class Lean:
    """How a motorcycle leans into curves: at most by `most` [rad], as a spring of `frequency` [1/s] with a damping ratio."""

    most: float = 45.0 * DEGREE
    frequency: float = 2.5  # [1/s]
    damping: float = 1.0  # ratio


def _refuse(what: str, value) -> ValueError:
    return ValueError(f"create_vehicle: {what}, got {value!r}")


def _number(name: str, value, least: float = 0.0, is_above: bool = False) -> float:
    number = float(value)
    if not math.isfinite(number) or number < least or (is_above and number == least):
        raise _refuse(f"{name} must be {'above' if is_above else 'at least'} {least:g} and finite", value)
    return number


def _check_finite(call: str, asked: dict[str, float]) -> None:
    for name, value in asked.items():
        if not math.isfinite(value):
            raise ValueError(f"{call}: {name} must be finite, got {value!r}")


def _direction(name: str, value) -> np.ndarray:
    vector = np.asarray(value, dtype=np.float64)
    if vector.shape != (3,) or not np.isfinite(vector).all() or np.linalg.norm(vector) < 1e-6:
        raise _refuse(f"{name} must be three numbers that are no zero vector", value)
    return vector / np.linalg.norm(vector)


def _write_curve(name: str, row, points: Curve) -> None:
    numbers = np.asarray(points, dtype=np.float64)
    if numbers.ndim != 2 or numbers.shape[1] != 2 or not 1 <= len(numbers) <= CURVE_POINTS or not np.isfinite(numbers).all():
        raise _refuse(f"{name} must be 1 to {CURVE_POINTS} points (x, y)", points)
    if (np.diff(numbers[:, 0]) <= 0.0).any():
        raise _refuse(f"{name} must rise in x", points)
    row["count"] = len(numbers)
    row["x"][: len(numbers)], row["y"][: len(numbers)] = numbers.T


class Vehicle(ListeningConstraint):
    """A vehicle in a space. Made by `Space.add_vehicle`, or by `vehicle.create` of the core's World."""

    def __init__(self, world, system: int, body: int, record: np.ndarray, parts: dict[str, np.ndarray], shapes: list[int]):
        super().__init__(world, system, [body], record, begin_vehicle, solve_vehicle)
        self.body, self._parts, self._shapes = body, parts, shapes

    def records(self) -> list[tuple[str, np.ndarray, tuple[str, ...]]]:
        """The rows of the vehicle, its wheels, shafts, drives and bars; see ListeningConstraint."""
        places = (*self._parts, "query", "hit")
        return [("record", self._record, places), *((name, rows, ()) for name, rows in self._parts.items())]

    @recorded("Vehicle")
    def drive(self, throttle: float = 0.0, right: float = 0.0, brake: float = 0.0, hand_brake: float = 0.0) -> None:
        """Set the driver's input until the next call: throttle and steering -1 to 1, brakes 0 to 1, clamped, no units. An
        automatic drives backwards with a negative throttle. Raises ValueError for NaN and infinity, KeyError after the vehicle,
        its space or its body was freed."""
        self._control("drive", throttle=throttle, right=right, brake=brake, hand_brake=hand_brake)
        if throttle or right:
            body_placement.wake(self._world.address, int(self.row["body"]))

    def _control(self, call: str, **asked: float) -> None:
        self._check_there(call)
        _check_finite(call, asked)
        for name, value in asked.items():
            self.row[name] = min(max(float(value), 0.0 if "brake" in name else -1.0), 1.0)

    @recorded("Vehicle")
    def drive_tracks(self, throttle: float, left: float = 1.0, right: float = 1.0, brake: float = 0.0) -> None:
        """Drive a tank: each track runs at a fraction of the engine's speed, -1 to 1, and different fractions turn the tank; no
        units. Raises ValueError, KeyError."""
        if int(self.row["kind"]) != TRACKED:
            raise ValueError("drive_tracks: the vehicle has no tracks")
        _check_finite("drive_tracks", {"left": left, "right": right})
        self._control("drive_tracks", throttle=throttle, right=0.0, brake=brake, hand_brake=0.0)
        for drive, part in zip(self._parts["drives"], (left, right), strict=False):
            drive["input"] = min(max(float(part), -1.0), 1.0)
        body_placement.wake(self._world.address, int(self.row["body"]))

    @recorded("Vehicle")
    def set_gear(self, gear: int, clutch: float = 1.0) -> None:
        """Shift by hand: 1 is the first gear, 0 neutral, -1 the first reverse gear; clutch 0 (open) to 1; no units. Raises
        ValueError, KeyError."""
        self._check_there("set_gear")
        if not -int(self.row["reverse_count"]) <= gear <= int(self.row["gear_count"]):
            raise ValueError(f"set_gear: there are gears -{self.row['reverse_count']} to {self.row['gear_count']}, got {gear}")
        self.row["gear"], self.row["clutch"] = gear, min(max(float(clutch), 0.0), 1.0)

    @property
    def speed(self) -> float:
        """Forward speed [m/s]. Raises KeyError after the vehicle, its space or its body was freed."""
        self._check_there("speed")
        body = self._world.bodies.rows[int(self.row["body"])]
        forward = turned(body["rotation"].astype(np.float64), self.row["forward"])
        return float(forward @ body["linear_velocity"])

    @property
    def engine_rpm(self) -> float:
        """Engine speed [1/min]."""
        return float(self.row["engine_speed"]) / RPM

    @property
    def gear(self) -> int:
        """The current gear."""
        return int(self.row["gear"])

    @property
    def wheels(self) -> np.ndarray:
        """Rows of WHEEL: `length` of the suspension, `steering`, `turned`, `slip`, `ground` (body index, -1: in the air) ..."""
        return self._parts["wheels"]

    @property
    def shafts(self) -> np.ndarray:
        """Rows of SHAFT: `speed` [rad/s] ..."""
        return self._parts["shafts"]

    def wheel_force(self, number: int) -> tuple[float, float, float]:
        """Forces of a wheel on the body in the last step [N]: along the normal, forward, and to the right. Raises KeyError after
        the vehicle, its space or its body was freed."""
        self._check_there("wheel_force")
        wheel = self.wheels[number]
        time = float(self._world.system(self._system).row["step"]["last_delta_time"])
        if wheel["ground"] < 0 or time <= 0.0:
            return 0.0, 0.0, 0.0
        return float(wheel["total_push"]) / time, float(wheel["total_drive"]) / time, float(wheel["total_side"]) / time

    @recorded("Vehicle")
    def remove(self) -> None:
        """Take the wheels off the body, also if the body was freed before. Nothing else may be called afterwards. Raises KeyError
        the second time."""
        super().remove()
        for shape in self._shapes:
            self._world.shape.destroy(shape)
        self._shapes = []


@dataclass
class _Parts:
    """The parts of a vehicle, checked and written to rows."""

    wheels: np.ndarray
    shafts: np.ndarray
    drives: np.ndarray = field(default_factory=lambda: np.zeros(0, DRIVE))
    bars: np.ndarray = field(default_factory=lambda: np.zeros(0, ANTI_ROLL_BAR))


class VehicleInterface(Part):
    """The part of a `World` that handles vehicles."""

    @recorded("vehicle")
    def create(
        self, body: int, wheels: Sequence[Wheel], engine: Engine | None = None, differentials: Sequence[Differential] = (),
        tracks: Sequence[Track] = (), anti_roll_bars: Sequence[AntiRollBar] = (), lean: Lean | None = None,
        forward=(0.0, 0.0, -1.0), up=(0.0, 1.0, 0.0), mask: int | None = None,
    ) -> Vehicle:  # fmt: skip
        """Put a rigid body on wheels. With `tracks` it is a tank, with `lean` a motorcycle; without an engine it rolls. `mask`:
        the collision layers its wheels stand on, by default those of the body's mask. Raises KeyError, ValueError."""
        index = self._world.body.index("create_vehicle", body)
        row = self._bodies.rows[index]
        if int(row["mode"]) < RIGID or int(row["system"]) < 0:
            raise ValueError("create_vehicle: the body must be rigid and in a space")
        if not 1 <= len(wheels) <= MOST_WHEELS:
            raise _refuse(f"there must be 1 to {MOST_WHEELS} wheels", len(wheels))
        record = np.zeros(1, dtype=VEHICLE)
        vehicle = record[0]
        vehicle["body"], vehicle["body_id"], vehicle["is_enabled"] = index, body, 1
        vehicle["forward"], vehicle["up"] = _direction("forward", forward), _direction("up", up)
        vehicle["collision_mask"] = int(row["collision_mask"]) if mask is None else mask
        vehicle["kind"] = TRACKED if tracks else MOTORCYCLE if lean else WHEELED
        vehicle["query"]["rotation"][3] = 1.0
        parts = _Parts(np.zeros(len(wheels), WHEEL), np.zeros(len(tracks) or len(wheels), SHAFT))
        _write_shafts(parts, wheels, tracks)
        parts.drives, parts.bars = _drives(wheels, differentials, tracks), _bars(wheels, anti_roll_bars)
        if engine is not None:
            _write_engine(vehicle, engine)
        if lean is not None:
            vehicle["lean_frequency"] = _number("lean.frequency", lean.frequency)
            vehicle["lean_damping"] = _number("lean.damping", lean.damping)
            vehicle["most_lean"] = min(_number("lean.most", lean.most), 80.0 * DEGREE)
        for wheel_row, wheel in zip(parts.wheels, wheels, strict=True):
            _write_wheel(wheel_row, wheel, vehicle["forward"])
        kept = {"wheels": parts.wheels, "shafts": parts.shafts, "drives": parts.drives, "bars": parts.bars}
        for name, rows in kept.items():
            vehicle[name], vehicle[f"{name[:-1]}_count"] = address_of(rows), len(rows)
        system = int(self._systems.rows[int(row["system"])]["id"])
        install_queries(self._world.system(system).row)
        shapes: list[int] = []
        try:
            for wheel_row, wheel in zip(parts.wheels, wheels, strict=True):
                self._add_wheel_shape(shapes, wheel_row, wheel)
            return Vehicle(self._world, system, body, record, kept, shapes)
        except BaseException:
            for shape in shapes:
                self._world.shape.destroy(shape)
            raise

    def _add_wheel_shape(self, shapes: list[int], row, wheel: Wheel) -> None:
        """Make the shape that finds the ground for a wheel and add its id to `shapes`; none for a wheel that uses a ray."""
        if wheel.cast == "ray":
            row["kind"] = RAY_WHEEL
            return
        row["kind"] = SPHERE_WHEEL if wheel.cast == "sphere" else CYLINDER_WHEEL
        shape = self._world.shape.create(SPHERE if wheel.cast == "sphere" else CYLINDER)
        shapes.append(shape)
        index = self._world.shape.index("create_vehicle", shape)
        if wheel.cast == "sphere":
            self._shapes.set_sphere(index, wheel.radius)
        else:
            self._shapes.set_cylinder(index, wheel.radius, wheel.width)
            row["shape_rotation"] = turn_from_y(np.cross(row["forward"], row["steering_axis"]))
        row["shape"] = index


def _write_wheel(row, wheel: Wheel, forward: np.ndarray) -> None:
    if wheel.cast not in ("ray", "sphere", "cylinder"):
        raise _refuse("cast must be ray, sphere or cylinder", wheel.cast)
    position = np.asarray(wheel.position, dtype=np.float64)
    if position.shape != (3,) or not np.isfinite(position).all():
        raise _refuse("position must be three numbers", wheel.position)
    row["position"] = position
    row["suspension"] = _direction("suspension", wheel.suspension)
    row["steering_axis"] = _direction("steering_axis", wheel.steering_axis)
    row["forward"] = forward if wheel.forward is None else _direction("forward", wheel.forward)
    row["shape_rotation"][3] = 1.0
    for name in ("shortest", "preload", "stiffness", "damping", "most_steering"):
        row[name] = _number(name, getattr(wheel, name))
    row["radius"] = _number("radius", wheel.radius, is_above=True)
    row["width"] = _number("width", wheel.width, is_above=True)
    row["longest"] = _number("longest", wheel.longest, wheel.shortest)
    row["length"], row["ground"] = row["longest"], -1
    _write_curve("along", row["rolling_friction"], wheel.along)
    _write_curve("across", row["side_friction"], wheel.across)


def _write_shafts(parts: _Parts, wheels: Sequence[Wheel], tracks: Sequence[Track]) -> None:
    """Write one shaft for each wheel, or for each track."""
    if not tracks:
        parts.wheels["shaft"] = np.arange(len(wheels))
        for shaft, wheel in zip(parts.shafts, wheels, strict=True):
            shaft["inertia"] = _number("inertia", wheel.inertia, is_above=True)
            shaft["damping"] = _number("rolling_damping", wheel.rolling_damping)
            shaft["radius"] = _number("radius", wheel.radius, is_above=True)
            shaft["most_brake"] = _number("most_brake", wheel.most_brake)
            shaft["most_hand_brake"] = _number("most_hand_brake", wheel.most_hand_brake)
        return
    of_track = [number for track in tracks for number in track.wheels]
    if sorted(of_track) != list(range(len(wheels))):
        raise _refuse("every wheel must be in one track", of_track)
    for number, (shaft, track) in enumerate(zip(parts.shafts, tracks, strict=True)):
        parts.wheels["shaft"][list(track.wheels)] = number
        shaft["inertia"] = _number("inertia", track.inertia, is_above=True)
        shaft["damping"] = _number("damping", track.damping)
        shaft["radius"] = _number("radius", track.radius or wheels[track.wheels[0]].radius, is_above=True)
        shaft["most_brake"] = _number("most_brake", track.most_brake)


def _drives(wheels: Sequence[Wheel], differentials: Sequence[Differential], tracks: Sequence[Track]) -> np.ndarray:
    if tracks and differentials:
        raise _refuse("a vehicle has tracks or differentials, not both", differentials)
    rows = np.zeros(len(tracks) + len(differentials), DRIVE)
    rows["shafts"], rows["share"], rows["input"] = -1, 1.0, 1.0
    for number, (row, track) in enumerate(zip(rows, tracks, strict=False)):
        row["shafts"][0], row["ratio"] = number, _number("ratio", track.ratio, is_above=True)
    for row, differential in zip(rows[len(tracks) :], differentials, strict=True):
        for side in (differential.left, differential.right):
            if not -1 <= side < len(wheels):
                raise _refuse(f"there are wheels 0 to {len(wheels) - 1}", side)
        if differential.left < 0:
            raise _refuse("a differential needs a left wheel", differential)
        row["shafts"] = differential.left, differential.right
        row["ratio"] = _number("ratio", differential.ratio, is_above=True)
        row["split"] = min(_number("split", differential.split), 1.0)
        row["slip_limit"] = _number("slip_limit", differential.slip_limit)
        row["share"] = _number("share", differential.share)
    return rows


def _bars(wheels: Sequence[Wheel], bars: Sequence[AntiRollBar]) -> np.ndarray:
    rows = np.zeros(len(bars), ANTI_ROLL_BAR)
    for row, bar in zip(rows, bars, strict=True):
        if not (0 <= bar.left < len(wheels) and 0 <= bar.right < len(wheels)):
            raise _refuse(f"there are wheels 0 to {len(wheels) - 1}", bar)
        row["left"], row["right"], row["stiffness"] = bar.left, bar.right, _number("stiffness", bar.stiffness)
    return rows


def _write_engine(vehicle, engine: Engine) -> None:
    if not 1 <= len(engine.gears) <= MOST_GEARS or len(engine.reverse) > MOST_GEARS:
        raise _refuse(f"there must be 1 to {MOST_GEARS} gears", engine.gears)
    if min(engine.gears) <= 0.0 or max(engine.reverse, default=-1.0) >= 0.0:
        raise _refuse("ratios forwards must be positive, backwards negative", (engine.gears, engine.reverse))
    vehicle["most_torque"] = _number("most_torque", engine.most_torque, is_above=True)
    vehicle["least_speed"] = _number("least_rpm", engine.least_rpm) * RPM
    vehicle["most_speed"] = _number("most_rpm", engine.most_rpm, engine.least_rpm, is_above=True) * RPM
    vehicle["engine_speed"] = vehicle["least_speed"]
    vehicle["engine_inertia"] = _number("inertia", engine.inertia, is_above=True)
    vehicle["engine_damping"] = _number("damping", engine.damping)
    _write_curve("torque", vehicle["torque_curve"], engine.torque)
    vehicle["gears"][: len(engine.gears)], vehicle["gear_count"] = engine.gears, len(engine.gears)
    vehicle["reverse"][: len(engine.reverse)], vehicle["reverse_count"] = engine.reverse, len(engine.reverse)
    vehicle["is_automatic"], vehicle["clutch"] = int(engine.is_automatic), 1.0
    vehicle["clutch_strength"] = _number("clutch_strength", engine.clutch_strength, is_above=True)
    vehicle["shift_up"], vehicle["shift_down"] = engine.shift_up_rpm * RPM, engine.shift_down_rpm * RPM
    vehicle["shift_time"] = _number("shift_time", engine.shift_time)
    vehicle["shift_pause"] = _number("shift_pause", engine.shift_pause)
    vehicle["since_shift"] = 1.0e3
