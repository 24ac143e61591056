"""Which trees of bodies with locked axes are solved as those without: chains and linkages of games in a plane.

A joint's axis along which neither of its bodies may move is left out (`write_jacobians` in trees.py). The others must make a
tree: a lock holds its body at the ground, so locks that differ close loops, which networks.py solves.
"""

from ..geometry.vector import multiply, quaternion, rotate
from ..runtime.kernel import kernel
from .colours import moves
from .schema import NODE_ROWS

STRAIGHT = 1.0e-3
"""An axis lies along others if the square of what lies across them is less."""
IN_YZ, IN_XZ, IN_XY = 0b110001, 0b101010, 0b011100
"""Axes that are locked of a body that moves in a plane, see BODY.axis_locks."""


@kernel
def lies_along(locks, axis):
    """Whether a unit vector lies along locked axes (bits), or across all of them."""
    x, y, z = axis
    across = x * x * (1 - (locks & 1)) + y * y * (1 - (locks >> 1 & 1)) + z * z * (1 - (locks >> 2 & 1))
    return across < STRAIGHT or across > 1.0 - STRAIGHT


@kernel
def is_straight(bodies, joint):
    """Whether each locked axis of a joint lies along the locked axes of each of its bodies or across them. Between them, two axes
    of the joint may hold one motion, which the solution of a tree does not allow."""
    frame = quaternion(joint.frame_rotations[0])
    if joint.bodies[0] >= 0:
        frame = multiply(quaternion(bodies[joint.bodies[0]].rotation), frame)
    for side in range(2):
        if moves(bodies, joint.bodies[side]):
            locks = bodies[joint.bodies[side]].axis_locks
            for axis in range(NODE_ROWS):
                k = axis % 3
                unit = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
                if joint.locked >> axis & 1 and not lies_along(locks >> axis - k, rotate(frame, unit)):
                    return False
    return True


@kernel
def is_plain(joints, nodes, bodies, tree):
    """Whether a tree with locked axes can be solved as one without: all its bodies have the same ones, and its joints are
    straight. One body may have more of them, as a cart on rails, if all move in one plane. With a second one, or a joint to
    something fixed, this would be a loop through the ground."""
    common, others = bodies[nodes[tree.first].body].axis_locks, 0
    for n in range(tree.first, tree.first + tree.count):
        common &= bodies[nodes[n].body].axis_locks
    for n in range(tree.first, tree.first + tree.count):
        others += bodies[nodes[n].body].axis_locks != common
        if nodes[n].joint >= 0 and not is_straight(bodies, joints[nodes[n].joint]):
            return False
    for c in range(tree.closer_count):
        if not is_straight(bodies, joints[tree.closers[c]]):
            return False
    in_plane = common & IN_YZ == IN_YZ or common & IN_XZ == IN_XZ or common & IN_XY == IN_XY
    return others == 0 or (others == 1 and in_plane and nodes[tree.first].joint < 0 and tree.closer_count == 0)
