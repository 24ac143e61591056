extends "res://truth/truth_scene.gd"
## A light body under, before or between heavy ones: momentum, friction, and places.

const FORCE := 600.0


## A body of 1 kg on the floor, and a cube of `load` kg on it. More properties are for both.
func _stack(load: float, size: float = 1.0, more: Dictionary = {}) -> Array[RigidBody3D]:
	var light := rigid(box(Vector3.ONE * size), Vector3.UP * 0.5 * size, {"mass": 1.0}.merged(more))
	return [light, rigid(box(Vector3.ONE * size), Vector3.UP * 1.5 * size, {"mass": load}.merged(more))]


func _ground(friction: float) -> void:
	fixed(plane(), Vector3.ZERO, {"physics_material_override": surface(friction)})


func _free_all() -> void:
	for child: Node in get_children():
		child.free()


func _awake(friction: float) -> Dictionary:
	return {"can_sleep": false, "physics_material_override": surface(friction)}


## Sum over all bodies [N s].
func _momentum(bodies: Array[RigidBody3D]) -> Vector3:
	return bodies.reduce(func(sum: Vector3, body: RigidBody3D) -> Vector3:
		return sum + body.mass * body.linear_velocity, Vector3.ZERO)


## 600 N on 1 kg that carries 100 kg, floor of friction 0.5. Both gain (F - mu (m + M) g) t / (m + M).
func rows_pulled_under_a_load() -> void:
	set_gravity(10.0)
	_ground(0.5)
	var bodies := _stack(100.0, 1.0, _awake(0.9))
	await steps(60)
	bodies[0].add_constant_central_force(Vector3(FORCE, 0, 0))
	await steps(60)
	formula("1 kg under 100 kg, pulled by 600 N, friction 0.5: the load's speed after 1 s", "m/s", bodies[1].linear_velocity.x,
		(FORCE - 0.5 * 101.0 * 10.0) / 101.0, 0.02)


## Nothing rubs. 1 kg at 5 m/s and 1 kg under the load go on together at 2.5 m/s.
func rows_hit_under_a_load() -> void:
	_ground(0.0)
	var bodies := _stack(1000.0, 1.0, _awake(0.0))
	await steps(30)
	var before := _momentum(bodies).x
	bodies.append(rigid(box(Vector3.ONE * 0.4), Vector3(-1.5, 0.5, 0),
		{"linear_velocity": Vector3(5, 0, 0), "gravity_scale": 0.0}.merged(_awake(0.0))))
	await steps(15)
	formula("1 kg at 5 m/s hits 1 kg under 1,000 kg, no friction: momentum of all", "N s", _momentum(bodies).x - before, 5.0, 0.1)
	formula("1 kg at 5 m/s hits 1 kg under 1,000 kg, no friction: it goes on at", "m/s", bodies[0].linear_velocity.x, 2.5, 0.2)


## It shares its momentum with six rollers that move at half its speed v: M v0 = (M + n (m + I / r^2) / 4) v.
func rows_plate_on_rollers() -> void:
	for kind: String in ["cylinder", "ball"]:
		var shape: Shape3D = cylinder(0.2, 1.0) if kind == "cylinder" else sphere(0.2)
		var inertia := 0.5 if kind == "cylinder" else 0.4
		for load: float in [100.0, 1000.0]:
			_ground(0.8)
			for x: float in [-1.0, 0.0, 1.0]:
				for z: float in [-0.55, 0.55]:
					rigid(shape, Transform3D(Basis(Vector3.RIGHT, PI / 2.0), Vector3(x, 0.2, z)), _awake(0.8))
			var plate := rigid(box(Vector3(8, 0.2, 2.2)), Vector3(0, 0.5, 0), {"mass": load}.merged(_awake(0.8)))
			await steps(30)
			plate.linear_velocity = Vector3(1, 0, 0)
			await steps(60)
			formula("plate of %.0f kg set off at 1 m/s on six %ss of 1 kg: its speed" % [load, kind], "m/s", plate.linear_velocity.x,
				load / (load + 6.0 * (1.0 + inertia) / 4.0))
			_free_all()


