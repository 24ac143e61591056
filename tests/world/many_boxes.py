"""The world of the issue: many static boxes (half extents 0.5 to 2.5 m, random yaw) on a square, and rays through it."""

import numpy as np
from small_world import SmallWorld

from scree.bodies.identity import make_id
from scree.bodies.schema import KIND_BODY, STATIC
from scree.broad_phase.add import tree_prepare
from scree.broad_phase.tree_edits import tree_finalize
from scree.broad_phase.rebuild import tree_renew
from scree.core.world import World

SIDE = 1500.0  # [m]
SIZES = 1000
"""So many different boxes."""


class BoxesWorld(SmallWorld):
    """A system with `count` static boxes, `ground` under them (one more box), and room for `others`. The rows are filled by
    NumPy."""

    def __init__(self, count: int, seed: int = 1, side: float = SIDE, others: int = 8192, threads: int = 1, ground: bool = False):
        capacity = count + SIZES + others
        self.world = World(threads=threads, bodies=capacity, body_shapes=2 * capacity, shapes=SIZES + 64)
        self.system = self.world.create_system(gravity=(0.0, -10.0, 0.0))
        self.row = self.world.system(self.system).row
        self.generator = np.random.default_rng(seed)
        half = self.generator.uniform(0.5, 2.5, (SIZES, 3))
        models = [self.world.body.index("", self.add(self.box(*h), mode=STATIC)) for h in half]
        for index in models:
            self.world.body.set_system(int(self.world.bodies.rows["id"][index]), 0)
        if count:
            self._fill(count, np.array(models), half, side)
        if ground:
            self.add(self.box(side / 2, 1.0, side / 2), (0.0, -1.0, 0.0), mode=STATIC)

    def _fill(self, count, models, half, side):
        bodies, instances = self.world.bodies, self.world.instances
        which = self.generator.integers(0, len(models), count)
        first = bodies.count
        ids = np.arange(first, first + count)
        bodies.rows[ids] = bodies.rows[models[which]]
        rows = bodies.rows[first : first + count]
        bodies.count += count
        self.world.record["body_count"] = bodies.count
        rows["id"] = [make_id(KIND_BODY, int(index), 1) for index in ids]
        angle = self.generator.uniform(0, 2 * np.pi, count)
        place = self.generator.uniform([-side / 2, 0, -side / 2], [side / 2, 0, side / 2], (count, 3))
        place[:, 1] = half[which, 1]  # they stand on the ground
        rows["position"] = place
        rows["rotation"] = np.stack([0 * angle, np.sin(angle / 2), 0 * angle, np.cos(angle / 2)], 1)
        runs = instances._used + np.arange(count)
        instances._used += count
        instances.rows[runs] = instances.rows[rows["first_instance"]]
        instances.rows["body"][runs] = ids
        rows["first_instance"] = runs
        np.add.at(self.world.shapes.rows["use_count"], instances.rows["shape"][runs], 1)
        for index, shape in zip(ids.tolist(), instances.rows["user_shape"][runs].tolist(), strict=True):
            self.world.shape_users.add(shape, index)
        cosine, sine = np.abs(np.cos(angle)), np.abs(np.sin(angle))
        h = half[which]
        reach = np.stack([cosine * h[:, 0] + sine * h[:, 2], h[:, 1], sine * h[:, 0] + cosine * h[:, 2]], 1) + 1e-3
        rows["bounds"] = rows["fat_bounds"] = np.concatenate([place - reach, place + reach], 1)
        rows["system"] = int(self.row["index"])
        rows["broad_phase_layer"] = 1
        self.boxes = ids.astype(np.int32)
        self.tree = int(self.row["trees"]["rows"]) + 2048
        root = tree_prepare(self.tree, bodies.pool.address, self.boxes.ctypes.data, count)
        assert tree_finalize(self.tree, root, count) == 0
        tree_renew(self.tree, bodies.pool.address)

    def pile(self, count: int) -> list[int]:
        """Boxes of 1 m that fall on a floor, side by side in layers."""
        self.floor()
        shape = self.box(0.5, 0.5, 0.5)
        across = max(1, round((count / 3) ** (1 / 3) * 1.2))
        places = [(1.05 * (k % across), 0.6 + 1.05 * (k // across**2), 1.05 * (k // across % across)) for k in range(count)]
        return [self.add(shape, place) for place in places]


def rays_in(generator, count: int, side: float = SIDE, length: float = 100.0):
    """Origins and ends of rays from 1 to 20 m up, directions all round."""
    origins = generator.uniform([-side / 2, 1, -side / 2], [side / 2, 20, side / 2], (count, 3))
    ways = generator.normal(size=(count, 3))
    return origins, origins + ways * length / np.linalg.norm(ways, axis=1)[:, None]
