extends SceneTree
## Profiles of a space and the monitors of the debugger, in a game that a debugger watches.


func _initialize() -> void:
	print("class ", PhysicsServer3D.get_class())
	var stage := Node3D.new()
	root.add_child(stage)
	for k: int in 20:
		var body := RigidBody3D.new()
		var shape := CollisionShape3D.new()
		shape.shape = BoxShape3D.new()
		body.add_child(shape)
		body.position = Vector3(0, 1.01 * k, 0)
		stage.add_child(body)
	await physics_frame
	var space := stage.get_world_3d().space
	Scree.profile_start(space)
	Scree.profile_start(space)
	for tick: int in 5:
		await physics_frame
	_tell(Scree.profile_take(space))
	await physics_frame
	await physics_frame
	var profile: ScreeProfile = Scree.profile_take(space)
	print("again ", profile.first, " ", profile.size())
	Scree.profile_stop(space)
	Scree.profile_stop(space)
	print("stopped ", Scree.profile_take(space))
	Scree.profile_start(RID())
	var own := PhysicsServer3D.space_create()
	Scree.profile_start(own)
	PhysicsServer3D.free_rid(own)
	print("freed ", Scree.profile_take(own))
	print("empty ", ScreeProfile.new().size(), " ", ScreeProfile.new().stage_names.size() == profile.stage_names.size())
	print("monitors ", Array(Performance.get_custom_monitor_names()).filter(func(name: StringName) -> bool: return name.begins_with("scree/")))
	print("full ", Performance.get_custom_monitor("scree/bodies") > 0.0, " ", Performance.get_custom_monitor("scree/bodies") < 1.0)
	var settings: Dictionary = Scree.describe_settings()
	Scree.profile_start(space)  # recorded until the game ends
	await physics_frame
	print("settings ", settings.size(), " ", settings["physics/scree_3d/simulation/substeps"])
	quit()


func _tell(profile: ScreeProfile) -> void:
	var count := profile.stage_names.size()
	var sum := 0.0
	for stage: int in count:
		sum += profile.stage_times[stage]
	print("taken ", profile.first, " ", profile.size(), " ", profile.lost, " ", profile.thread_count)
	print("stages ", count, " ", profile.stage_names[0], " ", profile.stage_times.size() == count * profile.size())
	print("adds up ", is_equal_approx(sum, profile.durations[0]), " ", profile.durations[0] > 0.0, " ", profile.begins[0])
	print("bodies ", profile.active_bodies, " ", profile.pairs.size(), " ", profile.contacts.size())
	var sizes := [profile.event_ticks, profile.event_threads, profile.event_stages, profile.event_begins, profile.event_durations,
		profile.event_items].map(func(array: Variant) -> bool: return array.size() == profile.event_ticks.size())
	print("events ", profile.event_ticks.size() > 20, " ", sizes.all(func(equal: bool) -> bool: return equal))
