extends "res://streaming_script.gd"
## StreamingWorld3D in a real project: what comes, goes, is found and is told. One JSON object at the end.

const TILES := 24 # of the 25 round the viewer; one is damaged

var _seen := {"loaded": 0, "unloaded": 0, "failed": [], "activated": [], "deactivated": [], "levels": 0}


func _run() -> void:
	make_world(Vector3(10, 5, 10))
	world.tile_loaded.connect(func(_tile: Vector2i) -> void: _seen["loaded"] += 1)
	world.tile_unloaded.connect(func(_tile: Vector2i) -> void: _seen["unloaded"] += 1)
	world.tile_failed.connect(func(tile: Vector2i) -> void: _seen["failed"].append([tile.x, tile.y]))
	world.tile_level_changed.connect(func(_tile: Vector2i, _level: int) -> void: _seen["levels"] += 1)
	world.scene_activated.connect(func(name: String, node: Node) -> void: _seen["activated"].append([name, node != null]))
	world.scene_deactivated.connect(func(name: String) -> void: _seen["deactivated"].append(name))
	root.add_child(world)
	var overlay: Control = preload("res://addons/scree/nodes/streaming_overlay.gd").new()
	overlay.set("world", world)
	root.add_child(overlay)
	var ball := add_box(Vector3(10, 200, 10), true)
	await until(func() -> bool: return _seen["loaded"] == TILES and _seen["failed"].size() == 1, "all tiles")
	var in_first := int(_seen["loaded"])
	ball.position = Vector3(10, 3, 10)
	ball.freeze = false
	await ticks(120)
	var space := root.world_3d.direct_space_state
	var ray := PhysicsRayQueryParameters3D.create(Vector3(40, 30, 40), Vector3(40, -30, 40))
	var hit := space.intersect_ray(ray)
	var body := world.body_of(hit.get("rid", RID()))
	var state: PhysicsDirectBodyState3D = PhysicsServer3D.body_get_direct_state(hit["rid"])
	var state_height: float = state.transform.origin.y
	PhysicsServer3D.free_rid(hit["rid"]) # refused: it belongs to its tile
	var height := ball.position.y
	var tiles_here := world.tiles().size()
	viewer.position = Vector3(2000, 5, 2000)
	await until_tiles_are_in(0)
	await ticks(120)
	var left := world.figures()
	var fell := ball.position.y
	var stale := world.body_of(hit["rid"])
	viewer.position = Vector3(10, 5, 10)
	await until(func() -> bool: return _seen["loaded"] == 2 * TILES and _seen["failed"].size() == 2, "all tiles again")
	await until(func() -> bool: return _seen["activated"].size() == 2, "the camp again")
	overlay.free()
	ball.free()
	await finish({"in_first": in_first, "height": height, "fell": fell, "collider_is_world": hit.get("collider") == world,
		"body": body, "stale": stale, "state_height": state_height, "tiles_here": tiles_here, "bodies_away": left["bodies"],
		"bodies_back": world.figures()["bodies"]}.merged(_seen))
