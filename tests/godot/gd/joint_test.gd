extends "res://gd/physics_test.gd"
## The base of tests of joints.


## Puts a joint at `at` between two bodies; `null` stands for the world.
func join(joint: Joint3D, a: Node, b: Node, at: Variant = Vector3.ZERO, properties: Dictionary = {}) -> Joint3D:
	joint.transform = at if at is Transform3D else Transform3D(Basis.IDENTITY, at)
	for property: String in properties:
		joint.set(property, properties[property])
	add_child(joint)
	if a != null:
		joint.node_a = joint.get_path_to(a)
	if b != null:
		joint.node_b = joint.get_path_to(b)
	return joint


## A fixed body at the origin that nothing touches.
func anchor(at: Vector3 = Vector3.ZERO) -> StaticBody3D:
	return fixed(box(Vector3.ONE * 0.1), at, {"collision_layer": 0, "collision_mask": 0})


## A floating cube of 1 m and 6 kg: its inertia is 1 kg m^2 about every axis.
func cube(at: Variant = Vector3.ZERO, properties: Dictionary = {}) -> RigidBody3D:
	var all := {"mass": 6.0, "can_sleep": false}
	all.merge(properties, true)
	return floating(box(), at, all)


## Turn about an axis, right-handed [rad].
func angle_about(body: Node3D, axis: Vector3) -> float:
	var q := body.quaternion
	return wrapf(2.0 * atan2(Vector3(q.x, q.y, q.z).dot(axis), q.w), -PI, PI)


## Pushes with a constant torque for `count` steps; gives the least and the greatest angle.
func turn_range(body: RigidBody3D, axis: Vector3, torque: float, count: int = 120) -> Vector2:
	var seen := Vector2(INF, -INF)
	for step: int in 2 * count:
		body.apply_torque(axis * (torque if step < count else -torque))
		await steps()
		seen = Vector2(minf(seen.x, angle_about(body, axis)), maxf(seen.y, angle_about(body, axis)))
	return seen


func push_range(body: RigidBody3D, axis: Vector3, force: float, count: int = 120) -> Vector2:
	var seen := Vector2(INF, -INF)
	for step: int in 2 * count:
		body.apply_central_force(axis * (force if step < count else -force))
		await steps()
		seen = Vector2(minf(seen.x, body.position.dot(axis)), maxf(seen.y, body.position.dot(axis)))
	return seen


func check_range(seen: Vector2, least: float, most: float, what: String, tolerance: float = 0.02) -> void:
	check_near(seen.x, least, tolerance, what + ", least")
	check_near(seen.y, most, tolerance, what + ", most")
