extends "res://truth/truth_scene.gd"
## Bodies of restitution 0 that land: whatever the friction, nothing lifts them.

const FRICTIONS: Array[float] = [0.2, 0.5, 1.0]
const THROWS: Array[Vector3] = [Vector3(2, -4, 0), Vector3(8, -10, 0), Vector3(12, -6, 0)]
const HALF_HEIGHT := 0.3


## Friction acts below the centre, but a body twice as wide as its centre is high cannot tip: it lands flat and stays on the floor.
func rows_thrown_at_the_floor() -> void:
	for friction: float in FRICTIONS:
		floor_body({"physics_material_override": surface(friction)})
		var shapes := flat_bodies()
		for name: String in shapes:
			var words := "%s, friction %.1f" % [name, friction]
			var highest := 0.0
			for throw: Vector3 in THROWS:
				var thrown := {"linear_velocity": throw, "physics_material_override": surface(friction)}
				var body := rigid(shapes[name], Vector3(-20, HALF_HEIGHT + 0.02, 0), thrown)
				highest = maxf(highest, await _land(words, body, throw))
			formula("%s, any of these throws: rises by" % words, "m", highest, 0.0, 0.01)
		for child: Node in get_children():
			child.free()


## Returns how high it rises above where it began.
func _land(words: String, body: RigidBody3D, throw: Vector3) -> float:
	var upward := 0.0
	var rise := 0.0
	for tick: int in 120:
		await steps()
		upward = maxf(upward, body.linear_velocity.y)
		rise = maxf(rise, body.position.y - HALF_HEIGHT - 0.02)
	formula("%s, thrown at (%d, %d) m/s: leaves the floor at" % [words, throw.x, throw.y], "m/s", upward, 0.0,
		TOLERANCE * throw.length())
	body.free()
	return rise


## Sliding stops where friction stops it: v^2 / (2 mu g) after the landing, which takes mu times the speed of the fall.
func rows_stopped_by_friction() -> void:
	floor_body({"physics_material_override": surface(0.5)})
	var body := rigid(box(Vector3(1.0, 0.4, 1.0)), Vector3(-20, 0.2, 0),
		{"linear_velocity": Vector3(10, 0, 0), "physics_material_override": surface(0.5)})
	await steps(240)
	formula("box slides to rest, 10 m/s, friction 0.5: v^2 / (2 mu g)", "m", body.position.x + 20.0, 100.0 / GRAVITY)
	var fallen := rigid(box(Vector3(1.0, 0.4, 1.0)), Vector3(-20, 0.22, 5),
		{"linear_velocity": Vector3(8, -10, 0), "physics_material_override": surface(0.5)})
	await steps(8)
	# Gravity has acted for eight ticks, of which those on the floor brake.
	formula("box lands at (8, -10) m/s, friction 0.5: goes on at", "m/s", fallen.linear_velocity.x,
		8.0 - 0.5 * (10.0 + 8.0 * TICK * GRAVITY), 0.08)


## Friction 1 holds on 30 degrees, from a fall too: tan 30 < 1.
func rows_dropped_on_a_slope() -> void:
	var tilt := Basis(Vector3.BACK, deg_to_rad(30.0))
	var slope := fixed(box(Vector3(40, 2, 40)), Transform3D(tilt, tilt * Vector3(0, -1, 0)),
		{"physics_material_override": surface(1.0)})
	var shapes := flat_bodies()
	shapes["cube"] = box()
	for name: String in shapes:
		var half := 0.5 if name == "cube" else HALF_HEIGHT
		var at := tilt * Vector3(0, half, 0) + Vector3(0, 0.5, 0)
		var body := rigid(shapes[name], Transform3D(tilt, at), {"physics_material_override": surface(1.0)})
		var away := 0.0
		var fastest := 0.0
		for tick: int in 180:
			await steps()
			if tick > 24: # the fall takes 19
				fastest = maxf(fastest, body.linear_velocity.length())
				away = maxf(away, (tilt.inverse() * body.position).y - half)
		var words := "%s dropped flat on 30 degrees, friction 1" % name
		var slid := Vector2(body.position.x, body.position.z).length()
		formula("%s: slides by" % words, "m", slid - sin(deg_to_rad(30.0)) * half, 0.0, 0.05)
		formula("%s: leaves the slope by" % words, "m", away, 0.0, 0.01)
		formula("%s: moves after landing at" % words, "m/s", fastest, 0.0, TOLERANCE * 3.13)
		formula("%s: has turned by" % words, "deg", rad_to_deg(body.basis.y.angle_to(tilt.y)), 0.0, 0.5)
		body.free()
	slope.free()
