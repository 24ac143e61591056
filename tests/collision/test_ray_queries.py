"""Rays and points against naive twins, and Godot's rules for them."""

import ctypes
import threading

import numpy as np
import pytest

from scree.bodies.schema import IS_AREA, KINEMATIC, RAY_PICKABLE, RIGID
from scree.collision import query_schema
from scree.collision.ray_queries import query_rays
from scree.core.queries import Queries
from scree.shapes.schema import BOX, CAPSULE, HEIGHT_FIELD, MESH, PLANE, SEPARATION_RAY, SPHERE

from .query_twins import Solid, new_world, place, random_solids

FAR_AWAY = (10_000.0, -2_000.0, 7_000.0)
SQUARE = np.array([[-1, 0, -1], [-1, 0, 1], [1, 0, 1], [1, 0, -1]], dtype=np.float64), np.array([[0, 1, 2], [0, 2, 3]])


@pytest.fixture
def empty():
    world, system = new_world()
    return world, system, Queries(world)


@pytest.mark.parametrize("center", [(0.0, 0.0, 0.0), FAR_AWAY])
def test_nearest_hits_are_those_of_brute_force(center):
    world, system = new_world()
    solids = random_solids(1, 60, center)
    for solid in solids:
        place(world, system, solid)
    rng = np.random.default_rng(2)
    origins, ends = center + rng.uniform(-20, 20, (4000, 3)), center + rng.uniform(-20, 20, (4000, 3))
    hits = Queries(world).cast_rays(system, origins, ends)
    fractions = np.array([solid.ray(origins, ends) for solid in solids])
    nearest, which = fractions.min(axis=0), fractions.argmin(axis=0)
    is_hit = hits["body"] >= 0
    lengths = np.linalg.norm(ends - origins, axis=1)
    # A graze may go either way: what the two disagree about passes within 0.1 mm of some surface.
    differs = (is_hit != np.isfinite(nearest)) | (is_hit & (abs(hits["fraction"] - nearest) * lengths > 2e-4))
    assert differs.sum() <= 4
    both = is_hit & ~differs
    assert both.sum() > 700
    bodies = np.array([solid.body for solid in solids])
    is_tied = (np.sort(fractions, axis=0)[1][both] - nearest[both]) * lengths[both] < 1e-3
    assert (is_tied | (hits["body_id"][both] == bodies[which[both]])).all()
    along = origins + (ends - origins) * hits["fraction"][:, None]
    np.testing.assert_allclose(hits["position"][both], along[both], atol=1e-9)
    on_surface = [solids[w].distance(p)[0] for w, p in zip(which[both], hits["position"][both], strict=True)]
    assert np.abs(np.array(on_surface)[~is_tied]).max() < 2e-5
    assert (np.einsum("ij,ij->i", hits["normal"][both], (ends - origins)[both]) < 1e-6).all()
    np.testing.assert_allclose(np.linalg.norm(hits["normal"][both], axis=1), 1.0, atol=1e-5)


def test_normals_follow_the_distance_field():
    world, system = new_world()
    solids = [solid for solid in random_solids(3, 40) if solid.kind != MESH]
    for solid in solids:
        place(world, system, solid)
    rng = np.random.default_rng(4)
    hits = Queries(world).cast_rays(system, rng.uniform(-20, 20, (2000, 3)), rng.uniform(-20, 20, (2000, 3)))
    hits = hits[hits["body"] >= 0]
    of_body = {solid.body: solid for solid in solids}
    for hit in hits[:400]:
        distance = of_body[int(hit["body_id"])].distance
        step = 1e-4
        gradient = [(distance(hit["position"] + step * e) - distance(hit["position"] - step * e))[0] for e in np.eye(3)]
        gradient = np.array(gradient) / (2.0 * step)
        if np.linalg.norm(gradient) > 0.999:  # else at an edge
            np.testing.assert_allclose(hit["normal"], gradient, atol=5e-3)


