extends SceneTree
## Contact events, contact rules, step listeners and sleep events of the singleton Scree, with static types.

const TICK := 1.0 / 60.0

var _stage := Node3D.new()
var _space: RID
var _told: Array[ScreeContactEvents] = []
var _told_spaces: Array[RID] = []
var _log: PackedStringArray = []


func _initialize() -> void:
	print("class ", PhysicsServer3D.get_class(), " ", ProjectSettings.get_setting("physics/3d/run_on_separate_thread"))
	root.add_child(_stage)
	await physics_frame
	_space = _stage.get_world_3d().space
	await _rules()
	await _scales()
	await _bounces()
	await _resting_and_freed()
	await _two_spaces()
	await _freeing()
	await _settings_node()
	await _listeners()
	await _sleep()
	_wrong()
	_stage.free()
	quit()


func _steps(count: int) -> void:
	for step: int in count:
		await physics_frame


func _fill(body: PhysicsBody3D, shape: Shape3D, at: Vector3) -> void:
	var collision := CollisionShape3D.new()
	collision.shape = shape
	body.add_child(collision)
	body.position = at
	_stage.add_child(body)


func _slab(at: Vector3, contact_class: StringName = &"default") -> StaticBody3D:
	var body := StaticBody3D.new()
	var shape := BoxShape3D.new()
	shape.size = Vector3(10, 0.2, 10)
	_fill(body, shape, at)
	Scree.body_set_contact_class(body.get_rid(), contact_class)
	return body


func _box(at: Vector3, velocity := Vector3.ZERO, mass := 1.0) -> RigidBody3D:
	var body := RigidBody3D.new()
	var shape := BoxShape3D.new()
	shape.size = Vector3.ONE * 0.4
	body.mass = mass
	body.linear_velocity = velocity
	_fill(body, shape, at)
	return body


func _ball(at: Vector3, bounce: float, mass: float) -> RigidBody3D:
	var body := RigidBody3D.new()
	body.mass = mass
	body.physics_material_override = PhysicsMaterial.new()
	body.physics_material_override.bounce = bounce
	var shape := SphereShape3D.new()
	_fill(body, shape, at)
	return body


func _rule(class_a: StringName, class_b := &"default") -> ScreeContactRule:
	var rule := ScreeContactRule.new()
	rule.class_a = class_a
	rule.class_b = class_b
	return rule


func _rules() -> void:
	var belt := _rule(&"belt")
	belt.surface_velocity = Vector3(2, 0, 0)
	Scree.set_contact_rule(&"belt", &"default", belt)
	var platform := _rule(&"platform")
	platform.platform_normal = Vector3.UP
	var ghost := _rule(&"ghost")
	ghost.pass_through = true
	var trampoline := _rule(&"trampoline")
	trampoline.bounce = 0.5
	var ice := _rule(&"ice")
	ice.friction = 0.0
	var sensor := _rule(&"sensor")
	sensor.sensor = true
	print("applied ", [platform, ghost, trampoline, ice, sensor].map(func(rule: ScreeContactRule) -> bool: return rule.apply()))
	var names: Array[StringName] = [&"belt", &"platform", &"ghost", &"trampoline", &"ice", &"sensor"]
	for number: int in names.size():
		_slab(Vector3(20 * number, 0, 0), names[number])
	var carried := _box(Vector3(-3, 0.3, 0))
	var jumping := _box(Vector3(20, -2, 0), Vector3(0, 9, 0))
	var falling := _box(Vector3(40, 0.5, 0))
	var bouncing := _ball(Vector3(60, 0.6 + 1.0, 0), 0.0, 1.0) # its lowest point falls 1 m
	var sliding := _box(Vector3(76, 0.301, 0), Vector3(3, 0, 0))
	var seen := _box(Vector3(100, 0.6, 0))
	Scree.body_set_contact_events(seen.get_rid(), Scree.CONTACT_EVENTS_CHANGES)
	var above := false
	var sensed := PackedByteArray()
	var highest := 0.0
	for step: int in 120:
		await physics_frame
		above = above or jumping.position.y > 1.0
		sensed.append_array(Scree.contact_events(_space).sensors)
		if step > 40:
			highest = maxf(highest, bouncing.position.y - 0.6)
	print("belt ", carried.linear_velocity.x)
	print("platform ", above, " ", jumping.position.y)
	print("ghost ", falling.position.y)
	print("trampoline ", highest)
	print("ice ", sliding.linear_velocity.x)
	print("sensor ", seen.position.y, " ", sensed)
	var untyped: Object = Scree
	var found: Variant = untyped.call("body_get_contact_class", seen.get_rid())
	print("class_of ", Scree.body_get_contact_class(seen.get_rid()), " ", typeof(found) == TYPE_STRING_NAME)
	print("has ", Scree.has_contact_rule(&"belt", &"default"), " ", Scree.has_contact_rule(&"default", &"belt"), " ",
		Scree.has_contact_rule(&"belt", &"ice"))
	belt.surface_velocity = Vector3(-1, 0, 0)
	print("again ", belt.apply())
	await _steps(60)
	print("turned ", carried.linear_velocity.x)
	Scree.set_contact_rule(&"belt", &"default", null)
	await _steps(60)
	print("removed ", absf(carried.linear_velocity.x) < 0.01, " ", Scree.has_contact_rule(&"belt", &"default"))
	for body: Node in _stage.get_children():
		body.free()


