extends SceneTree
## A MultiBody3D draws with physics interpolation: between the ticks, and at once where bodies were put. Needs a screen.

const MultiBody := preload("res://addons/scree/nodes/multi_body_3d.gd")


func _initialize() -> void:
	print("class ", PhysicsServer3D.get_class())
	physics_interpolation = true
	var stage := Node3D.new()
	root.add_child(stage)
	var camera := Camera3D.new()
	stage.add_child(camera)
	camera.look_at_from_position(Vector3(0, 5, 30), Vector3(0, 5, 0))
	var many: MultiBody = MultiBody.new()
	many.shape = BoxShape3D.new()
	many.mesh = BoxMesh.new()
	stage.add_child(many)
	var places: Array[Transform3D] = []
	for index: int in 6:
		places.append(Transform3D(Basis.IDENTITY, Vector3(2.0 * index - 6.0, 10, 0)))
	await physics_frame
	many.add_bodies(places)
	var between := 0
	var late := 0
	var heights: Array[float] = [10.0, 10.0]
	for tick: int in 20:
		await physics_frame
		heights.append(many.get_body_transform(5).origin.y)
		if tick == 10:
			many.set_transforms(PackedInt32Array([1]), [Transform3D(Basis.IDENTITY, Vector3(50, 10, 0))])
			many.add_bodies([Transform3D(Basis.IDENTITY, Vector3(70, 10, 0))])
		await RenderingServer.frame_post_draw
		var buffer := many.multimesh.buffer
		var height := buffer[5 * 12 + 7]
		late += int(height < heights[-1] - 1e-5 or height > heights[-4] + 1e-5 if tick > 3 else false)
		for known: float in heights:
			if absf(height - known) < 1e-5:
				between -= 1
				break
		between += 1
		if tick >= 11:
			var glides := absf(buffer[12 + 3] - 50.0) > 1e-3 or absf(buffer[6 * 12 + 3] - 70.0) > 1e-3
			late += 100 * int(glides)
	print("between ", between > 4, " ", late)
	var box: AABB = many.get_aabb()
	print("bounds ", box.has_point(Vector3(70, 9, 0)), " ", box.has_point(Vector3(-6, 9, 0)), " ", box.size.x < 80.0)
	many.free()
	stage.free()
	quit()
