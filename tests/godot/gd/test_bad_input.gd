extends "res://gd/physics_test.gd"
## Calls that cannot be obeyed: each prints exactly one error, `scree: CALL: ...` with the value in it, and changes
## nothing. What is printed is read from outside: a line `[case] CALL | PATTERN` goes before each call, `[done]` after it.

const NOT_FINITE := "(?i)nan|inf"

var _reference: RigidBody3D
var _started_at := 0
var _resting: RigidBody3D
var _body: RID
var _shape: RID


func _start() -> void:
	floor_body()
	_reference = rigid(sphere(), Vector3(50, 50, 0))
	_started_at = Engine.get_physics_frames()
	_resting = rigid(box(), Vector3(5, 0.5, 0), {"can_sleep": false})
	_shape = server_box()
	_body = server_body(PhysicsServer3D.BODY_MODE_RIGID, _shape, Vector3(0, 20, 0))
	PhysicsServer3D.body_set_param(_body, PhysicsServer3D.BODY_PARAM_GRAVITY_SCALE, 0.0)
	await steps(1)


## One bad call; what it prints must match `pattern`.
func _case(name: String, pattern: String, call: Callable) -> void:
	print("[case] %s | %s" % [name, pattern])
	call.call()
	print("[done]")


## The world goes on: half a second later all is where it must be.
func _check_whole() -> void:
	await steps(30)
	var fallen := (Engine.get_physics_frames() - _started_at) * TICK
	check_near(_reference.linear_velocity.y, -GRAVITY * fallen, 2e-3, "the reference body falls right")
	check_near(_resting.position, Vector3(5, 0.5, 0), 0.03, "the resting box rests")
	check_near(origin_of(_body), Vector3(0, 20, 0), 1e-3, "the ill-treated body is where it was")
	check_near(state_of(_body, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY), Vector3.ZERO, 1e-4, "and at rest")
	check_equal(PhysicsServer3D.body_get_shape_count(_body), 1, "with its shape")
	check_equal(ray(Vector3(0, 25, 0), Vector3(0, 15, 0)).get("rid"), _body, "and a ray finds it")


func test_states_that_are_not_finite() -> void:
	await _start()
	var bad_origin := Transform3D(Basis.IDENTITY, Vector3(NAN, 0, 0))
	var bad_basis := Transform3D(Basis(Vector3(NAN, 0, 0), Vector3.UP, Vector3.BACK), Vector3.ZERO)
	_case("body_set_state", NOT_FINITE, func() -> void:
		PhysicsServer3D.body_set_state(_body, PhysicsServer3D.BODY_STATE_TRANSFORM, bad_origin))
	_case("body_set_state", NOT_FINITE, func() -> void:
		PhysicsServer3D.body_set_state(_body, PhysicsServer3D.BODY_STATE_TRANSFORM, bad_basis))
	_case("body_set_state", NOT_FINITE, func() -> void:
		PhysicsServer3D.body_set_state(
				_body, PhysicsServer3D.BODY_STATE_TRANSFORM, Transform3D(Basis.IDENTITY, Vector3(0, INF, 0))))
	_case("body_set_state", NOT_FINITE, func() -> void:
		PhysicsServer3D.body_set_state(_body, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY, Vector3(0, NAN, 0)))
	_case("body_set_state", NOT_FINITE, func() -> void:
		PhysicsServer3D.body_set_state(_body, PhysicsServer3D.BODY_STATE_ANGULAR_VELOCITY, Vector3(INF, 0, 0)))
	await _check_whole()


func test_transforms_of_nodes_that_are_not_finite() -> void:
	await _start()
	var node := floating(sphere(), Vector3(0, 30, 0))
	await steps(1)
	_case("body_set_state", NOT_FINITE, func() -> void:
		node.global_position = Vector3(NAN, 0, 0)
		node.force_update_transform())
	await steps(3)
	check_near(origin_of(node.get_rid()), Vector3(0, 30, 0), 1e-4, "the body stays where it was")
	await _check_whole()


