"""A body on joints that lies still in contact keeps no trace of how its axes, or others before them, drifted."""

import numpy as np
import pytest

from scree.bodies.schema import STATIC
from scree.joints.schema import TREE_NODE
from scree.runtime.memory import view_rows
from small_world import SmallWorld

UPRIGHT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
AT_END, AT_BEGIN = (*UPRIGHT, 0.0, 0.25, 0.0), (*UPRIGHT, 0.0, -0.25, 0.0)


@pytest.mark.parametrize("drift", [0.25, -5.0])
def test_an_old_drift_moves_nothing(drift):
    world = SmallWorld()
    world.add(world.box(5.0, 1.0, 5.0), (0.0, -1.0, 0.0), mode=STATIC)
    lying = (0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    links = [world.add(world.box(0.1, 0.24, 0.1), (-0.5 * k, 0.1, 0.0), basis=lying) for k in range(3)]
    for a, b in zip(links, links[1:], strict=False):
        world.world.joint.create("point", a, b, AT_END, AT_BEGIN)
    world.step(60)
    row = world.row
    nodes = view_rows(int(row["joints"]["nodes"]), int(row["joints"]["node_count"]), TREE_NODE)
    assert len(nodes) == 3 and max(np.linalg.norm(world.velocity(link)) for link in links) < 0.01
    nodes["drift"] = drift
    for _ in range(30):
        world.step()
        assert max(np.linalg.norm(world.velocity(link)) for link in links) < 0.01
    assert np.abs(nodes["drift"]).max() == 0.0
