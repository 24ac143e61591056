extends "res://gd/physics_test.gd"
## Bodies that are moved by tests: move_and_collide, test_move, move_and_slide; by the geometry of what is in their way.


class Walker extends CharacterBody3D:
	var wanted := Vector3.ZERO
	var gravity := 9.8
	var landed := false

	func _physics_process(delta: float) -> void:
		velocity.x = wanted.x
		velocity.z = wanted.z
		velocity.y -= gravity * delta
		move_and_slide()
		if is_on_floor():
			velocity.y = 0.0


func _walker(at: Vector3, wanted: Vector3 = Vector3.ZERO) -> Walker:
	var body := Walker.new()
	body.wanted = wanted
	put(body, capsule(0.5, 2.0), at)
	return body


func _character(shape: Shape3D, at: Vector3) -> CharacterBody3D:
	return put(CharacterBody3D.new(), shape, at) as CharacterBody3D


## A ball of 0.5 m goes 4 m of 6 to a wall 4.5 m away.
func test_move_and_collide_stops_at_a_wall() -> void:
	var wall := fixed(box(Vector3(1, 4, 4)), Vector3(5, 0, 0))
	var body := _character(sphere(), Vector3.ZERO)
	await steps()
	var hit := body.move_and_collide(Vector3(6, 0, 0))
	check(hit != null, "a collision")
	if hit == null:
		return
	check_near(hit.get_travel(), Vector3(4, 0, 0), 0.02, "travel")
	check_near(hit.get_remainder(), Vector3(2, 0, 0), 0.02, "remainder")
	check_near(hit.get_normal(), Vector3.LEFT, 1e-3, "normal")
	check_near(hit.get_position(), Vector3(4.5, 0, 0), 0.02, "position")
	check(hit.get_collider() == wall, "collider")
	check_equal(hit.get_collider_rid(), wall.get_rid(), "rid")
	check_near(body.position, Vector3(4, 0, 0), 0.02, "it moved")


func test_move_and_collide_goes_all_the_way_where_nothing_is() -> void:
	var body := _character(sphere(), Vector3.ZERO)
	await steps()
	check(body.move_and_collide(Vector3(6, 0, 0)) == null, "no collision")
	check_near(body.position, Vector3(6, 0, 0), 1e-4, "all the way")


func test_test_move_moves_nothing() -> void:
	fixed(box(Vector3(1, 4, 4)), Vector3(5, 0, 0))
	var body := _character(sphere(), Vector3.ZERO)
	await steps()
	check(body.test_move(body.transform, Vector3(6, 0, 0)), "the wall is in the way")
	check(not body.test_move(body.transform, Vector3(3, 0, 0)), "not so far")
	check_near(body.position, Vector3.ZERO, 1e-6, "where it was")


func test_motion_test_through_the_server() -> void:
	fixed(box(Vector3(1, 4, 4)), Vector3(5, 0, 0))
	var body := _character(sphere(), Vector3.ZERO)
	await steps()
	var motion := PhysicsTestMotionParameters3D.new()
	motion.from = body.transform
	motion.motion = Vector3(8, 0, 0)
	var result := PhysicsTestMotionResult3D.new()
	check(PhysicsServer3D.body_test_motion(body.get_rid(), motion, result), "a collision")
	check_near(result.get_collision_safe_fraction(), 0.5, 0.01, "half the way is free")
	check_near(result.get_collision_normal(), Vector3.LEFT, 1e-3, "normal")
	motion.exclude_bodies = [instance_at(Vector3(5, 0, 0))]
	check(not PhysicsServer3D.body_test_motion(body.get_rid(), motion, result), "the wall excluded")


func instance_at(at: Vector3) -> RID:
	var query := PhysicsPointQueryParameters3D.new()
	query.position = at
	return direct_space().intersect_point(query)[0]["rid"]


func test_a_walker_stands_and_walks_on_a_floor() -> void:
	floor_body()
	var body := _walker(Vector3(0, 1.5, 0))
	await steps(60)
	check(body.is_on_floor(), "on the floor")
	check_near(body.position, Vector3(0, 1, 0), 0.02, "standing")
	body.wanted = Vector3(2, 0, 0)
	await steps(60)
	check_near(body.position, Vector3(2, 1, 0), 0.06, "after a second at 2 m/s")
	check_near(body.get_floor_normal(), Vector3.UP, 1e-3, "normal of the floor")


