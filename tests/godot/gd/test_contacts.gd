extends "res://gd/physics_test.gd"
## Contact reports: the contact monitor of RigidBody3D and the contacts of the direct body state.


func _monitored(shape: Shape3D, at: Variant, most: int = 8) -> RigidBody3D:
	return rigid(shape, at, {"contact_monitor": true, "max_contacts_reported": most, "can_sleep": false})


func test_body_entered_comes_once_for_a_landing() -> void:
	var ground := floor_body()
	var body := _monitored(box(), Vector3(0, 1, 0))
	var entered: Array[Node] = []
	var exited: Array[Node] = []
	body.body_entered.connect(func(other: Node) -> void: entered.append(other))
	body.body_exited.connect(func(other: Node) -> void: exited.append(other))
	await steps(180)
	check_equal(entered, [ground] as Array[Node], "entered")
	check_equal(exited, [] as Array[Node], "exited")
	check_equal(body.get_colliding_bodies(), [ground] as Array[Node3D], "colliding bodies")


func test_body_exited_comes_when_it_lifts() -> void:
	floor_body()
	var body := _monitored(box(), Vector3(0, 0.5, 0))
	var exited := [0]
	body.body_exited.connect(func(_other: Node) -> void: exited[0] += 1)
	await steps(60)
	check_equal(exited[0], 0, "while it lies")
	body.linear_velocity = Vector3(0, 6, 0)
	await steps(20)
	check_equal(exited[0], 1, "after it jumped")
	check(body.get_colliding_bodies().is_empty(), "no colliding bodies in the air")


func test_shape_signals_tell_both_shapes() -> void:
	var ground := floor_body()
	ground.add_child(collision_shape(box(), Transform3D(Basis.IDENTITY, Vector3(50, 0, 0))))
	var body := RigidBody3D.new()
	body.contact_monitor = true
	body.max_contacts_reported = 8
	body.add_child(collision_shape(box(), Transform3D(Basis.IDENTITY, Vector3(0, 5, 0))))
	body.add_child(collision_shape(box()))
	body.position = Vector3(0, 0.55, 0)
	body.lock_rotation = true
	var seen: Array[Vector2i] = []
	body.body_shape_entered.connect(func(_rid: RID, _other: Node, other_shape: int, own_shape: int) -> void:
		seen.append(Vector2i(other_shape, own_shape)))
	add_child(body)
	await steps(60)
	# Godot's node signals once a contact point where several begin in the same tick.
	check(not seen.is_empty() and seen.count(Vector2i(0, 1)) == seen.size(), "(other shape, own shape): got %s" % [seen])


func test_nothing_is_reported_without_a_limit() -> void:
	floor_body()
	var body := rigid(box(), Vector3(0, 0.5, 0), {"can_sleep": false})
	await steps(30)
	check_equal(direct_state(body).get_contact_count(), 0, "contacts")
	check_equal(body.get_contact_count(), 0, "contacts of the node")


func test_no_more_contacts_than_asked_for() -> void:
	floor_body()
	for most: int in [1, 2, 3]:
		var body := _monitored(box(), Vector3(3.0 * most, 0.5, 0), most)
		await steps(30)
		check_between(body.get_contact_count(), 1, most, "contacts with max_contacts_reported = %d" % most)


func test_resting_box_reports_its_contacts() -> void:
	var ground := floor_body()
	var body := _monitored(box(), Vector3(0, 0.5, 0))
	await steps(60)
	var state := direct_state(body)
	check_between(state.get_contact_count(), 3, 8, "contacts that hold a box")
	for index: int in state.get_contact_count():
		check_near(state.get_contact_local_normal(index), Vector3.UP, 0.01, "normal, from the floor to the box")
		check_near(state.get_contact_collider_position(index).y, 0.0, 0.02, "height of the point on the floor")
		check_near(state.get_contact_local_position(index).y, 0.0, 0.03, "height of the point on the box")
		check_between(absf(state.get_contact_local_position(index).x), 0.3, 0.55, "the points are at the corners")
		check_equal(state.get_contact_collider_object(index), ground, "collider")
		check_equal(state.get_contact_collider_id(index), ground.get_instance_id(), "collider's id")
		check_equal(state.get_contact_collider(index), ground.get_rid(), "collider's RID")
		check_equal(state.get_contact_collider_shape(index), 0, "collider's shape")
		check_equal(state.get_contact_local_shape(index), 0, "own shape")


