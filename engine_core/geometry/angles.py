"""Angles, exponentials and logarithms without the system's mathematics library: every system and processor gives the same bits.

They use additions, multiplications, divisions, square roots and rounding to integers alone, which IEEE 754 defines to the last
bit. Errors are measured against the mathematics library of Python (`tests/geometry/`), in units in the last place (ulp) of the
greater of the result and 1.
"""

import functools
import math

import numpy as np

from ..runtime.kernel import kernel
from .vector import length, scale

PI = math.pi
HALF_PI = 0.5 * math.pi
TURN_HIGH, TURN_LOW = 4.0 * 1.57079632673412561417, 4.0 * 6.07710050650619224932e-11
"""A turn of 2 pi as the sum of two numbers; the first has 33 bits, so that a multiple of up to 2^20 of it is exact."""
LOG2_HIGH, LOG2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
"""The logarithm of 2 in the same way."""
ROOT_OF_2 = math.sqrt(2.0)
MOST_EXPONENT = 700.0
"""A larger exponent counts as this one."""


@kernel
def arctangent(x):
    """Arc tangent of x >= 0 in [0, pi/2]; error below 4 ulp.

    Halving the angle three times leaves at most tan(pi/16) even for the largest x; there the series converges fast."""
    t = x / (1.0 + math.sqrt(1.0 + x * x)) if x < 1e150 else 1.0
    t = t / (1.0 + math.sqrt(1.0 + t * t))
    t = t / (1.0 + math.sqrt(1.0 + t * t))
    s = t * t
    series = 1.0 / 25.0
    for k in range(11, -1, -1):
        series = 1.0 / (2.0 * k + 1.0) - s * series
    return 8.0 * t * series


@kernel
def arctangent2(y, x):
    """Angle of the point (x, y) in (-pi, pi]; 0 for the origin. Error below 8 ulp."""
    if x == 0.0 and y == 0.0:
        return 0.0
    if x == 0.0:
        angle = HALF_PI
    else:
        angle = arctangent(abs(y / x))
    if x < 0.0:
        angle = PI - angle
    return -angle if y < 0.0 else angle


@kernel
def wrap_angle(angle):
    """An angle within three turns of zero, brought into (-pi, pi]."""
    while angle > PI:
        angle -= 2.0 * PI
    while angle <= -PI:
        angle += 2.0 * PI
    return angle


@kernel
def sine_cosine(angle):
    """Sine and cosine of an angle within a million turns of zero [rad]; error below 8 ulp. Whole turns are taken off, then a
    series for an eighth of the rest is doubled three times."""
    turns = math.floor(angle / (2.0 * PI) + 0.5)
    x = 0.125 * (angle - turns * TURN_HIGH - turns * TURN_LOW)
    q = x * x
    sine = x * (1.0 - q / 6.0 * (1.0 - q / 20.0 * (1.0 - q / 42.0 * (1.0 - q / 72.0 * (1.0 - q / 110.0 * (1.0 - q / 156.0))))))
    haversine = q * (0.5 - q / 24.0 * (1.0 - q / 30.0 * (1.0 - q / 56.0 * (1.0 - q / 90.0 * (1.0 - q / 132.0)))))  # 1 - cosine
    for _ in range(3):
        sine, haversine = 2.0 * sine * (1.0 - haversine), 2.0 * sine * sine
    return sine, 1.0 - haversine


@kernel
def exponential(x):
    """e to the power of x, for x in [-700, 700]; relative error below 2 ulp. A series for the rest of the division by the
    logarithm of 2."""
    x = max(min(x, MOST_EXPONENT), -MOST_EXPONENT)
    halvings = math.floor(x / (LOG2_HIGH + LOG2_LOW) + 0.5)
    rest = x - halvings * LOG2_HIGH - halvings * LOG2_LOW
    series = 1.0
    for k in range(14, 0, -1):
        series = 1.0 + rest / k * series
    factor = 2.0 if halvings > 0 else 0.5
    for _ in range(abs(halvings)):
        series *= factor
    return series


@kernel
def logarithm(x):
    """Natural logarithm of a positive number; error below 4 ulp. Halving or doubling, then the series of the inverse
    hyperbolic tangent."""
    twos = 0.0
    while x > ROOT_OF_2:
        x, twos = 0.5 * x, twos + 1.0
    while x < 0.5 * ROOT_OF_2:
        x, twos = 2.0 * x, twos - 1.0
    t = (x - 1.0) / (x + 1.0)
    square, total = t * t, 0.0
    for k in range(11, -1, -1):
        total = total * square + 1.0 / (2.0 * k + 1.0)
    return twos * (LOG2_HIGH + LOG2_LOW) + 2.0 * t * total


@kernel
def hyperbolic_sine(x):
    """Hyperbolic sine of x in [-700, 700]; relative error below 4 ulp. A series where the difference of exponentials would lose
    digits."""
    if abs(x) < 1.0:
        q = x * x
        series = 1.0
        for k in range(20, 1, -2):
            series = 1.0 + q / (k * (k + 1.0)) * series
        return x * series
    grown = exponential(abs(x))
    half = 0.5 * (grown - 1.0 / grown)
    return half if x > 0.0 else -half


@kernel
def spin_of_turn(turn, seconds):
    """The angular velocity [rad/s] that makes a turn, a unit quaternion, the short way round in some seconds."""
    sine = length((turn[0], turn[1], turn[2]))
    rate = 2.0 / seconds
    if sine > 1.0e-7:
        rate = rate * arctangent2(sine, abs(turn[3])) / sine
    return scale((turn[0], turn[1], turn[2]), -rate if turn[3] < 0.0 else rate)


def circle_point(angle: float) -> tuple[float, float]:
    """Cosine and sine of an angle [rad], for Python: the same bits as `sine_cosine` has in compiled code."""
    sine, cosine = sine_cosine.py_func(float(angle))
    return cosine, sine


@functools.cache
def even_directions(count: int) -> np.ndarray:
    """Unit vectors `(count, 3)`, evenly spread over the sphere: a spiral about Y with the golden angle between neighbours. The
    array is shared and cannot be written."""
    height = 1.0 - 2.0 * (np.arange(count) + 0.5) / count
    step = math.pi * (3.0 - math.sqrt(5.0))
    circle = np.array([circle_point(step * k) for k in range(count)])
    across = np.sqrt(1.0 - height * height)
    directions = np.stack((across * circle[:, 0], height, across * circle[:, 1]), axis=1)
    directions.flags.writeable = False
    return directions
