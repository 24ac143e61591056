extends "res://gd/physics_test.gd"
## Points, shapes, sweeps, contacts and rest info asked of the direct space state; ShapeCast3D nodes.

const EXACT := 2e-3


func _points(at: Vector3, settings: Dictionary = {}, most: int = 32) -> Array[Dictionary]:
	var query := PhysicsPointQueryParameters3D.new()
	query.position = at
	for property: String in settings:
		query.set(property, settings[property])
	return direct_space().intersect_point(query, most)


func _query(shape: Shape3D, at: Variant, settings: Dictionary = {}) -> PhysicsShapeQueryParameters3D:
	var query := PhysicsShapeQueryParameters3D.new()
	query.shape = shape
	query.transform = at if at is Transform3D else Transform3D(Basis.IDENTITY, at)
	for property: String in settings:
		query.set(property, settings[property])
	return query


func _colliders(hits: Array[Dictionary]) -> Array:
	return hits.map(func(hit: Dictionary) -> Node: return hit["collider"])


## ------------------------------------------------------------------ intersect_point

func test_points_inside_and_outside_of_shapes() -> void:
	var cases := [
		[box(Vector3(2, 2, 2)), [Vector3(0.99, 0.99, 0.99)], [Vector3(1.01, 0, 0)]],
		[sphere(1.0), [Vector3(0.57, 0.57, 0.57)], [Vector3(0.6, 0.6, 0.6)]],
		[capsule(0.5, 3.0), [Vector3(0, 1.49, 0), Vector3(0.49, 0.9, 0)], [Vector3(0.4, 1.4, 0), Vector3(0, 1.51, 0)]],
		[octahedron(1.0), [Vector3(0.33, 0.33, 0.33)], [Vector3(0.34, 0.34, 0.34)]],
		[plane(Vector3.UP, 1.0), [Vector3(500, 0.99, 3), Vector3(0, -50, 0)], [Vector3(0, 1.01, 0)]],
	]
	for case: Array in cases:
		var body := fixed(case[0])
		for inside: Vector3 in case[1]:
			check_equal(_colliders(_points(inside)), [body], "%s holds %s" % [case[0].get_class(), inside])
		for outside: Vector3 in case[2]:
			check(_points(outside).is_empty(), "%s does not hold %s" % [case[0].get_class(), outside])
		body.free()


func test_points_in_several_bodies_and_the_limit() -> void:
	var bodies: Array[Node] = []
	for index: int in 6:
		bodies.append(fixed(sphere(2.0), Vector3(0.1 * index, 0, 0)))
	var found := _colliders(_points(Vector3.ZERO))
	check_equal(found.size(), 6, "all six")
	for body: Node in bodies:
		check(body in found, "%s" % body)
	check_equal(_points(Vector3.ZERO, {}, 4).size(), 4, "no more than asked for")


func test_points_obey_mask_and_exclusion() -> void:
	var first := fixed(box(), Vector3.ZERO, {"collision_layer": 1})
	var second := fixed(box(), Vector3.ZERO, {"collision_layer": 2})
	check_equal(_colliders(_points(Vector3.ZERO, {"collision_mask": 2})), [second], "mask")
	check_equal(_colliders(_points(Vector3.ZERO, {"exclude": [second.get_rid()]})), [first], "exclude")


## A mesh has a surface and no inside.
func test_point_is_never_in_a_mesh() -> void:
	fixed(mesh_floor())
	check(_points(Vector3(0.2, -0.001, 0.3)).is_empty(), "just beneath")
	check(_points(Vector3(0.2, 0.0, 0.3)).is_empty(), "on it")


## ------------------------------------------------------------------ intersect_shape

func test_shapes_overlap_or_not() -> void:
	# A unit box at the origin; each shape just touches at x = 0.5 from the right.
	var cases := [[box(), 1.0], [sphere(0.5), 1.0], [capsule(0.3, 2.0), 0.8], [octahedron(0.7), 1.2]]
	fixed(box())
	for case: Array in cases:
		var reach: float = case[1]
		check_equal(direct_space().intersect_shape(_query(case[0], Vector3(reach - 0.02, 0, 0))).size(), 1,
			"%s, 2 cm in" % case[0].get_class())
		check_equal(direct_space().intersect_shape(_query(case[0], Vector3(reach + 0.02, 0, 0))).size(), 0,
			"%s, 2 cm off" % case[0].get_class())


