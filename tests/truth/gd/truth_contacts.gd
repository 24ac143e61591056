extends "res://truth/truth_scene.gd"
## Reports of contacts: the velocity that bodies hit with, places on the surfaces, the impulse.


## Keeps what its contacts told.
class Listener extends RigidBody3D:
	## One row for each contact in each step: place on this body, on the other, normal, this body's velocity there, the other's, impulse.
	var told: Array[Dictionary] = []

	func _init() -> void:
		contact_monitor = true
		max_contacts_reported = 8
		can_sleep = false
		linear_damp_mode = RigidBody3D.DAMP_MODE_REPLACE
		angular_damp_mode = RigidBody3D.DAMP_MODE_REPLACE

	func _integrate_forces(state: PhysicsDirectBodyState3D) -> void:
		for number: int in state.get_contact_count():
			told.append({"tick": Engine.get_physics_frames(), "at": state.transform,
				"own": state.get_contact_local_position(number), "other": state.get_contact_collider_position(number),
				"normal": state.get_contact_local_normal(number),
				"velocity": state.get_contact_local_velocity_at_position(number),
				"other_velocity": state.get_contact_collider_velocity_at_position(number),
				"impulse": state.get_contact_impulse(number)})


func _hit(shape: Shape3D, at: Variant, velocity: Vector3, mass: float = 1.0) -> Listener:
	var body: Listener = put(Listener.new(), shape, at, {"gravity_scale": 0.0, "linear_velocity": velocity, "mass": mass})
	return body


## The reports of the first step of touch.
func _first(body: Listener) -> Array[Dictionary]:
	return body.told.filter(func(contact: Dictionary) -> bool: return contact["tick"] == body.told[0]["tick"])


## A body of each shape, 10 m/s down at a floor whose top is y = 0.
func rows_impact() -> void:
	var shapes: Dictionary[String, Shape3D] = {"ball": sphere(), "box": box(), "capsule": capsule(0.3, 1.0),
		"hull": frustum(8, 0.5, 0.45, 1.0)}
	for ground: String in ["box", "mesh", "plane"]:
		var floors: Dictionary[String, Shape3D] = {"box": box(Vector3(50, 2, 50)), "mesh": mesh_floor(20, 1.0), "plane": plane()}
		fixed(floors[ground], Vector3(0, -1.0 if ground == "box" else 0.0, 0))
		for name: String in shapes:
			var body := _hit(shapes[name], Vector3(0.3, 2.05, 0.2), Vector3(0, -10, 0))
			await steps(30)
			var words := "%s at 10 m/s on a %s floor" % [name, ground]
			if body.told.is_empty():
				formula("%s: tells contacts" % words, "", 0.0, 1.0)
			else:
				var first := _first(body)
				var fastest := 0.0
				for contact: Dictionary in first:
					fastest = maxf(fastest, -(contact["velocity"] - contact["other_velocity"]).dot(contact["normal"]))
				formula("%s: hits with" % words, "m/s", fastest, 10.0)
				var off := 0.0
				for contact: Dictionary in body.told:
					off = maxf(off, absf(contact["other"].y))
				least("%s: contact off the floor by" % words, "m", off, 0.001)
				var impulse := Vector3.ZERO
				for contact: Dictionary in first:
					impulse += contact["impulse"]
				formula("%s: impulse m v" % words, "N s", impulse.y, 10.0, 0.5)
			body.free()
		for child: Node in get_children():
			child.free()


## Contacts of a ball at rest: on its own surface, and on a slope's.
func rows_places() -> void:
	for degrees: float in [0.0, 20.0]:
		var tilt := Basis(Vector3.BACK, deg_to_rad(degrees))
		fixed(box(Vector3(50, 2, 50)), Transform3D(tilt, tilt * Vector3(0, -1, 0)))
		var body := _hit(box(), Transform3D(tilt, tilt * Vector3(0, 0.51, 0)), Vector3.ZERO)
		body.gravity_scale = 1.0
		await steps(60)
		var off := {"own": 0.0, "other": 0.0}
		var normal := 0.0
		for contact: Dictionary in body.told.slice(-4):
			off["other"] = maxf(off["other"], absf((contact["other"] * tilt).y))
			off["own"] = maxf(off["own"], absf((contact["own"] * contact["at"]).y + 0.5))
			normal = maxf(normal, rad_to_deg(contact["normal"].angle_to(tilt.y)))
		var words := "box at rest on %.0f degrees" % degrees
		formula("%s: its contacts off the floor by" % words, "m", off["other"], 0.0, 0.005)
		formula("%s: its contacts off itself by" % words, "m", off["own"], 0.0, 0.005)
		formula("%s: normals off by" % words, "deg", normal, 0.0, 0.5)
		for child: Node in get_children():
			child.free()


## A box held up: the impulses of a step are its weight's.
func rows_weight() -> void:
	floor_body()
	var body := _hit(box(), Vector3(0, 0.5, 0), Vector3.ZERO, 5.0)
	body.gravity_scale = 1.0
	await steps(120)
	var last: int = body.told[-1]["tick"] if not body.told.is_empty() else 0
	var impulse := Vector3.ZERO
	for contact: Dictionary in body.told:
		if contact["tick"] == last:
			impulse += contact["impulse"]
	formula("box of 5 kg at rest: impulses of a step", "N s", impulse.y, 5.0 * GRAVITY * TICK)


## A disc on its flat end: the floor brakes all of its surface, by 4 mu g / (3 r).
func rows_disc() -> void:
	for thickness: float in [0.1, 0.5]:
		var ground := floor_body({"physics_material_override": surface(0.5)})
		var disc := rigid(cylinder(0.5, thickness), Vector3.UP * thickness / 2.0,
			{"can_sleep": false, "physics_material_override": surface(0.5)})
		await steps(60)
		disc.angular_velocity = Vector3.UP * 10.0
		await steps(30)
		formula("disc of %s m, spun flat on the floor at 10 rad/s: after 0.5 s" % thickness, "rad/s", disc.angular_velocity.y,
			10.0 - 4.0 * 0.5 * GRAVITY * 0.5 / (3.0 * 0.5))
		disc.free()
		ground.free()
