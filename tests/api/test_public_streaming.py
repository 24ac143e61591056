"""Tiles from `import scree` alone: baked, streamed around a viewer, and taken out again."""

import numpy as np
import pytest

import scree

SIZE = 64.0
CORNERS = np.array([(SIZE * x, 0.0, SIZE * z) for x in range(-3, 3) for z in range(-3, 3)])
RANGES = scree.Ranges(full_ring=0, medium_ring=0, low_ring=0, rows_ahead=0, hysteresis=8.0)


@pytest.fixture
def folder(tmp_path):
    bake = scree.Bake(tile_size=SIZE)
    bake.add_static_many(scree.Box(half_extents=(32.0, 1.0, 32.0)), CORNERS + (32.0, -1.0, 32.0))
    turned = (0.0, 0.0, np.sin(0.25 * np.pi), np.cos(0.25 * np.pi))
    bake.add_static(scree.Capsule(radius=0.5, height=3.0), (10.0, 0.5, 10.0), turned, material=scree.Material(friction=0.3))
    bake.add_scene("camp", (10.0, 0.0, 10.0), encounter_radius=5.0, activation_radius=20.0)
    written = bake.write(tmp_path)
    assert written["written"] == len(CORNERS) and written["bodies"] == len(CORNERS) + 1
    return tmp_path


def test_a_viewer_stands_on_tiles_and_leaves_them(folder):
    space = scree.World(threads=1).add_space()
    with scree.Streaming(space, folder, RANGES, budget=0.01) as streaming:
        here = [scree.Viewer(10.0, 10.0)]
        streaming.wait_until_idle(here)
        hit = space.cast_ray((11.0, 9.0, 10.0), (11.0, -9.0, 10.0))
        assert hit.position[1] == pytest.approx(1.0), "the capsule lies along x"
        events = list(streaming.events())
        assert ("scene activated", "camp") in [(event.kind, event.scene) for event in events]
        assert scree.StreamEvent("tile loaded", (0, 0), 0, "") in events
        assert streaming.figures()["bodies"] >= 2 and streaming.errors == []
        streaming.wait_until_idle([scree.Viewer(-100.0, -100.0, 5.0, 0.0)])
        assert space.cast_ray((-100.0, 9.0, -100.0), (-100.0, -9.0, -100.0)).position[1] == pytest.approx(0.0)
        assert "scene deactivated" in [event.kind for event in streaming.events()]
    assert space.cast_ray((11.0, 9.0, 10.0), (11.0, -9.0, 10.0)) is None


def test_bodies_of_tiles_lie_in_the_named_layer(tmp_path):
    layers = scree.Layers("ground", "debris", apart=[("ground", "debris")])
    bake = scree.Bake(SIZE, layers)
    bake.add_static(scree.Box(half_extents=(5.0, 1.0, 5.0)), (10.0, -1.0, 10.0), layer="ground")
    bake.write(tmp_path)
    space = scree.World(threads=1, layers=layers).add_space()
    with scree.Streaming(space, tmp_path, RANGES, budget=0.01) as streaming:
        streaming.wait_until_idle([scree.Viewer(10.0, 10.0)])
        assert space.cast_ray((10.0, 9.0, 10.0), (10.0, -9.0, 10.0), layers="ground") is not None
        assert space.cast_ray((10.0, 9.0, 10.0), (10.0, -9.0, 10.0), layers="debris") is None


@pytest.mark.parametrize(
    ("make", "words"),
    (
        (
            lambda bake: bake.add_static(scree.Compound(parts=[scree.Part(shape=scree.Sphere(radius=1.0))]), (0, 0, 0)),
            "compounds",
        ),
        (lambda bake: bake.add_static(scree.Sphere(radius=1.0), (0, np.nan, 0)), "add_static: position must be finite"),
        (lambda bake: bake.add_static(scree.Sphere(radius=65.0), (0, 0, 0)), "tile of 64 m"),
        (lambda bake: bake.add_static(scree.Sphere(radius=1.0), (0, 0, 0), layer="none"), "no layer 'none'"),
        (lambda bake: bake.add_static_many(scree.Sphere(radius=1.0), [(0, 0)]), "add_static_many: positions"),
        (lambda bake: bake.add_scene("camp", (0, 0, np.inf)), "add_scene: position must be finite"),
        (lambda bake: scree.Bake(-1.0), "tile_size must be above 0"),
    ),
)
def test_a_bake_refuses_what_tiles_cannot_hold(make, words):
    with pytest.raises(ValueError, match=words):
        make(scree.Bake(SIZE))


def test_a_folder_without_tiles_is_refused(tmp_path):
    with pytest.raises(ValueError, match="index"):
        scree.Streaming(scree.World(threads=1).add_space(), tmp_path)