func test_impulses_and_forces_that_are_not_finite() -> void:
	await _start()
	var bad := Vector3(NAN, 0, 0)
	var good := Vector3.ZERO
	_case("body_apply_central_impulse", NOT_FINITE, func() -> void:
		PhysicsServer3D.body_apply_central_impulse(_body, bad))
	_case("body_apply_impulse", NOT_FINITE, func() -> void: PhysicsServer3D.body_apply_impulse(_body, bad, good))
	_case("body_apply_impulse", NOT_FINITE, func() -> void: PhysicsServer3D.body_apply_impulse(_body, good, bad))
	_case("body_apply_torque_impulse", NOT_FINITE, func() -> void:
		PhysicsServer3D.body_apply_torque_impulse(_body, bad))
	_case("body_apply_central_force", NOT_FINITE, func() -> void:
		PhysicsServer3D.body_apply_central_force(_body, bad))
	_case("body_apply_force", NOT_FINITE, func() -> void: PhysicsServer3D.body_apply_force(_body, bad, good))
	_case("body_apply_torque", NOT_FINITE, func() -> void: PhysicsServer3D.body_apply_torque(_body, bad))
	_case("body_add_constant_central_force", NOT_FINITE, func() -> void:
		PhysicsServer3D.body_add_constant_central_force(_body, bad))
	_case("body_add_constant_force", NOT_FINITE, func() -> void:
		PhysicsServer3D.body_add_constant_force(_body, bad, good))
	_case("body_add_constant_torque", NOT_FINITE, func() -> void:
		PhysicsServer3D.body_add_constant_torque(_body, bad))
	_case("body_set_constant_force", NOT_FINITE, func() -> void: PhysicsServer3D.body_set_constant_force(_body, bad))
	_case("body_set_constant_torque", NOT_FINITE, func() -> void:
		PhysicsServer3D.body_set_constant_torque(_body, bad))
	_case("body_set_axis_velocity", NOT_FINITE, func() -> void: PhysicsServer3D.body_set_axis_velocity(_body, bad))
	await _check_whole()


func test_direct_state_given_what_is_not_finite() -> void:
	await _start()
	var state := PhysicsServer3D.body_get_direct_state(_body)
	var bad := Vector3(0, INF, 0)
	_case("body_state.set_linear_velocity", NOT_FINITE, func() -> void: state.linear_velocity = bad)
	_case("body_state.set_angular_velocity", NOT_FINITE, func() -> void: state.angular_velocity = bad)
	_case("body_state.set_transform", NOT_FINITE, func() -> void: state.transform = Transform3D(Basis.IDENTITY, bad))
	_case("body_state.apply_central_impulse", NOT_FINITE, func() -> void: state.apply_central_impulse(bad))
	_case("body_state.apply_impulse", NOT_FINITE, func() -> void: state.apply_impulse(bad))
	_case("body_state.apply_torque_impulse", NOT_FINITE, func() -> void: state.apply_torque_impulse(bad))
	_case("body_state.apply_central_force", NOT_FINITE, func() -> void: state.apply_central_force(bad))
	_case("body_state.apply_force", NOT_FINITE, func() -> void: state.apply_force(bad))
	_case("body_state.apply_torque", NOT_FINITE, func() -> void: state.apply_torque(bad))
	await _check_whole()


func test_parameters_that_make_no_sense() -> void:
	await _start()
	_case("body_set_param", "\\b0", func() -> void:
		PhysicsServer3D.body_set_param(_body, PhysicsServer3D.BODY_PARAM_MASS, 0.0))
	_case("body_set_param", "-2", func() -> void:
		PhysicsServer3D.body_set_param(_body, PhysicsServer3D.BODY_PARAM_MASS, -2.0))
	for param: PhysicsServer3D.BodyParameter in [
			PhysicsServer3D.BODY_PARAM_MASS, PhysicsServer3D.BODY_PARAM_FRICTION, PhysicsServer3D.BODY_PARAM_BOUNCE,
			PhysicsServer3D.BODY_PARAM_GRAVITY_SCALE, PhysicsServer3D.BODY_PARAM_LINEAR_DAMP,
			PhysicsServer3D.BODY_PARAM_ANGULAR_DAMP]:
		_case("body_set_param", NOT_FINITE, func() -> void: PhysicsServer3D.body_set_param(_body, param, NAN))
	_case("body_set_param", NOT_FINITE, func() -> void:
		PhysicsServer3D.body_set_param(_body, PhysicsServer3D.BODY_PARAM_INERTIA, Vector3(1, NAN, 1)))
	_case("body_set_param", NOT_FINITE, func() -> void:
		PhysicsServer3D.body_set_param(_body, PhysicsServer3D.BODY_PARAM_CENTER_OF_MASS, Vector3(INF, 0, 0)))
	_case("body_set_param", "-1", func() -> void:
		PhysicsServer3D.body_set_param(_body, PhysicsServer3D.BODY_PARAM_INERTIA, Vector3(1, -1, 1)))
	check_near(PhysicsServer3D.body_get_param(_body, PhysicsServer3D.BODY_PARAM_MASS), 1.0, 1e-6, "mass is what it was")
	check_near(PhysicsServer3D.body_get_param(_body, PhysicsServer3D.BODY_PARAM_FRICTION), 1.0, 1e-6, "friction is what it was")
	await _check_whole()


