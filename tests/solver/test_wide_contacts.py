"""The wide contact solver against a twin that does one manifold after the other, in double precision."""

from types import SimpleNamespace

import numpy as np
import pytest

from engine_core.bodies.schema import SYSTEM
from engine_core.constraints import schema as c
from engine_core.constraints.wide_preparation import couple_points
from engine_core.runtime.kernel import entry_point
from engine_core.runtime.memory import Pool, address_of
from engine_core.solver.wide_contacts import SWEEPS, relax, restitute, solve, warm_start

BODIES, BLOCKS = 24, 6
STEP, SUBSTEPS = 1.0 / 60.0, 4
PUSH_OUT, THRESHOLD = 3.0, 1.0


def symmetric(six):
    xx, yy, zz, xy, xz, yz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def turned(q, v):
    """v turned by the quaternion q."""
    u, w = np.asarray(q[:3]), q[3]
    return v + 2.0 * np.cross(u, np.cross(u, v) + w * v)


COUPLED = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


def speed_by(normal, masses, inertias, arms, others):
    """How fast an impulse of 1 N s along the normal at `others` parts the two bodies at `arms`."""
    return sum(normal @ (m * normal) + np.cross(r, normal) @ i @ np.cross(s, normal)
               for m, i, r, s in zip(masses, inertias, arms, others, strict=True))  # fmt: skip


