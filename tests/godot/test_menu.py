"""The menu of the demo project: each scene is reached by a click and starts; `scree prove menu` plays and draws them."""

from scree.tools import prove_menu, scenes


def test_every_demo_is_reached_by_a_click(godot, tmp_path):
    project = scenes.copy_demo_project(tmp_path / "project")
    played, faults = prove_menu.click_through(godot, project, 3, ("demo", "play"), ("--headless",), {})
    assert faults == []
    assert [one["scene"] for one in played] == [scene.name for scene in scenes.scene_index() if scene.kind != "bench"]


def test_a_warning_is_a_fault_unless_it_is_of_the_screen():
    screen = "WARNING: Could not set V-Sync mode, as changing V-Sync mode is not supported by the graphics driver."
    others = ["WARNING: scree: a limit", "SCRIPT ERROR: Invalid call", "missed pile res://scenes/menu.tscn"]
    assert prove_menu.faults_of([screen, "played {}", *others]) == others


def test_every_scene_that_is_no_measurement_has_a_heading():
    assert {scene.name for scene in scenes.scene_index() if scene.shows == "Measured"} == {
        scene.name for scene in scenes.scene_index() if scene.kind == "bench"
    }


LEADS = """extends SceneTree

const Hud := preload("res://scripts/hud.gd")


func _initialize() -> void:
	print("class ", PhysicsServer3D.get_class())
	change_scene_to_file("res://scenes/muscles.tscn")
	await process_frame
	await process_frame
	current_scene.add_child(Hud.new(current_scene))
	await process_frame
	var buttons: Array = current_scene.find_child("Buttons", true, false).get_children().slice(3)
	print("buttons ", buttons.map(func(button: Button) -> String: return button.text))
	for key: Key in [KEY_1, KEY_2, KEY_3]:
		var event := InputEventKey.new()
		event.keycode = key
		event.pressed = true
		root.push_input(event, true)
		for tick: int in 70:
			await physics_frame
		var muscles: Array = current_scene.get("_muscles")
		print("strengths ", muscles.map(func(one: Node) -> float: return snappedf(one.get("strength"), 0.01)))
	quit()
"""


def test_keys_of_a_scene_act(godot, tmp_path):
    """Limp, weak and firm: the player sets the strength of all three figures."""
    project = scenes.copy_demo_project(tmp_path / "project")
    (project / "leads.gd").write_text(LEADS)
    run = godot.run("--headless", "--fixed-fps", "60", "--path", project, "-s", "res://leads.gd", timeout=60)
    said = [line for line in run.output.splitlines() if line.startswith(("class", "buttons", "strengths"))]
    assert said == [
        "class ScreePhysicsServer3D", 'buttons ["Limp (1)", "Weak (2)", "Firm (3)"]',
        "strengths [0.0, 0.0, 0.0]", "strengths [0.1, 0.1, 0.1]", "strengths [1.0, 1.0, 1.0]",
    ], run.output  # fmt: skip
    assert "ERROR" not in run.output and "WARNING" not in run.output, run.output
