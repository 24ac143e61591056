extends "res://addons/scree/nodes/scree_character_3d.gd"
## A character of `crowd.gd`.


func _physics_process(delta: float) -> void:
	var wanted: Vector3 = get_meta(&"wanted")
	velocity = Vector3(wanted.x, 0.0 if on_floor else velocity.y - 9.8 * delta, wanted.z)
	walk(delta)
