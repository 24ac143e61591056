extends "res://gd/physics_test.gd"
## What the rows of the table of truth are measured with: a row is told by `formula`, `least` or `most`.
##
## Each function `rows_*` of a file `truth_*.gd` starts in an empty world, and what it made is freed when it ends.

## Off by so much, a value is still what the formula says.
const TOLERANCE := 0.01
const NO_FRICTION := 0.0

var rows: Array[Dictionary] = []


## A value that physics gives. `tolerance` is in its unit; 1 % of what is expected where none is given.
func formula(name: String, unit: String, value: float, expected: float, tolerance: float = -1.0) -> void:
	var allowed := absf(expected) * TOLERANCE if tolerance < 0.0 else tolerance
	rows.append({"name": name, "unit": unit, "kind": "formula", "value": _told(value), "expected": expected, "allowed": allowed})


## A value that is the better the less it is: Scree's may be `allowed` above the better of the other engines'.
func least(name: String, unit: String, value: float, allowed: float) -> void:
	rows.append({"name": name, "unit": unit, "kind": "least", "value": _told(value), "expected": null, "allowed": allowed})


## JSON knows no NaN and no infinity.
func _told(value: float) -> Variant:
	return value if is_finite(value) else null


## Upright sides around a point at half its height: a prism whose top is smaller than its bottom.
func frustum(corners: int, bottom: float, top: float, height: float) -> ConvexPolygonShape3D:
	var points := PackedVector3Array()
	for corner: int in corners:
		var way := Vector3.RIGHT.rotated(Vector3.UP, TAU * corner / corners)
		points.append_array([way * bottom + Vector3.DOWN * height / 2.0, way * top + Vector3.UP * height / 2.0])
	return hull(points)


func cylinder(radius: float, height: float) -> CylinderShape3D:
	var shape := CylinderShape3D.new()
	shape.radius = radius
	shape.height = height
	return shape


## Bodies with a flat bottom, 0.6 m high and 1 m wide: friction 1 does not tip them over, whichever four points of it touch.
func flat_bodies() -> Dictionary[String, Shape3D]:
	return {"box": box(Vector3(1.0, 0.6, 1.0)), "cylinder": cylinder(0.5, 0.6), "hull": frustum(8, 0.5, 0.45, 0.6)}


## Motion of a body and, through its inertia tensor, its spin [J].
func kinetic_energy(body: RigidBody3D) -> float:
	var state := direct_state(body)
	var spin := body.angular_velocity
	var turning := state.inverse_inertia_tensor
	var angular := 0.5 * spin.dot(turning.inverse() * spin) if absf(turning.determinant()) > 0.0 else 0.0
	return 0.5 * body.mass * body.linear_velocity.length_squared() + angular


## Waits for `count` steps, or a minute; returns the longest time from one to the next [ms].
func timed_steps(count: int, each: Callable) -> float:
	var longest := 0
	var started := Time.get_ticks_usec()
	for step: int in count:
		var begin := Time.get_ticks_usec()
		if begin - started > 60_000_000:
			break
		await steps()
		longest = maxi(longest, Time.get_ticks_usec() - begin)
		each.call()
	return longest / 1000.0