class Blocks:
    """A system by hand: solver rows and blocks of random contacts. `counts`: points of each lane, 0 for an empty one;
    some lanes are one-sided or static. Lanes of a block share no moving body."""

    def __init__(self, seed: int, restitution: bool = True):
        self.random = np.random.default_rng(seed)
        self.rows_pool = Pool("rows", np.float32, (BODIES + 1) * c.ROW_FLOATS)
        self.block_pool = Pool("blocks", np.float32, BLOCKS * c.BLOCK_FIELDS * 8)
        self.rows = self.rows_pool.rows.reshape(BODIES + 1, c.ROW_FLOATS)
        self.blocks = self.block_pool.rows.reshape(BLOCKS, c.BLOCK_FIELDS, 8)
        self.whole = self.blocks.view(np.int32)
        self.counts = np.zeros((BLOCKS, 8), dtype=int)
        self.system = np.zeros(1, dtype=SYSTEM)
        record = self.system[0]
        record["solver_rows"], record["constraint_blocks"] = self.rows_pool.address, self.block_pool.address
        record["substep_count"], record["last_delta_time"] = SUBSTEPS, STEP
        record["push_out_speed"], record["restitution_threshold"] = PUSH_OUT, THRESHOLD
        self._fill_rows()
        for block in range(BLOCKS):
            self._fill_block(block, restitution)

    def _fill_rows(self) -> None:
        draw = self.random
        self.rows[1:, 0:6] = draw.uniform(-2, 2, (BODIES, 6))
        self.rows[1:, 6:8] = draw.uniform(-9, 9, (BODIES, 2))  # not velocities: must come through untouched
        self.rows[1:, c.DELTA_POSITION : c.DELTA_POSITION + 3] = draw.uniform(-0.01, 0.01, (BODIES, 3))
        q = draw.uniform(-0.05, 0.05, (BODIES, 4))
        q[:, 3] = 1.0
        self.rows[1:, c.DELTA_ROTATION : c.DELTA_ROTATION + 4] = q / np.linalg.norm(q, axis=1)[:, None]
        self.rows[0, c.DELTA_ROTATION + 3] = 1.0

    def _fill_block(self, block: int, restitution: bool) -> None:
        bodies = self.random.permutation(BODIES)[:16] + 1
        self.whole[block, c.MANIFOLD_INDEX] = -1
        for lane in range(8):
            kind = (lane + block) % 8
            if kind == 0:
                continue  # an empty lane: all zeros
            static_a, static_b = kind == 1, kind == 2
            scales = (0.0 if kind in (1, 3) else 1.0, 0.0 if kind in (2, 4) else 1.0)
            row_a, row_b = (0 if static_a else bodies[2 * lane]), (0 if static_b else bodies[2 * lane + 1])
            self.whole[block, [c.ROW_A, c.ROW_B, c.MANIFOLD_INDEX], lane] = (row_a, row_b, 8 * block + lane)
            self.counts[block, lane] = self.random.integers(1, 5)
            self._fill_lane(block, lane, scales, restitution and kind != 5)
        self.whole[block, c.POINT_COUNT] = self.counts[block].max()

    def _fill_lane(self, block: int, lane: int, scales, bounces: bool) -> None:
        draw, put = self.random, self.put
        masses, inertias = [], []
        for side, scale in enumerate(scales):
            mass = scale * draw.uniform(0.1, 3.0) * np.ones(3)
            mass[draw.integers(3)] *= draw.integers(2)  # sometimes a locked axis
            root = draw.uniform(-1, 1, (3, 3))
            inertia = scale * (root @ root.T + 0.2 * np.eye(3))
            masses.append(mass)
            inertias.append(inertia)
            put(block, (c.MASS_A, c.MASS_B)[side], lane, mass)
            put(block, (c.INERTIA_A, c.INERTIA_B)[side], lane, inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])
        normal = draw.normal(size=3)
        normal /= np.linalg.norm(normal)
        tangent = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
        tangent /= np.linalg.norm(tangent)
        put(block, c.NORMAL, lane, normal)
        put(block, c.TANGENT, lane, tangent)
        put(block, c.FRICTION, lane, [draw.uniform(0, 1)])
        put(block, c.RESTITUTION, lane, [draw.uniform(0.1, 1) if bounces else 0.0])
        put(block, c.ANCHOR_A, lane, draw.uniform(-1, 1, 3))
        put(block, c.ANCHOR_B, lane, draw.uniform(-1, 1, 3))
        put(block, c.TANGENT_MASS, lane, draw.uniform(0.05, 0.3, 2).tolist() + [draw.uniform(-0.05, 0.05)])
        put(block, c.TWIST_MASS, lane, [draw.uniform(0.05, 0.5)])
        put(block, c.FRICTION_IMPULSE, lane, draw.uniform(-0.3, 0.3, 2))
        put(block, c.ALLOWED_OVERLAP, lane, [draw.choice([0.0, 0.02])])
        put(block, c.TWIST_IMPULSE, lane, [draw.uniform(-0.3, 0.3)])
        put(block, c.TANGENT_VELOCITY, lane, draw.uniform(-1, 1, 2))
        put(block, c.BIAS_RATE, lane, [draw.uniform(5, 100)])
        put(block, c.SOFTNESS, lane, [draw.uniform(0.3, 1)])
        places = draw.uniform(-1, 1, (4, 2, 3))
        for p in range(4):
            at = c.POINTS + p * c.POINT_FIELDS
            if p >= self.counts[block, lane]:
                put(block, at + c.POINT_SEPARATION, lane, [1e6])
                continue
            arms = places[p]
            k = speed_by(normal, masses, inertias, arms, arms)
            for q in range(p):
                put(block, c.COUPLING + COUPLED.index((q, p)), lane, [speed_by(normal, masses, inertias, arms, places[q])])
            put(block, at + c.POINT_ANCHOR_A, lane, arms[0])
            put(block, at + c.POINT_ANCHOR_B, lane, arms[1])
            gap = normal @ (arms[1] - arms[0])
            put(block, at + c.POINT_SEPARATION, lane, [draw.uniform(-0.1, 0.1) - gap])
            put(block, at + c.POINT_MASS, lane, [1.0 / k if k > 0 else 0.0])
            put(block, at + c.POINT_IMPULSE, lane, [draw.uniform(0, 1) * draw.integers(2)])
            put(block, at + c.POINT_TOTAL_IMPULSE, lane, [draw.uniform(0, 1) * draw.integers(2)])
            put(block, at + c.POINT_RELATIVE_VELOCITY, lane, [draw.uniform(-4, 1)])
            put(block, at + c.POINT_LEVER, lane, [draw.uniform(0.01, 1)])

    def put(self, block: int, field: int, lane: int, values) -> None:
        self.blocks[block, field : field + len(values), lane] = values

    @property
    def address(self) -> int:
        return address_of(self.system)


