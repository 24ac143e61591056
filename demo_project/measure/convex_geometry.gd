extends RefCounted
## A convex shape, described apart from any physics engine: the hull of a few points, swept by a sphere of `radius` [m].
##
## A sphere is one point, a capsule two, a box eight. With it the run measures what the engine did from outside, by one
## exact rule for all engines: the signed distance of two convex shapes is the largest separation over all directions,
## and that is reached in one of finitely many directions (separating axis theorem).

const EPSILON := 1e-5

## Corners, in the shape's own frame [m].
var points := PackedVector3Array()
## How far the surface lies outside the hull of the points [m].
var radius := 0.0
## Unit normals of the faces, one for each pair of opposite directions.
var face_normals := PackedVector3Array()
## Ends of the edges, two by two [m].
var edges := PackedVector3Array()
## Directions of the edges, without repeats.
var edge_directions := PackedVector3Array()
## Radius of a sphere about the origin that holds the shape [m].
var bounding_radius := 0.0
## Volume [m^3].
var volume := 0.0
## Second moments of the volume about the origin: integral of x*x, y*y, z*z over the shape, divided by volume [m^2].
## The shapes used here are symmetric about their axes or nearly so; products of inertia are left out.
var second_moments := Vector3.ZERO


static func sphere(sphere_radius: float) -> RefCounted:
	var geometry := new()
	geometry.points = PackedVector3Array([Vector3.ZERO])
	geometry.radius = sphere_radius
	geometry.volume = 4.0 / 3.0 * PI * sphere_radius ** 3
	geometry.second_moments = Vector3.ONE * sphere_radius ** 2 / 5.0
	geometry._finish()
	return geometry


## `height` is the total height, as in Godot [m].
static func capsule(capsule_radius: float, height: float) -> RefCounted:
	var geometry := new()
	var half := height / 2.0 - capsule_radius
	var r := capsule_radius
	geometry.points = PackedVector3Array([Vector3(0, half, 0), Vector3(0, -half, 0)])
	geometry.edges = geometry.points.duplicate()
	geometry.edge_directions = PackedVector3Array([Vector3.UP])
	geometry.radius = r
	var cylinder := PI * r * r * 2.0 * half
	var ball := 4.0 / 3.0 * PI * r ** 3
	geometry.volume = cylinder + ball
	var across := cylinder * r * r / 4.0 + ball * r * r / 5.0
	# Half balls have their centre 3/8 r away from their flat side.
	var along := cylinder * half * half / 3.0 + ball * (r * r / 5.0 + half * half + 0.75 * half * r)
	geometry.second_moments = Vector3(across, along, across) / geometry.volume
	geometry._finish()
	return geometry


static func box(size: Vector3) -> RefCounted:
	var geometry := new()
	var half := size / 2.0
	for corner: int in 8:
		geometry.points.append(half * _corner_signs(corner))
	for axis: int in 3:
		var direction := Vector3.ZERO
		direction[axis] = 1.0
		geometry.face_normals.append(direction)
		geometry.edge_directions.append(direction)
		for corner: int in 8:
			if corner & (1 << axis) == 0:
				geometry.edges.append(geometry.points[corner])
				geometry.edges.append(geometry.points[corner | (1 << axis)])
	geometry.volume = size.x * size.y * size.z
	geometry.second_moments = size * size / 12.0
	geometry._finish()
	return geometry


## The convex hull of `hull_points`, found by trying every plane through three of them: for a dozen points, not for more.
static func hull(hull_points: PackedVector3Array) -> RefCounted:
	var geometry := new()
	geometry.points = hull_points
	var planes: Array[Plane] = []
	for i: int in hull_points.size():
		for j: int in range(i + 1, hull_points.size()):
			for k: int in range(j + 1, hull_points.size()):
				geometry._add_face(planes, i, j, k)
	geometry._find_edges(planes)
	geometry._integrate(planes)
	geometry._finish()
	return geometry


static func _corner_signs(corner: int) -> Vector3:
	return Vector3(1 if corner & 1 else -1, 1 if corner & 2 else -1, 1 if corner & 4 else -1)


func _add_face(planes: Array[Plane], i: int, j: int, k: int) -> void:
	var normal := (points[j] - points[i]).cross(points[k] - points[i])
	if normal.length() < EPSILON:
		return
	var plane := Plane(normal.normalized(), points[i])
	var above := 0
	var below := 0
	for point: Vector3 in points:
		var distance := plane.distance_to(point)
		above += int(distance > EPSILON)
		below += int(distance < -EPSILON)
	if above > 0 and below > 0:
		return
	if above > 0:
		plane = -plane
	for known: Plane in planes:
		if known.normal.dot(plane.normal) > 1.0 - EPSILON:
			return
	planes.append(plane)
	_add_direction(face_normals, plane.normal)


func _find_edges(planes: Array[Plane]) -> void:
	for i: int in points.size():
		for j: int in range(i + 1, points.size()):
			var shared := 0
			for plane: Plane in planes:
				shared += int(absf(plane.distance_to(points[i])) < EPSILON and absf(plane.distance_to(points[j])) < EPSILON)
			if shared >= 2:
				edges.append(points[i])
				edges.append(points[j])
				_add_direction(edge_directions, (points[j] - points[i]).normalized())


