extends "res://truth/truth_scene.gd"
## Bounces: as high as restitution says, without spin, and elastic ones keep energy. Restitutions of two bodies add up, as Godot says.

const BALLS := 100
const ROOM := 10.0
const ROW := 5
const CRADLE := 5
const STRING := 2.0


func rows_flat_bounces() -> void:
	floor_body({"physics_material_override": surface(NO_FRICTION)})
	for bounce: float in [0.3, 0.5, 0.8, 1.0]:
		for yaw: float in [0.0, 0.4]:
			var material := {"physics_material_override": surface(NO_FRICTION, bounce), "can_sleep": false}
			var body := rigid(box(), Transform3D(Basis(Vector3.UP, yaw), Vector3(0, 2.5, 0)), material)
			await _bounce(body, "box turned by %.1f" % yaw if yaw > 0.0 else "box", bounce)
		var round_body := {"physics_material_override": surface(NO_FRICTION, bounce), "can_sleep": false}
		await _bounce(rigid(sphere(), Vector3(0, 2.5, 0), round_body), "ball", bounce)


## One fall of 2 m and one rise. A tick of the fall is what an engine may find the floor too early or too late by.
func _bounce(body: RigidBody3D, name: String, bounce: float) -> void:
	await steps_until(func() -> bool: return body.linear_velocity.y > 0.0, 60)
	var spin := body.angular_velocity.length()
	var top := body.position.y
	while body.linear_velocity.y > 0.0:
		await steps()
		top = maxf(top, body.position.y)
	var speed := sqrt(2.0 * GRAVITY * 2.0)
	var words := "%s, restitution %.1f, from 2 m" % [name, bounce]
	formula("%s: spin after the bounce" % words, "rad/s", spin, 0.0, TOLERANCE * speed)
	formula("%s: rises to e^2 h" % words, "m", top - 0.5, bounce * bounce * 2.0, bounce * bounce * speed * TICK)
	body.free()


## Without gravity, so that no tick of a fall is in the speed.
func rows_speed_after_a_bounce() -> void:
	for pair: Vector2 in [Vector2(0.5, 0.0), Vector2(0.0, 0.5), Vector2(0.3, 0.4), Vector2(0.8, 0.8), Vector2(1.0, 0.0)]:
		var ground := floor_body({"physics_material_override": surface(NO_FRICTION, pair.y)})
		var shapes: Dictionary[String, Shape3D] = {"ball": sphere(), "box": box()}
		for name: String in shapes:
			var body := floating(shapes[name], Vector3(0, 1.0, 0),
				{"linear_velocity": Vector3(0, -6, 0), "physics_material_override": surface(NO_FRICTION, pair.x)})
			await steps(30)
			formula("%s of restitution %.1f on %.1f at 6 m/s: comes back at" % [name, pair.x, pair.y], "m/s",
				body.linear_velocity.y, 6.0 * minf(pair.x + pair.y, 1.0))
			body.free()
		ground.free()


func rows_elastic_gas() -> void:
	for side: int in 6:
		var way := Vector3.ZERO
		way[side >> 1] = 1.0 if side & 1 else -1.0
		fixed(box(Vector3.ONE * (ROOM + 4.0)), way * (ROOM + 2.0), {"physics_material_override": surface(NO_FRICTION)})
	var random := RandomNumberGenerator.new()
	random.seed = 3
	var balls: Array[RigidBody3D] = []
	for number: int in BALLS:
		var at := Vector3(number % 5, (number / 5) % 5, number / 25) * 1.9 - Vector3(3.8, 3.8, 2.85)
		var way := Vector3(random.randfn(), random.randfn(), random.randfn()).normalized()
		balls.append(floating(sphere(0.4), at, {"linear_velocity": way * 5.0, "can_sleep": false,
			"physics_material_override": surface(NO_FRICTION, 1.0)}))
	var energy := func() -> float: return balls.reduce(func(sum: float, ball: RigidBody3D) -> float: return sum + kinetic_energy(ball), 0.0)
	await steps()
	var begin: float = energy.call()
	var most := begin
	for second: int in 60:
		await steps(60)
		most = maxf(most, energy.call())
	formula("100 elastic balls in a box, 60 s: energy kept", "%", 100.0 * energy.call() / begin, 100.0)
	formula("100 elastic balls in a box, 60 s: most energy", "%", 100.0 * most / begin, 100.0)
	var outside := balls.filter(func(ball: RigidBody3D) -> bool: return ball.position.abs()[ball.position.abs().max_axis_index()] > ROOM / 2.0)
	formula("100 elastic balls in a box, 60 s: outside", "balls", outside.size(), 0.0, 0.0)


## A ball against a row of four: each passes its speed on.
func rows_row_of_balls() -> void:
	for gap: float in [0.1, 0.0]:
		var balls: Array[RigidBody3D] = []
		for number: int in ROW:
			balls.append(floating(sphere(), Vector3((1.0 + gap) * number - (1.0 if number == 0 else 0.0), 0, 0),
				{"physics_material_override": surface(NO_FRICTION, 1.0), "can_sleep": false}))
		balls[0].linear_velocity = Vector3(2, 0, 0)
		await steps(120)
		var energy := 0.0
		for ball: RigidBody3D in balls:
			energy += ball.linear_velocity.length_squared() / 4.0
		var words := "ball at 2 m/s against four, gaps of %.1f m" % gap
		formula("%s: the last one leaves at" % words, "m/s", balls[-1].linear_velocity.x, 2.0)
		formula("%s: the first goes on at" % words, "m/s", balls[0].linear_velocity.x, 0.0, 0.02)
		formula("%s: energy kept" % words, "%", 100.0 * energy, 100.0)
		for ball: RigidBody3D in balls:
			ball.free()


## Balls on pins, side by side; the first is let go from the height of 0.2 m. Energy with that of the place, from the lowest one.
func rows_newtons_cradle() -> void:
	var balls: Array[RigidBody3D] = []
	for number: int in CRADLE:
		var top := Vector3(1.0 * number, 5, 0)
		var angle := -acos(1.0 - 0.2 / STRING) if number == 0 else 0.0
		var turned := Basis(Vector3.BACK, angle)
		var ball := rigid(sphere(), Transform3D(turned, top + turned * Vector3.DOWN * STRING),
			{"physics_material_override": surface(NO_FRICTION, 1.0), "can_sleep": false})
		var pin := PinJoint3D.new()
		pin.position = top
		add_child(pin)
		pin.node_a = pin.get_path_to(ball)
		balls.append(ball)
	var energy := func() -> float:
		return balls.reduce(func(sum: float, ball: RigidBody3D) -> float:
			return sum + kinetic_energy(ball) + GRAVITY * (ball.position.y - 3.0), 0.0)
	var begin := GRAVITY * 0.2
	# A ball of radius 0.5 on a string of 2 m that turns along: energy in its spin is a part r^2 of 2/5 to L^2.
	var expected := sqrt(2.0 * GRAVITY * 0.2 / (1.0 + 0.4 * 0.25 / (STRING * STRING)))
	var fastest := 0.0
	for tick: int in 90:
		await steps()
		fastest = maxf(fastest, balls[-1].linear_velocity.x)
	formula("Newton's cradle of 5: the last one leaves at", "m/s", fastest, expected)
	formula("Newton's cradle of 5, after 1.5 s: energy kept", "%", 100.0 * energy.call() / begin, 100.0)
	await steps(510)
	formula("Newton's cradle of 5, after 10 s: energy kept", "%", 100.0 * energy.call() / begin, 100.0)
