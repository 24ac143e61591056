"""Fields of a block of eight contact manifolds, eight floats each: see schema.py."""

from ..runtime.kernel import kernel
from ..runtime.vector8 import load8, store8
from .schema import FIELD_SIZE


@kernel
def field(block, number):
    """A field of a block: eight floats."""
    return load8(block + number * FIELD_SIZE)


@kernel
def field3(block, number):
    return (field(block, number), field(block, number + 1), field(block, number + 2))


@kernel
def field6(block, number):
    return (
        field(block, number), field(block, number + 1), field(block, number + 2),
        field(block, number + 3), field(block, number + 4), field(block, number + 5),
    )  # fmt: skip


@kernel
def put(block, number, value):
    store8(block + number * FIELD_SIZE, value)
