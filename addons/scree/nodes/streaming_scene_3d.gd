@tool
@icon("res://addons/scree/nodes/streaming_scene_3d.svg")
class_name StreamingScene3D
extends Marker3D
## A place of a streamed world where a scene is instanced when a viewer is near.
##
## `scree bake` puts it into the index of the world; [StreamingWorld3D] instances it, and frees it when the viewers are away.

## The scene's file.
@export_file("*.tscn", "*.scn") var scene := ""
## The scene's script moves and spawns freely within this radius; all collision under it is loaded before the scene is active.
@export_range(0.0, 500.0, 1.0, "suffix:m") var encounter_radius := 125.0:
	set(value):
		encounter_radius = value
		update_gizmos()
## The scene is active while a viewer is so near to the edge of the encounter area.
@export_range(0.0, 1000.0, 1.0, "suffix:m") var activation_radius := 200.0:
	set(value):
		activation_radius = value
		update_gizmos()


func _get_configuration_warnings() -> PackedStringArray:
	return PackedStringArray() if scene != "" else PackedStringArray(["Choose the scene's file."])
