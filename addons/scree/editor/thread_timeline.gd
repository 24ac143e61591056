@tool
extends Control
## The timeline of one tick: a row for each thread, a box for each piece of work. The wheel zooms, dragging moves.

const ProfileHistory := preload("profile_history.gd")
const HEAD := 70.0  ## Width of the names of the threads [pixel].
const ROW := 26.0

var tick: ProfileHistory.Tick
var history: ProfileHistory

var _from := 0.0  # [microseconds]
var _to := 1.0


func _init() -> void:
	custom_minimum_size = Vector2(200.0, 3.0 * ROW)
	clip_contents = true
	tooltip_text = "The wheel zooms, dragging moves."


## Shows a tick as a whole.
func show_tick(of: ProfileHistory, wanted: ProfileHistory.Tick) -> void:
	history = of
	tick = wanted
	_from = 0.0
	_to = maxf(wanted.duration, 1.0)
	custom_minimum_size.y = ROW * (of.thread_count + 1)
	queue_redraw()


func _scale() -> float:
	return (size.x - HEAD) / (_to - _from)


func _draw() -> void:
	draw_rect(Rect2(Vector2.ZERO, size), get_theme_color("dark_color_2", "Editor"))
	if tick == null:
		return
	var font := get_theme_default_font()
	for event: int in tick.jobs.size():
		var box := _box_of(event)
		if box.end.x < HEAD or box.position.x > size.x:
			continue
		draw_rect(box, ProfileHistory.colour_of(tick.jobs[event]))
		if box.size.x > 60.0:
			draw_string(font, box.position + Vector2(3.0, 15.0), history.stage_names[tick.jobs[event]], HORIZONTAL_ALIGNMENT_LEFT,
				box.size.x - 6.0, 12, Color.BLACK)
	draw_rect(Rect2(0.0, 0.0, HEAD, size.y), get_theme_color("dark_color_2", "Editor"))
	for thread: int in history.thread_count:
		var title := "caller" if thread == 0 else "worker %d" % thread
		draw_string(font, Vector2(4.0, ROW * thread + 17.0), title, HORIZONTAL_ALIGNMENT_LEFT, HEAD - 6.0, 13)
	for part: int in 3:
		var said := "%s µs" % String.num(_from + (_to - _from) * part / 2.0, 1).trim_suffix(".0")
		var align: HorizontalAlignment = [HORIZONTAL_ALIGNMENT_LEFT, HORIZONTAL_ALIGNMENT_CENTER, HORIZONTAL_ALIGNMENT_RIGHT][part]
		draw_string(font, Vector2(HEAD, ROW * history.thread_count + 16.0), said, align, size.x - HEAD - 4.0, 12, Color(1, 1, 1, 0.7))


func _box_of(event: int) -> Rect2:
	var x := HEAD + (tick.begins[event] - _from) * _scale()
	return Rect2(x, ROW * tick.threads[event] + 2.0, maxf(tick.durations[event] * _scale(), 1.0), ROW - 4.0)


func _gui_input(event: InputEvent) -> void:
	if tick == null:
		return
	if event is InputEventMouseButton and event.pressed and event.button_index in [MOUSE_BUTTON_WHEEL_UP, MOUSE_BUTTON_WHEEL_DOWN]:
		var factor := 0.8 if event.button_index == MOUSE_BUTTON_WHEEL_UP else 1.25
		var centre: float = _from + (event.position.x - HEAD) / _scale()
		_show_range(centre + (_from - centre) * factor, centre + (_to - centre) * factor)
		accept_event()
	elif event is InputEventMouseMotion and event.button_mask & MOUSE_BUTTON_MASK_LEFT:
		var way: float = event.relative.x / _scale()
		_show_range(_from - way, _to - way)


func _show_range(from: float, to: float) -> void:
	var length := clampf(to - from, 0.5, maxf(tick.duration, 1.0))
	_from = clampf(from, 0.0, maxf(tick.duration, 1.0) - length)
	_to = _from + length
	queue_redraw()


func _get_tooltip(place: Vector2) -> String:
	if tick != null:
		for event: int in tick.jobs.size():
			if _box_of(event).has_point(place) and place.x > HEAD:
				var items := ", %d items" % tick.items[event] if tick.items[event] else ""
				return "%s: %.1f µs%s" % [history.stage_names[tick.jobs[event]], tick.durations[event], items]
	return tooltip_text
