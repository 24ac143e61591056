extends SceneTree
## The base of these scripts: a world that streams round a viewer, and one line of JSON at the end.

const StreamingWorld := preload("res://addons/scree/nodes/streaming_world_3d.gd")

const BODIES_IN_A_TILE := 30 # as test_in_godot.py bakes them

var viewer := Node3D.new()
var world: StreamingWorld


func _initialize() -> void:
	_run()


## The test; to be overridden.
func _run() -> void:
	pass


## A world round a viewer who stands at `place`. It is not in the tree yet, so that its signals can be connected.
func make_world(place: Vector3) -> void:
	viewer.position = place
	root.add_child(viewer)
	world = StreamingWorld.new()
	world.tiles_folder = OS.get_cmdline_user_args()[0]
	world.viewers = [viewer] as Array[Node3D]
	world.hysteresis = 8.0


## A box of 1 m, with its node in the tree.
func add_box(place: Vector3, is_frozen := false) -> RigidBody3D:
	var box := RigidBody3D.new()
	var collision := CollisionShape3D.new()
	collision.shape = BoxShape3D.new()
	box.add_child(collision)
	box.position = place
	box.freeze = is_frozen
	root.add_child(box)
	return box


## So many physics frames.
func ticks(count: int) -> void:
	for tick: int in count:
		await physics_frame


## Physics frames until a condition holds, with time for the threads that load; after 20 s an error says what was waited for.
func until(condition: Callable, what: String) -> void:
	var end := Time.get_ticks_msec() + 20000
	while not condition.call():
		if Time.get_ticks_msec() > end:
			push_error("it did not come: " + what)
			quit(1)
			await create_timer(60).timeout
		await physics_frame
		OS.delay_usec(2000)


## Until as many bodies are in as are in this number of tiles, and nothing comes or goes.
func until_tiles_are_in(count: int) -> void:
	await until(func() -> bool:
		var figures := world.figures() # empty until it has opened
		var on_the_way: float = figures.get("tiles_asked_for", 0) + figures.get("tiles_ready", 0) + figures.get("tiles_leaving", 0)
		return figures.get("bodies", -1) == count * BODIES_IN_A_TILE and on_the_way == 0, "%d tiles" % count)


## Tell the result, free the world and end.
func finish(result: Dictionary) -> void:
	result["engine"] = PhysicsServer3D.get_class()
	result["missing"] = world.missing_bodies()
	print("[result] " + JSON.stringify(result))
	world.free()
	viewer.free()
	await ticks(2)
	quit(0)
