extends SceneTree
## How engines handle mass ratios of 1 to 100: chains of 30 links with a 100 times heavier end, of pins and of cone twists, hanging and
## let go level; and the same weight on a stack of four boxes. All through PhysicsServer3D. Options after `--`: --ticks=N, --json=FILE.

const LINKS := 30
## From joint to joint [m].
const LINK := 0.5
const HEAVY := 100.0
const BOXES := 5
## From here on the stack is to stay where it is.
const SETTLED := 120

## The links of each chain from the top; the last one is heavy.
var _chains: Dictionary[String, Array] = {}
var _tops: Dictionary[String, Vector3] = {}
var _stack: Array[RID] = []
var _kept: Array[RID] = []
var _settled: Array[Vector3] = []
var _figures := {}
var _tick := 0
var _ticks := 600
var _json_path := ""


func _initialize() -> void:
	for argument: String in OS.get_cmdline_user_args():
		match argument.get_slice("=", 0):
			"--ticks": _ticks = argument.get_slice("=", 1).to_int()
			"--json": _json_path = argument.get_slice("=", 1)
			_: push_error("unknown option %s" % argument)
	var at := 0.0
	for joint: PhysicsServer3D.JointType in [PhysicsServer3D.JOINT_TYPE_PIN, PhysicsServer3D.JOINT_TYPE_CONE_TWIST]:
		for way: Vector3 in [Vector3.DOWN, Vector3.RIGHT]:
			var kind := "pins" if joint == PhysicsServer3D.JOINT_TYPE_PIN else "cone twists"
			var name := "%s, %s" % [kind, "hanging" if way == Vector3.DOWN else "let go level"]
			_tops[name] = Vector3(0, 50, at)
			_chains[name] = _chain(_box(Vector3.ONE * 0.05 + way.abs() * 0.2), _tops[name], way, joint)
			_figures[name] = {"most": 0.0, "last": 0.0}
			at += 5.0
	var box := _box(Vector3.ONE * 0.5)
	_kept.append(_body(_box(Vector3(10, 1, 10)), Vector3(0, -1, 0), 0.0, 1))
	for number: int in BOXES:
		_stack.append(_body(box, Vector3(0, 0.5 + number, 0), HEAVY if number == BOXES - 1 else 1.0, 1))
	_figures["stack"] = {"drift": 0.0, "sunk": 0.0}


## Links of 1 kg and a heavy one at their end. They touch nothing.
func _chain(shape: RID, top: Vector3, way: Vector3, joint: PhysicsServer3D.JointType) -> Array:
	var above := _body(shape, top, 0.0, 0)
	_kept.append(above)
	var links := []
	for number: int in LINKS + 1:
		var link := _body(shape, top + way * LINK * (number + 0.5), HEAVY if number == LINKS else 1.0, 0)
		_join(joint, above, Vector3.ZERO if number == 0 else 0.5 * LINK * way, link, -0.5 * LINK * way, way)
		links.append(link)
		above = link
	return links


func _join(type: PhysicsServer3D.JointType, a: RID, on_a: Vector3, b: RID, on_b: Vector3, way: Vector3) -> void:
	var joint := PhysicsServer3D.joint_create()
	_kept.append(joint)
	if type == PhysicsServer3D.JOINT_TYPE_PIN:
		PhysicsServer3D.joint_make_pin(joint, a, on_a, b, on_b)
		return
	var twist := Basis(Quaternion(Vector3.RIGHT, way)) # about its X
	PhysicsServer3D.joint_make_cone_twist(joint, a, Transform3D(twist, on_a), b, Transform3D(twist, on_b))


func _box(half: Vector3) -> RID:
	var shape := PhysicsServer3D.box_shape_create()
	PhysicsServer3D.shape_set_data(shape, half)
	_kept.append(shape)
	return shape


## Static without a mass; it never sleeps.
func _body(shape: RID, place: Vector3, mass: float, layer: int) -> RID:
	var body := PhysicsServer3D.body_create()
	PhysicsServer3D.body_set_mode(body, PhysicsServer3D.BODY_MODE_RIGID if mass > 0.0 else PhysicsServer3D.BODY_MODE_STATIC)
	PhysicsServer3D.body_add_shape(body, shape)
	if mass > 0.0:
		PhysicsServer3D.body_set_param(body, PhysicsServer3D.BODY_PARAM_MASS, mass)
		PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_CAN_SLEEP, false)
	PhysicsServer3D.body_set_collision_layer(body, layer)
	PhysicsServer3D.body_set_collision_mask(body, layer)
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM, Transform3D(Basis.IDENTITY, place))
	PhysicsServer3D.body_set_space(body, root.get_world_3d().space)
	return body


func _place(body: RID) -> Vector3:
	return PhysicsServer3D.body_get_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM).origin


func _physics_process(_delta: float) -> bool:
	_tick += 1
	for name: String in _chains:
		_measure_chain(name)
	_measure_stack()
	if _tick < _ticks:
		return false
	var file := FileAccess.open(_json_path, FileAccess.WRITE)
	file.store_string(JSON.stringify({"engine": PhysicsServer3D.get_class(), "ticks": _tick, "figures": _figures}))
	file.close()
	_free_all()
	return true


## How much farther the end is from the top than all links are long, as a part of their length: the most yet, and now.
func _measure_chain(name: String) -> void:
	var length := LINK * (LINKS + 0.5)
	var stretch := _place(_chains[name][LINKS]).distance_to(_tops[name]) / length - 1.0
	_figures[name]["most"] = maxf(_figures[name]["most"], stretch)
	_figures[name]["last"] = stretch


## How far a box is from where it had settled, and how much lower than all boxes are high the weight is [m]; both the most yet.
func _measure_stack() -> void:
	var places: Array[Vector3] = []
	for box: RID in _stack:
		places.append(_place(box))
	_figures["stack"]["sunk"] = maxf(_figures["stack"]["sunk"], BOXES - 0.5 - places[-1].y)
	if _tick == SETTLED:
		_settled = places
	elif _tick > SETTLED:
		for number: int in BOXES:
			_figures["stack"]["drift"] = maxf(_figures["stack"]["drift"], places[number].distance_to(_settled[number]))


func _free_all() -> void:
	_kept.reverse() # joints before what they hold, bodies before their shapes
	for name: String in _chains:
		_kept.append_array(_chains[name])
	for rid: RID in _stack + _kept:
		PhysicsServer3D.free_rid(rid)
