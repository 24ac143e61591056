extends "res://scripts/played_scene.gd"
## 200 areas with overrides of gravity and damping: balls fall or rise through a hundred shafts, each with a slab across.
##
## A shaft and its slab have every pair of override modes, and one has the higher priority. Twice all areas take new modes and
## priorities. What Godot documents of modes and priorities is worked out here, tick by tick, and compared.

const ROW := 10
const SPACING := 4.0
const SHAFT := Vector3(3.0, 24.0, 3.0)
## The slab lies across the middle of the shaft.
const SLAB := Vector3(3.0, 8.0, 3.0)
const BALL_RADIUS := 0.4
const CHANGES: Array[int] = [600, 1200]
const SHAFT_GRAVITY: Array[float] = [3.0, 5.0, 14.0]
const SLAB_GRAVITY: Array[float] = [1.0, 2.0, 2.5]
const SPACE_DAMP := 0.1
## Largest gravity of all combinations of the above [m/s^2].
const LARGEST_GRAVITY := 26.3

var _shafts: Array[Area3D] = []
var _slabs: Array[Area3D] = []
## Where each ball must be, and how fast it must be.
var _heights := PackedFloat64Array()
var _speeds := PackedFloat64Array()
var _ticks_since_rest := PackedInt32Array()
var _ticks_since_landing := PackedInt32Array()
var _landed_with := PackedFloat64Array()
## The largest deviation, as a part of what is allowed.
var _worst := 0.0


func build() -> void:
	bin = Bin.new(ROW * SPACING / 2.0 + 1.0, 1.0, 0.5)
	bin.has_walls = false
	var lid := block(Vector3(ROW * SPACING, 1.0, ROW * SPACING), Vector3(0, SHAFT.y + 0.5, 0))
	lid.visible = false
	stage.target = Vector3(0, 10.5, 0)
	stage.eye = Vector3(34, 24, 44)
	stage.shadow_distance = 120.0
	var ball := bodies.add_form(BodyForm.sphere(BALL_RADIUS, AMBER))
	for column: int in body_count():
		var foot := Vector3(column % ROW - 4.5, 0, column / ROW % ROW - 4.5) * SPACING
		_shafts.append(_area(SHAFT, foot + Vector3.UP * SHAFT.y / 2.0))
		_slabs.append(_area(SLAB, foot + Vector3.UP * SHAFT.y / 2.0))
		_set_up(column, 0)
		var height := 18.0 if column % 2 else 12.0
		bodies.add(ball, Transform3D(Basis.IDENTITY, foot + Vector3.UP * height))
		_heights.append(height)
		_speeds.append(0.0)
		_ticks_since_rest.append(0)
		_ticks_since_landing.append(100)
		_landed_with.append(0.0)
		if is_drawn():
			_draw(column, foot)


func tick(number: int) -> void:
	if number > 0:
		for column: int in bodies.size():
			_compare(column)
	var change := CHANGES.find(number)
	if change >= 0:
		_judge("after %d ticks" % number)
		for column: int in bodies.size():
			_set_up(column, change + 1)
			# What is still on its way starts anew: at a slab's edge a tick makes the way.
			_heights[column] = bodies.transform_of(column).origin.y
			_speeds[column] = bodies.linear_velocity_of(column).y
	if number == 1799:
		_judge("after %d ticks" % number)
	for column: int in bodies.size():
		_predict(column)


## The share of 100 columns that have a ball where the override modes send it; and the worst of the way there.
func _judge(moment: String) -> void:
	var right := 0
	for column: int in bodies.size():
		right += int(absf(bodies.transform_of(column).origin.y - _heights[column]) <= _allowed(column))
	expect_near("balls at their places %s" % moment, right, bodies.size(), 0.0)
	expect_between("largest deviation so far, of the allowed, %s" % moment, _worst, 0.0, 1.0)


## Half a tick's change of velocity is what lies between one way of integrating and another; and where it lands, a ball may go
## a tick too far before the floor acts.
func _allowed(column: int) -> float:
	var allowed := 0.05 + 0.5 * LARGEST_GRAVITY * TICK * _ticks_since_rest[column] * TICK
	if _ticks_since_landing[column] < 10:
		allowed += 2.0 * _landed_with[column] * TICK
	return allowed


func _compare(column: int) -> void:
	_worst = maxf(_worst, absf(bodies.transform_of(column).origin.y - _heights[column]) / _allowed(column))


