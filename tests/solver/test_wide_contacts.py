"""The wide contact solver against a twin that does one manifold after the other, in double precision."""

from contextlib import contextmanager, nullcontext
from types import SimpleNamespace

import numpy as np
import pytest
from friction_twin import aim_along_arcs, arms, centre, frame, push, relative_velocity, spin, sweep_sliding, to_pressure
from random_blocks import (
    BLOCKS, BODIES, COUPLED, PUSH_OUT, STEP, SUBSTEPS, THRESHOLD, Blocks, speed_along, symmetric, turned,
)  # fmt: skip

from scree.constraints import schema as c
from scree.constraints.wide_preparation import couple_points
from scree.runtime.kernel import entry_point
from scree.solver.bounces import LEAST_PART
from scree.solver.bounces import SWEEPS as BOUNCE_SWEEPS
from scree.solver.contact_friction import MOST_SLIDING_SWEEPS
from scree.solver.point_impulses import SWEEPS
from scree.solver.wide_contacts import bounce_late, find_bounces, give_bounces, relax, solve, take_bounces_back, warm_start


class Twin:
    """The rows and blocks in double precision, solved one lane at a time, point by point. `turns`: arms and inertia turn with
    the bodies, and masses are those of the rotated ones."""

    def __init__(self, blocks: Blocks, turns: bool = False):
        self.turns = turns
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
                row=row, sign=sign, center=None, deep=values[c.DEEP_CONTACTS], mass=fields[mass : mass + 3],
                inertia=symmetric(fields[inertia : inertia + 6]),
                v=values[0:3].copy(), w=values[3:6].copy(), moved=values[8:11], turn=values[11:15],
            ))  # fmt: skip
        points = [fields[c.POINTS + p * c.POINT_FIELDS :][: c.POINT_FIELDS] for p in range(count)]
        with rotated(fields, points, *sides) if self.turns else nullcontext():
            if self.turns and action in (twin_solve, twin_relax):
                weigh(fields, points, *sides)
            action(fields, points, sides[0], sides[1])
        for side in sides:
            if side.row > 0:
                self.rows[side.row, 0:3], self.rows[side.row, 3:6] = side.v, side.w


@contextmanager
def rotated(fields, points, a, b):
    """Arms and inertia as they are now, in a `with` block; seen from there the bodies have not rotated."""
    anchors = [(point, at) for point in points for at in (c.POINT_ANCHOR_A, c.POINT_ANCHOR_B)]
    anchors += [(fields, c.ANCHOR_A), (fields, c.ANCHOR_B)]
    before = [array[at : at + 3].copy() for array, at in anchors]
    turns = a.turn, b.turn
    for number, (array, at) in enumerate(anchors):
        stays = frame(fields)[0] * fields[c.ROUND_A + number % 2] if array is fields else 0.0  # of a round body, below its axis
        array[at : at + 3] = turned(turns[number % 2], array[at : at + 3] - stays) + stays
    for side, start in zip((a, b), before[-2:], strict=True):
        if fields[c.TABLE_SPIN] != 0.0 and not side.mass.any():
            side.center = start  # the target velocity follows the arc of a turntable
        side.inertia, side.turn = turned_inertia(side), np.array((0.0, 0.0, 0.0, 1.0))
    yield
    for (array, at), kept in zip(anchors, before, strict=True):
        array[at : at + 3] = kept


def weigh(fields, points, a, b):
    """Effective masses of the points, of friction and of the twist."""
    masses, inertias, directions = (a.mass, b.mass), (a.inertia, b.inertia), frame(fields)
    for point in points:
        k = speed_along(directions[0], directions[0], masses, inertias, arms(point), arms(point))
        point[c.POINT_MASS] = 1.0 / k if k > 1e-30 else 0.0
    center = centre(fields)
    slide = np.array([[speed_along(s, t, masses, inertias, center, center) for t in directions[1:]] for s in directions[1:]])
    fields[c.TANGENT_MASS : c.TANGENT_MASS + 3] = np.linalg.inv(slide)[[0, 1, 0], [0, 1, 1]]
    twist = directions[0] @ (a.inertia + b.inertia) @ directions[0]
    fields[c.TWIST_MASS] = 1.0 / twist if twist > 1e-30 else 0.0


def arms_now(point, a, b):
    arm_a, arm_b = arms(point)
    return turned(a.turn, arm_a), turned(b.turn, arm_b)


