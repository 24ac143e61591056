extends "res://gd/physics_test.gd"
## Bodies that touch nothing: gravity, damping, spin, time.


## x = g t^2 / 2. An integrator with steps of dt is off by at most g t dt / 2, which is the tolerance.
func test_free_fall_follows_the_parabola() -> void:
	var body := rigid(box(), Vector3(1, 50, 2))
	await steps(60)
	check_near(body.position.y, 50.0 - GRAVITY / 2.0, GRAVITY * TICK / 2.0 + 1e-3, "height after 1 s")
	check_near(Vector2(body.position.x, body.position.z), Vector2(1, 2), 1e-5, "no drift aside")
	check(body.basis.is_equal_approx(Basis.IDENTITY), "a body without torque does not turn")


func test_free_fall_velocity_is_g_t() -> void:
	var body := rigid(sphere())
	await steps(90)
	check_near(body.linear_velocity, Vector3(0, -GRAVITY * 1.5, 0), 1e-3, "velocity after 1.5 s")


func test_all_masses_and_shapes_fall_alike() -> void:
	var bodies: Array[RigidBody3D] = []
	for shape: Shape3D in [box(), sphere(), capsule(), octahedron()]:
		bodies.append(rigid(shape, Vector3(5.0 * bodies.size(), 0, 0), {"mass": 0.1 * 10.0 ** bodies.size()}))
	await steps(60)
	for body: RigidBody3D in bodies:
		check_near(body.position.y, bodies[0].position.y, 1e-4, "height of the body of %s kg" % body.mass)


func test_gravity_scale_multiplies_gravity() -> void:
	var scales: Array[float] = [0.0, 0.5, 2.0, -1.0]
	var bodies: Array[RigidBody3D] = []
	for scale: float in scales:
		bodies.append(rigid(sphere(), Vector3(bodies.size() * 3, 0, 0), {"gravity_scale": scale}))
	await steps(60)
	for index: int in scales.size():
		check_near(bodies[index].linear_velocity.y, -GRAVITY * scales[index], 2e-3, "gravity scale %s" % scales[index])


func test_projectile_keeps_its_horizontal_velocity() -> void:
	var body := rigid(sphere(), Vector3.ZERO, {"linear_velocity": Vector3(3, 8, -4)})
	await steps(60)
	check_near(body.linear_velocity, Vector3(3, 8 - GRAVITY, -4), 2e-3, "velocity after 1 s")
	check_near(Vector2(body.position.x, body.position.z), Vector2(3, -4), 2e-3, "way after 1 s")


## dv/dt = -c v. Engines take steps v *= 1 - c dt or v /= 1 + c dt; both are within c^2 t dt of exp(-c t).
func test_linear_damp_slows_exponentially() -> void:
	var damp := 1.5
	var body := floating(sphere(), Vector3.ZERO, {"linear_damp": damp, "linear_velocity": Vector3(10, 0, 0)})
	await steps(60)
	check_near(body.linear_velocity.x, 10.0 * exp(-damp), 10.0 * damp * damp * TICK, "velocity after 1 s")


func test_angular_damp_slows_exponentially() -> void:
	var damp := 1.5
	var body := floating(sphere(), Vector3.ZERO, {"angular_damp": damp, "angular_velocity": Vector3(0, 6, 0)})
	await steps(60)
	check_near(body.angular_velocity.y, 6.0 * exp(-damp), 6.0 * damp * damp * TICK, "angular velocity after 1 s")


## Combine adds the world's default damping (0.1 in a new project), replace does not.
func test_damp_mode_combine_adds_the_default_damp() -> void:
	var combined := floating(sphere(), Vector3.ZERO, {
		"linear_damp_mode": RigidBody3D.DAMP_MODE_COMBINE, "linear_velocity": Vector3(10, 0, 0)})
	var replaced := floating(sphere(), Vector3(0, 5, 0), {"linear_velocity": Vector3(10, 0, 0)})
	await steps(120)
	check_near(combined.linear_velocity.x, 10.0 * exp(-0.1 * 2.0), 0.02, "combine")
	check_near(replaced.linear_velocity.x, 10.0, 1e-4, "replace")


