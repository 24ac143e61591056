extends "res://truth/truth_scene.gd"
## Joints do no work: what hangs or flies on them keeps its energy, and in space its momentum.

const SECONDS := 60
const SIZE := Vector3(0.8, 0.2, 0.6)
## From a body's centre to its joint [m].
const ARM := Vector3(0.2, 0.4, 0.1)


## A joint of a kind, without limits, about or along its first free axis. The frame is the world's.
func _joint(kind: String) -> Joint3D:
	match kind:
		"pin": return PinJoint3D.new()
		"hinge": return HingeJoint3D.new() # about Z
		"slider": # along X
			var slider := SliderJoint3D.new()
			slider.set_param(SliderJoint3D.PARAM_LINEAR_LIMIT_LOWER, 1.0)
			slider.set_param(SliderJoint3D.PARAM_LINEAR_LIMIT_UPPER, -1.0)
			return slider
		"cone twist":
			var cone := ConeTwistJoint3D.new()
			cone.set_param(ConeTwistJoint3D.PARAM_SWING_SPAN, -1.0)
			cone.set_param(ConeTwistJoint3D.PARAM_TWIST_SPAN, -1.0)
			return cone
	var joint := Generic6DOFJoint3D.new()
	joint.set_flag_x(Generic6DOFJoint3D.FLAG_ENABLE_ANGULAR_LIMIT, false)
	joint.set_flag_y(Generic6DOFJoint3D.FLAG_ENABLE_ANGULAR_LIMIT, false)
	joint.set_flag_z(Generic6DOFJoint3D.FLAG_ENABLE_ANGULAR_LIMIT, false)
	return joint


func _join(joint: Joint3D, at: Vector3, a: Node3D, b: Node3D = null) -> void:
	joint.position = at
	add_child(joint)
	joint.node_a = joint.get_path_to(a)
	if b != null:
		joint.node_b = joint.get_path_to(b)


func _kept_for_a_minute(words: String, energy: Callable, spread: Callable = Callable()) -> void:
	await steps()
	var begin: float = energy.call()
	var most := begin
	var widest := 0.0
	for tick: int in SECONDS * 60:
		await steps()
		most = maxf(most, energy.call())
		if spread.is_valid():
			widest = maxf(widest, spread.call())
	formula("%s: energy after 60 s" % words, "%", 100.0 * energy.call() / begin, 100.0)
	formula("%s: most energy" % words, "%", 100.0 * most / begin, 100.0)
	if spread.is_valid():
		formula("%s: opens by" % words, "m", widest, 0.0, 0.01)


## A disc on a joint beside its middle, with gravity and without: energy with that of its height over the lowest place.
func rows_wheel_off_centre() -> void:
	for weight: float in [1.0, 0.0]:
		for at: Vector3 in [Vector3(0.3, 0, 0), Vector3(0.1, 0, 0.3)]:
			for spin: Vector3 in [Vector3(0, 0, 10), Vector3(0, 5, 8)]:
				await _wheel("pin", at, spin, weight)
		await _wheel("hinge", Vector3(0.3, 0, 0), Vector3(0, 0, 10), weight)


func _wheel(kind: String, at: Vector3, spin: Vector3, weight: float) -> void:
	var wheel := RigidBody3D.new()
	wheel.add_child(collision_shape(cylinder(0.5, 0.2), Transform3D(Basis(Vector3.RIGHT, PI / 2.0), Vector3.ZERO)))
	wheel.inertia = Vector3(0.0658, 0.0658, 0.125)
	wheel.linear_damp_mode = RigidBody3D.DAMP_MODE_REPLACE
	wheel.angular_damp_mode = RigidBody3D.DAMP_MODE_REPLACE
	wheel.can_sleep = false
	wheel.gravity_scale = weight
	wheel.angular_velocity = spin
	wheel.linear_velocity = spin.cross(-at)
	add_child(wheel)
	_join(_joint(kind), at, wheel)
	var words := "wheel on a %s at (%.1f, 0, %.1f), spun (0, %.0f, %.0f), %s" % [kind, at.x, at.z, spin.y, spin.z,
		"swings" if weight > 0.0 else "in space"]
	await _kept_for_a_minute(words,
		func() -> float: return kinetic_energy(wheel) + weight * GRAVITY * (wheel.position.y + at.length()),
		func() -> float: return (wheel.transform * at).distance_to(at))
	for child: Node in get_children():
		child.free()


