"""No ray misses a box for rounding: against exact arithmetic, at corners, edges and faces, far out, nearly parallel."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scree.broad_phase.add import tree_add
from scree.broad_phase.tree_edits import tree_remove

from .drivers import World

WORLD = World(64)


def meets_exactly(origin, direction, box) -> bool:
    """The slab test with fractions."""
    near, far = Fraction(0), Fraction(1)
    for axis in range(3):
        low, high = Fraction(float(box[axis])), Fraction(float(box[axis + 3]))
        o, d = Fraction(float(origin[axis])), Fraction(float(direction[axis]))
        if d == 0:
            if not low <= o <= high:
                return False
            continue
        first, second = sorted(((low - o) / d, (high - o) / d))
        near, far = max(near, first), min(far, second)
    return near <= far


coordinate = st.one_of(
    st.floats(-1e4, 1e4, width=32), st.integers(-50, 50).map(float), st.sampled_from([0.0, 1e-30, 1e-7, 4e3 + 0.25])
)
point = st.tuples(coordinate, coordinate, coordinate)
half = st.tuples(*[st.sampled_from([0.0, 1e-3, 0.5, 2.0, 100.0])] * 3)


@settings(max_examples=600, deadline=None)
@given(
    centre=point, half=half, origin=point, at=st.tuples(*[st.sampled_from([-1.0, 0.0, 0.3, 1.0])] * 3),
    stretch=st.sampled_from([1.0, 1.0, 1.5, 100.0, 0.999]), tilt=st.sampled_from([0.0, 1e-38, 1e-12, -1e-9]),
)  # fmt: skip
def test_ray_at_a_point_of_the_box(centre, half, origin, at, stretch, tilt):
    """Rays aimed at corners, edges, faces and the inside, some ending exactly there; alone and as a pending body."""
    centre, half = np.float32(centre), np.float32(half)
    box = np.concatenate([centre - half, centre + half])
    target = centre.astype(float) + half.astype(float) * at
    direction = (target - origin) * stretch + tilt
    WORLD.place(0, box[:3], box[3:])
    assert tree_add(WORLD.tree, WORLD.bodies, 0) == 0
    try:
        met = WORLD.ray(origin, direction)
        if meets_exactly(origin, direction, box):
            assert met == {0}
    finally:
        tree_remove(WORLD.tree, WORLD.bodies, 0)


@settings(max_examples=300, deadline=None)
@given(origin=point, axis=st.integers(0, 2), side=st.sampled_from([-1.0, 1.0]))
def test_parallel_to_a_face(origin, axis, side):
    """A ray in the plane of a face, two components of its direction zero."""
    low = np.float32(origin) - np.float32([3, 4, 5])
    box = np.concatenate([low, np.float32(origin)])
    direction = np.zeros(3)
    direction[axis] = side
    WORLD.place(1, box[:3], box[3:])
    assert tree_add(WORLD.tree, WORLD.bodies, 1) == 0
    try:
        if meets_exactly(origin, direction, box):
            assert WORLD.ray(origin, direction) == {1}
    finally:
        tree_remove(WORLD.tree, WORLD.bodies, 1)


def test_bounds_without_end():
    """Planes have bounds without end; what is not a number is treated as such too."""
    world = World(8)
    world.place(0, [-np.inf] * 3, [np.inf, 0, np.inf])
    world.place(1, [np.nan] * 3, [np.nan] * 3)
    world.place(2, [-3e38] * 3, [3e38] * 3)
    world.place(3, [1, 1, 1], [2, 2, 2])
    for body in range(4):
        assert tree_add(world.tree, world.bodies, body) == 0
    assert world.query([5, -6, 5, 6, -5, 6]) == [0, 1, 2]
    assert world.ray([0, 10, 0], [0, -20, 0]) == {0, 1, 2}
    assert world.ray([1.5, 10, 1.5], [0, -20, 0]) == {0, 1, 2, 3}