func test_sizes_that_make_no_shape() -> void:
	await _start()
	var cube := server_box()
	var ball := server_sphere()
	var pill := own(PhysicsServer3D.capsule_shape_create())
	PhysicsServer3D.shape_set_data(pill, {"radius": 0.5, "height": 2.0})
	var ground := own(PhysicsServer3D.world_boundary_shape_create())
	_case("shape_set_data", "-1", func() -> void: PhysicsServer3D.shape_set_data(cube, Vector3(0, -1, 0)))
	_case("shape_set_data", "-1", func() -> void: PhysicsServer3D.shape_set_data(cube, Vector3(1, -1, 1)))
	_case("shape_set_data", NOT_FINITE, func() -> void: PhysicsServer3D.shape_set_data(cube, Vector3(1, NAN, 1)))
	_case("shape_set_data", NOT_FINITE, func() -> void: PhysicsServer3D.shape_set_data(ball, NAN))
	_case("shape_set_data", "-3", func() -> void: PhysicsServer3D.shape_set_data(ball, -3.0))
	_case("shape_set_data", NOT_FINITE, func() -> void: PhysicsServer3D.shape_set_data(ball, INF))
	_case("shape_set_data", "-1", func() -> void:
		PhysicsServer3D.shape_set_data(pill, {"radius": -1.0, "height": 2.0}))
	_case("shape_set_data", NOT_FINITE, func() -> void:
		PhysicsServer3D.shape_set_data(pill, {"radius": 0.5, "height": NAN}))
	_case("shape_set_data", "\\b0", func() -> void: PhysicsServer3D.shape_set_data(ground, Plane(Vector3.ZERO, 1.0)))
	_case("shape_set_data", NOT_FINITE, func() -> void:
		PhysicsServer3D.shape_set_data(ground, Plane(Vector3.UP, NAN)))
	check_equal(PhysicsServer3D.shape_get_data(cube), Vector3.ONE * 0.5, "the box has its size")
	check_equal(PhysicsServer3D.shape_get_data(ball), 0.5, "the sphere has its radius")
	await _check_whole()


func test_data_of_the_wrong_type() -> void:
	await _start()
	var cube := server_box()
	var ball := server_sphere()
	var pill := own(PhysicsServer3D.capsule_shape_create())
	var net := own(PhysicsServer3D.concave_polygon_shape_create())
	var cloud := own(PhysicsServer3D.convex_polygon_shape_create())
	_case("shape_set_data", "text|String", func() -> void: PhysicsServer3D.shape_set_data(cube, "text"))
	_case("shape_set_data", "text|String", func() -> void: PhysicsServer3D.shape_set_data(ball, "text"))
	_case("shape_set_data", "1\\.5|float", func() -> void: PhysicsServer3D.shape_set_data(pill, 1.5))
	_case("shape_set_data", "height", func() -> void: PhysicsServer3D.shape_set_data(pill, {"radius": 1.0}))
	_case("shape_set_data", "text|String", func() -> void: PhysicsServer3D.shape_set_data(cloud, "text"))
	_case("shape_set_data", "1e\\+?18|99999", func() -> void: PhysicsServer3D.shape_set_data(cloud, PackedVector3Array(
		[Vector3.ZERO, Vector3(1e18, 0, 0), Vector3.UP, Vector3.BACK])))
	_case("shape_set_data", "4", func() -> void: PhysicsServer3D.shape_set_data(net, {
		"faces": PackedVector3Array([Vector3.ZERO, Vector3.RIGHT, Vector3.UP, Vector3.BACK]), "backface_collision": false}))
	_case("shape_set_data", NOT_FINITE, func() -> void: PhysicsServer3D.shape_set_data(net, {
		"faces": PackedVector3Array([Vector3.ZERO, Vector3(NAN, 0, 0), Vector3.UP]), "backface_collision": false}))
	_case("shape_set_data", NOT_FINITE, func() -> void: PhysicsServer3D.shape_set_data(cloud, PackedVector3Array(
		[Vector3.ZERO, Vector3(NAN, 0, 0), Vector3.UP, Vector3.BACK])))
	_case("body_set_state", "text|String", func() -> void:
		PhysicsServer3D.body_set_state(_body, PhysicsServer3D.BODY_STATE_TRANSFORM, "text"))
	_case("body_set_state", "7|int", func() -> void:
		PhysicsServer3D.body_set_state(_body, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY, 7))
	_case("body_set_param", "heavy|String", func() -> void:
		PhysicsServer3D.body_set_param(_body, PhysicsServer3D.BODY_PARAM_MASS, "heavy"))
	_case("body_set_param", "text|String", func() -> void:
		PhysicsServer3D.body_set_param(_body, PhysicsServer3D.BODY_PARAM_CENTER_OF_MASS, "text"))
	check_equal(PhysicsServer3D.shape_get_data(cube), Vector3.ONE * 0.5, "the box has its size")
	await _check_whole()


