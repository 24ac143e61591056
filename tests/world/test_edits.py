"""Edits from any thread: at once while no step runs, at its end while one does; never waiting, never lost. And body locks."""

import threading
import time

import numpy as np
import pytest
from small_world import SmallWorld

from scree.edit import commands
from scree.bodies.schema import MASS_CHANGED
from scree.edit.body_locks import LockingBodyInterface, NonLockingBodyInterface
from scree.edit.commands import STEPPING
from scree.runtime.memory import PoolFull
from scree.core.world import World


class Stepping:
    """A step that is under way and stays so: the gate is held as a step holds it."""

    def __init__(self, small):
        self.small = small

    def __enter__(self):
        assert int(self.small.row["edits"]["gate"]) == 0
        self.small.row["edits"]["gate"] = STEPPING

    def __exit__(self, *unused):
        commands.edit(self.small.world.address, 0, self.small.world.system(self.small.system).address)
        self.small.world.late.settle()


def on_another_thread(action):
    """Its answer, or its error; nobody waits for a step."""
    answers = []

    def work():
        try:
            answers.append(action())
        except Exception as error:
            answers.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(20)
    assert not thread.is_alive(), "an edit waits for the step"
    return answers[0]


def test_at_once_without_a_step():
    small = SmallWorld()
    body = small.add(small.sphere(0.5), (0, 5, 0))
    bodies = NonLockingBodyInterface(small.world)
    assert on_another_thread(lambda: bodies.set_linear_velocity(body, (1, 2, 3))) is True
    assert small.velocity(body).tolist() == [1, 2, 3]
    assert on_another_thread(lambda: bodies.set_pose(body, (7, 8, 9))) is True
    assert bodies.motion(body)[0].round(6).tolist() == [7, 8, 9, 0, 0, 0, 1, 1, 2, 3, 0, 0, 0]


def test_at_the_end_of_a_step():
    small = SmallWorld()
    sphere, box = small.sphere(0.5), small.box(1, 1, 1)
    body, other, third = (small.add(sphere, (10.0 * k, 5, 0)) for k in range(3))
    bodies, world = NonLockingBodyInterface(small.world), small.world
    with Stepping(small):
        assert on_another_thread(lambda: bodies.set_linear_velocity(body, (1, 0, 0))) is False
        assert on_another_thread(lambda: bodies.apply_central_impulse(body, (1, 0, 0))) is False
        assert on_another_thread(lambda: bodies.set_pose(body, (0, 50, 0))) is False
        assert on_another_thread(lambda: bodies.remove(third)) is False
        on_another_thread(lambda: world.body.add_shape(other, box))
        on_another_thread(lambda: world.body.set_mode(other, 0))
        assert small.velocity(body).tolist() == [0, 0, 0] and small.position(body)[1] == 5.0
        assert world.body.shape_count(other) == 1 and world.body.system(third)
    assert small.velocity(body).tolist() == [2, 0, 0] and small.position(body)[1] == 50.0
    assert world.body.shape_count(other) == 2 and int(small.body(other)["mode"]) == 0
    assert not world.body.system(third)
    assert bodies.add(third, small.system) is True
    small.step(3)
    assert small.position(body)[0] > 0.05


def test_edits_of_a_body_keep_their_order():
    """Freed during a step: what comes after finds it gone, and says so to whoever steps."""
    small = SmallWorld()
    body = small.add(small.sphere(0.5))
    with Stepping(small):
        on_another_thread(lambda: small.world.body.set_param(body, "mass", 3.0))
        on_another_thread(lambda: small.world.body.destroy(body))
        on_another_thread(lambda: small.world.body.set_param(body, "mass", 5.0))
        assert small.world.body.param(body, "mass") == 1.0
    with pytest.raises(KeyError, match="it was freed"):
        small.step()
    small.step()


def test_a_wrong_value_is_an_error_at_once_even_beside_a_step():
    small = SmallWorld()
    body = small.add(small.sphere(0.5))
    with Stepping(small):
        error = on_another_thread(lambda: small.world.body.set_param(body, "mass", -1.0))
        assert str(error) == "body_set_param: mass must be above 0, got -1.0"
    small.step()
    assert small.world.body.param(body, "mass") == 1.0


