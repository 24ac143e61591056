@tool
extends EditorNode3DGizmoPlugin
## The base of the gizmos of Scree's nodes: which nodes they are for, handles that slide along a line, and undo.
##
## A handle changes one property, and maybe the transform of its node. A drag with Alt is symmetric where that makes a difference.

const SEGMENTS := 48
## How far from the camera a handle can be dragged [m].
const REACH := 4096.0

## The names of the files of the nodes' scripts. Scripts of a game that extend them count, too.
var scripts: Array[String] = []
## The editor's own. Without it drags cannot be undone.
var undo_redo: EditorUndoRedoManager

var _before := {} # of the drag that goes on: properties of the node
var _frame := Transform3D.IDENTITY # in global space, when the drag began
var _handle: Handle


## One handle: where its property is 0, and along which way it grows, in the frame of the gizmo.
class Handle:
	var property: StringName
	var origin: Vector3
	var way: Vector3
	var value: float
	var is_half: bool

	## `half`: the handle is at half of the value.
	func _init(of: StringName, from: Vector3, along: Vector3, now: float, half := false) -> void:
		property = of
		origin = from
		way = along
		value = now
		is_half = half

	func place() -> Vector3:
		return origin + way * value * (0.5 if is_half else 1.0)


## The handles of a node, in the frame of [method frame_of].
func handles_of(_node: Node3D) -> Array[Handle]:
	return []


## The frame in which the gizmo is drawn and dragged, in global space.
func frame_of(node: Node3D) -> Transform3D:
	return node.global_transform


## Changes the node by a drag: the value that the handle's property would have where the mouse is [m].
func drag(node: Node3D, handle: Handle, value: float, _is_symmetric: bool) -> void:
	node.set(handle.property, allowed(node, handle, snapped_as_set(value)))


## A value that the property takes, nearest to the one that was dragged.
func allowed(_node: Node3D, _handle_dragged: Handle, value: float) -> float:
	return maxf(value, 0.01)


## Properties of the node that a drag changes.
func properties_of(handle: Handle) -> Array[StringName]:
	return [handle.property]


func _has_gizmo(node: Node3D) -> bool:
	return is_of(node, scripts)


## Whether the script of a node, or one that it extends, has one of these files.
static func is_of(node: Node, files: Array[String]) -> bool:
	var script: Script = node.get_script()
	while script != null:
		if script.resource_path.begins_with("res://addons/scree/") and script.resource_path.get_file() in files:
			return true
		script = script.get_base_script()
	return false


func _get_handle_name(gizmo: EditorNode3DGizmo, id: int, _secondary: bool) -> String:
	return str(handles_of(gizmo.get_node_3d())[id].property).capitalize()


func _get_handle_value(gizmo: EditorNode3DGizmo, id: int, _secondary: bool) -> Variant:
	return gizmo.get_node_3d().get(handles_of(gizmo.get_node_3d())[id].property)


func _begin_handle_action(gizmo: EditorNode3DGizmo, id: int, _secondary: bool) -> void:
	var node := gizmo.get_node_3d()
	_frame = frame_of(node)
	_handle = handles_of(node)[id]
	_before = {}
	for property: StringName in properties_of(_handle):
		_before[property] = node.get(property)


func _set_handle(gizmo: EditorNode3DGizmo, _id: int, _secondary: bool, camera: Camera3D, point: Vector2) -> void:
	var node := gizmo.get_node_3d()
	var inverse := _frame.affine_inverse()
	var from := inverse * camera.project_ray_origin(point)
	var to := inverse * (camera.project_ray_origin(point) + camera.project_ray_normal(point) * REACH)
	var along := _handle.way * REACH
	var nearest := Geometry3D.get_closest_points_between_segments(_handle.origin - along, _handle.origin + along, from, to)
	var value := (nearest[0] - _handle.origin).dot(_handle.way) * (2.0 if _handle.is_half else 1.0)
	drag(node, _handle, value, Input.is_key_pressed(KEY_ALT))
	node.update_gizmos()