func test_numbers_that_name_nothing() -> void:
	await _start()
	_case("body_set_param", "99", func() -> void:
		PhysicsServer3D.body_set_param(_body, 99 as PhysicsServer3D.BodyParameter, 1.0))
	_case("body_get_param", "99", func() -> void:
		PhysicsServer3D.body_get_param(_body, 99 as PhysicsServer3D.BodyParameter))
	_case("body_set_state", "99", func() -> void:
		PhysicsServer3D.body_set_state(_body, 99 as PhysicsServer3D.BodyState, 1.0))
	_case("body_get_state", "99", func() -> void:
		PhysicsServer3D.body_get_state(_body, 99 as PhysicsServer3D.BodyState))
	_case("body_set_mode", "99", func() -> void: PhysicsServer3D.body_set_mode(_body, 99 as PhysicsServer3D.BodyMode))
	_case("body_get_shape", "5", func() -> void: PhysicsServer3D.body_get_shape(_body, 5))
	_case("body_get_shape_transform", "5", func() -> void: PhysicsServer3D.body_get_shape_transform(_body, 5))
	_case("body_set_shape_transform", "5", func() -> void:
		PhysicsServer3D.body_set_shape_transform(_body, 5, Transform3D.IDENTITY))
	_case("body_set_shape_disabled", "-1", func() -> void: PhysicsServer3D.body_set_shape_disabled(_body, -1, true))
	_case("body_set_shape", "5", func() -> void: PhysicsServer3D.body_set_shape(_body, 5, _shape))
	_case("body_remove_shape", "5", func() -> void: PhysicsServer3D.body_remove_shape(_body, 5))
	await _check_whole()


func test_shape_transforms_that_are_not_finite() -> void:
	await _start()
	var bad := Transform3D(Basis.IDENTITY, Vector3(0, NAN, 0))
	_case("body_add_shape", NOT_FINITE, func() -> void: PhysicsServer3D.body_add_shape(_body, server_sphere(), bad))
	_case("body_set_shape_transform", NOT_FINITE, func() -> void:
		PhysicsServer3D.body_set_shape_transform(_body, 0, bad))
	await _check_whole()


