"""Limits, motors and springs push with the mass that moves along them: what the locked axes hold included."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joined_pairs import Kind, Pairs
from small_world import SmallWorld
from test_joint_laws import FARTHEST, HELD, MOST_RISE, SINGLE_AND_TREE

from scree.joints.held_rows import MOTORS_TOO
from scree.joints.holding import HELD as LOCKS
from scree.joints.holding import LEAST_LEFT, find_locks, hold_row
from scree.joints.measuring import FAR, NEAR
from scree.joints.schema import (
    AXIS_COUNT, CONE, DISTANCE, JOINT, JOINT_ROW, LIMIT, LINEAR_X, LINEAR_Y, LINEAR_Z, SWING_Y, SWING_Z, TREE_NODE, TWIST,
    UNLIMITED,
)  # fmt: skip
from scree.joints.pinned_turns import PIN, UNKNOWN, hold_turn, is_pinned
from scree.joints.trees import holds_others
from scree.runtime.kernel import entry_point
from scree.runtime.memory import stack_array, view, view_rows

UPRIGHT = np.eye(3)
ROWED = [name for name, kind in HELD.items() if any(lower < upper for lower, upper in kind.ranges.values())]


@entry_point("float64(int64, int64)")
def hold_by_axes(joint_address, row_address):
    joint, row = view(joint_address, 1, JOINT)[0], view(row_address, 1, JOINT_ROW)[0]
    held = stack_array(1, LOCKS)[0]
    return hold_row(joint, row, held, find_locks(joint, held))


@entry_point("float64(int64, int64)")
def hold_by_pin(joint_address, row_address):
    """The result of `hold_row`; -1 if the pin does not serve."""
    joint, row = view(joint_address, 1, JOINT)[0], view(row_address, 1, JOINT_ROW)[0]
    pin = stack_array(1, PIN)[0]
    pin.state = UNKNOWN
    return hold_turn(joint, row, pin) if is_pinned(joint, pin, TWIST) else -1.0


def symmetric(m) -> np.ndarray:
    """xx, yy, zz, xy, xz, yz as a matrix."""
    return np.array([[m[0], m[3], m[4]], [m[3], m[1], m[5]], [m[4], m[5], m[2]]], dtype=np.float64)


def inverse_masses(joint) -> np.ndarray:
    """Inverse masses of both bodies: linear and angular of A, then of B [12, 12]."""
    w = np.zeros((12, 12))
    for side in range(2):
        at = 6 * side
        w[at : at + 3, at : at + 3] = np.diag(joint["masses"][side])
        w[at + 3 : at + 6, at + 3 : at + 6] = symmetric(joint["inertias"][side])
    return w


def locked_rows(joint) -> np.ndarray:
    """Rows of the Jacobian of the locked axes for both bodies' velocities [axis, 12]; zeros where an axis is free."""
    rows = np.zeros((6, 12))
    arms = joint["arms"].astype(np.float64)
    for axis in range(6):
        if joint["locked"] >> axis & 1 == 0:
            continue
        if axis < TWIST:
            n = joint["axes"][axis].astype(np.float64)
            rows[axis] = np.concatenate([-n, -np.cross(arms[0], n), n, np.cross(arms[1], n)])
        else:
            turn = joint["turns"][axis - TWIST].astype(np.float64)
            rows[axis, 3:6], rows[axis, 9:12] = -turn, turn
    return rows


def free_row(joint, row) -> np.ndarray:
    """The Jacobian row of a limit for both bodies' velocities if nothing were locked [12]."""
    axis, zero = row["slot"] % AXIS_COUNT, np.zeros(3)
    if axis in (LINEAR_X, LINEAR_Y, LINEAR_Z, DISTANCE):
        n = joint["distance_axis"] if axis == DISTANCE else joint["axes"][axis]
        a, b = (np.cross(joint["arms"][side].astype(np.float64), n) for side in range(2))
        return row["side"] * np.concatenate([-n, -a, n, b])
    turn = joint["cone_axis"] if axis == CONE else joint["turns"][axis - TWIST]
    return row["side"] * np.concatenate([zero, -turn, zero, turn])


