extends "res://scripts/played_scene.gd"
## A level of a GridMap with 2,000 cells: balls roll straight over its seams, characters walk its halls, boxes lie about.

const Walker = preload("res://scripts/walker.gd")

const WIDTH := 40
const DEPTH := 40
## [m]
const CELL := 2.0
const TILE_HEIGHT := 0.5
## Cells of the mesh library.
const TILE := 0
const WALL := 1
const RAMP := 2
const CELLS := 2000
const RAMP_RISE := 1.0
const ROLLERS := 8
const ROLLER_RADIUS := 0.3
## [m/s]
const ROLLS_AT := 5.0
const WALKERS := 6
## The way a walker goes up and down before it ends where it began [m].
const WALKS := 12.0
const ROLLED_TICKS := 240

var _map := GridMap.new()
var _walkers: Array[Walker] = []
var _rollers: Array[int] = []
var _highest_roller := -INF
var _lowest_roller := INF
var _arrived := 0


func build() -> void:
	bin = Bin.new(WIDTH * CELL / 2.0, 1.0, 0.5)
	bin.has_walls = false
	bin.position.y = -20.0  # what falls through the level is found far below it
	stage.target = Vector3(4, 0, 2)
	stage.eye = Vector3(17, 19, 31)
	stage.has_ground = false
	stage.shadow_distance = 110.0
	_build_level()
	_add_rollers()
	_add_boxes()
	for number: int in WALKERS:
		_add_walker(number)


func tick(number: int) -> void:
	if number > 10 and number <= ROLLED_TICKS:
		for roller: int in _rollers:
			_highest_roller = maxf(_highest_roller, bodies.transform_of(roller).origin.y)
			_lowest_roller = minf(_lowest_roller, bodies.transform_of(roller).origin.y)
	if number == ROLLED_TICKS:
		expect_between("lowest roller on the way [m]", _lowest_roller, ROLLER_RADIUS - 0.005, ROLLER_RADIUS + 0.005)
		expect_between("highest roller on the way [m]", _highest_roller, ROLLER_RADIUS - 0.005, ROLLER_RADIUS + 0.005)
		for roller: int in _rollers:
			_expect_rolled(roller)
	if number == 1799:
		_expect_end()


## Only the damping of the space slows a rolling ball, and its spin, which is not damped, drives it on: the deceleration is
## d m v / (m + I / r^2) = 5/7 d v, so that x = v / d' (1 - exp(-d' t)) with d' = 5/7 d.
func _expect_rolled(roller: int) -> void:
	const DAMP := 0.1 * 5.0 / 7.0
	var way := ROLLS_AT / DAMP * (1.0 - exp(-DAMP * ROLLED_TICKS * TICK))
	var at := bodies.transform_of(roller).origin
	expect_near("roller %d, way [m]" % roller, at.x - _start_of(_rollers.find(roller)).x, way, 0.01 * way)
	expect_near("roller %d, aside [m]" % roller, at.z - _start_of(_rollers.find(roller)).z, 0.0, 0.02)


func _expect_end() -> void:
	expect_near("cells of the level", _map.get_used_cells().size(), CELLS, 0.0)
	expect_near("walkers that came back", _arrived, WALKERS, 0.0)
	for number: int in WALKERS:
		expect_near("feet of walker %d [m]" % number, _walkers[number].feet().y, 0.0, 0.02)
	var lowest := INF
	var fastest := 0.0
	for index: int in range(ROLLERS, bodies.size()):
		lowest = minf(lowest, bodies.transform_of(index).origin.y)
		fastest = maxf(fastest, bodies.linear_velocity_of(index).length())
	expect_between("lowest box [m]", lowest, 0.2 - 0.01, 0.5)
	expect_between("fastest box [m/s]", fastest, 0.0, 0.05)


## A floor of 40 x 40 cells, a wall about it, and inner walls and ramps until there are 2,000.
func _build_level() -> void:
	_map.mesh_library = _library()
	_map.cell_size = Vector3(CELL, CELL, CELL)
	_map.cell_center_y = false
	for x: int in WIDTH:
		for z: int in DEPTH:
			_map.set_cell_item(Vector3i(x - WIDTH / 2, 0, z - DEPTH / 2), TILE)
			if x in [0, WIDTH - 1] or z in [0, DEPTH - 1]:
				_map.set_cell_item(Vector3i(x - WIDTH / 2, 1, z - DEPTH / 2), WALL)
	# Every walker has a ramp in its hall: up at one cell, along one, down at the next.
	for number: int in WALKERS:
		var row := _hall(number)
		_map.set_cell_item(Vector3i(-4, 1, row), RAMP)
		_map.set_cell_item(Vector3i(-3, 1, row), RAMP, _map.get_orthogonal_index_from_basis(Basis(Vector3.UP, PI)))
	var left := CELLS - _map.get_used_cells().size()
	var line := 0
	while left > 0:
		var row := -14 + 4 * line
		for x: int in range(-18, 18):
			# Halls are open in the middle for the balls that roll along x = 0 ... 20 m.
			if left > 0 and absi(x) > 6 and _map.get_cell_item(Vector3i(x, 1, row)) == GridMap.INVALID_CELL_ITEM:
				_map.set_cell_item(Vector3i(x, 1, row), WALL)
				left -= 1
		line += 1
	# Its upper faces lie at y = 0.
	_map.position.y = -TILE_HEIGHT
	add_child(_map)


