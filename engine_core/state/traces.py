"""Traces: the hash of every body of a space after each step, in a file, to find out where two runs part.

A file begins with a MARK; then for each step a STEP, and a BODY_HASH for each body and area of the space. Two runs of the same
program, on two machines for example, are compared by `first_difference`, or by `scree diverge A B`.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..bodies.identity import describe_id
from ..bodies.motion import bodies_of
from ..bodies.records import system_at, world_at
from ..runtime.call import load_int64
from ..runtime.kernel import entry_point
from ..runtime.memory import address_of, address_of_record, view
from .hashing import MOTION_FIRST, MOTION_LAST, POSE_FIRST, POSE_LAST, hash_space, mix

MARK = b"SCREETR\x01"
STEP = np.dtype([("step_count", "<i8"), ("hash", "<i8"), ("body_count", "<i8")])
BODY_HASH = np.dtype([("id", "<i8"), ("hash", "<i8")])


@entry_point("int64(int64, int64)")
def hash_bodies(address, out):
    """Write a BODY_HASH of each body and area of the system at an address to `out`. Return their number. For the thread that
    steps, between steps."""
    system = system_at(address)
    world, bodies = world_at(system.world), bodies_of(system.world)
    rows, count = view(out, world.body_count, BODY_HASH), 0
    for index in range(world.body_count):
        body = bodies[index]
        if body.id == 0 or body.system != system.index:
            continue
        at, chain = address_of_record(body), np.int64(1)
        for place in range(POSE_FIRST, POSE_LAST, 8):
            chain = mix(chain, load_int64(at + place))
        for place in range(MOTION_FIRST, MOTION_LAST, 8):
            chain = mix(chain, load_int64(at + place))
        rows[count].id, rows[count].hash = body.id, chain
        count += 1
    return np.int64(count)


class TraceError(ValueError):
    """A file is no trace, or ends within a step. The message names the file."""


class TraceWriter:
    """Writes the trace of a space of a world of the core. For the thread that steps, between steps."""

    def __init__(self, world, space: int, path: Path | str):
        self._world, self._space, self._system = world, space, world.system(space)
        self._file = open(path, "wb")
        self._file.write(MARK)

    def note(self) -> None:
        """Write the hashes of the space as it is. Raises KeyError, OSError."""
        self._world.system_index("note", self._space)
        rows, step = np.zeros(self._world.bodies.count, BODY_HASH), np.zeros(1, STEP)
        count = hash_bodies(self._system.address, address_of(rows))
        step["step_count"], step["hash"] = self._system.row["step"]["count"], hash_space(self._system.address)
        step["body_count"] = count
        self._file.write(step.tobytes() + rows[:count].tobytes())

    def close(self) -> None:
        """Finish the file."""
        self._file.close()


@dataclass(frozen=True)
class TracedStep:
    """The hashes after a step: of the space, and rows of BODY_HASH."""

    step_count: int
    hash: int
    bodies: np.ndarray


def read_trace(path: Path | str) -> list[TracedStep]:
    """The steps in a file. Raises OSError, TraceError."""
    data = Path(path).read_bytes()
    if data[: len(MARK)] != MARK:
        raise TraceError(f"{path}: this is no trace")
    at, steps = len(MARK), []
    while at < len(data):
        if at + STEP.itemsize > len(data):
            raise TraceError(f"{path}: the file ends within step {len(steps)}")
        step, at = np.frombuffer(data, STEP, 1, at)[0], at + STEP.itemsize
        count = int(step["body_count"])
        if not 0 <= count <= (len(data) - at) // BODY_HASH.itemsize:
            raise TraceError(f"{path}: the file ends within step {len(steps)}")
        steps.append(TracedStep(int(step["step_count"]), int(step["hash"]), np.frombuffer(data, BODY_HASH, count, at)))
        at += count * BODY_HASH.itemsize
    return steps


def first_difference(one: list[TracedStep], other: list[TracedStep]) -> str:
    """Say where two traces part: after how many steps, and in which bodies first. Empty if they do not."""
    for number, (a, b) in enumerate(zip(one, other, strict=False)):
        if a.step_count != b.step_count:
            return f"entry {number} is of step {a.step_count} in one trace, of step {b.step_count} in the other"
        if a.hash != b.hash or not np.array_equal(a.bodies, b.bodies):
            return f"after {a.step_count} steps they differ: {_differing(a, b)}; {number} entries before are the same"
    if len(one) != len(other):
        return f"the same for {min(len(one), len(other))} entries, then one of the two ends"
    return ""


def _differing(a: TracedStep, b: TracedStep) -> str:
    hashes = ({int(row["id"]): int(row["hash"]) for row in step.bodies} for step in (a, b))
    one, other = hashes
    moved = [identity for identity in one if identity in other and one[identity] != other[identity]]
    gone = [identity for identity in {**one, **other} if (identity in one) != (identity in other)]
    if not moved and not gone:
        return "the bodies are the same, the impulses of contacts or joints, or soft bodies, are not"
    parts = [f"{len(moved)} bodies move differently, first {describe_id(moved[0])}"] if moved else []
    parts += [f"{len(gone)} bodies are only in one of them, first {describe_id(gone[0])}"] if gone else []
    return " and ".join(parts)
