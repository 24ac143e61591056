"""Step listeners: functions that a step calls at certain moments, for constraints and forces of one's own (vehicles are such).

A listener is called by address as `void f(int64 system, int64 context, double time)`, in the order in which listeners were added,
on the thread that steps; no job runs meanwhile. It may read and write bodies and, within a sub-step, solver rows.
"""

import numpy as np

from ..runtime.call import call_2_float
from ..runtime.kernel import kernel
from ..runtime.memory import view

BEFORE_STEP = 1
"""Edits are taken over, pairs are not looked for yet; `time` is that of the step [s]."""
SUB_STEP = 2
"""Velocities have their gravity and forces, constraints are not solved yet; `time` is that of the sub-step [s]."""
AFTER_STEP = 4
"""Bodies have their new poses; `time` is that of the step [s]."""
MOST_LISTENERS = 1 << 14

LISTENER = np.dtype([("function", "i8"), ("context", "i8"), ("moments", "i8")], align=True)


@kernel
def tell_listeners(system, address, moment, time):
    """Call those that listen to a moment."""
    listeners = view(system.listeners, MOST_LISTENERS, LISTENER)
    for k in range(system.listener_count):
        listener = listeners[k]
        if listener.moments & moment:
            call_2_float(listener.function, address, listener.context, time)
