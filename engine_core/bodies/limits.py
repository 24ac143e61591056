"""Counting what a step leaves out because of a limit. The step continues without it and reports the number to users: see
engine_core/step/limits.py."""

import numpy as np

from ..runtime.atomics import add_int64, or_int64
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_record
from .system_schema import offset_of

STATUS, LEFT_OUT = offset_of("limits", "status"), offset_of("limits", "left_out")


@kernel
def leave_out(system, kind, count):
    """Count more left-out items of a kind: PAIRS, CONTACTS, ... of bodies/schema.py. Any thread."""
    address = address_of_record(system)
    add_int64(address + LEFT_OUT + 8 * kind, np.int64(count))
    or_int64(address + STATUS, np.int64(1))
