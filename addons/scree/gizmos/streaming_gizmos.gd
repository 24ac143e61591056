@tool
extends "res://addons/scree/gizmos/node_gizmos.gd"
## Draws in the editor how far a [StreamingWorld3D] reaches and where a [StreamingScene3D] lives: squares of tiles round the node
## (in the game they lie round the viewers), circles of encounter and activation.

const WORLD_SCRIPT := "streaming_world_3d.gd"
const SCENE_SCRIPT := "streaming_scene_3d.gd"
## Segments of a circle.
const ROUND := 96
const COLOURS := {"full": Color("3b8f5a"), "medium": Color("e0a32e"), "low": Color("8c8c8c"), "encounter": Color("c0392b"),
	"activation": Color("5b8fd9")}
const USUAL_TILE := 256.0


func _init() -> void:
	scripts = [WORLD_SCRIPT, SCENE_SCRIPT]
	for name: String in COLOURS:
		create_material(name, COLOURS[name])


func _get_gizmo_name() -> String:
	return "Scree streaming"


func _redraw(gizmo: EditorNode3DGizmo) -> void:
	gizmo.clear()
	var node := gizmo.get_node_3d()
	if is_of(node, [WORLD_SCRIPT]):
		_draw_world(gizmo, node)
	else:
		var encounter: float = node.get("encounter_radius")
		gizmo.add_lines(circle(encounter), get_material("encounter", gizmo))
		gizmo.add_lines(circle(encounter + float(node.get("activation_radius"))), get_material("activation", gizmo))


func _draw_world(gizmo: EditorNode3DGizmo, node: Node3D) -> void:
	var size := tile_size_of(node)
	var own := Vector2(floorf(node.global_position.x / size), floorf(node.global_position.z / size))
	for name: String in ["full", "medium", "low"]:
		var ring: int = node.get(name + "_ring")
		var lines := PackedVector3Array()
		for at: Vector3 in square(own, ring, size):
			lines.append(node.global_transform.affine_inverse() * at)
		gizmo.add_lines(lines, get_material(name, gizmo))


## The tile's side as it was baked; the usual one before.
static func tile_size_of(node: Node3D) -> float:
	var folder: String = node.get("tiles_folder")
	var path := folder.path_join("tiles.json")
	if folder == "" or not FileAccess.file_exists(path):
		return USUAL_TILE
	var index: Variant = JSON.parse_string(FileAccess.get_file_as_string(path))
	return maxf(index.get("tile_size", USUAL_TILE), 1.0) if index is Dictionary else USUAL_TILE


## Pairs of points: the outline of the tiles within [param ring] of one, and between them if they are few.
static func square(own: Vector2, ring: int, size: float) -> PackedVector3Array:
	var lines := PackedVector3Array()
	var low := (own - Vector2.ONE * ring) * size
	var side := (2 * ring + 1) * size
	var step := size if ring <= 2 else side
	var at := 0.0
	while at <= side + 0.5:
		lines.append_array([Vector3(low.x + at, 0, low.y), Vector3(low.x + at, 0, low.y + side)])
		lines.append_array([Vector3(low.x, 0, low.y + at), Vector3(low.x + side, 0, low.y + at)])
		at += step
	return lines


## Pairs of points on a circle round the node.
static func circle(radius: float) -> PackedVector3Array:
	return ring(Vector3.ZERO, Vector3.RIGHT * radius, Vector3.BACK * radius, ROUND)
