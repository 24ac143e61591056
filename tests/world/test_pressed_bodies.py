"""Light bodies under heavy ones: they carry any load, and what lands on them does not bounce."""

import numpy as np
import pytest
from small_world import SmallWorld

import scree
from scree.bodies.schema import IS_PRESSED, RIGID

DOWN = (0.0, -9.8, 0.0)


def pile(masses, sleeps: bool = False, off: float = 0.0, **settings) -> tuple[SmallWorld, list[int]]:
    """Boxes of 1 m with these masses, one on the other, each `off` [m] beside the one below."""
    world = SmallWorld(gravity=DOWN, sleeps=sleeps, **settings)
    world.floor()
    box = world.box(0.5, 0.5, 0.5)
    return world, [world.add(box, (off * k, 0.5 + k, 0.0), mode=RIGID, mass=mass) for k, mass in enumerate(masses)]


def heights(world: SmallWorld, bodies: list[int]) -> np.ndarray:
    return np.array([world.position(body)[1] for body in bodies])


@pytest.mark.parametrize("load", [10.0, 100.0, 1000.0, 10_000.0, 100_000.0])
def test_any_load_stands_on_1_kg_and_sleeps(load):
    world, bodies = pile([1.0, load], sleeps=True)
    world.step(600)
    np.testing.assert_allclose(heights(world, bodies), [0.5, 1.5], atol=0.003)
    assert not any(world.is_awake(body) for body in bodies)


@pytest.mark.parametrize("masses", [
    [1.0, 10.0, 100.0, 1000.0], [1.0] * 4 + [100.0], [1.0] * 8 + [1000.0], [1.0, 1000.0, 1.0, 1000.0],
])  # fmt: skip
def test_piles_with_heavy_tops_stand_without_sleep(masses):
    world, bodies = pile(masses)
    world.step(300)
    start = np.array([world.position(body) for body in bodies])
    world.step(2000)
    now = np.array([world.position(body) for body in bodies])
    assert np.abs(now - start).max() < 0.005
    np.testing.assert_allclose(now[:, 1], 0.5 + np.arange(len(masses)), atol=0.003 * len(masses))


def test_a_load_that_rests_beside_the_centre_of_what_carries_it_stands():
    world, bodies = pile([1.0, 1000.0], off=0.3)
    world.step(1200)
    np.testing.assert_allclose(heights(world, bodies), [0.5, 1.5], atol=0.003)


def test_a_load_that_slides_stops_where_friction_says():
    """1,000 kg at 3 m/s on a plank of 1 kg that lies on the floor: it slides by v^2 / (2 mu g)."""
    world = SmallWorld(gravity=DOWN)
    world.floor(friction=0.5)
    plank = world.add(world.box(2.0, 0.1, 0.5), (0.0, 0.1, 0.0), mode=RIGID, mass=1.0, friction=0.5)
    load = world.add(world.box(0.3, 0.3, 0.3), (-1.0, 0.5, 0.0), mode=RIGID, mass=1000.0, friction=0.5)
    world.step(60)
    start = world.position(load)[0]
    world.throw(load, (3.0, 0.0, 0.0))
    world.step(120)
    assert world.position(load)[0] - start == pytest.approx(9.0 / 9.8, rel=0.02)
    assert abs(world.position(plank)[0]) < 0.01


def test_a_body_has_its_own_mass_again_when_the_load_is_gone():
    world, (light, heavy) = pile([1.0, 1000.0])
    world.step(60)
    assert int(world.body(light)["flags"]) & IS_PRESSED
    world.move(heavy, (50.0, 0.5, 0.0))
    world.step(60)
    assert not int(world.body(light)["flags"]) & IS_PRESSED
    hammer = world.add(world.box(0.5, 0.5, 0.5), (-2.0, 0.51, 0.0), mode=RIGID, mass=1.0, friction=0.0)
    world.throw(hammer, (5.0, 0.0, 0.0))
    momenta = []
    for _ in range(30):
        world.step(1)
        momenta.append(world.velocity(light)[0])
    assert max(momenta) == pytest.approx(2.5, abs=0.3)  # equal masses, restitution 0: half of its speed, less friction


