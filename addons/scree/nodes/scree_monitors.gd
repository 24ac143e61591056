extends Node
## Shows in the debugger's Monitors how full Scree's pools have been: add this script as an autoload. Of each pool the most rows
## that were in use at once, in per cent; at 100 the setting physics/scree_3d/limits/max_... of its name is to be raised.

const READ_EVERY_MS := 500

var _figures := {}
var _read_at := -READ_EVERY_MS


func _enter_tree() -> void:
	for pool: String in _renewed():
		Performance.add_custom_monitor("scree/%s" % pool, _percent.bind(pool))


func _exit_tree() -> void:
	for pool: String in _figures:
		Performance.remove_custom_monitor("scree/%s" % pool)


func _percent(pool: String) -> float:
	var figure: Dictionary = _renewed()[pool]
	return 100.0 * figure["most"] / figure["capacity"]


func _renewed() -> Dictionary:
	if PhysicsServer3D.has_method("pool_figures") and Time.get_ticks_msec() - _read_at >= READ_EVERY_MS:
		_figures = PhysicsServer3D.call("pool_figures")
		_read_at = Time.get_ticks_msec()
	return _figures
