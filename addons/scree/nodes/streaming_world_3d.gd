@tool
@icon("res://addons/scree/nodes/streaming_world_3d.svg")
class_name StreamingWorld3D
extends Node3D
## Loads and unloads the collision of a large world around its viewers, in baked tiles, without stalling a frame.
##
## `scree bake` cuts the static bodies of a scene into tiles. This node loads those around its viewers on background
## threads; the physics step itself only inserts them, some microseconds a tile. Bodies of tiles have no nodes: a ray
## that hits one gives this node as its collider, and [method body_of] tells which body of which tile it was.
## [br][br]
## Scenes of the world are instanced when a viewer is near, and only when all collision under their encounter area is loaded.
## [br][br]
## Needs Scree Physics; with another physics engine it warns and does nothing.

## A tile's collision is loaded: queries and bodies find it from this tick on.
signal tile_loaded(tile: Vector2i)
## A tile's collision is being removed.
signal tile_unloaded(tile: Vector2i)
## How much of a tile should be shown: 0 full, 1 medium, 2 low, without collision, 3 nothing.
signal tile_level_changed(tile: Vector2i, level: int)
## A tile's file is missing or damaged; the reason was printed.
signal tile_failed(tile: Vector2i)
## A viewer is near and all collision under the scene is loaded. [param instance] is null where the scene has no file.
signal scene_activated(scene_name: String, instance: Node)
## The viewers are away; the instance was freed.
signal scene_deactivated(scene_name: String)

## The origin was moved: what lay at [param by] lies at zero now.
signal origin_shifted(by: Vector3)

enum Level { FULL, MEDIUM, LOW, NONE }
enum _Event { TILE_LOADED = 1, TILE_UNLOADED, TILE_LEVEL, TILE_FAILED, SCENE_ACTIVATED, SCENE_DEACTIVATED }

## The folder that `scree bake` has written. The plugin puts such folders into the pack of an exported game.
@export_dir var tiles_folder := "":
	set(value):
		tiles_folder = value
		update_gizmos()
		update_configuration_warnings()
## The nodes around which tiles are loaded; if there are none, the current camera.
@export var viewers: Array[Node3D] = []
@export_group("Ranges")
## Tiles in full detail on each side of a viewer's own.
@export_range(0, 4) var full_ring := 1:
	set(value):
		full_ring = value
		update_gizmos()
## Tiles with collision on each side of a viewer's own.
@export_range(1, 8) var medium_ring := 2:
	set(value):
		medium_ring = value
		update_gizmos()
## Additional rows of tiles in the direction in which a viewer moves.
@export_range(0, 4) var rows_ahead := 1
## Tiles on each side of a viewer's own that are shown without collision.
@export_range(1, 32) var low_ring := 5:
	set(value):
		low_ring = value
		update_gizmos()
## How far a viewer must be beyond a border before tiles are unloaded; at most a quarter of a tile.
@export_range(0.0, 100.0, 1.0, "suffix:m") var hysteresis := 32.0
@export_group("Cost")
## The time that a tick may spend on inserting and removing tiles.
@export_range(10, 5000, 1, "suffix:us") var budget_us := 100
## The number of threads that load tiles.
@export_range(1, 8) var loader_threads := 1

## The world's index: tile_size, tiles, scenes.
var index: Dictionary = {}

var _handle := -1
var _last_places: Array[Vector3] = []
var _instances: Dictionary[int, Node] = {}
var _loading: Dictionary[int, String] = {}
static var _unwanted: Array[String] = [] # paths of requests whose scene was left before they ended; the next world collects them
var _zero := PackedFloat64Array([0.0, 0.0, 0.0]) # where the present origin lies in the world as it was baked


func _ready() -> void:
	set_physics_process(not Engine.is_editor_hint())


func _notification(what: int) -> void:
	# Once all that enters the tree with this node is in it, each time; _ready comes only the first time.
	if what == NOTIFICATION_POST_ENTER_TREE and not Engine.is_editor_hint():
		open()


func _exit_tree() -> void:
	close()


