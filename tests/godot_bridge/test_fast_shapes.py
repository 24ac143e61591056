"""Shapes that compiled code sets and frees: what it leaves is what Python leaves, and nobody sees half of it."""

import functools
import itertools

import numpy as np
import pytest
from fast_server import FastServer
from played import ARRAYS, BLOCK_KINDS, GOOD, PLACES, Played, data_of, differences

from scree.bodies.identity import index_of
from scree.godot import server_shapes
from scree.godot.schema import SEEN
from scree.shapes import rows
from scree.shapes import schema as shapes


@pytest.mark.parametrize("kind", BLOCK_KINDS)
def test_shapes_with_blocks_are_left_the_same(kind):
    """Set to all data, good and bad, twice each; used, set while used, freed while used; their rows taken again."""
    fast, python = Played(True), Played(False)
    for played in (fast, python):
        call = played.made.call
        for _ in range(3):
            played.shapes.append(call(f"_{kind}_shape_create"))
        one, other, kept = played.shapes[-3:]
        for shape, data in itertools.product((one, other), (*GOOD, *ARRAYS)):
            call("_shape_set_data", shape, data)
            call("_shape_set_data", shape, data)
        call("_shape_set_data", kept, data_of(kind, 1))
        call("_body_add_shape", played.ids[0], one, PLACES[0], False)
        call("_body_set_space", played.ids[0], played.spaces[0])
        call("_shape_set_data", one, data_of(kind, 2))
        call("_free_rid", other)
        played.shapes.append(call(f"_{kind}_shape_create"))
        call("_shape_set_data", played.shapes[-1], data_of(kind, 3))
    for call in [("step", 0, []), ("_body_set_space", 0, [("space", 0)])]:
        fast.play(*call), python.play(*call)
        assert not differences(fast.state(), python.state())
    assert fast.made.world.shapes.cooked_memory.rows.any() and not python.made.world.shapes.cooked_memory.rows.any()
    assert not differences(fast.state(True), python.state(True))
    for played in (fast, python):
        for shape in played.shapes:
            played.made.call("_free_rid", shape)
        for body in played.ids:
            played.made.call("_free_rid", body)
        assert not played.made.variants.alive
    assert fast.made.errors == python.made.errors


@pytest.mark.parametrize("kind", BLOCK_KINDS)
def test_a_node_with_a_block_takes_no_python(kind):
    """Made, set twice, put on a body, into a space and out of it, and freed; after the first one of its kind."""
    played = Played(True)
    call, made = played.made.call, played.made
    call("_shape_set_data", call(f"_{kind}_shape_create"), data_of(kind, 0))
    before = made.handed_over
    for number in range(50):
        shape, body = call(f"_{kind}_shape_create"), call("_body_create")
        for data in (number, number, number + 100):
            call("_shape_set_data", shape, data_of(kind, data))
        call("_body_set_mode", body, 2)
        call("_body_add_shape", body, shape, PLACES[1], False)
        call("_body_set_space", body, played.spaces[0])
        for identity in (body, shape) if number % 2 else (body,):
            call("_free_rid", identity)
    assert made.handed_over == before and not made.errors
    assert np.count_nonzero(made.world.shapes.cooked_memory.rows) == 25


def test_a_freed_block_stays_while_a_query_may_read_it(monkeypatch):
    played, freed = Played(True), []
    monkeypatch.setattr(rows, "free_all", freed.extend)
    call, world = played.made.call, played.made.world
    call("_shape_set_data", call("_convex_polygon_shape_create"), data_of("convex_polygon", 0))
    shape, body = call("_convex_polygon_shape_create"), call("_body_create")
    call("_shape_set_data", shape, data_of("convex_polygon", 1))
    call("_body_add_shape", body, shape, PLACES[0], False)
    call("_body_set_space", body, played.spaces[0])
    memory = int(world.shapes.cooked_memory.rows[index_of(shape)])
    tree = world.system(played.spaces[0]).trees.trees.rows[1]
    tree["users"][0, 3, 0] += 1  # a query that has not ended
    before = played.made.handed_over
    call("_free_rid", body), call("_free_rid", shape)
    assert memory and played.made.handed_over == before and not world.shapes.cooked_memory.rows[index_of(shape)]
    for _ in range(10):
        with played.made.server.lock:
            world.retirement.reclaim()
    assert memory not in freed
    tree["users"][0, 3, 0] -= 1
    world.retirement.reclaim()
    assert freed == [memory]


