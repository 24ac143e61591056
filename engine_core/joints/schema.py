"""The data of joints: the two bodies, the frames on them, what is locked, limited, sprung or driven, and the state of the solver.

All joints use one general model with a frame on each body. Six axes describe the pose of B's frame relative to A's: three linear
ones along the axes of frame A [m], and three angular ones [rad]: the twist about x, and the swing of B's x axis about A's y and
z. Two more are a cone (the angle between the x axes) and a distance (between the origins). The last two have no position and
couple speeds, as gears do. All locked axes of a joint are solved together.
"""

import numpy as np

LINEAR_X, LINEAR_Y, LINEAR_Z, TWIST, SWING_Y, SWING_Z, CONE, DISTANCE, GEAR, RACK = range(10)
AXIS_COUNT = 10
LINEAR_AXES, ANGULAR_AXES = 0b111, 0b111000
TURNING_AXES = ANGULAR_AXES | 1 << CONE | 1 << GEAR
"""Axes whose rows act only by torques."""

# Flags of a joint.
IS_ENABLED = 1
IS_BROKEN = 2  # a limit of force was passed: it holds nothing any more
IS_CONNECTED = 4  # it is in the lists of its bodies
LIMITS_IMPULSES = 8  # motors are limited by impulse in a step [N s], not by force [N]

# The behaviour of a limit row.
FIRM = 0  # as firm as a locked axis
SLOW = 1  # not passed, but what is beyond comes back at its own rate
SPRINGY = 2  # yields as a spring

# Kinds of rows.
SPRING, MOTOR, LIMIT = 0, 1, 2
ROW_KINDS = 3
MAX_ROWS = ROW_KINDS * AXIS_COUNT

UNLIMITED = 3.0e38

JOINT = np.dtype(
    [
        # Read by each sub-step, on few cache lines.
        # Bits of axes (1 << axis).
        ("locked", "u4"),
        ("limited", "u4"),
        ("sprung", "u4"),
        ("driven", "u4"),
        # Prepared for one step. Row 0 of the solver stands for everything static.
        ("rows", "i4", 2),  # of the bodies in the solver
        ("pushes", "i4", 2),  # whether A and B are pushed
        ("first_row", "i4"),
        ("row_count", "i4"),
        ("acting", "i4"),  # number of rows that may push in this sub-step; the others have no mass and no impulse
        ("is_split", "i4"),  # its tree is: see TREE
        ("node", "i4"),  # in the trees of this step, also if it closes a loop and is solved with them; -1: in none
        ("max_impulse", "f4"),  # the largest impulse of the locked linear axes in one step, besides that of rows [N s]
        # Kept from step to step.
        ("linear_impulse", "f4", 3),  # of the locked axes, in frame A [N s]
        ("angular_impulse", "f4", 3),
        # Measured in each sub-step.
        ("error", "f4", 6),  # of locked axes: distance from the locked position
        ("way_back", "f4"),  # the sum of these errors, angles times the longer lever [m]
        ("drift", "f8", 6),  # of the locked axes, see curvature.py; of a joint in a tree those of the last sub-step
        ("axes", "f4", (3, 3)),  # of frame A, world
        ("turns", "f4", (3, 3)),  # directions of a turn of B relative to A that change the three angles
        ("arms", "f4", (2, 3)),  # from both centres of mass to B's frame; see `shorten_lever`
        # Prepared for one step.
        ("masses", "f4", (2, 3)),  # inverse, along x, y and z; 0 along locked axes
        ("inertias", "f4", (2, 6)),  # inverse, world axes; updated in each sub-step
        ("between", "f8", 3),  # from A's centre of mass to B's
        ("is_in_network", "i4"),
        ("ends", "i4", 2),  # the nodes of A and B, if it is in a tree; -1: a fixed body
        ("held", "u4"),  # bits of its rows that a network holds, see networks.py
        ("start_arms", "f4", (2, 3)),  # from the centres of mass to the frames, world axes
        ("start_rotations", "f4", (2, 4)),  # of the frames
        # Sums over a step.
        ("total_impulse", "f4", 3),  # on B by A, sum over the last step, world axes [N s]
        ("total_twist", "f4", 3),  # [N m s]
        ("lower", "f4", AXIS_COUNT),  # [m] or [rad]; of a locked axis: where it is locked; of gears: the ratio
        ("upper", "f4", AXIS_COUNT),
        # Measured in each sub-step.
        ("position", "f4", AXIS_COUNT),  # along each axis [m], [rad]
        ("cone_axis", "f4", 3),
        ("distance_axis", "f4", 3),
        ("axis_b", "f4", 3),  # x axis of frame B, world; only for gears, and where one swing alone is locked
        ("linear_mass", "f4", 6),  # inverse of the locked block
        ("angular_mass", "f4", 6),
        # Rarely used by sub-steps.
        ("kept", "f4", 6),  # linear_impulse and angular_impulse from before a bounce, while the joint responds to it
        ("motor_velocity", "f4", AXIS_COUNT),
        ("motor_force", "f4", AXIS_COUNT),  # at most
        ("by_frequency", "u4"),  # springs given by frequency [1/s] and damping ratio, not stiffness and damping
        ("springy", "u4"),  # bits of limits that yield as springs
        ("spring_stiffness", "f4", AXIS_COUNT),  # [N/m], [N m/rad] or [1/s]
        ("spring_damping", "f4", AXIS_COUNT),  # [N s/m], [N m s/rad] or a ratio
        ("spring_target", "f4", AXIS_COUNT),
        ("spring_force", "f4", AXIS_COUNT),  # at most [N], [N m]
        ("limit_hertz", "f4", AXIS_COUNT),  # how firm a limit is [1/s]; 0: as a locked axis
        ("limit_damping", "f4", AXIS_COUNT),  # ratio, where `limit_hertz` is not 0
        ("limit_restitution", "f4", AXIS_COUNT),  # part of the speed that comes back, 0 to 1
        ("limit_force", "f4", AXIS_COUNT),  # at most [N], [N m]
        ("row_impulse", "f4", MAX_ROWS),  # by kind * AXIS_COUNT + axis; of limits: negative at the upper one
        ("total_time", "f4"),  # length of the last step [s]
        ("break_force", "f4"),  # [N]
        ("break_torque", "f4"),  # [N m]
        ("sequence", "i4"),
        ("burdens", "f4", 2),  # inertia that its bodies have besides their own, as parts of it, see loaded_links.py
        ("is_stiff", "i4"),  # some spring was too stiff for the sub-steps of the last step, and damped
        # Identity and bodies.
        ("id", "i8"),  # 0: a free row
        ("user_id", "i8"),
        ("bodies", "i4", 2),  # A and B; -1: the world
        ("next", "i4", 2),  # the lists of joints of A and B: joint << 1 | side
        ("previous", "i4", 2),
        ("flags", "u4"),
        ("colour", "i4"),  # -1: not in the solver
        ("colour_slot", "i4"),
        ("kind", "i4"),  # as created: see core/joints.py; not used by the solver
        # Frames, from the bodies' origins in their own axes; for the world in world axes. [A, B]
        ("frame_positions", "f8", (2, 3)),
        ("frame_rotations", "f8", (2, 4)),
    ],
    align=True,
)

