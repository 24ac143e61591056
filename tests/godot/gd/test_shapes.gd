extends "res://gd/physics_test.gd"
## Shapes as resources of the server, and bodies with several of them.


func _top(at: Vector2) -> float:
	return ray(Vector3(at.x, 50, at.y), Vector3(at.x, -50, at.y)).get("position", Vector3.INF).y


## ------------------------------------------------------------------ data

func test_shape_types() -> void:
	var types := {
		PhysicsServer3D.SHAPE_WORLD_BOUNDARY: PhysicsServer3D.world_boundary_shape_create(),
		PhysicsServer3D.SHAPE_SPHERE: PhysicsServer3D.sphere_shape_create(),
		PhysicsServer3D.SHAPE_BOX: PhysicsServer3D.box_shape_create(),
		PhysicsServer3D.SHAPE_CAPSULE: PhysicsServer3D.capsule_shape_create(),
		PhysicsServer3D.SHAPE_CONVEX_POLYGON: PhysicsServer3D.convex_polygon_shape_create(),
		PhysicsServer3D.SHAPE_CONCAVE_POLYGON: PhysicsServer3D.concave_polygon_shape_create(),
	}
	for type: PhysicsServer3D.ShapeType in types:
		check_equal(PhysicsServer3D.shape_get_type(own(types[type])), type, "type")


func test_shape_data_comes_back_as_it_was_set() -> void:
	var data := {
		PhysicsServer3D.world_boundary_shape_create(): Plane(Vector3(0, 1, 0), 2.0),
		PhysicsServer3D.sphere_shape_create(): 1.25,
		PhysicsServer3D.box_shape_create(): Vector3(1, 2, 3),
	}
	for shape: RID in data:
		own(shape)
		PhysicsServer3D.shape_set_data(shape, data[shape])
		check_equal(PhysicsServer3D.shape_get_data(shape), data[shape], "data")
	var pill := own(PhysicsServer3D.capsule_shape_create())
	PhysicsServer3D.shape_set_data(pill, {"radius": 0.5, "height": 3.0})
	var got: Dictionary = PhysicsServer3D.shape_get_data(pill)
	check_near(got.get("radius", -1.0), 0.5, 1e-6, "radius of a capsule")
	check_near(got.get("height", -1.0), 3.0, 1e-6, "height of a capsule")


func test_capsule_data_may_be_whole_numbers() -> void:
	var pill := own(PhysicsServer3D.capsule_shape_create())
	PhysicsServer3D.shape_set_data(pill, {"radius": 1, "height": 4})
	server_body(PhysicsServer3D.BODY_MODE_STATIC, pill)
	check_near(_top(Vector2.ZERO), 2.0, 1e-3, "top of the capsule")


func test_mesh_data_comes_back() -> void:
	var faces := mesh_floor(2).get_faces()
	var shape := own(PhysicsServer3D.concave_polygon_shape_create())
	PhysicsServer3D.shape_set_data(shape, {"faces": faces, "backface_collision": true})
	var got: Dictionary = PhysicsServer3D.shape_get_data(shape)
	check_equal(got.get("faces"), faces, "faces")
	check_equal(got.get("backface_collision"), true, "backface collision")


## Points of a hull or corners of triangles that reach up to a height.
func _up_to(top: float, is_hull: bool) -> PackedVector3Array:
	var corners := PackedVector3Array([Vector3(-1, top, -1), Vector3(1, top, -1), Vector3(1, top, 1), Vector3(-1, top, 1)])
	if is_hull:
		corners.append(Vector3(0, top - 1.0, 0))
		return corners
	return PackedVector3Array([corners[0], corners[1], corners[2], corners[0], corners[2], corners[3]])


