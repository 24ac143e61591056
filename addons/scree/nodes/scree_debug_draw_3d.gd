@tool
@icon("res://addons/scree/nodes/scree_debug_draw_3d.svg")
class_name ScreeDebugDraw3D
extends Node3D
## Draws what the physics engine has: shapes by state, contacts, joints, areas and more.
##
## Add it anywhere in the scene, or call [method toggle_in] from a key. It draws the space of its own world once a physics tick,
## with one [MultiMesh] for each kind of form. While it is hidden it costs nothing. Without Scree it draws nothing and says so
## once.

const _CheckedValue := preload("res://addons/scree/nodes/checked_value.gd")
const _RunningEngine := preload("res://addons/scree/nodes/running_engine.gd")
const CAPSULES := 2
const MESHES := 4
## Instances that a buffer has at least; larger ones grow by eighths of the next power of two.
const LEAST_ROOM := 64
const EVERYWHERE := AABB(Vector3(-1e6, -1e6, -1e6), Vector3(2e6, 2e6, 2e6))
const SHADER := "shader_type spatial;
render_mode unshaded, cull_disabled, shadows_disabled, fog_disabled, skip_vertex_transform%s;
// A little nearer to the camera: lines lie on the surfaces of what they show.
const float NEARER = 0.998;
uniform bool is_capsule = false;
void vertex() {
	if (is_capsule) {
		// The form has a ball's halves at y = 1 and y = -1, beyond which they reach: UV.x tells which half a corner is of.
		float ratio = length(MODEL_MATRIX[0].xyz) / max(length(MODEL_MATRIX[1].xyz), 1e-9);
		VERTEX.y = VERTEX.y * ratio + UV.x * (1.0 - ratio);
	}
	VERTEX = (MODELVIEW_MATRIX * vec4(VERTEX, 1.0)).xyz * NEARER;
}
void fragment() {
	ALBEDO = OUTPUT_IS_SRGB ? COLOR.rgb : pow(COLOR.rgb, vec3(2.2));
}
"

## Shapes of bodies: grey static, blue kinematic, orange awake, green asleep.
@export var shapes := true
## A mark at each contact, and a line along its normal as long as its force.
@export var contacts := false
## Anchors, axes and limits of joints, and the force that each bore.
@export var joints := false
## Shapes of areas.
@export var areas := false
## Centres of mass, with the axes of each body.
@export var centres := false
## Velocities: where each body will be in 0.1 s.
@export var velocities := false
## Bounds of bodies, with the margin that the broad phase gives them.
@export var bounds := false
## Nodes of the trees of the broad phase, by level.
@export var tree := false
## Bodies that fall asleep and wake together get one colour.
@export var by_island := false
## Marks of contacts get the colours of the groups that the solver handles at a time.
@export var by_solver := false
@export_group("Limits")
## Collision layers that are drawn.
@export_flags_3d_physics var layers := 0xFFFFFFFF
## Nothing farther from the camera is drawn; 0: everything is.
@export_range(0, 1000, 1, "or_greater", "suffix:m") var distance := 0.0:
	set(value):
		if _CheckedValue.is_not_negative("ScreeDebugDraw3D", &"distance", value):
			distance = value
## Length of the lines for forces.
@export_range(0, 1, 0.001, "or_greater", "suffix:m/N") var force_scale := 0.02
## Draws through everything that is in front.
@export var on_top := false:
	set(value):
		on_top = value
		_shader = null

var _shader: Shader
var _materials: Array[ShaderMaterial] = []
var _views: Dictionary[int, View] = {}
var _mesh_views: Dictionary[int, View] = {}
var _mesh_version := 0


## One MultiMesh with its form, drawn in a world.
class View:
	var mesh: RID = RenderingServer.mesh_create()
	var multimesh: RID = RenderingServer.multimesh_create()
	var instance: RID = RenderingServer.instance_create2(multimesh, RID())
	var room := 0

	func _init(arrays: Array, material: Material) -> void:
		if not (arrays[Mesh.ARRAY_VERTEX] as PackedVector3Array).is_empty():
			RenderingServer.mesh_add_surface_from_arrays(mesh, RenderingServer.PRIMITIVE_LINES, arrays)
			RenderingServer.mesh_surface_set_material(mesh, 0, material.get_rid())
		RenderingServer.multimesh_set_mesh(multimesh, mesh)
		RenderingServer.multimesh_set_custom_aabb(multimesh, EVERYWHERE)
		RenderingServer.multimesh_set_physics_interpolated(multimesh, false) # it is the picture of a tick
		RenderingServer.instance_geometry_set_cast_shadows_setting(instance, RenderingServer.SHADOW_CASTING_SETTING_OFF)

	func make_room(count: int) -> void:
		if count > room or count * 2 < room and room > LEAST_ROOM:
			var grain := maxi(LEAST_ROOM, nearest_po2(count) >> 3)
			room = ceili(float(count) / grain) * grain
			RenderingServer.multimesh_allocate_data(multimesh, room, RenderingServer.MULTIMESH_TRANSFORM_3D, true)

	func show(buffer: PackedFloat32Array, count: int, scenario: RID) -> void:
		RenderingServer.multimesh_set_buffer(multimesh, buffer)
		RenderingServer.multimesh_set_visible_instances(multimesh, count)
		RenderingServer.instance_set_scenario(instance, scenario)

	func hide() -> void:
		RenderingServer.instance_set_scenario(instance, RID())

	func free_all() -> void:
		for rid: RID in [instance, multimesh, mesh]:
			RenderingServer.free_rid(rid)


