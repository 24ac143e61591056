"""The data of collision: pairs of bodies whose fat bounds overlap, their contact manifolds, and the result of colliding two
shapes. Pairs and manifolds persist from step to step: warm starting, colouring and recycling rely on that.
"""

import numpy as np

SPECULATIVE_DISTANCE = 0.02
"""Contacts are made before shapes touch, up to this distance [m]: larger lets bodies stop early, smaller lets them sink."""
LINEAR_SLOP = 0.005
"""Tolerance of position [m]; all other lengths follow from it."""
MAX_POINTS = 4
MAX_RESULTS = 16
"""The most manifolds of two shapes: convex shapes have one, a mesh one for each direction of normals."""

# The result of the collision of two convex shapes, or of one with a face of a mesh. World axes; the caller chooses the origin
# (the centre of mass of body A).
CONTACT_RESULT = np.dtype(
    [
        ("normal", "f8", 3),  # unit, from A to B
        ("point_count", "i8"),
        ("points", "f8", (MAX_POINTS, 3)),  # midway between the two surfaces [m]
        ("separations", "f8", MAX_POINTS),  # along the normal; negative: penetration [m]
        ("features", "u4", MAX_POINTS),  # the features of A and B that made the point; stable from step to step
        ("face", "i8"),  # user's index of the mesh triangle (the deepest one of a merged set), else -1
        ("open_sides", "i8"),  # of four points: see MANIFOLD.open_sides
        # Given, in the first result: how the lighter body slides on the other [m/s], and its load; see reduce.py, leaning.py.
        ("slide", "f8", 3),
        ("has_load", "i8"),
        ("load", "f8", 3),  # a place on the line along which it presses [m]
        ("load_way", "f8", 3),  # the direction of that line; 0: it presses at the place
    ],
    align=True,
)

# Flags of a pair.
PAIR_IS_TOUCHING = 2
PAIR_IS_UNSOLVED = 4  # it has manifolds that are not in the solver: the step must look at it
PAIR_SPARES_A = 8  # A is not pushed: its mask does not have B's layer
PAIR_SPARES_B = 16
PAIR_REPORTS = 32  # one of its bodies reports when contact begins and ends
PAIR_REPORTS_ALL = 64  # ... and while it lasts
PAIR_HAS_RULE = 128  # it has a rule for the contact classes of its bodies
PAIR_IS_KEPT_ON_CURVE = 256  # a round body rolled on over a smooth curve in this step: see rolling.py
PAIR_WAS_ON_CURVE = 512  # it has done so since they touch

# One cache line: all that a step reads of a pair whose manifolds are still valid. The rest is in PAIR_LISTS.
PAIR = np.dtype(
    [
        ("body_a", "i4"),  # -1: a free row; body_a < body_b
        ("body_b", "i4"),
        ("flags", "u4"),
        # How far its surfaces may move relative to each other before they are collided anew [m]; 0: collide now. Negative: minus
        # the motion towards each other before a contact can begin, see `stays_apart`.
        ("limit", "f4"),
        ("reach", "f4"),  # how far from a centre a contact that turns can be [m]
        # From the last full collision, or later while they stay apart.
        ("pose_position", "f4", 3),  # B from A, world axes [m]
        ("pose_rotation_a", "f4", 4),
        ("pose_rotation_b", "f4", 4),
    ],
    align=True,
)
assert PAIR.itemsize == 64

# The rest of a pair, in the row of the same number.
PAIR_LISTS = np.dtype(
    [
        ("next", "i4", 2),  # the lists of pairs of body_a and body_b: pair << 1 | side; next[0] doubles as the free list
        ("previous", "i4", 2),
        ("active_index", "i4"),  # place in the active pairs; -1: both asleep
        ("first_manifold", "i4"),
        ("manifold_count", "i4"),
        ("axis_cache", "i4"),  # separating axis of the last full collision, for pairs of single convex shapes
        ("friction", "f4"),
        ("restitution", "f4"),
        ("reporting_index", "i4"),  # place in SYSTEM.reports.pairs; -1: in none
        ("first_reported", "i4"),  # its contacts known to users: see contact_schema.py; -1: none
    ],
    align=True,
)

CURVE = np.dtype([("normal", "f4", 3), ("speed", "f4")])  # from the body to the ground; towards the last contact's normal [m/s]

# Flags of a manifold.
MANIFOLD_WANDERS_A = 1  # its points move over A as the bodies roll: see pair_manifolds.py
MANIFOLD_WANDERS_B = 2
MANIFOLD_HAS_MATERIAL = 4  # its triangle or part has friction and restitution of its own
MANIFOLD_HAS_SETTINGS = 8  # a rule has filled its row of CONTACT_SETTINGS
MANIFOLD_IS_SENSOR = 16  # reported, but not solved
MANIFOLD_HAS_BRICKS = 64  # `part_a` or `part_b` is a brick, whose number is in the row of SYSTEM.manifolds.bricks; 0: it is none
MANIFOLD_IS_MERGED = 128  # of many contacts with bricks: see merged_contacts.py
MANIFOLD_HAD_IMPACT = 256  # its bodies met fast in the last step
MANIFOLD_IS_DISC = 512  # its points are on the rim of a cylinder's flat end
MANIFOLD_TAPERS = 1024  # a shape has another radius at the second of two points: see GROWTH_A
MANIFOLD_IS_AHEAD = 32  # found where the bodies will meet within the step; see meeting.py

# A contact manifold: up to four points with one normal, between one shape of A and one of B (or one direction of a mesh). It
# holds the result of the last full collision, in the frame of A; `contact_points.py` gives the current positions of its points.
# Three cache lines.
MANIFOLD = np.dtype(
    [
        ("pair", "i4"),  # -1: a free row
        ("next", "i4"),  # next manifold of the pair, or of the free list
        ("body_a", "i4"),
        ("body_b", "i4"),
        ("colour", "i2"),  # -1: not in the solver
        ("answered_sides", "u2"),  # two bits for each of `open_sides`: how near the load was when it last asked; see leaning.py
        ("colour_slot", "i4"),
        ("point_count", "i1"),
        ("open_sides", "u1"),  # bits 01, 02, 03, 12, 13, 23: points between which corners beyond were left out; see leaning.py
        ("flags", "u2"),
        ("part_a", "u2"),  # number of the part of the static compound that `instance_a` is, or NO_PART
        ("part_b", "u2"),
        # Radius of a round shape in the direction in which it rolls [m]: the solver measures gaps from its axis; see rounding.py.
        ("rounding_a", "f4"),
        ("rounding_b", "f4"),
        ("twist_impulse", "f4"),  # about the normal [N m s]
        ("normal", "f4", 3),  # unit, A to B, body frame of A
        ("anchor", "f4", (4, 3)),  # midway between the surfaces, body frame of A, from its centre of mass [m]
        ("separation", "f4", 4),  # [m]; and see GROWTH_A
        ("normal_impulse", "f4", 4),  # warm start [N s]
        ("friction_impulse", "f4", 3),  # world axes [N s]
        ("face", "i4"),  # mesh triangle, else -1
        ("feature", "u4", 4),
        ("total_normal_impulse", "f4", 4),  # sum over the sub-steps, for restitution and reports [N s]
        ("instance_a", "i4"),  # number of the shape on the body
        ("instance_b", "i4"),
    ],
    align=True,
)
assert MANIFOLD.itemsize == 192

GROWTH_A, GROWTH_B = 2, 3
"""Places in `separation` of a contact with MANIFOLD_TAPERS: how much larger the radius of A, or B, is at the second point [m]."""
