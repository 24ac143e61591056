extends "res://gd/physics_test.gd"
## Areas: what they see, when they tell of it, and what they do to bodies.

## What the areas of a test told, in order.
var told: Array[String] = []


func area(shape: Shape3D, at: Variant = Vector3.ZERO, properties: Dictionary = {}) -> Area3D:
	var made := Area3D.new()
	listen(made)
	return put(made, shape, at, properties)


func listen(made: Area3D) -> void:
	told.clear()
	made.body_entered.connect(func(body: Node3D) -> void: told.append("+" + body.name))
	made.body_exited.connect(func(body: Node3D) -> void: told.append("-" + body.name))
	made.area_entered.connect(func(other: Area3D) -> void: told.append("+" + other.name))
	made.area_exited.connect(func(other: Area3D) -> void: told.append("-" + other.name))


## The names of what an area sees, sorted.
func seen(made: Area3D) -> Array[String]:
	var names: Array[String] = []
	for node: Node3D in made.get_overlapping_bodies() + made.get_overlapping_areas():
		names.append(node.name)
	names.sort()
	return names


func named(node: Node, name_of_it: String) -> Node:
	node.name = name_of_it
	return node


## ------------------------------------------------------------------ what is seen

func test_every_kind_of_body_is_seen_in_the_first_tick() -> void:
	named(fixed(box(), Vector3(-4, 0, 0)), "fixed")
	named(floating(box(), Vector3(-2, 0, 0)), "rigid")
	named(kinematic(box()), "kinematic")
	named(put(CharacterBody3D.new(), box(), Vector3(2, 0, 0)), "character")
	named(floating(box(), Vector3(4, 0, 0), {"freeze": true}), "frozen")
	named(floating(box(), Vector3(6, 0, 0), {"freeze": true, "freeze_mode": RigidBody3D.FREEZE_MODE_KINEMATIC}), "pinned")
	named(fixed(box(), Vector3(0, 30, 0)), "far")
	var trigger := area(box(Vector3(20, 1, 1)))
	await steps(1)
	check_equal(seen(trigger), ["character", "fixed", "frozen", "kinematic", "pinned", "rigid"] as Array[String], "seen")
	check_equal(told.size(), 6, "signals: %s" % [told])
	await steps(30)
	check_equal(told.size(), 6, "no signals later: %s" % [told])


func test_sleeping_body_is_seen_and_sleeps_on() -> void:
	floor_body()
	var body := rigid(box(), Vector3(0, 0.5, 0))
	await steps_until(func() -> bool: return body.sleeping, 120)
	check(body.sleeping, "it sleeps")
	var trigger := area(box(), Vector3(0, 0.6, 0))
	await steps(1)
	check(trigger.overlaps_body(body), "seen")
	await steps(10)
	check(body.sleeping, "an area that only watches wakes nobody")


func test_area_added_first_or_last() -> void:
	var first := area(sphere(1.0))
	await steps(5)
	named(fixed(box()), "body")
	var last := area(sphere(1.0))
	await steps(1)
	check(first.get_overlapping_bodies().size() == 1 and first.overlaps_area(last), "added before the body")
	check(last.get_overlapping_bodies().size() == 1 and last.overlaps_area(first), "added after it")


func test_falling_ball_enters_and_leaves_once() -> void:
	var trigger := area(box(Vector3(4, 1, 4)), Vector3(0, -5, 0))
	var body: RigidBody3D = named(rigid(sphere(0.25), Vector3(0, 0, 0)), "ball")
	await steps_until(func() -> bool: return not told.is_empty(), 120)
	check_equal(told, ["+ball"] as Array[String], "entered")
	# Its lowest point reaches the top of the area at y = -4.25.
	check_between(body.position.y, -4.6, -4.24, "where it entered")
	await steps_until(func() -> bool: return told.size() > 1, 120)
	check_equal(told, ["+ball", "-ball"] as Array[String], "left")
	check_between(body.position.y, -6.3, -5.74, "where it left")
	check(not trigger.has_overlapping_bodies(), "nothing is left in it")


func test_fast_ball_is_seen_when_a_tick_ends_in_the_area() -> void:
	area(box(Vector3(4, 4, 4)), Vector3(0, 0, 0))
	# 2 m a tick: one tick ends within.
	var body := named(floating(sphere(0.25), Vector3(-20, 0, 0), {"linear_velocity": Vector3(120, 0, 0)}), "ball") as RigidBody3D
	await steps(20)
	check_equal(told, ["+ball", "-ball"] as Array[String], "signals of a ball at %s" % body.position)


