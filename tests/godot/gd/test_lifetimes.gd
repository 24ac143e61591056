extends "res://gd/physics_test.gd"
## Odd but legal lifetimes: nothing crashes, nothing is said, and the rest of the world goes on.


class FreesItself extends RigidBody3D:
	var after := 3

	func _integrate_forces(_state: PhysicsDirectBodyState3D) -> void:
		after -= 1
		if after == 0:
			queue_free()


class FreesItselfInProcess extends RigidBody3D:
	var ticks := 0

	func _physics_process(_delta: float) -> void:
		ticks += 1
		if ticks == 3:
			queue_free()


var _reference: RigidBody3D


func _start_reference() -> void:
	_reference = rigid(sphere(), Vector3(500, 100, 500))


## A body far off must have fallen for `count` steps as if nothing had been.
func _check_reference(count: int) -> void:
	check_near(_reference.linear_velocity.y, -GRAVITY * count * TICK, 2e-3, "a body far off fell on undisturbed")


## Bodies of the server, 3 m from one another along x.
func _balls_in_a_row(count: int) -> Array[RID]:
	var bodies: Array[RID] = []
	var shape := server_sphere()
	for index: int in count:
		var body := PhysicsServer3D.body_create()
		PhysicsServer3D.body_add_shape(body, shape)
		PhysicsServer3D.body_set_state(
				body, PhysicsServer3D.BODY_STATE_TRANSFORM, Transform3D(Basis.IDENTITY, Vector3(3 * index, 0, 0)))
		PhysicsServer3D.body_set_space(body, get_world_3d().space)
		bodies.append(body)
	return bodies


func test_body_freed_in_its_own_integrate_forces() -> void:
	_start_reference()
	for index: int in 5:
		put(FreesItself.new(), sphere(), Vector3(2 * index, 0, 0))
	await steps(20)
	check_equal(get_child_count(), 1, "only the reference is left")
	_check_reference(20)


func test_body_freed_in_its_physics_process() -> void:
	_start_reference()
	for index: int in 5:
		put(FreesItselfInProcess.new(), sphere(), Vector3(2 * index, 0, 0))
	await steps(20)
	check_equal(get_child_count(), 1, "only the reference is left")
	_check_reference(20)


func test_server_body_freed_in_its_own_callback() -> void:
	_start_reference()
	for body: RID in _balls_in_a_row(5):
		PhysicsServer3D.body_set_state_sync_callback(body, func(_state: PhysicsDirectBodyState3D) -> void:
			PhysicsServer3D.free_rid(body))
	await steps(5)
	for index: int in 5:
		check(ray(Vector3(3 * index, 5, 0), Vector3(3 * index, -5, 0)).is_empty(), "body %d is gone" % index)
	_check_reference(5)


func test_one_callback_frees_the_other_bodies() -> void:
	_start_reference()
	var bodies := _balls_in_a_row(6)
	var free_others := func(_state: PhysicsDirectBodyState3D) -> void:
		while bodies.size() > 1:
			PhysicsServer3D.free_rid(bodies.pop_back())
	for body: RID in bodies:
		PhysicsServer3D.body_set_state_sync_callback(body, free_others)
	await steps(5)
	check_equal(bodies.size(), 1, "one is left")
	check(origin_of(bodies[0]).y < 0.0, "which falls")
	PhysicsServer3D.free_rid(bodies[0])
	_check_reference(5)


func test_body_freed_in_body_entered() -> void:
	_start_reference()
	floor_body()
	var body := rigid(box(), Vector3(0, 0.6, 0), {"contact_monitor": true, "max_contacts_reported": 4})
	body.body_entered.connect(func(_other: Node) -> void: body.queue_free())
	await steps(60)
	check(not is_instance_valid(body), "it is gone")
	_check_reference(60)


func test_other_body_freed_in_body_entered() -> void:
	_start_reference()
	var target := rigid(box(), Vector3(0, 0, 0), {"gravity_scale": 0.0})
	var bullet := floating(sphere(), Vector3(-4, 0, 0), {"linear_velocity": Vector3(10, 0, 0), "contact_monitor": true,
		"max_contacts_reported": 4})
	bullet.body_entered.connect(func(other: Node) -> void: other.queue_free())
	await steps(60)
	check(not is_instance_valid(target), "the target is gone")
	check(is_instance_valid(bullet), "the bullet is not")
	_check_reference(60)


func test_bodies_added_in_body_entered() -> void:
	_start_reference()
	floor_body()
	var body := rigid(box(), Vector3(0, 0.6, 0), {"contact_monitor": true, "max_contacts_reported": 4})
	var added: Array[RigidBody3D] = []
	body.body_entered.connect(func(_other: Node) -> void:
		for index: int in 10:
			added.append(rigid(sphere(0.2), Vector3(index - 5, 3, 2))))
	await steps(120)
	check(added.size() >= 10, "they were added")
	for ball: RigidBody3D in added:
		check(ball.position.y < 2.0 and ball.position.y > 0.0, "they fell onto the floor")
	_check_reference(120)


