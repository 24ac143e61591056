"""The walker: a trunk on four legs with eight driven hinges learns to go forward, as the ant of Schulman et al. 2015 does."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..api.joint_values import Hinge
from ..api.shapes import Capsule, Plane, Sphere
from ..api.space import SpaceSettings
from ..api.vector_world import VectorWorld
from ..api.world import World
from .task import Flags, Observations, Task

TRUNK_RADIUS, LEG_RADIUS, UPPER, LOWER = 0.25, 0.08, 0.4, 0.56  # [m]; lengths between the hinges
TRUNK_MASS, UPPER_MASS, LOWER_MASS = 1.5, 0.25, 0.35  # [kg]
KNEE_BEND = 1.0  # of the lower legs below the horizontal [rad]
HEIGHT = LOWER * math.sin(KNEE_BEND) + LEG_RADIUS + 0.01  # of the trunk at the start [m]
HIP_LIMITS, KNEE_LIMITS = (-0.6, 0.6), (-0.5, 0.5)  # [rad]
MOST_TORQUE = 8.0  # of a hinge [N m]
SECONDS, STEPS = 1 / 60, 3  # of a step [s], and steps an action
SETTINGS = SpaceSettings(substep_count=2, is_sleeping_allowed=False, angular_damp=0.2)
LOWEST, HIGHEST = 0.2, 1.2  # of the trunk [m]
ALIVE, COST = 1.0, 0.05  # rewards of a step: for standing, and against torque
SPREAD = 0.1  # of the random starts: velocities [m/s], [rad/s]
TRUNK = 0


def build_space() -> tuple[Any, list[Any], list[Any]]:
    """The walker on a plane: (the space, [trunk, upper leg, lower leg, ...], [hip, knee, ...]). [m], [kg]."""
    limits = {"bodies": 64, "body_shapes": 64, "shapes": 64, "joints": 64, "pairs": 512, "contacts": 512, "systems": 4}
    space = World(threads=1, **limits).add_space(settings=SETTINGS)
    space.add_static(Plane())
    trunk = space.add_rigid(Sphere(radius=TRUNK_RADIUS), (0.0, HEIGHT, 0.0), mass=TRUNK_MASS)
    bodies, joints, hip = [trunk], [], np.array((0.0, HEIGHT, 0.0))
    for corner in range(4):
        angle = (0.25 + 0.5 * corner) * math.pi
        out, side = np.array((math.cos(angle), 0.0, -math.sin(angle))), np.array((math.sin(angle), 0.0, math.cos(angle)))
        down = out * math.cos(KNEE_BEND) - np.array((0.0, math.sin(KNEE_BEND), 0.0))
        shoulder, knee = hip + 0.2 * out, hip + (0.2 + UPPER) * out
        upper = space.add_rigid(
            Capsule(radius=LEG_RADIUS, height=UPPER), shoulder + 0.5 * UPPER * out, along(out), mass=UPPER_MASS
        )
        lower = space.add_rigid(Capsule(radius=LEG_RADIUS, height=LOWER), knee + 0.5 * LOWER * down, along(down), mass=LOWER_MASS)
        joints.append(space.add_joint(Hinge(anchor=shoulder, axis=(0, 1, 0), limits=HIP_LIMITS), upper, to=trunk))
        joints.append(space.add_joint(Hinge(anchor=knee, axis=side, limits=KNEE_LIMITS), lower, to=upper))
        bodies += [upper, lower]
    return space, bodies, joints


def along(direction: NDArray[np.float64]) -> NDArray[np.float64]:
    """The quaternion (4,) that turns Y, the axis of a capsule, to a unit vector (3,) other than -Y. No unit."""
    turn = np.array((direction[2], 0.0, -direction[0], 1.0 + direction[1]))
    made: NDArray[np.float64] = turn / np.linalg.norm(turn)
    return made


class Walker(Task):
    """`count` walkers of nine bodies on eight hinges, which are rewarded for going along x.

    An action is the torque of each hinge, -1 to 1, times 8 N m, (count, 8), for three steps of 1/60 s. An observation has,
    (count, 27): the height of the trunk [m], its quaternion (4), its velocity [m/s] (3) and angular velocity [rad/s] (3), world
    axes, and of each hinge the angle [rad] (8) and the speed [rad/s] (8). A step rewards the velocity along x [m/s], 1 for
    standing, less 0.05 times the sum of the squares of the actions. An episode fails where the trunk is lower than 0.2 m or
    higher than 1.2 m, and is truncated after 1,000 steps."""

    observation_width, most_steps, action_width = 27, 1000, 8

    def build(self, count: int, threads: int | None) -> VectorWorld:
        space, bodies, joints = build_space()
        return VectorWorld(space, count, bodies=bodies, joints=joints, threads=threads)

    def begin(self, chosen: Flags) -> None:
        states = self.worlds.states.copy()
        states[:, :, 7:10] += self.random.uniform(-SPREAD, SPREAD, (len(self), 1, 3))  # the walker as a whole: its joints hold
        self.worlds.set_states(states, chosen)

    def act(self, actions: NDArray[Any], mask: Flags | None) -> None:
        if actions.shape != (len(self), self.action_width) or not np.isfinite(actions).all():
            raise ValueError(
                f"step: actions must be finite numbers of the shape {(len(self), self.action_width)}, got {actions!r}"
            )
        torques = MOST_TORQUE * np.clip(actions.astype(np.float64), -1.0, 1.0)
        self.worlds.step(SECONDS, STEPS, joint_forces=torques, mask=mask)

    def observe(self) -> Observations:
        trunk, joints = self.worlds.states[:, TRUNK], self.worlds.joint_states
        parts = [trunk[:, 1:2], trunk[:, 3:7], trunk[:, 7:13], joints[:, :, 0], joints[:, :, 1]]
        return np.concatenate(parts, axis=1).astype(np.float32)

    def judge(self, actions: NDArray[Any]) -> tuple[NDArray[np.float64], Flags]:
        trunk = self.worlds.states[:, TRUNK]
        failed = ~((trunk[:, 1] > LOWEST) & (trunk[:, 1] < HIGHEST))
        return trunk[:, 7] + ALIVE - COST * np.square(np.clip(actions, -1.0, 1.0)).sum(axis=1), failed
