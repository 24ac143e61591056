extends RefCounted
## The moving bodies of a scene, made by one builder: as RigidBody3D nodes, or through PhysicsServer3D without nodes.

const BodyForm = preload("res://scripts/body_form.gd")

var forms: Array[BodyForm] = []
var form_of := PackedInt32Array()
var rids: Array[RID] = []
## The nodes; empty when the bodies are made through the server.
var nodes: Array[RigidBody3D] = []
## Friction and restitution of every body.
var material := PhysicsMaterial.new()
var can_sleep := true
## Pairs (Vector2i, the smaller index first) that were told not to collide.
var apart := {}

var _parent: Node3D
var _server_only := false


func _init(parent: Node3D, server_only: bool) -> void:
	_parent = parent
	_server_only = server_only
	material.friction = 0.5


func add_form(form: BodyForm) -> int:
	forms.append(form)
	return forms.size() - 1


## Adds one body of the form with index `form_index`; returns the body's index.
func add(form_index: int, transform: Transform3D) -> int:
	if _server_only:
		rids.append(_make_on_server(forms[form_index], transform))
	else:
		var node := _make_node(forms[form_index], transform)
		nodes.append(node)
		rids.append(node.get_rid())
	form_of.append(form_index)
	return rids.size() - 1


func size() -> int:
	return rids.size()


func transform_of(index: int) -> Transform3D:
	return PhysicsServer3D.body_get_state(rids[index], PhysicsServer3D.BODY_STATE_TRANSFORM)


func linear_velocity_of(index: int) -> Vector3:
	return PhysicsServer3D.body_get_state(rids[index], PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY)


func angular_velocity_of(index: int) -> Vector3:
	return PhysicsServer3D.body_get_state(rids[index], PhysicsServer3D.BODY_STATE_ANGULAR_VELOCITY)


func is_asleep(index: int) -> bool:
	return PhysicsServer3D.body_get_state(rids[index], PhysicsServer3D.BODY_STATE_SLEEPING)


func form(index: int) -> BodyForm:
	return forms[form_of[index]]


## Frees what was made through the server; nodes free themselves.
func free_server_bodies() -> void:
	if _server_only:
		for rid: RID in rids:
			PhysicsServer3D.free_rid(rid)
		rids.clear()


func _make_node(body_form: BodyForm, transform: Transform3D) -> RigidBody3D:
	var node := RigidBody3D.new()
	var collision := CollisionShape3D.new()
	collision.shape = body_form.shape
	node.mass = body_form.mass
	node.can_sleep = can_sleep
	node.physics_material_override = material
	node.transform = transform
	node.add_child(collision)
	_parent.add_child(node)
	return node


func _make_on_server(body_form: BodyForm, transform: Transform3D) -> RID:
	var rid := PhysicsServer3D.body_create()
	PhysicsServer3D.body_set_mode(rid, PhysicsServer3D.BODY_MODE_RIGID)
	PhysicsServer3D.body_add_shape(rid, body_form.shape.get_rid())
	PhysicsServer3D.body_set_param(rid, PhysicsServer3D.BODY_PARAM_MASS, body_form.mass)
	PhysicsServer3D.body_set_param(rid, PhysicsServer3D.BODY_PARAM_FRICTION, material.friction)
	PhysicsServer3D.body_set_param(rid, PhysicsServer3D.BODY_PARAM_BOUNCE, material.bounce)
	PhysicsServer3D.body_set_state(rid, PhysicsServer3D.BODY_STATE_CAN_SLEEP, can_sleep)
	PhysicsServer3D.body_set_state(rid, PhysicsServer3D.BODY_STATE_TRANSFORM, transform)
	PhysicsServer3D.body_set_space(rid, _parent.get_world_3d().space)
	return rid
