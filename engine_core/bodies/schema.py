"""The data of bodies, of the shapes on them, and of the physics systems they live in.

`WORLD` holds what all systems share (pools of bodies and shapes); a `SYSTEM` is one simulated space. Both are records of
addresses and numbers at an address that never changes: compiled code is given that address and nothing else.
"""

import numpy as np

# Ids: sequence number (31 bits) | kind (4 bits) | index (28 bits). An id of a freed row, of another kind or of another
# server is told apart by comparing it with the `id` that stands in the row.
INDEX_BITS, KIND_BITS = 28, 4
INDEX_MASK = (1 << INDEX_BITS) - 1
KIND_SHAPE, KIND_SYSTEM, KIND_AREA, KIND_BODY, KIND_SOFT_BODY, KIND_JOINT = 1, 2, 3, 4, 5, 6

# Motion modes, numbered as Godot does.
STATIC, KINEMATIC, RIGID, RIGID_LINEAR = 0, 1, 2, 3

# Broad-phase layers: one quad tree each.
LAYER_MOVING, LAYER_NOT_MOVING, LAYER_SENSOR = 0, 1, 2
BROAD_PHASE_LAYER_COUNT = 3
MOST_BROAD_PHASE_LAYERS = 8
"""A world may have more layers than the three, for what its tables name; see bodies/layers.py."""

# Flags of a body.
CAN_SLEEP = 1
CONTINUOUS = 2  # continuous collision detection
OMITS_FORCES = 4  # no gravity, damping or force is applied by the step
RAY_PICKABLE = 8
CUSTOM_CENTER_OF_MASS = 16
CUSTOM_INERTIA = 32
BOUNDS_CHANGED = 64  # shapes or pose changed from outside: bounds and pairs are renewed at the start of the step
MASS_CHANGED = 128
WAKES_NEIGHBOURS = 256  # teleported or changed: what touches it is woken at the start of the step
TARGET_SET = 512  # kinematic: `target_position` and `target_rotation` are to be reached by the next step
IS_AREA = 1024
IGNORES_ALL_EXCEPTIONS = 2048
HAS_EXCEPTIONS = 4096  # some collision exception names this body: pairs ask the table
TELEPORTS = 8192  # kinematic after a change of mode: the next target is taken at once
HAS_STRETCH = 16384  # the user's transform has scale or shear: `stretch` is not the identity
IS_IN_CHANGED_LIST = 32768
IS_IN_MOVED_LIST = 65536
WAKE_REQUESTED = 131072
SLEEP_REQUESTED = 262144
FILTER_CHANGED = 524288  # layer, mask, exceptions or mode: its pairs are made anew
IN_AREAS = 1048576  # an area overrides its gravity or damping: the step takes those of the row
IS_IN_BATCH = 1 << 30  # made and freed with a batch (body_batches.py): no call of its own may free or reshape it

