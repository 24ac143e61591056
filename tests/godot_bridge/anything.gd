extends SceneTree
## Every method of the physics server with arguments of every sort: right ones, ids of other kinds, freed ids, numbers that are
## not finite. Nothing may crash, and the world goes on. The seed is the first user argument.

const CALLS := 6000
const NEVER: Array[String] = [
	"free", "set_script", "set_active", "notification", "free_rid", "space_set_active", "space_create",
]

var _random := RandomNumberGenerator.new()
var _methods: Array[Dictionary] = []
var _rids: Array[RID] = []
var _mesh: RID
var _ball: RigidBody3D
var _ticks := 0


func _initialize() -> void:
	_random.seed = int(OS.get_cmdline_user_args()[0])
	print("class ", PhysicsServer3D.get_class())
	for method: Dictionary in ClassDB.class_get_method_list("PhysicsServer3D", true):
		if method.name not in NEVER and not method.flags & METHOD_FLAG_VIRTUAL:
			_methods.append(method)
	var ground := StaticBody3D.new()
	var ground_shape := CollisionShape3D.new()
	ground_shape.shape = WorldBoundaryShape3D.new()
	ground.add_child(ground_shape)
	ground.position.y = -900.0
	root.add_child(ground)
	_ball = RigidBody3D.new()
	var shape := CollisionShape3D.new()
	shape.shape = SphereShape3D.new()
	_ball.add_child(shape)
	_ball.position = Vector3(5000, -890, 5000)
	root.add_child(_ball)
	Engine.print_error_messages = false
	for make: String in ["sphere_shape", "box_shape", "capsule_shape", "convex_polygon_shape", "concave_polygon_shape",
			"world_boundary_shape", "heightmap_shape", "separation_ray_shape", "body", "body", "body", "area", "joint",
			"joint", "soft_body"]:
		_rids.append(PhysicsServer3D.call(make + "_create"))
	PhysicsServer3D.shape_set_data(_rids[0], 0.5)
	PhysicsServer3D.shape_set_data(_rids[1], Vector3.ONE)
	for i: int in [8, 9, 10]:
		PhysicsServer3D.body_add_shape(_rids[i], _rids[i % 2])
		PhysicsServer3D.body_set_space(_rids[i], root.world_3d.space)
	var gone := PhysicsServer3D.body_create()
	PhysicsServer3D.free_rid(gone)
	_mesh = RenderingServer.mesh_create()
	_rids.append_array([gone, RID(), rid_from_int64(12345), _mesh])


func _number() -> float:
	return [0.0, 1.0, -1.0, 0.5, NAN, INF, -INF, 1e30, -1e30, 1e-30][_random.randi_range(0, 9)]


func _vector() -> Vector3:
	return Vector3(_random.randf(), 1.0, -2.0) if _random.randi_range(0, 2) else Vector3(_number(), _number(), _number())


func _transform() -> Transform3D:
	var basis := Basis.from_euler(Vector3(_random.randf(), 0, 1))
	return Transform3D(basis, _vector()) if _random.randi_range(0, 2) else Transform3D(_vector(), _vector(), _vector(), _vector())


func _variant() -> Variant:
	match _random.randi_range(0, 9):
		0: return null
		1: return _number()
		2: return _random.randi_range(-5, 5)
		3: return _vector()
		4: return _transform()
		5: return "text"
		6: return {"radius": _number(), "height": _number(), "length": 1, "faces": PackedVector3Array([_vector(), _vector(),
				_vector()]), "width": 2, "depth": 2, "heights": PackedFloat32Array([0, 1, _number(), 0])}
		7: return PackedVector3Array([_vector(), _vector(), _vector(), _vector(), Vector3.ZERO])
		8: return Plane(_vector(), _number())
	return true


func _value(type: int, type_name: String) -> Variant:
	match type:
		TYPE_BOOL: return bool(_random.randi_range(0, 1))
		TYPE_INT: return [0, 1, 2, 3, -1, 7, 31, 1 << 40][_random.randi_range(0, 7)]
		TYPE_FLOAT: return _number()
		TYPE_VECTOR3: return _vector()
		TYPE_TRANSFORM3D: return _transform()
		TYPE_RID: return _rids[_random.randi_range(0, _rids.size() - 1)]
		TYPE_CALLABLE: return Callable() if _random.randi_range(0, 1) else func(_state: Variant) -> void: pass
		TYPE_OBJECT:
			if type_name == "PhysicsTestMotionParameters3D":
				var motion := PhysicsTestMotionParameters3D.new()
				motion.from = _transform()
				motion.motion = _vector()
				motion.max_collisions = _random.randi_range(1, 32)
				return motion
			return null
	return _variant()


## An id of the kind that the method works on.
func _fitting(method: String) -> RID:
	if method.begins_with("soft_body_"):
		return _rids[14]
	if method.begins_with("body_"):
		return _rids[_random.randi_range(8, 10)]
	if method.begins_with("shape_"):
		return _rids[_random.randi_range(0, 7)]
	if method.begins_with("area_"):
		return _rids[11]
	return root.world_3d.space if method.begins_with("space_") else _rids[_random.randi_range(12, 13)]


func _physics_process(_delta: float) -> bool:
	_ticks += 1
	if _ticks <= 60:
		for i: int in CALLS / 60:
			var method := _methods[_random.randi_range(0, _methods.size() - 1)]
			if method.name == "soft_body_update_rendering_server":
				continue
			var values: Array = []
			for argument: Dictionary in method.args:
				values.append(_value(argument.type, argument.class_name))
			if _random.randi_range(0, 4) and values and values[0] is RID:
				values[0] = _fitting(method.name)
			PhysicsServer3D.callv(method.name, values)
			if method.return.type == TYPE_RID and method.name.ends_with("_create") and _rids.size() < 200:
				_rids.append(_rids[0])
		_query()
	if _ticks == 61:
		for rid: RID in _rids:
			PhysicsServer3D.free_rid(rid)
		RenderingServer.free_rid(_mesh)
		Engine.print_error_messages = true
		_ball.linear_velocity = Vector3.ZERO
		# A space that was told not to push overlap out does not.
		PhysicsServer3D.space_set_param(root.world_3d.space, PhysicsServer3D.SPACE_PARAM_CONTACT_DEFAULT_BIAS, 0.8)
		PhysicsServer3D.space_set_param(root.world_3d.space, PhysicsServer3D.SPACE_PARAM_SOLVER_ITERATIONS, 16)
	if _ticks < 400:
		return false
	print("rests at %.2f asleep %s" % [_ball.position.y + 900.0, _ball.sleeping])
	return true


func _query() -> void:
	var state := root.world_3d.direct_space_state
	state.intersect_ray(PhysicsRayQueryParameters3D.create(_vector(), _vector()))
	var asked := PhysicsShapeQueryParameters3D.new()
	asked.shape_rid = _rids[_random.randi_range(0, _rids.size() - 1)]
	asked.transform = _transform()
	asked.motion = _vector()
	asked.margin = _number()
	state.intersect_shape(asked, 70)
	state.cast_motion(asked)
	state.collide_shape(asked, 70)
	state.get_rest_info(asked)
