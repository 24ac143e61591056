"""Piles, chains, sleep and edits as a player sees them, judged by formulas, symmetry and statics."""

import math
from itertools import pairwise

import numpy as np
import pytest
from public_words import ABOUT_Z, TICK, block, empty, run, surface, tilt, turned
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import scree


def pushed_from_below(load) -> float:
    """Momentum [N s] of a box of 1 kg on ice and of its load, 1.5 s after 1 N s on the box."""
    space = empty()
    space.add_static(scree.Plane(), material=surface(0.0))
    low = space.add_rigid(block(0.5, 0.5, 0.5), (0, 0.5, 0), mass=1.0, material=surface(), can_sleep=False)
    high = space.add_rigid(block(0.5, 0.5, 0.5), (0, 1.5, 0), mass=load, material=surface(), can_sleep=False)
    run(space, 60)
    low.apply_impulse((1.0, 0, 0))
    run(space, 90)
    return low.velocity[0] + load * high.velocity[0]


@pytest.mark.parametrize("load", [1.0, 5.0])
def test_an_impulse_on_a_loaded_box_is_all_the_momentum_there_is(load):
    """Ice below, so nothing else pushes."""
    assert pushed_from_below(load) == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize("load", [20.0, 100.0, 1000.0])
def test_an_impulse_on_a_box_below_a_heavy_one_is_all_the_momentum_there_is(load):
    """The load is heavy."""
    assert pushed_from_below(load) == pytest.approx(1.0, rel=0.02)


@pytest.mark.parametrize("gap", [0.0, 1e-3])
def test_a_ball_that_hits_two_in_the_middle_leaves_them_alike(gap):
    """Elastic, smooth, symmetric: energy and momentum give 0.693 m/s for both and -0.2 m/s for the first."""
    space = empty((0, 0, 0))
    radius, smooth = 0.03, surface(0.0, 1.0)
    half = radius * (1 + gap)
    left, right = (space.add_rigid(scree.Sphere(radius=radius), (0, 0, z), material=smooth) for z in (half, -half))
    cue = space.add_rigid(scree.Sphere(radius=radius), (-0.3, 0, 0), velocity=(1, 0, 0), material=smooth)
    run(space, 60)
    assert np.linalg.norm(left.velocity) == pytest.approx(0.4 * math.sqrt(3), abs=1e-3)
    assert np.linalg.norm(right.velocity) == pytest.approx(0.4 * math.sqrt(3), abs=1e-3)
    assert cue.velocity == pytest.approx((-0.2, 0, 0), abs=1e-3)


@pytest.mark.parametrize("bounce, off", [(1.0, 5e-4), (0.5, 0.08)])
@pytest.mark.parametrize("seed", [None, 1])
def test_a_rack_of_fifteen_breaks_like_its_mirror_image(bounce, off, seed):
    """Whatever the order of the balls. Elastic, it keeps its energy. Where less elastic balls meet more slowly than the threshold
    of bounces, the order of the solver shows."""
    space, smooth = empty((0, 0, 0)), surface(0.0, 0.5 * bounce)
    ball = scree.Sphere(radius=0.03)
    places = [(0.06001 * i * math.cos(math.pi / 6), 0.030005 * (2 * j - i)) for i in range(5) for j in range(i + 1)]
    balls = {}
    for k in range(15) if seed is None else np.random.default_rng(seed).permutation(15):
        balls[k] = space.add_rigid(ball, (places[k][0], 0, places[k][1]), material=smooth)
    cue = space.add_rigid(ball, (-0.3, 0, 0), velocity=(5, 0, 0), material=smooth)
    run(space, 30)
    speeds = np.array([balls[k].velocity for k in range(15)])
    mirrored = [places.index((x, -z)) for x, z in places]
    assert np.abs(speeds - speeds[mirrored] * (1, 1, -1)).max() < off
    kept = (np.sum(speeds**2) + np.sum(cue.velocity**2)) / 25
    assert kept == pytest.approx(1.0, abs=5e-4) if bounce == 1.0 else kept < 1.0


def left_behind(speed, continuous, count=5) -> int:
    """How many boxes of a row, 16 cm apart, a wall of 20 cm passes through that pushes it along."""
    space = empty((0, 0, 0))
    wall = space.add_kinematic(block(0.1, 1, 1))
    places = [(0.28 + 0.32 * index, 0, 0) for index in range(count)]
    boxes = [space.add_rigid(block(0.08, 0.15, 0.08), place, continuous=continuous) for place in places]
    for tick in range(60):
        wall.move((speed * (tick + 1) * TICK, 0, 0))
        space.step(TICK)
    return sum(bool(box.position[0] < wall.position[0]) for box in boxes)


