"""What few bodies use: targets, surface velocities, constant forces, contact reports, stretch, groups, contact classes.

It lies in rows of BODY_RARE at the index of the body, so that nothing is looked up, and memory is taken only where a row is
written. A body whose HAS_RARE is not set is read from one row of defaults that all such bodies share.
"""

import numpy as np

from ..geometry.vector import quaternion, store3, store4, vector3
from ..runtime import atomics
from ..runtime.kernel import kernel
from ..runtime.memory import address_of_record, address_of_row, view
from .schema import BODY, BODY_RARE, HAS_RARE, HAS_STRETCH, WORLD

BODY_BYTES, RARE_WORDS = BODY.itemsize, BODY_RARE.itemsize // 4
assert BODY_RARE.itemsize % 8 == 0


@kernel
def rare_of(world, body):
    """To read: the row of a body, or the shared one of defaults."""
    record = view(world, 1, WORLD)[0]
    rows = view(record.rare_bodies, record.body_capacity + 1, BODY_RARE)
    if body.flags & HAS_RARE:
        return rows[(address_of_record(body) - record.bodies) // BODY_BYTES]
    return rows[record.body_capacity]


@kernel
def own_rare(world, body):
    """To write: the body's own row, which begins as the defaults, with the body's pose as its target. For who may change the
    body."""
    record = view(world, 1, WORLD)[0]
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
def set_target(world, body, position, rotation):
    """Where a kinematic body is to be after the next step; of other bodies nobody asks for it."""
    rare = own_rare(world, body)
    store3(rare.target_position, position)
    store4(rare.target_rotation, rotation)


@kernel
def stretched(world, body, v):
    """A vector in the user's frame of a body, with the stretch of that frame taken in: in the body frame."""
    if not body.flags & HAS_STRETCH:
        return v
    s = rare_of(world, body).stretch
    return (
        s[0] * v[0] + s[1] * v[1] + s[2] * v[2], s[3] * v[0] + s[4] * v[1] + s[5] * v[2],
        s[6] * v[0] + s[7] * v[1] + s[8] * v[2],
    )  # fmt: skip
