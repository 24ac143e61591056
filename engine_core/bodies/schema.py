"""The data of bodies and of the shapes on them.

`WORLD` holds what all systems share (pools of bodies and shapes); a `SYSTEM` (`system_schema.py`) is one simulated space. Both
are records of addresses and numbers at an address that never changes, the only argument that compiled code gets.
"""

import numpy as np

from ..shapes.rows import WALK_ROWS
from ..shapes.schema import INSTANCE, INSTANCE_NODE

__all__ = ["INSTANCE", "INSTANCE_NODE"]  # shapes on bodies: rows of WORLD.instances and WORLD.instance_nodes

# Ids: sequence number (31 bits) | kind (4 bits) | index (28 bits). An id of a freed row, of another kind or of another server is
# detected by comparing it with the `id` in the row.
INDEX_BITS, KIND_BITS = 28, 4
INDEX_MASK = (1 << INDEX_BITS) - 1
KIND_SHAPE, KIND_SYSTEM, KIND_AREA, KIND_BODY, KIND_SOFT_BODY, KIND_JOINT = 1, 2, 3, 4, 5, 6

# Motion modes, numbered as Godot does.
STATIC, KINEMATIC, RIGID, RIGID_LINEAR = 0, 1, 2, 3

# Broad-phase layers: one quad tree each.
LAYER_MOVING, LAYER_NOT_MOVING, LAYER_SENSOR = 0, 1, 2
BROAD_PHASE_LAYER_COUNT = 3
MOST_BROAD_PHASE_LAYERS = 8
"""A world may have more than the three standard layers, for those named in its tables; see bodies/layers.py."""

# Flags of a body.
CAN_SLEEP = 1
CONTINUOUS = 2  # continuous collision detection
OMITS_FORCES = 4  # no gravity, damping or force is applied by the step
RAY_PICKABLE = 8
CUSTOM_CENTER_OF_MASS = 16
CUSTOM_INERTIA = 32
BOUNDS_CHANGED = 64  # shapes or pose changed from outside: bounds and pairs are renewed at the start of the step
MASS_CHANGED = 128
WAKES_NEIGHBOURS = 256  # teleported or changed: bodies that touch it are woken at the start of the step
TARGET_SET = 512  # kinematic: `target_position` and `target_rotation` are to be reached by the next step
IS_AREA = 1024
IS_HIT = 2048  # in this step it is part of an impact: its contacts drop spent impulses; see solver/spent_impulses.py
HAS_EXCEPTIONS = 4096  # some collision exception names this body: pairs ask the table
TELEPORTS = 8192  # kinematic after a change of mode: the next target is taken at once
HAS_STRETCH = 16384  # the user's transform has scale or shear: `stretch` is not the identity
IS_IN_CHANGED_LIST = 32768
IS_IN_MOVED_LIST = 65536
WAKE_REQUESTED = 131072
SLEEP_REQUESTED = 262144
FILTER_CHANGED = 524288  # layer, mask, exceptions or mode: its pairs are made anew
IN_AREAS = 1048576  # an area overrides its gravity or damping: the step takes those of the row
HAS_RARE = 2097152  # it has its own row of BODY_RARE
HELD_BACK_ONCE = 4194304  # three bits from here on: steps in a row in which continuous collision held it back, up to 7
HELD_BACK_STEPS = 7 * HELD_BACK_ONCE
HAS_JOINT = 1 << 25  # `first_joint` is not -1: contacts are prepared from the line of the flags
IN_CROWD = 1 << 26  # it fell asleep among so many others that not all became pairs: awake, it looks for these again
IS_LOADED = 1 << 27  # in this step a contact presses on it heavily: its row of SYSTEM.solver.loads is in use
# Heavier in its contacts by the load that it carries, `carried`. At the least load, MOST_CARRIED, it is as heavy as ever and is
# only watched: see constraints/pressed_bodies.py.
IS_PRESSED = 1 << 28
IS_GRIPPED = 1 << 29  # it is pressed, and friction holds it on what carries it: heavier across gravity too
IS_IN_BATCH = 1 << 30  # made and freed with a batch (batches/body_batches.py): no call of its own may free or reshape it
HAS_SPEED_LIMIT = 1 << 31  # one of its two limits of velocity is finite; see solver/speed_limits.py

