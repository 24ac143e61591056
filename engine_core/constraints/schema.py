"""The data of the solver: one row of sixteen floats a moving body, and blocks of eight contact manifolds.

A block holds one manifold in each of its eight lanes; a field of a block is eight adjacent floats. All eight are of one colour,
so no body is in two lanes. Free lanes have zero masses and refer to row 0, which stands for everything static.
"""

import numpy as np

# Fields of a solver row (float32 x 16: one cache line). Row 0: everything static.
ROW_FLOATS = 16
LINEAR_VELOCITY, ANGULAR_VELOCITY = 0, 3  # world [m/s], [rad/s]
UNEVEN = 6  # 1: the inertia is not the same about all axes, and is beside the row; CARRIES: it turns by itself; else 0
DEEP_CONTACTS = 7  # number of manifolds that find the body deep in another: see DEEP_PART
DELTA_POSITION = 8  # since the start of the step [m]
DELTA_ROTATION = 11  # x, y, z, w since the start of the step
SPENT = 15  # in the sub-steps: part of its impulses that was dropped, plus ON_FOOT; see solver/spent_impulses.py
HELD_BACK = 15  # after the sub-steps: part of the motion that continuous collision takes back, 0 to 1; see solver/continuous.py
ROW_SIZE = ROW_FLOATS * 4

CARRIES = -1.0
"""UNEVEN of a kinematic body that turns: its contacts turn with it, though no impulse changes how it spins."""
ON_FOOT = 2.0
"""Added to SPENT of a body that touches something immovable beside it."""
DEEP_PART = 0.25
"""A contact is deep if its softness would push bodies apart at more than this part of the highest speed, `push_out_speed`."""

# Fields of a row of forces (float32 x 8), beside each solver row: what a sub-step adds to the first half of it.
FORCE_FLOATS = 8
FORCE_SIZE = FORCE_FLOATS * 4
VELOCITY_CHANGE = 0  # by gravity and forces in one sub-step [m/s]
SPIN_CHANGE = 3  # [rad/s]
# After the sub-steps, of bodies that continuous collision sweeps:
HELD_NEXT = 0  # the next value of HELD_BACK
CARRIER = 1  # int32: the body that is hit, if it moves on and takes this one along; else -1
MET = 2  # int32: the body that is hit; -1 for a body that is only joined to one that hit something
LOCKED_AXES = 7  # bits of BODY.axis_locks as a number, whose velocities are 0; LIMITED, SQUEEZED
LIMITED = 64  # the velocities of the row are limited
SQUEEZED = 128  # they are for this step, see squeezed_bodies.py

# A row of inertia (float32 x 8), beside each solver row: the current inverse inertia in world axes: xx, yy, zz, xy,
# xz, yz [1/(kg m^2)]. Only for bodies that are UNEVEN. Behind it, only for those that are LIMITED:
INERTIA_FLOATS = 8
MOST_SPEED, MOST_SPIN = 6, 7  # [m/s], [rad/s]; one may be infinite
INERTIA_SIZE = INERTIA_FLOATS * 4

# A row of loads (float32 x 8), beside each solver row: see pressed_bodies.py. Only for bodies that are IS_LOADED.
LOAD_FLOATS = 8
LOAD_DOWN, LOAD_UP = 0, 1  # heavy contact impulses on the body along gravity, and against it [N s]
LOAD_HEAVIEST = 2  # mass, as its contacts see it, of the heaviest much heavier body among them, 0 without one [kg]
LOAD_ABOVE, LOAD_BELOW = 3, 4  # numbers of the last bodies that pushed it along gravity, and against it; 0 without one
LOAD_GRIP = 5  # the largest coefficient of friction of those that push it against gravity
IMMOVABLE_NUMBER = 1.0
"""Their number of everything static or kinematic."""
LOAD_SIZE = LOAD_FLOATS * 4

