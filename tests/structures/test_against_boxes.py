"""A structure against the naive twin, each brick a box shape of its own: the same answers to queries, and the same impacts."""

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import scree

UNIT = 0.5
STEP = 1.0 / 60.0
BALL, BOX = scree.Sphere(radius=0.3), scree.Box(half_extents=(0.4, 0.2, 0.3))
WORLD = scree.World(threads=1, bodies=1 << 12, body_shapes=1 << 14, shapes=1 << 13)
whole = st.integers(-6, 6)
sides = st.integers(1, 5)
brick = st.tuples(st.tuples(whole, whole, whole), st.tuples(sides, sides, sides))
free = st.tuples(
    st.tuples(*[st.floats(-6, 6, width=32)] * 3), st.tuples(*[st.floats(0.5, 3, width=32)] * 3),
    st.tuples(*[st.floats(-1, 1, width=32)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1),
)  # fmt: skip
number = st.floats(-5, 5, width=32)
place = st.tuples(number, number, number)
turn = st.tuples(*[st.floats(-1, 1, width=32)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1)


def unit(q) -> np.ndarray:
    return np.array(q, float) / np.linalg.norm(q)


THOROUGH = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])  # a pair makes two spaces


class Pair:
    """A structure and its twin on bodies of two spaces, both at the same pose, after the same edits."""

    left_open: "Pair | None" = None
    """The one of an example that failed."""

    def __init__(self, bricks, turned, gone, rotation):
        if Pair.left_open is not None:
            Pair.left_open.remove()
        self.spaces = [WORLD.add_space(gravity=(0, 0, 0)) for _ in range(2)]
        structure = scree.Structure(unit=UNIT, capacity=256)
        low = np.array([low for low, _ in bricks])
        high = low + np.array([size for _, size in bricks])
        self.numbers = structure.insert(low, high).tolist()
        boxes = list(zip((low + high) / 2, (high - low) / 2, [(0, 0, 0, 1)] * len(low), strict=True))
        if turned:
            centers, halves, turns = (np.array(column, float) for column in zip(*turned, strict=True))
            turns /= np.linalg.norm(turns, axis=1)[:, None]
            self.numbers += structure.insert_turned(centers, halves, turns).tolist()
            boxes += list(zip(centers, halves, turns, strict=True))
        self.structure = structure
        self.body = self.spaces[0].add_kinematic(structure, (1, 2, 3), unit(rotation))
        removed = sorted({k % len(boxes) for k in gone})[: len(boxes) - 1]
        structure.remove([self.numbers[k] for k in removed])
        self.kept = [k for k in range(len(boxes)) if k not in removed]
        parts = []
        for center, half, rotated in (boxes[k] for k in self.kept):
            box = scree.Box(half_extents=tuple(half * UNIT))
            parts.append(scree.Part(shape=box, position=tuple(center * UNIT), rotation=rotated))
        self.twin = self.spaces[1].add_kinematic(scree.Compound(parts=parts), (1, 2, 3), unit(rotation))
        Pair.left_open = self

    def close(self) -> None:
        assert not WORLD.core._walk_rows.any() and not self.structure.bricks.record["users"].any()
        self.remove()

    def remove(self) -> None:
        Pair.left_open = None
        for body, space in zip((self.body, self.twin), self.spaces, strict=True):
            body.remove()
            space.remove()


pairs = st.builds(
    Pair, st.lists(brick, min_size=1, max_size=20), st.lists(free, max_size=4), st.lists(st.integers(0, 99), max_size=6), turn
)


@THOROUGH
@given(pairs, st.lists(st.tuples(place, place), min_size=1, max_size=8))
def test_rays(pair, rays):
    for begin, end in rays:
        begin, end = np.array(begin) + (1, 2, 3), np.array(end) + (1, 2, 3)
        hit, twin = (space.cast_ray(begin, end, from_inside=True) for space in pair.spaces)
        if not _are_alike(hit, twin):  # only where the ray grazes a box: moved by a little, each answers as the other does
            nearby = _may_answer(pair.spaces[0], begin, end, twin) and _may_answer(pair.spaces[1], begin, end, hit)
            assert nearby or _may_differ(pair, begin, end, hit, twin)
        elif hit is not None and pair.numbers[pair.kept[twin.part]] == hit.part and not _has_normal(hit, twin):
            nearby = _may_have_normal(pair.spaces[0], begin, end, twin)  # on an edge either face will do
            assert nearby or _may_differ(pair, begin, end, hit, twin)
    pair.close()


def _are_alike(hit, twin) -> bool:
    """Whether two answers are both none, or at the same place."""
    if hit is None or twin is None:
        return hit is twin
    return np.abs(hit.position - twin.position).max() < 2e-3


def _has_normal(hit, twin) -> bool:
    """Whether two answers have the same normal."""
    return hit is not None and np.abs(hit.normal - twin.normal).max() < 1e-3


