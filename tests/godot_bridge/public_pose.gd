extends "res://checks.gd"
## A ragdoll with motors: it takes the pose of the animation, goes limp, and pushes nothing but itself.

const Doll := preload("res://ragdoll.gd")
const Muscles := preload("res://addons/scree/nodes/scree_ragdoll_3d.gd")

var _doll := Doll.new(Color.WHITE)
var _muscles := Muscles.new()


func _initialize() -> void:
	print("class ", PhysicsServer3D.get_class())
	root.add_child(_doll)
	_doll.add_child(_muscles)
	_doll.position = Vector3(0, 3, 0)
	_muscles.holds_root = true
	await process_frame
	_muscles.start()
	_muscles.start() # once more: the first motors are given up
	check("its motors run", _muscles.is_active() and _doll.bones.size() == 11)
	_pose("left_arm", Vector3.BACK, 0.7)
	_pose("right_forearm", Vector3.BACK, -1.2)
	_pose("left_thigh", Vector3.RIGHT, 0.6)
	_pose("left_shin", Vector3.BACK, 1.0)
	await _frames(120)
	check("it takes the pose", _worst() < deg_to_rad(1.0), rad_to_deg(_worst()))
	var off := _bone("pelvis").global_position.distance_to(_rest("pelvis"))
	check("it hangs where it was put", off < 0.05, off)
	# Its raised leg and its arms weigh more on one side.
	check("it does not lean", _bone("pelvis").global_basis.y.angle_to(Vector3.UP) < deg_to_rad(1.0), _bone("pelvis").global_basis.y)
	_pose("left_shin", Vector3.BACK, -1.0)
	await _frames(120)
	check("limits hold", _doll.past_limits() < 2.0 and _muscles.error_of(_bone("left_shin")) > 0.5, _doll.past_limits())
	_pose("left_shin", Vector3.BACK, 0.5)
	await _frames(60)
	check("it comes back from a limit", _worst() < deg_to_rad(1.0), rad_to_deg(_worst()))
	_muscles.strength = 0.01
	await _frames(120)
	check("weak muscles sag", _worst() > deg_to_rad(10.0), rad_to_deg(_worst()))
	_muscles.strength = 0.0
	await _frames(60)
	check("a limp figure is held too", _bone("pelvis").global_basis.y.angle_to(Vector3.UP) < deg_to_rad(1.0))
	check("limp arms hang", _bone("left_arm").global_basis.y.y < -0.5, _bone("left_arm").global_basis.y)
	_muscles.strength = 1.0
	await _frames(120)
	check("it takes the pose again", _worst() < deg_to_rad(3.0), rad_to_deg(_worst()))
	await _in_space()
	_wrong()
	_muscles.stop()
	check("it can be stopped", not _muscles.is_active())
	_doll.queue_free()
	await _frames(2)
	quit()


## Without gravity nothing is turned or moved as a whole, whatever the muscles do.
func _in_space() -> void:
	_muscles.holds_root = false
	PhysicsServer3D.area_set_param(root.find_world_3d().space, PhysicsServer3D.AREA_PARAM_GRAVITY, 0.0)
	PhysicsServer3D.area_set_param(root.find_world_3d().space, PhysicsServer3D.AREA_PARAM_LINEAR_DAMP, 0.0)
	PhysicsServer3D.area_set_param(root.find_world_3d().space, PhysicsServer3D.AREA_PARAM_ANGULAR_DAMP, 0.0)
	for bone: PhysicalBone3D in _doll.bones:
		bone.linear_velocity = Vector3.ZERO
		bone.angular_velocity = Vector3.ZERO
	await _frames(2)
	var center := _center()
	_pose("right_thigh", Vector3.RIGHT, 0.5)
	_pose("right_arm", Vector3.BACK, -0.5)
	await _frames(60)
	check("it moves only itself", _center().distance_to(center) < 0.01, _center() - center)
	check("in space it takes a pose too", _worst() < deg_to_rad(1.0), rad_to_deg(_worst()))


func _wrong() -> void:
	var none := Scree.pose_motors_create([_bone("head").get_rid().get_id()], [_bone("left_shin").get_rid().get_id()])
	check("two bones without a joint have no motor", none == 0)
	var ids := str(_bone("torso").get_rid().get_id(), " ", _bone("head").get_rid().get_id(), " ", _bone("pelvis").get_rid().get_id())
	check("after an error numbers are numbers", not "null" in ids, ids)
	Scree.pose_motors_aim(99, [])
	var one := Scree.pose_motors_create([_bone("torso").get_rid().get_id()], [_bone("head").get_rid().get_id()])
	Scree.pose_motors_aim(one, [0.0, 0.0, 0.0])
	Scree.pose_motors_aim(one, [0.0, 0.0, 0.0, 3.0])
	Scree.pose_motors_aim(one, [0.0, 0.0, 0.0, 1.0], -1.0)
	Scree.pose_motors_free(one)
	Scree.pose_motors_relax(one)


func _bone(name: String) -> PhysicalBone3D:
	return _doll.bones[_doll.find_bone(name)]


func _rest(name: String) -> Vector3:
	return _doll.global_transform * _doll.get_bone_global_rest(_doll.find_bone(name)) * _bone(name).body_offset.origin


func _pose(name: String, axis: Vector3, angle: float) -> void:
	var bone := _doll.find_bone(name)
	_doll.set_bone_pose_rotation(bone, _doll.get_bone_rest(bone).basis.get_rotation_quaternion() * Quaternion(axis, angle))


## The largest angle by which a bone misses its pose [rad].
func _worst() -> float:
	var most := 0.0
	for bone: PhysicalBone3D in _doll.bones:
		most = maxf(most, _muscles.error_of(bone))
	return most


func _center() -> Vector3:
	var sum := Vector3.ZERO
	var mass := 0.0
	for bone: PhysicalBone3D in _doll.bones:
		sum += bone.mass * bone.global_position
		mass += bone.mass
	return sum / mass


func _frames(count: int) -> void:
	for k: int in count:
		await physics_frame
