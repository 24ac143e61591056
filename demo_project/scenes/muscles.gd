extends "res://scripts/played_scene.gd"
## Three ragdolls hold a pose by motors in their joints (ScreeRagdoll3D). Balls hit them: the first stays firm, the second goes weak,
## the third goes limp and falls; then all take the pose again. With another engine than Scree they are limp.

const Ragdoll = preload("res://scripts/ragdoll.gd")
const NODE := "res://addons/scree/nodes/scree_ragdoll_3d.gd"

const PEOPLE := 3
const APART := 2.4
## How much lower than their bones say the figures stand, whose shins end above the ground [m].
const LOWER := 0.1
## Largest torque of a joint [N m].
const TORQUE := 150.0
const WEAK := 0.1
const RISE := 1.0 / 60.0
## Angles of a pose about the axes of bones, x and z [rad]: arms before the body, knees a little bent.
const GUARD := {"left_arm": Vector2(-0.2, -0.6), "right_arm": Vector2(0.2, -0.6), "left_forearm": Vector2(0, -1.5),
	"right_forearm": Vector2(0, -1.5), "left_thigh": Vector2(0, -0.3), "right_thigh": Vector2(0, -0.3),
	"left_shin": Vector2(0, 0.6), "right_shin": Vector2(0, 0.6), "torso": Vector2(0, 0.12)}
## Where balls are aimed at, from the ground below a figure [m].
const TARGETS: Array[Vector3] = [Vector3(0, 1.25, 0), Vector3(0.3, 1.3, 0), Vector3(0, 0.7, 0), Vector3(-0.3, 1.3, 0)]
const BALL_RADIUS := 0.18
const BALL_MASS := 8.0
## [m/s]
const BALL_SPEED := 14.0
const FROM := 6.0
## Moments [ticks].
const STANDS := 140
const VOLLEY := 150
const HIT := VOLLEY + 24
const DOWN := 300
const RISES := 310
const STANDS_AGAIN := 520
const ARMS_OUT := 530
const TIRED := 620
const SAGGED := 860
const SALVO := 930
const SALVO_ENDS := 1500
const SALVO_EVERY := 40
const SALVO_WEAK := 30
const END := 1799

var _people: Array[Ragdoll] = []
var _muscles: Array[Node] = []
## The strength that each figure is to have. It drops at once, and rises by RISE in a tick.
var _wanted := PackedFloat32Array()
var _shots := 0
var _is_led := false
var _widest_gap := 0.0


func build() -> void:
	bin = Bin.new(30.0, 1.0, 0.7)
	bin.has_walls = false
	stage.target = Vector3(0.2, 0.8, 0)
	stage.eye = Vector3(3.6, 2.0, 5.2)
	stage.shadow_distance = 30.0
	block(Vector3(14.0, 2.4, 0.5), Vector3(0, 1.2, -3.0))
	for number: int in PEOPLE:
		_add_person(number)
	var form := BodyForm.sphere(BALL_RADIUS, AMBER)
	form.mass = BALL_MASS
	var ball := bodies.add_form(form)
	for index: int in body_count():
		bodies.add(ball, Transform3D(Basis.IDENTITY, Vector3(3.6 + 0.4 * (index / 6), BALL_RADIUS, -2.4 + 0.4 * (index % 6))))


## Buttons of the hud besides those of all scenes: the player sets the strength.
func actions() -> Array[Dictionary]:
	return [{"text": "Limp", "key": KEY_1, "does": _lead.bind(0.0)}, {"text": "Weak", "key": KEY_2, "does": _lead.bind(WEAK)},
		{"text": "Firm", "key": KEY_3, "does": _lead.bind(1.0)}] as Array[Dictionary]


func tick(number: int) -> void:
	if number == 0:
		for one: Node in _muscles:
			one.call("start")
	if not _is_led:
		_play(number)
	for index: int in _muscles.size():
		var strength: float = _muscles[index].get("strength")
		_muscles[index].set("strength", move_toward(strength, _wanted[index], RISE if _wanted[index] > strength else 1.0))
	if number > HIT:
		for person: Ragdoll in _people:
			_widest_gap = maxf(_widest_gap, person.widest_gap())
	_expect_at(number)


func _add_person(number: int) -> void:
	var person := Ragdoll.new([CORAL, TEAL, VIOLET][number])
	person.position = _place(number) + Vector3.DOWN * LOWER
	add_child(person)
	_people.append(person)
	_pose(person, GUARD)
	_wanted.append(1.0)
	if not ResourceLoader.exists(NODE):
		return
	var muscles: Node = (load(NODE) as GDScript).new()
	muscles.set("max_torque", TORQUE)
	muscles.set("holds_root", true)
	muscles.set("root_rate", 3.0)
	person.add_child(muscles)
	_muscles.append(muscles)


func _place(number: int) -> Vector3:
	return Vector3(APART * (number - 1), 0, 0)


## Sets the pose that motors aim at, as an animation would. Bones that are not named go to their rest.
func _pose(person: Ragdoll, angles: Dictionary) -> void:
	for bone: int in person.get_bone_count():
		var turn: Vector2 = angles.get(person.get_bone_name(bone), Vector2.ZERO)
		var rest := person.get_bone_rest(bone).basis.get_rotation_quaternion()
		person.set_bone_pose_rotation(bone, rest * Quaternion(Vector3.RIGHT, turn.x) * Quaternion(Vector3.BACK, turn.y))


