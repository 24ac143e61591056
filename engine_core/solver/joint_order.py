"""Which joints a step solves, and in what order: tree by tree, then those that stand in no tree, colour by colour.

What is joined without a loop is a tree of bodies, which joint_trees.py solves as a whole. A tree's joints lie side by side in the
order in which it is solved, and so do their rows: a heap of rag dolls is larger than the caches.
"""

import numpy as np

from ..bodies.schema import BODY, RIGID, WORLD
from ..constraints.joint_preparation import count_rows, joints_of
from ..constraints.joint_schema import ANGULAR_AXES, LINEAR_AXES, TREE, TREE_NODE, UNLIMITED
from ..constraints.schema import COLOUR_COUNT
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .colours import colours_of
from .joint_colours import moves

INT32, FLOAT32 = np.int32, np.float32
LARGEST_TREE = 1024
"""A tree is solved by one thread: what is longer is cut, and the cut is left to the coloured passes."""


@kernel
def nodes_of(system):
    return view(system.joint_nodes, system.joint_node_count, TREE_NODE)


@kernel
def members_of(colours, colour):
    """The joints of a colour."""
    return view(colours.joint_lists[colour], colours.joint_counts[colour], INT32)


@kernel
def fits_tree_body(bodies, index):
    """Whether a body can be a node: it moves in all directions."""
    if not moves(bodies, index):
        return False
    body = bodies[index]
    inertia = body.inverse_inertia_local
    is_whole = inertia[0] > 0.0 and inertia[1] > 0.0 and inertia[2] > 0.0
    return body.mode == RIGID and body.axis_locks == 0 and body.inverse_mass > 0.0 and is_whole


@kernel
def fits_tree(joint):
    """Whether a joint is solved, has locked axes, and no limit on what they do."""
    return (
        joint.colour >= 0 and joint.node < 0 and joint.locked & (LINEAR_AXES | ANGULAR_AXES) != 0
        and joint.max_impulse >= FLOAT32(UNLIMITED)
    )


@kernel
def add_node(system, bodies, numbers, body, joint_index, side, parent):
    """Append a body to the tree that is being built."""
    at = system.joint_node_count
    system.joint_node_count = at + 1
    node = nodes_of(system)[at]
    node.body, node.row = INT32(body), INT32(bodies[body].active_index + 1)
    node.joint, node.side, node.parent = INT32(joint_index), INT32(side), INT32(parent)
    node.tree, node.count = INT32(system.joint_tree_count), INT32(-1)
    numbers[bodies[body].active_index] = INT32(at)
    if joint_index >= 0:
        joints_of(system)[joint_index].node = INT32(at)
    return at


@kernel
def grow_tree(system, bodies, numbers, first):
    """Add all bodies that hang on the node `first`, parents before children."""
    joints = joints_of(system)
    at = first
    while at < system.joint_node_count:
        key = bodies[nodes_of(system)[at].body].first_joint
        while key >= 0 and system.joint_node_count - first < LARGEST_TREE:
            index, side = key >> 1, key & 1
            joint = joints[index]
            key = joint.next[side]
            other = joint.bodies[1 - side]
            if fits_tree(joint) and fits_tree_body(bodies, other) and numbers[bodies[other].active_index] < 0:
                add_node(system, bodies, numbers, other, index, 1 - side, at)
        at += 1
    tree = view(system.joint_trees, system.joint_tree_count + 1, TREE)[system.joint_tree_count]
    tree.first, tree.count = INT32(first), INT32(system.joint_node_count - first)
    tree.is_coupled = tree.is_looped = INT32(0)
    system.joint_tree_count += 1


@kernel
def begin_tree_at(system, bodies, numbers, index, hangs):
    """Begin a tree at a joint that fits and stands in none. `hangs`: at one that hangs on something fixed, else at others."""
    joint = joints_of(system)[index]
    a, b = joint.bodies[0], joint.bodies[1]
    is_hung = not (moves(bodies, a) and moves(bodies, b))
    if is_hung != hangs or not fits_tree(joint):
        return
    side = 0 if moves(bodies, a) else 1
    body = joint.bodies[side]
    if not fits_tree_body(bodies, body) or numbers[bodies[body].active_index] >= 0:
        return
    if not is_hung and not fits_tree_body(bodies, b):
        return
    grow_tree(system, bodies, numbers, add_node(system, bodies, numbers, body, index if is_hung else -1, side, -1))


@kernel
def lay_out_trees(system):
    """Find the trees of this step. Those that hang on something fixed begin there; serial, in the order of the joints."""
    world, colours = view(system.world, 1, WORLD)[0], colours_of(system)
    bodies = view(world.bodies, world.body_capacity, BODY)
    joints = joints_of(system)
    numbers = view(system.scratch, system.active_count, INT32)
    system.joint_node_count = system.joint_tree_count = 0
    count = 0
    for colour in range(COLOUR_COUNT + 1):
        for index in members_of(colours, colour):
            joints[index].node = INT32(-1)
        count += colours.joint_counts[colour]
    if count == 0:
        return
    for slot in range(system.active_count):
        numbers[slot] = INT32(-1)
    for turn in range(2):
        for colour in range(COLOUR_COUNT + 1):
            for index in members_of(colours, colour):
                begin_tree_at(system, bodies, numbers, index, turn == 0)


@kernel
def list_joint(system, index):
    """Append a joint to those of this step, and give its rows their place."""
    joint = joints_of(system)[index]
    joint.first_row, joint.row_count = INT32(system.joint_row_count), INT32(count_rows(joint))
    system.joint_row_count += joint.row_count
    view(system.active_joints, system.joint_count + 1, INT32)[system.joint_count] = INT32(index)
    system.joint_count += 1


@kernel
def couple_trees(system, bodies, joint):
    """Note the trees that a joint in no tree hangs on."""
    numbers = view(system.scratch, system.active_count, INT32)
    for side in range(2):
        body = joint.bodies[side]
        if moves(bodies, body) and numbers[bodies[body].active_index] >= 0:
            number = nodes_of(system)[numbers[bodies[body].active_index]].tree
            tree = view(system.joint_trees, system.joint_tree_count, TREE)[number]
            tree.is_coupled = INT32(1)
            if joint.locked & (LINEAR_AXES | ANGULAR_AXES):
                tree.is_looped = INT32(1)


@kernel
def lay_out_joints(system):
    """List the joints of this step: tree by tree, then those that stand in none, colour by colour."""
    lay_out_trees(system)
    world = view(system.world, 1, WORLD)[0]
    bodies = view(world.bodies, world.body_capacity, BODY)
    colours, joints, nodes = colours_of(system), joints_of(system), nodes_of(system)
    system.joint_count = system.joint_row_count = 0
    for n in range(system.joint_node_count):
        if nodes[n].joint >= 0:
            list_joint(system, nodes[n].joint)
    in_trees = system.joint_count
    for colour in range(COLOUR_COUNT + 1):
        colours.first_loose[colour] = system.joint_count
        for index in members_of(colours, colour):
            if joints[index].node < 0:
                list_joint(system, index)
                couple_trees(system, bodies, joints[index])
        colours.loose_counts[colour] = system.joint_count - colours.first_loose[colour]
    system.loose_joint_count = system.joint_count - in_trees
