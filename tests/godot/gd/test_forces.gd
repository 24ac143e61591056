extends "res://gd/physics_test.gd"
## Impulses, forces, torques, mass, inertia, centre of mass, axis locks.

const SIZE := Vector3(1, 2, 3)


## Moments of inertia of a solid box about its axes [kg m^2].
func _box_inertia(mass: float, size: Vector3) -> Vector3:
	var s := size * size
	return mass / 12.0 * Vector3(s.y + s.z, s.z + s.x, s.x + s.y)


func test_central_impulse_changes_velocity_by_j_over_m() -> void:
	var body := floating(box(), Vector3.ZERO, {"mass": 4.0})
	await steps()
	body.apply_central_impulse(Vector3(8, 4, -2))
	check_near(direct_state(body).linear_velocity, Vector3(2, 1, -0.5), 1e-4, "velocity at once")
	await steps()
	check_near(body.linear_velocity, Vector3(2, 1, -0.5), 1e-4, "velocity of the node")
	check_near(body.angular_velocity, Vector3.ZERO, 1e-5, "no spin")


func test_impulse_before_the_first_step_uses_the_mass() -> void:
	var body := floating(box(), Vector3.ZERO, {"mass": 4.0})
	body.apply_central_impulse(Vector3(8, 0, 0))
	await steps()
	check_near(body.linear_velocity.x, 2.0, 1e-4, "velocity")


func test_impulse_outside_the_tree_counts_after_entering() -> void:
	var body := RigidBody3D.new()
	body.gravity_scale = 0.0
	body.linear_damp_mode = RigidBody3D.DAMP_MODE_REPLACE
	body.apply_central_impulse(Vector3(3, 0, 0))
	put(body, sphere())
	await steps()
	check_near(body.linear_velocity.x, 3.0, 1e-4, "velocity")


## w = I^-1 (r x J).
func test_impulse_at_a_point_of_a_box_spins_it_by_its_inertia() -> void:
	var body := floating(box(SIZE), Vector3.ZERO, {"mass": 6.0})
	await steps()
	var at := Vector3(0.5, 0.7, -0.3)
	var impulse := Vector3(1, -2, 3)
	body.apply_impulse(impulse, at)
	check_near(direct_state(body).linear_velocity, impulse / 6.0, 1e-4, "velocity")
	check_near(direct_state(body).angular_velocity, at.cross(impulse) / _box_inertia(6.0, SIZE), 1e-3, "angular velocity")


func test_impulse_at_a_point_of_a_turned_box() -> void:
	var turn := Basis(Vector3(1, 2, -1).normalized(), 0.8)
	var body := floating(box(SIZE), Transform3D(turn, Vector3(3, 1, 2)), {"mass": 6.0})
	await steps()
	var at := Vector3(0.5, 0.7, -0.3)
	var impulse := Vector3(1, -2, 3)
	body.apply_impulse(impulse, at)
	var expected := turn * ((turn.transposed() * at.cross(impulse)) / _box_inertia(6.0, SIZE))
	check_near(direct_state(body).angular_velocity, expected, 1e-3, "angular velocity: position and impulse are in world axes")


## I = 2/5 m r^2.
func test_torque_impulse_on_a_sphere() -> void:
	var body := floating(sphere(0.5), Vector3.ZERO, {"mass": 5.0})
	await steps()
	body.apply_torque_impulse(Vector3(0, 1, 0))
	check_near(direct_state(body).angular_velocity, Vector3(0, 1.0 / (0.4 * 5.0 * 0.25), 0), 2e-3, "angular velocity")


func test_inverse_inertia_of_box_and_sphere() -> void:
	var crate := floating(box(SIZE), Vector3.ZERO, {"mass": 6.0})
	var ball := floating(sphere(0.4), Vector3(9, 0, 0), {"mass": 2.0})
	await steps()
	check_near(direct_state(crate).inverse_inertia, Vector3.ONE / _box_inertia(6.0, SIZE), 1e-3, "box")
	check_near(direct_state(ball).inverse_inertia, Vector3.ONE / (0.4 * 2.0 * 0.16), 0.02, "sphere")
	check_near(direct_state(ball).inverse_mass, 0.5, 1e-6, "inverse mass")