func test_every_kind_of_shape_is_found() -> void:
	for shape: Shape3D in [box(), sphere(), capsule(), octahedron(), mesh_floor(), plane()]:
		var body := fixed(shape)
		var hits := direct_space().intersect_shape(_query(box(), Vector3(0.1, 0.2, 0.1)))
		check_equal(_colliders(hits), [body], "%s under a box" % shape.get_class())
		body.free()


func test_margin_widens_the_query() -> void:
	fixed(box())
	check_equal(direct_space().intersect_shape(_query(box(), Vector3(1.05, 0, 0))).size(), 0, "5 cm off")
	var wide := _query(box(), Vector3(1.05, 0, 0), {"margin": 0.1})
	check_equal(direct_space().intersect_shape(wide).size(), 1, "with a margin of 10 cm")


## Without a margin what touches counts, and what is a twentieth of a millimetre away does not.
func test_rest_info_without_margin() -> void:
	fixed(box())
	for case: Array in [[sphere(0.5), 1.0], [box(), 1.0], [capsule(0.25, 2.0), 0.75]]:
		var what: String = case[0].get_class()
		check(direct_space().get_rest_info(_query(case[0], Vector3(case[1] - 1e-5, 0, 0))).has("point"), what + " touches")
		check(direct_space().get_rest_info(_query(case[0], Vector3(case[1] + 5e-5, 0, 0))).is_empty(), what + " does not")


## A box at the right: its left side is at x = 2.5. Shapes of radius or half extents 0.5, three times as long along X, reach 1.5.
func test_scaled_shapes_ask_as_large_as_they_are() -> void:
	var body := fixed(box(), Vector3(3, 0, 0))
	for shape: Shape3D in [box(), box_hull(), sphere(), capsule(0.5, 1.0)]:
		for turn: float in [0.0, PI]:
			var basis := Basis(Vector3.UP, turn) * Basis.from_scale(Vector3.ONE * 3.0)
			var what := "%s, turned by %.1f" % [shape.get_class(), turn]
			for reach: float in [1.45, 1.55]:
				var query := _query(shape, Vector3.ZERO)
				query.transform = Transform3D(basis, Vector3(2.5 - reach, 0, 0))
				var found := [body] if reach < 1.5 else []
				check_equal(_colliders(direct_space().intersect_shape(query)), found, "%s, %.2f m away" % [what, reach])
			var cast := _query(shape, Vector3.ZERO, {"motion": Vector3(4, 0, 0)})
			cast.transform.basis = basis
			check_between(direct_space().cast_motion(cast)[0], 0.24, 0.2501, what + ": free part of 4 m")


func test_shape_query_gives_each_shape_of_a_body() -> void:
	var body := StaticBody3D.new()
	for index: int in 3:
		body.add_child(collision_shape(box(), Transform3D(Basis.IDENTITY, Vector3(index * 1.5, 0, 0))))
	add_child(body)
	var hits := direct_space().intersect_shape(_query(box(Vector3(10, 1, 1)), Vector3.ZERO))
	var shapes := hits.map(func(hit: Dictionary) -> int: return hit["shape"])
	shapes.sort()
	check_equal(shapes, [0, 1, 2], "shape indices")
	check_equal(hits[0]["rid"] if not hits.is_empty() else RID(), body.get_rid(), "RID")


