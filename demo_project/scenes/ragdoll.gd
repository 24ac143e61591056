extends "res://scripts/played_scene.gd"
## Ragdolls (Skeleton3D with PhysicalBone3D) fall down stairs, one after another.

const Ragdoll = preload("res://scripts/ragdoll.gd")

const PEOPLE := 4
const STEPS := 10
## Rise and depth of a step [m].
const RISE := 0.25
const DEPTH := 0.40
const WIDTH := 8.0
const TOP := STEPS * RISE
## Ticks between one fall and the next.
const APART := 90
## [m/s]
const PUSH := Vector3(0, 0, 2.5)
## The thinnest bone's radius [m].
const THINNEST := 0.045
const GENTLY := 0.02

var _people: Array[Ragdoll] = []
var _widest_gap := 0.0
var _fastest := 0.0
var _deepest := 0.0


func build() -> void:
	bin = Bin.new(30.0, 1.0, 0.7)
	bin.has_walls = false
	stage.target = Vector3(0, 1.2, 1.2)
	stage.eye = Vector3(7.5, 3.6, 8.0)
	stage.shadow_distance = 30.0
	for step: int in STEPS:
		var height := TOP - RISE * step
		var depth := DEPTH if step > 0 else 2.0
		block(Vector3(WIDTH, height, depth), Vector3(0, height / 2.0, DEPTH * step - depth / 2.0))
	for number: int in PEOPLE:
		var person := Ragdoll.new([CORAL, TEAL, AMBER, VIOLET][number])
		person.position = Vector3(1.6 * (number - (PEOPLE - 1) / 2.0), TOP + 0.08, -0.25)
		add_child(person)
		_people.append(person)
	var box := bodies.add_form(BodyForm.box(Vector3.ONE * 0.5, WOOD))
	for index: int in body_count():
		bodies.add(box, Transform3D(Basis.IDENTITY, Vector3(0.9 * (index - 3.5), 0.25, DEPTH * STEPS + 1.5)))


func tick(number: int) -> void:
	for index: int in PEOPLE:
		var since := number - 30 - APART * index
		if since == 0:
			_people[index].fall(PUSH)
		if since > 1:
			_watch(_people[index])
	if number == 599:
		_expect_fall()
	if number == 1799:
		_expect_rest()


func _watch(person: Ragdoll) -> void:
	_widest_gap = maxf(_widest_gap, person.widest_gap())
	_fastest = maxf(_fastest, person.fastest())
	for bone: PhysicalBone3D in person.bones:
		var at := bone.global_position
		_deepest = maxf(_deepest, _ground(at) + THINNEST - at.y)


## The height of the stairs or the floor at a point, where all points near it stand on the same step; else far below.
func _ground(at: Vector3) -> float:
	var within := fposmod(at.z, DEPTH)
	if absf(at.x) > WIDTH / 2.0 or at.z > DEPTH * (STEPS - 1) or at.z < -2.0:
		return 0.0
	if at.z < 0.0:
		return TOP
	if minf(within, DEPTH - within) < 0.1:
		return -INF
	return TOP - RISE * (floorf(at.z / DEPTH) + 1.0)


func _expect_fall() -> void:
	# What stands 1.5 m over a stairs of 2.5 m cannot be faster at its foot than its fall and its push make it; a swung limb is
	# driven by the rest of the body, but hardly to twice that.
	var of_fall := sqrt(2.0 * GRAVITY * (TOP + 1.5) + PUSH.length_squared())
	expect_between("fastest bone so far [m/s]", _fastest, 2.0, 2.0 * of_fall)
	# At 8 m/s a limb goes 13 cm in a tick; where a step stops it, its joints must hold it all the same.
	expect_between("widest gap of a joint so far [m]", _widest_gap, 0.0, 0.05)
	expect_between("deepest bone below a step so far [m]", _deepest, -1.0, 0.05)


func _expect_rest() -> void:
	var fastest_bone := 0.0
	var gap := 0.0
	var lowest := INF
	var past_limit := -180.0
	for person: Ragdoll in _people:
		fastest_bone = maxf(fastest_bone, person.fastest())
		gap = maxf(gap, person.widest_gap())
		past_limit = maxf(past_limit, person.past_limits())
		for bone: PhysicalBone3D in person.bones:
			lowest = minf(lowest, bone.global_position.y)
		var pelvis := person.bones[0].global_position
		expect_between("%d went down, way [m]" % _people.find(person), pelvis.z + 0.25, 0.5, 12.0)
	# A hand may hang and swing, slower than what Godot counts as rest.
	expect_between("fastest bone at the end [m/s]", fastest_bone, 0.0, 0.1)
	expect_between("widest gap of a joint at the end [m]", gap, 0.0, 0.005)
	expect_between("farthest a hinge is past its limits [degrees]", past_limit, -180.0, 3.0)
	expect_between("lowest bone at the end [m]", lowest, THINNEST - GENTLY, 0.3)