func _predict(column: int) -> void:
	var areas: Array[Area3D] = [_shafts[column]]
	if absf(_heights[column] - SHAFT.y / 2.0) < SLAB.y / 2.0 + BALL_RADIUS:
		areas = _in_order(column)
	var before := _speeds[column] * (1.0 - _folded(areas, "linear_damp", SPACE_DAMP) * TICK)
	var after := before + _folded(areas, "gravity", -GRAVITY) * TICK
	var height := _heights[column] + (before + after) / 2.0 * TICK
	_heights[column] = clampf(height, BALL_RADIUS, SHAFT.y - BALL_RADIUS)
	var rests := height != _heights[column]
	if rests and _ticks_since_rest[column] > 0:
		_landed_with[column] = absf(after)
		_ticks_since_landing[column] = 0
	_ticks_since_landing[column] += 1
	_speeds[column] = 0.0 if rests else after
	_ticks_since_rest[column] = 0 if rests else _ticks_since_rest[column] + 1


## Both areas of a column in descending priority.
func _in_order(column: int) -> Array[Area3D]:
	var areas: Array[Area3D] = [_shafts[column], _slabs[column]]
	if areas[1].priority > areas[0].priority:
		areas.reverse()
	return areas


## The value of a property of the space after areas in descending priority have changed it, as Area3D.SpaceOverride documents it.
static func _folded(areas: Array[Area3D], property: String, of_space: float) -> float:
	var sum := 0.0
	for area: Area3D in areas:
		var own: float = area.get(property)
		if property == "gravity":
			own *= area.gravity_direction.y
		match area.get(property + "_space_override"):
			Area3D.SPACE_OVERRIDE_COMBINE: sum += own
			Area3D.SPACE_OVERRIDE_COMBINE_REPLACE: return sum + own
			Area3D.SPACE_OVERRIDE_REPLACE: return own
			Area3D.SPACE_OVERRIDE_REPLACE_COMBINE: sum = own
	return sum + of_space


## Modes, values and priorities of a column's two areas in the scene's phase 0, 1 or 2.
func _set_up(column: int, phase: int) -> void:
	var shaft := _shafts[column]
	var slab := _slabs[column]
	shaft.gravity_space_override = (column + phase) % 5 as Area3D.SpaceOverride
	slab.gravity_space_override = (column / 5 + 2 * phase) % 5 as Area3D.SpaceOverride
	shaft.linear_damp_space_override = (column + phase + 2) % 5 as Area3D.SpaceOverride
	slab.linear_damp_space_override = (column / 5 + phase + 3) % 5 as Area3D.SpaceOverride
	shaft.gravity = SHAFT_GRAVITY[column % 3]
	slab.gravity = SLAB_GRAVITY[column / 3 % 3]
	shaft.gravity_direction = Vector3.UP if (column / 50 + phase) % 2 else Vector3.DOWN
	shaft.linear_damp = 0.2 * (column % 4)
	slab.linear_damp = 0.5 * (column % 3)
	shaft.priority = 1
	slab.priority = 2 if (column / 25 + phase) % 2 else 0
	# A ball that the slab sends back would bob at its edge, where a tick decides its way.
	slab.gravity_direction = Vector3.UP
	var around := _folded([shaft], "gravity", -GRAVITY)
	if around * _folded(_in_order(column), "gravity", -GRAVITY) <= 0.0:
		slab.gravity_direction = Vector3.DOWN


func _area(size: Vector3, at: Vector3) -> Area3D:
	var area := Area3D.new()
	var collision := CollisionShape3D.new()
	var shape := BoxShape3D.new()
	shape.size = size
	collision.shape = shape
	area.add_child(collision)
	area.position = at
	add_child(area)
	return area


func _draw(column: int, foot: Vector3) -> void:
	for area: Area3D in [_shafts[column], _slabs[column]]:
		var mesh := BoxMesh.new()
		mesh.size = (SLAB if area == _slabs[column] else SHAFT) - Vector3(1.6, 0.0, 1.6)
		var glass := paint((VIOLET if area == _slabs[column] else TEAL) * Color(1, 1, 1, 0.10))
		glass.transparency = BaseMaterial3D.TRANSPARENCY_ALPHA
		var instance := add_mesh(area, mesh, Transform3D.IDENTITY, TEAL)
		instance.material_override = glass
		instance.cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_OFF