## Contacts that hold a body up add m g dt of impulse a tick.
func test_impulses_of_a_resting_box_carry_its_weight() -> void:
	floor_body()
	var body := _monitored(box(), Vector3(0, 0.5, 0))
	body.mass = 3.0
	await steps(120)
	var state := direct_state(body)
	var sum := Vector3.ZERO
	for index: int in state.get_contact_count():
		check(state.get_contact_impulse(index).y >= 0.0, "no contact pulls")
		sum += state.get_contact_impulse(index)
	check_near(sum.y, 3.0 * GRAVITY * TICK, 0.05 * 3.0 * GRAVITY * TICK, "sum of the impulses: m g dt")


## The impulse of an impact is the change of momentum, and the weight's.
func test_impulse_of_an_impact_is_the_change_of_momentum() -> void:
	floor_body()
	var body := _monitored(sphere(), Vector3(0, 2.0, 0))
	body.mass = 2.0
	var most := [0.0]
	for step: int in 60:
		await steps()
		var state := direct_state(body)
		var sum := Vector3.ZERO
		for index: int in state.get_contact_count():
			sum += state.get_contact_impulse(index)
		most[0] = maxf(most[0], sum.y)
	var momentum := 2.0 * sqrt(2.0 * GRAVITY * 1.5)
	check_near(most[0], momentum, 0.15 * momentum, "largest sum of impulses in a tick")


func test_contact_tells_the_velocities_of_both() -> void:
	floor_body({"constant_linear_velocity": Vector3(1, 0, 0), "physics_material_override": surface(0.0)})
	var body := _monitored(box(), Vector3(0, 0.5, 0))
	body.physics_material_override = surface(0.0)
	body.linear_velocity = Vector3(0, 0, 2)
	await steps(20)
	var state := direct_state(body)
	check(state.get_contact_count() > 0, "in touch")
	if state.get_contact_count() > 0:
		check_near(state.get_contact_local_velocity_at_position(0).z, 2.0, 0.2, "own velocity at the contact")
		check_near(state.get_contact_collider_velocity_at_position(0), Vector3(1, 0, 0), 0.05, "the floor's surface velocity")


func test_both_bodies_of_a_pair_report() -> void:
	var left := floating(box(), Vector3(-2, 0, 0), {"linear_velocity": Vector3(4, 0, 0), "contact_monitor": true,
		"max_contacts_reported": 4})
	var right := floating(box(), Vector3(0, 0, 0), {"contact_monitor": true, "max_contacts_reported": 4})
	var pairs: Array[Array] = []
	left.body_entered.connect(func(other: Node) -> void: pairs.append([left, other]))
	right.body_entered.connect(func(other: Node) -> void: pairs.append([right, other]))
	await steps(40)
	check([left, right] in pairs and [right, left] in pairs, "both were told: %d signals" % pairs.size())


func test_contact_normals_point_from_the_other_body() -> void:
	var left := floating(sphere(), Vector3(-3, 0, 0), {"linear_velocity": Vector3(5, 0, 0), "contact_monitor": true,
		"max_contacts_reported": 4})
	fixed(sphere())
	var normals: Array[Vector3] = []
	for step: int in 60:
		await steps()
		if direct_state(left).get_contact_count() > 0:
			normals.append(direct_state(left).get_contact_local_normal(0))
	check(not normals.is_empty(), "there was a contact")
	if not normals.is_empty():
		check_near(normals[0], Vector3.LEFT, 0.02, "from the standing sphere to the one that came")


func test_max_contacts_can_be_changed_while_it_rests() -> void:
	floor_body()
	var body := _monitored(box(), Vector3(0, 0.5, 0), 0)
	await steps(10)
	check_equal(body.get_contact_count(), 0, "none asked for")
	body.max_contacts_reported = 4
	await steps(5)
	check_between(body.get_contact_count(), 1, 4, "four asked for")


func test_contacts_end_when_the_other_body_is_freed() -> void:
	var ground := floor_body()
	var body := _monitored(box(), Vector3(0, 0.5, 0))
	var exited := [0]
	body.body_exited.connect(func(_other: Node) -> void: exited[0] += 1)
	await steps(30)
	check_between(body.get_contact_count(), 1, 8, "contacts before")
	ground.free()
	await steps(10)
	check_equal(body.get_contact_count(), 0, "contacts after")
	check(body.get_colliding_bodies().is_empty(), "colliding bodies after")
	check(body.position.y < 0.5, "it falls")


