@tool
extends VBoxContainer
## The tab "Settings": Scree's project settings with their explanations, which come from the engine itself.

const OWN := "physics/scree_3d/"
const MISSING := "The explanations come from Scree, and its native part is not loaded here. They stand in docs/settings.md, too."

var _rows := VBoxContainer.new()
var _search := LineEdit.new()
var _restart := Label.new()


func _init() -> void:
	name = "Settings"
	var bar := HBoxContainer.new()
	_search.placeholder_text = "Search"
	_search.tooltip_text = "Show the settings whose name or explanation has these words."
	_search.custom_minimum_size.x = 240.0
	_search.clear_button_enabled = true
	_search.text_changed.connect(_filter)
	bar.add_child(_search)
	_restart.text = "Scree reads settings when Godot starts: a change acts after a restart of the game."
	_restart.modulate.a = 0.7
	bar.add_child(_restart)
	add_child(bar)
	var scroll := ScrollContainer.new()
	scroll.size_flags_vertical = Control.SIZE_EXPAND_FILL
	scroll.horizontal_scroll_mode = ScrollContainer.SCROLL_MODE_DISABLED
	_rows.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	scroll.add_child(_rows)
	add_child(scroll)
	visibility_changed.connect(func() -> void:
		if is_visible_in_tree():
			show_settings())


## Fills the tab, once.
func show_settings() -> void:
	if _rows.get_child_count() > 0:
		return
	var table := {}
	if Engine.has_singleton("Scree") and Engine.get_singleton("Scree").has_method("describe_settings"):
		table = Engine.get_singleton("Scree").call("describe_settings")
	if table.is_empty():
		var label := Label.new()
		label.text = MISSING
		_rows.add_child(label)
	for setting: String in table:
		_rows.add_child(_row_of(setting, table[setting]))


func _row_of(setting: String, about: Dictionary) -> Control:
	var row := HBoxContainer.new()
	row.set_meta("words", (setting + " " + about["does"] + " " + about["breaks"]).to_lower())
	var left := VBoxContainer.new()
	left.custom_minimum_size.x = 300.0
	var title := Label.new()
	title.text = setting.trim_prefix(OWN)
	title.tooltip_text = setting
	title.mouse_filter = Control.MOUSE_FILTER_STOP
	left.add_child(title)
	left.add_child(_editor_of(setting, about))
	row.add_child(left)
	var text := Label.new()
	text.text = ("%s\n%s" % [about["does"], about["breaks"]]).replace("`", "")
	text.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	text.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	text.add_theme_font_size_override("font_size", 13)
	row.add_child(text)
	return row


func _editor_of(setting: String, about: Dictionary) -> Control:
	var value: Variant = ProjectSettings.get_setting(setting, about["default"])
	var bar := HBoxContainer.new()
	var said := "%s\nUnit: %s. Default: %s." % [setting, about["unit"], about["default"]]
	var reset := Button.new()
	reset.text = "Default"
	reset.tooltip_text = "Set it to %s." % about["default"]
	if about["default"] is bool:
		var box := CheckBox.new()
		box.button_pressed = value
		box.tooltip_text = said
		box.toggled.connect(func(on: bool) -> void: _store(setting, on, about, reset))
		reset.pressed.connect(func() -> void: box.button_pressed = about["default"])
		bar.add_child(box)
	else:
		var box := SpinBox.new()
		box.step = 0.001 if about["default"] is float else 1.0
		box.min_value = about["smallest"]
		box.max_value = about.get("largest", about["smallest"])
		box.allow_greater = not about.has("largest")
		box.value = value
		box.tooltip_text = said
		box.custom_minimum_size.x = 150.0
		box.value_changed.connect(func(number: float) -> void:
			_store(setting, type_convert(number, typeof(about["default"])), about, reset))
		reset.pressed.connect(func() -> void: box.value = about["default"])
		bar.add_child(box)
	var unit := Label.new()
	unit.text = about["unit"]
	unit.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	unit.clip_text = true
	bar.add_child(unit)
	reset.disabled = value == about["default"]
	bar.add_child(reset)
	return bar


func _store(setting: String, value: Variant, about: Dictionary, reset: Button) -> void:
	ProjectSettings.set_setting(setting, value)
	ProjectSettings.save()
	reset.disabled = value == about["default"]
	_restart.modulate.a = 1.0


func _filter(words: String) -> void:
	for row: Node in _rows.get_children():
		if row is Control and row.has_meta("words"):
			var said: String = row.get_meta("words")
			(row as Control).visible = Array(words.to_lower().split(" ", false)).all(func(word: String) -> bool: return said.contains(word))
