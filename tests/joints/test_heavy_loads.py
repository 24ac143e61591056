"""Heavy loads on light links keep their energy: swung, whipped, hung, carried and driven.

The links are balls or bars of 0.2 kg and 50 cm. Beside a load of a hundred times that they have no mass, so a taut chain is a
pendulum of its whole length.
"""

import math

import numpy as np
import pytest
from mechanics import angular_momentum, energy, mass_of
from scipy.integrate import solve_ivp
from small_world import TICK, UPRIGHT, SmallWorld

from scree.bodies.schema import KINEMATIC
from scree.joints.schema import TWIST

ACROSS = (0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0)
"""A basis whose x axis is the world's z axis, back."""
LINK, HALF = 0.2, 0.25
GRAVITY = 10.0
MOST_GAIN, MOST_LOSS = 1.0e-5, 0.01
"""Parts of the energy: of rounding, and of what a tick of a symmetric scheme may give back and a bound takes."""
QUARTER = 1.8540746773
"""Quarter of the period of a pendulum that is let go level, in sqrt(L/g): the complete elliptic integral of k^2 = 1/2."""


def frame(at, basis):
    return (*basis, *at)


class Chain:
    """Light links in a row from the origin, and a load at their end, whose joint is `load_arm` before its middle. They meet
    nothing. `start`: what the first link hangs on; None: nothing."""

    def __init__(
        self, links=2, load=50.0, way=(1.0, 0.0, 0.0), kind="point", load_arm=0.0, shape="ball", start=0, world=None, **settings
    ):  # fmt: skip
        self.world = world or SmallWorld(**settings)
        self.links, self.load, way = links, load, np.array(way)
        basis = UPRIGHT if kind == "point" else ACROSS
        link_shape = self.world.sphere(0.1) if shape == "ball" else self.world.box(*(0.03 + 0.22 * np.abs(way)))
        load_shape = self.world.sphere(0.2)
        self.bodies, self.joints, before, end = [], [], start, np.zeros(3)
        for k in range(links + 1):
            is_load = k == links
            arm = load_arm if is_load else HALF
            shape, mass = (load_shape, load) if is_load else (link_shape, LINK)
            body = self.world.add(shape, tuple(end + arm * way), mass=mass)
            self.world.world.body.set_collision_mask(body, 0)
            if before is not None:
                near = HALF * way if k else np.zeros(3)
                joint = self.world.world.joint.create(kind, before, body, frame(near, basis), frame(-arm * way, basis))
                self.joints.append(joint)
            before, end = body, end + 2.0 * arm * way
            self.bodies.append(body)
        self.length = links * 2.0 * HALF + load_arm

    def energy(self, gravity=GRAVITY):
        return energy(self.world, self.bodies, gravity)

    def place(self):
        return self.world.position(self.bodies[-1])

    def energies(self, ticks, gravity=GRAVITY):
        """Energy after each tick, less that at the start [J]."""
        first, found = self.energy(gravity), []
        for _ in range(ticks):
            self.world.step()
            found.append(self.energy(gravity) - first)
        return np.array(found)


def check_swing(chain, seconds=5.0):
    change = chain.energies(int(seconds / TICK)) / (chain.load * GRAVITY * chain.length)
    assert change.max() < MOST_GAIN
    assert change.min() > -MOST_LOSS


@pytest.mark.parametrize("load", (2.0, 10.0, 50.0, 100.0, 200.0))
@pytest.mark.parametrize("links", (1, 2, 5))
def test_a_load_let_go_level_wins_no_energy(links, load):
    check_swing(Chain(links, load, load_arm=0.01))


@pytest.mark.parametrize("links", (2, 4))
@pytest.mark.parametrize("shape", ("ball", "bar"))
def test_a_load_on_hinges_wins_no_energy(links, shape):
    check_swing(Chain(links, 100.0, kind="hinge", load_arm=0.01, shape=shape))


@pytest.mark.parametrize("substeps", (1, 2, 4, 8))
def test_the_number_of_sub_steps_does_not_matter(substeps):
    check_swing(Chain(2, 100.0, load_arm=0.01, substep_count=substeps))


