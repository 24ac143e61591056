extends "res://truth/truth_scene.gd"
## Scenes that are ten times as large, in ten times the gravity, do the same in the same time; heavy on light stands.

const SIZES: Array[float] = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 1000.0]


func _ground(size: float, friction: float, bounce: float = 0.0) -> void:
	fixed(box(Vector3(100, 2, 100) * size), Vector3.DOWN * size, {"physics_material_override": surface(friction, bounce)})


func _sized(
		shape: Shape3D, at: Vector3, size: float, friction: float, bounce: float = 0.0, velocity: Vector3 = Vector3.ZERO
) -> RigidBody3D:
	return rigid(shape, at * size, {"gravity_scale": size, "linear_velocity": velocity * size, "can_sleep": false,
		"physics_material_override": surface(friction, bounce)})


func rows_rolling() -> void:
	for size: float in SIZES:
		_ground(size, 1.0)
		var ball := _sized(sphere(0.5 * size), Vector3(-5, 0.5, 0), size, 1.0, 0.0, Vector3(3, 0, 0))
		await steps(120)
		formula("ball of %s m thrown flat: rolls on at 5/7 of its speed" % size, "", ball.linear_velocity.x / (3.0 * size), 5.0 / 7.0)
		var surface_speed := -ball.angular_velocity.z * 0.5 * size
		formula("ball of %s m thrown flat: spins at v / r" % size, "", surface_speed / ball.linear_velocity.x, 1.0)
		for child: Node in get_children():
			child.free()


func rows_sliding() -> void:
	for size: float in SIZES:
		_ground(size, 0.5)
		var body := _sized(box(Vector3(1, 0.4, 1) * size), Vector3(-5, 0.2, 0), size, 0.5, 0.0, Vector3(6, 0, 0))
		await steps(180)
		formula("box of %s m slides to rest: v^2 / (2 mu g)" % size, "sizes", body.position.x / size + 5.0, 36.0 / GRAVITY)
		for child: Node in get_children():
			child.free()


func rows_elastic() -> void:
	for size: float in SIZES:
		_ground(size, 0.0, 0.0)
		var shapes: Dictionary[String, Shape3D] = {"ball": sphere(0.5 * size), "box": box(Vector3.ONE * size)}
		for name: String in shapes:
			var body := _sized(shapes[name], Vector3(0, 2.5, 0), size, 0.0, 1.0)
			await steps_until(func() -> bool: return body.linear_velocity.y > 0.0, 90)
			var top := 0.0
			while body.linear_velocity.y > 0.0:
				await steps()
				top = maxf(top, body.position.y / size - 0.5)
			# A tick of the fall is what an engine may find the floor too early or too late by.
			formula("elastic %s of %s m from 2 sizes: rises to" % [name, size], "sizes", top, 2.0, 6.26 * TICK)
			body.free()
		for child: Node in get_children():
			child.free()


func rows_stacked() -> void:
	for size: float in SIZES:
		_ground(size, 1.0)
		var boxes: Array[RigidBody3D] = []
		for number: int in 5:
			boxes.append(_sized(box(Vector3.ONE * size), Vector3(0.03 * (number % 2), 0.5 + number, 0), size, 1.0))
		await steps(600)
		formula("stack of five boxes of %s m: height of the top one" % size, "sizes", boxes[-1].position.y / size, 4.5, 0.045)
		formula("stack of five boxes of %s m: the top one slid by" % size, "sizes",
			Vector2(boxes[-1].position.x, boxes[-1].position.z).length() / size, 0.0, 0.01)
		for child: Node in get_children():
			child.free()


## Dropped from a hand's width onto a light one.
func rows_heavy_on_light() -> void:
	for heavy: float in [10.0, 100.0, 1000.0]:
		floor_body()
		var light := rigid(box(), Vector3(0, 0.5, 0), {"mass": 1.0})
		var top := rigid(box(), Vector3(0, 1.6, 0), {"mass": heavy})
		var deepest := 0.0
		for tick: int in 600:
			await steps()
			deepest = maxf(deepest, maxf(0.5 - light.position.y, 1.5 - top.position.y))
		formula("box of %.0f kg on one of 1 kg: height after 10 s" % heavy, "m", top.position.y, 1.5)
		formula("box of %.0f kg on one of 1 kg: height of the light one" % heavy, "m", light.position.y, 0.5, 0.01)
		least("box of %.0f kg on one of 1 kg: deepest ever" % heavy, "m", deepest, 0.01)
		for child: Node in get_children():
			child.free()


## Bodies that land on boxes that lie on the floor come to rest on them, without a bounce.
func rows_landing_on_boxes() -> void:
	for count: int in [1, 3]:
		for mass: float in [1.0, 3.0, 10.0, 100.0, 1000.0]:
			for height: float in [0.3, 1.0]:
				await _land(count, mass, height)


func _land(count: int, mass: float, height: float) -> void:
	floor_body()
	for number: int in count:
		rigid(box(), Vector3(0, 0.5 + number, 0), {"mass": 1.0})
	var rest := count + 0.5
	var top := rigid(box(), Vector3(0.1, rest + height, 0), {"mass": mass})
	var name := "box of %.0f kg, from %.1f m onto %d of 1 kg" % [mass, height, count]
	var highest := 0.0
	var has_met := false
	for tick: int in 240:
		await steps()
		has_met = has_met or top.position.y < rest + 0.01
		if has_met and top.linear_velocity.y > 0.0:
			highest = maxf(highest, top.position.y - rest)
	least("%s: rises again by" % name, "m", highest, 0.02)
	formula("%s: lies at the height of" % name, "m", top.position.y, rest, 0.015)
	for child: Node in get_children():
		child.free()
