"""Free bodies that spin by 1 to 1,000 rad/s keep energy and angular momentum, and turn as the same equations in doubles say."""

import numpy as np
import pytest
from mechanics import angular_momentum, energy, inertia_of
from scipy.spatial.transform import Rotation
from small_world import TICK, SmallWorld

from scree.solver.gyroscopic import MOST_HALF_TURN

SHAPES = {
    "flat": (0.5, 0.03, 0.4), "disc": (0.5, 0.05, 0.5), "long": (0.1, 0.45, 0.1), "plank": (0.05, 0.3, 0.12),
    "brick": (0.1, 0.3, 0.5), "nearly a cube": (0.081, 0.144, 0.119), "cube": (0.2, 0.2, 0.2),
}  # fmt: skip
SPINS = (1.0, 10.0, 60.0, 150.0, 250.0, 400.0, 600.0, 1000.0)
WAYS = np.array(((1.0, 0.02, 0.0), (0.0, 1.0, 0.02), (0.02, 0.0, 1.0), (0.6, -0.5, 0.6)))


def spinning(shape, spins, **settings):
    """A world with a body for each spin and way, its start turned at random."""
    world = SmallWorld(gravity=(0.0, 0.0, 0.0), **settings)
    bodies = []
    for number, spin in enumerate(spins):
        for k, way in enumerate(WAYS):
            turn = Rotation.random(random_state=k)
            basis = tuple(turn.as_matrix().ravel())
            body = world.add(world.box(*SHAPES[shape]), (10.0 * k, 10.0 * number, 0.0), basis=basis)
            world.turn(body, turn.apply(spin * way / np.linalg.norm(way)))
            bodies.append(body)
    return world, bodies


@pytest.mark.parametrize("substeps", (1, 4))
@pytest.mark.parametrize("shape", SHAPES)
def test_energy_and_momentum_stay(shape, substeps):
    world, bodies = spinning(shape, SPINS, substep_count=substeps)
    first = [(energy(world, [body]), angular_momentum(world, [body])) for body in bodies]
    for _ in range(6):
        world.step(150)
        for body, (at_first, momentum) in zip(bodies, first, strict=True):
            assert energy(world, [body]) == pytest.approx(at_first, rel=1e-3)
            assert np.linalg.norm(angular_momentum(world, [body]) - momentum) < 1e-3 * np.linalg.norm(momentum)


def skew(v):
    return np.array(((0.0, -v[2], v[1]), (v[2], 0.0, -v[0]), (-v[1], v[0], 0.0)))


def twin(inertia, turn, spin, time, count):
    """A free body after some sub-steps, in doubles: the implicit midpoint rule in pieces, solved to the last digit."""
    for _ in range(count):
        left = 0.5 * time
        while left > 0.0:
            half = min(left, MOST_HALF_TURN / np.linalg.norm(spin))
            left -= half
            j = turn.as_matrix() @ inertia @ turn.as_matrix().T
            middle = spin
            for _ in range(12):
                wrong = j @ (middle - spin) + half * np.cross(middle, j @ middle)
                middle = middle - np.linalg.solve(j + half * (skew(middle) @ j - skew(j @ middle)), wrong)
            step = Rotation.from_quat((*(half * middle), 1.0))
            turn, spin = step * turn, step.apply(2.0 * middle - spin)
    return turn, spin


@pytest.mark.parametrize("spin", SPINS)
@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape != "cube"])
def test_as_in_doubles(shape, spin):
    """Over three ticks: later on even the last digit of single precision matters about a middle axis."""
    world, bodies = spinning(shape, (spin,))
    rows = [world.body(body).copy() for body in bodies]
    world.step(3)
    for body, row in zip(bodies, rows, strict=True):
        turn = Rotation.from_quat(row["rotation"])
        local = turn.as_matrix().T @ inertia_of(row) @ turn.as_matrix()
        right, right_spin = twin(local, turn, row["angular_velocity"].astype(np.float64), TICK / 4, 12)
        off = Rotation.from_quat(world.body(body)["rotation"]) * right.inv()
        assert off.magnitude() < 1e-2
        assert world.spin(body) == pytest.approx(right_spin, abs=1e-2 * spin)


def test_what_is_faster_than_any_sub_step_bears_keeps_both_too():
    world, bodies = spinning("plank", (2e4,))
    first = [(energy(world, [body]), angular_momentum(world, [body])) for body in bodies]
    world.step(120)
    for body, (at_first, momentum) in zip(bodies, first, strict=True):
        assert energy(world, [body]) == pytest.approx(at_first, rel=2e-3)
        assert np.linalg.norm(angular_momentum(world, [body]) - momentum) < 2e-3 * np.linalg.norm(momentum)


def test_how_a_body_turns_does_not_depend_on_faster_ones_beside_it():
    def turned(spins):
        world, bodies = spinning("brick", spins)
        world.step(60)
        return [(world.body(body)["rotation"].tolist(), world.spin(body).tolist()) for body in bodies[: len(WAYS)]]

    assert turned((5.0,)) == turned((5.0, 900.0, 60.0))
    assert turned((300.0,)) == turned((300.0, 900.0, 60.0))
