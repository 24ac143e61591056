"""Naive twins of the queries: one shape, one formula, double precision, no tree. And a world full of shapes to ask."""

import numpy as np

from scree.bodies.schema import STATIC
from scree.shapes.schema import BOX, CAPSULE, COMPOUND, CYLINDER, HULL, MESH, PLANE, SPHERE
from scree.core.world import World

OCTAHEDRON = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], dtype=np.float64)


def random_rotation(rng) -> np.ndarray:
    """A rotation matrix, uniform."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q *= np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0.0 else -q


def hill(rng, size=6) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of a small bumpy ground, facing up."""
    x, z = np.meshgrid(np.linspace(-3, 3, size), np.linspace(-3, 3, size))
    vertices = np.stack((x, rng.uniform(-0.4, 0.4, x.shape), z), axis=-1).reshape(-1, 3).astype(np.float32)
    i = (np.arange(size - 1)[:, None] * size + np.arange(size - 1)).ravel()
    triangles = np.concatenate([np.stack((i, i + size, i + 1), 1), np.stack((i + 1, i + size, i + size + 1), 1)])
    return vertices.astype(np.float64), triangles


class Solid:
    """A shape at a pose, and what is known of it."""

    def __init__(self, kind, size, position=(0.0, 0.0, 0.0), rotation=None, vertices=None, triangles=None):
        self.kind, self.size = kind, np.asarray(size, dtype=np.float64)
        self.position = np.asarray(position, dtype=np.float64)
        self.rotation = np.eye(3) if rotation is None else rotation
        self.vertices, self.triangles = vertices, triangles
        self.parts = []  # of a compound: solids in its frame
        self.body = -1

    def local(self, points):
        """World points (n, 3) in the frame of the shape."""
        return (np.atleast_2d(points) - self.position) @ self.rotation

    # Distances of points: negative inside.

    def distance(self, points) -> np.ndarray:
        """Signed distance of points (n, 3); of a mesh unsigned."""
        p = self.local(points)
        if self.kind == COMPOUND:
            return np.min([part.distance(p) for part in self.parts], axis=0)
        if self.kind == SPHERE:
            return np.linalg.norm(p, axis=1) - self.size[0]
        if self.kind == CAPSULE:
            y = np.clip(p[:, 1], -self.size[1], self.size[1])
            return np.linalg.norm(p - np.stack((0 * y, y, 0 * y), 1), axis=1) - self.size[0]
        if self.kind == BOX:
            return self._box(np.abs(p) - self.size)
        if self.kind == CYLINDER:
            across = np.hypot(p[:, 0], p[:, 2]) - self.size[0]
            return self._box(np.stack((across, np.abs(p[:, 1]) - self.size[1]), 1))
        if self.kind == PLANE:
            return p @ self.size[:3] - self.size[3]
        if self.kind == HULL:
            return self._octahedron(p)
        return self.closest_on_mesh(p)[0]

    @staticmethod
    def _box(outside):
        return np.linalg.norm(np.maximum(outside, 0.0), axis=1) + np.minimum(outside.max(axis=1), 0.0)

    def _octahedron(self, p):
        inside = (np.abs(p).sum(axis=1) - self.size[0]) / np.sqrt(3.0)
        octant = np.abs(p)
        corners = [np.broadcast_to(np.eye(3)[k] * self.size[0], p.shape) for k in range(3)]
        near = closest_on_triangles(octant, *corners)
        return np.where(inside <= 0.0, inside, np.linalg.norm(octant - near, axis=1))

    def closest_on_mesh(self, p):
        """(distance, point) for points in the shape's frame."""
        corners, count = self.vertices[self.triangles], len(self.triangles)
        each = [np.tile(corners[:, k], (len(p), 1)) for k in range(3)]
        nearest = closest_on_triangles(np.repeat(p, count, axis=0), *each).reshape(len(p), count, 3)
        distances = np.linalg.norm(p[:, None] - nearest, axis=2)
        best = np.arange(len(p)), distances.argmin(axis=1)
        return distances[best], nearest[best]

    # Rays.

    def ray(self, origins, ends) -> np.ndarray:
        """First fraction at which each ray enters; inf for none, or if it starts inside. Meshes from the front only."""
        o, v = self.local(origins), (ends - origins) @ self.rotation
        if self.kind == COMPOUND:
            return np.min([part.ray(o, o + v) for part in self.parts], axis=0)
        if self.kind == SPHERE:
            return enter(*sphere_interval(o, v, self.size[0]))
        if self.kind == BOX:
            return enter(*slab_interval(o, v, -self.size, self.size))
        if self.kind == HULL:
            signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / np.sqrt(3.0)
            return enter(*planes_interval(o, v, signs, np.full(8, self.size[0] / np.sqrt(3.0))))
        if self.kind == PLANE:
            return enter(*planes_interval(o, v, self.size[None, :3], self.size[3:]))
        if self.kind == CYLINDER:
            return enter(*self._cylinder(o, v))
        if self.kind == CAPSULE:
            up = np.array([0.0, self.size[1], 0.0])
            parts = [self._cylinder(o, v), *(sphere_interval(o - up * s, v, self.size[0]) for s in (1, -1))]
            return enter(np.min([p[0] for p in parts], axis=0), np.max([p[1] for p in parts], axis=0))
        return np.min([triangle_fraction(o, v, *corners) for corners in self.vertices[self.triangles]], axis=0)

    def _cylinder(self, o, v):
        t = sphere_interval(o * [1, 0, 1], v * [1, 0, 1], self.size[0])
        s = slab_interval(o[:, 1:2], v[:, 1:2], -self.size[1], self.size[1])
        first, last = np.maximum(t[0], s[0]), np.minimum(t[1], s[1])
        return np.where(first <= last, first, np.inf), np.where(first <= last, last, -np.inf)


