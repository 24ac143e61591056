"""The Python that a released addon brings: libpython, one archive with the standard library, NumPy and the engine, and the
extension modules in one folder. Only what the engine uses is in it.

Which Python it is says `release_source.py`. Module names are those that a process imports when it imports the whole engine,
and what these import later, inside of functions.
"""

import ast
import json
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scree.runtime import core_library
from scree.runtime.source_closure import ENGINE_FOLDER, WITHOUT_EFFECT, closure
from scree.tools import macho, release_code, small_algebra
from scree.tools.archive_sum import archive_sum
from scree.tools.release_source import NotReleased, PythonSource, strip

ARCHIVE, MODULES = "python.zip", "modules"
VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
_ROOTS = (
    "encodings.ascii", "encodings.latin_1", "encodings.utf_8", "encodings.cp437", "numpy.char", "numpy.ctypeslib", "numpy.lib",
    "numpy.ma", "numpy.polynomial.legendre", "numpy.rec", "numpy.strings",
)  # fmt: skip
"""Modules that are imported by name, or by NumPy when it is first used."""
_AT_START = (
    "codecs", "contextvars", "datetime", "encodings", "encodings.aliases", "encodings.utf_8", "io", "numpy._core._dtype",
    "numpy._core._exceptions", "numpy._core._internal", "numpy._core.printoptions", "numpy.dtypes", "numpy.exceptions", "os",
    "scree_modules",
)  # fmt: skip
"""Modules that compiled code imports at a game's start."""
LARGEST_STORED = 30_000
"""Larger modules are packed even if a start imports them: 31 of them take 1.0 MB less and 7 ms to unpack."""
_NOT_NEEDED = {
    "_bz2", "_csv", "_decimal", "_hashlib", "_lzma", "_pydecimal", "_socket", "_ssl", "argparse", "asyncio", "bz2", "csv",
    "ctypes._aix", "ctypes.macholib", "ctypes.macholib.dyld", "ctypes.util", "decimal", "distutils",
    "doctest", "email", "ftplib", "getpass", "gettext", "gzip", "http", "lzma", "mimetypes", "multiprocessing", "optparse",
    "pdb", "plistlib", "pydoc", "pydoc_data", "setuptools", "site", "sitecustomize", "socket", "socketserver", "ssl",
    "statistics", "tarfile", "termios", "test", "tkinter", "unicodedata", "unittest", "urllib.request", "usercustomize",
    "webbrowser", "xml", "xmlrpc", "zipfile",
}  # fmt: skip
"""Modules that the standard library imports for the sake of other programs."""
_COMPILING = {"code_cache", "intrinsics", "kernel_compiler", "numba_inside", "plain_numba"}
"""Modules of `runtime/` that need Numba."""
_NO_TIME = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Modules:
    """Files of modules by their full names: Python's own sources, and extension modules."""

    sources: dict[str, Path]
    engine: dict[str, ast.Module]  # the engine's among the sources, as a release has them
    packages: frozenset[str]  # names of packages among the sources
    extensions: dict[str, Path]


_LIST = """
import importlib, json, sys
for name in {names!r}:
    importlib.import_module(name)
modules = [(name, getattr(module, "__spec__", None)) for name, module in sys.modules.items()]
print(json.dumps({{name: spec.origin or "" for name, spec in modules if spec}}))
"""


def _engine_files() -> tuple[dict[str, Path], set[str]]:
    """Files of the engine's modules that Godot's server uses, by their names, and names of those that nothing may leave out."""
    roots = set(WITHOUT_EFFECT)
    for file in (ENGINE_FOLDER / "godot").rglob("*.py"):  # some are imported by their names alone
        place = file.relative_to(ENGINE_FOLDER).with_suffix("")
        roots.add(".".join(("scree", *place.parts)).removesuffix(".__init__"))
    names = roots.union(*map(closure, roots))
    names |= {name.rpartition(".")[0] for name in names} - {""}
    files = {}
    for name in names:
        parts = name.split(".")[1:]
        if parts[:1] == ["runtime"] and set(parts) & _COMPILING:
            continue
        path = ENGINE_FOLDER.joinpath(*parts)
        files[name] = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return files, roots


def _imported(source: PythonSource, names: Sequence[str]) -> dict[str, str]:
    """The file of each module that a process has after it imported some; empty where it has none."""
    return json.loads(source.run(_LIST.format(names=names)))


def _of_standard_library(source: PythonSource, name: str) -> Path | None:
    """The file of a module of the standard library, or None."""
    if name.split(".")[0] not in sys.stdlib_module_names or {name, name.split(".")[0]} & _NOT_NEEDED:
        return None
    base = Path(sysconfig.get_path("stdlib"))
    relative = Path(*name.split("."))
    for candidate in (base / relative.with_suffix(".py"), base / relative / "__init__.py"):
        if candidate.is_file():
            return candidate
    return source.extension(name)