## R I^-1 R^T with the rotation of now: of a body that spins, the one of the step before is another.
func test_inverse_inertia_tensor_of_a_body_that_spins() -> void:
	var crate := floating(box(SIZE), Vector3.ZERO, {"mass": 6.0, "angular_velocity": Vector3(2, 5, 7)})
	var alone := Basis.from_scale(Vector3.ONE / _box_inertia(6.0, SIZE))
	for step: int in 10:
		await steps()
		var state := direct_state(crate)
		var turned := state.transform.basis * alone * state.transform.basis.transposed()
		for column: int in 3:
			check_near(state.inverse_inertia_tensor[column], turned[column], 1e-4, "tensor, column %d" % column)
			check_near(crate.get_inverse_inertia_tensor()[column], turned[column], 1e-4, "of the node, column %d" % column)


## Capsule of radius r and cylinder length l: V = pi r^2 l + 4/3 pi r^3; both parts about the axis and across it.
func test_inverse_inertia_of_a_capsule() -> void:
	var r := 0.5
	var l := 1.0
	var mass := 3.0
	var body := floating(capsule(r, l + 2.0 * r), Vector3.ZERO, {"mass": mass})
	await steps()
	var cylinder := PI * r * r * l
	var ball := 4.0 / 3.0 * PI * r ** 3
	var density := mass / (cylinder + ball)
	var along := density * (cylinder * r * r / 2.0 + ball * 0.4 * r * r)
	var across := density * (cylinder * (r * r / 4.0 + l * l / 12.0) + ball * (0.4 * r * r + l * l / 4.0 + 3.0 / 8.0 * l * r))
	check_near(direct_state(body).inverse_inertia, Vector3(1.0 / across, 1.0 / along, 1.0 / across), 0.03, "inverse inertia")


func test_inverse_inertia_of_a_hull_is_that_of_its_solid() -> void:
	var crate := floating(box_hull(SIZE), Vector3.ZERO, {"mass": 6.0})
	var gem := floating(octahedron(1.0), Vector3(9, 0, 0), {"mass": 10.0})
	await steps()
	check_near(direct_state(crate).inverse_inertia, Vector3.ONE / _box_inertia(6.0, SIZE), 5e-3, "box as a hull")
	# A solid octahedron with corners at distance a has I = m a^2 / 5.
	check_near(direct_state(gem).inverse_inertia, Vector3.ONE * 0.5, 5e-3, "octahedron")


func test_inverse_inertia_tensor_turns_with_the_body() -> void:
	var turn := Basis(Vector3.BACK, PI / 2.0)
	var body := floating(box(SIZE), Transform3D(turn, Vector3.ZERO), {"mass": 6.0})
	await steps(2)
	var tensor := body.get_inverse_inertia_tensor()
	var inverse := Vector3.ONE / _box_inertia(6.0, SIZE)
	check_near(tensor * Vector3.RIGHT, Vector3(inverse.y, 0, 0), 1e-3, "about the world's x, the body's y")
	check_near(tensor * Vector3.UP, Vector3(0, inverse.x, 0), 1e-3, "about the world's y, the body's x")


func test_central_force_acts_for_one_tick() -> void:
	var body := floating(box(), Vector3.ZERO, {"mass": 2.0})
	await steps()
	body.apply_central_force(Vector3(0, 0, 12))
	await steps(10)
	check_near(body.linear_velocity, Vector3(0, 0, 6.0 * TICK), 1e-4, "F / m dt")


func test_force_every_tick_accelerates_by_f_over_m() -> void:
	var body := floating(box(), Vector3.ZERO, {"mass": 2.0})
	for tick: int in 60:
		body.apply_central_force(Vector3(4, 0, 0))
		await steps()
	check_near(body.linear_velocity.x, 2.0, 2e-3, "velocity after 1 s of 4 N on 2 kg")


func test_forces_add_up_within_a_tick() -> void:
	var body := floating(box())
	await steps()
	body.apply_central_force(Vector3(6, 0, 0))
	body.apply_central_force(Vector3(6, 0, 0))
	body.apply_force(Vector3(0, 6, 0), Vector3.ZERO)
	await steps()
	check_near(body.linear_velocity, Vector3(12, 6, 0) * TICK, 1e-4, "velocity")


func test_force_at_a_point_spins() -> void:
	var body := floating(box(Vector3.ONE), Vector3.ZERO, {"mass": 6.0})
	await steps()
	body.apply_force(Vector3(0, 0, 2), Vector3(0.5, 0, 0))
	await steps()
	# I = 1 kg m^2 for a cube of 6 kg; torque (0.5, 0, 0) x (0, 0, 2) = (0, -1, 0).
	check_near(body.angular_velocity, Vector3(0, -1, 0) * TICK, 1e-3, "angular velocity")
	check_near(body.linear_velocity, Vector3(0, 0, 2.0 / 6.0) * TICK, 1e-4, "velocity")