@pytest.mark.parametrize("speed, continuous", [(4.0, False), (8.0, False), (12.0, False), (8.0, True)])
def test_a_wall_pushes_a_row_of_boxes_along(speed, continuous):
    """At up to its own thickness a tick."""
    assert left_behind(speed, continuous) == 0


@pytest.mark.parametrize("speed, continuous", [(12.0, True), (16.0, False), (16.0, True)])
def test_a_fast_wall_pushes_a_row_of_boxes_along(speed, continuous):
    """A single box is never passed at these speeds."""
    assert left_behind(speed, continuous, count=1) == 0
    assert left_behind(speed, continuous) == 0


def stack(count, half, rate=60, seconds=10, can_sleep=False, **settings) -> tuple[float, float]:
    """How far the top of a stack sank and drifted [sizes]."""
    space = empty(**settings)
    space.add_static(scree.Plane(), material=surface())
    for index in range(count):
        place = (0, half * (1 + 2 * index), 0)
        top = space.add_rigid(block(half, half, half), place, material=surface(), can_sleep=can_sleep)
    run(space, seconds * rate, 1 / rate)
    x, y, z = top.position / (2 * half)
    return count - 0.5 - y, math.hypot(x, z)


@pytest.mark.parametrize("rate, substeps", [(30, 4), (60, 4), (60, 8), (240, 2), (240, 4)])
def test_ten_boxes_stand_at_any_rate(rate, substeps):
    """Sunk by less than 5 cm of 10 m, drifted by less than 1 cm."""
    sunk, drift = stack(10, 0.5, rate, 5, substep_count=substeps)
    assert sunk < 0.05 and drift < 0.01


@pytest.mark.parametrize("half", [0.1, 0.25, 0.5])
def test_thirty_boxes_stand_that_may_sleep(half):
    """Put exactly above each other; asleep within 2 s."""
    sunk, drift = stack(30, half, seconds=4, can_sleep=True)
    assert sunk < 0.6 and drift < 0.02


TOPPLES = (
    "awake, 30 boxes of 1 m lean by 1 cm after 5 s, 28 cm after 10 s, and fall; of 0.5 m and 5 cm sooner, at 8 sub-steps too"
)


@pytest.mark.xfail(strict=True, reason=TOPPLES)
@pytest.mark.parametrize("half, substeps", [(0.5, 4), (0.25, 4), (0.25, 8), (0.025, 4)])
def test_thirty_boxes_stand_that_may_not_sleep(half, substeps):
    """20 of them do."""
    sunk, drift = stack(30, half, substep_count=substeps)
    assert sunk < 0.6 and drift < 0.1


def inverted_pyramid(count) -> float:
    """Tilt [degrees] of the top of planks whose lengths grow upwards, after 8 s."""
    space = empty()
    space.add_static(scree.Plane(), material=surface(0.6))
    planks = [
        space.add_rigid(
            block(0.25 * (i + 1), 0.1, 0.25), (0, 0.1 + 0.2 * i, 0), density=500.0, material=surface(0.6), can_sleep=False
        )
        for i in range(count)
    ]
    run(space, 480)
    return tilt(planks[-1])


@pytest.mark.parametrize("count", [6, 10])
def test_an_inverted_pyramid_stands(count):
    """Its centre is above the middle of the lowest plank."""
    assert inverted_pyramid(count) < 0.5


@pytest.mark.xfail(strict=True, reason="15 planks (120 times the lowest one's weight) sink 11 cm and lie on the floor after 10 s")
def test_an_inverted_pyramid_of_fifteen_stands():
    """15 planks stand on their middle."""
    assert inverted_pyramid(15) < 0.5


def wave(half, rate) -> float:
    """Speed of the wave along dominoes over sqrt(g h)."""
    space = empty()
    space.add_static(scree.Plane(), material=surface())
    stones = [
        space.add_rigid(block(0.15 * half, half, 0.5 * half), (0.8 * half * i, half, 0), material=surface(0.3), can_sleep=False)
        for i in range(30)
    ]
    space.step(1 / rate)
    stones[0].angular_velocity = (0, 0, -math.sqrt(10 / half))
    times, before = {}, {8: 0.0, 28: 0.0}
    for tick in range(6 * rate):
        space.step(1 / rate)
        for number in before:
            now = tilt(stones[number])
            if number not in times and now > 5.0:  # within the tick: two ticks at 20 a second are 5 % of the way
                times[number] = (tick - (now - 5.0) / (now - before[number])) / rate
            before[number] = now
    return 20 * 0.8 * half / (times[28] - times[8]) / math.sqrt(10 * half)


