@icon("res://addons/scree/nodes/scree_character_3d.svg")
class_name ScreeCharacter3D
extends CharacterBody3D
## A character that climbs steps, stays on stairs that go down, rides on platforms exactly and pushes with a limited force.
##
## Set [member CharacterBody3D.velocity] and call [method walk] in [method Node._physics_process], as you would call
## [method CharacterBody3D.move_and_slide]; then read [member on_floor] and the like. One compiled call does the work. The slope to
## stand on is [member CharacterBody3D.floor_max_angle], up is [member CharacterBody3D.up_direction].
## [br][br]
## Needs Scree Physics; with another physics engine it warns once, and [method walk] is [method CharacterBody3D.move_and_slide].

## Parts of the state that the server returns: characters/schema.py of the engine.
const _CheckedValue := preload("res://addons/scree/nodes/checked_value.gd")
const _RunningEngine := preload("res://addons/scree/nodes/running_engine.gd")
const ON_FLOOR := 1
const ON_WALL := 2
const ON_CEILING := 4
const SLIDES_DOWN := 8
const HAS_STEPPED := 16
const IS_STUCK := 32
const HAS_LEFT := 64
const HAS_LANDED := 128

## The highest step that it climbs [m]; 0: none.
@export_range(0.0, 2.0, 0.01, "or_greater", "suffix:m") var step_height := 0.35: set = _set_step_height
## How far down it follows a floor that falls away, as stairs do [m].
@export_range(0.0, 2.0, 0.01, "or_greater", "suffix:m") var snap := 0.4: set = _set_snap
## Distance that it keeps from everything [m].
@export_range(0.001, 0.1, 0.001, "suffix:m") var padding := 0.005: set = _set_padding
## The largest force on rigid bodies in its way [N]; 0: it does not push.
@export_range(0.0, 5000.0, 1.0, "or_greater", "suffix:N") var push_force := 500.0: set = _set_push_force
## Its weight presses on the rigid body that it stands on [kg]; 0: it has none.
@export_range(0.0, 500.0, 0.1, "or_greater", "suffix:kg") var mass := 70.0: set = _set_mass
## Gravity acts on it, and [method jump] works; [member CharacterBody3D.velocity] counts only across up. Otherwise the velocity holds
## gravity and jumps too, as with [method CharacterBody3D.move_and_slide].
@export var falls := false: set = _set_falls
## It turns about up with the platform that it stands on.
@export var turns := true: set = _set_turns

## It stands on something no steeper than [member CharacterBody3D.floor_max_angle].
var on_floor := false
## A wall, or something too steep to stand on, stopped a part of the last walk.
var on_wall := false
## A ceiling stopped a part of the last walk.
var on_ceiling := false
## It touches ground too steep to stand on, and slides down.
var slides_down := false
## It came to a floor out of the air in the last walk.
var has_landed := false
## It overlaps something that it could not get out of.
var is_stuck := false
## Normal of the floor; zero in the air.
var floor_normal := Vector3.ZERO
## Velocity of the floor under it [m/s].
var ground_velocity := Vector3.ZERO
## How far steps lifted it in the last walk [m], for a camera that follows smoothly.
var step_up := 0.0

var _handle := 0
var _up := Vector3.ZERO
var _angle := 0.0


func _notification(what: int) -> void:
	if what == NOTIFICATION_EXIT_WORLD: # it leaves the tree, or a viewport above it gets a world of its own
		if _handle > 0:
			PhysicsServer3D.call(&"character_remove", _handle)
		_handle = 0


## Moves by the velocity for a time, by default a tick [s]. Returns [member on_floor]. Call it in the physics process.
func walk(seconds := get_physics_process_delta_time()) -> bool:
	if _handle <= 0 and not _begin():
		return _walk_without()
	if up_direction != _up or floor_max_angle != _angle:
		_configure({"up": up_direction, "max_slope": floor_max_angle})
	var answer: Variant = PhysicsServer3D.call(&"character_move", _handle, global_transform, velocity, seconds)
	if answer == null:
		return on_floor
	var moved: Projection = answer
	var state := int(moved.x.w)
	on_floor = state & ON_FLOOR != 0
	on_wall = state & ON_WALL != 0
	on_ceiling = state & ON_CEILING != 0
	slides_down = state & SLIDES_DOWN != 0 and not on_floor
	has_landed = state & HAS_LANDED != 0
	is_stuck = state & IS_STUCK != 0
	velocity = Vector3(moved.y.x, moved.y.y, moved.y.z)
	floor_normal = Vector3(moved.z.x, moved.z.y, moved.z.z)
	ground_velocity = Vector3(moved.w.x, moved.w.y, moved.w.z)
	step_up = moved.z.w
	if moved.y.w != 0.0:
		global_rotate(up_direction, moved.y.w)
	global_position = Vector3(moved.x.x, moved.x.y, moved.x.z)
	return on_floor


