extends "res://checks.gd"
## The node ScreeRope3D: what hangs on it, its curve, winches, cuts.

const Rope := preload("res://addons/scree/nodes/scree_rope_3d.gd")


func _initialize() -> void:
	print("class ", PhysicsServer3D.get_class())
	await process_frame
	await _loads()
	await _curve()
	await _ties()
	await _breaks_at_its_start()
	await _breaks_in_the_middle()
	_wrong()
	quit()


func _frames(count: int) -> void:
	for k: int in count:
		await physics_frame


func _crate(at: Vector3, weight: float) -> RigidBody3D:
	var crate := RigidBody3D.new()
	var shape := CollisionShape3D.new()
	var box := BoxShape3D.new()
	box.size = Vector3(0.5, 0.5, 0.5)
	shape.shape = box
	crate.add_child(shape)
	crate.mass = weight
	crate.position = at
	crate.linear_damp_mode = RigidBody3D.DAMP_MODE_REPLACE
	root.add_child(crate)
	return crate


func _loads() -> void:
	var crate := _crate(Vector3(0, 0.75, 0), 100.0)
	var rope := Rope.new()
	rope.position = Vector3(0, 5, 0)
	rope.end_point = Vector3(0, -4, 0)
	root.add_child(rope)
	rope.release_end()
	rope.queue_free()
	await _frames(2)
	rope = Rope.new()
	rope.position = Vector3(0, 5, 0)
	rope.end_point = Vector3(0, -4, 0)
	crate.position = Vector3(0, 0.75, 0)
	crate.linear_velocity = Vector3.ZERO
	rope.end_node = crate.get_path()
	root.add_child(rope)
	await _frames(90)
	check("it has rods", rope.get_rod_count() == 20 and rope.get_points().size() == 21, rope.get_rod_count())
	check("it does not stretch", absf(crate.position.y - 0.75) < 0.002, crate.position)
	check("it bears the weight", near(rope.get_tension(), 101.0 * 9.8, 2.0), rope.get_tension())
	for k: int in 90:
		rope.reel(0.5 / 60.0)
		await physics_frame
	await _frames(30)
	check("a winch lifts", near(crate.position.y, 1.5, 0.002), crate.position)
	check("it is shorter", near(rope.get_length(), 3.25), rope.get_length())
	for k: int in 60:
		rope.reel(-1.0 / 60.0)
		await physics_frame
	await _frames(30)
	check("a winch lets down", near(crate.position.y, 0.5, 0.01), crate.position)
	var query := PhysicsRayQueryParameters3D.create(Vector3(2, 3, 0), Vector3(-2, 3, 0))
	var hit := root.find_world_3d().direct_space_state.intersect_ray(query)
	var collider: Object = hit.get("collider")
	check("a ray that hits it reports the node", collider == rope, hit)
	var whole := rope.get_length()
	var lower := rope.cut(5)
	await _frames(30)
	check("a cut rope lets go", crate.position.y < 0.0, crate.position)
	var parts := rope.get_length() + lower.get_length()
	check("both parts are ropes", near(parts, whole) and rope.get_rod_count() == 5, lower.get_length())
	rope.reel(100.0)
	await _frames(5)
	check("only the part at the start is reeled in", rope.get_rod_count() == 1 and lower.get_rod_count() == 17, lower.get_rod_count())
	rope.queue_free()
	crate.queue_free()
	await _frames(2)


## A slack rope hangs in the curve y = a cosh(x / a).
func _curve() -> void:
	var rope := Rope.new()
	rope.position = Vector3(-1, 3, 0)
	rope.end_point = Vector3(2, 0, 0)
	rope.length = 3.0
	rope.rod_length = 0.1
	root.add_child(rope)
	await _frames(600)
	var a := 0.6166 # from 2 a sinh(1 / a) = 3
	var worst := 0.0
	for point: Vector3 in rope.get_points():
		worst = maxf(worst, absf(point.y - (3.0 + a * (cosh(point.x / a) - cosh(1.0 / a)))))
	check("it hangs as a chain does", worst < 0.015, worst)
	rope.queue_free()
	await _frames(2)


## The start follows a node that is no body; the end is loose.
func _ties() -> void:
	var leader := Node3D.new()
	root.add_child(leader)
	leader.position = Vector3(0, 4, 0)
	var rope := Rope.new()
	rope.position = Vector3(0, 4, 0)
	rope.end_point = Vector3(0, -1, 0)
	rope.start_node = leader.get_path()
	rope.holds_end = false
	root.add_child(rope)
	for k: int in 60:
		leader.position.x += 1.0 / 60.0
		await physics_frame
	await _frames(5)
	check("its start follows a node", rope.get_points()[0].distance_to(leader.position) < 0.02, rope.get_points()[0])
	rope.release_start()
	await _frames(30)
	check("a rope that is let go falls", rope.get_points()[0].y < 3.5, rope.get_points()[0])
	root.remove_child(rope)
	check("outside of the tree it has no rods", rope.get_rod_count() == 0)
	root.add_child(rope)
	await _frames(2)
	check("it comes back", rope.get_rod_count() == 5, rope.get_rod_count())
	rope.queue_free()
	leader.queue_free()
	await _frames(2)


