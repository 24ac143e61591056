"""Impulses that hold a body up against gravity every tick: the suspension of a VehicleBody3D, a hovering body.

An impulse acts at once, gravity by sub-steps. A body that gets an impulse of its weight times the tick length in every tick would
be thrown up and fall back within the tick, and come out higher: by 3/8 of g dt^2 with four sub-steps, 1 mm a tick; and its
velocity between steps would be that of a fall. So the part of a tick's impulses against gravity, as far as gravity undoes it in
the step, is applied by sub-steps too. The rest acts at once: a jump goes as far as in an engine that applies gravity first and
moves the body after.
"""

import numpy as np

from ..bodies.motion import bodies_of, lock_linear
from ..bodies.records import system_at, world_at
from ..bodies.schema import OMITS_FORCES, RIGID
from ..geometry.vector import add, dot, length, scale, store3, subtract, vector3
from ..runtime.kernel import kernel
from ..runtime.memory import view
from .schema import BODY_BINDING
from .server_record import server_at

INT32 = np.int32
BINDING_BYTES = BODY_BINDING.itemsize


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
def _spread(body, impulse, delta_time):
    """Convert the part of an impulse against gravity to a force for one step."""
    gravity = vector3(body.gravity)
    size = length(gravity)
    if body.mode < RIGID or body.flags & OMITS_FORCES or size == 0.0:
        return
    up, inverse_mass = scale(gravity, -1.0 / size), np.float64(body.inverse_mass)
    gain = min(dot(impulse, up) * inverse_mass, size * delta_time)
    if gain > 0.0:
        change = lock_linear(body, scale(up, gain))
        store3(body.linear_velocity, subtract(vector3(body.linear_velocity), change))
        store3(body.force, add(vector3(body.force), scale(change, 1.0 / (inverse_mass * delta_time))))


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
            _spread(bodies[index], vector3(bindings[index].impulse), delta_time)
