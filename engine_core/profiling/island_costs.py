"""The cost of a union and a find of the islands in the current state of a system, and the length of the paths of finds."""

import numpy as np

from ..bodies.records import system_at, world_at
from ..bodies.schema import BODY, RIGID
from ..collision.pairs import manifolds_of
from ..constraints.colours import colours_of
from ..constraints.schema import COLOUR_COUNT
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of, view
from ..runtime.timeline import cycles, cycles_per_second
from ..solver.islands import begin_islands, find_root, link

INT32, INT64 = np.int32, np.int64
LONGEST = 32


@kernel
def collect_links(system, bodies, slots):
    """Collect the two places in the active list of each contact between moving bodies, as the step links them. Return their
    number."""
    manifolds, colours = manifolds_of(system), colours_of(system)
    count = 0
    for colour in range(COLOUR_COUNT + 1):
        members = view(colours.lists[colour], system.manifolds.capacity, INT32)
        for slot in range(colours.counts[colour]):
            manifold = manifolds[members[slot]]
            a, b = bodies[manifold.body_a], bodies[manifold.body_b]
            if a.mode >= RIGID and b.mode >= RIGID and 2 * count + 1 < len(slots):
                slots[2 * count], slots[2 * count + 1] = a.active_index, b.active_index
                count += 1
    return count


@kernel
def count_loops(bodies, active, slot, histogram):
    """Count the iterations of a find from a body."""
    _, loops = find_root(bodies, active, slot)
    histogram[min(loops, LONGEST - 1)] += 1


@entry_point("int64(int64, int64, int64, int64)")
def measure_links(system_address, slots_address, capacity, histogram_address):
    """Link all contacts twice: once timed, once counting the loops of each find, into int64 (LONGEST). Return the cycles; the
    number of calls goes to the last word of the histogram."""
    system = system_at(system_address)
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    active = view(system.bodies.active, world.body_capacity, INT32)
    slots, histogram = view(slots_address, capacity, INT32), view(histogram_address, LONGEST + 1, INT64)
    count = collect_links(system, bodies, slots)
    begin_islands(system, bodies, active)
    began = cycles()
    for k in range(count):
        link(bodies, active, slots[2 * k], slots[2 * k + 1])
    took = cycles() - began
    begin_islands(system, bodies, active)
    for k in range(count):
        count_loops(bodies, active, slots[2 * k], histogram)
        count_loops(bodies, active, slots[2 * k + 1], histogram)
        link(bodies, active, slots[2 * k], slots[2 * k + 1])
    histogram[LONGEST] = count
    return took


def measure_islands(system) -> tuple[float, np.ndarray, int]:
    """Measure `(seconds a union, how many finds took 0, 1, 2 ... loops, unions)` of a PhysicsSystem between two steps; the least
    time of several runs."""
    slots = np.zeros(2 * int(system.row["manifolds"]["count"]) + 2, np.int32)
    best = float("inf")
    for _ in range(7):
        histogram = np.zeros(LONGEST + 1, np.int64)
        took = measure_links(system.address, address_of(slots), len(slots), address_of(histogram))
        best = min(best, took / max(int(histogram[LONGEST]), 1) / cycles_per_second())
    return best, histogram[:LONGEST], int(histogram[LONGEST])