def test_what_is_wrong_with_a_late_edit_is_raised_by_the_step():
    """An edit in Python whose error is found when it is done: there are no shapes then."""
    small = SmallWorld()
    body = small.add(small.sphere(0.5))
    with Stepping(small):
        on_another_thread(lambda: small.world.body.remove_shape(body, 0))
        on_another_thread(lambda: small.world.body.remove_shape(body, 0))
    with pytest.raises(ValueError, match="body_remove_shape: the body has 0 shapes"):
        small.step()


def test_bad_ids_and_values():
    small = SmallWorld()
    body = small.add(small.sphere(0.5))
    bodies = NonLockingBodyInterface(small.world)
    with pytest.raises(ValueError, match="apply_force: values must be finite"):
        bodies.apply_force(body, (np.nan, 0, 0), (0, 0, 0))
    with pytest.raises(ValueError, match="set_linear_velocity: velocity must be 3 numbers"):
        bodies.set_linear_velocity(body, (1, 2))
    small.world.body.destroy(body)
    for call in (lambda: bodies.activate(body), lambda: bodies.motion(body), lambda: bodies.user_data(body)):
        with pytest.raises(KeyError, match="there is no body"):
            call()
    locking = LockingBodyInterface(small.world)
    with pytest.raises(KeyError, match="there is no body"), locking.read(body):
        pass
    assert not small.world.body_locks._pool.rows["holders"].any()


def test_a_full_ring_is_an_error():
    small = SmallWorld.__new__(SmallWorld)
    small.world = World(threads=1, bodies=64, body_shapes=64, shapes=64, waiting_edits=4)
    small.system = small.world.create_system()
    small.row = small.world.system(small.system).row
    body = small.add(small.sphere(0.5))
    bodies = NonLockingBodyInterface(small.world)
    for _ in range(3):  # round the ring, so that its laps are counted right
        with Stepping(small):
            for k in range(4):
                assert bodies.set_linear_velocity(body, (k, 0, 0)) is False
            with pytest.raises(PoolFull, match=r"World\(waiting_edits=\.\.\.\)"):
                bodies.set_linear_velocity(body, (9, 0, 0))
        assert small.velocity(body).tolist() == [3, 0, 0]


def test_nothing_is_lost_between_threads():
    """Impulses from three threads beside a thread that steps: every one of them arrives once."""
    small = SmallWorld(gravity=(0.0, 0.0, 0.0))
    body = small.add(small.sphere(0.5))
    for k in range(200):  # bodies that never sleep: a step takes long enough to be met
        small.throw(small.add(small.box(0.5, 0.5, 0.5), (3.0 * k, 40.0, 0.0)), (0.0, 1.0, 0.0))
    bodies, sent, late, until = NonLockingBodyInterface(small.world), [], [], time.monotonic() + 60.0

    def push():
        pushed = kept = 0
        while pushed < 3000 or (not kept and time.monotonic() < until):  # a busy machine may need more
            kept += not bodies.apply_central_impulse(body, (0.001, 0, 0))
            pushed += 1
        sent.append(pushed)
        late.append(kept)

    threads = [threading.Thread(target=push) for _ in range(3)]
    for thread in threads:
        thread.start()
    steps = 0
    while any(thread.is_alive() for thread in threads):
        small.step()
        steps += 1
    small.step()
    print(f"\n{sum(sent)} impulses beside {steps} steps, {sum(late)} of them kept for the end of one")
    assert sum(late) > 0, "no impulse met a step"
    assert small.velocity(body)[0] == pytest.approx(sum(sent) * 0.001, rel=1e-3)


def test_doors_beside_a_stepping_thread():
    """Bodies made, changed and freed by a thread while another steps: nothing is lost, nobody waits for the end."""
    small = SmallWorld()
    small.floor()
    sphere, box, done, errors = small.sphere(0.5), small.box(0.5, 0.5, 0.5), [], []
    world = small.world

    def play():
        try:
            for k in range(300):
                body = small.add(sphere, (2.0 * (k % 20), 3.0 + k % 7, 0.0))
                world.body.add_shape(body, box)
                world.body.set_param(body, "mass", 2.0)
                world.body.set_collision_layer(body, 3)
                if k % 2:
                    world.body.destroy(body)
                else:
                    done.append(body)
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=play)
    thread.start()
    while thread.is_alive():
        small.step()
    small.step(2)
    assert not errors and len(done) == 150
    assert all(world.body.shape_count(body) == 2 and world.body.param(body, "mass") == 2.0 for body in done)
    assert int((world.bodies.rows["id"] != 0).sum()) == 151
    assert world.system(small.system).trees.body_count(0) == 150