def enter(first, last):
    """The fraction of entry for rays that are outside at first."""
    is_hit = (first <= last) & (first >= 0.0) & (first <= 1.0)
    return np.where(is_hit, first, np.inf)


def sphere_interval(o, v, radius):
    a, b, c = (v * v).sum(1), (o * v).sum(1), (o * o).sum(1) - radius**2
    with np.errstate(all="ignore"):
        root = np.sqrt(b * b - a * c)
        first, last = (-b - root) / a, (-b + root) / a
    return np.where(np.isnan(first), np.inf, first), np.where(np.isnan(last), -np.inf, last)


def slab_interval(o, v, low, high):
    with np.errstate(all="ignore"):
        a, b = (low - o) / v, (high - o) / v
    first, last = np.minimum(a, b).max(axis=1), np.maximum(a, b).min(axis=1)
    return np.where(first <= last, first, np.inf), np.where(first <= last, last, -np.inf)


def planes_interval(o, v, normals, distances):
    first, last = np.full(len(o), -np.inf), np.full(len(o), np.inf)
    for n, d in zip(normals, distances, strict=True):
        slope, above = v @ n, o @ n - d
        with np.errstate(all="ignore"):
            t = -above / slope
        first = np.where(slope < 0, np.maximum(first, t), first)
        last = np.where(slope > 0, np.minimum(last, t), last)
    return np.where(first <= last, first, np.inf), np.where(first <= last, last, -np.inf)


def triangle_fraction(o, v, a, b, c):
    normal = np.cross(b - a, c - a)
    slope = v @ normal
    with np.errstate(all="ignore"):
        t = ((a - o) @ normal) / slope
        p = o + t[:, None] * v
        is_in = [np.cross(q - r, p - r) @ normal >= 0.0 for q, r in ((b, a), (c, b), (a, c))]
    is_hit = (slope < 0.0) & (t >= 0.0) & (t <= 1.0) & is_in[0] & is_in[1] & is_in[2]
    return np.where(is_hit, t, np.inf)


