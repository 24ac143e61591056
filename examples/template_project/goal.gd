class_name Goal
extends Area3D
## Counts the crates in it. Its mask holds the layer "crates" alone, so nothing else enters.

## The number of crates in the goal is another one.
signal count_changed(count: int)

## Crates that are in the goal.
var count := 0


func _on_body_entered(_body: Node3D) -> void:
	count += 1
	count_changed.emit(count)


func _on_body_exited(_body: Node3D) -> void:
	count -= 1
	count_changed.emit(count)
