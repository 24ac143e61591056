extends "res://scripts/demo_scene.gd"
## Rigid bodies that touch nothing: what a body costs by being there.

const SPACING := 3.0

## Where the body in the middle was in the last tick [m].
var _middle := Vector3.ZERO


func build() -> void:
	stage.target = Vector3(0, -6, 0)
	stage.eye = Vector3(56, 26, 74)
	stage.shadow_distance = 150.0
	stage.has_ground = false
	var form := bodies.add_form(BodyForm.box(Vector3.ONE, TEAL))
	var side := ceili(pow(body_count(), 1.0 / 3.0))
	for index: int in body_count():
		var cell := Vector3(index % side, (index / side) % side, index / (side * side)) - Vector3.ONE * (side - 1) / 2.0
		bodies.add(form, Transform3D(Basis.IDENTITY, cell * SPACING))
	_middle = bodies.transform_of(bodies.size() / 2).origin


## The camera falls with the bodies.
func tick(_number: int) -> void:
	if DisplayServer.get_name() == "headless":
		return
	var middle := bodies.transform_of(bodies.size() / 2).origin
	stage.look(stage.target + middle - _middle, stage.eye + middle - _middle)
	(get_node("BodyView") as BodyView).show_around(middle)
	_middle = middle
