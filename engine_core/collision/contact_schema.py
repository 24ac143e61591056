"""The data of contact rules and of contact events."""

import numpy as np

from .schema import MAX_POINTS

# Flags of a rule.
RULE_EXISTS = 1
RULE_IGNORES = 2  # the bodies do not collide
RULE_IS_SENSOR = 4
RULE_HAS_FRICTION, RULE_HAS_RESTITUTION = 8, 16
RULE_A_RUNS, RULE_B_RUNS = 32, 64  # the side whose surface has `surface_velocity`
RULE_A_IS_PLATFORM, RULE_B_IS_PLATFORM = 128, 256  # the side that has `platform_normal`

# The rules between two classes of bodies: one row for each order of the two, so that no row has to be swapped.
CONTACT_RULE = np.dtype(
    [
        ("flags", "u4"),
        ("friction", "f4"),
        ("restitution", "f4"),
        ("surface_velocity", "f4", 3),  # frame of the body that has it [m/s]
        ("inverse_mass_scale", "f4", 2),  # of A and B
        ("platform_normal", "f4", 3),  # unit, frame of the body that has it: up, the side that carries
        ("validate", "i8"),  # address of a function, or 0
        ("modify", "i8"),
        ("context", "i8"),  # for both functions
    ],
    align=True,
)

# Answers of a `validate` function.
ACCEPT_CONTACT, REJECT_CONTACT, REJECT_PAIR = 0, 1, 2

# A contact as passed to the functions of a rule.
CONTACT = np.dtype(
    [
        ("context", "i8"),
        ("world", "i8"),  # address of WORLD
        ("body_a", "i8"), ("body_b", "i8"),  # addresses of BODY: read only
        ("id_a", "i8"), ("id_b", "i8"),
        ("class_a", "i8"), ("class_b", "i8"),
        ("shape_a", "i8"), ("shape_b", "i8"),  # numbers of the shapes on their bodies; -1 in a sweep
        ("part_a", "i8"), ("part_b", "i8"),  # numbers of parts, where those are static compounds, or NO_PART
        ("face", "i8"),  # of a mesh, else -1
        ("was_there", "i8"),  # 1: the same two shapes had a contact with this normal in the step before
        ("point_count", "i8"),  # 0: a fast body would meet the other in this step, `normal` is the way from A to B
        ("normal", "f8", 3),  # unit, from A to B
        ("points", "f8", (MAX_POINTS, 3)),  # from A's centre of mass, world axes [m]
        ("separations", "f8", MAX_POINTS),  # negative: how deep [m]. From here on `modify` may write
        ("friction", "f8"),
        ("restitution", "f8"),
        ("surface_velocity", "f8", 3),  # of the surface of B against that of A, world axes [m/s]
        ("inverse_mass_scale", "f8", 2),  # of A and B; 0: it is not pushed
        ("is_sensor", "i8"),  # 1: reported, but not solved
    ],
    align=True,
)  # fmt: skip

# The effect of a rule on a manifold: the row of the manifold's number. Memory is used only where there are rules.
CONTACT_SETTINGS = np.dtype(
    [
        ("friction", "f4"),
        ("restitution", "f4"),
        ("surface_velocity", "f4", 3),
        ("inverse_mass_scale", "f4", 2),
    ],
    align=True,
)

CONTACT_ADDED, CONTACT_PERSISTED, CONTACT_REMOVED = 1, 2, 3

# A contact of two shapes in one step, as reported to users. A REMOVED one has no points.
CONTACT_EVENT = np.dtype(
    [
        ("kind", "i4"),  # CONTACT_ADDED, CONTACT_PERSISTED or CONTACT_REMOVED
        ("point_count", "i4"),
        ("body_a", "i8"), ("body_b", "i8"),  # ids
        ("shape_a", "i4"), ("shape_b", "i4"),  # numbers of the shapes on their bodies
        ("part_a", "i4"), ("part_b", "i4"),  # numbers of parts, where those are static compounds, or -1
        ("face", "i4"),  # of a mesh, else -1
        ("is_sensor", "i4"),
        ("normal", "f4", 3),  # unit, from A to B
        ("approach_speed", "f4"),  # speed of approach before the solver, at the fastest of the points [m/s]
        ("friction", "f4"), ("restitution", "f4"),  # as used by the solver
        ("friction_impulse", "f4", 3),  # on B, world axes, at the middle of the points, in this step [N s]
        ("twist_impulse", "f4"),  # of friction on B about the normal [N m s]
        ("points", "f8", (MAX_POINTS, 3)),  # half-way between the surfaces, world [m]
        ("depths", "f4", MAX_POINTS),  # negative: still apart [m]
        ("normal_impulses", "f4", MAX_POINTS),  # on B along the normal, in this step [N s]
    ],
    align=True,
)  # fmt: skip

# Two touching shapes known to users: rows in lists of their pairs.
REPORTED_CONTACT = np.dtype(
    [
        ("next", "i4"),  # of the pair, or of the free ones
        ("shape_a", "i4"), ("shape_b", "i4"),
        ("part_a", "i4"), ("part_b", "i4"),  # or NO_PART
        ("body_a", "i8"), ("body_b", "i8"),  # ids
        ("since", "i8"), ("seen", "i8"),  # SYSTEM.step.count when it began, and when it was last there
    ],
    align=True,
)  # fmt: skip
