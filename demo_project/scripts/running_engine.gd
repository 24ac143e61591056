extends RefCounted
## The physics engine that runs. Where the chosen one cannot start, Godot takes its default engine without a word.

const SCREE := "Scree Physics"


static func title() -> String:
	if PhysicsServer3D.get_class().begins_with("Scree"):
		return SCREE
	var chosen: String = ProjectSettings.get_setting("physics/3d/physics_engine")
	return "Godot's default engine" if chosen in [SCREE, "DEFAULT"] else chosen
