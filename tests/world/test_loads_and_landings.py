"""Light bodies under heavy loads, and landings with restitution 0, as mechanics has them: momentum, energy, friction."""

import numpy as np
import pytest

import scree

GRAVITY = 9.8
TICK = 1.0 / 60.0
BOX = scree.Box(half_extents=(0.5, 0.5, 0.5))
BALL = scree.Sphere(radius=0.5)
CYLINDER = scree.Cylinder(radius=0.5, height=1.0)
RING = np.stack([0.5 * np.cos(np.arange(6) * np.pi / 3.0), np.zeros(6), 0.5 * np.sin(np.arange(6) * np.pi / 3.0)], axis=1)
PRISM = scree.Hull(points=np.concatenate([RING + (0.0, 0.5, 0.0), RING - (0.0, 0.5, 0.0)]))
LYING = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))  # a cylinder whose axis is z


def empty(gravity: float = GRAVITY, sleeps: bool = False, substeps: int = 4) -> scree.Space:
    settings = scree.SpaceSettings(substep_count=substeps, is_sleeping_allowed=sleeps)
    return scree.World(threads=1).add_space(gravity=(0.0, -gravity, 0.0), settings=settings)


def with_floor(friction: float = 1.0, **settings) -> scree.Space:
    space = empty(**settings)
    space.add_static(scree.Plane(), material=scree.Material(friction=friction))
    return space


def step(space: scree.Space, ticks: int) -> None:
    for _ in range(ticks):
        space.step(TICK)


def momentum(bodies) -> np.ndarray:
    """The momentum of bodies [kg m/s]."""
    return sum(body.mass * np.asarray(body.velocity, np.float64) for body in bodies)


def energy(bodies, gravity: float = GRAVITY) -> float:
    """The energy of bodies that do not turn [J]."""
    return sum(0.5 * body.mass * float(body.velocity @ body.velocity) + body.mass * gravity * body.position[1] for body in bodies)


def stack(
    space: scree.Space, load: float, size: float = 1.0, below: scree.Shape | None = None, fall: float = 0.0, **more
) -> list:
    """A body of 1 kg and of `size` [m] on the floor, and a cube that is `load` times heavier, `fall` [m] above it."""
    cube = scree.Box(half_extents=(0.5 * size, 0.5 * size, 0.5 * size))
    light = space.add_rigid(below or cube, (0.0, 0.5 * size, 0.0), mass=1.0, **more)
    return [light, space.add_rigid(cube, (0.0, 1.5 * size + fall, 0.0), mass=load, **more)]


NOT_YET = {
    "test_two_heavy_bodies_with_a_light_one_between_do_not_spring_apart": (
        "what a light body in between lets overlap is pushed apart with speed",
        {"100.0-0.5", "10000.0-0.5"},
    ),
    "test_a_light_body_that_is_hit_against_a_heavy_one_throws_nothing_back": (
        "it is thrown back at 0.2 m/s of 10: it comes 2 cm deep before it stops, and is pushed out",
        {"box"},
    ),
    "test_what_hits_a_body_under_a_load_gives_it_its_momentum": (
        "momentum is kept, but the lower body goes on at 0.5 to 2.8 m/s, by the order of bodies; expected 2.5",
        {"1000.0"},
    ),
    "test_a_plate_on_rollers_keeps_its_momentum": (
        "rollers count as a tenth of the load: 1 to 3 % is lost as it is set going",
        {"cylinder-100.0", "cylinder-1000.0", "ball-100.0", "ball-1000.0"},
    ),
    "test_a_load_made_in_its_place_does_not_sink_into_what_carries_it": (
        "11 % of the size: contacts of bodies of 1 cm give way by tenths of a millimetre",
        {"0.01-100.0"},
    ),
    "test_a_load_rests_on_a_cube_of_1_cm": ("7.7 % deep", {"100.0"}),
}
"""Faults that are known, by test: why, and for which parameters. A row that begins to hold fails, and is to be taken out."""


