@tool
extends "res://addons/scree/gizmos/node_gizmos.gd"
## Draws a [ScreeWater3D] in the editor: its box, its waves, its flow; and handles for its size.

const NODE := "scree_water_3d.gd"
const ICON := "res://addons/scree/nodes/scree_water_3d.svg"
## The surface is drawn as a net with about so many metres between its lines, and at most so many lines each way.
const MESH := 1.0
const MOST_LINES := 40
## Waves that the node counts.
const MOST_WAVES := 8
## Points on a wavelength.
const SMOOTH := 24
const WAYS: Array[Vector3] = [Vector3.RIGHT, Vector3.LEFT, Vector3.DOWN, Vector3.BACK, Vector3.FORWARD]


func _init() -> void:
	scripts = [NODE]
	create_material("volume", Color("4aa3c7"))
	create_material("surface", Color("8fd3e8"))
	create_material("waves", Color("e8f6ff"), false, true)
	create_material("flow", Color("e0a32e"), false, true)
	create_svg_material("icon", ICON)
	create_handle_material("handles")


func _get_gizmo_name() -> String:
	return "Scree water"


## The scale of the node does not count.
func frame_of(node: Node3D) -> Transform3D:
	return node.global_transform.orthonormalized()


## A handle in the middle of each side but the top, which is the level that the node gives.
func handles_of(node: Node3D) -> Array[Handle]:
	var size: Vector3 = node.get("size")
	var middle := Vector3(0, -0.5 * size.y, 0)
	var handles: Array[Handle] = []
	for way: Vector3 in WAYS:
		var is_bottom := way == Vector3.DOWN
		handles.append(Handle.new(&"size", Vector3.ZERO if is_bottom else middle, way, absf(size.dot(way)), not is_bottom))
	return handles


func properties_of(_handle_dragged: Handle) -> Array[StringName]:
	return [&"size", &"global_position"]


## The side opposite to the one that is dragged stays, unless the drag is symmetric.
func drag(node: Node3D, handle: Handle, value: float, is_symmetric: bool) -> void:
	var axis := handle.way.abs().max_axis_index()
	var size: Vector3 = _before[&"size"]
	var place: Vector3 = _before[&"global_position"]
	var is_one_sided := handle.is_half and not is_symmetric
	var length := maxf(snapped_as_set(0.5 * (size[axis] + value) if is_one_sided else value), 0.01)
	if is_one_sided:
		place += _frame.basis * handle.way * 0.5 * (length - size[axis])
	size[axis] = length
	node.set(&"size", size)
	node.global_position = place


func _redraw(gizmo: EditorNode3DGizmo) -> void:
	gizmo.clear()
	var node := gizmo.get_node_3d()
	var size: Vector3 = node.get("size")
	var to_node := local(gizmo)
	add_outline(gizmo, to_node * box(AABB(Vector3(-0.5 * size.x, -size.y, -0.5 * size.z), size)), "volume")
	var given: Array = node.get("waves")
	var waves: Array[Resource] = []
	waves.assign(given.filter(func(wave: Resource) -> bool: return wave != null).slice(0, MOST_WAVES))
	var is_drawn: bool = node.get("draws_surface")
	if not is_drawn:
		add_outline(gizmo, to_node * net(size, waves), "surface")
	var profiles := PackedVector3Array()
	for wave: Resource in waves:
		profiles.append_array(profile(wave))
	if not profiles.is_empty():
		gizmo.add_lines(to_node * profiles, get_material("waves", gizmo))
	var flow: Vector3 = node.get("flow")
	if flow != Vector3.ZERO:
		gizmo.add_lines(to_node * arrow(Vector3.ZERO, flow, _across(flow)), get_material("flow", gizmo))
	gizmo.add_unscaled_billboard(get_material("icon", gizmo), 0.03)
	add_handles_of(gizmo)


static func _across(flow: Vector3) -> Vector3:
	return Vector3.RIGHT if absf(flow.normalized().y) > 0.9 else Vector3.UP


## One wavelength from the middle of the water along the way of a wave, as high as the wave is, with an arrow along it.
static func profile(wave: Resource) -> PackedVector3Array:
	var direction: Vector2 = wave.get("direction")
	var length: float = wave.get("length")
	var height: float = wave.get("height")
	var way := Vector3(direction.x, 0, direction.y).normalized()
	var lines := PackedVector3Array()
	for k: int in SMOOTH:
		for step: int in 2:
			var part := float(k + step) / SMOOTH
			lines.append(way * length * part + Vector3.UP * 0.5 * height * sin(TAU * part))
	lines.append_array(arrow(Vector3.ZERO, way * length, Vector3.UP))
	return lines


## The surface with its waves as they begin, as a net of lines.
static func net(size: Vector3, waves: Array[Resource]) -> PackedVector3Array:
	var along := clampi(int(size.x / MESH), 1, MOST_LINES)
	var across := clampi(int(size.z / MESH), 1, MOST_LINES)
	var lines := PackedVector3Array()
	for x: int in along + 1:
		for z: int in across + 1:
			var at := _on_surface(size, waves, Vector2(x, z) / Vector2(along, across))
			if x < along:
				lines.append_array([at, _on_surface(size, waves, Vector2(x + 1, z) / Vector2(along, across))])
			if z < across:
				lines.append_array([at, _on_surface(size, waves, Vector2(x, z + 1) / Vector2(along, across))])
	return lines


static func _on_surface(size: Vector3, waves: Array[Resource], part: Vector2) -> Vector3:
	var at := (part - Vector2(0.5, 0.5)) * Vector2(size.x, size.z)
	var height := 0.0
	for wave: Resource in waves:
		var direction: Vector2 = wave.get("direction")
		var length: float = wave.get("length")
		var most: float = wave.get("height")
		var phase: float = wave.get("phase")
		height += 0.5 * most * sin(direction.normalized().dot(at) * TAU / length + phase)
	return Vector3(at.x, height, at.y)
