"""A million random edits: after every tenth the edited tree is compared, cluster by cluster, with one built at once from the set,
now and then also with the one of the rules. Prints a line of JSON.

    python -m tests.structures.long_edits [edits] [seeds]
"""

import json
import sys

import numpy as np
from rich.console import Console

from scree.runtime.kernel import entry_point, kernel
from scree.runtime.memory import address_of, stack_array, view
from scree.structures.nodes import clusters_of, leaves_of, next_leaf, number_in
from scree.structures.schema import LANES, LEAF_SIZE, STRUCTURE
from scree.structures.structure import Structure
from scree.tools.show import counting

from .random_edits import Editing
from .twin import check

COMPARE_EVERY, CHECK_EVERY = 10, 2000
WAITING = 256
SAME, VALUES_DIFFER, COUNTS_DIFFER, LEAVES_DIFFER = range(4)


@kernel
def leaves_differ(s, leaf, t, other, numbers):
    """Whether two leaves, or chains, hold different bricks; number k of the second stands for `numbers[k - 1]`."""
    while leaf != 0 and other != 0:
        for k in range(LEAF_SIZE):
            a, b = np.int64(leaves_of(s)[leaf].bricks[k]), np.int64(leaves_of(t)[other].bricks[k])
            if (a == 0) != (b == 0) or (a != 0 and number_in(s, a) != numbers[number_in(t, b) - 1]):
                return True
        leaf, other = next_leaf(s, leaf), next_leaf(t, other)
    return leaf != other


@kernel
def values_differ(a, b):
    """Whether values of the eight nodes of two clusters differ."""
    for lane in range(LANES):
        for axis in range(3):
            if a.low[axis, lane] != b.low[axis, lane] or a.high[axis, lane] != b.high[axis, lane]:
                return True
        if a.bits[lane] != b.bits[lane] or a.max_level[lane] != b.max_level[lane] or a.count[lane] != b.count[lane]:
            return True
        if (a.child[lane] == 0) != (b.child[lane] == 0):
            return True
    return False


@entry_point("int64(int64, int64, int64, int64)")
def difference(structure, other, numbers_address, clusters_address):
    """How two trees differ, or SAME; the number of clusters compared is added at an address. See `leaves_differ`."""
    s, t = view(structure, 1, STRUCTURE)[0], view(other, 1, STRUCTURE)[0]
    numbers, compared = view(numbers_address, s.bricks.capacity, np.int32), view(clusters_address, 1, np.int64)
    ours, theirs = stack_array(WAITING, np.int64), stack_array(WAITING, np.int64)
    ours[0], theirs[0] = s.root, t.root
    depth = 1
    while depth > 0:
        depth -= 1
        a, b = clusters_of(s)[ours[depth]], clusters_of(t)[theirs[depth]]
        compared[0] += 1
        if values_differ(a, b):
            return np.int64(VALUES_DIFFER)
        if a.elements != b.elements or a.forced != b.forced or a.level != b.level:
            return np.int64(COUNTS_DIFFER)
        for lane in range(LANES):
            if leaves_differ(s, np.int64(a.leaf[lane]), t, np.int64(b.leaf[lane]), numbers):
                return np.int64(LEAVES_DIFFER)
            if a.child[lane] != 0:
                ours[depth], theirs[depth] = a.child[lane], b.child[lane]
                depth += 1
    return np.int64(SAME)


class Comparing:
    """Compares an edited structure with one that is built at once, in the rows of the last one."""

    def __init__(self):
        self.built, self.numbers = Structure(4096), np.zeros(0, np.int32)
        self.clusters, self.trees = np.zeros(1, np.int64), 0

    def compare(self, editing: Editing) -> None:
        """Raises AssertionError where the trees differ."""
        self.built.remove(self.numbers)
        self.built.give_back()
        numbers, rows = editing.set()
        self.numbers = self.built.insert(rows)
        assert (self.numbers == np.arange(1, len(rows) + 1)).all()
        held = np.array(numbers, np.int32)
        found = difference(editing.structure.address, self.built.address, address_of(held), address_of(self.clusters))
        assert found == SAME, (editing.step, found)
        self.trees += 1


def run(edits: int, seeds: int, report) -> dict:
    """Edit `seeds` structures, together `edits` times. Raises AssertionError where a tree is not the one of its set."""
    comparing, done = Comparing(), 0
    figures = {"edits": 0, "seeds": seeds, "splits": 0, "undone": 0, "most": 0}
    for seed in range(seeds):
        editing = Editing(1000 + seed, steps=400)
        for step in range(1, edits // seeds + 1):
            editing.edit()
            editing.step %= editing.steps  # it grows and shrinks, again and again
            if step % COMPARE_EVERY == 0:
                comparing.compare(editing)
            if step % CHECK_EVERY == 0:
                check(editing.structure, *editing.set())
            figures["most"] = max(figures["most"], len(editing.held))
        done += edits // seeds
        report(done, edits, f"seed {seed}")
        figures["splits"] += int(editing.structure.record[0]["splits"])
        figures["undone"] += int(editing.structure.record[0]["undone_splits"])
    return figures | {"edits": done, "trees": comparing.trees, "clusters": int(comparing.clusters[0])}


def main() -> None:
    edits, seeds = (int(word) for word in (sys.argv[1:] + ["1000000", "100"][len(sys.argv) - 1 :]))
    with counting(Console(stderr=True), "Edits") as report:
        print(json.dumps(run(edits, seeds, report)))


if __name__ == "__main__":
    main()
