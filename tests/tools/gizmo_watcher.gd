@tool
extends EditorPlugin
## Selects Scree's nodes in the 3D view, drags their handles by the mouse, takes each drag back, and prints what it sees. Draws
## pictures where SCREE_PICTURES names a folder.

const FRAMES := 5
const SCENE := "res://gizmo_yard.tscn"
const Base := preload("res://addons/scree/gizmos/node_gizmos.gd")

var _pictures := OS.get_environment("SCREE_PICTURES")
var _surface: Control
var _camera: Camera3D


func _enter_tree() -> void:
	while EditorInterface.get_resource_filesystem().is_scanning():
		await get_tree().process_frame
	await _open()
	print("[class] ", PhysicsServer3D.get_class())
	EditorInterface.set_main_screen_editor("3D")
	await _frames(FRAMES)
	_camera = EditorInterface.get_editor_viewport_3d(0).get_camera_3d()
	_surface = _find_surface()
	await _draw()
	await _tell_drawn()
	_tell_lines()
	await _drag_all()
	await _break_off()
	_tell_icons()
	await _tell_end()
	get_tree().quit()


## Opens the scene. The editor opens the main scene of a new project when it is ready, maybe later.
func _open() -> void:
	for attempt: int in 20:
		EditorInterface.open_scene_from_path(SCENE)
		await _frames(20)
		var root := EditorInterface.get_edited_scene_root()
		if attempt > 0 and root != null and root.scene_file_path == SCENE:
			return


func _node(path: String) -> Node3D:
	return EditorInterface.get_edited_scene_root().get_node(path) as Node3D


## The control of the 3D view that hears the mouse.
func _find_surface() -> Control:
	var view: Node = EditorInterface.get_editor_viewport_3d(0)
	while not view.is_class("Node3DEditorViewport"):
		view = view.get_parent()
	for control: Node in view.get_children():
		for connection: Dictionary in control.get_signal_connection_list("gui_input") if control is Control else []:
			if (connection["callable"] as Callable).get_object() == view:
				return control as Control
	return null


## Puts the camera of the 3D view somewhere [m].
func _look(from: Vector3, at: Vector3) -> void:
	_camera.look_at_from_position(from, at)
	await _frames(FRAMES)


func _select(path: String) -> void:
	EditorInterface.get_selection().clear()
	EditorInterface.get_selection().add_node(_node(path))
	EditorInterface.edit_node(_node(path))
	await _frames(FRAMES)


func _frames(count: int) -> void:
	for frame: int in count:
		await get_tree().process_frame


## The gizmo of one of Scree's plugins that a node has.
func _gizmo(node: Node3D) -> EditorNode3DGizmo:
	for gizmo: EditorNode3DGizmo in node.get_gizmos():
		if gizmo.get_plugin() is Base:
			return gizmo
	return null


## The kinds of gizmos, and how their nodes share them: a node of a game's script has that of the script that it extends.
func _tell_drawn() -> void:
	var told: Array[String] = []
	for path: String in ["Water", "Crates", "Colliders", "Hero", "Car", "Car/FrontLeft", "Sun"]:
		var gizmo := _gizmo(_node(path))
		told.append("%s: %s" % [path, gizmo.get_plugin().call("_get_gizmo_name") if gizmo else "none"])
	print("[gizmos] ", ", ".join(told))
	var crates: MultiMesh = _node("Crates").get("multimesh")
	print("[crates] ", crates.instance_count, " ", crates.resource_path.get_file())


## Drags a handle of a node by a way in global space, and takes that back: prints what was, is, and was again.
func _drag(path: String, number: int, by: Vector3, properties: Array[StringName], away := 4.0,
		how := "") -> void:
	var node := _node(path)
	await _select(path)
	var plugin: Base = _gizmo(node).get_plugin()
	var place: Vector3 = plugin.frame_of(node) * plugin.handles_of(node)[number].place()
	await _look(place + Vector3(0.3, 0.4, 1.0) * away, place)
	var told: Array[String] = [_values(node, properties)]
	await _mouse(_camera.unproject_position(place), _camera.unproject_position(place + by))
	told.append(_values(node, properties))
	var history := get_undo_redo().get_history_undo_redo(get_undo_redo().get_object_history_id(node))
	told.append(history.get_current_action_name())
	history.undo()
	told.append(_values(node, properties))
	print("[drag %s %d%s] " % [path, number, how], " | ".join(told))


func _values(node: Node3D, properties: Array[StringName]) -> String:
	return " ".join(properties.map(func(property: StringName) -> String:
		var value: Variant = node.get(property)
		var step: Variant = Vector3.ONE * 0.1 if value is Vector3 else 0.05
		return str(snapped(value, step))))


