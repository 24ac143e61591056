"""The matrix of a network of joints, body by body, and its factors: a sparse Cholesky factorization in blocks of six rows.

Blocks are those of network_layout.py: `values` of a block has six rows for the lower node and six columns for the higher one,
and each node keeps a lower triangle. Nodes are eliminated from the last to the first. With L L^T the triangle of a node and B a
block of it, the factor keeps L^-1 and W = B L^-T, and the lower nodes lose W W^T (Golub and Van Loan, Matrix Computations,
section 4.2).

There are two matrices, see networks.py: number 0 for velocities, and 1 for errors.
"""

import numpy as np

from ..constraints.body_terms import six
from ..geometry.cholesky import invert_6, multiply_lower_6, multiply_upper_6
from ..runtime.kernel import kernel
from .network_layout import blocks_of, find_block
from .schema import TRIANGLE
from .trees import add_scaled_6, dot_6, put_six

INT32 = np.int32
SIZE = 6


@kernel
def triangle_of(node, which):
    """The triangle of a node in one of the matrices."""
    return node.inertia if which == 0 else node.block


@kernel
def add_square(triangle, v, weight):
    """Add weight * v v^T to a lower triangle."""
    at = 0
    for i in range(SIZE):
        part = weight * v[i]
        for k in range(i + 1):
            triangle[at] += part * v[k]
            at += 1


@kernel
def add_product(values, v, w, weight):
    """Add weight * v w^T to a block."""
    for i in range(SIZE):
        part = weight * v[i]
        for k in range(SIZE):
            values[SIZE * i + k] += part * w[k]


@kernel
def by_factor(values, inverse):
    """A block B becomes W, by the inverse L^-1 of the factor of its higher node."""
    for i in range(SIZE):
        row = six(values[SIZE * i :])
        put_six(values[SIZE * i :], multiply_lower_6(inverse, row))


@kernel
def take_square(triangle, values):
    """Subtract W W^T from a lower triangle."""
    at = 0
    for i in range(SIZE):
        row = six(values[SIZE * i :])
        for k in range(i + 1):
            triangle[at] -= dot_6(row, six(values[SIZE * k :]))
            at += 1


@kernel
def take_product(values, lower, higher):
    """Subtract W_lower W_higher^T from a block."""
    for i in range(SIZE):
        row = six(lower[SIZE * i :])
        for k in range(SIZE):
            values[SIZE * i + k] -= dot_6(row, six(higher[SIZE * k :]))


@kernel
def clear_matrix(system, nodes, tree, which):
    """Set one of the matrices of a network to zero."""
    blocks = blocks_of(system)
    for n in range(tree.first, tree.first + tree.count):
        triangle = triangle_of(nodes[n], which)
        for k in range(TRIANGLE):
            triangle[k] = 0.0
        at = INT32(nodes[n].first_block)
        while at >= 0:
            for k in range(SIZE * SIZE):
                blocks[at].values[which, k] = 0.0
            at = INT32(blocks[at].next)


@kernel
def eliminate(blocks, nodes, n, which):
    """Eliminate a node whose higher ones are eliminated."""
    invert_6(triangle_of(nodes[n], which))
    at = INT32(nodes[n].first_block)
    while at >= 0:
        by_factor(blocks[at].values[which], triangle_of(nodes[n], which))
        at = INT32(blocks[at].next)
    outer = INT32(nodes[n].first_block)
    while outer >= 0:
        take_square(triangle_of(nodes[blocks[outer].lower], which), blocks[outer].values[which])
        inner = INT32(blocks[outer].next)
        while inner >= 0:
            low, high = (inner, outer) if blocks[inner].lower < blocks[outer].lower else (outer, inner)
            target = find_block(blocks, nodes[blocks[high].lower], blocks[low].lower)
            take_product(blocks[target].values[which], blocks[low].values[which], blocks[high].values[which])
            inner = INT32(blocks[inner].next)
        outer = INT32(blocks[outer].next)


@kernel
def factorize_network(system, nodes, tree, which):
    """Replace one of the matrices of a network by its factors."""
    blocks = blocks_of(system)
    for n in range(tree.first + tree.count - 1, tree.first - 1, -1):
        eliminate(blocks, nodes, n, which)


@kernel
def take_from_lower(blocks, nodes, n, which, v):
    """Subtract W v from `push` of the nodes that a node is coupled to."""
    at = INT32(nodes[n].first_block)
    while at >= 0:
        push, values = nodes[blocks[at].lower].push, blocks[at].values[which]
        for i in range(SIZE):
            push[i] -= dot_6(six(values[SIZE * i :]), v)
        at = INT32(blocks[at].next)


@kernel
def seen_from_lower(blocks, nodes, n, which):
    """The sum of W^T v over the nodes that a node is coupled to, by `push` of these."""
    total = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    at = INT32(nodes[n].first_block)
    while at >= 0:
        push, values = nodes[blocks[at].lower].push, blocks[at].values[which]
        for i in range(SIZE):
            total = add_scaled_6(total, six(values[SIZE * i :]), push[i])
        at = INT32(blocks[at].next)
    return total


@kernel
def solve_network(system, nodes, tree, which):
    """`push` of each node becomes the solution for it."""
    blocks = blocks_of(system)
    for n in range(tree.first + tree.count - 1, tree.first - 1, -1):
        v = multiply_lower_6(triangle_of(nodes[n], which), six(nodes[n].push))
        put_six(nodes[n].push, v)
        take_from_lower(blocks, nodes, n, which, v)
    for n in range(tree.first, tree.first + tree.count):
        v = add_scaled_6(six(nodes[n].push), seen_from_lower(blocks, nodes, n, which), -1.0)
        put_six(nodes[n].push, multiply_upper_6(triangle_of(nodes[n], which), v))
