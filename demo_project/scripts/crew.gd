extends CharacterBody3D
## A character that walks to and fro along the axis of a body which carries it, however that flies and turns.

const RADIUS := 0.35
const HEIGHT := 1.7
## [m/s]
const SPEED := 2.0
const GRAVITY := 9.8

var _carrier: Node3D
var _least := 0.0
var _most := 0.0
var _way := 1.0


## `carrier`: what it stands on; it walks from `least` to `most` along its x axis [m].
func _init(carrier: Node3D, least: float, most: float) -> void:
	_carrier = carrier
	_least = least
	_most = most
	var capsule := CapsuleShape3D.new()
	capsule.radius = RADIUS
	capsule.height = HEIGHT
	var collision := CollisionShape3D.new()
	collision.shape = capsule
	collision.position.y = HEIGHT / 2.0
	add_child(collision)
	floor_snap_length = 0.4
	collision_layer = 2 # nothing that looks for layer 1 alone is pushed by it: it would stop a ship, as nothing moves a character
	platform_on_leave = CharacterBody3D.PLATFORM_ON_LEAVE_DO_NOTHING


## Its place on what carries it [m].
func place() -> Vector3:
	return _carrier.global_transform.affine_inverse() * global_position


func _physics_process(delta: float) -> void:
	var along := place().x
	if along > _most or along < _least:
		_way = -1.0 if along > _most else 1.0
	var wanted := _carrier.global_basis.x * _way * SPEED
	velocity = Vector3(wanted.x, 0.0 if is_on_floor() else velocity.y - GRAVITY * delta, wanted.z)
	move_and_slide()
	for index: int in get_slide_collision_count():
		if absf(get_slide_collision(index).get_normal().y) < 0.5 and get_slide_collision(index).get_collider() != _carrier:
			_way = -signf((_carrier.global_basis.x).dot(-get_slide_collision(index).get_normal()))
