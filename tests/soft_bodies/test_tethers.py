"""Tethers of cloth to its nearest pins: against twins, loads, moving pins, energy, threads and saved states."""

import heapq
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from soft_world import TICK, SoftWorld, energy, grid
from test_strips import random_mesh

import scree
from scree.runtime.kernel import entry_point
from scree.runtime.memory import view
from scree.soft_bodies.nearest_pins import nearest_pins
from scree.soft_bodies.schema import SOFT_BODY, STRIP
from scree.soft_bodies.tethers import hold_by_pins, hold_by_skin


def nearest_by_dijkstra(pairs, rests, pins, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The twin of `nearest_pins`: particles one by one, the nearest first."""
    around = [[] for _ in range(count)]
    for (a, b), rest in zip(pairs.tolist(), rests.tolist(), strict=True):
        around[a].append((b, rest))
        around[b].append((a, rest))
    ways, nearest, waiting = np.full(count, np.inf), np.zeros(count, int), [(0.0, pin, pin) for pin in pins.tolist()]
    while waiting:
        way, pin, particle = heapq.heappop(waiting)
        if math.isinf(ways[particle]):
            ways[particle], nearest[particle] = way, pin
            for other, rest in around[particle]:
                heapq.heappush(waiting, (way + rest, pin, other))
    return nearest, ways


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), count=st.integers(4, 600), pin_count=st.integers(0, 5))
def test_the_nearest_pin_is_that_of_dijkstra(seed, count, pin_count):
    dice = np.random.default_rng(seed)
    positions, pairs, _ = random_mesh(seed, count)
    rests, pins = dice.uniform(0.0, 1.0, len(pairs)), np.sort(dice.choice(len(positions), min(pin_count, len(positions)), False))
    found, expected = [f(pairs, rests, pins, len(positions)) for f in (nearest_pins, nearest_by_dijkstra)]
    assert np.array_equal(found[0], expected[0]) and found[1] == pytest.approx(expected[1], rel=1e-12)


@entry_point("void(int64, float64)")
def hold_once(address, left):
    soft = view(address, 1, SOFT_BODY)[0]
    strips = view(soft.strips, soft.strip_count, STRIP)
    for k in range(soft.strip_count):
        hold_by_pins(soft, strips[k].place_begin, strips[k].place_end, left)
        hold_by_skin(soft, strips[k].place_begin, strips[k].place_end, left)


def held(places, centres, lengths, is_free) -> np.ndarray:
    """The twin: free particles that are farther than `lengths` [m] from `centres` are put on the spheres around them."""
    way = places - centres
    distance = np.linalg.norm(way, axis=1)
    is_far = (distance > lengths) & is_free
    scaled = way * (np.where(is_far, lengths, 1.0) / np.where(is_far, distance, 1.0))[:, None]
    return np.where(is_far[:, None], centres + scaled, places)


@settings(max_examples=20, deadline=None)
@given(columns=st.integers(2, 45), rows=st.integers(2, 45), left=st.floats(0.0, TICK), seed=st.integers(0, 1000))
def test_particles_are_held_as_by_the_twin(columns, rows, left, seed):
    dice = np.random.default_rng(seed)
    cloth = SoftWorld().soft(grid(columns, rows, 1.0, 1.0), mass=1.0)
    n, arrays, order = columns * rows, cloth._arrays, cloth._arrays["order"]
    cloth.pin(dice.choice(n, 2, replace=False))
    cloth.set_tethers(0.0)
    cloth.row["time"] = TICK
    moved = cloth.positions + dice.normal(0.0, 0.2, (n, 3))
    cloth.skin(moved + dice.normal(0.0, 0.1, (n, 3)), np.where(dice.random(n) < 0.5, np.inf, dice.uniform(0.0, 0.2, n)))
    arrays["velocities"][cloth.pins] = dice.normal(size=(2, 3))
    arrays["skin_starts"][:] = arrays["skins"] + dice.normal(0.0, 0.1, (n, 3))
    arrays["places"][:n, :3], arrays["places"][:n, 3] = moved[order], arrays["inverse_masses"][order]
    hold_once(cloth.address, left)
    is_free, anchors = arrays["inverse_masses"] > 0.0, arrays["anchors"]
    pins_at = (arrays["targets"] - left * arrays["velocities"])[anchors]
    expected = held(moved, pins_at, arrays["tether_lengths"], is_free)
    centres = arrays["skins"] + (arrays["skin_starts"] - arrays["skins"]) * (left / TICK)
    expected = held(expected, centres, arrays["reaches"], is_free)
    assert arrays["places"][:n, :3] == pytest.approx(expected[order], rel=1e-12, abs=1e-12)


def farthest(cloth) -> float:
    """How far a particle is from its nearest pin, at most, as a multiple of the way along the edges."""
    edges = cloth.layout.edges[~cloth.layout.is_bend]
    pairs = np.stack((edges["a"], edges["b"]), axis=1)
    pins, ways = nearest_by_dijkstra(pairs, edges["rest"], cloth.pins, len(cloth.masses))
    way = np.linalg.norm(cloth.positions - cloth.positions[pins], axis=1)
    there = (ways > 0.0) & np.isfinite(ways)
    return float((way[there] / ways[there]).max())


def loaded(slack: float | None) -> float:
    """How far a cloth of 1 kg that hangs by two corners stretches under 50 kg along its lower edge, with few small steps."""
    world = SoftWorld()
    cloth = world.soft(grid(21, 21, 1.0, 1.0, is_upright=True), mass=1.0, stiffness=2000.0)
    cloth.set_precision(2)
    cloth.pin([0, 20])
    cloth.set_tethers(slack)
    for _ in range(180):
        cloth.apply_forces(np.arange(420, 441), (0.0, -500.0 / 21.0, 0.0))
        world.step(1)
    assert slack is None or np.abs(cloth.velocities).max() < 0.05, "it hangs still"
    return farthest(cloth)


def test_a_heavy_load_stretches_a_tethered_cloth_by_its_slack():
    assert loaded(None) > 3.0
    for slack in (0.0, 0.02):
        assert loaded(slack) == pytest.approx(1.0 + slack, rel=1e-12)


@pytest.mark.parametrize(("slack", "least", "most"), [(None, 1.3, 3.0), (0.02, 1.02, 1.05)])
def test_a_heavy_box_lies_on_a_tethered_cloth(slack, least, most):
    """Contacts come after tethers, so the box presses particles a little beyond their lengths."""
    world = SoftWorld()
    cloth = world.soft(grid(31, 31, 2.0, 2.0), mass=1.0, stiffness=2000.0)
    cloth.pin(np.flatnonzero(np.abs(cloth.positions[:, 0]) > 0.99))
    cloth.set_tethers(slack)
    box = world.add(world.box(0.3, 0.1, 0.3), (0.0, 0.2, 0.0), mass=50.0)
    world.step(240)
    assert least < farthest(cloth) < most and world.position(box)[1] < -0.1
    assert slack is None or np.linalg.norm(world.velocity(box)) < 0.2


def swinging(slack: float | None, stiffness: float = 2000.0, pins=(0, 10)):
    """A lying cloth that swings down from two corners."""
    world = SoftWorld()
    cloth = world.soft(grid(11, 11, 1.0, 1.0), mass=1.0, stiffness=stiffness, bending=5.0)
    cloth.pin(list(pins))
    cloth.set_tethers(slack)
    return world, cloth


@pytest.mark.parametrize("pins", [(0, 10), ()])
def test_where_nothing_is_beyond_its_length_tethers_change_no_bit(pins):
    (world, cloth), (other, tethered) = swinging(None, pins=pins), swinging(0.5, pins=pins)
    for _ in range(120):
        world.step(1)
        other.step(1)
        assert np.array_equal(cloth.positions, tethered.positions) and np.array_equal(cloth.velocities, tethered.velocities)
    if pins:
        assert 0.9 < farthest(cloth) < 1.5


def test_a_cloth_without_pins_has_no_tethers_and_keeps_its_momentum():
    world = SoftWorld(gravity=(0.0, 0.0, 0.0))
    cloth = world.soft(grid(11, 11, 1.0, 1.0), mass=1.0, stiffness=400.0)
    cloth.set_tethers(0.0)
    cloth.set_velocities(np.random.default_rng(1).normal(size=(121, 3)) + (1.0, 2.0, 3.0))
    before = (cloth.masses[:, None] * cloth.velocities).sum(axis=0)
    world.step(120)
    assert np.isinf(cloth._arrays["tether_lengths"]).all()
    assert (cloth.masses[:, None] * cloth.velocities).sum(axis=0) == pytest.approx(before, rel=1e-9)


@pytest.mark.parametrize("stiffness", [20.0, 2000.0])
def test_tethers_bring_no_energy(stiffness):
    world, cloth = swinging(0.0, stiffness)
    most = energy(cloth)
    for _ in range(300):
        world.step(1)
        assert energy(cloth) <= most + 1e-6
        assert farthest(cloth) <= 1.0 + 1e-12
    assert energy(cloth) < most - 0.5


def test_pins_that_move_drag_the_cloth_along():
    world = SoftWorld()
    cloth = world.soft(grid(21, 21, 1.0, 1.0, is_upright=True), mass=1.0, stiffness=50.0)
    cloth.set_precision(1)
    cloth.pin([0, 20])
    cloth.set_tethers(0.02)
    lengths, anchors, start = cloth._arrays["tether_lengths"], cloth._arrays["anchors"], cloth.positions[[0, 20]].copy()
    for k in range(120):
        cloth.lead_pins([0, 20], start + 5.0 * TICK * (k + 1) * np.array((0.6, 0.0, 0.8)))
        world.step(1)
        way = np.linalg.norm(cloth.positions - cloth.positions[anchors], axis=1)
        assert (way <= lengths + 1e-6).all()
    assert cloth.positions[:, 2].min() > 6.0


def test_tethers_follow_pins_rest_lengths_and_slack():
    cloth = SoftWorld().soft(grid(11, 3, 1.0, 0.2), mass=1.0, stiffness=100.0)
    assert cloth.tethers is None
    lengths = cloth._arrays["tether_lengths"]
    cloth.set_tethers(0.1)
    assert cloth.tethers == 0.1 and np.isinf(lengths).all()
    cloth.pin([0])
    assert lengths[[0, 1, 10]] == pytest.approx((0.0, 0.11, 1.1))
    cloth.pin([9])
    assert lengths[10] == pytest.approx(0.11) and cloth._arrays["anchors"][10] == 9
    cloth.set_stiffness(100.0, 0.0, scale=0.5)
    assert lengths[10] == pytest.approx(0.055)
    cloth.unpin([9])
    assert lengths[10] == pytest.approx(0.55)
    cloth.set_tethers(None)
    assert cloth.tethers is None


def large(threads: int):
    """A cloth of several strips with tethers and a skin, whose pins and targets move."""
    world = SoftWorld(threads=threads)
    cloth = world.soft(grid(45, 45, 1.5, 1.5), mass=1.0, stiffness=50.0)
    cloth.set_precision(2)
    cloth.pin([0, 44])
    cloth.set_tethers(0.01)
    rest, reach = cloth.positions.copy(), np.full(45 * 45, np.inf)
    reach[45 * 30 :] = np.linspace(0.0, 0.3, 45 * 15)
    return world, cloth, rest, reach


@pytest.mark.parametrize("threads", [2, 4])
def test_threads_give_the_same_bits(threads):
    ends, shared = [], 0
    for count in (1, threads):
        world, cloth, rest, reach = large(count)
        assert len(cloth.layout.parts.strips) > 1
        for k in range(40):
            moved = rest + (0.05 * k, 0.02 * k, 0.0)
            cloth.lead_pins([0, 44], moved[[0, 44]])
            cloth.skin(moved, reach)
            shared += world.step_shared()
        ends.append((cloth.positions.tobytes(), cloth.velocities.tobytes()))
    assert shared > 0 and ends[0] == ends[1]


def test_a_restored_space_goes_on_with_the_same_bits():
    space = scree.World(threads=1).add_space(gravity=(0, -10, 0))
    vertices, triangles = grid(11, 11, 1.0, 1.0)
    cloth = space.add_soft_body(vertices, triangles, mass=1.0, stiffness=50.0, precision=1, pins=[0, 10], tethers=0.0)
    reach, runs = np.where(np.arange(121) > 100, 0.1, np.inf), []
    cloth.skin(vertices, reach)
    for _ in range(10):
        space.step(TICK)
    cloth.skin(vertices + (0.0, 0.1, 0.0), reach)
    state = space.save()
    for _ in range(2):
        states = []
        for k in range(30):
            space.step(TICK)
            states.append((space.hash(), cloth.positions.tobytes(), cloth.velocities.tobytes()))
            if k == 10:
                cloth.pin([50])
                cloth.set_tethers(0.1)
                cloth.skin(vertices, np.full(121, np.inf))
        runs.append(states)
        space.restore(state)
        assert cloth.tethers == 0.0
    assert runs[0] == runs[1]


@pytest.mark.parametrize("slack", [-0.1, math.nan, math.inf, "tight", True, (0.1, 0.2)])
def test_a_bad_slack_is_named_and_changes_nothing(slack):
    cloth = SoftWorld().soft(grid(3, 3, 1.0, 1.0), mass=1.0)
    cloth.set_tethers(0.1)
    with pytest.raises(ValueError, match="^tethers: .*(tethers|slack).*got"):
        cloth.set_tethers(slack)
    assert cloth.tethers == 0.1
