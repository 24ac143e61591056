extends "res://gd/physics_test.gd"
## Vehicles and pulleys of Scree's own: ScreeVehicle3D, and the calls that GDScript may make itself.

const VEHICLE := "res://addons/scree/nodes/scree_vehicle_3d.gd"
const WHEEL := "res://addons/scree/nodes/scree_wheel_3d.gd"
## Wheel and spring, less what a quarter of the weight presses out of it: 1,200 kg * 9.8 m/s^2 / 4 / 40,000 N/m = 7.35 cm [m].
const STANDS := 0.3 + 0.4 - 0.0735


## A car of 1,200 kg on a floor: front wheels steered, rear wheels driven.
func _car() -> RigidBody3D:
	_floor()
	var car: RigidBody3D = load(VEHICLE).new()
	car.mass = 1200.0
	for z: float in [-1.3, 1.3]:
		for x: float in [-0.8, 0.8]:
			var wheel: Node3D = load(WHEEL).new()
			wheel.position = Vector3(x, 0, z)
			wheel.set("most_steering", 0.5 if z < 0.0 else 0.0)
			wheel.set("is_driven", z > 0.0)
			wheel.set("most_hand_brake", 4000.0 if z > 0.0 else 0.0)
			car.add_child(wheel)
	put(car, box(Vector3(1.6, 0.5, 3.6)), Vector3(0, 0.9, 0))
	return car


func _floor() -> void:
	fixed(box(Vector3(400, 2, 400)), Vector3(0, -1, 0), {"physics_material_override": surface(0.9)})


func test_a_car_stands_on_its_springs() -> void:
	if lacks("vehicle_create"):
		return
	var car := _car()
	await steps(180)
	var state: Dictionary = car.call("state")
	check_equal(state["wheels_on_ground"], 4, "wheels on the ground")
	check_near(state["speed"], 0.0, 0.01, "speed")
	check_near(car.position.y, STANDS, 0.005, "height")
	var wheel: Node3D = car.get_child(0)
	check_near(wheel.global_position.y, 0.3, 0.005, "a wheel's node is where its wheel is")


func test_a_car_drives_ahead_shifts_and_brakes() -> void:
	if lacks("vehicle_create"):
		return
	var car := _car()
	await steps(60)
	car.set("throttle", 1.0)
	await steps(360)
	var state: Dictionary = car.call("state")
	check(state["speed"] > 12.0 and car.position.z < -20.0, "it drives ahead, -Z: %s, %s" % [state, car.position])
	check(state["gear"] >= 2, "it has shifted")
	check_near(car.position.x, 0.0, 0.3, "straight")
	car.set("throttle", 0.0)
	car.set("brake", 1.0)
	await steps(300)
	check_near(car.call("state")["speed"], 0.0, 0.05, "it stands")


func test_a_car_steers_to_the_right() -> void:
	if lacks("vehicle_create"):
		return
	var car := _car()
	await steps(60)
	car.set("throttle", 0.4)
	car.set("steering", 0.5)
	await steps(240)
	check(car.position.x > 2.0, "+X is on its right: %s" % car.position)
	check_near(car.basis.y, Vector3.UP, 0.1, "upright")
	var ahead: Vector3 = car.get_child(0).basis * Vector3.RIGHT  # the axle; it does not roll
	check(ahead.z > 0.1, "the axle of a front wheel is turned to the right: %s" % ahead)


func test_what_a_car_is_made_of_is_checked_and_it_goes_with_its_space() -> void:
	if lacks("vehicle_create"):
		return
	var car := _car()
	await steps(2)
	car.call("clear")
	check(car.call("state").is_empty(), "without wheels")
	await steps(60)
	check_near(car.position.y, 0.25, 0.02, "it lies on its belly")
	check_equal(car.get_child(0).position, Vector3(-0.8, 0, -1.3), "a wheel's node is back where it was put")
	car.position = Vector3(0, 0.9, 0)
	check(car.call("rebuild"), "with wheels again")
	await steps(180)
	check_near(car.position.y, STANDS, 0.005, "it stands on them")
	remove_child(car)
	add_child(car)
	await steps(60)
	check_near(car.position.y, STANDS, 0.005, "it stands where it came back")
	car.free()
	await steps(2)


## The lighter one is drawn up; the rope stays as long as it was.
func test_a_pulley() -> void:
	if lacks("vehicle_create"):
		return
	var heavy := rigid(sphere(), Vector3(-2, 3, 0), {"mass": 2.0})
	var light := rigid(sphere(), Vector3(2, 3, 0), {"mass": 1.0})
	await steps()
	var fixed_a := Vector3(-2, 10, 0)
	var fixed_b := Vector3(2, 10, 0)
	var before := heavy.position.distance_to(fixed_a) + light.position.distance_to(fixed_b)
	var pulley: int = PhysicsServer3D.call("pulley_create", heavy.get_rid(), light.get_rid(), Vector3.ZERO, Vector3.ZERO, fixed_a,
		fixed_b, 1.0)
	check(pulley >= 0, "there")
	await steps(30)
	check(heavy.position.y < 2.8 and light.position.y > 3.2, "one down, one up")
	var after := heavy.position.distance_to(fixed_a) + light.position.distance_to(fixed_b)
	check_near(after, before, 0.02, "length of the rope")
	# Atwood's machine: T = 2 m1 m2 g / (m1 + m2).
	check_near(PhysicsServer3D.call("pulley_state", pulley)["tension"], 2.0 * 2.0 * 1.0 * GRAVITY / 3.0, 0.5, "tension")
	PhysicsServer3D.call("pulley_remove", pulley)
	var speed := light.linear_velocity.y
	await steps(10)
	check(light.linear_velocity.y < speed - 1.0, "it falls")


## By the calls alone, as docs/vehicles.md says.
func test_a_tank_drives_ahead() -> void:
	if lacks("vehicle_create"):
		return
	_floor()
	var body := rigid(box(Vector3(1.8, 0.5, 3)), Vector3(0, 1, 0), {"mass": 3000.0})
	await steps()
	var wheels := {0: {"position": Vector3(-1, 0, -1)}, 1: {"position": Vector3(-1, 0, 1)}, 2: {"position": Vector3(1, 0, -1)},
		3: {"position": Vector3(1, 0, 1)}}
	var tracks := {0: {"wheels": PackedFloat32Array([0, 1])}, 1: {"wheels": PackedFloat32Array([2, 3])}}
	var tank: int = PhysicsServer3D.call("vehicle_create", body.get_rid(),
		{"wheels": wheels, "tracks": tracks, "engine": {"most_torque": 3000.0}})
	await steps(60)
	check_equal(PhysicsServer3D.call("vehicle_state", tank)["wheels_on_ground"], 4, "wheels on the ground")
	PhysicsServer3D.call("vehicle_drive", tank, 1.0, 0.0, 0.0, 0.0)
	await steps(180)
	check(body.position.z < -2.0, "it drives ahead: %s" % body.position)
	check_near(body.position.x, 0.0, 0.2, "straight")
	body.free()
	await steps(5)
	check_equal(PhysicsServer3D.call("vehicle_wheels", tank).size(), 4, "the handle stays until it is given back")
	PhysicsServer3D.call("vehicle_remove", tank)
