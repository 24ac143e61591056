extends "res://truth/truth_scene.gd"
## Tall piles that statics lets stand: stacks, an upside-down pyramid, planks that hang over an edge.

## [m/s^2]
const STRENGTH := 10.0


## 30 boxes of one size, put exactly above each other, that may not sleep.
func rows_thirty_boxes() -> void:
	for size: float in [1.0, 0.5, 0.05]:
		set_gravity(STRENGTH)
		fixed(plane(), Vector3.ZERO, {"physics_material_override": surface(0.5)})
		var top: RigidBody3D = null
		for number: int in 30:
			top = rigid(box(Vector3.ONE * size), Vector3.UP * size * (number + 0.5),
				{"can_sleep": false, "physics_material_override": surface(0.5)})
		var stands := 0
		for tick: int in 600:
			await steps()
			var off := Vector2(top.position.x, top.position.z).length() / size
			if stands == tick and off < 0.1 and 29.5 - top.position.y / size < 0.6:
				stands += 1
		var words := "30 boxes of %s m, awake" % size
		formula("%s: the top one is in its place for" % words, "s", stands * TICK, 10.0)
		formula("%s: height of the top one after 10 s" % words, "sizes", top.position.y / size, 29.5, 0.6)
		for child: Node in get_children():
			child.free()


## Planks whose lengths grow upwards. Their common centre is above the middle of the lowest one.
func rows_upside_down_pyramid() -> void:
	set_gravity(STRENGTH)
	fixed(plane(), Vector3.ZERO, {"physics_material_override": surface(0.6)})
	var top: RigidBody3D = null
	for number: int in 15:
		var size := Vector3(0.5 * (number + 1), 0.2, 0.5)
		top = rigid(box(size), Vector3.UP * (0.1 + 0.2 * number),
			{"mass": 500.0 * size.x * size.y * size.z, "can_sleep": false, "physics_material_override": surface(0.6)})
	var stands := 0
	var sunk := 0.0
	for tick: int in 480:
		await steps()
		if stands == tick and rad_to_deg(top.basis.y.angle_to(Vector3.UP)) < 0.5:
			stands += 1
			sunk = maxf(sunk, 2.9 - top.position.y)
	formula("upside-down pyramid of 15 planks: stands for", "s", stands * TICK, 8.0)
	formula("upside-down pyramid of 15 planks: sinks by, while it stands", "m", sunk, 0.0, 0.03)


## Planks on the edge of a table, each farther out than the one below. `part` of the greatest overhang (1/2 + 1/4 + 1/6 + ...).
func rows_overhang() -> void:
	await _overhang(2, 0.05, 0.9)
	await _overhang(3, 0.05, 0.9)
	await _overhang(5, 0.05, 0.8)
	await _overhang(5, 0.05, 0.9)
	await _overhang(8, 1.0, 0.9)


func _overhang(count: int, length: float, part: float) -> void:
	set_gravity(STRENGTH)
	fixed(box(Vector3(1.0, 2.0, 2.0) * length), Vector3(-0.5, -1.0, 0.0) * length)
	var x := -length / 2.0
	var top: RigidBody3D = null
	for number: int in count:
		x += part * length / (2.0 * (count - number))
		top = rigid(box(Vector3(1.0, 0.2, 0.5) * length), Vector3(x, 0.1 * length * (1 + 2 * number), 0.0), {"can_sleep": false})
	var height := 0.1 * (2 * count - 1)
	var stands := 0
	for tick: int in 240:
		await steps()
		if stands == tick and height - top.position.y / length < 0.5:
			stands += 1
	var words := "%d planks of %s m, %.1f of the greatest overhang" % [count, length, part]
	formula("%s: stand for" % words, "s", stands * TICK, 4.0)
	formula("%s: tilt of the top one after 4 s (90: fallen)" % words, "deg",
		rad_to_deg(top.basis.y.angle_to(Vector3.UP)) if stands == 240 else 90.0, 0.0, 1.0)
	for child: Node in get_children():
		child.free()
