@tool
@icon("res://addons/scree/bricks/brick_shape_3d.svg")
class_name BrickShape3D
extends ConvexPolygonShape3D
## Thousands of bricks as one rigid shape, edited while the world runs. Put it into a [CollisionShape3D] of any body or area.
##
## Bricks are boxes on a grid of [member unit] metres, whose corners are whole numbers of units; turned ones lie anywhere. Edits
## come in batches: [method add_boxes], [method add_cells], [method remove_bricks], [method change_bricks]. Bodies that have the
## shape follow before the next step: mass, contacts, rays. A ray that hits a brick tells its number as [code]face_index[/code];
## [method brick_at] finds the brick at a point of a contact. Saved with its scene as the set of bricks alone, numbered from 1
## on.
## [br][br]
## Positions are those of the shape's own frame [m]. Settings of a brick are four numbers: density (how many times as dense as
## the body's), surface (an index into [member surfaces], -1 for the body's), layers (32 bits; 0: nothing meets it), tag (a
## number of yours, which also chooses its colour in a [BrickView3D]). [code][1, -1, 1, 0][/code] unless given.
## [br][br]
## Needs Scree Physics; with another physics engine it is an empty shape that keeps what was saved.

## Emitted after each batch of edits.
signal bricks_changed

const NONE: Array[int] = []

## Length of the unit of the grid [m]. Choose it before the first brick.
@export_range(0.001, 100.0, 0.001, "or_greater") var unit := 1.0:
	set(value):
		unit = value
		_make_again()
## The most bricks. Room that is not used costs no memory. Choose it before the first brick.
@export_range(1, 16777216, 1, "or_greater") var capacity := 1 << 18:
	set(value):
		capacity = value
		_make_again()
## Materials that bricks may have: x is the friction, y the bounce. Choose them before the first brick.
@export var surfaces: PackedVector2Array:
	set(value):
		surfaces = value
		_make_again()

## Boxes in which bricks are held from outside, as by the ground [m]. If there are any, a piece breaks off a [BrickBody3D] if
## none of its bricks touches one; otherwise all pieces but the largest do.
@export var anchors: Array[AABB]:
	set(value):
		anchors = value
		_tell_anchors()

var _is_made := false
var _kept := {}


## Whether the physics engine that runs knows bricks.
static func is_available() -> bool:
	return PhysicsServer3D.has_method("bricks_make")


## A shape of the cells of a [GridMap], each a box of its cell size, tagged with the number of its item. Put it onto a body that
## is placed as the [GridMap] is.
static func from_grid_map(map: GridMap) -> BrickShape3D:
	var made: BrickShape3D = load("res://addons/scree/bricks/brick_shape_3d.gd").new()
	var size := map.cell_size
	var step := minf(size.x, minf(size.y, size.z))
	var parts := 2
	while parts < 64 and not _are_even(size * parts / step):
		parts += 2
	made.unit = step / parts
	var sides := Vector3i((size / made.unit).round())
	var shift := Vector3i(0 if map.cell_center_x else sides.x / 2, 0 if map.cell_center_y else sides.y / 2,
		0 if map.cell_center_z else sides.z / 2)
	var cells := map.get_used_cells()
	var boxes := PackedInt32Array()
	var settings := PackedInt32Array()
	boxes.resize(6 * cells.size())
	settings.resize(4 * cells.size())
	for number: int in cells.size():
		var low := cells[number] * sides - shift
		for axis: int in 3:
			boxes[6 * number + axis] = low[axis]
			boxes[6 * number + 3 + axis] = low[axis] + sides[axis]
		settings[4 * number] = 1
		settings[4 * number + 1] = -1
		settings[4 * number + 2] = 1
		settings[4 * number + 3] = map.get_cell_item(cells[number])
	made.add_boxes(boxes, settings)
	return made


## Adds boxes of six whole numbers each, low and high corner [unit]. [param settings]: none, four numbers, or four a brick.
## Returns their numbers, which stay theirs; nothing after an error.
func add_boxes(boxes: PackedInt32Array, settings := PackedInt32Array()) -> PackedInt32Array:
	return _edited(PhysicsServer3D.call("bricks_insert", get_rid(), boxes, 0, settings) if _make() else null)


## Adds cubes of [param width] units: three whole numbers each, counted in cubes. The rest is as in [method add_boxes].
func add_cells(cells: PackedInt32Array, settings := PackedInt32Array(), width := 1) -> PackedInt32Array:
	return _edited(PhysicsServer3D.call("bricks_insert", get_rid(), cells, maxi(width, 1), settings) if _make() else null)


