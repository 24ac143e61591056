extends SceneTree
## A rope on another engine than Scree.

const Rope := preload("res://addons/scree/nodes/scree_rope_3d.gd")


func _initialize() -> void:
	await process_frame
	var rope := Rope.new()
	rope.position = Vector3(0, 5, 0)
	rope.holds_end = false
	rope.strength = 0.001
	root.add_child(rope)
	for k: int in 60:
		rope.reel(-0.1 / 60.0)
		rope.reel(0.1 / 60.0)
		await physics_frame
	var points := rope.get_points()
	print("rods ", rope.get_rod_count(), " hangs ", points[0].distance_to(Vector3(0, 5, 0)) < 0.1 and points[-1].y < 3.2)
	var other := rope.cut(4)
	await physics_frame
	print("cut ", rope.get_rod_count(), " ", other.get_rod_count())
	rope.queue_free()
	await physics_frame
	quit()