## An array that was changed in place is other data. The first shape of a kind is made in another way than those after it.
func test_shape_data_changed_before_it_is_used() -> void:
	for number: int in 5:
		var top := 2.0 + number
		var hull_shape := own(PhysicsServer3D.convex_polygon_shape_create())
		var mesh_shape := own(PhysicsServer3D.concave_polygon_shape_create())
		var field_shape := own(PhysicsServer3D.heightmap_shape_create())
		var points := _up_to(1.0, true)
		var mesh := {"faces": _up_to(1.0, false), "backface_collision": false}
		var heights := PackedFloat32Array([1.0, 1.0, 1.0, 1.0])
		var field := {"width": 2, "depth": 2, "heights": heights, "min_height": 1.0, "max_height": 1.0}
		for round: int in 2:
			PhysicsServer3D.shape_set_data(hull_shape, points)
			PhysicsServer3D.shape_set_data(mesh_shape, mesh)
			PhysicsServer3D.shape_set_data(field_shape, field)
			var other := _up_to(top, true)
			for corner: int in points.size():
				points[corner] = other[corner]
			mesh["faces"] = _up_to(top, false)
			heights.fill(top)
			field = {"width": 2, "depth": 2, "heights": heights, "min_height": top, "max_height": top}
		var at := 5.0 * number
		for shape: RID in [hull_shape, mesh_shape, field_shape]:
			server_body(PhysicsServer3D.BODY_MODE_STATIC, shape, Vector3(at, 0, 0))
			at += 100.0
		await steps(2)
		check_near(_top(Vector2(5.0 * number + 0.2, 0.1)), top, 1e-3, "top of hull %d" % number)
		check_near(_top(Vector2(5.0 * number + 100.2, 0.1)), top, 1e-3, "top of mesh %d" % number)
		check_near(_top(Vector2(5.0 * number + 200.2, 0.1)), top, 1e-3, "top of field %d" % number)


## Made, put into the world and freed while others stay: what stays is where it was.
func test_many_shapes_with_data_come_and_go() -> void:
	var kept: Array[StaticBody3D] = []
	for round: int in 6:
		var gone: Array[StaticBody3D] = []
		for number: int in 20:
			var at := Vector3(5 * number, 0, 5 * round)
			var shape: Shape3D = hull(_up_to(1.0 + 0.1 * number, true)) if number % 2 == 0 else mesh_floor(2)
			(kept if number % 4 < 2 else gone).append(fixed(shape, at))
		await steps(1)
		for body: StaticBody3D in gone:
			body.free()
		await steps(1)
	for number: int in kept.size():
		var place := kept[number].position
		var top := 1.0 + 0.02 * place.x if number % 2 == 0 else 0.0
		check_near(_top(Vector2(place.x + 0.2, place.z + 0.1)), top, 1e-3, "top of %d" % number)


func test_empty_hull_is_no_error_and_hits_nothing() -> void:
	var body := fixed(ConvexPolygonShape3D.new())
	await steps(2)
	check(ray(Vector3(0, 5, 0), Vector3(0, -5, 0)).is_empty(), "no hit")
	check_equal(PhysicsServer3D.body_get_shape_count(body.get_rid()), 1, "the body has its shape")


## ------------------------------------------------------------------ shapes of a body

func test_shapes_are_added_in_order() -> void:
	var body := server_body(PhysicsServer3D.BODY_MODE_STATIC, server_box())
	var ball := server_sphere()
	var away := Transform3D(Basis.IDENTITY, Vector3(5, 0, 0))
	PhysicsServer3D.body_add_shape(body, ball, away)
	check_equal(PhysicsServer3D.body_get_shape_count(body), 2, "count")
	check_equal(PhysicsServer3D.body_get_shape(body, 1), ball, "second shape")
	check_equal(PhysicsServer3D.body_get_shape_transform(body, 1), away, "its transform")
	check_near(_top(Vector2(5, 0)), 0.5, 1e-3, "a ray finds it")


