extends "res://gd/joint_test.gd"
## Joints that come and go, sleep and wake, and keep their bodies from colliding.


## ------------------------------------------------------------------ collisions

func _overlapping(excludes: bool) -> Array:
	var a := floating(box(), Vector3.ZERO, {"can_sleep": false})
	var b := floating(box(), Vector3(0.7, 0, 0), {"can_sleep": false})
	var joint := join(Generic6DOFJoint3D.new(), a, b, Vector3.ZERO, {"exclude_nodes_from_collision": excludes,
		"linear_limit_x/lower_distance": -5.0, "linear_limit_x/upper_distance": 5.0})
	return [a, b, joint]


func test_joined_bodies_do_not_collide() -> void:
	var made := _overlapping(true)
	await steps(60)
	check_near(made[1].position.x - made[0].position.x, 0.7, 0.01, "distance")


func test_joined_bodies_collide_when_asked_to() -> void:
	var made := _overlapping(false)
	await steps(60)
	check(made[1].position.x - made[0].position.x > 0.95, "they push each other apart")


func test_freeing_the_joint_brings_collisions_back() -> void:
	var made := _overlapping(true)
	await steps(10)
	made[2].free()
	await steps(60)
	check(made[1].position.x - made[0].position.x > 0.95, "they push each other apart")


func test_one_of_two_joints_still_keeps_bodies_apart() -> void:
	var made := _overlapping(true)
	join(Generic6DOFJoint3D.new(), made[0], made[1], Vector3.ZERO, {
		"linear_limit_x/lower_distance": -5.0, "linear_limit_x/upper_distance": 5.0})
	await steps(2)
	PhysicsServer3D.joint_clear(made[2].get_rid())
	await steps(60)
	check_near(made[1].position.x - made[0].position.x, 0.7, 0.01, "distance")


## ------------------------------------------------------------------ sleep

func test_joined_bodies_sleep_and_wake_together() -> void:
	floor_body()
	var a := rigid(box(), Vector3(0, 0.5, 0))
	var b := rigid(box(), Vector3(3, 0.5, 0))
	join(PinJoint3D.new(), a, b, Vector3(1.5, 0.5, 0))
	await steps_until(func() -> bool: return a.sleeping and b.sleeping, 400)
	check(a.sleeping and b.sleeping, "both asleep")
	a.apply_central_impulse(Vector3(0, 1, 0))
	await steps(3)
	check(not b.sleeping, "the other woke too")


func test_motor_keeps_its_body_awake() -> void:
	var body := floating(box(), Vector3.ZERO, {"mass": 6.0})
	join(HingeJoint3D.new(), anchor(), body, Vector3.ZERO, {"motor/enable": true, "motor/target_velocity": 0.05})
	await steps(241)
	check_near(angle_about(body, Vector3.BACK), -0.05 * 4.0, 0.01, "angle after four seconds")


func test_freeing_a_joint_wakes_what_hung_on_it() -> void:
	var bob := rigid(sphere(0.1), Vector3(0, -1, 0))
	var joint := join(PinJoint3D.new(), bob, null)
	await steps_until(func() -> bool: return bob.sleeping, 400)
	check(bob.sleeping, "asleep")
	joint.free()
	await steps(30)
	check(bob.position.y < -1.5, "it falls")


func test_a_parameter_wakes_the_bodies() -> void:
	var body := floating(box(), Vector3.ZERO)
	var joint: HingeJoint3D = join(HingeJoint3D.new(), anchor(), body)
	await steps_until(func() -> bool: return body.sleeping, 400)
	check(body.sleeping, "asleep")
	joint.set_param(HingeJoint3D.PARAM_MOTOR_TARGET_VELOCITY, 2.0)
	joint.set_flag(HingeJoint3D.FLAG_ENABLE_MOTOR, true)
	await steps(60)
	check(absf(body.angular_velocity.z) > 1.5, "the motor turns it")


func test_joint_to_a_moving_platform_wakes_and_pulls() -> void:
	var platform := kinematic(box(), Vector3(0, 3, 0))
	var bob := rigid(sphere(0.1), Vector3(0, 1, 0))
	join(PinJoint3D.new(), platform, bob, Vector3(0, 3, 0))
	await steps_until(func() -> bool: return bob.sleeping, 400)
	check(bob.sleeping, "asleep")
	for step: int in 60:
		platform.position.y += 0.02
		await steps()
	await steps()
	check_near(bob.position.distance_to(platform.position), 2.0, 0.03, "length of the line")
	check(bob.position.y > 2.0, "it was pulled up")


## ------------------------------------------------------------------ lifetimes

