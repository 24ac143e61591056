extends "res://gd/physics_test.gd"
## Static, kinematic, rigid and rigid-linear bodies; freezing; teleports; leaving and entering spaces.


func test_static_bodies_do_not_move() -> void:
	var body := server_body(PhysicsServer3D.BODY_MODE_STATIC, server_box(), Vector3(0, 3, 0))
	await steps(60)
	check_near(origin_of(body), Vector3(0, 3, 0), 1e-6, "place after 1 s")


func test_a_body_made_through_the_server_falls() -> void:
	var body := server_body(PhysicsServer3D.BODY_MODE_RIGID, server_box())
	await steps(60)
	check_near(state_of(body, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY), Vector3(0, -GRAVITY, 0), 2e-3, "velocity after 1 s")


func test_defaults_of_a_new_body() -> void:
	var body := own(PhysicsServer3D.body_create())
	check_equal(PhysicsServer3D.body_get_mode(body), PhysicsServer3D.BODY_MODE_RIGID, "mode")
	check_equal(PhysicsServer3D.body_get_collision_layer(body), 1, "layer")
	check_equal(PhysicsServer3D.body_get_collision_mask(body), 1, "mask")
	check_near(PhysicsServer3D.body_get_collision_priority(body), 1.0, 1e-6, "priority")
	check_near(PhysicsServer3D.body_get_param(body, PhysicsServer3D.BODY_PARAM_MASS), 1.0, 1e-6, "mass")
	check_near(PhysicsServer3D.body_get_param(body, PhysicsServer3D.BODY_PARAM_FRICTION), 1.0, 1e-6, "friction")
	check_near(PhysicsServer3D.body_get_param(body, PhysicsServer3D.BODY_PARAM_BOUNCE), 0.0, 1e-6, "bounce")
	check_near(PhysicsServer3D.body_get_param(body, PhysicsServer3D.BODY_PARAM_GRAVITY_SCALE), 1.0, 1e-6, "gravity scale")
	check_equal(PhysicsServer3D.body_get_max_contacts_reported(body), 0, "contacts reported")
	check_equal(PhysicsServer3D.body_get_shape_count(body), 0, "shapes")
	check(not PhysicsServer3D.body_get_space(body).is_valid(), "no space")
	check_equal(PhysicsServer3D.body_get_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM), Transform3D.IDENTITY, "transform")


func test_params_are_kept_without_a_space() -> void:
	var body := own(PhysicsServer3D.body_create())
	var values := {
		PhysicsServer3D.BODY_PARAM_BOUNCE: 0.25, PhysicsServer3D.BODY_PARAM_FRICTION: 0.75,
		PhysicsServer3D.BODY_PARAM_MASS: 3.0, PhysicsServer3D.BODY_PARAM_GRAVITY_SCALE: 0.5,
		PhysicsServer3D.BODY_PARAM_LINEAR_DAMP: 0.125, PhysicsServer3D.BODY_PARAM_ANGULAR_DAMP: 0.375,
	}
	for param: PhysicsServer3D.BodyParameter in values:
		PhysicsServer3D.body_set_param(body, param, values[param])
	for param: PhysicsServer3D.BodyParameter in values:
		check_near(PhysicsServer3D.body_get_param(body, param), values[param], 1e-6, "parameter %d" % param)


func test_states_are_kept_without_a_space() -> void:
	var body := own(PhysicsServer3D.body_create())
	var transform := Transform3D(Basis(Vector3.UP, 0.5), Vector3(1, 2, 3))
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM, transform)
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY, Vector3(4, 5, 6))
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_ANGULAR_VELOCITY, Vector3(7, 8, 9))
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_CAN_SLEEP, false)
	var got: Transform3D = state_of(body, PhysicsServer3D.BODY_STATE_TRANSFORM)
	check(got.is_equal_approx(transform), "transform: got %s" % got)
	check_near(state_of(body, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY), Vector3(4, 5, 6), 1e-5, "linear velocity")
	check_near(state_of(body, PhysicsServer3D.BODY_STATE_ANGULAR_VELOCITY), Vector3(7, 8, 9), 1e-5, "angular velocity")
	check_equal(state_of(body, PhysicsServer3D.BODY_STATE_CAN_SLEEP), false, "can sleep")


