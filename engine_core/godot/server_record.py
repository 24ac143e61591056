"""The record of Godot's server, which lies at the address that its virtuals get as their instance."""

from ..runtime.kernel import kernel
from ..runtime.memory import view
from .schema import SERVER


@kernel
def server_at(address):
    """The record of the server at an address."""
    return view(address, 1, SERVER)[0]
