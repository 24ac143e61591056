extends "res://checks.gd"
## Shapes and settings of bodies that Godot has no calls for, against formulas.

const ABOVE := Vector3(0, 50, 0)

var _space: RID
var _things: Array[RID]
var _spot := 0.0


func _initialize() -> void:
	print("class ", PhysicsServer3D.get_class())
	smallest = 0.05
	_space = PhysicsServer3D.space_create()
	PhysicsServer3D.area_set_param(_space, PhysicsServer3D.AREA_PARAM_GRAVITY, 10.0)
	_things.append(_space)
	_solids()
	_compound()
	_mesh()
	_heightmap()
	_node_heightmap()
	_conveyor()
	_density()
	_limits()
	_groups()
	_shape_layers()
	_exact()
	_wrong()
	_things.reverse()
	for thing: RID in _things:
		PhysicsServer3D.free_rid(thing)
	quit()


func _steps(count: int) -> void:
	for k: int in count:
		var _stepped := Scree.space_step(_space, TICK)


func _box(half: Vector3) -> RID:
	var box := PhysicsServer3D.box_shape_create()
	PhysicsServer3D.shape_set_data(box, half)
	_things.append(box)
	return box


func _body(shape: RID, at: Vector3, mode := PhysicsServer3D.BODY_MODE_STATIC) -> RID:
	var body := PhysicsServer3D.body_create()
	PhysicsServer3D.body_set_mode(body, mode)
	PhysicsServer3D.body_add_shape(body, shape)
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM, Transform3D(Basis.IDENTITY, at))
	PhysicsServer3D.body_set_space(body, _space)
	_things.append(body)
	return body


## The height at which a ray from above hits, beside a place.
func _top(at: Vector3, aside := Vector3.ZERO) -> float:
	var from := at + aside + Vector3(0, 20, 0)
	var hits := Scree.cast_rays(_space, PackedVector3Array([from]), PackedVector3Array([from - Vector3(0, 40, 0)]))
	return hits.positions[0].y - at.y if hits.is_hit[0] else -INF


func _next_spot() -> Vector3:
	_spot += 30.0
	return Vector3(_spot, 0, 0)


func _keep(thing: RID) -> RID:
	_things.append(thing)
	return thing


func _place(body: RID) -> Vector3:
	var state: Transform3D = PhysicsServer3D.body_get_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM)
	return state.origin


func _solids() -> void:
	var at := _next_spot()
	var _there := _body(_keep(Scree.tapered_capsule_create(1.0, 0.25, 0.5)), at)
	check("tapered capsule: its top", near(_top(at), 1.25), _top(at))
	# The tangent of the two balls: its normal leans by asin((0.5 - 0.25) / 2) up.
	var side := Scree.cast_ray_all(_space, at + Vector3(5, 0, 0), at - Vector3(5, 0, 0))
	check("tapered capsule: its side", near(side.normals[0].y, 0.125) and near(side.positions[0].x - at.x, 0.375 / cos(asin(0.125))), side.positions)
	at = _next_spot()
	_there = _body(_keep(Scree.tapered_cylinder_create(1.0, 0.0, 1.0)), at)
	check("cone: halfway down its radius is half", near(_top(at, Vector3(0.5, 0, 0)), 0.0) and near(_top(at), 1.0), _top(at, Vector3(0.5, 0, 0)))
	at = _next_spot()
	var ellipsoid := _keep(Scree.ellipsoid_create(Vector3(2, 1, 0.5)))
	_there = _body(ellipsoid, at)
	check("ellipsoid: x^2 / 4 + y^2 = 1", near(_top(at, Vector3(1, 0, 0)), sqrt(0.75)), _top(at, Vector3(1, 0, 0)))
	check("the type of Scree's shapes", PhysicsServer3D.shape_get_type(ellipsoid) == PhysicsServer3D.SHAPE_CUSTOM)
	var rolling := _body(ellipsoid, at + Vector3(0, 3, 0), PhysicsServer3D.BODY_MODE_RIGID)
	_steps(20)
	check("a rigid body of it falls", _place(rolling).y < at.y + 2.6, _place(rolling))