# One spring, motor or limit in the solver; created in each step.
JOINT_ROW = np.dtype(
    [
        ("slot", "i4"),  # kind * AXIS_COUNT + axis
        ("side", "f4"),  # of a limit: 1 at the lower one, -1 at the upper one; else 1
        ("linear", "f4", 3),  # direction of the impulse on B
        ("angular_a", "f4", 3),  # of the angular impulse on A (negated) and B
        ("angular_b", "f4", 3),
        ("torque", "f4", 3),  # its part about the axis itself, without the force at the joint
        ("mass", "f4"),  # effective
        ("softness", "f4"),  # for springs: reduction by the impulse itself
        ("bias", "f4"),  # target: velocity + bias = 0
        ("separation", "f4"),  # of a limit: distance left; negative: beyond
        ("least", "f4"),  # impulse
        ("most", "f4"),
        ("impulse", "f4"),
        # For limits: FIRM, SLOW or SPRINGY, and the softness; the restitution, and the speed at which the limit was reached.
        ("hold", "i4"),
        ("bias_rate", "f4"),
        ("mass_scale", "f4"),
        ("impulse_scale", "f4"),
        ("restitution", "f4"),
        ("approach", "f4"),
        ("kept", "f4"),  # its impulse from before a bounce, while the joint responds to it
        ("late", "f4"),  # of springs of split trees: the impulse applied after bodies have moved
    ],
    align=True,
)

