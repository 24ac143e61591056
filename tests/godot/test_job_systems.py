"""In real Godot: own threads, one thread and Godot's WorkerThreadPool run the steps, and give the same bits."""

import behaviour
import pytest

JOB_SYSTEMS = {"own threads": 0, "one thread": 1, "Godot's threads": 2}

_GAME = """extends Node3D

const COUNT := 600
const TICKS := 200
var _bodies: Array[RID] = []
var _hash := 0
var _ticks := 0

func _ready() -> void:
\tvar space := get_world_3d().space
\tvar floor_shape := PhysicsServer3D.world_boundary_shape_create()
\tPhysicsServer3D.shape_set_data(floor_shape, Plane(Vector3.UP, 0.0))
\t_add(space, floor_shape, Vector3.ZERO, PhysicsServer3D.BODY_MODE_STATIC)
\tvar box := PhysicsServer3D.box_shape_create()
\tPhysicsServer3D.shape_set_data(box, Vector3(0.5, 0.5, 0.5))
\tfor k: int in COUNT:
\t\tvar place := Vector3(k % 8, 1.0 + (k / 64) * 1.3, (k / 8) % 8) * 1.1 + Vector3(0.07 * (k % 5), 0, 0.05 * (k % 7))
\t\t_bodies.append(_add(space, box, place, PhysicsServer3D.BODY_MODE_RIGID))
\tprint("engine: ", PhysicsServer3D.get_class())

func _add(space: RID, shape: RID, place: Vector3, mode: int) -> RID:
\tvar body := PhysicsServer3D.body_create()
\tPhysicsServer3D.body_set_mode(body, mode)
\tPhysicsServer3D.body_add_shape(body, shape)
\tPhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM, Transform3D(Basis.IDENTITY, place))
\tPhysicsServer3D.body_set_space(body, space)
\treturn body

func _physics_process(_delta: float) -> void:
\t_ticks += 1
\tvar states := []
\tfor body: RID in _bodies:
\t\tstates.append(PhysicsServer3D.body_get_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM))
\t_hash = hash([_hash, states])
\tif _ticks % 20 == 0:
\t\tprint("hash: ", _hash)
\tif _ticks == TICKS:
\t\tget_tree().quit()
"""
_SCENE = """[gd_scene load_steps=2 format=3]

[ext_resource type="Script" path="res://game.gd" id="1"]

[node name="Game" type="Node3D"]
script = ExtResource("1")
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("job_systems") / "project"
    behaviour.make_project(folder, behaviour.SCREE)
    (folder / "game.gd").write_text(_GAME)
    (folder / "game.tscn").write_text(_SCENE)
    return folder


def hashes(godot, project, number: int, threads: int) -> list[str]:
    settings = f"scree_3d/simulation/job_system={number}\nscree_3d/simulation/threads={threads}\n"
    (project / "override.cfg").write_text(f"[physics]\n\n{settings}\n[threading]\n\nworker_pool/max_threads={threads}\n")
    run = godot.run("--headless", "--fixed-fps", "60", "--path", project, "res://game.tscn", timeout=240)
    assert run.returncode == 0 and run.errors() == [], run.output
    assert f"engine: {behaviour.SERVER_CLASS[behaviour.SCREE]}" in run.output
    return [line for line in run.output.splitlines() if line.startswith("hash: ")]


@pytest.fixture(scope="module")
def expected(godot, project):
    return hashes(godot, project, JOB_SYSTEMS["one thread"], 1)


def test_the_scene_moves(expected):
    assert len(set(expected)) == 10


@pytest.mark.parametrize(("name", "threads"), [("own threads", 2), ("Godot's threads", 2), ("Godot's threads", 4)])
def test_the_same_bits(godot, project, expected, name, threads):
    assert hashes(godot, project, JOB_SYSTEMS[name], threads) == expected
