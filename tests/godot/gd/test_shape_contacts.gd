extends "res://gd/physics_test.gd"
## Contacts of the shapes that are not solid: separation rays and height maps.


func ray_shape(length: float, slides: bool) -> SeparationRayShape3D:
	var shape := SeparationRayShape3D.new()
	shape.length = length
	shape.slide_on_slope = slides
	return shape


func height_map(heights: PackedFloat32Array, width: int) -> HeightMapShape3D:
	var shape := HeightMapShape3D.new()
	shape.map_width = width
	shape.map_depth = heights.size() / width
	shape.map_data = heights
	return shape


func down() -> Basis:
	return Basis(Vector3.RIGHT, PI / 2)


func test_a_body_stands_on_its_separation_ray() -> void:
	floor_body()
	for slides in [false, true]:
		var body := rigid(sphere(0.2), Vector3(4.0 if slides else 0.0, 1.5, 0), {"lock_rotation": true})
		body.add_child(collision_shape(ray_shape(1.0, slides), Transform3D(down(), Vector3.ZERO)))
		await steps(150)
		check_near(body.position.y, 1.0, 0.02, "height on a ray, slide_on_slope %s" % slides)


func test_bodies_lie_on_a_height_map_and_fall_through_its_holes() -> void:
	var heights := PackedFloat32Array()
	for z in 9:
		for x in 9:
			heights.append(NAN if x == 4 and z == 4 else 0.5)
	fixed(height_map(heights, 9))
	var held := rigid(sphere(0.2), Vector3(2.5, 1.5, 2.5))
	var through := rigid(sphere(0.2), Vector3(0, 1.5, 0))
	await steps(120)
	check_near(held.position.y, 0.7, 0.02, "height on the map")
	check(through.position.y < 0.0, "the hole lets it through: y = %s" % through.position.y)


func test_a_scaled_height_map() -> void:
	var heights := PackedFloat32Array()
	for k in 25:
		heights.append(1.0)
	var body := StaticBody3D.new()
	body.add_child(collision_shape(height_map(heights, 5), Transform3D(Basis.from_scale(Vector3(2, 0.5, 3)), Vector3.ZERO)))
	add_child(body)
	var ball := rigid(sphere(0.2), Vector3(3.5, 1.5, 5.0))
	await steps(120)
	check_near(ball.position.y, 0.7, 0.02, "height on the map of half the height")
