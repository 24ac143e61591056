extends RefCounted
## Arguments for random calls of the physics server: valid ones made from each argument's type, class and name, and ways to
## spoil one of them.

const MOST := {"shape": 60, "space": 4, "area": 24, "body": 80, "soft": 8, "joint": 30}
const SHAPES: Array[String] = ["world_boundary", "separation_ray", "sphere", "box", "capsule", "cylinder", "convex_polygon",
	"concave_polygon", "heightmap"]
const JOINTS := {"pin": PhysicsServer3D.JOINT_TYPE_PIN, "hinge": PhysicsServer3D.JOINT_TYPE_HINGE,
	"slider": PhysicsServer3D.JOINT_TYPE_SLIDER, "cone_twist": PhysicsServer3D.JOINT_TYPE_CONE_TWIST,
	"generic_6dof": PhysicsServer3D.JOINT_TYPE_6DOF}
## An argument of this name may hold anything of its type.
const FREE_NAMES: Array[String] = ["layer", "mask", "id", "priority", "userdata"]

var random := RandomNumberGenerator.new()

var _pools := {"shape": [], "space": [], "area": [], "body": [], "soft": [], "joint": []}
var _world_space: RID
var _gone: Array[RID] = []
var _mesh := BoxMesh.new()
## The object and values that the arguments of the present call depend on.
var _state: Object
var _chosen := {}


## `world_space` is the space of the tree's root, which is used but never freed.
func _init(seed_value: int, world_space: RID) -> void:
	random.seed = seed_value
	_world_space = world_space
	for kind: String in MOST:
		for number: int in MOST[kind] / 2:
			_create(kind)
	for number: int in 20:
		_gone.append(PhysicsServer3D.body_create())
		PhysicsServer3D.free_rid(_gone[-1])


## The object whose method is called; null where there is none now.
func receiver(method: Dictionary) -> Object:
	match method["class"]:
		"PhysicsServer3D":
			return PhysicsServer3D
		"PhysicsDirectSpaceState3D":
			return PhysicsServer3D.space_get_direct_state(_space())
	for attempt: int in 60:
		_chosen["body"] = _pick("body")
		_state = PhysicsServer3D.body_get_direct_state(_chosen["body"])
		if _state != null and (not method["name"].begins_with("get_contact_") or _state.get_contact_count() > 0 or attempt == 59):
			return _state
	return null


## Valid arguments for `method`, or null where there are none now.
func make(method: Dictionary) -> Variant:
	if method["class"] == "PhysicsServer3D":
		_chosen = {}
	var values := []
	for argument: Dictionary in method["args"]:
		var value: Variant = _value(method["name"], argument)
		if value is String and value == "none":
			return null
		_chosen[argument["name"]] = value
		values.append(value)
	return values


## Makes one argument wrong; false where none can be.
func spoil(method: Dictionary, values: Array) -> bool:
	var places: Array[int] = []
	for place: int in values.size():
		if _can_be_wrong(method["name"], method["args"][place], values[place]):
			places.append(place)
	if places.is_empty():
		return false
	var at := places[random.randi_range(0, places.size() - 1)]
	values[at] = _wrong(method["args"][at], values[at])
	return true


## Keeps what a call made, and forgets what it freed.
func take(method: Dictionary, values: Array, answer: Variant, is_valid: bool) -> void:
	var name: String = method["name"]
	if method["class"] != "PhysicsServer3D":
		return
	if answer is RID and name.ends_with("_create") and answer.is_valid():
		_keep("soft" if name == "soft_body_create" else name.get_slice("_", name.count("_") - 1), answer)
	elif name == "free_rid" and is_valid:
		_forget(values[0])
	elif name == "set_active":
		PhysicsServer3D.set_active(true)


func free_all() -> void:
	for kind: String in ["joint", "body", "soft", "area", "shape", "space"]:
		for rid: RID in _pools[kind]:
			PhysicsServer3D.free_rid(rid)
		_pools[kind].clear()


func on_any(_a: Variant = null, _b: Variant = null, _c: Variant = null, _d: Variant = null, _e: Variant = null) -> void:
	pass


func _create(kind: String) -> void:
	match kind:
		"shape": _keep(kind, PhysicsServer3D.call(SHAPES[random.randi_range(0, SHAPES.size() - 1)] + "_shape_create"))
		"soft": _keep(kind, PhysicsServer3D.soft_body_create())
		_: _keep(kind, PhysicsServer3D.call(kind + "_create"))


