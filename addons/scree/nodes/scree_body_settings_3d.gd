@tool
@icon("res://addons/scree/nodes/scree_body_settings_3d.svg")
class_name ScreeBodySettings3D
extends Node
## Settings of the body that is this node's parent, without code: its contact class, which contacts it reports, rules, and its
## highest velocities.
##
## The parent is a [RigidBody3D], [StaticBody3D], [AnimatableBody3D], [CharacterBody3D] or another [PhysicsBody3D]. The settings
## act when this node enters the tree, and when they are changed.
## [br][br]
## Needs Scree Physics; with another physics engine it warns and does nothing.

const _RunningEngine := preload("res://addons/scree/nodes/running_engine.gd")

## The contact class of the body, whose rules its contacts follow.
@export var contact_class := &"default":
	set(value):
		contact_class = value
		_apply()
## Which contacts of the body [code]Scree.contacts_changed[/code] reports: those that begin or end, or also those that last.
@export_enum("none", "changes", "all") var contact_events := 0:
	set(value):
		contact_events = value
		_apply()
## Rules that are set when the node enters the tree. They hold for all bodies of their classes, and stay when this node leaves.
@export var rules: Array[ScreeContactRule] = []:
	set(value):
		rules = value
		_apply()

## The highest speed of the body's centre of mass; 0: no limit. Rigid bodies alone have it.
@export_range(0, 1000, 0.01, "or_greater", "suffix:m/s") var max_linear_velocity := 0.0:
	set(value):
		max_linear_velocity = value
		_apply()
## The highest spin of the body; 0: no limit. Rigid bodies alone have it.
@export_range(0, 36000, 0.1, "or_greater", "radians_as_degrees") var max_angular_velocity := 0.0:
	set(value):
		max_angular_velocity = value
		_apply()


func _enter_tree() -> void:
	update_configuration_warnings()
	_apply()


func _get_configuration_warnings() -> PackedStringArray:
	if get_parent() is PhysicsBody3D:
		return []
	return ["The parent must be a body: RigidBody3D, StaticBody3D, AnimatableBody3D, CharacterBody3D or the like."]


func _apply() -> void:
	if Engine.is_editor_hint() or not is_inside_tree():
		return
	var body := get_parent() as PhysicsBody3D
	if body == null:
		push_error("ScreeBodySettings3D: the parent of %s must be a body, it is a %s" % [get_path(), get_parent().get_class()])
		return
	if not _RunningEngine.is_scree():
		push_warning("ScreeBodySettings3D: needs Scree Physics, this is %s: nothing is set" % PhysicsServer3D.get_class())
		return
	var scree: Object = Engine.get_singleton("Scree")
	scree.call("body_set_contact_class", body.get_rid(), contact_class)
	scree.call("body_set_contact_events", body.get_rid(), contact_events)
	if body is RigidBody3D:
		scree.call("body_set_max_linear_velocity", body.get_rid(), max_linear_velocity if max_linear_velocity > 0.0 else INF)
		scree.call("body_set_max_angular_velocity", body.get_rid(), max_angular_velocity if max_angular_velocity > 0.0 else INF)
	for rule: ScreeContactRule in rules:
		if rule != null:
			rule.apply()
