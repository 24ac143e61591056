"""Convex shapes against triangle meshes: no bumps on inner edges, real edges felt, and depths against the oracle."""

import numpy as np
import pytest

from .bodies import IDENTITY, ORIGIN, Shapes, grid_floor, normalized
from .oracle import rotation_matrix, signed_distance

FLOOR = (0.0, -1.0, 0.0)


@pytest.fixture(scope="module")
def flat():
    """Bodies of every kind and a flat floor of 2,000 triangles; its cells are smaller than the bodies."""
    shapes = Shapes()
    floor = shapes.mesh(*grid_floor(32, 0.4))
    corners = np.random.default_rng(4).normal(size=(14, 3)) * 0.4
    bodies = {
        "box": shapes.box((0.5, 0.4, 0.3)),
        "small box": shapes.box((0.05, 0.05, 0.05)),
        "sphere": shapes.sphere(0.4),
        "marble": shapes.sphere(0.01),
        "capsule": shapes.capsule(0.2, 0.5),
        "hull": shapes.hull(corners),
    }
    return shapes, floor, bodies


@pytest.mark.parametrize("body", ["box", "small box", "sphere", "marble", "capsule", "hull"])
def test_nothing_bumps_on_a_flat_floor(flat, body):
    """However a body lies on, over or in a flat floor, every normal points straight at it, and the depth is right."""
    shapes, floor, bodies = flat
    row = bodies[body]
    rng = np.random.default_rng(1)
    touching = 0
    for _ in range(300):
        q = normalized(rng.integers(-1, 2, 4) if rng.random() < 0.4 else rng.normal(size=4))
        position = rng.uniform(-4.0, 4.0, 3)
        core, radius = shapes.world_core(row, ORIGIN, q)
        lowest = core[:, 1].min() - radius
        height = rng.choice([-0.005, 0.0, 0.01, 0.05, rng.uniform(-0.2, 0.0) * abs(lowest)])
        position[1] = height - lowest
        manifolds, _ = shapes.collide(row, position, q, floor, ORIGIN, IDENTITY)
        if height > 0.02:
            assert manifolds == []
            continue
        touching += 1
        (manifold,) = manifolds
        np.testing.assert_allclose(manifold.normal, FLOOR, atol=1e-6)
        assert manifold.deepest == pytest.approx(height, abs=1e-4)
        assert 1 <= len(manifold.points) <= 4
        np.testing.assert_allclose(manifold.points[:, 1], 0.5 * manifold.separations, atol=1e-6)
        assert 0 <= manifold.face < 2048
    assert touching > 100


@pytest.mark.parametrize("body", ["box", "small box", "hull", "capsule"])
def test_points_span_the_body_on_a_floor(flat, body):
    """Merging keeps the outline: the middle of what a resting body stands on lies within its points."""
    shapes, floor, bodies = flat
    row = bodies[body]
    core, radius = shapes.world_core(row, ORIGIN, IDENTITY)
    lying = normalized((0.0, 0.0, 1.0, 1.0)) if body == "capsule" else IDENTITY
    core, radius = shapes.world_core(row, ORIGIN, lying)
    low = core[:, 1].min()
    support = core[core[:, 1] < low + 1e-4]
    (manifold,), _ = shapes.collide(row, (0.123, radius - low - 0.001, 0.077), lying, floor, ORIGIN, IDENTITY)
    touching = manifold.points[manifold.separations < 0.0]
    for axis in (0, 2):
        offset = (0.123, 0.0, 0.077)[axis]
        assert touching[:, axis].min() - offset == pytest.approx(support[:, axis].min(), abs=2e-3)
        assert touching[:, axis].max() - offset == pytest.approx(support[:, axis].max(), abs=2e-3)


def test_corners_keep_their_names_while_a_box_slides(flat):
    shapes, floor, bodies = flat
    names = None
    for step in range(200):
        position = (0.013 * step - 1.0, 0.399, 0.007 * step)
        (manifold,), _ = shapes.collide(bodies["box"], position, IDENTITY, floor, ORIGIN, IDENTITY)
        assert len(manifold.points) == 4
        now = set(manifold.features.tolist())
        assert names is None or now == names
        names = now


