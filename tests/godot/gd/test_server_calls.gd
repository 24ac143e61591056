extends "res://gd/physics_test.gd"
## Calls of PhysicsServer3D that no node makes: what is set is read back, and does what it says.


func test_cylinder_made_through_the_server() -> void:
	var shape := own(PhysicsServer3D.cylinder_shape_create())
	PhysicsServer3D.shape_set_data(shape, {"radius": 0.5, "height": 2.0})
	check_equal(PhysicsServer3D.shape_get_type(shape), PhysicsServer3D.SHAPE_CYLINDER, "type")
	var body := server_body(PhysicsServer3D.BODY_MODE_STATIC, shape)
	var down := PhysicsRayQueryParameters3D.create(Vector3(0.3, 5, 0.3), Vector3(0.3, -5, 0.3))
	check_near(direct_space().intersect_ray(down)["position"], Vector3(0.3, 1, 0.3), 1e-4, "its flat top")
	var side := PhysicsRayQueryParameters3D.create(Vector3(5, 0.9, 0), Vector3(-5, 0.9, 0))
	check_near(direct_space().intersect_ray(side)["position"], Vector3(0.5, 0.9, 0), 1e-4, "its round side")
	check_equal(direct_space().intersect_ray(side)["rid"], body, "rid")


func test_shape_margin_is_kept() -> void:
	var shape := server_box()
	PhysicsServer3D.shape_set_margin(shape, 0.25)
	check_near(PhysicsServer3D.shape_get_margin(shape), 0.25, 1e-6, "margin")


func test_area_ids_layers_and_masks_are_read_back() -> void:
	var area := own(PhysicsServer3D.area_create())
	PhysicsServer3D.area_attach_object_instance_id(area, get_instance_id())
	check_equal(PhysicsServer3D.area_get_object_instance_id(area), get_instance_id(), "id")
	PhysicsServer3D.area_set_collision_layer(area, 6)
	PhysicsServer3D.area_set_collision_mask(area, 10)
	check_equal(PhysicsServer3D.area_get_collision_layer(area), 6, "layer")
	check_equal(PhysicsServer3D.area_get_collision_mask(area), 10, "mask")


func test_spaces_of_areas_and_contacts_to_report_are_read_back() -> void:
	var area := own(PhysicsServer3D.area_create())
	PhysicsServer3D.area_set_space(area, get_world_3d().space)
	check_equal(PhysicsServer3D.area_get_space(area), get_world_3d().space, "space")
	PhysicsServer3D.area_set_space(area, RID())
	check_equal(PhysicsServer3D.area_get_space(area), RID(), "no space")
	var body := floating(sphere(), Vector3.ZERO, {"max_contacts_reported": 7})
	check_equal(PhysicsServer3D.body_get_max_contacts_reported(body.get_rid()), 7, "contacts")


func test_body_flags_are_read_back() -> void:
	var body := server_body(PhysicsServer3D.BODY_MODE_RIGID, server_sphere())
	for enabled: bool in [true, false]:
		PhysicsServer3D.body_set_enable_continuous_collision_detection(body, enabled)
		check_equal(PhysicsServer3D.body_is_continuous_collision_detection_enabled(body), enabled, "continuous")
		PhysicsServer3D.body_set_omit_force_integration(body, enabled)
		check_equal(PhysicsServer3D.body_is_omitting_force_integration(body), enabled, "omits forces")
	PhysicsServer3D.body_set_omit_force_integration(body, true)
	await steps(10)
	check_near(origin_of(body), Vector3.ZERO, 1e-6, "nothing pulls it")


## The part of the velocity along the axis is replaced by the axis.
func test_axis_velocity_replaces_one_component() -> void:
	var body := server_body(PhysicsServer3D.BODY_MODE_RIGID, server_sphere())
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY, Vector3(1, -7, 2))
	PhysicsServer3D.body_set_axis_velocity(body, Vector3(0, 5, 0))
	check_near(PhysicsServer3D.body_get_state(body, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY), Vector3(1, 5, 2), 1e-5, "velocity")


