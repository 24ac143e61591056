"""Libraries of macOS, read without a Mac: the part of one processor, what it loads, and whether its signature holds. A Mac of
arm64 ends a program whose library was changed after it was signed.

Formats: <mach-o/fat.h>, <mach-o/loader.h> and <kern/cs_blobs.h> of Apple's open sources.
"""

import hashlib
import struct
from collections.abc import Iterator

PROCESSORS = {"x86_64": 0x01000007, "arm64": 0x0100000C}
_FAT, _ONE = 0xCAFEBABE, 0xFEEDFACF
_LOADING = {0x0C, 0x80000018, 0x8000001F}  # a library; one that may be missing; one that is passed on
_SIGNATURE = 0x1D
_SIGNATURES, _DIRECTORY = 0xFADE0CC0, 0xFADE0C02
_HASHES = {1: hashlib.sha1, 2: hashlib.sha256}


class NoLibrary(ValueError):
    """These bytes are no library of macOS for the processor."""


def part_of(data: bytes, architecture: str) -> bytes:
    """The library for one processor out of a file that may hold several. Raises NoLibrary."""
    wanted = PROCESSORS[architecture]
    if len(data) >= 8 and struct.unpack_from(">I", data)[0] == _FAT:
        (count,) = struct.unpack_from(">I", data, 4)
        parts = [struct.unpack_from(">5I", data, 8 + 20 * k) for k in range(count)]
        data = next((data[offset : offset + size] for kind, _, offset, size, _ in parts if kind == wanted), b"")
    if len(data) < 32 or struct.unpack_from("<II", data) != (_ONE, wanted):
        raise NoLibrary(f"no library of macOS for {architecture}")
    return data


def _commands(data: bytes) -> Iterator[tuple[int, int]]:
    """The load commands of a library for one processor: their kinds and where they begin."""
    (count,) = struct.unpack_from("<I", data, 16)
    at = 32
    for _ in range(count):
        kind, size = struct.unpack_from("<II", data, at)
        yield kind, at
        at += size


def loaded_libraries(data: bytes) -> list[str]:
    """The paths of the libraries that a library for one processor loads."""
    found = []
    for kind, at in _commands(data):
        if kind in _LOADING:
            (name,) = struct.unpack_from("<I", data, at + 8)
            found.append(data[at + name : data.index(b"\0", at + name)].decode())
    return found


def has_whole_signature(data: bytes) -> bool:
    """Whether a library for one processor has a signature, and the hashes in it are those of its pages. Who signed it is not
    looked at."""
    places = [struct.unpack_from("<II", data, at + 8) for kind, at in _commands(data) if kind == _SIGNATURE]
    if not places:
        return False
    begin, size = places[0]
    signature = data[begin : begin + size]
    magic, _, count = struct.unpack_from(">3I", signature)
    if magic != _SIGNATURES:
        return False
    entries = [struct.unpack_from(">II", signature, 12 + 8 * k) for k in range(count)]
    directories = [at for _, at in entries if struct.unpack_from(">I", signature, at)[0] == _DIRECTORY]
    return bool(directories) and all(_directory_holds(data, signature, at) for at in directories)


def _directory_holds(data: bytes, signature: bytes, at: int) -> bool:
    """Whether the hashes of a code directory, which begins at a place of the signature, are those of the pages."""
    first, _, _, pages, limit = struct.unpack_from(">5I", signature, at + 16)
    width, kind, _, page_bits = struct.unpack_from("4B", signature, at + 36)
    if kind not in _HASHES:
        return False
    size = 1 << page_bits
    for page in range(pages):
        digest = _HASHES[kind](data[page * size : min((page + 1) * size, limit)]).digest()[:width]
        if signature[at + first + page * width : at + first + (page + 1) * width] != digest:
            return False
    return True
