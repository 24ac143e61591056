"""Motors and springs at their greatest force act on positions as they do on velocities: like gravity, and against it."""

import math
from dataclasses import replace

import numpy as np
import pytest

import scree

G, MASS = 9.81, 2.0
BOX = scree.Box(half_extents=(0.1, 0.1, 0.1))
STEPS = [(1 / 60, 1), (1 / 60, 4), (1 / 20, 4)]


def space_of(substep_count: int):
    space = scree.World().add_space(gravity=(0.0, -G, 0.0))
    space.settings = replace(space.settings, is_sleeping_allowed=False, substep_count=substep_count)
    return space


def on_slider(substep_count: int, **joint):
    space = space_of(substep_count)
    body = space.add_rigid(BOX, mass=MASS)
    space.add_joint(scree.Slider(axis=(0, 1, 0), **joint), body)
    return space, body


def run(space, seconds: float, delta_time: float) -> float:
    count = round(seconds / delta_time)
    for _ in range(count):
        space.step(delta_time)
    return count * delta_time


AT_THEIR_BOUND = {
    "motor": lambda force: {"motor": scree.Motor(velocity=100.0, max_force=force)},
    "spring": lambda force: {"spring": scree.Spring(stiffness=1e3, target=1e3, max_force=force)},
    "stiff spring": lambda force: {"spring": scree.Spring(stiffness=1e6, damping=10.0, target=1e3, max_force=force)},
}


@pytest.mark.parametrize("delta_time, substep_count", STEPS)
@pytest.mark.parametrize("factor", [0.5, 1.0, 1.5])
@pytest.mark.parametrize("kind", AT_THEIR_BOUND)
def test_a_limited_force_beside_gravity(kind, factor, delta_time, substep_count):
    """y = (F / m - g) t^2 / 2 at the velocity (F / m - g) t; a force of m g holds the body where it is. What is too stiff to act
    in halves is ahead by half a sub-step."""
    space, body = on_slider(substep_count, **AT_THEIR_BOUND[kind](factor * MASS * G))
    time = run(space, 2.0, delta_time)
    acceleration = (factor - 1.0) * G
    assert body.velocity[1] == pytest.approx(acceleration * time, rel=1e-3, abs=1e-3)
    ahead = abs(acceleration) * time * 0.5 * delta_time / substep_count if kind == "stiff spring" else 0.0
    assert body.position[1] == pytest.approx(0.5 * acceleration * time**2, rel=1e-3, abs=1e-3 + ahead)


@pytest.mark.parametrize("delta_time, substep_count", STEPS)
def test_a_brake_that_is_too_weak(delta_time, substep_count):
    """A brake of half the weight halves the acceleration."""
    space, body = on_slider(substep_count, motor=scree.Motor(velocity=0.0, max_force=0.5 * MASS * G))
    time = run(space, 1.0, delta_time)
    assert body.position[1] == pytest.approx(-0.25 * G * time**2, rel=2e-3)


@pytest.mark.parametrize("delta_time, substep_count", STEPS)
def test_the_work_of_a_hinge_motor_is_what_the_arm_gains(delta_time, substep_count):
    """Torque times angle is kinetic energy and height."""
    space = space_of(substep_count)
    arm = space.add_rigid(scree.Box(half_extents=(0.5, 0.05, 0.05)), (0.5, 0, 0), mass=MASS)
    space.add_joint(scree.Hinge(anchor=(0, 0, 0), axis=(0, 0, 1), motor=scree.Motor(velocity=100.0, max_force=12.0)), arm)
    angles = [0.0]
    for _ in range(round(1.0 / delta_time)):
        space.step(delta_time)
        angles.append(math.atan2(arm.position[1], arm.position[0]))
    turned, inertia = float(np.unwrap(angles)[-1]), float(arm.inertia[2]) + MASS * 0.25
    energy = 0.5 * inertia * arm.angular_velocity[2] ** 2 + MASS * G * 0.5 * math.sin(turned)
    assert turned > 2.0 and energy == pytest.approx(12.0 * turned, rel=5e-3)


@pytest.mark.parametrize("substep_count", [1, 4])
def test_a_limited_motor_that_suffices_keeps_its_velocity(substep_count):
    space, body = on_slider(substep_count, motor=scree.Motor(velocity=0.5, max_force=3.0 * MASS * G))
    time = run(space, 2.0, 1 / 60)
    assert body.velocity[1] == pytest.approx(0.5, abs=1e-4)
    assert body.position[1] == pytest.approx(0.5 * time, abs=0.01)
