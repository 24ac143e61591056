extends "res://gd/test_bad_input.gd"
## More calls that cannot be obeyed: one for each check of shapes' data, spaces, areas, joints and tables of numbers.

const FAR := Transform3D(Basis.IDENTITY, Vector3(1e20, 0, 0))
const FLAT := Transform3D(Basis(Vector3.RIGHT, Vector3.ZERO, Vector3.BACK), Vector3.ZERO)


func test_heights_that_make_no_field() -> void:
	await _start()
	var field := _shape_of(PhysicsServer3D.heightmap_shape_create(), _heights(2, 2, PackedFloat32Array([0, 0, 0, 0])))
	_case("shape_set_data", "text|String", func() -> void: PhysicsServer3D.shape_set_data(field, "text"))
	_case("shape_set_data", "width", func() -> void: PhysicsServer3D.shape_set_data(field, {"depth": 2}))
	_case("shape_set_data", "text|String", func() -> void:
		PhysicsServer3D.shape_set_data(field, {"width": 2, "depth": 2, "heights": "text", "min_height": 0.0, "max_height": 1.0}))
	_case("shape_set_data", "3", func() -> void:
		PhysicsServer3D.shape_set_data(field, _heights(2, 2, PackedFloat32Array([0, 0, 0]))))
	_case("shape_set_data", "\\b1", func() -> void:
		PhysicsServer3D.shape_set_data(field, _heights(1, 2, PackedFloat32Array([0, 0]))))
	_case("shape_set_data", NOT_FINITE, func() -> void:
		PhysicsServer3D.shape_set_data(field, _heights(2, 2, PackedFloat32Array([0, INF, 0, 0]))))
	await _check_whole()


func test_more_data_that_makes_no_shape() -> void:
	await _start()
	var ground := _shape_of(PhysicsServer3D.world_boundary_shape_create(), Plane(Vector3.UP, -50.0))
	var pill := _shape_of(PhysicsServer3D.capsule_shape_create(), {"radius": 0.5, "height": 2.0})
	var drum := _shape_of(PhysicsServer3D.cylinder_shape_create(), {"radius": 0.5, "height": 2.0})
	var net := _shape_of(PhysicsServer3D.concave_polygon_shape_create(), {
		"faces": PackedVector3Array([Vector3.ZERO, Vector3.RIGHT, Vector3.BACK]), "backface_collision": false})
	_case("shape_set_data", "2\\.5|float", func() -> void: PhysicsServer3D.shape_set_data(ground, 2.5))
	_case("shape_set_data", NOT_FINITE, func() -> void: PhysicsServer3D.shape_set_data(ground, Plane(Vector3.UP, NAN)))
	_case("shape_set_data", NOT_FINITE, func() -> void: PhysicsServer3D.shape_set_data(drum, {"radius": NAN, "height": 1.0}))
	_case("shape_set_data", "-2", func() -> void: PhysicsServer3D.shape_set_data(drum, {"radius": 1.0, "height": -2.0}))
	_case("shape_set_data", "text", func() -> void: PhysicsServer3D.shape_set_data(drum, {"radius": "text", "height": 1.0}))
	_case("shape_set_data", "true|True|bool", func() -> void:
		PhysicsServer3D.shape_set_data(drum, {"radius": true, "height": 1.0}))
	_case("shape_set_data", "0\\.5", func() -> void: PhysicsServer3D.shape_set_data(pill, {"radius": 1.0, "height": 0.5}))
	_case("shape_set_data", "text|String", func() -> void: PhysicsServer3D.shape_set_data(net, {"faces": "text"}))
	_case("shape_set_margin", "-1", func() -> void: PhysicsServer3D.shape_set_margin(_shape, -1.0))
	_case("shape_set_margin", NOT_FINITE, func() -> void: PhysicsServer3D.shape_set_margin(_shape, NAN))
	await _check_whole()


func test_places_out_of_reach() -> void:
	await _start()
	_case("body_add_shape", "e\\+?20|20", func() -> void: PhysicsServer3D.body_add_shape(_body, _shape, FAR))
	_case("body_set_shape_transform", "e\\+?20|20", func() -> void:
		PhysicsServer3D.body_set_shape_transform(_body, 0, FAR))
	_case("body_set_state", "0\\.0", func() -> void:
		PhysicsServer3D.body_set_state(_body, PhysicsServer3D.BODY_STATE_TRANSFORM, FLAT))
	var query := PhysicsShapeQueryParameters3D.new()
	query.shape_rid = _shape
	query.transform = FLAT
	_case("intersect_shape", "0\\.0", func() -> void: direct_space().intersect_shape(query))
	query.transform = Transform3D.IDENTITY
	query.margin = -1.0
	_case("intersect_shape", "-1", func() -> void: direct_space().intersect_shape(query))
	await _check_whole()


