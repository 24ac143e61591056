"""Graph colouring of contact manifolds: no two of one colour share a moving body, so a colour is solved all at once.

Persistent: a manifold keeps its colour while it has points. First fit over one bit a colour in each body (Box2D v3's scheme with
the bit set transposed: one word a body instead of one bit array a colour). Serial, in the order of pairs, so that the result does
not depend on the number of threads.
"""

import numpy as np

from ..bodies.schema import RIGID
from ..collision.pairs import manifolds_of
from ..collision.schema import MANIFOLD_IS_SENSOR
from ..runtime.body_order import needs_order, order_key, put_in_order
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .overflow import lay_out_overflow, overflow_key
from .schema import COLOUR_COUNT, COLOURS, IMMOVABLE, MOVING_COLOURS, OVERFLOW

FLOAT32, INT32, UINT32 = np.float32, np.int32, np.uint32


@kernel
def colours_of(system):
    return view(system.constraints.colours, 1, COLOURS)[0]


@kernel
def choose_colour(mask, is_static, is_last=False):
    """The colour for a constraint on bodies whose taken colours are `mask`, or OVERFLOW. `is_last`: of two moving bodies whose
    other constraints shall be solved before."""
    if is_static:
        for colour in range(COLOUR_COUNT - 1, 0, -1):
            if not mask >> colour & 1:
                return colour
    elif is_last:
        for colour in range(MOVING_COLOURS - 1, -1, -1):
            if not mask >> colour & 1:
                return colour
    else:
        for colour in range(MOVING_COLOURS):
            if not mask >> colour & 1:
                return colour
    return OVERFLOW


@kernel
def leans_on_heavy(a, b):
    """Whether one of two moving bodies is immovable beside the other. Their contact is like one with a static body: it comes
    after the lighter one's other contacts, and answers in each pass what these pass on. Before them it would answer the last
    pass."""
    return min(a.inverse_mass, b.inverse_mass) * FLOAT32(IMMOVABLE) < max(a.inverse_mass, b.inverse_mass)


@kernel
def add_to_colour(system, bodies, manifolds, index):
    """Give a manifold a colour and a place in it. No effect if it has one, or is a sensor's."""
    manifold = manifolds[index]
    if manifold.colour >= 0 or manifold.flags & MANIFOLD_IS_SENSOR:
        return
    a, b = bodies[manifold.body_a], bodies[manifold.body_b]
    moves_a, moves_b = a.mode >= RIGID, b.mode >= RIGID
    mask = 0
    if moves_a:
        mask |= a.colour_mask
    if moves_b:
        mask |= b.colour_mask
    colour = choose_colour(mask, not (moves_a and moves_b), leans_on_heavy(a, b))
    if colour != OVERFLOW:
        if moves_a:
            a.colour_mask |= UINT32(1 << colour)
        if moves_b:
            b.colour_mask |= UINT32(1 << colour)
    colours = colours_of(system)
    slot = colours.counts[colour]
    view(colours.lists[colour], system.manifolds.capacity, INT32)[slot] = index
    key = order_key(manifold.body_a, moves_a, manifold.body_b, moves_b)
    if colour == OVERFLOW:
        key = overflow_key(manifold.body_a, moves_a, manifold.body_b, moves_b)
    view(colours.keys[colour], system.manifolds.capacity, INT32)[slot] = key
    colours.counts[colour] = slot + 1
    colours.disorder[colour] += 1
    manifold.colour = np.int16(colour)
    manifold.colour_slot = INT32(slot)


@kernel
def remove_from_colour(system, bodies, manifolds, index):
    """Take a manifold out of the solver; the last of its colour takes its place. No effect if it has none."""
    manifold = manifolds[index]
    colour = manifold.colour
    if colour < 0:
        return
    if colour != OVERFLOW:
        a, b = bodies[manifold.body_a], bodies[manifold.body_b]
        if a.mode >= RIGID:
            a.colour_mask &= ~UINT32(1 << colour)
        if b.mode >= RIGID:
            b.colour_mask &= ~UINT32(1 << colour)
    colours = colours_of(system)
    last_slot = colours.counts[colour] - 1
    members = view(colours.lists[colour], system.manifolds.capacity, INT32)
    keys = view(colours.keys[colour], system.manifolds.capacity, INT32)
    last = members[last_slot]
    members[manifold.colour_slot], keys[manifold.colour_slot] = last, keys[last_slot]
    manifolds[last].colour_slot = manifold.colour_slot
    colours.counts[colour] = last_slot
    colours.disorder[colour] += 1
    manifold.colour = -1
    manifold.colour_slot = -1


@kernel
def order_colour(system, colours, colour):
    """Sort the manifolds of a colour by bodies, if they are too far out of order."""
    count = colours.counts[colour]
    if not needs_order(colours.disorder[colour], count):
        return
    members = view(colours.lists[colour], count, INT32)
    put_in_order(members, view(colours.keys[colour], count, INT32), count, view(system.step.spare_list, 2 * count, INT32))
    manifolds = manifolds_of(system)
    for slot in range(count):
        manifolds[members[slot]].colour_slot = INT32(slot)
    colours.disorder[colour] = 0


@kernel
def lay_out_blocks(system):
    """Set where the blocks of each colour begin in this step: eight manifolds a block. Return the number of blocks."""
    colours = colours_of(system)
    first = 0
    for colour in range(COLOUR_COUNT + 1):
        order_colour(system, colours, colour)
        blocks = lay_out_overflow(system, colours) if colour == OVERFLOW else (colours.counts[colour] + 7) >> 3
        colours.first_block[colour] = first
        colours.block_count[colour] = blocks
        first += blocks
    return first