def _nearby(begin, end) -> np.ndarray:
    """Rays close to a ray, shape (100, 2, 3) [m]."""
    return np.array([begin, end]) + 1e-4 * np.random.default_rng(1).normal(size=(100, 2, 3))


def _may_have_normal(space, begin, end, twin) -> bool:
    """Whether a space gives the normal of an answer for some ray close by."""
    return any(_has_normal(space.cast_ray(a, b, from_inside=True), twin) for a, b in _nearby(begin, end))


def _may_answer(space, begin, end, answer) -> bool:
    """Whether a space gives an answer for some ray close by."""
    return any(_are_alike(space.cast_ray(a, b, from_inside=True), answer) for a, b in _nearby(begin, end))


def _may_differ(pair, begin, end, hit, twin) -> bool:
    """Whether a ray runs along an edge: both answers are on both bodies, and rays close by get one answer in both spaces."""
    for answer in (hit, twin):
        for space, body in zip(pair.spaces, (pair.body, pair.twin), strict=True):
            if answer is not None and np.linalg.norm(space.closest_point(body, answer.position) - answer.position) > 1e-4:
                return False
    answers = ([space.cast_ray(a, b, from_inside=True) for space in pair.spaces] for a, b in _nearby(begin, end))
    return sum(_are_alike(*both) and (both[0] is None or _has_normal(*both)) for both in answers) >= 95


@THOROUGH
@given(pairs, st.lists(place, min_size=1, max_size=6))
def test_points_and_distances(pair, points):
    for point in points:
        point = np.array(point) + (1, 2, 3)
        near = [space.closest_point(body, point) for space, body in zip(pair.spaces, (pair.body, pair.twin), strict=True)]
        away = [np.linalg.norm(found - point) for found in near]
        assert abs(away[0] - away[1]) < 1e-4
        inside = [bool(space.at_point(point)) for space in pair.spaces]
        assert inside[0] == inside[1] or away[0] < 1e-4
    pair.close()


@THOROUGH
@given(pairs, st.sampled_from([BALL, BOX]), turn, place, place)
def test_casts_and_overlaps(pair, shape, rotation, begin, way):
    begin = np.array(begin) + (1, 2, 3)
    found = [bool(space.overlaps(shape, begin, unit(rotation))) for space in pair.spaces]
    hits = [space.cast_shape(shape, begin, way, unit(rotation)) for space in pair.spaces]
    if found[0] == found[1] and all(hits):
        assert abs(hits[0].distance - hits[1].distance) < 2e-3
    elif found[0] != found[1] or any(hits):  # they touch by less than rounding
        answers = set()
        for delta in 1e-3 * np.random.default_rng(1).normal(size=(50, 3)):
            for space in pair.spaces:
                is_over = bool(space.overlaps(shape, begin + delta, unit(rotation)))
                answers.add(is_over or space.cast_shape(shape, begin + delta, way, unit(rotation)) is None)
        assert len(answers) == 2
    pair.close()


@settings(deadline=None, max_examples=40)
@given(pairs, turn, st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1)))
def test_a_structure_is_the_shape_of_a_query(pair, rotation, offset):
    """The structure itself is asked with, at a body of many boxes."""
    shapes = pair.structure, pair.spaces[1].world.shapes.value(_shape_of(pair.twin))
    at = np.array(offset) * 8 + (1, 2, 3)
    found = [bool(pair.spaces[1].overlaps(shape, at, unit(rotation))) for shape in shapes]
    if found[0] != found[1]:
        answers = {
            bool(pair.spaces[1].overlaps(shape, at + delta, unit(rotation)))
            for delta in 1e-4 * np.random.default_rng(1).normal(size=(50, 3)) for shape in shapes
        }  # fmt: skip
        assert len(answers) == 2
    pair.close()


def _shape_of(body) -> int:
    core = body.space.world.core
    return core.shape.index("", core.body.shape(body.id, 0))


@THOROUGH
@given(pairs, turn, place, place)
def test_impacts(pair, rotation, begin, velocity):
    """A box that flies at both has the same impacts, as long as these are the same contacts in another order."""
    begin = np.array(begin) + (1, 2, 3)
    for space in pair.spaces:
        if space.overlaps(BOX, begin, unit(rotation)):
            pair.close()
            return
    speed = np.array(velocity) * 2
    boxes = [space.add_rigid(BOX, begin, unit(rotation), velocity=speed, can_sleep=False) for space in pair.spaces]
    for _ in range(40):
        for space in pair.spaces:
            space.step(STEP)
        if np.abs(boxes[0].velocity - speed).max() > 1e-3:
            break
    np.testing.assert_allclose(boxes[0].position, boxes[1].position, atol=0.03)
    for box in boxes:
        box.remove()
    pair.close()