func test_shapes_are_told_apart() -> void:
	var body := named(fixed(sphere(0.5), Vector3(0, 0, 0)), "two") as StaticBody3D
	body.add_child(collision_shape(sphere(0.5), Transform3D(Basis.IDENTITY, Vector3(0, 3, 0))))
	var trigger := Area3D.new()
	var pairs: Array[Vector2i] = []
	trigger.body_shape_entered.connect(func(_rid: RID, _body: Node3D, theirs: int, ours: int) -> void:
		pairs.append(Vector2i(theirs, ours)))
	trigger.body_shape_exited.connect(func(_rid: RID, _body: Node3D, theirs: int, ours: int) -> void:
		pairs.erase(Vector2i(theirs, ours)))
	trigger.add_child(collision_shape(box(), Transform3D(Basis.IDENTITY, Vector3(0, 10, 0))))
	put(trigger, box(Vector3(1, 8, 1)))
	trigger.add_child(collision_shape(box(), Transform3D(Basis.IDENTITY, Vector3(0, 3, 0))))
	listen(trigger)
	await steps(1)
	pairs.sort()
	check_equal(pairs, [Vector2i(0, 1), Vector2i(1, 1), Vector2i(1, 2)] as Array[Vector2i], "pairs of shapes")
	check_equal(told, ["+two"] as Array[String], "the body is told of once")
	(body.get_child(1) as CollisionShape3D).disabled = true
	await steps(1)
	check_equal(pairs, [Vector2i(0, 1)] as Array[Vector2i], "after one was disabled")
	check_equal(told, ["+two"] as Array[String], "the body is still there")


func test_disabled_shapes_see_and_are_seen_no_more() -> void:
	var body := named(fixed(box()), "body")
	var trigger := area(box())
	await steps(1)
	for node: Node in [body, trigger]:
		var shape := node.get_child(0) as CollisionShape3D
		told.clear()
		shape.disabled = true
		await steps(1)
		check_equal(told, ["-body"] as Array[String], "disabled on %s" % node)
		shape.disabled = false
		await steps(1)
		check_equal(told, ["-body", "+body"] as Array[String], "enabled on %s" % node)


func test_shape_that_grows_reaches_further() -> void:
	var shape := sphere(0.5)
	var trigger := area(shape)
	named(fixed(box(), Vector3(3, 0, 0)), "body")
	await steps(2)
	check_equal(seen(trigger), [] as Array[String], "small")
	shape.radius = 3.0
	await steps(1)
	check_equal(seen(trigger), ["body"] as Array[String], "large")


func test_scaled_area() -> void:
	var trigger := area(box(), Transform3D(Basis.from_scale(Vector3(6, 1, 1)), Vector3.ZERO))
	named(fixed(box(), Vector3(3, 0, 0)), "near")
	named(fixed(box(), Vector3(0, 3, 0)), "above")
	await steps(1)
	check_equal(seen(trigger), ["near"] as Array[String], "six times as wide")


func test_exact_shapes_not_bounds() -> void:
	var trigger := area(sphere(1.0))
	# The boxes overlap the bounds of the sphere; one of them misses the sphere itself.
	named(fixed(box(Vector3.ONE * 0.4), Vector3.ONE * 0.9), "corner")
	named(fixed(box(Vector3.ONE * 0.4), Vector3(0.9, 0.9, 0.0) * 0.9), "inside")
	await steps(1)
	check_equal(seen(trigger), ["inside"] as Array[String], "seen")


func test_mesh_is_told_of_once() -> void:
	named(fixed(mesh_floor(32)), "mesh")
	var trigger := area(box(Vector3(30, 2, 30)))
	var counts := [0]
	trigger.body_shape_entered.connect(func(_rid: RID, _body: Node3D, _theirs: int, _ours: int) -> void: counts[0] += 1)
	await steps(3)
	check_equal(counts[0], 1, "one pair of shapes, not one a triangle")
	trigger.position.y = 5.0
	await steps(1)
	check_equal(told, ["+mesh", "-mesh"] as Array[String], "signals")


func test_mesh_is_seen_from_both_sides() -> void:
	named(fixed(mesh_floor(4)), "mesh")
	var above := area(sphere(0.5), Vector3(0.3, 0.4, 0.3))
	var below := area(sphere(0.5), Vector3(0.3, -0.4, 0.3), {"monitorable": false})
	above.monitorable = false
	await steps(1)
	check_equal(seen(above), ["mesh"] as Array[String], "from above")
	check_equal(seen(below), ["mesh"] as Array[String], "from below")


func test_height_map_is_seen() -> void:
	var shape := HeightMapShape3D.new()
	shape.map_width = 9
	shape.map_depth = 9
	named(fixed(shape), "map")
	var trigger := area(sphere(0.5), Vector3(1.2, 0.3, 1.2))
	await steps(1)
	check_equal(seen(trigger), ["map"] as Array[String], "near it")
	trigger.position.y = 2.0
	await steps(1)
	check_equal(seen(trigger), [] as Array[String], "far from it")