@pytest.mark.parametrize("too_tall", [0.0, 0.005, 0.1])
def test_crates_that_are_squeezed_by_a_ship_do_not_hold_it_back(too_tall):
    """A ship of 100 tons at 20 m/s, turning, with seven crates of 1 kg between deck, ceiling and walls: 40 m in 2 s."""
    space = scree.World(threads=1).add_space(gravity=DOWN)
    plate, wall = scree.Box(half_extents=(20.0, 0.5, 20.0)), scree.Box(half_extents=(0.5, 2.0, 20.0))
    places = ((plate, (0.0, -0.5, 0.0)), (plate, (0.0, 1.5 - too_tall, 0.0)), (wall, (-0.6, 0.0, 0.0)), (wall, (0.9, 0.0, 0.0)))
    hull = scree.Compound(parts=[scree.Part(shape=shape, position=place) for shape, place in places])
    ship = space.add_rigid(hull, (0.0, 0.0, 0.0), mass=1e5, gravity_scale=0.0)
    for k in range(-3, 4):
        space.add_rigid(scree.Box(half_extents=(0.3, 0.5, 0.3)), (0.15, 0.5 - too_tall / 2.0, 3.0 * k), mass=1.0)
    for _ in range(120):
        ship.velocity, ship.angular_velocity = (20.0, 0.0, 0.0), (0.0, 0.06, 0.0)
        space.step(1.0 / 60.0)
        assert np.abs(ship.velocity - (20.0, 0.0, 0.0)).max() < 0.01
    np.testing.assert_allclose(ship.position, (40.0, 0.0, 0.0), atol=0.01)


def highest_after_landing(world: SmallWorld, body: int, landed: float) -> float:
    """How high a falling body rises again within 3 s, after it was once below `landed` [m]; 0 if it does not."""
    has_met, highest = False, 0.0
    for _ in range(180):
        world.step(1)
        here = world.position(body)[1]
        has_met = has_met or here < landed
        if has_met and world.velocity(body)[1] > 0.0:
            highest = max(highest, here)
    return highest


def test_equal_bodies_are_never_pressed():
    world, bodies = pile([1.0] * 20)
    for _ in range(10):
        world.step(30)
        assert not any(int(world.body(body)["flags"]) & IS_PRESSED for body in bodies)


@pytest.mark.parametrize("substeps", [4, 8])
@pytest.mark.parametrize("height", [0.3, 1.0])
@pytest.mark.parametrize("mass", [1.0, 2.0, 5.0, 10.0, 20.0, 100.0, 1000.0])
def test_what_lands_on_1_kg_on_the_floor_does_not_bounce(mass, height, substeps):
    world = SmallWorld(gravity=DOWN, substep_count=substeps)
    world.floor()
    box = world.box(0.5, 0.5, 0.5)
    world.add(box, (0.0, 0.5, 0.0), mode=RIGID, mass=1.0)
    falling = world.add(box, (0.05, 1.5 + height, 0.0), mode=RIGID, mass=mass)
    assert highest_after_landing(world, falling, 1.505) < 1.52  # as in docs/truth.md
    assert world.position(falling)[1] == pytest.approx(1.5, abs=0.005)


@pytest.mark.parametrize("mass", [1.0, 2.0, 3.0, 10.0, 100.0, 1000.0])
@pytest.mark.parametrize("height", [0.3, 1.0])
def test_what_lands_on_a_pile_does_not_bounce(mass, height):
    """A box onto three of 1 kg: it rises again by less than in Jolt plus 2 cm, as in docs/truth.md."""
    world = SmallWorld(gravity=DOWN)
    world.floor()
    box = world.box(0.5, 0.5, 0.5)
    for k in range(3):
        world.add(box, (0.0, 0.5 + k, 0.0), mode=RIGID, mass=1.0)
    falling = world.add(box, (0.1, 3.5 + height, 0.0), mode=RIGID, mass=mass)
    assert highest_after_landing(world, falling, 3.51) < 3.52
    assert world.position(falling)[1] == pytest.approx(3.5, abs=0.015)
