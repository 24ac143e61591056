"""A body caught between two joined bodies gets out, and no other body is pushed differently than before."""

import numpy as np
import pytest

from small_world import SmallWorld
from tests.bodies.mass_twin import rotation_matrix
from tests.collision.oracle import core_of, signed_distance, world_core

HALF = np.array([0.08, 0.21, 0.08])
ARM = np.array([0.0, 0.25, 0.0])
"""From the middle of a link to the joint [m]: the gap between two links is narrower than a link."""
PLAIN = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def turned(axis, angle: float) -> np.ndarray:
    axis = np.asarray(axis, np.float64) / np.linalg.norm(axis)
    return rotation_matrix(np.array([*(np.sin(angle / 2) * axis), np.cos(angle / 2)]))


class Links(SmallWorld):
    """Two links, one on the other, joined by a point between them, and what is caught there. No gravity."""

    def __init__(self, kind: str = "box", bend: float = 0.0, collides: bool = False, is_last: bool = False):
        super().__init__(gravity=(0.0, 0.0, 0.0))
        self.shape = self.box(*HALF) if kind == "box" else self.capsule(float(HALF[0]), float(2.0 * HALF[1]))
        turn = turned((1, 0, 0), bend)
        self.caught = 0 if is_last else self.add(self.shape)
        self.links = self.add(self.shape, tuple(-ARM)), self.add(self.shape, tuple(turn @ ARM), basis=tuple(turn.ravel()))
        self.caught = self.caught or self.add(self.shape)
        self.joint = self.world.joint.create("point", *self.links, (*PLAIN, *ARM), (*PLAIN, *-ARM), collides)

    def catch(self, place, tilt: float, heading: float = 0.0) -> None:
        basis = turned((0, 1, 0), heading) @ turned((0, 0, 1), tilt)
        self.move(self.caught, place, tuple(basis.ravel()))

    def depth(self, first: int, second: int) -> float:
        """How deep two bodies lie in each other [m]; exact."""
        row = self.world.shapes.rows[self.world.shape.index("", self.shape)]
        points, radius = core_of(row)
        cores = [world_core(points, self.position(body), self.body(body)["rotation"]) for body in (first, second)]
        return 2.0 * radius - signed_distance(*cores)

    def deepest(self) -> float:
        return max(self.depth(self.caught, link) for link in self.links)


@pytest.mark.parametrize("kind", ["box", "capsule"])
@pytest.mark.parametrize("is_last", [False, True])
@pytest.mark.parametrize(
    ("place", "tilt", "heading", "bend"),
    [
        ((0, 0, 0), 1.4, 0.3, 0.0),
        ((0.1, 0.0, 0.02), 1.57, 0.0, 0.0),
        ((0.03, 0.01, -0.04), 1.2, 1.0, 0.5),
        ((0, 0, 0), 1.3, 2.0, 0.9),
    ],
)
def test_what_is_caught_at_a_joint_gets_out(kind, is_last, place, tilt, heading, bend):
    links = Links(kind, bend, is_last=is_last)
    links.catch(place, tilt, heading)
    assert min(links.depth(links.caught, link) for link in links.links) > 0.02, "not caught: the test is none"
    links.step(120)
    assert links.deepest() < 0.017
    ends = [links.position(link) + sign * rotation_matrix(links.body(link)["rotation"]) @ ARM
            for link, sign in zip(links.links, (1.0, -1.0), strict=True)]  # fmt: skip
    assert np.linalg.norm(ends[0] - ends[1]) < 3e-3
    assert np.linalg.norm(links.velocity(links.caught)) < 3.5  # what pushes out is no gun


def test_between_joined_bodies_that_collide_it_stays():
    """There the rule does not hold: the faces at the joint are outer ones. That the two contacts do hold it shows, too, that the
    cases above would stay without the rule."""
    links = Links(collides=True)
    links.catch((0, 0, 0), 1.4, 0.3)
    links.step(120)
    assert links.deepest() > 0.025


def test_the_free_end_of_a_link_pushes_along_it():
    """Deep in the end that looks away from the joint, and beside the joint's body: out by the shortest way."""
    links = Links()
    top = float(links.position(links.links[1])[1] + HALF[1])
    links.catch((0.0, top + HALF[0] - 0.03, 0.0), np.pi / 2)
    links.step(30)
    moved = links.position(links.caught) - [0.0, top + HALF[0] - 0.03, 0.0]
    assert moved[1] > 0.01 and np.abs(moved[[0, 2]]).max() < 0.2 * moved[1]


def test_a_shallow_touch_at_the_joint_is_an_ordinary_one():
    """On the end of a bent link, near the joint, but not between the two: it is pushed up, and turns about where it sticks."""
    links = Links(bend=1.5)
    start = np.array([0.0, -ARM[1] + HALF[1] + HALF[0] - 0.01, -0.1])
    links.catch(start, np.pi / 2)
    links.step(20)
    moved = links.position(links.caught) - start
    assert moved[1] > 0.002 and np.abs(moved[[0, 2]]).max() < 0.75 * moved[1]