def test_readers_share_and_writers_are_alone():
    small = SmallWorld()
    shape = small.sphere(0.5)
    ids = [small.add(shape, (3.0 * k, 0, 0)) for k in range(8)]
    bodies, order = LockingBodyInterface(small.world), []
    with bodies.read(*ids) as rows, bodies.read(ids[0]):
        assert [int(row["id"]) for row in rows] == ids

        def write():
            with bodies.write(*reversed(ids)) as inside:
                inside.set_linear_velocity(ids[0], (1, 0, 0))
                order.append("written")

        thread = threading.Thread(target=write)
        thread.start()
        time.sleep(0.05)
        order.append("read")
    thread.join(10)
    assert order == ["read", "written"]
    assert not small.world.body_locks._pool.rows["holders"].any()


def test_pairs_of_bodies_under_locks_are_never_seen_half():
    """Two threads move pairs of bodies under their write locks; readers under read locks find both moved, or none."""
    small = SmallWorld(gravity=(0.0, 0.0, 0.0))
    shape = small.sphere(0.1)
    pairs = [(small.add(shape, (0, 3.0 * k, 0)), small.add(shape, (5, 3.0 * k, 0))) for k in range(6)]
    bodies, stop, torn, reads = LockingBodyInterface(small.world), threading.Event(), [], [0]

    def write(seed):
        generator = np.random.default_rng(seed)
        while not stop.is_set():
            a, b = pairs[generator.integers(len(pairs))]
            value = float(generator.integers(1000))
            first, second = (a, b) if generator.integers(2) else (b, a)
            with bodies.write(first, second) as inside:
                inside.set_linear_velocity(first, (value, 0, 0))
                inside.set_linear_velocity(second, (value, 0, 0))

    threads = [threading.Thread(target=write, args=(seed,)) for seed in range(2)]
    for thread in threads:
        thread.start()
    end = time.perf_counter() + 2.0
    while time.perf_counter() < end:
        for a, b in pairs:
            with bodies.read(a, b) as (one, other):
                first = float(one["linear_velocity"][0])
                time.sleep(0)
                torn += [1] if first != float(other["linear_velocity"][0]) else []
                reads[0] += 1
    stop.set()
    for thread in threads:
        thread.join()
    print(f"\n{reads[0]} reads of pairs, {len(torn)} torn")
    assert reads[0] > 100 and not torn


def test_a_write_lock_outlasts_the_edits_given_under_it():
    """An edit that meets another thread's edit at the gate is done by that thread: the lock is kept until it is."""
    small = SmallWorld(gravity=(0.0, 0.0, 0.0))
    body = small.add(small.sphere(0.1), (0, 0, 0))
    system = small.world.system(small.system)
    bodies = LockingBodyInterface(small.world)
    assert bodies.set_linear_velocity(body, (1.0, 0.0, 0.0)), "and all that is called is compiled now"
    row = small.world.systems.rows[int(small.world.system_index("", small.system))]
    row["edits"]["gate"] = commands.EDITING  # as if another thread were in the middle of an edit
    locked = threading.Thread(target=bodies.set_linear_velocity, args=(body, (7.0, 0.0, 0.0)))
    locked.start()
    locked.join(0.2)
    waited, moved = locked.is_alive(), float(bodies.motion(body)[0, 7])
    commands.edit(small.world.address, 0, system.address)  # the other thread is through
    locked.join(10)
    assert waited and moved == 1.0, "the lock was given back before its edit was done"
    assert not locked.is_alive() and float(bodies.motion(body)[0, 7]) == 7.0


def test_what_is_asked_beside_a_step_changes_nothing():
    """A body's mass is renewed behind the gate, also where only somebody asks: the shadow of the gate's holder is now the
    step's."""
    small = SmallWorld()
    body = small.add(small.box(0.5, 0.5, 0.5), (0.0, 5.0, 0.0))
    with Stepping(small):
        small.world.bodies.flags[small.index(body)] |= np.uint32(MASS_CHANGED)
        before = small.body(body).copy()
        assert small.world.body.param(body, "mass") == 1.0
        assert small.body(body) == before
    assert not int(small.body(body)["flags"]) & MASS_CHANGED
