"""The vector environments of Gymnasium, where that package is installed."""

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="the package gymnasium is not installed: pip install scree-physics[learning]")

from scree.learning import CartPole, Task  # noqa: E402
from scree.learning.cart_pole import states_of  # noqa: E402
from scree.learning.environment import TASKS, VectorEnvironment, make_environments  # noqa: E402

COUNT = 16


@pytest.mark.parametrize("name", TASKS)
def test_observations_and_actions_are_of_their_spaces(name):
    environments = make_environments(name, COUNT, threads=2)
    assert isinstance(environments, gymnasium.vector.VectorEnv) and environments.num_envs == COUNT
    environments.action_space.seed(0)
    observations, infos = environments.reset(seed=1)
    assert observations in environments.observation_space and infos == {}
    for _ in range(60):
        observations, rewards, terminated, truncated, infos = environments.step(environments.action_space.sample())
        assert observations in environments.observation_space
        assert rewards.shape == terminated.shape == truncated.shape == (COUNT,)
        assert terminated.dtype == truncated.dtype == bool and infos == {}
    environments.close()


def test_spaces_are_those_of_cart_pole_v1():
    environments, known = make_environments("cart-pole", 2), gymnasium.make("CartPole-v1")
    assert environments.single_action_space == known.action_space
    ours, theirs = environments.single_observation_space, known.observation_space
    assert np.allclose(ours.high[[0, 2]], theirs.high[[0, 2]]) and ours.shape == theirs.shape and ours.dtype == theirs.dtype


def test_a_step_does_what_one_of_cart_pole_v1_does():
    """From the same states, also near the ends of an episode: observations a step later, rewards and ends."""
    count, random = 200, np.random.default_rng(0)
    environments, known = make_environments("cart-pole", count), gymnasium.make("CartPole-v1")
    environments.reset(seed=0)
    states = random.uniform(-1.0, 1.0, (4, count)) * np.array([[2.4], [1.0], [0.21], [1.0]])
    environments.task.worlds.set_states(states_of(*states))
    actions, seen = random.integers(0, 2, count), environments.task.observe()
    after, rewards, terminated, _, _ = environments.step(actions)
    known.reset(seed=0)
    for k in range(count):
        known.unwrapped.state, known.unwrapped.steps_beyond_terminated = seen[k].astype(float), None
        other, reward, other_terminated, _, _ = known.step(int(actions[k]))
        assert np.allclose(after[k], other, atol=0.02) and rewards[k] == reward == 1.0
        is_near = min(abs(abs(other[0]) - 2.4), 5.0 * abs(abs(other[2]) - 0.2095)) < 0.02
        assert terminated[k] == other_terminated or is_near
    assert 0.02 < terminated.mean() < 0.5


def test_an_episode_that_ended_begins_with_the_next_step():
    environments = make_environments("cart-pole", 3, threads=1)
    environments.reset(seed=2)
    push = np.array([1, 0, 1])
    for _ in range(40):
        before = environments.task.steps.copy()
        observations, rewards, terminated, truncated, _ = environments.step(push)
        if terminated[0]:
            break
    assert rewards[0] == 1.0 and abs(observations[0, 2]) > 0.2
    observations, rewards, terminated, truncated, _ = environments.step(push)
    assert rewards[0] == 0.0 and not terminated[0] and not truncated[0] and np.abs(observations[0]).max() <= 0.0501
    assert environments.task.steps[0] == 0 and before[0] > 5


def test_seeds_give_the_same_episodes():
    first, second = (make_environments("walker", 4, threads=threads) for threads in (1, 2))
    assert np.array_equal(first.reset(seed=7)[0], second.reset(seed=7)[0])
    assert not np.array_equal(first.reset(seed=8)[0], second.reset(seed=7)[0])


def test_what_is_unknown_is_refused():
    with pytest.raises(ValueError, match="make_environments: name must be one of cart-pole, walker, got 'hopper'"):
        make_environments("hopper", 2)
    assert isinstance(VectorEnvironment(CartPole(2)).task, Task)
    with pytest.raises(TypeError, match="a CartPole or a Walker is wanted"):
        VectorEnvironment([1, 2])
