"""The records that lie at addresses: of a world, and of one of its systems."""

from ..runtime.kernel import kernel
from ..runtime.memory import view
from .schema import WORLD
from .system_schema import SYSTEM


@kernel
def world_at(address):
    """The record of the world at an address."""
    return view(address, 1, WORLD)[0]


@kernel
def system_at(address):
    """The record of the system at an address."""
    return view(address, 1, SYSTEM)[0]
