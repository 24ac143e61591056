"""How round ellipsoids and tapered shapes are at a contact, beside their support points: the radius is how far the point of
contact moves as the normal turns."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from scree.collision.rounding import rounding_of, tapered_radius
from scree.runtime.kernel import entry_point
from scree.runtime.memory import address_of, view
from scree.shapes.pool import ShapePool
from scree.shapes.schema import ELLIPSOID, SHAPE, TAPERED_CAPSULE, TAPERED_CYLINDER

sys.path.insert(0, str(Path(__file__).parents[1] / "shapes"))
from test_support_shapes import support_of  # noqa: E402

SMALL = 1e-4  # [rad]
TAPERED = [
    (TAPERED_CYLINDER, (0.5, 0.0, 0.3)), (TAPERED_CYLINDER, (0.4, 0.5, 0.2)), (TAPERED_CAPSULE, (0.5, 0.15, 0.3)),
    (TAPERED_CAPSULE, (0.8, 0.6, 0.1)),
]  # fmt: skip


@entry_point("float64(int64, int64)")
def rounding_there(shape, words):
    """`words`: the rotation of a shape (4,), the outward normal (3,) and the spin (3,)."""
    given = view(words, 10, np.float64)
    rotation, outward = (given[0], given[1], given[2], given[3]), (given[4], given[5], given[6])
    return rounding_of(view(shape, 1, SHAPE)[0], rotation, outward, (given[7], given[8], given[9]))


@entry_point("float64(int64, float64, float64, float64)")
def radius_there(shape, x, y, z):
    return tapered_radius(view(shape, 1, SHAPE)[0], (x, y, z))


def made(kind, numbers):
    """The pool of one shape, and the address of its row."""
    pool = ShapePool(lambda index, sequence: index + 1, capacity=16)
    shapes = {TAPERED_CAPSULE: pool.set_tapered_capsule, TAPERED_CYLINDER: pool.set_tapered_cylinder}
    index = pool.create(kind)
    if kind == ELLIPSOID:
        pool.set_ellipsoid(index, numbers)
    else:
        shapes[kind](index, *numbers)
    return pool, pool.rows[index : index + 1].ctypes.data


def rounding(kind, numbers, turn, outward, spin=(0.0, 0.0, 0.0)):
    pool, row = made(kind, numbers)
    words = np.concatenate((turn.as_quat(), outward, spin)).astype(np.float64)
    found = rounding_there(row, address_of(words))
    del pool
    return found


def radius_by_support(axes, turn, outward, spin):
    """How far the farthest point moves along the way a body rolls, by the angle by which its normal turns in its frame."""
    inward = turn.inv()
    n, way = inward.apply(outward), inward.apply(np.cross(spin, outward))
    way /= np.linalg.norm(way)
    points = support_of(ELLIPSOID, axes, np.stack((n + SMALL * way, n - SMALL * way)))
    return (points[0] - points[1]) @ way / (2.0 * SMALL)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 1 << 30), st.tuples(*(st.floats(0.1, 2.0) for _ in range(3))))
def test_the_radius_of_an_ellipsoid_is_that_of_the_way_it_rolls(seed, axes):
    rng = np.random.default_rng(seed)
    turn, outward, spin = Rotation.random(random_state=seed), rng.normal(size=3), rng.normal(size=3)
    outward /= np.linalg.norm(outward)
    wanted = radius_by_support(axes, turn, outward, spin)
    assert rounding(ELLIPSOID, axes, turn, outward, spin) == pytest.approx(wanted, rel=1e-4)


def test_an_ellipsoid_that_does_not_roll_has_the_mean_of_its_radii():
    """At the end of the short axis of 0.3/0.6/0.3 m they are 0.3 m and 1.2 m."""
    down, about = np.array((0.0, 0.0, -1.0)), np.array((0.0, 0.0, 5.0))
    for spin in (0.0 * about, about):
        assert rounding(ELLIPSOID, (0.3, 0.6, 0.3), Rotation.identity(), down, spin) == pytest.approx(0.6)
    assert rounding(ELLIPSOID, (0.3, 0.6, 0.3), Rotation.identity(), down, (0.0, 1.0, 0.0)) == pytest.approx(0.3)
    assert rounding(ELLIPSOID, (0.3, 0.6, 0.3), Rotation.identity(), down, (1.0, 0.0, 0.0)) == pytest.approx(1.2)


def side_of(kind, numbers, part):
    """A point of the side of a tapered shape, from its top to its bottom, and the outward normal there, in a plane."""
    half, above, below = numbers
    sine = (below - above) / (2.0 * half)
    if kind == TAPERED_CYLINDER:
        sine /= np.hypot(1.0, sine)
    n = np.array((np.sqrt(1.0 - sine * sine), sine, 0.0))
    if kind == TAPERED_CYLINDER:
        return np.array((above + part * (below - above), half - 2.0 * half * part, 0.0)), n
    return np.array((0.0, half - 2.0 * half * part, 0.0)) + (above + part * (below - above)) * n, n


@pytest.mark.parametrize(("kind", "numbers"), TAPERED)
@pytest.mark.parametrize("part", (0.0, 0.3, 0.5, 1.0))
def test_the_radius_of_a_tapered_side_reaches_its_axis(kind, numbers, part):
    pool, row = made(kind, numbers)
    point, n = side_of(kind, numbers, part)
    radius = radius_there(row, *point)
    axis = point - radius * n
    assert abs(axis[0]) < 1e-6, "it ends on the axis"
    assert radius == pytest.approx(point[0] / n[0], abs=1e-6)
    assert pool.rows is not None, "the row lives"


@pytest.mark.parametrize(("kind", "numbers"), TAPERED)
def test_the_rounding_of_a_side_is_that_in_its_middle(kind, numbers):
    turn = Rotation.from_rotvec((0.3, -0.8, 0.4))
    _, n = side_of(kind, numbers, 0.5)
    middle = made(kind, numbers)
    assert rounding(kind, numbers, turn, turn.apply(n)) == pytest.approx(radius_there(middle[1], 0.0, 0.0, 0.0))