func test_shape_query_obeys_limit_mask_and_exclusion() -> void:
	var bodies: Array[Node] = []
	for index: int in 5:
		bodies.append(fixed(box(), Vector3(index * 0.1, 0, 0), {"collision_layer": 1 << (index % 2)}))
	check_equal(direct_space().intersect_shape(_query(sphere(), Vector3.ZERO, {"collision_mask": 3}), 3).size(), 3, "limit")
	check_equal(direct_space().intersect_shape(_query(sphere(), Vector3.ZERO, {"collision_mask": 2})).size(), 2, "mask")
	var exclude: Array[RID] = [bodies[0].get_rid(), bodies[2].get_rid()]
	var query := _query(sphere(), Vector3.ZERO, {"collision_mask": 1, "exclude": exclude})
	check_equal(direct_space().intersect_shape(query).size(), 1, "exclude")


func test_shape_query_by_rid() -> void:
	var body := fixed(box())
	var query := PhysicsShapeQueryParameters3D.new()
	query.shape_rid = server_box()
	query.transform.origin = Vector3(0.9, 0, 0)
	check_equal(_colliders(direct_space().intersect_shape(query)), [body], "a shape of the server")


func test_turned_and_scaled_shape_queries() -> void:
	fixed(box())
	var turned := Transform3D(Basis(Vector3.UP, PI / 4.0), Vector3(1.15, 0, 0))
	check_equal(direct_space().intersect_shape(_query(box(), turned)).size(), 1, "turned by 45 degrees it reaches 0.71 m")
	check_equal(direct_space().intersect_shape(_query(box(), Vector3(1.15, 0, 0))).size(), 0, "straight it does not")


## ------------------------------------------------------------------ cast_motion

func _check_cast(shape: Shape3D, from: Variant, motion: Vector3, expected: float, what: String) -> void:
	var fractions := direct_space().cast_motion(_query(shape, from, {"motion": motion}))
	check_equal(fractions.size(), 2, "%s: two fractions" % what)
	if fractions.size() == 2:
		# The built-in servers bisect down to 1/256 of the motion.
		check_near(fractions[0], expected, 0.006, "%s: safe fraction" % what)
		check_near(fractions[1], expected, 0.006, "%s: unsafe fraction" % what)
		check(fractions[0] <= fractions[1], "%s: safe before unsafe" % what)
		check(fractions[0] <= expected + 1e-3 and fractions[1] >= expected - 1e-3, "%s: they embrace the touch: %s" % [what, fractions])


func test_cast_of_a_sphere_onto_shapes() -> void:
	# A sphere of 0.5 m goes 8 m down from y = 5.
	var tops := [[box(), 0.5], [sphere(0.75), 0.75], [capsule(0.5, 3.0), 1.5], [octahedron(1.0), null], [plane(), 0.0],
		[mesh_floor(), 0.0]]
	for case: Array in tops:
		var body := fixed(case[0])
		# Onto the tip of an octahedron: touched on its tip.
		var top: float = case[1] if case[1] != null else 1.0
		_check_cast(sphere(0.5), Vector3(0, 5, 0), Vector3(0, -8, 0), (4.5 - top) / 8.0, case[0].get_class())
		body.free()


func test_cast_of_shapes_onto_a_box() -> void:
	fixed(box())
	var bottoms := [[box(), 0.5], [sphere(0.75), 0.75], [capsule(0.5, 3.0), 1.5], [octahedron(1.0), 1.0]]
	for case: Array in bottoms:
		_check_cast(case[0], Vector3(0.1, 5, 0.1), Vector3(0, -8, 0), (4.5 - case[1]) / 8.0, case[0].get_class())


## A sphere that passes another off its middle touches where the centres are r1 + r2 apart.
func test_casts_of_spheres_agree_with_the_formula() -> void:
	fixed(sphere(0.75))
	for offset: float in [0.0, 0.3, 0.6, 0.9, 1.2]:
		var touch := sqrt(1.25 * 1.25 - offset * offset)
		_check_cast(sphere(0.5), Vector3(-4, offset, 0), Vector3(8, 0, 0), (4.0 - touch) / 8.0, "%s m off the middle" % offset)


## A capsule on its side above an edge of a box, coming down: touched by its cylinder.
func test_cast_of_a_lying_capsule_onto_a_mesh() -> void:
	fixed(mesh_floor())
	var lying := Transform3D(Basis(Vector3.BACK, PI / 2.0), Vector3(0.2, 4, 0.3))
	_check_cast(capsule(0.5, 3.0), lying, Vector3(0, -8, 0), 3.5 / 8.0, "lying capsule")


