"""Tests as games run that are shipped: no entry point of the engine is compiled, and Godot has a released addon, whose Python has
no Numba. Functions that tests write themselves, and kernels that they call one by one, are compiled by Numba as always."""

import atexit
import functools
import os
import shutil
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from scree.runtime import core_library
from scree.tools import build_loader, find_godot, install_addon, release, scenes, warm_up

OPTION = "--from-library"
INSTALLING = ("scree.tools.scenes", "behaviour", "test_in_godot", "test_packed_tiles")
"""Modules that put the addon into a project in order to run Godot there. Others test the installation itself."""


def begin() -> None:
    """Forbid this process and those that it starts to compile the engine."""
    if not warm_up.is_in_library():
        raise pytest.UsageError("there is no library of these sources: `scree build-core` builds it")
    os.environ[core_library.ALONE] = "1"


@functools.cache
def released() -> Path:
    """The folder of a released addon, made for this run of the tests."""
    folder = Path(tempfile.mkdtemp(prefix="scree-released-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return release.make(folder, find_godot.find_godot(fetch=False)).folder


def install(project: Path) -> install_addon.Installation:
    """Put the released addon into a project and choose its engine, as `install_addon.install` does with the checkout's."""
    addon = shutil.copytree(released(), project / "addons" / "scree", dirs_exist_ok=True)
    library = next(addon.rglob(build_loader.library_name()))
    install_addon._name_extension(project / ".godot" / "extension_list.cfg")
    install_addon.select_engine(project / "project.godot", install_addon.ENGINE_NAME)
    return install_addon.Installation(project, addon, library, library.with_name("scree") / install_addon.PATHS_FILE)


def take_released_addon() -> None:
    """Have the released addon put into the projects of tests in Godot."""
    assert scenes.install_addon
    stand_in = SimpleNamespace(**{**vars(install_addon), "install": install})
    for name in INSTALLING:
        if hasattr(sys.modules.get(name), "install_addon"):
            sys.modules[name].install_addon = stand_in
