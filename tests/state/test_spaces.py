"""A space that is restored goes on as it did, bit for bit: every kind of thing, on one, two and four threads."""

import ctypes
import threading

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scenes_of_state import KINDS, TICK, new_space, random_space

import scree
from scree.core.batches import BatchQueue, BodyBatch
from scree.state import declared
from scree.state.spaces import SpaceStates, StateError
from tests.sizes import size
from tests.streaming.batches import bodies, box, cooked_shapes

RUBBISH = 0x3B
"""A float of 0.003: lanes of blocks without a contact keep what was there, times a mass of zero; as an integer 10^9."""
WORLDS = int(size(8, in_full=100))
RESTORES = int(size(60, in_full=2_000))
TICKS = int(size(40, in_full=300))


def states_of(space: scree.Space) -> SpaceStates:
    return SpaceStates(space.core, space.id)


def hashes(space: scree.Space, states: SpaceStates, ticks: int) -> list[int]:
    """The hash after each of so many ticks."""
    found = []
    for _ in range(ticks):
        space.step(TICK)
        found.append(states.hash())
    return found


def address_in(system, name: str) -> int:
    """The address in a field of SYSTEM, named as in declared.py."""
    return ctypes.c_int64.from_address(system.address + declared.place_of(declared.OF_SYSTEM.record, name)).value


def fill_scratch(space: scree.Space) -> None:
    """Fill with rubbish what a step is said to write before it reads it."""
    system = space.core.system(space.id)
    pools = {pool.address: pool for pool in (*system._pools, *system.sensors._pools)}
    record = system.sensors.record
    places = [address_in(system, name) for name in declared.SCRATCH_POOLS] + [
        int(record[name]) for name in declared.SCRATCH_OF_SENSORS
    ]
    beside = [address_in(system, name) for name in declared.SCRATCH_POOLS if name.startswith("solver.")]  # row 0: static bodies
    for place in places:
        kept = 64 if place in beside else 0
        byte_count = min(pools[place].capacity * pools[place].dtype.itemsize, 1 << 18)
        ctypes.memset(place + kept, RUBBISH, byte_count - kept)


