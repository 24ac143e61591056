"""Scenes whose steps are measured with several numbers of threads. Each is brought to a tick once and put back there by a saved
state: every number of threads then does the same steps, to the bit."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scree.state.spaces import SpaceStates, State
from scree.tools.moving_costs import Chains, Drum, Hulls
from scree.tools.step_costs import SETTLED, TICK, Pile

FALLING = 60  # ticks until most boxes of the pile meet others while they fall


class SteppedPile(Pile):
    """The pile of boxes, stepped tick by tick like the scenes of moving_costs.py."""

    ticks = 0

    def step(self) -> float:
        """Step once; the seconds that it took."""
        began = time.perf_counter()
        self.world.step(self.system, TICK)
        self.ticks += 1
        return time.perf_counter() - began


@dataclass(frozen=True)
class Scene:
    """A scene: `make(bodies, threads)` builds it, `count` is its usual number of bodies, and `begin` the first tick that is
    measured."""

    make: Callable
    count: int
    begin: int


SCENES = {
    "pile": Scene(SteppedPile, 5000, SETTLED),
    "falling_pile": Scene(SteppedPile, 5000, FALLING),
    "drum": Scene(Drum, 2000, Drum.begin),
    "falling_hulls": Scene(Hulls, 2000, 60),
    "falling_chains": Scene(Chains, 3000, 60),
}


class SceneInTurn:
    """One scene built for each number of threads. `restart` puts one of them back to the first tick that is measured."""

    def __init__(self, scene: Scene, count: int, threads: Sequence[int]):
        self.piles = {number: scene.make(count, number) for number in threads}
        self._states = {number: SpaceStates(pile.world, pile.system) for number, pile in self.piles.items()}
        most = self.piles[max(threads)]
        for _ in range(scene.begin):
            most.step()
        self.begin = most.ticks
        saved = self._states[max(threads)].save().to_bytes()
        self._state = State.from_bytes(saved)

    def restart(self, threads: int):
        """The scene for so many threads, back at its first measured tick."""
        pile = self.piles[threads]
        self._states[threads].restore(self._state)
        pile.ticks = self.begin
        return pile