func test_a_walker_slides_along_a_wall() -> void:
	floor_body()
	fixed(box(Vector3(1, 4, 40)), Vector3(2, 2, 0))
	var body := _walker(Vector3(0, 1, 0), Vector3(2, 0, 2))
	await steps(120)
	check_near(body.position.x, 1.0, 0.03, "at the wall")
	check_near(body.position.z, 4.0, 0.2, "and along it")
	check(body.is_on_wall(), "on a wall")


## 30 degrees are a floor, 60 are not.
func test_a_walker_climbs_what_is_not_too_steep() -> void:
	for degrees: float in [30.0, 60.0]:
		var ground := floor_body()
		var angle := deg_to_rad(degrees)
		var ramp := fixed(box(Vector3(20, 2, 10)), Transform3D(Basis(Vector3.BACK, angle),
			Vector3(3, 0, 0) + Vector3(cos(angle), sin(angle), 0) * 10 - Vector3(-sin(angle), cos(angle), 0)))
		var body := _walker(Vector3(0, 1, 0), Vector3(2, 0, 0))
		await steps(240)
		if degrees < 45.0:
			check(body.position.y > 2.5, "up the ramp: %s" % body.position)
			check(body.is_on_floor(), "on it")
		else:
			check(body.position.y < 2.0, "not up the steep one: %s" % body.position)
		for node: Node in [ground, ramp, body]:
			node.free()


func test_a_platform_carries_a_walker() -> void:
	var platform := kinematic(box(Vector3(6, 1, 6)), Vector3(0, -0.5, 0))
	platform.sync_to_physics = false
	var body := _walker(Vector3(0, 1.05, 0))
	await steps(30)
	for step: int in 60:
		platform.position.x += 1.0 / 60.0
		await steps()
	check_near(body.position.x, platform.position.x, 0.1, "carried along")
	check_near(body.get_platform_velocity(), Vector3(1, 0, 0), 0.05, "its velocity")


func test_a_ceiling_stops_a_jump() -> void:
	floor_body()
	fixed(box(Vector3(10, 1, 10)), Vector3(0, 3.5, 0))
	var body := _walker(Vector3(0, 1, 0))
	await steps(5)
	body.velocity.y = 20.0
	var highest := 0.0
	var was_on_ceiling := false
	for step: int in 60:
		await steps()
		highest = maxf(highest, body.position.y)
		was_on_ceiling = was_on_ceiling or body.is_on_ceiling()
	check_near(highest, 2.0, 0.02, "head at the ceiling")
	check(was_on_ceiling, "told so")


## Two walls overlap a ball to the same depth; the one with the higher priority pushes it further out.
func test_collision_priority_decides_who_pushes_further() -> void:
	var left := fixed(box(Vector3(2, 4, 4)), Vector3(-1.4, 0, 0), {"collision_priority": 10.0})
	fixed(box(Vector3(2, 4, 4)), Vector3(1.4, 0, 0))
	var body := _character(sphere(), Vector3.ZERO)
	await steps()
	body.move_and_collide(Vector3.ZERO)
	check(body.position.x > 0.02, "pushed from the one that counts more: %s" % body.position)
	left.collision_priority = 1.0


## ------------------------------------------------------------------ picking by mouse

func test_the_mouse_picks_what_is_pickable() -> void:
	var camera := Camera3D.new()
	camera.position = Vector3(0, 0, 10)
	add_child(camera)
	camera.current = true
	get_viewport().physics_object_picking = true
	var body := fixed(sphere(), Vector3.ZERO)
	var area := Area3D.new()
	put(area, sphere(), Vector3(2.5, 0, 0))
	var picked: Array[CollisionObject3D] = []
	for node: CollisionObject3D in [body, area]:
		node.input_event.connect(func(_camera: Node, _event: InputEvent, _at: Vector3, _normal: Vector3, _shape: int) -> void:
			if not picked.has(node):
				picked.append(node))
	for pickable: bool in [true, false, true]:
		for node: CollisionObject3D in [body, area]:
			node.input_ray_pickable = pickable
			picked.clear()
			var event := InputEventMouseButton.new()
			event.position = camera.unproject_position(node.position)
			event.global_position = event.position
			event.button_index = MOUSE_BUTTON_LEFT
			event.pressed = true
			get_viewport().push_input(event)
			await steps(3)
			check_equal(picked.has(node), pickable, "%s picked" % node.get_class())
	get_viewport().physics_object_picking = false
