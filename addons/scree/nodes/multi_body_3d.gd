@tool
@icon("res://addons/scree/nodes/multi_body_3d.svg")
class_name MultiBody3D
extends MultiMeshInstance3D
## Thousands of rigid bodies of one shape in one node, drawn by its [MultiMesh].
##
## Each instance of the MultiMesh that the node has when it first enters the tree becomes a body; [method add_bodies] adds more. A body
## has an index, which is its instance's, and the methods take arrays of indices. [method remove_bodies] moves those behind down, as
## [method Array.remove_at] does. A query that hits a body, or an [Area3D], reports this node as the collider; [method index_of]
## tells which body it was.
## [br][br]
## Bodies live in global space: moving this node later does not move them. Godot's tools for MultiMeshes place the instances in the
## editor. At run time the node has a copy of the MultiMesh, whose buffer is written from the bodies: give colours by
## [method set_colors], not to the MultiMesh. Another MultiMesh that it is given then is copied in the next tick, and the bodies are
## made anew with other RIDs, where they are and as they move; its instances do not become bodies.
## [br][br]
## With Scree Physics the bodies cost nothing but the physics and one copy of the buffer a tick. With another physics engine it warns
## once, and works with one call for each body that moves, which is slower.

const _CheckedValue := preload("res://addons/scree/nodes/checked_value.gd")
const _RunningEngine := preload("res://addons/scree/nodes/running_engine.gd")
const ScreeBodies := preload("res://addons/scree/nodes/multi_body_scree.gd")
const ServerBodies := preload("res://addons/scree/nodes/multi_body_server.gd")

## The indices of the bodies that fell asleep in the last step of the physics, once a tick.
signal bodies_fell_asleep(indices: PackedInt32Array)

## The shape of all bodies. A body whose transform has a scale has the shape at that scale. Set it before the node enters the tree.
@export var shape: Shape3D:
	set(value):
		shape = value
		update_gizmos()
		update_configuration_warnings()
## Mass of each body [kg].
@export_range(0.001, 1000.0, 0.001, "or_greater", "exp", "suffix:kg") var mass := 1.0:
	set(value):
		if _CheckedValue.is_positive("MultiBody3D", &"mass", value):
			mass = value
			_set_param(PhysicsServer3D.BODY_PARAM_MASS, value)
## Friction and bounce of the bodies; the usual ones without it.
@export var physics_material_override: PhysicsMaterial:
	set(value):
		physics_material_override = value
		_set_material()
## How many times gravity acts on the bodies.
@export var gravity_scale := 1.0:
	set(value):
		gravity_scale = value
		_set_param(PhysicsServer3D.BODY_PARAM_GRAVITY_SCALE, value)
## Damping of the velocity [1/s], added to that of the space.
@export var linear_damp := 0.0:
	set(value):
		linear_damp = value
		_set_param(PhysicsServer3D.BODY_PARAM_LINEAR_DAMP, value)
## Damping of the angular velocity [1/s], added to that of the space.
@export var angular_damp := 0.0:
	set(value):
		angular_damp = value
		_set_param(PhysicsServer3D.BODY_PARAM_ANGULAR_DAMP, value)
## Whether a MultiMesh that the node makes by itself has colours, for [method set_colors]. Set it before [member mesh].
@export var use_colors := false
## Whether bodies may fall asleep.
@export var can_sleep := true:
	set(value):
		can_sleep = value
		if _bodies != null:
			_bodies.set_can_sleep(value)
## Whether bodies are swept at any speed, as [member RigidBody3D.continuous_cd].
@export var continuous_cd := false:
	set(value):
		continuous_cd = value
		if _bodies != null:
			_bodies.set_continuous(value)
@export_group("Collision")
## Layers that the bodies are in, as of a [CollisionObject3D].
@export_flags_3d_physics var collision_layer := 1:
	set(value):
		collision_layer = value
		if _bodies != null:
			_bodies.set_layers(collision_layer, collision_mask)
## Layers that the bodies look for, as of a [CollisionObject3D].
@export_flags_3d_physics var collision_mask := 1:
	set(value):
		collision_mask = value
		if _bodies != null:
			_bodies.set_layers(collision_layer, collision_mask)

## The mesh of the MultiMesh; setting it makes a MultiMesh where there is none.
var mesh: Mesh:
	get:
		return multimesh.mesh if multimesh != null else null
	set(value):
		_ensure_multimesh()
		multimesh.mesh = value
		if _bodies != null:
			_bodies.place()