func test_freed_bodies() -> void:
	await _start()
	var gone := server_body(PhysicsServer3D.BODY_MODE_RIGID, _shape, Vector3(0, 40, 0))
	await steps(1)
	free_now(gone)
	var calls := {
		"body_set_state": func() -> void:
			PhysicsServer3D.body_set_state(gone, PhysicsServer3D.BODY_STATE_TRANSFORM, Transform3D.IDENTITY),
		"body_get_state": func() -> void: PhysicsServer3D.body_get_state(gone, PhysicsServer3D.BODY_STATE_TRANSFORM),
		"body_set_param": func() -> void: PhysicsServer3D.body_set_param(gone, PhysicsServer3D.BODY_PARAM_MASS, 2.0),
		"body_get_param": func() -> void: PhysicsServer3D.body_get_param(gone, PhysicsServer3D.BODY_PARAM_MASS),
		"body_set_mode": func() -> void: PhysicsServer3D.body_set_mode(gone, PhysicsServer3D.BODY_MODE_STATIC),
		"body_get_mode": func() -> void: PhysicsServer3D.body_get_mode(gone),
		"body_set_space": func() -> void: PhysicsServer3D.body_set_space(gone, get_world_3d().space),
		"body_get_space": func() -> void: PhysicsServer3D.body_get_space(gone),
		"body_add_shape": func() -> void: PhysicsServer3D.body_add_shape(gone, _shape),
		"body_remove_shape": func() -> void: PhysicsServer3D.body_remove_shape(gone, 0),
		"body_clear_shapes": func() -> void: PhysicsServer3D.body_clear_shapes(gone),
		"body_get_shape_count": func() -> void: PhysicsServer3D.body_get_shape_count(gone),
		"body_get_shape": func() -> void: PhysicsServer3D.body_get_shape(gone, 0),
		"body_set_shape_disabled": func() -> void: PhysicsServer3D.body_set_shape_disabled(gone, 0, true),
		"body_set_collision_layer": func() -> void: PhysicsServer3D.body_set_collision_layer(gone, 1),
		"body_get_collision_layer": func() -> void: PhysicsServer3D.body_get_collision_layer(gone),
		"body_set_collision_mask": func() -> void: PhysicsServer3D.body_set_collision_mask(gone, 1),
		"body_get_collision_mask": func() -> void: PhysicsServer3D.body_get_collision_mask(gone),
		"body_apply_central_impulse": func() -> void: PhysicsServer3D.body_apply_central_impulse(gone, Vector3.UP),
		"body_apply_central_force": func() -> void: PhysicsServer3D.body_apply_central_force(gone, Vector3.UP),
		"body_set_constant_force": func() -> void: PhysicsServer3D.body_set_constant_force(gone, Vector3.UP),
		"body_get_constant_force": func() -> void: PhysicsServer3D.body_get_constant_force(gone),
		"body_set_axis_lock": func() -> void:
			PhysicsServer3D.body_set_axis_lock(gone, PhysicsServer3D.BODY_AXIS_LINEAR_X, true),
		"body_add_collision_exception": func() -> void: PhysicsServer3D.body_add_collision_exception(gone, _body),
		"body_set_max_contacts_reported": func() -> void: PhysicsServer3D.body_set_max_contacts_reported(gone, 4),
		"body_get_max_contacts_reported": func() -> void: PhysicsServer3D.body_get_max_contacts_reported(gone),
		"body_set_omit_force_integration": func() -> void:
			PhysicsServer3D.body_set_omit_force_integration(gone, true),
		"body_set_state_sync_callback": func() -> void:
			PhysicsServer3D.body_set_state_sync_callback(gone, Callable()),
		"body_attach_object_instance_id": func() -> void: PhysicsServer3D.body_attach_object_instance_id(gone, 1),
		"body_get_object_instance_id": func() -> void: PhysicsServer3D.body_get_object_instance_id(gone),
		"body_reset_mass_properties": func() -> void: PhysicsServer3D.body_reset_mass_properties(gone),
		"body_set_ray_pickable": func() -> void: PhysicsServer3D.body_set_ray_pickable(gone, true),
		"body_set_enable_continuous_collision_detection": func() -> void:
			PhysicsServer3D.body_set_enable_continuous_collision_detection(gone, true),
		"free_rid": func() -> void: PhysicsServer3D.free_rid(gone),
	}
	for name: String in calls:
		_case(name, str(gone.get_id()), calls[name])
	check(PhysicsServer3D.body_get_direct_state(gone) == null, "no direct state, in silence")
	await _check_whole()


func test_freed_shapes_and_spaces() -> void:
	await _start()
	var shape := PhysicsServer3D.box_shape_create()
	var space := PhysicsServer3D.space_create()
	PhysicsServer3D.free_rid(shape)
	PhysicsServer3D.free_rid(space)
	_case("shape_set_data", str(shape.get_id()), func() -> void: PhysicsServer3D.shape_set_data(shape, Vector3.ONE))
	_case("shape_get_data", str(shape.get_id()), func() -> void: PhysicsServer3D.shape_get_data(shape))
	_case("shape_get_type", str(shape.get_id()), func() -> void: PhysicsServer3D.shape_get_type(shape))
	_case("shape_set_margin", str(shape.get_id()), func() -> void: PhysicsServer3D.shape_set_margin(shape, 0.1))
	_case("body_add_shape", str(shape.get_id()), func() -> void: PhysicsServer3D.body_add_shape(_body, shape))
	_case("body_set_shape", str(shape.get_id()), func() -> void: PhysicsServer3D.body_set_shape(_body, 0, shape))
	_case("free_rid", str(shape.get_id()), func() -> void: PhysicsServer3D.free_rid(shape))
	_case("space_set_active", str(space.get_id()), func() -> void: PhysicsServer3D.space_set_active(space, true))
	_case("space_is_active", str(space.get_id()), func() -> void: PhysicsServer3D.space_is_active(space))
	_case("space_get_direct_state", str(space.get_id()), func() -> void:
		PhysicsServer3D.space_get_direct_state(space))
	_case("body_set_space", str(space.get_id()), func() -> void: PhysicsServer3D.body_set_space(_body, space))
	_case("free_rid", str(space.get_id()), func() -> void: PhysicsServer3D.free_rid(space))
	await _check_whole()


