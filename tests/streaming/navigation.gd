extends "res://streaming_script.gd"
## Navigation meshes of 16 blocks from a snapshot on a worker thread, while bodies in them are added, moved and removed and tiles
## stream; and from a copy of the world made at the moment of the snapshot. One JSON object at the end.

const TICKS := 20
const SNAPSHOTS_A_TICK := 3
const EDITS_A_TICK := 3
const BAKED_EACH := 10

const Source := preload("res://addons/scree/nodes/navigation_source.gd")

var _shape := BoxShape3D.new()
var _states: Array[Dictionary] = [] # after each edit: body: transform
var _copies := {} # number of a state: triangles of a copy of it
var _bodies: Dictionary = {}
var _random := RandomNumberGenerator.new()
var _found: Array[PackedVector3Array] = []
var _mutex := Mutex.new()
var _go_on := Semaphore.new()


func _run() -> void:
	_random.seed = 7
	_shape.size = Vector3(2, 1, 2)
	make_world(Vector3.ZERO)
	root.add_child(world)
	await until_tiles_are_in(24)
	for k: int in 60:
		_add()
	var streamed := world.figures()
	var space := root.world_3d.space
	var blocks := Source.blocks_round(Vector3.ZERO)
	var all := blocks[0]
	for block: AABB in blocks:
		all = all.merge(block)
	_states = [_bodies.duplicate()]
	var thread := Thread.new()
	thread.start(_collect.bind(space, all.grow(1.0)))
	for tick: int in TICKS:
		_go_on.post(SNAPSHOTS_A_TICK)
		for edit: int in EDITS_A_TICK:
			_edit()
		viewer.position.x += 8.0 # other tiles come and go meanwhile, far from the blocks
		await physics_frame
		while _found_count() < SNAPSHOTS_A_TICK * (tick + 1):
			OS.delay_usec(500)
	thread.wait_to_finish()
	var same := 0
	var equal_meshes := 0
	var polygons := 0
	var different_meshes := {}
	var different := {}
	for number: int in _found.size():
		var copied := _copy_of(number, all.grow(1.0))
		if copied.is_empty():
			continue
		same += 1
		different[_found[number].to_byte_array().hex_encode().hash()] = true
		if number % BAKED_EACH == 0:
			var meshes := [_bake(_found[number], blocks), _bake(copied, blocks)]
			equal_meshes += 1 if meshes[0] == meshes[1] else 0
			polygons = maxi(polygons, meshes[0].size())
			different_meshes[var_to_str(meshes[0]).hash()] = true
	for body: RID in _bodies:
		PhysicsServer3D.free_rid(body)
	await finish({"bodies": streamed["bodies"], "snapshots": _found.size(), "same": same, "different": different.size(),
		"meshes": ceili(_found.size() / float(BAKED_EACH)), "equal": equal_meshes, "polygons": polygons,
		"different_meshes": different_meshes.size(), "triangles": _found[0].size() / 3, "blocks": blocks.size()})


func _found_count() -> int:
	_mutex.lock()
	var count := _found.size()
	_mutex.unlock()
	return count


## On a worker thread.
func _collect(space: RID, box: AABB) -> void:
	for k: int in TICKS * SNAPSHOTS_A_TICK:
		_go_on.wait()
		var faces: PackedVector3Array = PhysicsServer3D.call("space_triangles", space, box.position, box.end, 2)
		_mutex.lock()
		_found.append(faces)
		_mutex.unlock()


func _place() -> Transform3D:
	var basis := Basis(Vector3.UP, _random.randi_range(0, 7) * PI / 8.0)
	var x := _random.randi_range(-44, 44) * 0.5
	var y := _random.randi_range(0, 4) * 0.25
	return Transform3D(basis, Vector3(x, y, _random.randi_range(-44, 44) * 0.5))


func _make_body(place: Transform3D, space: RID) -> RID:
	var body := PhysicsServer3D.body_create()
	PhysicsServer3D.body_set_mode(body, PhysicsServer3D.BODY_MODE_STATIC)
	PhysicsServer3D.body_add_shape(body, _shape.get_rid())
	PhysicsServer3D.body_set_collision_layer(body, 2)
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM, place)
	PhysicsServer3D.body_set_space(body, space)
	return body


func _add() -> void:
	var place := _place()
	_bodies[_make_body(place, root.world_3d.space)] = place


func _edit() -> void:
	var kind := _random.randi_range(0, 3)
	var bodies := _bodies.keys()
	var one: RID = bodies[_random.randi_range(0, bodies.size() - 1)]
	if kind == 0:
		_add()
	elif kind == 1 and bodies.size() > 40:
		_bodies.erase(one)
		PhysicsServer3D.free_rid(one)
	else:
		_bodies[one] = _place()
		PhysicsServer3D.body_set_state(one, PhysicsServer3D.BODY_STATE_TRANSFORM, _bodies[one])
	_states.append(_bodies.duplicate())


## The triangles of a copy of the world as it was at some moment of the tick in which a snapshot was taken, if these are the
## snapshot's; empty if they are so at no moment.
func _copy_of(number: int, box: AABB) -> PackedVector3Array:
	var before := number / SNAPSHOTS_A_TICK * EDITS_A_TICK
	for state: int in range(before, before + EDITS_A_TICK + 1):
		if not _copies.has(state):
			_copies[state] = _triangles_of_copy(_states[state], box)
		if _copies[state] == _found[number]:
			return _copies[state]
	return PackedVector3Array()


func _triangles_of_copy(state: Dictionary, box: AABB) -> PackedVector3Array:
	var copy := PhysicsServer3D.space_create()
	var made: Array[RID] = []
	for body: RID in state:
		made.append(_make_body(state[body], copy))
	var found: PackedVector3Array = PhysicsServer3D.call("space_triangles", copy, box.position, box.end, 2)
	for twin: RID in made:
		PhysicsServer3D.free_rid(twin)
	PhysicsServer3D.free_rid(copy)
	return found


## Vertices and polygons of the meshes of all blocks.
func _bake(faces: PackedVector3Array, blocks: Array[AABB]) -> Array:
	var source := NavigationMeshSourceGeometryData3D.new()
	source.add_faces(faces, Transform3D.IDENTITY)
	var baked := []
	for block: AABB in blocks:
		var mesh := NavigationMesh.new()
		mesh.cell_size = 0.2
		mesh.cell_height = 0.2
		mesh.agent_radius = 0.2
		mesh.agent_height = 1.6
		mesh.agent_max_climb = 0.2
		mesh.filter_baking_aabb = block
		NavigationServer3D.bake_from_source_geometry_data(mesh, source)
		for vertex: Vector3 in mesh.get_vertices():
			baked.append(vertex)
		for polygon: int in mesh.get_polygon_count():
			baked.append(mesh.get_polygon(polygon))
	return baked

