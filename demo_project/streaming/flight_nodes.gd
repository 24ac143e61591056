extends SceneTree
## The flight of flight.gd, with a StaticBody3D node for every body, as a game does it on any physics engine.
##
## godot --headless --fixed-fps 60 --path PROJECT -s res://streaming/flight_nodes.gd -- --tiles=FOLDER [--nodes-a-tick=50]
##     [--ticks=600] [--speed=100] [--json=FILE] [--realtime]
##
## --nodes-a-tick: how many nodes are made, or freed, in a tick; 0: a whole tile at once. FOLDER holds the lists that
## `scree open-world --with-nodes` writes.

const TICK := 1.0 / 60.0
const ProcessorTime := preload("res://measure/processor_time.gd")
const TILE := 256.0

var _options := {}
var _shapes: Array[Shape3D] = []
var _tiles := {} # tile: its node
var _work: Array[Dictionary] = [] # tiles being made or freed
var _bodies := 0


func _initialize() -> void:
	for argument: String in OS.get_cmdline_user_args():
		_options[argument.get_slice("=", 0)] = argument.get_slice("=", 1) if "=" in argument else "true"
	_fly()


func _fly() -> void:
	_read_forms()
	var ticks := int(_options.get("--ticks", "600"))
	var speed := float(_options.get("--speed", "100"))
	var budget := int(_options.get("--nodes-a-tick", "0"))
	var x := -0.25 * ticks * TICK * speed
	_look(x, 1.0)
	while not _work.is_empty():
		_work_on(1 << 30)
	await physics_frame
	await physics_frame
	var tick_us := PackedInt64Array()
	var processor := ProcessorTime.new()
	var most_waiting := 0
	var blind_ticks := 0
	var space := root.world_3d.direct_space_state
	var began := Time.get_ticks_usec()
	var last := began
	for tick: int in ticks:
		var sign := 1.0 if tick < ticks / 2 else -1.0
		x += sign * speed * TICK
		_look(x, sign)
		_work_on(budget)
		await physics_frame
		var now := Time.get_ticks_usec()
		tick_us.append(now - last)
		if "--realtime" in _options:
			OS.delay_usec(maxi(100, int(began + (tick + 1) * 1e6 * TICK) - now))
			processor.tick_is_over()
		most_waiting = maxi(most_waiting, _work.size())
		var ray := PhysicsRayQueryParameters3D.create(Vector3(x, 22, 40), Vector3(x, -18, 40))
		if space.intersect_ray(ray).is_empty():
			blind_ticks += 1
		last = Time.get_ticks_usec()
	var total := 0
	for time: int in tick_us:
		total += time
	var in_order := tick_us.duplicate()
	tick_us.sort()
	var median := tick_us[ticks / 2]
	var figures := {"engine": ProjectSettings.get_setting("physics/3d/physics_engine"), "class": PhysicsServer3D.get_class(),
		"nodes_a_tick": budget, "ticks": ticks, "bodies": _bodies, "median_tick_us": median, "worst_tick_us": tick_us[-1],
		"lost_us": total - median * ticks, "most_waiting": most_waiting, "tick_us": in_order, "blind_ticks": blind_ticks}
	figures.merge(processor.figures())
	print("flight with nodes: %s" % JSON.stringify(figures))
	if "--json" in _options:
		var file := FileAccess.open(_options["--json"], FileAccess.WRITE)
		file.store_string(JSON.stringify(figures))
		file.close()
	quit(0)


func _read_forms() -> void:
	var forms: Dictionary = JSON.parse_string(FileAccess.get_file_as_string(_options["--tiles"].path_join("forms.json")))
	var patch := BoxShape3D.new()
	patch.size = 2.0 * Vector3(forms["patch"], 1.0, forms["patch"])
	_shapes.append(patch)
	for points: Array in forms["rocks"]:
		var rock := ConvexPolygonShape3D.new()
		var corners := PackedVector3Array()
		for point: Array in points:
			corners.append(Vector3(point[0], point[1], point[2]))
		rock.points = corners
		_shapes.append(rock)


## Loads the 28 tiles that Scree would load: five by five and three ahead.
func _look(x: float, heading: float) -> void:
	var own := Vector2i(floori(x / TILE), floori(40.0 / TILE))
	var wanted := {}
	for dx: int in range(-2, 3):
		for dz: int in range(-2, 3):
			wanted[own + Vector2i(dx, dz)] = true
	for dz: int in range(-1, 2):
		wanted[own + Vector2i(3 * int(heading), dz)] = true
	for tile: Vector2i in wanted:
		if tile not in _tiles:
			var node := Node3D.new()
			root.add_child(node)
			_tiles[tile] = node
			_work.append({"node": node, "at": 0, "data": _rows_of(tile)})
	for tile: Vector2i in _tiles.keys():
		if tile not in wanted and maxi(absi(tile.x - own.x), absi(tile.y - own.y)) > 3:
			_work.append({"node": _tiles[tile], "at": 0, "data": PackedFloat32Array()})
			_tiles.erase(tile)


func _rows_of(tile: Vector2i) -> PackedFloat32Array:
	var path := "nodes_%d_%d.bin" % [tile.x, tile.y]
	return FileAccess.get_file_as_bytes(_options["--tiles"].path_join(path)).to_float32_array()


## Makes or frees so many nodes; 0: all of one tile.
func _work_on(budget: int) -> void:
	var left := budget if budget > 0 else 1 << 30
	while left > 0 and not _work.is_empty():
		var job := _work[0]
		var node: Node3D = job["node"]
		var data: PackedFloat32Array = job["data"]
		if data.is_empty():
			while left > 0 and node.get_child_count() > 0:
				node.get_child(-1).free()
				_bodies -= 1
				left -= 1
			if node.get_child_count() == 0:
				node.free()
				_work.pop_front()
		else:
			while left > 0 and job["at"] < data.size():
				_make(node, data, job["at"])
				job["at"] += 8
				left -= 1
			if job["at"] >= data.size():
				_work.pop_front()
		if budget == 0:
			return


func _make(parent: Node3D, data: PackedFloat32Array, at: int) -> void:
	var body := StaticBody3D.new()
	var collision := CollisionShape3D.new()
	collision.shape = _shapes[int(data[at + 7])]
	body.add_child(collision)
	body.transform = Transform3D(Basis(Quaternion(data[at + 3], data[at + 4], data[at + 5], data[at + 6])),
		Vector3(data[at], data[at + 1], data[at + 2]))
	parent.add_child(body)
	_bodies += 1
