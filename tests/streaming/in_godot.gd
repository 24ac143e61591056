extends SceneTree
## StreamingWorld3D in a real project: what comes, goes, is found and is told. One JSON object at the end.

const StreamingWorld := preload("res://addons/scree/nodes/streaming_world_3d.gd")

var _seen := {"loaded": 0, "unloaded": 0, "failed": [], "activated": [], "deactivated": [], "levels": 0}


func _initialize() -> void:
	_run()


func _run() -> void:
	var folder := OS.get_cmdline_user_args()[0]
	var viewer := Node3D.new()
	viewer.position = Vector3(10, 5, 10)
	root.add_child(viewer)
	var world := StreamingWorld.new()
	world.tiles_folder = folder
	world.viewers = [viewer] as Array[Node3D]
	world.hysteresis = 8.0
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
	var ball := RigidBody3D.new()
	var collision := CollisionShape3D.new()
	collision.shape = BoxShape3D.new()
	ball.add_child(collision)
	ball.position = Vector3(10, 200, 10)
	ball.freeze = true
	root.add_child(ball)
	await _ticks(150)
	var in_first := int(_seen["loaded"])
	ball.position = Vector3(10, 3, 10)
	ball.freeze = false
	await _ticks(120)
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
	await _ticks(150)
	var left := world.figures()
	var fell := ball.position.y
	var stale := world.body_of(hit["rid"])
	viewer.position = Vector3(10, 5, 10)
	await _ticks(150)
	print("[result] " + JSON.stringify({"engine": PhysicsServer3D.get_class(), "in_first": in_first, "height": height,
		"fell": fell, "collider_is_world": hit.get("collider") == world, "body": body, "stale": stale, "state_height": state_height,
		"tiles_here": tiles_here, "bodies_away": left["bodies"], "bodies_back": world.figures()["bodies"],
		"missing": world.missing_bodies()}.merged(_seen)))
	overlay.free()
	world.free()
	ball.free()
	viewer.free()
	await _ticks(2)
	quit(0)


func _ticks(count: int) -> void:
	for tick: int in count:
		await physics_frame
		OS.delay_usec(4000)