class Twin:
    """The same rows and blocks in double precision, solved one lane at a time, point by point."""

    def __init__(self, blocks: Blocks):
        self.rows = blocks.rows.astype(np.float64)
        self.blocks = blocks.blocks.astype(np.float64)
        self.whole, self.counts = blocks.whole.copy(), blocks.counts

    def run(self, action) -> None:
        for block in range(BLOCKS):
            for lane in range(8):
                count = self.counts[block, lane]
                if count:
                    self._lane(self.blocks[block, :, lane], self.whole[block, :, lane], count, action)

    def _lane(self, fields, whole, count: int, action) -> None:
        sides = []
        for row, mass, inertia, sign in (
            (whole[c.ROW_A], c.MASS_A, c.INERTIA_A, -1.0), (whole[c.ROW_B], c.MASS_B, c.INERTIA_B, 1.0),
        ):  # fmt: skip
            values = self.rows[row]
            sides.append(SimpleNamespace(
                row=row, sign=sign, mass=fields[mass : mass + 3], inertia=symmetric(fields[inertia : inertia + 6]),
                v=values[0:3].copy(), w=values[3:6].copy(), moved=values[8:11], turn=values[11:15],
            ))  # fmt: skip
        points = [fields[c.POINTS + p * c.POINT_FIELDS :][: c.POINT_FIELDS] for p in range(count)]
        action(fields, points, sides[0], sides[1])
        for side in sides:
            if side.row > 0:
                self.rows[side.row, 0:3], self.rows[side.row, 3:6] = side.v, side.w


def push(a, b, arm_a, arm_b, impulse):
    for side, arm in ((a, arm_a), (b, arm_b)):
        side.v += side.sign * side.mass * impulse
        side.w += side.inertia @ np.cross(arm, side.sign * impulse)


def spin(a, b, impulse):
    for side in (a, b):
        side.w += side.inertia @ (side.sign * impulse)


def relative_velocity(a, b, arm_a, arm_b):
    return b.v + np.cross(b.w, arm_b) - a.v - np.cross(a.w, arm_a)


def frame(fields):
    normal, tangent = fields[c.NORMAL : c.NORMAL + 3], fields[c.TANGENT : c.TANGENT + 3]
    return normal, tangent, np.cross(normal, tangent)


def centre(fields):
    return fields[c.ANCHOR_A : c.ANCHOR_A + 3], fields[c.ANCHOR_B : c.ANCHOR_B + 3]


def arms(point):
    return point[c.POINT_ANCHOR_A : c.POINT_ANCHOR_A + 3], point[c.POINT_ANCHOR_B : c.POINT_ANCHOR_B + 3]


def twin_warm_start(fields, points, a, b):
    normal, tangent, bitangent = frame(fields)
    for point in points:
        push(a, b, *arms(point), normal * point[c.POINT_IMPULSE])
    friction = tangent * fields[c.FRICTION_IMPULSE] + bitangent * fields[c.FRICTION_IMPULSE + 1]
    push(a, b, *centre(fields), friction)
    spin(a, b, normal * fields[c.TWIST_IMPULSE])


def twin_normals(fields, points, a, b, is_biased: bool):
    """The points one after the other, as often as the solver does; separations are those before the pass."""
    normal = fields[c.NORMAL : c.NORMAL + 3]
    for _ in range(SWEEPS):
        for point in points:
            arm_a, arm_b = arms(point)
            gap = b.moved - a.moved + turned(b.turn, arm_b) - turned(a.turn, arm_a)
            separation = point[c.POINT_SEPARATION] + normal @ gap + fields[c.ALLOWED_OVERLAP]
            bias, softness = 0.0, 1.0
            if separation > 0.0:
                bias = separation * SUBSTEPS / STEP
            elif is_biased:
                bias, softness = max(separation * fields[c.BIAS_RATE], -PUSH_OUT), fields[c.SOFTNESS]
            speed = normal @ relative_velocity(a, b, arm_a, arm_b)
            old = point[c.POINT_IMPULSE]
            new = max(old - point[c.POINT_MASS] * softness * (speed + bias) - (1.0 - softness) * old, 0.0)
            point[c.POINT_IMPULSE] = new
            push(a, b, arm_a, arm_b, normal * (new - old))


