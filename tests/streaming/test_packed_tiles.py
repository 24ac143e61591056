"""Tiles in the pack of an exported game: the plugin puts them there, and StreamingWorld3D reads them from there."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from scree.runtime.cache_folder import user_cache_folder
from scree.streaming import baking, tile_file
from scree.tools import bare_machine, find_python, install_addon
from tests.godot_bridge import exported
from tests.streaming.worlds import bake_world

PLUGIN = """
[editor_plugins]
enabled=PackedStringArray("res://addons/scree/plugin.cfg")
"""
SCRIPT = """extends Node3D
var world := StreamingWorld3D.new()
var told := {"loaded": 0, "failed": []}
func _ready() -> void:
	var viewer := Node3D.new()
	viewer.position = Vector3(10, 5, 10)
	add_child(viewer)
	world.tiles_folder = "res://world/tiles"
	world.hysteresis = 8.0
	world.viewers = [viewer] as Array[Node3D]
	world.tile_loaded.connect(func(_tile: Vector2i) -> void: told.loaded += 1)
	world.tile_failed.connect(func(tile: Vector2i) -> void: told.failed.append([tile.x, tile.y]))
	add_child(world)
	var end := Time.get_ticks_msec() + 20000
	while told.loaded + told.failed.size() < 25 and Time.get_ticks_msec() < end:
		await get_tree().physics_frame
		OS.delay_usec(2000)
	var ray := PhysicsRayQueryParameters3D.create(Vector3(40, 30, 40), Vector3(40, -30, 40))
	var hit := get_world_3d().direct_space_state.intersect_ray(ray)
	told.height = hit.get("position", Vector3(0, -99, 0)).y
	told.bodies = world.figures().get("bodies", -1)
	told.engine = PhysicsServer3D.get_class()
	print("[result] ", JSON.stringify(told))
	get_tree().quit()
"""
BODIES = 30


@pytest.fixture(scope="module")
def game(tmp_path_factory, godot) -> Path:
    """A game whose pack holds 64 tiles, one of them damaged."""
    exported.needs_bare_machine()
    folder = tmp_path_factory.mktemp("packed")
    project = exported.make_project(folder / "project", SCRIPT)
    tiles = project / "world" / "tiles"
    bake_world(tiles, side=8, bodies=BODIES)
    damaged = tiles / tile_file.tile_name((-2, -2))
    damaged.write_bytes(damaged.read_bytes()[:777])
    with open(project / "project.godot", "a") as settings:
        settings.write(PLUGIN)
    install_addon.install(project)
    made = exported.export(project, folder / "game", godot)
    shutil.copyfile(project / "addons/scree/bin/scree_paths.cfg", made / "scree_paths.cfg")
    return made


def test_a_game_streams_the_tiles_of_its_pack(game):
    """No tile lies beside the game; all come from the pack, and a damaged one is told by its name."""
    assert not [file for file in game.rglob("*") if file.name == baking.INDEX or file.suffix == tile_file.SUFFIX]
    places = find_python.python_places()
    (game / "scree_paths.cfg").write_text(places.text())
    read = {Path(sys.base_prefix), places.site_packages, places.engine, user_cache_folder()}
    folders = {game: "/game", **{folder: str(folder) for folder in read}}
    environment = {"SCREE_CACHE": str(user_cache_folder())}
    run = bare_machine.run(["/game/game.x86_64", "--headless"], folders, timeout=120.0, environment=environment)
    line = next((line for line in run.output.splitlines() if line.startswith("[result] ")), None)
    assert line and run.returncode == 0, run.output[-3000:]
    told = json.loads(line.removeprefix("[result] "))
    assert told["engine"] == "ScreePhysicsServer3D", run.output[-3000:]
    assert told["loaded"] == 24, run.output[-3000:]
    assert told["failed"] == [[-2, -2]] and told["bodies"] == 24 * BODIES
    assert abs(told["height"]) < 2.0
    damaged = f"res://world/tiles/{tile_file.tile_name((-2, -2))}"
    assert f"the tile file {damaged} is cut off" in run.output


class Shelf:
    """A folder that is not one of the system's: its files by name."""

    def __init__(self, files: dict[str, bytes], name: str = ""):
        self._files, self._name = files, name

    def __truediv__(self, name: str) -> "Shelf":
        return Shelf(self._files, name)

    def __str__(self) -> str:
        return f"shelf:{self._name}"

    def read_bytes(self) -> bytes:
        if self._name not in self._files:
            raise FileNotFoundError(f"no {self._name}")
        return self._files[self._name]


def test_a_tile_of_another_place_is_that_of_the_file(tmp_path):
    """A tile read from bytes equals the tile of the file, at an aligned address; a missing one is named."""
    bake_world(tmp_path, side=2, bodies=5)
    shelf = Shelf({file.name: file.read_bytes() for file in tmp_path.iterdir()})
    assert baking.read_index(shelf) == baking.read_index(tmp_path)
    for name in baking.read_index(tmp_path)["tiles"]:
        one, other = tile_file.read(tmp_path / name), tile_file.read(shelf / name)
        assert one.bodies.tobytes() == other.bodies.tobytes() and one.tile == other.tile
        assert other.memory.ctypes.data % 64 == 0
    with pytest.raises(tile_file.TileDamaged, match="shelf:tile_9_9.screetile cannot be read"):
        tile_file.read(shelf / tile_file.tile_name((9, 9)))
    with pytest.raises(tile_file.TileDamaged, match="shelf:tiles.json cannot be read"):
        baking.read_index(Shelf({}))
