extends "res://gd/physics_test.gd"
## SoftBody3D: where its points are, what the renderer is told, pins, and what each of its properties does.

## Bodies of the built-in engines fall for the two ticks that a node needs to tell where it stands.
const FALLEN := 0.02


## The data that a soft body hands to the renderer.
class Drawing extends PhysicsServer3DRenderingServerHandler:
	var vertices := {}
	var normals := {}
	var bounds := AABB()

	func _set_vertex(number: int, vertex: Vector3) -> void:
		vertices[number] = vertex

	func _set_normal(number: int, normal: Vector3) -> void:
		normals[number] = normal

	func _set_aabb(box_of_all: AABB) -> void:
		bounds = box_of_all


func _drawn(body: RID) -> Dictionary:
	var drawing := Drawing.new()
	PhysicsServer3D.soft_body_update_rendering_server(body, drawing)
	var told := {"vertices": drawing.vertices, "normals": drawing.normals, "bounds": drawing.bounds}
	drawing.free()
	return told


func _cloth(at: Transform3D) -> SoftBody3D:
	var mesh := PlaneMesh.new()
	mesh.size = Vector2(2, 1)
	mesh.subdivide_width = 3
	mesh.subdivide_depth = 3
	var body := SoftBody3D.new()
	body.mesh = mesh
	body.transform = at
	add_child(body)
	return body


## The vertices of a soft body's mesh, as they were made.
func _vertices(body: SoftBody3D) -> PackedVector3Array:
	return body.mesh.surface_get_arrays(0)[Mesh.ARRAY_VERTEX]


## Draws the frame that a headless engine leaves out: the nodes hand over their pins and ask the server for the points.
func _draw() -> void:
	RenderingServer.frame_pre_draw.emit()


func test_points_are_where_the_node_stands() -> void:
	var at := Transform3D(Basis(Vector3.RIGHT, 0.6), Vector3(3, 10, -2))
	var body := _cloth(at)
	await steps(2)
	var vertices := _vertices(body)
	check_equal(vertices.size(), 25, "vertices")
	for number: int in vertices.size():
		check_near(body.get_point_transform(number), at * vertices[number], FALLEN, "point %d" % number)


func test_the_renderer_is_told_points_normals_and_bounds() -> void:
	var at := Transform3D(Basis(Vector3.RIGHT, 0.6), Vector3(3, 10, -2))
	var body := _cloth(at)
	await steps(2)
	var vertices := _vertices(body)
	var drawing := _drawn(body.get_physics_rid())
	check_equal(drawing.vertices.size(), vertices.size(), "vertices drawn")
	check_equal(drawing.normals.size(), vertices.size(), "normals drawn")
	for number: int in drawing.vertices:
		check_near(drawing.vertices[number], at * vertices[number], FALLEN, "vertex %d" % number)
		check_near(drawing.normals[number], at.basis.y, 0.01, "normal %d" % number)
		check(drawing.bounds.grow(1e-4).has_point(drawing.vertices[number]), "the bounds hold vertex %d" % number)
	check_between(drawing.bounds.size.x, 2.0, 2.4, "width of the bounds")
	check_equal(PhysicsServer3D.soft_body_get_bounds(body.get_physics_rid()), drawing.bounds, "bounds that the server tells")


func test_a_point_that_was_moved_and_pinned_stays() -> void:
	var body := _cloth(Transform3D(Basis.IDENTITY, Vector3(0, 10, 0)))
	body.set_point_pinned(7, true)
	await steps(2)
	PhysicsServer3D.soft_body_move_point(body.get_physics_rid(), 7, Vector3(0.1, 11, 0.2))
	await steps(10)
	check_near(body.get_point_transform(7), Vector3(0.1, 11, 0.2), 1e-4, "where it was put")
	check_near(_drawn(body.get_physics_rid()).vertices[7], Vector3(0.1, 11, 0.2), 1e-4, "where it is drawn")
	check(body.is_point_pinned(7), "pinned")


