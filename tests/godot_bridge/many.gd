extends SceneTree
## A MultiBody3D: what its MultiMesh is given, against the bodies of the server, one by one.

const MultiBody := preload("res://addons/scree/nodes/multi_body_3d.gd")
const FAR := 1e-4

var _stage := Node3D.new()
var _many: MultiBody
var _told := {"slept": 0, "entered": {}}


func _initialize() -> void:
	print("class ", PhysicsServer3D.get_class())
	root.add_child(_stage)
	_add_floor()
	_many = _make(Vector3(0, 3, 0))
	_stage.add_child(_many)
	print("first ", _many.add_bodies(_grid(40, Vector3(0, 2, 0))), " ", _many.get_body_count())
	var area := _add_area()
	area.body_shape_entered.connect(func(rid: RID, body: Node3D, _a: int, _b: int) -> void:
		_told["entered"][_many.index_of(rid)] = body == _many)
	_many.bodies_fell_asleep.connect(func(indices: PackedInt32Array) -> void: _told["slept"] += indices.size())
	await _wait(30)
	print("moving ", _wrong(_many), " ", _mean_speed())
	_queries()
	await _edits()
	await _wait(40)
	_many.set_sleeping(PackedInt32Array(range(_many.get_body_count())), true)
	await _wait(3)
	print("asleep ", _many.get_sleeping().count(1), " of ", _many.get_body_count(), " ", _wrong(_many), " ", _told["slept"])
	_told["entered"].sort()
	print("entered ", _told["entered"])
	await _shifted()
	await _placed()
	await _again()
	if Engine.has_singleton("Scree"):
		await _interpolated()
		await _by_hand()
	_refused()
	_many.free()
	_stage.free()
	quit()


func _wait(ticks: int) -> void:
	for tick: int in ticks:
		await physics_frame


func _make(at: Vector3) -> MultiBody:
	var made: MultiBody = MultiBody.new()
	var box := BoxShape3D.new()
	made.shape = box
	made.use_colors = true
	var mesh := BoxMesh.new()
	made.mesh = mesh
	made.position = at
	made.mass = 2.0
	return made


func _add_floor() -> void:
	var body := StaticBody3D.new()
	var collision := CollisionShape3D.new()
	var box := BoxShape3D.new()
	box.size = Vector3(100, 1, 100)
	collision.shape = box
	collision.position.y = -0.5
	body.add_child(collision)
	_stage.add_child(body)


func _add_area() -> Area3D:
	var area := Area3D.new()
	var collision := CollisionShape3D.new()
	collision.shape = BoxShape3D.new()
	area.position = Vector3(0, 0.6, 0)
	area.add_child(collision)
	_stage.add_child(area)
	return area


## Boxes in layers of nine, 1.5 m apart.
func _grid(count: int, at: Vector3) -> Array[Transform3D]:
	var places: Array[Transform3D] = []
	for index: int in count:
		var cell := Vector3(index % 3, index / 9, (index / 3) % 3)
		places.append(Transform3D(Basis(Vector3.UP, 0.1 * index), at + cell * 1.5))
	return places


## How many rows of the MultiMesh differ from the bodies, as the node draws them. Godot without a screen keeps no rows that are set
## one by one, as they are with another engine.
func _wrong(many: MultiBody) -> int:
	var buffer := many.multimesh.buffer
	var stride := buffer.size() / many.multimesh.instance_count
	var wrong := int(many.multimesh.visible_instance_count != many.get_body_count())
	var rows := many.get_transforms()
	for index: int in many.get_body_count():
		var body := many.get_body_transform(index)
		wrong += int(_differ(MultiBody.transform_of(rows, 12 * index), body))
		wrong += int(stride > 0 and _differ(many.global_transform * MultiBody.transform_of(buffer, index * stride), body))
	return wrong


func _differ(a: Transform3D, b: Transform3D) -> bool:
	var most := (a.origin - b.origin).length()
	for axis: int in 3:
		most = maxf(most, (a.basis[axis] - b.basis[axis]).length())
	return most > FAR


func _mean_speed() -> bool:
	var sum := 0.0
	for velocity: Vector3 in _many.get_velocities():
		sum += velocity.length()
	return sum > 0.1


func _queries() -> void:
	var space := _stage.get_world_3d().direct_space_state
	var target := _many.get_body_transform(7).origin
	var ray := PhysicsRayQueryParameters3D.create(target + Vector3(0, 0.2, 30), target)
	var hit := space.intersect_ray(ray)
	var from_hit: int = _many.index_of(hit["rid"])
	print("hit ", hit["collider"] == _many, " ", _many.get_body_rid(from_hit) == hit["rid"], " ", _many.index_of(RID()))


