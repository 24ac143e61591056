extends "res://gd/joint_test.gd"
## Joints that close loops: what hangs on them is heavy, and they hold.


func _bar(size: Vector3, at: Vector3, mass: float) -> RigidBody3D:
	return rigid(box(size), at, {"mass": mass, "can_sleep": false, "collision_layer": 0, "collision_mask": 0})


## The largest distance between points of two nodes that a joint holds together. `pairs`: node, point, node, point.
func _gap(pairs: Array) -> float:
	var widest := 0.0
	for pair: Array in pairs:
		var a: Vector3 = (pair[0] as Node3D).to_global(pair[1])
		var b: Vector3 = (pair[2] as Node3D).to_global(pair[3])
		widest = maxf(widest, a.distance_to(b))
	return widest


## Four bars: a crank of 1 kg with a motor and a rod move a rocker of 100 kg to and fro.
func test_a_crank_turns_a_heavy_rocker() -> void:
	var left := anchor(Vector3.ZERO)
	var right := anchor(Vector3(2, -1, 0))
	var crank := _bar(Vector3(0.25, 0.1, 0.1), Vector3(0.125, 0, 0), 1.0)
	var rod := _bar(Vector3(1.75, 0.1, 0.1), Vector3(1.125, 0, 0), 1.0)
	var rocker := _bar(Vector3(0.1, 1.0, 0.1), Vector3(2, -0.5, 0), 100.0)
	join(HingeJoint3D.new(), crank, left, Vector3.ZERO,
		{"motor/enable": true, "motor/target_velocity": 2.0, "motor/max_impulse": 1e5})
	join(HingeJoint3D.new(), crank, rod, Vector3(0.25, 0, 0))
	join(HingeJoint3D.new(), rod, rocker, Vector3(2, 0, 0))
	join(HingeJoint3D.new(), rocker, right, Vector3(2, -1, 0))
	await steps(10)
	var slowest := INF
	var fastest := 0.0
	var widest := 0.0
	for _step: int in 240:
		await steps()
		slowest = minf(slowest, absf(crank.angular_velocity.z))
		fastest = maxf(fastest, absf(crank.angular_velocity.z))
		widest = maxf(widest, _gap([
			[crank, Vector3(-0.125, 0, 0), left, Vector3.ZERO], [crank, Vector3(0.125, 0, 0), rod, Vector3(-0.875, 0, 0)],
			[rod, Vector3(0.875, 0, 0), rocker, Vector3(0, 0.5, 0)], [rocker, Vector3(0, -0.5, 0), right, Vector3.ZERO],
		]))
	check_between(slowest, 1.98, 2.02, "slowest")
	check_between(fastest, 1.98, 2.02, "fastest")
	check_between(widest, 0.0, 0.005, "gap")


## Twelve planks hung at both ends, 20 kg each: no joint gapes, neither the first nor the last.
func test_a_bridge_holds_at_both_ends() -> void:
	var planks: Array[RigidBody3D] = []
	for k: int in 12:
		planks.append(_bar(Vector3(0.9, 0.1, 1.0), Vector3(k, 0, 0), 20.0))
	var left := anchor(Vector3(-0.5, 0, 0))
	var right := anchor(Vector3(11.5, 0, 0))
	join(HingeJoint3D.new(), left, planks[0], Vector3(-0.5, 0, 0))
	var pairs: Array = [[left, Vector3.ZERO, planks[0], Vector3(-0.5, 0, 0)]]
	for k: int in 11:
		join(HingeJoint3D.new(), planks[k], planks[k + 1], Vector3(k + 0.5, 0, 0))
		pairs.append([planks[k], Vector3(0.5, 0, 0), planks[k + 1], Vector3(-0.5, 0, 0)])
	join(HingeJoint3D.new(), planks[11], right, Vector3(11.5, 0, 0))
	pairs.append([planks[11], Vector3(0.5, 0, 0), right, Vector3.ZERO])
	var widest := 0.0
	for _step: int in 240:
		await steps()
		widest = maxf(widest, _gap(pairs))
	check_between(widest, 0.0, 0.01, "gap")
