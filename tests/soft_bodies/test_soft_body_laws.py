"""Soft bodies against closed forms and refinement: stretch, momentum, pressure, weights, energy."""

import numpy as np
import pytest
from soft_world import TICK, SoftWorld, ball, energy, grid


def hang(substep_count: int = 4, precision: int = 5, stiffness: float = 400.0) -> float:
    """How far the lowest row of a cloth of 1 m and 1 kg sinks [m]."""
    world = SoftWorld(substep_count=substep_count)
    cloth = world.soft(grid(21, 21, 1.0, 1.0, is_upright=True), mass=1.0, stiffness=stiffness)
    cloth.set_precision(precision)
    cloth.pin(np.arange(21))
    cloth.set_setting("damping", 3.0)
    world.step(400)
    return float(-0.5 - cloth.positions[-21:, 1].mean())


def column_stretch(count: int, stiffness: float, mass: float) -> float:
    """Stretch of a column of `count` springs in a row, whose masses hang from its joints: each spring carries what is below."""
    below = mass / count * (np.arange(count) + 0.5)
    return float((10.0 * below / stiffness).sum())


def test_a_column_stretches_as_its_springs_say():
    """A pinned particle, and others below it at the corners of flat triangles: a row of springs."""
    world = SoftWorld()
    vertices = [(0.0, -0.1 * k, 0.0) for k in range(4)]
    cloth = world.soft((vertices, [(0, 1, 2), (1, 2, 3)]), mass=1.0, stiffness=300.0)
    cloth.pin([0])
    cloth.set_setting("damping", 5.0)
    world.step(400)
    y, masses = cloth.positions[:, 1], cloth.masses
    # The twin: minimise elastic and potential energy by Newton steps along the line.
    place = np.array(vertices)[:, 1].copy()
    rows = cloth._arrays["edges"]
    for _ in range(50):
        force, slope = -10.0 * masses, np.zeros((4, 4))
        for a, b, rest, compliance in rows.tolist():
            size = abs(place[a] - place[b])
            pull = (size - rest) / compliance * np.sign(place[b] - place[a])
            force[a] += pull
            force[b] -= pull
            for i, j, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
                slope[i, j] += sign / compliance
        place[1:] += np.linalg.solve(slope[1:, 1:], force[1:])
    assert y == pytest.approx(place, rel=1e-3)


def test_a_hanging_cloth_is_the_same_for_1_4_and_16_substeps():
    sunk = [hang(substep_count=count) for count in (1, 4, 16)]
    assert max(sunk) < 1.03 * min(sunk)


def test_a_hanging_cloth_stretches_as_one_that_is_solved_ten_times_finer():
    assert hang() == pytest.approx(hang(precision=50), rel=0.03)


def test_a_hanging_cloth_stretches_between_its_columns_alone_and_twice_as_stiff():
    """The diagonals carry a part of the weight: at most half of it, as they are not steeper than the columns."""
    alone = column_stretch(20, 400.0 * 21, 1.0)
    assert 0.5 * alone < hang() < alone


def test_momentum_of_a_free_cloth_is_kept():
    world = SoftWorld(gravity=(0.0, 0.0, 0.0))
    cloth = world.soft(grid(11, 11, 1.0, 1.0), mass=1.0, stiffness=400.0, bending=20.0)
    cloth.set_velocities(np.random.default_rng(1).normal(size=(121, 3)) + (1.0, 2.0, 3.0))
    before = (cloth.masses[:, None] * cloth.velocities).sum(axis=0)
    world.step(600)
    assert (cloth.masses[:, None] * cloth.velocities).sum(axis=0) == pytest.approx(before, rel=1e-9)


def test_momentum_is_shared_with_a_rigid_body():
    world = SoftWorld(gravity=(0.0, 0.0, 0.0))
    cloth = world.soft(grid(11, 11, 2.0, 2.0), mass=1.0, stiffness=500.0)
    box = world.add(world.box(0.3, 0.3, 0.3), (0.1, 0.6, 0.05), mass=3.0)
    world.throw(box, (0.5, -4.0, 0.0))
    world.step(120)
    total = (cloth.masses[:, None] * cloth.velocities).sum(axis=0) + 3.0 * world.velocity(box)
    assert world.velocity(box)[1] > -3.9, "it was slowed"
    assert total == pytest.approx((1.5, -12.0, 0.0), abs=12.0 * 1e-4)