BODY = np.dtype(
    [
        ("id", "i8"),  # 0: a free row
        ("user_id", "i8"),  # the user's number, never read by the core
        ("system", "i4"),  # index of its system; -1: in none
        ("mode", "i4"),
        ("flags", "u4"),
        ("active_index", "i4"),  # row in the system's list of active bodies; -1: asleep, static or in no system
        # Even: queries read the fields below. Odd: they are being changed, and queries read the copy in `shadow_...`.
        ("published", "i8"),
        ("first_instance", "i4"),  # its shapes: rows `first_instance` to `first_instance + instance_count - 1`
        ("instance_count", "i4"),
        # Pose: of the centre of mass. The user's origin is `position - rotate(rotation, center_of_mass)`.
        ("position", "f8", 3),  # world [m]
        ("rotation", "f4", 4),  # x, y, z, w; unit
        ("linear_velocity", "f4", 3),  # of the centre of mass, world [m/s]
        ("angular_velocity", "f4", 3),  # world [rad/s]
        ("inverse_mass", "f4"),  # [1/kg]; 0 unless rigid
        ("sleep_time", "f4"),  # how long it has been slower than the threshold [s]
        ("inverse_inertia_local", "f4", 6),  # xx, yy, zz, xy, xz, yz [1/(kg m^2)], body frame
        ("inverse_inertia_world", "f4", 6),  # the same in world axes, angular locks applied
        ("force", "f4", 3),  # for the next step, world [N]
        ("torque", "f4", 3),  # [N m]
        ("constant_force", "f4", 3),
        ("constant_torque", "f4", 3),
        ("gravity", "f4", 3),  # what acts on it with all areas counted, gravity scale applied [m/s^2]
        ("total_linear_damp", "f4"),  # with all areas counted [1/s]
        ("total_angular_damp", "f4"),
        ("bounds", "f4", 6),  # min x, y, z, max x, y, z, relative to the system's origin [m]
        ("fat_bounds", "f4", 6),  # the same with a margin; what the tree holds; pairs live while these overlap
        ("local_bounds", "f4", 6),  # of all its shapes, body frame, from the centre of mass [m]
        ("extent", "f4"),  # largest distance of a point of the body from its centre of mass [m]
        ("inner_radius", "f4"),  # of the smallest of its shapes [m]
        ("center_of_mass", "f4", 3),  # body frame, from the user's origin [m]
        ("axis_locks", "i4"),  # bits 1, 2, 4: linear x, y, z; 8, 16, 32: angular x, y, z; world axes
        ("collision_layer", "u4"),
        ("collision_mask", "u4"),
        ("broad_phase_layer", "i4"),
        ("tree_location", "i4"),  # node << 2 | child in the tree of its layer; -1: in none
        ("instance_capacity", "i4"),
        ("first_pair", "i4"),  # its pairs, a list: pair << 1 | side; -1: none
        ("pair_count", "i4"),
        ("first_joint", "i4"),  # its joints, a list: joint << 1 | side; -1: none
        ("island_link", "i4"),  # union-find over the active list; see solver/islands.py
        ("next_in_island", "i4"),  # asleep: a ring of the bodies that wake together
        ("colour_mask", "u4"),  # colours taken by contacts of this body; see solver/colours.py
        ("joint_colour_mask", "u4"),  # the same for its joints; see solver/joint_colours.py
        ("friction", "f4"),  # negative: rough
        ("restitution", "f4"),  # negative: absorbs
        ("contact_bias", "f4"),  # how firmly its contacts are pushed apart, in parts of what is usual; 0: 1
        ("mass", "f4"),  # [kg], as set
        ("inertia", "f4", 3),  # as set, about the axes of the body frame; 0: automatic [kg m^2]
        ("gravity_scale", "f4"),
        ("linear_damp", "f4"),
        ("angular_damp", "f4"),
        ("linear_damp_mode", "i4"),  # 0: added to that of the areas, 1: replaces it
        ("angular_damp_mode", "i4"),
        ("collision_priority", "f4"),
        ("surface_linear_velocity", "f4", 3),  # of a static or kinematic body: conveyor [m/s]
        ("surface_angular_velocity", "f4", 3),
        ("target_position", "f8", 3),  # kinematic: the pose of the centre of mass to be reached by the next step
        ("target_rotation", "f4", 4),
        ("rest_position", "f8", 3),  # where it last began to rest; see solver/integration.py
        ("rest_rotation", "f4", 4),
        ("max_contacts_reported", "i4"),
        ("contact_count", "i4"),  # rows of `contacts` that hold a contact of the last step
        ("contacts", "i8"),  # address of CONTACT_REPORT (max_contacts_reported), or 0
        ("sequence", "i4"),  # sequence number of the id; counts up when the row is freed
        ("next_free", "i4"),
        ("stretch", "f4", 9),  # user's basis = rotation x stretch; by rows
        # What queries read while the body is being changed: see bodies/publication.py.
        ("shadow_position", "f8", 3),
        ("shadow_rotation", "f4", 4),
        ("shadow_linear_velocity", "f4", 3),
        ("shadow_angular_velocity", "f4", 3),
        ("shadow_first_instance", "i4"),
        ("shadow_instance_count", "i4"),
        ("group", "i4"),  # bodies of one group, not 0, ask the group's filter whether they collide
        ("sub_group", "i2"),  # 0 to 63
        ("group_filter", "i2"),  # row of WORLD.group_filters
    ],
    align=True,
)

# A shape on a body. Transforms are rigid: scale and shear are cooked into the shape.
INSTANCE = np.dtype(
    [
        ("shape", "i4"),  # index of the cooked shape that collides; -1: not cooked yet (empty settings)
        ("user_shape", "i4"),  # index of the shape the user gave
        ("is_disabled", "i4"),
        ("body", "i4"),
        ("position", "f4", 3),  # from the body's centre of mass, body frame [m]
        ("rotation", "f4", 4),  # shape frame to body frame
        ("bounds", "f4", 6),  # of the shape in the body frame, from the centre of mass
        ("origin_position", "f4", 3),  # from the user's origin, body frame
        ("user_transform", "f4", 12),  # basis by rows, then origin, as the user gave it
        ("query_layers", "u4"),  # shape filter of queries; 0: every query sees it
        ("simulation_layers", "u4"),  # two shapes with no bit in common make no contacts; 0: with all
    ],
    align=True,
)