func test_world_boundary_as_area() -> void:
	var trigger := area(plane(), Vector3(0, -20, 0))
	var body := named(rigid(sphere()), "ball") as RigidBody3D
	await steps_until(func() -> bool: return not told.is_empty(), 200)
	check_equal(told, ["+ball"] as Array[String], "fell under the boundary")
	check_between(body.position.y, -20.1, -19.4, "where")
	await steps(60)
	check_equal(seen(trigger), ["ball"] as Array[String], "stays below it")


## ------------------------------------------------------------------ who moves

func test_body_moved_by_hand() -> void:
	area(box())
	for body: CollisionObject3D in [fixed(box(), Vector3(9, 0, 0)), kinematic(box(), Vector3(9, 2, 0)),
			floating(box(), Vector3(9, 4, 0), {"freeze": true})]:
		named(body, "body")
		told.clear()
		body.position = Vector3.ZERO
		await steps(2)
		check_equal(told, ["+body"] as Array[String], "moved in: %s" % body.get_class())
		body.position = Vector3(9, 9, 0)
		await steps(2)
		check_equal(told, ["+body", "-body"] as Array[String], "moved out: %s" % body.get_class())
		body.free()


func test_area_moved_over_bodies_at_rest() -> void:
	floor_body({"collision_layer": 2, "collision_mask": 1})
	var body := named(rigid(box(), Vector3(0, 0.5, 0), {"collision_mask": 2}), "box") as RigidBody3D
	await steps_until(func() -> bool: return body.sleeping, 120)
	var trigger := area(box(), Vector3(-5, 0.5, 0))
	for tick: int in 60:
		trigger.position.x += 0.2
		await steps(1)
	check_equal(told, ["+box", "-box"] as Array[String], "signals")


func test_area_that_rides_on_a_body() -> void:
	var carrier := floating(box(), Vector3.ZERO, {"linear_velocity": Vector3(6, 0, 0)})
	var trigger := Area3D.new()
	trigger.add_child(collision_shape(sphere(1.0)))
	trigger.collision_mask = 2
	carrier.add_child(trigger)
	listen(trigger)
	named(fixed(box(), Vector3(6, 1, 0), {"collision_layer": 2}), "post")
	await steps(150)
	check_equal(told, ["+post", "-post"] as Array[String], "the post comes and goes")
	check_near(trigger.global_position, carrier.global_position, 0.2, "it rode along")


## ------------------------------------------------------------------ layers, monitoring

func test_mask_of_the_area_decides() -> void:
	named(fixed(box(), Vector3.ZERO, {"collision_layer": 2, "collision_mask": 0}), "two")
	named(fixed(box(), Vector3.ZERO, {"collision_layer": 4, "collision_mask": 0xFF}), "four")
	var trigger := area(box(), Vector3.ZERO, {"collision_layer": 0, "collision_mask": 2})
	await steps(1)
	check_equal(seen(trigger), ["two"] as Array[String], "only the area's mask counts")
	trigger.collision_mask = 4
	await steps(1)
	check_equal(seen(trigger), ["four"] as Array[String], "after the mask changed")


func test_layer_of_the_body_changes() -> void:
	var body := named(fixed(box()), "body") as StaticBody3D
	area(box())
	await steps(1)
	body.collision_layer = 2
	await steps(1)
	check_equal(told, ["+body", "-body"] as Array[String], "layer taken away")
	body.collision_layer = 1
	await steps(1)
	check_equal(told, ["+body", "-body", "+body"] as Array[String], "and given back")


func test_monitoring_switched_on_tells_of_all_that_is_there() -> void:
	named(fixed(box()), "body")
	named(put(Area3D.new(), box()), "other")
	var trigger := area(box(), Vector3.ZERO, {"monitoring": false})
	await steps(3)
	check_equal(told, [] as Array[String], "not watching")
	trigger.monitoring = true
	await steps(1)
	check_equal(seen(trigger), ["body", "other"] as Array[String], "watching")
	trigger.monitoring = false
	await steps(1)
	trigger.monitoring = true
	await steps(1)
	check_equal(seen(trigger), ["body", "other"] as Array[String], "watching again")


func test_areas_see_each_other() -> void:
	var first := named(area(box()), "first") as Area3D
	var second := named(area(box(), Vector3(0.5, 0, 0)), "second") as Area3D
	await steps(1)
	check_equal(seen(first), ["second"] as Array[String], "the first")
	check_equal(seen(second), ["first"] as Array[String], "the second")
	second.position.x = 5.0
	await steps(1)
	check(not first.overlaps_area(second) and not second.overlaps_area(first), "after they parted")


