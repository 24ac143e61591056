"""Networks of joints, with more loops than a tree solves one by one: against all equations at once, and against statics."""

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from small_world import SmallWorld
from test_joint_loops import at, node_of, random_mechanism
from test_networks import bar_between, ring_of_links, widest_gap

import scree
from scree.joints.network_layout import MOST_BLOCKS
from scree.joints.schema import MOST_CLOSERS

TICK = 1.0 / 60.0


@given(st.integers(0, 2**32 - 1), st.integers(6, 16), st.integers(MOST_CLOSERS + 1, 12), st.booleans(), st.floats(0.0, 2.0))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much]
)
def test_a_network_moves_as_if_all_its_joints_were_solved_at_once(seed, count, loops, hangs, decades):
    """Gauss's principle: of all velocities at which no joint moves, those nearest to the ones before, by kinetic energy. Masses
    differ by some decades."""
    random = np.random.default_rng(seed)
    masses = 10.0 ** random.uniform(-0.5 * decades, 0.5 * decades, count)
    world, bodies, joints, _, jacobian, mobility, before = random_mechanism(random, masses, loops, hangs)
    system = jacobian @ mobility @ jacobian.T
    parts = np.linalg.eigvalsh(system) / np.linalg.eigvalsh(system)[-1]
    assume(not ((parts > 1e-14) & (parts < 1e-5)).any())  # nearly held axes give way a little
    impulses = np.linalg.lstsq(system, -jacobian @ before.ravel(), rcond=1e-8)[0]
    wanted = before + (mobility @ jacobian.T @ impulses).reshape(count, 6)
    world.world.step(world.system, 1e-7)
    assert min(node_of(world, joint) for joint in joints) >= 0
    found = np.array([(*world.velocity(body), *world.spin(body)) for body in bodies])
    size = np.abs(before).max() * np.sqrt(masses.max() / masses.min())
    assert found == pytest.approx(wanted, abs=2e-4 * size)
    assert np.abs(jacobian @ found.ravel()).max() < 2e-4 * size


def test_a_network_that_whirls_keeps_its_energy():
    """A wheel of bars with eight across, in free space: turned and thrown, for 5 s."""
    space, bars, pins = ring_of_links(15.0)
    space.step(TICK)
    before = total_energy(bars)
    for _ in range(300):
        space.step(TICK)
        assert total_energy(bars) == pytest.approx(before, rel=4e-3)
    assert widest_gap(pins) < 5e-3


def total_energy(bars) -> float:
    """Kinetic energy of bars [J]."""
    total = 0.0
    for bar in bars:
        v, w = np.asarray(bar.velocity), np.asarray(bar.basis).T @ np.asarray(bar.angular_velocity)
        total += 0.5 * bar.mass * v @ v + 0.5 * w @ (np.asarray(bar.inertia) * w)
    return total


