extends SceneTree
## A flight over the open world: out at 100 m/s, a turn, and back. Headless; prints the load queue, the budget and the worst
## tick, and writes them as JSON.
##
## godot --headless --fixed-fps 60 --path PROJECT -s res://streaming/flight.gd -- --tiles=FOLDER [--ticks=1800] [--speed=100]
##     [--busy-thread] [--json=FILE] [--realtime] [--no-scenes] [--check-each-tick]

const TICK := 1.0 / 60.0
const ProcessorTime := preload("res://measure/processor_time.gd")
const StreamingWorld := preload("res://addons/scree/nodes/streaming_world_3d.gd")
const BusyThread := preload("res://scripts/busy_thread.gd")

var _options := {}


func _initialize() -> void:
	for argument: String in OS.get_cmdline_user_args():
		_options[argument.get_slice("=", 0)] = argument.get_slice("=", 1) if "=" in argument else "true"
	_fly()


func _fly() -> void:
	var viewer := Node3D.new()
	root.add_child(viewer)
	var ticks := int(_options.get("--ticks", "1800"))
	var speed := float(_options.get("--speed", "100"))
	viewer.position = Vector3(-0.25 * ticks * TICK * speed, 2.0, 40.0)
	var world := StreamingWorld.new()
	world.tiles_folder = _options["--tiles"]
	world.viewers = [viewer] as Array[Node3D]
	var counts := {"loaded": 0, "unloaded": 0, "failed": 0, "activated": 0, "deactivated": 0}
	var present := {}
	world.tile_loaded.connect(func(tile: Vector2i) -> void: counts["loaded"] += 1; present[tile] = true)
	world.tile_unloaded.connect(func(tile: Vector2i) -> void: counts["unloaded"] += 1; present.erase(tile))
	world.tile_failed.connect(func(_tile: Vector2i) -> void: counts["failed"] += 1)
	world.scene_activated.connect(func(_name: String, _scene: Node) -> void: counts["activated"] += 1)
	world.scene_deactivated.connect(func(_name: String) -> void: counts["deactivated"] += 1)
	root.add_child(world)
	await physics_frame
	if "--no-scenes" in _options:
		for scene: Dictionary in world.index["scenes"]:
			scene["path"] = ""
	for _wait: int in 1200: # until the first tiles are in
		await physics_frame
		OS.delay_usec(2000)
		if present.size() >= 25:
			break
	var busy: BusyThread = BusyThread.new() if "--busy-thread" in _options else null
	var tick_us := PackedInt64Array()
	var processor := ProcessorTime.new()
	var most_tiles := 0
	var misses := 0
	var blind_ticks := 0
	var checked_ticks := 0
	var worst_ticks: Array[Array] = [] # microseconds, tick, tiles that came and went in it
	var came_in := PackedInt64Array() # of each tick
	var came_before := 0
	var space := root.world_3d.direct_space_state
	PhysicsServer3D.call("streaming_reset_figures", 0)
	var began := Time.get_ticks_usec()
	var last := began
	for tick: int in ticks:
		var sign := 1.0 if tick < ticks / 2 else -1.0
		viewer.position.x += sign * speed * TICK
		await physics_frame
		var now := Time.get_ticks_usec()
		tick_us.append(now - last)
		var came := int(counts["loaded"]) + int(counts["unloaded"])
		worst_ticks.append([now - last, tick, came - came_before])
		came_in.append(came - came_before)
		came_before = came
		if "--realtime" in _options:
			OS.delay_usec(maxi(100, int(began + (tick + 1) * 1e6 * TICK) - now))
			processor.tick_is_over()
		most_tiles = maxi(most_tiles, present.size())
		var ray := PhysicsRayQueryParameters3D.create(viewer.position + Vector3.UP * 20, viewer.position + Vector3.DOWN * 20)
		if space.intersect_ray(ray).is_empty():
			blind_ticks += 1
		if "--check-each-tick" in _options: # asks Python: not in a flight that is timed
			misses += world.missing_bodies()
			checked_ticks += 1
		last = Time.get_ticks_usec()
	if busy != null:
		busy.stop()
	misses += world.missing_bodies()
	var figures := world.figures()
	var total := 0
	for time: int in tick_us:
		total += time
	var in_order := tick_us.duplicate()
	tick_us.sort()
	worst_ticks.sort_custom(func(a: Array, b: Array) -> bool: return a[0] > b[0])
	figures.merge({"lost_us": total - tick_us[ticks / 2] * ticks,
		"engine": PhysicsServer3D.get_class(), "ticks": ticks, "most_tiles": most_tiles, "misses": misses,
		"blind_ticks": blind_ticks, "checked_ticks": checked_ticks, "worst_ticks": worst_ticks.slice(0, 8), "tick_us": in_order, "came": came_in, "median_tick_us": tick_us[ticks / 2], "worst_whole_tick_us": tick_us[-1]})
	figures.merge(counts)
	figures.merge(processor.figures())
	print("flight: %d ticks, %d tiles at most, %d bodies at the end; queue %d; the step spent %.1f us at most (%.1f us with its trees), %.1f us in all, the whole step %.1f us of processor time at most; %d loaded, %d unloaded, %d scenes, %d misses [%s]" % [
		ticks, most_tiles, figures["bodies"], figures["waiting"], figures["worst_us"], figures["worst_tick_us"], figures["total_us"], figures["worst_step_us"], counts["loaded"],
		counts["unloaded"], counts["activated"], misses, PhysicsServer3D.get_class()])
	if "--json" in _options:
		var file := FileAccess.open(_options["--json"], FileAccess.WRITE)
		file.store_string(JSON.stringify(figures))
		file.close()
	world.free()
	await physics_frame
	quit(0)
