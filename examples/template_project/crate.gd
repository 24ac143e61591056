class_name Crate
extends RigidBody3D
## A crate to push. One that falls off the world comes back to where it was.

## Below this height a crate has fallen off the world [m].
const LOWEST := -10.0

@onready var _start := global_transform


func _physics_process(_delta: float) -> void:
	if global_position.y < LOWEST:
		come_back()


## Puts the crate to where it was at first, at rest.
func come_back() -> void:
	global_transform = _start
	linear_velocity = Vector3.ZERO
	angular_velocity = Vector3.ZERO