## 0.9 times its strength hangs on it; with a lower strength it breaks where it is held and bears most.
func _breaks_at_its_start() -> void:
	var crate := _crate(Vector3(0, 0.75, 0), 900.0 / 9.8 - 1.0)
	var rope := Rope.new()
	rope.position = Vector3(0, 5, 0)
	rope.end_point = Vector3(0, -4, 0)
	rope.end_node = crate.get_path()
	rope.strength = 1000.0
	root.add_child(rope)
	var told: Array[Array] = []
	var _ignored := rope.broke.connect(func(place: int, other: Node3D) -> void: told.append([place, other]))
	await _frames(300)
	check("it holds what it has the strength for", told.is_empty() and absf(crate.position.y - 0.75) < 0.002, crate.position)
	rope.strength = 750.0
	await _frames(31)
	check("it breaks once, at its start", told == [[0, null]], told)
	check("its load falls freely", near(crate.linear_velocity.y, -4.9, 0.2), crate.linear_velocity)
	check("the rest is whole", rope.get_rod_count() == 20 and near(rope.get_length(), 4.0) and rope.get_tension() == 0.0)
	rope.queue_free()
	crate.queue_free()
	await _frames(2)


## A rope of 1 kg and 2 m that turns about its middle with 20 rad/s bears 100 N there.
func _breaks_in_the_middle() -> void:
	var told: Array[Array] = []
	var ropes: Array[Rope] = []
	for strength: float in [105.0, 95.0]:
		var rope := Rope.new()
		rope.position = Vector3(-1, strength, 0)
		rope.end_point = Vector3(2, 0, 0)
		rope.holds_start = false
		rope.holds_end = false
		rope.strength = strength
		root.add_child(rope)
		for rod: RID in rope.get_rods():
			var at: Transform3D = PhysicsServer3D.body_get_state(rod, PhysicsServer3D.BODY_STATE_TRANSFORM)
			PhysicsServer3D.body_set_state(rod, PhysicsServer3D.BODY_STATE_ANGULAR_VELOCITY, Vector3(0, 20, 0))
			PhysicsServer3D.body_set_state(rod, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY, Vector3(0, 0, -20.0 * at.origin.x))
		var _ignored := rope.broke.connect(func(place: int, other: Node3D) -> void: told.append([rope, place, other]))
		ropes.append(rope)
	await _frames(3)
	var other := ropes[1].get_child(-1) as Rope
	check("the weaker one breaks in the middle", told == [[ropes[1], 5, other]] and ropes[0].get_rod_count() == 10, told)
	check("it keeps half of it", ropes[1].get_rod_count() == 5 and near(ropes[1].get_length(), 1.0), ropes[1].get_length())
	check("the other half is a rope", other.get_rod_count() == 5 and other.get_points().size() == 6 and other.strength == 95.0)
	await _frames(20)
	check("they part", ropes[1].get_points()[0].distance_to(other.get_points()[-1]) > 4.0)
	check("neither of them breaks again", told.size() == 1 and ropes[1].get_rod_count() == 5)
	var middle := (other.get_points()[2] + other.get_points()[3]) / 2.0
	var query := PhysicsRayQueryParameters3D.create(middle + Vector3(0, 1, 0), middle - Vector3(0, 1, 0))
	var hit := root.find_world_3d().direct_space_state.intersect_ray(query)
	var collider: Object = hit.get("collider")
	check("a ray that hits the other half reports that", collider == other, hit)
	var third := other.cut(2)
	check("the other half can be cut", other.get_rod_count() == 2 and third.get_rod_count() == 3)
	for rope: Rope in ropes:
		rope.queue_free()
	await _frames(2)
	check("parts are freed with the rope that they were", not is_instance_valid(third))


func _wrong() -> void:
	var rope := Rope.new()
	rope.radius = -1.0
	rope.length = NAN
	rope.strength = -1.0
	rope.end_point = Vector3.ZERO
	rope.reel(1.0)
	var _nothing := rope.cut(1)
	check("wrong values change nothing", rope.radius == 0.02 and rope.length == 0.0 and rope.end_point == Vector3(0, -2, 0))
	check("nor does a wrong strength", rope.strength == 0.0)
	rope.free()
