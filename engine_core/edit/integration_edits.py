"""Edits that do for one body what a step does for all: gravity, forces and damping, and impulses by sub-steps; see
edit/edit_table.py. They are the last of the table, so that the numbers of the others stay."""

from ..bodies.motion import bodies_of, inverse_inertia_times, lock_linear, system_of
from ..bodies.rare import rare_of
from ..bodies.schema import OMITS_FORCES, RIGID
from ..geometry.vector import add, dot, length, scale, store3, subtract, vector3
from . import setting_edits
from .edit_table import EDITS, edit_of_body

assert EDITS[-1] is setting_edits.set_area_parameter  # so the numbers do not depend on which module is imported first


@edit_of_body()
def integrate_forces(world_address, index, values):
    """Change the velocities as a step as long as the last one would: by gravity, forces and damping."""
    body = bodies_of(world_address)[index]
    if body.mode < RIGID or body.system < 0:
        return
    dt = system_of(world_address, body.system)[0].step.last_delta_time
    rare = rare_of(world_address, body)
    force = add(vector3(body.force), vector3(rare.constant_force))
    gain = lock_linear(body, add(vector3(body.gravity), scale(force, float(body.inverse_mass))))
    turn = inverse_inertia_times(body, add(vector3(body.torque), vector3(rare.constant_torque)))
    v = add(vector3(body.linear_velocity), scale(gain, dt))
    w = add(vector3(body.angular_velocity), scale(turn, dt))
    store3(body.linear_velocity, scale(v, max(0.0, 1.0 - dt * float(body.total_linear_damp))))
    store3(body.angular_velocity, scale(w, max(0.0, 1.0 - dt * float(body.total_angular_damp))))


@edit_of_body(impulse=3, seconds=1)
def spread_impulse(world_address, index, values):
    """Take back the part of an impulse [N s], applied since the last step, that acts against gravity, and apply it as a force
    during the next step of `seconds` [s]."""
    body, delta_time = bodies_of(world_address)[index], values[3]
    gravity = vector3(body.gravity)
    size = length(gravity)
    if body.mode < RIGID or body.flags & OMITS_FORCES or size == 0.0:
        return
    up, inverse_mass = scale(gravity, -1.0 / size), float(body.inverse_mass)
    gain = min(dot(vector3(values), up) * inverse_mass, size * delta_time)
    if gain > 0.0:
        change = lock_linear(body, scale(up, gain))
        store3(body.linear_velocity, subtract(vector3(body.linear_velocity), change))
        store3(body.force, add(vector3(body.force), scale(change, 1.0 / (inverse_mass * delta_time))))