## Without gravity: the joint is all that acts, and it acts on both.
func rows_two_boxes_in_space() -> void:
	for kind: String in ["pin", "hinge", "slider", "cone twist", "6DOF"]:
		var spins := {"a": Vector3(1, 3, 4), "b": Vector3(-2, 2, 1)}
		if kind == "hinge":
			spins["b"] = Vector3(1, 3, -2)
		elif kind == "slider":
			spins = {"a": Vector3(1, 0.2, 0.3), "b": Vector3(1, 0.2, 0.3)}
		var boxes: Array[RigidBody3D] = []
		for side: String in spins:
			var at := ARM if side == "b" else -ARM
			boxes.append(floating(box(SIZE), at, {"inertia": box_inertia(SIZE), "can_sleep": false,
				"angular_velocity": spins[side], "linear_velocity": spins[side].cross(at)}))
		_join(_joint(kind), Vector3.ZERO, boxes[0], boxes[1])
		await steps()
		var momentum := func() -> Vector3: return angular_momentum(boxes[0]) + angular_momentum(boxes[1])
		var turning: Vector3 = momentum.call()
		var moving := boxes[0].linear_velocity + boxes[1].linear_velocity
		var words := "two boxes in space on a %s" % kind
		await _kept_for_a_minute(words, func() -> float: return kinetic_energy(boxes[0]) + kinetic_energy(boxes[1]))
		var lost: Vector3 = momentum.call() - turning
		formula("%s: angular momentum off" % words, "%", 100.0 * lost.length() / turning.length(), 0.0, 1.0)
		formula("%s: momentum off" % words, "m/s", (boxes[0].linear_velocity + boxes[1].linear_velocity - moving).length(),
			0.0, 0.01)
		for child: Node in get_children():
			child.free()


## Swung by gravity on a joint to the world. The energy is that of its motion and of its height over the lowest place.
func rows_box_hung_on_the_world() -> void:
	for kind: String in ["pin", "hinge", "cone twist", "6DOF"]:
		var hung := rigid(box(SIZE), Vector3(1, 0, 0), {"inertia": box_inertia(SIZE), "can_sleep": false})
		_join(_joint(kind), Vector3.ZERO, hung)
		await _kept_for_a_minute("box let go level, 1 m from a %s" % kind,
			func() -> float: return kinetic_energy(hung) + GRAVITY * (hung.position.y + 1.0),
			func() -> float: return absf(hung.position.length() - 1.0))
		for child: Node in get_children():
			child.free()


## Three links thrown about: what is chaotic keeps its energy, too.
func rows_triple_pendulum() -> void:
	var links: Array[RigidBody3D] = []
	for number: int in 3:
		var link := rigid(box(Vector3(0.9, 0.1, 0.1)), Vector3(0.5 + number, 0, 0),
			{"inertia": box_inertia(Vector3(0.9, 0.1, 0.1)), "can_sleep": false, "collision_layer": 0, "collision_mask": 0})
		links.append(link)
		_join(_joint("pin"), Vector3(number, 0, 0), link, links[-2] if number > 0 else null)
	await _kept_for_a_minute("three links on pins, let go level", func() -> float:
		return links.reduce(func(sum: float, link: RigidBody3D) -> float:
			return sum + kinetic_energy(link) + GRAVITY * (link.position.y + 3.0), 0.0))


## A pendulum as long as it is: the period of a body about a pin, for small and for wide swings.
func rows_pendulum_period() -> void:
	for degrees: float in [5.0, 90.0]:
		var turned := Basis(Vector3.BACK, deg_to_rad(degrees))
		var ball := rigid(sphere(0.1), Transform3D(turned, turned * Vector3.DOWN), {"inertia": Vector3.ONE * 0.004, "can_sleep": false})
		_join(_joint("pin"), Vector3.ZERO, ball)
		var crossings := PackedFloat64Array()
		var before := ball.position.x
		for tick: int in 1200:
			await steps()
			if before < 0.0 and ball.position.x >= 0.0:
				crossings.append(tick - ball.position.x / (ball.position.x - before))
			before = ball.position.x
		var period := (crossings[-1] - crossings[0]) / (crossings.size() - 1) * TICK if crossings.size() > 1 else NAN
		# The mean of 1 and cos(a/2), the arithmetic-geometric one, is what a wide swing's period is divided by.
		var mean := Vector2(1.0, cos(deg_to_rad(degrees) / 2.0))
		for step: int in 6:
			mean = Vector2((mean.x + mean.y) / 2.0, sqrt(mean.x * mean.y))
		formula("pendulum of 1 m let go at %.0f degrees: period" % degrees, "s", period, TAU * sqrt(1.004 / GRAVITY) / mean.x)
		for child: Node in get_children():
			child.free()
