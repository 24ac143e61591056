extends "res://streaming_script.gd"
## StreamingWorld3D leaves the tree and comes back, as part of a level that is kept.

const TILES := 24 # of the 25 round the viewer; one is damaged


func _run() -> void:
	make_world(Vector3(10, 5, 10))
	var level := Node3D.new()
	level.add_child(world)
	root.add_child(level)
	await until_tiles_are_in(TILES)
	root.remove_child(level)
	await ticks(2)
	var result := {"hit_away": not _is_air(), "figures_away": world.figures()}
	root.add_child(level)
	await until_tiles_are_in(TILES)
	result["hit_back"] = not _is_air()
	world.reparent(root)
	await until_tiles_are_in(TILES)
	result["bodies"] = world.figures()["bodies"]
	level.free()
	await finish(result)


## Whether a ray finds nothing where a tile has ground.
func _is_air() -> bool:
	var ray := PhysicsRayQueryParameters3D.create(Vector3(40, 30, 40), Vector3(40, -30, 40))
	return root.world_3d.direct_space_state.intersect_ray(ray).is_empty()
