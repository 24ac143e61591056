"""Round bodies on smooth curves of triangles: bowls, half pipes and hills keep energy, real edges take it."""

import math

import numpy as np
import pytest
from mechanics import energy, mass_of
from scipy.optimize import brentq
from scree.bodies.schema import KINEMATIC, STATIC
from scree.geometry.segments import nearest_on_triangle
from scree.shapes.schema import HEIGHT_FIELD, MESH
from small_world import SmallWorld

GRAVITY = 10.0
LYING = (1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0)  # a capsule along z


def add_strips(world, points, corner_z, **params):
    """Static triangles from a line of points (x, y), extended along z."""
    corners = [(x, y, z) for x, y in points for z in corner_z]
    columns, triangles = len(corner_z), []
    for i in range(len(points) - 1):
        for j in range(columns - 1):
            a = i * columns + j
            triangles += [(a, a + 1, a + columns), (a + 1, a + columns + 1, a + columns)]
    return add_mesh(world, corners, triangles, **params)


def add_mesh(world, corners, triangles, **params):
    shape = world.world.shape.create(MESH)
    world.world.shapes.set_mesh(world.world.shape.index("", shape), np.array(corners), np.array(triangles, np.int32))
    return world.add(shape, mode=params.pop("mode", STATIC), **params)


def add_bowl(world, steepness, facet, size, **params):
    """Static triangles on y = steepness r^2, over squares of `facet` [m]."""
    count = round(2 * size / facet) + 1
    x, z = np.meshgrid(np.linspace(-size, size, count), np.linspace(-size, size, count), indexing="ij")
    corners = np.stack([x, steepness * (x * x + z * z), z], -1).reshape(-1, 3)
    starts = np.arange(count * count).reshape(count, count)[:-1, :-1].ravel()
    first = np.stack([starts, starts + 1, starts + count], 1)
    second = np.stack([starts + 1, starts + count + 1, starts + count], 1)
    return add_mesh(world, corners, np.concatenate([first, second]), **params)


def add_field_bowl(world, steepness, count, **params):
    """A static height field of cells of 1 m with the heights steepness r^2."""
    x, z = np.meshgrid(np.arange(count) - (count - 1) / 2, np.arange(count) - (count - 1) / 2)
    shape = world.world.shape.create(HEIGHT_FIELD)
    heights = (steepness * (x * x + z * z)).ravel()
    world.world.shapes.set_height_field(world.world.shape.index("", shape), count, count, heights)
    return world.add(shape, mode=STATIC, **params)


def on_slope(steepness, x, radius):
    """Centre of a ball on the bowl at x, a little beside a line of corners [m]."""
    slope = 2.0 * steepness * x
    normal = np.array([-slope, 1.0, 0.0]) / math.hypot(slope, 1.0)
    return np.array([x, steepness * x * x, 0.013]) + radius * normal


def energies(world, body, seconds, rate, base):
    """Energy above that at a height of `base`, per mass, at the start and after each second [J/kg]."""
    found = []
    for _ in range(seconds):
        found.append(energy(world, [body], GRAVITY) / mass_of(world.body(body)) - GRAVITY * base)
        for _ in range(rate):
            world.world.step(world.system, 1.0 / rate)
    return np.array([*found, energy(world, [body], GRAVITY) / mass_of(world.body(body)) - GRAVITY * base])


def left_by_facets(energy, kink, way, seconds):
    """Energy [J/kg] that is left to a body that swings without friction through a curve of facets of length `way` [m] which
    meet at an angle `kink` [rad]. Each takes the part of its speed v across the next one, v^2 sin^2(kink) / 2, every way / v
    seconds; the mean of |cos^3| is 4 / (3 pi)."""
    decay = 0.25 * (2.0**1.5) * 4.0 / (3.0 * math.pi) * math.sin(kink) ** 2 / way
    return (energy**-0.5 + decay * seconds) ** -2


