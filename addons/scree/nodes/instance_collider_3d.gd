@tool
@icon("res://addons/scree/nodes/instance_collider_3d.svg")
class_name InstanceCollider3D
extends Node3D
## Gives all instances of a [MultiMeshInstance3D] a collider, without a node for each.
##
## A ray that hits one gives this node as its collider, and [method instance_of] tells which instance it was. Moving this
## node or the MultiMesh afterwards does not move the colliders: call [method rebuild].
## [br][br]
## Needs Scree Physics; with another physics engine it warns and does nothing.

## The MultiMesh node whose instances get colliders.
@export var instances: MultiMeshInstance3D
## The shape of each instance; it is scaled and turned as the instance is.
@export var shape: Shape3D
## Layers that the colliders are in, as of a [CollisionObject3D].
@export_flags_3d_physics var collision_layer := 1
## Layers that the colliders look for, as of a [CollisionObject3D].
@export_flags_3d_physics var collision_mask := 1

var _handle := -1


func _notification(what: int) -> void:
	# Once all that enters the tree with this node is in it, each time; _ready comes only the first time.
	if what == NOTIFICATION_POST_ENTER_TREE and not Engine.is_editor_hint():
		rebuild()


func _exit_tree() -> void:
	clear()


## Makes the colliders anew. Returns false after an error.
func rebuild() -> bool:
	clear()
	if not PhysicsServer3D.has_method("batch_add"):
		push_warning("InstanceCollider3D: needs Scree Physics, this is %s: no colliders are made" % PhysicsServer3D.get_class())
		return false
	if instances == null or not instances.is_inside_tree() or instances.multimesh == null or shape == null:
		push_error("InstanceCollider3D: needs instances in the tree, with a MultiMesh, and a shape")
		return false
	var mesh := instances.multimesh
	if mesh.transform_format != MultiMesh.TRANSFORM_3D:
		push_error("InstanceCollider3D: the MultiMesh must be of the 3D transform format")
		return false
	var rows := _transforms(mesh)
	var made: Variant = PhysicsServer3D.call("batch_add", get_world_3d().space, shape.get_rid(), rows, instances.global_transform,
		collision_layer, collision_mask, get_instance_id())
	_handle = made if made is int else -1
	return _handle >= 0


## Removes the colliders.
func clear() -> void:
	if _handle >= 0:
		PhysicsServer3D.call("batch_remove", _handle)
	_handle = -1


## The number of the instance with the RID that a query reported, or -1.
func instance_of(rid: RID) -> int:
	return PhysicsServer3D.call("batch_instance", _handle, rid) if _handle >= 0 else -1


## Twelve numbers each: the rows of the basis, each with a coordinate of the origin, as they lie in the MultiMesh's buffer.
func _transforms(mesh: MultiMesh) -> PackedFloat32Array:
	var buffer := mesh.buffer
	var stride := buffer.size() / maxi(mesh.instance_count, 1)
	if stride == 12:
		return buffer
	var rows := PackedFloat32Array()
	for number: int in mesh.instance_count: # with colours or data between
		rows.append_array(buffer.slice(number * stride, number * stride + 12))
	return rows
