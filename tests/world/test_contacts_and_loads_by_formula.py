"""Contacts and loads as a player sees them, judged by formulas: slow meetings, moving ground, heavy bodies on light ones."""

import math

import numpy as np
import pytest
from public_words import ABOUT_Z, TICK, block, empty, run, surface, tilt, turned
from scipy.spatial.transform import Rotation

import scree


def room(inner=1.0, thickness=0.1) -> scree.Compound:
    """Six walls around a hollow cube."""
    parts = []
    for axis in range(3):
        for side in (-1, 1):
            half, place = [inner] * 3, [0.0] * 3
            half[axis], place[axis] = thickness, side * (inner + thickness)
            parts.append(scree.Part(shape=block(*half), position=place))
    return scree.Compound(parts=parts)


@pytest.mark.parametrize("speed", [0.001, 0.1, 1.0])
@pytest.mark.parametrize("half", [0.01, 0.5, 10.0])
def test_boxes_that_meet_slowly_touch_and_share_their_momentum(half, speed):
    """A gap of 1 cm closes, neither box is touched before, and none stays afterwards."""
    gap = 0.01
    space = empty((0, 0, 0))
    first = space.add_rigid(block(half, half, half), mass=1.0, velocity=(speed, 0, 0), can_sleep=False)
    other = space.add_rigid(block(half, half, half), (2 * half + gap, 0, 0), mass=1.0, can_sleep=False)
    touched = None
    for _ in range(int(gap / speed / TICK) + 60):
        before = other.position[0] - first.position[0] - 2 * half
        space.step(TICK)
        if touched is None and other.velocity[0] > 1e-3 * speed:
            touched = before
    assert touched is not None and touched < speed * TICK + 1e-4
    assert first.velocity[0] + other.velocity[0] == pytest.approx(speed, rel=1e-4)
    assert first.velocity[0] == pytest.approx(other.velocity[0], abs=0.05 * speed)
    assert abs(other.position[0] - first.position[0] - 2 * half) < 2e-4


@pytest.mark.parametrize("half", [0.01, 0.5, 10.0])
def test_a_box_lifted_slowly_is_not_held_back(half):
    """No suction at 1 mm/s."""
    space = empty((0, 0, 0))
    space.add_static(block(half, half, half))
    box = space.add_rigid(block(half, half, half), (0, 2 * half, 0), velocity=(0, 0.001, 0), can_sleep=False)
    run(space, 120)
    assert box.velocity[1] == pytest.approx(0.001, rel=1e-4)
    assert box.position[1] - 2 * half == pytest.approx(0.002, rel=1e-3)


@pytest.mark.parametrize("half", [0.05, 0.5])
@pytest.mark.parametrize("reach, rate", [(1.0, 2.0), (0.05, 10.0)])
def test_a_box_on_a_lift_stays_on_it(reach, rate, half):
    """Up and down with less than half of gravity."""
    space = empty()
    lift = space.add_kinematic(block(2, 0.1, 2))
    box = space.add_rigid(block(half, half, half), (0, 0.1 + half, 0), can_sleep=False)
    for tick in range(600):
        lift.move((0, reach * (1 - math.cos(rate * (tick + 1) * TICK)), 0))
        space.step(TICK)
        assert abs(box.position[1] - lift.position[1] - 0.1 - half) < 1e-4
    assert math.hypot(box.position[0], box.position[2]) < 1e-3


@pytest.mark.parametrize("spin, speed", [(0.3, 0.0), (0.1, 10.0)])
def test_a_small_box_rides_a_huge_platform(spin, speed):
    """5 cm on 50 m that turns and moves: friction holds it where it stands for half a minute."""
    space = empty()
    platform = space.add_kinematic(block(25, 1, 25))
    box = space.add_rigid(block(0.025, 0.025, 0.025), (10, 1.025, 0), can_sleep=False)
    box.velocity, box.angular_velocity = (speed, 0, -10 * spin), (0, spin, 0)
    for tick in range(1800):
        time = (tick + 1) * TICK
        platform.move((speed * time, 0, 0), turned((0, 1, 0), spin * time))
        space.step(TICK)
    place = Rotation.from_quat(platform.rotation).inv().apply(box.position - platform.position)
    assert np.abs(place - (10, 1.025, 0)).max() < 1e-3


