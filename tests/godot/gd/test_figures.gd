extends "res://gd/physics_test.gd"
## Figures that Scree alone has: how full its pools have been.


func test_pool_figures_count_what_was_in_use() -> void:
	if PhysicsServer3D.get_class() != "ScreePhysicsServer3D":
		check(true, "said of Scree alone")
		return
	var before: Dictionary = PhysicsServer3D.call("pool_figures")
	var bodies: Array[RigidBody3D] = []
	for k: int in 300:
		bodies.append(rigid(box(), Vector3(k % 20 * 1.05, 0.5 + k / 20, 0), {"can_sleep": false}))
	floor_body()
	await steps(5)
	var full: Dictionary = PhysicsServer3D.call("pool_figures")
	for name: String in ["bodies", "body_shapes", "shapes", "pairs", "contacts"]:
		check(full[name]["most"] >= 300 or name == "contacts" and full[name]["most"] >= 20, "%s: %s" % [name, full[name]])
		check(full[name]["most"] <= full[name]["capacity"], "%s fit" % name)
		check(ProjectSettings.has_setting(full[name]["setting"]), full[name]["setting"])
	for body: RigidBody3D in bodies:
		body.free()
	await steps(2)
	var after: Dictionary = PhysicsServer3D.call("pool_figures")
	for name: String in full:
		check(after[name]["most"] >= full[name]["most"] and full[name]["most"] >= before[name]["most"], "%s is a high-water mark" % name)