def test_points_are_in_what_brute_force_says(empty):
    world, system, queries = empty
    solids = random_solids(5, 80, FAR_AWAY, spread=4.0)
    for solid in solids:
        place(world, system, solid)
    points = FAR_AWAY + np.random.default_rng(6).uniform(-5, 5, (500, 3))
    distances = np.array([solid.distance(points) if solid.kind != MESH else np.full(500, 9.0) for solid in solids])
    found_any = 0
    for i, point in enumerate(points):
        found = set(queries.intersect_point(system, point)["body_id"].tolist())
        sure = {solid.body for solid, d in zip(solids, distances[:, i], strict=True) if d < -1e-4}
        possible = {solid.body for solid, d in zip(solids, distances[:, i], strict=True) if d < 1e-4}
        assert sure <= found <= possible
        found_any += len(found)
    assert found_any > 100
    crowded = points[(distances < -1e-4).sum(axis=0).argmax()]
    everything = queries.intersect_point(system, crowded)
    assert len(everything) >= 2 and len(queries.intersect_point(system, crowded, max_results=1)) == 1
    assert len(queries.intersect_point(system, crowded, max_results=0)) == 0


@pytest.mark.parametrize("kind", [SPHERE, BOX, CAPSULE])
def test_a_ray_from_inside(empty, kind):
    world, system, queries = empty
    body = place(world, system, Solid(kind, (0.5, 0.5, 0.5)))
    behind = place(world, system, Solid(SPHERE, (0.5, 0, 0), (3, 0, 0)))
    assert queries.cast_ray(system, (0, 0, 0), (10, 0, 0))["body_id"] == behind
    hit = queries.cast_ray(system, (0, 0, 0), (10, 0, 0), hit_from_inside=True)
    assert hit["body_id"] == body and hit["fraction"] == 0.0
    assert hit["position"].tolist() == [0, 0, 0] and hit["normal"].tolist() == [0, 0, 0]


def test_an_inside_hit_does_not_hide_what_the_mask_leaves_out(empty):
    world, system, queries = empty
    inner = place(world, system, Solid(SPHERE, (1, 0, 0)))
    world.body.set_collision_layer(inner, 2)
    outer = place(world, system, Solid(SPHERE, (0.5, 0, 0), (3, 0, 0)))
    assert queries.cast_ray(system, (0, 0, 0), (10, 0, 0), mask=1, hit_from_inside=True)["body_id"] == outer
    assert queries.cast_ray(system, (0, 0, 0), (10, 0, 0), mask=2, hit_from_inside=True)["body_id"] == inner
    assert queries.cast_ray(system, (0, 0, 0), (10, 0, 0), mask=4, hit_from_inside=True) is None
    assert queries.cast_ray(system, (0, 0, 0), (10, 0, 0), mask=0) is None


@pytest.mark.parametrize("kind", [SPHERE, BOX, CAPSULE])
def test_a_ray_without_length_hits_what_it_is_inside_of(empty, kind):
    world, system, queries = empty
    body = place(world, system, Solid(kind, (0.5, 0.5, 0.5), (1, 2, 3)))
    point = (1.1, 2.1, 3.1)
    assert queries.cast_ray(system, point, point) is None
    hit = queries.cast_ray(system, point, point, hit_from_inside=True)
    assert hit["body_id"] == body and hit["fraction"] == 0.0 and hit["normal"].tolist() == [0, 0, 0]
    np.testing.assert_allclose(hit["position"], point, atol=1e-6)
    assert len(queries.cast_ray_all(system, point, point, hit_from_inside=True)) == 1
    assert queries.cast_ray(system, (1.6, 2, 3), (1.6, 2, 3), hit_from_inside=True) is None


def test_back_faces_and_face_index(empty):
    world, system, queries = empty
    mesh = Solid(MESH, (0, 0, 0), vertices=SQUARE[0], triangles=SQUARE[1])
    body = place(world, system, mesh)
    hit = queries.cast_ray(system, (-0.5, 2, 0.5), (-0.5, -2, 0.5))
    assert (hit["body_id"], hit["face"]) == (body, 0)
    np.testing.assert_allclose(hit["normal"], (0, 1, 0), atol=1e-6)
    assert queries.cast_ray(system, (0.5, 2, -0.5), (0.5, -2, -0.5))["face"] == 1
    up = (0.5, -2, -0.5), (0.5, 2, -0.5)
    assert queries.cast_ray(system, *up) is None  # one-sided: never from behind
    two_sided = world.shape.create(MESH)
    world.shapes.set_mesh(world.shape.index("", two_sided), *SQUARE, True)
    place(world, system, Solid(MESH, (0, 0, 0), (0, 1, 0)), shape=two_sided)
    hit = queries.cast_ray(system, *up)
    np.testing.assert_allclose(hit["normal"], (0, -1, 0), atol=1e-6)
    assert hit["position"][1] == pytest.approx(1.0)
    assert queries.cast_ray(system, *up, hit_back_faces=False) is None


