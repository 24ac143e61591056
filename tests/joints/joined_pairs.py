"""Many joined pairs in empty space, what is known of them from mechanics alone, and how they moved.

The inertia of each body is the same about all its axes, each another one: so energy and angular momentum are told by spins alone.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.transform import Rotation
from small_world import SmallWorld

from scree.core.joints import KINDS
from scree.joints.schema import ANGULAR_AXES, CONE, DISTANCE, SWING_Y, SWING_Z, TWIST

FREE = (1.0, -1.0)
AXES = 8


def drift(parts: np.ndarray) -> np.ndarray:
    """How far the sum of what two bodies have [tick, pair, body, 3] goes from where it began, in parts of what both had."""
    total = parts.sum(axis=2)
    return np.linalg.norm(total - total[0], axis=2) / np.linalg.norm(parts[0], axis=2).sum(axis=1)


@dataclass(frozen=True)
class Kind:
    """A joint with the range of each axis that it holds: equal ends lock. `starts`: where pairs begin along axes that are free,
    or only in a part of the range. `longitude`: the swing that goes round beside one that is held, the latitude.
    `is_single`: solved by itself in the coloured passes, not as a tree."""

    joint: str
    ranges: dict[int, tuple[float, float]] = field(default_factory=dict)
    starts: dict[int, tuple[float, float]] = field(default_factory=dict)
    longitude: int = 0
    is_single: bool = False

    def held(self) -> dict[int, tuple[float, float]]:
        """The range of every axis that the joint holds, with those that it locks by what it is."""
        locked = [axis for axis in range(DISTANCE) if KINDS[self.joint][0] >> axis & 1]
        return {**{axis: (0.0, 0.0) for axis in locked if axis not in self.starts}, **self.ranges}


def swing_of(y: np.ndarray, z: np.ndarray, longitude: int = 0) -> Rotation:
    """The least rotation that swings x by these angles about y and z; or first by the latitude, then by the longitude."""
    if longitude:
        is_y = longitude == SWING_Y
        return Rotation.from_euler("YZ" if is_y else "ZY", np.stack([y, z] if is_y else [z, y], axis=1))
    towards = np.stack([np.cos(y) * np.cos(z), np.cos(y) * np.sin(z), -np.sin(y) * np.cos(z)], axis=1)
    towards /= np.linalg.norm(towards, axis=1)[:, None]
    angle = np.arccos(np.clip(towards[:, 0], -1.0, 1.0))
    axis = np.stack([np.zeros_like(angle), -towards[:, 2], towards[:, 1]], axis=1)
    size = np.linalg.norm(axis, axis=1)[:, None]
    return Rotation.from_rotvec(np.where(size > 1e-9, axis / np.maximum(size, 1e-9), (0.0, 1.0, 0.0)) * angle[:, None])


def start_pose(kind: Kind, count: int, random) -> tuple[np.ndarray, Rotation]:
    """Where frame B lies in frame A: inside of all ranges."""
    at = np.zeros((count, AXES))
    for axis, (lower, upper) in {**kind.ranges, **kind.starts}.items():
        at[:, axis] = random.uniform(lower, upper, count)
    place = at[:, :3]
    if DISTANCE in kind.ranges:
        way = random.normal(size=(count, 3))
        place = way / np.linalg.norm(way, axis=1)[:, None] * at[:, DISTANCE, None]
    swing = swing_of(at[:, SWING_Y], at[:, SWING_Z], kind.longitude)
    if CONE in kind.ranges or CONE in kind.starts:
        way = random.uniform(0.0, 2.0 * math.pi, count)
        swing = Rotation.from_rotvec(np.stack([0.0 * way, np.cos(way), np.sin(way)], axis=1) * at[:, CONE, None])
    return place, swing * Rotation.from_euler("x", at[:, TWIST, None])


@dataclass
class Motion:
    """The motion of pairs: arrays [tick, pair, body, ...] after every tick; tick 0 is the start. `frame`: of the joint."""

    masses: np.ndarray  # [pair, body] [kg]
    inertias: np.ndarray  # [kg m^2], the same about all axes
    frame_places: np.ndarray  # [pair, body, 3]
    frame_turns: np.ndarray  # [pair, body, 4]
    position: np.ndarray
    rotation: np.ndarray  # quaternions
    velocity: np.ndarray
    spin: np.ndarray
    kind: Kind

    def momenta(self) -> np.ndarray:
        """[tick, pair, body, 3] [kg m/s]"""
        return self.masses[..., None] * self.velocity

    def angular_momenta(self) -> np.ndarray:
        """About the common centre of mass [tick, pair, body, 3] [kg m^2/s]."""
        mass = self.masses[..., None]
        centre = (mass * self.position).sum(axis=2, keepdims=True) / mass.sum(axis=1)[:, None]
        return np.cross(self.position - centre, self.momenta()) + self.inertias[..., None] * self.spin

    def energy(self) -> np.ndarray:
        """[tick, pair] [J], without the common motion, which no joint can change."""
        mass = self.masses[..., None]
        common = (mass * self.velocity).sum(axis=2, keepdims=True) / mass.sum(axis=1)[:, None]
        moving = (self.masses * ((self.velocity - common) ** 2).sum(axis=3)).sum(axis=2)
        return 0.5 * (moving + (self.inertias * (self.spin**2).sum(axis=3)).sum(axis=2))

    def places(self) -> np.ndarray:
        """Where B is along every axis of A [tick, pair, axis] [m], [rad], as `joints.schema` says what the axes are."""
        ticks, count = self.position.shape[:2]
        turns = [Rotation.from_quat(self.rotation[:, :, k].reshape(-1, 4)) for k in range(2)]
        ends = [
            self.position[:, :, k] + turns[k].apply(np.tile(self.frame_places[:, k], (ticks, 1))).reshape(ticks, count, 3)
            for k in range(2)
        ]
        frames = [turns[k] * Rotation.from_quat(np.tile(self.frame_turns[:, k], (ticks, 1))) for k in range(2)]
        apart = frames[0].inv().apply((ends[1] - ends[0]).reshape(-1, 3))
        between = frames[0].inv() * frames[1]
        x, q = between.apply((1.0, 0.0, 0.0)), between.as_quat()
        twist = 2.0 * np.arctan2(q[:, 0], q[:, 3])
        y, z = np.arctan2(-x[:, 2], x[:, 0]), np.arctan2(x[:, 1], x[:, 0])
        if self.kind.longitude:
            y, z, twist = between.as_euler("YZX").T if self.kind.longitude == SWING_Y else between.as_euler("ZYX").T[[1, 0, 2]]
        found = np.stack([
            *apart.T, np.remainder(twist + math.pi, 2.0 * math.pi) - math.pi, y, z,
            np.arctan2(np.hypot(x[:, 1], x[:, 2]), x[:, 0]), np.linalg.norm(apart, axis=1),
        ], axis=1)  # fmt: skip
        return found.reshape(ticks, count, AXES)

    def beyond(self) -> np.ndarray:
        """How far the pairs were out of the ranges of what the joint holds, at most [tick, pair] [m], [rad]."""
        places, found = self.places(), []
        for axis, (lower, upper) in self.kind.held().items():
            off = places[:, :, axis] - 0.5 * (lower + upper)
            if ANGULAR_AXES >> axis & 1:
                off = np.remainder(off + math.pi, 2.0 * math.pi) - math.pi
            found.append(np.abs(off) - 0.5 * (upper - lower))
        return np.max(found, axis=0)


class Pairs:
    """Pairs of one kind in a world of their own, 100 m from each other."""

    def __init__(self, kind: Kind, count: int, seed: int = 1, arms: float = 0.6, threads: int = 1):
        random = np.random.default_rng(seed)
        self.world = SmallWorld(gravity=(0.0, 0.0, 0.0), threads=threads)
        self.kind, self.count = kind, count
        self.masses = random.uniform(0.5, 4.0, (count, 2))
        self.inertias = self.masses * random.uniform(0.05, 0.4, (count, 2))
        self.frame_places = arms * random.uniform(-1.0, 1.0, (count, 2, 3))
        turns = [Rotation.random(count, random_state=seed + k) for k in range(3)]
        self.frame_turns = np.stack([turns[0].as_quat(), turns[1].as_quat()], axis=1)
        place, pose = start_pose(kind, count, random)
        rotations = [turns[2], turns[2] * turns[0] * pose * turns[1].inv()]
        side = math.ceil(math.sqrt(count))
        first = 100.0 * np.array([(k % side, k // side, 0.0) for k in range(count)])
        joint_at = first + rotations[0].apply(self.frame_places[:, 0] + turns[0].apply(place))
        positions = [first, joint_at - rotations[1].apply(self.frame_places[:, 1])]
        shape = self.world.box(0.1, 0.1, 0.1)
        self.bodies, self.joints = [], []
        for k in range(count):
            pair = [
                self.world.add(
                    shape, tuple(positions[s][k]), basis=tuple(rotations[s].as_matrix()[k].ravel()),
                    mass=float(self.masses[k, s]), inertia=(float(self.inertias[k, s]),) * 3,
                )
                for s in range(2)
            ]  # fmt: skip
            frames = [(*turns[s].as_matrix()[k].ravel(), *self.frame_places[k, s]) for s in range(2)]
            self.bodies += pair
            self.joints.append(self._join(pair, frames))
        self.rows = np.array([self.world.index(body) for body in self.bodies])

    def _join(self, pair, frames) -> int:
        world, kind = self.world.world, self.kind
        joint = world.joint.create(kind.joint, *pair, *frames)
        for axis in range(AXES):
            if axis in kind.ranges and axis == DISTANCE:
                world.joint.set_distance(joint, *kind.ranges[axis])
            elif axis in kind.ranges or axis in kind.starts:
                world.joint.set_limits(joint, axis, *kind.ranges.get(axis, FREE))
        if kind.is_single:
            world.joint.set_max_impulse(joint, 1e6)
        return joint

    def read(self, name: str) -> np.ndarray:
        return self.world.world.bodies.rows[name][self.rows].astype(np.float64).reshape(self.count, 2, -1)

    def throw(self, velocities: np.ndarray, spins: np.ndarray) -> None:
        """[pair, body, 3] [m/s], [rad/s]"""
        for k, body in enumerate(self.bodies):
            self.world.throw(body, velocities[k // 2, k % 2])
            self.world.turn(body, spins[k // 2, k % 2])

    def run(self, ticks: int) -> Motion:
        fields = ("position", "rotation", "linear_velocity", "angular_velocity")
        seen = [[self.read(name) for name in fields]]
        for _ in range(ticks):
            self.world.step()
            seen.append([self.read(name) for name in fields])
        return Motion(
            self.masses, self.inertias, self.frame_places, self.frame_turns,
            *(np.array(v) for v in zip(*seen, strict=True)), self.kind,
        )  # fmt: skip
