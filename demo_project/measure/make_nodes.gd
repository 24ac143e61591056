extends SceneTree
## The cost of making, adding and freeing nodes: processor time of the main thread for 5,000 RigidBody3D and 5,000 Area3D, each with
## a CollisionShape3D; with one shape for all, and with a box of its own for each. Three rounds. [s]
##
## `scree prove making_nodes` runs it on two engines: `godot --headless --path PROJECT -s res://measure/make_nodes.gd --
## --json=FILE`. Linux alone tells processor time.

const ProcessorTime := preload("res://measure/processor_time.gd")

const COUNT := 5000
const ROUNDS := 3

var _before := 0
var _rows: Array[Dictionary] = []


func _initialize() -> void:
	print("engine: ", PhysicsServer3D.get_class(), ", ", ProjectSettings.get_setting("physics/3d/physics_engine"))
	await physics_frame
	for kind: String in ["RigidBody3D", "Area3D"]:
		for has_own: bool in [false, true]:
			for round: int in ROUNDS:
				_measure(kind, has_own)
				await physics_frame
	_report()
	quit()


func _report() -> void:
	for option: String in OS.get_cmdline_user_args():
		if option.begins_with("--json="):
			var setting: String = ProjectSettings.get_setting("physics/3d/physics_engine")
			var figures := {"engine": PhysicsServer3D.get_class(), "setting": setting, "rows": _rows}
			FileAccess.open(option.trim_prefix("--json="), FileAccess.WRITE).store_string(JSON.stringify(figures))


func _measure(kind: String, has_own: bool) -> void:
	var nodes: Array[Node3D] = []
	var one := BoxShape3D.new()
	_passed()
	for number: int in COUNT:
		var body: Node3D = ClassDB.instantiate(kind)
		var collision := CollisionShape3D.new()
		collision.shape = BoxShape3D.new() if has_own else one
		body.add_child(collision)
		body.position = Vector3(number % 70 * 2, 1, number / 70 * 2)
		nodes.append(body)
	var made := _passed()
	for body: Node3D in nodes:
		root.add_child(body)
	var added := _passed()
	for body: Node3D in nodes:
		body.free()
	var freed := _passed()
	var what := "%s, %s" % [kind, "a shape each" if has_own else "one shape"]
	_rows.append({"what": what, "made": made, "added": added, "freed": freed})
	print("%s: made %.3f, added %.3f, freed %.3f" % [what, made, added, freed])


## Since the last call [s].
func _passed() -> float:
	OS.delay_usec(2000)  # the system counts what a thread has used when it rests
	var now := ProcessorTime.used_us()
	var passed := 1e-6 * (now - _before)
	_before = now
	return passed
