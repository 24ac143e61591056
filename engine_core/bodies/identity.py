"""Ids of bodies, shapes, systems, areas and joints: kind, index and sequence number in one positive 64-bit integer.

Godot uses the same number as a RID. A row keeps its id, which is valid while the row has it.
"""

from ..runtime.kernel import kernel
from ..runtime.memory import view
from .records import world_at
from .schema import BODY, INDEX_BITS, INDEX_MASK, KIND_AREA, KIND_BITS, KIND_BODY

KIND_MASK = (1 << KIND_BITS) - 1
SEQUENCE_MASK = (1 << 31) - 1
KIND_NAMES = {1: "shape", 2: "space", 3: "area", 4: "body", 5: "soft body", 6: "joint"}


def make_id(kind: int, index: int, sequence: int) -> int:
    """The id of row `index` of the pool of `kind` in its `sequence`-th use."""
    return ((sequence & SEQUENCE_MASK) << (INDEX_BITS + KIND_BITS)) | (kind << INDEX_BITS) | index


def kind_of(identity: int) -> int:
    return (identity >> INDEX_BITS) & KIND_MASK


def index_of(identity: int) -> int:
    return identity & INDEX_MASK


def describe_id(identity: int) -> str:
    """Describe an id, for errors."""
    if identity == 0:
        return "the null id"
    name = KIND_NAMES.get(kind_of(identity))
    return f"{identity} ({name} {index_of(identity)})" if name else f"{identity} (not one of this server)"


@kernel
def body_of(world_address, identity):
    """Compiled: the index of the body with this id, or -1 if there is none. `world_address` is the address of WORLD."""
    return row_of(world_address, identity) if (identity >> INDEX_BITS) & KIND_MASK == KIND_BODY else -1


@kernel
def area_of(world_address, identity):
    """Compiled: the index of the area with this id, or -1 if there is none."""
    return row_of(world_address, identity) if (identity >> INDEX_BITS) & KIND_MASK == KIND_AREA else -1


@kernel
def row_of(world_address, identity):
    """The index of the body or area with this id, or -1."""
    record = world_at(world_address)
    index = identity & INDEX_MASK
    if identity <= 0 or index >= record.body_count:
        return -1
    if view(record.bodies, record.body_capacity, BODY)[index].id != identity:
        return -1
    return index
