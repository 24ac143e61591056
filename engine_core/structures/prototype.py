"""The memory of a new structure as a copy of that of one with the same capacity, as it was set up: thousands of pieces of a
structure may come apart, and setting up pool by pool takes four times as long.
"""

import numpy as np

from ..runtime.memory import address_of, reserve
from .schema import STRUCTURE

MOST_BRICKS = 1 << 14
"""Structures with more room are set up pool by pool: to look at what is in their memory takes too long."""
WORDS = STRUCTURE.itemsize // 8


class Prototype:
    """The words that setting up wrote, by place: the record, and the words in the memory of its pools that are not zero."""

    def __init__(self, record: np.ndarray, memory: list):
        """`record`: a STRUCTURE as an array of one; `memory`: what was reserved for it, in order."""
        self.words = record.view(np.int64).copy()
        self.ends = np.cumsum([len(part) for part in memory]).tolist()
        self.starts = [0, *self.ends[:-1]]
        is_address, offsets = np.zeros(WORDS, bool), np.zeros(WORDS, np.int64)
        for part, start in zip(memory, self.starts, strict=True):
            first = address_of(np.frombuffer(part, np.uint8))
            is_here = (self.words >= first) & (self.words < first + len(part))
            is_address |= is_here
            offsets[is_here] = start + self.words[is_here] - first
        self.addresses, self.offsets = np.flatnonzero(is_address), offsets[is_address]
        found = [np.frombuffer(part, np.int64) for part in memory]
        places = [start // 8 + np.flatnonzero(part) for part, start in zip(found, self.starts, strict=True)]
        self.places, self.values = np.concatenate(places), np.concatenate([part[np.flatnonzero(part)] for part in found])

    def copy(self, record: np.ndarray) -> list[memoryview]:
        """Write the record of a new structure to an array of one, and return memory for it, in order. Raises NoAddressSpace."""
        block = reserve(self.ends[-1])
        words = np.frombuffer(block, np.int64)
        words[self.places] = self.values
        kept = record.view(np.int64)
        kept[:] = self.words
        kept[self.addresses] = address_of(words) + self.offsets
        whole = memoryview(block)
        return [whole[start:end] for start, end in zip(self.starts, self.ends, strict=True)]
