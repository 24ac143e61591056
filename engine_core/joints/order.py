"""Which joints a step solves, and in what order: tree by tree, then those in no tree, colour by colour.

Bodies that are joined without a loop are a tree, which trees.py solves as a whole, with the joints that close its loops if these
are few; with many, or with heavy loads in a loop, it is a network, which networks.py solves. A tree's joints and their rows are
stored consecutively in the order in which it is solved: a heap of rag dolls is larger than the caches.
"""

import numpy as np

from ..bodies.records import world_at
from ..bodies.schema import BODY, RIGID
from ..constraints.colours import colours_of
from ..constraints.schema import COLOUR_COUNT
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .colours import moves
from .loaded_links import weigh_down
from .locked_axes import is_plain
from .network_layout import lay_out_blocks
from .preparation import count_rows, joints_of
from .schema import (
    ANGULAR_AXES, LINEAR_AXES, LOOP_ROWS, MOST_CLOSERS, NODE_ROWS, TREE, TREE_NODE, UNLIMITED,
)  # fmt: skip

INT32, FLOAT32 = np.int32, np.float32
LARGEST_TREE = 1024
"""A tree is solved by one thread: a larger one is cut, and the cut joint is solved in the coloured passes."""
IN_NO_TREE, LEFT_OPEN = -1, -2
"""Values for nodes of joints: in no tree, or not yet; and while trees are laid out, of a joint that closes a loop and must not be
in the tree."""
HEAVY = 8.0
"""A load is heavy if it has more than this many times the mass of the body that carries it."""
MOST_LOOP_WORK = 2048
"""Limit on bodies of a tree times axes that its loops lock. Trees above it are networks."""


@kernel
def nodes_of(system):
    return view(system.joints.nodes, system.joints.node_count, TREE_NODE)


@kernel
def members_of(colours, colour):
    """The joints of a colour."""
    return view(colours.joint_lists[colour], colours.joint_counts[colour], INT32)


@kernel
def fits_tree_body(bodies, index):
    """Whether a body can be a node: it has a mass and turns about all axes, those that are locked aside."""
    if not moves(bodies, index):
        return False
    body = bodies[index]
    inertia = body.inverse_inertia_local
    is_whole = inertia[0] > 0.0 and inertia[1] > 0.0 and inertia[2] > 0.0
    return body.mode == RIGID and body.inverse_mass > 0.0 and is_whole


@kernel
def fits_tree(joint):
    """Whether a joint is solved, has locked axes, and no limit on their impulse."""
    return (
        joint.colour >= 0 and joint.node < 0 and joint.locked & (LINEAR_AXES | ANGULAR_AXES) != 0
        and joint.max_impulse >= FLOAT32(UNLIMITED)
    )


@kernel
def fits_ends(bodies, joint):
    """Whether each of a joint's bodies can be a node or is fixed."""
    a, b = joint.bodies[0], joint.bodies[1]
    return (not moves(bodies, a) or fits_tree_body(bodies, a)) and (not moves(bodies, b) or fits_tree_body(bodies, b))


@kernel
def link_of(bodies, index):
    """The place of a body among the links of `leave_loops_open`; all static bodies are one link, 0."""
    return bodies[index].active_index + 1 if moves(bodies, index) else 0


@kernel
def lowest_link(links, slot):
    while links[slot] != slot:
        links[slot] = links[links[slot]]
        slot = links[slot]
    return slot


