extends Node
## Ends a game whose project has chosen Scree Physics where that engine does not run. The editor plugin adds it as an autoload
## while the project setting physics/scree_3d/must_run is on.

const ENGINE := "Scree Physics"


func _enter_tree() -> void:
	if ProjectSettings.get_setting("physics/3d/physics_engine") != ENGINE or PhysicsServer3D.get_class().begins_with("Scree"):
		return
	var text := "This game cannot start: its physics engine is missing. Please install the game again."
	printerr("%s (scree: %s does not run, and physics/scree_3d/must_run is on)" % [text, ENGINE])
	if DisplayServer.get_name() != "headless":
		OS.alert(text)
	get_tree().paused = true # no frame of the game runs until its end
	get_tree().quit(1)
