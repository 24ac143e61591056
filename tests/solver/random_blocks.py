"""Blocks of random contacts, made by hand, for the tests of the wide contact solver."""

import numpy as np

from scree.bodies.system_schema import SYSTEM
from scree.constraints import schema as c
from scree.runtime.memory import Pool, address_of

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


def speed_along(first, second, masses, inertias, arms, others):
    """How fast an impulse of 1 N s along `second` at `others` parts the two bodies along `first` at `arms`."""
    return sum(first @ (m * second) + np.cross(r, first) @ i @ np.cross(s, second)
               for m, i, r, s in zip(masses, inertias, arms, others, strict=True))  # fmt: skip


def speed_by(normal, masses, inertias, arms, others):
    """How fast an impulse of 1 N s along the normal at `others` parts the two bodies at `arms`."""
    return speed_along(normal, normal, masses, inertias, arms, others)


class Blocks:
    """A system by hand: solver rows and blocks of random contacts. `counts`: points of each lane, 0 for an empty one;
    some lanes are one-sided or static. Lanes of a block share no moving body. `uneven`: of all bodies."""

    def __init__(self, seed: int, restitution: bool = True, uneven: bool = False):
        self.random = np.random.default_rng(seed)
        self.rows_pool = Pool("rows", np.float32, (BODIES + 1) * c.ROW_FLOATS)
        self.forces_pool = Pool("forces", np.float32, (BODIES + 1) * c.FORCE_FLOATS)  # none
        self.block_pool = Pool("blocks", np.float32, BLOCKS * c.BLOCK_FIELDS * 8)
        self.bounce_pool = Pool("bounces", np.float32, BLOCKS * c.BOUNCES_SIZE // 4)
        self.bounces = self.bounce_pool.rows.reshape(BLOCKS, c.BOUNCES_SIZE // 4)
        self.rows = self.rows_pool.rows.reshape(BODIES + 1, c.ROW_FLOATS)
        self.blocks = self.block_pool.rows.reshape(BLOCKS, c.BLOCK_FIELDS, 8)
        self.whole = self.blocks.view(np.int32)
        self.counts = np.zeros((BLOCKS, 8), dtype=int)
        self.system = np.zeros(1, dtype=SYSTEM)
        record = self.system[0]
        record["solver"]["rows"], record["constraints"]["blocks"] = self.rows_pool.address, self.block_pool.address
        record["solver"]["forces"], record["constraints"]["bounces"] = self.forces_pool.address, self.bounce_pool.address
        record["settings"]["substep_count"], record["step"]["last_delta_time"] = SUBSTEPS, STEP
        record["settings"]["push_out_speed"], record["settings"]["restitution_threshold"] = PUSH_OUT, THRESHOLD
        self._fill_rows(uneven)
        for block in range(BLOCKS):
            self._fill_block(block, restitution)

    def _fill_rows(self, uneven: bool) -> None:
        draw = self.random
        self.rows[1:, 0:6] = draw.uniform(-2, 2, (BODIES, 6))
        self.rows[1:, c.DEEP_CONTACTS] = draw.integers(0, 4, BODIES)
        self.rows[1:, c.UNEVEN] = 1.0 if uneven else 0.0
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
            self.whole[block, c.IS_ELASTIC] = 1
            met = self.random.choice([0.0, c.IMPACT_GOES_ON, c.IMPACT_BEGINS, c.IMPACT_LASTS])
            self.put(block, c.IMPACT, lane, [met])
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
        centres = draw.uniform(-1, 1, (2, 3))
        put(block, c.ANCHOR_A, lane, centres[0])
        put(block, c.ANCHOR_B, lane, centres[1])
        put(block, c.ROUND_A, lane, draw.uniform(0, 0.5, 2) * (1.0, -1.0))
        tangents = tangent, np.cross(normal, tangent)
        slide = np.array([[speed_along(s, t, masses, inertias, centres, centres) for t in tangents] for s in tangents])
        put(block, c.TANGENT_MASS, lane, np.linalg.inv(slide)[[0, 1, 0], [0, 1, 1]])
        put(block, c.TWIST_MASS, lane, [1.0 / (normal @ (inertias[0] + inertias[1]) @ normal)])
        put(block, c.FRICTION_IMPULSE, lane, draw.uniform(-0.3, 0.3, 2))
        put(block, c.ALLOWED_OVERLAP, lane, [draw.choice([0.0, 0.02])])
        put(block, c.SPREAD, lane, [draw.choice([2.0 / 3.0, 1.0])])
        put(block, c.TWIST_IMPULSE, lane, [draw.uniform(-0.3, 0.3)])
        put(block, c.TANGENT_VELOCITY, lane, draw.uniform(-1, 1, 2))
        put(block, c.TWIST_VELOCITY, lane, draw.uniform(-1, 1, 1))
        put(block, c.TABLE_SPIN, lane, [draw.choice([0.0, 2.0])])
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
            for number, t in enumerate(tangents):
                put(block, c.SLIDE_COUPLING + 4 * number + p, lane, [speed_along(t, normal, masses, inertias, centres, arms)])
            put(block, at + c.POINT_ANCHOR_A, lane, arms[0])
            put(block, at + c.POINT_ANCHOR_B, lane, arms[1])
            gap = normal @ (arms[1] - arms[0])
            put(block, at + c.POINT_SEPARATION, lane, [draw.uniform(-0.1, 0.1) - gap])
            put(block, at + c.POINT_MASS, lane, [1.0 / k if k > 0 else 0.0])
            put(block, at + c.POINT_IMPULSE, lane, [draw.uniform(0, 1) * draw.integers(2)])
            put(block, at + c.POINT_TOTAL_IMPULSE, lane, [draw.uniform(0, 1) * draw.integers(2)])
            put(block, at + c.POINT_RELATIVE_VELOCITY, lane, [draw.uniform(-4, 1)])
            put(block, at + c.POINT_LEVER, lane, [draw.uniform(0.01, 1)])

    def bounce(self, block: int, lane: int, field: int) -> np.ndarray:
        """A field of the bounces of the four points of a lane."""
        points = self.bounces[block, c.BOUNCE_POINTS // 4 :].reshape(4, c.BOUNCE_POINT_SIZE // c.FIELD_SIZE, 8)
        return points[:, field, lane]

    def put(self, block: int, field: int, lane: int, values) -> None:
        self.blocks[block, field : field + len(values), lane] = values

    @property
    def address(self) -> int:
        return address_of(self.system)