@pytest.mark.parametrize("radius, spin", [(0.05, 1.0), (0.05, 3.0), (0.25, 6.0)])
def test_a_ball_on_a_turntable_circles_at_two_sevenths_of_its_rate(radius, spin):
    """The classic result for a solid ball that rolls on a turning plate."""
    space = empty()
    plate = space.add_kinematic(block(50, 1, 50), (0, -1, 0), material=surface(2.0))
    ball = space.add_rigid(scree.Sphere(radius=radius), (1, radius, 0), material=surface(2.0), can_sleep=False)
    ball.velocity, ball.angular_velocity = (0, 0, -2 / 7 * spin), (5 / 7 * spin / radius, 0, 0)
    places = []
    for tick in range(300):
        plate.move((0, -1, 0), turned((0, 1, 0), spin * (tick + 1) * TICK))
        space.step(TICK)
        places.append(ball.position)
    x, _, z = np.array(places).T
    angles = np.unwrap(np.arctan2(-z, x))
    assert (angles[-1] - angles[0]) / (299 * TICK) == pytest.approx(2 / 7 * spin, rel=0.005)
    assert np.abs(np.hypot(x, z) - 1).max() < 0.005


CREEP = (
    "box 3 m from the axis of a deck that rolls by 12 degrees creeps outwards 5 mm in 10 s, 12 mm in 25 s, 1.1 mm in 10 s at "
    "240/s; expected 0"
)


@pytest.mark.xfail(strict=True, reason=CREEP)
def test_a_crate_stays_where_it_stands_on_a_ship_that_rolls():
    """Friction 0.8 holds on a slope of at most 12 degrees."""
    space = empty()
    deck = space.add_kinematic(block(10, 0.1, 10), material=surface(0.8))
    crate = space.add_rigid(block(0.5, 0.5, 0.5), (3, 0.6, 0), material=surface(0.8), can_sleep=False)
    for tick in range(1500):
        time = (tick + 1) * TICK
        ease = min(1.0, time / 3)
        deck.move((0, 0, 0), turned(ABOUT_Z, math.radians(12) * math.sin(time) * ease * ease * (3 - 2 * ease)))
        space.step(TICK)
    place = Rotation.from_quat(deck.rotation).inv().apply(crate.position.copy())
    assert abs(place[0] - 3) < 0.003


def pushed_plank(load, rate) -> float:
    """Momentum [N s] a second after a plank of 1 kg at 3 m/s got a resting box to carry, on ice."""
    space = empty()
    space.add_static(scree.Plane(), material=surface(0.0))
    plank = space.add_rigid(block(5, 0.2, 1), (0, 0.2, 0), mass=1.0, velocity=(3, 0, 0), material=surface(), can_sleep=False)
    box = space.add_rigid(block(0.2, 0.2, 0.2), (0, 0.6, 0), mass=load, material=surface(), can_sleep=False)
    run(space, rate, 1 / rate)
    assert plank.velocity[0] == pytest.approx(box.velocity[0], abs=0.01)
    return plank.velocity[0] + load * box.velocity[0]


@pytest.mark.parametrize("load", [1.0, 5.0])
@pytest.mark.parametrize("rate", [60, 240])
def test_a_plank_shares_its_momentum_with_a_box_on_it(load, rate):
    """Nothing else pushes them along."""
    assert pushed_plank(load, rate) == pytest.approx(3.0, rel=1e-3)


@pytest.mark.parametrize("load, rate", [(10.0, 60), (20.0, 60), (20.0, 240), (100.0, 240)])
def test_a_plank_shares_its_momentum_with_a_heavy_box_on_it(load, rate):
    """A load ten times as heavy makes no momentum."""
    assert pushed_plank(load, rate) == pytest.approx(3.0, rel=0.01)