func test_a_pinned_point_follows_its_node() -> void:
	var hook := Node3D.new()
	hook.name = "Hook"
	hook.position = Vector3(1, 12, 0)
	add_child(hook)
	var body := _cloth(Transform3D(Basis.IDENTITY, Vector3(0, 10, 0)))
	await steps(2)
	_draw()
	var offset := body.get_point_transform(0) - hook.position
	body.set_point_pinned(0, true, NodePath("../Hook"))
	hook.position += Vector3(0.3, 0.2, 0.1)
	_draw()
	check_near(body.get_point_transform(0), hook.position + offset, 1e-4, "after the node moved")
	hook.rotation.y = PI / 2.0
	_draw()
	check_near(body.get_point_transform(0), hook.position + offset.rotated(Vector3.UP, PI / 2.0), 1e-4, "after it turned")


func test_moving_the_node_moves_all_points() -> void:
	var body := _cloth(Transform3D(Basis.IDENTITY, Vector3(0, 10, 0)))
	await steps(2)
	var before := body.get_point_transform(3)
	body.position += Vector3(0, 0, -5)
	await steps(2)
	check_near(body.get_point_transform(3), before + Vector3(0, 0, -5), 3.0 * FALLEN, "moved by what the node was told")
	check_equal(body.position, Vector3.ZERO, "the node itself is at the middle of the world again")


## Vertices at one place are one point: the corners of a box are three vertices each.
func test_vertices_at_one_place_move_together() -> void:
	var body := SoftBody3D.new()
	body.mesh = BoxMesh.new()
	body.position = Vector3(0, 10, 0)
	add_child(body)
	await steps(2)
	var vertices := _vertices(body)
	var alike: Array[int] = []
	for number: int in vertices.size():
		if vertices[number].is_equal_approx(vertices[0]):
			alike.append(number)
	check_equal(alike.size(), 3, "vertices at the corner")
	PhysicsServer3D.soft_body_move_point(body.get_physics_rid(), 0, Vector3(1, 12, 1))
	for number: int in alike:
		check_near(body.get_point_transform(number), Vector3(1, 12, 1), 1e-4, "vertex %d" % number)


func test_a_soft_body_without_a_mesh_has_no_points() -> void:
	var body := own(PhysicsServer3D.soft_body_create())
	PhysicsServer3D.soft_body_set_space(body, get_world_3d().space)
	await steps(2)
	check_equal(_drawn(body).vertices.size(), 0, "vertices drawn")


# --- they act ---


## The lowest point of a soft body.
func _lowest(body: SoftBody3D) -> float:
	var lowest := INF
	for number: int in _vertices(body).size():
		lowest = minf(lowest, body.get_point_transform(number).y)
	return lowest


func _soft_ball(at: Vector3, pressure := 0.0) -> SoftBody3D:
	var mesh := SphereMesh.new()
	mesh.radial_segments = 16
	mesh.rings = 8
	var body := SoftBody3D.new()
	body.mesh = mesh
	body.position = at
	body.pressure_coefficient = pressure
	add_child(body)
	return body


func test_a_soft_body_falls_and_lies_on_the_floor() -> void:
	floor_body()
	var body := _cloth(Transform3D(Basis.IDENTITY, Vector3(0, 1, 0)))
	await steps(20)
	check_between(_lowest(body), 0.2, 0.8, "it falls")
	await steps(160)
	check_between(_lowest(body), -0.01, 0.08, "it lies on the floor")


func test_a_cloth_hangs_from_its_pinned_points() -> void:
	var body := _cloth(Transform3D(Basis.IDENTITY, Vector3(0, 10, 0)))
	body.set_point_pinned(0, true)
	body.set_point_pinned(4, true)
	await steps(180)
	check_near(body.get_point_transform(0), Vector3(1, 10, 0.5), 0.03, "the first pinned corner")
	check_near(body.get_point_transform(4), Vector3(-1, 10, 0.5), 0.03, "the second pinned corner")
	check_between(_lowest(body), 8.5, 9.7, "the cloth hangs below")


