extends "res://gd/physics_test.gd"
## The base of tests of areas.

## The signals of the areas of a test, in order.
var told: Array[String] = []


func area(shape: Shape3D, at: Variant = Vector3.ZERO, properties: Dictionary = {}) -> Area3D:
	var made := Area3D.new()
	listen(made)
	return put(made, shape, at, properties)


func listen(made: Area3D) -> void:
	told.clear()
	made.body_entered.connect(func(body: Node3D) -> void: told.append("+" + body.name))
	made.body_exited.connect(func(body: Node3D) -> void: told.append("-" + body.name))
	made.area_entered.connect(func(other: Area3D) -> void: told.append("+" + other.name))
	made.area_exited.connect(func(other: Area3D) -> void: told.append("-" + other.name))


## The names of what an area sees, sorted.
func seen(made: Area3D) -> Array[String]:
	var names: Array[String] = []
	for node: Node3D in made.get_overlapping_bodies() + made.get_overlapping_areas():
		names.append(node.name)
	names.sort()
	return names


func named(node: Node, name_of_it: String) -> Node:
	node.name = name_of_it
	return node
