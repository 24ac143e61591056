@tool
extends "res://addons/scree/gizmos/node_gizmos.gd"
## Draws a [ScreeWheel3D] where its suspension lets it hang and, dimmed, where it is pressed to; the way between, and how far it
## steers. An arrow shows where a [ScreeVehicle3D] drives.

const WHEEL := "scree_wheel_3d.gd"
const VEHICLE := "scree_vehicle_3d.gd"
## Length of the arrow of a vehicle [m].
const AHEAD := 3.0


func _init() -> void:
	scripts = [WHEEL, VEHICLE]
	create_material("wheel", Color("6fb7d6"))
	create_material("pressed", Color("6fb7d6", 0.4))
	create_material("suspension", Color("e0a32e"))
	create_material("steered", Color("3b8f5a"))
	create_handle_material("handles")


func _get_gizmo_name() -> String:
	return "Scree wheels"


## The server takes the axes of the node without their scale, and lengths in metres.
func frame_of(node: Node3D) -> Transform3D:
	return node.global_transform.orthonormalized()


func handles_of(node: Node3D) -> Array[Handle]:
	if not is_of(node, [WHEEL]):
		return []
	var hub := Vector3.DOWN * value_of(node, &"longest")
	return [Handle.new(&"radius", hub, Vector3.FORWARD, value_of(node, &"radius")),
		Handle.new(&"width", hub + Vector3.DOWN * value_of(node, &"radius"), Vector3.RIGHT, value_of(node, &"width"), true),
		Handle.new(&"shortest", Vector3.ZERO, Vector3.DOWN, value_of(node, &"shortest")),
		Handle.new(&"longest", Vector3.ZERO, Vector3.DOWN, value_of(node, &"longest"))]


## The suspension's shortest length stays below its longest.
func allowed(node: Node3D, handle: Handle, value: float) -> float:
	if handle.property == &"shortest":
		return clampf(value, 0.0, value_of(node, &"longest"))
	return maxf(value, maxf(value_of(node, &"shortest"), 0.01)) if handle.property == &"longest" else super(node, handle, value)


func _redraw(gizmo: EditorNode3DGizmo) -> void:
	gizmo.clear()
	var node := gizmo.get_node_3d()
	var to_node := local(gizmo)
	if not is_of(node, [WHEEL]):
		add_outline(gizmo, to_node * arrow(Vector3.ZERO, Vector3.FORWARD * AHEAD, Vector3.UP), "suspension")
		return
	var highest := Vector3.DOWN * value_of(node, &"shortest")
	var lowest := Vector3.DOWN * value_of(node, &"longest")
	var radius := value_of(node, &"radius")
	var width := value_of(node, &"width")
	add_outline(gizmo, to_node * rim(lowest, radius, width), "wheel")
	gizmo.add_lines(to_node * rim(highest, radius, width), get_material("pressed", gizmo))
	gizmo.add_lines(to_node * PackedVector3Array([Vector3.ZERO, lowest]), get_material("suspension", gizmo))
	var steering := value_of(node, &"most_steering")
	for turn: float in [steering, -steering] if steering > 0.0 else []:
		var across := Vector3.FORWARD.rotated(Vector3.UP, turn) * radius
		gizmo.add_lines(to_node * ring(lowest, across, Vector3.UP * radius), get_material("steered", gizmo))
	add_handles_of(gizmo)


## Pairs of points: the two circles of a wheel's tread, and lines between them.
static func rim(hub: Vector3, radius: float, width: float) -> PackedVector3Array:
	var lines := PackedVector3Array()
	var axis := Vector3.RIGHT * 0.5 * width
	var ahead := Vector3.FORWARD * radius
	for side: Vector3 in [axis, -axis]:
		lines.append_array(ring(hub + side, ahead, Vector3.UP * radius))
	for k: int in 8:
		var at := hub + ahead * cos(TAU * k / 8) + Vector3.UP * radius * sin(TAU * k / 8)
		lines.append_array([at + axis, at - axis])
	return lines