def test_a_height_field_tells_no_face(empty):
    world, system, queries = empty
    shape = world.shape.create(HEIGHT_FIELD)
    world.shapes.set_height_field(world.shape.index("", shape), 3, 3, np.full(9, 0.25))
    place(world, system, Solid(HEIGHT_FIELD, (0, 0, 0)), shape=shape)
    hit = queries.cast_ray(system, (0.3, 2, 0.3), (0.3, -2, 0.3))
    assert hit["face"] == -1 and hit["position"][1] == pytest.approx(0.25)


def test_a_plane_is_hit_from_any_height(empty):
    world, system, queries = empty
    place(world, system, Solid(PLANE, (0, 1, 0, 0)))
    hit = queries.cast_ray(system, (5e4, 1e3, -3e4), (5e4, -1e3, -3e4))
    assert hit["fraction"] == pytest.approx(0.5) and hit["normal"].tolist() == [0, 1, 0]
    assert len(queries.intersect_point(system, (1e5, -1e5, 0))) == 1


def test_what_cannot_be_seen(empty):
    world, system, queries = empty
    ray = (-5, 0, 0), (5, 0, 0)
    body = place(world, system, Solid(SPHERE, (0.5, 0, 0)))
    assert queries.cast_ray(system, *ray)["body_id"] == body
    world.body.set_shape_disabled(body, 0, True)
    assert queries.cast_ray(system, *ray) is None
    world.body.set_shape_disabled(body, 0, False)
    row = world.bodies.rows[world.body.index("", body)]
    row["flags"] = int(row["flags"]) & ~RAY_PICKABLE
    assert queries.cast_ray(system, *ray)["body_id"] == body
    assert queries.cast_ray(system, *ray, only_pickable=True) is None
    row["flags"] = int(row["flags"]) | RAY_PICKABLE
    assert queries.cast_ray(system, *ray, only_pickable=True)["body_id"] == body
    assert queries.cast_ray(system, *ray, exclude=[body]) is None
    assert queries.cast_ray(system, *ray, bodies=False, areas=True) is None
    world.body.set_system(body, 0)
    assert queries.cast_ray(system, *ray) is None
    unset = world.body.create()
    world.body.add_shape(unset, world.shape.create(SPHERE))  # no radius yet
    world.body.set_system(unset, system)
    assert queries.cast_ray(system, *ray) is None
    feeler = world.shape.create(SEPARATION_RAY)
    world.shapes.set_separation_ray(world.shape.index("", feeler), 2.0)
    place(world, system, Solid(SEPARATION_RAY, (0, 0, 0)), shape=feeler)
    assert queries.cast_ray(system, (-5, 0, 1), (5, 0, 1), hit_from_inside=True) is None


def test_areas_only_on_request(empty):
    world, system, queries = empty
    area = place(world, 0, Solid(SPHERE, (0.5, 0, 0)))
    row = world.bodies.rows[world.body.index("", area)]
    row["flags"] = int(row["flags"]) | IS_AREA
    world.body.set_system(area, system)
    ray = (-5, 0, 0), (5, 0, 0)
    assert queries.cast_ray(system, *ray) is None
    assert queries.cast_ray(system, *ray, areas=True)["body_id"] == area
    assert len(queries.intersect_point(system, (0, 0, 0))) == 0
    assert queries.intersect_point(system, (0, 0, 0), bodies=False, areas=True)["body_id"].tolist() == [area]


def test_exclusion_is_asked_by_address_and_only_for_hits(empty):
    world, system, queries = empty
    bodies = [place(world, system, Solid(SPHERE, (0.5, 0, 0), (2.0 * k, 0, 0))) for k in range(4)]
    place(world, system, Solid(SPHERE, (0.5, 0, 0), (0, 5, 0)))
    asked = []

    @ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
    def is_excluded(context, body):
        asked.append((context, body))
        return body in bodies[:2]

    query = np.zeros(1, dtype=query_schema.QUERY)
    result = np.zeros(1, dtype=query_schema.RAY_RESULT)
    row = query[0]
    row["operation"], row["flags"], row["collision_mask"] = query_schema.RAY, query_schema.WITH_BODIES, 1
    row["position"], row["motion"], row["results"] = (-3, 0, 0), (20, 0, 0), result.ctypes.data
    row["exclusion_function"], row["exclusion_context"] = ctypes.cast(is_excluded, ctypes.c_void_p).value, 77
    assert query_rays(world.system(system).address, query.ctypes.data) == 1
    assert result[0]["body_id"] == bodies[2]
    assert set(asked) <= {(77, body) for body in bodies} and (77, bodies[2]) in asked


