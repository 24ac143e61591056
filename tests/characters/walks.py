"""Courses for characters: what stands there, and walking through it while the space steps."""

import numpy as np

import scree

RADIUS, HEIGHT, GRAVITY, TICK = 0.3, 1.8, 9.81, 1 / 60
PADDING = 0.005
STANDING = scree.Capsule(radius=RADIUS, height=HEIGHT)


class Course:
    """A space with a character in it. `origin`: everything is placed relative to it, world [m]."""

    def __init__(self, origin=(0.0, 0.0, 0.0)):
        self.origin = np.asarray(origin, np.float64)
        self.space = scree.World(threads=1).add_space(gravity=(0, -GRAVITY, 0))
        self.hero = None

    def ground(self, height=0.0):
        return self.box((100, 1, 100), (0, height - 1, 0))

    def box(self, half, at, turn=(0, 0, 0, 1), **how):
        return self.space.add_static(scree.Box(half_extents=half), self.origin + at, turn, **how)

    def moving(self, half, at):
        return self.space.add_kinematic(scree.Box(half_extents=half), self.origin + at)

    def slope(self, angle, at=(0.0, 0.0, 0.0), size=20.0):
        """A slope that rises along +x by an angle [rad], its surface through `at`."""
        turn = (0.0, 0.0, np.sin(angle / 2), np.cos(angle / 2))
        up = np.array([-np.sin(angle), np.cos(angle), 0.0])
        return self.box((size, 0.5, size), np.asarray(at) - 0.5 * up, turn)

    def stairs(self, height, depth, count, begin):
        """Steps that rise along +x, each down to the ground."""
        for k in range(count):
            top = (k + 1) * height
            self.box((depth / 2, top / 2, 2), (begin + (k + 0.5) * depth, top / 2, 0))

    def add(self, feet=(0.0, 0.0, 0.0), **settings):
        """Add the character with its feet at a place, on the padding."""
        middle = np.array([0.0, HEIGHT / 2 + PADDING + 1e-4, 0.0])
        self.hero = self.space.add_character(STANDING, self.origin + feet + middle, **settings)
        return self.hero

    def feet(self):
        return np.asarray(self.hero.position - self.origin - (0, HEIGHT / 2 + PADDING, 0))

    def walk(self, velocity, ticks, before=None, after=None, seconds=TICK):
        """Walk for some ticks; `before` and `after` are called in each tick. Gives the positions of the feet (ticks, 3)."""
        path = []
        for tick in range(ticks):
            if before:
                before(tick)
            self.hero.move(velocity, seconds)
            self.space.step(seconds)
            path.append(self.feet())
            if after:
                after(tick)
        return np.array(path)


def mesh_floor(size, cell, height=0.0):
    """A flat mesh of square cells of two triangles each, centred at the origin."""
    count = int(2 * size / cell) + 1
    line = np.linspace(-size, size, count)
    x, z = np.meshgrid(line, line)
    vertices = np.stack((x, np.full_like(x, height), z), axis=-1).reshape(-1, 3)
    i = (np.arange(count - 1)[:, None] * count + np.arange(count - 1)).ravel()
    triangles = np.concatenate([np.stack((i, i + count, i + 1), 1), np.stack((i + 1, i + count, i + count + 1), 1)])
    return scree.Mesh(vertices=vertices, triangles=triangles)
