"""The demo project's scenes as the tools see them, run in real Godot on an engine of its own."""

import json

import pytest

from scree.tools import contact_sheet, demo, scenes
from scree.tools.scenes import Figures, SceneFailed
from scree.tools.screen import screen

REPORT = {
    "scene": "pile", "engine": "X", "bodies": 3.0, "ticks": 2.0, "tick_ms": [1, 2], "asleep": 1.0,
    "deepest_penetration": 0.01, "kinetic_energy_per_body": 0.5, "height": 1.0, "lost": 0.0, "rays": 7,
}  # fmt: skip


def test_a_report_is_read_and_what_only_one_scene_says_is_kept():
    figures = Figures.parse(json.dumps(REPORT))
    assert (figures.bodies, figures.tick_ms, figures.extra) == (3, (1.0, 2.0), {"rays": 7})


def test_a_report_that_lacks_a_figure_is_an_error():
    with pytest.raises(SceneFailed, match="lacks height, lost"):
        Figures.parse(json.dumps({key: value for key, value in REPORT.items() if key not in ("height", "lost")}))


def test_scenes_are_named_or_taken_by_kind():
    assert [scene.name for scene in scenes.named_scenes(["wall", "pile"], "bench")] == ["wall", "pile"]
    assert {"pile", "wall", "rays"} <= {scene.name for scene in scenes.named_scenes([], "demo")}
    with pytest.raises(SceneFailed, match="no scene nothing"):
        scenes.named_scenes(["nothing"], "demo")


@pytest.fixture(scope="module")
def on_jolt(tmp_path_factory):
    """The demo project on Godot's own engine: what is tested here are the tools."""
    folder = scenes.copy_demo_project(tmp_path_factory.mktemp("jolt") / "project", with_addon=False)
    scenes.choose_engine(folder, scenes.JOLT, threads=1)
    return folder


def test_each_demo_is_shown_by_one_of_its_pictures():
    demos = [scene for scene in scenes.scene_index() if scene.kind == "demo"]
    assert demos and all(scene.cover in scene.pictures for scene in demos)
    assert [scene.pictures for scene in demo.covers(demos)] == [(scene.cover,) for scene in demos]


def test_every_scene_of_the_index_runs_and_reports(godot, on_jolt):
    for scene in scenes.scene_index(on_jolt):
        figures = scenes.run_scene(godot, on_jolt, scene.name, ticks=3, options=["--bodies=20"])
        assert (figures.scene, figures.ticks, len(figures.tick_ms)) == (scene.name, 3, 3)
        assert figures.extra["engine_setting"] == scenes.JOLT and figures.bodies > 0


def test_a_scene_that_does_not_exist_fails_with_godots_words(godot, on_jolt):
    with pytest.raises(SceneFailed, match="nothing.tscn"):
        scenes.run_scene(godot, on_jolt, "nothing", ticks=1)


def test_pictures_are_put_on_one_sheet(tmp_path):
    image = pytest.importorskip("PIL.Image")
    for tick, colour in ((60, (200, 0, 0)), (120, (0, 200, 0)), (1800, (0, 0, 200))):
        image.new("RGB", (128, 72), colour).save(tmp_path / f"x_{tick}.png")
    pictures = [tmp_path / f"x_{tick}.png" for tick in (60, 120, 1800)]
    with image.open(contact_sheet.make(pictures, tmp_path / "docs" / "sheet.jpg")) as sheet:
        assert sheet.size == (2 * contact_sheet.CELL[0], 2 * contact_sheet.CELL[1])
        width, height = contact_sheet.CELL
        near = [sheet.getpixel((x * width + 10, y * height + 10)) for x, y in ((0, 0), (1, 0), (0, 1), (1, 1))]
    assert [max(range(3), key=pixel.__getitem__) for pixel in near[:3]] == [0, 1, 2] and max(near[3]) < 20


def test_pictures_are_drawn(godot, on_jolt, tmp_path):
    scene = scenes.Scene("wall", "Wall", "demo", 3, 20, (2, 3), "")
    with screen(godot) as environment:
        pictures = scenes.draw_scene(godot, on_jolt, scene, tmp_path, environment)
    assert [path.name for path in pictures] == ["wall_2.png", "wall_3.png"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in pictures)
