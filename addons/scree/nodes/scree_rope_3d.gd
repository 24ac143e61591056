@tool
@icon("res://addons/scree/nodes/scree_rope_3d.svg")
class_name ScreeRope3D
extends Node3D
## A rope, cable or chain of rods: it bears loads, lies on things and is reeled in and let out.
##
## The rope begins at the node and ends at [member end_point]. If it is longer than that, it hangs in a curve at first. Each end is
## tied to a physics body, led by another node, held where it is in the world, or loose. With Scree Physics it does not stretch under
## its load, and breaks where it has to bear more than its [member strength]; it runs with other engines, too, which stretch it and
## do not break it. Hits and contacts of its rods report this node as the collider.
## [br][br]
## Properties other than the collision layers and the strength take effect when the node enters the tree.

## The rope broke before the rod of this number, because its tension exceeded its [member strength]. It keeps the part at its start;
## [param other] is what came off, a rope of its own and a child of this one. A [param place] of 0, or of the number of rods, is the
## start or the end, which nothing holds now; then there is no other rope. Emitted in the physics tick after the step.
signal broke(place: int, other: ScreeRope3D)

const _CheckedValue := preload("res://addons/scree/nodes/checked_value.gd")
const _RunningEngine := preload("res://addons/scree/nodes/running_engine.gd")
const _Line := preload("res://addons/scree/nodes/rope_line.gd")
const _Strength := preload("res://addons/scree/nodes/rope_strength.gd")
const _Tie := preload("res://addons/scree/nodes/rope_tie.gd")
const MOST_RODS := 1024
## A rope that is tied ends in the bodies within this part of its radius: they reach into its rod. It only touches others.
const INSIDE := 0.8

## The end of the rope, along the axes of the node [m].
@export var end_point := Vector3(0.0, -2.0, 0.0): set = _set_end_point
## Length [m]; 0, or less than the distance of the ends: straight.
@export_range(0.0, 100.0, 0.01, "or_greater", "suffix:m") var length := 0.0: set = _set_length
@export_range(0.005, 0.5, 0.001, "or_greater", "suffix:m") var radius := 0.02: set = _set_radius
## Length of its rods, at most [m]: longer rods cost less and bend less smoothly.
@export_range(0.05, 2.0, 0.01, "or_greater", "suffix:m") var rod_length := 0.2: set = _set_rod_length
## Mass of the whole rope [kg]. A rod should have at least a hundredth of the mass of a load that hangs over something.
@export_range(0.01, 100.0, 0.01, "or_greater", "suffix:kg") var mass := 1.0: set = _set_mass
## The rate at which its rods lose velocity [1/s].
@export_range(0.0, 10.0, 0.01, "or_greater", "suffix:1/s") var damping := 0.5: set = _set_damping
@export var material: PhysicsMaterial
## Tension above which it breaks [N], at the one place that bears most; 0: it never breaks. Needs Scree Physics.
@export_range(0.0, 100000.0, 1.0, "or_greater", "suffix:N") var strength := 0.0: set = _set_strength
@export_group("Ends")
## Holds the start: where [member start_node] says, otherwise where it is in the world.
@export var holds_start := true
## A physics body that the start is tied to, or a Node3D that leads it.
@export_node_path("Node3D") var start_node := NodePath()
## Holds the end: where [member end_node] says, otherwise where it is in the world.
@export var holds_end := true
## A physics body that the end is tied to, or a Node3D that leads it.
@export_node_path("Node3D") var end_node := NodePath()
@export_group("Collision")
@export_flags_3d_physics var collision_layer := 1: set = _set_collision_layer
@export_flags_3d_physics var collision_mask := 1: set = _set_collision_mask
@export_group("Drawing")
@export var draws := true
@export var surface: Material

var _rods: Array[RID] = []
# The joint before each rod but the first.
var _joints: Array[RID] = []
var _rod := 0.0
var _reeled := 0.0
var _shape: RodShape
var _start: _Tie
var _end: _Tie
var _breaking := _Strength.new()
var _line: _Line
# Points after the last two ticks, for physics interpolation.
var _before := PackedVector3Array()
var _now := PackedVector3Array()


