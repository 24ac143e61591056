extends SceneTree
## The physics server's whole API called at random, valid and invalid, with steps in between.
##
## The methods are those that the running engine lists, of the server and of the direct states of bodies and spaces; each
## argument is made from its type and name (`call_arguments.gd`). A valid call must print no error, an invalid one exactly one.
## Run with `-s res://measure/random_calls.gd -- --json=FILE --calls=20000 --seed=1`; a seed makes the same calls again.

const Arguments = preload("res://measure/call_arguments.gd")

const CLASSES: Array[String] = ["PhysicsServer3D", "PhysicsDirectBodyState3D", "PhysicsDirectSpaceState3D"]
const CALLS_IN_A_TICK := 50
const INVALID_PART := 0.12
const MOST_EXAMPLES := 60
## Godot has no way to describe a custom shape: no engine makes one, and that is an error.
# Of the second the handler is null here: nothing that can be one is at hand.
const ALWAYS_AN_ERROR: Array[String] = ["custom_shape_create", "soft_body_update_rendering_server"]

var _arguments: Arguments
var _errors := ErrorCounter.new()
var _methods: Array[Dictionary] = []
var _valid := {}
var _invalid := {}
var _faults := {}
var _total := 20000
var _done := 0
var _json := ""
var _trace := false
var _resident := PackedInt64Array()
var _ended := false


## Counts what the engine reports as errors, and keeps the last one's words.
class ErrorCounter extends Logger:
	var count := 0
	var last := ""

	func _log_error(_function: String, _file: String, _line: int, code: String, rationale: String, _editor: bool,
			type: int, _backtraces: Array[ScriptBacktrace]) -> void:
		if type != Logger.ERROR_TYPE_WARNING:
			count += 1
			last = code if rationale == "" else rationale


func _initialize() -> void:
	var seed_value := 1
	for argument: String in OS.get_cmdline_user_args():
		var value := argument.get_slice("=", 1)
		match argument.get_slice("=", 0):
			"--json": _json = value
			"--calls": _total = value.to_int()
			"--seed": seed_value = value.to_int()
			"--trace": _trace = true
	OS.add_logger(_errors)
	_arguments = Arguments.new(seed_value, root.world_3d.space)
	for class_of_method: String in CLASSES:
		for method: Dictionary in ClassDB.class_get_method_list(class_of_method, true):
			if not method["flags"] & METHOD_FLAG_VIRTUAL:
				method["class"] = class_of_method
				method["key"] = "%s.%s" % [class_of_method, method["name"]]
				_methods.append(method)
				_valid[method["key"]] = 0
				_invalid[method["key"]] = 0


func _physics_process(_delta: float) -> bool:
	if _ended:
		return true
	if _errors.count > 0:
		_note("step", "an error in a step", _errors.last, [])
	for number: int in mini(CALLS_IN_A_TICK, _total - _done):
		_call_one()
	if _done * 5 % _total < CALLS_IN_A_TICK * 5:
		_resident.append(_resident_bytes())
	_errors.count = 0
	if _done >= _total:
		_end()
	return false


func _call_one() -> void:
	var random := _arguments.random
	var method: Dictionary = _methods[random.randi_range(0, _methods.size() - 1)]
	var wants_invalid := random.randf() < INVALID_PART
	_errors.count = 0
	var receiver: Object = _arguments.receiver(method)
	if receiver == null:
		return
	var made: Variant = _arguments.make(method)
	if _errors.count > 0:
		_note(method["key"], "an error while arguments were made", _errors.last, [])
	if made == null:
		return
	var values: Array = made
	var is_valid := true
	if method["name"] in ALWAYS_AN_ERROR:
		is_valid = false
	elif wants_invalid:
		is_valid = not _arguments.spoil(method, values)
	_errors.count = 0
	if _trace:
		print("[call] %d %s%s %s" % [_done, "" if is_valid else "invalid ", method["key"], values])
	var answer: Variant = receiver.callv(method["name"], values)
	_done += 1
	if is_valid:
		_valid[method["key"]] += 1
		if _errors.count > 0:
			_note(method["key"], "an error for a valid call", _errors.last, values)
	else:
		_invalid[method["key"]] += 1
		if _errors.count != 1:
			_note(method["key"], "%d errors for an invalid call" % _errors.count, _errors.last if _errors.count else "", values)
	_arguments.take(method, values, answer, is_valid)


func _note(key: String, what: String, error: String, values: Array) -> void:
	var name := "%s: %s" % [key, what]
	if name not in _faults:
		_faults[name] = {"count": 0, "call": _done, "error": error, "values": str(values).left(400)}
	_faults[name]["count"] += 1


func _end() -> void:
	_errors.count = 0
	_arguments.free_all()
	if _errors.count > 0:
		_note("free_all", "an error at the end", _errors.last, [])
	_ended = true
	OS.remove_logger(_errors)
	var valid := 0
	var least := 1 << 60
	var rarest := ""
	for key: String in _valid:
		valid += _valid[key]
		if _valid[key] < least and key.get_slice(".", 1) not in ALWAYS_AN_ERROR:
			least = _valid[key]
			rarest = key
	var figures := {
		"engine": PhysicsServer3D.get_class(), "engine_setting": ProjectSettings.get_setting("physics/3d/physics_engine"),
		"calls": _done, "valid": valid, "methods": _methods.size(), "least_valid": least, "rarest": rarest,
		"resident": Array(_resident), "faults": _faults, "ticks": Engine.get_physics_frames(),
	}
	if _json != "":
		FileAccess.open(_json, FileAccess.WRITE).store_string(JSON.stringify(figures))
	print("[end] %d calls, %d valid, %d methods, at least %d valid of each (%s), %d kinds of faults" % [
		_done, valid, _methods.size(), least, rarest, _faults.size()])


static func _resident_bytes() -> int:
	var file := FileAccess.open("/proc/self/statm", FileAccess.READ)
	return int(file.get_line().get_slice(" ", 1)) * 4096 if file != null else 0
