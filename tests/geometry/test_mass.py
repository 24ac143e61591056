"""Mass properties against sums over many random points and against known solids."""

import numpy as np
import pytest

from scree.geometry import mass
from scree.geometry.hull_building import convex_hull


def sampled(is_inside, low, high, count=400_000):
    """Naive twin: volume, centre and inertia per kilogram from random points."""
    points = np.random.default_rng(0).uniform(low, high, (count, 3))
    points = points[is_inside(points)]
    volume = np.prod(np.subtract(high, low)) * len(points) / count
    center = points.mean(axis=0)
    x, y, z = (points - center).T
    inertia = [(y * y + z * z), (x * x + z * z), (x * x + y * y), -x * y, -x * z, -y * z]
    return volume, center, np.array([i.mean() for i in inertia])


def inside_capsule(points, radius, half_height):
    y = points[:, 1] - np.clip(points[:, 1], -half_height, half_height)
    return points[:, 0] ** 2 + y**2 + points[:, 2] ** 2 <= radius**2


@pytest.mark.parametrize("radius, half_height", [(0.5, 1.0), (1.0, 0.1), (0.2, 2.0)])
def test_round_solids(radius, half_height):
    reach = radius + half_height
    low, high = [-radius, -reach, -radius], [radius, reach, radius]
    for solid, test in (
        (mass.capsule_mass, lambda p: inside_capsule(p, radius, half_height)),
        (
            mass.cylinder_mass,
            lambda p: (p[:, 0] ** 2 + p[:, 2] ** 2 <= radius**2) & (np.abs(p[:, 1]) <= half_height),
        ),
    ):
        volume, inertia = solid(radius, half_height)
        expected_volume, _, expected_inertia = sampled(test, low, high)
        assert volume == pytest.approx(expected_volume, rel=0.01)
        np.testing.assert_allclose(inertia, expected_inertia, atol=0.01 * max(inertia))


def test_a_capsule_without_middle_is_a_sphere():
    np.testing.assert_allclose(mass.capsule_mass(0.7, 0.0)[1], mass.sphere_mass(0.7)[1])
    assert mass.capsule_mass(0.7, 0.0)[0] == pytest.approx(mass.sphere_mass(0.7)[0])


def test_box_and_its_polyhedron_agree():
    half = (0.3, 1.2, 2.5)
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
    shift = np.array([10.0, -20.0, 5.0])
    hull = convex_hull(corners + shift)
    volume, center, inertia = mass.polyhedron_mass(hull.vertices, hull.face_starts, hull.face_vertices)
    expected_volume, expected_inertia = mass.box_mass(half)
    assert volume == pytest.approx(expected_volume, rel=1e-5)
    np.testing.assert_allclose(center, shift, atol=1e-5)
    np.testing.assert_allclose(inertia, expected_inertia, atol=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_polyhedron(seed):
    rng = np.random.default_rng(seed)
    hull = convex_hull(rng.normal(size=(20, 3)) * rng.uniform(0.5, 2.0, 3))
    normals, distances = hull.planes[:, :3], hull.planes[:, 3]
    volume, center, inertia = mass.polyhedron_mass(hull.vertices, hull.face_starts, hull.face_vertices)
    expected = sampled(lambda p: (p @ normals.T <= distances).all(axis=1), hull.vertices.min(axis=0), hull.vertices.max(axis=0))
    assert volume == pytest.approx(expected[0], rel=0.02)
    np.testing.assert_allclose(center, expected[1], atol=0.02)
    np.testing.assert_allclose(inertia, expected[2], atol=0.02 * max(inertia))


def test_polyhedron_mass_is_trimeshs():
    import trimesh

    hull = convex_hull(np.random.default_rng(5).normal(size=(40, 3)))
    solid = trimesh.convex.convex_hull(hull.vertices.astype(np.float64))
    volume, center, inertia = mass.polyhedron_mass(hull.vertices, hull.face_starts, hull.face_vertices)
    assert volume == pytest.approx(solid.volume, rel=1e-5)
    np.testing.assert_allclose(center, solid.center_mass, atol=1e-5)
    tensor = solid.moment_inertia / solid.volume
    expected = [tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2]]
    np.testing.assert_allclose(inertia, expected, atol=1e-5)