func test_torque_every_tick_accelerates_by_torque_over_inertia() -> void:
	var body := floating(box(Vector3.ONE), Vector3.ZERO, {"mass": 6.0})
	for tick: int in 30:
		body.apply_torque(Vector3(0, 3, 0))
		await steps()
	check_near(body.angular_velocity.y, 1.5, 0.01, "after 0.5 s of 3 N m on 1 kg m^2")


func test_constant_force_acts_until_it_is_changed() -> void:
	var body := floating(box(), Vector3.ZERO, {"mass": 2.0, "constant_force": Vector3(4, 0, 0)})
	await steps(30)
	check_near(body.linear_velocity.x, 1.0, 1e-3, "after half a second")
	check_near(body.constant_force, Vector3(4, 0, 0), 1e-6, "what was set")
	body.constant_force = Vector3.ZERO
	await steps(30)
	check_near(body.linear_velocity.x, 1.0, 1e-3, "after half a second more without")


func test_constant_torque_acts_until_it_is_changed() -> void:
	var body := floating(box(), Vector3.ZERO, {"mass": 6.0, "constant_torque": Vector3(0, 2, 0)})
	await steps(30)
	check_near(body.angular_velocity.y, 1.0, 0.01, "after half a second of 2 N m on 1 kg m^2")
	body.constant_torque = Vector3.ZERO
	await steps(10)
	check_near(body.angular_velocity.y, 1.0, 0.01, "it spins on")


func test_constant_forces_are_added_at_points() -> void:
	var body := floating(box(), Vector3.ZERO, {"mass": 6.0})
	await steps()
	body.add_constant_central_force(Vector3(6, 0, 0))
	body.add_constant_force(Vector3(0, 0, 2), Vector3(0.5, 0, 0))
	body.add_constant_torque(Vector3(0, 0, 0.5))
	check_near(body.constant_force, Vector3(6, 0, 2), 1e-5, "sum of the forces")
	check_near(body.constant_torque, Vector3(0, -1, 0.5), 1e-5, "sum of the torques")
	await steps()
	check_near(body.linear_velocity, Vector3(1, 0, 1.0 / 3.0) * TICK, 1e-4, "velocity after a tick")


func test_static_bodies_ignore_impulses() -> void:
	var body := server_body(PhysicsServer3D.BODY_MODE_STATIC, server_box())
	await steps()
	PhysicsServer3D.body_apply_central_impulse(body, Vector3(100, 0, 0))
	await steps(30)
	check_near(origin_of(body), Vector3.ZERO, 1e-6, "place")


func test_mass_can_be_changed_while_it_moves() -> void:
	var body := floating(box(), Vector3.ZERO, {"mass": 1.0, "linear_velocity": Vector3(1, 0, 0)})
	await steps()
	body.mass = 10.0
	await steps()
	check_near(body.linear_velocity.x, 1.0, 1e-4, "velocity is kept")
	body.apply_central_impulse(Vector3(10, 0, 0))
	check_near(direct_state(body).linear_velocity.x, 2.0, 1e-4, "the new mass counts")


func test_custom_inertia_is_obeyed() -> void:
	var body := floating(box(), Vector3.ZERO, {"inertia": Vector3(2, 4, 8)})
	await steps()
	body.apply_torque_impulse(Vector3(2, 2, 2))
	check_near(direct_state(body).angular_velocity, Vector3(1, 0.5, 0.25), 1e-3, "angular velocity")


## An impulse whose line goes through the centre of mass does not spin.
func test_impulse_through_a_custom_centre_of_mass_does_not_spin() -> void:
	var centre := Vector3(0.4, -0.2, 0)
	var body := floating(box(), Vector3.ZERO, {
		"center_of_mass_mode": RigidBody3D.CENTER_OF_MASS_MODE_CUSTOM, "center_of_mass": centre})
	await steps()
	body.apply_impulse(Vector3(0, 0, 3), centre)
	await steps()
	check_near(body.angular_velocity, Vector3.ZERO, 1e-4, "angular velocity")
	check_near(body.linear_velocity, Vector3(0, 0, 3), 1e-3, "velocity")


## A free spinning body turns about its centre of mass, which stays where it is.
func test_body_turns_about_its_custom_centre_of_mass() -> void:
	var centre := Vector3(1, 0, 0)
	var body := floating(box(), Vector3.ZERO, {
		"center_of_mass_mode": RigidBody3D.CENTER_OF_MASS_MODE_CUSTOM, "center_of_mass": centre})
	await steps()
	body.apply_torque_impulse(Vector3(0, 0.3, 0))
	await steps(60)
	check(absf(body.rotation.y) > 0.2, "it turns")
	check_near(body.transform * centre, centre, 0.02, "place of the centre of mass")


