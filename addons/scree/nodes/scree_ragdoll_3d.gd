@icon("res://addons/scree/nodes/scree_ragdoll_3d.svg")
class_name ScreeRagdoll3D
extends Node
## A ragdoll with muscles: motors turn its bones to the pose of the animation, with a limited torque.
##
## Add it below a [Skeleton3D] that has a [PhysicalBoneSimulator3D] with a [PhysicalBone3D] for each bone that moves, and joints
## between them. [method start] begins the simulation; from then on the bones are bodies that fall, are hit and push, while an
## [AnimationPlayer] goes on to play: its pose is what the motors aim at. [member strength] blends from limp (0) to firm (1).
## Torques act between two bones; nothing holds the whole figure up but its feet, unless [member holds_root] holds its first bone.
## [br][br]
## Needs Scree Physics; with another physics engine it warns once, and the ragdoll is limp.

const _RunningEngine := preload("res://addons/scree/nodes/running_engine.gd")

## 0: limp, 1: with the whole [member max_torque].
@export_range(0.0, 1.0, 0.01) var strength := 1.0
## The largest torque of a joint about each axis [N m]: some 50 to 200 for a person.
@export_range(0.0, 1000.0, 1.0, "or_greater", "suffix:N m") var max_torque := 150.0
## How fast the bones go to the pose: speed by the angle that is left [1/s].
@export_range(0.0, 60.0, 0.1, "suffix:1/s") var rate := 15.0
## Holds the first bone at its place in the animation and as it is turned there: the figure does not fall over, however weak it is.
@export var holds_root := false
## How fast the first bone goes there: speed by the way that is left [1/s].
@export_range(0.0, 60.0, 0.1, "suffix:1/s") var root_rate := 10.0

var _motors := 0
var _skeleton: Skeleton3D
var _simulator: PhysicalBoneSimulator3D
var _root: PhysicalBone3D
var _joints: Array[Joint] = []
var _is_relaxed := true
# A kinematic body without shapes, which takes the root along by a weld while it is held.
var _anchor := RID()
var _weld := RID()


class Joint:
	var parent: PhysicalBone3D
	var bone: PhysicalBone3D

	func _init(of: PhysicalBone3D, below: PhysicalBone3D) -> void:
		bone = of
		parent = below


func _exit_tree() -> void:
	_forget()


## Begins the simulation of all physical bones, and the motors.
func start() -> void:
	_forget()
	_skeleton = get_parent() as Skeleton3D
	_simulator = _find_simulator()
	if _simulator == null:
		push_error("ScreeRagdoll3D %s: needs a Skeleton3D as parent, with a PhysicalBoneSimulator3D" % get_path())
		return
	if not _simulator.is_simulating_physics():
		_simulator.physical_bones_start_simulation()
	_find_joints()
	if not _RunningEngine.is_scree_for("ScreeRagdoll3D", "ragdolls are limp"):
		return
	var parents := PackedInt64Array()
	var bodies := PackedInt64Array()
	for joint: Joint in _joints:
		parents.append(joint.parent.get_rid().get_id())
		bodies.append(joint.bone.get_rid().get_id())
	_motors = _scree().call("pose_motors_create", parents, bodies)
	_is_relaxed = true


## Ends the motors and the simulation: the animation moves the skeleton again.
func stop() -> void:
	_forget()
	if _simulator != null:
		_simulator.physical_bones_stop_simulation()


## Whether motors act.
func is_active() -> bool:
	return _motors != 0


## The angle by which a bone misses its pose, against its parent [rad]; 0 for a bone without a motor.
func error_of(bone: PhysicalBone3D) -> float:
	for joint: Joint in _joints:
		if joint.bone == bone:
			var now := (joint.parent.global_basis.inverse() * bone.global_basis).get_rotation_quaternion()
			return now.angle_to(_wanted(joint))
	return 0.0


