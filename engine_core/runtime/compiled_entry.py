"""An entry point whose code is there."""

from pathlib import Path
from typing import NamedTuple


class CompiledEntry(NamedTuple):
    """A function with C's calling convention: its address, whether its code was there already, its file in the cache (None where
    it is not cached), and the object that keeps the code alive."""

    address: int
    is_cached: bool
    file: Path | None
    owner: object
