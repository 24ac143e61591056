extends "res://gd/area_test.gd"
## Areas: what they see, and when they tell of it.


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


func test_scaled_area_that_moves_and_turns() -> void:
	var trigger := area(box(), Transform3D(Basis.from_scale(Vector3(6, 1, 1)), Vector3(0, 20, 0)))
	named(fixed(box(), Vector3(0, 3, 0)), "above")
	await steps(1)
	trigger.position = Vector3.ZERO
	await steps(1)
	check_equal(seen(trigger), [] as Array[String], "lies along x")
	trigger.rotation = Vector3(0, 0, PI / 2.0)
	await steps(1)
	check_equal(seen(trigger), ["above"] as Array[String], "stands upright")
	trigger.scale = Vector3.ONE
	await steps(1)
	check_equal(seen(trigger), [] as Array[String], "small again")


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