## A ram that its target does not push keeps its speed and gives it to the target.
func _scales() -> void:
	var rule := _rule(&"ram", &"target")
	rule.inverse_mass_scale_a = 0.0
	rule.apply()
	var ram := _box(Vector3(-2, 50, 0), Vector3(3, 0, 0), 0.5)
	var target := _box(Vector3(-1, 50, 0), Vector3.ZERO, 4.0)
	Scree.body_set_contact_class(ram.get_rid(), &"ram")
	Scree.body_set_contact_class(target.get_rid(), &"target")
	for body: RigidBody3D in [ram, target]:
		body.gravity_scale = 0.0
		body.linear_damp_mode = RigidBody3D.DAMP_MODE_REPLACE
	await _steps(40)
	print("ram ", ram.linear_velocity.x, " ", target.linear_velocity.x)
	ram.free()
	target.free()


func _hear(space: RID, events: ScreeContactEvents) -> void:
	_told.append(events)
	_told_spaces.append(space)


## A ball of 2 kg that bounces with half of its speed, and one beside it that reports nothing.
func _bounces() -> void:
	var ground := _slab(Vector3.ZERO)
	var ball := _ball(Vector3(0, 3.6, 0), 0.5, 2.0) # falls 3 m
	ball.linear_damp_mode = RigidBody3D.DAMP_MODE_REPLACE
	_ball(Vector3(3, 3.6, 0), 0.5, 2.0)
	Scree.body_set_contact_events(ball.get_rid(), Scree.CONTACT_EVENTS_CHANGES)
	print("mode ", Scree.body_get_contact_events(ball.get_rid()) == Scree.CONTACT_EVENTS_CHANGES)
	Scree.contacts_changed.connect(_hear)
	var changes := PackedStringArray()
	var impulses := PackedFloat32Array()
	var expected := PackedFloat32Array()
	var momenta := PackedFloat32Array()
	var fall := 0.0
	var same := true
	for step: int in 300:
		await physics_frame
		for events: ScreeContactEvents in _told:
			same = same and events.bodies_a == Scree.contact_events(_space).bodies_a
			for number: int in events.of_body(ball.get_rid()):
				changes.append("began" if events.began[number] else "ended" if events.ended[number] else "lasts")
				if events.began[number]:
					impulses.append(events.impulses[number])
					expected.append(2.0 * events.approach_speeds[number] * 1.5)
					momenta.append(2.0 * (ball.linear_velocity.y + fall + 9.8 * TICK))
				if changes.size() == 1:
					_describe(events, ball, ground)
		_told.clear()
		fall = -ball.linear_velocity.y
	print("changes ", changes)
	print("momenta ", momenta)
	print("impulses ", impulses)
	print("expected ", expected)
	print("same ", same)
	Scree.contacts_changed.disconnect(_hear)
	for body: Node in _stage.get_children():
		body.free()
	await _steps(2)


