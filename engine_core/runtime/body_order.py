"""Lists kept in the order of bodies, so that a thread works on the same bodies in every job of a step.

A thread pool gives each thread the same part of a list in every job. A cache line last written by another core costs some 100 ns,
one's own a few, so a part of a list should touch the same data in every job. Pairs, the manifolds of each colour and the awake
bodies are therefore kept in the order of bodies. The key of each is the lower of its moving bodies.

New members are appended, and the last member takes the place of a removed one; each such change counts as one place of disorder.
From time to time a list is sorted again, for some 10 ns a member. When this happens, and the order, depend on the list alone,
never on threads.
"""

import numpy as np

from .kernel import kernel
from .memory import stack_array

INT32 = np.int32
BUCKETS = 1024
"""Keys are compared by their upper ten bits."""
STARTS = BUCKETS + 1
MOST_DISORDER = 8
"""A list is ordered enough while its disorder times this is at most its length plus `FREE_DISORDER`."""
FREE_DISORDER = 256


@kernel
def order_key(body_a, a_moves, body_b, b_moves):
    """The sort key of a pair of two bodies."""
    if a_moves and b_moves:
        return INT32(min(body_a, body_b))
    if a_moves:
        return INT32(body_a)
    return INT32(body_b) if b_moves else INT32(0)


@kernel
def needs_order(disorder, count):
    """Whether this many places of disorder are too many for a list of this many members."""
    return MOST_DISORDER * disorder > count + FREE_DISORDER


@kernel
def put_in_order(members, keys, count, spare):
    """Sort the first `count` of `members`, and their `keys` with them: int32 each, stable, by the upper bits of the keys.
    `spare`: int32 (2 * count). A caller that keeps places of members must renew them afterwards."""
    highest = 0
    for k in range(count):
        highest = max(highest, keys[k])
    shift = 0
    while highest >> shift >= BUCKETS:
        shift += 1
    starts = stack_array(STARTS, INT32)
    for bucket in range(STARTS):
        starts[bucket] = 0
    for k in range(count):
        starts[(keys[k] >> shift) + 1] += INT32(1)
    for bucket in range(BUCKETS):
        starts[bucket + 1] += starts[bucket]
    for k in range(count):
        bucket = keys[k] >> shift
        place = starts[bucket]
        starts[bucket] = place + INT32(1)
        spare[2 * place], spare[2 * place + 1] = members[k], keys[k]
    for k in range(count):
        members[k], keys[k] = spare[2 * k], spare[2 * k + 1]
