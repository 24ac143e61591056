extends SceneTree
## Runs behaviour tests in one Godot process: every function `test_*` of the files `test_*.gd` beside this one.
##
## godot --headless --fixed-fps 60 --path PROJECT -s res://gd/run_tests.gd -- [--json=FILE] [--only=TEXT] [--files=a,b]
##     [--list=FILE] [--stop]
##
## --only takes the tests whose name holds TEXT, --files those of the named files, --list those named in FILE.
## --stop ends at the first that fails.
##
## Each test starts right after a `physics_frame` signal, in an empty world, with the project's own settings; when it
## ends all it made is freed. A line `[test] NAME` goes before each, so that what the engine prints can be told apart.

const PhysicsTest = preload("res://gd/physics_test.gd")
const FOLDER := "res://gd"
## A test that has not ended after so many ticks has failed.
const MOST_TICKS := 3000
## Not run unless named with --files: its tests make the engine print errors on purpose.
const ONLY_BY_NAME: Array[String] = ["test_bad_input"]

var _results: Array[Dictionary] = []
var _finished := false


func _initialize() -> void:
	_run_all()


func _run_all() -> void:
	await physics_frame
	var started := Time.get_ticks_msec()
	var options := _options()
	print("[engine] %s | %s | %s" % [PhysicsServer3D.get_class(), _engine_setting(), Engine.get_version_info()["string"]])
	var listed := PackedStringArray()
	if "list" in options:
		listed = FileAccess.get_file_as_string(options["list"]).split("\n", false)
	for file: String in _files(options.get("files", "")):
		var script: GDScript = load("%s/%s.gd" % [FOLDER, file])
		for method: Dictionary in script.get_script_method_list():
			var name: String = method["name"]
			if name.begins_with("test_") and _matches("%s.%s" % [file, name], options.get("only", "")):
				if _stopped(options):
					continue
				if listed.is_empty() or "%s.%s" % [file, name] in listed:
					_results.append(await _run_one(script, file, name))
	var failed := _results.filter(func(result: Dictionary) -> bool: return not result["passed"]).size()
	print("[end] %d tests, %d failed, %.1f s [%s]" % [
		_results.size(), failed, (Time.get_ticks_msec() - started) / 1000.0, _engine_setting()])
	_write(options.get("json", ""))
	quit(1 if failed > 0 or _results.is_empty() else 0)


func _run_one(script: GDScript, file: String, method: String) -> Dictionary:
	print("[test] %s.%s" % [file, method])
	OS.set_environment("SCREE_TEST", "%s.%s" % [file, method])
	var started := Time.get_ticks_usec()
	var test: PhysicsTest = script.new()
	root.add_child(test)
	_finished = false
	_call(test, method)
	var ticks := 0
	while not _finished and ticks < MOST_TICKS:
		await physics_frame
		ticks += 1
	if not _finished:
		test.failures.append("did not end: a script error, or more than %d ticks" % MOST_TICKS)
	elif test.checks == 0 and test.failures.is_empty():
		test.failures.append("checked nothing")
	var result := {
		"name": "%s.%s" % [file, method],
		"passed": test.failures.is_empty(),
		"checks": test.checks,
		"failures": test.failures.duplicate(),
		"ticks": ticks,
		"ms": (Time.get_ticks_usec() - started) / 1000.0,
	}
	await test.clear()
	test.free()
	await physics_frame
	print("[%s] %s%s" % ["pass" if result["passed"] else "FAIL", result["name"],
		"" if result["passed"] else "\n    " + "\n    ".join(result["failures"])])
	return result


## Whether --stop was given and a test has failed.
func _stopped(options: Dictionary) -> bool:
	return "stop" in options and not _results.is_empty() and not _results[-1]["passed"]


func _call(test: PhysicsTest, method: String) -> void:
	await test.call(method)
	_finished = true


func _files(wanted: String) -> Array[String]:
	var files: Array[String] = []
	for file: String in DirAccess.get_files_at(FOLDER):
		var name := file.get_basename()
		if file.get_extension() != "gd" or not name.begins_with("test_"):
			continue
		if name in wanted.split(",") if wanted != "" else name not in ONLY_BY_NAME:
			files.append(name)
	return files


func _matches(name: String, wanted: String) -> bool:
	return wanted == "" or wanted in name


func _options() -> Dictionary:
	var options := {}
	for argument: String in OS.get_cmdline_user_args():
		options[argument.get_slice("=", 0).trim_prefix("--")] = argument.get_slice("=", 1)
	return options


func _engine_setting() -> String:
	return ProjectSettings.get_setting("physics/3d/physics_engine")


func _write(path: String) -> void:
	if path == "":
		return
	var file := FileAccess.open(path, FileAccess.WRITE)
	file.store_string(JSON.stringify({
		"engine": PhysicsServer3D.get_class(),
		"engine_setting": _engine_setting(),
		"godot": Engine.get_version_info()["string"],
		"tests": _results,
	}, "\t"))
	file.close()
