extends "res://scripts/played_scene.gd"
## A wall of 9,600 bricks is shot to pieces: each shot takes the bricks of a ball away, and what hangs on nothing falls.

const BODY_SCRIPT := "res://addons/scree/bricks/brick_body_3d.gd"

## Length of the grid's unit [m].
const UNIT := 0.25
## Size of the wall in units; each brick is 2 x 1 x 2 units.
const LENGTH := 80
const HEIGHT := 60
const DEPTH := 8
## Ticks.
const SHOT_EVERY := 20
const FIRST_SHOT := 40
const LAST_SHOT := 440
const SHOT_RADIUS := 0.8

var _wall: RigidBody3D
var _pieces := 0
var _pieces_bricks := 0
var _shots := 0


func build() -> void:
	bin = Bin.new(100.0, 1.0, 0.8)
	bin.has_walls = false
	stage.target = Vector3(-1, 6, 0)
	stage.eye = Vector3(16, 13, 27)
	var crate := bodies.add_form(BodyForm.box(Vector3.ONE, AMBER))
	for number: int in body_count():
		bodies.add(crate, Transform3D(Basis.IDENTITY, Vector3(1.2 * number - 0.6 * (body_count() - 1), 0.5, 4.5)))
	if not ResourceLoader.exists(BODY_SCRIPT) or not PhysicsServer3D.has_method("bricks_make"):
		return
	_wall = load(BODY_SCRIPT).new()
	_wall.set("bricks", load("res://addons/scree/bricks/brick_shape_3d.gd").new())
	_wall.get("bricks").set("unit", UNIT)
	_wall.get("bricks").set("anchors", [AABB(Vector3(-50, -1, -50), Vector3(100, 1, 100))] as Array[AABB])
	_wall.set("colors", PackedColorArray([CORAL, CORAL.darkened(0.15), AMBER, CORAL.lightened(0.15)]))
	_wall.set("is_drawn", is_drawn())
	_wall.freeze = true
	_wall.connect("bricks_came_apart", _on_came_apart)
	add_child(_wall)
	_lay_wall()


func tick(number: int) -> void:
	if _wall != null and number >= FIRST_SHOT and number <= LAST_SHOT and (number - FIRST_SHOT) % SHOT_EVERY == 0:
		_shoot()


func extra_figures() -> Dictionary:
	if _wall == null:
		return super.extra_figures()
	var left: int = _wall.get("bricks").brick_count()
	if recorder.ticks() > LAST_SHOT:
		expect_between("pieces that came off", _pieces, 1, 200)
	expect_between("bricks of the wall", left, 2000, LENGTH / 2 * HEIGHT * DEPTH / 2)
	var figures := super.extra_figures()
	figures.merge({"bricks": left, "pieces": _pieces, "bricks_of_pieces": _pieces_bricks, "shots": _shots})
	return figures


## Shots along a line that sinks to the right cut the upper part off.
func _shoot() -> void:
	var along := -10.0 + 1.02 * _shots
	var target := Vector3(along, 8.6 - 0.16 * _shots + 0.15 * sin(2.0 * _shots), 0)
	_shots += 1
	for depth: int in 3: # a shot goes through
		var query := PhysicsRayQueryParameters3D.create(target + Vector3(0, 0, 30), target - Vector3(0, 0, 30))
		var hit := get_world_3d().direct_space_state.intersect_ray(query)
		if hit.is_empty() or hit["collider"] != _wall:
			return
		var bricks: Resource = _wall.get("bricks")
		bricks.call("remove_bricks", bricks.call("bricks_in_ball", _wall.to_local(hit["position"]) - Vector3(0, 0, 0.4), SHOT_RADIUS))


func _on_came_apart(_piece: Node, numbers: PackedInt32Array, _new_numbers: PackedInt32Array) -> void:
	_pieces += 1
	_pieces_bricks += numbers.size()


func _lay_wall() -> void:
	var boxes := PackedInt32Array()
	var settings := PackedInt32Array()
	for y: int in HEIGHT:
		var shift := y % 2
		for x: int in range(0, LENGTH, 2):
			for z: int in range(0, DEPTH, 2):
				var low := Vector3i(x + shift - LENGTH / 2, y, z - DEPTH / 2)
				boxes.append_array([low.x, low.y, low.z, low.x + 2, low.y + 1, low.z + 2])
				settings.append_array([1, -1, 1, (x / 2 + y + z) * 7 % 4])
	_wall.get("bricks").call("add_boxes", boxes, settings)
