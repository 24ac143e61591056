"""The menu of the demo project: each scene is reached by a click and starts; `scree prove menu` plays and draws them."""

from scree.tools import prove_menu, scenes


def test_every_demo_is_reached_by_a_click(godot, tmp_path):
    project = scenes.copy_demo_project(tmp_path / "project")
    played, faults = prove_menu.click_through(godot, project, 3, ("demo", "play"), ("--headless",), {})
    assert faults == []
    assert [one["scene"] for one in played] == [scene.name for scene in scenes.scene_index() if scene.kind != "bench"]


def test_every_scene_that_is_no_measurement_has_a_heading():
    assert {scene.name for scene in scenes.scene_index() if scene.shows == "Measured"} == {
        scene.name for scene in scenes.scene_index() if scene.kind == "bench"
    }
