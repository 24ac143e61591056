extends "res://scripts/demo_scene.gd"
## Boxes, spheres, capsules and convex hulls dropped into a bin, until they sleep.

const SPACING := 0.98
const ROW := 10


func build() -> void:
	bin = Bin.new(5.0, 6.0, 0.5)
	stage.target = Vector3(0, 1.2, 0)
	stage.eye = Vector3(8.6, 9.0, 11.5)
	stage.shadow_distance = 45.0
	_add_forms()
	for index: int in body_count():
		var column := Vector3(index % ROW, index / (ROW * ROW), (index / ROW) % ROW) * SPACING
		var at := column + Vector3(-4.41, 1.0, -4.41) + random_point(Vector3.ONE * -0.05, Vector3.ONE * 0.05)
		bodies.add(index % bodies.forms.size(), Transform3D(random_rotation(), at))


func _add_forms() -> void:
	bodies.add_form(BodyForm.box(Vector3(0.55, 0.55, 0.55), CORAL))
	bodies.add_form(BodyForm.sphere(0.30, AMBER))
	bodies.add_form(BodyForm.capsule(0.20, 0.85, TEAL))
	bodies.add_form(BodyForm.hull(_gem(0.38), VIOLET))
	bodies.add_form(BodyForm.box(Vector3(0.75, 0.35, 0.50), ROSE))
	bodies.add_form(BodyForm.sphere(0.22, AMBER.lightened(0.25)))
	bodies.add_form(BodyForm.capsule(0.26, 0.70, TEAL.lightened(0.2)))
	bodies.add_form(BodyForm.hull(_prism(0.36, 0.5), LEAF))


## An icosahedron of `radius` [m].
static func _gem(radius: float) -> PackedVector3Array:
	var golden := (1.0 + sqrt(5.0)) / 2.0
	var points := PackedVector3Array()
	for first: float in [-1.0, 1.0]:
		for second: float in [-golden, golden]:
			for corner: Vector3 in [Vector3(0, first, second), Vector3(first, second, 0), Vector3(second, 0, first)]:
				points.append(corner.normalized() * radius)
	return points


## A six-sided prism of `radius` and `height` [m].
static func _prism(radius: float, height: float) -> PackedVector3Array:
	var points := PackedVector3Array()
	for corner: int in 6:
		var flat := Vector2.from_angle(TAU * corner / 6.0) * radius
		points.append(Vector3(flat.x, height / 2.0, flat.y))
		points.append(Vector3(flat.x, -height / 2.0, flat.y))
	return points
