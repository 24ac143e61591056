"""The one pass that gathers a drawing, compiled. The caller keeps the memory of shapes alive (core/drawing.py)."""

import numpy as np

from ..bodies.records import system_at, world_at
from ..bodies.system_schema import offset_of
from ..edit.commands import EDITING, GATE, OPEN
from ..runtime import atomics
from ..runtime.call import call_3_result
from ..runtime.kernel import entry_point
from ..runtime.memory import view
from .bodies import add_bodies
from .contacts import add_contacts
from .islands import label_islands
from .joints import add_joints
from .schema import (
    AREAS, BODY_BOUNDS, BY_ISLAND, CENTRES, CONTACTS, DRAW_REQUEST, JOINTS, KINDS, SHAPES, TREE, VELOCITIES,
)  # fmt: skip
from .trees import add_trees

OF_BODIES = SHAPES | AREAS | CENTRES | VELOCITIES | BODY_BOUNDS
HIDES_BEGUN, HIDES_ENDED = offset_of("trees", "hides_begun"), offset_of("trees", "hides_ended")


@entry_point("int64(int64, int64)")
def gather(system_address, request_address):
    """Fill the buffers of a DRAW_REQUEST while no step and no edit is under way. Return 1, or 0 to try again: another thread
    steps or edits, or a batch was on its way out of a tree."""
    if atomics.compare_exchange_int64(system_address + GATE, OPEN, EDITING) != OPEN:
        return np.int64(0)
    system = system_at(system_address)
    world_address, world = system.world, world_at(system.world)
    begun, ended = (
        atomics.load_acquire_int64(system_address + HIDES_BEGUN), atomics.load_acquire_int64(system_address + HIDES_ENDED),
    )  # fmt: skip
    if begun == ended:
        request = view(request_address, 1, DRAW_REQUEST)[0]
        what = request.what
        for kind in range(KINDS):
            request.counts[kind] = 0
        if what & BY_ISLAND and what & SHAPES:
            label_islands(request, system, world)
        if what & OF_BODIES:
            add_bodies(request, system, world)
        if what & CONTACTS:
            add_contacts(request, system, world)
        if what & JOINTS:
            add_joints(request, system, world, world_address)
        if what & TREE:
            add_trees(request, system)
    is_whole = begun == ended and atomics.load_acquire_int64(system_address + HIDES_BEGUN) == begun
    call_3_result(world.edit_function, world_address, np.int64(0), system_address)
    return np.int64(1 if is_whole else 0)
