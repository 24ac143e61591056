"""The nodes of the quad trees of the broad phase, as boxes by level."""

import numpy as np

from ..broad_phase.nodes import HEAD, LOW_32, NODE_SIZE, NODES
from ..broad_phase.origins import last_root, tree_origin
from ..broad_phase.schema import NODE, TREE
from ..broad_phase.tree_edits import enter, leave
from ..runtime import atomics
from ..runtime.call import load_int64
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_row, stack_array, view
from .rows import add_bounds, hue, is_near

TREE_SIZE = TREE.itemsize
STACK = 512
"""Nodes that wait: at most three a level, and trees have few levels; a node for which there is no room is left out."""


@kernel
def add_node(request, node, level, origin, stack, levels, count):
    """Add the boxes of a node's children, and put those that are nodes on the stack. Return its new height."""
    for slot in range(4):
        child = node.children[slot]
        low, high = (
            (np.float64(node.min_x[slot]), np.float64(node.min_y[slot]), np.float64(node.min_z[slot])),
            (np.float64(node.max_x[slot]), np.float64(node.max_y[slot]), np.float64(node.max_z[slot])),
        )
        if child < 0 or low[0] > high[0] or not is_near(request, low, high, origin):
            continue
        add_bounds(request, low, high, origin, hue(level))
        if count < STACK:
            stack[count], levels[count] = child, np.int32(level + 1)
            count += 1
    return count


@kernel
def add_trees(request, system):
    """Add the nodes of all trees of a system, without the bodies in them."""
    stack, levels = stack_array(STACK, np.int32), stack_array(STACK, np.int32)
    hint = address_of_row(stack, 0)
    for layer in range(system.trees.layer_count):
        tree = system.trees.rows + layer * TREE_SIZE
        generation = enter(tree, hint)
        head = atomics.load_acquire_int64(tree + HEAD)
        root = head & LOW_32
        if head >> 32 != generation:
            root = last_root(tree, generation, root)
        origin, nodes = tree_origin(tree, generation), load_int64(tree + NODES)
        stack[0], levels[0] = np.int32(root), np.int32(0)
        count = np.int64(1)
        while count > 0:
            count -= 1
            node = view(nodes + np.int64(stack[count]) * NODE_SIZE, 1, NODE)[0]
            count = add_node(request, node, np.int64(levels[count]), origin, stack, levels, count)
        leave(tree, generation, hint)
