"""When shapes in motion first touch."""

import numpy as np
import pytest

from scree.collision.gaps import NO_FRACTION
from scree.collision.sweeps import SWEEP, reach_of, sweep_shapes

from .bodies import IDENTITY, ORIGIN, Shapes


def sweep(shapes: Shapes, a: int, position, motion, b: int) -> float:
    """The part of its motion [m] that A may go before it meets B, which stands at the origin."""
    sweeps = np.zeros(2, SWEEP)
    for row in sweeps:
        row["rotation"] = row["end_rotation"] = row["local_rotation"] = IDENTITY
    sweeps[0]["motion"] = motion
    sweeps[1]["position"] = np.negative(position)
    for row, shape in zip(sweeps, (a, b), strict=True):
        row["reach"] = reach_of(shapes.rows[shape], ORIGIN)
    return sweep_shapes(sweeps, shapes.rows[a], shapes.rows[b], 1.0)


@pytest.mark.parametrize("two_sided", [False, True])
def test_a_ball_leaves_through_the_front_of_a_triangle(two_sided):
    """It flies upwards past the lower edge of a slope that rises to the left, with its middle on the upper side."""
    shapes = Shapes()
    ball = shapes.sphere(0.5)
    slope = shapes.mesh([(0.0, 0.0, -5.0), (0.0, 0.0, 5.0), (-5.0, 5.0, 0.0)], [(1, 0, 2)], two_sided)
    at = np.array((0.3, -0.25, 0.0))
    assert (sweep(shapes, ball, at, (0.0, 2.0, 0.0), slope) == NO_FRACTION) == (not two_sided)
    assert sweep(shapes, ball, at + (0.7, 1.7, 0.0), (-2.0, -2.0, 0.0), slope) < 0.8
