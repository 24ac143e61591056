"""Springs keep the period, the decay and the amplitude of Hooke's law, however many sub-steps a step has."""

import math

import numpy as np
import pytest
from scipy.optimize import least_squares
from small_world import TICK, UPRIGHT, SmallWorld

from scree.joints.schema import DISTANCE, LINEAR_X, LINEAR_Y, TWIST

START = 0.1
"""How far springs are stretched at first [m], [rad]."""


def frame(x=0.0, y=0.0, z=0.0):
    return (*UPRIGHT, x, y, z)


def sprung(axis, stiffness, damping=0.0, mass=1.0, stretch=START, **settings):
    """A cube on a spring along an axis, all others of which are locked."""
    world = SmallWorld(**{"gravity": (0.0, 0.0, 0.0), **settings})
    side = 0.5
    half = math.sin(0.5 * stretch), math.cos(0.5 * stretch)
    sine, cosine = 2.0 * half[0] * half[1], half[1] * half[1] - half[0] * half[0]
    basis = (1.0, 0.0, 0.0, 0.0, cosine, -sine, 0.0, sine, cosine) if axis == TWIST else UPRIGHT
    place = tuple(stretch if axis == k else 0.0 for k in range(3))
    body = world.add(world.box(side, side, side), place, basis=basis, mass=mass)
    joint = world.world.joint.create("six_dof", 0, body, frame(), frame())
    world.world.joint.free_axis(joint, axis)
    world.world.joint.set_spring(joint, axis, stiffness, damping, 0.0)
    return world, body, joint


def swing(world, joint, axis, seconds):
    """Where the body is along an axis after every tick, the start first."""
    places = [world.world.joint.position(joint, axis)]
    for _ in range(round(seconds / TICK)):
        world.step()
        places.append(world.world.joint.position(joint, axis))
    return np.array(places)


def fit(places, omega, gamma):
    """(angular frequency [rad/s], decay [1/s]) of a damped wave, near those given."""
    times = TICK * np.arange(len(places))

    def wave(p):
        return np.exp(-p[3] * times) * (p[0] * np.cos(p[2] * times) + p[1] * np.sin(p[2] * times)) - places

    tried = [least_squares(wave, (START, 0.0, omega * part, gamma), x_scale=(START, START, 0.01 * omega, 0.1 + gamma))
             for part in np.linspace(0.97, 1.03, 25)]  # fmt: skip
    best = min(tried, key=lambda found: found.cost)
    return abs(best.x[2]), best.x[3]


@pytest.mark.parametrize("substeps", (1, 2, 4, 8, 16))
@pytest.mark.parametrize("stiffness, mass", ((100.0, 1.0), (1000.0, 1.0), (10000.0, 1.0), (10000.0, 10.0), (500.0, 0.1)))
def test_an_undamped_spring_keeps_period_and_amplitude(stiffness, mass, substeps):
    world, _, joint = sprung(LINEAR_X, stiffness, mass=mass, substep_count=substeps)
    places = swing(world, joint, LINEAR_X, 10.0)
    omega, gamma = fit(places, math.sqrt(stiffness / mass), 0.0)
    assert omega == pytest.approx(math.sqrt(stiffness / mass), rel=1e-3)
    assert abs(gamma) < 1e-3
    assert np.abs(places).max() < 1.001 * START
    assert np.abs(places[-120:]).max() > 0.95 * START


@pytest.mark.parametrize("substeps", (1, 4))
def test_an_undamped_spring_that_turns(substeps):
    stiffness = 400.0
    world, body, joint = sprung(TWIST, stiffness, mass=6.0, substep_count=substeps)
    right = math.sqrt(stiffness * float(world.body(body)["inverse_inertia_local"][0]))
    places = swing(world, joint, TWIST, 10.0)
    omega, gamma = fit(places, right, 0.0)
    assert omega == pytest.approx(right, rel=1e-3)
    assert np.abs(places).max() < 1.001 * START
    assert np.abs(places[-120:]).max() > 0.95 * START


