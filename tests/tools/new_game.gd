extends SceneTree
## Plays the project that `scree new` makes, as somebody does who begins with it.


func _initialize() -> void:
	print("class ", PhysicsServer3D.get_class())
	var _error := change_scene_to_file("res://main.tscn")
	await _ticks(60)
	var player: Player = current_scene.get_node("Player")
	print("stands ", player.on_floor, " ", snappedf(player.global_position.y, 0.05))
	print("label ", _label())
	await _walk_into_crates(player)
	await _climb(player)
	await _fill_goal()
	await _fall(player)
	quit()


func _ticks(count: int) -> void:
	for tick: int in count:
		await physics_frame


func _label() -> String:
	var label: Label = current_scene.get_node("Screen/Label")
	return label.text


func _hold(action: StringName, ticks: int) -> void:
	Input.action_press(action)
	await _ticks(ticks)
	Input.action_release(action)
	await _ticks(10)


## From the right against the lowest crates: they move.
func _walk_into_crates(player: Player) -> void:
	var crate: Crate = current_scene.get_node("Crates/Crate3")
	var before := crate.global_position.x
	player.global_position = Vector3(5, 0.95, -2)
	await _hold(&"move_left", 90)
	print("pushes ", before - crate.global_position.x > 0.2)


## Up the stairs of 0.3 m each: the platform is 1.2 m high. Then a jump.
func _climb(player: Player) -> void:
	player.global_position = Vector3(-5, 0.95, 1)
	await _hold(&"move_ahead", 70)
	print("climbs ", snappedf(player.global_position.y, 0.05), " ", player.on_floor)
	var highest := player.global_position.y
	var start := highest
	Input.action_press(&"jump")
	for tick: int in 70:
		await physics_frame
		highest = maxf(highest, player.global_position.y)
	Input.action_release(&"jump")
	print("jumps ", snappedf(highest - start, 0.1))


func _fill_goal() -> void:
	var crate: Crate = current_scene.get_node("Crates/Crate1")
	crate.global_position = Vector3(2, 0.5, -8)
	await _ticks(20)
	print("label ", _label())
	crate.global_position = Vector3(30, -9, 0)
	await _ticks(60)
	print("label ", _label())
	print("comes back ", crate.global_position.distance_to(Vector3(1, 0.4, -2)) < 2.0)


## A character that falls off the world begins the level again.
func _fall(player: Player) -> void:
	var number := player.get_instance_id()
	player.global_position = Vector3(40, -9, 0)
	await _ticks(90)
	print("begins again ", not is_instance_id_valid(number) and current_scene.get_node("Player").get("on_floor"))