def more_speed(fields, points, a, b) -> list[float]:
    """By how much points that may bounce part faster where they are now than where they were when the step began, or 0."""
    if fields[c.RESTITUTION] == 0.0:
        return [0.0] * len(points)
    normal = fields[c.NORMAL : c.NORMAL + 3]
    return [
        max(normal @ (relative_velocity(a, b, *arms_now(point, a, b)) - relative_velocity(a, b, *arms(point))), 0.0)
        for point in points
    ]


def turned_inertia(side):
    axes = np.array([turned(side.turn, axis) for axis in np.eye(3)]).T
    return axes @ side.inertia @ axes.T


def twin_warm_start(fields, points, a, b):
    normal, tangent, bitangent = frame(fields)
    for point in points:
        push(a, b, *arms(point), normal * point[c.POINT_IMPULSE])
    friction = tangent * fields[c.FRICTION_IMPULSE] + bitangent * fields[c.FRICTION_IMPULSE + 1]
    push(a, b, *centre(fields), friction)
    spin(a, b, normal * fields[c.TWIST_IMPULSE])


def separation_of(fields, point, a, b) -> float:
    arm_a, arm_b = arms(point)
    gap = b.moved - a.moved + turned(b.turn, arm_b) - turned(a.turn, arm_a)
    return point[c.POINT_SEPARATION] + fields[c.NORMAL : c.NORMAL + 3] @ gap + fields[c.ALLOWED_OVERLAP]


def sweep_normals(fields, points, gaps, more, left, a, b):
    """Each point once, after the others, without bias. `left`: points that will bounce in the next sub-step."""
    normal = fields[c.NORMAL : c.NORMAL + 3]
    for point, separation, faster, is_left in zip(points, gaps, more, left, strict=True):
        if is_left:
            continue
        speed = normal @ relative_velocity(a, b, *arms(point)) + faster + max(separation, 0.0) * SUBSTEPS / STEP
        old = point[c.POINT_IMPULSE]
        new = max(old - point[c.POINT_MASS] * speed, 0.0)
        point[c.POINT_IMPULSE] = new
        push(a, b, *arms(point), normal * (new - old))


def bounces_from(fields) -> float:
    bounce = fields[c.RESTITUTION]
    return -THRESHOLD * max(1.0 - bounce, LEAST_PART) if bounce > 0.0 else -np.inf


def twin_bounce(fields, points, a, b, reach: float):
    """Collisions of the points that meet within `reach` [s], each at its moment. Nothing is accelerated."""
    normal, bounce = fields[c.NORMAL : c.NORMAL + 3], fields[c.RESTITUTION]
    meeting = []
    for point in points:
        separation, speed = separation_of(fields, point, a, b), normal @ relative_velocity(a, b, *arms_now(point, a, b))
        if speed < bounces_from(fields) and separation + speed * reach <= 0.0:
            meeting.append((point, speed, max(-separation / speed, -STEP)))
    if not meeting:
        return
    old_a, old_b, inertias = a.v.copy(), b.v.copy(), (a.inertia, b.inertia)
    a.inertia, b.inertia = turned_inertia(a), turned_inertia(b)
    places = [arms_now(point, a, b) for point, _, _ in meeting]

    def answer(first, second) -> float:
        """How fast a unit impulse at one pair of arms parts the bodies at another."""
        by_turning = sum(np.cross(r, normal) @ side.inertia @ np.cross(q, normal)
                         for side, r, q in zip((a, b), first, second, strict=True))  # fmt: skip
        return normal @ ((a.mass + b.mass) * normal) + by_turning

    # They begin with equal impulses, whose mean is right, and are settled one after the other.
    by_all = sum(answer(first, second) for first in places for second in places)
    equal = max(sum(-(1.0 + bounce) * speed for _, speed, _ in meeting) / by_all, 0.0)
    impulses = [equal] * len(meeting)
    for place in places:
        push(a, b, *place, normal * equal)
    for _ in range(BOUNCE_SWEEPS):
        for k, (_, speed, _) in enumerate(meeting):
            wanted = -bounce * speed - normal @ relative_velocity(a, b, *places[k])
            new = max(impulses[k] + wanted / answer(places[k], places[k]), 0.0)
            push(a, b, *places[k], normal * (new - impulses[k]))
            impulses[k] = new
    a.inertia, b.inertia = inertias
    for impulse, (point, _, _) in zip(impulses, meeting, strict=True):
        point[c.POINT_TOTAL_IMPULSE] += impulse
        fields[c.BOUNCED] += impulse
        fields[c.BOUNCED + 1] += impulse * point[c.POINT_LEVER]
    if sum(impulses) > 0.0:
        moment = sum(i * m[2] for i, m in zip(impulses, meeting, strict=True)) / sum(impulses)
        for side, old in ((a, old_a), (b, old_b)):
            side.moved += moment * (old - side.v) * (side.row > 0)