func test_area_that_is_not_monitorable_is_not_seen_but_sees() -> void:
	var hidden := named(area(box(), Vector3.ZERO, {"monitorable": false}), "hidden") as Area3D
	var trigger := named(area(box()), "trigger") as Area3D
	await steps(1)
	check_equal(seen(trigger), [] as Array[String], "hidden")
	check_equal(seen(hidden), ["trigger"] as Array[String], "it sees")
	hidden.monitorable = true
	await steps(1)
	check_equal(seen(trigger), ["hidden"] as Array[String], "shown")
	hidden.monitorable = false
	await steps(1)
	check_equal(seen(trigger), [] as Array[String], "hidden again")


func test_one_sided_masks_of_areas() -> void:
	var seeing := named(area(box(), Vector3.ZERO, {"collision_layer": 1, "collision_mask": 2}), "seeing") as Area3D
	var blind := named(area(box(), Vector3.ZERO, {"collision_layer": 2, "collision_mask": 4}), "blind") as Area3D
	await steps(1)
	check_equal(seen(seeing), ["blind"] as Array[String], "the one whose mask has the other's layer")
	check_equal(seen(blind), [] as Array[String], "the other")


## ------------------------------------------------------------------ coming and going

func test_body_that_is_freed_or_leaves_the_tree() -> void:
	var trigger := area(box(Vector3.ONE * 4.0))
	var freed := named(fixed(box()), "freed")
	var removed := named(floating(box(), Vector3(1.5, 0, 0)), "removed")
	await steps(1)
	told.clear()
	freed.free()
	remove_child(removed)
	await steps(2)
	told.sort()
	check_equal(told, ["-freed", "-removed"] as Array[String], "each is told of once")
	check(not trigger.has_overlapping_bodies(), "nothing is left")
	add_child(removed)
	await steps(1)
	check_equal(seen(trigger), ["removed"] as Array[String], "it came back")


func test_body_that_changes_its_mode_stays_seen() -> void:
	var trigger := area(box(Vector3.ONE * 4.0))
	var body := named(floating(box()), "body") as RigidBody3D
	await steps(1)
	for frozen: bool in [true, false, true]:
		body.freeze = frozen
		await steps(2)
		check_equal(seen(trigger), ["body"] as Array[String], "freeze = %s" % frozen)
	check_equal(told, ["+body"] as Array[String], "one signal")


func test_area_that_leaves_the_tree_and_comes_back() -> void:
	named(fixed(box()), "body")
	var trigger := area(box())
	await steps(1)
	remove_child(trigger)
	await steps(2)
	add_child(trigger)
	await steps(1)
	check_equal(seen(trigger), ["body"] as Array[String], "seen again")
	check_equal(told, ["+body", "-body", "+body"] as Array[String], "signals")


func test_freeing_in_a_signal() -> void:
	var trigger := area(box(Vector3.ONE * 20.0))
	var bodies: Array[Node3D] = []
	for i: int in 20:
		bodies.append(floating(box(Vector3.ONE * 0.2), Vector3(i % 5, i / 5, 0)))
	trigger.body_entered.connect(func(body: Node3D) -> void:
		body.queue_free()
		if bodies.size() > 3:
			bodies.pop_back().queue_free())
	await steps(4)
	check(not trigger.has_overlapping_bodies(), "all are gone: %s" % [trigger.get_overlapping_bodies()])
	trigger.body_entered.connect(func(_body: Node3D) -> void: trigger.queue_free())
	floating(box())
	floating(box(), Vector3(3, 0, 0))
	await steps(3)
	check(not is_instance_valid(trigger), "the area freed itself")


## Through the server, so that it happens in the middle of the telling.
func test_freeing_at_once_in_a_callback() -> void:
	var trigger := own(PhysicsServer3D.area_create())
	PhysicsServer3D.area_add_shape(trigger, server_box(Vector3.ONE * 5.0))
	PhysicsServer3D.area_set_space(trigger, get_world_3d().space)
	var bodies: Array[RID] = []
	for i: int in 4:
		bodies.append(server_body(PhysicsServer3D.BODY_MODE_STATIC, server_box(), Vector3(i, 0, 0)))
	var calls: Array[Array] = []
	PhysicsServer3D.area_set_monitor_callback(trigger, func(status: int, body: RID, id: int, theirs: int, ours: int) -> void:
		calls.append([status, body, id, theirs, ours])
		if calls.size() == 1:
			free_now(bodies[0])
			free_now(bodies[3])
			PhysicsServer3D.body_set_space(bodies[1], RID())
		else:
			free_now(trigger))
	await steps(3)
	check_between(calls.size(), 2, 2, "calls until it freed itself: %s" % [calls])
	check_equal(calls[0], [PhysicsServer3D.AREA_BODY_ADDED, calls[0][1], 0, 0, 0], "what was told")


