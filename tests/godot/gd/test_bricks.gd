extends "res://gd/physics_test.gd"
## Structures of bricks: the shape, the body that breaks apart, drawing, saving, GridMap.

const SHAPE := "res://addons/scree/bricks/brick_shape_3d.gd"
const BODY := "res://addons/scree/bricks/brick_body_3d.gd"
const VIEW := "res://addons/scree/bricks/brick_view_3d.gd"


func test_a_ray_tells_the_brick() -> void:
	if lacks("bricks_make"):
		return
	var shape := _shape(0.5)
	var numbers: PackedInt32Array = shape.call("add_cells", PackedInt32Array([0, 0, 0, 1, 0, 0, 2, 0, 0]))
	check_equal(numbers.size(), 3, "bricks added")
	var body := fixed(shape as Shape3D, Vector3(0, 5, 0))
	for number: int in 3:
		var at := Vector3(0.25 + 0.5 * number, 5, 0.25)
		var hit := ray(at + Vector3.UP * 5, at + Vector3.DOWN * 5)
		check(not hit.is_empty() and hit["collider"] == body, "brick %d is hit" % number)
		if not hit.is_empty():
			check_equal(hit["face_index"], numbers[number], "the brick that was hit")
			check_near(hit["position"], at + Vector3.UP * 0.5, 1e-4, "the place of the hit")
			check_equal(shape.call("brick_at", body.to_local(hit["position"])), numbers[number], "the brick at that place")
	check(shape.call("remove_bricks", numbers.slice(1, 2)), "a brick is removed")
	check(ray(Vector3(0.75, 9, 0.25), Vector3(0.75, 0, 0.25)).is_empty(), "the removed brick is not hit")
	check_equal(shape.call("brick_numbers"), PackedInt32Array([numbers[0], numbers[2]]), "bricks that are left")


func test_bodies_lie_on_bricks_and_fall_when_they_go() -> void:
	if lacks("bricks_make"):
		return
	var shape := _shape(1.0)
	var cells := PackedInt32Array()
	for x: int in range(-3, 3):
		for z: int in range(-3, 3):
			cells.append_array([x, -1, z])
	var numbers: PackedInt32Array = shape.call("add_cells", cells)
	fixed(shape as Shape3D)
	var ball := rigid(box(), Vector3(0, 0.6, 0))
	await steps(60)
	check_near(ball.position.y, 0.5, 0.02, "height of a box on the bricks")
	shape.call("remove_bricks", numbers)
	await steps(30)
	check(ball.position.y < -0.5, "it falls when the bricks are gone, to %s" % ball.position.y)


func test_a_bridge_breaks_in_the_middle() -> void:
	if lacks("bricks_make"):
		return
	var body := _body(0.5)
	var cells := PackedInt32Array()
	for x: int in 20:
		cells.append_array([x, 0, 0])
	body.gravity_scale = 0.0
	add_child(body)
	var numbers: PackedInt32Array = body.get("bricks").add_cells(cells)
	body.linear_velocity = Vector3(1, 0, 0)
	body.angular_velocity = Vector3(0, 0.5, 0)
	await steps(2)
	var told: Array = []
	body.connect("bricks_came_apart", func(piece: Node, old: PackedInt32Array, new: PackedInt32Array) -> void:
		told.append([piece, old, new]))
	var before := _momentum([body])
	var mass_before: float = body.call("total_mass")
	check_near(mass_before, 20 * 0.125 * 500.0, 0.01, "mass of the bricks")
	body.get("bricks").remove_bricks(numbers.slice(10, 11))
	await steps(2)
	check_equal(told.size(), 1, "pieces told")
	if told.is_empty():
		return
	var piece: RigidBody3D = told[0][0]
	check_equal(piece.get_class(), "RigidBody3D", "class of the piece")
	check_equal(told[0][1].size() + body.get("bricks").brick_count(), 19, "bricks of both")
	check_equal(told[0][1].size(), piece.get("bricks").brick_count(), "bricks told, and those of the piece")
	check_near(piece.call("total_mass") + body.call("total_mass"), mass_before * 19 / 20, 0.01, "mass of both")
	var after := _momentum([body, piece])
	# The removed brick took its own share with it: the tenth of twenty, near the middle.
	check_near(after[0], before[0] * 19 / 20, before[0].length() * 0.02, "momentum of both")
	# Both centres of mass have gone straight since the break, two ticks ago, with the velocities that they had in the whole.
	var apart := _center(piece).distance_to(_center(body))
	await steps(60)
	var expected := apart * sqrt(1.0 + pow(0.5 * 62 * TICK, 2.0))
	check_near(_center(piece).distance_to(_center(body)), expected, 0.01, "distance of both a second later")
	check_near(direct_state(piece).angular_velocity, Vector3(0, 0.5, 0), 1e-3, "spin of the piece")


