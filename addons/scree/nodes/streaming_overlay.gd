class_name StreamingOverlay
extends Control
## A top view of a [StreamingWorld3D] in a corner of the game: its tiles by state, and what the physics step spends on them.

const COLOURS := {"in": Color("3b8f5a"), "requested": Color("e0a32e"), "leaving": Color("8c6bb1"), "failed": Color("c0392b"),
	"": Color(0.85, 0.85, 0.85)}
const SHADES: Array[float] = [1.0, 0.65, 0.3, 0.15]
## Between two looks [s]: to ask costs a call into Python.
const PAUSE := 0.25

## The world that is shown.
@export var world: Node3D
## Side of a tile on the screen.
@export_range(2, 64, 1, "suffix:px") var tile_pixels := 14

var _rows: Array = []
var _figures := {}
var _since := INF


func _process(delta: float) -> void:
	_since += delta
	if _since < PAUSE or not is_instance_valid(world):
		return
	_since = 0.0
	_rows = world.call("tiles")
	_figures = world.call("figures")
	queue_redraw()


func _draw() -> void:
	if _rows.is_empty():
		return
	var low := Vector2(INF, INF)
	for row: Array in _rows:
		low = low.min(Vector2(row[0], row[1]))
	for row: Array in _rows:
		var colour: Color = COLOURS[row[2]]
		colour.a = SHADES[int(row[3])] if row[2] in ["in", ""] else 1.0
		draw_rect(Rect2((Vector2(row[0], row[1]) - low) * tile_pixels, Vector2.ONE * (tile_pixels - 1)), colour)
	var text := "%d tiles, %d bodies, %d waiting; worst %.0f us" % [
		_figures["tiles_in"], _figures["bodies"], _figures["waiting"], _figures["worst_us"]]
	draw_string(get_theme_default_font(), Vector2(0, -6), text, HORIZONTAL_ALIGNMENT_LEFT, -1, 12)
