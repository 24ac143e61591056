"""The colours of drawings: red, green, blue and opacity, 0 to 1, in one table that compiled code reads by number."""

import colorsys

import numpy as np

NAMES = (
    "static", "kinematic", "awake", "asleep", "area", "contact", "impulse", "joint", "limit", "load", "broken", "velocity",
    "spin", "bounds", "x", "y", "z",
)  # fmt: skip
"""The uses of the first colours."""
(
    STATIC, KINEMATIC, AWAKE, ASLEEP, AREA, CONTACT, IMPULSE, JOINT, LIMIT, LOAD, BROKEN, VELOCITY, SPIN, BOUNDS, X_AXIS, Y_AXIS,
    Z_AXIS,
) = range(len(NAMES))  # fmt: skip
FIRST_HUE = len(NAMES)
HUES = 24
"""Colours behind the named ones, evenly around the circle: of islands, of levels of a tree, of colours of the solver."""
HUE_STEP = 7
"""Neighbouring numbers get hues that are this many steps apart; it has no divisor in common with HUES."""


def _hue(number: int) -> tuple[float, ...]:
    return (*colorsys.hls_to_rgb(number / HUES, 0.62, 0.85), 1.0)


PALETTE = np.array(
    [
        (0.55, 0.60, 0.66, 1.0), (0.35, 0.62, 1.00, 1.0), (1.00, 0.62, 0.20, 1.0), (0.36, 0.78, 0.42, 1.0),
        (0.25, 0.80, 0.85, 1.0), (1.00, 0.95, 0.35, 1.0), (1.00, 0.30, 0.25, 1.0), (0.95, 0.95, 0.95, 1.0),
        (0.75, 0.55, 1.00, 1.0), (1.00, 0.45, 0.10, 1.0), (0.45, 0.45, 0.45, 1.0), (0.30, 0.95, 0.95, 1.0),
        (0.95, 0.40, 0.85, 1.0), (0.60, 0.50, 0.35, 1.0), (0.95, 0.25, 0.25, 1.0), (0.35, 0.90, 0.30, 1.0),
        (0.35, 0.50, 1.00, 1.0), *(_hue(number) for number in range(HUES)),
    ],
    np.float32,
)  # fmt: skip
"""Shape (FIRST_HUE + HUES, 4)."""
