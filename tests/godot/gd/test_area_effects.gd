extends "res://gd/area_test.gd"
## Areas: what they do to gravity and damping of bodies.

const SPACE := Vector3(0, -GRAVITY, 0)
const UP := Vector3(0, 5, 0)
const SIDE := Vector3(3, 0, 0)


func gravity_area(vector: Vector3, mode: Area3D.SpaceOverride, priority: int = 0) -> Area3D:
	return area(box(Vector3.ONE * 10.0), Vector3.ZERO, {"gravity_space_override": mode, "priority": priority,
		"gravity": vector.length(), "gravity_direction": vector.normalized()})


func test_gravity_in_each_mode() -> void:
	var expected := {
		Area3D.SPACE_OVERRIDE_DISABLED: SIDE + SPACE,
		Area3D.SPACE_OVERRIDE_COMBINE: UP + SIDE + SPACE,
		Area3D.SPACE_OVERRIDE_COMBINE_REPLACE: UP,
		Area3D.SPACE_OVERRIDE_REPLACE: UP,
		Area3D.SPACE_OVERRIDE_REPLACE_COMBINE: UP + SIDE + SPACE,
	}
	for mode: Area3D.SpaceOverride in expected:
		var above := gravity_area(UP, mode, 2)
		var below := gravity_area(SIDE, Area3D.SPACE_OVERRIDE_COMBINE, 1)
		var body := rigid(sphere())
		await steps(3)
		var before := body.linear_velocity
		await steps(12)
		check_near((body.linear_velocity - before) / (12.0 * TICK), expected[mode], 0.01, "acceleration in mode %d" % mode)
		check_near(direct_state(body).total_gravity, expected[mode], 0.001, "total gravity in mode %d" % mode)
		for node: Node in [above, below, body]:
			node.free()


## An area of higher priority that combines acts before one that replaces the result so far.
func test_higher_priority_comes_first() -> void:
	gravity_area(UP, Area3D.SPACE_OVERRIDE_COMBINE, 3)
	var replacing := gravity_area(SIDE, Area3D.SPACE_OVERRIDE_REPLACE, 2)
	var body := rigid(sphere())
	await steps(2)
	check_near(direct_state(body).total_gravity, SIDE, 1e-3, "the one below replaces what was combined")
	replacing.priority = 4
	await steps(2)
	check_near(direct_state(body).total_gravity, SIDE, 1e-3, "the one above replaces and ends it")
	replacing.gravity_space_override = Area3D.SPACE_OVERRIDE_REPLACE_COMBINE
	await steps(2)
	check_near(direct_state(body).total_gravity, SIDE + UP + SPACE, 1e-3, "replaces, and the others are added")


func test_gravity_acts_from_the_first_tick_and_ends_with_the_area() -> void:
	var trigger := gravity_area(Vector3.ZERO, Area3D.SPACE_OVERRIDE_REPLACE)
	var body := rigid(sphere())
	await steps(10)
	check_near(body.linear_velocity, Vector3.ZERO, 1e-6, "weightless from the beginning")
	trigger.position.x = 50.0
	await steps(30)
	check_near(body.linear_velocity.y, -GRAVITY * 30.0 * TICK, 0.2, "falls when the area is gone")


func test_gravity_returns_when_the_body_leaves() -> void:
	gravity_area(UP, Area3D.SPACE_OVERRIDE_REPLACE)
	var body := rigid(sphere(), Vector3(0, 4, 0))
	await steps_until(func() -> bool: return body.position.y > 6.0, 200)
	var top := body.linear_velocity.y
	await steps(12)
	check_near(body.linear_velocity.y - top, -GRAVITY * 12.0 * TICK, 0.01, "outside")


func test_gravity_direction_is_the_worlds() -> void:
	var trigger := gravity_area(UP, Area3D.SPACE_OVERRIDE_REPLACE)
	trigger.rotation = Vector3(0, 0, 1.0)
	var body := rigid(sphere())
	await steps(2)
	check_near(direct_state(body).total_gravity, UP, 1e-3, "turning the area does not turn its gravity")


