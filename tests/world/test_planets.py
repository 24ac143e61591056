"""Bodies that go round a planet, whose gravity is that of an area, keep their speed: on a sphere and on a mesh."""

import math

import numpy as np
import pytest
from public_words import empty, run, surface

import scree

STRENGTH = 9.81  # [m/s^2]


def round_mesh(radius, times):
    """An icosahedron whose triangles are halved some times, with its corners on a sphere."""
    t = (1.0 + math.sqrt(5.0)) / 2.0
    rows = [(0.0, s, u * t) for s in (-1.0, 1.0) for u in (-1.0, 1.0)]
    corners = [np.roll(row, k) / np.linalg.norm(row) for k in range(3) for row in rows]
    near = np.linalg.norm(np.array(corners)[:, None] - np.array(corners), axis=2) < 1.1
    faces = [
        (i, j, k) if np.dot(np.cross(corners[i], corners[j]), corners[k]) > 0.0 else (i, k, j)
        for i in range(12) for j in range(i) for k in range(j) if near[i, j] and near[j, k] and near[i, k]
    ]  # fmt: skip
    for _ in range(times):
        middles, halved = {}, []
        for face in faces:
            beside = []
            for a, b in zip(face, (*face[1:], face[0]), strict=True):
                edge = min(a, b), max(a, b)
                if edge not in middles:
                    middle = corners[a] + corners[b]
                    middles[edge] = len(corners)
                    corners.append(middle / np.linalg.norm(middle))
                beside.append(middles[edge])
            (a, b, c), (ab, bc, ca) = face, beside
            halved += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        faces = halved
    return scree.Mesh(vertices=radius * np.array(corners), triangles=np.array(faces))


def speed_after(planet, radius, speed, friction, rate, seconds=10, size=0.2):
    """The speed [m/s] of a ball after some seconds around a planet."""
    space = empty((0.0, 0.0, 0.0))
    space.add_static(planet, material=surface(friction))
    pull = scree.AreaEffect(gravity_mode="replace", center=(0.0, 0.0, 0.0), strength=STRENGTH)
    space.add_area(scree.Sphere(radius=4.0 * radius), effect=pull)
    ball = space.add_rigid(
        scree.Sphere(radius=size), (radius + size, 0.0, 0.0), mass=1.0, velocity=(0.0, 0.0, speed), can_sleep=False,
        angular_velocity=(0.0, -speed / size if friction else 0.0, 0.0), material=surface(friction),
    )  # fmt: skip
    run(space, seconds * rate, 1.0 / rate)
    assert np.linalg.norm(ball.position) == pytest.approx(radius + size, abs=0.03), "it stays on the ground"
    return np.linalg.norm(ball.velocity)


@pytest.mark.parametrize(("rate", "least"), [(30, 0.94), (60, 0.97), (120, 0.98), (240, 0.99)])
@pytest.mark.parametrize(("friction", "speed"), [(0.0, 3.0), (1.0, 2.143)])
def test_a_ball_keeps_its_speed_around_a_sphere(friction, speed, rate, least):
    """It loses what the ground takes as its normal turns from tick to tick, not by gravity that points back."""
    after = speed_after(scree.Sphere(radius=5.0), 5.0, speed, friction, rate)
    assert least * speed < after < 1.002 * speed


@pytest.mark.parametrize("rate", (30, 60, 120))
@pytest.mark.parametrize(("friction", "speed"), [(0.0, 3.0), (1.0, 2.143)])
def test_a_ball_keeps_its_speed_around_a_mesh(friction, speed, rate):
    """There it rolls along chords, and gravity is that half a tick ahead."""
    after = speed_after(round_mesh(5.0, 5), 5.0, speed, friction, rate)
    assert 0.97 * speed < after < 1.01 * speed


@pytest.mark.parametrize("rate", (30, 60, 240))
def test_an_orbit_keeps_its_energy(rate):
    """Nothing bears it: gravity acts at the mean of the times of the sub-steps."""
    space = empty((0.0, 0.0, 0.0))
    pull = scree.AreaEffect(gravity_mode="replace", center=(0.0, 0.0, 0.0), strength=STRENGTH)
    space.add_area(scree.Sphere(radius=20.0), effect=pull)
    speed = math.sqrt(STRENGTH * 5.0)
    moon = space.add_rigid(
        scree.Sphere(radius=0.2), (5.0, 0.0, 0.0), mass=1.0, velocity=(0.0, 0.0, speed), can_sleep=False
    )  # fmt: skip
    run(space, 60 * rate, 1.0 / rate)
    height = np.linalg.norm(moon.position)
    energy = 0.5 * moon.velocity @ moon.velocity + STRENGTH * height
    assert energy == pytest.approx(0.5 * speed**2 + STRENGTH * 5.0, rel=0.01)
