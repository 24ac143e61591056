"""A game that was exported without what Scree needs says so in one line and runs on Godot's default engine. It never starts
itself to ask for the description of its API: the Godot in a game ignores that option and runs the game."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("scree.tools")
from exported import exported_with_todays_addon, needs_bare_machine  # noqa: E402

from scree.tools import bare_machine, find_godot, find_python  # noqa: E402

PLAY = ["/game/game.x86_64", "--headless"]


@pytest.fixture(scope="module")
def game(tmp_path_factory) -> Path:
    needs_bare_machine()
    return exported_with_todays_addon(tmp_path_factory.mktemp("exported"), find_godot.find_godot(fetch=False))


def play(game: Path, folders: dict[Path, str] | None = None, **environment: str) -> tuple[list[str], list[str]]:
    """The lines in which Scree says something, and those of the game's script."""
    run = bare_machine.run(PLAY, {game: "/game", **(folders or {})}, timeout=60, environment=environment)
    assert run.returncode == 0, run.output
    lines = run.output.splitlines()
    return [line for line in lines if "scree" in line.lower() and "loader.c" not in line], [
        line for line in lines if line.startswith("class ")
    ]


def test_a_game_without_python_says_one_line(game):
    said, played = play(game)
    assert played == ["class PhysicsServer3D"]
    assert len(said) == 1 and "this game runs on Godot's default physics engine" in said[0] and "scree_paths.cfg" in said[0]


@pytest.mark.parametrize("environment", [{}, {"SCREE_DESCRIBES_ITSELF": "1"}])
def test_a_game_without_the_description_of_its_api_does_not_start_itself(game, environment):
    places = find_python.python_places()
    paths_file = game / "scree_paths.cfg"
    paths_file.write_text(places.text())
    folders = {folder: str(folder) for folder in {Path(sys.base_prefix), places.site_packages, places.engine}}
    try:
        said, played = play(game, folders, SCREE_CACHE="/home/cache", **environment)
    finally:
        paths_file.unlink()
    assert played == ["class PhysicsServer3D"]
    assert len(said) == 1 and "no description of the API of Godot Engine v4" in said[0]
