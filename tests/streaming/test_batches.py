"""Batches of static bodies: what comes in is found and carries, what goes leaves nothing behind."""

import gc
import threading
import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_world import SmallWorld

from scree.core.batches import BatchQueue, BodyBatch
from scree.bodies.schema import STATIC
from scree.batches.body_batches import ENTERING, PREPARED
from scree.core.queries import Queries
from scree.runtime.memory import PoolFull
from tests.bodies.mass_twin import rotation_matrix
from tests.streaming.batches import bodies, box, cooked_shapes, hull, sphere


class Ground(SmallWorld):
    """A small world with a queue."""

    def __init__(self, **settings):
        super().__init__(**settings)
        self.queue = BatchQueue(self.world, self.system, tends=True)

    def batch(self, positions, cooked=None, **given) -> BodyBatch:
        cooked = [box(1.0, 1.0, 1.0)] if cooked is None else cooked
        rows, kept = cooked_shapes(*cooked)
        return BodyBatch(self.queue, *bodies(positions, **given), rows, keeps=kept)

    def counts(self) -> tuple:
        self.world.retirement.reclaim()  # rows of freed bodies wait for queries that may read them
        world = self.world
        trees = world.system(self.system).trees
        return (world.bodies.free_count(), world.instances.used_count(), world.shapes.used_count(), trees.body_count(1),
                self.live_pairs(), self.live_manifolds())  # fmt: skip


@pytest.fixture
def ground():
    return Ground()


def grid(side, spacing=2.0, y=-1.0):
    span = spacing * (np.arange(side) - (side - 1) / 2)
    x, z = np.meshgrid(span, span)
    return np.stack([x.ravel(), np.full(x.size, y), z.ravel()], 1)


def test_a_ball_falls_through_before_and_rests_after(ground):
    ball = ground.add(ground.sphere(0.5), (0.0, 1.0, 0.0))
    batch = ground.batch(grid(10))
    ground.step(5)
    assert ground.position(ball)[1] < 1.0 and ground.live_pairs() == 0, "nothing is there before it was put in"
    ground.move(ball, (0.0, 1.0, 0.0))
    ground.throw(ball, (0, 0, 0))
    batch.push()
    assert not batch.is_in
    ground.queue.advance()
    assert batch.is_in and batch.missing() == 0
    ground.step(120)
    assert abs(ground.position(ball)[1] - 0.5) < 0.02


def test_what_lay_on_a_batch_wakes_and_falls_when_it_goes():
    ground = Ground(sleeps=True)
    empty = ground.counts()
    batch = ground.batch(grid(10))
    batch.push()
    ground.queue.advance()
    ball = ground.add(ground.box(0.5, 0.5, 0.5), (0.0, 0.6, 0.0))
    ground.step(240)
    assert not ground.is_awake(ball)
    ids = batch.ids
    batch.remove()
    assert ground.is_awake(ball)
    ground.step(60)
    assert ground.position(ball)[1] < -1.0
    ground.world.body.destroy(ball)
    assert (np.array(ground.counts()[:2]) == empty[:2]).all() and ground.counts()[3:] == empty[3:]
    for identity in ids.tolist():
        with pytest.raises(KeyError, match="was freed"):
            ground.world.body.index("test", identity)