func rows_ball_over_light_planks() -> void:
	_ground(1.0)
	for number: int in 12:
		rigid(box(Vector3(0.8, 0.2, 2.0)), Vector3(0.9 * number, 0.1, 0), _awake(0.8))
	var ball := rigid(sphere(1.0), Vector3(0, 1.2, 0), {"mass": 1000.0, "linear_velocity": Vector3(2, 0, 0),
		"angular_velocity": Vector3(0, 0, -2)}.merged(_awake(0.8)))
	var fastest := 0.0
	for tick: int in 240:
		await steps()
		fastest = maxf(fastest, ball.linear_velocity.x)
	least("1,000 kg roll at 2 m/s over planks of 1 kg: becomes faster by", "m/s", maxf(fastest - 2.0, 0.0), 0.04)


func rows_smooth_stack() -> void:
	_ground(0.0)
	var bodies := _stack(10000.0, 1.0, _awake(0.0))
	await steps(120)
	var sideways := _momentum(bodies)
	formula("10,000 kg on 1 kg at rest, no friction: goes sideways at", "mm/s",
		1000.0 * maxf(absf(sideways.x), absf(sideways.z)) / 10000.0, 0.0, 0.01)


## Put down at rest, in its place.
func rows_load_put_in_its_place() -> void:
	for row: Vector2 in [Vector2(0.1, 100), Vector2(0.1, 10000), Vector2(0.01, 100)]:
		_ground(1.0)
		var heavy := _stack(row.y, row.x)[1]
		var lowest := heavy.position.y
		for tick: int in 180:
			await steps()
			lowest = minf(lowest, heavy.position.y)
		formula("%.0f kg on 1 kg, cubes of %.2f m, put in their places: sinks by at most" % [row.y, row.x], "sizes",
			1.5 - lowest / row.x, 0.0, 0.05)
		_free_all()


func rows_load_on_a_cube_of_1_cm() -> void:
	for load: float in [5.0, 100.0]:
		_ground(1.0)
		var bodies := _stack(load, 0.01)
		await steps(300)
		var words := "%.0f kg on 1 kg, cubes of 1 cm, after 5 s" % load
		formula("%s: the lower one is in the floor by" % words, "sizes", 0.5 - bodies[0].position.y / 0.01, 0.0, 0.05)
		formula("%s: the upper one is in the lower one by" % words, "sizes",
			1.0 - (bodies[1].position.y - bodies[0].position.y) / 0.01, 0.0, 0.05)
		_free_all()


## Two heavy balls close in on a light one, at 0.5 m/s each. Nothing bounces, so their energy can only fall.
func rows_light_between_heavy() -> void:
	for load: float in [100.0, 10000.0]:
		var bodies: Array[RigidBody3D] = []
		for side: int in [-1, 0, 1]:
			bodies.append(floating(sphere(), Vector3(1.6 * side, 0, 0), {"mass": load if side != 0 else 1.0, "can_sleep": false,
				"linear_velocity": Vector3(-0.5 * side, 0, 0)}))
		var first := load * 0.25
		var lowest := first
		var gained := 0.0
		for tick: int in 150:
			await steps()
			var now := 0.0
			for body: RigidBody3D in bodies:
				now += 0.5 * body.mass * body.linear_velocity.length_squared()
			gained = maxf(gained, now - lowest)
			lowest = minf(lowest, now)
		formula("two balls of %.0f kg meet with one of 1 kg between: energy regained" % load, "%", 100.0 * gained / first, 0.0, 1.0)
		_free_all()


## 1 kg hits 1 kg that touches 1,000 kg. Nothing bounces, so all go on together.
func rows_hit_against_a_heavy_one() -> void:
	var first := floating(box(), Vector3(-2, 0, 0), {"linear_velocity": Vector3(10, 0, 0), "can_sleep": false})
	floating(box(), Vector3.ZERO, {"can_sleep": false})
	floating(box(), Vector3(1, 0, 0), {"mass": 1000.0, "can_sleep": false})
	await steps(60)
	formula("box of 1 kg at 10 m/s hits 1 kg that touches 1,000 kg: goes on at", "m/s", first.linear_velocity.x, 10.0 / 1002.0, 0.1)
