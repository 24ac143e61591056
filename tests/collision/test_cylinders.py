"""Cylinders against everything: the twin is a prism of 128 sides, so tolerances are those of the prism."""

import numpy as np
import pytest

import scree
from scree.collision.distance import shape_distance

from .bodies import IDENTITY, ORIGIN, Shapes, grid_floor, normalized
from .oracle import signed_distance, surface_distance

LYING = normalized((0.0, 0.0, 1.0, 1.0))


def make_library(seed):
    rng = np.random.default_rng(seed)
    shapes, others, cylinders = Shapes(), [], []
    for _ in range(4):
        size = 10 ** rng.uniform(-0.7, 0)
        cylinders += [shapes.cylinder(size, size * 10 ** rng.uniform(-0.7, 0.3)) for _ in range(2)]
        others.append(shapes.sphere(size))
        others.append(shapes.capsule(size * 0.4, size))
        others.append(shapes.box(size * 10 ** rng.uniform(-0.7, 0, 3)))
        others.append(shapes.hull(rng.normal(size=(10, 3)) * size * 0.6))
    return shapes, cylinders, others


@pytest.mark.parametrize("seed", range(3))
def test_random_pairs(seed):
    shapes, cylinders, others = make_library(seed)
    rng = np.random.default_rng(100 + seed)
    for number in range(80):
        a = int(rng.choice(cylinders))
        b = int(rng.choice(cylinders if number % 8 == 0 else others))
        qa, qb = (normalized(rng.integers(-1, 2, 4) if rng.random() < 0.4 else rng.normal(size=4)) for _ in range(2))
        core_a, _ = shapes.world_core(a, ORIGIN, qa)
        core_b, radius_b = shapes.world_core(b, ORIGIN, qb)
        direction = rng.normal(size=3) if rng.random() < 0.6 else np.eye(3)[rng.integers(3)]
        direction /= np.linalg.norm(direction)
        reach = (core_a @ direction).max() - (core_b @ direction).min() + radius_b
        gap = rng.choice([rng.uniform(-0.02, 0.03), 0.0, rng.uniform(-0.2, 0.0)])
        position = tuple(direction * (reach + gap))
        core_b = core_b + position
        truth = signed_distance(core_a, core_b) - radius_b
        distance, on_a, on_b, normal = shape_distance(shapes.rows, a, ORIGIN, qa, b, position, qb)
        assert distance == pytest.approx(truth, abs=2e-3)
        np.testing.assert_allclose(np.asarray(on_b) - on_a, np.multiply(normal, distance), atol=1e-6)
        manifolds, _ = shapes.collide(a, ORIGIN, qa, b, position, qb)
        swapped, _ = shapes.collide(b, position, qb, a, ORIGIN, qa)
        if not manifolds:
            assert truth > 0.018
            continue
        (manifold,) = manifolds
        assert manifold.deepest == pytest.approx(truth, abs=4e-3)
        assert not swapped or swapped[0].deepest == pytest.approx(manifold.deepest, abs=4e-3)
        for point, separation in zip(manifold.points, manifold.separations, strict=True):
            half = 0.5 * separation * manifold.normal
            assert abs(surface_distance(core_a, 0.0, point - half)) < 2e-3
            assert abs(surface_distance(core_b, radius_b, point + half)) < 2e-3


def make_floor(shapes, kind):
    if kind == "box":
        return shapes.box((3.0, 0.5, 3.0)), (0.0, -0.5, 0.0)
    if kind == "hull":
        corners = np.array([[x, y, z] for x in (-3, 3) for y in (-0.5, 0.5) for z in (-3, 3)])
        return shapes.hull(corners), (0.0, -0.5, 0.0)
    if kind == "plane":
        return shapes.plane((0.0, 1.0, 0.0), 0.0), ORIGIN
    return shapes.mesh(*grid_floor(16, 0.37)), ORIGIN


