extends "res://truth/truth_scene.gd"
## The first laws: falls, impulses, collisions of two, slopes, rolling, and things that stand.

const SLOPES: Array[float] = [20.0, 26.0, 27.0, 35.0]


func rows_free_fall() -> void:
	var body := rigid(sphere(), Vector3(0, 100, 0))
	await steps(120)
	formula("free fall of 2 s: speed g t", "m/s", -body.linear_velocity.y, GRAVITY * 2.0, 0.001 * GRAVITY * 2.0)
	formula("free fall of 2 s: distance g t^2 / 2", "m", 100.0 - body.position.y, GRAVITY * 2.0)
	body.free()
	var thrown := rigid(box(), Vector3.ZERO, {"linear_velocity": Vector3(10, 10, 0)})
	await steps(120)
	formula("thrown at (10, 10) m/s: distance after 2 s", "m", thrown.position.x, 20.0)
	formula("thrown at (10, 10) m/s: height after 2 s", "m", thrown.position.y, 20.0 - GRAVITY * 2.0, 0.2)


func rows_impulses() -> void:
	var body := floating(box(Vector3(1, 2, 3)), Vector3.ZERO, {"mass": 4.0})
	await steps()
	body.apply_impulse(Vector3(8, 0, 0), Vector3(0, 0, 1))
	await steps(2)
	formula("impulse of 8 N s on 4 kg: speed J / m", "m/s", body.linear_velocity.x, 2.0)
	formula("impulse of 8 N s, 1 m off the centre: spin J r / I", "rad/s", body.angular_velocity.y, 8.0 / (4.0 * 10.0 / 12.0))
	body.free()
	var pushed := floating(box(), Vector3.ZERO, {"mass": 2.0, "constant_force": Vector3(6, 0, 0)})
	await steps(60)
	formula("force of 6 N on 2 kg for 1 s: speed F t / m", "m/s", pushed.linear_velocity.x, 3.0, 0.06)


## Head on without friction: momentum, and the speeds that restitution leaves.
func rows_two_collide() -> void:
	var lost := 0.0
	for bounce: float in [0.0, 0.5, 1.0]:
		for masses: Vector2 in [Vector2(1, 1), Vector2(1, 10), Vector2(50, 1)]:
			for name: String in ["balls", "boxes"]:
				var pair: Array[RigidBody3D] = []
				for side: int in 2:
					var shape: Shape3D = sphere() if name == "balls" else box()
					pair.append(floating(shape, Vector3(4.0 * side - 2.0, 0, 0), {"mass": masses[side], "can_sleep": false,
						"linear_velocity": Vector3(3.0 if side == 0 else -2.0, 0, 0),
						"physics_material_override": surface(0.0, bounce if side == 0 else 0.0)}))
				await steps(90)
				var momentum := 3.0 * masses.x - 2.0 * masses.y
				var together := momentum / (masses.x + masses.y)
				var words := "%s of %.0f and %.0f kg, restitution %.1f" % [name, masses.x, masses.y, bounce]
				formula("%s: the first goes on at" % words, "m/s", pair[0].linear_velocity.x,
					together - bounce * masses.y / (masses.x + masses.y) * 5.0, 0.05)
				lost = maxf(lost, absf((pair[0].linear_velocity.x * masses.x + pair[1].linear_velocity.x * masses.y) / momentum - 1.0))
				for ball: RigidBody3D in pair:
					ball.free()
	formula("any of these pairs: momentum off by at most", "%", 100.0 * lost, 0.0, 0.1)