func test_point_gravity() -> void:
	var trigger := area(sphere(20.0), Vector3(1, 2, 3), {"gravity_space_override": Area3D.SPACE_OVERRIDE_REPLACE,
		"gravity_point": true, "gravity_point_center": Vector3(0, 2, 0), "gravity": 8.0})
	var body := rigid(sphere(), Vector3(1, 4, 9), {"gravity_scale": 1.0, "axis_lock_linear_x": true,
		"axis_lock_linear_y": true, "axis_lock_linear_z": true})
	await steps(2)
	check_near(direct_state(body).total_gravity, Vector3(0, 0, -8), 0.01, "the same strength everywhere")
	trigger.gravity_point_unit_distance = 3.0
	await steps(2)
	check_near(direct_state(body).total_gravity, Vector3(0, 0, -2), 0.01, "strength at 3 m, a quarter of it at 6 m")
	trigger.rotation = Vector3(0, 0, PI / 2.0)
	await steps(2)
	check_near(direct_state(body).total_gravity.normalized(), Vector3(-2, -2, -6).normalized(), 0.01, "the point turns along")


## Half a turn about a point at 4 m with v^2 = g r.
func test_orbit() -> void:
	area(sphere(20.0), Vector3.ZERO, {"gravity_space_override": Area3D.SPACE_OVERRIDE_REPLACE, "gravity_point": true,
		"gravity_point_center": Vector3.ZERO, "gravity": 9.0, "gravity_point_unit_distance": 4.0})
	var body := rigid(sphere(), Vector3(4, 0, 0), {"linear_velocity": Vector3(0, 0, 6)})
	await steps(roundi(PI * 4.0 / 6.0 * 60.0))
	check_near(body.position, Vector3(-4, 0, 0), 0.25, "on the other side")


func test_gravity_scale_counts_in_areas() -> void:
	gravity_area(UP, Area3D.SPACE_OVERRIDE_REPLACE)
	var body := rigid(sphere(), Vector3.ZERO, {"gravity_scale": -2.0})
	await steps(2)
	check_near(direct_state(body).total_gravity, UP * -2.0, 1e-3, "scaled")


func test_damping_in_each_mode() -> void:
	var space := 0.1
	var expected := {
		Area3D.SPACE_OVERRIDE_DISABLED: 0.5 + space,
		Area3D.SPACE_OVERRIDE_COMBINE: 3.0 + 0.5 + space,
		Area3D.SPACE_OVERRIDE_COMBINE_REPLACE: 3.0,
		Area3D.SPACE_OVERRIDE_REPLACE: 3.0,
		Area3D.SPACE_OVERRIDE_REPLACE_COMBINE: 3.0 + 0.5 + space,
	}
	for mode: Area3D.SpaceOverride in expected:
		for kind: String in ["linear", "angular"]:
			var setting := kind + "_damp_space_override"
			var above := area(box(Vector3.ONE * 10.0), Vector3.ZERO, {setting: mode, "priority": 2, kind + "_damp": 3.0})
			var below := area(box(Vector3.ONE * 10.0), Vector3.ZERO, {setting: Area3D.SPACE_OVERRIDE_COMBINE,
				"priority": 1, kind + "_damp": 0.5})
			var body := floating(sphere(), Vector3.ZERO, {"linear_damp_mode": RigidBody3D.DAMP_MODE_COMBINE,
				"angular_damp_mode": RigidBody3D.DAMP_MODE_COMBINE})
			await steps(2)
			var velocity := Vector3(2, 0, 0)
			body.set(kind + "_velocity", velocity)
			await steps(20)
			var now: Vector3 = body.get(kind + "_velocity")
			check_near(now.x, 2.0 * pow(1.0 - expected[mode] * TICK, 20), 0.02, "%s velocity in mode %d" % [kind, mode])
			var total: float = direct_state(body).total_linear_damp if kind == "linear" else direct_state(body).total_angular_damp
			check_near(total, expected[mode], 1e-3, "total %s damp in mode %d" % [kind, mode])
			for node: Node in [above, below, body]:
				node.free()


