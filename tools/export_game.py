"""Exporting a Godot project as a game for Linux, and looking whether a game has all of Scree."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

from scree.godot import api
from scree.godot.start import PARTS
from scree.runtime import core_library
from scree.tools import build_loader, game_pack
from scree.tools.archive_sum import archive_sum
from scree.tools.find_godot import Godot

PRESETS = """[preset.0]

name="Linux"
platform="Linux"
runnable=true
export_filter="all_resources"
include_filter=""
exclude_filter=""
export_path="{game}"

[preset.0.options]

custom_template/release="{template}"
binary_format/architecture="x86_64"
"""
_LIBRARIES = {".so", ".dll", ".dylib", ".pck"}
"""Suffixes of files that are no programs."""


class NotExported(Exception):
    """The project was not exported; the message holds what Godot said."""


def export(project: Path, game: Path, template: Path, godot: Godot) -> Path:
    """Export a project as a release for Linux into the new file `game`; a project without export presets gets one. Returns the
    game's folder. Raises NotExported."""
    game.parent.mkdir(parents=True, exist_ok=True)
    presets = project / "export_presets.cfg"
    if not presets.is_file():
        presets.write_text(PRESETS.format(game=game, template=template))
    godot.run("--headless", "--path", project, "--import")  # an export of a project that was never opened finds no extension
    run = godot.run("--headless", "--path", project, "--export-release", "Linux", game)
    if not (game.is_file() and game.with_suffix(".pck").is_file()):
        raise NotExported(f"Godot exported no game from {project}:\n{run.output[-3000:]}")
    return game.parent


def missing_parts(folder: Path) -> Iterator[str]:
    """Name what a game's folder lacks to run on Scree, one line each; nothing where it is whole."""
    if not folder.is_dir():
        yield f"a folder {folder}" if not folder.exists() else f"a folder: {folder} is a file, give the one that holds it"
        return
    if (folder / "project.godot").is_file():
        yield f"an exported game: {folder} is a project"
        return
    yield from _missing_game(folder)
    loader = folder / build_loader.library_name()
    if not loader.is_file():
        yield f"{loader.name}, the loader: Godot copies it where the project has addons/scree/scree.gdextension"
    told = folder / PARTS / "scree_paths.cfg"
    if not told.is_file():
        yield (
            f"{PARTS}/{told.name}: the folder {PARTS} of the export is not here, or the project has an addon that was installed "
            "for one machine, not a release (`scree release`)"
        )
        return
    yield from missing_files(told)
    library = folder / PARTS / core_library.file_name_here()
    if library.is_file():
        try:
            core_library.CoreLibrary(library)
        except (OSError, core_library.WrongLibrary) as error:
            yield f"a usable core: {error}"
    yield from _missing_description(folder)


def _missing_description(folder: Path) -> Iterator[str]:
    """Name what is wrong with the description of Godot's API: it is damaged, or that of another Godot than the game's."""
    try:
        described = api.load(json.loads((folder / PARTS / api.SHIPPED).read_text(encoding="utf-8"))).version
    except FileNotFoundError:
        return  # it is one of the files
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        yield f"{PARTS}/{api.SHIPPED}, the description of Godot's API, as the release wrote it"
        return
    for pack in _packs(folder):
        try:
            major, minor, patch = game_pack.godot_version(pack)
        except (OSError, game_pack.PackDamaged):
            continue  # said before
        wanted = f"{major}.{minor}.{patch}" if patch else f"{major}.{minor}"
        if not described.startswith(f"Godot Engine v{wanted}."):
            yield (
                f"{PARTS}/{api.SHIPPED} for Godot {wanted}, with which the game was exported: it describes {described}. Open the "
                f"project in the editor of Godot {wanted}, then export it again"
            )


def _packs(folder: Path) -> list[Path]:
    """The files that hold the game's packs: some of its own, else the programs that have one inside."""
    found = sorted(folder.glob("*.pck"))
    return found or [file for file in _programs(folder) if game_pack.is_inside(file)]


def _programs(folder: Path) -> list[Path]:
    return [
        file for file in sorted(folder.iterdir())
        if file.is_file() and (file.suffix == ".exe" or os.access(file, os.X_OK)) and file.suffix not in _LIBRARIES
    ]  # fmt: skip


def _missing_game(folder: Path) -> Iterator[str]:
    """Name what is missing of the game itself: the program, or its pack, which may be at the end of the program."""
    if not _programs(folder):
        yield "a program: no file here can be run"
    elif not _packs(folder):
        yield "a pack (.pck), beside the program or in it"
    for pack in _packs(folder):
        try:
            game_pack.godot_version(pack)
        except (OSError, game_pack.PackDamaged) as problem:
            yield f"{pack.name} as Godot exported it: {problem}"


def missing_files(told: Path) -> Iterator[str]:
    """Name the parts that `scree_paths.cfg` tells of and that are missing, or shorter than they were."""
    pairs = [line.split("=", 1) for line in told.read_text().splitlines() if "=" in line and line[0] != "#"]
    keys, values = [key for key, _ in pairs], dict(pairs)
    if not {"python_version", "libpython", "archive"} <= set(keys) or keys.count("part") < int(values.get("parts") or 0):
        yield f"the rest of {PARTS}/{told.name}"
    sizes = {core_library.file_name_here(): 0, api.SHIPPED: 0}
    sizes |= {value: 0 for key, value in pairs if key in ("libpython", "archive", "site_packages", "preload")}
    sizes |= {name: int(size) for size, _, name in (value.partition(" ") for key, value in pairs if key == "part")}
    for name, size in sizes.items():
        file = told.parent / name
        if not file.exists():
            yield f"{PARTS}/{name}"
        elif file.is_file() and file.stat().st_size < size:
            yield f"the rest of {PARTS}/{name}: {file.stat().st_size} of its {size} bytes are there"
        elif name == values.get("archive") and archive_sum(file) != values.get("archive_sum", archive_sum(file)):
            yield f"{PARTS}/{name} as the release wrote it: it is damaged"
