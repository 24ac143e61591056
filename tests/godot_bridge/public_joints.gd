extends "res://checks.gd"
## Joints beyond Godot's own calls, against formulas: gears, racks, pulleys, ropes, motors, and breaking at the stated force.

var _space: RID
var _things: Array[RID]
var _broken: Array[RID]
var _broke_in: RID


func _initialize() -> void:
	print("class ", PhysicsServer3D.get_class())
	_space = PhysicsServer3D.space_create()
	_things.append(_space)
	var _ignored := Scree.joint_broke.connect(_on_joint_broke)
	_set_gravity(0.0)
	_gear()
	_rack()
	_motor()
	_spring()
	_set_gravity(10.0)
	_pulley()
	_rope()
	await _breaking()
	_apart()
	_node_joint()
	_shifted()
	_wrong()
	_things.reverse()
	for thing: RID in _things:
		PhysicsServer3D.free_rid(thing)
	quit()


func _on_joint_broke(space: RID, joint: RID) -> void:
	_broke_in = space
	_broken.append(joint)


func _set_gravity(strength: float) -> void:
	PhysicsServer3D.area_set_param(_space, PhysicsServer3D.AREA_PARAM_GRAVITY, strength)
	PhysicsServer3D.area_set_param(_space, PhysicsServer3D.AREA_PARAM_LINEAR_DAMP, 0.0)
	PhysicsServer3D.area_set_param(_space, PhysicsServer3D.AREA_PARAM_ANGULAR_DAMP, 0.0)


func _steps(count: int) -> void:
	for k: int in count:
		var _stepped: Variant = PhysicsServer3D.call("space_step", _space, TICK)


func _body(at: Vector3, mass := 1.0, kind := PhysicsServer3D.BODY_MODE_RIGID) -> RID:
	var ball := PhysicsServer3D.sphere_shape_create()
	PhysicsServer3D.shape_set_data(ball, 0.25)
	var body := PhysicsServer3D.body_create()
	PhysicsServer3D.body_set_mode(body, kind)
	PhysicsServer3D.body_add_shape(body, ball)
	PhysicsServer3D.body_set_param(body, PhysicsServer3D.BODY_PARAM_MASS, mass)
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM, Transform3D(Basis.IDENTITY, at))
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_CAN_SLEEP, false)
	PhysicsServer3D.body_set_space(body, _space)
	_things.append(ball)
	_things.append(body)
	return body


func _hinged(at: Vector3) -> RID:
	var body := _body(at)
	var hinge := PhysicsServer3D.joint_create()
	PhysicsServer3D.joint_make_hinge(hinge, body, Transform3D.IDENTITY, RID(), Transform3D(Basis.IDENTITY, at))
	_things.append(hinge)
	return body


func _place(body: RID) -> Vector3:
	var state: Transform3D = PhysicsServer3D.body_get_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM)
	return state.origin


func _velocity(body: RID) -> Vector3:
	return PhysicsServer3D.body_get_state(body, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY)


func _spin(body: RID) -> float:
	var spin: Vector3 = PhysicsServer3D.body_get_state(body, PhysicsServer3D.BODY_STATE_ANGULAR_VELOCITY)
	return spin.z


func _push(body: RID, velocity: Vector3, spin := Vector3.ZERO) -> void:
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY, velocity)
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_ANGULAR_VELOCITY, spin)


func _gear() -> void:
	var a := _hinged(Vector3(0, 10, 0))
	var b := _hinged(Vector3(2, 10, 0))
	var gear := Scree.gear_create(a, b, Vector3(0, 0, 1), Vector3(0, 0, 1), 3.0)
	_push(a, Vector3.ZERO, Vector3(0, 0, 6))
	_steps(10)
	check("gear: turn of A + 3 x turn of B is 0", near(_spin(a), -3.0 * _spin(b)) and absf(_spin(b)) > 0.1, [_spin(a), _spin(b)])
	# Angular momentum, counted with the ratio: of equal inertias, A keeps r^2 / (1 + r^2) of its speed.
	check("gear: speeds after the catch", near(_spin(a), 6.0 * 9.0 / 10.0, 0.02), _spin(a))
	Scree.gear_set_ratio(gear, -1.0)
	_steps(10)
	check("gear: another ratio", near(_spin(a), _spin(b)), [_spin(a), _spin(b)])
	Scree.joint_set_enabled(gear, false)
	_push(a, Vector3.ZERO, Vector3(0, 0, 1))
	_push(b, Vector3.ZERO)
	_steps(5)
	check("gear: switched off", near(_spin(a), 1.0) and absf(_spin(b)) < 1e-4 and not Scree.joint_is_enabled(gear), [_spin(a), _spin(b)])
	Scree.free_joint(gear)


