extends "res://gd/physics_test.gd"
## The base of tests of SoftBody3D.


## A lying cloth of 2 m by 1 m with 25 points, numbered row by row.
func cloth(at: Variant, properties: Dictionary = {}) -> SoftBody3D:
	var mesh := PlaneMesh.new()
	mesh.size = Vector2(2, 1)
	mesh.subdivide_width = 3
	mesh.subdivide_depth = 3
	return soft(mesh, at, properties)


## A closed ball of 0.5 m radius.
func soft_ball(at: Variant, properties: Dictionary = {}) -> SoftBody3D:
	var mesh := SphereMesh.new()
	mesh.radial_segments = 16
	mesh.rings = 8
	return soft(mesh, at, properties)


func soft(mesh: Mesh, at: Variant, properties: Dictionary) -> SoftBody3D:
	var body := SoftBody3D.new()
	body.mesh = mesh
	body.transform = at if at is Transform3D else Transform3D(Basis.IDENTITY, at)
	for name: String in properties:
		body.set(name, properties[name])
	add_child(body)
	return body


func point_count(body: SoftBody3D) -> int:
	return (body.mesh.surface_get_arrays(0)[Mesh.ARRAY_VERTEX] as PackedVector3Array).size()


func pin_all(body: SoftBody3D) -> void:
	for number: int in point_count(body):
		body.set_point_pinned(number, true)


## The mean of all points of the mesh.
func middle(body: SoftBody3D) -> Vector3:
	var total := Vector3.ZERO
	for number: int in point_count(body):
		total += body.get_point_transform(number)
	return total / point_count(body)


func lowest(body: SoftBody3D) -> float:
	var least := INF
	for number: int in point_count(body):
		least = minf(least, body.get_point_transform(number).y)
	return least


## How far apart the points are along X, at most.
func width(body: SoftBody3D) -> float:
	var least := INF
	var most := -INF
	for number: int in point_count(body):
		var x := body.get_point_transform(number).x
		least = minf(least, x)
		most = maxf(most, x)
	return most - least


## An area without gravity around everything.
func weightless() -> void:
	var area := Area3D.new()
	area.gravity_space_override = Area3D.SPACE_OVERRIDE_REPLACE
	area.gravity = 0.0
	area.add_child(collision_shape(box(Vector3.ONE * 100.0)))
	add_child(area)