def held_row(joint, free: np.ndarray) -> np.ndarray:
    """The part of a row that remains while the locked axes hold, by dense matrices."""
    w, c = inverse_masses(joint), locked_rows(joint)
    return free - c.T @ np.linalg.lstsq(c @ w @ c.T, c @ w @ free, rcond=1e-9)[0]


@SINGLE_AND_TREE
@pytest.mark.parametrize("name", ROWED)
def test_rows_are_those_of_dense_matrices(name, is_single):
    pairs = Pairs(replace(HELD[name], is_single=is_single), 240, seed=11)
    random = np.random.default_rng(12)
    pairs.throw(2.0 * random.normal(size=(240, 2, 3)), 5.0 * random.normal(size=(240, 2, 3)))
    pairs.run(30)
    system, compared = pairs.world.row, 0
    rows = view_rows(int(system["joints"]["rows"]), int(system["joints"]["row_count"]), JOINT_ROW)
    for identity in pairs.joints:
        joint = pairs.world.world.joint.row("test", identity)
        for row in rows[int(joint["first_row"]) : int(joint["first_row"]) + int(joint["row_count"])]:
            assert row["slot"] // AXIS_COUNT == LIMIT
            if row["mass"] == 0.0 and row["separation"] > FAR:
                assert row["impulse"] == 0.0 and row["slot"] % AXIS_COUNT not in (LINEAR_X, LINEAR_Y, LINEAR_Z, DISTANCE)
                continue  # nothing is made of it until it comes near
            found = np.concatenate([-row["linear"], -row["angular_a"], row["linear"], row["angular_b"]])
            free, w = free_row(joint, row), inverse_masses(joint)
            is_far = row["separation"] > NEAR and row["impulse"] == 0.0
            if is_far and found == pytest.approx(free, abs=1e-5):
                continue  # unless it may be met soon it is not weighed with the locks
            held = held_row(joint, free)
            assert found == pytest.approx(held, abs=1e-4)
            assert np.abs(locked_rows(joint) @ w @ found).max() < 1e-3 * w.max(), "the locked axes hold"
            assert held @ w @ held > LEAST_LEFT * (free @ w @ free)
            assert row["mass"] == pytest.approx(1.0 / (held @ w @ held), rel=1e-3)
            compared += 1
    assert compared >= 5


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 7), st.sampled_from(["free", "static", "long arm", "may not turn"]))
def test_a_pin_as_a_whole_is_its_axes_one_by_one(seed, locked_angles, kind):
    """Rows that turn two bodies, whose ends a joint pins together."""
    random = np.random.default_rng(seed)
    joint = np.zeros(1, JOINT)[0]
    joint["locked"] = 0b111 | locked_angles << TWIST
    for side in range(2):
        root = random.normal(size=(3, 3))
        inertia = root @ root.T + 0.2 * np.eye(3)
        if kind == "may not turn" and side == 1:
            inertia[0], inertia[:, 0] = 0.0, 0.0
        if not (kind == "static" and side == 0):
            joint["masses"][side] = random.uniform(0.1, 10.0)
            joint["inertias"][side] = (*np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2])
        joint["arms"][side] = random.normal(size=3) * (30.0 if kind == "long arm" else 0.5)
    joint["axes"] = np.linalg.qr(random.normal(size=(3, 3)))[0]
    joint["turns"] = np.linalg.qr(random.normal(size=(3, 3)))[0] + 0.1 * random.normal(size=(3, 3))
    direction = random.normal(size=3)
    found = []
    for way in (hold_by_axes, hold_by_pin):
        row = np.zeros(1, JOINT_ROW)
        row["angular_a"] = row["angular_b"] = row["torque"] = direction
        mass = way(joint.reshape(1).ctypes.data, row.ctypes.data)
        found.append((mass, np.concatenate([row[name][0] for name in ("linear", "angular_a", "angular_b", "torque")])))
    if found[1][0] < 0.0:
        assert kind in ("may not turn", "long arm")
        return
    scale = float(np.abs(found[0][1]).max())
    assert found[1][1] == pytest.approx(found[0][1], abs=2e-4 * max(scale, 1.0))
    assert found[1][0] == pytest.approx(found[0][0], rel=1e-3, abs=1e-6)


# What comes of it.