@pytest.mark.parametrize("friction", [0.0, 0.8])
@pytest.mark.parametrize("rate", [30, 60, 240])
@pytest.mark.parametrize("facet", [0.025, 0.05, 0.2])
def test_a_ball_that_rolls_to_and_fro_in_a_bowl_keeps_its_energy(facet, rate, friction):
    steepness, radius, seconds = 0.1, 0.25, 3000 // rate
    world = SmallWorld()
    add_bowl(world, steepness, facet, 2.0, friction=friction)
    ball = world.add(world.sphere(radius), tuple(on_slope(steepness, 1.5, radius)), friction=friction)
    found = energies(world, ball, seconds, rate, radius)
    sagging = GRAVITY * steepness * facet**2 / 2.0  # middle of a square below its corners, along both axes
    assert found.max() < found[0] + sagging + 1e-3 * found[0]
    assert found[-1] > left_by_facets(found[0], 2.0 * steepness * facet, facet, seconds) - sagging
    if rate == 60:
        assert found[-1] == pytest.approx(found[0], rel=0.01 if friction == 0.0 else 0.03)


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("speed", [0.0, 1.0])
def test_a_bowl_may_be_turned_and_move(speed, is_first):
    """A bowl that opens along z, in gravity along z, carried along x: the energy is that beside it. The ball may be either body
    of the pair."""
    steepness, radius, turned = 0.1, 0.25, np.array(LYING).reshape(3, 3)
    world = SmallWorld(gravity=(0.0, 0.0, -GRAVITY))
    made = []
    for is_ball in (is_first, not is_first):
        if is_ball:
            place = turned @ on_slope(steepness, 1.5, radius)
            made.append(world.add(world.sphere(radius), tuple(place), friction=0.0))
        else:
            made.append(add_bowl(world, steepness, 0.05, 2.0, friction=0.0, basis=LYING, mode=KINEMATIC))
    ball, bowl = made if is_first else reversed(made)
    world.throw(ball, (speed, 0.0, 0.0))
    found = []
    for tick in range(601):
        v = world.velocity(ball) - (speed, 0.0, 0.0)
        found.append(0.5 * v @ v + GRAVITY * (world.position(ball)[2] - radius))
        world.move(bowl, ((tick + 1) / 60.0 * speed, 0.0, 0.0), basis=LYING)
        world.step()
    assert max(found) < 1.003 * found[0] and found[-1] > 0.99 * found[0]


@pytest.mark.parametrize("friction", [0.0, 0.8])
@pytest.mark.parametrize("rate", [60, 240])
def test_a_ball_rolls_to_and_fro_on_a_height_field(rate, friction):
    steepness, radius, seconds = 0.02, 0.5, 30
    world = SmallWorld()
    add_field_bowl(world, steepness, 33, friction=friction)
    ball = world.add(world.sphere(radius), tuple(on_slope(steepness, 10.0, radius)), friction=friction)
    found = energies(world, ball, seconds, rate, radius)
    sagging = GRAVITY * steepness / 2.0
    assert found.max() < found[0] + sagging + 1e-3 * found[0]
    assert found[-1] > left_by_facets(found[0], 2.0 * steepness, 1.0, seconds) - sagging


@pytest.mark.parametrize("rate", [60, 240])
def test_a_ball_circles_in_a_bowl_at_its_height(rate):
    """v^2 = g R tan(slope) keeps a ball on a circle; R is that of its centre."""
    steepness, radius, x = 0.1, 0.25, 1.0
    world = SmallWorld()
    add_bowl(world, steepness, 0.05, 2.0, friction=0.0)
    start = on_slope(steepness, x, radius)
    ball = world.add(world.sphere(radius), tuple(start), friction=0.0)
    world.throw(ball, (0.0, 0.0, math.sqrt(GRAVITY * start[0] * 2.0 * steepness * x)))
    found = energies(world, ball, 20, rate, radius)
    assert found == pytest.approx(np.full(21, found[0]), rel=0.01)
    assert math.hypot(world.position(ball)[0], world.position(ball)[2]) == pytest.approx(start[0], rel=0.03)


@pytest.mark.parametrize("friction", [0.0, 0.8])
@pytest.mark.parametrize("rate", [60, 240])
@pytest.mark.parametrize("kind", ["ball", "capsule"])
def test_round_bodies_keep_their_energy_in_a_half_pipe(kind, rate, friction):
    """A capsule rolls across the pipe on two points."""
    pipe, radius, kink, seconds = 1.0, 0.2, math.radians(2.0), 10
    world = SmallWorld()
    angles = np.arange(-45, 46) * kink
    add_strips(
        world, [(pipe * math.sin(a), pipe * (1.0 - math.cos(a))) for a in angles], np.linspace(-2, 2, 9), friction=friction
    )
    shape = world.sphere(radius) if kind == "ball" else world.capsule(radius, 1.0)
    way, angle = pipe - radius, math.radians(70.0)
    place = (way * math.sin(angle), pipe - way * math.cos(angle), 0.01)
    body = world.add(shape, place, basis=LYING, friction=friction)
    found = energies(world, body, seconds, rate, radius)
    assert found.max() < 1.001 * found[0]
    assert found[-1] > left_by_facets(found[0], kink, way * kink, seconds)
    if kind == "ball":
        assert found[-1] > 0.97 * found[0]


