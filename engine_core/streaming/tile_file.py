"""Tile files: bodies, the cooked shapes they share, and their source; versioned and checksummed.

    header | table of sections | sections, each at a multiple of 64 bytes

A file is read whole, its checksums are compared, and its whole content is validated (tile_check.py) before use, so that a
truncated, modified or foreign file does no harm. It is written under another name and then renamed: a reader sees the old file or
the new one.

Cooked blocks (hulls, meshes) hold addresses; in the file these are offsets from the block, and become addresses again when the
file is loaded (`relocate`).
"""

import json
import os
import zlib
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from ..batches.body_batches import NEW_BODY, NEW_SHAPE
from ..runtime.call import load_int64, store_int64
from ..runtime.kernel import entry_point
from ..runtime.memory import address_of, view
from ..shapes import schema
from ..shapes.schema import HULL_BLOCK, MESH_BLOCK, MESH_NODE, SHAPE
from .tile_check import fault_of
from .tile_limits import ALIGNMENT, LARGEST_PLACE
from .wanted import Tile

MAGIC = b"SCREETIL"
VERSION = 3
SUFFIX = ".screetile"
HEADER = np.dtype(
    [
        ("magic", "S8"), ("version", "<u4"), ("layout", "<u4"),  # `layout`: checksum of the types of the rows
        ("file_size", "<u8"), ("tile", "<i4", 2), ("origin", "<f8", 3),
        ("section_count", "<u4"), ("checksum", "<u4"),  # of header and table, with this field 0
    ]
)  # fmt: skip
SECTION = np.dtype([("name", "S16"), ("offset", "<u8"), ("size", "<u8"), ("checksum", "<u4"), ("reserved", "<u4")])
TYPES = {"shapes": SHAPE, "blocks": np.dtype("u1"), "bodies": NEW_BODY, "new_shapes": NEW_SHAPE, "source": np.dtype("u1")}
LARGEST_FILE = 1 << 32
HULL_ADDRESSES = np.array([HULL_BLOCK.fields[n][1] for n in ("vertices", "planes", "face_starts", "face_vertices", "edges")])
MESH_ADDRESSES = np.array(
    [
        MESH_BLOCK.fields[n][1]
        for n in (
            "vertices", "triangles", "faces", "active_edges", "nodes", "materials", "material_table",
            "heights", "ranges", "levels",
        )
    ]
)  # fmt: skip
_RECORDS = {schema.HULL: (HULL_BLOCK, HULL_ADDRESSES), schema.MESH: (MESH_BLOCK, MESH_ADDRESSES)}
LAYOUT = zlib.crc32(repr([dtype.descr for dtype in (*TYPES.values(), HULL_BLOCK, MESH_BLOCK, MESH_NODE)]).encode())


class TileDamaged(Exception):
    """A tile file that cannot be used; the message names it and says why."""


class TileData(NamedTuple):
    """A tile in memory. `cooked`: rows of SHAPE whose blocks lie in `memory`."""

    tile: Tile
    origin: np.ndarray
    bodies: np.ndarray  # NEW_BODY
    new_shapes: np.ndarray  # NEW_SHAPE
    cooked: np.ndarray  # SHAPE
    source: dict
    memory: np.ndarray


def tile_name(tile: Tile) -> str:
    """The file name of a tile."""
    return f"tile_{tile[0]}_{tile[1]}{SUFFIX}"


def tile_of_name(name: str) -> Tile | None:
    """The tile of a file name, or None."""
    parts = name.removesuffix(SUFFIX).split("_")
    try:
        return (int(parts[1]), int(parts[2])) if name.endswith(SUFFIX) and len(parts) == 3 and parts[0] == "tile" else None
    except ValueError:
        return None


# Writing ------------------------------------------------------------------------------------------------------------


def packed_block(cooked) -> bytes:
    """The block of a cooked shape with offsets in place of addresses, and zeros between its arrays: equal shapes give equal
    bytes."""
    block = cooked.block
    record, fields = _RECORDS[cooked.kind]
    start = block.address - block.memory.ctypes.data
    memory = np.zeros(len(block.memory) - ALIGNMENT, np.uint8)
    head = memory[: record.itemsize].view(record)
    head[0] = block.memory[start : start + record.itemsize].view(record)[0]
    for array in block.arrays.values():
        if array.nbytes:
            begin = array.ctypes.data - block.address
            memory[begin : begin + array.nbytes] = np.ascontiguousarray(array).view(np.uint8).ravel()
    for field in fields.tolist():
        word = memory[field : field + 8].view(np.int64)
        if word[0]:
            word[0] -= block.address
    return memory.tobytes()


