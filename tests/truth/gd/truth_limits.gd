extends "res://truth/truth_scene.gd"
## Too much in one place stops nobody else; and what it costs to make and to ask.

const ROUNDS := 7


## 16 heaps of 200 boxes at one place each, and a lone body 100 m away.
func rows_heaps() -> void:
	floor_body()
	for heap: int in 16:
		for number: int in 200:
			rigid(box(), Vector3(6.0 * (heap % 4), 1.0, 6.0 * (heap / 4)))
	var lone := rigid(box(), Vector3(80, 30, 80))
	var begin := Time.get_ticks_msec()
	var ticks := 0
	var longest := 0
	while ticks < 60 and Time.get_ticks_msec() - begin < 120_000:
		var before := Time.get_ticks_msec()
		await steps()
		longest = maxi(longest, Time.get_ticks_msec() - before)
		ticks += 1
	var seconds := ticks * TICK
	formula("lone body beside 16 heaps of 200 boxes: speed over g t", "", -lone.linear_velocity.y / (GRAVITY * seconds), 1.0)
	least("16 heaps of 200 boxes: worst tick", "ms", longest, 10.0, 1.25)


## Floors of some rounds, each of `count` calls [us a call].
func _cost(count: int, call: Callable) -> float:
	var best := INF
	for round: int in ROUNDS:
		var begin := Time.get_ticks_usec()
		for number: int in count:
			call.call(number)
		best = minf(best, (Time.get_ticks_usec() - begin) / float(count))
	return best


func rows_scaled_queries() -> void:
	for number: int in 100:
		fixed(box(), Vector3(2 * (number % 10), 0, 2 * (number / 10)))
	await steps(3)
	var shapes: Dictionary[String, Shape3D] = {"box": box(), "ball": sphere(), "hull": frustum(12, 0.5, 0.4, 1.0)}
	for name: String in shapes:
		for scale: Vector3 in [Vector3.ONE, Vector3.ONE * 1.5, Vector3(1.0, 1.5, 2.0)]:
			if name == "ball" and scale.x != scale.z:
				continue
			var query := PhysicsShapeQueryParameters3D.new()
			query.shape = shapes[name]
			query.transform = Transform3D(Basis.from_scale(scale), Vector3(8.3, 0.5, 8.2))
			var space := direct_space()
			least("intersect_shape of a %s scaled by %s" % [name, scale], "us", _cost(50, func(_number: int) -> void:
				space.intersect_shape(query)), 1.0, 1.25)


## A RigidBody3D with a shape of its own, until it is in the world; then freed.
func rows_nodes() -> void:
	var kinds: Dictionary[String, Callable] = {
		"box": func() -> Shape3D: return box(),
		"hull": func() -> Shape3D: return frustum(12, 0.5, 0.4, 1.0),
		"mesh of 200 triangles": func() -> Shape3D: return mesh_floor(10, 1.0)}
	for name: String in kinds:
		var making := INF
		var freeing := INF
		for round: int in ROUNDS:
			var made: Array[Node] = []
			var begin := Time.get_ticks_usec()
			for number: int in 50:
				made.append(rigid(kinds[name].call(), Vector3(3 * number, 100, 0)) if name != "mesh of 200 triangles" else
					fixed(kinds[name].call(), Vector3(20 * number, 100, 0)))
			making = minf(making, (Time.get_ticks_usec() - begin) / 50.0)
			await steps(2)
			begin = Time.get_ticks_usec()
			for node: Node in made:
				node.free()
			freeing = minf(freeing, (Time.get_ticks_usec() - begin) / 50.0)
			await steps(2)
		least("body with a %s of its own: made in" % name, "us", making, 5.0, 1.25)
		least("body with a %s of its own: freed in" % name, "us", freeing, 5.0, 1.25)


func rows_spawned_boxes() -> void:
	var shape := box()
	var begin := Time.get_ticks_usec()
	var first: Node = null
	for number: int in 4096:
		var body := rigid(shape, Vector3(3 * (number % 64), 100, 3 * (number / 64)))
		first = first if first != null else body
	await steps(1)
	least("4,096 boxes: made and stepped once in", "ms", (Time.get_ticks_usec() - begin) / 1000.0, 20.0, 1.25)
