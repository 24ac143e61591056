extends "res://gd/physics_test.gd"
## Joints: what they hold, how far they let go, what their motors and springs do, and what becomes of them.
##
## Signs are those that Godot's engines agree on, measured: a hinge's and a 6DOF joint's angle is left-handed, of B against A.


## Puts a joint at `at` between two bodies; `null` stands for the world.
func join(joint: Joint3D, a: Node, b: Node, at: Variant = Vector3.ZERO, properties: Dictionary = {}) -> Joint3D:
	joint.transform = at if at is Transform3D else Transform3D(Basis.IDENTITY, at)
	for property: String in properties:
		joint.set(property, properties[property])
	add_child(joint)
	if a != null:
		joint.node_a = joint.get_path_to(a)
	if b != null:
		joint.node_b = joint.get_path_to(b)
	return joint


## A fixed body at the origin that nothing touches.
func anchor(at: Vector3 = Vector3.ZERO) -> StaticBody3D:
	return fixed(box(Vector3.ONE * 0.1), at, {"collision_layer": 0, "collision_mask": 0})


## A floating cube of 1 m and 6 kg: its inertia is 1 kg m^2 about every axis.
func cube(at: Variant = Vector3.ZERO, properties: Dictionary = {}) -> RigidBody3D:
	var all := {"mass": 6.0, "can_sleep": false}
	all.merge(properties, true)
	return floating(box(), at, all)


## Turn about an axis, right-handed [rad].
func angle_about(body: Node3D, axis: Vector3) -> float:
	var q := body.quaternion
	return wrapf(2.0 * atan2(Vector3(q.x, q.y, q.z).dot(axis), q.w), -PI, PI)


## Pushes with a constant torque for `count` steps; gives the least and the greatest angle.
func turn_range(body: RigidBody3D, axis: Vector3, torque: float, count: int = 120) -> Vector2:
	var seen := Vector2(INF, -INF)
	for step: int in 2 * count:
		body.apply_torque(axis * (torque if step < count else -torque))
		await steps()
		seen = Vector2(minf(seen.x, angle_about(body, axis)), maxf(seen.y, angle_about(body, axis)))
	return seen


func push_range(body: RigidBody3D, axis: Vector3, force: float, count: int = 120) -> Vector2:
	var seen := Vector2(INF, -INF)
	for step: int in 2 * count:
		body.apply_central_force(axis * (force if step < count else -force))
		await steps()
		seen = Vector2(minf(seen.x, body.position.dot(axis)), maxf(seen.y, body.position.dot(axis)))
	return seen


func check_range(seen: Vector2, least: float, most: float, what: String, tolerance: float = 0.02) -> void:
	check_near(seen.x, least, tolerance, what + ", least")
	check_near(seen.y, most, tolerance, what + ", most")


## ------------------------------------------------------------------ pins

func test_pin_holds_a_pendulum_at_its_length() -> void:
	var bob := rigid(sphere(0.1), Vector3(1, 0, 0), {"can_sleep": false})
	join(PinJoint3D.new(), bob, null)
	var worst := 0.0
	for step: int in 180:
		await steps()
		worst = maxf(worst, absf(bob.position.length() - 1.0))
	check_between(worst, 0.0, 0.01, "change of length")


## v = sqrt(2 g L) at the bottom; the ball's own turning takes 2/5 (r/L)^2 of it.
func test_pendulum_has_the_speed_of_its_height() -> void:
	var bob := rigid(sphere(0.1), Vector3(2, 0, 0), {"can_sleep": false})
	join(PinJoint3D.new(), bob, null)
	var fastest := 0.0
	for step: int in 90:
		await steps()
		fastest = maxf(fastest, bob.linear_velocity.length())
	check_near(fastest, sqrt(2.0 * GRAVITY * 2.0), 0.15, "speed at the bottom")


func test_pin_keeps_momentum_and_the_common_point() -> void:
	var a := cube(Vector3(-0.6, 0, 0))
	var b := cube(Vector3(0.6, 0, 0))
	join(PinJoint3D.new(), a, b)
	await steps()
	a.apply_central_impulse(Vector3(0, 12, 0))
	await steps(60)
	check_near(6.0 * (a.linear_velocity + b.linear_velocity), Vector3(0, 12, 0), 0.05, "momentum")
	check_near(a.to_global(Vector3(0.6, 0, 0)), b.to_global(Vector3(-0.6, 0, 0)), 0.01, "the common point")


