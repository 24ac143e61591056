@tool
@icon("res://addons/scree/nodes/scree_wave.svg")
class_name ScreeWave
extends Resource
## One of the waves of a [ScreeWater3D].

const _CheckedValue := preload("res://addons/scree/nodes/checked_value.gd")

## Direction in which the crests move, along the water's x and z axes; its length does not count.
@export var direction := Vector2.RIGHT: set = _set_direction
## From crest to crest [m].
@export_range(0.1, 200.0, 0.1, "or_greater", "suffix:m") var length := 10.0: set = _set_length
## From trough to crest [m].
@export_range(0.0, 10.0, 0.01, "or_greater", "suffix:m") var height := 0.5: set = _set_height
## Speed of the crests [m/s]; 0: that of waves in deep water, which long waves have more of.
@export_range(-50.0, 50.0, 0.1, "or_greater", "or_less", "suffix:m/s") var speed := 0.0: set = _set_speed
## Where the wave begins, as a part of a turn [rad].
@export_range(0.0, 6.28, 0.01, "or_greater", "suffix:rad") var phase := 0.0: set = _set_phase


## The six numbers that [code]Scree.water_set_waves[/code] takes.
func numbers() -> PackedFloat32Array:
	return [direction.x, direction.y, length, height, speed, phase]


func _set_direction(value: Vector2) -> void:
	if _CheckedValue.is_right("ScreeWave", &"direction", value.is_finite() and value != Vector2.ZERO, "finite and not zero", value):
		direction = value
		emit_changed()


func _set_length(value: float) -> void:
	if _CheckedValue.is_positive("ScreeWave", &"length", value):
		length = value
		emit_changed()


func _set_height(value: float) -> void:
	if _CheckedValue.is_not_negative("ScreeWave", &"height", value):
		height = value
		emit_changed()


func _set_speed(value: float) -> void:
	if _CheckedValue.is_right("ScreeWave", &"speed", is_finite(value), "finite", value):
		speed = value
		emit_changed()


func _set_phase(value: float) -> void:
	if _CheckedValue.is_right("ScreeWave", &"phase", is_finite(value), "finite", value):
		phase = value
		emit_changed()