def twin_bounce_contacts(fields, points, a, b):
    if fields[c.RESTITUTION] > 0.0:
        twin_bounce(fields, points, a, b, STEP / SUBSTEPS)


def twin_solve(fields, points, a, b):
    gaps = [separation_of(fields, point, a, b) for point in points]
    more = more_speed(fields, points, a, b)
    share = 1.0 / max(1.0, a.deep, b.deep)
    olds = [point[c.POINT_IMPULSE] for point in points]
    normal = fields[c.NORMAL : c.NORMAL + 3]
    for _ in range(SWEEPS):
        for point, separation, faster, old in zip(points, gaps, more, olds, strict=True):
            bias, softness = separation * SUBSTEPS / STEP, 1.0
            if separation <= 0.0:
                bias = max(separation * fields[c.BIAS_RATE], -c.DEEP_PART * PUSH_OUT * share)
                most = c.DEEP_PART * PUSH_OUT * share
                part = most / max(-separation * fields[c.BIAS_RATE], most)
                softness = 1.0 - (1.0 - fields[c.SOFTNESS]) * part
            now = point[c.POINT_IMPULSE]
            # As soft as of the impulse of before the pass and the speed that the others' changes leave.
            speed = normal @ relative_velocity(a, b, *arms(point)) + faster - (now - old) / point[c.POINT_MASS]
            new = max(softness * (old - point[c.POINT_MASS] * (speed + bias)), 0.0)
            point[c.POINT_IMPULSE] = new
            push(a, b, *arms(point), normal * (new - now))
    lowest = min([0.0, *gaps])
    speed = min(-lowest * fields[c.BIAS_RATE], PUSH_OUT) - max(c.DEEP_PART * PUSH_OUT, normal @ (b.v - a.v))
    if speed > 0.0:
        mass = normal @ (a.mass * normal) + normal @ (b.mass * normal)
        way = speed * share * STEP / SUBSTEPS / max(mass, 1e-20)
        for side in (a, b):
            side.moved += side.sign * side.mass * normal * way * (side.row > 0)


def twin_bounce_late(fields, points, a, b):
    if fields[c.RESTITUTION] > 0.0:
        twin_bounce(fields, points, a, b, 0.0)


def twin_relax(fields, points, a, b):
    normal = fields[c.NORMAL : c.NORMAL + 3]
    gaps = [separation_of(fields, point, a, b) for point in points]
    more = more_speed(fields, points, a, b)
    speeds = [normal @ relative_velocity(a, b, *arms(point)) + faster for point, faster in zip(points, more, strict=True)]
    left = [gap > 0.0 and speed < bounces_from(fields) for gap, speed in zip(gaps, speeds, strict=True)]
    straight = aim_along_arcs(fields, a, b)
    to_there = to_pressure(fields, points)
    start = np.linalg.solve(to_there.T, fields[c.FRICTION_IMPULSE : c.FRICTION_IMPULSE + 3])
    for _ in range(MOST_SLIDING_SWEEPS):
        sweep_sliding(fields, points, a, b, to_there, start)
        sweep_normals(fields, points, gaps, more, left, a, b)
    fields[c.TANGENT_VELOCITY : c.TANGENT_VELOCITY + 2] = straight
    fields[c.TOTAL_FRICTION : c.TOTAL_FRICTION + 3] += fields[c.FRICTION_IMPULSE : c.FRICTION_IMPULSE + 3]
    total, kept = fields[c.BOUNCED], 0.0
    for point in points:
        total += point[c.POINT_IMPULSE]
        point[c.POINT_TOTAL_IMPULSE] += point[c.POINT_IMPULSE]
        kept += point[c.POINT_IMPULSE]
    fields[c.FRICTION_IMPULSE : c.FRICTION_IMPULSE + 3] *= kept / total if total > 0.0 else 0.0
    fields[c.BOUNCED : c.BOUNCED + 2] = 0.0


