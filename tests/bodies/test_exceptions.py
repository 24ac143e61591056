"""The set of pairs that do not collide against a naive one, over any history."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.bodies.exceptions import Exceptions, are_excepted
from scree.bodies.schema import WORLD
from scree.runtime.kernel import entry_point
from scree.runtime.memory import address_of

BODIES = st.integers(0, 12)
CALLS = st.sampled_from(("add", "remove", "add_joint", "remove_joint", "forget"))
STEPS = st.lists(st.tuples(CALLS, BODIES, BODIES), max_size=120)


@entry_point("int64(int64, int64, int64)")
def asked(world, a, b):
    return are_excepted(world, a, b)


@settings(max_examples=100, deadline=None)
@given(STEPS)
def test_any_history(history):
    world = np.zeros(1, dtype=WORLD)
    exceptions = Exceptions(world[0])
    named: set[tuple[int, int]] = set()
    joints: list[frozenset[int]] = []
    for what, a, b in history:
        if what == "forget":
            if any(a in pair for pair in joints):
                continue  # a body's joints go before it does
            exceptions.forget(a)
            named = {pair for pair in named if a not in pair}
        elif a != b:
            getattr(exceptions, what)(a, b)
            pair = frozenset((a, b))
            if what == "add":
                named.add((a, b))
            elif what == "remove":
                named.discard((a, b))
            elif what == "add_joint":
                joints.append(pair)
            elif pair in joints:
                joints.remove(pair)
    for a in range(13):
        for b in range(a):
            wanted = (a, b) in named or (b, a) in named or frozenset((a, b)) in joints
            assert bool(asked(address_of(world), a, b)) == wanted
