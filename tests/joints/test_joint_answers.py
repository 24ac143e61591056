"""Joints answer bounces: bodies move as joints allow, joints tell what they did, and the next warm start knows nothing of it."""

import numpy as np
import pytest

from scree.joints.answers import answer_bounces, answer_bounces_in_trees
from scree.joints.schema import JOINT_ROW, TWIST
from scree.runtime.memory import view_rows
from small_world import SmallWorld


def hanging_chain(is_single: bool) -> tuple[SmallWorld, list[int], list[int]]:
    """Three links below the world on hinges about z, the last at its limit. `is_single`: each joint by itself, not as a tree."""
    world = SmallWorld()
    turned = (0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0)
    links, joints = [], []
    for k in range(3):
        links.append(world.add(world.box(0.1, 0.25, 0.1), (0.0, -0.5 * k, 0.0), mass=2.0))
        above = links[k - 1] if k else 0
        frame = (*turned, 0.0, -0.25, 0.0) if k else (*turned, 0.0, 0.25, 0.0)
        joints.append(world.world.joint.create("hinge", above, links[k], frame, (*turned, 0.0, 0.25, 0.0)))
        world.world.joint.set_limits(joints[k], TWIST, -1.0, 0.0 if k == 2 else 1.0)
        if is_single:
            world.world.joint.set_max_impulse(joints[k], 1e6)
    return world, links, joints


@pytest.mark.parametrize("is_single", (False, True))
def test_a_bounce_is_told_and_forgotten(is_single):
    world, links, joints = hanging_chain(is_single)
    world.step(30)
    row = world.world.system(world.system).row
    rows = view_rows(int(row["joints"]["rows"]), int(row["joints"]["row_count"]), JOINT_ROW)
    solver_rows = view_rows(int(row["solver"]["rows"]), int(row["bodies"]["active_count"]) + 1, np.dtype(("f4", 16)))
    told = [world.world.joint.row("test", joint) for joint in joints]
    before = [np.concatenate([joint["linear_impulse"], joint["angular_impulse"]]) for joint in told]
    before_rows, before_totals = rows["impulse"].copy(), [joint["total_impulse"].copy() for joint in told]
    hit = int(world.body(links[1])["active_index"]) + 1
    solver_rows[hit, :3] += (3.0, 4.0, 0.0)
    address = world.world.system(world.system).address
    if is_single:
        answer_bounces(address, 0, int(row["joints"]["count"]), 0)
    else:
        answer_bounces_in_trees(address, 0, int(row["joints"]["tree_count"]), 0)
    assert abs(solver_rows[hit, 1]) < 2.0, "the joints hold the link"
    for joint, old in zip(told, before, strict=True):
        assert np.concatenate([joint["linear_impulse"], joint["angular_impulse"]]) == pytest.approx(old, abs=1e-6)
    assert rows["impulse"] == pytest.approx(before_rows, abs=1e-6)
    assert max(np.abs(joint["total_impulse"] - total).max() for joint, total in zip(told, before_totals, strict=True)) > 1.0