func _compound() -> void:
	var at := _next_spot()
	var box := _box(Vector3(0.5, 0.5, 0.5))
	var turned := Transform3D(Basis(Vector3(0, 0, 1), PI / 4.0), Vector3(3, 0, 0))
	var compound := _keep(Scree.compound_create([box, box], [Transform3D(Basis.IDENTITY, Vector3(-3, 1, 0)), turned], PackedFloat32Array([0.5, 0, 0.7, 0])))
	PhysicsServer3D.shape_set_data(box, Vector3(5, 5, 5))
	var _there := _body(compound, at)
	check("compound: the places of its parts", near(_top(at, Vector3(-3, 0, 0)), 1.5) and near(_top(at, Vector3(3, 0, 0)), 0.5 * sqrt(2.0)), _top(at, Vector3(3, 0, 0)))
	check("compound: nothing between", is_inf(_top(at)))


func _mesh() -> void:
	var at := _next_spot()
	var corners := PackedVector3Array([Vector3(-5, 0, -5), Vector3(5, 0, -5), Vector3(5, 0, 5), Vector3(-5, 0, 5)])
	# Clockwise from above. The first triangle is slippery, the second is not.
	var mesh := _keep(Scree.mesh_create(corners, PackedInt32Array([0, 1, 2, 0, 2, 3]), false, PackedFloat32Array([0.0, 0.0, 1.0, 0.0]), PackedInt32Array([0, 1])))
	var _there := _body(mesh, at)
	check("mesh: hit from above", near(_top(at, Vector3(2, 0, 1)), 0.0))
	var up := Scree.cast_ray_all(_space, at + Vector3(2, -5, 1), at + Vector3(2, 5, 1))
	check("mesh: not from below", up.size() == 0)
	var hits := Scree.cast_ray_all(_space, at + Vector3(-1, 5, 2), at + Vector3(-1, -5, 2))
	check("mesh: its triangles are numbered", hits.faces == PackedInt32Array([1]) and hits.surfaces == PackedInt32Array([1]), hits.faces)
	var box := _box(Vector3(0.25, 0.25, 0.25))
	var slides := _body(box, at + Vector3(3, 0.25, -3), PhysicsServer3D.BODY_MODE_RIGID)
	var stops := _body(box, at + Vector3(-4, 0.25, 3), PhysicsServer3D.BODY_MODE_RIGID)
	for body: RID in [slides, stops] as Array[RID]:
		PhysicsServer3D.body_set_param(body, PhysicsServer3D.BODY_PARAM_FRICTION, 1.0)
		PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY, Vector3(2, 0, 0))
	_steps(20)
	check("mesh: friction by triangle", near(_place(slides).x - at.x - 3.0, 2.0 / 3.0, 0.05) and _place(stops).x - at.x + 4.0 < 0.35, [_place(slides) - at, _place(stops) - at])


func _heightmap() -> void:
	var at := _next_spot()
	var heights := PackedFloat32Array()
	var _size := heights.resize(9 * 9)
	var map := _keep(Scree.heightmap_create(9, 9, heights))
	var _there := _body(map, at)
	var ball := _keep(PhysicsServer3D.sphere_shape_create())
	PhysicsServer3D.shape_set_data(ball, 0.25)
	var rests := _body(ball, at + Vector3(0, 0.25, 0), PhysicsServer3D.BODY_MODE_RIGID)
	_steps(60)
	check("height field: flat", near(_top(at, Vector3(3, 0, 3)), 0.0))
	check("height field: a ball lies on it", absf(_place(rests).y - 0.25) < 0.01, _place(rests))
	# Columns 3 to 5 and rows 3 to 5 of 9 are about its middle.
	Scree.heightmap_update(map, 3, 3, 3, PackedFloat32Array([-2, -2, -2, -2, -2, -2, -2, -2, -2]))
	check("height field: changed in place", near(_top(at, Vector3(0.6, 0, 0.6)), -2.0) and near(_top(at, Vector3(3, 0, 3)), 0.0), _top(at, Vector3(0.6, 0, 0.6)))
	_steps(60)
	check("height field: the ball on it wakes and falls", _place(rests).y < -1.0, _place(rests))
	var half := _keep(Scree.heightmap_create(3, 3, PackedFloat32Array([0, 0, 0, 0, 0, 0, 0, 0, NAN]), PackedFloat32Array([0.5, 0.0]), PackedInt32Array([0, 0, 0, 0])))
	at = _next_spot()
	_there = _body(half, at)
	check("height field: NaN is a hole", is_inf(_top(at, Vector3(0.9, 0, 0.9))) and near(_top(at, Vector3(-0.5, 0, -0.5)), 0.0))


