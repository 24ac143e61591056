extends "res://gd/soft_test.gd"
## SoftBody3D: what its documentation says of its properties and methods, and of soft bodies that meet.


func test_layers_are_set_bit_by_bit() -> void:
	var body := cloth(Vector3(0, 10, 0))
	check_equal([body.collision_layer, body.collision_mask], [1, 1], "layer and mask at first")
	body.set_collision_layer_value(3, true)
	body.set_collision_mask_value(1, false)
	check_equal([body.collision_layer, body.collision_mask], [5, 0], "layer and mask")
	check(body.get_collision_layer_value(3) and not body.get_collision_mask_value(1), "single layers")
	var told := PhysicsServer3D.soft_body_get_collision_layer(body.get_physics_rid())
	check_equal(told, 5, "the layer that the server tells")


func test_a_removed_exception_lets_them_collide_again() -> void:
	var ground := floor_body()
	var body := cloth(Vector3(0, 0.5, 0))
	body.add_collision_exception_with(ground)
	check_equal(body.get_collision_exceptions(), [ground] as Array[PhysicsBody3D], "exceptions")
	body.remove_collision_exception_with(ground)
	check_equal(body.get_collision_exceptions().size(), 0, "exceptions that are left")
	await steps(90)
	check_between(lowest(body), -0.02, 0.1, "it lies on the floor")


func test_a_heavy_soft_body_falls_as_a_light_one() -> void:
	var light := cloth(Vector3(-3, 10, 0), {"total_mass": 0.1, "damping_coefficient": 0.0})
	var heavy := cloth(Vector3(3, 10, 0), {"total_mass": 50.0, "damping_coefficient": 0.0})
	await steps(40)
	check(middle(light).y < 8.5, "it falls")
	check_near(middle(light).y, middle(heavy).y, 0.02, "heights")


func test_a_heavy_soft_body_pushes_more() -> void:
	var speeds: Array[float] = []
	for mass: float in [0.2, 5.0]:
		var ball := soft_ball(Vector3(10.0 * speeds.size(), 11, 0), {"total_mass": mass, "pressure_coefficient": 1.0 * mass})
		var target := floating(box(), Vector3(10.0 * speeds.size(), 9.2, 0), {"gravity_scale": 0.0})
		await steps(60)
		speeds.append(-target.linear_velocity.y)
		ball.queue_free()
	check(speeds[0] > 0.0 and speeds[1] > 2.0 * speeds[0], "speeds %s" % [speeds])


func test_a_central_impulse_is_shared_by_all_points() -> void:
	weightless()
	var body := cloth(Vector3(0, 10, 0), {"total_mass": 2.0, "damping_coefficient": 0.0})
	await steps(2)
	var before := middle(body)
	body.apply_central_impulse(Vector3(4, 0, 0))
	await steps(30)
	check_near(middle(body) - before, Vector3(1, 0, 0), 0.1, "half a second at 2 m/s")
	check_near(width(body), 2.0, 0.05, "it keeps its shape")


func test_a_central_force_acts_for_one_step() -> void:
	weightless()
	var body := cloth(Vector3(0, 10, 0), {"total_mass": 2.0, "damping_coefficient": 0.0})
	await steps(2)
	var before := middle(body)
	for _step: int in 30:
		body.apply_central_force(Vector3(0, 0, 8))
		await steps(1)
	check_near(middle(body).z - before.z, 0.5, 0.06, "half a second at 4 m/s^2")


func test_an_impulse_on_a_point_moves_that_point_first() -> void:
	weightless()
	var body := cloth(Vector3(0, 10, 0))
	await steps(2)
	var before := body.get_point_transform(24)
	body.apply_impulse(0, Vector3(0, 0.1, 0))
	await steps(1)
	check(body.get_point_transform(0).y > 10.01, "the point moves")
	check_near(body.get_point_transform(24), before, 0.005, "the opposite corner does not yet")


