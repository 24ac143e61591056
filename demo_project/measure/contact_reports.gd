extends SceneTree
## The cost of being told of contacts: processor time of the main thread while 1,000 boxes fall onto a floor and come to rest, told
## by nothing, by each body's signal body_entered, and, with Scree, by one signal for all. Fifteen rounds, in turns. [ms a tick]
##
## `scree prove contact_signals` runs it on two engines: `godot --headless --fixed-fps 60 --path PROJECT
## -s res://measure/contact_reports.gd -- --json=FILE`. Linux alone tells processor time.

const ProcessorTime := preload("res://measure/processor_time.gd")

const COUNT := 1000
const ROUNDS := 15
const TICKS := 90

var _heard := 0
var _rows: Array[Dictionary] = []


func _initialize() -> void:
	var ours := PhysicsServer3D.get_class().begins_with("Scree")
	print("engine: ", PhysicsServer3D.get_class(), ", ", ProjectSettings.get_setting("physics/3d/physics_engine"))
	await physics_frame
	var ways: PackedStringArray = ["nothing", "body_entered"]
	if ours:
		ways.append("contacts_changed")
	for round: int in ROUNDS:
		for way: String in ways:
			await _measure(way)
	for option: String in OS.get_cmdline_user_args():
		if option.begins_with("--json="):
			var setting: String = ProjectSettings.get_setting("physics/3d/physics_engine")
			var figures := {"engine": PhysicsServer3D.get_class(), "setting": setting, "rows": _rows}
			FileAccess.open(option.trim_prefix("--json="), FileAccess.WRITE).store_string(JSON.stringify(figures))
	quit()


func _measure(way: String) -> void:
	var stage := _make(way)
	if way == "contacts_changed":
		Engine.get_singleton("Scree").connect("contacts_changed", _hear)
	root.add_child(stage)
	_heard = 0
	await physics_frame
	OS.delay_usec(2000)  # the system counts what a thread has used when it rests
	var began := ProcessorTime.used_us()
	for tick: int in TICKS:
		await physics_frame
	OS.delay_usec(2000)
	var passed := 1e-3 * (ProcessorTime.used_us() - began) / TICKS
	if way == "contacts_changed":
		Engine.get_singleton("Scree").disconnect("contacts_changed", _hear)
	stage.free()
	_rows.append({"way": way, "passed": passed, "heard": _heard})
	print("%s: %.3f ms a tick, %d landings heard of" % [way, passed, _heard])
	await physics_frame


func _make(way: String) -> Node3D:
	var stage := Node3D.new()
	var floor_body := StaticBody3D.new()
	_add_box(floor_body, Vector3(100, 1, 100))
	floor_body.position.y = -0.5
	stage.add_child(floor_body)
	for number: int in COUNT:
		var body := RigidBody3D.new()
		_add_box(body, Vector3.ONE)
		body.position = Vector3(number % 32 * 2 - 32, 1.0 + number * 37 % 100 * 0.03, number / 32 * 2 - 32)
		if way == "body_entered":
			body.contact_monitor = true
			body.max_contacts_reported = 4
			body.body_entered.connect(_enter)
		elif way == "contacts_changed":
			Engine.get_singleton("Scree").call("body_set_contact_events", body.get_rid(), 1)
		stage.add_child(body)
	return stage


func _add_box(body: PhysicsBody3D, size: Vector3) -> void:
	var collision := CollisionShape3D.new()
	var box := BoxShape3D.new()
	box.size = size
	collision.shape = box
	body.add_child(collision)


func _enter(_body: Node) -> void:
	_heard += 1


func _hear(_space: RID, events: RefCounted) -> void:
	_heard += (events.get("began") as PackedByteArray).count(1)
