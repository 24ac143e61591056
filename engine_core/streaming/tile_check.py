"""Validation of the contents of a tile: every kind, count, offset, index and number, before any of them is used.

A checksum finds a damaged file, but not a forged one. So that no content leads to an access outside the file's memory, an endless
walk or a jump, one compiled pass compares everything with the sizes of the file's own sections.
"""

import numpy as np

from ..batches.body_batches import NEW_BODY, NEW_SHAPE
from ..runtime.kernel import entry_point, kernel
from ..runtime.memory import address_of, view
from ..shapes.schema import (
    BOX, CAPSULE, CYLINDER, ELLIPSOID, EMPTY, HULL, MESH, SEPARATION_RAY, SHAPE, SPHERE, TAPERED_CAPSULE, TAPERED_CYLINDER,
)  # fmt: skip
from . import block_check
from .block_check import BLOCK_PLACE, hull_fault, mesh_fault
from .tile_limits import ALIGNMENT, LARGEST, LARGEST_PLACE, SMALLEST, are_numbers, is_unit

BODY_NUMBERS, BODY_SHAPES, PART_NUMBERS, PART_SHAPE, SHAPE_COUNT, SHAPE_KIND, SHAPE_NUMBERS = range(1, 8)
WORDS = {
    BODY_NUMBERS: "body {} has a number that is not finite or too large, or a rotation that is none",
    BODY_SHAPES: "body {} has shapes that are not its own",
    PART_NUMBERS: "shape {} on a body has a number that is not finite or too large, or a rotation that is none",
    PART_SHAPE: "shape {} on a body lies outside the table of shapes",
    SHAPE_COUNT: "it has shapes on bodies that are no body's, from {} on",
    SHAPE_KIND: "shape {} is of a kind that no tile holds",
    SHAPE_NUMBERS: "shape {} has a number that is not finite, too large or too small",
    block_check.BLOCK_PLACE: "the block of shape {} lies outside the tile or in another block",
    block_check.HULL_COUNTS: "the hull of shape {} has counts that do not fit",
    block_check.HULL_NUMBERS: "the hull of shape {} has a number that is not finite or too large, or a corner out of its bounds",
    block_check.HULL_FACES: "a face of the hull of shape {} lies outside its corners, or on no plane",
    block_check.HULL_EDGES: "an edge of the hull of shape {} lies outside its corners or faces",
    block_check.MESH_COUNTS: "the mesh of shape {} has counts that do not fit",
    block_check.MESH_VERTICES: "the mesh of shape {} has a corner that is not finite, too large or out of its bounds",
    block_check.MESH_TRIANGLES: "a triangle of the mesh of shape {} lies outside its corners",
    block_check.MESH_NODES: "the nodes of the mesh of shape {} are no tree over its triangles",
    block_check.MATERIALS: "the materials of shape {} lie outside their table",
    block_check.FIELD: "the height field of shape {} does not fit its samples",
}

TILE_SECTIONS = np.dtype(
    [
        ("bodies", "i8"), ("body_count", "i8"), ("parts", "i8"), ("part_count", "i8"),  # addresses of NEW_BODY, NEW_SHAPE
        ("shapes", "i8"), ("shape_count", "i8"), ("blocks", "i8"), ("block_bytes", "i8"),  # of SHAPE and of the blocks
        ("wrong", "i8"),  # out: the index of the faulty item
    ]
)  # fmt: skip


@kernel
def _body_fault(body, first, part_count):
    """Return the fault of a body. The shapes of bodies are stored in sequence; those of this body start at `first`. Any layers
    are valid."""
    is_good = are_numbers(body.position, 3, LARGEST_PLACE) and is_unit(body.rotation, 0, 4)
    is_good = is_good and are_numbers(body.surface_linear_velocity, 3, LARGEST_PLACE)
    if not (is_good and abs(body.friction) <= LARGEST_PLACE and abs(body.restitution) <= LARGEST_PLACE):
        return BODY_NUMBERS
    if body.first_shape != first or body.shape_count < 0 or first + body.shape_count > part_count:
        return BODY_SHAPES
    return 0


@kernel
def _is_sized(shape):
    """Return (whether a shape without a block is of a kind that a tile may hold, whether its sizes are valid)."""
    size, half = shape.half_extents, shape.half_height
    if shape.kind == EMPTY:
        return True, True
    if shape.kind == SPHERE or shape.kind == CAPSULE:
        return True, shape.radius >= SMALLEST
    if shape.kind == CYLINDER:
        return True, shape.radius >= SMALLEST and half >= SMALLEST
    if shape.kind == BOX or shape.kind == ELLIPSOID:
        return True, size[0] >= SMALLEST and size[1] >= SMALLEST and size[2] >= SMALLEST
    if shape.kind == TAPERED_CAPSULE or shape.kind == TAPERED_CYLINDER:
        return True, size[0] >= SMALLEST and max(size[1], size[2]) >= SMALLEST
    return shape.kind == SEPARATION_RAY, shape.length >= SMALLEST