func test_removing_a_shape_shifts_the_later_ones() -> void:
	var shapes: Array[RID] = [server_box(), server_box(), server_sphere(2.0)]
	var body := server_body(PhysicsServer3D.BODY_MODE_STATIC, shapes[0])
	PhysicsServer3D.body_add_shape(body, shapes[1], Transform3D(Basis.IDENTITY, Vector3(10, 0, 0)))
	PhysicsServer3D.body_add_shape(body, shapes[2], Transform3D(Basis.IDENTITY, Vector3(20, 0, 0)))
	PhysicsServer3D.body_remove_shape(body, 1)
	check_equal(PhysicsServer3D.body_get_shape_count(body), 2, "count")
	check_equal(PhysicsServer3D.body_get_shape(body, 1), shapes[2], "the last one moved up")
	check(ray(Vector3(10, 5, 0), Vector3(10, -5, 0)).is_empty(), "the removed one is gone")
	check_equal(ray(Vector3(20, 5, 0), Vector3(20, -5, 0)).get("shape"), 1, "index told by a ray")


func test_clearing_the_shapes() -> void:
	var body := server_body(PhysicsServer3D.BODY_MODE_STATIC, server_box())
	PhysicsServer3D.body_add_shape(body, server_sphere())
	PhysicsServer3D.body_clear_shapes(body)
	check_equal(PhysicsServer3D.body_get_shape_count(body), 0, "count")
	check(ray(Vector3(0, 5, 0), Vector3(0, -5, 0)).is_empty(), "no hit")


func test_replacing_a_shape() -> void:
	var body := server_body(PhysicsServer3D.BODY_MODE_STATIC, server_box())
	var ball := server_sphere(2.0)
	PhysicsServer3D.body_set_shape(body, 0, ball)
	check_equal(PhysicsServer3D.body_get_shape(body, 0), ball, "the shape")
	check_near(_top(Vector2.ZERO), 2.0, 1e-3, "its top")


func test_moving_a_shape() -> void:
	var body := server_body(PhysicsServer3D.BODY_MODE_STATIC, server_box())
	PhysicsServer3D.body_set_shape_transform(body, 0, Transform3D(Basis.IDENTITY, Vector3(3, 2, 0)))
	check_near(_top(Vector2(3, 0)), 2.5, 1e-3, "top at the new place")
	check(ray(Vector3(0, 5, 0), Vector3(0, -5, 0)).is_empty(), "nothing at the old one")


func test_disabling_a_shape_of_the_server() -> void:
	var body := server_body(PhysicsServer3D.BODY_MODE_STATIC, server_box())
	PhysicsServer3D.body_set_shape_disabled(body, 0, true)
	check(ray(Vector3(0, 5, 0), Vector3(0, -5, 0)).is_empty(), "disabled")
	check_equal(PhysicsServer3D.body_get_shape_count(body), 1, "still counted")


func test_one_shape_may_be_used_twice_by_a_body() -> void:
	var shape := server_box()
	var body := server_body(PhysicsServer3D.BODY_MODE_STATIC, shape)
	PhysicsServer3D.body_add_shape(body, shape, Transform3D(Basis.IDENTITY, Vector3(4, 0, 0)))
	check_near(_top(Vector2(0, 0)), 0.5, 1e-3, "first")
	check_near(_top(Vector2(4, 0)), 0.5, 1e-3, "second")


## A table on four legs stands on them.
func test_body_of_several_shapes_stands_on_all_its_legs() -> void:
	floor_body()
	var body := RigidBody3D.new()
	body.add_child(collision_shape(box(Vector3(2, 0.2, 2)), Transform3D(Basis.IDENTITY, Vector3(0, 0.5, 0))))
	for leg: int in 4:
		var at := Vector3(0.9 if leg & 1 else -0.9, -0.1, 0.9 if leg & 2 else -0.9)
		body.add_child(collision_shape(box(Vector3(0.2, 1, 0.2)), Transform3D(Basis.IDENTITY, at)))
	body.position = Vector3(0, 0.8, 0)
	add_child(body)
	await steps(150)
	check_near(body.position.y, 0.6, 0.025, "height")
	check_near(body.basis.y, Vector3.UP, 0.01, "upright")