func test_direct_state_tells_the_centre_of_mass() -> void:
	var turn := Basis(Vector3.BACK, PI / 2.0)
	var body := floating(box(), Transform3D(turn, Vector3(5, 5, 5)), {
		"center_of_mass_mode": RigidBody3D.CENTER_OF_MASS_MODE_CUSTOM, "center_of_mass": Vector3(1, 0, 0)})
	await steps()
	check_near(direct_state(body).center_of_mass_local, Vector3(1, 0, 0), 1e-4, "in the body's axes")
	check_near(direct_state(body).center_of_mass, Vector3(0, 1, 0), 1e-4, "offset in the world's axes")


func test_automatic_centre_of_mass_is_that_of_the_shapes() -> void:
	var body := RigidBody3D.new()
	body.gravity_scale = 0.0
	body.add_child(collision_shape(box(), Transform3D(Basis.IDENTITY, Vector3(1, 0, 0))))
	body.add_child(collision_shape(box(), Transform3D(Basis.IDENTITY, Vector3(2, 3, 0))))
	add_child(body)
	await steps()
	check_near(direct_state(body).center_of_mass_local, Vector3(1.5, 1.5, 0), 1e-3, "two equal boxes")


## Steiner: two boxes of m/2 at +-d add m d^2 across their line.
func test_inertia_of_two_boxes_adds_up() -> void:
	var body := RigidBody3D.new()
	body.gravity_scale = 0.0
	body.mass = 12.0
	for side: float in [-2.0, 2.0]:
		body.add_child(collision_shape(box(), Transform3D(Basis.IDENTITY, Vector3(side, 0, 0))))
	add_child(body)
	await steps()
	check_near(direct_state(body).inverse_inertia, Vector3(1 / 2.0, 1 / 50.0, 1 / 50.0), 2e-3, "inverse inertia")


func test_velocity_at_a_point_is_v_plus_omega_cross_r() -> void:
	var body := floating(box(), Vector3.ZERO, {
		"linear_velocity": Vector3(1, 0, 0), "angular_velocity": Vector3(0, 2, 0)})
	await steps()
	check_near(direct_state(body).get_velocity_at_local_position(Vector3(0, 0, 1)), Vector3(3, 0, 0), 0.05, "at z = 1 m")


func test_set_axis_velocity_replaces_one_direction() -> void:
	var body := floating(box(), Vector3.ZERO, {"linear_velocity": Vector3(1, 2, 3)})
	await steps()
	body.set_axis_velocity(Vector3(0, 7, 0))
	check_near(direct_state(body).linear_velocity, Vector3(1, 7, 3), 1e-4, "velocity")


## ------------------------------------------------------------------ axis locks

func test_linear_axis_lock_holds_one_direction() -> void:
	var body := rigid(sphere(), Vector3.ZERO, {"axis_lock_linear_y": true, "linear_velocity": Vector3(1, 0, 2)})
	await steps(60)
	check_near(body.position, Vector3(1, 0, 2), 0.01, "place after 1 s under gravity")


func test_linear_axis_lock_holds_against_a_push() -> void:
	var body := floating(box(), Vector3.ZERO, {"axis_lock_linear_x": true})
	floating(sphere(), Vector3(-3, 0, 0), {"linear_velocity": Vector3(6, 0, 0), "mass": 5.0})
	await steps(60)
	check_near(body.position.x, 0.0, 0.02, "x after it was hit")


func test_angular_axis_locks_hold_a_box_upright() -> void:
	floor_body({"physics_material_override": surface(1.0)})
	var body := rigid(box(Vector3(0.5, 2, 0.5)), Vector3(0, 1, 0), {
		"axis_lock_angular_x": true, "axis_lock_angular_y": true, "axis_lock_angular_z": true})
	await steps(5)
	body.apply_impulse(Vector3(3, 0, 0), Vector3(0, 0.9, 0))
	await steps(60)
	check_near(body.basis.y, Vector3.UP, 1e-3, "upright after a push at the top")
	check(body.position.x > 0.05, "but it slid")


func test_angular_axis_lock_leaves_the_other_axes() -> void:
	var body := floating(box(), Vector3.ZERO, {"mass": 6.0, "axis_lock_angular_x": true})
	await steps()
	body.apply_torque_impulse(Vector3(1, 1, 0))
	await steps()
	check_near(body.angular_velocity, Vector3(0, 1, 0), 0.01, "angular velocity")


