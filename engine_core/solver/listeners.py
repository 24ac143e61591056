"""Step listeners: functions that a step calls at certain moments, for custom constraints and forces (vehicles use them).

A listener is called by address as `void f(int64 system, int64 context, double time)`, in the order in which listeners were added,
on the stepping thread; no job runs meanwhile. It may read and write bodies and, within a sub-step, solver rows.

Listeners that share a function may be called together: those of a moment that follow each other are one call, whose context is
the address of the first LISTENER of the group. The function may start jobs for them.
"""

import numpy as np

from ..runtime.call import call_2_float
from ..runtime.kernel import kernel
from ..runtime.memory import view

BEFORE_STEP = 1
"""Edits are applied, pairs are not searched yet; `time` is that of the step [s]."""
SUB_STEP = 2
"""Velocities include gravity and forces, constraints are not solved yet; `time` is that of the sub-step [s]."""
AFTER_STEP = 4
"""Bodies have their new poses; `time` is that of the step [s]."""
MOST_LISTENERS = 1 << 14

LISTENER = np.dtype(
    [
        ("function", "i8"), ("context", "i8"), ("moments", "i8"),
        ("is_together", "i8"),  # called together with those around it that share its function
        ("group_size", "i8"),  # of the first of a group: rows from it to the last of the group, as of its last call
        ("work", "i8"),  # what its next call can share among threads, in active bodies that take as long
        ("state", "i8", 2), ("state_words", "i8"),  # addresses of two arrays of words that hashes of the space cover; 0: none
    ],
    align=True,
)  # fmt: skip
LISTENER_SIZE = LISTENER.itemsize


@kernel
def end_of_group(listeners, begin, count, moment):
    """One past the last row of the group that begins with a row: those between that are called at other moments are skipped."""
    end = begin + 1
    for k in range(begin + 1, count):
        if listeners[k].moments & moment:
            if listeners[k].function != listeners[begin].function:
                break
            end = k + 1
    return end


@kernel
def call_listeners(system, address, moment, time):
    """Call the listeners of a moment."""
    listeners, count = view(system.step.listeners, MOST_LISTENERS, LISTENER), system.step.listener_count
    k = 0
    while k < count:
        listener = listeners[k]
        if listener.moments & moment == 0:
            k += 1
        elif listener.is_together == 0:
            call_2_float(listener.function, address, listener.context, time)
            k += 1
        else:
            end = end_of_group(listeners, k, count, moment)
            listener.group_size = end - k
            call_2_float(listener.function, address, system.step.listeners + k * LISTENER_SIZE, time)
            k = end


@kernel
def work_of_listeners(system):
    """Work of all listeners that a step can share among threads, in active bodies that take as long."""
    listeners, total = view(system.step.listeners, MOST_LISTENERS, LISTENER), 0
    for k in range(system.step.listener_count):
        total += listeners[k].work
    return total