def closest_on_triangles(p, a, b, c):
    """Nearest points of triangles (row by row): the foot if it is in, else the nearest of the three sides."""
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    foot = p - ((p - a) * normal).sum(1, keepdims=True) * normal
    is_in = np.ones(len(p), dtype=bool)
    candidates = []
    for q, r in ((a, b), (b, c), (c, a)):
        is_in &= (np.cross(r - q, foot - q) * normal).sum(1) >= 0.0
        t = np.clip(((p - q) * (r - q)).sum(1) / ((r - q) ** 2).sum(1), 0.0, 1.0)
        candidates.append(q + t[:, None] * (r - q))
    distances = np.array([np.linalg.norm(p - q, axis=1) for q in candidates])
    best = np.array(candidates)[distances.argmin(axis=0), np.arange(len(p))]
    return np.where(is_in[:, None], foot, best)


def transform_of(solid) -> np.ndarray:
    return np.concatenate((solid.rotation.ravel(), solid.position))


def create_shape(world, solid, kind=None) -> int:
    """The id of a shape as large as a solid."""
    kind = solid.kind if kind is None else kind
    shape = world.shape.create(kind)
    index, size = world.shape.index("", shape), solid.size
    if kind == SPHERE:
        world.shapes.set_sphere(index, size[0])
    elif kind == BOX:
        world.shapes.set_box(index, size)
    elif kind == CAPSULE:
        world.shapes.set_capsule(index, size[0], 2.0 * (size[0] + size[1]))
    elif kind == CYLINDER:
        world.shapes.set_cylinder(index, size[0], 2.0 * size[1])
    elif kind == HULL:
        world.shapes.set_hull(index, OCTAHEDRON * size[0])
    elif kind == PLANE:
        world.shapes.set_plane(index, size[:3], size[3])
    elif kind == MESH:
        world.shapes.set_mesh(index, solid.vertices, solid.triangles)
    elif kind == COMPOUND:
        parts = [(world.shape.index("", create_shape(world, part)), transform_of(part)) for part in solid.parts]
        world.shapes.set_compound(index, parts)
    return shape


def place(world, system, solid, mode=STATIC, shape=None) -> int:
    """The id of a body with the shape of a solid, where it stands, in a system."""
    body = world.body.create()
    world.body.set_mode(body, mode)
    world.body.add_shape(body, create_shape(world, solid) if shape is None else shape)
    world.body.set_transform(body, transform_of(solid))
    if system:
        world.body.set_system(body, system)
    solid.body = body
    return body


def random_solids(seed: int, count: int, center=(0.0, 0.0, 0.0), spread: float = 12.0) -> list[Solid]:
    """Solids of all kinds but planes, anywhere in a cube, turned anyhow; and as many compounds as there are of each kind."""
    rng = np.random.default_rng(seed)
    solids = []
    for number in range(count):
        kind = (SPHERE, BOX, CAPSULE, CYLINDER, HULL, MESH)[number % 6]
        size = np.float32(rng.uniform(0.3, 1.5, 3)).astype(np.float64)
        mesh = hill(rng) if kind == MESH else (None, None)
        position = np.asarray(center) + rng.uniform(-spread, spread, 3)
        solids.append(Solid(kind, size, position, random_rotation(rng), *mesh))
    for _ in range(count // 6):
        whole = Solid(COMPOUND, 0.0, np.asarray(center) + rng.uniform(-spread, spread, 3), random_rotation(rng))
        for kind in rng.permutation((SPHERE, BOX, CAPSULE, CYLINDER, HULL))[: rng.integers(1, 6)]:
            size = np.float32(rng.uniform(0.2, 0.8, 3)).astype(np.float64)
            whole.parts.append(Solid(kind, size, rng.uniform(-0.8, 0.8, 3), random_rotation(rng)))
        solids.append(whole)
    return solids


def new_world() -> tuple[World, int]:
    world = World()
    return world, world.create_system()
