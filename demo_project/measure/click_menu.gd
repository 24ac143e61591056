extends SceneTree
## Clicks every card of the demo menu with the mouse, plays each scene for some ticks, and comes back by its keys and buttons.
##
## SCREE_CLICK_TICKS: ticks of each scene; SCREE_CLICK_KINDS: kinds of scenes; SCREE_CLICK_FOLDER: where their pictures go.

const DemoIndex = preload("res://scripts/demo_index.gd")
const MENU := "res://scenes/menu.tscn"

var _ticks := 0
var _folder := ""


func _initialize() -> void:
	_ticks = OS.get_environment("SCREE_CLICK_TICKS").to_int()
	_folder = OS.get_environment("SCREE_CLICK_FOLDER")
	print("class ", PhysicsServer3D.get_class())
	change_scene_to_file(MENU)
	await _frames(3)
	var kinds := OS.get_environment("SCREE_CLICK_KINDS").split(",")
	for entry: Dictionary in DemoIndex.entries():
		if entry["kind"] in kinds:
			await _play(entry["name"])
	quit()


func _play(scene_name: String) -> void:
	var card := current_scene.find_child(scene_name, true, false) as Button
	(current_scene.get_node("Scroll") as ScrollContainer).ensure_control_visible(card)
	await _frames(2)
	await _click(card.get_global_rect().get_center())
	var played := current_scene
	if played.scene_file_path != DemoIndex.scene_path(scene_name):
		print("missed ", scene_name, " ", played.scene_file_path)
		return
	RenderingServer.render_loop_enabled = false  # drawing on a processor takes far longer than the physics
	for _tick: int in _ticks:
		await physics_frame
	RenderingServer.render_loop_enabled = true
	await _frames(2)
	var told := {"scene": scene_name, "engine": PhysicsServer3D.get_class(), "bodies": played.get("bodies").size()}
	if DisplayServer.get_name() != "headless":
		await _use_hud(told)
	_press(KEY_ESCAPE)
	await _frames(3)
	if current_scene.scene_file_path != MENU:  # without a screen there is no hud and no key
		change_scene_to_file(MENU)
		await _frames(3)
	print("played ", JSON.stringify(told))


## Pauses by key and goes on by button, and takes a picture.
func _use_hud(told: Dictionary) -> void:
	_press(KEY_SPACE)
	await _frames(2)
	told["pauses"] = paused
	var button := current_scene.find_child("Buttons", true, false).get_child(2) as Button
	await _click(button.get_global_rect().get_center())
	told["goes_on"] = not paused
	var image := root.get_texture().get_image()
	told["colours"] = _colours(image)
	if _folder != "":
		image.save_png(_folder.path_join("%s.png" % current_scene.scene_file_path.get_file().get_basename()))


## The number of different colours on a grid over a picture, of 16 levels a channel: sky and ground shade into each other.
func _colours(image: Image) -> int:
	var found := {}
	for x: int in range(8, image.get_width(), 16):
		for y: int in range(8, image.get_height(), 16):
			var seen := image.get_pixel(x, y)
			found[Vector3i(seen.r8 >> 4, seen.g8 >> 4, seen.b8 >> 4)] = true
	return found.size()


func _click(at: Vector2) -> void:
	for pressed: bool in [true, false]:
		var event := InputEventMouseButton.new()
		event.button_index = MOUSE_BUTTON_LEFT
		event.pressed = pressed
		event.position = at
		event.global_position = at
		root.push_input(event, true)
		await process_frame
	await _frames(3)


func _press(key: Key) -> void:
	for pressed: bool in [true, false]:
		var event := InputEventKey.new()
		event.keycode = key
		event.pressed = pressed
		root.push_input(event, true)


func _frames(count: int) -> void:
	for _frame: int in count:
		await process_frame
