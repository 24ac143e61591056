"""`scree release`: the addon as one folder that needs nothing else, and a zip of it. Dropped into the `addons` folder of a
project, it is the whole installation: no Python, no compiler and no command.

Made for the system that it is made on; today that is Linux on x86-64 alone.
"""

import json
import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path

from scree.godot import api
from scree.godot.start import PARTS
from scree.runtime import core_library
from scree.tools import build_core, build_loader, find_godot, link_core, places, release_python
from scree.tools.release_python import NotReleased

_ADDON = "res://addons/scree"
_MADE_FOR = ("linux", "x86_64")
_NOT_COPIED = shutil.ignore_patterns(*places.MADE_BY_RUNNING, "bin", "native", ".gitignore")


@dataclass(frozen=True)
class Release:
    """A released addon: its folder `addons/scree`, the zip, and the size of the system's parts [byte], as files and packed."""

    folder: Path
    archive: Path
    unpacked: int
    packed: int


def _extension_file(parts: list[Path], bin_folder: str, loader: str) -> str:
    """The text of `scree.gdextension`: Godot copies what it names beside an exported game."""
    system = ".".join(_MADE_FOR)
    needed = ",\n".join(f'\t"{_ADDON}/{bin_folder}/{PARTS}/{part.as_posix()}": "{_target(part)}"' for part in parts)
    return (
        "[configuration]\n\n"
        'entry_symbol = "scree_init"\ncompatibility_minimum = "4.4"\nreloadable = false\n\n'
        f'[libraries]\n\n{system} = "{_ADDON}/{bin_folder}/{loader}"\n\n'
        f"[dependencies]\n\n{system} = {{\n{needed}\n}}\n"
    )


def _target(part: Path) -> str:
    """The folder of a part beside an exported game."""
    return (Path(PARTS) / part).parent.as_posix()


def _core(target: tuple[str, str], folder: Path) -> core_library.CoreLibrary:
    """The library of the core for these sources, built where there is none, copied into a folder."""
    entries = build_core.identities()
    file = core_library.folder() / core_library.file_name(*target)
    if not file.is_file() or core_library.CoreLibrary(file).entries != entries:
        (built,) = build_core.build([target])
        file = built.file
    shutil.copyfile(file, folder / file.name)
    return core_library.CoreLibrary(folder / file.name)


def _licence(addon: Path, notices: list[Path]) -> None:
    """One file with all licences."""
    root = places.checkout()
    own = root / "LICENSE" if root else None
    texts = [("Scree", own)] if own and own.is_file() else []
    texts += [(file.parent.name, file) for file in notices]
    rule = "=" * 100
    (addon / "LICENSES.txt").write_text(
        "\n\n".join(f"{rule}\n{name}\n{rule}\n\n{file.read_text(encoding='utf-8', errors='replace')}" for name, file in texts)
    )


def make(into: Path, godot: find_godot.Godot) -> Release:
    """Make the addon in `into/addons/scree` and the zip beside it. `godot` describes its API for games that are exported with it.
    Raises NotReleased, build_core.CoreNotBuilt, build_loader.LoaderNotBuilt, find_python.PythonNotUsable."""
    if build_loader.this_machine() != _MADE_FOR:
        raise NotReleased("a release is made on Linux x86-64 only, today")
    addon = into / "addons" / "scree"
    if addon.exists():
        shutil.rmtree(addon)
    shutil.copytree(places.addon_source(), addon, ignore=_NOT_COPIED)
    bin_folder = Path("bin") / ".".join(_MADE_FOR)
    parts_folder = addon / bin_folder / PARTS
    parts_folder.mkdir(parents=True)
    loader = build_loader.library_name(_MADE_FOR)
    zig = link_core.TARGETS[_MADE_FOR].zig
    build_loader.build(
        places.addon_source() / "native" / "loader.c", addon / bin_folder / loader,
        [*build_loader.cross_compiler(_MADE_FOR)[:-1], zig], _MADE_FOR[0],
    )  # fmt: skip
    core = _core(_MADE_FOR, parts_folder)
    notices = release_python.write_python(parts_folder, core.id)
    _describe(godot, parts_folder / api.SHIPPED)
    parts = sorted(file.relative_to(parts_folder) for file in parts_folder.rglob("*") if file.is_file())
    (addon / "scree.gdextension").write_text(_extension_file(parts, bin_folder.as_posix(), loader))
    _licence(addon, notices)
    archive = into / "scree-addon.zip"
    packed = _zip(addon, archive, addon / bin_folder)
    files = [file for file in (addon / bin_folder).rglob("*") if file.is_file()]
    return Release(addon, archive, sum(file.stat().st_size for file in files), packed)


def _describe(godot: find_godot.Godot, file: Path) -> None:
    """Write the description of the API of a Godot."""
    try:
        file.write_text(json.dumps(api.ask_engine(list(godot.command)), separators=(",", ":")))
    except api.ApiUnknown as error:
        raise NotReleased(str(error)) from error


def _zip(addon: Path, archive: Path, counted: Path) -> int:
    """Pack the addon as the Asset Library wants it, with `addons/` at the top. Returns the packed size of the files in the folder
    `counted` [byte]."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for file in sorted(addon.rglob("*")):
            if file.is_file():
                packed.write(file, Path("addons/scree") / file.relative_to(addon))
        prefix = (Path("addons/scree") / counted.relative_to(addon)).as_posix()
        return sum(entry.compress_size for entry in packed.infolist() if entry.filename.startswith(prefix))