## A length at the step of the editor's snapping, while that is on [m].
func snapped_as_set(value: float) -> float:
	if not EditorInterface.has_method("is_node_3d_snap_enabled") or not EditorInterface.call("is_node_3d_snap_enabled"):
		return value
	var step: float = EditorInterface.call("get_node_3d_translate_snap")
	return snappedf(value, step)


func _commit_handle(gizmo: EditorNode3DGizmo, _id: int, _secondary: bool, _restore: Variant, cancel: bool) -> void:
	var node := gizmo.get_node_3d()
	if cancel or undo_redo == null:
		for property: StringName in _before if cancel else {}:
			node.set(property, _before[property])
		node.update_gizmos()
		return
	undo_redo.create_action("Scree: Drag %s of %s" % [_handle.property, node.name], UndoRedo.MERGE_DISABLE, node)
	for property: StringName in _before:
		undo_redo.add_do_property(node, property, node.get(property))
		undo_redo.add_undo_property(node, property, _before[property])
	undo_redo.add_do_method(node, "update_gizmos")
	undo_redo.add_undo_method(node, "update_gizmos")
	undo_redo.commit_action()


## A property of a node that is a number.
static func value_of(node: Node3D, property: StringName) -> float:
	var value: float = node.get(property)
	return value


## Adds the handles of the gizmo's node.
func add_handles_of(gizmo: EditorNode3DGizmo) -> void:
	var places := PackedVector3Array()
	for handle: Handle in handles_of(gizmo.get_node_3d()):
		places.append(handle.place())
	gizmo.add_handles(local(gizmo) * places, get_material("handles", gizmo), PackedInt32Array(range(places.size())))


## From the frame of [method frame_of] to that of the node, in which Godot draws gizmos.
func local(gizmo: EditorNode3DGizmo) -> Transform3D:
	var node := gizmo.get_node_3d()
	return node.global_transform.affine_inverse() * frame_of(node)


## Adds lines that the mouse selects the node by.
func add_outline(gizmo: EditorNode3DGizmo, lines: PackedVector3Array, material: String) -> void:
	if lines.is_empty():
		return
	gizmo.add_lines(lines, get_material(material, gizmo))
	gizmo.add_collision_segments(lines)


## Pairs of points: the edges of a box.
static func box(bounds: AABB) -> PackedVector3Array:
	var lines := PackedVector3Array()
	for corner: int in 8:
		for axis: int in 3:
			if not corner & (4 >> axis): # Godot counts corners with x as their highest bit
				lines.append_array([bounds.get_endpoint(corner), bounds.get_endpoint(corner | (4 >> axis))])
	return lines


## Pairs of points on a circle.
static func ring(center: Vector3, x_axis: Vector3, y_axis: Vector3, segments := SEGMENTS) -> PackedVector3Array:
	var lines := PackedVector3Array()
	for k: int in segments:
		for step: int in 2:
			var angle := TAU * (k + step) / segments
			lines.append(center + x_axis * cos(angle) + y_axis * sin(angle))
	return lines


## Pairs of points: a line with a head of two strokes, which lie across [param normal].
static func arrow(from: Vector3, to: Vector3, normal: Vector3) -> PackedVector3Array:
	var way := to - from
	var side := way.cross(normal).normalized() * minf(0.25 * way.length(), 0.3)
	var neck := to - way.normalized() * minf(0.25 * way.length(), 0.3)
	return [from, to, to, neck + side, to, neck - side]


## Pairs of points: the lines in which Godot draws a shape.
static func outline(shape: Shape3D) -> PackedVector3Array:
	var mesh := shape.get_debug_mesh()
	for surface: int in mesh.get_surface_count():
		if mesh.surface_get_primitive_type(surface) == Mesh.PRIMITIVE_LINES:
			return mesh.surface_get_arrays(surface)[Mesh.ARRAY_VERTEX]
	return PackedVector3Array()


## A material that draws an SVG file of the addon over the node; read from its text, since a new project has not imported it yet.
func create_svg_material(name: String, path: String) -> void:
	var image := Image.new()
	if image.load_svg_from_string(FileAccess.get_file_as_string(path), 4.0) == OK:
		create_icon_material(name, ImageTexture.create_from_image(image))
