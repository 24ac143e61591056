"""A world with one system, and short words for what the tests put into it."""

import numpy as np

from scree.bodies.motion import apply_impulse, set_angular_velocity, set_linear_velocity, set_sleeping
from scree.bodies.schema import STATIC
from scree.runtime.kernel import entry_point
from scree.shapes.schema import BOX, CAPSULE, COMPOUND, PLANE, SPHERE
from scree.core.world import World

TICK = 1.0 / 60.0
UPRIGHT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def rotation_matrix(quaternion) -> np.ndarray:
    """Rotation matrix of a unit quaternion x, y, z, w."""
    x, y, z, w = np.asarray(quaternion, np.float64)
    return np.array([
        (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
        (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
        (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
    ])  # fmt: skip


@entry_point("void(int64, int64, float64, float64, float64)")
def give_velocity(world, index, x, y, z):
    set_linear_velocity(world, index, (x, y, z))


@entry_point("void(int64, int64, int64)")
def put_to_sleep(world, index, is_sleeping):
    set_sleeping(world, index, is_sleeping != 0)


@entry_point("void(int64, int64, float64, float64, float64)")
def give_spin(world, index, x, y, z):
    set_angular_velocity(world, index, (x, y, z))


@entry_point("void(int64, int64, float64, float64, float64, float64, float64, float64)")
def hit(world, index, x, y, z, at_x, at_y, at_z):
    apply_impulse(world, index, (x, y, z), (at_x, at_y, at_z))


class SmallWorld:
    """Gravity 10 m/s^2 downwards, no damping and no sleep unless asked for."""

    def __init__(
        self, gravity=(0.0, -10.0, 0.0), sleeps: bool = False, damp: float = 0.0, threads: int = 1,
        body_shapes: int = 1 << 13, **settings,
    ):  # fmt: skip
        self.world = World(threads=threads, bodies=1 << 12, body_shapes=body_shapes, shapes=1 << 12)
        self.system = self.world.create_system(
            gravity=gravity, is_sleeping_allowed=int(sleeps), linear_damp=damp, angular_damp=damp, **settings
        )
        self.row = self.world.system(self.system).row

    def box(self, *half_extents) -> int:
        shape = self.world.shape.create(BOX)
        self.world.shapes.set_box(self.world.shape.index("box", shape), half_extents)
        return shape

    def sphere(self, radius: float) -> int:
        shape = self.world.shape.create(SPHERE)
        self.world.shapes.set_sphere(self.world.shape.index("sphere", shape), radius)
        return shape

    def capsule(self, radius: float, height: float) -> int:
        shape = self.world.shape.create(CAPSULE)
        self.world.shapes.set_capsule(self.world.shape.index("capsule", shape), radius, height)
        return shape

    def compound(self, parts) -> int:
        """A static compound of (shape, transform, ...)."""
        shape, shapes = self.world.shape.create(COMPOUND), self.world.shapes
        given = [(self.world.shape.index("part", part[0]), *part[1:]) for part in parts]
        shapes.set_compound(self.world.shape.index("compound", shape), given)
        return shape

    def add(self, shape: int, position=(0.0, 0.0, 0.0), mode: int | None = None, basis=UPRIGHT, **params) -> int:
        world = self.world
        body = world.body.create()
        if mode is not None:
            world.body.set_mode(body, mode)
        world.body.add_shape(body, shape)
        for name, value in params.items():
            world.body.set_param(body, name, value)
        world.body.set_transform(body, (*basis, *position))
        world.body.set_system(body, self.system)
        return body

    def floor(self, normal=(0.0, 1.0, 0.0), **params) -> int:
        shape = self.world.shape.create(PLANE)
        self.world.shapes.set_plane(self.world.shape.index("plane", shape), normal, 0.0)
        return self.add(shape, mode=STATIC, **params)

    def move(self, body: int, position, basis=UPRIGHT) -> None:
        self.world.body.set_transform(body, (*basis, *position))

    def step(self, ticks: int = 1) -> None:
        for _ in range(ticks):
            self.world.step(self.system, TICK)

    def index(self, body: int) -> int:
        return self.world.body.index("test", body)

    def body(self, body: int):
        return self.world.bodies.rows[self.index(body)]

    def position(self, body: int) -> np.ndarray:
        """Position of the centre of mass [m]."""
        return self.body(body)["position"].copy()

    def velocity(self, body: int) -> np.ndarray:
        return self.body(body)["linear_velocity"].astype(np.float64)

    def spin(self, body: int) -> np.ndarray:
        return self.body(body)["angular_velocity"].astype(np.float64)

    def throw(self, body: int, velocity) -> None:
        give_velocity(self.world.address, self.index(body), *map(float, velocity))

    def turn(self, body: int, velocity) -> None:
        give_spin(self.world.address, self.index(body), *map(float, velocity))

    def sleep(self, body: int, is_sleeping: bool = True) -> None:
        put_to_sleep(self.world.address, self.index(body), int(is_sleeping))

    def is_awake(self, body: int) -> bool:
        return int(self.body(body)["active_index"]) >= 0

    def live_pairs(self) -> int:
        return int(self.row["pairs"]["count"]) - self._free("lists of pairs", "pairs", lambda row: row["next"][0])

    def live_manifolds(self) -> int:
        free = self._free("contact manifolds", "manifolds", lambda row: row["next"])
        return int(self.row["manifolds"]["count"]) - free

    def _free(self, pool_name: str, part: str, following) -> int:
        rows = next(pool for pool in self.world.system(self.system)._pools if pool.name == pool_name).rows
        at, seen = int(self.row[part]["first_free"]), set()
        while at >= 0:
            assert at not in seen, f"{pool_name}: the list of free rows runs in a ring"
            seen.add(at)
            at = int(following(rows[at]))
        return len(seen)
