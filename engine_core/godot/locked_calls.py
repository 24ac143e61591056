"""Methods of the class `Scree` that change Python's tables or create things: each waits for a step that runs, and holds the
server's lock."""

from . import schema
from .public_class import PublicClass


class LockedCalls:
    """The base of a room of such calls. A call is a method `name(self, server, arguments...)`; `add` registers it."""

    def __init__(self, scree: PublicClass, engine):
        self._scree, self._engine = scree, engine

    def add(self, name: str, arguments: dict, result, text: str, **defaults) -> None:
        """Register the method of this name. `arguments`: types by name; `defaults`: values of the last of them."""
        function = getattr(self, name)

        def call(_, *given):
            server = self._engine.running_server(name)
            with server.lock:
                server.settle_now()
                return function(server, *given)

        self._scree.method(name, call, arguments, schema.NIL if result is None else result, defaults=defaults, text=text)
