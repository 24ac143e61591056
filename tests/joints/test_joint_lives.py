"""Joints of the core that sleep, break, come and go."""

import numpy as np
import pytest
from small_world import TICK, SmallWorld
from test_joints import at, cube, floating

from scree.bodies.schema import KINEMATIC, SLEEP_REQUESTED, STATIC
from scree.edit.body_placement import mark
from scree.joints.schema import LINEAR_X, TWIST


def test_what_is_joined_sleeps_and_wakes_together():
    world = SmallWorld(sleeps=True, damp=2.0)
    a = world.add(world.sphere(0.1), (0.0, -1.0, 0.0))
    b = world.add(world.sphere(0.1), (0.0, -2.0, 0.0))
    world.world.joint.create("point", 0, a, at(0, 0, 0), at(0, 1, 0))
    joint = world.world.joint.create("point", a, b, at(0, -0.5, 0), at(0, 0.5, 0))
    world.step(120)
    assert not world.is_awake(a) and not world.is_awake(b)
    world.throw(b, (0.5, 0.0, 0.0))
    world.step(2)
    assert world.is_awake(a) and world.is_awake(b)
    world.step(900)
    assert not world.is_awake(a) and not world.is_awake(b)
    world.world.joint.destroy(joint)
    world.step()
    assert world.is_awake(a) and world.is_awake(b)


def test_a_body_told_to_sleep_hangs_on():
    world = SmallWorld(sleeps=True)
    bodies = [world.add(world.sphere(0.1), (0.0, -1.0 - k, 0.0)) for k in range(3)]
    above = 0
    for k, body in enumerate(bodies):
        world.world.joint.create("point", above, body, at(0, -0.5 if k else 0, 0), at(0, 0.5 if k else 1, 0))
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
    world.world.joint.create("point", lift, bob, at(0, 0, 0), at(0, 1, 0))
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
    joints = [world.world.joint.create("point", 0, body, at(x, 0, 0), at(0, 1, 0)) for body, x in ((strong, 0), (weak, 3))]
    world.world.joint.set_break(joints[0], force=25.0)
    world.world.joint.set_break(joints[1], force=15.0)
    world.step(60)
    assert [world.world.joint.is_broken(joint) for joint in joints] == [False, True]
    assert world.position(strong)[1] == pytest.approx(-1.0, abs=0.01)
    assert world.position(weak)[1] < -2.0
    world.world.joint.set_enabled(joints[0], False)
    world.step(30)
    assert world.position(strong)[1] < -1.5


def test_joined_bodies_collide_or_not():
    world = floating()
    a, b = cube(world), cube(world, (0.8, 0.0, 0.0))
    joint = world.world.joint.create("six_dof", a, b)
    for axis in range(6):
        world.world.joint.free_axis(joint, axis)
    world.step(30)
    assert world.position(b)[0] - world.position(a)[0] == pytest.approx(0.8, abs=1e-4)
    assert world.live_pairs() == 0
    world.world.joint.set_collides(joint, True)
    world.step(60)
    assert world.position(b)[0] - world.position(a)[0] > 0.95
    world.world.joint.set_collides(joint, False)
    world.move(b, tuple(world.position(a) + (0.8, 0, 0)))
    world.throw(a, (0, 0, 0))
    world.throw(b, (0, 0, 0))
    world.step(30)
    assert world.position(b)[0] - world.position(a)[0] == pytest.approx(0.8, abs=0.01)
    world.world.joint.destroy(joint)
    world.step(60)
    assert world.position(b)[0] - world.position(a)[0] > 0.95


# Lifetimes.


def test_a_joint_outlives_its_bodies():
    world = SmallWorld()
    a, b = cube(world, mode=STATIC), cube(world, (0.0, -2.0, 0.0))
    joint = world.world.joint.create("fixed", a, b, at(0, -2, 0))
    world.step(10)
    world.world.body.destroy(a)
    assert not world.world.joint.is_connected(joint)
    world.step(30)
    assert world.position(b)[1] < -3.0
    c = cube(world, mode=STATIC)
    world.world.joint.set_limits(joint, LINEAR_X, -1.0, 1.0)
    world.world.joint.set_motor(joint, TWIST, 1.0)
    world.step(5)
    world.world.body.destroy(b)
    world.world.joint.destroy(joint)
    world.world.body.destroy(c)
    with pytest.raises(KeyError, match="it was freed"):
        world.world.joint.position(joint, 0)


def test_a_joint_comes_and_goes_with_the_spaces_of_its_bodies():
    world = SmallWorld()
    a, b = cube(world, mode=STATIC), cube(world, (0.0, -2.0, 0.0))
    world.world.joint.create("fixed", a, b, at(0, -2, 0))
    other = world.world.create_system()
    for system, falls in ((other, True), (0, True), (world.system, False)):
        world.world.body.set_system(a, system)
        world.move(b, (0.0, -2.0, 0.0))
        world.throw(b, (0.0, 0.0, 0.0))
        world.step(30)
        assert (world.position(b)[1] < -2.5) == falls
    world.world.body.set_system(b, other)
    world.step(3)
    world.world.body.set_system(a, other)
    world.world.step(other, TICK)
    world.world.destroy_system(other)
    world.world.body.destroy(a)


def test_a_thousand_joints_come_and_go():
    """In any order; the lists of the bodies stay whole."""
    world = floating()
    draw = np.random.default_rng(7)
    bodies = [world.add(world.sphere(0.1), tuple(draw.uniform(-5, 5, 3))) for _ in range(20)]
    joints: dict[int, tuple[int, int]] = {}
    for k in range(1000):
        if joints and draw.random() < 0.45:
            joint = list(joints)[draw.integers(len(joints))]
            world.world.joint.destroy(joint)
            del joints[joint]
        else:
            a, b = draw.choice(20, 2, replace=False)
            joints[world.world.joint.create("point", bodies[a], bodies[b])] = (int(a), int(b))
        if k % 50 == 0:
            world.step()
    world.step()
    assert int(world.row["joints"]["count"]) == len(joints)
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
        (lambda w, b, j: w.joint.create("glue", b, 0), "kind"),
        (lambda w, b, j: w.joint.create("point", b, b), "must differ"),
        (lambda w, b, j: w.joint.create("point", b, 0, (1.0,) * 12), "volume"),
        (lambda w, b, j: w.joint.create("point", b, 0, (float("nan"),) * 12), "finite"),
        (lambda w, b, j: w.joint.set_limits(j, 9, 0, 1), "axis"),
        (lambda w, b, j: w.joint.set_limits(j, 0, float("nan"), 1), "lower"),
        (lambda w, b, j: w.joint.set_motor(j, 0, 1.0, -1.0), "max_force"),
        (lambda w, b, j: w.joint.set_spring(j, 0, -1.0, 0.0), "stiffness"),
        (lambda w, b, j: w.joint.set_distance(j, 2.0, 1.0), "longest"),
    ),
)
def test_bad_input_is_refused(call, message):
    world = floating()
    body = cube(world)
    joint = world.world.joint.create("point", 0, body)
    before = world.world.joint.row("test", joint).tobytes()
    with pytest.raises(ValueError, match=message):
        call(world.world, body, joint)
    assert world.world.joint.row("test", joint).tobytes() == before


def test_a_freed_body_and_a_wrong_id_are_refused():
    world = floating()
    body = cube(world)
    world.world.body.destroy(body)
    with pytest.raises(KeyError, match="create_joint"):
        world.world.joint.create("point", body, 0)
    with pytest.raises(KeyError, match="no joint"):
        world.world.joint.destroy(12345)
