class_name NavigationSource
extends RefCounted
## The triangles of all collision in a box, as it stands at one moment, for baking navigation meshes.
##
## [method collect] may be called from any thread, best from a worker, while the world streams and steps: poses are copied
## between two steps, triangles are made beside them. Streamed bodies, which have no nodes, are among them; one call serves many
## blocks:
## [codeblock]
## func _bake(space: RID, blocks: Array[AABB]) -> void: # on a worker thread
##     var all := blocks[0]
##     for block in blocks:
##         all = all.merge(block)
##     var source := NavigationSource.collect(space, all.grow(1.0))
##     for block in blocks:
##         var mesh := NavigationMesh.new()
##         mesh.filter_baking_aabb = block
##         NavigationServer3D.bake_from_source_geometry_data(mesh, source)
## [/codeblock]

## Blocks of this side fit the usual cell sizes [m].
const BLOCK := 12.8


## The triangles of all bodies in [param box] that are in a layer of [param mask]. Null after an error, or with another physics engine.
static func collect(space: RID, box: AABB, mask := 0xFFFFFFFF) -> NavigationMeshSourceGeometryData3D:
	if not PhysicsServer3D.has_method("space_triangles"):
		push_error("NavigationSource: needs Scree Physics, this is %s" % PhysicsServer3D.get_class())
		return null
	var faces: Variant = PhysicsServer3D.call("space_triangles", space, box.position, box.end, mask)
	if not faces is PackedVector3Array:
		return null
	var source := NavigationMeshSourceGeometryData3D.new()
	source.add_faces(faces, Transform3D.IDENTITY)
	return source


## Blocks of [constant BLOCK] that cover a place: [param count] on each side of it, on a grid that does not move with it.
static func blocks_round(place: Vector3, count := 2, height := 64.0) -> Array[AABB]:
	var blocks: Array[AABB] = []
	var corner := (place / BLOCK).floor()
	for x: int in range(-count, count):
		for z: int in range(-count, count):
			var low := Vector3((corner.x + x) * BLOCK, place.y - 0.5 * height, (corner.z + z) * BLOCK)
			blocks.append(AABB(low, Vector3(BLOCK, height, BLOCK)))
	return blocks
