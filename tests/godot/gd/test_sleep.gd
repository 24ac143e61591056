extends "res://gd/physics_test.gd"
## Falling asleep and waking up.


func _resting_box(properties: Dictionary = {}) -> RigidBody3D:
	return rigid(box(), Vector3(0, 0.5, 0), properties)


func test_resting_body_falls_asleep_and_says_so() -> void:
	floor_body()
	var body := _resting_box()
	var changes: Array[bool] = []
	body.sleeping_state_changed.connect(func() -> void: changes.append(body.sleeping))
	await steps_until(func() -> bool: return body.sleeping, 300)
	check(body.sleeping, "asleep within 5 s")
	await steps(5)
	check_equal(changes, [true] as Array[bool], "states that were signalled")
	check_near(body.position.y, 0.5, 0.02, "height")


## The default time before sleep is half a second.
func test_body_does_not_sleep_before_its_time() -> void:
	floor_body()
	var body := _resting_box()
	await steps(25)
	check(not body.sleeping, "still awake after 0.4 s")


func test_body_that_may_not_sleep_stays_awake() -> void:
	floor_body()
	var body := _resting_box({"can_sleep": false})
	await steps(300)
	check(not body.sleeping, "awake after 5 s")
	check(PhysicsServer3D.body_get_state(body.get_rid(), PhysicsServer3D.BODY_STATE_CAN_SLEEP) == false, "can_sleep")


func test_moving_body_does_not_sleep() -> void:
	var body := floating(sphere(), Vector3.ZERO, {"linear_velocity": Vector3(0.5, 0, 0)})
	await steps(180)
	check(not body.sleeping, "0.5 m/s is above the threshold of 0.1 m/s")


func _asleep_box() -> RigidBody3D:
	floor_body()
	var body := _resting_box()
	await steps_until(func() -> bool: return body.sleeping, 300)
	return body


func test_impulse_wakes() -> void:
	var body: RigidBody3D = await _asleep_box()
	body.apply_central_impulse(Vector3(0, 3, 0))
	await steps(2)
	check(not body.sleeping, "awake")
	check(body.position.y > 0.55, "it jumps")


func test_velocity_wakes() -> void:
	var body: RigidBody3D = await _asleep_box()
	body.linear_velocity = Vector3(0, 3, 0)
	await steps(3)
	check(body.position.y > 0.55, "it jumps")


func test_force_wakes() -> void:
	var body: RigidBody3D = await _asleep_box()
	for step: int in 10:
		body.apply_central_force(Vector3(0, 30, 0))
		await steps()
	check(body.position.y > 0.55, "it rises")


func test_another_body_wakes_it() -> void:
	var body: RigidBody3D = await _asleep_box()
	rigid(sphere(), Vector3(-1.5, 0.5, 0), {"linear_velocity": Vector3(6, 0, 0), "mass": 3.0})
	await steps(30)
	check(body.position.x > 0.1, "it is pushed")


func test_teleport_wakes() -> void:
	var body: RigidBody3D = await _asleep_box()
	body.position = Vector3(0, 5, 0)
	await steps(30)
	check(body.position.y < 4.5, "it falls from its new place")


func test_set_sleeping_holds_a_body_in_the_air() -> void:
	var body := rigid(sphere(), Vector3(0, 10, 0))
	await steps(1)
	body.sleeping = true
	await steps(3)
	var height := body.position.y
	await steps(30)
	check_near(body.position.y, height, 1e-4, "height while asleep")
	body.sleeping = false
	await steps(30)
	check(body.position.y < height - 0.5, "awake, it falls")


func test_a_body_that_starts_asleep_stays_so() -> void:
	var body := rigid(sphere(), Vector3(0, 10, 0), {"sleeping": true})
	await steps(60)
	check_near(body.position.y, 10.0, 1e-4, "height")
	check(body.sleeping, "asleep")


func test_stack_sleeps_as_one_and_wakes_as_one() -> void:
	var slippery := {"physics_material_override": surface(0.1)}
	floor_body(slippery)
	var bodies: Array[RigidBody3D] = []
	for level: int in 3:
		bodies.append(rigid(box(), Vector3(0, 0.5 + level, 0), slippery))
	await steps_until(func() -> bool: return bodies[0].sleeping and bodies[1].sleeping and bodies[2].sleeping, 600)
	for level: int in 3:
		check(bodies[level].sleeping, "box %d asleep" % level)
	bodies[0].linear_velocity = Vector3(8, 0, 0)
	await steps(60)
	check(bodies[2].position.y < 2.4, "without its support the top comes down")


func test_pulling_out_a_moving_support_wakes() -> void:
	floor_body()
	var support := rigid(box(), Vector3(0, 0.5, 0))
	var top := rigid(box(), Vector3(0, 1.5, 0))
	await steps_until(func() -> bool: return top.sleeping and support.sleeping, 600)
	support.position = Vector3(20, 0.5, 0)
	await steps(60)
	check_near(top.position.y, 0.5, 0.05, "the top falls when the box beneath it is taken away")


func test_freeing_the_support_wakes() -> void:
	floor_body()
	var support := rigid(box(), Vector3(0, 0.5, 0))
	var top := rigid(box(), Vector3(0, 1.5, 0))
	await steps_until(func() -> bool: return top.sleeping and support.sleeping, 600)
	support.free()
	await steps(60)
	check_near(top.position.y, 0.5, 0.05, "the top falls when the box beneath it is gone")


func test_freeing_the_ground_wakes() -> void:
	var ground := fixed(box(Vector3(4, 1, 4)), Vector3(0, -0.5, 0))
	var body := _resting_box()
	await steps_until(func() -> bool: return body.sleeping, 300)
	ground.free()
	await steps(60)
	check(body.position.y < 0.0, "it falls when the ground is gone")
