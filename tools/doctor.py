"""Looks for everything that Scree needs on this machine, and names what is missing or wrong."""

import importlib.metadata
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from scree.godot.start import PARTS
from scree.runtime import numba_versions
from scree.runtime.cache_folder import CacheRefused
from scree.tools import (
    build_loader,
    debian_archive,
    export_game,
    find_godot,
    find_python,
    install_addon,
    places,
    project_settings,
)
from scree.tools.screen import NoScreen, server_command

OLDEST = {"numpy": (2, 0), "numba": numba_versions.LOWEST}


@dataclass(frozen=True)
class Finding:
    """One thing looked at: `state` is "good", "missing" (works without) or "bad" (does not)."""

    what: str
    state: str
    found: str
    mend: str = ""


def numbers_of(version: str) -> tuple[int, ...]:
    """The leading numbers of a version text: (2, 4, 6) for `2.4.6rc1`."""
    numbers = []
    for part in version.split("."):
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits))
    return tuple(numbers)


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    state = "good" if sys.version_info >= (3, 11) else "bad"
    return Finding("Python", state, f"{version} at {sys.executable}", "" if state == "good" else "use 3.11 or later")


def _libpython() -> Finding:
    try:
        return Finding("libpython", "good", str(find_python.libpython()))
    except find_python.PythonNotUsable as error:
        return Finding("libpython", "bad", "none", str(error))


def _package(name: str, title: str) -> Finding:
    wanted = numba_versions.REQUIREMENT if name == "numba" else f"{name}>={'.'.join(map(str, OLDEST[name]))}"
    try:
        version = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return Finding(title, "bad", "not installed", f"pip install '{wanted}'")
    if numbers_of(version) < OLDEST[name]:
        return Finding(title, "bad", version, f"pip install --upgrade '{wanted}'")
    if name == "numba":
        if not numba_versions.is_tried(version):
            return Finding(title, "missing", f"{version}, not tried: {numba_versions.RANGE} were", f"pip install '{wanted}'")
        return Finding(title, "good", f"{version} (tried: {numba_versions.RANGE})")
    return Finding(title, "good", version)


def _compiler() -> Finding:
    try:
        return Finding("C compiler", "good", " ".join(build_loader.compiler()))
    except build_loader.LoaderNotBuilt as error:
        return Finding("C compiler", "bad", "none", str(error))


def _godot_and_screen() -> Iterator[Finding]:
    try:
        godot = find_godot.find_godot(fetch=False)
    except find_godot.GodotNotFound as error:
        by_itself = "`scree demo` fetches one from Debian's archive"
        can_fetch = bool(debian_archive.mirrors(debian_archive.sources(), debian_archive.machine_codename()))
        yield Finding("Godot", "missing" if can_fetch else "bad", str(error), by_itself if can_fetch else find_godot.BY_HAND)
        return
    yield Finding("Godot", "good", f"{godot.version} ({godot.origin})")
    try:
        yield Finding("Xvfb", "good", server_command(godot)[-1])
    except NoScreen as error:
        yield Finding("Xvfb", "missing", "none: no pictures", str(error))


def _loader() -> Finding:
    source = places.addon_source() / "native" / "loader.c"
    state = "good" if source.is_file() else "bad"
    return Finding("Loader's source", state, str(source), "" if state == "good" else "the checkout is not whole")


def _compiled_core() -> Finding:
    try:
        from scree.runtime import code_files, core_library
        from scree.tools import warm_up

        if warm_up.is_in_library():
            return Finding("Compiled core", "good", str(core_library.library().path))
        files, damaged = list(code_files.files()), code_files.damaged_files()
        ready = not damaged and warm_up.is_warm()
    except CacheRefused as error:
        return Finding("Compiled core", "bad", str(error), "`ls -ld` on it tells its owner and who may write")
    except Exception as error:  # whatever is wrong with Numba or the engine is what is asked for here
        return Finding("Compiled core", "bad", f"{type(error).__name__}: {error}", "`scree doctor` above says more")
    size = sum(file.stat().st_size for file in files) / 1e6
    found = f"{len(files)} functions, {size:.1f} MB in {code_files.CACHE_FOLDER.parent}"
    if damaged:
        names = f"{damaged[0]}{' and others' if len(damaged) > 1 else ''}"
        return Finding("Compiled core", "bad", f"{len(damaged)} damaged: {names}", "`scree warmup` makes them anew")
    if ready:
        return Finding("Compiled core", "good", found)
    return Finding("Compiled core", "missing", found, "`scree warmup` compiles it")


def _release(bin_folder: Path, systems: list[str]) -> Finding:
    """Whether a project's released addon, with parts for some systems, is whole for this one."""
    what, here = "Project's addon", ".".join(build_loader.this_machine())
    found, again = f"a release for {', '.join(systems)}", "put the folder addons/scree of the release into the project again"
    if here not in systems:
        return Finding(what, "bad", f"{found}, not for {here}", f"`scree release --target {here}` makes one")
    folder = bin_folder / here
    told = folder / PARTS / install_addon.PATHS_FILE
    missing = [] if (folder / build_loader.library_name()).is_file() else [build_loader.library_name()]
    missing += export_game.missing_files(told) if told.is_file() else [f"{PARTS}/{told.name}"]
    if missing:
        return Finding(what, "bad", f"{found}; {here} lacks {', '.join(missing)}", again)
    return Finding(what, "good", found)


def project_findings(project: Path) -> Iterator[Finding]:
    """Findings about the addon in one Godot project."""
    again = f"scree install {project}"
    settings = project / "project.godot"
    if not settings.is_file():
        yield Finding("Project", "bad", f"{project} holds no project.godot")
        return
    engine = project_settings.get_setting(settings.read_text(encoding="utf-8"), "physics", "3d/physics_engine")
    chosen = engine == f'"{install_addon.ENGINE_NAME}"'
    yield Finding("Project's engine", "good" if chosen else "bad", engine or "not set", "" if chosen else again)
    systems = sorted(place.name for place in (project / "addons/scree/bin").glob("*.*") if place.is_dir())
    if systems:
        yield _release(project / "addons/scree/bin", systems)
        return
    library = project / "addons/scree/bin" / build_loader.library_name()
    yield Finding("Project's loader", *(("good", str(library)) if library.is_file() else ("bad", "not built", again)))
    paths = library.with_name(install_addon.PATHS_FILE)
    if not paths.is_file():
        yield Finding("Project's Python", "bad", f"no {paths.name}", again)
        return
    named = dict(line.split("=", 1) for line in paths.read_text().splitlines() if "=" in line and line[0] != "#")
    gone = [f"{key}={value}" for key, value in named.items() if key != "python_version" and not Path(value).exists()]
    yield Finding(
        "Project's Python",
        "bad" if gone else "good",
        f"gone: {', '.join(gone)}" if gone else named.get("libpython", ""),
        again if gone else "",
    )


def findings(project: Path | None = None) -> Iterator[Finding]:
    """All that is looked at, one after the other, and the addon in `project` where one is given."""
    checks: list[Callable[[], Finding]] = [
        _python, _libpython, lambda: _package("numpy", "NumPy"), lambda: _package("numba", "Numba"), _compiler, _loader,
    ]  # fmt: skip
    for check in checks:
        yield check()
    yield from _godot_and_screen()
    yield _compiled_core()
    if project is not None:
        yield from project_findings(project)
