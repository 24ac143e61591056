extends "res://gd/physics_test.gd"
## Collision layers, masks, exceptions. A body is pushed by another only if its own mask has the other's layer.


func _falls_through(body_layer: int, body_mask: int, floor_layer: int, floor_mask: int) -> bool:
	var ground := floor_body({"collision_layer": floor_layer, "collision_mask": floor_mask})
	var body := rigid(box(), Vector3(0, 0.6, 0), {"collision_layer": body_layer, "collision_mask": body_mask})
	await steps(60)
	var fell := body.position.y < -0.5
	body.free()
	ground.free()
	return fell


func test_layer_in_the_mask_holds() -> void:
	check(not await _falls_through(1, 1, 1, 1), "default layers")
	check(not await _falls_through(2, 4, 4, 2), "each sees the other")


func test_other_layers_pass() -> void:
	check(await _falls_through(1, 1, 2, 2), "neither sees the other")


func test_body_that_sees_the_floor_is_held() -> void:
	check(not await _falls_through(1, 2, 2, 0), "the body's mask has the floor's layer")


func test_body_that_does_not_see_the_floor_falls() -> void:
	check(await _falls_through(1, 0, 2, 1), "only the floor's mask has the body's layer")


## Bit n of the layer against bit n of the mask, and against every other bit.
func test_all_32_layers_are_told_apart() -> void:
	var held: Array[RigidBody3D] = []
	var through: Array[RigidBody3D] = []
	for bit: int in 32:
		fixed(box(), Vector3(2.0 * bit, -0.5, 0), {"collision_layer": 1 << bit, "collision_mask": 0})
		fixed(box(), Vector3(2.0 * bit, -0.5, 5), {"collision_layer": 1 << bit, "collision_mask": 0})
		held.append(rigid(sphere(0.4), Vector3(2.0 * bit, 0.6, 0), {"collision_layer": 0, "collision_mask": 1 << bit}))
		through.append(rigid(sphere(0.4), Vector3(2.0 * bit, 0.6, 5), {
			"collision_layer": 0, "collision_mask": 0xFFFFFFFF & ~(1 << bit)}))
	await steps(60)
	for bit: int in 32:
		check_near(held[bit].position.y, 0.4, 0.025, "layer %d is held" % (bit + 1))
		check(through[bit].position.y < -1.0, "layer %d is passed by all other masks" % (bit + 1))


## The one that sees is pushed as by a wall that moves; the other goes on as if alone.
func test_one_sided_pair_pushes_only_the_one_that_sees() -> void:
	var seeing := floating(sphere(), Vector3(0, 0, 0), {"collision_layer": 1, "collision_mask": 2, "mass": 100.0})
	var blind := floating(sphere(), Vector3(-3, 0, 0), {"collision_layer": 2, "collision_mask": 0, "mass": 1.0,
		"linear_velocity": Vector3(3, 0, 0)})
	await steps(90)
	check_near(blind.linear_velocity, Vector3(3, 0, 0), 1e-3, "the blind one keeps its velocity")
	check_near(seeing.linear_velocity.x, 3.0, 0.1, "the seeing one, though heavy, is pushed to that velocity")


func test_one_sided_pair_that_rests() -> void:
	floor_body({"collision_layer": 4})
	var below := rigid(box(), Vector3(0, 0.5, 0), {"collision_layer": 1, "collision_mask": 4, "mass": 1.0})
	var above := rigid(box(), Vector3(0, 1.5, 0), {"collision_layer": 2, "collision_mask": 1, "mass": 50.0})
	await steps(120)
	check_near(below.position.y, 0.5, 0.01, "the lower box does not feel the weight")
	check_near(above.position.y, 1.5, 0.03, "the upper box rests on it")


func test_layer_changed_while_in_touch() -> void:
	floor_body()
	var body := rigid(box(), Vector3(0, 0.5, 0), {"can_sleep": false})
	await steps(60)
	body.collision_mask = 2
	await steps(30)
	check(body.position.y < 0.0, "it falls through once its mask lacks the floor")