@pytest.fixture(autouse=True)
def known_faults(request):
    """Expect the tests of NOT_YET to fail."""
    why, parameters = NOT_YET.get(request.node.originalname, ("", ()))
    if parameters and request.node.callspec.id in parameters:
        request.node.add_marker(pytest.mark.xfail(strict=True, reason=why))


# Free systems.


@pytest.mark.parametrize("shape", (BOX, BALL), ids=("box", "ball"))
@pytest.mark.parametrize(("load", "speed"), ((5.0, 3.0), (20.0, 3.0), (100.0, 3.0), (100.0, 20.0), (10_000.0, 0.5)))
def test_a_light_body_between_two_heavy_ones_leaves_their_momentum_alone(load, speed, shape):
    space = empty(gravity=0.0)
    smooth = scree.Material(friction=0.0)
    bodies = [
        space.add_rigid(shape, (-1.6, 0.0, 0.0), velocity=(speed, 0.0, 0.0), mass=load, material=smooth),
        space.add_rigid(shape, (0.0, 0.0, 0.0), mass=1.0, material=smooth),
        space.add_rigid(shape, (1.6, 0.0, 0.0), velocity=(-speed, 0.0, 0.0), mass=load, material=smooth),
    ]
    for _ in range(120):
        space.step(TICK)
        assert np.abs(momentum(bodies)).max() < 1e-4 * load * speed


@pytest.mark.parametrize(("load", "speed"), ((5.0, 0.5), (100.0, 0.5), (10_000.0, 0.5)))
def test_two_heavy_bodies_with_a_light_one_between_do_not_spring_apart(load, speed):
    """Restitution 0: the energy of the three only falls, by 1 % of what there was."""
    space = empty(gravity=0.0)
    bodies = [
        space.add_rigid(BALL, (-1.6, 0.0, 0.0), velocity=(speed, 0.0, 0.0), mass=load),
        space.add_rigid(BALL, (0.0, 0.0, 0.0), mass=1.0),
        space.add_rigid(BALL, (1.6, 0.0, 0.0), velocity=(-speed, 0.0, 0.0), mass=load),
    ]
    first = least = energy(bodies, 0.0)
    for _ in range(150):
        space.step(TICK)
        now = energy(bodies, 0.0)
        assert now < least + 0.01 * first
        least = min(least, now)


@pytest.mark.parametrize("count", (1, 2, 5))
def test_a_row_of_restitution_0_passes_its_momentum_on(count):
    space = empty(gravity=0.0)
    balls = [space.add_rigid(BALL, (-2.0, 0.0, 0.0), velocity=(3.0, 0.0, 0.0), mass=1.0)]
    balls += [space.add_rigid(BALL, (1.0 * k, 0.0, 0.0), mass=1.0) for k in range(count)]
    step(space, 240)
    speeds = [ball.velocity[0] for ball in balls]
    np.testing.assert_allclose(momentum(balls), (3.0, 0.0, 0.0), atol=1e-5)
    assert np.all(np.diff(speeds) > -1e-3) and speeds[-1] < 1.5 * 3.0 / (count + 1) + 1e-3 and speeds[0] > 0.0


@pytest.mark.parametrize("shape", (BOX, BALL), ids=("box", "ball"))
def test_a_light_body_that_is_hit_against_a_heavy_one_throws_nothing_back(shape):
    """1 kg hits 1 kg that touches 1,000 kg: restitution 0, so all go on together, at 0.01 m/s."""
    space = empty(gravity=0.0)
    first = space.add_rigid(shape, (-2.0, 0.0, 0.0), velocity=(10.0, 0.0, 0.0), mass=1.0)
    space.add_rigid(shape, (0.0, 0.0, 0.0), mass=1.0)
    space.add_rigid(shape, (1.0, 0.0, 0.0), mass=1000.0)
    step(space, 60)
    assert first.velocity[0] > -0.1