# Rows of seven cache lines; fields are ordered by how often they are used: a line is the data of one stage.
BODY = np.dtype(
    [
        # Line 0: read by the test whether a pair is collided anew.
        ("id", "i8"),  # 0: a free row
        # Pose: of the centre of mass. The user's origin is `position - rotate(rotation, center_of_mass)`.
        ("position", "f8", 3),  # world [m]
        ("rotation", "f4", 4),  # x, y, z, w; unit
        ("inverse_mass", "f4"),  # [1/kg]; 0 unless rigid
        ("extent", "f4"),  # largest distance of a point of the body from its centre of mass [m]
        ("inner_radius", "f4"),  # of the smallest of its shapes [m]
        ("mode", "i4"),
        # Line 1: read by the preparation of contacts and joints.
        ("flags", "u4"),
        ("active_index", "i4"),  # row in the system's list of active bodies; -1: asleep, static or in no system
        ("linear_velocity", "f4", 3),  # of the centre of mass, world [m/s]
        ("angular_velocity", "f4", 3),  # world [rad/s]
        ("inverse_inertia_world", "f4", 6),  # as `inverse_inertia_local`, in world axes, angular locks applied
        ("contact_bias", "f4"),  # how firmly its contacts are pushed apart, as a factor of the usual; 0: 1
        ("axis_locks", "i4"),  # bits 1, 2, 4: linear x, y, z; 8, 16, 32: angular x, y, z; world axes
        # Line 2: read by collision, queries and the broad phase.
        # Even: queries read the fields of the body. Odd: they are being changed, and queries read the copy at `shadow`.
        ("published", "i8"),
        ("first_instance", "i4"),  # its shapes: rows `first_instance` to `first_instance + instance_count - 1`
        ("instance_count", "i4"),
        ("bounds", "f4", 6),  # min x, y, z, max x, y, z, relative to the system's origin [m]
        ("fat_bounds", "f4", 6),  # with a margin, for the tree; pairs live while these overlap
        # Line 3: bounds before rotation; filters; lists, colours, rest.
        ("local_bounds", "f4", 6),  # of all its shapes, body frame, from the centre of mass [m]
        ("collision_layer", "u4"),
        ("collision_mask", "u4"),
        ("first_pair", "i4"),  # its pairs, a list: pair << 1 | side; -1: none
        ("pair_count", "i4"),
        ("first_joint", "i4"),  # its joints, a list: joint << 1 | side; -1: none
        ("colour_mask", "u4"),  # colours taken by contacts of this body; see constraints/colours.py
        ("joint_colour_mask", "u4"),  # the same for its joints; see joints/colours.py
        ("island_link", "i4"),  # union-find over the active list; see solver/islands.py
        ("sleep_time", "f4"),  # how long it has been slower than the threshold [s]
        ("friction", "f4"),  # negative: rough
        # Line 4: what the step adds to the motion of a body, and its place in trees and islands.
        ("inverse_inertia_local", "f4", 6),  # xx, yy, zz, xy, xz, yz [1/(kg m^2)], body frame
        ("gravity", "f4", 3),  # effective gravity, all areas and gravity scale included [m/s^2]
        ("total_linear_damp", "f4"),  # all areas included [1/s]
        ("total_angular_damp", "f4"),
        ("system", "i4"),  # index of its system; -1: in none
        ("broad_phase_layer", "i4"),
        ("is_in_tree", "i4"),  # of its layer, or of a batch that is not in yet; where: `words` of broad_phase/schema.py
        ("next_in_island", "i4"),  # asleep: a ring of the bodies that wake together
        ("restitution", "f4"),  # negative: absorbs
        # Line 5: read by a step for the body alone.
        ("force", "f4", 3),  # for the next step, world [N]
        ("torque", "f4", 3),  # [N m]
        ("gravity_scale", "f4"),
        ("linear_damp", "f4"),
        ("angular_damp", "f4"),
        ("linear_damp_mode", "i2"),  # 0: added to that of the areas, 1: replaces it
        ("angular_damp_mode", "i2"),
        ("steady_time", "f4"),  # how long it has accelerated steadily since it began to rest [s]; see solver/rest.py
        ("center_of_mass", "f4", 3),  # body frame, from the user's origin [m]
        ("mass", "f4"),  # [kg], as set
        ("instance_capacity", "i4"),
        # Line 6: its rest, and rarely used data.
        ("rest_way", "f4", 3),  # its way since it last began to rest [m]; see solver/rest.py
        ("last_change", "f4", 3),  # of its velocity, in the last step, while it rests [m/s]
        ("rest_rotation", "f4", 4),
        ("shadow", "i8"),  # address of the SHADOW that queries read while the body is being changed; see publication.py
        ("user_id", "i8"),  # the user's number, never read by the core
        ("collision_priority", "f4"),
        ("sequence", "i4"),  # sequence number of the id; increased when the row is freed
    ],
    align=True,
)
assert BODY.itemsize == 7 * 64

