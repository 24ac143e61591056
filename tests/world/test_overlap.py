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


def heap_on_ropes(half, slop):
    """Two boxes on slack ropes one on the other, a free one on them and one beside: (world, the four, the ropes)."""
    scene = SmallWorld(**({} if slop is None else {"articulated_penetration_slop": slop}))
    scene.floor()
    shape = scene.box(half, half, half)
    places = ((0.0, half, 0.0), (0.0, 3.0 * half, 0.0), (0.0, 5.0 * half, 0.0), (5.0, half, 0.0))
    boxes = [scene.add(shape, place) for place in places]
    ropes = [scene.world.joint.create("distance", 0, boxes[k], frame_a=(*UPRIGHT, 0.0, 9.0, 0.0)) for k in (0, 1, 1)]
    for rope in ropes:
        scene.world.joint.set_limits(rope, DISTANCE, 0.0, 50.0)
    scene.step(180)
    return scene, boxes, ropes


def heights_of(scene, boxes):
    return np.array([float(scene.position(body)[1]) for body in boxes])


@pytest.mark.parametrize("slop, half, expected", ((None, 0.5, 0.005), (0.02, 0.5, 0.02), (None, 0.02, 0.00125)))
def test_bodies_on_joints_may_lie_deeper_in_each_other(slop, half, expected):
    """The upper one of two boxes on ropes sinks into the lower one by what is allowed, or a sixteenth of its size, and neither
    into the floor. Bodies free of joints do not sink in, not even on them; and the upper one rises when its last joint goes."""
    scene, boxes, _ = heap_on_ropes(half, 0.0)
    firm = heights_of(scene, boxes)
    assert firm == pytest.approx([half, 3.0 * half, 5.0 * half, half], abs=1.5e-3)
    scene, boxes, ropes = heap_on_ropes(half, slop)
    assert firm - heights_of(scene, boxes) == pytest.approx([0.0, expected, expected, 0.0], abs=2e-4)
    scene.world.joint.destroy(ropes[1])
    scene.step(60)
    assert firm - heights_of(scene, boxes) == pytest.approx([0.0, expected, expected, 0.0], abs=2e-4)
    scene.world.joint.destroy(ropes[2])
    scene.step(120)
    assert firm - heights_of(scene, boxes) == pytest.approx([0.0, 0.0, 0.0, 0.0], abs=2e-4)


def test_nothing_sinks_out_of_sight():
    """However much overlap is allowed: a sixteenth of the size at most."""
    scene = SmallWorld(penetration_slop=1.0)
    scene.floor()
    ball = scene.add(scene.sphere(0.08), (0.0, 0.08, 0.0))
    scene.step(120)
    assert scene.position(ball)[1] == pytest.approx(0.075, abs=1e-3)