@pytest.mark.parametrize("rate", [20, 30, 60, 120])
def test_dominoes_of_a_metre_fall_alike_at_all_rates(rate):
    """From 20 to 240 ticks a second: within 1.8 %."""
    assert wave(0.5, rate) == pytest.approx(wave(0.5, 240), rel=0.03)


@pytest.mark.xfail(
    strict=True, reason="2 cm stones, wave over sqrt(g h): 1.19 at 20/s, 1.65 at 30/s, 1.95 at 60 and 120/s, 1.91 at 240/s"
)
@pytest.mark.parametrize("rate", [20, 30])
def test_dominoes_of_four_centimetres_fall_alike_at_all_rates(rate):
    """A stone falls in some 20 ms: the wave passes it in less than a tick."""
    assert wave(0.02, rate) == pytest.approx(wave(0.02, 240), rel=0.1)


def links(space, masses, alone=True, free=False) -> list:
    """A chain of boxes along X on pins half a metre apart, hung at the origin unless it is free."""
    bodies = [
        space.add_rigid(block(0.2, 0.05, 0.05), (0.5 * i + 0.25, 0, 0), mass=float(mass), can_sleep=False)
        for i, mass in enumerate(masses)
    ]
    for i, (first, second) in enumerate(pairwise(bodies)):
        space.add_joint(scree.Pin(anchor=(0.5 * (i + 1), 0, 0)), first, second)
    if not free:
        space.add_joint(scree.Pin(), bodies[0])
    for i in range(len(bodies) * alone):
        for other in bodies[:i]:
            bodies[i].ignore(other)
    return bodies


def widest(bodies) -> float:
    """The widest gap of a joint [m]."""
    ends = [(body.position - body.basis[:, 0] * 0.25, body.position + body.basis[:, 0] * 0.25) for body in bodies]
    return max(np.linalg.norm(first[1] - second[0]) for first, second in pairwise(ends))


def energy(bodies) -> float:
    spins = 0.5 * sum(np.sum(body.inertia * (body.basis.T @ body.angular_velocity) ** 2) for body in bodies)
    return spins + sum(body.mass * (0.5 * body.velocity @ body.velocity + 10 * body.position[1]) for body in bodies)


def swung(masses, alone, ticks) -> tuple[float, float, float]:
    """Widest gap [m], most and least energy, of 10 J for each kg m of reach, of a chain let go level."""
    space = empty()
    bodies = links(space, masses, alone)
    reach = 10 * sum(mass * (0.5 * i + 0.25) for i, mass in enumerate(masses))
    gaps, energies = [], []
    for tick in range(ticks):
        space.step(TICK)
        if tick % 4 == 0:
            gaps.append(widest(bodies))
            energies.append(energy(bodies) / reach)
    return max(gaps), max(energies), min(energies)


@pytest.mark.parametrize("heavy", [4, 9])
@pytest.mark.parametrize("mass", [100, 1000])
def test_a_chain_with_a_heavy_link_swings_without_stretching(heavy, mass):
    """In the middle or at the end; the links pass through each other."""
    gap, most, least = swung([mass if i == heavy else 1 for i in range(10)], True, 180)
    assert gap < 1e-3 and most < 0.001 and least > -0.001


@pytest.mark.xfail(
    strict=True, reason="first of ten links 100 kg, others 1: loses 10 % in 4 s, 33 % in 5 s, opens 2 mm; at 120/s 0.9 %"
)
def test_a_chain_with_a_heavy_first_link_swings_without_loss():
    """At the top; a whip."""
    gap, most, least = swung([100] + [1] * 9, True, 300)
    assert gap < 1e-3 and most < 0.001 and least > -0.02


@pytest.mark.parametrize("mass", [100, 1000])
def test_a_chain_with_a_heavy_link_holds_when_its_links_collide(mass):
    """The tail is struck by the load."""
    assert swung([mass if i == 5 else 1 for i in range(10)], False, 240)[0] < 0.02