## The shape of rods, which ropes share that were one rope.
class RodShape:
	var rid := PhysicsServer3D.capsule_shape_create()

	func _notification(what: int) -> void:
		if what == NOTIFICATION_PREDELETE:
			PhysicsServer3D.free_rid(rid)


func _notification(what: int) -> void:
	match what:
		NOTIFICATION_ENTER_WORLD:
			request_ready() # all nodes that it may be tied to are in the tree then
		NOTIFICATION_EXIT_WORLD:
			_free_all()
		NOTIFICATION_TRANSFORM_CHANGED:
			_preview() # only the editor asks for this


func _ready() -> void:
	set_physics_process(not Engine.is_editor_hint())
	set_process(not Engine.is_editor_hint())
	set_notify_transform(Engine.is_editor_hint())
	if Engine.is_editor_hint():
		_preview()
	elif _rods.is_empty():
		_make()


## How many rods the rope has.
func get_rod_count() -> int:
	return _rods.size()


## The bodies of its rods, from the start to the end.
func get_rods() -> Array[RID]:
	return _rods.duplicate()


## Points along the rope from the start to the end, global: where it is held, and the joints of its rods.
func get_points() -> PackedVector3Array:
	var points := PackedVector3Array()
	for k: int in _rods.size():
		var at: Transform3D = PhysicsServer3D.body_get_state(_rods[k], PhysicsServer3D.BODY_STATE_TRANSFORM)
		var half := 0.5 * _rod * at.basis.y
		points.append(at.origin - half + (_reeled * at.basis.y if k == 0 else Vector3.ZERO))
		if k == _rods.size() - 1:
			points.append(at.origin + half)
	return points


## Its length, without what is reeled in [m].
func get_length() -> float:
	return _rods.size() * _rod - _reeled


## How hard the rope pulls where its start is held [N]. Needs Scree Physics; 0 with another engine.
func get_tension() -> float:
	if _start == null or not _RunningEngine.is_scree():
		return 0.0
	var force: Vector3 = Engine.get_singleton("Scree").call("joint_get_force", _start.joint)
	return force.length()


## Draws a part of the rope in where its start is held [m], or lets more out with a negative one. Call it in each physics tick for a
## winch, with speed times time. What is reeled in collides with nothing. At least one rod is left.
func reel(way: float) -> void:
	if _break_torn() and _start == null:
		return # it broke there in the last step
	if _start == null or not is_finite(way):
		push_error("ScreeRope3D.reel: the start must be held and the way finite, got %s" % way)
		return
	var reeled := minf(_reeled + way, (_rods.size() - 1) * _rod)
	if _rods.size() - reeled / _rod > MOST_RODS:
		push_error("ScreeRope3D.reel: a rope has at most %d rods, got a way of %s m" % [MOST_RODS, way])
		return
	while reeled >= _rod:
		_take_in()
		reeled -= _rod
	while reeled < 0.0:
		_let_out()
		reeled += _rod
	_reeled = reeled
	_show_rod(_rods[0], reeled == 0.0)
	var at := Vector3(0.0, reeled - 0.5 * _rod, 0.0)
	if _RunningEngine.is_scree():
		PhysicsServer3D.pin_joint_set_local_a(_start.joint, at)
	else: # Jolt in Godot 4.6 drops a joint to the world whose place is changed
		_pin(_start, _rods[0], at)
		PhysicsServer3D.body_set_state(_rods[0], PhysicsServer3D.BODY_STATE_SLEEPING, false)


## Cuts the rope before the rod of this number, which is at least 1. It keeps the part at its start, and returns the other one: a
## rope of its own and a child of this one.
func cut(rod: int) -> ScreeRope3D:
	var _has_broken := _break_torn()
	if rod < 1 or rod >= _rods.size():
		push_error("ScreeRope3D.cut: rod must be 1 to %d, got %d" % [_rods.size() - 1, rod])
		return null
	return _part_before(rod)


