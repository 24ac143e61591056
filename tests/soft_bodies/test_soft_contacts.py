"""Contacts of soft bodies: every kind of shape holds them, at any speed; the nearest points against a twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from soft_world import SoftWorld, ball, grid

from scree.runtime.kernel import entry_point
from scree.runtime.memory import address_of, view
from scree.shapes.schema import CYLINDER, HEIGHT_FIELD, HULL, SHAPE
from scree.soft_bodies.nearest import nearest_of_solid
from scree.soft_bodies.schema import WIND
from scree.soft_bodies.surroundings import wind_at

HALF = 5.0


def floor(world: SoftWorld, kind: str) -> None:
    """A static floor with its top at y = 0."""
    shapes = world.world.shapes
    if kind == "plane":
        world.floor()
    elif kind == "thin box":
        world.add(world.box(HALF, 0.02, HALF), (0.0, -0.02, 0.0), mode=0)
    elif kind == "mesh":
        world.trimesh(*grid(9, 9, 2 * HALF, 2 * HALF))
    elif kind == "height field":
        shape = world.world.shape.create(HEIGHT_FIELD)
        shapes.set_height_field(world.world.shape.index("floor", shape), 11, 11, np.zeros(121, np.float32))
        world.add(shape, mode=0)
    elif kind == "hull":
        shape = world.world.shape.create(HULL)
        corners = [(x, y, z) for x in (-HALF, HALF) for y in (-1.0, 0.0) for z in (-HALF, HALF)]
        shapes.set_hull(world.world.shape.index("floor", shape), np.array(corners))
        world.add(shape, mode=0)
    elif kind == "cylinder":
        shape = world.world.shape.create(CYLINDER)
        shapes.set_cylinder(world.world.shape.index("floor", shape), HALF, 1.0)
        world.add(shape, (0.0, -0.5, 0.0), mode=0)
    else:
        parts = [(world.box(HALF, 0.5, HALF / 2), (1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, side * HALF / 2)) for side in (-1, 1)]
        world.add(world.compound(parts), (0.0, -0.5, 0.0), mode=0)


KINDS = ["plane", "thin box", "mesh", "height field", "hull", "cylinder", "compound"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("speed", [1.0, 30.0, 300.0])
def test_no_shape_is_passed_at_any_speed(kind, speed):
    world = SoftWorld()
    floor(world, kind)
    sheet = world.soft(grid(8, 8, 1.0, 1.0), (0.1, 2.0, 0.2), mass=1.0, stiffness=500.0)
    sheet.set_velocities((0.0, -speed, 0.0))
    world.step(60)
    assert sheet.positions[:, 1].min() > 0.0 and sheet.positions[:, 1].max() < 0.2


def test_a_fast_body_does_not_pass_a_cloth():
    world = SoftWorld(gravity=(0.0, 0.0, 0.0))
    cloth = world.soft(grid(21, 21, 2.0, 2.0, is_upright=True), mass=1.0, stiffness=500.0)
    shot = world.add(world.sphere(0.3), (0.0, 0.0, -3.0), mass=3.0)
    world.throw(shot, (0.0, 0.0, 100.0))
    world.step(6)
    assert world.velocity(shot)[2] < 90.0 and cloth.positions[:, 2].max() > world.position(shot)[2]


def test_friction_holds_on_a_slope_and_lets_slide_without():
    slid = []
    for friction in (1.0, 0.0):
        world = SoftWorld(gravity=(3.0, -9.5, 0.0))
        world.floor(friction=friction)
        cloth = world.soft(grid(5, 5, 0.5, 0.5), (0.0, 0.03, 0.0), mass=1.0, stiffness=500.0)
        world.step(60)
        slid.append(cloth.positions[:, 0].mean())
    assert abs(slid[0]) < 0.01 and slid[1] == pytest.approx(1.5, rel=0.05)


def test_layers_and_exceptions():
    for change in ("mask", "exception"):
        world = SoftWorld()
        ground = world.floor()
        cloth = world.soft(grid(4, 4, 0.5, 0.5), (0.0, 0.5, 0.0))
        if change == "mask":
            cloth.row["layer"], cloth.row["mask"] = 2, 2
            world.world.body.set_collision_mask(ground, 1)
        else:
            cloth.set_exceptions([ground])
        world.step(60)
        assert cloth.positions[:, 1].max() < -1.0


def test_random_soft_bodies_stay_above_floors_and_finite():
    """100 meshes of odd quality, masses, stiffness, pressure and size, thrown at a floor."""
    for seed in range(100):
        dice = np.random.default_rng(seed)
        world = SoftWorld(gravity=(0.0, -9.8, 0.0))
        floor(world, KINDS[seed % 2 * 2])
        size = 10.0 ** dice.uniform(-1.0, 0.3)
        vertices, triangles = ball(size, 5) if seed % 2 else grid(6, 6, size, size)
        vertices = vertices * dice.uniform(0.05, 1.0, 3) + dice.normal(0.0, 0.02 * size, vertices.shape)
        stiffness = np.inf if seed % 10 == 0 else 10.0 ** dice.uniform(0.0, 5.0)
        soft = world.soft((vertices, triangles), (0.0, 2.5, 0.0), mass=10.0 ** dice.uniform(-3.0, 3.0), stiffness=stiffness)
        if seed % 2:
            soft.set_setting("pressure", dice.uniform(0.0, 100.0))
        thrown = dice.normal(0.0, 10.0, 3) * (0.02, 1.0, 0.02)
        soft.set_velocities(thrown)
        world.step(60)
        inside = np.abs(soft.positions[:, [0, 2]]).max(axis=1) < 0.9 * HALF
        assert np.isfinite(soft.positions).all() and np.isfinite(soft.velocities).all(), seed
        assert soft.positions[inside, 1].min(initial=1.0) > -0.01, seed
        assert np.abs(soft.velocities).max() <= 1000.0, seed


def test_two_runs_give_the_same_bits():
    ends = []
    for threads in (1, 2):
        world = SoftWorld(threads=threads)
        world.floor()
        world.add(world.sphere(0.5), (0.0, 3.0, 0.0), mass=2.0)
        soft = world.soft(ball(0.5, 6), (0.1, 1.0, 0.0), stiffness=300.0)
        soft.set_setting("pressure", 30.0)
        world.step(120)
        ends.append(soft.positions.tobytes())
    assert ends[0] == ends[1]


@entry_point("void(int64, int64, int64, int64)")
def ask_nearest(shapes, index, point, out):
    at = view(point, 3, np.float64)
    distance, normal = nearest_of_solid(view(shapes, index + 1, SHAPE)[index], (at[0], at[1], at[2]))
    answer = view(out, 4, np.float64)
    answer[0], answer[1], answer[2], answer[3] = distance, normal[0], normal[1], normal[2]


@entry_point("void(int64, int64, int64)")
def ask_wind(wind, point, out):
    at, found = view(point, 3, np.float64), view(out, 3, np.float64)
    found[0], found[1], found[2] = wind_at(view(wind, 1, WIND)[0], (at[0], at[1], at[2]))


@settings(max_examples=60, deadline=None)
@given(distance=st.floats(0.01, 1e6), attenuation=st.floats(0.0, 4.0))
def test_wind_falls_with_a_power_of_the_distance(distance, attenuation):
    wind, out = np.zeros(1, WIND), np.zeros(3)
    wind[0] = (3.0, attenuation, (1.0, 2.0, 3.0), (0.0, 0.0, 1.0))
    at = np.array((5.0, -4.0, 3.0 + distance))
    ask_wind(address_of(wind), address_of(at), address_of(out))
    assert out == pytest.approx((0.0, 0.0, 3.0 * (at[2] - 3.0) ** -attenuation), rel=1e-12)
    at[2] = 2.9
    ask_wind(address_of(wind), address_of(at), address_of(out))
    assert not out.any()


WORLD = SoftWorld()


def solids() -> dict[str, int]:
    """Shapes of the world by kind."""
    shapes, made = WORLD.world.shapes, {}
    made["sphere"], made["box"], made["capsule"] = WORLD.sphere(0.5), WORLD.box(0.3, 0.5, 0.7), WORLD.capsule(0.3, 1.6)
    made["cylinder"] = WORLD.world.shape.create(CYLINDER)
    shapes.set_cylinder(WORLD.world.shape.index("cylinder", made["cylinder"]), 0.4, 1.0)
    made["hull"] = WORLD.world.shape.create(HULL)
    corners = np.array([(x, y, z) for x in (-0.3, 0.3) for y in (-0.5, 0.5) for z in (-0.7, 0.7)])
    shapes.set_hull(WORLD.world.shape.index("hull", made["hull"]), corners)
    return made


SOLIDS = solids()


def twin(kind: str, p: np.ndarray) -> float:
    """The signed distance to the surface."""
    if kind == "sphere":
        return np.linalg.norm(p) - 0.5
    if kind == "capsule":
        return np.linalg.norm(p - (0.0, np.clip(p[1], -0.5, 0.5), 0.0)) - 0.3
    if kind == "cylinder":
        gaps = np.array((np.hypot(p[0], p[2]) - 0.4, abs(p[1]) - 0.5))
    else:
        gaps = np.abs(p) - (0.3, 0.5, 0.7)
    return np.linalg.norm(np.maximum(gaps, 0.0)) + min(gaps.max(), 0.0)


@pytest.mark.parametrize("kind", sorted(SOLIDS))
@settings(max_examples=60, deadline=None)
@given(point=st.tuples(*[st.floats(-2.0, 2.0)] * 3))
def test_the_nearest_point_of_a_solid(kind, point):
    rows = WORLD.world.shapes
    index, at, out = WORLD.world.shape.index("twin", SOLIDS[kind]), np.array(point), np.zeros(4)
    current = int(rows.rows[index]["current"])
    ask_nearest(rows.pool.address, current if current >= 0 else index, address_of(at), address_of(out))
    assert out[0] == pytest.approx(twin(kind, at), abs=2e-5)
    assert np.linalg.norm(out[1:]) == pytest.approx(1.0, abs=1e-5)
    assert twin(kind, at - out[0] * out[1:]) == pytest.approx(0.0, abs=1e-3)
