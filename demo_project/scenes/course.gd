extends "res://scripts/played_scene.gd"
## Two characters through an obstacle course: slopes, crates, platforms that drive, lift and turn; stairs by separation ray.
##
## Both walk along +x: the walker at z = 0, the climber at z = -6.

const Walker = preload("res://scripts/walker.gd")

const WIDTH := 4.0
const LANE := -6.0
## Stairs: rise, depth and number of steps [m].
const RISE := 0.2
const DEPTH := 0.4
const STEPS := 10
const STAIRS_AT := -26.0
## Slopes: place, height, angle.
const GENTLE := deg_to_rad(20.0)
const STEEP := deg_to_rad(35.0)
const HILL := 2.0
const HILL_AT := -27.0
const RIDGE_AT := -12.0
const CRATE := 0.8
const CRATE_AT := -2.0
const PUSHED_TO := 1.0
## The ferry drives from one place to the other and back, the lift goes up and stays, the disc turns.
const FERRY_FROM := 6.5
const FERRY_WAY := 7.0
const FERRY_PERIOD := 6.0
const FERRY_TOP := 0.1
const LIFT_AT := 19.0
const LIFT_HEIGHT := 3.0
const LIFT_SPEED := 1.5
const DISC_AT := 25.5
const DISC_RADIUS := 3.0
## [rad/s]
const DISC_TURN := PI / 3.0
const STANDS_AT := 2.0
const FINISH := 34.0

var _walker := Walker.new(false)
var _climber := Walker.new(true)
var _ferry := AnimatableBody3D.new()
var _lift := AnimatableBody3D.new()
var _disc := AnimatableBody3D.new()
var _crate := 0
var _lifting := false
var _stood_at := Vector3.ZERO
var _stood_tick := 0
var _finished_at := {}


func build() -> void:
	bin = Bin.new(60.0, 1.0, 0.5)
	bin.has_walls = false
	_build_stairs()
	_build_hills()
	_build_crates()
	_build_platforms()
	_add_character(_walker, Vector3(-31, 0, 0), CORAL)
	_add_character(_climber, Vector3(-31, 0, LANE), TEAL)
	_climb()
	_walk()


func tick(number: int) -> void:
	var seconds := (number + 1) * TICK
	_ferry.position.x = FERRY_FROM + FERRY_WAY * (1.0 - cos(TAU * seconds / FERRY_PERIOD)) / 2.0
	_disc.rotation.y = DISC_TURN * seconds
	if _lifting:
		_lift.position.y = minf(_lift.position.y + LIFT_SPEED * TICK, LIFT_HEIGHT - 0.1)
	look(_walker.position + Vector3(1.5, 0.8, -1.5), _walker.position + Vector3(-6.5, 5.5, 9.5))


func extra_figures() -> Dictionary:
	_expect_end()
	return super()


func _climb() -> void:
	var landing := STAIRS_AT + STEPS * DEPTH + 1.0
	_climber.walk_to(Vector2(landing, LANE))
	_climber.then(func() -> void: expect_near("climber on the landing [m]", _climber.feet().y, STEPS * RISE, 0.02))
	_climber.walk_to(Vector2(landing + 1.0 + STEPS * DEPTH + 2.0, LANE))
	_climber.then(func() -> void:
		expect_near("climber at the foot of the stairs [m]", _climber.feet().y, 0.0, 0.02)
		_finished_at["climber"] = recorder.ticks())


func _walk() -> void:
	_walk_hills()
	_walk_to_the_crates()
	_ride()
	_walker.walk_to(Vector2(FINISH, 0))
	_walker.then(func() -> void: _finished_at["walker"] = recorder.ticks())


## Feet of a capsule on a slope hang over it: its lowest ball touches aside of its lowest point.
static func _gap_on_slope(angle: float) -> float:
	return Walker.RADIUS * (1.0 / cos(angle) - 1.0)


func _walk_hills() -> void:
	var up := HILL / tan(GENTLE)
	var middle := Vector2(HILL_AT + up / 2.0, 0)
	_walker.walk_to(middle)
	_walker.then(func() -> void:
		var height := tan(GENTLE) * (_walker.feet().x - HILL_AT) + _gap_on_slope(GENTLE)
		expect_near("walker over the gentle slope [m]", _walker.feet().y, height, 0.02)
		expect_near("floor angle on the gentle slope [rad]", _walker.get_floor_angle(), GENTLE, 0.01)
		_stood_tick = recorder.ticks())
	# On its way down no step may lose the floor.
	_walker.walk_to(Vector2(HILL_AT + up + 2.0 + up / 2.0, 0))
	_walker.then(func() -> void:
		expect_near("ticks in the air on the way down", _walker.ticks_in_air, 0.0, 0.0)
		expect_near("speed on the way down [m/s]", _walker.get_real_velocity().length(), Walker.SPEED / cos(GENTLE), 0.1))
	_walker.walk_to(Vector2(RIDGE_AT + HILL / tan(STEEP) / 2.0, 0))
	_walker.then(func() -> void: expect_near("floor angle on the steep slope [rad]", _walker.get_floor_angle(), STEEP, 0.01))
	_walker.walk_to(Vector2(RIDGE_AT + HILL / tan(STEEP) + 1.0, 0))
	_walker.then(func() -> void: expect_near("walker on the ridge [m]", _walker.feet().y, HILL, 0.02))


