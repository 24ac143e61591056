extends Node3D
## The level: shows how many crates are in the goal, and begins again.

## The player's character; here to read what it stands on and how it moves.
@export var player: ScreeCharacter3D
## Where crates are to be pushed.
@export var goal: Goal
## The parent of all crates.
@export var crates: Node3D

@onready var _label: Label = $Screen/Label


func _ready() -> void:
	_show(goal.count)


func _physics_process(_delta: float) -> void:
	if player.global_position.y < Crate.LOWEST:
		_begin_again()


func _unhandled_input(event: InputEvent) -> void:
	if event.is_action_pressed(&"restart"):
		_begin_again()


func _begin_again() -> void:
	var _error := get_tree().reload_current_scene()


func _on_goal_count_changed(count: int) -> void:
	_show(count)


func _show(count: int) -> void:
	_label.text = "%d of %d crates in the goal" % [count, crates.get_child_count()]
