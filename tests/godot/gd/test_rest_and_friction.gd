extends "res://gd/physics_test.gd"
## Bodies in touch: resting, stacking, sliding, bouncing, rolling.

## How far a body at rest may lie above or below its ideal place [m].
const REST := 0.025


func _check_rests_at(shape: Shape3D, height: float, at: Variant, what: String) -> RigidBody3D:
	var body := rigid(shape, at)
	await steps(180)
	check_near(body.position.y, height, REST, "%s: height of the centre" % what)
	check(body.linear_velocity.length() < 0.05, "%s: at rest, moves at %s" % [what, body.linear_velocity])
	return body


func test_box_rests_on_the_floor() -> void:
	floor_body()
	var body := await _check_rests_at(box(), 0.5, Vector3(0, 1, 0), "box")
	check_near(body.basis.y, Vector3.UP, 0.01, "upright")
	check_near(Vector2(body.position.x, body.position.z), Vector2.ZERO, 0.01, "where it was dropped")


func test_sphere_rests_on_the_floor() -> void:
	floor_body()
	await _check_rests_at(sphere(0.3), 0.3, Vector3(0, 1, 0), "sphere")


func test_lying_capsule_rests_on_the_floor() -> void:
	floor_body()
	var lying := Transform3D(Basis(Vector3.RIGHT, PI / 2.0), Vector3(0, 0.6, 0))
	await _check_rests_at(capsule(0.4, 2.0), 0.4, lying, "capsule")


func test_hull_rests_on_the_floor() -> void:
	floor_body()
	await _check_rests_at(box_hull(Vector3(1, 0.6, 1)), 0.3, Vector3(0, 0.6, 0), "hull of a flat box")


func test_flat_box_rests_on_each_of_its_sides() -> void:
	floor_body()
	var size := Vector3(1.0, 1.5, 2.0)
	var bodies: Array[RigidBody3D] = []
	for axis: int in 3:
		var up := [Basis(Vector3.BACK, PI / 2.0), Basis.IDENTITY, Basis(Vector3.RIGHT, PI / 2.0)][axis] as Basis
		bodies.append(rigid(box(size), Transform3D(up, Vector3(5 * axis, size[axis] / 2.0 + 0.1, 0))))
	await steps(150)
	for axis: int in 3:
		check_near(bodies[axis].position.y, size[axis] / 2.0, REST, "on side %d" % axis)


## A box on its edge, a little out of balance, comes to lie on a face.
func test_box_dropped_on_an_edge_ends_on_a_face() -> void:
	floor_body()
	var body := rigid(box(), Transform3D(Basis(Vector3.BACK, 0.7), Vector3(0, 1.0, 0)))
	await steps(300)
	check_near(body.position.y, 0.5, REST, "height")
	var most_upright := maxf(absf(body.basis.x.y), maxf(absf(body.basis.y.y), absf(body.basis.z.y)))
	check_near(most_upright, 1.0, 0.01, "one axis upright")


func test_box_rests_on_the_back_of_another_shape() -> void:
	for shape: Shape3D in [box(Vector3(4, 1, 4)), box_hull(Vector3(4, 1, 4))]:
		var ground := fixed(shape, Vector3(0, -0.5, 0))
		var body := rigid(box_hull(), Vector3(0, 0.7, 0))
		await steps(120)
		check_near(body.position.y, 0.5, REST, "on a %s" % shape.get_class())
		body.free()
		ground.free()


func test_sphere_balances_on_a_sphere_at_the_sum_of_radii() -> void:
	fixed(sphere(2.0))
	var body := rigid(sphere(0.5), Vector3(0, 2.6, 0))
	await steps(60)
	check_near(body.position.length(), 2.5, REST, "distance of the centres")


## Two slopes of 45 degrees whose surfaces meet at (0, -0.293): a box on its edge fits in.
func test_box_rests_in_a_corner_of_two_slopes() -> void:
	for side: float in [-1.0, 1.0]:
		fixed(box(Vector3(10, 1, 10)), Transform3D(Basis(Vector3.BACK, side * PI / 4.0), Vector3(side * 3.0, 2.0, 0)))
	var body := rigid(box(), Transform3D(Basis(Vector3.BACK, PI / 4.0), Vector3(0, 3, 0)))
	await steps(240)
	check(body.linear_velocity.length() < 0.05, "at rest")
	check_near(body.position, Vector3(0, sqrt(2.0) - 1.0, 0), 0.03, "place")


