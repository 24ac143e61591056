extends "res://checks.gd"
## Nodes of Scree below a viewport that gets a world of its own at run time, and a MultiBody3D that is given another MultiMesh.

const Character := preload("res://addons/scree/nodes/scree_character_3d.gd")
const MultiBody := preload("res://addons/scree/nodes/multi_body_3d.gd")
const Water := preload("res://addons/scree/nodes/scree_water_3d.gd")

var _view := SubViewport.new()
var _walker := Character.new()


func _initialize() -> void:
	print("class ", PhysicsServer3D.get_class())
	root.add_child(_view)
	_view.add_child(_ground())
	var capsule := CollisionShape3D.new()
	capsule.shape = CapsuleShape3D.new()
	capsule.position.y = 1.0
	_walker.add_child(capsule)
	_walker.falls = true
	_view.add_child(_walker)
	var water := Water.new()
	water.position = Vector3(50, 0, 0)
	_view.add_child(water)
	var crate := RigidBody3D.new()
	var form := CollisionShape3D.new()
	form.shape = BoxShape3D.new()
	crate.add_child(form)
	crate.mass = 500.0
	crate.position = Vector3(50, 0, 0)
	_view.add_child(crate)
	await _walk(30)
	check("it stands in the shared world", _walker.on_floor, _walker.position)
	var shared := _view.find_world_3d().space
	_view.own_world_3d = true
	check("the world is another", _view.find_world_3d().space != shared)
	await _walk(60)
	check("it stands in its own world", _walker.on_floor and absf(_walker.position.y) < 0.02, _walker.position)
	check("it walks there", absf(_walker.position.x - 3.0) < 0.1, _walker.position)
	check("the water came along", absf(crate.position.y) < 0.2, crate.position)
	_view.own_world_3d = false
	await _walk(30)
	check("and back", _walker.on_floor and absf(_walker.position.x - 4.0) < 0.1, _walker.position)
	_view.queue_free()
	await _other_multimesh()
	quit()


func _walk(ticks: int) -> void:
	for tick: int in ticks:
		await physics_frame
		_walker.velocity = Vector3(2, 0, 0)
		var _stands := _walker.walk()


func _other_multimesh() -> void:
	var many := MultiBody.new()
	var mesh := BoxMesh.new()
	many.shape = BoxShape3D.new()
	many.use_colors = true
	many.mesh = mesh
	root.add_child(many)
	var _first := many.add_bodies([Transform3D(Basis.IDENTITY, Vector3(0, 9, 0)), Transform3D(Basis.IDENTITY, Vector3(3, 9, 0))])
	many.set_velocities([0, 1], [Vector3(1, 0, 0)])
	await physics_frame
	var given := MultiMesh.new()
	given.transform_format = MultiMesh.TRANSFORM_3D
	given.mesh = SphereMesh.new()
	given.instance_count = 7
	many.multimesh = given
	await physics_frame
	await physics_frame
	var now := many.multimesh
	check("another MultiMesh draws the bodies", many.get_body_count() == 2 and now.mesh is SphereMesh and now.visible_instance_count == 2)
	check("they go on", near(many.get_velocities()[1].x, 1.0, 0.02), many.get_velocities())
	var drawn := Vector3(now.buffer[15], now.buffer[19], now.buffer[23])
	check("its buffer is theirs", drawn.distance_to(many.get_body_transform(1).origin) < 1e-3, drawn)
	check("the given one is left alone", given.instance_count == 7 and now != given)
	var _more := many.add_bodies([Transform3D(Basis.IDENTITY, Vector3(6, 9, 0))])
	check("more may come", many.get_body_count() == 3)
	many.free()


func _ground() -> StaticBody3D:
	var ground := StaticBody3D.new()
	var form := CollisionShape3D.new()
	var box := BoxShape3D.new()
	box.size = Vector3(60, 1, 60)
	form.shape = box
	form.position.y = -0.5
	ground.add_child(form)
	return ground
