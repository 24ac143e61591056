extends "res://truth/truth_scene.gd"
## Springs of 6DOF joints: their period, and what is left of their amplitude.

const LINEAR_ON := Generic6DOFJoint3D.FLAG_ENABLE_LINEAR_SPRING
const ANGULAR_ON := Generic6DOFJoint3D.FLAG_ENABLE_ANGULAR_SPRING
const LINEAR_LIMIT := Generic6DOFJoint3D.FLAG_ENABLE_LINEAR_LIMIT
const ANGULAR_LIMIT := Generic6DOFJoint3D.FLAG_ENABLE_ANGULAR_LIMIT


func rows_linear_springs() -> void:
	for stiffness: float in [10.0, 100.0, 1000.0, 10000.0]:
		var body := floating(sphere(0.1), Vector3.ZERO, {"can_sleep": false, "inertia": Vector3.ONE})
		var joint := _joint(body)
		joint.set_flag_x(LINEAR_LIMIT, false)
		joint.set_flag_x(LINEAR_ON, true)
		joint.set_param_x(Generic6DOFJoint3D.PARAM_LINEAR_SPRING_STIFFNESS, stiffness)
		joint.set_param_x(Generic6DOFJoint3D.PARAM_LINEAR_SPRING_DAMPING, 0.0)
		var rate := sqrt(stiffness)
		body.linear_velocity = Vector3(0.2 * rate, 0, 0)
		await _swings("spring of %.0f N/m on 1 kg" % stiffness, rate, 0.2, func() -> Vector2:
			return Vector2(body.position.x, body.linear_velocity.x / rate))
		for child: Node in get_children():
			child.free()


func rows_angular_springs() -> void:
	for stiffness: float in [10.0, 1000.0]:
		var body := floating(sphere(0.1), Vector3.ZERO, {"can_sleep": false, "inertia": Vector3.ONE})
		var joint := _joint(body)
		joint.set_flag_x(ANGULAR_LIMIT, false)
		joint.set_flag_x(ANGULAR_ON, true)
		joint.set_param_x(Generic6DOFJoint3D.PARAM_ANGULAR_SPRING_STIFFNESS, stiffness)
		joint.set_param_x(Generic6DOFJoint3D.PARAM_ANGULAR_SPRING_DAMPING, 0.0)
		var rate := sqrt(stiffness)
		body.angular_velocity = Vector3(0.2 * rate, 0, 0)
		await _swings("spring of %.0f N m/rad on 1 kg m^2" % stiffness, rate, 0.2, func() -> Vector2:
			return Vector2(body.basis.y.signed_angle_to(Vector3.UP, Vector3.LEFT), body.angular_velocity.x / rate))
		for child: Node in get_children():
			child.free()


## A damped one: what is left follows exp(-c t / 2 m).
func rows_damped_spring() -> void:
	var body := floating(sphere(0.1), Vector3.ZERO, {"can_sleep": false, "linear_velocity": Vector3(2, 0, 0)})
	var joint := _joint(body)
	joint.set_flag_x(LINEAR_LIMIT, false)
	joint.set_flag_x(LINEAR_ON, true)
	joint.set_param_x(Generic6DOFJoint3D.PARAM_LINEAR_SPRING_STIFFNESS, 100.0)
	joint.set_param_x(Generic6DOFJoint3D.PARAM_LINEAR_SPRING_DAMPING, 0.5)
	await steps(240)
	# Of motion and place together; the swing within a period is c / 2 m to the rate, 2.5 %.
	formula("spring of 100 N/m, damping 0.5, on 1 kg: amplitude after 4 s", "m",
		Vector2(body.position.x, body.linear_velocity.x / 10.0).length(), 0.2 * exp(-1.0), 0.2 * exp(-1.0) * 0.035)


## To the world, held in all directions.
func _joint(body: RigidBody3D) -> Generic6DOFJoint3D:
	var joint := Generic6DOFJoint3D.new()
	add_child(joint)
	joint.node_b = joint.get_path_to(body)
	return joint


## `phase` gives place and motion in one unit: they go round once a period.
func _swings(words: String, rate: float, amplitude: float, phase: Callable) -> void:
	await steps()
	var before: Vector2 = phase.call()
	var turned := 0.0
	var least_left := INF
	for tick: int in 600:
		await steps()
		var now: Vector2 = phase.call()
		turned += before.angle_to(now)
		before = now
		least_left = minf(least_left, now.length())
	formula("%s: period" % words, "s", TAU * 10.0 / absf(turned), TAU / rate)
	formula("%s: left of its amplitude after 10 s" % words, "%", 100.0 * before.length() / amplitude, 100.0, 5.0)
