extends "res://truth/truth_scene.gd"
## Coins, discs and wheels that roll on their rims, and boxes that slide: as far and as straight as their velocity says.


func _ground(friction: float) -> void:
	fixed(plane(), Vector3.ZERO, {"physics_material_override": surface(friction)})


## Without slipping for a second, upright: the way is v t.
func rows_coins() -> void:
	_ground(1.0)
	for row: Vector3 in [Vector3(0.05, 6.0, 3.0), Vector3(0.05, 6.0, 8.0), Vector3(0.3, 6.0, 3.0), Vector3(0.3, 2.0, 5.0)]:
		var speed := row.z * row.x * 60.0
		var body := rigid(cylinder(row.x, row.x / row.y), Transform3D(Basis(Vector3.BACK, PI / 2.0), Vector3(0, row.x, 0)),
			{"can_sleep": false, "linear_velocity": Vector3(0, 0, speed), "angular_velocity": Vector3(speed / row.x, 0, 0),
			"physics_material_override": surface(1.0)})
		await steps(60)
		var words := "wheel of %.2f m, %.0f times as wide as thick, rolls %.0f radii a tick" % [row.x, 2.0 * row.y, row.z]
		formula("%s: its way over v t" % words, "", body.position.z / speed, 1.0)
		body.free()


## A wheel that leans and rolls without slipping keeps its energy.
func rows_leaning_wheels() -> void:
	_ground(1.0)
	for row: Vector3 in [Vector3(0.02, 0.05, 3.0), Vector3(0.02, 0.05, 8.0), Vector3(0.1, 0.2, 3.0), Vector3(0.1, 0.2, 8.0)]:
		var turned := Basis(Vector3.BACK, PI / 2.0 + row.y)
		var axis := turned.y
		var to_rim := (Vector3.DOWN + axis * axis.y).normalized() * 0.5 - axis * signf(axis.y) * row.x / 2.0
		var spin := axis * row.z / 0.5
		var body := rigid(cylinder(0.5, row.x), Transform3D(turned, Vector3(0, -to_rim.y, 0)), {"can_sleep": false,
			"linear_velocity": -spin.cross(to_rim), "angular_velocity": spin, "physics_material_override": surface(1.0),
			"inertia": Vector3(0.0625 + row.x * row.x / 12.0, 0.125, 0.0625 + row.x * row.x / 12.0)})
		var before := kinetic_energy(body) + GRAVITY * body.position.y
		await steps(180)
		var now := kinetic_energy(body) + GRAVITY * body.position.y
		var words := "wheel of 0.5 m and %.0f cm leans by %.0f degrees at %.0f m/s" % [100 * row.x, rad_to_deg(row.y), row.z]
		formula("%s: energy kept in 3 s" % words, "%", 100.0 * now / before, 100.0, 2.0)
		body.free()


## The longest that a thrown disc hangs: it moves by less than a third of what its velocities say.
func rows_thrown_discs() -> void:
	_ground(0.5)
	var random := RandomNumberGenerator.new()
	random.seed = 7
	var longest := 0
	for throw: int in 8:
		var axis := Vector3(random.randfn(), random.randfn(), random.randfn()).normalized()
		var body := rigid(cylinder(0.5, 0.02), Transform3D(Basis(axis, random.randf() * 6.0), Vector3(0, 1.2, 0)), {
			"can_sleep": false, "linear_velocity": Vector3(random.randfn(), random.randfn(), random.randfn()) * 2.0,
			"angular_velocity": Vector3(random.randfn(), random.randfn(), random.randfn()) * 5.0,
			"physics_material_override": surface(0.5)})
		var hanging := 0
		for tick: int in 240:
			var place := body.transform
			await steps()
			var told := body.linear_velocity.length() + 0.5 * body.angular_velocity.length()
			var turn := (place.basis.inverse() * body.basis).get_rotation_quaternion().get_angle()
			var came := (body.position.distance_to(place.origin) + 0.5 * turn) * 60.0
			hanging = hanging + 1 if told > 1.0 and came < told / 3.0 else 0
			longest = maxi(longest, hanging)
		body.free()
	formula("8 thrown discs of 1 m and 2 cm: hang in the air for at most", "ticks", longest, 0.0, 2.0)
