extends SceneTree
## Ends without freeing what it made on the server: a shape, and a body with a lambda that belongs to this script.


func _initialize() -> void:
	print("class ", PhysicsServer3D.get_class())
	var hold := [self]
	var body := PhysicsServer3D.body_create()
	PhysicsServer3D.body_add_shape(body, PhysicsServer3D.sphere_shape_create())
	PhysicsServer3D.body_set_space(body, root.world_3d.space)
	PhysicsServer3D.body_set_state_sync_callback(body, func(_state: Variant) -> void: hold.clear())
	PhysicsServer3D.body_set_force_integration_callback(body, func(_state: Variant, _data: Variant) -> void: pass, [1])
	var area := PhysicsServer3D.area_create()
	PhysicsServer3D.area_set_monitor_callback(area, func(_a: int, _b: RID, _c: int, _d: int, _e: int) -> void: pass)
	quit()
