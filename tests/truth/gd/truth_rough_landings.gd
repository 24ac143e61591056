extends "res://truth/truth_scene.gd"
## Bodies of restitution 0 that land beside a centre, on a light one, with speed sideways, or in a heap: nothing lifts them.

## A body of the heap: kind, half sizes [m], rotation, place [m], mass [kg], inertia about its axes [kg m^2].
const HEAP: Array[Dictionary] = [
	{"kind": "box", "half": Vector3(0.423098, 0.347232, 0.285977), "turn": Quaternion(0.015387, -0.669161, -0.720005, -0.183246),
		"at": Vector3(-0.295151, 1.2, 0.124975), "mass": 1.78324, "inertia": Vector3(0.120281, 0.155020, 0.178076)},
	{"kind": "cylinder", "half": Vector3(0.599105, 0.532938, 0.0), "turn": Quaternion(0.886908, 0.013727, 0.456280, 0.070812),
		"at": Vector3(-0.045651, 3.1, 0.080404), "mass": 22.68442, "inertia": Vector3(4.183150, 4.071029, 4.183150)},
	{"kind": "cylinder", "half": Vector3(0.567910, 0.525970, 0.0), "turn": Quaternion(-0.532828, 0.472478, -0.507191, -0.485403),
		"at": Vector3(0.589279, 5.0, 0.078923), "mass": 5.13497, "inertia": Vector3(0.887554, 0.828070, 0.887554)},
]


func _ground(friction: float) -> void:
	fixed(plane(), Vector3.ZERO, {"physics_material_override": surface(friction)})


func _free_all() -> void:
	for child: Node in get_children():
		child.free()


## How high the upper body rises again above its place, 1.5 m, after it has met the lower one [m].
func _rise(body: RigidBody3D, ticks: int) -> float:
	var highest := 0.0
	var has_met := false
	for tick: int in ticks:
		await steps()
		has_met = has_met or body.position.y < 1.505
		if has_met and body.linear_velocity.y > 0.0:
			highest = maxf(highest, body.position.y - 1.5)
	return highest


func rows_beside_the_centre() -> void:
	_ground(1.0)
	rigid(box(), Vector3(0, 0.5, 0), {"can_sleep": false})
	var upper := rigid(box(), Vector3(0.05, 11.5, 0), {"can_sleep": false})
	formula("box from 10 m, 5 cm beside the centre of an equal one: rises again by", "m", await _rise(upper, 240), 0.0, 0.015)


func rows_on_a_cylinder() -> void:
	_ground(1.0)
	rigid(cylinder(0.5, 1.0), Vector3(0, 0.5, 0), {"can_sleep": false})
	var upper := rigid(box(), Vector3(0.05, 2.0, 0), {"mass": 10.0, "can_sleep": false})
	formula("box of 10 kg from 0.5 m on a cylinder of 1 kg, 5 cm beside its centre: rises again by", "m", await _rise(upper, 150),
		0.0, 0.015)


## The energy of both falls at the impact and does not grow again. It is told as a part of what the fall brought.
func rows_load_lands_on_1_kg() -> void:
	for row: Vector2 in [Vector2(100, 0.3), Vector2(1000, 1.0), Vector2(10000, 0.1)]:
		_ground(1.0)
		var bodies: Array[RigidBody3D] = [rigid(box(), Vector3(0, 0.5, 0), {"can_sleep": false}),
			rigid(box(), Vector3(0, 1.5 + row.y, 0), {"mass": row.x, "can_sleep": false})]
		var lowest := INF
		var gained := 0.0
		var deepest := 0.0
		for tick: int in 150:
			await steps()
			var now := 0.0
			for body: RigidBody3D in bodies:
				now += body.mass * (0.5 * body.linear_velocity.length_squared() + GRAVITY * body.position.y)
			lowest = minf(lowest, now)
			gained = maxf(gained, now - lowest)
			deepest = maxf(deepest, 1.5 - bodies[1].position.y)
		var words := "%.0f kg from %.1f m on 1 kg" % [row.x, row.y]
		formula("%s: energy regained, of the fall's" % words, "%", 100.0 * gained / (row.x * GRAVITY * row.y), 0.0, 5.0)
		least("%s: sinks by at most" % words, "m", deepest, 0.01)
		_free_all()


## The impact takes mu v_n, and the rest is gone after v^2 / (2 mu g). The force goes through the foot, so nothing tilts.
func rows_lands_sideways() -> void:
	await _slide("cylinder", cylinder(0.5, 1.0), 0.9, 6.0, 0.3)
	await _slide("prism", frustum(6, 0.5, 0.5, 1.0), 0.6, 8.0, 1.0)
	await _slide("prism", frustum(6, 0.5, 0.5, 1.0), 0.9, 6.0, 0.3)


func _slide(name: String, shape: Shape3D, friction: float, speed: float, fall: float) -> void:
	_ground(friction)
	var body := rigid(shape, Vector3(0, 0.5 + fall, 0), {"can_sleep": false, "linear_velocity": Vector3(speed, 0, 0),
		"physics_material_override": surface(friction)})
	var highest := 0.0
	var has_met := false
	for tick: int in 240:
		await steps()
		has_met = has_met or body.position.y < 0.505
		if has_met:
			highest = maxf(highest, body.position.y - 0.5)
	var left := maxf(speed - friction * sqrt(2.0 * GRAVITY * fall), 0.0)
	var words := "%s lands at %.0f m/s sideways from %.1f m, friction %.1f" % [name, speed, fall, friction]
	formula("%s: rises by" % words, "m", highest, 0.0, 0.02)
	var way := speed * sqrt(2.0 * fall / GRAVITY) + left * left / (2.0 * friction * GRAVITY)
	formula("%s: gets as far as" % words, "m", body.position.x, way, 0.03 * way)
	_free_all()


## Three bodies fall, turned, into a bin 5 m wide. Their energy never grows, and they come to rest.
func rows_heap_in_a_bin() -> void:
	_ground(0.87606)
	for side: float in [-3.0, 3.0]:
		fixed(box(Vector3(1, 60, 8)), Vector3(side, 30, 0))
		fixed(box(Vector3(8, 60, 1)), Vector3(0, 30, side))
	var bodies: Array[RigidBody3D] = []
	for given: Dictionary in HEAP:
		var half: Vector3 = given["half"]
		var shape: Shape3D = box(2.0 * half) if given["kind"] == "box" else cylinder(half.x, 2.0 * half.y)
		bodies.append(rigid(shape, Transform3D(Basis(given["turn"].normalized()), given["at"]),
			{"mass": given["mass"], "inertia": given["inertia"], "angular_damp": 0.5}))
	var energy := func() -> float: return bodies.reduce(func(sum: float, body: RigidBody3D) -> float:
		return sum + kinetic_energy(body) + body.mass * GRAVITY * body.position.y, 0.0)
	var first: float = energy.call()
	var lowest := first
	var gained := 0.0
	var ticks := 0
	while ticks < 1200 and not bodies.all(func(body: RigidBody3D) -> bool: return body.sleeping):
		await steps()
		ticks += 1
		gained = maxf(gained, energy.call() - lowest)
		lowest = minf(lowest, energy.call())
	formula("a box and two cylinders fall into a bin: energy regained in a fall", "%", 100.0 * gained / first, 0.0, 1.0)
	least("a box and two cylinders fall into a bin: all asleep after", "s", ticks * TICK, 1.0, 1.25)
