extends "res://gd/physics_test.gd"
## When and how often the engine calls back: state sync, force integration, and what scripts see when.


class Integrator extends RigidBody3D:
	var calls := 0
	var action: Callable
	var steps_seen: Array[float] = []

	func _integrate_forces(state: PhysicsDirectBodyState3D) -> void:
		calls += 1
		steps_seen.append(state.step)
		if action.is_valid():
			action.call(state)


class Watcher extends Node:
	var target: RigidBody3D
	var differences: Array[float] = []

	func _physics_process(_delta: float) -> void:
		var server: Transform3D = PhysicsServer3D.body_get_state(target.get_rid(), PhysicsServer3D.BODY_STATE_TRANSFORM)
		differences.append((server.origin - target.position).length())


func _integrator(at: Vector3, action: Callable = Callable(), custom: bool = false) -> Integrator:
	var body := Integrator.new()
	body.action = action
	body.custom_integrator = custom
	body.linear_damp_mode = RigidBody3D.DAMP_MODE_REPLACE
	body.can_sleep = false
	put(body, sphere(), at)
	return body


func test_state_sync_callback_comes_once_a_tick() -> void:
	var body := server_body(PhysicsServer3D.BODY_MODE_RIGID, server_sphere())
	var heights: Array[float] = []
	PhysicsServer3D.body_set_state_sync_callback(body, func(state: PhysicsDirectBodyState3D) -> void:
		heights.append(state.transform.origin.y))
	check_equal(heights.size(), 0, "before the first step")
	await steps()
	check_equal(heights.size(), 1, "after one step")
	await steps(9)
	check_equal(heights.size(), 10, "after ten")
	check_near(heights.back(), origin_of(body).y, 1e-6, "it tells the current height")
	for index: int in range(1, heights.size()):
		check(heights[index] < heights[index - 1], "each call tells a new height")
	PhysicsServer3D.body_set_state_sync_callback(body, Callable())
	await steps(5)
	check_equal(heights.size(), 10, "none after it was taken away")


func test_all_bodies_are_synced_each_tick() -> void:
	var counts := {}
	for index: int in 50:
		var body := server_body(PhysicsServer3D.BODY_MODE_RIGID, server_sphere(), Vector3(2 * index, 0, 0))
		counts[index] = 0
		PhysicsServer3D.body_set_state_sync_callback(body, func(_state: PhysicsDirectBodyState3D) -> void: counts[index] += 1)
	await steps(20)
	check_equal(counts.values(), range(50).map(func(_index: int) -> int: return 20), "calls of each body")


func test_sleeping_body_tells_it_once_and_then_nothing() -> void:
	floor_body()
	var body := server_body(PhysicsServer3D.BODY_MODE_RIGID, server_box(), Vector3(0, 0.5, 0))
	var asleep: Array[bool] = []
	PhysicsServer3D.body_set_state_sync_callback(body, func(state: PhysicsDirectBodyState3D) -> void:
		asleep.append(state.sleeping))
	await steps(240)
	check_equal(asleep.count(true), 1, "calls that say it sleeps")
	check(not asleep.is_empty() and asleep.back(), "the last one says so")


func test_static_body_is_not_synced() -> void:
	var body := server_body(PhysicsServer3D.BODY_MODE_STATIC, server_box())
	var calls := [0]
	PhysicsServer3D.body_set_state_sync_callback(body, func(_state: PhysicsDirectBodyState3D) -> void: calls[0] += 1)
	await steps(20)
	check_equal(calls[0], 0, "calls")


## Nodes are told before anything of the tick runs, so scripts never see an old place.
func test_nodes_are_in_step_when_scripts_run() -> void:
	var body := rigid(sphere())
	var watcher := Watcher.new()
	watcher.target = body
	add_child(watcher)
	await steps(30)
	check(watcher.differences.size() >= 29, "the watcher ran")
	check_near(watcher.differences.max(), 0.0, 1e-5, "largest difference of node and server")


func test_integrate_forces_is_called_every_tick() -> void:
	var body := _integrator(Vector3.ZERO)
	await steps(20)
	check_equal(body.calls, 20, "calls in 20 steps")
	check_near(body.steps_seen.back(), TICK, 1e-6, "state.step")


func test_integrate_forces_sets_the_velocity() -> void:
	var body := _integrator(Vector3.ZERO, func(state: PhysicsDirectBodyState3D) -> void:
		state.linear_velocity = Vector3(2, 0, 0), true)
	await steps(61)
	check_near(body.position, Vector3(2, 0, 0), 0.05, "way after 1 s")


func test_integrate_forces_moves_the_body() -> void:
	var body := _integrator(Vector3.ZERO, func(state: PhysicsDirectBodyState3D) -> void:
		state.transform = Transform3D(Basis.IDENTITY, Vector3(9, 0, 0)))
	await steps(3)
	check_near(body.position, Vector3(9, 0, 0), 0.01, "place")


func test_custom_integrator_has_no_gravity_and_no_damping() -> void:
	var body := _integrator(Vector3.ZERO, Callable(), true)
	body.linear_velocity = Vector3(1, 0, 0)
	body.linear_damp = 5.0
	body.apply_central_force(Vector3(0, 0, 100))
	await steps(60)
	check_near(body.linear_velocity, Vector3(1, 0, 0), 1e-3, "velocity after 1 s")


