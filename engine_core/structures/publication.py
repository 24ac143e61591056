"""How edits are published while queries on other threads read the tree: a query sees the structure before a batch or after it.

A batch of edits copies the clusters and leaves on its way (nodes.py) and publishes its root by one store. A query counts itself
as a user of the generation it finds, and keeps the root it finds then. Rows that a batch retired wait in the list of the current
generation. The next generation begins when the users of the one before have left; a list is given back when those of its
generation have. So no thread waits: with a query that stays, lists only become longer (epochs; K. Fraser, "Practical
lock-freedom", 2004).
"""

import numpy as np

from ..runtime.attributes import keep_as_call
from ..runtime import atomics
from ..runtime.call import call_3_result, load_int64, store_int32
from ..runtime.kernel import kernel
from ..runtime.memory import PAGE, address_of_record
from .nodes import BRICK_ROW, CLUSTER_ROW, LEAF_ROW, bricks_of, give_leaf
from .pools import DO_NOT_NEED, give_row
from .schema import STRUCTURE, USER_STRIPES

HEAD, USERS = STRUCTURE.fields["head"][1], STRUCTURE.fields["users"][1]
LOW_32 = 0xFFFFFFFF
KEPT_ITEMS = 1 << 15
"""A longer list of retired rows gives its pages back: it is that of tens of thousands of edits."""


@kernel
def user_counter(structure, generation, hint):
    """Address of the counter of users of a generation, on the stripe of a hint."""
    stripe = (hint * 0x9E3779B1 >> 28) & (USER_STRIPES - 1)
    return structure + USERS + ((generation & 1) * USER_STRIPES + stripe) * 64


@kernel
def enter(structure, hint):
    """Count the caller as a user of the structure at this address. Returns the head: generation << 32 | root cluster. Any thread;
    call `leave` with the same hint."""
    while True:
        generation = atomics.load_acquire_int64(structure + HEAD) >> 32
        counter = user_counter(structure, generation, hint)
        atomics.add_int64(counter, 1)
        head = atomics.load_acquire_int64(structure + HEAD)
        if head >> 32 == generation:
            return head
        atomics.add_int64(counter, -1)


@kernel
def leave(structure, head, hint):
    """Stop counting the caller as a user."""
    atomics.add_int64(user_counter(structure, head >> 32, hint), -1)


@kernel
def has_users(structure, generation):
    """Whether a query of this generation, or of one two before, may be under way."""
    for stripe in range(USER_STRIPES):
        address = structure + USERS + ((generation & 1) * USER_STRIPES + stripe) * 64
        if atomics.load_acquire_int64(address) != 0:
            return True
    return False


@kernel
def give_number(s, number):
    """Give back the number of a brick that was removed."""
    store_int32(s.numbers.rows + 4 * number, np.int32(0))
    give_row(s.numbers, number)


@kernel
def give_back_retired(s, parity):
    """Give back the rows in a list of retired ones, which no query reads any more."""
    keep_as_call()
    bricks = bricks_of(s)
    for i in range(s.retired_count[parity]):
        item = load_int64(s.retired[parity] + 8 * i)
        kind, row = item & 3, item >> 2
        if kind == CLUSTER_ROW:
            give_row(s.clusters, row)
        elif kind == LEAF_ROW:
            give_leaf(s, row)
        else:
            if kind == BRICK_ROW:
                give_number(s, np.int64(bricks[row].number))
            bricks[row].kind = 0
            give_row(s.bricks, row)
    if s.retired_count[parity] > KEPT_ITEMS and s.bricks.give_back != 0:
        size = 8 * s.retired_count[parity] // PAGE * PAGE
        call_3_result(s.bricks.give_back, s.retired[parity], size, np.int64(DO_NOT_NEED))
    s.retired_count[parity] = 0


@kernel
def begin_generation(s):
    """Publish the tree, and begin the next generation if no query stays in the one before: then rows are given back."""
    structure = address_of_record(s)
    before = generation = s.head >> 32
    if not has_users(structure, generation + 1):
        generation += 1
        give_back_retired(s, generation & 1)
    atomics.exchange_int64(structure + HEAD, (generation << 32) | (s.root & LOW_32))
    if generation != before and not has_users(structure, before):  # a query that counts itself now finds the new generation
        give_back_retired(s, before & 1)


@kernel
def publish(s):
    """Publish the tree as the batch left it, and begin the next batch."""
    begin_generation(s)
    s.batch += 1
