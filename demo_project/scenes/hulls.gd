extends "res://scripts/demo_scene.gd"
## Convex hulls of 12 to 32 vertices dropped on a hilly triangle mesh; nothing may sleep.

const Terrain = preload("res://scripts/terrain.gd")
const FORMS := 24
const ROW := 16
const SPACING := 1.3


func build() -> void:
	bin = Terrain.new(12.0, 30.0, 0.5)
	bin.has_glass = false
	stage.target = Vector3(0, 3, 0)
	stage.eye = Vector3(17, 15, 23)
	stage.shadow_distance = 90.0
	bodies.can_sleep = false
	for number: int in FORMS:
		var corners := 12 + number * 20 / (FORMS - 1)
		var colour: Color = [CORAL, AMBER, TEAL, VIOLET, LEAF, ROSE][number % 6]
		bodies.add_form(BodyForm.hull(_stone(corners, random.randf_range(0.4, 0.55)), colour))
	for index: int in body_count():
		var cell := Vector3(index % ROW, index / (ROW * ROW), (index / ROW) % ROW) * SPACING
		var corner := Vector3(-SPACING * (ROW - 1) / 2.0, 8.0, -SPACING * (ROW - 1) / 2.0)
		bodies.add(index % FORMS, Transform3D(random_rotation(), corner + cell))


## Points on an ellipsoid, evenly spread (Fibonacci lattice), each a little off its place: all are corners of the hull.
func _stone(corners: int, radius: float) -> PackedVector3Array:
	var points := PackedVector3Array()
	var size := Vector3(random.randf_range(0.8, 1.2), random.randf_range(0.6, 1.0), random.randf_range(0.8, 1.2)) * radius
	for number: int in corners:
		var up := 1.0 - 2.0 * (number + 0.5) / corners
		var flat := Vector2.from_angle(number * PI * (3.0 - sqrt(5.0)) + random.randf_range(-0.1, 0.1)) * sqrt(1.0 - up * up)
		points.append(Vector3(flat.x, up, flat.y) * size)
	return points