func test_numbers_of_bodies_beyond_their_range() -> void:
	await _start()
	_case("body_set_collision_priority", NOT_FINITE, func() -> void:
		PhysicsServer3D.body_set_collision_priority(_body, NAN))
	_case("body_set_max_contacts_reported", "-1", func() -> void:
		PhysicsServer3D.body_set_max_contacts_reported(_body, -1))
	_case("body_set_max_contacts_reported", "5000", func() -> void:
		PhysicsServer3D.body_set_max_contacts_reported(_body, 5000))
	_case("body_set_axis_lock", "\\b3", func() -> void:
		PhysicsServer3D.body_set_axis_lock(_body, 3 as PhysicsServer3D.BodyAxis, true))
	_case("body_is_axis_locked", "\\b3", func() -> void:
		PhysicsServer3D.body_is_axis_locked(_body, 3 as PhysicsServer3D.BodyAxis))
	_case("get_process_info", "99", func() -> void: PhysicsServer3D.get_process_info(99 as PhysicsServer3D.ProcessInfo))
	_case("body_state.get_velocity_at_local_position", NOT_FINITE, func() -> void:
		PhysicsServer3D.body_get_direct_state(_body).get_velocity_at_local_position(Vector3(0, NAN, 0)))
	_case("body_set_param", "\\b7", func() -> void:
		PhysicsServer3D.body_set_param(_body, PhysicsServer3D.BODY_PARAM_LINEAR_DAMP_MODE, 7))
	_case("body_set_param", "0\\.5", func() -> void:
		PhysicsServer3D.body_set_param(_body, PhysicsServer3D.BODY_PARAM_ANGULAR_DAMP_MODE, 0.5))
	_case("body_set_param", NOT_FINITE, func() -> void:
		PhysicsServer3D.body_set_param(_body, PhysicsServer3D.BODY_PARAM_INERTIA, Vector3(NAN, 0, 0)))
	_case("body_set_param", NOT_FINITE, func() -> void:
		PhysicsServer3D.body_set_param(_body, PhysicsServer3D.BODY_PARAM_FRICTION, NAN))
	_case("body_set_param", NOT_FINITE, func() -> void:
		PhysicsServer3D.body_set_param(_body, PhysicsServer3D.BODY_PARAM_CENTER_OF_MASS, Vector3(0, INF, 0)))
	_case("body_set_param", "e", func() -> void:
		PhysicsServer3D.body_set_param(_body, PhysicsServer3D.BODY_PARAM_MASS, 1e300))
	await _check_whole()


func test_settings_of_spaces() -> void:
	await _start()
	var space := get_world_3d().space
	var threshold := PhysicsServer3D.SPACE_PARAM_BODY_LINEAR_VELOCITY_SLEEP_THRESHOLD
	_case("space_set_param", "99", func() -> void:
		PhysicsServer3D.space_set_param(space, 99 as PhysicsServer3D.SpaceParameter, 1.0))
	_case("space_get_param", "99", func() -> void:
		PhysicsServer3D.space_get_param(space, 99 as PhysicsServer3D.SpaceParameter))
	_case("space_set_param", NOT_FINITE, func() -> void: PhysicsServer3D.space_set_param(space, threshold, NAN))
	_case("space_set_param", "-1", func() -> void: PhysicsServer3D.space_set_param(space, threshold, -1.0))
	await _check_whole()


