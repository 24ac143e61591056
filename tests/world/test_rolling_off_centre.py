"""Bodies that rock and roll where the contact is not below their centre of mass: a contact does no work, so the swing stays."""

import math

import numpy as np
import pytest
from public_words import block, empty, surface, turned

import scree

ALONG_Z = turned((1, 0, 0), math.pi / 2)


def swings(body, space, rate, seconds) -> list[float]:
    """The greatest angle about Z in each fifth of a time [degrees]."""
    angles = np.zeros(rate * seconds)
    for tick in range(len(angles)):
        space.step(1 / rate)
        angles[tick] = abs(math.degrees(math.atan2(body.basis[1, 0], body.basis[0, 0])))
    return [part.max() for part in np.array_split(angles, 5)]


@pytest.mark.parametrize("friction", [0.0, 1.0])
@pytest.mark.parametrize("rate", [60, 240])
def test_a_tumbler_keeps_its_swing(rate, friction):
    """A ball whose centre of mass is 0.2 m below its middle (from 10 degrees it came to 20 within 30 s)."""
    space = empty()
    space.add_static(scree.Plane(), material=surface(friction))
    ball = space.add_rigid(
        scree.Sphere(radius=0.5), (0, 0.5, 0), turned((0, 0, 1), math.radians(10)), mass=1.0, can_sleep=False,
        material=surface(friction),
    )  # fmt: skip
    ball.center_of_mass = (0, -0.2, 0)
    assert swings(ball, space, rate, 15) == pytest.approx([10.0] * 5, rel=0.01)


@pytest.mark.parametrize("kind", ["capsule", "cylinder", "two balls"])
def test_a_log_with_a_low_centre_of_mass_keeps_its_swing(kind):
    """Contacts in two points."""
    parts = [scree.Part(shape=scree.Capsule(radius=0.5, height=3.0), rotation=ALONG_Z)]
    if kind == "cylinder":
        parts = [scree.Part(shape=scree.Cylinder(radius=0.5, height=2.0), rotation=ALONG_Z)]
    if kind == "two balls":
        parts = [scree.Part(shape=scree.Sphere(radius=0.5), position=(0, 0, z)) for z in (-1, 1)]
    space = empty()
    space.add_static(scree.Plane(), material=surface(1.0))
    log = space.add_rigid(
        scree.Compound(parts=parts), (0, 0.5, 0), turned((0, 0, 1), math.radians(10)), mass=1.0, can_sleep=False,
        material=surface(1.0),
    )  # fmt: skip
    log.center_of_mass = (0, -0.2, 0)
    assert swings(log, space, 60, 15) == pytest.approx([10.0] * 5, rel=0.02)


@pytest.mark.parametrize("is_upside_down", [False, True])
@pytest.mark.parametrize("rate", [30, 60, 240])
def test_a_plank_on_a_drum_keeps_its_swing(rate, is_upside_down):
    """A plank of 2 m that rolls on a fixed drum of 0.5 m (from 5 degrees it came to 43 at 30 ticks/s); the order of the two
    bodies tells which is A in their contact."""
    radius, half, angle = 0.5, 0.05, math.radians(5)
    space = empty()
    outward, along = np.array((math.sin(angle), math.cos(angle), 0)), np.array((math.cos(angle), -math.sin(angle), 0))
    place = outward * (radius + half) - along * radius * angle

    def add_drum() -> None:
        space.add_static(scree.Cylinder(radius=radius, height=2.0), (0, 0, 0), ALONG_Z, material=surface(5.0))

    if not is_upside_down:
        add_drum()
    plank = space.add_rigid(
        block(1.0, half, 0.3), place, turned((0, 0, 1), -angle), mass=1.0, can_sleep=False, material=surface(5.0)
    )
    if is_upside_down:
        add_drum()
    assert swings(plank, space, rate, 15) == pytest.approx([5.0] * 5, rel=0.03)


def test_a_ball_on_a_seesaw_is_where_its_weight_acts():
    """A smooth ball slides on a plank that swings on a hinge: in a second they keep the energy that they have together."""
    space = empty()
    plank = space.add_rigid(block(2.0, 0.05, 0.5), mass=4.0, can_sleep=False, material=surface(0.0))
    space.add_joint(scree.Hinge(axis=(0, 0, 1)), plank)
    ball = space.add_rigid(scree.Sphere(radius=0.2), (0.0, 0.25, 0), mass=1.0, can_sleep=False, material=surface(0.0))
    plank.angular_velocity = (0, 0, 0.2)

    def energy() -> float:
        moving = 0.5 * ball.mass * ball.velocity @ ball.velocity + 0.5 * plank.inertia[2] * plank.angular_velocity[2] ** 2
        return float(moving + 10.0 * ball.mass * (ball.position[1] - 0.25))

    first, turned_at = energy(), 0.0
    for _ in range(60):
        space.step(1 / 60)
        turned_at = max(turned_at, abs(math.degrees(math.atan2(plank.basis[1, 0], plank.basis[0, 0]))))
        if abs(ball.position[0]) > 1.5:
            break
    assert turned_at > 5.0
    assert energy() == pytest.approx(first, abs=0.02 * 10.0 * ball.mass * 0.25)
