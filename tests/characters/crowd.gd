extends Node3D
## 500 characters in a town: how much processor time of the main thread a tick takes for each. `--mode=` slide: move_and_slide; walk:
## ScreeCharacter3D; batch: one call of the server; none: they stand and nothing is called.

const COUNT := 500
const SPEED := 3.0
const FIRST_TICK := 60
const LAST_TICK := 360

var _mode := "slide"
var _walkers: Array[CharacterBody3D] = []
var _handles := PackedInt32Array()
var _wanted := PackedVector3Array()
var _ticks := 0
var _used_before := 0.0
var _random := RandomNumberGenerator.new()


class Sliding extends CharacterBody3D:
	func _physics_process(delta: float) -> void:
		var wanted: Vector3 = get_meta(&"wanted")
		velocity = Vector3(wanted.x, 0.0 if is_on_floor() else velocity.y - 9.8 * delta, wanted.z)
		move_and_slide()


func _ready() -> void:
	_random.seed = 1
	for argument: String in OS.get_cmdline_user_args():
		if argument.begins_with("--mode="):
			_mode = argument.substr(7)
	var faces := PackedVector3Array()
	for x: int in range(-60, 60):
		for z: int in range(-60, 60):
			faces.append_array([Vector3(x, 0, z), Vector3(x + 1, 0, z), Vector3(x, 0, z + 1)])
			faces.append_array([Vector3(x + 1, 0, z), Vector3(x + 1, 0, z + 1), Vector3(x, 0, z + 1)])
	var ground := ConcavePolygonShape3D.new()
	ground.set_faces(faces)
	_put(StaticBody3D.new(), ground, Vector3.ZERO)
	var house := BoxShape3D.new()
	house.size = Vector3(2, 4, 2)
	for index: int in 576:
		_put(StaticBody3D.new(), house, Vector3(5 * (index % 24) - 57.5, 2, 5 * (index / 24) - 57.5))
	var capsule := CapsuleShape3D.new()
	capsule.radius = 0.3
	capsule.height = 1.8
	for index: int in COUNT:
		var walker: CharacterBody3D = CharacterBody3D.new()
		if _mode == "slide":
			walker = Sliding.new()
		elif _mode == "walk":
			walker = load("res://crowd_walker.gd").new()
		walker.set_meta(&"wanted", Vector3.ZERO)
		var off := Vector3(_random.randf_range(-0.5, 0.5), 0.92, _random.randf_range(-0.5, 0.5))
		_put(walker, capsule, Vector3(5 * (index % 22) - 55, 0, 5 * (index / 22) - 55) + off)
		_walkers.append(walker)
	_wanted.resize(COUNT)


func _physics_process(delta: float) -> void:
	if _ticks == FIRST_TICK:
		_used_before = _used_us()
	if _ticks == LAST_TICK:
		print("[crowd] %s %s: %.2f us of a tick for each" % [
			PhysicsServer3D.get_class(), _mode, (_used_us() - _used_before) / (LAST_TICK - FIRST_TICK) / COUNT])
		get_tree().quit()
	if _ticks % 60 == 0:
		for index: int in COUNT:
			var place := _walkers[index].position
			var way := Vector3.RIGHT.rotated(Vector3.UP, _random.randf_range(0, TAU))
			if absf(place.x) > 50.0 or absf(place.z) > 50.0:
				way = -Vector3(place.x, 0, place.z).normalized()
			_wanted[index] = SPEED * way
			_walkers[index].set_meta(&"wanted", SPEED * way)
	_ticks += 1
	if _mode == "batch":
		_move_all(delta)


func _move_all(delta: float) -> void:
	if _handles.is_empty():
		for walker: CharacterBody3D in _walkers:
			_handles.append(PhysicsServer3D.call("character_create", walker.get_rid(), {}))
	var moved: PackedVector3Array = PhysicsServer3D.call("characters_move", _handles, _wanted, delta)
	for index: int in COUNT:
		_walkers[index].position = moved[3 * index]


func _put(body: CollisionObject3D, shape: Shape3D, place: Vector3) -> void:
	var collision := CollisionShape3D.new()
	collision.shape = shape
	body.add_child(collision)
	body.position = place
	add_child(body)


## Processor time of the main thread [us]; Linux tells it after a pause.
func _used_us() -> float:
	OS.delay_usec(100)
	return FileAccess.open("/proc/self/schedstat", FileAccess.READ).get_line().get_slice(" ", 0).to_float() / 1000.0
