"""Joints of the core against what mechanics says of them."""

import math

import numpy as np
import pytest
from small_world import TICK, UPRIGHT, SmallWorld

from scree.joints.schema import (
    CONE,
    LINEAR_X,
    LINEAR_Y,
    LINEAR_Z,
    SWING_Y,
    SWING_Z,
    TWIST,
)  # fmt: skip


def at(*position, basis=UPRIGHT):
    """A frame at a position."""
    return (*basis, *position)


def about(axis: int, position=(0.0, 0.0, 0.0)):
    """A frame whose x axis is a world axis."""
    return (*np.roll(np.eye(3), -axis, axis=1).ravel(), *position)


def cube(world: SmallWorld, position=(0.0, 0.0, 0.0), mode=None) -> int:
    """A cube of 6 kg whose inertia is 1 kg m^2."""
    return world.add(world.box(0.5, 0.5, 0.5), position, mode, mass=6.0)


def floating(**settings) -> SmallWorld:
    return SmallWorld(gravity=(0.0, 0.0, 0.0), **settings)


def turn_of(world: SmallWorld, body: int) -> float:
    """Angle that a body has turned by [rad]."""
    q = world.body(body)["rotation"].astype(np.float64)
    return 2.0 * math.atan2(np.linalg.norm(q[:3]), abs(q[3]))


def energy(world: SmallWorld, body: int, mass: float = 1.0) -> float:
    v = world.velocity(body)
    return 0.5 * mass * v @ v + 10.0 * mass * world.position(body)[1]


# Points and lengths.


def test_a_pendulum_keeps_its_length_and_nearly_its_energy():
    world = SmallWorld()
    bob = world.add(world.sphere(0.05), (1.0, 0.0, 0.0))
    world.world.joint.create("point", 0, bob, at(0, 0, 0), at(-1, 0, 0))
    lengths, energies = [], []
    for _ in range(120):
        world.step()
        lengths.append(np.linalg.norm(world.position(bob)))
        energies.append(energy(world, bob))
    assert np.abs(np.array(lengths) - 1.0).max() < 0.003
    # Of the 10 J that swing to and fro.
    assert np.abs(energies).max() < 0.8
    assert max(energies) < 0.1, "it must not gain any"


@pytest.mark.parametrize("ratio", (1.0, 100.0))
def test_a_load_hangs_still_on_a_light_link(ratio):
    world = SmallWorld()
    link = world.add(world.box(0.05, 0.25, 0.05), (0.0, -0.25, 0.0))
    load = world.add(world.box(0.2, 0.2, 0.2), (0.0, -0.7, 0.0), mass=ratio)
    world.world.joint.create("point", 0, link, at(0, 0, 0), at(0, 0.25, 0))
    world.world.joint.create("point", link, load, at(0, -0.25, 0), at(0, 0.2, 0))
    world.step(180)
    assert world.position(load) == pytest.approx((0.0, -0.7, 0.0), abs=0.02)
    assert np.linalg.norm(world.velocity(load)) < 0.02


@pytest.mark.parametrize("way", ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0)))
def test_a_chain_of_thirty_links_does_not_stretch_under_a_hundred_times_its_weight(way):
    world = SmallWorld()
    way = np.array(way)
    half = 0.05 + 0.2 * np.abs(way)
    bodies, above = [], 0
    for k in range(31):
        load = {"mass": 100.0} if k == 30 else {}
        body = world.add(world.box(*half), tuple(way * (k + 0.5) * 0.5), **load)
        world.world.joint.create("point", above, body, at(*(0.25 * way if above else 0.0 * way)), at(*(-0.25 * way)))
        bodies.append(body)
        above = body
    for _ in range(240):
        world.step()
        assert np.linalg.norm(world.position(bodies[-1])) < 15.25 * 1.005
    if way[1] < 0.0:
        assert world.position(bodies[-1])[1] == pytest.approx(-15.25, abs=0.005)


def test_a_loop_of_joints_holds_a_load():
    """Four beams in a square, hung by a corner: one joint too many for a tree."""
    world = SmallWorld()
    corners = [np.array(c) for c in ((0.0, 0.0, 0.0), (1.0, -1.0, 0.0), (0.0, -2.0, 0.0), (-1.0, -1.0, 0.0))]
    beams = []
    for k in range(4):
        middle = 0.5 * (corners[k] + corners[(k + 1) % 4])
        beams.append((world.add(world.sphere(0.2), tuple(middle)), middle))
    for k in range(4):
        (a, at_a), (b, at_b) = beams[k - 1], beams[k]
        world.world.joint.create("fixed", a, b, at(*(corners[k] - at_a)), at(*(corners[k] - at_b)))
    world.world.joint.create("point", 0, beams[0][0], at(0, 0, 0), at(*(-beams[0][1])))
    load = world.add(world.sphere(0.2), tuple(corners[2]), mass=20.0)
    world.world.joint.create("point", beams[1][0], load, at(*(corners[2] - beams[1][1])))
    world.step(300)
    assert world.position(load) == pytest.approx(corners[2], abs=0.05)