def wedge_and_block(heavy, degrees=20.0, size=1.0, rate=120, ticks=20) -> tuple[float, float]:
    """Speed of a smooth wedge of 1 kg over its formula, and the momentum of both over the wedge's."""
    angle, width = math.radians(degrees), 2 * size
    height, half = width * math.tan(angle), 0.1 * size
    space = empty()
    space.add_static(scree.Plane(), material=surface(0.0))
    corners = [(x, y, z) for x, y in ((0, 0), (width, 0), (0, height)) for z in (-size, size)]
    wedge = space.add_rigid(scree.Hull(points=corners), mass=1.0, material=surface(0.0), can_sleep=False)
    normal = np.array((math.sin(angle), math.cos(angle), 0))
    place = np.array((0.3 * width, 0.7 * height, 0)) + half * normal
    box = space.add_rigid(
        block(half, half, half), place, turned(ABOUT_Z, -angle), mass=heavy, material=surface(0.0), can_sleep=False
    )
    run(space, ticks, 1 / rate)
    expected = -heavy * 10 * math.sin(angle) * math.cos(angle) / (1 + heavy * math.sin(angle) ** 2) * ticks / rate
    return wedge.velocity[0] / expected, (wedge.velocity[0] + heavy * box.velocity[0]) / abs(expected)


@pytest.mark.parametrize("heavy, degrees", [(0.1, 20.0), (1.0, 20.0), (8.0, 20.0), (1.0, 45.0), (1000.0, 45.0)])
def test_a_block_slides_down_a_wedge_that_slides_away(heavy, degrees):
    """Smooth wedge on ice: it gains m g sin cos / (M + m sin^2), and momentum stays 0."""
    speed, momentum = wedge_and_block(heavy, degrees)
    assert speed == pytest.approx(1.0, abs=0.01)
    assert abs(momentum) < 1e-3


@pytest.mark.parametrize("heavy", [100.0, 1000.0])
def test_a_heavy_block_slides_down_a_light_wedge(heavy):
    """A heavy block, at 20 degrees."""
    speed, momentum = wedge_and_block(heavy)
    assert speed == pytest.approx(1.0, abs=0.03)
    assert abs(momentum) < 0.01


def loaded(load, floor) -> tuple[scree.Space, scree.Body, scree.Body]:
    """A box of 1 kg at rest on a floor, with a box on it."""
    space = empty()
    space.add_static(scree.Plane(), material=surface(floor))
    low = space.add_rigid(block(0.5, 0.5, 0.5), (0, 0.5, 0), mass=1.0, material=surface(0.9), can_sleep=False)
    high = space.add_rigid(block(0.5, 0.5, 0.5), (0, 1.5, 0), mass=load, material=surface(0.9), can_sleep=False)
    run(space, 60)
    return space, low, high


def speed_under_a_force(load, floor, force) -> float:
    """Speed of a loaded box after a second, over that of its formula: (F - mu (m + M) g) t / (m + M)."""
    space, low, high = loaded(load, floor)
    low.set_constant_force((force, 0, 0))
    run(space, 60)
    assert high.velocity[0] == pytest.approx(low.velocity[0], abs=0.02)
    return high.velocity[0] * (1 + load) / (force - floor * (1 + load) * 10)


@pytest.mark.parametrize("load, floor, force", [(5.0, 0.5, 36.0), (5.0, 0.0, 6.0)])
def test_a_loaded_box_gains_speed_by_the_force_on_it(load, floor, force):
    """Friction between the two is enough."""
    assert speed_under_a_force(load, floor, force) == pytest.approx(1.0, abs=0.02)


@pytest.mark.xfail(strict=True, reason="100 kg on 1 kg, friction 0.5, 600 N on the lower: 0.472 m/s after 1 s, expected 0.941")
def test_a_heavily_loaded_box_gains_speed_by_the_force_on_it():
    """100 kg lie on 1 kg."""
    assert speed_under_a_force(100.0, 0.5, 600.0) == pytest.approx(1.0, abs=0.02)


def test_a_twist_of_a_heavily_loaded_box_is_all_the_angular_momentum_there_is():
    """Boxes of 1 m have inertias of a sixth of their mass."""
    space, low, high = loaded(100.0, 0.0)
    low.apply_torque_impulse((0, 1, 0))
    run(space, 60)
    assert (low.angular_velocity[1] + 100 * high.angular_velocity[1]) / 6 == pytest.approx(1.0, rel=0.02)


