extends Skeleton3D
## A person of eleven bones that fall: a Skeleton3D with PhysicalBone3D, hinges in knees and elbows, cones elsewhere.
##
## Standing it faces +z, feet at the origin. A bone's y points along it; its joint lies at its origin, twists about y and, if
## it is a hinge, turns about z.

## How far knees and elbows bend and overstretch [degrees].
const BENDS := 130.0
const OVERSTRETCHES := 5.0
const BODY_MASS := 70.0

## Name: parent, origin [m], direction, hinge or twist axis (the bone's z), length and radius [m], part of the mass.
const BONES := {
	"pelvis": ["", Vector3(0, 1.00, 0), Vector3.UP, Vector3.RIGHT, 0.14, 0.10, 0.20],
	"torso": ["pelvis", Vector3(0, 1.14, 0), Vector3.UP, Vector3.RIGHT, 0.40, 0.12, 0.30],
	"head": ["torso", Vector3(0, 1.56, 0), Vector3.UP, Vector3.RIGHT, 0.24, 0.10, 0.08],
	"left_arm": ["torso", Vector3(0.20, 1.46, 0), Vector3.RIGHT, Vector3.UP, 0.28, 0.05, 0.03],
	"left_forearm": ["left_arm", Vector3(0.48, 1.46, 0), Vector3.RIGHT, Vector3.UP, 0.26, 0.045, 0.03],
	"right_arm": ["torso", Vector3(-0.20, 1.46, 0), Vector3.LEFT, Vector3.DOWN, 0.28, 0.05, 0.03],
	"right_forearm": ["right_arm", Vector3(-0.48, 1.46, 0), Vector3.LEFT, Vector3.DOWN, 0.26, 0.045, 0.03],
	"left_thigh": ["pelvis", Vector3(0.10, 0.96, 0), Vector3.DOWN, Vector3.RIGHT, 0.42, 0.07, 0.09],
	"left_shin": ["left_thigh", Vector3(0.10, 0.54, 0), Vector3.DOWN, Vector3.RIGHT, 0.42, 0.055, 0.06],
	"right_thigh": ["pelvis", Vector3(-0.10, 0.96, 0), Vector3.DOWN, Vector3.RIGHT, 0.42, 0.07, 0.09],
	"right_shin": ["right_thigh", Vector3(-0.10, 0.54, 0), Vector3.DOWN, Vector3.RIGHT, 0.42, 0.055, 0.06],
}

var bones: Array[PhysicalBone3D] = []

var _simulator := PhysicalBoneSimulator3D.new()
var _frames: Array[Transform3D] = []
var _colour: Color


func _init(colour: Color) -> void:
	_colour = colour


func _ready() -> void:
	for bone_name: String in BONES:
		_add_bone(bone_name)
	add_child(_simulator)
	for bone_name: String in BONES:
		_add_body(bone_name)


## Lets go, all bones moving with `velocity` [m/s].
func fall(velocity: Vector3) -> void:
	_simulator.physical_bones_start_simulation()
	for bone: PhysicalBone3D in bones:
		bone.linear_velocity = velocity


## The widest distance between what a joint holds together [m].
func widest_gap() -> float:
	var widest := 0.0
	for index: int in range(1, bones.size()):
		var parent := get_bone_parent(index)
		var joint := bones[index].global_transform * bones[index].body_offset.affine_inverse().origin
		var of_parent := bones[parent].global_transform * bones[parent].body_offset.affine_inverse()
		widest = maxf(widest, joint.distance_to(of_parent * get_bone_rest(index).origin))
	return widest


## How far a knee or an elbow is past its limits, at most [degrees]; a negative number is within.
func past_limits() -> float:
	var farthest := -180.0
	for index: int in bones.size():
		if bones[index].joint_type == PhysicalBone3D.JOINT_TYPE_HINGE:
			var relative := bones[get_bone_parent(index)].global_basis.inverse() * bones[index].global_basis
			# Knees bend right-handed about their z, elbows left-handed.
			var bent := rad_to_deg(atan2(relative.x.y, relative.x.x)) * (1.0 if bones[index].name.ends_with("shin") else -1.0)
			farthest = maxf(farthest, maxf(-OVERSTRETCHES - bent, bent - BENDS))
	return farthest


func fastest() -> float:
	var most := 0.0
	for bone: PhysicalBone3D in bones:
		most = maxf(most, bone.linear_velocity.length())
	return most


func _add_bone(bone_name: String) -> void:
	var entry: Array = BONES[bone_name]
	var along: Vector3 = entry[2]
	var across: Vector3 = entry[3]
	_frames.append(Transform3D(Basis(along.cross(across), along, across), entry[1]))
	var index := add_bone(bone_name)
	var rest := _frames[index]
	if entry[0] != "":
		set_bone_parent(index, find_bone(entry[0]))
		rest = _frames[find_bone(entry[0])].affine_inverse() * rest
	set_bone_rest(index, rest)
	reset_bone_pose(index)


func _add_body(bone_name: String) -> void:
	var entry: Array = BONES[bone_name]
	var bone := PhysicalBone3D.new()
	bone.name = bone_name
	bone.mass = BODY_MASS * entry[6]
	bone.friction = 0.6
	bone.body_offset = Transform3D(Basis.IDENTITY, Vector3.UP * entry[4] / 2.0)
	# A cone twists about the joint's x: it must lie along the bone.
	var is_hinge: bool = bone_name.ends_with("shin") or bone_name.ends_with("forearm")
	var turned := Basis.IDENTITY if is_hinge else Basis(Vector3.BACK, PI / 2.0)
	bone.joint_offset = Transform3D(turned, Vector3.DOWN * entry[4] / 2.0)
	_add_shape(bone, entry[4], entry[5])
	_simulator.add_child(bone)
	bone.set("bone_name", bone_name)
	if entry[0] != "":
		bone.joint_type = PhysicalBone3D.JOINT_TYPE_HINGE if is_hinge else PhysicalBone3D.JOINT_TYPE_CONE
		if is_hinge:
			bone.set("joint_constraints/angular_limit_enabled", true)
			# Godot's hinge limits are left-handed.
			var is_knee := bone_name.ends_with("shin")
			bone.set("joint_constraints/angular_limit_lower", -BENDS if is_knee else -OVERSTRETCHES)
			bone.set("joint_constraints/angular_limit_upper", OVERSTRETCHES if is_knee else BENDS)
		else:
			bone.set("joint_constraints/swing_span", 45.0)
			bone.set("joint_constraints/twist_span", 20.0)
	bones.append(bone)


func _add_shape(bone: PhysicalBone3D, length: float, radius: float) -> void:
	var collision := CollisionShape3D.new()
	var capsule := CapsuleShape3D.new()
	capsule.radius = radius
	capsule.height = maxf(length - 0.01, 2.0 * radius)
	collision.shape = capsule
	bone.add_child(collision)
	if DisplayServer.get_name() == "headless":
		return
	var mesh := CapsuleMesh.new()
	mesh.radius = capsule.radius
	mesh.height = capsule.height
	var instance := MeshInstance3D.new()
	instance.mesh = mesh
	instance.material_override = StandardMaterial3D.new()
	instance.material_override.albedo_color = _colour
	bone.add_child(instance)
