extends "res://gd/joint_test.gd"
## The locks, limits, motors and springs of joints.
##
## Signs are those that Godot's engines agree on, measured: a hinge's and a 6DOF joint's angle is left-handed, of B against A.


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


## A plank of 1 m on a hinge at its end.
func _plank(properties: Dictionary) -> RigidBody3D:
	var plank := floating(box(Vector3(1, 0.1, 0.6)), Vector3(0.5, 0, 0), {"mass": 8.0, "can_sleep": false})
	join(HingeJoint3D.new(), anchor(), plank, Vector3.ZERO, properties)
	return plank


func test_a_slammed_door_stops_at_its_limit_without_bounce() -> void:
	var plank := _plank({"angular_limit/enable": true, "angular_limit/lower": -0.5, "angular_limit/upper": 0.5})
	plank.angular_velocity = Vector3(0, 0, 5)
	plank.linear_velocity = Vector3(0, 2.5, 0)
	var farthest := 0.0
	for step: int in 60:
		await steps()
		farthest = maxf(farthest, angle_about(plank, Vector3.BACK))
	check_near(farthest, 0.5, 0.01, "the farthest that it went")
	check_near(angle_about(plank, Vector3.BACK), 0.5, 0.01, "where it stays")
	check_near(plank.angular_velocity.z, 0.0, 0.02, "spin")


## Three quarters of what a motor gives go into the motion of the plank's middle.
func test_hinge_motor_swings_a_door_at_its_speed_from_the_first_step_on() -> void:
	var plank := _plank({"motor/enable": true, "motor/target_velocity": -2.0, "motor/max_impulse": 1000.0})
	for step: int in 5:
		await steps()
		check_near(plank.angular_velocity.z, 2.0, 0.02, "spin after step %d" % (step + 1))


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
