"""Angles without the system's mathematics library, so that every processor gives the same bits."""

import math

from ..runtime.kernel import kernel

PI = math.pi
HALF_PI = 0.5 * math.pi


@kernel
def arctangent(x):
    """Arc tangent of x >= 0 in [0, pi/2]; error below 1e-14.

    Halving the angle three times leaves at most tan(pi/16) even for the largest x; there the series converges fast."""
    t = x / (1.0 + math.sqrt(1.0 + x * x)) if x < 1e150 else 1.0
    t = t / (1.0 + math.sqrt(1.0 + t * t))
    t = t / (1.0 + math.sqrt(1.0 + t * t))
    s = t * t
    series = 1.0 / 17.0
    for k in range(7, -1, -1):
        series = 1.0 / (2.0 * k + 1.0) - s * series
    return 8.0 * t * series


@kernel
def arctangent2(y, x):
    """Angle of the point (x, y) in (-pi, pi]; 0 for the origin."""
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
    """Sine and cosine of an angle within half a turn of zero; error below 1e-14. A series for an eighth of it, doubled three
    times."""
    x = 0.125 * angle
    q = x * x
    sine = x * (1.0 - q / 6.0 * (1.0 - q / 20.0 * (1.0 - q / 42.0 * (1.0 - q / 72.0 * (1.0 - q / 110.0 * (1.0 - q / 156.0))))))
    haversine = q * (0.5 - q / 24.0 * (1.0 - q / 30.0 * (1.0 - q / 56.0 * (1.0 - q / 90.0 * (1.0 - q / 132.0)))))  # 1 - cosine
    for _ in range(3):
        sine, haversine = 2.0 * sine * (1.0 - haversine), 2.0 * sine * sine
    return sine, 1.0 - haversine