# Which contacts a body reports: see solver/contact_events.py.
NO_CONTACT_EVENTS, CONTACT_CHANGES, ALL_CONTACT_EVENTS = 0, 1, 2
CONTACT_CLASSES = 64

# Rarely used data: rows at the same index, whose memory is used only where one is written. See bodies/rare.py.
BODY_RARE = np.dtype(
    [
        ("target_position", "f8", 3),  # kinematic: the pose of the centre of mass to be reached by the next step
        ("target_rotation", "f4", 4),
        ("surface_linear_velocity", "f4", 3),  # of a static or kinematic body: conveyor [m/s]
        ("surface_angular_velocity", "f4", 3),
        ("constant_force", "f4", 3),  # in every step, world [N]
        ("constant_torque", "f4", 3),  # [N m]
        ("contacts", "i8"),  # address of CONTACT_REPORT (max_contacts_reported), or 0
        ("max_contacts_reported", "i4"),
        ("contact_count", "i4"),  # rows of `contacts` that hold a contact of the last step
        ("inertia", "f4", 3),  # as set, about the axes of the body frame; 0: automatic [kg m^2]
        ("stretch", "f4", 9),  # user's basis = rotation x stretch; by rows
        ("group", "i4"),  # bodies of one group, not 0, collide as the group's filter says
        ("sub_group", "i2"),  # 0 to 63
        ("group_filter", "i2"),  # row of WORLD.group_filters
        ("carried", "f4"),  # load that passes through it, per mass, smoothed [m/s^2]; only if IS_PRESSED
        ("contact_class", "i2"),  # 0 to CONTACT_CLASSES - 1: which rules its contacts follow; see collision/contact_rules.py
        ("contact_events", "i2"),  # NO_CONTACT_EVENTS, CONTACT_CHANGES or ALL_CONTACT_EVENTS
        ("density", "f4"),  # its mass follows from its shapes; 0: the mass is as set [kg/m^3]
        ("max_linear_velocity", "f4"),  # speed of the centre of mass at most [m/s]; infinite: no limit
        ("max_angular_velocity", "f4"),  # [rad/s]
    ],
    align=True,
)

# The copy that queries read while a body is being changed. One a thread that changes bodies: see bodies/publication.py.
SHADOW = np.dtype(
    [
        ("position", "f8", 3),
        ("rotation", "f4", 4),
        ("linear_velocity", "f4", 3),
        ("angular_velocity", "f4", 3),
        ("first_instance", "i4"),
        ("instance_count", "i4"),
        ("padding", "i8", 7),  # two cache lines: threads write beside each other
    ],
    align=True,
)

