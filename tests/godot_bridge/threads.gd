extends SceneTree
## Bodies, shapes and impulses from worker threads while the main thread steps; then everything is freed.

const WORKERS := 4
const ROUNDS := 60

var _space: RID
var _ball: RigidBody3D
var _tasks: Array[int] = []
var _made := 0
var _mutex := Mutex.new()
var _ticks := 0


func _initialize() -> void:
	print("class ", PhysicsServer3D.get_class())
	var floor_shape := CollisionShape3D.new()
	floor_shape.shape = WorldBoundaryShape3D.new()
	var ground := StaticBody3D.new()
	ground.add_child(floor_shape)
	root.add_child(ground)
	_ball = RigidBody3D.new()
	var ball_shape := CollisionShape3D.new()
	ball_shape.shape = SphereShape3D.new()
	_ball.add_child(ball_shape)
	_ball.position.y = 5.0
	root.add_child(_ball)
	_space = root.world_3d.space
	for worker: int in WORKERS:
		_tasks.append(WorkerThreadPool.add_task(_work.bind(worker)))


func _work(worker: int) -> void:
	for turn: int in ROUNDS:
		var shape := PhysicsServer3D.box_shape_create()
		PhysicsServer3D.shape_set_data(shape, Vector3.ONE * 0.5)
		var body := PhysicsServer3D.body_create()
		PhysicsServer3D.body_set_mode(body, PhysicsServer3D.BODY_MODE_RIGID)
		PhysicsServer3D.body_add_shape(body, shape)
		PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM,
				Transform3D(Basis.IDENTITY, Vector3(10 * worker + 20, 1 + turn, turn)))
		PhysicsServer3D.body_set_space(body, _space)
		PhysicsServer3D.body_apply_central_impulse(body, Vector3(0, 1, 0))
		var node := RigidBody3D.new()
		var node_shape := CollisionShape3D.new()
		node_shape.shape = CapsuleShape3D.new()
		node.add_child(node_shape)
		node.free()
		if turn % 2:
			PhysicsServer3D.free_rid(shape)
		PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY, Vector3(1, 0, 0))
		if PhysicsServer3D.body_get_shape_count(body) != (0 if turn % 2 else 1):
			printerr("a shape was lost")
		PhysicsServer3D.free_rid(body)
		if not turn % 2:
			PhysicsServer3D.free_rid(shape)
		_mutex.lock()
		_made += 1
		_mutex.unlock()


func _physics_process(_delta: float) -> bool:
	_ticks += 1
	var is_done := true
	for task: int in _tasks:
		is_done = is_done and WorkerThreadPool.is_task_completed(task)
	if not is_done or _ticks < 240:
		return false
	for task: int in _tasks:
		WorkerThreadPool.wait_for_task_completion(task)
	print("made ", _made)
	print("rests at %.2f asleep %s" % [_ball.position.y, _ball.sleeping])
	return true
