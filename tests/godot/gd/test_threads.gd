extends "res://gd/physics_test.gd"
## Scripts of other threads beside the steps: queries and edits at any time, nothing lost.

const ROUNDS := 400

var _hits := 0
var _wrong := 0
var _left: Array[RID] = []


## Steps until a thread has ended; not as fast as steps come, or a test has no steps left.
func _ended(thread: Thread) -> void:
	while thread.is_alive():
		await steps(1)
		OS.delay_msec(2)


## Rays from a thread while a pile is stepped: the floor and a pillar are hit each time, at the same place.
func test_rays_of_a_thread_beside_steps() -> void:
	floor_body()
	fixed(box(Vector3(1, 20, 1)), Vector3(30, 10, 0))
	for number: int in 60:
		rigid(box(), Vector3(number % 4, 1.0 + number / 4 * 1.1, 0))
	await steps(3)
	var state := direct_space()
	_hits = 0
	_wrong = 0
	var thread := Thread.new()
	thread.start(_cast.bind(state))
	await _ended(thread)
	thread.wait_to_finish()
	check_equal(_hits, 2 * ROUNDS, "rays that hit")
	check_equal(_wrong, 0, "rays that hit elsewhere")


func _cast(state: PhysicsDirectSpaceState3D) -> void:
	for round: int in ROUNDS:
		for ray_of: Array in [[Vector3(-20, 5, 0), Vector3(-20, -5, 0), 0.0], [Vector3(25, 12, 0), Vector3(35, 12, 0), 12.0]]:
			var query := PhysicsRayQueryParameters3D.create(ray_of[0], ray_of[1])
			var hit := state.intersect_ray(query)
			_hits += int(not hit.is_empty())
			_wrong += int(not hit.is_empty() and absf(hit["position"].y - ray_of[2]) > 1e-3)
		OS.delay_usec(50)


## Impulses of a thread beside steps: each one arrives, once.
func test_impulses_of_a_thread_beside_steps() -> void:
	var body := floating(sphere(), Vector3.ZERO, {"can_sleep": false, "mass": 1.0})
	for number: int in 60:
		rigid(box(), Vector3(20 + number % 4, 1.0 + number / 4 * 1.1, 0))
	await steps(2)
	var thread := Thread.new()
	thread.start(_push.bind(body.get_rid()))
	await _ended(thread)
	thread.wait_to_finish()
	await steps(2)
	check_near(body.linear_velocity.x, ROUNDS * 0.01, 1e-3, "velocity after all impulses")


func _push(body: RID) -> void:
	for round: int in ROUNDS:
		PhysicsServer3D.body_apply_central_impulse(body, Vector3(0.01, 0, 0))
		OS.delay_usec(50)


## Bodies that a thread makes, puts into the space, moves and frees while it is stepped: those that stay are there.
func test_bodies_of_a_thread_beside_steps() -> void:
	floor_body()
	for number: int in 30:
		rigid(box(), Vector3(number % 4, 1.0 + number / 4 * 1.1, 0))
	await steps(2)
	_left.clear()
	var shape := box(Vector3(2, 1, 2))
	var thread := Thread.new()
	thread.start(_build.bind(shape.get_rid(), get_world_3d().space))
	await _ended(thread)
	thread.wait_to_finish()
	await steps(2)
	check_equal(_left.size(), ROUNDS / 4, "bodies left")
	for number: int in _left.size():
		var at := Vector3(40 + 3 * (number % 10), 50, 3 * (number / 10))
		var hit := ray(at, at + Vector3(0, -100, 0))
		check(not hit.is_empty() and hit["rid"] == _left[number], "body %d is where it was put" % number)
		own(_left[number])


func _build(shape: RID, space: RID) -> void:
	for round: int in ROUNDS:
		var number := round / 4
		var body := PhysicsServer3D.body_create()
		PhysicsServer3D.body_set_mode(body, PhysicsServer3D.BODY_MODE_STATIC)
		PhysicsServer3D.body_set_space(body, space)
		PhysicsServer3D.body_add_shape(body, shape)
		var at := Vector3(40 + 3 * (number % 10), 20, 3 * (number / 10))
		PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM, Transform3D(Basis.IDENTITY, at))
		if round % 4 == 0:
			_left.append(body)
		else:
			PhysicsServer3D.free_rid(body)
		OS.delay_usec(100)


## Hulls and meshes that a thread makes, puts on bodies and frees, while rays ask: a ray hits such a shape at its top, or what lies
## below. Those that stay are there.
func test_shapes_of_a_thread_beside_rays() -> void:
	floor_body()
	await steps(2)
	_left.clear()
	var thread := Thread.new()
	thread.start(_build_shapes.bind(get_world_3d().space))
	var wrong := 0
	while thread.is_alive():
		await steps(1)
		for number: int in ROUNDS / 4:
			var hit := ray(_place(number) + Vector3(0.3, 30, 0.2), _place(number) + Vector3(0.3, -40, 0.2))
			wrong += int(hit.is_empty() or (absf(hit["position"].y - 21.0) > 1e-3 and absf(hit["position"].y) > 1e-3))
	thread.wait_to_finish()
	check_equal(wrong, 0, "rays that hit elsewhere")
	await steps(2)
	for number: int in ROUNDS / 4:
		var top := ray(_place(number) + Vector3(0.3, 30, 0.2), _place(number) + Vector3(0.3, -40, 0.2))
		check(not top.is_empty() and absf(top["position"].y - 21.0) < 1e-3, "shape %d is where it was put" % number)
	for rid: RID in _left:
		own(rid)


func _place(number: int) -> Vector3:
	return Vector3(40 + 5 * (number % 10), 20, 5 * (number / 10))


func _build_shapes(space: RID) -> void:
	var a := Vector3(-1, 1, -1)
	var b := Vector3(1, 1, -1)
	var c := Vector3(1, 1, 1)
	var d := Vector3(-1, 1, 1)
	for round: int in ROUNDS:
		var is_hull := round % 3 > 0
		var shape := PhysicsServer3D.convex_polygon_shape_create() if is_hull else PhysicsServer3D.concave_polygon_shape_create()
		if is_hull:
			PhysicsServer3D.shape_set_data(shape, PackedVector3Array([a, b, c, d, Vector3(0, -0.1 * (round % 7), 0)]))
		else:
			PhysicsServer3D.shape_set_data(shape, {"faces": PackedVector3Array([a, b, c, a, c, d]), "backface_collision": true})
		var body := PhysicsServer3D.body_create()
		PhysicsServer3D.body_set_mode(body, PhysicsServer3D.BODY_MODE_STATIC)
		PhysicsServer3D.body_set_state(
			body, PhysicsServer3D.BODY_STATE_TRANSFORM, Transform3D(Basis.IDENTITY, _place(round / 4)))
		PhysicsServer3D.body_add_shape(body, shape)
		PhysicsServer3D.body_set_space(body, space)
		OS.delay_usec(200)
		if round % 4 == 3:
			_left.append_array([body, shape])
			continue
		PhysicsServer3D.free_rid(body)
		PhysicsServer3D.free_rid(shape)