func test_callback_arguments() -> void:
	var trigger := own(PhysicsServer3D.area_create())
	PhysicsServer3D.area_add_shape(trigger, server_box(), Transform3D(Basis.IDENTITY, Vector3(0, 50, 0)))
	PhysicsServer3D.area_add_shape(trigger, server_box())
	PhysicsServer3D.area_set_space(trigger, get_world_3d().space)
	var calls: Array[Array] = []
	var note := func(status: int, other: RID, id: int, theirs: int, ours: int) -> void:
		calls.append([status, other, id, theirs, ours])
	PhysicsServer3D.area_set_monitor_callback(trigger, note)
	PhysicsServer3D.area_set_area_monitor_callback(trigger, note)
	var body := server_body(PhysicsServer3D.BODY_MODE_STATIC, server_box(), Vector3(30, 0, 0))
	PhysicsServer3D.body_add_shape(body, server_box(), Transform3D(Basis.IDENTITY, Vector3(-30, 0, 0)))
	PhysicsServer3D.body_attach_object_instance_id(body, get_instance_id())
	await steps(1)
	check_equal(calls, [[PhysicsServer3D.AREA_BODY_ADDED, body, get_instance_id(), 1, 1]] as Array[Array], "body added")
	PhysicsServer3D.body_set_space(body, RID())
	await steps(1)
	check_equal(calls.back(), [PhysicsServer3D.AREA_BODY_REMOVED, body, get_instance_id(), 1, 1], "body removed")
	var other := own(PhysicsServer3D.area_create())
	PhysicsServer3D.area_add_shape(other, server_box())
	PhysicsServer3D.area_set_monitorable(other, true)
	PhysicsServer3D.area_set_space(other, get_world_3d().space)
	await steps(1)
	check_equal(calls.back(), [PhysicsServer3D.AREA_BODY_ADDED, other, 0, 0, 1], "area added")
	check_equal(calls.size(), 3, "calls: %s" % [calls])


func test_many_areas_and_bodies() -> void:
	var areas: Array[Area3D] = []
	for i: int in 100:
		areas.append(area(box(), Vector3(2.0 * (i % 10), 0, 2.0 * (i / 10)), {"collision_layer": 0}))
		fixed(sphere(0.3), Vector3(2.0 * (i % 10), 0, 2.0 * (i / 10)))
	var all := area(box(Vector3(50, 1, 50)), Vector3(9, 0, 9), {"collision_layer": 0})
	await steps(1)
	var ones := 0
	for one: Area3D in areas:
		ones += int(one.get_overlapping_bodies().size() == 1)
	check_equal(ones, 100, "small areas that see their own body")
	check_equal(all.get_overlapping_bodies().size(), 100, "the large one sees all")


## ------------------------------------------------------------------ what areas do

const SPACE := Vector3(0, -GRAVITY, 0)
const UP := Vector3(0, 5, 0)
const SIDE := Vector3(3, 0, 0)


func gravity_area(vector: Vector3, mode: Area3D.SpaceOverride, priority: int = 0) -> Area3D:
	return area(box(Vector3.ONE * 10.0), Vector3.ZERO, {"gravity_space_override": mode, "priority": priority,
		"gravity": vector.length(), "gravity_direction": vector.normalized()})


func test_gravity_in_each_mode() -> void:
	var expected := {
		Area3D.SPACE_OVERRIDE_DISABLED: SIDE + SPACE,
		Area3D.SPACE_OVERRIDE_COMBINE: UP + SIDE + SPACE,
		Area3D.SPACE_OVERRIDE_COMBINE_REPLACE: UP,
		Area3D.SPACE_OVERRIDE_REPLACE: UP,
		Area3D.SPACE_OVERRIDE_REPLACE_COMBINE: UP + SIDE + SPACE,
	}
	for mode: Area3D.SpaceOverride in expected:
		var above := gravity_area(UP, mode, 2)
		var below := gravity_area(SIDE, Area3D.SPACE_OVERRIDE_COMBINE, 1)
		var body := rigid(sphere())
		await steps(3)
		var before := body.linear_velocity
		await steps(12)
		check_near((body.linear_velocity - before) / (12.0 * TICK), expected[mode], 0.01, "acceleration in mode %d" % mode)
		check_near(direct_state(body).total_gravity, expected[mode], 0.001, "total gravity in mode %d" % mode)
		for node: Node in [above, below, body]:
			node.free()


