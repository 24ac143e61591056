extends SceneTree
## Navigation meshes of 16 blocks from a snapshot on a worker thread, while bodies in them are added, moved and removed and tiles
## stream; and from a copy of the world made at the moment of the snapshot. One JSON object at the end.

const StreamingWorld := preload("res://addons/scree/nodes/streaming_world_3d.gd")
const Source := preload("res://addons/scree/nodes/navigation_source.gd")

var _shape := BoxShape3D.new()
var _states: Array[Dictionary] = [] # after each edit: body: transform
var _bodies: Dictionary = {}
var _random := RandomNumberGenerator.new()
var _found: Array[PackedVector3Array] = []
var _mutex := Mutex.new()


func _initialize() -> void:
	_run()


func _run() -> void:
	_random.seed = 7
	_shape.size = Vector3(2, 1, 2)
	var viewer := Node3D.new()
	root.add_child(viewer)
	var world := StreamingWorld.new()
	world.tiles_folder = OS.get_cmdline_user_args()[0]
	world.hysteresis = 8.0
	world.viewers = [viewer] as Array[Node3D]
	root.add_child(world)
	await _ticks(150)
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
	var ticks := 0
	while thread.is_alive():
		ticks += 1
		for edit: int in 3:
			_edit()
		viewer.position.x += 8.0 # other tiles come and go meanwhile, far from the blocks
		await physics_frame
	thread.wait_to_finish()
	var same := 0
	var equal_meshes := 0
	var polygons := 0
	var spaces := {}
	for number: int in _found.size():
		var copied := _copy_of(_found[number], all.grow(1.0))
		if copied.is_empty():
			continue
		same += 1
		if number % 10 == 0:
			var meshes := [_bake(_found[number], blocks), _bake(copied, blocks)]
			equal_meshes += 1 if meshes[0] == meshes[1] else 0
			polygons = maxi(polygons, meshes[0].size())
			spaces[var_to_str(meshes[0]).hash()] = true
	print("[result] " + JSON.stringify({"engine": PhysicsServer3D.get_class(), "bodies": streamed["bodies"], "ticks": ticks,
		"snapshots": _found.size(), "same": same, "meshes": ceili(_found.size() / 10.0), "equal": equal_meshes,
		"polygons": polygons, "different_meshes": spaces.size(), "states": _states.size(), "triangles": _found[0].size() / 3,
		"blocks": blocks.size()}))
	for body: RID in _bodies:
		PhysicsServer3D.free_rid(body)
	world.free()
	viewer.free()
	await _ticks(2)
	quit(0)


## On a worker thread.
func _collect(space: RID, box: AABB) -> void:
	for k: int in 60:
		var faces: PackedVector3Array = PhysicsServer3D.call("space_triangles", space, box.position, box.end, 2)
		_mutex.lock()
		_found.append(faces)
		_mutex.unlock()
		OS.delay_usec(3000)


func _place() -> Transform3D:
	var basis := Basis(Vector3.UP, _random.randi_range(0, 7) * PI / 8.0)
	var x := _random.randi_range(-44, 44) * 0.5
	var y := _random.randi_range(0, 4) * 0.25
	return Transform3D(basis, Vector3(x, y, _random.randi_range(-44, 44) * 0.5))


func _add() -> void:
	var body := PhysicsServer3D.body_create()
	var place := _place()
	PhysicsServer3D.body_set_mode(body, PhysicsServer3D.BODY_MODE_STATIC)
	PhysicsServer3D.body_add_shape(body, _shape.get_rid())
	PhysicsServer3D.body_set_collision_layer(body, 2)
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM, place)
	PhysicsServer3D.body_set_space(body, root.world_3d.space)
	_bodies[body] = place


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


## The triangles of a copy of the world as it was after the edit that a snapshot fits; empty if it fits none.
func _copy_of(faces: PackedVector3Array, box: AABB) -> PackedVector3Array:
	for state: Dictionary in _states:
		if state.size() * 36 != faces.size():
			continue
		var copy := PhysicsServer3D.space_create()
		var made: Array[RID] = []
		for body: RID in state:
			var twin := PhysicsServer3D.body_create()
			PhysicsServer3D.body_set_mode(twin, PhysicsServer3D.BODY_MODE_STATIC)
			PhysicsServer3D.body_add_shape(twin, _shape.get_rid())
			PhysicsServer3D.body_set_collision_layer(twin, 2)
			PhysicsServer3D.body_set_state(twin, PhysicsServer3D.BODY_STATE_TRANSFORM, state[body])
			PhysicsServer3D.body_set_space(twin, copy)
			made.append(twin)
		var found: PackedVector3Array = PhysicsServer3D.call("space_triangles", copy, box.position, box.end, 2)
		for twin: RID in made:
			PhysicsServer3D.free_rid(twin)
		PhysicsServer3D.free_rid(copy)
		if found == faces:
			return found
	return PackedVector3Array()


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


func _ticks(count: int) -> void:
	for tick: int in count:
		await physics_frame
		OS.delay_usec(4000)
