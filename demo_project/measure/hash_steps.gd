extends SceneTree
## Steps a heap of boxes made through PhysicsServer3D, of which some are freed and made anew on the way, and reports a hash of all
## transforms after every tick: whoever runs the jobs of a step, the hashes are to be the same. Options after `--`: --ticks=N,
## --json=FILE.

const COUNT := 600
## So many ticks after each other a box is freed, and another falls onto the heap.
const REPLACE_EVERY := 5

var _bodies: Array[RID] = []
var _kept: Array[RID] = []
var _hashes: Array[int] = []
var _replaced := 0
var _ticks := 200
var _json_path := ""


func _initialize() -> void:
	for argument: String in OS.get_cmdline_user_args():
		match argument.get_slice("=", 0):
			"--ticks": _ticks = argument.get_slice("=", 1).to_int()
			"--json": _json_path = argument.get_slice("=", 1)
			_: push_error("unknown option %s" % argument)
	var space := root.get_world_3d().space
	var plane := PhysicsServer3D.world_boundary_shape_create()
	PhysicsServer3D.shape_set_data(plane, Plane(Vector3.UP, 0.0))
	var box := PhysicsServer3D.box_shape_create()
	PhysicsServer3D.shape_set_data(box, Vector3(0.5, 0.5, 0.5))
	_kept = [plane, box, _add(space, plane, Vector3.ZERO, PhysicsServer3D.BODY_MODE_STATIC)]
	for k: int in COUNT:
		var cell := Vector3(k % 8, 1.0 + (k / 64) * 1.3, (k / 8) % 8) * 1.1
		_bodies.append(_add(space, box, cell + Vector3(0.07 * (k % 5), 0, 0.05 * (k % 7)), PhysicsServer3D.BODY_MODE_RIGID))


func _add(space: RID, shape: RID, place: Vector3, mode: int) -> RID:
	var body := PhysicsServer3D.body_create()
	PhysicsServer3D.body_set_mode(body, mode)
	PhysicsServer3D.body_add_shape(body, shape)
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM, Transform3D(Basis.IDENTITY, place))
	PhysicsServer3D.body_set_space(body, space)
	return body


## Frees a box from somewhere in the heap; the one that comes for it falls from above.
func _replace() -> void:
	var tick := _hashes.size()
	var number := (tick * 7) % COUNT
	PhysicsServer3D.free_rid(_bodies[number])
	_bodies.remove_at(number)
	var place := Vector3(2.0 + 0.3 * (tick % 11), 14.0, 2.0 + 0.4 * (tick % 13))
	_bodies.append(_add(root.get_world_3d().space, _kept[1], place, PhysicsServer3D.BODY_MODE_RIGID))
	_replaced += 1


func _physics_process(_delta: float) -> bool:
	var states := []
	for body: RID in _bodies:
		states.append(PhysicsServer3D.body_get_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM))
	_hashes.append(hash(states))
	if _hashes.size() < _ticks:
		if _hashes.size() % REPLACE_EVERY == 0:
			_replace()
		return false
	var file := FileAccess.open(_json_path, FileAccess.WRITE)
	file.store_string(JSON.stringify({"engine": PhysicsServer3D.get_class(), "hashes": _hashes, "replaced": _replaced}))
	file.close()
	for body: RID in _bodies:
		PhysicsServer3D.free_rid(body)
	for kept: RID in [_kept[2], _kept[0], _kept[1]]:
		PhysicsServer3D.free_rid(kept)
	return true