## A drag that the right button breaks off: what was, and is.
func _break_off() -> void:
	var node := _node("Water")
	await _select("Water")
	var plugin: Base = _gizmo(node).get_plugin()
	var place: Vector3 = plugin.frame_of(node) * plugin.handles_of(node)[0].place()
	await _look(place + Vector3(3, 4, 12), place)
	var before := _values(node, [&"size", &"position"])
	var from := _camera.unproject_position(place)
	await _mouse(from, from + Vector2(60, 0), [true])
	var is_wider: bool = node.get("size").x > 6.1
	var click := InputEventMouseButton.new()
	click.button_index = MOUSE_BUTTON_RIGHT
	click.pressed = true
	_surface.gui_input.emit(click)
	await _frames(1)
	print("[broken off] ", before if is_wider else "no drag", " | ", _values(node, [&"size", &"position"]))


## A few lengths of what is drawn: the highest point of a net of waves, the length of bounds, the radius of a ring.
func _tell_lines() -> void:
	var pool := _node("Pool")
	var waves: Array[Resource] = []
	waves.assign(pool.get("waves"))
	var net := 0.0
	for point: Vector3 in preload("res://addons/scree/gizmos/water_gizmos.gd").net(pool.get("size"), waves):
		net = maxf(net, point.y)
	var many := preload("res://addons/scree/gizmos/many_gizmos.gd")
	var crates := _node("Crates") as MultiMeshInstance3D
	var lines := Base.outline(crates.get("shape"))
	var bounds := many.bounds_of(many.places_of(crates.multimesh), lines, Transform3D.IDENTITY)
	var radius := preload("res://addons/scree/gizmos/character_gizmos.gd").radius_of(_node("Hero"))
	print("[lines] ", " ".join([net, bounds.size.x, radius]))


## A press at one point of the 3D view, a motion to another, and a release.
func _mouse(from: Vector2, to: Vector2, presses: Array[bool] = [true, false]) -> void:
	for press: bool in presses:
		var click := InputEventMouseButton.new()
		click.button_index = MOUSE_BUTTON_LEFT
		click.pressed = press
		click.position = from if press else to
		_surface.gui_input.emit(click)
		if press:
			for step: int in 4:
				var motion := InputEventMouseMotion.new()
				motion.position = from.lerp(to, (step + 1) / 4.0)
				motion.relative = (to - from) / 4.0
				motion.button_mask = MOUSE_BUTTON_MASK_LEFT
				_surface.gui_input.emit(motion)
				await _frames(1)


func _hold_alt(is_held: bool) -> void:
	var event := InputEventKey.new()
	event.keycode = KEY_ALT
	event.pressed = is_held
	Input.parse_input_event(event)
	Input.flush_buffered_events()


func _drag_all() -> void:
	await _drag("Water", 0, Vector3(2, 0, 0), [&"size", &"position"], 12.0)
	_hold_alt(true)
	await _drag("Water", 0, Vector3(1, 0, 0), [&"size", &"position"], 12.0, " with Alt")
	_hold_alt(false)
	await _drag("Water", 1, Vector3(1, 0, 0), [&"size", &"position"], 12.0)
	await _drag("Water", 2, Vector3(0, -1, 0), [&"size", &"position"], 12.0)
	await _drag("Hero", 0, Vector3(0, 0.25, 0), [&"step_height"])
	await _drag("Hero", 1, Vector3(0, 2, 0), [&"snap"])
	await _drag("Car/FrontLeft", 0, Vector3(0, 0, -0.25), [&"radius"])
	await _drag("Car/FrontLeft", 1, Vector3(0.1, 0, 0), [&"width"])
	await _drag("Car/FrontLeft", 2, Vector3(0, -2, 0), [&"shortest", &"longest"])
	await _drag("Car/FrontLeft", 3, Vector3(0, -0.2, 0), [&"shortest", &"longest"])


## A picture of the editor with the yard.
func _draw() -> void:
	if not _pictures:
		return
	await _select("Water")
	await _look(Vector3(0.3, 5.2, 8.8), Vector3(0.1, -0.4, 0))
	await _frames(20)
	RenderingServer.force_draw()
	var shown := EditorInterface.get_base_control().get_viewport().get_texture().get_image()
	shown.save_png(_pictures.path_join("gizmos.png"))


## The icons of the addon's classes, which the editor shows in its tree.
func _tell_icons() -> void:
	var missing: Array[String] = []
	for one: Dictionary in ProjectSettings.get_global_class_list():
		var path: String = one["path"]
		var icon: String = one["icon"]
		if path.begins_with("res://addons/scree/") and (icon.is_empty() or not load(icon) is Texture2D):
			missing.append(one["class"])
	print("[without icon] ", missing)


## Disables the plugin: its gizmos go.
func _tell_end() -> void:
	EditorInterface.set_plugin_enabled("scree", false)
	await _frames(FRAMES)
	print("[left] ", _node("Water").get_gizmos().filter(func(gizmo: EditorNode3DGizmo) -> bool: return gizmo.get_plugin() is Base))
