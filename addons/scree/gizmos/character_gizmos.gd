@tool
extends "res://addons/scree/gizmos/node_gizmos.gd"
## Draws what a [ScreeCharacter3D] climbs and follows: a ring at the height of its highest step, and one as far down as it snaps to
## the floor, with a handle each; and the steepest floor. Godot draws its collision shape.

const NODE := "scree_character_3d.gd"
## How much wider the rings are than the shape.
const WIDER := 1.15
## Where there is no shape yet [m].
const USUAL_RADIUS := 0.4


func _init() -> void:
	scripts = [NODE]
	create_material("step", Color("3b8f5a"))
	create_material("snap", Color("5b8fd9"))
	create_material("slope", Color("e0a32e"))
	create_handle_material("handles")


func _get_gizmo_name() -> String:
	return "Scree characters"


## The feet, with y up as the character has it.
func frame_of(node: Node3D) -> Transform3D:
	var body := node as CharacterBody3D
	var up := body.up_direction.normalized()
	var turn := Basis(Quaternion(Vector3.UP, up)) if up.dot(Vector3.UP) > -0.999 else Basis(Vector3.RIGHT, PI)
	var upright := Transform3D(turn, node.global_position)
	var feet := 0.0
	for point: Vector3 in points_of(node, upright):
		feet = minf(feet, point.y)
	return upright * Transform3D(Basis.IDENTITY, Vector3.UP * feet)


func handles_of(node: Node3D) -> Array[Handle]:
	var side := Vector3.RIGHT * radius_of(node)
	return [Handle.new(&"step_height", side, Vector3.UP, value_of(node, &"step_height")),
		Handle.new(&"snap", side, Vector3.DOWN, value_of(node, &"snap"))]


func allowed(_node: Node3D, _handle_dragged: Handle, value: float) -> float:
	return maxf(value, 0.0)


func _redraw(gizmo: EditorNode3DGizmo) -> void:
	gizmo.clear()
	var node := gizmo.get_node_3d()
	var to_node := local(gizmo)
	var radius := radius_of(node)
	for handle: Handle in handles_of(node):
		var material := "step" if handle.property == &"step_height" else "snap"
		var center := handle.way * handle.value
		var lines := ring(center, Vector3.RIGHT * radius, Vector3.BACK * radius)
		for side: Vector3 in [Vector3.RIGHT, Vector3.BACK, Vector3.LEFT, Vector3.FORWARD]:
			lines.append_array([side * radius, side * radius + center])
		add_outline(gizmo, to_node * lines, material)
	var steepest := (node as CharacterBody3D).floor_max_angle
	var uphill := Vector3.FORWARD * cos(steepest) + Vector3.UP * sin(steepest)
	gizmo.add_lines(to_node * PackedVector3Array([Vector3.ZERO, uphill * 2.0 * radius]), get_material("slope", gizmo))
	add_handles_of(gizmo)


## How far the rings are from the axis [m].
static func radius_of(node: Node3D) -> float:
	var radius := 0.0
	for point: Vector3 in points_of(node, node.global_transform.orthonormalized()):
		radius = maxf(radius, Vector2(point.x, point.z).length())
	return WIDER * (radius if radius > 0.0 else USUAL_RADIUS)


## Points on the collision shapes of a node, in a frame.
static func points_of(node: Node3D, frame: Transform3D) -> PackedVector3Array:
	var points := PackedVector3Array()
	for child: Node in node.get_children():
		var collision := child as CollisionShape3D
		if collision != null and collision.shape != null and not collision.disabled:
			points.append_array(frame.affine_inverse() * collision.global_transform * outline(collision.shape))
	return points
