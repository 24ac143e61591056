@icon("res://addons/scree/bricks/brick_body_3d.svg")
class_name BrickView3D
extends Node3D
## Draws the bricks of a [BrickShape3D], a [MultiMesh] for each region of the grid; only regions with edits are renewed.
##
## Put it where the [CollisionShape3D] of the bricks is. A [BrickBody3D] makes one by itself.

const BrickShape := preload("res://addons/scree/bricks/brick_shape_3d.gd")

## The bricks.
@export var bricks: BrickShape
## Side of a region in units of the grid. Larger ones draw faster, smaller ones are renewed faster.
@export_range(1, 256) var region_size := 16
## How many regions are renewed in a frame; the others wait for the next ones.
@export_range(1, 1024) var most_regions := 64
## Colours of bricks, chosen by their tag; white without any.
@export var colors: PackedColorArray
## The material of all bricks; without one a plain one that takes the colours.
@export var material: Material

var _drawn: Dictionary[Vector3i, MultiMeshInstance3D] = {}
var _cube: BoxMesh
var _table := PackedFloat32Array()


func _process(_delta: float) -> void:
	renew(most_regions)


## Renews up to [param most] regions with edits. Returns how many there were.
func renew(most: int) -> int:
	if bricks == null or not BrickShape.is_available():
		return 0
	var answer: Variant = PhysicsServer3D.call("bricks_regions", bricks.get_rid(), region_size, most) if bricks.brick_count() > 0 \
		or not _drawn.is_empty() else null
	if not answer is PackedInt32Array:
		return 0
	_fill_table()
	var regions: PackedInt32Array = answer
	for at: int in range(0, regions.size(), 3):
		_renew_region(Vector3i(regions[at], regions[at + 1], regions[at + 2]))
	return regions.size() / 3


## The node that draws a region, or null.
func region(number: Vector3i) -> MultiMeshInstance3D:
	return _drawn.get(number)


func _renew_region(number: Vector3i) -> void:
	var buffer: PackedFloat32Array = PhysicsServer3D.call("bricks_buffer", bricks.get_rid(), number.x, number.y, number.z, _table)
	var node: MultiMeshInstance3D = _drawn.get(number)
	if buffer.is_empty():
		if node != null:
			node.queue_free()
			_drawn.erase(number)
		return
	if node == null:
		node = _add_region(number)
	var count := buffer.size() / 16
	if node.multimesh.instance_count != count:
		node.multimesh.instance_count = count
	node.multimesh.buffer = buffer


func _add_region(number: Vector3i) -> MultiMeshInstance3D:
	if _cube == null:
		_cube = BoxMesh.new()
		_cube.material = material if material != null else _plain_material()
	var node := MultiMeshInstance3D.new()
	node.multimesh = MultiMesh.new()
	node.multimesh.transform_format = MultiMesh.TRANSFORM_3D
	node.multimesh.use_colors = true
	node.multimesh.mesh = _cube
	add_child(node)
	_drawn[number] = node
	return node


func _fill_table() -> void:
	_table.resize(4 * colors.size())
	for number: int in colors.size():
		for channel: int in 4:
			_table[4 * number + channel] = colors[number][channel]


func _plain_material() -> Material:
	var plain := StandardMaterial3D.new()
	plain.vertex_color_use_as_albedo = true
	return plain
