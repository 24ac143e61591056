"""Where contacts are now, and how long a pair keeps them, against naive twins in double precision."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.bodies.schema import BODY
from scree.collision.contact_points import contact_frames, contact_normal, contact_point, relative_position
from scree.collision.recycling import RECYCLE_DISTANCE, RECYCLE_DISTANCE_SHORT, RECYCLE_ROLLING, is_recyclable, remember_pose
from scree.collision.schema import MANIFOLD, PAIR

from .oracle import rotation_matrix

seeds = st.integers(0, 2**32 - 1)


def random_rotation(rng) -> np.ndarray:
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def turned(q, axis_angle) -> np.ndarray:
    """q turned by a small rotation vector, in world axes."""
    half = 0.5 * np.asarray(axis_angle)
    p = np.append(half, 1.0)
    product = np.append(p[3] * q[:3] + q[3] * p[:3] + np.cross(p[:3], q[:3]), p[3] * q[3] - p[:3] @ q[:3])
    return product / np.linalg.norm(product)


class Pair:
    """Two bodies that were collided where they are."""

    def __init__(self, rng, sizes=(0.5, 0.4), is_static=False, is_round=False, rolls=False, count=1, lowest=0.0):
        self.bodies, self.pairs, self.manifolds = np.zeros(2, BODY), np.zeros(1, PAIR), np.zeros(1, MANIFOLD)
        for k, body in enumerate(self.bodies):
            body["position"], body["rotation"] = rng.normal(size=3), random_rotation(rng)
            body["extent"], body["inner_radius"] = 1.5 * sizes[k], sizes[k]
            body["inverse_mass"] = 0.0 if is_static and k == 0 else 1.0
        self.pair, (self.a, self.b) = self.pairs[0], self.bodies
        delta = relative_position(self.a, self.b)
        remember_pose(self.pair, self.a, self.b, delta, count, lowest, is_round, rolls)

    def poses(self):
        return [(body["position"].copy(), rotation_matrix(body["rotation"].astype(float))) for body in self.bodies]

    def move(self, rng, way: float, angle: float) -> None:
        for body in self.bodies:
            body["position"] += rng.normal(size=3) * way
            body["rotation"] = turned(body["rotation"].astype(float), rng.normal(size=3) * angle)

    def is_kept(self) -> bool:
        return bool(is_recyclable(self.pair, self.a, self.b))


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_points_are_carried_by_their_bodies(seed):
    rng = np.random.default_rng(seed)
    pair = Pair(rng)
    manifold = pair.manifolds[0]
    (at_a, turn_a), (at_b, turn_b) = pair.poses()
    normal = rng.normal(size=3)
    normal /= np.linalg.norm(normal)
    places = at_a + rng.normal(size=(4, 3))
    manifold["normal"], manifold["anchor"] = turn_a.T @ normal, (places - at_a) @ turn_a
    manifold["separation"] = rng.uniform(-0.02, 0.02, 4)
    local_b = (places - at_b) @ turn_b
    pair.move(rng, 0.1, 0.2)
    (at_a, turn_a), (at_b, turn_b) = pair.poses()
    frames = contact_frames(pair.pair, pair.a, pair.b)
    now = np.array(contact_normal(frames, manifold))
    np.testing.assert_allclose(now, turn_a @ manifold["normal"], atol=1e-6)
    for p in range(4):
        anchor_a, anchor_b, separation = contact_point(frames, manifold, tuple(now), p)
        on_a, on_b = turn_a @ manifold["anchor"][p], turn_b @ local_b[p]
        np.testing.assert_allclose(anchor_a, on_a, atol=2e-6)
        np.testing.assert_allclose(anchor_b, on_b, atol=2e-6)
        parted = now @ (at_b + on_b - at_a - on_a)
        assert separation == pytest.approx(float(manifold["separation"][p]) + parted, abs=4e-6)


@settings(max_examples=300, deadline=None)
@given(seeds, st.floats(-7.0, 0.0), st.floats(-7.0, 0.0), st.booleans(), st.sampled_from([0.01, 0.3, 2.0]))
def test_a_pair_that_is_kept_has_hardly_moved(seed, way, angle, is_static, size):
    """No place near the smaller moving body has moved against the other body by more than the limit."""
    rng = np.random.default_rng(seed)
    pair = Pair(rng, (20.0 * size, size), is_static)
    before = pair.poses()
    pair.move(rng, 10.0**way, 10.0**angle)
    if not pair.is_kept():
        return
    after = pair.poses()
    limit = min(RECYCLE_DISTANCE, 0.05 * size)
    around = rng.normal(size=(50, 3))
    around *= 1.5 * size / np.linalg.norm(around, axis=1)[:, None]
    # Places on B, and how far they are from where A would have carried them: its way and its turn taken apart, or, for what
    # rides on it, together.
    then, now = before[1][0] + around @ before[1][1].T, after[1][0] + around @ after[1][1].T
    turn_of_a = after[0][1] @ before[0][1].T
    moved = (now - after[1][0]) - (then - before[1][0]) @ turn_of_a.T
    moved += (after[1][0] - after[0][0]) - (before[1][0] - before[0][0])
    ridden = (now - after[0][0]) - (then - before[0][0]) @ turn_of_a.T
    farthest = min(np.linalg.norm(way, axis=1).max() for way in (moved, ridden))
    assert farthest <= limit + 1e-6


def test_what_has_not_moved_is_kept_and_a_little_less_when_round():
    rng = np.random.default_rng(1)
    for is_round, limit in ((False, RECYCLE_DISTANCE), (True, RECYCLE_ROLLING)):
        pair = Pair(rng, is_round=is_round)
        assert pair.is_kept()
        start = pair.b["position"].copy()
        pair.b["position"] = start + (0.9 * limit, 0.0, 0.0)
        assert pair.is_kept()
        pair.b["position"] = start + (1.1 * limit, 0.0, 0.0)
        assert not pair.is_kept()
    assert not Pair(rng, rolls=True).is_kept()
    for pair in (Pair(rng, lowest=-0.05), Pair(rng, count=0)):
        pair.b["position"] += (1.1 * RECYCLE_DISTANCE_SHORT, 0.0, 0.0)
        assert not pair.is_kept()


def test_a_fresh_pair_is_collided():
    pair = Pair(np.random.default_rng(2))
    pair.pair["limit"] = 0.0
    assert not pair.is_kept()


def test_what_rides_on_a_large_body_that_turns_is_kept():
    """A crate in a ship: both turn about the ship's centre of mass, and the crate is carried far."""
    rng = np.random.default_rng(5)
    pair = Pair(rng, sizes=(40.0, 0.4))
    arm = np.array((30.0, 1.0, 5.0))
    pair.b["position"] = pair.a["position"] + arm
    remember_pose(pair.pair, pair.a, pair.b, relative_position(pair.a, pair.b), 1, 0.0, False, False)
    spin = np.array((0.1, 0.3, -0.05))
    for body in pair.bodies:
        body["rotation"] = turned(body["rotation"].astype(float), spin)
    carried = rotation_matrix(turned(np.array((0.0, 0.0, 0.0, 1.0)), spin)) @ arm
    pair.b["position"] = pair.a["position"] + carried
    assert np.linalg.norm(carried - arm) > 5.0
    assert pair.is_kept()
    pair.b["position"] += 2.0 * RECYCLE_DISTANCE * carried / np.linalg.norm(carried)
    assert not pair.is_kept()
    pair.b["position"] -= 2.0 * RECYCLE_DISTANCE * carried / np.linalg.norm(carried)
    pair.b["rotation"] = turned(pair.b["rotation"].astype(float), (0.0, 0.04, 0.0))
    assert not pair.is_kept()


