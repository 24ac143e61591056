"""The interface for making, setting and reading joints, in Python, for rare operations.

    hinge = world.joint.create("hinge", door_frame, door, frame_a, frame_b)     # about the x axis of the frames
    world.joint.set_limits(hinge, TWIST, -1.5, 1.5)
    world.joint.set_motor(hinge, TWIST, 2.0, 50.0)

Axes are those of `joints.schema`: LINEAR_X, LINEAR_Y, LINEAR_Z, TWIST, SWING_Y, SWING_Z, CONE, DISTANCE. Angles
are right-handed, of B relative to A. A gear and a rack couple the speeds of bodies that hinges and sliders hold.
Call it on the thread that steps the bodies' systems, between steps.
Bad input raises ValueError (a value) or KeyError (an id), naming the call and the value, and changes nothing.
"""

import math
import threading
from dataclasses import dataclass

import numpy as np

from ..bodies.identity import describe_id, index_of, kind_of, make_id
from ..bodies.schema import FILTER_CHANGED, HAS_EXCEPTIONS, IS_IN_BATCH, KIND_JOINT
from ..edit import body_placement, joint_placement
from ..joints.schema import (
    ANGULAR_AXES, AXIS_COUNT, CONE, DISTANCE, GEAR, IS_BROKEN, IS_CONNECTED, IS_ENABLED, JOINT, LIMITS_IMPULSES, LINEAR_AXES,
    LINEAR_Y, LINEAR_Z, RACK, SWING_Y, SWING_Z, TWIST, UNLIMITED,
)  # fmt: skip
from ..runtime.memory import Pool
from ..runtime.recorded_calls import recorded
from ..shapes.pool import split_basis
from .body_shapes import IDENTITY
from .part import Part

AXIS_NAMES = ("linear x", "linear y", "linear z", "twist", "swing y", "swing z", "cone", "distance")
SWINGS = 1 << SWING_Y | 1 << SWING_Z
# kind: (bits of the locked axes, bits of the axes that start with limits of zero)
KINDS = {
    "fixed": (LINEAR_AXES | ANGULAR_AXES, 0),
    "point": (LINEAR_AXES, 0),
    "distance": (0, 1 << DISTANCE),
    "hinge": (LINEAR_AXES | SWINGS, 0),
    "slider": (1 << LINEAR_Y | 1 << LINEAR_Z | ANGULAR_AXES, 0),
    "cone": (LINEAR_AXES, 1 << CONE),
    "swing_twist": (LINEAR_AXES, 1 << CONE | 1 << TWIST),
    "six_dof": (LINEAR_AXES | ANGULAR_AXES, 0),
    "gear": (0, 0),
    "rack_and_pinion": (0, 0),
}
RATIO_AXES = {"gear": GEAR, "rack_and_pinion": RACK}
KIND_NAMES = tuple(KINDS)
NARROWEST = 1e-4
"""Limits closer than this [m], [rad] lock the axis between them."""
ROD_HERTZ, ROD_DAMPING = 60.0, 1.0
"""The spring of a locked distance: as stiff as the solver can hold."""


@dataclass(frozen=True)
class LimitFeel:
    """How a limit behaves. `hertz`: how firm it is [1/s], 0: as firm as a locked axis. `is_springy`: it yields as a spring; else
    nothing passes it, and what is beyond is only brought back slowly. `restitution`: 0 to 1. `max_force` [N], [N m]."""

    hertz: float = 0.0
    damping_ratio: float = 1.0
    is_springy: bool = False
    restitution: float = 0.0
    max_force: float = math.inf


