class_name Player
extends ScreeCharacter3D
## Walks and jumps by the actions of the project. It climbs steps and pushes crates by itself: see its properties in the inspector.

## Speed on the ground [m/s].
@export_range(0.0, 20.0, 0.1, "suffix:m/s") var speed := 5.0
## Speed at which a jump begins [m/s]. It is speed² / (2 · gravity) high.
@export_range(0.0, 20.0, 0.1, "suffix:m/s") var jump_speed := 5.0

@onready var _look: Node3D = $Look


func _physics_process(_delta: float) -> void:
	var wanted := Input.get_vector(&"move_left", &"move_right", &"move_ahead", &"move_back") * speed
	velocity = Vector3(wanted.x, 0.0, wanted.y) # `falls` is on: gravity and jumps are the node's business
	if on_floor and Input.is_action_just_pressed(&"jump"):
		jump(jump_speed)
	var _is_on_floor := walk()
	if wanted != Vector2.ZERO:
		_look.look_at(_look.global_position + Vector3(wanted.x, 0.0, wanted.y))