## Shows or hides the drawing below [param parent]; if there is none it adds one. Returns the node.
static func toggle_in(parent: Node) -> Node3D:
	for child: Node in parent.get_children():
		if child is Node3D and child.has_method("what_to_draw"):
			(child as Node3D).visible = not (child as Node3D).visible
			return child
	var made := new()
	made.name = "ScreeDebugDraw3D"
	parent.add_child(made)
	return made


func _init() -> void:
	process_mode = Node.PROCESS_MODE_ALWAYS
	process_physics_priority = 1000 # after those who move bodies


func _enter_tree() -> void:
	var _runs := _RunningEngine.is_scree_for("ScreeDebugDraw3D", "nothing is drawn")


func _exit_tree() -> void:
	_free_views()


func _notification(what: int) -> void:
	if what == NOTIFICATION_VISIBILITY_CHANGED and is_inside_tree() and not is_visible_in_tree():
		_hide_views()


func _physics_process(_delta: float) -> void:
	if is_visible_in_tree() and _RunningEngine.is_scree():
		redraw()


## Draws the space as it is now. Called in each physics tick.
func redraw() -> void:
	var flags := what_to_draw()
	if flags == 0:
		_hide_views()
		return
	var world := get_world_3d()
	var camera := get_viewport().get_camera_3d()
	var around := camera.global_position if camera != null else Vector3.ZERO
	var drawing: RefCounted = Engine.get_singleton("Scree").call(
		"drawing", world.space, flags, around, distance, layers, force_scale)
	if drawing == null:
		return
	if _shader == null:
		_make_materials()
	var counts: PackedInt32Array = drawing.get("counts")
	for kind: int in counts.size():
		if kind != MESHES:
			_show_kind(drawing, kind, counts[kind], world.scenario)
	if counts[MESHES] > 0 or not _mesh_views.is_empty():
		_show_meshes(drawing, world.scenario)


## The flags of [method Scree.drawing], from the properties.
func what_to_draw() -> int:
	var flags := 0
	var wanted: Array[bool] = [shapes, contacts, joints, areas, centres, velocities, bounds, tree]
	for bit: int in wanted.size():
		flags |= int(wanted[bit]) << bit
	return flags | int(by_island) << 8 | int(by_solver) << 9 if flags != 0 else 0


func _show_kind(drawing: RefCounted, kind: int, count: int, scenario: RID) -> void:
	if count == 0:
		if _views.has(kind):
			_views[kind].hide()
		return
	if not _views.has(kind):
		_views[kind] = View.new(_form(drawing, kind), _materials[int(kind == CAPSULES)])
	var view: View = _views[kind]
	view.make_room(count)
	view.show(drawing.call("get_buffer", kind, view.room), count, scenario)


func _show_meshes(drawing: RefCounted, scenario: RID) -> void:
	var keys: PackedInt64Array = drawing.get("mesh_keys")
	var counts: PackedInt32Array = drawing.get("mesh_counts")
	var version: int = drawing.get("mesh_version")
	for key: int in _mesh_views.keys():
		if version != _mesh_version or not keys.has(key):
			_mesh_views[key].free_all()
			_mesh_views.erase(key)
	_mesh_version = version
	for number: int in keys.size():
		var key := keys[number]
		if not _mesh_views.has(key):
			var lines: PackedVector3Array = Engine.get_singleton("Scree").call("drawing_mesh", key)
			_mesh_views[key] = View.new(_arrays(lines), _materials[0])
		var view := _mesh_views[key]
		if view.room != counts[number]:
			view.room = counts[number]
			RenderingServer.multimesh_allocate_data(
				view.multimesh, view.room, RenderingServer.MULTIMESH_TRANSFORM_3D, true)
		view.show(drawing.call("get_mesh_buffer", number), view.room, scenario)


## The lines of a kind's form. Those of capsules know by UV.x which half they are of.
func _form(drawing: RefCounted, kind: int) -> Array:
	if kind != CAPSULES:
		return _arrays(drawing.call("get_wire", kind))
	var flat: PackedVector3Array = drawing.call("get_capsule_wire", 0.0)
	var round_form: PackedVector3Array = drawing.call("get_capsule_wire", 1.0)
	var halves := PackedVector2Array()
	for index: int in flat.size():
		halves.append(Vector2(signf(flat[index].y), 0.0))
	var arrays := _arrays(round_form)
	arrays[Mesh.ARRAY_TEX_UV] = halves
	return arrays


func _arrays(lines: PackedVector3Array) -> Array:
	var arrays := []
	arrays.resize(Mesh.ARRAY_MAX)
	arrays[Mesh.ARRAY_VERTEX] = lines
	return arrays


func _make_materials() -> void:
	_free_views()
	_shader = Shader.new()
	_shader.code = SHADER % (", depth_test_disabled" if on_top else "")
	_materials.clear()
	for is_capsule: bool in [false, true]:
		var material := ShaderMaterial.new()
		material.shader = _shader
		material.set_shader_parameter("is_capsule", is_capsule)
		_materials.append(material)


func _hide_views() -> void:
	for view: View in _views.values():
		view.hide()
	for view: View in _mesh_views.values():
		view.hide()


func _free_views() -> void:
	for view: View in _views.values():
		view.free_all()
	for view: View in _mesh_views.values():
		view.free_all()
	_views.clear()
	_mesh_views.clear()
