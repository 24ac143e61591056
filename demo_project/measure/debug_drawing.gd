extends SceneTree
## A small scene with contacts and joints as ScreeDebugDraw3D shows it, and its picture:
##     --path demo_project -s res://measure/debug_drawing.gd -- --png=FILE

const DebugDraw := preload("res://addons/scree/nodes/scree_debug_draw_3d.gd")
const TICKS := 90

var _stage := Node3D.new()


func _initialize() -> void:
	root.add_child(_stage)
	await process_frame # nodes have no paths before
	var camera := Camera3D.new()
	camera.fov = 40.0
	_stage.add_child(camera)
	camera.look_at_from_position(Vector3(0.2, 2.1, 5.4), Vector3(0.1, 1.1, 0))
	var environment := WorldEnvironment.new()
	environment.environment = Environment.new()
	environment.environment.background_mode = Environment.BG_COLOR
	environment.environment.background_color = Color(0.09, 0.11, 0.14)
	_stage.add_child(environment)
	_body(StaticBody3D.new(), _box(Vector3(8, 0.2, 4)), Vector3(0, -0.1, 0))
	for index: int in 4:
		_body(RigidBody3D.new(), _box(Vector3.ONE * 0.5), Vector3(-1.9 + 0.04 * index, 0.25 + 0.5 * index, 0))
	var ball := SphereShape3D.new()
	ball.radius = 0.3
	(_body(RigidBody3D.new(), ball, Vector3(-1.1, 0.3, 0.6)) as RigidBody3D).linear_velocity = Vector3(0.8, 0, 0.2)
	var capsule := CapsuleShape3D.new()
	capsule.radius = 0.2
	capsule.height = 0.9
	_body(RigidBody3D.new(), capsule, Vector3(-0.7, 1.2, -0.6)).rotation.z = 0.5
	_door()
	_chain()
	var area := Area3D.new()
	_body(area, _box(Vector3(1.2, 1.2, 1.2)), Vector3(-1.8, 0.9, 0))
	var drawing := DebugDraw.new()
	for what: String in ["contacts", "joints", "areas", "velocities", "centres"]:
		drawing.set(what, true)
	drawing.force_scale = 0.04
	_stage.add_child(drawing)
	for tick: int in TICKS:
		await physics_frame
	RenderingServer.force_draw(false)
	for argument: String in OS.get_cmdline_user_args():
		if argument.begins_with("--png="):
			root.get_texture().get_image().save_png(argument.get_slice("=", 1))
	quit()


## A door on a hinge with limits.
func _door() -> void:
	var post := _body(StaticBody3D.new(), _box(Vector3(0.15, 1.6, 0.15)), Vector3(0.1, 0.8, 0.3))
	var door := _body(RigidBody3D.new(), _box(Vector3(0.8, 1.3, 0.1)), Vector3(0.65, 0.8, 0.3)) as RigidBody3D
	door.angular_velocity = Vector3(0, 1.5, 0)
	var hinge := HingeJoint3D.new()
	hinge.position = Vector3(0.2, 0.8, 0.3)
	hinge.rotation.x = PI / 2.0
	_stage.add_child(hinge)
	hinge.node_a = post.get_path()
	hinge.node_b = door.get_path()
	hinge.set_flag(HingeJoint3D.FLAG_USE_LIMIT, true)
	hinge.set_param(HingeJoint3D.PARAM_LIMIT_LOWER, -0.4)
	hinge.set_param(HingeJoint3D.PARAM_LIMIT_UPPER, 1.6)


## A chain of boxes on cone twists.
func _chain() -> void:
	var before: Node3D = _body(StaticBody3D.new(), _box(Vector3.ONE * 0.2), Vector3(1.55, 2.35, 0))
	for index: int in 3:
		var at := Vector3(1.55, 2.0 - 0.55 * index, 0)
		var link := _body(RigidBody3D.new(), _box(Vector3(0.2, 0.4, 0.2)), at) as RigidBody3D
		link.can_sleep = false
		link.linear_velocity = Vector3(0.7 * (index + 1), 0, 0)
		var joint := ConeTwistJoint3D.new()
		joint.position = at + Vector3(0, 0.27, 0)
		joint.rotation.z = -PI / 2.0
		_stage.add_child(joint)
		joint.node_a = before.get_path()
		joint.node_b = link.get_path()
		before = link


func _box(size: Vector3) -> BoxShape3D:
	var made := BoxShape3D.new()
	made.size = size
	return made


func _body(body: CollisionObject3D, form: Shape3D, at: Vector3) -> CollisionObject3D:
	var shape := CollisionShape3D.new()
	shape.shape = form
	body.add_child(shape)
	body.position = at
	_stage.add_child(body)
	return body