# One of multi_body_scree.gd and multi_body_server.gd, which have the same methods; null outside of the tree.
var _bodies: RefCounted
# Twelve numbers each, in global space: bodies that are made when the node enters the tree; and their velocities.
var _waiting := PackedFloat32Array()
var _waiting_colors := PackedFloat32Array()
var _waiting_linear := PackedVector3Array()
var _waiting_angular := PackedVector3Array()
var _has_entered := false
# The copy of the MultiMesh that the bodies are drawn with.
var _drawn: MultiMesh


func _init() -> void:
	set_notify_transform(true)


func _notification(what: int) -> void:
	if Engine.is_editor_hint():
		return
	match what:
		NOTIFICATION_ENTER_WORLD:
			_enter_space()
		NOTIFICATION_EXIT_WORLD:
			_leave_space()
		NOTIFICATION_TRANSFORM_CHANGED:
			if _bodies != null:
				_bodies.place()
		NOTIFICATION_RESET_PHYSICS_INTERPOLATION:
			if _bodies != null:
				_bodies.reset_interpolation()


func _physics_process(_delta: float) -> void:
	if _bodies == null:
		return
	if multimesh != _drawn:
		_take_multimesh()
	_bodies.tick()
	if not bodies_fell_asleep.get_connections().is_empty():
		var indices: PackedInt32Array = _bodies.fell_asleep()
		if not indices.is_empty():
			bodies_fell_asleep.emit(indices)


func _get_configuration_warnings() -> PackedStringArray:
	var warnings := PackedStringArray()
	if shape == null:
		warnings.append("The bodies need a shape.")
	return warnings


# --- which bodies there are ---


## The number of bodies.
func get_body_count() -> int:
	return _bodies.count() if _bodies != null else _waiting.size() / 12


## Adds bodies in global space, as an [code]Array[Transform3D][/code], or a [PackedFloat32Array] of 12 numbers each as in
## [member MultiMesh.buffer]. Returns the index of the first, or -1 after an error.
func add_bodies(transforms: Variant) -> int:
	var rows := _rows_of(transforms)
	if rows.size() % 12 != 0 or rows.is_empty():
		if not rows.is_empty():
			push_error("MultiBody3D.add_bodies: 12 numbers a body are wanted, got %d numbers" % rows.size())
		return get_body_count() if rows.is_empty() else -1
	_ensure_multimesh()
	if _bodies == null:
		var first := _waiting.size() / 12
		_waiting.append_array(rows)
		if first > 0 and _waiting_linear.size() == first:  # those that were in the tree before keep how they move
			var still := PackedVector3Array()
			still.resize(rows.size() / 12)
			still.fill(Vector3.ZERO)
			_waiting_linear.append_array(still)
			_waiting_angular.append_array(still)
		if not _waiting_colors.is_empty():
			_fill_waiting_colors(row_size(multimesh) - 12)
		return first
	return _make(rows, PackedFloat32Array())


## Removes bodies; the indices of those behind them become smaller.
func remove_bodies(indices: PackedInt32Array) -> void:
	if _bodies == null:
		push_error("MultiBody3D.remove_bodies: the node is not in the tree")
	elif _are_valid("remove_bodies", indices) and not indices.is_empty():
		_bodies.remove(indices)


## Removes all bodies.
func clear() -> void:
	_waiting.clear()
	_waiting_colors.clear()
	_waiting_linear.clear()
	_waiting_angular.clear()
	if _bodies != null and get_body_count() > 0:
		_bodies.remove(PackedInt32Array(range(get_body_count())))


## The body with an index, for the calls of [PhysicsServer3D]. A body that was freed by its RID must be removed here, too.
func get_body_rid(index: int) -> RID:
	return _bodies.rid(index) if _bodies != null and _are_valid("get_body_rid", PackedInt32Array([index])) else RID()


## The index of the body with an RID, which a query or an area reports, or -1.
func index_of(rid: RID) -> int:
	return _bodies.index_of(rid) if _bodies != null else -1


# --- how they move ---


## The transforms of all bodies in global space, 12 numbers each as in [member MultiMesh.buffer].
func get_transforms() -> PackedFloat32Array:
	return _bodies.transforms() if _bodies != null else _waiting


## The transform of one body in global space.
func get_body_transform(index: int) -> Transform3D:
	if _bodies == null or not _are_valid("get_body_transform", PackedInt32Array([index])):
		return Transform3D()
	return _bodies.transform_of(_bodies.rid(index))


## Moves bodies in global space: transforms as for [method add_bodies]. With physics interpolation they do not glide there.
func set_transforms(indices: PackedInt32Array, transforms: Variant) -> void:
	var rows := _rows_of(transforms)
	if _bodies == null or rows.size() != 12 * indices.size():
		push_error("MultiBody3D.set_transforms: needs the node in the tree and a transform for each of %d bodies" % indices.size())
	elif _are_valid("set_transforms", indices) and not indices.is_empty():
		_bodies.set_transforms(indices, rows)


