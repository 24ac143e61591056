"""A joint whose axis is unlocked holds nothing more: the impulse of its lock is not applied again."""

import numpy as np
import pytest

import scree

TICK = 1.0 / 60.0


def space_of(gravity=(0.0, -9.81, 0.0)):
    return scree.World(threads=1).add_space(gravity=gravity)


def run(space, ticks: int) -> None:
    for _ in range(ticks):
        space.step(TICK)


def test_a_hatch_that_is_unlocked_falls_open():
    space = space_of()
    hatch = space.add_rigid(scree.Box(half_extents=(0.5, 0.05, 0.5)), (0.5, 0, 0), mass=20, can_sleep=False)
    hinge = space.add_joint(scree.Hinge(axis=(0, 0, 1), limits=(0, 0)), hatch)
    run(space, 60)
    assert abs(hinge.position()) < 1e-3
    hinge.set_limits((-1.5, 0.5))
    run(space, 20)
    # A plate about its edge: 4/3 of its half length squared; nothing else holds it.
    inertia = 20 * (0.5**2 + (0.5**2 + 0.05**2) / 3)
    expected, angle, speed = 20 * 9.81 * 0.5 / inertia, 0.0, 0.0
    for _ in range(20 * 64):  # the angle of a pendulum that is let go level
        speed -= expected * np.cos(angle) * TICK / 64
        angle += speed * TICK / 64
    assert hinge.position() == pytest.approx(angle, rel=0.01)
    run(space, 100)
    assert hinge.position() == pytest.approx(-1.5, abs=0.01)


@pytest.mark.parametrize("joint", ["slider", "six"])
def test_a_cart_pressed_against_its_lock_does_not_fly_off(joint):
    space = space_of((0.0, 0.0, 0.0))
    cart = space.add_rigid(scree.Box(half_extents=(0.2, 0.2, 0.2)), mass=3, can_sleep=False)
    if joint == "slider":
        made = space.add_joint(scree.Slider(axis=(1, 0, 0), limits=(0, 0)), cart)
        free = lambda: made.set_limits(None)  # noqa: E731
    else:
        core = space.core
        six = space.add_joint(scree.Fixed(), cart)
        free = lambda: core.joint.free_axis(six.id, 0)  # noqa: E731
    cart.set_constant_force((30, 0, 0))
    run(space, 30)
    cart.set_constant_force((0, 0, 0))
    free()
    run(space, 120)
    assert np.abs(cart.velocity).max() < 1e-5


def test_a_door_that_was_leaned_on_does_not_turn_by_itself():
    space = space_of((0.0, 0.0, 0.0))
    door = space.add_rigid(scree.Box(half_extents=(0.5, 1, 0.05)), (0.5, 0, 0), mass=20, can_sleep=False)
    hinge = space.add_joint(scree.Hinge(axis=(0, 1, 0), limits=(0, 0)), door)
    for _ in range(30):
        door.apply_torque((0, 20, 0))
        space.step(TICK)
    hinge.set_limits(None)
    run(space, 60)
    assert np.abs(door.angular_velocity).max() < 1e-5


def test_locking_and_freeing_again_leaves_nothing():
    space = space_of()
    box = space.add_rigid(scree.Box(half_extents=(0.2, 0.2, 0.2)), mass=3, can_sleep=False)
    slider = space.add_joint(scree.Slider(axis=(0, 1, 0), limits=(0, 0)), box)
    for limits in (None, (-9, 9), (0, 0), None):
        run(space, 10)
        slider.set_limits(limits)
    velocity = float(box.velocity[1])
    run(space, 30)
    assert box.velocity[1] - velocity == pytest.approx(-9.81 * 30 * TICK, rel=1e-3)