func test_a_stiffer_cloth_stretches_less() -> void:
	var lengths: Array[float] = []
	for stiffness: float in [0.2, 0.9]:
		var body := _cloth(Transform3D(Basis(Vector3.RIGHT, -PI / 2.0), Vector3(0, 10, 0)))
		body.linear_stiffness = stiffness
		body.damping_coefficient = 0.5
		for number: int in 5:
			body.set_point_pinned(number, true)
		await steps(240)
		lengths.append(10.5 - _lowest(body))
		body.queue_free()
	check(lengths[0] > lengths[1] + 0.02, "stiffness 0.2 stretches %f m, 0.9 %f m" % lengths)


func test_pressure_keeps_a_ball_round() -> void:
	floor_body()
	var flat := _soft_ball(Vector3(-2, 1, 0))
	var round := _soft_ball(Vector3(2, 1, 0), 20.0)
	for body: SoftBody3D in [flat, round]:
		body.linear_stiffness = 0.2
	await steps(180)
	var heights: Array[float] = []
	for body: SoftBody3D in [flat, round]:
		heights.append(PhysicsServer3D.soft_body_get_bounds(body.get_physics_rid()).size.y)
	check(heights[1] > heights[0] + 0.1, "heights without and with pressure: %f, %f" % heights)


func test_a_box_lies_on_a_pinned_cloth() -> void:
	var body := _cloth(Transform3D(Basis.IDENTITY, Vector3(0, 5, 0)))
	body.linear_stiffness = 0.9
	for number: int in 25:
		if number < 5 or number >= 20 or number % 5 == 0 or number % 5 == 4:
			body.set_point_pinned(number, true)
	var crate := rigid(box(Vector3(0.9, 0.9, 0.7)), Vector3(0, 5.7, 0), {"mass": 0.5})
	await steps(240)
	check_between(crate.position.y, 4.8, 5.6, "the box is held")


func test_a_soft_body_pushes_a_rigid_one() -> void:
	floor_body()
	var crate := rigid(box(), Vector3(1.2, 0.5, 0), {"mass": 0.2})
	var body := _soft_ball(Vector3(0, 0.6, 0), 20.0)
	await steps(3)
	body.apply_central_impulse(Vector3(8, 0, 0))
	await steps(60)
	check(crate.position.x > 1.3, "the box was pushed to %f" % crate.position.x)


func test_a_mask_lets_a_soft_body_through() -> void:
	floor_body()
	var body := _cloth(Transform3D(Basis.IDENTITY, Vector3(0, 1, 0)))
	body.collision_mask = 0
	body.collision_layer = 0
	await steps(90)
	check(_lowest(body) < -1.0, "it fell through to %f" % _lowest(body))


func test_an_exception_lets_a_soft_body_through() -> void:
	var ground := floor_body()
	var body := _cloth(Transform3D(Basis.IDENTITY, Vector3(0, 1, 0)))
	body.add_collision_exception_with(ground)
	check_equal(body.get_collision_exceptions().size(), 1, "exceptions")
	await steps(90)
	check(_lowest(body) < -1.0, "it fell through to %f" % _lowest(body))


func test_an_impulse_moves_a_soft_body() -> void:
	var body := _soft_ball(Vector3(0, 10, 0))
	body.total_mass = 2.0
	await steps(2)
	var before := body.get_point_transform(0)
	body.apply_central_impulse(Vector3(4, 0, 0))
	await steps(30)
	check_near(body.get_point_transform(0).x - before.x, 1.0, 0.1, "2 kg, 4 N s, half a second")


func test_a_force_moves_a_soft_body() -> void:
	var body := _soft_ball(Vector3(0, 10, 0))
	await steps(2)
	var before := body.get_point_transform(0)
	for step: int in 30:
		body.apply_central_force(Vector3(0, 0, 4))
		await steps(1)
	check_near(body.get_point_transform(0).z - before.z, 0.5, 0.08, "4 m/s^2 for half a second")


func test_damping_slows_a_soft_body() -> void:
	var slow := _soft_ball(Vector3(0, 10, 0))
	slow.damping_coefficient = 1.0
	var fast := _soft_ball(Vector3(0, 10, 5))
	fast.damping_coefficient = 0.0
	await steps(2)
	for body: SoftBody3D in [slow, fast]:
		body.apply_central_impulse(Vector3(5, 0, 0))
	await steps(40)
	check(slow.get_point_transform(0).x < fast.get_point_transform(0).x - 0.3, "it comes less far")