@kernel
def leave_loops_open(system, bodies):
    """Choose the joints that close loops so that driven joints are in the tree, where their motors are solved with everything
    attached (Kruskal's spanning tree: driven joints first). Joints to fixed bodies come after joints between bodies: otherwise a
    loop through the ground would be two trees. Only called if some joint of the system is driven."""
    colours, joints = colours_of(system), joints_of(system)
    links = view(system.step.spare_list, system.bodies.active_count + 1, INT32)
    for slot in range(system.bodies.active_count + 1):
        links[slot] = INT32(slot)
    for turn in range(4):
        for colour in range(COLOUR_COUNT + 1):
            for index in members_of(colours, colour):
                joint = joints[index]
                a, b = link_of(bodies, joint.bodies[0]), link_of(bodies, joint.bodies[1])
                its_turn = 2 * (min(a, b) == 0) + (joint.driven == 0)
                if its_turn != turn or not fits_tree(joint) or not fits_ends(bodies, joint):
                    continue
                a, b = lowest_link(links, a), lowest_link(links, b)
                if a == b:
                    joint.node = INT32(LEFT_OPEN)
                links[max(a, b)] = INT32(min(a, b))


@kernel
def add_node(system, bodies, numbers, body, joint_index, side, parent):
    """Append a body to the tree that is being built."""
    at = system.joints.node_count
    system.joints.node_count = at + 1
    node = nodes_of(system)[at]
    node.body, node.row = INT32(body), INT32(bodies[body].active_index + 1)
    node.joint, node.side, node.parent = INT32(joint_index), INT32(side), INT32(parent)
    node.tree, node.count = INT32(system.joints.tree_count), INT32(-1)
    numbers[bodies[body].active_index] = INT32(at)
    for k in range(6):
        node.drift[k] = 0.0
    if joint_index >= 0:
        joint = joints_of(system)[joint_index]
        joint.node = INT32(at)
        for k in range(6):
            node.drift[k] = joint.drift[k]
    return at


@kernel
def grow_tree(system, bodies, numbers, first):
    """Add all bodies joined to the node `first`, parents before children."""
    joints = joints_of(system)
    at = first
    while at < system.joints.node_count:
        key = bodies[nodes_of(system)[at].body].first_joint
        while key >= 0 and system.joints.node_count - first < LARGEST_TREE:
            index, side = key >> 1, key & 1
            joint = joints[index]
            key = joint.next[side]
            other = joint.bodies[1 - side]
            is_edge = joint.node == IN_NO_TREE and fits_tree(joint)
            if is_edge and fits_tree_body(bodies, other) and numbers[bodies[other].active_index] < 0:
                add_node(system, bodies, numbers, other, index, 1 - side, at)
        at += 1
    tree = view(system.joints.trees, system.joints.tree_count + 1, TREE)[system.joints.tree_count]
    tree.first, tree.count = INT32(first), INT32(system.joints.node_count - first)
    tree.is_coupled = tree.is_looped = tree.is_network = tree.is_split = tree.is_touched = tree.is_drifting = INT32(0)
    tree.closer_count = tree.loop_rows = tree.is_heavy = tree.is_weighed = tree.in_parts = tree.is_bound = INT32(0)
    tree.spare = 0.0
    tree.has_locks = INT32(0)
    for n in range(tree.first, tree.first + tree.count):
        if bodies[nodes_of(system)[n].body].axis_locks != 0:
            tree.has_locks = INT32(1)
    system.joints.tree_count += 1


@kernel
def begin_tree_at(system, bodies, numbers, index, hangs):
    """Begin a tree at a suitable joint that is in none. `hangs`: at one attached to a fixed body, else at others."""
    joint = joints_of(system)[index]
    a, b = joint.bodies[0], joint.bodies[1]
    is_hung = not (moves(bodies, a) and moves(bodies, b))
    if is_hung != hangs or joint.node != IN_NO_TREE or not fits_tree(joint):
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
    """Find the trees of this step. Those attached to a fixed body begin there. Serial, in the order of the joints."""
    world, colours = world_at(system.world), colours_of(system)
    bodies = view(world.bodies, world.body_capacity, BODY)
    joints = joints_of(system)
    numbers = view(system.step.scratch, system.bodies.active_count, INT32)
    system.joints.node_count = system.joints.tree_count = 0
    count, is_driven = 0, False
    for colour in range(COLOUR_COUNT + 1):
        for index in members_of(colours, colour):
            joints[index].node = INT32(IN_NO_TREE)
            is_driven |= joints[index].driven != 0
        count += colours.joint_counts[colour]
    if count == 0:
        return
    if is_driven:
        leave_loops_open(system, bodies)
    for slot in range(system.bodies.active_count):
        numbers[slot] = INT32(-1)
    for turn in range(2):
        for colour in range(COLOUR_COUNT + 1):
            for index in members_of(colours, colour):
                begin_tree_at(system, bodies, numbers, index, turn == 0)


