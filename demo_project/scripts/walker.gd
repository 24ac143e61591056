extends CharacterBody3D
## A character that follows a list of orders: walk to a place, jump, stand until something holds.
##
## Its origin is at its feet.

const RADIUS := 0.4
const HEIGHT := 1.8
## How far the capsule of a climber stays above its feet [m]; a separation ray carries it.
const STEP := 0.35
## [m/s]
const SPEED := 4.0
## A force with which it pushes what stands in its way [N].
const PUSH := 400.0
const NEAR := 0.05

## Each order is a Callable that is asked every tick for the wanted velocity in x and z, and gives null when it is done.
var orders: Array[Callable] = []
## Ticks for which it has been in the air since it last stood.
var ticks_in_air := 0

var _gravity := 9.8


func _init(climbs: bool) -> void:
	var lift := STEP if climbs else 0.0
	var capsule := CapsuleShape3D.new()
	capsule.radius = RADIUS
	capsule.height = HEIGHT - lift
	_add(capsule, Transform3D(Basis.IDENTITY, Vector3.UP * (lift + HEIGHT) / 2.0))
	if climbs:
		var ray := SeparationRayShape3D.new()
		ray.length = STEP + RADIUS
		# A ray shape points along +z.
		_add(ray, Transform3D(Basis(Vector3.RIGHT, PI / 2.0), Vector3.UP * ray.length))
	floor_snap_length = 0.3


func walk_to(place: Vector2) -> void:
	orders.append(func() -> Variant:
		var way := place - Vector2(position.x, position.z)
		if way.length() < NEAR:
			return null
		return way.normalized() * minf(SPEED, way.length() / get_physics_process_delta_time()))


## Stands while `condition` does not hold.
func stand_until(condition: Callable) -> void:
	orders.append(func() -> Variant: return null if condition.call() else Vector2.ZERO)


func stand(ticks: int) -> void:
	var left := [ticks]
	stand_until(func() -> bool:
		left[0] -= 1
		return left[0] < 0)


func then(action: Callable) -> void:
	orders.append(func() -> Variant:
		action.call()
		return null)


func feet() -> Vector3:
	return global_position


func _physics_process(delta: float) -> void:
	var wanted := Vector2.ZERO
	while not orders.is_empty():
		var answer: Variant = orders.front().call()
		if answer != null:
			wanted = answer
			break
		orders.pop_front()
	velocity.x = wanted.x
	velocity.z = wanted.y
	velocity.y = 0.0 if is_on_floor() else velocity.y - _gravity * delta
	move_and_slide()
	ticks_in_air = 0 if is_on_floor() else ticks_in_air + 1
	_push(Vector3(wanted.x, 0, wanted.y), delta)


## Pushes the bodies it has met towards its own wanted velocity, with at most `PUSH`.
func _push(wanted: Vector3, delta: float) -> void:
	for index: int in get_slide_collision_count():
		var hit := get_slide_collision(index)
		var body := hit.get_collider() as RigidBody3D
		if body == null or hit.get_normal().y > 0.7:
			continue
		var direction := -Vector3(hit.get_normal().x, 0, hit.get_normal().z).normalized()
		var lacking := (wanted - body.linear_velocity).dot(direction)
		if lacking > 0.0:
			body.apply_central_impulse(direction * minf(PUSH * delta, lacking * body.mass))


func _add(shape: Shape3D, at: Transform3D) -> void:
	var collision := CollisionShape3D.new()
	collision.shape = shape
	collision.transform = at
	add_child(collision)
