"""Joints of the core against what mechanics says of them."""

import math

import numpy as np
import pytest
from small_world import TICK, UPRIGHT, SmallWorld

from engine_core.bodies.schema import KINEMATIC, STATIC
from engine_core.constraints.joint_schema import (
    CONE, DISTANCE, LINEAR_X, LINEAR_Y, LINEAR_Z, SWING_Y, SWING_Z, TWIST,
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
    world.world.create_joint("point", 0, bob, at(0, 0, 0), at(-1, 0, 0))
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
    world.world.create_joint("point", 0, link, at(0, 0, 0), at(0, 0.25, 0))
    world.world.create_joint("point", link, load, at(0, -0.25, 0), at(0, 0.2, 0))
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
        world.world.create_joint("point", above, body, at(*(0.25 * way if above else 0.0 * way)), at(*(-0.25 * way)))
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
        world.world.create_joint("fixed", a, b, at(*(corners[k] - at_a)), at(*(corners[k] - at_b)))
    world.world.create_joint("point", 0, beams[0][0], at(0, 0, 0), at(*(-beams[0][1])))
    load = world.add(world.sphere(0.2), tuple(corners[2]), mass=20.0)
    world.world.create_joint("point", beams[1][0], load, at(*(corners[2] - beams[1][1])))
    world.step(300)
    assert world.position(load) == pytest.approx(corners[2], abs=0.05)


def test_force_of_a_joint_is_the_weight_it_carries():
    world = SmallWorld()
    bob = world.add(world.sphere(0.1), (0.0, -1.0, 0.0), mass=3.0)
    joint = world.world.create_joint("point", 0, bob, at(0, 0, 0), at(0, 1, 0))
    world.step(60)
    assert world.world.joint_force(joint) == pytest.approx((0.0, 30.0, 0.0), abs=0.2)
    beam = cube(world, (5.0, 0.0, 0.0))
    held = world.world.create_joint("fixed", 0, beam, at(4.0, 0, 0), at(-1.0, 0, 0))
    world.step(60)
    # 60 N at an arm of a metre.
    assert world.world.joint_torque(held) == pytest.approx((0.0, 0.0, 60.0), abs=0.5)


def test_a_rod_and_a_rope():
    world = SmallWorld()
    rod = world.add(world.sphere(0.1), (2.0, 0.0, 0.0))
    world.world.joint_set_distance(world.world.create_joint("distance", 0, rod), 2.0, 2.0)
    rope = world.add(world.sphere(0.1), (0.0, -0.5, 9.0))
    world.world.joint_set_distance(world.world.create_joint("distance", 0, rope, at(0, 0, 9)), 0.0, 1.5)
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
    world.world.create_joint("hinge", 0, body, about(axis, (0.3, 0.4, 0.2)), about(axis, (0.3, 0.4, 0.2)))
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
    joint = world.world.create_joint("hinge", 0, body)
    world.world.joint_set_limits(joint, TWIST, lower, upper)
    seen = []
    for spin in (2.0, -2.0, 2.0):
        world.turn(body, (spin, 0.0, 0.0))
        for _ in range(240):
            world.step()
            angle = world.world.joint_position(joint, TWIST)
            middle = 0.5 * (lower + upper)
            seen.append(middle + math.remainder(angle - middle, 2.0 * math.pi))
    settled = seen[240:]
    assert min(settled) == pytest.approx(lower, abs=0.02)
    assert max(settled) == pytest.approx(upper, abs=0.02)


@pytest.mark.parametrize("axis", range(6))
def test_limits_of_every_axis(axis):
    world = floating()
    body = cube(world)
    joint = world.world.create_joint("six_dof", 0, body)
    world.world.joint_set_limits(joint, axis, -0.3, 0.5)
    way = np.eye(3)[axis % 3]
    for sign, limit in ((1.0, 0.5), (-1.0, -0.3)):
        for _ in range(120):
            (world.throw if axis < 3 else world.turn)(body, tuple(sign * way))
            world.step()
        assert world.world.joint_position(joint, axis) == pytest.approx(limit, abs=0.02)
    others = [k for k in range(6) if k != axis]
    assert max(abs(world.world.joint_position(joint, k)) for k in others) < 0.01


def test_an_axis_may_be_locked_off_its_middle():
    world = floating()
    body = cube(world)
    joint = world.world.create_joint("six_dof", 0, body)
    world.world.joint_set_limits(joint, LINEAR_Y, 0.7, 0.7)
    world.world.joint_set_limits(joint, SWING_Z, 0.4, 0.4)
    world.step(120)
    assert world.position(body) == pytest.approx((0.0, 0.7, 0.0), abs=0.01)
    assert world.world.joint_position(joint, SWING_Z) == pytest.approx(0.4, abs=0.01)


@pytest.mark.parametrize("direction", (0.0, 0.7, 1.6, 2.5, 4.0))
def test_a_cone_is_round(direction):
    world = floating()
    body = cube(world)
    joint = world.world.create_joint("swing_twist", 0, body)
    world.world.joint_set_limits(joint, CONE, -1.0, 0.6)
    world.world.joint_set_limits(joint, TWIST, -0.2, 0.2)
    for _ in range(120):
        world.turn(body, (0.0, math.cos(direction), math.sin(direction)))
        world.step()
    assert world.world.joint_position(joint, CONE) == pytest.approx(0.6, abs=0.02)
    assert abs(world.world.joint_position(joint, TWIST)) < 0.22


# Motors and springs.


def test_a_motor_reaches_its_speed_with_the_torque_it_may_use():
    world = floating()
    body = cube(world)
    joint = world.world.create_joint("hinge", 0, body)
    world.world.joint_set_motor(joint, TWIST, 3.0, 2.0)
    world.step(30)
    assert world.spin(body)[0] == pytest.approx(2.0 * 0.5, abs=0.02), "2 N m on 1 kg m^2 for half a second"
    assert np.abs(world.world.joint_torque(joint)).max() <= 2.0 + 1e-3
    world.step(90)
    assert world.spin(body)[0] == pytest.approx(3.0, abs=0.01)
    world.world.joint_clear_motor(joint, TWIST)
    world.world.joint_set_motor(joint, TWIST, 0.0, 1.0)
    world.step(60)
    assert world.spin(body)[0] == pytest.approx(2.0, abs=0.02), "a motor of no speed is friction"


def test_a_motor_pushes_two_bodies_apart_equally():
    world = floating()
    a, b = cube(world), cube(world, (3.0, 0.0, 0.0))
    joint = world.world.create_joint("slider", a, b, at(1.5, 0, 0), at(-1.5, 0, 0))
    world.world.joint_set_motor(joint, LINEAR_X, 2.0, 60.0)
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
    joint = world.world.create_joint("six_dof", 0, body)
    world.world.joint_free_axis(joint, axis)
    world.world.joint_set_spring(joint, axis, 40.0, 0.0)
    way = 0.5 * np.eye(3)[axis % 3]
    (world.throw if axis < 3 else world.turn)(body, tuple(way))
    seen = []
    for _ in range(360):
        world.step()
        seen.append(world.world.joint_position(joint, axis))
    assert periods(np.array(seen)) == pytest.approx(2.0 * math.pi * math.sqrt(inertia / 40.0), rel=0.02)


def test_a_spring_by_frequency_and_one_with_a_force():
    world = floating()
    body = cube(world)
    joint = world.world.create_joint("six_dof", 0, body)
    world.world.joint_free_axis(joint, LINEAR_X)
    world.world.joint_set_spring(joint, LINEAR_X, 2.0, 1.0, target=1.0, by_frequency=True)
    world.step(90)
    assert world.position(body)[0] == pytest.approx(1.0, abs=0.01)
    world.world.joint_set_spring(joint, LINEAR_X, 2.0, 1.0, target=-9.0, max_force=6.0, by_frequency=True)
    world.throw(body, (0.0, 0.0, 0.0))
    world.step(30)
    assert world.velocity(body)[0] == pytest.approx(-0.5, abs=0.02), "6 N on 6 kg for half a second"


# Sleep.


def test_what_is_joined_sleeps_and_wakes_together():
    world = SmallWorld(sleeps=True, damp=2.0)
    a = world.add(world.sphere(0.1), (0.0, -1.0, 0.0))
    b = world.add(world.sphere(0.1), (0.0, -2.0, 0.0))
    world.world.create_joint("point", 0, a, at(0, 0, 0), at(0, 1, 0))
    joint = world.world.create_joint("point", a, b, at(0, -0.5, 0), at(0, 0.5, 0))
    world.step(120)
    assert not world.is_awake(a) and not world.is_awake(b)
    world.throw(b, (0.5, 0.0, 0.0))
    world.step(2)
    assert world.is_awake(a) and world.is_awake(b)
    world.step(900)
    assert not world.is_awake(a) and not world.is_awake(b)
    world.world.destroy_joint(joint)
    world.step()
    assert world.is_awake(a) and world.is_awake(b)


def test_a_body_told_to_sleep_hangs_on():
    from engine_core.body_placement import mark
    from engine_core.bodies.schema import SLEEP_REQUESTED

    world = SmallWorld(sleeps=True)
    bodies = [world.add(world.sphere(0.1), (0.0, -1.0 - k, 0.0)) for k in range(3)]
    above = 0
    for k, body in enumerate(bodies):
        world.world.create_joint("point", above, body, at(0, -0.5 if k else 0, 0), at(0, 0.5 if k else 1, 0))
        above = body
    world.step(5)
    mark(world.world.address, world.index(bodies[1]), SLEEP_REQUESTED)
    world.step(30)
    assert [world.position(body)[1] for body in bodies] == pytest.approx([-1.0, -2.0, -3.0], abs=0.01)
    for body in bodies:
        mark(world.world.address, world.index(body), SLEEP_REQUESTED)
    world.step()
    assert not any(world.is_awake(body) for body in bodies)
    world.throw(bodies[2], (1.0, 0.0, 0.0))
    world.step(60)
    assert all(world.is_awake(body) for body in bodies)
    assert np.linalg.norm(world.position(bodies[0])) == pytest.approx(1.0, abs=0.01)


def test_a_kinematic_body_drags_what_hangs_on_it():
    world = SmallWorld(sleeps=True)
    lift = world.add(world.box(0.5, 0.1, 0.5), (0.0, 0.0, 0.0), KINEMATIC)
    world.step()
    bob = world.add(world.sphere(0.1), (0.0, -1.0, 0.0))
    world.world.create_joint("point", lift, bob, at(0, 0, 0), at(0, 1, 0))
    world.step(120)
    assert not world.is_awake(bob)
    for k in range(60):
        world.move(lift, (0.0, 0.02 * (k + 1), 0.0))
        world.step()
    assert world.position(bob)[1] == pytest.approx(0.2, abs=0.03)


# Breaking, switching, colliding.


def test_a_joint_breaks_at_its_force():
    world = SmallWorld()
    strong, weak = (world.add(world.sphere(0.1), (x, -1.0, 0.0), mass=2.0) for x in (0.0, 3.0))
    joints = [world.world.create_joint("point", 0, body, at(x, 0, 0), at(0, 1, 0)) for body, x in ((strong, 0), (weak, 3))]
    world.world.joint_set_break(joints[0], force=25.0)
    world.world.joint_set_break(joints[1], force=15.0)
    world.step(60)
    assert [world.world.joint_is_broken(joint) for joint in joints] == [False, True]
    assert world.position(strong)[1] == pytest.approx(-1.0, abs=0.01)
    assert world.position(weak)[1] < -2.0
    world.world.joint_set_enabled(joints[0], False)
    world.step(30)
    assert world.position(strong)[1] < -1.5


def test_joined_bodies_collide_or_not():
    world = floating()
    a, b = cube(world), cube(world, (0.8, 0.0, 0.0))
    joint = world.world.create_joint("six_dof", a, b)
    for axis in range(6):
        world.world.joint_free_axis(joint, axis)
    world.step(30)
    assert world.position(b)[0] - world.position(a)[0] == pytest.approx(0.8, abs=1e-4)
    assert world.live_pairs() == 0
    world.world.joint_set_collides(joint, True)
    world.step(60)
    assert world.position(b)[0] - world.position(a)[0] > 0.95
    world.world.joint_set_collides(joint, False)
    world.move(b, tuple(world.position(a) + (0.8, 0, 0)))
    world.throw(a, (0, 0, 0))
    world.throw(b, (0, 0, 0))
    world.step(30)
    assert world.position(b)[0] - world.position(a)[0] == pytest.approx(0.8, abs=0.01)
    world.world.destroy_joint(joint)
    world.step(60)
    assert world.position(b)[0] - world.position(a)[0] > 0.95


# Lifetimes.


def test_a_joint_outlives_its_bodies():
    world = SmallWorld()
    a, b = cube(world, mode=STATIC), cube(world, (0.0, -2.0, 0.0))
    joint = world.world.create_joint("fixed", a, b, at(0, -2, 0))
    world.step(10)
    world.world.destroy_body(a)
    assert not world.world.joint_is_connected(joint)
    world.step(30)
    assert world.position(b)[1] < -3.0
    c = cube(world, mode=STATIC)
    world.world.joint_set_limits(joint, LINEAR_X, -1.0, 1.0)
    world.world.joint_set_motor(joint, TWIST, 1.0)
    world.step(5)
    world.world.destroy_body(b)
    world.world.destroy_joint(joint)
    world.world.destroy_body(c)
    with pytest.raises(KeyError, match="it was freed"):
        world.world.joint_position(joint, 0)


def test_a_joint_comes_and_goes_with_the_spaces_of_its_bodies():
    world = SmallWorld()
    a, b = cube(world, mode=STATIC), cube(world, (0.0, -2.0, 0.0))
    world.world.create_joint("fixed", a, b, at(0, -2, 0))
    other = world.world.create_system()
    for system, falls in ((other, True), (0, True), (world.system, False)):
        world.world.body_set_system(a, system)
        world.move(b, (0.0, -2.0, 0.0))
        world.throw(b, (0.0, 0.0, 0.0))
        world.step(30)
        assert (world.position(b)[1] < -2.5) == falls
    world.world.body_set_system(b, other)
    world.step(3)
    world.world.body_set_system(a, other)
    world.world.step(other, TICK)
    world.world.destroy_system(other)
    world.world.destroy_body(a)


def test_a_thousand_joints_come_and_go():
    """In any order; the lists of the bodies stay whole."""
    world = floating()
    draw = np.random.default_rng(7)
    bodies = [world.add(world.sphere(0.1), tuple(draw.uniform(-5, 5, 3))) for _ in range(20)]
    joints: dict[int, tuple[int, int]] = {}
    for k in range(1000):
        if joints and draw.random() < 0.45:
            joint = list(joints)[draw.integers(len(joints))]
            world.world.destroy_joint(joint)
            del joints[joint]
        else:
            a, b = draw.choice(20, 2, replace=False)
            joints[world.world.create_joint("point", bodies[a], bodies[b])] = (int(a), int(b))
        if k % 50 == 0:
            world.step()
    world.step()
    assert int(world.row["joint_count"]) == len(joints)
    rows = world.world.joints.rows
    for number, body in enumerate(bodies):
        seen, key = [], int(world.body(body)["first_joint"])
        while key >= 0:
            seen.append(int(rows[key >> 1]["id"]))
            key = int(rows[key >> 1]["next"][key & 1])
        assert sorted(seen) == sorted(joint for joint, pair in joints.items() if number in pair)
    assert np.isfinite(world.world.bodies.rows[:30]["position"]).all()


@pytest.mark.parametrize(
    "call, message",
    (
        (lambda w, b, j: w.create_joint("glue", b, 0), "kind"),
        (lambda w, b, j: w.create_joint("point", b, b), "must differ"),
        (lambda w, b, j: w.create_joint("point", b, 0, (1.0,) * 12), "volume"),
        (lambda w, b, j: w.create_joint("point", b, 0, (float("nan"),) * 12), "finite"),
        (lambda w, b, j: w.joint_set_limits(j, 9, 0, 1), "axis"),
        (lambda w, b, j: w.joint_set_limits(j, 0, float("nan"), 1), "lower"),
        (lambda w, b, j: w.joint_set_motor(j, 0, 1.0, -1.0), "max_force"),
        (lambda w, b, j: w.joint_set_spring(j, 0, -1.0, 0.0), "stiffness"),
        (lambda w, b, j: w.joint_set_distance(j, 2.0, 1.0), "longest"),
    ),
)
def test_bad_input_is_refused(call, message):
    world = floating()
    body = cube(world)
    joint = world.world.create_joint("point", 0, body)
    before = world.world.joint_row("test", joint).tobytes()
    with pytest.raises(ValueError, match=message):
        call(world.world, body, joint)
    assert world.world.joint_row("test", joint).tobytes() == before


def test_a_freed_body_and_a_wrong_id_are_refused():
    world = floating()
    body = cube(world)
    world.world.destroy_body(body)
    with pytest.raises(KeyError, match="create_joint"):
        world.world.create_joint("point", body, 0)
    with pytest.raises(KeyError, match="no joint"):
        world.world.destroy_joint(12345)
