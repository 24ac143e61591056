@tool
class_name ScreeWheel3D
extends Node3D
## A wheel of a [ScreeVehicle3D], of which it is a child: where its suspension is fixed, down is its -Y and ahead its -Z.
##
## The vehicle moves this node to where its wheel is, turned and steered: put the mesh below it.

@export var radius := 0.3
@export var width := 0.2
## Of the suspension, to the middle of the wheel [m].
@export var shortest := 0.1
@export var longest := 0.4
## [N/m]
@export var stiffness := 40000.0
## [N s/m]
@export var damping := 3000.0
## At full lock; 0 for wheels that are not steered.
@export_range(0.0, 80.0, 0.1, "radians_as_degrees") var most_steering := 0.0
@export var is_driven := false
## Torques of the brakes [N m].
@export var most_brake := 1500.0
@export var most_hand_brake := 0.0
## What finds the ground: a ray, or the shape of a ball or of the wheel itself.
@export_enum("ray", "sphere", "cylinder") var cast := "ray"

var _fixed: Transform3D


## What the core is told. Called by the vehicle.
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