@pytest.mark.parametrize("load", (10.0, 50.0, 200.0))
def test_a_load_that_whips_its_links_wins_no_energy(load):
    """It tumbles about its edge and jerks the chain taut."""
    chain = Chain(2, load, load_arm=0.25)
    change = chain.energies(600) / (load * GRAVITY * chain.length)
    assert change.max() < MOST_GAIN
    assert change.min() > -0.3


@pytest.mark.parametrize("links, load", ((1, 100.0), (2, 50.0), (2, 200.0), (4, 200.0)))
def test_it_falls_as_a_pendulum(links, load):
    """A quarter of its period, the speed at the bottom, and never out of its circle."""
    chain, at, ticks = Chain(links, load), [], 0
    while not at or chain.place()[0] > 0.0:
        chain.world.step()
        at.append(chain.place())
        ticks += 1
    last, before = at[-1][0], at[-2][0]
    time = TICK * (ticks - last / (last - before))
    assert time == pytest.approx(QUARTER * math.sqrt(chain.length / GRAVITY), rel=0.01)
    speed = np.linalg.norm(chain.world.velocity(chain.bodies[-1]))
    assert speed == pytest.approx(math.sqrt(2.0 * GRAVITY * chain.length), rel=0.01)
    assert np.linalg.norm(at, axis=1) == pytest.approx(chain.length, abs=1e-3 * chain.length)


@pytest.mark.parametrize("links", (1, 3))
def test_it_swings_with_the_period_of_a_pendulum(links):
    angle = 0.1
    chain = Chain(links, 100.0, way=(math.sin(angle), -math.cos(angle), 0.0))
    crossings, before = [], chain.place()[0]
    for tick in range(600):
        chain.world.step()
        now = chain.place()[0]
        if before * now < 0.0:
            crossings.append(TICK * (tick + before / (before - now)))
        before = now
    period = 2.0 * np.diff(crossings).mean()
    expected = 2.0 * math.pi * math.sqrt(chain.length / GRAVITY) * (1.0 + angle * angle / 16.0)
    assert period == pytest.approx(expected, rel=0.005)


@pytest.mark.parametrize("substeps", (1, 4))
@pytest.mark.parametrize("links, load", ((1, 200.0), (2, 50.0), (5, 200.0)))
def test_it_hangs_quietly(links, load, substeps):
    chain = Chain(links, load, way=(0.0, -1.0, 0.0), substep_count=substeps)
    chain.world.throw(chain.bodies[0], (0.0, 0.0, 0.01))
    chain.world.step(300)
    assert chain.place() == pytest.approx((0.0, -chain.length, 0.0), abs=1e-3)
    assert max(np.linalg.norm(chain.world.velocity(body)) for body in chain.bodies) < 0.02
    assert chain.world.world.joint.force(chain.joints[-1]) == pytest.approx((0.0, load * GRAVITY, 0.0), abs=0.01 * load * GRAVITY)


@pytest.mark.parametrize("links", (2, 4))
def test_thrown_in_space_it_keeps_its_momenta_and_its_energy(links):
    chain = Chain(links, 100.0, start=None, load_arm=0.1, gravity=(0.0, 0.0, 0.0))
    world, bodies = chain.world, chain.bodies
    for k, body in enumerate(bodies):
        world.throw(body, (0.0, 3.0 * k, 0.5 * (k % 2)))
    world.step()
    spinning = angular_momentum(world, bodies)
    momentum = sum(mass_of(world.body(body)) * world.velocity(body) for body in bodies)
    change = chain.energies(600, 0.0) / chain.energy(0.0)
    assert change.max() < MOST_GAIN
    assert change.min() > -0.01
    assert np.linalg.norm(angular_momentum(world, bodies) - spinning) < 1e-4 * np.linalg.norm(spinning)
    now = sum(mass_of(world.body(body)) * world.velocity(body) for body in bodies)
    assert np.linalg.norm(now - momentum) < 1e-4 * np.linalg.norm(momentum)