@pytest.mark.parametrize("substeps", (1, 4, 16))
@pytest.mark.parametrize("stiffness, damping", ((100.0, 2.0), (1000.0, 10.0), (5000.0, 30.0)))
def test_a_damped_spring_keeps_period_and_decay(stiffness, damping, substeps):
    world, _, joint = sprung(LINEAR_X, stiffness, damping, substep_count=substeps)
    gamma = 0.5 * damping
    omega = math.sqrt(stiffness - gamma * gamma)
    found = fit(swing(world, joint, LINEAR_X, 2.0), omega, gamma)
    assert found == pytest.approx((omega, gamma), rel=2e-3)


@pytest.mark.parametrize("stiffness", (50.0, 10000.0))
def test_a_load_stretches_a_spring_as_hooke_says(stiffness):
    """The correction of the period is no additional stiffness."""
    world, _, joint = sprung(LINEAR_Y, stiffness, 0.2 * math.sqrt(stiffness), stretch=0.0, gravity=(0.0, -10.0, 0.0))
    world.step(900)
    assert world.world.joint.position(joint, LINEAR_Y) == pytest.approx(-10.0 / stiffness, rel=1e-3)


def test_a_spring_at_rest_under_a_load_has_no_speed():
    world, body, _ = sprung(LINEAR_Y, 50.0, 2.0, stretch=-10.0 / 50.0, gravity=(0.0, -10.0, 0.0))
    world.step(900)
    assert abs(world.velocity(body)[1]) < 1e-4


@pytest.mark.parametrize("stiffness, mass", ((1e3, 1.0), (1e4, 1.0), (1e3, 0.05)))
def test_a_grid_of_springs_never_gains_energy(stiffness, mass):
    """Four by four by two balls, each tied to its neighbours: together they vibrate faster than a pair does."""
    world, side, bodies = SmallWorld(gravity=(0.0, 0.0, 0.0)), (4, 4, 2), {}
    ball = world.sphere(0.05)
    random = np.random.default_rng(3)
    for at in np.ndindex(side):
        bodies[at] = world.add(ball, tuple(float(k) for k in at), mass=mass)
        world.throw(bodies[at], random.normal(size=3))
    for at, body in bodies.items():
        for axis in range(3):
            other = bodies.get(tuple(k + (i == axis) for i, k in enumerate(at)))
            if other is not None:
                joint = world.world.joint.create("distance", body, other, frame(), frame())
                world.world.joint.free_axis(joint, DISTANCE)
                world.world.joint.set_spring(joint, DISTANCE, stiffness, 0.0, 1.0)
    at_first = sum(0.5 * mass * (world.velocity(body) @ world.velocity(body)) for body in bodies.values())
    for _ in range(30):
        world.step(20)
        moving = sum(0.5 * mass * (world.velocity(body) @ world.velocity(body)) for body in bodies.values())
        assert moving < 1.05 * at_first


@pytest.mark.parametrize("substeps", (2, 4, 8, 16))
@pytest.mark.parametrize("stiffness", (10.0, 100.0, 1000.0, 10000.0))
def test_place_and_speed_go_round_together(stiffness, substeps):
    """Hit at rest, a body has its place and its speed at the same time: their amplitude is the same in every tick of 10 s."""
    world, body, _ = sprung(LINEAR_X, stiffness, stretch=0.0, substep_count=substeps)
    omega = math.sqrt(stiffness)
    world.throw(body, (START * omega, 0.0, 0.0))
    most = 1.07 if stiffness == 10000.0 and substeps == 2 else 1.02  # a sub-step is 48 degrees
    before, turned = 1j * START, 0.0
    for tick in range(600):
        world.step()
        now = complex(world.position(body)[0], world.velocity(body)[0] / omega)
        assert 0.98 * START < abs(now) < most * START
        turned += -np.angle(now / before) if tick else 0.0
        before = now
    assert turned / (599 * TICK) == pytest.approx(omega, rel=2e-3)
