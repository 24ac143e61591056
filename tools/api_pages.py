"""The reference of the public package `scree`: pages for Sphinx with an entry for every public name, and the names that have no
docstring. docs/site/conf.py makes the entries from the docstrings."""

import inspect
import re
import textwrap
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from sphinx.pycode import ModuleAnalyzer

import scree

PAGES = {
    "worlds": ("api.world", "api.space"), "many_worlds": ("api.vector_world",), "states": ("api.states",),
    "recordings": ("api.recordings",), "bodies": ("api.body", "api.bodies"),
    "shapes": ("api.shapes", "api.structures"),
    "materials": ("api.materials",), "joints": ("api.joint_values", "api.joint", "api.ropes", "core.pulleys", "core.pose_motors"),
    "areas": ("api.areas",),
    "queries": ("api.queries",), "contacts": ("api.contacts",), "drawing": ("api.drawing",),
    "vehicles": ("core.vehicles",), "water": ("core.water",), "characters": ("api.characters",),
    "soft_bodies": ("core.soft_bodies",),
    "streaming": ("api.streaming", "streaming.wanted"),
    "limits": ("step.limits", "runtime.memory"),
}  # fmt: skip
"""The modules of `scree` whose public names stand on a page."""


def module_of(name: str) -> str:
    """Name of the module that defines a public name, without `scree.`; for a value the module of its class."""
    return str(getattr(scree, name).__module__).removeprefix("scree.")


def analyzed(module: str) -> ModuleAnalyzer:
    """Sphinx's analysis of the source of a module of `scree`."""
    analyzer = ModuleAnalyzer.for_module(f"scree.{module}")
    analyzer.analyze()
    return analyzer


def _docstring_of_value(name: str) -> str:
    """The docstring below a public value; empty if there is none."""
    return "\n".join(analyzed(module_of(name)).attr_docs.get(("", name), [])).strip()


def bases(cls: type) -> list[type]:
    """A class and those of its bases that are ours, the class first; nothing for a value."""
    return [base for base in getattr(cls, "__mro__", ()) if base.__module__.startswith("scree.")]


def _docstring_of_class(cls: type) -> str:
    """The docstring that a class has in the source: a dataclass without one gets its signature instead."""
    text = inspect.cleandoc(vars(cls).get("__doc__") or "")
    return "" if text.startswith(f"{cls.__name__}(") else text


def whole_docstring(cls: type) -> str:
    """The docstring of a class, and those of its bases that are ours but not public."""
    hidden = [base for base in bases(cls)[1:] if base.__name__ not in scree.__all__]
    return "\n\n".join(filter(None, map(_docstring_of_class, (cls, *hidden))))


def members(cls: type) -> dict[str, Any]:
    """Public methods and properties of a class and of its bases that are ours, by name."""
    found = {name: value for base in reversed(bases(cls)) for name, value in vars(base).items() if name[0] != "_"}
    return {name: value for name, value in found.items() if callable(value) or isinstance(value, property)}


def _without_docstring(cls: type, module: str) -> list[str]:
    """Members of a class without a docstring. The docstring of the class may describe its fields and attributes; outside the
    room `api` they have comments."""
    missing = [name for name, member in members(cls).items() if not inspect.getdoc(member)]
    if module.startswith("api."):
        set_here = re.findall(r"^ +self\.([a-z]\w*)(?:: \w+)? = ", inspect.getsource(cls), re.MULTILINE)
        told = {name for owner, name in analyzed(module).attr_docs if owner == cls.__name__}
        told |= {*members(cls), *re.findall(r"`(\w+)`", whole_docstring(cls))}
        declared = [one.name for one in fields(cls)] if is_dataclass(cls) else []
        missing += [name for name in dict.fromkeys((*declared, *set_here)) if name not in told]
    return [*([] if _docstring_of_class(cls) else [cls.__name__]), *(f"{cls.__name__}.{name}" for name in missing)]


def faults() -> list[str]:
    """Public names of `scree` without docstring or page, a line each."""
    found = []
    for name in scree.__all__:
        value, module = getattr(scree, name), module_of(name)
        missing = [] if inspect.isclass(value) or _docstring_of_value(name) else [name]
        missing += _without_docstring(value, module) if inspect.isclass(value) else []
        found += [f"engine_core/{module.replace('.', '/')}.py: scree.{one} has no docstring" for one in missing]
        if not any(module in modules for modules in PAGES.values()):
            found.append(f"tools/api_pages.py: PAGES does not name {module}, the module of scree.{name}")
    return found


@cache
def targets() -> set[str]:
    """Names that docstrings can point to, without `scree.`."""
    found = [f"{name}.{member}" for name in scree.__all__ for member in members(getattr(scree, name))]
    return {*scree.__all__, *found}


def rst(text: str) -> str:
    """A docstring as reStructuredText: it has names and code in `single quotes`, [units], and programs that are indented."""

    def quoted(name: str) -> str:
        return f":py:obj:`{name} <scree.{name}>`" if name in targets() else f"``{' '.join(name.split())}``"

    def plain(words: str) -> str:
        return re.sub(r"docs/(\w+)\.md", r":doc:`docs/\1.md </docs/\1>`", re.sub(r"([\\*|_])", r"\\\1", words))

    def paragraph(words: str) -> str:
        if words.startswith("    "):
            return f".. code-block:: python\n\n{words}"
        parts = re.split(r"`([^`]+)`", words)
        return "".join(f"\\ {quoted(part)}\\ " if number % 2 else plain(part) for number, part in enumerate(parts))

    return "\n\n".join(map(paragraph, text.split("\n\n")))


def _entry(name: str) -> str:
    value = getattr(scree, name)
    if not inspect.isclass(value):
        text = textwrap.indent(rst(_docstring_of_value(name)), "   ")
        return f".. py:data:: {name}\n   :type: {type(value).__name__}\n\n{text}"
    inherited = "" if is_dataclass(value) else "   :inherited-members: object, Exception, RuntimeError, UserWarning"
    return f".. auto{'exception' if issubclass(value, Exception) else 'class'}:: {name}\n   :members:\n{inherited}"


def _page(title: str, *parts: str) -> str:
    return "\n\n".join((f"{title}\n{'=' * len(title)}", ".. py:currentmodule:: scree", *parts)) + "\n"


def _intro(module: str) -> str:
    return rst(inspect.cleandoc(import_module(module).__doc__ or ""))


def write(folder: Path) -> None:
    """Write the pages of the reference into a folder: public names in the order in which their modules define them."""
    listed = "\n".join([".. toctree::", "   :maxdepth: 2", "", *(f"   {page}" for page in (*PAGES, "types"))])
    pages = {"index": _page("The package scree", ".. py:module:: scree", _intro("scree"), listed)}
    for title, modules in PAGES.items():
        intros = [_intro(f"scree.{module}") for module in modules if module.startswith("api.")]  # others are for experts
        found = [(module, name) for module in modules for name in analyzed(module).tagorder if name in scree.__all__]
        entries = [_entry(name) for module, name in found if module_of(name) == module]  # a module also names what it imports
        pages[title] = _page(title.capitalize(), *intros, *entries)
    for name, text in pages.items():
        (folder / f"{name}.rst").write_text(text, encoding="utf-8")
