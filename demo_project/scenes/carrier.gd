extends "res://scripts/played_scene.gd"
## A carrier of 100,000 bricks flies and turns with crates and characters inside. In each tick 500 of its bricks are taken out and
## 500 put back; shots tear holes into its side, and pieces that they cut off fall. On other engines than Scree nothing carries.

const BODY_SCRIPT := "res://addons/scree/bricks/brick_body_3d.gd"
const Crew := preload("res://scripts/crew.gd")
const ProcessorTime := preload("res://measure/processor_time.gd")

## Length of the grid's unit [m].
const UNIT := 0.5
## Half of the length and width of the hull, and its height [unit].
const HALF_LENGTH := 110
const HALF_WIDTH := 32
const HEIGHT := 18
const DECKS: Array[int] = [0, 6, 12]
## Bricks taken out in a tick, and as many put back.
const EDITS := 500
const COLOURS := 5
const CREW := 20
## Ticks.
const SHOT_EVERY := 60
const FIRST_SHOT := 120
const SHOT_RADIUS := 1.6
## At the end of its run-up [m/s, rad/s], and how long that takes [ticks].
const SPEED := 20.0
const SPIN := 0.06
const RUN_UP := 480
## How far the carrier is above the ground [m].
const ALTITUDE := 40.0

var _carrier: RigidBody3D
var _crew: Array[CharacterBody3D] = []
var _batches: Array[PackedInt32Array] = []
var _settings: Array[PackedInt32Array] = []
var _numbers: Array[PackedInt32Array] = []
var _out := -1
var _pieces := 0
var _shot_bricks := 0
var _used_us := 0


func build() -> void:
	bin = Bin.new(4000.0, 1.0, 0.8)
	bin.has_walls = false
	bin.position.y = -1000.0
	stage.target = Vector3(0, ALTITUDE, 0)
	stage.has_ground = false
	stage.shadow_distance = 160.0
	stage.has_one_shadow_map = true
	var crate := bodies.add_form(BodyForm.box(Vector3.ONE * 0.8, WOOD))
	for number: int in body_count():
		bodies.add(crate, Transform3D(Basis.IDENTITY, Vector3.UP * ALTITUDE + _berth(number, DECKS.size())))
	if not ResourceLoader.exists(BODY_SCRIPT) or not PhysicsServer3D.has_method("bricks_make"):
		return
	_carrier = load(BODY_SCRIPT).new()
	_carrier.set("bricks", load("res://addons/scree/bricks/brick_shape_3d.gd").new())
	_carrier.get("bricks").set("unit", UNIT)
	_carrier.set("colors", PackedColorArray([STONE.darkened(0.25), STONE.darkened(0.5), TEAL.darkened(0.2), CORAL, AMBER]))
	_carrier.set("breaks", false)
	_carrier.set("is_drawn", is_drawn())
	_carrier.gravity_scale = 0.0
	_carrier.linear_damp_mode = RigidBody3D.DAMP_MODE_REPLACE
	_carrier.angular_damp_mode = RigidBody3D.DAMP_MODE_REPLACE
	_carrier.can_sleep = false
	_carrier.position.y = ALTITUDE
	_carrier.connect("bricks_came_apart", func(_piece: Node, _old: PackedInt32Array, _new: PackedInt32Array) -> void: _pieces += 1)
	add_child(_carrier)
	_lay_hull()
	for number: int in CREW:
		_add_crew(number)


func tick(number: int) -> void:
	if _carrier == null:
		return
	if number == FIRST_SHOT:
		_used_us = ProcessorTime.used_us()
	_steer(number)
	_work()
	if number >= FIRST_SHOT and (number - FIRST_SHOT) % SHOT_EVERY == 0:
		_shoot(number)
	var forward := _carrier.global_basis.x
	look(_carrier.global_position + forward * -12.0 + Vector3.UP * 3.0,
		_carrier.global_position + forward * -40.0 + _carrier.global_basis.z * 52.0 + Vector3.UP * 26.0)