COUPLINGS = range(c.COUPLING, c.BOUNCED)
"""Fields that the twin has no use for: it asks the bodies."""


def assert_same(blocks: Blocks, twin: Twin, rough: float = 2e-4) -> None:
    """`rough`: how far they may be apart. Points and friction are settled until they agree, not to the last digit."""
    np.testing.assert_allclose(blocks.rows, twin.rows, rtol=rough, atol=rough)
    used = blocks.counts > 0
    real = np.moveaxis(blocks.blocks, 1, 2)[used]
    wanted = np.moveaxis(twin.blocks, 1, 2)[used]
    if twin.turns:  # a point that does not exist has a mass, and no impulse: it is too far away
        missing = np.arange(4) >= blocks.counts[used][:, None]
        masses = c.POINTS + c.POINT_MASS + c.POINT_FIELDS * np.arange(4)
        real, wanted = real.copy(), wanted.copy()
        real[:, masses] *= ~missing
    whole = (c.ROW_A, c.ROW_B, c.MANIFOLD_INDEX, c.POINT_COUNT, c.IS_ELASTIC)
    floats = [k for k in range(c.BLOCK_FIELDS) if k not in whole and not (twin.turns and k in COUPLINGS)]
    np.testing.assert_allclose(real[:, floats], wanted[:, floats], rtol=rough, atol=rough)
    np.testing.assert_array_equal(blocks.whole[:, : c.MASS_A], twin.whole[:, : c.MASS_A])


def bounce_contacts(address, begin, end, worker):
    """Bounces block by block, each after those of the block before."""
    for block in range(begin, end):
        find_bounces(address, block, block + 1, worker)
        give_bounces(address, block, block + 1, worker)


STAGES = {
    "bounce_contacts": (bounce_contacts, twin_bounce_contacts), "warm_start": (warm_start, twin_warm_start),
    "solve": (solve, twin_solve), "bounce_late": (bounce_late, twin_bounce_late), "relax": (relax, twin_relax),
}  # fmt: skip


@pytest.mark.parametrize("uneven", [False, True])
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("stage", STAGES)
def test_one_stage(stage, seed, uneven):
    """Uneven bodies, which have all rotated, are pushed at their arms and with their inertia of now."""
    blocks = Blocks(seed, uneven=uneven)
    twin = Twin(blocks, turns=uneven)
    before = blocks.rows.copy()
    job, action = STAGES[stage]
    job(blocks.address, 0, BLOCKS, 0)
    twin.run(action)
    assert_same(
        blocks, twin, 2e-2 if stage == "relax" else 2e-3 if stage in ("solve", "bounce_contacts", "bounce_late") else 2e-4
    )
    assert np.abs(blocks.rows - before).max() > 0.1
    np.testing.assert_array_equal(blocks.rows[0], before[0])
    np.testing.assert_array_equal(blocks.rows[:, 6:8], before[:, 6:8])
    np.testing.assert_array_equal(blocks.rows[:, 11:], before[:, 11:])


@pytest.mark.parametrize("seed", range(4))
def test_a_whole_substep(seed):
    blocks = Blocks(100 + seed)
    twin = Twin(blocks)
    for job, action in STAGES.values():
        job(blocks.address, 0, BLOCKS, 0)
        twin.run(action)
    assert_same(blocks, twin, 3e-2)


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
    """Blocks that say they have restitution, but whose lanes have none, do what blocks without do."""
    told, plain = Blocks(9, restitution=False), Blocks(9, restitution=False)
    plain.whole[:, c.IS_ELASTIC] = 0
    for job, _ in STAGES.values():
        job(told.address, 0, BLOCKS, 0)
        job(plain.address, 0, BLOCKS, 0)
    plain.whole[:, c.IS_ELASTIC] = told.whole[:, c.IS_ELASTIC]
    np.testing.assert_array_equal(told.rows, plain.rows)
    np.testing.assert_array_equal(told.blocks, plain.blocks)


