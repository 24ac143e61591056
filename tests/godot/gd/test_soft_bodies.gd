extends "res://gd/physics_test.gd"
## SoftBody3D: where its points are, what the renderer is told, and pins. How soft it is no test asks: Scree keeps it at rest.

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
