"""Motors that turn bodies to a pose: they hold it exactly, as far as their torque reaches, and push nothing but the bodies."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import scree

G = 9.81


def chain(gravity: float = G, count: int = 3, joint=None, is_reversed: bool = False) -> tuple[scree.Space, list[scree.Body]]:
    """A fixed box and bars of 2 kg and 0.4 m that hang below it on pins."""
    space = scree.World(threads=1).add_space(gravity=(0.0, -gravity, 0.0))
    bodies = [space.add_static(scree.Box(half_extents=(0.1, 0.1, 0.1)))]
    for k in range(count):
        bodies.append(space.add_rigid(scree.Box(half_extents=(0.03, 0.19, 0.03)), (0.0, -0.3 - 0.4 * k, 0.0), mass=2.0))
        pin = joint or scree.Pin(anchor=(0.0, -0.1 - 0.4 * k, 0.0))
        pair = bodies[-2:][::-1] if is_reversed else bodies[-2:]
        space.add_joint(pin, *pair)
    return space, bodies


def errors(bodies: list[scree.Body], pose: Rotation) -> np.ndarray:
    """How far each body is from its pose, against its parent [rad]."""
    turns = [Rotation.from_quat(np.array(body.rotation)) for body in bodies]
    return np.array([(pose[k].inv() * turns[k].inv() * turns[k + 1]).magnitude() for k in range(len(pose))])


POSE = Rotation.from_rotvec([(0.6, 0.2, 0.9), (0.5, 0.0, -0.4), (0.0, 0.3, 0.2)])


@pytest.mark.parametrize("is_reversed", [False, True])
def test_they_hold_a_pose_against_gravity(is_reversed):
    space, bodies = chain(is_reversed=is_reversed)
    motors = space.add_pose_motors(bodies[:-1], bodies[1:])
    assert isinstance(motors, scree.PoseMotors) and len(motors) == 3
    for _ in range(240):
        motors.aim(POSE.as_quat())
        space.step(1 / 60)
    assert errors(bodies, POSE).max() < 1e-4
    motors.relax()
    for _ in range(30):
        space.step(1 / 60)
    assert errors(bodies, POSE).max() > 0.1


@pytest.mark.parametrize("axis", ["x", "y", "z"])
@pytest.mark.parametrize("degrees", [89.0, 90.0, 91.0, 120.0, 179.0, 180.0])
@pytest.mark.parametrize("torque", [200.0, math.inf])
def test_they_reach_poses_beyond_a_quarter_turn(axis, degrees, torque):
    """The swings of a pin are nearly one angle at 90 degrees: motors that ran against each other reached 1e8 m/s."""
    space, bodies = chain()
    motors = space.add_pose_motors(bodies[:-1], bodies[1:])
    pose = Rotation.from_euler(axis, [[degrees]] * 3, degrees=True)
    fastest = 0.0
    for body in bodies[1:]:
        body.mask = ()
    for _ in range(240):
        motors.aim(pose.as_quat(), most_torque=torque)
        space.step(1 / 60)
        fastest = max(fastest, np.abs(space.bodies.velocities).max())
    assert errors(bodies, pose).max() < 2e-3
    assert fastest < 1.5 * 15.0 * math.pi * (0.4 * (1 + 2) + 0.2 * 3), "all three joints at the fastest speed of their motors"


@pytest.mark.parametrize("part, holds", [(0.9, False), (1.1, True)])
def test_their_torque_is_limited(part, holds):
    """A bar that is held out level needs m g l / 2."""
    space, bodies = chain(count=1)
    motors = space.add_pose_motors(bodies[:1], bodies[1:])
    level = Rotation.from_rotvec([(0.0, 0.0, 0.5 * math.pi)])
    bodies[1].rotation, bodies[1].position = level.as_quat()[0], (0.2, -0.1, 0.0)
    for _ in range(60):
        motors.aim(level.as_quat(), most_torque=part * 2.0 * G * 0.2)
        space.step(1 / 60)
    assert (errors(bodies, level)[0] < 0.01) == holds


def test_in_space_they_turn_and_move_nothing_as_a_whole():
    space = scree.World(threads=1).add_space(gravity=(0.0, 0.0, 0.0))
    bodies = [space.add_rigid(scree.Box(half_extents=(0.2, 0.05, 0.05)), (0.5 * k, 0, 0), mass=1.0 + k) for k in range(3)]
    for k in (0, 1):
        space.add_joint(scree.Pin(anchor=(0.25 + 0.5 * k, 0, 0)), bodies[k], bodies[k + 1])
    motors = space.add_pose_motors(bodies[:2], bodies[1:])
    pose = Rotation.from_rotvec([(0.3, 0.8, 0.2), (0.0, -0.5, 0.9)])
    for _ in range(120):
        motors.aim(pose.as_quat())
        space.step(1 / 60)
    masses = np.array([body.mass for body in bodies])
    places, speeds = np.array([body.position for body in bodies]), np.array([body.velocity for body in bodies])
    assert errors(bodies, pose).max() < 1e-3
    assert masses @ places / masses.sum() == pytest.approx(masses @ [(0.5 * k, 0, 0) for k in range(3)] / masses.sum(), abs=2e-3)
    assert np.abs(masses @ speeds).max() < 1e-3


def test_limits_and_locks_of_joints_hold():
    hinge = scree.Hinge(anchor=(0.0, -0.1, 0.0), axis=(0.0, 0.0, 1.0), limits=(-0.3, 0.3))
    space, bodies = chain(count=1, joint=hinge)
    motors = space.add_pose_motors(bodies[:1], bodies[1:])
    for _ in range(120):
        motors.aim(Rotation.from_rotvec([(0.5, 0.0, 1.2)]).as_quat())
        space.step(1 / 60)
    turn = Rotation.from_quat(np.array(bodies[1].rotation)).as_rotvec()
    assert turn == pytest.approx((0.0, 0.0, 0.3), abs=0.02)


def test_a_sleeper_wakes_for_another_pose():
    space, bodies = chain()
    motors = space.add_pose_motors(bodies[:-1], bodies[1:])
    for _ in range(300):
        motors.aim(POSE.as_quat())
        space.step(1 / 60)
    for body in bodies[1:]:
        body.sleep()
    space.step(1 / 60)
    assert bodies[1].is_asleep
    other = POSE * Rotation.from_rotvec([(0.1, 0, 0)] * 3)
    for _ in range(120):
        motors.aim(other.as_quat())
        space.step(1 / 60)
    assert errors(bodies, other).max() < 2e-3


@pytest.mark.parametrize("rotations, settings, said", [
    ([(0, 0, 0, 1)], {}, r"aim: rotations must be of shape \(3, 4\), got \(1, 4\)"),
    ([(0, 0, 0, 2)] * 3, {}, "aim: rotations must be unit quaternions"),
    ([(0, 0, math.nan, 1)] * 3, {}, "aim: rotations must be finite"),
    ([(0, 0, 0, 1)] * 3, {"rate": -1.0}, "aim: rate must be at least 0"),
    ([(0, 0, 0, 1)] * 3, {"most_torque": [1.0, 2.0]}, "aim: most_torque must be at least 0, one or 3 of them"),
])  # fmt: skip
def test_bad_values_are_named(rotations, settings, said):
    space, bodies = chain()
    with pytest.raises(ValueError, match=said):
        space.add_pose_motors(bodies[:-1], bodies[1:]).aim(rotations, **settings)


def test_bodies_without_a_joint_and_joints_that_are_gone_are_told():
    space, bodies = chain()
    with pytest.raises(ValueError, match="add_pose_motors: there is no joint between the bodies"):
        space.add_pose_motors([bodies[0]], [bodies[2]])
    with pytest.raises(ValueError, match="as many parents as bodies"):
        space.add_pose_motors(bodies, bodies[1:])
    motors = space.add_pose_motors(bodies[:-1], bodies[1:])
    bodies[3].remove()
    for call in (lambda: motors.aim(POSE.as_quat()), motors.relax):
        call()  # a joint whose body was removed holds nothing