## Begins to stream; the node calls it when it has entered the tree. Returns false after an error.
func open() -> bool:
	close()
	if not PhysicsServer3D.has_method("streaming_open"):
		push_warning("StreamingWorld3D: needs Scree Physics, this is %s: nothing is streamed" % PhysicsServer3D.get_class())
		return false
	var folder := _folder()
	var text := FileAccess.get_file_as_string(folder.path_join("tiles.json"))
	var parsed: Variant = JSON.parse_string(text) if text != "" else null
	if not parsed is Dictionary:
		push_error("StreamingWorld3D: there is no index in %s: run `scree bake`" % folder)
		return false
	index = parsed
	var settings := {"full_ring": full_ring, "medium_ring": medium_ring, "rows_ahead": rows_ahead, "low_ring": low_ring,
		"hysteresis": hysteresis, "budget_us": budget_us, "threads": loader_threads, "user_id": get_instance_id()}
	var opened: Variant = PhysicsServer3D.call("streaming_open", get_world_3d().space, folder, settings)
	_handle = opened if opened is int else -1
	return _handle >= 0


## The folder of the tiles: a path of the system where they are files there, otherwise one that Godot finds in the game's pack.
func _folder() -> String:
	var files := ProjectSettings.globalize_path(tiles_folder)
	return files if files.is_absolute_path() and FileAccess.file_exists(files.path_join("tiles.json")) else tiles_folder


## Frees all tiles and scenes.
func close() -> void:
	for number: int in _instances:
		if is_instance_valid(_instances[number]):
			_instances[number].queue_free()
	_instances.clear()
	_unwanted.append_array(_loading.values())
	_loading.clear()
	_last_places.clear()
	if _handle >= 0:
		PhysicsServer3D.call("streaming_close", _handle)
	_handle = -1


## Figures: the number of tiles that are loaded or wait, and the time that physics steps have spent on them. Not for every tick: it
## is a call into Python.
func figures() -> Dictionary:
	return PhysicsServer3D.call("streaming_figures", _handle) if _handle >= 0 else {}


## Rows of x, z, state and level of all tiles. Not for every tick.
func tiles() -> Array:
	return JSON.parse_string(PhysicsServer3D.call("streaming_tiles", _handle)) if _handle >= 0 else []


## Bodies missing under the encounter areas of active scenes: there must never be one. Not for every tick.
func missing_bodies() -> int:
	return PhysicsServer3D.call("streaming_missing", _handle) if _handle >= 0 else 0


## The tile and number of a streamed body that a query found: tile_x, tile_z, number; empty for other bodies.
func body_of(rid: RID) -> Dictionary:
	return PhysicsServer3D.call("streaming_body", rid) if _handle >= 0 else {}


## Moves the origin of the whole physics space in one call, so that numbers near the viewer stay fine: what lay at [param by]
## lies at zero from now on. Nothing wakes, no contact is lost, and streamed bodies need no node. [param roots] are moved too,
## with all beneath them: everything of the game that stays where it is in the world. Call it in [method Node._physics_process]
## or later, not while bodies are told of their state. False if it could not be done, after an error; then nothing was moved.
func shift_origin(by: Vector3, roots: Array[Node3D] = []) -> bool:
	if not PhysicsServer3D.has_method("space_shift_origin"):
		push_error("StreamingWorld3D: to shift the origin needs Scree Physics, this is %s" % PhysicsServer3D.get_class())
		return false
	if PhysicsServer3D.call("space_shift_origin", get_world_3d().space, by) != true:
		return false
	for axis: int in 3:
		_zero[axis] += by[axis]
	var moved: Array[Node3D] = roots.duplicate()
	for instance: Node in _instances.values():
		if is_instance_valid(instance) and instance is Node3D:
			moved.append(instance)
	for node: Node3D in moved:
		if not _is_beneath(node, roots):
			node.global_position -= by
			node.reset_physics_interpolation()
	for number: int in _last_places.size():
		_last_places[number] -= by
	origin_shifted.emit(by)
	return true


## Where the present origin lies in the world as it was baked: x, y, z in double precision.
func origin_in_world() -> PackedFloat64Array:
	return _zero.duplicate()


func _is_beneath(node: Node3D, roots: Array[Node3D]) -> bool:
	return roots.any(func(root: Node3D) -> bool: return root != node and root.is_ancestor_of(node))


