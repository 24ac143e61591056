"""A streaming world: tiles of a folder come and go around viewers while a system steps.

    with Streaming(world, system, "tiles") as streaming:
        while True:
            streaming.update([Viewer(x, z, velocity_x, velocity_z)])
            for event in streaming.events(): ...
            world.step(system, 1 / 60)

`update` is all that the stepping thread does: it writes the viewers' positions and inserts and removes ready batches, within a
budget. A director thread does the rest, some hundred times a second. `update` itself is compiled (`set_viewers`, `advance`), so
that a host reaches it without Python.
"""

import os
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..batches import body_batches
from ..core.batches import BatchQueue
from ..runtime.call import load_int64
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of, view
from . import baking, tile_file
from .loader import Loader
from .planner import (
    ACTIVE, BEING_LEFT, FAILED, IN, SCENE_ACTIVATED, SCENE_DEACTIVATED, TILE_FAILED, TILE_LEVEL, TILE_LOADED,
    TILE_UNLOADED, Planner, Scene,
)  # fmt: skip
from .wanted import Ranges, Tile, Viewer

MOST_VIEWERS = 8
EVENT_CAPACITY = 1 << 14
LEFT_CAPACITY = 1 << 10
DIRECTOR_PAUSE = 0.005
"""How long the director sleeps between passes [s]."""
PLAN_PAUSE = 0.02
"""How often viewers that only move are looked at [s]."""

# Data shared by the stepping thread and the director. An event is one word: kind << 48 | what it is about.
LINK = np.dtype(
    [
        ("queue", "i8"),  # address of QUEUE
        ("viewer_count", "i8"), ("scene_count", "i8"),
        ("sequence", "i8"),  # counts up with every change of viewers; odd while they are written
        ("viewers", "f8", (MOST_VIEWERS, 4)),  # x, z, velocity x, z
        ("events", "i8"),  # address of int64 (EVENT_CAPACITY)
        ("written", "i8"), ("read", "i8"),
        ("left", "i8", LEFT_CAPACITY), ("left_written", "i8"), ("left_read", "i8"),  # numbers of scenes that the game has left
    ],
    align=True,
)  # fmt: skip


@kernel
def put_viewer(link, number, x, z, velocity_x, velocity_z):
    """Write the position of one viewer."""
    record = view(link, 1, LINK)[0]
    record.sequence += 1
    record.viewers[number, 0], record.viewers[number, 1] = x, z
    record.viewers[number, 2], record.viewers[number, 3] = velocity_x, velocity_z
    record.viewer_count = max(record.viewer_count, number + 1)
    record.sequence += 1


@kernel
def take_event(link):
    """The next event, or 0."""
    record = view(link, 1, LINK)[0]
    if record.read == record.written:
        return np.int64(0)
    event = load_int64(record.events + 8 * (record.read & (EVENT_CAPACITY - 1)))
    record.read += 1
    return event


@kernel
def put_left_scene(link, number):
    """Record that the game has freed the content of a deactivated scene."""
    record = view(link, 1, LINK)[0]
    record.left[record.left_written & (LEFT_CAPACITY - 1)] = number
    record.left_written += 1


@entry_point("void(int64, int64, float64, float64, float64, float64)")
def set_viewer(link, number, x, z, velocity_x, velocity_z):
    """`put_viewer` for Python."""
    put_viewer(link, number, x, z, velocity_x, velocity_z)


@entry_point("int64(int64)")
def next_event(link):
    """`take_event` for Python."""
    return take_event(link)


class Event(NamedTuple):
    """An event. `kind`: TILE_LOADED and so on of `planner`; `tile` and `level`, or `scene`."""

    kind: int
    tile: Tile | None = None
    level: int = 0
    scene: str = ""


@dataclass(frozen=True)
class StreamingSettings:
    """Settings of `Streaming`. `budget` [s]: how much time a call of `update` may spend on batches. `threads`: how many load."""

    ranges: Ranges = field(default_factory=Ranges)
    budget: float = 100e-6
    threads: int = 1
    user_id: int = 0  # what queries report for bodies in tiles


