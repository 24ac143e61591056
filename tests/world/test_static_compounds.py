"""Bodies with static compounds: they move, slide, bounce, are swept, sensed and asked with as if each part were a shape."""

import numpy as np
import pytest
from small_world import UPRIGHT, SmallWorld

from scree.bodies.schema import KINEMATIC, RIGID, STATIC
from scree.core.queries import Queries
from scree.sensors.schema import OVERLAPS
from scree.shapes import schema
from scree.shapes.storage import load_shape, save_shape
from scree.core.snapshot import Snapshot

ICE, ROUGH = (0.0, 0.0), (1.0, 0.0)
TILTED = (0.8, -0.6, 0.0, 0.6, 0.8, 0.0, 0.0, 0.0, 1.0)


def at(x: float, y: float, z: float) -> tuple:
    return (*UPRIGHT, x, y, z)


def all_kinds(world: SmallWorld) -> list[tuple]:
    """(shape, transform) of each kind, side by side along X; tops at 0.5."""
    shapes = world.world.shapes
    corners = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    flat = [(-0.5, 0.5, -0.5), (-0.5, 0.5, 0.5), (0.5, 0.5, -0.5), (0.5, 0.5, 0.5)]
    made = []
    for kind, call, numbers in (
        (schema.BOX, "box", ((0.5, 0.5, 0.5),)), (schema.SPHERE, "sphere", (0.5,)), (schema.CAPSULE, "capsule", (0.3, 1.0)),
        (schema.CYLINDER, "cylinder", (0.4, 1.0)), (schema.HULL, "hull", (corners,)),
        (schema.MESH, "mesh", (flat, [(0, 1, 2), (2, 1, 3)])), (schema.HEIGHT_FIELD, "height_field", (2, 2, [0.5] * 4)),
        (schema.TAPERED_CAPSULE, "tapered_capsule", (0.2, 0.3, 0.3)),
        (schema.TAPERED_CYLINDER, "tapered_cylinder", (0.5, 0.4, 0.2)),
        (schema.ELLIPSOID, "ellipsoid", ((0.4, 0.5, 0.3),)),
    ):  # fmt: skip
        shape = world.world.shape.create(kind)
        getattr(shapes, f"set_{call}")(world.world.shape.index(call, shape), *numbers)
        made.append((shape, at(3.0 * len(made), 0.0, 0.0)))
    return made


def test_parts_of_all_kinds_are_met_by_rays_casts_and_bodies():
    world = SmallWorld()
    parts = all_kinds(world)
    whole = world.compound(parts)
    copy = world.world.shape.create(schema.SPHERE)  # only so that rows differ
    assert copy
    index = load_shape(world.world.shapes, save_shape(world.world.shapes, world.world.shape.index("", whole)))
    queries = Queries(world.world)
    for shape, shift in ((whole, 0.0), (int(world.world.shapes.rows[index]["id"]), 20.0)):
        floor = world.add(shape, (0.0, 0.0, shift), mode=STATIC)
        balls = [world.add(world.sphere(0.2), (3.0 * k, 0.75, shift), mode=RIGID) for k in range(len(parts))]
        starts = np.array([(3.0 * k, 2.0, shift) for k in range(len(parts))])
        hits = queries.cast_rays(world.system, starts, starts - (0.0, 3.0, 0.0), exclude=balls)
        assert hits["part"].tolist() == list(range(len(parts))) and hits["instance"].tolist() == [0] * len(parts)
        np.testing.assert_allclose(hits["position"][:, 1], 0.5, atol=1e-5)
        ball, down = world.sphere(0.3), (0.0, -3.0, 0.0)
        casts = [queries.cast_motion(world.system, ball, start, down, exclude=balls)[0] for start in starts]
        np.testing.assert_allclose(casts, 1.2 / 3.0, atol=2e-4)
        nearest = [queries.closest_point(floor, start) for start in starts]
        np.testing.assert_allclose(np.array(nearest)[:, 1], 0.5, atol=1e-4)
        for axis in range(2):
            for ball in balls:
                world.world.body.set_axis_lock(ball, 1 << (2 * axis), True)
        world.step(90)
        np.testing.assert_allclose([world.position(ball)[1] for ball in balls], 0.7, atol=5e-3)


