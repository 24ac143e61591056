extends "res://scripts/demo_scene.gd"
## Soft bodies: a cloth that falls over a ball, a flag in the wind, balls with pressure, and boxes that fall onto the cloth.

const SHEET := 24
const MAST := Vector3(-3.5, 0, 0)


func build() -> void:
	stage.target = Vector3(-0.3, 1.2, 0)
	stage.eye = Vector3(1.5, 4.0, 8.5)
	_fixed(BoxShape3D.new(), BoxMesh.new(), Vector3(0, -0.5, 0), Vector3(16, 1, 16))
	_fixed(SphereShape3D.new(), SphereMesh.new(), Vector3(0.2, 1, 0), Vector3.ONE * 2.0)
	_fixed(BoxShape3D.new(), BoxMesh.new(), MAST + Vector3.UP * 1.6, Vector3(0.08, 3.2, 0.08))
	_soft(_sheet(Vector2(3.4, 3.4)), Transform3D(Basis.IDENTITY, Vector3(0.2, 2.6, 0)), TEAL)
	var flag := _soft(_sheet(Vector2(1.8, 1.2)), Transform3D(Basis(Vector3.RIGHT, PI / 2.0), MAST + Vector3(0.95, 2.5, 0)), CORAL)
	flag.drag_coefficient = 0.3
	flag.total_mass = 0.3
	for number: int in (SHEET + 2) * (SHEET + 2):
		if number % (SHEET + 2) == SHEET + 1:
			flag.set_point_pinned(number, true)
	for index: int in 3:
		var mesh := SphereMesh.new()
		mesh.radial_segments = 24
		mesh.rings = 12
		var ball := _soft(mesh, Transform3D(Basis.IDENTITY, Vector3(2.6, 1.5 + index, -1.6 + 1.5 * index)), AMBER)
		ball.pressure_coefficient = 12.0
		ball.linear_stiffness = 0.3
	_wind()
	var box: BodyForm = BodyForm.box(Vector3.ONE * 0.4, VIOLET)
	box.mass = 0.3
	var form := bodies.add_form(box)
	for index: int in 4:
		bodies.add(form, Transform3D(Basis.IDENTITY, Vector3(-1.4 + index, 5.0 + index, 0.3)))


## A sheet in the plane of the ground.
func _sheet(size: Vector2) -> PlaneMesh:
	var mesh := PlaneMesh.new()
	mesh.size = size
	mesh.subdivide_width = SHEET
	mesh.subdivide_depth = SHEET
	return mesh


func _soft(mesh: PrimitiveMesh, at: Transform3D, colour: Color) -> SoftBody3D:
	var body := SoftBody3D.new()
	var material := StandardMaterial3D.new()
	material.albedo_color = colour
	material.cull_mode = BaseMaterial3D.CULL_DISABLED
	mesh.material = material
	body.mesh = mesh
	body.transform = at
	add_child(body)
	return body


func _fixed(shape: Shape3D, mesh: PrimitiveMesh, at: Vector3, size: Vector3) -> void:
	var body := StaticBody3D.new()
	var form := CollisionShape3D.new()
	var view := MeshInstance3D.new()
	if shape is BoxShape3D:
		(shape as BoxShape3D).size = size
	else:
		(shape as SphereShape3D).radius = size.x / 2.0
	form.shape = shape
	view.mesh = mesh
	view.scale = size
	body.position = at
	body.add_child(form)
	body.add_child(view)
	add_child(body)


func _wind() -> void:
	var area := Area3D.new()
	var form := CollisionShape3D.new()
	var box := BoxShape3D.new()
	box.size = Vector3(4, 3, 4)
	form.shape = box
	area.add_child(form)
	area.position = MAST + Vector3(1, 2.5, 0)
	var source := Node3D.new()
	source.name = "Wind"
	source.transform = Transform3D(Basis(Vector3.UP, -PI / 2.0 - 0.25), MAST + Vector3(-1, 2.5, 0))
	add_child(source)
	add_child(area)
	area.wind_source_path = area.get_path_to(source)
	area.wind_force_magnitude = 6.0
