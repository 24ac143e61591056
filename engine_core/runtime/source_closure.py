"""The sources that a module's compiled code depends on: itself and all modules of the engine that it imports, directly or not.

Numba only notices a change in a function's own file. The hash of the closure names the folder of a module's compiled code, so
that a change in anything a function uses is noticed, and a change elsewhere costs no compilation.
"""

import functools
import hashlib
import re
from pathlib import Path

ENGINE_FOLDER = Path(__file__).resolve().parent.parent
PACKAGE = __name__.split(".")[0]
TOOLS = "tools"
"""The folder of the tools in an installed package."""
_IMPORT = r"(?m)^\s*from\s+(\.*[\w.]*)\s+import\s+(\([^)]*\)|[^\n]*)|^\s*import\s+([\w.]+)"  # not compiled at a game's start
_COMMENT = r"#[^\n]*"
_KEEPING = (
    "cache_folder", "code_cache", "code_files", "code_identity", "compiled_entry", "core_library", "own_library",
    "source_closure",
)  # fmt: skip
WITHOUT_EFFECT = frozenset(f"{PACKAGE}.runtime.{name}" for name in _KEEPING)
"""Modules that say where compiled code is kept and found again, not what it is: code does not depend on them."""
_INTRINSIC = r"\bintrinsics?\(\s*\"(\w+)\""
"""A declaration of functions that are written in `runtime/intrinsics/`, which is imported when something is compiled."""


@functools.cache
def _file_of(module: str) -> Path | None:
    """The source of a module of the engine by its full name, or None if there is no such module."""
    path = ENGINE_FOLDER.joinpath(*module.split(".")[1:])
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


def _absolute(module: str, is_package: bool, target: str) -> str:
    """The full name of what `module` imports as `target` (which may begin with dots)."""
    level = len(target) - len(target.lstrip("."))
    if level == 0:
        return target
    parts = module.split(".")
    base = parts[: len(parts) - level + (1 if is_package else 0)]
    return ".".join([*base, target[level:]] if target[level:] else base)


@functools.cache
def _source(module: str) -> tuple[str, frozenset[str]]:
    """The hash of a module's text and the modules of the engine that it imports."""
    file = _file_of(module)
    text = file.read_text(encoding="utf-8")
    named = set()
    if module == PACKAGE:  # it imports its public names on first use, not with the package
        return hashlib.sha256(text.encode()).hexdigest(), frozenset()
    for target, names, plain in re.findall(_IMPORT, text):
        full = plain or _absolute(module, file.name == "__init__.py", target)
        if full.split(".")[0] != PACKAGE:
            continue
        named.add(full)
        if _file_of(full) is not None and _file_of(full).name != "__init__.py":
            continue  # the names are functions and values of a module
        for name in re.sub(_COMMENT, "", names).strip("()").replace("\n", " ").split(","):
            if name.strip():
                named.add(f"{full}.{name.split(' as ')[0].strip()}")
    if module.startswith(f"{PACKAGE}.runtime."):
        named.update(f"{PACKAGE}.runtime.intrinsics.{name}" for name in re.findall(_INTRINSIC, text))
    return hashlib.sha256(text.encode()).hexdigest(), frozenset(name for name in named - WITHOUT_EFFECT if _file_of(name))


@functools.cache
def closure(module: str) -> frozenset[str]:
    """Full names of the module and of all modules of the engine that it depends on."""
    found, waiting = set(), [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(_source(name)[1])
    return frozenset(found)


def is_of_engine(module: str) -> bool:
    """Whether a module, by its full name, is one of the engine's files."""
    return module.split(".")[0] == PACKAGE and _file_of(module) is not None


@functools.cache
def closure_hash(module: str) -> str:
    """Hash of the sources of the module's closure; for a module outside the engine, of the whole engine."""
    names = closure(module) if is_of_engine(module) else all_modules()
    digest = hashlib.sha256()
    for name in sorted(names):
        digest.update(f"{name} {_source(name)[0]}\n".encode())
    return digest.hexdigest()[:16]


@functools.cache
def all_modules() -> frozenset[str]:
    """Full names of all modules of the engine. Tools are none of them: an installed package has them in a folder of the engine,
    a checkout has them beside it, and both have the same code."""
    files = (path.relative_to(ENGINE_FOLDER).with_suffix("") for path in ENGINE_FOLDER.rglob("*.py"))
    return frozenset(".".join((PACKAGE, *file.parts)).removesuffix(".__init__") for file in files if file.parts[0] != TOOLS)


def engine_hash() -> str:
    """Hash of all sources of the engine."""
    return closure_hash("")
