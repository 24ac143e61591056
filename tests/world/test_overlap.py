"""How deep bodies lie in each other once they rest: as their space allows, at most a sixteenth of their size."""

import numpy as np
import pytest
from small_world import UPRIGHT, SmallWorld

from scree.joints.schema import DISTANCE


@pytest.mark.parametrize("slop", (0.0, 0.005))
def test_overlap_that_a_space_allows_is_left_alone(slop):
    """A stack sinks by it at each contact; what lies deeper comes out as far."""
    scene = SmallWorld(penetration_slop=slop)
    scene.floor()
    shape = scene.box(0.5, 0.5, 0.5)
    stack = [scene.add(shape, (0.0, 0.5 + k, 0.0)) for k in range(3)]
    deep = scene.add(shape, (5.0, 0.4, 0.0))
    scene.step(240)
    for contacts, box in (*enumerate(stack, 1), (1, deep)):
        assert scene.position(box)[1] == pytest.approx(contacts - 0.5 - contacts * slop, abs=1e-3)
        assert np.linalg.norm(scene.velocity(box)) < 1e-3


@pytest.mark.parametrize("slop, half, expected", ((None, 0.5, 0.005), (0.0, 0.5, 0.0), (0.02, 0.5, 0.02), (None, 0.02, 0.00125)))
def test_what_joints_hold_may_lie_deeper(slop, half, expected):
    """Of two boxes on ropes the upper one sinks into the lower one by what is allowed, or a sixteenth of its size, and neither
    into the floor. Bodies free of joints do not sink in, not even on them; and the upper one rises when its last joint goes."""
    scene = SmallWorld(**({} if slop is None else {"articulated_penetration_slop": slop}))
    scene.floor()
    shape = scene.box(half, half, half)
    places = ((0.0, half, 0.0), (0.0, 3.0 * half, 0.0), (0.0, 5.0 * half, 0.0), (5.0, half, 0.0))
    lower, upper, above, free = (scene.add(shape, place) for place in places)
    ropes = [scene.world.joint.create("distance", 0, body, frame_a=(*UPRIGHT, 0.0, 9.0, 0.0)) for body in (lower, upper, upper)]
    for rope in ropes:
        scene.world.joint.set_limits(rope, DISTANCE, 0.0, 50.0)
    scene.step(180)
    heights = [float(scene.position(body)[1]) for body in (lower, upper, above, free)]
    assert heights == pytest.approx([half, 3.0 * half - expected, 5.0 * half - expected, half], abs=5e-4)
    scene.world.joint.destroy(ropes[1])
    scene.step(60)
    assert scene.position(upper)[1] == pytest.approx(3.0 * half - expected, abs=5e-4)
    scene.world.joint.destroy(ropes[2])
    scene.step(120)
    assert scene.position(upper)[1] == pytest.approx(3.0 * half, abs=5e-4)
    assert scene.position(above)[1] == pytest.approx(5.0 * half, abs=5e-4)


def test_nothing_sinks_out_of_sight():
    """However much overlap is allowed: a sixteenth of the size at most."""
    scene = SmallWorld(penetration_slop=1.0)
    scene.floor()
    ball = scene.add(scene.sphere(0.08), (0.0, 0.08, 0.0))
    scene.step(120)
    assert scene.position(ball)[1] == pytest.approx(0.075, abs=1e-3)