## Plays the events of a moment, unless the player leads.
func _play(number: int) -> void:
	match number:
		VOLLEY:
			for index: int in PEOPLE:
				_shoot(index, TARGETS[0])
		HIT:
			_wanted = [1.0, WEAK, 0.0]
			_hold(2, false)
		RISES, SAGGED + 1:
			_lead_all(1.0)
			for person: Ragdoll in _people:
				_pose(person, GUARD)
		ARMS_OUT:
			for person: Ragdoll in _people:
				_pose(person, {})
		SALVO_ENDS:
			_lead_all(1.0)
		TIRED:
			var torque := _torque_of_arm()
			_wanted = [1.0, 1.25 * torque / TORQUE, 0.75 * torque / TORQUE]
	if number >= SALVO and number < SALVO_ENDS:
		var since := (number - SALVO) % SALVO_EVERY
		if since == 0:
			_shoot(_shots % PEOPLE, TARGETS[_shots % TARGETS.size()])
		elif since == HIT - VOLLEY:
			_wanted[(_shots - 1) % PEOPLE] = WEAK
		elif since == (HIT - VOLLEY + SALVO_WEAK) % SALVO_EVERY:
			_wanted = [1.0, 1.0, 1.0]


## The player's strength for all.
func _lead(strength: float) -> void:
	_is_led = true
	_lead_all(strength)


func _lead_all(strength: float) -> void:
	_wanted = [strength, strength, strength]
	for index: int in PEOPLE:
		_hold(index, strength > 0.0)


func _hold(number: int, holds: bool) -> void:
	if number < _muscles.size():
		_muscles[number].set("holds_root", holds)


## The next ball flies at a figure, high enough to meet a point [m] of it.
func _shoot(number: int, target: Vector3) -> void:
	var rid := bodies.rids[_shots % bodies.size()]
	_shots += 1
	var seconds := FROM / BALL_SPEED
	var from := _place(number) + target + Vector3(0, 0, FROM)
	var velocity := Vector3(0, 0.5 * GRAVITY * seconds, -BALL_SPEED)
	PhysicsServer3D.body_set_state(rid, PhysicsServer3D.BODY_STATE_TRANSFORM, Transform3D(Basis.IDENTITY, from))
	PhysicsServer3D.body_set_state(rid, PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY, velocity)
	PhysicsServer3D.body_set_state(rid, PhysicsServer3D.BODY_STATE_ANGULAR_VELOCITY, Vector3.ZERO)
	PhysicsServer3D.body_set_state(rid, PhysicsServer3D.BODY_STATE_SLEEPING, false)


func _expect_at(number: int) -> void:
	if _muscles.is_empty() or _is_led:
		return
	match number:
		STANDS, STANDS_AGAIN, END:
			for index: int in PEOPLE:
				expect_between("%d: farthest bone from its pose [degrees]" % index, _error(index), 0.0, 3.0)
				expect_between("%d: pelvis from its place [m]" % index, _way_of_pelvis(index), 0.0, 0.05)
				expect_between("%d: pelvis from upright [degrees]" % index, _lean(index), 0.0, 5.0)
			if number == END:
				expect_between("widest gap of a joint so far [m]", _widest_gap, 0.0, 0.05)
		DOWN:
			expect_between("firm: farthest bone from its pose [degrees]", _error(0), 0.0, 10.0)
			expect_between("weak: farthest bone from its pose [degrees]", _error(1), 10.0, 180.0)
			expect_between("limp: height of the pelvis [m]", _people[2].bones[0].global_position.y, 0.0, 0.4)
		SAGGED:
			expect_between("firm arms held out [degrees]", _arm_error(0), 0.0, 1.0)
			expect_between("arms by 1.25 times their weight's torque [degrees]", _arm_error(1), 0.0, 3.0)
			expect_between("arms by 0.75 times their weight's torque [degrees]", _arm_error(2), 20.0, 180.0)


## The torque at a shoulder that holds an arm out level [N m].
func _torque_of_arm() -> float:
	var upper: Array = Ragdoll.BONES["left_arm"]
	var lower: Array = Ragdoll.BONES["left_forearm"]
	var reach: float = 0.5 * upper[4] * upper[6] + (upper[4] + 0.5 * lower[4]) * lower[6]
	return GRAVITY * Ragdoll.BODY_MASS * reach


## The largest angle by which a bone of a figure misses its pose [degrees].
func _error(number: int) -> float:
	var worst := 0.0
	for bone: PhysicalBone3D in _people[number].bones:
		var error: float = _muscles[number].call("error_of", bone)
		worst = maxf(worst, error)
	return rad_to_deg(worst)


## The larger of the angles by which the two arms miss their pose at the shoulder [degrees].
func _arm_error(number: int) -> float:
	var worst := 0.0
	for bone: PhysicalBone3D in _people[number].bones:
		if bone.name in [&"left_arm", &"right_arm"]:
			var error: float = _muscles[number].call("error_of", bone)
			worst = maxf(worst, error)
	return rad_to_deg(worst)


## The angle between the pelvis of a figure and the vertical [degrees].
func _lean(number: int) -> float:
	return rad_to_deg(_people[number].bones[0].global_basis.y.angle_to(Vector3.UP))


## How far the pelvis of a figure is from where its animation has it [m].
func _way_of_pelvis(number: int) -> float:
	var person := _people[number]
	return person.bones[0].global_position.distance_to(person.global_transform * person.get_bone_rest(0) * person.bones[0].body_offset.origin)
