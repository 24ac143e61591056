"""The data of a body of water: a box whose upper side is the surface at rest."""

import numpy as np

MOST_WAVES = 8

WAVE = np.dtype(
    [
        ("direction", "f8", 2),  # in which the crests move, along the water's x and z axes; unit
        ("amplitude", "f8"),  # of a crest above the surface at rest [m]
        ("wave_number", "f8"),  # [rad/m]
        ("frequency", "f8"),  # [rad/s]
        ("phase", "f8"),  # [rad]
    ],
    align=True,
)

WATER = np.dtype(
    [
        ("position", "f8", 3),  # the middle of the surface at rest, world [m]
        ("rotation", "f8", 4),  # of its axes: y is up
        ("half_width", "f8"),  # along x [m]
        ("half_length", "f8"),  # along z [m]
        ("depth", "f8"),  # [m]
        ("density", "f8"),  # [kg/m^3]
        ("drag", "f8"),  # coefficient of the drag that grows with the square of the speed
        ("damping", "f8"),  # drag that grows with the speed, for each mass of displaced water [1/s]
        ("spin_damping", "f8"),  # the same for turning [1/s]
        ("flow", "f8", 3),  # velocity of the water, world [m/s]
        ("gravity", "f8"),  # [m/s^2]; negative: as much as that of the space
        ("layers", "i8"),  # bodies in one of these collision layers float
        ("is_enabled", "i8"),
        ("wave_count", "i8"),
        ("waves", WAVE, MOST_WAVES),
        ("time", "f8"),  # for which the waves have moved [s]
        ("floating_count", "i8"),  # bodies that were in it in the last step
    ],
    align=True,
)
