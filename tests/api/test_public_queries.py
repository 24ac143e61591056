"""Rays, shapes and places asked of a space: one gives a value or None, many give arrays."""

import numpy as np
import pytest

import scree
from scree.api.shape_table import RECENT

CUBE = scree.Box(half_extents=(0.5, 0.5, 0.5))


@pytest.fixture
def row(space):
    """Ten cubes along x, 3 m apart, and an area about all of them."""
    cubes = space.add_static_many(CUBE, [(3.0 * k, 0, 0) for k in range(10)])
    return cubes, space.add_area(scree.Box(half_extents=(40, 2, 2)))


def test_one_ray_gives_a_hit_or_none(space, row):
    cubes, area = row
    hit = space.cast_ray((6, 5, 0), (6, -5, 0))
    assert isinstance(hit, scree.Hit) and hit.body == cubes[2] and hit.distance == pytest.approx(4.5)
    assert (hit.part, hit.face, hit.surface) == (-1, -1, -1)
    np.testing.assert_allclose(hit.position, (6, 0.5, 0), atol=1e-6)
    np.testing.assert_allclose(hit.normal, (0, 1, 0), atol=1e-6)
    assert space.cast_ray((1.5, 5, 0), (1.5, -5, 0)) is None
    assert space.cast_ray((6, 5, 0), (6, -5, 0), exclude=[hit.body]) is None
    assert space.cast_ray((6, 5, 0), (6, -5, 0), bodies=False, areas=True).body == area
    assert space.cast_ray((6, 0, 0), (6, -5, 0)) is None
    assert space.cast_ray((6, 0, 0), (6, -5, 0), from_inside=True).distance == 0.0


POINTS = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]


@pytest.mark.parametrize(
    "shape",
    [
        CUBE, scree.Sphere(radius=0.5), scree.Capsule(radius=0.5, height=2.0), scree.Cylinder(radius=0.5, height=1.0),
        scree.Hull(points=POINTS), scree.Plane(), scree.Ellipsoid(half_axes=(0.5, 0.6, 0.7)),
        scree.TaperedCapsule(half_height=0.5, top_radius=0.4, bottom_radius=0.6), scree.Compound(parts=[scree.Part(shape=CUBE)]),
        scree.TaperedCylinder(half_height=0.5, top_radius=0.4, bottom_radius=0.6),
    ],
    ids=lambda shape: type(shape).__name__,
)  # fmt: skip
def test_a_ray_without_length_hits_what_it_is_inside_of(space, shape):
    body = space.add_static(shape, (3, 1, 0))
    inside, outside = (3.1, 0.9, 0.1), (3.1, 5, 0.1)
    hit = space.cast_ray(inside, inside, from_inside=True)
    assert hit.body == body and hit.distance == 0.0 and hit.normal.tolist() == [0, 0, 0]
    np.testing.assert_allclose(hit.position, inside, atol=1e-6)
    assert space.cast_ray(inside, inside) is None and space.cast_ray(outside, outside, from_inside=True) is None
    assert space.cast_rays([inside, outside], [inside, outside], from_inside=True).is_hit.tolist() == [True, False]


def test_many_rays_give_arrays_that_say_the_same_as_single_ones(space, row):
    random = np.random.default_rng(7)
    begin, end = random.uniform((-5, 2, -2), (35, 5, 2), (500, 3)), random.uniform((-5, -5, -2), (35, -2, 2), (500, 3))
    hits = space.cast_rays(begin, end)
    assert isinstance(hits, scree.Hits) and len(hits) == 500 and 50 < hits.is_hit.sum() < 500
    for k in range(500):
        single = space.cast_ray(begin[k], end[k])
        assert (single is not None) == hits.is_hit[k]
        if single is None:
            assert hits.distances[k] == np.inf and hits.body_ids[k] == 0
            continue
        assert single.body.id == hits.body_ids[k] and single.shape == hits.shapes[k]
        assert single.distance == hits.distances[k] and (single.position == hits.positions[k]).all()
        assert (single.normal == hits.normals[k]).all()
    shared = space.cast_rays(begin, end, threads=2)
    assert (shared.rows == hits.rows).all()
    assert (space.cast_rays(begin, end, any_hit=True).is_hit == hits.is_hit).all()
    fan = space.cast_rays((6, 5, 0), end)
    assert len(fan) == 500 and fan.distances.min() > 4.0


def test_one_ray_gives_all_that_it_passes(space, row):
    cubes, _ = row
    hits = space.cast_ray_all((-5, 0, 0), (40, 0, 0))
    assert [hit.body.id for hit in hits] == cubes.ids.tolist()
    np.testing.assert_allclose([hit.distance for hit in hits], 4.5 + 3 * np.arange(10), atol=1e-5)
    assert len(space.cast_ray_all((-5, 0, 0), (40, 0, 0), most=3)) == 3