## Friction 0.5 holds up to atan 0.5 = 26.57 degrees; over it a box slides at g (sin a - mu cos a).
func rows_slopes() -> void:
	for degrees: float in SLOPES:
		var tilt := Basis(Vector3.BACK, deg_to_rad(degrees))
		fixed(box(Vector3(200, 2, 20)), Transform3D(tilt, tilt * Vector3(0, -1, 0)), {"physics_material_override": surface(0.5)})
		var body := rigid(box(Vector3(1, 0.4, 1)), Transform3D(tilt, tilt * Vector3(0, 0.2, 0)),
			{"physics_material_override": surface(0.5), "can_sleep": false})
		await steps(60)
		var begin := body.linear_velocity.length()
		await steps(120)
		var faster := (body.linear_velocity.length() - begin) / 2.0
		var expected := maxf(GRAVITY * (sin(deg_to_rad(degrees)) - 0.5 * cos(deg_to_rad(degrees))), 0.0)
		formula("box on %.0f degrees, friction 0.5: gains speed by" % degrees, "m/s^2", faster, expected, maxf(0.01 * expected, 0.01))
		for child: Node in get_children():
			child.free()


## A solid ball rolls down at 5/7 g sin a, a cylinder at 2/3, without slipping.
func rows_rolling_down() -> void:
	var shapes: Dictionary[String, Shape3D] = {"ball": sphere(), "cylinder": cylinder(0.5, 1.0)}
	for name: String in shapes:
		var tilt := Basis(Vector3.BACK, deg_to_rad(20.0))
		fixed(box(Vector3(200, 2, 20)), Transform3D(tilt, tilt * Vector3(0, -1, 0)))
		var lying := tilt * Basis(Vector3.RIGHT, PI / 2.0)
		var body := rigid(shapes[name], Transform3D(lying, tilt * Vector3(0, 0.5, 0)), {"can_sleep": false})
		await steps(30)
		var begin := body.linear_velocity.length()
		await steps(120)
		var part := 5.0 / 7.0 if name == "ball" else 2.0 / 3.0
		formula("%s rolls down 20 degrees: gains speed by" % name, "m/s^2", (body.linear_velocity.length() - begin) / 2.0,
			part * GRAVITY * sin(deg_to_rad(20.0)))
		for child: Node in get_children():
			child.free()


## A long rod let go on its end falls like one that is held there: its top lands at sqrt(3 g l).
func rows_falling_rod() -> void:
	floor_body({"physics_material_override": surface(1.0)})
	var lean := Basis(Vector3.BACK, -0.1)
	var rod := rigid(box(Vector3(0.1, 2.0, 0.4)), Transform3D(lean, lean * Vector3(0.05, 1.0, 0) + Vector3(0, 0.01, 0)),
		{"can_sleep": false, "physics_material_override": surface(1.0)})
	var begin := rod.position.y
	var fastest := 0.0
	for tick: int in 240:
		await steps()
		if rod.position.y > 0.5:
			fastest = rod.angular_velocity.length()
			begin = rod.position.y
	# About the edge it stands on: I = m (4 + 0.01) / 3, from 0.1 rad off upright down to where its centre is now.
	var top := cos(0.1) + 0.05 * sin(0.1)
	formula("rod of 2 m tips over its edge: spin at half height", "rad/s", fastest, sqrt(2.0 * GRAVITY * (top - begin) * 3.0 / 4.01),
		0.03 * sqrt(2.0 * GRAVITY * (top - begin) * 3.0 / 4.01))


func rows_stack_of_thirty() -> void:
	floor_body()
	var boxes: Array[RigidBody3D] = []
	for number: int in 30:
		boxes.append(rigid(box(), Vector3(0, 0.5 + number, 0)))
	await steps(900)
	formula("stack of 30 boxes after 15 s: height of the top one", "m", boxes[-1].position.y, 29.5)
	least("stack of 30 boxes after 15 s: the top one is off by", "m",
		Vector2(boxes[-1].position.x, boxes[-1].position.z).length(), 0.01)