func test_areas_given_what_makes_no_sense() -> void:
	await _start()
	var area := PhysicsServer3D.area_create()
	PhysicsServer3D.area_add_shape(area, _shape)
	var gone := PhysicsServer3D.area_create()
	PhysicsServer3D.free_rid(gone)
	var bad := Transform3D(Basis.IDENTITY, Vector3(NAN, 0, 0))
	_case("area_set_param", str(gone.get_id()), func() -> void:
		PhysicsServer3D.area_set_param(gone, PhysicsServer3D.AREA_PARAM_GRAVITY, 1.0))
	_case("area_set_param", str(_body.get_id()), func() -> void:
		PhysicsServer3D.area_set_param(_body, PhysicsServer3D.AREA_PARAM_GRAVITY, 1.0))
	_case("area_set_param", "99", func() -> void:
		PhysicsServer3D.area_set_param(area, 99 as PhysicsServer3D.AreaParameter, 1.0))
	_case("area_get_param", "99", func() -> void: PhysicsServer3D.area_get_param(area, 99 as PhysicsServer3D.AreaParameter))
	_case("area_set_param", NOT_FINITE, func() -> void:
		PhysicsServer3D.area_set_param(area, PhysicsServer3D.AREA_PARAM_GRAVITY, NAN))
	_case("area_set_param", "text|String", func() -> void:
		PhysicsServer3D.area_set_param(area, PhysicsServer3D.AREA_PARAM_GRAVITY, "text"))
	_case("area_set_param", NOT_FINITE, func() -> void:
		PhysicsServer3D.area_set_param(area, PhysicsServer3D.AREA_PARAM_GRAVITY_VECTOR, Vector3(0, NAN, 0)))
	_case("area_set_param", "4\\.5|float", func() -> void:
		PhysicsServer3D.area_set_param(area, PhysicsServer3D.AREA_PARAM_GRAVITY_VECTOR, 4.5))
	_case("area_set_param", "\\b9", func() -> void:
		PhysicsServer3D.area_set_param(area, PhysicsServer3D.AREA_PARAM_GRAVITY_OVERRIDE_MODE, 9))
	_case("area_set_transform", NOT_FINITE, func() -> void: PhysicsServer3D.area_set_transform(area, bad))
	_case("area_add_shape", NOT_FINITE, func() -> void: PhysicsServer3D.area_add_shape(area, _shape, bad))
	_case("area_add_shape", str(_body.get_id()), func() -> void: PhysicsServer3D.area_add_shape(area, _body))
	_case("area_set_shape", str(_body.get_id()), func() -> void: PhysicsServer3D.area_set_shape(area, 0, _body))
	_case("area_set_shape_transform", NOT_FINITE, func() -> void: PhysicsServer3D.area_set_shape_transform(area, 0, bad))
	_case("area_get_shape", "\\b5", func() -> void: PhysicsServer3D.area_get_shape(area, 5))
	_case("area_set_space", str(_body.get_id()), func() -> void: PhysicsServer3D.area_set_space(area, _body))
	PhysicsServer3D.free_rid(area)
	await _check_whole()


func test_joints_given_what_makes_no_sense() -> void:
	await _start()
	var joint := PhysicsServer3D.joint_create()
	var other := server_body(PhysicsServer3D.BODY_MODE_RIGID, _shape, Vector3(0, 40, 0))
	var gone := PhysicsServer3D.joint_create()
	PhysicsServer3D.free_rid(gone)
	_case("joint_get_type", str(gone.get_id()), func() -> void: PhysicsServer3D.joint_get_type(gone))
	_case("joint_get_type", str(_body.get_id()), func() -> void: PhysicsServer3D.joint_get_type(_body))
	_case("joint_make_pin", "null", func() -> void:
		PhysicsServer3D.joint_make_pin(joint, RID(), Vector3.ZERO, _body, Vector3.ZERO))
	_case("joint_make_pin", "same", func() -> void:
		PhysicsServer3D.joint_make_pin(joint, _body, Vector3.ZERO, _body, Vector3.ZERO))
	_case("joint_make_pin", str(_shape.get_id()), func() -> void:
		PhysicsServer3D.joint_make_pin(joint, _body, Vector3.ZERO, _shape, Vector3.ZERO))
	_case("joint_make_pin", NOT_FINITE, func() -> void:
		PhysicsServer3D.joint_make_pin(joint, _body, Vector3(NAN, 0, 0), other, Vector3.ZERO))
	PhysicsServer3D.joint_make_pin(joint, other, Vector3.ZERO, RID(), Vector3(0, 40, 0))
	_case("hinge_joint_set_param", "pin", func() -> void:
		PhysicsServer3D.hinge_joint_set_param(joint, PhysicsServer3D.HINGE_JOINT_BIAS, 0.1))
	_case("pin_joint_set_param", "99", func() -> void:
		PhysicsServer3D.pin_joint_set_param(joint, 99 as PhysicsServer3D.PinJointParam, 0.1))
	_case("pin_joint_set_param", NOT_FINITE, func() -> void:
		PhysicsServer3D.pin_joint_set_param(joint, PhysicsServer3D.PIN_JOINT_BIAS, NAN))
	_case("pin_joint_set_local_a", NOT_FINITE, func() -> void:
		PhysicsServer3D.pin_joint_set_local_a(joint, Vector3(NAN, 0, 0)))
	_case("pin_joint_set_local_b", NOT_FINITE, func() -> void:
		PhysicsServer3D.pin_joint_set_local_b(joint, Vector3(0, INF, 0)))
	PhysicsServer3D.joint_clear(joint)
	PhysicsServer3D.joint_make_generic_6dof(joint, other, Transform3D.IDENTITY, RID(), Transform3D(Basis.IDENTITY, Vector3(0, 40, 0)))
	_case("generic_6dof_joint_set_param", "\\b7", func() -> void:
		PhysicsServer3D.generic_6dof_joint_set_param(
				joint, 7 as Vector3.Axis, PhysicsServer3D.G6DOF_JOINT_LINEAR_LOWER_LIMIT, 0.0))
	PhysicsServer3D.free_rid(joint)
	PhysicsServer3D.free_rid(other)
	await _check_whole()


