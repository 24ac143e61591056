extends Node3D
## A square bin: a floor and four thick walls, whose inner planes are known exactly.

const WALL_THICKNESS := 2.0

## Distance of the inner faces of the walls from the middle [m].
var half_width := 10.0
## [m]
var wall_height := 6.0
## A floor without walls, for scenes on open ground.
var has_walls := true
## The height of the walls as drawn [m]; less than `wall_height` lets one see in.
var drawn_height := 1.2
## Panes of glass show the rest of the walls.
var has_glass := true

var _material := PhysicsMaterial.new()


func _init(inner_half_width: float, height: float, friction: float) -> void:
	name = "Bin"
	half_width = inner_half_width
	wall_height = height
	_material.friction = friction


func _ready() -> void:
	var outer := half_width + WALL_THICKNESS
	_add_slab(Vector3(outer * 2.0, WALL_THICKNESS, outer * 2.0), Vector3(0, -WALL_THICKNESS / 2.0, 0))
	if not has_walls:
		return
	for direction: Vector3 in [Vector3.RIGHT, Vector3.LEFT, Vector3.FORWARD, Vector3.BACK]:
		var along := Vector3(absf(direction.z), 0, absf(direction.x))
		var across := Vector3(absf(direction.x), 0, absf(direction.z))
		var size := along * outer * 2.0 + across * WALL_THICKNESS + Vector3.UP * wall_height
		_add_slab(size, direction * (half_width + WALL_THICKNESS / 2.0) + Vector3.UP * wall_height / 2.0)
	if DisplayServer.get_name() != "headless":
		_draw_walls()


## The planes that bound the free space, normals inwards.
func planes() -> Array[Plane]:
	var list: Array[Plane] = [Plane(Vector3.UP, 0.0)]
	if has_walls:
		for direction: Vector3 in [Vector3.RIGHT, Vector3.LEFT, Vector3.FORWARD, Vector3.BACK]:
			list.append(Plane(-direction, -half_width))
	return list


## Whether a body's centre is where a body that was never lost can be. NaN is not.
func holds(point: Vector3) -> bool:
	return absf(point.x) <= half_width and absf(point.z) <= half_width and point.y >= 0.0 and is_finite(point.y)


func _add_slab(size: Vector3, at: Vector3) -> void:
	var body := StaticBody3D.new()
	var collision := CollisionShape3D.new()
	var shape := BoxShape3D.new()
	shape.size = size
	collision.shape = shape
	body.physics_material_override = _material
	body.position = at
	body.add_child(collision)
	add_child(body)


func _draw_walls() -> void:
	var stone := StandardMaterial3D.new()
	stone.albedo_color = Color(0.62, 0.60, 0.57)
	stone.roughness = 0.9
	var glass := StandardMaterial3D.new()
	glass.albedo_color = Color(0.70, 0.86, 1.0, 0.06)
	glass.transparency = BaseMaterial3D.TRANSPARENCY_ALPHA
	glass.cull_mode = BaseMaterial3D.CULL_DISABLED
	const RIM := 0.25
	for direction: Vector3 in [Vector3.RIGHT, Vector3.LEFT, Vector3.FORWARD, Vector3.BACK]:
		var along := Vector3(absf(direction.z), 0, absf(direction.x))
		var across := Vector3(absf(direction.x), 0, absf(direction.z))
		var base := (along * (half_width + RIM) * 2.0 + across * RIM) + Vector3.UP * drawn_height
		_draw_box(base, direction * (half_width + RIM / 2.0) + Vector3.UP * drawn_height / 2.0, stone)
		if has_glass and wall_height > drawn_height:
			var pane := along * half_width * 2.0 + across * 0.02 + Vector3.UP * (wall_height - drawn_height)
			_draw_box(pane, direction * half_width + Vector3.UP * (wall_height + drawn_height) / 2.0, glass)


func _draw_box(size: Vector3, at: Vector3, material: Material) -> void:
	var mesh := BoxMesh.new()
	mesh.size = size
	mesh.material = material
	var instance := MeshInstance3D.new()
	instance.mesh = mesh
	instance.position = at
	if material.get("transparency") != BaseMaterial3D.TRANSPARENCY_DISABLED:
		instance.cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_OFF
	add_child(instance)
