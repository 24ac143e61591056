"""Tapered capsules and cylinders, ellipsoids and shapes of one's own: against NumPy, and where they come to rest."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from scree.collision.distance import shape_distance
from scree.runtime.kernel import entry_point
from scree.runtime.memory import view
from scree.shapes.bounds import shape_bounds
from scree.shapes.pool import ShapePool
from scree.shapes.ray import point_in_shape, ray_shape
from scree.shapes.schema import CUSTOM, ELLIPSOID, SPHERE, TAPERED_CAPSULE, TAPERED_CYLINDER

sys.path.insert(0, str(Path(__file__).parents[1] / "world"))

ORIGIN, UPRIGHT = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0)


@entry_point("int64(int64, int64)")
def superball(data, words):
    """All points with |x|^1.5 + |y|^1.5 + |z|^1.5 <= r^1.5: by the dual norm, of exponent 3."""
    radius = view(data, 1, np.float64)[0]
    d, out = view(words, 3, np.float64), view(words + 24, 3, np.float64)
    size = (abs(d[0]) ** 3 + abs(d[1]) ** 3 + abs(d[2]) ** 3) ** (1.0 / 3.0)
    for k in range(3):
        out[k] = radius * (abs(d[k]) / size) ** 2 * (1.0 if d[k] >= 0.0 else -1.0)
    return 0


@entry_point("int64(int64, int64)")
def round_ball(data, words):
    radius = view(data, 1, np.float64)[0]
    d, out = view(words, 3, np.float64), view(words + 24, 3, np.float64)
    size = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) ** 0.5
    for k in range(3):
        out[k] = radius * d[k] / size
    return 0


def support_of(kind, numbers, d):
    """Farthest points `(n, 3)` along directions `(n, 3)`."""
    unit = d / np.linalg.norm(d, axis=1, keepdims=True)
    if kind == ELLIPSOID:
        axes = np.array(numbers)
        return axes**2 * unit / np.linalg.norm(axes * unit, axis=1, keepdims=True)
    if kind == CUSTOM:
        size = (np.abs(unit) ** 3).sum(axis=1, keepdims=True) ** (1 / 3)
        return numbers[0] * (np.abs(unit) / size) ** 2 * np.sign(unit)
    half, above, below = numbers
    if kind == TAPERED_CYLINDER:
        across = np.linalg.norm(unit[:, [0, 2]], axis=1, keepdims=True)
        unit = unit * (1, 0, 1) / np.maximum(across, 1e-30)
    ends = [np.array([0, sign * half, 0]) + radius * unit for sign, radius in ((1, above), (-1, below))]
    return np.where((ends[0] * d).sum(axis=1, keepdims=True) >= (ends[1] * d).sum(axis=1, keepdims=True), *ends)


NUMBERS = {
    TAPERED_CAPSULE: [(0.5, 0.2, 0.4), (1.0, 0.7, 0.05), (0.1, 0.1, 0.9), (2.0, 0.3, 0.3)],
    TAPERED_CYLINDER: [(0.5, 0.2, 0.4), (1.0, 0.0, 0.6), (0.05, 1.0, 0.4), (2.0, 0.3, 0.3)],
    ELLIPSOID: [(1.0, 0.5, 0.25), (0.3, 0.3, 2.0), (0.7, 0.7, 0.7)],
    CUSTOM: [(0.8,)],
}
CASES = [(kind, numbers) for kind, several in NUMBERS.items() for numbers in several]


class Made:
    def __init__(self):
        self.pool = ShapePool(lambda index, sequence: index + 1, capacity=256)
        self.rows = self.pool.rows

    def __call__(self, kind, numbers, scale=1.0):
        index = self.pool.create(kind)
        numbers = tuple(scale * n for n in numbers)
        if kind == TAPERED_CAPSULE:
            self.pool.set_tapered_capsule(index, *numbers)
        elif kind == TAPERED_CYLINDER:
            self.pool.set_tapered_cylinder(index, *numbers)
        elif kind == ELLIPSOID:
            self.pool.set_ellipsoid(index, numbers)
        elif kind == CUSTOM:
            self.pool.set_custom(index, superball, numbers)
        else:
            self.pool.set_sphere(index, *numbers)
        return index


def spread(count, seed=0):
    d = np.random.default_rng(seed).normal(size=(count, 3))
    return d / np.linalg.norm(d, axis=1, keepdims=True)


def planes_of(kind, numbers):
    """Normals of planes all round: many at random, and those of flat ends and straight sides, beside which others are cm off."""
    flat = [np.array([(0.0, 1.0, 0.0), (0.0, -1.0, 0.0)])]
    if kind in (TAPERED_CAPSULE, TAPERED_CYLINDER):
        half, above, below = numbers
        slope = (below - above) / (2.0 * half)
        up = slope / np.sqrt(1.0 + slope * slope) if kind == TAPERED_CYLINDER else np.clip(slope, -1.0, 1.0)
        angles = np.linspace(0.0, 2.0 * np.pi, 500, endpoint=False)
        across = np.sqrt(1.0 - up * up)
        flat.append(np.stack((across * np.cos(angles), np.full(500, up), across * np.sin(angles)), axis=1))
    return np.concatenate((spread(4000, 3), *flat))


def rims(count):
    """Directions in which a tapered cylinder has the points of its upper and lower circle."""
    angles = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
    return np.array([(np.cos(angle), y, np.sin(angle)) for y in (-1e3, 1e3) for angle in angles])


@pytest.mark.parametrize(("kind", "numbers"), CASES)
def test_bounds_volume_and_inertia(kind, numbers):
    """Against the hull of 20,000 points of the surface; of a cylinder 2,000 on its two circles, which take Qhull long enough."""
    made = Made()
    row = made.rows[made(kind, numbers)]
    ways = rims(1000) if kind == TAPERED_CYLINDER else spread(20000)
    points = support_of(kind, numbers, np.concatenate((ways, np.eye(3), -np.eye(3))))
    np.testing.assert_allclose(row["bounds"], [*points.min(axis=0), *points.max(axis=0)], atol=2e-3)
    hull = ConvexHull(points)
    tetrahedra = points[hull.simplices]
    outward = np.cross(tetrahedra[:, 1] - tetrahedra[:, 0], tetrahedra[:, 2] - tetrahedra[:, 0])
    signed = np.linalg.det(tetrahedra) * np.sign((outward * hull.equations[:, :3]).sum(axis=1)) / 6
    volume = signed.sum()
    center = (signed[:, None] * tetrahedra.sum(axis=1) / 4).sum(axis=0) / volume
    share = 0.04 if kind == CUSTOM else 0.01
    assert row["volume"] == pytest.approx(volume, rel=share)
    np.testing.assert_allclose(row["center_of_mass"], center, atol=5e-3)
    p = tetrahedra - center
    total = p.sum(axis=1)
    second = np.einsum("n,nij->ij", signed, np.einsum("nki,nkj->nij", p, p) + np.einsum("ni,nj->nij", total, total)) / 20
    inertia = (np.trace(second) * np.eye(3) - second) / volume
    np.testing.assert_allclose(row["inertia"][:3], np.diag(inertia), rtol=2 * share, atol=1e-4)
    around = np.concatenate((spread(5000, 1), np.eye(3), -np.eye(3)))
    reach = ((support_of(kind, numbers, around) - row["center_of_mass"]) * around).sum(axis=1)
    assert row["inner_radius"] == pytest.approx(reach.min(), rel=0.03, abs=2e-3)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(CASES), st.integers(0, 2**32), st.sampled_from([0.01, 1.0, 100.0]))
def test_distance_from_a_ball(case, seed, scale):
    """The plane of the answer parts both: the support along it says how far at least; and the points lie on both."""
    kind, numbers = case
    made, random = Made(), np.random.default_rng(seed)
    index, ball, radius = made(kind, numbers, scale), made(SPHERE, (0.3,), scale), 0.3 * scale
    place = random.normal(size=3) * 1.5 * scale
    distance, on_a, on_b, normal = shape_distance(made.rows, index, ORIGIN, UPRIGHT, ball, tuple(place), UPRIGHT)
    on_a, on_b, normal = (np.array(v) for v in (on_a, on_b, normal))
    assert np.linalg.norm(normal) == pytest.approx(1, abs=1e-9)
    parted = (place - radius * normal) @ normal - support_of(kind, np.array(numbers) * scale, normal[None])[0] @ normal
    assert distance == pytest.approx(parted, abs=1e-4 * scale)
    assert np.linalg.norm(on_b - place) == pytest.approx(radius, rel=1e-4) or distance < 0
    assert (on_b - on_a) @ normal == pytest.approx(distance, abs=1e-4 * scale)
    others = spread(300, seed % 1000)
    gaps = (place * others).sum(axis=1) - radius - (support_of(kind, np.array(numbers) * scale, others) * others).sum(axis=1)
    assert distance >= gaps.max() - 1e-4 * scale


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(CASES), st.integers(0, 2**32))
@example((TAPERED_CYLINDER, (0.5, 0.2, 0.4)), 420348)
@example((TAPERED_CYLINDER, (0.05, 1.0, 0.4)), 420348)
@example((TAPERED_CYLINDER, (0.05, 1.0, 0.4)), 1127529)
@example((TAPERED_CYLINDER, (0.05, 1.0, 0.4)), 7823977)
@example((TAPERED_CYLINDER, (1.0, 0.0, 0.6)), 11110362)
def test_rays_and_points(case, seed):
    kind, numbers = case
    made, random = Made(), np.random.default_rng(seed)
    index, around = made(kind, numbers), planes_of(kind, numbers)
    reach = (support_of(kind, numbers, around) * around).sum(axis=1)

    def depth(point):  # how far inside, by planes all round; negative: outside
        return (reach - around @ point).min()

    for _ in range(8):
        origin = random.normal(size=3) * 2
        end = random.normal(size=3) * 0.4
        fraction, normal, _, inside = ray_shape(made.rows, index, tuple(origin), tuple(end - origin), 1.0, False, False)
        assert inside == point_in_shape(made.rows, index, tuple(origin))
        if abs(depth(origin)) > 0.02:
            assert inside == (depth(origin) > 0)
        way = [depth(origin + t * (end - origin)) for t in np.linspace(0, 1, 60)]
        if inside:
            assert fraction > 1
        elif fraction <= 1:
            point, normal = origin + fraction * (end - origin), np.array(normal)
            top = support_of(kind, numbers, normal[None])[0] @ normal
            assert point @ normal == pytest.approx(top, abs=2e-5) and normal @ (end - origin) <= 0
            assert all(d < 0.01 for d in way[: int(59 * fraction)])
        else:
            assert max(way) < 0.03


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(CASES), st.integers(0, 2**32))
def test_bounds_at_a_pose(case, seed):
    kind, numbers = case
    made, random = Made(), np.random.default_rng(seed)
    q = random.normal(size=4)
    q /= np.linalg.norm(q)
    x, y, z, w = q
    turn = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip
    place = random.normal(size=3)
    bounds = shape_bounds(made.rows, made(kind, numbers), tuple(place), tuple(q))
    axes = np.concatenate((np.eye(3), -np.eye(3)))
    reach = ((support_of(kind, numbers, axes @ turn) @ turn.T + place) * axes).sum(axis=1)
    np.testing.assert_allclose(bounds, [*-reach[3:], *reach[:3]], atol=1e-5)


def test_a_custom_ball_is_a_ball():
    made = Made()
    ball, own = made(SPHERE, (0.6,)), made.pool.create(CUSTOM)
    made.pool.set_custom(own, round_ball, (0.6,))
    other = made(ELLIPSOID, (1.0, 0.5, 0.25))
    random = np.random.default_rng(5)
    for _ in range(50):
        origin, way = tuple(random.normal(size=3) * 2), tuple(random.normal(size=3) * 3)
        a, b = (ray_shape(made.rows, row, origin, way, 1.0, False, False)[0] for row in (ball, own))
        assert a == pytest.approx(b, abs=1e-6)
        a, b = (shape_distance(made.rows, row, origin, UPRIGHT, other, ORIGIN, UPRIGHT)[0] for row in (ball, own))
        assert a == pytest.approx(b, abs=1e-5)


def test_bad_settings_say_what_is_wrong():
    made = Made()
    own, cone = made.pool.create(CUSTOM), made.pool.create(TAPERED_CYLINDER)
    with pytest.raises(ValueError, match=r'set_custom: function must be an @entry_point\("int64\(int64, int64\)"\)'):
        made.pool.set_custom(own, lambda data, words: 0, ())
    with pytest.raises(ValueError, match="set_custom: the origin must lie inside"):
        made.pool.set_custom(own, round_ball, (-1.0,))
    with pytest.raises(ValueError, match="set_tapered_cylinder: no radius may be .* one must be positive, got 0.0 and 0.0"):
        made.pool.set_tapered_cylinder(cone, 1.0, 0.0, 0.0)
    with pytest.raises(ValueError, match="set_ellipsoid: half_axes must be positive"):
        made.pool.set_ellipsoid(made.pool.create(ELLIPSOID), (1.0, 0.0, 1.0))