NODE_ROWS = 6
"""The most axes that a node holds."""
TRIANGLE = NODE_ROWS * (NODE_ROWS + 1) // 2
MOST_CLOSERS, LOOP_ROWS = 4, 12
"""The most joints that close loops of a tree and are solved with it, and the most axes that they lock together."""
LOOP_TRIANGLE = LOOP_ROWS * (LOOP_ROWS + 1) // 2
# Joints without loops are solved exactly, tree by tree: see trees.py. Parents are stored before children.
TREE = np.dtype(
    [
        ("first", "i4"),
        ("count", "i4"),
        ("first_joint", "i4"),  # of its joints in this step; those that close loops come last
        ("joint_count", "i4"),
        ("is_coupled", "i4"),  # a joint that is in no tree is attached to some body
        ("is_split", "i4"),  # forces and springs act on it in halves, before and after bodies move: see `shift_forces`
        ("is_touched", "i4"),  # a contact pushes some body of it
        ("is_drifting", "i4"),  # some axis of its joints drifted in the last sub-step
        ("is_heavy", "i4"),  # some link carries something much heavier: see parts.py
        ("is_weighed", "i4"),  # some link has more inertia in this step, see loaded_links.py
        ("in_parts", "i4"),  # this sub-step is taken in parts, and the bodies have already moved
        ("is_bound", "i4"),  # what its joints add to its energy in this sub-step is taken away, see energy_bound.py
        ("gained", "f8"),  # energy that its joints added before bodies moved, if it `is_bound` [J]
        ("spare", "f8"),  # energy that it lost in this step and may win back, see energy_bound.py [J]
        ("is_looped", "i4"),  # some joint closes a loop: its axes may be held in more than one way
        ("is_network", "i4"),  # it has more loops, heavier loads in them or other locked axes than trees take: see networks.py
        ("has_locks", "i4"),  # some body may not move along, or turn about, some axis
        # Joints that close loops and are solved with the tree, see loops.py.
        ("closer_count", "i4"),
        ("loop_rows", "i4"),  # axes that all joints lock which close loops, solved with the tree or not
        ("loop_holds", "i4"),  # bits of those that the tree does not hold already
        ("loop_needs", "i4"),  # their number if the tree holds only locks
        ("loop_freedom", "f8"),  # of the least movable of those axes, relative to the freedom of its joint
        ("first_block", "i4"),  # of a network: its first node's block with itself, then those of the other nodes
        ("block_count", "i4"),
        ("let_go", "i4"),  # number of nodes, from the first, without motors in this step (all: no limits), which would tear loops
        ("closers", "i4", MOST_CLOSERS),
        ("ends", "i4", (MOST_CLOSERS, 2)),  # the nodes of their bodies; -1: a fixed body
        ("loop", "f8", LOOP_TRIANGLE),  # K
        ("inverse", "f8", LOOP_TRIANGLE),  # of its Cholesky factor
        ("freedom", "f8", LOOP_ROWS),  # how freely the ends of the joint of each axis move in the tree
        ("loop_impulse", "f8", LOOP_ROWS),  # that closes the loops in one pass
    ],
    align=True,
)
TREE_NODE = np.dtype(
    [
        ("body", "i4"),
        ("row", "i4"),  # of the body in the solver
        ("joint", "i4"),  # to the parent, or to a fixed body; -1: none
        ("side", "i4"),  # the side of the joint that the body is on
        ("parent", "i4"),  # node; -1: none
        ("tree", "i4"),
        ("count", "i4"),  # of held axes; -1: not factorized yet
        ("axes", "i1", NODE_ROWS),  # which axes are held; 6 and more: rows of the joint, by their number
        ("held", "u4"),  # bits of these rows
        ("upper", "u4"),  # bits of those that are at an upper limit: their direction is reversed
        ("turn", "f4", 3),  # vector of the rotation since the step began, when the matrices were made
        # Lower triangles; once factorized, the inverses of their Cholesky factors, S filled up by `invert_at_once`.
        ("inertia", "f8", TRIANGLE),  # H
        ("block", "f8", TRIANGLE),  # S
        ("wanted", "f8", NODE_ROWS),
        ("pull", "f8", NODE_ROWS),  # impulses of the held axes; 0 beyond them
        ("push", "f8", 6),  # f, then the change of the body's velocity; at first its velocity before the warm start
        ("drift", "f8", 6),  # of the locked axes, see curvature.py
        ("own", "f4", (NODE_ROWS, 6)),  # A: Jacobian of the axes for the body's motion; one row an axis
        ("other", "f4", (NODE_ROWS, 6)),  # B: for the parent's
        ("first_block", "i4"),  # the list of its blocks with lower nodes of a network, see network_layout.py; -1: none
        ("kept", "f4", 22),  # the solver row and the inverse inertia of its body before a part of a sub-step, see parts.py
    ],
    align=True,
)
# What couples two bodies of a network, or one with itself: a column for each axis of the higher node, whose list it is in, and in
# each column the six axes of the lower node and two zeros.
NETWORK_BLOCK = np.dtype(
    [
        ("lower", "i4"),  # node
        ("next", "i4"),  # block of the same list; -1: none
        ("values", "f8", (2, 48)),  # of the matrix of velocities, and of that of errors; once factorized, of their factors
    ],
    align=True,
)
NETWORK_AXES = np.dtype(
    [
        ("a", "f8", (NODE_ROWS, 8)),  # Jacobian for the motion of A, and two zeros
        ("b", "f8", (NODE_ROWS, 8)),
        ("stiffness", "f8", NODE_ROWS),  # of a spring that gives by all of it [kg], [kg m^2]
        ("number", "i4", NODE_ROWS),  # of the axis; NODE_ROWS and more: of a held row
        ("count", "i4"),
    ],
    align=True,
)
"""The held axes of a joint in a network, from when it is measured until its bodies move."""
BLOCKS_OF_JOINT = 4
"""The room for blocks, for each joint that there may be. A network that needs more is solved joint by joint."""
