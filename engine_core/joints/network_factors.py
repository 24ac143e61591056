"""The matrix of a network of joints, body by body, and its factors: a sparse Cholesky factorization in blocks of six rows.

Blocks are those of network_layout.py, column by column. Nodes are eliminated from the last to the first. With L L^T the block of
a node with itself and B another one of its blocks, the factor keeps L^-1, in the triangle of the node, and W = B L^-T, and blocks
of lower nodes lose W W^T (Golub and Van Loan, Matrix Computations, section 4.2). Four numbers of a column are one vector.

There are two matrices, see networks.py: number 0 for velocities, and 1 for errors.
"""

import numpy as np

from ..constraints.body_terms import six
from ..geometry.cholesky import entry, invert_6, multiply_lower_6, multiply_upper_6
from ..runtime.double4 import load_double4, splat_double4, store_double4
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_record, view
from .network_layout import blocks_of, find_block
from .schema import NETWORK_BLOCK
from .trees import put_six

INT32, FLOAT64 = np.int32, np.float64
SIZE, COLUMN, HALF = 6, 8, 32
"""Axes of a body; the numbers of a column of a block; bytes of one vector."""
COLUMN_BYTES, VALUES_BYTES = 8 * COLUMN, 8 * COLUMN * SIZE
VALUES = NETWORK_BLOCK.fields["values"][1]


@kernel
def triangle_of(node, which):
    """The triangle of a node in one of the matrices."""
    return node.inertia if which == 0 else node.block


@kernel
def values_of(block, which):
    """The address of the numbers of a block in one of the matrices."""
    return address_of_record(block) + VALUES + which * VALUES_BYTES


@kernel
def add_product(values, lower, higher, weight):
    """Add weight * lower higher^T to a block. `lower`: the address of six numbers and two zeros."""
    first, second = load_double4(lower), load_double4(lower + HALF)
    for k in range(SIZE):
        at, part = values + COLUMN_BYTES * k, splat_double4(weight * higher[k])
        store_double4(at, load_double4(at) + part * first)
        store_double4(at + HALF, load_double4(at + HALF) + part * second)


@kernel
def take_product(values, lower, higher):
    """Subtract W_lower W_higher^T from a block, by the addresses of all three."""
    scales = view(higher, COLUMN * SIZE, FLOAT64)
    for k in range(SIZE):
        at = values + COLUMN_BYTES * k
        first, second = load_double4(at), load_double4(at + HALF)
        for j in range(SIZE):
            part, column = splat_double4(scales[COLUMN * j + k]), lower + COLUMN_BYTES * j
            first = first - part * load_double4(column)
            second = second - part * load_double4(column + HALF)
        store_double4(at, first)
        store_double4(at + HALF, second)


@kernel
def by_factor(values, inverse):
    """A block B becomes W, by the inverse L^-1 of the factor of its higher node."""
    for j in range(SIZE - 1, -1, -1):
        first, second = splat_double4(0.0), splat_double4(0.0)
        for k in range(j + 1):
            part, column = splat_double4(inverse[entry(j, k)]), values + COLUMN_BYTES * k
            first = first + part * load_double4(column)
            second = second + part * load_double4(column + HALF)
        store_double4(values + COLUMN_BYTES * j, first)
        store_double4(values + COLUMN_BYTES * j + HALF, second)


@kernel
def clear_matrix(system, nodes, tree, which):
    """Set the blocks of a network in one of the matrices to zero."""
    blocks, nothing = blocks_of(system), splat_double4(0.0)
    for at in range(tree.first_block, tree.first_block + tree.block_count):
        values = values_of(blocks[at], which)
        for k in range(2 * SIZE):
            store_double4(values + HALF * k, nothing)


@kernel
def add_own_block(triangle, block, which):
    """Add the block of a node with itself to its triangle."""
    values = view(values_of(block, which), COLUMN * SIZE, FLOAT64)
    for i in range(SIZE):
        for k in range(i + 1):
            triangle[entry(i, k)] += values[COLUMN * k + i]


@kernel
def eliminate(blocks, nodes, tree, n, which):
    """Eliminate a node whose higher ones are eliminated."""
    triangle = triangle_of(nodes[n], which)
    add_own_block(triangle, blocks[tree.first_block + n - tree.first], which)
    invert_6(triangle)
    at = INT32(nodes[n].first_block)
    while at >= 0:
        by_factor(values_of(blocks[at], which), triangle)
        at = INT32(blocks[at].next)
    outer = INT32(nodes[n].first_block)
    while outer >= 0:
        values, lower = values_of(blocks[outer], which), blocks[outer].lower
        take_product(values_of(blocks[tree.first_block + lower - tree.first], which), values, values)
        inner = INT32(blocks[outer].next)
        while inner >= 0:
            other, other_lower = values_of(blocks[inner], which), blocks[inner].lower
            target = find_block(blocks, nodes[max(lower, other_lower)], min(lower, other_lower))
            if other_lower < lower:
                take_product(values_of(blocks[target], which), other, values)
            else:
                take_product(values_of(blocks[target], which), values, other)
            inner = INT32(blocks[inner].next)
        outer = INT32(blocks[outer].next)


@kernel
def factorize_network(system, nodes, tree, which):
    """Replace one of the matrices of a network by its factors."""
    blocks = blocks_of(system)
    for n in range(tree.first + tree.count - 1, tree.first - 1, -1):
        eliminate(blocks, nodes, tree, n, which)


@kernel
def take_from_lower(blocks, nodes, n, which, v):
    """Subtract W v from `push` of the nodes that a node is coupled to."""
    at = INT32(nodes[n].first_block)
    while at >= 0:
        push, values = nodes[blocks[at].lower].push, blocks[at].values[which]
        for j in range(SIZE):
            for i in range(SIZE):
                push[i] -= values[COLUMN * j + i] * v[j]
        at = INT32(blocks[at].next)


@kernel
def take_from_higher(blocks, nodes, n, which):
    """Subtract W^T v of the nodes that a node is coupled to from its `push`, by `push` of these."""
    at, own = INT32(nodes[n].first_block), nodes[n].push
    while at >= 0:
        push, values = six(nodes[blocks[at].lower].push), blocks[at].values[which]
        for j in range(SIZE):
            for i in range(SIZE):
                own[j] -= values[COLUMN * j + i] * push[i]
        at = INT32(blocks[at].next)


@kernel
def solve_network(system, nodes, tree, which):
    """`push` of each node becomes the solution for it."""
    blocks = blocks_of(system)
    for n in range(tree.first + tree.count - 1, tree.first - 1, -1):
        v = multiply_lower_6(triangle_of(nodes[n], which), six(nodes[n].push))
        put_six(nodes[n].push, v)
        take_from_lower(blocks, nodes, n, which, v)
    for n in range(tree.first, tree.first + tree.count):
        take_from_higher(blocks, nodes, n, which)
        put_six(nodes[n].push, multiply_upper_6(triangle_of(nodes[n], which), six(nodes[n].push)))
