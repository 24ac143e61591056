"""Mechanisms of games in a plane, whose bodies may only move and turn in it, in loops and under heavy loads."""

import numpy as np
import pytest
from small_world import SmallWorld
from test_joint_loops import at, node_of
from test_networks import bar_between

import scree
from scree.joints.network_layout import MOST_BLOCKS

TICK = 1.0 / 60.0


def plane_space() -> scree.Space:
    """A space whose bodies do not collide."""
    layers = scree.Layers("parts", apart=[("parts", "parts")])
    return scree.World(threads=1, layers=layers).add_space(gravity=(0.0, -9.81, 0.0))


def in_plane(body: scree.Body) -> scree.Body:
    body.lock_axes(linear="z", angular="xy")
    return body


def bar(space: scree.Space, a, b, mass: float) -> scree.Body:
    """A bar between two points of the plane of x and y [m]."""
    return in_plane(bar_between(space, (*a, 0.0), (*b, 0.0), mass))


@pytest.mark.parametrize("load", [20.0, 200.0])
def test_a_scissor_lift_lifts(load):
    """Six levels of bars of 2 kg, whose foot a motor draws inwards: they rise as their length says. They collapsed."""
    space, levels, wide, high = plane_space(), 6, 1.6, 0.5
    before = None
    for level in range(levels):
        y = level * high
        one = bar(space, (-wide / 2, y), (wide / 2, y + high), 2.0)
        two = bar(space, (wide / 2, y), (-wide / 2, y + high), 2.0)
        space.add_joint(scree.Pin(anchor=(0.0, y + high / 2, 0.0)), one, to=two)
        if before is None:
            space.add_joint(scree.Pin(anchor=(-wide / 2, 0.0, 0.0)), one)
            foot = in_plane(space.add_rigid(scree.Sphere(radius=0.1), (wide / 2, 0.0, 0.0), mass=2.0))
            space.add_joint(scree.Pin(anchor=(wide / 2, 0.0, 0.0)), two, to=foot)
            slider = space.add_joint(scree.Slider(anchor=(wide / 2, 0.0, 0.0), axis=(1.0, 0.0, 0.0)), foot)
        else:
            space.add_joint(scree.Pin(anchor=(-wide / 2, y, 0.0)), one, to=before[1])
            space.add_joint(scree.Pin(anchor=(wide / 2, y, 0.0)), two, to=before[0])
        before = one, two
    top = in_plane(space.add_rigid(scree.Sphere(radius=0.1), (-wide / 2, levels * high, 0.0), mass=load))
    space.add_joint(scree.Pin(anchor=(-wide / 2, levels * high, 0.0)), top, to=before[1])
    for tick in range(240):
        slider.set_motor(scree.Motor(velocity=-0.2 if tick < 120 else 0.0, max_force=1e5))
        space.step(TICK)
    base = foot.position[0] + wide / 2
    assert base < wide - 0.35
    assert top.position[1] == pytest.approx(levels * np.sqrt(wide**2 + high**2 - base**2), abs=0.005)
    assert abs(top.position[2]) == 0.0


def test_a_chain_in_a_plane_bears_a_heavy_load():
    """Ten links of 1 kg and a ball of 1,000 kg: without locks a tree solves them, with locks they were solved one by one."""
    space = plane_space()
    links = [bar(space, (0.0, -0.5 * k), (0.0, -0.5 * (k + 1)), 1.0) for k in range(10)]
    for k, link in enumerate(links):
        place = (0.0, -0.5 * k, 0.0)
        space.add_joint(scree.Pin(anchor=place), link, to=links[k - 1] if k else None)
    ball = in_plane(space.add_rigid(scree.Sphere(radius=0.3), (0.0, -5.0, 0.0), mass=1000.0))
    hook = space.add_joint(scree.Pin(anchor=(0.0, -5.0, 0.0)), ball, to=links[-1])
    ball.velocity = (2.0, 0.0, 0.0)
    for _ in range(300):
        space.step(TICK)
        assert np.linalg.norm(ball.position) == pytest.approx(5.0, abs=0.02)
    assert all(abs(body.position[2]) == 0.0 for body in (*links, ball))
    assert np.linalg.norm(hook.force) > 5000.0


def test_a_network_in_a_plane_with_too_many_blocks_leaves_its_joints_alone():
    """All bodies pinned to all others: none is in a tree, which could not hold so many loops with locked axes."""
    count = 2 * MOST_BLOCKS + 4
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    bodies = [world.add(world.box(0.1, 0.1, 0.1), (2.0 * np.cos(k), 2.0 * np.sin(k), 0.0)) for k in range(count)]
    joints = []
    for a in range(count):
        world.world.body.set_axis_lock(bodies[a], 4, True)
        for b in range(a):
            place = np.array(world.position(bodies[a])) - np.array(world.position(bodies[b]))
            joints.append(world.world.joint.create("point", bodies[b], bodies[a], at(place), at((0.0, 0.0, 0.0))))
    lone = [world.add(world.box(0.1, 0.1, 0.1), (10.0 + k, 0.0, 0.0)) for k in range(2)]
    tied = world.world.joint.create("point", lone[0], lone[1], at((0.5, 0.0, 0.0)), at((-0.5, 0.0, 0.0)))
    for _ in range(10):
        world.step()
    assert all(node_of(world, joint) < 0 for joint in joints)
    assert node_of(world, tied) >= 0
    assert np.abs([world.velocity(body) for body in bodies]).max() < 1.0
