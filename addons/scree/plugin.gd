@tool
extends EditorPlugin
## Chooses Scree Physics when the plugin is enabled, and says so when the engine was chosen but does not run.

const ENGINE := "Scree Physics"
const SETTING := "physics/3d/physics_engine"
const PANEL := "editor/scree_panel.gd"
const PROFILER := "editor/profiler.gd"
const GIZMOS: Array[String] = ["gizmos/streaming_gizmos.gd", "gizmos/water_gizmos.gd", "gizmos/many_gizmos.gd",
	"gizmos/character_gizmos.gd", "gizmos/wheel_gizmos.gd"]
const TILES_EXPORT := "tools/tiles_export.gd"
const MEND := "Run `scree install` for this project, then restart the editor."
const NEW := "Godot has not seen the addon before. Restart the editor."
const MUST_RUN := "physics/scree_3d/must_run"
const GUARD := "ScreeGuard"
const GUARD_SCRIPT := "nodes/scree_guard.gd"


var _gizmos: Array[EditorNode3DGizmoPlugin] = []
var _tiles_export: EditorExportPlugin
var _panel: Control
var _profiler: EditorDebuggerPlugin


func _enable_plugin() -> void:
	ProjectSettings.set_setting(SETTING, ENGINE)
	ProjectSettings.save()
	if not _is_running():
		print("%s is chosen for this project. Restart the editor: an engine is started once, with Godot." % ENGINE)


func _disable_plugin() -> void:
	_set_guard(false)
	if ProjectSettings.get_setting(SETTING) == ENGINE:
		ProjectSettings.set_setting(SETTING, "DEFAULT")
		ProjectSettings.save()
		print("Godot's default physics engine is chosen for this project. Restart the editor.")


func _enter_tree() -> void:
	_add_gizmos()
	_tiles_export = load(_own(TILES_EXPORT)).new()
	add_export_plugin(_tiles_export)
	_declare_must_run()
	_panel = load(_own(PANEL)).new()
	_panel.attach(self)
	add_control_to_bottom_panel(_panel, "Scree")
	_profiler = load(_own(PROFILER)).new()
	add_debugger_plugin(_profiler)
	if ProjectSettings.get_setting(SETTING) == ENGINE and not _is_running():
		var reason := _reason()
		if reason == NEW and DisplayServer.get_name() == "headless":  # as `--import` on a build machine: nothing is wrong
			print("%s runs from the next start on: Godot had not seen the addon before." % ENGINE)
			return
		var text := "%s is chosen but does not run: %s" % [ENGINE, reason]
		push_warning(text)
		_show(text)


func _exit_tree() -> void:
	ProjectSettings.settings_changed.disconnect(_keep_guard)
	remove_export_plugin(_tiles_export)
	remove_control_from_bottom_panel(_panel)
	_panel.queue_free()
	remove_debugger_plugin(_profiler)
	_remove_gizmos()


## Lines and handles of Scree's nodes in the editor.
func _add_gizmos() -> void:
	for file: String in GIZMOS:
		var gizmos: EditorNode3DGizmoPlugin = load(_own(file)).new()
		gizmos.set("undo_redo", get_undo_redo())
		add_node_3d_gizmo_plugin(gizmos)
		_gizmos.append(gizmos)
	get_undo_redo().history_changed.connect(_draw_gizmos_again)
	get_undo_redo().version_changed.connect(_draw_gizmos_again)


func _remove_gizmos() -> void:
	get_undo_redo().history_changed.disconnect(_draw_gizmos_again)
	get_undo_redo().version_changed.disconnect(_draw_gizmos_again)
	for gizmos: EditorNode3DGizmoPlugin in _gizmos:
		remove_node_3d_gizmo_plugin(gizmos)
	_gizmos.clear()


## After an edit: scripts that are no tools do not tell the editor what changed, and a shape is drawn with its parent.
func _draw_gizmos_again() -> void:
	for node: Node in EditorInterface.get_selection().get_selected_nodes():
		for one: Node in [node, node.get_parent()]:
			if one is Node3D:
				(one as Node3D).update_gizmos()


## Shows a text in a dialog, once the editor has read the project.
func _show(text: String) -> void:
	while EditorInterface.get_resource_filesystem().is_scanning():
		await get_tree().process_frame
	var dialog := AcceptDialog.new()
	dialog.title = ENGINE
	dialog.dialog_text = text + "\nUntil then this project runs on Godot's default physics engine."
	EditorInterface.popup_dialog_centered(dialog)


## The switch that makes a game end where the engine is missing.
func _declare_must_run() -> void:
	if not ProjectSettings.has_setting(MUST_RUN):
		ProjectSettings.set_setting(MUST_RUN, false)
	ProjectSettings.set_initial_value(MUST_RUN, false)
	ProjectSettings.set_as_basic(MUST_RUN, true)
	ProjectSettings.add_property_info({"name": MUST_RUN, "type": TYPE_BOOL})
	ProjectSettings.settings_changed.connect(_keep_guard)
	_keep_guard()


func _keep_guard() -> void:
	_set_guard(ProjectSettings.get_setting(MUST_RUN, false))


## The guard is an autoload: it runs in games on systems that the addon has no library for.
func _set_guard(wanted: bool) -> void:
	if wanted == ProjectSettings.has_setting("autoload/" + GUARD):
		return
	if wanted:
		add_autoload_singleton(GUARD, _own(GUARD_SCRIPT))
	else:
		remove_autoload_singleton(GUARD)
	ProjectSettings.save()


## The path of one of the addon's files.
func _own(file: String) -> String:
	return get_script().resource_path.get_base_dir().path_join(file)


func _is_running() -> bool:
	return PhysicsServer3D.get_class().begins_with("Scree")


## Whether this start is the first one that has seen the addon: engines are started before Godot looks for extensions.
func _is_new() -> bool:
	const LIST := "res://.godot/extension_list.cfg"
	if not FileAccess.get_file_as_string(LIST).contains("scree.gdextension"):
		return true
	var start := Time.get_unix_time_from_system() - Time.get_ticks_msec() / 1000.0
	return FileAccess.get_modified_time(LIST) >= floorf(start)


func _reason() -> String:
	var folder: String = get_script().resource_path.get_base_dir()
	var bin: DirAccess = DirAccess.open(folder.path_join("bin"))
	var systems: Array = Array(bin.get_directories()) if bin != null else []
	var here := "%s.%s" % [OS.get_name().to_lower(), Engine.get_architecture_name()]
	if systems and not here in systems:
		return "this release of the addon is for %s, not for %s." % [", ".join(systems), here]
	if not systems and not FileAccess.file_exists(folder.path_join("bin/scree_paths.cfg")):
		return "this project was not told where Python is. " + MEND
	if systems and not DirAccess.dir_exists_absolute(folder.path_join("bin").path_join(here).path_join("scree")):
		return "the folder bin/%s/scree of the addon is missing. Put the addon of the release into the project again." % here
	if _is_new():
		return NEW
	return "the reason stands in the first lines of Godot's output. " + ("" if systems else MEND)
