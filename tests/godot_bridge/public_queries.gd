extends "res://checks.gd"
## Many questions to a space in one call, against formulas. Three balls lie on the x axis, one metre in radius.

const AT: Array[float] = [0.0, 5.0, 10.0]

var _space: RID
var _bodies: Array[RID]
var _ball: RID
var _box: RID


func _initialize() -> void:
	print("class ", PhysicsServer3D.get_class())
	_space = PhysicsServer3D.space_create()
	PhysicsServer3D.space_set_active(_space, true)
	_ball = PhysicsServer3D.sphere_shape_create()
	PhysicsServer3D.shape_set_data(_ball, 1.0)
	_box = PhysicsServer3D.box_shape_create()
	PhysicsServer3D.shape_set_data(_box, Vector3(0.5, 0.5, 0.5))
	for x: float in AT:
		var body := PhysicsServer3D.body_create()
		PhysicsServer3D.body_set_mode(body, PhysicsServer3D.BODY_MODE_STATIC)
		PhysicsServer3D.body_add_shape(body, _ball)
		PhysicsServer3D.body_set_space(body, _space)
		PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM, Transform3D(Basis.IDENTITY, Vector3(x, 0, 0)))
		_bodies.append(body)
	await physics_frame
	await physics_frame
	_rays()
	_casts()
	_overlaps()
	_contacts()
	_bounds()
	await _on_threads()
	_shifted()
	_wrong()
	for body: RID in _bodies:
		PhysicsServer3D.free_rid(body)
	for thing: RID in [_ball, _box, _space] as Array[RID]:
		PhysicsServer3D.free_rid(thing)
	quit()


func near_point(found: Vector3, wanted: Vector3) -> bool:
	return found.distance_to(wanted) < 1e-3


func _rays() -> void:
	var hits := Scree.cast_ray_all(_space, Vector3(-5, 0, 0), Vector3(15, 0, 0))
	check("a ray finds all, nearest first", hits.size() == 3 and hits.get_rid(0) == _bodies[0] and hits.get_rid(2) == _bodies[2], hits.rids)
	check("each where it enters", near_point(hits.positions[1], Vector3(4, 0, 0)) and near_point(hits.normals[1], Vector3(-1, 0, 0)), hits.positions)
	check("fractions of the ray", absf(hits.fractions[2] - 14.0 / 20.0) < 1e-5, hits.fractions)
	check("the nearest two", Scree.cast_ray_all(_space, Vector3(15, 0, 0), Vector3(-5, 0, 0), 1, false, [], 2).get_rid(1) == _bodies[1])
	var from := PackedVector3Array([Vector3(0.5, 0, 0)])
	var to := PackedVector3Array([Vector3(3, 0, 0)])
	check("from inside nothing", Scree.cast_rays(_space, from, to).is_hit[0] == 0)
	var inside := Scree.cast_rays(_space, from, to, 1, false, [], 1, true)
	check("from inside at once", inside.is_hit[0] == 1 and inside.fractions[0] == 0.0 and inside.normals[0] == Vector3.ZERO, inside.fractions)
	var any_hit := Scree.cast_rays(_space, PackedVector3Array([Vector3(-5, 0, 0)]), PackedVector3Array([Vector3(15, 0, 0)]), 1, false, [], 1, false, true)
	check("any hit is one of them", _bodies.has(any_hit.get_rid(0)))


