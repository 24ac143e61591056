extends "res://checks.gd"
## The node ScreeRope3D: what hangs on it, its curve, winches, cuts.

const Rope := preload("res://addons/scree/nodes/scree_rope_3d.gd")


func _initialize() -> void:
	print("class ", PhysicsServer3D.get_class())
	await process_frame
	await _loads()
	await _curve()
	await _ties()
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
	var lower := rope.get_rod_count() - 5
	rope.cut(5)
	await _frames(30)
	check("a cut rope lets go", crate.position.y < 0.0, crate.position)
	rope.reel(100.0)
	await _frames(5)
	check("only the part at the start is reeled in", rope.get_rod_count() == lower + 1, rope.get_rod_count())
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


func _wrong() -> void:
	var rope := Rope.new()
	rope.radius = -1.0
	rope.length = NAN
	rope.end_point = Vector3.ZERO
	rope.reel(1.0)
	rope.cut(1)
	check("wrong values change nothing", rope.radius == 0.02 and rope.length == 0.0 and rope.end_point == Vector3(0, -2, 0))
	rope.free()
