extends RefCounted
## The list of demo scenes, as written in res://index.json.

const PATH := "res://index.json"


## Every entry, in the order of the menu: name, title, kind ("demo" or "bench"), ticks, bodies, pictures, cover, about.
static func entries() -> Array[Dictionary]:
	var parsed: Variant = JSON.parse_string(FileAccess.get_file_as_string(PATH))
	assert(parsed is Dictionary, "%s is not valid JSON" % PATH)
	var list: Array[Dictionary] = []
	for entry: Dictionary in parsed["scenes"]:
		list.append(entry)
	return list


## The entry called `scene_name`, or an empty dictionary.
static func entry(scene_name: String) -> Dictionary:
	for candidate: Dictionary in entries():
		if candidate["name"] == scene_name:
			return candidate
	return {}


static func scene_path(scene_name: String) -> String:
	return "res://scenes/%s.tscn" % scene_name