@pytest.mark.parametrize("kind", ["box", "hull", "plane", "mesh"])
def test_a_cylinder_stands_lies_and_rolls(kind):
    shapes = Shapes()
    cylinder = shapes.cylinder(0.4, 0.3)
    floor, place = make_floor(shapes, kind)
    (manifold,), _ = shapes.collide(cylinder, (0.1, 0.299, 0.2), IDENTITY, floor, place, IDENTITY)
    assert len(manifold.points) == 4
    np.testing.assert_allclose(manifold.normal, (0.0, -1.0, 0.0), atol=1e-6)
    np.testing.assert_allclose(manifold.separations, -0.001, atol=1e-5)
    spread = manifold.points[:, [0, 2]] - (0.1, 0.2)
    assert (spread.max(0) > 0.25).all() and (spread.min(0) < -0.25).all()
    for angle in np.linspace(0.0, 1.0, 21):
        roll = normalized((np.sin(angle), np.sin(angle), np.cos(angle), np.cos(angle)))
        (manifold,), _ = shapes.collide(cylinder, (0.1, 0.399, 0.2), roll, floor, place, IDENTITY)
        assert len(manifold.points) >= 2
        np.testing.assert_allclose(manifold.normal, (0.0, -1.0, 0.0), atol=1e-6)
        assert manifold.deepest == pytest.approx(-0.001, abs=2e-5)
    # Tilted: the lowest point of the rim, however it has turned about its axis.
    tilt = 0.3
    for turn in np.linspace(0.0, 3.0, 11):
        spin = np.array([0.0, np.sin(turn), 0.0, np.cos(turn)])
        lean = np.array([np.sin(tilt / 2), 0.0, 0.0, np.cos(tilt / 2)])
        q = _multiply(lean, spin)
        height = 0.4 * np.sin(tilt) + 0.3 * np.cos(tilt)
        (manifold,), _ = shapes.collide(cylinder, (0.1, height - 0.002, 0.2), normalized(q), floor, place, IDENTITY)
        assert manifold.deepest == pytest.approx(-0.002, abs=1e-5)


def _multiply(p, q):
    x, y, z = p[3] * q[:3] + q[3] * p[:3] + np.cross(p[:3], q[:3])
    return np.array([x, y, z, p[3] * q[3] - p[:3] @ q[:3]])


def test_a_stack_of_cylinders_and_a_small_box_on_a_cap():
    shapes = Shapes()
    large, small, box = shapes.cylinder(0.5, 0.3), shapes.cylinder(0.2, 0.3), shapes.box((0.1, 0.1, 0.1))
    for top, height in ((small, 0.599), (box, 0.399), (large, 0.599)):
        (manifold,), _ = shapes.collide(top, (0.05, height, 0.0), IDENTITY, large, ORIGIN, IDENTITY)
        assert len(manifold.points) == 4
        np.testing.assert_allclose(manifold.normal, (0.0, -1.0, 0.0), atol=1e-6)
        np.testing.assert_allclose(manifold.separations, -0.001, atol=1e-6)
    # Side by side, and a capsule on the cap and along the mantle.
    (manifold,), _ = shapes.collide(large, ORIGIN, IDENTITY, small, (0.699, 0.1, 0.0), IDENTITY)
    assert len(manifold.points) == 2 and manifold.deepest == pytest.approx(-0.001, abs=1e-5)
    capsule = shapes.capsule(0.1, 0.2)
    (manifold,), _ = shapes.collide(capsule, (0.1, 0.399, 0.0), LYING, large, ORIGIN, IDENTITY)
    assert len(manifold.points) == 2
    np.testing.assert_allclose(manifold.separations, -0.001, atol=1e-6)
    (manifold,), _ = shapes.collide(capsule, (0.599, 0.0, 0.0), IDENTITY, large, ORIGIN, IDENTITY)
    assert len(manifold.points) == 2
    np.testing.assert_allclose(manifold.separations, -0.001, atol=1e-5)


@pytest.mark.parametrize("spin", (0.0, 0.3, 1.0, 1.5637, 2.0))
@pytest.mark.parametrize("longer", (0.9999999, 1.0, 1.0000001))
def test_an_upright_cylinder_stands_however_its_rotation_is_rounded(longer, spin):
    """An axis that is longer than 1 by a rounding error leaves no length of the floor's normal across it: cylinders upside down
    fell through the floor, whose lowest point seemed to be a radius above their end."""
    space = scree.World(threads=1).add_space(gravity=(0.0, -9.8, 0.0))
    space.add_static(scree.Plane())
    standing = space.add_rigid(scree.Cylinder(radius=0.4, height=1.0), (0.0, 0.5, 0.0), mass=1.0)
    row = space.core.bodies.rows[space.core.body.index("test", standing.id)]
    row["rotation"] = np.array((np.cos(0.5 * spin), 0.0, np.sin(0.5 * spin), 0.0)) * longer
    for _ in range(20):
        space.step(1.0 / 60.0)
    assert standing.position[1] == pytest.approx(0.5, abs=1e-3)