func _keep(kind: String, rid: RID) -> void:
	if not rid.is_valid():
		return
	_pools[kind].append(rid)
	if kind == "shape" and PhysicsServer3D.shape_get_type(rid) != PhysicsServer3D.SHAPE_CUSTOM:
		PhysicsServer3D.shape_set_data(rid, _shape_data(rid))
	elif kind == "space":
		PhysicsServer3D.space_set_active(rid, true)
	elif kind == "body":
		PhysicsServer3D.body_add_shape(rid, _shape_for_bodies())
		PhysicsServer3D.body_set_space(rid, _world_space if random.randf() < 0.5 else _pick("space"))
		PhysicsServer3D.body_set_state(rid, PhysicsServer3D.BODY_STATE_TRANSFORM, _transform())
		PhysicsServer3D.body_set_max_contacts_reported(rid, 4)
	elif kind == "area":
		PhysicsServer3D.area_add_shape(rid, _pick("shape"))
		PhysicsServer3D.area_set_space(rid, _space())
	if _pools[kind].size() > MOST[kind]:
		var oldest: RID = _pools[kind][0]
		PhysicsServer3D.free_rid(oldest)
		_forget(oldest)


func _forget(rid: RID) -> void:
	for kind: String in _pools:
		if rid in _pools[kind]:
			_pools[kind].erase(rid)
			if _pools[kind].size() < MOST[kind] / 4:
				_create(kind)
	_gone.append(rid)
	if _gone.size() > 100:
		_gone.pop_front()


func _pick(kind: String) -> RID:
	if _pools[kind].is_empty():
		_create(kind)
	return _pools[kind][random.randi_range(0, _pools[kind].size() - 1)] if not _pools[kind].is_empty() else RID()


func _space() -> RID:
	return _world_space if random.randf() < 0.4 else _pick("space")


func _shape_for_bodies() -> RID:
	for attempt: int in 20:
		var shape := _pick("shape")
		if PhysicsServer3D.shape_get_type(shape) not in [PhysicsServer3D.SHAPE_CUSTOM, PhysicsServer3D.SHAPE_WORLD_BOUNDARY]:
			return shape
	return _pick("shape")


func _value(method: String, argument: Dictionary) -> Variant:
	var name: String = argument["name"]
	match argument["type"]:
		TYPE_RID: return _rid(method, name)
		TYPE_INT: return _integer(method, name, argument["class_name"])
		TYPE_FLOAT: return _number(method, name)
		TYPE_BOOL: return random.randf() < 0.5
		TYPE_VECTOR3: return _vector(20.0 if "position" not in name else 2.0)
		TYPE_TRANSFORM3D: return _transform()
		TYPE_CALLABLE: return Callable() if random.randf() < 0.3 else Callable(self, "on_any")
		TYPE_OBJECT: return _object(argument["class_name"])
		TYPE_ARRAY: return []
		TYPE_NIL: return _variant(method, name)
	push_error("no generator for %s of %s, type %s" % [name, method, type_string(argument["type"])])
	return "none"


func _rid(method: String, name: String) -> Variant:
	if name == "mesh":
		return _mesh.get_rid()
	if name == "rid":
		var kinds := ["shape", "shape", "area", "body", "body", "joint", "soft", "space"]
		var kind: String = kinds[random.randi_range(0, kinds.size() - 1)]
		return _pick(kind)
	if name == "space":
		return RID() if method.ends_with("set_space") and random.randf() < 0.1 else _space()
	if name == "shape":
		return _shape_with_data() if method == "shape_set_data" else _pick("shape")
	if name == "joint":
		return _joint_for(method)
	if method.begins_with("soft_body_"):
		return _pick("soft" if name == "body" else "body")
	if name == "body_B":
		if random.randf() < 0.2:
			return RID()
		for attempt: int in 50:
			var other := _pick("body")
			if other != _chosen["body_A"]:
				return other
	if name == "area":
		return _area_for(method)
	var body := _pick("body")
	if "shape_idx" in _names_of(method) and PhysicsServer3D.body_get_shape_count(body) == 0:
		PhysicsServer3D.body_add_shape(body, _shape_for_bodies())
	if method == "body_test_motion" and not PhysicsServer3D.body_get_space(body).is_valid():
		PhysicsServer3D.body_set_space(body, _world_space)
	return body


func _area_for(method: String) -> RID:
	if method in ["area_set_param", "area_get_param"] and random.randf() < 0.1:
		return _space()
	var area := _pick("area")
	if "shape_idx" in _names_of(method) and PhysicsServer3D.area_get_shape_count(area) == 0:
		PhysicsServer3D.area_add_shape(area, _pick("shape"))
	return area


var _argument_names := {}


