"""The number of awake islands, counted on request, because a step finds islands only when some body has rested."""

import numpy as np

from ..bodies.records import system_at, world_at
from ..bodies.schema import BODY
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .islands import begin_islands, finish_islands, link_contacts, link_joints


@kernel
def count_islands(system_address):
    """Number of islands among the active bodies. The caller holds the gate of the system."""
    system = system_at(system_address)
    world = world_at(system.world)
    bodies = view(world.bodies, world.body_capacity, BODY)
    active = view(system.bodies.active, world.body_capacity, np.int32)
    begin_islands(system, bodies, active)
    link_contacts(system, bodies, active)
    link_joints(system, bodies, active)
    system.bodies.island_count = finish_islands(system, bodies, active)
    return system.bodies.island_count