func test_damp_modes_of_the_body() -> void:
	area(box(Vector3.ONE * 20.0), Vector3.ZERO, {"linear_damp_space_override": Area3D.SPACE_OVERRIDE_REPLACE, "linear_damp": 2.0})
	var adding := floating(sphere(), Vector3.ZERO, {"linear_damp_mode": RigidBody3D.DAMP_MODE_COMBINE, "linear_damp": 0.5})
	var own_only := floating(sphere(), Vector3(3, 0, 0), {"linear_damp_mode": RigidBody3D.DAMP_MODE_REPLACE, "linear_damp": 0.5})
	await steps(2)
	check_near(direct_state(adding).total_linear_damp, 2.5, 1e-3, "the body's is added")
	check_near(direct_state(own_only).total_linear_damp, 0.5, 1e-3, "the body's replaces")


func test_gravity_of_bodies_that_do_not_fall() -> void:
	gravity_area(UP, Area3D.SPACE_OVERRIDE_REPLACE)
	var inside := put(CharacterBody3D.new(), sphere()) as CharacterBody3D
	var outside := put(CharacterBody3D.new(), sphere(), Vector3(30, 0, 0)) as CharacterBody3D
	await steps(2)
	check_near(inside.get_gravity(), UP, 1e-3, "a character in the area")
	check_near(outside.get_gravity(), SPACE, 1e-3, "a character outside")


func test_sleeping_body_wakes_when_an_area_acts_on_it() -> void:
	floor_body()
	var body := rigid(box(), Vector3(0, 0.5, 0))
	await steps_until(func() -> bool: return body.sleeping, 120)
	check(body.sleeping, "it sleeps")
	var trigger := gravity_area(UP, Area3D.SPACE_OVERRIDE_REPLACE)
	await steps(20)
	check(body.linear_velocity.y > 0.5, "an area that came lifts it: %s" % body.linear_velocity)
	trigger.gravity_direction = Vector3.DOWN
	await steps(300)
	check(body.sleeping, "it came down and sleeps")
	trigger.gravity_direction = Vector3.UP
	await steps(20)
	check(body.linear_velocity.y > 0.5, "an area that changed lifts it: %s" % body.linear_velocity)


func test_area_that_does_not_watch_acts() -> void:
	var trigger := gravity_area(UP, Area3D.SPACE_OVERRIDE_REPLACE)
	trigger.monitoring = false
	var body := rigid(sphere())
	var other := rigid(sphere(), Vector3(3, 0, 0), {"collision_layer": 2})
	await steps(2)
	check_near(direct_state(body).total_gravity, UP, 1e-3, "acts without monitoring")
	check_near(direct_state(other).total_gravity, SPACE, 1e-3, "only on what its mask has")


func test_gravity_of_the_space_changes() -> void:
	var body := rigid(sphere())
	var space := get_world_3d().space
	await steps(2)
	PhysicsServer3D.area_set_param(space, PhysicsServer3D.AREA_PARAM_GRAVITY_VECTOR, Vector3.RIGHT)
	await steps(2)
	var total := direct_state(body).total_gravity
	PhysicsServer3D.area_set_param(space, PhysicsServer3D.AREA_PARAM_GRAVITY_VECTOR, Vector3.DOWN)
	check_near(total, Vector3(GRAVITY, 0, 0), 1e-3, "the space's own area")


func test_sleeping_body_wakes_when_the_space_changes() -> void:
	floor_body()
	var body := rigid(box(), Vector3(0, 0.5, 0))
	await steps_until(func() -> bool: return body.sleeping, 120)
	check(body.sleeping, "it sleeps")
	var space := get_world_3d().space
	PhysicsServer3D.area_set_param(space, PhysicsServer3D.AREA_PARAM_GRAVITY_VECTOR, Vector3.UP)
	await steps(20)
	PhysicsServer3D.area_set_param(space, PhysicsServer3D.AREA_PARAM_GRAVITY_VECTOR, Vector3.DOWN)
	check(body.linear_velocity.y > 1.0, "the space lifts it: %s" % body.linear_velocity)