func test_bodies_added_and_removed_in_callbacks_each_tick() -> void:
	_start_reference()
	var body := server_body(PhysicsServer3D.BODY_MODE_RIGID, server_sphere())
	var shape := server_box()
	var living: Array[RID] = []
	PhysicsServer3D.body_set_state_sync_callback(body, func(_state: PhysicsDirectBodyState3D) -> void:
		while living.size() > 20:
			PhysicsServer3D.free_rid(living.pop_front())
		for index: int in 5:
			var other := PhysicsServer3D.body_create()
			PhysicsServer3D.body_add_shape(other, shape)
			PhysicsServer3D.body_set_state(other, PhysicsServer3D.BODY_STATE_TRANSFORM,
				Transform3D(Basis.IDENTITY, Vector3(2 * living.size(), 0, 10)))
			PhysicsServer3D.body_set_space(other, get_world_3d().space)
			living.append(other))
	await steps(60)
	check(living.size() >= 20, "they live")
	_check_reference(60)
	PhysicsServer3D.body_set_state_sync_callback(body, Callable())
	for other: RID in living:
		PhysicsServer3D.free_rid(other)


func test_space_freed_before_its_bodies() -> void:
	_start_reference()
	var space := PhysicsServer3D.space_create()
	PhysicsServer3D.space_set_active(space, true)
	var body := server_body(PhysicsServer3D.BODY_MODE_RIGID, server_sphere())
	PhysicsServer3D.body_set_space(body, space)
	await steps(5)
	PhysicsServer3D.free_rid(space)
	check(not PhysicsServer3D.body_get_space(body).is_valid(), "the body has no space any more")
	await steps(5)
	PhysicsServer3D.body_set_space(body, get_world_3d().space)
	var height := origin_of(body).y
	await steps(10)
	check(origin_of(body).y < height, "it falls in another")
	_check_reference(20)


func test_everything_freed_in_every_order() -> void:
	_start_reference()
	for order: Array in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]:
		var space := PhysicsServer3D.space_create()
		PhysicsServer3D.space_set_active(space, true)
		var shape := PhysicsServer3D.box_shape_create()
		PhysicsServer3D.shape_set_data(shape, Vector3.ONE)
		var body := PhysicsServer3D.body_create()
		PhysicsServer3D.body_add_shape(body, shape)
		PhysicsServer3D.body_set_space(body, space)
		await steps(2)
		for index: int in order:
			PhysicsServer3D.free_rid([space, shape, body][index])
			await steps(1)
	_check_reference(30)


func test_body_freed_while_in_touch_wakes_nothing_wrong() -> void:
	_start_reference()
	floor_body()
	var bodies: Array[RigidBody3D] = []
	for level: int in 6:
		bodies.append(rigid(box(), Vector3(0, 0.5 + level, 0), {"can_sleep": false}))
	await steps(30)
	bodies[2].free()
	await steps(90)
	check_near(bodies[5].position.y, 4.5, 0.1, "the top came down by one")
	_check_reference(120)


func test_many_nodes_come_and_go() -> void:
	_start_reference()
	floor_body()
	var living: Array[RigidBody3D] = []
	for tick: int in 60:
		for index: int in 10:
			living.append(rigid(sphere(0.3) if index % 2 else box(Vector3.ONE * 0.5), Vector3(index, 1 + tick % 3, tick % 7)))
		while living.size() > 60:
			(living.pop_front() as RigidBody3D).free()
		await steps()
	for body: RigidBody3D in living:
		check(body.position.is_finite() and body.position.y > -0.5, "place %s" % body.position)
	_check_reference(60)


func test_reparented_body_keeps_its_place_and_moves_on() -> void:
	var holder := Node3D.new()
	holder.position = Vector3(5, 0, 0)
	add_child(holder)
	var body := floating(sphere(), Vector3(1, 2, 3), {"linear_velocity": Vector3(0, 0, 1)})
	await steps(5)
	body.reparent(holder)
	var start := body.global_position
	await steps(30)
	check_near(body.global_position - start, Vector3(0, 0, 0.5), 0.05, "way in half a second")


func test_freed_body_does_not_push_what_comes_in_its_place() -> void:
	for round: int in 10:
		var body := fixed(box())
		body.free()
	var ball := floating(sphere(), Vector3(-3, 0, 0), {"linear_velocity": Vector3(6, 0, 0)})
	await steps(60)
	check_near(ball.position.x, 3.0, 0.01, "it passes the place")


func test_exception_with_a_freed_body_is_harmless() -> void:
	_start_reference()
	var body := rigid(sphere())
	var other := fixed(box(), Vector3(9, 0, 0))
	PhysicsServer3D.body_add_collision_exception(body.get_rid(), other.get_rid())
	other.free()
	await steps(5)
	check_near(body.linear_velocity.y, -GRAVITY * 5 * TICK, 2e-3, "it falls")
	_check_reference(5)


func test_thousand_bodies_are_freed_at_once() -> void:
	_start_reference()
	var holder := Node3D.new()
	add_child(holder)
	for index: int in 1000:
		var body := RigidBody3D.new()
		body.add_child(collision_shape(box(Vector3.ONE * 0.5)))
		body.position = Vector3(index % 10, index / 100, (index / 10) % 10) * 0.6
		holder.add_child(body)
	await steps(10)
	holder.free()
	await steps(10)
	check_equal(get_child_count(), 1, "only the reference is left")
	check_equal(direct_space().intersect_shape(_big_box(), 64).size(), 0, "nothing is left in the space")
	_check_reference(20)


func _big_box() -> PhysicsShapeQueryParameters3D:
	var query := PhysicsShapeQueryParameters3D.new()
	query.shape = box(Vector3.ONE * 100)
	return query