def test_bodies_are_seen_where_they_are_now(empty):
    world, system, queries = empty
    at = lambda x: [1, 0, 0, 0, 1, 0, 0, 0, 1, x, 0, 0]  # noqa: E731
    look = lambda x: queries.cast_ray(system, (x, 5, 0), (x, -5, 0))  # noqa: E731
    static = place(world, system, Solid(SPHERE, (0.5, 0, 0)))
    rigid = place(world, system, Solid(SPHERE, (0.5, 0, 0), (3, 0, 0)), RIGID)
    kinematic = place(world, system, Solid(SPHERE, (0.5, 0, 0), (6, 0, 0)), KINEMATIC)
    world.body.set_transform(static, at(-30))
    world.body.set_transform(rigid, at(-40))
    assert look(0) is None and look(-30)["body_id"] == static
    assert look(3) is None and look(-40)["body_id"] == rigid
    world.step(system, 1 / 60)
    world.body.set_transform(kinematic, at(-50))
    assert look(6)["body_id"] == kinematic and look(-50) is None
    world.step(system, 1 / 60)
    assert look(6) is None and look(-50)["body_id"] == kinematic


def test_a_body_of_many_shapes_tells_which(empty):
    world, system, queries = empty
    body = world.body.create()
    shape = world.shape.create(BOX)
    world.shapes.set_box(world.shape.index("", shape), (0.4, 0.4, 0.4))
    for k in range(7):
        world.body.add_shape(body, shape, [1, 0, 0, 0, 1, 0, 0, 0, 1, k, 0, 0])
    world.body.set_transform(body, [0, 0, 1, 0, 1, 0, -1, 0, 0, 10, 0, 0])  # a quarter turn about Y: along -Z
    world.body.set_system(body, system)
    hits = queries.cast_rays(system, [(10, 3, -k) for k in range(7)], [(10, -3, -k) for k in range(7)])
    assert hits["instance"].tolist() == list(range(7))
    np.testing.assert_allclose(hits["position"][:, 1], 0.4, atol=1e-6)
    assert queries.intersect_point(system, (10, 0.3, -4.3))["instance"].tolist() == [4]


def test_many_threads_get_the_same_answers():
    world, system = new_world()
    for solid in random_solids(7, 60):
        place(world, system, solid)
    rng = np.random.default_rng(8)
    origins, ends = rng.uniform(-20, 20, (3000, 3)), rng.uniform(-20, 20, (3000, 3))
    queries = Queries(world)
    expected = queries.cast_rays(system, origins, ends).tobytes()
    answers = []

    def ask():
        answers.append(queries.cast_rays(system, origins, ends).tobytes())

    threads = [threading.Thread(target=ask) for _ in range(4)]
    [thread.start() for thread in threads], [thread.join() for thread in threads]
    assert answers == [expected] * 4


def test_bad_input_is_named(empty):
    world, system, queries = empty
    with pytest.raises(ValueError, match="cast_rays: ends must be finite, got nan"):
        queries.cast_rays(system, np.zeros((2, 3)), [[0, 0, 0], [np.nan, 0, 0]])
    with pytest.raises(ValueError, match="cast_rays: origins and ends must be of the same number, got 1 and 2"):
        queries.cast_rays(system, np.zeros((1, 3)), np.zeros((2, 3)))
    with pytest.raises(ValueError, match=r"cast_rays: origins must be numbers of shape \(-1, 3\), got shape \(3,\)"):
        queries.cast_rays(system, np.zeros(3), np.zeros(3))
    with pytest.raises(ValueError, match="intersect_point: point must be finite, got inf"):
        queries.intersect_point(system, (np.inf, 0, 0))
    with pytest.raises(ValueError, match="cast_rays: mask"):
        queries.cast_ray(system, (0, 0, 0), (1, 0, 0), mask=1 << 40)
    with pytest.raises(ValueError, match="max_results must not be negative, got -1"):
        queries.intersect_point(system, (0, 0, 0), max_results=-1)
    with pytest.raises(KeyError, match="there is no space"):
        queries.cast_ray(12345, (0, 0, 0), (1, 0, 0))
    assert len(queries.cast_rays(system, np.zeros((0, 3)), np.zeros((0, 3)))) == 0
