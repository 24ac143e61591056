extends Node3D
## The base of behaviour tests: checks, waiting for ticks, and short ways to make bodies and shapes.
##
## A test ends with everything beneath this node freed, and every RID given to `own`.

const GRAVITY := 9.8
## Length of a tick [s].
const TICK := 1.0 / 60.0

var checks := 0
var failures: Array[String] = []

var _owned: Array[RID] = []


func _init() -> void:
	process_mode = Node.PROCESS_MODE_ALWAYS


## Frees what the test made, and puts the settings back that it may have changed.
func clear() -> void:
	get_tree().paused = false
	Engine.time_scale = 1.0
	Engine.physics_ticks_per_second = 60
	for child: Node in get_children():
		child.free()
	while not _owned.is_empty():
		PhysicsServer3D.free_rid(_owned.pop_back())


## The RID is freed when the test ends.
func own(rid: RID) -> RID:
	_owned.append(rid)
	return rid


## Frees an owned RID now.
func free_now(rid: RID) -> void:
	_owned.erase(rid)
	PhysicsServer3D.free_rid(rid)


func check(condition: bool, what: String) -> void:
	checks += 1
	if not condition:
		failures.append(what)


func check_equal(actual: Variant, expected: Variant, what: String) -> void:
	check(typeof(actual) == typeof(expected) and actual == expected, "%s: got %s, expected %s" % [what, actual, expected])


## Whether the server is one of Godot's own, which have no call of this name: then there is nothing to test. Scree must have it.
func lacks(method: String) -> bool:
	var is_scree := PhysicsServer3D.get_class() == "ScreePhysicsServer3D"
	check_equal(PhysicsServer3D.has_method(method), is_scree, "the server has %s" % method)
	return not is_scree


## `actual` and `expected` are numbers or vectors; NaN is near nothing.
func check_near(actual: Variant, expected: Variant, tolerance: float, what: String) -> void:
	var error: float = absf(actual - expected) if typeof(expected) in [TYPE_FLOAT, TYPE_INT] else (actual - expected).length()
	check(error <= tolerance, "%s: got %s, expected %s +- %s" % [what, actual, expected, tolerance])


func check_between(actual: float, least: float, most: float, what: String) -> void:
	check(actual >= least and actual <= most, "%s: got %s, expected %s to %s" % [what, actual, least, most])


## Waits until exactly `count` physics steps have run, and nodes have been told of them.
func steps(count: int = 1) -> void:
	for step: int in count:
		await get_tree().physics_frame


## Waits until `condition` holds, or for `most` steps. Returns the number of steps.
func steps_until(condition: Callable, most: int) -> int:
	for step: int in most:
		if condition.call():
			return step
		await get_tree().physics_frame
	return most


func direct_space() -> PhysicsDirectSpaceState3D:
	return get_world_3d().direct_space_state


## ------------------------------------------------------------------ shapes

func box(size: Vector3 = Vector3.ONE) -> BoxShape3D:
	var shape := BoxShape3D.new()
	shape.size = size
	return shape


func sphere(radius: float = 0.5) -> SphereShape3D:
	var shape := SphereShape3D.new()
	shape.radius = radius
	return shape


## `height` is the total height [m].
func capsule(radius: float = 0.5, height: float = 2.0) -> CapsuleShape3D:
	var shape := CapsuleShape3D.new()
	shape.radius = radius
	shape.height = height
	return shape


func hull(points: PackedVector3Array) -> ConvexPolygonShape3D:
	var shape := ConvexPolygonShape3D.new()
	shape.points = points
	return shape


## The eight corners of a box, as a hull.
func box_hull(size: Vector3 = Vector3.ONE) -> ConvexPolygonShape3D:
	var points := PackedVector3Array()
	for corner: int in 8:
		var signs := Vector3(1 if corner & 1 else -1, 1 if corner & 2 else -1, 1 if corner & 4 else -1)
		points.append(signs * size / 2.0)
	return hull(points)


## An octahedron with its corners `radius` from the middle, on the axes [m].
func octahedron(radius: float = 1.0) -> ConvexPolygonShape3D:
	return hull(PackedVector3Array([Vector3.UP * radius, Vector3.DOWN * radius, Vector3.LEFT * radius,
		Vector3.RIGHT * radius, Vector3.FORWARD * radius, Vector3.BACK * radius]))


func plane(normal: Vector3 = Vector3.UP, distance: float = 0.0) -> WorldBoundaryShape3D:
	var shape := WorldBoundaryShape3D.new()
	shape.plane = Plane(normal, distance)
	return shape