func test_stack_of_five_stands() -> void:
	floor_body()
	var bodies: Array[RigidBody3D] = []
	for level: int in 5:
		bodies.append(rigid(box(), Vector3(0, 0.5 + level, 0)))
	await steps(300)
	for level: int in 5:
		check_near(bodies[level].position, Vector3(0, 0.5 + level, 0), 0.02 * (level + 1), "box %d" % level)
		check_near(bodies[level].basis.y, Vector3.UP, 0.02, "box %d upright" % level)


func test_pyramid_of_ten_boxes_stands() -> void:
	floor_body()
	var bodies: Array[RigidBody3D] = []
	var places: Array[Vector3] = []
	for row: int in 4:
		for column: int in 4 - row:
			places.append(Vector3(column * 1.1 - (3 - row) * 0.55, row + 0.5, 0))
			bodies.append(rigid(box(), places.back()))
	await steps(300)
	for index: int in bodies.size():
		check_near(bodies[index].position, places[index], 0.1, "box %d" % index)


func test_a_heavy_box_rests_on_a_light_one() -> void:
	floor_body()
	var light := rigid(box(), Vector3(0, 0.5, 0), {"mass": 1.0})
	var heavy := rigid(box(), Vector3(0, 1.5, 0), {"mass": 10.0})
	await steps(240)
	check_near(light.position.y, 0.5, 0.04, "light box")
	check_near(heavy.position.y, 1.5, 0.06, "heavy box")


## ------------------------------------------------------------------ friction

## A slope of `angle` with a flat box on it, both of the same friction. Returns the way along the slope after 1 s.
func _slide(angle: float, friction: float) -> float:
	var turn := Basis(Vector3.BACK, angle)
	var material := surface(friction)
	var slope := fixed(box(Vector3(100, 1, 20)), Transform3D(turn, turn * Vector3(0, -0.5, 0)),
		{"physics_material_override": material})
	var start := turn * Vector3(0, 0.25, 0)
	var body := rigid(box(Vector3(1, 0.5, 1)), Transform3D(turn, start), {"physics_material_override": material})
	await steps(60)
	var way := -(turn.inverse() * (body.position - start)).x
	body.free()
	slope.free()
	return way


## It holds while tan(angle) < friction.
func test_box_holds_on_a_slope_below_the_friction_angle() -> void:
	check_near(await _slide(deg_to_rad(20), 0.5), 0.0, 0.03, "way on 20 degrees with friction 0.5 (tan 20 = 0.36)")


## It slides with a = g (sin - friction cos).
func test_box_slides_down_a_slope_above_the_friction_angle() -> void:
	var angle := deg_to_rad(40)
	var way := GRAVITY * (sin(angle) - 0.3 * cos(angle)) / 2.0
	check_near(await _slide(angle, 0.3), way, 0.08 * way, "way down 40 degrees with friction 0.3 in 1 s")


func test_box_without_friction_slides_as_if_falling() -> void:
	var angle := deg_to_rad(30)
	var way := GRAVITY * sin(angle) / 2.0
	check_near(await _slide(angle, 0.0), way, 0.05 * way, "way down 30 degrees without friction in 1 s")


## v^2 = 2 friction g x.
func test_sliding_box_stops_after_its_braking_distance() -> void:
	var material := surface(0.5)
	floor_body({"physics_material_override": material})
	var body := rigid(box(Vector3(2, 0.5, 2)), Vector3(0, 0.25, 0), {"physics_material_override": material})
	await steps(10)
	body.linear_velocity = Vector3(5, 0, 0)
	await steps(120)
	check_near(body.position.x, 25.0 / (2.0 * 0.5 * GRAVITY), 0.2, "braking distance from 5 m/s with friction 0.5")
	check_near(body.linear_velocity, Vector3.ZERO, 0.02, "it stands")


## Godot combines frictions by taking the smaller one.
func test_friction_is_the_smaller_of_the_two() -> void:
	floor_body({"physics_material_override": surface(0.2)})
	var body := rigid(box(Vector3(2, 0.5, 2)), Vector3(0, 0.25, 0), {"physics_material_override": surface(1.0)})
	await steps(10)
	body.linear_velocity = Vector3(4, 0, 0)
	await steps(150)
	check_near(body.position.x, 16.0 / (2.0 * 0.2 * GRAVITY), 0.4, "braking distance from 4 m/s with friction 0.2")


func test_no_friction_keeps_the_velocity() -> void:
	floor_body({"physics_material_override": surface(0.0)})
	var body := rigid(box(Vector3(2, 0.5, 2)), Vector3(0, 0.25, 0), {"linear_velocity": Vector3(3, 0, 0)})
	await steps(120)
	check_near(body.linear_velocity.x, 3.0, 0.05, "velocity after 2 s on ice")