func test_freeing_a_body_frees_the_other() -> void:
	var holder := anchor(Vector3(0, 2, 0))
	var bob := rigid(sphere(0.1), Vector3(0, 1, 0))
	var joint := join(PinJoint3D.new(), holder, bob, Vector3(0, 2, 0))
	await steps(10)
	holder.free()
	await steps(30)
	check(bob.position.y < 0.5, "it falls")
	joint.free()
	await steps(2)
	check(bob.position.y < 0.0, "it still falls")


func test_server_joint_outlives_its_body() -> void:
	var shape := server_sphere(0.1)
	var a := server_body(PhysicsServer3D.BODY_MODE_STATIC, shape, Vector3(0, 1, 0))
	var b := server_body(PhysicsServer3D.BODY_MODE_RIGID, shape)
	var joint := own(PhysicsServer3D.joint_create())
	PhysicsServer3D.joint_make_pin(joint, a, Vector3.ZERO, b, Vector3(0, 1, 0))
	await steps(30)
	check_near(origin_of(b), Vector3.ZERO, 0.01, "held")
	free_now(a)
	PhysicsServer3D.pin_joint_set_local_b(joint, Vector3(0, 2, 0))
	PhysicsServer3D.pin_joint_set_param(joint, PhysicsServer3D.PIN_JOINT_IMPULSE_CLAMP, 1.0)
	var c := server_body(PhysicsServer3D.BODY_MODE_STATIC, shape, Vector3(5, 5, 5))
	await steps(60)
	check(origin_of(b).y < -3.0, "it falls, and the new body holds nothing")
	PhysicsServer3D.joint_make_pin(joint, c, Vector3.ZERO, b, c_offset(b, c))
	var at := origin_of(b)
	await steps(5)
	check(origin_of(b).distance_to(at) < 2.0, "joined anew")


func c_offset(b: RID, c: RID) -> Vector3:
	return origin_of(c) - origin_of(b)


func test_joint_made_before_its_bodies_have_a_space() -> void:
	var shape := server_sphere(0.1)
	var bodies: Array[RID] = []
	for k: int in 2:
		var body := own(PhysicsServer3D.body_create())
		PhysicsServer3D.body_set_mode(body, PhysicsServer3D.BODY_MODE_RIGID if k == 1 else PhysicsServer3D.BODY_MODE_STATIC)
		bodies.append(body)
	var joint := own(PhysicsServer3D.joint_create())
	PhysicsServer3D.joint_make_pin(joint, bodies[0], Vector3.ZERO, bodies[1], Vector3(0, 1, 0))
	for k: int in 2:
		PhysicsServer3D.body_add_shape(bodies[k], shape)
		PhysicsServer3D.body_set_state(bodies[k], PhysicsServer3D.BODY_STATE_TRANSFORM, Transform3D(Basis(), Vector3(0, 1 - k, 0)))
		PhysicsServer3D.body_set_space(bodies[k], get_world_3d().space)
	await steps(60)
	check_near(origin_of(bodies[1]), Vector3.ZERO, 0.01, "held")


func test_joint_across_spaces_does_nothing_and_comes_back() -> void:
	var shape := server_sphere(0.1)
	var a := server_body(PhysicsServer3D.BODY_MODE_STATIC, shape, Vector3(0, 1, 0))
	var b := server_body(PhysicsServer3D.BODY_MODE_RIGID, shape)
	var joint := own(PhysicsServer3D.joint_create())
	PhysicsServer3D.joint_make_pin(joint, a, Vector3.ZERO, b, Vector3(0, 1, 0))
	var other := own(PhysicsServer3D.space_create())
	PhysicsServer3D.space_set_active(other, true)
	await steps(10)
	check_near(origin_of(b), Vector3.ZERO, 0.01, "held")
	PhysicsServer3D.body_set_space(a, other)
	await steps(30)
	check(origin_of(b).y < -0.5, "it falls")
	PhysicsServer3D.body_set_space(a, get_world_3d().space)
	PhysicsServer3D.body_set_state(b, PhysicsServer3D.BODY_STATE_TRANSFORM, Transform3D.IDENTITY)
	PhysicsServer3D.body_set_state(b, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY, Vector3.ZERO)
	await steps(30)
	check_near(origin_of(b), Vector3.ZERO, 0.05, "held again")


func test_joint_clear_lets_go() -> void:
	var bob := rigid(sphere(0.1), Vector3(0, -1, 0))
	var joint := join(PinJoint3D.new(), bob, null)
	await steps(10)
	PhysicsServer3D.joint_clear(joint.get_rid())
	check_equal(PhysicsServer3D.joint_get_type(joint.get_rid()), PhysicsServer3D.JOINT_TYPE_MAX, "type")
	await steps(30)
	check(bob.position.y < -1.5, "it falls")


