extends Control
## The menu of the demo scenes, built from res://index.json.

const DemoIndex = preload("res://scripts/demo_index.gd")
const RunningEngine = preload("res://scripts/running_engine.gd")


func _ready() -> void:
	set_anchors_and_offsets_preset(Control.PRESET_FULL_RECT)
	_add_background()
	var first: Button = null
	var column := _add_column()
	column.add_child(_label("Scree demos", 44, Color(0.97, 0.96, 0.93)))
	column.add_child(_label(_engine_line(), 16, Color(0.70, 0.78, 0.84)))
	for heading: String in DemoIndex.headings():
		column.add_child(_label(heading, 20, Color(0.98, 0.73, 0.26)))
		var grid := GridContainer.new()
		grid.columns = 3
		grid.add_theme_constant_override("h_separation", 14)
		grid.add_theme_constant_override("v_separation", 14)
		column.add_child(grid)
		for entry: Dictionary in DemoIndex.entries():
			if entry.get("shows", DemoIndex.MEASURED) == heading:
				var card := _card(entry)
				grid.add_child(card)
				first = card if first == null else first
	if first != null:
		first.grab_focus()


func _unhandled_key_input(event: InputEvent) -> void:
	if event.is_action_pressed("ui_cancel"):
		get_tree().quit()


## The column of headings and cards; it scrolls, and follows the focus of the keyboard.
func _add_column() -> VBoxContainer:
	var scroll := ScrollContainer.new()
	scroll.name = "Scroll"
	scroll.follow_focus = true
	scroll.horizontal_scroll_mode = ScrollContainer.SCROLL_MODE_DISABLED
	add_child(scroll)
	scroll.set_anchors_and_offsets_preset(Control.PRESET_FULL_RECT, Control.PRESET_MODE_MINSIZE, 20)
	var centre := CenterContainer.new()
	centre.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	scroll.add_child(centre)
	var column := VBoxContainer.new()
	column.add_theme_constant_override("separation", 14)
	centre.add_child(column)
	return column


func _card(entry: Dictionary) -> Button:
	var button := Button.new()
	button.name = entry["name"]
	button.custom_minimum_size = Vector2(350, 122)
	button.pressed.connect(func() -> void: get_tree().change_scene_to_file(DemoIndex.scene_path(entry["name"])))
	var box := VBoxContainer.new()
	box.set_anchors_and_offsets_preset(Control.PRESET_FULL_RECT, Control.PRESET_MODE_MINSIZE, 14)
	box.mouse_filter = Control.MOUSE_FILTER_IGNORE
	box.add_child(_label("%s  ·  %d bodies" % [entry["title"], entry["bodies"]], 19, Color.WHITE))
	var about := _label(entry["about"], 14, Color(0.76, 0.81, 0.85))
	about.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	box.add_child(about)
	button.add_child(box)
	return button


func _engine_line() -> String:
	return "Godot %s  ·  %s  ·  in a scene F3 shows what the engine has, Escape comes back" % [Engine.get_version_info()["string"], RunningEngine.title()]


func _label(text: String, size: int, colour: Color) -> Label:
	var label := Label.new()
	label.text = text
	label.mouse_filter = Control.MOUSE_FILTER_IGNORE
	label.add_theme_font_size_override("font_size", size)
	label.add_theme_color_override("font_color", colour)
	return label


func _add_background() -> void:
	var gradient := Gradient.new()
	gradient.set_color(0, Color(0.12, 0.17, 0.23))
	gradient.set_color(1, Color(0.06, 0.08, 0.11))
	var texture := GradientTexture2D.new()
	texture.gradient = gradient
	texture.fill_to = Vector2(0, 1)
	var background := TextureRect.new()
	background.texture = texture
	background.mouse_filter = Control.MOUSE_FILTER_IGNORE
	add_child(background)
	background.set_anchors_and_offsets_preset(Control.PRESET_FULL_RECT)