func _edits() -> void:
	_many.set_colors(0, PackedColorArray([Color.RED, Color.GREEN, Color.BLUE]))
	var second := _many.get_body_rid(2)
	_many.remove_bodies(PackedInt32Array([0, 5, 39]))
	print("removed ", _many.get_body_count(), " ", _many.get_body_rid(1) == second, " ", _many.index_of(second))
	var ids := PackedInt32Array([3, 4])
	_many.set_transforms(ids, [Transform3D(Basis.IDENTITY, Vector3(20, 5, 0)), Transform3D(Basis.IDENTITY, Vector3(24, 5, 0))])
	_many.set_velocities(ids, PackedVector3Array([Vector3(0, 0, 1)]), PackedVector3Array([Vector3(0, 3, 0)]))
	_many.apply_impulses(ids, PackedVector3Array([Vector3(4, 0, 0), Vector3.ZERO]))
	print("velocities ", _many.get_velocities()[3].snappedf(0.001), " ", _many.get_velocities()[4].snappedf(0.001), " ",
		_many.get_angular_velocities()[4].snappedf(0.001))
	await _wait(2)
	print("edited ", _wrong(_many), " ", _many.multimesh.buffer.slice(12, 16), " ", _many.multimesh.buffer.slice(16 + 12, 16 + 16))
	_many.physics_material_override = PhysicsMaterial.new()
	_many.physics_material_override.friction = 0.25
	_many.physics_material_override = _many.physics_material_override
	_many.collision_mask = 3
	print("params ", PhysicsServer3D.body_get_param(second, PhysicsServer3D.BODY_PARAM_MASS), " ",
		PhysicsServer3D.body_get_param(second, PhysicsServer3D.BODY_PARAM_FRICTION), " ",
		PhysicsServer3D.body_get_collision_mask(second))


func _shifted() -> void:
	if not PhysicsServer3D.has_method("space_shift_origin"):
		return
	var before := _many.get_body_transform(0).origin
	PhysicsServer3D.call("space_shift_origin", _stage.get_world_3d().space, Vector3(1000, 0, 0))
	await _wait(2)
	print("shifted ", _wrong(_many), " ", (_many.get_body_transform(0).origin - before).snappedf(0.001))
	PhysicsServer3D.call("space_shift_origin", _stage.get_world_3d().space, Vector3(-1000, 0, 0))
	await _wait(2)


## A scaled and turned node, whose instances come from the editor.
func _placed() -> void:
	var given := MultiMesh.new()
	given.transform_format = MultiMesh.TRANSFORM_3D
	given.use_colors = true
	given.mesh = BoxMesh.new()
	given.instance_count = 5
	var rows := PackedFloat32Array()
	for index: int in 5:
		rows.append_array(MultiBody.row_of(Transform3D(Basis.IDENTITY, Vector3(2.0 * index, 4, 0))))
		rows.append_array([1.0, 0.0, 0.1 * index, 1.0])
	given.buffer = rows
	var placed := _make(Vector3(-20, 6, 3))
	placed.multimesh = given
	placed.rotation.y = 0.5
	placed.scale = Vector3(0.5, 0.5, 0.5)
	print("early ", placed.add_bodies([Transform3D(Basis.IDENTITY, Vector3(-60, 9, 0))]))
	placed.set_colors(0, PackedColorArray([Color.BLUE]))
	_stage.add_child(placed)
	await _wait(1)
	var first := placed.get_body_transform(2)
	print("placed ", _wrong(placed), " ", placed.get_body_count(), " ", placed.multimesh != given, " ",
		(first.origin - placed.global_transform * Vector3(2, 4, 0)).length() < 0.1, " ", first.basis.get_scale().snappedf(0.001), " ",
		placed.multimesh.buffer.slice(80 + 12, 80 + 16), " ", given.buffer == rows, " ",
		placed.multimesh.buffer.slice(12, 16))
	await _wait(59)
	print("scaled ", _wrong(placed), " ", snappedf(placed.get_body_transform(1).origin.y, 0.05))
	placed.position += Vector3(0, 1, 0)
	placed.rotation.x = 0.2
	await _wait(2)
	print("moved node ", _wrong(placed))
	placed.free()


## Out of the tree and in again: the bodies go on.
func _again() -> void:
	_many.set_velocities(PackedInt32Array([4]), PackedVector3Array([Vector3(0, 0, 1)]))
	_stage.remove_child(_many)
	_many.add_bodies(_grid(1, Vector3(0, 90, 0)))
	_many.mass = -1.0
	_stage.add_child(_many)
	print("kept ", _many.get_velocities()[4], " ", _many.get_velocities()[37], " ", _many.mass)
	_many.remove_bodies(PackedInt32Array([37]))
	var at := _many.get_body_transform(4).origin
	_stage.remove_child(_many)
	print("outside ", _many.get_body_count(), " ", _many.get_body_rid(0).is_valid())
	_stage.add_child(_many)
	await _wait(2)
	print("again ", _many.get_body_count(), " ", _wrong(_many), " ", (_many.get_body_transform(4).origin - at).length() < 0.1, " ",
		_many.multimesh.buffer.slice(12, 16))
	_many.clear()
	print("cleared ", _many.get_body_count())
	_many.add_bodies(_grid(2, Vector3(0, 9, 0)))
	await _wait(2)
	print("filled ", _many.get_body_count(), " ", _wrong(_many))


