extends "res://scripts/played_scene.gd"
## Ropes (ScreeRope3D): two carry a bridge of planks with crates on it, a winch lifts a crate, and a ball on a rope swings through a
## stack. At the end the ropes of the bridge are let go, one after the other. Other engines run the same nodes; their ropes stretch.

const ROPE := "res://addons/scree/nodes/scree_rope_3d.gd"

## [m]
const BANK := 5.0
const HEIGHT := 3.0
const SAG_LENGTH := 10.4
const PLANKS := 14
const CRATES := 4
const PLANK := Vector3(0.5, 0.08, 2.2)
const RAIL := 1.0
const BALL_ROPE := 5.0
const BALL_RADIUS := 0.4
## [kg]
const PLANK_MASS := 8.0
const LOAD := 60.0
const CRATE_MASS := 25.0
## [m/s]
const WINCH_SPEED := 0.5
## Ticks.
const LIFTS_AT := 60
const HOLDS_AT := 300
const MEASURES_AT := 420
const SWINGS_AT := 430
const CUTS_AT := 620
const FALLS_AT := 740

var _rails: Array[Node3D] = []
var _planks: Array[RigidBody3D] = []
var _crates: Array[RigidBody3D] = []
var _load: RigidBody3D
var _ball: RigidBody3D
var _winch: Node3D
var _load_at := 0.0
var _joints: Array[RID] = []
var _longest_swing := 0.0


func build() -> void:
	bin = Bin.new(60.0, 1.0, 0.8)
	bin.has_walls = false
	stage.target = Vector3(0, 2.2, 0)
	stage.eye = Vector3(7, 6.5, 15)
	for side: float in [-1.0, 1.0]:
		block(Vector3(4, HEIGHT, 3.4), Vector3(side * (BANK + 2.0), HEIGHT / 2.0, 0))
	_add_stack()
	if not ResourceLoader.exists(ROPE):
		return
	_add_bridge()
	_add_winch()
	_add_ball()


func tick(number: int) -> void:
	if _winch == null:
		return
	if number == LIFTS_AT:
		_load_at = _load.global_position.y
	if number >= LIFTS_AT and number < HOLDS_AT:
		_winch.call("reel", WINCH_SPEED * TICK)
	if number == MEASURES_AT:
		_measure()
	if number == SWINGS_AT:
		_ball.freeze = false
	if number > SWINGS_AT:
		_longest_swing = maxf(_longest_swing, _ball.global_position.distance_to(_pivot()))
	if number == CUTS_AT:
		expect_near("longest distance of the swinging ball from its hook [m]", _longest_swing, BALL_ROPE + BALL_RADIUS, 0.02)
		_rails[1].call("release_start")
	if number == FALLS_AT:
		_rails[0].call("release_start")


func extra_figures() -> Dictionary:
	var figures := super.extra_figures()
	if _winch != null:
		figures["longest_swing"] = _longest_swing
	return figures


func _exit_tree() -> void:
	super._exit_tree()
	for joint: RID in _joints:
		PhysicsServer3D.free_rid(joint)
	_joints.clear()


## Measures when the winch has lifted its load, and the bridge carries its crates.
func _measure() -> void:
	var lifted := _load.global_position.y - _load_at
	expect_near("the winch has lifted [m]", lifted, WINCH_SPEED * (HOLDS_AT - LIFTS_AT) * TICK, 0.02)
	if PhysicsServer3D.get_class().begins_with("Scree"):
		expect_near("pull of the winch [N]", _winch.call("get_tension"), (LOAD + 1.0) * GRAVITY, 0.02 * LOAD * GRAVITY)
	for rail: Node3D in _rails:
		var points: PackedVector3Array = rail.call("get_points")
		var length := 0.0
		for k: int in points.size() - 1:
			length += points[k].distance_to(points[k + 1])
		expect_near("length of a loaded rope [m]", length, SAG_LENGTH, 0.02)
	var lowest := INF
	for crate: int in CRATES:
		lowest = minf(lowest, _crates[crate].global_position.y)
	expect_between("the lowest crate on the bridge [m]", lowest, HEIGHT - 2.0, HEIGHT + 1.0)


## Two ropes from bank to bank, and planks between their rods.
func _add_bridge() -> void:
	for side: float in [-RAIL, RAIL]:
		var rail := _rope(Vector3(-BANK, HEIGHT, side), Vector3(2.0 * BANK, 0, 0), NodePath(), SAG_LENGTH)
		rail.set("mass", 8.0)
		add_child(rail)
		_rails.append(rail)
	var count: int = _rails[0].call("get_rod_count")
	for plank: int in PLANKS:
		_add_plank(int((plank + 0.5) * count / PLANKS))
	for crate: int in CRATES:
		var body := RigidBody3D.new()
		body.mass = CRATE_MASS
		add_box(body, Vector3.ONE * 0.6, Vector3.ZERO, [CORAL, AMBER, LEAF][crate % 3])
		body.position = _planks[2 + 3 * crate].position + Vector3.UP * 0.5
		add_child(body)
		_crates.append(body)


