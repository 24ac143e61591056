"""Light links under heavy loads that something touches: they get more inertia for a step.

A link that heavy bodies pull from both sides turns back to the line of the force faster than sub-steps can follow. A tree that
nothing touches then takes its sub-steps in parts (parts.py), which contacts and networks cannot. So a rope over a drum, a loaded
chain across an edge and the like turn their links as if these had more inertia, as much as sub-steps can follow. What is lost is
the swinging of single links, which nobody sees, and not the line of the rope (S. Andrews, M. Teichmann, P. Kry, "Geometric
Stiffness for Real-time Constrained Multibody Dynamics", 2017, add the stiffness of such forces to the mass)."""

import numpy as np

from ..bodies.motion import update_world_inertia
from ..bodies.records import world_at
from ..bodies.schema import BODY
from ..constraints.body_terms import six
from ..constraints.schema import ANGULAR_VELOCITY, INERTIA_SIZE, ROW_SIZE, UNEVEN
from ..geometry.vector import dot, scale, symmetric_times, vector3
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .schema import LINEAR_AXES, TREE, TREE_NODE
from .solving import from_axes

INT32, FLOAT32, FLOAT64 = np.int32, np.float32, np.float64
MOST_TURN = 1.3
"""How far a link may turn back in a sub-step [rad]."""
KEPT, LEAST = 0.9, 0.01
"""The part of its burden that a link has in the next step at least, and the least that counts."""


@kernel
def turning_back(arm, pull, inverse):
    """Twice the square of the frequency [1/s^2] at which a force `pull` [N] at an arm [m] turns a round link back, whose inverse
    inertia is `inverse`. The energy of a turn t is (F . r t . t - F . t r . t) / 2; this is its trace, by the inertia."""
    return dot(pull, arm) * (inverse[0] + inverse[1] + inverse[2]) - dot(arm, symmetric_times(inverse, pull))


@kernel
def turned_back(body, joint, side, pull):
    """The square of the angle [rad] by which a link is turned back in a sub-step of h [s]. `pull`: of the joint, times h^2."""
    return 0.5 * abs(turning_back(vector3(joint.arms[side]), pull, six(body.inverse_inertia_world)))


@kernel
def load_link(system, body, number, before, burden):
    """Give a body more inertia by a part of its own, which was another one `before`. Where it grows, the body keeps its angular
    momentum, and where it shrinks its spin: neither adds energy. `number`: of its solver row."""
    row = view(system.solver.rows + number * ROW_SIZE, 16, FLOAT32)
    inertia = view(system.solver.inertias + number * INERTIA_SIZE, 6, FLOAT32)
    part, slowed = 1.0 / (1.0 + burden), min((1.0 + before) / (1.0 + burden), 1.0)
    for k in range(6):
        body.inverse_inertia_world[k] *= FLOAT32(part)
        if row[UNEVEN] > 0.0:
            inertia[k] *= FLOAT32(part)
    for k in range(3):
        row[ANGULAR_VELOCITY + k] *= FLOAT32(slowed)


@kernel
def note_pulls(system, bodies, nodes, joints, tree, h):
    """Write the square of the angle [rad] by which the loads of the step before turn each link of a tree back in a sub-step of
    `h` [s], to `wanted`."""
    for n in range(tree.first, tree.first + tree.count):
        nodes[n].wanted[0] = 0.0
    for index in view(system.joints.active, system.joints.count, INT32)[tree.first_joint : tree.first_joint + tree.joint_count]:
        joint = joints[index]
        if not joint.locked & LINEAR_AXES:
            continue
        pull = scale(from_axes(joint.axes, vector3(joint.linear_impulse)), h * system.step.warm_part)
        for side in range(2):
            if joint.ends[side] >= 0:
                node = nodes[joint.ends[side]]
                node.wanted[0] += turned_back(bodies[node.body], joint, side, pull)


@kernel
def weigh_down(system, bodies, nodes, joints, tree):
    """Give the links of a loaded tree as much inertia as sub-steps need, until `give_inertia_back`. Less is needed at once if a
    load bounces, so the inertia shrinks slowly."""
    note_pulls(system, bodies, nodes, joints, tree, system.step.last_delta_time / system.settings.substep_count)
    for n in range(tree.first, tree.first + tree.count):
        node = nodes[n]
        at = node if node.joint >= 0 else nodes[min(n + 1, tree.first + tree.count - 1)]  # the first child of a free root
        if at.joint < 0:
            continue
        side = at.side if node.joint >= 0 else 1 - at.side
        before = FLOAT64(joints[at.joint].burdens[side])
        burden = max(node.wanted[0] / (MOST_TURN * MOST_TURN) - 1.0, KEPT * before)
        joints[at.joint].burdens[side] = FLOAT32(burden if burden > LEAST else 0.0)
        if burden > LEAST:
            load_link(system, bodies[node.body], node.row, before, burden)
            tree.is_weighed = INT32(1)


@kernel
def give_inertia_back(system):
    """Undo `weigh_down` for all trees when joints have been solved."""
    world = world_at(system.world)
    bodies, trees = view(world.bodies, world.body_capacity, BODY), view(system.joints.trees, system.joints.tree_count, TREE)
    nodes = view(system.joints.nodes, system.joints.node_count, TREE_NODE)
    for t in range(system.joints.tree_count):
        if trees[t].is_weighed:
            for n in range(trees[t].first, trees[t].first + trees[t].count):
                update_world_inertia(bodies[nodes[n].body])
