"""States as bytes, for files and other machines: a preamble with version and checksum, then the image.

Bytes from outside are believed only after they were checked: the checksum shows every accident on the way, and `check_parts`
(checks.py) refuses what no space could have saved, also where somebody has made a checksum for it.
"""

import hashlib

import numpy as np

from ..bodies.schema import BODY, BODY_RARE
from ..collision.schema import MANIFOLD, PAIR, PAIR_LISTS
from ..joints.schema import JOINT
from . import declared
from .schema import HEADER

MAGIC = b"SCREEST\x00"
VERSION = 1
"""Increased when what an image holds changes its meaning."""
CHECKSUM_SIZE, LAYOUT_SIZE = 32, 16
PREAMBLE = np.dtype(
    [
        ("magic", "S8"),
        ("version", "<i8"),
        ("layout", "u1", LAYOUT_SIZE),  # hash of the types of all records: an image is read only where they are the same
        ("byte_count", "<i8"),  # of the image
        ("checksum", "u1", CHECKSUM_SIZE),  # of the image
    ]
)
LARGEST = 1 << 36
"""No image is larger [byte]."""


class NoState(ValueError):
    """Bytes are no state, are damaged, or come from another version. The message says which."""


def layout_hash() -> bytes:
    """A hash of the types and names of all that an image holds."""
    records = [HEADER, BODY, BODY_RARE, JOINT, PAIR, PAIR_LISTS, MANIFOLD]
    records += [fields.record for fields in (declared.OF_SYSTEM, declared.OF_SENSORS, declared.OF_COLOURS, declared.OF_TREE)]
    lists = declared.ROWS_OF_SYSTEM, declared.BESIDE_MANIFOLDS, declared.ROWS_OF_SENSORS, declared.ROWS_OF_TREE
    saved = [fields.saved for fields in (declared.OF_SYSTEM, declared.OF_SENSORS, declared.OF_COLOURS, declared.OF_TREE)]
    told = repr([declared.leaves(record) for record in records]) + repr(lists) + repr(saved)
    return hashlib.blake2b(told.encode(), digest_size=LAYOUT_SIZE).digest()


LAYOUT = layout_hash()


def checksum_of(image: np.ndarray) -> bytes:
    return hashlib.blake2b(image, digest_size=CHECKSUM_SIZE).digest()


def to_bytes(image: np.ndarray) -> bytes:
    """The bytes of an image."""
    whole = image[: int(image[: HEADER.itemsize].view(HEADER)[0]["byte_count"])]
    preamble = np.zeros(1, PREAMBLE)
    preamble["magic"], preamble["version"], preamble["byte_count"] = MAGIC, VERSION, len(whole)
    preamble["layout"], preamble["checksum"] = np.frombuffer(LAYOUT, np.uint8), np.frombuffer(checksum_of(whole), np.uint8)
    return preamble.tobytes() + whole.tobytes()


def from_bytes(data: bytes) -> np.ndarray:
    """The image in bytes, uint8. Raises NoState, TypeError."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"from_bytes: bytes are wanted, got {type(data).__name__}")
    if len(data) < PREAMBLE.itemsize + HEADER.itemsize or bytes(data[: len(MAGIC)]) != MAGIC:
        raise NoState(f"from_bytes: these {len(data)} bytes are no state of a space")
    preamble = np.frombuffer(data, PREAMBLE, 1)[0]
    if int(preamble["version"]) != VERSION:
        raise NoState(f"from_bytes: the state is of version {int(preamble['version'])}, this program reads {VERSION}")
    if preamble["layout"].tobytes() != LAYOUT:
        raise NoState("from_bytes: the state was saved by another release, whose records differ from those of this one")
    image = np.frombuffer(data, np.uint8)[PREAMBLE.itemsize :]
    told = int(preamble["byte_count"])
    if told != len(image) or told > LARGEST:
        raise NoState(f"from_bytes: the state says that it has {told} bytes, there are {len(image)}: it was cut or joined")
    if checksum_of(image) != preamble["checksum"].tobytes():
        raise NoState("from_bytes: the state is damaged: its checksum is another")
    kept = np.zeros((len(image) + 7) // 8, np.int64).view(np.uint8)[: len(image)]  # aligned
    kept[:] = image
    if int(kept[: HEADER.itemsize].view(HEADER)[0]["byte_count"]) != told:
        raise NoState("from_bytes: the state contradicts itself about its size")
    return kept