## The centre of mass hangs over by 0.7 m: it turns about its lower edge until its far end, 2.6 m out and 1 m up, touches.
func test_body_out_of_balance_tips() -> void:
	floor_body()
	var body := RigidBody3D.new()
	body.add_child(collision_shape(box(), Transform3D.IDENTITY))
	body.add_child(collision_shape(box(Vector3(3, 1, 1)), Transform3D(Basis.IDENTITY, Vector3(1.6, 1, 0))))
	body.position = Vector3(0, 0.5, 0)
	add_child(body)
	await steps(120)
	check_near(body.basis.y.y, cos(atan2(1.0, 2.6)), 0.015, "it has tipped over")


func test_body_with_a_turned_shape_rests_on_it() -> void:
	floor_body()
	var body := RigidBody3D.new()
	body.add_child(collision_shape(capsule(0.3, 2.0), Transform3D(Basis(Vector3.RIGHT, PI / 2.0), Vector3.ZERO)))
	body.position = Vector3(0, 0.4, 0)
	add_child(body)
	await steps(90)
	check_near(body.position.y, 0.3, 0.025, "height of a capsule that lies in its body")


func test_scaled_box_rests_at_its_scaled_size() -> void:
	floor_body()
	var body := RigidBody3D.new()
	body.add_child(collision_shape(box(), Transform3D(Basis.from_scale(Vector3(1, 3, 2)), Vector3.ZERO)))
	body.position = Vector3(0, 1.6, 0)
	add_child(body)
	await steps(90)
	check_near(body.position.y, 1.5, 0.025, "height of a box scaled by (1, 3, 2)")


func test_scaled_floor_holds() -> void:
	var body := StaticBody3D.new()
	body.add_child(collision_shape(box(), Transform3D(Basis.from_scale(Vector3(20, 1, 20)), Vector3(0, -0.5, 0))))
	add_child(body)
	var ball := rigid(sphere(), Vector3(8, 1, 8))
	await steps(90)
	check_near(ball.position.y, 0.5, 0.025, "height at the corner")


## ------------------------------------------------------------------ shapes that change

func test_shape_changed_while_in_use() -> void:
	var shape := box()
	fixed(shape)
	check_near(_top(Vector2.ZERO), 0.5, 1e-3, "before")
	shape.size = Vector3(1, 4, 1)
	check_near(_top(Vector2.ZERO), 2.0, 1e-3, "after")


func test_shared_shape_changes_for_all_its_bodies() -> void:
	var shape := sphere(0.5)
	for index: int in 4:
		fixed(shape, Vector3(5 * index, 0, 0))
	shape.radius = 1.5
	for index: int in 4:
		check_near(_top(Vector2(5 * index, 0)), 1.5, 1e-3, "body %d" % index)


func test_growing_floor_lifts_what_lies_on_it() -> void:
	var shape := box(Vector3(10, 1, 10))
	fixed(shape, Vector3(0, -0.5, 0))
	var body := rigid(box(), Vector3(0, 0.5, 0), {"can_sleep": false})
	await steps(30)
	shape.size = Vector3(10, 1.4, 10)
	await steps(120)
	check_near(body.position.y, 0.7, 0.03, "height")


func test_mesh_changed_while_in_use() -> void:
	var shape := mesh_floor(4)
	fixed(shape)
	var faces := shape.get_faces()
	for index: int in faces.size():
		faces[index].y = 2.0
	shape.set_faces(faces)
	check_near(_top(Vector2(0.3, 0.4)), 2.0, 1e-3, "height of the raised mesh")


