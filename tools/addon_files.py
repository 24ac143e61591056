"""The files that Scree has written into the addon's folder of a project, so that installing and uninstalling remove these, and no
file of the user."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from scree.tools import places

LIST = "scree_files.txt"
"""The file in the addon that lists all files of it, this one too. Older addons have none."""
EXTENSION = "scree.gdextension"
"""A folder without this file and the list is not an addon of Scree."""
_MADE_BESIDE = (".uid", ".import")  # what Godot's editor writes beside a file


def write_list(addon: Path, files: Iterable[Path]) -> None:
    """List the files, given by their paths, as those that Scree has written into the addon's folder."""
    names = {file.relative_to(addon).as_posix() for file in files} | {LIST}
    (addon / LIST).write_text("".join(f"{name}\n" for name in sorted(names)), encoding="utf-8")


def written(addon: Path) -> set[Path]:
    """The files in an addon's folder that Scree has written and that are there, with those that Godot made from them."""
    listed = addon / LIST
    if listed.is_file():
        # A name that leads out of the folder was not written by Scree.
        found = {addon / name for name in listed.read_text(encoding="utf-8").splitlines() if ".." not in Path(name).parts}
        found = {file for file in found if file.is_relative_to(addon)}
    else:
        found = {*_of_unlisted(addon)} if (addon / EXTENSION).is_file() else set()
    found |= {*_of_installed(addon)}
    found |= {file.with_name(f"{file.name}{suffix}") for file in found for suffix in _MADE_BESIDE}
    return {file for file in found if file.is_file() or file.is_symlink()}


def _of_installed(addon: Path) -> Iterator[Path]:
    """The files that `scree install` makes. The list of a release that was unpacked over them does not name them."""
    yield from (addon / "bin/scree_paths.cfg", addon / "native/loader.c", addon / ".gitignore")
    yield from addon.glob("bin/libscree.*")


def _of_unlisted(addon: Path) -> Iterator[Path]:
    """The files of an addon without a list: those named as in this Scree, and those in `bin` that belong to a loader."""
    source = places.addon_source()
    yield from (addon / file.relative_to(source) for file in source.rglob("*") if file.is_file())
    yield addon / "LICENSES.txt"
    for loader in addon.glob("bin/**/libscree.*"):
        yield loader
        for told in (loader.with_name("scree_paths.cfg"), loader.parent / "scree" / "scree_paths.cfg"):
            yield told
            yield from _told_parts(told)


def _told_parts(told: Path) -> Iterator[Path]:
    """The files that a released `scree_paths.cfg` names."""
    pairs = [line.split("=", 1) for line in told.read_text().splitlines() if "=" in line] if told.is_file() else []
    if "archive" not in dict(pairs):
        return
    for key, value in pairs:
        if key in ("part", "libpython", "archive", "preload"):
            yield told.parent / value.split(" ", 1)[-1]
    yield told.with_name("godot_api.json")
    yield from told.parent.glob("libscree_core.*")
    yield from (file for file in told.parent.glob("modules/*") if file.suffix in (".so", ".pyd"))


def remove(addon: Path, files: Iterable[Path]) -> None:
    """Remove files of an addon, and folders of it that are then empty, with the addon's own."""
    for file in files:
        file.unlink()
    folders = [folder for folder in addon.rglob("*") if folder.is_dir() and not folder.is_symlink()]
    for folder in sorted([addon, *folders], reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()
