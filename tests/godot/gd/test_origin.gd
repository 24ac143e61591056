extends "res://gd/physics_test.gd"
## Godot's zero moves with the origin of a space: what Godot is told and what it says, all in one frame.

const BY := Vector3(51200, 128, -25600)


func _shift(by: Vector3, roots: Array) -> void:
	check_equal(PhysicsServer3D.call("space_shift_origin", get_world_3d().space, by), true, "the shift is done")
	for root: Node3D in roots:
		root.global_position -= by


func test_queries_speak_in_the_new_numbers() -> void:
	var ground := fixed(box(Vector3(20, 2, 20)), BY + Vector3(0, -1, 0))
	await steps(1)
	check_near(ray(BY + Vector3.UP * 5, BY + Vector3.DOWN * 5)["position"], BY, 0.01, "before")
	_shift(BY, [ground])
	var hit := ray(Vector3.UP * 5, Vector3.DOWN * 5)
	check(not hit.is_empty(), "a ray finds the ground at once")
	check_near(hit["position"], Vector3.ZERO, 1e-4, "where it is hit")
	check(ray(BY + Vector3.UP * 5, BY + Vector3.DOWN * 5).is_empty(), "nothing is at the old numbers")
	var shape := PhysicsShapeQueryParameters3D.new()
	shape.shape = sphere(1.0)
	shape.transform.origin = Vector3(0, 0.5, 0)
	check_near(direct_space().get_rest_info(shape)["point"], Vector3.ZERO, 1e-3, "the rest point")
	check_near(direct_space().collide_shape(shape)[1], Vector3.ZERO, 1e-3, "the point of contact")
	var point := PhysicsPointQueryParameters3D.new()
	point.position = Vector3(1, -0.5, 1)
	check_equal(direct_space().intersect_point(point).size(), 1, "bodies at a point")
	await steps(2)
	check_near(origin_of(ground.get_rid()), Vector3(0, -1, 0), 1e-4, "the body's own place")
	_shift(-BY, [])


func test_a_stack_sleeps_on_and_a_ball_rolls_on() -> void:
	var ground := fixed(box(Vector3(80, 2, 80)), Vector3(0, -1, 0))
	var nodes: Array = [ground]
	for height: int in 5:
		nodes.append(rigid(box(), Vector3(0, 0.5 + height, 0)))
	await steps_until(func() -> bool: return nodes[1].sleeping and nodes[5].sleeping, 600)
	check(nodes[1].sleeping and nodes[5].sleeping, "the stack sleeps")
	var ball := rigid(sphere(), Vector3(4, 0.5, 0), {"linear_velocity": Vector3(3, 0, 0), "can_sleep": false})
	await steps(60)
	var woken := [0]
	for node: Node3D in nodes.slice(1):
		node.sleeping_state_changed.connect(func() -> void: woken[0] += 1)
	await steps(2)
	var before := origin_of(ball.get_rid())
	var velocity := ball.linear_velocity
	_shift(BY, nodes + [ball])
	check_near(origin_of(ball.get_rid()), before - BY, 0.005, "the ball's place in the new numbers")
	await steps(60)
	check_equal(woken[0], 0, "bodies that woke")
	check(nodes[1].sleeping, "the stack sleeps on")
	check_near(ball.linear_velocity, velocity, 0.01, "the ball's velocity")
	# In numbers of 51,200 a single has steps of 4 mm, so the path is measured after the way back.
	_shift(-BY, nodes + [ball])
	await steps(1)
	check_near(ball.position.x, before.x + velocity.x * 61 * TICK, 0.005, "the ball's path")
	check_near(origin_of(nodes[5].get_rid()), Vector3(0, 4.5, 0), 0.02, "the top of the stack")
	check(nodes[5].sleeping, "it still sleeps")


func test_a_body_enters_and_leaves_where_it_is_said_to_be() -> void:
	_shift(BY, [])
	var body := fixed(box(), Vector3(3, 4, 5))
	check_near(origin_of(body.get_rid()), Vector3(3, 4, 5), 1e-4, "entered after the shift")
	check(not ray(Vector3(3, 9, 5), Vector3(3, 0, 5)).is_empty(), "a ray finds it")
	PhysicsServer3D.body_set_space(body.get_rid(), RID())
	check_near(origin_of(body.get_rid()), Vector3(3, 4, 5), 1e-4, "without a space")
	PhysicsServer3D.body_set_space(body.get_rid(), get_world_3d().space)
	check(not ray(Vector3(3, 9, 5), Vector3(3, 0, 5)).is_empty(), "a ray finds it again")
	_shift(-BY, [body])


func test_areas_characters_and_joints_are_in_the_same_frame() -> void:
	_shift(BY, [])
	var ground := fixed(box(Vector3(20, 2, 20)), Vector3(0, -1, 0))
	var area := put(Area3D.new(), box(Vector3.ONE * 2), Vector3(3, 1, 0)) as Area3D
	var body := floating(box(), Vector3(3, 1, 0))
	var character := put(CharacterBody3D.new(), capsule(0.5, 2.0), Vector3(-3, 1.001, 0)) as CharacterBody3D
	var joint := PinJoint3D.new()
	var held := rigid(sphere(0.2), Vector3(0, 5, 0), {"can_sleep": false})
	add_child(joint)
	joint.position = Vector3(0, 5, 0)
	joint.node_a = joint.get_path_to(held)
	await steps(30)
	check(area.get_overlapping_bodies().has(body), "the area sees the body")
	check_near(held.position, Vector3(0, 5, 0), 0.01, "the pin holds")
	character.velocity = Vector3(0, -1, 0)
	character.move_and_slide()
	check(character.is_on_floor(), "the character stands")
	check_near(character.position, Vector3(-3, 1, 0), 0.02, "where it stands")
	_shift(-BY, [ground, area, body, character, held])


func test_contacts_are_told_in_the_new_numbers() -> void:
	_shift(BY, [])
	var ground := floor_body()
	var body := rigid(box(), Vector3(0, 0.5, 0), {"contact_monitor": true, "max_contacts_reported": 4, "can_sleep": false})
	await steps(30)
	var state := direct_state(body)
	check(state.get_contact_count() > 0, "there are contacts")
	check_near(state.get_contact_local_position(0).y, 0.0, 0.03, "height of a contact")
	check_near(state.get_contact_collider_position(0).length(), 0.7, 0.1, "place of a contact")
	_shift(-BY, [ground, body])
