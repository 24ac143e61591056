"""Scenes that give all threads something to do."""

import numpy as np

from scree.bodies.schema import KINEMATIC, STATIC
from scree.geometry.angles import circle_point
from scree.shapes.schema import BOX, CAPSULE, CYLINDER, HULL, PLANE, SPHERE
from scree.core.world import World

IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


def _shape(world, kind, *settings):
    shape = world.shape.create(kind)
    index = world.shape.index("shape", shape)
    setters = {
        BOX: world.shapes.set_box, SPHERE: world.shapes.set_sphere, PLANE: world.shapes.set_plane, HULL: world.shapes.set_hull,
        CAPSULE: world.shapes.set_capsule, CYLINDER: world.shapes.set_cylinder,
    }  # fmt: skip
    setters[kind](index, *settings)
    return shape


def _body(world, system, shape, mode=None, position=(0.0, 0.0, 0.0)):
    body = world.body.create()
    if mode is not None:
        world.body.set_mode(body, mode)
    world.body.add_shape(body, shape)
    world.body.set_transform(body, (*IDENTITY, *position))
    world.body.set_system(body, system)
    return body


class Heap:
    """Bodies of six kinds fall onto a plane and a kinematic box that is pushed about; some are added and removed on the
    way."""

    def __init__(self, threads: int, count: int = 400, can_sleep: bool = True, job_system=None):
        self.world = World(threads=threads, job_system=job_system, bodies=1 << 14)
        self.system = self.world.create_system(gravity=(0.0, -9.8, 0.0), is_sleeping_allowed=int(can_sleep))
        self.random = np.random.default_rng(5)
        self.shapes = [
            _shape(self.world, BOX, (0.5, 0.5, 0.5)),
            _shape(self.world, SPHERE, 0.5),
            _shape(self.world, BOX, (0.3, 0.2, 0.6)),
            _shape(self.world, CAPSULE, 0.3, 1.0),
            _shape(self.world, HULL, self.random.uniform(-0.5, 0.5, (20, 3)).astype(np.float32)),
            _shape(self.world, CYLINDER, 0.4, 0.8),
        ]
        _body(self.world, self.system, _shape(self.world, PLANE, (0.0, 1.0, 0.0), 0.0), STATIC)
        pusher = _shape(self.world, BOX, (2.0, 0.5, 2.0))
        self.pusher = _body(self.world, self.system, pusher, KINEMATIC, (0.0, 0.5, 0.0))
        side = max(int((count / 4) ** 0.5), 2)
        self.bodies = [
            self.add((i % side * 1.05, 0.6 + i // (side * side) * 1.1, i // side % side * 1.05), i) for i in range(count)
        ]
        self.ticks = 0

    def add(self, position, number: int) -> int:
        jitter = self.random.uniform(-0.2, 0.2, 3)
        place = np.asarray(position, dtype=np.float64) + jitter - (5.0, 0.0, 5.0)
        return _body(self.world, self.system, self.shapes[number % len(self.shapes)], None, place)

    def step(self) -> None:
        self.ticks += 1
        x, z = circle_point(0.02 * self.ticks)  # NumPy's sine has other bits on other systems
        self.world.body.set_transform(self.pusher, (*IDENTITY, 3.0 * z, 0.5, 1.0 - x))
        if self.ticks % 20 == 0:
            self.world.body.destroy(self.bodies.pop(self.ticks * 7 % len(self.bodies)))
            self.bodies.append(self.add((2.0, 9.0, 2.0), self.ticks))
        self.world.step(self.system, 1.0 / 60.0)

    def state(self) -> np.ndarray:
        """The bits of every pose and velocity."""
        rows = self.world.bodies.rows[: self.world.bodies.count]
        fields = ("id", "position", "rotation", "linear_velocity", "angular_velocity", "sleep_time", "active_index")
        return np.frombuffer(b"".join(rows[field].tobytes() for field in fields), dtype=np.uint8)