# One contact point as reported to the user; positions in world coordinates, after the step.
CONTACT_REPORT = np.dtype(
    [
        ("position", "f8", 3),  # on the surface of this body [m]
        ("collider_position", "f8", 3),  # on that of the other
        ("normal", "f4", 3),  # from the other body towards this one
        ("impulse", "f4", 3),  # on this body, as the solver applied it [N s]
        ("velocity", "f4", 3),  # of this body at the point, before the solver [m/s]
        ("collider_velocity", "f4", 3),
        ("depth", "f4"),
        ("shape", "i4"),  # number of the shape on this body
        ("collider_shape", "i4"),
        ("part", "i4"),  # of that shape, a static compound, else -1
        ("collider_part", "i4"),
        ("collider", "i4"),  # index of the other body
        ("collider_id", "i8"),
        ("collider_user_id", "i8"),
    ],
    align=True,
)

# Collision filters, and which tree a body is in: see bodies/layers.py.
LAYERS = np.dtype(
    [
        ("layer_count", "i8"),  # broad-phase layers; the first three are LAYER_MOVING, LAYER_NOT_MOVING, LAYER_SENSOR
        ("needs_both", "i8"),  # 1: two bodies collide if each has the other in its mask; 0: if one has
        ("broad_phase_of", "i1", 32),  # broad-phase layer of a collision layer's bit; -1: moving or not moving
    ],
    align=True,
)

WORLD = np.dtype(
    [
        ("bodies", "i8"), ("body_capacity", "i8"), ("body_count", "i8"),  # rows in use lie below body_count
        ("rare_bodies", "i8"),  # BODY_RARE (body_capacity + 1): by body index, and last the row of bodies that have none
        ("shadows", "i8"),  # SHADOW (system_capacity, MAX_THREADS)
        ("instances", "i8"), ("instance_capacity", "i8"), ("instance_nodes", "i8"),
        ("shapes", "i8"), ("shape_capacity", "i8"), ("shape_count", "i8"),
        ("systems", "i8"), ("system_capacity", "i8"), ("system_count", "i8"),
        ("exceptions", "i8"), ("exception_capacity", "i8"),  # hash set of pairs of body ids, see bodies/exceptions.py
        ("exception_count", "i8"),
        ("layers", "i8"),  # address of LAYERS
        ("group_filters", "i8"),  # address of uint64 (count, 64): bit j of row i: sub-groups i and j collide
        ("reporting_count", "i8"),  # bodies that request contact reports
        ("edit_function", "i8"),  # address of commands.edit
        ("parking", "i8"),  # address of runtime.parking.PARKING
        ("areas", "i8"),  # rows of sensors.schema.AREA, by body index
        ("joints", "i8"), ("joint_capacity", "i8"),  # JOINT of joints/schema.py
        ("contact_rules", "i8"),  # CONTACT_RULE (CONTACT_CLASSES, CONTACT_CLASSES) of collision/contact_schema.py; 0: none
        ("brick_function", "i8"),  # address of bricks.walk_bricks; 0: no shape is a structure
        ("inner_function", "i8"),  # address of collision.inner_faces.is_inner_contact; 0: no shape is a structure
        ("merge_function", "i8"),  # address of collision.merged_contacts.merge_contacts; 0: no shape is a structure
        ("name_function", "i8"),  # address of collision.brick_names.name_brick; 0: no shape is a structure
        ("stand_ins_wanted", "i8"),  # 1: bricks are to be joined, or some structure needs a convex stand-in
        # Rows of `shapes` behind the capacity, for the bricks of walks under way, and address of a bitmap of those in use
        ("first_walk_row", "i8"), ("walk_row_words", "i8"),
    ],
    align=True,
)  # fmt: skip
WALK_ROW_WORDS = WALK_ROWS // 64