func _describe(events: ScreeContactEvents, ball: RigidBody3D, ground: StaticBody3D) -> void:
	var first_is_ball := events.get_body_a(0) == ball.get_rid()
	var up := -1.0 if first_is_ball else 1.0
	print("speed ", events.approach_speeds[0])
	print("place ", events.size(), " ", events.positions[0].snappedf(0.01), " ", (up * events.normals[0]).snappedf(0.01), " ",
		events.get_points(0).size(), " ", events.faces[0])
	var nodes: Array[Object] = [events.get_collider_a(0), events.get_collider_b(0)]
	print("nodes ", ball in nodes, " ", ground in nodes, " ", instance_from_id(events.colliders_a[0]) == nodes[0], " ",
		instance_from_id(events.colliders_b[0]) == nodes[1], " ", rid_from_int64(events.bodies_b[0]) == events.get_body_b(0), " ",
		events.shapes_a[0], events.shapes_b[0])


## A box at rest reports lasting contacts; freed, its contact ends with its old id, before what else happens in that step.
func _resting_and_freed() -> void:
	_slab(Vector3.ZERO)
	var box := _box(Vector3(0, 0.3, 0), Vector3.ZERO, 3.0)
	box.can_sleep = false
	Scree.body_set_contact_events(box.get_rid(), Scree.CONTACT_EVENTS_ALL)
	await _steps(60)
	var events: ScreeContactEvents = Scree.contact_events(_space)
	print("lasts ", events.size(), " ", events.began[0], events.ended[0], " ", events.impulses[0], " ", 3.0 * 9.8 * TICK)
	var other := _box(Vector3(3, 0.302, 0))
	Scree.body_set_contact_events(other.get_rid(), Scree.CONTACT_EVENTS_ALL)
	var body := box.get_rid()
	box.free()
	await _steps(1)
	events = Scree.contact_events(_space)
	var ids := PackedInt64Array([events.bodies_a[0], events.bodies_b[0]])
	print("freed ", events.ended, " ", body.get_id() in ids, " ", events.of_body(body), " ", events.positions[0], " ",
		events.get_collider_a(0) == null or events.get_collider_b(0) == null, " ", events.get_collider_a(1) != null)
	for thing: Node in _stage.get_children():
		thing.free()
	await _steps(2)


func _two_spaces() -> void:
	var view := SubViewport.new()
	view.own_world_3d = true
	root.add_child(view)
	var there := Node3D.new()
	view.add_child(there)
	var second := there.get_world_3d().space
	var here := _stage
	for stage: Node3D in [here, there]:
		_stage = stage
		_slab(Vector3.ZERO)
		Scree.body_set_contact_events(_box(Vector3(0, 1.0, 0)).get_rid(), Scree.CONTACT_EVENTS_CHANGES)
	_stage = here
	PhysicsServer3D.call("space_shift_origin", second, Vector3(0, 0, 100))
	_told_spaces.clear()
	_told.clear()
	Scree.contacts_changed.connect(_hear)
	await _steps(60)
	print("spaces ", _told_spaces.size(), " ", _told_spaces.count(_space), " ", _told_spaces.count(second))
	print("shifted ", _told[_told_spaces.find(second)].positions[0].snappedf(0.01))
	print("counts ", _told.map(func(events: ScreeContactEvents) -> int: return events.size()))
	Scree.contacts_changed.disconnect(_hear)
	_told.clear()
	_told_spaces.clear()
	for body: Node in here.get_children():
		body.free()
	view.free()
	await _steps(2)