func test_spin_turns_by_angle_omega_t() -> void:
	var body := floating(box(Vector3(1, 2, 3)), Vector3.ZERO, {"angular_velocity": Vector3(0, 1.0, 0)})
	await steps(60)
	check_near(body.rotation.y, 1.0, 0.01, "angle after 1 s at 1 rad/s")
	check_near(body.position, Vector3.ZERO, 1e-4, "it spins in its place")


func test_spin_of_a_sphere_lasts() -> void:
	var spin := Vector3(3, -2, 5)
	var body := floating(sphere(), Vector3.ZERO, {"angular_velocity": spin})
	await steps(300)
	check_near(body.angular_velocity, spin, 0.01, "angular velocity after 5 s")


## A spin about the long or the short axis of a box is stable; it stays where it is.
func test_spin_about_a_stable_axis_keeps_its_axis() -> void:
	var body := floating(box(Vector3(0.5, 1, 3)), Vector3.ZERO, {"angular_velocity": Vector3(4, 0, 0)})
	await steps(180)
	check_near(body.angular_velocity, Vector3(4, 0, 0), 0.05, "angular velocity after 3 s")


func test_rotation_stays_orthonormal() -> void:
	var body := floating(box(Vector3(1, 2, 3)), Vector3.ZERO, {"angular_velocity": Vector3(7, 5, 3)})
	await steps(600)
	var basis := body.global_basis
	check_near(basis.determinant(), 1.0, 1e-3, "determinant")
	check_near(basis.x.dot(basis.y), 0.0, 1e-3, "x and y at right angles")
	check_near(basis.y.length(), 1.0, 1e-3, "length of y")


func test_start_velocity_set_before_entering_the_tree_counts() -> void:
	var body := RigidBody3D.new()
	body.gravity_scale = 0.0
	body.linear_damp_mode = RigidBody3D.DAMP_MODE_REPLACE
	body.linear_velocity = Vector3(2, 0, 0)
	put(body, sphere())
	await steps(30)
	check_near(body.position.x, 1.0, 1e-3, "way after half a second at 2 m/s")


func test_total_gravity_is_the_worlds_times_the_scale() -> void:
	var body := rigid(sphere(), Vector3.ZERO, {"gravity_scale": 0.5})
	await steps(2)
	check_near(direct_state(body).total_gravity, Vector3(0, -GRAVITY / 2.0, 0), 1e-4, "total gravity")


func test_gravity_of_the_space_can_be_changed() -> void:
	var space := get_world_3d().space
	var body := rigid(sphere())
	PhysicsServer3D.area_set_param(space, PhysicsServer3D.AREA_PARAM_GRAVITY, 2.0)
	PhysicsServer3D.area_set_param(space, PhysicsServer3D.AREA_PARAM_GRAVITY_VECTOR, Vector3(1, 0, 0))
	await steps(60)
	PhysicsServer3D.area_set_param(space, PhysicsServer3D.AREA_PARAM_GRAVITY, GRAVITY)
	PhysicsServer3D.area_set_param(space, PhysicsServer3D.AREA_PARAM_GRAVITY_VECTOR, Vector3.DOWN)
	check_near(body.linear_velocity, Vector3(2, 0, 0), 1e-3, "velocity after 1 s of 2 m/s^2 along x")


func test_a_body_without_shapes_falls() -> void:
	var body := RigidBody3D.new()
	body.linear_damp_mode = RigidBody3D.DAMP_MODE_REPLACE
	add_child(body)
	await steps(60)
	check_near(body.linear_velocity.y, -GRAVITY, 2e-3, "velocity after 1 s")


func test_twice_the_tick_rate_gives_the_same_fall() -> void:
	Engine.physics_ticks_per_second = 120
	var body := rigid(sphere())
	await steps(121)
	var velocity := body.linear_velocity.y
	check_near(velocity, -GRAVITY * 121.0 / 120.0, GRAVITY / 60.0 + 2e-3, "velocity after 121 ticks of 1/120 s")
	check_near(body.position.y, -GRAVITY / 2.0, 0.25, "height after about 1 s")


func test_time_scale_slows_the_fall() -> void:
	Engine.time_scale = 0.5
	var body := rigid(sphere())
	await steps(61)
	check_near(body.linear_velocity.y, -GRAVITY * 0.5, 2.0 * GRAVITY * TICK, "velocity after 1 s at half speed")


