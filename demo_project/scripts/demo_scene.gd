extends Node3D
## The base of all demo scenes: options, bodies, a bin, a stage to look at, and the recorder of the run.
##
## A scene overrides `build` (make the bodies) and, where something happens on the way, `tick`.
## Left click throws a ball, right drag turns the camera; the keys are those of the hud.

const DemoIndex = preload("res://scripts/demo_index.gd")
const RunOptions = preload("res://scripts/run_options.gd")
const RunRecorder = preload("res://scripts/run_recorder.gd")
const BodySet = preload("res://scripts/body_set.gd")
const BodyForm = preload("res://scripts/body_form.gd")
const BodyView = preload("res://scripts/body_view.gd")
const BusyThread = preload("res://scripts/busy_thread.gd")
const Bin = preload("res://scripts/bin.gd")
const Hud = preload("res://scripts/hud.gd")
const Stage = preload("res://scripts/stage.gd")
const DEBUG_SWITCHES: Array[String] = [
	"shapes", "contacts", "joints", "areas", "centres", "velocities", "bounds", "tree", "by_island", "by_solver"]
const DEBUG_DRAW := "res://addons/scree/nodes/scree_debug_draw_3d.gd"

## Colours of the forms.
const CORAL := Color(0.95, 0.42, 0.33)
const AMBER := Color(0.98, 0.73, 0.26)
const TEAL := Color(0.18, 0.68, 0.66)
const VIOLET := Color(0.60, 0.45, 0.86)
const LEAF := Color(0.55, 0.78, 0.36)
const ROSE := Color(0.93, 0.45, 0.62)

var options: RunOptions = RunOptions.parse(OS.get_cmdline_user_args())
var random := RandomNumberGenerator.new()
var bodies: BodySet
var bin: Bin
var stage: Stage
var recorder: RunRecorder

var _busy_thread: BusyThread


func _ready() -> void:
	random.seed = options.seed_of_places
	bodies = BodySet.new(self, options.server)
	stage = Stage.new()
	recorder = RunRecorder.new(self)
	build()
	# Only now: of the calls that make nodes some go to Python, and each would wait 5 ms for the interpreter.
	if options.busy_thread:
		_busy_thread = BusyThread.new()
	if bin != null:
		add_child(bin)
	if DisplayServer.get_name() != "headless":
		add_child(stage)
		add_child(BodyView.new(bodies))
		add_child(Hud.new(self))
	else:
		stage.free()
	add_child(recorder)
	if not options.debug_draw.is_empty():
		_begin_debug_draw()


func _exit_tree() -> void:
	stop_busy_thread()
	bodies.free_server_bodies()


func _physics_process(_delta: float) -> void:
	tick(recorder.ticks())


func _unhandled_input(event: InputEvent) -> void:
	if event is InputEventMouseButton:
		var button := event as InputEventMouseButton
		if button.pressed and button.button_index == MOUSE_BUTTON_LEFT:
			_throw_ball(stage.ray_from_screen(button.position))


## Makes the scene's bodies.
func build() -> void:
	pass


## Called in every physics tick, before the engine's step.
func tick(_number: int) -> void:
	pass


## Stops the thread that `--busy-thread` asked for; the recorder calls it when the last tick is over, before nodes go.
func stop_busy_thread() -> void:
	if _busy_thread != null:
		_busy_thread.stop()
		_busy_thread = null


## Shows or hides what the physics engine has. Returns the node, or null without the addon.
func toggle_debug_draw() -> Node3D:
	if not ResourceLoader.exists(DEBUG_DRAW):
		push_warning("There is no debug drawing without Scree's addon.")
		return null
	var drawing: Node3D = (load(DEBUG_DRAW) as GDScript).call("toggle_in", self)
	drawing.set("contacts", true)
	drawing.set("joints", true)
	return drawing


func _begin_debug_draw() -> void:
	var drawing := toggle_debug_draw()
	if drawing == null:
		return
	for what: String in DEBUG_SWITCHES:
		drawing.set(what, what in options.debug_draw)


## Figures of this scene alone, added to the report.
func extra_figures() -> Dictionary:
	return {}


## Further buttons of the hud: text, key and what it does.
func actions() -> Array[Dictionary]:
	return []


## The number of bodies that the scene's own set does not have, and of those asleep among them.
func more_bodies() -> Vector2i:
	return Vector2i.ZERO


func scene_name() -> String:
	return scene_file_path.get_file().get_basename()


## How many bodies to make: as asked for, or the scene's own number.
func body_count() -> int:
	return options.bodies if options.bodies > 0 else int(DemoIndex.entry(scene_name())["bodies"])


## Forms of boxes of 1 m and 1 kg, one of each colour.
func coloured_boxes() -> Array[int]:
	var forms: Array[int] = []
	for colour: Color in [CORAL, AMBER, TEAL, VIOLET, LEAF]:
		var form: BodyForm = BodyForm.box(Vector3.ONE, colour)
		form.mass = 1.0
		forms.append(bodies.add_form(form))
	return forms


## A rotation that is equally likely to be any.
func random_rotation() -> Basis:
	var quaternion := Quaternion(random.randfn(), random.randfn(), random.randfn(), random.randfn())
	return Basis(quaternion.normalized())


## Uniform in the box from `least` to `most`.
func random_point(least: Vector3, most: Vector3) -> Vector3:
	return Vector3(random.randf_range(least.x, most.x), random.randf_range(least.y, most.y), random.randf_range(least.z, most.z))


func _throw_ball(ray: Array[Vector3]) -> void:
	var ball := RigidBody3D.new()
	var collision := CollisionShape3D.new()
	var shape := SphereShape3D.new()
	var mesh := MeshInstance3D.new()
	mesh.mesh = SphereMesh.new()
	collision.shape = shape
	ball.mass = 30.0
	ball.position = ray[0] + ray[1] * 2.0
	ball.linear_velocity = ray[1] * 30.0
	ball.add_child(collision)
	ball.add_child(mesh)
	add_child(ball)