@pytest.mark.parametrize("pressure", [5.0, 20.0])
def test_pressure_times_volume_is_constant(pressure):
    """At rest the pressure is in balance with the edges: their virial is three times p V."""
    world = SoftWorld(gravity=(0.0, 0.0, 0.0))
    soft = world.soft(ball(0.5), mass=1.0, stiffness=200.0)
    soft.set_setting("pressure", pressure)
    soft.set_setting("damping", 5.0)
    world.step(500)
    rows, at = soft._arrays["edges"], soft.positions
    lengths = np.linalg.norm(at[rows["a"]] - at[rows["b"]], axis=1)
    stiff = np.isfinite(rows["compliance"])
    virial = ((lengths - rows["rest"])[stiff] / rows["compliance"][stiff] * lengths[stiff]).sum()
    assert virial == pytest.approx(3.0 * pressure, rel=0.02)
    assert soft.volume > 1.02 * soft.layout.volume


def test_a_weight_stretches_a_pinned_cloth_as_the_cloth_solved_finer():
    depths = []
    for precision in (5, 20):
        world = SoftWorld()
        cloth = world.soft(grid(21, 21, 2.0, 2.0), mass=1.0, stiffness=3000.0)
        at = cloth.layout.positions
        cloth.pin(np.flatnonzero(np.abs(at[:, [0, 2]]).max(axis=1) > 0.99))
        cloth.set_precision(precision)
        cloth.set_setting("damping", 4.0)
        box = world.add(world.box(0.3, 0.3, 0.3), (0.0, 0.33, 0.0), mass=10.0)
        world.step(400)
        assert np.linalg.norm(world.velocity(box)) < 0.2
        depths.append(0.3 - world.position(box)[1])
    assert depths[0] == pytest.approx(depths[1], rel=0.1) and 0.1 < depths[1] < 0.6


def test_a_swinging_cloth_wins_no_energy():
    world = SoftWorld()
    cloth = world.soft(grid(11, 11, 1.0, 1.0), (0.0, 1.0, 0.0), mass=1.0, stiffness=300.0)
    cloth.pin(np.arange(11))
    most = energy(cloth)
    for _ in range(40):
        world.step(25)
        assert energy(cloth) <= most + 1e-6
        most = min(most, energy(cloth) + 0.05)


def test_a_lying_cloth_wins_no_energy_and_falls_asleep():
    world = SoftWorld(sleeps=True)
    world.floor()
    world.add(world.sphere(0.4), (0.0, 0.4, 0.0), mode=0)
    cloth = world.soft(grid(15, 15, 1.5, 1.5), (0.0, 1.0, 0.0), mass=1.0, stiffness=300.0)
    cloth.set_setting("damping", 1.0)
    start = energy(cloth)
    for _ in range(60):
        world.step(10)
        assert energy(cloth) <= start + 1e-6
    world.step(900)
    assert cloth.is_sleeping
    at = cloth.positions.copy()
    world.step(60)
    assert np.array_equal(at, cloth.positions)


def test_it_wakes_when_what_it_lies_on_goes():
    world = SoftWorld(sleeps=True)
    block = world.add(world.box(1.0, 0.5, 1.0), (0.0, -0.5, 0.0), mode=0)
    cloth = world.soft(grid(6, 6, 1.0, 1.0), (0.0, 0.03, 0.0), mass=1.0, stiffness=300.0)
    world.step(120)
    assert cloth.is_sleeping
    world.world.body.destroy(block)
    world.step(60)
    assert not cloth.is_sleeping and cloth.positions[:, 1].max() < -1.0


def test_a_free_cloth_falls_as_a_stone():
    world = SoftWorld()
    cloth = world.soft(grid(6, 6, 1.0, 1.0), mass=1.0, stiffness=300.0)
    world.step(60)
    assert cloth.positions[:, 1] == pytest.approx(np.full(36, -5.0), abs=5.0 * TICK)
