extends "res://gd/physics_test.gd"
## InstanceCollider3D: every instance of a MultiMesh collides, wherever, however turned and scaled, and is told by number.

const COLLIDER := "res://addons/scree/nodes/instance_collider_3d.gd"


func test_every_instance_is_hit_and_told() -> void:
	if not PhysicsServer3D.has_method("batch_add"):
		check(true, "only Scree has instance colliders")
		return
	var mesh := MultiMesh.new()
	mesh.transform_format = MultiMesh.TRANSFORM_3D
	mesh.instance_count = 60
	var rows := PackedFloat32Array() # without a screen Godot keeps no more of a MultiMesh than its buffer
	var places := PackedVector3Array()
	for number: int in 60:
		var b := Basis(Vector3(0.3, 1, 0.2).normalized(), 0.37 * number).scaled_local(Vector3.ONE * (1.0 + 0.5 * (number % 3)))
		var place := Vector3(10 * (number % 10), 0, 10 * (number / 10))
		places.append(place)
		rows.append_array([b.x.x, b.y.x, b.z.x, place.x, b.x.y, b.y.y, b.z.y, place.y, b.x.z, b.y.z, b.z.z, place.z])
	mesh.buffer = rows
	var shown := MultiMeshInstance3D.new()
	shown.multimesh = mesh
	shown.position = Vector3(0, 5, 100)
	add_child(shown)
	var collider: Node3D = load(COLLIDER).new()
	var box := BoxShape3D.new()
	box.size = Vector3(2, 2, 2)
	collider.set("instances", shown)
	collider.set("shape", box)
	add_child(collider)
	var space := get_world_3d().direct_space_state
	var right := 0
	for number: int in 60:
		var place := shown.position + places[number]
		var hit := space.intersect_ray(PhysicsRayQueryParameters3D.create(place + Vector3.UP * 20, place + Vector3.DOWN * 20))
		if not hit.is_empty() and hit["collider"] == collider and collider.call("instance_of", hit["rid"]) == number:
			right += 1
	check(right == 60, "%d of 60 instances are told right" % right)
	collider.call("clear")
	var place := shown.position + places[0]
	var gone := space.intersect_ray(PhysicsRayQueryParameters3D.create(place + Vector3.UP * 20, place + Vector3.DOWN * 20))
	check(gone.is_empty(), "cleared colliders are gone")