func test_rigid_linear_bodies_do_not_turn() -> void:
	floor_body()
	var body := server_body(PhysicsServer3D.BODY_MODE_RIGID_LINEAR, server_box(), Vector3(0, 2, 0))
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM,
		Transform3D(Basis(Vector3.BACK, 0.6), Vector3(0, 2, 0)))
	PhysicsServer3D.body_apply_impulse(body, Vector3(1, 0, 0), Vector3(0, 0.5, 0))
	await steps(120)
	var transform: Transform3D = state_of(body, PhysicsServer3D.BODY_STATE_TRANSFORM)
	check(transform.basis.is_equal_approx(Basis(Vector3.BACK, 0.6)), "it lands on its edge and stays: %s" % transform.basis)
	check_near(transform.origin.y, 0.5 * (cos(0.6) + sin(0.6)), 0.03, "height of a box turned by 0.6")


func test_frozen_static_body_stands_and_falls_when_released() -> void:
	var body := rigid(box(), Vector3(0, 5, 0), {"freeze": true, "freeze_mode": RigidBody3D.FREEZE_MODE_STATIC})
	await steps(30)
	check_near(body.position.y, 5.0, 1e-5, "frozen")
	body.freeze = false
	await steps(30)
	check(body.position.y < 4.5, "released")
	body.freeze = true
	await steps(2)
	var height := body.position.y
	await steps(20)
	check_near(body.position.y, height, 1e-5, "frozen again")


func test_frozen_kinematic_body_pushes() -> void:
	var body := rigid(box(), Vector3.ZERO, {"freeze": true, "freeze_mode": RigidBody3D.FREEZE_MODE_KINEMATIC})
	var pushed := floating(box(), Vector3(1.5, 0, 0))
	for step: int in 60:
		body.position.x += 2.0 * TICK
		await steps()
	check_near(body.position.x, 2.0, 0.05, "it goes where it is put")
	check(pushed.position.x > 2.8, "and pushes what is in its way: %s" % pushed.position)


func test_kinematic_body_pushes_a_rigid_one_at_its_speed() -> void:
	floor_body()
	var pusher := kinematic(box(), Vector3(-2, 0.55, 0))
	var pushed := rigid(box(), Vector3(0, 0.5, 0))
	for step: int in 90:
		pusher.position.x += 2.0 * TICK
		await steps()
	check_near(pushed.linear_velocity.x, 2.0, 0.3, "velocity of the pushed box")
	check(pushed.position.x - pusher.position.x > 0.95, "the boxes do not overlap")
	check_near(pusher.position.y, 0.55, 1e-5, "gravity does not move the kinematic body")


## A platform that moves takes along what lies on it.
func test_kinematic_platform_carries_a_box() -> void:
	var platform := kinematic(box(Vector3(4, 1, 4)), Vector3(0, -0.5, 0))
	var rider := rigid(box(), Vector3(0, 0.5, 0))
	await steps(30)
	for step: int in 120:
		platform.position.x += 1.0 * TICK
		await steps()
	check_near(rider.position.x, platform.position.x, 0.2, "the rider's place")


func test_kinematic_lift_raises_a_box() -> void:
	var platform := kinematic(box(Vector3(4, 1, 4)), Vector3(0, -0.5, 0))
	var rider := rigid(box(), Vector3(0, 0.5, 0))
	for step: int in 120:
		platform.position.y += 1.0 * TICK
		await steps()
	check_near(rider.position.y, platform.position.y + 1.0, 0.05, "the rider's height")
	check_near(rider.linear_velocity.y, 1.0, 0.1, "the rider's velocity")