def test_force_of_a_joint_is_the_weight_it_carries():
    world = SmallWorld()
    bob = world.add(world.sphere(0.1), (0.0, -1.0, 0.0), mass=3.0)
    joint = world.world.joint.create("point", 0, bob, at(0, 0, 0), at(0, 1, 0))
    world.step(60)
    assert world.world.joint.force(joint) == pytest.approx((0.0, 30.0, 0.0), abs=0.2)
    beam = cube(world, (5.0, 0.0, 0.0))
    held = world.world.joint.create("fixed", 0, beam, at(4.0, 0, 0), at(-1.0, 0, 0))
    world.step(60)
    # 60 N at an arm of a metre.
    assert world.world.joint.torque(held) == pytest.approx((0.0, 0.0, 60.0), abs=0.5)


def test_a_rod_and_a_rope():
    world = SmallWorld()
    rod = world.add(world.sphere(0.1), (2.0, 0.0, 0.0))
    world.world.joint.set_distance(world.world.joint.create("distance", 0, rod), 2.0, 2.0)
    rope = world.add(world.sphere(0.1), (0.0, -0.5, 9.0))
    world.world.joint.set_distance(world.world.joint.create("distance", 0, rope, at(0, 0, 9)), 0.0, 1.5)
    for _ in range(120):
        world.step()
        assert np.linalg.norm(world.position(rod)) == pytest.approx(2.0, abs=0.01)
    assert world.position(rope) == pytest.approx((0.0, -1.5, 9.0), abs=0.01)


# Axes.


@pytest.mark.parametrize("axis", range(3))
def test_the_axis_of_a_hinge_holds_under_load(axis):
    world = SmallWorld()
    body = cube(world, (0.0, 0.0, 0.0))
    # The centre of mass lies off the axis, so that gravity pulls at it.
    world.world.joint.create("hinge", 0, body, about(axis, (0.3, 0.4, 0.2)), about(axis, (0.3, 0.4, 0.2)))
    world.turn(body, (1.0, 1.0, 1.0))
    direction = np.eye(3)[axis]
    for _ in range(180):
        world.step()
        q = world.body(body)["rotation"].astype(np.float64)
        turned = direction + 2.0 * np.cross(q[:3], np.cross(q[:3], direction) + q[3] * direction)
        assert np.linalg.norm(turned - direction) < 0.02


@pytest.mark.parametrize("lower, upper", ((-0.2, 0.8), (-3.0, 3.0), (2.0, 4.0), (-0.5, -0.1)))
def test_limits_of_a_hinge(lower, upper):
    world = floating()
    body = cube(world)
    joint = world.world.joint.create("hinge", 0, body)
    world.world.joint.set_limits(joint, TWIST, lower, upper)
    seen = []
    for spin in (2.0, -2.0, 2.0):
        world.turn(body, (spin, 0.0, 0.0))
        for _ in range(240):
            world.step()
            angle = world.world.joint.position(joint, TWIST)
            middle = 0.5 * (lower + upper)
            seen.append(middle + math.remainder(angle - middle, 2.0 * math.pi))
    settled = seen[240:]
    assert min(settled) == pytest.approx(lower, abs=0.02)
    assert max(settled) == pytest.approx(upper, abs=0.02)


@pytest.mark.parametrize("axis", range(6))
def test_limits_of_every_axis(axis):
    world = floating()
    body = cube(world)
    joint = world.world.joint.create("six_dof", 0, body)
    world.world.joint.set_limits(joint, axis, -0.3, 0.5)
    way = np.eye(3)[axis % 3]
    for sign, limit in ((1.0, 0.5), (-1.0, -0.3)):
        for _ in range(120):
            (world.throw if axis < 3 else world.turn)(body, tuple(sign * way))
            world.step()
        assert world.world.joint.position(joint, axis) == pytest.approx(limit, abs=0.02)
    others = [k for k in range(6) if k != axis]
    assert max(abs(world.world.joint.position(joint, k)) for k in others) < 0.01


def test_an_axis_may_be_locked_off_its_middle():
    world = floating()
    body = cube(world)
    joint = world.world.joint.create("six_dof", 0, body)
    world.world.joint.set_limits(joint, LINEAR_Y, 0.7, 0.7)
    world.world.joint.set_limits(joint, SWING_Z, 0.4, 0.4)
    world.step(120)
    assert world.position(body) == pytest.approx((0.0, 0.7, 0.0), abs=0.01)
    assert world.world.joint.position(joint, SWING_Z) == pytest.approx(0.4, abs=0.01)


@pytest.mark.parametrize("direction", (0.0, 0.7, 1.6, 2.5, 4.0))
def test_a_cone_is_round(direction):
    world = floating()
    body = cube(world)
    joint = world.world.joint.create("swing_twist", 0, body)
    world.world.joint.set_limits(joint, CONE, -1.0, 0.6)
    world.world.joint.set_limits(joint, TWIST, -0.2, 0.2)
    for _ in range(120):
        world.turn(body, (0.0, math.cos(direction), math.sin(direction)))
        world.step()
    assert world.world.joint.position(joint, CONE) == pytest.approx(0.6, abs=0.02)
    assert abs(world.world.joint.position(joint, TWIST)) < 0.22


