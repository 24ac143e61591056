extends RefCounted
## The bodies of a [MultiBody3D] in any physics engine: a body of [PhysicsServer3D] each, and a call for each that moved.

const _RunningEngine := preload("res://addons/scree/nodes/running_engine.gd")
const Rows := preload("res://addons/scree/nodes/multi_body_3d.gd")

var _node: MultiMeshInstance3D
var _rids: Array[RID] = []
var _indices: Dictionary[RID, int] = {}
var _to_local := Transform3D.IDENTITY
var _fell_asleep := PackedInt32Array()


func _init(node: MultiMeshInstance3D) -> void:
	_node = node
	_to_local = node.global_transform.affine_inverse()
	var _runs := _RunningEngine.is_scree_for("MultiBody3D", "each body that moves is a call of it, which is slower")


func close() -> void:
	for body: RID in _rids:
		PhysicsServer3D.free_rid(body)
	_rids.clear()
	_indices.clear()


func count() -> int:
	return _rids.size()


func rid(index: int) -> RID:
	return _rids[index]


func index_of(body: RID) -> int:
	return _indices.get(body, -1)


func add(rows: PackedFloat32Array, extras_of_rows: PackedFloat32Array) -> bool:
	var stride := Rows.row_size(_node.multimesh)
	var first := _rids.size()
	for number: int in rows.size() / 12:
		var placed := Rows.transform_of(rows, 12 * number)
		var body := _make(placed)
		_indices[body] = _rids.size()
		_rids.append(body)
	if not extras_of_rows.is_empty():
		_write_extras(first, stride - 12, extras_of_rows)
	draw_all()
	return true


func _make(placed: Transform3D) -> RID:
	var node: Rows = _node
	var body := PhysicsServer3D.body_create()
	PhysicsServer3D.body_set_mode(body, PhysicsServer3D.BODY_MODE_RIGID)
	# A body takes no scale here: its shape does.
	var scale := placed.basis.get_scale()
	PhysicsServer3D.body_add_shape(body, node.shape.get_rid(), Transform3D(Basis.from_scale(scale), Vector3.ZERO))
	PhysicsServer3D.body_attach_object_instance_id(body, node.get_instance_id())
	PhysicsServer3D.body_set_param(body, PhysicsServer3D.BODY_PARAM_MASS, node.mass)
	PhysicsServer3D.body_set_param(body, PhysicsServer3D.BODY_PARAM_FRICTION, node.friction())
	PhysicsServer3D.body_set_param(body, PhysicsServer3D.BODY_PARAM_BOUNCE, node.bounce())
	PhysicsServer3D.body_set_param(body, PhysicsServer3D.BODY_PARAM_GRAVITY_SCALE, node.gravity_scale)
	PhysicsServer3D.body_set_param(body, PhysicsServer3D.BODY_PARAM_LINEAR_DAMP, node.linear_damp)
	PhysicsServer3D.body_set_param(body, PhysicsServer3D.BODY_PARAM_ANGULAR_DAMP, node.angular_damp)
	PhysicsServer3D.body_set_collision_layer(body, node.collision_layer)
	PhysicsServer3D.body_set_collision_mask(body, node.collision_mask)
	PhysicsServer3D.body_set_enable_continuous_collision_detection(body, node.continuous_cd)
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_CAN_SLEEP, node.can_sleep)
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM, placed.orthonormalized())
	PhysicsServer3D.body_set_state_sync_callback(body, _moved.bind(body))
	PhysicsServer3D.body_set_space(body, node.get_world_3d().space)
	return body


func tick() -> void:
	pass


func remove(indices: PackedInt32Array) -> void:
	var gone: Dictionary[int, bool] = {}
	for index: int in indices:
		gone[index] = true
	var multimesh := _node.multimesh
	var kept: Array[RID] = []
	for index: int in _rids.size():
		if gone.has(index):
			_indices.erase(_rids[index])
			PhysicsServer3D.free_rid(_rids[index])
			continue
		if multimesh.use_colors:
			multimesh.set_instance_color(kept.size(), multimesh.get_instance_color(index))
		if multimesh.use_custom_data:
			multimesh.set_instance_custom_data(kept.size(), multimesh.get_instance_custom_data(index))
		_indices[_rids[index]] = kept.size()
		kept.append(_rids[index])
	_rids = kept
	multimesh.visible_instance_count = kept.size()
	draw_all()


func transforms() -> PackedFloat32Array:
	var rows := PackedFloat32Array()
	for body: RID in _rids:
		rows.append_array(Rows.row_of(transform_of(body)))
	return rows


## The transform of a body, with the scale that its shape has.
func transform_of(body: RID) -> Transform3D:
	var placed: Transform3D = PhysicsServer3D.body_get_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM)
	return placed * PhysicsServer3D.body_get_shape_transform(body, 0)


