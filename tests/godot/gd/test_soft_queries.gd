extends "res://gd/soft_test.gd"
## SoftBody3D in the queries of PhysicsDirectSpaceState3D, and in the nodes that ask them.


func _net() -> SoftBody3D:
	var body := cloth(Vector3(0, 10, 0))
	pin_all(body)
	return body


func _shape_query(shape: Shape3D, at: Vector3, settings: Dictionary = {}) -> PhysicsShapeQueryParameters3D:
	var query := PhysicsShapeQueryParameters3D.new()
	query.shape = shape
	query.transform.origin = at
	for name: String in settings:
		query.set(name, settings[name])
	return query


func test_a_shape_that_overlaps_a_soft_body_finds_it() -> void:
	var body := _net()
	await steps(2)
	var hits := direct_space().intersect_shape(_shape_query(sphere(0.2), Vector3(0.3, 10.1, 0.1)))
	check_equal(hits.size(), 1, "hits")
	check_equal(hits[0].get("collider") if hits else null, body, "the collider")
	check_equal(hits[0].get("rid") if hits else null, body.get_physics_rid(), "its RID")
	check_equal(direct_space().intersect_shape(_shape_query(sphere(0.2), Vector3(0.3, 10.5, 0.1))).size(), 0, "above it")
	check_equal(direct_space().intersect_shape(_shape_query(box(Vector3.ONE * 0.1), Vector3(0.3, 10, 0.1))).size(), 1, "a box")


func test_masks_and_exclusions_hold_for_shapes() -> void:
	var body := _net()
	await steps(2)
	var at := Vector3(0.3, 10.1, 0.1)
	for settings: Dictionary in [{"collision_mask": 2}, {"exclude": [body.get_physics_rid()]}, {"collide_with_bodies": false}]:
		check_equal(direct_space().intersect_shape(_shape_query(sphere(0.2), at, settings)).size(), 0, str(settings))
	body.collision_layer = 2
	check_equal(direct_space().intersect_shape(_shape_query(sphere(0.2), at, {"collision_mask": 2})).size(), 1, "its layer")


func test_a_cast_shape_stops_at_a_soft_body() -> void:
	_net()
	await steps(2)
	for shape: Shape3D in [sphere(0.25), box(Vector3.ONE * 0.5), capsule(0.25, 0.5)]:
		var query := _shape_query(shape, Vector3(0.3, 12, 0.1), {"motion": Vector3(0, -4, 0)})
		var fractions := direct_space().cast_motion(query)
		check_near(fractions[0], 1.75 / 4.0, 0.01, "the safe part of %s" % shape.get_class())
		check(fractions[1] >= fractions[0] and fractions[1] < fractions[0] + 0.01, "the unsafe part")
	var beside := _shape_query(sphere(0.25), Vector3(3, 12, 0), {"motion": Vector3(0, -4, 0)})
	check_equal(direct_space().cast_motion(beside), PackedFloat32Array([1.0, 1.0]), "beside it")


func test_a_small_shape_cast_far_does_not_jump_over_a_soft_body() -> void:
	_net()
	await steps(2)
	var query := _shape_query(sphere(0.01), Vector3(0.3, 60, 0.1), {"motion": Vector3(0, -100, 0)})
	check_near(direct_space().cast_motion(query)[0], 0.4999, 0.001, "the safe part")


func test_a_point_in_a_closed_soft_body_finds_it() -> void:
	weightless()
	var body := soft_ball(Vector3(0, 10, 0), {"pressure_coefficient": 0.1})
	await steps(2)
	var query := PhysicsPointQueryParameters3D.new()
	query.position = Vector3(0.1, 10.2, 0.1)
	var hits := direct_space().intersect_point(query)
	check_equal(hits.size(), 1, "hits inside")
	check_equal(hits[0].get("collider") if hits else null, body, "the collider")
	query.position = Vector3(0, 10.7, 0)
	check_equal(direct_space().intersect_point(query).size(), 0, "hits outside")


func test_an_open_soft_body_has_no_inside() -> void:
	_net()
	await steps(2)
	var query := PhysicsPointQueryParameters3D.new()
	query.position = Vector3(0.3, 10, 0.1)
	check_equal(direct_space().intersect_point(query).size(), 0, "hits on a cloth")


func test_rest_info_tells_where_a_shape_touches_a_soft_body() -> void:
	var body := _net()
	await steps(2)
	var info := direct_space().get_rest_info(_shape_query(sphere(0.25), Vector3(0.3, 10.2, 0.1)))
	check_equal(info.get("collider_id"), body.get_instance_id(), "the collider")
	check_equal(info.get("rid"), body.get_physics_rid(), "its RID")
	check_near(info.get("point", Vector3.ZERO), Vector3(0.3, 10, 0.1), 0.02, "the point")
	check_near(info.get("normal", Vector3.ZERO), Vector3.UP, 0.02, "the normal")


func test_collide_shape_tells_the_points_of_both() -> void:
	_net()
	await steps(2)
	var points := direct_space().collide_shape(_shape_query(sphere(0.25), Vector3(0.3, 10.2, 0.1)))
	check_equal(points.size(), 2, "points")
	if points.size() == 2:
		check_near(points[0], Vector3(0.3, 9.95, 0.1), 0.02, "the deepest point of the sphere")
		check_near(points[1], Vector3(0.3, 10, 0.1), 0.02, "the point of the cloth")


func test_the_nodes_that_cast_hit_a_soft_body() -> void:
	var body := _net()
	var cast := ShapeCast3D.new()
	cast.shape = sphere(0.25)
	cast.target_position = Vector3(0, -4, 0)
	cast.position = Vector3(0.3, 12, 0.1)
	add_child(cast)
	var line := RayCast3D.new()
	line.target_position = Vector3(0, -4, 0)
	line.position = Vector3(0.3, 12, 0.1)
	add_child(line)
	await steps(3)
	check(cast.is_colliding(), "the shape hits")
	check_equal(cast.get_collider(0) if cast.is_colliding() else null, body, "what the shape hits")
	check_near(cast.get_closest_collision_safe_fraction(), 1.75 / 4.0, 0.01, "how far the shape moves")
	check_equal(line.get_collider(), body, "what the ray hits")
	check_near(line.get_collision_point(), Vector3(0.3, 10, 0.1), 0.02, "where the ray hits")
