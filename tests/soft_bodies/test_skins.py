"""Skinned cloth: how far particles may be from targets that the caller moves."""

import math

import numpy as np
import pytest
from soft_world import TICK, SoftWorld, grid


def turned(points: np.ndarray, angle: float) -> np.ndarray:
    """Points (n, 3), turned about the y axis by an angle [rad]."""
    c, s = math.cos(angle), math.sin(angle)
    return points @ np.array([(c, 0.0, -s), (0.0, 1.0, 0.0), (s, 0.0, c)])


def test_a_cape_on_turning_shoulders_stays_within_its_reach():
    world = SoftWorld()
    cape = world.soft(grid(13, 17, 0.6, 1.2, is_upright=True), (0.0, 0.6, 0.2), mass=0.5, stiffness=200.0, bending=1.0)
    rest, rows = cape.positions.copy(), np.arange(13 * 17) // 13
    reach = np.where(rows == 16, np.inf, 0.02 * rows)
    angle, swung = 0.0, 0.0
    for k in range(180):
        angle += 6.0 * math.sin(0.1 * k) * TICK
        targets = turned(rest, angle)
        cape.skin(targets, reach)
        world.step(1)
        way = np.linalg.norm(cape.positions - targets, axis=1)
        assert (way <= reach + 1e-9).all()
        assert np.array_equal(cape.positions[rows == 0], targets[rows == 0])
        swung = max(swung, way[rows == 15].max())
    assert swung == pytest.approx(0.3, rel=1e-6), "the hem swings as far as it may"
    assert np.array_equal(cape.pins, np.flatnonzero(rows == 0))


def test_free_particles_do_not_notice_a_skin():
    falls = []
    for is_skinned in (False, True):
        world = SoftWorld()
        cloth = world.soft(grid(5, 5, 1.0, 1.0), mass=1.0, stiffness=0.0)
        reach = np.where(np.arange(25) < 5, 0.1, np.inf)
        for _ in range(30):
            if is_skinned:
                cloth.skin(cloth.layout.positions, reach)
            world.step(1)
        falls.append(cloth.positions[5:].tobytes())
    assert falls[0] == falls[1]
    assert np.linalg.norm(cloth.positions[:5] - cloth.layout.positions[:5], axis=1) == pytest.approx(np.full(5, 0.1))


@pytest.mark.parametrize("substep_count", [1, 4])
def test_targets_move_evenly_during_a_step(substep_count):
    world = SoftWorld(gravity=(0.0, 0.0, 0.0), substep_count=substep_count)
    cloth = world.soft(grid(4, 4, 1.0, 1.0), mass=1.0, stiffness=100.0)
    velocity, reach = np.array((1.0, 2.0, -3.0)), np.where(np.arange(16) % 2, 0.0, 1e-9)
    for k in range(5):
        cloth.skin(cloth.layout.positions + velocity * TICK * (k + 1), reach)
        world.step(1)
        assert cloth.velocities == pytest.approx(np.broadcast_to(velocity, (16, 3)), abs=1e-4)


def test_a_new_target_begins_where_the_particle_is():
    world = SoftWorld(gravity=(0.0, 0.0, 0.0))
    cloth = world.soft(grid(4, 4, 1.0, 1.0), mass=1.0, stiffness=0.0)
    cloth.skin(cloth.layout.positions + (0.5, 0.0, 0.0), np.full(16, 0.1))
    world.step(1)
    assert cloth.positions - cloth.layout.positions == pytest.approx(np.broadcast_to((0.4, 0.0, 0.0), (16, 3)))
    assert cloth.velocities[:, 0] == pytest.approx(np.full(16, 0.5 / TICK), rel=1e-6)


def test_a_reach_of_0_pins_and_another_one_lets_go():
    world = SoftWorld()
    cloth = world.soft(grid(4, 4, 1.0, 1.0), mass=1.0, stiffness=100.0)
    cloth.set_tethers(0.0)
    reach = np.full(16, np.inf)
    reach[:4] = 0.0
    cloth.skin(cloth.layout.positions, reach)
    assert cloth.pins.tolist() == [0, 1, 2, 3] and np.isfinite(cloth._arrays["tether_lengths"]).all()
    world.step(30)
    assert np.array_equal(cloth.positions[:4], cloth.layout.positions[:4])
    cloth.pin([9])
    cloth.skin(cloth.layout.positions, np.full(16, np.inf))
    assert cloth.pins.tolist() == [9], "a pin of its own stays"
    world.step(30)
    assert cloth.positions[:4, 1].max() < -0.05


