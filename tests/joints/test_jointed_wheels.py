"""A car of rigid bodies whose wheels are cylinders on joints: it runs straight ahead."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import scree

TICK, RADIUS = 1.0 / 60.0, 0.35


def car(space: scree.Space) -> tuple[scree.Body, list[scree.Body]]:
    """A chassis of 1,000 kg that heads along x, on four wheels of 25 kg."""
    chassis = space.add_rigid(scree.Box(half_extents=(1.7, 0.2, 0.7)), (0.0, RADIUS + 0.4, 0.0), mass=1000.0)
    wheels, across = [], tuple(Rotation.from_rotvec((math.pi / 2.0, 0.0, 0.0)).as_quat())
    for x in (-1.3, 1.3):
        for z in (-0.85, 0.85):
            place = (x, RADIUS, z)
            wheel = space.add_rigid(scree.Cylinder(radius=RADIUS, height=0.25), place, rotation=across, mass=25.0)
            space.add_joint(scree.Hinge(anchor=place, axis=(0.0, 0.0, 1.0)), wheel, to=chassis)
            wheels.append(wheel)
    return chassis, wheels


@pytest.mark.parametrize("speed", [22.0, 30.0, 32.0])
def test_a_car_on_cylinders_runs_straight(speed):
    """Its wheels leaned by 0.4 degrees in the overlap that bodies on joints may have, and it ran aside by 5 m in 4 s."""
    space = scree.World(threads=1).add_space(gravity=(0.0, -9.81, 0.0))
    space.add_static(scree.Box(half_extents=(500.0, 0.5, 100.0)), (0.0, -0.5, 0.0))
    chassis, wheels = car(space)
    for _ in range(60):
        space.step(TICK)
    for body in (chassis, *wheels):
        body.linear_damp = body.angular_damp = 0.0
        body.velocity = (speed, 0.0, 0.0)
    for wheel in wheels:
        wheel.angular_velocity = (0.0, 0.0, -speed / RADIUS)
    lean = 0.0
    for _ in range(240):
        space.step(TICK)
        lean = max(lean, *(abs(float((wheel.basis @ (0.0, 1.0, 0.0))[1])) for wheel in wheels))
    assert np.linalg.norm(chassis.velocity) > 0.98 * speed
    assert abs(chassis.position[2]) < 1.0
    assert lean < 0.004