## With physics interpolation the two buffers that are handed over differ by one tick; added and moved bodies do not glide.
func _interpolated() -> void:
	physics_interpolation = true
	var many := _make(Vector3.ZERO)
	_stage.add_child(many)
	many.add_bodies(_grid(6, Vector3(40, 30, 0)))
	await _wait(10)
	print("interpolated ", many.is_physics_interpolated_and_enabled(), " ", many.get_body_count(), " ", many.get_sleeping().count(1))
	many.set_transforms(PackedInt32Array([2]), [Transform3D(Basis.IDENTITY, Vector3(60, 30, 0))])
	many.remove_bodies(PackedInt32Array([0]))
	many.add_bodies(_grid(90, Vector3(40, 60, 0)))
	await _wait(3)
	print("grown ", many.get_body_count(), " ", many.multimesh.instance_count >= 95, " ", many.multimesh.visible_instance_count)
	many.free()
	physics_interpolation = false


## The calls of Scree beneath the node: bodies that several spaces hold, and that are freed elsewhere.
func _by_hand() -> void:
	var scree := Engine.get_singleton("Scree")
	var space := _stage.get_world_3d().space
	var shape := BoxShape3D.new()
	var rows := MultiBody.row_of(Transform3D(Basis(Vector3.UP, 0.5), Vector3(-30, 9, 0)))
	rows.append_array(MultiBody.row_of(Transform3D(Basis.from_scale(Vector3(2, 1, 1)), Vector3(-40, 9, 0))))
	var ids: PackedInt64Array = scree.call("bodies_create", space, shape.get_rid(), rows, 3.0)
	var same: PackedFloat32Array = scree.call("transforms_of", ids)
	print("created ", ids.size(), " ", PhysicsServer3D.body_get_param(rid_from_int64(ids[1]), PhysicsServer3D.BODY_PARAM_MASS), " ",
		_differ(MultiBody.transform_of(same, 0), MultiBody.transform_of(rows, 0)),
		_differ(MultiBody.transform_of(same, 12), MultiBody.transform_of(rows, 12)))
	scree.call("set_param_of", ids, PhysicsServer3D.BODY_PARAM_GRAVITY_SCALE, 0.0)
	scree.call("set_velocities_of", ids, PackedVector3Array([Vector3(0, 0, 6)]))
	var multimesh := MultiMesh.new()
	multimesh.transform_format = MultiMesh.TRANSFORM_3D
	multimesh.instance_count = 2
	var set_of_them: int = scree.call("drawn_set_create", multimesh.get_rid())
	scree.call("drawn_set_add", set_of_them, ids, 2)
	await _wait(11)
	var moved := MultiBody.transform_of(multimesh.buffer, 12)
	print("drawn ", moved.origin.snappedf(0.01), " ", moved.basis.get_scale().snappedf(0.01), " ", multimesh.buffer.size())
	PhysicsServer3D.free_rid(rid_from_int64(ids[0]))
	await _wait(2)
	print("freed ", scree.call("body_index_in_set", rid_from_int64(ids[0])), " ", scree.call("body_index_in_set", rid_from_int64(ids[1])))
	for wrong: Callable in [
		func() -> Variant: return scree.call("drawn_set_add", set_of_them, ids.slice(1), 2),
		func() -> Variant: return scree.call("drawn_set_remove", set_of_them, PackedInt32Array([5])),
		func() -> Variant: return scree.call("drawn_set_colors", set_of_them, 0, PackedFloat32Array([1, 1, 1, 1])),
		func() -> Variant: return scree.call("drawn_set_create", RID()),
		func() -> Variant: return scree.call("bodies_create", space, shape.get_rid(), PackedFloat32Array([1.0])),
		func() -> Variant: return scree.call("bodies_create", space, shape.get_rid(), rows, -1.0),
		func() -> Variant: return scree.call("set_velocities_of", ids.slice(1), PackedVector3Array([Vector3.ZERO, Vector3.ONE])),
		func() -> Variant: return scree.call("transforms_of", ids),
		func() -> Variant: return scree.call("set_param_of", ids.slice(1), PhysicsServer3D.BODY_PARAM_CENTER_OF_MASS, 1.0),
	]:
		wrong.call()
	scree.call("drawn_set_free", set_of_them)
	scree.call("bodies_free", ids.slice(1))


func _refused() -> void:
	_many.remove_bodies(PackedInt32Array([99]))
	print("refused ", _many.add_bodies(PackedFloat32Array([1.0, 2.0])), " ", _many.get_body_count())
