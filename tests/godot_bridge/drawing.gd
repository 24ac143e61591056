extends SceneTree
## `Scree.drawing` and ScreeDebugDraw3D in real Godot: buffers against the states of the bodies, filters, cost of many bodies.

const DebugDraw := preload("res://addons/scree/nodes/scree_debug_draw_3d.gd")
const MANY := 10000
const TICKS := 40


func _initialize() -> void:
	print("class ", PhysicsServer3D.get_class())
	var stage := Node3D.new()
	root.add_child(stage)
	_add(stage, StaticBody3D.new(), BoxShape3D.new(), Vector3(0, -0.5, 0), 1)
	_add(stage, RigidBody3D.new(), SphereShape3D.new(), Vector3(0, 0.5, 0), 2)
	var capsule := CapsuleShape3D.new()
	capsule.radius = 0.25
	capsule.height = 2.0
	_add(stage, RigidBody3D.new(), capsule, Vector3(20, 3, 0), 1)
	_add(stage, AnimatableBody3D.new(), CylinderShape3D.new(), Vector3(-5, 2, 0), 1)
	var hull := ConvexPolygonShape3D.new()
	hull.points = PackedVector3Array([Vector3.ZERO, Vector3.RIGHT, Vector3.UP, Vector3.BACK])
	_add(stage, StaticBody3D.new(), hull, Vector3(0, 0, 5), 1)
	_add(stage, StaticBody3D.new(), hull, Vector3(0, 0, 8), 1)
	_add(stage, Area3D.new(), BoxShape3D.new(), Vector3(0, 9, 0), 1)
	var node := DebugDraw.new()
	node.contacts = true
	stage.add_child(node)
	for tick: int in 20:
		await physics_frame
	_answers(stage, stage.get_world_3d().space)
	print("node ", node.what_to_draw(), " ", node._views.keys(), " ", node._mesh_views.size())
	node.on_top = true
	for what: String in ["joints", "areas", "centres", "velocities", "bounds", "tree", "by_island", "by_solver"]:
		node.set(what, true)
	for tick: int in 2:
		await physics_frame
	print("all ", node.what_to_draw(), " ", node._views.keys())
	print("toggled ", DebugDraw.toggle_in(stage) == node, " ", node.visible, " ", DebugDraw.toggle_in(stage).visible)
	node.free()
	var made := DebugDraw.toggle_in(stage)
	print("made ", made.visible, " ", made.get_parent() == stage)
	stage.free()
	await _cost()
	quit()


func _add(stage: Node3D, body: CollisionObject3D, form: Shape3D, at: Vector3, layer: int) -> void:
	var shape := CollisionShape3D.new()
	shape.shape = form
	body.add_child(shape)
	body.position = at
	body.collision_layer = layer
	if layer == 2 and body is RigidBody3D:
		(body as RigidBody3D).collision_mask = 1
	stage.add_child(body)


