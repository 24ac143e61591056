extends Node3D
## Light, sky, ground and a camera that orbits with the mouse.

const GROUND_SHADER := """
shader_type spatial;
render_mode diffuse_burley, specular_disabled;
varying vec3 world;
void vertex() { world = (MODEL_MATRIX * vec4(VERTEX, 1.0)).xyz; }
float grid(vec2 at, float cell, float width) {
	vec2 to_line = abs(fract(at / cell - 0.5) - 0.5) * cell;
	vec2 blur = fwidth(at);
	vec2 line = 1.0 - smoothstep(vec2(width) - blur, vec2(width) + blur, to_line);
	return max(line.x, line.y) * clamp(1.0 - max(blur.x, blur.y) * 3.0 / cell, 0.0, 1.0);
}
void fragment() {
	float fine = grid(world.xz, 1.0, 0.012);
	float coarse = grid(world.xz, 5.0, 0.03);
	vec3 base = vec3(0.20, 0.225, 0.25);
	ALBEDO = mix(base, vec3(0.34, 0.37, 0.40), max(fine * 0.45, coarse * 0.8));
	ROUGHNESS = 0.95;
}
"""

const HAZE := Color(0.62, 0.70, 0.76)

## The point that the camera looks at [m], and the camera's first position [m].
var target := Vector3(0, 1, 0)
var eye := Vector3(12, 9, 16)
## How far shadows are drawn [m].
var shadow_distance := 60.0
var has_ground := true
## One map of all shadows instead of four, which draws each body once instead of four times.
var has_one_shadow_map := false

var _camera: Camera3D
var _dragging := false


func _init() -> void:
	name = "Stage"


func _ready() -> void:
	_add_sun(Vector3(-46, -78, 0), Color(1.0, 0.94, 0.84), 1.05, true)
	_add_sun(Vector3(-30, 60, 0), Color(0.62, 0.76, 1.0), 0.10, false)
	_add_sky()
	if has_ground:
		_add_ground()
	_camera = Camera3D.new()
	_camera.fov = 45.0
	_camera.far = 4000.0
	add_child(_camera)
	_place_camera()


func _unhandled_input(event: InputEvent) -> void:
	if event is InputEventMouseButton:
		var button := event as InputEventMouseButton
		if button.button_index == MOUSE_BUTTON_RIGHT or button.button_index == MOUSE_BUTTON_MIDDLE:
			_dragging = button.pressed
		elif button.button_index == MOUSE_BUTTON_WHEEL_UP:
			_zoom(0.9)
		elif button.button_index == MOUSE_BUTTON_WHEEL_DOWN:
			_zoom(1.1)
	elif event is InputEventMouseMotion and _dragging:
		_orbit((event as InputEventMouseMotion).relative * -0.006)


## Where a click at `screen_position` points: origin and unit direction.
func ray_from_screen(screen_position: Vector2) -> Array[Vector3]:
	return [_camera.project_ray_origin(screen_position), _camera.project_ray_normal(screen_position)]


## Looks from `from` at `at`.
func look(at: Vector3, from: Vector3) -> void:
	target = at
	eye = from
	if is_inside_tree():
		_place_camera()


func _zoom(factor: float) -> void:
	eye = target + (eye - target) * factor
	_place_camera()


func _orbit(angles: Vector2) -> void:
	var arm := (eye - target).rotated(Vector3.UP, angles.x)
	var raised := arm.rotated(arm.cross(Vector3.UP).normalized(), -angles.y)
	if absf(raised.normalized().y) < 0.97:
		arm = raised
	eye = target + arm
	_place_camera()


func _place_camera() -> void:
	_camera.look_at_from_position(eye, target)


func _add_sun(angles: Vector3, colour: Color, energy: float, shadow: bool) -> void:
	var sun := DirectionalLight3D.new()
	sun.rotation_degrees = angles
	sun.light_color = colour
	sun.light_energy = energy
	sun.shadow_enabled = shadow
	if has_one_shadow_map:
		sun.directional_shadow_mode = DirectionalLight3D.SHADOW_ORTHOGONAL
	sun.directional_shadow_max_distance = shadow_distance
	sun.shadow_blur = 1.4
	sun.sky_mode = DirectionalLight3D.SKY_MODE_LIGHT_AND_SKY if shadow else DirectionalLight3D.SKY_MODE_LIGHT_ONLY
	add_child(sun)


func _add_sky() -> void:
	var look := ProceduralSkyMaterial.new()
	look.sky_top_color = Color(0.20, 0.34, 0.54)
	look.sky_horizon_color = HAZE
	look.ground_horizon_color = HAZE
	look.ground_bottom_color = Color(0.25, 0.29, 0.33)
	look.sky_curve = 0.12
	var sky := Sky.new()
	sky.sky_material = look
	var environment := Environment.new()
	environment.background_mode = Environment.BG_SKY
	environment.sky = sky
	environment.ambient_light_source = Environment.AMBIENT_SOURCE_COLOR
	environment.ambient_light_color = Color(0.66, 0.76, 0.90)
	environment.ambient_light_energy = 0.38
	environment.reflected_light_source = Environment.REFLECTION_SOURCE_DISABLED
	environment.tonemap_mode = Environment.TONE_MAPPER_LINEAR
	environment.fog_enabled = true
	environment.fog_light_color = HAZE
	environment.fog_density = 0.006
	environment.fog_sky_affect = 0.0
	var holder := WorldEnvironment.new()
	holder.environment = environment
	add_child(holder)


func _add_ground() -> void:
	var shader := Shader.new()
	shader.code = GROUND_SHADER
	var material := ShaderMaterial.new()
	material.shader = shader
	var plane := PlaneMesh.new()
	plane.size = Vector2.ONE * 6000.0
	plane.material = material
	var ground := MeshInstance3D.new()
	ground.mesh = plane
	ground.position.y = -0.005
	ground.cast_shadow = GeometryInstance3D.SHADOW_CASTING_SETTING_OFF
	add_child(ground)
