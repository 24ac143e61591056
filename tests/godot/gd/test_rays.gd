extends "res://gd/physics_test.gd"
## Rays through the direct space state and RayCast3D nodes, with exact results.

const EXACT := 1e-3


## The ray must hit at `position` with `normal`.
func _check_hit(hit: Dictionary, position: Vector3, normal: Vector3, what: String) -> void:
	check(not hit.is_empty(), "%s: no hit" % what)
	if not hit.is_empty():
		check_near(hit["position"], position, EXACT, "%s: position" % what)
		check_near(hit["normal"], normal, EXACT, "%s: normal" % what)


func test_ray_hits_a_box_on_each_face() -> void:
	fixed(box(Vector3(2, 4, 6)), Vector3(1, 2, 3))
	for axis: int in 3:
		for side: float in [-1.0, 1.0]:
			var normal := Vector3.ZERO
			normal[axis] = side
			var half := [1.0, 2.0, 3.0][axis] as float
			var centre := Vector3(1, 2, 3)
			_check_hit(ray(centre + normal * 10.0, centre - normal * 10.0), centre + normal * half, normal, "from %s" % normal)


func test_ray_tells_who_was_hit() -> void:
	var body := fixed(box())
	var hit := ray(Vector3(0, 5, 0), Vector3(0, -5, 0))
	check_equal(hit.get("collider"), body, "collider")
	check_equal(hit.get("collider_id"), body.get_instance_id(), "id")
	check_equal(hit.get("rid"), body.get_rid(), "RID")
	check_equal(hit.get("shape"), 0, "shape")
	check_equal(hit.get("face_index"), -1, "face index of a convex shape")


func test_ray_hits_a_turned_box() -> void:
	fixed(box(Vector3(2, 2, 2)), Transform3D(Basis(Vector3.UP, PI / 4.0), Vector3.ZERO))
	var way := Vector3(1, 0, 1).normalized()
	_check_hit(ray(way * 5.0, -way * 5.0), way, way, "onto the turned face")
	var edge := ray(Vector3(5, 0.3, 0), Vector3(-5, 0.3, 0))
	check_near(edge.get("position", Vector3.INF), Vector3(sqrt(2.0), 0.3, 0), EXACT, "onto the edge")


func test_ray_hits_a_sphere() -> void:
	fixed(sphere(2.0), Vector3(0, 0, 0))
	_check_hit(ray(Vector3(5, 0, 0), Vector3(-5, 0, 0)), Vector3(2, 0, 0), Vector3.RIGHT, "through the middle")
	# At y = 1.2 the sphere's surface is at x = sqrt(4 - 1.44) = 1.6.
	_check_hit(ray(Vector3(5, 1.2, 0), Vector3(-5, 1.2, 0)), Vector3(1.6, 1.2, 0), Vector3(0.8, 0.6, 0), "off the middle")
	check(ray(Vector3(5, 2.01, 0), Vector3(-5, 2.01, 0)).is_empty(), "just above")


## A random ray against x^2 + y^2 + z^2 = r^2.
func test_random_rays_agree_with_the_sphere_formula() -> void:
	var centre := Vector3(3, -2, 1)
	fixed(sphere(1.5), centre)
	var random := RandomNumberGenerator.new()
	random.seed = 5
	var hits := 0
	for index: int in 200:
		var from := centre + Vector3(random.randfn(), random.randfn(), random.randfn()).normalized() * 6.0
		var to := centre + Vector3(random.randf_range(-2.5, 2.5), random.randf_range(-2.5, 2.5), random.randf_range(-2.5, 2.5))
		var way := (to - from).normalized()
		to = from + way * 12.0
		var along := (centre - from).dot(way)
		var discriminant := 1.5 * 1.5 - (from + way * along - centre).length_squared()
		if absf(discriminant) < 0.01:
			continue
		var hit := ray(from, to)
		check_equal(not hit.is_empty(), discriminant > 0.0, "ray %d hits" % index)
		if discriminant > 0.0 and not hit.is_empty():
			hits += 1
			check_near(hit["position"], from + way * (along - sqrt(discriminant)), 3e-3, "ray %d" % index)
	check(hits > 50, "many rays hit: %d" % hits)


