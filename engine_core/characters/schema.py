"""The data of characters: a row for each, and the scratch memory of a call that moves them. Positions in double precision.

Directions and velocities are in world axes. `up` is the direction away from the ground; "along the floor" is across `up`.
"""

import numpy as np

from ..collision.query_schema import BODY_HIT

# CHARACTER.flags: settings.
FALLS = 1  # gravity and jumps are the controller's; else the wanted velocity holds them
KEEPS_VELOCITY = 2  # the velocity of the ground is added when it is left
TURNS = 4  # it turns with the ground
# CHARACTER.flags: what the caller asks for, cleared by the move.
JUMPS = 16
IS_PLACED = 32  # it was put elsewhere: it stands on nothing until it has moved

# CHARACTER.state: how the last move ended.
ON_FLOOR, ON_WALL, ON_CEILING, SLIDES_DOWN, HAS_STEPPED, IS_STUCK, HAS_LEFT, HAS_LANDED = 1, 2, 4, 8, 16, 32, 64, 128

MOST_PUSHES = 4
MOST_LISTED = 64
"""Bodies near a character that are found once a move; where there are more, each query searches the trees."""
MOST_PLANES = 8

PUSH = np.dtype([("body_id", "i8"), ("impulse", "f8", 3), ("offset", "f8", 3)], align=True)
"""An impulse [N s] on a body, and where: from its origin [m]."""

CHARACTER = np.dtype(
    [
        ("id", "i8"),  # 0: a free row
        ("body_id", "i8"),  # the kinematic body with its shapes
        ("system", "i8"),  # id of the system
        ("made", "i8"),  # ascending in the order of making
        ("flags", "u4"),
        ("state", "u4"),
        # Settings
        ("up", "f8", 3),
        ("step_height", "f8"),  # [m]
        ("snap", "f8"),  # how far below it the floor is looked for while it stands [m]
        ("slope", "f8"),  # cosine of the steepest slope to stand on
        ("padding", "f8"),  # distance that it keeps from everything [m]
        ("push_force", "f8"),  # [N]
        ("mass", "f8"),  # presses on rigid bodies that it stands on [kg]
        ("gravity_scale", "f8"),
        # Asked for
        ("wanted", "f8", 3),  # velocity [m/s]
        ("jump", "f8"),  # speed of the jump with JUMPS [m/s]
        # State
        ("position", "f8", 3),  # of the body's origin, world [m]
        ("rotation", "f8", 4),
        ("falling", "f8", 3),  # velocity in the air besides the wanted one: gravity, jumps, what the ground gave [m/s]
        ("ground_id", "i8"),  # body that it stands on; 0: none
        ("ground_position", "f8", 3),  # where that body was expected after the step: its centre of mass
        ("ground_rotation", "f8", 4),
        ("place", "f8", 3),  # own position in the frame of the ground
        ("contact_normal", "f8", 3),  # of the last floor, as it was touched: at edges not the normal of a face
        # Results
        ("velocity", "f8", 3),  # what is left of the velocity; relative to the ground on a floor [m/s]
        ("real_velocity", "f8", 3),  # way of the last move over its time, the ground's included [m/s]
        ("ground_velocity", "f8", 3),  # of the floor's material under it [m/s]
        ("floor_normal", "f8", 3),  # zero in the air
        ("floor_point", "f8", 3),  # world [m]
        ("wall_normal", "f8", 3),  # of the last wall met in the move; zero: none
        ("wall_id", "i8"),  # body of that wall
        ("turned", "f8"),  # about `up` with the ground in the last move [rad]
        ("step_up", "f8"),  # how far steps lifted it in the last move [m]
        ("pushes", PUSH, MOST_PUSHES),
        ("push_count", "i8"),
    ],
    align=True,
)

# What a call that moves characters uses besides their rows, on its stack.
WALK = np.dtype(
    [
        ("world", "i8"), ("system", "i8"),  # addresses
        ("query_shapes", "i8"), ("query_rays", "i8"), ("query_bounds", "i8"),  # addresses of functions
        ("seconds", "f8"),
        ("body", "i8"),  # index of the character's body
        ("bodies", BODY_HIT, MOST_LISTED),
        ("body_count", "i8"),  # rows of `bodies`; -1: there are more, so each query searches the trees
        ("middle", "f8", 3), ("half", "f8", 3),  # box in which `bodies` were found, world [m]
        ("low", "f8", 3), ("high", "f8", 3),  # bounds of the shapes relative to the centre of mass, padding included [m]
        ("excluded", "i8"),  # id of the ground while it carries
        # Hit of the last cast
        ("is_hit", "i8"), ("is_overlapping", "i8"),
        ("hit", "f8", 3), ("hit_normal", "f8", 3), ("hit_body", "i8"),
        # The move under way
        ("recoveries", "i8"),  # left
        ("planes", "f8", (MOST_PLANES, 3)),  # that the velocity along the floor may not enter
        ("steep", "f8", (MOST_PLANES, 3)),  # that `falling` may not enter
        ("plane_count", "i8"),
        ("push_left", "f8"),  # [N s]
        ("gravity", "f8", 3),  # where the character is [m/s^2]
        ("surface", "f8", 3),  # normal of the floor that it walks on
        ("speed", "f8", 3),  # what walls have left of the velocity along the floor [m/s]
    ],
    align=True,
)  # fmt: skip

# Arguments of `move_characters`.
MOVE = np.dtype(
    [
        ("world", "i8"), ("system", "i8"),
        ("characters", "i8"), ("capacity", "i8"),  # CHARACTER (capacity)
        ("rows", "i8"), ("count", "i8"),  # int64 (count): those to move, in this order
        ("wanted", "i8"),  # float64 (count, 3); 0: as their rows say
        ("seconds", "f8"),
        ("query_bounds", "i8"),
    ],
    align=True,
)  # fmt: skip
