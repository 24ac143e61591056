extends MeshInstance3D
## The tube that draws a rope, and the line along which it is laid at first.

const SIDES := 8
## Rings of the tube for each rod: a smooth curve through the joints.
const RINGS := 3
## Parts of the curve of a slack rope.
const PARTS := 128

var _mesh := ArrayMesh.new()
# The last points: a rope at rest is not drawn anew.
var _points := PackedVector3Array()


func _init() -> void:
	mesh = _mesh
	top_level = true
	physics_interpolation_mode = Node.PHYSICS_INTERPOLATION_MODE_OFF


## Points equally far apart along a rope between two points that hangs down if it is longer than that is far.
static func evenly(
	from: Vector3, to: Vector3, whole: float, rod: float, most: int, down: Vector3
) -> PackedVector3Array:
	var line := _hanging(from, to, maxf(whole, from.distance_to(to)), down)
	var arc := _length_of(line)
	var count := clampi(ceili(arc / rod - 1e-6), 1, most)
	var short := 0.0
	var long := arc / count
	for _k: int in 40:
		var middle := 0.5 * (short + long)
		if _walk(line, middle, count).size() > count:
			short = middle
		else:
			long = middle
	return _walk(line, short, count)


## A parabola of a length, which is close to the curve of a rope; a straight line if there is nothing to hang.
static func _hanging(from: Vector3, to: Vector3, whole: float, down: Vector3) -> PackedVector3Array:
	if whole <= from.distance_to(to) * 1.0001:
		return PackedVector3Array([from, to])
	var least := 0.0
	var most := whole
	for _k: int in 40:
		var sag := 0.5 * (least + most)
		if _length_of(_parabola(from, to, down * sag)) < whole:
			least = sag
		else:
			most = sag
	return _parabola(from, to, down * least)


static func _parabola(from: Vector3, to: Vector3, sag: Vector3) -> PackedVector3Array:
	var line := PackedVector3Array()
	for k: int in PARTS + 1:
		var part := float(k) / PARTS
		line.append(from.lerp(to, part) + sag * (4.0 * part * (1.0 - part)))
	return line


static func _length_of(line: PackedVector3Array) -> float:
	var sum := 0.0
	for k: int in line.size() - 1:
		sum += line[k].distance_to(line[k + 1])
	return sum


## Points on a line, each a step away from the one before: one more than `count` if the line is long enough.
static func _walk(line: PackedVector3Array, step: float, count: int) -> PackedVector3Array:
	var points := PackedVector3Array([line[0]])
	var index := 0
	var along := 0.0
	while points.size() <= count and index < line.size() - 1:
		var way := line[index + 1] - line[index]
		var back := line[index] - points[-1]
		var square := way.length_squared()
		var half := way.dot(back)
		var root := half * half - square * (back.length_squared() - step * step)
		var found := (sqrt(root) - half) / square if square > 0.0 and root >= 0.0 else 2.0
		if found >= along and found <= 1.0:
			along = found
			points.append(line[index] + found * way)
		else:
			index += 1
			along = 0.0
	return points


## Draws a tube through points, global.
func draw(points: PackedVector3Array, radius: float) -> void:
	if points == _points:
		return
	_points = points.duplicate()
	_mesh.clear_surfaces()
	global_transform = Transform3D(Basis.IDENTITY, points[0])
	var vertices := PackedVector3Array()
	var normals := PackedVector3Array()
	var indices := PackedInt32Array()
	_add_tube(_smooth(points, points[0]), radius, vertices, normals, indices)
	var arrays := []
	arrays.resize(Mesh.ARRAY_MAX)
	arrays[Mesh.ARRAY_VERTEX] = vertices
	arrays[Mesh.ARRAY_NORMAL] = normals
	arrays[Mesh.ARRAY_INDEX] = indices
	_mesh.add_surface_from_arrays(Mesh.PRIMITIVE_TRIANGLES, arrays)


## A curve through points (Catmull and Rom), relative to an origin.
func _smooth(points: PackedVector3Array, origin: Vector3) -> PackedVector3Array:
	var curve := PackedVector3Array()
	var last := points.size() - 1
	for k: int in last:
		for ring: int in RINGS:
			curve.append(
				points[k].cubic_interpolate(points[k + 1], points[maxi(k - 1, 0)], points[mini(k + 2, last)], float(ring) / RINGS)
				- origin
			)
	curve.append(points[last] - origin)
	return curve


func _add_tube(
	curve: PackedVector3Array, radius: float, vertices: PackedVector3Array, normals: PackedVector3Array, indices: PackedInt32Array
) -> void:
	var side := curve[0].direction_to(curve[1]).cross(Vector3.RIGHT)
	if side.length_squared() < 0.01:
		side = curve[0].direction_to(curve[1]).cross(Vector3.UP)
	for k: int in curve.size():
		var along := curve[maxi(k - 1, 0)].direction_to(curve[mini(k + 1, curve.size() - 1)])
		side = (side - along * side.dot(along)).normalized() # the frame turns no more than the curve
		var other := along.cross(side)
		for step: int in SIDES:
			var angle := TAU * step / SIDES
			var normal := cos(angle) * side + sin(angle) * other
			normals.append(normal)
			vertices.append(curve[k] + radius * normal)
	for k: int in curve.size() - 1:
		for step: int in SIDES:
			var a := k * SIDES + step
			var b := k * SIDES + (step + 1) % SIDES
			indices.append_array([a, a + SIDES, b, b, a + SIDES, b + SIDES])
