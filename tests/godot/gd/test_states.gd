extends "res://gd/physics_test.gd"
## A space that a game steps, saves and restores itself.


func _space() -> RID:
	return get_world_3d().space


func _server(name: String, arguments: Array = []) -> Variant:
	return PhysicsServer3D.callv("call", [name, _space()] + arguments)


func _step(count: int) -> Array:
	var hashes: Array = []
	for _k: int in count:
		check_equal(_server("space_step", [TICK]), true, "the step is done")
		hashes.append(_server("space_hash"))
	return hashes


func _heap() -> Array:
	fixed(box(Vector3(20, 2, 20)), Vector3(0, -1, 0))
	var bodies: Array = []
	for height: int in 8:
		bodies.append(rigid(box(), Vector3(0.1 * height, 0.6 + 1.1 * height, 0)))
	bodies.append(rigid(sphere(0.3), Vector3(5, 20, 0)))
	return bodies


func test_a_space_goes_on_as_before_when_it_is_restored() -> void:
	var bodies := _heap()
	await steps(20)
	PhysicsServer3D.space_set_active(_space(), false)
	var state: PackedByteArray = _server("space_save")
	check(state.size() > 1000, "the state has bytes")
	var ball: Node3D = bodies[8]
	var place := ball.global_position
	var first := _step(60)
	check_equal(_server("space_flush"), true, "the flush is done")
	check(ball.global_position.distance_to(place) > 2.0, "the node of the falling ball followed")
	check_equal(_server("space_restore", [state]), true, "the restore is done")
	check_equal(_server("space_flush"), true, "the flush is done")
	check_near(ball.global_position, place, 1e-5, "its node is back")
	check_equal(_step(60), first, "the hashes of 60 steps")
	PhysicsServer3D.space_set_active(_space(), true)


func test_steps_by_hand_are_those_of_godot() -> void:
	_heap()
	await steps(5)
	var state: PackedByteArray = _server("space_save")
	var hashes: Array = []
	for _k: int in 30:
		await steps(1)
		hashes.append(_server("space_hash"))
	PhysicsServer3D.space_set_active(_space(), false)
	check_equal(_server("space_restore", [state]), true, "the restore is done")
	var again := _step(30)
	for k: int in 30:
		if again[k] != hashes[k]:
			check(false, "step %d differs" % k)
			break
	PhysicsServer3D.space_set_active(_space(), true)


func test_areas_are_told_of_steps_by_hand() -> void:
	var area := Area3D.new()
	var shape := CollisionShape3D.new()
	shape.shape = box(Vector3(4, 1, 4))
	area.add_child(shape)
	add_child(area)
	var entered: Array = []
	area.body_entered.connect(func(body: Node3D) -> void: entered.append(body))
	var ball := rigid(sphere(0.3), Vector3(0, 3, 0))
	await steps(2)
	PhysicsServer3D.space_set_active(_space(), false)
	for _k: int in 50:
		_server("space_step", [TICK])
		_server("space_flush")
	check_equal(entered, [ball], "bodies that entered")
	PhysicsServer3D.space_set_active(_space(), true)
