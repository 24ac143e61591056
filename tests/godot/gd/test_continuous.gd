extends "res://gd/joint_test.gd"
## Continuous collision of what moves: walls that give way, bodies that fly at each other, rag dolls on triangles.

const BALLS := 20


## Balls of 1 kg at a free wall of 1,000 kg, 4 x 4 m and 10 cm thick, and how many end behind it. All comes to rest in the wall:
## its speed follows from the momentum.
func _shoot_at_wall(speed: float) -> void:
	var wall := floating(box(Vector3(0.1, 4, 4)), Vector3.ZERO, {"mass": 1000.0, "continuous_cd": true})
	var balls: Array[RigidBody3D] = []
	for k: int in BALLS:
		var at := Vector3(-3.0 - 0.15 * k, (k % 5 - 2) * 0.3, (k / 5 - 1.5) * 0.3)
		balls.append(floating(sphere(0.05), at,
			{"mass": 1.0, "continuous_cd": true, "linear_velocity": Vector3(speed, 0, 0), "can_sleep": false}))
	await steps(40)
	var momentum := 1000.0 * wall.linear_velocity.x
	var passed := 0
	for ball: RigidBody3D in balls:
		momentum += ball.linear_velocity.x
		passed += 1 if wall.to_local(ball.position).x > 0.0 else 0
	check_equal(passed, 0, "balls behind the wall at %s m/s" % speed)
	check_near(momentum, BALLS * speed, 0.01 * BALLS * speed, "momentum at %s m/s" % speed)
	for ball: RigidBody3D in balls:
		ball.free()
	wall.free()


func test_fast_balls_do_not_pass_a_wall_that_moves() -> void:
	for speed: float in [100.0, 200.0, 300.0, 500.0]:
		await _shoot_at_wall(speed)


func test_two_fast_balls_meet() -> void:
	for k: int in 20:
		var apart := 5.0 + 0.385 * k
		var left := floating(sphere(0.05), Vector3(-apart, 0, 0), {"continuous_cd": true, "linear_velocity": Vector3(500, 0, 0)})
		var right := floating(sphere(0.05), Vector3(apart, 0, 0), {"continuous_cd": true, "linear_velocity": Vector3(-500, 0, 0)})
		await steps(6)
		check(left.position.x < right.position.x, "%s m apart: %s and %s" % [2.0 * apart, left.position.x, right.position.x])
		check_near(left.linear_velocity.x + right.linear_velocity.x, 0.0, 1e-2, "momentum")
		left.free()
		right.free()


## Two elastic balls change velocities.
func test_two_fast_elastic_balls_bounce() -> void:
	var settings := {"continuous_cd": true, "physics_material_override": surface(0.0, 1.0)}
	var left := floating(sphere(0.05), Vector3(-7, 0, 0), settings.merged({"linear_velocity": Vector3(300, 0, 0)}))
	var right := floating(sphere(0.05), Vector3(7, 0, 0), settings.merged({"linear_velocity": Vector3(-200, 0, 0)}))
	await steps(6)
	check_near(left.linear_velocity.x, -200.0, 2.0, "the left one's velocity")
	check_near(right.linear_velocity.x, 300.0, 3.0, "the right one's velocity")


## A torso, a head, arms and legs of two capsules each, on joints. Gives the bodies, the torso first.
func _doll(at: Vector3, velocity: Vector3) -> Array[RigidBody3D]:
	var bodies: Array[RigidBody3D] = []
	var limb := func(shape: Shape3D, place: Vector3, mass: float, basis: Basis = Basis.IDENTITY) -> RigidBody3D:
		bodies.append(rigid(shape, Transform3D(basis, at + place),
			{"mass": mass, "linear_velocity": velocity, "continuous_cd": true}))
		return bodies[-1]
	var ball := func(a: RigidBody3D, b: RigidBody3D, place: Vector3) -> void:
		join(ConeTwistJoint3D.new(), a, b, at + place, {"swing_span": 1.2, "twist_span": 0.5})
	var torso: RigidBody3D = limb.call(capsule(0.15, 0.6), Vector3.ZERO, 30.0)
	ball.call(torso, limb.call(sphere(0.12), Vector3(0, 0.45, 0), 5.0), Vector3(0, 0.31, 0))
	for side: float in [-1.0, 1.0]:
		var across := Basis(Vector3.FORWARD, PI / 2.0)
		var upper: RigidBody3D = limb.call(capsule(0.06, 0.32), Vector3(side * 0.34, 0.22, 0), 2.5, across)
		var lower: RigidBody3D = limb.call(capsule(0.05, 0.3), Vector3(side * 0.66, 0.22, 0), 1.5, across)
		ball.call(torso, upper, Vector3(side * 0.18, 0.22, 0))
		ball.call(upper, lower, Vector3(side * 0.5, 0.22, 0))
		var thigh: RigidBody3D = limb.call(capsule(0.08, 0.42), Vector3(side * 0.1, -0.55, 0), 8.0)
		var shin: RigidBody3D = limb.call(capsule(0.07, 0.4), Vector3(side * 0.1, -1.0, 0), 4.0)
		ball.call(torso, thigh, Vector3(side * 0.1, -0.33, 0))
		ball.call(thigh, shin, Vector3(side * 0.1, -0.77, 0))
	return bodies


func _center(bodies: Array[RigidBody3D], moves: bool) -> Vector3:
	var sum := Vector3.ZERO
	var mass := 0.0
	for body: RigidBody3D in bodies:
		sum += body.mass * (body.linear_velocity if moves else body.position)
		mass += body.mass
	return sum / mass


## Nothing of a doll that is thrown onto triangles is below them at any time, and it does not hang: its centre of mass moves as
## its velocities say.
func test_a_thrown_rag_doll_lands_on_triangles() -> void:
	fixed(mesh_floor(80, 1.0))
	for speed: float in [5.0, 15.0, 30.0, 60.0]:
		for turn: int in 3:
			var velocity := Vector3(0.5, -1.0, 0.2).rotated(Vector3.UP, turn * 2.0).normalized() * speed
			var bodies := _doll(Vector3(0.3 * turn, 3.0, 0.2), velocity)
			var lowest := 9.0
			var hung := 0
			var longest := 0
			for tick: int in 90:
				var before := _center(bodies, false)
				await steps(1)
				var way := (_center(bodies, false) - before).length()
				var expected := _center(bodies, true).length() * TICK
				hung = hung + 1 if expected > 0.01 and way < 0.5 * expected else 0
				longest = maxi(longest, hung)
				for body: RigidBody3D in bodies:
					lowest = minf(lowest, body.position.y)
			check(lowest > 0.0, "at %s m/s, turned %d: the lowest was at %s m" % [speed, turn, lowest])
			check(longest <= 6, "at %s m/s, turned %d: it hung for %d ticks" % [speed, turn, longest])
			for body: RigidBody3D in bodies:
				body.free()
			await steps(1)
