"""`physics/3d/run_on_separate_thread`: the step runs beside Godot's main thread, and a game plays the same."""

import re

import behaviour
import pytest

THREADED = "3d/run_on_separate_thread=true"

# A pile with joints, areas and a character; what is asked in `_process`, while a step may run, and by a loading thread. Prints
# where everything is at the end, and what the signals said.
_GAME = """extends Node3D

var log := PackedStringArray()
var ticks := 0
var frames := 0
var bodies := []
var ray := RayCast3D.new()
var thread := Thread.new()

func _ready() -> void:
\tvar ground := StaticBody3D.new()
\t_shape(ground, _box(Vector3(40, 2, 40)))
\tground.position.y = -1
\tadd_child(ground)
\tfor index: int in 40:
\t\tvar body := RigidBody3D.new()
\t\t_shape(body, _box(Vector3.ONE) if index % 2 else SphereShape3D.new())
\t\tbody.position = Vector3(index % 3 * 0.9, 1 + index * 0.8, index % 2)
\t\tadd_child(body)
\t\tbodies.append(body)
\tvar joint := HingeJoint3D.new()
\tadd_child(joint)
\tjoint.node_a = joint.get_path_to(bodies[0])
\tjoint.node_b = joint.get_path_to(bodies[1])
\tvar area := Area3D.new()
\t_shape(area, _box(Vector3(6, 3, 6)))
\tadd_child(area)
\tarea.body_entered.connect(func(body: Node3D) -> void: log.append("%d+%d" % [ticks, bodies.find(body)]))
\tarea.body_exited.connect(func(body: Node3D) -> void: log.append("%d-%d" % [ticks, bodies.find(body)]))
\tray.target_position = Vector3(0, -50, 0)
\tray.position.y = 40
\tadd_child(ray)

func _box(size: Vector3) -> BoxShape3D:
\tvar shape := BoxShape3D.new()
\tshape.size = size
\treturn shape

func _shape(body: CollisionObject3D, shape: Shape3D) -> void:
\tvar node := CollisionShape3D.new()
\tnode.shape = shape
\tbody.add_child(node)

func _physics_process(_delta: float) -> void:
\tticks += 1
\tif ticks == 100:
\t\tbodies[5].apply_impulse(Vector3(0, 5, 0), Vector3(0.2, 0, 0))
\t\tbodies[7].set_deferred("freeze", true)
\tif ticks == 180:
\t\tvar state := PackedStringArray()
\t\tfor body: Variant in bodies:
\t\t\tif is_instance_valid(body):
\t\t\t\tstate.append(var_to_str(body.global_transform))
\t\tprint("STATE ", "|".join(state).sha256_text(), " y ", bodies[30].position.y)
\t\tprint("LOG ", ",".join(log))
\t\tprint("RAY ", ray.is_colliding(), " ", ray.get_collision_point())
\t\tget_tree().quit()

# Runs after `_step` of the frame's tick: all of it comes after that step, also where it still runs.
func _process(_delta: float) -> void:
\tframes += 1
\tif frames == 20:
\t\tbodies[3].linear_velocity = Vector3(0, 9, 0)
\t\tbodies[4].apply_central_impulse(Vector3(3, 0, 0))
\tif frames == 40:
\t\tbodies[6].free()
\tif frames == 60:
\t\tvar late := RigidBody3D.new()
\t\t_shape(late, SphereShape3D.new())
\t\tlate.position = Vector3(1, 45, 0)
\t\tadd_child(late)
\t\tbodies.append(late)
\tif frames == 80:
\t\tPhysicsServer3D.body_set_collision_layer(bodies[8].get_rid(), 0)
\t\tPhysicsServer3D.body_set_collision_mask(bodies[8].get_rid(), 0)
\tif frames == 90:
\t\tvar from: Vector3 = bodies[9].position + Vector3.UP * 5
\t\tvar query := PhysicsRayQueryParameters3D.create(from, from + Vector3.DOWN * 60)
\t\tprint("QUERY ", not get_world_3d().direct_space_state.intersect_ray(query).is_empty())
"""
_LOADING = """extends "res://game.gd"

var made := 0
var mine: Array[StaticBody3D] = []

func _ready() -> void:
\tsuper()
\tthread.start(_load)

func _load() -> void:
\tfor round: int in 200:
\t\tvar body := StaticBody3D.new()
\t\t_shape(body, _box(Vector3.ONE))
\t\tbody.position = Vector3(100 + round * 2, 0, 0)
\t\tmine.append(body)
\t\tadd_child.call_deferred(body)
\t\tvar loose := PhysicsServer3D.body_create()
\t\tPhysicsServer3D.body_set_mode(loose, PhysicsServer3D.BODY_MODE_STATIC)
\t\tPhysicsServer3D.free_rid(loose)
\t\tmade += 1

func _exit_tree() -> void:
\tthread.wait_to_finish()
\tfor body: StaticBody3D in mine:
\t\tif not body.is_inside_tree():
\t\t\tbody.free()
\tprint("MADE ", made)
"""


@pytest.fixture(scope="module")
def projects(tmp_path_factory):
    made = {}
    for name, settings in (("plain", ""), ("threaded", THREADED)):
        folder = tmp_path_factory.mktemp(name) / "project"
        behaviour.make_project(folder, behaviour.SCREE, settings)
        behaviour.add_scene(folder, "game", _GAME)
        behaviour.add_scene(folder, "loading", _LOADING)
        made[name] = folder
    return made


def _play(godot, project, scene="game.tscn"):
    run = godot.run("--headless", "--fixed-fps", "60", "--path", project, f"res://{scene}", timeout=40)
    assert run.returncode == 0, run.output
    assert run.errors() == [], run.output
    assert "leaked" not in run.output and "scree:" not in run.output, run.output
    return re.findall(r"^(?:STATE|LOG|RAY|QUERY|MADE) .*$", run.output, re.MULTILINE)


def test_a_game_plays_the_same_beside_the_main_thread(godot, projects):
    plain, threaded = (_play(godot, projects[name]) for name in ("plain", "threaded"))
    assert len(plain) == 4 and threaded == plain


def test_a_loading_thread_makes_bodies_beside_steps(godot, projects):
    assert _play(godot, projects["threaded"], "loading.tscn")[-1] == "MADE 200"


def test_all_behaviour_tests_pass_beside_the_main_thread(godot):
    report = behaviour.run(godot, behaviour.SCREE, behaviour.test_names(), settings=THREADED)
    assert report.server_class == behaviour.SERVER_CLASS[behaviour.SCREE]
    faults = {name: outcome.text() for name, outcome in report.outcomes.items() if outcome.ended != "pass" or outcome.errors}
    assert not faults, "\n".join(faults.values())
    assert report.returncodes == [0] and "leaked" not in report.tail
