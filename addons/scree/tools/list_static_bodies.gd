extends SceneTree
## Lists the static bodies and streaming scenes of a Godot scene for `scree bake`: one JSON object a line.
##
## godot --headless --path PROJECT -s res://addons/scree/tools/list_static_bodies.gd -- --scene=res://X.tscn --out=FILE

var _file: FileAccess
var _shapes: Dictionary[Shape3D, int] = {}
var _held: Dictionary[Node, String] = {} # bodies that a joint names: the joint's path


func _initialize() -> void:
	var options := {}
	for argument: String in OS.get_cmdline_user_args():
		options[argument.get_slice("=", 0)] = argument.substr(argument.find("=") + 1)
	var packed: PackedScene = load(options["--scene"]) if ResourceLoader.exists(options["--scene"]) else null
	_file = FileAccess.open(options["--out"], FileAccess.WRITE)
	if packed == null or _file == null:
		printerr("scree bake: cannot open the scene %s" % options["--scene"])
		quit(1)
		return
	var scene := packed.instantiate()
	_find_held(scene, scene)
	_look(scene, Transform3D.IDENTITY, "")
	scene.free()
	_write({"end": true})
	_file.close()
	quit(0)


func _write(row: Dictionary) -> void:
	_file.store_line(JSON.stringify(row, "", true, true))


func _look(node: Node, above: Transform3D, path: String) -> void:
	var here := above
	var name := path.path_join(node.name) if path != "" else String(node.name)
	if node is Node3D:
		here = (node as Node3D).transform if (node as Node3D).top_level else above * (node as Node3D).transform
	if node.get_script() != null and "encounter_radius" in node and "activation_radius" in node:
		_write({"scene": name, "path": node.get("scene"), "position": _numbers(here.origin),
			"encounter_radius": node.get("encounter_radius"), "activation_radius": node.get("activation_radius")})
	if node is StaticBody3D and not node is AnimatableBody3D:
		_list_body(node as StaticBody3D, here, name)
	for child: Node in node.get_children():
		_look(child, here, name)


## A joint needs the node of its body, and a streamed body has none and goes.
func _find_held(node: Node, scene: Node) -> void:
	if node is Joint3D:
		for end: NodePath in [(node as Joint3D).node_a, (node as Joint3D).node_b]:
			var body := node.get_node_or_null(end) if not end.is_empty() else null
			if body != null:
				_held[body] = String(scene.get_path_to(node))
	for child: Node in node.get_children():
		_find_held(child, scene)


func _list_body(body: StaticBody3D, here: Transform3D, path: String) -> void:
	if body in _held:
		printerr("scree bake: %s is held by the joint %s and is left out: it stays a node" % [path, _held[body]])
		return
	var parts: Array = []
	for child: Node in body.get_children():
		if child is CollisionShape3D and not (child as CollisionShape3D).disabled and (child as CollisionShape3D).shape != null:
			parts.append([_shape((child as CollisionShape3D).shape), _transform((child as CollisionShape3D).transform)])
		elif child is CollisionPolygon3D:
			printerr("scree bake: %s is a CollisionPolygon3D and is left out: give it a shape" % path.path_join(child.name))
	if parts.is_empty():
		return
	var material := body.physics_material_override
	_write({"body": path, "transform": _transform(here), "shapes": parts, "layer": body.collision_layer,
		"mask": body.collision_mask, "velocity": _numbers(body.constant_linear_velocity),
		"friction": _friction(material),
		"bounce": _bounce(material)})


func _friction(material: PhysicsMaterial) -> float:
	if material == null:
		return 1.0
	return -material.friction if material.rough else material.friction


func _bounce(material: PhysicsMaterial) -> float:
	if material == null:
		return 0.0
	return -material.bounce if material.absorbent else material.bounce


func _shape(shape: Shape3D) -> int:
	if shape in _shapes:
		return _shapes[shape]
	var row := {"shape": _shapes.size(), "kind": shape.get_class()}
	if shape is BoxShape3D:
		row["size"] = _numbers((shape as BoxShape3D).size)
	elif shape is SphereShape3D:
		row["radius"] = (shape as SphereShape3D).radius
	elif shape is CapsuleShape3D:
		row.merge({"radius": (shape as CapsuleShape3D).radius, "height": (shape as CapsuleShape3D).height})
	elif shape is CylinderShape3D:
		row.merge({"radius": (shape as CylinderShape3D).radius, "height": (shape as CylinderShape3D).height})
	elif shape is ConvexPolygonShape3D:
		row["points"] = _many((shape as ConvexPolygonShape3D).points)
	elif shape is ConcavePolygonShape3D:
		row.merge({"faces": _many((shape as ConcavePolygonShape3D).get_faces()),
			"backface": (shape as ConcavePolygonShape3D).backface_collision})
	elif shape is HeightMapShape3D:
		var map := shape as HeightMapShape3D
		row.merge({"width": map.map_width, "depth": map.map_depth, "heights": Array(map.map_data)})
	_shapes[shape] = row["shape"]
	_write(row)
	return row["shape"]


func _numbers(v: Vector3) -> Array:
	return [v.x, v.y, v.z]


func _many(points: PackedVector3Array) -> Array:
	var numbers: Array = []
	for point: Vector3 in points:
		numbers.append_array([point.x, point.y, point.z])
	return numbers


## Twelve numbers: the basis by rows, then the origin.
func _transform(t: Transform3D) -> Array:
	return [t.basis.x.x, t.basis.y.x, t.basis.z.x, t.basis.x.y, t.basis.y.y, t.basis.z.y, t.basis.x.z, t.basis.y.z, t.basis.z.z,
		t.origin.x, t.origin.y, t.origin.z]
