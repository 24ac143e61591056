"""Dropping spent impulses against a twin that does one lane after the other."""

import numpy as np
import pytest
from friction_twin import arms, relative_velocity
from random_blocks import BLOCKS, Blocks
from test_wide_contacts import Twin

from scree.constraints import schema as c
from scree.solver.spent_impulses import IMMOVABLE, LEAST_CLOSING, drop_spent_impulses

CLOSE = {"rtol": 2e-4, "atol": 2e-4}


class SpentTwin(Twin):
    """A twin whose rows keep the field SPENT too."""

    def drop(self, is_first: bool) -> None:
        for block in range(BLOCKS - 1):
            for lane in range(8):
                count = self.counts[block, lane]
                if count:
                    self._drop(self.blocks[block, :, lane], self.whole[block, :, lane], count, is_first)

    def _drop(self, fields, whole, count: int, is_first: bool) -> None:
        rows = [self.rows[whole[side]] for side in (c.ROW_A, c.ROW_B)]
        mobilities = [fields[first : first + 3].sum() for first in (c.MASS_A, c.MASS_B)]
        spent = [row[c.SPENT] for row in rows]  # as it was before this contact
        is_foot = max(mobilities) > IMMOVABLE * min(mobilities)
        if is_first and is_foot:
            self._raise(rows, mobilities, (c.ON_FOOT, c.ON_FOOT))
        met = fields[c.IMPACT]
        goes_on = met == c.IMPACT_GOES_ON
        is_impact = met > 0.0 and (is_foot or goes_on or max(spent) > 0.0)
        carried_on = 1.0 - max(max(spent) - c.ON_FOOT, 0.0) if is_foot else 1.0
        if not is_impact and carried_on == 1.0:
            return
        if is_impact and met >= c.IMPACT_BEGINS:
            fields[c.IMPACT] = c.IMPACT_LASTS
        if is_first:
            is_impact = goes_on
        part = self._keep(fields, whole, count, is_first, is_impact, carried_on, min(m for m in mobilities if m > 0.0) / 3.0)
        self._raise(rows, mobilities, [c.ON_FOOT + 1.0 - part if goes_on or was > 0.0 else 0.0 for was in spent])

    def _keep(self, fields, whole, count, is_first, is_impact, carried_on, least_mobility) -> float:
        points = [fields[c.POINTS + p * c.POINT_FIELDS :][: c.POINT_FIELDS] for p in range(count)]
        total = sum(point[c.POINT_IMPULSE] for point in points)
        kept = 0.0
        for point in points:
            now, before = self._closing(fields, whole, point), point[c.POINT_CLOSING]
            stopped = 1.0 if now > LEAST_CLOSING else carried_on
            if is_impact and is_first:
                part = np.clip(now / least_mobility / max(total, 1e-6), 0.0, 1.0)
            elif is_impact and before > LEAST_CLOSING:
                part = np.clip(now / max(before - now, 1e-6), 0.0, 1.0)
            else:
                part = stopped
            point[c.POINT_CLOSING] = now
            point[c.POINT_IMPULSE] *= part
            kept += point[c.POINT_IMPULSE]
        part = kept / total if total > 0.0 else 1.0
        fields[c.FRICTION_IMPULSE : c.FRICTION_IMPULSE + 3] *= part
        return part

    def _closing(self, fields, whole, point) -> float:
        bodies = [self.rows[whole[side]] for side in (c.ROW_A, c.ROW_B)]
        speeds = [row[:3] + np.cross(row[3:6], arm) for row, arm in zip(bodies, arms(point), strict=True)]
        return -fields[c.NORMAL : c.NORMAL + 3] @ (speeds[1] - speeds[0])

    @staticmethod
    def _raise(rows, mobilities, values) -> None:
        for row, mobility, value in zip(rows, mobilities, values, strict=True):
            if mobility > 0.0:
                row[c.SPENT] = max(row[c.SPENT], value)


@pytest.mark.parametrize("substep", range(2))
@pytest.mark.parametrize("seed", range(12))
def test_the_job_does_what_the_twin_does(seed, substep):
    blocks, random = Blocks(seed), np.random.default_rng(1000 + seed)
    blocks.system[0]["step"]["substep"] = substep
    blocks.whole[:-1, c.HAS_IMPACT] = 1  # the last block is left alone
    blocks.rows[1:, c.SPENT] = random.choice([0.0, c.ON_FOOT, c.ON_FOOT + 0.4, c.ON_FOOT + 1.0], len(blocks.rows) - 1)
    for p in range(4):
        blocks.blocks[:, c.POINTS + p * c.POINT_FIELDS + c.POINT_CLOSING] = random.uniform(-1.0, 4.0, (BLOCKS, 8))
    twin = SpentTwin(blocks)
    before = blocks.blocks.copy()
    drop_spent_impulses(blocks.address, 0, BLOCKS, 0)
    twin.drop(substep == 0)
    used = blocks.counts > 0
    np.testing.assert_allclose(blocks.rows, twin.rows, **CLOSE)
    fields = [c.IMPACT, *range(c.FRICTION_IMPULSE, c.FRICTION_IMPULSE + 3)]
    fields += [c.POINTS + p * c.POINT_FIELDS + c.POINT_IMPULSE for p in range(4)]
    for field in fields:
        np.testing.assert_allclose(blocks.blocks[:, field][used], twin.blocks[:, field][used], **CLOSE)
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