func test_collision_exceptions_are_listed() -> void:
	var a := floating(sphere(), Vector3.ZERO)
	var b := floating(sphere(), Vector3(5, 0, 0))
	a.add_collision_exception_with(b)
	check_equal(a.get_collision_exceptions(), [b] as Array[PhysicsBody3D], "after adding")
	a.remove_collision_exception_with(b)
	check_equal(a.get_collision_exceptions(), [] as Array[PhysicsBody3D], "after removing")


## ------------------------------------------------------------------ joints

func _two() -> Array[RID]:
	var shape := server_sphere(0.1)
	return [server_body(PhysicsServer3D.BODY_MODE_STATIC, shape, Vector3(0, 1, 0)),
		server_body(PhysicsServer3D.BODY_MODE_RIGID, shape)]


func test_pin_points_and_parameters_are_read_back() -> void:
	var bodies := _two()
	var joint := own(PhysicsServer3D.joint_create())
	PhysicsServer3D.joint_make_pin(joint, bodies[0], Vector3(0, 1, 0), bodies[1], Vector3(0, 2, 0))
	check_equal(PhysicsServer3D.pin_joint_get_local_a(joint), Vector3(0, 1, 0), "local_a")
	check_equal(PhysicsServer3D.pin_joint_get_local_b(joint), Vector3(0, 2, 0), "local_b")
	PhysicsServer3D.pin_joint_set_local_a(joint, Vector3(3, 0, 0))
	check_equal(PhysicsServer3D.pin_joint_get_local_a(joint), Vector3(3, 0, 0), "local_a, moved")
	PhysicsServer3D.pin_joint_set_param(joint, PhysicsServer3D.PIN_JOINT_IMPULSE_CLAMP, 500.0)
	check_near(PhysicsServer3D.pin_joint_get_param(joint, PhysicsServer3D.PIN_JOINT_IMPULSE_CLAMP), 500.0, 1e-4, "clamp")
	await steps(300)
	check_near(origin_of(bodies[1]).distance_to(Vector3(3, 1, 0)), 2.0, 0.02, "it hangs on the new point")


func test_parameters_and_flags_of_joints_are_read_back() -> void:
	var bodies := _two()
	var server := PhysicsServer3D
	var joint := own(server.joint_create())
	server.joint_make_hinge(joint, bodies[0], Transform3D(), bodies[1], Transform3D())
	server.hinge_joint_set_param(joint, server.HINGE_JOINT_MOTOR_TARGET_VELOCITY, 3.0)
	server.hinge_joint_set_flag(joint, server.HINGE_JOINT_FLAG_ENABLE_MOTOR, true)
	check_near(server.hinge_joint_get_param(joint, server.HINGE_JOINT_MOTOR_TARGET_VELOCITY), 3.0, 1e-6, "hinge")
	check_equal(server.hinge_joint_get_flag(joint, server.HINGE_JOINT_FLAG_ENABLE_MOTOR), true, "flag of a hinge")
	server.joint_make_slider(joint, bodies[0], Transform3D(), bodies[1], Transform3D())
	server.slider_joint_set_param(joint, server.SLIDER_JOINT_LINEAR_LIMIT_UPPER, 2.0)
	check_near(server.slider_joint_get_param(joint, server.SLIDER_JOINT_LINEAR_LIMIT_UPPER), 2.0, 1e-6, "slider")
	server.joint_make_cone_twist(joint, bodies[0], Transform3D(), bodies[1], Transform3D())
	server.cone_twist_joint_set_param(joint, server.CONE_TWIST_JOINT_SWING_SPAN, 0.7)
	check_near(server.cone_twist_joint_get_param(joint, server.CONE_TWIST_JOINT_SWING_SPAN), 0.7, 1e-6, "cone twist")
	server.joint_make_generic_6dof(joint, bodies[0], Transform3D(), bodies[1], Transform3D())
	server.generic_6dof_joint_set_param(joint, Vector3.AXIS_Y, server.G6DOF_JOINT_LINEAR_UPPER_LIMIT, 4.0)
	server.generic_6dof_joint_set_flag(joint, Vector3.AXIS_Z, server.G6DOF_JOINT_FLAG_ENABLE_MOTOR, true)
	check_near(server.generic_6dof_joint_get_param(joint, Vector3.AXIS_Y, server.G6DOF_JOINT_LINEAR_UPPER_LIMIT), 4.0, 1e-6, "6DOF")
	check_equal(server.generic_6dof_joint_get_flag(joint, Vector3.AXIS_Z, server.G6DOF_JOINT_FLAG_ENABLE_MOTOR), true, "flag of a 6DOF")
	check_equal(server.generic_6dof_joint_get_flag(joint, Vector3.AXIS_X, server.G6DOF_JOINT_FLAG_ENABLE_MOTOR), false, "of another axis")