# Fields of a block, each eight floats (32 bytes) long. The first three are integers of the same size.
(
    ROW_A, ROW_B, MANIFOLD_INDEX,
    MASS_A,  # inverse mass of A along x, y and z, with the side's scale; 0 along a locked axis [1/kg]
) = (0, 1, 2, 3)  # fmt: skip
MASS_B = MASS_A + 3
INERTIA_A = MASS_B + 3  # inverse inertia, world axes, with its scale: xx, yy, zz, xy, xz, yz
INERTIA_B = INERTIA_A + 6
NORMAL = INERTIA_B + 6  # A to B
TANGENT = NORMAL + 3  # first of the two tangents; the second is normal x tangent
FRICTION = TANGENT + 3
RESTITUTION = FRICTION + 1
ANCHOR_A = RESTITUTION + 1  # of the centre of friction
ANCHOR_B = ANCHOR_A + 3
ROUND_A = ANCHOR_B + 3  # the part of ANCHOR_A along the normal that does not turn with A: the radius of a round body [m]
ROUND_B = ROUND_A + 1  # the same of ANCHOR_B: minus the radius
TANGENT_MASS = ROUND_B + 1  # inverse of the 2 x 2 matrix: xx, yy, xy
TWIST_MASS = TANGENT_MASS + 3
FRICTION_IMPULSE = TWIST_MASS + 1  # along the two tangents
TWIST_IMPULSE = FRICTION_IMPULSE + 2  # directly after it: TOTAL_FRICTION is in the same order
TANGENT_VELOCITY = TWIST_IMPULSE + 1  # target relative velocity along the two tangents (conveyors)
TWIST_VELOCITY = TANGENT_VELOCITY + 2  # target relative spin about the normal (turntables)
TABLE_SPIN = TWIST_VELOCITY + 1  # of a surface that carries the other body around, about the normal; see solver/turntables.py
TOTAL_FRICTION = TABLE_SPIN + 1  # sums over the sub-steps, for reports: of friction along the two tangents, of the twist
BIAS_RATE = TOTAL_FRICTION + 3  # softness
SOFTNESS = BIAS_RATE + 1  # part of the impulse and of its change that a soft contact keeps, 0 to 1
ALLOWED_OVERLAP = SOFTNESS + 1  # the overlap below which the two are not pushed apart [m]
SPREAD = ALLOWED_OVERLAP + 1  # mean distance of the surface in touch from the centre, as a part of that of the points
COUPLING = SPREAD + 1  # speed at a point by an impulse at another [1/kg]: of points 01, 02, 03, 12, 13, 23
SLIDE_COUPLING = COUPLING + 6  # speed along the two tangents by an impulse at a point, and the reverse: four of each [1/kg]
BOUNCED = SLIDE_COUPLING + 8  # sum of the points' impulses that bounced in this sub-step, and that sum with arms
IMPACT = BOUNCED + 2  # where bodies meet fast: one of the numbers below, else 0
POINT_COUNT = IMPACT + 1  # int32: the largest of the lanes, in all lanes
IS_ELASTIC = POINT_COUNT + 1  # int32, in all lanes: 1 if some lane has restitution, JOINED if a body of one has joints too
JOINED = 2
IMPACT_GOES_ON, IMPACT_BEGINS, IMPACT_LASTS = 0.5, 1.0, 2.0  # from the last step; in this one, and will go on in the next
HAS_IMPACT = IS_ELASTIC + 1  # int32, in all lanes: 1 if some lane is an impact, or carries a body that is part of one
POINTS = HAS_IMPACT + 1  # four points, POINT_FIELDS fields each

POINT_ANCHOR_A, POINT_ANCHOR_B = 0, 3
POINT_SEPARATION = 6  # at the start of the step, less normal . (anchor_b - anchor_a) [m]
POINT_MASS = 7  # effective mass along the normal [kg]
POINT_IMPULSE = 8
POINT_TOTAL_IMPULSE = 9
POINT_RELATIVE_VELOCITY = 10  # along the normal before the step, for reports [m/s]
POINT_LEVER = 11  # distance from the centre of friction [m]
POINT_CLOSING = 12  # where there is an impact: how fast the surfaces closed as the sub-step began [m/s]; else what it bore [N s]
POINT_FIELDS = 13

BLOCK_FIELDS = POINTS + 4 * POINT_FIELDS
FIELD_SIZE = 32
BLOCK_SIZE = BLOCK_FIELDS * FIELD_SIZE

# The bounces of a block, beside it; only for blocks that are IS_ELASTIC: see solver/bounces.py. A line, then four points.
SOME_BOUNCE = 0  # int32: some point of the block bounces in this generation
BOUNCE_POINTS = 64  # offset of the points [byte]
BOUNCE_AWAY = 0  # speed at which the point shall separate [m/s]
BOUNCE_ASKED = 1  # change of its speed that this was as the generation began, 0 if it does not bounce [m/s]
BOUNCE_MOMENT = 2  # when within the sub-step [s]
BOUNCE_IMPULSE = 3  # in this generation [N s]
BOUNCE_POINT_SIZE = 4 * FIELD_SIZE
BOUNCES_SIZE = BOUNCE_POINTS + 4 * BOUNCE_POINT_SIZE

IMMOVABLE = 8.0
"""A body is immovable beside one that is so many times lighter."""

# Colours. Contacts between two moving bodies take colours from below, those with a static body from above, so that they are
# solved last and win; so do those with an immovable body among the colours of moving bodies. Contacts without a colour go to the
# overflow, which is solved first, block by block on one thread.
COLOUR_COUNT = 24
OVERFLOW = COLOUR_COUNT
MOVING_COLOURS = 20
COLOURS = np.dtype(
    [
        ("counts", "i8", COLOUR_COUNT + 1),
        ("lists", "i8", COLOUR_COUNT + 1),  # addresses of int32: manifolds of each colour
        ("keys", "i8", COLOUR_COUNT + 1),  # addresses of int32: their keys; see runtime/body_order.py
        ("disorder", "i8", COLOUR_COUNT + 1),
        ("first_block", "i8", COLOUR_COUNT + 2),  # of each colour in this step; overflow comes last
        ("block_count", "i8", COLOUR_COUNT + 1),
        # The overflow of this step, see overflow.py, int32: eight manifolds a block, -1 where a lane is free; and by the
        # slot of a manifold in the overflow its lane, block << 3 | lane.
        ("overflow_blocks", "i8"), ("overflow_lanes", "i8"),
        # Joints have colours of their own, so that few joints need few colours; see joints/colours.py
        ("joint_counts", "i8", COLOUR_COUNT + 1),
        ("joint_lists", "i8", COLOUR_COUNT + 1),  # addresses of int32: joints of each colour
        # Of each colour in SYSTEM.joints.active, those in no tree: see joints/order.py
        ("first_loose", "i8", COLOUR_COUNT + 1),
        ("loose_counts", "i8", COLOUR_COUNT + 1),
    ],
    align=True,
)
