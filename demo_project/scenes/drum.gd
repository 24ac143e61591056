extends "res://scripts/moving_pile.gd"
## Boxes of 1 m in a drum that turns about a level axis; as long as the boxes ask for, half full.
##
## The boxes start in a grid, each up to 0.3 m off its place, and come down while the drum begins to turn.

const Drum = preload("res://scripts/drum.gd")
const RADIUS := 10.0
## [rad/s]; the wall goes at 5 m/s, and its centripetal acceleration is a quarter of gravity: boxes tumble down and are not flung.
const SPIN := 0.5
const SPACING := 1.5
const JITTER := 0.3
const AXIS := Vector3(0, RADIUS + Bin.WALL_THICKNESS, 0)


func build() -> void:
	var places := _places_of_a_slice()
	var slices := ceili(body_count() / float(places.size()))
	bin = Drum.new(RADIUS, slices * SPACING + JITTER, 0.5)
	bin.position = AXIS
	stage.target = AXIS
	stage.eye = AXIS + Vector3(9, 5, 40)
	stage.shadow_distance = 110.0
	bodies.can_sleep = false
	var forms := coloured_boxes()
	for index: int in body_count():
		var depth := (index % slices - (slices - 1) / 2.0) * SPACING
		var place := places[index / slices]
		var jitter := random_point(-Vector3.ONE, Vector3.ONE) * JITTER / 2.0
		bodies.add(forms[index % forms.size()], Transform3D(Basis.IDENTITY, AXIS + Vector3(place.x, place.y, depth) + jitter))


func bin_at(seconds: float) -> Transform3D:
	return Transform3D(Basis(Vector3.BACK, SPIN * seconds), AXIS)


## The speed [m/s] of a body that leaves the wall at its speed and falls through the whole drum.
func highest_speed() -> float:
	var wall := SPIN * RADIUS / cos(PI / Drum.PANELS)
	return sqrt(wall * wall + 2.0 * GRAVITY * 2.0 * RADIUS)


## Where boxes start across the axis, all within the drum, the lowest first [m].
func _places_of_a_slice() -> PackedVector2Array:
	var places := PackedVector2Array()
	var reach := int(RADIUS / SPACING)
	for y: int in range(-reach, reach + 1):
		for x: int in range(-reach, reach + 1):
			var place := Vector2(x, y) * SPACING
			if place.length() < RADIUS - sqrt(0.5) - JITTER:
				places.append(place)
	return places
