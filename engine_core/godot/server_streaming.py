"""Streaming worlds in Godot: the methods that a StreamingWorld3D calls on the server.

In Python, for rare calls: `streaming_open(space, folder, settings)` returns a handle or -1, `streaming_close(handle)`,
`streaming_figures(handle)`, `streaming_tiles(handle)`, `streaming_body(rid)`. Compiled and without the GIL, for every tick:
`streaming_set_viewer(handle, number, position, velocity)`, `streaming_next_event(handle)`, which returns 0 when there is no more,
and `streaming_scene_was_left(handle, number)`.
"""

import ctypes
import json
import platform
import sys

import numpy as np

from ..batches import body_batches
from ..bodies.identity import index_of, kind_of
from ..bodies.schema import KIND_BODY
from ..edit.origin import read_frame
from ..geometry.vector import add
from ..runtime.c_memory import address_of_function
from ..runtime.call import load_address, load_int32, load_int64, store_int32, store_int64
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import view
from ..streaming.streaming_world import LINK, MOST_VIEWERS, Streaming, StreamingSettings, put_left_scene, put_viewer, take_event
from ..streaming.wanted import Ranges
from .call_arguments import is_finite3, load_vector3
from .godot_files import PREFIXES, GodotFiles, GodotPath
from .methods import INVALID_ARGUMENT, TOO_FEW_ARGUMENTS, locked_calls
from .schema import DICTIONARY, INT, MOST_STREAMS, RID, STREAM, STRING, VECTOR3
from .server_record import server_at

RANGE_SETTINGS = ("full_ring", "medium_ring", "rows_ahead", "low_ring", "hysteresis")
INT32 = np.int32
SWITCH_INTERVAL = 0.0005
"""How long a Python call on the main thread waits for a loader that holds the GIL [s]; Python's default is 5 ms."""


class Streams:
    """The streaming worlds of a server, by handle."""

    def __init__(self, server):
        self._server = server
        self._rows = np.zeros(MOST_STREAMS, STREAM)
        self._worlds: dict[int, tuple[int, Streaming]] = {}  # handle: space, world
        self._held: list[int] = []  # rows of freed bodies whose state objects still exist
        self._files: GodotFiles | None = None
        server.record["streams"] = self._rows.ctypes.data
        server.record["advance_stream"] = body_batches.advance.address

    def _place(self, folder: str) -> str | GodotPath:
        """The folder of a path; one of Godot's is read by Godot."""
        if not folder.startswith(PREFIXES):
            return folder
        self._files = self._files or GodotFiles(self._server.engine)
        return GodotPath(self._files, folder)

    def open(self, space: int, folder: str, settings: dict) -> int:
        """Open a streaming world of a folder of tiles in a space. Return its handle."""
        self._server.space_row(space)
        sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH_INTERVAL))
        handle = next((n for n in range(MOST_STREAMS) if n not in self._worlds), None)
        if handle is None:
            raise ValueError(f"there may be {MOST_STREAMS} streaming worlds at most")
        unknown = set(settings) - {*RANGE_SETTINGS, "budget_us", "threads", "user_id"}
        if unknown:
            raise ValueError(f"there is no setting {sorted(unknown)[0]!r}")
        ranges = Ranges(**{name: settings[name] for name in RANGE_SETTINGS if name in settings})
        chosen = StreamingSettings(
            ranges, 1e-6 * float(settings.get("budget_us", 100)), int(settings.get("threads", 1)), int(settings.get("user_id", 0))
        )
        reporter = self._server.reporter
        world = Streaming(
            self._server.world, space, self._place(folder), chosen, lambda message: reporter.error("streaming", message)
        )
        world.queue.hold_back = self._hold_back
        self._worlds[handle] = space, world
        self._rows[handle] = world.address, world.queue.address, world.queue.system.address
        self._server.record["stream_count"] = max(self._worlds) + 1
        return handle

    def world(self, handle: int) -> Streaming:
        """The streaming world with this handle. Raises ValueError."""
        if handle not in self._worlds:
            raise ValueError(f"there is no streaming world {handle}")
        return self._worlds[handle][1]

    def close(self, handle: int) -> None:
        """Remove all tiles of a world and stop its threads."""
        world = self.world(handle)
        world.close()
        self._rows[handle] = 0, 0, 0
        del self._worlds[handle]
        self.release_held()

    def close_of(self, space: int) -> None:
        """Close those of a space that is being freed."""
        for handle in [handle for handle, (of, _) in self._worlds.items() if of == space]:
            self.close(handle)

    def close_all(self) -> None:
        for handle in list(self._worlds):
            self.close(handle)

    def _hold_back(self, rows: np.ndarray) -> np.ndarray:
        """Rows of bodies with a state object: Godot must free it, from its own thread."""
        held = rows[self._server.body_bindings["body_id"][rows] != 0]
        self._held.extend(held.tolist())
        return held

    def release_held(self) -> None:
        """Free the state objects of freed bodies."""
        rows, self._held = self._held, []
        for index in rows:
            self._server.drop_binding(index)
        if rows:
            self._server.world.bodies.give_back_many(np.array(rows, np.int32))

    def figures(self, handle: int) -> dict:
        self.release_held()
        figures = {name: float(value) for name, value in self.world(handle).figures().items()}
        return {**figures, "worst_step_us": 0.001 * float(self._server.record["worst_step"])}

    def reset_figures(self, handle: int) -> None:
        queue = self.world(handle).queue
        queue.measure_trees()
        queue.reset_figures()
        if platform.system() != "Windows":
            self._server.record["clock"] = address_of_function(ctypes.CDLL(None), "clock_gettime")
        self._server.record["worst_step"] = 0

    def tiles(self, handle: int) -> str:
        """The tiles as JSON: rows of x, z, state, level."""
        return json.dumps([[*tile, *state] for tile, state in sorted(self.world(handle).tile_states().items())])

    def missing(self, handle: int) -> int:
        return self.world(handle).missing()

    def body(self, identity: int) -> dict:
        """The tile of a streamed body and its number in it; empty for other bodies."""
        if kind_of(identity) == KIND_BODY:
            for _, world in self._worlds.values():
                for tile, batch in list(world.loader.batches.items()):
                    found = np.flatnonzero(batch.rows == index_of(identity))
                    if len(found) and identity in batch.ids[found]:
                        return {"tile_x": tile[0], "tile_z": tile[1], "number": int(found[0])}
        return {}


