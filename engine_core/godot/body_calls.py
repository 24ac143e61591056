"""Makers of virtuals that change or read one body: both for the server's calls, which identify a body by its id, and for those of
a body state, which belongs to one. A call that changes a body is an edit (edit/commands.py): done at once, or when the running
step has ended; no thread waits.

`find(instance, arguments, call)` returns `(world, body index)`, -1 for no body; `refuse(instance, call, reason, value)` has
Python print why a call was refused; `server_of(instance)` is the address of SERVER; `first` is the number of the first argument
after the body's id.
"""

from ..bodies.motion import bodies_of
from ..bodies.rare import rare_of
from ..bodies.schema import MASS_CHANGED
from ..edit import motion_edits
from ..edit.commands import FULL, give_command
from ..edit.edit_table import EDITS
from ..geometry.vector import vector3
from ..runtime.call import call_1
from ..runtime.kernel import kernel
from .call_arguments import argument, is_finite3, store_vector3, vector3_argument
from .call_names import number_of
from .schema import NOT_FINITE, TOO_MANY_EDITS
from .server_record import server_at
from .upward_impulses import note_impulse

NOTHING = (0.0, 0.0, 0.0)
VECTOR, TWO_VECTORS = (3,), (3, 3)
"""Numbers of values of the arguments of an edit."""
ACTIONS = EDITS[motion_edits.apply_central_impulse.number : motion_edits.set_constant_torque.number + 1]
"""Edits that Godot has a call of the same name for, of the server and of a body state."""


@kernel
def settle_mass(server, body, index):
    """Renew the mass of a body whose shapes have changed since the last step, before it is read or pushed."""
    if body.flags & MASS_CHANGED and body.system >= 0:
        call_1(server_at(server).settle_masses, index)


def make_vector_call(find, refuse, server_of, first, call, edit):
    """Make a virtual that takes a vector and gives an edit to a body. A vector that is not finite is refused."""
    number, is_impulse = edit.number, edit is motion_edits.apply_central_impulse

    @kernel
    def virtual(instance, arguments, result):
        world_address, index = find(instance, arguments, call)
        if index < 0:
            return
        v = vector3_argument(arguments, first)
        if not is_finite3(v):
            refuse(instance, call, NOT_FINITE, argument(arguments, first))
        elif give_command(world_address, bodies_of(world_address)[index].id, number, v, NOTHING, 0.0) == FULL:
            refuse(instance, call, TOO_MANY_EDITS, 0)
        elif is_impulse:
            note_impulse(server_of(instance), index, v)

    return virtual


def make_two_vector_call(find, refuse, server_of, first, call, edit):
    """Make a virtual that takes a vector and a position, and gives an edit to a body."""
    number, is_impulse = edit.number, edit is motion_edits.apply_impulse

    @kernel
    def virtual(instance, arguments, result):
        world_address, index = find(instance, arguments, call)
        if index < 0:
            return
        v, place = vector3_argument(arguments, first), vector3_argument(arguments, first + 1)
        if not is_finite3(v):
            refuse(instance, call, NOT_FINITE, argument(arguments, first))
        elif not is_finite3(place):
            refuse(instance, call, NOT_FINITE, argument(arguments, first + 1))
        elif give_command(world_address, bodies_of(world_address)[index].id, number, v, place, 0.0) == FULL:
            refuse(instance, call, TOO_MANY_EDITS, 0)
        elif is_impulse:
            note_impulse(server_of(instance), index, v)

    return virtual


def make_vector_getter(find, call, read):
    """Make a virtual that returns the vector `read(world_address, index)`; zero for no body."""

    @kernel
    def virtual(instance, arguments, result):
        world_address, index = find(instance, arguments, call)
        if index < 0:
            store_vector3(result, (0.0, 0.0, 0.0))
        else:
            store_vector3(result, read(world_address, index))

    return virtual


@kernel
def constant_force(world_address, index):
    return vector3(rare_of(world_address, bodies_of(world_address)[index]).constant_force)


@kernel
def constant_torque(world_address, index):
    return vector3(rare_of(world_address, bodies_of(world_address)[index]).constant_torque)


VECTOR_GETTERS = {"get_constant_force": constant_force, "get_constant_torque": constant_torque}


def vector_virtuals(find, refuse, server_of, first, prefix, call_prefix):
    """The virtuals `PREFIX_apply_force` and so on of ACTIONS and VECTOR_GETTERS, by name; `call_prefix` is the prefix of the
    public names."""
    makers, made = {VECTOR: make_vector_call, TWO_VECTORS: make_two_vector_call}, {}
    for edit in ACTIONS:
        make = makers[tuple(count for _, count in edit.arguments)]
        made[f"{prefix}_{edit.name}"] = make(find, refuse, server_of, first, number_of(call_prefix + edit.name), edit)
    for name, read in VECTOR_GETTERS.items():
        made[f"{prefix}_{name}"] = make_vector_getter(find, number_of(call_prefix + name), read)
    return made