func test_lock_rotation_stops_all_rotation() -> void:
	var body := floating(box(), Vector3.ZERO, {"lock_rotation": true})
	await steps()
	body.apply_torque_impulse(Vector3(1, 2, 3))
	body.apply_impulse(Vector3(1, 0, 0), Vector3(0, 0.5, 0))
	await steps(30)
	check(body.basis.is_equal_approx(Basis.IDENTITY), "it does not turn")
	check_near(body.linear_velocity.x, 1.0, 0.01, "it moves")


func test_all_axes_locked_hold_a_rigid_body() -> void:
	var body := rigid(box(), Vector3(0, 3, 0))
	for axis: int in 6:
		PhysicsServer3D.body_set_axis_lock(body.get_rid(), 1 << axis, true)
	rigid(sphere(), Vector3(0, 6, 0), {"mass": 10.0})
	await steps(90)
	check_near(body.position, Vector3(0, 3, 0), 0.02, "place after 1.5 s under gravity and a hit")
	check(PhysicsServer3D.body_is_axis_locked(body.get_rid(), PhysicsServer3D.BODY_AXIS_LINEAR_Y), "says so")


## A body whose weight is held by something: nothing damps it.
func _heavy(at: Vector3, properties: Dictionary = {}) -> RigidBody3D:
	var damping := {"linear_damp_mode": RigidBody3D.DAMP_MODE_REPLACE, "mass": 3.0}
	damping.merge(properties, true)
	return rigid(sphere(), at, damping)


func test_impulses_of_its_weight_hold_a_body_as_a_force_does() -> void:
	var pushed := _heavy(Vector3(0, 5, 0))
	var forced := _heavy(Vector3(5, 5, 0))
	var at_point := _heavy(Vector3(10, 5, 0))
	await steps(2)
	pushed.linear_velocity = Vector3.ZERO
	forced.linear_velocity = Vector3.ZERO
	at_point.linear_velocity = Vector3.ZERO
	var height := pushed.position.y
	for tick: int in 60:
		pushed.apply_central_impulse(Vector3.UP * 3.0 * GRAVITY * TICK)
		at_point.apply_impulse(Vector3.UP * 3.0 * GRAVITY * TICK, Vector3.ZERO)
		forced.apply_central_force(Vector3.UP * 3.0 * GRAVITY)
		await steps()
	check_near(pushed.position.y, height, 1e-4, "height, impulse")
	check_near(at_point.position.y, height, 1e-4, "height, impulse at a point")
	check_near(forced.position.y, height, 1e-4, "height, force")
	check_near(pushed.linear_velocity, Vector3.ZERO, 1e-4, "velocity between steps")


func test_half_of_its_weight_in_impulses_and_a_locked_axis() -> void:
	var pushed := _heavy(Vector3(0, 50, 0))
	var locked := _heavy(Vector3(5, 50, 0), {"axis_lock_linear_y": true})
	var aside := _heavy(Vector3(10, 50, 0))
	await steps(2)
	var speed := pushed.linear_velocity.y
	for tick: int in 30:
		for body: RigidBody3D in [pushed, locked]:
			body.apply_central_impulse(Vector3.UP * 3.0 * GRAVITY * TICK / 2.0)
		aside.apply_central_impulse(Vector3.RIGHT * 3.0 * GRAVITY * TICK)
		await steps()
	check_near(pushed.linear_velocity.y, speed - GRAVITY * 30.0 * TICK / 2.0, 1e-3, "falls half as fast")
	check_near(locked.position.y, 50.0, 1e-5, "a locked axis")
	check_near(aside.linear_velocity.x, GRAVITY * 30.0 * TICK, 1e-3, "impulses to the side are as they were")
	check_near(aside.linear_velocity.y, speed - GRAVITY * 30.0 * TICK, 1e-3, "and hold nothing")


## In one tick at v - g dt, as where gravity is taken first and the body moved after.
func test_a_jump_goes_as_far_as_it_should() -> void:
	var jumper := _heavy(Vector3(0, 5, 0))
	await steps(2)
	jumper.linear_velocity = Vector3.ZERO
	var height := jumper.position.y
	jumper.apply_central_impulse(Vector3.UP * 3.0 * 5.0)
	check_near(direct_state(jumper).linear_velocity.y, 5.0, 1e-4, "velocity at once")
	await steps()
	check_near(jumper.linear_velocity.y, 5.0 - GRAVITY * TICK, 1e-3, "velocity after a tick")
	check_near(jumper.position.y - height, (5.0 - GRAVITY * TICK) * TICK, 1e-3, "way")