def twin_solve(fields, points, a, b):
    twin_normals(fields, points, a, b, True)


def twin_relax(fields, points, a, b):
    twin_normals(fields, points, a, b, False)
    normal, tangent, bitangent = frame(fields)
    limit = fields[c.FRICTION] * sum(point[c.POINT_IMPULSE] * point[c.POINT_LEVER] for point in points)
    old = fields[c.TWIST_IMPULSE]
    new = float(np.clip(old - fields[c.TWIST_MASS] * (normal @ (b.w - a.w)), -limit, limit))
    fields[c.TWIST_IMPULSE] = new
    spin(a, b, normal * (new - old))
    relative = relative_velocity(a, b, *centre(fields))
    slide = np.array([tangent @ relative, bitangent @ relative]) + fields[c.TANGENT_VELOCITY : c.TANGENT_VELOCITY + 2]
    xx, yy, xy = fields[c.TANGENT_MASS : c.TANGENT_MASS + 3]
    before = fields[c.FRICTION_IMPULSE : c.FRICTION_IMPULSE + 2].copy()
    after = before - np.array([[xx, xy], [xy, yy]]) @ slide
    limit = fields[c.FRICTION] * sum(point[c.POINT_IMPULSE] for point in points)
    if np.linalg.norm(after) > limit:
        after *= limit / np.linalg.norm(after)
    fields[c.FRICTION_IMPULSE : c.FRICTION_IMPULSE + 2] = after
    push(a, b, *centre(fields), tangent * (after - before)[0] + bitangent * (after - before)[1])
    fields[c.TOTAL_FRICTION : c.TOTAL_FRICTION + 3] += (*after, new)
    for point in points:
        point[c.POINT_TOTAL_IMPULSE] += point[c.POINT_IMPULSE]


def twin_restitute(fields, points, a, b):
    normal, bounce = fields[c.NORMAL : c.NORMAL + 3], fields[c.RESTITUTION]
    if bounce == 0.0:
        return
    for point in points:
        before = point[c.POINT_RELATIVE_VELOCITY]
        if before > -THRESHOLD or point[c.POINT_TOTAL_IMPULSE] == 0.0:
            continue
        speed = normal @ relative_velocity(a, b, *arms(point))
        old = point[c.POINT_IMPULSE]
        new = max(old - point[c.POINT_MASS] * (speed + bounce * before), 0.0)
        point[c.POINT_IMPULSE] = new
        point[c.POINT_TOTAL_IMPULSE] += new - old
        push(a, b, *arms(point), normal * (new - old))


def assert_same(blocks: Blocks, twin: Twin) -> None:
    np.testing.assert_allclose(blocks.rows, twin.rows, rtol=2e-4, atol=2e-4)
    used = blocks.counts > 0
    real = np.moveaxis(blocks.blocks, 1, 2)[used]
    wanted = np.moveaxis(twin.blocks, 1, 2)[used]
    floats = [k for k in range(c.BLOCK_FIELDS) if k not in (c.ROW_A, c.ROW_B, c.MANIFOLD_INDEX, c.POINT_COUNT)]
    np.testing.assert_allclose(real[:, floats], wanted[:, floats], rtol=2e-4, atol=2e-4)
    np.testing.assert_array_equal(blocks.whole[:, : c.MASS_A], twin.whole[:, : c.MASS_A])


STAGES = {
    "warm_start": (warm_start, twin_warm_start), "solve": (solve, twin_solve), "relax": (relax, twin_relax),
    "restitute": (restitute, twin_restitute),
}  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("stage", STAGES)
def test_one_stage(stage, seed):
    blocks = Blocks(seed)
    twin = Twin(blocks)
    before = blocks.rows.copy()
    job, action = STAGES[stage]
    job(blocks.address, 0, BLOCKS, 0)
    twin.run(action)
    assert_same(blocks, twin)
    assert np.abs(blocks.rows - before).max() > 0.1
    np.testing.assert_array_equal(blocks.rows[0], before[0])
    np.testing.assert_array_equal(blocks.rows[:, 6:], before[:, 6:])