## What is of higher priority and combines comes before one that replaces with what there is so far.
func test_higher_priority_comes_first() -> void:
	gravity_area(UP, Area3D.SPACE_OVERRIDE_COMBINE, 3)
	var replacing := gravity_area(SIDE, Area3D.SPACE_OVERRIDE_REPLACE, 2)
	var body := rigid(sphere())
	await steps(2)
	check_near(direct_state(body).total_gravity, SIDE, 1e-3, "the one below replaces what was combined")
	replacing.priority = 4
	await steps(2)
	check_near(direct_state(body).total_gravity, SIDE, 1e-3, "the one above replaces and ends it")
	replacing.gravity_space_override = Area3D.SPACE_OVERRIDE_REPLACE_COMBINE
	await steps(2)
	check_near(direct_state(body).total_gravity, SIDE + UP + SPACE, 1e-3, "replaces, and the others are added")


func test_gravity_acts_from_the_first_tick_and_ends_with_the_area() -> void:
	var trigger := gravity_area(Vector3.ZERO, Area3D.SPACE_OVERRIDE_REPLACE)
	var body := rigid(sphere())
	await steps(10)
	check_near(body.linear_velocity, Vector3.ZERO, 1e-6, "weightless from the beginning")
	trigger.position.x = 50.0
	await steps(30)
	check_near(body.linear_velocity.y, -GRAVITY * 30.0 * TICK, 0.2, "falls when the area is gone")


func test_gravity_returns_when_the_body_leaves() -> void:
	gravity_area(UP, Area3D.SPACE_OVERRIDE_REPLACE)
	var body := rigid(sphere(), Vector3(0, 4, 0))
	await steps_until(func() -> bool: return body.position.y > 6.0, 200)
	var top := body.linear_velocity.y
	await steps(12)
	check_near(body.linear_velocity.y - top, -GRAVITY * 12.0 * TICK, 0.01, "outside")


func test_gravity_direction_is_the_worlds() -> void:
	var trigger := gravity_area(UP, Area3D.SPACE_OVERRIDE_REPLACE)
	trigger.rotation = Vector3(0, 0, 1.0)
	var body := rigid(sphere())
	await steps(2)
	check_near(direct_state(body).total_gravity, UP, 1e-3, "turning the area does not turn its gravity")


func test_point_gravity() -> void:
	var trigger := area(sphere(20.0), Vector3(1, 2, 3), {"gravity_space_override": Area3D.SPACE_OVERRIDE_REPLACE,
		"gravity_point": true, "gravity_point_center": Vector3(0, 2, 0), "gravity": 8.0})
	var body := rigid(sphere(), Vector3(1, 4, 9), {"gravity_scale": 1.0, "axis_lock_linear_x": true,
		"axis_lock_linear_y": true, "axis_lock_linear_z": true})
	await steps(2)
	check_near(direct_state(body).total_gravity, Vector3(0, 0, -8), 0.01, "the same strength everywhere")
	trigger.gravity_point_unit_distance = 3.0
	await steps(2)
	check_near(direct_state(body).total_gravity, Vector3(0, 0, -2), 0.01, "strength at 3 m, a quarter of it at 6 m")
	trigger.rotation = Vector3(0, 0, PI / 2.0)
	await steps(2)
	check_near(direct_state(body).total_gravity.normalized(), Vector3(-2, -2, -6).normalized(), 0.01, "the point turns along")


## Half a turn about a point at 4 m with v^2 = g r.
func test_orbit() -> void:
	area(sphere(20.0), Vector3.ZERO, {"gravity_space_override": Area3D.SPACE_OVERRIDE_REPLACE, "gravity_point": true,
		"gravity_point_center": Vector3.ZERO, "gravity": 9.0, "gravity_point_unit_distance": 4.0})
	var body := rigid(sphere(), Vector3(4, 0, 0), {"linear_velocity": Vector3(0, 0, 6)})
	await steps(roundi(PI * 4.0 / 6.0 * 60.0))
	check_near(body.position, Vector3(-4, 0, 0), 0.25, "on the other side")


func test_gravity_scale_counts_in_areas() -> void:
	gravity_area(UP, Area3D.SPACE_OVERRIDE_REPLACE)
	var body := rigid(sphere(), Vector3.ZERO, {"gravity_scale": -2.0})
	await steps(2)
	check_near(direct_state(body).total_gravity, UP * -2.0, 1e-3, "scaled")