def shape_rows(cooked_shapes) -> tuple[np.ndarray, bytes]:
    """Build rows of SHAPE and the blocks they refer to by offset; -1: none."""
    rows, blocks = np.zeros(len(cooked_shapes), SHAPE), bytearray()
    for row, cooked in zip(rows, cooked_shapes, strict=True):
        for name, value in cooked.fields.items():
            row[name] = value
        row["kind"] = row["user_kind"] = cooked.kind
        row["block"] = -1
        if cooked.block is not None:
            row["block"] = len(blocks)
            packed = packed_block(cooked)
            blocks += packed + bytes(-len(packed) % ALIGNMENT)
    return rows, bytes(blocks)


def encode(tile, origin, bodies, new_shapes, cooked_shapes, source: dict) -> bytes:
    """Build the bytes of a tile file."""
    rows, blocks = shape_rows(cooked_shapes)
    contents = {
        "shapes": rows.tobytes(), "blocks": blocks, "bodies": np.ascontiguousarray(bodies, NEW_BODY).tobytes(),
        "new_shapes": np.ascontiguousarray(new_shapes, NEW_SHAPE).tobytes(),
        "source": json.dumps(source, sort_keys=True).encode(),
    }  # fmt: skip
    table = np.zeros(len(contents), SECTION)
    offset = _aligned(HEADER.itemsize + table.nbytes)
    for section, (name, data) in zip(table, contents.items(), strict=True):
        section["name"], section["offset"], section["size"] = name.encode(), offset, len(data)
        section["checksum"] = zlib.crc32(data)
        offset = _aligned(offset + len(data))
    header = np.zeros(1, HEADER)
    header["magic"], header["version"], header["layout"], header["file_size"] = MAGIC, VERSION, LAYOUT, offset
    header["tile"], header["origin"], header["section_count"] = tile, origin, len(table)
    header["checksum"] = zlib.crc32(header.tobytes() + table.tobytes())
    file = bytearray(offset)
    file[: HEADER.itemsize + table.nbytes] = header.tobytes() + table.tobytes()
    for section, data in zip(table, contents.values(), strict=True):
        file[int(section["offset"]) : int(section["offset"]) + len(data)] = data
    return bytes(file)


