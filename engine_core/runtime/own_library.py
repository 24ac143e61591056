"""Libraries of users' own compiled functions, built ahead of time (`scree build-core --project`): what they have needs no Numba.

Such a library lies in a folder `native` beside the module of a function, beside a package that holds the module, or beside the
outermost of these packages: the innermost one is taken. It has a function under the hash of all that its code depends on
(`code_identity.py`): the function's file, the kernels and numbers that it names, and the engine.
"""

import functools
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

from . import core_library
from .code_identity import own_identity
from .compiled_entry import CompiledEntry

FOLDER = "native"
"""The folder of the library in a project or package."""


def file_name(system: str, architecture: str) -> str:
    """The name of the library's file for a system and an architecture, as those of the core."""
    return core_library.file_name(system, architecture, "own")


def packages_above(folder: Path) -> Iterator[Path]:
    """The folder of a module, then those of the packages that it is in, innermost first; last the one that imports start from."""
    yield folder
    while (folder / "__init__.py").is_file():
        folder = folder.parent
        yield folder


@functools.cache
def _library_in(folder: Path) -> core_library.CoreLibrary | None:
    """The library in the folder of a project, or None where there is none; one that cannot be opened is left aside with a
    warning."""
    name = core_library.file_name_here("own")
    path = folder / FOLDER / name
    if not name or not path.is_file():
        return None
    try:
        return core_library.CoreLibrary(path)
    except (OSError, core_library.WrongLibrary) as error:
        print(f"scree: own functions are compiled here: {error}", file=sys.stderr, flush=True)
        return None


@functools.cache
def _say_stale(path: Path, what: str) -> None:
    """Warn, once for a file of a project, that its functions have changed."""
    folder = path.parent.parent
    print(
        f"scree: {what} or what it uses has changed since {path} was built: `scree build-core --project {folder}` builds it anew",
        file=sys.stderr, flush=True,
    )  # fmt: skip


def find(function, signature: str) -> CompiledEntry | None:
    """The code of an entry point outside the engine; None if no library is there or it was built from other sources, which is
    said in one line. Raises kernel.CannotCompile where Numba is missing too."""
    file = Path(function.__code__.co_filename)
    if file.is_file():  # neither typed in nor from an archive
        file = file.resolve()
        found = next(filter(None, map(_library_in, packages_above(file.parent))), None)
        if found is not None:
            name = own_identity(function, signature)
            if name in found.entries:
                return CompiledEntry(found.address(name), True, None, found)
            _say_stale(found.path, file.name)
    if importlib.util.find_spec("numba") is None:
        from .kernel import CannotCompile  # it looks for libraries by this module

        raise CannotCompile(
            f"{function.__qualname__} of {file.name} is in no library of its project (`scree build-core --project`), and cannot "
            "be compiled without Numba"
        )
    return None
