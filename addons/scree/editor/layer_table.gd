@tool
extends RefCounted
## Collision layers of a scene: which nodes are on which layer, and which layers they look at. Needs no editor.

const COUNT := 32
const BOTH := 3  ## Of `meeting`: each of the two layers looks at the other.

## Nodes on each layer: 32 lists.
var on: Array[Array] = []
## Numbers of nodes on layer a that look at layer b, at 32 * a + b.
var seeing := PackedInt32Array()
## Layers (bits) that some node of the scene is on, and those that one looks at.
var used := 0
var looked_at := 0


static func of_scene(root: Node) -> RefCounted:
	var table := new()
	table.seeing.resize(COUNT * COUNT)
	for layer: int in COUNT:
		table.on.append([])
	table._add(root)
	for node: Node in root.find_children("*", "Node3D", true, false):
		table._add(node)
	return table


func _add(node: Node) -> void:
	if not (node is Node3D and "collision_layer" in node and "collision_mask" in node):
		return
	var layers: int = node.get("collision_layer")
	var mask: int = node.get("collision_mask")
	used |= layers
	looked_at |= mask
	for layer: int in COUNT:
		if layers >> layer & 1:
			on[layer].append(node)
			_count(COUNT * layer, mask)


func _count(row: int, mask: int) -> void:
	var other := 0
	while mask:
		seeing[row + other] += mask & 1
		mask >>= 1
		other += 1


## Which of two layers looks at the other: bit 1 if a looks at b, bit 2 if b looks at a. Layers on which nothing is count as blind.
func meeting(a: int, b: int) -> int:
	return int(seeing[COUNT * a + b] > 0 and not on[b].is_empty()) | int(seeing[COUNT * b + a] > 0 and not on[a].is_empty()) << 1


## Bodies on layer a that can move and are blind for layer b, while a body on b looks at a: physics pushes only the body on b.
## Areas are left out: they are meant to look at bodies that do not look at them.
func one_sided(a: int, b: int) -> Array[Node]:
	var found: Array[Node] = []
	if not on[b].any(func(node: Node) -> bool: return not node is Area3D and _looks_at(node, a)):
		return found
	for node: Node in on[a]:
		if (node is RigidBody3D or node is CharacterBody3D) and not _looks_at(node, b) and not _is_seen(node, b):
			found.append(node)
	return found


func _looks_at(node: Node, layer: int) -> bool:
	return int(node.get("collision_mask")) >> layer & 1 == 1


## Whether a node looks at every node on a layer by another of their layers.
func _is_seen(node: Node, layer: int) -> bool:
	return on[layer].all(func(other: Node) -> bool: return int(node.get("collision_mask")) & int(other.get("collision_layer")))


## The layers to show (bits): those that occur, and those that the project has named.
func shown() -> int:
	var bits := used
	for layer: int in COUNT:
		if name_of(layer):
			bits |= 1 << layer
	return bits


## Layers that have a name and are not in the scene (bits).
func unused() -> int:
	return shown() & ~used


## Layers that some mask of the scene has and on which nothing is (bits).
func empty_but_looked_at() -> int:
	# The masks of a project often have all bits: then nothing is meant by it.
	return looked_at & ~used if looked_at != 0xFFFFFFFF else 0


## The project's name of a layer, from 0; empty if it has none.
static func name_of(layer: int) -> String:
	return ProjectSettings.get_setting("layer_names/3d_physics/layer_%d" % (layer + 1), "")


## Number and name of a layer as users know them.
static func title_of(layer: int) -> String:
	var name := name_of(layer)
	return "%d %s" % [layer + 1, name] if name else str(layer + 1)


## Scree's tree for the bodies on a layer, by the project settings: "debris", "bullets" or "moving / static".
static func tree_of(layer: int) -> String:
	for kind: String in ["debris", "bullets"]:
		if int(ProjectSettings.get_setting("physics/scree_3d/broad_phase/%s_layers" % kind, 0)) >> layer & 1:
			return kind
	return "moving / static"
