"""A surface that turns (`set_surface_velocity` with an angle) turns what lies on it, besides carrying it around."""

import numpy as np
import pytest

import scree

TICK = 1.0 / 60.0


@pytest.mark.parametrize("place", [0.0, 2.0])
@pytest.mark.parametrize("shape", [scree.Box(half_extents=(0.3, 0.3, 0.3)), scree.Cylinder(radius=0.3, height=0.4)])
def test_what_lies_on_a_turning_surface_turns_with_it(shape, place):
    space = scree.World(threads=1).add_space()
    table = space.add_static(scree.Box(half_extents=(5, 0.5, 5)), (0, -0.5, 0))
    table.set_surface_velocity((0, 0, 0), (0, 1.0, 0))
    body = space.add_rigid(shape, (place, 0.31, 0), can_sleep=False, material=scree.Material(friction=1.0))
    for _ in range(180):
        space.step(TICK)
    assert body.angular_velocity[1] == pytest.approx(1.0, rel=0.02)
    assert np.hypot(body.velocity[0], body.velocity[2]) == pytest.approx(place * 1.0, rel=0.1, abs=0.02)
    assert abs(body.velocity[1]) < 0.02


@pytest.mark.parametrize("radius, spin", [(2.0, 1.0), (2.0, 1.5), (3.0, 1.0)])
@pytest.mark.parametrize(
    "shape, half", [(scree.Box(half_extents=(0.3, 0.3, 0.3)), 0.3), (scree.Cylinder(radius=0.3, height=0.4), 0.2),
                    (scree.Box(half_extents=(0.4, 0.1, 0.2)), 0.1)],
)  # fmt: skip
def test_what_rides_on_a_turntable_stays_where_it_stands(shape, half, radius, spin):
    """Its velocity was that of the tangent for a whole step: boxes crept out by 17 to 54 mm a second."""
    space = scree.World(threads=1).add_space()
    high = scree.Material(friction=1.0)
    table = space.add_kinematic(scree.Cylinder(radius=5, height=1), (0, -0.5, 0), material=high)
    rider = space.add_rigid(
        shape, (radius, half, 0), velocity=(0, 0, -spin * radius), angular_velocity=(0, spin, 0), can_sleep=False, material=high
    )
    angle = 0.0
    for _ in range(600):
        angle += spin * TICK
        table.move((0, -0.5, 0), (0, np.sin(angle / 2), 0, np.cos(angle / 2)))
        space.step(TICK)
    x, _, z = rider.position
    assert np.hypot(x, z) == pytest.approx(radius, abs=1e-3)
    assert (np.arctan2(-z, x) - angle + np.pi) % (2 * np.pi) - np.pi == pytest.approx(0.0, abs=0.01)
    assert rider.angular_velocity == pytest.approx((0.0, spin, 0.0), abs=0.01)


def test_a_turntable_throws_off_what_friction_cannot_hold():
    """At w^2 r above friction times gravity."""
    space = scree.World(threads=1).add_space()
    low = scree.Material(friction=0.3)
    table = space.add_kinematic(scree.Cylinder(radius=5, height=1), (0, -0.5, 0), material=low)
    boxes = [space.add_rigid(scree.Box(half_extents=(0.2, 0.2, 0.2)), (r, 0.2, 0), velocity=(0, 0, -r), material=low,
                             angular_velocity=(0, 1.0, 0), can_sleep=False) for r in (2.5, 3.5)]  # fmt: skip
    angle = 0.0
    for _ in range(240):
        angle += TICK
        table.move((0, -0.5, 0), (0, np.sin(angle / 2), 0, np.cos(angle / 2)))
        space.step(TICK)
    stays, slides = (float(np.hypot(box.position[0], box.position[2])) for box in boxes)
    assert stays == pytest.approx(2.5, abs=1e-3) and slides > 4.0


@pytest.mark.parametrize("radius", [1.6, 2.0])
@pytest.mark.parametrize("rate", [30, 60, 120])
def test_a_kinematic_drum_keeps_what_it_tumbles(rate, radius):
    """At 10 rad/s 8 and 24 of 75 boxes left it at 60 ticks a second, at 30 all of them."""
    space, count, spin, scale = scree.World(threads=1).add_space(), 24, 10.0, 0.25 * radius
    middle = radius + 0.5
    wall = scree.Box(half_extents=(0.5, middle * np.tan(np.pi / count) + 0.05, 2.0))
    ends = scree.Box(half_extents=(radius + 2.0, radius + 2.0, 0.5))
    parts = [scree.Part(shape=ends, position=(0.0, 0.0, side)) for side in (-2.5, 2.5)]
    for angle in 2.0 * np.pi / count * np.arange(count):
        place, turn = middle * np.array([np.cos(angle), np.sin(angle), 0.0]), (0.0, 0.0, np.sin(angle / 2), np.cos(angle / 2))
        parts.append(scree.Part(shape=wall, position=place, rotation=turn))
    drum = space.add_kinematic(scree.Compound(parts=parts), (0, 0, 0))
    box = scree.Box(half_extents=(0.2 * scale,) * 3)
    places = 0.5 * scale * np.mgrid[-2:3, -2:3, -1:2].reshape(3, -1).T
    boxes = [space.add_rigid(box, place, can_sleep=False) for place in places]
    angle = 0.0
    for _ in range(4 * rate):
        angle += spin / rate
        drum.move((0, 0, 0), (0, 0, np.sin(angle / 2), np.cos(angle / 2)))
        space.step(1.0 / rate)
    assert max(np.hypot(*box.position[:2]) for box in boxes) < radius + 0.05  # its corners lie 0.02 m farther out