func _node_heightmap() -> void:
	var map := HeightMapShape3D.new()
	map.map_width = 5
	map.map_depth = 5
	map.map_data = PackedFloat32Array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
	var at := _next_spot()
	var body := _body(map.get_rid(), at)
	Scree.heightmap_update(map.get_rid(), 0, 0, 5, PackedFloat32Array([1, 1, 1, 1, 1, 1, 1, 1, 1, 1]))
	check("height field of a resource", near(_top(at, Vector3(0, 0, -1.5)), 1.0) and near(_top(at, Vector3(0, 0, 1.5)), 0.0), _top(at, Vector3(0, 0, -1.5)))
	PhysicsServer3D.body_clear_shapes(body)


func _conveyor() -> void:
	var at := _next_spot()
	var belt := _body(_box(Vector3(5, 0.5, 5)), at)
	PhysicsServer3D.body_set_param(belt, PhysicsServer3D.BODY_PARAM_FRICTION, 1.0)
	Scree.body_set_surface_velocity(belt, Vector3(2, 0, 0))
	var box := _body(_box(Vector3(0.25, 0.25, 0.25)), at + Vector3(-3, 0.75, 0), PhysicsServer3D.BODY_MODE_RIGID)
	_steps(60)
	var velocity: Vector3 = PhysicsServer3D.body_get_state(box, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY)
	check("a running surface carries", near(velocity.x, 2.0), velocity)


func _density() -> void:
	var body := _body(_box(Vector3(0.5, 1.0, 1.0)), _next_spot(), PhysicsServer3D.BODY_MODE_RIGID)
	Scree.body_set_density(body, 100.0)
	var mass: float = PhysicsServer3D.body_get_param(body, PhysicsServer3D.BODY_PARAM_MASS)
	check("density: mass of a box", near(mass, 400.0, 1e-5), mass)
	PhysicsServer3D.body_add_shape(body, _box(Vector3(0.5, 0.5, 0.5)), Transform3D(Basis.IDENTITY, Vector3(0, 3, 0)))
	_steps(1)
	mass = PhysicsServer3D.body_get_param(body, PhysicsServer3D.BODY_PARAM_MASS)
	check("density: follows the shapes", near(mass, 500.0, 1e-5), mass)


## A body falls limit x time, turns limit x time, and is free again with INF.
func _limits() -> void:
	var at := _next_spot()
	var body := _body(_box(Vector3(0.5, 0.5, 0.5)), at, PhysicsServer3D.BODY_MODE_RIGID)
	check("no limits at first", Scree.body_get_max_linear_velocity(body) == INF and Scree.body_get_max_angular_velocity(body) == INF)
	Scree.body_set_max_linear_velocity(body, 2.0)
	Scree.body_set_max_angular_velocity(body, 1.5)
	check("limits are read", Scree.body_get_max_linear_velocity(body) == 2.0 and Scree.body_get_max_angular_velocity(body) == 1.5)
	PhysicsServer3D.body_set_param(body, PhysicsServer3D.BODY_PARAM_ANGULAR_DAMP_MODE, PhysicsServer3D.BODY_DAMP_MODE_REPLACE)
	PhysicsServer3D.body_set_param(body, PhysicsServer3D.BODY_PARAM_ANGULAR_DAMP, 0.0)
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY, Vector3(0, -50, 0))
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_ANGULAR_VELOCITY, Vector3(0, 30, 0))
	_steps(60)
	var fallen: float = at.y - _place(body).y
	check("falls limit x time", near(fallen, 2.0, 1e-3), fallen)
	var velocity: Vector3 = PhysicsServer3D.body_get_state(body, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY)
	var spin: Vector3 = PhysicsServer3D.body_get_state(body, PhysicsServer3D.BODY_STATE_ANGULAR_VELOCITY)
	check("speed at its limit", near(velocity.length(), 2.0, 1e-5) and near(spin.y, 1.5, 1e-5), [velocity, spin])
	Scree.body_set_max_linear_velocity(body, INF)
	_steps(30)
	velocity = PhysicsServer3D.body_get_state(body, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY)
	check("free again", velocity.y < -6.0, velocity)


