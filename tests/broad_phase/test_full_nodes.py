"""Trees that are built have full nodes: little memory, little to look at."""

import numpy as np
import pytest

from scree.broad_phase.build import SMALL, add_item, cut_small, start_build
from scree.broad_phase.schema import BUILD, ITEM, KEY
from scree.runtime.kernel import entry_point
from scree.runtime.memory import view


@entry_point("void(int64, int64, int64, int64)")
def cut(build, bounds, count, cuts):
    """`cut_small` of items with these bounds, float32 (count, 6); cuts: int64 (5)."""
    start_build(build, 1)
    for k in range(count):
        add_item(build, bounds + 24 * k, -3 - k, -1)
    cut_small(view(build, 1, BUILD)[0].keys, 0, count, view(cuts, 5, np.int64))


@pytest.mark.parametrize("count", range(5, SMALL + 1))
def test_few_items_are_cut_into_full_groups(count):
    random = np.random.default_rng(count)
    corners = random.uniform(0, 10, (count, 3)).astype(np.float32)
    bounds = np.concatenate([corners, corners + 1], 1)
    build, items, keys = np.zeros(1, BUILD), np.zeros(SMALL, ITEM), np.zeros(SMALL, KEY)
    build["items"], build["keys"] = items.ctypes.data, keys.ctypes.data
    cuts = np.zeros(5, np.int64)
    cut(build.ctypes.data, bounds.ctypes.data, count, cuts.ctypes.data)
    sizes = np.diff(cuts)
    assert cuts[0] == 0 and cuts[-1] == count and sorted(keys["item"][:count]) == list(range(count))
    assert set(sizes) <= {0, 1, 2, 3, 4}
    nodes = 1 + int((sizes > 1).sum())
    assert nodes == min(n for n in range(2, 6) if 4 * (n - 1) + (5 - n) >= count)  # the fewest that hold them all
    centres = (keys["centre"][:count] / 2).astype(float)
    spread = [np.ptp(centres[a:b], axis=0).sum() for a, b in zip(cuts, cuts[1:], strict=False) if b - a == 4]
    assert np.mean(spread) < np.ptp(centres, axis=0).sum()  # neighbours are in one group