func test_damping_in_each_mode() -> void:
	var space := 0.1
	var expected := {
		Area3D.SPACE_OVERRIDE_DISABLED: 0.5 + space,
		Area3D.SPACE_OVERRIDE_COMBINE: 3.0 + 0.5 + space,
		Area3D.SPACE_OVERRIDE_COMBINE_REPLACE: 3.0,
		Area3D.SPACE_OVERRIDE_REPLACE: 3.0,
		Area3D.SPACE_OVERRIDE_REPLACE_COMBINE: 3.0 + 0.5 + space,
	}
	for mode: Area3D.SpaceOverride in expected:
		for kind: String in ["linear", "angular"]:
			var setting := kind + "_damp_space_override"
			var above := area(box(Vector3.ONE * 10.0), Vector3.ZERO, {setting: mode, "priority": 2, kind + "_damp": 3.0})
			var below := area(box(Vector3.ONE * 10.0), Vector3.ZERO, {setting: Area3D.SPACE_OVERRIDE_COMBINE,
				"priority": 1, kind + "_damp": 0.5})
			var body := floating(sphere(), Vector3.ZERO, {"linear_damp_mode": RigidBody3D.DAMP_MODE_COMBINE,
				"angular_damp_mode": RigidBody3D.DAMP_MODE_COMBINE})
			await steps(2)
			var velocity := Vector3(2, 0, 0)
			body.set(kind + "_velocity", velocity)
			await steps(20)
			var now: Vector3 = body.get(kind + "_velocity")
			check_near(now.x, 2.0 * pow(1.0 - expected[mode] * TICK, 20), 0.02, "%s velocity in mode %d" % [kind, mode])
			var total: float = direct_state(body).total_linear_damp if kind == "linear" else direct_state(body).total_angular_damp
			check_near(total, expected[mode], 1e-3, "total %s damp in mode %d" % [kind, mode])
			for node: Node in [above, below, body]:
				node.free()


func test_damp_modes_of_the_body() -> void:
	area(box(Vector3.ONE * 20.0), Vector3.ZERO, {"linear_damp_space_override": Area3D.SPACE_OVERRIDE_REPLACE, "linear_damp": 2.0})
	var adding := floating(sphere(), Vector3.ZERO, {"linear_damp_mode": RigidBody3D.DAMP_MODE_COMBINE, "linear_damp": 0.5})
	var own_only := floating(sphere(), Vector3(3, 0, 0), {"linear_damp_mode": RigidBody3D.DAMP_MODE_REPLACE, "linear_damp": 0.5})
	await steps(2)
	check_near(direct_state(adding).total_linear_damp, 2.5, 1e-3, "the body's is added")
	check_near(direct_state(own_only).total_linear_damp, 0.5, 1e-3, "the body's replaces")


func test_gravity_of_bodies_that_do_not_fall() -> void:
	gravity_area(UP, Area3D.SPACE_OVERRIDE_REPLACE)
	var inside := put(CharacterBody3D.new(), sphere()) as CharacterBody3D
	var outside := put(CharacterBody3D.new(), sphere(), Vector3(30, 0, 0)) as CharacterBody3D
	await steps(2)
	check_near(inside.get_gravity(), UP, 1e-3, "a character in the area")
	check_near(outside.get_gravity(), SPACE, 1e-3, "a character outside")


func test_sleeping_body_wakes_when_an_area_acts_on_it() -> void:
	floor_body()
	var body := rigid(box(), Vector3(0, 0.5, 0))
	await steps_until(func() -> bool: return body.sleeping, 120)
	check(body.sleeping, "it sleeps")
	var trigger := gravity_area(UP, Area3D.SPACE_OVERRIDE_REPLACE)
	await steps(20)
	check(body.linear_velocity.y > 0.5, "an area that came lifts it: %s" % body.linear_velocity)
	trigger.gravity_direction = Vector3.DOWN
	await steps(300)
	check(body.sleeping, "it came down and sleeps")
	trigger.gravity_direction = Vector3.UP
	await steps(20)
	check(body.linear_velocity.y > 0.5, "an area that changed lifts it: %s" % body.linear_velocity)


func test_area_that_does_not_watch_acts() -> void:
	var trigger := gravity_area(UP, Area3D.SPACE_OVERRIDE_REPLACE)
	trigger.monitoring = false
	var body := rigid(sphere())
	var other := rigid(sphere(), Vector3(3, 0, 0), {"collision_layer": 2})
	await steps(2)
	check_near(direct_state(body).total_gravity, UP, 1e-3, "acts without monitoring")
	check_near(direct_state(other).total_gravity, SPACE, 1e-3, "only on what its mask has")


func test_gravity_of_the_space_changes() -> void:
	var body := rigid(sphere())
	var space := get_world_3d().space
	await steps(2)
	PhysicsServer3D.area_set_param(space, PhysicsServer3D.AREA_PARAM_GRAVITY_VECTOR, Vector3.RIGHT)
	await steps(2)
	var total := direct_state(body).total_gravity
	PhysicsServer3D.area_set_param(space, PhysicsServer3D.AREA_PARAM_GRAVITY_VECTOR, Vector3.DOWN)
	check_near(total, Vector3(GRAVITY, 0, 0), 1e-3, "the space's own area")


## ------------------------------------------------------------------ queries

