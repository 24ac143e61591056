"""The pack of an exported game, as Godot 4 writes it: a header, the files, and a directory of them. It is a file of its own, or
at the end of the program. The format is that of Godot's `core/io/file_access_pack.h`, versions 2 and 3.
"""

import os
import struct
from pathlib import Path
from typing import BinaryIO

MAGIC = b"GDPC"
_HEADER = struct.Struct("<4s5IQ")
"""Magic, version of the format, three numbers of Godot's version, flags, offset of the files."""
_RESERVED = 64  # [byte]
_IS_ENCRYPTED = 1
_END = struct.Struct("<Q4s")
"""The end of a program with a pack inside: the pack's size, and the magic."""
_REST = 8 + 8 + 16 + 4
"""Offset, size, checksum and flags of a file in the directory [byte]."""


class PackDamaged(Exception):
    """A pack is no pack, or not all of it is there; the message says which."""


def is_inside(program: Path) -> bool:
    """Whether a program has its pack at its end."""
    with program.open("rb") as file:
        return _inside(file) is not None


def godot_version(path: Path) -> tuple[int, int, int]:
    """Godot's version that wrote a pack, or the pack in a program, of which all files must be there. Raises PackDamaged."""
    with path.open("rb") as file:
        start, end = _inside(file) or (0, file.seek(0, os.SEEK_END))
        file.seek(start)
        header = file.read(_HEADER.size)
        if len(header) < _HEADER.size or header[:4] != MAGIC:
            raise PackDamaged("it is no pack of Godot")
        _, layout, major, minor, patch, flags, files_at = _HEADER.unpack(header)
        if layout in (2, 3) and not flags & _IS_ENCRYPTED:
            if layout == 3:
                file.seek(start + struct.unpack("<Q", _exactly(file, 8))[0])
            else:
                file.seek(_RESERVED, os.SEEK_CUR)
            if start + files_at + _end_of_files(file) > end:
                raise PackDamaged("it is cut off")
        return major, minor, patch


def _inside(file: BinaryIO) -> tuple[int, int] | None:
    """Where a pack at the end of an open program begins and ends."""
    size = file.seek(0, os.SEEK_END)
    if size < _END.size:
        return None
    file.seek(size - _END.size)
    length, magic = _END.unpack(file.read(_END.size))
    start = size - _END.size - length
    return (start, size - _END.size) if magic == MAGIC and start >= 0 else None


def _exactly(file: BinaryIO, count: int) -> bytes:
    """Read so many bytes. Raises PackDamaged."""
    found = file.read(count)
    if len(found) < count:
        raise PackDamaged("it is cut off")
    return found


def _end_of_files(file: BinaryIO) -> int:
    """Read the directory of a pack; the end of its last file, from the first file on [byte]. Raises PackDamaged."""
    (count,), last = struct.unpack("<I", _exactly(file, 4)), 0
    for _ in range(count):
        (length,) = struct.unpack("<I", _exactly(file, 4))
        file.seek(length, os.SEEK_CUR)
        offset, size = struct.unpack_from("<2Q", _exactly(file, _REST))
        last = max(last, offset + size)
    return last
