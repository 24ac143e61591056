"""Blocks of contacts as they are prepared, against a naive twin in double precision that goes from manifold to manifold."""

import math

import numpy as np
import pytest
from small_world import TICK, SmallWorld

from scree.bodies.schema import HAS_JOINT, RIGID_LINEAR, STATIC
from scree.collision.schema import (
    MANIFOLD_HAD_IMPACT, MANIFOLD_IS_AHEAD, MANIFOLD_WANDERS_A, MANIFOLD_WANDERS_B, PAIR_SPARES_A, PAIR_SPARES_B,
    SPECULATIVE_DISTANCE,
)  # fmt: skip
from scree.constraints import schema as c
from scree.constraints.contact_patch import CONTACT_PATCH, LEAST_SPIN, MOST_ROLLING, ROLLING_PATCH
from scree.constraints.contact_preparation import prepare_contacts
from scree.constraints.wandering_contacts import FARTHEST_ROLLED
from scree.constraints.wide_preparation import IMPACT_SPEED, IMPACT_STEPS
from scree.joints.schema import DISTANCE
from scree.runtime.memory import view_rows
from tests.bodies.mass_twin import full, rotation_matrix

CLOSE = {"rtol": 2e-4, "atol": 2e-5}
BELT = (0.3, 0.0, -0.2), (0.0, 0.5, 0.0)
"""Linear and angular velocity of the conveyor's surface."""
SLOP, JOINED_SLOP = 0.002, 0.015
"""Overlap that is left alone [m], and that of two bodies on joints."""


