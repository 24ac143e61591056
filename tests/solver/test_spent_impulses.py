"""Dropping spent impulses against a twin that does one lane after the other."""

import numpy as np
import pytest
from friction_twin import arms, relative_velocity
from random_blocks import BLOCKS, Blocks
from test_wide_contacts import Twin

from scree.constraints import schema as c
from scree.solver.spent_impulses import EVEN_SHARE, IMMOVABLE, LEAST_CLOSING, UNEVEN_MASSES, drop_spent_impulses

CLOSE = {"rtol": 2e-4, "atol": 2e-4}


class SpentTwin(Twin):
    """A twin whose rows keep the field SPENT too."""

    def drop(self, substep: int) -> None:
        for block in range(BLOCKS - 1):
            for lane in range(8):
                count = self.counts[block, lane]
                if count:
                    self._drop(self.blocks[block, :, lane], self.whole[block, :, lane], count, substep)

    def _drop(self, fields, whole, count: int, substep: int) -> None:
        rows = [self.rows[whole[side]] for side in (c.ROW_A, c.ROW_B)]
        mobilities = [fields[first : first + 3].sum() for first in (c.MASS_A, c.MASS_B)]
        ratio = max(mobilities) / min(mobilities) if min(mobilities) > 0.0 else np.inf
        spent = [row[c.SPENT] for row in rows]  # as it was before this contact
        on_foot = [value >= c.ON_FOOT for value in spent]
        if substep == 0 and ratio > IMMOVABLE:
            self._raise(rows, mobilities, (c.ON_FOOT, c.ON_FOOT))
        is_foot = ratio > IMMOVABLE
        drops = max(value - c.ON_FOOT * stands for value, stands in zip(spent, on_foot, strict=True))
        met = fields[c.IMPACT]
        goes_on = met == c.IMPACT_GOES_ON
        if met >= c.IMPACT_BEGINS:
            fields[c.IMPACT] = c.IMPACT_LASTS
        if substep == 0:
            heaviest = 3.0 / min(m for m in mobilities if m > 0.0)
            dropped = self._keep_first(fields, whole, count, met > 0.0, goes_on, 1.0 - drops, heaviest)
        else:
            is_measured = substep > 1 or ratio > UNEVEN_MASSES or goes_on or any(on_foot)
            dropped = self._keep(fields, whole, count, met > 0.0, is_measured, 1.0 - drops, is_foot)
        share = min(EVEN_SHARE * ratio, 1.0) if substep > 1 or goes_on else 0.0
        told = [
            c.ON_FOOT + dropped if stands or goes_on else dropped * share * (met > 0.0 or was > 0.0)
            for was, stands in zip(spent, on_foot, strict=True)
        ]
        self._raise(rows, mobilities, told)

    @staticmethod
    def _dropped(fields, points, parts, of_none: float = 1.0) -> float:
        """Multiply the impulses of points by their parts, and friction as they were, by `of_none` if there are none. Return the
        part that was dropped."""
        before = sum(point[c.POINT_IMPULSE] for point in points)
        for point, part in zip(points, parts, strict=True):
            point[c.POINT_IMPULSE] *= part
        part = sum(point[c.POINT_IMPULSE] for point in points) / before if before > 0.0 else of_none
        fields[c.FRICTION_IMPULSE : c.FRICTION_IMPULSE + 3] *= part
        return 1.0 - part

    def _keep_first(self, fields, whole, count, is_impact, goes_on, carried_on, heaviest) -> float:
        points = [fields[c.POINTS + p * c.POINT_FIELDS :][: c.POINT_FIELDS] for p in range(count)]
        total, parts = sum(point[c.POINT_IMPULSE] for point in points), []
        for point in points:
            now = self._closing(fields, whole, point)
            point[c.POINT_CLOSING] = now if is_impact else point[c.POINT_IMPULSE]
            stopped = 1.0 if now > LEAST_CLOSING else carried_on
            parts.append(np.clip(now * heaviest / max(total, 1e-6), 0.0, 1.0) if goes_on else stopped)
        return self._dropped(fields, points, parts, 0.0 if goes_on else 1.0)

    def _keep(self, fields, whole, count, is_impact, is_measured, carried_on, is_foot) -> float:
        points = [fields[c.POINTS + p * c.POINT_FIELDS :][: c.POINT_FIELDS] for p in range(count)]
        parts = []
        for point in points:
            now, before = self._closing(fields, whole, point), point[c.POINT_CLOSING]
            stopped = 1.0 if now > LEAST_CLOSING else carried_on
            if is_impact:
                point[c.POINT_CLOSING] = now
                closed = is_measured and before > LEAST_CLOSING
                parts.append(np.clip(now / max(before - now, 1e-6), 0.0, 1.0) if closed else stopped)
            else:
                bore = 0.0 if is_foot or carried_on < 1.0 - EVEN_SHARE else min(point[c.POINT_IMPULSE], before)
                parts.append(max(stopped, bore / max(point[c.POINT_IMPULSE], 1e-20)))
        return self._dropped(fields, points, parts)

    def _closing(self, fields, whole, point) -> float:
        bodies = [self.rows[whole[side]] for side in (c.ROW_A, c.ROW_B)]
        speeds = [row[:3] + np.cross(row[3:6], arm) for row, arm in zip(bodies, arms(point), strict=True)]
        return -fields[c.NORMAL : c.NORMAL + 3] @ (speeds[1] - speeds[0])

    @staticmethod
    def _raise(rows, mobilities, values) -> None:
        for row, mobility, value in zip(rows, mobilities, values, strict=True):
            if mobility > 0.0:
                row[c.SPENT] = max(row[c.SPENT], value)


