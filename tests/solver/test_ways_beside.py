"""Which bodies are swept against each other: those that move far beside one another, not those that move far together."""

import numpy as np
import pytest

from scree.bodies.schema import BODY, RIGID
from scree.bodies.system_schema import SYSTEM
from scree.constraints.schema import DELTA_POSITION, DELTA_ROTATION
from scree.geometry.vector import rotate
from scree.runtime.memory import address_of
from scree.solver.continuous import moves_far_beside
from scree.solver.ways import HALFWAY_FLOATS, MOTION, TURN

UPRIGHT = (0.0, 0.0, 0.0, 1.0)


class Stage:
    """A crate of 0.8 m, 30 m from the centre of mass of a ship, and their ways through a step."""

    def __init__(self):
        self.rows, self.halfway = np.zeros((3, 16), np.float32), np.zeros((3, HALFWAY_FLOATS), np.float32)
        self.systems, self.bodies = np.zeros(1, SYSTEM), np.zeros(2, BODY)
        self.system = self.systems[0]
        solver = self.system["solver"]
        solver["rows"], solver["halfway"] = address_of(self.rows), address_of(self.halfway)
        for number, (extent, inner) in enumerate(((0.7, 0.4), (60.0, 0.25))):
            body = self.bodies[number]
            body["extent"], body["inner_radius"], body["rotation"], body["mode"] = extent, inner, UPRIGHT, RIGID
            body["active_index"] = number
            self.move(number, (0.0, 0.0, 0.0), UPRIGHT)
        self.bodies[0]["position"] = (30.0, 0.0, 5.0)

    def move(self, number: int, motion, turn, bent=(0.0, 0.0, 0.0)) -> None:
        """Let a body go `motion` [m] and turn in the step; halfway it is `bent` [m] beside the middle."""
        self.rows[number + 1][DELTA_POSITION : DELTA_POSITION + 3] = motion
        self.rows[number + 1][DELTA_ROTATION : DELTA_ROTATION + 4] = turn
        half = np.add(turn, UPRIGHT)
        self.halfway[number + 1][MOTION : MOTION + 3] = np.multiply(0.5, motion) + bent
        self.halfway[number + 1][TURN : TURN + 4] = half / np.linalg.norm(half)

    def ride(self, motion, angle: float, beside=(0.0, 0.0, 0.0)) -> None:
        """Let the ship go and turn about y, and the crate with it, and `beside` [m] more."""
        turn = (0.0, np.sin(angle / 2), 0.0, np.cos(angle / 2))
        arm = self.bodies[0]["position"] - self.bodies[1]["position"]
        self.move(1, motion, turn)
        half = np.add(turn, UPRIGHT) / np.linalg.norm(np.add(turn, UPRIGHT))
        carried, at_half = (np.subtract(rotate(tuple(q), tuple(arm)), arm) for q in (np.array(turn), half))
        self.move(0, np.array(motion) + carried + beside, turn, at_half - 0.5 * carried)

    def is_far(self, body: int = 0) -> bool:
        return bool(moves_far_beside(self.system, self.bodies[body], self.bodies[1 - body]))


@pytest.mark.parametrize("motion, angle", [((0.3, 0.0, 0.0), 0.0), ((1.5, 0.2, -0.7), 0.02), ((0.0, 0.0, 0.0), 0.1)])
def test_what_rides_along_is_not_swept_and_what_is_thrown_is(motion, angle):
    stage = Stage()
    stage.ride(motion, angle)
    assert not stage.is_far(0) and not stage.is_far(1)
    stage.ride(motion, angle, beside=(0.0, 0.05, 0.05))
    assert not stage.is_far(0)
    stage.ride(motion, angle, beside=(0.0, 0.2, 0.2))
    assert stage.is_far(0)


def test_what_stands_while_a_ship_flies_past_is_swept():
    stage = Stage()
    stage.move(1, (0.5, 0.0, 0.0), UPRIGHT)
    assert stage.is_far(0) and stage.is_far(1)
    stage.bodies[1]["active_index"] = -1  # a ship that sleeps: what the rows say of it is old
    assert not stage.is_far(0)


def test_what_swings_out_and_back_is_swept():
    """Its way is bent: halfway it is far aside, in the end where the ship brought it."""
    stage = Stage()
    stage.move(0, (0.0, 0.0, 0.0), UPRIGHT, bent=(0.0, 0.4, 0.0))
    assert stage.is_far(0)
