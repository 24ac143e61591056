"""Joints between bodies that cannot move along or about every axis: games that play in a plane."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_world import SmallWorld

from scree.joints.measuring import invert_block
from scree.joints.schema import TWIST
from scree.runtime.kernel import entry_point
from scree.runtime.memory import view

ABOUT_Z = (0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0)
LINEAR_Z, ANGULAR_X, ANGULAR_Y = 4, 8, 16


def at(x: float) -> tuple[float, ...]:
    return (*ABOUT_Z, x, 0.0, 0.0)


def chain(locks, links: int, kind: str, gravity: float = 10.0) -> tuple[SmallWorld, list[int], list[int]]:
    """(world, bodies, joints). Level, from the world's origin along x; the first joint is a hinge."""
    world = SmallWorld(gravity=(0.0, -gravity, 0.0))
    shape, bodies, joints = world.box(0.2, 0.05, 0.05), [], []
    for k in range(links):
        bodies.append(world.add(shape, (0.5 * k + 0.25, 0.0, 0.0)))
        world.world.body.set_collision_mask(bodies[k], 0)
        for axis in locks:
            world.world.body.set_axis_lock(bodies[k], axis, True)
        before, frame = (bodies[k - 1], at(0.25)) if k else (0, at(0.0))
        joints.append(world.world.joint.create("hinge" if k == 0 else kind, before, bodies[k], frame, at(-0.25)))
    return world, bodies, joints


LOCKS = ((), (ANGULAR_X,), (ANGULAR_X, ANGULAR_Y), (LINEAR_Z, ANGULAR_X, ANGULAR_Y))


@pytest.mark.parametrize("kind", ("hinge", "fixed", "point"))
@pytest.mark.parametrize("links", (1, 2, 3))
@pytest.mark.parametrize("locks", LOCKS, ids=str)
def test_a_pendulum_in_a_plane_swings(locks, links, kind):
    """Three seconds from level: it falls through the lowest point, links in a line, and no higher than it began."""
    world, bodies, _ = chain(locks, links, kind)
    lowest, path = 0.0, []
    for _ in range(180):
        world.step()
        path.append([world.position(body) for body in bodies])
        lowest = min(lowest, path[-1][-1][1])
    path = np.array(path)
    assert np.abs(path).max() < 0.55 * links and np.abs(path[:, :, 2]).max() < 0.01
    assert path[:, :, 1].mean(1).max() < 0.02
    assert lowest == pytest.approx(0.25 - 0.5 * links, abs=0.05 * links)


@pytest.mark.parametrize("links", (1, 2, 3))
@pytest.mark.parametrize("locks", LOCKS, ids=str)
def test_motors_and_limits_act_in_a_plane(locks, links):
    world, bodies, joints = chain(locks, links, "hinge", gravity=0.0)
    for joint in joints:
        world.world.joint.set_motor(joint, TWIST, 2.0, 1e4)
    world.step(60)
    spins = np.array([world.spin(body) for body in bodies])
    assert np.abs(spins[:, :2]).max() < 0.01
    assert spins[:, 2] == pytest.approx(-2.0 * np.arange(1, links + 1), abs=0.05)
    world, bodies, joints = chain(locks, links, "hinge")
    for joint in joints:
        world.world.joint.set_limits(joint, TWIST, -0.3, 0.3)
    world.step(120)
    angles = [float(world.world.joint.row("test", joint)["position"][TWIST]) for joint in joints]
    assert angles == pytest.approx([0.3] * links, abs=0.02)
    assert max(np.linalg.norm(world.spin(body)) for body in bodies) < 0.2


@entry_point("void(int64, int64, int64)")
def invert_given(matrix, locked, inverse):
    """Both six numbers: xx, yy, zz, xy, xz, yz."""
    k, out = view(matrix, 6, np.float64), view(inverse, 6, np.float64)
    out[0], out[1], out[2], out[3], out[4], out[5] = invert_block(k[0], k[1], k[2], k[3], k[4], k[5], locked, 1e-6)


def full(six) -> np.ndarray:
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


@settings(deadline=None)
@given(st.integers(0, 2**31), st.integers(0, 7), st.integers(1, 3), st.floats(-4.0, 4.0))
def test_what_can_be_moved_is_moved_as_wanted(seed, locked, rank, size):
    """The matrix of three motions of which `rank` are independent: what is wanted along the locked axes, and can be had, is had;
    where all three can, the inverse is the inverse."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(3, rank))
    matrix = 10.0**size * root @ root.T
    six = np.array([matrix[0, 0], matrix[1, 1], matrix[2, 2], matrix[0, 1], matrix[0, 2], matrix[1, 2]])
    out = np.zeros(6)
    invert_given(six.ctypes.data, locked, out.ctypes.data)
    axes = [k for k in range(3) if locked >> k & 1]
    inverse, block = full(out), matrix[np.ix_(axes, axes)]
    others = [k for k in range(3) if k not in axes]
    assert not inverse[others].any() and not inverse[:, others].any()
    inverse = inverse[np.ix_(axes, axes)]
    if np.linalg.matrix_rank(block, tol=1e-5 * np.trace(matrix)) < min(len(axes), rank):
        return  # hardly told apart
    wanted = block @ rng.normal(size=len(axes))  # what can be had
    np.testing.assert_allclose(block @ inverse @ wanted, wanted, atol=1e-4 * 10.0**size)
    assert np.abs(inverse).max(initial=0.0) * np.trace(matrix) <= 1.001e9
