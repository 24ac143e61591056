"""The overflow: contacts of bodies that touch more others than there are colours. Here too eight share a block, laid out anew in
each step: a contact takes the first block that has room and comes after all those with one of its moving bodies (list
scheduling). A plate under 500 boxes needs a block for each box, and eight such plates use the same blocks. Serial, in the order
of the overflow.
"""

import numpy as np

from ..bodies.records import world_at
from ..bodies.schema import BODY, RIGID
from ..collision.pairs import manifolds_of
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .schema import OVERFLOW

INT32, INT64 = np.int32, np.int64
LANES = 8


@kernel
def overflow_key(a, moves_a, b, moves_b):
    """A contact's sort key in the overflow. If all bodies touch each other, neighbours in this order share no body, as in the
    rounds of a tournament; in the order of bodies each would share one with the next, and wait for it."""
    return INT32((a if moves_a else 0) + (b if moves_b else 0))


@kernel
def first_with_room(following, block):
    """The first block from this one on that is not full. `following`: for each block itself, or for a full one a later block that
    may have room; blocks visited are redirected further on (union-find)."""
    while following[block] != block:
        following[block] = following[following[block]]
        block = following[block]
    return block


@kernel
def first_allowed(behind, body):
    """The first block after all those with a body. `behind`: for each active body, by its place."""
    return behind[body.active_index] if body.mode >= RIGID else INT32(0)


@kernel
def forbid(behind, body, block):
    """Make later contacts of a body come after a block."""
    if body.mode >= RIGID:
        behind[body.active_index] = INT32(block + 1)


@kernel
def lay_out_overflow(system, colours):
    """Give each manifold of the overflow a lane of a block. Return the number of blocks."""
    count = colours.counts[OVERFLOW]
    if count == 0:
        return INT64(0)
    world = world_at(system.world)
    bodies, manifolds = view(world.bodies, world.body_capacity, BODY), manifolds_of(system)
    members, lanes = view(colours.lists[OVERFLOW], count, INT32), view(colours.overflow_lanes, count, INT32)
    blocks = view(colours.overflow_blocks, LANES * count, INT32)
    following, used = view(system.step.spare_list, count + 1, INT32), view(system.step.spare_list + 4 * (count + 1), count, INT32)
    behind = view(system.step.scratch, system.bodies.active_count, INT32)
    for slot in range(system.bodies.active_count):
        behind[slot] = INT32(0)
    block_count = INT64(0)
    following[0] = INT32(0)
    for slot in range(count):
        a, b = bodies[manifolds[members[slot]].body_a], bodies[manifolds[members[slot]].body_b]
        block = INT64(first_with_room(following, INT64(max(first_allowed(behind, a), first_allowed(behind, b)))))
        if block == block_count:
            block_count += 1
            used[block], following[block_count] = INT32(0), INT32(block_count)
            for lane in range(LANES):
                blocks[LANES * block + lane] = INT32(-1)
        lane = INT64(used[block])
        blocks[LANES * block + lane], lanes[slot] = members[slot], INT32(LANES * block + lane)
        used[block] = INT32(lane + 1)
        if lane + 1 == LANES:
            following[block] = INT32(block + 1)
        forbid(behind, a, block)
        forbid(behind, b, block)
    return block_count
