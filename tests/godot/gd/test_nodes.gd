extends "res://gd/physics_test.gd"
## Godot's own nodes that stand on the physics server: spring arms, shape casts, CSG, GridMap, picking, baking of navigation
## meshes, interpolation, physical bones, vehicles, changes of the scene.


## A wall whose near face is at z = 3.
func _wall() -> StaticBody3D:
	return fixed(box(Vector3(10, 10, 2)), Vector3(0, 0, 4))


func _arm(shape: Shape3D) -> SpringArm3D:
	var arm := SpringArm3D.new()
	arm.spring_length = 5.0
	arm.margin = 0.01
	arm.shape = shape
	arm.add_child(Node3D.new())
	add_child(arm)
	return arm


func test_spring_arm_with_a_ball_stops_before_a_wall() -> void:
	_wall()
	var arm := _arm(sphere(0.25))
	await steps(3)
	check_near(arm.get_hit_length(), 2.75, 0.03, "length")
	check_near((arm.get_child(0) as Node3D).position.z, 2.75, 0.03, "place of its child")


func test_spring_arm_without_a_shape_is_a_ray() -> void:
	var wall := _wall()
	var arm := _arm(null)
	await steps(3)
	check_near(arm.get_hit_length(), 3.0 - arm.margin, 0.01, "length")
	arm.add_excluded_object(wall.get_rid())
	await steps(2)
	check_near(arm.get_hit_length(), 5.0, 1e-4, "length with the wall excluded")


func test_shape_cast_finds_all_that_a_ball_meets_first() -> void:
	var boxes: Array[Node] = [fixed(box(), Vector3(-0.6, -2.5, 0)), fixed(box(), Vector3(0.6, -2.5, 0))]
	fixed(box(Vector3(5, 1, 5)), Vector3(0, -9, 0))
	var cast := ShapeCast3D.new()
	cast.shape = box(Vector3(2, 0.5, 0.5))
	cast.target_position = Vector3(0, -10, 0)
	add_child(cast)
	await steps(2)
	check_near(cast.get_closest_collision_safe_fraction(), 0.175, 0.005, "safe fraction")
	var found := range(cast.get_collision_count()).map(func(hit: int) -> Object: return cast.get_collider(hit))
	check(boxes[0] in found and boxes[1] in found, "both boxes are found: %s" % [found])
	for hit: int in cast.get_collision_count():
		check_near(cast.get_collision_normal(hit), Vector3.UP, 0.02, "normal")
		check_near(cast.get_collision_point(hit).y, -2.0, 0.02, "height of the point")


func test_ball_falls_through_a_hole_cut_with_csg() -> void:
	var plate := CSGBox3D.new()
	plate.size = Vector3(6, 1, 6)
	plate.position.y = -0.5
	plate.use_collision = true
	var hole := CSGBox3D.new()
	hole.size = Vector3(2, 2, 2)
	hole.operation = CSGShape3D.OPERATION_SUBTRACTION
	plate.add_child(hole)
	add_child(plate)
	await get_tree().process_frame  # CSG makes its shapes at the end of a frame
	await steps(2)
	var through := rigid(sphere(), Vector3(0, 1, 0))
	var beside := rigid(sphere(), Vector3(2, 1, 0))
	await steps(90)
	check(through.position.y < -3.0, "through the hole: got %s" % through.position.y)
	check_near(beside.position.y, 0.5, 0.025, "beside the hole")


func _grid_map() -> GridMap:
	var library := MeshLibrary.new()
	library.create_item(0)
	library.set_item_shapes(0, [box(Vector3(2, 2, 2)), Transform3D.IDENTITY])
	var map := GridMap.new()
	map.mesh_library = library
	map.cell_size = Vector3(2, 2, 2)
	for x: int in 10:
		for z: int in 3:
			map.set_cell_item(Vector3i(x, -1, z), 0)
	add_child(map)
	return map


func test_grid_map_carries_and_a_cell_can_go() -> void:
	var map := _grid_map()
	await steps(2)
	var ball := rigid(sphere(), Vector3(3, 0.6, 3))
	var other := rigid(sphere(), Vector3(7, 0.6, 3))
	await steps(60)
	check_near(ball.position.y, 0.5, 0.025, "on its cell")
	map.set_cell_item(Vector3i(1, -1, 1), GridMap.INVALID_CELL_ITEM)
	await get_tree().process_frame
	await steps(60)
	check(ball.position.y < -2.0, "the cell is gone: got %s" % ball.position.y)
	check_near(other.position.y, 0.5, 0.025, "the others are there")


