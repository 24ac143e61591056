"""A body in a system that is given very many shapes: each costs the same, and nothing is forgotten."""

import time

import numpy as np
import pytest
from small_world import UPRIGHT, SmallWorld

from scree.bodies.schema import MASS_CHANGED, RIGID, STATIC
from scree.core.queries import Queries
from scree.core.world import World
from scree.runtime.memory import PoolFull
from scree.shapes.schema import SPHERE


def give(world: World, body: int, shape: int, count: int) -> float:
    """Processor time that it takes [s]."""
    begin = time.thread_time()
    for k in range(count):
        world.body.add_shape(body, shape, (*UPRIGHT, 2.0 * k, 0.0, 0.0))
    return time.thread_time() - begin


@pytest.mark.parametrize("mode", (None, STATIC))
def test_the_thousandth_shape_costs_as_much_as_the_first(mode):
    small = SmallWorld(body_shapes=1 << 16)
    world = small.world
    shape = small.box(0.5, 0.5, 0.5)
    costs = {}
    for count in (100, 500, 4000):
        best = []
        for _ in range(3):
            body = small.add(shape, mode=mode)
            best.append(give(world, body, shape, count) / count)
        costs[count] = min(best)
    assert costs[4000] < 2.0 * costs[500], costs


def test_mass_and_bounds_are_those_of_a_body_made_before_it_entered():
    small = SmallWorld(gravity=(0.0, 0.0, 0.0))
    world = small.world
    shapes = [small.box(0.5, 0.5, 0.5), small.sphere(0.3), small.box(0.1, 2.0, 0.1)]
    inside = small.add(shapes[0])
    before = world.body.create()
    world.body.add_shape(before, shapes[0])
    for body in (inside, before):
        world.body.set_collision_mask(body, 0)
        world.body.set_collision_layer(body, 0)
    rng = np.random.default_rng(5)
    for k in range(40):
        place = (*UPRIGHT, *rng.uniform(-3, 3, 3))
        for body in (inside, before):
            world.body.add_shape(body, shapes[k % 3], place, k % 7 == 0)
    world.body.set_system(before, small.system)
    assert int(small.body(inside)["flags"]) & MASS_CHANGED
    small.step()
    a, b = small.body(inside), small.body(before)
    assert not int(a["flags"]) & MASS_CHANGED
    for name in ("center_of_mass", "inverse_inertia_local", "local_bounds", "position"):
        assert a[name].tolist() == pytest.approx(b[name].tolist(), rel=1e-5, abs=1e-6), name
    for name in ("extent", "inner_radius", "inverse_mass"):
        assert float(a[name]) == pytest.approx(float(b[name]), rel=1e-6), name


def test_a_ray_finds_a_shape_before_the_next_step():
    small = SmallWorld()
    world = small.world
    shape = small.box(0.5, 0.5, 0.5)
    body = small.add(shape, mode=STATIC)
    queries = Queries(world)
    for k in range(1, 200):
        world.body.add_shape(body, shape, (*UPRIGHT, 3.0 * k, 0.0, 0.0))
        hit = queries.cast_ray(small.system, (3.0 * k, 5.0, 0.0), (3.0 * k, -5.0, 0.0))
        assert hit is not None and hit["position"][1] == pytest.approx(0.5, abs=1e-5)
    first = int(small.body(body)["first_instance"])
    assert int(world.instances.nodes.rows[first]["covered"]) < 200
    small.step()
    first = int(small.body(body)["first_instance"])
    assert int(world.instances.nodes.rows[first]["covered"]) == 200, "the next step has all in the tree"


def test_what_is_asked_of_the_mass_is_up_to_date():
    small = SmallWorld(gravity=(0.0, 0.0, 0.0))
    body = small.add(small.box(0.5, 0.5, 0.5))
    small.world.body.add_shape(body, small.box(0.5, 0.5, 0.5), (*UPRIGHT, 2.0, 0.0, 0.0))
    assert small.world.body.param(body, "center_of_mass") == pytest.approx((1.0, 0.0, 0.0), abs=1e-6)
    assert small.position(body) == pytest.approx((1.0, 0.0, 0.0), abs=1e-6), "the origin stays where it was"


def test_copies_of_shapes_that_nobody_reads_are_used_again():
    """8,192 rows hold no more than a few copies of the thousand."""
    small = SmallWorld()
    shape = small.box(0.5, 0.5, 0.5)
    body = small.add(shape, mode=STATIC)
    for k in range(1, 1000):
        small.world.body.add_shape(body, shape, (*UPRIGHT, 2.0 * k, 0.0, 0.0))
    for k in range(60):
        small.world.body.set_shape_transform(body, k, (*UPRIGHT, 2.0 * k, 1.0, 0.0))
    assert small.world.body.shape_transform(body, 59)[9:] == pytest.approx((118.0, 1.0, 0.0))
    assert small.world.body.shape_transform(body, 60)[9:] == pytest.approx((120.0, 0.0, 0.0))


@pytest.mark.alone
def test_a_shape_freed_goes_from_all_its_places_at_once():
    small = SmallWorld()
    world = small.world
    box, ball = small.box(0.5, 0.5, 0.5), small.sphere(0.4)
    body = small.add(box, mode=STATIC)
    for k in range(1, 1500):
        world.body.add_shape(body, ball if k % 3 == 0 else box, (*UPRIGHT, 2.0 * k, 0.0, 0.0))
    before = [world.body.shape_transform(body, k)[9] for k in range(1500) if k % 3 == 0 and k > 0]
    begin = time.thread_time()
    world.shape.destroy(box)
    assert time.thread_time() - begin < 0.2
    assert world.body.shape_count(body) == 499
    assert {world.body.shape(body, k) for k in range(499)} == {ball}
    assert [world.body.shape_transform(body, k)[9] for k in range(499)] == before
    queries = Queries(world)
    assert queries.cast_ray(small.system, (2.0, 5.0, 0.0), (2.0, -5.0, 0.0)) is None
    assert queries.cast_ray(small.system, (6.0, 5.0, 0.0), (6.0, -5.0, 0.0)) is not None