## Has the next walk begin with a jump at a speed [m/s], also in the air. Only if it [member falls]; else set the velocity.
func jump(speed: float) -> void:
	if _handle > 0 or _begin():
		PhysicsServer3D.call(&"character_jump", _handle, speed)


## The body that it stands on, or null.
func standing_on() -> Object:
	return instance_from_id(_state().get("floor_id", 0))


## The body of the last wall that the last walk met, or null.
func wall() -> Object:
	return instance_from_id(_state().get("wall_id", 0))


## Normal of the last wall that the last walk met; zero if there was none.
func wall_normal() -> Vector3:
	return _state().get("wall_normal", Vector3.ZERO)


## Whether a shape would have room at a place relative to this node: ask before you stand up.
func has_room_for(shape: Shape3D, place := Transform3D.IDENTITY) -> bool:
	var query := PhysicsShapeQueryParameters3D.new()
	query.shape = shape
	query.transform = global_transform * place
	query.collision_mask = collision_mask
	query.exclude = [get_rid()]
	return get_world_3d().direct_space_state.intersect_shape(query, 1).is_empty()


func _begin() -> bool:
	if _handle < 0 or not is_inside_tree():
		return false
	_handle = -1
	if not _RunningEngine.is_scree_for("ScreeCharacter3D", "it moves by move_and_slide, without steps"):
		return false
	_up = up_direction
	_angle = floor_max_angle
	var settings := {
		"up": up_direction, "max_slope": floor_max_angle, "step_height": step_height, "snap": snap, "padding": padding,
		"push_force": push_force, "mass": mass, "falls": falls, "turns": turns,
		"keeps_velocity": platform_on_leave != PLATFORM_ON_LEAVE_DO_NOTHING,
	}
	var made: Variant = PhysicsServer3D.call(&"character_create", get_rid(), settings)
	_handle = made if made is int else -1
	return _handle > 0


func _walk_without() -> bool:
	move_and_slide()
	on_floor = is_on_floor()
	on_wall = is_on_wall()
	on_ceiling = is_on_ceiling()
	floor_normal = get_floor_normal() if on_floor else Vector3.ZERO
	ground_velocity = get_platform_velocity()
	return on_floor


func _configure(settings: Dictionary) -> void:
	if _handle > 0:
		_up = up_direction
		_angle = floor_max_angle
		PhysicsServer3D.call(&"character_configure", _handle, settings)


func _state() -> Dictionary:
	var state: Variant = PhysicsServer3D.call(&"character_state", _handle) if _handle > 0 else null
	return state if state is Dictionary else {}


## A wrong value is refused here: the core would refuse the whole character with it, at each time that it enters the tree.
func _is_right(property: StringName, value: float) -> bool:
	return _CheckedValue.is_not_negative("ScreeCharacter3D", property, value)


func _set_step_height(value: float) -> void:
	if _is_right(&"step_height", value):
		step_height = value
		_configure({"step_height": value})


func _set_snap(value: float) -> void:
	if _is_right(&"snap", value):
		snap = value
		_configure({"snap": value})


func _set_padding(value: float) -> void:
	if _is_right(&"padding", value):
		padding = value
		_configure({"padding": value})


func _set_push_force(value: float) -> void:
	if _is_right(&"push_force", value):
		push_force = value
		_configure({"push_force": value})


func _set_mass(value: float) -> void:
	if _is_right(&"mass", value):
		mass = value
		_configure({"mass": value})


func _set_falls(value: bool) -> void:
	falls = value
	_configure({"falls": value})


func _set_turns(value: bool) -> void:
	turns = value
	_configure({"turns": value})
