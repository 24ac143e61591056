extends SceneTree
## StreamingWorld3D where another physics engine runs: a warning, nothing else.


func _initialize() -> void:
	var world: Node3D = preload("res://addons/scree/nodes/streaming_world_3d.gd").new()
	world.tiles_folder = OS.get_cmdline_user_args()[0]
	root.add_child(world)
	for tick: int in 5:
		await physics_frame
	world.free()
	quit(0)
