"""Balls and capsules that roll against a step and over its edge, by formula: the impact keeps the angular momentum about the
edge, and climbing keeps the energy."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

import scree

GRAVITY, RADIUS = 9.81, 0.5
BALL = 0.4
"""The moment of inertia of a ball, as a part of m r^2."""


def speed_on_top(speed: float, height: float, radius: float = RADIUS) -> float:
    """The speed of a ball that has rolled over a step [m/s]."""
    spin = speed * (radius - height + BALL * radius) / ((1 + BALL) * radius * radius)
    return math.sqrt((spin * radius) ** 2 - 2 * GRAVITY * height / (1 + BALL))


def mesh_box(half: tuple[float, float, float]) -> scree.Mesh:
    """A box of twelve triangles that face outwards."""
    corners = np.array(list(itertools.product((-1, 1), repeat=3)), float) * half
    sides = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    triangles = np.array([part for a, b, c, d in sides for part in ((a, b, c), (a, c, d))])
    p, q, r = (corners[triangles[:, k]] for k in range(3))
    is_inwards = np.einsum("ij,ij->i", np.cross(q - p, r - p), p) < 0
    triangles[is_inwards] = triangles[is_inwards][:, [0, 2, 1]]
    return scree.Mesh(vertices=corners, triangles=triangles)


def step_of(kind: str, half: tuple[float, float, float]) -> scree.Shape:
    if kind == "mesh":
        return mesh_box(half)
    if kind == "hull":
        return scree.Hull(points=np.array(list(itertools.product((-1, 1), repeat=3))) * half)
    return scree.Box(half_extents=half)


def before_a_step(kind, speed, height, phase, rate, radius=RADIUS, gravity=GRAVITY, length=10.0):
    """A ball that rolls towards a step whose edge is at x = 0, one metre before it touches. `phase`: a part of a tick."""
    space = scree.World().add_space(gravity=(0, -gravity, 0))
    space.settings = replace(space.settings, is_sleeping_allowed=False)
    rough = scree.Material(friction=1.0)
    if gravity > 0.0:
        space.add_static(scree.Plane(), material=rough)
    space.add_static(step_of(kind, (5.0, height / 2, length / 2)), (5.0, height / 2, 0.0), material=rough)
    touching = -math.sqrt(radius**2 - (radius - height) ** 2)
    ball = space.add_rigid(scree.Sphere(radius=radius), (touching - 1.0 + phase * speed / rate, radius, 0), material=rough)
    ball.velocity, ball.angular_velocity = (speed, 0, 0), (0, 0, -speed / radius)
    return space, ball


def energy(ball, radius=RADIUS, gravity=GRAVITY) -> float:
    """The energy of a ball of 1 kg above the floor [J]."""
    return (
        0.5 * float(ball.velocity @ ball.velocity)
        + 0.5 * BALL * radius**2 * float(ball.angular_velocity @ ball.angular_velocity)
        + gravity * (float(ball.position[1]) - radius)
    )


@pytest.mark.parametrize("kind", ["box", "hull", "mesh"])
@pytest.mark.parametrize("rate", [60, 240])
@pytest.mark.parametrize(("radius", "speed"), [(0.5, 1.5), (0.25, 2.0), (0.1, 1.0), (0.1, 2.0)])
def test_a_ball_rolls_over_a_step(kind, rate, radius, speed):
    """It is a fifth of its radius high. The ball keeps more than seven tenths of the formula's speed (a third on a mesh, where it
    meets the edge with the normal of the tick's start), whenever in a tick they meet, and never gains energy."""
    for phase in (0.0, 0.3, 0.6, 0.9):
        space, ball = before_a_step(kind, speed, 0.2 * radius, phase, rate, radius)
        before = energy(ball, radius)
        for _ in range(int(rate * (2.5 / speed + 4.0))):
            space.step(1 / rate)
            after = energy(ball, radius)
            assert after < before + 1e-3 * speed * speed
            before = after
            if ball.position[0] > 0.5:
                break
        part = ball.velocity[0] / speed_on_top(speed, 0.2 * radius, radius)
        assert ball.position[0] > 0.5 and (0.33 if kind == "mesh" else 0.7) < part < 1.01, (phase, part)


@pytest.mark.parametrize("kind", ["box", "hull"])
def test_an_impact_with_an_edge_keeps_the_angular_momentum_about_it(kind):
    """Without gravity, and so without climbing."""
    for phase in (0.0, 0.2, 0.4, 0.6):
        space, ball = before_a_step(kind, 1.5, 0.1, phase, 60, gravity=0.0)
        for _ in range(48):
            space.step(1 / 60)
        spin = 1.5 * (RADIUS - 0.1 + BALL * RADIUS) / ((1 + BALL) * RADIUS**2)
        assert energy(ball, gravity=0.0) == pytest.approx(0.5 * (1 + BALL) * (spin * RADIUS) ** 2, rel=0.01), phase


@pytest.mark.parametrize("length", [1.0, 10.0, 100.0])
def test_a_curb_of_long_triangles_is_met_at_its_edge(length):
    """Two sides of a triangle of 10 m by 10 cm lie at nearly right angles to the contact with its edge: it is no contact with the
    face, which would stop the ball as a wall does."""
    space, ball = before_a_step("mesh", 3.0, 0.1, 0.3, 60, length=length)
    ball.contact_events = "all"
    steepest = 0.0
    for _ in range(40):
        space.step(1 / 60)
        contacts = space.contact_events()
        for normal, impulse in zip(contacts.normals, contacts.impulses, strict=True):
            if impulse > 0.0:
                steepest = max(steepest, abs(normal[0]))
    assert ball.velocity[0] > 2.0 and 0.5 < steepest < 0.65


@pytest.mark.parametrize("kind", ["box", "mesh"])
def test_a_ball_that_rolls_off_an_edge_keeps_its_energy(kind):
    """Slowly it turns about the edge until it falls; then it lies on the floor, 0.4 m below."""
    space = scree.World().add_space(gravity=(0, -GRAVITY, 0))
    space.settings = replace(space.settings, is_sleeping_allowed=False)
    rough = scree.Material(friction=1.0)
    space.add_static(step_of(kind, (1.0, 0.2, 5.0)), (-1.0, 0.2, 0.0), material=rough)
    ball = space.add_rigid(scree.Sphere(radius=0.2), (-0.3, 0.6, 0), material=rough, velocity=(0.3, 0, 0))
    ball.angular_velocity = (0, 0, -1.5)
    start = energy(ball, 0.2)
    for _ in range(300):
        space.step(1 / 60)
        if ball.position[1] < 0.4:
            break
    assert ball.position[1] < 0.4
    assert 0.97 * start < energy(ball, 0.2) < start + 1e-3


def test_a_capsule_rolls_over_a_step():
    """It lies along the edge and keeps more of its energy than a third of what the step takes."""
    for phase in (0.0, 0.3, 0.6, 0.9):
        space, ball = before_a_step("box", 1.7, 0.1, phase, 60)
        place, velocity, spin = ball.position, ball.velocity, ball.angular_velocity
        ball.remove()
        lying = (math.sin(math.pi / 4), 0, 0, math.cos(math.pi / 4))
        capsule = space.add_rigid(scree.Capsule(radius=RADIUS, height=1.5), place, lying, material=scree.Material(friction=1.0))
        capsule.velocity, capsule.angular_velocity = velocity, spin
        for _ in range(150):
            space.step(1 / 60)
            if capsule.position[0] > 0.5:
                break
        assert 0.76 < capsule.velocity[0] < 0.95