func _casts() -> void:
	var places := PackedVector3Array()
	var motions := PackedVector3Array()
	for x: float in [0.0, 2.5, 5.0] as Array[float]:
		var _ignored := places.append(Vector3(x, 5, 0))
		_ignored = motions.append(Vector3(0, -10, 0))
	var hits := Scree.cast_shapes(_space, _ball, places, motions)
	# Two balls of 1 m touch when their centres are 2 m apart: after 3 of 10 m.
	check("a ball falls on a ball", hits.is_hit[0] == 1 and absf(hits.safe_fractions[0] - 0.3) < 1e-3, hits.safe_fractions)
	# At 2.5 m beside, it passes between two.
	check("a ball passes", hits.is_hit[1] == 0 and hits.safe_fractions[1] == 1.0 and hits.rids[1] == 0, hits.is_hit)
	check("the point of a cast", near_point(hits.positions[2], Vector3(5, 1, 0)) and near_point(hits.normals[2], Vector3(0, 1, 0)), hits.positions)
	check("the body of a cast", rid_from_int64(hits.rids[2]) == _bodies[1])
	# A box turned by 45 degrees about z reaches 0.5 sqrt(2) down; stretched twice, as far again.
	var turned := Transform3D(Basis(Vector3(0, 0, 1), PI / 4.0), Vector3(0, 5, 0))
	var large := Transform3D(turned.basis.scaled(Vector3(2, 2, 2)), turned.origin)
	var boxes := Scree.cast_shapes(_space, _box, [turned, large] as Array[Transform3D], motions.slice(0, 2), 1, false, [], 0.1, 2)
	var wanted := [(5.0 - 1.0 - 0.1 - 0.5 * sqrt(2.0)) / 10.0, (5.0 - 1.0 - 0.1 - sqrt(2.0)) / 10.0]
	check("turned and stretched boxes", absf(boxes.safe_fractions[0] - float(str(wanted[0]))) < 2e-3
		and absf(boxes.safe_fractions[1] - float(str(wanted[1]))) < 2e-3, [boxes.safe_fractions, wanted])
	var fresh := PhysicsServer3D.box_shape_create()
	PhysicsServer3D.shape_set_data(fresh, Vector3(1, 1, 1))
	var at_once := Scree.cast_shapes(_space, fresh, [Transform3D(Basis.from_scale(Vector3(1, 2, 1)), Vector3(0, 5, 0))], motions.slice(0, 1))
	check("a shape that was just made, stretched", absf(at_once.safe_fractions[0] - 0.2) < 1e-3, at_once.safe_fractions)
	PhysicsServer3D.free_rid(fresh)
	var buffer := PackedFloat32Array([1, 0, 0, 5, 0, 1, 0, 5, 0, 0, 1, 0])
	check("a buffer of 12 numbers", absf(Scree.cast_shapes(_space, _ball, buffer, motions.slice(0, 1)).safe_fractions[0] - 0.3) < 1e-3)
	check("excluded from a cast", Scree.cast_shapes(_space, _ball, buffer, motions.slice(0, 1), 1, false, [_bodies[1]]).is_hit[0] == 0)


func _overlaps() -> void:
	var centers := PackedVector3Array([Vector3(2.5, 0, 0), Vector3(0, 3, 0), Vector3(20, 0, 0)])
	var found := Scree.overlap_spheres(_space, centers, PackedFloat32Array([1.6, 1.9, 5.0]))
	check("overlaps of spheres", found.firsts == PackedInt32Array([0, 2, 2, 2]), found.firsts)
	check("the overlapping bodies", found.rids_at(0).has(_bodies[0]) and found.rids_at(0).has(_bodies[1]) and found.count_at(1) == 0)
	found = Scree.overlap_spheres(_space, centers, PackedFloat32Array([2.1]))
	check("one radius for all", found.firsts == PackedInt32Array([0, 2, 3, 3]), found.firsts)
	check("the most for each", Scree.overlap_spheres(_space, centers, PackedFloat32Array([2.1]), 1, false, [], 1).firsts[1] == 1)
	found = Scree.overlap_boxes(_space, centers, PackedVector3Array([Vector3(1.4, 1, 1), Vector3(1, 2.1, 1), Vector3(1, 1, 1)]))
	check("overlaps of boxes", found.firsts == PackedInt32Array([0, 0, 1, 1]), found.firsts)
	found = Scree.overlap_shapes(_space, _ball, centers, 1, false, [], 1.05)
	check("overlaps of a grown shape", found.firsts == PackedInt32Array([0, 2, 3, 3]), found.firsts)


func _contacts() -> void:
	var contacts := Scree.collide_shapes(_space, _ball, PackedVector3Array([Vector3(0, 1.5, 0), Vector3(0, 4, 0)]))
	check("contacts of a shape", contacts.firsts == PackedInt32Array([0, 1, 1]) and contacts.rids_at(0) == [_bodies[0]], contacts.firsts)
	check("how deep", absf(contacts.depths[0] - 0.5) < 1e-3 and near_point(contacts.normals[0], Vector3(0, 1, 0)), contacts.depths)
	check("points of contact", near_point(contacts.positions[0], Vector3(0, 0.5, 0)) and near_point(contacts.other_positions[0], Vector3(0, 1, 0)), contacts.positions)


