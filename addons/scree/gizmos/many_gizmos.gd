@tool
extends "res://addons/scree/gizmos/node_gizmos.gd"
## Draws the shapes of the bodies of a [MultiBody3D] and of the colliders of an [InstanceCollider3D], and the bounds of them all.

const Bodies := preload("res://addons/scree/nodes/multi_body_3d.gd")
const BODIES := "multi_body_3d.gd"
const COLLIDERS := "instance_collider_3d.gd"
## Points of lines that a node gets at most. Where its shapes have more, the gizmo leaves out every second shape, or more.
const MOST_POINTS := 300000


func _init() -> void:
	scripts = [BODIES, COLLIDERS]
	create_material("shapes", Color("6fb7d6"))
	create_material("bounds", Color("e0a32e"))


func _get_gizmo_name() -> String:
	return "Scree bodies of a MultiMesh"


func _redraw(gizmo: EditorNode3DGizmo) -> void:
	gizmo.clear()
	var node := gizmo.get_node_3d()
	var shape: Shape3D = node.get("shape")
	var drawn := node as MultiMeshInstance3D
	if not is_of(node, [BODIES]):
		drawn = node.get("instances") as MultiMeshInstance3D
	if shape == null or drawn == null or drawn.multimesh == null or not drawn.is_inside_tree():
		return
	var places := places_of(drawn.multimesh)
	var lines := outline(shape)
	if places.is_empty() or lines.is_empty():
		return
	var to_node := node.global_transform.affine_inverse() * drawn.global_transform
	var all := PackedVector3Array()
	var every := ceili(float(places.size()) * lines.size() / MOST_POINTS)
	for number: int in range(0, places.size(), every):
		all.append_array(to_node * places[number] * lines)
	gizmo.add_lines(all, get_material("shapes", gizmo))
	gizmo.add_lines(box(bounds_of(places, lines, to_node)), get_material("bounds", gizmo))
	if drawn != node: # the other is selected by its mesh
		gizmo.add_collision_segments(box(bounds_of(places, lines, to_node)))


## Where the instances of a MultiMesh are that are seen.
static func places_of(mesh: MultiMesh) -> Array[Transform3D]:
	var places: Array[Transform3D] = []
	if mesh.transform_format != MultiMesh.TRANSFORM_3D:
		return places
	var buffer := mesh.buffer
	var stride := Bodies.row_size(mesh)
	var count := mesh.instance_count if mesh.visible_instance_count < 0 else mesh.visible_instance_count
	for number: int in mini(count, buffer.size() / stride):
		places.append(Bodies.transform_of(buffer, number * stride))
	return places


## The box round a shape, given by its lines, at all places.
static func bounds_of(places: Array[Transform3D], lines: PackedVector3Array, to_node: Transform3D) -> AABB:
	var of_shape := AABB(lines[0], Vector3.ZERO)
	for point: Vector3 in lines:
		of_shape = of_shape.expand(point)
	var bounds := to_node * places[0] * of_shape
	for place: Transform3D in places:
		bounds = bounds.merge(to_node * place * of_shape)
	return bounds
