"""Bodies in water, judged by Archimedes, by formulas of floating and by what players see."""

import math

import numpy as np
import pytest
from public_words import block, run, tilt, turned
from scipy.spatial.transform import Rotation

import scree

G = 9.81
STILL = {"drag": 0.0, "damping": 0.0, "spin_damping": 0.0}


def lake(waves=(), size=(100.0, 20.0, 100.0), **settings) -> tuple[scree.Space, scree.Water]:
    """A space with water whose surface is at height 0."""
    space = scree.World(threads=1).add_space(gravity=(0.0, -G, 0.0))
    return space, space.add_water((0.0, 0.0, 0.0), size, waves=waves, **settings)


# Archimedes.


SHAPES = {
    "ball": (scree.Sphere(radius=0.5), 4.0 / 3.0 * math.pi * 0.125),
    "box": (block(0.5, 0.25, 0.75), 0.75),
    "capsule": (scree.Capsule(radius=0.3, height=1.6), math.pi * 0.09 * (1.0 + 0.4)),
    "cylinder": (scree.Cylinder(radius=0.5, height=0.8), math.pi * 0.25 * 0.8),
    "two boxes": (
        scree.Compound(parts=[scree.Part(shape=block(0.5, 0.25, 0.25), position=(0, 0, z)) for z in (-0.25, 0.25)]),
        0.5,
    ),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("density", [200.0, 500.0, 3000.0])
def test_what_is_under_water_is_lighter_by_the_water_that_it_displaces(name, density):
    """Deep below the surface and without drag it accelerates by (rho_water / rho - 1) g."""
    shape, volume = SHAPES[name]
    space, _ = lake(**STILL)
    body = space.add_rigid(shape, (0, -10.0, 0), turned((0.6, 0.0, 0.8), 0.7), mass=density * volume)
    run(space, 6)
    assert body.velocity[1] == pytest.approx((1000.0 / density - 1.0) * G * 0.1, rel=1e-3)
    assert np.abs(body.angular_velocity).max() < 1e-3


@pytest.mark.parametrize("density", [100.0, 400.0, 900.0])
def test_a_flat_box_floats_as_deep_as_its_weight_says(density):
    space, _ = lake()
    body = space.add_rigid(block(1.0, 0.25, 1.0), (0, 0.3, 0), mass=density * 2.0)
    run(space, 900)
    assert 0.25 - body.position[1] == pytest.approx(0.5 * density / 1000.0, rel=0.015)
    assert tilt(body) < 0.1


def test_a_ball_of_half_the_density_floats_half_sunk():
    space, _ = lake()
    body = space.add_rigid(scree.Sphere(radius=0.5), (0, 0.4, 0), mass=500.0 * SHAPES["ball"][1])
    run(space, 900)
    assert abs(body.position[1]) < 0.005


def test_an_upright_cylinder_floats_as_deep_as_its_weight_says():
    space, _ = lake()
    body = space.add_rigid(scree.Cylinder(radius=1.0, height=0.5), (0, 0.3, 0), mass=300.0 * math.pi * 0.5)
    run(space, 900)
    assert 0.25 - body.position[1] == pytest.approx(0.15, rel=0.015)


def test_what_is_heavier_sinks_and_what_is_lighter_comes_up():
    space, _ = lake()
    light, heavy = (space.add_rigid(block(0.5, 0.5, 0.5), (x, -3, 0), mass=mass) for x, mass in ((0, 900), (5, 1100)))
    run(space, 600)
    assert light.position[1] > -0.6 and heavy.position[1] < -6.0


@pytest.mark.parametrize("rate", [20, 60, 240])
@pytest.mark.parametrize("size", [0.01, 0.1, 1.0, 100.0])
@pytest.mark.parametrize("density", [10.0, 500.0, 990.0])
def test_plates_of_all_sizes_float_at_all_rates(size, rate, density):
    """None is thrown higher than the water lifts it: it begins 15 % of its size too deep, and rho A d^2 / 2 m is the height that
    this energy is worth. None sleeps on its way up."""
    space, _ = lake(size=(1e4, 1e4, 1e4))
    body = space.add_rigid(block(size, 0.25 * size, size), (0, 0.1 * size, 0), mass=density * 2.0 * size**3)
    highest = 0.0
    for _ in range(30 * rate if size < 50.0 else 60 * rate):
        space.step(1 / rate)
        highest = max(highest, body.position[1])
    expected = 0.25 * size - 0.5 * size * density / 1000.0
    step_down = G / rate**2  # a step of free fall
    assert abs(body.position[1] - expected) < 0.03 * 0.5 * size + step_down
    worth = 0.5 * 1000.0 * 4.0 * 0.15**2 / (2.0 * density)
    assert highest < (0.1 + 1.05 * worth) * size + 10.0 * step_down


# Motion.


@pytest.mark.parametrize("substeps", [1, 4, 8])
def test_a_box_bobs_with_its_period_and_keeps_its_energy(substeps):
    """Without drag: omega^2 = rho g A / m, for as long as one likes."""
    space, _ = lake(**STILL)
    space.settings = scree.SpaceSettings(substep_count=substeps)
    body = space.add_rigid(block(1.0, 0.5, 1.0), (0, 0.2, 0), mass=2000.0)
    heights = []
    for _ in range(1800):
        space.step(1 / 60)
        heights.append(body.position[1])
    heights = np.array(heights)
    assert heights[-120:].max() == pytest.approx(0.2, rel=0.02) and heights[-120:].min() == pytest.approx(-0.2, rel=0.02)
    up = np.flatnonzero((heights[:-1] < 0.0) & (heights[1:] >= 0.0))
    assert np.diff(up).mean() / 60.0 == pytest.approx(2.0 * math.pi / math.sqrt(2.0 * G), rel=0.01)


def test_a_square_beam_of_half_the_density_turns_a_corner_up():
    """Flat is unstable for relative densities of 0.21 to 0.79 (Feigel, Fuzailov, "Floating of a long square bar", 2021)."""
    space, _ = lake()
    beam = space.add_rigid(block(0.25, 0.25, 2.0), (0, 0, 0), turned((0, 0, 1), 0.05), mass=500.0)
    run(space, 1800)
    corner = math.degrees(math.atan2(beam.basis[1, 0], beam.basis[1, 1])) % 90.0
    assert corner == pytest.approx(45.0, abs=2.0)


def test_a_plank_on_its_edge_falls_flat():
    space, _ = lake()
    plank = space.add_rigid(block(1.0, 0.05, 0.3), (0, 0, 0), turned((1, 0, 0), math.radians(88.0)), mass=500.0 * 0.06)
    run(space, 900)
    assert abs(plank.basis[1, 1]) > 0.999


def test_a_sinking_box_has_its_final_speed():
    """0.5 rho C A v^2 = (m - rho V) g, for drag alone."""
    space, _ = lake(damping=0.0, spin_damping=1.0, drag=1.0, size=(100.0, 500.0, 100.0))
    body = space.add_rigid(block(0.5, 0.5, 0.5), (0, -2.0, 0), mass=2000.0)
    run(space, 600)
    assert -body.velocity[1] == pytest.approx(math.sqrt(1000.0 * G / (0.5 * 1000.0)), rel=0.005), tilt(body)


def test_damping_alone_has_its_final_speed():
    """damping rho V v = (m - rho V) g."""
    space, _ = lake(drag=0.0, damping=2.0, size=(100.0, 500.0, 100.0))
    body = space.add_rigid(block(0.5, 0.5, 0.5), (0, -2.0, 0), mass=1500.0)
    run(space, 900)
    assert -body.velocity[1] == pytest.approx(500.0 * G / (2.0 * 1000.0), rel=0.005)


def test_a_river_carries_what_floats():
    space, water = lake(flow=(2.0, 0.0, 0.0))
    body = space.add_rigid(block(0.5, 0.5, 0.5), (-30.0, 0, 0), mass=500.0)
    run(space, 600)
    assert body.velocity[0] == pytest.approx(2.0, rel=0.01)
    water.flow = (0.0, 0.0, 0.0)
    run(space, 600)
    assert abs(body.velocity[0]) < 0.1


@pytest.mark.parametrize("mass", [0.001, 1.0])
@pytest.mark.parametrize("settings", [{}, {"drag": 1e6}, {"damping": 1e6, "spin_damping": 1e6}])
def test_no_drag_throws_a_light_body_about(mass, settings):
    """A ball of a gram and any drag: it comes up, and never faster than what pushes it could make it in a step."""
    space, _ = lake(**settings)
    body = space.add_rigid(scree.Sphere(radius=0.1), (0, 0.3, 0), velocity=(30.0, -30.0, 5.0), mass=mass)
    fastest = 0.0
    for _ in range(600):
        space.step(1 / 60)
        assert np.isfinite(body.position).all()
        fastest = max(fastest, float(np.linalg.norm(body.velocity)))
    assert fastest < 50.0 and -1.0 < body.position[1] < 2.0


def test_a_scene_turned_about_the_vertical_floats_alike():
    ends = []
    for angle in (0.0, 1.1):
        turn = Rotation.from_rotvec((0.0, angle, 0.0))
        space, _ = lake()
        start = turn * Rotation.from_rotvec((0.5, 0.2, 0.4))
        body = space.add_rigid(block(0.4, 0.2, 0.7), turn.apply((1.0, 0.5, 0.2)), start.as_quat(), mass=100.0)
        run(space, 120)
        ends.append(np.concatenate((turn.inv().apply(np.array(body.position)), turn.inv().apply(np.array(body.velocity)))))
    assert ends[0] == pytest.approx(ends[1], abs=2e-3)


# Waves.


def test_waves_are_the_sum_of_sines():
    waves = (scree.Wave(direction=(1.0, 0.0), length=8.0, height=0.6), scree.Wave((3.0, 4.0), 5.0, 0.2, speed=1.5, phase=0.3))
    space, water = lake(waves)
    run(space, 90)
    points = np.random.default_rng(2).uniform(-40.0, 40.0, (50, 3))
    first, second = 2.0 * math.pi / 8.0, 2.0 * math.pi / 5.0
    expected = 0.3 * np.sin(first * points[:, 0] - math.sqrt(G * first) * 1.5)
    expected += 0.1 * np.sin(second * (0.6 * points[:, 0] + 0.8 * points[:, 2]) - second * 1.5 * 1.5 + 0.3)
    assert water.heights(points) == pytest.approx(expected, abs=1e-9)
    assert np.abs(water.heights(points)).max() <= 0.4


def test_a_raft_rides_long_waves_and_does_not_sleep():
    space, water = lake((scree.Wave(length=60.0, height=2.0),))
    body = space.add_rigid(block(1.0, 0.1, 1.0), (0, 0, 0), mass=200.0)
    run(space, 600)
    apart = []
    for _ in range(600):
        space.step(1 / 60)
        apart.append(body.position[1] - water.heights([body.position])[0])
    assert not body.is_asleep and water.floating_count == 1
    assert np.ptp(apart) < 0.25


# Rest, edges, edits.


def floater(space, position=(0.0, 0.0, 0.0), **settings) -> scree.Body:
    return space.add_rigid(block(0.5, 0.25, 0.5), position, mass=250.0, **settings)


def test_what_floats_in_still_water_sleeps_and_wakes_when_the_water_changes():
    space, water = lake(size=(10.0, 10.0, 10.0))
    body, outside = floater(space), space.add_rigid(block(0.5, 0.5, 0.5), (20, 0.5, 0), mass=1.0)
    space.add_static(block(5, 1, 5), (20, -1, 0))
    run(space, 900)
    assert body.is_asleep and outside.is_asleep
    for change in (
        lambda: water.place((0, 0.5, 0), (10.0, 10.0, 10.0)), lambda: water.set(density=1100.0),
        lambda: water.set_waves([scree.Wave(height=0.1)]), lambda: setattr(water, "flow", (0.1, 0, 0)),
        lambda: water.set_enabled(False), lambda: water.remove(),
    ):  # fmt: skip
        body.sleep()
        run(space, 1)
        change()
        run(space, 1)
        assert not body.is_asleep and outside.is_asleep
    run(space, 60)
    assert body.velocity[1] == pytest.approx(-G, rel=0.2), "without water it falls"


def test_what_lies_on_the_bottom_sleeps_below_waves_and_what_leans_on_the_shore_in_still_water():
    space, _ = lake((scree.Wave(height=0.4),))
    space.add_static(block(20, 1, 20), (0, -6, 0))
    stone = space.add_rigid(block(0.5, 0.5, 0.5), (0, -4, 0), mass=2000.0)
    run(space, 300)
    assert stone.is_asleep and stone.position[1] == pytest.approx(-4.5, abs=0.01)
    space, _ = lake()
    space.add_static(block(20, 1, 20), (0, -1.2, 0))
    crate = space.add_rigid(block(0.5, 0.5, 0.5), (0, 0.4, 0), mass=600.0)
    run(space, 300)
    assert crate.is_asleep and crate.position[1] == pytest.approx(0.3, abs=0.01)


def test_nothing_beside_above_or_below_the_water_floats():
    space, water = lake(size=(10.0, 2.0, 10.0))
    bodies = [floater(space, place) for place in ((6, -0.5, 0), (0, -0.5, -6), (0, -3, 0), (0, 4, 0))]
    run(space, 6)
    assert [body.velocity[1] for body in bodies] == pytest.approx([-0.1 * G] * 4, rel=1e-4)
    assert water.floating_count == 0


def test_only_named_layers_float_and_only_rigid_bodies():
    layers = scree.Layers("cork", "stone")
    space = scree.World(threads=1, layers=layers).add_space(gravity=(0.0, -G, 0.0))
    space.add_water((0, 0, 0), (10, 10, 10), layers=["cork"])
    cork, stone = floater(space, layer="cork"), floater(space, (3, 0, 0), layer="stone")
    lift = space.add_kinematic(block(0.5, 0.5, 0.5), (-3, 0, 0), layer="cork")
    run(space, 60)
    assert abs(cork.velocity[1]) < 0.5 and stone.velocity[1] < -9.0
    assert lift.position == pytest.approx((-3, 0, 0))


def test_tilted_water_pushes_along_its_own_up():
    """Gravity is along x, as on a planet, and the water is turned to match."""
    space = scree.World(threads=1).add_space(gravity=(-G, 0.0, 0.0))
    space.add_water((0, 0, 0), (20, 10, 20), turned((0, 0, 1), -0.5 * math.pi))
    body = space.add_rigid(scree.Sphere(radius=0.5), (0.3, 1, 2), mass=500.0 * SHAPES["ball"][1])
    run(space, 900)
    assert body.position == pytest.approx((0.0, 1.0, 2.0), abs=0.01)


def test_a_body_of_bricks_floats_as_a_box_of_its_size():
    bricks = scree.Structure(unit=0.5)
    low = np.array([(x, y, z) for x in range(-2, 2) for y in range(-1, 1) for z in range(-2, 2)])
    bricks.insert(low, low + 1)
    ends = []
    for shape in (bricks, block(1.0, 0.5, 1.0)):
        space, _ = lake()
        body = space.add_rigid(shape, (0, 0.2, 0), turned((1, 0, 0), 0.2), mass=1600.0)
        run(space, 600)
        ends.append((body.mass, *body.position))
    assert ends[0] == pytest.approx(ends[1], abs=0.01)
    assert 0.5 - ends[0][2] == pytest.approx(0.4, rel=0.02)


def test_a_restored_space_goes_on_with_the_same_waves():
    space, water = lake((scree.Wave(height=0.5), scree.Wave((0, 1), 6.0, 0.3)))
    for k in range(5):
        floater(space, (2.0 * k - 4.0, 0.2, 0.0))
    run(space, 50)
    saved = space.save()
    ways = []
    for _ in range(2):
        space.restore(saved)
        hashes = []
        for _ in range(60):
            space.step(1 / 60)
            hashes.append(space.hash())
        ways.append(hashes)
    assert ways[0] == ways[1] and len(set(ways[0])) == 60
    assert water.time == pytest.approx(110 / 60)


# Found by a tester who knew the page alone.


@pytest.mark.parametrize("parts", [1, 2, 4])
def test_collision_steps_lift_no_more(parts):
    space, water = lake()
    body = space.add_rigid(block(1.0, 0.5, 1.0), (0, 0.1, 0), mass=2000.0)
    for _ in range(600):
        space.step(1 / 60, parts)
    assert abs(body.position[1]) < 0.01 and water.time == pytest.approx(10.0)


def test_a_turned_ball_bobs_as_high_as_one_that_is_not():
    space, _ = lake(**STILL)
    places = []
    for index, turn in enumerate(((0, 0, 0, 1), (0.3, 0.2, 0.1, 0.9273))):
        place = (10.0 * index, 0.2, 0)
        places.append(space.add_rigid(scree.Sphere(radius=0.5), place, turn, mass=50.0 * SHAPES["ball"][1], can_sleep=False))
    for _ in range(1800):
        space.step(1 / 60)
        assert places[1].position[1] < 0.68
    assert places[0].position[1] == pytest.approx(places[1].position[1], abs=0.05)


@pytest.mark.parametrize("rate", [60, 240])
def test_a_light_raft_carries_its_load(rate):
    """50 kg/m^3 under 8,000 kg: 800 + 8,000 kg on 16 m^2."""
    space, _ = lake()
    raft = space.add_rigid(block(2.0, 0.5, 2.0), (0, 0, 0), mass=800.0)
    space.add_rigid(block(1.0, 0.5, 1.0), (0, 1.0, 0), mass=8000.0)
    run(space, 20 * rate, 1 / rate)
    assert 0.5 - raft.position[1] == pytest.approx(0.55, rel=0.05)


def test_ripples_do_not_sink_a_barge():
    for length, height in ((2.0, 0.2), (0.5, 0.05)):
        space, _ = lake((scree.Wave(length=length, height=height),))
        barge = space.add_rigid(block(10.0, 0.5, 4.0), (0, -0.4, 0), mass=900.0 * 160.0)
        lowest = 0.0
        for _ in range(900):
            space.step(1 / 60)
            lowest = min(lowest, barge.position[1])
        assert lowest > -0.45
