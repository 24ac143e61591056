extends RefCounted
## Which physics engine runs. Scree's nodes ask before they use the singleton `Scree`, so that projects open without it.

# The classes of nodes that have warned: each does so once.
static var _warned: Dictionary[String, bool] = {}


static func is_scree() -> bool:
	return PhysicsServer3D.get_class().begins_with("Scree")


## Whether Scree runs; if not, warns once for each class of nodes, with what it does instead.
static func is_scree_for(owner: String, instead: String) -> bool:
	if not is_scree() and not _warned.has(owner):
		_warned[owner] = true
		push_warning("%s: needs Scree Physics, this is %s: %s" % [owner, PhysicsServer3D.get_class(), instead])
	return is_scree()