func extra_figures() -> Dictionary:
	if _carrier == null:
		return super.extra_figures()
	var aboard := 0
	for index: int in bodies.size():
		aboard += int(_is_aboard(_carrier.global_transform.affine_inverse() * bodies.transform_of(index).origin))
	var crew := 0
	for one: CharacterBody3D in _crew:
		crew += int(_is_aboard(_carrier.global_transform.affine_inverse() * one.global_position))
	expect_near("crates aboard", aboard, bodies.size(), 0.0)
	expect_near("characters aboard", crew, CREW, 0.0)
	var wanted := SPEED * minf(recorder.ticks() / float(RUN_UP), 1.0)
	expect_near("speed of the carrier [m/s]", _carrier.linear_velocity.length(), wanted, 0.5)
	var figures := super.extra_figures()
	var timed := maxi(recorder.ticks() - FIRST_SHOT, 1)
	figures.merge({"main_ms": (ProcessorTime.used_us() - _used_us) / 1000.0 / timed})
	figures.merge({"bricks": _carrier.get("bricks").brick_count(), "pieces": _pieces, "shot_bricks": _shot_bricks,
		"crates_aboard": aboard, "crew_aboard": crew})
	return figures


func _is_aboard(place: Vector3) -> bool:
	return absf(place.x) < HALF_LENGTH * UNIT and absf(place.z) < HALF_WIDTH * UNIT and place.y > 0.0 and place.y < 2 * HEIGHT * UNIT


## The engines hold the course: the weight of what is aboard does not draw the carrier down.
func _steer(number: int) -> void:
	var share := minf(number / float(RUN_UP), 1.0)
	_carrier.angular_velocity = Vector3.UP * SPIN * share
	_carrier.linear_velocity = _carrier.global_basis.x * SPEED * share


## Takes a batch of bricks out and puts the last one back.
func _work() -> void:
	var bricks: Resource = _carrier.get("bricks")
	if _out >= 0:
		_numbers[_out] = bricks.call("add_boxes", _batches[_out], _settings[_out])
	_out = (_out + 1) % _batches.size()
	if not bricks.call("remove_bricks", _numbers[_out]):
		_out = -1


## Tears a hole into the side by a ray from outside; what hangs on nothing falls off.
func _shoot(number: int) -> void:
	var bricks: Resource = _carrier.get("bricks")
	var at := Vector3(-40.0 + fmod(7.3 * number / SHOT_EVERY, 60.0), 3.0 + fmod(1.7 * number / SHOT_EVERY, 5.0), HALF_WIDTH * UNIT)
	var from := _carrier.to_global(at + Vector3(0, 0, 30))
	var query := PhysicsRayQueryParameters3D.create(from, _carrier.to_global(at - Vector3(0, 0, 3)))
	var hit := get_world_3d().direct_space_state.intersect_ray(query)
	if hit.is_empty() or hit["collider"] != _carrier:
		return
	var struck: PackedInt32Array = bricks.call("bricks_in_ball", _carrier.to_local(hit["position"]), SHOT_RADIUS)
	_carrier.set("breaks", true)
	_forget(struck)
	bricks.call("remove_bricks", struck)
	_shot_bricks += struck.size()
	_carrier.call("break_apart")
	_carrier.set("breaks", false)


## Bricks that are shot away are no longer worked at: their batches, which their tags tell, go on with the others.
func _forget(struck: PackedInt32Array) -> void:
	var settings: PackedInt32Array = _carrier.get("bricks").call("settings_of", struck)
	for number: int in struck.size():
		var batch := settings[4 * number + 3] / COLOURS
		var at := _numbers[batch].find(struck[number])
		_numbers[batch].remove_at(at)
		_batches[batch] = _batches[batch].slice(0, 6 * at) + _batches[batch].slice(6 * at + 6)
		_settings[batch] = _settings[batch].slice(0, 4 * at) + _settings[batch].slice(4 * at + 4)


