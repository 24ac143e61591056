"""Ropes of rods: what hangs on them, their curve, winches, cuts."""

import math

import numpy as np
import pytest

import scree

G = 9.81
CRATE = scree.Box(half_extents=(0.25, 0.25, 0.25))


@pytest.fixture
def space() -> scree.Space:
    return scree.World(threads=1).add_space(gravity=(0.0, -G, 0.0))


def steps(space: scree.Space, count: int) -> None:
    for _ in range(count):
        space.step(1 / 60)


def hung(space: scree.Space, load: float = 100.0) -> tuple[scree.RopeBody, scree.Body]:
    """A rope of 1 kg and 4 m, tied to the world 5 m up, with a crate [kg]."""
    crate = space.add_rigid(CRATE, (0.0, 0.75, 0.0), mass=load)
    rope = space.add_rope([(0.0, 5.0, 0.0), (0.0, 1.0, 0.0)], mass=1.0)
    rope.tie_start()
    rope.tie_end(crate)
    return rope, crate


def test_a_rope_bears_a_hundred_times_its_weight_and_does_not_stretch(space):
    rope, crate = hung(space)
    assert len(rope) == 20 and rope.length == pytest.approx(4.0) and len(rope.joints) == 19
    steps(space, 120)
    assert crate.position == pytest.approx((0.0, 0.75, 0.0), abs=1e-4)
    tensions = rope.tensions
    assert tensions.shape == (21,)
    assert tensions == pytest.approx(G * (100.0 + np.linspace(1.0, 0.0, 21)), rel=1e-3)


def test_a_slack_rope_hangs_in_the_curve_of_a_chain(space):
    """The catenary y = a cosh(x / a) through two points 2 m apart, 3 m long: a from 2 a sinh(1 / a) = 3."""
    rope = space.add_rope([(-1.0, 3.0, 0.0), (0.0, 3.0 - math.sqrt(1.25), 0.0), (1.0, 3.0, 0.0)], mass=2.0, rod_length=0.1)
    rope.tie_start()
    rope.tie_end()
    steps(space, 900)
    low, high = 0.1, 10.0
    for _ in range(60):
        a = 0.5 * (low + high)
        low, high = (a, high) if 2.0 * a * math.sinh(1.0 / a) > 3.0 else (low, a)
    points = rope.points
    curve = 3.0 + a * (np.cosh(points[:, 0] / a) - math.cosh(1.0 / a))
    assert np.abs(points[:, 1] - curve).max() < 0.01
    assert rope.tensions[0] == pytest.approx(2.0 * G / 3.0 * a * math.cosh(1.0 / a), rel=0.03)


@pytest.mark.parametrize("speed", [0.5, 2.0])
def test_a_winch_lifts_a_load_and_lets_it_down(space, speed):
    rope, crate = hung(space)
    steps(space, 60)
    for _ in range(int(60 * 1.5 / speed)):
        rope.reel(speed / 60)
        space.step(1 / 60)
    steps(space, 30)
    assert rope.length == pytest.approx(2.5) and crate.position[1] == pytest.approx(2.25, abs=1e-3)
    for _ in range(int(60 * 2.0 / speed)):
        left = rope.reel(-speed / 60)
        space.step(1 / 60)
    steps(space, 60)
    assert left == rope.length == pytest.approx(4.5) and crate.position[1] == pytest.approx(0.25, abs=0.01)
    assert rope.points[0] == pytest.approx((0.0, 5.0, 0.0), abs=1e-3)


def test_a_rope_is_never_reeled_in_whole(space):
    rope, _ = hung(space, 1.0)
    assert rope.reel(100.0) == pytest.approx(0.2) and len(rope) == 1
    steps(space, 5)


def test_a_rope_joins_two_bodies_and_pulls_both(space):
    space.gravity = (0.0, 0.0, 0.0)
    one, other = (space.add_rigid(CRATE, (x, 0.0, 0.0), mass=10.0) for x in (-1.25, 1.25))
    rope = space.add_rope([(-1.0, 0.0, 0.0), (1.0, 0.0, 0.0)], mass=0.5)
    rope.tie_start(one)
    rope.tie_end(other)
    other.velocity = (2.0, 0.0, 0.0)
    steps(space, 60)
    assert one.velocity[0] == pytest.approx(1.0, abs=0.1) and other.velocity[0] == pytest.approx(1.0, abs=0.1)
    assert np.linalg.norm(other.position - one.position) == pytest.approx(2.5, abs=0.01)
    rope.untie_end()
    other.velocity = (3.0, 0.0, 0.0)
    steps(space, 10)
    assert other.velocity[0] == pytest.approx(3.0), "nothing holds it any more"


