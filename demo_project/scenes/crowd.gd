extends "res://scripts/demo_scene.gd"
## Boxes at rest, most asleep: what a body costs that does nothing. One in a hundred is a ball that may not sleep.

const SPACING := 1.3
const AWAKE_EVERY := 100
const SIZE := 0.5


func build() -> void:
	var side := ceili(sqrt(body_count()))
	bin = Bin.new(side * SPACING / 2.0 + 2.0, 1.0, 0.5)
	bin.has_walls = false
	stage.target = Vector3(0, 0, 0)
	stage.eye = Vector3(22, 14, 30)
	stage.shadow_distance = 120.0
	var box := bodies.add_form(BodyForm.box(Vector3.ONE * SIZE, TEAL))
	var ball := bodies.add_form(BodyForm.sphere(SIZE / 2.0, AMBER))
	for index: int in body_count():
		var at := Vector3(index % side - (side - 1) / 2.0, 0, index / side - (side - 1) / 2.0) * SPACING
		var stays_awake := index % AWAKE_EVERY == 0
		bodies.can_sleep = not stays_awake
		bodies.add(ball if stays_awake else box, Transform3D(Basis.IDENTITY, at + Vector3.UP * SIZE / 2.0))
