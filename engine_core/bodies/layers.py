"""Collision filters, and which quad tree a body is in: tables that compiled code reads.

Users choose object layers. A table converts an object layer to three words in the body's row, which are all that a query, a pair
or a tree looks at: a collision layer (bits), a collision mask (bits) and a broad-phase layer. So the choice of a table costs
nothing per pair. The tests are in this order, each as early as possible:

1. broad-phase layer: a tree without a body that passes the filter is not entered (`layer_union`, `mask_union` of TREE);
2. pair of object layers: `masks_match`, two ands;
3. group filter: bodies of one group use a table of sub-groups (chains, parts of a vehicle), and exceptions list pairs;
4. body filter: a query may exclude bodies (collision/filters.py);
5. shape filters: `query_layers` of a shape for queries, `simulation_layers` for contacts.
"""

import numpy as np

from ..runtime.kernel import kernel
from ..runtime.memory import view
from .rare import rare_of
from .records import world_at
from .schema import (
    BROAD_PHASE_LAYER_COUNT, HAS_RARE, IS_AREA, LAYER_MOVING, LAYER_NOT_MOVING, LAYER_SENSOR, LAYERS, MOST_BROAD_PHASE_LAYERS,
    STATIC,
)  # fmt: skip

ALL = 0xFFFFFFFF
BITS = 32
SUB_GROUPS = 64


@kernel
def broad_phase_layer_of(world_address, body):
    """The broad-phase layer of a body: that of its lowest collision layer that is mapped to one, else by motion."""
    if body.flags & IS_AREA:
        return LAYER_SENSOR
    layers = view(world_at(world_address).layers, 1, LAYERS)[0]
    if layers.layer_count > BROAD_PHASE_LAYER_COUNT:
        for bit in range(BITS):
            if (body.collision_layer >> bit) & 1 and layers.broad_phase_of[bit] >= 0:
                return int(layers.broad_phase_of[bit])
    return LAYER_NOT_MOVING if body.mode == STATIC else LAYER_MOVING


@kernel
def masks_match(world_address, a, b):
    """Whether the masks of two bodies let them collide: one match is enough, as in Godot, or both are needed."""
    a_sees = a.collision_mask & b.collision_layer != 0
    b_sees = b.collision_mask & a.collision_layer != 0
    if a_sees and b_sees:
        return True
    if not (a_sees or b_sees):
        return False
    return view(world_at(world_address).layers, 1, LAYERS)[0].needs_both == 0


@kernel
def group_allows(world_address, a, b):
    """Whether the group filter of two bodies of one group lets them collide."""
    if not a.flags & b.flags & HAS_RARE:
        return True
    one, other = rare_of(world_address, a), rare_of(world_address, b)
    if one.group == 0 or one.group != other.group:
        return True
    row = view(world_at(world_address).group_filters + 8 * SUB_GROUPS * np.int64(one.group_filter), SUB_GROUPS, np.uint64)
    return (row[one.sub_group & 63] >> np.uint64(other.sub_group & 63)) & np.uint64(1) != 0


OWN_LAYERS = ("moving", "not moving", "sensor")
"""Names of the broad-phase layers that every world has, by their numbers."""


def _layer_number(call: str, layer, count: int) -> int:
    if not isinstance(layer, (int, np.integer)) or not 0 <= layer < count:
        raise ValueError(f"{call}: object layer must be 0 to {count - 1}, got {layer!r}")
    return int(layer)


class MatrixLayers:
    """Up to 32 object layers, and a symmetric matrix of which of them collide.

    `broad_phase`: the object layers that have their own tree, with its name, for example `{2: "debris"}`."""

    needs_both = True

    def __init__(self, count: int, broad_phase: dict[int, str] | None = None):
        if not 1 <= count <= BITS:
            raise ValueError(f"MatrixLayers: count must be 1 to {BITS}, got {count!r}")
        self.count = count
        self.masks = np.zeros(count, np.uint32)
        self.broad_phase = {_layer_number("MatrixLayers", layer, count): name for layer, name in (broad_phase or {}).items()}

    def collide(self, a: int, b: int, do_collide: bool = True) -> "MatrixLayers":
        """Let two object layers collide, or not."""
        a, b = _layer_number("collide", a, self.count), _layer_number("collide", b, self.count)
        for one, other in ((a, b), (b, a)):
            bit = np.uint32(1 << other)
            self.masks[one] = self.masks[one] | bit if do_collide else self.masks[one] & ~bit
        return self

    def words(self, object_layer: int) -> tuple[int, int]:
        """(collision layer, collision mask) of an object layer."""
        layer = _layer_number("words", object_layer, self.count)
        return 1 << layer, int(self.masks[layer])


class PackedLayers:
    """An object layer of 32 bits: 5 bits the body's layer (lowest), 1 bit 'has a response', 26 bits the layers it responds to.

    Two bodies collide if each has a response to the other's layer. Layers 26 to 31 respond but cannot be in a mask. The packing
    is that of Cranberry's use of Jolt."""

    needs_both = True

    def __init__(self, broad_phase: dict[int, str] | None = None):
        self.broad_phase = {_layer_number("PackedLayers", layer, BITS): name for layer, name in (broad_phase or {}).items()}

    @staticmethod
    def pack(layer: int, has_response: bool = True, mask: int = (1 << 26) - 1) -> int:
        """The object layer of a body."""
        layer = _layer_number("pack", layer, BITS)
        if not 0 <= mask < 1 << 26:
            raise ValueError(f"pack: mask must be 26 bits, got {mask!r}")
        return layer | bool(has_response) << 5 | mask << 6

    def words(self, object_layer: int) -> tuple[int, int]:
        """(collision layer, collision mask) of an object layer."""
        if not 0 <= object_layer <= ALL:
            raise ValueError(f"words: object layer must be 32 bits, got {object_layer!r}")
        return 1 << (object_layer & 31), object_layer >> 6 if object_layer >> 5 & 1 else 0


class MaskLayers:
    """Godot's layers: each body has 32 bits of layer and 32 of mask, and one match is enough.

    `broad_phase`: the collision layers (0 to 31) that have their own tree, with its name."""

    needs_both = False

    def __init__(self, broad_phase: dict[int, str] | None = None):
        self.broad_phase = {_layer_number("MaskLayers", layer, BITS): name for layer, name in (broad_phase or {}).items()}

    def words(self, object_layer: int) -> tuple[int, int]:
        """Split an object layer, which is (layer << 32 | mask)."""
        return object_layer >> 32 & ALL, object_layer & ALL


def fill_layers(record, table) -> tuple[str, ...]:
    """Write a table to a LAYERS record; the names of its broad-phase layers. Raises ValueError for too many, and for the name of
    one that every world has: bodies come into these by how they move."""
    names = list(OWN_LAYERS)
    record["broad_phase_of"] = -1
    for layer, name in sorted(table.broad_phase.items()):
        if name in OWN_LAYERS:
            raise ValueError(f"layers: every world has a broad-phase layer {name!r}; object layer {layer} needs another name")
        if name not in names:
            names.append(name)
        record["broad_phase_of"][layer] = names.index(name)
    if len(names) > MOST_BROAD_PHASE_LAYERS:
        raise ValueError(f"layers: at most {MOST_BROAD_PHASE_LAYERS} broad-phase layers, got {names}")
    record["layer_count"], record["needs_both"] = len(names), table.needs_both
    return tuple(names)
