"""Putting the addon into a Godot project and choosing its engine there."""

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from scree.godot.interface import ENGINE_NAME
from scree.tools import addon_files, build_loader, find_python, places, project_settings

EXTENSION = "res://addons/scree/scree.gdextension"
PLUGIN = "res://addons/scree/plugin.cfg"
PATHS_FILE = "scree_paths.cfg"
GUARD = "ScreeGuard"
"""The autoload that the editor plugin adds while a project wants its games to end where the engine is missing."""
_NOT_COPIED = shutil.ignore_patterns(*places.MADE_BY_RUNNING, "bin")


class CannotInstall(Exception):
    """The folder cannot be given the addon; the message says why."""


@dataclass(frozen=True)
class Installation:
    """Where an installed addon's parts lie."""

    project: Path
    addon: Path
    library: Path
    paths_file: Path


def install(project: Path, source: Path | None = None) -> Installation:
    """Put the addon into the Godot project in folder `project` and select its engine; may be repeated at any time.

    Copies `addons/scree`, builds the loader there, writes beside it where Python is, removes what an older addon or a release had
    there and this one has not, sets `physics/3d/physics_engine`, and names the extension in `.godot/extension_list.cfg` so that
    it is loaded from the next start on. Raises CannotInstall, also where a file of the user's has the name of one of Scree's,
    build_loader.LoaderNotBuilt or find_python.PythonNotUsable; the project's settings are changed last.
    """
    project = project.resolve()
    settings = project / "project.godot"
    if not settings.is_file():
        raise CannotInstall(f"{project} is no Godot project: it holds no project.godot")
    python = find_python.python_places()
    addon = project / "addons" / "scree"
    before = addon_files.written(addon) if addon.is_dir() else set()
    source = source or places.addon_source()
    _refuse_foreign(source, addon, before)
    copied = _copy_addon(source, addon)
    library = build_loader.build_for_this_machine(addon)
    paths_file = library.with_name(PATHS_FILE)
    _write(paths_file, python.text())
    if copied:  # else the folder is the checkout's own
        addon_files.write_list(addon, [*copied, library, paths_file])
        addon_files.remove(addon, before - addon_files.written(addon))  # of a release, or of an older Scree
    _name_extension(project / ".godot" / "extension_list.cfg")
    select_engine(settings, ENGINE_NAME)
    return Installation(project, addon, library, paths_file)


def uninstall(project: Path) -> list[str]:
    """Take the addon out of the Godot project in folder `project`: its files, its name in Godot's lists, and the choice of its
    engine. Settings under `physics/scree_3d/` stay, and files in its folder that Scree has not written. Returns what was done, a
    line each. Raises CannotInstall for a folder that is no Godot project."""
    project = project.resolve()
    settings = project / "project.godot"
    if not settings.is_file():
        raise CannotInstall(f"{project} is no Godot project: it holds no project.godot")
    done = []
    addon = project / "addons" / "scree"
    if addon.is_symlink():  # linked to a checkout, which stays
        addon.unlink()
        done.append(f"removed the link {addon}")
    elif addon.is_dir():
        files = addon_files.written(addon)
        addon_files.remove(addon, files)
        done += [f"removed {addon}"] if files and not addon.exists() else []
        kept = [file for file in sorted(addon.rglob("*")) if not file.is_dir()] if addon.exists() else []
        done += [f"removed the {len(files)} files of Scree in {addon}"] if files and kept else []
        done += [f"left {file}, which Scree has not written" for file in kept]
    listing = project / ".godot" / "extension_list.cfg"
    names = listing.read_text().split("\n") if listing.is_file() else []
    if EXTENSION in names:
        _write(listing, "\n".join(name for name in names if name != EXTENSION))
        done.append(f"removed {EXTENSION} from {listing}")
    with open(settings, encoding="utf-8", newline="") as file:
        text = file.read()
    changed = text
    if project_settings.get_setting(text, "physics", "3d/physics_engine") == f'"{ENGINE_NAME}"':
        changed = project_settings.remove_setting(changed, "physics", "3d/physics_engine")
        done.append("chose Godot's default physics engine")
    enabled = project_settings.get_setting(changed, "editor_plugins", "enabled") or ""
    if PLUGIN in enabled:
        rest = [name for name in re.findall(r'"[^"]*"', enabled) if name != f'"{PLUGIN}"']
        changed = project_settings.set_setting(changed, "editor_plugins", "enabled", f"PackedStringArray({', '.join(rest)})")
        done.append("disabled the editor plugin")
    if project_settings.get_setting(changed, "autoload", GUARD):
        changed = project_settings.remove_setting(changed, "autoload", GUARD)
        done.append(f"removed the autoload {GUARD}")
    if changed != text:
        _write(settings, changed)
    return done


def _refuse_foreign(source: Path, addon: Path, written: set[Path]) -> None:
    """Raise CannotInstall where a file that Scree has not written would be replaced by another."""
    if addon.resolve() == source.resolve():
        return
    for folder, folders, names in os.walk(source):
        left_out = _NOT_COPIED(folder, [*folders, *names])
        folders[:] = [name for name in folders if name not in left_out]
        for name in set(names) - left_out:
            ours = Path(folder, name)
            there = addon / ours.relative_to(source)
            if there.is_file() and there not in written and there.read_bytes() != ours.read_bytes():
                raise CannotInstall(f"{there} is not of Scree, which has a file of that name: move it away first")


def _copy_addon(source: Path, addon: Path) -> list[Path]:
    """Copy the addon's files into a project. Returns the copies; none where the addon is linked to its source."""
    if not source.is_dir():
        raise CannotInstall(f"the addon's own files are missing: {source}")
    root_manifest = source.parent.parent / "plugin.cfg"
    manifest = source / "plugin.cfg"
    if places.checkout() and source == places.addon_source() and root_manifest.read_bytes() != manifest.read_bytes():
        _write(manifest, root_manifest.read_text())  # the checkout's root is where the manifest is edited
    if addon.exists() and addon.resolve() == source.resolve():
        return []  # linked to the checkout
    copies = []

    def copy(file: str, to: str) -> None:
        shutil.copy2(file, to)
        copies.append(Path(to))

    shutil.copytree(source, addon, ignore=_NOT_COPIED, dirs_exist_ok=True, copy_function=copy)
    return copies


def _name_extension(listing: Path) -> None:
    """Godot loads at start what this list names; its editor writes it only after a first look at the project."""
    names = listing.read_text().split("\n") if listing.is_file() else []
    if EXTENSION not in names:
        listing.parent.mkdir(exist_ok=True)
        _write(listing, "\n".join([*(name for name in names if name), EXTENSION]) + "\n")


def select_engine(settings: Path, name: str) -> None:
    """Set the 3D physics engine in a project.godot, leaving all else as it is."""
    with open(settings, encoding="utf-8", newline="") as file:
        text = file.read()
    changed = project_settings.set_setting(text, "physics", "3d/physics_engine", f'"{name}"')
    if changed != text:
        _write(settings, changed)


def _write(path: Path, text: str) -> None:
    """Replace a file in one step, so that nobody ever reads half of it."""
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    with open(unfinished, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    unfinished.replace(path)