@pytest.mark.parametrize(("shape", "load", "least"), ((BOX, 1000.0, -0.25), (BOX, 20.0, 0.2), (BALL, 1000.0, -0.05)))
def test_the_contact_with_a_heavy_body_answers_a_blow_within_a_pass(shape, load, least):
    """However early it was made: before the blow's contact it would answer the last pass, and throw back a tenth of the speed."""
    space = empty(gravity=0.0)
    first = space.add_rigid(shape, (-2.0, 0.0, 0.0), velocity=(10.0, 0.0, 0.0), mass=1.0)
    space.add_rigid(shape, (0.0, 0.0, 0.0), mass=1.0)
    space.add_rigid(shape, (1.0, 0.0, 0.0), mass=load)
    step(space, 60)
    assert first.velocity[0] > least


@pytest.mark.parametrize("offset", (0.3, 0.6, 0.9))
def test_smooth_balls_of_restitution_0_that_glance_equal_their_normal_speeds(offset):
    space = empty(gravity=0.0)
    smooth = scree.Material(friction=0.0)
    space.add_rigid(BALL, (-2.0, offset, 0.0), velocity=(5.0, 0.0, 0.0), mass=1.0, material=smooth)
    hit = space.add_rigid(BALL, (0.0, 0.0, 0.0), mass=1.0, material=smooth)
    step(space, 60)
    normal = np.array((np.sqrt(1.0 - offset**2), -offset, 0.0))
    np.testing.assert_allclose(hit.velocity, 2.5 * normal[0] * normal, atol=0.05)


# Forces and blows at a body that carries a load.


@pytest.mark.parametrize("load", (3.0, 10.0, 100.0, 1000.0))
def test_what_hits_a_body_under_a_load_gives_it_its_momentum(load):
    """Nothing rubs: 1 kg at 5 m/s and 1 kg under the load go on together at 2.5 m/s."""
    space, smooth = with_floor(0.0), scree.Material(friction=0.0)
    bodies = stack(space, load, material=smooth)
    step(space, 30)
    before = momentum(bodies)[0]
    small = scree.Box(half_extents=(0.2, 0.2, 0.2))
    bodies.append(
        space.add_rigid(small, (-1.5, 0.5, 0.0), mass=1.0, velocity=(5.0, 0.0, 0.0), gravity_scale=0.0, material=smooth)
    )
    step(space, 15)
    assert momentum(bodies)[0] - before == pytest.approx(5.0, abs=0.1)
    assert bodies[0].velocity[0] == pytest.approx(2.5, abs=0.2)


@pytest.mark.parametrize("load", (1.0, 10.0, 30.0, 100.0, 1000.0))
def test_a_plank_under_a_load_stays_where_half_of_friction_pulls(load):
    """Friction of the floor holds mu (M + m) g; the plank is pulled with half of that."""
    space, rough = with_floor(0.5), scree.Material(friction=0.5)
    plank = space.add_rigid(scree.Box(half_extents=(1.0, 0.25, 1.0)), (0.0, 0.25, 0.0), mass=1.0, material=rough)
    space.add_rigid(BOX, (0.0, 1.0, 0.0), mass=load, material=rough)
    step(space, 60)
    plank.set_constant_force((0.25 * (load + 1.0) * GRAVITY, 0.0, 0.0))
    step(space, 60)
    assert plank.position[0] == pytest.approx(0.0, abs=0.1)