def test_contacts_come_after_a_skin():
    world = SoftWorld(gravity=(0.0, 0.0, 0.0))
    world.add(world.box(1.0, 1.0, 1.0), (0.0, -1.0, 0.0), mode=0)
    cloth = world.soft(grid(9, 9, 0.5, 0.5), (0.0, 0.1, 0.0), mass=0.5, stiffness=100.0)
    cloth.skin(cloth.layout.positions - (0.0, 0.3, 0.0), np.full(81, 0.05))
    world.step(60)
    assert cloth.positions[:, 1] == pytest.approx(np.full(81, cloth.row["radius"]), abs=1e-3)


def test_targets_that_suddenly_move_do_not_pull_particles_into_a_body():
    world = SoftWorld(gravity=(0.0, 0.0, 0.0))
    world.add(world.box(1.0, 1.0, 1.0), (0.0, -1.0, 0.0), mode=0)
    cloth = world.soft(grid(9, 9, 0.5, 0.5), (0.0, 0.6, 0.0), mass=0.5, stiffness=100.0)
    cloth.skin(cloth.layout.positions - (0.0, 0.9, 0.0), np.full(81, 0.05))  # at 54 m/s
    world.step(1)
    assert cloth.positions[:, 1] == pytest.approx(np.full(81, cloth.row["radius"]), abs=1e-3)


def test_the_same_targets_again_let_it_sleep_and_others_wake_it():
    world = SoftWorld(sleeps=True)
    cloth = world.soft(grid(5, 5, 0.5, 0.5), mass=0.5, stiffness=100.0)
    cloth.set_setting("damping", 5.0)
    reach = np.full(25, 0.05)
    for _ in range(240):
        cloth.skin(cloth.layout.positions, reach)
        world.step(1)
    assert cloth.is_sleeping
    cloth.skin(cloth.layout.positions + (0.0, 0.2, 0.0), reach)
    world.step(1)
    assert not cloth.is_sleeping and cloth.positions[:, 1] == pytest.approx(np.full(25, 0.15), abs=1e-6)


def test_a_cloth_that_is_moved_takes_its_targets_along():
    world = SoftWorld(gravity=(0.0, 0.0, 0.0))
    cloth = world.soft(grid(4, 4, 1.0, 1.0), mass=1.0, stiffness=100.0)
    cloth.skin(cloth.layout.positions, np.full(16, 0.01))
    world.step(1)
    cloth.move(np.eye(3), (5.0, 0.0, 0.0))
    world.step(10)
    assert cloth.positions == pytest.approx(cloth.layout.positions + (5.0, 0.0, 0.0)) and np.abs(cloth.velocities).max() < 1e-5


def test_a_particle_that_is_moved_comes_back_evenly():
    world = SoftWorld(gravity=(0.0, 0.0, 0.0))
    cloth = world.soft(grid(4, 4, 1.0, 1.0), mass=1.0, stiffness=0.0)
    cloth.skin(cloth.layout.positions, np.full(16, 0.01))
    world.step(1)
    cloth.move_particles([5], cloth.positions[5:6] + (0.0, 0.3, 0.0))
    world.step(1)
    assert cloth.positions[5] == pytest.approx(cloth.layout.positions[5] + (0.0, 0.01, 0.0))
    assert cloth.velocities[5] == pytest.approx((0.0, -0.3 / TICK, 0.0))


PLACES, REACH = np.zeros((9, 3)), np.full(9, 0.1)


@pytest.mark.parametrize(
    ("targets", "reach", "message"),
    [
        (PLACES[:8], REACH, r"targets must be of shape \(9, 3\), got \(8, 3\)"),
        (PLACES * math.nan, REACH, "targets must be finite"), ("here", REACH, "targets must be numbers"),
        (PLACES, 0.1, r"reach must be of shape \(9\), got \(\)"), (PLACES, REACH[:8], "reach must be of shape"),
        (PLACES, -REACH, "reach must be at least 0, got -0.1"), (PLACES, REACH * math.nan, "reach must be at least 0, got nan"),
        (PLACES, None, "reach must be"),
    ],
)  # fmt: skip
def test_bad_input_is_named_and_changes_nothing(targets, reach, message):
    cloth = SoftWorld().soft(grid(3, 3, 1.0, 1.0), mass=1.0)
    before = {name: rows.tobytes() for name, rows in cloth._arrays.items()}
    with pytest.raises(ValueError, match="^skin: " + message):
        cloth.skin(targets, reach)
    assert before == {name: rows.tobytes() for name, rows in cloth._arrays.items()} and not cloth.row["is_skinned"]
