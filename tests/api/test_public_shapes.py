"""Shapes as values: every kind is made, falls onto the ground and is hit by a ray; bad sizes raise where they are made."""

import math

import numpy as np
import pytest

import scree
from scree.geometry.vector import dot
from scree.runtime.kernel import entry_point
from scree.runtime.memory import view

FLAT = scree.Material(friction=0.5)
FEET = ((-1, 0, -1), (1, 0, 1), (1, 0, -1))
CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-0.5, 0.5) for z in (-1, 1)], float)


@entry_point("int64(int64, int64)")
def ball_of_one_metre(data, words):
    direction, point = view(words, 3, np.float64), view(words + 24, 3, np.float64)
    way = (direction[0], direction[1], direction[2])
    size = math.sqrt(dot(way, way))
    for k in range(3):
        point[k] = way[k] / size
    return 0


# shape, height of its origin as it rests, volume [m^3]
SOLIDS = [
    (scree.Box(half_extents=(1, 0.5, 1)), 0.5, 4.0),
    (scree.Sphere(radius=0.5), 0.5, math.pi / 6),
    (scree.Capsule(radius=0.5, height=2.0), 1.0, math.pi * (0.25 + 1 / 6)),
    (scree.Cylinder(radius=1.0, height=1.0), 0.5, math.pi),
    (scree.TaperedCapsule(half_height=0.5, top_radius=0.2, bottom_radius=0.6), 1.1, None),
    (scree.TaperedCylinder(half_height=0.5, top_radius=0.5, bottom_radius=1.0), 0.5, math.pi * 1.75 / 3),
    (scree.Ellipsoid(half_axes=(1, 0.5, 1)), 0.5, 4 / 3 * math.pi * 0.5),
    (scree.Hull(points=CORNERS), 0.5, 4.0),
    (scree.Custom(function=ball_of_one_metre), 1.0, None),
    (scree.Compound(parts=[scree.Part(shape=scree.Sphere(radius=0.5), position=at) for at in FEET]), 0.5, math.pi / 2),
]  # fmt: skip


@pytest.mark.parametrize(("shape", "height", "volume"), SOLIDS, ids=lambda value: type(value).__name__)
def test_solids_rest_on_the_ground(space, shape, height, volume):
    space.add_static(scree.Plane())
    body = space.add_rigid(shape, (0, height, 0), density=1.0)
    if volume is not None:
        assert body.mass == pytest.approx(volume, rel=0.01)
    for _ in range(30):
        space.step(1 / 60)
    assert body.position[1] == pytest.approx(height, abs=0.02)
    x = 1.0 if isinstance(shape, scree.Compound) else 0.0
    hit = space.cast_ray((x, 5, x), (x, -5, x))
    assert hit.body == body and hit.position[1] > height


def test_grounds_carry(space):
    triangles = [(0, 1, 2), (0, 2, 3)]
    floor = scree.Mesh(
        vertices=[(-5, 0, -5), (-5, 0, 5), (5, 0, 5), (5, 0, -5)], triangles=triangles, two_sided=True,
        surfaces=[FLAT, scree.Material(friction=0.0)], surface_of=[0, 1],
    )  # fmt: skip
    space.add_static(floor)
    field = scree.HeightField(heights=np.zeros((11, 11)), surfaces=[FLAT], surface_of=np.zeros((10, 10), int))
    space.add_static(field, (20, 0, 0))
    space.add_static(scree.Compound(parts=[scree.Part(shape=field, scale=(2, 1, 2), material=FLAT, tag=7)]), (60, 0, 0))
    balls = space.add_rigid_many(scree.Sphere(radius=0.5), [(1, 1, -1), (20, 1, 0), (68, 1, 8)])
    for _ in range(60):
        space.step(1 / 60)
    np.testing.assert_allclose(balls.positions[:, 1], 0.5, atol=0.02)
    hits = space.cast_rays([(-1, -5, 1), (-1, 5, 1), (1, 5, -1)], [(-1, 5, 1), (-1, -5, 1), (1, -5, -1)], exclude=list(balls))
    assert hits.faces.tolist() == [0, 0, 1] and hits.surfaces.tolist() == [0, 0, 1]
    space.world.update_height_field(field, row=0, column=0, heights=np.full((11, 11), 2.0))
    assert space.cast_ray((23, 5, 3), (23, -5, 3)).position[1] == pytest.approx(2.0, abs=1e-5)
    with pytest.raises(ValueError, match="no body has this shape"):
        space.world.update_height_field(scree.HeightField(heights=np.zeros((2, 2))), 0, 0, [[1.0]])


