"""The editor plugin in a real editor: it chooses the engine, and says why an engine that was chosen does not run."""

import shutil

import pytest

from scree_tools import places

PROJECT = """config_version=5

[editor_plugins]

enabled=PackedStringArray("res://addons/scree/plugin.cfg")

[physics]

3d/physics_engine="{engine}"
"""


@pytest.fixture
def editor(godot, tmp_path):
    """Opens a project that holds the addon's text files alone, and returns what the editor said."""
    addon = tmp_path / "addons/scree"
    addon.mkdir(parents=True)
    for name in ("plugin.cfg", "plugin.gd"):
        shutil.copy(places.addon_source() / name, addon)

    def open_with(engine):
        (tmp_path / "project.godot").write_text(PROJECT.format(engine=engine))
        return godot.run("--headless", "--editor", "--path", tmp_path, "--quit", timeout=120)

    return open_with


def test_an_engine_that_was_chosen_but_does_not_run_is_explained(editor):
    run = editor("Scree Physics")
    assert run.returncode == 0 and run.errors() == []
    assert "Scree Physics is chosen but does not run: this project was not told where Python is" in run.output


def test_nothing_is_said_where_another_engine_is_chosen(editor):
    run = editor("Jolt Physics")
    assert run.returncode == 0 and run.errors() == []
    assert "Scree" not in run.output