func test_cast_of_a_hull_onto_a_hull() -> void:
	fixed(octahedron(1.0))
	# Tip on tip, a little aside: face slides on tip; from above at x = 0.2 both surfaces are 0.2 m lower.
	_check_cast(octahedron(1.0), Vector3(0.2, 5, 0), Vector3(0, -8, 0), (5.0 - 1.8) / 8.0, "hull on hull")


func test_cast_of_a_turned_box() -> void:
	fixed(box(Vector3(10, 1, 10)))
	var turned := Transform3D(Basis(Vector3.BACK, PI / 4.0), Vector3(0, 5, 0))
	_check_cast(box(), turned, Vector3(0, -8, 0), (4.5 - sqrt(0.5)) / 8.0, "edge first")


func test_cast_into_the_open() -> void:
	fixed(box(), Vector3(0, -50, 0))
	var fractions := direct_space().cast_motion(_query(sphere(), Vector3.ZERO, {"motion": Vector3(9, 0, 0)}))
	check_equal(fractions, PackedFloat32Array([1, 1]), "fractions")


func test_cast_takes_the_nearest() -> void:
	for index: int in 5:
		fixed(box(), Vector3([9, 6, 12, 3, 15][index], 0, 0))
	_check_cast(sphere(0.5), Vector3.ZERO, Vector3(20, 0, 0), 2.0 / 20.0, "nearest of five")


## A body that overlaps at the start is not in the way.
func test_cast_ignores_what_it_starts_in() -> void:
	fixed(box())
	var fractions := direct_space().cast_motion(_query(sphere(), Vector3(0.2, 0, 0), {"motion": Vector3(9, 0, 0)}))
	check_equal(fractions, PackedFloat32Array([1, 1]), "fractions")


func test_cast_obeys_exclusion() -> void:
	var near := fixed(box(), Vector3(3, 0, 0))
	fixed(box(), Vector3(6, 0, 0))
	var query := _query(sphere(0.5), Vector3.ZERO, {"motion": Vector3(10, 0, 0), "exclude": [near.get_rid()]})
	check_near(direct_space().cast_motion(query)[0], 0.5, 0.006, "fraction up to the second box")


func test_cast_slides_past() -> void:
	fixed(box())
	var fractions := direct_space().cast_motion(_query(sphere(0.5), Vector3(-3, 1.05, 0), {"motion": Vector3(6, 0, 0)}))
	check_equal(fractions, PackedFloat32Array([1, 1]), "5 cm above the box")


## ------------------------------------------------------------------ collide_shape and get_rest_info

func test_collide_shape_gives_pairs_of_points() -> void:
	fixed(box(Vector3(4, 1, 4)))
	var points := direct_space().collide_shape(_query(box(), Vector3(0, 0.9, 0)), 16)
	check(points.size() >= 2 and points.size() % 2 == 0, "pairs: %d points" % points.size())
	for index: int in range(0, points.size(), 2):
		check_near(points[index].y, 0.4, 0.05, "point on the query shape, whose bottom is at 0.4")
		check_near(points[index + 1].y, 0.5, 0.05, "point on the other, whose top is at 0.5")


func test_collide_shape_of_spheres() -> void:
	fixed(sphere(1.0))
	var points := direct_space().collide_shape(_query(sphere(0.5), Vector3(1.3, 0, 0)), 8)
	check_equal(points.size(), 2, "one pair")
	if points.size() == 2:
		check_near(points[0], Vector3(0.8, 0, 0), EXACT, "on the query sphere")
		check_near(points[1], Vector3(1.0, 0, 0), EXACT, "on the other sphere")


func test_collide_shape_apart_gives_nothing() -> void:
	fixed(box())
	check(direct_space().collide_shape(_query(box(), Vector3(1.1, 0, 0))).is_empty(), "10 cm apart")


