"""The data of one simulated space: a `SYSTEM`, whose parts are named by the rooms that own them.

It lies at an address that never changes and holds numbers and the addresses of everything else. Compiled functions read
`system.pairs.active_count`, Python reads `row["pairs"]["active_count"]`.
"""

import numpy as np

LIMIT_KINDS = 5
PAIRS, CONTACTS, AREA_OVERLAPS, CONTACT_EVENTS, NEAR_SOFT_BODIES = range(LIMIT_KINDS)
"""Numbers in SYSTEM.limits.left_out."""

_PLACE = np.dtype(
    [
        ("origin", "f8", 3),  # origin of bounds, world [m]; changed by the holder of the gate: see edit/origin.py
        ("origin_version", "i8"),  # counts the shifts of the origin; odd during one
        ("frames", "f8", (2, 3)),  # where the host's zero is, world [m], by parity of `frame_version`; see edit/origin.py
        ("frame_version", "i8"),
    ],
    align=True,
)

_SETTINGS = np.dtype(
    [
        ("is_active", "i8"),
        ("gravity", "f8", 3),  # [m/s^2]
        ("linear_damp", "f8"),  # [1/s]
        ("angular_damp", "f8"),  # [1/s]
        ("substep_count", "i8"),  # sub-steps of a step
        ("contact_hertz", "f8"),  # stiffness of soft contacts [1/s]
        ("contact_damping_ratio", "f8"),
        ("joint_hertz", "f8"),  # stiffness of joint locks [1/s]
        ("joint_damping_ratio", "f8"),
        ("joint_iterations", "i8"),  # passes over the joints in each pass over the contacts
        ("push_out_speed", "f8"),  # highest speed of resolving overlap [m/s]
        # Overlap that is allowed, and the same if neither body moves free of joints [m]; see overlap.py
        ("penetration_slop", "f8"), ("articulated_penetration_slop", "f8"),
        ("restitution_threshold", "f8"),  # slower approaches do not bounce [m/s]
        ("sleep_linear_threshold", "f8"),  # [m/s]
        ("sleep_angular_threshold", "f8"),  # [rad/s]
        ("time_to_sleep", "f8"),  # [s]
        ("is_sleeping_allowed", "i8"),
        ("is_warm_starting", "i8"),
    ],
    align=True,
)  # fmt: skip

# How much a step handles, and what it left out: see bodies/limits.py.
_LIMITS = np.dtype(
    [
        ("pairs", "i8"),  # most that are collided in a step
        ("contacts", "i8"),  # most manifolds that are solved in a step
        ("left_out", "i8", LIMIT_KINDS),  # by kind of limit: how much was left out since the last report
        ("status", "i8"),  # not 0: something was left out, or is not reported to users yet
    ],
    align=True,
)

# Moving bodies, and those that something happened to. Lists of int32.
_BODIES = np.dtype(
    [
        # The solver's rows are in the same order; row 0 of the solver stands for everything static.
        ("active", "i8"), ("active_count", "i8"),
        ("active_disorder", "i8"),  # see runtime/body_order.py
        ("active_kinematic_count", "i8"),  # of them
        ("some_rests", "i8"),  # after `finish_bodies`: some body has rested long enough to sleep
        ("island_count", "i8"),
        ("fell_asleep", "i8"), ("fell_asleep_count", "i8"),  # in the last step
        ("changed", "i8"), ("changed_count", "i8"),  # to be processed before the next step
        ("moved", "i8"), ("moved_count", "i8"),  # whose fat bounds changed: search new pairs
        ("woke_up", "i8"), ("woke_count", "i8"),  # that began to be simulated, if there are listeners
        ("listens_to_waking", "i8"),
    ],
    align=True,
)  # fmt: skip

_TREES = np.dtype(
    [
        ("rows", "i8"), ("layer_count", "i8"),  # TREE of broad_phase/schema.py
        ("hides_begun", "i8"), ("hides_ended", "i8"),  # batches that left the tree body by body; see core/snapshot.py
    ],
    align=True,
)  # fmt: skip

