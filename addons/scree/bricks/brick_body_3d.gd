@icon("res://addons/scree/bricks/brick_body_3d.svg")
class_name BrickBody3D
extends RigidBody3D
## A rigid body of bricks: a ship, a house, a wall. It is drawn, edited in batches, and breaks apart where nothing holds it.
##
## Edit it by the methods of its [member bricks], a [BrickShape3D]: [code]body.bricks.add_boxes(...)[/code]. What does not hang
## together any more becomes a [BrickBody3D] of its own in the next tick, with the velocity and spin of its matter, and [signal
## bricks_came_apart] tells which bricks went there. Frozen ([member RigidBody3D.freeze]) it is a static structure. Without
## [member BrickShape3D.anchors] the largest piece stays.
## [br][br]
## Needs Scree Physics; with another physics engine it warns, and has no shape.

const BrickShape := preload("res://addons/scree/bricks/brick_shape_3d.gd")
const BrickView := preload("res://addons/scree/bricks/brick_view_3d.gd")

## Emitted for each piece that came off this body: the new body, the numbers its bricks had here, and those they have there.
signal bricks_came_apart(piece: RigidBody3D, numbers: PackedInt32Array, new_numbers: PackedInt32Array)

## The bricks. Made when the body enters the tree, if there are none.
@export var bricks: BrickShape
## Mass of a brick of density 1 [kg/m^3]; the body's mass follows the bricks. 0: it stays [member RigidBody3D.mass].
@export_range(0.0, 20000.0, 0.1, "or_greater") var density := 500.0:
	set(value):
		density = value
		_set_density()
## Whether the body breaks apart when bricks are removed. Bricks that are removed while it is off are not looked at later.
@export var breaks := true:
	set(value):
		breaks = value
		_note_removals()
## Impulse in a tick by which others must push a brick to knock it out [N s]; 0: nothing does. A body that rests on a brick
## pushes it by its weight times the length of a tick. A brick that is knocked out becomes a piece of its own, and what hung on
## it comes apart.
@export_range(0.0, 100000.0, 0.1, "or_greater") var strength := 0.0
## How many bricks the search for pieces looks at in a tick; it goes on in the next one.
@export_range(100, 10000000) var search_budget := 20000
## How many pieces become bodies in a tick; the others stay with this body until the next ones. With them go as many bricks as
## [member search_budget], or one piece of more.
@export_range(1, 100000) var pieces_a_tick := 20
## Pieces of fewer bricks than this vanish: they are told with null as their body.
@export_range(1, 1000) var least_piece := 1
## Colours of bricks, chosen by their tag.
@export var colors: PackedColorArray
## Whether the bricks are drawn by a [BrickView3D] of this body.
@export var is_drawn := true

var _owner_id := -1
var _view: BrickView
var _was_edited := false


func _enter_tree() -> void:
	if not BrickShape.is_available():
		push_warning("BrickBody3D: needs Scree Physics, this is %s: it has no bricks" % PhysicsServer3D.get_class())
		return
	if bricks == null:
		bricks = BrickShape.new()
	if _owner_id < 0:
		_owner_id = create_shape_owner(self)
		bricks.brick_count() # makes it
		shape_owner_add_shape(_owner_id, bricks)
		bricks.bricks_changed.connect(_on_bricks_changed)
	if is_drawn and _view == null:
		_view = BrickView.new()
		_view.bricks = bricks
		_view.colors = colors
		add_child(_view, false, INTERNAL_MODE_BACK)
	_set_density()
	_note_removals()


func _physics_process(_delta: float) -> void:
	if strength > 0.0 and _owner_id >= 0:
		_knock_out()
	if _was_edited and breaks:
		break_apart(search_budget, pieces_a_tick)


## The mass that follows from the bricks [kg], as [member RigidBody3D.mass] does not tell it.
func total_mass() -> float:
	return bricks.volume() * density if density > 0.0 else mass


## Looks for pieces that came apart, at no more than [param budget] bricks, and makes bodies of [param most] of them. Returns
## these. What is left is done in the next ticks if the body [member breaks].
func break_apart(budget := 1 << 30, most := 1 << 30) -> Array[BrickBody3D]:
	var made: Array[BrickBody3D] = []
	var found: PackedInt32Array = PhysicsServer3D.call("bricks_find_pieces", bricks.get_rid(), budget, most)
	_was_edited = not found.is_empty() and found[-1] == -1
	var at := 0
	while at < found.size() and found[at] > 0:
		var numbers := found.slice(at + 1, at + 1 + found[at])
		at += 1 + found[at]
		var piece := _make_piece(numbers)
		if piece != null:
			made.append(piece)
	return made


## A brick alone stays as it is.
func _knock_out() -> void:
	var struck: Variant = PhysicsServer3D.call("bricks_struck", get_rid(), bricks.get_rid(), strength)
	for number: int in struck if struck is PackedInt32Array else PackedInt32Array():
		if bricks.brick_count() > 1:
			_make_piece(PackedInt32Array([number]), true)


func _make_piece(numbers: PackedInt32Array, is_noted := false) -> BrickBody3D:
	if numbers.size() < least_piece:
		bricks.remove_bricks(numbers)
		bricks_came_apart.emit(null, numbers, PackedInt32Array())
		return null
	var shape := BrickShape.new()
	shape.unit = bricks.unit
	shape.capacity = maxi(4 * numbers.size(), 4096)
	shape.surfaces = bricks.surfaces
	shape.brick_count() # makes it
	var new_numbers: PackedInt32Array = PhysicsServer3D.call("bricks_move", bricks.get_rid(), numbers, shape.get_rid(), is_noted)
	_was_edited = _was_edited or is_noted
	var piece: BrickBody3D = get_script().new()
	piece.bricks = shape
	for property: String in ["density", "strength", "search_budget", "pieces_a_tick", "least_piece", "colors", "is_drawn",
			"collision_layer", "collision_mask", "gravity_scale", "linear_damp", "angular_damp", "linear_damp_mode", "angular_damp_mode", "physics_material_override",
			"continuous_cd", "can_sleep"]:
		piece.set(property, get(property))
	piece.transform = transform
	get_parent().add_child(piece)
	if not freeze:
		PhysicsServer3D.call("bricks_carry_on", get_rid(), piece.get_rid())
	bricks_came_apart.emit(piece, numbers, new_numbers)
	return piece


func _on_bricks_changed() -> void:
	_was_edited = true


func _set_density() -> void:
	if _owner_id >= 0 and density > 0.0:
		PhysicsServer3D.call("bricks_set_density", get_rid(), density)


func _note_removals() -> void:
	if _owner_id >= 0:
		PhysicsServer3D.call("bricks_note_removals", bricks.get_rid(), breaks)