def angle_apart(hill, speed, inertia, gap):
    """Angle from the top [rad] at which a ball that rolls off a round hill is `gap` [m] above it. `hill`: radius of the way of
    its centre, `inertia`: I / (m r^2) where it rolls, 0 where it slides. It leaves where v^2 / R = g cos."""
    k = 1.0 + inertia
    cosine = (k * speed**2 + 2.0 * GRAVITY * hill) / (GRAVITY * hill * (2.0 + k))
    angle = math.acos(cosine)
    v = math.sqrt(GRAVITY * hill * cosine)
    x, y, vx, vy = hill * math.sin(angle), hill * cosine, v * cosine, -v * math.sin(angle)

    def place(t):
        return x + vx * t, y + vy * t - 0.5 * GRAVITY * t * t

    t = brentq(lambda t: math.hypot(*place(t)) - hill - gap, 1e-3, 2.0)
    return math.atan2(*place(t))


@pytest.mark.parametrize("friction", [0.0, 0.8])
@pytest.mark.parametrize("rate", [60, 240])
@pytest.mark.parametrize("speed", [1.0, 2.0, 4.0])
def test_a_ball_leaves_a_hill_where_it_is_too_fast(speed, rate, friction):
    hill, radius, gap = 4.0, 0.2, 0.01
    world = SmallWorld()
    angles = np.radians(np.arange(-80, 81))
    add_strips(world, [(hill * math.sin(a), hill * math.cos(a)) for a in angles], (-1.0, 0.0, 1.0), friction=friction)
    ball = world.add(world.sphere(radius), (0.0, hill + radius, 0.3), friction=friction)
    world.throw(ball, (speed, 0.0, 0.0))
    inertia = 0.4 if friction > 0.0 else 0.0
    if friction > 0.0:
        world.turn(ball, (0.0, 0.0, -speed / radius))
    start = energy(world, [ball], GRAVITY)
    for _ in range(6 * rate):
        world.world.step(world.system, 1.0 / rate)
        x, y, _ = world.position(ball)
        if math.hypot(x, y) > hill + radius + gap:
            break
    left, two_ticks = math.atan2(x, y), 2.0 * float(np.linalg.norm(world.velocity(ball))) / (hill + radius) / rate
    assert left == pytest.approx(angle_apart(hill + radius, speed, inertia, gap), abs=math.radians(1.5) + two_ticks)
    assert energy(world, [ball], GRAVITY) == pytest.approx(start, rel=0.005)


@pytest.mark.parametrize("rate", [60, 240])
@pytest.mark.parametrize("degrees", [10.0, 30.0])
@pytest.mark.parametrize("kind", ["ball", "capsule"])
def test_a_ramp_takes_the_speed_across_it(kind, degrees, rate):
    """A real kink is no curve: a body without restitution keeps cos^2 of its energy."""
    radius, speed, angle = 0.25, 8.0, math.radians(degrees)
    world = SmallWorld()
    ramp = (8.0 * math.cos(angle), 8.0 * math.sin(angle))
    add_strips(world, [(-6.0, 0.0), (-3.0, 0.0), (0.0, 0.0), ramp], np.linspace(-2, 2, 5), friction=0.0)
    shape = world.sphere(radius) if kind == "ball" else world.capsule(radius, 0.9)
    body = world.add(shape, (-2.0, radius, 0.03), basis=LYING, friction=0.0)
    world.throw(body, (speed, 0.0, 0.0))
    while world.position(body)[0] < 1.0:
        world.world.step(world.system, 1.0 / rate)
    found = energy(world, [body], GRAVITY) / mass_of(world.body(body)) - GRAVITY * radius
    assert found == pytest.approx(0.5 * (speed * math.cos(angle)) ** 2, rel=0.02)