## Lets the start go.
func release_start() -> void:
	if _start != null:
		_spare(_start, [0, 1], false)
		_start.free_all()
	_start = null
	_reeled = 0.0
	if not _rods.is_empty():
		_show_rod(_rods[0], true)


## Lets the end go.
func release_end() -> void:
	if _end != null:
		_spare(_end, [_rods.size() - 1, _rods.size() - 2], false)
		_end.free_all()
	_end = null


func _physics_process(_delta: float) -> void:
	var _has_broken := _break_torn()
	for tie: _Tie in [_start, _end]:
		if tie != null:
			tie.follow()
	if _line != null:
		_before = _now
		_now = get_points()


func _process(_delta: float) -> void:
	if _line == null or _now.is_empty():
		return
	var points := _now
	if get_tree().physics_interpolation and _before.size() == _now.size():
		points = _now.duplicate()
		var part := Engine.get_physics_interpolation_fraction()
		for k: int in points.size():
			points[k] = _before[k].lerp(_now[k], part)
	_line.draw(points, radius)


func _make() -> void:
	var shape := _Line.evenly(global_position, global_transform * end_point, length, rod_length, MOST_RODS, _down())
	_rod = shape[0].distance_to(shape[1])
	if _rod <= 2.0 * radius:
		push_error("ScreeRope3D %s: its rods must be longer than they are thick, %s m" % [get_path(), 2.0 * radius])
		return
	_shape = RodShape.new()
	PhysicsServer3D.shape_set_data(_shape.rid, {"radius": radius, "height": _rod + 2.0 * radius})
	var weight := mass / (shape.size() - 1)
	for k: int in shape.size() - 1:
		_rods.append(_new_rod(_pose(shape[k], shape[k + 1]), weight))
		if k > 0:
			_joints.append(_join(_rods[k - 1], _rods[k]))
	if holds_start:
		_start = _tie(_rods[0], -0.5 * _rod, start_node)
		_spare(_start, [0, 1], true)
	if holds_end:
		_end = _tie(_rods[-1], 0.5 * _rod, end_node)
		_spare(_end, [_rods.size() - 1, _rods.size() - 2], true)
	_begin_to_draw()


func _begin_to_draw() -> void:
	if draws:
		_renew_line()
		_now = get_points()


## Makes the rods from one on a rope of their own.
func _part_before(rod: int) -> ScreeRope3D:
	if rod == 1: # it passes through what the start is tied in, but is not next to that any more
		_spare(_start, [1], false)
	if rod == _rods.size() - 1:
		_spare(_end, [rod - 1], false)
	PhysicsServer3D.free_rid(_joints[rod - 1])
	var own := load("res://addons/scree/nodes/scree_rope_3d.gd") as GDScript # a new project does not know the class by name yet
	var other: ScreeRope3D = own.new()
	other._take_over(self, rod)
	_rods = _rods.slice(0, rod)
	_joints = _joints.slice(0, rod - 1)
	_end = null
	add_child(other)
	other.global_transform = Transform3D(Basis.IDENTITY, other.get_points()[0])
	other._begin_to_draw()
	return other


## Becomes the part of a rope that begins with a rod. Were it to leave the tree and come back, it would be as long and as heavy.
func _take_over(whole: ScreeRope3D, rod: int) -> void:
	for name: String in ["radius", "rod_length", "damping", "material", "collision_layer", "collision_mask", "draws", "surface"]:
		set(name, whole.get(name))
	_rod = whole._rod
	_shape = whole._shape
	_rods = whole._rods.slice(rod)
	_joints = whole._joints.slice(rod)
	_end = whole._end
	for own: RID in _rods:
		PhysicsServer3D.body_attach_object_instance_id(own, get_instance_id())
	mass = whole.mass * _rods.size() / whole._rods.size()
	length = get_length()
	end_point = get_points()[-1] - get_points()[0]
	holds_start = false
	holds_end = _end != null
	var node := whole.get_node_or_null(whole.end_node) if holds_end and whole.end_node else null
	end_node = node.get_path() if node != null else NodePath()
	strength = whole.strength


