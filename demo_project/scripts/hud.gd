extends CanvasLayer
## A few words about the scene over the picture, and its keys and buttons. It works on while the game is paused.

const DemoIndex = preload("res://scripts/demo_index.gd")
const RunningEngine = preload("res://scripts/running_engine.gd")
## Ticks whose mean time is shown.
const WINDOW := 60
const MENU := "res://scenes/menu.tscn"
const MOUSE := "left click throws a ball  ·  right drag turns the camera  ·  wheel zooms  ·  F3 shows what the engine has"

var _scene: Node3D
var _figures := Label.new()
var _pause: Button


func _init(scene: Node3D) -> void:
	_scene = scene
	name = "Hud"
	process_mode = PROCESS_MODE_ALWAYS


func _ready() -> void:
	var entry := DemoIndex.entry(_scene.scene_name())
	var box := VBoxContainer.new()
	box.position = Vector2(28, 20)
	box.add_child(_shadowed(Label.new(), entry["title"], 30))
	box.add_child(_shadowed(_figures, "", 16))
	add_child(box)
	if _scene.options.png_path == "":
		_add_corner(entry["about"])
		_add_buttons()


func _exit_tree() -> void:
	get_tree().paused = false  # the next scene runs


func _process(_delta: float) -> void:
	var times: PackedFloat64Array = _scene.recorder.tick_ms
	var mean := 0.0
	var counted := mini(WINDOW, times.size())
	for index: int in counted:
		mean += times[times.size() - 1 - index] / counted
	var asleep := 0
	for index: int in _scene.bodies.size():
		asleep += int(_scene.bodies.is_asleep(index))
	var more: Vector2i = _scene.more_bodies()
	_figures.text = "%s  ·  %d bodies, %d awake  ·  tick %d" % [
		RunningEngine.title(), _scene.bodies.size() + more.x, _scene.bodies.size() - asleep + more.x - more.y,
		times.size() + 1]  # the recorder counts a tick when the next one begins
	if _scene.options.png_path == "":
		_figures.text += "  ·  %.1f ms a frame" % mean


func _unhandled_key_input(event: InputEvent) -> void:
	if not event.is_pressed() or event.is_echo():
		return
	match (event as InputEventKey).keycode:
		KEY_ESCAPE: _to_menu()
		KEY_R: _again()
		KEY_SPACE: _toggle_pause()
		KEY_F3: _scene.toggle_debug_draw()
		var key:
			for action: Dictionary in _scene.actions():
				if action["key"] == key:
					(action["does"] as Callable).call()


func _to_menu() -> void:
	get_tree().change_scene_to_file(MENU)


func _again() -> void:
	get_tree().reload_current_scene()


func _toggle_pause() -> void:
	get_tree().paused = not get_tree().paused
	_pause.text = "Go on (Space)" if get_tree().paused else "Pause (Space)"


## The scene in a sentence, and what the mouse does, in the lower left corner.
func _add_corner(about: String) -> void:
	var corner := VBoxContainer.new()
	corner.mouse_filter = Control.MOUSE_FILTER_IGNORE
	corner.add_child(_shadowed(Label.new(), about, 16))
	corner.add_child(_shadowed(Label.new(), MOUSE, 14))
	add_child(corner)
	corner.set_anchors_and_offsets_preset(Control.PRESET_BOTTOM_LEFT, Control.PRESET_MODE_MINSIZE, 24)


func _add_buttons() -> void:
	var row := HBoxContainer.new()
	row.name = "Buttons"
	_add_button(row, "Menu (Esc)", _to_menu)
	_add_button(row, "Again (R)", _again)
	_pause = _add_button(row, "Pause (Space)", _toggle_pause)
	for action: Dictionary in _scene.actions():
		_add_button(row, "%s (%s)" % [action["text"], OS.get_keycode_string(action["key"])], action["does"])
	add_child(row)
	row.set_anchors_and_offsets_preset(Control.PRESET_TOP_RIGHT, Control.PRESET_MODE_MINSIZE, 24)


func _add_button(row: HBoxContainer, text: String, pressed: Callable) -> Button:
	var button := Button.new()
	button.text = text
	button.focus_mode = Control.FOCUS_NONE  # Space pauses, and presses no button
	button.pressed.connect(pressed)
	row.add_child(button)
	return button


func _shadowed(label: Label, text: String, size: int) -> Label:
	label.text = text
	label.mouse_filter = Control.MOUSE_FILTER_IGNORE
	label.add_theme_font_size_override("font_size", size)
	label.add_theme_color_override("font_color", Color(0.98, 0.98, 0.96))
	label.add_theme_color_override("font_shadow_color", Color(0.05, 0.08, 0.12, 0.5))
	label.add_theme_constant_override("shadow_offset_y", 1)
	return label
