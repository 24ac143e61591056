extends "res://streaming_script.gd"
## The origin moves under a streaming world: tiles stay, a box sleeps on, rays and scenes are in the new numbers. One JSON
## object at the end.

const BY := Vector3(10240, 0, -5120)

var _unloaded := 0
var _camp: Node3D


func _run() -> void:
	make_world(Vector3(10, 5, 10))
	world.tile_unloaded.connect(func(_tile: Vector2i) -> void: _unloaded += 1)
	world.scene_activated.connect(func(_name: String, node: Node) -> void: _camp = node as Node3D)
	root.add_child(world)
	await until_tiles_are_in(24)
	await until(func() -> bool: return _camp != null, "the camp")
	var box := add_box(Vector3(40, 8, 40))
	for tick: int in 600:
		await physics_frame
		if box.sleeping:
			break
	var slept := box.sleeping
	var before := box.position
	var camp_before := _camp.global_position
	var down := func(at: Vector3) -> Dictionary:
		var query := PhysicsRayQueryParameters3D.create(at + Vector3.UP * 30, at + Vector3.DOWN * 30)
		return root.world_3d.direct_space_state.intersect_ray(query)
	var shifted := world.shift_origin(BY, [viewer, box] as Array[Node3D])
	var hit: Dictionary = down.call(Vector3(5, 0, 5) - BY)
	await ticks(60)
	var after := {"unloaded": _unloaded, "sleeps": box.sleeping, "hit": hit.get("collider") == world,
		"height": hit.get("position", Vector3.INF).y, "old_numbers": down.call(Vector3(5, 0, 5)).is_empty(),
		"box": (box.position - (before - BY)).length(), "camp": (_camp.global_position - (camp_before - BY)).length(),
		"zero": Array(world.origin_in_world()), "bodies": world.figures()["bodies"]}
	world.shift_origin(-BY, [viewer, box] as Array[Node3D])
	await ticks(30)
	var back := {"slept": slept, "shifted": shifted, "back": (box.position - before).length(), "sleeps_back": box.sleeping,
		"unloaded_back": _unloaded}
	box.free()
	await finish(after.merged(back))