## Volume and second moments, as the sum over tetrahedra from the origin to each face's triangles.
func _integrate(planes: Array[Plane]) -> void:
	for plane: Plane in planes:
		var ring := _corners_of_face(plane)
		for i: int in range(1, ring.size() - 1):
			var a := ring[0]
			var b := ring[i]
			var c := ring[i + 1]
			var tetrahedron := absf(a.dot(b.cross(c))) / 6.0
			volume += tetrahedron
			second_moments += tetrahedron / 20.0 * ((a + b + c) * (a + b + c) + a * a + b * b + c * c)
	second_moments /= volume


## The corners on `plane`, in order around it.
func _corners_of_face(plane: Plane) -> Array[Vector3]:
	var corners: Array[Vector3] = []
	for point: Vector3 in points:
		if absf(plane.distance_to(point)) < EPSILON:
			corners.append(point)
	var centre := Vector3.ZERO
	for corner: Vector3 in corners:
		centre += corner / corners.size()
	var axis := (corners[0] - centre).normalized()
	var other := plane.normal.cross(axis)
	corners.sort_custom(func(p: Vector3, q: Vector3) -> bool:
		return atan2((p - centre).dot(other), (p - centre).dot(axis)) < atan2((q - centre).dot(other), (q - centre).dot(axis)))
	return corners


## The faces as triangles, three corners each, for a mesh that is seen from outside.
func triangles() -> PackedVector3Array:
	var list := PackedVector3Array()
	var planes: Array[Plane] = []
	for normal: Vector3 in face_normals:
		for direction: Vector3 in [normal, -normal]:
			planes.append(Plane(direction, support(direction)))
	for plane: Plane in planes:
		var ring := _corners_of_face(plane)
		for i: int in range(1, ring.size() - 1):
			list.append_array([ring[0], ring[i + 1], ring[i]])
	return list


func _add_direction(list: PackedVector3Array, direction: Vector3) -> void:
	for known: Vector3 in list:
		if absf(known.dot(direction)) > 1.0 - EPSILON:
			return
	list.append(direction)


func _finish() -> void:
	for point: Vector3 in points:
		bounding_radius = maxf(bounding_radius, point.length() + radius)


## Moments of inertia about the shape's axes for `mass` [kg m^2].
func inertia(mass: float) -> Vector3:
	var m := second_moments
	return mass * Vector3(m.y + m.z, m.z + m.x, m.x + m.y)


## The furthest distance along `direction` [m], in the shape's frame.
func support(direction: Vector3) -> float:
	var furthest := -INF
	for point: Vector3 in points:
		furthest = maxf(furthest, point.dot(direction))
	return furthest + radius


## How deep the shape at `transform` lies behind `plane`, whose normal points to the free side [m]; negative outside.
func depth_behind_plane(transform: Transform3D, plane: Plane) -> float:
	return support(transform.basis.transposed() * -plane.normal) - (plane.distance_to(transform.origin))


## How deep two shapes lie in one another [m]; 0 if they do not.
func penetration(transform: Transform3D, other: RefCounted, other_transform: Transform3D) -> float:
	var offset := other_transform.origin - transform.origin
	var reach: float = bounding_radius + other.bounding_radius
	if offset.length_squared() >= reach * reach:
		return 0.0
	# Everything in this shape's frame.
	var relative := transform.affine_inverse() * other_transform
	var other_points: PackedVector3Array = relative * other.points
	var reach_radius: float = radius + other.radius
	var least := INF
	for axis: Vector3 in _axes(other, relative, other_points, reach_radius > 0.0):
		var depth := _overlap(axis, points, other_points) + reach_radius
		if depth <= 0.0:
			return 0.0
		least = minf(least, depth)
	return least


## Unit directions that may separate the shapes best.
func _axes(other: RefCounted, relative: Transform3D, other_points: PackedVector3Array, round_surface: bool) -> PackedVector3Array:
	var axes := face_normals.duplicate()
	for normal: Vector3 in other.face_normals:
		axes.append(relative.basis * normal)
	for mine: Vector3 in edge_directions:
		for theirs: Vector3 in other.edge_directions:
			_append_unit(axes, mine.cross(relative.basis * theirs))
	if not round_surface:
		return axes
	for mine: Vector3 in points:
		for theirs: Vector3 in other_points:
			_append_unit(axes, theirs - mine)
	_append_perpendiculars(axes, points, relative * other.edges)
	_append_perpendiculars(axes, other_points, edges)
	return axes


static func _append_perpendiculars(axes: PackedVector3Array, from_points: PackedVector3Array, segments: PackedVector3Array) -> void:
	for i: int in range(0, segments.size(), 2):
		var direction := (segments[i + 1] - segments[i]).normalized()
		for point: Vector3 in from_points:
			var towards := segments[i] - point
			_append_unit(axes, towards - direction * towards.dot(direction))


static func _append_unit(axes: PackedVector3Array, direction: Vector3) -> void:
	var length := direction.length()
	if length > 1e-4:
		axes.append(direction / length)


## How far the two sets of points overlap along `axis`, in the cheaper of its two directions [m].
static func _overlap(axis: Vector3, mine: PackedVector3Array, theirs: PackedVector3Array) -> float:
	var my_reach := _reach(axis, mine)
	var their_reach := _reach(axis, theirs)
	return minf(my_reach.y - their_reach.x, their_reach.y - my_reach.x)


## The least and the most of the points along `axis` [m].
static func _reach(axis: Vector3, of_points: PackedVector3Array) -> Vector2:
	var least := INF
	var most := -INF
	for point: Vector3 in of_points:
		var along := point.dot(axis)
		least = minf(least, along)
		most = maxf(most, along)
	return Vector2(least, most)