# Pairs: see collision/schema.py.
_PAIRS = np.dtype(
    [
        ("rows", "i8"), ("capacity", "i8"), ("count", "i8"), ("first_free", "i8"),
        ("lists", "i8"),  # PAIR_LISTS
        ("curves", "i8"),  # CURVE of pairs with PAIR_IS_KEPT_ON_CURVE, by the number of the pair
        # int32: pairs with an awake body, and their keys of runtime/body_order.py
        ("active", "i8"), ("active_count", "i8"), ("active_keys", "i8"), ("active_disorder", "i8"),
        ("chosen_count", "i8"),  # number of the first active ones that are collided now
        ("candidate_count", "i8"),  # that `look_for_pairs` found, in `scratch`; see collision/pair_finding.py
        ("changed", "i8"), ("changed_count", "i8"),  # int32: began, ended, or to be freed in this step
        ("table", "i8"), ("table_capacity", "i8"),  # int32 hash table from two bodies to their pair
    ],
    align=True,
)  # fmt: skip

_MANIFOLDS = np.dtype(
    [
        ("rows", "i8"), ("capacity", "i8"), ("count", "i8"), ("first_free", "i8"),  # MANIFOLD of collision/schema.py
        ("settings", "i8"),  # CONTACT_SETTINGS of collision/contact_schema.py, by manifold
        ("bricks", "i8"),  # int32 (capacity, 2): see MANIFOLD_HAS_BRICKS of collision/schema.py
    ],
    align=True,
)  # fmt: skip

# Contacts that are reported to users: see collision/contact_schema.py.
_REPORTS = np.dtype(
    [
        ("pairs", "i8"), ("pair_count", "i8"),  # int32: pairs whose contacts are reported
        ("contacts", "i8"), ("contact_count", "i8"), ("first_free_contact", "i8"),  # REPORTED_CONTACT, as many rows as manifolds
        ("events", "i8"), ("event_capacity", "i8"),  # CONTACT_EVENT
        ("event_count", "i8"),  # rows written
        ("readable_event_count", "i8"),  # rows that users read: of the last step; later rows are reported with the next one
    ],
    align=True,
)  # fmt: skip

_CONSTRAINTS = np.dtype(
    [
        ("colours", "i8"),  # COLOURS of constraints/schema.py, of contacts and joints: see constraints/colours.py
        ("blocks", "i8"), ("block_count", "i8"),  # of contacts: see constraints/schema.py
        ("bounces", "i8"),  # of these blocks
    ],
    align=True,
)  # fmt: skip

_JOINTS = np.dtype(
    [
        ("active", "i8"), ("count", "i8"),  # int32: joints that are solved, and how many
        ("loose_count", "i8"),  # how many of them are in no tree
        ("rows", "i8"), ("row_count", "i8"),  # JOINT_ROW of joints/schema.py
        ("trees", "i8"), ("tree_count", "i8"),  # TREE
        ("nodes", "i8"), ("node_count", "i8"),  # TREE_NODE
        ("blocks", "i8"), ("block_count", "i8"), ("block_capacity", "i8"),  # NETWORK_BLOCK
        ("axes", "i8"),  # NETWORK_AXES, in the order of `active`
        ("some_broke", "i8"),  # some joint broke in the last step
    ],
    align=True,
)  # fmt: skip

_SOLVER = np.dtype(
    [
        ("some_block_is_elastic", "i8"),  # after `prepare_contacts`: some contact may bounce
        ("some_block_has_impact", "i8"),  # after `prepare_contacts`: some contact is an impact
        ("some_block_bounces", "i8"),  # after `find_bounces`: 1 if some contact bounces in this generation
        ("some_bounce_changed", "i8"),  # some impulse of a bounce has changed notably, since this was last set to 0
        ("some_joined_bounced", "i8"),  # the same, of a body with joints
        ("some_is_limited", "i8"),  # after `prepare_bodies`: some awake body has a limit of velocity
        ("rows", "i8"),  # float32 (body_capacity + 1, 16); see constraints/schema.py
        ("forces", "i8"),  # float32 (body_capacity + 1, 8); see constraints/schema.py
        # float32 (body_capacity + 1, 8): the first half of each solver row as the step began, while some body reports contacts
        ("start_velocities", "i8"),
        ("inertias", "i8"),  # float32 (body_capacity + 1, 8); see constraints/schema.py
        ("loads", "i8"),  # float32 (body_capacity + 1, 4); see constraints/schema.py
        ("halfway", "i8"),  # float32 (body_capacity + 16, 8); see solver/ways.py
        ("company", "i8"),  # int32 (body_capacity + 16, 8); see solver/continuous.py
        ("sweep_round", "i8"),  # number of the round of sweeps under way
        ("held_back_count", "i8"),  # bodies that the last round of sweeps stopped
    ],
    align=True,
)