@pytest.mark.parametrize("seed", range(4))
def test_a_whole_substep(seed):
    blocks = Blocks(100 + seed)
    twin = Twin(blocks)
    for job, action in STAGES.values():
        job(blocks.address, 0, BLOCKS, 0)
        twin.run(action)
    assert_same(blocks, twin)


def test_only_the_blocks_asked_for():
    blocks = Blocks(7)
    before = blocks.blocks.copy()
    relax(blocks.address, 2, 4, 0)
    assert not np.array_equal(blocks.blocks[2:4], before[2:4])
    np.testing.assert_array_equal(blocks.blocks[:2], before[:2])
    np.testing.assert_array_equal(blocks.blocks[4:], before[4:])


def test_empty_lanes_and_missing_points_stay_empty():
    blocks = Blocks(8)
    for job, _ in STAGES.values():
        job(blocks.address, 0, BLOCKS, 0)
    assert np.isfinite(blocks.blocks[:, c.MASS_A :]).all() and np.isfinite(blocks.rows).all()
    for block, lane in np.argwhere(blocks.counts < 4):
        for p in range(blocks.counts[block, lane], 4):
            at = c.POINTS + p * c.POINT_FIELDS
            assert blocks.blocks[block, at + c.POINT_IMPULSE, lane] == 0.0
            assert blocks.blocks[block, at + c.POINT_TOTAL_IMPULSE, lane] == 0.0


def test_nothing_bounces_without_restitution():
    blocks = Blocks(9, restitution=False)
    rows, before = blocks.rows.copy(), blocks.blocks.copy()
    restitute(blocks.address, 0, BLOCKS, 0)
    np.testing.assert_array_equal(blocks.rows, rows)
    np.testing.assert_array_equal(blocks.blocks, before)


def test_impulses_change_no_momentum():
    """What A gets, B loses: with one mass a body the sum of momenta stays, whatever the anchors are."""
    blocks = Blocks(10)
    inverse = np.zeros(BODIES + 1)
    inverse[1:] = np.random.default_rng(3).uniform(0.2, 2, BODIES)
    for block, lane in np.argwhere(blocks.counts > 0):
        for row, mass in ((c.ROW_A, c.MASS_A), (c.ROW_B, c.MASS_B)):
            other = blocks.whole[block, row, lane]
            if other == 0:  # give static sides a body of their own, or momentum would go into the ground
                free = sorted(set(range(1, BODIES + 1)) - set(blocks.whole[block, [c.ROW_A, c.ROW_B]].ravel().tolist()))
                other = blocks.whole[block, row, lane] = free[0]
            blocks.put(block, mass, lane, [inverse[other]] * 3)
    before = (blocks.rows[1:, 0:3] / inverse[1:, None]).sum(axis=0)
    old = blocks.rows.copy()
    for job, _ in STAGES.values():
        job(blocks.address, 0, BLOCKS, 0)
    assert np.abs(blocks.rows - old).max() > 0.1
    np.testing.assert_allclose((blocks.rows[1:, 0:3] / inverse[1:, None]).sum(axis=0), before, atol=1e-3)


@entry_point("void(int64, int64)")
def couple(block, count):
    couple_points(block, count)


def test_masses_and_couplings_of_points():
    """What the preparation writes for the points that are there is what the blocks of these tests have from NumPy."""
    blocks = Blocks(11)
    before = blocks.blocks.copy()
    for block in range(BLOCKS):
        couple(blocks.block_pool.address + block * c.BLOCK_SIZE, int(blocks.counts[block].max()))
    for block, lane in np.argwhere(blocks.counts > 0):
        for p in range(blocks.counts[block, lane]):
            at = c.POINTS + p * c.POINT_FIELDS + c.POINT_MASS
            assert blocks.blocks[block, at, lane] == pytest.approx(before[block, at, lane], rel=1e-4)
            for q in range(p):
                at = c.COUPLING + COUPLED.index((q, p))
                assert blocks.blocks[block, at, lane] == pytest.approx(before[block, at, lane], rel=1e-4, abs=1e-5)