func _physics_process(delta: float) -> void:
	if _handle < 0:
		return
	_tell_viewers(delta)
	while true:
		var event: int = PhysicsServer3D.call("streaming_next_event", _handle)
		if event == 0:
			break
		_take(event)
	_finish_loading()


func _tell_viewers(delta: float) -> void:
	var places: Array[Vector3] = []
	for viewer: Node3D in viewers:
		if is_instance_valid(viewer):
			places.append(viewer.global_position)
	if places.is_empty():
		var camera := get_viewport().get_camera_3d()
		if camera == null:
			return
		places.append(camera.global_position)
	for number: int in places.size():
		var velocity := Vector3.ZERO
		if number < _last_places.size():
			velocity = (places[number] - _last_places[number]) / delta
		PhysicsServer3D.call("streaming_set_viewer", _handle, number, places[number], velocity)
	_last_places = places


func _take(event: int) -> void:
	var kind := event >> 48
	if kind == _Event.SCENE_ACTIVATED:
		_activate(event & 0xFFFFFF)
		return
	if kind == _Event.SCENE_DEACTIVATED:
		_deactivate(event & 0xFFFFFF)
		return
	var tile := Vector2i(((event >> 24) & 0x3FFFFF) - 0x200000, (event & 0x3FFFFF) - 0x200000)
	match kind:
		_Event.TILE_LOADED: tile_loaded.emit(tile)
		_Event.TILE_UNLOADED: tile_unloaded.emit(tile)
		_Event.TILE_FAILED: tile_failed.emit(tile)
		_Event.TILE_LEVEL: tile_level_changed.emit(tile, (event >> 46) & 3)


func _activate(number: int) -> void:
	var path: String = index["scenes"][number].get("path", "")
	if path == "" or ResourceLoader.load_threaded_request(path) != OK:
		scene_activated.emit(index["scenes"][number]["name"], null)
	else:
		_loading[number] = path


## The scene of a request that has ended; null if it failed. Godot keeps a request, and what it loaded, until somebody collects it.
func _collect(path: String, status: ResourceLoader.ThreadLoadStatus) -> PackedScene:
	var loaded: PackedScene = null
	if status != ResourceLoader.THREAD_LOAD_INVALID_RESOURCE:
		loaded = ResourceLoader.load_threaded_get(path)
	return load(path) if loaded == null and ResourceLoader.has_cached(path) else loaded


func _collect_unwanted() -> void:
	for path: String in _unwanted.duplicate():
		var status := ResourceLoader.load_threaded_get_status(path)
		if status != ResourceLoader.THREAD_LOAD_IN_PROGRESS:
			_unwanted.erase(path)
			_collect(path, status)


func _finish_loading() -> void:
	_collect_unwanted()
	for number: int in _loading.keys():
		var path := _loading[number]
		var status := ResourceLoader.load_threaded_get_status(path)
		if status == ResourceLoader.THREAD_LOAD_IN_PROGRESS:
			continue
		_loading.erase(number)
		var entry: Dictionary = index["scenes"][number]
		var packed := _collect(path, status)
		if packed == null:
			push_error("StreamingWorld3D: the scene %s cannot be loaded from %s" % [entry["name"], path])
			continue
		var instance := packed.instantiate()
		if instance is Node3D:
			var place: Array = entry["position"]
			var at := Vector3(place[0] - _zero[0], place[1] - _zero[1], place[2] - _zero[2])
			(instance as Node3D).position = global_transform.affine_inverse() * at
		add_child(instance)
		_instances[number] = instance
		scene_activated.emit(entry["name"], instance)
		return # one a tick: an instance costs what its nodes cost


func _deactivate(number: int) -> void:
	if number in _loading:
		_unwanted.append(_loading[number])
		_loading.erase(number)
	if number in _instances:
		if is_instance_valid(_instances[number]):
			_instances[number].free()
		_instances.erase(number)
	scene_deactivated.emit(index["scenes"][number]["name"])
	PhysicsServer3D.call("streaming_scene_was_left", _handle, number)


func _get_configuration_warnings() -> PackedStringArray:
	if tiles_folder == "" or not FileAccess.file_exists(tiles_folder.path_join("tiles.json")):
		return ["Choose the folder of tiles that `scree bake` has written."]
	return []