def test_much_freed_memory_does_not_wait(monkeypatch):
    """Python frees what is large, and takes the notes over before they hold much."""
    played, freed = Played(True), []
    monkeypatch.setattr(rows, "free_all", freed.extend)
    call, made = played.made.call, played.made
    field = {"width": 512, "depth": 512, "heights": np.zeros(512 * 512, np.float32)}  # 1.5 MB
    call("_shape_set_data", call("_heightmap_shape_create"), field)
    shapes_made = [call("_heightmap_shape_create") for _ in range(40)]
    for shape in shapes_made:
        call("_shape_set_data", shape, field)
    before = made.handed_over
    for shape in shapes_made:
        call("_free_rid", shape)
        assert made.server.record["noted_memory"] <= 1 << 24
    assert 2 <= made.handed_over - before <= 4 and not made.errors
    assert len(freed) > 20


def test_a_shape_that_was_asked_with_gets_a_fresh_row():
    """Somebody may be reading its row: what it is set to then goes into another, and nobody sees half of it."""
    made = FastServer(True)
    made.call("_free_rid", made.call("_box_shape_create"))
    shape = made.call("_box_shape_create")
    index, before = index_of(shape), made.handed_over
    made.call("_shape_set_data", shape, (1.0, 1.0, 1.0))
    made.call("_shape_set_data", shape, (2.0, 1.0, 1.0))
    assert made.handed_over == before and made.world.shapes.current_row(index) == index
    made.server.shapes.rows[index]["sight"] = SEEN
    made.call("_shape_set_data", shape, (3.0, 1.0, 1.0))
    fresh = made.world.shapes.current_row(index)
    assert made.handed_over == before + 1 and fresh != index
    assert made.world.shapes.rows["half_extents"][[index, fresh], 0].tolist() == [2.0, 3.0]
    made.call("_free_rid", shape)
    assert not made.errors and not made.server.shapes.rows[index]["shape_id"]


@pytest.mark.parametrize("is_fast", [True, False])
def test_a_shape_that_was_used_gets_a_fresh_row(is_fast):
    """A query that began before may still be reading the body, and the row."""
    made = FastServer(True)
    made.call("_free_rid", made.call("_box_shape_create"))
    body, shape = made.call("_body_create"), made.call("_box_shape_create")
    index = index_of(shape)
    made.call("_shape_set_data", shape, (1.0, 1.0, 1.0))
    call = made.call if is_fast else functools.partial(made.call, by_python=True)
    call("_body_add_shape", body, shape, PLACES[0], False)
    call("_body_remove_shape", body, 0)
    assert made.world.shapes.rows[index]["use_count"] == 0
    made.call("_shape_set_data", shape, (2.0, 1.0, 1.0))
    rows = made.world.shapes.rows["half_extents"][[index, made.world.shapes.current_row(index)], 0]
    assert rows.tolist() == [1.0, 2.0]


def test_a_shape_in_use_is_freed_by_python():
    made = FastServer(True)
    body, shape = made.call("_body_create"), made.call("_sphere_shape_create")
    made.call("_shape_set_data", shape, 0.5)
    made.call("_body_add_shape", body, shape, PLACES[0], False)
    made.call("_free_rid", shape)
    assert made.world.body.shape_count(body) == 0 and not made.errors
    made.call("_shape_set_data", shape, 0.5)
    assert made.errors.pop() == ("shape_set_data", "KeyError")


@pytest.mark.parametrize("count, is_told", [(200, False), (2000, True)])
def test_a_hull_that_is_cut_is_told(count, is_told):
    """Points on a unit sphere: 256 vertices are not enough for 2,000 of them."""
    pool = FastServer(False).world.shapes
    points = np.random.default_rng(2).normal(size=(count, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    told = server_shapes._set_convex_polygon(pool, pool.create(shapes.HULL), points)
    assert bool(told) == is_told and (not told or "256" in told and str(count) in told)


@pytest.mark.parametrize("is_fast", [True, False], ids=["compiled", "Python"])
def test_the_rows_of_a_freed_body_stay_for_queries_that_found_it(is_fast):
    played = Played(is_fast)
    call, world = played.made.call, played.made.world
    shape, body = call("_sphere_shape_create"), call("_body_create")
    call("_shape_set_data", shape, 0.5)
    call("_body_add_shape", body, shape, PLACES[0], False)
    call("_body_set_space", body, played.spaces[0])
    first = int(world.bodies.rows[index_of(body)]["first_instance"])
    before = world.instances.rows[first].copy()
    call("_free_rid", body)
    assert world.instances.rows[first] == before and before["shape"] >= 0
