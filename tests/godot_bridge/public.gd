extends SceneTree
## The singleton Scree and its classes, used with static types.


func _initialize() -> void:
	print("class ", PhysicsServer3D.get_class())
	print("running ", Scree.is_running(), " ", Engine.has_singleton("Scree"))
	var stage := Node3D.new()
	root.add_child(stage)
	var floor_body := StaticBody3D.new()
	var shape := CollisionShape3D.new()
	shape.shape = BoxShape3D.new()
	floor_body.add_child(shape)
	stage.add_child(floor_body)
	await physics_frame
	await physics_frame
	_rays(stage.get_world_3d().space, floor_body)
	_wrong(stage.get_world_3d().space)
	_beside_a_thread(stage.get_world_3d().space)
	var methods := ClassDB.class_get_method_list("Scree", true)
	for method: Dictionary in methods:
		if method["name"] == "cast_rays":
			print("arguments ", method["args"].map(func(argument: Dictionary) -> String: return argument["name"]))
			print("defaults ", method["default_args"], " returns ", method["return"]["class_name"])
	print("property ", ClassDB.class_get_property_list("ScreeRayHits", true).map(func(p: Dictionary) -> String: return p["name"]))
	_wrong_type()
	quit()


## Godot itself says so, and ends the function.
func _wrong_type() -> void:
	var untyped: Variant = Scree
	print("wrong type ", untyped.call("space_hash", "x"))


func _rays(space: RID, body: StaticBody3D) -> void:
	var from := PackedVector3Array([Vector3(0, 5, 0), Vector3(3, 5, 0)])
	var to := PackedVector3Array([Vector3(0, -5, 0), Vector3(3, -5, 0)])
	var hits: ScreeRayHits = Scree.cast_rays(space, from, to)
	print("hits ", hits.size(), " ", hits.is_hit, " ", hits.positions, " ", hits.normals, " ", hits.fractions)
	print("colliders ", hits.get_collider(0) == body, " ", hits.get_collider(1), " ", hits.get_rid(0) == body.get_rid(), " ",
		rid_from_int64(hits.rids[0]) == body.get_rid(), " ", instance_from_id(hits.collider_ids[0]) == body, " ", hits.rids[1])
	hits = Scree.cast_rays(space, from, to, 0xFFFFFFFF, false, [body.get_rid()], 2)
	print("excluded ", hits.is_hit)
	var untyped: Variant = Scree
	hits = untyped.cast_rays(space, from, to, 1)
	print("by name ", hits.is_hit, " ", untyped.cast_rays(space, [Vector3(0, 5, 0)], [Vector3(0, -5, 0)]).is_hit)
	PhysicsServer3D.call("space_shift_origin", space, Vector3(0, 2, 0))
	print("shifted ", Scree.cast_rays(space, from, to).positions[0])


## Answers are read while a thread asks: the memory for the arguments of Godot's calls was given back too early.
func _beside_a_thread(space: RID) -> void:
	var from := PackedVector3Array([Vector3(0, 5, 0)])
	var to := PackedVector3Array([Vector3(0, -5, 0)])
	var thread := Thread.new()
	thread.start(func() -> void:
		for _k: int in 3000:
			Scree.space_get_step_count(space)
			OS.delay_usec(30))
	var hits := Scree.cast_rays(space, from, to)
	var wrong := 0
	while thread.is_alive():
		if hits.fractions.size() != 1 or hits.is_hit.size() != 1 or hits.collider_ids.size() != 1:
			wrong += 1
	thread.wait_to_finish()
	print("beside a thread ", wrong)


func _wrong(space: RID) -> void:
	var one := PackedVector3Array([Vector3.ZERO])
	print("no space ", Scree.cast_rays(RID(), one, one))
	print("wrong mask ", Scree.cast_rays(space, one, one, -1))
	print("wrong number ", Scree.cast_rays(space, one, PackedVector3Array()))
	print("wrong ray ", Scree.cast_rays(space, one, one).get_collider(1))
	var made := ScreeRayHits.new()
	print("empty ", made.size(), made.positions)
