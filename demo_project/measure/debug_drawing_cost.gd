extends SceneTree
## Time of ScreeDebugDraw3D in a tick, on the main thread, at 10,000 boxes in stacks of four, for each of its switches:
##     --path demo_project -s res://measure/debug_drawing_cost.gd

const DebugDraw := preload("res://addons/scree/nodes/scree_debug_draw_3d.gd")
const BODIES := 10000
const STACK := 4
const ROUNDS := 60
const SWITCHES: Array[String] = ["shapes", "contacts", "centres", "velocities", "bounds", "tree"]


func _initialize() -> void:
	var stage := Node3D.new()
	root.add_child(stage)
	await process_frame
	RenderingServer.render_loop_enabled = false
	var bodies := _bodies(stage)
	var node := DebugDraw.new()
	stage.add_child(node)
	node.set_physics_process(false)
	for tick: int in 20:
		await physics_frame
	await _measure(node, "off", [])
	for switch: String in SWITCHES:
		await _measure(node, switch, [switch])
	await _measure(node, "shapes by island", ["shapes", "by_island"])
	await _measure(node, "all", SWITCHES)
	for body: RID in bodies:
		PhysicsServer3D.free_rid(body)
	stage.free()
	quit()


func _bodies(stage: Node3D) -> Array[RID]:
	var floor_body := StaticBody3D.new()
	var floor_shape := CollisionShape3D.new()
	floor_shape.shape = WorldBoundaryShape3D.new()
	floor_body.add_child(floor_shape)
	stage.add_child(floor_body)
	var box := BoxShape3D.new()
	floor_shape.set_meta("box", box) # keeps it
	var made: Array[RID] = []
	for index: int in BODIES:
		var stack := index / STACK
		var body := PhysicsServer3D.body_create()
		PhysicsServer3D.body_add_shape(body, box.get_rid())
		PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_CAN_SLEEP, false)
		PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM,
			Transform3D(Basis.IDENTITY, Vector3(2.0 * (stack % 50), 0.5 + index % STACK, 2.0 * (stack / 50))))
		PhysicsServer3D.body_set_space(body, stage.get_world_3d().space)
		made.append(body)
	return made


func _measure(node: Node3D, title: String, wanted: Array[String]) -> void:
	node.visible = title != "off"
	for switch: String in SWITCHES + ["by_island"] as Array[String]:
		node.set(switch, switch in wanted)
	var times: Array[float] = []
	for tick: int in ROUNDS:
		await physics_frame
		var begin := Time.get_ticks_usec()
		node.call("_physics_process", 0.0)
		times.append((Time.get_ticks_usec() - begin) / 1000.0)
	times.sort()
	print("%-18s least %6.3f ms, median %6.3f ms" % [title, times[0], times[ROUNDS / 2]])
