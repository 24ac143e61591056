extends "res://truth/truth_scene.gd"
## Fast bodies do not pass through thin ones: balls with continuous_cd, and rag dolls on triangles.

const BALLS := 20
const RADIUS := 0.1
const WALL := Vector3(0.1, 6.0, 6.0)
const MESH_CELL := 1.0
const DOLLS := 12


## A wall that is free to move, and one that stands: balls from many distances, so that ticks end at all places before it.
func rows_balls_at_a_wall() -> void:
	for speed: float in [100.0, 200.0, 300.0, 500.0]:
		await _balls_at(fixed(box(WALL)), speed, 1.0, "a static wall")
		for mass: float in [1.0, 10.0]:
			await _balls_at(floating(box(WALL), Vector3.ZERO, {"mass": 1000.0}), speed, mass, "a free wall of 1,000 kg")


func _balls_at(wall: Node3D, speed: float, mass: float, name: String) -> void:
	var balls: Array[RigidBody3D] = []
	for number: int in BALLS:
		var at := Vector3(-3.0 - 0.37 * number, -2.0 + number / 5, -2.0 + number % 5)
		balls.append(floating(sphere(RADIUS), at, {"mass": mass, "continuous_cd": true, "linear_velocity": Vector3(speed, 0, 0)}))
	var passed := {}
	var before: Array[Vector3] = []
	for ball: RigidBody3D in balls:
		before.append(wall.transform.affine_inverse() * ball.position)
	for tick: int in 40:
		await steps()
		for number: int in BALLS:
			var now := wall.transform.affine_inverse() * balls[number].position
			if _went_through(before[number], now):
				passed[number] = true
			before[number] = now
	formula("20 CCD balls of %.0f kg at %.0f m/s at %s: pass" % [mass, speed, name], "balls", passed.size(), 0.0, 0.0)
	for child: Node in get_children():
		child.free()


## Whether a way in the wall's own frame goes through it, not past its edges; a ball that is pushed back out has not passed.
func _went_through(from: Vector3, to: Vector3) -> bool:
	var back := WALL.x / 2.0
	if from.x > back or to.x <= back:
		return false
	var at := from.lerp(to, (back - from.x) / (to.x - from.x))
	return maxf(absf(at.y), absf(at.z)) < WALL.y / 2.0 - RADIUS


func rows_balls_head_on() -> void:
	for speed: float in [100.0, 500.0]:
		var pairs: Array = []
		for number: int in BALLS:
			var pair: Array[RigidBody3D] = []
			for side: float in [-1.0, 1.0]:
				pair.append(floating(sphere(0.25), Vector3(side * (10.0 + 0.43 * number), 0, 3 * number),
					{"continuous_cd": true, "linear_velocity": Vector3(-side * speed, 0, 0)}))
			pairs.append(pair)
		await steps(40)
		var passed := pairs.filter(func(pair: Array[RigidBody3D]) -> bool: return pair[0].position.x > pair[1].position.x)
		formula("20 pairs of CCD balls head on at %.0f m/s each: pass" % speed, "pairs", passed.size(), 0.0, 0.0)
		for child: Node in get_children():
			child.free()


## Fast bodies of CCD meet in all directions inside a closed box: none gets out.
func rows_fast_balls_in_a_box() -> void:
	for side: int in 6:
		var way := Vector3.ZERO
		way[side >> 1] = 1.0 if side & 1 else -1.0
		var size := Vector3.ONE * 10.4
		size[side >> 1] = 0.2
		fixed(box(size), way * 5.1, {"physics_material_override": surface(0.0, 1.0)})
	var random := RandomNumberGenerator.new()
	random.seed = 5
	var balls: Array[RigidBody3D] = []
	for number: int in BALLS:
		var way := Vector3(random.randfn(), random.randfn(), random.randfn()).normalized()
		balls.append(floating(sphere(0.2), Vector3(number % 5 - 2, number / 5 - 2, 0) * 1.5, {"continuous_cd": true,
			"linear_velocity": way * 200.0}))
	await steps(600)
	var inside := AABB(-Vector3.ONE * 5.0, Vector3.ONE * 10.0)
	var outside := balls.filter(func(ball: RigidBody3D) -> bool: return not inside.has_point(ball.position))
	formula("20 elastic CCD balls at 200 m/s in a box of thin walls: outside after 10 s", "balls", outside.size(), 0.0, 0.0)