func test_mask_changed_in_the_air_holds() -> void:
	floor_body()
	var body := rigid(box(), Vector3(0, 2, 0), {"collision_mask": 0})
	await steps(5)
	body.collision_mask = 1
	await steps(90)
	check_near(body.position.y, 0.5, 0.025, "height")


func test_layer_of_the_floor_changed_while_a_body_sleeps() -> void:
	var ground := floor_body()
	var body := rigid(box(), Vector3(0, 0.5, 0))
	await steps_until(func() -> bool: return body.sleeping, 300)
	ground.collision_layer = 2
	body.sleeping = false
	await steps(30)
	check(body.position.y < 0.0, "it falls")


func test_collision_exception_lets_pass() -> void:
	var ground := floor_body()
	var body := rigid(box(), Vector3(0, 0.6, 0))
	body.add_collision_exception_with(ground)
	await steps(60)
	check(body.position.y < -0.5, "it falls through")
	check_equal(body.get_collision_exceptions(), [ground] as Array[PhysicsBody3D], "list")


func test_collision_exception_of_the_other_side_counts() -> void:
	var ground := floor_body()
	var body := rigid(box(), Vector3(0, 0.6, 0))
	ground.add_collision_exception_with(body)
	await steps(60)
	check(body.position.y < -0.5, "it falls through")


func test_removed_collision_exception_holds_again() -> void:
	var ground := floor_body()
	var body := rigid(box(), Vector3(0, 3, 0))
	body.add_collision_exception_with(ground)
	await steps(10)
	body.remove_collision_exception_with(ground)
	await steps(90)
	check_near(body.position.y, 0.5, 0.025, "height")
	check(body.get_collision_exceptions().is_empty(), "list")


func test_exception_of_two_rigid_bodies() -> void:
	var left := floating(sphere(), Vector3(-2, 0, 0), {"linear_velocity": Vector3(4, 0, 0)})
	var right := floating(sphere())
	left.add_collision_exception_with(right)
	await steps(60)
	check_near(left.linear_velocity, Vector3(4, 0, 0), 1e-3, "passes")
	check_near(right.position, Vector3.ZERO, 1e-4, "is not touched")


func test_disabled_shape_lets_pass() -> void:
	var ground := floor_body()
	var body := rigid(box(), Vector3(0, 0.5, 0), {"can_sleep": false})
	await steps(30)
	(ground.get_child(0) as CollisionShape3D).disabled = true
	await steps(40)
	check(body.position.y < -0.5, "it falls through the disabled shape")


func test_enabled_again_a_shape_holds() -> void:
	var ground := floor_body()
	(ground.get_child(0) as CollisionShape3D).disabled = true
	var body := rigid(box(), Vector3(0, 3, 0))
	await steps(10)
	(ground.get_child(0) as CollisionShape3D).disabled = false
	await steps(90)
	check_near(body.position.y, 0.5, 0.025, "height")


func test_rays_use_the_layer_of_the_body() -> void:
	for bit: int in [0, 1, 15, 31]:
		var body := fixed(box(), Vector3(3.0 * bit, 0, 0), {"collision_layer": 1 << bit, "collision_mask": 0})
		var from := Vector3(3.0 * bit, 5, 0)
		var to := Vector3(3.0 * bit, -5, 0)
		check_equal(ray(from, to, {"collision_mask": 1 << bit}).get("collider"), body, "mask of layer %d" % (bit + 1))
		check(ray(from, to, {"collision_mask": 0xFFFFFFFF & ~(1 << bit)}).is_empty(), "mask without layer %d" % (bit + 1))


func test_server_keeps_layer_mask_and_priority() -> void:
	var body := server_body(PhysicsServer3D.BODY_MODE_RIGID, server_box())
	PhysicsServer3D.body_set_collision_layer(body, 0x80000001)
	PhysicsServer3D.body_set_collision_mask(body, 0xF000000F)
	PhysicsServer3D.body_set_collision_priority(body, 2.5)
	check_equal(PhysicsServer3D.body_get_collision_layer(body), 0x80000001, "layer")
	check_equal(PhysicsServer3D.body_get_collision_mask(body), 0xF000000F, "mask")
	check_near(PhysicsServer3D.body_get_collision_priority(body), 2.5, 1e-6, "priority")