class JointPool:
    """Rows of JOINT, for all systems. `keeps_apart`: pairs of body indices that a joint keeps from colliding, by joint.
    `setting`: how errors name the limit."""

    def __init__(self, capacity: int, setting: str = ""):
        self.pool = Pool("joints", JOINT, capacity, setting=setting)
        self.rows = self.pool.rows
        self.count = 0
        self.keeps_apart: dict[int, tuple[int, int]] = {}
        self._free: list[int] = []
        self._lock = threading.Lock()

    def take(self) -> int:
        """Take a row for a new joint and return its index. Raises PoolFull."""
        with self._lock:
            if self._free:
                index = self._free.pop()
                sequence = int(self.rows[index]["sequence"])
            elif self.count < self.pool.capacity:
                index, sequence = self.count, 1
                self.count += 1
            else:
                raise self.pool.full()
            self.rows[index] = np.zeros((), dtype=JOINT)
            row = self.rows[index]
            row["sequence"], row["id"] = sequence, make_id(KIND_JOINT, index, sequence)
            return index

    def prefer(self, identity: int) -> None:
        """Have the next joint that is made get this id: for a replay. Raises ValueError if its row is in use."""
        index = index_of(identity)
        with self._lock:
            if index >= self.pool.capacity or self.rows[index]["id"]:
                raise ValueError(f"prefer: the row of {describe_id(identity)} is in use")
            self._free = [*({*self._free, *range(self.count, index)} - {index}), index]
            self.count, self.rows[index]["sequence"] = max(self.count, index + 1), identity >> 32

    def give_back(self, index: int) -> None:
        """Free a row; its id is stale from here on."""
        with self._lock:
            row = self.rows[index]
            row["id"] = 0
            row["sequence"] = (int(row["sequence"]) + 1) & 0x7FFFFFFF or 1
            self._free.append(index)


