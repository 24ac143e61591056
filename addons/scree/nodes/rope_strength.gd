extends RefCounted
## Which joint of a rope breaks: of those that had to bear more than the strength, the one that bore most. The others hold on,
## since the break relieves them. Scree tells of a joint that broke before the next physics tick, so no step passes meanwhile.

const _RunningEngine := preload("res://addons/scree/nodes/running_engine.gd")

var _limit := INF
# Joints that broke in the last step, of any rope.
var _torn: Array[RID] = []


## Sets the tension [N] above which joints break, 0 for none, also of joints that are there already.
func limit(strength: float, joints: Array[RID]) -> void:
	_limit = strength if strength > 0.0 else INF
	if not (strength == 0.0 or _RunningEngine.is_scree_for("ScreeRope3D", "ropes do not break")):
		return
	for joint: RID in joints:
		if joint.is_valid():
			_set_break(joint)
	if strength > 0.0 and not _scree().is_connected("joint_broke", _on_joint_broke):
		_scree().connect("joint_broke", _on_joint_broke)


## Limits what a new joint bears.
func arm(joint: RID) -> void:
	if _limit < INF:
		_set_break(joint)


## The number of the joint that breaks, of the joints of a rope; -1 if all hold. Mends all of them.
func take_broken(joints: Array[RID]) -> int:
	var place := -1
	var most := 0.0
	for joint: RID in _torn:
		if joint in joints:
			var force: Vector3 = _scree().call("joint_get_force", joint)
			if force.length() > most:
				most = force.length()
				place = joints.find(joint)
			_scree().call("joint_set_enabled", joint, true)
	_torn.clear()
	return place


func _set_break(joint: RID) -> void:
	if _RunningEngine.is_scree():
		_scree().call("joint_set_break", joint, _limit, INF)


func _on_joint_broke(_space: RID, joint: RID) -> void:
	_torn.append(joint)


func _scree() -> Object:
	return Engine.get_singleton("Scree")
