"""Methods of public classes that hold the server's lock: they change Python's tables, make things, or read what a step writes."""

from . import schema
from .public_class import PublicClass


def late_call(engine, call: str, function):
    """Return a method of a public class that does `function(server, ...)` while holding the server's lock: at once, or at the end
    of a running step, as Godot's own calls without a result."""

    def method(behind, *arguments):
        server = engine.running_server(call)
        if not server.keeps_late(call, function, arguments):
            with server.lock:
                server.settle_now()
                function(server, *arguments)

    return method


def answered_call(engine, call: str, function):
    """Return a method of a public class that answers what `function(server, ...)` returns while holding the server's lock; it
    waits for a running step."""

    def method(behind, *arguments):
        server = engine.running_server(call)
        with server.lock:
            server.settle_now()
            return function(server, *arguments)

    return method


class LockedCalls:
    """The base of a room of such calls, each with an answer. A call is a method `name(self, server, arguments...)`; `add`
    registers it."""

    def __init__(self, scree: PublicClass, engine):
        self._scree, self._engine = scree, engine

    def add(self, name: str, arguments: dict, result, text: str, **defaults) -> None:
        """Register the method of this name. `arguments`: types by name; `defaults`: values of the last of them."""
        call = answered_call(self._engine, name, getattr(self, name))
        self._scree.method(name, call, arguments, schema.NIL if result is None else result, defaults=defaults, text=text)
