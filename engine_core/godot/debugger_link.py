"""The game's side of the editor's debugger: monitors of the pools, and profiles of steps for the tab "Scree".

The editor asks, the game answers: nothing is recorded or sent before the tab is open. Messages to the game: `scree:profile`
`[is_on]`, and `scree:take` `[]`, which is answered by `scree:ticks` `[id of the space, awake bodies, profile]` for each active
space. Godot calls on its main thread, between steps or while a script runs.
"""

import time
from functools import partial

from . import schema
from .callables import PythonCallable
from .objects_by_name import ObjectsByName
from .public_profile import as_dictionary
from .server_figures import POOLS, pool_figures
from .typed_values import kind_of

PREFIX = "scree"
_READ_EVERY = 0.5  # [s]
_ARRAY = kind_of(schema.ARRAY)


class DebuggerLink:
    """Registers with Godot's debugger. Make it when all of Godot's singletons are there; keep it until `close`."""

    def __init__(self, engine):
        self._engine, self._interface, self._variants = engine, engine.interface, engine.variants
        self._values, self._profiles = engine.public.scree.values, engine.public.profiles
        self._objects = ObjectsByName(engine.interface, engine.variants)
        self._monitors: dict[str, PythonCallable] = {}
        self._capture: PythonCallable | None = None
        self._figures, self._read_at = {}, 0.0
        if self._call("EngineDebugger", "is_active"):
            self._open()

    def _open(self) -> None:
        self._capture = PythonCallable(self._engine, "debugger", self._receive)
        self._call("EngineDebugger", "register_message_capture", PREFIX, self._capture)
        for pool in POOLS:
            monitor = PythonCallable(self._engine, "monitor", lambda _, result, pool=pool: self._tell_percent(pool, result))
            self._monitors[pool] = monitor
            self._call("Performance", "add_custom_monitor", f"{PREFIX}/{pool}", monitor)

    def close(self) -> None:
        """Unregister everything."""
        for pool, monitor in self._monitors.items():
            self._call("Performance", "remove_custom_monitor", f"{PREFIX}/{pool}")
            monitor.release()
        self._monitors.clear()
        if self._capture:
            self._call("EngineDebugger", "unregister_message_capture", PREFIX)
            self._capture.release()
            self._capture = None

    # --- monitors ---

    def _tell_percent(self, pool: str, result: int) -> None:
        """Write how full a pool has been [%]. The figures are read at most twice a second for all pools."""
        server, now = self._engine.server, time.monotonic()
        if server is not None and now - self._read_at >= _READ_EVERY:
            with server.lock:
                self._figures, self._read_at = pool_figures(server), now
        figure = self._figures.get(pool, {"most": 0, "capacity": 1})
        self._variants.write(result, 100.0 * figure["most"] / figure["capacity"])

    # --- profiles ---

    def _receive(self, arguments: list[int], result: int) -> None:
        """Take a message of the editor: its name after the prefix, and an Array."""
        self._variants.write(result, True)
        message, data = self._variants.read(arguments[0]), self._values.read(_ARRAY, arguments[1])
        message = message.removeprefix(f"{PREFIX}:")
        if message == "profile" and not (data and data[0]):
            self._profiles.stop_all()
        elif message == "take":
            self._send_profiles()

    def _send_profiles(self) -> None:
        """Send what the active spaces did since the last time; a space that is new is recorded from now on."""
        server = self._engine.server
        if server is None:
            return
        for space in list(server.space_areas):
            row = server.space_row(space)
            if row["is_active"]:
                self._profiles.start(space)
                profile = self._profiles.take(space)
                if len(profile.durations):
                    self._send("ticks", [space, int(profile.active_bodies[-1]), as_dictionary(profile)])

    def _send(self, message: str, data: list) -> None:
        self._call("EngineDebugger", "send_message", f"{PREFIX}:{message}", data)

    def _call(self, singleton: str, method: str, *arguments):
        """Call a method of a singleton with Python values. Return its result."""
        writers = [partial(self._write, argument) for argument in arguments]
        return self._objects.call(self._interface.singleton(singleton), method, *writers)

    def _write(self, argument, place: int) -> None:
        if isinstance(argument, PythonCallable):
            self._variants.write_of_type(schema.CALLABLE, place, argument.address)
        elif isinstance(argument, list):
            self._values.write_array(place, argument)
        else:
            self._variants.write(place, argument)
