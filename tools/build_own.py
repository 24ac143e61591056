"""`scree build-core --project`: the compiled functions of a user's project as libraries, so that they need no Numba in use.

Every module of the project that declares an entry point is imported for this, in a process of its own.
"""

import ast
import functools
import importlib
import multiprocessing
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from scree.runtime import own_library
from scree.tools import build_core, link_core, lower_core
from scree.tools.build_core import Built
from scree.tools.lower_core import CoreNotBuilt

_DECORATOR = "entry_point"
_NOT_LOOKED_INTO = {"__pycache__", "build", "dist", "node_modules", "site-packages"}


@dataclass(frozen=True)
class Module:
    """A module of a project: the folder that imports start from, its full name, and its file."""

    root: Path
    name: str
    file: Path


@dataclass(frozen=True)
class Function:
    """An entry point of a project: the hash of all that its code depends on, its file, and its name in there."""

    identity: str
    file: Path
    name: str


def _declares(file: Path) -> bool:
    """Whether a source has a function under `@entry_point`. One that is no Python for this version has none."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):
        return False
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    decorators = [each.func for node in functions for each in node.decorator_list if isinstance(each, ast.Call)]
    return any(getattr(each, "attr", getattr(each, "id", "")) == _DECORATOR for each in decorators)


def _sources(folder: Path) -> Iterator[Path]:
    """The Python sources in a folder and below, without environments and what tools keep."""
    for path in sorted(folder.iterdir()):
        if path.suffix == ".py" and path.is_file():
            yield path
        elif path.is_dir() and path.name[0] != "." and path.name not in _NOT_LOOKED_INTO and not (path / "pyvenv.cfg").exists():
            yield from _sources(path)


def modules(project: Path) -> list[Module]:
    """The modules of a project that declare entry points. Raises CoreNotBuilt."""
    found: dict[str, Module] = {}
    for file in filter(_declares, _sources(project)):
        *_, root = own_library.packages_above(file.parent)
        parts = file.relative_to(root).with_suffix("").parts
        made = Module(root, ".".join(parts[:-1] if parts[-1] == "__init__" else parts), file)
        other = found.setdefault(made.name, made)
        if other is not made:
            raise CoreNotBuilt(f"{other.file} and {file} are both imported as {made.name}: build one folder at a time")
    return list(found.values())


def _import_all(chosen: Iterable[Module]) -> None:
    """In a worker process: import modules. Raises CoreNotBuilt."""
    for module in chosen:
        if str(module.root) not in sys.path:
            sys.path.insert(0, str(module.root))
        try:
            importlib.import_module(module.name)
        except (Exception, SystemExit) as error:
            raise CoreNotBuilt(f"{module.file} cannot be imported: {type(error).__name__}: {error}") from error


def _functions(chosen: Sequence[Module], project: Path) -> Iterator[tuple[object, Function]]:
    """In a worker process: the entry points of a project, and what is told of them."""
    _import_all(chosen)
    from scree.runtime import code_identity, kernel

    for entry in kernel.registry():
        file = Path(entry.function.__code__.co_filename).resolve()
        if file.is_relative_to(project):
            identity = code_identity.own_identity(entry.function, str(entry.signature))
            yield entry, Function(identity, file, entry.function.__qualname__)


def _told(chosen: Sequence[Module], project: Path) -> list[Function]:
    return [function for _, function in _functions(chosen, project)]


def _translate(chosen: Sequence[Module], project: Path, names: dict[str, str], name: str) -> bytes:
    """In a worker process: translate the entry point that `names` gives the hash of."""
    entry = next(entry for entry, function in _functions(chosen, project) if function.identity == names[name])
    return lower_core.translated(entry, names[name])


def place_of(file: Path, project: Path) -> Path:
    """The folder whose library has the functions of a file: the project, if they are looked for there, or else the folder from
    which the file's module is imported."""
    above = list(own_library.packages_above(file.parent))
    return project if project in above else above[-1]


def build(
    project: Path, targets: Sequence[tuple[str, str]], into: Path | None = None,
    report: Callable[[int, int, str], None] = lambda done, total, name: None,
) -> list[Built]:  # fmt: skip
    """Build the libraries of a project's own functions, for each target; `into`: another folder than those in which they are
    looked for. `report` gets the number of parts that are done, the number of all, and a name. Raises CoreNotBuilt."""
    project = project.resolve()
    if not project.is_dir():
        raise CoreNotBuilt(f"there is no folder {project}")
    chosen = modules(project)
    if not chosen:
        raise CoreNotBuilt(f"no module in {project} has a function under @{_DECORATOR}")
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        functions = pool.submit(_told, chosen, project).result()
    names = {f"{one.file.relative_to(project)}: {one.name} ({one.identity[:6]})": one.identity for one in functions}
    total = len(names) + len(targets)
    translate = functools.partial(_translate, chosen, project, names)
    lowered = {
        each.name: each for each in lower_core.lower(names, lambda done, name: report(done, total, name), translate=translate)
    }
    places: dict[Path, dict[str, str]] = {}
    for function in functions:
        entries = places.setdefault(into or place_of(function.file, project) / own_library.FOLDER, {})
        entries[function.identity] = f"{function.file.name}: {function.name}"
    done: list[Built] = []
    for target in targets:
        report(len(names) + targets.index(target), total, ".".join(target))
        for folder, entries in places.items():
            file = folder / own_library.file_name(*target)
            parts = [lowered[identity] for identity in sorted(entries)]
            needed = link_core.make_library(parts, entries, build_core.build_id(entries), link_core.TARGETS[target], file)
            done.append(Built(file, len(entries), needed))
    return done