func test_time_scale_of_zero_stops_the_world() -> void:
	var body := rigid(sphere())
	await steps(10)
	Engine.time_scale = 0.0
	await steps(2)
	var height := body.position.y
	await steps(20)
	check_near(body.position.y, height, 1e-6, "height while time stands still")


func test_tick_rate_changed_on_the_way() -> void:
	var body := rigid(sphere())
	await steps(30)
	Engine.physics_ticks_per_second = 240
	await steps(120)
	check_near(body.linear_velocity.y, -GRAVITY, 2.0 * GRAVITY * TICK, "after 30 ticks of 1/60 s and 120 of 1/240 s")


func test_paused_tree_stands_still_and_goes_on() -> void:
	var body := rigid(sphere())
	body.process_mode = Node.PROCESS_MODE_PAUSABLE
	await steps(10)
	get_tree().paused = true
	await steps(2)
	var height := body.position.y
	await steps(30)
	check_near(body.position.y, height, 1e-6, "height while paused")
	get_tree().paused = false
	await steps(30)
	check(body.position.y < height - 0.5, "it falls again")


func test_queries_work_while_paused() -> void:
	fixed(box(), Vector3(0, 0, 0))
	get_tree().paused = true
	await steps(3)
	var late := fixed(box(), Vector3(5, 0, 0))
	check(not ray(Vector3(0, 5, 0), Vector3(0, -5, 0)).is_empty(), "the body from before is hit")
	check_equal(ray(Vector3(5, 5, 0), Vector3(5, -5, 0)).get("collider"), late, "a body added while paused")


func test_far_from_the_origin_a_fall_is_as_exact() -> void:
	var body := rigid(sphere(), Vector3(5000, 100, -5000))
	await steps(60)
	check_near(body.position.y, 100.0 - GRAVITY / 2.0, GRAVITY * TICK / 2.0 + 2e-3, "height after 1 s, 7 km away")


## A spinning body whose centre of mass is not its origin: linear_velocity is that of the centre, and reads back what was written.
func test_linear_velocity_off_centre_stays_as_it_is_written() -> void:
	for at: String in ["shape", "centre"]:
		var body := floating(sphere(), Vector3.ZERO, {"angular_velocity": Vector3(0, 2, 0)})
		if at == "shape":
			(body.get_child(0) as Node3D).position = Vector3(0.5, 0, 0)
		else:
			body.center_of_mass_mode = RigidBody3D.CENTER_OF_MASS_MODE_CUSTOM
			body.center_of_mass = Vector3(0.5, 0, 0)
		await steps(1)
		body.linear_velocity = Vector3(1, 5, 0)
		for tick: int in 30:
			body.linear_velocity = body.linear_velocity
			await steps(1)
		check_near(body.linear_velocity, Vector3(1, 5, 0), 1e-3, "velocity written each tick, %s off the origin" % at)
		for tick: int in 30:
			body.linear_velocity *= 0.9
			await steps(1)
		check_near(body.linear_velocity, Vector3(1, 5, 0) * 0.9 ** 30, 1e-3, "velocity braked by hand, %s off the origin" % at)
		body.free()


## A body of a given mass keeps its momentum, and so its velocity, where its centre of mass changes.
func test_a_centre_of_mass_that_changes_leaves_the_velocity() -> void:
	var body := floating(sphere(), Vector3.ZERO, {"linear_velocity": Vector3(1, 0, 0), "angular_velocity": Vector3(0, 5, 0)})
	(body.get_child(0) as Node3D).position = Vector3(1, 0, 0)
	await steps(1)
	check_near(body.linear_velocity, Vector3(1, 0, 0), 1e-3, "velocity set before the shape was moved")
	body.center_of_mass_mode = RigidBody3D.CENTER_OF_MASS_MODE_CUSTOM
	for turn: int in 10:
		body.center_of_mass = Vector3(0.5 if turn % 2 == 0 else -0.5, 0, 0)
		await steps(5)
	check_near(body.linear_velocity, Vector3(1, 0, 0), 1e-3, "velocity after its centre went to and fro")