def test_a_moving_one_falls_as_one_of_shapes():
    """Turned, thrown, not about its own centre: the same motion in the air, the same rest on the ground."""
    found = []
    for is_compound in (False, True):
        world = SmallWorld(damp=0.3)
        world.floor()
        parts = [(world.box(0.2, 0.6, 0.2), at(-0.5, 0, 0)), (world.sphere(0.4), at(0.7, 0.2, 0))]
        parts.append((world.box(0.8, 0.1, 0.3), (*TILTED, 0, 0.4, 0.1)))
        body = world.world.body.create()
        world.world.body.set_mode(body, RIGID)
        for part in [(world.compound(parts), at(0, 0, 0))] if is_compound else parts:
            world.world.body.add_shape(body, *part)
        world.world.body.set_transform(body, at(0.0, 3.0, 0.0))
        world.world.body.set_system(body, world.system)
        world.throw(body, (1.0, 0.0, 0.5))
        world.turn(body, (1.0, 2.0, 0.5))
        world.step(30)
        inertia = world.body(body)["inverse_inertia_local"].tolist()
        flight = [*world.position(body), *world.spin(body), *world.body(body)["local_bounds"].tolist(), *inertia]
        world.step(600)
        assert np.abs(world.velocity(body)).max() < 0.02
        found.append((flight, float(world.position(body)[1])))
    np.testing.assert_allclose(found[1][0], found[0][0], rtol=1e-4, atol=1e-4)
    assert found[1][1] == pytest.approx(found[0][1], abs=0.01)


def test_each_part_has_its_own_friction():
    world = SmallWorld()
    strip = world.box(50.0, 0.5, 2.0)
    floor = world.compound([(strip, at(0, -0.5, 2), 1, ICE), (strip, at(0, -0.5, 6), 2, ROUGH), (strip, at(0, -0.5, 10), 3)])
    world.add(floor, mode=STATIC, friction=0.5)
    boxes = [world.add(world.box(0.5, 0.1, 0.5), (0.0, 0.1, 2.0 + 4.0 * k), friction=1.0) for k in range(3)]
    for box in boxes:
        world.throw(box, (5.0, 0.0, 0.0))
    world.step(60)
    # v^2 / (2 mu g)
    assert [world.position(box)[0] for box in boxes] == pytest.approx([5.0, 1.25, 2.5], rel=0.05)


def test_casts_and_contacts_tell_parts_and_faces():
    world = SmallWorld()
    parts = all_kinds(world)
    floor = world.compound(parts)
    world.add(floor, mode=STATIC)
    balls, queries = [world.add(world.sphere(0.2), (3.0 * k, 0.71, 0.1), mode=RIGID) for k in (0, 5, 6)], Queries(world.world)
    thrown = world.sphere(0.1)
    for kind in ("closest", "all", "closest per body"):
        starts = [(3.0 * k, 3.0, 0.3) for k in (0, 5, 6)]
        hits = [queries.cast_shape(world.system, thrown, start, (0, -3, 0), kind, exclude=balls)[0] for start in starts]
        assert [int(hit["part"]) for hit in hits] == [0, 5, 6] and [int(hit["face"]) for hit in hits] == [-1, 1, -1]
    for ball in balls:
        world.world.body.set_max_contacts(ball, 4)
    world.step(10)
    for ball, part in zip(balls, (0, 5, 6), strict=True):
        report = world.world.body._contact_reports[world.index(ball)][0]
        assert (report["part"], report["collider_part"], report["collider_shape"]) == (-1, part, 0)