## A handler of the signal frees the body that landed on a CharacterBody3D, and a space that is stepped by hand.
func _freeing() -> void:
	var walker := CharacterBody3D.new()
	_fill(walker, BoxShape3D.new(), Vector3(0, 1, 0))
	Scree.body_set_contact_events(walker.get_rid(), Scree.CONTACT_EVENTS_CHANGES)
	var boxes: Array[RigidBody3D] = [_box(Vector3(0, 1.8, 0))]
	var by_hand := PhysicsServer3D.space_create()
	var bodies: Array[RID] = []
	var shape := BoxShape3D.new()
	for height: float in [0.0, 1.1]:
		var body := PhysicsServer3D.body_create()
		bodies.append(body)
		PhysicsServer3D.body_set_mode(body, PhysicsServer3D.BODY_MODE_RIGID if height else PhysicsServer3D.BODY_MODE_STATIC)
		PhysicsServer3D.body_add_shape(body, shape.get_rid())
		PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM, Transform3D(Basis(), Vector3(0, height, 0)))
		PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY, Vector3(0, -height, 0))
		PhysicsServer3D.body_set_space(body, by_hand)
		Scree.body_set_contact_events(body, Scree.CONTACT_EVENTS_CHANGES)
	var heard := PackedStringArray()
	var hear := func(space: RID, events: ScreeContactEvents) -> void:
		if space == by_hand:
			heard.append("by hand %d %s" % [events.began[0], events.get_collider_a(0) == null])
			PhysicsServer3D.free_rid(space)
			return
		heard.append("began" if events.began[0] else "ended")
		if boxes:
			var box: RigidBody3D = boxes.pop_back()
			heard.append(str(box in [events.get_collider_a(0), events.get_collider_b(0)]))
			box.free()
	Scree.contacts_changed.connect(hear)
	for tick: int in 30:
		await physics_frame
		if not "by hand 1 true" in heard:
			PhysicsServer3D.call("space_step", by_hand, TICK)
			PhysicsServer3D.call("space_flush", by_hand)
	print("freeing ", heard)
	Scree.contacts_changed.disconnect(hear)
	for body: RID in bodies:
		PhysicsServer3D.free_rid(body)
	walker.free()


## The node sets what it says, without code; also when it changes and when its body changes places.
func _settings_node() -> void:
	var belt := _slab(Vector3.ZERO)
	var settings := ScreeBodySettings3D.new()
	var rule := _rule(&"node belt")
	rule.surface_velocity = Vector3(0, 0, 1.5)
	settings.contact_class = &"node belt"
	settings.contact_events = Scree.CONTACT_EVENTS_ALL
	settings.rules = [rule]
	belt.add_child(settings)
	var box := _box(Vector3(0, 0.3, 0))
	await _steps(60)
	print("node ", box.linear_velocity.z, " ", Scree.contact_events(_space).size(), " ",
		Scree.body_get_contact_class(belt.get_rid()))
	settings.contact_events = Scree.CONTACT_EVENTS_NONE
	_stage.remove_child(belt)
	_stage.add_child(belt)
	await _steps(60)
	print("moved node ", box.linear_velocity.z, " ", Scree.contact_events(_space).size(), " ",
		Scree.body_get_contact_class(belt.get_rid()))
	print("warning ", settings._get_configuration_warnings().size())
	var limited := _box(Vector3(30, 50, 0))
	var limits := ScreeBodySettings3D.new()
	limits.max_linear_velocity = 2.0
	limited.add_child(limits)
	await _steps(60)
	print("limited ", limited.linear_velocity.length() <= 2.0 and limited.linear_velocity.length() > 1.99)
	limits.max_linear_velocity = 0.0
	await _steps(60)
	print("unlimited ", limited.linear_velocity.length() > 8.0)
	var lost := ScreeBodySettings3D.new()
	_stage.add_child(lost)
	print("lost ", lost._get_configuration_warnings().size())
	for body: Node in _stage.get_children():
		body.free()


func _listeners() -> void:
	var body := _box(Vector3(0, 10, 0))
	body.gravity_scale = 0.0
	body.linear_damp_mode = RigidBody3D.DAMP_MODE_REPLACE
	await _steps(2)
	var lengths := PackedFloat64Array()
	var places := PackedFloat64Array()
	var before := func(length: float) -> void:
		lengths.append(length)
		_log.append("before")
		PhysicsServer3D.body_set_state(body.get_rid(), PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY, Vector3(6, 0, 0))
	var after := func(length: float) -> void:
		lengths.append(length)
		_log.append("after")
		places.append(body.position.x)
		PhysicsServer3D.body_set_state(body.get_rid(), PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY, Vector3.ZERO)
	_slab(Vector3(20, 0, 0))
	var landing := _box(Vector3(20, 0.302, 0))
	Scree.body_set_contact_events(landing.get_rid(), Scree.CONTACT_EVENTS_CHANGES)
	var hear := func(_space_of: RID, _events: ScreeContactEvents) -> void: _log.append("contacts")
	Scree.contacts_changed.connect(hear)
	var mark := func() -> void: _log.append("process")
	physics_frame.connect(mark)
	Scree.space_set_step_listener(_space, before, after)
	await _steps(3)
	Scree.space_set_step_listener(_space, Callable(), Callable())
	physics_frame.disconnect(mark)
	Scree.contacts_changed.disconnect(hear)
	await _steps(2)
	print("log ", _log)
	print("places ", places)
	print("lengths ", lengths)
	await _odd_listeners()
	for thing: Node in _stage.get_children():
		thing.free()


