extends SceneTree
## The cost of making shapes with data, putting each on a body, and freeing all: processor time of the main thread, by
## calls of the server and as nodes. Floors of the rounds. [us a shape]
##
## `godot --headless --path PROJECT -s res://measure/make_shapes.gd [-- --count=N]`; Linux alone tells processor time.

const ProcessorTime := preload("res://measure/processor_time.gd")

const ROUNDS := 7

var _count := 300
var _before := 0


func _initialize() -> void:
	for option: String in OS.get_cmdline_user_args():
		if option.begins_with("--count="):
			_count = option.trim_prefix("--count=").to_int()
	print("engine: ", PhysicsServer3D.get_class(), ", ", ProjectSettings.get_setting("physics/3d/physics_engine"))
	await physics_frame
	for kind: String in ["box", "hull of 8", "hull of 32", "mesh of 200", "field of 16 x 16"]:
		var server: Array[float] = [INF, INF, INF]
		var nodes: Array[float] = [INF, INF, INF]
		for round: int in ROUNDS:
			_keep_least(server, _by_server(kind))
			await physics_frame
			_keep_least(nodes, _as_nodes(kind))
			await physics_frame
		print("%s: made %.1f, put on a body %.1f, freed %.1f" % [kind, server[0], server[1], server[2]])
		print("%s, RigidBody3D: made %.1f, added %.1f, freed %.1f" % [kind, nodes[0], nodes[1], nodes[2]])
	quit()


func _keep_least(least: Array[float], costs: Array[float]) -> void:
	for number: int in 3:
		least[number] = minf(least[number], costs[number])


func _by_server(kind: String) -> Array[float]:
	var shapes: Array[RID] = []
	var bodies: Array[RID] = []
	var data: Array = []
	for number: int in _count:
		data.append(_data(kind, number))
		bodies.append(PhysicsServer3D.body_create())
	_passed()
	for number: int in _count:
		var shape := _new_shape(kind)
		PhysicsServer3D.shape_set_data(shape, data[number])
		shapes.append(shape)
	var made := _passed()
	for number: int in _count:
		PhysicsServer3D.body_add_shape(bodies[number], shapes[number])
	var added := _passed()
	for body: RID in bodies:
		PhysicsServer3D.free_rid(body)
	_passed()
	for shape: RID in shapes:
		PhysicsServer3D.free_rid(shape)
	return [made, added, _passed()]


func _as_nodes(kind: String) -> Array[float]:
	var nodes: Array[RigidBody3D] = []
	var data: Array = []
	for number: int in _count:
		data.append(_data(kind, number))
	_passed()
	for number: int in _count:
		var body := RigidBody3D.new()
		var collision := CollisionShape3D.new()
		collision.shape = _resource(kind, data[number])
		body.add_child(collision)
		body.position = Vector3(number % 70 * 4, 1, number / 70 * 4)
		nodes.append(body)
	var made := _passed()
	for body: RigidBody3D in nodes:
		root.add_child(body)
	var added := _passed()
	for body: RigidBody3D in nodes:
		body.free()
	return [made, added, _passed()]


func _new_shape(kind: String) -> RID:
	if kind == "box":
		return PhysicsServer3D.box_shape_create()
	if kind.begins_with("hull"):
		return PhysicsServer3D.convex_polygon_shape_create()
	if kind.begins_with("mesh"):
		return PhysicsServer3D.concave_polygon_shape_create()
	return PhysicsServer3D.heightmap_shape_create()


## The data of the shape with this number; all differ.
func _data(kind: String, number: int) -> Variant:
	var dice := RandomNumberGenerator.new()
	dice.seed = number + 1
	if kind == "box":
		return Vector3(0.5, 0.5, 0.5 + 0.001 * number)
	if kind.begins_with("hull"):
		return _points(dice, kind.get_slice(" ", 2).to_int())
	if kind.begins_with("mesh"):
		return {"faces": _faces(dice), "backface_collision": false}
	var heights := PackedFloat32Array()
	for sample: int in 256:
		heights.append(dice.randf())
	return {"width": 16, "depth": 16, "heights": heights, "min_height": 0.0, "max_height": 1.0}


func _points(dice: RandomNumberGenerator, count: int) -> PackedVector3Array:
	var points := PackedVector3Array()
	for corner: int in count:
		if count == 8:
			points.append(Vector3(corner & 1, corner >> 1 & 1, corner >> 2) * dice.randf_range(0.9, 1.1))
		else:
			points.append(Vector3(dice.randfn(), dice.randfn(), dice.randfn()).normalized())
	return points


## Ground of 10 x 10 cells, 200 triangles.
func _faces(dice: RandomNumberGenerator) -> PackedVector3Array:
	var ground: Array[Vector3] = []
	for place: int in 121:
		ground.append(Vector3(place % 11, dice.randf(), place / 11))
	var faces := PackedVector3Array()
	for z: int in 10:
		for x: int in 10:
			var corner := 11 * z + x
			for other: int in [0, 1, 11, 1, 12, 11]:
				faces.append(ground[corner + other])
	return faces


func _resource(kind: String, data: Variant) -> Shape3D:
	if kind == "box":
		var box := BoxShape3D.new()
		box.size = 2.0 * data
		return box
	if kind.begins_with("hull"):
		var hull := ConvexPolygonShape3D.new()
		hull.points = data
		return hull
	if kind.begins_with("mesh"):
		var mesh := ConcavePolygonShape3D.new()
		mesh.set_faces(data.faces)
		return mesh
	var field := HeightMapShape3D.new()
	field.map_width = data.width
	field.map_depth = data.depth
	field.map_data = data.heights
	return field


## Since the last call [us a shape].
func _passed() -> float:
	OS.delay_usec(2000)  # the system counts what a thread has used when it rests
	var now := ProcessorTime.used_us()
	var passed := float(now - _before) / _count
	_before = now
	return passed
