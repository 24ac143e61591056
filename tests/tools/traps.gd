extends SceneTree
## Scenes made in code: for each rule one that has the trap and one that nearly has it; their mends; the table of layers.

const Rules := preload("res://addons/scree/editor/trap_rules.gd")
const Trap := preload("res://addons/scree/editor/trap.gd")
const LayerTable := preload("res://addons/scree/editor/layer_table.gd")

var undo := UndoRedo.new()
var scenes: Array[Node] = []


func _initialize() -> void:
	for rule: Array in [["scaled", _scaled], ["stretched", _stretched], ["jointed", _jointed], ["stacked", _stacked], ["fast", _fast],
			["hollow", _hollow], ["bare", _bare], ["unseen", _unseen], ["sized", _sized], ["loose", _loose]]:
		print("[", rule[0], "] ", ", ".join(rule[1].call()))
	_layers()
	undo.free()
	for scene: Node in scenes:
		scene.free()
	quit()


func _scaled() -> Array[String]:
	var even := _body(RigidBody3D.new(), BoxShape3D.new())
	even.scale = Vector3(2, 2, 2)
	even.get_child(0).position = Vector3(1, 0, 0)
	var uneven := _body(RigidBody3D.new(), BoxShape3D.new())
	uneven.scale = Vector3(1, 2, 1)
	var still := _body(StaticBody3D.new(), BoxShape3D.new())
	still.scale = Vector3(3, 3, 3)
	var turned := _body(RigidBody3D.new(), BoxShape3D.new())
	turned.rotation = Vector3(0.3, 0.2, 0.1)
	var slanted := _body(StaticBody3D.new(), BoxShape3D.new())
	slanted.scale = Vector3(3, 1, 1)
	var said := _found(Rules.scaled_bodies, [even, uneven, still, turned, slanted])
	said.append("%s %s %s" % [even.scale, even.get_child(0).position, even.get_child(0).scale])
	undo.undo()
	said.append("%s %s" % [even.scale, even.get_child(0).position])
	return said


func _stretched() -> Array[String]:
	var shared := BoxShape3D.new()
	shared.size = Vector3(1, 2, 3)
	var box := _body(StaticBody3D.new(), shared)
	box.get_child(0).scale = Vector3(2, 1, 1)
	var ball := _body(StaticBody3D.new(), SphereShape3D.new())
	ball.get_child(0).scale = Vector3(1, 2, 1)
	var even := _body(StaticBody3D.new(), SphereShape3D.new())
	even.get_child(0).scale = Vector3(2, 2, 2)
	var said := _found(Rules.stretched_shapes, [box, ball, even])
	said.append("%s %s %s" % [box.get_child(0).shape.size, box.get_child(0).scale, shared.size])
	return said


func _jointed() -> Array[String]:
	var light := _body(RigidBody3D.new(), BoxShape3D.new())
	var heavy := _body(RigidBody3D.new(), BoxShape3D.new())
	var middle := _body(RigidBody3D.new(), BoxShape3D.new())
	heavy.mass = 150.0
	middle.mass = 50.0
	var joint := PinJoint3D.new()
	joint.node_a = ^"../light"
	joint.node_b = ^"../heavy"
	var good := PinJoint3D.new()
	good.node_a = ^"../light"
	good.node_b = ^"../middle"
	light.name = "light"
	heavy.name = "heavy"
	middle.name = "middle"
	var said := _found(Rules.mass_ratios_of_joints, [light, heavy, middle, joint, good])
	said.append(str(light.mass))
	return said


func _stacked() -> Array[String]:
	var light := _body(RigidBody3D.new(), BoxShape3D.new())
	var heavy := _body(RigidBody3D.new(), BoxShape3D.new())
	heavy.mass = 150.0
	heavy.position.y = 1.0
	var below := _body(RigidBody3D.new(), BoxShape3D.new())
	below.position.y = 2.0
	var beside := _body(RigidBody3D.new(), BoxShape3D.new())
	beside.position.x = 1.1
	return _found(Rules.mass_ratios_of_stacks, [light, heavy, below, beside])


func _fast() -> Array[String]:
	var fast := _body(RigidBody3D.new(), SphereShape3D.new())
	fast.linear_velocity = Vector3(100, 0, 0)
	var careful := _body(RigidBody3D.new(), SphereShape3D.new())
	careful.linear_velocity = Vector3(100, 0, 0)
	careful.continuous_cd = true
	var slow := _body(RigidBody3D.new(), SphereShape3D.new())
	slow.linear_velocity = Vector3(20, 0, 0)
	var said := _found(Rules.fast_and_thin, [fast, careful, slow])
	said.append(str(fast.continuous_cd))
	return said