def _aligned(size: int) -> int:
    return (size + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file atomically: readers, and a crash, leave the old file or the new one. Raises OSError; then nothing is left
    behind."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    try:
        with open(unfinished, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


# Reading ------------------------------------------------------------------------------------------------------------


class Place(Protocol):
    """A file or a folder that is not one of the system's, such as one in the pack of a game. Any thread may use it."""

    def __truediv__(self, name: str) -> "Place":
        """The file `name` of this folder."""

    def read_bytes(self) -> bytes:
        """The content of this file. Raises OSError."""


def read(path: Path | Place) -> TileData:
    """Read a tile from its file, validated. Raises TileDamaged, which names the file."""
    try:
        return decode(_read_bytes(path), path)
    except OSError as error:
        raise TileDamaged(f"the tile file {path} cannot be read: {error.strerror or error}") from error


def _aligned_memory(size: int) -> np.ndarray:
    """Memory of `size` bytes at an address that is a multiple of 64."""
    memory = np.empty(size + ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    return memory[start : start + size]


def _read_bytes(path: Path | Place) -> np.ndarray:
    """Read a whole file to an address that is a multiple of 64."""
    if not isinstance(path, Path):
        content = np.frombuffer(path.read_bytes(), np.uint8)
        if len(content) > LARGEST_FILE:
            raise OSError(f"it has {len(content)} bytes")
        memory = _aligned_memory(len(content))
        memory[:] = content
        return memory
    with open(path, "rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        if size > LARGEST_FILE:
            raise OSError(f"it has {size} bytes")
        memory = _aligned_memory(size)
        into, count = memoryview(memory), 0
        while count < size:
            got = file.readinto(into[count:])
            if not got:
                break
            count += got
    return memory[:count]


def decode(memory: np.ndarray, path) -> TileData:
    """Decode a tile from the bytes of a file, uint8 at an aligned address. Raises TileDamaged."""
    header, table = _read_header(memory, path)
    sections = {}
    free = HEADER.itemsize + table.nbytes  # sections are in sequence and do not overlap, so that only data is relocated
    for section in table:
        name, offset, size = section["name"].decode("ascii", "replace"), int(section["offset"]), int(section["size"])
        if offset % ALIGNMENT or offset < free or offset + size > len(memory):
            raise TileDamaged(f"the tile file {path} is damaged: its section {name!r} lies outside or in another one")
        free = offset + size
        data = memory[offset:free]
        if zlib.crc32(data) != int(section["checksum"]):
            raise TileDamaged(f"the tile file {path} is damaged: the checksum of its section {name!r} does not match")
        if name in TYPES:
            if size % TYPES[name].itemsize:
                raise TileDamaged(f"the tile file {path} is damaged: its section {name!r} has an odd size")
            sections[name] = data.view(TYPES[name])
    missing = TYPES.keys() - sections.keys()
    if missing:
        raise TileDamaged(f"the tile file {path} is damaged: it has no section {sorted(missing)[0]!r}")
    fault = fault_of(sections)
    if fault:
        raise TileDamaged(f"the tile file {path} is damaged: {fault}")
    source = _read_source(sections["source"], path)
    cooked = sections["shapes"].copy()
    relocate(cooked, sections["blocks"])
    tile = (int(header["tile"][0]), int(header["tile"][1]))
    return TileData(tile, header["origin"].copy(), sections["bodies"], sections["new_shapes"], cooked, source, memory)


def _read_source(data: np.ndarray, path) -> dict:
    """Read the source of a tile."""
    try:
        source = json.loads(data.tobytes())
    except (ValueError, RecursionError) as error:
        raise TileDamaged(f"the tile file {path} is damaged: its section 'source' cannot be read: {error}") from error
    if not isinstance(source, dict) or not isinstance(source.get("digest", ""), str):
        raise TileDamaged(f"the tile file {path} is damaged: its section 'source' tells no digest")
    return source


def _read_header(memory: np.ndarray, path):
    """Read the header and the table of sections."""
    if len(memory) < HEADER.itemsize:
        raise TileDamaged(f"the tile file {path} is cut off: it has {len(memory)} bytes")
    header = memory[: HEADER.itemsize].view(HEADER)[0]
    if header["magic"] != MAGIC:
        raise TileDamaged(f"{path} is no tile file")
    if header["version"] != VERSION:
        raise TileDamaged(f"the tile file {path} is of version {header['version']}, not {VERSION}: bake it again")
    size = HEADER.itemsize + int(header["section_count"]) * SECTION.itemsize
    if size > len(memory) or int(header["file_size"]) != len(memory):
        raise TileDamaged(f"the tile file {path} is cut off: it has {len(memory)} bytes of {header['file_size']}")
    blank = memory[:size].copy()
    blank[: HEADER.itemsize].view(HEADER)["checksum"] = 0
    if zlib.crc32(blank) != int(header["checksum"]):
        raise TileDamaged(f"the tile file {path} is damaged: the checksum of its header does not match")
    if header["layout"] != LAYOUT:
        raise TileDamaged(f"the tile file {path} was baked by another version of Scree: bake it again")
    if not (np.abs(header["origin"]) <= LARGEST_PLACE).all():
        raise TileDamaged(f"the tile file {path} is damaged: its origin is no place")
    return header, memory[HEADER.itemsize : size].view(SECTION)


@entry_point("void(int64, int64, int64, int64)")
def add_base(starts, count, fields, field_count):
    """Convert the offsets in blocks to addresses: `starts` int64 (count) are the blocks' addresses, `fields` int64 (field_count)
    the places of the offsets within a block. 0 stays 0: no array."""
    blocks, offsets = view(starts, count, np.int64), view(fields, field_count, np.int64)
    for i in range(count):
        for k in range(field_count):
            offset = load_int64(blocks[i] + offsets[k])
            if offset != 0:
                store_int64(blocks[i] + offsets[k], offset + blocks[i])


def relocate(cooked: np.ndarray, blocks: np.ndarray) -> None:
    """Convert the offsets in rows of SHAPE and in their blocks to addresses."""
    base = address_of(blocks) if len(blocks) else 0
    offsets = cooked["block"].copy()
    cooked["block"] = np.where(offsets >= 0, offsets + base, 0)
    for kind, (_, fields) in _RECORDS.items():
        starts = np.ascontiguousarray(cooked["block"][cooked["kind"] == kind])
        fields = np.ascontiguousarray(fields, np.int64)
        if len(starts):
            add_base(address_of(starts), len(starts), address_of(fields), len(fields))