## Bones as capsules (half length along Y), joined by cone twists at the places between them [m].
const BONES: Dictionary[String, Array] = {
	"chest": [Vector3(0, 1.3, 0), 0.16, 0.44, "", Vector3.ZERO],
	"pelvis": [Vector3(0, 0.95, 0), 0.15, 0.34, "chest", Vector3(0, 1.1, 0)],
	"head": [Vector3(0, 1.7, 0), 0.12, 0.28, "chest", Vector3(0, 1.55, 0)],
	"left thigh": [Vector3(-0.12, 0.62, 0), 0.08, 0.44, "pelvis", Vector3(-0.12, 0.85, 0)],
	"right thigh": [Vector3(0.12, 0.62, 0), 0.08, 0.44, "pelvis", Vector3(0.12, 0.85, 0)],
	"left shin": [Vector3(-0.12, 0.2, 0), 0.06, 0.42, "left thigh", Vector3(-0.12, 0.4, 0)],
	"right shin": [Vector3(0.12, 0.2, 0), 0.06, 0.42, "right thigh", Vector3(0.12, 0.4, 0)],
	"left arm": [Vector3(-0.28, 1.3, 0), 0.06, 0.34, "chest", Vector3(-0.24, 1.46, 0)],
	"right arm": [Vector3(0.28, 1.3, 0), 0.06, 0.34, "chest", Vector3(0.24, 1.46, 0)],
	"left hand": [Vector3(-0.28, 0.98, 0), 0.05, 0.3, "left arm", Vector3(-0.28, 1.13, 0)],
	"right hand": [Vector3(0.28, 0.98, 0), 0.05, 0.3, "right arm", Vector3(0.28, 1.13, 0)],
}


func _doll(at: Transform3D, velocity: Vector3, spin: Vector3, ccd: bool) -> Array[RigidBody3D]:
	var bones: Dictionary[String, RigidBody3D] = {}
	for name: String in BONES:
		var bone: Array = BONES[name]
		var place: Vector3 = at * (bone[0] - Vector3(0, 1, 0))
		bones[name] = rigid(capsule(bone[1], bone[2]), Transform3D(at.basis, place), {"mass": 2.0, "continuous_cd": ccd,
			"linear_velocity": velocity + spin.cross(place - at.origin), "angular_velocity": spin})
		if bone[3] != "":
			var joint := ConeTwistJoint3D.new()
			joint.transform = Transform3D(at.basis, at * (bone[4] - Vector3(0, 1, 0)))
			add_child(joint)
			joint.node_a = joint.get_path_to(bones[bone[3]])
			joint.node_b = joint.get_path_to(bones[name])
	var all: Array[RigidBody3D] = []
	all.assign(bones.values())
	return all


## How deep a capsule reaches below y = 0 [m].
func _depth(bone: RigidBody3D) -> float:
	var shape: CapsuleShape3D = bone.get_child(0).shape
	var reach := absf(bone.basis.y.y) * (shape.height / 2.0 - shape.radius)
	return shape.radius + reach - bone.position.y


func rows_rag_dolls_on_triangles() -> void:
	for ccd: bool in [false, true]:
		for speed: float in [0.0, 20.0, 40.0]:
			fixed(mesh_floor(60, MESH_CELL))
			var random := RandomNumberGenerator.new()
			random.seed = 11
			var dolls: Array = []
			for number: int in DOLLS:
				var turned := Basis.from_euler(Vector3(random.randf(), random.randf(), random.randf()) * TAU)
				var at := Transform3D(turned, Vector3(-20 + 10 * (number % 4), 6.0, -10 + 10 * (number / 4)))
				var spin := Vector3(random.randfn(), random.randfn(), random.randfn()) * 3.0
				dolls.append(_doll(at, Vector3(speed / 4.0, -speed, 0), spin, ccd))
			var deepest := 0.0
			for tick: int in 360:
				await steps()
				for doll: Array[RigidBody3D] in dolls:
					for bone: RigidBody3D in doll:
						deepest = maxf(deepest, _depth(bone))
			var hanging := 0
			var deep := 0.0
			for doll: Array[RigidBody3D] in dolls:
				var lowest := -INF
				for bone: RigidBody3D in doll:
					lowest = maxf(lowest, _depth(bone))
				hanging += int(lowest < -0.05)
				deep = maxf(deep, lowest)
			var words := "12 rag dolls %sat %.0f m/s on triangles" % ["with CCD " if ccd else "", speed]
			formula("%s: below the floor after 6 s" % words, "m", deep, 0.0, 0.02)
			least("%s: deepest ever" % words, "m", deepest, 0.05)
			formula("%s: hang in the air after 6 s" % words, "dolls", hanging, 0.0, 0.0)
			for child: Node in get_children():
				child.free()