func _bounds() -> void:
	var ids := Scree.near_box(_space, Vector3(5, 1.2, 1.2), Vector3(0.3, 0.3, 0.3))
	check("near a box", ids == PackedInt64Array([_bodies[1].get_id()]), ids)
	check("the closest point", near_point(Scree.closest_point(_bodies[2], Vector3(10, 4, 0)), Vector3(10, 1, 0)))
	var corners := Scree.triangles(_space, Vector3(-1, -1, -1), Vector3(1, 1, 1))
	check("triangles of a ball", corners.size() > 60 and corners.size() % 3 == 0 and absf(corners[0].length() - 1.0) < 1e-3, corners.size())


## Workers ask while Godot steps the space.
func _on_threads() -> void:
	var right := PackedInt32Array()
	var _size := right.resize(64)
	var from := PackedVector3Array()
	var to := PackedVector3Array()
	for x: int in 100:
		var _full := from.append(Vector3(0.1 * x, 5, 0))
		_full = to.append(Vector3(0.1 * x, -5, 0))
	var wanted := Scree.cast_rays(_space, from, to).is_hit
	var ask := func(number: int) -> void:
		for k: int in 5:
			var hits := Scree.cast_rays(_space, from, to, 1, false, [], 1 + number % 2)
			var found := Scree.overlap_spheres(_space, from, PackedFloat32Array([5.0]))
			right[number] += int(hits.is_hit == wanted and found.count_at(0) > 0 and found.size() == 100)
	var task := WorkerThreadPool.add_group_task(ask, 64)
	for frame: int in 100:
		OS.delay_msec(5)
		await physics_frame
	WorkerThreadPool.wait_for_group_task_completion(task)
	check("workers ask, too", right.count(5) == 64, right)


func _shifted() -> void:
	PhysicsServer3D.call("space_shift_origin", _space, Vector3(5, 0, 0))
	var at := PackedVector3Array([Vector3(0, 5, 0)])
	var hits := Scree.cast_shapes(_space, _ball, at, PackedVector3Array([Vector3(0, -10, 0)]))
	check("casts after a shift", rid_from_int64(hits.rids[0]) == _bodies[1] and near_point(hits.positions[0], Vector3(0, 1, 0)), hits.positions)
	check("overlaps after a shift", Scree.overlap_spheres(_space, PackedVector3Array([Vector3.ZERO]), PackedFloat32Array([1.0])).rids_at(0) == [_bodies[1]])
	check("a ray after a shift", near_point(Scree.cast_ray_all(_space, Vector3(0, 5, 0), Vector3(0, -5, 0)).positions[0], Vector3(0, 1, 0)))
	check("the closest point after a shift", near_point(Scree.closest_point(_bodies[1], Vector3(0, 4, 0)), Vector3(0, 1, 0)))


func _wrong() -> void:
	var one := PackedVector3Array([Vector3.ZERO])
	check("no shape", Scree.cast_shapes(_space, RID(), one, one) == null)
	check("no such places", Scree.cast_shapes(_space, _ball, 7, one) == null)
	check("another number of motions", Scree.cast_shapes(_space, _ball, one, PackedVector3Array()) == null)
	check("no radius", Scree.overlap_spheres(_space, one, PackedFloat32Array()) == null)
	check("a radius of zero", Scree.overlap_spheres(_space, one, PackedFloat32Array([0.0])) == null)
	check("no room", Scree.overlap_shapes(_space, _ball, one, 1, false, [], 0.0, 0) == null)
	check("no such place", Scree.overlap_spheres(_space, one, PackedFloat32Array([1.0])).count_at(1) == 0)
	check("no such layers", Scree.cast_ray_all(_space, Vector3.ZERO, Vector3.UP, -1) == null)
	var made := ScreeShapeHits.new()
	check("made by a script", made.size() == 0 and ScreeOverlaps.new().firsts == PackedInt32Array([0]) and made.is_hit.is_empty())