func test_a_shrinking_factor_shortens_a_soft_body() -> void:
	var widths: Array[float] = []
	for factor: float in [0.0, 0.3]:
		var body := _cloth(Transform3D(Basis.IDENTITY, Vector3(0, 10, 0)))
		body.linear_stiffness = 0.9
		body.shrinking_factor = factor
		await steps(60)
		widths.append(PhysicsServer3D.soft_body_get_bounds(body.get_physics_rid()).size.x)
		body.queue_free()
	check(widths[1] < widths[0] - 0.3, "widths: %f, %f" % widths)


func _air(at: Vector3) -> Area3D:
	var area := Area3D.new()
	area.add_child(collision_shape(box(Vector3(8, 8, 8))))
	area.position = at
	add_child(area)
	return area


func test_the_gravity_of_an_area_acts() -> void:
	var area := _air(Vector3(0, 10, 0))
	area.gravity_space_override = Area3D.SPACE_OVERRIDE_REPLACE
	area.gravity = 0.0
	var body := _cloth(Transform3D(Basis.IDENTITY, Vector3(0, 10, 0)))
	await steps(40)
	check_between(_lowest(body), 9.9, 10.05, "it floats")


func test_wind_blows_away_from_its_source() -> void:
	var area := _air(Vector3(0, 10, 0))
	var source := Node3D.new()
	source.name = "Source"
	source.position = Vector3(0, 10, 3)
	add_child(source)
	area.wind_source_path = NodePath("../Source")
	area.wind_force_magnitude = 5.0
	var body := _cloth(Transform3D(Basis(Vector3.RIGHT, PI / 2.0), Vector3(0, 10, 0)))
	await steps(40)
	check(body.get_point_transform(12).z < -0.2, "blown to %f" % body.get_point_transform(12).z)


func test_a_ray_hits_a_soft_body() -> void:
	var body := _cloth(Transform3D(Basis.IDENTITY, Vector3(0, 10, 0)))
	for number: int in 25:
		body.set_point_pinned(number, true)
	await steps(2)
	var hit := ray(Vector3(0.3, 12, 0.1), Vector3(0.3, 8, 0.1))
	check_equal(hit.get("collider"), body, "the collider")
	check_near(hit.get("position", Vector3.ZERO), Vector3(0.3, 10, 0.1), 0.03, "the place")
	check_near(hit.get("normal", Vector3.ZERO), Vector3.UP, 0.05, "the normal")
	check_equal(ray(Vector3(2, 12, 0), Vector3(2, 8, 0)).size(), 0, "a ray beside it")
	check_equal(ray(Vector3(0.3, 12, 0.1), Vector3(0.3, 8, 0.1), {"exclude": [body.get_physics_rid()]}).size(), 0, "excluded")
	check_equal(ray(Vector3(0.3, 12, 0.1), Vector3(0.3, 8, 0.1), {"collision_mask": 2}).size(), 0, "another layer")
	fixed(box(), Vector3(0.3, 11, 0.1))
	await steps(1)
	check(ray(Vector3(0.3, 12, 0.1), Vector3(0.3, 8, 0.1)).get("collider") != body, "what is nearer is hit")


func test_a_soft_body_leaves_and_enters_its_space() -> void:
	var body := _cloth(Transform3D(Basis.IDENTITY, Vector3(0, 10, 0)))
	await steps(30)
	var fallen := body.get_point_transform(3).y
	PhysicsServer3D.soft_body_set_space(body.get_physics_rid(), RID())
	await steps(30)
	check_near(body.get_point_transform(3).y, fallen, 0.02, "it stays while it is in no space")
	PhysicsServer3D.soft_body_set_space(body.get_physics_rid(), get_world_3d().space)
	await steps(30)
	check(body.get_point_transform(3).y < fallen - 0.5, "it falls on")