func test_pin_point_can_be_moved_through_the_server() -> void:
	var bob := rigid(sphere(0.1), Vector3(0, -1, 0))
	var joint := join(PinJoint3D.new(), bob, null)
	await steps(10)
	PhysicsServer3D.pin_joint_set_local_b(joint.get_rid(), Vector3(0, 1, 0))
	check_equal(PhysicsServer3D.pin_joint_get_local_b(joint.get_rid()), Vector3(0, 1, 0), "local_b")
	await steps(240)
	check_near(bob.position, Vector3(0, 0, 0), 0.05, "one metre below the new point")


## Half of what would hold the weight in a step: it falls with half of gravity.
func test_pin_impulse_clamp_is_the_most_it_does_in_a_step() -> void:
	var bob := rigid(sphere(0.1), Vector3(0, -1, 0), {"can_sleep": false})
	join(PinJoint3D.new(), bob, null, Vector3.ZERO, {"params/impulse_clamp": 0.5 * GRAVITY * TICK})
	await steps(60)
	check_near(bob.linear_velocity.y, -0.5 * GRAVITY, 0.4, "speed after a second")


func test_a_hundred_times_heavier_load_hangs_on_a_light_link() -> void:
	var link := rigid(box(Vector3(0.1, 1, 0.1)), Vector3(0, -0.5, 0), {"mass": 1.0})
	var load_body := rigid(box(), Vector3(0, -1.5, 0), {"mass": 100.0})
	join(PinJoint3D.new(), link, null)
	join(PinJoint3D.new(), link, load_body, Vector3(0, -1, 0))
	await steps(240)
	check_near(load_body.position, Vector3(0, -1.5, 0), 0.02, "where it hangs")


## ------------------------------------------------------------------ hinges

func test_hinge_turns_about_its_axis_only() -> void:
	var body := cube(Vector3(1, 0, 0))
	join(HingeJoint3D.new(), anchor(), body)
	await steps()
	body.apply_torque_impulse(Vector3(3, 3, 3))
	var worst := 0.0
	for step: int in 120:
		await steps()
		worst = maxf(worst, maxf(absf(body.position.z), absf(body.basis.z.x) + absf(body.basis.z.y)))
	check_between(worst, 0.0, 0.01, "tilt of the axis")
	check(absf(body.angular_velocity.z) > 0.3, "it turns about z")


func test_hinge_limits_are_left_handed() -> void:
	var body := cube()
	join(HingeJoint3D.new(), anchor(), body, Vector3.ZERO,
		{"angular_limit/enable": true, "angular_limit/lower": -0.2, "angular_limit/upper": 0.8})
	check_range(await turn_range(body, Vector3.BACK, 2.0), -0.8, 0.2, "angle of B")


func test_hinge_of_one_body_turns_as_if_the_world_were_a() -> void:
	var body := cube()
	join(HingeJoint3D.new(), body, null, Vector3.ZERO,
		{"angular_limit/enable": true, "angular_limit/lower": -0.2, "angular_limit/upper": 0.8})
	check_range(await turn_range(body, Vector3.BACK, 2.0), -0.8, 0.2, "angle of the body")


func test_hinge_limits_hold_near_half_a_turn() -> void:
	var body := cube()
	join(HingeJoint3D.new(), anchor(), body, Vector3.ZERO,
		{"angular_limit/enable": true, "angular_limit/lower": -3.0, "angular_limit/upper": 3.0})
	check_range(await turn_range(body, Vector3.BACK, 2.0, 240), -3.0, 3.0, "angle of B")


func test_hinge_motor_reaches_its_speed() -> void:
	var body := cube()
	join(HingeJoint3D.new(), anchor(), body, Vector3.ZERO,
		{"motor/enable": true, "motor/target_velocity": 2.0, "motor/max_impulse": 1.0})
	await steps(60)
	check_near(body.angular_velocity, Vector3(0, 0, -2.0), 0.02, "spin")


## 0.01 N m s a step on 1 kg m^2.
func test_hinge_motor_gives_no_more_than_its_impulse() -> void:
	var body := cube()
	join(HingeJoint3D.new(), anchor(), body, Vector3.ZERO,
		{"motor/enable": true, "motor/target_velocity": 50.0, "motor/max_impulse": 0.01})
	await steps(101)
	check_near(body.angular_velocity.z, -1.0, 0.03, "spin after 100 steps")


func test_door_on_a_turned_hinge_carries_its_weight() -> void:
	var door := rigid(box(Vector3(1, 2, 0.1)), Vector3(0.5, 1, 0), {"mass": 20.0, "can_sleep": false})
	# The hinge's z axis stands upright.
	join(HingeJoint3D.new(), anchor(Vector3(0, 1, 0)), door, Transform3D(Basis(Vector3.RIGHT, PI / 2), Vector3(0, 1, 0)))
	await steps()
	door.apply_torque_impulse(Vector3(0, 10, 0))
	var worst := 0.0
	for step: int in 120:
		await steps()
		worst = maxf(worst, absf(door.position.y - 1.0) + (door.basis.y - Vector3.UP).length())
	check_between(worst, 0.0, 0.02, "sag")
	check(absf(door.angular_velocity.y) > 0.5, "it swings")


