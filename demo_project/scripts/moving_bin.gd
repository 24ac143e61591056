extends "res://scripts/bin.gd"
## A bin that is moved: its slabs are the shapes of one AnimatableBody3D, which goes where this node is put.
##
## Planes and the places of bodies are those of the pose that the bin has when they are asked for.

var _body := AnimatableBody3D.new()


func _ready() -> void:
	_body.sync_to_physics = false  # it is moved with its parent
	_body.physics_material_override = _material
	add_child(_body)
	super()


func planes() -> Array[Plane]:
	var list: Array[Plane] = []
	for plane: Plane in own_planes():
		list.append(transform * plane)
	return list


func holds(point: Vector3) -> bool:
	return point.is_finite() and planes().all(func(plane: Plane) -> bool: return plane.distance_to(point) >= 0.0)


## The planes that bound the free space in the bin's own frame, normals inwards.
func own_planes() -> Array[Plane]:
	return super.planes()


func _add_slab(size: Vector3, at: Vector3) -> void:
	add_turned_slab(size, Transform3D(Basis.IDENTITY, at))


func add_turned_slab(size: Vector3, at: Transform3D) -> void:
	var collision := CollisionShape3D.new()
	var shape := BoxShape3D.new()
	shape.size = size
	collision.shape = shape
	collision.transform = at
	_body.add_child(collision)
