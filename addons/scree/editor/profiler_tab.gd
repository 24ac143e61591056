@tool
extends VBoxContainer
## The tab "Scree" of the debugger: what the steps of a running game take. The game records and sends only while this tab is seen.

const ProfileHistory := preload("profile_history.gd")
const StageBars := preload("stage_bars.gd")
const ThreadTimeline := preload("thread_timeline.gd")
const ASK_EVERY := 0.1  ## [s]
const SMALLEST_SHARE := 0.002  ## Of a step; stages below are not listed.

## Sends a message to the game: a function of the message and an Array.
var send: Callable
## Histories by the ids of the spaces.
var histories := {}

var _bars := StageBars.new()
var _timeline := ThreadTimeline.new()
var _stages := Tree.new()
var _record := CheckButton.new()
var _spaces := OptionButton.new()
var _said := Label.new()
var _dialog: FileDialog
var _chosen: ProfileHistory.Tick
var _since := 0.0
var _is_asking := false
var _is_running := false


func _init() -> void:
	name = "Scree"
	add_child(_tool_bar())
	_stages.columns = 3
	_stages.hide_root = true
	_stages.column_titles_visible = true
	for column: int in 3:
		_stages.set_column_title(column, ["Stage", "mean [µs]", "this tick [µs]"][column])
		_stages.set_column_expand_ratio(column, [4, 2, 3][column])
		_stages.set_column_custom_minimum_width(column, [170, 70, 100][column])
	_stages.custom_minimum_size.x = 380.0
	_stages.tooltip_text = "The stages of a step, longest first: on the thread that steps."
	var left := VBoxContainer.new()
	left.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	_bars.size_flags_vertical = Control.SIZE_EXPAND_FILL
	_bars.chosen.connect(choose)
	left.add_child(_bars)
	left.add_child(_said)
	left.add_child(_timeline)
	var split := HSplitContainer.new()
	split.size_flags_vertical = Control.SIZE_EXPAND_FILL
	split.add_child(left)
	split.add_child(_stages)
	add_child(split)
	_tell("Run the game: its ticks appear here.")


func _tool_bar() -> Control:
	var bar := HBoxContainer.new()
	_record.text = "Record"
	_record.button_pressed = true
	_record.tooltip_text = "Record while this tab is seen. Otherwise a profile costs nothing."
	bar.add_child(_record)
	_spaces.tooltip_text = "The space that is shown, by its number of awake bodies. Each World3D has one."
	_spaces.item_selected.connect(func(_item: int) -> void: _show_space())
	bar.add_child(_spaces)
	_add_button(bar, "Clear", "Forget all ticks.", clear)
	_add_button(bar, "Slowest tick", "Choose the tick that took longest.", choose_slowest)
	_add_button(bar, "Save as Chrome trace", "Save all ticks that are shown as a file for Perfetto or chrome://tracing.",
		func() -> void: _ask_for_file(false))
	_add_button(bar, "Save this tick", "Save the chosen tick as such a file.", func() -> void: _ask_for_file(true))
	return bar


func _add_button(bar: Control, text: String, said: String, pressed: Callable) -> void:
	var button := Button.new()
	button.text = text
	button.tooltip_text = said
	button.pressed.connect(pressed)
	bar.add_child(button)


func begin() -> void:
	clear()
	_is_running = true


func end() -> void:
	_is_running = false
	_is_asking = false


func clear() -> void:
	histories.clear()
	_spaces.clear()
	_chosen = null
	_bars.history = null
	_timeline.tick = null
	_stages.clear()
	_bars.queue_redraw()
	_timeline.queue_redraw()


func _process(delta: float) -> void:
	var wanted := _is_running and _record.button_pressed and is_visible_in_tree()
	if _is_asking and not wanted and _is_running:
		send.call("scree:profile", [false])
	_is_asking = wanted
	_since += delta
	if wanted and _since >= ASK_EVERY:
		_since = 0.0
		send.call("scree:take", [])


