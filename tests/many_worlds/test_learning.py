"""The tasks: their physics against formulas, their episodes, and that they are the same on any number of threads."""

import numpy as np
import pytest

from scree.learning import CartPole, Walker
from scree.learning import cart_pole as numbers
from scree.learning.walker import SECONDS, STEPS

COUNT = 64


def rates(state: np.ndarray, force: np.ndarray) -> np.ndarray:
    """The motion of the cart-pole without friction (Barto, Sutton and Anderson 1983): place, velocity, lean, spin (n, 4)."""
    _, velocity, lean, spin = state.T
    total, half = numbers.CART_MASS + numbers.POLE_MASS, numbers.HALF_LENGTH
    sine, cosine = np.sin(lean), np.cos(lean)
    pull = (force + numbers.POLE_MASS * half * spin**2 * sine) / total
    bend = (numbers.GRAVITY * sine - cosine * pull) / (half * (4 / 3 - numbers.POLE_MASS * cosine**2 / total))
    return np.stack([velocity, pull - numbers.POLE_MASS * half * bend * cosine / total, spin, bend], axis=1)


def true_step(state: np.ndarray, force: np.ndarray, parts: int = 20) -> np.ndarray:
    """One step by the method of Runge and Kutta, in many parts."""
    h = numbers.SECONDS / parts
    for _ in range(parts):
        one = rates(state, force)
        two = rates(state + h / 2 * one, force)
        three = rates(state + h / 2 * two, force)
        state = state + h / 6 * (one + 2 * two + 2 * three + rates(state + h * three, force))
    return state


def test_the_cart_pole_moves_by_its_formula():
    task, random = CartPole(COUNT, threads=1), np.random.default_rng(0)
    true = task.reset().astype(float)
    coarse = true.copy()  # the explicit steps of Euler that Gymnasium takes
    for _ in range(30):
        actions = random.integers(0, 2, COUNT)
        seen, force = task.step(actions)[0], np.where(actions == 1, numbers.FORCE, -numbers.FORCE)
        coarse = coarse + numbers.SECONDS * rates(coarse, force)
        true = true_step(true, force)
    assert np.abs(seen - true).max(axis=0) == pytest.approx([0.0, 0.0, 0.0, 0.0], abs=0.08)
    assert np.abs(seen - true)[:, 2:].max() < 0.5 * np.abs(coarse - true)[:, 2:].max()


def test_states_are_those_that_were_wanted():
    task = CartPole(COUNT)
    wanted = np.random.default_rng(1).uniform(-0.2, 0.2, (4, COUNT))
    task.worlds.set_states(numbers.states_of(*wanted))
    assert np.allclose(task.observe(), wanted.T, atol=1e-6)


def test_starts_are_random_and_small():
    seen = CartPole(COUNT, seed=3).reset()
    assert seen.shape == (COUNT, 4) and seen.dtype == np.float32
    assert np.abs(seen).max() <= 0.0501 and np.abs(seen).max(axis=0).min() > 0.03
    assert not np.array_equal(seen, CartPole(COUNT, seed=4).reset())
    assert np.array_equal(seen, CartPole(COUNT, seed=3).reset())


def test_episodes_end_at_the_edges_and_after_500_steps():
    task = CartPole(4)
    task.reset()
    states = numbers.states_of(
        np.array([2.39, 0.0, -2.39, 0.0]), np.array([3.0, 0.0, -3.0, 0.0]), np.array([0, 0.2, 0, 0]), np.zeros(4)
    )
    task.worlds.set_states(states)
    _, rewards, terminated, truncated = task.step(np.array([1, 1, 0, 1]))
    assert terminated.tolist() == [True, False, True, False] and not truncated.any() and (rewards == 1.0).all()
    task.steps[:] = 499
    _, _, terminated, truncated = task.step(np.ones(4, int))
    assert (truncated == ~terminated).all() and truncated[3]
    task.reset(np.arange(4) == 3)
    assert task.steps.tolist() == [500, 500, 500, 0]


def test_wrong_actions_are_named():
    task = CartPole(3)
    with pytest.raises(ValueError, match=r"step: actions must be 0 or 1, of the shape \(3,\)"):
        task.step([0, 1, 2])
    with pytest.raises(ValueError, match=r"step: actions must be finite numbers of the shape \(2, 8\)"):
        Walker(2).step(np.zeros(8))


def play(kind, threads: int) -> np.ndarray:
    """Hashes after some episodes with random actions."""
    task, random = kind(COUNT, seed=5, threads=threads), np.random.default_rng(6)
    task.reset()
    for _ in range(40):
        actions = random.integers(0, 2, COUNT) if kind is CartPole else random.uniform(-1, 1, (COUNT, 8))
        _, _, terminated, truncated = task.step(actions)
        if (terminated | truncated).any():
            task.reset(terminated | truncated)
    return task.worlds.hashes()


@pytest.mark.parametrize("kind", [CartPole, Walker])
def test_episodes_are_the_same_on_any_number_of_threads(kind):
    one = play(kind, 1)
    assert np.array_equal(one, play(kind, 2)) and np.array_equal(one, play(kind, 4))


def test_the_walker_stands_and_its_torques_move_it():
    task = Walker(2)
    task.reset()
    actions = np.zeros((2, 8))
    actions[1, 0::2] = 1.0
    for _ in range(round(1.0 / (STEPS * SECONDS))):
        seen, rewards, terminated, _ = task.step(actions)
    assert not terminated.any() and 0.25 < seen[0, 0] < 0.7
    assert seen[1, 11:19:2].min() > 0.5 > seen[0, 11:19:2].max()  # the hips of the second are turned to their ends
    assert rewards[0] == pytest.approx(1.0, abs=0.3)


def test_the_walker_fails_where_it_does_not_stand():
    task = Walker(3)
    task.reset()
    states = task.worlds.states.copy()
    states[1, :, 1] += 5.0
    task.worlds.set_states(states)
    assert task.step(np.zeros((3, 8)))[2].tolist() == [False, True, False]
