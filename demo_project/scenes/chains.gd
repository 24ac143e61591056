extends "res://scripts/demo_scene.gd"
## Chains of six bodies, like rag dolls without arms, fall into a bin; their joints are pins, hinges and cone twists in turn.
##
## Nothing may sleep. The joints' largest gap is measured when the run ends.

const LINKS := 6
const LENGTH := 0.5
const SIZE := Vector3(0.16, 0.42, 0.16)
const ROW := 10
## How far a cone twist swings [rad]. Jolt's cone is a pyramid, whose corners would reach 1.08: with the second it leaves the same
## solid angle free, 1.906 sr.
const SWING := 0.8
const SWING_OF_PYRAMID := 0.7193

var _joints: Array[RID] = []
## The two bodies of each joint, and the common point on each.
var _pairs: Array[Vector2i] = []


func build() -> void:
	bin = Bin.new(7.0, 60.0, 0.5)
	bin.has_glass = false
	stage.target = Vector3(0, 2.0, 0)
	stage.eye = Vector3(12, 11, 15)
	stage.shadow_distance = 70.0
	bodies.can_sleep = false
	for colour: Color in [CORAL, AMBER, TEAL, VIOLET, LEAF, ROSE]:
		bodies.add_form(BodyForm.box(SIZE, colour))
	for chain: int in ceili(body_count() / float(LINKS)):
		var cell := Vector3(chain % ROW, chain / (ROW * ROW), (chain / ROW) % ROW)
		var at := (cell - Vector3(ROW - 1, 0, ROW - 1) / 2.0) * Vector3(1.25, 3.6, 1.25) + Vector3.UP * 2.0
		_add_chain(chain, Transform3D(random_rotation(), at))


func _add_chain(chain: int, middle: Transform3D) -> void:
	var first := bodies.size()
	for link: int in LINKS:
		var along := Vector3.UP * LENGTH * (link - (LINKS - 1) / 2.0)
		bodies.add(chain % bodies.forms.size(), middle * Transform3D(Basis.IDENTITY, along))
	for link: int in LINKS - 1:
		_join(first + link, first + link + 1, (chain + link) % 3)


func _join(a: int, b: int, kind: int) -> void:
	var joint := PhysicsServer3D.joint_create()
	var above := Vector3.UP * LENGTH / 2.0
	# The twist axis of a cone is x: it lies along the chain.
	var turn := Basis(Vector3.BACK, PI / 2.0) if kind == 2 else Basis.IDENTITY
	var frame_a := Transform3D(turn, above)
	var frame_b := Transform3D(turn, -above)
	match kind:
		0:
			PhysicsServer3D.joint_make_pin(joint, bodies.rids[a], above, bodies.rids[b], -above)
		1:
			PhysicsServer3D.joint_make_hinge(joint, bodies.rids[a], frame_a, bodies.rids[b], frame_b)
			PhysicsServer3D.hinge_joint_set_flag(joint, PhysicsServer3D.HINGE_JOINT_FLAG_USE_LIMIT, true)
			# Told, as nodes do: engines take different limits where nobody says any.
			PhysicsServer3D.hinge_joint_set_param(joint, PhysicsServer3D.HINGE_JOINT_LIMIT_LOWER, -PI / 2.0)
			PhysicsServer3D.hinge_joint_set_param(joint, PhysicsServer3D.HINGE_JOINT_LIMIT_UPPER, PI / 2.0)
		2:
			PhysicsServer3D.joint_make_cone_twist(joint, bodies.rids[a], frame_a, bodies.rids[b], frame_b)
			var swing := SWING_OF_PYRAMID if ProjectSettings.get_setting("physics/3d/physics_engine") == "Jolt Physics" else SWING
			PhysicsServer3D.cone_twist_joint_set_param(joint, PhysicsServer3D.CONE_TWIST_JOINT_SWING_SPAN, swing)
			PhysicsServer3D.cone_twist_joint_set_param(joint, PhysicsServer3D.CONE_TWIST_JOINT_TWIST_SPAN, 0.5)
	PhysicsServer3D.joint_disable_collisions_between_bodies(joint, true)
	_joints.append(joint)
	_pairs.append(Vector2i(a, b))
	bodies.apart[Vector2i(a, b)] = true


func extra_figures() -> Dictionary:
	var widest := 0.0
	for pair: Vector2i in _pairs:
		var a := bodies.transform_of(pair.x) * (Vector3.UP * LENGTH / 2.0)
		var b := bodies.transform_of(pair.y) * (Vector3.DOWN * LENGTH / 2.0)
		widest = maxf(widest, a.distance_to(b))
	return {"joints": _pairs.size(), "widest_gap_of_a_joint": widest}


func _exit_tree() -> void:
	for joint: RID in _joints:
		PhysicsServer3D.free_rid(joint)
	_joints.clear()
	super()
