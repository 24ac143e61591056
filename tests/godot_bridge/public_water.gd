extends "res://checks.gd"
## Water from scripts: the calls of `Scree` and the node ScreeWater3D, against formulas of floating.

const Water := preload("res://addons/scree/nodes/scree_water_3d.gd")
const Wave := preload("res://addons/scree/nodes/scree_wave.gd")
const SIZE := Vector3(40.0, 20.0, 40.0)

var _space: RID
var _things: Array[RID]


func _initialize() -> void:
	print("class ", PhysicsServer3D.get_class())
	_space = PhysicsServer3D.space_create()
	_things.append(_space)
	PhysicsServer3D.area_set_param(_space, PhysicsServer3D.AREA_PARAM_GRAVITY, 10.0)
	PhysicsServer3D.area_set_param(_space, PhysicsServer3D.AREA_PARAM_LINEAR_DAMP, 0.0)
	PhysicsServer3D.area_set_param(_space, PhysicsServer3D.AREA_PARAM_ANGULAR_DAMP, 0.0)
	_calls()
	_wrong()
	await _node()
	_things.reverse()
	for thing: RID in _things:
		PhysicsServer3D.free_rid(thing)
	quit()


func _steps(count: int) -> void:
	for k: int in count:
		var _stepped: Variant = PhysicsServer3D.call("space_step", _space, TICK)


func _ball(at: Vector3, mass: float) -> RID:
	var shape := PhysicsServer3D.sphere_shape_create()
	PhysicsServer3D.shape_set_data(shape, 0.5)
	var body := PhysicsServer3D.body_create()
	PhysicsServer3D.body_set_mode(body, PhysicsServer3D.BODY_MODE_RIGID)
	PhysicsServer3D.body_add_shape(body, shape)
	PhysicsServer3D.body_set_param(body, PhysicsServer3D.BODY_PARAM_MASS, mass)
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM, Transform3D(Basis.IDENTITY, at))
	PhysicsServer3D.body_set_space(body, _space)
	_things.append(shape)
	_things.append(body)
	return body


func _velocity(body: RID) -> Vector3:
	return PhysicsServer3D.body_get_state(body, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY)


func _place(body: RID) -> Vector3:
	var at: Transform3D = PhysicsServer3D.body_get_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM)
	return at.origin


func _calls() -> void:
	var volume := PI / 6.0
	var water := Scree.water_create(_space, Transform3D(Basis.IDENTITY, Vector3(0, 2, 0)), SIZE)
	check("it has a number", water > 0, water)
	Scree.water_set(water, 1000.0, 0.0, 0.0, 0.0)
	var deep := _ball(Vector3(0, -5, 0), 500.0 * volume)
	_steps(6)
	check("buoyancy is the weight of the water", near(_velocity(deep).y, 1.0), _velocity(deep))
	Scree.water_set(water)
	_steps(900)
	check("half as dense: half sunk", absf(_place(deep).y - 2.0) < 0.005, _place(deep))
	var sleeps: bool = PhysicsServer3D.body_get_state(deep, PhysicsServer3D.BODY_STATE_SLEEPING)
	check("it is asleep", sleeps)
	Scree.water_place(water, Transform3D(Basis.IDENTITY, Vector3(0, 3, 0)), SIZE)
	_steps(900)
	check("it follows the level", absf(_place(deep).y - 3.0) < 0.005, _place(deep))
	Scree.water_set_flow(water, Vector3(1.5, 0, 0))
	_steps(300)
	check("it drifts with the flow", near(_velocity(deep).x, 1.5, 0.02), _velocity(deep))
	check("one floats", Scree.water_get_floating_count(water) == 1)
	Scree.water_set_waves(water, [1.0, 0.0, 8.0, 0.6, 2.0, 0.0])
	_steps(30)
	check("the time of the waves", near(Scree.water_get_time(water), 0.5))
	var heights := Scree.water_heights(water, [Vector3.ZERO, Vector3(2, 50, 7)])
	var number := TAU / 8.0
	check("waves are sines", near(heights[0], 0.3 * sin(-number)) and near(heights[1], 0.3 * sin(number)), heights)
	Scree.water_free(water)
	var before := _velocity(deep).y
	_steps(6)
	check("without water it falls", near(_velocity(deep).y - before, -1.0), _velocity(deep))
	var other := Scree.water_create(_space, Transform3D(Basis.IDENTITY, Vector3(0, 99, 0)), SIZE, 2)
	var _unseen := _ball(Vector3(0, 95, 0), 1.0)
	_steps(1)
	check("other layers do not float", Scree.water_get_floating_count(other) == 0)
	PhysicsServer3D.free_rid(_space)
	_things.remove_at(0)
	check("freed with its space", Scree.water_get_time(other) == 0.0)
	_space = PhysicsServer3D.space_create()
	_things.push_front(_space)


