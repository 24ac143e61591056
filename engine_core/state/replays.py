"""Making a recorded world again, without the program that made it: row by row, with the hashes compared.

    replay = Replay("game.screerec")
    answer = replay.run()           # or replay.run(to_step=500)
    print(answer.difference or f"{answer.steps} steps, the same hashes")

Everything from the file is checked before it is believed: edits by replay_checks.py, calls by the calls themselves.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..batches import adding, editing  # declare recorded calls
from ..bodies.identity import describe_id, index_of, kind_of
from ..bodies.layers import MaskLayers
from ..bodies.schema import KIND_AREA, KIND_BODY, KIND_JOINT, KIND_SHAPE, KIND_SYSTEM
from ..core.pose_motors import PoseMotors
from ..core.world import World
from ..edit import motion_edits
from ..edit.edit_log import CALL, HASH_WORD, STEP
from ..edit.edit_table import EDITS
from ..runtime.memory import PoolFull
from ..runtime.recorded_calls import RECORDED
from ..step.limits import DEFAULT_LIMITS
from .hashing import hash_space
from .recorded_values import NoValue, decode
from .recording_files import RecordingError, RecordingFile
from .replay_checks import check_edit

assert adding.add_bodies and editing.free_bodies
MOST_OF_A_LIMIT = 1 << 26
OF_THE_WORLD = ("world", "batches")
"""Parts of the names of calls whose first argument is the world."""
MAKES_SHAPE, MOST_OF_NAME = b'"shape.create"', 64
REFUSALS = (KeyError, ValueError, TypeError, RuntimeError, PoolFull, AttributeError, IndexError)


@dataclass(frozen=True)
class Answer:
    """How a replay went: `steps` of all spaces together, and how many hashes were compared; `difference`: where it parts from the
    recording, or empty; `ending`: how the file ends where it was not closed, or empty."""

    steps: int
    compared: int
    difference: str = ""
    ending: str = ""


class _Layers(MaskLayers):
    """The table of layers of a recorded world: bodies have the words of their layers already."""

    def __init__(self, needs_both: bool, broad_phase: dict[int, str]):
        super().__init__(broad_phase)
        self.needs_both = needs_both


class Replay:
    """A recording and the world that it makes. For one thread. Raises OSError, RecordingError."""

    def __init__(self, path: Path | str, threads: int | None = 1):
        self._file, self._done = RecordingFile(path), 0
        self.world = World(threads=threads, layers=self._layers(), **self._limits())
        self.world.shapes.reserve(self._rows_of_shapes())
        self._things: list[Any] = []  # vehicles and the like, in the order of making
        self._steps, self._compared_count = 0, 0
        self._same: dict[int, int] = {}  # by space: after how many steps it was last the same

    def _wrong(self, reason: Any) -> RecordingError:
        return RecordingError(f"{self._file.path}: row {self._done} of the recording is wrong: {reason}")

    def _layers(self) -> _Layers:
        try:
            told = self._file.world["layers"]
            return _Layers(bool(told["needs_both"]), {int(layer): str(name) for layer, name in told["broad_phase"]})
        except (KeyError, TypeError, ValueError) as error:
            raise RecordingError(f"{self._file.path}: its layers are wrong: {error}") from None

    def _limits(self) -> dict[str, int]:
        told = self._file.world.get("limits")
        is_good = isinstance(told, dict) and set(told) == set(DEFAULT_LIMITS)
        if not is_good or any(type(limit) is not int or not 1 <= limit <= MOST_OF_A_LIMIT for limit in told.values()):
            raise RecordingError(f"{self._file.path}: its limits are wrong, got {told!r}")
        return told

    def _rows_of_shapes(self) -> set[int]:
        """The rows of all shapes that the recording makes: no other use of a shape takes one of them meanwhile."""
        found = set()
        for row, call in RecordingFile(self._file.path).rows():
            if row["edit"] == CALL and MAKES_SHAPE in call[:MOST_OF_NAME]:
                try:
                    identity = self._told(call)[1]
                except NoValue as error:
                    raise self._wrong(error) from None
                if not isinstance(identity, int) or not 0 <= index_of(identity) < self.world.shapes.pool.capacity:
                    raise self._wrong(f"there is no room for shape {identity!r}")
                found.add(index_of(identity))
        return found

    def _told(self, data: bytes) -> tuple[dict, Any]:
        """The arguments and the result of a call. Raises NoValue."""
        size = int.from_bytes(data[:4], "little")
        new_body = self.world.bodies.template
        return decode(data[4 : 4 + size], new_body), decode(data[4 + size :], new_body).get("result")

    def run(self, to_step: int | None = None) -> Answer:
        """Make what was recorded, to its end or until a space has made `to_step` steps. Ends at the first hash that differs.
        Raises RecordingError."""
        difference = ""
        for row, call in self._file.rows():
            number = int(row["edit"])
            if number == STEP:
                if to_step is not None and row["values"][1] >= to_step:
                    return self._answer()
                difference = self._step(row)
            elif number == CALL:
                self._call(call)
            else:
                self._edit(number, int(row["body"]), row["values"])
            if difference:
                return self._answer(difference)
            self._done += 1
        return self._end()

    def _end(self) -> Answer:
        end = self._file.end
        if end is None:
            return self._answer(ending="the file was cut: this is up to its last whole block")
        if end.get("reason"):
            return self._answer(ending=f"the recording ends early: {end['reason']}")
        for space, steps, state in end.get("spaces", ()):
            if not self.world.has_system(space):
                return self._answer(f"at the end the space {describe_id(space)} is missing")
            found = self._compare(space, int(self.world.system(space).row["step"]["count"]), steps, state)
            if found:
                return self._answer(found)
        return self._answer()

    def _answer(self, difference: str = "", ending: str = "") -> Answer:
        return Answer(self._steps, self._compared_count, difference, ending)

    # Rows.

    def _edit(self, number: int, body: int, values: np.ndarray) -> None:
        """Give an edit of the table."""
        if not 0 <= number < len(EDITS):
            raise self._wrong(f"there is no edit {number}")
        edit, kinds = EDITS[number], (KIND_BODY, KIND_AREA)
        if not self.world.bodies.has(body, *kinds):
            raise self._wrong(f"{edit.name}: there is no body {describe_id(body)}")
        problem = check_edit(self.world, edit, body, values)
        if problem:
            raise self._wrong(f"{edit.name}: {problem}")
        if edit is motion_edits.put_in:
            self.world.body.settled_row(index_of(body))
        arguments, first = [], 0
        for _, count in edit.arguments:
            arguments.append(float(values[first]) if count == 1 else values[first : first + count])
            first += count
        self.world.body.edit(edit.name, body, edit, *arguments)

    def _step(self, row: np.void) -> str:
        """Step a space; before it, compare its hash if the row has one. Return what differs."""
        space, values = int(row["body"]), row["values"]
        if not self.world.has_system(space):
            raise self._wrong(f"step: there is no space {describe_id(space)}")
        if not 0.0 < values[0] <= 3600.0 or not all(0.0 <= values[k] <= 1e9 for k in (1, 2, 3)):
            raise self._wrong(f"step: it is {values[0]} s long, after {values[1]} steps")
        system = self.world.system(space)
        if not values[2]:
            self.world.prepare_step(system)
        if values[4]:
            state = int(values[HASH_WORD : HASH_WORD + 1].view(np.int64)[0])
            found = self._compare(space, int(system.row["step"]["count"]), int(values[1]), state)
            if found:
                return found
        self.world.step_once(space, float(values[0]), int(values[2]), int(values[3]))
        self._steps += 1
        return ""

    def _compare(self, space: int, count: int, recorded_count: int, state: int) -> str:
        """Compare a space with the recorded hash. Return what differs, or nothing."""
        if count == recorded_count and hash_space(self.world.system(space).address) == state:
            self._same[space] = count
            self._compared_count += 1
            return ""
        before = self._same.get(space)
        same = f"; after {before} steps it is the same" if before is not None else ""
        return f"after {recorded_count} steps the space {describe_id(space)} differs from the recording{same}"

    def _call(self, data: bytes) -> None:
        """Make a marked call of Python, with the rows that the recorded world took."""
        try:
            told, result = self._told(data)
            name, number = told["name"], told["target"]
            if name not in RECORDED:
                raise NoValue(f"there is no call {name!r}")
            target = self._target(name.partition(".")[0], number)
            self._prefer(result)
            made = RECORDED[name](target, *told["arguments"], **told["named"])
        except REFUSALS as error:
            raise self._wrong(error) from error
        if hasattr(made, "recorded_number"):
            self._things.append(made)
        if result is not None and not np.array_equal(made, result):
            raise self._wrong(f"{name}: it made {describe_of(made)}, and {describe_of(result)} in the recording")

    def _target(self, part: str, number: Any) -> Any:
        """The thing that a call belongs to."""
        if isinstance(number, int):
            thing = self._things[number] if 0 <= number < len(self._things) else None
            if thing is None or part not in {one.__name__ for one in type(thing).__mro__}:
                raise NoValue(f"there is no {part} {number}")
            return thing
        if part == PoseMotors.__name__:
            return PoseMotors(self.world, *number)
        return self.world if part in OF_THE_WORLD else getattr(self.world, part)

    def _prefer(self, result: Any) -> None:
        """Have the next call take the rows that it took in the recording: which rows are free depends on when queries ended."""
        ids = np.atleast_1d(np.asarray(result if result is not None else [], np.int64))
        if not len(ids):
            return
        kind = kind_of(int(ids[0]))
        if kind in (KIND_BODY, KIND_AREA):
            self.world.bodies.prefer(ids)
        elif kind == KIND_SHAPE:
            self.world.shapes.prefer(index_of(int(ids[0])), int(ids[0]) >> 32)
        elif kind == KIND_JOINT:
            self.world.joints.prefer(int(ids[0]))
        elif kind == KIND_SYSTEM:
            self.world.prefer_system(int(ids[0]))


def describe_of(made: Any) -> str:
    """The thing that a call made, for an error."""
    return describe_id(int(made)) if isinstance(made, int | np.integer) else repr(made)