func test_rids_of_another_kind() -> void:
	await _start()
	var space := get_world_3d().space
	_case("body_set_state", str(_shape.get_id()), func() -> void:
		PhysicsServer3D.body_set_state(_shape, PhysicsServer3D.BODY_STATE_TRANSFORM, Transform3D.IDENTITY))
	_case("body_get_mode", str(space.get_id()), func() -> void: PhysicsServer3D.body_get_mode(space))
	_case("body_set_mode", "null", func() -> void:
		PhysicsServer3D.body_set_mode(RID(), PhysicsServer3D.BODY_MODE_STATIC))
	_case("body_apply_central_impulse", str(_shape.get_id()), func() -> void:
		PhysicsServer3D.body_apply_central_impulse(_shape, Vector3.UP))
	_case("body_add_shape", str(space.get_id()), func() -> void: PhysicsServer3D.body_add_shape(_body, space))
	_case("body_add_shape", "null", func() -> void: PhysicsServer3D.body_add_shape(_body, RID()))
	_case("body_set_space", str(_shape.get_id()), func() -> void: PhysicsServer3D.body_set_space(_body, _shape))
	_case("shape_set_data", str(_body.get_id()), func() -> void: PhysicsServer3D.shape_set_data(_body, Vector3.ONE))
	_case("shape_get_type", str(space.get_id()), func() -> void: PhysicsServer3D.shape_get_type(space))
	_case("space_set_active", str(_body.get_id()), func() -> void: PhysicsServer3D.space_set_active(_body, false))
	await _check_whole()


func test_rids_of_another_server() -> void:
	await _start()
	var map := NavigationServer3D.map_create()
	var canvas := RenderingServer.canvas_create()
	for foreign: RID in [map, canvas]:
		_case("body_get_mode", str(foreign.get_id()), func() -> void: PhysicsServer3D.body_get_mode(foreign))
		_case("shape_get_type", str(foreign.get_id()), func() -> void: PhysicsServer3D.shape_get_type(foreign))
		_case("body_set_space", str(foreign.get_id()), func() -> void: PhysicsServer3D.body_set_space(_body, foreign))
		_case("free_rid", str(foreign.get_id()), func() -> void: PhysicsServer3D.free_rid(foreign))
	NavigationServer3D.free_rid(map)
	RenderingServer.free_rid(canvas)
	await _check_whole()


func test_queries_that_are_not_finite() -> void:
	await _start()
	var point := PhysicsPointQueryParameters3D.new()
	point.position = Vector3(NAN, 0, 0)
	var shape := PhysicsShapeQueryParameters3D.new()
	shape.shape = box()
	shape.transform.origin = Vector3(0, NAN, 0)
	var motion := PhysicsShapeQueryParameters3D.new()
	motion.shape = shape.shape
	motion.motion = Vector3(INF, 0, 0)
	_case("intersect_ray", NOT_FINITE, func() -> void:
		check(ray(Vector3(NAN, 0, 0), Vector3(0, -5, 0)).is_empty(), "ray"))
	_case("intersect_point", NOT_FINITE, func() -> void:
		check(direct_space().intersect_point(point).is_empty(), "point"))
	_case("intersect_shape", NOT_FINITE, func() -> void:
		check(direct_space().intersect_shape(shape).is_empty(), "shape"))
	_case("cast_motion", NOT_FINITE, func() -> void: direct_space().cast_motion(motion))
	_case("collide_shape", NOT_FINITE, func() -> void:
		check(direct_space().collide_shape(shape).is_empty(), "contacts"))
	_case("rest_info", NOT_FINITE, func() -> void: check(direct_space().get_rest_info(shape).is_empty(), "rest info"))
	await _check_whole()


func test_world_settings_that_are_not_finite() -> void:
	await _start()
	var space := get_world_3d().space
	_case("area_set_param", NOT_FINITE, func() -> void:
		PhysicsServer3D.area_set_param(space, PhysicsServer3D.AREA_PARAM_GRAVITY, NAN))
	_case("area_set_param", NOT_FINITE, func() -> void:
		PhysicsServer3D.area_set_param(space, PhysicsServer3D.AREA_PARAM_GRAVITY_VECTOR, Vector3(0, INF, 0)))
	_case("area_set_param", NOT_FINITE, func() -> void:
		PhysicsServer3D.area_set_param(space, PhysicsServer3D.AREA_PARAM_LINEAR_DAMP, NAN))
	await _check_whole()


