"""The data of vehicles: a body on wheels that are not bodies, and its drivetrain.

A wheel is on a suspension: a cast along the suspension finds the ground, and a spring pushes along the normal of the ground.
Rotating parts are shafts: each wheel of a car has its own, all wheels of a tank's track share one. A drive connects the engine,
through clutch and gears, to the shafts.

Sources: the wheeled, tracked and motorcycle controllers of Jolt Physics (which parts there are and what they are called); soft
constraints after Catto, "Soft Constraints" (GDC 2011); slip curves after Pacejka, "Tire and Vehicle Dynamics", chapter 1.
"""

import numpy as np

from ..collision.query_schema import QUERY, RAY_RESULT

MOST_WHEELS = 64
CURVE_POINTS = 8
MOST_GEARS = 12
RAY_WHEEL, SPHERE_WHEEL, CYLINDER_WHEEL = range(3)
"""How a wheel finds the ground: by a ray, or by a shape of the wheel's size."""

# A piecewise linear curve through at most CURVE_POINTS points, constant before the first and after the last.
CURVE = np.dtype([("x", "f8", CURVE_POINTS), ("y", "f8", CURVE_POINTS), ("count", "i8")], align=True)

# Lengths [m]; directions are unit, in the frame of the body; positions from the body's origin.
WHEEL = np.dtype(
    [
        ("position", "f8", 3),  # where the suspension is fixed
        ("suspension", "f8", 3),  # its downward direction
        ("steering_axis", "f8", 3),
        ("forward", "f8", 3),  # of a wheel that is not steered
        ("shortest", "f8"),  # length of the suspension, from where it is fixed to the centre of the wheel
        ("longest", "f8"),
        ("preload", "f8"),  # how much longer the spring would be without load
        ("stiffness", "f8"),  # [N/m]
        ("damping", "f8"),  # [N s/m]
        ("radius", "f8"),
        ("width", "f8"),
        ("most_steering", "f8"),  # [rad]
        ("rolling_friction", CURVE),  # friction along the wheel by slip ratio
        ("side_friction", CURVE),  # friction across it by slip angle [rad]
        ("kind", "i8"),  # RAY_WHEEL, SPHERE_WHEEL or CYLINDER_WHEEL
        ("shape", "i8"),  # index of the shape that is cast
        ("shape_rotation", "f8", 4),  # of it in the frame of the wheel
        ("shaft", "i8"),
        # Results of a step.
        ("steering", "f8"),  # [rad]
        ("turned", "f8"),  # angle about its axle [rad]
        ("length", "f8"),  # of the suspension at the start of the step
        ("ground", "i8"),  # body index; -1: in the air
        ("ground_row", "i8"),  # of the solver; 0: static
        ("normal", "f8", 3),  # of the ground, world
        ("ahead", "f8", 3),  # along the ground, world
        ("aside", "f8", 3),
        ("arm", "f8", 3),  # from the body's centre of mass to the contact, world
        ("ground_arm", "f8", 3),
        ("slope", "f8"),  # cosine between suspension and normal
        ("grip", "f8"),  # friction of the ground
        ("ground_speed", "f8", 3),  # velocity of the ground's surface if it is a conveyor [m/s]
        # Of the last sub-step [N s]; the sums of the step are for reading forces.
        ("push", "f8"), ("drive", "f8"), ("side", "f8"),
        ("drive_softness", "f8"), ("side_softness", "f8"),  # slip speed an impulse needs [m/s per N s]
        ("total_push", "f8"), ("total_drive", "f8"), ("total_side", "f8"),
        ("slip", "f8"), ("slip_angle", "f8"),  # [1], [rad]
    ],
    align=True,
)  # fmt: skip

SHAFT = np.dtype(
    [
        ("speed", "f8"),  # [rad/s]
        ("inertia", "f8"),  # [kg m^2]
        ("damping", "f8"),  # [1/s]
        ("radius", "f8"),  # rolling radius [m]
        ("most_brake", "f8"),  # torque [N m]
        ("most_hand_brake", "f8"),
        ("braked", "f8"),  # by the brakes in this sub-step [N m s]
    ],
    align=True,
)

# A row between the engine and one or two shafts: engine part x engine speed = gears x sum(share x shaft speed).
DRIVE = np.dtype(
    [
        ("shafts", "i8", 2),  # -1: none
        ("ratio", "f8"),  # turns of the input per turn of the output
        ("split", "f8"),  # the part of the torque for the second shaft, 0 to 1
        ("slip_limit", "f8"),  # how many times faster one shaft may be than the other; 0: no limit (open)
        ("share", "f8"),  # of the engine's torque
        ("input", "f8"),  # part of the engine's speed it runs at: 1, or of a track -1 to 1
        ("impulse", "f8"),  # on the engine's side in this sub-step [N m s]
    ],
    align=True,
)

ANTI_ROLL_BAR = np.dtype([("left", "i8"), ("right", "i8"), ("stiffness", "f8")], align=True)  # wheels; [N/m]

WHEELED, TRACKED, MOTORCYCLE = 0, 1, 2

VEHICLE = np.dtype(
    [
        ("body", "i8"),  # index
        ("body_id", "i8"),  # also excluded from the casts
        ("kind", "i8"),
        ("is_enabled", "i8"),
        ("wheels", "i8"), ("wheel_count", "i8"),
        ("shafts", "i8"), ("shaft_count", "i8"),
        ("drives", "i8"), ("drive_count", "i8"),
        ("bars", "i8"), ("bar_count", "i8"),
        ("up", "f8", 3),  # of the body's frame
        ("forward", "f8", 3),
        # The driver's input.
        ("throttle", "f8"),  # -1 to 1; negative: backwards
        ("right", "f8"),  # -1 to 1
        ("brake", "f8"),  # 0 to 1
        ("hand_brake", "f8"),
        # Engine and gears.
        ("engine_speed", "f8"),  # [rad/s]
        ("engine_inertia", "f8"),  # [kg m^2]
        ("engine_damping", "f8"),  # [1/s]
        ("most_torque", "f8"),  # [N m]
        ("least_speed", "f8"), ("most_speed", "f8"),  # [rad/s]
        ("torque_curve", CURVE),  # part of the torque by part of the highest speed
        ("gears", "f8", MOST_GEARS), ("gear_count", "i8"),
        ("reverse", "f8", MOST_GEARS), ("reverse_count", "i8"),  # negative ratios
        ("gear", "i8"),  # 1 is the first; 0: neutral; -1: the first reverse gear
        ("is_automatic", "i8"),
        ("clutch", "f8"),  # 0: open, 1: closed
        ("clutch_strength", "f8"),  # torque a difference of speeds [N m s]
        ("shift_up", "f8"), ("shift_down", "f8"),  # [rad/s]
        ("shift_time", "f8"),  # how long the clutch is open [s]
        ("shift_pause", "f8"),  # how long no other gear is taken afterwards [s]
        ("since_shift", "f8"),
        # Motorcycle: a spring that leans the body into the curve.
        ("lean_frequency", "f8"),  # [1/s]
        ("lean_damping", "f8"),  # ratio
        ("most_lean", "f8"),  # [rad]
        ("lean_target", "f8", 3),  # target direction of up, world; zero: in the air
        # For the casts.
        ("collision_mask", "u4"),
        ("query", QUERY),
        ("hit", RAY_RESULT),
    ],
    align=True,
)  # fmt: skip