class Streaming:
    """Loads and unloads tiles around viewers. Made and closed on the stepping thread. `report(message)` is called for tiles that
    cannot be loaded.

    Raises tile_file.TileDamaged if the folder has no readable index."""

    def __init__(self, world, system_id: int, folder, settings: StreamingSettings | None = None, report=None):
        self.settings = settings = settings or StreamingSettings()
        self.folder = Path(folder) if isinstance(folder, (str, os.PathLike)) else folder  # else a tile_file.Place
        self.index = baking.read_index(self.folder)
        ranges = settings.ranges.over_tiles(float(self.index["tile_size"]))
        self._exists = {tile_file.tile_of_name(name) for name in self.index["tiles"]}
        self._scenes = [
            Scene(s["name"], s["position"][0], s["position"][2], s["encounter_radius"], s["activation_radius"])
            for s in self.index["scenes"]
        ]
        self._numbers = {scene.name: number for number, scene in enumerate(self._scenes)}
        self.planner = Planner(ranges, self._scenes, self._exists.__contains__)
        self.queue = BatchQueue(world, system_id, settings.budget, tends=True)
        self.loader = Loader(self.queue, self.folder, settings.threads, settings.user_id)
        self._report = report or (lambda message: None)
        self.errors: list[str] = []
        self._events = np.zeros(EVENT_CAPACITY, np.int64)
        self._link = np.zeros(1, LINK)
        self._link["queue"], self._link["events"] = self.queue.address, address_of(self._events)
        self._link["scene_count"] = len(self._scenes)
        self.address = address_of(self._link)
        self._backlog: deque[int] = deque()
        self._seen_sequence = -1
        self._planned_at = 0.0
        self._planned: list[Viewer] = []
        self._is_closing = threading.Event()
        self.plan_seconds: deque[float] = deque(maxlen=1000)
        self._lock = threading.Lock()  # guards the planner, for the director and `tile_states`
        self._director = threading.Thread(target=self._direct, name="scree streaming", daemon=True)
        self._director.start()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    # On the stepping thread.

    def update(self, viewers) -> None:
        """Set the viewers' positions, and insert and remove batches. Call it before each step. Raises ValueError for too many
        viewers or positions that are not finite."""
        if len(viewers) > MOST_VIEWERS:
            raise ValueError(f"update: at most {MOST_VIEWERS} viewers, got {len(viewers)}")
        for viewer in viewers:
            if not np.isfinite((viewer.x, viewer.z, viewer.velocity_x, viewer.velocity_z)).all():
                raise ValueError(f"update: viewers must be finite, got {viewer}")
        self._link[0]["viewer_count"] = len(viewers)
        for number, viewer in enumerate(viewers):
            set_viewer(self.address, number, viewer.x, viewer.z, viewer.velocity_x, viewer.velocity_z)
        body_batches.advance(self.queue.address)

    def events(self):
        """Yield the events since the last call, oldest first. A deactivated scene counts as left when the next event is asked
        for: free its content in the loop."""
        while True:
            word = next_event(self.address)
            if word == 0:
                return
            event = self.read_event(word)
            yield event
            if event.kind == SCENE_DEACTIVATED:
                self.scene_was_left(event.scene)

    def read_event(self, word: int) -> Event:
        """Decode the word of an event."""
        kind = word >> 48
        if kind in (SCENE_ACTIVATED, SCENE_DEACTIVATED):
            return Event(kind, scene=self._scenes[word & 0xFFFFFF].name)
        x, z = (word >> 24 & 0x3FFFFF) - 0x200000, (word & 0x3FFFFF) - 0x200000
        return Event(kind, (x, z), word >> 46 & 3)

    def scene_was_left(self, name: str) -> None:
        """Report that the game has freed the content of a deactivated scene: the collision under it may be unloaded."""
        link = self._link[0]
        link["left"][int(link["left_written"]) & (LEFT_CAPACITY - 1)] = self._numbers[name]
        link["left_written"] += 1

    def wait_until_idle(self, viewers, timeout: float = 60.0) -> None:
        """Update until everything that these viewers want is loaded. Raises TimeoutError."""
        until = time.monotonic() + timeout
        while not self._is_settled(list(viewers)):
            self.update(viewers)
            if time.monotonic() > until:
                raise TimeoutError(f"wait_until_idle: {self.loader.counts()} after {timeout} s")
            time.sleep(DIRECTOR_PAUSE)

    def _is_settled(self, viewers: list) -> bool:
        with self._lock:
            states = [self.planner.tiles.get(tile) for tile in self.planner.wanted]
            return self._planned == viewers and self.loader.is_idle() and all(state in (IN, FAILED) for state in states)

    def missing(self) -> int:
        """The number of bodies missing under the encounter areas of active scenes, for checks. It must always be 0."""
        count = 0
        with self._lock:
            for name, state in self.planner.scene_states.items():
                if state in (ACTIVE, BEING_LEFT):
                    for tile in self.planner.tiles_under_scene(name):
                        batch = self.loader.batches.get(tile)
                        count += 1 if batch is None else batch.missing()
        return count

    def figures(self) -> dict:
        """Figures: what is loaded, what waits, and the time the stepping thread has spent on it."""
        seconds = list(self.loader.load_seconds)
        return {
            **self.queue.figures(),
            **{f"tiles_{name}": count for name, count in self.loader.counts().items()},
            "bodies": sum(batch.count for batch in list(self.loader.batches.values())),
            "load_ms": 1000.0 * sum(seconds) / max(len(seconds), 1),
            "plan_ms": 1000.0 * max(self.plan_seconds, default=0.0),
            "failed": len(self.errors),
        }

    def tile_states(self) -> dict:
        """The (state, level) of each tile, for pictures."""
        with self._lock:
            return {tile: (self.planner.tiles.get(tile, ""), self.planner.levels.get(tile, 3))
                    for tile in self.planner.tiles.keys() | self.planner.levels.keys()}  # fmt: skip

    def close(self) -> None:
        """Remove all tiles and stop the threads."""
        if not self._is_closing.is_set():
            self._is_closing.set()
            self._director.join()
            self.loader.close()
            self.queue.close()

    # The director.

    def _direct(self) -> None:
        while not self._is_closing.is_set():
            try:
                if not self._look():
                    time.sleep(DIRECTOR_PAUSE)
            except Exception as error:  # the director must go on
                self._tell(f"streaming: {type(error).__name__}: {error}")
                time.sleep(0.1)

    def _look(self) -> bool:
        """Run one pass: results of the loader, viewers' positions, next steps. Return whether there was anything to do."""
        came, gone, failed = self.loader.poll()
        sequence = int(self._link[0]["sequence"])
        self._flush_events()
        tended = self.queue.tend_tree()
        left = int(self._link[0]["left_written"]) - int(self._link[0]["left_read"])
        has_news = came or gone or failed or left
        has_moved = sequence != self._seen_sequence and time.monotonic() - self._planned_at > PLAN_PAUSE
        if sequence & 1 or not (has_news or has_moved):
            return tended > 0
        self._seen_sequence, self._planned_at = sequence, time.monotonic()
        viewers = [Viewer(*row) for row in self._link[0]["viewers"][: int(self._link[0]["viewer_count"])].tolist()]
        begin = time.perf_counter()
        with self._lock:
            for tile in came:
                self.planner.tile_is_in(tile)
                self._post(TILE_LOADED, tile)
            for tile in gone:
                self.planner.tile_is_out(tile)
            for tile, error in failed:
                self.planner.tile_failed(tile)
                self._post(TILE_FAILED, tile)
                self._tell(error)
            for _ in range(left):
                at = int(self._link[0]["left_read"]) & (LEFT_CAPACITY - 1)
                self.planner.scene_was_left(self._scenes[int(self._link[0]["left"][at])].name)
                self._link[0]["left_read"] += 1
            self._obey(self.planner.update(viewers), viewers)
            self._planned = viewers
        self.plan_seconds.append(time.perf_counter() - begin)
        self._flush_events()
        return True

    def _obey(self, plan, viewers) -> None:
        for tile in plan.unload:
            self._post(TILE_UNLOADED, tile)
            self.loader.unload(tile)
        for tile in plan.give_up:
            if self.loader.give_up(tile):
                self.planner.tile_is_out(tile)
        if plan.load:
            self.loader.load(plan.load)
        self.loader.sort(lambda tile: self.planner.distance(tile, viewers))
        for tile, level in plan.levels:
            self._post(TILE_LEVEL, tile, level)
        for kind, names in ((SCENE_ACTIVATED, plan.activated), (SCENE_DEACTIVATED, plan.deactivated)):
            for name in names:
                self._backlog.append(kind << 48 | self._numbers[name])

    def _post(self, kind: int, tile, level: int = 0) -> None:
        self._backlog.append(kind << 48 | level << 46 | (tile[0] + 0x200000) << 24 | (tile[1] + 0x200000))

    def _flush_events(self) -> None:
        """Hand events over while there is room. Events that are never taken are not lost."""
        link = self._link[0]
        while self._backlog and int(link["written"]) - int(link["read"]) < EVENT_CAPACITY:
            self._events[int(link["written"]) & (EVENT_CAPACITY - 1)] = self._backlog.popleft()
            link["written"] += 1

    def _tell(self, message: str) -> None:
        if message not in self.errors:
            self.errors.append(message)
            self._report(message)