## Voussoirs of a half circle, held up by friction alone.
func rows_arch() -> void:
	floor_body({"physics_material_override": surface(1.0)})
	var stones: Array[RigidBody3D] = []
	var count := 9
	for number: int in count:
		var from := PI * number / count
		var to := PI * (number + 1) / count
		var middle := (from + to) / 2.0
		var at := Vector3(cos(middle), sin(middle), 0) * 2.5
		var points := PackedVector3Array()
		for angle: float in [from, to]:
			for radius: float in [2.0, 3.0]:
				for z: float in [-0.5, 0.5]:
					points.append(Vector3(cos(angle) * radius, sin(angle) * radius, z) - at)
		stones.append(rigid(hull(points), at, {"mass": 10.0, "physics_material_override": surface(1.0)}))
	var key := stones[count / 2]
	var begin := key.position.y
	await steps(600)
	formula("arch of nine stones: the key has sunk in 10 s by", "m", begin - key.position.y, 0.0, 0.03)
	var fastest := 0.0
	for stone: RigidBody3D in stones:
		fastest = maxf(fastest, stone.linear_velocity.length())
	formula("arch of nine stones: moves after 10 s at", "m/s", fastest, 0.0, 0.01)


## Stacks of uneven boxes that stand by statics: all above each has its centre over the inner two thirds of what it stands on.
func rows_uneven_stacks() -> void:
	var random := RandomNumberGenerator.new()
	random.seed = 9
	floor_body({"physics_material_override": surface(0.8)})
	var worst := 0.0
	var fallen := 0
	for stack: int in 20:
		var plan := _uneven_stack(random)
		var boxes: Array[RigidBody3D] = []
		for part: Dictionary in plan:
			boxes.append(rigid(box(part["size"]), part["at"], {"mass": part["mass"], "physics_material_override": surface(0.8)}))
		var drift := 0.0
		for tick: int in 300:
			await steps()
			for number: int in boxes.size():
				drift = maxf(drift, boxes[number].position.distance_to(plan[number]["at"]))
		worst = maxf(worst, drift)
		fallen += int(drift > 0.3)
		for body: RigidBody3D in boxes:
			body.free()
	formula("20 uneven stacks of 3 to 8 boxes that stand by statics: fall", "stacks", fallen, 0.0, 0.0)
	least("20 uneven stacks of 3 to 8 boxes that stand by statics: drift in 5 s", "m", worst, 0.01)


func _uneven_stack(random: RandomNumberGenerator) -> Array[Dictionary]:
	while true:
		var plan: Array[Dictionary] = []
		var top := 0.0
		var middle := Vector2.ZERO
		for number: int in random.randi_range(3, 8):
			var size := Vector3(random.randf_range(0.5, 1.2), random.randf_range(0.5, 1.2), random.randf_range(0.5, 1.2))
			if number > 0:
				middle += Vector2(random.randf_range(-0.2, 0.2), random.randf_range(-0.2, 0.2))
			plan.append({"size": size, "at": Vector3(middle.x, top + size.y / 2.0, middle.y), "mass": random.randf_range(0.5, 5.0)})
			top += size.y
		if range(1, plan.size()).all(func(number: int) -> bool: return _holds(plan, number)):
			return plan
	return []


func _holds(plan: Array[Dictionary], above: int) -> bool:
	var centre := Vector3.ZERO
	var mass := 0.0
	for part: Dictionary in plan.slice(above):
		centre += part["mass"] * part["at"]
		mass += part["mass"]
	centre /= mass
	var lower: Dictionary = plan[above - 1]
	var upper: Dictionary = plan[above]
	for axis: int in [0, 2]:
		var least_place := maxf(lower["at"][axis] - lower["size"][axis] / 2.0, upper["at"][axis] - upper["size"][axis] / 2.0)
		var most_place := minf(lower["at"][axis] + lower["size"][axis] / 2.0, upper["at"][axis] + upper["size"][axis] / 2.0)
		var margin := (most_place - least_place) / 6.0
		if centre[axis] < least_place + margin or centre[axis] > most_place - margin:
			return false
	return true
