"""`scree release`: the addon as one folder that needs nothing else, and a zip of it. Dropped into the `addons` folder of a
project, it is the whole installation: no Python, no compiler and no command.

One addon serves several systems: each has its folder in `bin`. A release is made on Linux on x86-64; that for Windows takes
Windows' Python and NumPy from PyPI (`release_source.py`).
"""

import json
import shutil
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from scree.godot import api
from scree.godot.start import PARTS
from scree.runtime import core_library
from scree.tools import addon_files, build_core, build_loader, find_godot, link_core, places, release_python
from scree.tools.release_source import SOURCES, NotReleased

_ADDON = "res://addons/scree"
_MADE_ON = ("linux", "x86_64")
_UNFINISHED = ".unfinished_scree"
"""The folder in which an addon is made, beside its place; Godot does not look into such folders."""
_STEPS = 3  # of each system
_NOT_COPIED = shutil.ignore_patterns(*places.MADE_BY_RUNNING, "bin", "native", ".gitignore")


@dataclass(frozen=True)
class Release:
    """A released addon: its folder `addons/scree`, the zip, and the size of all systems' parts [byte], as files and packed."""

    folder: Path
    archive: Path
    unpacked: int
    packed: int


class _Steps:
    """The steps of a release, told to `report` as they begin."""

    def __init__(self, report: Callable[[int, int, str], None], total: int):
        self._report, self._total, self._begun, self._name = report, total, 0, ""

    def begin(self, name: str) -> None:
        """Begin the next step."""
        self._name = name
        self._report(self._begun, self._total, name)
        self._begun += 1

    def detail(self, done: int, total: int, name: str) -> None:
        """Tell how much of a step is done."""
        self._report(self._begun - 1, self._total, f"{self._name}, {done} of {total}")


def _extension_file(parts: dict[tuple[str, str], list[Path]]) -> str:
    """The text of `scree.gdextension`, from the parts of each system: Godot copies what it names beside an exported game."""
    libraries, dependencies = [], []
    for target, files in parts.items():
        system, folder = ".".join(target), f"{_ADDON}/{_bin(target).as_posix()}"
        libraries.append(f'{system} = "{folder}/{build_loader.library_name(target)}"\n')
        needed = ",\n".join(f'\t"{folder}/{PARTS}/{part.as_posix()}": "{_target(part)}"' for part in files)
        dependencies.append(f"{system} = {{\n{needed}\n}}\n")
    return (
        "[configuration]\n\n"
        'entry_symbol = "scree_init"\ncompatibility_minimum = "4.4"\nreloadable = false\n\n'
        f"[libraries]\n\n{''.join(libraries)}\n[dependencies]\n\n{''.join(dependencies)}"
    )


def _bin(target: tuple[str, str]) -> Path:
    """The folder of a system's files in the addon."""
    return Path("bin") / ".".join(target)


def _target(part: Path) -> str:
    """The folder of a part beside an exported game."""
    return (Path(PARTS) / part).parent.as_posix()


def _core(target: tuple[str, str], folder: Path, steps: _Steps) -> str:
    """Copy the library of the core for these sources into a folder, built where there is none. Returns its id."""
    told = build_core.build_id(build_core.identities())
    file = core_library.folder() / core_library.file_name(*target)
    if not file.is_file() or told.encode() not in file.read_bytes():
        (built,) = build_core.build([target], report=steps.detail)
        file = built.file
    shutil.copyfile(file, folder / file.name)
    return told


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


def make(
    into: Path, godot: find_godot.Godot, targets: Sequence[tuple[str, str]] = (_MADE_ON,),
    report: Callable[[int, int, str], None] = lambda done, total, name: None,
) -> Release:  # fmt: skip
    """Make the addon in `into/addons/scree` for some systems, and the zip beside it: both take their places when they are whole.
    `godot` describes its API for games that are exported with it. `report` gets the number of steps that are done, the number of
    all, and a name. Raises NotReleased, build_core.CoreNotBuilt, build_loader.LoaderNotBuilt, find_python.PythonNotUsable."""
    if build_loader.this_machine() != _MADE_ON:
        raise NotReleased("a release is made on Linux x86-64 only, today")
    for target in targets:
        if target not in SOURCES:
            raise NotReleased(
                f"there is no release for {'.'.join(target)}, but for {', '.join('.'.join(key) for key in SOURCES)}"
            )
    targets = [*dict.fromkeys(targets)]
    place, archive = into / "addons" / "scree", into / "scree-addon.zip"
    for part in (into, into / "addons", place):
        if part.exists() and not part.is_dir():
            raise NotReleased(f"{part} is no folder")
    addon, unfinished = place.with_name(_UNFINISHED), archive.with_name(f"{_UNFINISHED}.zip")
    if addon.exists():
        shutil.rmtree(addon)  # of a release that was ended
    shutil.copytree(places.addon_source(), addon, ignore=_NOT_COPIED)
    # Where an addon was installed before, this takes the place of the file that keeps its `bin` out of version control.
    (addon / ".gitignore").write_text("# The addon of a release is kept in version control, with `bin`.\n")
    parts, notices = {}, {}
    steps = _Steps(report, _STEPS * len(targets) + 1)
    for target in targets:
        parts[target], found = _make_system(addon, godot, target, steps)
        notices.update({file.read_bytes(): file for file in found})
    steps.begin("packing")
    (addon / "scree.gdextension").write_text(_extension_file(parts))
    _licence(addon, list(notices.values()))
    addon_files.write_list(addon, [file for file in addon.rglob("*") if file.is_file()])
    packed = _zip(addon, unfinished, addon / "bin")
    size = sum(file.stat().st_size for file in (addon / "bin").rglob("*") if file.is_file())
    if place.exists():
        shutil.rmtree(place)
    addon.rename(place)
    unfinished.replace(archive)
    return Release(place, archive, size, packed)


def _make_system(addon: Path, godot: find_godot.Godot, target: tuple[str, str], steps: _Steps) -> tuple[list[Path], list[Path]]:
    """Make what one system needs. Returns its parts, relative to their folder, and the licences of what was copied."""
    name = ".".join(target)
    steps.begin(f"{name}: loader")
    loader = addon / _bin(target) / build_loader.library_name(target)
    folder = loader.parent / PARTS
    folder.mkdir(parents=True)
    zig = [*build_loader.cross_compiler(target)[:-1], link_core.TARGETS[target].zig]
    build_loader.build(places.addon_source() / "native" / "loader.c", loader, zig, target[0])
    steps.begin(f"{name}: core")
    core_id = _core(target, folder, steps)
    steps.begin(f"{name}: Python and NumPy")
    notices = release_python.write_python(SOURCES[target](), folder, core_id)
    _describe(godot, folder / api.SHIPPED)
    return sorted(file.relative_to(folder) for file in folder.rglob("*") if file.is_file()), notices


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