static func _hall(number: int) -> int:
	return -12 + 4 * number


## The start of a ball: it rolls in the lines of cells between two halls, over some twenty seams.
static func _start_of(number: int) -> Vector3:
	return Vector3(-11.0, ROLLER_RADIUS, (-14 + 4 * number) * CELL + CELL * 0.35)


func _add_rollers() -> void:
	bodies.material.friction = 0.6
	var form := bodies.add_form(BodyForm.sphere(ROLLER_RADIUS, AMBER))
	for number: int in ROLLERS:
		var roller := bodies.add(form, Transform3D(Basis.IDENTITY, _start_of(number)))
		_rollers.append(roller)
		var rid := bodies.rids[roller]
		PhysicsServer3D.body_set_state(rid, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY, Vector3(ROLLS_AT, 0, 0))
		PhysicsServer3D.body_set_state(rid, PhysicsServer3D.BODY_STATE_ANGULAR_VELOCITY, Vector3(0, 0, -ROLLS_AT / ROLLER_RADIUS))
		PhysicsServer3D.body_set_param(rid, PhysicsServer3D.BODY_PARAM_ANGULAR_DAMP_MODE, PhysicsServer3D.BODY_DAMP_MODE_REPLACE)


func _add_boxes() -> void:
	var box := bodies.add_form(BodyForm.box(Vector3.ONE * 0.6, CORAL))
	var hull := bodies.add_form(BodyForm.box(Vector3(0.8, 0.4, 0.5), VIOLET))
	for index: int in body_count() - ROLLERS:
		var at := random_point(Vector3(17, 3.0, -34), Vector3(36, 8.0, 34))
		bodies.add([box, hull][index % 2], Transform3D(random_rotation(), at))


func _add_walker(number: int) -> void:
	var walker := Walker.new(false)
	var z := (_hall(number) + 0.5) * CELL
	var start := Vector2(-3.0 * CELL - WALKS / 2.0, z)
	walker.position = Vector3(start.x, 0, z)
	for lap: int in 2:
		walker.walk_to(start + Vector2(WALKS, 0))
		walker.walk_to(start)
	walker.then(func() -> void: _arrived += 1)
	add_child(walker)
	_walkers.append(walker)
	if is_drawn():
		var mesh := CapsuleMesh.new()
		mesh.radius = Walker.RADIUS
		mesh.height = Walker.HEIGHT
		add_mesh(walker, mesh, Transform3D(Basis.IDENTITY, Vector3.UP * Walker.HEIGHT / 2.0), LEAF)


## Tiles of half a metre, walls as high as a cell, ramps of half a cell's height as hulls.
func _library() -> MeshLibrary:
	var library := MeshLibrary.new()
	_add_item(library, TILE, _box_mesh(Vector3(CELL, TILE_HEIGHT, CELL), STONE.darkened(0.45)), TILE_HEIGHT / 2.0)
	# A layer of cells begins CELL above the one below; its walls stand on the tiles.
	_add_item(library, WALL, _box_mesh(Vector3(CELL, CELL, CELL), CORAL.darkened(0.35)), TILE_HEIGHT - CELL / 2.0)
	var prism := PrismMesh.new()
	prism.left_to_right = 1.0
	prism.size = Vector3(CELL, RAMP_RISE, CELL)
	prism.material = paint(LEAF)
	_add_item(library, RAMP, prism, TILE_HEIGHT - CELL + RAMP_RISE / 2.0)
	return library


func _add_item(library: MeshLibrary, item: int, mesh: PrimitiveMesh, height: float) -> void:
	var at := Transform3D(Basis.IDENTITY, Vector3.UP * height)
	library.create_item(item)
	library.set_item_mesh(item, mesh)
	library.set_item_mesh_transform(item, at)
	var shape: Shape3D = mesh.create_convex_shape()
	if mesh is BoxMesh:
		shape = BoxShape3D.new()
		shape.size = (mesh as BoxMesh).size
	library.set_item_shapes(item, [shape, at])


func _box_mesh(size: Vector3, colour: Color) -> BoxMesh:
	var mesh := BoxMesh.new()
	mesh.size = size
	mesh.material = paint(colour)
	return mesh