def modules(source: PythonSource) -> Modules:
    """All modules that the engine uses. Raises NotReleased."""
    all_files, roots = _engine_files()
    engine = release_code.EngineSources(all_files, roots)
    files = {name: all_files[name] for name in engine.trees}
    waiting = [name for module in files for name in _imports(module, files[module], engine.trees)]
    for name, origin in _imported(source, [*sorted(files), *_ROOTS]).items():
        is_left_out = name.rpartition(".")[0] in release_code.STAND_INS
        if name.split(".")[0] == "numpy" and origin.endswith((".py", source.suffix)) and not is_left_out:
            files[name] = source.path_of(origin)
            waiting.extend(_imports(name, files[name], engine.trees))
        waiting.append(name)
    while waiting:
        name = waiting.pop()
        file = _of_standard_library(source, name)
        if file is None or name in files:
            continue
        files[name] = file
        if "." in name:
            waiting.append(name.rpartition(".")[0])
        waiting.extend(_imports(name, file, engine.trees))
    sources = {name: file for name, file in files.items() if file.suffix == ".py"}
    packages = frozenset(name for name, file in sources.items() if file.name == "__init__.py")
    extensions = {name: file for name, file in files.items() if file.suffix != ".py"}
    return Modules(sources, engine.trees, packages, extensions)


def _imports(name: str, file: Path, engine: Mapping[str, ast.Module]) -> Iterator[str]:
    """Names of what a module imports anywhere in it; nothing for an extension module. `engine`: trees of the engine's modules."""
    if file.suffix == ".py":
        yield from release_code.imports(name, file.name == "__init__.py", engine.get(name) or ast.parse(file.read_bytes()))


def write_archive(file: Path, found: Modules, core_id: str) -> None:
    """Write the archive; the same modules give the same bytes. Small ones that a game's start imports are stored as they are,
    since unpacking takes time; all others are packed. `core_id`: the id of the core's library that belongs to it."""
    trees = {**found.engine}
    own = {"scree_modules": Path(__file__).parent / "core" / "scree_modules.py"}
    for name, each in (own | found.sources).items():
        trees[name] = trees.get(name) or release_code.released(name, each.read_bytes())
    roots = [*_AT_START, *(name for name in trees if name.startswith("scree."))]
    at_start = release_code.reached(roots, trees, found.packages, at_head=True)

    def add(archive: zipfile.ZipFile, name: str, content: bytes, is_stored: bool) -> None:
        entry = zipfile.ZipInfo(name, _NO_TIME)
        entry.external_attr = 0o644 << 16
        archive.writestr(entry, content, zipfile.ZIP_STORED if is_stored else zipfile.ZIP_DEFLATED, 9)

    with zipfile.ZipFile(file, "w") as archive:
        for name, tree in sorted(trees.items()):
            place = name.replace(".", "/") + ("/__init__" if name in found.packages else "")
            code = release_code.compiled(name, tree)
            add(archive, f"{place}.pyc", code, name in at_start and len(code) <= LARGEST_STORED)
        add(archive, f"scree/runtime/{core_library.SHIPPED}", core_id.encode(), is_stored=True)


def _copy(file: Path, place: Path, target: tuple[str, str]) -> None:
    """Copy a library of a target system, without its symbols for debuggers and code for other processors."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if target[0] == "macos":
        place.write_bytes(macho.part_of(file.read_bytes(), target[1]))
    else:
        shutil.copyfile(file, place)
    place.chmod(0o755)
    strip(place, target)


def write_python(source: PythonSource, folder: Path, core_id: str) -> list[Path]:
    """Write libpython, the archive, the extension modules and the libraries that they need into a folder, with the file that
    tells the loader. Returns the licences of what was copied. Raises NotReleased."""
    found = modules(source)
    write_archive(folder / ARCHIVE, found, core_id)
    _copy(source.libpython, folder / source.libpython.name, source.target)
    for name, file in found.extensions.items():
        _copy(file, folder / MODULES / f"{name}{source.suffix}", source.target)
    preloaded = source.libraries([source.libpython, *found.extensions.values()])
    for name, file in preloaded.items():
        _copy(file, folder / name, source.target)
    algebra = folder / small_algebra.PLACES.get(source.target[0], "")
    try:
        built = small_algebra.build(source.site_packages, source.target, algebra)
        names = [*preloaded, *((algebra / name).relative_to(folder).as_posix() for name in built)]
    except small_algebra.AlgebraNotBuilt as error:
        raise NotReleased(str(error)) from error
    told = [f"python_version={VERSION}", f"libpython={source.libpython.name}", f"archive={ARCHIVE}", f"engine={ARCHIVE}"]
    lines = ["# Written by `scree release`: places in this folder.", *told, f"site_packages={MODULES}"]
    lines += [f"archive_sum={archive_sum(folder / ARCHIVE)}", *(f"preload={name}" for name in names)]
    if source.target[0] != "macos":  # there whoever passes a game on signs its libraries, which changes them
        files = sorted(file for file in folder.rglob("*") if file.is_file())
        lines += [f"parts={len(files)}"]
        lines += [f"part={file.stat().st_size} {file.relative_to(folder).as_posix()}" for file in files]
    (folder / "scree_paths.cfg").write_text("\n".join(lines) + "\n")
    return _licences(source, preloaded)


def _licences(source: PythonSource, preloaded: dict[str, Path]) -> list[Path]:
    """Files with the licences of Python, NumPy and the libraries."""
    found = [Path(sysconfig.get_path("stdlib")) / "LICENSE.txt"]
    found += sorted(source.site_packages.glob("numpy-*.dist-info/**/LICENSE*.txt"))
    for name in preloaded:
        package = subprocess.run(["dpkg", "-S", f"*/{name}"], capture_output=True, text=True).stdout
        notice = source.documents / package.split(":")[0] / "copyright"
        if package and notice.is_file():
            found.append(notice)
    return [file for file in found if file.is_file()]