func test_priority_and_collisions_of_joints_are_read_back() -> void:
	var bodies := _two()
	var joint := own(PhysicsServer3D.joint_create())
	PhysicsServer3D.joint_make_pin(joint, bodies[0], Vector3.ZERO, bodies[1], Vector3(0, 1, 0))
	PhysicsServer3D.joint_set_solver_priority(joint, 3)
	check_equal(PhysicsServer3D.joint_get_solver_priority(joint), 3, "priority")
	for disabled: bool in [false, true]:
		PhysicsServer3D.joint_disable_collisions_between_bodies(joint, disabled)
		check_equal(PhysicsServer3D.joint_is_disabled_collisions_between_bodies(joint), disabled, "collisions")


## ------------------------------------------------------------------ what runs

## One box on a floor and a pair of boxes far away: three bodies, two pairs and more, two islands.
func test_process_info_counts_what_is_awake() -> void:
	floor_body()
	rigid(box(), Vector3(0, 0.5, 0), {"can_sleep": false})
	floating(box(), Vector3(50, 5, 0), {"can_sleep": false})
	floating(box(), Vector3(51, 5, 0), {"can_sleep": false})
	await steps(5)
	check_equal(PhysicsServer3D.get_process_info(PhysicsServer3D.INFO_ACTIVE_OBJECTS), 3, "active bodies")
	check_equal(PhysicsServer3D.get_process_info(PhysicsServer3D.INFO_COLLISION_PAIRS), 2, "pairs")
	check_equal(PhysicsServer3D.get_process_info(PhysicsServer3D.INFO_ISLAND_COUNT), 2, "islands")
	check_near(Performance.get_monitor(Performance.PHYSICS_3D_ACTIVE_OBJECTS), 3.0, 1e-6, "the same in the monitor")


## The reverb of an area is heard from where the area is nearest to the listener: here from the right. The engine mixes in real
## time, in a thread of its own.
func test_reverb_comes_from_the_nearest_point_of_an_area() -> void:
	AudioServer.add_bus(1)
	AudioServer.set_bus_name(1, "reverb")
	AudioServer.set_bus_send(1, "Master")
	var area := Area3D.new()
	area.reverb_bus_enabled = true
	area.reverb_bus_name = "reverb"
	area.reverb_bus_amount = 1.0
	area.reverb_bus_uniformity = 1.0
	put(area, box(Vector3(4, 4, 4)), Vector3(6, 0, 0))
	var camera := Camera3D.new()
	add_child(camera)
	camera.current = true
	var player := AudioStreamPlayer3D.new()
	player.stream = _square_wave()
	player.position = Vector3(6, 0, 0)
	player.unit_size = 0.5
	add_child(player)
	player.play()
	var loudest := Vector2(-200, -200)
	for attempt: int in 200:
		await steps()
		OS.delay_msec(10)
		loudest.x = maxf(loudest.x, AudioServer.get_bus_peak_volume_left_db(1, 0))
		loudest.y = maxf(loudest.y, AudioServer.get_bus_peak_volume_right_db(1, 0))
		if loudest.y > -80.0 and attempt > 20:
			break
	player.stop()
	for attempt: int in 20:
		await steps()
		OS.delay_msec(10)
	player.stream = null
	AudioServer.remove_bus(1)
	check(loudest.y > -80.0, "it is heard: %s dB" % loudest)
	check(loudest.y > loudest.x + 6.0, "louder on the right: %s dB" % loudest)


func _square_wave() -> AudioStreamWAV:
	var data := PackedByteArray()
	for k: int in 4410:
		data.append(100 if k / 50 % 2 else 156)
	var wave := AudioStreamWAV.new()
	wave.data = data
	wave.loop_mode = AudioStreamWAV.LOOP_FORWARD
	wave.loop_end = 4410
	return wave
