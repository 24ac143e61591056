extends MultiMeshInstance3D
## Straight beams of light between two points, drawn as one MultiMesh. Without a window it does nothing.

var _used := 0


func _init(most: int) -> void:
	name = "Beams"
	if DisplayServer.get_name() == "headless":
		return
	var glow := StandardMaterial3D.new()
	glow.shading_mode = BaseMaterial3D.SHADING_MODE_UNSHADED
	glow.vertex_color_use_as_albedo = true
	glow.vertex_color_is_srgb = true
	glow.transparency = BaseMaterial3D.TRANSPARENCY_ALPHA
	var box := BoxMesh.new()
	box.material = glow
	multimesh = MultiMesh.new()
	multimesh.transform_format = MultiMesh.TRANSFORM_3D
	multimesh.use_colors = true
	multimesh.mesh = box
	multimesh.instance_count = most
	custom_aabb = AABB(Vector3.ONE * -500.0, Vector3.ONE * 1000.0)
	cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_OFF


## Forgets the beams of the last tick.
func clear() -> void:
	_used = 0
	if multimesh != null:
		multimesh.visible_instance_count = 0


## A beam `width` thick [m].
func beam(from: Vector3, to: Vector3, colour: Color, width: float) -> void:
	var along := to - from
	if along.length() < 1e-3:
		return
	var up := Vector3.UP if absf(along.normalized().y) < 0.99 else Vector3.RIGHT
	var basis := Basis.looking_at(along, up).scaled_local(Vector3(width, width, along.length()))
	_place(Transform3D(basis, (from + to) / 2.0), colour)


## A cube `width` wide [m].
func dot(at: Vector3, colour: Color, width: float) -> void:
	_place(Transform3D(Basis.IDENTITY.scaled(Vector3.ONE * width), at), colour)


## The twelve edges of a box.
func frame(transform: Transform3D, size: Vector3, colour: Color, width: float) -> void:
	for axis: int in 3:
		for corner: int in 4:
			var start := -size / 2.0
			start[(axis + 1) % 3] *= 1.0 if corner & 1 else -1.0
			start[(axis + 2) % 3] *= 1.0 if corner & 2 else -1.0
			var end := start
			end[axis] *= -1.0
			beam(transform * start, transform * end, colour, width)


func _place(transform: Transform3D, colour: Color) -> void:
	if multimesh == null or _used == multimesh.instance_count:
		return
	multimesh.set_instance_transform(_used, transform)
	multimesh.set_instance_color(_used, colour)
	_used += 1
	multimesh.visible_instance_count = _used
