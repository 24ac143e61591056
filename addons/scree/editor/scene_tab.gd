@tool
extends VBoxContainer
## A tab of the panel that shows something of the open scene: it reads the scene when it is opened, and when the user asks.

## Chooses nodes in the editor: the function gets an Array of nodes.
var choose: Callable
## Answers the root of the open scene, or null.
var scene: Callable


## Adds the bar with the button that reads the scene again.
func add_bar(said: String, beside: Control) -> void:
	var bar := HBoxContainer.new()
	var renew := Button.new()
	renew.text = "Refresh"
	renew.tooltip_text = said
	renew.pressed.connect(show_scene)
	bar.add_child(renew)
	bar.add_child(beside)
	add_child(bar)
	visibility_changed.connect(func() -> void:
		if is_visible_in_tree():
			show_scene())


## The root of the open scene, or null.
func root_of_scene() -> Node:
	return scene.call() if scene.is_valid() else null


## Fills the tab from the open scene.
func show_scene() -> void:
	pass