func test_rays_see_areas_when_asked_to() -> void:
	var trigger := area(sphere())
	var settings := {"collide_with_areas": true}
	check_equal(ray(Vector3(-5, 0, 0), Vector3(5, 0, 0)), {}, "not asked for areas")
	var hit := ray(Vector3(-5, 0, 0), Vector3(5, 0, 0), settings)
	check_equal(hit.get("collider"), trigger, "asked for areas")
	check_near(hit.position, Vector3(-0.5, 0, 0), 1e-4, "where")
	settings["collide_with_bodies"] = false
	fixed(box(), Vector3(-3, 0, 0))
	check_equal(ray(Vector3(-5, 0, 0), Vector3(5, 0, 0), settings).get("collider"), trigger, "through bodies")
	settings["exclude"] = [trigger.get_rid()]
	check_equal(ray(Vector3(-5, 0, 0), Vector3(5, 0, 0), settings), {}, "left out")
	settings["exclude"] = []
	settings["collision_mask"] = 2
	check_equal(ray(Vector3(-5, 0, 0), Vector3(5, 0, 0), settings), {}, "of another layer")


func test_points_and_shapes_see_areas_when_asked_to() -> void:
	var trigger := area(box())
	var point := PhysicsPointQueryParameters3D.new()
	check_equal(direct_space().intersect_point(point).size(), 0, "point without areas")
	point.collide_with_areas = true
	check_equal(direct_space().intersect_point(point)[0].collider, trigger, "point")
	var shape := PhysicsShapeQueryParameters3D.new()
	shape.shape = sphere()
	check_equal(direct_space().intersect_shape(shape).size(), 0, "shape without areas")
	shape.collide_with_areas = true
	check_equal(direct_space().intersect_shape(shape)[0].rid, trigger.get_rid(), "shape")
	shape.transform.origin = Vector3(-3, 0, 0)
	shape.motion = Vector3(6, 0, 0)
	check_near(direct_space().cast_motion(shape)[0], 2.0 / 6.0, 1e-3, "cast")
	shape.transform.origin = Vector3(0, 0.9, 0)
	check_equal(direct_space().get_rest_info(shape).get("rid"), trigger.get_rid(), "rest info")


func test_ray_and_shape_cast_nodes_see_areas() -> void:
	var trigger := area(box())
	var cast := RayCast3D.new()
	cast.position = Vector3(0, 3, 0)
	cast.target_position = Vector3(0, -5, 0)
	cast.collide_with_areas = true
	add_child(cast)
	var shape_cast := ShapeCast3D.new()
	shape_cast.shape = sphere(0.2)
	shape_cast.position = Vector3(0, 3, 0)
	shape_cast.target_position = Vector3(0, -5, 0)
	shape_cast.collide_with_areas = true
	add_child(shape_cast)
	await steps(3)
	check_equal(cast.get_collider(), trigger, "RayCast3D")
	check_equal(shape_cast.get_collision_count(), 1, "ShapeCast3D")
	check_equal(shape_cast.get_collider(0), trigger, "ShapeCast3D: what")


func test_bodies_pass_areas_and_motion_tests_do_not_see_them() -> void:
	area(box())
	var character := put(CharacterBody3D.new(), sphere(), Vector3(0, 3, 0)) as CharacterBody3D
	check(character.move_and_collide(Vector3(0, -6, 0)) == null, "a character passes")
	character.free()
	var body := rigid(sphere(), Vector3(0, 3, 0))
	await steps(60)
	check_near(body.linear_velocity.y, -GRAVITY * 60.0 * TICK, 0.2, "a rigid body passes")


func test_shapes_of_an_area_through_the_server() -> void:
	var trigger := own(PhysicsServer3D.area_create())
	var shape := server_box()
	var place := Transform3D(Basis.IDENTITY, Vector3(1, 2, 3))
	PhysicsServer3D.area_add_shape(trigger, shape)
	PhysicsServer3D.area_add_shape(trigger, server_sphere(), place)
	check_equal(PhysicsServer3D.area_get_shape_count(trigger), 2, "count")
	check_equal(PhysicsServer3D.area_get_shape_transform(trigger, 1), place, "transform")
	PhysicsServer3D.area_remove_shape(trigger, 0)
	check_equal(PhysicsServer3D.area_get_shape_transform(trigger, 0), place, "the later one moved up")
	PhysicsServer3D.area_set_shape(trigger, 0, shape)
	check_equal(PhysicsServer3D.area_get_shape(trigger, 0), shape, "set")
	PhysicsServer3D.area_set_transform(trigger, place)
	check_equal(PhysicsServer3D.area_get_transform(trigger), place, "the area's transform")
	PhysicsServer3D.area_clear_shapes(trigger)
	check_equal(PhysicsServer3D.area_get_shape_count(trigger), 0, "cleared")
