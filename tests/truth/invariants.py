"""Invariants of physics in random scenes, for any solver: faults by name and size.

Energy never grows but by what is put in, momentum is kept without gravity and static bodies, nothing gets inside what it was
outside of, restitution 0 does not lift, symmetric scenes stay symmetric, scaled and turned scenes do the same.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from tests.truth import seeds
from tests.truth.scene import Played, Scene, play

TICK = 1.0 / 60.0
MOMENTUM, ANGULAR_MOMENTUM = 1e-4, 1e-3  # lost or won, parts of all there is
ENERGY = 0.01  # won, parts of what there was
FREE_SPIN = 1e-3  # energy and angular momentum of a body that turns free
PUSHED_OUT = 6.0  # [m/s], of a body that was made in others
DEEPEST = 0.02  # [m], of a body in a wall or another at rest
DEEPEST_PART = 0.1  # the same as a part of its size, if that is more
LIFT = 0.01  # speed away from the floor, parts of the speed of the landing
OFF_RESTITUTION = 0.02
LAST = 6  # ticks at the end that are looked at
DRIFT = 0.02  # [m], of a stack
OPENED = 0.02  # [m], of a joint
ASKEW, SCALED, TURNED = 0.05, 0.1, 0.02  # parts of a body's size


@dataclass(frozen=True)
class Fault:
    """A fault against physics: a value and its bound."""

    name: str
    value: float
    allowed: float

    def words(self) -> str:
        """In a few words."""
        return f"{self.name} {self.value:.3g}, allowed {self.allowed:.3g}"


def _over(name: str, value: float, allowed: float) -> Iterator[Fault]:
    if not value <= allowed:
        yield Fault(name, float(value), allowed)


def _momentum(played: Played) -> Iterator[Fault]:
    there = (played.masses * np.linalg.norm(played.velocity, axis=2)).sum(axis=1).max()
    off = np.linalg.norm(played.momentum() - played.momentum()[0], axis=1).max()
    yield from _over("momentum is lost or won", off / max(there, 1e-9), MOMENTUM)


def _angular_momentum(played: Played) -> Iterator[Fault]:
    arms = np.linalg.norm(played.place, axis=2) * played.masses * np.linalg.norm(played.velocity, axis=2)
    there = (arms + np.linalg.norm(played.spin_momentum(), axis=2)).sum(axis=1).max()
    off = np.linalg.norm(played.angular_momentum() - played.angular_momentum()[0], axis=1).max()
    yield from _over("angular momentum is lost or won", off / max(there, 1e-9), ANGULAR_MOMENTUM)


def _energy(played: Played, first: int = 0, put_in: float = 0.0) -> Iterator[Fault]:
    """From tick `first` on it never grows over the least it was, but by a part of the motion there is, and by what is put in."""
    energy = played.energy()[first:]
    there = max(played.kinetic_energy()[first:].max(), 1e-9)
    grown = (energy - np.minimum.accumulate(energy)).max()
    yield from _over("energy grows", (grown - put_in) / there, ENERGY)


def _spheres_apart(played: Played, tick: int = -1) -> Iterator[Fault]:
    """None of the balls lies in another at the end."""
    for a, first in enumerate(played.moving):
        for b, second in enumerate(played.moving[:a]):
            if first.shape == second.shape == "sphere":
                gap = np.linalg.norm(played.place[tick, a] - played.place[tick, b]) - first.size[0] - second.size[0]
                yield from _over("a ball lies in another", -gap, max(DEEPEST, DEEPEST_PART * min(first.size[0], second.size[0])))


def _thrown(played: Played) -> Iterator[Fault]:
    yield from _momentum(played)
    yield from _angular_momentum(played)
    yield from _energy(played)
    yield from _spheres_apart(played)


def _normal(scene: Scene) -> np.ndarray:
    """Normal of the floor, which is the first body."""
    return Rotation.from_quat(scene.bodies[0].rotation).apply((0.0, 1.0, 0.0))


def _landed(played: Played) -> Iterator[Fault]:
    body, normal = played.moving[0], _normal(played.scene)
    away = played.velocity[:, 0] @ normal
    height = played.place[:, 0] @ normal
    yield from _over("restitution 0 lifts", away.max() / np.linalg.norm(body.velocity), LIFT)
    yield from _over("restitution 0 rises [m]", height.max() - height[0], 0.01)
    depth = min(_reach(played, 0, tick, -normal) for tick in range(-LAST, 0))
    yield from _over("it stays in the floor [m]", depth, DEEPEST)
    yield from _energy(played, put_in=float(body.mass) * 10.0 * DEEPEST)


def _bounced(played: Played) -> Iterator[Fault]:
    body, normal = played.moving[0], _normal(played.scene)
    bounce = min(body.restitution + played.scene.bodies[0].restitution, 1.0)
    speed = np.linalg.norm(body.velocity)
    back = played.velocity[-1, 0] @ normal
    yield from _over("a bounce differs from restitution", abs(back / speed - bounce), OFF_RESTITUTION)
    yield from _over("a flat bounce spins", np.linalg.norm(played.spin[-1, 0]) * body.reach() / speed, 0.01)
    yield from _over("a straight bounce goes aside", np.linalg.norm(played.velocity[-1, 0] - back * normal) / speed, 0.01)
    yield from _energy(played)


def _stacked(played: Played) -> Iterator[Fault]:
    moved = played.place - played.place[0]
    yield from _over("a stack drifts [m]", np.linalg.norm(moved, axis=2).max(), DRIFT)
    yield from _over("a stack moves at the end [m/s]", np.linalg.norm(played.velocity[-1], axis=1).max(), 0.02)
    energy, weight = played.energy(), 10.0 * played.masses.sum()
    grown = (energy - np.minimum.accumulate(energy)).max()
    yield from _over("energy grows, as if all of it rose by [m]", grown / weight, 0.002)


def _opened(played: Played, first: int = 30) -> float:
    """How far apart a joint's two places are at most from a tick on, by default after half a second [m]."""
    worst, turns = 0.0, played.turns()
    for joint in played.scene.joints:
        if joint.kind == "slider":
            continue
        ends = []
        for number in (joint.a, joint.b):
            side = number - sum(body.mass == 0.0 for body in played.scene.bodies[: max(number, 0)])
            if number < 0:
                ends.append(joint.place[None])
                continue
            local = turns[0, side].T @ (joint.place - played.place[0, side])
            ends.append(played.place[first:, side] + turns[first:, side] @ local)
        worst = max(worst, np.linalg.norm(ends[0] - ends[1], axis=1).max())
    return worst