@kernel
def end_of(bodies, numbers, index):
    """The node of a body; -1 for what does not move, -2 for what moves in no tree."""
    if not moves(bodies, index):
        return -1
    number = numbers[bodies[index].active_index]
    return number if number >= 0 else -2


@kernel
def note_closer(system, bodies, numbers, index):
    """Record a joint between bodies of one tree, or between one and a fixed body, with its tree. All of them are counted."""
    joint = joints_of(system)[index]
    if not fits_tree(joint):
        return
    joint.node = INT32(IN_NO_TREE)
    a, b = end_of(bodies, numbers, joint.bodies[0]), end_of(bodies, numbers, joint.bodies[1])
    if min(a, b) < -1 or (min(a, b) >= 0 and nodes_of(system)[a].tree != nodes_of(system)[b].tree):
        return
    tree = view(system.joints.trees, system.joints.tree_count, TREE)[nodes_of(system)[max(a, b)].tree]
    if tree.closer_count < MOST_CLOSERS:
        tree.closers[tree.closer_count] = INT32(index)
        tree.ends[tree.closer_count, 0], tree.ends[tree.closer_count, 1] = INT32(a), INT32(b)
    tree.closer_count += 1
    for axis in range(NODE_ROWS):
        tree.loop_rows += joint.locked >> axis & 1


@kernel
def find_closers(system, bodies):
    """Find the joints that are solved with a tree whose loops they close. A tree with too many for loops.py may be a network."""
    colours, joints, nodes = colours_of(system), joints_of(system), nodes_of(system)
    numbers = view(system.step.scratch, system.bodies.active_count, INT32)
    for colour in range(COLOUR_COUNT + 1):
        for index in members_of(colours, colour):
            note_closer(system, bodies, numbers, index)
    trees = view(system.joints.trees, system.joints.tree_count, TREE)
    for t in range(system.joints.tree_count):
        tree = trees[t]
        tree.let_go = INT32(0)
        has_many = tree.closer_count > MOST_CLOSERS or tree.loop_rows > LOOP_ROWS or tree.count * tree.loop_rows > MOST_LOOP_WORK
        is_held_twice = tree.has_locks and not is_plain(joints, nodes, bodies, tree)
        tree.is_looped = INT32(tree.closer_count > 0 or is_held_twice)
        tree.is_heavy = INT32(carries_heavy_loads(bodies, nodes, tree))
        if has_many or is_held_twice or (tree.is_looped and tree.is_heavy):
            tree.is_network, tree.closer_count = INT32(1), INT32(0)
        for c in range(tree.closer_count):
            joints[tree.closers[c]].node = max(tree.ends[c, 0], tree.ends[c, 1])


@kernel
def list_closers(system, bodies, nodes, tree, numbers):
    """List the joints of a network that close its loops."""
    joints = joints_of(system)
    for n in range(tree.first, tree.first + tree.count):
        key = bodies[nodes[n].body].first_joint
        while key >= 0:
            index, side = key >> 1, key & 1
            joint = joints[index]
            key = joint.next[side]
            other = end_of(bodies, numbers, joint.bodies[1 - side])
            is_in_tree = other == -1 or (other >= 0 and other < n and nodes[other].tree == nodes[n].tree)
            if is_in_tree and joint.node == IN_NO_TREE and fits_tree(joint):
                joint.node = INT32(n)
                list_joint(system, index)
                joint.ends[side], joint.ends[1 - side] = INT32(n), INT32(other)


