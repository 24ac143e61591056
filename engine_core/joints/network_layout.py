"""Networks: trees of joints with more loops, or heavier loads in them, than loops.py takes, as nets, trusses and bridges have.
Which bodies of one its solution couples.

The bodies of a tree are eliminated from its last node to its first (networks.py). One that is eliminated couples all those that
it was coupled to. Nodes are in the order of a search in breadth, and eliminated backwards: the order of Cuthill and McKee,
reversed, which keeps the blocks of long structures few (A. George, J. Liu, "Computer Solution of Large Sparse Positive Definite
Systems", 1981).
"""

import numpy as np

from ..runtime.kernel import kernel
from ..runtime.memory import view
from .schema import NETWORK_BLOCK

INT32 = np.int32
MOST_BLOCKS = 12
"""The most blocks of a network, for each of its bodies. One that needs more is solved joint by joint, softer and cheaper."""
MOST_WORK = 16384
"""The most products of two blocks in a factorization. They take a millisecond, and a step has four to eight factorizations. A net
or a plate of 150 bodies needs so many, a bridge of 1,000 fewer."""


@kernel
def blocks_of(system):
    """The blocks of all networks, and one more if there is room."""
    return view(system.joints.blocks, min(system.joints.block_count + 1, system.joints.block_capacity), NETWORK_BLOCK)


@kernel
def find_block(blocks, node, lower):
    """The block that couples a node to the node `lower`; -1: there is none."""
    at = node.first_block
    while at >= 0 and blocks[at].lower != lower:
        at = blocks[at].next
    return at


@kernel
def add_block(system, lower, following, most):
    """Add a block. Return its number; -1: there is no room."""
    at = system.joints.block_count
    if at >= most:
        return -1
    block = blocks_of(system)[at]
    block.lower, block.next = INT32(lower), INT32(following)
    system.joints.block_count = at + 1
    return at


@kernel
def couple(system, nodes, a, b, most):
    """Add the block of two nodes, if it is not there. Return whether there is room: at most `most` blocks in all."""
    higher, lower = max(a, b), min(a, b)
    if find_block(blocks_of(system), nodes[higher], lower) >= 0:
        return True
    at = add_block(system, lower, nodes[higher].first_block, most)
    if at >= 0:
        nodes[higher].first_block = INT32(at)
    return at >= 0


@kernel
def couple_lowers(system, nodes, n, most):
    """Couple all nodes that node n is coupled to with each other. Return the products that this takes; `MOST_WORK` and more if
    there is no room."""
    outer, work = INT32(nodes[n].first_block), 0
    while outer >= 0:
        blocks = blocks_of(system)
        inner = INT32(blocks[outer].next)
        work += 1
        while inner >= 0:
            if not couple(system, nodes, blocks[outer].lower, blocks[inner].lower, most):
                return MOST_WORK
            work += 1
            inner = INT32(blocks[inner].next)
        outer = INT32(blocks[outer].next)
    return work


@kernel
def lay_out_blocks(system, nodes, joints, tree):
    """Find the blocks of a network. Return whether there is room for them; otherwise it has none."""
    first = system.joints.block_count
    most, last = min(first + MOST_BLOCKS * tree.count, system.joints.block_capacity), tree.first + tree.count - 1
    tree.first_block, has_room = INT32(first), True
    for n in range(tree.first, last + 1):
        nodes[n].first_block = INT32(-1)
        has_room &= add_block(system, n, -1, most) >= 0
    listed = view(system.joints.active, system.joints.count, INT32)[tree.first_joint : tree.first_joint + tree.joint_count]
    for index in listed:
        ends = joints[index].ends
        if has_room and ends[0] >= 0 and ends[1] >= 0:
            has_room = couple(system, nodes, ends[0], ends[1], most)
    n, work = last, 0
    while has_room and n > tree.first:
        work += couple_lowers(system, nodes, n, most)
        has_room = work < MOST_WORK
        n -= 1
    if not has_room:
        system.joints.block_count = first
    for index in listed:
        joints[index].held, joints[index].is_in_network = np.uint32(0), INT32(has_room)
    tree.block_count = INT32(system.joints.block_count - first)
    return has_room