SPEED = 5.0
"""[m/s], [rad/s]"""
FAST = 40.0
"""So many a sixth of a unit in one sub-step: the limit is far when the last one ends before it is met."""
FARTHEST_BEYOND = 1e-4
"""[m], [rad]; a door had gone 0.007 too far."""
FASTEST_AFTER = 1e-4
"""Part of the speed at which the limit was met that comes back at most; a door had come back with 0.22 of it."""
OFF_SPEED = {False: 1e-3, True: 0.03}
"""Error of the speed that a motor gives in its first step, as a part of it; it had given 0.33 too much. A lone joint is pulled
together softly."""


def door(world: SmallWorld, kind: str, axis: int, is_single: bool, speed: float = SPEED) -> tuple[int, int]:
    """(body, joint): a plank of 1 m, held by the world at one end and 0.2 m beside its middle line, moving along `axis`."""
    plank = world.add(world.box(0.5, 0.05, 0.3), (0.5, 0.2, 0.0), mass=8.0)
    # The frame's x axis: the world's z for a hinge, so that the plank swings; its own long axis for the others.
    basis = np.roll(UPRIGHT, -2, axis=1).ravel() if kind == "hinge" else UPRIGHT.ravel()
    joint = world.world.joint.create(kind, 0, plank, (*basis, 0.0, 0.0, 0.0), (*basis, -0.5, -0.2, 0.0))
    world.world.joint.set_limits(joint, axis, 0.0 if axis == CONE else -0.4, 0.4)
    if is_single:
        world.world.joint.set_max_impulse(joint, 1e6)
    if axis == LINEAR_X:
        world.throw(plank, (speed, 0.0, 0.0))
    else:
        world.turn(plank, (0.0, 0.0, speed))
        world.throw(plank, (-0.2 * speed, 0.5 * speed, 0.0))
    return plank, joint


def place_of(world: SmallWorld, plank: int, axis: int) -> float:
    if axis == LINEAR_X:
        return float(world.position(plank)[0]) - 0.5
    q = world.body(plank)["rotation"].astype(np.float64)
    return 2.0 * math.atan2(q[2], q[3])


@SINGLE_AND_TREE
@pytest.mark.parametrize("speed", (SPEED, FAST))
@pytest.mark.parametrize(("kind", "axis"), (("hinge", TWIST), ("slider", LINEAR_X), ("cone", CONE)))
def test_a_limit_stops_what_comes_at_once_and_without_bounce(kind, axis, speed, is_single):
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    plank, _ = door(world, kind, axis, is_single, speed)
    places = []
    for _ in range(40):
        world.step()
        places.append(place_of(world, plank, axis))
    speed_after = world.velocity(plank)[0] if axis == LINEAR_X else world.body(plank)["angular_velocity"][2]
    assert max(places) > 0.39, "it came to its limit"
    assert max(places) < 0.4 + FARTHEST_BEYOND
    assert abs(float(speed_after)) < FASTEST_AFTER * speed
    assert places[-1] == pytest.approx(0.4, abs=FARTHEST_BEYOND)


@SINGLE_AND_TREE
def test_a_motor_has_its_speed_within_one_step(is_single):
    """Three quarters of what it gives go into the motion of the plank's middle round the hinge."""
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    plank, joint = door(world, "hinge", TWIST, is_single)
    world.turn(plank, (0.0, 0.0, 0.0))
    world.throw(plank, (0.0, 0.0, 0.0))
    world.world.joint.set_limits(joint, TWIST, 1.0, -1.0)
    world.world.joint.set_motor(joint, TWIST, 2.0)
    world.step()
    assert world.body(plank)["angular_velocity"][2] == pytest.approx(2.0, rel=OFF_SPEED[is_single])


# Trees: what hangs behind a limit stops with it.


