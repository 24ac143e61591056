"""Sine, cosine, exponential, hyperbolic sine and logarithm of the engine: against the mathematics library, and against the same
code as plain Python."""

import math
import struct

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.geometry.angles import circle_point, even_directions, exponential, hyperbolic_sine, logarithm, sine_cosine
from scree.runtime.kernel import entry_point
from scree.runtime.memory import view

ULP = 2.0**-52


@entry_point("void(float64, int64)")
def all_four(x, out):
    values = view(out, 4, np.float64)
    values[0], values[1] = sine_cosine(x)
    values[2], values[3] = exponential(x), hyperbolic_sine(x)


def found(x: float) -> np.ndarray:
    out = np.zeros(4)
    all_four(x, out.ctypes.data)
    return out


@entry_point("void(float64, int64)")
def logarithm_of(x, out):
    view(out, 1, np.float64)[0] = logarithm(x)


def bits(*values: float) -> bytes:
    return struct.pack(f"{len(values)}d", *values)


def relative(value: float, expected: float) -> float:
    return abs(value / expected - 1.0) if expected else abs(value)


@settings(deadline=None, max_examples=500)
@given(st.floats(-6e6, 6e6))
def test_sine_and_cosine_within_a_million_turns(angle):
    sine, cosine = found(angle)[:2]
    assert abs(sine - math.sin(angle)) < 8 * ULP and abs(cosine - math.cos(angle)) < 8 * ULP


def test_sine_and_cosine_within_half_a_turn():
    for angle in np.linspace(-math.pi, math.pi, 2001):
        sine, cosine = found(angle)[:2]
        assert abs(sine - math.sin(angle)) < 8 * ULP and abs(cosine - math.cos(angle)) < 8 * ULP


@settings(deadline=None, max_examples=500)
@given(st.one_of(st.floats(-2.0, 2.0), st.floats(-690.0, 690.0)))
def test_exponential_and_hyperbolic_sine(x):
    power, wave = found(x)[2:]
    assert relative(power, math.exp(x)) < 2 * ULP
    assert relative(wave, math.sinh(x)) < 4 * ULP


@settings(deadline=None, max_examples=500)
@given(st.one_of(st.floats(0.5, 2.0), st.floats(1e-12, 1e12)))
def test_logarithm(x):
    out = np.zeros(1)
    logarithm_of(x, out.ctypes.data)
    assert abs(out[0] - math.log(x)) < 4 * ULP * max(abs(math.log(x)), 1.0)
    assert out.tobytes() == bits(logarithm.py_func(x))


@settings(deadline=None, max_examples=300)
@given(st.floats(-690.0, 690.0))
def test_compiled_code_has_the_bits_of_plain_python(x):
    plain = (*sine_cosine.py_func(x), exponential.py_func(x))
    assert found(x)[:3].tobytes() == bits(*plain)
    assert circle_point(x) == (plain[1], plain[0])


def test_directions_are_spread_evenly():
    directions = even_directions(1000)
    assert np.allclose(np.linalg.norm(directions, axis=1), 1.0, atol=1e-14)
    assert np.abs(directions.mean(axis=0)).max() < 0.01
    nearest = np.sort(directions @ directions.T, axis=1)[:, -2]
    assert np.degrees(np.arccos(nearest)).min() > 3.0
