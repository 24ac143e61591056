extends "res://streaming_script.gd"
## A scene whose zone is left while it loads: its request must not stay in Godot, with the scene, for the rest of the game.

const CAMP := "res://streaming/camp.tscn"


func _run() -> void:
	make_world(Vector3(2000, 5, 2000))
	root.add_child(world)
	await until_tiles_are_in(0)
	world._activate(0)
	var asked := ResourceLoader.load_threaded_get_status(CAMP) != ResourceLoader.THREAD_LOAD_INVALID_RESOURCE
	world._deactivate(0)
	while ResourceLoader.load_threaded_get_status(CAMP) == ResourceLoader.THREAD_LOAD_IN_PROGRESS:
		await ticks(1)
	await ticks(2)
	var status := ResourceLoader.load_threaded_get_status(CAMP)
	var collected := status == ResourceLoader.THREAD_LOAD_INVALID_RESOURCE # which Godot prints an error for
	await finish({"asked": asked, "collected": collected, "in_tree": world.get_child_count() > 0})