func _walk_to_the_crates() -> void:
	# It falls from the ridge: t = sqrt(2 h / g), and a tick or two of leaving the edge over a round foot.
	var longest := [0]
	_walker.orders.append(func() -> Variant:
		longest[0] = maxi(longest[0], _walker.ticks_in_air)
		if _walker.position.x > CRATE_AT - 1.2:
			return null
		return Vector2(Walker.SPEED, 0))
	_walker.then(func() -> void:
		expect_near("ticks in the fall from the ridge", longest[0], sqrt(2.0 * HILL / GRAVITY) / TICK, 4.0))
	_walker.walk_to(Vector2(PUSHED_TO, 0))
	_walker.then(func() -> void:
		var crate := bodies.transform_of(_crate).origin
		expect_between("gap between walker and crate [m]", crate.x - _walker.feet().x - CRATE / 2.0 - Walker.RADIUS, -0.01, 0.3)
		expect_near("crate on the floor while pushed [m]", crate.y, CRATE / 2.0, 0.02)
		expect_near("crate aside of its way [m]", crate.z, 0.0, 0.1))
	# Round the crate.
	_walker.walk_to(Vector2(PUSHED_TO - 0.3, 1.6))
	_walker.walk_to(Vector2(PUSHED_TO + 3.3, 1.6))


func _ride() -> void:
	# Onto the ferry when it is back, and stand on it while it drives to the other side.
	_walker.walk_to(Vector2(FERRY_FROM - 2.2, 0))
	_walker.stand_until(func() -> bool: return _ferry.position.x < FERRY_FROM + 0.05)
	_walker.walk_to(Vector2(FERRY_FROM + 0.3, 0))
	_walker.then(func() -> void: _stood_at = _walker.feet() - _ferry.position)
	_walker.stand_until(func() -> bool: return _ferry.position.x > FERRY_FROM + FERRY_WAY - 0.02)
	_walker.then(func() -> void:
		var slid := _walker.feet() - _ferry.position - _stood_at
		# A platform is felt a tick late; over a ride that begins and ends at rest this cancels.
		expect_near("walker slides on the ferry, along [m]", slid.x, 0.0, 0.05)
		expect_near("walker slides on the ferry, aside [m]", slid.z, 0.0, 0.01)
		expect_near("walker on the ferry [m]", _walker.feet().y, FERRY_TOP, 0.02))
	_walker.walk_to(Vector2(LIFT_AT, 0))
	_walker.then(func() -> void: _lifting = true)
	_walker.stand_until(func() -> bool: return _lift.position.y > LIFT_HEIGHT - 0.1001)
	_walker.stand(5)
	_walker.then(func() -> void: expect_near("walker on the lift [m]", _walker.feet().y, LIFT_HEIGHT, 0.02))
	_walker.walk_to(Vector2(DISC_AT - STANDS_AT, 0))
	var turn := int(PI / DISC_TURN / TICK)
	_walker.then(func() -> void: _stood_at = _walker.feet())
	_walker.stand(turn)
	_walker.then(func() -> void:
		var before := Vector2(_stood_at.x - DISC_AT, _stood_at.z)
		var after := Vector2(_walker.feet().x - DISC_AT, _walker.feet().z)
		# A tick moves along the tangent: outwards by r (1 / cos(w dt) - 1), 180 times 0.15 per mille.
		expect_near("distance from the disc's axis [m]", after.length(), before.length(), 0.1)
		expect_near("turn on the disc [rad]", absf(before.angle_to(after)), PI, 0.08)
		expect_near("walker on the disc [m]", _walker.feet().y, LIFT_HEIGHT, 0.02))
	_walker.walk_to(Vector2(DISC_AT + DISC_RADIUS + 0.5, 0))


func _expect_end() -> void:
	if recorder.ticks() < 1800:
		return
	for name: String in ["climber", "walker"]:
		expect_between("%s finished at tick" % name, _finished_at.get(name, 1e9), 0, 1800)
	expect_near("walker at the finish, x [m]", _walker.feet().x, FINISH, 0.1)
	expect_near("walker at the finish, y [m]", _walker.feet().y, 0.0, 0.02)
	expect_near("lowest crate [m]", _lowest_crate(), CRATE / 2.0, 0.02)


