extends "res://scripts/demo_scene.gd"
## A brick wall stands, and a heavy ball goes through it.

const BRICK := Vector3(1.0, 0.5, 0.5)
const COURSES := 15
const BRICKS := 18
## The wall stands so long before the ball is thrown.
const THROWN_AT := 60
const BALL_RADIUS := 1.1
## [m/s]
const BALL_VELOCITY := Vector3(0, 4.0, 28.0)

var _ball := 0


func build() -> void:
	bin = Bin.new(200.0, 1.0, 0.6)
	bin.has_walls = false
	stage.target = Vector3(-0.5, 2.4, 1.5)
	stage.eye = Vector3(-10.0, 5.5, 17.5)
	var full := bodies.add_form(BodyForm.box(BRICK, CORAL))
	var pale := bodies.add_form(BodyForm.box(BRICK, AMBER))
	var half := bodies.add_form(BodyForm.box(BRICK * Vector3(0.5, 1, 1), CORAL.lightened(0.15)))
	for course: int in COURSES:
		_lay_course(course, full if course % 3 else pale, half)
	var ball_form: BodyForm = BodyForm.sphere(BALL_RADIUS, Color(0.16, 0.19, 0.24))
	ball_form.mass *= 6.0
	_ball = bodies.add(bodies.add_form(ball_form), Transform3D(Basis.IDENTITY, Vector3(0.4, BALL_RADIUS, -16.0)))


func tick(number: int) -> void:
	if number == THROWN_AT:
		PhysicsServer3D.body_set_state(
				bodies.rids[_ball], PhysicsServer3D.BODY_STATE_LINEAR_VELOCITY, BALL_VELOCITY)


## One course; every other one is shifted by half a brick and closed with half bricks.
func _lay_course(course: int, full: int, half: int) -> void:
	var height := BRICK.y * (course + 0.5)
	var left := -BRICK.x * BRICKS / 2.0
	var shifted := course % 2 == 1
	for brick: int in BRICKS - int(shifted):
		var along := left + BRICK.x * (brick + (1.0 if shifted else 0.5))
		bodies.add(full, Transform3D(Basis.IDENTITY, Vector3(along, height, 0)))
	if shifted:
		for side: float in [-1.0, 1.0]:
			bodies.add(half, Transform3D(Basis.IDENTITY, Vector3(side * (-left - BRICK.x / 4.0), height, 0)))