func test_ball_rolls_over_the_seams_of_a_grid_map() -> void:
	_grid_map()
	await steps(2)
	var ball := rigid(sphere(), Vector3(1, 0.5, 3), {"linear_velocity": Vector3(6, 0, 0), "angular_velocity": Vector3(0, 0, -12)})
	var highest := 0.0
	for step: int in 150:
		await steps()
		highest = maxf(highest, ball.position.y)
	check_near(ball.position, Vector3(16, 0.5, 3), 0.1, "place after 2.5 s at 6 m/s")
	check_between(highest, 0.49, 0.51, "highest on the way")


func test_mouse_picks_the_nearest_pickable_body() -> void:
	var camera := Camera3D.new()
	camera.position = Vector3(0, 0, 10)
	add_child(camera)
	camera.make_current()
	var near := fixed(box(), Vector3(0, 0, 2))
	var far := fixed(box(), Vector3.ZERO)
	var picked: Array = []
	for body: StaticBody3D in [near, far]:
		body.input_ray_pickable = true
		body.input_event.connect(func(_camera: Node, _event: InputEvent, at: Vector3, normal: Vector3, _shape: int) -> void:
			picked.append([body, at, normal]))
	var viewport := get_viewport()
	viewport.physics_object_picking = true
	await steps(2)
	for pickable: bool in [true, false]:
		near.input_ray_pickable = pickable
		var click := InputEventMouseButton.new()
		click.button_index = MOUSE_BUTTON_LEFT
		click.pressed = pickable
		click.position = camera.unproject_position(Vector3.ZERO)
		viewport.push_input(click, true)
		await steps(2)
	viewport.physics_object_picking = false
	check_equal(picked.size(), 2, "events")
	if picked.size() == 2:
		check_equal(picked[0][0], near, "the near one first")
		check_near(picked[0][1], Vector3(0, 0, 2.5), 0.02, "where")
		check_near(picked[0][2], Vector3.BACK, 1e-3, "normal")
		check_equal(picked[1][0], far, "the far one when the near one is not pickable")


func test_navigation_mesh_is_baked_from_colliders() -> void:
	var region := NavigationRegion3D.new()
	add_child(region)
	var ground := fixed(box(Vector3(10, 1, 10)), Vector3(0, -0.5, 0))
	var post := fixed(box(Vector3(2, 4, 2)), Vector3(0, 2, 0))
	for body: Node in [ground, post]:
		body.reparent(region)
	var mesh := NavigationMesh.new()
	mesh.geometry_parsed_geometry_type = NavigationMesh.PARSED_GEOMETRY_STATIC_COLLIDERS
	mesh.agent_radius = 0.5
	region.navigation_mesh = mesh
	region.bake_navigation_mesh(false)
	var area := 0.0
	var corners := mesh.get_vertices()
	for index: int in mesh.get_polygon_count():
		var polygon := mesh.get_polygon(index)
		for corner: int in range(1, polygon.size() - 1):
			var a := corners[polygon[0]]
			area += (corners[polygon[corner]] - a).cross(corners[polygon[corner + 1]] - a).length() / 2.0
	# 9 x 9 m are left of the ground, 3 x 3 m go for the post; its top is 1 x 1 m. Cells are 0.25 m.
	check_near(area, 73.0, 4.0, "area of the mesh [m^2]")
	await steps()


func test_interpolated_place_lies_between_two_ticks() -> void:
	get_tree().physics_interpolation = true
	var body := floating(sphere(), Vector3.ZERO, {"linear_velocity": Vector3(6, 0, 0)})
	await steps(10)
	var before := body.position.x
	await get_tree().process_frame
	var shown := body.get_global_transform_interpolated().origin.x
	get_tree().physics_interpolation = false
	check_between(shown, before - 6.0 * TICK - 1e-3, body.position.x + 1e-3, "between the last two ticks")
	check_near(body.position.x, before, 6.0 * TICK + 1e-3, "the body itself")


