"""Impulses that hold a body up against gravity every tick: the suspension of a VehicleBody3D, a hovering body.

An impulse acts at once, gravity by sub-steps. A body that gets an impulse of its weight times the tick length in every tick would
be thrown up and fall back within the tick, and come out higher: by 3/8 of g dt^2 with four sub-steps, 1 mm a tick; and its
velocity between steps would be that of a fall. So the part of a tick's impulses against gravity, as far as gravity undoes it in
the step, is applied by sub-steps too. The rest acts at once: a jump goes as far as in an engine that applies gravity first and
moves the body after.
"""

import numpy as np

from ..bodies.motion import bodies_of
from ..bodies.records import system_at, world_at
from ..edit import integration_edits
from ..edit.commands import COMMAND
from ..edit.edit_log import note_held
from ..geometry.vector import add, store3, vector3
from ..runtime.kernel import kernel
from ..runtime.memory import stack_array, view
from .schema import BODY_BINDING
from .server_record import server_at

INT32 = np.int32
BINDING_BYTES = BODY_BINDING.itemsize
SPREAD_IMPULSE, spread = integration_edits.spread_impulse.number, integration_edits.spread_impulse.apply


@kernel
def note_impulse(server_address, index, impulse):
    """Record an impulse [N s] on a body, by index, for the next step."""
    server = server_at(server_address)
    identity = bodies_of(server.world)[index].id
    binding = view(server.body_bindings + index * BINDING_BYTES, 1, BODY_BINDING)[0]
    if binding.pushed_tick != server.tick or binding.pushed_id != identity:
        binding.pushed_tick, binding.pushed_id = server.tick, identity
        store3(binding.impulse, (0.0, 0.0, 0.0))
    store3(binding.impulse, add(vector3(binding.impulse), impulse))
    server.has_impulses = 1


@kernel
def _spread(world_address, index, impulse, delta_time):
    """Execute the edit `spread_impulse` of a body, by index, behind the gate that the caller holds."""
    command = stack_array(1, COMMAND)
    command[0].body, command[0].edit = bodies_of(world_address)[index].id, SPREAD_IMPULSE
    store3(command[0].values[0:3], impulse)
    store3(command[0].values[3:6], (delta_time, 0.0, 0.0))
    command[0].values[6] = 0.0
    note_held(world_address, command[0])
    spread(world_address, index, command[0].values)


@kernel
def spread_impulses(server, space, delta_time):
    """Spread the impulses of all awake bodies of a space, before a step of `delta_time` [s]. The caller holds its gate."""
    if server.has_impulses == 0:
        return
    capacity = world_at(server.world).body_capacity
    bodies, bindings = bodies_of(server.world), view(server.body_bindings, capacity, BODY_BINDING)
    system = system_at(space.system)
    active = view(system.bodies.active, capacity, INT32)
    for slot in range(system.bodies.active_count):
        index = np.int64(active[slot])
        if bindings[index].pushed_tick == server.tick and bindings[index].pushed_id == bodies[index].id:
            _spread(server.world, index, vector3(bindings[index].impulse), delta_time)
