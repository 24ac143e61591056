"""The release for Linux on arm64 in real Godot, by qemu: it runs a world with the bits of this system."""

import shutil
from pathlib import Path

import pytest

pytest.importorskip("scree.tools")
from exported import make_project  # noqa: E402

from scree.tools import find_godot, other_system, release  # noqa: E402
from tests.built_libraries import need_library, need_system  # noqa: E402

ARM64 = ("linux", "arm64")
FALLS = """extends Node3D
var bodies: Array[RigidBody3D] = []
func _ready():
	var ground := StaticBody3D.new()
	var plane := CollisionShape3D.new()
	plane.shape = WorldBoundaryShape3D.new()
	ground.add_child(plane)
	add_child(ground)
	for k in 12:
		var body := RigidBody3D.new()
		var shape := CollisionShape3D.new()
		shape.shape = BoxShape3D.new() if k % 2 else SphereShape3D.new()
		body.position = Vector3(0.3 * (k % 3), 1.0 + k, 0.1 * k)
		body.add_child(shape)
		add_child(body)
		bodies.append(body)
func _physics_process(_delta):
	if Engine.get_physics_frames() == 90:
		var told := PackedByteArray()
		for body in bodies:
			told.append_array(var_to_bytes(body.transform))
		print("class ", PhysicsServer3D.get_class(), " ", told.hex_encode().sha256_text())
		get_tree().quit()
"""


@pytest.fixture(scope="module")
def arm64() -> find_godot.Godot:
    godot, _ = need_system(other_system.godot_arm64), need_system(other_system.arm64)
    need_library(ARM64, ("linux", "x86_64"))
    return godot


def test_a_world_there_has_the_bits_of_this_system(arm64, tmp_path):
    here = find_godot.find_godot(fetch=False)
    project = make_project(tmp_path / "project", FALLS)
    made = release.make(tmp_path, here, [("linux", "x86_64"), ARM64])
    shutil.copytree(made.folder, project / "addons" / "scree")
    here.run("--headless", "--path", project, "--import")
    said = []
    for godot in (here, arm64):
        done = godot.run("--headless", "--fixed-fps", "60", "--path", project, timeout=280)
        lines = [line for line in done.output.splitlines() if line.startswith("class ") or "scree:" in line]
        assert len(lines) == 1 and lines[0].startswith("class ScreePhysicsServer3D "), done.output
        said.append(lines[0])
    assert said[0] == said[1]
    parts = Path(made.folder, "bin", "linux.arm64", "scree")
    assert (parts / "libpython3.11.so.1.0").is_file() and list((parts / "modules").glob("*.so"))