## Where a crate stands at first: rows on every deck.
func _berth(number: int, decks: int) -> Vector3:
	var deck: int = DECKS[number % decks]
	var place := number / decks
	return Vector3(-46.0 + 4.2 * (place % 22), (deck + 1) * UNIT + 0.41, -12.0 + 5.0 * (place / 22))


func _add_crew(number: int) -> void:
	var deck: int = DECKS[number % DECKS.size()]
	var lane := -14.2 + 4.7 * (number / DECKS.size())
	var along := -40.0 + 5.0 * (number % 5)
	var one := Crew.new(_carrier, along - 6.0, along + 6.0)
	one.position = _carrier.transform * Vector3(along, (deck + 1) * UNIT + 0.05, lane)
	if is_drawn():
		var mesh := CapsuleMesh.new()
		mesh.radius = Crew.RADIUS
		mesh.height = Crew.HEIGHT
		add_mesh(one, mesh, Transform3D(Basis.IDENTITY, Vector3.UP * Crew.HEIGHT / 2.0), ROSE)
	add_child(one)
	_crew.append(one)


## The hull, cell by cell: two layers outside, decks, bulkheads with doors, a bridge, a hatch in the roof.
func _lay_hull() -> void:
	var cells: Array[Vector4i] = []
	for x: int in range(-HALF_LENGTH, HALF_LENGTH):
		for z: int in range(-HALF_WIDTH - 1, HALF_WIDTH + 1):
			for y: int in _heights(x, z):
				cells.append(Vector4i(x, y, z, _colour(x, y, z)))
	for x: int in range(60, 84):
		for z: int in range(-9, 9):
			for y: int in range(HEIGHT + 1, HEIGHT + 13):
				if x in [60, 83] or z in [-9, 8] or y == HEIGHT + 12:
					cells.append(Vector4i(x, y, z, 4 if (y - HEIGHT) % 4 == 2 else 3))
	for number: int in range(cells.size() - 1, 0, -1): # shuffled, so that a batch is all over the hull
		var other := random.randi_range(0, number)
		var swapped := cells[number]
		cells[number] = cells[other]
		cells[other] = swapped
	var bricks: Resource = _carrier.get("bricks")
	for first: int in range(0, cells.size(), EDITS):
		_add_batch(bricks, cells.slice(first, first + EDITS))


func _add_batch(bricks: Resource, cells: Array[Vector4i]) -> void:
	var boxes := PackedInt32Array()
	var settings := PackedInt32Array()
	for cell: Vector4i in cells:
		boxes.append_array([cell.x, cell.y, cell.z, cell.x + 1, cell.y + 1, cell.z + 1])
		settings.append_array([1, -1, 1, cell.w + COLOURS * _batches.size()])
	_batches.append(boxes)
	_settings.append(settings)
	_numbers.append(bricks.call("add_boxes", boxes, settings))


## The heights at which there are bricks in a column of the hull.
func _heights(x: int, z: int) -> Array:
	var is_end := x == -HALF_LENGTH or x == HALF_LENGTH - 1
	if z == -HALF_WIDTH - 1 or z == HALF_WIDTH:
		return range(HEIGHT + 1)
	if is_end or z == -HALF_WIDTH or z == HALF_WIDTH - 1:
		return range(-1, HEIGHT + 1)
	if x % 44 == 0 and absi(z) > 4:
		return range(-1, HEIGHT + 1)
	var is_hatch := x > -90 and x < -6 and absi(z) < 24
	return [-1, 0, 6] if is_hatch else [-1, 0, 6, 12, HEIGHT - 1, HEIGHT]


func _colour(x: int, y: int, z: int) -> int:
	if y == 0 or y == 6 or y == 12:
		return 1 if (x / 4 + z / 4) % 2 == 0 else 0
	return 2 if y in [4, 5] else 0
