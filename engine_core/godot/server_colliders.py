"""The calls that bodies and areas share: their shapes, their space, their layers and masks.

The two families of calls have the same names except for `body` or `area`, which is the first argument here.
"""

from functools import partial

from .errors import check_place
from .frames import enter_space
from .virtual_table import SERVER

FAMILIES = ("body", "area")


def index_of(family, server, identity) -> int:
    """Index of the row of the body, or area, with this id. Raises KeyError."""
    return getattr(server.world, family).index(family, identity)


def row_of(family, server, identity):
    """The BODY row of the body, or area, with this id. Raises KeyError."""
    return server.world.bodies.rows[index_of(family, server, identity)]


def set_space(family, server, identity, space):
    if space:
        server.space_row(space)
    calls = getattr(server.world, family)
    enter_space(server, identity, space, calls.system(identity), calls.set_system)


def add_shape(family, server, identity, shape, transform, disabled):
    index_of(family, server, identity)
    check_place(transform)
    server.stock.restock()
    server.world.body.add_shape(identity, shape, transform, disabled)


def set_shape(family, server, identity, number, shape):
    index_of(family, server, identity)
    server.world.body.set_shape(identity, number, shape)


def set_shape_transform(family, server, identity, number, transform):
    index_of(family, server, identity)
    check_place(transform)
    if transform != server.world.body.shape_transform(identity, number):  # nodes repeat it; a change wakes the body
        server.world.body.set_shape_transform(identity, number, transform)


def set_shape_disabled(family, server, identity, number, disabled):
    index_of(family, server, identity)
    getattr(server.world, family).set_shape_disabled(identity, number, disabled)


def get_shape_count(family, server, identity):
    index_of(family, server, identity)
    return server.world.body.shape_count(identity)


def get_shape(family, server, identity, number):
    index_of(family, server, identity)
    return server.world.body.shape(identity, number)


def get_shape_transform(family, server, identity, number):
    index_of(family, server, identity)
    return server.world.body.shape_transform(identity, number)


def remove_shape(family, server, identity, number):
    index_of(family, server, identity)
    server.world.body.remove_shape(identity, number)


def clear_shapes(family, server, identity):
    index_of(family, server, identity)
    server.world.body.clear_shapes(identity)


def get_collision_layer(family, server, identity):
    return int(row_of(family, server, identity)["collision_layer"])


def get_collision_mask(family, server, identity):
    return int(row_of(family, server, identity)["collision_mask"])


def signed_id(object_id: int) -> int:
    """Convert the id of a Godot Object, 64 bits unsigned, to the signed number in a row."""
    return object_id - (1 << 64) if object_id >= 1 << 63 else object_id


for _family in FAMILIES:
    for _call in (
        set_space, add_shape, set_shape, set_shape_transform, set_shape_disabled, get_shape_count, get_shape, get_shape_transform,
        remove_shape, clear_shapes, get_collision_layer, get_collision_mask,
    ):  # fmt: skip
        SERVER.answer(f"_{_family}_{_call.__name__}", partial(_call, _family))
