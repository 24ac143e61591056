extends "res://gd/physics_test.gd"
## The ruler of the demo project: penetration, volume and inertia of convex shapes, against formulas.

const ConvexGeometry = preload("res://measure/convex_geometry.gd")


func _at(origin: Vector3, basis: Basis = Basis.IDENTITY) -> Transform3D:
	return Transform3D(basis, origin)


func _box_hull_geometry(size: Vector3) -> ConvexGeometry:
	return ConvexGeometry.hull(box_hull(size).points)


func test_penetration_of_spheres_is_radii_less_distance() -> void:
	var ball: ConvexGeometry = ConvexGeometry.sphere(0.5)
	check_near(ball.penetration(_at(Vector3.ZERO), ball, _at(Vector3(0.6, 0.64, 0).normalized() * 0.9)), 0.1, 1e-5, "deep")
	check_equal(ball.penetration(_at(Vector3.ZERO), ball, _at(Vector3(1.01, 0, 0))), 0.0, "apart")


func test_penetration_of_boxes() -> void:
	for cube: ConvexGeometry in [ConvexGeometry.box(Vector3.ONE), _box_hull_geometry(Vector3.ONE)]:
		check_near(cube.penetration(_at(Vector3.ZERO), cube, _at(Vector3(0.2, 0.97, 0.1))), 0.03, 1e-5, "face on face")
		var turned := Basis(Vector3.BACK, PI / 4.0)
		check_near(cube.penetration(_at(Vector3.ZERO), cube, _at(Vector3(0, 0.5 + sqrt(0.5) - 0.02, 0), turned)), 0.02,
			1e-5, "edge on face")
		# Two edges that cross at right angles, both boxes standing on an edge.
		var other := Basis(Vector3.RIGHT, PI / 4.0)
		check_near(cube.penetration(_at(Vector3.ZERO, turned), cube, _at(Vector3(0, sqrt(2.0) - 0.01, 0), other)), 0.01,
			1e-5, "edge on edge")
		check_equal(cube.penetration(_at(Vector3.ZERO, turned), cube, _at(Vector3(0, sqrt(2.0) + 0.01, 0), other)), 0.0, "apart")


func test_penetration_of_a_sphere_in_face_edge_and_corner_of_a_box() -> void:
	for cube: ConvexGeometry in [ConvexGeometry.box(Vector3.ONE), _box_hull_geometry(Vector3.ONE)]:
		var ball: ConvexGeometry = ConvexGeometry.sphere(0.3)
		check_near(cube.penetration(_at(Vector3.ZERO), ball, _at(Vector3(0, 0.75, 0.1))), 0.05, 1e-5, "face")
		var edge := Vector3(0.5, 0.5, 0.1) + Vector3(1, 1, 0).normalized() * 0.25
		check_near(cube.penetration(_at(Vector3.ZERO), ball, _at(edge)), 0.05, 1e-5, "edge")
		var corner := Vector3.ONE * 0.5 + Vector3.ONE.normalized() * 0.25
		check_near(cube.penetration(_at(Vector3.ZERO), ball, _at(corner)), 0.05, 1e-5, "corner")
		check_near(ball.penetration(_at(corner), cube, _at(Vector3.ZERO)), 0.05, 1e-5, "the other way round")
		check_equal(cube.penetration(_at(Vector3.ZERO), ball, _at(corner * 1.1)), 0.0, "apart")


func test_penetration_of_capsules() -> void:
	var pill: ConvexGeometry = ConvexGeometry.capsule(0.5, 3.0)
	check_near(pill.penetration(_at(Vector3.ZERO), pill, _at(Vector3(0.9, 0.3, 0))), 0.1, 1e-5, "side by side")
	var lying := Basis(Vector3.RIGHT, PI / 2.0)
	check_near(pill.penetration(_at(Vector3.ZERO), pill, _at(Vector3(0.96, 0, 0), lying)), 0.04, 1e-5, "crossed")
	check_near(pill.penetration(_at(Vector3.ZERO), pill, _at(Vector3(0, 2.95, 0))), 0.05, 1e-5, "end to end")
	var cube: ConvexGeometry = ConvexGeometry.box(Vector3.ONE * 2.0)
	check_near(pill.penetration(_at(Vector3(0, 1.48, 0), lying), cube, _at(Vector3.ZERO)), 0.02, 1e-5, "lying on a box")


func test_depth_behind_a_plane() -> void:
	var cube: ConvexGeometry = ConvexGeometry.box(Vector3.ONE)
	var ground := Plane(Vector3.UP, 0.0)
	check_near(cube.depth_behind_plane(_at(Vector3(3, 0.49, 0)), ground), 0.01, 1e-5, "flat")
	check_near(cube.depth_behind_plane(_at(Vector3(0, 0.7, 0), Basis(Vector3.BACK, PI / 4.0)), ground), sqrt(0.5) - 0.7, 1e-5, "on edge")
	check(cube.depth_behind_plane(_at(Vector3(0, 2, 0)), ground) < 0.0, "above")


func test_volume_and_inertia_of_hulls() -> void:
	var size := Vector3(1, 2, 3)
	var cuboid := _box_hull_geometry(size)
	check_near(cuboid.volume, 6.0, 1e-4, "volume of a box as a hull")
	check_near(cuboid.inertia(12.0), Vector3(13, 10, 5), 1e-3, "its inertia: m / 12 (b^2 + c^2)")
	check_near(ConvexGeometry.box(size).inertia(12.0), Vector3(13, 10, 5), 1e-4, "a box's")
	var gem: ConvexGeometry = ConvexGeometry.hull(octahedron(1.0).points)
	check_near(gem.volume, 4.0 / 3.0, 1e-5, "volume of an octahedron")
	check_near(gem.inertia(10.0), Vector3.ONE * 2.0, 1e-4, "its inertia: m a^2 / 5")
	check_near(ConvexGeometry.sphere(2.0).inertia(5.0), Vector3.ONE * 8.0, 1e-4, "a sphere's: 2/5 m r^2")
	check_equal(gem.triangles().size(), 24, "corners of its eight triangles")