@pytest.mark.parametrize("load", (1.0, 10.0, 100.0))
def test_a_cloth_pulled_from_under_a_load_feels_its_friction(load):
    """On a smooth floor: what pulls less mu M g moves 1 kg, and mu g moves the load."""
    space, rough = with_floor(0.0), scree.Material(friction=0.1)
    plank = space.add_rigid(scree.Box(half_extents=(4.0, 0.1, 0.5)), (0.0, 0.1, 0.0), mass=1.0, material=rough)
    box = space.add_rigid(scree.Box(half_extents=(0.3, 0.3, 0.3)), (3.2, 0.5, 0.0), mass=load, material=rough)
    step(space, 30)
    friction = 0.1 * load * GRAVITY
    plank.set_constant_force((1.5 * friction + 10.0, 0.0, 0.0))
    step(space, 12)
    assert plank.velocity[0] == pytest.approx(0.2 * (0.5 * friction + 10.0), rel=0.05)
    assert box.velocity[0] == pytest.approx(0.2 * 0.1 * GRAVITY, rel=0.05)


@pytest.mark.parametrize("load", (1.0, 100.0, 10_000.0))
def test_an_impulse_moves_a_smooth_body_under_a_load_by_its_own_mass(load):
    space, smooth = with_floor(0.0), scree.Material(friction=0.0)
    plank = space.add_rigid(scree.Box(half_extents=(2.0, 0.5, 2.0)), (0.0, 0.5, 0.0), mass=1.0, material=smooth)
    space.add_rigid(BOX, (0.0, 1.5, 0.0), mass=load, material=smooth)
    step(space, 60)
    plank.apply_impulse((2.0, 0.0, 0.0))
    step(space, 10)
    assert plank.velocity[0] == pytest.approx(2.0, abs=0.02)


@pytest.mark.parametrize("load", (10.0, 100.0, 1000.0))
@pytest.mark.parametrize("kind", ("cylinder", "ball"))
def test_a_plate_on_rollers_keeps_its_momentum(kind, load):
    """It shares it with rollers that move at half its speed v: M v0 = (M + n (m + I / r^2) / 4) v."""
    space, rough = with_floor(0.8), scree.Material(friction=0.8)
    shape, inertia = (scree.Cylinder(radius=0.2, height=1.0), 0.5) if kind == "cylinder" else (scree.Sphere(radius=0.2), 0.4)
    for x in (-1.0, 0.0, 1.0):
        for z in (-0.55, 0.55):
            space.add_rigid(shape, (x, 0.2, z), LYING, mass=1.0, material=rough)
    plate = space.add_rigid(scree.Box(half_extents=(4.0, 0.1, 1.1)), (0.0, 0.5, 0.0), mass=load, material=rough)
    step(space, 30)
    plate.velocity = (1.0, 0.0, 0.0)
    step(space, 60)
    assert plate.velocity[0] == pytest.approx(load / (load + 6.0 * (1.0 + inertia) / 4.0), rel=0.01)


@pytest.mark.parametrize("mass", (1.0, 100.0, 1000.0))
def test_a_ball_that_rolls_over_light_planks_does_not_become_faster(mass):
    space, rough = with_floor(), scree.Material(friction=0.8)
    for k in range(12):
        space.add_rigid(scree.Box(half_extents=(0.4, 0.1, 1.0)), (0.9 * k, 0.1, 0.0), mass=1.0, material=rough)
    ball = space.add_rigid(
        scree.Sphere(radius=1.0), (0.0, 1.2, 0.0), mass=mass, velocity=(2.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, -2.0),
        material=rough,
    )  # fmt: skip
    for _ in range(240):
        space.step(TICK)
        assert ball.velocity[0] < 2.04


@pytest.mark.parametrize("load", (10.0, 1000.0, 10_000.0))
def test_a_smooth_stack_gets_no_momentum_sideways(load):
    space, smooth = with_floor(0.0), scree.Material(friction=0.0)
    bodies = stack(space, load, material=smooth)
    step(space, 120)
    assert np.abs(momentum(bodies)[[0, 2]]).max() < 1e-5 * load


