extends "res://gd/physics_test.gd"
## Several spaces: SubViewports with their own world, and spaces made through the server.


func _own_world() -> SubViewport:
	var viewport := SubViewport.new()
	viewport.own_world_3d = true
	add_child(viewport)
	return viewport


func _put_into(viewport: SubViewport, body: CollisionObject3D, shape: Shape3D, at: Vector3) -> CollisionObject3D:
	body.add_child(collision_shape(shape))
	body.position = at
	viewport.add_child(body)
	return body


func test_worlds_do_not_touch_one_another() -> void:
	var other := _own_world()
	floor_body()
	var here := rigid(sphere(), Vector3(0, 1, 0))
	var there := _put_into(other, RigidBody3D.new(), sphere(), Vector3(0, 1, 0))
	await steps(90)
	check_near(here.position.y, 0.5, 0.025, "here is a floor")
	check(there.position.y < -5.0, "there is none")


func test_rays_stay_in_their_world() -> void:
	var other := _own_world()
	var there := _put_into(other, StaticBody3D.new(), box(), Vector3.ZERO)
	await steps(2)
	check(ray(Vector3(0, 5, 0), Vector3(0, -5, 0)).is_empty(), "nothing here")
	var query := PhysicsRayQueryParameters3D.create(Vector3(0, 5, 0), Vector3(0, -5, 0))
	check_equal(other.world_3d.direct_space_state.intersect_ray(query).get("collider") if other.world_3d != null
		else other.find_world_3d().direct_space_state.intersect_ray(query).get("collider"), there, "a body there")


func test_each_world_has_its_own_gravity() -> void:
	var other := _own_world()
	PhysicsServer3D.area_set_param(other.find_world_3d().space, PhysicsServer3D.AREA_PARAM_GRAVITY, 1.6)
	var here := rigid(sphere())
	var there := RigidBody3D.new()
	there.linear_damp_mode = RigidBody3D.DAMP_MODE_REPLACE
	_put_into(other, there, sphere(), Vector3.ZERO)
	await steps(60)
	check_near(here.linear_velocity.y, -GRAVITY, 2e-3, "velocity here")
	check_near(there.linear_velocity.y, -1.6, 2e-3, "velocity there")


func test_world_freed_with_its_bodies() -> void:
	var other := _own_world()
	for index: int in 20:
		_put_into(other, RigidBody3D.new(), box(), Vector3(index * 0.9, 0, 0))
	var here := rigid(sphere())
	await steps(5)
	other.free()
	await steps(25)
	check_near(here.linear_velocity.y, -GRAVITY * 0.5, 2e-3, "the world here goes on")


func test_body_moves_from_one_world_to_another() -> void:
	var other := _own_world()
	_put_into(other, StaticBody3D.new(), box(Vector3(20, 1, 20)), Vector3(0, -0.5, 0))
	var body := rigid(sphere(), Vector3(0, 3, 0))
	await steps(5)
	remove_child(body)
	other.add_child(body)
	await steps(120)
	check_near(body.position.y, 0.5, 0.025, "it lands on the other world's floor")


## ------------------------------------------------------------------ spaces of the server

func test_space_of_the_server_is_asleep_until_activated() -> void:
	var space := own(PhysicsServer3D.space_create())
	check(not PhysicsServer3D.space_is_active(space), "not active at first")
	var body := server_body(PhysicsServer3D.BODY_MODE_RIGID, server_sphere())
	PhysicsServer3D.body_set_space(body, space)
	await steps(10)
	check_near(origin_of(body).y, 0.0, 1e-6, "nothing moves")
	PhysicsServer3D.space_set_active(space, true)
	check(PhysicsServer3D.space_is_active(space), "active")
	await steps(60)
	check_near(state_of(body, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY).y, -GRAVITY, 0.05, "it falls by the default gravity")
	PhysicsServer3D.space_set_active(space, false)
	await steps(1)
	var height := origin_of(body).y
	await steps(10)
	check_near(origin_of(body).y, height, 1e-6, "it stands again")


func test_direct_state_of_an_inactive_space_answers() -> void:
	var space := own(PhysicsServer3D.space_create())
	var body := server_body(PhysicsServer3D.BODY_MODE_STATIC, server_box())
	PhysicsServer3D.body_set_space(body, space)
	var query := PhysicsRayQueryParameters3D.create(Vector3(0.1, 5, 0.2), Vector3(0.1, -5, 0.2))
	var hit := PhysicsServer3D.space_get_direct_state(space).intersect_ray(query)
	check_equal(hit.get("rid"), body, "a ray hits")


func test_space_is_its_own_default_area() -> void:
	var space := own(PhysicsServer3D.space_create())
	check_near(PhysicsServer3D.area_get_param(space, PhysicsServer3D.AREA_PARAM_GRAVITY_VECTOR), Vector3.DOWN, 1e-6, "direction")
	PhysicsServer3D.area_set_param(space, PhysicsServer3D.AREA_PARAM_GRAVITY, 3.0)
	check_near(PhysicsServer3D.area_get_param(space, PhysicsServer3D.AREA_PARAM_GRAVITY), 3.0, 1e-6, "strength")


func test_default_damp_of_a_space() -> void:
	var space := own(PhysicsServer3D.space_create())
	PhysicsServer3D.space_set_active(space, true)
	PhysicsServer3D.area_set_param(space, PhysicsServer3D.AREA_PARAM_GRAVITY, 0.0)
	PhysicsServer3D.area_set_param(space, PhysicsServer3D.AREA_PARAM_LINEAR_DAMP, 1.0)
	PhysicsServer3D.area_set_param(space, PhysicsServer3D.AREA_PARAM_ANGULAR_DAMP, 2.0)
	var body := server_body(PhysicsServer3D.BODY_MODE_RIGID, server_sphere())
	PhysicsServer3D.body_set_param(body, PhysicsServer3D.BODY_PARAM_LINEAR_DAMP_MODE, PhysicsServer3D.BODY_DAMP_MODE_COMBINE)
	PhysicsServer3D.body_set_param(body, PhysicsServer3D.BODY_PARAM_ANGULAR_DAMP_MODE, PhysicsServer3D.BODY_DAMP_MODE_COMBINE)
	PhysicsServer3D.body_set_space(body, space)
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY, Vector3(10, 0, 0))
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_ANGULAR_VELOCITY, Vector3(0, 5, 0))
	await steps(60)
	check_near(state_of(body, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY).x, 10.0 * exp(-1.0), 0.15, "linear")
	check_near(state_of(body, PhysicsServer3D.BODY_STATE_ANGULAR_VELOCITY).y, 5.0 * exp(-2.0), 0.15, "angular")


func test_ten_worlds_at_once() -> void:
	var bodies: Array[Node3D] = []
	for index: int in 10:
		var world := _own_world()
		_put_into(world, StaticBody3D.new(), box(Vector3(5, 1, 5)), Vector3(0, -0.5 - index, 0))
		bodies.append(_put_into(world, RigidBody3D.new(), sphere(), Vector3(0, 1, 0)))
	await steps(180)
	for index: int in 10:
		check_near(bodies[index].position.y, 0.5 - index, 0.03, "world %d" % index)
