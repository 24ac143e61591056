"""Tasks as vector environments of Gymnasium, for the learning libraries that take these.

    from scree.learning.environment import make_environments

    environments = make_environments("cart-pole", 64)
    observations, infos = environments.reset(seed=1)
    observations, rewards, terminated, truncated, infos = environments.step(environments.action_space.sample())

It needs the package `gymnasium` 1.0 or newer.
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from .cart_pole import FARTHEST, MOST_LEAN, CartPole
from .task import Flags, Task
from .walker import Walker

TASKS: dict[str, type[Task]] = {"cart-pole": CartPole, "walker": Walker}
"""The tasks by the names that `make_environments` takes."""
WIDE = float(np.inf)


def spaces_of(task: Task) -> tuple[spaces.Space[Any], spaces.Space[Any]]:
    """The spaces of one observation and of one action of a task. No quantities."""
    if isinstance(task, CartPole):
        most = np.array((2.0 * FARTHEST, WIDE, 2.0 * MOST_LEAN, WIDE), np.float32)
        return spaces.Box(-most, most, dtype=np.float32), spaces.Discrete(task.action_count)
    if isinstance(task, Walker):
        seen = spaces.Box(-WIDE, WIDE, (task.observation_width,), np.float32)
        return seen, spaces.Box(-1.0, 1.0, (task.action_width,), np.float32)
    raise TypeError(f"VectorEnvironment: a CartPole or a Walker is wanted, got {task!r}")


class VectorEnvironment(gymnasium.vector.VectorEnv):  # type: ignore[misc]
    """The episodes of a task as one `gymnasium.vector.VectorEnv`. No quantities.

    An episode that has ended begins anew with the next step, whatever its action, as Gymnasium's own vector environments do
    (`AutoresetMode.NEXT_STEP`): that step gives the first observation, and rewards 0."""

    metadata = {"autoreset_mode": gymnasium.vector.AutoresetMode.NEXT_STEP, "render_modes": []}

    def __init__(self, task: Task) -> None:
        self.task, self.num_envs, self.render_mode = task, len(task), None
        self.single_observation_space, self.single_action_space = spaces_of(task)
        self.observation_space = batch_space(self.single_observation_space, len(task))
        self.action_space = batch_space(self.single_action_space, len(task))
        self._has_ended: Flags = np.zeros(len(task), bool)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin all episodes, with random starts by `seed`: (observations (count, width), {}). No unit."""
        if seed is not None:
            self.task.random = np.random.default_rng(seed)
        self._has_ended[:] = False
        return self.task.reset(), {}

    def step(self, actions: Any) -> tuple[NDArray[Any], NDArray[np.float64], Flags, Flags, dict[str, Any]]:
        """Step all episodes: (observations (count, width), rewards (count,), terminated (count,), truncated (count,), {}). No
        unit. Raises ValueError."""
        ended = self._has_ended
        if not ended.any():
            observations, rewards, terminated, truncated = self.task.step(actions)
        else:
            _, rewards, terminated, truncated = self.task.step(actions, ~ended)
            observations = self.task.reset(ended)
        self._has_ended = terminated | truncated
        return observations, rewards, terminated, truncated, {}


def make_environments(name: str, count: int, *, seed: int = 0, threads: int | None = None) -> VectorEnvironment:
    """`count` environments of the task with a name of `TASKS`, stepped by `threads` threads. No quantities. Raises ValueError."""
    if name not in TASKS:
        raise ValueError(f"make_environments: name must be one of {', '.join(TASKS)}, got {name!r}")
    return VectorEnvironment(TASKS[name](count, seed, threads))