def truss(bars: int, load: float) -> tuple[scree.Space, scree.Body, list[scree.Joint]]:
    """A bridge of bars [1 m] in a plane, in triangles, on two supports, with a load [kg] in its middle: (space, load, the pins of
    both supports)."""
    space = scree.World(threads=1).add_space(gravity=(0.0, -9.81, 0.0))
    high = np.sqrt(0.75)
    lower = [np.array((float(k), 0.0, 0.0)) for k in range(bars + 1)]
    upper = [np.array((k + 0.5, high, 0.0)) for k in range(bars)]
    ends = [(lower[k], lower[k + 1]) for k in range(bars)] + [(upper[k], upper[k + 1]) for k in range(bars - 1)]
    ends += [pair for k in range(bars) for pair in ((lower[k], upper[k]), (upper[k], lower[k + 1]))]
    at_corner: dict[tuple, scree.Body] = {}
    for a, b in ends:
        bar = bar_between(space, a, b, inset=0.05)
        bar.mask = ()
        for corner in (a, b):
            first = at_corner.setdefault(tuple(corner.round(6)), bar)
            if first is not bar:
                space.add_joint(scree.Hinge(anchor=corner, axis=(0.0, 0.0, 1.0)), first, to=bar)
    middle = at_corner[tuple(lower[bars // 2].round(6))]
    ball = space.add_rigid(scree.Sphere(radius=0.1), lower[bars // 2], mass=load)
    ball.mask = ()
    space.add_joint(scree.Pin(anchor=lower[bars // 2]), middle, to=ball)
    supports = [space.add_joint(scree.Pin(anchor=corner), at_corner[tuple(corner.round(6))]) for corner in (lower[0], lower[-1])]
    return space, ball, supports


@pytest.mark.parametrize("load", [10.0, 1000.0])
def test_a_truss_bears_its_load(load):
    """Nineteen bars of 1 kg: it hardly sags, and its supports bear its weight."""
    space, ball, supports = truss(5, load)
    before = ball.position[1]
    for _ in range(240):
        space.step(TICK)
    assert ball.position[1] == pytest.approx(before, abs=2e-3)
    assert np.abs(ball.velocity).max() < 1e-3
    weight = sum(abs(float(joint.force[1])) for joint in supports)
    assert weight == pytest.approx((load + 19.0) * 9.81, rel=0.01)


def rope_bridge(mass: float, planks: int = 14) -> tuple[scree.Space, list[scree.RopeBody], list[scree.Body]]:
    """Two ropes of 10.4 m and some mass [kg] over a gap of 10 m, with planks of 8 kg pinned to their rods: (space, ropes,
    planks)."""
    space = scree.World(threads=1).add_space(gravity=(0.0, -9.81, 0.0))
    x = np.linspace(-5.0, 5.0, 400)
    sag = 1.225  # of a parabola of 10.4 m
    ropes = []
    for z in (-1.0, 1.0):
        line = np.stack((x, -sag * (1.0 - (x / 5.0) ** 2), np.full_like(x, z)), axis=1)
        ropes.append(space.add_rope(line, mass=mass, radius=0.04))
        ropes[-1].tie_start()
        ropes[-1].tie_end()
    rods, boards = [list(rope.bodies) for rope in ropes], []
    for plank in range(planks):
        number = int((plank + 0.5) * len(rods[0]) / planks)
        held = [row[number + side] for row in rods for side in (-1, 1)]
        middle = np.mean([rod.position for rod in held], axis=0)
        along = held[1].position - held[0].position
        angle = np.arctan2(along[1], along[0])
        turn = (0.0, 0.0, np.sin(0.5 * angle), np.cos(0.5 * angle))
        board = space.add_rigid(scree.Box(half_extents=(0.25, 0.04, 1.1)), middle + (0.0, 0.1, 0.0), turn, mass=8.0)
        for rod in held:
            space.add_joint(scree.Pin(anchor=rod.position), board, to=rod)
        boards.append(board)
    return space, ropes, boards


@pytest.mark.parametrize("mass", [4.0, 40.0])
def test_a_bridge_of_ropes_bears_crates(mass):
    """Crates of 25 kg lie on planks that two ropes carry. Joint by joint the ropes became 1.4 m longer, and it sank."""
    space, ropes, boards = rope_bridge(mass)
    lengths = [rope.length for rope in ropes]
    crates = [
        space.add_rigid(scree.Box(half_extents=(0.3, 0.3, 0.3)), boards[k].position + (0.0, 0.4, 0.0), mass=25.0)
        for k in (2, 5, 8, 11)
    ]  # fmt: skip
    for _ in range(300):
        space.step(TICK)
        for rope, length in zip(ropes, lengths, strict=True):
            measured = np.linalg.norm(np.diff(rope.points, axis=0), axis=1).sum()
            assert measured == pytest.approx(length, abs=0.05)
    for crate, board in zip(crates, (boards[k] for k in (2, 5, 8, 11)), strict=True):
        assert crate.position[1] > board.position[1]
    assert np.abs([board.velocity for board in boards]).max() < 0.2


def test_a_network_that_couples_too_many_bodies_is_solved_joint_by_joint():
    """All bodies pinned to all others: its blocks would be more than there is room for."""
    count = 2 * MOST_BLOCKS + 4
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    bodies = [world.add(world.box(0.1, 0.1, 0.1), (2.0 * np.cos(k), 2.0 * np.sin(k), 0.1 * k)) for k in range(count)]
    joints = []
    for a in range(count):
        for b in range(a):
            place = np.array(world.position(bodies[a])) - np.array(world.position(bodies[b]))
            joints.append(world.world.joint.create("point", bodies[b], bodies[a], at(place), at((0.0, 0.0, 0.0))))
    for _ in range(10):
        world.step()
    assert sum(node_of(world, joint) >= 0 for joint in joints) == count - 1
    assert not any(int(world.world.joint.row("test", joint)["is_in_network"]) for joint in joints)
    assert np.abs([world.velocity(body) for body in bodies]).max() < 1.0


@pytest.mark.parametrize("away", [1.0, 10.0])
def test_a_bar_of_a_truss_that_a_script_puts_elsewhere_comes_back(away):
    """Errors were corrected more softly the larger they were: from 10 m away the bar came at 0.1 m/s."""
    space, ball, supports = truss(5, 10.0)
    for _ in range(30):
        space.step(TICK)
    before = ball.position[1]
    bar = next(body for body in space.bodies if abs(body.position[0] - 0.5) < 0.1 and body.position[1] < 0.1)
    bar.position = bar.position + (0.0, 0.0, away)
    for _ in range(360):
        space.step(TICK)
    assert ball.position[1] == pytest.approx(before, abs=0.02)
    assert abs(bar.position[2]) < 0.02