def test_shapes_and_places(space, row):
    cubes, area = row
    ball = scree.Sphere(radius=0.5)
    hit = space.cast_shape(ball, (9, 5, 0), (0, -10, 0))
    assert hit.body == cubes[3] and hit.distance == pytest.approx(4.0, abs=0.01)
    assert space.cast_shape(ball, (9, 5, 0), (0, -3, 0)) is None
    assert space.overlaps(ball, (0.9, 0, 0)) == [cubes[0]] and space.overlaps(ball, (1.5, 0, 0)) == []
    assert set(space.overlaps(ball, (1.5, 0, 0), margin=0.6)) == {cubes[0], cubes[1]}
    assert space.overlaps(ball, (1.5, 0, 0), areas=True) == [area]
    assert space.at_point((3.2, 0, 0)) == [cubes[1]] and space.at_point((3.6, 0, 0)) == []
    near = space.near_box((3, 0, 0), (3.2, 1, 1))
    assert {body.id for body in near} == set(cubes.ids[:3].tolist())
    np.testing.assert_allclose(space.closest_point(cubes[0], (5, 0.1, 0)), (0.5, 0.1, 0), atol=1e-6)
    triangles = space.triangles((-1, -1, -1), (4, 1, 1))
    assert triangles.shape == (24, 3, 3) and triangles[..., 0].max() == pytest.approx(3.5)


def test_points_that_touch(space):
    space.add_static(scree.Plane())
    space.add_rigid(CUBE, (0, 0.5, 0))
    for _ in range(5):
        space.step(1 / 60)
    points = space.contact_points()
    assert points.shape == (4, 3)
    np.testing.assert_allclose(np.abs(points[:, [0, 2]]), 0.5, atol=1e-2)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda space: space.cast_ray((0, 0), (0, 0, 1)), "cast_ray: origin must be of shape"),
        (lambda space: space.cast_rays([(0, 0, 0)] * 3, [(0, 0, 1)] * 2), "cast_rays: ends must be of shape"),
        (lambda space: space.cast_rays([(0, 0, np.nan)], [(0, 0, 1)]), "cast_rays: origins must be finite, got nan"),
        (lambda space: space.cast_ray((0, 0, 0), (0, 0, 1), layers="x"), "cast_ray.*: there is no layer 'x'"),
        (lambda space: space.cast_rays((0, 0, 0), (0, 0, 1), threads=0), "threads must be at least 1"),
        (lambda space: space.overlaps("ball", (0, 0, 0)), "shape must be a value such as"),
        (lambda space: space.overlaps(CUBE, (0, 0, 0), margin=-1.0), "margin must be at least 0"),
        (lambda space: space.near_box((0, 0, 0), (-1, 0, 0)), "half_extents must not be negative"),
        (lambda space: space.triangles((1, 1, 1), (0, 0, 0)), "must not be inside out"),
    ],
)  # fmt: skip
def test_bad_questions_raise(space, ask, message):
    with pytest.raises(ValueError, match=message):
        ask(space)


def test_no_rays_are_no_hits(space, row):
    none = np.zeros((0, 3))
    for origins, ends in ((none, none), (none, (0, -5, 0)), ((0, 5, 0), none), ([], []), ([], (0, -5, 0))):
        for threads in (1, 2):
            hits = space.cast_rays(origins, ends, threads=threads)
            assert len(hits) == 0 and hits.positions.shape == (0, 3) and hits.distances.shape == (0,)
    for origins, ends in ((none, [(0, 0, 0)]), ([(0, 0, 0)] * 2, none)):
        with pytest.raises(ValueError, match="^cast_rays: (origins|ends) must be of shape"):
            space.cast_rays(origins, ends)
    with pytest.raises(ValueError, match="^cast_rays: ends must be numbers"):
        space.cast_rays((0, 0, 0), [(0, 1, 2), (0, 1)])


def test_hits_with_the_same_numbers_are_equal(space, row):
    one, same = (space.cast_ray((6, 5, 0), (6, -5, 0)) for _ in range(2))
    other = space.cast_ray((6.1, 5, 0), (6.1, -5, 0))
    assert one == same and one != other and one != "hit" and len({one, same, other}) == 2
    with pytest.raises(ValueError, match="read-only"):
        one.position[0] = 1


def test_a_shape_stays_while_a_query_asks_with_it(space):
    """Other threads ask with so many others meanwhile that it is kept for the next query no more."""
    table, ball = space.world.shapes, scree.Sphere(radius=0.5)
    with table.for_query("test", ball) as identity:
        for k in range(RECENT + 1):
            space.overlaps(scree.Sphere(radius=1.0 + k), (0, 0, 0))
        assert ball not in table._recent and table.value(space.core.shape.index("test", identity)) == ball
    assert ball not in table._uses and len(table._uses) == RECENT