def _number(call: str, name: str, value, least: float = -math.inf) -> float:
    """Check a number that must not be less than `least`. Infinity means no limit where `least` is 0."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{call}: {name} must be a number, got {value!r}") from None
    if math.isnan(number) or number < least or (least < 0.0 and math.isinf(number)):
        bound = f" and at least {least:g}" if least > -math.inf else ""
        raise ValueError(f"{call}: {name} must be a finite number{bound}, got {value!r}")
    return min(number, UNLIMITED)


class JointInterface(Part):
    """The part of a `World` that handles joints."""

    def index(self, call: str, identity: int) -> int:
        """Index of the joint with this id. Raises KeyError for a freed, foreign or wrong id."""
        index = index_of(identity)
        is_joint = kind_of(identity) == KIND_JOINT and index < self._joints.count
        if not is_joint or self._joints.rows[index]["id"] != identity:
            why = "it was freed" if is_joint else "it is no joint"
            raise KeyError(f"{call}: there is no joint {describe_id(identity)}: {why}")
        return index

    def row(self, call: str, identity: int):
        """The JOINT row of the joint with this id. Raises KeyError."""
        return self._joints.rows[self.index(call, identity)]

    # Life.

    @recorded("joint")
    def create(self, kind: str, body_a: int, body_b: int, frame_a=IDENTITY, frame_b=IDENTITY, collides=False) -> int:
        """Create a joint of one of `KINDS` between two bodies and return its id. A body of 0 is the world. Frames are twelve
        numbers (basis by rows, origin [m]) relative to the bodies' origins; for the world, in world axes. `collides`: whether the
        two bodies push each other.

        A joint made before its bodies are in a system acts once both are in the same one. Raises ValueError, KeyError,
        PoolFull."""
        if kind not in KINDS:
            raise ValueError(f"create_joint: kind must be one of {', '.join(KINDS)}, got {kind!r}")
        if body_a == body_b:
            raise ValueError(f"create_joint: body_a and body_b must differ, got {describe_id(body_a)} twice")
        bodies = [self._world.body.index("create_joint", body) if body else -1 for body in (body_a, body_b)]
        for index, body in zip(bodies, (body_a, body_b), strict=True):
            if index >= 0 and int(self._bodies.rows[index]["flags"]) & IS_IN_BATCH:
                raise ValueError(
                    f"create_joint: the body {describe_id(body)} belongs to a tile, which comes and goes: hold it by the world"
                )
        frames = [_frame(name, frame) for name, frame in (("frame_a", frame_a), ("frame_b", frame_b))]
        index = self._joints.take()
        row = self._joints.rows[index]
        row["bodies"] = bodies
        row["flags"], row["kind"], row["colour"] = IS_ENABLED, KIND_NAMES.index(kind), -1
        row["locked"], row["limited"] = KINDS[kind]
        row["spring_force"] = row["motor_force"] = UNLIMITED
        row["max_impulse"] = row["break_force"] = row["break_torque"] = row["limit_force"] = UNLIMITED
        for side, (position, rotation) in enumerate(frames):
            row["frame_positions"][side], row["frame_rotations"][side] = position, rotation
        if kind in RATIO_AXES:
            row["lower"][RATIO_AXES[kind]], row["driven"] = 1.0, 1 << RATIO_AXES[kind]
        joint_placement.connect_joint(self._address, index)
        if not collides:
            self._keep_apart(index)
        return int(row["id"])

    @recorded("joint")
    def destroy(self, identity: int) -> None:
        """Free a joint; its bodies wake."""
        index = self.index("destroy_joint", identity)
        self._release_joint(index)
        self._joints.give_back(index)

    def _release_joint(self, index: int) -> None:
        """Release the bodies. The row stays, but holds nothing."""
        joint_placement.disconnect_joint(self._address, index)
        self._let_collide(index)
        self._joints.rows[index]["bodies"] = -1

    def release_all(self, body: int) -> None:
        """Release the joints of a body that is being freed: they stay, but hold nothing."""
        while (key := int(self._bodies.rows[body]["first_joint"])) >= 0:
            self._release_joint(key >> 1)

    def retire_broken(self, system_row) -> None:
        """Let the bodies of joints that broke in the last step collide again."""
        if not system_row["joints"]["some_broke"]:
            return
        system_row["joints"]["some_broke"] = 0
        broken = np.flatnonzero(self._joints.rows["flags"][: self._joints.count] & IS_BROKEN)
        for index in broken:
            self._let_collide(int(index))

    # Collision between joined bodies.

    def _keep_apart(self, index: int) -> None:
        a, b = (int(body) for body in self._joints.rows[index]["bodies"])
        if a < 0 or b < 0 or index in self._joints.keeps_apart:
            return
        self._joints.keeps_apart[index] = (a, b)
        self._exceptions.add_joint(a, b)
        for body in (a, b):
            self._world.body.set_flag(body, HAS_EXCEPTIONS, True)
            body_placement.mark(self._address, body, FILTER_CHANGED)

    def _let_collide(self, index: int) -> None:
        pair = self._joints.keeps_apart.pop(index, None)
        if pair is not None:
            self._exceptions.remove_joint(*pair)
            for body in pair:
                body_placement.mark(self._address, body, FILTER_CHANGED)

    @recorded("joint")
    def set_collides(self, identity: int, collides: bool) -> None:
        """Set whether the joined bodies push each other."""
        index = self.index("joint_set_collides", identity)
        if collides:
            self._let_collide(index)
        else:
            self._keep_apart(index)

    # Settings.

    def _axis(self, call: str, axis: int) -> int:
        if not isinstance(axis, int) or not 0 <= axis <= DISTANCE:
            raise ValueError(f"{call}: axis must be 0 to {DISTANCE} ({', '.join(AXIS_NAMES)}), got {axis!r}")
        return axis

    @recorded("joint")
    def set_limits(self, identity: int, axis: int, lower: float, upper: float) -> None:
        """Limit an axis to [lower, upper] ([m], [rad]). Equal limits lock it there. A lower limit above the upper one frees it,
        and so do limits of an angle that allow a full turn."""
        index = self.index("joint_set_limits", identity)
        axis = self._axis("joint_set_limits", axis)
        lower = _number("joint_set_limits", "lower", lower, -UNLIMITED)
        upper = _number("joint_set_limits", "upper", upper, -UNLIMITED)
        _limit(self._joints.rows[index], axis, lower, upper)
        joint_placement.joint_changed(self._address, index)

    @recorded("joint")
    def configure(
        self, identity: int, limits, springs=None, motors=None, max_impulse: float = math.inf, locks=None, feel=None
    ) -> None:
        """Set all of a joint at once, each by axis: `limits` (lower, upper), `springs` (stiffness, damping, target), `motors`
        (velocity, max_force), `locks` that yield (hertz, damping ratio, target, max_force), `feel` of limits (LimitFeel). Axes
        that are not named are free, without spring or motor. Does nothing if nothing changes."""
        index = self.index("joint_configure", identity)
        row = self._joints.rows[index]
        before = row.tobytes()
        row["locked"] = row["limited"] = row["sprung"] = row["driven"] = row["by_frequency"] = 0
        row["spring_force"] = UNLIMITED
        _set_feel(row, feel or {})
        for axis, (lower, upper) in limits.items():
            _limit(row, axis, lower, upper)
        for axis, (hertz, ratio, target, force) in (locks or {}).items():
            row["spring_stiffness"][axis], row["spring_damping"][axis], row["spring_target"][axis] = hertz, ratio, target
            row["spring_force"][axis] = min(force, UNLIMITED)
            row["by_frequency"] = int(row["by_frequency"]) | 1 << axis
            row["sprung"] = int(row["sprung"]) | 1 << axis
        for axis, (stiffness, damping, target) in (springs or {}).items():
            row["spring_stiffness"][axis], row["spring_damping"][axis], row["spring_target"][axis] = stiffness, damping, target
            row["sprung"] = int(row["sprung"]) | 1 << axis
        for axis, (velocity, max_force) in (motors or {}).items():
            row["motor_velocity"][axis], row["motor_force"][axis] = velocity, min(max_force, UNLIMITED)
            row["driven"] = int(row["driven"]) | 1 << axis
        row["max_impulse"] = min(max_impulse, UNLIMITED)
        if row.tobytes() != before:
            joint_placement.joint_changed(self._address, index)

    @recorded("joint")
    def set_limit_feel(self, identity: int, axis: int, feel: LimitFeel) -> None:
        """Set how the limit of an axis holds and bounces."""
        index = self.index("joint_set_limit_feel", identity)
        axis = self._axis("joint_set_limit_feel", axis)
        for name, value in vars(feel).items():
            _number("joint_set_limit_feel", name, value, 0.0)
        row = self._joints.rows[index]
        kept = {k: _feel_of(row, k) for k in range(AXIS_COUNT)}
        _set_feel(row, {**kept, axis: feel})
        joint_placement.joint_changed(self._address, index)

    @recorded("joint")
    def free_axis(self, identity: int, axis: int) -> None:
        """Free an axis of lock and limit. A rod stops being one."""
        row = self.row("joint_free_axis", identity)
        if self._axis("joint_free_axis", axis) == DISTANCE and _is_rod(row):
            row["sprung"] = int(row["sprung"]) & ~(1 << DISTANCE)
        self.set_limits(identity, axis, 1.0, -1.0)

    @recorded("joint")
    def set_motor(self, identity: int, axis: int, velocity: float, max_force: float = math.inf) -> None:
        """Drive an axis at `velocity` ([m/s], [rad/s]) with at most `max_force` ([N], [N m]). Velocity 0 is friction."""
        index = self.index("joint_set_motor", identity)
        row, bit = self._joints.rows[index], 1 << self._axis("joint_set_motor", axis)
        velocity = _number("joint_set_motor", "velocity", velocity, -UNLIMITED)
        row["motor_force"][axis] = _number("joint_set_motor", "max_force", max_force, 0.0)
        row["motor_velocity"][axis] = velocity
        row["driven"] = int(row["driven"]) | bit
        joint_placement.joint_changed(self._address, index)

    @recorded("joint")
    def clear_motor(self, identity: int, axis: int) -> None:
        """Switch the motor of an axis off."""
        self._clear(identity, "driven", axis)

    @recorded("joint")
    def set_spring(
        self, identity: int, axis: int, stiffness: float, damping: float, target: float = 0.0, max_force: float = math.inf,
        by_frequency: bool = False,
    ) -> None:  # fmt: skip
        """Set a spring along an axis towards `target`: stiffness [N/m], [N m/rad] and damping [N s/m], [N m s/rad]; or
        `by_frequency` a frequency [1/s] and a damping ratio. With a `max_force` it is a motor that holds a position."""
        index = self.index("joint_set_spring", identity)
        row, bit = self._joints.rows[index], 1 << self._axis("joint_set_spring", axis)
        stiffness = _number("joint_set_spring", "stiffness", stiffness, 0.0)
        damping = _number("joint_set_spring", "damping", damping, 0.0)
        target = _number("joint_set_spring", "target", target, -UNLIMITED)
        row["spring_force"][axis] = _number("joint_set_spring", "max_force", max_force, 0.0)
        row["spring_stiffness"][axis], row["spring_damping"][axis], row["spring_target"][axis] = stiffness, damping, target
        row["by_frequency"] = int(row["by_frequency"]) | bit if by_frequency else int(row["by_frequency"]) & ~bit
        row["sprung"] = int(row["sprung"]) | bit
        joint_placement.joint_changed(self._address, index)

    @recorded("joint")
    def clear_spring(self, identity: int, axis: int) -> None:
        """Remove the spring of an axis."""
        self._clear(identity, "sprung", axis)

    def _clear(self, identity: int, field: str, axis: int) -> None:
        row = self._joints.rows[index := self.index("joint_clear", identity)]
        row[field] = int(row[field]) & ~(1 << self._axis("joint_clear", axis))
        joint_placement.joint_changed(self._address, index)

    @recorded("joint")
    def set_distance(self, identity: int, shortest: float, longest: float) -> None:
        """Keep the origins of the frames between two distances [m] apart; equal ones make a rod, in place of a spring."""
        self.index("joint_set_distance", identity)
        shortest = _number("joint_set_distance", "shortest", shortest, 0.0)
        longest = _number("joint_set_distance", "longest", longest, shortest)
        self.free_axis(identity, DISTANCE)
        if longest - shortest < NARROWEST:
            self.set_spring(identity, DISTANCE, ROD_HERTZ, ROD_DAMPING, shortest, by_frequency=True)
        else:
            self.set_limits(identity, DISTANCE, shortest, longest)

    @recorded("joint")
    def set_ratio(self, identity: int, ratio: float) -> None:
        """Set the ratio of a gear: turn of A about the x axis of its frame + ratio x turn of B about its own = 0. For a rack and
        pinion: travel of B along its x axis [m] = ratio x turn of A [rad]. Speeds are coupled, not positions."""
        index = self.index("joint_set_ratio", identity)
        kind = self.kind(identity)
        if kind not in RATIO_AXES:
            raise ValueError(f"joint_set_ratio: only a gear or a rack_and_pinion has a ratio, got a {kind}")
        self._joints.rows[index]["lower"][RATIO_AXES[kind]] = _number("joint_set_ratio", "ratio", ratio, -UNLIMITED)
        joint_placement.joint_changed(self._address, index)

    @recorded("joint")
    def set_frames(self, identity: int, frame_a=None, frame_b=None) -> None:
        """Move the frames of a joint; None leaves a frame where it is."""
        index = self.index("joint_set_frames", identity)
        frames = [None if frame is None else _frame("frame", frame) for frame in (frame_a, frame_b)]
        row = self._joints.rows[index]
        for side, frame in enumerate(frames):
            if frame is not None:
                row["frame_positions"][side], row["frame_rotations"][side] = frame
        joint_placement.joint_changed(self._address, index)

    @recorded("joint")
    def set_enabled(self, identity: int, is_enabled: bool) -> None:
        """Switch a joint on or off. A disabled joint holds nothing; enabling repairs a broken one."""
        index = self.index("joint_set_enabled", identity)
        row = self._joints.rows[index]
        flags = int(row["flags"]) & ~(IS_ENABLED | (IS_BROKEN if is_enabled else 0))
        row["flags"] = flags | (IS_ENABLED if is_enabled else 0)
        joint_placement.joint_changed(self._address, index)

    @recorded("joint")
    def set_break(self, identity: int, force: float = math.inf, torque: float = math.inf) -> None:
        """Break the joint when it needs more than `force` [N] or `torque` [N m] in a step. Its bodies wake."""
        row = self._joints.rows[index := self.index("joint_set_break", identity)]
        force, torque = _number("joint_set_break", "force", force, 0.0), _number("joint_set_break", "torque", torque, 0.0)
        row["break_force"], row["break_torque"] = force, torque
        joint_placement.wake_bodies(self._address, index)

    @recorded("joint")
    def set_max_impulse(self, identity: int, impulse: float = math.inf) -> None:
        """Limit the impulse of the locked linear axes in one step [N s], besides what springs, motors and limits need."""
        index = self.index("joint_set_max_impulse", identity)
        self._joints.rows[index]["max_impulse"] = _number("joint_set_max_impulse", "impulse", impulse, 0.0)
        joint_placement.joint_changed(self._address, index)

    @recorded("joint")
    def limit_impulses(self, identity: int, by_step: bool) -> None:
        """Set whether `max_force` of motors is an impulse a step [N s], [N m s]."""
        row = self.row("joint_limit_impulses", identity)
        row["flags"] = int(row["flags"]) | LIMITS_IMPULSES if by_step else int(row["flags"]) & ~LIMITS_IMPULSES

    # Reading.

    def kind(self, identity: int) -> str:
        """The kind the joint was made as."""
        return KIND_NAMES[int(self.row("joint_kind", identity)["kind"])]

    def is_broken(self, identity: int) -> bool:
        """Whether the joint broke because it passed its limit of force or torque."""
        return bool(int(self.row("joint_is_broken", identity)["flags"]) & IS_BROKEN)

    def is_connected(self, identity: int) -> bool:
        """Whether both bodies of the joint still exist."""
        return bool(int(self.row("joint_is_connected", identity)["flags"]) & IS_CONNECTED)

    def position(self, identity: int, axis: int) -> float:
        """The current position of B along an axis of A: [m] or [rad]."""
        index = self.index("joint_position", identity)
        axis = self._axis("joint_position", axis)
        joint_placement.measure_joint(self._address, index)
        return float(self._joints.rows[index]["position"][axis])

    def force(self, identity: int) -> np.ndarray:
        """Force of A on B in the last step, world axes [N], summed over the linear axes."""
        return self._mean(self.row("joint_force", identity), "total_impulse")

    def torque(self, identity: int) -> np.ndarray:
        """Torque of A on B in the last step, world axes [N m], summed over the angular axes."""
        return self._mean(self.row("joint_torque", identity), "total_twist")

    @staticmethod
    def _mean(row, field: str) -> np.ndarray:
        time = float(row["total_time"])
        return row[field].astype(np.float64) / time if time > 0.0 else np.zeros(3)


def _is_rod(row) -> bool:
    """Whether the distance of a joint is locked, which a stiff spring does."""
    has_spring = int(row["sprung"]) & int(row["by_frequency"]) & 1 << DISTANCE
    stiffness = float(row["spring_stiffness"][DISTANCE]), float(row["spring_damping"][DISTANCE])
    return bool(has_spring) and stiffness == (ROD_HERTZ, ROD_DAMPING)


def _limit(row, axis: int, lower: float, upper: float) -> None:
    """Lock, limit or free an axis of a row."""
    bit = 1 << axis
    is_free = lower > upper or (ANGULAR_AXES & bit != 0 and upper - lower >= 2.0 * math.pi)
    is_locked = not is_free and upper - lower < NARROWEST and axis < CONE
    row["locked"] = int(row["locked"]) | bit if is_locked else int(row["locked"]) & ~bit
    row["limited"] = int(row["limited"]) & ~bit if is_free or is_locked else int(row["limited"]) | bit
    row["lower"][axis] = 0.5 * (lower + upper) if is_locked else lower
    row["upper"][axis] = upper


def _feel_of(row, axis: int) -> LimitFeel:
    return LimitFeel(
        float(row["limit_hertz"][axis]), float(row["limit_damping"][axis]), bool(int(row["springy"]) >> axis & 1),
        float(row["limit_restitution"][axis]), float(row["limit_force"][axis]),
    )  # fmt: skip


def _set_feel(row, feels: dict[int, LimitFeel]) -> None:
    """Write how the limits of all axes behave; limits that are not named are firm."""
    row["springy"] = row["limit_hertz"] = row["limit_damping"] = row["limit_restitution"] = 0
    row["limit_force"] = UNLIMITED
    for axis, feel in feels.items():
        row["springy"] = int(row["springy"]) | int(feel.is_springy) << axis
        row["limit_hertz"][axis], row["limit_damping"][axis] = feel.hertz, feel.damping_ratio
        row["limit_restitution"][axis] = min(feel.restitution, 1.0)
        row["limit_force"][axis] = min(feel.max_force, UNLIMITED)


def _frame(name: str, frame) -> tuple[np.ndarray, tuple]:
    """Position and rotation of a frame; scale and shear in its basis are dropped."""
    try:
        numbers = np.asarray(frame, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        raise ValueError(f"create_joint: {name} must be twelve numbers, got {frame!r}") from None
    if numbers.size != 12 or not np.isfinite(numbers).all():
        raise ValueError(f"create_joint: {name} must be twelve finite numbers, got {numbers.tolist()}")
    basis = numbers[:9].reshape(3, 3)
    if abs(np.linalg.det(basis)) < 1e-12:
        raise ValueError(f"create_joint: the basis of {name} must span a volume, got {numbers[:9].tolist()}")
    return numbers[9:], split_basis(basis)[0]
