"""Shapes, poses and pairs for the tests of collision."""

import numpy as np
from hypothesis import strategies as st

from scree.collision.schema import CONTACT_RESULT, MAX_RESULTS
from scree.collision.shapes import collide_shapes
from scree.shapes.pool import ShapePool
from scree.shapes.schema import BOX, CAPSULE, CYLINDER, HULL, MESH, PLANE, SPHERE

from .oracle import core_of, world_core

IDENTITY = (0.0, 0.0, 0.0, 1.0)
ORIGIN = (0.0, 0.0, 0.0)


class Shapes:
    """A pool of shapes with their cores, for the oracle."""

    def __init__(self):
        self.pool = ShapePool(lambda index, sequence: index + 1, capacity=4096)
        self.rows = self.pool.rows
        self.cores = {}

    def _added(self, row, hull_vertices=None):
        if self.rows[row]["kind"] in (SPHERE, CAPSULE, BOX, HULL, CYLINDER):
            self.cores[row] = core_of(self.rows[row], hull_vertices)
        return row

    def sphere(self, radius):
        row = self.pool.create(SPHERE)
        self.pool.set_sphere(row, radius)
        return self._added(row)

    def box(self, half_extents):
        row = self.pool.create(BOX)
        self.pool.set_box(row, tuple(half_extents))
        return self._added(row)

    def capsule(self, radius, half_height):
        row = self.pool.create(CAPSULE)
        self.pool.set_capsule(row, radius, 2.0 * (radius + half_height))
        return self._added(row)

    def cylinder(self, radius, half_height):
        row = self.pool.create(CYLINDER)
        self.pool.set_cylinder(row, radius, 2.0 * half_height)
        return self._added(row)

    def hull(self, points):
        row = self.pool.create(HULL)
        self.pool.set_hull(row, points)
        return self._added(row, self.pool._blocks[row].arrays["vertices"])

    def plane(self, normal, distance):
        row = self.pool.create(PLANE)
        self.pool.set_plane(row, normal, distance)
        return row

    def mesh(self, vertices, triangles, has_backface_collision=False):
        row = self.pool.create(MESH)
        self.pool.set_mesh(row, vertices, triangles, has_backface_collision)
        return row

    def collide(self, a, position_a, rotation_a, b, position_b, rotation_b, distance=0.02, cache=0):
        """The results of a collision (copies of CONTACT_RESULT rows, cut to their points) and the axis cache."""
        results = np.zeros(MAX_RESULTS, CONTACT_RESULT)
        poses = [tuple(float(x) for x in v) for v in (position_a, rotation_a, position_b, rotation_b)]
        count, cache = collide_shapes(
            self.rows, int(a), poses[0], poses[1], int(b), poses[2], poses[3], float(distance), int(cache), results
        )
        return [Manifold(results[i]) for i in range(count)], cache

    def world_core(self, row, position, rotation):
        core, radius = self.cores[row]
        return world_core(core, position, rotation), radius


class Manifold:
    """One result, with arrays as long as it has points."""

    def __init__(self, row):
        count = int(row["point_count"])
        self.normal = row["normal"].copy()
        self.points = row["points"][:count].copy()
        self.separations = row["separations"][:count].copy()
        self.features = row["features"][:count].copy()
        self.face = int(row["face"])

    @property
    def deepest(self):
        return float(self.separations.min())


def normalized(q):
    q = np.asarray(q, dtype=float)
    size = np.linalg.norm(q)
    return tuple(q / size) if size > 1e-3 else IDENTITY


def grid_floor(count, cell, seed=None, bump=0.0):
    """Vertices and triangles of a floor of 2 count^2 triangles about the origin, Y up; `bump` [m] makes it uneven."""
    line = (np.arange(count + 1) - count / 2) * cell
    x, z = np.meshgrid(line, line, indexing="ij")
    y = np.random.default_rng(seed).uniform(-bump, bump, x.shape) if bump else np.zeros_like(x)
    vertices = np.stack([x, y, z], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(count), np.arange(count), indexing="ij")
    a = (i * (count + 1) + j).ravel()
    b, c, d = a + 1, a + count + 1, a + count + 2
    return vertices, np.concatenate([np.stack([a, b, c], 1), np.stack([b, d, c], 1)]).astype(np.int32)


# Nasty by intent: needles and flats, right angles, nothing at all.
lengths = st.one_of(st.sampled_from([1.0, 0.5, 0.25]), st.floats(0.02, 1.0))
quaternions = st.one_of(
    st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=4, max_size=4),
    st.lists(st.floats(-1.0, 1.0), min_size=4, max_size=4),
).map(normalized)
offsets = st.tuples(*[st.one_of(st.just(0.0), st.sampled_from([0.5, 1.0, -1.0]), st.floats(-1.5, 1.5))] * 3)