# A node of the tree over the shapes of a body, in the row beside that of a shape: see bodies/instance_tree.py.
INSTANCE_NODE = np.dtype(
    [
        ("bounds", "f4", (6, 4)),  # of the four children: rows min x, y, z, max x, y, z; body frame, from the centre of mass
        ("children", "i4", 4),  # a node, counted from the first row of the body's shapes; ~number of a shape; or NONE
        ("order", "i4"),  # numbers of the shapes in the order of the tree, of which this row holds one
        ("covered", "i4"),  # in the first row: so many shapes are in the tree; those that came since are looked at one by one
    ],
    align=True,
)

# One contact point as told to the user; positions in world coordinates.
CONTACT_REPORT = np.dtype(
    [
        ("position", "f8", 3),  # on this body
        ("collider_position", "f8", 3),  # on the other
        ("normal", "f4", 3),  # from the other body towards this one
        ("impulse", "f4", 3),  # on this body, as the solver applied it [N s]
        ("velocity", "f4", 3),  # of this body at the point [m/s]
        ("collider_velocity", "f4", 3),
        ("depth", "f4"),
        ("shape", "i4"),  # number of the shape on this body
        ("collider_shape", "i4"),
        ("collider", "i4"),  # index of the other body
        ("collider_id", "i8"),
        ("collider_user_id", "i8"),
    ],
    align=True,
)

# Who collides with whom, and which tree a body is in: see bodies/layers.py.
LAYERS = np.dtype(
    [
        ("layer_count", "i8"),  # broad-phase layers; the first three are LAYER_MOVING, LAYER_NOT_MOVING, LAYER_SENSOR
        ("needs_both", "i8"),  # 1: two bodies collide if each has the other in its mask; 0: if one has
        ("broad_phase_of", "i1", 32),  # broad-phase layer of a collision layer's bit; -1: by whether the body moves
    ],
    align=True,
)

WORLD = np.dtype(
    [
        ("bodies", "i8"), ("body_capacity", "i8"), ("body_count", "i8"),  # rows in use lie below body_count
        ("instances", "i8"), ("instance_capacity", "i8"), ("instance_nodes", "i8"),
        ("shapes", "i8"), ("shape_capacity", "i8"), ("shape_count", "i8"),
        ("systems", "i8"), ("system_capacity", "i8"), ("system_count", "i8"),
        ("exceptions", "i8"), ("exception_capacity", "i8"),  # hash set of pairs of body ids, see bodies/exceptions.py
        ("exception_count", "i8"),
        ("layers", "i8"),  # address of LAYERS
        ("group_filters", "i8"),  # address of uint64 (count, 64): bit j of row i: sub-groups i and j collide
        ("edit_function", "i8"),  # address of edits.edit
        ("parking", "i8"),  # address of runtime.parking.PARKING
        ("areas", "i8"),  # rows of sensors.schema.AREA, by body index
        ("joints", "i8"), ("joint_capacity", "i8"),  # JOINT of constraints/joint_schema.py
    ],
    align=True,
)  # fmt: skip

