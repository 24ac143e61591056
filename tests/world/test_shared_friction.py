"""Sliding and spinning on a face share one limit of friction."""

import numpy as np
import pytest

import scree

TICK, GRAVITY = 1.0 / 60.0, 9.81


def floor(friction: float) -> scree.Space:
    space = scree.World(threads=1).add_space()
    space.add_static(scree.Plane(), material=scree.Material(friction=friction))
    return space


RADIUS, HALF_HEIGHT, FRICTION = 0.5, 0.05, 0.3
LIMIT = FRICTION * GRAVITY


def disc(velocity, spin: float, center) -> tuple[np.ndarray, float]:
    """Acceleration [m/s^2] and angular acceleration [rad/s^2] of a puck that stands on all points of its surface, each with
    Coulomb's friction. `center`: of the pressure [m], which grows evenly across the surface."""
    angles, radii = np.meshgrid(np.linspace(0.0, 2.0 * np.pi, 64, endpoint=False), RADIUS * np.sqrt((np.arange(16) + 0.5) / 16))
    places = np.array((np.cos(angles), np.sin(angles))).reshape(2, -1) * radii.ravel()
    pressure = (1.0 + 4.0 / RADIUS**2 * center @ places) / places.shape[1]
    speeds = velocity[:, None] + spin * np.array((-places[1], places[0]))
    forces = -LIMIT * pressure * speeds / np.maximum(np.hypot(*speeds), 1e-9)
    return forces.sum(1), (places[0] * forces[1] - places[1] * forces[0]).sum() / (0.5 * RADIUS**2)


def ellipsoid(velocity, spin: float, center) -> tuple[np.ndarray, float]:
    """Sliding with the limit of Howe and Cutkosky: friction acts at the centre of pressure, against the motion there."""
    lever = 2.0 / 3.0 * np.sqrt(RADIUS**2 - center @ center)
    speed = velocity + spin * np.array((-center[1], center[0]))
    size = max(np.sqrt(speed @ speed + (lever * spin) ** 2), 1e-9)
    force, twist = -LIMIT * speed / size, -LIMIT * lever * (lever * spin) / size
    return force, (twist + center[0] * force[1] - center[1] * force[0]) / (0.5 * RADIUS**2)


def slide(law, velocity: float, spin: float) -> tuple[np.ndarray, float]:
    """How far a puck slides, forward and sideways [m], and turns [rad] until it stops. What brakes it at its foot presses on its
    leading edge."""
    place, velocity, center, turned, h = np.zeros(2), np.array((velocity, 0.0)), np.zeros(2), 0.0, 1e-3
    while np.hypot(*velocity) > 1e-2 or abs(spin) * RADIUS > 1e-2:
        faster, spun = law(velocity, spin, center)
        place, turned = place + velocity * h, turned + spin * h
        velocity, spin, center = velocity + faster * h, spin + spun * h, -faster / GRAVITY * HALF_HEIGHT
    return place, turned


@pytest.mark.parametrize("height", [0.1, 0.5])
def test_the_whole_surface_of_a_disc_brakes_its_spin(height):
    """Four points at its rim would brake it by half as much again."""
    space = floor(0.5)
    material = scree.Material(friction=0.5)
    body = space.add_rigid(scree.Cylinder(radius=0.5, height=height), (0, 0.5 * height, 0), material=material, can_sleep=False)
    for _ in range(30):
        space.step(TICK)
    body.angular_velocity = (0, 10, 0)
    for _ in range(30):
        space.step(TICK)
    assert body.angular_velocity[1] == pytest.approx(10.0 - 4.0 * 0.5 * GRAVITY * 0.5 / (3.0 * 0.5), abs=0.1)


