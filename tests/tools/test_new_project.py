"""`scree new`, as a newcomer uses it: a folder that is empty, then Godot's editor, then the game."""

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scree.tools import build_loader, install_addon, new_project, places
from scree.tools.command_line import application
from scree.tools.project_settings import get_setting

HERE = Path(__file__).resolve().parent
STRICT = ("untyped_declaration", "unsafe_method_access", "unsafe_property_access", "unsafe_cast", "unsafe_call_argument",
          "unused_variable", "unused_parameter", "unused_signal", "return_value_discarded", "shadowed_variable",
          "integer_division")  # fmt: skip


@pytest.fixture(scope="module")
def game(godot, tmp_path_factory) -> Path:
    """A project as `scree new my game` makes it, opened once in the editor, which says nothing of it."""
    folder = tmp_path_factory.mktemp("newcomer") / "my game"
    result = CliRunner().invoke(application, ["new", str(folder)])
    assert result.exit_code == 0 and f"Made {folder}" in result.output, result.output
    run = godot.run("--headless", "--editor", "--path", folder, "--quit", timeout=180)
    assert run.returncode == 0, run.output
    assert said_nothing(run.output), run.output
    return folder


def said_nothing(output: str) -> bool:
    return not any(word in output for word in ("ERROR", "WARNING", "scree:"))


def test_it_is_named_as_its_folder_and_has_the_engine(game):
    text = (game / "project.godot").read_text()
    assert get_setting(text, "application", "config/name") == '"my game"'
    assert get_setting(text, "physics", "3d/physics_engine") == '"Scree Physics"'
    names = [get_setting(text, "layer_names", f"3d_physics/layer_{number}") for number in range(1, 5)]
    assert names == ['"world"', '"player"', '"crates"', '"goals"']


def test_it_plays_120_ticks_without_a_word(godot, game):
    run = godot.run("--headless", "--fixed-fps", "60", "--quit-after", "120", "--path", game, timeout=120)
    assert run.returncode == 0 and said_nothing(run.output), run.output


def test_its_level_works(godot, game):
    """Stairs of 1.2 m, a jump of speed² / (2 gravity) = 1.28 m, crates that are pushed, counted, and come back."""
    shutil.copy(HERE / "new_game.gd", game)
    run = godot.run("--headless", "--fixed-fps", "60", "--path", game, "-s", "res://new_game.gd", timeout=120)
    assert run.returncode == 0 and said_nothing(run.output), run.output
    lines = [line for line in run.output.splitlines() if line and not line.startswith("Godot Engine")]
    assert lines == [
        "class ScreePhysicsServer3D", "stands true 0.9", "label 0 of 6 crates in the goal", "pushes true", "climbs 2.1 true",
        "jumps 1.3", "label 1 of 6 crates in the goal", "label 0 of 6 crates in the goal", "comes back true",
        "begins again true",
    ]  # fmt: skip


def test_its_scripts_are_typed(godot, game):
    """All of GDScript's warnings about types are errors here."""
    settings = game / "override.cfg"
    settings.write_text("[debug]\n\n" + "".join(f"gdscript/warnings/{name}=2\n" for name in STRICT))
    for script in sorted(places.template_project_source().glob("*.gd")):
        run = godot.run("--headless", "--path", game, "--check-only", "-s", f"res://{script.name}", timeout=60)
        assert run.returncode == 0 and said_nothing(run.output), run.output
    (game / "untyped.gd").write_text("extends Node\nvar a = get_tree()\nfunc b(c): return c.d\n")
    run = godot.run("--headless", "--path", game, "--check-only", "-s", "res://untyped.gd", timeout=60)
    settings.unlink()
    assert "ERROR" in run.output, "the settings of this test do nothing"


def test_the_template_is_not_what_this_machine_made(game):
    names = {path.name for path in places.template_project_source().rglob("*")}
    assert "addons" not in names and ".godot" not in names and {path.name for path in game.iterdir()} >= names


@pytest.mark.parametrize("what", ["a folder with a file", "a file"])
def test_it_writes_into_nothing_that_is_there(tmp_path, what):
    place = tmp_path / "game"
    if what == "a file":
        place.write_text("mine")
    else:
        place.mkdir()
        (place / "mine.txt").write_text("mine")
    result = CliRunner().invoke(application, ["new", str(place)])
    assert result.exit_code == 1
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [place if what == "a file" else place / "mine.txt"]


@pytest.mark.parametrize("was_there", [True, False])
def test_a_failure_leaves_nothing(tmp_path, monkeypatch, was_there):
    monkeypatch.setenv("CC", "/bin/false")
    folder = tmp_path / "game"
    if was_there:
        folder.mkdir()
    with pytest.raises(build_loader.LoaderNotBuilt):
        new_project.make(folder)
    assert [*tmp_path.iterdir()] == ([folder] if was_there else []) and not [*folder.glob("*")]


def test_it_may_be_given_the_addon_again(game):
    install_addon.install(game)
    assert get_setting((game / "project.godot").read_text(), "application", "config/name") == '"my game"'
