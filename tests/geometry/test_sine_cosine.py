"""Sine and cosine without the system's mathematics library."""

import math

import numpy as np

from scree.geometry.angles import sine_cosine
from scree.runtime.kernel import entry_point
from scree.runtime.memory import view


@entry_point("void(float64, int64)")
def both(angle, out):
    values = view(out, 2, np.float64)
    values[0], values[1] = sine_cosine(angle)


def test_they_agree_with_the_library():
    out = np.zeros(2)
    for angle in np.linspace(-math.pi, math.pi, 2001):
        both(angle, out.ctypes.data)
        assert abs(out[0] - math.sin(angle)) < 1e-14 and abs(out[1] - math.cos(angle)) < 1e-14