def test_a_leg_holds_its_body_above_the_ground(space):
    space.add_static(scree.Plane())
    down = (math.sqrt(0.5), 0, 0, math.sqrt(0.5))  # +Z to -Y
    body = space.add_rigid(scree.Sphere(radius=0.2), (0, 2, 0))
    body.lock_axes(angular="xyz")
    body.add_shape(scree.SeparationRay(length=1.0, slides_on_slope=True), rotation=down)
    for _ in range(120):
        space.step(1 / 60)
    assert body.position[1] == pytest.approx(1.0, abs=0.05)


def test_equal_values_are_one_shape_of_the_core(space):
    one, other = scree.Box(half_extents=[1, 2, 3]), scree.Box(half_extents=np.array((1.0, 2.0, 3.0)))
    assert one == other and hash(one) == hash(other) and one.half_extents == (1, 2, 3)
    space.add_rigid(one)
    space.add_rigid(other, (10, 0, 0))
    assert len(space.world.shapes._uses) == 1


def test_shapes_of_queries_are_kept_for_a_while_only(space):
    for k in range(200):
        space.overlaps(scree.Sphere(radius=1.0 + k), (0, 0, 0))
    assert len(space.world.shapes._uses) == 64


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: scree.Box(half_extents=(1, -1, 1)), "half_extents must be .*got -1"),
        (lambda: scree.Box(half_extents=(1, 1)), "half_extents must be of shape"),
        (lambda: scree.Sphere(radius=0.0), "radius must be .*got 0"),
        (lambda: scree.Capsule(radius=1.0, height=1.0), "height must be at least twice the radius"),
        (lambda: scree.Cylinder(radius=1.0, height=math.nan), "height must be"),
        (lambda: scree.TaperedCylinder(half_height=1.0, top_radius=-1.0, bottom_radius=1.0), "no radius may be negative"),
        (lambda: scree.TaperedCapsule(half_height=-1.0, top_radius=1.0, bottom_radius=1.0), "half_height must be"),
        (lambda: scree.Ellipsoid(half_axes=(1, 1, 0)), "half_axes must be"),
        (lambda: scree.Plane(normal=(0, 0, 0)), "normal must not be zero"),
        (lambda: scree.Hull(points=[(1, 2)]), "points must be of shape"),
        (lambda: scree.Mesh(vertices=[(0, 0, 0)], triangles=[(0, 1, 2)]), "triangles must be indices of 1 vertices"),
        (lambda: scree.HeightField(heights=[1, 2, 3]), r"heights must be of shape \(rows, columns\)"),
        (lambda: scree.Custom(function=len), "function must be an @entry_point"),
        (lambda: scree.SeparationRay(length=0.0), "length must be"),
        (lambda: scree.Compound(parts=[]), "at least one part"),
        (lambda: scree.Compound(parts=[scree.Part(shape=scree.Sphere(radius=1), scale=(1, 2))]), "scale must be of shape"),
    ],
)
def test_bad_sizes_raise_where_the_shape_is_made(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_a_shape_without_a_kind_is_none(space):
    with pytest.raises(ValueError, match="make a Box, a Sphere or another kind"):
        scree.Shape()._check()
    with pytest.raises(ValueError, match="mass must be above 0"):
        space.add_rigid(scree.SeparationRay(length=1.0), density=1.0)


def test_shapes_keep_copies_of_what_they_are_made_from(space):
    """Writing to the arrays afterwards changes no shape, and the shape's own arrays cannot be written to."""
    points, heights, half = CORNERS.astype(np.float32), np.zeros((3, 3)), np.ones(3)
    vertices, triangles, which = np.array([(-5, 0, -5), (-5, 0, 5), (5, 0, 5)], np.float32), [[0, 1, 2]], np.zeros(1, int)
    surfaces, parts, data = [FLAT], [scree.Part(shape=scree.Sphere(radius=0.5), position=half)], np.zeros(2)
    hull, field = scree.Hull(points=points), scree.HeightField(heights=heights)
    mesh = scree.Mesh(vertices=vertices, triangles=triangles, surfaces=surfaces, surface_of=which)
    compound, custom = scree.Compound(parts=parts), scree.Custom(function=ball_of_one_metre, data=data)
    points[:], heights[:], vertices[:], which[:], data[:], half[:] = 9, 9, 9, 9, 9, 9
    triangles[0][0] = 2
    surfaces.append(FLAT)
    parts.clear()
    assert (hull.points == CORNERS).all() and (field.heights == 0).all() and compound.parts[0].position == (1, 1, 1)
    assert (mesh.vertices[0] == (-5, 0, -5)).all() and mesh.triangles == ((0, 1, 2),) and mesh.surfaces == (FLAT,)
    assert (mesh.surface_of == 0).all() and (custom.data == 0).all()
    for array in (hull.points, field.heights, mesh.vertices, mesh.surface_of, custom.data):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    for shape, x in ((hull, 0), (mesh, 20), (compound, 40), (custom, 60), (field, 80)):
        space.add_static(shape, (x, 0, 0))
    tops = space.cast_rays([(0, 5, 0), (19, 5, 1), (41, 5, 1), (60, 5, 0), (80.2, 5, 0.2)], [(0, -5, 0), (19, -5, 1),
                           (41, -5, 1), (60, -5, 0), (80.2, -5, 0.2)]).positions[:, 1]  # fmt: skip
    np.testing.assert_allclose(tops, (0.5, 0, 1.5, 1, 0), atol=1e-5)


def test_the_core_keeps_copies_of_points_too(space):
    """A scale cooks the points again."""
    core, points = space.core, CORNERS.astype(np.float32)
    shape = core.shape.create(scree.Hull.kind)
    core.shapes.set_hull(core.shape.index("test", shape), points)
    points[:] *= 5
    body = core.body.create()
    core.body.add_shape(body, shape, (2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0))
    core.body.set_mode(body, 0)
    core.body.set_system(body, space.id)
    assert space.cast_ray((0, 9, 0), (0, -9, 0)).position[1] == pytest.approx(1.0)


ROUGH, ABSORBENT = scree.Material(rough=True), scree.Material(restitution=0.5, absorbent=True)


@pytest.mark.parametrize("material", [ROUGH, ABSORBENT, "ice"])
@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("Mesh: surfaces", lambda it: scree.Mesh(vertices=np.eye(3), triangles=[(0, 1, 2)], surfaces=[it], surface_of=[0])),
        ("HeightField: surfaces", lambda it: scree.HeightField(heights=np.zeros((2, 2)), surfaces=[it], surface_of=[[0]])),
        ("Part: material", lambda it: scree.Compound(parts=[scree.Part(shape=scree.Sphere(radius=1), material=it)])),
    ],
)
def test_parts_of_shapes_are_not_rough_or_absorbent_yet(name, make, material):
    with pytest.raises(ValueError, match=f"^{name} (cannot be rough or absorbent yet|must be of scree.Material, got 'ice')"):
        make(material)
    assert make(FLAT) is not None


def test_ragged_numbers_are_refused_by_the_name_of_the_shape():
    for make, message in (
        (lambda: scree.Hull(points=[(1, 2, 3), (1, 2)]), "^Hull: points must be"),
        (lambda: scree.Box(half_extents=[1, (1, 2), 1]), "^Box: half_extents must be"),
        (lambda: scree.HeightField(heights=[[1, 2], [3]]), "^HeightField: heights must be numbers"),
        (lambda: scree.Compound(parts=[scree.Sphere(radius=1.0)]), "^Compound: parts must be scree.Part values, got Sphere"),
    ):
        with pytest.raises(ValueError, match=message):
            make()