def tree_count(small: SmallWorld, body: int, field: str) -> int:
    return int(small.world.instances.nodes.rows[int(small.body(body)["first_instance"])][field])


@pytest.mark.parametrize("mode", (STATIC, RIGID))
def test_changes_one_by_one_are_those_of_a_body_made_so(mode):
    """Moved, disabled, enabled, replaced, in between steps and without them: rays, bounds and mass as of a body made anew."""
    small = SmallWorld(gravity=(0.0, 0.0, 0.0))
    world, rng = small.world, np.random.default_rng(11)
    shapes = [small.box(0.5, 0.5, 0.5), small.sphere(0.4), small.box(0.1, 0.8, 0.1)]
    wanted = [[shapes[k % 3], (*UPRIGHT, *rng.uniform(-8, 8, 3)), False] for k in range(60)]

    def made() -> int:
        body = world.body.create()
        world.body.set_mode(body, mode)
        world.body.set_collision_mask(body, 0)
        for shape, place, is_disabled in wanted:
            world.body.add_shape(body, shape, place, is_disabled)
        world.body.set_system(body, small.system)
        return body

    body, queries, kept = made(), Queries(world), 0
    for turn in range(12):
        for number in rng.integers(60, size=3).tolist():
            entry = wanted[number]
            entry[int(rng.integers(3))] = None
            entry[0] = entry[0] or shapes[int(rng.integers(3))]
            entry[1] = entry[1] or (*UPRIGHT, *rng.uniform(-8, 8, 3))
            entry[2] = not entry[2] if entry[2] is None else entry[2]
            world.body.set_shape(body, number, entry[0])
            world.body.set_shape_transform(body, number, entry[1])
            world.body.set_shape_disabled(body, number, entry[2])
        kept += tree_count(small, body, "changed") > 0
        if turn % 3 == 2:
            small.step()
        twin = made()
        origins, ends = rng.uniform(-12, 12, (200, 3)), rng.uniform(-8, 8, (200, 3))
        found = queries.cast_rays(small.system, origins, ends, exclude=[twin])
        others = queries.cast_rays(small.system, origins, ends, exclude=[body])
        np.testing.assert_array_equal(found["instance"], others["instance"])
        np.testing.assert_allclose(found["position"], others["position"], atol=2e-5)
        a, b = small.body(body), small.body(twin)
        np.testing.assert_allclose(a["bounds"], b["bounds"], atol=2e-5)
        assert a["extent"] >= b["extent"] - (1e-5 if turn % 3 == 2 else np.inf)
        world.body.settle_shapes()
        a, b = small.body(body), small.body(twin)
        for name in ("center_of_mass", "local_bounds", "extent", "inner_radius", "inverse_inertia_local"):
            np.testing.assert_allclose(a[name], b[name], rtol=1e-4, atol=2e-5)
        world.body.destroy(twin)
    assert kept > 6, "the tree followed, it was not made anew each time"


@pytest.mark.alone
def test_a_change_of_one_of_a_thousand_costs_little_more_than_of_ten():
    small = SmallWorld(body_shapes=1 << 15)
    world, shape, costs = small.world, small.box(0.5, 0.5, 0.5), {}
    for count in (10, 1000):
        body = world.body.create()
        world.body.set_mode(body, STATIC)
        give(world, body, shape, count)
        world.body.set_system(body, small.system)
        best = []
        for _ in range(5):
            begin = time.thread_time()
            for k in range(50):
                world.body.set_shape_transform(body, k % count, (*UPRIGHT, 2.0 * k, 1.0, 0.0))
            best.append((time.thread_time() - begin) / 50)
        costs[count] = min(best)
    assert costs[1000] < 3.0 * costs[10], costs


def test_a_shape_that_finds_no_row_for_its_scale_changes_nothing():
    """Each scale of a shape takes a row; here one is left, and then none."""
    world = World(threads=1, bodies=64, body_shapes=64, shapes=3)
    system, scaled = world.create_system(), (2.0, 0, 0, 0, 2.0, 0, 0, 0, 2.0, 0, 0, 0)
    one, other = world.shape.create(SPHERE), world.shape.create(SPHERE)
    for shape in (one, other):
        world.shapes.set_sphere(world.shape.index("", shape), 0.5)
    body = world.body.create()
    world.body.set_system(body, system)
    world.body.add_shape(body, one, scaled)
    for call in (lambda: world.body.add_shape(body, other, scaled), lambda: world.body.set_shape(body, 0, other)):
        with pytest.raises(PoolFull, match="shapes is full at 3"):
            call()
        assert world.body.shape_count(body) == 1 and world.body.shape(body, 0) == one
        assert world.shape_users.of(world.shape.index("", other)) == []
        assert world.shape.index("", other) not in {**world.shape_users._uses, **world.shape_users._only}
        hit = Queries(world).cast_ray(system, (0.0, 5.0, 0.0), (0.0, -5.0, 0.0))
        assert hit["body_id"] == body and hit["position"][1] == pytest.approx(1.0)
    world.body.set_shape_transform(body, 0, (*UPRIGHT, 0, 0, 0))
    world.retirement.reclaim()
    world.body.set_shape(body, 0, other)
    assert world.body.shape(body, 0) == other and world.shape_users.of(world.shape.index("", one)) == []
    world.body.destroy(body)
    world.shape.destroy(other)
    world.shape.destroy(one)
    world.retirement.reclaim()
    assert world.shapes.used_count() == 0