func test_areas_that_are_not_right() -> void:
	await _start()
	var area := own(PhysicsServer3D.area_create())
	PhysicsServer3D.area_add_shape(area, _shape)
	PhysicsServer3D.area_set_space(area, get_world_3d().space)
	_case("area_set_transform", NOT_FINITE, func() -> void:
		PhysicsServer3D.area_set_transform(area, Transform3D(Basis.IDENTITY, Vector3(NAN, 0, 0))))
	_case("area_set_transform", "volume", func() -> void:
		PhysicsServer3D.area_set_transform(area, Transform3D(Basis.from_scale(Vector3(1, 0, 1)), Vector3.ZERO)))
	_case("area_set_transform", "there is no area .* it is no area", func() -> void:
		PhysicsServer3D.area_set_transform(_body, Transform3D.IDENTITY))
	_case("body_set_state", "there is no body .* it is no body", func() -> void:
		PhysicsServer3D.body_set_state(area, PhysicsServer3D.BODY_STATE_TRANSFORM, Transform3D.IDENTITY))
	_case("body_add_shape", "there is no body .* it is no body", func() -> void:
		PhysicsServer3D.body_add_shape(area, _shape))
	_case("area_add_shape", "there is no area .* it is no area", func() -> void:
		PhysicsServer3D.area_add_shape(_body, _shape))
	_case("area_remove_shape", "1 shapes.* 5", func() -> void: PhysicsServer3D.area_remove_shape(area, 5))
	_case("area_set_param", NOT_FINITE, func() -> void:
		PhysicsServer3D.area_set_param(area, PhysicsServer3D.AREA_PARAM_GRAVITY, INF))
	_case("area_set_param", "got 9", func() -> void:
		PhysicsServer3D.area_set_param(area, PhysicsServer3D.AREA_PARAM_GRAVITY_OVERRIDE_MODE, 9))
	_case("area_set_param", "Vector3.*up", func() -> void:
		PhysicsServer3D.area_set_param(area, PhysicsServer3D.AREA_PARAM_GRAVITY_VECTOR, "up"))
	free_now(area)
	_case("area_set_transform", "it was freed", func() -> void:
		PhysicsServer3D.area_set_transform(area, Transform3D.IDENTITY))
	_case("area_set_space", "it was freed", func() -> void:
		PhysicsServer3D.area_set_space(area, get_world_3d().space))
	await _check_whole()


func test_joints() -> void:
	await _start()
	var server := PhysicsServer3D
	var joint := own(server.joint_create())
	var other := server_body(server.BODY_MODE_STATIC, _shape, Vector3(0, 40, 0))
	var gone := server.body_create()
	server.free_rid(gone)
	_case("joint_make_pin", "was freed", func() -> void:
		server.joint_make_pin(joint, gone, Vector3.ZERO, _body, Vector3.ZERO))
	var soft := server.soft_body_create()
	server.free_rid(soft)
	_case("joint_make_pin", str(soft.get_id()), func() -> void:
		server.joint_make_pin(joint, soft, Vector3.ZERO, _body, Vector3.ZERO))
	_case("body_set_ray_pickable", str(soft.get_id()), func() -> void: server.body_set_ray_pickable(soft, true))
	_case("joint_make_pin", "same body", func() -> void:
		server.joint_make_pin(joint, _body, Vector3.ZERO, _body, Vector3.ZERO))
	_case("joint_make_pin", "null", func() -> void:
		server.joint_make_pin(joint, RID(), Vector3.ZERO, _body, Vector3.ZERO))
	_case("joint_make_pin", NOT_FINITE, func() -> void:
		server.joint_make_pin(joint, other, Vector3(NAN, 0, 0), _body, Vector3.ZERO))
	_case("joint_make_hinge", "volume", func() -> void:
		server.joint_make_hinge(joint, other, Transform3D(Basis.from_scale(Vector3.ZERO), Vector3.ZERO), _body, Transform3D()))
	check_equal(server.joint_get_type(joint), server.JOINT_TYPE_MAX, "still empty")
	server.joint_make_pin(joint, other, Vector3.ZERO, _body, Vector3(0, 20, 0))
	_case("pin_joint_set_param", NOT_FINITE, func() -> void:
		server.pin_joint_set_param(joint, server.PIN_JOINT_IMPULSE_CLAMP, NAN))
	_case("pin_joint_set_local_b", NOT_FINITE, func() -> void:
		server.pin_joint_set_local_b(joint, Vector3(0, INF, 0)))
	_case("hinge_joint_set_param", "a pin joint", func() -> void:
		server.hinge_joint_set_param(joint, server.HINGE_JOINT_LIMIT_UPPER, 1.0))
	_case("generic_6dof_joint_set_flag", "a pin joint", func() -> void:
		server.generic_6dof_joint_set_flag(joint, Vector3.AXIS_X, server.G6DOF_JOINT_FLAG_ENABLE_LINEAR_LIMIT, true))
	check_equal(server.pin_joint_get_local_b(joint), Vector3(0, 20, 0), "the point is where it was")
	await _check_whole()


