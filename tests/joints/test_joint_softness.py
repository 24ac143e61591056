"""Limits and locks of joints that give way, bounce, or bring back slowly."""

import math

import pytest
from small_world import SmallWorld
from test_joints import at, cube, floating

from scree.core.joints import LimitFeel
from scree.joints.schema import LINEAR_X, LINEAR_Y, TWIST


def slider(world: SmallWorld, feel: LimitFeel | None = None, lower: float = -1.0, upper: float = 1.0) -> tuple[int, int]:
    away = 5.0 * world.world.joints.count
    body = cube(world, (0.0, 0.0, away))
    joint = world.world.joint.create("slider", 0, body, at(0, 0, away), at(0, 0, 0))
    world.world.joint.set_limits(joint, LINEAR_X, lower, upper)
    if feel:
        world.world.joint.set_limit_feel(joint, LINEAR_X, feel)
    return body, joint


@pytest.mark.parametrize("restitution", (0.0, 0.5, 1.0))
def test_a_limit_bounces_by_its_restitution(restitution):
    world = floating()
    body, _ = slider(world, LimitFeel(restitution=restitution))
    world.throw(body, (3.0, 0.0, 0.0))
    world.step(40)
    assert world.velocity(body)[0] == pytest.approx(-3.0 * restitution, abs=0.02)
    assert world.position(body)[0] <= 1.0 + 1e-3


def test_an_elastic_slider_goes_to_and_fro_for_ever():
    world = floating()
    body, _ = slider(world, LimitFeel(restitution=1.0))
    world.throw(body, (3.0, 0.0, 0.0))
    for _ in range(600):
        world.step()
        assert abs(world.velocity(body)[0]) == pytest.approx(3.0, abs=0.05)
        assert abs(world.position(body)[0]) < 1.02


def test_a_springy_limit_gives_way_as_its_spring_says():
    """At w = 2 pi f the load sags by g / w^2."""
    world = SmallWorld()
    body = cube(world)
    joint = world.world.joint.create("six_dof", 0, body, at(0, 0, 0), at(0, 0, 0))
    world.world.joint.set_limits(joint, LINEAR_Y, -0.5, 0.5)
    world.world.joint.set_limit_feel(joint, LINEAR_Y, LimitFeel(2.0, 1.0, True))
    world.step(600)
    assert world.position(body)[1] == pytest.approx(-0.5 - 10.0 / (4.0 * math.pi) ** 2, rel=0.03)


def test_a_slow_limit_brings_back_slowly_and_lets_nothing_further():
    world = floating()
    body, joint = slider(world)
    other, slow = slider(world, LimitFeel(2.0, 5.0))
    world.step()
    for each, which in ((body, joint), (other, slow)):
        world.world.joint.set_limits(which, LINEAR_X, 0.5, 1.0)
        assert world.position(each)[0] == pytest.approx(0.0, abs=1e-6)
    world.step(20)
    assert world.position(body)[0] == pytest.approx(0.5, abs=0.01)
    assert 0.05 < world.position(other)[0] < 0.4
    world.step(600)
    assert world.position(other)[0] == pytest.approx(0.5, abs=0.01)


def test_a_limit_holds_no_more_than_its_force():
    world = floating()
    body = cube(world)
    joint = world.world.joint.create("hinge", 0, body, at(0, 0, 0), at(0, 0, 0))
    world.world.joint.set_limits(joint, TWIST, -0.5, 0.5)
    world.world.joint.set_limit_feel(joint, TWIST, LimitFeel(max_force=5.0))
    world.world.joint.set_motor(joint, TWIST, 1.0, 4.0)
    world.step(120)
    stopped = world.world.joint.position(joint, TWIST)
    assert stopped == pytest.approx(0.5 + 0.5, abs=0.05), "1 N m is left to stop 1 rad/s"
    world.step(300)
    assert world.world.joint.position(joint, TWIST) < stopped
    world.world.joint.set_motor(joint, TWIST, 1.0, 8.0)
    world.step(120)
    assert world.world.joint.position(joint, TWIST) > stopped + 1.0


def test_a_lock_that_gives_way_is_a_spring():
    world = SmallWorld()
    body = cube(world)
    joint = world.world.joint.create("six_dof", 0, body, at(0, 0, 0), at(0, 0, 0))
    locks = {LINEAR_X: (3.0, 1.0, 0.0, math.inf), LINEAR_Y: (3.0, 1.0, 0.0, math.inf)}
    world.world.joint.configure(joint, {}, locks=locks)
    world.step(300)
    assert world.position(body)[1] == pytest.approx(-10.0 / (6.0 * math.pi) ** 2, rel=0.03)
    assert abs(world.position(body)[0]) < 1e-6


def test_a_lock_with_a_force_slips_beyond_it():
    world = SmallWorld()
    held, falls = (cube(world, (x, 0.0, 0.0)) for x in (0.0, 3.0))
    for body, force, x in ((held, 70.0, 0.0), (falls, 50.0, 3.0)):
        joint = world.world.joint.create("six_dof", 0, body, at(x, 0, 0), at(0, 0, 0))
        world.world.joint.configure(joint, {}, locks={LINEAR_Y: (60.0, 1.0, 0.0, force)})
    world.step(60)
    assert world.position(held)[1] == pytest.approx(0.0, abs=0.01)
    assert world.position(falls)[1] == pytest.approx(-0.5 * (10.0 - 50.0 / 6.0) * 1.0, rel=0.05)


def test_bad_feel_names_the_value():
    world = floating()
    _, joint = slider(world)
    with pytest.raises(ValueError, match="joint_set_limit_feel: hertz must be a finite number and at least 0, got -1"):
        world.world.joint.set_limit_feel(joint, LINEAR_X, LimitFeel(hertz=-1.0))
