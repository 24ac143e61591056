extends RefCounted
## Which physics engine runs. Scree's nodes ask before they use the singleton `Scree`, so that projects open without it.


static func is_scree() -> bool:
	return PhysicsServer3D.get_class().begins_with("Scree")