## The velocities of all bodies [m/s].
func get_velocities() -> PackedVector3Array:
	return _bodies.velocities(false) if _bodies != null else _waiting_linear


## The angular velocities of all bodies [rad/s].
func get_angular_velocities() -> PackedVector3Array:
	return _bodies.velocities(true) if _bodies != null else _waiting_angular


## Sets velocities [m/s] and, where given, angular velocities [rad/s]: one for each index, or one for all of them.
func set_velocities(indices: PackedInt32Array, linear: PackedVector3Array, angular := PackedVector3Array()) -> void:
	if _bodies == null:
		push_error("MultiBody3D.set_velocities: the node is not in the tree")
	elif _are_valid("set_velocities", indices) and not indices.is_empty():
		_bodies.set_velocities(indices, linear, angular)


## Applies impulses at the centres of mass [N s]: one for each index, or one for all of them.
func apply_impulses(indices: PackedInt32Array, impulses: PackedVector3Array) -> void:
	if _bodies == null:
		push_error("MultiBody3D.apply_impulses: the node is not in the tree")
	elif _are_valid("apply_impulses", indices) and not indices.is_empty():
		_bodies.apply_impulses(indices, impulses)


## 1 for each body that sleeps.
func get_sleeping() -> PackedByteArray:
	return _bodies.are_asleep() if _bodies != null else PackedByteArray()


## Puts bodies to sleep, or wakes them.
func set_sleeping(indices: PackedInt32Array, sleeping: bool) -> void:
	if _bodies != null and _are_valid("set_sleeping", indices) and not indices.is_empty():
		_bodies.set_asleep(indices, sleeping)


# --- how they look ---


## Sets the colours of bodies from index [param first] on. The MultiMesh must use colours, see [member use_colors]; and the material
## must take them, see [member BaseMaterial3D.vertex_color_use_as_albedo].
func set_colors(first: int, colors: PackedColorArray) -> void:
	if multimesh == null or not multimesh.use_colors or first < 0 or first + colors.size() > get_body_count():
		push_error("MultiBody3D.set_colors: needs a MultiMesh with colours, and %d bodies from index %d on" % [colors.size(), first])
		return
	if _bodies != null:
		_bodies.set_colors(first, colors)
		return
	var wide := row_size(multimesh) - 12
	_fill_waiting_colors(wide)
	for number: int in colors.size():
		for channel: int in 4:
			_waiting_colors[wide * (first + number) + channel] = colors[number][channel]


# --- making them ---


func _enter_space() -> void:
	if _bodies != null: # Godot tells the nodes below its root twice
		return
	if not _has_entered:
		_has_entered = true
		_take_instances()
	if _waiting.is_empty() and shape == null:
		push_warning("MultiBody3D %s: needs a shape" % get_path())
	_drawn = multimesh
	_bodies = ScreeBodies.new(self) if _RunningEngine.is_scree() else ServerBodies.new(self)
	var rows := _waiting
	var colors := _waiting_colors
	_waiting = PackedFloat32Array()
	_waiting_colors = PackedFloat32Array()
	if rows.is_empty():
		return
	_make(rows, colors)
	if _waiting_linear.size() == get_body_count() and get_body_count() > 0:
		_bodies.set_velocities(PackedInt32Array(range(get_body_count())), _waiting_linear, _waiting_angular)
	_waiting_linear.clear()
	_waiting_angular.clear()


## Keeps where the bodies are, and how they move, for the next time that the node enters the tree.
func _leave_space() -> void:
	if _bodies == null:
		return
	_waiting = _bodies.transforms()
	_waiting_colors = _bodies.extras()
	_waiting_linear = _bodies.velocities(false)
	_waiting_angular = _bodies.velocities(true)
	_bodies.close()
	_bodies = null


## Takes the instances that the MultiMesh was given in the editor as bodies, and a copy of it: another node, or the same scene
## loaded again, may use the resource.
func _take_instances() -> void:
	_ensure_multimesh()
	var given := multimesh
	if given.transform_format != MultiMesh.TRANSFORM_3D:
		push_error("MultiBody3D: the MultiMesh must be of the 3D transform format")
		return
	var count := given.instance_count if given.visible_instance_count < 0 else given.visible_instance_count
	var stride := row_size(given)
	var buffer := given.buffer
	if buffer.size() < count * stride:
		push_error("MultiBody3D %s: the MultiMesh has %d instances, but no buffer for them" % [get_path(), count])
		count = 0
	var placed := global_transform
	_fill_waiting_colors(stride - 12)
	for number: int in count: # behind those of `add_bodies`, whose indices are known
		_waiting.append_array(row_of(placed * transform_of(buffer, number * stride)))
		_waiting_colors.append_array(buffer.slice(number * stride + 12, (number + 1) * stride))
	multimesh = _copy_of(given)


