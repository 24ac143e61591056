@tool
@icon("res://addons/scree/nodes/scree_wheel_3d.svg")
class_name ScreeWheel3D
extends Node3D
## A wheel of a [ScreeVehicle3D], of which it is a child: it stands where the suspension is fixed, its -Y is down and its -Z forward.
##
## The vehicle moves this node to where its wheel is, turned and steered: put the mesh below it.

## Radius of the wheel [m].
@export var radius := 0.3
## Width of the wheel [m].
@export var width := 0.2
## Shortest length of the suspension, to the middle of the wheel [m].
@export var shortest := 0.1
## Longest length of the suspension, to the middle of the wheel [m].
@export var longest := 0.4
## Stiffness of the suspension's spring [N/m].
@export var stiffness := 40000.0
## Damping of the suspension [N s/m].
@export var damping := 3000.0
## Largest steering angle; 0 for wheels that are not steered.
@export_range(0.0, 80.0, 0.1, "radians_as_degrees") var most_steering := 0.0
## Whether the engine drives this wheel.
@export var is_driven := false
## Largest torque of the foot brake [N m].
@export var most_brake := 1500.0
## Largest torque of the hand brake [N m].
@export var most_hand_brake := 0.0
## The shape that is cast along the suspension to find the ground: a ray, a ball, or the wheel itself.
@export_enum("ray", "sphere", "cylinder") var cast := "ray"

var _fixed: Transform3D


## The wheel's description for the server. Called by the vehicle.
func describe() -> Dictionary:
	_fixed = transform
	return {
		"position": _fixed.origin, "radius": radius, "width": width, "shortest": shortest, "longest": longest,
		"stiffness": stiffness, "damping": damping, "most_steering": most_steering, "most_brake": most_brake,
		"most_hand_brake": most_hand_brake, "cast": cast, "suspension": -_fixed.basis.y.normalized(),
		"steering_axis": _fixed.basis.y.normalized(), "forward": -_fixed.basis.z.normalized(),
	}


## Puts the node back to where the suspension is fixed. Called by the vehicle.
func put_back() -> void:
	transform = _fixed


## Length of the suspension [m], steering to the left and how far the wheel has rolled [rad]. Called by the vehicle.
func show_at(length: float, steering: float, rolled: float) -> void:
	var turn := Basis(Vector3.UP, steering) * Basis(Vector3.RIGHT, -rolled)
	transform = _fixed * Transform3D(turn, Vector3.DOWN * length)