func _lowest_crate() -> float:
	var lowest := INF
	for index: int in bodies.size():
		lowest = minf(lowest, bodies.transform_of(index).origin.y)
	return lowest


func _build_stairs() -> void:
	var top := STAIRS_AT + STEPS * DEPTH
	for step: int in STEPS:
		var height := RISE * (step + 1)
		for side: float in [-1.0, 1.0]:
			var x := top + 1.0 + side * (1.0 + DEPTH * (STEPS - step - 0.5))
			block(Vector3(DEPTH, height, WIDTH), Vector3(x, height / 2.0, LANE))
	block(Vector3(2.0, STEPS * RISE, WIDTH), Vector3(top + 1.0, STEPS * RISE / 2.0, LANE), STONE.darkened(0.1))


func _build_hills() -> void:
	var up := HILL / tan(GENTLE)
	slope(Vector3(HILL_AT, 0, 0), Vector3(HILL_AT + up, HILL, 0), WIDTH)
	block(Vector3(2.0, HILL, WIDTH), Vector3(HILL_AT + up + 1.0, HILL / 2.0, 0))
	slope(Vector3(HILL_AT + up + 2.0, HILL, 0), Vector3(HILL_AT + 2.0 * up + 2.0, 0, 0), WIDTH)
	var steep := HILL / tan(STEEP)
	slope(Vector3(RIDGE_AT, 0, 0), Vector3(RIDGE_AT + steep, HILL, 0), WIDTH)
	block(Vector3(2.0, HILL, WIDTH), Vector3(RIDGE_AT + steep + 1.0, HILL / 2.0, 0))


func _build_crates() -> void:
	bodies.material.friction = 0.4
	var form: BodyForm = BodyForm.box(Vector3.ONE * CRATE, WOOD)
	form.mass = 20.0
	var crate := bodies.add_form(form)
	_crate = bodies.add(crate, Transform3D(Basis.IDENTITY, Vector3(CRATE_AT, CRATE / 2.0, 0)))
	# A stack that is in nobody's way.
	for level: int in 4:
		for column: int in 4 - level:
			var x := CRATE_AT + (column + level / 2.0) * (CRATE + 0.02)
			bodies.add(crate, Transform3D(Basis.IDENTITY, Vector3(x, CRATE * (level + 0.5), -3.0)))


func _build_platforms() -> void:
	add_box(_ferry, Vector3(3.0, FERRY_TOP, 3.0), Vector3(0, FERRY_TOP / 2.0, 0), AMBER)
	_ferry.position = Vector3(FERRY_FROM, 0, 0)
	add_box(_lift, Vector3(3.0, 0.1, 3.0), Vector3(0, 0.05, 0), VIOLET)
	_lift.position = Vector3(LIFT_AT, -0.05, 0)
	var drum := CylinderShape3D.new()
	drum.radius = DISC_RADIUS
	drum.height = 0.2
	var mesh := CylinderMesh.new()
	mesh.top_radius = DISC_RADIUS
	mesh.bottom_radius = DISC_RADIUS
	mesh.height = 0.2
	add_shape(_disc, drum, mesh, Vector3.ZERO, LEAF)
	_disc.position = Vector3(DISC_AT, LIFT_HEIGHT - 0.1, 0)
	if is_drawn():
		var mark := BoxMesh.new()
		mark.size = Vector3(DISC_RADIUS * 2.0, 0.02, 0.3)
		add_mesh(_disc, mark, Transform3D(Basis.IDENTITY, Vector3.UP * 0.1), LEAF.darkened(0.4))
	for platform: AnimatableBody3D in [_ferry, _lift, _disc]:
		add_child(platform)
	var ledge := LIFT_AT + 1.55
	var reach := DISC_AT - DISC_RADIUS + 0.2 - ledge
	block(Vector3(reach, 0.2, WIDTH), Vector3(ledge + reach / 2.0, LIFT_HEIGHT - 0.1, 0))
	block(Vector3(2.0, 0.2, WIDTH), Vector3(DISC_AT + DISC_RADIUS + 0.8, LIFT_HEIGHT - 0.1, 0))


func _add_character(walker: Walker, at: Vector3, colour: Color) -> void:
	walker.position = at
	add_child(walker)
	if not is_drawn():
		return
	var mesh := CapsuleMesh.new()
	mesh.radius = Walker.RADIUS
	mesh.height = Walker.HEIGHT
	add_mesh(walker, mesh, Transform3D(Basis.IDENTITY, Vector3.UP * Walker.HEIGHT / 2.0), colour)