## A plank between both ropes, pinned to the rods on either side of this number.
func _add_plank(number: int) -> void:
	var rods: Array[RID] = []
	var places: Array[Vector3] = []
	var middle := Vector3.ZERO
	for rail: Node3D in _rails:
		for next: int in [number - 1, number + 1]:
			rods.append((rail.call("get_rods") as Array)[next])
			var pose: Transform3D = PhysicsServer3D.body_get_state(rods[-1], PhysicsServer3D.BODY_STATE_TRANSFORM)
			places.append(pose.origin)
			middle += 0.25 * pose.origin
	var along := places[0].direction_to(places[1])
	var plank := RigidBody3D.new()
	plank.mass = PLANK_MASS
	add_box(plank, PLANK, Vector3.ZERO, WOOD)
	plank.transform = Transform3D(Basis(along, Vector3.BACK.cross(along), Vector3.BACK), middle + Vector3.UP * 0.1)
	add_child(plank)
	for end: int in rods.size():
		var joint := PhysicsServer3D.joint_create()
		PhysicsServer3D.joint_make_pin(joint, plank.get_rid(), plank.transform.affine_inverse() * places[end], rods[end], Vector3.ZERO)
		PhysicsServer3D.joint_disable_collisions_between_bodies(joint, true)
		_joints.append(joint)
	_planks.append(plank)


## A gallows, and a rope that its winch reels in.
func _add_winch() -> void:
	block(Vector3(0.3, 6.0, 0.3), Vector3(-6.0, 3.0, 5.0))
	var arm := block(Vector3(2.6, 0.3, 0.3), Vector3(-4.8, 6.15, 5.0))
	_load = RigidBody3D.new()
	_load.mass = LOAD
	add_box(_load, Vector3.ONE * 0.8, Vector3.ZERO, TEAL)
	_load.position = Vector3(-4.0, 0.4, 5.0)
	add_child(_load)
	_winch = _rope(Vector3(-4.0, 6.0, 5.0), Vector3(0, -5.2, 0), _load.get_path(), 0.0)
	_winch.set("start_node", arm.get_path())
	add_child(_winch)


## A ball on a rope, held aside until it swings through a stack of crates.
func _add_ball() -> void:
	block(Vector3(0.3, 0.3, 3.0), _pivot() + Vector3(0, 0.15, -1.0))
	block(Vector3(0.3, _pivot().y, 0.3), Vector3(_pivot().x, _pivot().y / 2.0, _pivot().z - 2.6))
	var aside := Vector3(0.8, -0.6, 0.0)
	_ball = RigidBody3D.new()
	_ball.mass = 80.0
	_ball.freeze = true
	var shape := SphereShape3D.new()
	shape.radius = BALL_RADIUS
	var mesh := SphereMesh.new()
	mesh.radius = BALL_RADIUS
	mesh.height = 2.0 * BALL_RADIUS
	add_shape(_ball, shape, mesh, Vector3.ZERO, VIOLET)
	_ball.position = _pivot() + aside * (BALL_ROPE + BALL_RADIUS)
	add_child(_ball)
	add_child(_rope(_pivot(), aside * BALL_ROPE, _ball.get_path(), 0.0))


func _add_stack() -> void:
	var crate := bodies.add_form(BodyForm.box(Vector3.ONE * 0.5, ROSE))
	for index: int in body_count():
		var at := Vector3(-0.55 * (index % 2), 0.25 + 0.5 * (index / 8), 0.51 * (index / 2 % 4 - 1.5))
		bodies.add(crate, Transform3D(Basis.IDENTITY, Vector3(_pivot().x, 0.0, _pivot().z) + at))


func _pivot() -> Vector3:
	return Vector3(-1.0, BALL_ROPE + BALL_RADIUS + 0.2, -6.0)


## A rope, not in the tree yet; `length` 0: straight.
func _rope(at: Vector3, end_point: Vector3, end_node: NodePath, length: float) -> Node3D:
	var rope: Node3D = load(ROPE).new()
	rope.position = at
	rope.set("end_point", end_point)
	rope.set("end_node", end_node)
	rope.set("length", length)
	rope.set("radius", 0.04)
	rope.set("surface", paint(WOOD.lightened(0.2)))
	return rope
