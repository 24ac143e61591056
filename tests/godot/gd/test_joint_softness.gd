extends "res://gd/joint_test.gd"
## Parameters of joints that Godot's documentation describes without units: each joint is compared with one that has the default,
## and does what the sentence in the documentation says.


## "The higher, the stronger": with less bias the bob sags further.
func test_pin_bias_is_how_strongly_it_holds() -> void:
	var firm := rigid(sphere(0.1), Vector3(0, -1, 0), {"can_sleep": false})
	var soft := rigid(sphere(0.1), Vector3(5, -1, 0), {"can_sleep": false})
	join(PinJoint3D.new(), firm, null)
	join(PinJoint3D.new(), soft, null, Vector3(5, 0, 0), {"params/bias": 0.01})
	await steps(240)
	check_near(firm.position.y, -1.0, 0.005, "firm")
	check_between(soft.position.y, -1.5, -1.02, "soft")
	check_near(soft.linear_velocity, Vector3.ZERO, 0.01, "at rest")


## Damping below 1 lets it swing about its place.
func test_pin_damping_is_how_fast_it_comes_to_rest() -> void:
	var highest: Array[float] = []
	for damping: float in [1.0, 0.05]:
		var bob := rigid(sphere(0.1), Vector3(5, -1, 0), {"can_sleep": false})
		join(PinJoint3D.new(), bob, null, Vector3(5, 0, 0), {"params/bias": 0.01, "params/damping": damping})
		var fastest := -INF
		for step: int in 120:
			await steps()
			fastest = maxf(fastest, bob.linear_velocity.y)
		highest.append(fastest)
		bob.queue_free()
		await steps()
	check(highest[0] < 0.05, "damped: it does not come up again, got %f" % highest[0])
	check(highest[1] > 0.2, "less damped: it does, got %f" % highest[1])


func test_hinge_bias_lets_the_point_sag() -> void:
	var firm := rigid(box(), Vector3(0, 0, 0), {"can_sleep": false})
	var soft := rigid(box(), Vector3(5, 0, 0), {"can_sleep": false})
	join(HingeJoint3D.new(), firm, null)
	join(HingeJoint3D.new(), soft, null, Vector3(5, 0, 0), {"params/bias": 0.01})
	await steps(240)
	check_near(firm.position.y, 0.0, 0.005, "firm")
	check_between(soft.position.y, -0.5, -0.02, "soft")


## A soft limit gives way under a torque that a firm one withstands.
func test_hinge_limit_softness_gives_way() -> void:
	var angles := await _limit_angles("angular_limit/softness", 0.1)
	check_near(angles[0], 0.5, 0.01, "firm")
	check(angles[1] > 0.51, "soft: %f" % angles[1])


## Both begin 0.5 rad beyond their limit: the lower the bias, the slower it is corrected.
func test_hinge_limit_bias_is_the_speed_of_correction() -> void:
	var angles := await _corrected("angular_limit/bias", 0.01)
	check_near(angles[0], 0.5, 0.02, "firm")
	check_between(angles[1], 0.6, 0.999, "slow")


## "The lower this value, the more the rotation gets slowed down."
func test_hinge_limit_relaxation_slows_down() -> void:
	var angles := await _corrected("angular_limit/relaxation", 0.1)
	check_near(angles[0], 0.5, 0.02, "firm")
	check_between(angles[1], 0.6, 0.999, "slow")


func _limit_angles(property: String, value: float) -> Array[float]:
	var bodies: Array[RigidBody3D] = []
	for k: int in 2:
		var body := cube(Vector3(5 * k, 0, 0))
		var all := {"angular_limit/enable": true, "angular_limit/lower": -0.5, "angular_limit/upper": 0.5}
		if k == 1:
			all[property] = value
		join(HingeJoint3D.new(), anchor(Vector3(5 * k, 0, 0)), body, Vector3(5 * k, 0, 0), all)
		bodies.append(body)
	for step: int in 120:
		for body: RigidBody3D in bodies:
			body.apply_torque(Vector3(0, 0, 20))
		await steps()
	return [angle_about(bodies[0], Vector3.BACK), angle_about(bodies[1], Vector3.BACK)]


