extends "res://scripts/bin.gd"
## A bin whose floor is a hilly triangle mesh.

const STEP := 1.0
const LEAST_HEIGHT := 1.0


func _ready() -> void:
	super()
	var faces := PackedVector3Array()
	var count := int(2.0 * half_width / STEP) + 2
	for column: int in count:
		for row: int in count:
			var corner := Vector3(column * STEP - half_width - STEP, 0, row * STEP - half_width - STEP)
			var a := on_ground(corner)
			var b := on_ground(corner + Vector3(STEP, 0, 0))
			var c := on_ground(corner + Vector3(0, 0, STEP))
			var d := on_ground(corner + Vector3(STEP, 0, STEP))
			faces.append_array([a, b, c, c, b, d])
	var shape := ConcavePolygonShape3D.new()
	shape.set_faces(faces)
	var collision := CollisionShape3D.new()
	collision.shape = shape
	var body := StaticBody3D.new()
	body.physics_material_override = _material
	body.add_child(collision)
	add_child(body)
	if DisplayServer.get_name() != "headless":
		_draw_ground(faces)


## The point of the ground above or below `point`, exact at the corners of the mesh.
func on_ground(point: Vector3) -> Vector3:
	var height := LEAST_HEIGHT + 0.6 * (2.0 + sin(0.45 * point.x) + cos(0.37 * point.z))
	height += 0.01 * (point.x * point.x + point.z * point.z)
	return Vector3(point.x, height, point.z)


## Whether a body's centre lies over the ground, give or take what the mesh cuts off the hills.
func holds(point: Vector3) -> bool:
	return super(point) and point.y > on_ground(point).y - 0.1


func _draw_ground(faces: PackedVector3Array) -> void:
	var tool := SurfaceTool.new()
	tool.begin(Mesh.PRIMITIVE_TRIANGLES)
	tool.set_smooth_group(-1)
	for corner: Vector3 in faces:
		tool.add_vertex(corner)
	tool.generate_normals()
	var material := StandardMaterial3D.new()
	material.albedo_color = Color(0.46, 0.55, 0.36)
	material.roughness = 1.0
	tool.set_material(material)
	var instance := MeshInstance3D.new()
	instance.mesh = tool.commit()
	add_child(instance)