@kernel
def link_of(instance, number):
    """Address of the LINK with a handle, or 0."""
    server = server_at(instance)
    if number < 0 or number >= server.stream_count:
        return np.int64(0)
    return view(server.streams, MOST_STREAMS, STREAM)[number].link


@kernel
def frame_of_stream(instance, number):
    """The frame of the space of the streaming world with a handle."""
    return read_frame(view(server_at(instance).streams, MOST_STREAMS, STREAM)[number].system)


@kernel
def _wrong_argument(error, number, kind):
    store_int32(error, INT32(INVALID_ARGUMENT))
    store_int32(error + 4, INT32(number))
    store_int32(error + 8, INT32(kind))


@entry_point("void(int64, int64, int64, int64, int64, int64)")
def streaming_set_viewer(userdata, instance, arguments, count, result, error):
    """Set a viewer. Arguments: (handle, number, position, velocity)."""
    if count != 4:
        store_int32(error, INT32(TOO_FEW_ARGUMENTS))
        store_int32(error + 8, INT32(4))
        return
    for number in range(4):
        kind = INT if number < 2 else VECTOR3
        if load_int32(load_address(arguments + 8 * number)) != kind:
            _wrong_argument(error, number, kind)
            return
    link = link_of(instance, load_int64(load_address(arguments) + 8))
    number = load_int64(load_address(arguments + 8) + 8)
    place = load_vector3(load_address(arguments + 16) + 8)
    velocity = load_vector3(load_address(arguments + 24) + 8)
    if link == 0:
        _wrong_argument(error, 0, INT)
    elif number < 0 or number >= MOST_VIEWERS:
        _wrong_argument(error, 1, INT)
    elif not is_finite3(place) or not is_finite3(velocity):
        _wrong_argument(error, 2, VECTOR3)
    else:
        at = add(place, frame_of_stream(instance, load_int64(load_address(arguments) + 8)))
        put_viewer(link, number, at[0], at[2], velocity[0], velocity[2])


@entry_point("void(int64, int64, int64, int64, int64, int64)")
def streaming_next_event(userdata, instance, arguments, count, result, error):
    """Return the next event. Argument: (handle); result: an event's word, or 0."""
    if count != 1:
        store_int32(error, INT32(TOO_FEW_ARGUMENTS))
        store_int32(error + 8, INT32(1))
        return
    if load_int32(load_address(arguments)) != INT:
        _wrong_argument(error, 0, INT)
        return
    link = link_of(instance, load_int64(load_address(arguments) + 8))
    word = np.int64(0)
    if link != 0:
        word = take_event(link)
    store_int32(result, INT32(INT))
    store_int64(result + 8, word)


@entry_point("void(int64, int64, int64, int64, int64, int64)")
def streaming_scene_was_left(userdata, instance, arguments, count, result, error):
    """Report that a scene was left. Arguments: (handle, number of the scene in the index)."""
    if count != 2:
        store_int32(error, INT32(TOO_FEW_ARGUMENTS))
        store_int32(error + 8, INT32(2))
        return
    for number in range(2):
        if load_int32(load_address(arguments + 8 * number)) != INT:
            _wrong_argument(error, number, INT)
            return
    link = link_of(instance, load_int64(load_address(arguments) + 8))
    scene = load_int64(load_address(arguments + 8) + 8)
    if link == 0 or scene < 0 or scene >= view(link, 1, LINK)[0].scene_count:
        _wrong_argument(error, 0 if link == 0 else 1, INT)
    else:
        put_left_scene(link, scene)


def add_streaming_methods(methods, engine) -> None:
    """Register the methods; `engine.server` exists when one is called."""
    locked = locked_calls(engine, "streams")
    handle = {"handle": INT}
    methods.cold("streaming_open", locked("open"), {"space": RID, "folder": STRING, "settings": DICTIONARY}, INT)
    methods.cold("streaming_close", locked("close"), handle)
    methods.cold("streaming_figures", locked("figures"), handle, DICTIONARY)
    methods.cold("streaming_reset_figures", locked("reset_figures"), handle)
    methods.cold("streaming_tiles", locked("tiles"), handle, STRING)
    methods.cold("streaming_missing", locked("missing"), handle, INT)
    methods.cold("streaming_body", locked("body"), {"body": RID}, DICTIONARY)
    viewer = {**handle, "number": INT, "position": VECTOR3, "velocity": VECTOR3}
    methods.hot("streaming_set_viewer", streaming_set_viewer, viewer)
    methods.hot("streaming_next_event", streaming_next_event, handle, INT)
    methods.hot("streaming_scene_was_left", streaming_scene_was_left, {**handle, "scene": INT})
