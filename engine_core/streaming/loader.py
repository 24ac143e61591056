"""The threads of a streaming world: one director (asks the planner, unloads step by step, tends the tree) and loaders.

They are Python threads. Their long work is compiled code and disk access, which release the GIL. They and the stepping thread
never wait for each other: it writes the viewers' positions and takes ready batches from a queue.
"""

import threading
import time
from collections import deque
from pathlib import Path

from ..batches.body_batches import FAILED, IS_IN
from ..core.batches import BatchQueue, BodyBatch
from ..runtime.memory import PoolFull
from . import tile_file
from .planner import Tile


class Job:
    """A tile that is being loaded."""

    def __init__(self, tile: Tile, number: int):
        self.tile, self.number = tile, number
        self.is_given_up = False
        self.batch: BodyBatch | None = None
        self.error = ""
        self.begun = time.perf_counter()


class Loader:
    """Loads tiles of one folder into one system, nearest first, on `thread_count` threads. Close it before the world is freed.

    One thread, the director, calls `load`, `give_up`, `unload` and `poll`."""

    def __init__(self, queue: BatchQueue, folder: Path | tile_file.Place, thread_count: int = 1, user_id: int = 0,
                 read=tile_file.read):  # fmt: skip
        self.queue, self.folder, self.user_id, self._read = queue, folder, user_id, read
        self._jobs: dict[Tile, Job] = {}  # requested, not loaded yet
        self._order: list[Tile] = []  # nearest first
        self._loaded: deque[Job] = deque()  # handed back by the threads
        self._pushed: dict[Tile, Job] = {}  # waiting for the stepping thread
        self.batches: dict[Tile, BodyBatch] = {}  # in
        self._leaving: dict[Tile, BodyBatch] = {}
        self._numbers = 0
        self._condition = threading.Condition()
        self._is_closing = False
        self._threads = [threading.Thread(target=self._work, name=f"scree tiles {k}", daemon=True) for k in range(thread_count)]
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
        """Read and check a tile and make its bodies. An error affects only this tile."""
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
        """Request tiles."""
        with self._condition:
            for tile in tiles:
                self._numbers += 1
                self._jobs[tile] = Job(tile, self._numbers)
                self._order.append(tile)
            self._condition.notify_all()

    def sort(self, distance) -> None:
        """Sort the waiting tiles again after the viewer has moved."""
        with self._condition:
            self._order.sort(key=lambda tile: (distance(tile), tile))

    def give_up(self, tile: Tile) -> bool:
        """Cancel the request for a tile. Return whether it is gone at once; otherwise `poll` reports it later."""
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
        """Take a loaded tile out."""
        self.unload_batch(tile, self.batches.pop(tile))

    def unload_batch(self, tile: Tile, batch: BodyBatch) -> None:
        batch.begin_removal()
        self._leaving[tile] = batch

    def poll(self) -> tuple[list[Tile], list[Tile], list[tuple[Tile, str]]]:
        """Return, since the last call: tiles that came in, tiles that are gone, and tiles that failed, with the error."""
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
        """The number of tiles in each state."""
        return {
            "asked_for": len(self._jobs), "ready": len(self._pushed), "in": len(self.batches), "leaving": len(self._leaving),
        }  # fmt: skip

    def is_idle(self) -> bool:
        """Whether no tile is being loaded or removed."""
        return not (self._jobs or self._pushed or self._leaving or self._loaded)

    def stop(self) -> None:
        """Stop the threads after they have finished their current tile."""
        with self._condition:
            self._is_closing = True
            self._order.clear()
            self._condition.notify_all()
        for thread in self._threads:
            thread.join()

    def close(self, timeout: float = 10.0) -> None:
        """Stop the threads and remove all tiles. Call it on the stepping thread: it advances the queue."""
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