def _joined(played: Played) -> Iterator[Fault]:
    yield from _momentum(played)
    yield from _angular_momentum(played)
    yield from _energy(played, first=2)
    yield from _over("a joint opens [m]", _opened(played), OPENED)


def _hung(played: Played) -> Iterator[Fault]:
    yield from _energy(played, first=2)
    yield from _over("a joint opens [m]", _opened(played), OPENED)


def _overlapped(played: Played) -> Iterator[Fault]:
    there = played.masses.sum() * 3.0  # as if all of it were pushed out
    yield from _over("momentum out of overlap", np.linalg.norm(played.momentum(), axis=1).max() / there, MOMENTUM)
    reach = max(body.reach() for body in played.moving)
    turning = np.linalg.norm(played.angular_momentum(), axis=1).max()
    yield from _over("angular momentum out of overlap", turning / (there * reach), ANGULAR_MOMENTUM)
    yield from _over("overlap is pushed out at [m/s]", np.linalg.norm(played.velocity, axis=2).max(), PUSHED_OUT)
    yield from _over("overlap spins at r w [m/s]", max(
        np.linalg.norm(played.spin[:, k], axis=1).max() * body.reach() for k, body in enumerate(played.moving)
    ), 2.0 * PUSHED_OUT)  # fmt: skip
    yield from _spheres_apart(played)


def _spun(played: Played) -> Iterator[Fault]:
    energy, momentum = played.kinetic_energy(), played.spin_momentum()[:, 0]
    yield from _over("free spin: energy is off", np.abs(energy / energy[0] - 1.0).max(), FREE_SPIN)
    off = np.linalg.norm(momentum - momentum[0], axis=1).max() / np.linalg.norm(momentum[0])
    yield from _over("free spin: angular momentum is off", off, FREE_SPIN)


def _within(played: Played) -> Iterator[Fault]:
    """Each body is within the room, but for a little, in one of the last ticks: what bounces may be on its way back."""
    deepest = 0.0
    for k, body in enumerate(played.moving):
        ticks = range(-LAST, 0)
        beyond = min(max(_reach(played, k, t, way) - seeds.ROOM for way in (*np.eye(3), *-np.eye(3))) for t in ticks)
        deepest = max(deepest, beyond / max(DEEPEST, DEEPEST_PART * body.reach()))
    yield from _over("it is in a wall or outside, of what is allowed", deepest, 1.0)


def _contained(played: Played) -> Iterator[Fault]:
    yield from _within(played)
    yield from _spheres_apart(played)
    yield from _energy(played)


def _piled(played: Played) -> Iterator[Fault]:
    yield from _within(played)
    yield from _spheres_apart(played)
    yield from _energy(played, put_in=10.0 * played.masses.sum() * DEEPEST)


def _tangled(played: Played) -> Iterator[Fault]:
    yield from _within(played)
    yield from _energy(played, first=2, put_in=10.0 * played.masses.sum() * DEEPEST)
    yield from _over("a joint is open at the end [m]", _opened(played, -1), OPENED)


