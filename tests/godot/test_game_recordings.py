"""A game in real Godot is recorded from its start, and made again without Godot: the same hashes."""

import behaviour
import pytest

from scree.state.recording_files import RecordingFile
from scree.state.replays import Replay

TICKS = 240
_GAME = """extends Node3D

class Pushed extends RigidBody3D:
\tfunc _integrate_forces(state: PhysicsDirectBodyState3D) -> void:
\t\tstate.apply_central_force(Vector3(2, 0, 0))
\t\tif Engine.get_physics_frames() % 50 == 0:
\t\t\tstate.linear_velocity = Vector3(0, 4, 0)

class Own extends RigidBody3D:
\tfunc _integrate_forces(state: PhysicsDirectBodyState3D) -> void:
\t\tstate.integrate_forces()

var bodies: Array[RigidBody3D] = []
var car: VehicleBody3D
var walker: CharacterBody3D
var platform: AnimatableBody3D

func with_shape(body: CollisionObject3D, shape: Shape3D, at: Vector3) -> CollisionObject3D:
\tvar collision := CollisionShape3D.new()
\tcollision.shape = shape
\tbody.add_child(collision)
\tbody.position = at
\tadd_child(body)
\treturn body

func box(size: Vector3) -> BoxShape3D:
\tvar made := BoxShape3D.new()
\tmade.size = size
\treturn made

func _ready() -> void:
\twith_shape(StaticBody3D.new(), box(Vector3(80, 2, 80)), Vector3(0, -1, 0))
\tvar hull := ConvexPolygonShape3D.new()
\thull.points = PackedVector3Array([Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)])
\tvar mesh := ConcavePolygonShape3D.new()
\tmesh.set_faces(PackedVector3Array([Vector3(-9, 0.1, -9), Vector3(-9, 0.3, 0), Vector3(0, 0.2, -9)]))
\twith_shape(StaticBody3D.new(), mesh, Vector3.ZERO)
\tfor index: int in 30:
\t\tvar body: RigidBody3D = Pushed.new() if index == 3 else (Own.new() if index == 4 else RigidBody3D.new())
\t\tbody.custom_integrator = index == 4
\t\tbodies.append(with_shape(body, hull if index % 3 else box(Vector3.ONE), Vector3(index % 5, 1 + index, index / 5)))
\tvar hinge := HingeJoint3D.new()
\tadd_child(hinge)
\thinge.node_a = bodies[7].get_path()
\thinge.node_b = bodies[8].get_path()
\thinge.set_flag(HingeJoint3D.FLAG_ENABLE_MOTOR, true)
\thinge.set_param(HingeJoint3D.PARAM_MOTOR_TARGET_VELOCITY, 2.0)
\tvar area := Area3D.new()
\tarea.gravity_space_override = Area3D.SPACE_OVERRIDE_COMBINE
\tarea.gravity = 3.0
\twith_shape(area, box(Vector3(4, 4, 4)), Vector3(2, 2, 2))
\tcar = with_shape(VehicleBody3D.new(), box(Vector3(1.6, 0.5, 3)), Vector3(12, 1.2, 0))
\tcar.mass = 400
\tfor place: Vector3 in [Vector3(-0.8, -0.2, 1), Vector3(0.8, -0.2, 1), Vector3(-0.8, -0.2, -1), Vector3(0.8, -0.2, -1)]:
\t\tvar wheel := VehicleWheel3D.new()
\t\twheel.position = place
\t\twheel.use_as_traction = true
\t\tcar.add_child(wheel)
\twalker = with_shape(CharacterBody3D.new(), CapsuleShape3D.new(), Vector3(-6, 1.1, 0))
\tplatform = with_shape(AnimatableBody3D.new(), box(Vector3(3, 0.4, 3)), Vector3(-6, 0.2, 6))

func _physics_process(_delta: float) -> void:
\tvar tick := Engine.get_physics_frames()
\tcar.engine_force = 300.0
\tcar.steering = 0.2
\tplatform.position.y = 0.2 + 0.5 * sin(0.05 * tick)
\twalker.velocity = Vector3(2, -4, 0)
\twalker.move_and_slide()
\tif tick % 20 == 0:
\t\tbodies[1].apply_impulse(Vector3(0, 3, 1), Vector3(0.1, 0, 0))
\t\tbodies[2].rotation.y = 0.1 * tick
\tif tick % 30 == 10:
\t\tvar old: RigidBody3D = bodies.pop_back()
\t\told.queue_free()
\t\tbodies.push_front(with_shape(RigidBody3D.new(), SphereShape3D.new(), Vector3(0.3, 9, 0)))
\tif tick == 60:
\t\tbodies[9].freeze = true
\t\tbodies[10].mass = 5.0
\t\tbodies[11].scale = Vector3(1.2, 1.2, 1.2)
\t\tbodies[12].collision_layer = 2
"""


@pytest.mark.parametrize("separate", [False, True])
def test_a_game_is_replayed_without_godot(godot, tmp_path, separate):
    project, path = tmp_path / "project", tmp_path / "game.screerec"
    behaviour.make_project(project, behaviour.SCREE)
    behaviour.add_scene(project, "game", _GAME)
    if separate:
        with open(project / "project.godot", "a") as settings:
            settings.write("\n3d/run_on_separate_thread=true\n")
    arguments = ("--headless", "--fixed-fps", "60", "--quit-after", str(TICKS), "--path", project, "res://game.tscn")
    run = godot.run(*arguments, timeout=240, environment={"SCREE_RECORD": str(path)})
    assert run.returncode == 0 and run.errors() == [], run.output
    answer = Replay(path).run()
    assert answer.difference == "" and answer.ending == "", answer
    assert answer.steps > TICKS // 2 and answer.compared > TICKS // 20
    numbers = [int(row.record["edit"]) for row in RecordingFile(path).rows()]
    assert len(set(numbers)) > 12  # edits of many kinds


def test_a_file_that_cannot_be_written_is_told_of_and_the_game_runs(godot, tmp_path):
    project = tmp_path / "project"
    behaviour.make_project(project, behaviour.SCREE)
    behaviour.add_scene(project, "game", _GAME)
    arguments = ("--headless", "--quit-after", "5", "--path", project, "res://game.tscn")
    run = godot.run(*arguments, timeout=240, environment={"SCREE_RECORD": str(tmp_path / "none" / "a")})
    assert run.returncode == 0 and "SCREE_RECORD: the game is not recorded" in run.output
