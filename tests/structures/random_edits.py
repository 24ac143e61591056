"""Random bricks and edits of all kinds: sizes from 1 to 128, flats, repeats, crowds of large ones, some far away."""

from __future__ import annotations

from random import Random

import numpy as np

from scree.structures.structure import Structure, boxes

SIDE = 64


def random_corners(random: Random, earlier: list, is_wide: bool) -> tuple[list[int], list[int]]:
    """Low and high corner of a brick."""
    kind = random.random()
    if earlier and kind < 0.1:
        return random.choice(earlier)
    center = [random.randrange(SIDE) for _ in range(3)]
    if kind < 0.5:
        center[1] = SIDE // 2
    if is_wide and kind > 0.98:
        center = [random.randrange(-(1 << 22), 1 << 22) for _ in range(3)]
    largest = random.choice((1, 1, 2, 3, 4, 8, 20, 32, 64, 128)) if random.random() < 0.6 else 64
    side = [random.randint(1, largest) for _ in range(3)]
    side[random.randrange(3)] = largest
    low = [c - s // 2 for c, s in zip(center, side, strict=True)]
    return low, [a + s for a, s in zip(low, side, strict=True)]


class Editing:
    """A structure that is edited at random, and the set it must hold."""

    def __init__(self, seed: int, steps: int, capacity: int = 4096):
        self.random, self.steps, self.step = Random(seed), steps, 0
        self.is_wide = seed % 4 == 3
        self.structure = Structure(capacity)
        self.held: dict[int, np.ndarray] = {}
        self.corners: list[tuple[list[int], list[int]]] = []

    def random_rows(self, count: int) -> np.ndarray:
        corners = [random_corners(self.random, self.corners, self.is_wide) for _ in range(count)]
        self.corners = (self.corners + corners)[-20:]
        layers = [1 << self.random.randrange(4) for _ in range(count)]
        lows, highs = zip(*corners, strict=True)
        return boxes(lows, highs, layers=layers, density=range(1, count + 1))

    def edit(self) -> None:
        """One edit: mostly insertions in the first half, mostly removals after it; some change a brick."""
        self.step += 1
        kind = self.random.random()
        if not self.held or kind < (0.62 if self.step < self.steps // 2 else 0.3):
            self.insert(1)
        elif kind < 0.9:
            self.remove(1)
        else:
            number = self.random.choice(list(self.held))
            rows = self.random_rows(1)
            (new,) = self.structure.change([number], rows)
            del self.held[number]
            self.held[int(new)] = rows[0]

    def insert(self, count: int) -> None:
        rows = self.random_rows(count)
        self.held |= dict(zip(self.structure.insert(rows).tolist(), rows, strict=True))

    def remove(self, count: int) -> None:
        numbers = self.random.sample(list(self.held), min(count, len(self.held)))
        self.structure.remove(numbers)
        for number in numbers:
            del self.held[number]

    def batch(self) -> None:
        """Some tens of edits at once."""
        if self.random.random() < 0.55:
            self.insert(self.random.randint(1, 40))
        else:
            self.remove(self.random.randint(1, 40))

    def set(self) -> tuple[list[int], np.ndarray]:
        """Numbers in ascending order, and their rows."""
        numbers = sorted(self.held)
        return numbers, np.array([self.held[number] for number in numbers], dtype=boxes([[0] * 3], [[1] * 3]).dtype)