def _rammed(played: Played) -> Iterator[Fault]:
    yield from _momentum(played)
    yield from _energy(played, first=2)
    yield from _over("a joint is open at the end [m]", _opened(played, -1), OPENED)


def _reach(played: Played, k: int, tick: int, way: np.ndarray) -> float:
    """How far a body reaches along `way`, a unit vector, from the origin [m]."""
    body, turn = played.moving[k], Rotation.from_quat(played.rotation[tick, k]).as_matrix()
    local, along = turn.T @ way, played.place[tick, k] @ way
    if body.shape == "box":
        return along + np.abs(local) @ body.size
    if body.shape == "sphere":
        return along + body.size[0]
    if body.shape == "capsule":
        return along + body.size[0] + abs(local[1]) * (0.5 * body.size[1] - body.size[0])
    if body.shape == "cylinder":
        return along + abs(local[1]) * 0.5 * body.size[1] + body.size[0] * np.hypot(local[0], local[2])
    return along + ((np.reshape(body.size, (-1, 3)) - _centre_of_hull(played, k)) @ local).max()


def _centre_of_hull(played: Played, k: int) -> np.ndarray:
    """From its origin, in its own frame: what the first tick told."""
    turn = Rotation.from_quat(played.moving[k].rotation)
    return turn.inv().apply(played.place[0, k] - played.moving[k].place)


def _mirrored(played: Played) -> Iterator[Fault]:
    flip, worst = np.array((-1.0, 1.0, 1.0)), 0.0
    for k in range(0, len(played.moving), 2):
        off = np.linalg.norm(played.place[:, k] - flip * played.place[:, k + 1], axis=1).max()
        worst = max(worst, off / played.moving[k].reach())
    yield from _over("mirror images part, parts of their size", worst, ASKEW)
    yield from _energy(played, put_in=10.0 * played.masses.sum() * DEEPEST)


def _a_tick(played: Played) -> float:
    """The way of the fastest body in a tick: contacts may be found so much earlier or later [m]."""
    return float(np.linalg.norm(played.velocity, axis=2).max()) * TICK


def _scaled(scene: Scene, by: float) -> Iterator[Fault]:
    first, second = play(scene), play(scene.scaled(by))
    reach = min(body.reach() for body in first.moving)
    off = np.linalg.norm(second.place[-1] / by - first.place[-1], axis=1).max() - _a_tick(first)
    yield from _over("a scaled scene differs, parts of the size", off / reach, SCALED)


def _turned(scene: Scene, turn: Rotation) -> Iterator[Fault]:
    first, second = play(scene), play(scene.turned(turn))
    reach = min(body.reach() for body in first.moving)
    off = np.linalg.norm(turn.inv().apply(second.place[-1]) - first.place[-1], axis=1).max() / reach
    yield from _over("a turned scene differs, parts of the size", off, TURNED)


_PLAYED: dict[str, tuple[Callable, Callable]] = {
    "thrown": (seeds.thrown, _thrown), "landed": (seeds.landed, _landed), "bounced": (seeds.bounced, _bounced),
    "stacked": (seeds.stacked, _stacked), "joined": (seeds.joined, _joined), "hung": (seeds.hung, _hung),
    "overlapped": (seeds.overlapped, _overlapped), "spun": (seeds.spun, _spun), "contained": (seeds.contained, _contained),
    "mirrored": (seeds.mirrored, _mirrored), "piled": (seeds.piled, _piled), "tangled": (seeds.tangled, _tangled),
    "rammed": (seeds.rammed, _rammed),
}  # fmt: skip
KINDS = (*_PLAYED, "scaled", "turned")
_TWICE = (seeds.flat_on_a_floor, seeds.one_on_a_floor, seeds.pair_in_space)


def kind_of(seed: int) -> str:
    """Seeds go through the kinds in turn."""
    return KINDS[seed % len(KINDS)]


def scene_of(seed: int) -> tuple[Scene, np.random.Generator]:
    """The scene of a seed, and the generator as it is then."""
    random, kind = np.random.default_rng(seed), kind_of(seed)
    if kind in _PLAYED:
        return _PLAYED[kind][0](random), random
    return _TWICE[int(random.integers(len(_TWICE)))](random), random


def faults_of(seed: int) -> list[Fault]:
    """Play a seed's scene, and say what is not as physics has it."""
    kind, (scene, random) = kind_of(seed), scene_of(seed)
    if kind == "scaled":
        return list(_scaled(scene, float(10.0 ** random.uniform(-1.5, 1.5))))
    if kind == "turned":
        return list(_turned(scene, Rotation.random(random_state=int(random.integers(1 << 31)))))
    return faults_in(kind, play(scene))


def faults_in(kind: str, played: Played) -> list[Fault]:
    """Faults against physics in a played scene of this kind."""
    return list(_PLAYED[kind][1](played)) if played.is_finite() else [Fault("no numbers", float("inf"), 0.0)]