def planks(world: SmallWorld, count: int) -> tuple[list[int], int]:
    """(bodies, hinge). Planks of 1 m welded end to end on a hinge to the world, whose limits are 0.4 rad about z."""
    bodies, before, hinge = [], 0, 0
    plank = world.box(0.5, 0.05, 0.3)
    basis = np.roll(UPRIGHT, -2, axis=1).ravel()
    for k in range(count):
        body = world.add(plank, (0.5 + k, 0.0, 0.0), mass=8.0)
        kind, end = ("fixed", (0.5, 0.0, 0.0)) if before else ("hinge", (0.0, 0.0, 0.0))
        joint = world.world.joint.create(kind, before, body, (*basis, *end), (*basis, -0.5, 0.0, 0.0))
        if kind == "hinge":
            hinge = joint
            world.world.joint.set_limits(hinge, TWIST, -0.4, 0.4)
        bodies.append(body)
        before = body
    return bodies, hinge


def swing(world: SmallWorld, bodies: list[int], speed: float) -> None:
    """Turn all planks about the hinge [rad/s]."""
    for body in bodies:
        x, y, _ = world.position(body)
        world.turn(body, (0.0, 0.0, speed))
        world.throw(body, (-speed * y, speed * x, 0.0))


def spin_of(world: SmallWorld, body: int) -> float:
    return float(world.body(body)["angular_velocity"][2])


@pytest.mark.parametrize("count", (1, 2, 5))
def test_a_long_door_stops_at_its_limit_as_a_short_one(count):
    """Five planks had gone 0.14 rad too far and come back with 0.86 of their speed."""
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    bodies, _ = planks(world, count)
    swing(world, bodies, SPEED)
    places = []
    for _ in range(20):
        world.step()
        places.append(place_of(world, bodies[0], TWIST))
        assert spin_of(world, bodies[0]) > -FASTEST_AFTER * SPEED
    assert max(places) == pytest.approx(0.4, abs=FARTHEST_BEYOND)
    assert spin_of(world, bodies[-1]) == pytest.approx(0.0, abs=FASTEST_AFTER * SPEED)


@pytest.mark.parametrize("count", (1, 3))
def test_a_limit_lets_go_at_once(count):
    """Planks that gravity holds at their lower limit are thrown up: a limit held with the tree does not hold on to them."""
    world = SmallWorld(gravity=(0.0, -10.0, 0.0))
    bodies, _ = planks(world, count)
    world.step(60)
    assert place_of(world, bodies[0], TWIST) == pytest.approx(-0.4, abs=1e-3)
    assert spin_of(world, bodies[0]) == pytest.approx(0.0, abs=1e-3)
    swing(world, bodies, 2.0)
    world.step()
    # Gravity's torque over the inertia of a thin rod about its end, for 1/60 s; the planks' own thickness counts little.
    slower = 10.0 * 0.5 * count * math.cos(0.4) / (count**2 / 3.0) / 60.0
    assert spin_of(world, bodies[0]) == pytest.approx(2.0 - slower, abs=0.02)


@pytest.mark.parametrize("count", (1, 2, 5))
def test_a_motor_swings_a_long_arm_at_its_speed(count):
    """Two planks had gone at 2.5 rad/s instead of 2, then at 1.6; five at 3.6 after six steps."""
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    bodies, joint = planks(world, count)
    world.world.joint.set_limits(joint, TWIST, 1.0, -1.0)
    world.world.joint.set_motor(joint, TWIST, 2.0)
    for _ in range(10):
        world.step()
        assert spin_of(world, bodies[0]) == pytest.approx(2.0, rel=1e-3)
        assert spin_of(world, bodies[-1]) == pytest.approx(2.0, rel=1e-3)


@pytest.mark.parametrize("torque", (100.0, 3e3, 2e4))
def test_a_weak_motor_on_a_long_arm_gives_no_more_than_its_torque(torque):
    """Also where it would have the torque for the first plank alone, which the coloured pass looks at."""
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    bodies, joint = planks(world, 5)
    world.world.joint.set_limits(joint, TWIST, 1.0, -1.0)
    world.world.joint.set_motor(joint, TWIST, 2.0, torque)
    inertia = 40.0 * (5.0**2 / 3.0 + 0.1**2 / 12.0)
    world.step()
    assert spin_of(world, bodies[0]) == pytest.approx(torque / inertia / 60.0, rel=0.01)
    assert place_of(world, bodies[0], TWIST) == pytest.approx(0.5 * torque / inertia / 60.0**2, rel=0.02)


