"""Limits, motors and springs push with the mass that moves along them: what the locked axes hold included."""

import math
from dataclasses import replace

import numpy as np
import pytest
from joined_pairs import Pairs
from small_world import SmallWorld
from test_joint_laws import HELD, SINGLE_AND_TREE

from engine_core.constraints.joint_answers import LEAST_LEFT
from engine_core.constraints.joint_measuring import NEAR
from engine_core.constraints.joint_schema import AXIS_COUNT, CONE, JOINT_ROW, LIMIT, LINEAR_X, TWIST
from engine_core.runtime.memory import view_rows

UPRIGHT = np.eye(3)
ROWED = [name for name, kind in HELD.items() if any(lower < upper for lower, upper in kind.ranges.values())]


def symmetric(m) -> np.ndarray:
    """xx, yy, zz, xy, xz, yz as a matrix."""
    return np.array([[m[0], m[3], m[4]], [m[3], m[1], m[5]], [m[4], m[5], m[2]]], dtype=np.float64)


def inverse_masses(joint) -> np.ndarray:
    """Of both bodies: linear and angular of A, then of B [12, 12]."""
    w = np.zeros((12, 12))
    for side in range(2):
        at = 6 * side
        w[at : at + 3, at : at + 3] = np.diag(joint["masses"][side])
        w[at + 3 : at + 6, at + 3 : at + 6] = symmetric(joint["inertias"][side])
    return w


def locked_rows(joint) -> np.ndarray:
    """What each locked axis sees of both bodies' velocities [axis, 12]; zeros where an axis is free."""
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


def naive_answer(joint, row) -> tuple[np.ndarray, np.ndarray, float]:
    """(how both bodies answer an impulse of 1, how the six axes react, the speed that comes of it), by dense matrices."""
    w, c = inverse_masses(joint), locked_rows(joint)
    linear, turn_a, turn_b = (row[name].astype(np.float64) for name in ("linear", "angular_a", "angular_b"))
    j = np.concatenate([-linear, -turn_a, linear, turn_b])
    reaction = -np.linalg.lstsq(c @ w @ c.T, c @ w @ j, rcond=1e-9)[0]
    answer = w @ (j + c.T @ reaction)
    return answer, reaction, float(j @ answer)


@SINGLE_AND_TREE
@pytest.mark.parametrize("name", ROWED)
def test_answers_are_those_of_dense_matrices(name, is_single):
    pairs = Pairs(replace(HELD[name], is_single=is_single), 60, seed=11)
    random = np.random.default_rng(12)
    pairs.throw(2.0 * random.normal(size=(60, 2, 3)), 5.0 * random.normal(size=(60, 2, 3)))
    pairs.run(30)
    system, compared = pairs.world.row, 0
    rows = view_rows(int(system["joint_rows"]), int(system["joint_row_count"]), JOINT_ROW)
    for identity in pairs.joints:
        joint = pairs.world.world.joint_row("test", identity)
        for row in rows[int(joint["first_row"]) : int(joint["first_row"]) + int(joint["row_count"])]:
            assert row["slot"] // AXIS_COUNT == LIMIT
            if row["separation"] > NEAR and row["impulse"] == 0.0:
                assert (row["reactions"] == 0.0).all(), "far from its limit a row is not weighed with the locks"
                continue
            answer, reaction, speed = naive_answer(joint, row)
            scale = max(1.0, np.abs(answer).max())
            assert row["answers"] == pytest.approx(answer, abs=2e-4 * scale)
            if joint["locked"]:
                free = naive_answer({**{n: joint[n] for n in joint.dtype.names}, "locked": 0}, row)[2]
                assert speed > LEAST_LEFT * free
                assert np.linalg.norm(locked_rows(joint) @ row["answers"]) < 1e-3 * scale, "the locked axes hold"
            assert row["mass"] == pytest.approx(1.0 / speed, rel=1e-3)
            compared += 1
    assert compared >= 5


# What comes of it.

SPEED = 5.0
"""[m/s], [rad/s]"""
FARTHEST_BEYOND = 1e-4
"""[m], [rad]; a door had gone 0.007 too far."""
FASTEST_AFTER = 1e-4
"""Of the speed at which the limit was met; a door had come back with 0.22 of it."""
OFF_SPEED = {False: 1e-3, True: 0.03}
"""Of what a motor gives in its first step; it had given 0.33 too much. By itself a joint is pulled together softly."""


def door(world: SmallWorld, kind: str, axis: int, is_single: bool) -> tuple[int, int]:
    """(body, joint): a plank of 1 m, held by the world at one end and 0.2 m beside its middle line, moving along `axis`."""
    plank = world.add(world.box(0.5, 0.05, 0.3), (0.5, 0.2, 0.0), mass=8.0)
    # The frame's x axis: the world's z for a hinge, so that the plank swings; its own long axis for the others.
    basis = np.roll(UPRIGHT, -2, axis=1).ravel() if kind == "hinge" else UPRIGHT.ravel()
    joint = world.world.create_joint(kind, 0, plank, (*basis, 0.0, 0.0, 0.0), (*basis, -0.5, -0.2, 0.0))
    world.world.joint_set_limits(joint, axis, 0.0 if axis == CONE else -0.4, 0.4)
    if is_single:
        world.world.joint_set_max_impulse(joint, 1e6)
    if axis == LINEAR_X:
        world.throw(plank, (SPEED, 0.0, 0.0))
    else:
        world.turn(plank, (0.0, 0.0, SPEED))
        world.throw(plank, (-0.2 * SPEED, 0.5 * SPEED, 0.0))
    return plank, joint


def place_of(world: SmallWorld, plank: int, axis: int) -> float:
    if axis == LINEAR_X:
        return float(world.position(plank)[0]) - 0.5
    q = world.body(plank)["rotation"].astype(np.float64)
    return 2.0 * math.atan2(q[2], q[3])


@SINGLE_AND_TREE
@pytest.mark.parametrize(("kind", "axis"), (("hinge", TWIST), ("slider", LINEAR_X), ("cone", CONE)))
def test_a_limit_stops_what_comes_at_once_and_without_bounce(kind, axis, is_single):
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    plank, _ = door(world, kind, axis, is_single)
    places = []
    for _ in range(40):
        world.step()
        places.append(place_of(world, plank, axis))
    speed = world.velocity(plank)[0] if axis == LINEAR_X else world.body(plank)["angular_velocity"][2]
    assert max(places) > 0.39, "it came to its limit"
    assert max(places) < 0.4 + FARTHEST_BEYOND
    assert abs(float(speed)) < FASTEST_AFTER * SPEED
    assert places[-1] == pytest.approx(0.4, abs=FARTHEST_BEYOND)


@SINGLE_AND_TREE
def test_a_motor_has_its_speed_within_one_step(is_single):
    """Three quarters of what it gives go into the motion of the plank's middle round the hinge."""
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    plank, joint = door(world, "hinge", TWIST, is_single)
    world.turn(plank, (0.0, 0.0, 0.0))
    world.throw(plank, (0.0, 0.0, 0.0))
    world.world.joint_set_limits(joint, TWIST, 1.0, -1.0)
    world.world.joint_set_motor(joint, TWIST, 2.0)
    world.step()
    assert world.body(plank)["angular_velocity"][2] == pytest.approx(2.0, rel=OFF_SPEED[is_single])