def test_a_sleeper_that_got_new_ground_stays_on_it_when_it_wakes():
    ground = Ground(sleeps=True, gravity=(0.0, 0.0, 0.0))
    ball = ground.add(ground.sphere(0.5), (0.0, 0.5, 0.0))
    ground.step(120)
    assert not ground.is_awake(ball)
    batch = ground.batch(grid(4))
    batch.push()
    ground.queue.advance()
    ground.step(2)
    assert not ground.is_awake(ball), "new ground wakes nobody"
    ground.throw(ball, (0.0, -5.0, 0.0))
    ground.step(60)
    assert ground.position(ball)[1] > 0.4


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_same_as_bodies_made_one_by_one(seed):
    """The twin: every body made by the ordinary calls has the same row, but for its id."""
    random = np.random.default_rng(seed)
    ground = Ground()
    count = 12
    positions = random.uniform(-50, 50, (count, 3))
    rotations = random.normal(size=(count, 4))
    rotations = (rotations / np.linalg.norm(rotations, axis=1)[:, None]).astype(np.float32)
    points = random.uniform(-1, 1, (12, 3))
    points = np.concatenate((points, -points))  # centred: a static body of a batch has no centre of mass of its own
    cooked = [box(0.5, 1.0, 2.0), sphere(0.7), hull(points)]
    shapes = random.integers(0, 3, count)
    batch = ground.batch(positions, cooked, shapes=shapes, rotations=rotations, layer=5, mask=9)
    twin = ground.world
    kinds = [ground.box(0.5, 1.0, 2.0), ground.sphere(0.7), twin.shape.create(4)]
    twin.shapes.set_hull(twin.shape.index("test", kinds[2]), points)
    for k in range(count):
        body = twin.body.create()
        twin.body.set_mode(body, STATIC)
        twin.body.add_shape(body, kinds[shapes[k]])
        twin.body.set_collision_layer(body, 5)
        twin.body.set_collision_mask(body, 9)
        twin.body.set_transform(body, (*rotation_matrix(rotations[k].astype(np.float64)).ravel(), *positions[k]))
        twin.body.set_system(body, ground.system)
        made, other = twin.bodies.rows[batch.rows[k]], twin.bodies.rows[twin.body.index("test", body)]
        turn = float(made["rotation"].astype(np.float64) @ other["rotation"])
        assert abs(turn) > 1.0 - 1e-6, "the same turn, whatever its sign"
        for name in ("position", "bounds", "local_bounds", "extent", "inner_radius", "fat_bounds"):
            np.testing.assert_allclose(made[name], other[name], rtol=1e-5, atol=2e-5, err_msg=name)
        for name in ("mode", "collision_layer", "collision_mask", "friction", "restitution", "broad_phase_layer", "system"):
            assert made[name] == other[name], name
    batch.drop()


def test_pools_return_to_the_same_count_over_many_lives(ground):
    empty = ground.counts()
    for k in range(300):
        batch = ground.batch(grid(6), [box(1, 1, 1), sphere(0.5)], shapes=np.arange(36) % 2)
        if k % 3 == 0:
            batch.drop()
            continue
        batch.push()
        if k % 3 == 1:
            batch.begin_removal()  # asked to go before it was put in
            while not batch.continue_removal():
                ground.queue.advance()
        else:
            ground.queue.advance()
            assert batch.is_in
            batch.remove()
        if k % 10 == 0:
            ground.step()
    assert ground.counts() == empty
    assert ground.queue.waiting() == 0


def test_a_batch_that_does_not_fit_takes_nothing(ground):
    before = ground.counts()
    with pytest.raises(PoolFull, match=r"World\(bodies=\.\.\.\)"):
        ground.batch(np.zeros((5000, 3)))
    assert ground.counts() == before


def test_bodies_of_a_batch_refuse_to_be_taken_apart(ground):
    batch = ground.batch(grid(2))
    identity, world = int(batch.ids[0]), ground.world
    shape = ground.sphere(1.0)
    for call in (lambda: world.body.destroy(identity), lambda: world.body.set_mode(identity, 2),
                 lambda: world.body.set_system(identity, 0), lambda: world.body.add_shape(identity, shape),
                 lambda: world.body.remove_shape(identity, 0), lambda: world.body.clear_shapes(identity)):  # fmt: skip
        with pytest.raises(ValueError, match="belongs to a tile"):
            call()
    batch.drop()


