"""Cooking of height fields: a copy of the samples and the tree of their minima and maxima. Both are changed in place."""

import numpy as np

from . import schema
from .cooking import Cooked, pack_block
from .height_field import BLOCK_CELLS, INSIDE_OUT


def cook_height_field(heights: np.ndarray, scale, materials: np.ndarray, material_table: np.ndarray) -> Cooked:
    """Cook samples float32 `(depth, width)` with cells of `scale[0]` by `scale[2]` [m], heights times `scale[1]`. A field with
    only holes is EMPTY. `materials` uint8 `(cells)`: rows of a table; may be empty."""
    depth, width = heights.shape
    sizes = level_sizes(width, depth)
    levels = np.empty((len(sizes), 3), dtype=np.int64)
    levels[:, 1:] = sizes
    levels[:, 0] = np.concatenate(([0], np.cumsum(levels[:-1, 1] * levels[:-1, 2])))
    node_count = int((levels[:, 1] * levels[:, 2]).sum())
    counts = {
        "width": width, "depth": depth, "scale": scale, "block_width": sizes[-1][0], "block_depth": sizes[-1][1],
        "level_count": len(sizes), "node_count": node_count,
        "triangle_count": sizes[-1][0] * sizes[-1][1] * 8,
        "face_count": len(materials), "material_count": len(material_table),
    }  # fmt: skip
    ranges = np.empty((node_count, 2), dtype=np.float32)
    surfaces = {"materials": materials, "material_table": material_table}
    block = pack_block(schema.MESH_BLOCK, counts, {"heights": heights, "ranges": ranges, "levels": levels} | surfaces)
    renew_ranges(block.arrays, 0, 0, width, depth)
    bounds = field_bounds(block.arrays, scale)
    if bounds is None:
        return Cooked(schema.EMPTY, {})
    return Cooked(schema.MESH, {"bounds": bounds}, block)


def level_sizes(width: int, depth: int) -> list[tuple[int, int]]:
    """(width, depth) of each level of the tree, the root first, the blocks last; at least two levels."""
    sizes = [(-(-(width - 1) // BLOCK_CELLS), -(-(depth - 1) // BLOCK_CELLS))]
    while len(sizes) < 2 or sizes[-1] != (1, 1):
        sizes.append((-(-sizes[-1][0] // 2), -(-sizes[-1][1] // 2)))
    return sizes[::-1]


def renew_ranges(arrays: dict, x: int, z: int, width: int, depth: int) -> None:
    """Update the tree after the samples from (x, z) on, `width` by `depth` of them, have changed."""
    heights, levels = arrays["heights"], arrays["levels"]
    last = len(levels) - 1
    # Blocks that touch a changed sample; a sample on the border of two belongs to both.
    x0, z0 = max(x - 1, 0) // BLOCK_CELLS, max(z - 1, 0) // BLOCK_CELLS
    x1 = min((x + width - 1) // BLOCK_CELLS, int(levels[last, 1]) - 1)
    z1 = min((z + depth - 1) // BLOCK_CELLS, int(levels[last, 2]) - 1)
    part = heights[BLOCK_CELLS * z0 : BLOCK_CELLS * (z1 + 1) + 1, BLOCK_CELLS * x0 : BLOCK_CELLS * (x1 + 1) + 1]
    cells = np.stack((part[:-1, :-1], part[:-1, 1:], part[1:, :-1], part[1:, 1:]))
    low = _fold(np.fmin.reduce(cells), np.fmin)
    high = _fold(np.fmax.reduce(cells), np.fmax)
    blocks = np.stack((np.nan_to_num(low, nan=INSIDE_OUT), np.nan_to_num(high, nan=-INSIDE_OUT)), axis=-1)
    _nodes(arrays, last)[z0 : z1 + 1, x0 : x1 + 1] = blocks + np.float32(0.0)  # -0 becomes 0
    for level in range(last - 1, -1, -1):
        x0, z0, x1, z1 = x0 // 2, z0 // 2, x1 // 2, z1 // 2
        below = _nodes(arrays, level + 1)[2 * z0 : 2 * z1 + 2, 2 * x0 : 2 * x1 + 2]
        target = _nodes(arrays, level)[z0 : z1 + 1, x0 : x1 + 1]
        target[..., 0] = _fold(below[..., 0], np.fmin)
        target[..., 1] = _fold(below[..., 1], np.fmax)


def _nodes(arrays: dict, level: int) -> np.ndarray:
    first, width, depth = arrays["levels"][level]
    return arrays["ranges"][first : first + width * depth].reshape(depth, width, 2)


def _fold(values: np.ndarray, smaller) -> np.ndarray:
    """Reduce every 2 x 2 of an array by `np.fmin` or `np.fmax`; missing values at the border are skipped."""
    depth, width = values.shape
    padded = np.full((depth + depth % 2, width + width % 2), np.nan, dtype=values.dtype)
    padded[:depth, :width] = values
    rows = smaller(padded[::2], padded[1::2])
    return smaller(rows[:, ::2], rows[:, 1::2])


def field_bounds(arrays: dict, scale) -> list[float] | None:
    """The bounds of a field in its own frame, None if it has only holes."""
    depth, width = arrays["heights"].shape
    low, high = (float(value) for value in arrays["ranges"][0])
    if low > high:
        return None
    x, z = 0.5 * (width - 1) * scale[0], 0.5 * (depth - 1) * scale[2]
    return [-x, low * scale[1], -z, x, high * scale[1], z]
