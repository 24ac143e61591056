@tool
extends RefCounted
## Rules that find the traps of a scene: settings that Godot accepts and that physics punishes. Each rule is a function of the
## scene's root. They need neither the editor nor a running physics engine.

const Trap := preload("trap.gd")
const ShapeSize := preload("shape_size.gd")
const LARGEST_MASS_RATIO := 100.0
const SMALLEST := 0.01  ## [m]
const LARGEST := 1000.0  ## [m]
const TOUCHING := 0.05  ## Gap of bodies that count as stacked [m].
const TOLERANCE := 0.001


## All traps of a scene, in the order of the rules.
static func check(root: Node) -> Array[Trap]:
	var traps: Array[Trap] = []
	for rule: Callable in [scaled_bodies, stretched_shapes, mass_ratios_of_joints, mass_ratios_of_stacks, fast_and_thin,
			meshes_that_move, bodies_without_shape, bodies_on_no_layer, sizes_of_shapes, loose_joints]:
		traps.append_array(rule.call(root))
	return traps


## RigidBody3D with a scale, other bodies and areas with an uneven one.
static func scaled_bodies(root: Node) -> Array[Trap]:
	var traps: Array[Trap] = []
	for body: CollisionObject3D in _all(root, "CollisionObject3D"):
		var scale := body.scale
		if body is RigidBody3D and not scale.is_equal_approx(Vector3.ONE):
			var text := "A RigidBody3D is scaled by %s. Physics sets its scale back to 1 when it moves. Scale its shapes and meshes."
			var trap: Trap = Trap.found(body, "scaled body", text % _factors(scale))
			if _is_even(scale):
				_unscale(trap, body)
			traps.append(trap)
		elif not _is_even(scale):
			traps.append(Trap.found(body, "scaled body", "The body is scaled unevenly, by %s: shapes that are turned in it would be "
				% _factors(scale) + "sheared, which no engine supports. Scale its shapes and meshes."))
	return traps


## Moves an even scale from a body to its children.
static func _unscale(trap: Trap, body: Node3D) -> void:
	var label := "Scale its children instead"
	trap.with_change(body, "scale", Vector3.ONE, label)
	for child: Node in body.get_children():
		if child is Node3D:
			var placed := (child as Node3D).transform
			trap.with_change(child, "transform", Transform3D(placed.basis.scaled(body.scale), placed.origin * body.scale), label)


## CollisionShape3D with an uneven scale.
static func stretched_shapes(root: Node) -> Array[Trap]:
	var traps: Array[Trap] = []
	for node: CollisionShape3D in _all(root, "CollisionShape3D"):
		if node.shape == null or _is_even(node.scale):
			continue
		var text := "The shape's node is scaled unevenly, by %s: round shapes cannot be stretched. Change the size of the shape."
		var trap: Trap = Trap.found(node, "stretched shape", text % _factors(node.scale))
		if node.shape is BoxShape3D:
			var box := node.shape.duplicate() as BoxShape3D
			box.size *= node.scale.abs()
			trap.with_change(node, "shape", box, "Change the size of the box")
			trap.with_change(node, "scale", Vector3.ONE, "Change the size of the box")
		traps.append(trap)
	return traps


## Joints between bodies of very different masses.
static func mass_ratios_of_joints(root: Node) -> Array[Trap]:
	var traps: Array[Trap] = []
	for joint: Joint3D in _all(root, "Joint3D"):
		var a := joint.get_node_or_null(joint.node_a) as RigidBody3D
		var b := joint.get_node_or_null(joint.node_b) as RigidBody3D
		if a != null and b != null and _ratio(a, b) > LARGEST_MASS_RATIO:
			traps.append(_of_masses(joint, "masses at a joint", "The joint holds", a, b))
	return traps