func _corrected(property: String, value: float) -> Array[float]:
	var bodies: Array[RigidBody3D] = []
	for k: int in 2:
		var body := cube(Vector3(5 * k, 0, 0))
		var joint := join(HingeJoint3D.new(), anchor(Vector3(5 * k, 0, 0)), body, Vector3(5 * k, 0, 0))
		joint.set(property, value if k == 1 else joint.get(property))
		body.rotation.z = 1.0
		await steps(2)
		joint.set("angular_limit/lower", -0.5)
		joint.set("angular_limit/upper", 0.5)
		joint.set("angular_limit/enable", true)
		await steps(20)
		bodies.append(body)
	return [angle_about(bodies[0], Vector3.BACK), angle_about(bodies[1], Vector3.BACK)]


## ------------------------------------------------------------------ sliders

## 0.7, the default, gives nothing back; 1 gives all.
func test_slider_limit_restitution_bounces() -> void:
	for restitution: float in [0.7, 1.0]:
		var body := cube()
		var joint := join(SliderJoint3D.new(), anchor(), body, Vector3.ZERO, {"linear_limit/restitution": restitution})
		await steps()
		body.linear_velocity = Vector3(3, 0, 0)
		await steps(40)
		check_near(body.linear_velocity.x, 0.0 if restitution < 1.0 else -3.0, 0.05, "speed after the limit at %s" % restitution)
		body.free()
		joint.free()


## A damper of 6 N s/m on 6 kg: the speed falls to 1/e in a second.
func test_slider_motion_damping_brakes_the_motion() -> void:
	var body := cube()
	join(SliderJoint3D.new(), anchor(), body, Vector3.ZERO,
		{"linear_limit/lower_distance": -50.0, "linear_limit/upper_distance": 50.0, "linear_motion/damping": 6.0})
	await steps()
	body.linear_velocity = Vector3(3, 0, 0)
	await steps(60)
	check_near(body.linear_velocity.x, 3.0 / exp(1.0), 0.05, "speed after a second")


## "The lower, the slower the movement."
func test_slider_motion_softness_slows_the_motion() -> void:
	var body := cube()
	join(SliderJoint3D.new(), anchor(), body, Vector3.ZERO,
		{"linear_limit/lower_distance": -50.0, "linear_limit/upper_distance": 50.0, "linear_motion/softness": 0.1})
	await steps()
	body.linear_velocity = Vector3(3, 0, 0)
	await steps(60)
	check_between(body.linear_velocity.x, 0.1, 1.5, "speed after a second")


func test_slider_orthogonal_softness_gives_way_across() -> void:
	var firm := rigid(box(), Vector3.ZERO, {"can_sleep": false})
	var soft := rigid(box(), Vector3(0, 0, 5), {"can_sleep": false})
	join(SliderJoint3D.new(), anchor(), firm)
	join(SliderJoint3D.new(), anchor(Vector3(0, 0, 5)), soft, Vector3(0, 0, 5), {"linear_ortho/softness": 0.03})
	await steps(240)
	check_near(firm.position.y, 0.0, 0.005, "firm")
	check_between(soft.position.y, -0.5, -0.02, "soft")


func test_slider_limit_softness_gives_way() -> void:
	var places: Array[float] = []
	for softness: float in [1.0, 0.03]:
		var body := cube()
		var joint := join(SliderJoint3D.new(), anchor(), body, Vector3.ZERO, {"linear_limit/softness": softness})
		for step: int in 240:
			body.apply_central_force(Vector3(60, 0, 0))
			await steps()
		places.append(body.position.x)
		body.free()
		joint.free()
	check_near(places[0], 1.0, 0.01, "firm")
	check_between(places[1], 1.03, 2.0, "soft")


## ------------------------------------------------------------------ cone twist, 6DOF

## "If it's too low, it takes more force to twist the joint."
func test_cone_twist_softness_resists_twisting() -> void:
	var spins: Array[float] = []
	for softness: float in [0.8, 0.1]:
		var body := cube()
		var joint := join(ConeTwistJoint3D.new(), anchor(), body, Vector3.ZERO, {"softness": softness, "twist_span": PI})
		await steps()
		body.apply_torque_impulse(Vector3(1, 0, 0))
		await steps(31)
		spins.append(body.angular_velocity.x)
		body.free()
		joint.free()
	check_near(spins[0], 1.0, 0.02, "free")
	check_between(spins[1], 0.0, 0.2, "braked")