def test_a_cut_rope_falls_apart(space):
    rope, crate = hung(space)
    steps(space, 10)
    lower = rope.cut(5)
    assert (len(rope), len(lower)) == (5, 15)
    steps(space, 30)
    assert crate.position[1] < 0.3 and lower.tensions[0] == 0.0
    assert rope.tensions[0] == pytest.approx(0.25 * G, rel=0.2)
    rope.remove()
    lower.remove()
    assert len(space.bodies) == 1


def test_a_rope_lies_on_a_ball_and_is_held_by_friction(space):
    ball = space.add_static(scree.Sphere(radius=1.0), material=scree.Material(friction=1.0))
    rope = space.add_rope(
        [(-1.2, -0.6, 0.0), (-1.2, 1.1, 0.0), (1.2, 1.1, 0.0), (1.2, -0.6, 0.0)], radius=0.03, rod_length=0.15,
        material=scree.Material(friction=1.0),
    )  # fmt: skip
    steps(space, 600)
    assert np.linalg.norm(rope.points - ball.position, axis=1).min() > 1.0 - 0.03
    assert rope.points[:, 1].max() > 1.0, "it still hangs over the ball"


def test_points_follow_sharp_corners_at_equal_distances(space):
    rope = space.add_rope([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0.5)], rod_length=0.17)
    ways = np.linalg.norm(np.diff(rope.points, axis=0), axis=1)
    assert ways == pytest.approx(np.full(len(rope), rope.length / len(rope)), abs=1e-6)
    assert rope.points[0] == pytest.approx((0, 0, 0), abs=1e-6)
    assert rope.points[-1] == pytest.approx((0, 1, 0.5), abs=0.02)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"points": [(0, 0, 0)]}, "add_rope: points must be finite and of shape"),
        ({"points": [(0, 0, 0), (0, math.nan, 0)]}, "add_rope: points must be finite"),
        ({"points": [(0, 0, 0), (0, 0, 0)]}, "add_rope: rods must be longer"),
        ({"rod_length": 0.03}, "add_rope: rods must be longer than they are thick"),
        ({"radius": -1.0}, "add_rope: radius must be"),
        ({"mass": 0.0}, "add_rope: mass"),
        ({"points": [(0, 0, 0), (9000, 0, 0)]}, "add_rope: a rope has at most 4096 rods"),
        ({"layer": "none"}, "none"),
    ],
)
def test_bad_input_makes_no_rope(space, arguments, message):
    with pytest.raises((ValueError, KeyError), match=message):
        space.add_rope(**{"points": [(0, 0, 0), (0, 2, 0)], **arguments})
    assert len(space.bodies) == 0


