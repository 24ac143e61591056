extends "res://gd/physics_test.gd"
## Slow starts, rolling, spinning and riding: what small errors of contacts add up to.


func test_a_body_in_weak_gravity_falls_on() -> void:
	var body := rigid(sphere(), Vector3(0, 50, 0), {"gravity_scale": 0.005})
	await steps(1200)
	check_near(50.0 - body.position.y, 0.5 * 0.005 * GRAVITY * 400.0, 0.1, "fallen in 20 s")


func test_a_ball_rolls_down_a_slope_of_one_degree() -> void:
	var angle := deg_to_rad(1.0)
	var rough := surface(0.8)
	var slope := Transform3D(Basis(Vector3.BACK, -angle), Vector3(0, -1, 0))
	fixed(box(Vector3(200, 2, 200)), slope, {"physics_material_override": rough})
	var start := Vector3(sin(angle), cos(angle), 0) * 1.5 + Vector3(0, -1, 0)
	var ball := rigid(sphere(), start, {"physics_material_override": rough})
	await steps(300)
	check_near((ball.position - start).length(), 5.0 / 7.0 * GRAVITY * sin(angle) * 12.5, 0.04, "rolled in 5 s")


func test_a_capsule_that_rolls_keeps_its_speed() -> void:
	floor_body()
	var lying := Basis(Vector3.RIGHT, PI / 2)
	var body := rigid(capsule(0.1, 0.4), Transform3D(lying, Vector3(0, 0.1, 0)),
		{"linear_velocity": Vector3(5, 0, 0), "angular_velocity": Vector3(0, 0, -50), "can_sleep": false})
	await steps(300)
	check_near(body.linear_velocity.x, 5.0, 0.02, "speed after 5 s")


func test_a_ball_keeps_its_speed_beside_rolling_capsules() -> void:
	floor_body()
	var balls: Array[RigidBody3D] = []
	for k: int in 4:
		var motion := {"linear_velocity": Vector3(5, 0, 0), "angular_velocity": Vector3(0, 0, -50), "can_sleep": false}
		balls.append(rigid(sphere(0.1), Vector3(0, 0.1, 2 * k), motion))
		rigid(capsule(0.1, 0.4), Transform3D(Basis(Vector3.RIGHT, PI / 2), Vector3(0, 0.1, 2 * k + 1)), motion)
	await steps(300)
	for ball: RigidBody3D in balls:
		check_near(ball.linear_velocity.x, 5.0, 0.02, "speed after 5 s")


## Without its spin it slides 1.53 m. Friction of an ellipsoid gives 3.02 m, that of points along its rim 3.57 m.
func test_a_puck_that_spins_slides_farther() -> void:
	var smooth := surface(0.3)
	floor_body({"physics_material_override": smooth})
	var shape := CylinderShape3D.new()
	shape.radius = 0.5
	shape.height = 0.1
	var puck := rigid(shape, Vector3(0, 0.05, 0), {"linear_velocity": Vector3(3, 0, 0), "angular_velocity": Vector3(0, -15, 0),
		"physics_material_override": smooth})
	await steps(300)
	check_between(puck.position.x, 2.7, 3.8, "slid")


## Half of friction times weight at four corners, 0.71 of it for the ellipsoid.
func test_a_plank_pushed_at_its_end_turns_before_it_slides() -> void:
	var rough := surface(0.5)
	floor_body({"physics_material_override": rough})
	var plank := rigid(box(Vector3(4, 0.1, 0.2)), Vector3(0, 0.05, 0),
		{"mass": 10.0, "can_sleep": false, "physics_material_override": rough})
	await steps(30)
	for step: int in 60:
		plank.apply_force(Vector3(0, 0, -0.8 * 0.5 * 10.0 * GRAVITY), Vector3(2, 0, 0))
		await steps()
	check(absf(plank.angular_velocity.y) > 0.1, "it turns")


func test_a_box_on_a_turntable_stays_where_it_stands() -> void:
	var rough := surface(1.0)
	var table := kinematic(box(Vector3(12, 1, 12)), Vector3(0, -0.5, 0), {"physics_material_override": rough})
	var rider := rigid(box(Vector3.ONE * 0.6), Vector3(2, 0.3, 0), {"linear_velocity": Vector3(0, 0, -2),
		"angular_velocity": Vector3(0, 1, 0), "can_sleep": false, "physics_material_override": rough})
	for step: int in 600:
		table.rotation.y = (step + 1) * TICK
		await steps()
	check_near(Vector2(rider.position.x, rider.position.z).length(), 2.0, 0.01, "distance from the axis after 10 s")


func test_a_load_on_light_links_rises_no_higher_than_it_was() -> void:
	var before: PhysicsBody3D = fixed(sphere(0.05), Vector3.ZERO, {"collision_layer": 0, "collision_mask": 0})
	var load: RigidBody3D
	for k: int in 3:
		var is_load := k == 2
		load = rigid(sphere(0.1), Vector3(0.25 + 0.5 * k if not is_load else 1.0, 0, 0),
			{"mass": 50.0 if is_load else 0.2, "collision_layer": 0, "collision_mask": 0, "can_sleep": false})
		var pin := PinJoint3D.new()
		pin.position = Vector3(0.5 * k, 0, 0)
		add_child(pin)
		pin.node_a = before.get_path()
		pin.node_b = load.get_path()
		before = load
	var highest := -10.0
	for step: int in 600:
		await steps()
		highest = maxf(highest, load.position.y + load.linear_velocity.length_squared() / (2.0 * GRAVITY))
	check(highest < 0.02, "highest by energy: %.3f m" % highest)
