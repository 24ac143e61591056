extends "res://gd/physics_test.gd"
## ScreeCharacter3D: stairs, slopes, moving platforms, walls, pushes, gravity of its own; and the calls that GDScript may make.

const CHARACTER := "res://addons/scree/nodes/scree_character_3d.gd"
const RADIUS := 0.3
const HEIGHT := 1.8


class Walker extends "res://addons/scree/nodes/scree_character_3d.gd":
	var wanted := Vector3.ZERO
	var ticks_in_air := 0

	func _physics_process(delta: float) -> void:
		velocity.x = wanted.x
		velocity.z = wanted.z
		velocity.y = 0.0 if on_floor else velocity.y - 9.8 * delta
		walk()
		ticks_in_air = 0 if on_floor else ticks_in_air + 1


func _walker(feet: Vector3, wanted := Vector3.ZERO) -> Walker:
	var walker := Walker.new()
	walker.wanted = wanted
	var shape := CollisionShape3D.new()
	shape.shape = capsule(RADIUS, HEIGHT)
	shape.position.y = HEIGHT / 2.0
	walker.add_child(shape)
	walker.position = feet
	add_child(walker)
	return walker


func _ground() -> StaticBody3D:
	return fixed(box(Vector3(200, 2, 200)), Vector3(0, -1, 0))


func test_it_walks_up_and_down_stairs() -> void:
	if lacks("character_create"):
		return
	_ground()
	for index: int in 10:
		var top := 0.25 * (index + 1)
		fixed(box(Vector3(0.3, top, 3)), Vector3(1.15 + 0.3 * index, top / 2.0, 0))
	var walker := _walker(Vector3(0, 0.01, 0))
	await steps(10)
	walker.wanted = Vector3(4, 0, 0)
	for tick: int in 57:
		await steps()
		check(walker.ticks_in_air == 0, "on the stairs at %s" % walker.position)
	check_near(walker.position, Vector3(3.8, 2.505, 0), 0.15, "up all stairs")
	walker.wanted = Vector3(-4, 0, 0)
	for tick: int in 57:
		await steps()
		check(walker.ticks_in_air == 0, "down the stairs at %s" % walker.position)
	check_near(walker.position, Vector3(0, 0.005, 0), 0.2, "down again")


func test_it_rests_on_a_slope_and_slides_down_a_steeper_one() -> void:
	if lacks("character_create"):
		return
	_ground()
	fixed(box(Vector3(10, 0.5, 4)), Vector3(3, 0, 0), {"rotation": Vector3(0, 0, deg_to_rad(40))})
	fixed(box(Vector3(10, 0.5, 4)), Vector3(3, 0, 20), {"rotation": Vector3(0, 0, deg_to_rad(50))})
	var resting := _walker(Vector3(4, 1.5, 0))
	var sliding := _walker(Vector3(4, 2.0, 20))
	sliding.falls = true
	await steps(60)
	check(resting.on_floor and not resting.slides_down, "stands")
	check_near(resting.floor_normal, Vector3(-sin(deg_to_rad(40)), cos(deg_to_rad(40)), 0), 0.001, "normal")
	var place := resting.position
	await steps(120)
	check_near(resting.position, place, 1e-5, "does not creep")
	check(sliding.position.x < 3.0, "slides down: %s" % sliding.position)


func test_platforms_carry_turn_and_lift_it() -> void:
	if lacks("character_create"):
		return
	var table := AnimatableBody3D.new()
	put(table, box(Vector3(8, 0.5, 8)), Vector3(0, -0.25, 0))
	var lift := AnimatableBody3D.new()
	put(lift, box(Vector3(3, 0.5, 3)), Vector3(20, -0.25, 0))
	var rider := _walker(Vector3(2, 0.01, 0))
	var lifted := _walker(Vector3(20, 0.01, 0))
	await steps(10)
	for tick: int in 120:
		table.rotation.y += 1.5 / 60.0
		lift.position.y += 2.0 / 60.0
		await steps()
		check(rider.ticks_in_air == 0 and lifted.ticks_in_air == 0, "stay on")
	check(rider.standing_on() == table, "stands on the table")
	check_near(Vector2(rider.position.x, rider.position.z).length(), 2.0, 0.02, "radius")
	check_near(angle_difference(rider.rotation.y, table.rotation.y), 0.0, 0.03, "turned with it")
	check_near(atan2(-rider.position.z, rider.position.x), angle_difference(0.0, table.rotation.y), 0.03, "angle")
	check_near(lifted.position.y, lift.position.y + 0.255, 0.04, "lifted")