## ------------------------------------------------------------------ sliders

func test_slider_runs_between_its_limits() -> void:
	var body := cube()
	join(SliderJoint3D.new(), anchor(), body, Vector3.ZERO,
		{"linear_limit/lower_distance": -0.2, "linear_limit/upper_distance": 0.8})
	check_range(await push_range(body, Vector3.RIGHT, 12.0), -0.2, 0.8, "x of B")


func test_slider_holds_across_and_does_not_turn() -> void:
	var body := cube(Vector3.ZERO)
	join(SliderJoint3D.new(), anchor(), body)
	await steps()
	body.apply_impulse(Vector3(3, 6, 6), Vector3(0, 0.4, 0.2))
	await steps(60)
	check_near(Vector2(body.position.y, body.position.z), Vector2.ZERO, 0.01, "y and z")
	check_near(body.basis.get_rotation_quaternion().get_angle(), 0.0, 0.01, "turn")
	check(body.position.x > 0.2, "it slides")


func test_slider_turns_between_its_angular_limits() -> void:
	var body := cube()
	join(SliderJoint3D.new(), anchor(), body, Vector3.ZERO,
		{"angular_limit/lower_angle": -0.2, "angular_limit/upper_angle": 0.8})
	check_range(await turn_range(body, Vector3.RIGHT, 2.0), -0.2, 0.8, "angle of B")


func test_slider_with_limits_turned_round_is_free() -> void:
	var body := cube()
	join(SliderJoint3D.new(), anchor(), body, Vector3.ZERO,
		{"linear_limit/lower_distance": 1.0, "linear_limit/upper_distance": -1.0})
	await steps()
	body.apply_central_impulse(Vector3(18, 0, 0))
	await steps(60)
	check_near(body.position.x, 3.0, 0.1, "x after a second at 3 m/s")


## ------------------------------------------------------------------ cone twist

func test_cone_twist_swings_within_its_span() -> void:
	var body := cube()
	join(ConeTwistJoint3D.new(), anchor(), body, Vector3.ZERO, {"swing_span": 0.3, "twist_span": 0.6})
	check_range(await turn_range(body, Vector3.UP, 2.0), -0.3, 0.3, "swing about y")
	check_range(await turn_range(body, Vector3(0, 1, 1).normalized(), 2.0), -0.3, 0.3, "swing about y and z")


func test_cone_twist_twists_within_its_span() -> void:
	var body := cube()
	join(ConeTwistJoint3D.new(), anchor(), body, Vector3.ZERO, {"swing_span": 0.3, "twist_span": 0.6})
	check_range(await turn_range(body, Vector3.RIGHT, 2.0), -0.6, 0.6, "twist about x")


## "Twist is locked if below 0.05", and so is the swing.
func test_cone_twist_without_span_is_locked() -> void:
	var body := cube()
	join(ConeTwistJoint3D.new(), anchor(), body, Vector3.ZERO, {"swing_span": 0.0, "twist_span": 0.0})
	await steps()
	body.apply_torque_impulse(Vector3(2, 2, 2))
	await steps(60)
	check_near(body.basis.get_rotation_quaternion().get_angle(), 0.0, 0.02, "turn")


## ------------------------------------------------------------------ six degrees of freedom

func test_6dof_locks_everything_at_first() -> void:
	var body := cube(Vector3(1, 0, 0))
	join(Generic6DOFJoint3D.new(), anchor(), body)
	await steps()
	body.apply_impulse(Vector3(6, 6, 6), Vector3(0.5, 0.5, 0))
	await steps(60)
	check_near(body.position, Vector3(1, 0, 0), 0.01, "place")
	check_near(body.basis.get_rotation_quaternion().get_angle(), 0.0, 0.01, "turn")


func test_6dof_linear_limits_on_every_axis() -> void:
	for axis: int in 3:
		var body := cube()
		var joint := Generic6DOFJoint3D.new()
		var name := "linear_limit_%s" % "xyz"[axis]
		join(joint, anchor(), body, Vector3.ZERO, {name + "/lower_distance": -0.2, name + "/upper_distance": 0.8})
		var along := Vector3.ZERO
		along[axis] = 1.0
		check_range(await push_range(body, along, 12.0), -0.2, 0.8, "axis " + "xyz"[axis])
		joint.free()
		body.free()


