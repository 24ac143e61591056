extends SceneTree
## The cost of thousands of moving bodies beside the step of the physics: as a MultiBody3D, as nodes, or not drawn at all.
##
## Boxes of 0.5 m fall and touch nothing, so that the step is short and all of them move in every tick. Run with
## `-s res://measure/many_bodies.gd -- --as=many|nodes|server --bodies=20000 --ticks=240 --json=FILE`. Times are medians and floors
## over the ticks [ms]: of whole ticks; from the end of the step until the nodes of the game are called, in which Godot and the
## engine tell nodes where their bodies are; and of the rest, which holds the scripts, what nodes pass on, and the step.

const SPACING := 2.0
const SKIPPED := 20
const MANY := "res://addons/scree/nodes/multi_body_3d.gd"

var _options := {"as": "many", "bodies": "20000", "ticks": "240", "json": ""}
var _tick_ms := PackedFloat64Array()
var _after_step_ms := PackedFloat64Array()
var _rest_ms := PackedFloat64Array()
var _began := 0
var _step_ended := 0
var _many: Node3D
var _rids: Array[RID] = []
var _shape := BoxShape3D.new()
var _mesh := BoxMesh.new()


func _initialize() -> void:
	for argument: String in OS.get_cmdline_user_args():
		var words := argument.trim_prefix("--").split("=")
		assert(_options.has(words[0]) and words.size() == 2, "unknown option %s" % argument)
		_options[words[0]] = words[1]
	_shape.size = Vector3.ONE * 0.5
	_mesh.size = _shape.size
	var stage := Node3D.new()
	root.add_child(stage)
	if DisplayServer.get_name() != "headless":
		_light(stage)
	var count := int(_options["bodies"])
	match _options["as"]:
		"many": _make_many(stage, count)
		"nodes": _make_nodes(stage, count)
		"server": _make_on_server(count)
		_: assert(false, "--as must be many, nodes or server")
	RenderingServer.render_loop_enabled = false # drawing itself is not measured
	physics_frame.connect(_on_physics_frame)
	process_frame.connect(func() -> void: _step_ended = Time.get_ticks_usec())


func _place(index: int) -> Transform3D:
	var side := ceili(pow(float(_options["bodies"]), 1.0 / 3.0))
	return Transform3D(Basis.IDENTITY, Vector3(index % side, index / (side * side), (index / side) % side) * SPACING)


func _make_many(stage: Node3D, count: int) -> void:
	_many = load(MANY).new()
	_many.set("shape", _shape)
	_many.set("mesh", _mesh)
	_many.set("can_sleep", false)
	stage.add_child(_many)
	var places: Array[Transform3D] = []
	for index: int in count:
		places.append(_place(index))
	_many.call("add_bodies", places)


func _make_nodes(stage: Node3D, count: int) -> void:
	for index: int in count:
		var body := RigidBody3D.new()
		var collision := CollisionShape3D.new()
		var drawn := MeshInstance3D.new()
		collision.shape = _shape
		drawn.mesh = _mesh
		body.can_sleep = false
		body.transform = _place(index)
		body.add_child(collision)
		body.add_child(drawn)
		stage.add_child(body)


func _make_on_server(count: int) -> void:
	for index: int in count:
		var body := PhysicsServer3D.body_create()
		PhysicsServer3D.body_set_mode(body, PhysicsServer3D.BODY_MODE_RIGID)
		PhysicsServer3D.body_add_shape(body, _shape.get_rid())
		PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_CAN_SLEEP, false)
		PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM, _place(index))
		PhysicsServer3D.body_set_space(body, root.world_3d.space)
		_rids.append(body)


func _light(stage: Node3D) -> void:
	var camera := Camera3D.new()
	camera.far = 1000.0
	stage.add_child(camera)
	camera.look_at_from_position(Vector3(120, 40, 120), Vector3(27, 0, 27))
	stage.add_child(DirectionalLight3D.new())


func _on_physics_frame() -> void:
	var now := Time.get_ticks_usec()
	if _began > 0:
		_tick_ms.append((now - _began) / 1000.0)
		_after_step_ms.append((now - _step_ended) / 1000.0)
		_rest_ms.append((_step_ended - _began) / 1000.0)
	_began = now
	if _tick_ms.size() == int(_options["ticks"]):
		_finish()


func _finish() -> void:
	var text := JSON.stringify({
		"engine": PhysicsServer3D.get_class(), "as": _options["as"], "bodies": int(_options["bodies"]),
		"tick": _figures(_tick_ms), "after_step": _figures(_after_step_ms), "rest": _figures(_rest_ms),
	})
	print(text)
	if _options["json"] != "":
		FileAccess.open(_options["json"], FileAccess.WRITE).store_string(text)
	for body: RID in _rids:
		PhysicsServer3D.free_rid(body)
	quit()


func _figures(times: PackedFloat64Array) -> Dictionary:
	var sorted := times.slice(SKIPPED)
	sorted.sort()
	return {"median": sorted[sorted.size() / 2], "least": sorted[0]}
