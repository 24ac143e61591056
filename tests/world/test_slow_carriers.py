"""Belts, turntables and currents carry bodies however slowly: a body that goes along does not fall asleep."""

import math

import pytest

import scree

BOX = scree.Box(half_extents=(0.3, 0.3, 0.3))
FLOOR = scree.Box(half_extents=(9.0, 0.5, 9.0))
SLOW = 0.05  # half of the speed below which bodies fall asleep [m/s], [rad/s]


def run(space, seconds: float) -> None:
    for _ in range(round(60 * seconds)):
        space.step(1 / 60)


def on_belt(linear=(0.0, 0.0, 0.0), angular=(0.0, 0.0, 0.0)):
    space = scree.World().add_space()
    belt = space.add_static(FLOOR, (0, -0.5, 0))
    belt.set_surface_velocity(linear, angular)
    return space, belt, space.add_rigid(BOX, (0, 0.3, 0))


def test_a_belt():
    space, belt, box = on_belt((SLOW, 0.0, 0.0))
    run(space, 10.0)
    assert box.position[0] == pytest.approx(10.0 * SLOW, rel=0.01)
    belt.set_surface_velocity((0.0, 0.0, 0.0))
    run(space, 2.0)
    assert box.is_asleep


def test_a_box_on_a_box_on_a_belt():
    space, _, _ = on_belt((SLOW, 0.0, 0.0))
    top = space.add_rigid(BOX, (0, 0.9, 0))
    run(space, 10.0)
    assert top.position[0] == pytest.approx(10.0 * SLOW, rel=0.02)


def test_a_turntable():
    space, _, box = on_belt(angular=(0.0, SLOW, 0.0))
    run(space, 10.0)
    assert 2.0 * math.atan2(box.rotation[1], box.rotation[3]) == pytest.approx(10.0 * SLOW, rel=0.01)


def test_a_body_that_cannot_go_along_falls_asleep():
    space, _, box = on_belt((SLOW, 0.0, 0.0))
    space.add_static(scree.Box(half_extents=(0.1, 1.0, 1.0)), (0.4, 0.5, 0))
    run(space, 3.0)
    assert box.is_asleep and box.position[0] == pytest.approx(0.0, abs=2e-3)


def test_a_current():
    space = scree.World().add_space()
    space.add_water((0, 0, 0), (40, 20, 40), flow=(SLOW, 0, 0))
    raft = space.add_rigid(scree.Box(half_extents=(0.5, 0.25, 0.5)), density=500)
    run(space, 60.0)
    before = raft.position[0]
    run(space, 10.0)
    assert raft.position[0] - before == pytest.approx(10.0 * SLOW, rel=0.02)
