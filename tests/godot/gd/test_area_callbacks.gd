extends "res://gd/area_test.gd"
## Areas: what is told to callbacks, and what callbacks may do.


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


## An area of the server that calls `callback` for each of `count` static boxes in it.
func server_trigger(callback: Callable, count: int, space: RID) -> RID:
	var trigger := own(PhysicsServer3D.area_create())
	PhysicsServer3D.area_set_monitorable(trigger, true)
	PhysicsServer3D.area_add_shape(trigger, server_box(Vector3.ONE * 20.0))
	PhysicsServer3D.area_set_monitor_callback(trigger, callback)
	PhysicsServer3D.area_set_space(trigger, space)
	for i: int in count:
		var body := server_body(PhysicsServer3D.BODY_MODE_STATIC, server_box(), Vector3(2.0 * i, 0, 0))
		PhysicsServer3D.body_set_space(body, space)
	return trigger


func test_space_freed_in_a_callback() -> void:
	var space := own(PhysicsServer3D.space_create())
	PhysicsServer3D.space_set_active(space, true)
	var calls := [0]
	var trigger := server_trigger(func(_status: int, _rid: RID, _id: int, _theirs: int, _ours: int) -> void:
		calls[0] += 1
		if calls[0] == 2:
			free_now(space)
			PhysicsServer3D.space_set_active(own(PhysicsServer3D.space_create()), true), 5, space)
	await steps(3)
	check_equal(calls[0], 2, "calls until the space was gone")
	check_equal(PhysicsServer3D.area_get_space(trigger), RID(), "the area is in no space")


func test_area_that_leaves_its_space_in_a_callback() -> void:
	var calls := [0]
	var trigger := [RID()]
	trigger[0] = server_trigger(func(_status: int, _rid: RID, _id: int, _theirs: int, _ours: int) -> void:
		calls[0] += 1
		if calls[0] == 2:
			PhysicsServer3D.area_set_space(trigger[0], RID()), 5, get_world_3d().space)
	await steps(3)
	check_equal(calls[0], 2, "calls until it left")
	PhysicsServer3D.area_set_space(trigger[0], get_world_3d().space)
	await steps(3)
	check_equal(calls[0], 7, "all of them when it came back")


func test_callback_changed_in_a_callback() -> void:
	var first: Array[RID] = []
	var second: Array[RID] = []
	var trigger := [RID()]
	trigger[0] = server_trigger(func(_status: int, rid: RID, _id: int, _theirs: int, _ours: int) -> void:
		first.append(rid)
		if first.size() == 3:
			PhysicsServer3D.area_set_monitor_callback(trigger[0],
				func(_s: int, other: RID, _i: int, _t: int, _o: int) -> void: second.append(other)), 5, get_world_3d().space)
	await steps(3)
	check_equal(first.size(), 3, "calls of the first")
	check_equal(second.size(), 5, "the second is told of all")


func test_bodies_moved_in_a_callback() -> void:
	var counts := [0, 0]
	var bodies: Array[StaticBody3D] = []
	var trigger := area(box(Vector3.ONE * 20.0))
	for i: int in 5:
		bodies.append(fixed(box(), Vector3(2.0 * i - 4.0, 0, 0)))
	trigger.body_entered.connect(func(body: Node3D) -> void:
		counts[0] += 1
		body.position.y += 100.0)
	trigger.body_exited.connect(func(_body: Node3D) -> void: counts[1] += 1)
	await steps(3)
	check_equal(counts, [5, 5], "entered and left")
	check(not trigger.has_overlapping_bodies(), "nothing is left")


func test_monitoring_switched_off_after_a_signal() -> void:
	var trigger := area(box(Vector3.ONE * 20.0))
	var counts := [0]
	for i: int in 5:
		fixed(box(), Vector3(2.0 * i - 4.0, 0, 0))
	trigger.body_entered.connect(func(_body: Node3D) -> void:
		counts[0] += 1
		trigger.set_deferred("monitoring", false))
	await steps(1)
	check_equal(counts[0], 5, "all of the tick are told")
	await steps(1)
	fixed(box(), Vector3(0, 5, 0))
	await steps(2)
	check_equal(counts[0], 5, "nothing more")


## A body that is taken out of the tree and put back in one tick: the nodes see to it themselves.
func test_body_that_is_reparented() -> void:
	var trigger := area(box(Vector3.ONE * 20.0))
	var holder := Node3D.new()
	add_child(holder)
	var body := named(floating(box()), "body")
	await steps(2)
	body.reparent(holder)
	await steps(3)
	check_equal(seen(trigger), ["body"] as Array[String], "still seen")
	check_equal(told, ["+body", "-body", "+body"] as Array[String], "signals")


func test_threads_make_areas_while_the_world_runs() -> void:
	var made: Array[Area3D] = []
	named(fixed(box(Vector3(100, 1, 100))), "ground")
	for round: int in 5:
		var task := WorkerThreadPool.add_task(func() -> void:
			for i: int in 20:
				var one := Area3D.new()
				one.add_child(collision_shape(sphere(0.5)))
				one.collision_layer = 0
				one.position = Vector3(i, 0.5, round)
				made.append(one))
		await steps(2)
		WorkerThreadPool.wait_for_task_completion(task)
	for one: Area3D in made:
		add_child(one)
	await steps(1)
	for one: Area3D in made:
		check_equal(seen(one), ["ground"] as Array[String], "made by a thread")
