extends SceneTree
## A callback that frees its own body on the server, one that replaces its own Callable, and one whose object is gone.

var _calls := {"freed": 0, "replaced": 0, "replacement": 0, "gone": 0, "userdata": 0}
var _bodies := {}
var _ticks := 0
var _gone := RefCounted.new()


class Listener:
	extends RefCounted
	var main: SceneTree

	func hear(_state: PhysicsDirectBodyState3D) -> void:
		main._calls["gone"] += 1


func _body(name: String) -> RID:
	var body := PhysicsServer3D.body_create()
	PhysicsServer3D.body_set_mode(body, PhysicsServer3D.BODY_MODE_RIGID)
	PhysicsServer3D.body_set_space(body, root.world_3d.space)
	_bodies[name] = body
	return body


func _initialize() -> void:
	print("class ", PhysicsServer3D.get_class())
	var hold := PackedByteArray([1, 2, 3])  # what the lambda holds goes when the lambda goes
	PhysicsServer3D.body_set_state_sync_callback(_body("freed"), func(state: PhysicsDirectBodyState3D) -> void:
		_calls["freed"] += hold.size() / 3
		PhysicsServer3D.free_rid(_bodies["freed"])
		if state.transform != Transform3D.IDENTITY or state.get_contact_count() != 0:
			printerr("the state of a freed body does not answer nothing"))
	PhysicsServer3D.body_set_state_sync_callback(_body("replaced"), func(_state: PhysicsDirectBodyState3D) -> void:
		_calls["replaced"] += hold.size() / 3
		PhysicsServer3D.body_set_state_sync_callback(_bodies["replaced"], func(state: PhysicsDirectBodyState3D) -> void:
			_calls["replacement"] += 1
			state.linear_velocity = Vector3.ZERO))
	var listener := Listener.new()
	listener.main = self
	_gone = listener
	PhysicsServer3D.body_set_state_sync_callback(_body("gone"), listener.hear)
	PhysicsServer3D.body_set_force_integration_callback(_body("userdata"),
			func(state: PhysicsDirectBodyState3D, data: Dictionary) -> void:
				_calls["userdata"] += data["one"]
				state.integrate_forces(), {"one": 1})


func _physics_process(_delta: float) -> bool:
	_ticks += 1
	if _ticks == 5:
		_gone = null
	if _ticks < 10:
		return false
	print(JSON.stringify(_calls))
	for name: String in ["replaced", "gone", "userdata"]:
		PhysicsServer3D.free_rid(_bodies[name])
	return true
