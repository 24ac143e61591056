extends SceneTree
## Motion tests: a character falls onto the floor, walks into a wall and up a slope; exceptions are left out.

var _character: CharacterBody3D
var _ticks := 0


func _shape(body: CollisionObject3D, shape: Shape3D) -> CollisionObject3D:
	var node := CollisionShape3D.new()
	node.shape = shape
	body.add_child(node)
	return body


func _box(size: Vector3) -> BoxShape3D:
	var box := BoxShape3D.new()
	box.size = size
	return box


func _place(body: CollisionObject3D, where: Vector3) -> CollisionObject3D:
	body.position = where
	root.add_child(body)
	return body


func _initialize() -> void:
	print("class ", PhysicsServer3D.get_class())
	_place(_shape(StaticBody3D.new(), _box(Vector3(40, 1, 40))), Vector3(0, -0.5, 0))
	_place(_shape(StaticBody3D.new(), _box(Vector3(1, 4, 40))), Vector3(5, 2, 0))
	_character = _place(_shape(CharacterBody3D.new(), CapsuleShape3D.new()), Vector3(0, 2, 0))


func _physics_process(delta: float) -> bool:
	_ticks += 1
	var walk := Vector3(3, 0, 0) if _ticks > 60 else Vector3.ZERO
	_character.velocity = Vector3(walk.x, _character.velocity.y - 9.8 * delta, 0)
	_character.move_and_slide()
	if _ticks == 60:
		print("falls: floor %s at %.2f" % [_character.is_on_floor(), _character.position.y])
	if _ticks == 240:
		print("walks: floor %s wall %s at %.2f %.2f" % [
				_character.is_on_floor(), _character.is_on_wall(), _character.position.x, _character.position.y])
		_ask()
	return _ticks >= 240


func _ask() -> void:
	var ball := SphereShape3D.new()
	var body: StaticBody3D = _place(_shape(StaticBody3D.new(), ball), Vector3(0, 10, 0))
	var probe: AnimatableBody3D = _place(_shape(AnimatableBody3D.new(), ball), Vector3(0, 20, 0))
	var hit := probe.move_and_collide(Vector3(0, -15, 0), true)
	print("hits %s at %.2f after %.2f normal %.1f" % [
			hit.get_collider() == body, hit.get_position().y, hit.get_travel().length(), hit.get_normal().y])
	print("tests %s %s" % [
			probe.test_move(probe.transform, Vector3(0, -15, 0)), probe.test_move(probe.transform, Vector3(0, 15, 0))])
	probe.add_collision_exception_with(body)
	print("excepted %s" % (probe.move_and_collide(Vector3(0, -15, 0), true) == null))
	probe.remove_collision_exception_with(body)
	var motion := PhysicsTestMotionParameters3D.new()
	motion.from = probe.transform
	motion.motion = Vector3(0, -15, 0)
	motion.exclude_bodies = [body.get_rid()]
	print("left out %s" % (not PhysicsServer3D.body_test_motion(probe.get_rid(), motion)))
	motion.exclude_bodies = []
	motion.exclude_objects = [body.get_instance_id()]
	print("left out %s" % (not PhysicsServer3D.body_test_motion(probe.get_rid(), motion)))
	var sweep := PhysicsShapeQueryParameters3D.new()
	sweep.shape = ball
	sweep.transform = Transform3D(Basis.from_scale(Vector3.ONE * 2.0), Vector3(0, 20, 0))
	sweep.motion = Vector3(0, -16, 0)
	sweep.exclude = [probe.get_rid()]
	print("scaled %.3f" % root.world_3d.direct_space_state.cast_motion(sweep)[0])