## Its velocity is the way of the last step over the time.
func test_kinematic_body_has_the_velocity_of_its_motion() -> void:
	var body := kinematic(box())
	await steps(2)
	for step: int in 5:
		body.position.x += 3.0 * TICK
		await steps()
	check_near(state_of(body.get_rid(), PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY), Vector3(3, 0, 0), 0.01, "velocity")


func test_animatable_body_with_sync_follows_its_node() -> void:
	var body := AnimatableBody3D.new()
	put(body, box())
	for step: int in 30:
		body.position = Vector3(step * 0.05, 0, 0)
		await steps()
	await steps(2)
	check_near(body.position.x, 29 * 0.05, 1e-3, "place")
	check_equal(ray(Vector3(1.45, 5, 0), Vector3(1.45, -5, 0)).get("collider"), body, "the ray's collider there")


## ------------------------------------------------------------------ teleports

func test_teleport_of_a_rigid_body_is_seen_at_once() -> void:
	var body := floating(box())
	await steps(2)
	body.global_position = Vector3(7, 0, 0)
	body.force_update_transform()
	check_equal(ray(Vector3(7, 5, 0), Vector3(7, -5, 0)).get("collider"), body, "at the new place")
	check(ray(Vector3(0, 5, 0), Vector3(0, -5, 0)).is_empty(), "not at the old one")
	check_near(origin_of(body.get_rid()), Vector3(7, 0, 0), 1e-5, "the server's transform")
	await steps()
	check_near(body.position, Vector3(7, 0, 0), 1e-4, "still there after a step")


func test_teleport_of_a_static_body_is_seen_at_once() -> void:
	var body := fixed(box())
	await steps(2)
	body.global_position = Vector3(0, 0, 9)
	body.force_update_transform()
	check_equal(ray(Vector3(0, 5, 9), Vector3(0, -5, 9)).get("collider"), body, "at the new place")
	check(ray(Vector3(0, 5, 0), Vector3(0, -5, 0)).is_empty(), "not at the old one")


func test_teleport_keeps_the_velocity() -> void:
	var body := floating(sphere(), Vector3.ZERO, {"linear_velocity": Vector3(1, 2, 3)})
	await steps()
	body.global_position = Vector3(50, 0, 0)
	await steps()
	check_near(body.linear_velocity, Vector3(1, 2, 3), 1e-4, "velocity")


func test_moved_static_ground_is_where_it_was_put() -> void:
	var ground := floor_body()
	var body := rigid(box(), Vector3(0, 0.5, 0), {"can_sleep": false})
	await steps(30)
	ground.position.y = -3.0
	await steps(120)
	check_near(body.position.y, -1.5, 0.03, "height on the lowered floor")


## ------------------------------------------------------------------ modes and spaces

func test_set_mode_static_stops_and_rigid_goes_on() -> void:
	var body := server_body(PhysicsServer3D.BODY_MODE_RIGID, server_sphere())
	await steps(30)
	PhysicsServer3D.body_set_mode(body, PhysicsServer3D.BODY_MODE_STATIC)
	await steps()
	var height := origin_of(body).y
	await steps(30)
	check_near(origin_of(body).y, height, 1e-5, "static, it stands")
	PhysicsServer3D.body_set_mode(body, PhysicsServer3D.BODY_MODE_RIGID)
	await steps(30)
	check_near(state_of(body, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY).y, -GRAVITY * 0.5, 0.01, "rigid, it falls from rest")