def overhang(count, length, part, rate=60, seconds=4) -> tuple[float, float]:
    """Planks, each a part of the harmonic overhang farther out than the one below: drop of the top one [lengths], tilt."""
    space = empty()
    space.add_static(block(length / 2, length, length), (-length / 2, -length, 0))
    x, planks = -length / 2, []
    for index in range(count):
        x += part * length / (2 * (count - index))
        place = (x, 0.1 * length * (1 + 2 * index), 0)
        planks.append(space.add_rigid(block(length / 2, 0.1 * length, length / 4), place, mass=1.0, can_sleep=False))
    run(space, seconds * rate, 1 / rate)
    return (0.1 * (2 * count - 1) * length - planks[-1].position[1]) / length, tilt(planks[-1])


@pytest.mark.parametrize("count", [3, 5, 8])
def test_planks_beyond_their_greatest_overhang_fall(count):
    """One part in ten too far out."""
    assert overhang(count, 1.0, 1.1)[0] > 1.0


@pytest.mark.parametrize("count, length", [(3, 1.0), (5, 1.0), (8, 10.0)])
def test_planks_within_their_greatest_overhang_stand(count, length):
    """One part in ten inside of it."""
    drop, angle = overhang(count, length, 0.9)
    assert drop < 0.05 and angle < 1.0


def test_two_small_planks_hang_over_an_edge_as_large_ones_do():
    """Two planks of 5 cm, one part in ten inside of their greatest overhang: contacts of small bodies are firmer."""
    drop, angle = overhang(2, 0.05, 0.9)
    assert drop < 0.05 and angle < 1.0


def test_three_small_planks_hang_over_an_edge():
    """They tilt by 1.9 degrees (3.2 with contacts as firm as those of large bodies)."""
    drop, angle = overhang(3, 0.05, 0.9)
    assert drop < 0.06 and angle < 2.0


SAGS = "3 of 5 cm at 0.9: tilt 1.9 degrees (also at 240/s); 5 at 0.8: 4.9; 5 at 0.9 fall; 8 of 1 m at 0.9 fall at 60/s only"


@pytest.mark.xfail(strict=True, reason=SAGS)
@pytest.mark.parametrize("count, length, part", [(3, 0.05, 0.9), (5, 0.05, 0.8), (5, 0.05, 0.9), (8, 1.0, 0.9)])
def test_small_planks_within_their_greatest_overhang_stand(count, length, part):
    """Planks of 5 cm stand like planks of 1 m, and eight of 1 m like those of 10 m."""
    drop, angle = overhang(count, length, part)
    assert drop < 0.05 and angle < 1.0


def test_five_dice_of_a_centimetre_stand_on_each_other():
    """They may not sleep, for 5 s (they fell after one second)."""
    space = empty()
    space.add_static(scree.Plane())
    dice = [space.add_rigid(block(0.005, 0.005, 0.005), (0, 0.005 + 0.01 * k, 0), mass=1.0, can_sleep=False) for k in range(5)]
    run(space, 300)
    assert max(map(tilt, dice)) < 1.0 and abs(dice[4].position[0]) < 0.001


@pytest.mark.parametrize("load", [20.0, 50.0, 100.0])
@pytest.mark.parametrize("speed", [0.5, 2.0])
def test_heavy_balls_that_close_in_on_a_light_one_are_not_thrown_apart(load, speed):
    """Nothing bounces, so their energy can only fall: at most 6 % of it come back (19 % of a slow meeting of 100 kg before)."""
    space = empty((0, 0, 0))
    balls = [
        space.add_rigid(
            scree.Sphere(radius=0.5), (1.6 * side, 0, 0), mass=load if side else 1.0, velocity=(-speed * side, 0, 0),
            can_sleep=False, material=surface(),
        )
        for side in (-1, 0, 1)
    ]  # fmt: skip
    energies = []
    for _ in range(150):
        space.step(TICK)
        energies.append(sum(0.5 * ball.mass * ball.velocity @ ball.velocity for ball in balls))
    assert min(energies) < 0.02 * energies[0]
    assert max(energies[energies.index(min(energies)) :]) < 0.06 * energies[0]


