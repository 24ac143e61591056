extends SceneTree
## Runs the functions `rows_*` of one file and writes what they tell:
##
## godot --headless --fixed-fps 60 --path PROJECT -s res://truth/run_truth.gd -- --json=FILE --file=truth_landing [--only=rows_a]

const TruthScene = preload("res://truth/truth_scene.gd")
## A function that has not ended after so many ticks is left.
const MOST_TICKS := 20000

var _ended := false


func _initialize() -> void:
	_run()


func _run() -> void:
	await physics_frame
	var options := {}
	for argument: String in OS.get_cmdline_user_args():
		options[argument.get_slice("=", 0).trim_prefix("--")] = argument.get_slice("=", 1)
	var script: GDScript = load("res://truth/%s.gd" % options["file"])
	var rows: Array[Dictionary] = []
	for method: Dictionary in script.get_script_method_list():
		var name: String = method["name"]
		if name.begins_with("rows_") and (options.get("only", name) == name):
			rows.append_array(await _rows_of(script, name))
			_write(options["json"], rows)
	quit()


func _rows_of(script: GDScript, method: String) -> Array[Dictionary]:
	var scene: TruthScene = script.new()
	root.add_child(scene)
	_ended = false
	_call(scene, method)
	var ticks := 0
	while not _ended and ticks < MOST_TICKS:
		await physics_frame
		ticks += 1
	var rows: Array[Dictionary] = scene.rows.duplicate()
	if not _ended:
		push_error("%s did not end" % method)
	await scene.clear()
	scene.free()
	await physics_frame
	for row: Dictionary in rows:
		row["test"] = method
	return rows


func _call(scene: TruthScene, method: String) -> void:
	await scene.call(method)
	_ended = true


## After each function, so that a crash leaves what came before it.
func _write(path: String, rows: Array[Dictionary]) -> void:
	var file := FileAccess.open(path, FileAccess.WRITE)
	file.store_string(JSON.stringify({
		"server": PhysicsServer3D.get_class(),
		"setting": ProjectSettings.get_setting("physics/3d/physics_engine"),
		"rows": rows,
	}))
	file.close()