def speeds_off(blocks: Blocks, last: int) -> list[tuple[float, float, float]]:
    """(How much faster than it shall each bouncing point of the blocks before `last` parts, its impulse, the change it asked)."""
    found = []
    for block, lane in np.argwhere(blocks.counts[:last] > 0):
        fields, (a, b) = blocks.blocks[block, :, lane].astype(float), (SimpleNamespace(), SimpleNamespace())
        for side, row in ((a, c.ROW_A), (b, c.ROW_B)):
            values = blocks.rows[blocks.whole[block, row, lane]].astype(float)
            side.v, side.w, side.turn = values[0:3], values[3:6], values[11:15]
        asked, impulses = blocks.bounce(block, lane, c.BOUNCE_ASKED), blocks.bounce(block, lane, c.BOUNCE_IMPULSE)
        for p in np.flatnonzero(asked > 0.0):
            point = fields[c.POINTS + p * c.POINT_FIELDS :][: c.POINT_FIELDS]
            speed = fields[c.NORMAL : c.NORMAL + 3] @ relative_velocity(a, b, *arms_now(point, a, b))
            found.append((speed - blocks.bounce(block, lane, c.BOUNCE_AWAY)[p], impulses[p], asked[p]))
    return found


def test_what_joints_take_of_a_bounce_is_given_back():
    """After joints have slowed the bodies, each point that bounced parts as fast again as it was to, or faster."""
    blocks = Blocks(11)
    blocks.whole[:, c.IS_ELASTIC] = c.JOINED
    bounce_contacts(blocks.address, 0, 1, 0)
    blocks.rows[1:, :6] *= 0.9
    assert min(off for off, _, _ in speeds_off(blocks, 1)) < -0.01
    give_bounces(blocks.address, 0, 1, 0)
    assert min(off for off, _, _ in speeds_off(blocks, 1)) > -0.01


@pytest.mark.parametrize("seed", range(4))
def test_bounces_of_a_generation_agree(seed):
    """Whatever the order of the blocks, which share bodies: a point parts as fast as it shall, or faster without an impulse."""
    ends = []
    for order in (range(BLOCKS), reversed(range(BLOCKS))):
        blocks, order = Blocks(20 + seed), list(order)
        find_bounces(blocks.address, 0, BLOCKS, 0)
        for _ in range(200):
            for block in order:
                give_bounces(blocks.address, block, block + 1, 0)
        found = speeds_off(blocks, BLOCKS)
        assert len(found) > 10
        for off, impulse, asked in found:
            assert off > -2e-3 * asked and impulse >= 0.0
            assert impulse == 0.0 or off < 2e-3 * asked
        ends.append(blocks.rows.copy())
    np.testing.assert_allclose(*ends, atol=5e-3)


def test_bounces_that_are_taken_back_leave_nothing():
    """Bodies move as before, and no impulse is left."""
    blocks = Blocks(13)
    before, totals = blocks.rows.copy(), blocks.blocks.copy()
    find_bounces(blocks.address, 0, BLOCKS, 0)
    give_bounces(blocks.address, 0, BLOCKS, 0)
    assert np.abs(blocks.rows - before).max() > 0.1
    take_bounces_back(blocks.address, 0, BLOCKS, 0)
    np.testing.assert_allclose(blocks.rows, before, atol=1e-5)
    np.testing.assert_allclose(blocks.blocks[:, c.MASS_A :], totals[:, c.MASS_A :], atol=1e-5)


def test_impulses_change_no_momentum():
    """A gets the momentum that B loses: with one mass a body the sum of momenta stays, whatever the anchors are."""
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
    """The preparation writes the same blocks, for valid points, as these tests make with NumPy."""
    blocks = Blocks(11)
    before = blocks.blocks.copy()
    for block in range(BLOCKS):
        couple(blocks.block_pool.address + block * c.BLOCK_SIZE, int(blocks.counts[block].max()))
    for block, lane in np.argwhere(blocks.counts > 0):
        for p in range(blocks.counts[block, lane]):
            at = c.POINTS + p * c.POINT_FIELDS + c.POINT_MASS
            assert blocks.blocks[block, at, lane] == pytest.approx(before[block, at, lane], rel=1e-4)
            for at in (c.SLIDE_COUPLING + p, c.SLIDE_COUPLING + 4 + p):
                assert blocks.blocks[block, at, lane] == pytest.approx(before[block, at, lane], rel=1e-4, abs=1e-5)
            for q in range(p):
                at = c.COUPLING + COUPLED.index((q, p))
                assert blocks.blocks[block, at, lane] == pytest.approx(before[block, at, lane], rel=1e-4, abs=1e-5)