func set_transforms(indices: PackedInt32Array, rows: PackedFloat32Array) -> void:
	for number: int in indices.size():
		var placed := Rows.transform_of(rows, 12 * number).orthonormalized()
		PhysicsServer3D.body_set_state(_rids[indices[number]], PhysicsServer3D.BODY_STATE_TRANSFORM, placed)
		_draw(indices[number])
		if _node.is_physics_interpolated_and_enabled():
			_node.multimesh.reset_instance_physics_interpolation(indices[number])


func velocities(are_angular: bool) -> PackedVector3Array:
	var state := PhysicsServer3D.BODY_STATE_ANGULAR_VELOCITY if are_angular else PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY
	var found := PackedVector3Array()
	for body: RID in _rids:
		found.append(PhysicsServer3D.body_get_state(body, state))
	return found


func set_velocities(indices: PackedInt32Array, linear: PackedVector3Array, angular: PackedVector3Array) -> void:
	for number: int in indices.size():
		var body := _rids[indices[number]]
		if not linear.is_empty():
			var velocity := linear[mini(number, linear.size() - 1)]
			PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY, velocity)
		if not angular.is_empty():
			var velocity := angular[mini(number, angular.size() - 1)]
			PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_ANGULAR_VELOCITY, velocity)


func apply_impulses(indices: PackedInt32Array, impulses: PackedVector3Array) -> void:
	for number: int in indices.size():
		PhysicsServer3D.body_apply_central_impulse(_rids[indices[number]], impulses[mini(number, impulses.size() - 1)])


func are_asleep() -> PackedByteArray:
	var asleep := PackedByteArray()
	for body: RID in _rids:
		asleep.append(int(PhysicsServer3D.body_get_state(body, PhysicsServer3D.BODY_STATE_SLEEPING)))
	return asleep


func set_asleep(indices: PackedInt32Array, asleep: bool) -> void:
	for index: int in indices:
		PhysicsServer3D.body_set_state(_rids[index], PhysicsServer3D.BODY_STATE_SLEEPING, asleep)


func fell_asleep() -> PackedInt32Array:
	var indices := _fell_asleep
	_fell_asleep = PackedInt32Array()
	return indices


func set_param(param: PhysicsServer3D.BodyParameter, value: float) -> void:
	for body: RID in _rids:
		PhysicsServer3D.body_set_param(body, param, value)


func set_layers(layer: int, mask: int) -> void:
	for body: RID in _rids:
		PhysicsServer3D.body_set_collision_layer(body, layer)
		PhysicsServer3D.body_set_collision_mask(body, mask)


func set_can_sleep(can_sleep: bool) -> void:
	for body: RID in _rids:
		PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_CAN_SLEEP, can_sleep)


func set_continuous(on: bool) -> void:
	for body: RID in _rids:
		PhysicsServer3D.body_set_enable_continuous_collision_detection(body, on)


# --- drawing ---


func _moved(state: PhysicsDirectBodyState3D, body: RID) -> void:
	var index: int = _indices.get(body, -1)
	if index < 0:
		return
	_node.multimesh.set_instance_transform(index, _to_local * state.transform * PhysicsServer3D.body_get_shape_transform(body, 0))
	if state.sleeping:
		_fell_asleep.append(index)


func _draw(index: int) -> void:
	_node.multimesh.set_instance_transform(index, _to_local * transform_of(_rids[index]))


## Draws all bodies where they are.
func draw_all() -> void:
	for index: int in _rids.size():
		_draw(index)


func place() -> void:
	_to_local = _node.global_transform.affine_inverse()
	draw_all()


func reset_interpolation() -> void:
	if _node.is_physics_interpolated_and_enabled():
		_node.multimesh.reset_instances_physics_interpolation()


func set_colors(first: int, colors: PackedColorArray) -> void:
	for number: int in colors.size():
		_node.multimesh.set_instance_color(first + number, colors[number])


func extras() -> PackedFloat32Array:
	var found := PackedFloat32Array()
	var stride := Rows.row_size(_node.multimesh)
	var buffer := _node.multimesh.buffer
	for index: int in _rids.size() if stride > 12 else 0:
		found.append_array(buffer.slice(index * stride + 12, (index + 1) * stride))
	return found


func _write_extras(first: int, wide: int, values: PackedFloat32Array) -> void:
	var multimesh := _node.multimesh
	for number: int in values.size() / wide:
		var at := number * wide
		if multimesh.use_colors:
			multimesh.set_instance_color(first + number, Color(values[at], values[at + 1], values[at + 2], values[at + 3]))
			at += 4
		if multimesh.use_custom_data:
			multimesh.set_instance_custom_data(first + number, Color(values[at], values[at + 1], values[at + 2], values[at + 3]))