func test_6dof_angular_limits_on_every_axis() -> void:
	for axis: int in 3:
		var body := cube()
		var joint := Generic6DOFJoint3D.new()
		var name := "angular_limit_%s" % "xyz"[axis]
		join(joint, anchor(), body, Vector3.ZERO, {name + "/lower_angle": -0.2, name + "/upper_angle": 0.8})
		var about := Vector3.ZERO
		about[axis] = 1.0
		check_range(await turn_range(body, about, 2.0), -0.8, 0.2, "axis " + "xyz"[axis])
		joint.free()
		body.free()


func test_6dof_linear_motor() -> void:
	var body := cube()
	join(Generic6DOFJoint3D.new(), anchor(), body, Vector3.ZERO, {"linear_limit_x/enabled": false,
		"linear_motor_x/enabled": true, "linear_motor_x/target_velocity": 1.0, "linear_motor_x/force_limit": 12.0})
	await steps(16)
	check_near(body.linear_velocity.x, 0.5, 0.06, "12 N on 6 kg for a quarter of a second")
	await steps(60)
	check_near(body.linear_velocity, Vector3(1, 0, 0), 0.01, "velocity")


func test_6dof_angular_motor_on_every_axis() -> void:
	for axis: int in 3:
		var body := cube()
		var joint := Generic6DOFJoint3D.new()
		var c: String = "xyz"[axis]
		join(joint, anchor(), body, Vector3.ZERO, {"angular_limit_%s/enabled" % c: false,
			"angular_motor_%s/enabled" % c: true, "angular_motor_%s/target_velocity" % c: 1.0,
			"angular_motor_%s/force_limit" % c: 5.0})
		await steps(60)
		check_near(body.angular_velocity[axis], -1.0, 0.01, "spin about " + c)
		joint.free()
		body.free()


## T = 2 pi sqrt(m / k).
func test_6dof_linear_spring_swings_with_its_period() -> void:
	var body := cube()
	join(Generic6DOFJoint3D.new(), anchor(), body, Vector3.ZERO, {"linear_limit_x/enabled": false,
		"linear_spring_x/enabled": true, "linear_spring_x/stiffness": 6.0 * 4.0 * PI * PI, "linear_spring_x/damping": 0.0})
	await steps()
	body.linear_velocity = Vector3(2, 0, 0)
	var crossings: Array[int] = []
	var before := 1.0
	for step: int in 200:
		await steps()
		var x := body.position.x
		if before < 0.0 and x >= 0.0:
			crossings.append(step)
		before = x
	check(crossings.size() >= 2, "it swings")
	if crossings.size() < 2:
		return
	check_near(crossings[-1] - crossings[0], 60.0 * (crossings.size() - 1), 2.5, "steps of the periods")


func test_6dof_spring_carries_a_weight_below_its_equilibrium() -> void:
	var body := cube(Vector3.ZERO, {"gravity_scale": 1.0})
	join(Generic6DOFJoint3D.new(), anchor(), body, Vector3.ZERO, {"linear_limit_y/enabled": false,
		"linear_spring_y/enabled": true, "linear_spring_y/stiffness": 200.0, "linear_spring_y/damping": 40.0,
		"linear_spring_y/equilibrium_point": 0.5})
	await steps(240)
	check_near(body.position.y, 0.5 - 6.0 * GRAVITY / 200.0, 0.005, "height")


func test_6dof_angular_spring_goes_to_its_equilibrium() -> void:
	var body := cube()
	join(Generic6DOFJoint3D.new(), anchor(), body, Vector3.ZERO, {"angular_limit_z/enabled": false,
		"angular_spring_z/enabled": true, "angular_spring_z/stiffness": 20.0, "angular_spring_z/damping": 6.0,
		"angular_spring_z/equilibrium_point": 0.4})
	await steps(240)
	check_near(angle_about(body, Vector3.BACK), -0.4, 0.01, "angle of B, right-handed")


## The motor's 10 N bend a spring of 20 N/m by half a metre.
func test_6dof_spring_and_motor_on_one_axis() -> void:
	var body := cube()
	join(Generic6DOFJoint3D.new(), anchor(), body, Vector3.ZERO, {"linear_limit_x/enabled": false,
		"linear_spring_x/enabled": true, "linear_spring_x/stiffness": 20.0, "linear_spring_x/damping": 15.0,
		"linear_motor_x/enabled": true, "linear_motor_x/target_velocity": 5.0, "linear_motor_x/force_limit": 10.0})
	await steps(300)
	check_near(body.position.x, 0.5, 0.01, "where the two balance")


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
