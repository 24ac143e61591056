"""Rag dolls whose hands are joined while they are apart: pulled together they come to rest, and nothing holds them in the air."""

import numpy as np
import pytest
from small_world import UPRIGHT, SmallWorld

from scree.joints.schema import CONE, TWIST

ACROSS = (0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)


def at(*place) -> tuple[float, ...]:
    return (*UPRIGHT, *place)


class Doll:
    """A torso, a head, two arms and two legs of two bodies each, of capsules."""

    def __init__(self, world: SmallWorld, place):
        self.world, self.place, self.bodies = world, np.array(place), []
        torso = self.limb(world.capsule(0.15, 0.6), (0.0, 0.0, 0.0), 30.0)
        head = self.limb(world.sphere(0.12), (0.0, 0.45, 0.0), 5.0)
        self.ball(torso, head, at(0.0, 0.31, 0.0), at(0.0, -0.14, 0.0), 1.0)
        self.hands = []
        for side in (-1.0, 1.0):
            upper = self.limb(world.capsule(0.06, 0.32), (side * 0.34, 0.22, 0.0), 2.5, ACROSS)
            lower = self.limb(world.capsule(0.05, 0.3), (side * 0.66, 0.22, 0.0), 1.5, ACROSS)
            self.ball(torso, upper, at(side * 0.18, 0.22, 0.0), at(0.0, side * 0.16, 0.0), 1.4)
            world.world.joint.create("point", upper, lower, at(0.0, side * -0.16, 0.0), at(0.0, side * 0.16, 0.0))
            self.hands.append(lower)
            thigh = self.limb(world.capsule(0.08, 0.42), (side * 0.1, -0.55, 0.0), 8.0)
            shin = self.limb(world.capsule(0.07, 0.4), (side * 0.1, -1.0, 0.0), 4.0)
            self.ball(torso, thigh, at(side * 0.1, -0.33, 0.0), at(0.0, 0.22, 0.0), 1.2)
            knee = world.world.joint.create("hinge", thigh, shin, at(0.0, -0.22, 0.0), at(0.0, 0.23, 0.0))
            world.world.joint.set_limits(knee, TWIST, -0.1, 2.0)

    def limb(self, shape: int, place, mass: float, basis=UPRIGHT) -> int:
        self.bodies.append(self.world.add(shape, self.place + place, mass=mass, basis=basis))
        return self.bodies[-1]

    def ball(self, a: int, b: int, frame_a, frame_b, swing: float) -> None:
        joint = self.world.world.joint.create("swing_twist", a, b, frame_a, frame_b)
        self.world.world.joint.set_limits(joint, CONE, -1.0, swing)
        self.world.world.joint.set_limits(joint, TWIST, -0.5, 0.5)


@pytest.mark.parametrize("seed", (0, 1, 2, 4, 5, 12))
def test_hands_that_are_pulled_together_meet(seed):
    """Six limbs are drawn through each other at first: continuous collision must not hold them, and all that hangs on them, for
    ever."""
    rng, world = np.random.default_rng(seed), SmallWorld(damp=0.1)
    world.floor()
    one, other = Doll(world, (0.0, 2.5, 0.0)), Doll(world, (0.0, 2.5, 0.8))
    bodies = one.bodies + other.bodies
    for body in bodies:
        world.throw(body, rng.normal(size=3))
    world.step(5)
    joints = [
        world.world.joint.create("point", a, b, at(0.0, reach, 0.0), at(0.0, -reach, 0.0))
        for (a, b), reach in ((one.hands, 0.18), (other.hands, 0.18), ((one.hands[0], other.hands[1]), 0.16))
    ]
    world.step(300)
    gaps = [np.abs(world.world.joint.row("test", joint)["position"][:3]).max() for joint in joints]
    assert max(gaps) < 0.05
    before = np.array([world.position(body) for body in bodies])
    world.step(30)
    moved = np.abs([world.position(body) for body in bodies] - before).max()
    assert moved < 0.5 + 0.5 * max(np.linalg.norm(world.velocity(body)) for body in bodies)
    assert before[:, 1].min() > -0.1
