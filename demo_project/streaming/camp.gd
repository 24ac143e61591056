extends Node3D
## A scene of the open world: boxes on a stack, and a ball that its script sends round them.

const RADIUS := 6.0

var _ball: AnimatableBody3D
var _time := 0.0


func _ready() -> void:
	for number: int in 3:
		add_child(_body(RigidBody3D.new(), BoxShape3D.new(), Vector3(0, 3.0 + 1.2 * number, 0)))
	_ball = _body(AnimatableBody3D.new(), SphereShape3D.new(), Vector3(RADIUS, 2, 0)) as AnimatableBody3D
	add_child(_ball)


func _physics_process(delta: float) -> void:
	_time += delta
	_ball.position = Vector3(RADIUS * cos(_time), 2.0, RADIUS * sin(_time))


func _body(body: PhysicsBody3D, shape: Shape3D, place: Vector3) -> PhysicsBody3D:
	var collision := CollisionShape3D.new()
	collision.shape = shape
	body.add_child(collision)
	body.position = place
	return body