_STEP = np.dtype(
    [
        ("count", "i8"),  # steps done
        ("last_delta_time", "f8"),  # [s]
        ("last_substep_time", "f8"),  # length of the sub-steps of the last step [s]
        ("warm_part", "f8"),  # of this step's sub-steps by those of the last one: impulses of loads last as long as sub-steps
        ("warm_share", "f8"),  # of this step's sub-steps by the last step
        ("substep", "i8"),  # the one that is being solved
        ("steps_left", "i8"), ("steps_done", "i8"),  # of the collision steps of one update, after and before this one
        ("jobs", "i8"),  # addresses of the jobs of the step, by number
        ("job_system", "i8"),  # address of JOB_SYSTEM of runtime/job_system.py
        ("is_shared", "i8"),  # the step under way runs on all threads of the job system
        ("scratch", "i8"), ("scratch_bytes", "i8"),
        ("spare_list", "i8"),  # int32: room to put a list in order
        ("listeners", "i8"), ("listener_count", "i8"),  # LISTENER of solver/listeners.py
        ("stage_cycles", "i8"),  # address of STAGES of step/stages.py; 0: stages are not measured
    ],
    align=True,
)  # fmt: skip

# Addresses of functions that queries and their callers share; 0: not needed yet. See `core.queries.install_queries`.
_FUNCTIONS = np.dtype(
    [
        ("collide_shapes", "i8"),  # collision.collide_function.collide_shape_pair
        ("query_rays", "i8"),  # collision.ray_queries.query_rays
        ("query_shapes", "i8"),  # collision.shape_queries.query_shapes
        ("test_motion", "i8"),  # characters.body_motion.test_body_motion
    ],
    align=True,
)

# Edits from any thread: see edit/commands.py. Words used by several threads have their own cache lines.
_EDITS = np.dtype(
    [
        ("ring", "i8"), ("capacity", "i8"),  # of commands.COMMAND
        ("is_gate_taken", "i8"),  # 1: for the next step, before it begins
        ("tail", "i8"),  # edits done; written by the holder of the gate
        ("padding_1", "i8", 8), ("gate", "i8"),  # who may change the system now; 0: no thread does
        ("padding_2", "i8", 8), ("head", "i8"),  # edits given
        ("padding_3", "i8", 8),
    ],
    align=True,
)  # fmt: skip

SYSTEM = np.dtype(
    [
        ("id", "i8"),  # 0: a free row
        ("world", "i8"),  # address of WORLD
        ("index", "i4"),
        ("place", _PLACE),
        ("settings", _SETTINGS),
        ("limits", _LIMITS),
        ("bodies", _BODIES),
        ("trees", _TREES),
        ("pairs", _PAIRS),
        ("manifolds", _MANIFOLDS),
        ("reports", _REPORTS),
        ("constraints", _CONSTRAINTS),
        ("joints", _JOINTS),
        ("solver", _SOLVER),
        ("sensors", "i8"),  # address of SENSORS of sensors/schema.py
        ("step", _STEP),
        ("functions", _FUNCTIONS),
        ("edits", _EDITS),
    ],
    align=True,
)


def offset_of(part: str, field: str) -> int:
    """Offset of a field of a part in SYSTEM [byte], for atomic operations: `offset_of("edits", "gate")`."""
    return int(SYSTEM.fields[part][1] + SYSTEM[part].fields[field][1])