@pytest.mark.parametrize("body", ["box", "small box", "sphere", "marble", "capsule", "hull", "cylinder"])
@pytest.mark.parametrize("is_two_sided", [False, True])
def test_no_contact_pushes_along_a_straight_border(body, is_two_sided):
    """However a body meets a border that goes straight on, ahead of a vertex, over it or beside it: the normals lie across."""
    shapes = Shapes()
    floor = shapes.mesh(*grid_floor(16, 0.4), is_two_sided)  # its border: z = 3.2
    row = {
        "box": lambda: shapes.box((0.5, 0.4, 0.3)), "small box": lambda: shapes.box((0.05, 0.05, 0.05)),
        "sphere": lambda: shapes.sphere(0.4), "marble": lambda: shapes.sphere(0.01),
        "capsule": lambda: shapes.capsule(0.2, 0.5), "cylinder": lambda: shapes.cylinder(0.3, 0.2),
        "hull": lambda: shapes.hull(np.random.default_rng(4).normal(size=(14, 3)) * 0.4),
    }[body]()  # fmt: skip
    rng = np.random.default_rng(2)
    touching = 0
    for _ in range(600):
        q = normalized(rng.integers(-1, 2, 4) if rng.random() < 0.4 else rng.normal(size=4))
        core, radius = shapes.world_core(row, ORIGIN, q)
        low, high = core.min(axis=0) - radius, core.max(axis=0) + radius
        position = np.array((rng.uniform(-2.0, 2.0), 0.0, 0.0))
        position[1] = rng.choice([-low[1] + rng.uniform(-0.01, 0.019), rng.uniform(0.0, -low[1])])
        position[2] = 3.2 - low[2] + rng.choice([rng.uniform(-0.02, 0.019), rng.uniform(low[2] - high[2], 0.0)])
        manifolds, _ = shapes.collide(row, position, q, floor, ORIGIN, IDENTITY)
        touching += len(manifolds) > 0
        for manifold in manifolds:
            # A face of the body may be some degrees off a right angle to an edge that it hits.
            assert manifold.deepest < -0.02 or abs(manifold.normal[0]) < 0.25, (position, q)
    assert touching > 200


def nearest_triangle(core, triangles) -> float:
    """The least signed distance of a core from triangles (n, 3, 3). Along any axis they are no farther apart than that: the axes
    of the world and the triangles' normals show that most need no closer look."""
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    along = (core - triangles[:, :1]) @ (normals / np.linalg.norm(normals, axis=1)[:, None])[:, :, None]
    low, high = triangles.min(1), triangles.max(1)
    gaps = [along.min(1), -along.max(1), core.min(0) - high, low - core.max(0)]
    at_least, best = np.concatenate(gaps, axis=1).max(1), np.inf
    for k in np.argsort(at_least):
        if at_least[k] >= best:
            break
        best = min(best, signed_distance(core, triangles[k]))
    return best


def test_contacts_of_round_bodies_lie_where_their_normals_leave_the_core():
    """Else turning about the core would look like coming closer. Also beside the border of a mesh, where normals are corrected.
    The points of a capsule share the normal of the deepest, which is at most 5 degrees off theirs."""
    shapes, rng = Shapes(), np.random.default_rng(6)
    grounds = [shapes.mesh(*grid_floor(6, 0.7, seed=3, bump=0.25)), shapes.mesh(*grid_floor(4, 1.0))]
    bodies, seen = [shapes.sphere(0.3), shapes.capsule(0.15, 0.3)], 0
    for k in range(1500):
        row, ground, q = bodies[k % 2], grounds[rng.integers(2)], normalized(rng.normal(size=4))
        position = rng.uniform((-2.4, 0.0, -2.4), (2.4, 0.6, 2.4))
        core, radius = shapes.world_core(row, position, q)
        for manifold in shapes.collide(row, position, q, ground, ORIGIN, IDENTITY)[0]:
            for point, separation in zip(manifold.points, manifold.separations, strict=True):
                axis = point - manifold.normal * (radius + 0.5 * separation)
                along = core[-1] - core[0]
                part = np.clip((axis - core[0]) @ along / max(along @ along, 1e-12), 0.0, 1.0)
                np.testing.assert_allclose(axis, core[0] + part * along, atol=0.015 if k % 2 else 2e-5)
                seen += 1
    assert seen > 500


