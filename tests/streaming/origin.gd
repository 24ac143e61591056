extends SceneTree
## The origin moves under a streaming world: tiles stay, a box sleeps on, rays and scenes are in the new numbers. One JSON
## object at the end.

const StreamingWorld := preload("res://addons/scree/nodes/streaming_world_3d.gd")
const BY := Vector3(10240, 0, -5120)

var _unloaded := 0
var _camp: Node3D


func _initialize() -> void:
	_run()


func _run() -> void:
	var viewer := Node3D.new()
	viewer.position = Vector3(10, 5, 10)
	root.add_child(viewer)
	var world := StreamingWorld.new()
	world.tiles_folder = OS.get_cmdline_user_args()[0]
	world.hysteresis = 8.0
	world.viewers = [viewer] as Array[Node3D]
	world.tile_unloaded.connect(func(_tile: Vector2i) -> void: _unloaded += 1)
	world.scene_activated.connect(func(_name: String, node: Node) -> void: _camp = node as Node3D)
	root.add_child(world)
	await _ticks(150)
	var box := RigidBody3D.new()
	var collision := CollisionShape3D.new()
	collision.shape = BoxShape3D.new()
	box.add_child(collision)
	box.position = Vector3(40, 8, 40)
	root.add_child(box)
	for tick: int in 600:
		await physics_frame
		if box.sleeping:
			break
	var slept := box.sleeping
	var before := box.position
	var camp_before := _camp.global_position if _camp != null else Vector3.INF
	var down := func(at: Vector3) -> Dictionary:
		var query := PhysicsRayQueryParameters3D.create(at + Vector3.UP * 30, at + Vector3.DOWN * 30)
		return root.world_3d.direct_space_state.intersect_ray(query)
	var shifted := world.shift_origin(BY, [viewer, box] as Array[Node3D])
	var hit: Dictionary = down.call(Vector3(5, 0, 5) - BY)
	await _ticks(60)
	var after := {"unloaded": _unloaded, "sleeps": box.sleeping, "hit": hit.get("collider") == world,
		"height": hit.get("position", Vector3.INF).y, "old_numbers": down.call(Vector3(5, 0, 5)).is_empty(),
		"box": (box.position - (before - BY)).length(), "camp": (_camp.global_position - (camp_before - BY)).length(),
		"zero": Array(world.origin_in_world()), "bodies": world.figures()["bodies"]}
	# Back again, then far: tiles follow the viewer in the new numbers.
	world.shift_origin(-BY, [viewer, box] as Array[Node3D])
	await _ticks(30)
	print("[result] " + JSON.stringify({"engine": PhysicsServer3D.get_class(), "slept": slept, "shifted": shifted,
		"back": (box.position - before).length(), "sleeps_back": box.sleeping, "missing": world.missing_bodies(),
		"unloaded_back": _unloaded}.merged(after)))
	box.free()
	world.free()
	viewer.free()
	await _ticks(2)
	quit(0)


func _ticks(count: int) -> void:
	for tick: int in count:
		await physics_frame
		OS.delay_usec(4000)