@pytest.mark.parametrize("count, mass", [(2, 1000), (20, 1), (40, 100)])
def test_a_free_chain_keeps_its_momentum(count, mass):
    """Thrown in disorder, no gravity."""
    space = empty((0, 0, 0))
    masses = np.ones(count)
    masses[count // 2] = mass
    bodies = links(space, masses, alone=False, free=True)
    random = np.random.default_rng(1)
    for body in bodies:
        body.velocity = random.normal(size=3)
    space.step(TICK)
    before = sum(body.mass * body.velocity for body in bodies)
    size = sum(body.mass * np.linalg.norm(body.velocity) for body in bodies)
    run(space, 180)
    assert np.linalg.norm(sum(body.mass * body.velocity for body in bodies) - before) < 1e-4 * size


def test_the_order_of_a_joints_bodies_does_not_matter():
    """Three links, each joint made either way round."""
    ends = []
    for swapped in (False, True):
        space = empty()
        bodies = [space.add_rigid(block(0.2, 0.05, 0.08), (0.5 * i + 0.25, 0, 0), mass=1.0 + i) for i in range(3)]
        space.add_joint(scree.Pin(), bodies[0])
        for i in (0, 1):
            pair = bodies[i : i + 2]
            space.add_joint(scree.Pin(anchor=(0.5 * (i + 1), 0, 0)), *(pair[::-1] if swapped else pair))
        bodies[2].velocity = (0, 0, 1)
        run(space, 120)
        ends.append([body.position for body in bodies])
    assert np.abs(np.subtract(*ends)).max() < 5e-4


def test_a_double_pendulum_moves_by_its_equations():
    """Two points of 1 kg on rods of 1 m, let go level: within 2 mm for 2 s."""

    def rates(_, state):
        a, b, u, v = state
        d, low = a - b, 3 - math.cos(2 * (a - b))
        first = -30 * math.sin(a) - 10 * math.sin(a - 2 * b) - 2 * math.sin(d) * (v * v + u * u * math.cos(d))
        return [u, v, first / low, 2 * math.sin(d) * (2 * u * u + 20 * math.cos(a) + v * v * math.cos(d)) / low]

    times = np.arange(1, 121) * TICK
    a, b = solve_ivp(rates, (0, times[-1]), [math.pi / 2, math.pi / 2, 0, 0], t_eval=times, rtol=1e-10, atol=1e-10).y[:2]
    space = empty()
    upper, lower = (space.add_rigid(scree.Sphere(radius=0.02), (x, 0, 0), can_sleep=False) for x in (1, 2))
    space.add_joint(scree.Pin(), upper)
    space.add_joint(scree.Pin(anchor=(1, 0, 0)), upper, lower)
    for k in range(120):
        space.step(TICK)
        expected = (math.sin(a[k]) + math.sin(b[k]), -math.cos(a[k]) - math.cos(b[k]), 0)
        assert np.linalg.norm(lower.position - expected) < 0.002


def asleep_on_a_plate(friction=0.5) -> tuple[scree.Space, scree.Body, scree.Body]:
    """A box asleep on a static plate."""
    space = empty()
    plate = space.add_static(block(5, 0.5, 5), (0, -0.5, 0), material=surface(friction))
    box = space.add_rigid(block(0.5, 0.5, 0.5), (0, 0.5, 0), material=surface(friction))
    run(space, 120)
    assert box.is_asleep
    return space, plate, box


@pytest.mark.parametrize("change", ["teleported", "removed", "shape removed", "lighter than air", "gravity"])
def test_a_sleeper_whose_support_goes_moves_freely(change):
    """After a second it has gone g / 2."""
    space, plate, box = asleep_on_a_plate()
    if change == "teleported":
        plate.move((20, -0.5, 0))
    elif change == "removed":
        plate.remove()
    elif change == "shape removed":
        plate.remove_shape(0)
    elif change == "lighter than air":
        box.gravity_scale = -1.0
    else:
        space.gravity = (0, 10, 0)
    run(space, 60)
    assert abs(box.position[1] - 0.5) == pytest.approx(5.0, abs=0.03)


def test_a_cube_on_its_edge_falls():
    """From 0.1 degrees beyond the balance it gains speed all the time."""
    space = empty()
    space.add_static(scree.Plane())
    cube = space.add_rigid(block(0.5, 0.5, 0.5), (0, 0.5 * math.sqrt(2), 0), turned(ABOUT_Z, math.radians(45.1)))
    run(space, 300)
    assert cube.position[1] < 0.6


@pytest.mark.parametrize("reach", [0.005, 0.014, 0.03])
def test_a_pendulum_does_not_fall_asleep_beside_its_lowest_point(reach):
    """0.5 m long. Nothing holds it there, so it may only sleep where it would stay."""
    space = empty()
    ball = space.add_rigid(scree.Sphere(radius=0.1), (reach, -math.sqrt(0.25 - reach * reach), 0))
    space.add_joint(scree.Pin(), ball)
    run(space, 600)
    assert not ball.is_asleep or abs(ball.position[0]) < 0.003


def pressing(space, bodies):
    """The bodies whose contacts bear more than a hundredth of their weight."""
    contacts = space.contact_events()
    impulses = {body.id: 0.0 for body in bodies}
    for pair, impulse in zip(contacts.body_ids, contacts.impulses, strict=True):
        for number in set(pair.tolist()) & impulses.keys():
            impulses[number] += impulse
    return [body for body in bodies if impulses[body.id] > 0.01 * body.mass * 9.81 / 60]


@pytest.mark.parametrize("seed", [9, 22, 27])
def test_of_three_short_chains_on_a_floor_what_presses_on_something_comes_to_rest(seed):
    """Three capsules each, friction 0.6, 10 s. A capsule that pins carry in the air may spin on: pins have no friction."""
    random, space, bodies = np.random.default_rng(seed), empty(), []
    space.add_static(scree.Plane(), material=surface(0.6))
    for level in range(3):
        x, z, angle = random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), random.uniform(0, 6.28)
        along, middle = np.array((math.cos(angle), 0, math.sin(angle))), np.array((x, 0.07 + 0.14 * level, z))
        rotation = Rotation.align_vectors([along], [(0, 1, 0)])[0].as_quat()
        capsule = scree.Capsule(radius=0.06, height=0.3)
        chain = [space.add_rigid(capsule, middle + 0.3 * i * along, rotation, material=surface(0.6)) for i in (-1, 0, 1)]
        for i in (0, 1):
            space.add_joint(scree.Pin(anchor=middle + 0.3 * (i - 0.5) * along), chain[i], chain[i + 1])
        bodies += chain
    for body in bodies:
        body.contact_events, body.can_sleep = "all", False
    run(space, 600)
    pressed = pressing(space, bodies)
    assert len(pressed) >= 6
    assert max(np.linalg.norm(body.angular_velocity) for body in pressed) < 0.1