func test_walls_pushes_and_heavy_things() -> void:
	if lacks("character_create"):
		return
	_ground()
	fixed(box(Vector3(0.02, 4, 20)), Vector3(5, 2, 0))
	var light := put(RigidBody3D.new(), box(Vector3(0.8, 0.8, 0.8)), Vector3(1.5, 0.4, 20)) as RigidBody3D
	light.mass = 10.0
	var heavy := put(RigidBody3D.new(), box(Vector3(0.8, 0.8, 0.8)), Vector3(1.5, 0.4, 30)) as RigidBody3D
	heavy.mass = 1000.0
	var fast := _walker(Vector3(0, 0.01, 0), Vector3(50, 0, 0))
	var pusher := _walker(Vector3(0, 0.01, 20), Vector3(2, 0, 0))
	var weak := _walker(Vector3(0, 0.01, 30), Vector3(2, 0, 0))
	await steps(120)
	check_near(fast.position.x, 5.0 - 0.01 - RADIUS - 0.005, 0.005, "stopped by a thin wall")
	check(fast.on_wall and fast.wall_normal().is_equal_approx(Vector3.LEFT), "it says so")
	check_between(light.position.x, 3.5, 5.0, "pushed on")
	check(light.linear_velocity.length() < 2.1, "not launched: %s" % light.linear_velocity)
	check_near(heavy.position, Vector3(1.5, 0.4, 30), 0.005, "too heavy")
	check(weak.wall() == heavy, "the wall is that body")


func test_gravity_and_jumps_of_its_own() -> void:
	if lacks("character_create"):
		return
	_ground()
	var jumper: CharacterBody3D = load(CHARACTER).new()
	jumper.set("falls", true)
	put(jumper, capsule(RADIUS, HEIGHT), Vector3(0, 2, 0))
	var walk := func(ticks: int) -> float:
		var highest := -INF
		for tick: int in ticks:
			jumper.velocity = Vector3.ZERO
			jumper.call("walk")
			await steps()
			highest = maxf(highest, jumper.position.y)
		return highest
	await walk.call(60)
	check(jumper.get("on_floor"), "fell to the floor")
	check_near(jumper.position.y, 0.905, 0.002, "stands there")
	jumper.call("jump", 5.0)
	var highest: float = await walk.call(60)
	check_near(highest - 0.905, 25.0 / (2.0 * GRAVITY), 0.02, "v^2 / 2 g")
	jumper.position = Vector3(5, 3, 0)
	await walk.call(5)
	check(not jumper.get("on_floor"), "a jump of place is taken over: %s" % jumper.position)
	check(jumper.call("has_room_for", capsule(RADIUS, HEIGHT)), "room in the air")


func test_many_move_in_one_call() -> void:
	if lacks("characters_move"):
		return
	_ground()
	var handles := PackedInt32Array()
	var velocities := PackedVector3Array()
	for index: int in 3:
		var body := CharacterBody3D.new()
		put(body, capsule(RADIUS, HEIGHT), Vector3(0, 0.91, 3 * index))
		handles.append(PhysicsServer3D.call("character_create", body.get_rid(), {"step_height": 0.2}))
		velocities.append(Vector3(index, 0, 0))
	var moved: PackedVector3Array
	for tick: int in 60:
		moved = PhysicsServer3D.call("characters_move", handles, velocities, TICK)
		await steps()
	for index: int in 3:
		check_near(moved[3 * index], Vector3(index, 0.905, 3 * index), 0.01, "position")
		check_near(moved[3 * index + 1], Vector3(index, 0, 0), 0.001, "velocity")
		check_equal(int(moved[3 * index + 2].x) & 1, 1, "on the floor")
		PhysicsServer3D.call("character_remove", handles[index])
