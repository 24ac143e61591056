extends "res://truth/truth_scene.gd"
## Games in which a script does anything to bodies of 0.1 to 200 kg at any time: nothing may leave much faster than it was thrown.

const GAMES := 12
const TICKS := 400
const EDITS_A_TICK := 3
const MOST_BODIES := 40
const LOWEST := -20.0 ## What fell farther from the floor does not count [m].

var _random := RandomNumberGenerator.new()
var _bodies: Array[PhysicsBody3D] = []
var _joined := {}


func rows_of_games_without_joints() -> void:
	await _play("without joints", null)


func rows_of_games_with_joints() -> void:
	var kinds := {"pins": PinJoint3D, "hinges": HingeJoint3D, "sliders": SliderJoint3D, "cone twists": ConeTwistJoint3D,
		"6DOF joints": Generic6DOFJoint3D}
	for words: String in kinds:
		await _play("with " + words, kinds[words])


func _play(words: String, joint: Variant) -> void:
	var speeds: Array[float] = []
	for game: int in GAMES:
		_random.seed = game
		speeds.append(await _fastest_of_a_game(joint))
	speeds.sort()
	least("%d random games %s: greatest speed, median" % [GAMES, words], "m/s", (speeds[GAMES / 2 - 1] + speeds[GAMES / 2]) / 2.0, 10.0, 1.25)
	least("%d random games %s: greatest speed of all" % [GAMES, words], "m/s", speeds[-1], 10.0, 1.25)


func _fastest_of_a_game(joint: Variant) -> float:
	_bodies.clear()
	_joined.clear()
	fixed(box(Vector3(20, 1, 20)), Vector3(0, -0.5, 0))
	for number: int in 20:
		_add_body()
	var fastest := 0.0
	for tick: int in TICKS:
		for number: int in EDITS_A_TICK:
			_edit(joint)
		await steps()
		for body: PhysicsBody3D in _bodies:
			if body is RigidBody3D and not body.freeze and body.position.y > LOWEST:
				var speed: float = body.linear_velocity.length()
				fastest = maxf(fastest, speed if is_finite(speed) else INF)
	for child: Node in get_children():
		child.free()
	await steps(2)
	return fastest


func _vector(most: float) -> Vector3:
	return Vector3(_random.randf_range(-most, most), _random.randf_range(-most, most), _random.randf_range(-most, most))


func _shape() -> Shape3D:
	match _random.randi() % 5:
		0: return box(Vector3.ONE * _random.randf_range(0.3, 1.2))
		1: return sphere(_random.randf_range(0.2, 0.6))
		2: return capsule()
		3: return cylinder(0.5, _random.randf_range(0.3, 1.0))
	var points := PackedVector3Array()
	for number: int in 7:
		points.append(_vector(0.6))
	return hull(points)


func _place() -> Vector3:
	return _vector(4.0) + Vector3(0, 4, 0)


func _add_body() -> void:
	var kind := _random.randi() % 10
	var body: PhysicsBody3D = RigidBody3D.new()
	if kind >= 7:
		body = [AnimatableBody3D, CharacterBody3D, StaticBody3D][kind - 7].new()
	else:
		body.mass = [0.1, 1.0, 10.0, 200.0][_random.randi() % 4]
	for number: int in 1 + _random.randi() % 3:
		var part := collision_shape(_shape(), Transform3D(Basis.from_euler(_vector(1.0)), _vector(0.4) * number))
		body.add_child(part)
	body.position = _place()
	add_child(body)
	_bodies.append(body)


## One edit of a body that is chosen at random. `joint`: a class of joints, or null.
func _edit(joint: Variant) -> void:
	var index := _random.randi() % _bodies.size()
	var body := _bodies[index]
	var rigid_body := body as RigidBody3D
	var choice := _random.randi() % 14
	if choice < 2 and _bodies.size() < MOST_BODIES:
		_add_body()
	elif choice == 2 and _bodies.size() > 25:
		_bodies.remove_at(index)
		body.free()
	elif choice == 3:
		body.collision_mask = _random.randi() % 4
	elif choice == 4:
		body.collision_layer = 1 + _random.randi() % 3
	elif choice == 5:
		body.add_child(collision_shape(_shape()))
	elif choice == 6:
		var part: CollisionShape3D = body.get_child(0)
		part.disabled = not part.disabled
	elif choice == 7 and joint != null:
		_join(body, _bodies[_random.randi() % _bodies.size()], joint)
	elif rigid_body != null:
		_edit_rigid(rigid_body, choice)


func _edit_rigid(body: RigidBody3D, choice: int) -> void:
	match choice:
		8: body.position = _place()
		9: body.rotation = _vector(3.0)
		10: body.apply_impulse(_vector(3.0) * body.mass, _vector(0.5))
		11: body.freeze = not body.freeze
		12: body.axis_lock_linear_x = _random.randf() < 0.3
		13: body.linear_velocity = _vector(5.0)


## At most one joint for each pair of bodies, half-way between them.
func _join(a: PhysicsBody3D, b: PhysicsBody3D, kind: Variant) -> void:
	var pair := [mini(a.get_instance_id(), b.get_instance_id()), maxi(a.get_instance_id(), b.get_instance_id())]
	if a == b or pair in _joined:
		return
	_joined[pair] = true
	var joint: Joint3D = kind.new()
	joint.position = (a.position + b.position) / 2.0
	add_child(joint)
	joint.node_a = a.get_path()
	joint.node_b = b.get_path()
