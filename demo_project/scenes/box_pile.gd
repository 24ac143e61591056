extends "res://scripts/demo_scene.gd"
## Boxes of 1 m in a grid of 13 x 13, dropped into a bin whose inner walls stand at +-10 m; nothing may sleep.
##
## The grid is 1.5 m wide in every direction, each box up to 0.3 m off its place. The same scene was measured in other
## engines, so nothing about it may change.

const ROW := 13
const SPACING := 1.5
const JITTER := 0.3


func build() -> void:
	bin = Bin.new(10.0, 100.0, 0.5)
	bin.has_glass = false
	stage.target = Vector3(0, 2.5, 0)
	stage.eye = Vector3(17, 15, 21)
	stage.shadow_distance = 90.0
	bodies.can_sleep = false
	var form: BodyForm = BodyForm.box(Vector3.ONE, CORAL)
	form.mass = 1.0
	bodies.add_form(form)
	for index: int in body_count():
		var cell := Vector3(index % ROW, index / (ROW * ROW), (index / ROW) % ROW) * SPACING
		var corner := Vector3(-SPACING * (ROW - 1) / 2.0, 1.0, -SPACING * (ROW - 1) / 2.0)
		var jitter := random_point(Vector3.ZERO, Vector3.ONE * JITTER) - Vector3(JITTER, 0, JITTER) / 2.0
		bodies.add(0, Transform3D(Basis.IDENTITY, corner + cell + jitter))