## Breaks the rope if it had to bear too much in the last step; returns whether it did.
func _break_torn() -> bool:
	var place := _breaking.take_broken(_all_joints())
	if place < 0:
		return false
	var other: ScreeRope3D
	if place == 0:
		release_start()
	elif place == _rods.size():
		release_end()
	else:
		other = _part_before(place)
	broke.emit(place, other)
	return true


## The joints from the start to the end: one more than rods. An empty RID stands for a loose end.
func _all_joints() -> Array[RID]:
	var joints: Array[RID] = [_start.joint if _start != null else RID()]
	joints.append_array(_joints)
	joints.append(_end.joint if _end != null else RID())
	return joints


func _down() -> Vector3:
	var direction: Vector3 = ProjectSettings.get_setting("physics/3d/default_gravity_vector")
	return direction.normalized()


## The pose of a rod between two points: its y axis leads from the first to the second.
func _pose(from: Vector3, to: Vector3) -> Transform3D:
	var y := from.direction_to(to)
	var x := y.cross(Vector3.RIGHT if absf(y.x) < 0.7 else Vector3.BACK).normalized()
	return Transform3D(Basis(x, y, x.cross(y)), 0.5 * (from + to))


func _new_rod(pose: Transform3D, weight: float) -> RID:
	var rod := PhysicsServer3D.body_create()
	PhysicsServer3D.body_set_mode(rod, PhysicsServer3D.BODY_MODE_RIGID)
	PhysicsServer3D.body_add_shape(rod, _shape.rid)
	PhysicsServer3D.body_set_param(rod, PhysicsServer3D.BODY_PARAM_MASS, weight)
	PhysicsServer3D.body_set_param(rod, PhysicsServer3D.BODY_PARAM_LINEAR_DAMP, damping)
	PhysicsServer3D.body_set_param(rod, PhysicsServer3D.BODY_PARAM_ANGULAR_DAMP, damping)
	if material:
		PhysicsServer3D.body_set_param(rod, PhysicsServer3D.BODY_PARAM_FRICTION, material.friction)
		PhysicsServer3D.body_set_param(rod, PhysicsServer3D.BODY_PARAM_BOUNCE, material.bounce)
	PhysicsServer3D.body_set_state(rod, PhysicsServer3D.BODY_STATE_TRANSFORM, pose)
	PhysicsServer3D.body_attach_object_instance_id(rod, get_instance_id())
	_show_rod(rod, true)
	PhysicsServer3D.body_set_space(rod, get_world_3d().space)
	return rod


func _show_rod(rod: RID, is_seen: bool) -> void:
	PhysicsServer3D.body_set_collision_layer(rod, collision_layer if is_seen else 0)
	PhysicsServer3D.body_set_collision_mask(rod, collision_mask if is_seen else 0)


func _join(before: RID, after: RID) -> RID:
	var joint := PhysicsServer3D.joint_create()
	var half := Vector3(0.0, 0.5 * _rod, 0.0)
	PhysicsServer3D.joint_make_pin(joint, after, -half, before, half)
	PhysicsServer3D.joint_disable_collisions_between_bodies(joint, true)
	_breaking.arm(joint)
	return joint


func _tie(rod: RID, along: float, path: NodePath) -> _Tie:
	var local := Vector3(0.0, along, 0.0)
	var at: Transform3D = PhysicsServer3D.body_get_state(rod, PhysicsServer3D.BODY_STATE_TRANSFORM)
	var node := get_node_or_null(path) as Node3D if path else null
	if path and node == null:
		push_error("ScreeRope3D %s: there is no Node3D at %s; the end is held where it is" % [get_path(), path])
	var tie := _Tie.new()
	tie.choose(node, at * local, get_world_3d().space)
	tie.look_around(at * local, INSIDE * radius, collision_mask, _rods, get_world_3d().direct_space_state)
	_pin(tie, rod, local)
	return tie


## Lets rods of these numbers pass through what a tie ends in, or no longer.
func _spare(tie: _Tie, rods: Array[int], is_spared: bool) -> void:
	for number: int in rods:
		if tie != null and number >= 0 and number < _rods.size():
			tie.spare(_rods[number], is_spared)


