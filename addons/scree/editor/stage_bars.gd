@tool
extends Control
## Bars over time: one for each tick, with its stages on top of each other. Press a bar to choose its tick.

signal chosen(number: int)

const ProfileHistory := preload("profile_history.gd")
const WIDTH := 4.0  ## Of a bar [pixel].
const STEPS: Array[float] = [50.0, 100.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0, 17000.0, 34000.0, 68000.0, 200000.0, 1e6]

var history: ProfileHistory
var chosen_tick := -1

var _top := STEPS[0]  # the height of the picture [microseconds]


func _init() -> void:
	custom_minimum_size = Vector2(200.0, 110.0)
	clip_contents = true
	tooltip_text = "Press a bar to see its threads below."


func _shown() -> Array[ProfileHistory.Tick]:
	var none: Array[ProfileHistory.Tick] = []
	return history.ticks.slice(-maxi(int(size.x / WIDTH), 1)) if history != null else none


func _draw() -> void:
	draw_rect(Rect2(Vector2.ZERO, size), get_theme_color("dark_color_2", "Editor"))
	var ticks := _shown()
	_top = _height_for(ticks)
	for place: int in ticks.size():
		_draw_bar(ticks[place], WIDTH * place)
	var font := get_theme_default_font()
	for part: float in [0.5, 1.0]:
		var y := size.y * (1.0 - part)
		draw_line(Vector2(0.0, y), Vector2(size.x, y), Color(1, 1, 1, 0.2))
		draw_string(font, Vector2(4.0, y + 14.0), _time(_top * part), HORIZONTAL_ALIGNMENT_LEFT, -1, 12, Color(1, 1, 1, 0.7))


## The height of the picture for some ticks [microseconds]. The longest of them may reach beyond: a few must not flatten
## all others.
static func _height_for(ticks: Array[ProfileHistory.Tick]) -> float:
	var durations := PackedFloat32Array()
	for tick: ProfileHistory.Tick in ticks:
		durations.append(tick.duration)
	durations.sort()
	var long := durations[int((durations.size() - 1) * 0.95)] if not durations.is_empty() else 0.0
	for step: float in STEPS:
		if long <= step:
			return step
	return STEPS[-1]


func _draw_bar(tick: ProfileHistory.Tick, x: float) -> void:
	var y := size.y
	var scale_of := size.y / _top
	for stage: int in tick.stages.size():
		var height := tick.stages[stage] * scale_of
		if height > 0.2:
			draw_rect(Rect2(x, y - height, WIDTH - 1.0, height), ProfileHistory.colour_of(stage))
		y -= height
	if tick.duration > _top:
		draw_rect(Rect2(x, 0.0, WIDTH - 1.0, 3.0), Color.RED)
	if tick.number == chosen_tick:
		draw_rect(Rect2(x - 1.0, 0.0, WIDTH + 1.0, size.y), Color.WHITE, false)


static func _time(microseconds: float) -> String:
	return "%s ms" % String.num(microseconds / 1000.0, 3).trim_suffix(".0")


func _gui_input(event: InputEvent) -> void:
	var is_pressed: bool = event is InputEventMouseButton and event.pressed and event.button_index == MOUSE_BUTTON_LEFT
	var is_drawn: bool = event is InputEventMouseMotion and event.button_mask & MOUSE_BUTTON_MASK_LEFT
	if is_pressed or is_drawn:
		var tick := _tick_at((event as InputEventMouse).position)
		if tick != null:
			chosen.emit(tick.number)


func _get_tooltip(place: Vector2) -> String:
	var tick := _tick_at(place)
	if tick == null:
		return tooltip_text
	return "Tick %d: %s\n%d bodies awake, %d pairs, %d contacts" % [tick.number, _time(tick.duration), tick.bodies, tick.pairs,
		tick.contacts]


func _tick_at(place: Vector2) -> ProfileHistory.Tick:
	var ticks := _shown()
	var number := int(place.x / WIDTH)
	return ticks[number] if number >= 0 and number < ticks.size() else null
