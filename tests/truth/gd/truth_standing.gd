extends "res://truth/truth_scene.gd"
## Columns that stand on a slope up to the angle at which their centre of mass is above their rim, and balls that roll in a groove.


## The part of that angle at which a column 2 m high and 0.6 m wide tips over, by halving; its foot leans in a direction.
func _tips_at(shape: Shape3D, direction: float) -> float:
	var low := 0.6
	var high := 1.1
	for turn: int in 6:
		var part := (low + high) / 2.0
		var tilt := Basis(Vector3(sin(direction), 0, -cos(direction)), atan(part * 0.3))
		var rough := {"physics_material_override": surface(2.0)}
		var ground := fixed(box(Vector3(20, 2, 20)), Transform3D(tilt, tilt * Vector3(0, -1, 0)), rough)
		var settings := {"physics_material_override": surface(2.0), "can_sleep": false}
		var column := rigid(shape, Transform3D(tilt, tilt * Vector3(0, 1, 0)), settings)
		await steps(300)
		if column.basis.y.dot(tilt.y) < 0.9:
			high = part
		else:
			low = part
		ground.free()
		column.free()
	return (low + high) / 2.0


func rows_columns() -> void:
	var half := PI / 8.0
	for degrees: float in [0.0, 15.0, 22.5, 45.0]:
		var at := await _tips_at(cylinder(0.3, 2.0), deg_to_rad(degrees))
		formula("cylinder on a slope, %.1f degrees about: tips over at tan a = r / (h / 2)" % degrees, "", at, 1.0, 0.04)
		var reach := cos(half) / cos(half - fmod(deg_to_rad(degrees), 2.0 * half))
		at = await _tips_at(frustum(8, 0.3, 0.3, 2.0), deg_to_rad(degrees))
		formula("prism of 8 on a slope, %.1f degrees about: tips over its edge" % degrees, "", at, reach, 0.04)


## A ball of 0.2 m in a groove down 10 degrees: it rolls about an axis through both points of contact.
func rows_grooves() -> void:
	for degrees: float in [60.0, 45.0, 30.0]:
		var half := deg_to_rad(degrees)
		var tilt := Basis(Vector3.BACK, deg_to_rad(-10.0))
		for side: float in [-1.0, 1.0]:
			var turned := tilt * Basis(Vector3.RIGHT, side * (PI / 2.0 - half))
			fixed(box(Vector3(60, 2, 4)), Transform3D(turned, turned * Vector3(0, -1, side * -1.9)),
				{"physics_material_override": surface(1.0)})
		var ball := rigid(sphere(0.2), tilt * Vector3(0, 0.2 / sin(half), 0),
			{"physics_material_override": surface(1.0), "can_sleep": false})
		await steps(30)
		var begin := ball.linear_velocity.length()
		await steps(60)
		var expected := GRAVITY * sin(deg_to_rad(10.0)) / (1.0 + 0.4 / (sin(half) * sin(half)))
		formula("ball in a groove of %.0f degrees to each side: gains speed by" % degrees, "m/s^2",
			ball.linear_velocity.length() - begin, expected, 0.03 * expected)
		for child: Node in get_children():
			child.free()
