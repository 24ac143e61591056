extends "res://scripts/moving_bin.gd"
## A drum about its own z axis: flat panels round a regular prism, and a slab at either end.

const PANELS := 16

## Distance of the panels from the axis [m].
var radius := 10.0
## Distance of the ends from each other [m].
var length := 10.0


func _init(inner_radius: float, inner_length: float, friction: float) -> void:
	super(inner_radius, inner_length, friction)
	name = "Drum"
	radius = inner_radius
	length = inner_length


func _ready() -> void:
	has_walls = false
	super()
	var outer := radius + WALL_THICKNESS
	var panel := Vector3(WALL_THICKNESS, 2.0 * outer * tan(PI / PANELS), length)
	for number: int in PANELS:
		add_turned_slab(panel, Transform3D(_panel_basis(number), -_inwards(number) * (radius + WALL_THICKNESS / 2.0)))
	for side: float in [-1.0, 1.0]:
		var end := Vector3(2.0 * outer, 2.0 * outer, WALL_THICKNESS)
		add_turned_slab(end, Transform3D(Basis.IDENTITY, Vector3.BACK * side * (length + WALL_THICKNESS) / 2.0))
	if DisplayServer.get_name() != "headless":
		_draw_drum(panel)


func own_planes() -> Array[Plane]:
	var list: Array[Plane] = [Plane(Vector3.FORWARD, -length / 2.0), Plane(Vector3.BACK, -length / 2.0)]
	for number: int in PANELS:
		list.append(Plane(_inwards(number), -radius))
	return list


## A drum has no floor of its own.
func _add_slab(_size: Vector3, _at: Vector3) -> void:
	pass


func _panel_basis(number: int) -> Basis:
	return Basis(Vector3.BACK, TAU * number / PANELS)


## The unit normal of a panel's inner face.
func _inwards(number: int) -> Vector3:
	return _panel_basis(number) * Vector3.LEFT


func _draw_drum(panel: Vector3) -> void:
	var stone := StandardMaterial3D.new()
	stone.albedo_color = Color(0.62, 0.60, 0.57)
	stone.roughness = 0.9
	for number: int in PANELS:
		var mesh := BoxMesh.new()
		mesh.size = Vector3(0.25, panel.y, panel.z)
		mesh.material = stone
		var instance := MeshInstance3D.new()
		instance.mesh = mesh
		instance.transform = Transform3D(_panel_basis(number), -_inwards(number) * (radius + 0.125))
		add_child(instance)