@pytest.mark.parametrize("count", (1, 5))
def test_a_motor_that_drives_into_a_limit_stays_there(count):
    """Both act along one axis: the limit is held with the tree, the motor beside it is not."""
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    bodies, joint = planks(world, count)
    world.world.joint.set_motor(joint, TWIST, 2.0, 1e4)
    for tick in range(60):
        world.step()
        assert place_of(world, bodies[0], TWIST) < 0.4 + 1e-3
        if tick > 20:
            assert place_of(world, bodies[-1], TWIST) == pytest.approx(0.4, abs=1e-3)
            assert spin_of(world, bodies[0]) == pytest.approx(0.0, abs=1e-3)


@SINGLE_AND_TREE
def test_limits_that_say_the_same_do_not_fight(is_single):
    """A cone and two swings that end together: three rows of limits for two directions."""
    limits = {CONE: (0.0, 0.45), SWING_Y: (-0.42, 0.42), SWING_Z: (-0.42, 0.42)}
    kind = Kind("point", limits, {TWIST: (-3.0, 3.0)}, is_single=is_single)
    pairs = Pairs(kind, 60, seed=5)
    random = np.random.default_rng(6)
    pairs.throw(2.0 * random.normal(size=(60, 2, 3)), 6.0 * random.normal(size=(60, 2, 3)))
    motion = pairs.run(120)
    energy = motion.energy()
    assert ((energy - np.minimum.accumulate(energy, axis=0)) / energy[0]).max() < MOST_RISE
    assert motion.beyond().max() < FARTHEST


@pytest.mark.parametrize("seed", (3, 12, 34, 35))
def test_chains_with_limits_keep_their_momentum_and_gain_no_energy(seed):
    """Twenty chains of six, flying and whirling: the limits along a chain push all at once. A limit that the solution of a tree
    left pulling had drawn its bodies along, for up to 0.04 of the energy in a step."""
    world, random = SmallWorld(gravity=(0.0, 0.0, 0.0)), np.random.default_rng(seed)
    shape, chains = world.box(0.1, 0.1, 0.1), []
    for c in range(20):
        links = [world.add(shape, (10.0 * c, 0.5 * k, 0.0), mass=2.0, inertia=(0.05,) * 3) for k in range(6)]
        for a, b in itertools.pairwise(links):
            basis = np.roll(UPRIGHT, -int(random.integers(3)), axis=1).ravel()
            joint = world.world.joint.create("hinge", a, b, (*basis, 0.0, 0.25, 0.0), (*basis, 0.0, -0.25, 0.0))
            world.world.joint.set_limits(joint, TWIST, -0.3, 0.3)
        for link in links:
            world.throw(link, 3.0 * random.normal(size=3))
            world.turn(link, 6.0 * random.normal(size=3))
        chains.append(links)
    rows = np.array([[world.index(link) for link in links] for links in chains])

    def state():
        names = ("position", "linear_velocity", "angular_velocity")
        read = {name: world.world.bodies.rows[name][rows].astype(np.float64) for name in names}
        place, v, w = read["position"], read["linear_velocity"], read["angular_velocity"]
        middle, common = place.mean(axis=1, keepdims=True), v.mean(axis=1, keepdims=True)
        turning = (2.0 * np.cross(place - middle, v - common) + 0.05 * w).sum(axis=1)
        return 2.0 * v.sum(axis=1), turning, ((v - common) ** 2).sum(axis=(1, 2)) + 0.025 * (w**2).sum(axis=(1, 2))

    world.step()  # the joints take what they do not allow
    momentum, turning, energy = state()
    least = energy
    for _ in range(120):
        world.step()
        now = state()
        assert np.abs(now[0] - momentum).max() < 1e-4 * np.abs(momentum).max()
        assert np.linalg.norm(now[1] - turning, axis=1).max() < 0.02 * np.linalg.norm(turning, axis=1).max()
        assert (now[2] - least).max() < 0.003 * energy.max()
        pushing = view_rows(int(world.row["joints"]["rows"]), int(world.row["joints"]["row_count"]), JOINT_ROW)
        assert pushing["impulse"].min() >= 0.0, "a limit pulls"
        least = np.minimum(least, now[2])


# Small bodies, heavy loads, and rows that would fight.