@pytest.mark.parametrize("load", (100.0, 1000.0))
def test_a_load_does_not_creep_on_a_slope(load):
    slope = np.radians(20.0)
    normal, turn = np.array((np.sin(slope), np.cos(slope), 0.0)), (0.0, 0.0, -np.sin(slope / 2), np.cos(slope / 2))
    space, rough = empty(), scree.Material(friction=0.6)
    space.add_static(scree.Plane(normal=tuple(normal)), material=rough)
    slab = scree.Box(half_extents=(0.5, 0.25, 0.5))
    bodies = [space.add_rigid(slab, normal * y, turn, mass=mass, material=rough) for y, mass in ((0.25, 1.0), (0.75, load))]
    step(space, 60)
    places = [body.position.copy() for body in bodies]
    step(space, 240)
    for body, place in zip(bodies, places, strict=True):
        assert np.linalg.norm(body.position - place) < 0.002


@pytest.mark.parametrize("load", (10.0, 1000.0, 100_000.0))
def test_a_light_body_does_not_jump_when_its_load_is_lifted(load):
    space = with_floor()
    light, heavy = stack(space, load)
    step(space, 60)
    heavy.velocity = (0.0, 3.0, 0.0)
    for _ in range(40):
        space.step(TICK)
        assert light.position[1] < 0.505


# Loads that are put down at rest, in their places.


@pytest.mark.parametrize(
    ("size", "load"), ((1.0, 1000.0), (1.0, 10_000.0), (1.0, 1e6), (0.1, 100.0), (0.1, 10_000.0), (0.01, 100.0))
)
def test_a_load_made_in_its_place_does_not_sink_into_what_carries_it(size, load):
    """Never by more than 5 % of its size, also while it comes to rest."""
    space = with_floor(sleeps=True)
    heavy = stack(space, load, size)[1]
    lowest = heavy.position[1]
    for _ in range(180):
        space.step(TICK)
        lowest = min(lowest, heavy.position[1])
    assert lowest > 1.45 * size


@pytest.mark.parametrize("load", (5.0, 100.0))
def test_a_load_rests_on_a_cube_of_1_cm(load):
    space = with_floor(sleeps=True)
    light, heavy = stack(space, load, 0.01)
    step(space, 300)
    assert light.position[1] > 0.0045 and heavy.position[1] - light.position[1] > 0.0095


@pytest.mark.parametrize("below", (BOX, CYLINDER, PRISM), ids=("box", "cylinder", "prism"))
@pytest.mark.parametrize("load", (10.0, 1000.0, 10_000.0, 100_000.0))
def test_a_load_made_in_its_place_does_not_rise(load, below):
    space = with_floor(sleeps=True)
    light, heavy = stack(space, load, below=below)
    for _ in range(180):
        space.step(TICK)
        assert heavy.position[1] < 1.51
    assert light.is_asleep and heavy.is_asleep


@pytest.mark.parametrize("substeps", (1, 2, 8, 16))
@pytest.mark.parametrize("rate", (60, 120, 240))
def test_ten_times_its_mass_stands_at_any_rate(rate, substeps):
    space = with_floor(sleeps=True, substeps=substeps)
    light, heavy = stack(space, 10.0)
    for _ in range(3 * rate):
        space.step(1.0 / rate)
    np.testing.assert_allclose([light.position[1], heavy.position[1]], (0.5, 1.5), atol=0.03)
    assert light.is_asleep and heavy.is_asleep


# Landings.


@pytest.mark.parametrize(("mass", "fall"), ((1.0, 0.3), (1.0, 3.0), (1.0, 10.0), (10.0, 10.0), (1000.0, 0.1), (1000.0, 10.0)))
def test_what_lands_beside_the_centre_of_1_kg_does_not_rise(mass, fall):
    space = with_floor()
    space.add_rigid(BOX, (0.0, 0.5, 0.0), mass=1.0)
    heavy = space.add_rigid(BOX, (0.05, 1.5 + fall, 0.0), mass=mass)
    has_met = False
    for _ in range(240):
        space.step(TICK)
        has_met = has_met or heavy.position[1] < 1.505
        assert not has_met or heavy.velocity[1] <= 0.0 or heavy.position[1] < 1.515