@pytest.mark.parametrize("mass", [1.0, 50.0])
def test_cargo_stays_on_a_cart_that_brakes(mass):
    """Ten boxes two high need a friction of 0.4 of their 0.6; the cart stops when its impulse is used up."""
    space = empty()
    space.add_static(scree.Plane(), material=surface(0.0))
    cart = space.add_rigid(block(2, 0.2, 1), (0, 0.2, 0), mass=100.0, velocity=(3, 0, 0), material=surface(0.6))
    places = [(0.5 * i - 1, 0.6 + 0.4 * k, 0) for i in range(5) for k in (0, 1)]
    boxes = space.add_rigid_many(block(0.2, 0.2, 0.2), places, masses=mass, material=surface(0.6))
    boxes.velocities = (3, 0, 0)
    run(space, 60)
    cart.set_constant_force((-4 * (100 + 10 * mass), 0, 0))
    run(space, 45)
    assert abs(cart.velocity[0]) < 0.01
    assert np.abs(boxes.positions[:, 0] - cart.position[0] - np.array(places)[:, 0]).max() < 0.005


def test_mass_may_change_while_a_box_slides():
    """It goes on losing mu g, and is not thrown."""
    space = empty()
    space.add_static(scree.Plane(), material=surface())
    box = space.add_rigid(block(0.5, 0.5, 0.5), (0, 0.5, 0), velocity=(5, 0, 0), material=surface())
    run(space, 12)
    for mass in (100.0, 0.01, 1000.0, 1.0):
        before, box.mass = box.velocity[0], mass
        run(space, 6)
        assert box.velocity[0] - before == pytest.approx(-0.5, abs=0.005)
        assert abs(box.position[1] - 0.5) < 1e-3


@pytest.mark.parametrize("spin", [2.0, 10.0, 30.0])
@pytest.mark.parametrize("rate", [30, 60, 240])
def test_a_door_stops_at_its_limit(rate, spin):
    """At any rate, within 2 mrad, without a bounce."""
    space = empty((0, 0, 0))
    door = space.add_rigid(block(0.5, 1, 0.03), (0.5, 0, 0), mass=20.0, can_sleep=False)
    door.velocity, door.angular_velocity = (0, 0, -0.5 * spin), (0, spin, 0)
    hinge = space.add_joint(scree.Hinge(axis=(0, 1, 0), limits=(-1.0, 1.0)), door)
    farthest = 0.0
    for _ in range(2 * rate):
        space.step(1 / rate)
        farthest = max(farthest, abs(hinge.position()))
    assert 0.99 < farthest < 1.002 and abs(door.angular_velocity[1]) < 0.01