def falls_from_an_edge(half, beyond) -> bool:
    """Whether a box falls that slid until its centre was so far [m] beyond an edge, stopped there and was left for 5 s."""
    space = empty()
    space.add_static(block(4 * half, half, 4 * half), (-4 * half, -half, 0))
    box = space.add_rigid(
        block(half, half, half), (-0.005, half, 0), velocity=(0.03, 0, 0), material=surface(0.0), can_sleep=False
    )
    while box.position[0] < beyond:
        space.step(TICK)
    box.velocity = box.angular_velocity = (0, 0, 0)
    box.material = surface(1.0)
    run(space, 300)
    return box.position[1] < 0.0


@pytest.mark.parametrize("half, beyond", [(0.05, 0.003), (0.25, 0.012), (0.5, 0.022)])
def test_a_box_that_slid_far_beyond_an_edge_tips(half, beyond):
    """It falls off."""
    assert falls_from_an_edge(half, beyond)


@pytest.mark.parametrize("half, beyond", [(0.25, 0.005), (0.5, 0.01), (2.0, 0.01)])
def test_a_box_that_slid_beyond_an_edge_tips(half, beyond):
    """Its centre has no support, however slowly it came there."""
    assert falls_from_an_edge(half, beyond)


def spill(shape, ticks=180, path=None, seed=None) -> int:
    """How many of 45 bodies leave a closed kinematic room with walls of 0.2 m that moves along a path (of seconds). They lie on a
    grid, or up to 2 cm beside it."""
    space = empty()
    walls = space.add_kinematic(room(), material=surface())
    grid = [((i % 5 - 2) * 0.32, (i // 5 % 3 - 1) * 0.32, (i // 15 - 1) * 0.32) for i in range(45)]
    if seed is not None:
        grid = np.add(grid, np.random.default_rng(seed).uniform(-0.02, 0.02, (45, 1)) * (1.0, 0.0, 0.0))
    bodies = space.add_rigid_many(shape, grid, material=surface())
    for tick in range(ticks):
        walls.move(path((tick + 1) * TICK))
        space.step(TICK)
    return int((np.abs(bodies.positions - walls.position).max(axis=1) > 1.0).sum())


def shaken(time):
    return 0.3 * math.sin(12 * time), 0.2 * math.sin(17 * time), 0.0


def set_off(time):
    return 8.0 * time, 0.0, 0.0


KINDS = {
    "box": block(0.12, 0.12, 0.12), "ball": scree.Sphere(radius=0.12), "small ball": scree.Sphere(radius=0.08),
    "capsule": scree.Capsule(radius=0.08, height=0.3), "cylinder": scree.Cylinder(radius=0.08, height=0.3),
    "long box": block(0.08, 0.15, 0.08),
}  # fmt: skip


@pytest.mark.parametrize("kind", ["box", "ball", "small ball"])
@pytest.mark.parametrize("path", [shaken, set_off])
def test_a_room_that_is_shaken_or_set_off_keeps_what_is_in_it(kind, path):
    """At up to 3.6 m/s and 3.4 m/s, and from 0 to 8 m/s at once: 13 cm a tick."""
    assert spill(KINDS[kind], path=path) == 0


@pytest.mark.parametrize("kind", ["capsule", "cylinder", "long box"])
def test_a_room_that_is_set_off_at_once_keeps_long_bodies(kind):
    """From 0 to 8 m/s: no body passes through a wall."""
    assert spill(KINDS[kind], ticks=60, path=set_off) == 0


def test_rooms_that_are_shaken_keep_nearly_all_capsules():
    """The walls move by up to 6 cm in a tick, a capsule is 16 cm thick. Of 540 capsules in 12 rooms one or two leave: pressed
    between a wall that comes and the heap, they go through the wall."""
    assert sum(spill(KINDS["capsule"], ticks=240, path=shaken, seed=seed) for seed in range(12)) <= 2


@pytest.mark.parametrize("size", [0.1, 1.0])
@pytest.mark.parametrize("degrees, friction, stand", [(15, 0.3, True), (25, 0.6, True), (25, 0.2, False), (15, 0.12, False)])
def test_two_cards_that_lean_on_each_other_need_half_the_tangent(degrees, friction, stand, size):
    """They stand if the friction of the table is above tan / 2 and that of their edges holds."""
    space = empty()
    space.add_static(scree.Plane(), material=surface(friction))
    angle, thin, cards = math.radians(degrees), 0.02 * size, []
    for side in (-1, 1):
        rotation = turned(ABOUT_Z, side * angle)
        matrix = Rotation.from_quat(rotation)
        corner, foot = matrix.apply((-side * thin, size, 0)), min(matrix.apply((x, -size, 0))[1] for x in (-thin, thin))
        shape = block(thin, size, 0.5 * size)
        cards.append(space.add_rigid(shape, (-corner[0], -foot, 0), rotation, material=surface(friction), can_sleep=False))
    run(space, 300)
    assert (cards[0].position[1] > 0.8 * size * math.cos(angle)) == stand


@pytest.mark.parametrize("half", [0.05, 0.5])
@pytest.mark.parametrize("grip", [1.1, 2.0])
def test_two_jaws_hold_a_box_by_friction(half, grip):
    """Each presses with grip times m g / (2 mu)."""
    space = empty()
    box = space.add_rigid(block(half, half, half), mass=1.0, material=surface(), can_sleep=False)
    for side in (-1, 1):
        place = (side * 1.2 * half, 0, 0)
        jaw = space.add_rigid(block(0.2 * half, half, half), place, mass=1.0, material=surface(), can_sleep=False)
        motor = scree.Motor(velocity=-side, max_force=10 * grip)
        space.add_joint(scree.Slider(anchor=place, axis=(1, 0, 0), motor=motor), jaw)
    run(space, 120)
    assert abs(box.position[1]) < 1e-3 and tilt(box) < 0.05


@pytest.mark.parametrize("force", [9.0, 11.0, 40.0])
def test_a_lift_motor_gains_speed_by_its_force_less_the_weight(force):
    """1 kg on a slider for a second."""
    space = empty()
    cage = space.add_rigid(block(0.2, 0.2, 0.2), mass=1.0, can_sleep=False)
    space.add_joint(scree.Slider(axis=(0, 1, 0), motor=scree.Motor(velocity=100.0, max_force=force)), cage)
    run(space, 60)
    assert cage.velocity[1] == pytest.approx(force - 10, abs=0.01)


@pytest.mark.parametrize("gain", [2.0, 10.0, 30.0])
def test_a_pendulum_on_a_cart_that_gains_speed_hangs_back(gain):
    """At the angle whose tangent is a / g; let go there, it stays there."""
    angle = math.atan2(gain, 10)
    space = empty()
    cart = space.add_kinematic(block(0.1, 0.1, 0.1))
    ball = space.add_rigid(scree.Sphere(radius=0.1), (-math.sin(angle), -math.cos(angle), 0), can_sleep=False)
    space.add_joint(scree.Pin(), cart, ball)
    for tick in range(120):
        cart.move((0.5 * gain * ((tick + 1) * TICK) ** 2, 0, 0))
        space.step(TICK)
        x, y, _ = ball.position - cart.position
        assert math.atan2(-x, -y) == pytest.approx(angle, abs=0.002)


def test_a_hundred_kilometres_away_things_move_alike():
    """A bouncing ball and a sliding box end within a hundredth of a millimetre of the same places."""
    ends = []
    for far in (0.0, 1e5):
        space, away = empty(), np.array((far, 0, far))
        space.add_static(block(20, 1, 20), away - (0, 1, 0), material=surface())
        ball = space.add_rigid(scree.Sphere(radius=0.05), away + (5, 2, 0), velocity=(0.5, 0, 0), material=surface(0.5, 0.8))
        box = space.add_rigid(block(0.05, 0.05, 0.05), away + (-5, 0.05, 0), velocity=(2, 0, 0), material=surface())
        run(space, 120)
        ends.append([ball.position - away, box.position - away])
    assert np.abs(np.subtract(*ends)).max() < 1e-5