## a = g sin(angle) / (1 + I / (m r^2)), with I = 2/5 m r^2 for a solid sphere.
func test_sphere_rolls_down_a_slope() -> void:
	var angle := deg_to_rad(15)
	var turn := Basis(Vector3.BACK, angle)
	var material := surface(1.0)
	fixed(box(Vector3(100, 1, 20)), Transform3D(turn, turn * Vector3(0, -0.5, 0)), {"physics_material_override": material})
	var start := turn * Vector3(0, 0.5, 0)
	var body := rigid(sphere(), start, {"physics_material_override": material})
	await steps(60)
	var way := GRAVITY * sin(angle) / 1.4 / 2.0
	check_near(-(turn.inverse() * (body.position - start)).x, way, 0.06 * way, "way after 1 s")
	check_near(body.angular_velocity.z, 2.0 * way / 0.5, 0.08 * 2.0 * way / 0.5, "rolls without slipping: w = v / r")


## The surface of a static body with a constant velocity carries what lies on it.
func test_conveyor_carries_a_box() -> void:
	floor_body({"constant_linear_velocity": Vector3(2, 0, 0), "physics_material_override": surface(1.0)})
	var body := rigid(box(), Vector3(0, 0.5, 0), {"physics_material_override": surface(1.0)})
	await steps(120)
	check_near(body.linear_velocity.x, 2.0, 0.1, "velocity on the belt")


## ------------------------------------------------------------------ restitution

## Drops a ball from 2 m; returns the greatest height of its lowest point after the first impact.
func _bounce(ball_bounce: float, floor_bounce: float) -> float:
	var ground := floor_body({"physics_material_override": surface(0.5, floor_bounce)})
	var body := rigid(sphere(0.25), Vector3(0, 2.25, 0), {"physics_material_override": surface(0.5, ball_bounce)})
	await steps_until(func() -> bool: return body.linear_velocity.y > 0.0 or body.position.y < 0.3, 90)
	var top := 0.0
	for step: int in 90:
		await steps()
		top = maxf(top, body.position.y - 0.25)
	body.free()
	ground.free()
	return top


## h' = e^2 h.
func test_bounce_of_one_comes_back_up() -> void:
	check_near(await _bounce(1.0, 0.0), 2.0, 0.25, "height after the impact")


func test_bounce_of_a_half_comes_to_a_quarter() -> void:
	check_near(await _bounce(0.5, 0.0), 0.5, 0.12, "height after the impact")


func test_no_bounce_stays_down() -> void:
	check_between(await _bounce(0.0, 0.0), -0.05, 0.03, "height after the impact")


## Godot adds the two sides' bounce.
func test_bounce_is_the_sum_of_both_sides() -> void:
	check_near(await _bounce(0.3, 0.4), 2.0 * 0.7 * 0.7, 0.2, "height after the impact")


func test_elastic_spheres_of_equal_mass_exchange_velocities() -> void:
	var material := surface(0.0, 1.0)
	var left := floating(sphere(), Vector3(-2, 0, 0), {
		"linear_velocity": Vector3(4, 0, 0), "physics_material_override": material})
	var right := floating(sphere(), Vector3(1, 0, 0), {"physics_material_override": surface(0.0, 0.0)})
	await steps(60)
	check_near(left.linear_velocity, Vector3.ZERO, 0.1, "the one that came")
	check_near(right.linear_velocity, Vector3(4, 0, 0), 0.1, "the one that was hit")


func test_inelastic_spheres_go_on_together() -> void:
	var left := floating(sphere(), Vector3(-2, 0, 0), {"linear_velocity": Vector3(6, 0, 0), "mass": 2.0})
	var right := floating(sphere(), Vector3(1, 0, 0), {"mass": 1.0})
	await steps(60)
	check_near(left.linear_velocity.x, 4.0, 0.1, "velocity of the heavy one: m1 v / (m1 + m2)")
	check_near(right.linear_velocity.x, 4.0, 0.1, "velocity of the light one")


func test_a_collision_keeps_the_momentum() -> void:
	var bodies: Array[RigidBody3D] = [
		floating(box(), Vector3(-2, 0.2, 0), {"linear_velocity": Vector3(5, 0, 0), "mass": 3.0}),
		floating(sphere(), Vector3(0.5, -0.1, 0.2), {"mass": 2.0}),
		floating(capsule(), Vector3(2.5, 0, 0), {"linear_velocity": Vector3(-1, 0, 0), "mass": 1.0})]
	await steps(90)
	var momentum := Vector3.ZERO
	for body: RigidBody3D in bodies:
		momentum += body.mass * body.linear_velocity
	check_near(momentum, Vector3(14, 0, 0), 0.05, "sum of m v")
	check(bodies[1].linear_velocity.length() > 0.5, "there was a collision")


## ------------------------------------------------------------------ grounds

