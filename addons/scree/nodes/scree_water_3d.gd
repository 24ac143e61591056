@tool
@icon("res://addons/scree/nodes/scree_water_3d.svg")
class_name ScreeWater3D
extends Node3D
## Water in a box, which carries rigid bodies: buoyancy, drag, flow and waves.
##
## The node is the middle of the surface at rest; y is up, and its scale does not count. Bodies float as their shapes and their
## mass say: a body lighter than the water that it displaces comes up. Boxes, balls, capsules, cylinders, convex shapes and bricks
## float; meshes do not. The surface is drawn with its waves unless [member draws_surface] is off.
## [br][br]
## Needs Scree Physics; with another physics engine it warns once and carries nothing.

const _CheckedValue := preload("res://addons/scree/nodes/checked_value.gd")
const _RunningEngine := preload("res://addons/scree/nodes/running_engine.gd")
const _Wave := preload("res://addons/scree/nodes/scree_wave.gd")
const MOST_WAVES := 8
const GRAVITY := "physics/3d/default_gravity"
## Edges of the surface's mesh are about so long [m], and there are at most [constant MOST_EDGES] of them along each side.
const EDGE := 0.5
const MOST_EDGES := 256
const SHADER := "shader_type spatial;
render_mode cull_disabled, specular_schlick_ggx;
uniform vec4 waves[8]; // direction times wave number along x and z, amplitude, phase
uniform int wave_count = 0;
uniform vec4 deep : source_color = vec4(0.02, 0.16, 0.24, 0.82);
uniform vec4 crest : source_color = vec4(0.35, 0.62, 0.68, 0.9);
varying float height;
void vertex() {
	float along_x = 0.0;
	float along_z = 0.0;
	for (int k = 0; k < wave_count; k++) {
		float angle = dot(waves[k].xy, VERTEX.xz) + waves[k].w;
		VERTEX.y += waves[k].z * sin(angle);
		along_x += waves[k].z * cos(angle) * waves[k].x;
		along_z += waves[k].z * cos(angle) * waves[k].y;
	}
	height = VERTEX.y;
	NORMAL = normalize(vec3(-along_x, 1.0, -along_z));
}
void fragment() {
	vec4 tint = mix(deep, crest, clamp(0.35 + height, 0.0, 1.0) * 0.6);
	ALBEDO = tint.rgb;
	ALPHA = tint.a;
	ROUGHNESS = 0.08;
	METALLIC = 0.0;
	SPECULAR = 0.6;
}
"

## Width along x, depth and length along z [m].
@export var size := Vector3(20.0, 4.0, 20.0): set = _set_size
## Bodies in one of these collision layers float.
@export_flags_3d_physics var layers := 0xFFFFFFFF: set = _set_layers
## Mass of a cubic metre: 1,000 for fresh water, 1,025 for the sea [kg/m^3].
@export_range(0.0, 2000.0, 1.0, "or_greater", "suffix:kg/m³") var density := 1000.0: set = _set_density
@export_group("Drag")
## Coefficient of the drag that grows with the square of the speed: 0.5 density drag area speed².
@export_range(0.0, 5.0, 0.01, "or_greater") var drag := 0.5: set = _set_drag
## Drag that grows with the speed, for each mass of displaced water: how fast bobbing ends [1/s].
@export_range(0.0, 10.0, 0.01, "or_greater", "suffix:1/s") var damping := 1.0: set = _set_damping
## Drag on turning, likewise [1/s].
@export_range(0.0, 10.0, 0.01, "or_greater", "suffix:1/s") var spin_damping := 1.0: set = _set_spin_damping
## Velocity of the water along the axes of the node [m/s].
@export var flow := Vector3.ZERO: set = _set_flow
@export_group("Surface")
## At most eight waves; their heights add up.
@export var waves: Array[_Wave] = []: set = _set_waves
## Draws the surface.
@export var draws_surface := true: set = _set_draws_surface
## Draws the surface with this instead of the water's own material.
@export var material: Material: set = _set_material

var _water := 0
var _time := 0.0
var _surface: MeshInstance3D
var _own := ShaderMaterial.new()


func _init() -> void:
	set_notify_transform(true)


func _notification(what: int) -> void:
	match what:
		NOTIFICATION_ENTER_WORLD:
			_renew_surface()
			if not Engine.is_editor_hint():
				_fill()
		NOTIFICATION_EXIT_WORLD:
			_drain()
		NOTIFICATION_TRANSFORM_CHANGED:
			if _surface:
				_surface.global_transform = global_transform.orthonormalized() # a scale does not count
			if _water:
				_scree().call("water_place", _water, global_transform, size)
				_tell_flow()


func _fill() -> void:
	if _water: # Godot tells the nodes below its root twice
		return
	if not _RunningEngine.is_scree_for("ScreeWater3D", "nothing floats"):
		return
	_water = _scree().call("water_create", get_world_3d().space, global_transform, size, layers)
	_tell_drag()
	_tell_flow()
	_tell_waves()


func _drain() -> void:
	if _water:
		_scree().call("water_free", _water)
	_water = 0


func _physics_process(delta: float) -> void:
	if _water and _surface and not waves.is_empty():
		_time = get_time() + delta # after the step that follows, which is what will be drawn


func _process(_delta: float) -> void:
	if _surface == null or waves.is_empty():
		return
	var time := _time
	if Engine.is_editor_hint():
		time = Time.get_ticks_msec() / 1000.0
	elif get_tree().physics_interpolation: # bodies are drawn between the last two ticks
		time -= (1.0 - Engine.get_physics_interpolation_fraction()) / Engine.physics_ticks_per_second
	_own.set_shader_parameter("waves", _uniforms(time))


