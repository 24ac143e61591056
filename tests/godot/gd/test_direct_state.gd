extends "res://gd/physics_test.gd"
## All that can be read and done through PhysicsDirectBodyState3D: each by what mechanics says of it.

## A ball of 2 kg that floats; its inertia is 2/5 m r^2 = 0.2 kg m^2.
const MASS := 2.0
const INERTIA := 0.4 * MASS * 0.5 * 0.5

var _body: RigidBody3D


func _state() -> PhysicsDirectBodyState3D:
	return PhysicsServer3D.body_get_direct_state(_body.get_rid())


func _put_ball(properties: Dictionary = {}) -> PhysicsDirectBodyState3D:
	var all := {"mass": MASS, "can_sleep": false}
	all.merge(properties, true)
	_body = floating(sphere(), Vector3.ZERO, all)
	await steps()
	return _state()


func test_velocities_are_set_at_once() -> void:
	var state := await _put_ball()
	state.linear_velocity = Vector3(1, 2, 3)
	state.angular_velocity = Vector3(3, 2, 1)
	check_near(state.linear_velocity, Vector3(1, 2, 3), 1e-6, "linear, at once")
	check_near(state.angular_velocity, Vector3(3, 2, 1), 1e-6, "angular, at once")
	await steps(60)
	check_near(_body.position, Vector3(1, 2, 3), 0.06, "place after a second")
	check_near(_body.angular_velocity, Vector3(3, 2, 1), 0.01, "a ball keeps its spin")


func test_impulses_change_velocities_at_once() -> void:
	var state := await _put_ball()
	state.apply_central_impulse(Vector3(4, 0, 0))
	check_near(state.linear_velocity, Vector3(4, 0, 0) / MASS, 1e-5, "J / m")
	state.apply_torque_impulse(Vector3(0, 0.4, 0))
	check_near(state.angular_velocity, Vector3(0, 0.4 / INERTIA, 0), 1e-4, "L / I")
	state.linear_velocity = Vector3.ZERO
	state.angular_velocity = Vector3.ZERO
	state.apply_impulse(Vector3(0, 0, 1), Vector3(0.5, 0, 0))
	check_near(state.linear_velocity, Vector3(0, 0, 1) / MASS, 1e-5, "J / m off the centre")
	check_near(state.angular_velocity, Vector3(0.5, 0, 0).cross(Vector3(0, 0, 1)) / INERTIA, 1e-4, "r x J / I")


func test_forces_act_for_one_step() -> void:
	var state := await _put_ball()
	state.apply_central_force(Vector3(12, 0, 0))
	state.apply_torque(Vector3(0, 1.2, 0))
	await steps(3)
	check_near(_state().linear_velocity, Vector3(12, 0, 0) / MASS * TICK, 1e-4, "F / m dt, once")
	check_near(_state().angular_velocity, Vector3(0, 1.2, 0) / INERTIA * TICK, 1e-3, "T / I dt, once")


func test_a_force_off_the_centre_turns() -> void:
	var state := await _put_ball()
	state.apply_force(Vector3(0, 0, 12), Vector3(0.5, 0, 0))
	await steps(3)
	check_near(_state().linear_velocity, Vector3(0, 0, 12) / MASS * TICK, 1e-4, "F / m dt")
	check_near(_state().angular_velocity, Vector3(0, -6, 0) / INERTIA * TICK, 1e-2, "r x F / I dt")


func test_constant_forces_go_on() -> void:
	var state := await _put_ball()
	state.add_constant_central_force(Vector3(1, 0, 0))
	state.add_constant_central_force(Vector3(1, 0, 0))
	check_near(state.get_constant_force(), Vector3(2, 0, 0), 1e-6, "what is set")
	state.add_constant_torque(Vector3(0, 0.1, 0))
	state.add_constant_torque(Vector3(0, 0.1, 0))
	check_near(state.get_constant_torque(), Vector3(0, 0.2, 0), 1e-6, "what is set")
	await steps(60)
	check_near(_state().linear_velocity, Vector3(1, 0, 0) * 60 * TICK, 0.03, "F / m t")
	check_near(_state().angular_velocity, Vector3(0, 1, 0) * 60 * TICK, 0.03, "T / I t")


func test_a_constant_force_off_the_centre_turns() -> void:
	var state := await _put_ball()
	state.add_constant_force(Vector3(0, 0, 1), Vector3(0.2, 0, 0))
	check_near(state.get_constant_force(), Vector3(0, 0, 1), 1e-6, "force")
	check_near(state.get_constant_torque(), Vector3(0, -0.2, 0), 1e-6, "torque: r x F")


func test_constant_forces_are_replaced() -> void:
	var state := await _put_ball()
	state.add_constant_central_force(Vector3(100, 0, 0))
	state.set_constant_force(Vector3(0, 2, 0))
	state.set_constant_torque(Vector3(0, 0, 0.2))
	await steps(60)
	check_near(_state().linear_velocity, Vector3(0, 1, 0) * 60 * TICK, 0.03, "F / m t")
	check_near(_state().angular_velocity, Vector3(0, 0, 1) * 60 * TICK, 0.03, "T / I t")


func test_sleep_can_be_set() -> void:
	var state := await _put_ball({"can_sleep": true})
	state.linear_velocity = Vector3(1, 0, 0)
	state.sleeping = true
	await steps(10)
	check_between(_body.position.x, -0.05, 0.05, "asleep it stays")
	check(_state().sleeping, "asleep")
	_state().sleeping = false
	await steps(2)
	check(not _state().sleeping, "awake")