@pytest.mark.parametrize("velocity, spin", [(3.0, 0.0), (3.0, 5.0), (3.0, 15.0), (1.0, 20.0), (0.0, 20.0)])
def test_a_puck_that_spins_slides_farther(velocity, spin):
    """It also curls: friction is larger at its leading edge, which its spin moves sideways."""
    space = floor(FRICTION)
    puck = space.add_rigid(
        scree.Cylinder(radius=RADIUS, height=2.0 * HALF_HEIGHT), (0, HALF_HEIGHT, 0), velocity=(velocity, 0, 0),
        angular_velocity=(0, -spin, 0), material=scree.Material(friction=FRICTION),
    )  # fmt: skip
    turned = 0.0
    for _ in range(300):
        space.step(TICK)
        turned -= puck.angular_velocity[1] * TICK
    place, angle = slide(ellipsoid, velocity, spin)
    assert puck.position[0] == pytest.approx(place[0], rel=0.02, abs=0.02)
    assert puck.position[2] == pytest.approx(place[1], rel=0.1, abs=1e-3)
    assert turned == pytest.approx(angle, rel=0.03, abs=0.05)
    assert puck.position[0] == pytest.approx(slide(disc, velocity, spin)[0][0], rel=0.2, abs=0.02)


def test_a_plank_pushed_at_its_end_turns_before_it_slides():
    """Four corners with Coulomb's friction hold half of friction times weight there, the ellipsoid sqrt(1/2)."""
    moved = {}
    for part in (0.45, 0.65, 0.75):
        space = floor(0.5)
        plank = space.add_rigid(
            scree.Box(half_extents=(2.0, 0.05, 0.1)), (0, 0.05, 0), mass=10.0, can_sleep=False,
            material=scree.Material(friction=0.5),
        )  # fmt: skip
        for _ in range(30):
            space.step(TICK)
        plank.set_constant_force((0, 0, -part * 0.5 * 10.0 * GRAVITY), (0, 2.0 * part * 0.5 * 10.0 * GRAVITY, 0))
        for _ in range(60):
            space.step(TICK)
        moved[part] = abs(plank.angular_velocity[1])
    assert moved[0.45] < 1e-3 and moved[0.65] < 1e-3, moved
    assert moved[0.75] > 0.1, moved


@pytest.mark.parametrize("spin", [0.0, 20.0, 100.0])
def test_a_ball_that_spins_still_rolls_down_a_slope(spin):
    """A ball's contact is a small patch: its spin about the normal takes no traction from it."""
    slope = np.radians(10.0)
    space = floor(0.5)
    space.gravity = (GRAVITY * np.sin(slope), -GRAVITY * np.cos(slope), 0)
    ball = space.add_rigid(
        scree.Sphere(radius=0.5), (0, 0.5, 0), angular_velocity=(0, spin, 0), material=scree.Material(friction=0.5)
    )
    for _ in range(120):
        space.step(TICK)
    assert ball.velocity[0] == pytest.approx(5.0 / 7.0 * GRAVITY * np.sin(slope) * 2.0, rel=0.03)


@pytest.mark.parametrize("offset", [0.0, 0.4, 0.8])
def test_a_box_that_hangs_over_an_edge_holds_on_a_slope(offset):
    """Its contacts lie beside its middle: friction and twist act on each other, and hold it together."""
    slope = np.radians(20.0)
    space = scree.World(threads=1).add_space()
    space.gravity = (GRAVITY * np.sin(slope), -GRAVITY * np.cos(slope), 0)
    space.add_static(scree.Box(half_extents=(5, 0.5, 1)), (0, -0.5, 0), material=scree.Material(friction=0.6))
    box = space.add_rigid(
        scree.Box(half_extents=(0.3, 0.1, 1.0)), (0, 0.1, offset), material=scree.Material(friction=0.6), can_sleep=False
    )
    for _ in range(300):
        space.step(TICK)
    assert abs(box.position[0]) < 5e-3 and abs(box.position[2] - offset) < 5e-3
    assert np.abs(box.angular_velocity).max() < 5e-3