func _names_of(method: String) -> Array:
	if _argument_names.is_empty():
		for entry: Dictionary in ClassDB.class_get_method_list("PhysicsServer3D", true):
			_argument_names[entry["name"]] = entry["args"].map(func(one: Dictionary) -> String: return one["name"])
	return _argument_names.get(method, [])


func _shape_with_data() -> RID:
	for attempt: int in 50:
		var shape := _pick("shape")
		if PhysicsServer3D.shape_get_type(shape) != PhysicsServer3D.SHAPE_CUSTOM:
			return shape
	return _pick("shape")


## A joint of the type that a method asks for; made where there is none.
func _joint_for(method: String) -> RID:
	for type_name: String in JOINTS:
		if method.begins_with(type_name + "_joint"):
			for joint: RID in _pools["joint"]:
				if random.randf() < 0.7 and PhysicsServer3D.joint_get_type(joint) == JOINTS[type_name]:
					return joint
			return _make_joint(type_name)
	return _pick("joint")


func _make_joint(type_name: String) -> RID:
	var joint := _pick("joint")
	var first := _pick("body")
	var second := _pick("body")
	while second == first:
		second = _pick("body")
	var is_pin := type_name == "pin"
	PhysicsServer3D.call("joint_make_" + type_name, joint, first, Vector3.UP if is_pin else Transform3D.IDENTITY,
			second, Vector3.DOWN if is_pin else Transform3D.IDENTITY)
	return joint


func _integer(method: String, name: String, enumeration: String) -> Variant:
	if enumeration == "Vector3.Axis":
		return random.randi_range(0, 2)
	if enumeration != "":
		return _constant(enumeration)
	match name:
		"layer", "mask": return random.randi() if random.randf() < 0.3 else 1
		"shape_idx":
			var count := PhysicsServer3D.body_get_shape_count(_chosen["body"]) if method.begins_with("body") \
					else PhysicsServer3D.area_get_shape_count(_chosen["area"])
			return random.randi_range(0, count - 1)
		"contact_idx":
			var contacts: int = _state.get_contact_count()
			return random.randi_range(0, contacts - 1) if contacts > 0 else "none"
		"id": return get_instance_id() if random.randf() < 0.5 else 0
		"max_results", "amount": return random.randi_range(1, 16)
		"point_index": return 0
	return random.randi_range(1, 8)


## One of the constants of an enumeration such as "PhysicsServer3D.BodyMode".
func _constant(enumeration: String) -> int:
	var names := Array(ClassDB.class_get_enum_constants(enumeration.get_slice(".", 0), enumeration.get_slice(".", 1)))
	names = names.filter(func(one: String) -> bool: return not one.ends_with("_MAX"))
	var name: String = names[random.randi_range(0, names.size() - 1)]
	_chosen["constant"] = name
	return ClassDB.class_get_integer_constant(enumeration.get_slice(".", 0), name)


func _number(_method: String, name: String) -> float:
	return random.randf_range(0.001, 0.2) if name == "margin" else random.randf_range(0.01, 1.0)


func _vector(reach: float) -> Vector3:
	return Vector3(random.randf_range(-reach, reach), random.randf_range(-reach, reach), random.randf_range(-reach, reach))


func _transform() -> Transform3D:
	var quaternion := Quaternion(random.randfn(), random.randfn(), random.randfn(), random.randfn()).normalized()
	return Transform3D(Basis(quaternion), _vector(6.0))


func _object(type: String) -> Variant:
	match type:
		"PhysicsTestMotionParameters3D":
			var motion := PhysicsTestMotionParameters3D.new()
			motion.from = _transform()
			motion.motion = _vector(3.0)
			motion.max_collisions = random.randi_range(1, 8)
			motion.recovery_as_collision = random.randf() < 0.5
			motion.exclude_bodies = [_pick("body")]
			return motion
		"PhysicsTestMotionResult3D":
			return PhysicsTestMotionResult3D.new() if random.randf() < 0.8 else null
		"PhysicsRayQueryParameters3D":
			return PhysicsRayQueryParameters3D.create(_vector(8.0), _vector(8.0), 0xFFFFFFFF, [_pick("body")])
		"PhysicsPointQueryParameters3D":
			var point := PhysicsPointQueryParameters3D.new()
			point.position = _vector(6.0)
			point.collide_with_areas = random.randf() < 0.5
			return point
		"PhysicsShapeQueryParameters3D":
			var query := PhysicsShapeQueryParameters3D.new()
			var shape := _pick("shape")
			query.shape_rid = shape
			query.transform = _transform()
			query.motion = _vector(3.0)
			return query
		"PhysicsServer3DRenderingServerHandler":
			return null
	return "none"