func test_making_another_kind_replaces_the_first() -> void:
	var shape := server_box()
	var a := server_body(PhysicsServer3D.BODY_MODE_STATIC, shape, Vector3(0, 5, 0))
	var b := server_body(PhysicsServer3D.BODY_MODE_RIGID, shape, Vector3(2, 5, 0))
	var joint := own(PhysicsServer3D.joint_create())
	PhysicsServer3D.joint_make_pin(joint, a, Vector3.ZERO, b, Vector3(-2, 0, 0))
	await steps(2)
	PhysicsServer3D.joint_make_slider(joint, a, Transform3D.IDENTITY, b, Transform3D(Basis(), Vector3(-2, 0, 0)))
	check_equal(PhysicsServer3D.joint_get_type(joint), PhysicsServer3D.JOINT_TYPE_SLIDER, "type")
	await steps(60)
	check_near(origin_of(b).y, 5.0, 0.02, "a slider along x carries it")


func test_joint_between_static_bodies_does_nothing() -> void:
	var a := anchor()
	var b := anchor(Vector3(1, 0, 0))
	join(PinJoint3D.new(), a, b)
	join(HingeJoint3D.new(), a, null)
	await steps(10)
	check_near(b.position, Vector3(1, 0, 0), 1e-6, "place")


func test_changing_the_mode_keeps_the_joint() -> void:
	var bob := rigid(sphere(0.1), Vector3(0, -1, 0))
	join(PinJoint3D.new(), bob, null)
	bob.freeze = true
	await steps(10)
	bob.freeze = false
	await steps(30)
	check_near(bob.position, Vector3(0, -1, 0), 0.01, "held")
	bob.freeze = true
	bob.freeze_mode = RigidBody3D.FREEZE_MODE_KINEMATIC
	await steps(5)
	bob.freeze = false
	await steps(30)
	check_near(bob.position, Vector3(0, -1, 0), 0.01, "held")


func test_center_of_mass_may_move_under_a_joint() -> void:
	var body := rigid(box(), Vector3(0, -1, 0))
	join(PinJoint3D.new(), body, null)
	await steps(5)
	body.center_of_mass_mode = RigidBody3D.CENTER_OF_MASS_MODE_CUSTOM
	body.center_of_mass = Vector3(0, -0.3, 0)
	await steps(60)
	check_near(body.position, Vector3(0, -1, 0), 0.02, "place")


func test_ten_links_hang_as_a_chain() -> void:
	var above: Node = null
	var links: Array[RigidBody3D] = []
	for k: int in 10:
		var link := rigid(box(Vector3(0.1, 0.5, 0.1)), Vector3(0, -0.25 - 0.5 * k, 0))
		join(PinJoint3D.new(), link, above, Vector3(0, -0.5 * k, 0))
		above = link
		links.append(link)
	links[0].apply_central_impulse(Vector3(2, 0, 0))
	await steps(300)
	for k: int in 10:
		check_between(links[k].position.length(), 0.0, 0.26 + 0.5 * k, "reach of link %d" % k)


func test_fast_limbs_that_strike_stay_on_their_joints() -> void:
	floor_body()
	var pairs: Array[Array] = []
	for number: int in 6:  # they strike at different moments of a tick
		var at := Vector3(0, 2.5 + number * 0.028, number * 2.0)
		var trunk := rigid(box(Vector3.ONE * 0.4), at, {"mass": 30.0, "linear_velocity": Vector3(0, -10, 0)})
		var limb := rigid(capsule(0.05, 0.5), Transform3D(Basis.IDENTITY, at + Vector3(0, -0.5, 0)),
				{"mass": 2.0, "linear_velocity": Vector3(0, -10, 0)})
		join(PinJoint3D.new(), trunk, limb, at + Vector3(0, -0.25, 0))
		pairs.append([trunk, limb])
	var widest := 0.0
	for step: int in 60:
		await steps()
		for pair: Array in pairs:
			widest = maxf(widest, pair[0].to_global(Vector3(0, -0.25, 0)).distance_to(pair[1].to_global(Vector3(0, 0.25, 0))))
	check_between(widest, 0.0, 10.0 * TICK, "widest gap: no more than a tick's way")


func test_fast_bodies_on_a_joint_do_not_pass_a_thin_wall() -> void:
	fixed(box(Vector3(0.05, 20, 20)), Vector3(5, 0, 0))
	for speed: float in [20.0, 60.0, 150.0]:
		var z := speed / 20.0
		var first := floating(sphere(0.1), Vector3(0.5, 0, z), {"linear_velocity": Vector3(speed, 0, 0)})
		var second := floating(sphere(0.1), Vector3(0, 0, z), {"linear_velocity": Vector3(speed, 0, 0)})
		join(PinJoint3D.new(), first, second, Vector3(0.25, 0, z))
	await steps(60)
	for body: Node in get_children():
		if body is RigidBody3D:
			check_between(body.position.x, -200.0, 5.0, "in front of the wall")
