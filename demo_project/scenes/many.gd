extends "res://scripts/demo_scene.gd"
## Thousands of boxes rain through two turning wheels and come to rest: one MultiBody3D, one node. With another engine than Scree it
## falls back to one call for each body that moves.

const NODE := "res://addons/scree/nodes/multi_body_3d.gd"
const SIZE := 0.5
const SPACING := 0.9
const SIDE := 20
const LOWEST := 9.0
## [rad/s]
const SPIN := 0.9
## Balls as nodes, for comparison.
const BALLS := 5
const BALL := 1.5
const BLADES := 6
const BLADE := Vector3(7.0, 0.4, 16.0)
const WHEELS: Array[Vector3] = [Vector3(-4.5, 4.2, 0), Vector3(4.5, 4.2, 0)]

var _many: Node3D
var _wheels: Array[AnimatableBody3D] = []
var _marks := 0


func build() -> void:
	bin = Bin.new(14.0, 6.0, 0.6)
	stage.target = Vector3(0, 5, 0)
	stage.eye = Vector3(18, 15, 26)
	stage.shadow_distance = 80.0
	stage.has_one_shadow_map = true
	for index: int in WHEELS.size():
		_wheels.append(_add_wheel(WHEELS[index]))
	var ball := bodies.add_form(BodyForm.sphere(BALL, CORAL.darkened(0.3)))
	for index: int in BALLS:
		bodies.add(ball, Transform3D(Basis.IDENTITY, Vector3(3.5 * index - 7.0, 20.0, 2.0 * index - 4.0)))
	if ResourceLoader.exists(NODE):
		_add_many()


func _add_many() -> void:
	var box := BoxShape3D.new()
	var mesh := BoxMesh.new()
	var material := StandardMaterial3D.new()
	material.vertex_color_use_as_albedo = true
	material.vertex_color_is_srgb = true
	material.roughness = 0.6
	box.size = Vector3.ONE * SIZE
	mesh.size = box.size
	mesh.material = material
	_many = load(NODE).new()
	_many.set("use_colors", true)
	_many.set("mesh", mesh)
	_many.set("shape", box)
	_many.set("mass", 10.0)
	add_child(_many)
	var places: Array[Transform3D] = []
	var colors := PackedColorArray()
	var palette: Array[Color] = [CORAL, AMBER, TEAL, VIOLET, LEAF, ROSE]
	for index: int in body_count():
		var layer := index / (SIDE * SIDE)
		var cell := Vector3(index % SIDE - SIDE / 2.0, layer, index / SIDE % SIDE - SIDE / 2.0)
		var jitter := random_point(-Vector3.ONE, Vector3.ONE) * 0.1
		places.append(Transform3D(random_rotation(), cell * SPACING + Vector3.UP * LOWEST + jitter))
		colors.append(palette[layer % palette.size()].darkened(random.randf_range(0.0, 0.15)))
	_many.call("add_bodies", places)
	_many.call("set_colors", 0, colors)


func tick(number: int) -> void:
	for index: int in _wheels.size():
		var way := 1.0 if index == 0 else -1.0
		_wheels[index].transform = Transform3D(Basis(Vector3.BACK, way * SPIN * number / 60.0), WHEELS[index])


func more_bodies() -> Vector2i:
	if _many == null:
		return Vector2i.ZERO
	var asleep: PackedByteArray = _many.call("get_sleeping")
	return Vector2i(asleep.size(), asleep.count(1))


## The number of bodies of the node, and how many of its rows are not where the body is, as the server says.
func extra_figures() -> Dictionary:
	if _many == null:
		return {"many_bodies": 0, "many_wrong": 0}
	var rows: PackedFloat32Array = (_many as MultiMeshInstance3D).multimesh.buffer
	var count: int = _many.call("get_body_count")
	var wrong := 0
	for index: int in count if rows.size() >= 16 * count else 0:
		var place: Transform3D = _many.call("get_body_transform", index)
		wrong += int(Vector3(rows[16 * index + 3], rows[16 * index + 7], rows[16 * index + 11]).distance_to(place.origin) > 0.5)
	return {"many_bodies": count, "many_wrong": wrong}


func _add_wheel(at: Vector3) -> AnimatableBody3D:
	var wheel := AnimatableBody3D.new()
	var stone := StandardMaterial3D.new()
	stone.albedo_color = Color(0.62, 0.60, 0.57)
	wheel.position = at
	for blade: int in BLADES / 2:
		var turned := Transform3D(Basis(Vector3.BACK, TAU * blade / BLADES), Vector3.ZERO)
		var collision := CollisionShape3D.new()
		var shape := BoxShape3D.new()
		var drawn := MeshInstance3D.new()
		var mesh := BoxMesh.new()
		shape.size = BLADE
		mesh.size = BLADE
		mesh.material = stone
		collision.shape = shape
		collision.transform = turned
		drawn.mesh = mesh
		drawn.transform = turned
		wheel.add_child(collision)
		wheel.add_child(drawn)
	add_child(wheel)
	return wheel
