"""Bodies of many shapes: as exact as their shapes one by one, at a cost that grows with what is met."""

import time
from functools import partial

import numpy as np
import pytest
from small_world import UPRIGHT, SmallWorld

from scree.bodies.schema import KINEMATIC, RIGID, STATIC
from scree.core.compounds import Compound
from scree.core.queries import Queries
from scree.sensors.schema import OVERLAPS

MANY = 300


def turns(random, count):
    q, _ = np.linalg.qr(random.normal(size=(count, 3, 3)))
    return q * np.sign(np.linalg.det(q))[:, None, None]


class Rubble(SmallWorld):
    """Build `count` boxes and balls in a slab of 20 m by 4 m by 20 m: as shapes of one body, as a static compound of compounds
    on it, or as a body each."""

    def __init__(self, is_one: bool, count: int = MANY, mode: int = STATIC, side: float = 20.0, is_compound: bool = False):
        super().__init__(body_shapes=1 << 13 if count <= 2000 else 1 << 17)
        random = np.random.default_rng(3)
        self.is_one, self.field = is_one, "part" if is_compound else "instance"
        self.shapes = [self.box(*half) for half in random.uniform(0.1, 0.8, (7, 3))] + [self.sphere(0.4), self.sphere(0.7)]
        places = random.uniform(-0.5, 0.5, (count, 3)) * (side, 4.0, side)
        bases = turns(random, count)
        self.bodies = [self.world.body.create()] if is_one else []
        if is_one:
            self.world.body.set_mode(self.bodies[0], mode)
        parts = []
        for k, (place, basis) in enumerate(zip(places, bases, strict=True)):
            shape = self.shapes[k % len(self.shapes)]
            if is_compound:
                parts.append((shape, (*basis.ravel(), *place)))
            elif is_one:
                self.world.body.add_shape(self.bodies[0], shape, (*basis.ravel(), *place))
            else:
                self.bodies.append(self.add(shape, place, mode=STATIC, basis=basis.ravel()))
        if is_compound:
            self.world.body.add_shape(self.bodies[0], self.compound_of(parts))
        if is_one:
            self.world.body.set_system(self.bodies[0], self.system)
        self.queries = Queries(self.world)
        self.number = {body: k for k, body in enumerate(self.bodies)}

    def compound_of(self, parts) -> int:
        """A third as a compound in one that is turned about Y and moved, a third as one in that, the rest as they are."""
        turn, place = np.array([[0.6, 0, 0.8], [0, 1, 0], [-0.8, 0, 0.6]]), np.array([1.0, 2.0, 3.0])

        def moved_back(part):
            basis, at = np.array(part[1][:9]).reshape(3, 3), np.array(part[1][9:])
            return part[0], (*(turn.T @ basis).ravel(), *(turn.T @ (at - place)))

        inner, third = (*turn.ravel(), *place), len(parts) // 3
        deepest = self.compound([moved_back(moved_back(part)) for part in parts[:third]])
        middle = self.compound([(deepest, inner), *map(moved_back, parts[third : 2 * third])])
        return self.compound([(middle, inner), *parts[2 * third :]])

    def told(self, found) -> list[int]:
        """Which of the shapes are meant."""
        if self.is_one:
            return [int(k) for k in found[self.field]]
        return [self.number[int(body)] for body in found["body_id"]]


@pytest.fixture(scope="module", params=["shapes", "static compound"])
def both(request):
    return Rubble(True, is_compound=request.param != "shapes"), Rubble(False)


def test_rays(both):
    one, each = both
    random = np.random.default_rng(1)
    origins = random.uniform(-15, 15, (500, 3))
    ends = random.uniform(-10, 10, (500, 3)) * (1, 0.2, 1)
    a, b = (world.queries.cast_rays(world.system, origins, ends) for world in both)
    assert (b["body"] >= 0).sum() > 100
    np.testing.assert_allclose(a["fraction"], b["fraction"], atol=1e-6)
    hit = b["body"] >= 0
    assert one.told(a[hit]) == each.told(b[hit])
    for k in range(40):
        a, b = (world.queries.cast_ray_all(world.system, origins[k], ends[k], max_results=200) for world in both)
        assert sorted(one.told(a)) == sorted(each.told(b))