def test_what_turns_together_is_kept():
    """Two boxes beside each other in a drum: both turn about its axis, and each is carried a way."""
    rng = np.random.default_rng(8)
    pair = Pair(rng, sizes=(0.4, 0.4))
    spin, arms = np.array((0.02, 0.05, -0.04)), ((3.0, 1.0, 5.0), (3.0, 1.8, 5.0))
    turn = rotation_matrix(turned(np.array((0.0, 0.0, 0.0, 1.0)), spin))
    for body, arm in zip(pair.bodies, arms, strict=True):
        body["position"] = arm
    remember_pose(pair.pair, pair.a, pair.b, relative_position(pair.a, pair.b), 1, 0.0, False, False)
    for body, arm in zip(pair.bodies, arms, strict=True):
        body["position"], body["rotation"] = turn @ arm, turned(body["rotation"].astype(float), spin)
    assert np.linalg.norm(turn @ np.subtract(arms[1], arms[0]) - np.subtract(arms[1], arms[0])) > 1.5 * RECYCLE_DISTANCE
    assert pair.is_kept()
    pair.b["rotation"] = turned(pair.b["rotation"].astype(float), (0.0, 0.06, 0.0))
    assert not pair.is_kept()


def test_a_body_on_a_plane_does_not_ride_on_it():
    """A plane has no extent: a ball that turns about the plane's origin has moved beside it."""
    pair = Pair(np.random.default_rng(6), sizes=(0.4, 0.4))
    pair.b["extent"], pair.b["inner_radius"] = 0.0, 0.0
    pair.b["position"] = pair.a["position"]
    remember_pose(pair.pair, pair.a, pair.b, relative_position(pair.a, pair.b), 1, 0.0, False, False)
    pair.a["rotation"] = turned(pair.a["rotation"].astype(float), (0.0, 0.5, 0.0))
    assert not pair.is_kept()
