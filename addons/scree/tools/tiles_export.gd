@tool
extends EditorExportPlugin
## Puts the baked tiles of a project into the pack of an exported game. Godot itself exports resources only.

const INDEX := "tiles.json"
const TILE := "screetile"
## All tiles are in memory while a game is exported; above this, Godot has to export them by itself.
const MOST_BYTES := 1 << 30


func _get_name() -> String:
	return "Scree tiles"


func _export_begin(_features: PackedStringArray, _is_debug: bool, _path: String, _flags: int) -> void:
	var found := _files_of("res://")
	var bytes := 0
	for path: String in found:
		bytes += FileAccess.open(path, FileAccess.READ).get_length()
	if bytes > MOST_BYTES:
		push_warning("Scree: the tiles of this project take %d MB. Add *.%s,%s to the filter of non-resource files of the export preset: only then are they in the game." % [bytes >> 20, TILE, INDEX])
		return
	for path: String in found:
		add_file(path, FileAccess.get_file_as_bytes(path), false)


## Index and tiles of every folder beneath one that holds both.
func _files_of(folder: String) -> PackedStringArray:
	var found := PackedStringArray()
	var names := DirAccess.get_files_at(folder)
	if INDEX in names:
		for name: String in names:
			if name.get_extension() == TILE:
				found.append(folder.path_join(name))
		if not found.is_empty():
			found.append(folder.path_join(INDEX))
	for below: String in DirAccess.get_directories_at(folder):
		if not below.begins_with("."):
			found.append_array(_files_of(folder.path_join(below)))
	return found