def test_a_triangle_of_a_part_comes_before_the_part():
    world = SmallWorld()
    mesh = world.world.shape.create(schema.MESH)
    corners, triangles = [(-50, 0, -2), (-50, 0, 2), (50, 0, -2), (50, 0, 2)], [(0, 1, 2), (2, 1, 3)]
    world.world.shapes.set_mesh(world.world.shape.index("", mesh), corners, triangles, False, [0, 0], [ICE])
    world.add(world.compound([(world.sphere(0.1), at(0, -9, 0)), (mesh, at(0, 0, 0), 0, ROUGH)]), mode=STATIC)
    box = world.add(world.box(0.5, 0.1, 0.5), (0.0, 0.1, 0.0))
    world.throw(box, (5.0, 0.0, 0.0))
    world.step(60)
    assert world.position(box)[0] == pytest.approx(5.0, abs=0.02)


@pytest.mark.parametrize("is_wall", [True, False])
def test_fast_ones_do_not_tunnel(is_wall):
    """A ball through a thin part, and a compound of two balls through a thin wall."""
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    wall = world.box(0.005, 5.0, 5.0)
    world.add(world.compound([(world.sphere(0.1), at(0, 9, 0)), (wall, at(0, 0, 0))]) if is_wall else wall, mode=STATIC)
    ball = world.sphere(0.1)
    thrown = ball if is_wall else world.compound([(ball, at(0, 0.3, 0)), (ball, at(0, -0.3, 0))])
    body = world.add(thrown, (-20.0, 0.0, 0.0), mode=RIGID)
    world.throw(body, (200.0, 0.0, 0.0))
    world.turn(body, (3.0, 0.0, 0.0))
    world.step(60)
    assert world.position(body)[0] < 0.0


def test_areas_see_a_compound_once_and_as_compounds_see():
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    ball = world.sphere(0.5)
    pair = world.compound([(ball, at(-1, 0, 0)), (ball, at(1, 0, 0))])
    area = world.world.area.create()
    world.world.area.add_shape(area, pair)
    world.world.area.set_monitoring(area, bodies=True, areas=False)
    world.world.area.set_system(area, world.system)
    body = world.add(pair, (0.0, 0.0, 0.2), mode=KINEMATIC)
    world.step(2)

    def overlaps() -> list[tuple]:
        rows = world.world.system(world.system).sensors.rows("shape_overlaps", "shape_overlap_count")
        return [(int(row["own_shape"]), int(row["other_shape"])) for row in rows if row["flags"] & OVERLAPS]

    assert overlaps() == [(0, 0)]
    for x, is_met in ((2.0, True), (0.9, False), (3.2, False), (-2.1, True)):  # at 0.9 both balls pass between
        world.world.body.set_transform(body, at(x, 0.0, 0.4 if is_met else 0.95))
        world.step(2)
        assert (overlaps() == [(0, 0)]) == is_met, x


def test_compounds_ask_as_each_of_their_parts():
    world = SmallWorld()
    ball = world.sphere(0.5)
    pair = world.compound([(ball, at(-1, 0, 0)), (ball, at(1, 0, 0))])
    left = world.add(world.box(0.2, 0.2, 0.2), (-1.0, 0.0, 0.0), mode=STATIC)
    right = world.add(world.box(0.2, 0.2, 0.2), (1.0, 0.0, 0.0), mode=STATIC)
    queries = Queries(world.world)
    assert {int(k) for k in queries.intersect_shape(world.system, pair, at(0, 0, 0))["body_id"]} == {left, right}
    assert {int(k) for k in queries.intersect_shape(world.system, pair, at(2, 0, 0))["body_id"]} == {right}
    assert len(queries.intersect_shape(world.system, pair, at(0, 0, 2))) == 0
    assert queries.cast_motion(world.system, pair, (0.0, 3.0, 0.0), (0.0, -3.0, 0.0))[0] == pytest.approx(2.3 / 3.0, abs=2e-4)
    assert queries.cast_motion(world.system, pair, (5.0, 0.0, 0.0), (-4.0, 0.0, 0.0))[0] == pytest.approx(2.3 / 4.0, abs=2e-4)
    for kind in ("closest", "all", "closest per body"):  # the second part meets it first
        hits = queries.cast_shape(world.system, pair, (-8.0, 0.0, 0.0), (9.0, 0.0, 0.0), kind, exclude=[right])
        assert len(hits) == 1 and hits["fraction"][0] == pytest.approx(5.3 / 9.0, abs=1e-3), kind
    assert len(queries.collide_shape(world.system, pair, at(0, 0.6, 0), max_results=8)) >= 2