func _heights(width: int, depth: int, heights: PackedFloat32Array) -> Dictionary:
	return {"width": width, "depth": depth, "heights": heights, "min_height": 0.0, "max_height": 1.0}


func _shape_of(shape: RID, data: Variant) -> RID:
	PhysicsServer3D.shape_set_data(own(shape), data)
	return shape


func test_motion_tests_and_queries_that_cannot_be_made() -> void:
	await _start()
	var motion := PhysicsTestMotionParameters3D.new()
	motion.from = Transform3D(Basis.IDENTITY, Vector3(NAN, 0, 0))
	_case("body_test_motion", NOT_FINITE, func() -> void: check(not PhysicsServer3D.body_test_motion(_body, motion), "from"))
	motion.from = Transform3D.IDENTITY
	motion.motion = Vector3(0, INF, 0)
	_case("body_test_motion", NOT_FINITE, func() -> void: check(not PhysicsServer3D.body_test_motion(_body, motion), "motion"))
	motion.motion = Vector3.DOWN
	motion.margin = -1.0
	_case("body_test_motion", "-1", func() -> void: check(not PhysicsServer3D.body_test_motion(_body, motion), "margin"))
	motion.margin = 0.001
	motion.max_collisions = 99
	_case("body_test_motion", "99", func() -> void: check(not PhysicsServer3D.body_test_motion(_body, motion), "collisions"))
	var query := PhysicsShapeQueryParameters3D.new()
	var gone := server_box()
	query.shape_rid = gone
	PhysicsServer3D.free_rid(gone)
	_case("intersect_shape", str(gone.get_id()), func() -> void:
		check(direct_space().intersect_shape(query).is_empty(), "freed shape"))
	await _check_whole()


func test_bricks() -> void:
	var shape: Resource = load("res://addons/scree/bricks/brick_shape_3d.gd").new()
	var rid: RID = shape.get_rid()
	shape.call("add_boxes", PackedInt32Array([0, 0, 0, 1, 1, 1]))
	_case("bricks_insert", "low corner", func() -> void: shape.call("add_boxes", PackedInt32Array([0, 0, 0, 0, 1, 1])))
	_case("bricks_insert", "6 numbers a brick, got 4", func() -> void: shape.call("add_boxes", PackedInt32Array([0, 0, 0, 0])))
	_case("bricks_insert", "density must be at least 1, got 0", func() -> void:
		shape.call("add_cells", PackedInt32Array([5, 5, 5]), PackedInt32Array([0, -1, 1, 0])))
	_case("bricks_insert", "surface must be from -1 to -1, got 2", func() -> void:
		shape.call("add_cells", PackedInt32Array([5, 5, 5]), PackedInt32Array([1, 2, 1, 0])))
	_case("bricks_insert_turned", "quaternion", func() -> void:
		shape.call("add_turned", PackedFloat32Array([5, 5, 5, 1, 1, 1, 0, 0, 0, 0])))
	_case("bricks_remove", "no brick 7", func() -> void: shape.call("remove_bricks", PackedInt32Array([1, 7])))
	_case("bricks_make", "before the first brick", func() -> void: shape.set("unit", 2.0))
	_case("bricks_count", "holds no bricks", func() -> void: PhysicsServer3D.call("bricks_count", _shape_of_nothing()))
	_case("bricks_make", "convex shape without points", func() -> void:
		PhysicsServer3D.call("bricks_make", _shape_of_nothing(), 1.0, 10, PackedFloat32Array(), 0))
	_case("shape_set_data", "holds bricks", func() -> void:
		PhysicsServer3D.shape_set_data(rid, PackedVector3Array([Vector3.ZERO])))
	check_equal(shape.call("brick_numbers"), PackedInt32Array([1]), "the bricks are as before")


func _shape_of_nothing() -> RID:
	return server_box()
