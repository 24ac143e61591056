extends "res://gd/physics_test.gd"
## The base of the files that measure rows of the table of truth: `formula`, `least` or `most` adds a row.
##
## Each function `rows_*` of a file `truth_*.gd` starts in an empty world, and what it made is freed when it ends.

## Off by so much, a value is still what the formula says.
const TOLERANCE := 0.01
const NO_FRICTION := 0.0

var rows: Array[Dictionary] = []


func clear() -> void:
	super.clear()
	set_gravity(GRAVITY)


## Sets the gravity of this world, downwards [m/s^2], until the function ends.
func set_gravity(strength: float) -> void:
	PhysicsServer3D.area_set_param(get_world_3d().space, PhysicsServer3D.AREA_PARAM_GRAVITY, strength)


## A value that physics gives. `tolerance` is in its unit; 1 % of what is expected where none is given.
func formula(name: String, unit: String, value: float, expected: float, tolerance: float = -1.0) -> void:
	_tell(name, unit, value, expected, absf(expected) * TOLERANCE if tolerance < 0.0 else tolerance, 1.0)


## A value that is the better the less it is. Scree's may be `factor` times the better of the other engines' and `allowed` more.
func least(name: String, unit: String, value: float, allowed: float, factor: float = 1.0) -> void:
	_tell(name, unit, value, null, allowed, factor)


func _tell(name: String, unit: String, value: float, expected: Variant, allowed: float, factor: float) -> void:
	rows.append({"name": name, "unit": unit, "value": value if is_finite(value) else null, # JSON knows no NaN
		"expected": expected, "allowed": allowed, "factor": factor})


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


## Motion and spin of a body whose `inertia` is given: its principal moments [J].
func kinetic_energy(body: RigidBody3D) -> float:
	var spin := body.basis.orthonormalized().inverse() * body.angular_velocity
	return 0.5 * body.mass * body.linear_velocity.length_squared() + 0.5 * (spin * spin).dot(body.inertia)


## About the origin [kg m^2/s]; of a body whose `inertia` is given.
func angular_momentum(body: RigidBody3D) -> Vector3:
	var turned := body.basis.orthonormalized()
	var spin := turned * (body.inertia * (turned.inverse() * body.angular_velocity))
	return body.mass * body.position.cross(body.linear_velocity) + spin


## Principal moments of a box [kg m^2].
func box_inertia(size: Vector3, mass: float = 1.0) -> Vector3:
	var squares := size * size
	return Vector3(squares.y + squares.z, squares.x + squares.z, squares.x + squares.y) * mass / 12.0


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
