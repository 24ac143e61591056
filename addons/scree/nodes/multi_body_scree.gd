extends RefCounted
## The bodies of a [MultiBody3D] in Scree Physics: arrays of ids, and a set of bodies that the engine itself draws.
##
## The singleton is found by its name, so that this script loads where the addon has no native part.

const Rows := preload("res://addons/scree/nodes/multi_body_3d.gd")

var _node: MultiMeshInstance3D
var _scree: Object = Engine.get_singleton("Scree")
var _ids := PackedInt64Array()
var _set := -1
var _drawn_capacity := 0


func _init(node: MultiMeshInstance3D) -> void:
	_node = node
	var multimesh := node.multimesh
	_set = _scree.call("drawn_set_create", multimesh.get_rid(), Rows.row_size(multimesh))
	place()


func close() -> void:
	_scree.call("drawn_set_free", _set)
	_scree.call("bodies_free", _ids)
	_ids.clear()


func count() -> int:
	return _ids.size()


func rid(index: int) -> RID:
	return rid_from_int64(_ids[index])


func index_of(body: RID) -> int:
	var index: int = _scree.call("body_index_in_set", body)
	return index if index >= 0 and index < _ids.size() and _ids[index] == body.get_id() else -1


func add(rows: PackedFloat32Array, extras_of_rows: PackedFloat32Array) -> bool:
	var node: Rows = _node
	var made: Variant = _scree.call("bodies_create", node.get_world_3d().space, node.shape.get_rid(), rows, node.mass,
			node.collision_layer, node.collision_mask, node.get_instance_id())
	if not made is PackedInt64Array or (made as PackedInt64Array).size() != rows.size() / 12:
		return false
	var ids: PackedInt64Array = made
	_configure(ids)
	_scree.call("drawn_set_add", _set, ids, node.multimesh.instance_count, extras_of_rows)
	_ids.append_array(ids)
	if node.multimesh.instance_count != _drawn_capacity: # its buffer is empty now; else the next tick is soon enough
		_drawn_capacity = node.multimesh.instance_count
		_scree.call("drawn_set_update", _set)
	return true


## Once a tick, when the buffer was written: draws as many instances as it holds by now.
func tick() -> void:
	if _node.multimesh.visible_instance_count != _ids.size():
		_node.multimesh.visible_instance_count = _ids.size()


## Sets what differs from a new body.
func _configure(ids: PackedInt64Array) -> void:
	var node: Rows = _node
	var params := {
		PhysicsServer3D.BODY_PARAM_FRICTION: [node.friction(), 1.0], PhysicsServer3D.BODY_PARAM_BOUNCE: [node.bounce(), 0.0],
		PhysicsServer3D.BODY_PARAM_GRAVITY_SCALE: [node.gravity_scale, 1.0],
		PhysicsServer3D.BODY_PARAM_LINEAR_DAMP: [node.linear_damp, 0.0],
		PhysicsServer3D.BODY_PARAM_ANGULAR_DAMP: [node.angular_damp, 0.0],
	}
	for param: int in params:
		if params[param][0] != params[param][1]:
			_scree.call("set_param_of", ids, param, params[param][0])
	if not node.can_sleep:
		_scree.call("set_can_sleep_of", ids, false)
	if node.continuous_cd:
		_scree.call("set_continuous_of", ids, true)


func remove(indices: PackedInt32Array) -> void:
	_scree.call("drawn_set_remove", _set, indices)
	var gone := ids_of(indices)
	_ids = _scree.call("drawn_set_bodies", _set)
	_scree.call("bodies_free", gone)


func ids_of(indices: PackedInt32Array) -> PackedInt64Array:
	var chosen := PackedInt64Array()
	chosen.resize(indices.size())
	for number: int in indices.size():
		chosen[number] = _ids[indices[number]]
	return chosen


func transforms() -> PackedFloat32Array:
	return _scree.call("transforms_of", _ids)


func transform_of(body: RID) -> Transform3D:
	return PhysicsServer3D.body_get_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM)


func set_transforms(indices: PackedInt32Array, rows: PackedFloat32Array) -> void:
	_scree.call("set_transforms_of", ids_of(indices), rows)
	_scree.call("drawn_set_reset_interpolation", _set, indices)


func velocities(are_angular: bool) -> PackedVector3Array:
	return _scree.call("angular_velocities_of" if are_angular else "velocities_of", _ids)


func set_velocities(indices: PackedInt32Array, linear: PackedVector3Array, angular: PackedVector3Array) -> void:
	_scree.call("set_velocities_of", ids_of(indices), linear, angular)


func apply_impulses(indices: PackedInt32Array, impulses: PackedVector3Array) -> void:
	_scree.call("apply_impulses_to", ids_of(indices), impulses)


func are_asleep() -> PackedByteArray:
	return _scree.call("are_asleep", _ids)


func set_asleep(indices: PackedInt32Array, asleep: bool) -> void:
	_scree.call("set_asleep", ids_of(indices), asleep)


func fell_asleep() -> PackedInt32Array:
	return _scree.call("drawn_set_fell_asleep", _set)


func set_param(param: PhysicsServer3D.BodyParameter, value: float) -> void:
	_scree.call("set_param_of", _ids, param, value)


func set_layers(layer: int, mask: int) -> void:
	_scree.call("set_layers_of", _ids, layer, mask)


func set_can_sleep(can_sleep: bool) -> void:
	_scree.call("set_can_sleep_of", _ids, can_sleep)


func set_continuous(on: bool) -> void:
	_scree.call("set_continuous_of", _ids, on)


# --- drawing ---


## Tells the engine where the node is, and how far an instance reaches.
func place() -> void:
	_scree.call("drawn_set_place", _set, _node.global_transform, _reach())
	_scree.call("drawn_set_interpolate", _set, _node.is_physics_interpolated_and_enabled())


## How far the mesh reaches from its origin [m]; -1 where the MultiMesh has bounds of the user's.
func _reach() -> float:
	var multimesh := _node.multimesh
	if multimesh.mesh == null or multimesh.custom_aabb != AABB():
		return -1.0
	var box := multimesh.mesh.get_aabb()
	var reach := 0.0
	for corner: int in 8:
		reach = maxf(reach, box.get_endpoint(corner).length())
	return reach


func reset_interpolation() -> void:
	_scree.call("drawn_set_interpolate", _set, _node.is_physics_interpolated_and_enabled())
	_scree.call("drawn_set_reset_interpolation", _set)


func set_colors(first: int, colors: PackedColorArray) -> void:
	_scree.call("drawn_set_colors", _set, first, colors.to_byte_array().to_float32_array())


func extras() -> PackedFloat32Array:
	return _scree.call("drawn_set_extras", _set)

