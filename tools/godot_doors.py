"""Godot's door to each public ability of the Python package: a node's property, a call of Godot, or a method of `Scree`.

One line per name of `scree.__all__` and per public method or property: `name | doors | note`. A door is `Class.member` or `Class`
as ClassDB or a script of the addon knows it, or a project setting; `-` where there is none, and the note says why.
`tests/godot_bridge/test_godot_doors.py` fails for a name without a line, and for a door that Godot does not have.
"""

DOORS = """
AntiRollBar | ScreePhysicsServer3D.vehicle_create | "anti_roll_bars" of its description
Area | Area3D |
Area.id | CollisionObject3D.get_rid |
Area.space | PhysicsServer3D.area_get_space |
Area.position | Node3D.global_position, PhysicsServer3D.area_set_transform |
Area.move | Node3D.global_transform, PhysicsServer3D.area_set_transform |
Area.overlaps | Area3D.get_overlapping_bodies, Area3D.get_overlapping_areas |
Area.watch | Area3D.monitoring, PhysicsServer3D.area_set_monitor_callback |
Area.set_visible | Area3D.monitorable, PhysicsServer3D.area_set_monitorable |
Area.set_effect | Area3D.gravity_space_override, PhysicsServer3D.area_set_param |
Area.remove | Node.queue_free, PhysicsServer3D.free_rid |
AreaEffect | Area3D.gravity_space_override, Area3D.gravity_point, Area3D.linear_damp_space_override |
AreaEvents | Area3D.body_shape_entered, Area3D.body_shape_exited, Area3D.area_shape_entered |
AreaEvents.entered | Area3D.body_entered, Area3D.body_exited |
AreaEvents.area_ids | Area3D.area_entered |
AreaEvents.other_ids | Area3D.body_entered |
AreaEvents.shapes | Area3D.body_shape_entered |
Axis | Scree.joint_set_limits, Scree.joint_set_motor, Scree.joint_set_spring |
Bake | - | tiles are baked from a scene in the editor: the plugin's import, or `scree bake`
Bake.add_static | - | see Bake
Bake.add_static_many | - | see Bake
Bake.add_scene | StreamingScene3D | a node of the scene that is baked
Bake.write | - | see Bake
Bodies | MultiBody3D, Scree.bodies_create | a packed array of ids
Bodies.space | PhysicsServer3D.body_get_space |
Bodies.ids | CollisionObject3D.get_rid |
Bodies.field | - | a view of the engine's memory; scripts get copies
Bodies.positions | Scree.transforms_of, MultiBody3D.get_transforms |
Bodies.rotations | Scree.transforms_of, MultiBody3D.get_transforms |
Bodies.velocities | Scree.velocities_of, Scree.set_velocities_of |
Bodies.angular_velocities | Scree.angular_velocities_of, Scree.set_velocities_of |
Bodies.centers_of_mass | PhysicsDirectBodyState3D.center_of_mass | one body a call
Bodies.masses | PhysicsServer3D.body_get_param | one body a call
Bodies.is_asleep | Scree.are_asleep |
Bodies.move | Scree.set_transforms_of |
Bodies.apply_impulses | Scree.apply_impulses_to |
Bodies.apply_torque_impulses | PhysicsServer3D.body_apply_torque_impulse | one body a call
Bodies.apply_forces | PhysicsServer3D.body_apply_force | one body a call
Bodies.apply_torques | PhysicsServer3D.body_apply_torque | one body a call
Bodies.set_constant_forces | PhysicsServer3D.body_set_constant_force | one body a call
Bodies.wake | Scree.set_asleep |
Bodies.sleep | Scree.set_asleep |
Bodies.remove | Scree.bodies_free |
Body | RigidBody3D, StaticBody3D, AnimatableBody3D |
Body.id | CollisionObject3D.get_rid |
Body.space | PhysicsServer3D.body_get_space |
Body.exists | - | a call with the RID of a freed body prints one error
Body.mode | PhysicsServer3D.body_set_mode, RigidBody3D.freeze |
Body.position | Node3D.global_position, PhysicsServer3D.body_set_state, Scree.body_get_exact_position |
Body.rotation | Node3D.global_basis, PhysicsServer3D.body_set_state |
Body.basis | Node3D.global_basis, PhysicsServer3D.body_get_state |
Body.move | AnimatableBody3D.sync_to_physics, PhysicsServer3D.body_set_state | of a kinematic body
Body.velocity | RigidBody3D.linear_velocity, PhysicsServer3D.body_set_state |
Body.angular_velocity | RigidBody3D.angular_velocity, PhysicsServer3D.body_set_state |
Body.set_surface_velocity | Scree.body_set_surface_velocity, StaticBody3D.constant_linear_velocity |
Body.apply_impulse | RigidBody3D.apply_impulse, PhysicsServer3D.body_apply_impulse |
Body.apply_torque_impulse | RigidBody3D.apply_torque_impulse, PhysicsServer3D.body_apply_torque_impulse |
Body.apply_force | RigidBody3D.apply_force, PhysicsServer3D.body_apply_force |
Body.apply_torque | RigidBody3D.apply_torque, PhysicsServer3D.body_apply_torque |
Body.set_constant_force | RigidBody3D.constant_force, PhysicsServer3D.body_set_constant_force |
Body.lock_axes | PhysicsBody3D.axis_lock_linear_x, PhysicsServer3D.body_set_axis_lock |
Body.test_motion | PhysicsBody3D.test_move, PhysicsServer3D.body_test_motion |
Body.is_asleep | RigidBody3D.sleeping |
Body.wake | RigidBody3D.sleeping |
Body.sleep | RigidBody3D.sleeping |
Body.can_sleep | RigidBody3D.can_sleep |
Body.continuous | RigidBody3D.continuous_cd |
Body.mass | RigidBody3D.mass, Scree.body_set_density |
Body.center_of_mass | RigidBody3D.center_of_mass |
Body.inertia | RigidBody3D.inertia |
Body.gravity_scale | RigidBody3D.gravity_scale |
Body.linear_damp | RigidBody3D.linear_damp |
Body.angular_damp | RigidBody3D.angular_damp |
Body.max_linear_velocity | Scree.body_set_max_linear_velocity, ScreeBodySettings3D, Scree.body_get_max_linear_velocity |
Body.max_angular_velocity | Scree.body_set_max_angular_velocity, ScreeBodySettings3D, Scree.body_get_max_angular_velocity |
Body.shapes | PhysicsServer3D.body_get_shape |
Body.add_shape | CollisionShape3D.shape, PhysicsServer3D.body_add_shape |
Body.remove_shape | PhysicsServer3D.body_remove_shape |
Body.break_apart | BrickBody3D.break_apart, ScreePhysicsServer3D.bricks_find_pieces |
Body.material | PhysicsMaterial.friction, RigidBody3D.physics_material_override |
Body.layer | CollisionObject3D.collision_layer |
Body.mask | CollisionObject3D.collision_mask |
Body.ignore | PhysicsBody3D.add_collision_exception_with |
Body.contact_events | Scree.body_set_contact_events, ScreeBodySettings3D, RigidBody3D.contact_monitor |
Body.contact_class | Scree.body_set_contact_class, ScreeBodySettings3D |
Body.remove | Node.queue_free, PhysicsServer3D.free_rid |
Box | BoxShape3D |
Capsule | CapsuleShape3D |
Character | ScreeCharacter3D, ScreePhysicsServer3D.character_create |
Character.id | - | a handle of ScreePhysicsServer3D.character_create is used instead
Character.space | PhysicsServer3D.body_get_space | of its body
Character.exists | - | a call with a removed handle prints one error
Character.body | CollisionObject3D.get_rid |
Character.move | ScreeCharacter3D.walk, ScreePhysicsServer3D.character_move |
Character.jump | ScreeCharacter3D.jump, ScreePhysicsServer3D.character_jump |
Character.position | Node3D.global_position |
Character.rotation | Node3D.global_basis |
Character.velocity | CharacterBody3D.velocity |
Character.real_velocity | ScreePhysicsServer3D.character_state |
Character.falling_velocity | CharacterBody3D.velocity | a part of it
Character.on_floor | ScreeCharacter3D.on_floor |
Character.on_wall | ScreeCharacter3D.on_wall |
Character.on_ceiling | ScreeCharacter3D.on_ceiling |
Character.slides_down | ScreeCharacter3D.slides_down |
Character.has_landed | ScreeCharacter3D.has_landed |
Character.has_left | ScreePhysicsServer3D.character_move | a bit of its answer
Character.has_stepped | ScreePhysicsServer3D.character_move | a bit of its answer
Character.is_stuck | ScreeCharacter3D.is_stuck |
Character.step_up | ScreeCharacter3D.step_up |
Character.turned | ScreePhysicsServer3D.character_move | a number of its answer
Character.floor_normal | ScreeCharacter3D.floor_normal |
Character.floor_point | ScreePhysicsServer3D.character_state |
Character.wall_normal | ScreeCharacter3D.wall_normal |
Character.ground_velocity | ScreeCharacter3D.ground_velocity |
Character.standing_on | ScreeCharacter3D.standing_on |
Character.wall | ScreeCharacter3D.wall |
Character.shape | CollisionShape3D.shape |
Character.set_shape | CollisionShape3D.shape, ScreeCharacter3D.has_room_for |
Character.up | CharacterBody3D.up_direction |
Character.step_height | ScreeCharacter3D.step_height |
Character.snap | ScreeCharacter3D.snap |
Character.max_slope | CharacterBody3D.floor_max_angle |
Character.padding | ScreeCharacter3D.padding |
Character.push_force | ScreeCharacter3D.push_force |
Character.mass | ScreeCharacter3D.mass |
Character.gravity_scale | ScreePhysicsServer3D.character_configure |
Character.falls | ScreeCharacter3D.falls |
Character.keeps_velocity | ScreePhysicsServer3D.character_configure |
Character.turns | ScreeCharacter3D.turns |
Character.remove | Node.queue_free, ScreePhysicsServer3D.character_remove |
Characters | ScreePhysicsServer3D.characters_move | one call moves many
Characters.ids | - | handles of ScreePhysicsServer3D.character_create
Characters.field | - | a view of the engine's memory; scripts get copies
Characters.positions | Node3D.global_position | of each node
Characters.velocities | CharacterBody3D.velocity | of each node
Characters.floor_normals | ScreeCharacter3D.floor_normal | of each node
Characters.on_floor | ScreeCharacter3D.on_floor | of each node
Characters.on_wall | ScreeCharacter3D.on_wall | of each node
Characters.move | ScreePhysicsServer3D.characters_move |
Compound | Scree.compound_create | a body with several CollisionShape3D does the same for one body
ConeTwist | ConeTwistJoint3D |
ContactEvents | ScreeContactEvents, Scree.contacts_changed, Scree.contact_events |
ContactEvents.began | ScreeContactEvents.began, RigidBody3D.body_shape_entered |
ContactEvents.lasts | PhysicsDirectBodyState3D.get_contact_count |
ContactEvents.ended | ScreeContactEvents.ended, RigidBody3D.body_shape_exited |
ContactEvents.body_ids | ScreeContactEvents.get_body_a, PhysicsDirectBodyState3D.get_contact_collider |
ContactEvents.shapes | ScreeContactEvents.shapes_a, PhysicsDirectBodyState3D.get_contact_collider_shape |
ContactEvents.normals | ScreeContactEvents.normals, PhysicsDirectBodyState3D.get_contact_local_normal |
ContactEvents.impulses | ScreeContactEvents.impulses, PhysicsDirectBodyState3D.get_contact_impulse |
ContactEvents.friction_impulses | ScreeContactEvents.friction_impulses |
ContactEvents.approach_speeds | ScreeContactEvents.approach_speeds |
ContactEvents.point_counts | PhysicsDirectBodyState3D.get_contact_count |
ContactEvents.points | ScreeContactEvents.get_points, ScreeContactEvents.positions |
ContactEvents.depths | - | no call yet
ContactRule | ScreeContactRule | `validate` and `modify` are compiled functions: for Python alone
Custom | - | a compiled support function, which GDScript cannot write
Cylinder | CylinderShape3D |
Differential | ScreePhysicsServer3D.vehicle_create, ScreeVehicle3D.differential_ratio | "differentials" of its description
Distance | Scree.rope_create, Scree.rope_set_lengths |
Drawing | ScreeDrawing, ScreeDebugDraw3D |
Drawing.forms | ScreeDrawing.get_buffer |
Ellipsoid | Scree.ellipsoid_create |
Engine | ScreeVehicle3D.most_torque, ScreePhysicsServer3D.vehicle_create |
FREE | Scree.joint_free_axis |
Fixed | Scree.weld_create |
Gear | Scree.gear_create, Scree.gear_set_ratio |
HeightField | HeightMapShape3D, Scree.heightmap_create |
Hinge | HingeJoint3D, Scree.joint_set_motor |
History | Scree.space_save, Scree.space_restore | a script keeps the states it wants
History.steps | Scree.space_get_step_count |
History.keep | Scree.space_save |
History.restore | Scree.space_restore |
Hit | ScreeRayHits, PhysicsDirectSpaceState3D.intersect_ray |
Hits | ScreeRayHits |
Hits.is_hit | ScreeRayHits.is_hit |
Hits.positions | ScreeRayHits.positions |
Hits.normals | ScreeRayHits.normals |
Hits.distances | ScreeRayHits.fractions | as parts of the rays
Hits.body_ids | ScreeRayHits.rids |
Hits.shapes | ScreeRayHits.shapes |
Hits.faces | ScreeRayHits.faces |
Hits.surfaces | ScreeRayHits.surfaces |
Hull | ConvexPolygonShape3D |
Joint | Joint3D |
Joint.id | Joint3D.get_rid |
Joint.space | - | that of its bodies
Joint.position | Scree.joint_get_position |
Joint.set_limits | Scree.joint_set_limits, Scree.joint_free_axis |
Joint.set_motor | Scree.joint_set_motor, Scree.joint_clear_motor |
Joint.set_spring | Scree.joint_set_spring, Scree.joint_set_frequency, Scree.joint_clear_spring |
Joint.force | Scree.joint_get_force |
Joint.torque | Scree.joint_get_torque |
Joint.is_broken | Scree.joint_broke, Scree.joint_is_broken, Scree.joint_set_break |
Joint.enabled | Scree.joint_set_enabled, Scree.joint_is_enabled |
Joint.set_collide | Joint3D.exclude_nodes_from_collision |
Joint.remove | Node.queue_free, Scree.free_joint |
LOCKED | Scree.joint_set_limits | equal limits
Layers | CollisionObject3D.collision_layer | Godot's 32 layers and masks
Layers.number | CollisionObject3D.set_collision_layer_value |
Layers.bits | CollisionObject3D.collision_mask |
Layers.named | - | the names are project settings, layer_names/3d_physics/layer_1 and so on
Lean | ScreePhysicsServer3D.vehicle_create | "lean" of its description
LimitReached | Scree.pool_figures | Godot prints the warning
Listener | - | signals and Callables are disconnected by Godot
Listener.remove | Object.disconnect |
Material | PhysicsMaterial |
Material.signed | - | an encoding inside the engine
Mesh | ConcavePolygonShape3D, Scree.mesh_create |
Motor | Scree.joint_set_motor |
Part | Scree.compound_create |
Piece | BrickBody3D.bricks_came_apart, ScreePhysicsServer3D.bricks_find_pieces |
Pin | PinJoint3D |
Plane | WorldBoundaryShape3D |
PoolFull | - | Godot prints the error, which names the project setting
PoseMotors | ScreeRagdoll3D, Scree.pose_motors_create |
PoseMotors.joints | - | for recordings inside the engine
PoseMotors.recorder | - | for recordings inside the engine
PoseMotors.aim | ScreeRagdoll3D.strength, Scree.pose_motors_aim |
PoseMotors.relax | ScreeRagdoll3D.strength, Scree.pose_motors_relax |
Pulley | Scree.pulley_create |
Pulley.first_listener | - | a number inside the engine
Pulley.listeners | - | numbers inside the engine
Pulley.recorder | - | for recordings inside the engine
Pulley.records | - | for saved states inside the engine
Pulley.set_enabled | Scree.joint_set_enabled |
Pulley.remove | Scree.free_joint |
Pulley.length | Scree.pulley_get_length |
Pulley.tension | Scree.pulley_get_tension |
Pulley.set_length | Scree.pulley_set_lengths |
RackAndPinion | Scree.rack_create, Scree.gear_set_ratio |
Ranges | StreamingWorld3D.full_ring, StreamingWorld3D.medium_ring, StreamingWorld3D.low_ring, StreamingWorld3D.hysteresis |
Ranges.over_tiles | StreamingWorld3D.tiles_folder | the tiles tell their size
Recording | - | SCREE_RECORD in the environment of a game
Recording.close | - | see Recording
Rope | Scree.pulley_create |
RopeBody | ScreeRope3D |
RopeBody.bodies | ScreeRope3D.get_rods |
RopeBody.joints | - | the node keeps them
RopeBody.points | ScreeRope3D.get_points |
RopeBody.length | ScreeRope3D.get_length |
RopeBody.tensions | ScreeRope3D.get_tension | where the start is held
RopeBody.strength | ScreeRope3D.strength |
RopeBody.broken_off | ScreeRope3D.broke | the signal has the rope that came off
RopeBody.tie_start | ScreeRope3D.holds_start, ScreeRope3D.start_node |
RopeBody.tie_end | ScreeRope3D.holds_end, ScreeRope3D.end_node |
RopeBody.untie_start | ScreeRope3D.release_start |
RopeBody.untie_end | ScreeRope3D.release_end |
RopeBody.reel | ScreeRope3D.reel |
RopeBody.cut | ScreeRope3D.cut |
RopeBody.remove | Node.queue_free |
SeparationRay | SeparationRayShape3D |
Shape | Shape3D |
SixDof | Generic6DOFJoint3D |
Slider | SliderJoint3D |
SoftBody | SoftBody3D |
SoftBody.first_listener | - | a number inside the engine
SoftBody.listeners | - | numbers inside the engine
SoftBody.recorder | - | for recordings inside the engine
SoftBody.records | - | for saved states inside the engine
SoftBody.set_enabled | - | no call yet
SoftBody.remove | Node.queue_free |
SoftBody.address | - | an address inside the engine
SoftBody.positions | SoftBody3D.get_point_transform |
SoftBody.velocities | - | no call yet
SoftBody.mean_spin | - | no call yet
SoftBody.masses | - | no call yet
SoftBody.mass | SoftBody3D.total_mass |
SoftBody.set_mass | SoftBody3D.total_mass |
SoftBody.move_particles | PhysicsServer3D.soft_body_move_point |
SoftBody.move | Node3D.global_transform |
SoftBody.set_velocities | - | no call yet
SoftBody.apply_impulses | SoftBody3D.apply_impulse, PhysicsServer3D.soft_body_apply_point_impulse |
SoftBody.apply_forces | SoftBody3D.apply_force, PhysicsServer3D.soft_body_apply_point_force |
SoftBody.pins | SoftBody3D.is_point_pinned |
SoftBody.pin | SoftBody3D.set_point_pinned |
SoftBody.unpin | SoftBody3D.set_point_pinned |
SoftBody.lead_pins | SoftBody3D.set_point_pinned | with an attachment path
SoftBody.tethers | - | no call yet
SoftBody.set_tethers | - | no call yet
SoftBody.skin | - | no call yet: points with an attachment path follow a node exactly
SoftBody.set_stiffness | SoftBody3D.linear_stiffness |
SoftBody.set_setting | SoftBody3D.pressure_coefficient, SoftBody3D.damping_coefficient, SoftBody3D.drag_coefficient |
SoftBody.set_layers | SoftBody3D.collision_layer, SoftBody3D.collision_mask |
SoftBody.set_meets | - | no call yet: in Godot layers and masks decide
SoftBody.set_precision | SoftBody3D.simulation_precision |
SoftBody.set_exceptions | SoftBody3D.add_collision_exception_with |
SoftBody.wake | - | no call yet
SoftBody.is_sleeping | - | no call yet
SoftBody.volume | - | no call yet
SoftBody.cast_ray | PhysicsDirectSpaceState3D.intersect_ray |
Space | World3D.space, PhysicsServer3D.space_create |
Space.step_count | Scree.space_get_step_count |
Space.hash | Scree.space_hash |
Space.save | Scree.space_save |
Space.restore | Scree.space_restore |
Space.queries | - | the calls of Scree and of PhysicsDirectSpaceState3D
Space.cast_ray | PhysicsDirectSpaceState3D.intersect_ray |
Space.cast_rays | Scree.cast_rays |
Space.cast_ray_all | Scree.cast_ray_all |
Space.cast_shape | Scree.cast_shapes, PhysicsDirectSpaceState3D.cast_motion |
Space.overlaps | Scree.overlap_shapes, Scree.overlap_spheres, Scree.overlap_boxes, PhysicsDirectSpaceState3D.intersect_shape |
Space.at_point | PhysicsDirectSpaceState3D.intersect_point |
Space.near_box | Scree.near_box |
Space.closest_point | Scree.closest_point |
Space.triangles | Scree.triangles, NavigationSource |
Space.add_rigid | RigidBody3D, PhysicsServer3D.body_create |
Space.add_rigid_many | PhysicsServer3D.body_create | one body a call
Space.add_static | StaticBody3D, PhysicsServer3D.body_create |
Space.add_static_many | InstanceCollider3D, ScreePhysicsServer3D.batch_add |
Space.add_kinematic | AnimatableBody3D, PhysicsServer3D.body_create |
Space.add_kinematic_many | PhysicsServer3D.body_create | one body a call
Space.id | World3D.space |
Space.world | - | Godot has one world
Space.core | - | the low-level interface for Python
Space.step | Scree.space_step, PhysicsServer3D.space_set_active | Godot steps active spaces
Space.edits | - | Godot's calls are queued while a step runs
Space.gravity | PhysicsServer3D.area_set_param, physics/3d/default_gravity | of the space's own area
Space.settings | Scree.space_set_setting, Scree.space_get_setting |
Space.shift_origin | Scree.space_shift_origin, StreamingWorld3D.shift_origin |
Space.body | - | a RID is all that a call needs
Space.bodies | - | the nodes of a scene
Space.add_area | Area3D, PhysicsServer3D.area_create |
Space.add_joint | Joint3D, PhysicsServer3D.joint_create, Scree.weld_create |
Space.add_pulley | Scree.pulley_create |
Space.add_rope | ScreeRope3D |
Space.add_character | ScreeCharacter3D, ScreePhysicsServer3D.character_create |
Space.characters | - | scripts keep their handles, the tree its nodes
Space.move_characters | ScreePhysicsServer3D.characters_move |
Space.add_pose_motors | ScreeRagdoll3D, Scree.pose_motors_create |
Space.add_vehicle | ScreeVehicle3D, ScreePhysicsServer3D.vehicle_create |
Space.add_soft_body | SoftBody3D, PhysicsServer3D.soft_body_create |
Space.add_water | ScreeWater3D, Scree.water_create |
Space.contact_events | Scree.contact_events, Scree.contacts_changed |
Space.contact_points | PhysicsDirectBodyState3D.get_contact_collider_position | of one body
Space.area_events | Area3D.body_entered, PhysicsServer3D.area_set_monitor_callback |
Space.on_step | Scree.space_set_step_listener, SceneTree.physics_frame | before and after a step, none between sub-steps
Space.on_waking | Scree.sleep_events, RigidBody3D.sleeping_state_changed |
Space.remove | PhysicsServer3D.free_rid |
Space.drawing | Scree.drawing, ScreeDebugDraw3D |
SpaceSettings | Scree.space_set_setting, physics/scree_3d/simulation/substeps |
SpaceState | Scree.space_save | a PackedByteArray
SpaceState.step_count | Scree.space_get_step_count | after restoring
SpaceState.to_bytes | Scree.space_save |
Sphere | SphereShape3D |
Spring | Scree.joint_set_spring, Scree.joint_set_frequency |
StreamEvent | StreamingWorld3D.tile_loaded, StreamingWorld3D.scene_activated |
Streaming | StreamingWorld3D |
Streaming.errors | StreamingWorld3D.tile_failed |
Streaming.update | StreamingWorld3D.viewers |
Streaming.wait_until_idle | - | a game does not wait; signals tell what is loaded
Streaming.events | StreamingWorld3D.tile_loaded, StreamingWorld3D.tile_unloaded |
Streaming.figures | StreamingWorld3D.figures |
Streaming.close | StreamingWorld3D.close |
Structure | BrickShape3D, ScreePhysicsServer3D.bricks_make |
Structure.insert | BrickShape3D.add_boxes, ScreePhysicsServer3D.bricks_insert |
Structure.insert_turned | BrickShape3D.add_turned, ScreePhysicsServer3D.bricks_insert_turned |
Structure.remove | BrickShape3D.remove_bricks, ScreePhysicsServer3D.bricks_remove |
Structure.change | BrickShape3D.change_bricks, ScreePhysicsServer3D.bricks_change |
Structure.numbers | BrickShape3D.brick_numbers, ScreePhysicsServer3D.bricks_numbers |
Structure.bounds_of | BrickShape3D.boxes_of, ScreePhysicsServer3D.bricks_boxes |
TaperedCapsule | Scree.tapered_capsule_create |
TaperedCylinder | Scree.tapered_cylinder_create |
Trace | Scree.space_hash | compared step by step; a file of all bodies only from Python
Trace.note | Scree.space_hash |
Trace.close | - | see Trace
Track | ScreePhysicsServer3D.vehicle_create | "tracks" of its description
VectorWorld | - | for learning in Python: a game has its one world, and a trained policy runs in it
VectorWorld.states | - | see VectorWorld
VectorWorld.contact_impulses | - | see VectorWorld
VectorWorld.joint_states | - | see VectorWorld
VectorWorld.bytes_each | - | see VectorWorld
VectorWorld.hashes | - | see VectorWorld
VectorWorld.cast_rays | - | see VectorWorld
VectorWorld.step | - | see VectorWorld
VectorWorld.reset | - | see VectorWorld
VectorWorld.copy_world | - | see VectorWorld
VectorWorld.set_states | - | see VectorWorld
Vehicle | ScreeVehicle3D, ScreePhysicsServer3D.vehicle_create |
Vehicle.first_listener | - | a number inside the engine
Vehicle.listeners | - | numbers inside the engine
Vehicle.recorder | - | for recordings inside the engine
Vehicle.records | - | for saved states inside the engine
Vehicle.set_enabled | - | no call yet
Vehicle.remove | Node.queue_free, ScreePhysicsServer3D.vehicle_remove |
Vehicle.drive | ScreeVehicle3D.throttle, ScreeVehicle3D.steering, ScreePhysicsServer3D.vehicle_drive |
Vehicle.drive_tracks | - | no call yet
Vehicle.set_gear | - | no call yet
Vehicle.speed | ScreeVehicle3D.state, ScreePhysicsServer3D.vehicle_state |
Vehicle.engine_rpm | ScreeVehicle3D.state, ScreePhysicsServer3D.vehicle_state |
Vehicle.gear | ScreeVehicle3D.state, ScreePhysicsServer3D.vehicle_state |
Vehicle.wheels | ScreePhysicsServer3D.vehicle_wheels |
Vehicle.shafts | - | no call yet
Vehicle.wheel_force | - | no call yet
Viewer | StreamingWorld3D.viewers |
Water | ScreeWater3D, Scree.water_create |
Water.first_listener | - | a number inside the engine
Water.listeners | - | numbers inside the engine
Water.recorder | - | for recordings inside the engine
Water.records | - | for saved states inside the engine
Water.set_enabled | - | add and remove the node
Water.remove | Node.queue_free, Scree.water_free |
Water.place | Node3D.global_transform, ScreeWater3D.size, Scree.water_place |
Water.set | ScreeWater3D.density, ScreeWater3D.drag, ScreeWater3D.damping, ScreeWater3D.spin_damping, Scree.water_set |
Water.flow | ScreeWater3D.flow, Scree.water_set_flow |
Water.set_waves | ScreeWater3D.waves, Scree.water_set_waves |
Water.heights | ScreeWater3D.heights_at, Scree.water_heights |
Water.floating_count | ScreeWater3D.get_floating_count, Scree.water_get_floating_count |
Water.time | ScreeWater3D.get_time, Scree.water_get_time |
Wave | ScreeWave |
Wheel | ScreeWheel3D |
World | PhysicsServer3D |
World.add_space | PhysicsServer3D.space_create |
World.set_contact_rule | Scree.set_contact_rule, ScreeContactRule |
World.contact_class_number | - | scripts use names: Scree.body_set_contact_class
World.contact_class_name | - | scripts use names: Scree.body_get_contact_class
World.update_height_field | Scree.heightmap_update |
"""