@pytest.mark.parametrize("substeps", (1, 4))
def test_the_work_of_a_motor_is_kept(substeps):
    """100 N m turn a welded arm with a load at its end: spin and energy are those of the torque."""
    world = SmallWorld(gravity=(0.0, 0.0, 0.0), substep_count=substeps)
    link = world.add(world.sphere(0.1), (0.25, 0.0, 0.0), mass=LINK)
    load = world.add(world.sphere(0.2), (0.75, 0.0, 0.0), mass=100.0)
    for body in (link, load):
        world.world.body.set_collision_mask(body, 0)
    hinge = world.world.joint.create("hinge", 0, link, frame((0.0, 0.0, 0.0), ACROSS), frame((-0.25, 0.0, 0.0), ACROSS))
    world.world.joint.create("fixed", link, load, frame((0.25, 0.0, 0.0), UPRIGHT), frame((-0.25, 0.0, 0.0), UPRIGHT))
    world.world.joint.set_motor(hinge, TWIST, -1000.0, 100.0)
    inertia = 0.4 * (LINK * 0.1**2 + 100.0 * 0.2**2) + LINK * 0.25**2 + 100.0 * 0.75**2
    for second in range(1, 7):
        world.step(60)
        assert world.spin(load)[2] == pytest.approx(100.0 / inertia * second, rel=0.005)
        assert energy(world, [link, load]) == pytest.approx(0.5 * (100.0 * second) ** 2 / inertia, rel=0.01)


@pytest.mark.parametrize("substeps", (1, 4))
def test_a_limit_stops_it(substeps):
    """A hinge that ends at 0.5 rad: the arm rests there, and wins nothing."""
    chain = Chain(1, 100.0, kind="hinge", substep_count=substeps)
    chain.world.world.joint.set_limits(chain.joints[0], TWIST, -0.5, 0.5)
    change = chain.energies(300)
    assert change.max() < MOST_GAIN * chain.load * GRAVITY * chain.length
    link = chain.world.position(chain.bodies[0])
    assert abs(math.atan2(link[1], link[0])) == pytest.approx(0.5, abs=2e-3)


@pytest.mark.parametrize("substeps", (2, 4))
def test_it_hangs_on_a_body_that_moves_by_itself(substeps):
    """On a trolley that goes to and fro: a pendulum on a moving point, L t'' = -g sin t - a cos t."""
    world = SmallWorld(substep_count=substeps)
    trolley = world.add(world.sphere(0.1), (0.0, 0.0, 0.0), KINEMATIC)
    world.world.body.set_collision_mask(trolley, 0)
    chain, found = Chain(3, 200.0, way=(0.0, -1.0, 0.0), start=trolley, world=world), []
    for tick in range(120):
        time = TICK * (tick + 1)
        world.move(trolley, (0.1 * time * time, 0.0, 0.0))
        world.step()
        found.append(chain.place() - world.position(trolley))
    times = TICK * np.arange(1, 121)
    rates = lambda _, s: (s[1], -(GRAVITY * math.sin(s[0]) + 0.2 * math.cos(s[0])) / chain.length)  # noqa: E731
    angles = solve_ivp(rates, (0.0, 2.0), (0.0, 0.0), t_eval=times, rtol=1e-9, atol=1e-12).y[0]
    assert np.array(found)[:, 0] == pytest.approx(chain.length * np.sin(angles), abs=1e-3)
    assert np.linalg.norm(found, axis=1) == pytest.approx(chain.length, abs=1e-3)


def trees_of(world):
    pools = world.world.system(world.system)._pools
    return next(pool for pool in pools if pool.name == "joint trees").rows[: int(world.row["joints"]["tree_count"])]


@pytest.mark.parametrize("load, is_heavy", ((1.5, False), (2.0, True)))
def test_ordinary_trees_take_their_sub_steps_whole(load, is_heavy):
    """From eight times a link's mass on."""
    chain = Chain(3, load)
    chain.world.step()
    assert [bool(tree["is_heavy"]) for tree in trees_of(chain.world)] == [is_heavy]


def test_threads_give_the_same_bits():
    places = []
    for threads in (1, 2):
        world = SmallWorld(threads=threads)
        chains = [Chain(2, 10.0 * (k + 1), load_arm=0.1, world=world) for k in range(8)]
        world.step(120)
        places.append([world.body(body).tobytes()[:96] for chain in chains for body in chain.bodies])
        assert len(set(places[-1])) == 24
    assert [p[8:56] for p in places[0]] == [p[8:56] for p in places[1]]
