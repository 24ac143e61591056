"""Step listeners: functions that a step calls at certain moments, for custom constraints and forces (vehicles use them).

A listener is called by address as `void f(int64 system, int64 context, double time)`, in the order in which listeners were added,
on the stepping thread; no job runs meanwhile. It may read and write bodies and, within a sub-step, solver rows.
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

LISTENER = np.dtype([("function", "i8"), ("context", "i8"), ("moments", "i8")], align=True)


@kernel
def call_listeners(system, address, moment, time):
    """Call the listeners of a moment."""
    listeners = view(system.step.listeners, MOST_LISTENERS, LISTENER)
    for k in range(system.step.listener_count):
        listener = listeners[k]
        if listener.moments & moment:
            call_2_float(listener.function, address, listener.context, time)
