extends "res://scripts/moving_pile.gd"
## Boxes of 1 m dropped into a bin without a lid, which is shaken to and fro once they are down.
##
## The grid is that of the box pile. The bin swings as a sine, at its ends as hard as gravity pulls.

const ROW := 13
const SPACING := 1.5
const JITTER := 0.3
## [s]
const SHAKEN_FROM := 2.0
## [rad/s], [m]
const FREQUENCY := PI
const SWING := 1.0


func build() -> void:
	bin = MovingBin.new(10.0, 60.0, 0.5)
	bin.has_glass = false
	stage.target = Vector3(0, 6, 0)
	stage.eye = Vector3(22, 24, 30)
	stage.shadow_distance = 110.0
	bodies.can_sleep = false
	var forms := coloured_boxes()
	var corner := Vector3(-SPACING * (ROW - 1) / 2.0, 1.0, -SPACING * (ROW - 1) / 2.0)
	for index: int in body_count():
		var cell := Vector3(index % ROW, index / (ROW * ROW), (index / ROW) % ROW) * SPACING
		var jitter := random_point(-Vector3.ONE, Vector3.ONE) * JITTER / 2.0
		bodies.add(forms[index % forms.size()], Transform3D(Basis.IDENTITY, corner + cell + jitter))


## The speed [m/s] of a body that moves with the bin at its fastest and falls as far as the highest box of the grid.
func highest_speed() -> float:
	var floors := ceili(body_count() / float(ROW * ROW))
	return sqrt((SWING * FREQUENCY) ** 2 + 2.0 * GRAVITY * floors * SPACING)


func bin_at(seconds: float) -> Transform3D:
	var shaken := maxf(seconds - SHAKEN_FROM, 0.0)
	return Transform3D(Basis.IDENTITY, Vector3.RIGHT * SWING * (1.0 - cos(FREQUENCY * shaken)))