func test_points_of_soft_bodies() -> void:
	await _start()
	var server := PhysicsServer3D
	var mesh := BoxMesh.new()
	var soft := own(server.soft_body_create())
	server.soft_body_set_mesh(soft, mesh.get_rid())
	var bounds := server.soft_body_get_bounds(soft)
	check_near(bounds.size, Vector3.ONE, 1e-6, "size of the box")
	_case("soft_body_move_point", NOT_FINITE, func() -> void: server.soft_body_move_point(soft, 0, Vector3(NAN, 0, 0)))
	_case("soft_body_move_point", "no point 24", func() -> void: server.soft_body_move_point(soft, 24, Vector3.ZERO))
	_case("soft_body_get_point_global_position", "no point -1", func() -> void:
		check_equal(server.soft_body_get_point_global_position(soft, -1), Vector3.ZERO, "of a point that is none"))
	_case("soft_body_set_transform", NOT_FINITE, func() -> void:
		server.soft_body_set_transform(soft, Transform3D(Basis.IDENTITY, Vector3(0, INF, 0))))
	_case("soft_body_set_state", "Transform3D", func() -> void:
		server.soft_body_set_state(soft, server.BODY_STATE_TRANSFORM, 7))
	_case("soft_body_update_rendering_server", "null", func() -> void: server.soft_body_update_rendering_server(soft, null))
	check_equal(server.soft_body_get_bounds(soft), bounds, "nothing has moved")
	await _check_whole()


## Area3D refuses some calls while the server calls back: it asks the server whether it does.
func test_areas_cannot_be_switched_while_the_server_calls_back() -> void:
	await _start()
	var area := Area3D.new()
	put(area, sphere(), Vector3(0, 90, 0))
	var calls := [0]
	PhysicsServer3D.body_set_state_sync_callback(_body, func(_state: PhysicsDirectBodyState3D) -> void:
		calls[0] += 1
		area.monitorable = false)
	await steps(3)
	check(calls[0] > 0, "called back")
	check(area.monitorable, "refused in a callback")
	PhysicsServer3D.body_set_state_sync_callback(_body, Callable())
	area.monitorable = false
	check(not area.monitorable, "obeyed outside")
	_case("body_set_state", NOT_FINITE, func() -> void:
		PhysicsServer3D.body_set_state(_body, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY, Vector3(0, NAN, 0)))
	await _check_whole()


func test_vehicles_and_pulleys() -> void:
	await _start()
	var server := PhysicsServer3D
	var wheels := {0: {"position": Vector3.ZERO}}
	_case("vehicle_create", "no 'wings'", func() -> void: server.call("vehicle_create", _body, {"wings": 2}))
	_case("vehicle_create", "no body|it is no body", func() -> void: server.call("vehicle_create", _shape, {"wheels": wheels}))
	_case("vehicle_create", "0", func() -> void: server.call("vehicle_create", _body, {"wheels": {}}))
	_case("vehicle_create", "radius.*-1", func() -> void:
		server.call("vehicle_create", _body, {"wheels": {0: {"position": Vector3.ZERO, "radius": -1.0}}}))
	_case("vehicle_drive", "77", func() -> void: server.call("vehicle_drive", 77, 1.0, 0.0, 0.0, 0.0))
	var vehicle: int = server.call("vehicle_create", _body, {"wheels": wheels})
	check(vehicle > 0, "what is right is made")
	_case("vehicle_drive", "nan", func() -> void: server.call("vehicle_drive", vehicle, NAN, 0.0, 0.0, 0.0))
	_case("pulley_state", str(vehicle), func() -> void: server.call("pulley_state", vehicle))
	_case("pulley_create", "ratio.*0", func() -> void:
		server.call("pulley_create", _body, RID(), Vector3.ZERO, Vector3.ZERO, Vector3.UP, Vector3.UP, 0.0))
	server.call("vehicle_remove", vehicle)
	_case("vehicle_remove", str(vehicle), func() -> void: server.call("vehicle_remove", vehicle))
	await _check_whole()