@pytest.mark.parametrize("restitution", [0.0, 1.0])
def test_a_wall_stops_a_ball_or_throws_it_back(restitution):
    world = SmallWorld()
    add_strips(world, [(-6.0, 0.0), (0.0, 0.0), (0.0, 3.0)], np.linspace(-2, 2, 5), friction=0.0)
    ball = world.add(world.sphere(0.25), (-2.0, 0.25, 0.03), friction=0.0, restitution=restitution)
    world.throw(ball, (5.0, 0.0, 0.0))
    world.step(40)
    assert world.velocity(ball) == pytest.approx((-5.0 * restitution, 0.0, 0.0), abs=0.05)


def test_a_ball_rolls_straight_on_a_flat_mesh():
    world = SmallWorld()
    add_bowl(world, 0.0, 0.1, 4.0, friction=0.8)
    ball = world.add(world.sphere(0.2), (-2.0, 0.2, 0.013), friction=0.8)
    world.throw(ball, (2.0, 0.0, 0.3))
    world.turn(ball, (0.3 / 0.2, 0.0, -2.0 / 0.2))
    world.step(100)
    assert world.velocity(ball) == pytest.approx((2.0, 0.0, 0.3), abs=1e-4)


@pytest.mark.parametrize("seed", range(12))
def test_nothing_wins_energy_in_a_bowl(seed):
    """Balls and capsules of any size, thrown anywhere in bowls of any facets, at any rate of ticks."""
    random = np.random.default_rng(seed)
    steepness, facet = random.choice([0.05, 0.1, 0.3]), random.choice([0.05, 0.1, 0.2])
    radius, friction = random.choice([0.05, 0.1, 0.25, 0.4]), random.choice([0.0, 0.3, 1.0])
    rate, restitution = int(random.choice([30, 60, 120])), random.choice([0.0, 0.5])
    world = SmallWorld()
    add_bowl(world, steepness, facet, 2.0, friction=friction)
    shape = world.sphere(radius) if seed % 2 == 0 else world.capsule(radius, 2.0 * radius + 0.3)
    place = on_slope(steepness, random.uniform(0.4, 1.3), radius + 1e-3)
    body = world.add(shape, tuple(place), basis=LYING, friction=friction, restitution=restitution)
    world.throw(body, random.uniform(-1.0, 1.0, 3) * (1.0, 0.0, 1.0) * 0.8 * math.sqrt(2.0 * GRAVITY * steepness))
    found = energies(world, body, 12, rate, radius)
    sagging = GRAVITY * steepness * facet**2 / 2.0
    assert found[1:].max() < found[:2].max() + sagging + 0.01 * found[0]
    assert found[-1] > 0.0


def test_balls_roll_the_same_on_any_number_of_threads():
    places = []
    for threads in (1, 2):
        world = SmallWorld(threads=threads)
        add_bowl(world, 0.1, 0.1, 4.0, friction=0.5)
        balls = [
            world.add(
                world.sphere(0.1), (0.3 * i - 2.6, 0.1 * ((0.3 * i - 2.6) ** 2 + (0.3 * k - 2.6) ** 2) + 0.12, 0.3 * k - 2.6)
            )
            for i in range(18)
            for k in range(18)
        ]
        world.step(60)
        places.append(np.array([world.position(ball) for ball in balls]))
        assert np.isfinite(places[-1]).all()
    assert (places[0] == places[1]).all()


def test_the_nearest_point_of_a_triangle():
    """Against the nearest of many points of the triangle."""
    random = np.random.default_rng(5)
    shares = np.array([(i, k, 60 - i - k) for i in range(61) for k in range(61 - i)]) / 60.0
    for _ in range(60):
        triangle, point = random.normal(size=(3, 3)), 2.0 * random.normal(size=3)
        found = np.array(nearest_on_triangle.py_func(*map(tuple, triangle), tuple(point)))
        best = np.linalg.norm(shares @ triangle - point, axis=1).min()
        assert np.linalg.norm(found - point) <= best + 1e-12
        weights = np.linalg.lstsq(np.vstack([triangle.T, np.ones(3)]), [*found, 1.0], rcond=None)[0]
        assert weights.min() > -1e-9 and np.abs(weights @ triangle - found).max() < 1e-9
