"""A body after the edit of one brick: gate, publication and `renew_bricks` in one compiled call, for a body whose only shape is
the structure. Whatever is less usual is left to the calls for batches (core/shapes.py).
"""

import numpy as np

from ..bodies.motion import bodies_of
from ..bodies.publication import begin_change, end_change
from ..bodies.records import world_at
from ..bodies.schema import INSTANCE, IS_IN_BATCH
from ..runtime.call import call_3, call_3_result
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of, view
from ..structures.single_edits import EFFECTS
from .brick_edits import BRICK_EDIT, renew_bricks
from .commands import SYSTEM_SIZE, take_gate_now

NOT_DONE = -1

FOLLOWING = np.dtype([("edit", BRICK_EDIT), ("effects", EFFECTS), ("renew", "i8")], align=True)
"""The edit of one brick, with what its addresses name; `renew`: address of `renew_bricks`."""
EFFECTS_AT, EFFECTS_END = FOLLOWING.fields["effects"][1], FOLLOWING.fields["effects"][1] + EFFECTS.itemsize
SHAPE_AT = FOLLOWING.fields["edit"][1] + BRICK_EDIT.fields["shape"][1]


class Following:
    """A row FOLLOWING, to be used for one edit after the other by one thread at a time."""

    __slots__ = ("_rows", "_bytes", "_words", "address")

    def __init__(self):
        self._rows = np.zeros(1, FOLLOWING)
        self.address = address_of(self._rows)
        edit, effects = self._rows[0]["edit"], self.address + EFFECTS_AT
        for name, field in (
            ("removed", "removed"), ("bounds", "bounds"), ("inserted", "inserted"), ("new_bounds", "new_bounds")
        ):  # fmt: skip
            edit[name] = effects + EFFECTS.fields[field][1]
        self._rows[0]["renew"] = renew_bricks.address
        self._bytes = memoryview(self._rows).cast("B")
        self._words = self._bytes.cast("q")

    def set(self, shape: int, effects: bytes) -> None:
        """Set which user's shape was edited (by index), and a row EFFECTS."""
        self._words[SHAPE_AT // 8] = shape
        self._bytes[EFFECTS_AT:EFFECTS_END] = effects


@kernel
def set_counts(edit, effects):
    """Complete the BRICK_EDIT of one brick."""
    edit.removed_count = edit.bounds_count = 1 if effects.removed != 0 else 0
    edit.inserted_count = edit.new_bounds_count = 1 if effects.inserted != 0 else 0
    edit.widest = 0.0
    if effects.removed != 0:
        edit.widest = np.float64(effects.bounds[3] - effects.bounds[0])
    if effects.inserted != 0:
        edit.widest = max(edit.widest, np.float64(effects.new_bounds[3] - effects.new_bounds[0]))


@kernel
def may_follow(world, body, edit):
    """Whether a body has one shape, the edited one, put onto it without scale or shear, and nothing else changes the body."""
    if body.instance_count != 1 or body.instance_capacity != 1 or body.flags & IS_IN_BATCH != 0 or body.published & 1 != 0:
        return False
    instance = view(world.instances, world.instance_capacity, INSTANCE)[body.first_instance]
    return instance.user_shape == edit.shape and instance.has_user_transform == 0


@entry_point("int64(int64, int64, int64, int64)")
def follow_single(world_address, index, fresh, address):
    """Renew a body (by index) after the edit in the FOLLOWING at an address; `fresh`: a free row of INSTANCE, which becomes that
    of its shape. Returns the row that it had, or NOT_DONE."""
    world, body = world_at(world_address), bodies_of(world_address)[index]
    following = view(address, 1, FOLLOWING)[0]
    number = np.int64(body.system)
    if number < 0:
        return np.int64(NOT_DONE)
    system_address = world.systems + number * SYSTEM_SIZE
    if not take_gate_now(world, system_address):
        return np.int64(NOT_DONE)
    used = np.int64(NOT_DONE)
    if body.system == number and may_follow(world, body, following.edit):
        set_counts(following.edit, following.effects)
        used = np.int64(body.first_instance)
        instances = view(world.instances, world.instance_capacity, INSTANCE)
        begin_change(world_address, body, np.int64(0))
        instances[fresh] = instances[used]
        body.first_instance = np.int32(fresh)
        call_3(following.renew, world_address, index, address)
        end_change(body)
    call_3_result(world.edit_function, world_address, np.int64(0), system_address)
    return used