@SINGLE_AND_TREE
@pytest.mark.parametrize("radius", (0.06, 0.02, 0.005))
def test_a_small_ball_on_a_long_arm_has_limits_and_motors(radius, is_single):
    """Little is left of its hinge's axis beside the locked ones: its inertia is nothing to that of the arm."""
    for drives in (False, True):
        world = SmallWorld(gravity=(0.0, 0.0, 0.0))
        ball = world.add(world.sphere(radius), (1.0, 0.0, 0.0), mass=1.0)
        basis = np.roll(UPRIGHT, -2, axis=1).ravel()
        joint = world.world.joint.create("hinge", 0, ball, (*basis, 0.0, 0.0, 0.0), (*basis, -1.0, 0.0, 0.0))
        if is_single:
            world.world.joint.set_max_impulse(joint, 1e6)
        if drives:
            world.world.joint.set_motor(joint, TWIST, 2.0)
            world.step(5)
            assert spin_of(world, ball) == pytest.approx(2.0, rel=OFF_SPEED[is_single])
        else:
            world.world.joint.set_limits(joint, TWIST, -0.4, 0.4)
            swing(world, [ball], 2.0)
            world.step(60)
            assert place_of(world, ball, TWIST) == pytest.approx(0.4, abs=1e-3)


@pytest.mark.parametrize("count", (1, 5, 20))
def test_a_motor_lifts_a_load_off_its_limit_at_once(count):
    """The slower the motor and the heavier the load, the longer the limit had held it: twenty planks for five steps."""
    world = SmallWorld(gravity=(0.0, -10.0, 0.0))
    bodies, joint = planks(world, count)
    world.step(90)
    assert place_of(world, bodies[0], TWIST) == pytest.approx(-0.4, abs=1e-3)
    world.world.joint.set_motor(joint, TWIST, 0.05)
    world.step()
    assert spin_of(world, bodies[0]) == pytest.approx(0.05, rel=0.01)


def test_a_swing_motor_does_not_fight_a_cone():
    """The cone turns with the link, and the motor's axis does not: held together they had whirled it at 2,264 rad/s."""
    for off in (0.3, 0.03, 0.003):
        world = SmallWorld(gravity=(0.0, 0.0, 0.0))
        link = world.add(world.box(0.5, 0.1, 0.1), (0.5, 0.0, 0.0), mass=4.0)
        joint = world.world.joint.create("cone", 0, link, (*UPRIGHT.ravel(), 0.0, 0.0, 0.0), (*UPRIGHT.ravel(), -0.5, 0.0, 0.0))
        world.world.joint.set_limits(joint, CONE, 0.0, 0.4)
        world.world.joint.set_motor(joint, SWING_Y, 2.0)
        world.turn(link, (0.0, 0.0, 5.0 * off))
        world.throw(link, (0.0, 2.5 * off, 0.0))
        for _ in range(60):
            world.step()
            assert np.linalg.norm(world.spin(link)) < 120.0


@entry_point("int64(int64, int64, int64)")
def asks_for_new_matrices(node, joint, rows):
    return 1 if holds_others(view(node, 1, TREE_NODE)[0], view(joint, 1, JOINT)[0], view(rows, 1, JOINT_ROW), MOTORS_TOO) else 0


def test_a_limit_that_changes_ends_within_a_step_asks_for_new_matrices():
    """It pushes at the one end in one pass and at the other in the next: its row points the other way."""
    joint, row, node = np.zeros(1, JOINT), np.zeros(1, JOINT_ROW), np.zeros(1, TREE_NODE)
    joint["locked"], joint["row_count"], joint["acting"], row["most"] = 0b110111, 1, 1, UNLIMITED
    row["slot"], row["side"], row["impulse"], row["mass"] = LIMIT * AXIS_COUNT + TWIST, 1.0, 1.0, 1.0
    node["held"] = 1
    addresses = [array.ctypes.data for array in (node, joint, row)]
    assert not asks_for_new_matrices(*addresses)
    row["side"] = -1.0
    assert asks_for_new_matrices(*addresses)
    node["upper"] = 1
    assert not asks_for_new_matrices(*addresses)
    row["impulse"] = 0.0
    assert asks_for_new_matrices(*addresses)
