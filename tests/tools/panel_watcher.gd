@tool
extends EditorPlugin
## Uses the panel "Scree" as a user does, and prints what it sees. Draws pictures where SCREE_PICTURES names a folder.

const FRAMES := 5  ## Frames that the editor gets to lay out its controls.

var _pictures := OS.get_environment("SCREE_PICTURES")


func _enter_tree() -> void:
	while EditorInterface.get_resource_filesystem().is_scanning():
		await get_tree().process_frame
	await _open("res://trapped.tscn")
	EditorInterface.set_main_screen_editor("Script")  # drawing 3D takes long without a GPU
	var panel: TabContainer = EditorInterface.get_base_control().find_children("Scree", "TabContainer", true, false)[0]
	make_bottom_panel_item_visible(panel)
	var titles := range(panel.get_tab_count()).map(func(tab: int) -> String: return panel.get_tab_title(tab))
	print("[tabs] ", titles)
	for tab: int in panel.get_tab_count():
		panel.current_tab = tab
		await _drawn("panel_%s" % titles[tab].to_lower())
	_tell_layers(panel.get_node("Layers"))
	await _tell_traps(panel.get_node("Traps"))
	_tell_settings(panel.get_node("Settings"))
	_tell_tooltips(panel)
	await _tell_help()
	await _tell_end()
	get_tree().quit()


## Opens a scene. The editor opens the main scene of a new project when it is ready, maybe later.
func _open(scene: String) -> void:
	for attempt: int in 20:
		EditorInterface.open_scene_from_path(scene)
		for frame: int in 20:
			await get_tree().process_frame
		var root := EditorInterface.get_edited_scene_root()
		if attempt > 0 and root != null and root.scene_file_path == scene:
			return


func _drawn(picture: String) -> void:
	for frame: int in FRAMES:
		await get_tree().process_frame
	if _pictures:
		RenderingServer.force_draw()
		EditorInterface.get_base_control().get_viewport().get_texture().get_image().save_png(_pictures.path_join(picture + ".png"))


func _tell_layers(tab: Node) -> void:
	var cells := tab.find_children("*", "Button", true, false).map(func(cell: Button) -> String: return cell.text)
	print("[cells] ", "".join(cells))
	print("[notes] ", tab.find_children("*", "RichTextLabel", true, false)[0].text.replace("\n", " | "))


func _tell_traps(tab: Node) -> void:
	var named := func() -> String: return ", ".join(tab.traps.map(func(trap: RefCounted) -> String:
		return "%s: %s" % [trap.node.name, trap.rule]))
	print("[traps] ", named.call())
	var tree: Tree = tab.find_children("*", "Tree", true, false)[0]
	tree.get_root().get_child(0).select(0)
	await get_tree().process_frame
	print("[selected] ", EditorInterface.get_selection().get_selected_nodes().map(func(node: Node) -> String: return str(node.name)))
	tree.button_clicked.emit(tree.get_root().get_child(0), 3, 0, MOUSE_BUTTON_LEFT)
	print("[mended] ", named.call())
	var history := get_undo_redo().get_history_undo_redo(get_undo_redo().get_object_history_id(EditorInterface.get_edited_scene_root()))
	print("[action] ", history.get_current_action_name())
	history.undo()
	tab.show_scene()
	print("[undone] ", named.call())


func _tell_settings(tab: Node) -> void:
	var boxes := tab.find_children("*", "SpinBox", true, false) + tab.find_children("*", "CheckBox", true, false)
	print("[settings] ", boxes.size())
	var box: SpinBox = tab.find_children("*", "SpinBox", true, false)[0]
	box.value = 8
	print("[set] ", box.tooltip_text.get_slice("\n", 0), " ", ProjectSettings.get_setting("physics/scree_3d/simulation/substeps"))
	box.value = 4


## Buttons and fields that say nothing when the pointer rests on them.
func _tell_tooltips(panel: Node) -> void:
	var silent: Array = []
	for kind: String in ["Button", "CheckBox", "SpinBox"]:
		for control: Control in panel.find_children("*", kind, true, false):
			if control.tooltip_text.is_empty() and not control.get_parent() is SpinBox:
				silent.append(panel.get_path_to(control))
	print("[silent] ", silent)


## Opens the help of each of Scree's classes, as F1 does.
func _tell_help() -> void:
	var editor := EditorInterface.get_script_editor()
	var classes: Array[String] = ["Scree", "ScreeRayHits", "ScreeProfile"]
	var opened := 0
	for name: String in classes:
		editor.goto_help("class_name:%s" % name)
		await _drawn("help_%s" % name.to_lower())
		var pages := editor.find_children(name, "EditorHelp", true, false)
		var said: String = pages[0].find_children("*", "RichTextLabel", true, false)[0].get_parsed_text() if pages else ""
		opened += int(said.contains("Inherits:") and said.contains("Methods") and not said.contains("currently no description"))
	print("[help] ", opened, " of ", classes.size())


## Disables the plugin: its controls go, and an edit of the scene reaches nothing that is freed.
func _tell_end() -> void:
	EditorInterface.set_plugin_enabled("scree", false)
	for frame: int in FRAMES:
		await get_tree().process_frame
	get_undo_redo().create_action("Move")
	get_undo_redo().add_do_property(EditorInterface.get_edited_scene_root(), "position", Vector3.ONE)
	get_undo_redo().commit_action()
	await get_tree().create_timer(0.5).timeout
	print("[left] ", EditorInterface.get_base_control().find_children("Scree", "", true, false).filter(
		func(node: Node) -> bool: return not node.is_class("EditorHelp")))