func test_a_frozen_wall_keeps_its_largest_piece() -> void:
	if lacks("bricks_make"):
		return
	floor_body()
	var body := _body(1.0)
	body.freeze = true
	add_child(body)
	var numbers := _add_column(body, 6)
	await steps(2)
	body.get("bricks").remove_bricks(numbers.slice(4, 5))
	await steps(2)
	check_equal(body.get("bricks").brick_count(), 4, "bricks that stay")
	var pieces := _pieces_of(body)
	check_equal(pieces.size(), 1, "bodies that came off")
	await steps(60)
	if not pieces.is_empty():
		check_near(pieces[0].position.y, -1.0, 0.05, "the piece lies a brick lower")


func test_what_stands_on_an_anchor_stays_although_it_is_smaller() -> void:
	if lacks("bricks_make"):
		return
	var body := _body(1.0)
	body.freeze = true
	body.get("bricks").set("anchors", [AABB(Vector3(-9, -1, -9), Vector3(18, 1, 18))] as Array[AABB])
	add_child(body)
	var numbers := _add_column(body, 6)
	await steps(2)
	body.get("bricks").remove_bricks(numbers.slice(1, 2))
	await steps(2)
	check_equal(body.get("bricks").brick_numbers(), numbers.slice(0, 1), "bricks that stay")
	var pieces := _pieces_of(body)
	check_equal(pieces.size(), 1, "bodies that came off")
	check_equal(pieces[0].get("bricks").brick_count() if pieces.size() == 1 else 0, 4, "bricks that came off")


func test_a_hit_knocks_bricks_out_and_what_hung_on_them_falls() -> void:
	if lacks("bricks_make"):
		return
	var body := _body(1.0)
	body.freeze = true
	body.set("strength", 300.0)
	body.set("density", 20.0)
	body.get("bricks").set("anchors", [AABB(Vector3(-9, -1, -9), Vector3(18, 1, 18))] as Array[AABB])
	add_child(body)
	var numbers := _add_column(body, 8)
	var ball := floating(sphere(0.3), Vector3(-4, 3.5, 0.5), {"mass": 50.0, "linear_velocity": Vector3(4, 0, 0)})
	await steps(90)
	check(ball.linear_velocity.x < 1.0, "the slow ball, 200 N s, has hit")
	check_equal(body.get("bricks").brick_count(), 8, "bricks after a soft hit")
	ball.position = Vector3(-4, 3.5, 0.5)
	ball.linear_velocity = Vector3(20, 0, 0)
	await steps(30)
	check_equal(body.get("bricks").brick_numbers(), numbers.slice(0, 3), "bricks that stay after a hard hit, 1000 N s")
	var pieces := _pieces_of(body).filter(func(child: Node) -> bool: return child != ball)
	var counts: Array = pieces.map(func(piece: Node) -> int: return piece.get("bricks").brick_count())
	counts.sort()
	check_equal(counts, [1, 4], "bricks of the pieces")


func test_edits_refuse_bad_input_and_change_nothing() -> void:
	if lacks("bricks_make"):
		return
	var shape := _shape(1.0)
	shape.call("add_cells", PackedInt32Array([0, 0, 0]))
	var turned: PackedInt32Array = shape.call("add_turned", PackedFloat32Array([5, 5, 5, 1, 2, 3, 0, 0, 0.6, 0.8]))
	check_equal(turned.size(), 1, "turned bricks")
	check_near(shape.call("volume"), 1.0 + 48.0, 1e-3, "volume of both")
	var changed: PackedInt32Array = shape.call("change_bricks", PackedInt32Array([1]), PackedInt32Array([0, 0, 0, 2, 2, 2]),
		PackedInt32Array([3, -1, 1, 7]))
	check_equal(shape.call("boxes_of", changed), PackedInt32Array([0, 0, 0, 2, 2, 2]), "the changed brick")
	check_equal(shape.call("settings_of", changed), PackedInt32Array([3, -1, 1, 7]), "its settings")
	check_near(shape.call("volume"), 24.0 + 48.0, 1e-3, "volume, by density")
	check_equal(shape.call("bricks_in_box", AABB(Vector3(1.5, 1.5, 1.5), Vector3.ONE * 0.1)), changed, "bricks in a box")
	check_equal(shape.call("bricks_in_ball", Vector3(-1, 0, 0), 0.5), PackedInt32Array(), "bricks in a ball, none")
	check_equal(shape.call("bricks_in_ball", Vector3(-1, 0, 0), 1.0), changed, "bricks in a ball that touches")


