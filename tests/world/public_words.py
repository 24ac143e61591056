"""Short words for tests of scenes made through the public package."""

import math

import numpy as np
from scipy.spatial.transform import Rotation

import scree

TICK = 1.0 / 60.0
ABOUT_Z = (0.0, 0.0, 1.0)


def empty(gravity=(0.0, -10.0, 0.0), **settings) -> scree.Space:
    return scree.World(threads=1).add_space(gravity=gravity, settings=scree.SpaceSettings(**settings))


def block(*half_extents) -> scree.Box:
    return scree.Box(half_extents=half_extents)


def surface(friction=0.5, restitution=0.0) -> scree.Material:
    return scree.Material(friction=friction, restitution=restitution)


def turned(axis, angle) -> tuple:
    return tuple(Rotation.from_rotvec(np.asarray(axis) * angle).as_quat())


def run(space, ticks, seconds=TICK) -> None:
    for _ in range(ticks):
        space.step(seconds)


def tilt(body) -> float:
    """Angle of a body's Y axis with the vertical [degrees]."""
    return math.degrees(math.acos(min(1.0, max(-1.0, body.basis[1, 1]))))
