extends "res://truth/truth_scene.gd"
## Bodies that are made in each other come apart without a bang.


func rows_made_at_one_place() -> void:
	for count: int in [2, 20, 500]:
		floor_body()
		var bodies: Array[RigidBody3D] = []
		for number: int in count:
			bodies.append(rigid(box(), Vector3(0, 1.0, 0)))
		var most := {"speed": 0.0, "distance": 0.0}
		var worst := await timed_steps(300 if count < 500 else 120, func() -> void:
			for body: RigidBody3D in bodies:
				most["speed"] = maxf(most["speed"], body.linear_velocity.length())
				most["distance"] = maxf(most["distance"], body.position.length()))
		var words := "%d boxes made at one place" % count
		least("%s: greatest speed" % words, "m/s", most["speed"], 0.5)
		least("%s: farthest" % words, "m", most["distance"], 0.5)
		least("%s: worst tick" % words, "ms", worst, 5.0)
		for child: Node in get_children():
			child.free()
