extends Node3D
## Draws the bodies of a BodySet: one MultiMesh a form, warm colours for the awake, cool grey for the asleep.

const BodySet = preload("res://scripts/body_set.gd")
const BodyForm = preload("res://scripts/body_form.gd")

## Bodies are drawn while they are this near to the middle [m]; a wider reach would coarsen the shadows.
const REACH := 80.0
const ASLEEP := Color(0.36, 0.43, 0.52)

var _bodies: BodySet
var _multimeshes: Array[MultiMesh] = []
## The index of each body within the MultiMesh of its form.
var _slots := PackedInt32Array()
var _shades := PackedFloat32Array()


func _init(bodies: BodySet) -> void:
	_bodies = bodies
	name = "BodyView"


func _ready() -> void:
	var counts := PackedInt32Array()
	counts.resize(_bodies.forms.size())
	var random := RandomNumberGenerator.new()
	random.seed = 7
	for index: int in _bodies.size():
		_slots.append(counts[_bodies.form_of[index]])
		counts[_bodies.form_of[index]] += 1
		_shades.append(random.randf_range(-0.12, 0.16))
	for form_index: int in counts.size():
		_multimeshes.append(_add_multimesh(_bodies.forms[form_index], counts[form_index]))


func _process(_delta: float) -> void:
	for index: int in _bodies.size():
		var multimesh := _multimeshes[_bodies.form_of[index]]
		multimesh.set_instance_transform(_slots[index], _bodies.transform_of(index))
		multimesh.set_instance_color(_slots[index], _colour(index))


## Draws the bodies that are near to this point [m], instead of the middle of the world.
func show_around(point: Vector3) -> void:
	for instance: MultiMeshInstance3D in get_children():
		instance.custom_aabb = _reach_around(point)


func _reach_around(point: Vector3) -> AABB:
	return AABB(point - Vector3.ONE * REACH, Vector3.ONE * 2.0 * REACH)


func _colour(index: int) -> Color:
	var colour := _bodies.form(index).colour
	if _bodies.is_asleep(index):
		colour = colour.lerp(ASLEEP, 0.82)
	var shade := _shades[index]
	return colour.lightened(shade) if shade > 0.0 else colour.darkened(-shade)


func _add_multimesh(form: BodyForm, count: int) -> MultiMesh:
	var material := StandardMaterial3D.new()
	material.vertex_color_use_as_albedo = true
	material.vertex_color_is_srgb = true
	material.roughness = 0.55
	var multimesh := MultiMesh.new()
	multimesh.transform_format = MultiMesh.TRANSFORM_3D
	multimesh.use_colors = true
	multimesh.mesh = form.mesh
	multimesh.instance_count = count
	var instance := MultiMeshInstance3D.new()
	instance.multimesh = multimesh
	instance.material_override = material
	instance.custom_aabb = _reach_around(Vector3.ZERO)
	add_child(instance)
	return multimesh
