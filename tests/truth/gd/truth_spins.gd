extends "res://truth/truth_scene.gd"
## Bodies that turn free: Euler's equations. What turns about no axis of symmetry tumbles, tops precess.

const FLIPPING := Vector3(1.0, 2.0, 3.0)
const TOP := Vector3(1.0, 1.9, 1.0)
## Kept energy and momentum of free bodies may be off by so much [%].
const KEPT := 0.1


func _thrown(inertia: Vector3, spin: Vector3, turned: Basis = Basis.IDENTITY) -> RigidBody3D:
	var properties := {"inertia": inertia, "angular_velocity": turned * spin, "can_sleep": false}
	return floating(box(), Transform3D(turned, Vector3.ZERO), properties)


## Turns about the middle axis, a little off it: how often it is upside down, by Euler's equations in small steps.
func rows_middle_axis() -> void:
	var begin := Vector3(0.01, 5.0, 0.0)
	var body := _thrown(FLIPPING, begin)
	var energy := kinetic_energy(body)
	var momentum := angular_momentum(body)
	var flips := 0
	var up := 1.0
	var worst := {"energy": 0.0, "momentum": 0.0, "way": 0.0}
	for tick: int in 3600:
		await steps()
		var along := (body.basis.inverse() * body.angular_velocity).y
		if along * up < -2.5:
			flips += 1
			up = -up
		worst["energy"] = maxf(worst["energy"], absf(kinetic_energy(body) / energy - 1.0))
		worst["momentum"] = maxf(worst["momentum"], absf(angular_momentum(body).length() / momentum.length() - 1.0))
		worst["way"] = maxf(worst["way"], angular_momentum(body).angle_to(momentum))
	formula("turned about its middle axis at 5 rad/s: flips in 60 s", "", flips, _flips(begin, 60.0), 0.5)
	_kept("turned about its middle axis", worst)
	body.free()


func _kept(words: String, worst: Dictionary) -> void:
	formula("%s: energy off by at most, in 60 s" % words, "%", 100.0 * worst["energy"], 0.0, KEPT)
	formula("%s: angular momentum off by at most, in 60 s" % words, "%", 100.0 * worst["momentum"], 0.0, KEPT)
	formula("%s: angular momentum turns by at most, in 60 s" % words, "deg", rad_to_deg(worst["way"]), 0.0, 0.1)


## How often Euler's equations turn the spin about Y round in `seconds` (Runge and Kutta's fourth order, in doubles).
func _flips(begin: Vector3, seconds: float) -> int:
	var w := PackedFloat64Array([begin.x, begin.y, begin.z])
	var step := 0.001
	var flips := 0
	var up := 1.0
	for number: int in roundi(seconds / step):
		var a := _euler(w)
		var b := _euler(_moved(w, a, step / 2.0))
		var c := _euler(_moved(w, b, step / 2.0))
		var d := _euler(_moved(w, c, step))
		for axis: int in 3:
			w[axis] += (a[axis] + 2.0 * b[axis] + 2.0 * c[axis] + d[axis]) * step / 6.0
		if w[1] * up < -2.5:
			flips += 1
			up = -up
	return flips


func _moved(w: PackedFloat64Array, change: PackedFloat64Array, by: float) -> PackedFloat64Array:
	return PackedFloat64Array([w[0] + change[0] * by, w[1] + change[1] * by, w[2] + change[2] * by])


func _euler(w: PackedFloat64Array) -> PackedFloat64Array:
	return PackedFloat64Array([
		(FLIPPING.y - FLIPPING.z) / FLIPPING.x * w[1] * w[2],
		(FLIPPING.z - FLIPPING.x) / FLIPPING.y * w[2] * w[0],
		(FLIPPING.x - FLIPPING.y) / FLIPPING.z * w[0] * w[1]])


## The axis of a free top goes round its angular momentum at L / I.
func rows_free_top() -> void:
	var body := _thrown(TOP, Vector3(1, 8, 0))
	var momentum := angular_momentum(body)
	var energy := kinetic_energy(body)
	var turned := 0.0
	var worst := {"energy": 0.0, "momentum": 0.0, "way": 0.0}
	var before := body.basis.y.slide(momentum.normalized())
	for tick: int in 3600:
		await steps()
		var now := body.basis.y.slide(momentum.normalized())
		if tick < 600:
			turned += before.signed_angle_to(now, momentum)
		before = now
		worst["energy"] = maxf(worst["energy"], absf(kinetic_energy(body) / energy - 1.0))
		worst["momentum"] = maxf(worst["momentum"], absf(angular_momentum(body).length() / momentum.length() - 1.0))
		worst["way"] = maxf(worst["way"], angular_momentum(body).angle_to(momentum))
	formula("free top: precession L / I", "rad/s", turned / 10.0, momentum.length() / TOP.x)
	_kept("free top", worst)
	body.free()


## On a point, started so that it precesses without nodding: I' cos(a) W^2 - I3 w W + m g l = 0.
func rows_heavy_top() -> void:
	var lean := deg_to_rad(30.0)
	var arm := 0.5
	var moments := Vector3(0.05, 0.1, 0.05)
	var spin := 40.0
	var about_point := moments.x + arm * arm
	var half := moments.y * spin / (2.0 * about_point * cos(lean))
	var precession := half - sqrt(half * half - GRAVITY * arm / (about_point * cos(lean)))
	var turned := Basis(Vector3.BACK, lean)
	var axis := turned.y
	var turning := (Vector3.UP - cos(lean) * axis) * precession + axis * spin
	var body := rigid(sphere(0.1), Transform3D(turned, axis * arm), {"inertia": moments, "can_sleep": false,
		"angular_velocity": turning, "linear_velocity": turning.cross(axis * arm)})
	var pin := PinJoint3D.new()
	add_child(pin)
	pin.node_a = pin.get_path_to(body)
	var went := 0.0
	var before := Vector2(axis.x, axis.z)
	var nods := 0.0
	for tick: int in 1200:
		await steps()
		var now := Vector2(body.basis.y.x, body.basis.y.z)
		went += -before.angle_to(now)
		before = now
		nods = maxf(nods, absf(rad_to_deg(body.basis.y.angle_to(Vector3.UP)) - 30.0))
	formula("heavy top: spin about its axis after 20 s", "rad/s", body.angular_velocity.dot(body.basis.y), spin)
	formula("heavy top: precession", "rad/s", went / 20.0, precession)
	formula("heavy top: nods by at most", "deg", nods, 0.0, 0.5)
	body.free()
	pin.free()


## About a main axis nothing changes.
func rows_steady_spin() -> void:
	for axis: int in [0, 2]:
		var spin := Vector3.ZERO
		spin[axis] = 6.0
		var body := _thrown(FLIPPING, spin, Basis(Vector3(1, 2, 3).normalized(), 0.7))
		var begin := body.angular_velocity
		await steps(1200)
		formula("turned about its %s axis: spin changes in 20 s by" % ("least" if axis == 0 else "greatest"), "rad/s",
			(body.angular_velocity - begin).length(), 0.0, 0.006)
		body.free()