# Motors and springs.


def test_a_motor_reaches_its_speed_with_the_torque_it_may_use():
    world = floating()
    body = cube(world)
    joint = world.world.joint.create("hinge", 0, body)
    world.world.joint.set_motor(joint, TWIST, 3.0, 2.0)
    world.step(30)
    assert world.spin(body)[0] == pytest.approx(2.0 * 0.5, abs=0.02), "2 N m on 1 kg m^2 for half a second"
    assert np.abs(world.world.joint.torque(joint)).max() <= 2.0 + 1e-3
    world.step(90)
    assert world.spin(body)[0] == pytest.approx(3.0, abs=0.01)
    world.world.joint.clear_motor(joint, TWIST)
    world.world.joint.set_motor(joint, TWIST, 0.0, 1.0)
    world.step(60)
    assert world.spin(body)[0] == pytest.approx(2.0, abs=0.02), "a motor of no speed is friction"


def test_a_motor_pushes_two_bodies_apart_equally():
    world = floating()
    a, b = cube(world), cube(world, (3.0, 0.0, 0.0))
    joint = world.world.joint.create("slider", a, b, at(1.5, 0, 0), at(-1.5, 0, 0))
    world.world.joint.set_motor(joint, LINEAR_X, 2.0, 60.0)
    world.step(60)
    assert world.velocity(a) == pytest.approx((-1.0, 0.0, 0.0), abs=0.01)
    assert world.velocity(b) == pytest.approx((1.0, 0.0, 0.0), abs=0.01)


def periods(values: np.ndarray) -> float:
    """Mean length of a period [s] from the rising crossings of zero, interpolated."""
    k = np.flatnonzero((values[:-1] < 0.0) & (values[1:] >= 0.0))
    crossings = k + values[k] / (values[k] - values[k + 1])
    return float(np.diff(crossings).mean()) * TICK


@pytest.mark.parametrize("axis, inertia", ((LINEAR_X, 6.0), (LINEAR_Z, 6.0), (TWIST, 1.0), (SWING_Y, 1.0), (SWING_Z, 1.0)))
def test_the_period_of_a_spring(axis, inertia):
    world = floating()
    body = cube(world)
    joint = world.world.joint.create("six_dof", 0, body)
    world.world.joint.free_axis(joint, axis)
    world.world.joint.set_spring(joint, axis, 40.0, 0.0)
    way = 0.5 * np.eye(3)[axis % 3]
    (world.throw if axis < 3 else world.turn)(body, tuple(way))
    seen = []
    for _ in range(360):
        world.step()
        seen.append(world.world.joint.position(joint, axis))
    assert periods(np.array(seen)) == pytest.approx(2.0 * math.pi * math.sqrt(inertia / 40.0), rel=0.02)


def test_a_spring_by_frequency_and_one_with_a_force():
    world = floating()
    body = cube(world)
    joint = world.world.joint.create("six_dof", 0, body)
    world.world.joint.free_axis(joint, LINEAR_X)
    world.world.joint.set_spring(joint, LINEAR_X, 2.0, 1.0, target=1.0, by_frequency=True)
    world.step(90)
    assert world.position(body)[0] == pytest.approx(1.0, abs=0.01)
    world.world.joint.set_spring(joint, LINEAR_X, 2.0, 1.0, target=-9.0, max_force=6.0, by_frequency=True)
    world.throw(body, (0.0, 0.0, 0.0))
    world.step(30)
    assert world.velocity(body)[0] == pytest.approx(-0.5, abs=0.02), "6 N on 6 kg for half a second"


def test_gears_turn_against_each_other():
    """Gears share their spin: the speeds that satisfy the gear with the least change."""
    world = floating()
    a, b = cube(world), cube(world, (0.0, 3.0, 0.0))
    for body in (a, b):
        world.world.joint.create("hinge", 0, body, at(*world.position(body)))
    gear = world.world.joint.create("gear", a, b)
    world.world.joint.set_ratio(gear, 2.0)
    world.turn(a, (2.0, 0.0, 0.0))
    world.step(60)
    assert world.spin(a) == pytest.approx((1.6, 0.0, 0.0), abs=0.01)
    assert world.spin(b) == pytest.approx((-0.8, 0.0, 0.0), abs=0.01)


def test_a_rack_runs_with_its_pinion():
    world = floating()
    pinion, rack = cube(world), cube(world, (0.0, 3.0, 0.0))
    world.world.joint.create("hinge", 0, pinion)
    slider = world.world.joint.create("slider", 0, rack, at(0, 3, 0))
    joint = world.world.joint.create("rack_and_pinion", pinion, rack)
    world.world.joint.set_ratio(joint, 0.5)
    world.turn(pinion, (2.0, 0.0, 0.0))
    world.step(60)
    assert world.spin(pinion)[0] == pytest.approx(0.8, abs=0.01)
    assert world.velocity(rack)[0] == pytest.approx(0.4, abs=0.01)
    with pytest.raises(ValueError, match="only a gear"):
        world.world.joint.set_ratio(slider, 1.0)