## Takes a message of the game. Returns whether it is one.
func receive(message: String, data: Array) -> bool:
	if message != "scree:ticks" or data.size() != 3:
		return false
	var space: int = data[0]
	if not histories.has(space):
		histories[space] = ProfileHistory.new()
		_spaces.add_item("")
		_spaces.set_item_metadata(_spaces.item_count - 1, space)
	for item: int in _spaces.item_count:
		if _spaces.get_item_metadata(item) == space:
			_spaces.set_item_text(item, "Space of %d awake bodies" % data[1])
	(histories[space] as ProfileHistory).add(data[2])
	_show_space()
	return true


func history() -> ProfileHistory:
	return histories.get(_spaces.get_selected_metadata()) if _spaces.selected >= 0 else null


func _show_space() -> void:
	_bars.history = history()
	_bars.queue_redraw()
	if history() != null and not history().ticks.is_empty():
		if _chosen == null:
			_tell("%d ticks. Press a bar to see its threads." % history().ticks.size())
		_list_stages()


func _list_stages() -> void:
	_stages.clear()
	var means := history().means()
	var total := 0.0
	var order := range(means.size())
	for mean: float in means:
		total += mean
	order.sort_custom(func(a: int, b: int) -> bool: return means[a] > means[b])
	var top := _stages.create_item()
	for stage: int in order:
		if means[stage] < SMALLEST_SHARE * total:
			break
		var row := _stages.create_item(top)
		row.set_text(0, history().stage_names[stage])
		row.set_custom_color(0, ProfileHistory.colour_of(stage))
		row.set_text(1, "%.1f" % means[stage])
		row.set_text(2, "%.1f" % _chosen.stages[stage] if _chosen != null else "")
		for column: int in [1, 2]:
			row.set_text_alignment(column, HORIZONTAL_ALIGNMENT_RIGHT)


## Chooses a tick by its number.
func choose(number: int) -> void:
	for tick: ProfileHistory.Tick in history().ticks:
		if tick.number == number:
			_chosen = tick
			_bars.chosen_tick = number
			_bars.queue_redraw()
			_timeline.show_tick(history(), tick)
			_tell("Tick %d: %.0f µs, %d bodies awake, %d pairs, %d contacts" % [number, tick.duration, tick.bodies, tick.pairs,
				tick.contacts])
			_list_stages()


func choose_slowest() -> void:
	var slowest: ProfileHistory.Tick = null
	for tick: ProfileHistory.Tick in history().ticks if history() != null else []:
		if slowest == null or tick.duration > slowest.duration:
			slowest = tick
	if slowest != null:
		choose(slowest.number)


func _ask_for_file(only_chosen: bool) -> void:
	if history() == null or (only_chosen and _chosen == null):
		_tell("Choose a tick first." if only_chosen else "There is nothing to save yet.")
		return
	if _dialog == null:
		_dialog = FileDialog.new()
		_dialog.access = FileDialog.ACCESS_FILESYSTEM
		_dialog.file_mode = FileDialog.FILE_MODE_SAVE_FILE
		_dialog.filters = ["*.json;Chrome trace"]
		add_child(_dialog)
	for connection: Dictionary in _dialog.file_selected.get_connections():
		_dialog.file_selected.disconnect(connection["callable"])
	_dialog.file_selected.connect(save.bind(only_chosen))
	_dialog.current_file = "tick_%d.json" % _chosen.number if only_chosen else "scree_profile.json"
	_dialog.popup_centered_ratio(0.5)


## Saves the chosen tick, or all of them, as a Chrome trace.
func save(path: String, only_chosen: bool) -> void:
	var file := FileAccess.open(path, FileAccess.WRITE)
	if file == null:
		_tell("Cannot write %s: %s." % [path, error_string(FileAccess.get_open_error())])
		return
	var of: Array[ProfileHistory.Tick] = history().ticks
	if only_chosen:
		of = [_chosen]
	file.store_string(history().chrome_trace(of))
	_tell("Saved %d ticks to %s. Open it in ui.perfetto.dev or chrome://tracing." % [of.size(), path])


func _tell(text: String) -> void:
	_said.text = text
