"""The data of collision: pairs of bodies whose fat bounds overlap, the contact manifolds of each, and what a collision of two
shapes answers. Pairs and manifolds live on from step to step: that is what warm starting, colouring and recycling rest on.
"""

import numpy as np

SPECULATIVE_DISTANCE = 0.02
"""Contacts are made before shapes touch, up to this distance [m]: larger lets bodies stop early, smaller lets them sink."""
LINEAR_SLOP = 0.005
"""Tolerance of position [m]; all other lengths follow from it."""
FAT_BOUNDS_MARGIN = 0.05
"""How far a body moves before its pairs are looked for again [m]."""
MAX_POINTS = 4
MAX_RESULTS = 16
"""How many manifolds two shapes can have at most: a convex one has one, a mesh one for each direction of normals."""

# What the collision of two convex shapes, or of one with a face of a mesh, answers. Axes are the world's, the origin is the
# one the caller chose (body A's centre of mass).
CONTACT_RESULT = np.dtype(
    [
        ("normal", "f8", 3),  # unit, from A to B
        ("point_count", "i8"),
        ("points", "f8", (MAX_POINTS, 3)),  # half-way between the two surfaces [m]
        ("separations", "f8", MAX_POINTS),  # along the normal; negative: penetration [m]
        ("features", "u4", MAX_POINTS),  # which features of A and B made the point; the same from step to step
        ("face", "i8"),  # user's index of the mesh triangle (the deepest one of a merged set), else -1
    ],
    align=True,
)

# Flags of a pair.
PAIR_IS_SENSOR = 1
PAIR_IS_TOUCHING = 2
PAIR_HAS_POSE = 4  # the poses of the last full collision are valid: the manifold may be recycled
PAIR_IS_FILTERED = 8  # kept so that it is not found again, but never collided (exceptions, joints)

PAIR = np.dtype(
    [
        ("body_a", "i4"),  # -1: a free row; body_a < body_b
        ("body_b", "i4"),
        ("flags", "u4"),
        ("active_index", "i4"),  # place in active_pairs; -1: both asleep
        ("next", "i4", 2),  # the lists of pairs of body_a and body_b: pair << 1 | side; next[0] doubles as the free list
        ("previous", "i4", 2),
        ("first_manifold", "i4"),
        ("manifold_count", "i4"),
        ("inverse_mass_scale_a", "f4"),  # 0: A is not pushed (its mask does not have B's layer), else 1
        ("inverse_mass_scale_b", "f4"),
        ("friction", "f4"),
        ("restitution", "f4"),
        ("axis_cache", "i4"),  # separating axis of the last full collision, for pairs of single convex shapes
        ("pose_position", "f4", 3),  # B from A at the last full collision, world axes [m]
        ("pose_rotation_a", "f4", 4),
        ("pose_rotation_b", "f4", 4),
    ],
    align=True,
)

# A contact manifold: up to four points with one normal, between one shape of A and one of B (or one direction of a mesh).
MANIFOLD = np.dtype(
    [
        ("pair", "i4"),  # -1: a free row
        ("next", "i4"),  # next manifold of the pair, or of the free list
        ("body_a", "i4"),
        ("body_b", "i4"),
        ("instance_a", "i4"),  # number of the shape on the body
        ("instance_b", "i4"),
        ("face", "i4"),  # mesh triangle, else -1
        ("point_count", "i4"),
        ("colour", "i4"),  # -1: not in the solver
        ("colour_slot", "i4"),
        ("normal", "f4", 3),  # unit, A to B, world axes
        ("anchor_a", "f4", (4, 3)),  # from the centre of mass of A, world axes [m]
        ("anchor_b", "f4", (4, 3)),
        ("separation", "f4", 4),
        ("feature", "u4", 4),
        ("normal_impulse", "f4", 4),  # warm start [N s]
        ("total_normal_impulse", "f4", 4),  # sum over the sub-steps, for restitution and reports [N s]
        ("friction_impulse", "f4", 3),  # world axes [N s]
        ("twist_impulse", "f4"),  # about the normal [N m s]
        ("base_separation", "f4", 4),  # for recycling: separation - normal . (anchor_b - anchor_a + delta) at the full collision
        ("pose_anchor", "f4", (4, 3)),  # where the points were at the last full collision, body frame of A
        ("pose_normal", "f4", 3),  # body frame of A
        # What is round about the normal at the contact [m]: it rolls, so the solver measures gaps from its axis.
        ("rounding_a", "f4"),
        ("rounding_b", "f4"),
    ],
    align=True,
)
