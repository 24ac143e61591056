extends "res://scripts/played_scene.gd"
## A truck (VehicleBody3D) draws a trailer on joints over bumps, takes a bend and stops; the trailer carries crates.
##
## It drives along +z. The trailer's axle lies under its centre of mass, so that at rest nothing weighs on the hitch.

const START := -100.0
const CHASSIS := Vector3(1.8, 0.8, 4.4)
## [kg]
const MASS := 1500.0
const WHEEL_RADIUS := 0.4
const WHEEL_BASE := 2.8
const TRACK := 1.7
## Where the springs hang, below the chassis' middle [m].
const SPRING_AT := -0.2
const SPRING_LENGTH := 0.3
## A spring's force is this, times its compression, times the mass of the chassis [1/s^2].
const STIFFNESS := 40.0
const TRAILER := Vector3(1.8, 0.3, 3.2)
const TRAILER_HEIGHT := 0.75
const TRAILER_BEHIND := 5.0
const HITCH_BEHIND := 2.9
const TRAILER_WHEEL := 0.35
const CRATE := 0.45
const BUMPS := 10
const BUMP_RADIUS := 1.0
const BUMP_HEIGHT := 0.12
## [m/s]
const CRUISE := 6.0
const STARTS_AT := 120
const PAST_THE_BUMPS := 1000
const BEND_BEGINS := 1140
const BEND_ENDS := 1380
## [rad]
const STEERING := 0.15
const BRAKES_AT := 1440

var _truck := VehicleBody3D.new()
var _trailer := RigidBody3D.new()
var _wheels: Array[RigidBody3D] = []
var _widest_gap := 0.0
var _widest_on_the_flat := 0.0
var _largest_tilt := 0.0
var _yaw := 0.0
var _stood_at := Vector3.ZERO


func build() -> void:
	bin = Bin.new(125.0, 1.0, 0.8)
	bin.has_walls = false
	_build_truck()
	_build_trailer()
	_build_cargo()
	for bump: int in BUMPS:
		_build_bump(Vector3(0.0 if bump < 4 else 1.5 * (1 if bump % 2 else -1), BUMP_HEIGHT - BUMP_RADIUS, START + 15.0 + 5.0 * bump),
				6.0 if bump < 4 else 3.0)


func tick(number: int) -> void:
	var driving := number >= STARTS_AT and number < BRAKES_AT
	var speed := _truck.linear_velocity.dot(_truck.basis.z)
	_truck.engine_force = clampf(2500.0 * (CRUISE - speed), 0.0, 2500.0) if driving else 0.0
	_truck.brake = 0.0 if driving else 10.0
	_truck.steering = STEERING if number >= BEND_BEGINS and number < BEND_ENDS else 0.0
	_widest_gap = maxf(_widest_gap, _gap())
	if number > PAST_THE_BUMPS:
		_widest_on_the_flat = maxf(_widest_on_the_flat, _gap())
	_largest_tilt = maxf(_largest_tilt, maxf(_truck.basis.y.angle_to(Vector3.UP), _trailer.basis.y.angle_to(Vector3.UP)))
	_judge(number)
	look(_truck.position + Vector3(0, 0.2, -2.0), _truck.position + Vector3(8.5, 4.5, 7.0))


