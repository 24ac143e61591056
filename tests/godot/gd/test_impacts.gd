extends "res://gd/physics_test.gd"
## Impacts as mechanics has them: what lands does not jump, what bounces gets no spin, overlap goes without a bang.

const THROWS: Array[Vector3] = [Vector3(2, -4, 0), Vector3(8, -10, 0), Vector3(12, -6, 0)]


func test_a_box_that_lands_moving_sideways_does_not_jump() -> void:
	var ground := floor_body()
	ground.physics_material_override = surface(0.5, 0.0)
	var boxes: Array[RigidBody3D] = []
	for number: int in THROWS.size():
		var body := rigid(box(), Vector3(0, 0.6, 6.0 * number),
			{"physics_material_override": surface(0.5, 0.0), "can_sleep": false})
		body.linear_velocity = THROWS[number]
		boxes.append(body)
	var fastest := 0.0
	var highest := 0.0
	for tick: int in 90:
		await steps()
		for body: RigidBody3D in boxes:
			fastest = maxf(fastest, body.linear_velocity.y)
			highest = maxf(highest, body.position.y if tick > 8 else 0.0)
	check_between(fastest, -0.1, 0.1, "leaves the floor at [m/s]")
	check_between(highest, 0.4, 0.51, "highest centre [m]")


func test_a_flat_bounce_gives_no_spin() -> void:
	var ground := floor_body()
	ground.physics_material_override = surface(0.0, 0.8)
	var body := rigid(box(), Vector3(0, 2.5, 0), {"physics_material_override": surface(0.0, 0.0), "can_sleep": false,
		"linear_damp_mode": RigidBody3D.DAMP_MODE_REPLACE})
	var spin := 0.0
	var highest := 0.0
	var has_bounced := false
	for tick: int in 120:
		await steps()
		spin = maxf(spin, body.angular_velocity.length())
		has_bounced = has_bounced or body.linear_velocity.y > 0.1
		if has_bounced:
			highest = maxf(highest, body.position.y - 0.5)
	check_between(spin, 0.0, 0.02, "spin [rad/s]")
	check_between(highest, 1.26, 1.30, "comes back to 0.64 times 2 m")


func test_bodies_made_at_one_place_come_apart_without_a_bang() -> void:
	floor_body()
	var boxes: Array[RigidBody3D] = []
	for number: int in 20:
		boxes.append(rigid(box(), Vector3(0, 1, 0), {"can_sleep": false}))
	var fastest := 0.0
	for tick: int in 180:
		await steps()
		for body: RigidBody3D in boxes:
			fastest = maxf(fastest, body.linear_velocity.length())
	check_between(fastest, 0.0, 8.0, "fastest [m/s]")
