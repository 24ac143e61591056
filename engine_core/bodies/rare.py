"""Rarely used data of bodies: targets, surface velocities, constant forces, contact reports, stretch, groups, contact classes.

It is in rows of BODY_RARE at the index of the body, so that no search is needed, and memory is used only for rows that are
written. Bodies without HAS_RARE share one row of defaults.
"""

import numpy as np

from ..geometry.vector import quaternion, store3, store4, vector3
from ..runtime import atomics
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_record, address_of_row, view
from .records import world_at
from .schema import BODY, BODY_RARE, HAS_RARE, HAS_STRETCH

BODY_BYTES, RARE_WORDS = BODY.itemsize, BODY_RARE.itemsize // 4
assert BODY_RARE.itemsize % 8 == 0


@kernel
def rare_of(world_address, body):
    """The row of a body, or the shared one of defaults, for reading."""
    record = world_at(world_address)
    rows = view(record.rare_bodies, record.body_capacity + 1, BODY_RARE)
    if body.flags & HAS_RARE:
        return rows[(address_of_record(body) - record.bodies) // BODY_BYTES]
    return rows[record.body_capacity]


@kernel
def own_rare(world_address, body):
    """The body's own row, for writing. It starts with the defaults and the body's pose as its target. For callers that may change
    the body."""
    record = world_at(world_address)
    rows = view(record.rare_bodies, record.body_capacity + 1, BODY_RARE)
    index = (address_of_record(body) - record.bodies) // BODY_BYTES
    if not body.flags & HAS_RARE:
        own = view(address_of_row(rows, index), RARE_WORDS, np.int32)
        defaults = view(address_of_row(rows, record.body_capacity), RARE_WORDS, np.int32)
        for k in range(RARE_WORDS):
            own[k] = defaults[k]
        store3(rows[index].target_position, vector3(body.position))
        store4(rows[index].target_rotation, quaternion(body.rotation))
        atomics.fence_release()  # queries read the row from here on
        body.flags |= HAS_RARE
    return rows[index]


@kernel
def set_target(world_address, body, position, rotation):
    """Set where a kinematic body should be after the next step. For other bodies it is not used."""
    rare = own_rare(world_address, body)
    store3(rare.target_position, position)
    store4(rare.target_rotation, rotation)


@kernel
def stretched(world_address, body, v):
    """Convert a vector from the user's frame of a body, which may be stretched, to the body frame."""
    if not body.flags & HAS_STRETCH:
        return v
    s = rare_of(world_address, body).stretch
    return (
        s[0] * v[0] + s[1] * v[1] + s[2] * v[2], s[3] * v[0] + s[4] * v[1] + s[5] * v[2],
        s[6] * v[0] + s[7] * v[1] + s[8] * v[2],
    )  # fmt: skip