def test_points_overlaps_and_casts(both):
    one, each = both
    random = np.random.default_rng(2)
    counts = np.zeros(3, int)
    for _ in range(150):
        point, ball = random.uniform(-9, 9, 3) * (1, 0.25, 1), random.uniform(0.1, 2.0)
        found = [world.queries.intersect_point(world.system, point, max_results=99) for world in both]
        assert sorted(one.told(found[0])) == sorted(each.told(found[1]))
        shapes = [world.sphere(ball) for world in both]
        hits = [w.queries.intersect_shape(w.system, s, point, max_results=200) for w, s in zip(both, shapes, strict=True)]
        assert sorted(one.told(hits[0])) == sorted(each.told(hits[1]))
        start, way = point + (0, 9, 0), random.normal(size=3) * 10
        safe = [w.queries.cast_motion(w.system, s, start, way)[0] for w, s in zip(both, shapes, strict=True)]
        assert safe[0] == pytest.approx(safe[1], abs=1e-6)
        counts += (len(found[1]) > 0, len(hits[1]) > 0, safe[1] < 1)
    assert counts.min() > 10


def test_closest_points(both):
    one, each = both
    random = np.random.default_rng(4)
    for _ in range(60):
        point = random.uniform(-20, 20, 3)
        nearest = min(np.linalg.norm(each.queries.closest_point(body, point) - point) for body in each.bodies)
        found = one.queries.closest_point(one.bodies[0], point)
        assert np.linalg.norm(found - point) == pytest.approx(nearest, abs=1e-5)


def test_what_lies_in_an_area():
    """The numbers of the shapes that overlap an area come as the area has them, and go."""
    scene = Rubble(True, 60, mode=KINEMATIC)
    area = scene.world.area.create()
    scene.world.area.add_shape(area, scene.box(3.0, 3.0, 3.0))
    scene.world.area.set_monitoring(area, bodies=True, areas=False)
    scene.world.area.set_system(area, scene.system)
    scene.step(2)
    inside = scene.queries.intersect_shape(scene.system, scene.box(3.0, 3.0, 3.0), (0, 0, 0), max_results=100)
    assert len(inside) > 5
    assert overlapping_shapes(scene) == sorted(scene.told(inside))


def overlapping_shapes(scene) -> list[int]:
    rows = scene.world.system(scene.system).sensors.rows("shape_overlaps", "shape_overlap_count")
    return sorted(int(row["other_shape"]) for row in rows if row["flags"] & OVERLAPS)


def test_bodies_lie_on_it_as_on_single_ones(both):
    """Balls dropped on both: the same contacts, so the same places."""
    for world in both:
        ball, random = world.sphere(0.3), np.random.default_rng(5)
        world.balls = [world.add(ball, place, mode=RIGID) for place in random.uniform(-8, 8, (30, 3)) * (1, 0, 1) + (0, 6, 0)]
        world.step(60)
    one, each = (np.array([world.position(ball) for ball in world.balls]) for world in both)
    assert one[:, 1].max() < 5 and one[:, 1].min() > -20
    # Rows of a list come in another order, so sums round differently: most agree to a millimetre after a second.
    assert np.median(np.abs(one - each)) < 1e-3


