"""`scree new`: a Godot project to begin a game with, from the template, with the addon installed."""

import json
import shutil
from pathlib import Path

from scree.tools import install_addon, places, project_settings

_NOT_COPIED = shutil.ignore_patterns(*places.MADE_BY_RUNNING, "addons", "__init__.py")


def make(folder: Path) -> install_addon.Installation:
    """Make a project in `folder`, which must be empty or missing, named as the folder is, and install the addon in it.

    Raises install_addon.CannotInstall for a folder that holds something, and what `install_addon.install` raises. After an error
    the folder is as it was.
    """
    folder = folder.resolve()
    if folder.exists() and not folder.is_dir():
        raise install_addon.CannotInstall(f"{folder} is a file, not a folder")
    was_there = folder.is_dir()
    if was_there and any(folder.iterdir()):
        raise install_addon.CannotInstall(f"{folder} is not empty; `scree install` puts the addon into a project that exists")
    try:
        shutil.copytree(places.template_project_source(), folder, ignore=_NOT_COPIED, dirs_exist_ok=True)
        _name(folder / "project.godot", folder.name)
        return install_addon.install(folder)
    except BaseException:
        _clear(folder, was_there)
        raise


def _name(settings: Path, name: str) -> None:
    text = settings.read_text(encoding="utf-8")
    named = project_settings.set_setting(text, "application", "config/name", json.dumps(name, ensure_ascii=False))
    settings.write_text(named, encoding="utf-8")


def _clear(folder: Path, was_there: bool) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    if was_there:
        folder.mkdir(exist_ok=True)
