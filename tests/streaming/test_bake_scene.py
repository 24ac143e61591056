"""`scree bake`: a Godot scene's static bodies become tiles, wherever and however they are scaled, turned and nested."""

import json
from pathlib import Path

import numpy as np
import pytest

from scree.core.queries import Queries
from scree.streaming import tile_file
from scree.streaming.baking import Bake, read_index
from scree.streaming.wanted import Ranges, Viewer
from scree.streaming.streaming_world import Streaming, StreamingSettings
from scree.tools import bake as baking
from tests.streaming.test_batches import Ground

SCENE = """[gd_scene load_steps=8 format=3]
[ext_resource type="Script" path="res://addons/scree/nodes/streaming_scene_3d.gd" id="1"]
[sub_resource type="BoxShape3D" id="box"]
size = Vector3(2, 2, 2)
[sub_resource type="SphereShape3D" id="sphere"]
radius = 1.5
[sub_resource type="ConvexPolygonShape3D" id="hull"]
points = PackedVector3Array(-1, 0, -1, 1, 0, -1, 0, 0, 1, 0, 2, 0)
[sub_resource type="ConcavePolygonShape3D" id="ground"]
data = PackedVector3Array(-100, 0, -100, 100, 0, -100, -100, 0, 100, 100, 0, -100, 100, 0, 100, -100, 0, 100)
[sub_resource type="PhysicsMaterial" id="ice"]
friction = 0.25
bounce = 0.5
[node name="World" type="Node3D"]
[node name="Turned" type="Node3D" parent="."]
transform = Transform3D(0, 0, 1, 0, 1, 0, -1, 0, 0, 10, 0, 0)
[node name="Wide" type="StaticBody3D" parent="Turned"]
transform = Transform3D(3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 5, 0)
collision_layer = 4
collision_mask = 6
physics_material_override = SubResource("ice")
[node name="Shape" type="CollisionShape3D" parent="Turned/Wide"]
shape = SubResource("box")
[node name="Two" type="StaticBody3D" parent="."]
transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, -40, 2, 8)
[node name="A" type="CollisionShape3D" parent="Two"]
shape = SubResource("sphere")
[node name="B" type="CollisionShape3D" parent="Two"]
transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 3, 0)
shape = SubResource("hull")
[node name="Off" type="CollisionShape3D" parent="Two"]
shape = SubResource("box")
disabled = true
[node name="Ground" type="StaticBody3D" parent="."]
[node name="Shape" type="CollisionShape3D" parent="Ground"]
shape = SubResource("ground")
[node name="Moving" type="RigidBody3D" parent="."]
[node name="Shape" type="CollisionShape3D" parent="Moving"]
shape = SubResource("box")
[node name="Post" type="StaticBody3D" parent="."]
transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, -40, 2, 30)
collision_layer = 16
[node name="Shape" type="CollisionShape3D" parent="Post"]
shape = SubResource("box")
[node name="Rope" type="PinJoint3D" parent="."]
node_a = NodePath("../Moving")
node_b = NodePath("../Post")
[node name="Camp" type="Marker3D" parent="."]
transform = Transform3D(1, 0, 0, 0, 1, 0, 0, 0, 1, 20, 0, -20)
script = ExtResource("1")
scene = "res://streaming/camp.tscn"
encounter_radius = 30.0
"""


@pytest.fixture(scope="module")
def baked(godot, project, tmp_path_factory) -> Path:
    (project / "to_bake.tscn").write_text(SCENE)
    folder = tmp_path_factory.mktemp("baked")
    done = baking.cook_scene(godot, project, "res://to_bake.tscn", 64.0).write(folder)
    assert done["written"] >= 9
    return folder


def test_bodies_are_where_the_scene_has_them(baked):
    data = {tile: tile_file.read(baked / tile_file.tile_name(tile)) for tile in ((0, 0), (-1, 0))}
    wide = [body for body in data[0, 0].bodies if body["collision_layer"] == 4]
    assert len(wide) == 1 and wide[0]["collision_mask"] == 6
    assert wide[0]["friction"] == 0.25 and wide[0]["restitution"] == 0.5
    np.testing.assert_allclose(wide[0]["position"], (10, 5, 0), atol=1e-5)
    used = data[0, 0].new_shapes[wide[0]["first_shape"]]
    np.testing.assert_allclose(data[0, 0].cooked[used["shape"]]["half_extents"], (3, 1, 1), atol=1e-5)
    two = [body for body in data[-1, 0].bodies if body["shape_count"] == 2]
    assert len(two) == 1, "a disabled shape is left out"
    np.testing.assert_allclose(two[0]["position"] + data[-1, 0].origin, (-40, 2, 8), atol=1e-5)