func test_forces_in_integrate_forces_count() -> void:
	var body := _integrator(Vector3.ZERO, func(state: PhysicsDirectBodyState3D) -> void:
		state.apply_central_force(Vector3(3, 0, 0)))
	body.gravity_scale = 0.0
	await steps(61)
	check_near(body.linear_velocity.x, 3.0, 0.06, "velocity after 1 s of 3 N on 1 kg")


func test_impulse_in_integrate_forces_is_read_back_at_once() -> void:
	var seen: Array[Vector3] = []
	_integrator(Vector3.ZERO, func(state: PhysicsDirectBodyState3D) -> void:
		var before := state.linear_velocity
		state.apply_impulse(Vector3(1, 0, 0))
		seen.append(state.linear_velocity - before))
	await steps(3)
	check(not seen.is_empty(), "it was called")
	for change: Vector3 in seen:
		check_near(change, Vector3(1, 0, 0), 1e-5, "change of the velocity")


func test_direct_state_method_integrate_forces_applies_gravity() -> void:
	var body := _integrator(Vector3.ZERO, func(state: PhysicsDirectBodyState3D) -> void: state.integrate_forces(), true)
	await steps(60)
	check_near(body.linear_velocity.y, -GRAVITY, GRAVITY * 2.0 * TICK, "velocity after 1 s")


func test_force_integration_callback_gets_its_user_data() -> void:
	var body := server_body(PhysicsServer3D.BODY_MODE_RIGID, server_sphere())
	var got: Array = []
	PhysicsServer3D.body_set_force_integration_callback(body,
		func(state: PhysicsDirectBodyState3D, data: Variant) -> void: got.append([state.transform.origin, data]), "marker")
	await steps(5)
	check_equal(got.size(), 5, "calls")
	if not got.is_empty():
		check_equal(got[0][1], "marker", "user data")


func test_force_integration_callback_without_user_data() -> void:
	var body := server_body(PhysicsServer3D.BODY_MODE_RIGID, server_sphere())
	var calls := [0]
	PhysicsServer3D.body_set_force_integration_callback(body, func(_state: PhysicsDirectBodyState3D) -> void: calls[0] += 1)
	await steps(5)
	check_equal(calls[0], 5, "calls")


func test_direct_state_is_one_object_and_null_without_a_space() -> void:
	var body := server_body(PhysicsServer3D.BODY_MODE_RIGID, server_sphere())
	var first := PhysicsServer3D.body_get_direct_state(body)
	check(first != null, "in a space there is one")
	check_equal(PhysicsServer3D.body_get_direct_state(body), first, "the same each time")
	PhysicsServer3D.body_set_space(body, RID())
	check(PhysicsServer3D.body_get_direct_state(body) == null, "none without a space")


func test_direct_space_state_of_a_body_is_the_worlds() -> void:
	var body := rigid(sphere())
	await steps()
	check_equal(direct_state(body).get_space_state(), direct_space(), "space state")


func test_rays_may_be_cast_within_a_callback() -> void:
	floor_body()
	var hits: Array[float] = []
	var body := _integrator(Vector3(0, 5, 0))
	body.action = func(state: PhysicsDirectBodyState3D) -> void:
		var query := PhysicsRayQueryParameters3D.create(state.transform.origin, state.transform.origin + Vector3.DOWN * 50)
		query.exclude = [body.get_rid()]
		var hit := state.get_space_state().intersect_ray(query)
		hits.append(hit.get("position", Vector3.INF).y)
	await steps(5)
	check_equal(hits.size(), 5, "calls")
	for height: float in hits:
		check_near(height, 0.0, 1e-4, "height of the hit")


func test_callback_of_a_freed_object_is_dropped_in_silence() -> void:
	var body := server_body(PhysicsServer3D.BODY_MODE_RIGID, server_sphere())
	var listener := Integrator.new()
	PhysicsServer3D.body_set_state_sync_callback(body, listener._integrate_forces)
	await steps(2)
	check_equal(listener.calls, 2, "calls while it lives")
	listener.free()
	await steps(5)
	check(origin_of(body).y < 0.0, "the body falls on")


func test_one_body_moves_another_in_its_callback() -> void:
	var other := floating(sphere(), Vector3(10, 0, 0))
	_integrator(Vector3.ZERO, func(_state: PhysicsDirectBodyState3D) -> void:
		other.apply_central_impulse(Vector3(0, 0.1, 0)))
	await steps(30)
	check_near(other.linear_velocity.y, 3.0, 0.25, "velocity after about 30 impulses")


func test_kinematic_body_with_a_callback_is_synced_when_it_moves() -> void:
	var body := server_body(PhysicsServer3D.BODY_MODE_KINEMATIC, server_box())
	var places: Array[Vector3] = []
	PhysicsServer3D.body_set_state_sync_callback(body, func(state: PhysicsDirectBodyState3D) -> void:
		places.append(state.transform.origin))
	await steps(3)
	places.clear()
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM, Transform3D(Basis.IDENTITY, Vector3(1, 0, 0)))
	await steps(2)
	check(not places.is_empty(), "it was told")
	if not places.is_empty():
		check_near(places.back(), Vector3(1, 0, 0), 1e-5, "place")