class Heap(SmallWorld):
    """Boxes, balls and a conveyor, in motion; some bodies cannot turn, the masks of some have the conveyor alone; some hang
    together by ropes, too long to pull."""

    def __init__(self):
        super().__init__(penetration_slop=SLOP, articulated_penetration_slop=JOINED_SLOP)
        belt = self.add(self.box(20.0, 0.5, 20.0), (0.0, -0.5, 0.0), mode=STATIC)
        self.world.body.set_collision_layer(belt, 3)
        rare = self.world.bodies.own_rare(self.index(belt))
        rare["surface_linear_velocity"], rare["surface_angular_velocity"] = BELT
        self.joined, before = [], belt
        shapes, rng = [self.box(0.5, 0.4, 0.3), self.sphere(0.35), self.box(0.3, 0.3, 0.3)], np.random.default_rng(4)
        for k in range(60):
            place = (1.1 * (k % 4), 0.5 + 0.7 * (k // 16), 1.1 * (k // 4 % 4))
            body = self.add(shapes[k % 3], np.array(place) + rng.uniform(-0.1, 0.1, 3), restitution=0.3)
            if k % 7 == 3:
                self.world.body.set_mode(body, RIGID_LINEAR)
            elif k % 7 == 5:
                self.world.body.set_collision_mask(body, 2)
            if k % 3 == 1:
                self.joined += [self.index(before), self.index(body)]
                rope = self.world.joint.create("distance", before, body, collides=True)
                self.world.joint.set_limits(rope, DISTANCE, 0.0, 50.0)
            before = body
        self.step(40)

    def prepared(self) -> np.ndarray:
        """All blocks of the present state, float32 (blocks, fields, 8)."""
        system = self.world.system(self.system)
        count = int(system.row["constraints"]["block_count"])
        prepare_contacts(system.address, 0, count, 0)
        flat = view_rows(int(system.row["constraints"]["blocks"]), count * c.BLOCK_FIELDS * 8, np.float32)
        return flat.reshape(count, c.BLOCK_FIELDS, 8)

    def rows_of(self, name: str) -> np.ndarray:
        return next(pool.rows for pool in self.world.system(self.system)._pools if pool.name == name)


GRAVITY = (0.0, -10.0, 0.0)
"""[m/s^2]"""
AHEAD = 0.5 * (1 / 60 - 1 / 240)
"""From the beginning of a step to the mean of the times at which its sub-steps begin [s]."""


def wanders(manifold, a, b, normal, points) -> list[np.ndarray]:
    """How far the points move over A, and over B, until `AHEAD`: below the centre of a round body as that turns about its centre
    of mass, and on a flat body below the centre of the other one as that moves."""
    ways, bodies = [np.zeros(3), np.zeros(3)], (a, b)
    rounding = [float(manifold["rounding_a"]), float(manifold["rounding_b"])]
    outward = [normal, -normal]
    middles = [np.mean([point[side] for point in points], axis=0) - rounding[side] * outward[side] for side in range(2)]
    if not manifold["normal_impulse"][: len(points)].any():
        return ways
    speeds = [body["linear_velocity"].astype(float) for body in bodies]
    spins = [body["angular_velocity"].astype(float) for body in bodies]
    for side, flag in enumerate((MANIFOLD_WANDERS_A, MANIFOLD_WANDERS_B)):
        if not manifold["flags"] & flag:
            continue
        way, radius, other = np.cross(spins[side], middles[side]), rounding[side], 1 - side
        if radius == 0.0:
            radius = rounding[other]
            centre = speeds[other] + np.cross(spins[other], middles[other])
            way = centre - speeds[side] - radius * np.cross(spins[side], outward[side])
        way = AHEAD * (way - (way @ normal) * normal)
        ways[side] = way * min(1.0, FARTHEST_ROLLED * radius / max(np.linalg.norm(way), 1e-12))
    return ways


class Twin:
    """A manifold where its bodies are now: normal, (anchor on A, anchor on B, separation) of each point, moved ahead where it
    wanders, and the centre of friction; inverse masses and inertias as they count for this pair."""

    def __init__(self, pair, manifold, a, b, overlap: float):
        turn_a, turn_b = rotation_matrix(a["rotation"]), rotation_matrix(b["rotation"])
        then_a, then_b = rotation_matrix(pair["pose_rotation_a"]), rotation_matrix(pair["pose_rotation_b"])
        self.normal, self.points = turn_a @ manifold["normal"], []
        delta = b["position"] - a["position"]
        for p in range(manifold["point_count"]):
            local = manifold["anchor"][p].astype(float)
            on_a = turn_a @ local
            on_b = turn_b @ then_b.T @ (then_a @ local - pair["pose_position"])
            self.points.append((on_a, on_b, manifold["separation"][p] + self.normal @ (delta + on_b - on_a)))
        ways = wanders(manifold, a, b, self.normal, self.points)
        self.points = [(on_a + ways[0], on_b + ways[1], apart) for on_a, on_b, apart in self.points]
        weights = np.clip([2.0 - (point[2] + overlap) / SPECULATIVE_DISTANCE for point in self.points], 1e-6, 1.0)
        weights /= weights.sum()
        self.middles = [sum(w * point[side] for w, point in zip(weights, self.points, strict=True)) for side in range(2)]
        # Friction acts on the surfaces; points lie half-way between those that were apart when they were found, and between those
        # of a round body and of the ground that it was found in.
        found = manifold["separation"][: manifold["point_count"]].astype(float)
        is_round = manifold["rounding_a"] > 0 or manifold["rounding_b"] > 0
        if not is_round or (a["inverse_mass"] > 0 and b["inverse_mass"] > 0):
            found = np.maximum(found, 0.0)
        half_gap = 0.0 if manifold["flags"] & MANIFOLD_IS_AHEAD else 0.5 * found.mean()
        self.centers = [middle + sign * half_gap * self.normal for sign, middle in zip((-1, 1), self.middles, strict=True)]
        moves = [not pair["flags"] & spares for spares in (PAIR_SPARES_A, PAIR_SPARES_B)]
        self.masses = [float(body["inverse_mass"]) * is_moved for is_moved, body in zip(moves, (a, b), strict=True)]
        self.inertias = [full(body["inverse_inertia_world"]) * is_moved for is_moved, body in zip(moves, (a, b), strict=True)]

    def inverse_mass(self, direction, arms, other):
        """Speed along `direction` at the ends of `arms` by an impulse along `other`."""
        return sum(
            m * direction @ other + np.cross(arm, direction) @ inertia @ np.cross(arm, other)
            for m, inertia, arm in zip(self.masses, self.inertias, arms, strict=True)
        )


def check_friction(fields, manifold, a, b, twin):
    """Compare what a lane has at the centre of friction: anchors, tangents, masses, and what the conveyor does."""
    tangent = fields[c.TANGENT : c.TANGENT + 3].astype(float)
    assert tangent @ twin.normal == pytest.approx(0.0, abs=1e-6) and np.linalg.norm(tangent) == pytest.approx(1.0, abs=1e-6)
    bitangent = np.cross(twin.normal, tangent)
    np.testing.assert_allclose(fields[c.ANCHOR_A : c.ANCHOR_A + 3], twin.centers[0], **CLOSE)
    np.testing.assert_allclose(fields[c.ANCHOR_B : c.ANCHOR_B + 3], twin.centers[1], **CLOSE)
    k = np.array([[twin.inverse_mass(s, twin.centers, t) for t in (tangent, bitangent)] for s in (tangent, bitangent)])
    xx, yy, xy = fields[c.TANGENT_MASS : c.TANGENT_MASS + 3]
    np.testing.assert_allclose(np.array([[xx, xy], [xy, yy]]) @ k, np.eye(2), atol=1e-3)
    twist = twin.normal @ sum(twin.inertias) @ twin.normal
    assert fields[c.TWIST_MASS] == pytest.approx(1.0 / twist if twist > 0.0 else 0.0, rel=1e-4)
    surface = np.zeros(3)
    for sign, body, center in ((-1.0, a, twin.centers[0]), (1.0, b, twin.centers[1])):
        if body["inverse_mass"] == 0.0:
            surface += sign * (BELT[0] + np.cross(BELT[1], center))
    np.testing.assert_allclose(fields[c.TANGENT_VELOCITY], surface @ tangent, **CLOSE)
    np.testing.assert_allclose(fields[c.TANGENT_VELOCITY + 1], surface @ bitangent, **CLOSE)
    friction = manifold["friction_impulse"].astype(float)
    np.testing.assert_allclose(fields[c.FRICTION_IMPULSE], friction @ tangent, **CLOSE)


def patch_part(manifold, a, b, normal) -> float:
    """The patch of the points of a manifold, as a part of the inner radius of the smaller body."""
    corners = [math.sqrt(3.0) * 1.001 * manifold[key] for key in ("rounding_a", "rounding_b")]
    has_ball = any(0.0 < body["extent"] <= corner for body, corner in zip((a, b), corners, strict=True))
    if manifold["point_count"] != 1 or not has_ball:
        return CONTACT_PATCH
    spin = a["angular_velocity"].astype(float) - b["angular_velocity"].astype(float)
    about = abs(spin @ normal)
    if about < LEAST_SPIN:
        return ROLLING_PATCH
    still = max(1.0 - np.linalg.norm(np.cross(spin, normal)) / (MOST_ROLLING * about), 0.0)
    return ROLLING_PATCH + still * (CONTACT_PATCH - ROLLING_PATCH)


def check_point(at, p: int, manifold, twin, rows, patch: float):
    """Compare a point of a lane. `patch`: its radius [m]."""
    on_a, on_b, separation = twin.points[p]
    axis_a, axis_b = at[c.POINT_ANCHOR_A :][:3].astype(float), at[c.POINT_ANCHOR_B :][:3].astype(float)
    np.testing.assert_allclose(axis_a, on_a - manifold["rounding_a"] * twin.normal, **CLOSE)
    np.testing.assert_allclose(axis_b, on_b + manifold["rounding_b"] * twin.normal, **CLOSE)
    assert at[c.POINT_SEPARATION] + twin.normal @ (axis_b - axis_a) == pytest.approx(separation, abs=5e-6)
    lever = max(np.linalg.norm(on_a - twin.middles[0]), patch)
    assert at[c.POINT_LEVER] == pytest.approx(lever, rel=1e-3, abs=1e-5)
    assert at[c.POINT_MASS] == pytest.approx(1.0 / twin.inverse_mass(twin.normal, (on_a, on_b), twin.normal), rel=1e-3)
    assert at[c.POINT_IMPULSE] == manifold["normal_impulse"][p] and at[c.POINT_TOTAL_IMPULSE] == 0.0
    velocities = [(row[:3].astype(float), row[3:6].astype(float)) for row in rows]
    speeds = [v + np.cross(w, arm) for (v, w), arm in zip(velocities, (on_a, on_b), strict=True)]
    np.testing.assert_allclose(at[c.POINT_RELATIVE_VELOCITY], twin.normal @ (speeds[1] - speeds[0]), **CLOSE)


def check_lane(fields, pair, lists, manifold, a, b, rows, overlap: float):
    """Compare one lane with what the manifold, its pair and its bodies say. `overlap`: what large bodies may [m]."""
    smallest = min(float(body["inner_radius"]) for body in (a, b) if body["inner_radius"] > 0.0)
    overlap = min(overlap, smallest / 16.0)
    twin = Twin(pair, manifold, a, b, overlap)
    assert fields[c.ALLOWED_OVERLAP] == pytest.approx(overlap)
    assert fields[c.SPREAD] == 1.0, "only flat ends of cylinders spread"
    np.testing.assert_allclose(fields[c.NORMAL : c.NORMAL + 3], twin.normal, **CLOSE)
    assert fields[c.FRICTION] == lists["friction"] and fields[c.RESTITUTION] == lists["restitution"]
    check_friction(fields, manifold, a, b, twin)
    patch = patch_part(manifold, a, b, twin.normal) * smallest
    for p in range(len(twin.points)):
        check_point(fields[c.POINTS + p * c.POINT_FIELDS :], p, manifold, twin, rows, patch)
    fastest = min(fields[c.POINTS + p * c.POINT_FIELDS + c.POINT_RELATIVE_VELOCITY] for p in range(len(twin.points)))
    is_free = not (int(a["flags"]) | int(b["flags"])) & HAS_JOINT
    earlier = c.IMPACT_GOES_ON if manifold["flags"] & MANIFOLD_HAD_IMPACT else 0.0
    by_gravity = IMPACT_STEPS * TICK * np.linalg.norm(GRAVITY)
    begins = fastest < -max(IMPACT_SPEED, by_gravity)
    assert fields[c.IMPACT] == ((c.IMPACT_BEGINS if begins else earlier) if is_free else 0.0)
    for p in range(len(twin.points), 4):
        assert fields[c.POINTS + p * c.POINT_FIELDS + c.POINT_SEPARATION] > 1e5


def test_blocks_hold_what_their_manifolds_say():
    heap = Heap()
    blocks = heap.prepared()
    whole = blocks.view(np.int32)
    pairs, lists, manifolds = (heap.rows_of(name) for name in ("pairs", "lists of pairs", "contact manifolds"))
    bodies = heap.world.bodies.rows
    solver_row_count = int(heap.row["bodies"]["active_count"]) + 1
    solver_rows = view_rows(int(heap.row["solver"]["rows"]), 16 * solver_row_count, np.float32).reshape(-1, 16)
    seen = spared = held = 0
    for block in range(len(blocks)):
        for lane in range(8):
            index = whole[block, c.MANIFOLD_INDEX, lane]
            if index < 0:
                assert not np.delete(blocks[block, :, lane], [c.MANIFOLD_INDEX, c.POINT_COUNT, c.IS_ELASTIC, c.HAS_IMPACT]).any()
                continue
            manifold = manifolds[index]
            if manifold["point_count"] == 0:  # it was ahead of time, and came to nothing
                continue
            pair = pairs[manifold["pair"]]
            a, b = bodies[manifold["body_a"]], bodies[manifold["body_b"]]
            rows = solver_rows[whole[block, [c.ROW_A, c.ROW_B], lane]]
            are_held = [k in heap.joined for k in (manifold["body_a"], manifold["body_b"])]
            overlap = JOINED_SLOP if all(are_held) else SLOP
            check_lane(blocks[block, :, lane].copy(), pair, lists[manifold["pair"]], manifold, a, b, rows, overlap)
            seen += 1
            held += all(are_held)
            spared += bool(pair["flags"] & (PAIR_SPARES_A | PAIR_SPARES_B))
    assert seen > 50 and spared > 5 and 5 < held < seen - 5