func _hollow() -> Array[String]:
	var mesh := BoxMesh.new().create_trimesh_shape()
	var moving := _body(RigidBody3D.new(), mesh)
	var still := _body(StaticBody3D.new(), mesh)
	var plane := _body(CharacterBody3D.new(), WorldBoundaryShape3D.new())
	var said := _found(Rules.meshes_that_move, [moving, still, plane])
	said.append("%s %d" % [moving.get_child(0).shape.get_class(), moving.get_child(0).shape.points.size()])
	return said


func _bare() -> Array[String]:
	return _found(Rules.bodies_without_shape, [StaticBody3D.new(), _body(Area3D.new(), null), _body(Area3D.new(), BoxShape3D.new())])


func _unseen() -> Array[String]:
	var unseen := _body(RigidBody3D.new(), BoxShape3D.new())
	unseen.collision_layer = 0
	unseen.collision_mask = 0
	var ghost := _body(RigidBody3D.new(), BoxShape3D.new())
	ghost.collision_layer = 0
	var said := _found(Rules.bodies_on_no_layer, [unseen, ghost])
	said.append("%d %d" % [unseen.collision_layer, unseen.collision_mask])
	return said


func _sized() -> Array[String]:
	var thin := BoxShape3D.new()
	thin.size = Vector3(1, 0.004, 1)
	var wide := BoxShape3D.new()
	wide.size = Vector3(2000, 1, 1)
	return _found(Rules.sizes_of_shapes, [_body(StaticBody3D.new(), thin), _body(Area3D.new(), wide), _body(StaticBody3D.new(), wide),
		_body(RigidBody3D.new(), SphereShape3D.new())])


func _loose() -> Array[String]:
	var body := _body(RigidBody3D.new(), BoxShape3D.new())
	body.name = "body"
	var to_world := PinJoint3D.new()
	to_world.node_a = ^"../body"
	var twice := PinJoint3D.new()
	twice.node_a = ^"../body"
	twice.node_b = ^"../body"
	var gone := PinJoint3D.new()
	gone.node_a = ^"../body"
	gone.node_b = ^"../nobody"
	return _found(Rules.loose_joints, [body, PinJoint3D.new(), to_world, twice, gone])


func _body(body: CollisionObject3D, shape: Shape3D) -> CollisionObject3D:
	var node := CollisionShape3D.new()
	node.shape = shape
	body.add_child(node)
	return body


## Puts nodes into a scene, applies a rule, and mends what it found. Answers the places of the nodes that it found.
func _found(rule: Callable, nodes: Array) -> Array[String]:
	var scene := Node3D.new()
	scenes.append(scene)
	for node: Node in nodes:
		scene.add_child(node)
	var told: Array[String] = []
	var traps: Array[Trap] = rule.call(scene)
	for trap: Trap in traps:
		assert(trap.text.ends_with(".") and not trap.text.contains("%"), trap.text)
		var place := nodes.find(trap.node) if trap.node in nodes else nodes.find(trap.node.get_parent())
		told.append("%d%s" % [place, " mended" if trap.can_mend() else ""])
		if trap.can_mend():
			trap.mend(undo)
	var left: Array[Trap] = rule.call(scene)
	told.append("left %d" % left.size())
	var total: int = Rules.check(scene).size()
	assert(total >= left.size())
	return told


func _layers() -> void:
	ProjectSettings.set_setting("layer_names/3d_physics/layer_1", "world")
	ProjectSettings.set_setting("layer_names/3d_physics/layer_5", "water")
	ProjectSettings.set_setting("physics/scree_3d/broad_phase/debris_layers", 2)
	var scene := StaticBody3D.new()  # on layer 1, looks at layer 1
	scenes.append(scene)
	var player := CharacterBody3D.new()
	player.collision_layer = 2
	player.collision_mask = 1
	var crate := RigidBody3D.new()
	crate.collision_layer = 4
	crate.collision_mask = 1 | 2 | 4 | 128
	var trigger := Area3D.new()
	trigger.collision_layer = 8
	trigger.collision_mask = 4
	for node: Node3D in [player, crate, trigger]:
		scene.add_child(node)
	var table: LayerTable = LayerTable.of_scene(scene)
	print("[layers] ", table.used, " ", table.shown(), " ", table.unused(), " ", table.empty_but_looked_at())
	print("[meeting] ", [table.meeting(1, 0), table.meeting(0, 1), table.meeting(1, 2), table.meeting(2, 2), table.meeting(3, 2),
		table.meeting(1, 3), table.meeting(1, 1)])
	print("[one-sided] ", [table.one_sided(1, 2) == [player], table.one_sided(2, 1), table.one_sided(2, 3), table.one_sided(0, 1)])
	print("[titles] ", [LayerTable.title_of(0), LayerTable.title_of(1), LayerTable.tree_of(1), LayerTable.tree_of(0)])
