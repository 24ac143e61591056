"""Makers of virtuals that act on one body, or read it: the same for the server's calls, which name a body by its
id, and for a body state's, which belong to one. What changes a body holds the server's lock.

`server_of(instance)` gives the address of SERVER; `find(instance, arguments, call)` gives `(world, body index)` and
-1 for no body; `refuse(instance, call, reason, value)` has Python print why a call was not obeyed; `first` is the
number of the first argument after the body's id.
"""

from ..bodies import motion
from ..bodies.motion import bodies_of
from ..geometry.vector import add, store3, vector3
from ..runtime.kernel import kernel
from .schema import NOT_FINITE
from .server_lock import acquire, release
from .slots import argument, is_finite3, store_vector3, vector3_argument


def make_vector_call(server_of, find, refuse, first, call, action):
    """A virtual that takes a vector: `action(world, index, vector)`. One that is not finite is refused."""

    @kernel
    def virtual(instance, arguments, result):
        world, index = find(instance, arguments, call)
        if index < 0:
            return
        v = vector3_argument(arguments, first)
        if is_finite3(v):
            acquire(server_of(instance))
            action(world, index, v)
            release(server_of(instance))
        else:
            refuse(instance, call, NOT_FINITE, argument(arguments, first))

    return virtual


def make_two_vector_call(server_of, find, refuse, first, call, action):
    """A virtual that takes a vector and a place: `action(world, index, vector, place)`."""

    @kernel
    def virtual(instance, arguments, result):
        world, index = find(instance, arguments, call)
        if index < 0:
            return
        v, place = vector3_argument(arguments, first), vector3_argument(arguments, first + 1)
        if not is_finite3(v):
            refuse(instance, call, NOT_FINITE, argument(arguments, first))
        elif not is_finite3(place):
            refuse(instance, call, NOT_FINITE, argument(arguments, first + 1))
        else:
            acquire(server_of(instance))
            action(world, index, v, place)
            release(server_of(instance))

    return virtual


def make_vector_getter(find, call, read):
    """A virtual that answers the vector `read(world, index)`; zero for no body."""

    @kernel
    def virtual(instance, arguments, result):
        world, index = find(instance, arguments, call)
        if index < 0:
            store_vector3(result, (0.0, 0.0, 0.0))
        else:
            store_vector3(result, read(world, index))

    return virtual


@kernel
def add_constant_central_force(world, index, force):
    body = bodies_of(world)[index]
    store3(body.constant_force, add(vector3(body.constant_force), force))
    motion.wake(world, index)


@kernel
def add_constant_torque(world, index, torque):
    body = bodies_of(world)[index]
    store3(body.constant_torque, add(vector3(body.constant_torque), torque))
    motion.wake(world, index)


@kernel
def set_constant_force(world, index, force):
    store3(bodies_of(world)[index].constant_force, force)
    motion.wake(world, index)


@kernel
def set_constant_torque(world, index, torque):
    store3(bodies_of(world)[index].constant_torque, torque)
    motion.wake(world, index)


@kernel
def constant_force(world, index):
    return vector3(bodies_of(world)[index].constant_force)


@kernel
def constant_torque(world, index):
    return vector3(bodies_of(world)[index].constant_torque)


VECTOR_ACTIONS = {
    "apply_central_impulse": motion.apply_central_impulse,
    "apply_torque_impulse": motion.apply_torque_impulse,
    "apply_central_force": motion.apply_central_force,
    "apply_torque": motion.apply_torque,
    "add_constant_central_force": add_constant_central_force,
    "add_constant_torque": add_constant_torque,
    "set_constant_force": set_constant_force,
    "set_constant_torque": set_constant_torque,
}
TWO_VECTOR_ACTIONS = {
    "apply_impulse": motion.apply_impulse,
    "apply_force": motion.apply_force,
    "add_constant_force": motion.add_constant_force,
}
VECTOR_GETTERS = {"get_constant_force": constant_force, "get_constant_torque": constant_torque}