@pytest.mark.parametrize("is_compound", [False, True])
def test_two_compounds_meet(is_compound):
    """A moving body of many shapes on a still one: it comes to rest on it, and nothing is missed."""
    scene = Rubble(True, 200, is_compound=is_compound)
    body = scene.world.body.create()
    parts = [(scene.shapes[7], (1, 0, 0, 0, 1, 0, 0, 0, 1, k % 10 - 5, 0, k // 10 - 5)) for k in range(100)]
    for part in [(scene.compound(parts), (*UPRIGHT, 0, 0, 0))] if is_compound else parts:
        scene.world.body.add_shape(body, *part)
    scene.world.body.set_transform(body, (1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 4, 0))
    scene.world.body.set_system(body, scene.system)
    scene.step(240)
    assert scene.position(body)[1] > -0.5 and np.abs(scene.velocity(body)).max() < 0.1


def test_a_changed_compound_is_found_as_it_is_now():
    """Shapes that are moved, switched off, removed and added."""
    scene = Rubble(True, 40)
    body, up = scene.bodies[0], ((50, 30, 0), (50, -30, 0))
    assert scene.queries.cast_ray(scene.system, *up) is None
    scene.world.body.set_shape_transform(body, 17, (1, 0, 0, 0, 1, 0, 0, 0, 1, 50, 5, 0))
    assert scene.queries.cast_ray(scene.system, *up)["instance"] == 17
    scene.world.body.set_shape_disabled(body, 17, True)
    assert scene.queries.cast_ray(scene.system, *up) is None
    scene.world.body.set_shape_disabled(body, 17, False)
    scene.world.body.remove_shape(body, 3)
    assert scene.queries.cast_ray(scene.system, *up)["instance"] == 16
    for number in range(38, 4, -1):
        scene.world.body.remove_shape(body, number)
    assert scene.world.body.shape_count(body) == 5 and scene.queries.cast_ray(scene.system, *up) is None
    scene.world.body.add_shape(body, scene.shapes[7], (1, 0, 0, 0, 1, 0, 0, 0, 1, 50, 5, 0))
    assert scene.queries.cast_ray(scene.system, *up)["instance"] == 5


def test_changes_do_not_fill_the_pool():
    """Each change takes new rows until no query reads the old ones: more than the pool has, and nobody ran a step between."""
    scene = Rubble(True, 200)
    for _ in range(100):
        scene.world.body.set_shape_disabled(scene.bodies[0], 0, False)


def seconds_of(action, repeats: int = 5) -> float:
    least = 1e9
    for _ in range(repeats):
        start = time.thread_time()
        action()
        least = min(least, time.thread_time() - start)
    return least


@pytest.mark.alone
@pytest.mark.parametrize("is_compound", [False, True])
def test_the_cost_does_not_grow_with_the_number_of_shapes(is_compound):
    """Rays, points and a body that lies on 100 and on 2,000 shapes, at the same density. Linear growth would be 20 times."""
    times = []
    for count in (100, 2000):
        scene = Rubble(True, count, side=20.0 * (count / 300) ** 0.5, is_compound=is_compound)
        random = np.random.default_rng(6)
        origins = random.uniform(-4, 4, (2000, 3)) + (0, 8, 0)
        ends = origins - (0, 16, 0)
        ball = scene.sphere(0.3)
        for k in range(16):
            scene.add(ball, (k % 4 - 2.0, 6.0, k // 4 - 2.0), mode=RIGID)
        scene.step(60)
        rays = partial(scene.queries.cast_rays, scene.system, origins, ends)
        times.append((seconds_of(rays), seconds_of(partial(scene.step, 20))))
    assert times[1][0] < 4 * times[0][0] and times[1][1] < 4 * times[0][1], times


def test_nested_compounds_are_their_shapes():
    scene = SmallWorld()
    box, ball = scene.box(0.1, 0.5, 0.1), scene.sphere(0.2)
    quarter = (0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0)  # about Y
    half = (-1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0)
    leg = Compound([(box, (*UPRIGHT, 0, 0, 0)), (ball, (*UPRIGHT, 0, -0.5, 0))])
    pair = Compound([(leg, (*UPRIGHT, 1, 0, 1)), (leg, (*quarter, -1, 0, 1))])
    table = Compound([(scene.box(1.2, 0.05, 1.2), (*UPRIGHT, 0, 0.55, 0)), (pair, (*UPRIGHT, 0, 0, 0)), (pair, (*half, 0, 0, 0))])
    assert len(table) == 9
    body = scene.world.body.create()
    scene.world.body.set_mode(body, STATIC)
    assert list(table.add_to(scene.world, body, (*UPRIGHT, 0, 3, 0))) == list(range(9))
    scene.world.body.set_system(body, scene.system)
    queries = Queries(scene.world)
    found = sorted((round(x), round(z)) for x in (-1, 1) for z in (-1, 1)
                   if queries.intersect_point(scene.system, (x, 2.4, z))["instance"].tolist())  # fmt: skip
    assert found == [(-1, -1), (-1, 1), (1, -1), (1, 1)]
    hit = queries.cast_ray(scene.system, (0.0, 9.0, 0.0), (0.0, 0.0, 0.0))
    assert hit["instance"] == 0 and hit["position"][1] == pytest.approx(3.6)
    with pytest.raises(ValueError, match="Compound: transform must be 12 numbers, got 3"):
        Compound([(box, (0, 0, 0))])