## Draws the bodies with the MultiMesh that the node was given at run time.
func _take_multimesh() -> void:
	var before := row_size(_drawn)
	_leave_space()
	_ensure_multimesh()
	multimesh = _copy_of(multimesh)
	if row_size(multimesh) != before:
		_waiting_colors.clear()
		_fill_waiting_colors(row_size(multimesh) - 12)
	_enter_space()


## White, and custom data of ones, for waiting bodies without colours.
func _fill_waiting_colors(wide: int) -> void:
	while _waiting_colors.size() < wide * (_waiting.size() / 12):
		_waiting_colors.append(1.0)


func _copy_of(given: MultiMesh) -> MultiMesh:
	var copy := MultiMesh.new()
	copy.transform_format = MultiMesh.TRANSFORM_3D
	copy.use_colors = given.use_colors
	copy.use_custom_data = given.use_custom_data
	copy.custom_aabb = given.custom_aabb
	copy.physics_interpolation_quality = given.physics_interpolation_quality
	copy.mesh = given.mesh
	return copy


func _make(rows: PackedFloat32Array, extras: PackedFloat32Array) -> int:
	if shape == null:
		push_error("MultiBody3D.add_bodies: needs a shape")
		return -1
	if multimesh != _drawn:
		_take_multimesh()
	var first := get_body_count()
	var count := first + rows.size() / 12
	if count > multimesh.instance_count:
		multimesh.instance_count = maxi(count, mini(2 * multimesh.instance_count, count + 65536))
	multimesh.visible_instance_count = count
	if not _bodies.add(rows, extras):
		multimesh.visible_instance_count = first
		return -1
	return first


func _ensure_multimesh() -> void:
	if multimesh == null:
		multimesh = MultiMesh.new()
		multimesh.transform_format = MultiMesh.TRANSFORM_3D
		multimesh.use_colors = use_colors


func _set_param(param: PhysicsServer3D.BodyParameter, value: float) -> void:
	if _bodies != null:
		_bodies.set_param(param, value)


func _set_material() -> void:
	if _bodies != null:
		_bodies.set_param(PhysicsServer3D.BODY_PARAM_FRICTION, friction())
		_bodies.set_param(PhysicsServer3D.BODY_PARAM_BOUNCE, bounce())


## Friction as the server takes it: negative for a rough material.
func friction() -> float:
	var material := physics_material_override
	return 1.0 if material == null else -material.friction if material.rough else material.friction


## Bounce as the server takes it: negative for an absorbent material.
func bounce() -> float:
	var material := physics_material_override
	return 0.0 if material == null else -material.bounce if material.absorbent else material.bounce


func _are_valid(method: String, indices: PackedInt32Array) -> bool:
	var count := get_body_count()
	for index: int in indices:
		if index < 0 or index >= count:
			push_error("MultiBody3D.%s: there is no body %d of %d" % [method, index, count])
			return false
	return true


func _rows_of(transforms: Variant) -> PackedFloat32Array:
	if transforms is PackedFloat32Array:
		return transforms
	var rows := PackedFloat32Array()
	if transforms is Array:
		for transform: Variant in transforms as Array:
			if not transform is Transform3D:
				push_error("MultiBody3D: an Array of Transform3D is wanted, got %s" % type_string(typeof(transform)))
				return PackedFloat32Array()
			var placed: Transform3D = transform
			rows.append_array(row_of(placed))
	else:
		push_error("MultiBody3D: a PackedFloat32Array or an Array of Transform3D is wanted, got %s" % type_string(typeof(transforms)))
	return rows


## A transform as 12 numbers: the rows of the basis, each with a coordinate of the origin.
static func row_of(placed: Transform3D) -> PackedFloat32Array:
	var x := placed.basis.x
	var y := placed.basis.y
	var z := placed.basis.z
	return PackedFloat32Array([x.x, y.x, z.x, placed.origin.x, x.y, y.y, z.y, placed.origin.y, x.z, y.z, z.z, placed.origin.z])


## The transform of the 12 numbers from [param at] on.
static func transform_of(rows: PackedFloat32Array, at: int) -> Transform3D:
	return Transform3D(Vector3(rows[at], rows[at + 4], rows[at + 8]), Vector3(rows[at + 1], rows[at + 5], rows[at + 9]),
			Vector3(rows[at + 2], rows[at + 6], rows[at + 10]), Vector3(rows[at + 3], rows[at + 7], rows[at + 11]))


## How many numbers a row of a MultiMesh's buffer has.
static func row_size(mesh_of_many: MultiMesh) -> int:
	return 12 + (4 if mesh_of_many.use_colors else 0) + (4 if mesh_of_many.use_custom_data else 0)