@pytest.mark.parametrize("mass", (1.0, 10.0, 1000.0))
def test_a_box_that_lands_on_a_cylinder_does_not_bounce(mass):
    space = with_floor()
    space.add_rigid(CYLINDER, (0.0, 0.5, 0.0), mass=1.0)
    box = space.add_rigid(BOX, (0.05, 2.0, 0.0), mass=mass)
    has_met = False
    for _ in range(150):
        space.step(TICK)
        has_met = has_met or box.position[1] < 1.505
        assert not has_met or box.velocity[1] <= 0.0 or box.position[1] < 1.515


@pytest.mark.parametrize(("mass", "fall"), ((3.0, 1.0), (10.0, 1.0), (100.0, 0.3), (1000.0, 1.0), (10_000.0, 0.1)))
def test_a_load_that_lands_on_1_kg_is_not_lifted_again(mass, fall):
    """Restitution 0: the energy of both falls at the impact and does not grow again, by 5 % of what the fall brought."""
    space = with_floor()
    bodies = stack(space, mass, fall=fall)
    least = energy(bodies)
    for _ in range(150):
        space.step(TICK)
        now = energy(bodies)
        assert now < least + 0.05 * mass * GRAVITY * fall
        least = min(least, now)


@pytest.mark.parametrize(
    ("mass", "fall", "most"), ((10.0, 1.0, 0.03), (100.0, 0.3, 0.03), (1000.0, 1.0, 0.03), (1000.0, 0.01, 0.01))
)
def test_a_load_that_lands_on_1_kg_makes_a_small_dip(mass, fall, most):
    """A sub-step takes it 2 cm; a light body that did not stand against it from the first one on gave way by a quarter of 1 m."""
    space = with_floor()
    heavy, lowest = stack(space, mass, fall=fall)[1], 2.0
    for _ in range(120):
        space.step(TICK)
        lowest = min(lowest, heavy.position[1])
    assert lowest > 1.5 - most


@pytest.mark.parametrize("load", (10.0, 1000.0))
def test_a_heavy_body_that_overtakes_a_light_one_in_the_air_keeps_their_momentum(load):
    """The light one stands on nothing: it has its own mass."""
    space = empty()
    bodies = stack(space, load, fall=0.5)
    bodies[1].velocity = (0.0, -5.0, 0.0)
    before = momentum(bodies)[1]
    step(space, 30)
    assert momentum(bodies)[1] - before == pytest.approx(-0.5 * GRAVITY * (1.0 + load), rel=1e-4)


def test_a_light_body_beside_which_a_heavy_one_comes_down_keeps_its_own_mass():
    """The heavy one hits the floor 1 cm beside it, and a blow from the other side moves the light one as ever."""
    space, smooth = with_floor(0.0), scree.Material(friction=0.0)
    light = space.add_rigid(BOX, (0.0, 0.5, 0.0), mass=1.0, material=smooth)
    space.add_rigid(BOX, (1.01, 1.0, 0.0), mass=1000.0, material=smooth)
    step(space, 30)
    light.apply_impulse((-2.0, 0.0, 0.0))
    step(space, 5)
    assert light.velocity[0] == pytest.approx(-2.0, abs=0.01)