func _variant(method: String, name: String) -> Variant:
	match method:
		"shape_set_data": return _shape_data(_chosen["shape"])
		"body_set_state", "soft_body_set_state": return _body_state(_chosen["constant"])
		"body_set_force_integration_callback": return null if random.randf() < 0.5 else 5
	var constant: String = _chosen.get("constant", "")
	if name == "value" and method in ["body_set_param", "area_set_param"]:
		if constant.ends_with("_MODE"):
			return random.randi_range(0, 4 if constant.begins_with("AREA") else 1)
		for word: String in ["VECTOR", "SOURCE", "DIRECTION", "CENTER_OF_MASS"]:
			if constant.ends_with(word):
				return _vector(1.0)
		if constant.ends_with("INERTIA"):
			return Vector3.ONE * random.randf_range(0.1, 2.0)
		if constant.ends_with("IS_POINT"):
			return random.randf() < 0.5
		if constant.ends_with("PRIORITY"):
			return random.randi_range(0, 5)
		return random.randf_range(0.01, 2.0)
	push_error("no generator for %s of %s" % [name, method])
	return "none"


func _body_state(constant: String) -> Variant:
	if constant.ends_with("TRANSFORM"):
		return _transform()
	return _vector(10.0) if constant.ends_with("VELOCITY") else random.randf() < 0.5


func _shape_data(shape: RID) -> Variant:
	var size := random.randf_range(0.2, 1.5)
	match PhysicsServer3D.shape_get_type(shape):
		PhysicsServer3D.SHAPE_WORLD_BOUNDARY: return Plane(_vector(1.0).normalized(), -8.0)
		PhysicsServer3D.SHAPE_SEPARATION_RAY: return {"length": size, "slide_on_slope": random.randf() < 0.5}
		PhysicsServer3D.SHAPE_SPHERE: return size
		PhysicsServer3D.SHAPE_BOX: return Vector3(size, random.randf_range(0.2, 1.5), random.randf_range(0.2, 1.5))
		PhysicsServer3D.SHAPE_CAPSULE: return {"radius": size, "height": 2.0 * size + random.randf()}
		PhysicsServer3D.SHAPE_CYLINDER: return {"radius": size, "height": random.randf_range(0.2, 2.0)}
		PhysicsServer3D.SHAPE_CONVEX_POLYGON:
			var points := PackedVector3Array()
			for corner: int in random.randi_range(4, 12):
				points.append(_vector(1.0))
			return points
		PhysicsServer3D.SHAPE_CONCAVE_POLYGON:
			var faces := PackedVector3Array()
			for corner: int in 3 * random.randi_range(1, 12):
				faces.append(_vector(2.0))
			return {"faces": faces, "backface_collision": random.randf() < 0.5}
	var heights := PackedFloat32Array()
	for cell: int in 20:
		heights.append(random.randf())
	return {"width": 5, "depth": 4, "heights": heights, "min_height": 0.0, "max_height": 1.0}


func _can_be_wrong(method: String, argument: Dictionary, value: Variant) -> bool:
	# Nodes ask for the state of bodies that are gone: that is null, in silence.
	# Soft bodies are not built yet: much of what is asked of them is not looked at.
	if argument["name"] in FREE_NAMES or method.begins_with("soft_body_") or method == "body_get_direct_state":
		return false
	match argument["type"]:
		TYPE_RID, TYPE_VECTOR3, TYPE_TRANSFORM3D, TYPE_FLOAT: return true
		TYPE_INT: return argument["class_name"] != "" or argument["name"] in ["shape_idx", "contact_idx"]
		TYPE_NIL: return value is float or value is Vector3 or value is Transform3D
	return false


func _wrong(argument: Dictionary, value: Variant) -> Variant:
	match typeof(value):
		TYPE_RID: return _wrong_rid(argument["name"])
		TYPE_INT: return 99
		TYPE_FLOAT: return [NAN, INF, -INF][random.randi_range(0, 2)]
		TYPE_VECTOR3: return Vector3(1, NAN, 0) if random.randf() < 0.5 else Vector3(INF, 0, 0)
	return Transform3D(Basis.IDENTITY, Vector3(0, NAN, 0))


## A wrong RID: a freed one, one of another kind, or an empty one where that is not allowed.
func _wrong_rid(name: String) -> RID:
	var choice := random.randi_range(0, 2)
	if choice == 0 and name not in ["space", "body_B"]:
		return RID()
	if choice == 1 and name != "rid":
		return _pick("joint" if name != "joint" else "shape")
	return _gone[random.randi_range(0, _gone.size() - 1)]
