"""Every axis of a joint that has a position: it has a name for users, is measured, and limits, springs and motors act along it.

This is the test that fails until a new axis is finished; CONTRIBUTING.md lists the files.
"""

import pytest
from small_world import UPRIGHT, SmallWorld

from scree.api.joint_values import AXES
from scree.core.joints import AXIS_NAMES
from scree.joints.schema import AXIS_COUNT, DISTANCE, GEAR, RACK

RATIOS = (GEAR, RACK)
"""Axes that tie speeds and have no position."""
POSITIONS = [axis for axis in range(AXIS_COUNT) if axis not in RATIOS]
START, TARGET = (0.1, 0.2, 0.3), 0.5
"""Where the body starts in the joint's frame [m], and the position that it is brought to [m], [rad]."""


def free_cube(axis):
    """A cube on a joint to the world that holds nothing, off the middle of every axis."""
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    body = world.add(world.box(0.5, 0.5, 0.5), START, mass=1.0)
    joint = world.world.joint.create("six_dof", 0, body, (*UPRIGHT, 0.0, 0.0, 0.0), (*UPRIGHT, 0.0, 0.0, 0.0))
    for each in range(DISTANCE):
        world.world.joint.free_axis(joint, each)
    return world, joint


def test_every_axis_has_a_name():
    assert len(AXIS_NAMES) == len(POSITIONS)
    assert {name: axis for axis, name in zip(POSITIONS, AXIS_NAMES, strict=True)} == AXES


@pytest.mark.parametrize("axis", POSITIONS)
def test_a_spring_brings_every_axis_to_its_target(axis):
    world, joint = free_cube(axis)
    world.world.joint.set_spring(joint, axis, 2.0, 1.0, TARGET, by_frequency=True)
    world.step(120)
    assert world.world.joint.position(joint, axis) == pytest.approx(TARGET, abs=0.02)


@pytest.mark.parametrize("axis", POSITIONS)
def test_a_motor_meets_the_limit_of_every_axis(axis):
    world, joint = free_cube(axis)
    world.world.joint.set_limits(joint, axis, 0.0, TARGET)
    world.world.joint.set_motor(joint, axis, 0.5, 5.0)
    world.step(120)
    assert world.world.joint.position(joint, axis) == pytest.approx(TARGET, abs=0.02)
