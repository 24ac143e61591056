"""The common ground of all tasks: episodes that begin, are stepped together, and end one by one."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..api.vector_world import Mask, VectorWorld

Observations = NDArray[np.float32]
Flags = NDArray[np.bool_]


class Task(ABC):
    """`count` episodes of one task, each in a world of its own. No quantities beyond those that the tasks name.

    An episode that is over is not begun anew by itself: `reset` does that, for the episodes of a mask. `threads`: how many step
    the worlds, the calling one included. `seed`: of the random starts; the same seed gives the same episodes, bit for bit, on any
    number of threads."""

    observation_width: int
    """Numbers of an observation."""
    most_steps: int
    """Steps after which an episode is truncated."""

    def __init__(self, count: int, seed: int = 0, threads: int | None = None) -> None:
        self.worlds: VectorWorld = self.build(count, threads)
        """The worlds of the episodes."""
        self.random = np.random.default_rng(seed)
        self.steps: NDArray[np.int64] = np.zeros(count, np.int64)
        """Steps of each episode so far, (count,). No unit."""

    def __len__(self) -> int:
        return len(self.worlds)

    @abstractmethod
    def build(self, count: int, threads: int | None) -> VectorWorld:
        """The worlds of `count` episodes. No quantities."""

    @abstractmethod
    def begin(self, chosen: Flags) -> None:
        """Move the worlds of the episodes `chosen`, bool (count,), which were reset, to random starts. No quantities."""

    @abstractmethod
    def act(self, actions: NDArray[Any], mask: Flags | None) -> None:
        """Step the worlds of `mask` with `actions`, (count,) or (count, width). No quantities."""

    @abstractmethod
    def observe(self) -> Observations:
        """Observations of all episodes, float32 (count, observation_width), in the units of the task; no unit is changed."""

    @abstractmethod
    def judge(self, actions: NDArray[Any]) -> tuple[NDArray[np.float64], Flags]:
        """The reward of the last step, (count,), and which episodes failed, bool (count,). No unit."""

    def reset(self, mask: Mask = None) -> Observations:
        """Begin the episodes of `mask`, bool (count,), anew, by default all. Returns the observations of all, (count, width). No
        unit. Raises ValueError."""
        self.worlds.reset(mask)
        chosen = np.ones(len(self), bool) if mask is None else np.asarray(mask, bool)
        if chosen.any():
            self.begin(chosen)
        self.steps[chosen] = 0
        return self.observe()

    def step(self, actions: Any, mask: Mask = None) -> tuple[Observations, NDArray[np.float64], Flags, Flags]:
        """Step the episodes of `mask`, bool (count,), by default all, by one action each: (observations (count, width), rewards
        (count,), terminated (count,), truncated (count,)). `terminated`: it has failed; `truncated`: its time is over. Rewards
        and ends are 0 and False for episodes that were not stepped. No unit. Raises ValueError."""
        chosen = None if mask is None else np.asarray(mask, bool)
        given = np.asarray(actions)
        self.act(given, chosen)
        self.steps += 1 if chosen is None else chosen
        rewards, failed = self.judge(given)
        late = self.steps >= self.most_steps
        if chosen is not None:
            rewards, failed, late = rewards * chosen, failed & chosen, late & chosen
        return self.observe(), rewards, failed, late & ~failed