SYSTEM = np.dtype(
    [
        ("id", "i8"),  # 0: a free row
        ("world", "i8"),  # address of WORLD
        ("index", "i4"),
        ("is_active", "i4"),
        ("origin", "f8", 3),  # what bounds are relative to, world [m]; changed by who holds the gate: see origin.py
        ("origin_version", "i8"),  # counts up with each shift of the origin; odd while one is under way
        ("frames", "f8", (2, 3)),  # where the host's zero lies, world [m], by parity of `frame_version`; see origin.py
        ("frame_version", "i8"),
        ("hides_begun", "i8"), ("hides_ended", "i8"),  # batches that left the tree body by body; see snapshot.py
        ("gravity", "f8", 3),  # [m/s^2]
        ("linear_damp", "f8"),
        ("angular_damp", "f8"),
        ("substep_count", "i8"),
        ("contact_hertz", "f8"),  # stiffness of soft contacts [1/s]
        ("contact_damping_ratio", "f8"),
        ("joint_hertz", "f8"),  # stiffness of what a joint locks [1/s]
        ("joint_damping_ratio", "f8"),
        ("joint_iterations", "i8"),  # passes over the joints in each pass over the contacts
        ("push_out_speed", "f8"),  # how fast overlap is resolved at most [m/s]
        ("restitution_threshold", "f8"),  # slower approaches do not bounce [m/s]
        ("sleep_linear_threshold", "f8"),  # [m/s]
        ("sleep_angular_threshold", "f8"),  # [rad/s]
        ("time_to_sleep", "f8"),  # [s]
        ("is_sleeping_allowed", "i8"),
        ("is_warm_starting", "i8"),
        ("step_count", "i8"),
        ("last_delta_time", "f8"),  # [s]
        # Bodies that move. The solver's rows are in the same order; row 0 of the solver's rows stands for all that is static.
        ("active_bodies", "i8"), ("active_count", "i8"),  # int32
        ("solver_rows", "i8"),  # float32 (body_capacity + 1, 16); see constraints/schema.py
        ("solver_forces", "i8"),  # float32 (body_capacity + 1, 8); see constraints/schema.py
        ("fell_asleep", "i8"), ("fell_asleep_count", "i8"),  # int32: bodies that fell asleep in the last step
        ("changed_bodies", "i8"), ("changed_count", "i8"),  # int32: to be looked at before the next step
        ("moved_bodies", "i8"), ("moved_count", "i8"),  # int32: whose fat bounds changed: look for new pairs
        ("woke_up", "i8"), ("woke_count", "i8"),  # int32: bodies that began to be simulated, while somebody listens
        ("listens_to_waking", "i8"),
        ("listeners", "i8"), ("listener_count", "i8"),  # LISTENER of solver/listeners.py
        ("steps_left", "i8"), ("steps_done", "i8"),  # of the collision steps of one update, after and before this one
        ("candidate_count", "i8"),  # pairs that `look_for_pairs` found, in `scratch`; see collision/pair_finding.py
        # Pairs and manifolds: see collision/schema.py
        ("pairs", "i8"), ("pair_capacity", "i8"), ("pair_count", "i8"), ("first_free_pair", "i8"),
        ("active_pairs", "i8"), ("active_pair_count", "i8"),  # int32: pairs with an awake body
        ("changed_pairs", "i8"), ("changed_pair_count", "i8"),  # int32: began, ended, or to be taken away in this step
        ("pair_table", "i8"), ("pair_table_capacity", "i8"),  # int32 hash table from two bodies to their pair
        ("manifolds", "i8"), ("manifold_capacity", "i8"), ("manifold_count", "i8"), ("first_free_manifold", "i8"),
        # Constraints by colour: see solver/colours.py and constraints/schema.py
        ("colours", "i8"),
        ("constraint_blocks", "i8"), ("constraint_block_capacity", "i8"), ("constraint_block_count", "i8"),
        ("active_joints", "i8"), ("joint_count", "i8"),  # int32: joints that are solved, colour by colour, and how many
        ("joint_rows", "i8"), ("joint_row_count", "i8"),  # JOINT_ROW of constraints/joint_schema.py
        ("joint_trees", "i8"), ("joint_tree_count", "i8"),  # TREE
        ("joint_nodes", "i8"), ("joint_node_count", "i8"),  # TREE_NODE
        ("has_broken_joints", "i8"),  # some joint broke in the last step
        ("sensors", "i8"),  # address of sensors.schema.SENSORS
        ("trees", "i8"), ("layer_count", "i8"),  # rows of broad_phase.schema.TREE
        ("jobs", "i8"),  # addresses of the jobs of the step, by number
        ("job_system", "i8"),  # address of JOB_SYSTEM of runtime/job_system.py
        ("is_shared", "i8"),  # the step under way runs on all threads of the job system
        ("scratch", "i8"), ("scratch_bytes", "i8"),
        ("status", "i8"),  # first error of the step: which pool is full; see physics_system.py
        ("island_count", "i8"),
        ("stage_cycles", "i8"),  # address of int64 counters of time by stage
        ("extra", "i8", 16),
        # Edits from any thread: see edits.py. Words of several threads lie in cache lines of their own.
        ("commands", "i8"), ("command_capacity", "i8"),  # a ring of edits.COMMAND
        ("command_tail", "i8"),  # commands done; of whoever holds the gate
        ("padding_1", "i8", 8), ("gate", "i8"),  # who may change the system now; 0: nobody does
        ("padding_2", "i8", 8), ("command_head", "i8"),  # commands given
        ("padding_3", "i8", 8),
    ],
    align=True,
)  # fmt: skip
