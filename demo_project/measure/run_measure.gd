extends RefCounted
## Measures the result of a run from outside: from known shapes and the transforms that the engine reports, by the same
## exact geometry for every engine. Asking an engine's own queries instead would
## measure it with its own ruler (rounded edges, margins).

const BodySet = preload("res://scripts/body_set.gd")
const Bin = preload("res://scripts/bin.gd")


## Figures of `bodies` in `bin` (null where the scene has none). The deepest penetration of thousands of hulls takes a minute;
## it is -1 without `with_depth`.
static func figures(bodies: BodySet, bin: Bin, with_depth: bool) -> Dictionary:
	var transforms := transforms_of(bodies)
	var deepest := -1.0
	if with_depth:
		deepest = maxf(_deepest_pair(bodies, transforms), deepest_in_bin(bodies, transforms, bin))
	return {
		"asleep": _count(bodies, func(index: int) -> bool: return bodies.is_asleep(index)),
		"lost": _count(bodies, func(index: int) -> bool: return _is_lost(transforms[index], bin)),
		"deepest_penetration": deepest,
		"kinetic_energy_per_body": kinetic_energy(bodies, transforms) / maxi(bodies.size(), 1),
		"mean_speed": _mean_speed(bodies),
		"height": _height(transforms),
		"top": _top(transforms),
	}


static func transforms_of(bodies: BodySet) -> Array[Transform3D]:
	var transforms: Array[Transform3D] = []
	for index: int in bodies.size():
		transforms.append(bodies.transform_of(index))
	return transforms


static func _count(bodies: BodySet, condition: Callable) -> int:
	var count := 0
	for index: int in bodies.size():
		count += int(condition.call(index))
	return count


static func _is_lost(transform: Transform3D, bin: Bin) -> bool:
	return not transform.is_finite() or (bin != null and not bin.holds(transform.origin))


## The sum of m v^2 / 2 and w I w / 2 [J].
static func kinetic_energy(bodies: BodySet, transforms: Array[Transform3D]) -> float:
	var energy := 0.0
	for index: int in bodies.size():
		var form := bodies.form(index)
		var angular := transforms[index].basis.transposed() * bodies.angular_velocity_of(index)
		energy += form.mass * bodies.linear_velocity_of(index).length_squared() / 2.0
		energy += angular.dot(form.geometry.inertia(form.mass) * angular) / 2.0
	return energy


## [m/s]
static func _mean_speed(bodies: BodySet) -> float:
	var sum := 0.0
	for index: int in bodies.size():
		sum += bodies.linear_velocity_of(index).length()
	return sum / maxi(bodies.size(), 1)


## The 99th percentile of the heights of the centres [m].
static func _height(transforms: Array[Transform3D]) -> float:
	var heights: Array[float] = []
	for transform: Transform3D in transforms:
		heights.append(transform.origin.y)
	heights.sort()
	return heights[int(0.99 * (heights.size() - 1))] if not heights.is_empty() else 0.0


## The height of the highest centre [m].
static func _top(transforms: Array[Transform3D]) -> float:
	return transforms.reduce(func(top: float, at: Transform3D) -> float: return maxf(top, at.origin.y), -INF)


## How deep the deepest body lies behind a plane of the bin [m].
static func deepest_in_bin(bodies: BodySet, transforms: Array[Transform3D], bin: Bin) -> float:
	var deepest := 0.0
	if bin == null:
		return deepest
	for plane: Plane in bin.planes():
		for index: int in bodies.size():
			deepest = maxf(deepest, bodies.form(index).geometry.depth_behind_plane(transforms[index], plane))
	return deepest


static func _deepest_pair(bodies: BodySet, transforms: Array[Transform3D]) -> float:
	var depths := overlaps(bodies, transforms)
	return Array(depths).max() if not depths.is_empty() else 0.0


## How deep bodies lie in one another, pair by pair [m]: of all pairs, or only of those whose later body is one of every `stride`.
## Every pair whose bounding spheres may touch is found through a grid of cells as wide as the widest body.
static func overlaps(bodies: BodySet, transforms: Array[Transform3D], stride: int = 1) -> PackedFloat64Array:
	var cell := 0.1
	for form: BodySet.BodyForm in bodies.forms:
		cell = maxf(cell, 2.0 * form.geometry.bounding_radius)
	var grid := {}
	var depths := PackedFloat64Array()
	for index: int in bodies.size():
		if not transforms[index].is_finite():
			continue
		var at := Vector3i((transforms[index].origin / cell).floor())
		for neighbour: int in 27 if index % stride == 0 else 0:
			var offset := Vector3i(neighbour % 3 - 1, (neighbour / 3) % 3 - 1, neighbour / 9 - 1)
			for other: int in grid.get(at + offset, []):
				if bodies.apart.has(Vector2i(other, index)):
					continue
				var depth: float = bodies.form(index).geometry.penetration(
						transforms[index], bodies.form(other).geometry, transforms[other])
				if depth > 0.0:
					depths.append(depth)
		if not grid.has(at):
			grid[at] = []
		grid[at].append(index)
	return depths
