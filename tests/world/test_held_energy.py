"""Bodies on joints get no energy from continuous collision: neither from contacts ahead of time nor from being held back."""

from itertools import pairwise

import numpy as np
import pytest
from mechanics import energy
from small_world import TICK, SmallWorld

from tests.bodies.mass_twin import rotation_matrix

ABOUT_Y = (0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0)
"""A basis whose x axis, the one of hinges, is the world's y axis."""
ABOUT_Z = (0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0)
MOST_GAIN = 0.01
"""Part of the energy at first that joints may get wrong."""


def hinge(world: SmallWorld, a: int, b: int, on_a, on_b, basis) -> int:
    """A hinge between bodies, or a body and the world (`b` is 0)."""
    return world.world.joint.create("hinge", a, b, (*basis, *map(float, on_a)), (*basis, *map(float, on_b)))


def ball(world: SmallWorld, at, velocity, bounce: float = 0.0, mass: float = 1.0) -> int:
    body = world.add(world.sphere(0.05), at, mass=mass, restitution=bounce)
    world.world.body.set_continuous(body, True)
    world.throw(body, velocity)
    return body


def door(world: SmallWorld, at: float, side: float, bounce: float = 0.0) -> int:
    """A door of 1 m whose post is at `at` on the x axis; it hangs to the `side` of it, -1 or 1."""
    body = world.add(world.box(0.48, 1.0, 0.02), (at + 0.5 * side, 0.0, 0.0), mass=20.0, restitution=bounce)
    hinge(world, body, 0, (-0.5 * side, 0.0, 0.0), (at, 0.0, 0.0), ABOUT_Y)
    return body


def end_of(world: SmallWorld, body: int, side: float) -> np.ndarray:
    """Where an end of a plank is [m]. `side`: -0.5 or 0.5."""
    return world.position(body) + rotation_matrix(world.body(body)["rotation"].astype(float)) @ [side, 0.0, 0.0]


def bridge(world: SmallWorld, count: int, is_closed: bool = True) -> list[int]:
    """Planks of 1 m and 10 kg on hinges; the world holds the first, and the last if the bridge `is_closed`."""
    plank = world.box(0.48, 0.05, 0.5)
    planks = [world.add(plank, (float(k), 0.0, 0.0), mass=10.0) for k in range(count)]
    hinge(world, planks[0], 0, (-0.5, 0, 0), (-0.5, 0, 0), ABOUT_Z)
    for a, b in pairwise(planks):
        hinge(world, a, b, (0.5, 0, 0), (-0.5, 0, 0), ABOUT_Z)
    if is_closed:
        hinge(world, planks[-1], 0, (0.5, 0, 0), (count - 0.5, 0, 0), ABOUT_Z)
    return planks


def check(world: SmallWorld, bodies, ticks: int = 120) -> None:
    """Step; no step brings energy."""
    first = before = energy(world, bodies)
    for _ in range(ticks):
        world.step()
        now = energy(world, bodies)
        assert now < before + MOST_GAIN * first
        before = now
    assert before < (1.0 + MOST_GAIN) * first


@pytest.mark.parametrize("bounce", (0.0, 0.5, 1.0))
@pytest.mark.parametrize("speed", (40.0, 100.0, 200.0))
def test_doors_hit_from_both_sides(speed, bounce):
    """Two doors that nearly meet, and a ball at each: they swing, hit again and meet."""
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    bodies = [door(world, 0.0, 1.0, bounce), door(world, 2.0, -1.0, bounce)]
    bodies.append(ball(world, (0.8, 0.1, -3.0), (0.0, 0.0, speed), bounce))
    bodies.append(ball(world, (1.3, 0.1, 4.0), (0.0, 0.0, -speed), bounce))
    check(world, bodies)


@pytest.mark.parametrize("bounce", (0.0, 0.5, 1.0))
@pytest.mark.parametrize("speed", (40.0, 100.0, 200.0))
def test_a_bridge_hit_from_above_and_below(speed, bounce):
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    bodies = bridge(world, 12)
    bodies.append(ball(world, (3.2, 3.0, 0.1), (0.0, -speed, 0.0), bounce))
    bodies.append(ball(world, (7.4, -4.0, 0.0), (0.0, speed, 0.0), bounce))
    check(world, bodies)


@pytest.mark.parametrize("spin", (0.0, 6.0, 12.0))
def test_a_chain_is_not_torn_by_what_stops_one_of_its_links(spin):
    """A ball throws the last of twelve planks, which hang on the world at one end, against a crate that turns slowly. What
    stops a body on its way takes it along for the rest of the step; the other planks, up to 11 m away, do not turn
    with the crate."""
    world = SmallWorld(gravity=(0.0, 0.0, 0.0))
    planks = bridge(world, 12, is_closed=False)
    thrown = ball(world, (11.2, 0.8 + 200.0 * TICK, 0.0), (0.0, -200.0, 0.0), mass=10.0)
    crate = world.add(world.box(0.3, 0.3, 0.3), (11.0, -0.5, 0.0), mass=500.0)
    world.turn(crate, (0.0, 0.0, spin))
    first = energy(world, [*planks, thrown, crate])
    widest = 0.0
    for _ in range(20):
        world.step()
        widest = max(widest, *(np.linalg.norm(end_of(world, a, 0.5) - end_of(world, b, -0.5)) for a, b in pairwise(planks)))
        assert energy(world, [*planks, thrown, crate]) < (1.0 + MOST_GAIN) * first
    assert widest < 0.04