@kernel
def leave_network(system, bodies, nodes, joints, tree, numbers, in_tree):
    """Leave the joints that close loops of a tree to the coloured passes, and all of them where axes are locked. `in_tree`: how
    many joints are in the tree."""
    if tree.has_locks:
        for n in range(tree.first, tree.first + tree.count):
            numbers[bodies[nodes[n].body].active_index] = INT32(-1)
        tree.count, tree.is_heavy, in_tree = INT32(0), INT32(0), 0
    for index in view(system.joints.active, system.joints.count, INT32)[tree.first_joint + in_tree :]:
        joints[index].node = INT32(IN_NO_TREE)
        system.joints.count -= 1
        system.joints.row_count -= joints[index].row_count
    tree.is_network, tree.joint_count = INT32(0), INT32(in_tree)


@kernel
def list_tree(system, bodies, nodes, joints, tree):
    """List the joints of a tree, those that close its loops last, and note which nodes they join."""
    numbers = view(system.step.scratch, system.bodies.active_count, INT32)
    tree.first_joint = INT32(system.joints.count)
    for n in range(tree.first, tree.first + tree.count):
        node = nodes[n]
        if node.joint >= 0:
            list_joint(system, node.joint)
            joints[node.joint].ends[node.side], joints[node.joint].ends[1 - node.side] = INT32(n), node.parent
    in_tree = system.joints.count - tree.first_joint
    for c in range(tree.closer_count):
        list_joint(system, tree.closers[c])
        joints[tree.closers[c]].ends[0], joints[tree.closers[c]].ends[1] = tree.ends[c, 0], tree.ends[c, 1]
    if tree.is_network:
        list_closers(system, bodies, nodes, tree, numbers)
    tree.joint_count = INT32(system.joints.count - tree.first_joint)
    if tree.is_network and not lay_out_blocks(system, nodes, joints, tree):
        leave_network(system, bodies, nodes, joints, tree, numbers, in_tree)


@kernel
def list_joint(system, index):
    """Append a joint to those of this step, and assign the place of its rows."""
    joint = joints_of(system)[index]
    joint.first_row, joint.row_count = INT32(system.joints.row_count), INT32(count_rows(joint))
    joint.is_split = joint.is_in_network = INT32(0)
    system.joints.row_count += joint.row_count
    view(system.joints.active, system.joints.count + 1, INT32)[system.joints.count] = INT32(index)
    system.joints.count += 1


@kernel
def couple_trees(system, bodies, joint):
    """Mark the trees that a joint in no tree is attached to."""
    numbers = view(system.step.scratch, system.bodies.active_count, INT32)
    for side in range(2):
        body = joint.bodies[side]
        if moves(bodies, body) and numbers[bodies[body].active_index] >= 0:
            number = nodes_of(system)[numbers[bodies[body].active_index]].tree
            tree = view(system.joints.trees, system.joints.tree_count, TREE)[number]
            tree.is_coupled = INT32(1)
            if joint.locked & (LINEAR_AXES | ANGULAR_AXES):
                tree.is_looped = INT32(1)


@kernel
def split_tree(system, bodies, nodes, joints, tree):
    """Record whether contacts push a tree, and whether forces and springs act on it in halves. That is not possible if something
    that works in whole sub-steps acts on its bodies: contacts, joints outside the tree, locked axes, springs too stiff for their
    sub-steps."""
    is_free = tree.is_coupled == 0
    for n in range(tree.first, tree.first + tree.count):
        body = bodies[nodes[n].body]
        if body.colour_mask != 0:
            tree.is_touched = INT32(1)
        is_free &= body.mode == RIGID
    tree.is_heavy &= INT32(tree.is_coupled == 0)
    if tree.is_heavy and (tree.is_touched or tree.is_network):
        weigh_down(system, bodies, nodes, joints, tree)
        tree.is_heavy &= INT32(tree.is_network == 0)  # a network takes no sub-steps in parts
    if tree.is_touched or not is_free:
        return
    active = view(system.joints.active, system.joints.count, INT32)[tree.first_joint : tree.first_joint + tree.joint_count]
    for index in active:
        if joints[index].is_stiff:
            return
    tree.is_split = INT32(1)
    for index in active:
        joints[index].is_split = INT32(1)


