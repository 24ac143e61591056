"""Surfaces that turn under what lies on them: kinematic turntables, and conveyors with an angular surface velocity.

A block has the velocity of such a surface where it touched the other body as the step began. Held for the whole step, that
velocity takes a rider straight along the tangent, and out by half of w^2 r a tick. So each sub-step aims at the velocity of the
surface where the rider is now. The rider may turn along, slide or roll: only the place of the contact counts, and that moves with
the rider's centre.

The velocity is that of the middle of the sub-step that has just passed. The impulse of friction is applied once more before
bodies move again (warm start), which turns it on by one sub-step: bodies move with the velocity of the middle of their way. This
is the leapfrog method, which keeps the radius of a circle.
"""

import numpy as np

from ..constraints.blocks import field, field3, put
from ..constraints.schema import NORMAL, TABLE_SPIN, TANGENT, TANGENT_VELOCITY
from ..geometry.wide_vector import cross8, dot8, is_any_above8
from ..runtime.kernel import kernel
from ..runtime.vector8 import absolute8, splat8

FLOAT32 = np.float32


@kernel
def carries_around(block):
    """Whether some lane of a block has a surface that turns about the contact's normal."""
    return is_any_above8(absolute8(field(block, TABLE_SPIN)), splat8(FLOAT32(0.0)))


@kernel
def aim_along_arcs(block, motion_a, motion_b, v_a, v_b, half):
    """Add to the target velocities of a block by how much the rider's way since the step began has turned them. Return the
    targets as they were. `motion_*`: translations first [m]; `half`: of a sub-step [s]."""
    normal, tangent, spin = field3(block, NORMAL), field3(block, TANGENT), field(block, TABLE_SPIN)
    straight = field(block, TANGENT_VELOCITY), field(block, TANGENT_VELOCITY + 1)
    way = (
        (motion_b[0] - motion_a[0]) - half * (v_b[0] - v_a[0]),
        (motion_b[1] - motion_a[1]) - half * (v_b[1] - v_a[1]),
        (motion_b[2] - motion_a[2]) - half * (v_b[2] - v_a[2]),
    )
    # The surface moves by spin * (normal x way) more, B relative to A by as much less, whichever of the two is the surface.
    put(block, TANGENT_VELOCITY, straight[0] + spin * dot8(cross8(normal, tangent), way))
    put(block, TANGENT_VELOCITY + 1, straight[1] - spin * dot8(tangent, way))
    return straight


@kernel
def aim_back(block, straight):
    """Write the targets back that `aim_along_arcs` returned."""
    put(block, TANGENT_VELOCITY, straight[0])
    put(block, TANGENT_VELOCITY + 1, straight[1])