func test_mass_properties_follow_a_changed_shape() -> void:
	var shape := box(Vector3.ONE)
	var body := floating(shape, Vector3.ZERO, {"mass": 6.0})
	await steps()
	check_near(direct_state(body).inverse_inertia, Vector3.ONE, 1e-3, "cube of 1 m, 6 kg")
	shape.size = Vector3.ONE * 2.0
	await steps()
	check_near(direct_state(body).inverse_inertia, Vector3.ONE / 4.0, 1e-3, "cube of 2 m")


func test_shape_freed_while_bodies_use_it() -> void:
	var shape := server_box()
	var first := server_body(PhysicsServer3D.BODY_MODE_STATIC, shape)
	var second := server_body(PhysicsServer3D.BODY_MODE_RIGID, shape, Vector3(5, 0, 0))
	await steps(2)
	free_now(shape)
	check_equal(PhysicsServer3D.body_get_shape_count(first), 0, "shapes of the first")
	check_equal(PhysicsServer3D.body_get_shape_count(second), 0, "shapes of the second")
	check(ray(Vector3(0, 5, 0), Vector3(0, -5, 0)).is_empty(), "nothing to hit")
	await steps(10)
	check(origin_of(second).y < -0.1, "the body falls on")


func test_shape_added_to_a_resting_body_counts() -> void:
	floor_body()
	var body := rigid(box(), Vector3(0, 0.5, 0), {"can_sleep": false})
	await steps(30)
	body.add_child(collision_shape(box(), Transform3D(Basis.IDENTITY, Vector3(0, -1, 0))))
	await steps(120)
	check_near(body.position.y, 1.5, 0.05, "it is pushed up by the box beneath it")


## ------------------------------------------------------------------ sizes of zero

func _cylinder(radius: float, height: float) -> CylinderShape3D:
	var shape := CylinderShape3D.new()
	shape.radius = radius
	shape.height = height
	return shape


## The shape falls from 30 cm and lies still, the middle at most 3 cm off `height`.
func _check_lies(shape: Shape3D, what: String, height := 0.0) -> void:
	var body := rigid(shape, Vector3(0, height + 0.3, 0), {"mass": 2.0})
	await steps(1)
	var state := direct_state(body)
	check_near(state.inverse_mass, 0.5, 1e-6, "%s: mass" % what)
	check(state.inverse_inertia.is_finite() and state.inverse_inertia.length() > 0.0, "%s: inertia" % what)
	await steps(150)
	check_near(body.position, Vector3(0, height, 0), 0.03, "%s: it lies on the floor" % what)
	check_near(body.linear_velocity, Vector3.ZERO, 0.01, "%s: and is still" % what)
	check_near(body.angular_velocity, Vector3.ZERO, 0.05, "%s: and does not turn" % what)
	body.free()


func test_flat_shapes_lie_on_the_floor() -> void:
	floor_body()
	await _check_lies(box(Vector3(1, 0, 1)), "plate")
	await _check_lies(box(Vector3(1, 0, 0)), "rod")
	await _check_lies(box(Vector3.ZERO), "point")
	await _check_lies(_cylinder(0.5, 0.0), "disc")


func test_round_shapes_without_radius_lie_on_the_floor() -> void:
	floor_body()
	await _check_lies(sphere(0.0), "sphere")
	await _check_lies(capsule(0.0, 1.0), "capsule", 0.5)
	await _check_lies(capsule(0.0, 0.0), "capsule of no height")
	await _check_lies(_cylinder(0.0, 0.0), "cylinder")


func test_shapes_of_micrometres_lie_on_the_floor() -> void:
	floor_body()
	await _check_lies(box(Vector3(1, 2e-6, 2e-6)), "rod")
	await _check_lies(sphere(1e-6), "sphere")


