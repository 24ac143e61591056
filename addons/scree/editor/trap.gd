@tool
extends RefCounted
## One trap of a scene: the node, the text, and the changes of properties that mend it.

var node: Node
var rule: String
var text: String
## The label of the button that mends it; empty if the user must decide.
var mend_text: String
var _changes: Array[Array] = []


static func found(at: Node, by_rule: String, said: String) -> RefCounted:
	var trap := new()
	trap.node = at
	trap.rule = by_rule
	trap.text = said
	return trap


## Adds a change to the mend: an object, its property, the new value.
func with_change(object: Object, property: StringName, value: Variant, label: String) -> RefCounted:
	_changes.append([object, property, value])
	mend_text = label
	return self


func can_mend() -> bool:
	return not _changes.is_empty()


## Path of the node from the root of the scene.
func path_from(root: Node) -> String:
	return str(root.name) if node == root else str(root.get_path_to(node))


## Mends it as one step of an EditorUndoRedoManager or an UndoRedo, so that Ctrl+Z takes it back.
func mend(undo: Variant) -> void:
	undo.create_action("Scree: %s (%s)" % [mend_text, node.name])
	for change: Array in _changes:
		var object: Object = change[0]
		undo.add_do_property(object, change[1], change[2])
		undo.add_undo_property(object, change[1], object.get(change[1]))
	undo.commit_action()