def check_exact(space: scree.Space, ticks: int = TICKS, before: int = 30) -> None:
    """Step, save, step, restore, step: all hashes are equal, and those of a restore in the middle too."""
    states = states_of(space)
    hashes(space, states, before)
    state, at_save = states.save(), states.hash()
    first = hashes(space, states, ticks)
    states.restore(state)
    fill_scratch(space)
    assert states.hash() == at_save
    assert hashes(space, states, ticks) == first
    states.restore(state)
    half = hashes(space, states, ticks // 2)
    middle = states.save()
    hashes(space, states, 3)
    states.restore(middle)
    assert half + hashes(space, states, ticks - ticks // 2) == first


@settings(max_examples=WORLDS, deadline=None, derandomize=True, phases=[Phase.generate])
@given(seed=st.integers(0, 1 << 30), threads=st.sampled_from([1, 2, 4]), before=st.integers(0, 90))
def random_worlds(seed, threads, before):
    check_exact(random_space(seed, threads), before=before)


def test_random_worlds_go_on_as_before():
    random_worlds()
    print(f"{WORLDS} random worlds, {TICKS} steps each after a restore, on 1, 2 or 4 threads: every hash equal")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("threads", [1, 4])
def test_every_kind_of_thing_goes_on_as_before(kind, threads):
    check_exact(KINDS[kind](threads), before=45)


def test_a_state_may_be_restored_after_the_space_fell_asleep():
    space = new_space()
    for k in range(5):
        space.add_rigid(scree.Box(half_extents=(0.5, 0.5, 0.5)), (0, 0.5 + k, 0))
    check_exact(space, ticks=200, before=20)
    assert not space.core.system(space.id).row["bodies"]["active_count"]
    check_exact(space, ticks=20, before=5)


def test_edits_after_the_save_are_undone():
    space = random_space(7)
    states = states_of(space)
    hashes(space, states, 20)
    state = states.save()
    first = hashes(space, states, 30)
    for body in list(space.bodies)[2:9]:
        body.velocity, body.mass, body.material = (3, 9, 0), 5.0, scree.Material(friction=0.1)
        body.position += (0.0, 3.0, 0.0)
    space.gravity = (0, 5, 0)
    hashes(space, states, 10)
    states.restore(state)
    assert hashes(space, states, 30) == first


def test_a_shifted_origin_comes_back():
    space = random_space(11)
    states = states_of(space)
    hashes(space, states, 20)
    state = states.save()
    first = hashes(space, states, 30)
    space.shift_origin((640, 0, 128))
    hashes(space, states, 5)
    states.restore(state)
    assert hashes(space, states, 30) == first
    assert space.core.system(space.id).row["place"]["origin"].tolist() == [0, 0, 0]


def test_queries_find_restored_bodies_where_they_were():
    space = new_space()
    ball = space.add_rigid(scree.Sphere(radius=0.5), (0, 8, 0))
    states = states_of(space)
    space.step(TICK)
    state, before = states.save(), ball.position.copy()
    for _ in range(90):
        space.step(TICK)
    assert space.cast_ray((0, 20, 0), (0, -20, 0)).position[1] < 2.0
    states.restore(state)
    assert ball.position.tolist() == before.tolist()
    assert space.cast_ray((0, 20, 0), (0, -20, 0)).position[1] == pytest.approx(before[1] + 0.5, abs=1e-4)


def test_queries_of_other_threads_go_on_beside_restores():
    """A ray from above meets the ball where it was saved or where it has fallen, never anywhere else, and never nothing."""
    space = new_space()
    ball = space.add_rigid(scree.Sphere(radius=0.5), (0, 8, 0))
    crowd = [space.add_rigid(scree.Box(half_extents=(0.5, 0.5, 0.5)), (3 + k % 10, 0.5 + k // 10, 2)) for k in range(200)]
    states = states_of(space)
    space.step(TICK)
    state, found, stop = states.save(), [], threading.Event()

    def look() -> None:
        while not stop.is_set():
            hit = space.cast_ray((0, 20, 0), (0, -20, 0))
            found.append(np.nan if hit is None or hit.body != ball else float(hit.position[1]))

    seeing = [threading.Thread(target=look) for _ in range(2)]
    for thread in seeing:
        thread.start()
    for _ in range(RESTORES):
        hashes(space, states, 2)
        states.restore(state)
    stop.set()
    for thread in seeing:
        thread.join()
    assert len(crowd) == 200 and len(found) > RESTORES
    assert 8.3 < np.min(found) and np.max(found) < 8.51


def test_what_was_made_or_freed_since_is_refused_and_nothing_changes():
    space = random_space(3)
    states = states_of(space)
    hashes(space, states, 10)
    state = states.save()
    new = space.add_rigid(scree.Sphere(radius=0.3), (0, 30, 0))
    before = states.hash()
    with pytest.raises(StateError, match="restore: the space has .* bodies and areas, the state has"):
        states.restore(state)
    assert states.hash() == before
    new.remove()
    space.step(TICK)
    states.restore(state)
    joint = space.add_joint(scree.Pin(), list(space.bodies)[3])
    with pytest.raises(StateError, match="the joints of the space are not those of the state"):
        states.restore(state)
    joint.remove()
    listener = space.on_step(lambda seconds: None)
    with pytest.raises(StateError, match="1 step listeners, whose own state is not known"):
        states.save()
    listener.remove()
    states.restore(state)


def test_a_space_with_batches_of_bodies_is_refused_and_goes_on_exactly_when_they_are_gone():
    space = random_space(6)
    states, queue = states_of(space), BatchQueue(space.core, space.id)
    rows, kept = cooked_shapes(box(1.0, 1.0, 1.0))
    batch = BodyBatch(queue, *bodies(np.array([(200.0 + 3.0 * k, 0.0, 0.0) for k in range(20)])), rows, keeps=kept)
    with pytest.raises(StateError, match="1 batches of bodies"):
        states.save()
    batch.push()
    queue.advance()
    with pytest.raises(StateError, match="1 batches of bodies"):
        states.save()
    batch.remove()
    queue.close()
    check_exact(space)


def test_a_query_that_stays_is_named_and_nothing_changes():
    from scree.core.snapshot import Snapshot

    space = random_space(5)
    states = states_of(space)
    hashes(space, states, 10)
    state, at_save = states.save(), states.hash()
    hashes(space, states, 5)
    before = states.hash()
    with Snapshot(space.core, space.id, (-1, -1, -1), (1, 1, 1)), pytest.raises(TimeoutError, match="a query stays"):
        states.restore(state)
    assert states.hash() == before
    states.restore(state)
    assert states.hash() == at_save


def test_two_spaces_of_a_world_have_states_of_their_own():
    one = random_space(21)
    other = one.world.add_space()
    other.add_static(scree.Plane())
    balls = [other.add_rigid(scree.Sphere(radius=0.5), (0.1 * k, 1 + k, 0)) for k in range(10)]
    mine, its = states_of(one), states_of(other)
    hashes(one, mine, 10), hashes(other, its, 10)
    state = mine.save()
    first = hashes(one, mine, 20)
    second = hashes(other, its, 20)
    place = balls[0].position.copy()
    mine.restore(state)
    assert balls[0].position.tolist() == place.tolist() and its.hash() == second[-1]
    assert hashes(one, mine, 20) == first


@pytest.mark.parametrize("kind", KINDS)
def test_the_hash_does_not_depend_on_the_number_of_threads(kind):
    """Nor on the rows that threads take for contacts, in the order in which they come."""
    spaces = [KINDS[kind](threads) for threads in (1, 2, 4, 4)]
    one, *others = (hashes(space, states_of(space), 2 * TICKS) for space in spaces)
    assert all(other == one for other in others)


def every_field(fields: declared.Fields) -> list[str]:
    return [*fields.saved, *fields.kept, *fields.scratch]


@pytest.mark.parametrize("fields", [declared.OF_SYSTEM, declared.OF_SENSORS, declared.OF_COLOURS, declared.OF_TREE])
def test_every_field_is_declared_once(fields):
    named, there = every_field(fields), [name for name, _, _ in declared.leaves(fields.record)]
    assert sorted(named) == sorted(there), set(named) ^ set(there)
    assert len(set(named)) == len(named)


def test_every_pool_is_declared_once():
    """An address in SYSTEM or SENSORS belongs to a pool that is saved, filled by each step, or the process's own."""
    space = new_space()
    system = space.core.system(space.id)
    saved = {rows.pool for rows in declared.ROWS_OF_SYSTEM} | {beside.pool for beside in declared.BESIDE_MANIFOLDS}
    found = {pool.address for pool in system._pools}
    declared_pools = saved | set(declared.SCRATCH_POOLS) | set(declared.KEPT_POOLS)
    assert len(saved) + len(declared.SCRATCH_POOLS) + len(declared.KEPT_POOLS) == len(declared_pools)
    colours = np.asarray(system._colours[0][["lists", "keys", "joint_lists"]].tolist()).ravel().tolist()
    colours += [int(system._colours[0][name]) for name in ("overflow_blocks", "overflow_lanes")]
    assert found == {address_in(system, name) for name in declared_pools} | set(colours)
    sensors, record = system.sensors, system.sensors.record
    of_sensors = {rows.pool for rows in declared.ROWS_OF_SENSORS} | set(declared.SCRATCH_OF_SENSORS)
    of_sensors |= {"first_overlap", "default_area"}
    assert {pool.address for pool in sensors._pools} == {int(record[name]) for name in of_sensors} | {sensors.address}
