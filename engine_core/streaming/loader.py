"""The threads behind a streaming world: one directs (asks the planner, unloads step by step, tends the tree), others load.

They are Python threads that call compiled code and the disk, which hold no GIL for what takes long. Nobody waits for the thread
that steps, and it waits for nobody: it writes where the viewers are, and takes ready batches from a queue.
"""

import threading
import time
from collections import deque
from pathlib import Path

from ..core.batches import BatchQueue, BodyBatch
from ..batches.body_batches import FAILED, IS_IN
from ..runtime.memory import PoolFull
from . import tile_file
from .planner import Tile


class Job:
    """A tile on its way."""

    def __init__(self, tile: Tile, number: int):
        self.tile, self.number = tile, number
        self.is_given_up = False
        self.batch: BodyBatch | None = None
        self.error = ""
        self.begun = time.perf_counter()


class Loader:
    """Loads tiles of one folder into one system, nearest first. `thread_count` threads; close it before the world goes.

    `load`, `give_up`, `unload` and `poll` are called by one thread, the director."""

    def __init__(self, queue: BatchQueue, folder: Path, thread_count: int = 1, user_id: int = 0, read=tile_file.read):
        self.queue, self.folder, self.user_id, self._read = queue, folder, user_id, read
        self._jobs: dict[Tile, Job] = {}  # asked for, not loaded yet
        self._order: list[Tile] = []  # nearest first
        self._loaded: deque[Job] = deque()  # handed back by the threads
        self._pushed: dict[Tile, Job] = {}  # wait for the thread that steps
        self.batches: dict[Tile, BodyBatch] = {}  # in
        self._leaving: dict[Tile, BodyBatch] = {}
        self._numbers = 0
        self._condition = threading.Condition()
        self._is_closing = False
        self._threads = [
            threading.Thread(target=self._work, name=f"scree tiles {k}", daemon=True) for k in range(thread_count)
        ]
        for thread in self._threads:
            thread.start()
        self.load_seconds: deque[float] = deque(maxlen=1000)
        self.loaded_bodies = 0

    # The threads.

    def _work(self) -> None:
        while True:
            with self._condition:
                while not self._order and not self._is_closing:
                    self._condition.wait()
                if self._is_closing:
                    return
                job = self._jobs[self._order.pop(0)]
            self._load(job)
            self._loaded.append(job)

    def _load(self, job: Job) -> None:
        """Read, check and make a tile's bodies; any error is the tile's alone."""
        try:
            begin = time.perf_counter()
            data = self._read(self.folder / tile_file.tile_name(job.tile))
            if job.is_given_up:
                return
            job.batch = BodyBatch(self.queue, data.bodies, data.new_shapes, data.cooked, data.origin, self.user_id, keeps=data)
            self.load_seconds.append(time.perf_counter() - begin)
            self.loaded_bodies += job.batch.count
        except (tile_file.TileDamaged, PoolFull) as error:
            job.error = str(error)
        except Exception as error:  # a thread must go on with other tiles
            job.error = f"the tile {job.tile} cannot be loaded: {type(error).__name__}: {error}"

    # The director.

    def load(self, tiles: list[Tile]) -> None:
        """Ask for tiles."""
        with self._condition:
            for tile in tiles:
                self._numbers += 1
                self._jobs[tile] = Job(tile, self._numbers)
                self._order.append(tile)
            self._condition.notify_all()

    def sort(self, distance) -> None:
        """Put what waits in order again: the viewer has moved."""
        with self._condition:
            self._order.sort(key=lambda tile: (distance(tile), tile))

    def give_up(self, tile: Tile) -> bool:
        """Ask no longer for a tile. Whether it is gone at once; else `poll` tells."""
        with self._condition:
            if tile in self._order:
                self._order.remove(tile)
                del self._jobs[tile]
                return True
            if tile in self._jobs:
                self._jobs[tile].is_given_up = True
                return False
        if tile in self._pushed:
            self.unload_batch(tile, self._pushed.pop(tile).batch)
        return False

    def unload(self, tile: Tile) -> None:
        """Take a tile that is in out."""
        self.unload_batch(tile, self.batches.pop(tile))

    def unload_batch(self, tile: Tile, batch: BodyBatch) -> None:
        batch.begin_removal()
        self._leaving[tile] = batch

    def poll(self) -> tuple[list[Tile], list[Tile], list[tuple[Tile, str]]]:
        """What has come in, what is gone, and what failed with its error, since the last call."""
        came, gone, failed = [], [], []
        while self._loaded:
            job = self._loaded.popleft()
            with self._condition:
                del self._jobs[job.tile]
            if job.error:
                failed.append((job.tile, job.error))
            elif job.is_given_up:
                if job.batch is not None:
                    job.batch.drop()
                gone.append(job.tile)
            else:
                job.batch.push()
                self._pushed[job.tile] = job
        for tile, job in list(self._pushed.items()):
            if job.batch.state == IS_IN:
                self.batches[tile] = self._pushed.pop(tile).batch
                came.append(tile)
            elif job.batch.state == FAILED:  # the pool of tree nodes was full
                self._pushed.pop(tile).batch.drop()
                failed.append((tile, str(self.queue.system.trees.full())))
        for tile, batch in list(self._leaving.items()):
            if batch.continue_removal():
                del self._leaving[tile]
                gone.append(tile)
        return came, gone, failed

    def counts(self) -> dict[str, int]:
        """How many tiles are in which state."""
        return {
            "asked_for": len(self._jobs), "ready": len(self._pushed), "in": len(self.batches), "leaving": len(self._leaving),
        }  # fmt: skip

    def is_idle(self) -> bool:
        """Whether nothing is on its way in or out."""
        return not (self._jobs or self._pushed or self._leaving or self._loaded)

    def stop(self) -> None:
        """Stop the threads; what they had in hand is finished."""
        with self._condition:
            self._is_closing = True
            self._order.clear()
            self._condition.notify_all()
        for thread in self._threads:
            thread.join()

    def close(self, timeout: float = 10.0) -> None:
        """Stop, and take everything out. On the thread that steps: it advances the queue."""
        self.stop()
        with self._condition:
            loaded = {job.tile for job in self._loaded}
            for tile in [tile for tile in self._jobs if tile not in loaded]:
                del self._jobs[tile]
            for job in self._jobs.values():
                job.is_given_up = True
        self.poll()
        for tile in list(self._pushed):
            self.unload_batch(tile, self._pushed.pop(tile).batch)
        for tile in list(self.batches):
            self.unload(tile)
        until = time.monotonic() + timeout
        while not self.is_idle() and time.monotonic() < until:
            self.queue.advance()
            self.poll()
