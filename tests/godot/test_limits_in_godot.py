"""Limits in a game: a heap beyond them stops nothing, and Godot prints one warning a second that names the setting."""

import re

import behaviour

_HEAP = """extends SceneTree

func _box(place: Vector3) -> RigidBody3D:
\tvar body := RigidBody3D.new()
\tvar collision := CollisionShape3D.new()
\tcollision.shape = BoxShape3D.new()
\tbody.add_child(collision)
\tbody.position = place
\troot.add_child(body)
\treturn body

func _initialize() -> void:
\tawait physics_frame
\tvar random := RandomNumberGenerator.new()
\trandom.seed = 1
\tfor k in 40:
\t\t_box(Vector3(random.randf(), 50 + random.randf(), random.randf()) * 0.6)
\tvar lone := _box(Vector3(100, 80, 0))
\tvar began := Time.get_ticks_msec()
\tfor k in 30:
\t\tawait physics_frame
\tprint("NUMBERS ", PhysicsServer3D.get_class(), " ", 80 - lone.global_position.y, " ", Time.get_ticks_msec() - began)
\tquit()
"""


def test_a_heap_beyond_the_limit_of_contacts_stops_nothing(godot, tmp_path):
    project = behaviour.make_project(tmp_path / "project", behaviour.SCREE, "scree_3d/limits/max_contacts=64")
    (project / "heap.gd").write_text(_HEAP)
    run = godot.run("--headless", "--fixed-fps", "60", "--path", project, "-s", "res://heap.gd", timeout=120)
    found = re.search(r"^NUMBERS (\S+) (\S+) (\S+)$", run.output, re.MULTILINE)
    assert run.returncode == 0 and found, run.output
    assert found[1] == behaviour.SERVER_CLASS[behaviour.SCREE]
    assert 0.9 < float(found[2]) < 1.4, "half a second of free fall: 1.2 m"
    warnings = re.findall(r"^(?:USER )?WARNING: (.*contacts were left out.*)$", run.output, re.MULTILINE)
    assert 1 <= len(warnings) <= 2 + float(found[3]) / 1000, run.output
    assert "raise the setting 'physics/scree_3d/limits/max_contacts'" in warnings[0]
    assert "ERROR" not in run.output