## A flat square of triangles that face up, `cells` x `cells` of `cell` metres, in the middle.
func mesh_floor(cells: int = 8, cell: float = 1.0) -> ConcavePolygonShape3D:
	var faces := PackedVector3Array()
	var half := cells * cell / 2.0
	for x: int in cells:
		for z: int in cells:
			var corner := Vector3(x * cell - half, 0, z * cell - half)
			var along := Vector3(cell, 0, 0)
			var across := Vector3(0, 0, cell)
			# Godot's front faces are clockwise, seen from the front.
			faces.append_array([corner, corner + along, corner + along + across])
			faces.append_array([corner, corner + along + across, corner + across])
	var shape := ConcavePolygonShape3D.new()
	shape.set_faces(faces)
	return shape


## ------------------------------------------------------------------ nodes

func collision_shape(shape: Shape3D, transform: Transform3D = Transform3D.IDENTITY) -> CollisionShape3D:
	var node := CollisionShape3D.new()
	node.shape = shape
	node.transform = transform
	return node


## Puts `body` with `shape` at `at` into the world. `properties` are set before it enters.
func put(body: CollisionObject3D, shape: Shape3D, at: Variant = Vector3.ZERO,
		properties: Dictionary = {}) -> CollisionObject3D:
	body.add_child(collision_shape(shape))
	body.transform = at if at is Transform3D else Transform3D(Basis.IDENTITY, at)
	for property: String in properties:
		body.set(property, properties[property])
	add_child(body)
	return body


## A rigid body without damping, so that formulas hold.
func rigid(shape: Shape3D, at: Variant = Vector3.ZERO, properties: Dictionary = {}) -> RigidBody3D:
	var body := RigidBody3D.new()
	body.linear_damp_mode = RigidBody3D.DAMP_MODE_REPLACE
	body.angular_damp_mode = RigidBody3D.DAMP_MODE_REPLACE
	return put(body, shape, at, properties)


## A rigid body without damping or gravity.
func floating(shape: Shape3D, at: Variant = Vector3.ZERO, properties: Dictionary = {}) -> RigidBody3D:
	var all := {"gravity_scale": 0.0}
	all.merge(properties, true)
	return rigid(shape, at, all)


func fixed(shape: Shape3D, at: Variant = Vector3.ZERO, properties: Dictionary = {}) -> StaticBody3D:
	return put(StaticBody3D.new(), shape, at, properties)


func kinematic(shape: Shape3D, at: Variant = Vector3.ZERO, properties: Dictionary = {}) -> AnimatableBody3D:
	var body := AnimatableBody3D.new()
	body.sync_to_physics = false
	return put(body, shape, at, properties)


## A floor whose top is at y = 0.
func floor_body(properties: Dictionary = {}) -> StaticBody3D:
	return fixed(box(Vector3(200, 2, 200)), Vector3(0, -1, 0), properties)


func surface(friction: float, bounce: float = 0.0) -> PhysicsMaterial:
	var material := PhysicsMaterial.new()
	material.friction = friction
	material.bounce = bounce
	return material


## A body made through the server, without a node, in this world.
func server_body(mode: PhysicsServer3D.BodyMode, shape: RID, at: Vector3 = Vector3.ZERO) -> RID:
	var body := own(PhysicsServer3D.body_create())
	PhysicsServer3D.body_set_mode(body, mode)
	PhysicsServer3D.body_add_shape(body, shape)
	PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM, Transform3D(Basis.IDENTITY, at))
	PhysicsServer3D.body_set_param(body, PhysicsServer3D.BODY_PARAM_LINEAR_DAMP_MODE, PhysicsServer3D.BODY_DAMP_MODE_REPLACE)
	PhysicsServer3D.body_set_param(body, PhysicsServer3D.BODY_PARAM_ANGULAR_DAMP_MODE, PhysicsServer3D.BODY_DAMP_MODE_REPLACE)
	PhysicsServer3D.body_set_space(body, get_world_3d().space)
	return body


## A box shape made through the server; `half` are half extents [m].
func server_box(half: Vector3 = Vector3.ONE * 0.5) -> RID:
	var shape := own(PhysicsServer3D.box_shape_create())
	PhysicsServer3D.shape_set_data(shape, half)
	return shape


func server_sphere(radius: float = 0.5) -> RID:
	var shape := own(PhysicsServer3D.sphere_shape_create())
	PhysicsServer3D.shape_set_data(shape, radius)
	return shape


func state_of(body: RID, state: PhysicsServer3D.BodyState) -> Variant:
	return PhysicsServer3D.body_get_state(body, state)


func origin_of(body: RID) -> Vector3:
	return PhysicsServer3D.body_get_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM).origin


func direct_state(body: RigidBody3D) -> PhysicsDirectBodyState3D:
	return PhysicsServer3D.body_get_direct_state(body.get_rid())


func ray(from: Vector3, to: Vector3, settings: Dictionary = {}) -> Dictionary:
	var query := PhysicsRayQueryParameters3D.create(from, to)
	for property: String in settings:
		query.set(property, settings[property])
	return direct_space().intersect_ray(query)
