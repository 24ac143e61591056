extends RefCounted
## The list of demo scenes, as written in res://index.json.

const PATH := "res://index.json"
## The heading of scenes that only measure.
const MEASURED := "Measured"


## Every entry: name, title, kind ("demo", "play" or "bench"), shows (its heading in the menu), ticks, bodies, pictures, cover,
## about.
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


## The headings of the menu, in the order of the entries; what only measures comes last.
static func headings() -> Array[String]:
	var found: Array[String] = []
	for one: Dictionary in entries():
		var heading: String = one.get("shows", MEASURED)
		if heading != MEASURED and heading not in found:
			found.append(heading)
	found.append(MEASURED)
	return found


static func scene_path(scene_name: String) -> String:
	return "res://scenes/%s.tscn" % scene_name
