extends SceneTree
## A body of 20,000 box shapes in flight, as engines without bricks have it: 1,000 edits a tick at random places, with 300 crates
## and 20 characters on it. The scene `carrier` does the same with bricks, five times as many.
##
## Run with `-s res://measure/boxes_in_flight.gd -- --json=FILE --ticks=N`. It ends after N ticks or SECONDS, whichever comes
## first, also within the edits of a tick.

const RunOptions := preload("res://scripts/run_options.gd")
const Crew := preload("res://scripts/crew.gd")
const SIDE := Vector3i(100, 2, 100) # of the slab [boxes]
const UNIT := 0.5
const EDITS := 500 # boxes taken out in a tick, and as many put back
const CRATES := 300
const CREW := 20
const SECONDS := 30.0
const SPEED := 20.0
const SPIN := 0.06

var _options: RunOptions = RunOptions.parse(OS.get_cmdline_user_args())
var _random := RandomNumberGenerator.new()
var _body := RigidBody3D.new()
var _crates: Array[RigidBody3D] = []
var _box := RID()
var _places: Array[Vector3] = []
var _tick_ms := PackedFloat64Array()
var _edits := 0
var _began := 0
var _last := 0


func _initialize() -> void:
	_random.seed = 1
	_box = PhysicsServer3D.box_shape_create()
	PhysicsServer3D.shape_set_data(_box, Vector3.ONE * UNIT / 2.0)
	for x: int in SIDE.x:
		for y: int in SIDE.y:
			for z: int in SIDE.z:
				_places.append((Vector3(x, y, z) + Vector3.ONE / 2.0 - Vector3(SIDE) / 2.0) * UNIT)
	for place: Vector3 in _places:
		PhysicsServer3D.body_add_shape(_body.get_rid(), _box, Transform3D(Basis.IDENTITY, place))
	_body.mass = 1e6
	_body.gravity_scale = 0.0
	_body.can_sleep = false
	_body.position.y = 40.0
	root.add_child(_body)
	for number: int in CRATES:
		var crate := RigidBody3D.new()
		crate.add_child(_shape_node())
		crate.position = _body.position + Vector3(-20.0 + 2.2 * (number % 19), UNIT + 0.41, -20.0 + 2.5 * (number / 19))
		root.add_child(crate)
		_crates.append(crate)
	for number: int in CREW:
		var along := -20.0 + 9.0 * (number % 5)
		var one := Crew.new(_body, along - 2.0, along + 2.0)
		one.position = _body.position + Vector3(along, UNIT + 0.05, -18.75 + 10.0 * (number / 5))
		root.add_child(one)
	_began = Time.get_ticks_usec()


func _physics_process(_delta: float) -> bool:
	var now := Time.get_ticks_usec()
	if _last > 0:
		_tick_ms.append((now - _last) / 1000.0)
	_last = now
	if _tick_ms.size() >= maxi(_options.ticks, 1) or _seconds() > SECONDS:
		_finish()
		return true
	_body.angular_velocity = Vector3.UP * SPIN
	_body.linear_velocity = _body.global_basis.x * SPEED
	_edit()
	return false


func _edit() -> void:
	for number: int in EDITS:
		if _seconds() > SECONDS:
			return
		var which := _random.randi_range(0, _places.size() - 1)
		PhysicsServer3D.body_remove_shape(_body.get_rid(), which)
		PhysicsServer3D.body_add_shape(_body.get_rid(), _box, Transform3D(Basis.IDENTITY, _places[which]))
		_places.append(_places[which])
		_places.remove_at(which)
		_edits += 2


func _seconds() -> float:
	return (Time.get_ticks_usec() - _began) / 1e6


func _shape_node() -> CollisionShape3D:
	var node := CollisionShape3D.new()
	node.shape = BoxShape3D.new()
	(node.shape as BoxShape3D).size = Vector3.ONE * 0.8
	return node


func _finish() -> void:
	var aboard := 0
	for crate: RigidBody3D in _crates:
		var place := _body.global_transform.affine_inverse() * crate.global_position
		aboard += int(place.y > 0.0 and absf(place.x) < 25.0 and absf(place.z) < 25.0)
	var file := FileAccess.open(_options.json_path, FileAccess.WRITE)
	file.store_string(JSON.stringify({"engine": ProjectSettings.get_setting("physics/3d/physics_engine"), "boxes": _places.size(), "edits": _edits,
		"seconds": _seconds(), "tick_ms": Array(_tick_ms), "crates_aboard": aboard}))
	file.close()
	PhysicsServer3D.free_rid(_box)