func _rack() -> void:
	var pinion := _hinged(Vector3(0, 20, 0))
	var rack := _body(Vector3(2, 20, 0))
	var slider := PhysicsServer3D.joint_create()
	PhysicsServer3D.joint_make_slider(slider, rack, Transform3D.IDENTITY, RID(), Transform3D(Basis.IDENTITY, Vector3(2, 20, 0)))
	Scree.joint_free_axis(slider, Scree.JOINT_AXIS_LINEAR_X)
	_things.append(slider)
	_things.append(Scree.rack_create(pinion, rack, Vector3(0, 0, 1), Vector3(1, 0, 0), 0.5))
	_push(pinion, Vector3.ZERO, Vector3(0, 0, 2))
	_steps(10)
	check("rack: way is ratio x turn", near(_velocity(rack).x, 0.5 * _spin(pinion)) and _spin(pinion) > 0.1, [_velocity(rack), _spin(pinion)])


func _motor() -> void:
	var body := _body(Vector3(0, 30, 0), 2.0)
	var slider := PhysicsServer3D.joint_create()
	PhysicsServer3D.joint_make_slider(slider, body, Transform3D.IDENTITY, RID(), Transform3D(Basis.IDENTITY, Vector3(0, 30, 0)))
	_things.append(slider)
	Scree.joint_set_limits(slider, Scree.JOINT_AXIS_LINEAR_X, -5.0, 5.0)
	Scree.joint_set_motor(slider, Scree.JOINT_AXIS_LINEAR_X, 3.0, 4.0)
	_steps(30)
	# 4 N move 2 kg by 2 m/s^2.
	check("motor: its force", near(_velocity(body).x, 1.0), _velocity(body))
	check("motor: the force that a joint bears", near(Scree.joint_get_force(slider).x, 4.0), Scree.joint_get_force(slider))
	_steps(90)
	check("motor: its velocity", near(_velocity(body).x, 3.0), _velocity(body))
	check("the position along an axis", near(Scree.joint_get_position(slider, Scree.JOINT_AXIS_LINEAR_X), _place(body).x), _place(body))
	_steps(120)
	check("a limit of an axis", near(_place(body).x, 5.0), _place(body))
	Scree.joint_clear_motor(slider, Scree.JOINT_AXIS_LINEAR_X)


func _spring() -> void:
	var body := _body(Vector3(0, 40, 0), 2.0)
	var slider := PhysicsServer3D.joint_create()
	PhysicsServer3D.joint_make_slider(slider, body, Transform3D.IDENTITY, RID(), Transform3D(Basis.IDENTITY, Vector3(0, 40, 0)))
	_things.append(slider)
	Scree.joint_free_axis(slider, Scree.JOINT_AXIS_LINEAR_X)
	Scree.joint_set_spring(slider, Scree.JOINT_AXIS_LINEAR_X, 50.0, 20.0, 1.0)
	_steps(240)
	check("spring: its target", near(_place(body).x, 1.0), _place(body))
	Scree.joint_set_frequency(slider, Scree.JOINT_AXIS_LINEAR_X, 2.0, 1.0, -1.0, 3.0)
	_steps(30)
	# 3 N at most on 2 kg for half a second.
	check("spring: its force", near(_velocity(body).x, -0.75, 0.03), _velocity(body))
	Scree.joint_clear_spring(slider, Scree.JOINT_AXIS_LINEAR_X)
	var before := _velocity(body).x
	_steps(10)
	check("spring: removed", near(_velocity(body).x, before), [before, _velocity(body)])


func _pulley() -> void:
	var a := _body(Vector3(-1, 45, 0), 3.0)
	var b := _body(Vector3(1, 45, 0), 1.0)
	var pulley := Scree.pulley_create(a, b, Vector3(-1, 45, 0), Vector3(1, 45, 0), Vector3(-1, 50, 0), Vector3(1, 50, 0))
	_steps(30)
	# Atwood's machine: (3 - 1) / (3 + 1) g, with a tension of 2 x 3 x 1 / (3 + 1) g.
	check("pulley: Atwood's machine", near(_velocity(a).y, -2.5, 0.03) and near(_velocity(b).y, 2.5, 0.03), [_velocity(a), _velocity(b)])
	check("pulley: its tension", near(Scree.pulley_get_tension(pulley), 15.0, 0.03), Scree.pulley_get_tension(pulley))
	check("pulley: the length of its rope", near(Scree.pulley_get_length(pulley), 10.0), Scree.pulley_get_length(pulley))
	Scree.pulley_set_lengths(pulley, 0.0, 12.0)
	_steps(5)
	check("pulley: a longer rope is slack", near(Scree.pulley_get_tension(pulley), 0.0), Scree.pulley_get_tension(pulley))
	PhysicsServer3D.free_rid(pulley)


