extends "res://truth/truth_scene.gd"
## Blows and motion that bodies pass on to each other: one ball to two, dominoes at few ticks a second, a ship's deck to a crate on it.

## [m/s^2]
const STRENGTH := 10.0


## Elastic, smooth and symmetric. Energy and momentum give both balls 0.693 m/s, and the first goes back at 0.2 m/s.
func rows_one_ball_hits_two() -> void:
	for gap: float in [0.0, 0.001]:
		set_gravity(0.0)
		var radius := 0.03
		var smooth := {"physics_material_override": surface(0.0, 1.0)}
		var left := rigid(sphere(radius), Vector3(0, 0, radius * (1.0 + gap)), smooth)
		var right := rigid(sphere(radius), Vector3(0, 0, -radius * (1.0 + gap)), smooth)
		var cue := rigid(sphere(radius), Vector3(-0.3, 0, 0), smooth.merged({"linear_velocity": Vector3(1, 0, 0)}))
		await steps(60)
		var words := "elastic ball at 1 m/s between two that %s" % ("touch" if gap == 0.0 else "are 0.06 mm apart")
		formula("%s: their speeds differ by" % words, "m/s", absf(left.linear_velocity.x - right.linear_velocity.x), 0.0, 0.02)
		formula("%s: goes sideways at" % words, "m/s", absf(cue.linear_velocity.z), 0.0, 0.02)
		formula("%s: goes on along its way at" % words, "m/s", cue.linear_velocity.x, -0.2, 0.02)
		for child: Node in get_children():
			child.free()


## Stones of 4 cm fall in some 20 ms: the wave passes a stone in less than a tick. It should be as fast as at 240 ticks a second.
func rows_small_dominoes() -> void:
	var fine := await _wave(0.02, 240)
	for rate: int in [20, 30]:
		var coarse := await _wave(0.02, rate)
		formula("dominoes of 4 cm: speed of their wave at %d ticks/s over that at 240" % rate, "", coarse / fine, 1.0, 0.1)
	formula("dominoes of 4 cm: all of 30 fall at 240 ticks/s", "", 1.0 if is_finite(fine) else 0.0, 1.0, 0.0)


## Speed of the wave over sqrt(g h); not a number where it does not reach the end in 6 s.
func _wave(half: float, rate: int) -> float:
	set_gravity(STRENGTH)
	Engine.physics_ticks_per_second = rate
	await steps(2)
	fixed(plane(), Vector3.ZERO, {"physics_material_override": surface(0.5)})
	var stones: Array[RigidBody3D] = []
	for number: int in 30:
		stones.append(rigid(box(Vector3(0.3, 2.0, 1.0) * half), Vector3(0.8 * half * number, half, 0),
			{"can_sleep": false, "physics_material_override": surface(0.3)}))
	await steps()
	stones[0].angular_velocity = Vector3.FORWARD * sqrt(10.0 / half)
	var times: Dictionary[int, float] = {}
	for tick: int in 6 * rate:
		await steps()
		for number: int in [8, 28]:
			if not times.has(number) and rad_to_deg(stones[number].basis.y.angle_to(Vector3.UP)) > 5.0:
				times[number] = tick / float(rate)
	Engine.physics_ticks_per_second = 60
	for child: Node in get_children():
		child.free()
	await steps(2)
	return 20.0 * 0.8 * half / (times[28] - times[8]) / sqrt(STRENGTH * half) if times.size() == 2 else NAN


## A deck that rolls by 12 degrees, and a crate 3 m from its axis. Friction 0.8 holds on 38 degrees.
func rows_crate_on_a_ship() -> void:
	set_gravity(STRENGTH)
	var deck := kinematic(box(Vector3(20, 0.2, 20)), Vector3.ZERO, {"physics_material_override": surface(0.8)})
	var crate := rigid(box(), Vector3(3, 0.6, 0), {"can_sleep": false, "physics_material_override": surface(0.8)})
	for tick: int in 1500:
		var time := (tick + 1) * TICK
		var ease := minf(1.0, time / 3.0)
		var angle := deg_to_rad(12.0) * sin(time) * ease * ease * (3.0 - 2.0 * ease)
		deck.transform = Transform3D(Basis(Vector3.BACK, angle), Vector3.ZERO)
		await steps()
	var place := deck.transform.inverse() * crate.position
	formula("crate on a deck that rolls by 12 degrees, 25 s: slides by", "mm", 1000.0 * Vector2(place.x - 3.0, place.z).length(),
		0.0, 3.0)
