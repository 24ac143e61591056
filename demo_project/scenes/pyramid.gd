extends "res://scripts/demo_scene.gd"
## Rows of flat pyramids of boxes that must stand; nothing may sleep.

const BASE := 20
const IN_ONE := BASE * (BASE + 1) / 2
const DISTANCE := 3.0


func build() -> void:
	bin = Bin.new(60.0, 1.0, 0.5)
	bin.has_walls = false
	stage.target = Vector3(0, 7, 0)
	stage.eye = Vector3(24, 17, 34)
	stage.shadow_distance = 100.0
	bodies.can_sleep = false
	var forms := coloured_boxes()
	var pyramids := ceili(body_count() / float(IN_ONE))
	for pyramid: int in pyramids:
		_add_pyramid((pyramid - (pyramids - 1) / 2.0) * DISTANCE, forms[pyramid % forms.size()])


func _add_pyramid(depth: float, form: int) -> void:
	for row: int in BASE:
		for box: int in BASE - row:
			var along := box - (BASE - row - 1) / 2.0
			bodies.add(form, Transform3D(Basis.IDENTITY, Vector3(along, row + 0.5, depth)))