func test_body_out_of_its_space_rests_and_returns() -> void:
	var body := server_body(PhysicsServer3D.BODY_MODE_RIGID, server_sphere())
	await steps(10)
	PhysicsServer3D.body_set_space(body, RID())
	var height := origin_of(body).y
	check(ray(Vector3(0, 5, 0), Vector3(0, -5, 0)).is_empty(), "no ray finds it")
	await steps(20)
	check_near(origin_of(body).y, height, 1e-5, "height without a space")
	PhysicsServer3D.body_set_space(body, get_world_3d().space)
	check(not ray(Vector3(0, 5, 0), Vector3(0, -5, 0)).is_empty(), "a ray finds it again")
	await steps(30)
	check(origin_of(body).y < height - 0.5, "it falls again")
	check_equal(PhysicsServer3D.body_get_space(body), get_world_3d().space, "its space")


func test_node_out_of_the_tree_and_back() -> void:
	var body := rigid(sphere(), Vector3(0, 10, 0))
	await steps(5)
	remove_child(body)
	await steps(10)
	body.position = Vector3(0, 20, 0)
	add_child(body)
	await steps(30)
	check_between(body.position.y, 17.5, 19.5, "it falls from where it was put back")


func test_disabled_process_mode_removes_the_body() -> void:
	var body := rigid(sphere(), Vector3(0, 10, 0), {"disable_mode": CollisionObject3D.DISABLE_MODE_REMOVE})
	await steps(5)
	body.process_mode = Node.PROCESS_MODE_DISABLED
	await steps(2)
	var height := body.position.y
	check(ray(Vector3(0, 20, 0), Vector3(0, -20, 0)).is_empty(), "no ray finds it")
	await steps(20)
	check_near(body.position.y, height, 1e-5, "height while disabled")
	body.process_mode = Node.PROCESS_MODE_ALWAYS
	await steps(20)
	check(body.position.y < height - 0.2, "enabled, it falls")


func test_disable_mode_make_static_holds_the_body_in_place() -> void:
	var body := rigid(box(), Vector3(0, 10, 0), {"disable_mode": CollisionObject3D.DISABLE_MODE_MAKE_STATIC})
	await steps(2)
	body.process_mode = Node.PROCESS_MODE_DISABLED
	await steps(2)
	var height := body.position.y
	await steps(20)
	check_near(body.position.y, height, 1e-5, "height")
	check(not ray(Vector3(0, 20, 0), Vector3(0, -20, 0)).is_empty(), "a ray finds it")


func test_fast_ball_with_continuous_collision_does_not_pass_a_thin_wall() -> void:
	fixed(box(Vector3(0.1, 10, 10)), Vector3(10, 0, 0))
	var body := floating(sphere(0.2), Vector3.ZERO, {"linear_velocity": Vector3(150, 0, 0), "continuous_cd": true})
	await steps(30)
	check(body.position.x < 10.0, "it is stopped before the wall: x = %s" % body.position.x)


func test_velocity_given_with_the_change_to_rigid_is_kept() -> void:
	var body := floating(box(), Vector3.ZERO, {"freeze": true, "freeze_mode": RigidBody3D.FREEZE_MODE_KINEMATIC})
	await steps(2)
	body.force_update_transform()
	body.global_position = Vector3.ZERO  # a skeleton puts its bones in every tick, moved or not
	body.force_update_transform()
	body.freeze = false
	body.collision_layer = 2
	body.linear_velocity = Vector3(3, 0, 0)
	await steps(1)
	check_near(body.linear_velocity, Vector3(3, 0, 0), 1e-4, "velocity after a step")
	await steps(10)
	check_near(body.position, Vector3(33.0 * TICK, 0, 0), 1e-3, "place after eleven steps")


func test_kinematic_body_that_was_moved_becomes_rigid_where_it_is() -> void:
	var body := floating(box(), Vector3.ZERO, {"freeze": true, "freeze_mode": RigidBody3D.FREEZE_MODE_KINEMATIC})
	await steps(2)
	body.global_position = Vector3(0, 2, 0)
	body.force_update_transform()
	body.freeze = false
	await steps(2)
	check_near(body.position, Vector3(0, 2, 0), 1e-3, "place")
	check_near(body.linear_velocity, Vector3.ZERO, 1e-3, "velocity")