def test_two_threads_make_bodies_beside_loaders():
    """Rows are given to one taker only, whoever takes them."""
    ground = Ground()
    taken: list[list[int]] = [[], [], []]

    def load(number):
        for _ in range(20):
            batch = ground.batch(grid(5, y=-1.0 - number))
            batch.push()
            taken[number].append(batch)

    threads = [threading.Thread(target=load, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    mine = [ground.world.body.create() for _ in range(500)]
    for thread in threads:
        thread.join()
    rows = [int(row) for batches in taken[:2] for batch in batches for row in batch.rows]
    rows += [ground.index(body) for body in mine]
    assert len(set(rows)) == len(rows) == 2 * 20 * 25 + 500
    while ground.queue.waiting():
        ground.queue.advance()
    assert ground.world.system(ground.system).trees.body_count(1) == 1000
    assert ground.world.record["body_count"] == ground.world.bodies.count


def test_rebuilds_in_the_smallest_slices_lose_no_nodes(ground):
    """A slice may end between collecting and making: what is made must be made once. A tree of the same bodies holds about
    as many nodes, however small the slices were."""
    batches = [ground.batch(grid(8) + (0.0, 5.0 * k, 0.0)) for k in range(6)]
    for batch in batches:
        batch.push()
    ground.queue.advance()
    trees = ground.world.system(ground.system).trees
    counts = []
    for budget in range(8, 72, 3):
        ground.queue._tree["budget"] = budget
        ground.queue._tree["is_dirty"], ground.queue._tree["debt"] = 1, 400
        ground.step(200)
        counts.append(trees.node_count())
    assert trees.body_count(1) == 6 * 64 and all(batch.missing() == 0 for batch in batches)
    assert max(counts) < 2 * min(counts), counts


def test_rows_that_were_other_bodies_keep_no_filter_of_theirs(ground):
    rows = ground.world.instances.rows
    rows["query_layers"][:64] = rows["simulation_layers"][:64] = 2
    ball = ground.add(ground.sphere(0.5), (0.0, 1.0, 0.0))
    ground.world.body.set_shape_layers(ball, 0, 1, 1)
    batch = ground.batch(grid(4))
    used = np.isin(rows["body"][:4096], batch.rows) & (rows["shape"][:4096] >= 0)
    assert (rows["query_layers"][:4096][used] == 0).all() and (rows["simulation_layers"][:4096][used] == 0).all()
    batch.push()
    ground.queue.advance()
    ground.step(120)
    assert abs(ground.position(ball)[1] - 0.5) < 0.02, "it has come to rest on the batch"


def test_a_joint_to_a_streamed_body_is_refused(ground):
    batch = ground.batch(grid(2))
    batch.push()
    ground.queue.advance()
    ball = ground.add(ground.sphere(0.5), (0.0, 3.0, 0.0))
    for bodies_of_joint in ((ball, int(batch.ids[0])), (int(batch.ids[0]), ball)):
        with pytest.raises(ValueError, match="belongs to a tile, which comes and goes: hold it by the world"):
            ground.world.joint.create("point", *bodies_of_joint)
    assert ground.world.joint.create("point", ball, 0)
    batch.remove()


def test_a_snapshot_of_shapes_outlives_the_batch(ground):
    """Memory of streamed shapes stays as long as a copy of their addresses is in use."""

    class Memory:
        """Can be watched."""

        def __init__(self, kept):
            self.kept = kept

    rows, kept = cooked_shapes(hull(np.random.default_rng(2).normal(size=(20, 3))))
    memory = Memory(kept)
    watched = weakref.ref(memory)
    batch = BodyBatch(ground.queue, *bodies(grid(2, 8.0)), rows, keeps=memory)
    del memory, kept
    batch.push()
    ground.queue.advance()
    snapshot = Queries(ground.world).collect_shapes(ground.system, (0, 0, 0), (9, 9, 9))
    before = snapshot.cast_rays([(4.0, 9.0, 4.0)], [(4.0, -9.0, 4.0)])
    batch.remove()
    gc.collect()
    assert watched() is not None and len(snapshot) == 4 and before["fraction"][0] < 1.0
    np.testing.assert_array_equal(snapshot.cast_rays([(4.0, 9.0, 4.0)], [(4.0, -9.0, 4.0)]), before)
    del snapshot
    gc.collect()
    assert watched() is None and not ground.world.shape_keepers


def test_a_removal_begun_while_another_thread_puts_it_in(ground):
    """Whoever advances may be anywhere in between: the removal goes on when it is through, and nothing stays in the tree."""
    empty = ground.counts()
    batch = ground.batch(grid(6), [box(1, 1, 1)])
    batch.push()
    batch._record[0]["state"] = ENTERING  # as the other thread has it for a moment
    batch.begin_removal()
    assert not batch.continue_removal() and not batch.is_in
    batch._record[0]["state"] = PREPARED
    ground.queue.advance()
    assert batch.is_in and batch.missing() == 0
    while not batch.continue_removal():
        assert not batch.is_in
        ground.queue.advance()
    assert ground.counts() == empty
