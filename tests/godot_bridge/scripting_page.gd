extends "res://checks.gd"
## Runs the examples of docs/scripting.md, which are together in res://page.gd.


func _initialize() -> void:
	print("class ", PhysicsServer3D.get_class())
	var script: GDScript = load("res://page.gd")
	var page: Node3D = script.new()
	root.add_child(page)
	await process_frame
	var ground := StaticBody3D.new()
	_add_shape(ground, _box(Vector3(20, 2, 20)), Vector3(0, -1, 0))
	page.add_child(ground)
	var crate := RigidBody3D.new()
	_add_shape(crate, _box(Vector3.ONE))
	page.add_child(crate)
	crate.global_position = Vector3(2, 0.5, 0)
	await _frames(3)
	var has_scree: bool = page.call("has_scree")
	check("the singleton is there", has_scree)
	var heights: PackedFloat32Array = page.call("heights_below", PackedVector3Array([Vector3(0, 5, 0), Vector3(2, 5, 0), Vector3(50, 5, 0)]))
	check("heights below", absf(heights[0]) < 0.01 and absf(heights[1] - 1.0) < 0.01 and is_inf(heights[2]), heights)
	var count: int = page.call("count_on_ray", Vector3(2, 5, 0), Vector3(2, -5, 0))
	check("all on a ray", count == 2, count)
	var ways: PackedFloat32Array = page.call("free_ways", _box(Vector3.ONE), PackedVector3Array([Vector3(0, 5.5, 0), Vector3(2, 5.5, 0)]), Vector3(0, -10, 0))
	check("free ways", absf(ways[0] - 0.5) < 0.01 and absf(ways[1] - 0.4) < 0.01, ways)
	var hit: int = page.call("blast", Vector3(0, 0.5, 0), 2.0, 3.0)
	await _frames(1)
	check("a blast", hit == 2 and crate.linear_velocity.x > 1.0, [hit, crate.linear_velocity])
	var joint := await _joints(page)
	await _shapes(page)
	_spaces(page)
	joint.free()
	page.free()
	quit()


func _frames(count: int) -> void:
	for k: int in count:
		await physics_frame


func _box(size: Vector3) -> BoxShape3D:
	var box := BoxShape3D.new()
	box.size = size
	return box


func _add_shape(body: PhysicsBody3D, shape: Shape3D, at := Vector3.ZERO) -> void:
	var node := CollisionShape3D.new()
	node.shape = shape
	node.position = at
	body.add_child(node)


func _joints(page: Node3D) -> Joint3D:
	var bodies: Array[RigidBody3D] = []
	for k: int in 4:
		var body := RigidBody3D.new()
		_add_shape(body, _box(Vector3.ONE))
		body.position = Vector3(3.0 * k - 20.0, 30, 0)
		page.add_child(body)
		bodies.append(body)
	var pin := PinJoint3D.new()
	page.add_child(pin)
	pin.global_position = bodies[0].global_position + Vector3(0, 1, 0)
	pin.node_a = pin.get_path_to(bodies[0])
	page.call("make_breakable", pin, 5.0)
	var rope: RID = page.call("hang", bodies[1], 2.0)
	bodies[2].gravity_scale = 0.0
	bodies[3].gravity_scale = 0.0
	var gear: RID = page.call("tie", bodies[2], bodies[3], 2.0)
	bodies[2].angular_damp_mode = RigidBody3D.DAMP_MODE_REPLACE
	bodies[2].angular_velocity = Vector3(0, 0, 3)
	await _frames(30)
	check("a joint breaks", page.has_meta("broke"))
	check("a body hangs", absf(bodies[1].global_position.y - 30.0) < 0.01, bodies[1].global_position)
	var spins := [bodies[2].angular_velocity.z, bodies[3].angular_velocity.z]
	check("a gear", absf(bodies[2].angular_velocity.z + 2.0 * bodies[3].angular_velocity.z) < 0.05 and absf(bodies[3].angular_velocity.z) > 0.1, spins)
	Scree.free_joint(rope)
	Scree.free_joint(gear)
	return pin


func _shapes(page: Node3D) -> void:
	var map := HeightMapShape3D.new()
	map.map_width = 4
	map.map_depth = 4
	var body := StaticBody3D.new()
	_add_shape(body, map)
	page.add_child(body)
	body.global_position = Vector3(100, 0, 0)
	var club_body := RigidBody3D.new()
	page.add_child(club_body)
	club_body.freeze = true
	club_body.global_position = Vector3(110, 0, 0)
	var club: RID = page.call("add_club", club_body)
	await _frames(2)
	page.call("dig", map, 1, 1, 3.0)
	var heights: PackedFloat32Array = page.call("heights_below", PackedVector3Array([Vector3(100, 5, 0), Vector3(110, 5, 0)]))
	check("digging", absf(heights[0] + 3.0) < 0.01, heights)
	check("a club", absf(heights[1] - 0.8) < 0.01, heights)
	club_body.free()
	PhysicsServer3D.free_rid(club)


func _spaces(page: Node3D) -> void:
	var space := PhysicsServer3D.space_create()
	var body := PhysicsServer3D.body_create()
	PhysicsServer3D.body_set_space(body, space)
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY, Vector3(6, 0, 0))
	var ahead: Vector3 = page.call("look_ahead", space, body, 30)
	var now: Transform3D = PhysicsServer3D.body_get_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM)
	check("looking ahead", ahead.x > 2.5 and now.origin == Vector3.ZERO, [ahead, now])
	PhysicsServer3D.free_rid(body)
	PhysicsServer3D.free_rid(space)