func test_layer_and_mask_are_read_and_set() -> void:
	var state := await _put_ball({"collision_layer": 5, "collision_mask": 9})
	check_equal(state.collision_layer, 5, "layer")
	check_equal(state.collision_mask, 9, "mask")
	state.collision_layer = 64
	state.collision_mask = 128
	check_equal(PhysicsServer3D.body_get_collision_layer(_body.get_rid()), 64, "layer of the body")
	check_equal(PhysicsServer3D.body_get_collision_mask(_body.get_rid()), 128, "mask of the body")
	var query := PhysicsPointQueryParameters3D.new()
	query.collision_mask = 64
	check_equal(direct_space().intersect_point(query).size(), 1, "found on the new layer")


func test_transform_and_velocity_at_a_point() -> void:
	var state := await _put_ball()
	state.transform = Transform3D(Basis(Vector3.UP, 1.0), Vector3(3, 4, 5))
	check_near(origin_of(_body.get_rid()), Vector3(3, 4, 5), 1e-5, "moved at once")
	check_near(state.transform.basis.x, Basis(Vector3.UP, 1.0).x, 1e-5, "turned")
	state.linear_velocity = Vector3(1, 0, 0)
	state.angular_velocity = Vector3(0, 2, 0)
	check_near(state.get_velocity_at_local_position(Vector3(0, 0, 1)), Vector3(3, 0, 0), 1e-4, "v + w x r")


func test_masses_and_centres() -> void:
	var state := await _put_ball({"center_of_mass_mode": RigidBody3D.CENTER_OF_MASS_MODE_CUSTOM, "center_of_mass": Vector3(0.1, 0, 0)})
	check_near(state.inverse_mass, 1.0 / MASS, 1e-6, "1 / m")
	check_near(state.center_of_mass_local, Vector3(0.1, 0, 0), 1e-5, "centre, body axes")
	state.transform = Transform3D(Basis(Vector3.UP, PI / 2), Vector3.ZERO)
	check_near(state.center_of_mass, Vector3(0, 0, -0.1), 1e-5, "centre, world axes, from the origin")
	var about := Vector3(INERTIA, INERTIA + MASS * 0.01, INERTIA + MASS * 0.01)
	check_near(state.inverse_inertia, Vector3.ONE / about, 1e-2, "1 / I about that centre")
	check_near(state.inverse_inertia_tensor.z.z, 1.0 / about.x, 1e-2, "tensor, world axes")


func test_gravity_damping_and_step() -> void:
	_body = rigid(sphere(), Vector3.ZERO, {"gravity_scale": 2.0, "linear_damp": 0.3, "angular_damp": 0.4, "can_sleep": false})
	await steps(2)
	check_near(_state().total_gravity, Vector3(0, -2.0 * GRAVITY, 0), 1e-4, "gravity")
	check_near(_state().total_linear_damp, 0.3, 1e-6, "linear damping")
	check_near(_state().total_angular_damp, 0.4, 1e-6, "angular damping")
	check_near(_state().step, TICK, 1e-6, "step")
	check(_state().get_space_state() == direct_space(), "the state of its space")


## By hand what the engine does by itself: one more step of gravity.
func test_integrate_forces_applies_gravity() -> void:
	_body = rigid(sphere(), Vector3.ZERO, {"can_sleep": false, "custom_integrator": true})
	await steps(3)
	check_near(_state().linear_velocity, Vector3.ZERO, 1e-6, "nothing acts")
	_state().integrate_forces()
	check_near(_state().linear_velocity, Vector3(0, -GRAVITY * TICK, 0), 1e-3, "g dt")


## A ball at rest on a floor that turns: every getter of a contact.
func test_contacts_tell_all_about_themselves() -> void:
	var ground := fixed(sphere(0.1), Vector3(0, -1, 0), {"constant_linear_velocity": Vector3(0.5, 0, 0)})
	ground.add_child(collision_shape(box(Vector3(20, 2, 20))))
	_body = rigid(sphere(), Vector3(1, 0.5, 0), {"mass": MASS, "can_sleep": false, "contact_monitor": true,
		"max_contacts_reported": 4, "physics_material_override": surface(0.0)})
	ground.physics_material_override = surface(0.0)
	await steps(30)
	var state := _state()
	check_equal(state.get_contact_count(), 1, "contacts")
	if state.get_contact_count() != 1:
		return
	check_near(state.get_contact_local_position(0), Vector3(1, 0, 0), 0.01, "on the ball")
	check_near(state.get_contact_collider_position(0), Vector3(1, 0, 0), 0.01, "on the floor")
	check_near(state.get_contact_local_normal(0), Vector3.UP, 1e-3, "normal")
	check_near(state.get_contact_impulse(0), Vector3(0, MASS * GRAVITY * TICK, 0), 0.02, "what carries it")
	check_equal(state.get_contact_local_shape(0), 0, "shape")
	check_equal(state.get_contact_collider_shape(0), 1, "shape of the floor")
	check_equal(state.get_contact_collider(0), ground.get_rid(), "RID")
	check_equal(state.get_contact_collider_id(0), ground.get_instance_id(), "id")
	check(state.get_contact_collider_object(0) == ground, "object")
	check_near(state.get_contact_local_velocity_at_position(0), Vector3.ZERO, 0.2, "velocity of the ball, before or after gravity was stopped")
	check_near(state.get_contact_collider_velocity_at_position(0), Vector3(0.5, 0, 0), 0.01, "velocity of the belt")