func _judge(number: int) -> void:
	match number:
		STARTS_AT:
			expect_near("height of the chassis at rest [m]", _truck.position.y, _rest_height(), 0.01)
			expect_near("height of the trailer at rest [m]", _trailer.position.y, TRAILER_HEIGHT, 0.01)
			expect_near("it stands still: way [m]", _truck.position.z - START, 0.0, 0.05)
		BEND_BEGINS - 1:
			expect_near("speed on the flat [m/s]", _truck.linear_velocity.length(), CRUISE, 0.1 * CRUISE)
			expect_near("aside after the bumps [m]", _truck.position.x, 0.0, 2.0)
			expect_near("height on the flat [m]", _truck.position.y, _rest_height(), 0.03)
		BEND_BEGINS + 60:
			_yaw = _truck.rotation.y
		BEND_ENDS:
			# The wheels roll without slipping: speed / radius, the radius is the wheel base / tan(steering).
			var seconds := (BEND_ENDS - BEND_BEGINS - 60) * TICK
			var rate := _truck.linear_velocity.length() * tan(STEERING) / WHEEL_BASE
			expect_near("yaw rate in the bend [rad/s]", wrapf(_truck.rotation.y - _yaw, -PI, PI) / seconds, rate, 0.15 * rate)
		1739:
			_stood_at = _truck.position
		1799:
			expect_between("way in the last second [m]", _truck.position.distance_to(_stood_at), 0.0, 0.02)
			expect_near("height of the chassis at the end [m]", _truck.position.y, _rest_height(), 0.02)
			expect_near("height of the trailer at the end [m]", _trailer.position.y, TRAILER_HEIGHT, 0.02)
			expect_near("crates in the trailer", _crates_aboard(), body_count(), 0.0)
			# A wheel goes 10 cm in a tick; where a bump stops it, its joints must hold it all the same.
			expect_between("widest gap of a joint over the bumps [m]", _widest_gap, 0.0, 0.05)
			expect_between("widest gap of a joint after them [m]", _widest_on_the_flat, 0.0, 0.002)
			# It tips over at atan(half the track / height) = 0.95 rad.
			expect_between("largest tilt [rad]", _largest_tilt, 0.0, 0.5)


## The four springs carry the chassis: compression = g / (4 stiffness). Godot's ray begins a radius above the spring, and
## it takes the hit's part of that longer way as the part of (spring + radius).
static func _rest_height() -> float:
	var reach := WHEEL_RADIUS + SPRING_LENGTH
	var part := (reach - GRAVITY / (4.0 * STIFFNESS)) / reach
	return part * (reach + WHEEL_RADIUS) - WHEEL_RADIUS - SPRING_AT


static func _hitch_on_truck() -> Vector3:
	return Vector3(0, TRAILER_HEIGHT - _rest_height(), -HITCH_BEHIND)


static func _hitch_on_trailer() -> Vector3:
	return Vector3(0, 0, TRAILER_BEHIND - HITCH_BEHIND)


static func _axle_on_trailer(side: float) -> Vector3:
	return Vector3(side * (TRAILER.x / 2.0 + 0.15), TRAILER_WHEEL - TRAILER_HEIGHT, 0)


## The widest distance between what a joint holds together [m].
func _gap() -> float:
	var widest := (_truck.to_global(_hitch_on_truck()) - _trailer.to_global(_hitch_on_trailer())).length()
	for index: int in 2:
		widest = maxf(widest, (_trailer.to_global(_axle_on_trailer(2.0 * index - 1.0)) - _wheels[index].global_position).length())
	return widest


func _crates_aboard() -> int:
	var aboard := 0
	for index: int in bodies.size():
		var at := _trailer.to_local(bodies.transform_of(index).origin)
		aboard += int(absf(at.x) < TRAILER.x / 2.0 and absf(at.z) < TRAILER.z / 2.0 and at.y > 0.0 and at.y < 3.0)
	return aboard


func _build_truck() -> void:
	_truck.mass = MASS
	_truck.position = Vector3(0, _rest_height(), START)
	add_box(_truck, CHASSIS, Vector3.ZERO, TEAL)
	add_box(_truck, Vector3(1.7, 0.8, 1.4), Vector3(0, 0.8, 1.0), TEAL.lightened(0.2))
	# The cab is a shell: what counts is in the frame.
	_truck.center_of_mass_mode = RigidBody3D.CENTER_OF_MASS_MODE_CUSTOM
	for side: float in [-1.0, 1.0]:
		for end: float in [-1.0, 1.0]:
			_add_wheel(Vector3(side * TRACK / 2.0, SPRING_AT, end * WHEEL_BASE / 2.0), end > 0.0)
	add_child(_truck)


