"""Lists kept in the order of bodies, so that a thread meets the same bodies in every job of a step.

A thread pool gives each thread the same part of a list in every job. A cache line that another core wrote last costs some
100 ns, one's own a few: so what a part of a list touches should be the same in all of them. Pairs, the manifolds of each
colour and the awake bodies therefore stand in the order of bodies, each by its key, the lower of its bodies that move.

Members come at the end, and the last takes the place of who goes; each such change counts as one place of disorder. From time
to time a list is put in order anew, for some 10 ns a member. When, and the order, follow from the list alone: never from
threads.
"""

import numpy as np

from .kernel import kernel
from .memory import stack_array

INT32 = np.int32
BUCKETS = 1024
"""Keys are told apart by their upper ten bits."""
STARTS = BUCKETS + 1
MOST_DISORDER = 8
"""A list is in order enough while this times its disorder is no more than its length, and `FREE_DISORDER`."""
FREE_DISORDER = 256


@kernel
def order_key(body_a, a_moves, body_b, b_moves):
    """The key of what lies between two bodies."""
    if a_moves and b_moves:
        return INT32(min(body_a, body_b))
    if a_moves:
        return INT32(body_a)
    return INT32(body_b) if b_moves else INT32(0)


@kernel
def needs_order(disorder, count):
    """Whether so many places of disorder are too many for a list of so many members."""
    return MOST_DISORDER * disorder > count + FREE_DISORDER


@kernel
def put_in_order(members, keys, count, spare):
    """Sort the first `count` of `members`, and their `keys` with them: int32 each, stable, by the upper bits of the keys.
    `spare`: int32 (2 * count). Who keeps the places of members renews them afterwards."""
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