func test_ray_hits_a_capsule_on_its_side_and_its_cap() -> void:
	fixed(capsule(0.5, 3.0))
	_check_hit(ray(Vector3(5, 0.7, 0), Vector3(-5, 0.7, 0)), Vector3(0.5, 0.7, 0), Vector3.RIGHT, "side")
	_check_hit(ray(Vector3(0, 5, 0), Vector3(0, -5, 0)), Vector3(0, 1.5, 0), Vector3.UP, "top")
	# Cap centre at y = 1; at y = 1.3 the surface is at x = 0.4.
	_check_hit(ray(Vector3(5, 1.3, 0), Vector3(-5, 1.3, 0)), Vector3(0.4, 1.3, 0), Vector3(0.8, 0.6, 0), "side of the cap")


func test_ray_hits_a_hull() -> void:
	fixed(octahedron(1.0))
	var normal := Vector3(1, 1, 1).normalized()
	_check_hit(ray(normal * 5.0, -normal * 5.0), normal / sqrt(3.0), normal, "face of an octahedron")
	# x + |y| + |z| = 1 at y = 0.25, z = 0.25.
	_check_hit(ray(Vector3(5, 0.25, 0.25), Vector3(-5, 0.25, 0.25)), Vector3(0.5, 0.25, 0.25), normal, "along x")
	check(ray(Vector3(5, 0.6, 0.6), Vector3(-5, 0.6, 0.6)).is_empty(), "past it")


func test_ray_hits_a_world_boundary() -> void:
	var normal := Vector3(1, 2, 2) / 3.0
	fixed(plane(normal, 2.0))
	_check_hit(ray(normal * 9.0, normal * -9.0), normal * 2.0, normal, "straight on")
	check(ray(normal * 9.0, normal * 2.5).is_empty(), "ends before it")


func test_ray_hits_a_mesh_and_tells_the_normal() -> void:
	fixed(mesh_floor(4), Vector3(0, 1, 0))
	_check_hit(ray(Vector3(0.3, 5, 0.7), Vector3(0.3, -5, 0.7)), Vector3(0.3, 1, 0.7), Vector3.UP, "from above")
	check(ray(Vector3(3, 5, 0), Vector3(3, -5, 0)).is_empty(), "beside it")


func test_ray_slanted_onto_a_mesh() -> void:
	fixed(mesh_floor(8))
	_check_hit(ray(Vector3(-3, 3, 0.1), Vector3(3, -3, 0.1)), Vector3(0, 0, 0.1), Vector3.UP, "at 45 degrees")


func test_back_faces_of_a_mesh_are_hit_when_asked() -> void:
	var shape := mesh_floor(4)
	shape.backface_collision = true
	fixed(shape)
	var from := Vector3(0.3, -5, 0.7)
	var to := Vector3(0.3, 5, 0.7)
	_check_hit(ray(from, to, {"hit_back_faces": true}), Vector3(0.3, 0, 0.7), Vector3.DOWN, "from below")
	check(ray(from, to, {"hit_back_faces": false}).is_empty(), "not asked for")


func test_ray_that_starts_inside_a_convex_shape() -> void:
	var shapes: Array[Shape3D] = [box(Vector3.ONE * 2), sphere(1.0), capsule(1.0, 3.0), octahedron(2.0)]
	for shape: Shape3D in shapes:
		var body := fixed(shape)
		check(ray(Vector3(0.1, 0, 0), Vector3(5, 0, 0)).is_empty(), "%s: ignored by default" % shape.get_class())
		var hit := ray(Vector3(0.1, 0, 0), Vector3(5, 0, 0), {"hit_from_inside": true})
		check(not hit.is_empty(), "%s: hit from inside" % shape.get_class())
		if not hit.is_empty():
			check_near(hit["position"], Vector3(0.1, 0, 0), EXACT, "%s: position is the start" % shape.get_class())
			check_near(hit["normal"], Vector3.ZERO, EXACT, "%s: no normal" % shape.get_class())
		body.free()


func test_ray_without_length_hits_what_it_is_inside_of() -> void:
	var point := Vector3(0.1, 0.2, 0.1)
	var shapes: Array[Shape3D] = [box(Vector3.ONE * 2), sphere(1.0), capsule(1.0, 3.0), octahedron(2.0)]
	for shape: Shape3D in shapes:
		var body := fixed(shape)
		check(ray(point, point).is_empty(), "%s: ignored by default" % shape.get_class())
		var hit := ray(point, point, {"hit_from_inside": true})
		check_equal(hit.get("collider"), body, "%s: hit" % shape.get_class())
		check_near(hit.get("position", Vector3.INF), point, EXACT, "%s: position" % shape.get_class())
		check_near(hit.get("normal", Vector3.INF), Vector3.ZERO, EXACT, "%s: no normal" % shape.get_class())
		check(ray(point * 20.0, point * 20.0, {"hit_from_inside": true}).is_empty(), "%s: not outside" % shape.get_class())
		body.free()
	fixed(mesh_floor())
	check(ray(Vector3(0.3, 0, 0.1), Vector3(0.3, 0, 0.1), {"hit_from_inside": true}).is_empty(), "a mesh has no inside")


