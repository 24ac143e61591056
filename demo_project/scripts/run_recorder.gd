extends Node
## Times every physics tick of a scene, and when the asked number has run, writes the figures and quits.
##
## A tick's time is that from one `physics_frame` signal to the next: a fixed place in Godot's main loop, so that it
## holds the whole tick (node sync, scripts, the engine's step). With --fixed-fps nothing waits between ticks.

const RunMeasure = preload("res://measure/run_measure.gd")

## Milliseconds, one for each tick run so far.
var tick_ms := PackedFloat64Array()

var _scene: Node3D
var _resident_at_start := resident_bytes()  # the recorder is made before the bodies
var _resident_at_end := 0
var _last_usec := 0
var _started := false


func _init(scene: Node3D) -> void:
	_scene = scene
	name = "RunRecorder"


func _ready() -> void:
	get_tree().physics_frame.connect(_on_physics_frame)
	# Under a software renderer a frame takes far longer than a tick; draw only what is kept.
	if not _scene.options.png_ticks.is_empty():
		RenderingServer.render_loop_enabled = false


func ticks() -> int:
	return tick_ms.size()


func _on_physics_frame() -> void:
	var now := Time.get_ticks_usec()
	if _started:
		tick_ms.append((now - _last_usec) / 1000.0)
	_started = true
	_last_usec = now
	var options: Variant = _scene.options
	if ticks() + 1 in options.png_ticks:
		RenderingServer.frame_pre_draw.emit()  # a SoftBody3D takes its place in the first frame that is drawn
	if ticks() in options.png_ticks:
		_save_picture(options.png_path_at(ticks()))
	if options.ticks > 0 and ticks() == options.ticks:
		_finish()


func _save_picture(path: String) -> void:
	RenderingServer.force_draw(false)
	var status := get_viewport().get_texture().get_image().save_png(path)
	assert(status == OK, "cannot write %s" % path)


func _finish() -> void:
	_resident_at_end = resident_bytes()  # before measuring, which makes large tables
	_scene.stop_busy_thread()
	get_tree().physics_frame.disconnect(_on_physics_frame)
	var figures := report()
	if _scene.options.json_path != "":
		var file := FileAccess.open(_scene.options.json_path, FileAccess.WRITE)
		if file == null:
			push_error("cannot write %s" % _scene.options.json_path)
			get_tree().quit(1)
			return
		file.store_string(JSON.stringify(figures))
		file.close()
	print(line(figures))
	get_tree().quit(0)


## Everything that is known about the run.
func report() -> Dictionary:
	var more: Vector2i = _scene.more_bodies()
	var figures := {
		"scene": _scene.scene_name(),
		"engine": PhysicsServer3D.get_class(),
		"engine_setting": ProjectSettings.get_setting("physics/3d/physics_engine"),
		"bodies": _scene.bodies.size() + more.x,
		"ticks": ticks(),
		"tick_ms": Array(tick_ms),
		"resident_growth": _resident_at_end - _resident_at_start,
	}
	figures.merge(RunMeasure.figures(_scene.bodies, _scene.bin, not _scene.options.without_depth))
	figures["asleep"] += more.y
	figures.merge(_scene.extra_figures())
	return figures


## The memory that the process holds, from Linux's `/proc`; 0 where there is none. [bytes]
static func resident_bytes() -> int:
	var file := FileAccess.open("/proc/self/statm", FileAccess.READ)
	return int(file.get_line().get_slice(" ", 1)) * 4096 if file != null else 0


static func line(figures: Dictionary) -> String:
	var sorted: Array = figures["tick_ms"].duplicate()
	sorted.sort()
	return "%s: %d bodies, %d ticks, %.2f ms a tick (median), %.2f ms (95th percentile), %d asleep, deepest penetration %.1f mm, %.4f J a body, height %.2f m, %d lost [%s]" % [
		figures["scene"], figures["bodies"], figures["ticks"], sorted[sorted.size() / 2],
		sorted[int(0.95 * (sorted.size() - 1))], figures["asleep"], 1000.0 * figures["deepest_penetration"],
		figures["kinetic_energy_per_body"], figures["height"], figures["lost"], figures["engine"]]
