extends SceneTree
## A scene with the addon's resources for contacts, in a project that has neither the native part of the addon nor its engine.


func _initialize() -> void:
	print("class ", PhysicsServer3D.get_class(), " ", Engine.has_singleton("Scree"))
	var packed: PackedScene = load("res://belt.tscn")
	var body: Node = packed.instantiate()
	root.add_child(body)
	await physics_frame
	var settings: ScreeBodySettings3D = body.get_child(0)
	var rule: ScreeContactRule = settings.rules[0]
	print("settings ", settings.contact_class, " ", settings.contact_events, " ", settings.rules.size())
	print("rule ", rule.class_a, " ", rule.class_b, " ", rule.surface_velocity, " ", rule.friction, " ", rule.apply())
	quit()
