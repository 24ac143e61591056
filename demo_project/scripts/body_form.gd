extends RefCounted
## One kind of body of a scene: its collision shape, its mesh, its colour, and its geometry for measuring.

const ConvexGeometry = preload("res://measure/convex_geometry.gd")

## Mass of a cubic metre [kg]: light wood, so that masses stay near Godot's default of 1 kg.
const DENSITY := 8.0

var shape: Shape3D
var mesh: Mesh
var geometry: ConvexGeometry
## [kg]
var mass := 1.0
var colour := Color.WHITE


static func box(size: Vector3, form_colour: Color) -> RefCounted:
	var box_shape := BoxShape3D.new()
	box_shape.size = size
	var box_mesh := BoxMesh.new()
	box_mesh.size = size
	return _make(box_shape, box_mesh, ConvexGeometry.box(size), form_colour)


static func sphere(radius: float, form_colour: Color) -> RefCounted:
	var sphere_shape := SphereShape3D.new()
	sphere_shape.radius = radius
	var sphere_mesh := SphereMesh.new()
	sphere_mesh.radius = radius
	sphere_mesh.height = 2.0 * radius
	sphere_mesh.radial_segments = 24
	sphere_mesh.rings = 12
	return _make(sphere_shape, sphere_mesh, ConvexGeometry.sphere(radius), form_colour)


## `height` is the total height [m].
static func capsule(radius: float, height: float, form_colour: Color) -> RefCounted:
	var capsule_shape := CapsuleShape3D.new()
	capsule_shape.radius = radius
	capsule_shape.height = height
	var capsule_mesh := CapsuleMesh.new()
	capsule_mesh.radius = radius
	capsule_mesh.height = height
	capsule_mesh.radial_segments = 20
	capsule_mesh.rings = 6
	return _make(capsule_shape, capsule_mesh, ConvexGeometry.capsule(radius, height), form_colour)


static func hull(points: PackedVector3Array, form_colour: Color) -> RefCounted:
	var hull_shape := ConvexPolygonShape3D.new()
	hull_shape.points = points
	var hull_geometry: ConvexGeometry = ConvexGeometry.hull(points)
	var tool := SurfaceTool.new()
	tool.begin(Mesh.PRIMITIVE_TRIANGLES)
	tool.set_smooth_group(-1)
	for corner: Vector3 in hull_geometry.triangles():
		tool.add_vertex(corner)
	tool.generate_normals()
	return _make(hull_shape, tool.commit(), hull_geometry, form_colour)


static func _make(form_shape: Shape3D, form_mesh: Mesh, form_geometry: ConvexGeometry, form_colour: Color) -> RefCounted:
	var form := new()
	form.shape = form_shape
	form.mesh = form_mesh
	form.geometry = form_geometry
	form.mass = DENSITY * form_geometry.volume
	form.colour = form_colour
	return form
