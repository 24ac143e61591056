extends "res://gd/physics_test.gd"
## InstanceCollider3D: every instance of a MultiMesh collides, wherever, however turned and scaled, and is told by number.

const COLLIDER := "res://addons/scree/nodes/instance_collider_3d.gd"


func test_every_instance_is_hit_and_told() -> void:
	if lacks("batch_add"):
		return
	var shown := _rocks(60)
	add_child(shown)
	var collider := _collider(shown)
	add_child(collider)
	check_equal(_told_right(collider, shown), 60, "instances that are told right")
	collider.call("clear")
	check(_hit(shown, 0).is_empty(), "cleared colliders are gone")


## A level may be kept while another is played: then the collider enters the tree before its MultiMesh.
func test_colliders_come_back_with_their_node() -> void:
	if lacks("batch_add"):
		return
	var level := Node3D.new()
	var shown := _rocks(20)
	var collider := _collider(shown)
	level.add_child(collider)
	level.add_child(shown)
	add_child(level)
	check_equal(_told_right(collider, shown), 20, "instances that are told right at first")
	remove_child(level)
	check(_hit(shown, 0).is_empty(), "colliders leave with their node")
	add_child(level)
	check_equal(_told_right(collider, shown), 20, "instances that are told right after remove_child and add_child")
	collider.reparent(self)
	check_equal(_told_right(collider, shown), 20, "instances that are told right after reparent")


func _collider(shown: MultiMeshInstance3D) -> Node3D:
	var collider: Node3D = load(COLLIDER).new()
	collider.set("instances", shown)
	collider.set("shape", box(Vector3(2, 2, 2)))
	return collider


## Instances on a grid, each turned and scaled in its own way.
func _rocks(count: int) -> MultiMeshInstance3D:
	var mesh := MultiMesh.new()
	mesh.transform_format = MultiMesh.TRANSFORM_3D
	mesh.instance_count = count
	var rows := PackedFloat32Array() # without a screen Godot keeps no more of a MultiMesh than its buffer
	for number: int in count:
		var b := Basis(Vector3(0.3, 1, 0.2).normalized(), 0.37 * number).scaled_local(Vector3.ONE * (1.0 + 0.5 * (number % 3)))
		var place := _place(number)
		rows.append_array([b.x.x, b.y.x, b.z.x, place.x, b.x.y, b.y.y, b.z.y, place.y, b.x.z, b.y.z, b.z.z, place.z])
	mesh.buffer = rows
	var shown := MultiMeshInstance3D.new()
	shown.multimesh = mesh
	shown.position = Vector3(0, 5, 100)
	return shown


func _place(number: int) -> Vector3:
	return Vector3(10 * (number % 10), 0, 10 * (number / 10))


## The hit of a ray down through an instance.
func _hit(shown: MultiMeshInstance3D, number: int) -> Dictionary:
	var place := shown.position + _place(number)
	return ray(place + Vector3.UP * 20, place + Vector3.DOWN * 20)


## How many instances a ray tells by collider and number.
func _told_right(collider: Node3D, shown: MultiMeshInstance3D) -> int:
	var right := 0
	for number: int in shown.multimesh.instance_count:
		var hit := _hit(shown, number)
		if not hit.is_empty() and hit["collider"] == collider and collider.call("instance_of", hit["rid"]) == number:
			right += 1
	return right