func _rope() -> void:
	var body := _body(Vector3(5, 50, 0), 2.0)
	var rope := Scree.rope_create(RID(), body, Vector3(5, 52, 0), Vector3(5, 50, 0), 0.0, 3.0)
	_steps(20)
	check("rope: slack", near(_velocity(body).y, -10.0 / 3.0), _velocity(body))
	_steps(100)
	check("rope: taut", near(_place(body).y, 49.0, 0.001), _place(body))
	check("rope: bears the weight", near(Scree.joint_get_force(rope).y, 20.0, 0.02), Scree.joint_get_force(rope))
	Scree.rope_set_lengths(rope, 2.0, 2.0)
	_steps(120)
	check("rope: a rod", near(_place(body).y, 50.0, 0.001), _place(body))
	_things.append(rope)
	# The scale of a body is not one of the joint's frame.
	var large := _body(Vector3(8, 50, 0))
	PhysicsServer3D.body_set_state(large, PhysicsServer3D.BODY_STATE_TRANSFORM, Transform3D(Basis.from_scale(Vector3(2, 2, 2)), Vector3(8, 50, 0)))
	_things.append(Scree.rope_create(RID(), large, Vector3(8, 52, 0), Vector3(8, 50.4, 0), 0.0, 1.6))
	_steps(60)
	check("rope: at a scaled body", near(_place(large).y, 50.0, 0.001), _place(large))
	var pulley := Scree.pulley_create(large, RID(), Vector3(8, 50.4, 0), Vector3(9, 50, 0), Vector3(8, 52, 0), Vector3(9, 52, 0))
	_steps(1)
	check("pulley: at a scaled body", near(Scree.pulley_get_length(pulley), 1.6 + 2.0, 0.001), Scree.pulley_get_length(pulley))
	Scree.free_joint(pulley)


func _breaking() -> void:
	# 2 kg weigh 20 N. A weld that bears 21 N holds them; one that bears 19 N breaks in the first step.
	var holds := _body(Vector3(10, 50, 0), 2.0)
	var strong := Scree.weld_create(RID(), holds)
	Scree.joint_set_break(strong, 21.0)
	var falls := _body(Vector3(12, 50, 0), 2.0)
	var weak := Scree.weld_create(falls, RID())
	Scree.joint_set_break(weak, 19.0)
	check("the force to break at", Scree.joint_get_break_force(weak) == 19.0 and is_inf(Scree.joint_get_break_torque(weak)))
	_steps(1)
	check("nothing is told before the flush", _broken.is_empty() and Scree.joint_is_broken(weak))
	var _flushed: Variant = PhysicsServer3D.call("space_flush", _space)
	check("the signal", _broken == [weak] and _broke_in == _space, _broken)
	_steps(29)
	check("above its force a joint breaks", near(_velocity(falls).y, -5.0, 0.04), _velocity(falls))
	check("below it, it holds", near(_place(holds).y, 50.0, 0.001) and not Scree.joint_is_broken(strong), _place(holds))
	check("the force of a weld", near(Scree.joint_get_force(strong).y, 20.0), Scree.joint_get_force(strong))
	Scree.joint_set_enabled(weak, true)
	Scree.joint_set_break(weak, INF)
	_push(falls, Vector3.ZERO)
	_steps(120)
	check("a mended joint holds", not Scree.joint_is_broken(weak) and absf(_velocity(falls).y) < 0.01, _velocity(falls))
	# A weld one metre beside a body of 2 kg bears 20 N m.
	Scree.joint_set_break(strong, INF, INF)
	PhysicsServer3D.body_add_constant_torque(holds, Vector3(0, 0, 30))
	Scree.joint_set_break(strong, INF, 31.0)
	_steps(10)
	check("below its torque a joint holds", not Scree.joint_is_broken(strong) and near(Scree.joint_get_torque(strong).z, -30.0), Scree.joint_get_torque(strong))
	Scree.joint_set_break(strong, INF, 29.0)
	_steps(1)
	check("above its torque it breaks", Scree.joint_is_broken(strong))
	# While Godot steps the space, the signal comes by itself.
	PhysicsServer3D.space_set_active(_space, true)
	var third := Scree.weld_create(RID(), _body(Vector3(14, 50, 0), 2.0))
	Scree.joint_set_break(third, 10.0)
	for k: int in 3:
		await physics_frame
	check("the signal while Godot steps", _broken == [weak, strong, third], _broken)
	PhysicsServer3D.space_set_active(_space, false)
	for joint: RID in [strong, weak, third] as Array[RID]:
		PhysicsServer3D.free_rid(joint)