@pytest.mark.parametrize(("shape", "friction", "velocity", "fall"), (
    (BOX, 0.3, 2.0, 0.1), (BOX, 0.6, 8.0, 1.0), (BOX, 0.9, 6.0, 0.3), (CYLINDER, 0.6, 8.0, 1.0), (CYLINDER, 0.9, 6.0, 0.3),
    (PRISM, 0.3, 5.0, 2.0), (PRISM, 0.6, 8.0, 1.0), (PRISM, 0.9, 6.0, 0.3),
))  # fmt: skip
def test_what_lands_sideways_slides_as_far_as_coulomb_says_and_does_not_rise(shape, friction, velocity, fall):
    """The impact takes mu v_n; the rest is gone after v^2 / (2 mu g). The force goes through the foot: nothing tilts."""
    space, material = with_floor(friction), scree.Material(friction=friction)
    body = space.add_rigid(shape, (0.0, 0.5 + fall, 0.0), mass=1.0, velocity=(velocity, 0.0, 0.0), material=material)
    highest, has_met = 0.0, False
    for _ in range(240):
        space.step(TICK)
        has_met = has_met or body.position[1] < 0.505
        highest = max(highest, body.position[1] - 0.5 if has_met else 0.0)
    left = max(velocity - friction * np.sqrt(2.0 * GRAVITY * fall), 0.0)
    way = velocity * np.sqrt(2.0 * fall / GRAVITY) + left**2 / (2.0 * friction * GRAVITY)
    assert highest < 0.02
    assert body.position[0] == pytest.approx(way, rel=0.03)


@pytest.mark.parametrize(
    ("substeps", "rate", "friction"), ((1, 30, 0.4), (1, 60, 0.8), (1, 240, 0.8), (2, 30, 0.8), (4, 60, 0.8))
)
def test_a_box_that_lands_sideways_does_not_tilt_at_any_rate(substeps, rate, friction):
    space, material = with_floor(friction, substeps=substeps), scree.Material(friction=friction)
    box = space.add_rigid(BOX, (0.0, 1.5, 0.0), mass=1.0, velocity=(5.0, 0.0, 0.0), material=material)
    for _ in range(2 * rate):
        space.step(1.0 / rate)
        assert np.abs(box.angular_velocity).max() < 0.1


@pytest.mark.parametrize("mass", (1.0, 10.0, 100.0, 1000.0))
def test_a_beam_that_lands_on_three_posts_lies_still(mass):
    space = with_floor(sleeps=True)
    for x in (-2.0, 0.0, 2.0):
        space.add_rigid(scree.Box(half_extents=(0.2, 0.5, 0.2)), (x, 0.5, 0.0), mass=1.0)
    beam = space.add_rigid(scree.Box(half_extents=(3.0, 0.2, 0.4)), (0.0, 2.2, 0.0), mass=mass)
    has_met = False
    for _ in range(240):
        space.step(TICK)
        has_met = has_met or beam.position[1] < 1.205
        assert not has_met or beam.position[1] < 1.215
    np.testing.assert_allclose(beam.position, (0.0, 1.2, 0.0), atol=0.01)
    assert beam.is_asleep


@pytest.mark.parametrize(("mass", "fall"), ((3.0, 1.0), (10.0, 1.0), (10.0, 3.0), (100.0, 1.0)))
def test_a_see_saw_throws_up_what_stands_on_its_other_end(mass, fall):
    """At least as fast as a rigid see-saw right after the blow: angular momentum about the hinge is kept."""
    space = with_floor()
    plank = space.add_rigid(scree.Box(half_extents=(2.0, 0.05, 0.5)), (0.0, 1.05, 0.0), mass=2.0)
    space.add_joint(scree.Hinge(anchor=(0.0, 1.05, 0.0), axis=(0.0, 0.0, 1.0)), plank)
    small = scree.Box(half_extents=(0.2, 0.2, 0.2))
    thrown = space.add_rigid(small, (-1.7, 1.3, 0.0), mass=1.0)
    space.add_rigid(small, (1.7, 1.3 + fall, 0.0), mass=mass)
    inertia = 2.0 * 4.0 / 3.0 + (1.0 + mass) * 1.7**2
    rigid = 1.7**2 * mass * np.sqrt(2.0 * GRAVITY * fall) / inertia
    fastest = 0.0
    for _ in range(120):
        space.step(TICK)
        fastest = max(fastest, thrown.velocity[1])
    assert fastest > 0.9 * rigid
