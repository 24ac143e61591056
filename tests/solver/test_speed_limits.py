"""Limits of the velocity of bodies, against formulas and a plain twin."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scree
from scree.bodies.schema import HAS_RARE, HAS_SPEED_LIMIT
from scree.edit.setting_edits import SPEED_LIMITS, set_omits_forces
from scree.runtime.kernel import entry_point
from scree.runtime.memory import address_of, view
from scree.solver.speed_limits import limit
from scree.state.replays import Replay

TICK, SUBSTEPS, GRAVITY = 1 / 60, 4, 10.0
BALL, CUBE = scree.Sphere(radius=0.5), scree.Box(half_extents=(0.5, 0.5, 0.5))
LIMITS = {"bodies": 1 << 11, "body_shapes": 1 << 11, "shapes": 1 << 8}


def new_space(gravity=(0.0, -GRAVITY, 0.0), threads: int = 1) -> scree.Space:
    return scree.World(threads=threads, **LIMITS).add_space(gravity=gravity)


def steps(space, count: int) -> None:
    for _ in range(count):
        space.step(TICK)


@entry_point("void(int64, float64)")
def limit_at(address, most):
    limit(view(address, 3, np.float32), most)


def limited(velocity, most: float) -> np.ndarray:
    """The twin: the velocity, or as much of it as is allowed."""
    velocity = np.asarray(velocity, np.float64)
    speed = np.linalg.norm(velocity)
    return velocity * (most / speed) if speed > most else velocity


NUMBER = st.floats(-1e8, 1e8, width=32)
MOST = st.one_of(st.sampled_from([0.0, math.inf]), st.floats(2.0**-100, 1e8, width=32))


@settings(max_examples=300, deadline=None)
@given(velocity=st.tuples(NUMBER, NUMBER, NUMBER), most=MOST)
def test_a_velocity_is_scaled_to_its_limit(velocity, most):
    given_one = np.array(velocity, np.float32)
    found = given_one.copy()
    limit_at(address_of(found), most)
    np.testing.assert_allclose(found, limited(given_one, most), rtol=3e-7, atol=1e-38)
    assert np.linalg.norm(found.astype(np.float64)) <= most
    again = found.copy()
    limit_at(address_of(again), most)
    assert again.tobytes() == found.tobytes()


def twin_motion(velocity, spin, pull, limits, count: int) -> tuple:
    """Way [m], velocity and spin of a ball that touches nothing. `pull`: gravity and forces per mass."""
    h, way = TICK / SUBSTEPS, np.zeros(3)
    for _ in range(count * SUBSTEPS):
        velocity = limited(limited(velocity, limits[0]) + np.asarray(pull) * h, limits[0])
        way = way + velocity * h
    return way, velocity, limited(spin, limits[1])


SMALL = st.floats(-30, 30, width=16)
VECTOR = st.tuples(SMALL, SMALL, SMALL)
LIMIT = st.sampled_from([0.0, 0.5, 3.0, 20.0, math.inf])


@settings(max_examples=60, deadline=None)
@given(velocity=VECTOR, spin=VECTOR, gravity=VECTOR, force=VECTOR, most=st.tuples(LIMIT, LIMIT))
def test_a_free_body_moves_as_its_twin(velocity, spin, gravity, force, most):
    space = new_space(gravity)
    ball = space.add_rigid(BALL, velocity=velocity, angular_velocity=spin, mass=2.0, can_sleep=False)
    ball.max_linear_velocity, ball.max_angular_velocity = most
    ball.set_constant_force(force)
    steps(space, 20)
    way, end, turning = twin_motion(velocity, spin, np.add(gravity, np.array(force) / 2.0), most, 20)
    np.testing.assert_allclose(ball.position, way, atol=1e-4)
    np.testing.assert_allclose(ball.velocity, end, atol=2e-4)
    np.testing.assert_allclose(ball.angular_velocity, turning, atol=2e-5)


@pytest.mark.parametrize("most", [0.0, 0.01, 5.0, 50.0])
def test_a_body_that_falls_at_its_limit_falls_limit_times_time(most):
    space = new_space()
    ball = space.add_rigid(BALL, (0, 1000, 0), velocity=(0, -60, 0), max_linear_velocity=most)
    steps(space, 60)
    assert 1000 - ball.position[1] == pytest.approx(most, rel=1e-6)
    assert most * (1 - 1e-6) <= -ball.velocity[1] <= most
    ball.max_linear_velocity = math.inf
    steps(space, 30)
    assert -ball.velocity[1] == pytest.approx(most + GRAVITY / 2, rel=1e-5)


def test_a_spinning_cube_keeps_its_axis_and_its_way():
    space = new_space((0, 0, 0))
    cube = space.add_rigid(CUBE, velocity=(7, 0, 0), angular_velocity=(30, 40, 0), max_angular_velocity=5.0)
    for _ in range(30):
        space.step(TICK)
        np.testing.assert_allclose(cube.angular_velocity, (3, 4, 0), rtol=1e-6)
    half = 0.5 * 5.0 * 0.5  # of the angle: half a second at 5 rad/s, by Cayley's map a little less
    np.testing.assert_allclose(cube.rotation, (0.6 * math.sin(half), 0.8 * math.sin(half), 0, math.cos(half)), atol=2e-4)
    np.testing.assert_allclose(cube.position, (3.5, 0, 0), rtol=1e-5)


def test_a_plank_that_tumbles_is_never_faster():
    """Its spin changes without a torque."""
    space = new_space((0, 0, 0))
    plank = space.add_rigid(scree.Box(half_extents=(1, 0.4, 0.1)), angular_velocity=(3, 8, 2), max_angular_velocity=6.0)
    fastest = 0.0
    for _ in range(200):
        space.step(TICK)
        fastest = max(fastest, float(np.linalg.norm(plank.angular_velocity)))
    assert 5.9 < fastest <= 6.0


def test_what_is_set_above_the_limit_is_cut_in_the_next_step():
    space = new_space((0, 0, 0))
    ball = space.add_rigid(BALL, max_linear_velocity=2.0, max_angular_velocity=1.0)
    for give in (ball.apply_impulse, ball.apply_force, lambda velocity: setattr(ball, "velocity", velocity)):
        ball.move((0, 0, 0))
        ball.velocity = (0, 0, 0)
        give((0, 0, 9e4))
        space.step(TICK)
        np.testing.assert_allclose(ball.velocity, (0, 0, 2), rtol=1e-6)
        assert ball.position[2] <= 2 * TICK
    ball.apply_torque_impulse((0, 30, 0))
    assert ball.angular_velocity[1] > 1.0  # until a step
    space.step(TICK)
    np.testing.assert_allclose(ball.angular_velocity, (0, 1, 0), rtol=1e-6)


def test_bodies_that_move_otherwise_have_no_limit():
    space = new_space()
    lift = space.add_kinematic(CUBE)
    lift.max_linear_velocity = 1.0
    lift.move((3, 0, 0))
    space.step(TICK)
    np.testing.assert_allclose(lift.position, (3, 0, 0))
    space.step(TICK)
    lift.mode = "rigid"
    steps(space, 60)
    assert 3 - 1.001 < lift.position[1] + 3 and np.linalg.norm(lift.velocity) <= 1.0


def test_an_omitted_gravity_leaves_the_limit():
    """A body that a game moves itself has its limit, too."""
    space = new_space()
    ball = space.add_rigid(BALL, velocity=(9, 0, 0), max_linear_velocity=3.0)
    space.core.body.edit("test", ball.id, set_omits_forces, True)
    steps(space, 30)
    np.testing.assert_allclose(ball.velocity, (3, 0, 0), rtol=1e-6)
    assert ball.position[0] == pytest.approx(1.5, rel=1e-5)


# Others, contacts, joints.


def heap(space, most: float, count: int = 40) -> scree.Bodies:
    space.add_static(scree.Plane())
    planks, balls = scree.Box(half_extents=(0.5, 0.3, 0.2)), scree.Sphere(radius=0.3)
    places = [(0.3 * (k % 5), 0.6 + 0.9 * k, 0.2 * (k % 3)) for k in range(count)]
    return space.add_rigid_many(
        [planks if k % 2 else balls for k in range(count)], places, max_linear_velocity=most, max_angular_velocity=most
    )


def test_a_limit_that_is_not_reached_changes_no_bit():
    plain, wide = new_space(), new_space()
    free, bound = heap(plain, math.inf), heap(wide, 1e6)
    alone, slow = (space.add_rigid(BALL, (90, 50, 0)) for space in (plain, wide))
    slow.max_linear_velocity = 1.0
    for _ in range(150):
        plain.step(TICK)
        wide.step(TICK)
        for name in ("positions", "rotations", "velocities", "angular_velocities"):
            assert getattr(free, name).tobytes() == getattr(bound, name).tobytes()
    assert slow.position[1] > alone.position[1] + 20
    assert not (plain.core.bodies.flags & (HAS_RARE | HAS_SPEED_LIMIT)).any()


@pytest.mark.parametrize("place", [-3.0, -1.01])
def test_a_blow_is_given_in_full(place):
    """A limited ball that strikes another of its mass stops, and the other goes on with all of its momentum: with that of the
    limit, even if the step begins with a velocity far above it."""
    space = new_space((0, 0, 0))
    elastic = scree.Material(restitution=1.0, friction=0.0)
    striker = space.add_rigid(BALL, (place, 0, 0), velocity=(40, 0, 0), material=elastic, max_linear_velocity=5.0)
    struck = space.add_rigid(BALL, material=elastic)
    steps(space, 60)
    np.testing.assert_allclose(struck.velocity, (5, 0, 0), atol=1e-3)
    np.testing.assert_allclose(striker.velocity, (0, 0, 0), atol=1e-3)


@pytest.mark.parametrize("mass", [0.5, 50.0])
@pytest.mark.parametrize("most", [0.0, 1.0])
def test_a_struck_body_moves_no_farther_than_its_limit(most, mass):
    """A heavy striker gets deep into it; then it is pushed out without a velocity."""
    space = new_space((0, 0, 0))
    pushed_out = space.settings.push_out_speed if mass > 1.0 else 0.0
    struck = space.add_rigid(BALL, max_linear_velocity=most, max_angular_velocity=0.0)
    space.add_rigid(BALL, (-2, 0.1, 0), velocity=(20, 0, 0), mass=mass)
    before = struck.position
    for _ in range(60):
        space.step(TICK)
        assert np.linalg.norm(struck.velocity) <= most and np.linalg.norm(struck.angular_velocity) == 0.0
        assert np.linalg.norm(struck.position - before) <= (most + pushed_out) * TICK * 1.001
        before = struck.position
    assert struck.position[0] >= (0.2 * most if mass > 1.0 else 0.0)


def test_a_body_that_may_not_move_slows_what_runs_into_it():
    """It takes the momentum of its mass twice in a sub-step, when contacts are solved and when they are relaxed; and more, where
    the striker has come into it."""
    space, heavy = new_space((0, 0, 0)), 50.0
    space.add_rigid(BALL, max_linear_velocity=0.0, can_sleep=False)
    striker, speeds = space.add_rigid(BALL, (-1.01, 0, 0), velocity=(5, 0, 0), mass=heavy), []
    for _ in range(8):
        space.step(TICK)
        speeds.append(striker.velocity[0])
    for before, after in pairwise(speeds[1:]):
        assert 0.8 < after / before < 1.002 * (heavy / (heavy + 1.0)) ** (2 * SUBSTEPS)


def test_contacts_report_the_limited_speed():
    space = new_space((0, 0, 0))
    space.add_static(scree.Plane())
    ball = space.add_rigid(BALL, (0, 0.51, 0), velocity=(0, -40, 0), max_linear_velocity=2.0)
    ball.contact_events = "all"
    space.step(TICK)
    assert space.contact_events().approach_speeds.tolist() == pytest.approx([2.0], rel=1e-5)


@pytest.mark.parametrize("most", [30.0, 300.0, 3000.0])
def test_a_bullet_with_a_limit_does_not_pass_a_wall(most):
    space = new_space((0, 0, 0))
    space.add_static(scree.Box(half_extents=(0.05, 5, 5)), (20, 0, 0))
    bullet = space.add_rigid(scree.Sphere(radius=0.1), velocity=(1e5, 0, 0), max_linear_velocity=most, continuous=True)
    farthest = 0.0
    for _ in range(90):
        space.step(TICK)
        farthest = max(farthest, bullet.position[0])
    assert farthest == pytest.approx(20 - 0.05 - 0.1, abs=0.02)


JOINTS = {
    "pin": scree.Pin(anchor=(0, 0, 0)), "hinge": scree.Hinge(anchor=(0, 0, 0), axis=(0, 0, 1)),
    "rope": scree.Distance(anchor=(1, 0, 0), to_anchor=(0, 0, 0), longest=1.0),
}  # fmt: skip


@pytest.mark.parametrize("joint", JOINTS)
@pytest.mark.parametrize("limits", [(1.5, math.inf), (1.5, 1.5), (1.0, 2.0)])
def test_a_limited_pendulum_stays_on_its_joint(joint, limits):
    space, longest = new_space(), 0.0
    ball = space.add_rigid(scree.Sphere(radius=0.1), (1, 0, 0), can_sleep=False)
    ball.max_linear_velocity, ball.max_angular_velocity = limits
    space.add_joint(JOINTS[joint], ball)
    for _ in range(300):
        space.step(TICK)
        longest = max(longest, abs(np.linalg.norm(ball.position) - 1.0))
        assert np.linalg.norm(ball.velocity) <= limits[0] and np.linalg.norm(ball.angular_velocity) <= limits[1]
    assert longest < 0.001


def test_a_limit_of_its_spin_alone_opens_the_pin_of_a_pendulum_and_it_closes_again():
    """Its speed would turn it three times as fast as it may."""
    space, gap = new_space(), []
    ball = space.add_rigid(scree.Sphere(radius=0.1), (1, 0, 0), can_sleep=False, max_angular_velocity=1.5)
    space.add_joint(JOINTS["pin"], ball)
    for _ in range(120):
        space.step(TICK)
        gap.append(abs(np.linalg.norm(ball.position) - 1.0))
        assert np.linalg.norm(ball.angular_velocity) <= 1.5
    assert 0.01 < max(gap) < 0.15
    ball.max_angular_velocity = math.inf
    steps(space, 120)
    assert abs(np.linalg.norm(ball.position) - 1.0) < 0.002


def test_a_box_under_a_load_bears_it():
    """Forces on a limited body press on what it touches, however low the limit is."""
    space = new_space()
    space.add_static(scree.Plane())
    low = space.add_rigid(CUBE, (0, 0.5, 0), mass=1.0, max_linear_velocity=0.01, max_angular_velocity=0.01)
    top = space.add_rigid(CUBE, (0, 1.5, 0), mass=5.0)
    low.contact_events = "all"
    steps(space, 120)
    assert low.position[1] == pytest.approx(0.5, abs=0.01) and top.position[1] == pytest.approx(1.5, abs=0.02)
    assert low.is_asleep and top.is_asleep


def test_a_body_that_falls_slower_than_what_sleeps_does_not_rest():
    space = new_space()
    falling = space.add_rigid(BALL, (0, 10, 0), max_linear_velocity=0.02)
    held = space.add_rigid(BALL, (5, 10, 0), max_linear_velocity=0.0)
    steps(space, 300)
    assert not falling.is_asleep and 10 - falling.position[1] == pytest.approx(0.02 * 5, rel=1e-4)
    assert held.position[1] == 10.0


# States, threads, copies, recordings.


def hashes(space, count: int) -> list[int]:
    found = []
    for _ in range(count):
        space.step(TICK)
        found.append(space.hash())
    return found


def test_any_number_of_threads_gives_the_same_bits():
    found = []
    for threads in (1, 2, 4):
        space = new_space(threads=threads)
        heap(space, 4.0, 400)
        found.append(hashes(space, 60))
    assert found[0] == found[1] == found[2]


def test_states_hold_limits():
    space = new_space()
    bodies = heap(space, 3.0)
    steps(space, 20)
    state = space.save()
    first = hashes(space, 40)
    for name in SPEED_LIMITS:
        for body in bodies:
            setattr(body, name, math.inf)
    assert hashes(space, 5) != first[:5]
    space.restore(scree.SpaceState.from_bytes(state.to_bytes()))
    assert bodies[3].max_linear_velocity == bodies[3].max_angular_velocity == 3.0
    assert hashes(space, 40) == first


@pytest.mark.parametrize("threads", [1, 2])
def test_copies_of_a_world_have_limits(threads):
    space = new_space()
    bodies = heap(space, 3.0, 10)
    worlds = scree.VectorWorld(space, 5, bodies=bodies, threads=threads)
    for _ in range(60):
        worlds.step(TICK)
        space.step(TICK)
        assert (worlds.hashes() == space.hash()).all()


def test_recordings_hold_limits(tmp_path):
    world = scree.World(threads=1, **LIMITS)
    with scree.Recording(world, tmp_path / "limits", 1):
        space = world.add_space()
        bodies = heap(space, 3.0, 10)
        steps(space, 20)
        bodies[2].max_linear_velocity = 0.5
        bodies[3].max_angular_velocity = math.inf
        steps(space, 20)
    answer = Replay(tmp_path / "limits", 1).run()
    assert (answer.steps, answer.difference, answer.ending) == (40, "", "") and answer.compared >= 40


# Settings.


def test_limits_are_read_and_removed():
    space = new_space()
    ball = space.add_rigid(BALL)
    assert ball.max_linear_velocity == ball.max_angular_velocity == math.inf
    ball.max_linear_velocity = math.inf
    index = space.core.body.index("", ball.id)
    assert not space.core.bodies.flags[index] & (HAS_RARE | HAS_SPEED_LIMIT)
    ball.max_angular_velocity = np.float32(2.5)
    assert (ball.max_linear_velocity, ball.max_angular_velocity) == (math.inf, 2.5)
    ball.max_linear_velocity, ball.max_angular_velocity = 1, math.inf
    assert (ball.max_linear_velocity, ball.max_angular_velocity) == (1.0, math.inf)
    assert space.core.bodies.flags[index] & HAS_SPEED_LIMIT
    ball.max_linear_velocity = 1e300
    assert ball.max_linear_velocity == math.inf and not space.core.bodies.flags[index] & HAS_SPEED_LIMIT
    many = space.add_rigid_many(BALL, [(3, 0, 0), (6, 0, 0)], max_linear_velocity=4.0)
    assert [body.max_linear_velocity for body in many] == [4.0, 4.0]


@pytest.mark.parametrize("name", SPEED_LIMITS)
@pytest.mark.parametrize("wrong", [math.nan, -1.0, -math.inf, "fast", (1.0, 2.0), None])
def test_wrong_limits_are_refused(name, wrong):
    space = new_space()
    ball = space.add_rigid(BALL)
    with pytest.raises(ValueError, match=f"^{name}: {name} must be one number of at least 0, got "):
        setattr(ball, name, wrong)
    with pytest.raises(ValueError, match=f"^add_rigid: {name} must be one number of at least 0, got "):
        space.add_rigid(BALL, **{name: wrong})
    with pytest.raises(ValueError, match=f"^body_set_param: {name} must be "):
        space.core.body.set_param(ball.id, name, wrong)
    assert getattr(ball, name) == math.inf
    assert len(space.bodies) == 1
    ball.remove()
    with pytest.raises(KeyError, match=name):
        setattr(ball, name, 1.0)


def test_pieces_of_a_body_that_breaks_have_its_limits():
    space, bar = new_space(), scree.Structure(breaks=True)
    low = np.array([(k, 0, 0) for k in range(9)])
    bar.insert(low, low + 1)
    body = space.add_rigid(bar, density=2.0, max_linear_velocity=3.0, max_angular_velocity=4.0)
    bar.remove(bar.numbers[[4]])
    (piece,) = body.break_apart()
    assert (piece.body.max_linear_velocity, piece.body.max_angular_velocity) == (3.0, 4.0)