## Two balls 0.3 m apart, of 0.25 m each: joined they do not collide, apart they do.
func _apart() -> void:
	var low := _body(Vector3(25, 50, 0), 1.0, PhysicsServer3D.BODY_MODE_STATIC)
	var high := _body(Vector3(25, 50.3, 0))
	var weld := Scree.weld_create(low, high)
	_steps(10)
	check("joined bodies do not collide", near(_place(high).y, 50.3, 0.001), _place(high))
	var state := Scree.space_save(_space)
	Scree.joint_set_break(weld, 5.0)
	_steps(1)
	var flushed := Scree.space_flush(_space)
	_steps(20)
	check("after it broke they do", flushed and _place(high).distance_to(_place(low)) > 0.48, _place(high))
	check("no way back to before it broke", not Scree.space_restore(_space, state))
	_things.append(weld)


func _node_joint() -> void:
	# A joint of Godot keeps its force to break at while it gets other bodies.
	var a := _body(Vector3(20, 50, 0), 2.0, PhysicsServer3D.BODY_MODE_STATIC)
	var b := _body(Vector3(20, 49, 0), 2.0)
	var pin := PhysicsServer3D.joint_create()
	Scree.joint_set_break(pin, 19.0)
	PhysicsServer3D.joint_make_pin(pin, a, Vector3.ZERO, b, Vector3(0, 1, 0))
	_steps(1)
	check("a pin of Godot breaks", Scree.joint_is_broken(pin))
	PhysicsServer3D.joint_make_pin(pin, a, Vector3.ZERO, b, Vector3(0, 1, 0))
	Scree.joint_set_break(pin, 25.0)
	_push(b, Vector3.ZERO)
	PhysicsServer3D.body_set_state(b, PhysicsServer3D.BODY_STATE_TRANSFORM, Transform3D(Basis.IDENTITY, Vector3(20, 49, 0)))
	_steps(2)
	check("made again it holds", not Scree.joint_is_broken(pin) and near(Scree.joint_get_force(pin).y, 20.0, 0.02), Scree.joint_get_force(pin))
	check("the type of Godot's joints", PhysicsServer3D.joint_get_type(pin) == PhysicsServer3D.JOINT_TYPE_PIN)
	_things.append(pin)


func _shifted() -> void:
	PhysicsServer3D.call("space_shift_origin", _space, Vector3(100, 0, 0))
	var body := _body(Vector3(-70, 50, 0), 1.0)
	var rope := Scree.rope_create(body, RID(), Vector3(-70, 50, 0), Vector3(-70, 52, 0), 0.0, 2.0)
	_steps(30)
	check("a rope after a shift", near(_place(body).y, 50.0, 0.001) and near(_place(body).x, -70.0, 0.001), _place(body))
	check("the force on body A", near(Scree.joint_get_force(rope).y, 10.0, 0.02), Scree.joint_get_force(rope))
	_things.append(rope)


func _wrong() -> void:
	var body := _body(Vector3(40, 50, 0))
	check("a gear without a direction", Scree.gear_create(body, _body(Vector3(42, 50, 0)), Vector3.ZERO, Vector3.RIGHT, 1.0) == RID())
	check("a weld with itself", Scree.weld_create(body, body) == RID())
	check("a rope that is too short", Scree.rope_create(RID(), body, Vector3.ZERO, Vector3.ZERO, 2.0, 1.0) == RID())
	check("a joint that is none", Scree.joint_get_force(body) == Vector3.ZERO)
	var empty := PhysicsServer3D.joint_create()
	check("a joint without bodies", Scree.joint_get_position(empty, Scree.JOINT_AXIS_TWIST) == 0.0)
	Scree.joint_set_break(empty, -1.0)
	check("no force below 0", is_inf(Scree.joint_get_break_force(empty)))
	check("no ratio of a pin", not Scree.joint_is_broken(empty))
	Scree.gear_set_ratio(empty, 2.0)
	Scree.pulley_set_lengths(empty, 0.0, 1.0)
	var weld := Scree.weld_create(RID(), body)
	PhysicsServer3D.hinge_joint_set_param(weld, PhysicsServer3D.HINGE_JOINT_BIAS, 0.5)
	check("a weld is no type of Godot", PhysicsServer3D.joint_get_type(weld) == PhysicsServer3D.JOINT_TYPE_MAX)
	Scree.free_joint(weld)
	Scree.free_joint(weld)
	check("a freed joint", not Scree.joint_is_broken(weld))
	PhysicsServer3D.free_rid(empty)