def test_uneven_ground_holds_bodies_and_matches_the_nearest_triangle():
    """Over bumpy ground the least separation is that of the nearest triangle (no body deep in the ground here)."""
    shapes = Shapes()
    vertices, triangles = grid_floor(12, 0.7, seed=3, bump=0.25)
    floor = shapes.mesh(vertices, triangles)
    corners = vertices.astype(np.float32).astype(float)
    rng = np.random.default_rng(2)
    bodies = [shapes.sphere(0.3), shapes.capsule(0.15, 0.3), shapes.box((0.3, 0.2, 0.25)),
              shapes.hull(rng.normal(size=(10, 3)) * 0.25)]  # fmt: skip
    for _ in range(60):
        for row in bodies:
            q = normalized(rng.normal(size=4))
            position = np.array([*rng.uniform(-2.5, 2.5, 3)])
            position[1] = 3.0
            core, radius = shapes.world_core(row, position, q)
            # Let it down until it just touches: by halving.
            near = triangles[(np.abs(corners[triangles].mean(1) - position)[:, [0, 2]] < 1.6).all(1)]

            def separation(drop, core=core, radius=radius, near=near):
                return nearest_triangle(core - (0.0, drop, 0.0), corners[near]) - radius

            low, high = 0.0, 4.0
            for _ in range(18):
                middle = 0.5 * (low + high)
                low, high = (middle, high) if separation(middle) > 0.005 else (low, middle)
            if abs(separation(low) - 0.005) > 1e-3:
                continue  # it hung beside all triangles that were looked at
            position[1] -= low
            manifolds, _ = shapes.collide(row, position, q, floor, ORIGIN, IDENTITY)
            assert manifolds
            assert min(m.deepest for m in manifolds) == pytest.approx(0.005, abs=2e-3)
            assert max(m.normal[1] for m in manifolds) < 0.2


def stairs():
    """One step: a tread at height 0 for x < 0, a riser of 1 m, and the ground at -1."""
    vertices = np.array(
        [(-4, 0, -4), (-4, 0, 4), (0, 0, -4), (0, 0, 4), (0, -1, -4), (0, -1, 4), (4, -1, -4), (4, -1, 4)], dtype=float
    )
    triangles = [(0, 1, 2), (1, 3, 2), (2, 3, 4), (3, 5, 4), (4, 5, 6), (5, 7, 6)]
    return vertices, np.array(triangles, dtype=np.int32)


def test_a_real_edge_is_felt():
    shapes = Shapes()
    step = shapes.mesh(*stairs())
    sphere = shapes.sphere(0.5)
    # Beside the edge, half over it: pushed away along the line from the edge.
    position = np.array([0.3, 0.38, 0.1])
    (manifold,), _ = shapes.collide(sphere, position, IDENTITY, step, ORIGIN, IDENTITY)
    toward = -np.array([0.3, 0.38, 0.0]) / np.hypot(0.3, 0.38)
    np.testing.assert_allclose(manifold.normal, toward, atol=1e-6)
    assert manifold.deepest == pytest.approx(np.hypot(0.3, 0.38) - 0.5, abs=1e-6)
    # On the ground beside the riser: held by both.
    manifolds, _ = shapes.collide(sphere, (0.49, -0.51, 0.0), IDENTITY, step, ORIGIN, IDENTITY)
    normals = sorted(tuple(np.round(m.normal, 6) + 0.0) for m in manifolds)
    assert normals == [(-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)]


def test_a_box_in_a_corner_is_held_by_floor_and_wall():
    shapes = Shapes()
    step = shapes.mesh(*stairs())
    box = shapes.box((0.3, 0.3, 0.3))
    manifolds, _ = shapes.collide(box, (0.295, -0.705, 0.0), IDENTITY, step, ORIGIN, IDENTITY)
    assert {tuple(np.round(m.normal, 6) + 0.0) for m in manifolds} == {(-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)}
    for manifold in manifolds:
        assert len(manifold.points) == 4
        np.testing.assert_allclose(manifold.separations, -0.005, atol=1e-6)


@pytest.mark.parametrize("kind", ["sphere", "box"])
def test_back_faces_collide_only_when_asked_to(kind):
    shapes = Shapes()
    vertices, triangles = grid_floor(4, 1.0)
    body = shapes.sphere(0.3) if kind == "sphere" else shapes.box((0.3, 0.3, 0.3))
    one_sided, two_sided = shapes.mesh(vertices, triangles), shapes.mesh(vertices, triangles, True)
    below = (0.1, -0.295, 0.2)
    assert shapes.collide(body, below, IDENTITY, one_sided, ORIGIN, IDENTITY)[0] == []
    (manifold,), _ = shapes.collide(body, below, IDENTITY, two_sided, ORIGIN, IDENTITY)
    np.testing.assert_allclose(manifold.normal, (0.0, 1.0, 0.0), atol=1e-6)
    assert manifold.deepest == pytest.approx(-0.005, abs=1e-6)


def test_the_mesh_may_be_either_shape_and_turned(flat):
    shapes, floor, bodies = flat
    q = normalized((0.3, -0.2, 0.5, 0.7))
    turn = rotation_matrix(q)
    place = np.array([3.0, -2.0, 5.0])
    position = turn @ np.array([0.1, 0.395, 0.2]) + place
    (manifold,), _ = shapes.collide(floor, place, q, bodies["box"], position, q)
    np.testing.assert_allclose(manifold.normal, turn @ (0.0, 1.0, 0.0), atol=1e-6)
    np.testing.assert_allclose(manifold.separations, -0.005, atol=1e-5)
