"""A small project that an editor opens in the tests of the editor's plugin, and a way to open it with a screen or without.

    python tests/tools/editor_project.py FOLDER

draws the pictures of docs/editor.md into a folder, on a screen that nobody sees.
"""

import json
import os
import shutil
import socket
import sys
import tempfile
from pathlib import Path

from scree.tools import install_addon
from scree.tools.find_godot import Godot, GodotRun, find_godot
from scree.tools.screen import DRAWING, screen

HERE = Path(__file__).resolve().parent
_PROJECT = """config_version=5

[application]

config/name="Yard"
run/main_scene="res://game.tscn"

[editor_plugins]

enabled=PackedStringArray("res://addons/scree/plugin.cfg", "res://addons/watcher/plugin.cfg")

[layer_names]

3d_physics/layer_1="world"
3d_physics/layer_2="heroes"
3d_physics/layer_3="crates"
3d_physics/layer_4="bullets"
3d_physics/layer_6="water"

[physics]

3d/physics_engine="Scree Physics"
scree_3d/simulation/threads=2

[rendering]

renderer/rendering_method="gl_compatibility"
"""
_MANIFEST = '[plugin]\nname="Watcher"\ndescription=""\nauthor=""\nversion="1"\nscript="watcher.gd"\n'
_GAME = """[gd_scene load_steps=2 format=3]
[ext_resource type="Script" path="res://profiled_game.gd" id="1"]
[node name="Game" type="Node3D"]
script = ExtResource("1")
"""


def make(godot: Godot, folder: Path, watcher: str) -> Path:
    """Make the project in `folder`, with one of the watchers of this folder as a second plugin. Return the folder."""
    folder.mkdir(parents=True)
    (folder / "project.godot").write_text(_PROJECT)
    install_addon.install(folder)
    plugin = folder / "addons" / "watcher"
    plugin.mkdir()
    (plugin / "plugin.cfg").write_text(_MANIFEST)
    shutil.copy(HERE / watcher, plugin / "watcher.gd")
    (folder / "game.tscn").write_text(_GAME)
    for name in ("trapped.tscn", "profiled_game.gd", "gizmo_yard.tscn"):
        shutil.copy(HERE / name, folder)
    (folder / "hero.gd").write_text("extends ScreeCharacter3D\n")
    return folder


def open_editor(godot: Godot, project: Path, pictures: Path | None = None) -> GodotRun:
    """Open the project until the watcher ends the editor: without a screen, or on one nobody sees, with pictures in a folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    game = [*godot.command, "--headless", "--path", str(project), "--remote-debug", address]
    surroundings = {"SCREE_GAME": json.dumps(game)}
    options = ("--editor", "--debug-server", address, "--path", project)
    if pictures is None:
        return godot.run("--headless", *options, timeout=180, environment=surroundings)
    # The editor also tries Vulkan, whose driver for CPUs may be one of another system than the Godot that was fetched.
    without_vulkan = {"VK_DRIVER_FILES": os.devnull, "VK_ICD_FILENAMES": os.devnull}
    godot.run("--headless", "--import", "--path", project, timeout=180)
    with screen(godot, 1400, 900) as shown:
        surroundings |= {**shown, **without_vulkan, "SCREE_PICTURES": str(pictures)}
        return godot.run(*options, *DRAWING, timeout=300, environment=surroundings)


def draw_pictures(into: Path) -> None:
    """Draw the whole editor with each tab of the panel, the profiler and the help."""
    godot = find_godot()
    for watcher in ("panel_watcher.gd", "profiler_watcher.gd", "gizmo_watcher.gd"):
        with tempfile.TemporaryDirectory() as folder:
            project = make(godot, Path(folder) / "project", watcher)
            print(open_editor(godot, project, into).output)


if __name__ == "__main__":
    draw_pictures(Path(sys.argv[1]).resolve())
