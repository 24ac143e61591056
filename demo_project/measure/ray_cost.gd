extends SceneTree
## The cost of a closest-hit ray from a script, and of adding bodies one by one with a ray after each.
##
## A world of static boxes (half extents 0.5 to 2.5 m, random yaw) on a square with ground below; rays of 100 m, directions
## all round, from 1 to 20 m up. The same calls in an empty space give what the call itself costs. Run with
## `-s res://measure/ray_cost.gd -- --json=FILE`; times are floors over rounds, batch by batch.

const SIDE := 1500.0
const BOXES := 20000
const SIZES := 1000
const RAYS := 10000
const BATCH := 250
const ROUNDS := 11
const TILE := 2500

var _random := RandomNumberGenerator.new()
var _query := PhysicsRayQueryParameters3D.new()
var _shapes: Array[RID] = []
var _begins: PackedVector3Array = []
var _ends: PackedVector3Array = []
var _frame := 0
var _full: RID
var _empty: RID


func _initialize() -> void:
	_random.seed = 1
	_full = _space()
	_empty = _space()
	for _number: int in SIZES:
		var half := Vector3(_half(), _half(), _half())
		var shape := PhysicsServer3D.box_shape_create()
		PhysicsServer3D.shape_set_data(shape, half)
		_shapes.append(shape)
	for _number: int in BOXES:
		PhysicsServer3D.body_set_space(_box(SIDE), _full)
	var ground := PhysicsServer3D.box_shape_create()
	PhysicsServer3D.shape_set_data(ground, Vector3(SIDE, 2.0, SIDE) / 2.0)
	PhysicsServer3D.body_set_space(_body(ground, Transform3D(Basis.IDENTITY, Vector3(0, -1, 0))), _full)
	for _number: int in RAYS:
		var begin := Vector3(_random.randf_range(-0.5, 0.5) * SIDE, _random.randf_range(1, 20), _random.randf_range(-0.5, 0.5) * SIDE)
		var way := Vector3(_random.randfn(), _random.randfn(), _random.randfn()).normalized() * 100.0
		_begins.append(begin)
		_ends.append(begin + way)


func _physics_process(_delta: float) -> bool:
	_frame += 1
	if _frame < 40:  # engines that build their trees step by step have done so
		return false
	var figures := {
		"engine": PhysicsServer3D.get_class(),
		"setting": ProjectSettings.get_setting("physics/3d/physics_engine"),
		"rays": RAYS,
		"hit": _hits(_full),
		"empty_hit": _hits(_empty),
		"full_us": _cost(_full),
		"empty_us": _cost(_empty),
		"add_all_us": _add(false),
		"add_in_turn_us": _add(true),
	}
	for argument: String in OS.get_cmdline_user_args():
		if argument.begins_with("--json="):
			FileAccess.open(argument.trim_prefix("--json="), FileAccess.WRITE).store_string(JSON.stringify(figures))
	return true


func _half() -> float:
	return _random.randf_range(0.5, 2.5)


func _space() -> RID:
	var space := PhysicsServer3D.space_create()
	PhysicsServer3D.space_set_active(space, true)
	return space


func _body(shape: RID, transform: Transform3D) -> RID:
	var body := PhysicsServer3D.body_create()
	PhysicsServer3D.body_set_mode(body, PhysicsServer3D.BODY_MODE_STATIC)
	PhysicsServer3D.body_add_shape(body, shape)
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM, transform)
	return body


func _box(side: float) -> RID:
	var at := Vector3(_random.randf_range(-0.5, 0.5) * side, 1.5, _random.randf_range(-0.5, 0.5) * side)
	return _body(_shapes[_random.randi_range(0, SIZES - 1)], Transform3D(Basis(Vector3.UP, _random.randf() * TAU), at))


func _hits(space: RID) -> int:
	var state := PhysicsServer3D.space_get_direct_state(space)
	var count := 0
	for number: int in RAYS:
		_query.from = _begins[number]
		_query.to = _ends[number]
		count += int(not state.intersect_ray(_query).is_empty())
	return count


## Floors of batches, over the rounds, for one ray [us].
func _cost(space: RID) -> float:
	var state := PhysicsServer3D.space_get_direct_state(space)
	var floors: PackedInt64Array = []
	floors.resize(RAYS / BATCH)
	floors.fill(1 << 60)
	for _round: int in ROUNDS:
		for batch: int in RAYS / BATCH:
			var begin := Time.get_ticks_usec()
			for number: int in range(batch * BATCH, (batch + 1) * BATCH):
				_query.from = _begins[number]
				_query.to = _ends[number]
				state.intersect_ray(_query)
			floors[batch] = mini(floors[batch], Time.get_ticks_usec() - begin)
	var total := 0
	for least: int in floors:
		total += least
	return float(total) / RAYS


## Add the bodies of a tile and ask as many rays: all after all, or one after each [us in all], the least of some rounds.
func _add(in_turn: bool) -> int:
	var best := 1 << 60
	for _round: int in 5:
		var space := _space()
		var state := PhysicsServer3D.space_get_direct_state(space)
		var bodies: Array[RID] = []
		for _number: int in TILE:
			bodies.append(_box(300.0))
		var begin := Time.get_ticks_usec()
		if in_turn:
			for number: int in TILE:
				PhysicsServer3D.body_set_space(bodies[number], space)
				_query.from = _begins[number] * Vector3(0.2, 1, 0.2)
				_query.to = _query.from + _ends[number] - _begins[number]
				state.intersect_ray(_query)
		else:
			for body: RID in bodies:
				PhysicsServer3D.body_set_space(body, space)
			for number: int in TILE:
				_query.from = _begins[number] * Vector3(0.2, 1, 0.2)
				_query.to = _query.from + _ends[number] - _begins[number]
				state.intersect_ray(_query)
		best = mini(best, Time.get_ticks_usec() - begin)
		for body: RID in bodies:
			PhysicsServer3D.free_rid(body)
		PhysicsServer3D.free_rid(space)
	return best


func _finalize() -> void:
	for space: RID in [_full, _empty]:
		PhysicsServer3D.free_rid(space)
