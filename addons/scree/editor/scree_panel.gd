@tool
extends TabContainer
## The panel "Scree" at the bottom of the editor: collision layers and traps of the open scene, and Scree's project settings.

const LayersTab := preload("layers_tab.gd")
const TrapsTab := preload("traps_tab.gd")
const SettingsTab := preload("settings_tab.gd")
const LONGEST_COST := 150  ## A scene that takes longer to read is not read after each edit, only by the button [ms].
const RENEWED_AFTER := 0.3  ## Time after the last edit [s].

var layers := LayersTab.new()
var traps := TrapsTab.new()
var settings := SettingsTab.new()

var _due := Timer.new()
var _cost := 0  # of the last reading [ms]


func _init() -> void:
	name = "Scree"
	custom_minimum_size.y = 260.0
	for tab: Control in [layers, traps, settings]:
		add_child(tab)
	_due.one_shot = true
	_due.wait_time = RENEWED_AFTER
	_due.timeout.connect(_renew)
	add_child(_due, false, Node.INTERNAL_MODE_BACK)
	for tab: Control in [layers, traps]:
		tab.set("scene", EditorInterface.get_edited_scene_root)
		tab.set("choose", _choose)


## Connects the panel with the editor.
func attach(plugin: EditorPlugin) -> void:
	traps.undo = plugin.get_undo_redo()
	plugin.scene_changed.connect(_renew.unbind(1))
	plugin.get_undo_redo().version_changed.connect(func() -> void:
		if is_visible_in_tree() and _cost < LONGEST_COST:
			_due.start())


## Reads the open scene again, if that is seen.
func _renew() -> void:
	for tab: Control in [layers, traps]:
		if tab.is_visible_in_tree():
			var began := Time.get_ticks_msec()
			tab.call("show_scene")
			_cost = Time.get_ticks_msec() - began


func _choose(nodes: Array) -> void:
	var selection := EditorInterface.get_selection()
	selection.clear()
	for node: Node in nodes:
		if is_instance_valid(node):
			selection.add_node(node)
	if nodes.size() == 1 and is_instance_valid(nodes[0]):
		EditorInterface.edit_node(nodes[0])
