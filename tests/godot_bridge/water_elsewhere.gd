extends SceneTree
## A scene with water on another engine than Scree.

const Water := preload("res://addons/scree/nodes/scree_water_3d.gd")
const Wave := preload("res://addons/scree/nodes/scree_wave.gd")


func _initialize() -> void:
	var water := Water.new()
	water.waves = [Wave.new()]
	root.add_child(water)
	root.add_child(Water.new())
	await physics_frame
	print("height ", snappedf(water.height_at(Vector3.ONE), 0.001), " floating ", water.get_floating_count())
	for node: Node in root.get_children():
		node.queue_free()
	await physics_frame
	quit()
