@tool
@icon("res://addons/scree/nodes/scree_contact_rule.svg")
class_name ScreeContactRule
extends Resource
## How bodies of two contact classes collide: conveyors, one-way platforms, bodies that pass through each other.
##
## Put it into [member ScreeBodySettings3D.rules], call [method apply], or give it to [code]Scree.set_contact_rule[/code]. Each
## call copies it: after a change of a property call again. The rule holds in all spaces, until another one for the two classes
## takes its place. A body is put into a class by [ScreeBodySettings3D] or [code]Scree.body_set_contact_class[/code].
## [br][br]
## Needs Scree Physics; with another physics engine it warns and does nothing.

const _RunningEngine := preload("res://addons/scree/nodes/running_engine.gd")

## The class that [member surface_velocity], [member platform_normal] and [member inverse_mass_scale_a] are about.
@export var class_a := &"default"
## The class of the bodies that those of [member class_a] meet.
@export var class_b := &"default"
## Bodies of the two classes do not collide.
@export var pass_through := false
## Contacts are reported, but the bodies do not push, hold or wake each other.
@export var sensor := false
@export_group("Surface")
## Friction between the two, in place of their materials' friction; below 0: that of the materials.
@export_range(-1.0, 1.0, 0.01, "or_greater") var friction := -1.0
## Bounce between the two, in place of their materials' bounce; below 0: that of the materials.
@export_range(-1.0, 1.0, 0.01) var bounce := -1.0
## A conveyor: how the surface of bodies of [member class_a] runs, in the axes of the body [m/s].
@export var surface_velocity := Vector3.ZERO
## A one-way platform: up, in the axes of bodies of [member class_a]. They carry bodies from above and let them through from
## other sides. Zero: solid from all sides.
@export var platform_normal := Vector3.ZERO
@export_group("Masses")
## Factor on how much bodies of [member class_a] are pushed by those of [member class_b]; with 0 they are not pushed.
@export_range(0.0, 10.0, 0.01, "or_greater") var inverse_mass_scale_a := 1.0
## Factor on how much bodies of [member class_b] are pushed by those of [member class_a]; with 0 they are not pushed.
@export_range(0.0, 10.0, 0.01, "or_greater") var inverse_mass_scale_b := 1.0


## Sets the rule for its two classes. Returns whether Scree Physics runs.
func apply() -> bool:
	return _put(self)


## Removes the rule of its two classes: their bodies collide as usual. Returns whether Scree Physics runs.
func remove() -> bool:
	return _put(null)


func _put(rule: ScreeContactRule) -> bool:
	if not _RunningEngine.is_scree():
		push_warning("ScreeContactRule: needs Scree Physics, this is %s: no rule is set" % PhysicsServer3D.get_class())
		return false
	Engine.get_singleton("Scree").call("set_contact_rule", class_a, class_b, rule)
	return true
