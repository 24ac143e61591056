"""`scree build-core`: the whole core as one library a system, compiled ahead of time."""

import hashlib
import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from scree.tools import build_loader, link_core, lower_core
from scree.tools.lower_core import CoreNotBuilt


@dataclass(frozen=True)
class Built:
    """A library that was built: its file, the number of entry points in it, and what it needs from the system's libraries."""

    file: Path
    entry_points: int
    needed: list[str]


def identities() -> dict[str, str]:
    """The hash of the sources of each entry point of the engine, by its name."""
    importlib.import_module("scree.entry_points")
    from scree.runtime import code_identity, kernel
    from scree.runtime.source_closure import is_of_engine

    own = [entry for entry in kernel.registry() if is_of_engine(entry.function.__module__)]
    return {entry.name: code_identity.identity(entry.function, str(entry.signature)) for entry in own}


def build_id(entries: dict[str, str]) -> str:
    """The id of a library with these entry points."""
    return hashlib.blake2b(repr(sorted(entries.items())).encode(), digest_size=12).hexdigest()


def targets(names: list[str]) -> list[tuple[str, str]]:
    """The targets of names such as `linux.x86_64`; this machine's where there is none, every one for `all`. Raises
    CoreNotBuilt."""
    known = {".".join(target): target for target in link_core.TARGETS}
    if names == ["all"]:
        return list(known.values())
    try:
        return [known[name] for name in names] if names else [build_loader.this_machine()]
    except KeyError as unknown:
        raise CoreNotBuilt(f"there is no target {unknown.args[0]}; there are {', '.join(known)}") from unknown
    except build_loader.LoaderNotBuilt as error:
        raise CoreNotBuilt(str(error)) from error


def build(
    chosen: list[tuple[str, str]], folder: Path | None = None, only: Sequence[str] | None = None,
    report: Callable[[int, int, str], None] = lambda done, total, name: None,
) -> list[Built]:  # fmt: skip
    """Build the library for each target into a folder; by default where the engine looks for it. `only`: the names of its
    entry points, all where not given. `report` gets the number of parts that are done, the number of all, and a name. Raises
    CoreNotBuilt."""
    from scree.runtime import core_library

    entries = {name: told for name, told in identities().items() if only is None or name in only}
    total = len(entries) + len(chosen)
    lowered = lower_core.lower(entries, lambda done, name: report(done, total, name))
    done: list[Built] = []
    for target in chosen:
        file = (folder or core_library.folder()) / core_library.file_name(*target)
        report(len(entries) + len(done), total, file.name)
        needed = link_core.make_library(lowered, entries, build_id(entries), link_core.TARGETS[target], file)
        done.append(Built(file, len(entries), needed))
    return done