## Begun beyond the cone: the lower the bias, the slower it comes back.
func test_cone_twist_bias_is_the_speed_of_correction() -> void:
	var tilts: Array[float] = []
	for bias: float in [0.3, 0.01]:
		var body := cube()
		var joint := join(ConeTwistJoint3D.new(), anchor(), body, Vector3.ZERO, {"bias": bias, "swing_span": PI})
		body.rotation.z = 1.0
		await steps(2)
		joint.set("swing_span", 0.5)
		await steps(20)
		tilts.append(body.basis.x.angle_to(Vector3.RIGHT))
		body.free()
		joint.free()
	check_near(tilts[0], 0.5, 0.03, "firm")
	check_between(tilts[1], 0.6, 1.0, "slow")


## 0.5, the default, gives nothing back; 1 gives all.
func test_6dof_restitution_bounces() -> void:
	for restitution: float in [0.5, 1.0]:
		var body := cube()
		var joint := join(Generic6DOFJoint3D.new(), anchor(), body, Vector3.ZERO, {"linear_limit_x/lower_distance": -1.0,
			"linear_limit_x/upper_distance": 1.0, "linear_limit_x/restitution": restitution})
		await steps()
		body.linear_velocity = Vector3(3, 0, 0)
		await steps(40)
		check_near(body.linear_velocity.x, 0.0 if restitution < 1.0 else -3.0, 0.05, "speed at %s" % restitution)
		body.free()
		joint.free()


## 5 N m withstand 4 and not 8.
func test_6dof_angular_force_limit_is_the_most_it_holds() -> void:
	for torque: float in [4.0, 8.0]:
		var body := cube()
		var joint := join(Generic6DOFJoint3D.new(), anchor(), body, Vector3.ZERO, {"angular_limit_x/force_limit": 5.0})
		for step: int in 60:
			body.apply_torque(Vector3(torque, 0, 0))
			await steps()
		if torque < 5.0:
			check_near(angle_about(body, Vector3.RIGHT), 0.0, 0.02, "held")
		else:
			check_near(body.angular_velocity.x, (torque - 5.0) * 59.0 * TICK, 0.3, "slipping")
		body.free()
		joint.free()


func test_6dof_erp_is_the_speed_of_correction() -> void:
	var angles: Array[float] = []
	for erp: float in [0.5, 0.01]:
		var body := cube()
		var joint: Generic6DOFJoint3D = join(Generic6DOFJoint3D.new(), anchor(), body, Vector3.ZERO,
			{"angular_limit_z/enabled": false, "angular_limit_z/erp": erp})
		body.rotation.z = 1.0
		await steps(2)
		joint.set("angular_limit_z/lower_angle", -0.5)
		joint.set("angular_limit_z/upper_angle", 0.5)
		joint.set("angular_limit_z/enabled", true)
		await steps(20)
		angles.append(angle_about(body, Vector3.BACK))
		body.free()
		joint.free()
	check_near(angles[0], 0.5, 0.03, "firm")
	check_between(angles[1], 0.6, 1.0, "slow")


func test_6dof_linear_softness_lets_a_locked_axis_sag() -> void:
	var firm := rigid(box(), Vector3.ZERO, {"can_sleep": false})
	var soft := rigid(box(), Vector3(0, 0, 5), {"can_sleep": false})
	join(Generic6DOFJoint3D.new(), anchor(), firm)
	join(Generic6DOFJoint3D.new(), anchor(Vector3(0, 0, 5)), soft, Vector3(0, 0, 5), {"linear_limit_y/softness": 0.02})
	await steps(240)
	check_near(firm.position.y, 0.0, 0.005, "firm")
	check_between(soft.position.y, -0.5, -0.02, "soft")


## "The lower, the more damping occurs": 0.5 is 1 N m s/rad on 1 kg m^2.
func test_6dof_angular_damping_brakes_a_free_axis() -> void:
	var body := cube()
	join(Generic6DOFJoint3D.new(), anchor(), body, Vector3.ZERO,
		{"angular_limit_x/enabled": false, "angular_limit_x/damping": 0.5})
	await steps()
	body.angular_velocity = Vector3(2, 0, 0)
	await steps(60)
	check_near(body.angular_velocity.x, 2.0 / exp(1.0), 0.05, "spin after a second")


