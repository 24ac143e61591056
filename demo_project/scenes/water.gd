extends "res://scripts/demo_scene.gd"
## Crates, barrels, balls and a raft float in waves, each as deep as its density says; what is heavier than water sinks. With another
## engine than Scree all of them sink.

const NODE := "res://addons/scree/nodes/scree_water_3d.gd"
const WAVE := "res://addons/scree/nodes/scree_wave.gd"
const HALF := 12.0
const LEVEL := 3.5
const COUNT := 160
## Densities of amber, teal, coral and violet bodies [kg/m^3]; the last sink.
const DENSITIES: Array[float] = [250.0, 500.0, 800.0, 1600.0]
## Direction along x and z, length and height [m].
const WAVES: Array[Vector4] = [Vector4(1.0, 0.3, 11.0, 0.7), Vector4(0.4, 1.0, 6.0, 0.35), Vector4(-1.0, 0.6, 3.2, 0.12)]

var _water: Node3D


func build() -> void:
	bin = Bin.new(HALF, 5.0, 0.5)
	stage.target = Vector3(0, 2.6, 0)
	stage.eye = Vector3(14, 10, 20)
	stage.has_one_shadow_map = true
	if ResourceLoader.exists(NODE):
		_add_water()
	var colours: Array[Color] = [AMBER, TEAL, CORAL, VIOLET]
	var forms: Array[int] = []
	for kind: int in DENSITIES.size():
		forms.append(_form(BodyForm.box(Vector3(0.9, 0.9, 0.9), colours[kind]), DENSITIES[kind]))
		forms.append(_form(BodyForm.capsule(0.4, 1.5, colours[kind]), DENSITIES[kind]))
		forms.append(_form(BodyForm.sphere(0.5, colours[kind]), DENSITIES[kind]))
		forms.append(_form(BodyForm.box(Vector3(0.4, 0.15, 2.2), colours[kind]), DENSITIES[kind]))
	for index: int in body_count() - 1:
		var at := Vector3(random.randf_range(-9.5, 9.5), 5.0 + 0.045 * index, random.randf_range(-9.5, 9.5))
		bodies.add(forms[index % forms.size()], Transform3D(random_rotation(), at))
	bodies.add(_form(BodyForm.box(Vector3(5.0, 0.5, 3.5), LEAF), 300.0), Transform3D(Basis.IDENTITY, Vector3(0, 4.2, 0)))


## How many awake bodies are in the water.
func extra_figures() -> Dictionary:
	return {"floating": _water.call("get_floating_count") if _water else 0}


func _form(form: BodyForm, density: float) -> int:
	form.mass = density * form.geometry.volume
	return bodies.add_form(form)


func _add_water() -> void:
	_water = (load(NODE) as GDScript).new()
	var waves: Array = _water.get("waves")
	for given: Vector4 in WAVES:
		var wave: Resource = (load(WAVE) as GDScript).new()
		wave.set("direction", Vector2(given.x, given.y))
		wave.set("length", given.z)
		wave.set("height", given.w)
		waves.append(wave)
	_water.set("waves", waves)
	_water.set("size", Vector3(2.0 * HALF, LEVEL, 2.0 * HALF))
	_water.position = Vector3.UP * LEVEL
	add_child(_water)