def test_bad_calls_leave_a_rope_as_it_was(space):
    rope = space.add_rope([(0, 0, 0), (0, 2, 0)])
    for call, message in (
        (lambda: rope.reel(0.1), "reel: the start of the rope must be tied"), (lambda: rope.cut(0), "cut: place must be 1 to 9"),
        (lambda: rope.tie_end(rope.bodies[0]), "tie_end: the rope cannot be tied to itself"),
        (lambda: rope.tie_start(scree.World(threads=1).add_space().add_rigid(CRATE)), "belongs to another"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            call()
    rope.tie_start()
    with pytest.raises(ValueError, match="reel: way must be one finite number"):
        rope.reel(math.nan)
    assert len(rope) == 10 and rope.length == pytest.approx(2.0)


def test_a_winch_at_a_beam_lifts_its_load():
    """The rope is tied at the lower side of a beam: rods that reach into it were pushed out, and the load hung too low by 25 cm.
    Once untied they meet the beam."""
    space = scree.World(threads=1).add_space(gravity=(0.0, -9.81, 0.0))
    beam = space.add_static(scree.Box(half_extents=(1.0, 0.15, 0.15)), (0.0, 6.15, 0.0))
    crate = space.add_rigid(scree.Box(half_extents=(0.4, 0.4, 0.4)), (0.0, 0.4, 0.0), mass=60.0)
    rope = space.add_rope([(0.0, 6.0, 0.0), (0.0, 0.8, 0.0)], mass=1.0, radius=0.04)
    rope.tie_start(beam)
    rope.tie_end(crate)
    for tick in range(360):
        if tick < 240:
            rope.reel(0.5 / 60)
        space.step(1 / 60)
    assert crate.position[1] == pytest.approx(2.4, abs=2e-3)
    assert rope.tensions[0] == pytest.approx((60.0 + rope.length / 5.2) * 9.81, rel=0.01)
    for _ in range(240):
        rope.reel(-0.5 / 60)
        space.step(1 / 60)
    assert crate.position[1] == pytest.approx(0.4, abs=2e-2)
    rope.untie_start()
    ball = space.add_rigid(scree.Sphere(radius=0.2), (0.0, 6.6, 0.0), mass=1.0)
    for _ in range(120):
        space.step(1 / 60)
    assert ball.position[1] == pytest.approx(6.5, abs=0.05)
    assert rope.points[:, 1].max() < 6.0


# Breaking.


def spun(space: scree.Space, spin: float, strength: float) -> scree.RopeBody:
    """A straight rope of 1 kg and 2 m that turns about its middle [rad/s]. Half of it, with its middle 0.5 m away, pulls there
    with 0.25 kg m times the square of the spin."""
    space.gravity = (0.0, 0.0, 0.0)
    rope = space.add_rope([(-1.0, 0.0, 0.0), (1.0, 0.0, 0.0)], mass=1.0, damping=0.0, strength=strength)
    rods = rope.bodies
    rods.angular_velocities = np.tile((0.0, spin, 0.0), (len(rope), 1))
    rods.velocities = np.cross((0.0, spin, 0.0), rods.positions)
    return rope


def test_a_rope_holds_nine_tenths_of_its_strength_and_breaks_at_twelve(space):
    rope, crate = hung(space, 0.9 * 1000.0 / G - 1.0)
    rope.strength = 1000.0
    steps(space, 300)
    assert crate.position[1] == pytest.approx(0.75, abs=1e-4) and rope.tensions.max() == pytest.approx(900.0, rel=1e-3)
    rope.strength = 1000.0 * 0.9 / 1.2
    told = []
    rope.on_break = lambda place, other: told.append((place, other))
    steps(space, 31)
    assert told == [(0, None)], "it bears most at its start"
    assert rope.tensions[0] == 0.0 and len(rope) == 20 and rope.broken_off == () and rope.strength == 750.0
    assert crate.position[1] == pytest.approx(0.75 - 0.5 * G * 0.25, abs=0.05), "it fell for half a second"


def test_a_load_that_breaks_its_rope_breaks_no_more_than_one_place(space):
    """All parts of a light rope bear as much. Where it broke, its load falls freely."""
    rope, crate = hung(space, 120.0)
    rope.strength = 1000.0
    steps(space, 31)
    assert crate.velocity[1] == pytest.approx(-0.5 * G, rel=0.01)
    assert rope.length == pytest.approx(4.0) and rope.broken_off == () and rope.points[0, 1] < 4.0
    assert rope.tensions[-1] < 20.0


@pytest.mark.parametrize("strength, holds", [(2e3, False), (2e4, True)])
def test_a_falling_load_jerks_a_slack_rope(space, strength, holds):
    """50 kg, which fall 0.4 m until the rope is tight: 140 N s, stopped and thrown back in a step, and a weight of 490 N."""
    crate = space.add_rigid(CRATE, (0.0, 1.75, 0.0), mass=50.0)
    rope = space.add_rope([(0.0, 5.0, 0.0), (0.8, 3.5, 0.0), (0.0, 2.0, 0.0)], mass=1.0, strength=strength)
    rope.tie_start()
    rope.tie_end(crate)
    steps(space, 120)
    assert (crate.position[1] > 1.0) == holds


def test_a_winch_that_pulls_too_hard_breaks_its_rope(space):
    """It lifts a crate of 10 kg until that is stuck below two beams."""
    rope, crate = hung(space, 10.0)
    rope.strength = 1000.0
    for x in (-0.3, 0.3):
        space.add_static(scree.Box(half_extents=(0.2, 0.1, 0.25)), (x, 1.4, 0.0))
    told = []
    rope.on_break = lambda place, other: told.append(place)
    for _ in range(60):
        if not told:
            rope.reel(0.5 / 60)
        space.step(1 / 60)
    assert told == [0] and rope.length == pytest.approx(3.8), "of what is in the winch, part of a rod comes out"
    steps(space, 60)
    assert crate.position[1] < 0.0 and crate.velocity[1] < -G


def test_a_spinning_rope_breaks_in_the_middle_and_both_parts_are_ropes(space):
    rope = spun(space, 20.0, 101.0)
    steps(space, 120)
    assert rope.tensions[5] == pytest.approx(100.0, rel=0.01) and len(rope) == 10
    rope.strength = 99.0
    told = []
    rope.on_break = lambda place, other: told.append((place, other))
    steps(space, 1)
    (other,) = rope.broken_off
    assert told == [(5, other)] and other.strength == 99.0
    for part in (rope, other):
        assert len(part) == 5 and part.length == pytest.approx(1.0)
        assert part.points.shape == (6, 3) and part.tensions.shape == (6,)
        assert part.tensions[0] == part.tensions[-1] == 0.0
        assert np.linalg.norm(np.diff(part.points, axis=0), axis=1) == pytest.approx(np.full(5, 0.2), abs=1e-3)
    steps(space, 30)
    for part in (rope, other):
        assert np.linalg.norm(part.bodies.velocities.mean(axis=0)) == pytest.approx(10.0, rel=0.01), (
            "half a metre from the middle"
        )
        assert part.tensions[2] == pytest.approx(0.25 * 100.0, rel=0.3), "a quarter of it by half the length and mass, each"
    assert rope.bodies.velocities.sum(axis=0) + other.bodies.velocities.sum(axis=0) == pytest.approx((0.0, 0.0, 0.0), abs=0.05)


def test_both_parts_of_a_broken_rope_are_tied_reeled_and_cut(space):
    rope = spun(space, 20.0, 50.0)
    steps(space, 2)
    (other,) = rope.broken_off
    for part in (rope, other):
        part.strength = math.inf
        part.bodies.velocities = part.bodies.angular_velocities = np.zeros((5, 3))
    space.gravity = (0.0, -G, 0.0)
    for part in (rope, other):
        part.tie_start()
    for _ in range(60):
        for part in (rope, other):
            part.reel(0.5 / 60)
        space.step(1 / 60)
    for part in (rope, other):
        assert part.length == pytest.approx(0.5) and part.points[0] == pytest.approx(part.points[0] * (1, 0, 1), abs=0.05)
        rest = part.cut(1)
        assert len(part) == 1 and len(rest) == 2 and rest.tensions[0] == 0.0
        part.remove()
        rest.remove()
    assert len(space.bodies) == 0


def test_ropes_break_though_nobody_keeps_them_and_removed_ones_do_not(space):
    rope, crate = hung(space)
    rope.strength = 500.0
    del rope
    space.add_rope([(5, 0, 0), (5, 2, 0)], strength=10.0).remove()
    lost = space.add_rope([(7, 0, 0), (7, 2, 0)], strength=10.0)
    lost.joints[3].remove()
    steps(space, 30)
    assert crate.position[1] < 0.0
    with pytest.raises(KeyError, match="tensions"):
        print(lost.tensions)


def test_an_error_of_a_function_that_is_told_of_a_break_comes_from_step(space):
    rope, crate = hung(space)
    other = space.add_rope([(2.0, 5.0, 0.0), (2.0, 1.0, 0.0)], strength=5.0)
    other.tie_start()
    rope.strength = 500.0
    told = []

    def fail(place, part):
        raise RuntimeError("told")

    rope.on_break, other.on_break = fail, lambda place, part: told.append(place)
    with pytest.raises(RuntimeError, match="told"):
        space.step(1 / 60)
    assert told == [0] and rope.tensions[0] == 0.0
    steps(space, 10)


def test_a_sleeping_rope_breaks_when_its_strength_is_lowered(space):
    space.settings = scree.SpaceSettings(time_to_sleep=0.1)
    rope, crate = hung(space)
    steps(space, 60)
    assert crate.is_asleep
    rope.strength = 500.0
    steps(space, 20)
    assert crate.position[1] < 0.7 and not crate.is_asleep


@pytest.mark.parametrize("strength", [0.0, -1.0, math.nan])
def test_a_wrong_strength_changes_nothing(space, strength):
    with pytest.raises(ValueError, match="add_rope: strength must be"):
        space.add_rope([(0, 0, 0), (0, 2, 0)], strength=strength)
    assert len(space.bodies) == 0
    rope = space.add_rope([(0, 0, 0), (0, 2, 0)], strength=5.0)
    with pytest.raises(ValueError, match="strength: strength must be"):
        rope.strength = strength
    assert rope.strength == 5.0


# Bending.


def beam(space: scree.Space, bending: float, count: int = 20, load: float = 0.0, **values: float) -> scree.RopeBody:
    """A horizontal rope of 1 kg and 2 m, clamped at its start, with a load [kg] at its end."""
    space.settings = scree.SpaceSettings(is_sleeping_allowed=False)
    rope = space.add_rope([(0, 0, 0), (2, 0, 0)], rod_length=2.0 / count, radius=0.01, bending=bending, **values)
    rope.tie_start(clamped=True)
    if load > 0.0:
        rope.tie_end(space.add_rigid(scree.Sphere(radius=0.02), (2.0, 0.0, 0.0), mass=load))
    return rope


@pytest.mark.parametrize("bending, load", [(98.1, 0.0), (490.5, 0.0), (49050.0, 0.0), (1000.0, 1.0), (10000.0, 10.0)])
def test_a_clamped_rope_sags_as_a_beam_does(space, bending, load):
    """By w L^4 / (8 EI) for its weight w on each metre, and P L^3 / (3 EI) for a load P at its end."""
    rope = beam(space, bending, load=load)
    steps(space, 480)
    sag = 0.5 * G * 2.0**4 / (8.0 * bending) + load * G * 2.0**3 / (3.0 * bending)
    assert -rope.points[-1, 1] == pytest.approx(sag, rel=0.01)


@pytest.mark.parametrize("bending", [50.0, 500.0])
def test_a_clamped_rope_swings_as_a_beam_does_and_wins_no_energy(space, bending):
    """Its lowest frequency is 1.8751^2 sqrt(EI / (w L^4)) / 2 pi, with w its mass on each metre."""
    space.gravity = (0.0, 0.0, 0.0)
    rope = beam(space, bending, damping=0.0)
    rods, along = rope.bodies, rope.bodies.positions[:, 0]
    rods.velocities = np.column_stack((0.0 * along, 0.0125 * along**2, 0.0 * along))
    heights, energies = [], []
    for _ in range(600):
        space.step(1 / 120)
        heights.append(rope.points[-1, 1])
        energies.append((rods.velocities**2).sum())
    rising = np.flatnonzero((np.array(heights[:-1]) < 0.0) & (np.array(heights[1:]) >= 0.0))
    found = (len(rising) - 1) * 120 / (rising[-1] - rising[0])
    assert found == pytest.approx(1.8751**2 * math.sqrt(bending / (0.5 * 2.0**4)) / (2.0 * math.pi), rel=0.02)
    assert max(energies) < ((0.0125 * along**2) ** 2).sum()


def test_a_clamped_rope_twists_by_the_torque_and_its_length(space):
    """A torque of 2 N m at its last rod turns that by T (L - half a rod) / GJ: 1.95 m of 2 m are twisted."""
    space.gravity = (0.0, 0.0, 0.0)
    rope = beam(space, 100.0, twisting=20.0)
    last = rope.bodies[-1]
    before = last.rotation.copy()
    for _ in range(480):
        last.apply_torque((2.0, 0.0, 0.0))
        space.step(1 / 60)
    angle = 2.0 * math.acos(abs(float(last.rotation @ before)))
    assert angle == pytest.approx(2.0 * 1.95 / 20.0, rel=0.02)


def test_a_rope_that_resists_bending_is_reeled_and_cut(space):
    rope = space.add_rope([(0, 5, 0), (0, 2, 0)], bending=5.0)
    crate = space.add_rigid(CRATE, (0.0, 1.75, 0.0), mass=50.0)
    rope.tie_start()
    rope.tie_end(crate)
    for way in (0.5, -0.5):
        for _ in range(120):
            rope.reel(way / 60)
            space.step(1 / 60)
        steps(space, 30)
        assert crate.position[1] == pytest.approx(1.75 + max(2.0 * way, 0.0), abs=0.003)
    other = rope.cut(5)
    steps(space, 30)
    assert len(other) == 10 and crate.velocity[1] == pytest.approx(-0.5 * G, rel=0.02)


def test_what_does_not_resist_bending_cannot_be_clamped(space):
    rope = space.add_rope([(0, 0, 0), (0, 2, 0)])
    with pytest.raises(ValueError, match="tie_end: a rope without bending cannot be clamped"):
        rope.tie_end(clamped=True)
    for name in ("bending", "twisting"):
        with pytest.raises(ValueError, match=f"add_rope: {name} must be"):
            space.add_rope([(0, 0, 0), (0, 2, 0)], **{name: -1.0})
    stiff = space.add_rope([(5, 0, 0), (5, 2, 0)], bending=1.0)
    stiff.tie_start(clamped=True)
    with pytest.raises(ValueError, match="reel: the start of the rope must not be clamped"):
        stiff.reel(0.1)
