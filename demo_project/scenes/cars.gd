extends "res://scripts/played_scene.gd"
## Cars with engines, gears and tyres (ScreeVehicle3D) start, go through a wall of crates, turn by the hand brake and stop; a winch of
## two pulleys lifts a crate meanwhile. Scree alone has such vehicles; on another engine the bodies lie about.

const VEHICLE := "res://addons/scree/nodes/scree_vehicle_3d.gd"
const WHEEL := "res://addons/scree/nodes/scree_wheel_3d.gd"

const CARS := 3
const LANE := 6.0
## [m]
const WHEEL_RADIUS := 0.34
const WHEEL_WIDTH := 0.22
const BODY := Vector3(1.7, 0.5, 3.8)
const TRACK := 0.8
const AXLE := 1.3
## Ticks.
const STARTS_AT := 60
const TURNS_AT := 330
const STOPS_AT := 450

var _cars: Array[RigidBody3D] = []
var _fastest := 0.0


func build() -> void:
	bin = Bin.new(120.0, 1.0, 0.8)
	bin.has_walls = false
	stage.target = Vector3(0, 1, -20)
	stage.eye = Vector3(26, 12, 16)
	for number: int in CARS:
		_add_car(number)
	var crate := bodies.add_form(BodyForm.box(Vector3.ONE * 0.6, WOOD))
	for index: int in body_count():
		bodies.add(crate, Transform3D(Basis.IDENTITY, Vector3(0.62 * (index % 9 - 4), 0.3 + 0.6 * (index / 9), -40.0)))
	_add_winch()


func tick(number: int) -> void:
	for lane: int in CARS:
		var car := _cars[lane]
		car.set("throttle", [1.0, 0.8, 0.6][lane] if number >= STARTS_AT and number < TURNS_AT else 0.0)
		car.set("steering", 0.6 if number >= TURNS_AT and number < STOPS_AT else 0.0)
		car.set("hand_brake", 1.0 if number >= TURNS_AT else 0.0)
		car.set("brake", 1.0 if number >= STOPS_AT else 0.0)
		_fastest = maxf(_fastest, car.linear_velocity.length())
	look(_cars[0].position.lerp(_cars[2].position, 0.5), _cars[0].position + Vector3(9, 5, 13))


func extra_figures() -> Dictionary:
	return {"fastest_car": _fastest, "farthest_car": -_cars[0].position.z}


func _add_car(number: int) -> void:
	var car: RigidBody3D = load(VEHICLE).new() if ResourceLoader.exists(VEHICLE) else RigidBody3D.new()
	car.mass = 1200.0
	car.center_of_mass_mode = RigidBody3D.CENTER_OF_MASS_MODE_CUSTOM
	car.center_of_mass = Vector3(0, -0.2, 0)
	var colour: Color = [CORAL, TEAL, AMBER][number]
	add_box(car, BODY, Vector3.ZERO, colour)
	add_box(car, Vector3(1.4, 0.5, 1.8), Vector3(0, 0.5, 0.3), colour.darkened(0.3))
	for end: float in [-1.0, 1.0]:
		for side: float in [-1.0, 1.0]:
			_add_wheel(car, Vector3(side * TRACK, 0.0, end * AXLE), end < 0.0)
	car.position = Vector3(LANE * (number - 1), 0.75, 0)
	add_child(car)
	_cars.append(car)


func _add_wheel(car: RigidBody3D, at: Vector3, is_front: bool) -> void:
	if not ResourceLoader.exists(WHEEL):
		return
	var wheel: Node3D = load(WHEEL).new()
	wheel.position = at
	wheel.set("radius", WHEEL_RADIUS)
	wheel.set("width", WHEEL_WIDTH)
	wheel.set("most_steering", 0.5 if is_front else 0.0)
	wheel.set("is_driven", not is_front)
	wheel.set("most_hand_brake", 0.0 if is_front else 4000.0)
	wheel.set("cast", "cylinder")
	if is_drawn():
		add_mesh(wheel, drum(WHEEL_RADIUS, WHEEL_WIDTH), lying(), RUBBER)
	car.add_child(wheel)


## A heavy crate goes down and draws a light one up.
func _add_winch() -> void:
	var ends: Array[RigidBody3D] = []
	for side: float in [-1.0, 1.0]:
		var body := RigidBody3D.new()
		body.mass = 30.0 if side < 0.0 else 20.0
		add_box(body, Vector3.ONE * 0.8, Vector3.ZERO, ROSE)
		body.position = Vector3(12.0 + side, 3.0, -10.0)
		add_child(body)
		ends.append(body)
	if PhysicsServer3D.has_method("pulley_create"):
		PhysicsServer3D.call("pulley_create", ends[0].get_rid(), ends[1].get_rid(), Vector3.UP * 0.4, Vector3.UP * 0.4,
			Vector3(11, 8, -10), Vector3(13, 8, -10), 1.0)
