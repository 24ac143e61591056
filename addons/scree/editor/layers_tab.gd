@tool
extends "scene_tab.gd"
## The tab "Layers": which collision layers occur in the open scene, and which of them meet.

const LayerTable := preload("layer_table.gd")
const SIGNS := ["·", "→", "←", "●"]  ## By `meeting` of row and column.

var _grid := GridContainer.new()
var _notes := RichTextLabel.new()


func _init() -> void:
	name = "Layers"
	var legend := Label.new()
	legend.text = "●  each looks at the other    →  the row looks at the column    ←  the column looks at the row    !  one side is not pushed"
	add_bar("Read the layers and masks of the open scene again.", legend)
	var split := HSplitContainer.new()
	split.size_flags_vertical = Control.SIZE_EXPAND_FILL
	var scroll := ScrollContainer.new()
	scroll.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	scroll.size_flags_stretch_ratio = 2.0
	_grid.add_theme_constant_override("h_separation", 2)
	_grid.add_theme_constant_override("v_separation", 2)
	scroll.add_child(_grid)
	split.add_child(scroll)
	_notes.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	_notes.tooltip_text = "Pairs of layers of which physics pushes only one side, and layers that nothing uses."
	split.add_child(_notes)
	add_child(split)


## Fills the tab from the open scene.
func show_scene() -> void:
	for child: Node in _grid.get_children():
		_grid.remove_child(child)
		child.queue_free()
	var root := root_of_scene()
	if root == null:
		_notes.text = "No scene is open."
		return
	var table: LayerTable = LayerTable.of_scene(root)
	var layers: Array[int] = []
	for layer: int in LayerTable.COUNT:
		if table.shown() >> layer & 1:
			layers.append(layer)
	_grid.columns = layers.size() + 3
	_add_heads(layers)
	for a: int in layers:
		_add_row(table, layers, a)
	_notes.text = "\n".join(_notes_of(table, layers))


func _add_heads(layers: Array[int]) -> void:
	_add_label("Layer", "Collision layers of the scene, and those that the project has named.")
	_add_label("Nodes", "Nodes of the open scene on the layer.")
	for layer: int in layers:
		_add_label(str(layer + 1), "Layer %s" % LayerTable.title_of(layer)).horizontal_alignment = HORIZONTAL_ALIGNMENT_CENTER
	_add_label("Tree", "The quad tree of Scree in which bodies on the layer lie (physics/scree_3d/broad_phase).")


func _add_row(table: LayerTable, layers: Array[int], a: int) -> void:
	var nodes: Array = table.on[a]
	var title := _add_label(LayerTable.title_of(a), "%d nodes of the scene are on this layer." % nodes.size())
	if nodes.is_empty():
		title.modulate.a = 0.5
	_add_cell(str(nodes.size()), "Select these nodes.", nodes)
	for b: int in layers:
		var meeting := table.meeting(a, b)
		var blind := table.one_sided(a, b)
		var text: String = SIGNS[meeting]
		var said := "%s and %s: " % [LayerTable.title_of(a), LayerTable.title_of(b)]
		said += ["they do not meet.", "only the row looks at the column.", "only the column looks at the row.", "they meet."][meeting]
		if blind:
			said += "\n%d bodies of the row are not pushed by the column, which they push. Press to select them." % blind.size()
		var cell := _add_cell(text + "!" if blind else text, said, blind if blind else nodes)
		if blind:
			cell.add_theme_color_override("font_color", get_theme_color("warning_color", "Editor"))
	_add_label(LayerTable.tree_of(a), "Set by physics/scree_3d/broad_phase/debris_layers and bullets_layers.")


func _add_label(text: String, said: String) -> Label:
	var label := Label.new()
	label.text = text
	label.tooltip_text = said
	label.mouse_filter = Control.MOUSE_FILTER_STOP
	_grid.add_child(label)
	return label


func _add_cell(text: String, said: String, nodes: Array) -> Button:
	var cell := Button.new()
	cell.text = text
	cell.tooltip_text = said
	cell.custom_minimum_size.x = 36.0
	cell.disabled = nodes.is_empty()
	cell.pressed.connect(func() -> void:
		if choose.is_valid():
			choose.call(nodes))
	_grid.add_child(cell)
	return cell


func _notes_of(table: LayerTable, layers: Array[int]) -> PackedStringArray:
	var lines := PackedStringArray()
	for a: int in layers:
		for b: int in layers:
			var blind := table.one_sided(a, b)
			if blind:
				var names := ", ".join(blind.slice(0, 3).map(func(node: Node) -> String: return str(node.name)))
				lines.append("! Bodies on %s push %s and are not pushed back: %s%s. Add layer %d to their masks." % [
					LayerTable.title_of(a), LayerTable.title_of(b), names, ", ..." if blind.size() > 3 else "", b + 1])
	for layer: int in LayerTable.COUNT:
		if table.unused() >> layer & 1:
			lines.append("No node of the scene is on layer %s." % LayerTable.title_of(layer))
		elif table.empty_but_looked_at() >> layer & 1:
			lines.append("Masks name layer %s, and no node of the scene is on it." % LayerTable.title_of(layer))
	if lines.is_empty():
		lines.append("Nothing is one-sided, and no layer is unused.")
	return lines
