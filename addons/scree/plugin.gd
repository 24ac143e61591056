@tool
extends EditorPlugin
## Chooses Scree Physics when the plugin is enabled, and says so when the engine was chosen but does not run.

const ENGINE := "Scree Physics"
const SETTING := "physics/3d/physics_engine"
const GIZMOS := "gizmos/streaming_gizmos.gd"
const MEND := "Run `scree install` for this project, then restart the editor."


var _gizmos: EditorNode3DGizmoPlugin


func _enable_plugin() -> void:
	ProjectSettings.set_setting(SETTING, ENGINE)
	ProjectSettings.save()
	if not _is_running():
		print("%s is chosen for this project. Restart the editor: an engine is started once, with Godot." % ENGINE)


func _disable_plugin() -> void:
	if ProjectSettings.get_setting(SETTING) == ENGINE:
		ProjectSettings.set_setting(SETTING, "DEFAULT")
		ProjectSettings.save()
		print("Godot's default physics engine is chosen for this project. Restart the editor.")


func _enter_tree() -> void:
	_add_gizmos()
	if ProjectSettings.get_setting(SETTING) == ENGINE and not _is_running():
		push_warning("%s is chosen but does not run: %s" % [ENGINE, _reason()])


func _exit_tree() -> void:
	if _gizmos != null:
		remove_node_3d_gizmo_plugin(_gizmos)


## How far streaming worlds and scenes reach, drawn in the editor.
func _add_gizmos() -> void:
	var path: String = get_script().resource_path.get_base_dir().path_join(GIZMOS)
	if ResourceLoader.exists(path):
		_gizmos = load(path).new()
		add_node_3d_gizmo_plugin(_gizmos)


func _is_running() -> bool:
	return PhysicsServer3D.get_class().begins_with("Scree")


func _reason() -> String:
	var folder: String = get_script().resource_path.get_base_dir()
	var is_release := DirAccess.dir_exists_absolute(folder.path_join("bin/linux.x86_64"))
	if is_release and OS.get_name() != "Linux":
		return "this release of the addon is for Linux alone."
	if not is_release and not FileAccess.file_exists(folder.path_join("bin/scree_paths.cfg")):
		return "this project was not told where Python is. " + MEND
	var listing := FileAccess.get_file_as_string("res://.godot/extension_list.cfg")
	if not listing.contains("scree.gdextension"):
		return "Godot has not seen the addon before. Restart the editor."
	return "the reason stands in the first lines of Godot's output. " + ("" if is_release else MEND)