@kernel
def _row_fault(shape):
    """Return the fault of a row of SHAPE by itself. Its id and counts may be anything: `ShapePool.adopt` writes them anew."""
    is_plain, is_good = _is_sized(shape)
    has_block = shape.kind == HULL or shape.kind == MESH
    if not (is_plain or has_block) or shape.user_kind != shape.kind:
        return SHAPE_KIND
    if has_block != (shape.block != -1):
        return BLOCK_PLACE
    is_good = (is_good or has_block) and 0.0 <= shape.radius <= LARGEST and 0.0 <= shape.half_height <= LARGEST
    is_good = is_good and 0.0 <= shape.length <= LARGEST and 0.0 <= shape.inner_radius <= LARGEST
    is_good = is_good and abs(shape.volume) <= 8.0 * LARGEST * LARGEST * LARGEST and abs(shape.margin) <= LARGEST
    is_good = is_good and are_numbers(shape.center_of_mass, 3, LARGEST) and are_numbers(shape.inertia, 6, LARGEST * LARGEST)
    is_good = is_good and are_numbers(shape.plane, 4, LARGEST) and are_numbers(shape.bounds, 6, LARGEST)
    for k in range(3):
        is_good = is_good and 0.0 <= shape.half_extents[k] <= LARGEST and shape.bounds[k] <= shape.bounds[3 + k]
    is_good = is_good and 0 <= shape.has_backface_collision <= 1 and 0 <= shape.slides_on_slope <= 1
    return 0 if is_good and 0 <= shape.is_approximate <= 1 else SHAPE_NUMBERS


@kernel
def _bodies_fault(tile):
    """Return the fault of the bodies and of the shapes on them."""
    bodies, parts = view(tile.bodies, tile.body_count, NEW_BODY), view(tile.parts, tile.part_count, NEW_SHAPE)
    first = np.int64(0)
    for number in range(tile.body_count):
        tile.wrong = number
        fault = _body_fault(bodies[number], first, tile.part_count)
        if fault != 0:
            return fault
        first += bodies[number].shape_count
    tile.wrong = first
    if first != tile.part_count:
        return SHAPE_COUNT
    for number in range(tile.part_count):
        part = parts[number]
        tile.wrong = number
        if not 0 <= part.shape < tile.shape_count:
            return PART_SHAPE
        if not (are_numbers(part.position, 3, LARGEST) and is_unit(part.rotation, 0, 4)):
            return PART_NUMBERS
    return 0


@kernel
def _shapes_fault(tile):
    """Return the fault of the shapes. Their blocks are in the order of their rows; a block that two rows share would be relocated
    twice."""
    shapes = view(tile.shapes, tile.shape_count, SHAPE)
    free = np.int64(0)  # no block has reached beyond here yet
    for number in range(tile.shape_count):
        shape = shapes[number]
        tile.wrong = number
        fault, end = _row_fault(shape), np.int64(0)
        if fault == 0 and shape.block != -1:
            if shape.block < free or shape.block % ALIGNMENT != 0 or shape.block > tile.block_bytes:
                return BLOCK_PLACE
            address, room = tile.blocks + shape.block, tile.block_bytes - shape.block
            fault, end = hull_fault(shape, address, room) if shape.kind == HULL else mesh_fault(shape, address, room)
            free = shape.block + end
        if fault != 0:
            return fault
    return 0


@entry_point("int64(int64)")
def tile_fault(address):
    """Return the fault of the tile whose TILE_SECTIONS are at an address: a key of WORDS, or 0. `wrong` gives the faulty item."""
    tile = view(address, 1, TILE_SECTIONS)[0]
    fault = _shapes_fault(tile)
    return np.int64(fault if fault != 0 else _bodies_fault(tile))


def fault_of(sections: dict) -> str:
    """Describe the fault of the sections of a tile, arrays at aligned addresses. An empty string means none."""
    tile = np.zeros(1, TILE_SECTIONS)
    for name, count, data in (
        ("bodies", "body_count", sections["bodies"]), ("parts", "part_count", sections["new_shapes"]),
        ("shapes", "shape_count", sections["shapes"]), ("blocks", "block_bytes", sections["blocks"]),
    ):  # fmt: skip
        tile[name], tile[count] = address_of(data), len(data)
    fault = tile_fault(address_of(tile))
    return WORDS[fault].format(int(tile["wrong"][0])) if fault else ""
