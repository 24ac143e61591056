"""Exporting a Godot project as a game for Linux, and looking whether a game has all of Scree."""

from collections.abc import Iterator
from pathlib import Path

from scree.godot import api
from scree.godot.start import PARTS
from scree.runtime import core_library
from scree.tools import build_loader
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
    """Parts of Scree that a game's folder lacks, one line each; nothing where it is whole."""
    loader = folder / build_loader.library_name()
    if not loader.is_file():
        yield f"{loader.name}, the loader: Godot copies it where the project has addons/scree/scree.gdextension"
    told = folder / PARTS / "scree_paths.cfg"
    if not told.is_file():
        yield f"{PARTS}/{told.name}: the project has an addon that was installed for one machine, not a release (`scree release`)"
        return
    values = [line.split("=", 1) for line in told.read_text().splitlines() if "=" in line and line[0] != "#"]
    yield from (
        f"{PARTS}/{value}, which {told.name} names as {key}"
        for key, value in values
        if key != "python_version" and not (folder / PARTS / value).exists()
    )
    library = folder / PARTS / core_library.file_name_here()
    if not library.is_file():
        yield f"{PARTS}/{library.name}, the core"
        return
    try:
        core_library.CoreLibrary(library)
    except (OSError, core_library.WrongLibrary) as error:
        yield f"a usable core: {error}"
    if not (folder / PARTS / api.SHIPPED).is_file():
        yield f"{PARTS}/{api.SHIPPED}, the description of Godot's API"