func test_a_set_is_saved_and_loaded() -> void:
	if lacks("bricks_make"):
		return
	var shape := _shape(0.25)
	shape.set("surfaces", PackedVector2Array([Vector2(0.2, 0.9)]))
	shape.call("add_boxes", PackedInt32Array([0, 0, 0, 4, 1, 2, 8, 0, 0, 9, 9, 9]), PackedInt32Array([1, 0, 1, 5, 2, -1, 3, 6]))
	shape.call("add_turned", PackedFloat32Array([20, 5, 5, 1, 2, 3, 0, 0, 0.6, 0.8]))
	var path := "user://bricks.tres"
	check_equal(ResourceSaver.save(shape, path), OK, "saving")
	var loaded: Resource = ResourceLoader.load(path, "", ResourceLoader.CACHE_MODE_IGNORE)
	check_equal(loaded.get("unit"), 0.25, "the unit")
	check_equal(loaded.call("brick_count"), 3, "bricks")
	check_equal(loaded.get("bricks"), shape.get("bricks"), "the set")
	var copy: Resource = loaded.duplicate()
	copy.call("remove_bricks", PackedInt32Array([1]))
	check_equal([copy.call("brick_count"), loaded.call("brick_count")], [2, 3], "bricks of a duplicate and its origin")
	var body := fixed(loaded as Shape3D, Vector3(0, 10, 0))
	var hit := ray(Vector3(0.5, 20, 0.25), Vector3(0.5, 0, 0.25))
	check(not hit.is_empty() and hit["collider"] == body and hit["face_index"] == 1, "a ray meets the loaded brick: %s" % hit)


func test_drawing_renews_edited_regions_alone() -> void:
	if lacks("bricks_make"):
		return
	var shape := _shape(0.5)
	var cells := PackedInt32Array()
	for x: int in 40:
		cells.append_array([x, 0, 0])
	var numbers: PackedInt32Array = shape.call("add_cells", cells, PackedInt32Array([1, -1, 1, 1]))
	var view: Node3D = load(VIEW).new()
	view.set("bricks", shape)
	view.set("colors", PackedColorArray([Color.WHITE, Color.RED]))
	add_child(view)
	view.set_process(false)
	check_equal(view.call("renew", 100), 3, "regions drawn at first")
	check_equal(view.call("renew", 100), 0, "regions with edits")
	shape.call("remove_bricks", numbers.slice(0, 1))
	check_equal(view.call("renew", 100), 1, "regions after an edit")
	var buffer: PackedFloat32Array = view.call("region", Vector3i.ZERO).multimesh.buffer
	check_equal(buffer.slice(0, 16), PackedFloat32Array([0.5, 0, 0, 0.75, 0, 0.5, 0, 0.25, 0, 0, 0.5, 0.25, 1, 0, 0, 1]),
		"the first brick's row")
	shape.call("remove_bricks", numbers.slice(32, 40))
	view.call("renew", 100)
	check(view.call("region", Vector3i(2, 0, 0)) == null, "an empty region is not drawn")


func test_a_grid_map_becomes_bricks() -> void:
	if lacks("bricks_make"):
		return
	var map := GridMap.new()
	map.cell_size = Vector3(2, 1, 2)
	map.mesh_library = MeshLibrary.new()
	map.mesh_library.create_item(3)
	map.mesh_library.set_item_mesh(3, BoxMesh.new())
	for x: int in 5:
		map.set_cell_item(Vector3i(x, 0, 0), 3)
	add_child(map)
	var shape: Resource = load(SHAPE).call("from_grid_map", map)
	check_equal(shape.call("brick_count"), 5, "bricks")
	check_near(shape.call("volume"), 5 * 4.0, 1e-3, "volume")
	fixed(shape as Shape3D, Vector3(0, 50, 0))
	var hit := ray(Vector3(9, 60, 1), Vector3(9, 40, 1))
	check(not hit.is_empty(), "the last cell is hit")
	if not hit.is_empty():
		check_near(hit["position"].y, 51.0 if map.cell_center_y else 50.5, 1e-3, "its top")
		check_equal(shape.call("settings_of", PackedInt32Array([hit["face_index"]]))[3], 3, "its tag is the item")


func _shape(unit: float) -> Resource:
	var shape: Resource = load(SHAPE).new()
	shape.set("unit", unit)
	return shape


func _body(unit: float) -> RigidBody3D:
	var body: RigidBody3D = load(BODY).new()
	body.set("bricks", _shape(unit))
	body.linear_damp_mode = RigidBody3D.DAMP_MODE_REPLACE
	body.angular_damp_mode = RigidBody3D.DAMP_MODE_REPLACE
	return body


## Bricks one on the other from the origin up; their numbers.
func _add_column(body: RigidBody3D, count: int) -> PackedInt32Array:
	var cells := PackedInt32Array()
	for y: int in count:
		cells.append_array([0, y, 0])
	return body.get("bricks").add_cells(cells)


## The other rigid bodies, which came off a body.
func _pieces_of(body: RigidBody3D) -> Array[Node]:
	return get_children().filter(func(child: Node) -> bool: return child is RigidBody3D and child != body)


## Sum of the momenta of bodies [kg m/s], in an array.
func _momentum(bodies: Array) -> Array:
	var sum := Vector3.ZERO
	for body: RigidBody3D in bodies:
		sum += direct_state(body).linear_velocity * body.call("total_mass")
	return [sum]


## Centre of mass, global [m].
func _center(body: RigidBody3D) -> Vector3:
	return direct_state(body).transform.origin + direct_state(body).center_of_mass
