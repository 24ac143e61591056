"""The data of joints: which two bodies, where on them, what is locked, limited, sprung or driven, and what the solver keeps.

A joint is one general model. It has a frame on each body. Six axes say how B's frame lies from A's: three linear ones along
the axes of frame A [m], and three angular ones [rad]: the twist about x, and how far B's x axis has swung about A's y and z.
Two more measure a cone (the angle between the x axes) and a distance (between the origins); the last two have no position and
tie speeds together, as gears do. Locked axes are solved as one
block of up to three linear and one of up to three angular rows; springs, motors and limits are single rows.
"""

import numpy as np

LINEAR_X, LINEAR_Y, LINEAR_Z, TWIST, SWING_Y, SWING_Z, CONE, DISTANCE, GEAR, RACK = range(10)
AXIS_COUNT = 10
LINEAR_AXES, ANGULAR_AXES = 0b111, 0b111000
TURNING_AXES = ANGULAR_AXES | 1 << CONE | 1 << GEAR
"""Axes whose rows act by torques alone."""

# Flags of a joint.
IS_ENABLED = 1
IS_BROKEN = 2  # a limit of force was passed: it holds nothing any more
IS_CONNECTED = 4  # it stands in the lists of its bodies
LIMITS_IMPULSES = 8  # motors are limited in what they do in a step [N s], not in force [N]

# How a limit row holds.
FIRM = 0  # as firm as what is locked
SLOW = 1  # passed by nothing, but what is beyond comes back at a rate of its own
SPRINGY = 2  # gives way as a spring does

# Kinds of rows.
SPRING, MOTOR, LIMIT = 0, 1, 2
ROW_KINDS = 3
MAX_ROWS = ROW_KINDS * AXIS_COUNT

UNLIMITED = 3.0e38

JOINT = np.dtype(
    [
        # What each sub-step reads, first: it lies on few cache lines.
        # Bits of axes (1 << axis).
        ("locked", "u4"),
        ("limited", "u4"),
        ("sprung", "u4"),
        ("driven", "u4"),
        # Prepared for one step. Row 0 of the solver stands for all that does not move.
        ("rows", "i4", 2),  # of the bodies in the solver
        ("pushes", "i4", 2),  # whether A and B are pushed
        ("first_row", "i4"),
        ("row_count", "i4"),
        ("acting", "i4"),  # so many of its rows may push in this sub-step; the others have no mass and no impulse
        ("is_split", "i4"),  # its tree is: see TREE
        ("node", "i4"),  # in the trees of this step, also of one that closes a loop and is solved with them; -1: in none
        ("max_impulse", "f4"),  # what holds the locked linear axes may do at most in one step, beside what rows need [N s]
        # Kept from step to step.
        ("linear_impulse", "f4", 3),  # of the locked axes, in frame A [N s]
        ("angular_impulse", "f4", 3),
        # Measured in each sub-step.
        ("error", "f4", 6),  # of locked axes: how far from where they are locked
        ("drift", "f4", 6),  # of the locked axes of a joint in no tree, see joint_curvature.py
        ("axes", "f4", (3, 3)),  # of frame A, world
        ("turns", "f4", (3, 3)),  # what a turn of B against A changes the three angles by
        ("arms", "f4", (2, 3)),  # from both centres of mass to B's frame
        # Prepared for one step.
        ("masses", "f4", (2, 3)),  # inverse, along x, y and z; 0 along locked axes
        ("inertias", "f4", (2, 6)),  # inverse, world axes; in each sub-step as the bodies lie then
        ("between", "f8", 3),  # from A's centre of mass to B's
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
        # What few sub-steps read, or none.
        ("kept", "f4", 6),  # linear_impulse and angular_impulse from before a bounce, while it is answered
        ("motor_velocity", "f4", AXIS_COUNT),
        ("motor_force", "f4", AXIS_COUNT),  # at most
        ("by_frequency", "u4"),  # springs given by frequency [1/s] and damping ratio, not stiffness and damping
        ("springy", "u4"),  # bits of limits that give way as springs
        ("spring_stiffness", "f4", AXIS_COUNT),  # [N/m], [N m/rad] or [1/s]
        ("spring_damping", "f4", AXIS_COUNT),  # [N s/m], [N m s/rad] or a ratio
        ("spring_target", "f4", AXIS_COUNT),
        ("spring_force", "f4", AXIS_COUNT),  # at most [N], [N m]
        ("limit_hertz", "f4", AXIS_COUNT),  # how firm a limit is [1/s]; 0: as what is locked
        ("limit_damping", "f4", AXIS_COUNT),  # ratio, where `limit_hertz` is not 0
        ("limit_restitution", "f4", AXIS_COUNT),  # part of the speed that comes back, 0 to 1
        ("limit_force", "f4", AXIS_COUNT),  # at most [N], [N m]
        ("row_impulse", "f4", MAX_ROWS),  # by kind * AXIS_COUNT + axis; of limits: negative at the upper one
        ("total_time", "f4"),  # length of the last step [s]
        ("break_force", "f4"),  # [N]
        ("break_torque", "f4"),  # [N m]
        ("sequence", "i4"),
        ("is_stiff", "i4"),  # some spring was too stiff for the sub-steps of the last step, and damped
        # What it is, and where it hangs.
        ("id", "i8"),  # 0: a free row
        ("user_id", "i8"),
        ("bodies", "i4", 2),  # A and B; -1: the world
        ("next", "i4", 2),  # the lists of joints of A and B: joint << 1 | side
        ("previous", "i4", 2),
        ("flags", "u4"),
        ("colour", "i4"),  # -1: not in the solver
        ("colour_slot", "i4"),
        ("kind", "i4"),  # what it was made as: see core/joints.py; the solver does not ask
        # Frames, from the bodies' origins in their own axes; for the world in world axes. [A, B]
        ("frame_positions", "f8", (2, 3)),
        ("frame_rotations", "f8", (2, 4)),
    ],
    align=True,
)