func test_physical_bones_fall_and_stop() -> void:
	var skeleton := Skeleton3D.new()
	skeleton.add_bone("upper")
	skeleton.add_bone("lower")
	skeleton.set_bone_parent(1, 0)
	skeleton.set_bone_rest(0, Transform3D(Basis.IDENTITY, Vector3(0, 3, 0)))
	skeleton.set_bone_rest(1, Transform3D(Basis.IDENTITY, Vector3(0, -0.6, 0)))
	skeleton.reset_bone_poses()
	add_child(skeleton)
	var simulator := PhysicalBoneSimulator3D.new()
	skeleton.add_child(simulator)
	var bones: Array[PhysicalBone3D] = []
	for name_of_bone: String in ["upper", "lower"]:
		var bone := PhysicalBone3D.new()
		bone.add_child(collision_shape(capsule(0.1, 0.5)))
		simulator.add_child(bone)
		bone.set("bone_name", name_of_bone)
		bone.joint_type = PhysicalBone3D.JOINT_TYPE_PIN
		bones.append(bone)
	floor_body()
	await steps(5)
	check_near(bones[0].global_position.y, 3.0, 1e-3, "before the simulation")
	simulator.physical_bones_start_simulation()
	await steps(30)
	check_near(bones[0].global_position.y, 3.0 - GRAVITY * 0.125, 0.12, "after half a second of fall")
	await steps(150)
	check_between(bones[1].global_position.y, 0.08, 0.7, "on the floor")
	simulator.physical_bones_stop_simulation()
	await steps(5)
	var height := bones[0].global_position.y
	await steps(30)
	check_near(bones[0].global_position.y, height, 1e-3, "it does not move when it is stopped")


func _car() -> VehicleBody3D:
	var car := VehicleBody3D.new()
	car.mass = 400.0
	for at: Vector3 in [Vector3(-1, 0, -1), Vector3(1, 0, -1), Vector3(-1, 0, 1), Vector3(1, 0, 1)]:
		var wheel := VehicleWheel3D.new()
		wheel.position = at
		wheel.wheel_radius = 0.4
		wheel.wheel_rest_length = 0.3
		wheel.suspension_stiffness = 50.0
		wheel.suspension_max_force = 20000.0
		wheel.damping_compression = 5.0
		wheel.damping_relaxation = 7.0
		wheel.wheel_friction_slip = 3.0
		wheel.use_as_traction = true
		car.add_child(wheel)
	put(car, box(Vector3(2, 0.4, 3)), Vector3(0, 0.8, 0))
	return car


func test_vehicle_stands_on_its_springs_and_drives() -> void:
	floor_body()
	var car := _car()
	await steps(120)
	check_between(car.position.y, 0.5, 0.7, "it stands between its wheels' radius and their springs' length")
	check_near(car.basis.y, Vector3.UP, 0.01, "upright")
	check_near(car.linear_velocity.y, 0.0, 0.005, "at rest, also between steps")
	car.engine_force = 200.0
	await steps(60)
	# Four wheels with 200 N for 1 s on 400 kg.
	check_near(absf(car.linear_velocity.z), 2.0, 0.2, "speed")
	check_near(car.linear_velocity.x, 0.0, 0.05, "straight")


func test_vehicle_that_was_placed_with_its_brake_on_stands_still() -> void:
	floor_body()
	var car := _car()
	car.brake = 50.0
	await steps(120)
	var place := car.position
	for step: int in 60:
		await steps(1)
		check_near(car.linear_velocity, Vector3.ZERO, 1e-4, "speed")
	check_near(car.position, place, 1e-4, "place")


func test_change_of_the_scene_frees_all() -> void:
	var level := Node3D.new()
	for number: int in 20:
		var body: CollisionObject3D = RigidBody3D.new() if number % 2 else Area3D.new()
		var collision := collision_shape(box())
		body.add_child(collision)
		body.position = Vector3(0, 2.0 * number, 0)
		level.add_child(body)
		body.owner = level
		collision.owner = level
	var scene := PackedScene.new()
	scene.pack(level)
	level.free()
	var query := PhysicsRayQueryParameters3D.create(Vector3(0, 60, 0), Vector3(0, -60, 0))
	query.collide_with_areas = true
	var objects: Array[float] = []
	for round_number: int in 4:
		get_tree().change_scene_to_packed(scene)
		await steps(5)
		check(not direct_space().intersect_ray(query).is_empty(), "a ray meets the scene")
		get_tree().unload_current_scene()
		await steps(3)
		check(direct_space().intersect_ray(query).is_empty(), "nothing is left")
		check_equal(PhysicsServer3D.get_process_info(PhysicsServer3D.INFO_ACTIVE_OBJECTS), 0, "active objects")
		objects.append(Performance.get_monitor(Performance.OBJECT_COUNT))
	check_equal(objects[3], objects[1], "objects after one round and after three")