## Listeners that replace themselves, whose object is gone, that take no argument, and that free their space.
func _odd_listeners() -> void:
	var calls := PackedStringArray()
	var hold := PackedByteArray([1, 2, 3]) # goes with the lambda
	Scree.space_set_step_listener(_space, func(_length: float) -> void:
		Scree.space_set_step_listener(_space, func(_second: float) -> void: calls.append("second"), Callable())
		calls.append("first %d" % hold.size()), Callable())
	await _steps(3)
	print("replaced ", calls)
	var gone := Node.new()
	Scree.space_set_step_listener(_space, Callable(), gone.set_name)
	gone.free()
	await _steps(2)
	Scree.space_set_step_listener(_space, func() -> void: calls.append("never"), Callable())
	await _steps(3)
	print("never ", "never" in calls)
	var freed := PhysicsServer3D.space_create()
	PhysicsServer3D.space_set_active(freed, true)
	Scree.space_set_step_listener(freed, func(_length: float) -> void:
		calls.append("freed %d" % hold.size())
		PhysicsServer3D.free_rid(freed), func(_length: float) -> void: calls.append("never"))
	await _steps(3)
	print("space freed ", calls.slice(-1))
	var by_hand := PhysicsServer3D.space_create()
	calls.clear()
	Scree.space_set_step_listener(by_hand, func(length: float) -> void: calls.append("before %.2f" % length),
		func(length: float) -> void: calls.append("after %.2f" % length))
	PhysicsServer3D.call("space_step", by_hand, 0.02)
	PhysicsServer3D.call("space_step", by_hand, 0.01)
	PhysicsServer3D.call("space_flush", by_hand)
	PhysicsServer3D.call("space_flush", by_hand)
	print("by hand ", calls)
	PhysicsServer3D.free_rid(by_hand)


func _sleep() -> void:
	_slab(Vector3.ZERO)
	var box := _box(Vector3(0, 0.3, 0))
	Scree.space_set_sleep_events(_space, true)
	var told := PackedStringArray()
	for step: int in 200:
		await physics_frame
		var events: ScreeSleepEvents = Scree.sleep_events(_space)
		for body: int in events.woke:
			told.append("woke" if rid_from_int64(body) == box.get_rid() else "other")
		for body: int in events.slept:
			told.append("slept" if rid_from_int64(body) == box.get_rid() else "other")
		if step == 120:
			box.apply_central_impulse(Vector3.UP)
	print("sleep ", told)
	box.apply_central_impulse(Vector3.UP)
	await _steps(2)
	box.free()
	print("sleeper freed ", Scree.sleep_events(_space).woke.size())
	Scree.space_set_sleep_events(_space, false)


func _wrong() -> void:
	print("wrong")
	var freed := PhysicsServer3D.body_create()
	PhysicsServer3D.free_rid(freed)
	var body := PhysicsServer3D.body_create()
	Scree.body_set_contact_events(freed, Scree.CONTACT_EVENTS_ALL)
	Scree.body_set_contact_class(freed, &"belt")
	@warning_ignore("int_as_enum_without_match", "int_as_enum_without_cast")
	Scree.body_set_contact_events(body, 7)
	Scree.body_set_contact_class(body, &"")
	Scree.set_contact_rule(&"belt", &"nobody", null)
	Scree.set_contact_rule(&"belt", &"default", Resource.new())
	var rule := _rule(&"belt", &"belt")
	rule.surface_velocity = Vector3.ONE
	rule.apply()
	rule = _rule(&"belt")
	rule.bounce = 1.5
	rule.apply()
	print("nothing ", Scree.contact_events(freed), " ", Scree.sleep_events(_space))
	Scree.space_set_step_listener(freed, Callable(), Callable())
	for number: int in 55:
		Scree.body_set_contact_class(body, "class %d" % number)
	print("event ", ScreeContactEvents.new().size(), " ", ScreeContactEvents.new().get_body_a(0), " ", ScreeSleepEvents.new().woke)
	PhysicsServer3D.free_rid(body)