func test_collide_shape_obeys_its_limit() -> void:
	for index: int in 6:
		fixed(sphere(), Vector3(index, 0, 0))
	check(direct_space().collide_shape(_query(box(Vector3(20, 1, 1)), Vector3.ZERO), 3).size() <= 6, "three pairs at most")


func test_rest_info_of_a_sphere_on_shapes() -> void:
	# A sphere of 0.5 m whose lowest point is 5 cm deep in the other's top.
	var tops := [[box(Vector3(3, 1, 3)), 0.5], [sphere(0.75), 0.75], [capsule(0.5, 3.0), 1.5], [plane(), 0.0]]
	for case: Array in tops:
		var body := fixed(case[0])
		var top: float = case[1]
		var info := direct_space().get_rest_info(_query(sphere(0.5), Vector3(0, top + 0.45, 0)))
		check(not info.is_empty(), "%s: info" % case[0].get_class())
		if not info.is_empty():
			check_near(info["point"], Vector3(0, top, 0), EXACT, "%s: point on its surface" % case[0].get_class())
			check_near(info["normal"], Vector3.UP, EXACT, "%s: normal to the query shape" % case[0].get_class())
			check_equal(info["rid"], body.get_rid(), "%s: RID" % case[0].get_class())
			check_equal(info["collider_id"], body.get_instance_id(), "%s: id" % case[0].get_class())
			check_equal(info["shape"], 0, "%s: shape" % case[0].get_class())
		body.free()


func test_rest_info_on_a_mesh() -> void:
	fixed(mesh_floor())
	var info := direct_space().get_rest_info(_query(sphere(0.5), Vector3(0.3, 0.45, 0.6)))
	check_near(info.get("point", Vector3.INF), Vector3(0.3, 0, 0.6), 0.01, "point")
	check_near(info.get("normal", Vector3.INF), Vector3.UP, 0.01, "normal")


func test_rest_info_of_nothing_is_empty() -> void:
	fixed(box())
	check(direct_space().get_rest_info(_query(sphere(), Vector3(5, 0, 0))).is_empty(), "far off")


func test_rest_info_takes_the_deepest() -> void:
	fixed(box(), Vector3(-0.92, 0, 0))
	var deeper := fixed(box(), Vector3(0.85, 0, 0))
	var info := direct_space().get_rest_info(_query(sphere(0.5), Vector3.ZERO))
	check_equal(info.get("collider_id"), deeper.get_instance_id(), "the one 15 cm deep, not the one 8 cm deep")


func test_rest_info_tells_the_velocity_of_the_point() -> void:
	floating(sphere(1.0), Vector3.ZERO, {"linear_velocity": Vector3(0, 0, 2)})
	await steps(1)
	var info := direct_space().get_rest_info(_query(sphere(0.5), Vector3(1.45, 0, 2.0 * TICK)))
	check_near(info.get("linear_velocity", Vector3.INF), Vector3(0, 0, 2), 0.05, "velocity")


func test_rest_info_on_the_face_of_a_hull() -> void:
	fixed(octahedron(1.0))
	var normal := Vector3(1, 1, 1).normalized()
	var info := direct_space().get_rest_info(_query(sphere(0.5), normal * (1.0 / sqrt(3.0) + 0.45)))
	check_near(info.get("point", Vector3.INF), normal / sqrt(3.0), EXACT, "point: the middle of the face")
	check_near(info.get("normal", Vector3.INF), normal, EXACT, "normal of the face")


func test_collide_shape_with_a_mesh() -> void:
	fixed(mesh_floor())
	var points := direct_space().collide_shape(_query(sphere(0.5), Vector3(0.3, 0.4, 0.6)), 8)
	check(points.size() >= 2, "points")
	var lowest := INF
	for index: int in range(1, points.size(), 2):
		check_near(points[index].y, 0.0, 0.01, "point on the mesh")
		lowest = minf(lowest, points[index - 1].y)
	check_near(lowest, -0.1, 0.01, "lowest point of the sphere")


