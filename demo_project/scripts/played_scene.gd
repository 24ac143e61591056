extends "res://scripts/demo_scene.gd"
## A scene that is played by a script, and says what physics expects of it at stated moments.
##
## Each expectation is a measured value and the range in which it must lie; the report holds them all.

const STONE := Color(0.62, 0.60, 0.57)
const WOOD := Color(0.72, 0.53, 0.34)
const RUBBER := Color(0.13, 0.14, 0.16)
## [m/s^2]
const GRAVITY := 9.8
## Length of a tick [s].
const TICK := 1.0 / 60.0

var _expectations: Array[Dictionary] = []


func extra_figures() -> Dictionary:
	return {"expectations": _expectations}


## `value` must lie between `least` and `most`; NaN lies nowhere.
func expect_between(what: String, value: float, least: float, most: float) -> void:
	# JSON has no infinity; what is not finite is as far off as can be.
	var written := value if is_finite(value) else 1e300
	_expectations.append({"what": what, "tick": recorder.ticks(), "value": written, "least": least, "most": most})


func expect_near(what: String, value: float, expected: float, tolerance: float) -> void:
	expect_between(what, value, expected - tolerance, expected + tolerance)


func is_drawn() -> bool:
	return DisplayServer.get_name() != "headless"


## Points the camera, where there is one.
func look(target: Vector3, eye: Vector3) -> void:
	if is_drawn():
		stage.look(target, eye)


## Adds a box to `body`, with a mesh where something is drawn.
func add_box(body: CollisionObject3D, size: Vector3, at: Variant, colour: Color) -> CollisionShape3D:
	var shape := BoxShape3D.new()
	shape.size = size
	var mesh := BoxMesh.new()
	mesh.size = size
	return add_shape(body, shape, mesh, at, colour)


## Adds `shape` to `body` at a place or transform of it.
func add_shape(body: CollisionObject3D, shape: Shape3D, mesh: Mesh, at: Variant, colour: Color) -> CollisionShape3D:
	var collision := CollisionShape3D.new()
	collision.shape = shape
	collision.transform = at if at is Transform3D else Transform3D(Basis.IDENTITY, at)
	body.add_child(collision)
	if is_drawn():
		add_mesh(body, mesh, collision.transform, colour)
	return collision


func add_mesh(parent: Node3D, mesh: Mesh, at: Transform3D, colour: Color) -> MeshInstance3D:
	var instance := MeshInstance3D.new()
	instance.mesh = mesh
	instance.transform = at
	instance.material_override = paint(colour)
	parent.add_child(instance)
	return instance


## A round mesh along Y [m].
static func drum(radius: float, width: float) -> CylinderMesh:
	var mesh := CylinderMesh.new()
	mesh.top_radius = radius
	mesh.bottom_radius = radius
	mesh.height = width
	return mesh


## With the axis of a drum, which is Y, along X: a wheel.
static func lying() -> Transform3D:
	return Transform3D(Basis(Vector3.BACK, PI / 2.0), Vector3.ZERO)


func paint(colour: Color) -> StandardMaterial3D:
	var material := StandardMaterial3D.new()
	material.albedo_color = colour
	material.roughness = 0.7
	return material


## A fixed box.
func block(size: Vector3, at: Variant, colour: Color = STONE, friction: float = 0.6) -> StaticBody3D:
	var body := StaticBody3D.new()
	body.physics_material_override = PhysicsMaterial.new()
	body.physics_material_override.friction = friction
	add_box(body, size, Vector3.ZERO, colour)
	body.transform = at if at is Transform3D else Transform3D(Basis.IDENTITY, at)
	add_child(body)
	return body


## A slope along +x from `low` to `high`, the middles of the edges of its upper face, `width` wide [m].
func slope(low: Vector3, high: Vector3, width: float, colour: Color = STONE) -> StaticBody3D:
	const THICKNESS := 0.5
	var along := high - low
	var basis := Basis(Vector3.BACK, atan2(along.y, along.x))
	var centre := (low + high) / 2.0 - basis.y * THICKNESS / 2.0
	return block(Vector3(Vector2(along.x, along.y).length(), THICKNESS, width), Transform3D(basis, centre), colour)