func _add_wheel(at: Vector3, steers: bool) -> void:
	var wheel := VehicleWheel3D.new()
	wheel.position = at
	wheel.wheel_radius = WHEEL_RADIUS
	wheel.wheel_rest_length = SPRING_LENGTH
	wheel.suspension_travel = 0.25
	wheel.suspension_stiffness = STIFFNESS
	wheel.suspension_max_force = 40000.0
	wheel.damping_compression = 0.3 * 2.0 * sqrt(STIFFNESS)
	wheel.damping_relaxation = 0.5 * 2.0 * sqrt(STIFFNESS)
	wheel.wheel_friction_slip = 3.0
	wheel.wheel_roll_influence = 0.3
	wheel.use_as_steering = steers
	wheel.use_as_traction = not steers
	if is_drawn():
		add_mesh(wheel, drum(WHEEL_RADIUS, 0.3), lying(), RUBBER)
	_truck.add_child(wheel)


func _build_trailer() -> void:
	_trailer.mass = 500.0
	_trailer.center_of_mass_mode = RigidBody3D.CENTER_OF_MASS_MODE_CUSTOM
	_trailer.position = Vector3(0, TRAILER_HEIGHT, START - TRAILER_BEHIND)
	add_box(_trailer, TRAILER, Vector3.ZERO, CORAL)
	for side: float in [-1.0, 1.0]:
		add_box(_trailer, Vector3(0.1, 0.9, TRAILER.z), Vector3(side * (TRAILER.x - 0.1) / 2.0, 0.6, 0), CORAL.lightened(0.2))
		add_box(_trailer, Vector3(TRAILER.x, 0.9, 0.1), Vector3(0, 0.6, side * (TRAILER.z - 0.1) / 2.0), CORAL.lightened(0.2))
	if is_drawn():
		var bar := BoxMesh.new()
		bar.size = Vector3(0.12, 0.12, TRAILER_BEHIND - HITCH_BEHIND)
		add_mesh(_trailer, bar, Transform3D(Basis.IDENTITY, _hitch_on_trailer() / 2.0), CORAL.darkened(0.3))
	add_child(_trailer)
	var hitch := PinJoint3D.new()
	hitch.position = _trailer.position + _hitch_on_trailer()
	_join(hitch, _truck, _trailer)
	for side: float in [-1.0, 1.0]:
		_add_trailer_wheel(_trailer.position + _axle_on_trailer(side))


func _add_trailer_wheel(at: Vector3) -> void:
	var wheel := RigidBody3D.new()
	wheel.mass = 25.0
	wheel.position = at
	var shape := CylinderShape3D.new()
	shape.radius = TRAILER_WHEEL
	shape.height = 0.25
	add_shape(wheel, shape, drum(TRAILER_WHEEL, 0.25), lying(), RUBBER)
	add_child(wheel)
	_wheels.append(wheel)
	var axle := HingeJoint3D.new()
	axle.transform = Transform3D(Basis(Vector3.UP, PI / 2.0), at)  # a hinge turns about its z
	_join(axle, _trailer, wheel)


func _join(joint: Joint3D, a: Node3D, b: Node3D) -> void:
	add_child(joint)
	joint.node_a = joint.get_path_to(a)
	joint.node_b = joint.get_path_to(b)


func _build_cargo() -> void:
	var form: BodyForm = BodyForm.box(Vector3.ONE * CRATE, WOOD)
	form.mass = 10.0
	var crate := bodies.add_form(form)
	for index: int in body_count():
		var cell := Vector3(index % 3 - 1.0, index / 6, (index / 3) % 2 - 0.5) * (CRATE + 0.04)
		var above := TRAILER_HEIGHT + (TRAILER.y + CRATE) / 2.0
		bodies.add(crate, Transform3D(Basis.IDENTITY, Vector3(cell.x, above + cell.y, START - TRAILER_BEHIND + cell.z)))


func _build_bump(at: Vector3, width: float) -> void:
	var bump := StaticBody3D.new()
	var shape := CylinderShape3D.new()
	shape.radius = BUMP_RADIUS
	shape.height = width
	add_shape(bump, shape, drum(BUMP_RADIUS, width), lying(), AMBER)
	bump.position = at
	add_child(bump)
