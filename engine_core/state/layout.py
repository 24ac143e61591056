"""Reading an image in Python: where each of its regions begins and ends. For checks of files, and to compare two states."""

from typing import NamedTuple

import numpy as np

from .schema import BODIES, HEADER, JOINTS, OF_BODIES, ROWS
from .tables import SpaceTable


class Part(NamedTuple):
    """One region of an image. `numbers`: those of bodies or joints, else empty. `rows`: uint8 (row count, size of a row)."""

    name: str
    numbers: np.ndarray
    rows: np.ndarray


class WrongLayout(ValueError):
    """The bytes are no image: the message says where."""


def padded(byte_count: int) -> int:
    return (byte_count + 7) & ~7


def read_parts(image: np.ndarray, table: SpaceTable) -> list[Part]:
    """The regions of an image of a space with this table, in order. Raises WrongLayout where they do not fit into it."""
    parts, at = [], HEADER.itemsize
    end = int(image[:at].view(HEADER)[0]["byte_count"])
    if not at <= end <= len(image):
        raise WrongLayout(f"it says that it has {end} bytes, there are {len(image)}")
    for name, region in zip(table.names, table.regions, strict=True):
        count, at = int(_take(image, at, 8, end, name).view(np.int64)[0]), at + 8
        most = int(region["capacity"]) if region["kind"] != OF_BODIES else int(parts[0].numbers.size)
        if not 0 <= count <= max(most, 0) and region["capacity"]:
            raise WrongLayout(f"{name}: {count} rows, where at most {most} fit")
        numbers = np.zeros(0, np.int32)
        if region["kind"] in (BODIES, JOINTS):
            numbers = _take(image, at, 4 * count, end, name).view(np.int32)
            at += padded(4 * count)
        size = int(region["size"])
        if region["kind"] == ROWS and not region["capacity"]:
            raise WrongLayout(f"{name}: it has no capacity")
        rows = _take(image, at, count * size, end, name).reshape(count, size)
        at += padded(count * size)
        parts.append(Part(name, numbers, rows))
    if at != end:
        raise WrongLayout(f"it says that it has {end} bytes, its parts have {at}")
    return parts


def _take(image: np.ndarray, at: int, count: int, end: int, name: str) -> np.ndarray:
    if count < 0 or at + count > end:
        raise WrongLayout(f"{name}: the bytes end within it")
    return image[at : at + count]
