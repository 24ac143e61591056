"""The layout of blocks of hulls, meshes and height fields that compiled code cooks into C's memory, and how Python takes one
over.

Such memory starts with a COOKED_MEMORY, followed by the block as `cooking.pack_block` lays it out. compiled_cooking.py cooks
them; the address of a row's memory stays in `ShapeRows.cooked_memory` until Python has claimed it.
"""

import numpy as np

from ..runtime.c_memory import owned_memory
from ..runtime.call import call_1_result
from ..runtime.kernel import kernel
from ..runtime.memory import view, view_rows
from . import schema, settings
from .cooking import ALIGNMENT, Block

COOKED_MEMORY = np.dtype(
    [
        ("byte_count", "i8"),  # of the whole memory
        ("block", "i8"),  # address
        ("points", "i8"),  # of a hull: address of its source points, float32 (point_count, 3) [m]
        ("point_count", "i8"),
        ("corner_count", "i8"), ("is_two_sided", "i8"),  # of a mesh: its source
    ],
    align=True,
)  # fmt: skip
HEADER_BYTES = COOKED_MEMORY.itemsize


@kernel
def aligned(byte_count):
    """Round up to a multiple of ALIGNMENT [byte]."""
    return (byte_count + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


@kernel
def allocate_block(allocate, block_bytes):
    """Allocate memory for a block of so many bytes, uninitialised. `allocate`: address of malloc. Return the address of its
    COOKED_MEMORY; 0: out of memory."""
    byte_count = HEADER_BYTES + ALIGNMENT + block_bytes
    address = call_1_result(allocate, byte_count)
    if address != 0:
        header = view(address, 1, COOKED_MEMORY)[0]
        header.byte_count, header.block = byte_count, aligned(address + HEADER_BYTES)
        header.points = header.point_count = header.corner_count = header.is_two_sided = 0
    return address


_HULL_SIZES = {
    "vertices": (np.float32, "vertex_count", 3), "planes": (np.float32, "face_count", 4), "edges": (np.int32, "edge_count", 4),
}  # fmt: skip
_MESH_SIZES = {
    "vertices": (np.float32, "vertex_count", 3), "triangles": (np.int32, "triangle_count", 3),
    "faces": (np.int32, "triangle_count", 0), "active_edges": (np.uint8, "triangle_count", 0),
    "nodes": (schema.MESH_NODE, "node_count", 0), "materials": (np.uint8, "face_count", 0),
    "material_table": (np.float32, "material_count", 2),
}  # fmt: skip
_FIELD_SIZES = {
    "heights": (np.float32, "depth", "width"), "ranges": (np.float32, "node_count", 2), "levels": (np.int64, "level_count", 3),
    "materials": (np.uint8, "face_count", 0), "material_table": (np.float32, "material_count", 2),
}  # fmt: skip


class _Reader:
    """Reads the arrays in the memory at an address, and takes over its ownership."""

    def __init__(self, address: int):
        self.header = view_rows(address, 1, COOKED_MEMORY)[0].copy()
        self._memory, self._start = owned_memory(address, int(self.header["byte_count"])), address

    def array(self, address: int, dtype, *shape: int) -> np.ndarray:
        """A view of an array that begins at an address."""
        size = np.dtype(dtype).itemsize * int(np.prod(shape))
        begin = address - self._start if size else 0
        return self._memory[begin : begin + size].view(dtype).reshape(shape)

    def block(self, dtype: np.dtype, sizes: dict) -> Block:
        """Read the block, with an array for each name of `sizes`: dtype, field that gives the rows, columns or their field."""
        address = int(self.header["block"])
        record = self.array(address, dtype, 1)[0]
        arrays = {}
        for name, (array_dtype, rows, columns) in sizes.items():
            width = int(record[columns]) if isinstance(columns, str) else columns
            arrays[name] = self.array(int(record[name]), array_dtype, int(record[rows]), *([width] if width else []))
        if dtype is schema.HULL_BLOCK:
            starts = self.array(int(record["face_starts"]), np.int32, int(record["face_count"]) + 1)
            arrays["face_starts"] = starts
            arrays["face_vertices"] = self.array(int(record["face_vertices"]), np.int32, int(starts[-1]))
        return Block(self._memory, address, arrays)


def claim(address: int, row) -> tuple[Block, object]:
    """Take over the block in the memory at an address, for the shape with this row of SHAPE. Return it and the shape's settings.
    The memory is freed when none of its arrays is used any more."""
    reader = _Reader(address)
    if row["user_kind"] == schema.HULL:
        points = reader.array(int(reader.header["points"]), np.float32, int(reader.header["point_count"]), 3)
        return reader.block(schema.HULL_BLOCK, _HULL_SIZES), settings.Hull(points)
    if row["user_kind"] == schema.HEIGHT_FIELD:
        block = reader.block(schema.MESH_BLOCK, _FIELD_SIZES)
        kept = (block.arrays[name] for name in ("materials", "material_table"))
        return block, settings.HeightField(block.arrays["heights"], (1.0, 1.0, 1.0), *kept)
    block = reader.block(schema.MESH_BLOCK, _MESH_SIZES)
    vertices, triangles, faces, *surfaces = (
        block.arrays[name] for name in ("vertices", "triangles", "faces", "materials", "material_table")
    )
    return block, settings.Mesh(vertices, triangles, faces, bool(row["has_backface_collision"]), *surfaces)