func _answers(stage: Node3D, space: RID) -> void:
	var drawing: ScreeDrawing = Scree.drawing(space, Scree.DRAW_SHAPES | Scree.DRAW_CONTACTS)
	var counts: Array[int] = []
	for kind: int in 7:
		counts.append(drawing.get_count(kind as ScreeDrawing.Kind))
	print("counts ", counts, " ", drawing.counts == PackedInt32Array(counts))
	var wrong := 0
	var at := 0
	for child: Node in stage.get_children():
		if child is PhysicsBody3D and (child.get_child(0) as CollisionShape3D).shape is CapsuleShape3D:
			var buffer := drawing.get_buffer(ScreeDrawing.KIND_CAPSULES)
			var state: Transform3D = PhysicsServer3D.body_get_state((child as PhysicsBody3D).get_rid(),
				PhysicsServer3D.BODY_STATE_TRANSFORM)
			var wanted := state * Transform3D(Basis.from_scale(Vector3(0.25, 1.0, 0.25)), Vector3.ZERO)
			wrong += int(not _transform(buffer, at).is_equal_approx(wanted))
			at += 1
	print("capsules ", at, " wrong ", wrong)
	print("padded ", drawing.get_buffer(ScreeDrawing.KIND_BOXES, 3).size(), " ", is_equal_approx(
		drawing.get_buffer(ScreeDrawing.KIND_BOXES)[12], 0.55))
	print("meshes ", drawing.mesh_counts, " ", drawing.get_mesh_buffer(0).size(), " ", Scree.drawing_mesh(drawing.mesh_keys[0]).size())
	print("lines ", drawing.line_points.size(), " ", drawing.line_colors.size(), " ", drawing.line_colors[0])
	print("layer ", Scree.drawing(space, Scree.DRAW_SHAPES, Vector3.ZERO, 0.0, 2).get_count(ScreeDrawing.KIND_SPHERES), " ",
		Scree.drawing(space, Scree.DRAW_SHAPES, Vector3.ZERO, 0.0, 2).get_count(ScreeDrawing.KIND_BOXES))
	print("near ", Scree.drawing(space, Scree.DRAW_SHAPES, Vector3(20, 0, 0), 10.0).get_count(ScreeDrawing.KIND_CAPSULES), " ",
		Scree.drawing(space, Scree.DRAW_SHAPES, Vector3(20, 0, 0), 10.0).get_count(ScreeDrawing.KIND_BOXES))
	print("areas ", Scree.drawing(space, Scree.DRAW_AREAS).get_count(ScreeDrawing.KIND_BOXES))
	PhysicsServer3D.call("space_shift_origin", space, Vector3(0, 2, 0))
	print("shifted ", _transform(Scree.drawing(space, Scree.DRAW_SHAPES).get_buffer(ScreeDrawing.KIND_BOXES), 0).origin)
	print("no space ", Scree.drawing(RID(), 1))
	print("wrong what ", Scree.drawing(space, 1 << 20))
	print("wrong kind ", drawing.get_count(9 as ScreeDrawing.Kind))
	print("wrong key ", Scree.drawing_mesh(-1).size())
	print("empty ", ScreeDrawing.new().get_count(ScreeDrawing.KIND_BOXES))


func _transform(buffer: PackedFloat32Array, number: int) -> Transform3D:
	var b := buffer.slice(16 * number, 16 * number + 12)
	return Transform3D(Basis(Vector3(b[0], b[4], b[8]), Vector3(b[1], b[5], b[9]), Vector3(b[2], b[6], b[10])),
		Vector3(b[3], b[7], b[11]))


func _cost() -> void:
	var stage := Node3D.new()
	root.add_child(stage)
	var space := stage.get_world_3d().space
	var box := BoxShape3D.new()
	var bodies: Array[RID] = []
	for index: int in MANY:
		var body := PhysicsServer3D.body_create()
		PhysicsServer3D.body_add_shape(body, box.get_rid())
		PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM,
			Transform3D(Basis.IDENTITY, Vector3(index % 100, index / 100, 0) * 2.0))
		PhysicsServer3D.body_set_space(body, space)
		bodies.append(body)
	var node := DebugDraw.new()
	stage.add_child(node)
	await physics_frame
	var times: Array[float] = []
	for tick: int in TICKS:
		await physics_frame
		var begin := Time.get_ticks_usec()
		node._physics_process(0.0)
		times.append((Time.get_ticks_usec() - begin) / 1000.0)
	times.sort()
	node.visible = false
	var begin := Time.get_ticks_usec()
	for tick: int in 1000:
		node._physics_process(0.0)
	print("cost least %.3f ms median %.3f ms hidden %.4f ms" % [times[0], times[TICKS / 2],
		(Time.get_ticks_usec() - begin) / 1e6])
	print("many ", Scree.drawing(space, Scree.DRAW_SHAPES).get_count(ScreeDrawing.KIND_BOXES))
	for body: RID in bodies:
		PhysicsServer3D.free_rid(body)
	stage.free()
