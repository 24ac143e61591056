extends "res://checks.gd"
## Spaces from scripts: stepped by hand, saved and restored, with settings of their own.

var _space: RID
var _body: RID


func _initialize() -> void:
	print("class ", PhysicsServer3D.get_class())
	_space = PhysicsServer3D.space_create()
	PhysicsServer3D.area_set_param(_space, PhysicsServer3D.AREA_PARAM_GRAVITY, 10.0)
	var ball := PhysicsServer3D.sphere_shape_create()
	PhysicsServer3D.shape_set_data(ball, 0.5)
	_body = PhysicsServer3D.body_create()
	PhysicsServer3D.body_add_shape(_body, ball)
	PhysicsServer3D.body_set_space(_body, _space)
	PhysicsServer3D.body_set_param(_body, PhysicsServer3D.BODY_PARAM_LINEAR_DAMP, 0.0)
	_stepping()
	_states()
	_origin()
	_settings()
	_wrong()
	for thing: RID in [_body, ball, _space] as Array[RID]:
		PhysicsServer3D.free_rid(thing)
	quit()


func _steps(count: int) -> void:
	for k: int in count:
		var _stepped := Scree.space_step(_space, TICK)


func _velocity() -> float:
	var velocity: Vector3 = PhysicsServer3D.body_get_state(_body, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY)
	return velocity.y


func _stepping() -> void:
	PhysicsServer3D.area_set_param(_space, PhysicsServer3D.AREA_PARAM_LINEAR_DAMP, 0.0)
	_steps(6)
	check("steps by hand", absf(_velocity() + 1.0) < 1e-3 and Scree.space_get_step_count(_space) == 6, _velocity())
	var told: Array[Vector3] = []
	PhysicsServer3D.body_set_state_sync_callback(_body, func(state: PhysicsDirectBodyState3D) -> void: told.append(state.transform.origin))
	_steps(1)
	check("nobody is told before the flush", told.is_empty())
	check("told by the flush", Scree.space_flush(_space) and told.size() == 1 and told[0].y < 0.0, told)
	PhysicsServer3D.body_set_state_sync_callback(_body, Callable())


func _states() -> void:
	var state := Scree.space_save(_space)
	var before := Scree.space_hash(_space)
	_steps(10)
	var after := Scree.space_hash(_space)
	check("a hash changes", before != after)
	check("restored", Scree.space_restore(_space, state) and Scree.space_hash(_space) == before and Scree.space_get_step_count(_space) == 7)
	_steps(10)
	check("the same steps again", Scree.space_hash(_space) == after)
	var by_name: int = PhysicsServer3D.call("space_hash", _space)
	check("the same by name", by_name == after)


func _origin() -> void:
	var before: Transform3D = PhysicsServer3D.body_get_state(_body, PhysicsServer3D.BODY_STATE_TRANSFORM)
	check("the zero moves", Scree.space_shift_origin(_space, Vector3(100, 0, 0)) and Scree.space_get_origin(_space) == PackedFloat64Array([100, 0, 0]))
	var shifted: Transform3D = PhysicsServer3D.body_get_state(_body, PhysicsServer3D.BODY_STATE_TRANSFORM)
	check("places follow the zero", shifted.origin.is_equal_approx(before.origin - Vector3(100, 0, 0)), shifted)


func _settings() -> void:
	check("a setting of the project", Scree.space_get_setting(_space, "substep_count") == 4.0, Scree.space_get_setting(_space, "substep_count"))
	Scree.space_set_setting(_space, "substep_count", 8)
	Scree.space_set_setting(_space, "penetration_slop", 0.005)
	check("settings of one space", Scree.space_get_setting(_space, "substep_count") == 8.0 and Scree.space_get_setting(_space, "penetration_slop") == 0.005)
	Scree.space_set_setting(_space, "linear_damp", 6.0)
	var before := _velocity()
	_steps(1)
	# Damped by 6 / s in sub-steps of 1/480 s, while 10 m/s^2 act: v' = (v - 10 h) / (1 + 6 h) eight times, or (1 - 6 h) v - 10 h.
	var wanted := before
	for k: int in 8:
		wanted = wanted * (1.0 - 6.0 * TICK / 8.0) - 10.0 * TICK / 8.0
	check("a setting acts", absf(_velocity() - wanted) < 0.01 and absf(before - wanted) > 0.05, [before, _velocity(), wanted])
	var figures := Scree.pool_figures()
	var bodies: Dictionary = figures["bodies"]
	var most: int = bodies["most"]
	var capacity: int = bodies["capacity"]
	check("figures of pools", most == 1 and capacity > 1000, bodies)


func _wrong() -> void:
	check("no step of no time", not Scree.space_step(_space, 0.0))
	check("no step of no space", not Scree.space_step(_body, TICK))
	check("no state of other bytes", not Scree.space_restore(_space, PackedByteArray([1, 2, 3])))
	check("no such setting", Scree.space_get_setting(_space, "speed") == 0.0)
	Scree.space_set_setting(_space, "substep_count", 0)
	Scree.space_set_setting(_space, "substep_count", 2.5)
	check("a wrong value changes nothing", Scree.space_get_setting(_space, "substep_count") == 8.0)
	check("no hash of no space", Scree.space_hash(RID()) == 0)
	PhysicsServer3D.space_set_active(_space, true)
	check("no step of a space that Godot steps", not Scree.space_step(_space, TICK))
