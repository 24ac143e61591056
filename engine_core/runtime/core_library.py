"""The whole core as one library that was compiled ahead of time (`scree build-core`), so that nothing is compiled at start.

The library tells, for each entry point, the hash of all that its code depends on (`code_identity.py`). An entry point whose hash
equals that of the sources at hand is taken from the library; any other is compiled by Numba. In a released addon the sources lie
in an archive with a note of the library that was built from them (`SHIPPED`), which is compared instead. Functions outside the
engine have libraries of their own (`own_library.py`).
"""

import ctypes
import functools
import hashlib
import json
import os
import platform
import sys
from pathlib import Path

from .code_identity import identity
from .compiled_entry import CompiledEntry
from .source_closure import ENGINE_FOLDER, PACKAGE, is_of_engine

CHOSEN = "SCREE_CORE"
"""The environment variable that names another library, or, as 0, none."""
ALONE = "SCREE_CORE_ALONE"
"""The environment variable that forbids, as 1, to compile an entry point of the engine that is not in its own library."""
SHIPPED = "shipped_core.txt"
"""Beside this module in a released addon: the id of the library that was built from the same sources."""
FORMAT = 1
_SEAL, _SEAL_BYTES = b"scree core seal\0", 48
_SUFFIXES = {"linux": "so", "windows": "dll", "macos": "dylib"}


class WrongLibrary(RuntimeError):
    """A library of the core does not fit the engine that it was shipped with, or this processor."""


def file_name(system: str, architecture: str, what: str = "core") -> str:
    """The name of the library's file for a system (linux, windows, macos) and an architecture (x86_64, arm64). `what`: `core`, or
    `own` for functions of users."""
    return f"libscree_{what}.{system}.{architecture}.{_SUFFIXES[system]}"


def file_name_here(what: str = "core") -> str:
    """The name of the library's file on this machine; empty on a system that has none."""
    system = {"Linux": "linux", "Windows": "windows", "Darwin": "macos"}.get(platform.system(), "")
    machine = platform.machine().lower()
    return file_name(system, {"amd64": "x86_64", "aarch64": "arm64"}.get(machine, machine), what) if system else ""


def folder() -> Path:
    """The folder of the engine's own library: beside the engine, or beside the archive that holds it."""
    return ENGINE_FOLDER / "native" if ENGINE_FOLDER.is_dir() else ENGINE_FOLDER.parent.parent


def _chosen() -> str:
    """The library that the environment names. A player's variables do not reach a released addon."""
    return "" if _shipped_id() else os.environ.get(CHOSEN, "")


def _file() -> Path | None:
    if chosen := _chosen():
        return None if chosen == "0" else Path(chosen)
    name = file_name_here()
    return folder() / name if name and (folder() / name).is_file() else None


@functools.cache
def _shipped_id() -> str:
    """The id of the library that this engine was shipped with; empty where the sources themselves are at hand."""
    try:
        return __spec__.loader.get_data(os.path.join(os.path.dirname(__file__), SHIPPED)).decode().strip()
    except OSError:
        return ""


def seal(content: bytes) -> bytes:
    """The seal that is appended to a library's file when it is built: the loader of the system ignores it, and without it the
    file is not whole. Opening half a library would end the process."""
    return _SEAL + hashlib.blake2b(content, digest_size=_SEAL_BYTES - len(_SEAL)).digest()


def is_sealed(path: Path) -> bool:
    """Whether libraries like `path` have a seal. Those of macOS have a signature of their own."""
    return path.suffix != ".dylib"


def _check_whole(path: Path) -> None:
    """Raise WrongLibrary for a file without its seal."""
    data = path.read_bytes()
    if is_sealed(path) and data[-_SEAL_BYTES:] != seal(data[:-_SEAL_BYTES]):
        raise WrongLibrary(f"{path} is damaged")


class CoreLibrary:
    """A library of the core, loaded. Raises OSError if it cannot be loaded, WrongLibrary if it is of another kind or needs
    another processor."""

    def __init__(self, path: Path):
        self.path = path
        _check_whole(path)
        self._library = ctypes.CDLL(str(path))
        try:
            told = ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(self._library, "scree_core_table")))
            table = json.loads(told)
            is_known = table["format"] == FORMAT
            self.id: str = table["id"]
            self.entries: dict[str, str] = table["entries"]
        except (ValueError, KeyError, AttributeError) as error:
            raise WrongLibrary(f"{path} is no library of Scree's core ({error})") from error
        if not is_known:
            raise WrongLibrary(f"{path} is of another version of Scree")
        if not self._library.scree_core_can_run():
            raise WrongLibrary("this processor is too old for Scree: it lacks AVX2 or FMA")

        self._library.scree_reserve.restype = ctypes.c_void_p
        self._library.scree_reserve.argtypes = [ctypes.c_int64]
        self._library.scree_release.restype = None
        self._library.scree_release.argtypes = [ctypes.c_void_p]

    def reserve(self, byte_count: int) -> int:
        """The address of zeroed address space [byte], in which memory is taken where it is touched; 0 where there is none."""
        return self._library.scree_reserve(byte_count) or 0

    def release(self, address: int) -> None:
        """Give address space back that `reserve` gave."""
        self._library.scree_release(address)

    @property
    def give_back(self) -> int:
        """The address of the C function `(address, size [byte], unused)` that empties whole pages of memory."""
        return ctypes.cast(self._library.scree_give_back, ctypes.c_void_p).value or 0

    def address(self, name: str) -> int:
        """The address of an entry point that `entries` names."""
        return ctypes.cast(self._library[symbol_of(name)], ctypes.c_void_p).value or 0


def symbol_of(name: str) -> str:
    """The name of an entry point in the library."""
    return f"scree_entry_{name.replace('.', '_')}"


@functools.cache
def library() -> CoreLibrary | None:
    """The library of the core, or None where none was built. Raises WrongLibrary in a released addon that it does not fit;
    elsewhere such a library is left aside with a warning."""
    shipped = _shipped_id()
    path = _file()
    if path is None:
        if shipped:
            raise WrongLibrary(f"{folder() / file_name_here()} is missing: the addon is not whole")
        return None
    try:
        found = CoreLibrary(path)
    except (OSError, WrongLibrary) as error:
        if shipped:
            raise WrongLibrary(str(error)) from error
        print(f"scree: the core is compiled here: {error}", file=sys.stderr, flush=True)
        return None
    if shipped and found.id != shipped:
        raise WrongLibrary(f"{path} was not built from this engine's sources: the addon is a mixture of two versions")
    return found


def find(name: str, function, signature: str) -> CompiledEntry | None:
    """The code of an entry point in the library; None if it is not there or was built from other sources. One outside the engine
    is looked for in the library beside its module. Raises WrongLibrary."""
    found, is_engines = library(), is_of_engine(function.__module__)
    if found is not None and name in found.entries:
        if _shipped_id() or (is_engines and found.entries[name] == identity(function, signature)):
            return CompiledEntry(found.address(name), True, None, found)
    if function.__module__.split(".")[0] != PACKAGE:
        from . import own_library  # it opens libraries by this module

        return None if _chosen() == "0" else own_library.find(function, signature)
    if is_engines and os.environ.get(ALONE) == "1" and not _chosen():
        raise WrongLibrary(f"{name} is not in the core's library, and {ALONE} forbids to compile it")
    return None