@pytest.mark.parametrize("substep", range(3))
@pytest.mark.parametrize("seed", range(12))
def test_the_job_does_what_the_twin_does(seed, substep):
    blocks, random = Blocks(seed), np.random.default_rng(1000 + seed)
    blocks.system[0]["step"]["substep"] = substep
    blocks.whole[:-1, c.HAS_IMPACT] = 1  # the last block is left alone
    blocks.rows[1:, c.SPENT] = random.choice([0.0, 0.3, c.ON_FOOT, c.ON_FOOT + 0.4, c.ON_FOOT + 1.0], len(blocks.rows) - 1)
    for p in range(4):
        blocks.blocks[:, c.POINTS + p * c.POINT_FIELDS + c.POINT_CLOSING] = random.uniform(-1.0, 4.0, (BLOCKS, 8))
        blocks.blocks[:, c.POINTS + p * c.POINT_FIELDS + c.POINT_IMPULSE, ::3] = 0.0  # points that are new
    twin = SpentTwin(blocks)
    before = blocks.blocks.copy()
    drop_spent_impulses(blocks.address, 0, BLOCKS, 0)
    twin.drop(substep)
    used = blocks.counts > 0
    np.testing.assert_allclose(blocks.rows, twin.rows, **CLOSE)
    fields = [c.IMPACT, *range(c.FRICTION_IMPULSE, c.FRICTION_IMPULSE + 3)]
    pairs = [(field, used) for field in fields]
    for p in range(4):
        names = (c.POINT_IMPULSE, c.POINT_CLOSING)
        pairs += [(c.POINTS + p * c.POINT_FIELDS + name, blocks.counts > p) for name in names]
    for field, lanes in pairs:
        np.testing.assert_allclose(blocks.blocks[:, field][lanes], twin.blocks[:, field][lanes], **CLOSE)
    assert np.nanmax(np.abs(blocks.blocks - before)) > 0.1
    np.testing.assert_array_equal(blocks.rows[0, c.SPENT], 0.0)


def test_relative_velocity_and_closing_are_the_same_thing():
    """The twin's formula for closing speeds agrees with that of the other twins."""
    blocks = Blocks(1)
    twin = SpentTwin(blocks)
    seen = []

    def note(fields, points, a, b):
        normal = fields[c.NORMAL : c.NORMAL + 3]
        seen.extend(normal @ relative_velocity(a, b, *arms(point)) for point in points)

    twin.run(note)
    closing = [
        twin._closing(
            twin.blocks[block, :, lane], twin.whole[block, :, lane], twin.blocks[block, c.POINTS + p * c.POINT_FIELDS :, lane]
        )
        for block in range(BLOCKS) for lane in range(8) for p in range(twin.counts[block, lane])
    ]  # fmt: skip
    np.testing.assert_allclose(closing, -np.array(seen), rtol=1e-9, atol=1e-9)