func _physics_process(delta: float) -> void:
	if _motors == 0:
		return
	if strength > 0.0:
		_aim()
	elif not _is_relaxed:
		_scree().call("pose_motors_relax", _motors)
		_is_relaxed = true
	if holds_root and _root != null:
		_hold_root(delta)
	else:
		_let_go()


func _aim() -> void:
	_is_relaxed = false
	var rotations := PackedFloat32Array()
	for joint: Joint in _joints:
		var wanted := _wanted(joint)
		rotations.append_array([wanted.x, wanted.y, wanted.z, wanted.w])
	_scree().call("pose_motors_aim", _motors, rotations, rate, strength * max_torque)


## Moves the anchor from where the root is towards where the animation has it.
func _hold_root(delta: float) -> void:
	if not _anchor.is_valid():
		_anchor = PhysicsServer3D.body_create()
		PhysicsServer3D.body_set_mode(_anchor, PhysicsServer3D.BODY_MODE_KINEMATIC)
		PhysicsServer3D.body_set_state(_anchor, PhysicsServer3D.BODY_STATE_TRANSFORM, _root.global_transform.orthonormalized())
		PhysicsServer3D.body_set_space(_anchor, PhysicsServer3D.body_get_space(_root.get_rid()))
		_weld = _scree().call("weld_create", _anchor, _root.get_rid())
	var wanted := _skeleton.global_transform * _pose_of(_root.get_bone_id()) * _root.body_offset
	var now: Transform3D = PhysicsServer3D.body_get_state(_anchor, PhysicsServer3D.BODY_STATE_TRANSFORM)
	var next := now.interpolate_with(wanted.orthonormalized(), minf(root_rate * delta, 1.0))
	PhysicsServer3D.body_set_state(_anchor, PhysicsServer3D.BODY_STATE_TRANSFORM, next)


func _let_go() -> void:
	if _anchor.is_valid():
		_scree().call("free_joint", _weld)
		PhysicsServer3D.free_rid(_anchor)
	_anchor = RID()


func _find_simulator() -> PhysicalBoneSimulator3D:
	for child: Node in _skeleton.get_children() if _skeleton else []:
		if child is PhysicalBoneSimulator3D:
			return child
	return null


## The bones with the nearest physical bone above each. The first one without is the root.
func _find_joints() -> void:
	_joints.clear()
	_root = null
	var of_bone: Dictionary[int, PhysicalBone3D] = {}
	for child: Node in _simulator.get_children():
		if child is PhysicalBone3D:
			of_bone[(child as PhysicalBone3D).get_bone_id()] = child
	for bone: int in of_bone:
		var above := _skeleton.get_bone_parent(bone)
		while above >= 0 and not of_bone.has(above):
			above = _skeleton.get_bone_parent(above)
		if above < 0:
			_root = of_bone[bone] if _root == null else _root
		elif of_bone[bone].joint_type != PhysicalBone3D.JOINT_TYPE_NONE:
			_joints.append(Joint.new(of_bone[bone], of_bone[above]))


## The rotation of the body of a bone in the frame of its parent's body, as the animation has it.
func _wanted(joint: Joint) -> Quaternion:
	var below := _pose_of(joint.parent.get_bone_id()) * joint.parent.body_offset
	var own := _pose_of(joint.bone.get_bone_id()) * joint.bone.body_offset
	return (below.basis.inverse() * own.basis).get_rotation_quaternion()


## The pose of a bone in the skeleton, from the poses that animations set: that of the simulation is another.
func _pose_of(bone: int) -> Transform3D:
	var pose := _skeleton.get_bone_pose(bone)
	var above := _skeleton.get_bone_parent(bone)
	while above >= 0:
		pose = _skeleton.get_bone_pose(above) * pose
		above = _skeleton.get_bone_parent(above)
	return pose


func _scree() -> Object:
	return Engine.get_singleton("Scree")


func _forget() -> void:
	_let_go()
	if _motors:
		_scree().call("pose_motors_relax", _motors)
		_scree().call("pose_motors_free", _motors)
	_motors = 0
