extends "res://gd/area_test.gd"
## Areas as queries see them, and what is read back of them.


func test_rays_see_areas_when_asked_to() -> void:
	var trigger := area(sphere())
	var settings := {"collide_with_areas": true}
	check_equal(ray(Vector3(-5, 0, 0), Vector3(5, 0, 0)), {}, "not asked for areas")
	var hit := ray(Vector3(-5, 0, 0), Vector3(5, 0, 0), settings)
	check_equal(hit.get("collider"), trigger, "asked for areas")
	check_near(hit.position, Vector3(-0.5, 0, 0), 1e-4, "where")
	settings["collide_with_bodies"] = false
	fixed(box(), Vector3(-3, 0, 0))
	check_equal(ray(Vector3(-5, 0, 0), Vector3(5, 0, 0), settings).get("collider"), trigger, "through bodies")
	settings["exclude"] = [trigger.get_rid()]
	check_equal(ray(Vector3(-5, 0, 0), Vector3(5, 0, 0), settings), {}, "left out")
	settings["exclude"] = []
	settings["collision_mask"] = 2
	check_equal(ray(Vector3(-5, 0, 0), Vector3(5, 0, 0), settings), {}, "of another layer")


func test_points_and_shapes_see_areas_when_asked_to() -> void:
	var trigger := area(box())
	var point := PhysicsPointQueryParameters3D.new()
	check_equal(direct_space().intersect_point(point).size(), 0, "point without areas")
	point.collide_with_areas = true
	check_equal(direct_space().intersect_point(point)[0].collider, trigger, "point")
	var shape := PhysicsShapeQueryParameters3D.new()
	shape.shape = sphere()
	check_equal(direct_space().intersect_shape(shape).size(), 0, "shape without areas")
	shape.collide_with_areas = true
	check_equal(direct_space().intersect_shape(shape)[0].rid, trigger.get_rid(), "shape")
	shape.transform.origin = Vector3(-3, 0, 0)
	shape.motion = Vector3(6, 0, 0)
	check_near(direct_space().cast_motion(shape)[0], 2.0 / 6.0, 1e-3, "cast")
	shape.transform.origin = Vector3(0, 0.9, 0)
	check_equal(direct_space().get_rest_info(shape).get("rid"), trigger.get_rid(), "rest info")


func test_ray_and_shape_cast_nodes_see_areas() -> void:
	var trigger := area(box())
	var cast := RayCast3D.new()
	cast.position = Vector3(0, 3, 0)
	cast.target_position = Vector3(0, -5, 0)
	cast.collide_with_areas = true
	add_child(cast)
	var shape_cast := ShapeCast3D.new()
	shape_cast.shape = sphere(0.2)
	shape_cast.position = Vector3(0, 3, 0)
	shape_cast.target_position = Vector3(0, -5, 0)
	shape_cast.collide_with_areas = true
	add_child(shape_cast)
	await steps(3)
	check_equal(cast.get_collider(), trigger, "RayCast3D")
	check_equal(shape_cast.get_collision_count(), 1, "ShapeCast3D")
	check_equal(shape_cast.get_collider(0), trigger, "ShapeCast3D: what")


func test_bodies_pass_areas_and_motion_tests_do_not_see_them() -> void:
	area(box())
	var character := put(CharacterBody3D.new(), sphere(), Vector3(0, 3, 0)) as CharacterBody3D
	check(character.move_and_collide(Vector3(0, -6, 0)) == null, "a character passes")
	character.free()
	var body := rigid(sphere(), Vector3(0, 3, 0))
	await steps(60)
	check_near(body.linear_velocity.y, -GRAVITY * 60.0 * TICK, 0.2, "a rigid body passes")


func test_shapes_of_an_area_through_the_server() -> void:
	var trigger := own(PhysicsServer3D.area_create())
	var shape := server_box()
	var place := Transform3D(Basis.IDENTITY, Vector3(1, 2, 3))
	PhysicsServer3D.area_add_shape(trigger, shape)
	PhysicsServer3D.area_add_shape(trigger, server_sphere(), place)
	check_equal(PhysicsServer3D.area_get_shape_count(trigger), 2, "count")
	check_equal(PhysicsServer3D.area_get_shape_transform(trigger, 1), place, "transform")
	PhysicsServer3D.area_remove_shape(trigger, 0)
	check_equal(PhysicsServer3D.area_get_shape_transform(trigger, 0), place, "the later one moved up")
	PhysicsServer3D.area_set_shape(trigger, 0, shape)
	check_equal(PhysicsServer3D.area_get_shape(trigger, 0), shape, "set")
	PhysicsServer3D.area_set_transform(trigger, place)
	check_equal(PhysicsServer3D.area_get_transform(trigger), place, "the area's transform")
	PhysicsServer3D.area_clear_shapes(trigger)
	check_equal(PhysicsServer3D.area_get_shape_count(trigger), 0, "cleared")