@kernel
def weigh_neighbours(bodies, nodes, tree):
    """Write to `push` of each node of a tree: its mass, the heaviest mass on the way up, the heaviest below it, and the heaviest
    below another of its children [kg]. A fixed body has no end of mass."""
    last = tree.first + tree.count - 1
    for n in range(tree.first, last + 1):
        push = nodes[n].push
        push[0] = 1.0 / bodies[nodes[n].body].inverse_mass
        push[1], push[2], push[3] = (UNLIMITED if nodes[n].joint >= 0 else 0.0), 0.0, 0.0
    for n in range(last, tree.first, -1):
        own, above = nodes[n].push, nodes[nodes[n].parent].push
        heaviest = max(own[0], own[2])
        above[3] = max(above[3], min(above[2], heaviest))
        above[2] = max(above[2], heaviest)
    for n in range(tree.first + 1, last + 1):
        own, above = nodes[n].push, nodes[nodes[n].parent].push
        beside = above[3] if above[2] == max(own[0], own[2]) else above[2]
        own[1] = max(above[0], above[1], beside)


@kernel
def may_carry_heavy_loads(bodies, nodes, tree):
    """Whether the bodies of a tree differ enough in mass for `carries_heavy_loads`: touches no more than is in the cache."""
    lightest, heaviest, second = 0.0, UNLIMITED, UNLIMITED  # inverse masses; of those that have something below
    for n in range(tree.first, tree.first + tree.count):
        inverse, parent = bodies[nodes[n].body].inverse_mass, nodes[n].parent
        second = min(second, max(heaviest, inverse))
        heaviest = min(heaviest, inverse)
        if parent >= 0:
            lightest = max(lightest, bodies[nodes[parent].body].inverse_mass)
    is_hung = nodes[tree.first].joint >= 0 or tree.is_looped
    return lightest > HEAVY * (heaviest if is_hung else second)


@kernel
def carries_heavy_loads(bodies, nodes, tree):
    """Whether some body of a tree is pulled from two sides by something much heavier. In a loop that may be any two."""
    if not may_carry_heavy_loads(bodies, nodes, tree):
        return False
    weigh_neighbours(bodies, nodes, tree)
    root = nodes[tree.first].push
    heaviest = max(root[0], root[2])
    for n in range(tree.first, tree.first + tree.count):
        push = nodes[n].push
        load = heaviest if tree.is_looped else max(min(push[1], push[2]), push[3])
        if load > HEAVY * push[0]:
            return True
    return False


@kernel
def lay_out_joints(system):
    """List the joints of this step: tree by tree, then those in no tree, colour by colour."""
    lay_out_trees(system)
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    colours, joints, nodes = colours_of(system), joints_of(system), nodes_of(system)
    system.joints.count = system.joints.row_count = system.joints.block_count = 0
    find_closers(system, bodies)
    trees = view(system.joints.trees, system.joints.tree_count, TREE)
    for t in range(system.joints.tree_count):
        list_tree(system, bodies, nodes, joints, trees[t])
    in_trees = system.joints.count
    for colour in range(COLOUR_COUNT + 1):
        colours.first_loose[colour] = system.joints.count
        for index in members_of(colours, colour):
            if joints[index].node < 0:
                list_joint(system, index)
                couple_trees(system, bodies, joints[index])
        colours.loose_counts[colour] = system.joints.count - colours.first_loose[colour]
    for t in range(system.joints.tree_count):
        split_tree(system, bodies, nodes, joints, trees[t])
    system.joints.loose_count = system.joints.count - in_trees
