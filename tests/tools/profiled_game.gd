extends Node3D
## A game for the profiler: boxes that fall on a heap, without an end.


func _ready() -> void:
	print("[game] ", PhysicsServer3D.get_class())
	_add(StaticBody3D.new(), Vector3(60, 1, 60), Vector3(0, -0.5, 0))
	for k: int in 400:
		_add(RigidBody3D.new(), Vector3.ONE, Vector3(k % 7 * 1.1, 1.0 + floorf(k / 49.0) * 1.2, floorf(k % 49 / 7.0) * 1.1))


func _add(body: PhysicsBody3D, size: Vector3, place: Vector3) -> void:
	var node := CollisionShape3D.new()
	var box := BoxShape3D.new()
	box.size = size
	node.shape = box
	body.add_child(node)
	body.position = place
	if body is RigidBody3D:
		(body as RigidBody3D).can_sleep = false
	add_child(body)