## Whether a box dropped on another one passes through it.
func _passes(set_up: Callable) -> bool:
	var at := _next_spot()
	var box := _box(Vector3(0.5, 0.5, 0.5))
	var low := _body(box, at)
	var high := _body(box, at + Vector3(0, 1.2, 0), PhysicsServer3D.BODY_MODE_RIGID)
	set_up.call(low, high)
	_steps(40)
	return _place(high).y < at.y + 0.5


func _groups() -> void:
	var parts := Scree.group_filter_create(PackedInt32Array([1, 2]))
	var place := func(low: RID, high: RID, group: int, sub_group: int) -> void:
		Scree.body_set_group(low, 7, 1, parts)
		Scree.body_set_group(high, group, sub_group, parts)
	check("a pair of sub-groups is apart", _passes(place.bind(7, 2)))
	check("other sub-groups collide", not _passes(place.bind(7, 3)))
	check("another group collides", not _passes(place.bind(8, 2)))


func _shape_layers() -> void:
	var place := func(low: RID, high: RID, layers: int) -> void:
		Scree.body_set_shape_layers(low, 0, 1)
		Scree.body_set_shape_layers(high, 0, layers)
	check("shapes without a layer in common pass", _passes(place.bind(2)))
	check("shapes with one collide", not _passes(place.bind(3)))


func _exact() -> void:
	var body := _body(_box(Vector3.ONE), Vector3(0.5, 0.25, -3), PhysicsServer3D.BODY_MODE_KINEMATIC)
	var shifted := Scree.space_shift_origin(_space, Vector3(1000000, 0, 0))
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM, Transform3D(Basis.IDENTITY, Vector3(0.0625, 0.25, -3)))
	_steps(1)
	check("an exact place", shifted and Scree.body_get_exact_position(body) == PackedFloat64Array([1000000.0625, 0.25, -3]), Scree.body_get_exact_position(body))


func _wrong() -> void:
	var box := _box(Vector3.ONE)
	var body := _body(box, ABOVE, PhysicsServer3D.BODY_MODE_RIGID)
	check("no radius below 0", Scree.tapered_capsule_create(1.0, -1.0, 1.0) == RID())
	check("no compound of nothing", Scree.compound_create([], PackedVector3Array()) == RID())
	check("a place for each part", Scree.compound_create([box], PackedVector3Array()) == RID())
	check("three corners", Scree.mesh_create(PackedVector3Array(), PackedInt32Array([0, 1])) == RID())
	check("a surface for each triangle", Scree.mesh_create(PackedVector3Array([Vector3.ZERO, Vector3.RIGHT, Vector3.UP]), PackedInt32Array([0, 1, 2]), false, PackedFloat32Array([1, 0])) == RID())
	check("a height for each sample", Scree.heightmap_create(3, 3, PackedFloat32Array([1.0])) == RID())
	Scree.heightmap_update(box, 0, 0, 1, PackedFloat32Array([1.0]))
	Scree.body_set_surface_velocity(body, Vector3.ONE)
	Scree.body_set_density(body, -1.0)
	Scree.body_set_max_linear_velocity(body, -1.0)
	Scree.body_set_max_angular_velocity(body, NAN)
	Scree.body_set_max_linear_velocity(box, 1.0)
	check("no limit of a shape", Scree.body_get_max_angular_velocity(box) == 0.0)
	check("refused limits", Scree.body_get_max_linear_velocity(body) == INF and Scree.body_get_max_angular_velocity(body) == INF)
	Scree.body_set_group(body, 1, 64)
	Scree.body_set_shape_layers(body, 0, -1)
	check("no filter of single numbers", Scree.group_filter_create(PackedInt32Array([1])) == 0)
	check("no exact place of a shape", Scree.body_get_exact_position(box).is_empty())
	var ellipsoid := _keep(Scree.ellipsoid_create(Vector3.ONE))
	PhysicsServer3D.shape_set_data(ellipsoid, Vector3.ONE)