func test_world_boundary_holds_a_box_anywhere() -> void:
	fixed(plane())
	var bodies: Array[RigidBody3D] = []
	for distance: float in [0.0, 50.0, 900.0]:
		bodies.append(rigid(box(), Vector3(distance, 1, distance)))
	await steps(150)
	for body: RigidBody3D in bodies:
		check_near(body.position.y, 0.5, REST, "height at x = %.0f" % body.position.x)


func test_world_boundary_is_infinite() -> void:
	fixed(plane())
	var body := rigid(sphere(), Vector3(20000, 1, 0))
	await steps(120)
	check_near(body.position.y, 0.5, 0.03, "height 20 km away")


func test_tilted_world_boundary_holds_by_its_plane() -> void:
	var normal := Vector3(1, 2, 0).normalized()
	fixed(plane(normal, 1.0), Vector3.ZERO, {"physics_material_override": surface(0.0)})
	var body := rigid(sphere(), normal * 1.6)
	await steps(60)
	check_near(body.position.dot(normal), 1.5, REST, "distance from the plane along its normal")
	check(body.position.x > 0.5, "slides down")


func test_spheres_and_boxes_rest_on_a_mesh() -> void:
	fixed(mesh_floor())
	var ball := rigid(sphere(), Vector3(0.3, 0.8, 0.2))
	var crate := rigid(box(), Vector3(2.4, 0.8, 1.7))
	var pill := rigid(capsule(0.3, 1.2), Transform3D(Basis(Vector3.BACK, PI / 2.0), Vector3(-2.2, 0.5, -1.3)))
	await steps(150)
	check_near(ball.position.y, 0.5, REST, "sphere")
	check_near(crate.position.y, 0.5, REST, "box")
	check_near(pill.position.y, 0.3, REST, "capsule")


## Edges between triangles of one flat floor are no obstacles.
func test_sphere_rolls_over_a_mesh_without_bumps() -> void:
	fixed(mesh_floor(20), Vector3.ZERO, {"physics_material_override": surface(0.0)})
	var body := rigid(sphere(), Vector3(-8, 0.5, 0.37), {"linear_velocity": Vector3(6, 0, 0)})
	var highest := 0.0
	for step: int in 120:
		await steps()
		highest = maxf(highest, absf(body.position.y - 0.5))
	check_between(highest, 0.0, 0.05, "deviation from a straight way")
	check_near(body.linear_velocity, Vector3(6, 0, 0), 0.6, "velocity")


func test_box_slides_over_a_mesh_without_bumps() -> void:
	fixed(mesh_floor(20), Vector3.ZERO, {"physics_material_override": surface(0.0)})
	var body := rigid(box(), Vector3(-8, 0.5, 0.37), {"linear_velocity": Vector3(6, 0, 0)})
	var highest := 0.0
	for step: int in 120:
		await steps()
		highest = maxf(highest, absf(body.position.y - 0.5))
	check_between(highest, 0.0, 0.05, "deviation from a straight way")
	check_near(body.linear_velocity.x, 6.0, 0.6, "velocity")


func test_body_falls_past_the_edge_of_a_mesh() -> void:
	fixed(mesh_floor(4))
	var body := rigid(sphere(0.3), Vector3(2.6, 1, 0))
	await steps(90)
	check(body.position.y < -2.0, "beside the mesh there is nothing")


## A body that rolls slowly on level ground, undamped, neither gains nor loses speed.
func test_slow_rolling_keeps_its_speed() -> void:
	floor_body()
	var lying := Basis(Vector3.RIGHT, PI / 2.0)  # its axis along z
	var drum := CylinderShape3D.new()
	drum.radius = 0.3
	drum.height = 0.5
	var bodies: Array[RigidBody3D] = []
	for speed: float in [0.06, 0.15, 0.3, 0.5]:
		for shape: Shape3D in [sphere(0.3), capsule(0.3, 1.0), drum, sphere(1.0)]:
			var radius := 1.0 if shape is SphereShape3D and shape.radius == 1.0 else 0.3
			var at := Transform3D(Basis.IDENTITY if shape is SphereShape3D else lying, Vector3(0, radius, 3.0 * bodies.size()))
			bodies.append(rigid(shape, at, {"can_sleep": false, "linear_velocity": Vector3(speed, 0, 0),
					"angular_velocity": Vector3(0, 0, -speed / radius)}))
	await steps(30)
	var before: Array[float] = []
	for body: RigidBody3D in bodies:
		before.append(body.linear_velocity.x)
	await steps(300)
	for index: int in bodies.size():
		var what := "body %d, speed after 5 s" % index
		check_near(bodies[index].linear_velocity.x, before[index], 0.02 * before[index] + 0.003, what)
