@tool
extends RefCounted
## Sizes of shapes, without a physics engine.


## Bounds of a shape in its own frame [m]; an empty box for shapes without bounds of their own (planes, rays, meshes, heights).
static func bounds_of(shape: Shape3D) -> AABB:
	var half := Vector3.ZERO
	if shape is BoxShape3D:
		half = (shape as BoxShape3D).size / 2.0
	elif shape is SphereShape3D:
		half = Vector3.ONE * (shape as SphereShape3D).radius
	elif shape is CapsuleShape3D:
		var capsule := shape as CapsuleShape3D
		half = Vector3(capsule.radius, capsule.height / 2.0, capsule.radius)
	elif shape is CylinderShape3D:
		var cylinder := shape as CylinderShape3D
		half = Vector3(cylinder.radius, cylinder.height / 2.0, cylinder.radius)
	elif shape is ConvexPolygonShape3D:
		return bounds_of_points((shape as ConvexPolygonShape3D).points)
	return AABB(-half, 2.0 * half)


static func bounds_of_points(points: PackedVector3Array) -> AABB:
	if points.is_empty():
		return AABB()
	var box := AABB(points[0], Vector3.ZERO)
	for point: Vector3 in points:
		box = box.expand(point)
	return box


## The shapes of a body with bounds: pairs of a CollisionShape3D and its bounds in the frame of the scene [m].
static func shapes_of(body: CollisionObject3D) -> Array[Array]:
	var found: Array[Array] = []
	for node: CollisionShape3D in collision_shapes(body):
		if node.shape != null and not node.disabled:
			var box := bounds_of(node.shape)
			if box.size != Vector3.ZERO:
				found.append([node, _placed(node) * box])
	return found


static func collision_shapes(body: CollisionObject3D) -> Array[CollisionShape3D]:
	var found: Array[CollisionShape3D] = []
	for child: Node in body.get_children():
		if child is CollisionShape3D:
			found.append(child)
	return found


## Bounds of all shapes of a body in the frame of the scene [m]; without a volume if it has none.
static func bounds_of_body(body: CollisionObject3D) -> AABB:
	var all := AABB()
	for pair: Array in shapes_of(body):
		var box: AABB = pair[1]
		all = all.merge(box) if all.has_volume() else box
	return all


## The transform of a node in the scene, in or out of the tree.
static func _placed(node: Node3D) -> Transform3D:
	var placed := node.transform
	var parent := node.get_parent()
	while parent is Node3D and not node.top_level:
		placed = (parent as Node3D).transform * placed
		parent = parent.get_parent()
	return placed
