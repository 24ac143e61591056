@tool
extends "scene_tab.gd"
## The tab "Traps": settings of the open scene that physics punishes, each with a button that mends it where that is possible.

const Rules := preload("trap_rules.gd")
const Trap := preload("trap.gd")

## The EditorUndoRedoManager.
var undo: Variant
var traps: Array[Trap] = []

var _tree := Tree.new()
var _count := Label.new()


func _init() -> void:
	name = "Traps"
	add_bar("Look at the open scene again.", _count)
	_tree.columns = 4
	_tree.hide_root = true
	_tree.column_titles_visible = true
	_tree.select_mode = Tree.SELECT_ROW
	_tree.size_flags_vertical = Control.SIZE_EXPAND_FILL
	_tree.tooltip_text = "Choose a row to select its node."
	for column: int in 4:
		_tree.set_column_title(column, ["Node", "Trap", "Why", "Mend"][column])
		_tree.set_column_title_alignment(column, HORIZONTAL_ALIGNMENT_LEFT)
		_tree.set_column_expand_ratio(column, [3, 2, 7, 4][column])
		_tree.set_column_clip_content(column, true)
	_tree.item_selected.connect(_select)
	_tree.button_clicked.connect(_mend)
	add_child(_tree)


## Fills the tab from the open scene.
func show_scene() -> void:
	_tree.clear()
	traps.clear()
	var root := root_of_scene()
	if root == null:
		_count.text = "No scene is open."
		return
	traps = Rules.check(root)
	_count.text = "No trap found." if traps.is_empty() else "%d found" % traps.size()
	var top := _tree.create_item()
	for number: int in traps.size():
		_add_row(top, root, number)


func _add_row(top: TreeItem, root: Node, number: int) -> void:
	var trap := traps[number]
	var row := _tree.create_item(top)
	row.set_text(0, trap.path_from(root))
	row.set_text(1, trap.rule)
	row.set_text(2, trap.text)
	row.set_autowrap_mode(2, TextServer.AUTOWRAP_WORD_SMART)
	row.set_metadata(0, number)
	for column: int in 3:
		row.set_tooltip_text(column, trap.text)
	if trap.can_mend():
		row.set_text(3, trap.mend_text)
		row.set_tooltip_text(3, "%s. Undo with Ctrl+Z." % trap.mend_text)
		row.add_button(3, get_theme_icon("Tools", "EditorIcons"), 0, false, "%s. Undo with Ctrl+Z." % trap.mend_text)


func _select() -> void:
	var row := _tree.get_selected()
	if row != null and choose.is_valid():
		choose.call([traps[row.get_metadata(0)].node])


func _mend(row: TreeItem, _column: int, _id: int, _mouse_button: int) -> void:
	traps[row.get_metadata(0)].mend(undo)
	show_scene()