func _wrong() -> void:
	var zero := Scree.water_create(_space, Transform3D.IDENTITY, Vector3(1, 0, 1))
	check("a size of nothing gives no water", zero == 0)
	Scree.water_set(7777)
	var water := Scree.water_create(_space, Transform3D.IDENTITY, Vector3.ONE)
	Scree.water_set(water, -1.0)
	Scree.water_set_waves(water, [1.0, 0.0])
	Scree.water_free(water)
	Scree.water_free(water)


func _node() -> void:
	root.add_child(_floor())
	var water := Water.new()
	var wave := Wave.new()
	wave.length = 30.0
	wave.height = 0.5
	water.size = Vector3(30, 5, 30)
	water.position = Vector3(0, 5, 0)
	root.add_child(water)
	var crate := RigidBody3D.new()
	var form := CollisionShape3D.new()
	form.shape = BoxShape3D.new()
	crate.add_child(form)
	crate.mass = 700.0
	crate.linear_damp_mode = RigidBody3D.DAMP_MODE_REPLACE
	crate.position = Vector3(3, 5, 2)
	root.add_child(crate)
	await _frames(600)
	check("a crate of 700 kg a cubic metre shows three tenths", absf(crate.position.y - 4.8) < 0.02, crate.position)
	check("depth below the surface", near(water.depth_at(Vector3(1, 4, 1)), 1.0) and water.depth_at(Vector3(50, 4, 1)) == -INF)
	water.waves = [wave]
	await _frames(60)
	check("the node tells the waves", near(water.get_time(), 1.0, 0.05), water.get_time())
	var expected := 0.25 * sin(TAU / 30.0 * 4.0 - sqrt(10.0 * TAU / 30.0) * water.get_time())
	check("its wave is that of deep water", near(water.height_at(Vector3(4, 0, 1)), expected), water.height_at(Vector3(4, 0, 1)))
	check("it counts what floats", water.get_floating_count() == 1)
	water.density = -1.0
	water.flow = Vector3(INF, 0, 0)
	water.size = Vector3(1, 0, 1)
	wave.length = -1.0
	check("wrong values are refused", water.density == 1000.0 and water.flow == Vector3.ZERO and water.size.y == 5.0 and wave.length == 30.0)
	wave.height = 0.0
	water.flow = Vector3(0, 0, 1)
	water.rotation.y = PI / 2.0
	await _frames(300)
	check("its flow turns with it", near(crate.linear_velocity.x, 1.0, 0.05), crate.linear_velocity)
	water.layers = 2
	await _frames(120)
	check("layers that change count", crate.position.y < 1.0, crate.position)
	water.layers = 3
	water.flow = Vector3.ZERO
	crate.position = Vector3(0, 5, 0)
	crate.linear_velocity = Vector3.ZERO
	root.remove_child(water)
	root.add_child(water)
	await _frames(600)
	check("back in the tree it carries again", absf(crate.position.y - 4.8) < 0.05, crate.position)
	for node: Node in [water, crate]:
		node.queue_free()
	await _frames(2)


func _floor() -> StaticBody3D:
	var ground := StaticBody3D.new()
	var form := CollisionShape3D.new()
	var box := BoxShape3D.new()
	box.size = Vector3(200, 1, 200)
	form.shape = box
	form.position.y = -0.5
	ground.add_child(form)
	return ground


func _frames(count: int) -> void:
	for k: int in count:
		await physics_frame