## The node takes its mesh away from the server while it is disabled: where its points are then is not documented.
func test_a_removed_soft_body_acts_again_when_it_is_enabled() -> void:
	var body := cloth(Vector3(0, 10, 0), {"disable_mode": SoftBody3D.DISABLE_MODE_REMOVE})
	var target := floating(box(), Vector3(0, 9.3, 0), {"gravity_scale": 0.0})
	body.process_mode = Node.PROCESS_MODE_DISABLED
	await steps(60)
	check_near(target.linear_velocity, Vector3.ZERO, 1e-6, "the box below a disabled one")
	body.process_mode = Node.PROCESS_MODE_INHERIT
	await steps(10)
	var before := middle(body).y
	await steps(10)
	check(middle(body).y < before - 0.05, "it falls again")


func test_an_active_soft_body_falls_while_it_is_disabled() -> void:
	var body := cloth(Vector3(0, 10, 0), {"disable_mode": SoftBody3D.DISABLE_MODE_KEEP_ACTIVE})
	await steps(5)
	body.process_mode = Node.PROCESS_MODE_DISABLED
	await steps(40)
	check(middle(body).y < 9.0, "it falls")


func test_a_negative_shrinking_factor_expands() -> void:
	weightless()
	var body := cloth(Vector3(0, 10, 0), {"shrinking_factor": -0.2, "linear_stiffness": 0.9, "damping_coefficient": 5.0})
	await steps(120)
	check_between(width(body), 2.2, 2.6, "width")


func test_more_pressure_makes_a_larger_ball() -> void:
	weightless()
	var widths: Array[float] = []
	for pressure: float in [0.0, 5.0, 50.0]:
		var body := soft_ball(Vector3(5.0 * widths.size(), 10, 0), {"pressure_coefficient": pressure, "damping_coefficient": 5.0})
		await steps(60)
		widths.append(width(body))
	check(widths[0] < widths[1] and widths[1] < widths[2], "widths %s" % [widths])


func test_drag_slows_a_falling_cloth() -> void:
	var free := cloth(Vector3(-3, 20, 0), {"total_mass": 0.2})
	var slowed := cloth(Vector3(3, 20, 0), {"total_mass": 0.2, "drag_coefficient": 1.0})
	await steps(60)
	check(middle(slowed).y > middle(free).y + 1.0, "heights %f and %f" % [middle(slowed).y, middle(free).y])


func test_an_unpinned_point_falls() -> void:
	var body := cloth(Vector3(0, 10, 0))
	pin_all(body)
	await steps(20)
	check_near(middle(body).y, 10.0, 0.02, "pinned")
	for number: int in 25:
		body.set_point_pinned(number, false)
	check(not body.is_point_pinned(0), "no longer pinned")
	await steps(40)
	check(middle(body).y < 9.0, "it falls")


func test_a_lifted_platform_takes_a_soft_body_along() -> void:
	var platform := kinematic(box(Vector3(4, 0.5, 4)), Vector3(0, 0, 0))
	var body := cloth(Vector3(0, 0.4, 0))
	await steps(60)
	var before := lowest(body)
	for _step: int in 60:
		platform.position.y += 0.02
		await steps(1)
	check_near(lowest(body) - before, 1.2, 0.1, "lifted by")


func test_a_soft_ball_lies_on_a_pinned_cloth() -> void:
	var net := cloth(Vector3(0, 2, 0), {"linear_stiffness": 0.9})
	for number: int in [0, 1, 2, 3, 4, 5, 9, 10, 14, 15, 19, 20, 21, 22, 23, 24]:
		net.set_point_pinned(number, true)
	var ball := soft_ball(Vector3(0, 2.7, 0), {"pressure_coefficient": 5.0, "total_mass": 0.2, "damping_coefficient": 1.0})
	await steps(150)
	check_between(middle(ball).y, 1.6, 2.7, "height of the ball")


func test_masks_let_soft_bodies_pass_each_other() -> void:
	var net := cloth(Vector3(0, 2, 0), {"collision_layer": 2, "collision_mask": 2})
	pin_all(net)
	var ball := soft_ball(Vector3(0, 3, 0), {"total_mass": 0.2})
	await steps(120)
	check(middle(ball).y < 0.0, "the ball falls through")


func test_two_soft_balls_push_each_other_apart() -> void:
	weightless()
	var left := soft_ball(Vector3(-0.45, 10, 0), {"pressure_coefficient": 5.0})
	var right := soft_ball(Vector3(0.45, 10, 0), {"pressure_coefficient": 5.0})
	await steps(90)
	check(middle(right).x - middle(left).x > 0.95, "distance %f" % (middle(right).x - middle(left).x))