func test_sleeping_body_keeps_its_colliding_bodies() -> void:
	var ground := floor_body()
	var body := rigid(box(), Vector3(0, 0.5, 0), {"contact_monitor": true, "max_contacts_reported": 4})
	await steps_until(func() -> bool: return body.sleeping, 300)
	await steps(10)
	check_equal(body.get_colliding_bodies(), [ground] as Array[Node3D], "asleep on the floor")


func test_contacts_with_a_mesh_are_reported() -> void:
	var ground := fixed(mesh_floor())
	var body := _monitored(sphere(), Vector3(0.3, 0.5, 0.4))
	await steps(30)
	var state := direct_state(body)
	check(state.get_contact_count() > 0, "in touch")
	for index: int in state.get_contact_count():
		check_near(state.get_contact_local_normal(index), Vector3.UP, 0.02, "normal")
		check_equal(state.get_contact_collider_object(index), ground, "collider")


func _upright_cylinder() -> CylinderShape3D:
	var shape := CylinderShape3D.new()
	shape.radius = 0.5
	shape.height = 1.0
	return shape


## Shapes whose lowest point is 0.5 m below their middle.
func _half_metre_shapes() -> Dictionary:
	return {"box": box(), "ball": sphere(), "capsule": capsule(0.25, 1.0), "cylinder": _upright_cylinder(), "hull": box_hull()}


## Sounds and damage need the speed before an impact, not the one after it.
func test_an_impact_tells_the_velocity_before_it() -> void:
	var shapes := _half_metre_shapes()
	for speed: float in [1.0, 10.0]:
		for ground: CollisionObject3D in [floor_body(), fixed(mesh_floor())]:
			for kind: String in shapes:
				var body := floating(shapes[kind], Vector3(0, 0.7, 0), {"linear_velocity": Vector3(0, -speed, 0),
					"contact_monitor": true, "max_contacts_reported": 8, "can_sleep": false})
				var fastest := Vector3.ZERO
				for step: int in 24:
					await steps()
					var state := direct_state(body)
					for index: int in state.get_contact_count():
						check_equal(state.get_contact_collider_velocity_at_position(index), Vector3.ZERO, "the floor stands")
						if state.get_contact_local_velocity_at_position(index).y < fastest.y:
							fastest = state.get_contact_local_velocity_at_position(index)
				check_near(fastest, Vector3(0, -speed, 0), 0.02 * speed, "%s at %s m/s" % [kind, speed])
				body.free()
			ground.free()


## A lift, moved by its transform, meets a ball that hangs in the air.
func test_an_impact_tells_the_velocity_of_a_kinematic_body() -> void:
	var lift := kinematic(box(), Vector3(0, -1, 0))
	var ball := floating(sphere(), Vector3(0, 0.3, 0), {"contact_monitor": true, "max_contacts_reported": 4})
	for step: int in 30:
		lift.position.y += 3.0 * TICK
		await steps()
		if direct_state(ball).get_contact_count() > 0:
			break
	check_equal(direct_state(ball).get_contact_count(), 1, "contacts")
	check_near(direct_state(ball).get_contact_collider_velocity_at_position(0), Vector3(0, 3, 0), 0.01, "of the lift")
	check_near(direct_state(ball).get_contact_local_velocity_at_position(0), Vector3.ZERO, 0.01, "of the ball, before it was hit")


## Where bodies are when a script reads them: in the tick of an impact, and at rest.
func test_contact_points_lie_on_both_surfaces() -> void:
	floor_body()
	var shapes := _half_metre_shapes()
	for kind: String in shapes:
		var body := rigid(shapes[kind], Vector3(0, 0.8, 0), {"linear_velocity": Vector3(0, -10, 0), "contact_monitor": true,
			"max_contacts_reported": 8, "can_sleep": false})
		for step: int in 60:
			await steps()
			var state := direct_state(body)
			for index: int in state.get_contact_count():
				var own_place := body.to_local(state.get_contact_local_position(index))
				check_near(own_place.y, -0.5, 1e-3, "%s, step %d: on its own lower side" % [kind, step])
				check_near(state.get_contact_collider_position(index).y, 0.0, 1e-3, "%s, step %d: on the floor" % [kind, step])
		check(direct_state(body).get_contact_count() > 0, "%s lies" % kind)
		body.free()
