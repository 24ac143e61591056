@tool
@icon("res://addons/scree/nodes/scree_vehicle_3d.svg")
class_name ScreeVehicle3D
extends RigidBody3D
## A car with an engine, gears, differentials and tyres: each [ScreeWheel3D] below it is a wheel. Forward is -Z.
##
## Set [member throttle], [member steering], [member brake] and [member hand_brake]; read [method state]. Wheels are no bodies: what
## happens between engine, tyres and ground is solved in each sub-step of the physics, which a [VehicleBody3D] leaves to one ray and
## one impulse a tick. After a change of the wheels or the engine call [method rebuild].
## [br][br]
## Needs Scree Physics; with another physics engine it warns, and is a [RigidBody3D] without wheels.

const Wheel := preload("res://addons/scree/nodes/scree_wheel_3d.gd")

## The accelerator, -1 to 1. With an automatic gearbox values below 0 drive backwards.
@export_range(-1.0, 1.0) var throttle := 0.0
## The steering wheel, -1 (left) to 1 (right), as a part of each wheel's [member ScreeWheel3D.most_steering].
@export_range(-1.0, 1.0) var steering := 0.0
## The foot brake, 0 to 1, as a part of each wheel's [member ScreeWheel3D.most_brake].
@export_range(0.0, 1.0) var brake := 0.0
## The hand brake, 0 to 1, as a part of each wheel's [member ScreeWheel3D.most_hand_brake].
@export_range(0.0, 1.0) var hand_brake := 0.0

@export_group("Engine")
## Largest torque of the engine [N m].
@export var most_torque := 500.0
## Speed of the engine when it idles [1/min].
@export var least_rpm := 1000.0
## Highest speed of the engine [1/min].
@export var most_rpm := 6000.0
## Ratios of the forward gears: turns of the engine per turn of the shaft behind the gearbox.
@export var gears := PackedFloat32Array([2.66, 1.78, 1.3, 1.0, 0.74])
## Ratios of the reverse gears, negative.
@export var reverse_gears := PackedFloat32Array([-2.9])
## Turns of the shaft behind the gearbox per turn of the wheels.
@export var differential_ratio := 3.42
## How many times faster one wheel of a pair may turn than the other; 0: without limit.
@export var slip_limit := 1.4

var _handle := -1
var _wheels: Array[Wheel] = []


func _enter_tree() -> void:
	if not Engine.is_editor_hint():
		rebuild()


func _exit_tree() -> void:
	clear()


## Makes the wheels anew from the nodes. Returns false after an error.
func rebuild() -> bool:
	clear()
	if not PhysicsServer3D.has_method("vehicle_create"):
		push_warning("ScreeVehicle3D: needs Scree Physics, this is %s: it has no wheels" % PhysicsServer3D.get_class())
		return false
	var made: Variant = PhysicsServer3D.call("vehicle_create", get_rid(), _describe())
	_handle = made if made is int else -1
	return _handle >= 0


## Removes the wheels.
func clear() -> void:
	if _handle >= 0:
		PhysicsServer3D.call("vehicle_remove", _handle)
		for wheel: Wheel in _wheels:
			if is_instance_valid(wheel):
				wheel.put_back()
	_handle = -1


## Forward "speed" [m/s], "rpm" of the engine [1/min], "gear", and the number of "wheels_on_ground"; empty without wheels.
func state() -> Dictionary:
	return PhysicsServer3D.call("vehicle_state", _handle) if _handle >= 0 else {}


func _physics_process(_delta: float) -> void:
	if _handle < 0:
		return
	PhysicsServer3D.call("vehicle_drive", _handle, throttle, steering, brake, hand_brake)
	var places: PackedVector3Array = PhysicsServer3D.call("vehicle_wheels", _handle)
	for number: int in mini(places.size(), _wheels.size()):
		if is_instance_valid(_wheels[number]):
			_wheels[number].show_at(places[number].x, places[number].y, places[number].z)


func _describe() -> Dictionary:
	_wheels.clear()
	var wheels := {}
	var driven: Array[int] = []
	for child: Node in get_children():
		var wheel := child as Wheel
		if wheel != null:
			if wheel.is_driven:
				driven.append(wheels.size())
			wheels[wheels.size()] = wheel.describe()
			_wheels.append(wheel)
	var differentials := {}
	for pair: int in (driven.size() + 1) / 2:
		var right: int = driven[2 * pair + 1] if 2 * pair + 1 < driven.size() else -1
		differentials[pair] = {
			"left": driven[2 * pair], "right": right, "ratio": differential_ratio, "slip_limit": slip_limit,
			"share": 2.0 / (driven.size() + driven.size() % 2),
		}
	var engine := {
		"most_torque": most_torque, "least_rpm": least_rpm, "most_rpm": most_rpm, "gears": gears, "reverse": reverse_gears,
	}
	return {"wheels": wheels, "engine": engine, "differentials": differentials}
