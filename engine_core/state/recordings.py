"""Recording a world of the core: every edit, marked call and step of it in a file, which `replays.py` makes again.

    recorder = Recorder(world, "game.screerec")     # before anything is made in the world
    ...
    recorder.close()

What writes is the log of edit/edit_log.py; a thread of its own takes the rows from it and writes them, so that a step only leaves
them.
"""

import threading
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np

from ..edit import commands
from ..edit.commands import COMMAND
from ..edit.edit_log import CALL, LOG, edit_and_note, execute_now_and_note, note_edit, step_and_note, take_rows
from ..runtime.memory import Pool, address_of
from ..step.physics_system import step
from . import recording_files
from .hashing import hash_space
from .recorded_values import encode
from .recording_files import ROW

ROOM = 1 << 18
"""Rows that may wait to be written."""
AT_ONCE = 1 << 14
"""Rows of one block, at most."""
SECONDS = 0.02
"""How often rows are written [s]."""
HASH_EVERY = 10
"""By default, steps from one hash to the next."""


class Recorder:
    """Records a world from now on. Any thread; a file is closed by one. Raises OSError, RuntimeError if something is in the world
    already, or another recording runs."""

    def __init__(self, world, path: Path | str, hash_every: int = HASH_EVERY):
        if world.recorder is not None:
            raise RuntimeError("Recording: the world is recorded already")
        _check_empty(world)
        self._world, self._calls, self._numbers = world, deque(), 0
        self._inside, self._writing = threading.local(), threading.Lock()
        self._file = open(path, "wb")
        self._file.write(recording_files.first_bytes({"limits": _limits_of(world), "layers": _layers_of(world)}))
        self._ring, self._memory = Pool("rows of a recording", COMMAND, ROOM), np.zeros(1, LOG)
        self.log = self._memory[0]
        self._rows = np.zeros(AT_ONCE, COMMAND)
        self.log["ring"], self.log["capacity"], self.log["hash_every"] = self._ring.address, ROOM, hash_every
        self.log["step_function"], self.log["hash_function"] = step.address, hash_space.address
        self._is_closing, self._error = threading.Event(), None
        self._begin()
        self._thread = threading.Thread(target=self._write_now_and_then, name="scree recording", daemon=True)
        self._thread.start()

    def _begin(self) -> None:
        """Have the world note what happens."""
        world = self._world
        world.memory[0]["log"] = address_of(self._memory)
        world.edit, world.execute_now, world.step_function = edit_and_note, execute_now_and_note, step_and_note
        world.record["edit_function"] = edit_and_note.address
        world.recorder = world.shapes.recorder = self
        world.log_memory = self._memory, self._ring
        world.late.note_recording(True)

    def _end(self) -> None:
        world = self._world
        world.late.note_recording(False)
        world.recorder = world.shapes.recorder = None
        world.record["edit_function"] = commands.edit.address
        world.edit, world.execute_now, world.step_function = commands.edit, commands.execute_now, step

    # Calls.

    @property
    def is_inside(self) -> bool:
        """Whether this thread is in a call that is written as a whole."""
        return getattr(self._inside, "is_set", False)

    def do(self, name: str, method, target: Any, arguments: tuple, named: dict) -> Any:
        """Execute a marked call of Python and write it. Raises NoValue for an argument that a recording cannot hold, and what the
        call raises."""
        if self.is_inside:
            return method(target, *arguments, **named)
        told = {"name": name, "target": _name_of(target), "arguments": list(arguments), "named": named}
        head = encode(name.rpartition(".")[2], told)  # before the call, which may change arrays
        self._inside.is_set = True
        try:
            result = method(target, *arguments, **named)
        finally:
            self._inside.is_set = False
        if hasattr(result, "recorded_number"):
            result.recorded_number = self._numbers
            self._numbers += 1
        given = result if isinstance(result, int | np.integer | np.ndarray) else None
        tail = encode(name, {"result": given})
        self._leave(len(head).to_bytes(4, "little") + head + tail)
        return result

    def _leave(self, data: bytes) -> None:
        """Leave a row for a call, and its bytes."""
        row = np.zeros(1, COMMAND)
        row["body"], row["edit"] = len(data), CALL
        with self._writing:  # so that bytes and rows are in one order
            self._calls.append(data)
            note_edit(self._world.address, address_of(row))
        if int(self.log["head"]) - int(self.log["tail"]) > ROOM // 2:
            self.write()

    # Writing.

    def write(self) -> None:
        """Write the rows that wait. If that fails the game goes on, without a recording: `close` raises the error."""
        with self._writing:
            if self._error is None:
                try:
                    self._write_all()
                except OSError as error:
                    self._error, self.log["lost"] = error, 1

    def _write_all(self) -> None:
        while count := take_rows(address_of(self._memory), address_of(self._rows), AT_ONCE):
            rows = np.empty(count, ROW)
            for name in ROW.names:
                rows[name] = self._rows[name][:count]
            called = int((rows["edit"] == CALL).sum())
            self._file.write(recording_files.rows_bytes(rows, [self._calls.popleft() for _ in range(called)]))
        self._file.flush()

    def _write_now_and_then(self) -> None:
        while not self._is_closing.wait(SECONDS):
            self.write()

    def close(self) -> None:
        """Write what is left, with the hashes of all spaces, and end. Raises OSError, RuntimeError if rows were lost."""
        if self._file.closed:
            return
        self._is_closing.set()
        self._thread.join()
        self._end()
        if self._error is not None:
            self._file.close()
            raise self._error
        lost = bool(self.log["lost"])
        reason = "more came at once than could be written" if lost else ""
        with self._writing:
            self._write_all()
            self._file.write(recording_files.last_bytes({} if lost else _hashes_of(self._world), reason))
            self._file.close()
            self.log["lost"] = 1  # a thread that is still in an edit leaves no row any more
        if lost:
            raise RuntimeError(f"Recording: {reason}: the file ends before")


def _check_empty(world) -> None:
    counts = {
        "bodies and areas": np.count_nonzero(world.bodies.ids[: world.bodies.count]),
        "shapes": np.count_nonzero(world.shapes.rows["id"][: world.shapes.row_count]),
        "joints": np.count_nonzero(world.joints.rows["id"][: world.joints.count]),
        "spaces": len(world.system_ids()),
    }
    for what, count in counts.items():
        if count:
            raise RuntimeError(f"Recording: a recording begins before anything is made, and the world has {count} {what}")


def _limits_of(world) -> dict[str, int]:
    return {name: int(limit) for name, limit in world.limits.items()}


def _layers_of(world) -> dict:
    return {"needs_both": bool(world.layers.needs_both), "broad_phase": sorted(world.layers.broad_phase.items())}


def _hashes_of(world) -> dict[int, tuple[int, int]]:
    """The number of steps and the hash of each space, by its id."""
    found = {}
    for identity in world.system_ids():
        system = world.system(identity)
        found[identity] = int(system.row["step"]["count"]), int(hash_space(system.address))
    return found


def _name_of(target: Any) -> Any:
    """The name of the thing that a call belongs to: the number of a vehicle and the like, the joints of motors, or nothing
    for a part of the world."""
    if hasattr(target, "recorded_number"):
        return target.recorded_number
    return list(target.joints) if hasattr(target, "aim") else None
