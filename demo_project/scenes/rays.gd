extends "res://scripts/demo_scene.gd"
## Ray casts, shape casts and space queries against moving bodies.
##
## In the middle a lidar of RayCast3D nodes turns; two ShapeCast3D nodes on a gantry feel downwards; in two corners the
## direct space state is asked what overlaps a box, and how far a box could sweep. An arm stirs the bodies.

const Beams = preload("res://scripts/beams.gd")

const RAYS := 96
const REACH := 8.5
const ARM := Vector3(8.0, 0.5, 0.4)
## The box that is asked for overlaps [m].
const ZONE := Vector3(3.6, 2.0, 3.6)
const ZONE_AT := Vector3(-5.4, 1.0, -5.4)
## The box that is swept along a wall [m].
const SWEPT := Vector3(0.9, 0.9, 0.9)
const SWEEP_FROM := Vector3(-8.2, 0.6, 7.6)
const SWEEP := Vector3(16.4, 0, 0)

const MISS := Color(0.30, 0.85, 0.95, 0.28)
const HIT := Color(1.0, 0.86, 0.35, 0.95)
const NORMAL := Color(1.0, 0.35, 0.45, 1.0)
const FREE := Color(0.45, 0.95, 0.60, 0.8)

var _lidar := Node3D.new()
var _rays: Array[RayCast3D] = []
var _shape_casts: Array[ShapeCast3D] = []
var _arm := AnimatableBody3D.new()
var _beams := Beams.new(2000)
var _zone_query := PhysicsShapeQueryParameters3D.new()
var _sweep_query := PhysicsShapeQueryParameters3D.new()
var _counts := {"ray_hits": 0, "shape_cast_hits": 0, "overlaps": 0, "sweep_fraction": 1.0}


func build() -> void:
	bin = Bin.new(9.0, 6.0, 0.3)
	bin.drawn_height = 0.7
	bin.has_glass = false
	stage.target = Vector3(0, 0.3, 0.6)
	stage.eye = Vector3(8.0, 14.0, 17.5)
	bodies.can_sleep = false
	bodies.material.friction = 0.3
	bodies.material.bounce = 0.3
	_add_bodies()
	_add_arm()
	_add_lidar()
	_add_gantry()
	_zone_query.shape = _box(ZONE)
	_zone_query.transform.origin = ZONE_AT
	_sweep_query.shape = _box(SWEPT)
	_sweep_query.transform.origin = SWEEP_FROM
	_sweep_query.motion = SWEEP
	add_child(_beams)


func tick(number: int) -> void:
	_arm.rotation.y = 2.2 - number / 60.0 * 0.9
	_lidar.rotation.y = number / 60.0 * 0.35
	for side: int in 2:
		_shape_casts[side].position.x = (6.5 if side else -6.5) * cos(number / 60.0 * 0.8)
	_beams.clear()
	_show_rays()
	_show_shape_casts()
	_show_zone()
	_show_sweep()


func extra_figures() -> Dictionary:
	return _counts


func _add_bodies() -> void:
	bodies.add_form(BodyForm.box(Vector3.ONE * 0.7, CORAL))
	bodies.add_form(BodyForm.sphere(0.42, AMBER))
	bodies.add_form(BodyForm.capsule(0.3, 1.2, TEAL))
	for index: int in body_count():
		var at := Vector3(random.randf_range(-7, 7), 1.0 + 0.25 * index, random.randf_range(-7, 7))
		bodies.add(index % 3, Transform3D(random_rotation(), at))


func _add_arm() -> void:
	var collision := CollisionShape3D.new()
	collision.shape = _box(ARM)
	collision.position = Vector3(ARM.x / 2.0 + 0.6, 0.3, 0)
	_arm.sync_to_physics = false
	_arm.add_child(collision)
	var box := BoxMesh.new()
	box.size = ARM
	var paint := StandardMaterial3D.new()
	paint.albedo_color = Color(0.80, 0.82, 0.86)
	box.material = paint
	var mesh := MeshInstance3D.new()
	mesh.mesh = box
	mesh.position = collision.position
	_arm.add_child(mesh)
	add_child(_arm)


func _add_lidar() -> void:
	_lidar.position.y = 0.32
	for index: int in RAYS:
		var ray := RayCast3D.new()
		ray.target_position = Vector3(REACH, 0, 0).rotated(Vector3.UP, TAU * index / RAYS)
		ray.add_exception(_arm)
		_lidar.add_child(ray)
		_rays.append(ray)
	add_child(_lidar)


func _add_gantry() -> void:
	for side: int in 2:
		var cast := ShapeCast3D.new()
		if side == 0:
			var ball := SphereShape3D.new()
			ball.radius = 0.5
			cast.shape = ball
		else:
			cast.shape = _box(Vector3.ONE * 0.9)
		cast.position = Vector3(0, 5.0, -3.0 if side == 0 else 3.5)
		cast.target_position = Vector3(0, -6.0, 0)
		cast.max_results = 8
		add_child(cast)
		_shape_casts.append(cast)


func _show_rays() -> void:
	_counts["ray_hits"] = 0
	for ray: RayCast3D in _rays:
		var from := ray.global_position
		if ray.is_colliding():
			_counts["ray_hits"] += 1
			var at := ray.get_collision_point()
			_beams.beam(from, at, HIT * Color(1, 1, 1, 0.55), 0.025)
			_beams.dot(at, HIT, 0.09)
			_beams.beam(at, at + ray.get_collision_normal() * 0.35, NORMAL, 0.03)
		else:
			_beams.beam(from, ray.to_global(ray.target_position), MISS, 0.02)


func _show_shape_casts() -> void:
	_counts["shape_cast_hits"] = 0
	for cast: ShapeCast3D in _shape_casts:
		var end := cast.global_position + cast.target_position * cast.get_closest_collision_safe_fraction()
		_beams.frame(Transform3D(Basis.IDENTITY, end), Vector3.ONE * 0.9, FREE, 0.035)
		_beams.beam(cast.global_position, end, FREE, 0.04)
		_counts["shape_cast_hits"] += cast.get_collision_count()
		for hit: int in cast.get_collision_count():
			var at := cast.get_collision_point(hit)
			_beams.beam(at, at + cast.get_collision_normal(hit) * 0.6, NORMAL, 0.05)


func _show_zone() -> void:
	var found := get_world_3d().direct_space_state.intersect_shape(_zone_query, 64)
	var inside := 0
	for hit: Dictionary in found:
		if hit["collider"] is RigidBody3D:
			inside += 1
			_beams.frame(Transform3D(Basis.IDENTITY, hit["collider"].global_position), Vector3.ONE * 1.05, HIT, 0.03)
	_counts["overlaps"] = found.size()
	_beams.frame(Transform3D(Basis.IDENTITY, ZONE_AT), ZONE, HIT if inside > 0 else MISS, 0.05)


func _show_sweep() -> void:
	var fractions := get_world_3d().direct_space_state.cast_motion(_sweep_query)
	_counts["sweep_fraction"] = fractions[0]
	_beams.frame(Transform3D(Basis.IDENTITY, SWEEP_FROM), SWEPT, MISS, 0.03)
	_beams.frame(Transform3D(Basis.IDENTITY, SWEEP_FROM + SWEEP * fractions[0]), SWEPT, FREE, 0.04)
	_beams.beam(SWEEP_FROM, SWEEP_FROM + SWEEP * fractions[0], FREE, 0.04)


func _box(size: Vector3) -> BoxShape3D:
	var shape := BoxShape3D.new()
	shape.size = size
	return shape
