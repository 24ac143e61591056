"""The file of a recording: a MARK, a block with the world, and blocks of rows, each with its size and checksum.

A file that was cut, because the program crashed, is read to its last whole block. A damaged one raises RecordingError.
"""

import hashlib
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..edit.edit_log import CALL
from ..edit.edit_table import EDITS, MOST_VALUES
from .files import LAYOUT

MARK = b"SCREERC\x01"
"""Its last byte is the version of the file's form."""
BLOCK = np.dtype([("kind", "<i4"), ("byte_count", "<i4"), ("whole_count", "<i4"), ("row_count", "<i4"), ("checksum", "u1", 16)])
"""The head of a block: its kind, its size compressed and whole [byte], its rows, and a checksum of what precedes and follows."""
WORLD_BLOCK, ROWS_BLOCK, END_BLOCK = range(3)
CHECKED = BLOCK.fields["checksum"][1]
ROW = np.dtype([("body", "<i8"), ("edit", "<i8"), ("values", "<f8", MOST_VALUES)])
"""An edit: id of the body, number in the table, values. A step or a call of Python: see edit/edit_log.py; of a call, `body` is
the number of its bytes, which follow the rows of the block in their order."""
LARGEST = 1 << 30
"""No block is larger [byte]."""


class RecordingError(ValueError):
    """A file is no recording, is damaged, or is of another release. The message names the file."""


class Row(NamedTuple):
    """One row of a recording: the record, and the bytes of a call."""

    record: np.void
    call: bytes


def names_of_edits() -> list[str]:
    """The edits that numbers in a recording stand for."""
    return [edit.name for edit in EDITS]


def _block(kind: int, whole: bytes, row_count: int = 0) -> bytes:
    packed, head = zlib.compress(whole, 1), np.zeros(1, BLOCK)
    head["kind"], head["byte_count"], head["whole_count"], head["row_count"] = kind, len(packed), len(whole), row_count
    head["checksum"] = np.frombuffer(_checksum(head.tobytes()[:CHECKED], packed), np.uint8)
    return head.tobytes() + packed


def _checksum(head: bytes, packed: bytes) -> bytes:
    return hashlib.blake2b(head + packed, digest_size=16).digest()


def first_bytes(world: dict) -> bytes:
    """The beginning of a file: `world` is what JSON holds."""
    told = {"layout": LAYOUT.hex(), "edits": names_of_edits(), **world}
    return MARK + _block(WORLD_BLOCK, json.dumps(told).encode())


def rows_bytes(rows: np.ndarray, calls: list[bytes]) -> bytes:
    """A block of rows of ROW, and the bytes of the calls among them."""
    return _block(ROWS_BLOCK, rows.tobytes() + b"".join(calls), len(rows))


def last_bytes(hashes: dict[int, tuple[int, int]], reason: str) -> bytes:
    """The end of a file: for each space that is left, by id, its number of steps and its hash; why the recording ended before it
    was closed, or nothing."""
    told = {"spaces": [[space, steps, state] for space, (steps, state) in hashes.items()], "reason": reason}
    return _block(END_BLOCK, json.dumps(told).encode())


class RecordingFile:
    """A recording that is being read. `world`: what it was made of; `end`: the last block, None in a file that was cut."""

    def __init__(self, path: Path | str):
        """Raises OSError, RecordingError."""
        self.path = path
        self._data = Path(path).read_bytes()
        self.end: dict | None = None
        if self._data[: len(MARK)] != MARK:
            is_other = self._data[: len(MARK) - 1] == MARK[:-1]
            raise RecordingError(f"{path}: this is {'a recording of another version' if is_other else 'no recording'}")
        self._blocks = self._walk()
        kind, whole, _ = next(self._blocks, (None, b"", 0))
        if kind != WORLD_BLOCK:
            raise RecordingError(f"{path}: the file was cut before its first block ends")
        self.world = self._json(whole)
        if self.world.get("layout") != LAYOUT.hex() or self.world.get("edits") != names_of_edits():
            raise RecordingError(f"{path}: another release made this recording, which edits and stores bodies in another way")

    def _json(self, whole: bytes) -> dict:
        try:
            found = json.loads(whole)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise RecordingError(f"{self.path}: the file is damaged")
        return found

    def _walk(self) -> Iterator[tuple[int, bytes, int]]:
        """(kind, content, number of rows) of each whole block. Raises RecordingError."""
        at, number = len(MARK), 0
        while at + BLOCK.itemsize <= len(self._data):
            head = np.frombuffer(self._data, BLOCK, 1, at)[0]
            begin, size = at + BLOCK.itemsize, int(head["byte_count"])
            if begin + size > len(self._data) and 0 <= size <= LARGEST:
                return  # cut
            packed = self._data[begin : begin + max(size, 0)]
            whole_count = int(head["whole_count"])
            is_good = 0 <= size <= LARGEST and 0 <= whole_count <= LARGEST
            is_good = is_good and _checksum(self._data[at : at + CHECKED], packed) == head["checksum"].tobytes()
            if not is_good:
                raise RecordingError(f"{self.path}: the file is damaged: the checksum of block {number} is another")
            unpacker = zlib.decompressobj()
            whole = unpacker.decompress(packed, whole_count + 1)
            if len(whole) != whole_count:
                raise RecordingError(f"{self.path}: the file is damaged: block {number} is not as long as it says")
            yield int(head["kind"]), whole, int(head["row_count"])
            at, number = begin + size, number + 1

    def rows(self) -> Iterator[Row]:
        """All rows, once, in their order. Raises RecordingError."""
        for kind, whole, count in self._blocks:
            if kind == END_BLOCK:
                self.end = self._json(whole)
                return
            if kind != ROWS_BLOCK or not 0 <= count * ROW.itemsize <= len(whole):
                raise RecordingError(f"{self.path}: the file is damaged: it has a block of no known kind")
            at = count * ROW.itemsize
            for record in np.frombuffer(whole, ROW, count):
                size = int(record["body"]) if record["edit"] == CALL else 0
                if not 0 <= size <= len(whole) - at:
                    raise RecordingError(f"{self.path}: the file is damaged: a call is longer than its block")
                yield Row(record, whole[at : at + size])
                at += size