func test_flat_shapes_are_hit_and_hold() -> void:
	var plate := fixed(box(Vector3(2, 0, 2)))
	var disc := fixed(_cylinder(1.0, 0.0), Vector3(5, 0, 0))
	var balls: Array[RigidBody3D] = [rigid(sphere(), Vector3(0, 1, 0)), rigid(sphere(), Vector3(5, 1, 0))]
	check_equal(ray(Vector3(0.8, 5, 0), Vector3(0.8, -5, 0)).get("collider"), plate, "a ray hits the plate")
	check_equal(ray(Vector3(5.8, 5, 0), Vector3(5.8, -5, 0)).get("collider"), disc, "and the disc")
	check_near(ray(Vector3(0.8, 5, 0), Vector3(0.8, -5, 0)).get("position", Vector3.INF).y, 0.0, 1e-3, "at its height")
	await steps(90)
	for ball: RigidBody3D in balls:
		check_near(ball.position.y, 0.5, 0.03, "a ball lies on it")


func test_size_that_shrinks_to_zero_and_grows_again() -> void:
	var shape := box()
	var body := floating(shape)
	for size: float in [0.5, 1e-6, 0.0, 0.5, 2.0]:
		shape.size = Vector3.ONE * size
		await steps(2)
		check_equal(PhysicsServer3D.shape_get_data(shape.get_rid()), Vector3.ONE * size / 2.0, "the size comes back as it was set")
		check(direct_state(body).inverse_inertia.is_finite(), "inertia at %s" % size)
		check_near(_top(Vector2.ZERO), size / 2.0, 1e-3, "its top at %s" % size)
	check_near(direct_state(body).inverse_inertia, Vector3.ONE * 1.5, 1e-3, "cube of 2 m, 1 kg")
	check_near(body.position, Vector3.ZERO, 1e-4, "it has not moved")


func test_data_of_zero_comes_back() -> void:
	var ball := own(PhysicsServer3D.sphere_shape_create())
	var drum := own(PhysicsServer3D.cylinder_shape_create())
	PhysicsServer3D.shape_set_data(ball, 0.0)
	PhysicsServer3D.shape_set_data(drum, {"radius": 0.5, "height": 0.0})
	check_equal(PhysicsServer3D.shape_get_data(ball), 0.0, "radius")
	check_near(PhysicsServer3D.shape_get_data(drum).get("height", -1.0), 0.0, 1e-9, "height")
	var feeler := own(PhysicsServer3D.separation_ray_shape_create())
	PhysicsServer3D.shape_set_data(feeler, {"length": 0.0, "slide_on_slope": false})
	check_near(PhysicsServer3D.shape_get_data(feeler).get("length", -1.0), 0.0, 1e-9, "length")


## ------------------------------------------------------------------ mass properties

func test_reset_mass_properties_returns_to_automatic() -> void:
	var body := server_body(PhysicsServer3D.BODY_MODE_RIGID, server_box())
	PhysicsServer3D.body_set_param(body, PhysicsServer3D.BODY_PARAM_MASS, 6.0)
	PhysicsServer3D.body_set_param(body, PhysicsServer3D.BODY_PARAM_INERTIA, Vector3(2, 2, 2))
	PhysicsServer3D.body_set_param(body, PhysicsServer3D.BODY_PARAM_CENTER_OF_MASS, Vector3(0.3, 0, 0))
	await steps()
	var state := PhysicsServer3D.body_get_direct_state(body)
	check_near(state.center_of_mass_local, Vector3(0.3, 0, 0), 1e-4, "custom centre")
	PhysicsServer3D.body_reset_mass_properties(body)
	await steps()
	check_near(state.center_of_mass_local, Vector3.ZERO, 1e-4, "automatic centre")
	check_near(state.inverse_inertia, Vector3.ONE, 1e-3, "automatic inertia of a cube of 6 kg")


func test_bodies_of_one_shape_are_alike_for_the_solver() -> void:
	floor_body()
	var bodies: Array[RigidBody3D] = []
	for index: int in 30:
		bodies.append(rigid(box_hull() if index % 2 else box(), Vector3(2 * index, 0.6, 0)))
	await steps(90)
	for body: RigidBody3D in bodies:
		check_near(body.position.y, 0.5, 0.025, "height")
