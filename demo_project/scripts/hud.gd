extends CanvasLayer
## A few words about the scene, over the picture.

const DemoIndex = preload("res://scripts/demo_index.gd")
const RunningEngine = preload("res://scripts/running_engine.gd")
## Ticks whose mean time is shown.
const WINDOW := 60

var _scene: Node3D
var _figures := Label.new()


func _init(scene: Node3D) -> void:
	_scene = scene
	name = "Hud"


func _ready() -> void:
	var entry := DemoIndex.entry(_scene.scene_name())
	var title := Label.new()
	title.text = entry["title"]
	title.add_theme_font_size_override("font_size", 30)
	var box := VBoxContainer.new()
	box.position = Vector2(28, 20)
	for label: Label in [title, _figures]:
		label.add_theme_color_override("font_color", Color(0.98, 0.98, 0.96))
		label.add_theme_color_override("font_shadow_color", Color(0.05, 0.08, 0.12, 0.5))
		label.add_theme_constant_override("shadow_offset_y", 1)
		box.add_child(label)
	add_child(box)


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
