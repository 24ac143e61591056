extends RefCounted
## The tie of an end of a rope: to a body, a kinematic body that follows a node, or the world if there is neither.

var joint := RID()
var body := RID()
var is_led := false
var leader: Node3D
# In the frame of the body; of the world if there is none.
var place := Vector3.ZERO
# What it is tied in: bodies by the ids of their nodes. The rods next to it do not collide with them.
var around: Dictionary[RID, int] = {}


## Chooses what the end at a place, global, is tied to: a node, or the world without one.
func choose(node: Node3D, at: Vector3, space: RID) -> void:
	place = at
	if node is PhysicsBody3D:
		body = (node as PhysicsBody3D).get_rid()
	elif node != null:
		is_led = true
		leader = node
		body = PhysicsServer3D.body_create()
		PhysicsServer3D.body_set_mode(body, PhysicsServer3D.BODY_MODE_KINEMATIC)
		follow()
		PhysicsServer3D.body_set_space(body, space)
	if node != null:
		place = node.global_transform.orthonormalized().affine_inverse() * at


## Finds the bodies in which a rope that is tied at a place ends: a wall, a beam, what it hangs from.
func look_around(at: Vector3, radius: float, mask: int, rods: Array[RID], state: PhysicsDirectSpaceState3D) -> void:
	var ball := SphereShape3D.new()
	ball.radius = radius
	var query := PhysicsShapeQueryParameters3D.new()
	query.shape = ball
	query.transform.origin = at
	query.collision_mask = mask
	query.exclude = rods
	for hit: Dictionary in state.intersect_shape(query):
		around[hit["rid"]] = hit["collider_id"]


## Ties a rod at a place in its frame; a joint that there was is freed.
func pin(rod: RID, local: Vector3) -> void:
	var made := PhysicsServer3D.joint_create()
	PhysicsServer3D.joint_make_pin(made, rod, local, body, place)
	PhysicsServer3D.joint_disable_collisions_between_bodies(made, true)
	if joint.is_valid():
		PhysicsServer3D.free_rid(joint)
	joint = made


## Lets a rod pass through what the tie ends in, or no longer.
func spare(rod: RID, is_spared: bool) -> void:
	for other: RID in around:
		if not is_instance_id_valid(around[other]):
			continue
		if is_spared:
			PhysicsServer3D.body_add_collision_exception(rod, other)
		else:
			PhysicsServer3D.body_remove_collision_exception(rod, other)


func follow() -> void:
	if is_instance_valid(leader):
		PhysicsServer3D.body_set_state(body, PhysicsServer3D.BODY_STATE_TRANSFORM, leader.global_transform.orthonormalized())


func free_all() -> void:
	PhysicsServer3D.free_rid(joint)
	if is_led:
		PhysicsServer3D.free_rid(body)