## Adds boxes that lie freely, ten numbers each: centre and half extents [unit], rotation as a quaternion (x, y, z, w).
func add_turned(places: PackedFloat32Array, settings := PackedInt32Array()) -> PackedInt32Array:
	return _edited(PhysicsServer3D.call("bricks_insert_turned", get_rid(), places, settings) if _make() else null)


## Removes bricks by their numbers. Returns false after an error, and then removes none.
func remove_bricks(numbers: PackedInt32Array) -> bool:
	var done: Variant = PhysicsServer3D.call("bricks_remove", get_rid(), numbers) if _make() else null
	bricks_changed.emit()
	return done is bool and done


## Puts boxes in the place of other bricks, at once. Returns the new numbers; nothing after an error.
func change_bricks(numbers: PackedInt32Array, boxes: PackedInt32Array, settings := PackedInt32Array()) -> PackedInt32Array:
	return _edited(PhysicsServer3D.call("bricks_change", get_rid(), numbers, boxes, settings) if _make() else null)


## Removes all bricks.
func clear() -> void:
	var numbers := brick_numbers()
	if not numbers.is_empty():
		remove_bricks(numbers)


## How many bricks there are.
func brick_count() -> int:
	return PhysicsServer3D.call("bricks_count", get_rid()) if _make() else 0


## Numbers of all bricks, ascending.
func brick_numbers() -> PackedInt32Array:
	return _ints("bricks_numbers", NONE)


## Corners of bricks, six numbers each [unit].
func boxes_of(numbers: PackedInt32Array) -> PackedInt32Array:
	return _ints("bricks_boxes", [numbers])


## Settings of bricks, four numbers each.
func settings_of(numbers: PackedInt32Array) -> PackedInt32Array:
	return _ints("bricks_settings", [numbers])


## The brick nearest to a point, not farther than [param reach] [m]; 0 if there is none.
func brick_at(point: Vector3, reach := 0.02) -> int:
	return PhysicsServer3D.call("bricks_at", get_rid(), point, reach) if _make() else 0


## The bricks that touch a box.
func bricks_in_box(box: AABB) -> PackedInt32Array:
	return _ints("bricks_in_box", [box.position, box.end])


## The bricks that touch a ball.
func bricks_in_ball(center: Vector3, radius: float) -> PackedInt32Array:
	return _ints("bricks_in_ball", [center, radius])


## Volume of all bricks, each times its density [m^3].
func volume() -> float:
	return PhysicsServer3D.call("bricks_volume", get_rid()) if _make() else 0.0


func _edited(made: Variant) -> PackedInt32Array:
	bricks_changed.emit()
	return made if made is PackedInt32Array else PackedInt32Array()


func _ints(method: String, arguments: Array) -> PackedInt32Array:
	var answer: Variant = PhysicsServer3D.callv(method, [get_rid()] + arguments) if _make() else null
	return answer if answer is PackedInt32Array else PackedInt32Array()


## Lets the server's shape hold bricks, once. Returns false with another physics engine.
func _make() -> bool:
	if not _is_made and is_available():
		_is_made = _ask_for_set()
		_tell_anchors()
	return _is_made


func _make_again() -> void:
	if _is_made:
		_ask_for_set()


func _ask_for_set() -> bool:
	var table := PackedFloat32Array()
	for surface: Vector2 in surfaces:
		table.append_array([surface.x, surface.y])
	return PhysicsServer3D.call("bricks_make", get_rid(), unit, capacity, table, 0) == true


func _tell_anchors() -> void:
	var boxes := PackedFloat32Array()
	for box: AABB in anchors:
		for corner: Vector3 in [box.position / unit, box.end / unit]:
			boxes.append_array([corner.x, corner.y, corner.z])
	if _is_made:
		PhysicsServer3D.call("bricks_set_anchors", get_rid(), boxes)


static func _are_even(numbers: Vector3) -> bool:
	var halves := numbers / 2.0
	return (halves - halves.round()).length() < 1e-4


## ------------------------------------------------------------------ the set, saved with the resource

func _get_property_list() -> Array[Dictionary]:
	return [{"name": "bricks", "type": TYPE_DICTIONARY, "usage": PROPERTY_USAGE_STORAGE}]


func _get(property: StringName) -> Variant:
	if property != &"bricks":
		return null
	return PhysicsServer3D.call("bricks_saved", get_rid()) if is_available() and _make() else _kept


func _set(property: StringName, value: Variant) -> bool:
	if property != &"bricks" or not value is Dictionary:
		return false
	_kept = value
	if is_available():
		clear()
		if value.has("boxes"):
			add_boxes(value["boxes"], value.get("settings", PackedInt32Array()))
		if value.has("places"):
			add_turned(value["places"], value.get("turned_settings", PackedInt32Array()))
	return true
