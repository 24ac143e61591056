"""Pulleys against Atwood's machine: acceleration, tension, and the length of the rope."""

import numpy as np
import pytest
from small_world import TICK, SmallWorld

from scree.bodies.schema import KINEMATIC


def hang(mass_a: float, mass_b: float, ratio: float = 1.0, sleeps: bool = False, **limits):
    world = SmallWorld(sleeps=sleeps)
    a = world.add(world.box(0.2, 0.2, 0.2), (-2.0, 5.0, 0.0), mass=mass_a)
    b = world.add(world.box(0.2, 0.2, 0.2), (2.0, 5.0, 0.0), mass=mass_b)
    pulley = world.world.pulley.create(a, b, (0, 0, 0), (0, 0, 0), (-2.0, 10.0, 0.0), (2.0, 10.0, 0.0), ratio, **limits)
    return world, a, b, pulley


@pytest.mark.parametrize(("mass_a", "mass_b", "ratio"), [(1.0, 1.0, 1.0), (3.0, 1.0, 1.0), (1.0, 1.0, 2.0), (1.0, 20.0, 1.0)])
def test_atwoods_machine(mass_a, mass_b, ratio):
    """A falls with a, B rises with a / ratio: tension T acts on A, ratio T on B."""
    world, a, b, pulley = hang(mass_a, mass_b, ratio)
    world.step(30)
    # mass_a a = mass_a g - T;  mass_b a / ratio = ratio T - mass_b g
    tension = (mass_a * mass_b * 10.0 * (1.0 + ratio)) / (mass_b + mass_a * ratio**2)
    falls = 10.0 - tension / mass_a
    assert world.velocity(a)[1] == pytest.approx(-falls * 30 * TICK, rel=0.02, abs=0.01)
    assert world.velocity(b)[1] == pytest.approx(falls / ratio * 30 * TICK, rel=0.02, abs=0.01)
    assert pulley.tension == pytest.approx(tension, rel=0.03)
    assert pulley.length == pytest.approx(5.0 + ratio * 5.0, abs=0.01)


def test_a_slack_rope_pulls_nothing_and_a_short_one_is_taut():
    world, a, b, pulley = hang(1.0, 1.0, longest=12.0)
    world.step(20)
    assert world.velocity(a)[1] == pytest.approx(-10.0 * 20 * TICK, rel=0.01) and pulley.tension == 0.0
    world.step(100)
    assert pulley.length == pytest.approx(12.0, abs=0.02) and pulley.tension == pytest.approx(10.0, rel=0.05)


def test_who_hangs_on_the_rope_of_a_mover_wakes():
    world, a, b, _ = hang(1.0, 1.0, sleeps=True)
    world.step(120)
    assert not world.is_awake(a) and not world.is_awake(b), "in balance they come to rest"
    world.throw(a, (0.0, -1.0, 0.0))
    world.step(30)
    assert world.is_awake(b) and world.velocity(b)[1] == pytest.approx(0.5, abs=0.02)


LETS_GO = {
    "removed": lambda world, b, pulley: pulley.remove(),
    "switched off": lambda world, b, pulley: pulley.set_enabled(False),
    "longer by 2 m": lambda world, b, pulley: pulley.set_length(0.0, 12.0),
    "the other body freed": lambda world, b, pulley: world.world.body.destroy(b),
    "the other body taken away": lambda world, b, pulley: world.world.body.set_system(b, 0),
}


@pytest.mark.parametrize("change", LETS_GO)
def test_a_load_that_sleeps_on_a_rope_falls_when_the_rope_lets_go(change):
    """v = g t."""
    world, a, b, pulley = hang(1.0, 1.0, sleeps=True)
    world.step(120)
    assert not world.is_awake(a) and not world.is_awake(b)
    LETS_GO[change](world, b, pulley)
    world.step(12)
    assert world.is_awake(a) and world.velocity(a)[1] == pytest.approx(-10.0 * 12 * TICK, rel=1e-3)


def test_a_shorter_rope_lifts_the_loads_that_sleep_on_it():
    world, a, b, pulley = hang(1.0, 1.0, sleeps=True)
    world.step(120)
    pulley.set_length(0.0, 9.0)
    world.step(120)
    assert world.position(a)[1] + world.position(b)[1] == pytest.approx(11.0, abs=0.02)


def test_a_moving_platform_pulls_a_load_that_sleeps_on_its_rope():
    world = SmallWorld(sleeps=True)
    box = world.box(0.2, 0.2, 0.2)
    a, b = world.add(box, (-2.0, 5.0, 0.0)), world.add(box, (2.0, 5.0, 0.0), KINEMATIC)
    world.world.pulley.create(a, b, (0, 0, 0), (0, 0, 0), (-2.0, 10.0, 0.0), (2.0, 10.0, 0.0))
    world.step(120)
    assert not world.is_awake(a)
    for tick in range(60):
        world.move(b, (2.0, 5.0 - (tick + 1) * TICK, 0.0))
        world.step()
    assert world.position(a)[1] == pytest.approx(6.0, abs=0.02)


def test_a_freed_body_lets_go_of_the_rope():
    world, a, b, pulley = hang(2.0, 1.0)
    world.world.body.destroy(b)
    world.step(30)
    assert world.velocity(a)[1] == pytest.approx(-5.0, rel=0.01)
    pulley.remove()
    assert int(world.row["step"]["listener_count"]) == 0


def test_bad_pulleys_are_refused():
    world, a, b, _ = hang(1.0, 1.0)
    make, places = world.world.pulley.create, ((0, 0, 0), (0, 0, 0), (0, 9, 0), (1, 9, 0))
    with pytest.raises(ValueError, match="ratio"):
        make(a, b, *places, ratio=0.0)
    with pytest.raises(ValueError, match="point_a"):
        make(a, b, (0, 0, np.nan), *places[1:])
    with pytest.raises(ValueError, match="longest"):
        make(a, b, *places, shortest=3.0, longest=1.0)
    with pytest.raises(KeyError):
        make(a + (1 << 40), b, *places)
