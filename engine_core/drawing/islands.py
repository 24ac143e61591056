"""Which island each body is in, as the lowest number of a body in it: the same from step to step while the island lasts."""

import numpy as np

from ..bodies.schema import BODY, RIGID
from ..runtime.kernel import kernel
from ..runtime.memory import view

INT32 = np.int32
NONE = -1


@kernel
def label_of(request, index):
    """The label of a body; -1 if it is in no island."""
    if index >= request.label_count:
        return NONE
    return np.int64(view(request.labels, request.label_count, INT32)[index])


@kernel
def _link(bodies, active, slot, count):
    """The slot that stands for the island of an active body since the last step; its own if it woke later."""
    link = np.int64(bodies[active[slot]].island_link)
    return link if 0 <= link < count else np.int64(slot)


@kernel
def label_islands(request, system, world):
    """Write the labels of all bodies of a system."""
    bodies, count = view(world.bodies, world.body_capacity, BODY), request.label_count
    labels = view(request.labels, 2 * count, INT32)
    active = view(system.bodies.active, world.body_capacity, INT32)
    for k in range(2 * count):
        labels[k] = INT32(NONE)
    for slot in range(system.bodies.active_count):
        if active[slot] < count and bodies[active[slot]].mode >= RIGID:
            place = count + _link(bodies, active, slot, count)
            if labels[place] < 0 or active[slot] < labels[place]:
                labels[place] = active[slot]
    for slot in range(system.bodies.active_count):
        if active[slot] < count and bodies[active[slot]].mode >= RIGID:
            labels[active[slot]] = labels[count + _link(bodies, active, slot, count)]
    for index in range(count):
        body = bodies[index]
        if body.id != 0 and body.system == system.index and body.mode >= RIGID and labels[index] < 0:
            _label_ring(bodies, labels, count, index)


@kernel
def _label_ring(bodies, labels, count, index):
    """Label the bodies that wake together with one that sleeps; `index` is the lowest of them, since it comes first."""
    member = np.int64(index)
    while 0 <= member < count and labels[member] < 0:
        labels[member] = INT32(index)
        member = np.int64(bodies[member].next_in_island)