## ------------------------------------------------------------------ inertia, spaces, shapes

## Two balls on a rod that lies across the body's axes: the least inertia is about the rod.
func test_principal_inertia_axes_lie_along_a_slanted_dumbbell() -> void:
	var body := floating(sphere(0.2), Vector3.ZERO)
	var way := Vector3(1, 2, -1).normalized()
	for side: float in [-1.0, 1.0]:
		body.add_child(collision_shape(sphere(0.2), Transform3D(Basis.IDENTITY, way * side)))
	await steps(2)
	var state := PhysicsServer3D.body_get_direct_state(body.get_rid())
	var axes := state.principal_inertia_axes
	var inverse := state.inverse_inertia
	var thin := inverse.max_axis_index()
	check_near(absf(axes[thin].dot(way)), 1.0, 1e-3, "the rod is a principal axis")
	var tensor := axes * Basis.from_scale(inverse) * axes.transposed()
	for k: int in 3:
		check_near(tensor[k], state.inverse_inertia_tensor[k], 1e-3, "column %d of the tensor" % k)


## More iterations, less sag of a tall stack pressed by a heavy load.
func test_solver_iterations_and_bias_of_a_space_act() -> void:
	var space := get_world_3d().space
	check_near(PhysicsServer3D.space_get_param(space, PhysicsServer3D.SPACE_PARAM_SOLVER_ITERATIONS), 16.0, 1e-6, "default")
	check_near(PhysicsServer3D.space_get_param(space, PhysicsServer3D.SPACE_PARAM_CONTACT_DEFAULT_BIAS), 0.8, 1e-6, "bias")
	var sag: Array[float] = []
	floor_body()
	for iterations: int in [4, 64]:
		PhysicsServer3D.space_set_param(space, PhysicsServer3D.SPACE_PARAM_SOLVER_ITERATIONS, iterations)
		check_near(PhysicsServer3D.space_get_param(space, PhysicsServer3D.SPACE_PARAM_SOLVER_ITERATIONS), iterations, 1e-6, "kept")
		var bodies: Array[RigidBody3D] = []
		for k: int in 6:
			bodies.append(rigid(box(), Vector3(0, 0.5 + k, 0), {"mass": 200.0 if k == 5 else 1.0}))
		await steps(30)
		sag.append(5.5 - bodies[5].position.y)
		for body: RigidBody3D in bodies:
			body.free()
	PhysicsServer3D.space_set_param(space, PhysicsServer3D.SPACE_PARAM_SOLVER_ITERATIONS, 16)
	check(sag[1] < 0.5 * sag[0], "sag with 4 and with 64 iterations: %s" % [sag])


## A box put 0.2 m into the floor: the higher the bias, the sooner it is out.
func test_contact_bias_is_how_fast_overlap_goes() -> void:
	var heights: Array[float] = []
	floor_body()
	for bias: float in [0.0, 0.02]:
		var shape := box()
		shape.custom_solver_bias = bias
		var body := rigid(shape, Vector3(0, 0.3, 0))
		await steps(7)
		heights.append(body.position.y)
		body.free()
	check_between(heights[1], 0.29, heights[0] - 0.02, "less than with the usual bias (%f)" % heights[0])


func test_overlap_that_a_space_allows_is_left_alone() -> void:
	var space := get_world_3d().space
	var allowed := PhysicsServer3D.SPACE_PARAM_CONTACT_MAX_ALLOWED_PENETRATION
	var before := PhysicsServer3D.space_get_param(space, allowed)
	floor_body()
	for slop: float in [0.0, 0.005]:
		PhysicsServer3D.space_set_param(space, allowed, slop)
		check_near(PhysicsServer3D.space_get_param(space, allowed), slop, 1e-9, "kept")
		var body := rigid(box(), Vector3(0, 0.4, 0))
		await steps(60)
		check_near(body.position.y, 0.5 - slop, 1e-3, "rests with an overlap of %f m" % slop)
		body.free()
	PhysicsServer3D.space_set_param(space, allowed, before)