## Heavy bodies that stand on light ones.
static func mass_ratios_of_stacks(root: Node) -> Array[Trap]:
	var traps: Array[Trap] = []
	var boxes: Array[Array] = []
	var bodies := _all(root, "RigidBody3D")
	var masses := bodies.map(func(body: RigidBody3D) -> float: return body.mass)
	if bodies.is_empty() or masses.max() <= LARGEST_MASS_RATIO * masses.min():
		return traps
	for body: RigidBody3D in bodies:
		var box := ShapeSize.bounds_of_body(body)
		if box.has_volume():
			boxes.append([body, box.grow(TOUCHING / 2.0)])
	boxes.sort_custom(func(a: Array, b: Array) -> bool: return a[1].position.x < b[1].position.x)
	for k: int in boxes.size():
		var box: AABB = boxes[k][1]
		for other: int in range(k + 1, boxes.size()):
			if boxes[other][1].position.x > box.end.x:
				break
			_add_stacked(traps, boxes[k], boxes[other])
	return traps


static func _add_stacked(traps: Array[Trap], one: Array, another: Array) -> void:
	var upper: Array = one if one[1].get_center().y > another[1].get_center().y else another
	var lower: Array = another if upper == one else one
	var heavy: RigidBody3D = upper[0]
	var light: RigidBody3D = lower[0]
	if heavy.mass > LARGEST_MASS_RATIO * light.mass and one[1].intersects(another[1]):
		traps.append(_of_masses(light, "masses in a stack", "The body carries another:", heavy, light))


static func _of_masses(at: Node, rule: String, text: String, a: RigidBody3D, b: RigidBody3D) -> Trap:
	var light := a if a.mass < b.mass else b
	var heavy := b if light == a else a
	var said := "%s %s (%s kg) and %s (%s kg). Solvers converge slowly at such ratios: joints stretch and stacks sway." % [
		text, heavy.name, _number(heavy.mass), light.name, _number(light.mass)]
	var mass := heavy.mass / LARGEST_MASS_RATIO
	return Trap.found(at, rule, said).with_change(light, "mass", mass, "Give %s %s kg" % [light.name, _number(mass)])


## Bodies that begin so fast that they pass through thin ones within a tick.
static func fast_and_thin(root: Node) -> Array[Trap]:
	var traps: Array[Trap] = []
	var ticks: int = ProjectSettings.get_setting("physics/common/physics_ticks_per_second", 60)
	for body: RigidBody3D in _all(root, "RigidBody3D"):
		var box := ShapeSize.bounds_of_body(body)
		var way := body.linear_velocity.length() / ticks
		var thickness := minf(box.size.x, minf(box.size.y, box.size.z))
		if body.continuous_cd or thickness <= 0.0 or way <= thickness / 2.0:
			continue
		var text := "The body moves %s m a tick and is %s m thick. Without continuous_cd other engines let it pass through thin walls, "
		text += "and Scree, which sweeps every fast body, looks ahead half as early."
		traps.append(Trap.found(body, "fast and thin", text % [_number(way), _number(thickness)])
			.with_change(body, "continuous_cd", true, "Turn on continuous_cd"))
	return traps


## Meshes, height maps and planes as shapes of bodies that move.
static func meshes_that_move(root: Node) -> Array[Trap]:
	var traps: Array[Trap] = []
	for body: PhysicsBody3D in _all(root, "PhysicsBody3D"):
		if not (body is RigidBody3D or body is CharacterBody3D or body is PhysicalBone3D):
			continue
		for node: CollisionShape3D in ShapeSize.collision_shapes(body):
			var shape := node.shape
			if not (shape is ConcavePolygonShape3D or shape is HeightMapShape3D or shape is WorldBoundaryShape3D):
				continue
			var text := "%s on a body that moves: it is hollow, has no volume and no mass. Take convex shapes."
			var trap: Trap = Trap.found(node, "mesh that moves", text % shape.get_class())
			if shape is ConcavePolygonShape3D:
				trap.with_change(node, "shape", _hull_of(shape), "Take its convex hull")
			traps.append(trap)
	return traps