func test_ray_from_inside_one_body_hits_the_next() -> void:
	fixed(box(Vector3.ONE * 2))
	var next := fixed(box(Vector3.ONE * 2), Vector3(5, 0, 0))
	var hit := ray(Vector3.ZERO, Vector3(9, 0, 0))
	check_equal(hit.get("collider"), next, "collider")
	_check_hit(hit, Vector3(4, 0, 0), Vector3.LEFT, "next body")


func test_nearest_of_many_is_hit() -> void:
	var bodies: Array[Node] = []
	for index: int in 10:
		bodies.append(fixed(box(), Vector3([7, 3, 9, 1, 5, 2, 8, 6, 4, 0][index] * 3.0, 0, 0)))
	check_equal(ray(Vector3(-5, 0, 0), Vector3(50, 0, 0)).get("collider"), bodies[9], "from the left")
	check_equal(ray(Vector3(50, 0, 0), Vector3(-5, 0, 0)).get("collider"), bodies[2], "from the right")


func test_ray_excludes_what_it_is_told() -> void:
	var near := fixed(box())
	var far := fixed(box(), Vector3(3, 0, 0))
	var from := Vector3(-5, 0, 0)
	var to := Vector3(9, 0, 0)
	check_equal(ray(from, to, {"exclude": [near.get_rid()]}).get("collider"), far, "the next one")
	check(ray(from, to, {"exclude": [near.get_rid(), far.get_rid()]}).is_empty(), "none left")


func test_ray_ends_where_it_ends() -> void:
	fixed(box())
	check(ray(Vector3(0, 5, 0), Vector3(0, 0.51, 0)).is_empty(), "1 cm short")
	check(not ray(Vector3(0, 5, 0), Vector3(0, 0.49, 0)).is_empty(), "1 cm in")
	check(ray(Vector3(0, 5, 0), Vector3(0, 5, 0)).is_empty(), "no length")


func test_ray_ignores_areas_unless_asked() -> void:
	var area := Area3D.new()
	put(area, box())
	check(ray(Vector3(0, 5, 0), Vector3(0, -5, 0)).is_empty(), "by default")


func test_ray_ignores_bodies_when_told() -> void:
	fixed(box())
	check(ray(Vector3(0, 5, 0), Vector3(0, -5, 0), {"collide_with_bodies": false}).is_empty(), "no bodies")


func test_ray_ignores_disabled_shapes() -> void:
	var body := fixed(box())
	(body.get_child(0) as CollisionShape3D).disabled = true
	check(ray(Vector3(0, 5, 0), Vector3(0, -5, 0)).is_empty(), "disabled")
	(body.get_child(0) as CollisionShape3D).disabled = false
	check(not ray(Vector3(0, 5, 0), Vector3(0, -5, 0)).is_empty(), "enabled")


func test_ray_tells_the_index_of_the_shape() -> void:
	var body := StaticBody3D.new()
	for index: int in 5:
		body.add_child(collision_shape(sphere(0.4), Transform3D(Basis.IDENTITY, Vector3(index * 2.0, 0, 0))))
	body.rotation.y = PI / 2.0
	body.position = Vector3(10, 0, 0)
	add_child(body)
	for index: int in 5:
		var at := Vector3(10, 0, -2.0 * index)
		var hit := ray(at + Vector3.UP * 3, at + Vector3.DOWN * 3)
		check_equal(hit.get("shape"), index, "shape")
		_check_hit(hit, at + Vector3.UP * 0.4, Vector3.UP, "shape %d" % index)


func test_bodies_are_hit_before_their_first_step() -> void:
	var body := rigid(box(), Vector3(0, 3, 0))
	check_equal(ray(Vector3(0, 9, 0), Vector3(0, -9, 0)).get("collider"), body, "just added")
	body.free()
	check(ray(Vector3(0, 9, 0), Vector3(0, -9, 0)).is_empty(), "just freed")