func test_queries_ignore_areas_unless_asked() -> void:
	put(Area3D.new(), box())
	await steps(1)
	check(_points(Vector3.ZERO).is_empty(), "point")
	check(direct_space().intersect_shape(_query(sphere(), Vector3.ZERO)).is_empty(), "shape")
	check(direct_space().get_rest_info(_query(sphere(), Vector3.ZERO)).is_empty(), "rest info")
	check_equal(direct_space().cast_motion(_query(sphere(), Vector3(0, 5, 0), {"motion": Vector3(0, -9, 0)})),
		PackedFloat32Array([1, 1]), "cast")


## ------------------------------------------------------------------ ShapeCast3D

func _shape_cast(shape: Shape3D, at: Vector3, target: Vector3) -> ShapeCast3D:
	var node := ShapeCast3D.new()
	node.shape = shape
	node.position = at
	node.target_position = target
	add_child(node)
	return node


func test_shape_cast_node_hits() -> void:
	var body := fixed(box(Vector3(4, 1, 4)))
	var node := _shape_cast(sphere(0.5), Vector3(0, 5, 0), Vector3(0, -8, 0))
	await steps(2)
	check(node.is_colliding(), "it collides")
	check_equal(node.get_collision_count(), 1, "one collision")
	check_near(node.get_closest_collision_safe_fraction(), 0.5, 0.006, "safe fraction")
	if node.get_collision_count() > 0:
		check_equal(node.get_collider(0), body, "collider")
		check_near(node.get_collision_point(0), Vector3(0, 0.5, 0), 0.03, "point")
		check_near(node.get_collision_normal(0), Vector3.UP, 0.02, "normal")


func test_shape_cast_node_lists_what_it_touches_at_the_end() -> void:
	for index: int in 3:
		fixed(box(), Vector3(index * 1.2 - 1.2, 0, 0))
	var node := _shape_cast(box(Vector3(4, 1, 1)), Vector3(0, 4, 0), Vector3(0, -8, 0))
	await steps(2)
	check_equal(node.get_collision_count(), 3, "collisions")


func test_shape_cast_node_without_motion_finds_overlaps() -> void:
	fixed(sphere(), Vector3(0.3, 0, 0))
	var node := _shape_cast(sphere(), Vector3.ZERO, Vector3.ZERO)
	await steps(2)
	check_equal(node.get_collision_count(), 1, "collisions")


func test_shape_cast_node_misses() -> void:
	fixed(box(), Vector3(9, 0, 0))
	var node := _shape_cast(sphere(), Vector3(0, 5, 0), Vector3(0, -8, 0))
	await steps(2)
	check(not node.is_colliding(), "nothing in the way")
	check_near(node.get_closest_collision_safe_fraction(), 1.0, 1e-6, "the whole way is safe")


## ------------------------------------------------------------------ all the time

func test_queries_of_an_empty_space() -> void:
	await steps(2)
	check(ray(Vector3(0, 5, 0), Vector3(0, -5, 0)).is_empty(), "ray")
	check(_points(Vector3.ZERO).is_empty(), "point")
	check(direct_space().intersect_shape(_query(box(), Vector3.ZERO)).is_empty(), "shape")
	check(direct_space().get_rest_info(_query(box(), Vector3.ZERO)).is_empty(), "rest info")
	check_equal(direct_space().cast_motion(_query(box(), Vector3.ZERO, {"motion": Vector3(0, -5, 0)})),
		PackedFloat32Array([1, 1]), "cast")


func test_queries_among_many_bodies() -> void:
	var bodies: Array[Node] = []
	for index: int in 400:
		bodies.append(fixed(sphere(0.4), Vector3(index % 20, 0, index / 20)))
	for index: int in [0, 57, 210, 399]:
		var at := Vector3(index % 20, 0, index / 20)
		check_equal(ray(at + Vector3.UP * 3, at + Vector3.DOWN * 3).get("collider"), bodies[index], "ray on body %d" % index)
		check_equal(_colliders(_points(at)), [bodies[index]], "point in body %d" % index)
	check_equal(direct_space().intersect_shape(_query(box(Vector3(3, 1, 3)), Vector3(10, 0, 10)), 64).size(), 9,
		"a box of 3 x 3 m around one of them")