def test_a_character_of_a_compound_is_stopped_by_each_part():
    world = SmallWorld()
    ball = world.sphere(0.5)
    body = world.add(world.compound([(ball, at(0, 0.5, 0)), (ball, at(0, 1.5, 0))]), mode=KINEMATIC)
    bar = world.box(0.5, 0.2, 2.0)
    world.add(world.compound([(bar, at(3, 9, 0)), (bar, at(3, 1.5, 0))]), mode=STATIC)
    answer, collisions = Queries(world.world).body_test_motion(body, (0.0, 0.0, 0.0), (5.0, 0.0, 0.0))
    assert answer["travel"][0] == pytest.approx(2.0, abs=5e-3)
    assert collisions["part"].tolist() == [1] and collisions["normal"][0][0] == pytest.approx(-1.0, abs=1e-2)


def test_snapshots_hold_the_parts():
    """Triangles and rays of a copy of the scene, from a compound and from the shapes one by one."""
    found = []
    for is_compound in (False, True):
        world = SmallWorld()
        parts = all_kinds(world)[:7]
        body = world.world.body.create()
        world.world.body.set_mode(body, STATIC)
        for part in [(world.compound(parts), at(0, 0, 0))] if is_compound else parts:
            world.world.body.add_shape(body, *part)
        world.world.body.set_system(body, world.system)
        with Snapshot(world.world, world.system, (-5, -5, -5), (30, 5, 5)) as snapshot:
            triangles = snapshot.triangles()
        copy = Queries(world.world).collect_shapes(world.system, (10, 0, 0), (15, 5, 5))
        assert sorted(copy.rows["part"].tolist()) == (list(range(7)) if is_compound else [-1] * 7)
        world.world.body.clear_shapes(body)
        starts = np.array([(3.0 * k, 2.0, 0.0) for k in range(7)])
        found.append((triangles, copy.cast_rays(starts, starts - (0, 3, 0))["fraction"]))
    np.testing.assert_allclose(found[0][0], found[1][0], atol=1e-5)
    np.testing.assert_allclose(found[0][1], found[1][1], atol=1e-6)


def test_a_compound_that_is_set_anew_is_found_as_it_is_now():
    world = SmallWorld(sleeps=True)
    brick, queries = world.box(0.5, 0.5, 0.5), Queries(world.world)
    floor = world.compound([(brick, at(k, -0.5, 0)) for k in range(10)])
    index = world.world.shape.index("", floor)
    world.add(floor, mode=STATIC)
    box = world.add(world.box(0.2, 0.2, 0.2), (4.0, 0.2, 0.0), mode=RIGID)
    world.step(120)
    assert not world.is_awake(box)
    for turn in range(100):
        places = [k for k in range(10) if k != 3 or turn % 2]
        world.world.shapes.set_compound(index, [(world.world.shape.index("", brick), at(k, -0.5, 0)) for k in places])
        world.world.body.shape_changed(index)
        hit = queries.cast_ray(world.system, (3.0, 5.0, 0.0), (3.0, -5.0, 0.0))
        assert (hit is None) == (turn % 2 == 0)
    assert world.world.shapes.row_count < 100
    world.world.shapes.set_compound(index, [(world.world.shape.index("", brick), at(9, -0.5, 0))])
    world.world.body.shape_changed(index)
    world.step(30)
    assert world.position(box)[1] < -0.5
