extends "res://truth/truth_scene.gd"
## Chains on pins with a heavy link, and chains on a floor; a pendulum that comes to rest.

## [m/s^2]
const STRENGTH := 10.0
const LINK := Vector3(0.4, 0.1, 0.1)
## Each capsule chain: x and z of its middle [m] and its direction [rad]; three chains above each other, two times.
const CHAINS: Dictionary[String, Array] = {
	"first heap": [Vector3(-0.026731, -0.060141, 0.556147), Vector3(0.030638, -0.008133, 6.202603),
		Vector3(0.070314, 0.067392, 0.323035)],
	"second heap": [Vector3(0.039547, -0.037237, 0.761118), Vector3(-0.035282, 0.086242, 4.959111),
		Vector3(-0.097996, -0.060213, 1.840754)],
}


func _pin(at: Vector3, a: Node3D, b: Node3D = null) -> void:
	var joint := PinJoint3D.new()
	joint.position = at
	add_child(joint)
	joint.node_a = joint.get_path_to(a)
	if b != null:
		joint.node_b = joint.get_path_to(b)


## Ten links along X, half a metre from pin to pin, hung at the origin. All are of 1 kg but one.
func _chain(heavy: int, mass: float, collide: bool) -> Array[RigidBody3D]:
	var links: Array[RigidBody3D] = []
	for number: int in 10:
		var weight := mass if number == heavy else 1.0
		var layer := 1 if collide else 0
		var link := rigid(box(LINK), Vector3(0.5 * number + 0.25, 0, 0), {"mass": weight, "inertia": box_inertia(LINK, weight),
			"can_sleep": false, "collision_layer": layer, "collision_mask": layer})
		links.append(link)
	for number: int in 9:
		_pin(Vector3(0.5 * (number + 1), 0, 0), links[number], links[number + 1])
	_pin(Vector3.ZERO, links[0])
	return links


## The widest gap of a pin between two links [m].
func _widest(links: Array[RigidBody3D]) -> float:
	var widest := 0.0
	for number: int in links.size() - 1:
		var end := links[number].transform * Vector3(0.25, 0, 0)
		widest = maxf(widest, end.distance_to(links[number + 1].transform * Vector3(-0.25, 0, 0)))
	return widest


func _energy(links: Array[RigidBody3D]) -> float:
	return links.reduce(func(sum: float, link: RigidBody3D) -> float:
		return sum + kinetic_energy(link) + STRENGTH * link.mass * link.position.y, 0.0)


## 100 kg at the top, and a whip of 1 kg links below. The links pass through each other. The energy lost is told as a part of what
## gravity gives until the chain hangs straight down.
func rows_heavy_first_link() -> void:
	set_gravity(STRENGTH)
	var links := _chain(0, 100.0, false)
	var reach := 0.0
	for link: RigidBody3D in links:
		reach += STRENGTH * link.mass * link.position.x
	var gap := 0.0
	var lost := 0.0
	var words := "chain of ten, the first of 100 kg, let go level"
	for tick: int in 300:
		await steps()
		gap = maxf(gap, _widest(links))
		lost = maxf(lost, -_energy(links) / reach)
		if tick == 239 or tick == 299:
			formula("%s: energy lost in %d s" % [words, (tick + 1) / 60], "%", 100.0 * lost, 0.0, 2.0)
	formula("%s: pins open by, in 5 s" % words, "m", gap, 0.0, 0.001)


## The tail is struck by the heavy link: links that no pin joins collide.
func rows_heavy_link_that_collides() -> void:
	for mass: float in [100.0, 1000.0]:
		set_gravity(STRENGTH)
		var words := "chain of ten that collide, the sixth of %.0f kg, let go level" % mass
		var links := _chain(5, mass, true)
		var gap := 0.0
		for tick: int in 240:
			await steps()
			gap = maxf(gap, _widest(links))
		formula("%s: pins open by, in 4 s" % words, "m", gap, 0.0, 0.02)
		for tick: int in 60:
			await steps()
			gap = maxf(gap, _widest(links))
		formula("%s: pins open by, in 5 s" % words, "m", gap, 0.0, 0.02)
		for child: Node in get_children():
			child.free()


## Half a metre long, let go a little beside its lowest place. It may sleep only where it would stay.
func rows_pendulum_falls_asleep() -> void:
	for reach: float in [0.014, 0.03]:
		set_gravity(STRENGTH)
		var ball := rigid(sphere(0.1), Vector3(reach, -sqrt(0.25 - reach * reach), 0))
		_pin(Vector3.ZERO, ball)
		await steps(600)
		formula("pendulum let go %.0f mm beside its lowest place: is asleep beside it by" % (1000.0 * reach), "mm",
			1000.0 * absf(ball.position.x) if ball.sleeping else 0.0, 0.0, 3.0)
		for child: Node in get_children():
			child.free()


## Whether contacts bear more than a hundredth of a body's weight.
func _presses(body: RigidBody3D) -> bool:
	var state := PhysicsServer3D.body_get_direct_state(body.get_rid())
	var impulse := 0.0
	for number: int in state.get_contact_count():
		impulse += state.get_contact_impulse(number).length()
	return impulse > 0.01 * body.mass * STRENGTH / Engine.physics_ticks_per_second


## Three chains of three capsules each, laid across each other.
func rows_chains_on_a_floor() -> void:
	for name: String in CHAINS:
		set_gravity(STRENGTH)
		fixed(plane(), Vector3.ZERO, {"physics_material_override": surface(0.6)})
		var bodies: Array[RigidBody3D] = []
		for level: int in 3:
			var chain: Vector3 = CHAINS[name][level]
			var along := Vector3(cos(chain.z), 0, sin(chain.z))
			var middle := Vector3(chain.x, 0.07 + 0.14 * level, chain.y)
			var turned := Basis(Vector3.UP.cross(along), PI / 2.0)
			for number: int in 3:
				bodies.append(rigid(capsule(0.06, 0.3), Transform3D(turned, middle + 0.3 * (number - 1) * along),
					{"physics_material_override": surface(0.6), "contact_monitor": true, "max_contacts_reported": 16}))
			for number: int in 2:
				_pin(middle + 0.3 * (number - 0.5) * along, bodies[3 * level + number], bodies[3 * level + number + 1])
		await steps(600)
		var fastest := 0.0
		for body: RigidBody3D in bodies:
			if _presses(body):  # one that pins carry in the air may spin on: they have no friction
				fastest = maxf(fastest, body.angular_velocity.length())
		formula("three short chains on a floor, %s: the fastest that presses on something turns after 10 s at" % name, "rad/s",
			fastest, 0.0, 0.1)
		for child: Node in get_children():
			child.free()