## For how long the waves have moved [s].
func get_time() -> float:
	return _scree().call("water_get_time", _water) if _water else 0.0


## How far the surface over (or below) a global point is above the surface at rest [m].
func height_at(point: Vector3) -> float:
	return heights_at([point])[0]


## Asks [method height_at] for many points in one call.
func heights_at(points: PackedVector3Array) -> PackedFloat32Array:
	if _water:
		return _scree().call("water_heights", _water, points)
	var none := PackedFloat32Array()
	none.resize(points.size())
	none.fill(0.0)
	return none


## How far a global point is below the surface [m]; negative above it, and beside the water or below its floor.
func depth_at(point: Vector3) -> float:
	var at := global_transform.orthonormalized().affine_inverse() * point
	if absf(at.x) > 0.5 * size.x or absf(at.z) > 0.5 * size.z or at.y < -size.y:
		return -INF
	return height_at(point) - at.y


## How many awake bodies were in the water in the last step.
func get_floating_count() -> int:
	return _scree().call("water_get_floating_count", _water) if _water else 0


func _get_configuration_warnings() -> PackedStringArray:
	if waves.size() > MOST_WAVES:
		return ["There are at most %d waves; the others do not count." % MOST_WAVES]
	return []


func _scree() -> Object:
	return Engine.get_singleton("Scree")


func _tell_drag() -> void:
	if _water:
		_scree().call("water_set", _water, density, drag, damping, spin_damping)


func _tell_flow() -> void:
	if _water:
		_scree().call("water_set_flow", _water, global_basis.orthonormalized() * flow)


func _tell_waves() -> void:
	if not _water:
		return
	var numbers := PackedFloat32Array()
	for wave: _Wave in _counting():
		numbers.append_array(wave.numbers())
	_scree().call("water_set_waves", _water, numbers)


func _counting() -> Array[_Wave]:
	return waves.filter(func(wave: _Wave) -> bool: return wave != null).slice(0, MOST_WAVES)


func _uniforms(time: float) -> PackedVector4Array:
	var rows := PackedVector4Array()
	var gravity: float = ProjectSettings.get_setting(GRAVITY)
	for wave: _Wave in _counting():
		var number := TAU / wave.length
		var along := wave.direction.normalized() * number
		var frequency := sqrt(gravity * number) if wave.speed == 0.0 else number * wave.speed
		rows.append(Vector4(along.x, along.y, 0.5 * wave.height, wave.phase - frequency * time))
	while rows.size() < MOST_WAVES:
		rows.append(Vector4.ZERO)
	return rows


func _renew_surface() -> void:
	if not is_inside_tree():
		return
	update_gizmos()
	if not draws_surface:
		if _surface:
			_surface.queue_free()
		_surface = null
		return
	if _surface == null:
		_surface = MeshInstance3D.new()
		_surface.cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_OFF
		add_child(_surface, false, Node.INTERNAL_MODE_FRONT)
		_surface.global_transform = global_transform.orthonormalized()
		_own.shader = Shader.new()
		_own.shader.code = SHADER
	var plane := PlaneMesh.new()
	plane.size = Vector2(size.x, size.z)
	plane.subdivide_width = 0 if waves.is_empty() else clampi(int(size.x / EDGE), 1, MOST_EDGES) - 1
	plane.subdivide_depth = 0 if waves.is_empty() else clampi(int(size.z / EDGE), 1, MOST_EDGES) - 1
	_surface.mesh = plane
	_surface.material_override = material if material else _own
	_surface.extra_cull_margin = _counting().reduce(func(sum: float, wave: _Wave) -> float: return sum + wave.height, 0.0)
	_own.set_shader_parameter("wave_count", _counting().size())
	_own.set_shader_parameter("waves", _uniforms(0.0))


func _is_right(property: StringName, value: float) -> bool:
	return _CheckedValue.is_not_negative("ScreeWater3D", property, value)


func _set_size(value: Vector3) -> void:
	var least := value[value.min_axis_index()]
	if not _CheckedValue.is_right("ScreeWater3D", &"size", value.is_finite() and least > 0.0, "above 0 and finite", value):
		return
	size = value
	if _water:
		_scree().call("water_place", _water, global_transform, size)
	_renew_surface()


func _set_layers(value: int) -> void:
	layers = value
	if _water: # only new water takes layers
		_drain()
		_fill()


func _set_density(value: float) -> void:
	if _is_right(&"density", value):
		density = value
		_tell_drag()


func _set_drag(value: float) -> void:
	if _is_right(&"drag", value):
		drag = value
		_tell_drag()


func _set_damping(value: float) -> void:
	if _is_right(&"damping", value):
		damping = value
		_tell_drag()


func _set_spin_damping(value: float) -> void:
	if _is_right(&"spin_damping", value):
		spin_damping = value
		_tell_drag()


func _set_flow(value: Vector3) -> void:
	if _CheckedValue.is_right("ScreeWater3D", &"flow", value.is_finite(), "finite", value):
		flow = value
		_tell_flow()
		update_gizmos()


func _set_waves(value: Array[_Wave]) -> void:
	for wave: _Wave in waves:
		if wave and wave.changed.is_connected(_on_wave_changed):
			wave.changed.disconnect(_on_wave_changed)
	waves = value
	for wave: _Wave in waves:
		if wave and not wave.changed.is_connected(_on_wave_changed):
			wave.changed.connect(_on_wave_changed)
	_on_wave_changed()


func _on_wave_changed() -> void:
	_tell_waves()
	_renew_surface()
	update_configuration_warnings()


func _set_draws_surface(value: bool) -> void:
	draws_surface = value
	_renew_surface()


func _set_material(value: Material) -> void:
	material = value
	_renew_surface()
