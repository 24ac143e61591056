"""Contact points for "visible collision shapes": what the viewport asks for, and that it does ask."""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / name) for name in ("world", "godot")]
import behaviour  # noqa: E402
from small_world import SmallWorld  # noqa: E402

from scree.godot import server_spaces  # noqa: E402

_SCRIPT = """extends Node3D

func _ready() -> void:
\tfor half: Array in [[Vector3(20, 2, 20), -1.0, StaticBody3D.new()], [Vector3.ONE, 0.5, RigidBody3D.new()]]:
\t\tvar shape := CollisionShape3D.new()
\t\tshape.shape = BoxShape3D.new()
\t\tshape.shape.size = half[0]
\t\thalf[2].add_child(shape)
\t\thalf[2].position.y = half[1]
\t\tadd_child(half[2])
"""


@pytest.mark.parametrize("most, count", [(0, 0), (3, 3), (100, 4)])
def test_the_corners_of_a_box_at_rest_are_told(most, count):
    world = SmallWorld()
    world.floor()
    world.add(world.box(0.5, 0.5, 0.5), (3.0, 0.5, 0.0))
    world.step(30)
    area = SimpleNamespace(debug_contacts=0)
    server = SimpleNamespace(world=world.world, space_row=lambda identity: None, space_areas={world.system: area})
    server_spaces._space_set_debug_contacts(server, world.system, most)
    points = np.asarray(server_spaces._space_get_contacts(server, world.system)).reshape(-1, 3)
    assert server_spaces._space_get_contact_count(server, world.system) == len(points) == count
    corners = {(round(x, 1), round(y, 1), round(z, 1)) for x, y, z in points}
    assert len(corners) == count
    assert corners <= {(x, abs(0.0), z) for x in (2.5, 3.5) for z in (-0.5, 0.5)}


def test_the_viewport_asks_for_them(godot, tmp_path):
    project = behaviour.make_project(tmp_path / "project", behaviour.SCREE)
    behaviour.add_scene(project, "game", _SCRIPT)
    file = tmp_path / "calls.json"
    run = godot.run("--headless", "--debug-collisions", "--fixed-fps", "60", "--quit-after", "60", "--path", project,
                    "res://game.tscn", timeout=60, environment={"SCREE_RECORD_VIRTUALS": str(file)})  # fmt: skip
    assert run.returncode == 0 and run.errors() == [], run.output
    calls = {name.split(".")[1]: sum(tests.values()) for name, tests in json.loads(file.read_text()).items()}
    assert calls["_space_set_debug_contacts"] >= 1
    assert calls["_space_get_contacts"] > 10 and calls["_space_get_contact_count"] > 10