# One spring, motor or limit in the solver; made anew in each step.
JOINT_ROW = np.dtype(
    [
        ("slot", "i4"),  # kind * AXIS_COUNT + axis
        ("side", "f4"),  # of a limit: 1 at the lower one, -1 at the upper one; else 1
        ("linear", "f4", 3),  # direction of the impulse on B
        ("angular_a", "f4", 3),  # of the turning impulse on A (taken away) and B
        ("angular_b", "f4", 3),
        ("torque", "f4", 3),  # of that what turns B against A, not what acts at the joint
        ("mass", "f4"),  # effective
        ("softness", "f4"),  # what the impulse itself takes off: springs
        ("bias", "f4"),  # wanted: velocity + bias = 0
        ("separation", "f4"),  # of a limit: way left; negative: beyond
        ("least", "f4"),  # impulse
        ("most", "f4"),
        ("impulse", "f4"),
        # Of limits: FIRM, SLOW or SPRINGY, and how soft; the restitution, and the speed at which the limit was met in this step.
        ("hold", "i4"),
        ("bias_rate", "f4"),
        ("mass_scale", "f4"),
        ("impulse_scale", "f4"),
        ("restitution", "f4"),
        ("approach", "f4"),
        ("kept", "f4"),  # its impulse from before a bounce, while it is answered
        ("late", "f4"),  # of springs of split trees: the impulse once bodies have moved
    ],
    align=True,
)

NODE_ROWS = 6
"""Axes that a joint can hold at most."""
TRIANGLE = NODE_ROWS * (NODE_ROWS + 1) // 2
MOST_CLOSERS, LOOP_ROWS = 4, 12
"""Joints that close loops of a tree and are solved with it at most, and the axes that they lock together."""
LOOP_TRIANGLE = LOOP_ROWS * (LOOP_ROWS + 1) // 2
# Joints without loops are solved exactly, tree by tree: see solver/joint_trees.py. Nodes lie parents first.
TREE = np.dtype(
    [
        ("first", "i4"),
        ("count", "i4"),
        ("first_joint", "i4"),  # of its joints in this step; those that close loops come last
        ("joint_count", "i4"),
        ("is_coupled", "i4"),  # a joint that stands in no tree hangs on some body
        ("is_split", "i4"),  # forces and springs act on it in halves, before and after bodies move: see `shift_forces`
        ("is_touched", "i4"),  # a contact pushes some body of it
        ("is_drifting", "i4"),  # some axis of its joints drifted in the last sub-step
        ("is_looped", "i4"),  # some joint closes a loop: its axes may be held in more than one way
        # Joints that close loops and are solved with the tree, see solver/joint_loops.py.
        ("closer_count", "i4"),
        ("loop_rows", "i4"),  # axes that all joints lock which close loops, solved with the tree or not
        ("loop_holds", "i4"),  # bits of those that the tree does not hold already
        ("loop_needs", "i4"),  # how many those are if the tree holds what is locked alone
        ("loop_freedom", "f8"),  # of the axis of those that hardly moves, in parts of how freely its joint does
        ("let_go", "i4"),  # so many nodes, from the first, hold no motors in this step (all: no limits): they tore at loops
        ("closers", "i4", MOST_CLOSERS),
        ("ends", "i4", (MOST_CLOSERS, 2)),  # the nodes of their bodies; -1: something fixed
        ("loop", "f8", LOOP_TRIANGLE),  # K
        ("inverse", "f8", LOOP_TRIANGLE),  # of its Cholesky factor
        ("freedom", "f8", LOOP_ROWS),  # how freely the ends of the joint of each axis move in the tree
        ("loop_impulse", "f8", LOOP_ROWS),  # what closes the loops in one pass
    ],
    align=True,
)
TREE_NODE = np.dtype(
    [
        ("body", "i4"),
        ("row", "i4"),  # of the body in the solver
        ("joint", "i4"),  # to the parent, or to something fixed; -1: none
        ("side", "i4"),  # of the joint that the body is
        ("parent", "i4"),  # node; -1: none
        ("tree", "i4"),
        ("count", "i4"),  # of axes that are held; -1: not factorized yet
        ("axes", "i1", NODE_ROWS),  # which they are; 6 and more: rows of the joint, by their number, that are held too
        ("held", "u4"),  # bits of these rows
        ("upper", "u4"),  # bits of those that stand at an upper limit: they point the other way
        ("turn", "f4", 3),  # vector of the rotation since the step began, when the matrices were made
        # Lower triangles; once factorized, the inverses of their Cholesky factors.
        ("inertia", "f8", TRIANGLE),  # H
        ("block", "f8", TRIANGLE),  # S
        ("wanted", "f8", NODE_ROWS),
        ("pull", "f8", NODE_ROWS),  # impulses of the axes that are held
        ("push", "f8", 6),  # f, then the change of the body's velocity; first of all its velocity before the warm start
        ("drift", "f8", 6),  # of the axes that the joint locks, see joint_curvature.py
        ("own", "f4", (NODE_ROWS, 6)),  # A: how the axes see the body's motion; one row an axis
        ("other", "f4", (NODE_ROWS, 6)),  # B: the parent's
    ],
    align=True,
)
