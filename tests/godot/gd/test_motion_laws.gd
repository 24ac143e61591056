extends "res://gd/joint_test.gd"
## Laws of mechanics for bodies that turn, joints without friction, and springs.

const ALONE := {"can_sleep": false, "collision_layer": 0, "collision_mask": 0}


## Inertia of a box about its axes, for a density that gives it this mass.
func _inertia(size: Vector3, mass: float) -> Vector3:
	var s := size * size
	return mass / 12.0 * Vector3(s.y + s.z, s.x + s.z, s.x + s.y)


func _energy(body: RigidBody3D, inertia: Vector3) -> float:
	var spin := body.angular_velocity * body.basis.orthonormalized()
	return 0.5 * body.mass * body.linear_velocity.length_squared() + 0.5 * (inertia * spin).dot(spin)


## Dzhanibekov's effect: spun about its middle axis a box turns over.
func test_a_box_about_its_middle_axis_turns_over() -> void:
	var body := floating(box(Vector3(0.2, 0.6, 1.0)), Vector3.ZERO, ALONE)
	body.angular_velocity = Vector3(0.05, 8.0, 0.02)
	var lowest := 1.0
	for step: int in 600:
		await steps()
		lowest = minf(lowest, body.basis.y.y)
	check(lowest < -0.95, "the axis turned over: %f" % lowest)


func test_a_spinning_box_keeps_energy_and_momentum() -> void:
	var size := Vector3(0.2, 0.6, 1.0)
	var inertia := _inertia(size, 1.0)
	var body := floating(box(size), Vector3.ZERO, ALONE)
	body.angular_velocity = Vector3(3.0, 9.0, 2.0)
	var momentum := inertia * body.angular_velocity
	var energy := 0.5 * momentum.dot(body.angular_velocity)
	await steps(600)
	var turn := body.basis.orthonormalized()
	check_near(_energy(body, inertia), energy, 2e-3 * energy, "energy")
	check_near(turn * (inertia * (body.angular_velocity * turn)), momentum, 2e-3 * momentum.length(), "momentum")


## The energy of what whirls about a pin beside its middle stays.
func test_a_wheel_on_a_pin_beside_its_middle_keeps_its_energy() -> void:
	var size := Vector3(1.0, 0.2, 1.0)
	var body := floating(box(size), Vector3(0.2, 0, 0), ALONE)
	join(PinJoint3D.new(), body, null)
	await steps(2)
	var spin := Vector3(2, 8, 1)
	body.angular_velocity = spin
	body.linear_velocity = spin.cross(Vector3(0.2, 0, 0))
	var inertia := _inertia(size, 1.0)
	await steps(2)
	var energy := _energy(body, inertia)
	await steps(1200)
	check_near(_energy(body, inertia), energy, 0.01 * energy, "energy")


## A stiff undamped spring swings with the period of Hooke's law, and as far after 10 s as at first.
func test_a_stiff_6dof_spring_keeps_period_and_amplitude() -> void:
	var body := floating(box(Vector3.ONE * 0.4), Vector3.ZERO, ALONE)
	join(Generic6DOFJoint3D.new(), anchor(), body, Vector3.ZERO, {"linear_limit_x/enabled": false,
		"linear_spring_x/enabled": true, "linear_spring_x/stiffness": 1000.0, "linear_spring_x/damping": 0.0})
	await steps(2)
	body.linear_velocity = Vector3(2, 0, 0)
	var crossings: Array[float] = []
	var farthest := 0.0
	var last := 0.0
	for step: int in 600:
		await steps()
		var at := body.position.x
		if last < 0.0 and at >= 0.0:
			crossings.append(step - at / (at - last))
		if step > 480:
			farthest = maxf(farthest, absf(at))
		last = at
	var right := 60.0 * TAU / sqrt(1000.0)
	check(crossings.size() > 40, "it swings: %d times" % crossings.size())
	if crossings.size() > 40:
		check_near((crossings[-1] - crossings[0]) / (crossings.size() - 1), right, 0.01 * right, "period")
	check_near(farthest, 2.0 / sqrt(1000.0), 0.05 * 2.0 / sqrt(1000.0), "amplitude after 10 s")


## A 6DOF joint whose limits nobody switched on lets its body turn.
func test_a_6dof_joint_of_the_server_turns_freely() -> void:
	var body := server_body(PhysicsServer3D.BODY_MODE_RIGID, server_box())
	PhysicsServer3D.body_set_param(body, PhysicsServer3D.BODY_PARAM_GRAVITY_SCALE, 0.0)
	var other := server_body(PhysicsServer3D.BODY_MODE_STATIC, server_box(Vector3.ONE * 0.05), Vector3(0, 0, 0))
	PhysicsServer3D.body_add_collision_exception(body, other)
	var joint := own(PhysicsServer3D.joint_create())
	PhysicsServer3D.joint_make_generic_6dof(joint, other, Transform3D.IDENTITY, body, Transform3D.IDENTITY)
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_ANGULAR_VELOCITY, Vector3(0, 2, 0))
	await steps(30)
	var spin: Vector3 = state_of(body, PhysicsServer3D.BODY_STATE_ANGULAR_VELOCITY)
	check_between(spin.y, 1.8, 2.01, "spin")