def test_a_body_that_a_joint_holds_stays_a_node(baked):
    for path in baked.glob(f"*{tile_file.SUFFIX}"):
        assert not (tile_file.read(path).bodies["collision_layer"] == 16).any()


def test_scenes_stand_in_the_index(baked):
    scenes = read_index(baked)["scenes"]
    assert [scene["path"] for scene in scenes] == ["res://streaming/camp.tscn"]
    assert scenes[0]["encounter_radius"] == 30.0 and scenes[0]["activation_radius"] == 200.0
    np.testing.assert_allclose(scenes[0]["position"], (20, 0, -20))


def test_a_mesh_larger_than_a_tile_is_cut_and_has_no_holes(baked):
    ground = Ground()
    with Streaming(ground.world, ground.system, baked, StreamingSettings(Ranges(hysteresis=8.0))) as streaming:
        streaming.wait_until_idle([Viewer(0.0, 0.0)])
        queries, random = Queries(ground.world), np.random.default_rng(0)
        for x, z in random.uniform(-99, 99, (200, 2)):
            hit = queries.cast_ray(ground.system, (x, 1.0, z), (x, -1.0, z))
            assert hit is not None and abs(hit["position"][1]) < 1e-3, (x, z)
            front = queries.cast_ray(ground.system, (x, 1.0, z), (x, -1.0, z), hit_back_faces=False)
            assert front is not None, "the ground faces up"
        assert queries.cast_ray(ground.system, (10.0, 20.0, 2.9), (10.0, 1.0, 2.9)) is not None, "the wide box is turned"
        assert queries.cast_ray(ground.system, (12.9, 20.0, 0.0), (12.9, 1.0, 0.0)) is None


def test_what_cannot_be_in_a_tile_names_its_node():
    floor = [{"shape": 0, "kind": "WorldBoundaryShape3D"},
             {"body": "World/Floor", "transform": [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0], "layer": 1, "mask": 1, "friction": 1,
              "bounce": 0, "velocity": [0, 0, 0], "shapes": [[0, [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]]]}]  # fmt: skip
    with pytest.raises(baking.CannotBake, match="World/Floor.*everywhere"):
        baking.add_listing(Bake(), floor)
    floor[0] = {"shape": 0, "kind": "BoxShape3D", "size": [1000, 1, 1]}
    with pytest.raises(baking.CannotBake, match="World/Floor.*cut it"):
        baking.add_listing(Bake(), floor)
    floor[0]["size"] = [1, 1, 1]
    with pytest.raises(baking.CannotBake, match="whole scene"):
        baking.add_listing(Bake(), json.loads(json.dumps(floor)))


def test_a_project_without_the_addon_is_told(godot, tmp_path):
    with pytest.raises(baking.CannotBake, match="no Godot project"):
        baking.cook_scene(godot, tmp_path, "res://x.tscn")
    (tmp_path / "project.godot").write_text("config_version=5\n")
    with pytest.raises(baking.CannotBake, match="scree install"):
        baking.cook_scene(godot, tmp_path, "res://x.tscn")


def test_a_large_mesh_tells_how_far_it_is_cooked():
    side = 230  # 105,800 triangles
    corner = np.stack(np.meshgrid(np.arange(side), np.arange(side), indexing="ij"), axis=-1).reshape(-1, 1, 2)
    cells = (corner + np.array([(0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1)])) * 0.2
    faces = np.insert(cells.reshape(-1, 2), 1, 0.0, axis=1)
    place = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]
    listed = [{"shape": 0, "kind": "ConcavePolygonShape3D", "faces": faces.ravel().tolist(), "backface": False}]
    listed += [{"body": f"World/{name}", "transform": place, "layer": 1, "mask": 1, "friction": 1, "bounce": 0,
                "velocity": [0, 0, 0], "shapes": [[0, place]]} for name in ("Ground", "Again")]  # fmt: skip
    told = []
    bake = Bake(256.0)
    assert baking.add_listing(bake, [*listed, {"end": True}], lambda *what: told.append(what)) == 2 and bake.body_count == 2
    ends = dict.fromkeys(what for what in told if what[0] == what[1])  # a look may fall between the last triangle and the end
    assert list(ends) == [(211600, 211600, name) for name in ("World/Ground", "World/Again")]
