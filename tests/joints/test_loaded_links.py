"""Light links under heavy loads that contacts touch: a rope that a drum winds up must not be torn."""

import math

import numpy as np
import pytest

import scree

RADIUS, THICK, LONG = 0.5, 0.03, 6.0


def winch(load: float, rope_mass: float, rod: float) -> tuple[scree.Space, scree.Joint, scree.Body, scree.RopeBody]:
    """A drum on a motor, from whose rim a load [kg] hangs by a rope: (space, hinge of the drum, load, rope)."""
    space = scree.World(threads=1).add_space(gravity=(0.0, -9.81, 0.0))
    lying = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))
    drum = space.add_rigid(scree.Cylinder(radius=RADIUS, height=2.0), (0.0, 0.0, 0.0), lying, mass=200.0)
    motor = scree.Motor(velocity=0.0, max_force=1e5)
    hinge = space.add_joint(scree.Hinge(anchor=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), motor=motor), drum)
    beside = RADIUS + THICK
    ball = space.add_rigid(scree.Sphere(radius=0.3), (beside, -LONG - 0.3, 0.0), mass=load)
    rope = space.add_rope(
        [(beside, 0.0, 0.0), (beside, -LONG, 0.0)], mass=rope_mass, radius=THICK, rod_length=rod,
        material=scree.Material(friction=0.8),
    )  # fmt: skip
    rope.tie_start(drum)
    rope.tie_end(ball)
    for _ in range(60):
        space.step(1 / 60)
    hinge.set_motor(scree.Motor(velocity=1.0, max_force=1e5))
    return space, hinge, ball, rope


def widest_gap(rope: scree.RopeBody, rod: float) -> float:
    """How far the ends of neighbouring rods are apart at most [m]."""
    axes = np.stack([body.basis[:, 1] for body in rope.bodies])
    places = rope.bodies.positions
    return float(np.linalg.norm(places[1:] - places[:-1] - 0.5 * rod * (axes[1:] + axes[:-1]), axis=1).max())


def heaviest_burden(space: scree.Space, rope: scree.RopeBody) -> float:
    """The most inertia that a rod has besides its own, as a part of it."""
    return max(float(space.core.joint.row("test", joint.id)["burdens"].max()) for joint in rope.joints)


@pytest.mark.parametrize(
    "load, rope_mass, rod, widest, missing",
    [
        (3.0, 3.0, 0.15, 0.002, 0.03), (50.0, 20.0, 0.15, 0.002, 0.03), (50.0, 3.0, 0.3, 0.015, 0.1),
        (50.0, 3.0, 0.15, 0.2, 0.6),  # 667 times the mass of a rod: it tore to twice its length
    ],
)  # fmt: skip
def test_a_drum_winds_up_a_rope_with_a_load(load, rope_mass, rod, widest, missing):
    space, _, ball, rope = winch(load, rope_mass, rod)
    before, most = ball.position[1], 0.0
    for _ in range(240):
        space.step(1 / 60)
        most = max(most, widest_gap(rope, rope.length / len(rope)))
    assert most < widest
    assert ball.position[1] - before == pytest.approx(4.0 * (RADIUS + THICK), abs=missing)


def test_burdens_are_restored_with_the_state():
    space, _, ball, rope = winch(50.0, 3.0, 0.15)
    for _ in range(60):
        space.step(1 / 60)
    assert heaviest_burden(space, rope) > 0.1
    saved = space.save()
    ways = []
    for _ in range(2):
        for _ in range(40):
            space.step(1 / 60)
        ways.append((np.array(ball.position), np.array(rope.bodies.positions)))
        space.restore(saved)
    assert all(np.array_equal(one, other) for one, other in zip(*ways, strict=True))


def test_a_load_that_is_let_go_of_leaves_no_burden():
    space, _, ball, rope = winch(50.0, 3.0, 0.15)
    for _ in range(60):
        space.step(1 / 60)
    ball.remove()
    for _ in range(3):
        space.step(1 / 60)
    assert heaviest_burden(space, rope) == 0.0