func _pin(tie: _Tie, rod: RID, local: Vector3) -> void:
	tie.pin(rod, local)
	_breaking.arm(tie.joint)


func _take_in() -> void:
	_pin(_start, _rods[1], Vector3(0.0, -0.5 * _rod, 0.0))
	PhysicsServer3D.free_rid(_joints.pop_front())
	PhysicsServer3D.free_rid(_rods.pop_front())
	_spare(_start, [1], true)


func _let_out() -> void:
	var pose: Transform3D = PhysicsServer3D.body_get_state(_rods[0], PhysicsServer3D.BODY_STATE_TRANSFORM)
	var velocity: Vector3 = PhysicsServer3D.body_get_state(_rods[0], PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY)
	var spin: Vector3 = PhysicsServer3D.body_get_state(_rods[0], PhysicsServer3D.BODY_STATE_ANGULAR_VELOCITY)
	var way := -_rod * pose.basis.y
	var rod := _new_rod(pose.translated(way), PhysicsServer3D.body_get_param(_rods[0], PhysicsServer3D.BODY_PARAM_MASS))
	PhysicsServer3D.body_set_state(rod, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY, velocity + spin.cross(way))
	PhysicsServer3D.body_set_state(rod, PhysicsServer3D.BODY_STATE_ANGULAR_VELOCITY, spin)
	_show_rod(_rods[0], true)
	_joints.push_front(_join(rod, _rods[0]))
	_pin(_start, rod, Vector3(0.0, 0.5 * _rod, 0.0))
	_rods.push_front(rod)
	_spare(_start, [0], true)
	_spare(_start, [2], false)


func _free_all() -> void:
	for tie: _Tie in [_start, _end]:
		if tie != null:
			tie.free_all()
	for rid: RID in _joints + _rods:
		PhysicsServer3D.free_rid(rid)
	_rods.clear()
	_joints.clear()
	_shape = null
	_start = null
	_end = null
	_reeled = 0.0


func _preview() -> void:
	if not is_inside_tree():
		return
	_renew_line()
	_line.draw(_Line.evenly(global_position, global_transform * end_point, length, rod_length, MOST_RODS, _down()), radius)


func _renew_line() -> void:
	if _line == null:
		_line = _Line.new()
		add_child(_line, false, Node.INTERNAL_MODE_FRONT)
	_line.visible = draws
	_line.material_override = surface


func _changed() -> void:
	if Engine.is_editor_hint():
		_preview()


func _set_end_point(value: Vector3) -> void:
	if _CheckedValue.is_right("ScreeRope3D", &"end_point", value.is_finite() and value.length() > 1e-3, "finite and not 0", value):
		end_point = value
		_changed()


func _set_length(value: float) -> void:
	if _CheckedValue.is_not_negative("ScreeRope3D", &"length", value):
		length = value
		_changed()


func _set_radius(value: float) -> void:
	if _CheckedValue.is_positive("ScreeRope3D", &"radius", value):
		radius = value
		_changed()


func _set_rod_length(value: float) -> void:
	if _CheckedValue.is_positive("ScreeRope3D", &"rod_length", value):
		rod_length = value
		_changed()


func _set_mass(value: float) -> void:
	if _CheckedValue.is_positive("ScreeRope3D", &"mass", value):
		mass = value


func _set_damping(value: float) -> void:
	if _CheckedValue.is_not_negative("ScreeRope3D", &"damping", value):
		damping = value


func _set_strength(value: float) -> void:
	if _CheckedValue.is_not_negative("ScreeRope3D", &"strength", value):
		strength = value
		if not Engine.is_editor_hint():
			_breaking.limit(value, _all_joints())


func _set_collision_layer(value: int) -> void:
	collision_layer = value
	_show_all()


func _set_collision_mask(value: int) -> void:
	collision_mask = value
	_show_all()


func _show_all() -> void:
	for k: int in _rods.size():
		_show_rod(_rods[k], k > 0 or _reeled == 0.0)
