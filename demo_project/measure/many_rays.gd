extends SceneTree
## The cost of 10,000 rays from a script among 5,000 boxes of 1 m: one call of `Scree.cast_rays`, with the arrays made once or made
## for each call; and one by one, on any engine. Run with `-s res://measure/many_rays.gd -- --json=FILE`; times are the least of
## some rounds [us].

const BOXES := 5000
const RAYS := 10000
const SIDE := 200.0
const ROUNDS := 40

var _random := RandomNumberGenerator.new()
var _space: RID
var _box: RID
var _bodies: Array[RID] = []
var _begins: PackedVector3Array = []
var _ends: PackedVector3Array = []
var _frame := 0


func _initialize() -> void:
	_random.seed = 1
	_space = PhysicsServer3D.space_create()
	PhysicsServer3D.space_set_active(_space, true)
	_box = PhysicsServer3D.box_shape_create()
	PhysicsServer3D.shape_set_data(_box, Vector3(0.5, 0.5, 0.5))
	for _number: int in BOXES:
		var body := PhysicsServer3D.body_create()
		PhysicsServer3D.body_set_mode(body, PhysicsServer3D.BODY_MODE_STATIC)
		PhysicsServer3D.body_add_shape(body, _box)
		var at := _place(_random.randf_range(0, 5))
		PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM, Transform3D(Basis.IDENTITY, at))
		PhysicsServer3D.body_set_space(body, _space)
		_bodies.append(body)
	_make_rays()


func _physics_process(_delta: float) -> bool:
	_frame += 1
	if _frame < 40:  # engines that build their trees step by step have done so
		return false
	var figures := {"engine": PhysicsServer3D.get_class(), "setting": ProjectSettings.get_setting("physics/3d/physics_engine"), "rays": RAYS}
	var scree: Object = Engine.get_singleton("Scree") if Engine.has_singleton("Scree") else null
	_random.seed = 2
	_make_rays()
	var least := {"one_by_one": 1 << 60, "given": 1 << 60, "made": 1 << 60}
	for _round: int in ROUNDS:
		var begin := Time.get_ticks_usec()
		figures["hit"] = _one_by_one()
		least["one_by_one"] = mini(least["one_by_one"], Time.get_ticks_usec() - begin)
		if PhysicsServer3D.get_class() == "ScreePhysicsServer3D":
			begin = Time.get_ticks_usec()
			var hits: Object = scree.cast_rays(_space, _begins, _ends)
			least["given"] = mini(least["given"], Time.get_ticks_usec() - begin)
			figures["hit_at_once"] = hits.is_hit.count(1)
			begin = Time.get_ticks_usec()
			_make_rays()
			scree.cast_rays(_space, _begins, _ends)
			least["made"] = mini(least["made"], Time.get_ticks_usec() - begin)
			_random.seed = 2
			_make_rays()
	for name: String in least:
		figures[name + "_us"] = least[name]
	for argument: String in OS.get_cmdline_user_args():
		if argument.begins_with("--json="):
			FileAccess.open(argument.trim_prefix("--json="), FileAccess.WRITE).store_string(JSON.stringify(figures))
	return true


func _place(height: float) -> Vector3:
	return Vector3(_random.randf_range(-0.5, 0.5) * SIDE, height, _random.randf_range(-0.5, 0.5) * SIDE)


func _make_rays() -> void:
	_begins = PackedVector3Array()
	_ends = PackedVector3Array()
	for _number: int in RAYS:
		var begin := _place(10)
		_begins.append(begin)
		_ends.append(begin + Vector3(0, -20, 0))


func _one_by_one() -> int:
	var state := PhysicsServer3D.space_get_direct_state(_space)
	var query := PhysicsRayQueryParameters3D.new()
	var count := 0
	for number: int in RAYS:
		query.from = _begins[number]
		query.to = _ends[number]
		count += int(not state.intersect_ray(query).is_empty())
	return count


func _finalize() -> void:
	for body: RID in _bodies:
		PhysicsServer3D.free_rid(body)
	for thing: RID in [_box, _space]:
		PhysicsServer3D.free_rid(thing)