static func _hull_of(mesh: ConcavePolygonShape3D) -> ConvexPolygonShape3D:
	var corners := {}
	for corner: Vector3 in mesh.get_faces():
		corners[corner] = true
	var hull := ConvexPolygonShape3D.new()
	hull.points = PackedVector3Array(corners.keys())
	return hull


## Bodies and areas that touch nothing because they have no shape.
static func bodies_without_shape(root: Node) -> Array[Trap]:
	var traps: Array[Trap] = []
	for body: CollisionObject3D in _all(root, "CollisionObject3D"):
		var count := 0
		for owner: int in body.get_shape_owners():
			count += body.shape_owner_get_shape_count(owner)
		if count == 0:
			traps.append(Trap.found(body, "no shape", "The body has no shape: it touches nothing. Add a CollisionShape3D with a shape."))
	return traps


## Bodies and areas that touch nothing because they are on no layer and look at none.
static func bodies_on_no_layer(root: Node) -> Array[Trap]:
	var traps: Array[Trap] = []
	for body: CollisionObject3D in _all(root, "CollisionObject3D"):
		if body.collision_layer == 0 and body.collision_mask == 0:
			traps.append(Trap.found(body, "no layer", "Collision layer and mask are empty: the body touches nothing, and no ray hits it.")
				.with_change(body, "collision_layer", 1, "Put it on layer 1")
				.with_change(body, "collision_mask", 1, "Put it on layer 1"))
	return traps


## Shapes that are so small or so large that the numbers of physics lose their accuracy.
static func sizes_of_shapes(root: Node) -> Array[Trap]:
	var traps: Array[Trap] = []
	for body: CollisionObject3D in _all(root, "CollisionObject3D"):
		for pair: Array in ShapeSize.shapes_of(body):
			var size: Vector3 = pair[1].size
			var least := minf(size.x, minf(size.y, size.z))
			var most := maxf(size.x, maxf(size.y, size.z))
			if least < SMALLEST:
				traps.append(Trap.found(pair[0], "size", "The shape is only %s m thick: other bodies pass through it, and it rests badly. "
					% _number(least) + "1 cm is a good least size."))
			elif most > LARGEST and not body is StaticBody3D:
				traps.append(Trap.found(pair[0], "size", "The shape is %s m long: contacts at its ends are inaccurate. Use several "
					% _number(most) + "shapes, or units of a metre."))
	return traps


## Joints that hold nothing.
static func loose_joints(root: Node) -> Array[Trap]:
	var traps: Array[Trap] = []
	for joint: Joint3D in _all(root, "Joint3D"):
		var text := ""
		for path: NodePath in [joint.node_a, joint.node_b]:
			if not path.is_empty() and not joint.get_node_or_null(path) is PhysicsBody3D:
				text = "The joint names %s, which is no physics body." % path
		if joint.node_a.is_empty() and joint.node_b.is_empty():
			text = "The joint names no body: set node_a or node_b. With one of them empty it holds the other body to the world."
		elif text.is_empty() and joint.node_a == joint.node_b:
			text = "The joint names the same body twice."
		if text:
			traps.append(Trap.found(joint, "loose joint", text))
	return traps


static func _all(root: Node, kind: String) -> Array[Node]:
	var found := root.find_children("*", kind, true, false)
	if root.is_class(kind):
		found.push_front(root)
	return found


static func _is_even(scale: Vector3) -> bool:
	var size := scale.abs()
	var most := maxf(size.x, maxf(size.y, size.z))
	return most - minf(size.x, minf(size.y, size.z)) <= TOLERANCE * most


static func _ratio(a: RigidBody3D, b: RigidBody3D) -> float:
	return maxf(a.mass, b.mass) / minf(a.mass, b.mass)


static func _factors(scale: Vector3) -> String:
	return "%s, %s, %s" % [_number(scale.x), _number(scale.y), _number(scale.z)]


static func _number(value: float) -> String:
	return String.num(value, 3).trim_suffix(".0")