func test_ray_follows_a_moving_body() -> void:
	var body := floating(sphere(), Vector3.ZERO, {"linear_velocity": Vector3(6, 0, 0)})
	await steps(60)
	_check_hit(ray(body.position + Vector3.UP * 5, body.position + Vector3.DOWN * 5), body.position + Vector3.UP * 0.5,
		Vector3.UP, "where it is after 1 s")
	check(ray(Vector3(0, 5, 0), Vector3(0, -5, 0)).is_empty(), "not where it was")


func test_ray_against_a_scaled_shape() -> void:
	var body := StaticBody3D.new()
	body.add_child(collision_shape(box(), Transform3D(Basis.from_scale(Vector3(2, 3, 4)), Vector3.ZERO)))
	add_child(body)
	_check_hit(ray(Vector3(9, 1.2, 1.5), Vector3(-9, 1.2, 1.5)), Vector3(1, 1.2, 1.5), Vector3.RIGHT, "box scaled by (2, 3, 4)")
	var ball := StaticBody3D.new()
	ball.add_child(collision_shape(sphere(), Transform3D(Basis.from_scale(Vector3.ONE * 3), Vector3.ZERO)))
	ball.position = Vector3(0, 20, 0)
	add_child(ball)
	_check_hit(ray(Vector3(9, 20, 0), Vector3(-9, 20, 0)), Vector3(1.5, 20, 0), Vector3.RIGHT, "sphere scaled by 3")


func test_very_long_ray() -> void:
	fixed(box(), Vector3(0, 0, 0))
	var hit := ray(Vector3(0.2, 4000, 0.3), Vector3(0.2, -4000, 0.3))
	check_near(hit.get("position", Vector3.INF), Vector3(0.2, 0.5, 0.3), 0.02, "position")


## ------------------------------------------------------------------ RayCast3D

func _ray_cast(at: Vector3, target: Vector3) -> RayCast3D:
	var node := RayCast3D.new()
	node.position = at
	node.target_position = target
	add_child(node)
	return node


func test_ray_cast_node_hits() -> void:
	var body := fixed(box())
	var node := _ray_cast(Vector3(0.1, 5, 0.2), Vector3(0, -10, 0))
	await steps(2)
	check(node.is_colliding(), "it collides")
	check_near(node.get_collision_point(), Vector3(0.1, 0.5, 0.2), EXACT, "point")
	check_near(node.get_collision_normal(), Vector3.UP, EXACT, "normal")
	check_equal(node.get_collider(), body, "collider")
	check_equal(node.get_collider_shape(), 0, "shape")
	check_equal(node.get_collider_rid(), body.get_rid(), "RID")


func test_ray_cast_node_turned() -> void:
	var body := fixed(box(), Vector3(5, 0, 0))
	var node := _ray_cast(Vector3.ZERO, Vector3(0, -10, 0))
	node.rotation.z = PI / 2.0
	await steps(2)
	check_equal(node.get_collider(), body, "its target turns with it")


func test_ray_cast_node_updates_when_forced() -> void:
	var node := _ray_cast(Vector3(0, 5, 0), Vector3(0, -10, 0))
	await steps(2)
	check(not node.is_colliding(), "nothing there")
	fixed(box())
	node.force_raycast_update()
	check(node.is_colliding(), "a body added in this tick")


func test_ray_cast_node_exceptions_and_mask() -> void:
	var body := fixed(box())
	var node := _ray_cast(Vector3(0, 5, 0), Vector3(0, -10, 0))
	node.add_exception(body)
	await steps(2)
	check(not node.is_colliding(), "excepted")
	node.remove_exception(body)
	await steps(2)
	check(node.is_colliding(), "no longer excepted")
	node.collision_mask = 2
	await steps(2)
	check(not node.is_colliding(), "other mask")


func test_ray_cast_node_leaves_out_its_parent() -> void:
	var body := fixed(box())
	var node := RayCast3D.new()
	node.target_position = Vector3(0, -5, 0)
	node.hit_from_inside = true
	body.add_child(node)
	await steps(2)
	check(not node.is_colliding(), "parent excluded by default")
	node.exclude_parent = false
	await steps(2)
	check(node.is_colliding(), "parent hit when asked for")


func test_disabled_ray_cast_node_keeps_quiet() -> void:
	fixed(box())
	var node := _ray_cast(Vector3(0, 5, 0), Vector3(0, -10, 0))
	node.enabled = false
	await steps(3)
	check(not node.is_colliding(), "disabled")
